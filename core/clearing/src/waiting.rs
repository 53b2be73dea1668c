//! The orders that wait for money, each at one balance that lacks some: so a rise of a balance finds the orders that it covers.
//!
//! The table is derived and not stored. It says which orders an attempt is due for; the attempt itself reads balances.

use crate::order::{Need, Order};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, AssetId, CurrencyId};
use buttonwood_num::Money;

/// A balance.
type Place = (AccountId, CurrencyId);

/// Where an order waits.
#[derive(Clone, Copy, Debug)]
enum Spot {
    /// At a balance that has less than it needs.
    Lacks(Place, Money),
    /// Both sides have the money, and one may not give it: an advance, a debt or the range of money is in the way. It waits at both balances.
    Bounded([Place; 2]),
    /// An attempt is due.
    Ready(u64),
    /// Its amounts are beyond the range of money.
    Nowhere,
}

/// The orders that wait for money.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waiting {
    spots: BTreeMap<u64, Spot>,
    /// At each balance, the amounts that are needed there, the smallest first.
    lacks: BTreeMap<Place, BTreeSet<(Money, u64)>>,
    bounded: BTreeSet<u64>,
    /// By the last confirmation, the oldest first.
    ready: BTreeSet<(u64, u64)>,
    /// Whether a command has just made orders ready: then an attempt follows before any other command.
    is_fresh: bool,
    /// Whether what may leave accounts may have risen for orders that are bounded.
    looks_again: bool,
}

impl Waiting {
    /// The orders for which an attempt is due, the oldest confirmation first.
    pub(crate) fn ready(&self) -> impl Iterator<Item = u64> {
        self.ready.iter().map(|(_, number)| *number)
    }

    /// Whether an attempt follows before any other command.
    #[inline]
    pub(crate) fn is_fresh(&self) -> bool {
        self.is_fresh && !self.ready.is_empty()
    }

    pub(crate) fn set_fresh(&mut self, is_fresh: bool) {
        self.is_fresh = is_fresh;
    }

    /// Whether orders are to be looked at that wait although both sides have the money.
    #[inline]
    pub(crate) fn looks_again(&self) -> bool {
        self.looks_again
    }

    /// What may leave accounts may have risen.
    pub(crate) fn look_again(&mut self) {
        self.looks_again = !self.bounded.is_empty();
    }

    /// The orders that wait although both sides have the money.
    pub(crate) fn take_bounded(&mut self) -> Vec<u64> {
        self.looks_again = false;
        self.bounded.iter().copied().collect()
    }

    /// Puts an order where it waits: at the first side that lacks money; where none does, an attempt is due if `is_ready`, and it was in vain
    /// otherwise.
    pub(crate) fn put(
        &mut self,
        ledger: &mut Ledger,
        order: &Order,
        needs: Option<[Need; 2]>,
        is_ready: bool,
    ) {
        self.remove(ledger, order.number);
        let lacks = |need: &&Need| ledger.balance(need.account, need.currency).available < need.amount;
        let spot = match needs {
            None => Spot::Nowhere,
            Some(needs) => match needs.iter().find(lacks) {
                Some(need) => Spot::Lacks((need.account, need.currency), need.amount),
                None if is_ready => Spot::Ready(order.rank),
                None => Spot::Bounded(needs.map(|need| (need.account, need.currency))),
            },
        };
        match spot {
            Spot::Lacks(place, amount) => {
                self.lacks.entry(place).or_default().insert((amount, order.number));
                ledger.watch_rises(place.0, place.1);
            }
            Spot::Bounded(places) => {
                self.bounded.insert(order.number);
                for (account, currency) in places {
                    ledger.watch_rises(account, currency);
                }
            }
            Spot::Ready(rank) => {
                self.ready.insert((rank, order.number));
            }
            Spot::Nowhere => {}
        }
        self.spots.insert(order.number, spot);
    }

    /// Takes an order out; nothing if it does not wait.
    pub(crate) fn remove(&mut self, ledger: &mut Ledger, number: u64) {
        match self.spots.remove(&number) {
            Some(Spot::Lacks(place, amount)) => {
                if let Some(needed) = self.lacks.get_mut(&place) {
                    needed.remove(&(amount, number));
                    if needed.is_empty() {
                        self.lacks.remove(&place);
                    }
                }
                ledger.unwatch_rises(place.0, place.1);
            }
            Some(Spot::Bounded(places)) => {
                self.bounded.remove(&number);
                for (account, currency) in places {
                    ledger.unwatch_rises(account, currency);
                }
            }
            Some(Spot::Ready(rank)) => {
                self.ready.remove(&(rank, number));
            }
            Some(Spot::Nowhere) | None => {}
        }
    }

    /// The orders at a balance that this amount covers.
    pub(crate) fn covered(&self, account: AccountId, asset: AssetId, available: Money) -> Vec<u64> {
        let needed = asset.currency().and_then(|currency| self.lacks.get(&(account, currency)));
        let covered = needed.into_iter().flat_map(|needed| needed.range(..=(available, u64::MAX)));
        covered.map(|(_, number)| *number).collect()
    }

    /// Whether an order waits, and not at a balance that has what it needs.
    pub(crate) fn is_waiting(&self, number: u64, ledger: &Ledger) -> bool {
        match self.spots.get(&number) {
            Some(Spot::Lacks((account, currency), amount)) => {
                ledger.balance(*account, *currency).available < *amount
            }
            Some(Spot::Bounded(_) | Spot::Ready(_) | Spot::Nowhere) => true,
            None => false,
        }
    }

    /// The number of orders for which an attempt is due.
    pub(crate) fn ready_count(&self) -> usize {
        self.ready.len()
    }
}
