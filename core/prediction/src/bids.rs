//! The dollars that an account's live buys of contracts hold, as one running sum for each account.
//!
//! The bound of a group in advance (D-181) reads it with each balance: a walk over the orders there would cost others what an account has
//! resting. The sums are derived and not stored.

use crate::buys;
use crate::desk::reserved;
use alloc::vec::Vec;
use buttonwood_ledger::Ledger;
use buttonwood_model::AccountId;
use buttonwood_num::Money;
use buttonwood_trading::{Floor, Live};

/// The sum for each account.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bids(Vec<Money>);

impl Bids {
    /// The sum of an account.
    pub(crate) fn of(&self, account: AccountId) -> Money {
        self.0.get(account.index()).copied().unwrap_or(Money::ZERO)
    }

    /// An account's live buys hold this much more, or less.
    pub(crate) fn add(&mut self, account: AccountId, amount: Money) {
        if self.0.len() <= account.index() {
            self.grow(account);
        }
        if let Some(sum) = self.0.get_mut(account.index()) {
            // All of it is held in one balance, which is within the range of money.
            *sum += amount;
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, account: AccountId) {
        self.0.resize(account.index() + 1, Money::ZERO);
    }

    /// The sums from the single orders.
    pub(crate) fn counted(floor: &Floor, ledger: &Ledger) -> Self {
        let mut bids = Self::default();
        if !floor.symbols.contracts().is_empty() {
            for account in (0..ledger.accounts()).map(AccountId) {
                for live in floor.orders.in_any_order(account).map(|(slot, _)| floor.live(slot)) {
                    bids.note(live);
                }
            }
        }
        bids
    }

    fn note(&mut self, live: Live<'_>) {
        if live.order.symbol.is_contract() && buys(live.order.class()) {
            self.add(live.order.account, reserved(live).1);
        }
    }

    /// The first account of which the sums differ.
    pub(crate) fn first_other(&self, other: &Self) -> Option<AccountId> {
        let accounts = (0..self.0.len().max(other.0.len())).map(AccountId::from_index);
        { accounts }.find(|account| self.of(*account) != other.of(*account))
    }
}

/// Accounts without an entry hold nothing.
impl PartialEq for Bids {
    fn eq(&self, other: &Self) -> bool {
        self.first_other(other).is_none()
    }
}
