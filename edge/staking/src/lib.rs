//! Staking: coins that earn interest with a provider (STK-001 to STK-022). Rules: `core/staking`.

mod apy;
mod balances;
mod history;
mod operate;
mod rates;
mod redemptions;
mod request;
mod rewards;
mod samples;
mod shown;
mod stake;
mod unstake;

pub use samples::samples;

use buttonwood_call::{Face, Route};

/// The endpoints, and the commands of operators.
pub const FACE: Face = Face {
    routes: &[
        balances::ROUTE,
        stake::ROUTE,
        unstake::ROUTE,
        history::ROUTE,
        rewards::ROUTE,
        redemptions::ROUTE,
        rates::ROUTE,
        Route::operating("/sandbox/staking/terms", &operate::TERMS).after("/sandbox/instant"),
        Route::operating("/sandbox/staking/fund", &operate::FUND).after("/sandbox/staking/terms"),
    ],
    commands: &[operate::TERMS],
    ..Face::NONE
};
