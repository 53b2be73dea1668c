//! Readers of streams beside random traders: some read at once, some seldom, some never; sockets are opened, closed and resumed, and the
//! exchange ends at any call of its disk.
//!
//! The frames come from the product's own hub and queues ([`buttonwood_stream::stepped`]). Laws: the book that a reader of any generation
//! builds is the core's; each order event comes once, in order, to its own account alone, over crashes too; nothing is told before it is
//! durable (INV-ACK-1); the bytes that wait stay within their bounds.

mod app;
mod client;
mod truth;

use crate::check::Finding;
use crate::disk::{Faulty, Trouble};
use crate::memory;
use crate::scene::{FOUNDED, Scene};
use buttonwood_call::App;
use buttonwood_engine::houses;
use buttonwood_model::{AccountId, GroupId, SessionId, SymbolId, Time};
use buttonwood_oracle::Dice;
use buttonwood_sequencer::Fault;
use buttonwood_stream::Bounds;
use buttonwood_stream::stepped::{Stepped, Stream};
use buttonwood_views::history::Resumed;
use client::Client;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};
use truth::Truth;

/// Lines of trace that are kept.
const TRACE: usize = 1_000;

/// Sockets that are open at most.
const CLIENTS: usize = 24;

/// Figures of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamsTally {
    /// Commands in the journal at the end.
    pub commands: u64,
    /// Ends of the process.
    pub crashes: u64,
    /// Sockets.
    pub opened: u64,
    /// Frames that were read.
    pub frames: u64,
    /// Order events that were read.
    pub events: u64,
    /// Readers that were given the events that they had missed.
    pub resumed: u64,
    /// Sockets that the exchange closed, since their clients read too slowly.
    pub closed: u64,
    /// Comparisons of a reader that has read everything.
    pub compared: u64,
}

impl StreamsTally {
    /// Adds the figures of another run.
    pub fn add(&mut self, other: &Self) {
        self.commands += other.commands;
        self.crashes += other.crashes;
        self.opened += other.opened;
        self.frames += other.frames;
        self.events += other.events;
        self.resumed += other.resumed;
        self.closed += other.closed;
        self.compared += other.compared;
    }
}

/// A running process, and the sockets of its clients. It ends in this order.
struct Process {
    clients: Vec<Client>,
    streams: Stepped,
    app: Arc<App>,
    stepped: buttonwood_sequencer::Stepped,
}

/// The streams of a seed.
pub struct Streams {
    dice: Dice,
    scene: Scene,
    bounds: Bounds,
    disk: Faulty,
    process: Option<Process>,
    truth: Truth,
    now: Time,
    /// Real time at the founding, and since then.
    began: Instant,
    elapsed: Duration,
    tally: StreamsTally,
    trace: VecDeque<String>,
}

impl Streams {
    /// The run of a seed, before it begins.
    pub fn new(seed: u64) -> Self {
        let mut dice = Dice::seeded(seed);
        let scene = Scene::drawn(&mut dice);
        let (socket_bytes, total_bytes) =
            dice.pick(&[(1 << 20, 256 << 20), (64 << 10, 256 << 10), (4 << 10, 16 << 10)]);
        Self {
            dice,
            scene,
            bounds: Bounds { socket_bytes, total_bytes },
            disk: Faulty::new(seed),
            process: None,
            truth: Truth::new(seed),
            now: FOUNDED,
            began: Instant::now(),
            elapsed: Duration::ZERO,
            tally: StreamsTally::default(),
            trace: VecDeque::new(),
        }
    }

    /// Runs for so many steps, and then compares all readers.
    ///
    /// # Errors
    /// The first law that does not hold.
    pub fn run(&mut self, steps: u64) -> Result<StreamsTally, Finding> {
        self.boot(Vec::new())?;
        for _ in 0..steps {
            self.step()?;
        }
        self.settle()?;
        self.tally.commands = self.truth.seq();
        for client in self.process.take().into_iter().flat_map(|process| process.clients) {
            self.tally.frames += client.frames();
            self.tally.events += u64::try_from(client.ids.len()).expect("few events");
        }
        Ok(self.tally)
    }

    /// The disk, for inspection after a finding.
    pub fn disk(&self) -> &Faulty {
        &self.disk
    }

    /// The latest lines of the trace.
    pub fn trace(&self) -> impl Iterator<Item = &str> {
        self.trace.iter().map(String::as_str)
    }

    fn note(&mut self, line: String) {
        if self.trace.len() == TRACE {
            self.trace.pop_front();
        }
        self.trace.push_back(line);
    }

    fn process(&mut self) -> &mut Process {
        self.process.as_mut().expect("it runs between two steps")
    }

    fn step(&mut self) -> Result<(), Finding> {
        match self.dice.below(100) {
            0..40 => self.submit()?,
            40..62 => self.commit()?,
            62..76 => self.turn()?,
            76..88 => self.read()?,
            88..92 => self.open()?,
            92 => self.close(),
            93..95 => self.resume()?,
            95 => self.care()?,
            96..98 => self.settle()?,
            98 => self.order_fault(),
            _ if self.dice.once_in(4) => self.crash()?,
            _ => {}
        }
        if self.has_ended() { self.crash() } else { Ok(()) }
    }

    fn has_ended(&self) -> bool {
        matches!(self.disk.blown(), Some(Trouble::Kill | Trouble::PowerCut))
    }

    fn order_fault(&mut self) {
        let after = self.dice.below(12);
        let trouble = self.dice.pick(&[Trouble::PowerCut, Trouble::Kill, Trouble::Error, Trouble::Error]);
        self.note(format!("ordered {trouble:?} after {after} calls"));
        self.disk.arm(after, trouble);
    }

    fn submit(&mut self) -> Result<(), Finding> {
        for _ in 0..=self.dice.below(3) {
            let process = self.process.as_mut().expect("it runs between two steps");
            let command = self.scene.deal(&process.stepped.state());
            self.now = self.now.plus(self.dice.below(2_000_000));
            let exchange = process.stepped.exchange();
            if exchange.advance(self.now).is_err() || exchange.submit(command).is_err() {
                return self.commit();
            }
        }
        Ok(())
    }

    /// The writer's turn, and the committer's until nothing waits.
    fn commit(&mut self) -> Result<(), Finding> {
        let elapsed = Duration::from_micros(self.now.0 - FOUNDED.0);
        let process = self.process();
        process.stepped.decide(elapsed);
        loop {
            match process.stepped.commit() {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err(fault) => return self.fell(&fault),
            }
        }
    }

    /// The process must end. Until it does, its other threads go on: what they send now must be durable as well.
    fn fell(&mut self, fault: &Fault) -> Result<(), Finding> {
        if self.disk.blown().is_none() {
            return Err(format!("it fell without a reason: {fault}"));
        }
        self.note(format!("it falls: {fault}"));
        if !matches!(fault, Fault::Diverged { .. } | Fault::Poison(_)) {
            self.turn()?;
            self.read_all()?;
        }
        self.crash()
    }

    /// A turn of the hub and of the serving thread.
    fn turn(&mut self) -> Result<(), Finding> {
        self.elapsed += Duration::from_millis(self.dice.below(400));
        let now = self.began + self.elapsed;
        let (bounds, process) = (self.bounds, self.process());
        let seq = process.app.exchange.views().state().stamp().seq.0;
        for client in &mut process.clients {
            client.since.get_or_insert(seq);
        }
        process.streams.turn(now);
        let queued: usize = process.clients.iter().map(|client| client.reader.queued()).sum();
        let counted = process.streams.counted();
        if queued > counted {
            return Err(format!("{queued} bytes wait, and {counted} are counted"));
        }
        // Beyond the bound sockets are closed until nothing waits for any.
        if counted > bounds.total_bytes && process.clients.iter().any(|client| client.reader.weight() > 0) {
            return Err(format!("{counted} bytes are counted, {} may be", bounds.total_bytes));
        }
        let longest = process.clients.iter().map(|client| client.reader.queued()).max();
        if longest.is_some_and(|longest| longest > bounds.socket_bytes) {
            return Err(format!("{longest:?} bytes wait for one client"));
        }
        Ok(())
    }

    /// Every client reads as it does.
    fn read(&mut self) -> Result<(), Finding> {
        let process = self.process.as_mut().expect("it runs between two steps");
        for client in &mut process.clients {
            let (seldom, room) = client.reads;
            if self.dice.once_in(seldom) {
                client.read(room)?;
            }
        }
        self.reopen_closed()
    }

    fn read_all(&mut self) -> Result<(), Finding> {
        self.process().clients.iter_mut().try_for_each(|client| client.read(usize::MAX))
    }

    /// Clients whose sockets were closed come back.
    fn reopen_closed(&mut self) -> Result<(), Finding> {
        let process = self.process();
        let (closed, open): (Vec<_>, Vec<_>) =
            std::mem::take(&mut process.clients).into_iter().partition(|client| client.reader.is_closed());
        process.clients = open;
        self.tally.closed += u64::try_from(closed.len()).expect("few clients");
        for client in closed {
            self.come_back(client);
        }
        Ok(())
    }

    /// A client opens its socket again. One that knows an event waits for those that it missed.
    fn come_back(&mut self, client: Client) {
        self.tally.opened += 1;
        self.tally.frames += client.frames();
        let stream = client.reader.stream();
        let is_known = client.known().is_some();
        if !is_known {
            self.tally.events += u64::try_from(client.ids.len()).expect("few events");
        }
        let process = self.process();
        let client = if is_known {
            let reader = process.streams.reopen(stream);
            client.again(reader)
        } else {
            Client::new(process.streams.open(stream), client.reads)
        };
        process.clients.push(client);
    }

    fn open(&mut self) -> Result<(), Finding> {
        if self.process().clients.len() >= CLIENTS {
            return Ok(());
        }
        let stream = self.some_stream();
        let reads = (self.dice.pick(&[1, 1, 4, 60]), self.dice.pick(&[1, 2_000, usize::MAX]));
        self.note(format!("opened {stream:?}, which reads {reads:?}"));
        self.tally.opened += 1;
        let reader = self.process().streams.open(stream);
        self.process().clients.push(Client::new(reader, reads));
        Ok(())
    }

    fn some_stream(&mut self) -> Stream {
        let (symbols, accounts, sessions) = {
            let process = self.process.as_ref().expect("it runs between two steps");
            let views = process.app.exchange.views();
            let (state, access) = (views.state(), views.state().access());
            (state.symbols().len(), access.accounts().len(), access.sessions().len())
        };
        let mut below =
            |count: usize| u32::try_from(self.dice.below(u64::try_from(count).expect("few"))).expect("few");
        let (symbol, account) = (SymbolId(below(symbols)), AccountId(below(accounts)));
        let session = SessionId(below(sessions.max(1)));
        let is_customer = usize::try_from(account.0).is_ok_and(|account| account >= houses().count());
        match self.dice.below(15) {
            0 | 1 => Stream::MarketV1(symbol),
            2 => Stream::L2(symbol),
            3 => Stream::Depth(symbol, None),
            4 => Stream::Depth(symbol, Some(100)),
            5 => Stream::Levels(symbol, self.dice.pick(&[5, 10, 20]), self.dice.pick(&[100, 1_000])),
            6 => Stream::Ticker(symbol),
            7 | 8 => Stream::OrderEvents(account),
            9 => Stream::GroupEvents(GroupId(0)),
            10 => Stream::Orders(account, None),
            11 => Stream::Trades(symbol),
            // No client reads the balances of the house.
            12 | 13 if is_customer => Stream::Balances(account, self.dice.pick(&[None, Some(1_000)])),
            _ => Stream::Orders(account, Some(session)),
        }
    }

    fn close(&mut self) {
        let count = u64::try_from(self.process().clients.len()).expect("few clients");
        if count == 0 {
            return;
        }
        let at = usize::try_from(self.dice.below(count)).expect("few clients");
        let client = self.process().clients.swap_remove(at);
        self.note(format!("closed {:?}", client.reader.stream()));
        self.tally.frames += client.frames();
        self.tally.events += u64::try_from(client.ids.len()).expect("few events");
    }

    /// Clients that came back get the events that they missed.
    fn resume(&mut self) -> Result<(), Finding> {
        self.turn()?;
        // Between the subscription and the query, more may happen.
        if self.dice.once_in(2) {
            self.submit()?;
            self.commit()?;
            if self.has_ended() {
                return Ok(());
            }
            self.turn()?;
        }
        let process = self.process.as_mut().expect("it runs between two steps");
        let views = process.app.exchange.views();
        for client in process.clients.iter_mut().filter(|client| client.is_held) {
            let (account, after) = client.known().ok_or("only a client that knows an event resumes")?;
            let live = |order| views.live_with_broken(order);
            let missed =
                memory::told(&views, |history| history.order_events_after(account, after, 100_000, live))?;
            let Resumed::Missed(missed) = missed else {
                return Err(format!("event {after:?} of {account:?} is not known"));
            };
            process.streams.resume(&client.reader, after, &missed);
            client.is_held = false;
            self.tally.resumed += 1;
        }
        Ok(())
    }

    /// Turns of the threads that prepare segments and make snapshots. They may fail with the disk.
    fn care(&mut self) -> Result<(), Finding> {
        let process = self.process();
        let prepared = process.stepped.prepare();
        let made = process.stepped.checkpoint().map(drop);
        match prepared.and(made) {
            Err(fault) if self.disk.blown().is_none() => Err(format!("a disk without faults: {fault}")),
            Err(_) => self.crash(),
            Ok(()) => Ok(()),
        }
    }

    /// Everything is committed, sent and read: each client knows what its stream promises.
    fn settle(&mut self) -> Result<(), Finding> {
        self.commit()?;
        if self.has_ended() {
            return Ok(());
        }
        self.resume()?;
        if self.has_ended() {
            return Ok(());
        }
        // Sockets that are closed now come back with a later step.
        self.turn()?;
        self.read_all()?;
        self.elapsed += Duration::from_secs(2);
        self.turn()?;
        self.read_all()?;
        let process = self.process.as_ref().expect("it runs between two steps");
        let views = process.app.exchange.views();
        self.truth.follow(&self.disk, views.state().stamp().seq.0)?;
        for client in process.clients.iter().filter(|client| !client.reader.is_closed() && !client.is_held) {
            client.check_all(&self.truth, &views)?;
            self.tally.compared += 1;
        }
        Ok(())
    }

    /// The end of the process, and the next start.
    fn crash(&mut self) -> Result<(), Finding> {
        self.tally.crashes += 1;
        let clients = self.process.take().map(|process| process.clients).unwrap_or_default();
        if self.disk.blown() == Some(Trouble::PowerCut) || self.dice.once_in(2) {
            self.disk.cut_power(&mut self.dice);
        } else {
            self.disk.kill();
        }
        self.note("crash".to_owned());
        self.boot(clients)
    }

    /// Starts; the clients of the last process come back.
    fn boot(&mut self, clients: Vec<Client>) -> Result<(), Finding> {
        self.now = self.now.plus(self.dice.below(Time::SECOND));
        let stepped = self.scene.boot(&self.disk, self.now);
        let stepped = stepped.map_err(|fault| format!("it cannot be started: {fault}"))?;
        let app = app::app(stepped.exchange());
        let streams = Stepped::new(Arc::clone(&app), self.bounds);
        self.truth.restarted();
        {
            let views = app.exchange.views();
            self.truth.follow(&self.disk, views.state().stamp().seq.0)?;
            clients.iter().try_for_each(|client| client.check_told(&self.truth, views.state()))?;
        }
        self.process = Some(Process { clients: Vec::new(), streams, app, stepped });
        for client in clients {
            self.come_back(client);
        }
        Ok(())
    }
}
