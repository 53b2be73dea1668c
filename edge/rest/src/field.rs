//! Parameters that several endpoints take, and the refusals that name them.

use crate::app::App;
use buttonwood_gate::{Payload, Reason, Refusal, quoted};
use buttonwood_model::{Symbol, SymbolId};
use buttonwood_views::history::Limit;

/// Rows of a page unless the caller says otherwise.
pub(crate) const PAGE: usize = 50;
/// Rows of a page at most; more is clamped (D-15).
const PAGE_MAX: usize = 500;

/// How many rows a private listing returns (ORD-078).
pub(crate) fn limit(payload: &Payload, name: &str) -> Result<Limit, Refusal> {
    match payload.count(name)? {
        Some(0) => Err(bad_value(name, "at least 1", "0")),
        rows => Ok(page(rows)),
    }
}

/// A page of as many rows as were asked for, within the maximum.
pub(crate) fn page(rows: Option<u64>) -> Limit {
    let rows = rows.map_or(PAGE, |rows| usize::try_from(rows).unwrap_or(PAGE_MAX));
    Limit { rows: rows.min(PAGE_MAX), most: PAGE_MAX }
}

/// The symbol an optional field names (ORD-079).
pub(crate) fn symbol(app: &App, payload: &Payload) -> Result<Option<SymbolId>, Refusal> {
    match payload.text("symbol")? {
        None => Ok(None),
        Some(name) => app.find_symbol(&name).map(|(id, _)| Some(id)).ok_or_else(|| unknown_symbol(&name)),
    }
}

/// A symbol that is not listed.
pub(crate) fn unknown_symbol(name: &str) -> Refusal {
    let shown = quoted(name);
    Refusal::new(Reason::InvalidSymbol, format!("Received unsupported symbol '{shown}'"))
}

/// A symbol that is listed, but not for this account (SYM-005).
pub(crate) fn closed_symbol(name: &str) -> Refusal {
    let shown = quoted(name);
    let message = format!("Received unsupported symbol '{shown}': it is not available to this account");
    Refusal::new(Reason::InvalidSymbol, message)
}

/// A field of an order with a value that the symbol does not take: kind, symbol and value (facts T§7.4).
pub(crate) fn bad_order_field(reason: Reason, kind: &str, symbol: &Symbol, value: &str) -> Refusal {
    let shown = quoted(value);
    let message = format!("Invalid {kind} for symbol {}: {shown}", symbol.name.to_ascii_uppercase());
    Refusal::new(reason, message)
}

/// A parameter whose value does not fit.
pub(crate) fn bad_value(name: &str, expected: &str, value: &str) -> Refusal {
    let shown = quoted(value);
    Refusal::new(Reason::InvalidParameterValue, format!("Field '{name}' must be {expected}: {shown}"))
}

/// A query parameter whose value does not fit.
pub(crate) fn bad_query(name: &str, expected: &str, value: &str) -> Refusal {
    let shown = quoted(value);
    Refusal::new(
        Reason::InvalidParameterValue,
        format!("Query parameter '{name}' must be {expected}: {shown}"),
    )
}

/// The exchange cannot take the request now; nothing was done.
pub(crate) fn busy(why: &str) -> Refusal {
    let refusal =
        Refusal::new(Reason::System, format!("{why}; nothing was done, try again")).with_status(503);
    Refusal { retry_after: Some(1), ..refusal }
}

/// The disk is nearly full.
pub(crate) fn no_space() -> Refusal {
    busy("The exchange is short of disk space and takes only cancels")
}

/// The exchange failed; nothing was changed.
pub(crate) fn failed() -> Refusal {
    Refusal::new(Reason::System, "The exchange could not answer this request; nothing was changed")
}
