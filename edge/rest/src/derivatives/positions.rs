//! `POST /v1/positions`: the open positions of an account (PERP-006 to PERP-008).

use super::exact;
use buttonwood_call::{App, Call, Route};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::{Role, Scope};
use buttonwood_num::{Money, Round};
use buttonwood_wire::contract::DecimalText;
use buttonwood_wire::{answer, json, words};

/// Trader or Auditor.
pub(crate) const ROUTE: Route = Route::reading("/v1/positions", answer)
    .roles(&[Role::Trader, Role::Auditor])
    .scopes(&[Scope::OrdersRead])
    .about("Lists the account's open positions.")
    .gives::<Vec<OpenPosition>>();

words! {
    /// The kind of a position.
    struct InstrumentType: "perp"
}

answer! {
    /// An open position.
    struct OpenPosition {
        /// The perpetual, in upper case.
        symbol: String,
        /// Always `perp`.
        instrument_type: InstrumentType,
        /// How much; negative if it is short.
        quantity: DecimalText,
        /// Quantity × mark; negative if it is short.
        notional_value: DecimalText,
        /// Profit or loss since the position was flat or turned around, without fees and funding.
        realised_pnl: DecimalText,
        /// Quantity × mark less cost.
        unrealised_pnl: DecimalText,
        /// Cost ÷ quantity, cut to 19 decimals.
        average_cost: DecimalText,
        /// The mark.
        mark_price: DecimalText,
    }
}

fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let views = app.exchange.views();
    let perps = views.state().perps();
    let open = perps.rows_of(call.account()).filter(|row| !row.position.is_flat());
    let rows = open.map(|row| {
        let position = row.position;
        let mark = perps.contract(row.symbol).map_or(Money::ZERO, |contract| contract.mark);
        OpenPosition {
            symbol: app.names.symbol(row.symbol).name.to_ascii_uppercase(),
            instrument_type: InstrumentType("perp"),
            quantity: exact(position.quantity),
            notional_value: exact(position.value(mark).unwrap_or_default()),
            realised_pnl: exact(position.realised),
            unrealised_pnl: exact(position.unrealised(mark).unwrap_or_default()),
            average_cost: exact(position.average_cost(Round::Cut)),
            mark_price: exact(mark),
        }
    });
    Ok(Reply::json(json::body(&rows.collect::<Vec<_>>())))
}
