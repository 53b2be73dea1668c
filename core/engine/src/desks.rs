//! All desks of the exchange, with the balances that they change. Each function has one arm for each desk.

use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, AssetId, CancelReason, Desk, Product, Side, Symbol};
use buttonwood_num::{Money, Price, Qty};
use buttonwood_spot as spot;
use buttonwood_trading::{
    self as trading, Break, BreakError, Cover, Crossing, Execution, Fill, Live, Reserve, Rules, Terms,
    Traded, Unmet,
};
use core::convert::Infallible;
use serde::{Deserialize, Serialize};

/// The desks' part of the state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Desks {
    /// Every balance.
    pub ledger: Ledger,
}

/// The rules of a product without a desk: its symbols stay closed (D-33).
const NO_DESK: Rules =
    Rules { collar: None, opens: false, auctions: false, uncovered: CancelReason::Uncovered };

#[cold]
fn no_such_desk(desk: Desk) -> ! {
    panic!("no order was ever placed at desk {}", desk.number())
}

#[expect(clippy::inline_always, reason = "each forwards to one desk, on the path of every order")]
impl trading::Desks for Desks {
    type Refusal = Infallible;
    type Plan = ();

    #[inline(always)]
    fn desk(&self, _symbol: &Symbol, _account: AccountId) -> Result<Desk, Infallible> {
        Ok(spot::DESK)
    }

    #[inline(always)]
    fn rules(&self, symbol: &Symbol) -> Rules {
        match symbol.product {
            Product::Spot => spot::RULES,
            Product::Swap => NO_DESK,
        }
    }

    fn can_settle(&self, symbol: &Symbol) -> bool {
        let is_listed =
            |currency: buttonwood_model::CurrencyId| currency.index() < self.ledger.currencies().len();
        is_listed(symbol.base) && is_listed(symbol.quote) && symbol.base != symbol.quote
    }

    #[inline(always)]
    fn reserve(&self, terms: &Terms<'_>) -> Result<Reserve, Unmet<Infallible>> {
        match terms.class.desk() {
            spot::DESK => spot::reserve(&self.ledger, terms),
            desk => no_such_desk(desk),
        }
    }

    fn rest(&self, terms: &Terms<'_>, left: Qty, whole: Reserve) -> Reserve {
        match terms.class.desk() {
            spot::DESK => spot::rest(terms, left, whole),
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
    fn covers(&self, (): &mut (), maker: Live<'_>, taker: &Terms<'_>, _qty: Qty) -> Cover {
        match (maker.desk(), taker.class.desk()) {
            // A resting spot order holds what it sells or pays, and `affords` judges the fills of an incoming one.
            (spot::DESK, spot::DESK) => Cover::Both,
            (desk, _) => no_such_desk(desk),
        }
    }

    fn covers_crossing(&self, (): &mut (), crossing: &Crossing<'_>) -> Result<(), Side> {
        match (crossing.buy.desk(), crossing.sell.desk()) {
            (spot::DESK, spot::DESK) => Ok(()),
            (desk, _) => no_such_desk(desk),
        }
    }

    fn affords(
        &self,
        terms: &Terms<'_>,
        fills: &[Fill],
        rest: Option<Reserve>,
        (): &(),
    ) -> Result<(), Unmet<Infallible>> {
        match terms.class.desk() {
            spot::DESK => spot::affords(&self.ledger, terms, fills, rest),
            desk => no_such_desk(desk),
        }
    }

    #[inline(always)]
    fn fees(&self, maker: Live<'_>, taker: &Terms<'_>, qty: Qty) -> [Money; 2] {
        match (maker.desk(), taker.class.desk()) {
            (spot::DESK, spot::DESK) => spot::fees(maker, taker, qty),
            (desk, _) => no_such_desk(desk),
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
            desk => no_such_desk(desk),
        }
    }

    #[inline(always)]
    fn hold<'a>(&mut self, desk: Desk, order: impl FnOnce() -> Live<'a>, reserve: Reserve) {
        match desk {
            spot::DESK => spot::hold(&mut self.ledger, order, reserve),
            desk => no_such_desk(desk),
        }
    }

    #[inline(always)]
    fn release(&mut self, order: Live<'_>) {
        match order.desk() {
            spot::DESK => spot::release(&mut self.ledger, order),
            desk => no_such_desk(desk),
        }
    }

    #[inline(always)]
    fn settle_maker(&mut self, execution: &Execution<'_>) {
        match execution.maker.desk() {
            spot::DESK => spot::settle_maker(&mut self.ledger, execution),
            desk => no_such_desk(desk),
        }
    }

    #[inline(always)]
    fn settle_taker(&mut self, taker: Live<'_>, _traded: Traded) {
        match taker.desk() {
            spot::DESK => spot::settle_taker(&mut self.ledger, taker),
            desk => no_such_desk(desk),
        }
    }

    fn settle_crossing(&mut self, crossing: &Crossing<'_>) {
        match (crossing.buy.desk(), crossing.sell.desk()) {
            (spot::DESK, spot::DESK) => spot::settle_crossing(&mut self.ledger, crossing),
            (desk, _) => no_such_desk(desk),
        }
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
