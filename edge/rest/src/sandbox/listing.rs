//! `POST /sandbox/symbols`: lists a spot symbol while the exchange runs (SYM-030).

use super::control::ControlCall;
use crate::market::details;
use crate::route::Route;
use buttonwood_gate::{Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_operate::{NewSymbol, list_symbol};
use buttonwood_wire::field::failed;
use buttonwood_wire::market::SymbolDetails;

/// This machine only.
pub(crate) const ROUTE: Route =
    Route::control("/sandbox/symbols", |call, _, fields| Box::pin(answer(call, fields)))
        .about("Lists a spot symbol, which trades at once.")
        .notes(&["There are at most 10,000 symbols. None is removed; the status `closed` ends trading. \
             Simulated traders quote the symbol from their next beat on if both currencies have prices."])
        .takes::<NewSymbol>()
        .gives::<SymbolDetails>();

async fn answer(call: &ControlCall<'_>, fields: &Payload) -> Result<Reply, Refusal> {
    let name = list_symbol(call.operator(), fields).await?;
    let (id, _) = call.find_symbol(&name).ok_or_else(failed)?;
    Ok(details::reply(call, id))
}
