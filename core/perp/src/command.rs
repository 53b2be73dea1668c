//! The commands of the desk: pinning an index, taking the marks, and the risk settings of accounts.

use crate::{Contract, Perps, Risk};
use alloc::vec::Vec;
use buttonwood_book::Orders;
use buttonwood_margin::{Leverage, price};
use buttonwood_model::{
    AccountId, BytesRef, CurrencyId, Due, Outbox, Product, Rank, Roles, Side, Symbol, SymbolId, Time, named,
};
use buttonwood_num::{Money, Price};
use serde::{Deserialize, Serialize};

/// A command of the desk; none is a key's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Pin the index of a currency to a price in dollars, or return it to the books; the marks are taken at once.
    PinIndex(CurrencyId, Option<Money>),
    /// Take the marks.
    TakeMarks,
    /// Set the highest leverage of an account, and whether it has cross collateral; none leaves a setting as it is.
    SetRisk(AccountId, Option<Leverage>, Option<bool>),
}

named!(Command, "perp", {
    PinIndex { 0: currency, 1: price } = "pin_index" 1,
    TakeMarks {} = "take_marks" 1,
    SetRisk { 0: account, 1: leverage, 2: cross } = "set_risk" 1,
});

impl Command {
    /// No key may send it.
    pub fn roles(&self) -> Roles {
        Roles::NOBODY
    }

    /// Whether it is still accepted when journal space is low.
    pub fn is_reducing(&self) -> bool {
        false
    }
}

/// The prices of a contract as they were taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marked {
    /// The contract.
    pub symbol: SymbolId,
    /// Its base currency, whose index this is.
    pub currency: CurrencyId,
    /// The prices.
    pub contract: Contract,
}

/// An event of the desk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Infrequent {
    /// The index of a currency was pinned to a price, or returned to the books.
    IndexPinned(CurrencyId, Option<Money>),
    /// The marks were taken; the prices that changed.
    MarksTaken(Vec<Marked>),
    /// The settings of an account were changed.
    RiskSet(AccountId, Risk),
}

named!(Infrequent, "perp", {
    IndexPinned { 0: currency, 1: price } = "index_pinned" 1,
    MarksTaken { 0: marks } = "marks_taken" 1,
    RiskSet { 0: account, 1: risk } = "risk_set" 1,
});

/// Why a command is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject {
    /// No contract on the currency is listed, or the account is none of this desk.
    Unknown,
    /// The price is not positive, or too high to be counted.
    BadPrice,
    /// Nothing changed since the marks were taken.
    NotDue,
}

/// What a decision reads.
#[derive(Clone, Copy, Debug)]
pub struct Market<'a> {
    /// The state of the desk.
    pub perps: &'a Perps,
    /// Every symbol.
    pub symbols: &'a [Symbol],
    /// Every live order.
    pub orders: &'a Orders,
    /// The currency of dollar books.
    pub dollar: Option<CurrencyId>,
    /// How many sources an index needs.
    pub sources_needed: usize,
    /// The time of the command.
    pub time: Time,
}

/// Decides a command. The engine has checked that the account of [`Command::SetRisk`] is one of this desk.
///
/// # Errors
/// [`Reject`]; the caller removes the events that were written by then.
pub fn decide<E: From<BytesRef>>(
    market: Market<'_>,
    command: &Command,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    match command {
        Command::PinIndex(currency, price) => {
            let is_based = |symbol: &Symbol| symbol.product == Product::Swap && symbol.base == *currency;
            if !market.symbols.iter().any(is_based) {
                return Err(Reject::Unknown);
            }
            if price.is_some_and(|price| price <= Money::ZERO || price::mark(None, price).is_none()) {
                return Err(Reject::BadPrice);
            }
            out.push_named(&Infrequent::IndexPinned(*currency, *price));
            out.push_named(&Infrequent::MarksTaken(market.marks(Some((*currency, *price)))));
        }
        Command::TakeMarks => {
            if market.perps.marks_due().is_none_or(|due| due > market.time) {
                return Err(Reject::NotDue);
            }
            out.push_named(&Infrequent::MarksTaken(market.marks(None)));
        }
        Command::SetRisk(account, leverage, cross) => {
            let before = market.perps.risk(*account);
            let risk = Risk {
                leverage: leverage.unwrap_or(before.leverage),
                cross_collateral: cross.unwrap_or(before.cross_collateral),
            };
            out.push_named(&Infrequent::RiskSet(*account, risk));
        }
    }
    Ok(())
}

impl Market<'_> {
    /// The prices of all contracts as they are now, as far as they changed. `pin` replaces the pin of a currency.
    fn marks(&self, pin: Option<(CurrencyId, Option<Money>)>) -> Vec<Marked> {
        let listed = (0..).map(SymbolId).zip(self.symbols);
        let contracts = listed.filter(|(_, symbol)| symbol.product == Product::Swap);
        let marked = contracts.filter_map(|(id, symbol)| {
            let currency = symbol.base;
            let pinned = match pin {
                Some((of, price)) if of == currency => price,
                _ => self.perps.pin(currency),
            };
            let before = self.perps.contract(id).copied();
            let contract = match pinned.or_else(|| self.of_book(currency)) {
                Some(index) => {
                    let mark = price::mark(self.median(id, symbol), index)?;
                    Contract { index, mark, is_fresh: true }
                }
                // It keeps its last prices.
                None => Contract { is_fresh: false, ..before? },
            };
            (before != Some(contract)).then_some(Marked { symbol: id, currency, contract })
        });
        marked.collect()
    }

    /// The index of a currency from its own dollar book, if that is as many sources as are needed.
    fn of_book(&self, currency: CurrencyId) -> Option<Money> {
        let is_book = |symbol: &Symbol| {
            symbol.product == Product::Spot && symbol.base == currency && Some(symbol.quote) == self.dollar
        };
        let place = self.symbols.iter().position(is_book)?;
        let median = self.median(SymbolId::from_index(place), self.symbols.get(place)?)?;
        price::index(&[median], self.sources_needed)
    }

    /// The median of a book's best bid, best ask and last trade.
    fn median(&self, id: SymbolId, symbol: &Symbol) -> Option<Money> {
        let book = self.orders.book(id);
        let value = |price: Price| symbol.grid.value(Money::ONE, price);
        let [bid, ask] = [Side::Buy, Side::Sell].map(|side| book.side(side).best().map(value));
        price::book_median(bid, ask, self.orders.last(id).map(value))
    }
}

/// The command that is due next.
pub fn next_due(perps: &Perps) -> Option<Due<Command>> {
    perps.marks_due().map(|time| Due { rank: Rank::Step, time, may_skip: false, command: Command::TakeMarks })
}

/// Applies an event.
pub fn evolve(perps: &mut Perps, event: Infrequent) {
    match event {
        Infrequent::IndexPinned(currency, price) => {
            match price {
                Some(price) => perps.pins.insert(currency, price),
                None => perps.pins.remove(&currency),
            };
        }
        Infrequent::MarksTaken(marks) => {
            perps.note_marks();
            for Marked { symbol, currency, contract } in marks {
                perps.contracts.insert(symbol, contract);
                perps.indices.insert(currency, contract.index);
            }
        }
        Infrequent::RiskSet(account, risk) => {
            perps.risks.insert(account, risk);
        }
    }
}
