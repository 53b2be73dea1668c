//! Frames that wait: kept, replaced or merged, numbered, held, skipped and sent twice.

use super::*;
use crate::budget::Budget;
use crate::frame::{EventText, Levels, Words};
use crate::stepped::texts_of;
use crate::topic::{AccountFeed, MarketFeed, Pace};
use buttonwood_model::{AccountId, Side, SymbolId, Time};
use buttonwood_num::{Price, Qty};
use proptest::prelude::*;
use std::collections::BTreeMap;

const TRADES: Topic = Topic::Market(SymbolId(0), MarketFeed::Trades);
const TICKER: Topic = Topic::Market(SymbolId(0), MarketFeed::Ticker);
const DEPTH: Topic = Topic::Market(SymbolId(0), MarketFeed::Depth(Pace::AtOnce));
const OTHER: Topic = Topic::Market(SymbolId(1), MarketFeed::Depth(Pace::AtOnce));
const BALANCES: Topic = Topic::Account(AccountId(0), AccountFeed::Report(0, Pace::AtOnce));

fn frame(text: &str, waits: Waits) -> Arc<Frame> {
    Frame::of(format!("{{\"is\":\"{text}\"}}").into_bytes(), waits)
}

/// A difference that is worded as its levels: side, price, quantity.
fn difference(levels: &[(Side, u64, u64)]) -> Difference {
    let mut set = Levels::default();
    for (side, price, qty) in levels {
        set.set((*side, Price::from_ticks(*price), Qty::from_hundredths(u128::from(*qty))));
    }
    let word = |difference: &Difference| {
        let levels: Vec<String> = difference
            .levels
            .iter()
            .map(|(side, price, qty)| {
                format!("{}:{}:{}", u8::from(*side == Side::Buy), price.ticks(), qty.hundredths())
            })
            .collect();
        format!("{{\"is\":\"{}\"}}", levels.join(" ")).into_bytes()
    };
    let (after, to, time) = (0, 0, Time(0));
    Difference { after, to, time, levels: set.into_vec(), word: Words(Arc::new(word)) }
}

/// The content of the texts, without the JSON around it.
fn read(queue: &mut Queue, room: usize) -> Vec<String> {
    let mut buffer = Vec::new();
    queue.fill(&mut Frames::new(&mut buffer), room);
    // They are written.
    queue.fill(&mut Frames::new(&mut Vec::new()), 0);
    let inside = |text: String| text.replace("{\"is\":\"", "").replace("\"}", "").replace('"', "");
    texts_of(&buffer).into_iter().map(inside).collect()
}

fn all(queue: &mut Queue) -> Vec<String> {
    read(queue, usize::MAX)
}

/// An order event of a kind, a symbol and a session.
fn event(id: u64, kind: &str, symbol: &str, session: &str) -> Arc<EventText> {
    Arc::new(EventText {
        id,
        kind: Kinds::named(kind).unwrap(),
        symbol: symbol.to_owned(),
        session: session.into(),
        text: format!("{{\"e\":{id}").into_bytes(),
    })
}

fn filter(kinds: &[&str], symbols: &[&str], sessions: &[&str]) -> Filter {
    let bits = kinds.iter().map(|kind| Kinds::named(kind).unwrap().0).fold(0, |all, bit| all | bit);
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    Filter {
        kinds: Kinds(if kinds.is_empty() { u8::MAX } else { bits }),
        symbols: owned(symbols),
        sessions: owned(sessions),
    }
}

/// After 300 changes a stalled reader of a state and of differences gets one frame of each, and every frame of a sequence.
#[test]
fn a_stalled_reader_gets_a_handful_of_frames() {
    let mut queue = Queue::new(Numbering::Off);
    let mut most = 0;
    for change in 0..300_u64 {
        queue.push_of(TICKER, &frame(&format!("state {change}"), Waits::Instead));
        queue.push_of(DEPTH, &difference(&[(Side::Buy, 7, change + 1)]).frame());
        most = most.max(queue.bytes());
    }
    assert!(most < 64, "{most}");
    assert_eq!(all(&mut queue), ["state 299", "1:7:300"]);
    assert_eq!((queue.bytes(), queue.sent()), (0, 2));
    for change in 0..300 {
        queue.push_of(TRADES, &frame(&format!("trade {change}"), Waits::Behind));
    }
    let expected: Vec<String> = (0..300).map(|change| format!("trade {change}")).collect();
    assert_eq!(all(&mut queue), expected);
}

/// A frame that has left is not replaced: the next one of its topic waits on its own. Frames of other topics keep their places.
#[test]
fn a_frame_is_replaced_only_while_it_waits() {
    let mut queue = Queue::new(Numbering::Off);
    queue.push_of(TICKER, &frame("one", Waits::Instead));
    assert_eq!(all(&mut queue), ["one"]);
    queue.push_of(TRADES, &frame("trade", Waits::Behind));
    queue.push_of(TICKER, &frame("two", Waits::Instead));
    queue.push_of(TRADES, &frame("later", Waits::Behind));
    assert_eq!(read(&mut queue, 1), ["trade"]);
    queue.push_of(TICKER, &frame("three", Waits::Instead));
    assert_eq!(all(&mut queue), ["three", "later"]);
    queue.push_of(TICKER, &frame("four", Waits::Instead));
    queue.clear();
    assert_eq!(queue.bytes(), 0);
    queue.push_of(TICKER, &frame("five", Waits::Instead));
    assert_eq!(all(&mut queue), ["five"]);
}

/// Of two rows about the same, the later one is sent; the others stay.
#[test]
fn rows_replace_those_about_the_same() {
    let rows = |head: &str, rows: &[(u64, &str)]| {
        let rows = rows.iter().map(|(key, row)| (*key, row.as_bytes().to_vec())).collect();
        Rows { head: format!("{{\"h\":\"{head}\",\"B\":[").into_bytes(), rows }.frame()
    };
    let mut queue = Queue::new(Numbering::Off);
    queue.push_of(BALANCES, &rows("a", &[(1, "10"), (2, "20")]));
    queue.push_of(BALANCES, &rows("b", &[(2, "21"), (3, "30")]));
    assert_eq!(all(&mut queue), ["{h:b,B:[10,21,30]}"]);
    assert_eq!(queue.bytes(), 0);
}

/// Numbers of a socket have no gaps: each event of an array takes one, an acknowledgement none, a frame that a filter removes none.
#[test]
fn numbers_have_no_gaps() {
    let mut queue = Queue::new(Numbering::Socket).filtered(filter(&["fill"], &[], &[]));
    queue.push_own(frame("ack", Waits::Behind), false);
    queue.push_of(TRADES, &Frame::of_events(vec![event(1, "booked", "a", "k")]));
    let two = vec![event(2, "fill", "a", "k"), event(3, "booked", "a", "k"), event(4, "fill", "a", "k")];
    queue.push_of(TRADES, &Frame::of_events(two));
    queue.push_own(frame("beat", Waits::Behind), true);
    let expected = ["ack", "[{e:2,socket_sequence:0},{e:4,socket_sequence:1}]", "beat,socket_sequence:2}"];
    assert_eq!(all(&mut queue), expected);
    let mut queue = Queue::new(Numbering::Plain);
    for _ in 0..2 {
        queue.push_of(TRADES, &frame("t", Waits::Behind));
    }
    assert_eq!(all(&mut queue), ["t,sequence:0}", "t,sequence:1}"]);
}

/// A first frame is shared and does not count against the bound; an empty array is sent unless the reader wants no live orders.
#[test]
fn first_frames_do_not_count() {
    let initial = || Frame::of_events(vec![event(0, "initial", "a", "k")]);
    let mut queue = Queue::new(Numbering::Off).filtered(filter(&[], &[], &[]));
    queue.push_first(TRADES, vec![Frame::of_events(Vec::new()), initial()]);
    assert_eq!((queue.bytes(), queue.weight()), (0, initial().size()));
    assert_eq!(all(&mut queue), ["[]", "[{e:0}]"]);
    assert_eq!((queue.bytes(), queue.weight()), (0, 0));
    let mut queue = Queue::new(Numbering::Off).filtered(filter(&["fill"], &[], &[]));
    queue.push_first(TRADES, vec![Frame::of_events(Vec::new())]);
    assert_eq!(all(&mut queue), Vec::<String>::new());
}

/// First frames that are asked for once more while older ones of their topic wait count against the bound.
#[test]
fn repeated_first_frames_count() {
    let first = || frame("first", Waits::Behind);
    let mut queue = Queue::new(Numbering::Off);
    queue.push_first(TRADES, vec![first(), first()]);
    queue.push_first(TICKER, vec![first()]);
    assert_eq!(queue.bytes(), 0);
    queue.push_first(TRADES, vec![first()]);
    assert_eq!((queue.bytes(), queue.weight()), (first().size(), 4 * first().size()));
    assert_eq!(all(&mut queue).len(), 4);
    queue.push_first(TRADES, vec![first()]);
    assert_eq!(queue.bytes(), 0);
}

/// Changes before a first frame and changes after it are not merged: the first frame stands between them.
#[test]
fn nothing_is_merged_over_a_first_frame() {
    let mut queue = Queue::new(Numbering::Off);
    let change = |qty| difference(&[(Side::Buy, 7, qty)]).frame();
    queue.push_of(DEPTH, &change(1));
    queue.push_first(DEPTH, vec![frame("first", Waits::Behind)]);
    queue.push_of(DEPTH, &change(2));
    queue.push_of(DEPTH, &change(3));
    assert_eq!(all(&mut queue), ["1:7:1", "first", "1:7:3"]);
    queue.push_of(DEPTH, &change(4));
    queue.push_first(DEPTH, Vec::new());
    queue.push_of(DEPTH, &change(5));
    assert_eq!(all(&mut queue), ["1:7:4", "1:7:5"]);
}

/// Bytes that have left the queue count among those of all until the next frames are asked for: by then they are written.
#[test]
fn bytes_on_their_way_count() {
    let mut queue = Queue::new(Numbering::Off);
    queue.push_first(TRADES, vec![frame("first", Waits::Behind)]);
    assert_eq!(queue.own(), 0);
    let mut buffer = Vec::new();
    queue.fill(&mut Frames::new(&mut buffer), usize::MAX);
    assert_eq!((queue.bytes(), queue.own(), queue.weight()), (0, buffer.len(), buffer.len()));
    queue.clear();
    assert_eq!(queue.own(), buffer.len());
    queue.fill(&mut Frames::new(&mut Vec::new()), usize::MAX);
    assert_eq!((queue.own(), queue.weight()), (0, 0));
}

/// A frame that several queues share counts once among the bytes of all, until the last of them has sent it.
#[test]
fn shared_bytes_count_once() {
    let budget = Arc::new(Budget::new(10, 100));
    let shared = Frame::counted(frame("first", Waits::Behind), &budget);
    let size = shared.size();
    let mut queues = [(); 2].map(|()| Queue::new(Numbering::Off));
    for queue in &mut queues {
        queue.push_first(TRADES, vec![Arc::clone(&shared)]);
    }
    drop(shared);
    assert_eq!(budget.total(), size);
    let [one, other] = &mut queues;
    all(one);
    assert_eq!(budget.total(), size);
    other.clear();
    assert_eq!(budget.total(), 0);
}

/// While it is held nothing leaves. Then the missed events come first, and of those that waited only the later ones.
#[test]
fn missed_events_come_first_and_once() {
    let mut queue = Queue::new(Numbering::Socket).filtered(filter(&[], &[], &[]));
    queue.hold();
    queue.push_of(TRADES, &Frame::of_events(vec![event(4, "fill", "a", "k"), event(5, "closed", "a", "k")]));
    queue.push_of(TRADES, &Frame::of_events(vec![event(6, "accepted", "a", "k")]));
    assert_eq!(all(&mut queue), Vec::<String>::new());
    let missed = vec![event(3, "booked", "a", "k"), event(4, "fill", "a", "k")];
    queue.resume(vec![(frame("resumed", Waits::Behind), false), (Frame::of_events(missed), true)], 4);
    queue.push_of(TRADES, &Frame::of_events(vec![event(4, "fill", "a", "k")]));
    let expected = [
        "resumed",
        "[{e:3,socket_sequence:0},{e:4,socket_sequence:1}]",
        "[{e:5,socket_sequence:2}]",
        "[{e:6,socket_sequence:3}]",
    ];
    assert_eq!(all(&mut queue), expected);
    assert_eq!(queue.bytes(), 0);
    // The same for frames of one event, of the newest socket.
    let update = |id: u64| Frame::of_event(format!("{{\"is\":\"{id}\"}}").into_bytes(), id);
    let mut queue = Queue::new(Numbering::Off);
    queue.hold();
    for id in [4, 5] {
        queue.push_of(TRADES, &update(id));
    }
    queue.resume([3, 4].map(|id| (update(id), true)).to_vec(), 4);
    assert_eq!(all(&mut queue), ["3", "4", "5"]);
}

/// A held queue lets out what waited before; then an answer comes first, and events that were sent stay known.
#[test]
fn an_answer_comes_before_what_was_held() {
    let update = |id: u64| Frame::of_event(format!("{{\"is\":\"{id}\"}}").into_bytes(), id);
    let mut queue = Queue::new(Numbering::Off);
    queue.resume(Vec::new(), 3);
    queue.push_own(frame("before", Waits::Behind), true);
    queue.hold();
    queue.push_first(TRADES, vec![frame("first", Waits::Behind)]);
    queue.push_of(TRADES, &frame("later", Waits::Instead));
    assert_eq!(all(&mut queue), ["before"]);
    queue.resume(vec![(frame("answer", Waits::Behind), true)], 0);
    for id in [3, 4] {
        queue.push_of(TRADES, &update(id));
    }
    assert_eq!(all(&mut queue), ["answer", "first", "later", "4"]);
    // A frame that waits when it is held goes before the answer as well.
    queue.push_own(frame("before", Waits::Behind), true);
    queue.hold();
    queue.push_of(TRADES, &frame("later", Waits::Instead));
    queue.resume(vec![(frame("answer", Waits::Behind), true)], 0);
    assert_eq!(all(&mut queue), ["before", "answer", "later"]);
    // Dropped frames leave no place behind that would let held ones out.
    queue.push_own(frame("dropped", Waits::Behind), true);
    queue.hold();
    queue.clear();
    queue.push_of(TRADES, &frame("held", Waits::Behind));
    assert_eq!(all(&mut queue), Vec::<String>::new());
    queue.resume(Vec::new(), 0);
    assert_eq!(all(&mut queue), ["held"]);
}

/// A skipped frame takes its number and is not sent; one that is sent twice has one number.
#[test]
fn faults_skip_and_repeat_frames() {
    let mut queue = Queue::new(Numbering::Plain);
    let push = |queue: &mut Queue| queue.push_of(TRADES, &frame("t", Waits::Behind));
    queue.disturb(2, 1);
    (0..4).for_each(|_| push(&mut queue));
    assert_eq!(all(&mut queue), ["t,sequence:2}", "t,sequence:2}", "t,sequence:3}"]);
    assert_eq!(queue.sent(), 4);
}

/// A step of a queue of differences.
#[derive(Clone, Debug)]
enum Act {
    Change(bool, Vec<(Side, u64, u64)>),
    Read(usize),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let side = prop::sample::select(vec![Side::Buy, Side::Sell]);
    let levels = prop::collection::vec((side, 1_u64..6, 0_u64..4), 1..4);
    let act = prop_oneof![
        3 => (any::<bool>(), levels).prop_map(|(is_other, levels)| Act::Change(is_other, levels)),
        1 => (0_usize..200).prop_map(Act::Read),
    ];
    prop::collection::vec(act, 0..80)
}

type Quantities = BTreeMap<(bool, u64), u64>;

/// Applies the levels of a frame.
fn apply(book: &mut Quantities, text: &str) {
    for level in text.split(' ') {
        let mut numbers = level.split(':').map(|number| number.parse::<u64>().unwrap());
        let mut next = || numbers.next().unwrap();
        let (side, price, qty) = (next() == 1, next(), next());
        set(book, (side, price), qty);
    }
}

fn set(book: &mut Quantities, level: (bool, u64), qty: u64) {
    if qty == 0 {
        book.remove(&level)
    } else {
        book.insert(level, qty)
    };
}

proptest! {
    /// However slowly a reader reads, its book is the same after the last frame; the bytes that count are those of the frames that wait,
    /// of which each topic has one at most.
    #[test]
    fn merged_frames_give_the_same_book(acts in acts()) {
        let mut queue = Queue::new(Numbering::Off);
        let (mut books, mut known) = ([Quantities::new(), Quantities::new()], Quantities::new());
        // Prices of the second topic are beyond those of the first, so that one map holds both books.
        let shift = |is_other: bool, price: u64| if is_other { price + 100 } else { price };
        for act in acts {
            match act {
                Act::Change(is_other, levels) => {
                    let levels: Vec<_> =
                        levels.iter().map(|(side, price, qty)| (*side, shift(is_other, *price), *qty)).collect();
                    for (side, price, qty) in &levels {
                        set(&mut books[usize::from(is_other)], (*side == Side::Buy, *price), *qty);
                    }
                    let topic = if is_other { OTHER } else { DEPTH };
                    queue.push_of(topic, &difference(&levels).frame());
                }
                Act::Read(room) => read(&mut queue, room).iter().for_each(|text| apply(&mut known, text)),
            }
            prop_assert!(queue.items.len() <= 2);
            prop_assert_eq!(queue.bytes(), queue.items.iter().map(|item| item.bytes).sum::<usize>());
        }
        for text in all(&mut queue) {
            apply(&mut known, &text);
        }
        let [first, second] = books;
        prop_assert_eq!(known, first.into_iter().chain(second).collect::<Quantities>());
        prop_assert_eq!(queue.bytes(), 0);
    }

    /// A filter shows exactly the events of its kinds, symbols and sessions, in their order (EVT-012).
    #[test]
    fn a_filter_shows_its_events_alone(
        events in prop::collection::vec((0_usize..8, 0_usize..3, 0_usize..3), 0..20),
        kinds in prop::collection::vec(0_usize..8, 0..3),
        symbols in prop::collection::vec(0_usize..3, 0..2),
        sessions in prop::collection::vec(0_usize..3, 0..2),
    ) {
        let (names, keys) = (["btcusd", "ethusd", "solusd"], ["one", "two", "UI"]);
        let pick = |places: &[usize], of: &[&'static str]| -> Vec<&'static str> {
            places.iter().map(|place| of[*place]).collect()
        };
        let wanted = filter(&pick(&kinds, &Kinds::NAMES), &pick(&symbols, &names), &pick(&sessions, &keys));
        let mut queue = Queue::new(Numbering::Off).filtered(wanted);
        let mut expected = Vec::new();
        for (id, (kind, symbol, session)) in (1..).zip(&events) {
            let sees = |places: &[usize], place: &usize| places.is_empty() || places.contains(place);
            if sees(&kinds, kind) && sees(&symbols, symbol) && sees(&sessions, session) {
                expected.push(format!("[{{e:{id}}}]"));
            }
            let event = event(id, Kinds::NAMES[*kind], names[*symbol], keys[*session]);
            queue.push_of(TRADES, &Frame::of_events(vec![event]));
        }
        prop_assert_eq!(all(&mut queue), expected);
    }
}

/// The frames of a burst do not count against the bound, whichever of them waits, until more wait than the longest burst has.
#[test]
fn a_burst_counts_beyond_the_longest_alone() {
    let (mut queue, budget) = (Queue::new(Numbering::Off), Arc::new(Budget::new(1, 1)));
    let part = || Frame::counted(frame(&"x".repeat(1 << 20), Waits::Behind), &budget);
    let size = part().size();
    let most = BURST_BYTES / size;
    for _ in 0..most {
        queue.push_of(TRADES, &part());
    }
    assert_eq!((queue.bytes(), queue.weight(), budget.total()), (0, most * size, most * size));
    queue.push_of(TRADES, &part());
    assert_eq!(queue.bytes(), size);
    // As soon as its client has read one, the next has room again.
    read(&mut queue, 1);
    queue.push_of(TRADES, &part());
    assert_eq!(queue.bytes(), size);
    all(&mut queue);
    queue.push_of(TRADES, &frame("small", Waits::Behind));
    assert_eq!((queue.bytes(), budget.total()), (frame("small", Waits::Behind).size(), 0));
    queue.clear();
    assert_eq!((queue.bytes(), queue.weight()), (0, 0));
}
