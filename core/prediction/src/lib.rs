//! Prediction markets: events with contracts that pay a dollar for one outcome and nothing for the other (PM-001 to PM-036).
//!
//! A contract has two claims, on yes and on no, and one book, whose prices are those of yes. Claims are created and destroyed in pairs
//! only, each for a dollar in the contract's escrow, so that every claim is backed by a sum of real postings (INV-PRED-1, INV-PRED-2). The
//! claims of an account are in the ledger; this room keeps their costs, the events, and their way from the listing to the payout.
//!
//! Not here: what the floor does with every order (`trading`), the words of the interface, closed orders and paid positions (the history).
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

mod accrual;
mod bids;
mod command;
mod desk;
pub mod eastern;
mod event;
mod laws;
mod life;
mod liquidity;
mod listing;
mod netting;
mod place;
mod pools;
mod position;
mod preview;
mod resolution;
mod rewards;
mod room;
mod score;
mod state;
mod terms;
mod work;

pub use accrual::Accrued;
pub use command::{Answered, Command, Infrequent, Reject, decide, decide_own, evolve};
pub use desk::{
    CLAIMS_MAX, DESK, RULES, buys, fees, hold, needed, own_notional, own_price, release, reserve, reserved,
    rest, settle,
};
pub use event::{Act, Contract, Event, Kind, Leg, Past, Resolution, Stage, Status, Strike, StrikeKind};
pub use laws::BrokenLaw;
pub use liquidity::{LiquidityRow, Payment, PoolShare, Rewarded};
pub use listing::{CONTRACTS_MAX, CONTRACTS_OF_EVENT_MAX, NewCombo, NewContract, NewEvent, combo_grid};
pub use place::check;
pub use position::{Holding, Position};
pub use preview::{available_after, cost, payout};
pub use resolution::{NewResolution, NewVoid, Refund, Voided};
pub use rewards::{RateRule, Rebate, Rebated, RewardChange, RewardTerms, Rewards};
pub use score::{DayScores, Score, Scored};
pub use state::Predictions;
pub use terms::{Acceptance, FIRST_TERMS, Published};
pub use work::{Paid, PaidRow, STEP_MAX, Work};
