//! All desks of the tests: one arm for each desk in each function, as an engine has it.

use crate::cash::{self, Debts};
use crate::outcomes;
use crate::perp::{self, Perp};
use buttonwood_ledger::{Bucket, Cause, Ledger, Posting};
use buttonwood_model::{AccountId, AssetId, Desk, GroupId, OrderKind, Product, Side, Symbol, SymbolId};
use buttonwood_num::{Money, Price, Qty};
use buttonwood_trading::{
    Break, BreakError, Cover, Crossing, Desks, Execution, Fill, Live, Reserve, Rules, Terms, Traded, Unmet,
};
use serde::{Deserialize, Serialize};

pub(crate) const CASH: Desk = Desk::new(0);
pub(crate) const MARGIN: Desk = Desk::new(1);
pub(crate) const PERP: Desk = Desk::new(2);
pub(crate) const OUTCOMES: Desk = Desk::new(3);

/// Why a desk refuses an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// No outcome costs as much as the whole.
    NoSuchPrice,
    /// The desk takes no order that names money to spend.
    NoSpend,
    /// The account would owe too much.
    BorrowLimit,
}

/// One side of a fill.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    /// Price times quantity.
    pub(crate) notional: Money,
    /// The fee that the side pays the exchange.
    pub(crate) fee: Money,
}

/// The state of all desks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct TestDesks {
    pub(crate) ledger: Ledger,
    pub(crate) debts: Debts,
    pub(crate) perp: Perp,
    /// The taker's fees for the fills so far; nothing between two orders.
    #[serde(skip)]
    taker_fees: Money,
}

/// The account and the asset that an order of a desk of quote money reserves.
pub(crate) fn quote_of(live: Live<'_>) -> (AccountId, AssetId) {
    (live.order.account, live.symbol.quote.into())
}

/// Posts one entry: what it adds to what is free of each account.
pub(crate) fn units(ledger: &mut Ledger, asset: AssetId, entry: &[(AccountId, i128)]) {
    let bucket = Bucket::Available;
    let posting = |&(account, amount)| Posting { account, asset, bucket, amount: Money::from_units(amount) };
    ledger.post(Cause::Adjustment, &entry.iter().map(posting).collect::<Vec<_>>());
}

fn no_such_desk(desk: Desk) -> ! {
    panic!("no order was placed at desk {}", desk.number())
}

impl TestDesks {
    /// The debts that the desk lends against.
    fn debts(&self, desk: Desk) -> Option<&Debts> {
        (desk == MARGIN).then_some(&self.debts)
    }

    /// One side's fee of a fill, by its own desk.
    fn fee(live_or_new: Party<'_>, price: Price, qty: Qty) -> Money {
        let Party { symbol, class, rate } = live_or_new;
        match class.desk() {
            OUTCOMES => outcomes::fee(symbol, class, price, qty, rate),
            CASH | MARGIN | PERP => symbol.grid.fee(price, qty, rate).unwrap(),
            desk => no_such_desk(desk),
        }
    }
}

/// One side of a fill, for its fee.
#[derive(Clone, Copy)]
struct Party<'a> {
    symbol: &'a Symbol,
    class: buttonwood_model::OrderClass,
    rate: buttonwood_num::Bps,
}

impl<'a> Party<'a> {
    fn maker(live: Live<'a>) -> Self {
        Self { symbol: live.symbol, class: live.order.class(), rate: live.rates().maker }
    }
}

impl Desks for TestDesks {
    type Refusal = Refusal;
    type Plan = perp::Plan;

    fn group(&self, _account: AccountId) -> Option<GroupId> {
        None
    }

    fn desk(&self, symbol: &Symbol, account: AccountId, _on_margin: bool) -> Result<Desk, Refusal> {
        Ok(match (symbol.product, symbol.name.as_str()) {
            (Product::Swap, _) => PERP,
            (Product::Contract, _) | (Product::Spot, "rain") => OUTCOMES,
            (Product::Spot, _) if account.0.is_multiple_of(2) => CASH,
            (Product::Spot, _) => MARGIN,
        })
    }

    fn rules(&self, symbol: &Symbol) -> Rules {
        match (symbol.product, symbol.name.as_str()) {
            (Product::Swap, _) => perp::RULES,
            (Product::Contract, _) | (Product::Spot, "rain") => outcomes::RULES,
            (Product::Spot, _) => cash::RULES,
        }
    }

    fn can_settle(&self, _symbol: &Symbol) -> bool {
        true
    }

    fn reserve(&self, terms: &Terms<'_>) -> Result<Reserve, Unmet<Refusal>> {
        match terms.class.desk() {
            desk @ (CASH | MARGIN) => cash::reserve(&self.ledger, self.debts(desk), terms),
            PERP if terms.kind == OrderKind::MarketSpend => Err(Unmet::Other(Refusal::NoSpend)),
            PERP => self.perp.reserve(&self.ledger, terms),
            OUTCOMES => outcomes::reserve(&self.ledger, terms),
            desk => no_such_desk(desk),
        }
    }

    fn rest(&self, terms: &Terms<'_>, left: Qty, whole: Reserve) -> Reserve {
        match terms.class.desk() {
            desk @ (CASH | MARGIN) => cash::rest(desk == MARGIN, terms, left, whole),
            PERP => self.perp.rest(terms, left, whole),
            OUTCOMES => outcomes::rest(terms, left, whole),
            desk => no_such_desk(desk),
        }
    }

    fn buy_with(&self, terms: &Terms<'_>, money: &mut Money, price: Price, open: Qty) -> Qty {
        match terms.class.desk() {
            CASH | OUTCOMES => {
                let (grid, rate) = (&terms.symbol.grid, terms.rates.taker);
                let take = grid.qty_for(*money, price, rate).min(open);
                *money -= grid.cost(price, take, rate).unwrap();
                take
            }
            desk => no_such_desk(desk),
        }
    }

    fn covers(&self, plan: &mut perp::Plan, maker: Live<'_>, _taker: &Terms<'_>, qty: Qty) -> Cover {
        match maker.desk() {
            CASH | MARGIN | OUTCOMES => Cover::Both,
            PERP => {
                let fee = Self::fee(Party::maker(maker), maker.order.price, qty);
                let is_covered = self.perp.covers(&self.ledger, plan, maker, qty, fee);
                if is_covered { Cover::Both } else { Cover::NotMaker }
            }
            desk => no_such_desk(desk),
        }
    }

    fn covers_crossing(&self, plan: &mut perp::Plan, crossing: &Crossing<'_>) -> Result<(), Side> {
        let parties = [(crossing.buy, crossing.fees[0]), (crossing.sell, crossing.fees[1])];
        for (party, fee) in parties.into_iter().filter(|(party, _)| party.desk() == PERP) {
            if !self.perp.covers(&self.ledger, plan, party, crossing.qty, fee) {
                return Err(party.order.side());
            }
        }
        Ok(())
    }

    fn affords(
        &self,
        terms: &Terms<'_>,
        fills: &[Fill],
        rest: Option<Reserve>,
        _plan: &perp::Plan,
    ) -> Result<(), Unmet<Refusal>> {
        match terms.class.desk() {
            desk @ (CASH | MARGIN) => cash::affords(&self.ledger, self.debts(desk), terms, fills, rest),
            PERP => self.perp.affords(&self.ledger, terms, fills, rest),
            OUTCOMES => outcomes::affords(&self.ledger, terms, fills, rest),
            desk => no_such_desk(desk),
        }
    }

    fn passes(&self, _plan: &mut perp::Plan, _terms: &Terms<'_>) -> Qty {
        Qty::ZERO
    }

    fn fees(&self, maker: Live<'_>, taker: &Terms<'_>, qty: Qty) -> [Money; 2] {
        let taker = Party { symbol: taker.symbol, class: taker.class, rate: taker.rates.taker };
        [Party::maker(maker), taker].map(|party| Self::fee(party, maker.order.price, qty))
    }

    fn auction_fee(&self, party: Live<'_>, _left: Qty, price: Price, qty: Qty) -> Money {
        party.grid().fee(price, qty, party.rates().auction).unwrap()
    }

    fn reserved(&self, order: Live<'_>) -> Option<(AssetId, Money)> {
        match order.desk() {
            desk @ (CASH | MARGIN) => Some(cash::reserved(order, desk == MARGIN)),
            PERP => Some((quote_of(order).1, self.perp.reserved(order.order.id)?)),
            OUTCOMES => Some(outcomes::reserved(order)),
            desk => no_such_desk(desk),
        }
    }

    fn hold<'a>(&mut self, _desk: Desk, order: impl FnOnce() -> Live<'a>, reserve: Reserve) {
        let order = order();
        match order.desk() {
            CASH | MARGIN => cash::hold(&mut self.ledger, order, reserve),
            PERP => self.perp.hold(&mut self.ledger, order, reserve),
            OUTCOMES => outcomes::hold(&mut self.ledger, order, reserve),
            desk => no_such_desk(desk),
        }
    }

    fn release(&mut self, order: Live<'_>) {
        match order.desk() {
            desk @ (CASH | MARGIN) => cash::release(&mut self.ledger, order, desk == MARGIN),
            PERP => self.perp.release(&mut self.ledger, order),
            OUTCOMES => outcomes::release(&mut self.ledger, order),
            desk => no_such_desk(desk),
        }
    }

    fn settle_maker(&mut self, execution: &Execution<'_>) {
        let Execution { maker, qty, notional, maker_fee, taker_fee, .. } = *execution;
        let moves = Move { notional, fee: *maker_fee };
        let Self { ledger, debts, perp, .. } = self;
        match maker.desk() {
            CASH => cash::settle_maker(ledger, false, execution),
            MARGIN => {
                cash::lend(ledger, debts, maker, notional);
                cash::settle_maker(ledger, true, execution);
                cash::repay(ledger, debts, maker, moves);
            }
            PERP => perp.settle_maker(ledger, maker, qty, moves),
            OUTCOMES => outcomes::settle_maker(ledger, maker, qty, moves),
            desk => no_such_desk(desk),
        }
        self.taker_fees += *taker_fee;
    }

    fn settle_taker(&mut self, taker: Live<'_>, traded: Traded) {
        let moves = Move { notional: traded.notional, fee: core::mem::take(&mut self.taker_fees) };
        let Self { ledger, debts, perp, .. } = self;
        match taker.desk() {
            CASH => cash::settle_taker(ledger, taker),
            MARGIN => {
                cash::lend(ledger, debts, taker, traded.notional);
                cash::settle_taker(ledger, taker);
                cash::repay(ledger, debts, taker, moves);
            }
            PERP => {
                perp.settle(ledger, taker, traded.qty, moves);
            }
            OUTCOMES => outcomes::settle(ledger, taker, traded.qty, moves),
            desk => no_such_desk(desk),
        }
    }

    fn settle_crossing(&mut self, crossing: &Crossing<'_>) {
        let Crossing { notional, fees, qty, .. } = *crossing;
        let parties = [crossing.buy, crossing.sell];
        if crossing.buy.desk() == PERP {
            for (party, fee) in parties.into_iter().zip(fees) {
                self.perp.settle_maker(&mut self.ledger, party, qty, Move { notional, fee });
            }
            return;
        }
        let borrow = parties.map(|party| party.desk() == MARGIN);
        let Self { ledger, debts, .. } = self;
        for party in parties.into_iter().filter(|party| party.desk() == MARGIN) {
            cash::lend(ledger, debts, party, notional);
        }
        cash::settle_crossing(ledger, borrow, crossing);
        for (party, fee) in parties.into_iter().zip(fees).filter(|(party, _)| party.desk() == MARGIN) {
            cash::repay(ledger, debts, party, Move { notional, fee });
        }
    }

    fn touch(&mut self, _symbol: SymbolId) {}

    fn can_void(&self, _symbol: &Symbol, _broken: &Break) -> Result<(), BreakError> {
        Err(BreakError::ManualOnly)
    }

    fn void(&mut self, _symbol: &Symbol, _broken: &Break) {
        unreachable!("every full break is refused")
    }

    fn is_settled(&self) -> bool {
        self.ledger.is_settled() && self.taker_fees == Money::ZERO
    }
}
