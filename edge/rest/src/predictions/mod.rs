//! The chapter of prediction markets (PM-001 to PM-036): refusals have a code, and names are in camel case.

pub(crate) mod accept;
pub(crate) mod active;
pub(crate) mod cancel;
pub(crate) mod order;
pub(crate) mod positions;
mod refusal;
pub(crate) mod rewards;
pub(crate) mod summaries;
pub(crate) mod terms_status;

use crate::app::App;
use buttonwood_gate::{Refusal, quoted};
use buttonwood_model::{EventId, Role, SymbolId};

/// The roles that read orders, positions and rewards (PM-036).
const READERS: &[Role] = &[Role::Trader, Role::Auditor];
/// The scopes of which a token needs one for that.
const READ: &[&str] = &["orders:read"];

/// There is no such contract.
fn unknown_contract(name: &str) -> Refusal {
    Refusal::coded(404, "NOT_FOUND", format!("Field 'symbol' names no contract: {}", quoted(name)))
}

/// The contract of a filter.
///
/// # Errors
/// 404 if there is none.
fn contract_of(app: &App, name: Option<&str>) -> Result<Option<SymbolId>, Refusal> {
    let find = |name| app.find_contract(name).map(|(id, _)| id).ok_or_else(|| unknown_contract(name));
    name.map(find).transpose()
}

/// The event with a ticker in any letter case.
///
/// # Errors
/// 404 if there is none.
fn event_of(app: &App, ticker: &str) -> Result<EventId, Refusal> {
    let views = app.exchange.views();
    let room = views.state().predictions();
    // A combo's ticker is its symbol, which is in upper case too.
    room.find_event(&ticker.to_ascii_uppercase()).ok_or_else(|| {
        let message = format!("Field 'eventTicker' names no event: {}", quoted(ticker));
        Refusal::coded(404, "NOT_FOUND", message)
    })
}
