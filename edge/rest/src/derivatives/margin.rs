//! `POST /v1/margin`: the margin figures of a derivatives account (PERP-001 to PERP-005).

use super::{exact, perpetual};
use buttonwood_call::{App, Call, Kinds, Route};
use buttonwood_engine::perp::Figures;
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::{Role, Scope};
use buttonwood_wire::contract::{DecimalText, InPayload, Needed, Text};
use buttonwood_wire::{answer, json, request};

/// Trader or Auditor, on a derivatives account.
pub(crate) const ROUTE: Route = Route::reading("/v1/margin", answer)
    .roles(&[Role::Trader, Role::Auditor])
    .scopes(&[Scope::OrdersRead])
    .kinds(Kinds::Derivatives)
    .about("Reads the margin figures of a derivatives account, and what one perpetual could add.")
    .takes::<OfContract>()
    .gives::<AccountFigures>();

request! {
    /// Which perpetual.
    struct OfContract in InPayload {
        /// The perpetual, in any letter case, with or without dashes.
        symbol: Needed<Text>,
    }
}

answer! {
    /// The margin figures of an account. All but the last three of the perpetual that was named are over all perpetuals.
    struct AccountFigures {
        /// The dollar value of what can fund positions, unrealised profit and loss included.
        margin_assets_value: DecimalText,
        /// The margin that positions and live orders need.
        initial_margin: DecimalText,
        /// Assets less initial margin; negative if positions could not be opened now.
        available_margin: DecimalText,
        /// Below this value of the assets, the account is liquidated.
        margin_maintenance_limit: DecimalText,
        /// The value of all positions ÷ the value of the assets.
        leverage: DecimalText,
        /// The value of all positions, each without its sign.
        notional_value: DecimalText,
        /// The mark of the perpetual at which assets equal the maintenance limit; 0 if there is none.
        estimated_liquidation_price: DecimalText,
        /// The margin that positions need.
        initial_margin_positions: DecimalText,
        /// The margin that live orders need.
        reserved_margin: DecimalText,
        /// The margin that live buys need.
        reserved_margin_buys: DecimalText,
        /// The margin that live sells need.
        reserved_margin_sells: DecimalText,
        /// How much of the perpetual the available margin could buy.
        buying_power: DecimalText,
        /// How much of the perpetual the available margin could sell.
        selling_power: DecimalText,
    }
}

fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let sent = OfContract::of(call.payload()).symbol()?;
    let (id, symbol) = perpetual(app, &sent.replace('-', ""))?;
    let figures = {
        let views = app.exchange.views();
        let state = views.state();
        Figures::of(state.perps(), state.ledger(), state.indices().latest(), call.account(), (id, symbol))
    };
    let figures = figures.unwrap_or_else(Figures::beyond_range);
    let sums = figures.sums;
    Ok(Reply::json(json::body(&AccountFigures {
        margin_assets_value: exact(sums.assets),
        initial_margin: exact(figures.initial_margin),
        available_margin: exact(figures.available_margin),
        margin_maintenance_limit: exact(sums.maintenance()),
        leverage: exact(sums.leverage()),
        notional_value: exact(sums.notional),
        estimated_liquidation_price: exact(figures.estimated_liquidation_price),
        initial_margin_positions: exact(sums.positions),
        reserved_margin: exact(figures.reserved_margin),
        reserved_margin_buys: exact(sums.buys),
        reserved_margin_sells: exact(sums.sells),
        buying_power: exact(figures.power),
        selling_power: exact(figures.power),
    })))
}
