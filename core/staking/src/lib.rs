//! Staking: an account stakes coins with a provider, which earn interest each day, and redeems them later (STK-001 to STK-021).
//!
//! What is staked lies in the house account `staking_pool`, with what redemptions still owe. Interest is paid from `staking_rewards` alone.
//! The state keeps what is open; the history has the rest.
//!
//! Not here: who may call, and the rows of the history.
#![no_std]
#![cfg_attr(
    not(test),
    deny(
        clippy::expect_used,
        clippy::unwrap_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::unreachable
    )
)]
extern crate alloc;

mod accrue;
mod command;
mod day;
mod expected;
mod money;
mod pair;
mod price;
mod provider;
mod queue_totals;
mod redeem;
mod room;
mod row;
mod stake;
mod state;
mod terms;

pub use accrue::{Accrued, Counted, DayEnded, Interest};
pub use buttonwood_leave::{ALL, Short};
pub use command::{Answer, Command, Infrequent, Receipt, Reject, decide, decide_own, evolve};
pub use day::accrual_time;
pub use pair::{Ended, Pair};
pub use provider::{NoProvider, PairId, Provider};
pub use redeem::{OPEN_MAX, Paid, Payment, Redeemed, Redemption};
pub use room::UnequalPool;
pub use stake::{Request, Staked};
pub use state::Staking;
pub use terms::{PAIRS_MAX, PairTerms, Rate, Terms, WAIT_MAX};
