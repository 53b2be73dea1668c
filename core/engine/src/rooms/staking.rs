//! Staking in the engine.

use crate::decide::{Decide, Evolve};
use crate::{Desks, Note, Outcome, Reject, State, Workspace};
use alloc::boxed::Box;
use buttonwood_access::Caller;
use buttonwood_funds::Made;
use buttonwood_ledger::STAKING_REWARDS;
use buttonwood_model::{Stamp, Time};
use buttonwood_room::{ContextMut, Given};
use buttonwood_staking::{self as staking, Command, Infrequent};

impl Decide for Command {
    fn by_key(&self, state: &State, now: Time, caller: &Caller, work: &mut Workspace) -> Outcome {
        let Some(account) = caller.account else { return Outcome::Rejected(Reject::Unknown) };
        match staking::decide(&state.context(&state.staking, now), account, self, &mut work.out) {
            Ok(answer) => Outcome::Staking(Box::new(answer)),
            Err(reject) => Outcome::Rejected(Reject::Staking(reject)),
        }
    }

    fn by_exchange(
        &self,
        state: &State,
        now: Time,
        _note: Option<&Note>,
        work: &mut Workspace,
    ) -> Result<Made, Reject> {
        let context = state.context(&state.staking, now);
        staking::decide_own(&context, self, &mut work.out).map_err(Reject::Staking)?;
        Ok(Made::Nothing)
    }
}

impl Evolve for Infrequent {
    fn apply(self, state: &mut State, stamp: Stamp) {
        let (seed, time) = (state.seed(), stamp.time);
        let State { staking: room, desks, access, floor, next_id, .. } = state;
        let (symbols, next_id) = (floor.symbols.listed(), *next_id);
        let Desks { ledger, advances, indices, .. } = desks;
        let mut context =
            ContextMut { room, ledger, access, advances, indices, symbols, seed, next_id, time };
        let rewards = context.ledger.house(STAKING_REWARDS.name);
        let given = if let (Self::Funded(currency, amount), Some(account)) = (&self, rewards) {
            let before = context.ledger.balance(account, *currency).available;
            Some(Given { account, asset: (*currency).into(), amount: *amount, before })
        } else {
            None
        };
        staking::evolve(&mut context, &self);
        if let Some(given) = given {
            state.desks.changes().given.push(given);
        }
    }
}
