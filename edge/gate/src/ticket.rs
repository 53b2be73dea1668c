//! Tickets: each opens one socket for a signed-in browser, whose cookie does not reach a socket at another address.
//!
//! They are in memory alone, by the SHA-256 of their text: after a restart a page asks for another one.

use crate::TokenHash;
use buttonwood_model::{AccountId, SessionId, Time};
use parking_lot::Mutex;
use std::collections::VecDeque;

/// How long a ticket lives by the exchange's clock, in microseconds.
const TICKET_AGE: u64 = 30 * Time::SECOND;
/// Tickets of a session that live at once; another one ends its oldest.
const OF_SESSION_MAX: usize = 8;
/// Tickets of all sessions that live at once; another one ends the oldest.
const TICKETS_MAX: usize = 4_096;

/// The browser that a ticket opens a socket for, and the account that the socket reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TicketOf {
    /// Its session.
    pub session: SessionId,
    /// The account that it had chosen, or that its page named.
    pub account: AccountId,
    /// Whether its page named the account, so that the socket goes on when another one is chosen (D-289).
    pub is_named: bool,
}

#[derive(Debug)]
struct Ticket {
    hash: TokenHash,
    of: TicketOf,
    ends: Time,
}

/// The tickets that were not used, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Tickets {
    kept: Mutex<VecDeque<Ticket>>,
}

impl Tickets {
    /// Keeps a ticket.
    pub(crate) fn put(&self, hash: TokenHash, of: TicketOf, now: Time) {
        let mut kept = self.kept.lock();
        kept.retain(|ticket| now < ticket.ends);
        let is_own = |ticket: &Ticket| ticket.of.session == of.session;
        if kept.iter().filter(|ticket| is_own(ticket)).count() >= OF_SESSION_MAX
            && let Some(oldest) = kept.iter().position(is_own)
        {
            kept.remove(oldest);
        }
        if kept.len() >= TICKETS_MAX {
            kept.pop_front();
        }
        kept.push_back(Ticket { hash, of, ends: now.plus(TICKET_AGE) });
    }

    /// Uses a ticket; none if it is unknown, was used or is too old.
    pub(crate) fn take(&self, hash: &TokenHash, now: Time) -> Option<TicketOf> {
        let mut kept = self.kept.lock();
        let place = kept.iter().position(|ticket| ticket.hash == *hash)?;
        let taken = kept.remove(place)?;
        (now < taken.ends).then_some(taken.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(session: u32) -> TicketOf {
        TicketOf { session: SessionId(session), account: AccountId(7), is_named: false }
    }

    fn hash(number: u32) -> TokenHash {
        let mut hash = [0; 32];
        hash[..4].copy_from_slice(&number.to_le_bytes());
        hash
    }

    #[test]
    fn a_ticket_is_used_once() {
        let tickets = Tickets::default();
        tickets.put(hash(1), of(1), Time(0));
        assert_eq!(tickets.take(&hash(2), Time(0)), None);
        assert_eq!(tickets.take(&hash(1), Time(0)), Some(of(1)));
        assert_eq!(tickets.take(&hash(1), Time(0)), None);
    }

    /// It opens a socket in its last microsecond, and not in the next one. A late try uses it up too.
    #[test]
    fn a_ticket_lives_30_seconds() {
        let tickets = Tickets::default();
        for number in [1, 2] {
            tickets.put(hash(number), of(1), Time(5));
        }
        assert_eq!(tickets.take(&hash(1), Time(5 + TICKET_AGE - 1)), Some(of(1)));
        assert_eq!(tickets.take(&hash(2), Time(5 + TICKET_AGE)), None);
        assert_eq!(tickets.take(&hash(2), Time(5)), None);
    }

    /// A session that asks for many ends its own; all sessions together end the oldest.
    #[test]
    fn tickets_are_bounded() {
        let tickets = Tickets::default();
        tickets.put(hash(0), of(0), Time(0));
        for number in 1..=9 {
            tickets.put(hash(number), of(1), Time(0));
        }
        assert_eq!(tickets.take(&hash(1), Time(0)), None);
        assert_eq!(tickets.take(&hash(2), Time(0)), Some(of(1)));
        for number in 100..100 + 4_096 {
            tickets.put(hash(number), of(number), Time(0));
        }
        assert_eq!(tickets.take(&hash(0), Time(0)), None);
        assert_eq!(tickets.kept.lock().len(), TICKETS_MAX);
        tickets.put(hash(9_999), of(1), Time(TICKET_AGE));
        assert_eq!(tickets.kept.lock().len(), 1);
    }
}
