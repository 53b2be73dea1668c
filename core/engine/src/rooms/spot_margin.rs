//! Spot margin in the engine.

use crate::decide::{Decide, Evolve};
use crate::evolve::take_id;
use crate::{Desks, Note, Reject, State, Workspace};
use buttonwood_funds::Made;
use buttonwood_model::{Stamp, Time};
use buttonwood_spot_margin::{self as spot_margin, Command, Infrequent};

impl Decide for Command {
    fn by_exchange(
        &self,
        state: &State,
        now: Time,
        _note: Option<&Note>,
        work: &mut Workspace,
    ) -> Result<Made, Reject> {
        let context = state.context(state.spot_margin(), now);
        let Workspace { out, planner } = work;
        spot_margin::decide(&context, state.market(now), self, planner, out).map_err(Reject::SpotMargin)?;
        Ok(Made::Nothing)
    }
}

impl Evolve for Infrequent {
    fn apply(self, state: &mut State, stamp: Stamp) {
        for id in self.ids() {
            take_id(state, id);
        }
        let sets_coins = matches!(self, Self::CoinsSet(_));
        let Desks { spot_margin, ledger, .. } = &mut state.desks;
        spot_margin::evolve(spot_margin, ledger, self);
        if sets_coins {
            state.note_listed();
            state.desks.indices.note_change(stamp.time);
        }
    }
}
