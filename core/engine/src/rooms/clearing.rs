//! OTC clearing in the engine.

use crate::advances::Meter;
use crate::decide::{Decide, Evolve};
use crate::evolve::take_id;
use crate::{Desks, Note, Outcome, Reject, State, Workspace, advances};
use alloc::vec::Vec;
use buttonwood_access::{self as access, Caller};
use buttonwood_clearing::{self as clearing, Clearing, Client, Command, Infrequent, Judge};
use buttonwood_funds::Made;
use buttonwood_model::{AccountId, CurrencyId, Side, Stamp, Symbol, Time};
use buttonwood_num::Money;
use buttonwood_room::{Context, ContextMut};

/// What groups with open advances give up in settlements (D-181).
struct Bounds<'a> {
    state: &'a State,
    meter: Meter,
}

impl Judge for Bounds<'_> {
    fn allows(&mut self, parties: [(AccountId, Side); 2], symbol: &Symbol, amounts: (Money, Money)) -> bool {
        self.state.desks.judge_clearing(&mut self.meter, &self.state.floor, parties, symbol, amounts)
    }
}

impl Decide for Command {
    fn by_key(&self, state: &State, now: Time, caller: &Caller, work: &mut Workspace) -> Outcome {
        let Some(account) = caller.account else { return Outcome::Rejected(Reject::Unknown) };
        if state.access.is_closed(account) {
            return Outcome::Rejected(Reject::Access(access::Reject::Closed));
        }
        let mut bounds = Bounds { state, meter: Meter::new(now) };
        let context = state.of_clearing(now);
        match clearing::decide(&context, Client { account }, self, &mut bounds, &mut work.out) {
            Ok(answer) => {
                advances::note_meter(bounds.meter, &mut work.out);
                Outcome::Clearing(answer)
            }
            Err(reject) => Outcome::Rejected(Reject::Clearing(reject)),
        }
    }

    fn by_exchange(
        &self,
        state: &State,
        now: Time,
        _note: Option<&Note>,
        work: &mut Workspace,
    ) -> Result<Made, Reject> {
        let mut bounds = Bounds { state, meter: Meter::new(now) };
        clearing::decide_own(&state.of_clearing(now), self, &mut bounds, &mut work.out)
            .map_err(Reject::Clearing)?;
        advances::note_meter(bounds.meter, &mut work.out);
        Ok(Made::Nothing)
    }
}

impl Evolve for Infrequent {
    fn apply(self, state: &mut State, stamp: Stamp) {
        if let Some(used) = self.used_id() {
            take_id(state, used);
        }
        let (seed, time) = (state.seed(), stamp.time);
        let State { clearing: room, desks, access, floor, next_id, .. } = state;
        let (symbols, next_id) = (floor.symbols.listed(), *next_id);
        let Desks { ledger, advances, indices, .. } = desks;
        let context = ContextMut { room, ledger, access, advances, indices, symbols, seed, next_id, time };
        clearing::evolve(context, self);
        state.desks.repay();
    }
}

impl State {
    /// OTC clearing: what is open or waits for money.
    pub fn clearing(&self) -> &Clearing {
        &self.clearing
    }

    /// The context of a decision about clearing.
    pub(crate) fn of_clearing(&self, time: Time) -> Context<'_, Clearing> {
        self.context(&self.clearing, time)
    }

    /// What each side of a clearing order lacks now: account, currency and amount.
    pub fn lacking_in_clearing(&self, order: &clearing::Order) -> Vec<(AccountId, CurrencyId, Money)> {
        let Some(symbol) = self.symbol(order.symbol) else { return Vec::new() };
        let sides = [(clearing::Party::Source, Some(order.source)), (clearing::Party::Target, order.target)];
        let lacks = |(party, account): (clearing::Party, Option<AccountId>)| {
            let account = account?;
            let (currency, amount) = order.gives(party, symbol, self.clearing.fee())?;
            let lack = amount.checked_sub(self.leave().free(account, currency))?;
            (lack > Money::ZERO).then_some((account, currency, lack))
        };
        sides.into_iter().filter_map(lacks).collect()
    }
}
