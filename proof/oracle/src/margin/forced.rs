//! Liquidations: each step is what exact sums say.

use super::{MarginJudge, Market, check, figures};
use crate::exchange::{Exchange, Happening};
use crate::naive::{PerpFund, perp_fund_takes};
use buttonwood_model::{AccountId, CancelReason, CurrencyId, Side, SymbolId};
use buttonwood_num::{Money, Price, Qty};

/// What comes next for the account that is being liquidated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Step {
    /// A part of its largest holding goes to the book.
    Book,
    /// What the book left goes to the fund.
    Fund(Rest),
}

/// Currency, quantity and zero price of what the book left.
pub(super) type Rest = (CurrencyId, Money, Money);

/// A part of a holding that is to be sold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) symbol: SymbolId,
    currency: CurrencyId,
    quantity: Money,
    price: Money,
}

impl Part {
    /// A fill of the forced order costs no fee, and its price is the zero price or better.
    pub(super) fn check_fill(
        &self,
        exchange: &Exchange,
        (price, qty): (Price, Qty),
        fee: Money,
    ) -> Result<(), String> {
        let grid = &exchange.state.symbols()[self.symbol.index()].grid;
        let is_good = grid.value(Money::ONE, price) >= self.price;
        if is_good && grid.base(qty).unwrap() <= self.quantity && fee == Money::ZERO {
            return Ok(());
        }
        Err(format!("{qty:?} at {price:?} for a fee of {fee:?} in {self:?}"))
    }
}

impl MarginJudge {
    /// The part that the next step of a liquidation sells: of the largest holding, of equal ones the first.
    pub(super) fn next_part(&self, exchange: &Exchange) -> Option<Part> {
        let (account, _) = self.current.filter(|(_, step)| *step == Step::Book)?;
        let sums = self.account(exchange, account);
        if sums.notional() == Money::ZERO || !sums.is_below_maintenance() {
            return None;
        }
        let worth = |market: &&Market| {
            let held = self.held(account, market);
            figures::cost(held.quantity, held.index)
        };
        let market = self.markets.iter().rev().max_by_key(worth)?;
        let held = self.held(account, market);
        Some(Part {
            symbol: market.symbol,
            currency: market.currency,
            quantity: figures::part(&held, market.lot),
            price: figures::zero_price(sums.assets(), &held),
        })
    }

    /// A liquidation begins with the first account that was found: its orders are cancelled.
    pub(super) fn note_start(&mut self, exchange: &Exchange, account: AccountId) -> Result<(), String> {
        check("the account that is liquidated", &Some(account), &self.queue.first().copied())?;
        if exchange.state.operations().is_halted() {
            return Err("a halted exchange begins no liquidation".to_owned());
        }
        if !self.is_due(exchange, account) {
            return Err(format!("{account:?} is not below maintenance"));
        }
        if exchange.orders_of(account).next().is_some() {
            return Err(format!("{account:?} is liquidated and has orders"));
        }
        let is_wrong = |what: &&Happening| matches!(what, Happening::Cancelled(_, reason) if *reason != CancelReason::TradingClosed);
        if let Some(wrong) = exchange.happened.iter().find(is_wrong) {
            return Err(format!("a liquidation cancels so: {wrong:?}"));
        }
        self.current = Some((account, Step::Book));
        Ok(())
    }

    /// The lowest price at which a part is sold.
    fn edge_of(&self, part: &Part) -> Money {
        let market = self.markets.iter().find(|market| market.currency == part.currency);
        market.map_or(Money::ZERO, |market| figures::edge(&self.held(self.fund, market)))
    }

    /// A part was sold as far as the book took it; the account pays the fund a fee of what traded. `rest` is what the book left.
    pub(super) fn note_sold(
        &mut self,
        exchange: &Exchange,
        (account, fee): (AccountId, Money),
        rest: Option<Rest>,
        part: &Part,
    ) -> Result<(), String> {
        let grid = &exchange.state.symbols()[part.symbol.index()].grid;
        let (mut base, mut traded) = (Money::ZERO, Money::ZERO);
        for happening in &exchange.happened {
            if let Happening::Filled { price, qty, .. } = *happening {
                base += grid.base(qty).unwrap();
                traded += grid.notional(price, qty).unwrap();
            }
        }
        // Fills are in the account already.
        let expected = figures::fee(traded, self.account(exchange, account).assets());
        let left = part.quantity - base;
        let expected_rest = (left > Money::ZERO).then_some((part.currency, left, part.price));
        let current = self.current.ok_or("nobody is being liquidated")?.0;
        check("what was sold", &(account, fee, rest), &(current, expected, expected_rest))?;
        let sendable = grid.base(Qty::from_hundredths(1)).unwrap();
        let bid = exchange.queue(part.symbol, Side::Buy).next();
        let bid = bid.map_or(Money::ZERO, |bid| grid.value(Money::ONE, bid.price));
        // Nothing is sold more than 5 % below the index, whatever the last trade was.
        let edge = self.edge_of(part);
        let is_below = |what: &Happening| matches!(what, Happening::Filled { price, .. } if grid.value(Money::ONE, *price) < edge);
        if exchange.happened.iter().any(is_below) {
            return Err(format!("{part:?} is sold below {edge:?}"));
        }
        if left >= sendable && bid >= part.price && bid >= edge {
            return Err(format!("the book has {bid:?}, and {left:?} of {part:?} is left"));
        }
        self.pay(current, self.fund, self.dollar, fee);
        self.counts.parts += 1;
        self.current = Some((current, rest.map_or(Step::Book, Step::Fund)));
        Ok(())
    }

    /// The fund took what it carries of what the book left, at the zero price.
    pub(super) fn note_taken(
        &mut self,
        exchange: &Exchange,
        (account, cost): (AccountId, Money),
        rest: Rest,
    ) -> Result<(), String> {
        let current = self.current.ok_or("nobody is being liquidated")?;
        let (_, Step::Fund((currency, quantity, price))) = current else {
            return Err("the fund takes before the book".to_owned());
        };
        let takes = self.fund_takes(exchange, currency, [quantity, price])?;
        check("what the fund takes", &(account, rest), &(current.0, (currency, takes, price)))?;
        check("what the fund pays", &cost, &figures::cost(takes, price))?;
        self.pay(self.fund, account, self.dollar, cost);
        self.pay(account, self.fund, currency, takes);
        self.counts.taken_over += 1;
        self.counts.taken_in_part += u64::from(takes < quantity);
        // What it leaves waits, so that the liquidation ends in the same command.
        let waits = (currency, Money::ZERO, price);
        let next = if takes < quantity { Step::Fund(waits) } else { Step::Book };
        self.current = Some((account, next));
        Ok(())
    }

    /// How much the fund takes, with one sum over all that it has.
    fn fund_takes(
        &self,
        exchange: &Exchange,
        currency: CurrencyId,
        [quantity, price]: [Money; 2],
    ) -> Result<Money, String> {
        let dollars = ["USD", "GUSD", "USDT"].map(|code| {
            let find = exchange.state.currencies().iter().position(|listed| listed.code == code);
            find.map_or(Money::ZERO, |at| self.known(self.fund, CurrencyId::from_index(at)))
        });
        let (mut assets, mut others) = (dollars.into_iter().sum::<Money>(), Money::ZERO);
        for market in &self.markets {
            let held = self.held(self.fund, market);
            let worth = figures::worth(held.quantity, held.index);
            assets += worth;
            others += if market.currency == currency { Money::ZERO } else { worth };
        }
        let market = self.markets.iter().find(|market| market.currency == currency);
        let market = market.ok_or("a currency that is not bought on margin")?;
        let fund = PerpFund { assets, others, own: self.known(self.fund, currency) };
        Ok(perp_fund_takes(&fund, quantity, [price, market.index.unwrap_or_default(), market.lot]))
    }

    /// A liquidation ends when its account has recovered, or when the fund cannot carry what is left.
    pub(super) fn note_end(&mut self, exchange: &Exchange, account: AccountId) -> Result<(), String> {
        // One that has recovered may not have begun.
        let (current, step) = self.current.take().unwrap_or((account, Step::Book));
        check("the account whose liquidation ends", &account, &current)?;
        if !self.queue.remove(&account) {
            return Err(format!("{account:?} was not below maintenance"));
        }
        if !self.is_due(exchange, account) {
            return Ok(());
        }
        self.counts.waiting += 1;
        let Step::Fund((currency, quantity, price)) = step else {
            return Err(format!("the liquidation of {account:?} ends too early"));
        };
        let takes = self.fund_takes(exchange, currency, [quantity, price])?;
        if takes > Money::ZERO {
            return Err(format!("the fund carries {takes:?} of {quantity:?}"));
        }
        Ok(())
    }
}
