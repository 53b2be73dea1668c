//! All desks of the exchange, with the balances that they change. Each function has one arm for each desk.

use alloc::vec::Vec;
use buttonwood_access::AccountKind;
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, AssetId, CurrencyId, Desk, Product, Side, Symbol, SymbolId};
use buttonwood_num::{Money, Price, Qty};
use buttonwood_perp::{self as perp, Perps};
use buttonwood_spot as spot;
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
    /// Positions and marks of perpetuals.
    pub perps: Perps,
    /// By account: whether it trades perpetuals, and nothing else (D-36). Derived.
    #[serde(skip)]
    derivatives: Vec<bool>,
}

/// What is derived does not count.
impl PartialEq for Desks {
    fn eq(&self, other: &Self) -> bool {
        (&self.ledger, &self.perps) == (&other.ledger, &other.perps)
    }
}

impl Desks {
    /// Notes the kind of an account, or of the next one.
    pub(crate) fn note_kind(&mut self, account: AccountId, kind: AccountKind) {
        self.derivatives.resize(self.derivatives.len().max(account.index() + 1), false);
        if let Some(is_derivatives) = self.derivatives.get_mut(account.index()) {
            *is_derivatives = kind == AccountKind::Derivatives;
        }
    }

    /// Whether an account trades perpetuals, and nothing else.
    #[inline]
    pub fn is_derivatives(&self, account: AccountId) -> bool {
        self.derivatives.get(account.index()).copied().unwrap_or_default()
    }
}

/// Why a desk refuses an order, other than for lack of funds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeskReject {
    /// The account is of a kind that does not trade the symbol (D-36).
    WrongKind,
    /// By the desk of perpetuals.
    Perp(perp::Refusal),
}

impl From<perp::Refusal> for DeskReject {
    fn from(refusal: perp::Refusal) -> Self {
        Self::Perp(refusal)
    }
}

#[cold]
fn no_such_desk(desk: Desk) -> ! {
    panic!("no order was ever placed at desk {}", desk.number())
}

/// The desk of both sides of a trade. Sides of different desks would need one that settles both; no two desks share a book yet.
#[inline]
fn shared(one: Desk, other: Desk) -> Desk {
    if one == other { one } else { no_such_desk(other) }
}

#[expect(clippy::inline_always, reason = "each forwards to one desk, on the path of every order")]
impl trading::Desks for Desks {
    type Refusal = DeskReject;
    type Plan = perp::Plan;

    #[inline(always)]
    fn desk(&self, symbol: &Symbol, account: AccountId) -> Result<Desk, DeskReject> {
        match (symbol.product, self.is_derivatives(account)) {
            (Product::Spot, false) => Ok(spot::DESK),
            (Product::Swap, true) => Ok(perp::DESK),
            (Product::Spot, true) | (Product::Swap, false) => Err(DeskReject::WrongKind),
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
            desk => no_such_desk(desk),
        }
    }

    fn rest(&self, terms: &Terms<'_>, left: Qty, whole: Reserve) -> Reserve {
        match terms.class.desk() {
            spot::DESK => spot::rest(terms, left, whole),
            perp::DESK => perp::rest(terms, left, whole),
            desk => no_such_desk(desk),
        }
    }

    fn buy_with(&self, terms: &Terms<'_>, money: &mut Money, price: Price, open: Qty) -> Qty {
        match terms.class.desk() {
            spot::DESK => spot::buy_with(terms, money, price, open),
            desk => no_such_desk(desk),
        }
    }

    #[inline(always)]
    fn covers(&self, plan: &mut perp::Plan, maker: Live<'_>, taker: &Terms<'_>, qty: Qty) -> Cover {
        match shared(maker.desk(), taker.class.desk()) {
            // A resting spot order holds what it sells or pays, and `affords` judges the fills of an incoming one.
            spot::DESK => Cover::Both,
            perp::DESK => perp::covers(&self.perps, &self.ledger, plan, maker, taker, qty),
            desk => no_such_desk(desk),
        }
    }

    fn covers_crossing(&self, _plan: &mut perp::Plan, crossing: &Crossing<'_>) -> Result<(), Side> {
        match shared(crossing.buy.desk(), crossing.sell.desk()) {
            spot::DESK => Ok(()),
            // Perpetuals have no auctions.
            desk => no_such_desk(desk),
        }
    }

    fn affords(
        &self,
        terms: &Terms<'_>,
        fills: &[Fill],
        rest: Option<Reserve>,
        plan: &perp::Plan,
    ) -> Result<(), Unmet<DeskReject>> {
        match terms.class.desk() {
            spot::DESK => spot::affords(&self.ledger, terms, fills, rest),
            perp::DESK => perp::affords(&self.perps, &self.ledger, terms, fills, rest, plan),
            desk => no_such_desk(desk),
        }
    }

    #[inline(always)]
    fn fees(&self, maker: Live<'_>, taker: &Terms<'_>, qty: Qty) -> [Money; 2] {
        match shared(maker.desk(), taker.class.desk()) {
            spot::DESK => spot::fees(maker, taker, qty),
            perp::DESK => perp::fees(maker, taker, qty),
            desk => no_such_desk(desk),
        }
    }

    fn auction_fee(&self, party: Live<'_>, left: Qty, price: Price, qty: Qty) -> Money {
        match party.desk() {
            spot::DESK => spot::auction_fee(party, left, price, qty),
            desk => no_such_desk(desk),
        }
    }

    fn reserved(&self, order: Live<'_>) -> Option<(AssetId, Money)> {
        match order.desk() {
            spot::DESK => Some(spot::reserved(order)),
            perp::DESK => None,
            desk => no_such_desk(desk),
        }
    }

    #[inline(always)]
    fn hold<'a>(&mut self, desk: Desk, order: impl FnOnce() -> Live<'a>, reserve: Reserve) {
        match desk {
            spot::DESK => spot::hold(&mut self.ledger, order, reserve),
            perp::DESK => perp::hold(&mut self.perps, order(), reserve),
            desk => no_such_desk(desk),
        }
    }

    #[inline(always)]
    fn release(&mut self, order: Live<'_>) {
        match order.desk() {
            spot::DESK => spot::release(&mut self.ledger, order),
            perp::DESK => perp::release(&mut self.perps, order),
            desk => no_such_desk(desk),
        }
    }

    #[inline(always)]
    fn settle_maker(&mut self, execution: &Execution<'_>) {
        match shared(execution.maker.desk(), execution.taker.desk()) {
            spot::DESK => spot::settle_maker(&mut self.ledger, execution),
            perp::DESK => {
                // Both sides fill by fill, since a fill through zero opens a position at its own price.
                let Execution { maker, taker, qty, notional, maker_fee, taker_fee } = *execution;
                let Self { perps, ledger, .. } = self;
                perp::settle(perps, ledger, maker, (qty, notional, *maker_fee), true);
                perp::settle(perps, ledger, taker, (qty, notional, *taker_fee), false);
            }
            desk => no_such_desk(desk),
        }
    }

    #[inline(always)]
    fn settle_taker(&mut self, taker: Live<'_>, _traded: Traded) {
        match taker.desk() {
            spot::DESK => spot::settle_taker(&mut self.ledger, taker),
            // Each fill settled it.
            perp::DESK => {}
            desk => no_such_desk(desk),
        }
    }

    fn settle_crossing(&mut self, crossing: &Crossing<'_>) {
        match shared(crossing.buy.desk(), crossing.sell.desk()) {
            spot::DESK => spot::settle_crossing(&mut self.ledger, crossing),
            desk => no_such_desk(desk),
        }
    }

    #[inline(always)]
    fn touch(&mut self, symbol: SymbolId) {
        self.perps.touch(symbol);
    }

    fn can_void(&self, symbol: &Symbol, broken: &Break) -> Result<(), BreakError> {
        match symbol.product {
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
