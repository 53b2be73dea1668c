//! The event of the exchange: one variant for each room with frequent events, and one for infrequent events
//! of all rooms.

use crate::{Audit, Founded, Operated};
use alloc::vec::Vec;
use buttonwood_access as access;
use buttonwood_convert as convert;
use buttonwood_funds as funds;
use buttonwood_ledger as ledger;
use buttonwood_model::{BytesRef, Named, NamedError, Outbox, Record, take_named};
use buttonwood_perp as perp;
use buttonwood_rates as rates;
use buttonwood_spot_margin as spot_margin;
use buttonwood_trading as trading;

/// One event. It is small and owns no memory, so that dropping a whole batch costs nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Of the trading floor: it concerns an order.
    Trading(trading::Event),
    /// Of the directory: a session used a nonce.
    Access(access::Event),
    /// An [`Infrequent`] event, as a named record among the texts of its command.
    Infrequent(BytesRef),
}

/// An event that is not on the path of an order: one variant for each room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Infrequent {
    /// Of the trading floor.
    Trading(trading::Infrequent),
    /// Of the directory of groups, accounts and sessions.
    Access(access::Infrequent),
    /// Of the ledger.
    Ledger(ledger::Infrequent),
    /// Of the foreign exchange rates.
    Rates(rates::Infrequent),
    /// Of the conversions.
    Convert(convert::Infrequent),
    /// Of money that enters and leaves.
    Funds(funds::Infrequent),
    /// Of the desk of perpetuals.
    Perp(perp::Infrequent),
    /// Of the desk of spot margin.
    SpotMargin(spot_margin::Infrequent),
    /// Of the engine itself.
    Founded(Founded),
    /// Of an operator.
    Audit(Audit),
    /// Of the exchange as a whole.
    Operated(Operated),
}

impl Infrequent {
    /// Appends the event to an outbox.
    pub fn push(&self, out: &mut Outbox<Event>) {
        match self {
            Self::Trading(event) => out.push_named(event),
            Self::Access(event) => out.push_named(event),
            Self::Ledger(event) => out.push_named(event),
            Self::Rates(event) => out.push_named(event),
            Self::Convert(event) => out.push_named(event),
            Self::Funds(event) => out.push_named(event),
            Self::Perp(event) => out.push_named(event),
            Self::SpotMargin(event) => out.push_named(event),
            Self::Founded(event) => out.push_named(event),
            Self::Audit(event) => out.push_named(event),
            Self::Operated(event) => out.push_named(event),
        }
    }

    /// Reads the event back from the texts of its command.
    ///
    /// # Errors
    /// [`NamedError`] when the bytes are not a record that this build knows.
    pub fn read(kept: BytesRef, texts: &[u8]) -> Result<Self, NamedError> {
        let mut bytes = kept.of(texts).ok_or(NamedError::Cut)?;
        let record = take_named(&mut bytes)?;
        if !bytes.is_empty() {
            return Err(NamedError::Malformed(record.full_name()));
        }
        match record.room {
            trading::Infrequent::ROOM => record.read().map(Self::Trading),
            access::Infrequent::ROOM => record.read().map(Self::Access),
            ledger::Infrequent::ROOM => record.read().map(Self::Ledger),
            rates::Infrequent::ROOM => record.read().map(Self::Rates),
            convert::Infrequent::ROOM => record.read().map(Self::Convert),
            funds::Infrequent::ROOM => record.read().map(Self::Funds),
            perp::Infrequent::ROOM => record.read().map(Self::Perp),
            spot_margin::Infrequent::ROOM => record.read().map(Self::SpotMargin),
            Founded::ROOM => record.read().map(Self::Founded),
            Audit::ROOM => record.read().map(Self::Audit),
            Operated::ROOM => record.read().map(Self::Operated),
            _ => Err(record.unknown()),
        }
    }
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
    use access::Infrequent::GroupAdded;

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
