//! The orders that wait for money, each by what it waits for: a balance of which too little may leave its account, or a change of what its
//! groups may give up (D-181). So an event finds the orders that it helps, and no others.
//!
//! One command looks at a hundred of them at most, ready or not (D-255, Q-610): first at those of the accounts that it changed. The rest is due
//! in steps, in which accounts take turns. The table is derived and not stored. It says which orders an attempt is due for; the attempt
//! itself reads balances.

use crate::SETTLED_MAX;
use crate::turns::{Line, Turns};
use crate::wake::Parked;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, AssetId, CurrencyId, Time};
use buttonwood_num::Money;

/// A balance.
pub(crate) type Place = (AccountId, CurrencyId);

/// The most orders that one command looks at, whether an attempt is due for them or not.
pub const LOOKS_MAX: usize = 100;

/// Where an order waits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Spot {
    /// At a balance of which less may leave than the order needs, the fee included.
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

/// The orders to wake, and where others wait, as `Room::find` has found them.
#[derive(Debug, Default)]
pub struct Found {
    /// Number, rank and place of each order that was put off.
    pub(crate) put_off: Vec<(u64, u64, Spot)>,
    /// The same of those that were looked at, where they now wait elsewhere.
    pub(crate) woken: Vec<(u64, u64, Spot)>,
    /// The accounts that were not looked at to their end, with the rank up to which their refused orders were.
    pub(crate) left: Vec<(AccountId, Option<u64>)>,
    /// Where the walk over all orders goes on.
    pub(crate) sweep: Option<u64>,
    /// The number of orders that were looked at.
    pub(crate) looks: usize,
    /// Whether trading is halted.
    pub(crate) is_halted: bool,
}

/// The orders that wait for money.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waiting {
    /// Where each order waits, with its rank.
    spots: BTreeMap<u64, (u64, Spot)>,
    /// The orders that get a place when the command has been applied.
    new: BTreeMap<u64, Again>,
    /// The orders at each balance.
    lacks: BTreeMap<Place, Line>,
    /// For each account: rank and number of its orders whose settlement is refused.
    parked: BTreeMap<AccountId, BTreeSet<(u64, u64)>>,
    /// By the last confirmation, the oldest first.
    ready: BTreeSet<(u64, u64)>,
    /// When the attempt fell due.
    since: Time,
    /// Whether an attempt was due before the command. Set when the changes are noted, taken once what they help is found; else none.
    was_due: Option<bool>,
    /// Whether a command has just made orders ready: then an attempt follows before any other command.
    is_fresh: bool,
    /// Whether the command has tried orders, and whether that attempt was a follow-up.
    attempt: Option<bool>,
    /// The orders that were looked at since the last command that was no follow-up.
    looked: usize,
    /// Whether orders that become ready now are tried before any other command.
    is_new: bool,
    /// The accounts whose orders are to be looked at.
    turns: Turns,
    /// While all orders are looked at, since the rate of the fee has changed: the next one.
    sweep: Option<u64>,
}

/// The orders for which an attempt is due.
impl Waiting {
    /// These orders, the oldest confirmation first.
    pub(crate) fn ready(&self) -> impl Iterator<Item = u64> {
        self.ready.iter().map(|(_, number)| *number)
    }

    /// Whether an attempt is due for an order.
    pub(crate) fn is_ready(&self, number: u64) -> bool {
        matches!(self.spots.get(&number), Some((_, Spot::Ready)))
    }

    /// When the attempt fell due; none while no order is to be tried or looked for.
    pub(crate) fn due(&self) -> Option<Time> {
        self.is_due().then_some(self.since)
    }

    fn is_due(&self) -> bool {
        !self.ready.is_empty() || self.is_searching()
    }

    /// Whether orders are still to be looked at after an earlier change.
    fn is_searching(&self) -> bool {
        !self.turns.is_empty() || self.sweep.is_some()
    }

    /// When the search for orders to try goes on in a halt, in which none is tried; none if nothing is to be looked at, or as many orders are
    /// ready as one command tries.
    pub(crate) fn search_due(&self) -> Option<Time> {
        (self.is_searching() && self.room() > 0).then_some(self.since)
    }

    /// Whether an attempt follows before any other command.
    #[inline]
    pub(crate) fn is_fresh(&self) -> bool {
        self.is_fresh && !self.ready.is_empty()
    }

    pub(crate) fn set_fresh(&mut self, is_fresh: bool) {
        self.is_fresh = is_fresh && !self.ready.is_empty();
    }

    /// An attempt was made. What is left is due between other commands.
    pub(crate) fn note_attempt(&mut self) {
        self.attempt = self.attempt.or(Some(self.is_fresh));
        self.is_fresh = false;
    }

    /// Whether [`Waiting::begin`] has something to do where no balance has risen: one sum, since every command of the exchange has this
    /// question. The rest of earlier commands waits for its step: no other command pays for it.
    #[inline]
    pub(crate) fn is_busy(&self) -> bool {
        self.new.len() | self.turns.changed() > 0 || self.attempt.is_some()
    }

    /// Whether [`Waiting::begin`] was called for the command, so that orders are to be found.
    pub(crate) fn has_begun(&self) -> bool {
        self.was_due.is_some()
    }

    /// Whether no order waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.spots.is_empty()
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
            for ((_, currency), _) in self.lacks.range(own) {
                self.turns.note(*account, *currency);
            }
            if self.parked.contains_key(account) {
                self.turns.note_parked(*account);
            }
        }
    }

    /// Has every order looked at.
    pub(crate) fn look_at_all(&mut self, now: Time) {
        if !self.is_due() {
            self.since = now;
        }
        self.sweep = Some(0);
    }

    /// Begins with the changes of a command. A step goes on with those before it; any other command looks at its own.
    pub(crate) fn begin(&mut self, risen: impl IntoIterator<Item = (AccountId, AssetId)>) {
        for (account, asset) in risen {
            let place = asset.currency().map(|currency| (account, currency));
            if let Some((account, currency)) = place.filter(|place| self.lacks.contains_key(place)) {
                self.turns.note(account, currency);
            }
        }
        self.was_due = Some(!self.ready.is_empty() || self.turns.has_queue() || self.sweep.is_some());
        if self.attempt != Some(true) {
            self.looked = 0;
        }
        self.is_new = self.attempt != Some(false) && self.looked < LOOKS_MAX;
        match self.attempt {
            None => self.turns.begin(true, false),
            Some(true) => self.turns.begin(true, true),
            Some(false) => self.turns.begin(false, true),
        }
    }

    /// The orders that get a place now.
    pub(crate) fn new_ones(&self) -> impl Iterator<Item = (u64, Again)> {
        self.new.iter().map(|(number, again)| (*number, *again))
    }

    /// The accounts that the command looks at.
    pub(crate) fn turns(&self) -> &Turns {
        &self.turns
    }

    /// The orders that lack money at a balance.
    pub(crate) fn line(&self, place: Place) -> Option<&Line> {
        self.lacks.get(&place)
    }

    /// The orders of an account whose settlement was refused, after a rank: rank, number, sides and what refused it.
    pub(crate) fn refused(
        &self,
        account: AccountId,
        after: u64,
    ) -> impl Iterator<Item = (u64, u64, [AccountId; 2], Parked)> {
        let parked = self.parked.get(&account).into_iter();
        let later = parked.flat_map(move |parked| parked.range((after.saturating_add(1), 0)..));
        later.filter_map(|(rank, number)| match self.spots.get(number) {
            Some((_, Spot::Parked(sides, parked))) => Some((*rank, *number, *sides, *parked)),
            _ => None,
        })
    }

    /// The orders that the walk over all of them comes to, each with its rank and whether it lacks money; none while there is no walk or
    /// another command's turn.
    pub(crate) fn swept(&self) -> impl Iterator<Item = (u64, u64, bool)> {
        let from = self.sweep.filter(|_| self.is_stepping());
        let spots = from.into_iter().flat_map(|from| self.spots.range(from..));
        spots.map(|(number, (rank, spot))| (*number, *rank, matches!(spot, Spot::Lacks(..))))
    }

    /// Whether the command was a step, which goes on with earlier changes.
    pub(crate) fn is_stepping(&self) -> bool {
        self.attempt == Some(false)
    }

    /// Where the walk over all orders stands.
    pub(crate) fn sweep(&self) -> Option<u64> {
        self.sweep
    }

    /// How many more orders the command may look at.
    pub(crate) fn looks(&self) -> usize {
        LOOKS_MAX.saturating_sub(self.looked)
    }

    /// How many more orders may become ready.
    pub(crate) fn room(&self) -> usize {
        SETTLED_MAX.saturating_sub(self.ready.len())
    }

    /// Puts orders where they wait.
    pub(crate) fn put(&mut self, ledger: &mut Ledger, now: Time, found: Found) {
        let Found { put_off, woken, left, sweep, looks, is_halted } = found;
        self.looked = self.looked.saturating_add(looks);
        self.turns.end(left);
        self.sweep = sweep;
        for (number, rank, spot) in put_off {
            let is_again = self.new.remove(&number) == Some(Again::Yes);
            self.is_fresh |= is_again && self.is_new && matches!(spot, Spot::Ready);
            self.put_one(ledger, (number, rank), spot);
        }
        self.new.clear();
        for (number, rank, spot) in woken {
            self.is_fresh |= self.is_new && matches!(spot, Spot::Ready);
            self.put_one(ledger, (number, rank), spot);
        }
        if self.was_due.take() != Some(true) || self.attempt.is_some() {
            self.since = now;
        }
        self.attempt = None;
        if is_halted {
            // While the exchange is halted no attempt follows.
            self.is_fresh = false;
        }
    }

    fn put_one(&mut self, ledger: &mut Ledger, (number, rank): (u64, u64), spot: Spot) {
        self.remove(ledger, number);
        match spot {
            Spot::Lacks(place, amount) => {
                self.lacks.entry(place).or_default().insert(rank, amount, number);
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
        ledger.watch_rises(place.0, place.1, self.lacks.get(&place).and_then(Line::least));
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
            Spot::Lacks(place, _) => {
                if let Some(line) = self.lacks.get_mut(&place) {
                    line.remove(rank);
                    if line.is_empty() {
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
        let is_due = self.sweep.is_some() || self.turns.has(*place);
        Ok(Some(*place).filter(|_| !is_due))
    }
}
