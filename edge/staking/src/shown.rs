//! Values of staking as answers show them, and the fields that its reading calls share.

use crate::apy;
use buttonwood_call::App;
use buttonwood_engine::Staking;
use buttonwood_engine::staking::{Provider, Rate};
use buttonwood_gate::{Reason, Refusal};
use buttonwood_model::CurrencyId;
use buttonwood_num::{MONEY_DECIMALS, Money, push_trimmed};
use buttonwood_tables::{Between, Pair};
use buttonwood_wire::contract::DecimalNumber;
use buttonwood_wire::field::bad_value;
use buttonwood_wire::time::Millis;

/// An amount with every digit.
pub(super) fn amount(amount: Money) -> DecimalNumber {
    DecimalNumber::of(|out| amount.push_floored(out, MONEY_DECIMALS))
}

/// A decimal that the history's database has as text.
pub(super) fn decimal(text: &str) -> DecimalNumber {
    DecimalNumber::of(|out| out.extend_from_slice(text.as_bytes()))
}

/// A rate in basis points.
pub(super) fn basis_points(rate: Rate) -> DecimalNumber {
    DecimalNumber::of(|out| push_trimmed(out, rate.0.into(), 6))
}

/// A rate in percent.
pub(super) fn percent(rate: Rate) -> DecimalNumber {
    DecimalNumber::of(|out| push_trimmed(out, rate.0.into(), 8))
}

/// The yield of a year of daily compounding, in percent.
pub(super) fn yield_percent(rate: Rate) -> DecimalNumber {
    DecimalNumber::of(|out| push_trimmed(out, apy::hundredths(rate.0).into(), 2))
}

/// The id of a transaction.
pub(super) fn transaction_id(room: &Staking, number: u64) -> String {
    room.code(number).map_or_else(String::new, |code| code.to_string())
}

/// A provider's id, which must be a version 4 UUID.
pub(super) fn provider(text: &str) -> Result<Provider, Refusal> {
    text.parse().map_err(|_| bad_value("providerId", "a version 4 UUID", text))
}

/// A listed currency.
pub(super) fn currency(app: &App, code: &str) -> Result<CurrencyId, Refusal> {
    app.currency_id(code)
        .ok_or_else(|| bad_value("currency", "a listed currency", code).with_reason(Reason::InvalidCurrency))
}

/// The pairs of a provider, of a currency, of both, or all.
pub(super) fn pairs(
    room: &Staking,
    provider: Option<Provider>,
    currency: Option<CurrencyId>,
) -> impl Iterator<Item = Pair> {
    let all = room.pairs().map(|(_, pair)| (pair.provider, pair.currency));
    let meant = all.filter(move |(of, coin)| {
        provider.is_none_or(|provider| provider == *of) && currency.is_none_or(|currency| currency == *coin)
    });
    meant.map(|(provider, currency)| Pair { provider: provider.0, currency })
}

/// The times from a moment to another, both included; all times where none is given.
pub(super) fn between(since: Option<Millis>, until: Option<Millis>) -> Between {
    Between {
        from: since.map_or(i64::MIN, |since| since.from),
        until: until.map_or(i64::MAX, |until| until.until),
    }
}
