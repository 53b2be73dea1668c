//! The rows of the file of clearing orders, in memory and as bytes: orders that are closed. They have no links: the history's database
//! answers queries.

use super::codec::{self, Damage, Position};
use super::index::Index;
use super::kinds::Stored;
use super::row::{side, side_code};
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

/// A closed clearing order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

impl Stored for ClearingRow {
    fn put(&self, _at: Position, _index: &mut Index, out: &mut Vec<u8>) {
        self.encode(out);
    }

    fn take(_at: Position, body: &[u8]) -> Result<Self, Damage> {
        Self::decode(body)
    }
}

impl ClearingRow {
    /// Appends the body of the row.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        let [qty, qty_high] = codec::halves(self.qty.hundredths());
        // Zero means none.
        let account = |account: Option<AccountId>| account.map_or(0, |account| u64::from(account.0) + 1);
        let numbers = [
            self.number,
            u64::from(self.symbol.0),
            side_code(self.side),
            self.price.ticks(),
            qty,
            qty_high,
            end_code(self.end),
            u64::from(self.is_confirmed),
            u64::from(self.source.0),
            self.source_order.0,
            account(self.target),
            // Order ids begin at 1.
            self.target_order.map_or(0, |order| order.0),
            account(self.broker),
            self.submitted.0,
            self.expires.0,
            self.changed.0,
        ];
        codec::pack(out, &numbers);
    }

    /// Reads the body of a row.
    pub(super) fn decode(body: &[u8]) -> Result<Self, Damage> {
        let (numbers, rest): ([u64; 16], _) = codec::unpack(body)?;
        let [number, symbol, side_of, price, qty, qty_high, end_of, confirmed, parties @ ..] = numbers;
        let [source, source_order, target, target_order, broker, submitted, expires, changed] = parties;
        let row = Self {
            number,
            symbol: SymbolId(u32::try_from(symbol)?),
            side: side(side_of)?,
            price: Price::from_ticks(price),
            qty: Qty::from_hundredths(codec::whole(qty, qty_high)),
            end: end(end_of)?,
            is_confirmed: flag(confirmed)?,
            source: AccountId(u32::try_from(source)?),
            source_order: OrderId(source_order),
            target: account(target)?,
            target_order: (target_order > 0).then_some(OrderId(target_order)),
            broker: account(broker)?,
            submitted: Time(submitted),
            expires: Time(expires),
            changed: Time(changed),
        };
        if rest.is_empty() { Ok(row) } else { Err(Damage) }
    }
}

fn account(number: u64) -> Result<Option<AccountId>, Damage> {
    let account = number.checked_sub(1).map(u32::try_from).transpose()?;
    Ok(account.map(AccountId))
}

fn flag(number: u64) -> Result<bool, Damage> {
    match number {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Damage),
    }
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
