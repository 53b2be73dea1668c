//! The rows of the file of order events: each a change of an order, which is one event or two (`crate::order_event`), or a refused order.
//!
//! The rows of an account are linked, the newest first. A row has only what differs from event to event. The facts of a fill are in the row
//! of the trade, those of the order in the row of the closed order, or in the state while it is live: the query puts them together
//! (`resume`). The row of a refused order, which is nowhere else, has all of its facts.

use super::codec::{self, Damage, Position};
use super::packed::row;
use super::row::{reason, reason_code};
use crate::order_event::{EventId, OrderChange, RefusedEvent, Step};
use buttonwood_engine::RefusedOrder;
use buttonwood_model::{AccountId, CancelReason, OrderId, SessionId, Time};
use buttonwood_num::{Money, Price, Qty};

/// A change of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderEventRow {
    /// The account of the order.
    pub account: AccountId,
    /// The id of its first event.
    pub first: EventId,
    /// The time of its command.
    pub time: Time,
    /// The order.
    pub order: OrderId,
    /// Its first event.
    pub step: RowStep,
    /// Whether a second event follows: booked after accepted, closed after filled or cancelled.
    pub is_double: bool,
    /// The quantity that the order had executed after it.
    pub executed: Qty,
    /// The same in quote currency, at the prices of the book.
    pub notional: Money,
    /// The money that the order names to spend; zero if it names none, or an earlier build wrote the row.
    pub spend: Money,
    /// Where the facts of the order are, if it is closed.
    pub closed: Option<ClosedRow>,
}

/// The kind of an event, as a row has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "rows are read one at a time")]
pub enum RowStep {
    /// It entered.
    Accepted,
    /// It rests, or waits.
    Booked,
    /// It traded: the row of the trade.
    Filled(Position),
    /// Its rest was cancelled.
    Cancelled(CancelReason),
    /// A cancel was refused.
    CancelRejected,
    /// It is no longer live.
    Closed,
    /// A rule refused it: its only event.
    Refused(RefusedOrder),
}

/// The row of a closed order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClosedRow {
    /// In the file of closed orders.
    Order(Position),
    /// In the file of prediction markets.
    Contract {
        /// The row there.
        row: Position,
        /// The key that placed the order.
        session: SessionId,
        /// Its limit on the book.
        price: Price,
        /// Its stop price on the book.
        stop: Option<Price>,
    },
}

impl From<&OrderChange> for OrderEventRow {
    /// # Panics
    /// For a fill without the row of its trade.
    fn from(change: &OrderChange) -> Self {
        let order = &change.order;
        let closed = change.closed.map(|row| {
            if order.symbol.is_contract() {
                ClosedRow::Contract { row, session: order.session, price: order.price, stop: order.stop }
            } else {
                ClosedRow::Order(row)
            }
        });
        let step = match change.step {
            Step::Accepted => RowStep::Accepted,
            Step::Booked => RowStep::Booked,
            Step::Filled(_) => RowStep::Filled(change.trade.expect("a fill has the row of its trade")),
            Step::Cancelled(reason) => RowStep::Cancelled(reason),
            Step::CancelRejected => RowStep::CancelRejected,
            Step::Closed => RowStep::Closed,
        };
        Self {
            account: order.account,
            first: change.first,
            time: change.time,
            order: order.id,
            step,
            is_double: change.is_double,
            executed: order.original - order.remaining,
            notional: order.notional,
            spend: change.spend,
            closed,
        }
    }
}

impl From<&RefusedEvent> for OrderEventRow {
    fn from(event: &RefusedEvent) -> Self {
        let RefusedEvent { id, time, order } = *event;
        Self {
            account: order.account,
            first: id,
            time,
            order: order.id,
            step: RowStep::Refused(order),
            is_double: false,
            executed: Qty::ZERO,
            notional: Money::ZERO,
            spend: Money::ZERO,
            closed: None,
        }
    }
}

row!(@stored OrderEventRow);

/// The bytes of an event do not follow from a declaration of its fields: its step, the reason of a cancel and three facts share the bits of one
/// number, most rows have none of the numbers after those that all have, and a refused order has a form of its own.
impl OrderEventRow {
    /// The id of its last event.
    pub fn last(&self) -> EventId {
        if self.is_double { self.first.next() } else { self.first }
    }

    /// Appends the body of the row at `at`, which follows `prev` among those of its account.
    pub(super) fn encode(&self, at: Position, prev: Option<Position>, out: &mut Vec<u8>) {
        let [executed, executed_high] = codec::halves(self.executed.hundredths());
        let [notional, notional_high] = codec::halves(codec::zigzag(self.notional.units()));
        let (step, trade) = match self.step {
            RowStep::Accepted => (0, 0),
            RowStep::Booked => (1, 0),
            RowStep::Filled(trade) => (2, trade.get()),
            RowStep::Cancelled(reason) => (3 | reason_code(reason) << REASON_SHIFT, 0),
            RowStep::CancelRejected => (4, 0),
            RowStep::Closed => (5, 0),
            RowStep::Refused(_) => (REFUSED, 0),
        };
        let is_double = if self.is_double { DOUBLE } else { 0 };
        let (is_contract, closed) = match self.closed {
            None => (0, 0),
            Some(ClosedRow::Order(row)) => (0, row.get()),
            Some(ClosedRow::Contract { row, .. }) => (CONTRACT, row.get()),
        };
        let numbers = [
            u64::from(self.account.0),
            self.first.0,
            self.time.0,
            self.order.0,
            step | is_double | is_contract | if self.spend == Money::ZERO { 0 } else { SPENDS },
            executed,
            executed_high,
            notional,
            notional_high,
            codec::distance(at, prev),
            trade,
            closed,
        ];
        codec::pack(out, &numbers);
        if let Some(ClosedRow::Contract { session, price, stop, .. }) = self.closed {
            // Zero is no price.
            codec::pack(out, &[u64::from(session.0), price.ticks(), stop.map_or(0, Price::ticks)]);
        }
        if self.spend != Money::ZERO {
            codec::pack(out, &codec::halves(codec::zigzag(self.spend.units())));
        }
        if let RowStep::Refused(order) = &self.step {
            *out = postcard::to_extend(order, std::mem::take(out)).expect("a vector takes every byte");
        }
    }

    /// Reads the body of the row at `at`, and the row before it among those of its account.
    pub(super) fn decode(at: Position, body: &[u8]) -> Result<(Self, Option<Position>), Damage> {
        let (numbers, rest): ([u64; 12], _) = codec::unpack(body)?;
        let [account, first, time, order, code, figures @ ..] = numbers;
        let [executed, executed_high, notional, notional_high, prev, trade, closed] = figures;
        let (step, reason_of) = (code & STEP, (code & !SPENDS) >> REASON_SHIFT);
        let step = match (step, Position::new(trade), reason_of) {
            (0, None, 0) => RowStep::Accepted,
            (1, None, 0) => RowStep::Booked,
            (2, Some(trade), 0) => RowStep::Filled(trade),
            (3, None, code) => RowStep::Cancelled(reason(code)?),
            (4, None, 0) => RowStep::CancelRejected,
            (5, None, 0) => RowStep::Closed,
            (REFUSED, None, 0) => {
                return refused(numbers, rest).and_then(|row| Ok((row, codec::linked(at, prev)?)));
            }
            _ => return Err(Damage),
        };
        let (closed, rest) = closed_row(code & CONTRACT != 0, Position::new(closed), rest)?;
        let (spend, rest) = spend_of(code & SPENDS != 0, rest)?;
        let row = Self {
            account: AccountId(u32::try_from(account)?),
            first: EventId(first),
            time: Time(time),
            order: OrderId(order),
            step,
            is_double: code & DOUBLE != 0,
            executed: Qty::from_hundredths(codec::whole(executed, executed_high)),
            notional: Money::from_units(codec::unzigzag(codec::whole(notional, notional_high))),
            spend,
            closed,
        };
        if rest.is_empty() { Ok((row, codec::linked(at, prev)?)) } else { Err(Damage) }
    }
}

// The code of a step: its number, whether a second event follows, whether the closed order is one of a contract, the reason of a cancel, and
// whether the order names money to spend.

const STEP: u64 = 0xf;
/// The number of the step of a refused order.
const REFUSED: u64 = 6;
const DOUBLE: u64 = 0x10;
const CONTRACT: u64 = 0x20;
const REASON_SHIFT: u32 = 6;
const SPENDS: u64 = 1 << 20;

/// The row of a refused order: the numbers that no other row of its kind has are zero.
fn refused(numbers: [u64; 12], rest: &[u8]) -> Result<OrderEventRow, Damage> {
    let [account, first, time, id, code, 0, 0, 0, 0, _, 0, 0] = numbers else { return Err(Damage) };
    let (order, rest): (RefusedOrder, _) = postcard::take_from_bytes(rest).map_err(|_| Damage)?;
    let is_same = (u64::from(order.account.0), order.id.0) == (account, id);
    if code == REFUSED && is_same && rest.is_empty() {
        Ok(OrderEventRow::from(&RefusedEvent { id: EventId(first), time: Time(time), order }))
    } else {
        Err(Damage)
    }
}

/// The money that an order names to spend, which is not zero.
fn spend_of(has_spend: bool, rest: &[u8]) -> Result<(Money, &[u8]), Damage> {
    if !has_spend {
        return Ok((Money::ZERO, rest));
    }
    let ([low, high], rest) = codec::unpack(rest)?;
    let spend = Money::from_units(codec::unzigzag(codec::whole(low, high)));
    if spend == Money::ZERO { Err(Damage) } else { Ok((spend, rest)) }
}

fn closed_row(
    is_contract: bool,
    row: Option<Position>,
    rest: &[u8],
) -> Result<(Option<ClosedRow>, &[u8]), Damage> {
    match (is_contract, row) {
        (false, row) => Ok((row.map(ClosedRow::Order), rest)),
        (true, None) => Err(Damage),
        (true, Some(row)) => {
            let ([session, price, stop], rest) = codec::unpack(rest)?;
            let session = SessionId(u32::try_from(session)?);
            let stop = (stop > 0).then(|| Price::from_ticks(stop));
            Ok((Some(ClosedRow::Contract { row, session, price: Price::from_ticks(price), stop }), rest))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttonwood_model::{Claim, ClientId, ExecutionOption, OrderKind, RefusalReason, Seq, Side, SymbolId};
    use buttonwood_num::Decimal;
    use proptest::prelude::*;

    fn position(offset: u64) -> Position {
        Position::new(offset.max(1)).unwrap()
    }

    fn decimals() -> impl Strategy<Value = Option<Decimal>> {
        let longest = u128::MAX >> 5;
        prop::option::of((0..longest, 0_u8..=19).prop_map(|(digits, scale)| {
            Decimal::of_units(digits, scale).or(Decimal::of_units(digits % 1_000_000, scale)).unwrap()
        }))
    }

    fn refused_orders() -> impl Strategy<Value = RefusedOrder> {
        let names = (any::<(u64, u32, u32, u32)>(), 0..RefusalReason::ALL.len(), 0_usize..=100);
        (names, any::<(bool, bool, bool)>(), [decimals(), decimals(), decimals(), decimals()]).prop_map(
            |(((id, account, session, symbol), reason, length), (is_buy, is_no, is_limit), figures)| {
                let [price, stop, qty, spend] = figures;
                RefusedOrder {
                    id: OrderId(id),
                    account: AccountId(account),
                    session: SessionId(session),
                    symbol: SymbolId(symbol),
                    side: if is_buy { Side::Buy } else { Side::Sell },
                    claim: if is_no { Claim::No } else { Claim::Yes },
                    kind: if is_limit { OrderKind::StopLimit } else { OrderKind::MarketSpend },
                    option: is_limit.then_some(ExecutionOption::AuctionOnly),
                    price,
                    stop,
                    qty,
                    spend,
                    client_id: ClientId::new(&"c".repeat(length)).ok(),
                    reason: RefusalReason::ALL[reason],
                }
            },
        )
    }

    fn steps(trade: u64) -> impl Strategy<Value = RowStep> {
        prop::sample::select(vec![
            RowStep::Accepted,
            RowStep::Booked,
            RowStep::Filled(position(trade)),
            RowStep::Cancelled(CancelReason::MakerOrCancelWouldTake),
            RowStep::Cancelled(CancelReason::InsufficientFunds),
            RowStep::CancelRejected,
            RowStep::Closed,
        ])
    }

    proptest! {
        #[test]
        fn rows_come_back(
            (account, session, is_double) in any::<(u32, u32, bool)>(),
            numbers in any::<[u64; 4]>(),
            (executed, notional, spend) in any::<(u128, i128, i128)>(),
            spends: bool,
            step in steps(900),
            closed in 0_usize..3,
            stop in prop::option::of(1_u64..),
        ) {
            let [first, time, order, price] = numbers;
            let contract = ClosedRow::Contract {
                row: position(order),
                session: SessionId(session),
                price: Price::from_ticks(price),
                stop: stop.map(Price::from_ticks),
            };
            let row = OrderEventRow {
                account: AccountId(account),
                first: EventId(first),
                time: Time(time),
                order: OrderId(order),
                step,
                is_double,
                executed: Qty::from_hundredths(executed),
                notional: Money::from_units(notional),
                spend: if spends { Money::from_units(spend) } else { Money::ZERO },
                closed: [None, Some(ClosedRow::Order(position(price))), Some(contract)][closed],
            };
            let at = position(1_000);
            let mut out = Vec::new();
            row.encode(at, Position::new(900), &mut out);
            prop_assert_eq!(OrderEventRow::decode(at, &out), Ok((row, Position::new(900))));
            out.push(0);
            prop_assert_eq!(OrderEventRow::decode(at, &out), Err(Damage));
            out.truncate(3);
            prop_assert_eq!(OrderEventRow::decode(at, &out), Err(Damage));
        }

        /// The row of a refused order has all of its facts, with its figures as they were sent.
        #[test]
        fn refused_orders_come_back(order in refused_orders(), first: u64, time: u64) {
            let event = RefusedEvent { id: EventId(first), time: Time(time), order };
            let row = OrderEventRow::from(&event);
            let at = position(1_000);
            let mut out = Vec::new();
            row.encode(at, Position::new(900), &mut out);
            prop_assert!(out.len() + codec::FRAME_HEAD <= codec::ROW_MAX);
            prop_assert_eq!(OrderEventRow::decode(at, &out), Ok((row, Position::new(900))));
            prop_assert_eq!(OrderEventRow::decode(at, &out[..out.len() - 1]), Err(Damage));
            out.push(0);
            prop_assert_eq!(OrderEventRow::decode(at, &out), Err(Damage));
            let double = OrderEventRow { is_double: true, ..row };
            let other = OrderEventRow { account: AccountId(order.account.0 ^ 1), ..row };
            let executed = OrderEventRow { executed: Qty::from_hundredths(1), ..row };
            for damaged in [double, other, executed] {
                out.clear();
                damaged.encode(at, None, &mut out);
                prop_assert_eq!(OrderEventRow::decode(at, &out), Err(Damage));
            }
        }

        /// Numbers that are no row are refused: an unknown step, a fill without a trade, a trade or a reason of another step.
        #[test]
        fn other_codes_are_refused(code in 0_u64..1 << 11, trade in 0_u64..2) {
            let mut numbers = [1; 12];
            (numbers[4], numbers[9], numbers[10], numbers[11]) = (code, 0, trade, 0);
            let mut out = Vec::new();
            codec::pack(&mut out, &numbers);
            let (step, reason) = (code & 0xf, code >> 6);
            let is_step = match step {
                2 => trade == 1 && reason == 0,
                3 => trade == 0 && (1..=11).contains(&reason),
                0 | 1 | 4 | 5 => trade == 0 && reason == 0,
                _ => false,
            };
            let is_row = is_step && code & 0x20 == 0;
            prop_assert_eq!(OrderEventRow::decode(position(1_000), &out).is_ok(), is_row);
        }
    }

    /// An order that rests takes few bytes, and so does its cancel.
    #[test]
    fn rows_are_short() {
        let row = OrderEventRow {
            account: AccountId(70_000),
            first: EventId::new(Seq(3_000_000_000), 0),
            time: Time(1_767_225_600_000_000),
            order: OrderId(4_000_000_000),
            step: RowStep::Accepted,
            is_double: true,
            executed: Qty::ZERO,
            notional: Money::ZERO,
            spend: Money::ZERO,
            closed: None,
        };
        let at = position(50_000_000_000);
        let bytes = |row: OrderEventRow| {
            let mut out = Vec::new();
            codec::seal(&mut out, at, |out| row.encode(at, Position::new(49_999_990_000), out))
        };
        assert_eq!(bytes(row), 36);
        let closed = Some(ClosedRow::Order(position(40_000_000_000)));
        let step = RowStep::Cancelled(CancelReason::Requested);
        assert_eq!(bytes(OrderEventRow { step, closed, ..row }), 42);
    }
}
