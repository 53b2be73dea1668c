//! The price collar: how far from the reference price an order may trade (ORD-051, D-32).

use buttonwood_book::Book;
use buttonwood_model::Side;
use buttonwood_num::Price;

/// Percent of twice the reference.
const WHOLE: u64 = 200;

/// How far from the reference price an order may trade, in percent of that price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollarWidth {
    /// The highest price of a buy, such as 105.
    pub buy: u8,
    /// The lowest price of a sell, such as 95.
    pub sell: u8,
}

impl CollarWidth {
    /// The worst price at which an incoming order may trade; none before the first trade while a side of the
    /// book is empty.
    ///
    /// The reference is the last trade price, limited to the range from best bid to best ask. Before the
    /// first trade it is the middle of these two.
    pub(crate) fn worst_price(self, book: &Book, last: Option<Price>, side: Side) -> Option<Price> {
        let bid = book.side(Side::Buy).best();
        let ask = book.side(Side::Sell).best();
        // Twice the reference, so that a middle between two ticks stays exact.
        let doubled = match (last, bid, ask) {
            (Some(last), bid, ask) => {
                let raised = bid.map_or(last, |bid| last.max(bid));
                2 * u128::from(ask.map_or(raised, |ask| raised.min(ask)).ticks())
            }
            (None, Some(bid), Some(ask)) => u128::from(bid.ticks()) + u128::from(ask.ticks()),
            (None, _, _) => return None,
        };
        let (percent, rounding) = match side {
            Side::Buy => (u128::from(self.buy), 0),
            Side::Sell => (u128::from(self.sell), u128::from(WHOLE) - 1),
        };
        let scaled = doubled * percent + rounding;
        // A 64-bit division is several times cheaper, and nearly every price is small enough for it.
        let ticks = match u64::try_from(scaled) {
            Ok(scaled) => scaled / WHOLE,
            Err(_) => u64::try_from(scaled / u128::from(WHOLE)).unwrap_or(u64::MAX),
        };
        Some(Price::from_ticks(ticks))
    }
}

/// The nearer of an order's own limit and the collar.
pub(crate) fn nearer(side: Side, limit: Option<Price>, collar: Option<Price>) -> Option<Price> {
    match (limit, collar) {
        (Some(limit), Some(collar)) => Some(match side {
            Side::Buy => limit.min(collar),
            Side::Sell => limit.max(collar),
        }),
        (limit, collar) => limit.or(collar),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For every price up to the largest, a buy may go to 105 % of the last trade, rounded down, and a sell
    /// to 95 %, rounded up. Proves ORD-051.
    #[test]
    fn every_price_has_its_collar() {
        let reach = |side, last| {
            let width = CollarWidth { buy: 105, sell: 95 };
            width.worst_price(&Book::default(), Some(Price::from_ticks(last)), side).map(Price::ticks)
        };
        for (last, buy, sell) in [
            (1, 1, 1),
            (19, 19, 19),
            (20, 21, 19),
            (10_000, 10_500, 9_500),
            // The first price whose product exceeds 64 bits, and one whose result does.
            (87_841_638_446_235_960, 92_233_720_368_547_758, 83_449_556_523_924_162),
            (u64::MAX, u64::MAX, 17_524_406_870_024_074_035),
        ] {
            assert_eq!((reach(Side::Buy, last), reach(Side::Sell, last)), (Some(buy), Some(sell)), "{last}");
        }
    }
}
