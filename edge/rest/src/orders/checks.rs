//! Checks of the account that orders and conversions share. The core checks again; here they come before the other parameters.

use buttonwood_call::{Acting, App, Call};
use buttonwood_gate::{Refusal, Value};
use buttonwood_model::Symbol;
use buttonwood_wire::field::closed_account;

/// Refuses a key's own account that is closed (ACCT-013). Only a call that names it pays for it; otherwise the core alone refuses it.
pub(crate) fn check_open(app: &App, call: &Call) -> Result<(), Refusal> {
    let Some(Value::Text(name)) = Acting::of(call.payload()).account() else { return Ok(()) };
    let views = app.exchange.views();
    if views.state().access().is_closed(call.account()) { Err(closed_account(&name)) } else { Ok(()) }
}

/// Whether the symbol does not exist for the account (SYM-005).
#[cold]
pub(crate) fn is_closed_to(app: &App, call: &Call, symbol: &Symbol) -> bool {
    let views = app.exchange.views();
    let account = views.state().access().account(call.account());
    account.is_some_and(|account| symbol.closed_to.contains(&account.jurisdiction))
}
