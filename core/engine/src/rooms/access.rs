//! The directory of groups, accounts and sessions in the engine.

use crate::decide::{Decide, Evolve, refuse};
use crate::{Note, Outcome, Reject, State, Workspace};
use buttonwood_access::{self as access, Caller, Command, Infrequent};
use buttonwood_clearing as clearing;
use buttonwood_funds::{Made, bank};
use buttonwood_ledger as ledger;
use buttonwood_model::{AccountId, SessionId, Stamp, Time};
use buttonwood_trading::cancel;

impl Decide for Command {
    /// The room knows the commands that keys may send.
    fn by_key(&self, state: &State, now: Time, caller: &Caller, work: &mut Workspace) -> Outcome {
        if let Self::KeepKey(act) = self
            && act.session().is_some_and(|session| state.operations.proposed_keys().any(|key| key == session))
        {
            // A key that waits for the approval of a second operator is no user's yet (D-184).
            return refuse(caller, access::Reject::Unknown, work);
        }
        match access::decide(&state.access, (now, state.seed()), Some(caller), self, &mut work.out) {
            Ok(()) => {
                if let Some(session) = self.cancels_orders_of() {
                    cancel_all_of(state, now, session, work);
                }
                Outcome::Done
            }
            Err(reject) => {
                work.out.undo();
                refuse(caller, reject, work)
            }
        }
    }

    fn by_exchange(
        &self,
        state: &State,
        now: Time,
        _note: Option<&Note>,
        work: &mut Workspace,
    ) -> Result<Made, Reject> {
        let drawn = (now, state.seed());
        access::decide(&state.access, drawn, None, self, &mut work.out).map_err(Reject::Access)?;
        if let Self::CloseAccount(account) = self {
            check_empty(state, *account).map_err(Reject::Access)?;
            clearing::cancel_named(&state.clearing, *account, now, &mut work.out);
        }
        if let Self::ApproveGroup(group) = self {
            bank::start_approved(&state.context(&state.funds, now), *group, &mut work.out);
        }
        if let Some(session) = self.cancels_orders_of() {
            cancel_all_of(state, now, session, work);
        }
        Ok(Made::Nothing)
    }
}

/// Cancels every live order of a session, of a master key in each account of its group.
fn cancel_all_of(state: &State, now: Time, session: SessionId, work: &mut Workspace) {
    let Some(owner) = state.access.session(session).map(|session| session.key.owner) else { return };
    let Workspace { out, planner } = work;
    let market = state.market(now);
    match owner {
        access::Owner::Account(account) => cancel::many(market, account, Some(session), planner, out),
        access::Owner::Group(group) => {
            for (account, _) in state.access.accounts_of(group) {
                cancel::many(market, account, Some(session), planner, out);
            }
        }
    }
}

/// Refuses to close an account that has live orders, money, a debt or transfers that are not done, since none of its keys could use them any more.
fn check_empty(state: &State, account: AccountId) -> Result<(), access::Reject> {
    if state.orders().of_account(account).next().is_some() {
        return Err(access::Reject::InUse("Trading"));
    }
    if let Some(room) = state.user_of(account) {
        return Err(access::Reject::InUse(room));
    }
    let currencies = state.ledger().balances_of(account).map(|(_, balance)| balance);
    let mut all = currencies.chain(state.ledger().claims_of(account).map(|(_, balance)| balance));
    if all.any(|balance| balance != ledger::Balance::default()) {
        return Err(access::Reject::InUse("Ledger"));
    }
    Ok(())
}

impl Evolve for Infrequent {
    fn apply(self, state: &mut State, stamp: Stamp) {
        let opens = matches!(self, Self::AccountOpened(_));
        if let Self::AccountClosed(account) = &self {
            state.desks.changes().closed.push(*account);
        }
        access::evolve(&mut state.access, stamp.time, self);
        if !opens {
            return;
        }
        let account = state.desks.ledger.open_account();
        state.floor.open_account(account);
        if let Some(opened) = state.access.account(account) {
            state.desks.note_kind(account, opened.kind);
            state.desks.note_group(account, opened.group);
        }
    }
}
