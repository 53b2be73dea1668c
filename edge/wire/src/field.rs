//! Parameters that several requests take, and the refusals that name them.

use buttonwood_gate::{Payload, Reason, Refusal, quoted};
use buttonwood_model::Symbol;
use buttonwood_views::history::Limit;

/// Rows of most pages unless the caller says otherwise.
pub const PAGE: usize = 50;
/// Rows of a page at most; more is clamped (D-15).
pub const PAGE_MAX: usize = 500;

/// How many rows a private listing returns (ORD-078); `default` if the caller does not say.
pub fn limit(payload: &Payload, name: &str, default: usize) -> Result<Limit, Refusal> {
    match payload.count(name)? {
        Some(0) => Err(bad_value(name, "at least 1", "0")),
        rows => Ok(page(rows, default)),
    }
}

/// A page of the requested number of rows, or of `default`, within the maximum.
pub fn page(rows: Option<u64>, default: usize) -> Limit {
    let rows = rows.map_or(default, |rows| usize::try_from(rows).unwrap_or(PAGE_MAX));
    Limit { rows: rows.min(PAGE_MAX), most: PAGE_MAX }
}

/// A symbol that is not listed.
pub fn unknown_symbol(name: &str) -> Refusal {
    let shown = quoted(name);
    Refusal::new(Reason::InvalidSymbol, format!("Received unsupported symbol '{shown}'"))
}

/// A symbol that is listed, but not for this account (SYM-005).
pub fn closed_symbol(name: &str) -> Refusal {
    let shown = quoted(name);
    let message = format!("Received unsupported symbol '{shown}': it is not available to this account");
    Refusal::new(Reason::InvalidSymbol, message)
}

/// A symbol whose market is closed (SYM-024), with its name as the message shows it.
pub fn market_closed(shown: &str) -> Refusal {
    Refusal::new(Reason::MarketClosed, format!("The market for symbol {shown} is closed"))
}

/// A custody account where one that trades is needed (AUTH-018).
pub fn custody_account(name: &str) -> Refusal {
    let message =
        format!("Field 'account' names a custody account, which does not trade: '{}'", quoted(name));
    Refusal::new(Reason::AccountNotOfTypeRequired, message)
}

/// An account of a kind that the endpoint does not act on (AUTH-018).
pub fn wrong_kind(name: &str, kind: &str) -> Refusal {
    let message = format!("This endpoint does not act on {kind} accounts, and '{}' is one", quoted(name));
    Refusal::new(Reason::AccountNotOfTypeRequired, message)
}

/// A closed account where one that is in use is needed (ACCT-013); `name` is empty for a key's own.
pub fn closed_account(name: &str) -> Refusal {
    let message = match name {
        "" => "The account of this key is closed".to_owned(),
        _ => format!("Field 'account' names a closed account: '{}'", quoted(name)),
    };
    Refusal::new(Reason::AccountClosed, message)
}

/// A field of an order with a value that the symbol does not take: kind, symbol and value (facts T§7.4).
pub fn bad_order_field(reason: Reason, kind: &str, symbol: &Symbol, value: &str) -> Refusal {
    let shown = quoted(value);
    let message = format!("Invalid {kind} for symbol {}: {shown}", symbol.name.to_ascii_uppercase());
    Refusal::new(reason, message)
}

/// A parameter whose value does not fit.
pub fn bad_value(name: &str, expected: &str, value: &str) -> Refusal {
    Refusal::misfit("Field", name, expected, value)
}

/// A query parameter whose value does not fit.
pub fn bad_query(name: &str, expected: &str, value: &str) -> Refusal {
    Refusal::misfit("Query parameter", name, expected, value)
}

/// The exchange cannot take the request now; nothing was done.
pub fn busy(why: &str) -> Refusal {
    let refusal =
        Refusal::new(Reason::System, format!("{why}; nothing was done, try again")).with_status(503);
    Refusal { retry_after: Some(1), ..refusal }
}

/// The disk is nearly full.
pub fn no_space() -> Refusal {
    busy("The exchange is short of disk space and takes only cancels")
}

/// Trading is halted.
pub fn halted() -> Refusal {
    busy("Trading is halted, and only cancels are taken")
}

/// The exchange failed; nothing was changed.
pub fn failed() -> Refusal {
    Refusal::new(Reason::System, "The exchange could not answer this request; nothing was changed")
}
