//! All desks of the exchange, with the balances that they change. Each function has one arm for each desk.

use alloc::vec::Vec;
use buttonwood_access::AccountKind;
use buttonwood_index::Indices;
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, AssetId, CurrencyId, Desk, Product, Side, Symbol, SymbolId};
use buttonwood_num::{Money, Price, Qty};
use buttonwood_perp::{self as perp, Perps};
use buttonwood_spot as spot;
use buttonwood_spot_margin::{self as spot_margin, SpotMargin};
use buttonwood_trading::{
    self as trading, Break, BreakError, Cover, Crossing, Execution, Fill, Live, Reserve, Rules, Terms,
    Traded, Unmet,
};
use serde::{Deserialize, Serialize};

/// The currency that perpetuals are priced and settled in.
pub(crate) const GUSD: &str = "GUSD";

/// The desks' part of the state.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Desks {
    /// Every balance.
    pub ledger: Ledger,
    /// Pins and feeds, from which indices are computed.
    pub indices: Indices,
    /// Positions and marks of perpetuals.
    pub perps: Perps,
    /// What margin accounts owe, and what their live orders stand for.
    pub margin: SpotMargin,
    /// The kind of each account. Derived.
    #[serde(skip)]
    kinds: Vec<AccountKind>,
}

/// What is derived does not count.
impl PartialEq for Desks {
    fn eq(&self, other: &Self) -> bool {
        (&self.ledger, &self.indices) == (&other.ledger, &other.indices)
            && (&self.perps, &self.margin) == (&other.perps, &other.margin)
    }
}

impl Desks {
    /// Notes the kind of an account, or of the next one.
    pub(crate) fn note_kind(&mut self, account: AccountId, kind: AccountKind) {
        self.kinds.resize(self.kinds.len().max(account.index() + 1), AccountKind::Exchange);
        if let Some(noted) = self.kinds.get_mut(account.index()) {
            *noted = kind;
        }
    }

    #[inline]
    fn kind(&self, account: AccountId) -> AccountKind {
        self.kinds.get(account.index()).copied().unwrap_or(AccountKind::Exchange)
    }

    /// Whether an account trades perpetuals, and nothing else.
    #[inline]
    pub fn is_derivatives(&self, account: AccountId) -> bool {
        self.kind(account) == AccountKind::Derivatives
    }

    /// Whether an account may buy on margin.
    pub fn is_margin(&self, account: AccountId) -> bool {
        self.kind(account) == AccountKind::Margin
    }

    /// The desk of an order that is on margin, of a margin account, or of an account that does not trade the symbol.
    #[cold]
    #[inline(never)]
    fn desk_of_credit(
        &self,
        symbol: &Symbol,
        kind: AccountKind,
        on_margin: bool,
    ) -> Result<Desk, DeskReject> {
        match (symbol.product, kind) {
            (Product::Spot, AccountKind::Margin) if !on_margin => Ok(spot_margin::CASH),
            (Product::Spot, AccountKind::Margin) if self.margin.is_traded(symbol) => Ok(spot_margin::DESK),
            _ if on_margin => Err(DeskReject::NoMargin),
            _ => Err(DeskReject::WrongKind),
        }
    }

    /// Settles the maker's side of a fill in which cash and margin orders met.
    #[cold]
    #[inline(never)]
    fn settle_mixed_maker(&mut self, execution: &Execution<'_>) {
        if spot_margin::is_of_room(execution.maker.desk()) {
            spot_margin::settle_maker(&mut self.margin, &mut self.ledger, execution);
        } else {
            spot::settle_maker(&mut self.ledger, execution);
        }
    }

    /// Repays what margin accounts owe, out of whatever came in.
    #[inline]
    pub(crate) fn repay_margin(&mut self) {
        if !self.margin.loans().is_empty() {
            self.margin.repay(&mut self.ledger);
        }
    }

    fn has_margin_party(&self, broken: &Break) -> bool {
        [broken.buyer.account, broken.seller.account].into_iter().any(|account| self.is_margin(account))
    }
}

/// Why a desk refuses an order, other than for lack of funds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeskReject {
    /// The account is of a kind that does not trade the symbol (D-36).
    WrongKind,
    /// By the desk of perpetuals.
    Perp(perp::Refusal),
    /// By the desk of spot margin.
    Margin(spot_margin::Refusal),
    /// The account, or the symbol, is not traded on margin (ORD-045).
    NoMargin,
}

impl From<perp::Refusal> for DeskReject {
    fn from(refusal: perp::Refusal) -> Self {
        Self::Perp(refusal)
    }
}

impl From<spot_margin::Refusal> for DeskReject {
    fn from(refusal: spot_margin::Refusal) -> Self {
        Self::Margin(refusal)
    }
}

/// What the desks note of the fills of a plan.
#[derive(Debug, Default)]
pub struct Plan {
    perp: perp::Plan,
    margin: spot_margin::Plan,
}

#[cold]
fn no_such_desk(desk: Desk) -> ! {
    panic!("no order was ever placed at desk {}", desk.number())
}

/// What settles a trade: the desk of both sides, or, on a book that cash and margin orders share, the desks of each.
enum Settlement {
    Spot,
    Perp,
    Mixed,
}

impl Settlement {
    #[inline]
    fn of(one: Desk, other: Desk) -> Self {
        match (one, other) {
            (spot::DESK, spot::DESK) => Self::Spot,
            (perp::DESK, perp::DESK) => Self::Perp,
            _ => Self::Mixed,
        }
    }
}

#[expect(clippy::inline_always, reason = "each forwards to one desk, on the path of every order")]
impl trading::Desks for Desks {
    type Refusal = DeskReject;
    type Plan = Plan;

    #[inline(always)]
    fn desk(&self, symbol: &Symbol, account: AccountId, on_margin: bool) -> Result<Desk, DeskReject> {
        match (symbol.product, self.kind(account), on_margin) {
            (Product::Spot, AccountKind::Exchange | AccountKind::Custody, false) => Ok(spot::DESK),
            (Product::Swap, AccountKind::Derivatives, false) => Ok(perp::DESK),
            (_, kind, _) => self.desk_of_credit(symbol, kind, on_margin),
        }
    }

    #[inline(always)]
    fn rules(&self, symbol: &Symbol) -> Rules {
        match symbol.product {
            Product::Spot => spot::RULES,
            Product::Swap => perp::RULES,
        }
    }

    fn can_settle(&self, symbol: &Symbol) -> bool {
        let code_of = |currency: CurrencyId| {
            self.ledger.currencies().get(currency.index()).map(|currency| currency.code.as_str())
        };
        let quote = code_of(symbol.quote);
        let is_listed = code_of(symbol.base).is_some() && quote.is_some() && symbol.base != symbol.quote;
        is_listed && (symbol.product == Product::Spot || quote == Some(GUSD))
    }

    #[inline(always)]
    fn reserve(&self, terms: &Terms<'_>) -> Result<Reserve, Unmet<DeskReject>> {
        match terms.class.desk() {
            spot::DESK => spot::reserve(&self.ledger, terms),
            perp::DESK => perp::reserve(&self.perps, &self.ledger, terms),
            _ => spot_margin::reserve(&self.margin, &self.ledger, terms),
        }
    }

    fn rest(&self, terms: &Terms<'_>, left: Qty, whole: Reserve) -> Reserve {
        match terms.class.desk() {
            spot::DESK => spot::rest(terms, left, whole),
            perp::DESK => perp::rest(terms, left, whole),
            _ => spot_margin::rest(terms, left, whole),
        }
    }

    fn buy_with(&self, terms: &Terms<'_>, money: &mut Money, price: Price, open: Qty) -> Qty {
        match terms.class.desk() {
            spot::DESK => spot::buy_with(terms, money, price, open),
            perp::DESK => no_such_desk(perp::DESK),
            _ => spot_margin::buy_with(terms, money, price, open),
        }
    }

    #[inline(always)]
    fn covers(&self, plan: &mut Plan, maker: Live<'_>, taker: &Terms<'_>, qty: Qty) -> Cover {
        match Settlement::of(maker.desk(), taker.class.desk()) {
            // A resting spot order holds what it sells or pays, and `affords` judges the fills of an incoming one.
            Settlement::Spot => Cover::Both,
            Settlement::Perp => perp::covers(&self.perps, &self.ledger, &mut plan.perp, maker, taker, qty),
            Settlement::Mixed => {
                spot_margin::covers(&self.margin, &self.ledger, &mut plan.margin, maker, taker, qty)
            }
        }
    }

    fn covers_crossing(&self, plan: &mut Plan, crossing: &Crossing<'_>) -> Result<(), Side> {
        match Settlement::of(crossing.buy.desk(), crossing.sell.desk()) {
            Settlement::Spot => Ok(()),
            // They have no auctions.
            Settlement::Perp => no_such_desk(perp::DESK),
            Settlement::Mixed => {
                spot_margin::covers_crossing(&self.margin, &self.ledger, &mut plan.margin, crossing)
            }
        }
    }

    fn affords(
        &self,
        terms: &Terms<'_>,
        fills: &[Fill],
        rest: Option<Reserve>,
        plan: &Plan,
    ) -> Result<(), Unmet<DeskReject>> {
        match terms.class.desk() {
            spot::DESK => spot::affords(&self.ledger, terms, fills, rest),
            perp::DESK => perp::affords(&self.perps, &self.ledger, terms, fills, rest, &plan.perp),
            _ => spot_margin::affords(&self.margin, &self.ledger, terms, fills, rest, &plan.margin),
        }
    }

    fn passes(&self, plan: &mut Plan, terms: &Terms<'_>) -> Qty {
        match terms.class.desk() {
            perp::DESK => perp::passes(&self.perps, &mut plan.perp, terms),
            // They have no positions.
            _ => Qty::ZERO,
        }
    }

    #[inline(always)]
    fn fees(&self, maker: Live<'_>, taker: &Terms<'_>, qty: Qty) -> [Money; 2] {
        match Settlement::of(maker.desk(), taker.class.desk()) {
            Settlement::Spot => spot::fees(maker, taker, qty),
            Settlement::Perp => perp::fees(maker, taker, qty),
            Settlement::Mixed => spot_margin::fees(maker, taker, qty),
        }
    }

    fn auction_fee(&self, party: Live<'_>, left: Qty, price: Price, qty: Qty) -> Money {
        match party.desk() {
            spot::DESK => spot::auction_fee(party, left, price, qty),
            _ => spot_margin::auction_fee(party, left, price, qty),
        }
    }

    fn reserved(&self, order: Live<'_>) -> Option<(AssetId, Money)> {
        match order.desk() {
            spot::DESK => Some(spot::reserved(order)),
            perp::DESK => None,
            _ => Some(spot_margin::reserved(order)),
        }
    }

    #[inline(always)]
    fn hold<'a>(&mut self, desk: Desk, order: impl FnOnce() -> Live<'a>, reserve: Reserve) {
        match desk {
            spot::DESK => spot::hold(&mut self.ledger, order, reserve),
            perp::DESK => perp::hold(&mut self.perps, order(), reserve),
            _ => spot_margin::hold(&mut self.margin, &mut self.ledger, order(), reserve),
        }
    }

    #[inline(always)]
    fn release(&mut self, order: Live<'_>) {
        match order.desk() {
            spot::DESK => spot::release(&mut self.ledger, order),
            perp::DESK => perp::release(&mut self.perps, order),
            _ => spot_margin::release(&mut self.margin, &mut self.ledger, order),
        }
    }

    #[inline(always)]
    fn settle_maker(&mut self, execution: &Execution<'_>) {
        match Settlement::of(execution.maker.desk(), execution.taker.desk()) {
            Settlement::Spot => spot::settle_maker(&mut self.ledger, execution),
            Settlement::Perp => {
                // Both sides fill by fill, since a fill through zero opens a position at its own price.
                let Execution { maker, taker, qty, notional, maker_fee, taker_fee } = *execution;
                let Self { perps, ledger, .. } = self;
                perp::settle(perps, ledger, maker, (qty, notional, *maker_fee), true);
                perp::settle(perps, ledger, taker, (qty, notional, *taker_fee), false);
            }
            Settlement::Mixed => self.settle_mixed_maker(execution),
        }
    }

    #[inline(always)]
    fn settle_taker(&mut self, taker: Live<'_>, _traded: Traded) {
        match taker.desk() {
            spot::DESK => spot::settle_taker(&mut self.ledger, taker),
            // Each fill settled it.
            perp::DESK => {}
            _ => spot_margin::settle_taker(&mut self.margin, &mut self.ledger, taker),
        }
        self.repay_margin();
    }

    fn settle_crossing(&mut self, crossing: &Crossing<'_>) {
        match Settlement::of(crossing.buy.desk(), crossing.sell.desk()) {
            Settlement::Spot => spot::settle_crossing(&mut self.ledger, crossing),
            Settlement::Perp => no_such_desk(perp::DESK),
            Settlement::Mixed => {
                spot_margin::settle_crossing(&mut self.margin, &mut self.ledger, crossing);
            }
        }
        self.repay_margin();
    }

    #[inline(always)]
    fn touch(&mut self, symbol: SymbolId) {
        self.perps.touch(symbol);
    }

    fn can_void(&self, symbol: &Symbol, broken: &Break) -> Result<(), BreakError> {
        match symbol.product {
            Product::Spot if self.has_margin_party(broken) => Err(BreakError::ManualOnly),
            Product::Spot => spot::can_void(&self.ledger, symbol, broken),
            Product::Swap => Err(BreakError::ManualOnly),
        }
    }

    fn void(&mut self, symbol: &Symbol, broken: &Break) {
        match symbol.product {
            Product::Spot => spot::void(&mut self.ledger, symbol, broken),
            Product::Swap => unreachable!("the decision refused it"),
        }
    }

    #[inline(always)]
    fn is_settled(&self) -> bool {
        self.ledger.is_settled()
    }
}
