//! `GET /v1/riskstats/{symbol}`: prices and open interest of a perpetual (PERP-010, PERP-011).

use super::{exact, perpetual};
use buttonwood_call::{App, Asked, Route};
use buttonwood_engine::perp::Position;
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_num::Money;
use buttonwood_wire::contract::DecimalText;
use buttonwood_wire::{answer, json, words};

/// Anybody.
pub(crate) const ROUTE: Route = Route::public("/v1/riskstats/{symbol}", answer)
    .about("Reads mark, index and open interest of a perpetual.")
    .gives::<RiskStats>();

words! {
    /// The type of a contract.
    struct ProductType: "PerpetualSwapContract"
}

answer! {
    /// The risk figures of a perpetual; all zero before it has an index.
    struct RiskStats {
        /// Always `PerpetualSwapContract`.
        product_type: ProductType,
        /// The mark.
        mark_price: DecimalText,
        /// The index of its base currency, in dollars.
        index_price: DecimalText,
        /// The sum of all long positions.
        open_interest: DecimalText,
        /// Its value at the mark.
        open_interest_notional: DecimalText,
    }
}

fn answer(app: &App, asked: &Asked) -> Result<Reply, Refusal> {
    let (id, _) = perpetual(app, asked.parameter)?;
    let (contract, open) = {
        let views = app.exchange.views();
        let perps = views.state().perps();
        (perps.contract(id).copied(), perps.open_interest(id))
    };
    let (mark, index) = contract.map_or_else(Default::default, |contract| (contract.mark, contract.index));
    let long = Position { quantity: open, ..Position::default() };
    Ok(Reply::json(json::body(&RiskStats {
        product_type: ProductType("PerpetualSwapContract"),
        mark_price: exact(mark),
        index_price: exact(index),
        open_interest: exact(open),
        open_interest_notional: exact(long.value(mark).unwrap_or(Money::MAX)),
    })))
}
