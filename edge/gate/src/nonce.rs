//! The nonces of one key. Each is checked and taken in one step, so that of two equal ones exactly one passes.
//!
//! Clauses: `SES-002` to `SES-008`; D-07, D-26. Texts of facts T§7.4.

use crate::payload::numeric;
use crate::refusal::quoted;
use crate::signature::Tag;
use crate::{Reason, Refusal, Value};
use buttonwood_model::{NONCE_DIGITS_MAX, Nonce, Time};
use parking_lot::Mutex;
use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};

/// Seconds that a time-based nonce may lie from the exchange's time (SES-008).
const WINDOW_SECONDS: u64 = 30;
/// The same in microseconds.
const WINDOW: u64 = WINDOW_SECONDS * Time::SECOND;
/// How long a payload is remembered: from one end of the window to the other (D-07).
const REMEMBERED: u64 = 2 * WINDOW;

/// The rule that a nonce must meet.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rule<'a> {
    /// Higher than every one before.
    Increasing {
        /// The exchange's name, for the message.
        service: &'a str,
        /// The path that was called, for the message.
        endpoint: &'a str,
    },
    /// Close to this time, and under no payload that was seen already.
    Timely {
        /// The exchange's time.
        now: Time,
        /// The signature that names the payload; none for calls that only read, which may repeat.
        once: Option<Tag>,
    },
}

/// The used nonces of a key.
#[derive(Debug)]
pub(crate) struct Nonces {
    memory: Mutex<Memory>,
    /// The number of resets, including those that were only begun.
    resets: AtomicU64,
}

#[derive(Debug)]
struct Memory {
    /// The highest nonce taken. For a key with time-based nonces, the highest before this start: the payloads of that
    /// time are no longer known.
    last: Nonce,
    /// Payloads under time-based nonces, oldest first.
    order: VecDeque<(Time, Tag)>,
    seen: HashSet<Tag>,
}

impl Nonces {
    /// Continues after the highest nonce used before, over restarts too (D-08).
    pub(crate) fn after(last: Nonce) -> Self {
        Self { memory: Mutex::new(Memory::after(last)), resets: AtomicU64::new(0) }
    }

    /// Takes the payload's nonce, or refuses and takes nothing.
    pub(crate) fn take(&self, value: Option<&Value<'_>>, rule: Rule<'_>) -> Result<Nonce, Refusal> {
        let Some(value) = value else {
            return Err(Refusal::new(Reason::MissingNonce, "The payload holds no 'nonce'"));
        };
        let Some(nonce) = numeric(value).and_then(|text| Nonce::parse(text.as_bytes()).ok()) else {
            let what = format!(
                "was not parseable as a number of at most {NONCE_DIGITS_MAX} digits, without a sign."
            );
            return Err(invalid(value, &what));
        };
        match rule {
            Rule::Increasing { service, endpoint } => {
                self.increase(nonce).map_err(|last| stale(value, service, endpoint, last))
            }
            Rule::Timely { now, once } => self
                .be_timely(nonce, now, once)
                .map_err(|(why, retry_after)| Refusal { retry_after, ..invalid(value, &why) }),
        }
    }

    /// Takes a nonce, or says why not, and after how many seconds one that is the time is taken.
    fn be_timely(&self, nonce: Nonce, now: Time, once: Option<Tag>) -> Result<Nonce, (String, Option<u32>)> {
        if !is_timely(nonce, now) {
            let (seconds, millis) = (now.seconds(), now.millis() % 1_000);
            let why = format!(
                "is not within {WINDOW_SECONDS} seconds of server time '{seconds}.{millis:03}'; this key's nonces are the time \
                 in seconds since 1970, and this is what was sent as one"
            );
            return Err((why, None));
        }
        let Some(tag) = once else { return Ok(nonce) };
        let mut memory = self.memory.lock();
        if nonce <= memory.last {
            let last = memory.last;
            let why =
                format!("is no later than '{last}', this key's highest before the exchange was started");
            return Err((why, wait_past(last, now)));
        }
        if !memory.remember(tag, now) {
            let why = "repeats a payload sent within the last 60 seconds; change any part of it.".to_owned();
            return Err((why, None));
        }
        Ok(nonce)
    }

    /// Whether a signed handshake is new; remembers it (D-145).
    pub(crate) fn open(&self, tag: Tag, now: Time) -> bool {
        self.memory.lock().remember(tag, now)
    }

    /// Forgets the used nonces: the way out, in a sandbox, after a nonce that was too high (D-26).
    pub(crate) fn reset(&self) {
        let mut memory = self.memory.lock();
        self.overtake();
        *memory = Memory::after(Nonce::default());
    }

    /// Makes every call admitted until now overtaken.
    pub(crate) fn overtake(&self) {
        self.resets.fetch_add(1, Ordering::Release);
    }

    /// The number of resets, including those that were only begun.
    pub(crate) fn resets(&self) -> u64 {
        self.resets.load(Ordering::Acquire)
    }

    /// The highest nonce taken.
    pub(crate) fn last(&self) -> Nonce {
        self.memory.lock().last
    }

    /// Takes a nonce that is higher than all before, or returns the highest of these.
    fn increase(&self, nonce: Nonce) -> Result<Nonce, Nonce> {
        let mut memory = self.memory.lock();
        if nonce <= memory.last {
            return Err(memory.last);
        }
        memory.last = nonce;
        Ok(nonce)
    }
}

impl Memory {
    fn after(last: Nonce) -> Self {
        Self { last, order: VecDeque::new(), seen: HashSet::new() }
    }

    /// Whether the payload is new; remembers it.
    fn remember(&mut self, tag: Tag, now: Time) -> bool {
        while let Some((time, old)) = self.order.front().copied()
            && time.plus(REMEMBERED) < now
        {
            self.order.pop_front();
            self.seen.remove(&old);
        }
        let fresh = self.seen.insert(tag);
        if fresh {
            self.order.push_back((now, tag));
        }
        fresh
    }
}

/// Whether a nonce is within the window. All its digits count: a nonce a fraction beyond the window is outside
/// (SES-008).
fn is_timely(nonce: Nonce, now: Time) -> bool {
    let earliest = Time(now.0.saturating_sub(WINDOW));
    (Nonce::at(earliest)..=Nonce::at(now.plus(WINDOW))).contains(&nonce)
}

/// After how many seconds the time is a later nonce; none if that is beyond the window (D-285).
fn wait_past(last: Nonce, now: Time) -> Option<u32> {
    let seconds = (1..=2 * WINDOW_SECONDS).find(|wait| Nonce::at(now.plus(wait * Time::SECOND)) > last)?;
    u32::try_from(seconds).ok()
}

/// The message names the key's highest nonce, since the request carries the key's valid signature.
fn stale(value: &Value<'_>, service: &str, endpoint: &str, last: Nonce) -> Refusal {
    let since = format!("has not increased since your last call to the {service} API");
    let endpoint = quoted(endpoint);
    invalid(value, &format!("{since} (this one was to '{endpoint}'). The key's highest is '{last}'."))
}

fn invalid(value: &Value<'_>, what: &str) -> Refusal {
    Refusal::new(Reason::InvalidNonce, format!("Nonce '{}' {what}", quoted(value.shown())))
}

#[cfg(test)]
mod tests;
