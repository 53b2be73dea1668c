//! Scopes as texts (RFC 6749, 3.3; D-130).

use crate::error::{ErrorCode, OAuthError};
use buttonwood_model::{Scope, Scopes};

/// Reads scopes, between commas or white space or both (D-295).
///
/// # Errors
/// `invalid_scope` for an unknown item, and where there is none.
pub(crate) fn read(text: &str) -> Result<Scopes, OAuthError> {
    let bad = |name| {
        let expected = "known scopes between commas or white space";
        OAuthError::bad_value(ErrorCode::InvalidScope, "scope", expected, name)
    };
    let mut scopes = Scopes::NONE;
    for name in text.split(|c: char| c == ',' || c.is_whitespace()).filter(|name| !name.is_empty()) {
        scopes = scopes.with(Scope::named(name).ok_or_else(|| bad(name))?);
    }
    if scopes == Scopes::NONE { Err(bad(text)) } else { Ok(scopes) }
}

/// Scopes as a reply names them, between commas.
pub(crate) fn list(scopes: Scopes) -> String {
    scopes.iter().map(Scope::name).collect::<Vec<_>>().join(",")
}

/// The scope in words, after "It may".
pub(crate) const fn in_words(scope: Scope) -> &'static str {
    match scope {
        Scope::AddressesRead => "read deposit addresses and approved addresses",
        Scope::AddressesCreate => "make deposit addresses, and ask for approved addresses or remove them",
        Scope::BalancesRead => "read balances",
        Scope::BanksCreate => "add banks",
        Scope::BanksRead => "read payment methods",
        Scope::PaymentsCreate => "withdraw money to a bank",
        Scope::ClearingCreate => "enter, confirm and cancel clearing orders",
        Scope::ClearingRead => "read clearing orders and trades",
        Scope::CryptoSend => "withdraw coins",
        Scope::HistoryRead => "read past orders, trades, transfers and volumes",
        Scope::OrdersCreate => "place and cancel orders",
        Scope::OrdersRead => "read orders and positions",
        Scope::AccountRead => "read the account's details",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_read_and_listed() {
        let two = Scopes::of(&[Scope::OrdersRead, Scope::BalancesRead]);
        for text in [
            "orders:read,balances:read",
            "balances:read orders:read",
            "orders:read balances:read,orders:read",
            "orders:read, balances:read",
            " orders:read  balances:read,",
            "orders:read\tbalances:read\r\n",
            "orders:read,\u{a0}balances:read",
        ] {
            assert_eq!(read(text), Ok(two), "{text}");
        }
        assert_eq!(list(two), "balances:read,orders:read");
        for text in ["", " ", ",", ", ,", "orders", "Orders:read", "\t\n"] {
            assert_eq!(read(text).map_err(|error| error.code), Err(ErrorCode::InvalidScope), "{text}");
        }
    }
}
