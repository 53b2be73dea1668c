//! The event of the exchange: one variant for each room with frequent events, and one for infrequent events
//! of all rooms.

use alloc::vec::Vec;
use buttonwood_access as access;
use buttonwood_model::{BytesRef, Record};
use buttonwood_trading as trading;

/// One event. It is small and owns no memory, so that dropping a whole batch costs nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Of the trading floor: it concerns an order.
    Trading(trading::Event),
    /// Of the directory: a session used a nonce.
    Access(access::Event),
    /// An [`Infrequent`](crate::Infrequent) event, as a named record among the texts of its command.
    Infrequent(BytesRef),
}

impl From<trading::Event> for Event {
    #[inline]
    fn from(event: trading::Event) -> Self {
        Self::Trading(event)
    }
}

impl From<access::Event> for Event {
    #[inline]
    fn from(event: access::Event) -> Self {
        Self::Access(event)
    }
}

impl From<BytesRef> for Event {
    fn from(kept: BytesRef) -> Self {
        Self::Infrequent(kept)
    }
}

impl Event {
    /// How many kinds of events a frame can hold, numbered below.
    pub(crate) const KINDS: u8 = 3;

    /// The event of an order, if it is one.
    pub fn of_order(&self) -> Option<&trading::Event> {
        match self {
            Self::Trading(event) => Some(event),
            Self::Access(_) | Self::Infrequent(_) => None,
        }
    }
}

/// The form in a frame: the number of the kind in one byte, then the fields in their order.
impl Record for Event {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Self::Trading(event) => {
                out.push(0);
                event.put(out);
            }
            Self::Access(access::Event::NonceUsed(session, nonce)) => {
                out.push(1);
                session.put(out);
                nonce.put(out);
            }
            Self::Infrequent(kept) => {
                out.push(2);
                kept.put(out);
            }
        }
    }

    #[inline]
    fn take(bytes: &mut &[u8]) -> Option<Self> {
        match u8::take(bytes)? {
            0 => Record::take(bytes).map(Self::Trading),
            1 => Some(Self::Access(access::Event::NonceUsed(Record::take(bytes)?, Record::take(bytes)?))),
            2 => Record::take(bytes).map(Self::Infrequent),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Infrequent;
    use access::Infrequent::GroupAdded;
    use buttonwood_model::Outbox;

    #[test]
    fn events_are_small() {
        assert!(size_of::<Event>() <= 80, "{} bytes", size_of::<Event>());
    }

    /// Each infrequent event of a command is read back from its own bytes. Bytes outside the texts are
    /// refused.
    #[test]
    fn infrequent_events_are_kept_beside_the_others() {
        let mut out = Outbox::default();
        let added = ["one", "another"].map(|name| Infrequent::Access(GroupAdded(name.into())));
        for event in &added {
            event.push(&mut out);
        }
        let (events, texts) = out.latest();
        let read = events.iter().map(|event| match event {
            Event::Infrequent(kept) => Infrequent::read(*kept, texts).unwrap(),
            Event::Trading(_) | Event::Access(_) => panic!("{event:?}"),
        });
        assert!(read.eq(added));
        let Some(Event::Infrequent(last)) = events.last() else { panic!("{events:?}") };
        assert!(Infrequent::read(*last, &texts[..texts.len() - 1]).is_err());
    }
}
