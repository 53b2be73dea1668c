//! The rows of the file of clearing orders, in memory and as bytes: orders that are closed. They have no links: the history's database
//! answers queries.

mod fold;

use super::codec::Damage;
use super::packed::{coded, row};
use buttonwood_model::{AccountId, OrderId, Side, SymbolId, Time};
use buttonwood_num::{Price, Qty};

/// How a clearing order was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClearingEnd {
    /// Both legs were settled.
    Settled,
    /// Its time was over.
    Expired,
    /// It was cancelled.
    Cancelled,
}

row! {
    /// A closed clearing order.
    pub struct ClearingRow {
        /// Its number, of which its `clearing_id` is the code.
        pub number: u64,
        /// The symbol.
        pub symbol: SymbolId,
        /// The side of the source.
        pub side: Side,
        /// The price.
        pub price: Price,
        /// The quantity.
        pub qty: Qty,
        /// Its end.
        pub end: ClearingEnd,
        /// Whether every side had confirmed it.
        pub is_confirmed: bool,
        /// The initiator, or the source of a broker's order.
        pub source: AccountId,
        /// The order id of the source.
        pub source_order: OrderId,
        /// The other side: the named counterparty or the account that confirmed.
        pub target: Option<AccountId>,
        /// The order id of the target, once it had confirmed.
        pub target_order: Option<OrderId>,
        /// The broker of a broker's order.
        pub broker: Option<AccountId>,
        /// When it was entered.
        pub submitted: Time,
        /// When it expires, or would have.
        pub expires: Time,
        /// When its status changed for the last time.
        pub changed: Time,
    }
}

coded! {
    ClearingEnd, end_code, end;
}

fn end_code(end: ClearingEnd) -> u64 {
    match end {
        ClearingEnd::Settled => 0,
        ClearingEnd::Expired => 1,
        ClearingEnd::Cancelled => 2,
    }
}

fn end(code: u64) -> Result<ClearingEnd, Damage> {
    match code {
        0 => Ok(ClearingEnd::Settled),
        1 => Ok(ClearingEnd::Expired),
        2 => Ok(ClearingEnd::Cancelled),
        _ => Err(Damage),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_come_back(
            number in any::<u64>(),
            times in any::<[u64; 3]>(),
            (symbol, price, qty) in any::<(u32, u64, u128)>(),
            (source, target, broker) in any::<(u32, Option<u32>, Option<u32>)>(),
            orders in (1_u64.., prop::option::of(1_u64..)),
            (is_buy, is_confirmed, end) in (any::<bool>(), any::<bool>(), 0_u64..3),
        ) {
            let [submitted, expires, changed] = times.map(Time);
            let row = ClearingRow {
                number,
                symbol: SymbolId(symbol),
                side: if is_buy { Side::Buy } else { Side::Sell },
                price: Price::from_ticks(price),
                qty: Qty::from_hundredths(qty),
                end: super::end(end).unwrap(),
                is_confirmed,
                source: AccountId(source),
                source_order: OrderId(orders.0),
                target: target.map(AccountId),
                target_order: orders.1.map(OrderId),
                broker: broker.map(AccountId),
                submitted,
                expires,
                changed,
            };
            let mut out = Vec::new();
            row.encode(&mut out);
            prop_assert_eq!(ClearingRow::decode(&out), Ok(row));
            out.push(0);
            prop_assert_eq!(ClearingRow::decode(&out), Err(Damage));
            out.truncate(2);
            prop_assert_eq!(ClearingRow::decode(&out), Err(Damage));
        }
    }
}
