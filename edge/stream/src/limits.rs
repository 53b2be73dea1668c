//! The limits of sockets (D-157): open sockets and attempts to open one by address or key, weight by connection and
//! address, orders by key and group. They are apart from those of REST.
//!
//! A window begins with its first use, and is over after its length.

use buttonwood_call::{App, CountedBy};
use buttonwood_gate::{Refusal, client_of};
use buttonwood_http::Link;
use buttonwood_model::{AccountId, GroupId, SessionId, Side, SymbolId};
use buttonwood_views::Views;
use buttonwood_wire::field::busy;
use parking_lot::Mutex;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

/// Open sockets of an address at most.
const OPEN_OF_ADDRESS: u32 = 300;
/// Open sockets of a key at most.
const OPEN_OF_KEY: u32 = 64;
/// How many times a connection's weight an address may use, and a key's orders a group.
const SHARED: u32 = 10;
/// Commands of one key in flight over sockets at most.
const FLYING_OF_KEY: u32 = 1_024;
/// Commands in flight over all sockets at most: half of what the exchange's queue holds.
const FLYING: u32 = 4_096;
/// Levels that weigh as much as a call.
const LEVELS_OF_WEIGHT: usize = 100;
/// Entries of a table after which it is searched for windows that are over.
const FEW: usize = 1_024;

/// One limit: so much within a window of this length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowed {
    /// Its type, as `conninfo` names it.
    pub(crate) kind: &'static str,
    /// The unit of the window's length.
    pub(crate) interval: &'static str,
    /// How many units.
    pub(crate) intervals: u64,
    /// The most within a window.
    pub(crate) limit: u32,
    length: Duration,
}

/// The weight of calls, of one connection.
pub(crate) const WEIGHT: Allowed = allowed("REQUEST_WEIGHT", "MINUTE", 1, 60, 30_000);
/// The orders of one key in a short time.
pub(crate) const ORDERS_SHORT: Allowed = allowed("ORDERS", "SECOND", 10, 1, 1_000);
/// The orders of one key in a day.
pub(crate) const ORDERS_DAY: Allowed = allowed("ORDERS", "DAY", 1, 24 * 3_600, 1_000_000);
/// Attempts to open a connection, of one address.
pub(crate) const ATTEMPTS: Allowed = allowed("CONNECTION_ATTEMPTS", "MINUTE", 5, 60, 300);

/// Readings of missed events of one key.
const RESUMES: Allowed = allowed("RESUMES", "MINUTE", 1, 60, 10);
/// Events that a reader may have missed: more than the two of each of the 10,000 live orders that one cancel of an account may end.
pub(crate) const MISSED_MAX: usize = 25_000;

const fn allowed(
    kind: &'static str,
    interval: &'static str,
    intervals: u64,
    unit: u64,
    limit: u32,
) -> Allowed {
    Allowed { kind, interval, intervals, limit, length: Duration::from_secs(intervals * unit) }
}

/// The use of a limit within a window.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Window {
    /// When it began; none before the first use.
    began: Option<Duration>,
    used: u32,
}

impl Window {
    /// Uses some of a limit, or returns how long until the window is over.
    fn take(&mut self, limit: Allowed, most: u32, weight: u32, now: Duration) -> Result<(), Duration> {
        if self.is_over(limit, now) {
            *self = Self { began: Some(now), used: 0 };
        }
        let used = self.used.saturating_add(weight);
        if used > most {
            let end = self.began.unwrap_or(now).saturating_add(limit.length);
            return Err(end.saturating_sub(now));
        }
        self.used = used;
        Ok(())
    }

    /// Gives back what was used.
    fn give_back(&mut self, weight: u32) {
        self.used = self.used.saturating_sub(weight);
    }

    fn is_over(&self, limit: Allowed, now: Duration) -> bool {
        self.began.is_none_or(|began| now.saturating_sub(began) >= limit.length)
    }

    /// The use within the window that runs at `now`.
    pub(crate) fn count(&self, limit: Allowed, now: Duration) -> u32 {
        if self.is_over(limit, now) { 0 } else { self.used }
    }
}

/// Windows by client.
#[derive(Debug)]
struct Table<K>(Mutex<HashMap<K, Window>>);

impl<K> Default for Table<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash> Table<K> {
    fn take(&self, key: K, limit: Allowed, most: u32, weight: u32, now: Duration) -> Result<(), Duration> {
        let mut windows = self.0.lock();
        if windows.len() >= FEW && windows.len().is_power_of_two() {
            windows.retain(|_, window| !window.is_over(limit, now));
        }
        windows.entry(key).or_default().take(limit, most, weight, now)
    }

    fn give_back(&self, key: &K, weight: u32) {
        if let Some(window) = self.0.lock().get_mut(key) {
            window.give_back(weight);
        }
    }

    fn count(&self, key: &K, limit: Allowed, now: Duration) -> u32 {
        self.0.lock().get(key).map_or(0, |window| window.count(limit, now))
    }
}

/// Commands of sockets in flight.
#[derive(Debug, Default)]
struct Flying {
    all: u32,
    keys: HashMap<SessionId, u32>,
}

/// A command of a socket in flight, until this is dropped.
#[derive(Debug)]
pub(crate) struct Flight {
    limits: Arc<SocketLimits>,
    key: SessionId,
}

impl Drop for Flight {
    fn drop(&mut self) {
        let mut flying = self.limits.flying.lock();
        flying.all = flying.all.saturating_sub(1);
        leave(&mut flying.keys, &self.key);
    }
}

/// How many sockets are open, by client.
#[derive(Debug, Default)]
struct Open {
    addresses: HashMap<IpAddr, u32>,
    pages: HashMap<IpAddr, u32>,
    keys: HashMap<SessionId, u32>,
}

/// The limits of all sockets.
#[derive(Debug, Default)]
pub(crate) struct SocketLimits {
    is_on: bool,
    open: Mutex<Open>,
    attempts: Table<IpAddr>,
    page_attempts: Table<IpAddr>,
    key_attempts: Table<SessionId>,
    weights: Table<IpAddr>,
    orders: [Table<SessionId>; 2],
    group_orders: [Table<GroupId>; 2],
    resumes: Table<SessionId>,
    flying: Mutex<Flying>,
    /// Whose missed events are being read.
    resuming: Mutex<HashSet<Whose>>,
}

/// Whose orders a reader sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Whose {
    /// Those of one account.
    Account(AccountId),
    /// Those of all accounts of a group.
    Group(GroupId),
}

/// The reading of missed events, which ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Resuming {
    limits: Arc<SocketLimits>,
    whose: Whose,
}

impl Drop for Resuming {
    fn drop(&mut self) {
        self.limits.resuming.lock().remove(&self.whose);
    }
}

/// The place of an open socket among those of its address or its key, given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Seat {
    limits: Arc<SocketLimits>,
    address: IpAddr,
    by: CountedBy,
}

impl Seat {
    /// Has a socket's control frames and empty parts weighed as calls are, by a window of their own.
    pub(crate) fn weigh_frames(&self, link: &Link, app: &Arc<App>) {
        let (limits, address, app) = (Arc::clone(&self.limits), self.address, Arc::clone(app));
        let own = RefCell::new(Window::default());
        link.weigh_by(move |frames| {
            limits.weigh(&mut own.borrow_mut(), address, frames, app.uptime()).is_ok()
        });
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut open = self.limits.open.lock();
        match &self.by {
            CountedBy::Address => leave(&mut open.addresses, &self.address),
            CountedBy::Page => leave(&mut open.pages, &self.address),
            CountedBy::Key(key) => leave(&mut open.keys, key),
        }
    }
}

fn leave<K: Eq + Hash>(counts: &mut HashMap<K, u32>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count = count.saturating_sub(1);
        if *count == 0 {
            counts.remove(key);
        }
    }
}

impl SocketLimits {
    /// No socket is open. Without `is_on`, nothing is limited.
    pub(crate) fn new(is_on: bool) -> Self {
        Self { is_on, ..Self::default() }
    }

    /// Counts an attempt to open a socket.
    ///
    /// # Errors
    /// `RateLimit`.
    pub(crate) fn attempt(&self, client: IpAddr, by: CountedBy, now: Duration) -> Result<(), Refusal> {
        if !self.is_on {
            return Ok(());
        }
        let address = client_of(client);
        let taken = match by {
            CountedBy::Address => self.attempts.take(address, ATTEMPTS, ATTEMPTS.limit, 1, now),
            CountedBy::Page => self.page_attempts.take(address, ATTEMPTS, ATTEMPTS.limit, 1, now),
            CountedBy::Key(key) => self.key_attempts.take(key, ATTEMPTS, ATTEMPTS.limit, 1, now),
        };
        taken.map_err(|wait| {
            limited(wait).and(&format!(
                "{} attempts to open a socket in five minutes are allowed {}",
                ATTEMPTS.limit,
                whose(by)
            ))
        })
    }

    /// Counts a socket as open.
    ///
    /// # Errors
    /// `RateLimit`.
    pub(crate) fn sit(self: &Arc<Self>, client: IpAddr, by: CountedBy) -> Result<Seat, Refusal> {
        let address = client_of(client);
        let mut open = self.open.lock();
        let (count, most) = match by {
            CountedBy::Address => (open.addresses.entry(address).or_default(), OPEN_OF_ADDRESS),
            CountedBy::Page => (open.pages.entry(address).or_default(), OPEN_OF_ADDRESS),
            CountedBy::Key(key) => (open.keys.entry(key).or_default(), OPEN_OF_KEY),
        };
        if self.is_on && *count >= most {
            return Err(crowded(most, whose(by)));
        }
        *count += 1;
        Ok(Seat { limits: Arc::clone(self), address, by })
    }

    /// Counts a reading of missed events: of an account or a group one at a time, of a key ten a minute.
    ///
    /// # Errors
    /// `RateLimit`.
    pub(crate) fn resume(
        self: &Arc<Self>,
        key: SessionId,
        whose: Whose,
        now: Duration,
    ) -> Result<Resuming, Refusal> {
        if self.is_on {
            let taken = self.resumes.take(key, RESUMES, RESUMES.limit, 1, now);
            taken.map_err(|wait| limited(wait).and("a key may resume ten times a minute"))?;
        }
        if !self.resuming.lock().insert(whose) && self.is_on {
            return Err(
                Refusal::rate_limit(1).and("the same missed events are being read for another socket")
            );
        }
        Ok(Resuming { limits: Arc::clone(self), whose })
    }

    /// Uses weight of a connection and of its address.
    ///
    /// # Errors
    /// How long until more may be used.
    pub(crate) fn weigh(
        &self,
        own: &mut Window,
        client: IpAddr,
        weight: u32,
        now: Duration,
    ) -> Result<(), Duration> {
        if !self.is_on {
            // The count is shown all the same.
            return own.take(WEIGHT, u32::MAX, weight, now);
        }
        own.take(WEIGHT, WEIGHT.limit, weight, now)?;
        self.weights.take(client_of(client), WEIGHT, WEIGHT.limit * SHARED, weight, now)
    }

    /// Gives back weight that a connection has used.
    pub(crate) fn pardon(&self, own: &mut Window, client: IpAddr, weight: u32) {
        own.give_back(weight);
        self.weights.give_back(&client_of(client), weight);
    }

    /// Counts a command of a socket as in flight: of one key and of all at most so many, so that sockets never fill the exchange's queue.
    ///
    /// # Errors
    /// 429 or 503: too many are.
    pub(crate) fn fly(self: &Arc<Self>, key: SessionId) -> Result<Flight, Refusal> {
        let mut flying = self.flying.lock();
        let of_key = flying.keys.get(&key).copied().unwrap_or(0);
        if self.is_on && of_key >= FLYING_OF_KEY {
            return Err(
                Refusal::rate_limit(1).and(&format!("{FLYING_OF_KEY} calls of one key may be in flight"))
            );
        }
        if flying.all >= FLYING {
            return Err(busy("The exchange has more calls in flight than it can take"));
        }
        flying.all += 1;
        *flying.keys.entry(key).or_default() += 1;
        Ok(Flight { limits: Arc::clone(self), key })
    }

    /// Counts an order of a key and of its group.
    ///
    /// # Errors
    /// How long until the next one.
    pub(crate) fn order(
        &self,
        key: SessionId,
        group: Option<GroupId>,
        now: Duration,
    ) -> Result<(), Duration> {
        let tables = self.orders.iter().zip(&self.group_orders);
        for (limit, (keys, groups)) in [ORDERS_SHORT, ORDERS_DAY].into_iter().zip(tables) {
            let most = if self.is_on { limit.limit } else { u32::MAX };
            keys.take(key, limit, most, 1, now)?;
            if let Some(group) = group {
                groups.take(group, limit, most.saturating_mul(SHARED), 1, now)?;
            }
        }
        Ok(())
    }

    /// The orders of a key within the two windows.
    pub(crate) fn orders_of(&self, key: SessionId, now: Duration) -> [u32; 2] {
        let [short, day] = &self.orders;
        [short.count(&key, ORDERS_SHORT, now), day.count(&key, ORDERS_DAY, now)]
    }

    /// The attempts of an address or a key within the window.
    pub(crate) fn attempts_of(&self, client: IpAddr, by: CountedBy, now: Duration) -> u32 {
        match by {
            CountedBy::Address => self.attempts.count(&client_of(client), ATTEMPTS, now),
            CountedBy::Page => self.page_attempts.count(&client_of(client), ATTEMPTS, now),
            CountedBy::Key(key) => self.key_attempts.count(&key, ATTEMPTS, now),
        }
    }
}

fn whose(by: CountedBy) -> &'static str {
    match by {
        CountedBy::Address => "of one address",
        CountedBy::Page => "of pages of other sites at one address",
        CountedBy::Key(_) => "of one key",
    }
}

/// How many levels a reader gets who wants at most so many of each side.
pub(crate) fn levels_of(views: &Views, symbol: SymbolId, most: usize) -> usize {
    [Side::Buy, Side::Sell].into_iter().map(|side| views.depth().count(symbol, side).min(most)).sum()
}

/// The weight of so many levels, besides that of their call.
pub(crate) fn weight_of(levels: usize) -> u32 {
    u32::try_from(levels.div_ceil(LEVELS_OF_WEIGHT)).unwrap_or(u32::MAX).saturating_sub(1)
}

/// The refusal of what is over a limit for so long.
pub(crate) fn limited(wait: Duration) -> Refusal {
    Refusal::rate_limit(u32::try_from(wait.as_secs().saturating_add(1)).unwrap_or(u32::MAX))
}

fn crowded(most: u32, whose: &str) -> Refusal {
    Refusal::rate_limit(1).and(&format!("{most} sockets {whose} may be open"))
}

#[cfg(test)]
mod tests;
