//! Price-time matching of one incoming order.
//!
//! It reads the book and writes nothing: the caller turns the fills into events, and only events are applied. So a
//! live match and a replay cannot differ.
//!
//! Clauses: `ORD-046`, `ORD-047`. Not here: which orders may enter, at what prices they may trade, who pays what.

use crate::{Order, Orders};
use alloc::vec::Vec;
use buttonwood_model::{Side, Slot, SymbolId};
use buttonwood_num::{Price, Qty};

/// A planned execution against one resting order, at that order's price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fill {
    /// The resting order.
    pub maker: Slot,
    /// Its price: the maker's, because it was there first (ORD-046).
    pub price: Price,
    /// The quantity.
    pub qty: Qty,
}

/// Plans the fills of an incoming order on `side` into `fills`, a buffer that the writer reuses: best price first,
/// then oldest first (ORD-047), no worse than `limit`. `want` returns the quantity to take of each resting order, so
/// that an order that spends money follows the same path. `None` skips a resting order that cannot trade. Returns
/// false if there would be more than `most` fills; the plan then ends at `most`.
#[must_use]
pub fn plan(
    orders: &Orders,
    symbol: SymbolId,
    side: Side,
    limit: Option<Price>,
    mut want: impl FnMut(Slot, &Order) -> Option<Qty>,
    most: usize,
    fills: &mut Vec<Fill>,
) -> bool {
    fills.clear();
    let ladder = orders.book(symbol).side(side.opposite());
    let mut next = ladder.best();
    while let Some(price) = next {
        if limit.is_some_and(|limit| !ladder.reaches(price, limit)) {
            return true;
        }
        for maker in orders.queue(symbol, side.opposite(), price) {
            let order = orders.get(maker);
            let open = order.remaining;
            let Some(qty) = want(maker, order) else { continue };
            if qty > Qty::ZERO {
                if fills.len() == most {
                    return false;
                }
                fills.push(Fill { maker, price, qty });
            }
            if qty < open {
                return true;
            }
        }
        next = ladder.worse_than(price);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NewOrder;
    use buttonwood_model::{
        AccountId, Claim, Desk, Held, OrderClass, OrderId, OrderKind, RatesId, SessionId, TextRef, Time,
    };

    const BTCUSD: SymbolId = SymbolId(0);

    /// Four asks of five each, two of them at the best price; lower ids are older.
    fn asks() -> Orders {
        let mut orders = Orders::default();
        orders.open_account(AccountId(0));
        for (id, ticks) in [(0, 100), (1, 103), (2, 101), (3, 100)] {
            let new = NewOrder {
                id: OrderId(id),
                price: Price::from_ticks(ticks),
                qty: Qty::from_hundredths(5),
                account: AccountId(0),
                session: SessionId(0),
                symbol: BTCUSD,
                class: OrderClass::new(Side::Sell, Claim::Yes, Desk::new(0)),
                kind: OrderKind::Limit,
                option: None,
                rates: RatesId(0),
                client_id: TextRef::default(),
            };
            orders.insert_booked(&new, &[], Time(0), Held(0));
        }
        orders
    }

    /// The fills of a buy of `qty`, as id of the maker, price and quantity.
    fn fills(qty: u128, limit: Option<u64>) -> Vec<(u64, u64, u128)> {
        let orders = asks();
        let mut left = qty;
        let want = |_, order: &Order| {
            let taken = order.remaining.hundredths().min(left);
            left -= taken;
            Some(Qty::from_hundredths(taken))
        };
        let mut fills = alloc::vec![Fill { maker: Slot(9), price: Price::from_ticks(9), qty: Qty::ZERO }];
        assert!(plan(&orders, BTCUSD, Side::Buy, limit.map(Price::from_ticks), want, 4, &mut fills));
        fills
            .iter()
            .map(|fill| (orders.get(fill.maker).id.0, fill.price.ticks(), fill.qty.hundredths()))
            .collect()
    }

    /// Best price first, then oldest first, each at the maker's price (ORD-046, ORD-047).
    #[test]
    fn the_best_and_oldest_trade_first() {
        assert_eq!(fills(3, None), [(0, 100, 3)]);
        assert_eq!(fills(12, None), [(0, 100, 5), (3, 100, 5), (2, 101, 2)]);
        assert_eq!(fills(100, None), [(0, 100, 5), (3, 100, 5), (2, 101, 5), (1, 103, 5)]);
    }

    /// A want smaller than the resting order's quantity ends the plan.
    #[test]
    fn a_smaller_want_ends_it() {
        let mut fills = Vec::new();
        assert!(plan(&asks(), BTCUSD, Side::Buy, None, |_, _| Some(Qty::from_hundredths(3)), 1, &mut fills));
        assert_eq!(fills.len(), 1);
    }

    /// A plan of more fills than the limit is refused; one of exactly the limit is not.
    #[test]
    fn so_many_end_it() {
        let mut fills = Vec::new();
        let mut ends = |most| {
            plan(&asks(), BTCUSD, Side::Buy, None, |_, order: &Order| Some(order.remaining), most, &mut fills)
        };
        assert_eq!([ends(3), ends(4)], [false, true]);
    }

    /// An order that cannot trade is skipped, and the plan continues after it.
    #[test]
    fn an_order_may_be_passed_over() {
        let mut fills = Vec::new();
        let want = |maker, order: &Order| (maker != Slot(0)).then_some(order.remaining);
        assert!(plan(&asks(), BTCUSD, Side::Buy, Some(Price::from_ticks(101)), want, 4, &mut fills));
        assert_eq!(fills.iter().map(|fill| fill.maker).collect::<Vec<_>>(), [Slot(3), Slot(2)]);
    }

    /// Orders at the limit trade, and those at the next worse price do not. A satisfied order stops there.
    #[test]
    fn a_limit_ends_it() {
        assert_eq!(fills(100, Some(101)), [(0, 100, 5), (3, 100, 5), (2, 101, 5)]);
        assert_eq!(fills(100, Some(99)), []);
        assert_eq!(fills(5, Some(100)), [(0, 100, 5)]);
    }
}
