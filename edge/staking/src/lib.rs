//! Staking: coins that earn interest with a provider (STK-001 to STK-022). Rules: `core/staking`.

mod apy;
mod balances;
mod history;
mod rates;
mod redemptions;
mod request;
mod rewards;
mod shown;
mod stake;
mod unstake;

use buttonwood_call::Face;

/// The endpoints.
pub const FACE: Face = Face {
    routes: &[
        balances::ROUTE,
        stake::ROUTE,
        unstake::ROUTE,
        history::ROUTE,
        rewards::ROUTE,
        redemptions::ROUTE,
        rates::ROUTE,
    ],
};
