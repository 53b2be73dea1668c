//! Names of the newest socket's streams (facts T§12.3).

use crate::topic::{AccountFeed, MarketFeed, Pace, Topic};
use buttonwood_call::Report;
use buttonwood_model::{AccountId, SessionId};

/// A second, in milliseconds.
const SECOND: u16 = 1_000;
/// The shortest interval.
const SHORT: u16 = 100;

/// A stream that a name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// Of a symbol.
    OfSymbol(MarketFeed),
    /// Of everybody: the status of contracts.
    ContractStatus,
    /// Of the caller: orders of its account, or of its session alone.
    Orders {
        /// Whether those of its session alone.
        is_session: bool,
    },
    /// Of the caller: a report, by its number in the table.
    Report(u8, Pace),
}

/// The symbol in a name, as it was sent, and the stream; none for a name of no stream.
pub(crate) fn parse<'a>(reports: &[&Report], name: &'a str) -> Option<(&'a str, Named)> {
    let of_caller = |named| Some(("", named));
    match name {
        "contractStatus" => return of_caller(Named::ContractStatus),
        "orders@account" => return of_caller(Named::Orders { is_session: false }),
        "orders@session" => return of_caller(Named::Orders { is_session: true }),
        _ => {}
    }
    if let Some((number, pace)) = find_report(reports, name) {
        return of_caller(Named::Report(number, pace));
    }
    let (symbol, feed) = name.split_once('@')?;
    let feed = match feed {
        "bookTicker" => MarketFeed::Ticker,
        "trade" => MarketFeed::Trades,
        "depth" => MarketFeed::Depth(Pace::AtOnce),
        "depth@100ms" => MarketFeed::Depth(Pace::Millis(SHORT)),
        "depth5" => MarketFeed::Levels(5, Pace::Millis(SECOND)),
        "depth10" => MarketFeed::Levels(10, Pace::Millis(SECOND)),
        "depth20" => MarketFeed::Levels(20, Pace::Millis(SECOND)),
        "depth5@100ms" => MarketFeed::Levels(5, Pace::Millis(SHORT)),
        "depth10@100ms" => MarketFeed::Levels(10, Pace::Millis(SHORT)),
        "depth20@100ms" => MarketFeed::Levels(20, Pace::Millis(SHORT)),
        _ => return None,
    };
    Some((symbol, Named::OfSymbol(feed)))
}

/// The number and the pace of the report of a name.
pub(crate) fn find_report(reports: &[&Report], name: &str) -> Option<(u8, Pace)> {
    let (name, pace) = match name.strip_suffix("@1s") {
        Some(name) => (name, Pace::Millis(SECOND)),
        None => (name, Pace::AtOnce),
    };
    let number = reports.iter().position(|report| report.name == name)?;
    Some((u8::try_from(number).ok()?, pace))
}

/// The topic of the orders of an account, or of one of its sessions.
pub(crate) fn orders(account: AccountId, session: SessionId, is_session: bool) -> Topic {
    Topic::Account(account, AccountFeed::Orders(is_session.then_some(session)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each documented name is known, and near misses are not.
    #[test]
    fn names_are_read() {
        let known = [
            ("btcusd@bookTicker", Named::OfSymbol(MarketFeed::Ticker)),
            ("BTCUSD@depth", Named::OfSymbol(MarketFeed::Depth(Pace::AtOnce))),
            ("btcusd@depth@100ms", Named::OfSymbol(MarketFeed::Depth(Pace::Millis(100)))),
            ("btcusd@depth10", Named::OfSymbol(MarketFeed::Levels(10, Pace::Millis(1_000)))),
            ("btcusd@depth20@100ms", Named::OfSymbol(MarketFeed::Levels(20, Pace::Millis(100)))),
            ("btcusd@trade", Named::OfSymbol(MarketFeed::Trades)),
        ];
        for (name, named) in known {
            let symbol = name.split('@').next().unwrap();
            assert_eq!(parse(&[], name), Some((symbol, named)), "{name}");
        }
        assert_eq!(parse(&[], "orders@session"), Some(("", Named::Orders { is_session: true })));
        for name in ["btcusd", "btcusd@depth7", "btcusd@depth5@1s", "orders", "orders@me", "btcusd@Trade", ""]
        {
            assert_eq!(parse(&[], name), None, "{name}");
        }
    }
}
