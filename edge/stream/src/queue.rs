//! The frames that wait for one socket: bounded, and for topics of states and differences a handful, however slow the client.

use crate::frame::{Difference, Frame, Kinds, Merged, Rows, Waits};
use crate::topic::Topic;
use buttonwood_http::Frames;
use buttonwood_num::push_u64;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Bytes of bursts that may wait for one socket beyond its bound: the two events of each of the 10,000 live orders that an account may have,
/// at 1,600 bytes an event.
pub(crate) const BURST_BYTES: usize = 32 << 20;

/// The number that a socket adds to its frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbering {
    /// None.
    Off,
    /// `socket_sequence`, of the first generation.
    Socket,
    /// `sequence`, of the second.
    Plain,
}

impl Numbering {
    fn field(self) -> Option<&'static str> {
        match self {
            Self::Off => None,
            Self::Socket => Some(",\"socket_sequence\":"),
            Self::Plain => Some(",\"sequence\":"),
        }
    }
}

/// A frame that waits.
#[derive(Debug)]
struct Item {
    /// Its topic, unless it is a first frame or one of the socket alone.
    topic: Option<Topic>,
    /// The topic of a first frame.
    first_of: Option<Topic>,
    frame: Arc<Frame>,
    /// All that came since: it is worded with the frame when that leaves.
    later: Option<Later>,
    /// Bytes that count against the bound.
    bytes: usize,
    /// Bytes that do not, since they are those of a burst.
    burst: usize,
    /// All its bytes.
    weight: usize,
    is_numbered: bool,
}

impl Item {
    /// A frame whose bytes count.
    fn new(topic: Option<Topic>, frame: Arc<Frame>, is_numbered: bool) -> Self {
        let bytes = frame.size();
        Self { topic, first_of: None, frame, later: None, bytes, burst: 0, weight: bytes, is_numbered }
    }

    /// Brings a frame up to date with a newer one of its topic.
    fn renew(&mut self, frame: &Arc<Frame>) {
        match (self.later.take(), &self.frame.waits, &frame.waits) {
            (Some(Later::Merged(mut merged)), _, Waits::Merged(later)) => {
                self.weight += grow(&mut merged, later, frame);
                self.later = Some(Later::Merged(merged));
            }
            (None, Waits::Merged(earlier), Waits::Merged(later)) => {
                let mut merged = Merged::of(earlier);
                self.weight += grow(&mut merged, later, frame);
                self.later = Some(Later::Merged(merged));
            }
            (Some(Later::Rows(mut rows)), _, Waits::Rows(later)) => {
                rows.add(later);
                self.weight = rows.size();
                self.later = Some(Later::Rows(rows));
            }
            (None, Waits::Rows(earlier), Waits::Rows(later)) => {
                let mut rows = Rows::clone(earlier);
                rows.add(later);
                self.weight = rows.size();
                self.later = Some(Later::Rows(rows));
            }
            (_, Waits::Behind | Waits::Instead | Waits::Merged(_) | Waits::Rows(_), _) => {
                self.weight = frame.size();
                self.frame = Arc::clone(frame);
            }
        }
        self.bytes = self.weight;
    }

    /// The frame with all that came since.
    fn whole(&mut self) -> Arc<Frame> {
        match self.later.take() {
            None => Arc::clone(&self.frame),
            Some(Later::Merged(merged)) => merged.into_difference().frame(),
            Some(Later::Rows(rows)) => rows.frame(),
        }
    }
}

/// Newer frames of a topic, merged into the one that waits.
#[derive(Debug)]
enum Later {
    Merged(Merged),
    Rows(Rows),
}

/// Merges a difference, and returns about how many bytes the text grows.
fn grow(merged: &mut Merged, later: &Difference, frame: &Frame) -> usize {
    let before = merged.len();
    merged.add(later);
    (merged.len() - before) * frame.size().div_ceil(later.levels.len().max(1))
}

/// The queue of a socket.
#[derive(Debug)]
pub(crate) struct Queue {
    items: VecDeque<Item>,
    /// How many items have left the queue.
    left: u64,
    /// The place, counted from the first item ever, of the waiting frame of each topic whose frames do not wait behind each other.
    waiting: HashMap<Topic, u64>,
    /// How many first frames of each topic wait.
    firsts: HashMap<Topic, usize>,
    bytes: usize,
    /// Bytes of bursts that wait and do not count against the bound.
    burst: usize,
    weight: usize,
    /// Bytes that have left the queue and may not be written yet.
    leaving: usize,
    numbering: Numbering,
    number: u64,
    sent: u64,
    filter: Option<Filter>,
    /// The place, counted from the first item ever, from which on nothing leaves for now.
    held: Option<u64>,
    /// Events of orders up to this one were sent already.
    known: u64,
    /// Frames that are to be skipped, and sent twice, for a test.
    skip: u64,
    duplicate: u64,
}

/// The events of orders that a reader sees: of these kinds, and of these symbols and sessions where it names some (EVT-012).
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    /// The kinds.
    pub(crate) kinds: Kinds,
    /// Symbols, in lower case; all where there is none.
    pub(crate) symbols: Vec<String>,
    /// Sessions, by the names of their keys; all where there is none.
    pub(crate) sessions: Vec<String>,
}

impl Queue {
    /// An empty queue.
    pub(crate) fn new(numbering: Numbering) -> Self {
        Self {
            items: VecDeque::new(),
            left: 0,
            waiting: HashMap::new(),
            firsts: HashMap::new(),
            bytes: 0,
            burst: 0,
            weight: 0,
            leaving: 0,
            numbering,
            number: 0,
            sent: 0,
            filter: None,
            held: None,
            known: 0,
            skip: 0,
            duplicate: 0,
        }
    }

    /// Bytes that count against the bound.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// All bytes that it keeps: those that wait, also where other queues share them, and those that may not be written yet.
    pub(crate) fn weight(&self) -> usize {
        self.weight + self.leaving
    }

    /// Bytes that it keeps alone.
    pub(crate) fn own(&self) -> usize {
        self.bytes + self.leaving
    }

    /// Frames that have left.
    pub(crate) fn sent(&self) -> u64 {
        self.sent
    }

    /// Adds a frame of the socket alone. `is_numbered` takes a number of the socket.
    pub(crate) fn push_own(&mut self, frame: Arc<Frame>, is_numbered: bool) {
        self.push(Item::new(None, frame, is_numbered));
    }

    /// The same queue of a reader who sees only some events of orders.
    pub(crate) fn filtered(self, filter: Filter) -> Self {
        Self { filter: Some(filter), ..self }
    }

    /// Adds the first frames of a topic. They do not count against the bound, unless older ones of the topic still wait: a client that
    /// reads nothing may not ask for them again and again.
    pub(crate) fn push_first(&mut self, topic: Topic, frames: Vec<Arc<Frame>>) {
        // Nothing that comes from here on may go before them.
        self.waiting.remove(&topic);
        let counts = self.firsts.contains_key(&topic);
        for frame in frames {
            let Some(frame) = self.seen(frame, true) else { continue };
            let mut item = Item { first_of: Some(topic), ..Item::new(None, frame, true) };
            if !counts {
                item.bytes = 0;
            }
            self.push(item);
        }
    }

    /// Adds a frame of a topic, or brings the frame of the topic that waits up to date.
    pub(crate) fn push_of(&mut self, topic: Topic, frame: &Arc<Frame>) {
        let Some(frame) = &self.seen(Arc::clone(frame), false) else { return };
        let place = match frame.waits {
            Waits::Behind => None,
            Waits::Instead | Waits::Merged(_) | Waits::Rows(_) => {
                self.waiting.get(&topic).and_then(|at| at.checked_sub(self.left))
            }
        };
        let place = place.and_then(|place| usize::try_from(place).ok());
        let older = place.and_then(|place| self.items.get_mut(place));
        let Some(older) = older else {
            return self.push_behind(topic, frame);
        };
        let (bytes, weight) = (self.bytes - older.bytes, self.weight - older.weight);
        older.renew(frame);
        (self.bytes, self.weight) = (bytes + older.bytes, weight + older.weight);
    }

    /// Adds a frame of a topic behind all others. A frame of a burst does not count against the bound, while no more bytes of bursts wait than
    /// the longest has: its client had no time to read it.
    fn push_behind(&mut self, topic: Topic, frame: &Arc<Frame>) {
        let mut item = Item::new(Some(topic), Arc::clone(frame), true);
        if frame.is_counted() && self.burst + item.bytes <= BURST_BYTES {
            (item.burst, item.bytes) = (item.bytes, 0);
        }
        self.push(item);
    }

    /// A frame as this reader sees it; none if it sees nothing of it. A first array of events may be empty.
    fn seen(&self, frame: Arc<Frame>, is_first: bool) -> Option<Arc<Frame>> {
        if !frame.text.is_empty() {
            let is_known = (1..=self.known).contains(&frame.event);
            return (!is_known).then_some(frame);
        }
        let Some(filter) = &self.filter else { return Some(frame) };
        if is_first && !Kinds::INITIAL.meets(filter.kinds) {
            return None;
        }
        let events: Vec<_> = frame
            .events
            .iter()
            .filter(|event| {
                event.kind.meets(filter.kinds)
                    && !(1..=self.known).contains(&event.id)
                    && (filter.symbols.is_empty() || filter.symbols.contains(&event.symbol))
                    && (filter.sessions.is_empty()
                        || filter.sessions.iter().any(|session| **session == *event.session))
            })
            .map(Arc::clone)
            .collect();
        if events.len() == frame.events.len() && (is_first || !events.is_empty()) {
            return Some(frame);
        }
        (is_first || !events.is_empty()).then(|| frame.part(events))
    }

    fn push(&mut self, item: Item) {
        if let (Some(topic), false) = (item.topic, matches!(item.frame.waits, Waits::Behind)) {
            let place = self.left + u64::try_from(self.items.len()).unwrap_or(0);
            self.waiting.insert(topic, place);
        }
        if let Some(topic) = item.first_of {
            self.waiting.remove(&topic);
            *self.firsts.entry(topic).or_default() += 1;
        }
        self.bytes += item.bytes;
        self.burst += item.burst;
        self.weight += item.weight;
        self.items.push_back(item);
    }

    /// Moves frames to a buffer while it holds fewer than `room` bytes. Those that were moved before are written.
    pub(crate) fn fill(&mut self, out: &mut Frames<'_>, room: usize) {
        let before = out.len();
        self.move_to(out, room);
        self.leaving = out.len() - before;
    }

    fn move_to(&mut self, out: &mut Frames<'_>, room: usize) {
        while out.len() < room
            && self.held.is_none_or(|place| self.left < place)
            && let Some(mut item) = self.items.pop_front()
        {
            self.note_left(&item);
            self.sent += 1;
            let text = self.worded(&item.whole(), item.is_numbered);
            if self.skip > 0 {
                self.skip -= 1;
                continue;
            }
            out.push(&[&text]);
            if self.duplicate > 0 {
                self.duplicate -= 1;
                out.push(&[&text]);
            }
        }
    }

    fn note_left(&mut self, item: &Item) {
        if let Some(topic) = item.topic
            && self.waiting.get(&topic) == Some(&self.left)
        {
            self.waiting.remove(&topic);
        }
        if let Some(topic) = item.first_of
            && let Some(count) = self.firsts.get_mut(&topic)
        {
            *count -= 1;
            if *count == 0 {
                self.firsts.remove(&topic);
            }
        }
        self.left += 1;
        self.bytes -= item.bytes;
        self.burst -= item.burst;
        self.weight -= item.weight;
    }

    /// The whole text of a frame, with the socket's numbers.
    fn worded(&mut self, frame: &Frame, is_numbered: bool) -> Vec<u8> {
        if frame.text.is_empty() {
            return self.array(frame);
        }
        let mut text = Vec::with_capacity(frame.text.len() + 32);
        text.extend_from_slice(&frame.text);
        if let Some(field) = self.numbering.field().filter(|_| is_numbered) {
            text.extend_from_slice(field.as_bytes());
            push_u64(&mut text, self.number);
            self.number += 1;
        }
        text.push(b'}');
        text
    }

    /// An array of events, each with a number of its own.
    fn array(&mut self, frame: &Frame) -> Vec<u8> {
        let field = self.numbering.field();
        let mut text = Vec::with_capacity(frame.size() + 32 * frame.events.len() + 2);
        text.push(b'[');
        for (place, event) in frame.events.iter().enumerate() {
            if place > 0 {
                text.push(b',');
            }
            text.extend_from_slice(&event.text);
            if let Some(field) = field {
                text.extend_from_slice(field.as_bytes());
                push_u64(&mut text, self.number);
                self.number += 1;
            }
            text.push(b'}');
        }
        text.push(b']');
        text
    }

    /// Lets what waits leave, and nothing more until [`Queue::resume`].
    pub(crate) fn hold(&mut self) {
        self.held = Some(self.left + u64::try_from(self.items.len()).unwrap_or(0));
    }

    /// Lets frames leave: what waited already, then these, then what came since, without the events of orders up to `known`.
    pub(crate) fn resume(&mut self, first: Vec<(Arc<Frame>, bool)>, known: u64) {
        let before = self.held.take().map_or(0, |place| place.saturating_sub(self.left));
        let mut waiting = std::mem::take(&mut self.items);
        let since = waiting.split_off(usize::try_from(before).unwrap_or(usize::MAX).min(waiting.len()));
        self.clear();
        for item in waiting {
            self.push(item);
        }
        for (frame, is_numbered) in first {
            if !is_numbered {
                self.push_own(frame, false);
            } else if let Some(frame) = self.seen(frame, false) {
                // The bytes count among those of all queues, not against this one's bound.
                self.push(Item { bytes: 0, ..Item::new(None, frame, is_numbered) });
            }
        }
        self.known = self.known.max(known);
        for mut item in since {
            match item.topic {
                Some(topic) => self.push_of(topic, &item.whole()),
                None => self.push(item),
            }
        }
    }

    /// Skips so many frames, or sends them twice, for a test.
    pub(crate) fn disturb(&mut self, skip: u64, duplicate: u64) {
        self.skip += skip;
        self.duplicate += duplicate;
    }

    /// Drops everything.
    pub(crate) fn clear(&mut self) {
        self.items = VecDeque::new();
        self.waiting = HashMap::new();
        self.firsts = HashMap::new();
        (self.bytes, self.burst, self.weight) = (0, 0, 0);
        // Dropped items have no place any more.
        self.held = self.held.map(|_| self.left);
    }
}

#[cfg(test)]
mod tests;
