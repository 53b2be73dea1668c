//! Whose orders are looked at, and in which order: accounts take turns, and of one balance the oldest confirmation comes first (D-255).

use crate::waiting::Place;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use buttonwood_model::{AccountId, CurrencyId};
use buttonwood_num::Money;

/// The most accounts that one command looks at.
const ACCOUNTS_MAX: usize = 100;

/// The orders that lack money at one balance. No account has more of them than it may confirm.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    /// Amount and number of each, by rank.
    by_rank: BTreeMap<u64, (Money, u64)>,
    /// Amount and rank, the smallest amount first.
    amounts: BTreeSet<(Money, u64)>,
}

impl Line {
    pub(crate) fn insert(&mut self, rank: u64, amount: Money, number: u64) {
        self.remove(rank);
        self.by_rank.insert(rank, (amount, number));
        self.amounts.insert((amount, rank));
    }

    pub(crate) fn remove(&mut self, rank: u64) {
        if let Some((amount, _)) = self.by_rank.remove(&rank) {
            self.amounts.remove(&(amount, rank));
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_rank.is_empty()
    }

    /// The smallest amount that an order needs.
    pub(crate) fn least(&self) -> Option<Money> {
        self.amounts.first().map(|(amount, _)| *amount)
    }

    /// Rank and number of each, the oldest confirmation first, and whether it needs at most this; nothing if none does.
    pub(crate) fn walk(&self, free: Money) -> impl Iterator<Item = (u64, u64, bool)> {
        let has_any = self.least().is_some_and(|least| least <= free);
        let all = has_any.then_some(&self.by_rank).into_iter().flatten();
        all.map(move |(rank, (amount, number))| (*rank, *number, *amount <= free))
    }
}

/// The changes of an account that are to be looked at.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    /// The balances of which more may leave.
    pub(crate) currencies: BTreeSet<CurrencyId>,
    /// Whether it may give up more: the rank up to which its refused orders were looked at.
    pub(crate) parked: Option<u64>,
    /// Whether it may give up still more since that began.
    again: bool,
    /// Its place in the queue.
    ticket: Option<u64>,
}

/// The accounts whose orders are to be looked at.
#[derive(Clone, Debug, Default)]
pub(crate) struct Turns {
    changes: BTreeMap<AccountId, Changes>,
    /// Those that the command has changed.
    changed: BTreeSet<AccountId>,
    /// Those that wait for their turn.
    queue: BTreeMap<u64, AccountId>,
    last_ticket: u64,
    /// Those that the command looks at.
    now: Vec<AccountId>,
}

impl Turns {
    /// Whether none is to be looked at.
    pub(crate) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Whether accounts wait for their turn.
    pub(crate) fn has_queue(&self) -> bool {
        !self.queue.is_empty()
    }

    /// The number of accounts that the command has changed.
    #[inline]
    pub(crate) fn changed(&self) -> usize {
        self.changed.len()
    }

    /// Whether a balance is to be looked at.
    pub(crate) fn has(&self, (account, currency): Place) -> bool {
        self.changes.get(&account).is_some_and(|changes| changes.currencies.contains(&currency))
    }

    /// More of a balance may leave.
    pub(crate) fn note(&mut self, account: AccountId, currency: CurrencyId) {
        self.entry(account).currencies.insert(currency);
    }

    /// The account may give up more.
    pub(crate) fn note_parked(&mut self, account: AccountId) {
        let changes = self.entry(account);
        changes.again = changes.parked.is_some();
        changes.parked = changes.parked.or(Some(0));
    }

    fn entry(&mut self, account: AccountId) -> &mut Changes {
        self.changed.insert(account);
        self.changes.entry(account).or_default()
    }

    /// Puts an account at the end of the queue, unless it is there.
    fn enqueue(&mut self, account: AccountId) {
        let Some(changes) = self.changes.get_mut(&account).filter(|changes| changes.ticket.is_none()) else {
            return;
        };
        self.last_ticket = self.last_ticket.saturating_add(1);
        changes.ticket = Some(self.last_ticket);
        self.queue.insert(self.last_ticket, account);
    }

    fn take(&mut self, account: AccountId) {
        if let Some(ticket) = self.changes.get_mut(&account).and_then(|changes| changes.ticket.take()) {
            self.queue.remove(&ticket);
        }
        self.now.push(account);
    }

    /// Chooses the accounts that the command looks at: those that it has changed first, or in their turn, and those that wait.
    pub(crate) fn begin(&mut self, own_first: bool, goes_on: bool) {
        let changed = core::mem::take(&mut self.changed);
        for account in changed {
            if own_first && self.now.len() < ACCOUNTS_MAX {
                self.take(account);
            } else {
                self.enqueue(account);
            }
        }
        while goes_on && self.now.len() < ACCOUNTS_MAX {
            let Some((_, account)) = self.queue.first_key_value() else { break };
            self.take(*account);
        }
    }

    /// The accounts that the command looks at, in their order, each with its changes.
    pub(crate) fn now(&self) -> impl Iterator<Item = (AccountId, &Changes)> {
        self.now.iter().filter_map(|account| Some((*account, self.changes.get(account)?)))
    }

    /// Ends the turns of a command. Those that were not looked at to their end wait for another one.
    pub(crate) fn end(&mut self, left: Vec<(AccountId, Option<u64>)>) {
        let left: BTreeMap<AccountId, Option<u64>> = left.into_iter().collect();
        for account in core::mem::take(&mut self.now) {
            let Some(changes) = self.changes.get_mut(&account) else { continue };
            if let Some(parked) = left.get(&account) {
                changes.parked = *parked;
            } else if core::mem::take(&mut changes.again) {
                (changes.parked, changes.currencies) = (Some(0), BTreeSet::new());
            } else {
                self.changes.remove(&account);
                continue;
            }
            self.enqueue(account);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USD: CurrencyId = CurrencyId(0);

    fn now(turns: &Turns) -> Vec<u32> {
        turns.now().map(|(account, _)| account.0).collect()
    }

    /// An account that was not looked at to its end goes behind those that wait; one that a command changes is looked at in it.
    #[test]
    fn accounts_take_turns() {
        let mut turns = Turns::default();
        let [one, two, three] = [1, 2, 3].map(AccountId);
        for account in [one, two, three] {
            turns.note(account, USD);
        }
        turns.begin(true, false);
        assert_eq!(now(&turns), [1, 2, 3]);
        turns.end(Vec::from([(one, None), (two, None)]));
        assert!(turns.has_queue() && turns.has((one, USD)) && !turns.has((three, USD)));
        turns.note(one, USD);
        turns.begin(true, false);
        assert_eq!(now(&turns), [1], "the other waits for a step");
        turns.end(Vec::from([(one, None)]));
        turns.begin(false, true);
        assert_eq!(now(&turns), [2, 1]);
        turns.end(Vec::new());
        assert!(turns.is_empty() && !turns.has_queue());
    }

    /// Of a balance those that it covers are found in the order of their confirmations, whatever they need.
    #[test]
    fn a_line_is_walked_by_rank() {
        let mut line = Line::default();
        for (rank, units, number) in [(7, 3, 1), (5, 9, 2), (6, 1, 3)] {
            line.insert(rank, Money::from_units(units), number);
        }
        let covered = |line: &Line, free: i128| -> Vec<u64> {
            let all = line.walk(Money::from_units(free));
            all.filter(|(.., is_covered)| *is_covered).map(|(_, number, _)| number).collect()
        };
        assert_eq!(covered(&line, 3), [3, 1]);
        assert_eq!(covered(&line, 9), [2, 3, 1]);
        assert_eq!((line.walk(Money::ZERO).count(), line.least()), (0, Some(Money::from_units(1))));
        line.remove(6);
        assert_eq!(line.least(), Some(Money::from_units(3)));
    }
}
