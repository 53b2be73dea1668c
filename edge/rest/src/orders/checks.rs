//! Checks of the account that orders and conversions share. The core checks again; here they come before the other parameters.

use crate::app::App;
use crate::call::{Acting, Call};
use buttonwood_gate::{Refusal, Value};
use buttonwood_model::Symbol;
use buttonwood_wire::field::{closed_account, custody_account};

/// Refuses a closed account and a custody account (ACCT-013, AUTH-018). Only a call that names its account pays for it: no
/// trader's key belongs to a custody account, so a master key has to name one; a key of a closed account that does not name it is
/// refused by the core alone.
pub(crate) fn check_trades(app: &App, call: &Call) -> Result<(), Refusal> {
    let Some(Value::Text(name)) = Acting::of(call.payload()).account() else { return Ok(()) };
    let views = app.exchange.views();
    let access = views.state().access();
    if access.is_closed(call.account()) {
        return Err(closed_account(&name));
    }
    let account = access.account(call.account());
    if account.is_none_or(|account| account.kind.trades()) { Ok(()) } else { Err(custody_account(&name)) }
}

/// Whether the symbol does not exist for the account (SYM-005).
#[cold]
pub(crate) fn is_closed_to(app: &App, call: &Call, symbol: &Symbol) -> bool {
    let views = app.exchange.views();
    let account = views.state().access().account(call.account());
    account.is_some_and(|account| symbol.closed_to.contains(&account.jurisdiction))
}
