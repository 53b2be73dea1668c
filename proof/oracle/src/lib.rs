//! The oracle: a naive exchange written from the specification, and a generator whose commands both it and the core
//! get. For tests, fuzzing and simulation only; the product does not use it.
//!
//! [`Exchange`] drives the core, [`Naive`] is compared with it, [`Dealer`] generates commands from a seed or from
//! bytes, [`step`] runs one command on both and reports a difference.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what a test cannot do, fails it")]

mod borrowers;
mod breaks;
mod clearing;
mod compare;
mod counts;
mod dealer;
mod dice;
mod exchange;
mod house;
mod margin;
mod naive;
mod people;
mod perps;
mod predictions;
mod preview;
mod rewards;
mod staking;
mod worlds;

pub use borrowers::borrow;
pub use clearing::{ClearingCounts, clear};
pub use compare::{agree, compare, step};
pub use dealer::Dealer;
pub use dice::Dice;
pub use exchange::{Exchange, Happening, RoomEvents, Step, caller, fees_account, next_step, nonce};
pub use house::{HouseCounts, house};
pub use margin::{MarginCounts, MarginJudge};
pub use naive::{Naive, PerpFigures, PerpFill, PerpMarket, perp_average, perp_figures, perp_quantity};
pub use people::{Judged, People, PeopleCounts, PeopleDealer, found_people, people};
pub use perps::{PerpCounts, PerpJudge};
pub use predictions::{PredictionCounts, predict};
pub use preview::previews_compared;
pub use rewards::{RewardCounts, reward};
pub use staking::{StakingCounts, stake};
pub use worlds::{CALLS, DEEP, FINE, FUNDS, MAJORS, ODD, Range, World};
