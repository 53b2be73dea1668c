//! People and apps in the engine.

use crate::decide::{Decide, Evolve};
use crate::{Desks, Note, Outcome, Reject, State, Workspace, operations};
use buttonwood_access::{self as access, Caller};
use buttonwood_funds::Made;
use buttonwood_identity::{self as identity, Command, Infrequent};
use buttonwood_model::{GroupId, Stamp, Time};
use buttonwood_room::ContextMut;

/// Whether only a sandbox takes the command: the code that always passes, a session or a grant without its factors, test balances, sessions that a
/// clock does not end (SBX-007).
fn is_of_sandbox(command: &Command) -> bool {
    match command {
        Command::UseCode(used) => used.proof.is_bypass(),
        Command::Open(new) => new.is_full,
        Command::Grant(_) | Command::KeepBrowsers(_) => true,
        Command::Confirm(confirm) => !confirm.credit.is_empty(),
        Command::AddUser(_)
        | Command::Invite(..)
        | Command::ChangeUser(..)
        | Command::SignUp(..)
        | Command::AskReset(..)
        | Command::Reset(..)
        | Command::SetPassword(..)
        | Command::Fail(_)
        | Command::Enrol(_)
        | Command::Choose(..)
        | Command::EndBrowsers(_)
        | Command::AddApp(_)
        | Command::SetAppSecret(..)
        | Command::DeleteApp(_)
        | Command::ReviewApp(..)
        | Command::Issue(_)
        | Command::Exchange(_)
        | Command::Refresh(_)
        | Command::Revoke(..)
        | Command::EndGrant(..)
        | Command::RevokeByToken
        | Command::Forget
        | Command::AddPasskey(_)
        | Command::UsePasskey(_)
        | Command::RemovePasskey(..)
        | Command::ResetFactors(_)
        | Command::SetPreferences(..)
        | Command::StopSessions(_) => false,
    }
}

impl Decide for Command {
    /// An access token ends what its app has.
    fn by_key(&self, state: &State, now: Time, caller: &Caller, work: &mut Workspace) -> Outcome {
        let context = state.context(&state.identity, now);
        match identity::decide_held(&context, caller, self, &mut work.out) {
            Ok(()) => Outcome::Done,
            Err(reject) => Outcome::Rejected(Reject::Identity(reject)),
        }
    }

    fn by_exchange(
        &self,
        state: &State,
        now: Time,
        _note: Option<&Note>,
        work: &mut Workspace,
    ) -> Result<Made, Reject> {
        let is_sandbox = state.is_sandbox();
        if is_of_sandbox(self) && !is_sandbox {
            return Err(Reject::Identity(identity::Reject::Unknown));
        }
        let context = state.context(&state.identity, now);
        identity::decide(&context, self, &mut work.out).map_err(Reject::Identity)?;
        if let Self::ChangeUser(user, change) = self
            && (change.is_disabled == Some(true) || change.is_operator == Some(false))
        {
            operations::withdraw_of(state, *user, &mut work.out);
        }
        // The group of a sign-up waits for an operator. Those of a sandbox do not.
        if matches!(self, Self::Confirm(_)) && !is_sandbox {
            let group = GroupId::from_index(state.access.groups().len());
            work.out.push_named(&access::Infrequent::GroupHeld(group));
        }
        Ok(Made::Nothing)
    }
}

impl Evolve for Infrequent {
    fn apply(self, state: &mut State, stamp: Stamp) {
        let (seed, time) = (state.seed(), stamp.time);
        let State { identity: room, desks, access, floor, next_id, .. } = state;
        let (symbols, next_id) = (floor.symbols.listed(), *next_id);
        let Desks { ledger, advances, indices, .. } = desks;
        let mut context =
            ContextMut { room, ledger, access, advances, indices, symbols, seed, next_id, time };
        identity::evolve(&mut context, self);
    }
}
