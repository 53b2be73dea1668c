//! The names on the wire: symbols and currencies by id and by name, read on every request without a lock, and the name of the
//! exchange.
//!
//! The lists only grow, so an id keeps its meaning. The rows are copies: only a symbol's status ever changes, and that
//! is read from the views. Contracts of the prediction markets are apart from the listed symbols: most paths do not know them.

use buttonwood_model::{Currency, CurrencyId, Symbol, SymbolId};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError, RwLock};

/// The names of symbols and currencies, and of the exchange.
#[derive(Debug)]
pub struct Names {
    service: String,
    symbols: boxcar::Vec<Symbol>,
    contracts: boxcar::Vec<Symbol>,
    currencies: boxcar::Vec<Currency>,
    /// Symbols listed at the start, which nearly every request names.
    by_name: HashMap<String, SymbolId>,
    /// Symbols listed since then, and contracts. An id is in it only after its symbol is in its list.
    later: RwLock<HashMap<Box<str>, SymbolId>>,
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
            later: RwLock::default(),
            symbols: symbols.iter().cloned().collect(),
            contracts: boxcar::Vec::new(),
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
            let id = SymbolId::from_index(self.symbols.push(symbol.clone()));
            self.add_later(symbol, id);
        }
    }

    /// Adds the contracts that are not here yet; the list is the full one.
    pub fn grow_contracts(&self, contracts: &[Symbol]) {
        let _alone = self.growing.lock().unwrap_or_else(PoisonError::into_inner);
        for symbol in contracts.iter().skip(self.contracts.count()) {
            if let Ok(number) = u32::try_from(self.contracts.push(symbol.clone())) {
                self.add_later(symbol, SymbolId::contract(number));
            }
        }
    }

    fn add_later(&self, symbol: &Symbol, id: SymbolId) {
        let mut later = self.later.write().unwrap_or_else(PoisonError::into_inner);
        later.insert(symbol.name.as_str().into(), id);
    }

    /// The constant in the `exchange` field.
    pub fn service(&self) -> &str {
        &self.service
    }

    /// A listed symbol by its name in any letter case (SYM-007); contracts are none.
    pub fn find_symbol(&self, name: &str) -> Option<(SymbolId, &Symbol)> {
        self.find_any(name).filter(|(id, _)| !id.is_contract())
    }

    /// A contract of the prediction markets by its symbol in any letter case.
    pub fn find_contract(&self, name: &str) -> Option<(SymbolId, &Symbol)> {
        self.find_any(name).filter(|(id, _)| id.is_contract())
    }

    /// A listed symbol or a contract by its name in any letter case.
    pub fn find_any(&self, name: &str) -> Option<(SymbolId, &Symbol)> {
        let id = self.by_name.get(name).copied().or_else(|| {
            let name = name.to_ascii_lowercase();
            self.by_name.get(&name).copied().or_else(|| self.find_later(&name))
        })?;
        Some((id, self.symbol(id)))
    }

    fn find_later(&self, name: &str) -> Option<SymbolId> {
        self.later.read().unwrap_or_else(PoisonError::into_inner).get(name).copied()
    }

    /// A listed symbol or a contract.
    ///
    /// # Panics
    /// When no symbol has this id.
    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        let listed = self.symbols.get(id.index());
        listed.or_else(|| self.contracts.get(id.contract_index())).expect("only listed symbols have ids")
    }

    /// Every listed symbol with its id, alphabetically.
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

#[cfg(test)]
mod tests {
    use super::*;
    use buttonwood_model::{Product, SymbolStatus};
    use buttonwood_num::{Decimal, Grid, Qty};

    fn symbol(name: &str) -> Symbol {
        let hundredth = Decimal::parse(b"0.01").unwrap();
        Symbol {
            name: name.to_owned(),
            base: CurrencyId(0),
            quote: CurrencyId(0),
            grid: Grid::new(hundredth, hundredth).unwrap(),
            qty_min: Qty::from_hundredths(100),
            product: Product::Contract,
            status: SymbolStatus::Open,
            wrap_enabled: false,
            closed_to: Vec::new(),
        }
    }

    /// Contracts are found in any case, apart from listed symbols, whenever they were listed.
    #[test]
    fn contracts_are_apart_from_listed_symbols() {
        let names = Names::new("svc".to_owned(), &[symbol("btcusd")], &[]);
        names.grow(&[symbol("btcusd"), symbol("ethusd")], &[]);
        names.grow_contracts(&[symbol("svc-rain")]);
        names.grow_contracts(&[symbol("svc-rain"), symbol("svc-cup-ann")]);
        let id = |found: Option<(SymbolId, &Symbol)>| found.map(|(id, _)| id);
        let (first, second) = (SymbolId::contract(0), SymbolId::contract(1));
        assert_eq!(id(names.find_contract("SVC-Rain")), Some(first));
        assert_eq!(id(names.find_any("svc-cup-ann")), Some(second));
        assert_eq!(names.symbol(second).name, "svc-cup-ann");
        assert!(names.find_symbol("svc-rain").is_none() && names.find_contract("ETHUSD").is_none());
        assert_eq!(id(names.find_symbol("ETHUSD")), Some(SymbolId(1)));
        assert_eq!(id(names.find_any("BtcUsd")), Some(SymbolId(0)));
        assert!(names.find_any("svc-snow").is_none());
        assert_eq!(names.symbols().len(), 2);
    }
}
