//! `GET /v1/prediction-markets/events/{eventTicker}/collateral`: the proof that every pair of claims is backed by a dollar (PM-018).

use super::find_event;
use buttonwood_call::{App, Asked, Route};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_wire::contract::DecimalText;
use buttonwood_wire::prediction::symbol_name;
use buttonwood_wire::{answer, json};

/// Anybody.
pub(crate) const ROUTE: Route =
    Route::public("/v1/prediction-markets/events/{eventTicker}/collateral", answer)
        .coded()
        .about("Reads the claims on each contract of an event, and the dollars in escrow for them.")
        .notes(&["Until an event is paid, `yes`, `no` and `escrow` of a contract are equal."])
        .gives::<Collateral>()
        .refuses(&[404]);

answer! {
    /// The backing of an event's contracts.
    struct Collateral {
        /// The ticker of the event.
        event_ticker as "eventTicker": String,
        /// Each of its contracts.
        contracts: Vec<ContractCollateral>,
    }
}

answer! {
    /// The backing of a contract.
    struct ContractCollateral {
        /// Its symbol.
        symbol: String,
        /// How many claims on yes accounts hold.
        yes: DecimalText,
        /// How many claims on no accounts hold.
        no: DecimalText,
        /// The dollars in its escrow.
        escrow: DecimalText,
    }
}

fn answer(app: &App, asked: &Asked) -> Result<Reply, Refusal> {
    let views = app.exchange.views();
    let state = views.state();
    let (_, event) = find_event(state.predictions(), asked.parameter)?;
    let rows = event.contracts().filter_map(|contract| {
        let (escrow, [yes, no]) = state.predictions().collateral(state.ledger(), contract);
        let symbol = symbol_name(state.symbol(contract)?);
        let [yes, no, escrow] = [yes, no, escrow].map(DecimalText::exact);
        Some(ContractCollateral { symbol, yes, no, escrow })
    });
    let contracts = rows.collect();
    Ok(Reply::json(json::body(&Collateral { event_ticker: event.ticker.clone(), contracts })))
}
