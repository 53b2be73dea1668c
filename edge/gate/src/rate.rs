//! Rate limits. Given a moment, a bucket admits, delays or refuses a request; it has no clock and never sleeps.
//!
//! A token bucket with a FIFO queue (D-04), stored as one number: the moment up to which its tokens are given away. A
//! moment in the future means that callers are waiting, one token's time each.
//!
//! Clauses: `LIM-001` to `LIM-010`.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// One limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Time in which one token comes back.
    pub every: Duration,
    /// Tokens a full bucket holds.
    pub burst: u32,
    /// Callers that may wait for a token.
    pub queue: u32,
}

impl Limit {
    /// `count` requests a second, a burst of one second's worth, and the specification's queue of five.
    ///
    /// # Panics
    /// When `count` is zero.
    pub const fn per_second(count: u32) -> Self {
        assert!(count > 0, "a limit lets something through");
        Self {
            every: Duration::from_secs(1).checked_div(count).expect("count is not zero"),
            burst: count,
            queue: 5,
        }
    }

    /// One request in this time, and none waits.
    pub const fn once_in(every: Duration) -> Self {
        Self { every, burst: 1, queue: 0 }
    }

    /// Requests a minute.
    pub(crate) fn a_minute(&self) -> u64 {
        nanos(Duration::from_mins(1)) / nanos(self.every).max(1)
    }

    /// The same limit with another queue.
    #[must_use]
    pub const fn queueing(self, queue: u32) -> Self {
        Self { queue, ..self }
    }
}

/// Every limit of the gate; all of it configuration (D-04).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Whether any limit applies.
    pub enabled: bool,
    /// Private requests of one key, or of one grant or browser (LIM-002).
    pub key: Limit,
    /// Private requests of all keys of one account or group: beyond it, more keys do not give a larger allowance.
    pub account: Limit,
    /// Cancels and heartbeats of one key, in addition to the limits above.
    pub reserve: Limit,
    /// Refused calls of one key that change something, cancels excepted: each costs a write to the disk. Never below the
    /// rate of LIM-018.
    pub refused: Limit,
    /// Public requests of one client address (LIM-001).
    pub public: Limit,
    /// Private requests of one client address, before anything is verified.
    pub flood: Limit,
    /// The site's pages and their files for one client address: separate from the interface's limits, and far above
    /// what browsers request.
    pub pages: Limit,
    /// Public calls of the site's pages for one client address, in addition to that: a page makes some ten when it is opened.
    pub shown: Limit,
    /// Lists of transfers and of custody fees of one account (LIM-007, LIM-008).
    pub transfers: Limit,
    /// Lists of deposit addresses and new ones of one account (LIM-009).
    pub addresses: Limit,
    /// Previews of orders of one account, from all browsers of its users.
    pub previews: Limit,
}

impl Limits {
    /// No limit is applied.
    pub fn off() -> Self {
        Self { enabled: false, ..Self::default() }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            enabled: true,
            key: Limit::per_second(10),
            account: Limit::per_second(100),
            reserve: Limit::per_second(5).queueing(0),
            refused: Limit { burst: 20, ..Limit::per_second(5).queueing(0) },
            public: Limit::per_second(2),
            flood: Limit::per_second(2_000).queueing(0),
            pages: Limit::per_second(100).queueing(0),
            shown: Limit { burst: 60, ..Limit::per_second(10).queueing(0) },
            transfers: Limit::once_in(Duration::from_secs(5)),
            addresses: Limit::once_in(Duration::from_secs(2)),
            previews: Limit::per_second(10).queueing(0),
        }
    }
}

/// A bucket's decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admit {
    /// Go on.
    Now,
    /// Go on after this time; the place in the queue is taken.
    Wait(Duration),
    /// Refuse; no token is taken.
    Refuse {
        /// Whole seconds until a place is free, at least one.
        retry_after: u32,
    },
}

/// One bucket with its queue. Moments count from any fixed start, the same for all calls.
#[derive(Debug)]
pub struct Bucket {
    every: u64,
    /// Time in which an empty bucket fills.
    span: u64,
    /// How far ahead of now tokens may be given away.
    ahead: u64,
    /// Tokens are given away up to here, on a scale that starts one `span` before the caller's.
    taken: AtomicU64,
}

impl Bucket {
    /// A full bucket.
    pub fn new(limit: Limit) -> Self {
        let every = nanos(limit.every);
        let times = |count: u32| every.saturating_mul(u64::from(count));
        Self { every, span: times(limit.burst), ahead: times(limit.queue), taken: AtomicU64::new(0) }
    }

    /// Requests one token.
    pub fn take(&self, now: Duration) -> Admit {
        let now = nanos(now).saturating_add(self.span);
        let next = |taken| {
            let next = self.next(taken, now);
            (next <= now.saturating_add(self.ahead)).then_some(next)
        };
        match self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next) {
            Ok(taken) => match self.next(taken, now).checked_sub(now) {
                None | Some(0) => Admit::Now,
                Some(wait) => Admit::Wait(Duration::from_nanos(wait)),
            },
            Err(taken) => {
                let wait = self.next(taken, now).saturating_sub(now.saturating_add(self.ahead));
                Admit::Refuse { retry_after: whole_seconds(wait) }
            }
        }
    }

    /// Whether one more token would be refused; takes none.
    fn is_spent(&self, now: Duration) -> Option<u32> {
        let now = nanos(now).saturating_add(self.span);
        let wait = self.next(self.taken.load(Ordering::Relaxed), now).saturating_sub(now + self.ahead);
        (wait > 0).then(|| whole_seconds(wait))
    }

    /// Takes a token that was used already; the bucket may owe as many as it holds.
    fn charge(&self, now: Duration) {
        let now = nanos(now).saturating_add(self.span);
        let owed = now.saturating_add(self.span);
        let next = |taken| Some(self.next(taken, now).min(owed));
        // The update always has a value.
        let _ = self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
    }

    /// Takes tokens that are used in any case; the bucket may owe all of them, and admits no call until they are back.
    fn owe(&self, count: u32, now: Duration) {
        let now = nanos(now).saturating_add(self.span);
        let tokens = self.every.saturating_mul(u64::from(count));
        let next = |taken: u64| Some(taken.max(now.saturating_sub(self.span)).saturating_add(tokens));
        // The update always has a value.
        let _ = self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
    }

    /// The value of `taken` after one more token.
    fn next(&self, taken: u64, now: u64) -> u64 {
        taken.max(now.saturating_sub(self.span)).saturating_add(self.every)
    }

    /// Whether the bucket is full again, and so no different from a new one.
    fn is_full(&self, now: Duration) -> bool {
        self.taken.load(Ordering::Relaxed) <= nanos(now)
    }
}

/// The buckets of one session: its own, its reserve for cancels and heartbeats, and its account's, shared.
#[derive(Debug)]
pub(crate) struct Allowance {
    own: Bucket,
    reserve: Bucket,
    account: std::sync::Arc<Bucket>,
    /// Refused calls.
    refused: Bucket,
    /// When the last of the key's waiting orders has its turn, on the caller's scale.
    last_turn: AtomicU64,
}

/// The delay between a turn and a call that must come after it: two timers that end together fire in any order.
const AFTER: Duration = Duration::from_millis(5);

impl Allowance {
    /// The buckets of a key of this account under `limits`.
    pub(crate) fn new(limits: &Limits, account: std::sync::Arc<Bucket>) -> Self {
        Self {
            own: Bucket::new(limits.key),
            reserve: Bucket::new(limits.reserve),
            account,
            refused: Bucket::new(limits.refused),
            last_turn: AtomicU64::new(0),
        }
    }

    /// Refuses a call while the key has had too many refused.
    pub(crate) fn check_refused(&self, now: Duration) -> Admit {
        self.refused.is_spent(now).map_or(Admit::Now, |retry_after| Admit::Refuse { retry_after })
    }

    /// Counts a refused call.
    pub(crate) fn note_refused(&self, now: Duration) {
        self.refused.charge(now);
    }

    /// Time until all orders that wait now have had their turns; zero if none waits.
    pub(crate) fn last_turn(&self, now: Duration) -> Duration {
        match self.last_turn.load(Ordering::Relaxed).checked_sub(nanos(now)) {
            None | Some(0) => Duration::ZERO,
            Some(wait) => Duration::from_nanos(wait) + AFTER,
        }
    }

    /// Decides one request; a `reserved` one draws on the reserve first.
    pub(crate) fn take(&self, now: Duration, reserved: bool) -> Admit {
        if reserved && self.reserve.take(now) == Admit::Now {
            return Admit::Now;
        }
        // The key's own bucket comes first, so that a key over its limit takes nothing from its account.
        let own = self.own.take(now);
        if let Admit::Refuse { .. } = own {
            return own;
        }
        match (own, self.account.take(now)) {
            (_, refuse @ Admit::Refuse { .. }) => refuse,
            (Admit::Wait(own), Admit::Wait(account)) => Admit::Wait(own.max(account)),
            (Admit::Now, account) => account,
            (own, _) => own,
        }
    }

    /// Takes the tokens of the further entries of a batch; those of a reserved one come from the reserve as far as that has any.
    pub(crate) fn charge(&self, count: u32, now: Duration, reserved: bool) {
        let from_reserve =
            (0..count).take_while(|_| reserved && self.reserve.take(now) == Admit::Now).count();
        let left = count.saturating_sub(u32::try_from(from_reserve).unwrap_or(count));
        self.own.owe(left, now);
        self.account.owe(left, now);
    }

    /// Whether its own buckets are full again and no order waits, and so no different from a new one.
    pub(crate) fn is_full(&self, now: Duration) -> bool {
        let are_full = [&self.own, &self.reserve, &self.refused].iter().all(|bucket| bucket.is_full(now));
        are_full && self.last_turn(now).is_zero()
    }

    /// Notes the turn of an order: the key's cancels come after it.
    pub(crate) fn note_turn(&self, turn: Duration) {
        self.last_turn.fetch_max(nanos(turn), Ordering::Relaxed);
    }
}

/// A limit of an account that several endpoints share, besides those of its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccountLimit {
    /// Lists of transfers and of custody fees (LIM-007, LIM-008).
    Transfers,
    /// Lists of deposit addresses, and new ones (LIM-009).
    Addresses,
    /// Previews of orders: repeated, they show how near an account is to its margin.
    Previews,
}

/// Clients kept before the first search for idle ones.
const FEW: usize = 1024;
/// Clients with a bucket of their own at most. The others share [`OVERFLOW`] buckets.
const CLIENTS_MAX: usize = 65_536;
/// Buckets for the clients beyond the maximum. Filling all of them takes thousands of requests a second.
const OVERFLOW: usize = 4_096;
/// A search in a full table is not repeated before this time: it costs milliseconds.
const SEARCH_EVERY: Duration = Duration::from_secs(1);

/// One bucket per client. A full bucket is dropped, since a new one is the same. The memory is bounded whatever clients
/// arrive.
#[derive(Debug)]
pub struct Clients<K> {
    limit: Limit,
    buckets: Mutex<Buckets<K>>,
}

#[derive(Debug)]
struct Buckets<K> {
    by_client: HashMap<K, Bucket>,
    /// The number of clients that starts the next search for idle ones: at least twice those that the last search kept,
    /// so that the searches cost little per new client.
    search_at: usize,
    /// No search before this moment.
    rested_at: Duration,
    overflow: Vec<Bucket>,
}

impl<K: Copy + Eq + Hash> Clients<K> {
    /// No client has a bucket yet.
    pub fn new(limit: Limit) -> Self {
        let buckets = Buckets {
            by_client: HashMap::new(),
            search_at: FEW,
            rested_at: Duration::ZERO,
            overflow: Vec::new(),
        };
        Self { limit, buckets: Mutex::new(buckets) }
    }

    /// Requests one token of a client.
    pub fn take(&self, client: K, now: Duration) -> Admit {
        let mut buckets = self.buckets.lock();
        if buckets.by_client.len() >= buckets.search_at && now >= buckets.rested_at {
            buckets.by_client.retain(|_, bucket| !bucket.is_full(now));
            buckets.search_at = (buckets.by_client.len() * 2).clamp(FEW, CLIENTS_MAX);
            buckets.rested_at = now.saturating_add(SEARCH_EVERY);
        }
        let has_room = buckets.by_client.len() < CLIENTS_MAX;
        if has_room || buckets.by_client.contains_key(&client) {
            return buckets.by_client.entry(client).or_insert_with(|| Bucket::new(self.limit)).take(now);
        }
        // The map's own seed makes the place unpredictable, so that no client can choose whose bucket it shares.
        let place =
            usize::try_from(buckets.by_client.hasher().hash_one(client)).unwrap_or_default() % OVERFLOW;
        if buckets.overflow.is_empty() {
            buckets.overflow.extend((0..OVERFLOW).map(|_| Bucket::new(self.limit)));
        }
        buckets.overflow.get(place).map_or(Admit::Now, |bucket| bucket.take(now))
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        let buckets = self.buckets.lock();
        buckets.by_client.len() + buckets.overflow.len()
    }
}

/// The client that an address stands for: an IPv6 client controls a whole /64.
pub fn client_of(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64))),
        four @ IpAddr::V4(_) => four,
    }
}

/// Nanoseconds as seconds, rounded up, at least one.
fn whole_seconds(wait: u64) -> u32 {
    let seconds = wait.div_ceil(nanos(Duration::from_secs(1))).max(1);
    u32::try_from(seconds).unwrap_or(u32::MAX)
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
