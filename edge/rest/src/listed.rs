//! Symbols and currencies by id and by name, read on every request without a lock.
//!
//! Both lists only grow: an id stays what it is. What a symbol's row says besides its status never changes, so a copy
//! serves; the status is the views'.

use buttonwood_model::{Currency, CurrencyId, Symbol, SymbolId};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// What is listed.
#[derive(Debug)]
pub(crate) struct Listed {
    symbols: boxcar::Vec<Symbol>,
    currencies: Vec<Currency>,
    /// Those listed at the start, which nearly every request names.
    by_name: HashMap<String, SymbolId>,
    /// Held while the list grows.
    growing: Mutex<()>,
}

impl Listed {
    /// What is listed at the start.
    pub(crate) fn new(symbols: &[Symbol], currencies: &[Currency]) -> Self {
        let named = |(id, symbol): (usize, &Symbol)| (symbol.name.clone(), SymbolId::from_index(id));
        Self {
            by_name: symbols.iter().enumerate().map(named).collect(),
            symbols: symbols.iter().cloned().collect(),
            currencies: currencies.to_vec(),
            growing: Mutex::new(()),
        }
    }

    /// Takes up what has been listed since (SYM-030): `symbols` are all there are now.
    pub(crate) fn grow(&self, symbols: &[Symbol]) {
        let _alone = self.growing.lock().unwrap_or_else(PoisonError::into_inner);
        for symbol in symbols.iter().skip(self.symbols.count()) {
            self.symbols.push(symbol.clone());
        }
    }

    /// A symbol by its name in any letter case (SYM-007).
    pub(crate) fn find_symbol(&self, name: &str) -> Option<(SymbolId, &Symbol)> {
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
    pub(crate) fn symbol(&self, id: SymbolId) -> &Symbol {
        self.symbols.get(id.index()).expect("only listed symbols have ids")
    }

    /// Every symbol with its id, alphabetically.
    pub(crate) fn symbols(&self) -> Vec<(SymbolId, &Symbol)> {
        let mut all: Vec<_> =
            self.symbols.iter().map(|(id, symbol)| (SymbolId::from_index(id), symbol)).collect();
        all.sort_by(|left, right| left.1.name.cmp(&right.1.name));
        all
    }

    /// A listed currency.
    pub(crate) fn currency(&self, id: CurrencyId) -> &Currency {
        self.currencies.get(id.index()).expect("only listed currencies have ids")
    }

    /// A currency by its code in any letter case.
    pub(crate) fn find_currency(&self, code: &str) -> Option<CurrencyId> {
        let place = self.currencies.iter().position(|currency| currency.code.eq_ignore_ascii_case(code));
        place.map(CurrencyId::from_index)
    }
}
