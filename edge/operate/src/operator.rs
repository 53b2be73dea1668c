//! Who operates the exchange, and the way of a command to its journal.

use crate::Shared;
use buttonwood_engine::{Body, Command, Made, Note, Outcome, Reject};
use buttonwood_gate::Refusal;
use buttonwood_wire::field::{busy, failed, no_space};
use std::ops::Deref;

/// An operator who does one thing. What it sends is journaled as an act with who, what and why.
#[derive(Debug)]
pub struct Operator<'a> {
    shared: &'a Shared,
    note: Note,
    is_dry_run: bool,
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
        Self { shared, note, is_dry_run: false }
    }

    /// The same; with `is_dry_run`, what is sent is decided and not done.
    #[must_use]
    pub fn dry_run(self, is_dry_run: bool) -> Self {
        Self { is_dry_run, ..self }
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
        decided.map_err(|reject| refuse(reject).unwrap_or_else(|| refused(reject)))
    }

    /// Notes an act that changes nothing in the journal itself.
    ///
    /// # Errors
    /// The refusal, when nothing can be journaled now.
    pub async fn note(&self) -> Result<(), Refusal> {
        self.decide(None).await?.map(|_| ()).map_err(refused)
    }

    /// Decides an act, and makes it durable unless this is a dry run.
    ///
    /// # Errors
    /// The refusal of an exchange that is busy or stopping.
    pub async fn decide(&self, body: Option<Body>) -> Result<Result<Made, Reject>, Refusal> {
        let command = Command { caller: None, body: Body::act(self.note.clone(), body) };
        if self.is_dry_run {
            return only_done(&self.exchange.try_out(&command));
        }
        let pending = self.exchange.submit(command).map_err(|_| busy("The exchange is busy"))?;
        let receipt = pending.await.map_err(|_| busy("The exchange is stopping"))?;
        only_done(&receipt.outcome)
    }
}

/// The refusal of a command that has no words of its own for it.
fn refused(reject: Reject) -> Refusal {
    if reject == Reject::NoRoom { no_space() } else { failed() }
}

/// No act places an order or converts.
fn only_done<O, C>(outcome: &Outcome<O, C>) -> Result<Result<Made, Reject>, Refusal> {
    match outcome {
        Outcome::Done => Ok(Ok(Made::Nothing)),
        Outcome::Funds(made) => Ok(Ok(*made)),
        Outcome::Rejected(reject) => Ok(Err(*reject)),
        Outcome::Trading(_) | Outcome::Converted(_) => Err(failed()),
    }
}
