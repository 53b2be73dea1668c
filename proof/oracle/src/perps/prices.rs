//! Marks and funding.

use super::{PerpJudge, check, product};
use crate::exchange::Exchange;
use crate::naive::perp_collateral;
use buttonwood_engine::perp::funding::{Cut, Paid, next_hour};
use buttonwood_model::{AccountId, Side, SymbolId, Time};
use buttonwood_num::{Money, Price};
use num_bigint::BigInt;
use num_rational::BigRational;
use std::collections::BTreeSet;

fn units(amount: Money) -> BigRational {
    BigRational::from_integer(BigInt::from(amount.units()))
}

fn whole(number: i32) -> BigRational {
    BigRational::from_integer(BigInt::from(number))
}

/// Best bid, best ask and last trade of a book, as far as it has them.
pub(super) fn top(exchange: &Exchange, symbol: SymbolId) -> [Option<Money>; 3] {
    let grid = &exchange.state.symbols()[symbol.index()].grid;
    let value = |price: Price| grid.value(Money::ONE, price);
    let best = |side| exchange.queue(symbol, side).next().map(|order| value(order.price));
    [best(Side::Buy), best(Side::Sell), exchange.state.orders().last(symbol).map(value)]
}

/// The median of them, in units; none for an empty book.
fn median(values: [Option<Money>; 3]) -> Option<BigRational> {
    let mut values: Vec<BigRational> = values.into_iter().flatten().map(units).collect();
    values.sort();
    let last = values.len().checked_sub(1)?;
    Some((&values[last / 2] + &values[values.len() / 2]) / whole(2))
}

/// Rounded half even to a number of units.
fn half_even(value: &BigRational, step: i128) -> Money {
    let step = BigRational::from_integer(BigInt::from(step));
    let steps = value / &step;
    let floor = steps.floor();
    let rest = &steps - &floor;
    let half = whole(1) / whole(2);
    let is_odd = (&floor / whole(2)).fract() != whole(0);
    let rounded = if rest > half || rest == half && is_odd { floor + whole(1) } else { floor };
    Money::from_units(i128::try_from((rounded * step).to_integer()).unwrap())
}

/// The average price at which so many dollars of a side would be filled, of orders within 5 % of the index; none if they are worth less.
fn average(exchange: &Exchange, symbol: SymbolId, side: Side, [index, depth]: [Money; 2]) -> Option<Money> {
    let grid = &exchange.state.symbols()[symbol.index()].grid;
    let exact = |money: Money| units(money) / units(Money::ONE);
    let mut left = exact(depth);
    let mut quantity = whole(0);
    for order in exchange.queue(symbol, side) {
        let price = exact(grid.value(Money::ONE, order.price));
        let away = &price / exact(index) - whole(1);
        if away.clone().max(-away) > whole(1) / whole(20) {
            continue;
        }
        let taken = exact(grid.base(order.remaining).unwrap()).min(&left / &price);
        left -= &taken * &price;
        quantity += taken;
        if left == whole(0) {
            return Some(half_even(&(units(depth) / quantity), 1));
        }
    }
    None
}

/// The price whose difference from the index counts: the last trade between both averages, or their mean.
fn premium_price(exchange: &Exchange, symbol: SymbolId, index: Money, depth: Money) -> Option<Money> {
    let [bid, ask] = [Side::Buy, Side::Sell].map(|side| average(exchange, symbol, side, [index, depth]));
    let (bid, ask) = (bid?, ask?);
    let [.., last] = top(exchange, symbol);
    Some(match last {
        Some(last) if last < bid => bid,
        Some(last) if last > ask => ask,
        Some(last) => last,
        None => half_even(&((units(bid) + units(ask)) / whole(2)), 1),
    })
}

impl PerpJudge {
    /// Marks were taken: each is the median of its book, near its index. Exactly the accounts that are now below maintenance enter the
    /// queue.
    pub(super) fn note_marks(&mut self, exchange: &Exchange, due: &[AccountId]) -> Result<(), String> {
        let now = exchange.stamp.time;
        let symbols: Vec<SymbolId> = self.contracts.keys().copied().collect();
        for symbol in symbols {
            let contract = self.contracts.get_mut(&symbol).unwrap();
            let core = exchange.state.perps().contract(symbol).ok_or("a contract has lost its prices")?;
            contract.is_fresh = self.pins.contains_key(&contract.base);
            let mut premium = None;
            if let Some(index) = self.pins.get(&contract.base) {
                let book = median(top(exchange, symbol));
                let depth = self.terms.depth;
                let between = premium_price(exchange, symbol, *index, depth);
                let exact = units(*index);
                let [low, high] = [9_995, 10_005].map(|parts| &exact * whole(parts) / whole(10_000));
                let near = book.clone().unwrap_or_else(|| exact.clone()).max(low).min(high);
                (contract.index, contract.mark) = (*index, half_even(&near, 10_000_000));
                premium = Some(between.map_or(Money::ZERO, |between| between - *index));
            }
            let told = (core.index, core.mark, core.is_fresh, core.premium);
            let naive = (contract.index, contract.mark, contract.is_fresh, premium);
            check(&format!("the price of {symbol:?}"), &told, &naive)?;
            self.premiums.entry(symbol).or_default().taken.push((now, premium));
        }
        if !self.contracts.is_empty() {
            self.next_hour.get_or_insert(next_hour(now));
        }
        let holders: BTreeSet<AccountId> = self.fills.keys().copied().collect();
        let is_new = |account: &AccountId| {
            let is_due = self.is_due(*account, exchange) || self.is_stranded(*account, exchange);
            is_due && !self.queue.contains(account)
        };
        let expected: Vec<AccountId> = holders.into_iter().filter(is_new).collect();
        check("the accounts below maintenance", &due, &expected.as_slice())?;
        self.counts.queued += u64::try_from(expected.len()).unwrap();
        self.queue.extend(expected);
        self.turns.marked(now, self.premiums.values());
        // A contract may have an index again.
        self.flattened = None;
        Ok(())
    }

    /// Whether an account is below maintenance, the fund below zero, with a position whose contract has an index.
    pub(super) fn is_due(&self, account: AccountId, exchange: &Exchange) -> bool {
        let mut open = self.contracts.iter().filter(|(_, contract)| contract.is_fresh);
        if !open.any(|(symbol, _)| self.quantity(account, *symbol) != Money::ZERO) {
            return false;
        }
        let figures = self.figures(account, exchange);
        if account == self.fund { figures.assets.is_negative() } else { figures.assets < figures.maintenance }
    }

    /// Whether an account without positions owes, and its collateral leaves less than a twentieth of that; the fund has money to take it.
    pub(super) fn is_stranded(&self, account: AccountId, exchange: &Exchange) -> bool {
        let is_flat = self.contracts.keys().all(|symbol| self.quantity(account, *symbol) == Money::ZERO);
        let owed = (-self.money(account)).max(Money::ZERO);
        if account == self.fund || !is_flat || owed == Money::ZERO || self.dollars_of_fund() == Money::ZERO {
            return false;
        }
        let collateral = self.collateral(account, exchange).into_iter();
        let collateral: Money = collateral.map(|(_, percent, worth)| perp_collateral(worth, percent)).sum();
        collateral > Money::ZERO && (collateral - owed).units() * 20 < owed.units()
    }

    /// An hour was cut: the next one, each contract with the amount of its premiums.
    pub(super) fn note_cut(&mut self, exchange: &Exchange, cut: &Cut) -> Result<(), String> {
        check("the hour that is cut", &Some(cut.hour), &self.next_hour)?;
        if exchange.stamp.time < cut.hour {
            return Err(format!("{:?} is cut at {:?}", cut.hour, exchange.stamp.time));
        }
        let cap = self.terms.cap;
        let amount = |symbol: &SymbolId| {
            // The fund could not be made flat.
            if self.quantity(self.fund, *symbol) != Money::ZERO {
                return Money::ZERO;
            }
            self.premiums[symbol].amount(cut.hour, self.contracts[symbol].mark, cap)
        };
        let expected: Vec<(SymbolId, Money)> =
            self.contracts.keys().map(|symbol| (*symbol, amount(symbol))).collect();
        check("the amounts of an hour", &cut.amounts, &expected)?;
        self.next_hour = Some(next_hour(cut.hour));
        for (symbol, amount) in expected {
            for ((account, _), quantity) in self.quantities.iter().filter(|((_, of), _)| *of == symbol) {
                let payment = product(*quantity, amount)?;
                if payment != Money::ZERO {
                    self.unpaid.insert((*account, symbol), payment);
                }
            }
        }
        self.is_paying = !self.unpaid.is_empty();
        self.turns.paid_hour = cut.hour;
        Ok(())
    }

    /// A step of the payments.
    pub(super) fn note_paid(&mut self, paid: &Paid) -> Result<(), String> {
        check("the hour that is paid", &paid.hour, &self.turns.paid_hour)?;
        for payment in &paid.payments {
            let expected = self.unpaid.remove(&(payment.account, payment.symbol));
            check("a payment", &Some(payment.amount), &expected)?;
            self.give(payment.account, -payment.amount);
            self.counts.payments += 1;
        }
        self.is_paying = paid.next.is_some();
        if !self.is_paying && !self.unpaid.is_empty() {
            return Err(format!("payments are missing: {:?}", self.unpaid));
        }
        Ok(())
    }

    /// The exchange did not run between two times.
    pub(super) fn note_stop(&mut self, since: Time, until: Time) {
        for premiums in self.premiums.values_mut() {
            premiums.stops.push((since, until));
        }
    }
}
