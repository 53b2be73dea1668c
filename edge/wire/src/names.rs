//! The names on the wire: symbols and currencies by id and by name, read on every request without a lock, and the name of the
//! exchange.
//!
//! Both lists only grow, so an id keeps its meaning. The rows are copies: only a symbol's status ever changes, and that
//! is read from the views.

use buttonwood_model::{Currency, CurrencyId, Symbol, SymbolId};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The names of symbols and currencies, and of the exchange.
#[derive(Debug)]
pub struct Names {
    service: String,
    symbols: boxcar::Vec<Symbol>,
    currencies: boxcar::Vec<Currency>,
    /// Symbols listed at the start, which nearly every request names.
    by_name: HashMap<String, SymbolId>,
    /// Held while the list grows.
    growing: Mutex<()>,
}

impl Names {
    /// The symbols and currencies listed at the start; `service` is the constant in the `exchange` field (D-22).
    pub fn new(service: String, symbols: &[Symbol], currencies: &[Currency]) -> Self {
        let named = |(id, symbol): (usize, &Symbol)| (symbol.name.clone(), SymbolId::from_index(id));
        Self {
            service,
            by_name: symbols.iter().enumerate().map(named).collect(),
            symbols: symbols.iter().cloned().collect(),
            currencies: currencies.iter().cloned().collect(),
            growing: Mutex::new(()),
        }
    }

    /// Adds what was listed since then (SYM-030); both lists are the full ones. A symbol is added after its currencies.
    pub fn grow(&self, symbols: &[Symbol], currencies: &[Currency]) {
        let _alone = self.growing.lock().unwrap_or_else(PoisonError::into_inner);
        for currency in currencies.iter().skip(self.currencies.count()) {
            self.currencies.push(currency.clone());
        }
        for symbol in symbols.iter().skip(self.symbols.count()) {
            self.symbols.push(symbol.clone());
        }
    }

    /// The constant in the `exchange` field.
    pub fn service(&self) -> &str {
        &self.service
    }

    /// A symbol by its name in any letter case (SYM-007).
    pub fn find_symbol(&self, name: &str) -> Option<(SymbolId, &Symbol)> {
        let id = self
            .by_name
            .get(name)
            .or_else(|| self.by_name.get(&name.to_ascii_lowercase()))
            .copied()
            .or_else(|| self.find_later(name))?;
        Some((id, self.symbol(id)))
    }

    /// A symbol that was listed after the start: these are few.
    fn find_later(&self, name: &str) -> Option<SymbolId> {
        let mut later = self.symbols.iter().skip(self.by_name.len());
        later
            .find(|(_, symbol)| symbol.name.eq_ignore_ascii_case(name))
            .map(|(id, _)| SymbolId::from_index(id))
    }

    /// A listed symbol.
    ///
    /// # Panics
    /// When no symbol has this id.
    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        self.symbols.get(id.index()).expect("only listed symbols have ids")
    }

    /// Every symbol with its id, alphabetically.
    pub fn symbols(&self) -> Vec<(SymbolId, &Symbol)> {
        let mut all: Vec<_> =
            self.symbols.iter().map(|(id, symbol)| (SymbolId::from_index(id), symbol)).collect();
        all.sort_by(|left, right| left.1.name.cmp(&right.1.name));
        all
    }

    /// A listed currency.
    ///
    /// # Panics
    /// When no currency has this id.
    pub fn currency(&self, id: CurrencyId) -> &Currency {
        self.currencies.get(id.index()).expect("only listed currencies have ids")
    }

    /// A currency by its code in any letter case.
    pub fn find_currency(&self, code: &str) -> Option<CurrencyId> {
        let mut all = self.currencies.iter();
        let found = all.find(|(_, currency)| currency.code.eq_ignore_ascii_case(code));
        found.map(|(id, _)| CurrencyId::from_index(id))
    }
}
