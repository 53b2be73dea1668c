//! `GET /v1/feepromos`: what is under a fee promotion (MKT-036).

use buttonwood_call::{App, Asked, Route};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_wire::{answer, json};

/// Anybody.
pub(crate) const ROUTE: Route = Route::public("/v1/feepromos", answer)
    .about("Lists the symbols under a fee promotion.")
    .gives::<FeePromotions>();

answer! {
    /// The symbols under a fee promotion.
    struct FeePromotions {
        /// The symbols, in upper case.
        symbols: Vec<String>,
    }
}

fn answer(app: &App, _asked: &Asked) -> Result<Reply, Refusal> {
    let promoted: Vec<_> = app.exchange.views().state().fees().symbols_promoted().collect();
    let mut symbols: Vec<_> =
        promoted.into_iter().map(|id| app.names.symbol(id).name.to_ascii_uppercase()).collect();
    symbols.sort_unstable();
    Ok(Reply::json(json::body(&FeePromotions { symbols })))
}
