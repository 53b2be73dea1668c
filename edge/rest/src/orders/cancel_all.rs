//! `POST /v1/order/cancel/all`: cancel every live order of the account (ORD-061 to ORD-063).

use super::cancel_session::{self, Cancelled};
use buttonwood_call::{App, Call, Route, Write};
use buttonwood_engine::{Body, TradingCommand};
use buttonwood_gate::{Kind, Refusal};

/// Trader only; draws on the capacity reserved for cancels.
pub(crate) const ROUTE: Route =
    Route::writing("/v1/order/cancel/all", Write { command, answer: cancel_session::answer, closed: None })
        .right(TradingCommand::RIGHT)
        .kind(Kind::Cancel)
        .about("Cancels every live order of the account.")
        .gives::<Cancelled>();

fn command(_app: &App, _call: &Call) -> Result<Body, Refusal> {
    Ok(Body::Trading(TradingCommand::CancelAll))
}
