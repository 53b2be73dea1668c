//! Money that enters and leaves, in the engine.

use crate::decide::{Decide, Evolve};
use crate::{Desks, Note, Outcome, Reject, State, Workspace};
use alloc::vec::Vec;
use buttonwood_access::{AccountKind, Caller};
use buttonwood_funds::{self as funds, Command, Infrequent, Made, Sender};
use buttonwood_model::{AccountId, CancelReason, CurrencyId, Stamp, Time, TradeId};
use buttonwood_num::Money;
use buttonwood_room::{ContextMut, Debt};
use buttonwood_trading::cancel;

/// Whether only a sandbox takes the command: an approved address without the time of its hold (D-298).
fn is_of_sandbox(command: &Command) -> bool {
    matches!(command, Command::Approval(funds::approval::Command::WaiveApprovalHold(_)))
}

impl Decide for Command {
    fn by_key(&self, state: &State, now: Time, caller: &Caller, work: &mut Workspace) -> Outcome {
        match funds::decide(&state.of_funds(now), Sender::Key(caller), self, &mut work.out) {
            Ok(made) => Outcome::Funds(made),
            Err(reject) => Outcome::Rejected(Reject::Funds(reject)),
        }
    }

    fn by_exchange(
        &self,
        state: &State,
        now: Time,
        _note: Option<&Note>,
        work: &mut Workspace,
    ) -> Result<Made, Reject> {
        if is_of_sandbox(self) && !state.is_sandbox() {
            return Err(Reject::Unknown);
        }
        let Workspace { out, planner } = work;
        let made = funds::decide(&state.of_funds(now), Sender::Exchange, self, out).map_err(Reject::Funds)?;
        if let Made::Loan(account) = made {
            // Money that its orders held repays the loan (D-167).
            cancel::forced(state.market(now), account, CancelReason::Requested, planner, out);
        }
        Ok(made)
    }
}

impl Evolve for Infrequent {
    fn apply(self, state: &mut State, stamp: Stamp) {
        let (seed, time) = (state.seed(), stamp.time);
        let State { funds: room, desks, access, floor, next_id, .. } = state;
        let (symbols, next_id) = (floor.symbols.listed(), *next_id);
        room.note_next_trade(TradeId(next_id));
        let debtor = room.debtor_of(&self);
        let owed: Vec<_> = debtor.into_iter().flat_map(|account| room.debts_of(account)).collect();
        let dollars = debtor.map(|account| desks.debt(account));
        let Desks { ledger, advances, indices, .. } = desks;
        let mut context =
            ContextMut { room, ledger, access, advances, indices, symbols, seed, next_id, time };
        funds::evolve(&mut context, self);
        if let Some((account, dollars)) = debtor.zip(dollars) {
            note_debt(state, account, (&owed, dollars));
        }
        state.desks.repay();
        state.note_freed(debtor);
    }
}

/// Notes what an account owes for returned advances, and owed before: in each currency, and in dollars.
fn note_debt(state: &mut State, account: AccountId, (owed, dollars): (&[(CurrencyId, Money)], Money)) {
    let is_more = |(currency, now): (CurrencyId, Money)| {
        let before = owed.iter().find(|(owed, _)| *owed == currency);
        before.is_none_or(|(_, before)| now > *before)
    };
    let is_more = state.funds.debts_of(account).any(is_more);
    let kind = state.desks.kind(account);
    let is_counted = matches!(kind, AccountKind::Margin | AccountKind::Derivatives);
    let now = state.debt_of(account);
    let is_weaker = is_counted && now > dollars && !state.indices().latest().is_empty();
    state.desks.changes().debts.push(Debt { account, kind, dollars: now, is_more, is_weaker });
}

impl State {
    /// Notes accounts from which more may leave: their rows changed, or they are these.
    pub(crate) fn note_freed(&mut self, accounts: impl IntoIterator<Item = AccountId>) {
        let mut freed = self.funds.take_changed().into_iter().chain(accounts).peekable();
        if freed.peek().is_some() {
            self.desks.changes().freed.extend(freed);
        }
    }
}
