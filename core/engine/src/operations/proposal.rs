//! Commands that take effect only when a second operator approves them (D-144, D-184, Q-205).
//!
//! A resumption and a symbol's status are known to the core. A key is made at once, disabled, and enabled by its approval. Every other
//! guarded command is kept as it was sent: the edge, whose catalogue says which commands are guarded, runs it again for the operator
//! who approves, so it is judged by the state of that moment, and its act names the proposal ([`Act::approves`](crate::Act)).

use super::Operated;
use crate::{Body, Note, Operation, Operations, Reject, State};
use alloc::string::String;
use buttonwood_access::{self as access, Standing};
use buttonwood_funds::{self as funds, Scope, halt};
use buttonwood_identity::UserId;
use buttonwood_model::{BytesRef, Due, Outbox, Phase, SessionId, SymbolId, SymbolStatus, Time};
use buttonwood_room::{Context, Room};
use buttonwood_trading::Command as TradingCommand;
use core::convert::Infallible;
use serde::{Deserialize, Serialize};

/// After this time a proposal can no longer be approved.
pub const PROPOSAL_AGE: u64 = 24 * 3_600 * Time::SECOND;

/// Proposals of commands and keys that wait at once, at most.
pub const PROPOSALS_MAX: usize = 1_000;

/// A guarded command of the operators' catalogue, as it was sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardedCommand {
    /// Its name in the catalogue.
    pub name: String,
    /// Its arguments: a JSON object, which the core does not read.
    pub arguments: String,
}

/// A command that takes effect only when a second operator approves it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Proposed {
    /// The exchange is resumed.
    Resume,
    /// A symbol gets a status.
    Status(SymbolId, SymbolStatus),
    /// Withdrawals, or what an asset's halt has stopped, are resumed.
    ResumeScope(Scope),
    /// A command of the catalogue runs.
    Command(GuardedCommand),
    /// A new key, which is disabled until then, may be used.
    Key(SessionId),
}

impl Proposed {
    /// Its command; none where the edge runs it.
    fn body(&self) -> Option<Body> {
        match self {
            Self::Resume => Some(Operation::Resume.into()),
            Self::Status(symbol, status) => Some(TradingCommand::SetSymbolStatus(*symbol, *status).into()),
            Self::ResumeScope(scope) => Some(funds::Command::from(halt::Command::Resume(*scope)).into()),
            Self::Key(session) => Some(access::Command::EnableSession(*session).into()),
            Self::Command(_) => None,
        }
    }

    /// The key that waits.
    pub fn key(&self) -> Option<SessionId> {
        if let Self::Key(session) = self { Some(*session) } else { None }
    }

    /// Whether both are about the same thing, so that neither makes sense after the other took effect.
    pub(super) fn is_about_the_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Status(one, _), Self::Status(another, _)) => one == another,
            (one, other) => one == other,
        }
    }
}

/// A proposal that waits for an approval. New fields go at the end: the record `operations.proposed` ends with them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// Its number; they count from 1.
    pub id: u64,
    /// The proposed command.
    pub what: Proposed,
    /// When.
    pub time: Time,
    /// By whom.
    pub who: String,
    /// Why.
    pub why: String,
    /// The command and its arguments, as the audit shows them; empty in a proposal of an earlier build.
    pub text: String,
    /// The operator who signed in to propose it; none for a user of the machine.
    pub user: Option<UserId>,
    /// The user of the machine who that operator was then; empty without one.
    pub os_user: String,
}

impl Proposal {
    /// When it can no longer be approved.
    pub fn expires(&self) -> Time {
        self.time.plus(PROPOSAL_AGE)
    }
}

/// Why a proposal is not made or not approved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApprovalError {
    /// No proposal with this number waits.
    Unknown,
    /// The user who proposed it cannot approve it.
    OwnProposal,
    /// [`PROPOSALS_MAX`] proposals wait.
    TooMany,
    /// The user who signed in is no operator any more.
    NoOperator,
    /// The operator who signed in is no known user of the machine, so it could be one operator under two names.
    NoOsUser,
}

/// The user of the machine who an operator is. Who signed in must be an operator, and tied to such a user where it takes two operators.
///
/// # Errors
/// [`ApprovalError::NoOperator`], [`ApprovalError::NoOsUser`].
fn os_user<'a>(state: &'a State, note: &'a Note) -> Result<&'a str, ApprovalError> {
    let Some(user) = note.user else { return Ok(&note.who) };
    let operator = state.identity.operator(user).ok_or(ApprovalError::NoOperator)?;
    if operator.os_user.is_empty() { Err(ApprovalError::NoOsUser) } else { Ok(&operator.os_user) }
}

impl State {
    /// The proposal of this number, if this operator may approve it now. One operator may have two names, the e-mail address and the user
    /// of the machine, and approves under neither what was proposed under the other; a proposer who signed in must be an operator still.
    ///
    /// # Errors
    /// [`ApprovalError`].
    pub fn approvable(&self, now: Time, id: u64, approver: &Note) -> Result<&Proposal, ApprovalError> {
        let found = self.operations.proposals(now).find(|proposal| proposal.id == id);
        let found = found.ok_or(ApprovalError::Unknown)?;
        let own = [approver.who.as_str(), os_user(self, approver)?];
        let proposer = match found.user {
            Some(user) => self.identity.operator(user).ok_or(ApprovalError::Unknown)?.os_user.as_str(),
            None => "",
        };
        let is_own = |name: &str| !name.is_empty() && own.contains(&name);
        if [&found.who, &found.os_user, proposer].into_iter().any(is_own) {
            return Err(ApprovalError::OwnProposal);
        }
        Ok(found)
    }
}

/// The command that an operator only proposes; none where it takes effect at once, also because it would change nothing.
pub(crate) fn proposed(state: &State, body: &Body) -> Option<Proposed> {
    if !state.operations.two_needed {
        return None;
    }
    if let Body::Trading(TradingCommand::SetSymbolStatus(symbol, status)) = body {
        let changes = state.symbol(*symbol).is_some_and(|symbol| symbol.status != *status);
        return changes.then_some(Proposed::Status(*symbol, *status));
    }
    if let Body::Funds(funds::Command::Halt(halt::Command::Resume(scope))) = body {
        return state.funds().halts().has(*scope).then_some(Proposed::ResumeScope(*scope));
    }
    let resumes = *body == Body::Operation(Operation::Resume) && state.operations.is_halted();
    resumes.then_some(Proposed::Resume)
}

/// Withdraws the proposals that an operator's command makes void: to resume what it halts, as a halt of trading does, and to let a key
/// be used whose standing it sets.
pub(crate) fn withdraw<E: From<BytesRef>>(state: &State, body: &Body, out: &mut Outbox<E>) {
    let void = if let Body::Funds(funds::Command::Halt(halt::Command::Halt(scope))) = body {
        Proposed::ResumeScope(*scope)
    } else if let Body::Access(
        access::Command::EnableSession(session)
        | access::Command::DisableSession { session, .. }
        | access::Command::EndSession { session, .. },
    ) = body
    {
        Proposed::Key(*session)
    } else {
        return;
    };
    for proposal in state.operations.proposals.iter().filter(|proposal| proposal.what == void) {
        out.push_named(&Operated::Withdrawn(proposal.id));
    }
}

/// Withdraws the proposals of a user who is no operator any more, so that another operator can propose the same again. A key that waits ends
/// by its time.
pub(crate) fn withdraw_of<E: From<BytesRef>>(state: &State, user: UserId, out: &mut Outbox<E>) {
    let of_user = |proposal: &&Proposal| proposal.user == Some(user) && proposal.what.key().is_none();
    for proposal in state.operations.proposals.iter().filter(of_user) {
        out.push_named(&Operated::Withdrawn(proposal.id));
    }
}

/// Proposes something that could take effect now. A proposal that waits already is not made again.
///
/// # Errors
/// [`ApprovalError::TooMany`], [`ApprovalError::NoOperator`], [`ApprovalError::NoOsUser`].
pub(crate) fn propose<E: From<BytesRef>>(
    state: &State,
    now: Time,
    what: Proposed,
    note: &Note,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let os_user = os_user(state, note).map_err(Reject::Operation)?;
    let operations = &state.operations;
    if operations.proposals(now).any(|waiting| waiting.what == what) {
        return Ok(());
    }
    let is_bounded = |what: &Proposed| matches!(what, Proposed::Command(_) | Proposed::Key(_));
    let waiting = operations.proposals(now).filter(|proposal| is_bounded(&proposal.what)).count();
    if is_bounded(&what) && waiting >= PROPOSALS_MAX {
        return Err(Reject::Operation(ApprovalError::TooMany));
    }
    let id = operations.proposed + 1;
    let os_user = note.user.map_or(String::new(), |_| os_user.into());
    let Note { who, what: text, why, user } = note.clone();
    let proposal = Proposal { id, what, time: now, who, why, text, user, os_user };
    out.push_named(&Operated::Proposed(proposal));
    Ok(())
}

/// Proposes the key whose session was just decided: it is disabled until its approval.
///
/// # Errors
/// [`ApprovalError::TooMany`], and [`Reject::Unknown`] where one operator is enough.
pub(crate) fn propose_key<E: From<BytesRef>>(
    state: &State,
    now: Time,
    note: Option<&Note>,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let note = note.filter(|_| state.operations.two_needed).ok_or(Reject::Unknown)?;
    let session = SessionId::from_index(state.access.sessions().len());
    out.push_named(&access::Infrequent::SessionDisabled(session));
    propose(state, now, Proposed::Key(session), note, out)
}

/// The command of a proposal that this user may approve now, where the core knows it.
pub(crate) fn approved(state: &State, now: Time, id: u64, approver: &Note) -> Result<Body, ApprovalError> {
    state.approvable(now, id, approver)?.what.body().ok_or(ApprovalError::Unknown)
}

impl Room for Operations {
    type Command = Operation;
    type BrokenLaw = Infallible;
    type Found = ();

    /// The end of the oldest key that was not approved in time.
    fn next_due(&self, _context: &Context<'_, Self>) -> impl Iterator<Item = Due<Operation>> {
        let oldest = self.proposals.iter().find(|proposal| proposal.what.key().is_some());
        let expire = |oldest: &Proposal| {
            Due::step(oldest.expires(), Phase::Approvals, Operation::ExpireKey(oldest.id))
        };
        oldest.map(expire).into_iter()
    }
}

/// Ends a key that was not approved in time.
pub(crate) fn expire<E: From<BytesRef>>(
    state: &State,
    now: Time,
    id: u64,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let found = state.operations.proposals.iter().find(|proposal| proposal.id == id);
    let due = found.filter(|proposal| now >= proposal.expires()).ok_or(Reject::NotNow)?;
    let session = due.what.key().ok_or(Reject::NotNow)?;
    if state.access.session(session).is_some_and(|found| found.standing() == Standing::Disabled) {
        out.push_named(&access::Infrequent::SessionEnded(session));
    }
    out.push_named(&Operated::Expired(id));
    Ok(())
}
