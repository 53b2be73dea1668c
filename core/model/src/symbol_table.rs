//! A table by symbol: dense among the listed symbols, and dense among the contracts.

use crate::SymbolId;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Rows by symbol. The ids of contracts begin far above those of listed symbols, so each kind has a list of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolTable<T> {
    listed: Vec<T>,
    contracts: Vec<T>,
}

impl<T> Default for SymbolTable<T> {
    fn default() -> Self {
        Self { listed: Vec::new(), contracts: Vec::new() }
    }
}

impl<T> SymbolTable<T> {
    /// A symbol's row.
    #[inline]
    pub fn get(&self, symbol: SymbolId) -> Option<&T> {
        match self.listed.get(symbol.index()) {
            Some(row) => Some(row),
            None => self.contracts.get(symbol.contract_index()),
        }
    }

    /// A symbol's row.
    #[inline]
    pub fn get_mut(&mut self, symbol: SymbolId) -> Option<&mut T> {
        match self.listed.get_mut(symbol.index()) {
            Some(row) => Some(row),
            None => self.contracts.get_mut(symbol.contract_index()),
        }
    }

    /// The rows of listed symbols, in the order of their ids.
    #[inline]
    pub fn listed(&self) -> &[T] {
        &self.listed
    }

    /// The rows of contracts, in the order of their ids.
    pub fn contracts(&self) -> &[T] {
        &self.contracts
    }

    /// Adds the row of the next listed symbol.
    pub fn push_listed(&mut self, row: T) {
        self.listed.push(row);
    }

    /// Adds the row of the next contract.
    pub fn push_contract(&mut self, row: T) {
        self.contracts.push(row);
    }

    /// All rows with their symbols: the listed ones first.
    pub fn iter(&self) -> impl Iterator<Item = (SymbolId, &T)> {
        let listed = (0..).map(SymbolId).zip(&self.listed);
        listed.chain((0..).map(SymbolId::contract).zip(&self.contracts))
    }
}

impl<T: Clone + Default> SymbolTable<T> {
    /// A symbol's row, added with those before it if the table lacks it; never none.
    pub fn grown(&mut self, symbol: SymbolId) -> Option<&mut T> {
        let (rows, at) = if symbol.is_contract() {
            (&mut self.contracts, symbol.contract_index())
        } else {
            (&mut self.listed, symbol.index())
        };
        if rows.len() <= at {
            rows.resize(at + 1, T::default());
        }
        rows.get_mut(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A contract's row takes as much room as its number among the contracts, and no listed symbol shares it.
    #[test]
    fn each_kind_has_its_own_rows() {
        let mut table: SymbolTable<u8> = SymbolTable::default();
        *table.grown(SymbolId::contract(1)).unwrap() = 7;
        *table.grown(SymbolId(2)).unwrap() = 9;
        assert_eq!((table.listed(), table.contracts()), (&[0, 0, 9][..], &[0, 7][..]));
        assert_eq!((table.get(SymbolId::contract(1)), table.get(SymbolId(2))), (Some(&7), Some(&9)));
        assert_eq!((table.get(SymbolId::contract(2)), table.get(SymbolId(3))), (None, None));
        *table.get_mut(SymbolId::contract(0)).unwrap() = 1;
        table.push_contract(3);
        table.push_listed(4);
        let rows: Vec<(SymbolId, u8)> = table.iter().map(|(symbol, row)| (symbol, *row)).collect();
        let [first, second, third] = [0, 1, 2].map(SymbolId::contract);
        let listed = [(SymbolId(0), 0), (SymbolId(1), 0), (SymbolId(2), 9), (SymbolId(3), 4)];
        assert_eq!(rows, [listed.as_slice(), &[(first, 1), (second, 7), (third, 3)]].concat());
    }
}
