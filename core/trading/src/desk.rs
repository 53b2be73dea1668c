//! The seam between the floor and the products: what the floor asks the desk of an order.
//!
//! A desk knows the money of a product's orders: what they reserve, what a fill costs, how it settles. The engine has one
//! type for all desks, which chooses by the order's [`OrderClass`]: on one book a cash order may meet a margin order, and
//! each side settles at its own desk.

use crate::{CollarWidth, FeeSchedule, Fees};
use buttonwood_book::{Fill, Order, Traded};
use buttonwood_model::{AccountId, AssetId, Desk, Held, OrderClass, OrderKind, SessionId, Symbol, SymbolId};
use buttonwood_num::{Grid, Money, Price, Qty};
use core::fmt::Debug;

/// What a product leaves to choice on the floor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// How far from the reference price an order may trade; none for any distance.
    pub collar: Option<CollarWidth>,
    /// Whether its symbols may be opened.
    pub opens: bool,
    /// Whether its symbols may have auctions. Only products whose resting orders always cover their fills may.
    pub auctions: bool,
}

/// What an order on the book reserves, and of which balance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reserve {
    /// The balance; [`Held::NONE`] when it reserves nothing.
    pub held: Held,
    /// How much.
    pub amount: Money,
}

impl Reserve {
    /// Of an order that reserves nothing.
    pub const NONE: Self = Self { held: Held::NONE, amount: Money::ZERO };
}

/// An order that has not entered yet.
#[derive(Clone, Copy, Debug)]
pub struct Terms<'a> {
    /// What it trades.
    pub symbol: &'a Symbol,
    /// The id of that.
    pub symbol_id: SymbolId,
    /// Whose it is.
    pub account: AccountId,
    /// The key that places it; [`SessionId::EXCHANGE`] for the exchange's own orders, which a desk may admit without funds.
    pub session: SessionId,
    /// Side, outcome and desk.
    pub class: OrderClass,
    /// The rates that it would be placed under.
    pub rates: FeeSchedule,
    /// Limit or market.
    pub kind: OrderKind,
    /// Its limit; zero for market orders.
    pub price: Price,
    /// Its quantity; zero for an order that names what to spend.
    pub qty: Qty,
    /// What it may spend; zero but for such an order.
    pub spend: Money,
}

/// An order that has entered.
#[derive(Clone, Copy, Debug)]
pub struct Live<'a> {
    /// What it trades.
    pub symbol: &'a Symbol,
    pub(crate) fees: &'a Fees,
    /// The order.
    pub order: &'a Order,
}

impl<'a> Live<'a> {
    /// The increments of its symbol.
    #[inline]
    pub fn grid(self) -> &'a Grid {
        &self.symbol.grid
    }

    /// The rates that it was placed under.
    #[inline]
    pub fn rates(self) -> FeeSchedule {
        self.fees.get(self.order.rates)
    }

    /// Its desk.
    #[inline]
    pub fn desk(self) -> Desk {
        self.order.class().desk()
    }
}

/// A fill of a resting order by the one that entered, at the resting order's price.
#[derive(Clone, Copy, Debug)]
pub struct Execution<'a> {
    /// The resting order, as it was before the fill.
    pub maker: Live<'a>,
    /// The order that entered, as it was before the fill.
    pub taker: Live<'a>,
    /// How much.
    pub qty: Qty,
    /// Price times quantity.
    pub notional: Money,
    /// What the resting order's owner pays the exchange.
    pub maker_fee: &'a Money,
    /// What the entered order's owner pays the exchange.
    pub taker_fee: &'a Money,
}

/// A trade of two resting orders in an auction.
#[derive(Clone, Copy, Debug)]
pub struct Crossing<'a> {
    /// The bid, as it was before the trade.
    pub buy: Live<'a>,
    /// The ask, as it was before the trade.
    pub sell: Live<'a>,
    /// At which price.
    pub price: Price,
    /// How much.
    pub qty: Qty,
    /// Price times quantity.
    pub notional: Money,
    /// What the owners of bid and ask pay the exchange.
    pub fees: [Money; 2],
}

/// All desks of an exchange, with the state that they settle in. Methods that take `&self` are called while a command is
/// decided; those that take `&mut self` while its events are applied, and cannot fail.
///
/// An order's life, as its desk sees it:
///
/// 1. [`Desks::desk`] chooses the desk, [`Desks::rules`] the product's rules, and [`Desks::reserve`] refuses the order or says
///    what it would reserve. An order that meets nothing rests with that reserve: [`Desks::hold`].
/// 2. An order that meets others is planned: [`Desks::covers`] of each maker's desk, best price and oldest order first, and
///    [`Desks::buy_with`] for an order that names money. Then [`Desks::rest`], if a part of it stays, and [`Desks::affords`].
/// 3. A maker that is not covered is cancelled before the fills, and the plan goes on after it: [`Desks::release`]. A plan ends
///    after [`crate::place::FILLS_MAX`] of them: what is left of its order is cancelled, and the next order goes on there.
/// 4. Each fill settles the maker's side: [`Desks::settle_maker`]. The last event of the entered order settles its side once
///    for all of its fills, [`Desks::settle_taker`], and reserves for what rests of it, [`Desks::hold`].
/// 5. A resting order leaves with the fill that completes it, whose settlement frees all that is left of its reserve, or
///    with a cancel: [`Desks::release`].
///
/// The two sides of a fill may be of different desks. Each posts entries that sum to zero per asset, against an account of
/// the house or through the ledger's own account of what makers gave and got; nothing may be left there after the taker's side.
///
/// What an order reserves may depend on more than the order (on a position, say). Its desk then keeps the amount by the
/// order's id from [`Desks::hold`] on; only the order's own fills and its cancel change it.
pub trait Desks: Debug {
    /// Why a desk refuses an order, other than for lack of funds.
    type Refusal: Copy + Debug + PartialEq + Eq;

    /// What a desk remembers from one fill of a plan to the next, so that several fills of one account are covered together.
    /// It begins as the default for each plan.
    type Plan: Default + Debug;

    /// The desk at which an order of the account would settle. An order keeps its desk.
    fn desk(&self, symbol: &Symbol, account: AccountId) -> Desk;

    /// The rules of the symbol's product.
    fn rules(&self, symbol: &Symbol) -> Rules;

    /// Whether the product can settle a symbol that is to be listed: it knows what is traded and paid.
    fn can_settle(&self, symbol: &Symbol) -> bool;

    /// What the whole order would reserve, if the account has that; [`Reserve::NONE`] for an order that reserves nothing.
    /// An order that rests whole is checked by nothing else. For an order that may not rest, the result is not used.
    ///
    /// # Errors
    /// Why it may not enter.
    fn reserve(&self, terms: &Terms<'_>) -> Result<Reserve, Unmet<Self::Refusal>>;

    /// What `left` of the order reserves after the rest of it has traded, where the whole would reserve `whole`.
    fn rest(&self, terms: &Terms<'_>, left: Qty, whole: Reserve) -> Reserve;

    /// How much of `open` at a price the order can buy with `money`, from which the cost is taken.
    fn buy_with(&self, terms: &Terms<'_>, money: &mut Money, price: Price, open: Qty) -> Qty;

    /// Whether the account of the resting order can pay for a fill of `qty` at the order's price, after the fills that the
    /// plan holds already; the desk notes the fill in the plan if so. The maker's desk answers. False cancels the order
    /// ([`buttonwood_model::CancelReason::Uncovered`]), unless the taker is refused or cancelled unfilled.
    fn covers(&self, plan: &mut Self::Plan, maker: Live<'_>, taker: &Terms<'_>, qty: Qty) -> bool;

    /// Whether the order's account can pay for these fills and for what its rest reserves. Called for an order that met
    /// others and is not cancelled unfilled, even if every one of them was uncovered.
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

    /// What maker and taker pay for a fill, each by its own desk.
    fn fees(&self, maker: Live<'_>, taker: &Terms<'_>, qty: Qty) -> [Money; 2];

    /// What a party to an auction's trade of `qty` pays; `left` is what the trades before it leave of the order.
    fn auction_fee(&self, party: Live<'_>, left: Qty, price: Price, qty: Qty) -> Money;

    /// What a resting order reserves, and of what; none where it reserves nothing.
    fn reserved(&self, order: Live<'_>) -> Option<(AssetId, Money)>;

    /// Reserves what an order needs that rests from now on; called with [`Reserve::NONE`] too. Only desks that need to look at
    /// the order call `order`.
    fn hold<'a>(&mut self, desk: Desk, order: impl FnOnce() -> Live<'a>, reserve: Reserve);

    /// Frees what a resting order reserves, all of it, before it is cancelled; called for orders that reserve nothing too.
    fn release(&mut self, order: Live<'_>);

    /// Settles the maker's side of a fill and frees the fill's part of the reserve, all that is left if the fill completes
    /// the order. The taker's fee is for the taker's desk: it sums the fees of the fills until [`Desks::settle_taker`].
    fn settle_maker(&mut self, execution: &Execution<'_>);

    /// Settles the side of the order that entered, for all of its fills; `traded` is what they sum to. Not called for an
    /// order without fills.
    fn settle_taker(&mut self, taker: Live<'_>, traded: Traded);

    /// Settles both sides of an auction's trade, each by its own desk and out of its reserve. [`Desks::covers`] was not called:
    /// see [`Rules::auctions`].
    fn settle_crossing(&mut self, crossing: &Crossing<'_>);

    /// Whether nothing lies between makers and a taker; true between any two orders.
    fn is_settled(&self) -> bool;
}

/// Why a desk does not take an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmet<R> {
    /// The account has not what the order needs.
    Funds,
    /// Something else that the desk knows.
    Other(R),
}
