//! Sockets of slow clients: what waits for them is bounded, and the others read on.

use super::*;
use crate::queue::Numbering;
use crate::stepped::texts_of;
use crate::topic::MarketFeed;
use buttonwood_model::SymbolId;
use crossbeam_utils::sync::Parker;

const TRADES: Topic = Topic::Market(SymbolId(0), MarketFeed::Trades);
const TICKER: Topic = Topic::Market(SymbolId(0), MarketFeed::Ticker);

struct Rig {
    local: Rc<Local>,
    budget: Arc<Budget>,
    registry: Arc<Registry>,
    asks: Arc<Asks>,
}

impl Rig {
    fn new(of_socket: usize, total: usize) -> Self {
        let asks = Arc::new(Asks::new(Parker::new().unparker().clone()));
        let registry = Arc::<Registry>::default();
        let local = Local::new(ThreadId(0), &asks, &registry);
        Self { local, budget: Arc::new(Budget::new(of_socket, total)), registry, asks }
    }

    /// A socket that reads a topic and has had its first frame.
    fn reader(&self, id: u64, topic: Topic) -> Membership {
        let (id, link) = (SocketId(id), Rc::<Link>::default());
        let about = (StreamKind::Fast, None, false);
        let queue = Queue::new(Numbering::Off);
        let membership = Rc::clone(&self.local).enter(id, link, queue, Arc::clone(&self.budget), about);
        membership.member().subscribe(topic, First::Usual);
        self.first(id, topic, "first");
        read(&membership);
        membership
    }

    /// The first frame of the last subscription.
    fn first(&self, socket: SocketId, topic: Topic, text: &str) {
        self.first_of(socket, (self.local.numbers.get(), topic), text);
    }

    fn first_of(&self, socket: SocketId, (number, topic): (u64, Topic), text: &str) {
        let frame = Frame::of(format!("{{\"t\":\"{text}\"}}").into_bytes(), Waits::Behind);
        self.post(Post::First(Subscription { socket, number, topic }, vec![frame]));
    }

    fn post(&self, post: Post) {
        self.local.postbox.put(&mut vec![post]);
        self.local.distribute_now();
    }

    fn send(&self, topic: Topic, text: &str, waits: Waits) {
        self.post(Post::All(topic, Frame::of(format!("{{\"t\":\"{text}\"}}").into_bytes(), waits)));
    }
}

fn read(membership: &Membership) -> Vec<String> {
    let mut buffer = Vec::new();
    membership.member().fill(&mut Frames::new(&mut buffer), usize::MAX);
    // They are written.
    membership.member().fill(&mut Frames::new(&mut Vec::new()), 0);
    texts_of(&buffer)
}

/// The client of a sequence that does not read is cut off at its bound; one that reads gets every frame.
#[test]
fn a_slow_reader_is_closed_and_the_other_reads_on() {
    let rig = Rig::new(100, 10_000);
    let (slow, quick) = (rig.reader(1, TRADES), rig.reader(2, TRADES));
    let mut frames = 0;
    for _ in 0..50 {
        rig.send(TRADES, "trade", Waits::Behind);
        assert!(slow.member().queued() <= 100);
        frames += read(&quick).len();
    }
    assert_eq!((frames, quick.member().is_over()), (50, false));
    assert_eq!(slow.member().link.closing(), Some(Code::Policy));
    assert_eq!((slow.member().queued(), rig.budget.total()), (0, 0));
    assert_eq!(read(&slow), Vec::<String>::new());
}

/// Beyond the bound of all sockets the one with the longest queue is closed.
#[test]
fn the_longest_queue_makes_room() {
    let rig = Rig::new(1_000, 300);
    let (long, short) = (rig.reader(1, TRADES), rig.reader(2, TICKER));
    for step in 0..40 {
        rig.send(TRADES, "trade", Waits::Behind);
        rig.send(TICKER, &format!("state {step}"), Waits::Instead);
        assert!(rig.budget.total() <= 300, "{}", rig.budget.total());
    }
    assert!(long.member().is_over() && !short.member().is_over());
    assert_eq!(read(&short), [r#"{"t":"state 39"}"#]);
    assert_eq!(rig.budget.total(), 0);
}

/// Frames before the first one of a subscription, and after its end, are not sent.
#[test]
fn a_reader_gets_what_comes_after_its_first_frame() {
    let rig = Rig::new(1_000, 1_000);
    let (id, about) = (SocketId(9), (StreamKind::Fast, None, false));
    let queue = Queue::new(Numbering::Off);
    let socket = Rc::clone(&rig.local).enter(id, Rc::default(), queue, Arc::clone(&rig.budget), about);
    let member = socket.member();
    member.subscribe(TRADES, First::Usual);
    rig.send(TRADES, "early", Waits::Behind);
    rig.first(id, TRADES, "first");
    rig.send(TRADES, "later", Waits::Behind);
    rig.send(TICKER, "other", Waits::Instead);
    assert_eq!(read(&socket), [r#"{"t":"first"}"#, r#"{"t":"later"}"#]);
    assert!(member.unsubscribe(TRADES) && !member.unsubscribe(TRADES));
    rig.send(TRADES, "late", Waits::Behind);
    rig.first(id, TRADES, "late");
    assert_eq!(read(&socket), Vec::<String>::new());
}

/// Each request for first frames gets them once. Those of a subscription that has ended do not begin the one after it.
#[test]
fn first_frames_are_those_of_their_subscription() {
    let rig = Rig::new(1_000, 1_000);
    let (id, about) = (SocketId(9), (StreamKind::Fast, None, false));
    let queue = Queue::new(Numbering::Off);
    let socket = Rc::clone(&rig.local).enter(id, Rc::default(), queue, Arc::clone(&rig.budget), about);
    let member = socket.member();
    member.subscribe(TRADES, First::Usual);
    member.subscribe(TRADES, First::Usual);
    for text in ["one", "two", "unasked"] {
        rig.first(id, TRADES, text);
    }
    assert_eq!(read(&socket), [r#"{"t":"one"}"#, r#"{"t":"two"}"#]);
    member.unsubscribe(TRADES);
    member.subscribe(TRADES, First::Usual);
    rig.first_of(id, (1, TRADES), "old");
    rig.send(TRADES, "early", Waits::Behind);
    rig.first_of(id, (2, TRADES), "new");
    assert_eq!(read(&socket), [r#"{"t":"new"}"#]);
}

/// The list of sockets shows what waits; a socket that ends leaves it, its topics and its bytes.
#[test]
fn a_socket_that_ends_leaves_nothing() {
    let rig = Rig::new(1_000, 1_000);
    let reader = rig.reader(4, TRADES);
    rig.send(TRADES, "trade", Waits::Behind);
    let bytes = u64::try_from(reader.member().queued()).unwrap();
    let shown = |socket: &buttonwood_call::OpenSocket| (socket.connection, socket.sent, socket.queued_bytes);
    assert_eq!(rig.registry.list().iter().map(shown).collect::<Vec<_>>(), [(4, 1, bytes)]);
    rig.asks.take();
    drop(reader);
    assert!(rig.registry.list().is_empty() && rig.local.readers.borrow().is_empty());
    assert_eq!(rig.budget.total(), 0);
    assert!(matches!(rig.asks.take()[..], [Ask::Unsubscribe(ThreadId(0), TRADES)]));
}

/// Readers of a topic of which frames were lost are closed.
#[test]
fn lost_frames_close_their_readers() {
    let rig = Rig::new(1_000, 1_000);
    let (hit, spared) = (rig.reader(1, TRADES), rig.reader(2, TICKER));
    let waits = Rc::clone(&rig.local).enter(
        SocketId(3),
        Rc::default(),
        Queue::new(Numbering::Off),
        Arc::clone(&rig.budget),
        (StreamKind::Fast, None, false),
    );
    waits.member().subscribe(TRADES, First::Usual);
    rig.post(Post::Lost(TRADES));
    let is_over = |socket: &Membership| socket.member().is_over();
    assert_eq!((is_over(&hit), is_over(&spared), is_over(&waits)), (true, false, true));
}
