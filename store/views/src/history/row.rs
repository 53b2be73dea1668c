//! The rows of orders and trades, in memory and as bytes.
//!
//! The order of the numbers and the codes of the enums are the format of the files; changing them requires a new
//! version in the headers. Bytes that are no row give [`Damage`], to which the log adds the position.

use super::chain::Link;
use super::codec::{self, Damage, Position};
use super::packed::{Body, Linked, links, row};
use super::stretch::Sums;
use buttonwood_engine::OrderState;
use buttonwood_model::{
    AccountId, CLIENT_ID_MAX, CancelReason, Claim, ClientId, ExecutionOption, OrderId, OrderKind, SessionId,
    Side, SymbolId, Time, TradeId,
};
use buttonwood_num::{Money, Price, Qty};

/// One account's part in a trade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TradeRow {
    /// The account.
    pub account: AccountId,
    /// The symbol traded.
    pub symbol: SymbolId,
    /// The account's order.
    pub order: OrderId,
    /// The trade; the other part has the same id.
    pub trade: TradeId,
    /// When it was traded.
    pub time: Time,
    /// The outcome that the account's order was about; [`Claim::Yes`] for products without outcomes.
    pub claim: Claim,
    /// The side of the account's order: of a contract whether it bought or sold claims on the outcome.
    pub side: Side,
    /// The part of the account's order in the trade.
    pub part: Part,
    /// The price, of a contract that of the outcome; off the book the last price of the grid at or below it.
    pub price: Price,
    /// The quantity.
    pub qty: Qty,
    /// The account's fee, in the quote currency.
    pub fee: Money,
    /// The client id of the account's order.
    pub client_id: Option<ClientId>,
    /// The row of this order's previous trade.
    pub of_order: Option<Position>,
    /// The account's balances after the trade; none for contracts, perpetuals, takeovers, clearing and the house, whose changes are entries or in no statement.
    pub settled: Option<Settled>,
    /// The dollars that the trade counted in the volumes of its accounts, if it counted by references (D-265).
    pub counted: Option<Money>,
}

/// The balances of an account after a trade and its fee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settled {
    /// In the base currency.
    pub base: Money,
    /// In the quote currency.
    pub quote: Money,
}

/// The part of an order in a trade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// It rested on the book.
    Maker,
    /// It came in and took.
    Taker,
    /// Both orders traded in an auction, whether they waited for it or rested before (AUCT-005).
    Auction,
    /// A position changed hands off the book, at this price. The trade is not public (D-52).
    OffBook(Money),
    /// Two accounts settled a clearing order at the row's price. The trade is not public (D-92).
    Clearing,
}

/// A closed order as it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderRow {
    /// The order.
    pub order: OrderState,
    /// When it closed.
    pub closed: Time,
    /// The row of its newest trade.
    pub trades: Option<Position>,
}

row! {
    /// A trade as published: no order, client id or account (MKT-024).
    pub struct PublicTrade {
        /// The symbol traded.
        pub symbol: SymbolId,
        /// The trade.
        pub trade: TradeId,
        /// When it was traded.
        pub time: Time,
        /// The price.
        pub price: Price,
        /// The quantity.
        pub qty: Qty,
        /// The taker's side; `None` in an auction.
        pub taker: Option<Side>,
    } linked by PublicLinks
}

/// A row that can be paged by time.
pub(super) trait Timed {
    /// The millisecond used for paging.
    fn millis(&self) -> u64;
}

row!(@stored TradeRow);

impl Timed for TradeRow {
    fn millis(&self) -> u64 {
        self.time.millis()
    }
}

impl Timed for OrderRow {
    fn millis(&self) -> u64 {
        self.order.placed.millis()
    }
}

impl Timed for PublicTrade {
    fn millis(&self) -> u64 {
        self.time.millis()
    }
}

/// The links of a trade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TradeLinks {
    /// Among all trades of its account.
    pub(super) all: Link,
    /// Among those of the same symbol.
    pub(super) symbol: Link,
    /// How many entries of the account were before it.
    pub(super) entries: u64,
}

links! {
    /// The links of a closed order.
    pub(super) struct OrderLinks of OrderRow {
        /// The previous row in the bucket of its order id.
        pub(super) same_order: Option<Position>,
        /// The previous row in the bucket of its client id; `None` without a client id.
        pub(super) same_client: Option<Position>,
        /// The least ids of its trees in the account's chains.
        pub(super) least: Least,
        /// In the account's chains.
        pub(super) account: AccountLinks,
    }
}

links! {
    /// The least order id among the rows of the tree of which a row is the root.
    pub(super) struct Least of OrderRow {
        /// In the chain of the account.
        pub(super) all: OrderId,
        /// In the chain of the account and symbol.
        pub(super) symbol: OrderId,
    }
}

links! {
    /// An order's links among all closed orders of its account, and among those of one symbol.
    pub(super) struct AccountLinks of OrderRow {
        /// Among all.
        pub(super) all: Link,
        /// Among those of the same symbol.
        pub(super) symbol: Link,
    }
}

links! {
    /// The links of a public trade.
    pub(super) struct PublicLinks of PublicTrade {
        /// The sums of the tree of which it is the root.
        pub(super) sums: Sums,
        /// Among those of its symbol.
        pub(super) link: Link,
    }
}

/// How far the id is below that of the row.
impl Linked<OrderRow> for OrderId {
    const COUNT: usize = 1;

    fn put_at(&self, _at: Position, row: &OrderRow, next: &mut impl FnMut(u64)) {
        next(row.order.id.0 - self.0);
    }

    fn take_at(_at: Position, row: &OrderRow, body: &mut Body<'_>) -> Result<Self, Damage> {
        row.order.id.0.checked_sub(body.number()?).map(Self).ok_or(Damage)
    }
}

/// The bytes of a trade do not follow from a declaration of its fields. Its part, its claim and whether it counted by references share the bits
/// of one number, two amounts come after the numbers and only where they are set, and its links come before the balances, which a later format
/// added.
impl TradeRow {
    /// The side of the book that the account's order was on.
    pub fn book_side(&self) -> Side {
        match self.claim {
            Claim::Yes => self.side,
            Claim::No => self.side.opposite(),
        }
    }

    /// Appends the body of the row at `at`.
    pub(super) fn encode(&self, at: Position, links: TradeLinks, out: &mut Vec<u8>) {
        let [qty, qty_high] = codec::halves(self.qty.hundredths());
        let [fee, fee_high] = codec::halves(codec::zigzag(self.fee.units()));
        let [ordinal, prev, jump] = links.all.numbers(at);
        let [symbol_ordinal, symbol_prev, symbol_jump] = links.symbol.numbers(at);
        let is_settled = u64::from(self.settled.is_some());
        let settled = self.settled.unwrap_or(Settled { base: Money::ZERO, quote: Money::ZERO });
        let [base, base_high] = codec::halves(codec::zigzag(settled.base.units()));
        let [quote, quote_high] = codec::halves(codec::zigzag(settled.quote.units()));
        let numbers = [
            u64::from(self.account.0),
            u64::from(self.symbol.0),
            self.order.0,
            self.trade.0,
            self.time.0,
            side_code(self.side),
            part_code(self.part) | claim_bit(self.claim) | self.counted.map_or(0, |_| COUNTED_BIT),
            self.price.ticks(),
            qty,
            qty_high,
            fee,
            fee_high,
            codec::distance(at, self.of_order),
            ordinal,
            prev,
            jump,
            symbol_ordinal,
            symbol_prev,
            symbol_jump,
            links.entries,
            is_settled,
            base,
            base_high,
            quote,
            quote_high,
        ];
        codec::pack(out, &numbers);
        if let Part::OffBook(price) = self.part {
            codec::pack(out, &codec::halves(codec::zigzag(price.units())));
        }
        if let Some(counted) = self.counted {
            codec::pack(out, &codec::halves(codec::zigzag(counted.units())));
        }
        put_client_id(out, self.client_id.as_ref());
    }

    /// Reads the body of the row at `at`.
    pub(super) fn decode(at: Position, body: &[u8]) -> Result<(Self, TradeLinks), Damage> {
        let (numbers, rest): ([u64; 25], _) = codec::unpack(body)?;
        let [account, symbol, order, trade, time, side_of, part_of, numbers_after @ ..] = numbers;
        let [price, qty, qty_high, fee, fee_high, of_order, numbers_after @ ..] = numbers_after;
        let [ordinal, prev, jump, symbol_ordinal, symbol_prev, symbol_jump, entries, settled @ ..] =
            numbers_after;
        let (part, rest) = part(part_of & !(NO_BIT | COUNTED_BIT), rest)?;
        let (counted, client_id) = if part_of & COUNTED_BIT == 0 { (None, rest) } else { take_money(rest)? };
        let row = Self {
            account: AccountId(u32::try_from(account)?),
            symbol: SymbolId(u32::try_from(symbol)?),
            order: OrderId(order),
            trade: TradeId(trade),
            time: Time(time),
            claim: if part_of & NO_BIT == 0 { Claim::Yes } else { Claim::No },
            side: side(side_of)?,
            part,
            price: Price::from_ticks(price),
            qty: Qty::from_hundredths(codec::whole(qty, qty_high)),
            fee: Money::from_units(codec::unzigzag(codec::whole(fee, fee_high))),
            client_id: take_client_id(client_id)?,
            of_order: codec::linked(at, of_order)?,
            settled: settled_of(settled)?,
            counted,
        };
        let links = TradeLinks {
            all: Link::from_numbers(at, [ordinal, prev, jump])?,
            symbol: Link::from_numbers(at, [symbol_ordinal, symbol_prev, symbol_jump])?,
            entries,
        };
        Ok((row, links))
    }
}

row! {
    OrderRow linked by OrderLinks, stored by OrderRow::blank {
        order.account: AccountId,
        order.session: SessionId,
        order.id: OrderId,
        order.symbol: SymbolId,
        order.side: Side,
        order.kind: OrderKind,
        order.option: Option<ExecutionOption>,
        order.reason: Option<CancelReason>,
        order.price: Price,
        order.original: Qty,
        order.remaining: Qty,
        order.notional: Money,
        order.placed: Time,
        closed: Time,
        order.stop: Option<Price>,
        trades: Option<Position>,
        order.client_id: Option<ClientId>,
    }
}

impl OrderRow {
    /// An order without its stored fields. Its claim and broken quantity are not stored: orders of contracts have a file of their own, and the
    /// quantity follows from the trades that are void.
    fn blank() -> Self {
        let order = OrderState {
            id: OrderId(0),
            account: AccountId(0),
            session: SessionId(0),
            symbol: SymbolId(0),
            side: Side::Buy,
            claim: Claim::Yes,
            kind: OrderKind::Limit,
            option: None,
            price: Price::from_ticks(0),
            original: Qty::ZERO,
            remaining: Qty::ZERO,
            notional: Money::ZERO,
            broken: Qty::ZERO,
            placed: Time(0),
            reason: None,
            client_id: None,
            stop: None,
        };
        Self { order, closed: Time(0), trades: None }
    }
}

/// The balances of these numbers.
fn settled_of([is_settled, base, base_high, quote, quote_high]: [u64; 5]) -> Result<Option<Settled>, Damage> {
    let money = |low, high| Money::from_units(codec::unzigzag(codec::whole(low, high)));
    match is_settled {
        0 => Ok(None),
        1 => Ok(Some(Settled { base: money(base, base_high), quote: money(quote, quote_high) })),
        _ => Err(Damage),
    }
}

/// The client id takes the rest of the body. No client id takes no bytes, since an id has at least one character.
pub(super) fn put_client_id(out: &mut Vec<u8>, client_id: Option<&ClientId>) {
    out.extend_from_slice(client_id.map_or(&[], ClientId::as_bytes));
}

pub(super) fn take_client_id(bytes: &[u8]) -> Result<Option<ClientId>, Damage> {
    match bytes.len() {
        0 => Ok(None),
        1..=CLIENT_ID_MAX => Ok(Some(ClientId::copied(bytes))),
        _ => Err(Damage),
    }
}

/// Maps each variant of an enum to its number, and back.
macro_rules! codes {
    ($name:ident, $code:ident, $value:ident: $($number:literal = $variant:ident),+) => {
        pub(super) fn $code(value: $name) -> u64 {
            match value {
                $($name::$variant => $number,)+
            }
        }

        pub(super) fn $value(code: u64) -> Result<$name, Damage> {
            match code {
                $($number => Ok($name::$variant),)+
                _ => Err(Damage),
            }
        }
    };
}

codes!(Side, side_code, side: 0 = Buy, 1 = Sell);
codes!(OrderKind, kind_code, kind: 0 = Limit, 1 = Market, 2 = MarketSpend, 3 = StopLimit);
// Zero means no option and no reason.
codes!(ExecutionOption, option_code, option: 1 = MakerOrCancel, 2 = ImmediateOrCancel, 3 = FillOrKill, 4 = AuctionOnly);
codes!(CancelReason, reason_code, reason:
    1 = MakerOrCancelWouldTake,
    2 = ImmediateOrCancelWouldPost,
    3 = FillOrKillWouldNotFill,
    4 = SelfCrossPrevented,
    5 = ExceedsPriceLimits,
    6 = Requested,
    7 = MarketClosed,
    8 = AuctionCancelled,
    9 = Uncovered,
    10 = TradingClosed,
    11 = InsufficientFunds
);

/// Set in the code of the part if the trade was about no; rows of earlier builds never have it.
const NO_BIT: u64 = 8;

/// Set in the code of the part if the row has what the trade counted; rows of earlier builds never have it.
const COUNTED_BIT: u64 = 16;

fn claim_bit(claim: Claim) -> u64 {
    match claim {
        Claim::Yes => 0,
        Claim::No => NO_BIT,
    }
}

fn part_code(part: Part) -> u64 {
    match part {
        Part::Maker => 0,
        Part::Taker => 1,
        Part::Auction => 2,
        Part::OffBook(_) => 3,
        Part::Clearing => 4,
    }
}

/// An amount, and the bytes after it.
fn take_money(bytes: &[u8]) -> Result<(Option<Money>, &[u8]), Damage> {
    let ([low, high], rest) = codec::unpack(bytes)?;
    Ok((Some(Money::from_units(codec::unzigzag(codec::whole(low, high)))), rest))
}

/// The part of a code, and the bytes after the numbers of its own.
fn part(code: u64, rest: &[u8]) -> Result<(Part, &[u8]), Damage> {
    match code {
        0 => Ok((Part::Maker, rest)),
        1 => Ok((Part::Taker, rest)),
        2 => Ok((Part::Auction, rest)),
        3 => {
            let ([low, high], rest) = codec::unpack(rest)?;
            Ok((Part::OffBook(Money::from_units(codec::unzigzag(codec::whole(low, high)))), rest))
        }
        4 => Ok((Part::Clearing, rest)),
        _ => Err(Damage),
    }
}
