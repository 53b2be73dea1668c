//! `GET /v1/prediction-markets/combos`: contracts on the outcomes of several events (PM-009).

use super::events::pagination;
use super::scan;
use buttonwood_call::{App, Asked, Route};
use buttonwood_engine::prediction::Event;
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::EventId;
use buttonwood_wire::contract::{Flag, InQuery, Offset, RepeatedOf, Rows, Whole};
use buttonwood_wire::prediction::{ComboPage, combo, combo_status, contract_number};
use buttonwood_wire::{json, request, words};

/// Anybody.
pub(crate) const ROUTE: Route = Route::public_recalling("/v1/prediction-markets/combos", |app, asked| {
    Box::pin(answer(app, asked))
})
.coded()
.about("Lists combos, the newest first.")
.notes(&["A combo pays yes if every leg has its required outcome. It is `Active` until it is paid or void."])
.takes::<Combos>()
.gives::<ComboPage>();

words! {
    /// Where a combo stands.
    pub(crate) struct ComboStatusName: "Active", "Settled", "Voided"
}

request! {
    /// Which combos.
    pub(crate) struct Combos in InQuery {
        /// Combos with these statuses alone; `Active` without it.
        status: RepeatedOf<ComboStatusName>,
        /// Combos with this contract, or with a leg on it, alone.
        contract_id as "contractId": Whole,
        /// Whether its contract is open to orders at the exchange: that of every combo is.
        instrument_registered as "instrumentRegistered": Flag<true>,
        /// How many combos at most; more than 500 are 500.
        limit: Rows<50, 500>,
        /// How many combos are left out before the first one.
        offset: Offset,
    }
}

async fn answer(app: &App, asked: &Asked<'_>) -> Result<Reply, Refusal> {
    let request = Combos::of(asked.query);
    let statuses = Some(request.status()?).filter(|all| !all.is_empty()).unwrap_or_else(|| vec!["Active"]);
    let (contract, is_registered) = (request.contract_id()?, request.instrument_registered()?);
    let (limit, offset) = (request.limit()?, request.offset()?);
    let is_on = |event: &Event, wanted: u64| {
        let mut contracts = event.contracts().chain(event.legs.iter().map(|leg| leg.contract));
        contracts.any(|contract| contract_number(contract) == wanted)
    };
    let is_meant = |event: &Event| {
        is_registered
            && !event.legs.is_empty()
            && statuses.contains(&combo_status(event))
            && contract.is_none_or(|wanted| is_on(event, wanted))
    };
    let all: Vec<EventId> = scan(app, |id, event| is_meant(event).then_some(id)).await;
    let views = app.exchange.views();
    let page = all.iter().skip(offset).take(limit).filter_map(|id| combo(views.state(), *id)).collect();
    drop(views);
    let pagination = pagination(limit, offset, all.len());
    Ok(Reply::json(json::body(&ComboPage { combos: page, pagination })))
}
