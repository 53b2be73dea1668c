//! Money that enters and leaves, in the engine.

use crate::decide::{Decide, Evolve};
use crate::evolve::repay;
use crate::{Desks, Note, Outcome, Reject, State, Workspace};
use alloc::vec::Vec;
use buttonwood_access::Caller;
use buttonwood_funds::{self as funds, Command, Infrequent, Made, Sender};
use buttonwood_model::{AccountId, CancelReason, CurrencyId, Stamp, Time, TradeId};
use buttonwood_num::Money;
use buttonwood_room::ContextMut;
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
        let Desks { ledger, advances, indices, .. } = desks;
        let mut context =
            ContextMut { room, ledger, access, advances, indices, symbols, seed, next_id, time };
        funds::evolve(&mut context, self);
        if let Some(account) = debtor {
            note_debt(state, account, time);
            recover(state, account, &owed);
        }
        repay(state);
        // An advance that completes raises what may leave, and so does a debt that was repaid.
        for account in state.funds.take_changed().into_iter().chain(debtor) {
            state.look_again_at(account);
        }
    }
}

/// Has the stakes of an account repay what it owes more than before (D-167).
fn recover(state: &mut State, account: AccountId, before: &[(CurrencyId, Money)]) {
    let is_more = |now: &(CurrencyId, Money)| {
        let owed = before.iter().find(|(currency, _)| *currency == now.0);
        owed.is_none_or(|(_, owed)| now.1 > *owed)
    };
    if state.funds.debts_of(account).any(|now| is_more(&now)) {
        state.staking.note_debtor(account);
    }
}

/// Notes what an account owes for returned advances. One that owes more may be below maintenance.
fn note_debt(state: &mut State, account: AccountId, time: Time) {
    let before = state.desks.debt(account);
    state.note_debt(account);
    if state.desks.debt(account) > before && !state.indices().latest().is_empty() {
        state.desks.spot_margin.look_through(time);
        state.desks.perps.look_through(time);
    }
}
