//! Staking: coins that earn interest with a provider (STK-001 to STK-022). Rules: `core/staking`.

mod apy;
pub(crate) mod balances;
pub(crate) mod history;
pub(crate) mod rates;
pub(crate) mod redemptions;
pub(crate) mod request;
pub(crate) mod rewards;
mod shown;
pub(crate) mod stake;
pub(crate) mod unstake;

use buttonwood_call::Face;

/// The endpoints.
pub(crate) const FACE: Face = Face {
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
