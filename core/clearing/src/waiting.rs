//! The orders that wait for money, each by what it waits for: a balance of which too little may leave its account, or a change of what its
//! groups may give up (D-181). So an event finds the orders that it helps, and no others.
//!
//! The table is derived and not stored. It says which orders an attempt is due for; the attempt itself reads balances.

use crate::SETTLED_MAX;
use crate::wake::Parked;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, AssetId, CurrencyId, Time};
use buttonwood_num::Money;

/// A balance.
pub(crate) type Place = (AccountId, CurrencyId);

/// The most balances that one command looks at.
const PLACES_MAX: usize = 1_000;

/// Where an order waits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Spot {
    /// At a balance of which less may leave than the order needs. The amount is that without the fee, so another rate moves no order.
    Lacks(Place, Money),
    /// Both sides may give the money, and the settlement is refused: by the bound of a group in advance, or by the range of money.
    Parked([AccountId; 2], Parked),
    /// An attempt is due.
    Ready,
}

/// Whether an attempt is due for an order that lacks nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Again {
    /// No: it was just tried.
    No,
    /// Yes: others have settled since it was tried, which may have paid for it.
    Yes,
    /// Yes, unless the settlement was refused before and nothing has changed for it: the state was read from a snapshot.
    Restored,
}

/// What has changed, with the orders that wait for it.
#[derive(Clone, Debug, Default)]
struct Wave {
    /// Balances of which more may leave.
    places: BTreeSet<Place>,
    /// Accounts whose groups may give up more.
    parties: BTreeSet<AccountId>,
    /// Orders up to this rank were woken.
    after: u64,
}

impl Wave {
    fn is_empty(&self) -> bool {
        self.places.is_empty() && self.parties.is_empty()
    }

    /// A part of it that one command looks at.
    fn split(&mut self) -> Self {
        let rest = self.places.iter().nth(PLACES_MAX).copied();
        let rest = rest.map(|first| self.places.split_off(&first)).unwrap_or_default();
        let part = core::mem::take(self);
        self.places = rest;
        part
    }
}

/// The orders to wake, and where others wait, as [`find`](crate::find) has found them.
#[derive(Debug, Default)]
pub struct Found {
    /// Number, rank and place of each order that was put off.
    pub(crate) put_off: Vec<(u64, u64, Spot)>,
    /// The same of those that the changes help, the oldest confirmation first.
    pub(crate) woken: Vec<(u64, u64, Spot)>,
    /// Whether there are more of them than one command tries.
    pub(crate) has_more: bool,
}

/// The orders that wait for money.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waiting {
    /// Where each order waits, with its rank.
    spots: BTreeMap<u64, (u64, Spot)>,
    /// The orders that get a place when the command has been applied.
    new: BTreeMap<u64, Again>,
    /// At each balance: amount, rank and number of the orders, the smallest amount first.
    lacks: BTreeMap<Place, BTreeSet<(Money, u64, u64)>>,
    /// For each account: rank and number of its orders whose settlement is refused.
    parked: BTreeMap<AccountId, BTreeSet<(u64, u64)>>,
    /// By the last confirmation, the oldest first.
    ready: BTreeSet<(u64, u64)>,
    /// When the attempt fell due.
    since: Time,
    /// Whether a command has just made orders ready: then an attempt follows before any other command.
    is_fresh: bool,
    /// Whether the command has tried orders.
    has_tried: bool,
    /// Whether the command began the wave.
    is_new: bool,
    /// The changes whose orders are woken now, and those after them.
    wave: Wave,
    next: Wave,
    /// While all balances are looked at, since the rate of the fee has changed: the next one.
    sweep: Option<Place>,
}

/// The orders for which an attempt is due.
impl Waiting {
    /// These orders, the oldest confirmation first.
    pub(crate) fn ready(&self) -> impl Iterator<Item = u64> {
        self.ready.iter().map(|(_, number)| *number)
    }

    /// When the attempt fell due; none while no order is to be tried or looked for.
    pub(crate) fn due(&self) -> Option<Time> {
        (!self.ready.is_empty() || self.has_changes()).then_some(self.since)
    }

    /// Whether an attempt follows before any other command.
    #[inline]
    pub(crate) fn is_fresh(&self) -> bool {
        self.is_fresh && !self.ready.is_empty()
    }

    pub(crate) fn set_fresh(&mut self, is_fresh: bool) {
        self.is_fresh = is_fresh;
    }

    /// An attempt was made. What is left is due between other commands.
    pub(crate) fn note_attempt(&mut self) {
        self.is_fresh = false;
        self.has_tried = true;
    }

    /// Whether orders wait for changes that nothing has looked at yet.
    fn has_changes(&self) -> bool {
        !self.wave.is_empty() || !self.next.is_empty() || self.sweep.is_some()
    }

    /// Whether anything is to be put, looked at or tried: one sum, since every command of the exchange has this question.
    #[inline]
    pub(crate) fn is_awake(&self) -> bool {
        let changed = |wave: &Wave| wave.places.len() | wave.parties.len();
        let count = self.new.len() | self.ready.len() | changed(&self.wave) | changed(&self.next);
        count > 0 || self.sweep.is_some()
    }

    /// Whether [`Waiting::begin`] has something to do.
    #[inline]
    pub(crate) fn is_busy(&self) -> bool {
        !self.new.is_empty() || self.has_changes() && self.ready.len() < SETTLED_MAX
    }
}

/// The changes.
impl Waiting {
    /// More may leave these accounts, or they may give up more.
    pub(crate) fn look_again(&mut self, accounts: &[AccountId]) {
        if self.spots.is_empty() {
            return;
        }
        for account in accounts {
            let own = (*account, CurrencyId(0))..=(*account, CurrencyId(u16::MAX));
            self.next.places.extend(self.lacks.range(own).map(|(place, _)| *place));
            if self.parked.contains_key(account) {
                self.next.parties.insert(*account);
            }
        }
    }

    /// Has every balance looked at.
    pub(crate) fn look_at_all(&mut self) {
        self.sweep = Some((AccountId(0), CurrencyId(0)));
    }

    /// Begins with the changes of a command. Earlier ones are done first.
    pub(crate) fn begin(&mut self, risen: impl IntoIterator<Item = (AccountId, AssetId)>) {
        for (account, asset) in risen {
            let place = asset.currency().map(|currency| (account, currency));
            self.next.places.extend(place.filter(|place| self.lacks.contains_key(place)));
        }
        self.is_new = false;
        if self.ready.len() >= SETTLED_MAX || !self.wave.is_empty() {
            return;
        }
        if !self.next.is_empty() {
            self.wave = self.next.split();
            self.is_new = true;
        } else if let Some(first) = self.sweep {
            let mut places = self.lacks.range(first..).map(|(place, _)| *place);
            self.wave.places = places.by_ref().take(PLACES_MAX).collect();
            self.sweep = places.next();
        }
    }

    /// The orders that get a place now.
    pub(crate) fn new_ones(&self) -> impl Iterator<Item = (u64, Again)> {
        self.new.iter().map(|(number, again)| (*number, *again))
    }

    /// The orders at the changed balances that were not woken yet and need at most what may leave, the fee aside: the balance, what may leave,
    /// rank and number.
    pub(crate) fn covered(
        &self,
        free: impl Fn(Place) -> Money,
    ) -> impl Iterator<Item = (Place, Money, u64, u64)> {
        self.wave.places.iter().flat_map(move |place| {
            let free = free(*place);
            let needed = self.lacks.get(place).into_iter();
            let covered = needed.flat_map(move |needed| needed.range(..=(free, u64::MAX, u64::MAX)));
            let later = covered.filter(|(_, rank, _)| *rank > self.wave.after);
            later.map(move |(_, rank, number)| (*place, free, *rank, *number))
        })
    }

    /// The orders whose settlement was refused, of the accounts that may give up more: rank, number, sides and what refused it.
    pub(crate) fn refused(&self) -> impl Iterator<Item = (u64, u64, [AccountId; 2], Parked)> {
        let parked = self.wave.parties.iter().filter_map(|account| self.parked.get(account));
        let later = parked.flatten().filter(|(rank, _)| *rank > self.wave.after);
        later.filter_map(|(rank, number)| match self.spots.get(number) {
            Some((_, Spot::Parked(sides, parked))) => Some((*rank, *number, *sides, *parked)),
            _ => None,
        })
    }

    /// How many more orders may become ready.
    pub(crate) fn room(&self) -> usize {
        SETTLED_MAX.saturating_sub(self.ready.len())
    }

    /// Puts orders where they wait.
    pub(crate) fn put(&mut self, ledger: &mut Ledger, now: Time, found: Found) {
        let (had_none, has_looked) = (self.ready.is_empty(), self.room() > 0);
        let Found { put_off, woken, has_more } = found;
        if has_looked {
            self.wave.after = woken.last().map_or(self.wave.after, |(_, rank, _)| *rank);
            if !has_more {
                self.wave = Wave::default();
            }
        }
        for (number, rank, spot) in put_off {
            let is_again = self.new.remove(&number) == Some(Again::Yes);
            self.is_fresh |= is_again && matches!(spot, Spot::Ready);
            self.put_one(ledger, (number, rank), spot);
        }
        self.new.clear();
        for (number, rank, spot) in woken {
            self.is_fresh |= self.is_new && matches!(spot, Spot::Ready);
            self.put_one(ledger, (number, rank), spot);
        }
        if had_none || self.has_tried {
            self.since = now;
        }
        self.has_tried = false;
    }

    fn put_one(&mut self, ledger: &mut Ledger, (number, rank): (u64, u64), spot: Spot) {
        self.remove(ledger, number);
        match spot {
            Spot::Lacks(place, amount) => {
                self.lacks.entry(place).or_default().insert((amount, rank, number));
                self.watch(ledger, place);
            }
            Spot::Parked(sides, _) => {
                for account in sides {
                    self.parked.entry(account).or_default().insert((rank, number));
                }
            }
            Spot::Ready => {
                self.ready.insert((rank, number));
            }
        }
        self.spots.insert(number, (rank, spot));
    }

    /// Watches a balance for the smallest amount that an order needs there.
    fn watch(&self, ledger: &mut Ledger, place: Place) {
        let least = self.lacks.get(&place).and_then(BTreeSet::first);
        ledger.watch_rises(place.0, place.1, least.map(|(amount, ..)| *amount));
    }

    /// Has an order get a place when the command has been applied.
    pub(crate) fn put_off(&mut self, ledger: &mut Ledger, number: u64, again: Again) {
        self.remove(ledger, number);
        self.new.insert(number, again);
    }

    /// Takes an order out; nothing if it does not wait.
    pub(crate) fn remove(&mut self, ledger: &mut Ledger, number: u64) {
        self.new.remove(&number);
        let Some((rank, spot)) = self.spots.remove(&number) else { return };
        match spot {
            Spot::Lacks(place, amount) => {
                if let Some(needed) = self.lacks.get_mut(&place) {
                    needed.remove(&(amount, rank, number));
                    if needed.is_empty() {
                        self.lacks.remove(&place);
                    }
                }
                self.watch(ledger, place);
            }
            Spot::Parked(sides, _) => {
                for account in sides {
                    if let Some(parked) = self.parked.get_mut(&account) {
                        parked.remove(&(rank, number));
                        if parked.is_empty() {
                            self.parked.remove(&account);
                        }
                    }
                }
            }
            Spot::Ready => {
                self.ready.remove(&(rank, number));
            }
        }
    }

    /// The balance at which an order waits, unless that is to be looked at; an error if it waits nowhere.
    pub(crate) fn place(&self, number: u64) -> Result<Option<Place>, ()> {
        let (_, spot) = self.spots.get(&number).ok_or(())?;
        let Spot::Lacks(place, _) = spot else { return Ok(None) };
        let is_due = self.sweep.is_some()
            || [&self.wave, &self.next].into_iter().any(|wave| wave.places.contains(place));
        Ok(Some(*place).filter(|_| !is_due))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However many balances have changed, one command looks at a thousand; the rest is due.
    #[test]
    fn a_command_looks_at_a_thousand_balances() {
        let (mut ledger, mut waiting) = (Ledger::default(), Waiting::default());
        let lacks = |account: u32| {
            let number = u64::from(account);
            (number, number, Spot::Lacks((AccountId(account), CurrencyId(0)), Money::ONE))
        };
        let put_off = (1..=2_500).map(lacks).collect();
        waiting.put(&mut ledger, Time(1), Found { put_off, ..Found::default() });
        assert!(!waiting.is_awake() && !waiting.is_busy() && waiting.due().is_none());
        waiting.look_at_all();
        let all: Vec<AccountId> = (1..=2_500).map(AccountId).collect();
        for (time, looked) in (2..).zip([1_000, 1_000, 500, 1_000, 1_000, 500]) {
            if time == 5 {
                waiting.look_again(&all);
            }
            assert!(waiting.is_awake() && waiting.is_busy() && waiting.due().is_some());
            waiting.begin([]);
            assert_eq!(waiting.wave.places.len(), looked);
            assert_eq!(waiting.covered(|_| Money::ONE).count(), looked);
            waiting.put(&mut ledger, Time(time), Found::default());
        }
        assert!(!waiting.is_awake() && !waiting.is_busy() && waiting.due().is_none());
    }
}
