//! The opening of the exchange, and the move of a manual clock.

use crate::decide::{Decide, Evolve};
use crate::{Founded, Founding, Note, Opening, Reject, State, Workspace};
use buttonwood_funds::Made;
use buttonwood_ledger as ledger;
use buttonwood_model::{Stamp, Time};
use buttonwood_trading::{self as trading, Fees};

impl Decide for Founding {
    fn by_exchange(
        &self,
        state: &State,
        _now: Time,
        _note: Option<&Note>,
        work: &mut Workspace,
    ) -> Result<Made, Reject> {
        match self {
            Self::Open(opening) => open(state, opening, work)?,
            // The command has no event: its stamp moves the state's time.
            Self::MoveClock => {}
        }
        Ok(Made::Nothing)
    }
}

fn open(state: &State, opening: &Opening, work: &mut Workspace) -> Result<(), Reject> {
    if state.opening.is_some() {
        return Err(Reject::NotNow);
    }
    if !opening.fees.is_valid() {
        return Err(Reject::Trading(trading::Reject::BadFees));
    }
    work.out.push_named(&Founded::Opened(*opening));
    for house in crate::houses() {
        work.out.push_named(&ledger::Infrequent::HouseOpened(house.name.into(), house.may_be_negative));
    }
    Ok(())
}

impl Evolve for Founded {
    fn apply(self, state: &mut State, _stamp: Stamp) {
        let Self::Opened(opening) = self;
        state.opening = Some(opening);
        state.floor.fees = Fees::new(opening.fees);
        state.floor.orders.set_key(opening.hash_key);
        state.note_sources_needed();
    }
}
