//! Everything that can happen.

use alloc::string::String;
use alloc::vec::Vec;
use buttonwood_access::{Account, NewSession};
use buttonwood_auction::{Finding, Schedule};
use buttonwood_model::{
    AccountId, BytesRef, Currency, CurrencyId, Nonce, OrderId, Outbox, Record, SessionId, Symbol, SymbolId,
    SymbolStatus,
};
use buttonwood_num::Money;
use buttonwood_spot as spot;
use serde::{Deserialize, Serialize};

use crate::Opening;

/// One thing that happened. Each is small and owns nothing, so that a whole batch is dropped at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// To a spot order.
    Spot(spot::Event),
    /// A session used a nonce.
    NonceUsed(SessionId, Nonce),
    /// Anything that does not happen on the path of an order: a [`Rare`], in the bytes that its command keeps.
    Rare(BytesRef),
}

/// What does not happen on the path of an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rare {
    /// A symbol's status changed.
    SymbolStatusChanged(SymbolId, SymbolStatus),
    /// Which nonces a session has used was forgotten.
    NoncesForgotten(SessionId),
    /// The house issued money to an account.
    Credited(AccountId, CurrencyId, Money),
    /// The directory was made.
    Opened(Opening),
    /// A currency was listed.
    CurrencyListed(Currency),
    /// A symbol was listed.
    SymbolListed(Symbol),
    /// A group was added.
    GroupAdded(String),
    /// An account was opened.
    AccountOpened(Account),
    /// A session was made.
    SessionAdded(NewSession),
    /// When a symbol's auctions are has changed; none ends them.
    AuctionsScheduled(SymbolId, Option<Schedule>),
    /// It was told what a symbol's next auction would come to.
    AuctionIndicated(SymbolId, Finding),
    /// A symbol's auction found its price, or none; orders of lower ids take part.
    AuctionCut(SymbolId, Finding, OrderId),
    /// All of a symbol's auction is settled; the finding's quantity is what traded.
    AuctionEnded(SymbolId, Finding),
}

impl Rare {
    /// Appends the event to an outbox.
    pub fn push(&self, out: &mut Outbox<Event>) {
        let bytes = postcard::to_extend(self, Vec::new()).expect("an event fits memory");
        let kept = out.keep_bytes(&bytes);
        out.push(Event::Rare(kept));
    }

    /// Reads the event back from the texts of its command.
    ///
    /// # Errors
    /// When the bytes are none.
    pub fn read(kept: BytesRef, texts: &[u8]) -> Result<Self, postcard::Error> {
        postcard::from_bytes(kept.of(texts).ok_or(postcard::Error::DeserializeUnexpectedEnd)?)
    }
}

impl From<spot::Event> for Event {
    fn from(event: spot::Event) -> Self {
        Self::Spot(event)
    }
}

/// In a frame: which event, in a byte, and its fields in their order.
impl Record for Event {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Self::Spot(event) => {
                out.push(0);
                event.put(out);
            }
            Self::NonceUsed(session, nonce) => {
                out.push(1);
                session.put(out);
                nonce.put(out);
            }
            Self::Rare(kept) => {
                out.push(2);
                kept.put(out);
            }
        }
    }

    #[inline]
    fn take(bytes: &mut &[u8]) -> Option<Self> {
        match u8::take(bytes)? {
            0 => Record::take(bytes).map(Self::Spot),
            1 => Some(Self::NonceUsed(Record::take(bytes)?, Record::take(bytes)?)),
            2 => Record::take(bytes).map(Self::Rare),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_small() {
        assert!(size_of::<Event>() <= 80, "{} bytes", size_of::<Event>());
    }

    /// Each event of a command is read from its own place, and a place outside is no event.
    #[test]
    fn rare_events_are_kept_beside_the_others() {
        let mut out = Outbox::default();
        let added = [Rare::GroupAdded("one".into()), Rare::GroupAdded("another".into())];
        for event in &added {
            event.push(&mut out);
        }
        let (events, texts) = out.latest();
        let read = events.iter().map(|event| match event {
            Event::Rare(kept) => Rare::read(*kept, texts).unwrap(),
            Event::Spot(_) | Event::NonceUsed(..) => panic!("{event:?}"),
        });
        assert!(read.eq(added));
        let Some(Event::Rare(last)) = events.last() else { panic!("{events:?}") };
        assert!(Rare::read(*last, &texts[..texts.len() - 1]).is_err());
    }
}
