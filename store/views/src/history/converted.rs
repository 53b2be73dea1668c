//! The rows of the file of conversions: wraps and instant orders (D-170). They are found by order id and by client id, as orders are, and
//! are in no list of the book.

mod fold;

use super::chain::Link;
use super::codec::Position;
use super::packed::{links, row};
use super::row::{Part, Timed, TradeRow};
use buttonwood_engine::OrderState;
use buttonwood_model::{
    AccountId, Claim, ClientId, OrderId, OrderKind, SessionId, Side, SymbolId, Time, TradeId,
};
use buttonwood_num::{Money, Price, Qty};

row! {
    /// A wrap, or an instant order that was executed.
    pub struct ConversionRow {
        /// The account.
        pub account: AccountId,
        /// The symbol.
        pub symbol: SymbolId,
        /// Its id, which is that of its one trade too.
        pub order: OrderId,
        /// When it was executed.
        pub time: Time,
        /// Whether the account bought the base currency.
        pub side: Side,
        /// The quantity.
        pub qty: Qty,
        /// The price.
        pub price: Money,
        /// The worth of the quantity at the price, in the quote currency.
        pub notional: Money,
        /// The fee, in the quote currency.
        pub fee: Money,
        /// The client's id.
        pub client_id: Option<ClientId>,
    } linked by ConversionLinks
}

impl Timed for ConversionRow {
    fn millis(&self) -> u64 {
        self.time.millis()
    }
}

links! {
    /// The links of a conversion.
    pub(super) struct ConversionLinks of ConversionRow {
        /// Among all conversions of its account.
        pub(super) all: Link,
        /// The previous row in the bucket of its client id; none without a client id.
        pub(super) same_client: Option<Position>,
    }
}

impl ConversionRow {
    /// It as a closed market order.
    pub fn as_order(&self) -> OrderState {
        OrderState {
            id: self.order,
            account: self.account,
            session: SessionId::EXCHANGE,
            symbol: self.symbol,
            side: self.side,
            claim: Claim::Yes,
            kind: OrderKind::Market,
            option: None,
            price: Price::default(),
            original: self.qty,
            remaining: Qty::ZERO,
            notional: self.notional,
            broken: Qty::ZERO,
            placed: self.time,
            reason: None,
            client_id: self.client_id,
            stop: None,
        }
    }

    /// Its one trade.
    pub fn as_trade(&self) -> TradeRow {
        TradeRow {
            account: self.account,
            symbol: self.symbol,
            order: self.order,
            trade: TradeId(self.order.0),
            time: self.time,
            claim: Claim::Yes,
            side: self.side,
            part: Part::OffBook(self.price),
            price: Price::default(),
            qty: self.qty,
            fee: self.fee,
            client_id: self.client_id,
            of_order: None,
            settled: None,
            counted: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::codec::Damage;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_come_back(numbers: [u64; 3], money: [i128; 3], qty: u128, named: bool) {
            let [order, time, _] = numbers;
            let [price, notional, fee] = money.map(Money::from_units);
            let row = ConversionRow {
                account: AccountId(3),
                symbol: SymbolId(9),
                order: OrderId(order),
                time: Time(time),
                side: if named { Side::Buy } else { Side::Sell },
                qty: Qty::from_hundredths(qty),
                price,
                notional,
                fee,
                client_id: named.then(|| ClientId::new("mine").unwrap()),
            };
            let at = Position::new(1_000).unwrap();
            let all = Link { ordinal: 2, prev: Position::new(900), jump: Position::new(8) };
            let links = ConversionLinks { all, same_client: Position::new(800) };
            let mut out = Vec::new();
            row.encode(at, links, &mut out);
            prop_assert_eq!(ConversionRow::decode(at, &out), Ok((row, links)));
            out.truncate(2);
            prop_assert_eq!(ConversionRow::decode(at, &out), Err(Damage));
        }
    }
}
