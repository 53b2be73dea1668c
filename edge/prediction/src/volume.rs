//! `POST /v1/prediction-markets/metrics/volume`: traded contracts of an event (PM-026).

use super::{READ, READERS, find_event};
use buttonwood_call::{App, Call, Route, SignedQuery, not_current};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::SymbolId;
use buttonwood_num::Qty;
use buttonwood_wire::contract::{DecimalText, InEither, Needed, Text, Timestamp};
use buttonwood_wire::prediction::symbol_name;
use buttonwood_wire::{answer, json, request};

/// Trader or Auditor.
pub(crate) const ROUTE: Route =
    Route::recalling("/v1/prediction-markets/metrics/volume", |app, call| Box::pin(answer(app, call)))
        .roles(READERS)
        .scopes(READ)
        .queried(SignedQuery::Optional)
        .coded()
        .about("Reports how many contracts of an event were traded, by all and by the account.")
        .notes(&["Its parameters may be in the query string too; of one in both the payload counts."])
        .takes::<WantedVolume>()
        .gives::<EventVolume>()
        .refuses(&[404]);

request! {
    /// Which trades.
    struct WantedVolume in InEither {
        /// The event.
        event_ticker as "eventTicker": Needed<Text>,
        /// Trades at this time or later.
        start_time as "startTime": Timestamp,
        /// Trades before this time.
        end_time as "endTime": Timestamp,
    }
}

answer! {
    /// The traded contracts of an event.
    struct EventVolume {
        /// The event.
        event_ticker as "eventTicker": String,
        /// Its contracts.
        contracts: Vec<ContractVolume>,
    }
}

answer! {
    /// How many claims on a contract were traded.
    struct ContractVolume {
        /// The symbol of the contract.
        symbol: String,
        /// The quantity that takers traded.
        total_qty as "totalQty": DecimalText,
        /// The quantity that the account traded as taker.
        user_aggressor_qty as "userAggressorQty": DecimalText,
        /// The quantity that the account traded as maker.
        user_resting_qty as "userRestingQty": DecimalText,
    }
}

async fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let sent = WantedVolume::of(call.either());
    let (ticker, start, end) = (sent.event_ticker()?, sent.start_time()?, sent.end_time()?);
    if let (Some(start), Some(end)) = (start, end)
        && start > end
    {
        let sent_as = |name: &str| call.either().text_of(name).unwrap_or_default();
        let expected = format!("at most 'endTime', {}", sent_as("endTime"));
        return Err(Refusal::misfit("Field", "startTime", &expected, &sent_as("startTime")));
    }
    let (event_ticker, contracts) = {
        let views = app.exchange.views();
        let (_, event) = find_event(views.state().predictions(), &ticker)?;
        (event.ticker.clone(), event.contracts().collect::<Vec<SymbolId>>())
    };
    let (account, start, end) = (call.account(), start.unwrap_or(0), end.unwrap_or(u64::MAX));
    let rows = app
        .exchange
        .query_tables(move |tables| tables.contract_volume(&contracts, account, start, end))
        .await
        .map_err(|fault| not_current(&fault))?;
    let names = app.current_names();
    let shown = |(contract, [total, taken, made]): (SymbolId, [Qty; 3])| {
        let symbol = names.symbol(contract);
        let text = |qty| DecimalText::of(|out| symbol.grid.push_qty(out, qty));
        ContractVolume {
            symbol: symbol_name(symbol),
            total_qty: text(total),
            user_aggressor_qty: text(taken),
            user_resting_qty: text(made),
        }
    };
    let contracts = rows.into_iter().map(shown).collect();
    Ok(Reply::json(json::body(&EventVolume { event_ticker, contracts })))
}
