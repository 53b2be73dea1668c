//! The interface between the floor and the products: the calls that the floor makes to the desk of an order.
//!
//! A desk handles the money of a product's orders: what they reserve, what a fill costs, how it settles. The
//! engine has one type for all desks, which selects the desk by the order's [`OrderClass`]: a cash order and
//! a margin order may trade on one book, and each side settles at its own desk.

use crate::{Break, BreakError, CollarWidth, FeeSchedule, Floor};
use buttonwood_book::{Fill, Order, Traded};
use buttonwood_model::{
    AccountId, AssetId, CancelReason, Desk, GroupId, Held, OrderClass, OrderKind, Product, SessionId, Side,
    Symbol, SymbolId, Time,
};
use buttonwood_num::{Grid, Money, Price, Qty};
use core::fmt::Debug;

/// The rules of a product that the floor applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// How far from the reference price an order may trade; none without a collar.
    pub collar: Option<CollarWidth>,
    /// Whether its symbols may be opened.
    pub opens: bool,
    /// Whether its symbols may have auctions.
    pub auctions: bool,
    /// Why an order is cancelled that cannot cover a fill.
    pub uncovered: CancelReason,
    /// The product whose fee rates its orders are placed under.
    pub fees_of: Product,
    /// The stop prices that its stop-limit orders may have.
    pub stops: StopRule,
}

/// Which stop prices fit a stop-limit order. Both rules are those of the order's side of the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopRule {
    /// A buy's stop price is not above its limit and a sell's not below, by half the stop price at most (ORD-040). REST wants more (ORD-038).
    Apart,
    /// A buy's stop price lies from the last price to its limit, a sell's from its limit to the last price, both included (D-117).
    BetweenLastAndLimit,
}

/// The amount that an order on the book reserves, and the balance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reserve {
    /// The balance; [`Held::NONE`] when it reserves nothing.
    pub held: Held,
    /// How much.
    pub amount: Money,
}

impl Reserve {
    /// The reserve of an order that reserves nothing.
    pub const NONE: Self = Self { held: Held::NONE, amount: Money::ZERO };
}

/// An incoming order, before it enters.
#[derive(Clone, Copy, Debug)]
pub struct Terms<'a> {
    /// The symbol that it trades.
    pub symbol: &'a Symbol,
    /// The id of the symbol.
    pub symbol_id: SymbolId,
    /// The account that places it.
    pub account: AccountId,
    /// The key that places it; [`SessionId::EXCHANGE`] for the exchange's own orders, which a desk may admit
    /// without funds.
    pub session: SessionId,
    /// Side, outcome and desk.
    pub class: OrderClass,
    /// The rates that it would be placed under.
    pub rates: FeeSchedule,
    /// Limit or market; a stop-limit order is a limit order to its desk.
    pub kind: OrderKind,
    /// Its limit; zero for market orders.
    pub price: Price,
    /// Its quantity; zero for an order that names money to spend.
    pub qty: Qty,
    /// The money to spend; zero for all other orders.
    pub spend: Money,
    /// Whether it meets other orders as it enters; then [`Desks::affords`] is called for it.
    pub meets: bool,
    /// Whether what it does not trade at once may rest.
    pub rests: bool,
    /// The reserve that it frees as it enters, since it held it while it waited for its stop price; zero for every other order.
    pub freed: Money,
    /// The quantity for which it reserved while it waited for its stop price; zero for every other order.
    pub waited: Qty,
    /// The floor that it enters.
    pub floor: &'a Floor,
    /// The time of its command.
    pub time: Time,
}

/// An order that has entered, with its symbol and the floor.
#[derive(Clone, Copy, Debug)]
pub struct Live<'a> {
    /// The symbol that it trades.
    pub symbol: &'a Symbol,
    pub(crate) floor: &'a Floor,
    /// The order.
    pub order: &'a Order,
}

impl<'a> Live<'a> {
    /// The increments of its symbol.
    #[inline]
    pub fn grid(self) -> &'a Grid {
        &self.symbol.grid
    }

    /// The floor that it is on.
    pub fn floor(self) -> &'a Floor {
        self.floor
    }

    /// The rates that it was placed under.
    #[inline]
    pub fn rates(self) -> FeeSchedule {
        self.floor.fees.get(self.order.rates)
    }

    /// Its desk.
    #[inline]
    pub fn desk(self) -> Desk {
        self.order.class().desk()
    }
}

/// A fill of a resting order by the taker, at the resting order's price.
#[derive(Clone, Copy, Debug)]
pub struct Execution<'a> {
    /// The resting order, as before the fill.
    pub maker: Live<'a>,
    /// The incoming order, as before the fill.
    pub taker: Live<'a>,
    /// How much.
    pub qty: Qty,
    /// Price times quantity.
    pub notional: Money,
    /// The fee of the maker's owner.
    pub maker_fee: &'a Money,
    /// The fee of the taker's owner.
    pub taker_fee: &'a Money,
}

/// A trade of two resting orders in an auction.
#[derive(Clone, Copy, Debug)]
pub struct Crossing<'a> {
    /// The bid, as it was before the trade.
    pub buy: Live<'a>,
    /// The ask, as it was before the trade.
    pub sell: Live<'a>,
    /// The price of the auction.
    pub price: Price,
    /// How much.
    pub qty: Qty,
    /// Price times quantity.
    pub notional: Money,
    /// The fees of the owners of bid and ask.
    pub fees: [Money; 2],
}

/// Whether the accounts of both orders can pay for a fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cover {
    /// Both can; the plan holds the fill.
    Both,
    /// The resting order's account cannot.
    NotMaker,
    /// The incoming order's account cannot, though the resting order's could.
    NotTaker,
}

/// All desks of an exchange, with the balances that they change. Methods that take `&self` are called while a
/// command is decided; those that take `&mut self` while its events are applied, and cannot fail.
///
/// An order's life, as its desk sees it:
///
/// 1. [`Desks::desk`] chooses the desk, [`Desks::rules`] returns the product's rules, and [`Desks::reserve`]
///    refuses the order or returns what it would reserve. An order that meets no other order rests with that
///    reserve: [`Desks::hold`].
/// 2. For an order that meets others, the floor plans the fills, best price and oldest order first. It calls
///    [`Desks::covers`] for each maker, and [`Desks::buy_with`] for an order that names money. Then it calls
///    [`Desks::rest`], if a part of the order rests, and [`Desks::affords`]. An order that is not affordable is planned again as far as
///    [`Desks::passes`] says.
/// 3. A maker that is not covered is cancelled before the fills, [`Desks::release`], and the plan continues
///    with the next one. After [`crate::place::FILLS_MAX`] such makers the plan ends, and the rest of the
///    incoming order is cancelled. It also ends before a fill that the taker cannot cover, with the same effect.
/// 4. Each fill settles the maker's side: [`Desks::settle_maker`]. The last event of the taker settles its
///    side once for all of its fills, [`Desks::settle_taker`], and reserves the hold of its rest,
///    [`Desks::hold`].
/// 5. A resting order leaves the book with the fill that completes it, whose settlement frees the rest of its
///    reserve, or with a cancel: [`Desks::release`].
///
/// The two sides of a fill may belong to different desks. Each desk posts entries that sum to zero for each
/// asset, against a house account or against the ledger's account of what makers gave and got. The latter
/// must be empty after the taker's side is settled.
///
/// A reserve may depend on more than the order, such as a position. The desk then stores the amount by the
/// order's id, from [`Desks::hold`] on; only the order's own fills and its cancel change it.
pub trait Desks: Debug {
    /// Why a desk refuses an order, other than for lack of funds.
    type Refusal: Copy + Debug + PartialEq + Eq;

    /// The notes of a desk from one fill of a plan to the next, so that it can cover several fills of one account
    /// together.
    type Plan: Clone + Default + Debug;

    /// The group of an account; none for an account of the house.
    fn group(&self, account: AccountId) -> Option<GroupId>;

    /// The plan of a command of this time, without fills.
    fn plan(&self, _time: Time) -> Self::Plan {
        Self::Plan::default()
    }

    /// Why the rest of an incoming order is cancelled whose account cannot pay for the next fill of the plan.
    fn uncovered(&self, symbol: &Symbol, _plan: &Self::Plan) -> CancelReason {
        self.rules(symbol).uncovered
    }

    /// The desk for a new order of the account, on credit or not. An order keeps its desk.
    ///
    /// # Errors
    /// Why the account does not trade the symbol, or not on credit.
    fn desk(&self, symbol: &Symbol, account: AccountId, on_margin: bool) -> Result<Desk, Self::Refusal>;

    /// The rules of the symbol's product.
    fn rules(&self, symbol: &Symbol) -> Rules;

    /// The worst price of an order that the exchange itself sends, where its desk has one in place of the collar (D-261).
    fn forced_edge(&self, _terms: &Terms<'_>) -> Option<Price> {
        None
    }

    /// Whether the product can settle a symbol that is to be listed: its currencies are listed, for example.
    fn can_settle(&self, symbol: &Symbol) -> bool;

    /// The reserve of the whole order, if the account can pay for it; [`Reserve::NONE`] for an order that reserves
    /// nothing. For an order that rests whole this is the only check of funds; for one that [meets](Terms::meets)
    /// others, [`Desks::affords`] is another. For an order that cannot rest, the result is not used.
    ///
    /// # Errors
    /// Why it may not enter.
    fn reserve(&self, terms: &Terms<'_>) -> Result<Reserve, Unmet<Self::Refusal>>;

    /// The reserve of the remaining quantity `left` of the order; the whole order would reserve `whole`.
    fn rest(&self, terms: &Terms<'_>, left: Qty, whole: Reserve) -> Reserve;

    /// How much of the quantity `open` the order can buy at a price with `money`. Subtracts the cost from
    /// `money`.
    fn buy_with(&self, terms: &Terms<'_>, money: &mut Money, price: Price, open: Qty) -> Qty;

    /// Whether both accounts can pay for a fill of `qty` at the resting order's price, after the fills that the
    /// plan holds already; if so, the desks note the fill in the plan. Otherwise the order of the account that
    /// cannot is cancelled ([`Rules::uncovered`]), of the taker what is left ([`Desks::uncovered`]); nothing is cancelled if the taker
    /// is refused or cancelled unfilled.
    fn covers(&self, plan: &mut Self::Plan, maker: Live<'_>, taker: &Terms<'_>, qty: Qty) -> Cover;

    /// Whether both accounts can pay for an auction's trade, after the trades that the plan holds already; if so,
    /// the desks note the trade in the plan. The orders are as they were before all of them.
    ///
    /// # Errors
    /// The side that cannot; its order is cancelled ([`Rules::uncovered`]).
    fn covers_crossing(&self, plan: &mut Self::Plan, crossing: &Crossing<'_>) -> Result<(), Side>;

    /// Whether the incoming order's account can pay for these fills and for what the order's rest reserves.
    /// Called for an order that met others and is not cancelled unfilled, even if every maker was uncovered.
    ///
    /// # Errors
    /// Why it may not enter.
    fn affords(
        &self,
        terms: &Terms<'_>,
        fills: &[Fill],
        rest: Option<Reserve>,
        plan: &Self::Plan,
    ) -> Result<(), Unmet<Self::Refusal>>;

    /// Whether [`Desks::affords`] judges the fills of an incoming order one after another, by the notes of the plan. If not, a limit order
    /// that reserves for the whole of its quantity affords every part of it.
    fn judges_fills(&self, _class: OrderClass) -> bool {
        false
    }

    /// How much of an order that [`Desks::affords`] refuses may trade all the same, since it only makes a position smaller (D-173). Its
    /// fills are planned again, with what this notes in the plan, and what is left of the order is cancelled.
    fn passes(&self, plan: &mut Self::Plan, terms: &Terms<'_>) -> Qty;

    /// The fees of maker and taker for a fill, each computed by its own desk.
    fn fees(&self, maker: Live<'_>, taker: &Terms<'_>, qty: Qty) -> [Money; 2];

    /// The fee of one party for `qty` of an auction's trade; `left` is the order's remaining quantity before
    /// the trade.
    fn auction_fee(&self, party: Live<'_>, left: Qty, price: Price, qty: Qty) -> Money;

    /// The asset and the amount that a resting order reserves; none if it reserves nothing.
    fn reserved(&self, order: Live<'_>) -> Option<(AssetId, Money)>;

    /// Reserves the hold of an order that begins to rest; also called with [`Reserve::NONE`]. `order` is a
    /// closure, so that only desks that need the order read it.
    fn hold<'a>(&mut self, desk: Desk, order: impl FnOnce() -> Live<'a>, reserve: Reserve);

    /// Frees all that a resting order reserves, before it is cancelled; also called for orders that reserve
    /// nothing.
    fn release(&mut self, order: Live<'_>);

    /// Settles the maker's side of a fill and frees the fill's part of the reserve, or all of it if the fill
    /// completes the order. The taker's desk adds up the taker's fees until [`Desks::settle_taker`].
    fn settle_maker(&mut self, execution: &Execution<'_>);

    /// Settles the taker's side for all of its fills; `traded` is their sum. Not called for an order without
    /// fills.
    fn settle_taker(&mut self, taker: Live<'_>, traded: Traded);

    /// Settles both sides of an auction's trade, each at its own desk and from its reserve.
    fn settle_crossing(&mut self, crossing: &Crossing<'_>);

    /// The best prices or the last price of the symbol's book may have changed.
    fn touch(&mut self, symbol: SymbolId);

    /// Whether a full break of a trade of the symbol can be settled: both parties have what they return.
    ///
    /// # Errors
    /// Why it cannot.
    fn can_void(&self, symbol: &Symbol, broken: &Break) -> Result<(), BreakError>;

    /// Settles a full break: both parties return what they got, and the house both fees.
    fn void(&mut self, symbol: &Symbol, broken: &Break);

    /// Notes a trade that was broken by hand: its money stays as it is (ORD-022).
    fn note_manual_break(&mut self, _symbol: &Symbol, _broken: &Break) {}

    /// Whether the ledger's account between makers and taker is empty; true between any two orders.
    fn is_settled(&self) -> bool;
}

/// Why a desk refuses an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmet<R> {
    /// The account has too little available.
    Funds {
        /// What the order costs or reserves.
        needed: Money,
        /// What the account has available of that currency.
        available: Money,
    },
    /// The account's funds do not bear it, and no amount says what is missing: sums of risk decide, or it is beyond the range of money.
    Beyond,
    /// Another reason, of the desk.
    Other(R),
}
