//! Frames: texts that are worded once and shared by all their readers.

use crate::budget::{Budget, Counted};
use buttonwood_model::{Side, Time};
use buttonwood_num::{Price, Qty};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The way of a frame while an older one of its topic waits for the same socket.
#[derive(Clone, Debug)]
pub(crate) enum Waits {
    /// It waits too: each frame of a sequence is sent.
    Behind,
    /// It takes the place of the older one: a state.
    Instead,
    /// It is merged into the older one: differences of a book.
    Merged(Arc<Difference>),
    /// Its rows replace those of the older one that they are about.
    Rows(Arc<Rows>),
}

/// Rows of a frame, each under the number of what it is about.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    /// The text before the rows.
    pub(crate) head: Vec<u8>,
    /// The rows.
    pub(crate) rows: BTreeMap<u64, Vec<u8>>,
}

impl Rows {
    /// Adds later rows: of two about the same, the later counts.
    pub(crate) fn add(&mut self, later: &Self) {
        self.rows.extend(later.rows.iter().map(|(key, row)| (*key, row.clone())));
        self.head.clone_from(&later.head);
    }

    /// The text of their frame, without the closing brace.
    pub(crate) fn text(&self) -> Vec<u8> {
        let mut text = self.head.clone();
        for (place, row) in self.rows.values().enumerate() {
            if place > 0 {
                text.push(b',');
            }
            text.extend_from_slice(row);
        }
        text.push(b']');
        text
    }

    /// Bytes of that text, about.
    pub(crate) fn size(&self) -> usize {
        self.head.len() + self.rows.values().map(|row| row.len() + 1).sum::<usize>()
    }

    /// Their frame.
    pub(crate) fn frame(self) -> Arc<Frame> {
        Frame::new(self.text(), Waits::Rows(Arc::new(self)))
    }
}

/// An event in an array of a frame.
#[derive(Debug)]
pub(crate) struct EventText {
    /// Its id; zero of a live order at the beginning.
    pub(crate) id: u64,
    /// Its kind, as a bit of [`Kinds`].
    pub(crate) kind: Kinds,
    /// Its symbol, in lower case.
    pub(crate) symbol: String,
    /// The key that placed its order, as the stream names it.
    pub(crate) session: Arc<str>,
    /// Its JSON object without the closing brace.
    pub(crate) text: Vec<u8>,
}

/// Kinds of order events, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kinds(pub(crate) u8);

impl Kinds {
    /// The names of the kinds, in the order of the bits.
    pub(crate) const NAMES: [&str; 8] =
        ["initial", "accepted", "rejected", "booked", "fill", "cancelled", "cancel_rejected", "closed"];
    /// Live orders at the beginning.
    pub(crate) const INITIAL: Self = Self(1);

    /// The kind of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().position(|known| *known == name).map(|place| Self(1 << place))
    }

    /// Whether one of these kinds is among `other`.
    pub(crate) const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// A frame. Its text is a JSON object without the closing brace, so that a socket can add numbers of its own.
#[derive(Debug)]
pub(crate) struct Frame {
    /// The text.
    pub(crate) text: Vec<u8>,
    /// The id of the order event that it is about, if it is about one alone; else zero.
    pub(crate) event: u64,
    /// The events of a frame that is an array instead: each socket leaves some out and numbers the others.
    pub(crate) events: Vec<Arc<EventText>>,
    /// Its way to wait.
    pub(crate) waits: Waits,
    /// Its bytes among those of all queues; none where each queue counts them.
    counted: Option<Arc<Counted>>,
}

impl Frame {
    fn new(text: Vec<u8>, waits: Waits) -> Arc<Self> {
        Arc::new(Self { text, event: 0, events: Vec::new(), waits, counted: None })
    }

    /// A frame of an array of events.
    pub(crate) fn of_events(events: Vec<Arc<EventText>>) -> Arc<Self> {
        Arc::new(Self { text: Vec::new(), event: 0, events, waits: Waits::Behind, counted: None })
    }

    /// A frame of some of the events of this one.
    pub(crate) fn part(&self, events: Vec<Arc<EventText>>) -> Arc<Self> {
        let counted = self.counted.clone();
        Arc::new(Self { text: Vec::new(), event: 0, events, waits: Waits::Behind, counted })
    }

    /// The same frame, whose bytes count once among those of all queues while it is kept. It must not be shared yet.
    pub(crate) fn counted(mut frame: Arc<Self>, budget: &Arc<Budget>) -> Arc<Self> {
        if let Some(own) = Arc::get_mut(&mut frame) {
            own.counted = Some(Arc::new(budget.count(own.size())));
        }
        frame
    }

    /// Whether its bytes count once among those of all queues.
    pub(crate) fn is_counted(&self) -> bool {
        self.counted.is_some()
    }

    /// Bytes of its text, about.
    pub(crate) fn size(&self) -> usize {
        self.text.len() + self.events.iter().map(|event| event.text.len()).sum::<usize>()
    }

    /// A frame of a JSON object.
    pub(crate) fn of(mut object: Vec<u8>, waits: Waits) -> Arc<Self> {
        object.pop();
        Self::new(object, waits)
    }

    /// A frame of a JSON object about one order event.
    pub(crate) fn of_event(mut object: Vec<u8>, event: u64) -> Arc<Self> {
        object.pop();
        Arc::new(Self { text: object, event, events: Vec::new(), waits: Waits::Behind, counted: None })
    }
}

/// Levels that changed, each with its quantity after the change.
#[derive(Clone, Debug)]
pub(crate) struct Difference {
    /// The number of the frame before it.
    pub(crate) after: u64,
    /// The number of the last command in it.
    pub(crate) to: u64,
    /// The time of that command.
    pub(crate) time: Time,
    /// The levels; zero removes one. Bids come first, and in each side the best.
    pub(crate) levels: Vec<(Side, Price, Qty)>,
    /// Words it.
    pub(crate) word: Words,
}

/// Words a difference as a JSON object.
type Word = dyn Fn(&Difference) -> Vec<u8> + Send + Sync;

/// Words differences of one symbol.
#[derive(Clone)]
pub(crate) struct Words(pub(crate) Arc<Word>);

impl std::fmt::Debug for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Words")
    }
}

impl Difference {
    /// Its frame.
    pub(crate) fn frame(self) -> Arc<Frame> {
        let text = (self.word.0)(&self);
        Frame::of(text, Waits::Merged(Arc::new(self)))
    }
}

/// Differences that become one: of a level that several change, the last quantity counts.
#[derive(Clone, Debug)]
pub(crate) struct Merged {
    /// The first difference, later with the number and the time of the last; its levels are in `levels`.
    span: Difference,
    levels: Levels,
}

impl Merged {
    /// One difference.
    pub(crate) fn of(first: &Difference) -> Self {
        let span = Difference { levels: Vec::new(), word: first.word.clone(), ..*first };
        let mut merged = Self { span, levels: Levels::default() };
        merged.add(first);
        merged
    }

    /// Adds a later one.
    pub(crate) fn add(&mut self, later: &Difference) {
        later.levels.iter().for_each(|level| self.levels.set(*level));
        (self.span.to, self.span.time) = (later.to, later.time);
    }

    /// How many levels they change.
    pub(crate) fn len(&self) -> usize {
        self.levels.len()
    }

    /// The one difference.
    pub(crate) fn into_difference(self) -> Difference {
        Difference { levels: self.levels.into_vec(), ..self.span }
    }
}

/// Quantities by side and price.
#[derive(Clone, Debug, Default)]
pub(crate) struct Levels {
    bids: BTreeMap<Price, Qty>,
    asks: BTreeMap<Price, Qty>,
}

impl Levels {
    /// Sets a level, also to zero.
    pub(crate) fn set(&mut self, (side, price, qty): (Side, Price, Qty)) {
        self.side_mut(side).insert(price, qty);
    }

    /// Sets a level of a book: zero removes it.
    pub(crate) fn apply(&mut self, side: Side, price: Price, qty: Qty) {
        if qty == Qty::ZERO {
            self.side_mut(side).remove(&price);
        } else {
            self.side_mut(side).insert(price, qty);
        }
    }

    /// The best levels of a side, the best first.
    pub(crate) fn best(&self, side: Side) -> Box<dyn Iterator<Item = (Price, Qty)> + '_> {
        let level = |(price, qty): (&Price, &Qty)| (*price, *qty);
        match side {
            Side::Buy => Box::new(self.bids.iter().rev().map(level)),
            Side::Sell => Box::new(self.asks.iter().map(level)),
        }
    }

    /// How many levels there are.
    pub(crate) fn len(&self) -> usize {
        self.bids.len() + self.asks.len()
    }

    /// All levels: bids first, in each side the best.
    pub(crate) fn into_vec(self) -> Vec<(Side, Price, Qty)> {
        let all = |side| self.best(side).map(move |(price, qty)| (side, price, qty));
        all(Side::Buy).chain(all(Side::Sell)).collect()
    }

    fn side_mut(&mut self, side: Side) -> &mut BTreeMap<Price, Qty> {
        match side {
            Side::Buy => &mut self.bids,
            Side::Sell => &mut self.asks,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn difference((after, to): (u64, u64), changes: &[(bool, u64, u64)]) -> Difference {
        let mut levels = Levels::default();
        for (is_bid, price, qty) in changes {
            let side = if *is_bid { Side::Buy } else { Side::Sell };
            levels.set((side, Price::from_ticks(*price), Qty::from_hundredths(u128::from(*qty))));
        }
        let word = Words(Arc::new(|_: &Difference| b"{}".to_vec()));
        Difference { after, to, time: Time(to), levels: levels.into_vec(), word }
    }

    fn applied(to: &mut Levels, difference: &Difference) {
        difference.levels.iter().for_each(|(side, price, qty)| to.apply(*side, *price, *qty));
    }

    proptest! {
        /// A merged difference does to any book what both do one after the other, spans both, and names each level once, the best first.
        #[test]
        fn a_merged_difference_does_what_both_do(
            resting in prop::collection::vec((any::<bool>(), 1_u64..8, 1_u64..5), 0..8),
            first in prop::collection::vec((any::<bool>(), 1_u64..8, 0_u64..5), 0..8),
            second in prop::collection::vec((any::<bool>(), 1_u64..8, 0_u64..5), 0..8),
        ) {
            let (first, second) = (difference((3, 5), &first), difference((5, 9), &second));
            let mut one_by_one = Levels::default();
            applied(&mut one_by_one, &difference((0, 0), &resting));
            let mut merged = one_by_one.clone();
            applied(&mut one_by_one, &first);
            applied(&mut one_by_one, &second);
            let mut both = Merged::of(&first);
            both.add(&second);
            let both = both.into_difference();
            applied(&mut merged, &both);
            prop_assert_eq!(merged.into_vec(), one_by_one.into_vec());
            prop_assert_eq!((both.after, both.to, both.time), (3, 9, Time(9)));
            let bids = both.levels.iter().filter(|level| level.0 == Side::Buy).map(|level| level.1);
            prop_assert!(bids.is_sorted_by(|better, worse| better > worse));
            let asks = both.levels.iter().filter(|level| level.0 == Side::Sell).map(|level| level.1);
            prop_assert!(asks.is_sorted_by(|better, worse| better < worse));
        }
    }

    /// A kind of events has a bit of its own.
    #[test]
    fn kinds_are_apart() {
        for (place, name) in Kinds::NAMES.iter().enumerate() {
            let kind = Kinds::named(name).unwrap();
            assert!(kind.meets(Kinds(u8::MAX)));
            for other in &Kinds::NAMES[..place] {
                assert!(!kind.meets(Kinds::named(other).unwrap()), "{name} {other}");
            }
        }
        assert_eq!(Kinds::named("initial"), Some(Kinds::INITIAL));
        assert_eq!(Kinds::named("Fill"), None);
    }
}
