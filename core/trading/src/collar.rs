//! The price collar: how far from the reference price an order may trade (ORD-051, D-32).

use buttonwood_book::Book;
use buttonwood_model::Side;
use buttonwood_num::Price;

/// Percent of twice the reference.
const WHOLE: u64 = 200;

/// How far from the reference an order may trade, in percent of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollarWidth {
    /// What a buy may reach at most, such as 105.
    pub buy: u8,
    /// What a sell may reach at least, such as 95.
    pub sell: u8,
}

impl CollarWidth {
    /// The worst price an incoming order may trade at; none where nothing has traded yet and a side is empty.
    ///
    /// The reference is the last trade price, moved into the span from best bid to best ask when it lies outside, and their
    /// middle when there was no trade.
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
        // 64-bit division is several times cheaper, and nearly every price small enough for it.
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

    /// Up to the largest price, a buy reaches 105 % of the last one rounded down, a sell 95 % rounded up. Proves ORD-051.
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
            // Where 64 bits begin to be too few for the product, and where they are for the result.
            (87_841_638_446_235_960, 92_233_720_368_547_758, 83_449_556_523_924_162),
            (u64::MAX, u64::MAX, 17_524_406_870_024_074_035),
        ] {
            assert_eq!((reach(Side::Buy, last), reach(Side::Sell, last)), (Some(buy), Some(sell)), "{last}");
        }
    }
}
