//! `POST /sandbox/symbols`: lists a spot symbol while the exchange runs (SYM-030). It does what `buttonwood admin symbol add` does, and
//! answers with the symbol's details.

use crate::market::details;
use buttonwood_call::{ControlCall, Route};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_operate::{ADD_SYMBOL, NewSymbol};
use buttonwood_wire::field::failed;
use buttonwood_wire::market::SymbolDetails;

/// This machine only.
pub(crate) const ROUTE: Route =
    Route::control_operating("/sandbox/symbols", &ADD_SYMBOL, |call, _, fields| {
        Box::pin(answer(call, fields))
    })
    .notes(&["There are at most 10,000 symbols. None is removed; the status `closed` ends trading. \
         Simulated traders quote the symbol from their next beat on if both currencies have prices."])
    .gives::<SymbolDetails>();

async fn answer(call: &ControlCall<'_>, fields: &Payload) -> Result<Reply, Refusal> {
    ADD_SYMBOL.answer(call.operator(), fields).await?;
    let (id, _) = call.find_symbol(&NewSymbol::of(fields).symbol()?).ok_or_else(failed)?;
    Ok(details::reply(call, id))
}
