//! The foreign exchange rates in the engine.

use crate::decide::{Decide, Evolve};
use crate::{Note, Reject, State, Workspace};
use buttonwood_funds::Made;
use buttonwood_model::{Stamp, Time};
use buttonwood_rates::{self as rates, Command, Infrequent};

impl Decide for Command {
    fn by_exchange(
        &self,
        state: &State,
        _now: Time,
        _note: Option<&Note>,
        work: &mut Workspace,
    ) -> Result<Made, Reject> {
        rates::decide(state.rates(), self, &mut work.out).map_err(Reject::Rates)?;
        Ok(Made::Nothing)
    }
}

impl Evolve for Infrequent {
    fn apply(self, state: &mut State, _stamp: Stamp) {
        rates::evolve(&mut state.floor.rates, state.next_id, self);
    }
}
