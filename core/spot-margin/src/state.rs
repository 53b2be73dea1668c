//! The desk's state: what accounts owe, and what their live orders stand for.

use crate::Conditions;
use crate::coins::{Coin, Market};
use crate::interest::Interest;
use crate::liquidation::Liquidations;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use buttonwood_model::{AccountId, CurrencyId, Product, Symbol, SymbolId, Time};
use buttonwood_num::Money;
use buttonwood_risk::{Debts, Loans, spot::Terms};
use serde::{Deserialize, Serialize};

/// The sums of an account's live orders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// Σ price × remaining of the margin buys.
    pub(crate) buys: Money,
    /// Their fees, each at the higher of its two rates.
    pub(crate) fees: Money,
    /// Σ price × remaining of the margin sells.
    pub(crate) sells: Money,
    /// How many orders there are.
    pub(crate) orders: u32,
    /// How many cash orders spend dollars or holdings for something else than dollars.
    pub(crate) spending: u32,
}

/// The exposure of an account's live margin buys at one price.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Level {
    /// Σ remaining, in the base currency.
    pub(crate) base: Money,
    /// Σ price × remaining.
    pub(crate) value: Money,
}

/// The state of the desk.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SpotMargin {
    /// The debts of accounts, always in dollars.
    pub(crate) loans: Loans,
    /// Of accounts with live orders.
    pub(crate) rows: BTreeMap<AccountId, Row>,
    /// Live margin buys by price in dollars.
    pub(crate) levels: BTreeMap<(AccountId, SymbolId, Money), Level>,
    /// The reserves of live orders of this desk. Money reserved otherwise is on its way out of the account.
    pub(crate) held: BTreeMap<(AccountId, CurrencyId), Money>,
    pub(crate) conditions: Conditions,
    /// The coins that can be bought on margin; none where only earlier builds opened the directory.
    pub(crate) coins: Option<Vec<Coin>>,
    pub(crate) interest: Interest,
    pub(crate) liquidations: Liquidations,
    /// When the indices were taken against which accounts are to be searched, and the last account that was.
    pub(crate) search: Option<(Time, Option<AccountId>)>,
    /// Whether the first dollar was borrowed in the command that is being applied.
    #[serde(skip)]
    pub(crate) borrowed: bool,
    /// The debts of margin accounts for returned advances, in dollars; they count as borrowed (D-181). Derived from the debts of `funds`.
    #[serde(skip)]
    pub(crate) debts: Debts,
    /// Derived from currencies and symbols.
    #[serde(skip)]
    pub(crate) dollar: Option<CurrencyId>,
    #[serde(skip)]
    pub(crate) markets: Vec<Market>,
}

/// Derived fields do not count.
impl PartialEq for SpotMargin {
    fn eq(&self, other: &Self) -> bool {
        (&self.loans, &self.rows, &self.levels, &self.held)
            == (&other.loans, &other.rows, &other.levels, &other.held)
            && (&self.conditions, &self.coins) == (&other.conditions, &other.coins)
            && (&self.interest, &self.liquidations, self.search)
                == (&other.interest, &other.liquidations, other.search)
    }
}

impl SpotMargin {
    /// The terms of every account.
    pub fn terms(&self) -> Terms {
        self.conditions.terms()
    }

    /// Terms and rates, as configured.
    pub fn conditions(&self) -> &Conditions {
        &self.conditions
    }

    /// The debts of accounts.
    pub fn loans(&self) -> &Loans {
        &self.loans
    }

    /// The debt of an account, in dollars.
    pub fn owed(&self, account: AccountId) -> Money {
        self.dollar.map_or(Money::ZERO, |dollar| self.loans.owed(account, dollar))
    }

    /// The amount that counts as borrowed by an account, in dollars: its loan, and its debts for returned advances.
    pub fn borrowed(&self, account: AccountId) -> Money {
        self.owed(account).capped_add(self.debt(account))
    }

    /// The debts of an account for returned advances, in dollars.
    pub fn debt(&self, account: AccountId) -> Money {
        self.debts.of(account)
    }

    /// Notes what a margin account owes for returned advances, in dollars.
    pub fn note_debt(&mut self, account: AccountId, debt: Money) {
        self.debts.note(account, debt);
    }

    /// Has the accounts that owe looked through from the first one, since one of them owes more.
    pub(crate) fn look_through(&mut self, time: Time) {
        self.search = Some((time, None));
    }

    /// Whether a symbol is traded on margin.
    pub fn is_traded(&self, symbol: &Symbol) -> bool {
        symbol.product == Product::Spot
            && Some(symbol.quote) == self.dollar
            && self.markets.iter().any(|market| market.coin.currency == symbol.base)
    }

    /// Notes that indices were taken: accounts that owe are to be looked through.
    pub(crate) fn note_taken(&mut self, time: Time) {
        if !self.loans.is_empty() || !self.debts.is_empty() {
            self.search = Some((time, None));
        }
    }

    /// Notes the time of the command that was applied, if it borrowed.
    #[inline]
    pub fn note_time(&mut self, time: Time) {
        if self.borrowed {
            self.borrowed = false;
            self.interest.begin(time);
        }
    }

    pub(crate) fn row(&self, account: AccountId) -> Row {
        self.rows.get(&account).copied().unwrap_or_default()
    }

    /// Whether the account owes or has live margin buys: then it buys nothing without credit.
    pub(crate) fn is_committed(&self, account: AccountId) -> bool {
        self.borrowed(account) > Money::ZERO || self.row(account).buys > Money::ZERO
    }

    /// Whether the account owes or has live orders here.
    pub fn is_active(&self, account: AccountId) -> bool {
        self.owed(account) > Money::ZERO || self.rows.contains_key(&account)
    }
}
