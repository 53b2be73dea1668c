//! The prices with which the marks were taken, and the rule by which they are taken.
//!
//! Clauses: `PERP-012`; decisions D-38, D-39. Not here: when they are taken.

use crate::Perps;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use buttonwood_index::{Index, Latest};
use buttonwood_model::{CurrencyId, Product, Side, Symbol, SymbolId};
use buttonwood_num::{Money, Price, Round};
use buttonwood_risk::price;
use buttonwood_room::Context;
use serde::{Deserialize, Serialize};

/// The prices of a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contract {
    /// The index of its base currency, in dollars, when the mark was taken.
    pub index: Money,
    /// The mark, in the quote currency.
    pub mark: Money,
    /// Whether the index had enough sources; otherwise only reducing orders are accepted.
    pub is_fresh: bool,
    /// The price of the contract's own book less the index, from which funding is computed (D-177); none without an index, zero
    /// while a side of the book is too thin.
    pub premium: Option<Money>,
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

/// How many times the value of all positions of a contract must fit into the range of money.
const ROOM: i128 = 1_024;

/// How many prices of a side a premium reads at most, which bounds the work of a mark. A side that is thinner than the depth up to there
/// counts as too thin.
const PRICES_MAX: usize = 10_000;

/// The prices of all contracts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Prices {
    contracts: BTreeMap<SymbolId, Contract>,
}

impl Prices {
    pub(crate) fn contract(&self, symbol: SymbolId) -> Option<&Contract> {
        self.contracts.get(&symbol)
    }

    /// Every contract that has had an index.
    pub(crate) fn contracts(&self) -> impl Iterator<Item = (SymbolId, &Contract)> {
        self.contracts.iter().map(|(symbol, contract)| (*symbol, contract))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.contracts.is_empty()
    }

    pub(crate) fn take(&mut self, marks: &[Marked]) {
        self.contracts.extend(marks.iter().map(|mark| (mark.symbol, mark.contract)));
    }
}

/// The prices of all contracts at these indices, as far as they changed.
pub(crate) fn marks(context: &Context<'_, Perps>, latest: &Latest) -> Vec<Marked> {
    let listed = (0..).map(SymbolId).zip(context.symbols);
    let contracts = listed.filter(|(_, symbol)| symbol.product == Product::Swap);
    let marked = contracts.filter_map(|(id, symbol)| {
        let currency = symbol.base;
        let index = latest.index(currency).filter(|index| index.is_fresh);
        let before = context.room.contract(id).copied();
        let contract = match index.and_then(|index| priced(context, id, symbol, index.price)) {
            Some(contract) => contract,
            // It keeps its last prices.
            None => Contract { is_fresh: false, premium: None, ..before? },
        };
        (before != Some(contract)).then_some(Marked { symbol: id, currency, contract })
    });
    marked.collect()
}

/// The indices that marks of an older record were taken with: those records name none.
pub(crate) fn indices_of(marks: &[Marked]) -> impl Iterator<Item = (CurrencyId, Index)> {
    marks.iter().map(|mark| {
        let Contract { index: price, is_fresh, .. } = mark.contract;
        (mark.currency, Index { price, is_fresh })
    })
}

/// The prices of a contract at an index; none if the value of its positions could not be counted.
fn priced(context: &Context<'_, Perps>, id: SymbolId, symbol: &Symbol, index: Money) -> Option<Contract> {
    let book = context.sources.median(id, symbol);
    // While trading is halted, no one can answer a premium, so it counts nothing.
    let premium = if context.is_halted { Some(Money::ZERO) } else { premium(context, (id, symbol), index) };
    let mark = price::mark(book, index).filter(|mark| is_countable(context, id, *mark))?;
    Some(Contract { index, mark, is_fresh: true, premium })
}

/// Whether the value of all positions of a contract at a price stays far inside the range of money, so that neither funding nor a
/// liquidation can leave it.
pub(crate) fn is_countable(context: &Context<'_, Perps>, id: SymbolId, price: Money) -> bool {
    let value = context.room.open_interest(id).times(price, Round::Up);
    value.is_some_and(|value| value.units().checked_mul(ROOM).is_some())
}

/// The price of a contract's book less its index: the last trade, between the averages of the two sides near the index (D-177).
fn premium(context: &Context<'_, Perps>, (id, symbol): (SymbolId, &Symbol), index: Money) -> Option<Money> {
    let depth = context.room.funding_terms().depth;
    let value = |price: Price| symbol.grid.value(Money::ONE, price);
    let averages = [Side::Buy, Side::Sell].map(|side| {
        let levels = context.room.depth.of(id, side).take(PRICES_MAX);
        let levels = levels.map(|(price, sum)| (value(price), sum));
        let is_near = |(price, _): &(Money, Money)| price::is_near(*price, index);
        let near = levels.skip_while(|level| !is_near(level)).take_while(is_near);
        let mut bound = bound(context, id, side);
        let offers = near.map(|(price, sum)| {
            let taken = sum.min(bound);
            bound -= taken;
            (price, sum - taken)
        });
        price::average(offers, depth)
    });
    price::difference(averages, context.orders.last(id).map(value), index)
}

/// The live quantity of a side whose owners' groups have open advances: beyond what these may lose it never fills. It counts as the
/// first that rests, so that no order is looked at.
fn bound(context: &Context<'_, Perps>, id: SymbolId, side: Side) -> Money {
    let accounts = context.sources.bound.bound_accounts();
    accounts
        .into_iter()
        .fold(Money::ZERO, |sum, account| sum.capped_add(context.room.row(account, id).live(side)))
}
