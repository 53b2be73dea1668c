//! The money that the rooms keep in an account, for [`Leave`].

use crate::State;
use alloc::vec::Vec;
use buttonwood_leave::{Bound, Leave, Rooms, Worth};
use buttonwood_model::{AccountId, CurrencyId};
use buttonwood_num::Money;

impl State {
    /// The amounts that may leave accounts now.
    pub fn leave(&self) -> Leave<'_> {
        Leave { ledger: self.ledger(), rooms: self }
    }

    /// Whether the group of an account has an open advance or owes for a returned one, so that less may leave its accounts than they
    /// have (D-181).
    pub fn is_in_advance(&self, account: AccountId) -> bool {
        !self.group_in_advance(account).is_empty()
    }

    /// The reserve of the account's live buys of contracts.
    fn held_for_claims(&self, account: AccountId, currency: CurrencyId) -> Money {
        if self.ledger().dollar() == Some(currency) {
            self.predictions().bids_of(account)
        } else {
            Money::ZERO
        }
    }
}

impl Rooms for State {
    /// The margin of positions stays in their account (D-47), and what a debt needs as well (D-165).
    fn most(&self, account: AccountId, currency: CurrencyId) -> Option<Money> {
        self.margined(account, currency).map(|[_, leaves]| leaves)
    }

    /// The reserve of buys of contracts is on its way out as well: claims count nothing against advances (D-181).
    fn bound(&self, account: AccountId, currency: CurrencyId) -> Bound {
        let bound = self.funds.bound(account, currency);
        Bound { held: bound.held.capped_add(self.held_for_claims(account, currency)), ..bound }
    }

    fn debts(&self, account: AccountId) -> Vec<(CurrencyId, Money)> {
        self.funds.debts_of(account).collect()
    }

    fn group_in_advance(&self, account: AccountId) -> Vec<AccountId> {
        if !self.funds.advances_any() && self.funds.debts().is_empty() {
            return Vec::new();
        }
        let members = self.desks.members(account);
        let is_in_advance = |member: &AccountId| self.funds.has_advances(*member) || self.funds.owes(*member);
        if members.iter().any(is_in_advance) { members.to_vec() } else { Vec::new() }
    }

    fn liabilities(&self, account: AccountId) -> Money {
        self.desks.liabilities(account)
    }

    fn note_looks(&self, rows: usize) {
        self.desks.looks.note(rows);
    }

    fn worth(&self, account: AccountId, currency: CurrencyId) -> Worth {
        self.desks.worth((&self.floor, self.stamp.time), self.desks.group(account), currency)
    }
}
