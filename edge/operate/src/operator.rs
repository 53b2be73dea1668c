//! Who operates the exchange, and the way of a command to its journal.

use crate::Shared;
use crate::what::push_text;
use buttonwood_engine::{
    ApprovalError, Body, Command, Made, Note, PROPOSALS_MAX, Proposal, Proposed, Reject,
};
use buttonwood_gate::{Reason, Refusal};
use buttonwood_wire::field::{bad_value, busy, failed, no_space};
use std::ops::Deref;

/// How the audit shows that a command was only proposed.
pub(crate) const PROPOSES: &str = "propose ";

/// An operator who does one thing. Each command that it sends is journaled as an act with who, what and why.
#[derive(Debug)]
pub struct Operator<'a> {
    shared: &'a Shared,
    note: Note,
    is_dry_run: bool,
    /// The number of the proposed command that is carried out; 0 for any other act.
    approves: u64,
}

impl Deref for Operator<'_> {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        self.shared
    }
}

impl<'a> Operator<'a> {
    /// An operator who does what the note says.
    pub fn new(shared: &'a Shared, note: Note) -> Self {
        Self { shared, note, is_dry_run: false, approves: 0 }
    }

    /// The same; with `is_dry_run`, what is sent is decided and not done.
    #[must_use]
    pub fn dry_run(self, is_dry_run: bool) -> Self {
        Self { is_dry_run, ..self }
    }

    /// Who acts, what and why.
    pub(crate) fn the_note(&self) -> &Note {
        &self.note
    }

    /// The same operator, who only checks.
    pub(crate) fn checking(&self) -> Self {
        Self { note: self.note.clone(), is_dry_run: true, ..*self }
    }

    /// The same operator, whose act is in the audit as a proposal.
    pub(crate) fn proposing(&self) -> Self {
        let what = format!("{PROPOSES}{}", self.note.what);
        Self { note: Note { what, ..self.note.clone() }, ..*self }
    }

    /// The same operator, who approves this: the audit names the proposer and what was proposed.
    pub(crate) fn approving(&self, proposal: &Proposal, shown: &str) -> Self {
        let mut what = self.note.what.clone();
        push_text(&mut what, "proposer", &proposal.who);
        push_text(&mut what, "what", shown);
        let approves = if matches!(proposal.what, Proposed::Command(_)) { proposal.id } else { 0 };
        Self { note: Note { what, ..self.note.clone() }, approves, ..*self }
    }

    /// Whether what is guarded takes two operators.
    pub(crate) fn needs_two(&self) -> bool {
        self.exchange.views().state().operations().approvals() == 2
    }

    /// Whether nothing may be changed. A command that changes anything outside the journal must check this.
    pub fn is_dry_run(&self) -> bool {
        self.is_dry_run
    }

    /// Sends a command and waits until it is durable. `refuse` words the rejects that are the command's own.
    ///
    /// # Errors
    /// The refusal.
    pub async fn send(
        &self,
        body: impl Into<Body>,
        refuse: impl FnOnce(Reject) -> Option<Refusal>,
    ) -> Result<(), Refusal> {
        self.make(body, refuse).await.map(|_| ())
    }

    /// The same; the answer is what the command made. In a dry run it is what the command would make.
    ///
    /// # Errors
    /// The refusal.
    pub async fn make(
        &self,
        body: impl Into<Body>,
        refuse: impl FnOnce(Reject) -> Option<Refusal>,
    ) -> Result<Made, Refusal> {
        let decided = self.decide(Some(body.into())).await?;
        decided.map_err(|reject| refuse(reject).unwrap_or_else(|| self.refused(reject)))
    }

    /// Notes an act that changes nothing in the journal itself.
    ///
    /// # Errors
    /// The refusal, when nothing can be journaled now.
    pub async fn note(&self) -> Result<(), Refusal> {
        self.decide(None).await?.map(|_| ()).map_err(|reject| self.refused(reject))
    }

    /// Decides an act, and makes it durable unless this is a dry run.
    ///
    /// # Errors
    /// The refusal of an exchange that is busy or stopping.
    pub async fn decide(&self, body: Option<Body>) -> Result<Result<Made, Reject>, Refusal> {
        let command =
            Command { caller: None, body: Body::approving_act(self.note.clone(), body, self.approves) };
        if self.is_dry_run {
            return Ok(self.exchange.try_out(&command));
        }
        let pending = self.exchange.submit(command).map_err(|_| busy("The exchange is busy"))?;
        let receipt = pending.await.map_err(|_| busy("The exchange is stopping"))?;
        Ok(receipt.made())
    }

    /// Waits until what is due has run, such as a day of interest that waited for money. A dry run has changed nothing.
    pub async fn catch_up(&self) {
        if !self.is_dry_run
            && let Ok(caught_up) = self.exchange.advance(self.exchange.now())
        {
            let _ = caught_up.await;
        }
    }

    /// The refusal of a command that has no words of its own for it.
    fn refused(&self, reject: Reject) -> Refusal {
        if let Reject::Operation(error) = reject {
            return not_approved(error, self.approves);
        }
        if reject == Reject::NoRoom { no_space() } else { failed() }
    }
}

/// The refusal of a proposal, or of its approval.
pub(crate) fn not_approved(error: ApprovalError, id: u64) -> Refusal {
    let expected = match error {
        ApprovalError::OwnProposal => "one that another user made",
        ApprovalError::Unknown => {
            let message = format!("Field 'proposal' must be the number of one that waits: {id}");
            return Refusal::new(Reason::EndpointNotFound, message);
        }
        ApprovalError::TooMany => {
            let message = format!("{PROPOSALS_MAX} proposals wait for an approval, and no more can");
            return Refusal::new(Reason::InvalidParameterValue, message);
        }
        ApprovalError::NoOperator => {
            return Refusal::new(Reason::MissingRole, "Only an operator may make this call");
        }
        ApprovalError::NoOsUser => {
            let message = "Where two operators are needed, this takes one who is a known user of the machine too: \
                 'admin user operator EMAIL on --os-user NAME' says so";
            return Refusal::new(Reason::MissingRole, message);
        }
    };
    bad_value("proposal", expected, &id.to_string())
}
