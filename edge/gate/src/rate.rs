//! Rate limits. Given a moment, a bucket admits, delays or refuses a request; it has no clock and never sleeps.
//!
//! A token bucket with a FIFO queue (D-04), stored as one number: the moment up to which its tokens are given away. A
//! moment in the future means that callers are waiting, one token's time each.
//!
//! Clauses: `LIM-001` to `LIM-006`.

use parking_lot::Mutex;
use std::collections::HashMap;
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
    /// Private requests of one key (LIM-002).
    pub key: Limit,
    /// Private requests of all keys of one account or group: beyond it, more keys do not give a larger allowance.
    pub account: Limit,
    /// Cancels and heartbeats of one key, in addition to the limits above.
    pub reserve: Limit,
    /// Public requests of one client address (LIM-001).
    pub public: Limit,
    /// Private requests of one client address, before anything is verified.
    pub flood: Limit,
    /// The site's pages and their files for one client address: separate from the interface's limits, and far above
    /// what browsers request.
    pub pages: Limit,
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
            public: Limit::per_second(2),
            flood: Limit::per_second(2_000).queueing(0),
            pages: Limit::per_second(100).queueing(0),
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
                let seconds = wait.div_ceil(nanos(Duration::from_secs(1))).max(1);
                Admit::Refuse { retry_after: u32::try_from(seconds).unwrap_or(u32::MAX) }
            }
        }
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

/// The buckets of one key: its own, its reserve for cancels and heartbeats, and its account's, shared.
#[derive(Debug)]
pub(crate) struct Allowance {
    own: Bucket,
    reserve: Bucket,
    account: std::sync::Arc<Bucket>,
    /// When the last of the key's waiting orders has its turn, on the caller's scale.
    last_turn: AtomicU64,
}

/// The delay between a turn and a call that must come after it: two timers that end together fire in any order.
const AFTER: Duration = Duration::from_millis(5);

impl Allowance {
    pub(crate) fn new(own: Limit, reserve: Limit, account: std::sync::Arc<Bucket>) -> Self {
        Self { own: Bucket::new(own), reserve: Bucket::new(reserve), account, last_turn: AtomicU64::new(0) }
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

    /// Notes the turn of an order: the key's cancels come after it.
    pub(crate) fn note_turn(&self, turn: Duration) {
        self.last_turn.fetch_max(nanos(turn), Ordering::Relaxed);
    }
}

/// Addresses kept before the first search for idle ones.
const ADDRESSES: usize = 1024;

/// One bucket per client address. A full bucket is dropped, since a new one is the same.
#[derive(Debug)]
pub(crate) struct Addresses {
    limit: Limit,
    buckets: Mutex<Buckets>,
}

#[derive(Debug)]
struct Buckets {
    by_address: HashMap<IpAddr, Bucket>,
    /// The number of addresses that starts the next search for idle ones: at least twice those that the last search
    /// kept, so that the searches cost little per new address.
    sweep_at: usize,
}

impl Addresses {
    pub(crate) fn new(limit: Limit) -> Self {
        Self { limit, buckets: Mutex::new(Buckets { by_address: HashMap::new(), sweep_at: ADDRESSES }) }
    }

    pub(crate) fn take(&self, peer: IpAddr, now: Duration) -> Admit {
        let mut buckets = self.buckets.lock();
        if buckets.by_address.len() >= buckets.sweep_at {
            buckets.by_address.retain(|_, bucket| !bucket.is_full(now));
            buckets.sweep_at = (buckets.by_address.len() * 2).max(ADDRESSES);
        }
        buckets.by_address.entry(client_of(peer)).or_insert_with(|| Bucket::new(self.limit)).take(now)
    }
}

/// The client that an address stands for: an IPv6 client controls a whole /64.
pub fn client_of(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64))),
        four @ IpAddr::V4(_) => four,
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
