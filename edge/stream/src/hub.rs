//! The hub: words what happened, once for all readers of a topic, and hands the frames to the serving threads.
//!
//! It has the books of all symbols that somebody reads, as of the last command that it was told of. First frames come from
//! these books, so that a first frame and the frames after it always fit.

use crate::budget::Budget;
use crate::contracts::Contracts;
use crate::frame::Frame;
use crate::personal::Personal;
use crate::post::{Ask, Asks, First, Post, Postbox, Readers, Subscription, ThreadId};
use crate::topic::Topic;
use crate::watched::{Change, Watched};
use buttonwood_call::App;
use buttonwood_model::SymbolId;
use buttonwood_sequencer::{AbortOnPanic, Listener};
use buttonwood_views::{Happening, Told};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long the hub sleeps at most.
const SLEEP: Duration = Duration::from_secs(1);

/// The posts that wait for a serving thread's postbox.
#[derive(Debug, Default)]
struct Outgoing {
    postbox: Arc<Postbox>,
    posts: Vec<Post>,
}

/// The hub's state.
#[derive(Debug)]
pub(crate) struct Hub {
    app: Arc<App>,
    listener: Listener,
    asks: Arc<Asks>,
    /// Wishes that are to be granted, the oldest first.
    pending: VecDeque<Ask>,
    budget: Arc<Budget>,
    threads: Vec<Outgoing>,
    symbols: HashMap<SymbolId, Watched>,
    personal: Personal,
    contracts: Contracts,
    is_listening: bool,
    /// The last command that it was told of.
    seq: u64,
    /// First frames as of a later command: they are sent once the hub has come there.
    deferred: Vec<(u64, ThreadId, Post)>,
}

impl Hub {
    /// A hub without readers.
    pub(crate) fn new(app: Arc<App>, listener: Listener, asks: Arc<Asks>, budget: Arc<Budget>) -> Self {
        Self {
            app,
            listener,
            asks,
            pending: VecDeque::new(),
            budget,
            threads: Vec::new(),
            symbols: HashMap::new(),
            personal: Personal::default(),
            contracts: Contracts::default(),
            is_listening: false,
            seq: 0,
            deferred: Vec::new(),
        }
    }

    /// Runs until the exchange stops.
    pub(crate) fn run(mut self) {
        let _end = AbortOnPanic("streams");
        let mut sleep = SLEEP;
        loop {
            self.listener.wait(sleep);
            let now = Instant::now();
            let Some(due) = self.turn(now) else { return };
            sleep = due.saturating_duration_since(now);
        }
    }

    /// Hears what happened, grants what was asked for, and hands the frames to the serving threads. Returns when the next turn is due at
    /// the latest; none once the exchange stops.
    pub(crate) fn turn(&mut self, now: Instant) -> Option<Instant> {
        let heard = self.listener.take();
        if heard.has_missed {
            self.lose_all();
        }
        heard.batches.iter().for_each(|told| self.tell(told));
        self.pending.extend(self.asks.take());
        if self.pending.iter().any(|ask| matches!(ask, Ask::Stop)) {
            self.listener.open(false);
            return None;
        }
        while let Some(ask) = self.pending.pop_front() {
            if !self.is_ready(&ask) {
                self.pending.push_front(ask);
                break;
            }
            self.grant(ask);
        }
        self.rest(now);
        let latest = now + SLEEP;
        let due = self.flush(now).map_or(latest, |due| due.min(latest));
        for outgoing in &mut self.threads {
            outgoing.postbox.put(&mut outgoing.posts);
        }
        Some(due)
    }

    /// Words what a batch did.
    fn tell(&mut self, told: &Told) {
        // First frames have all that was published before the hub began to listen.
        let known = self.seq;
        for (stamp, happenings) in told.commands().filter(|(stamp, _)| stamp.seq.0 > known) {
            // A first frame goes before the frames of later commands.
            self.send_deferred(stamp.seq.0.saturating_sub(1));
            let mut symbols: Vec<SymbolId> = Vec::new();
            for (place, symbol) in happenings.iter().map(Happening::market).enumerate() {
                let Some(symbol) = symbol.filter(|symbol| !symbols.contains(symbol)) else { continue };
                symbols.push(symbol);
                let Some(watched) = self.symbols.get_mut(&symbol) else { continue };
                let happenings =
                    happenings.iter().filter(|happening| happening.market() == Some(symbol)).collect();
                let threads = &mut self.threads;
                watched.change(&self.app, &Change { stamp, place, happenings }, |topic, readers, frame| {
                    post(threads, readers, topic, &frame);
                });
            }
            if happenings.contains(&Happening::Contracts) {
                self.tell_contracts();
            }
            let threads = &mut self.threads;
            self.personal.tell((&self.app, &self.budget), happenings, |topic, readers, frame| {
                post(threads, readers, topic, &frame);
            });
        }
        self.seq = self.seq.max(told.through());
        self.send_deferred(self.seq);
    }

    /// Words the changes of contracts.
    fn tell_contracts(&mut self) {
        if self.contracts.readers.is_empty() {
            return;
        }
        let threads = &mut self.threads;
        let (views, now) = (self.app.exchange.views(), self.app.exchange.now());
        for frame in self.contracts.changed(&views, now) {
            post(threads, &self.contracts.readers, Topic::ContractStatus, &frame);
        }
    }

    /// Sends the first frames as of commands up to this one.
    fn send_deferred(&mut self, reached: u64) {
        for (_, thread, post) in self.deferred.extract_if(.., |(at, ..)| *at <= reached) {
            if let Some(outgoing) = self.threads.get_mut(thread.0) {
                outgoing.posts.push(post);
            }
        }
    }

    /// Sends the frames whose interval is over; returns when the next ones are due.
    fn flush(&mut self, now: Instant) -> Option<Instant> {
        let threads = &mut self.threads;
        let flushed = self.symbols.values_mut().filter_map(|watched| {
            watched.flush(now, |topic, readers, frame| post(threads, readers, topic, &frame))
        });
        let soonest = flushed.min();
        let held = self.deferred.iter().filter_map(|(.., post)| post.topic()).collect();
        let threads = &mut self.threads;
        let personal = self
            .personal
            .flush(&self.app, now, &held, |topic, readers, frame| post(threads, readers, topic, &frame));
        soonest.into_iter().chain(personal).min()
    }

    /// Whether an ask can be granted now: a first frame with the newest trades waits until the hub has been told of them, and what was
    /// asked for later waits behind it.
    fn is_ready(&mut self, ask: &Ask) -> bool {
        let Ask::Subscribe { subscription: Subscription { topic: Topic::Market(symbol, feed), .. }, .. } =
            ask
        else {
            return true;
        };
        self.listen();
        let app = &self.app;
        let watched = self.symbols.entry(*symbol).or_insert_with(|| Watched::load(app, *symbol));
        watched.prepare(app, *feed) <= self.seq
    }

    /// Begins to listen, if nobody has read anything until now.
    fn listen(&mut self) {
        if !self.is_listening {
            self.is_listening = true;
            self.listener.open(true);
            // A batch that is published from here on is told.
            self.seq = self.app.exchange.views().state().stamp().seq.0;
        }
    }

    fn grant(&mut self, ask: Ask) {
        match ask {
            Ask::Thread(thread, postbox) => {
                while self.threads.len() <= thread.0 {
                    self.threads.push(Outgoing::default());
                }
                if let Some(outgoing) = self.threads.get_mut(thread.0) {
                    outgoing.postbox = postbox;
                }
            }
            Ask::Subscribe { thread, subscription, first, is_new } => {
                self.subscribe(thread, subscription, first, is_new);
            }
            Ask::Unsubscribe(thread, topic) => self.unsubscribe(thread, topic),
            Ask::Stop => {}
        }
    }

    fn subscribe(&mut self, thread: ThreadId, subscription: Subscription, first: First, is_new: bool) {
        self.listen();
        let app = &self.app;
        let (at, frames) = match subscription.topic {
            Topic::Market(symbol, feed) => {
                let watched = self.symbols.entry(symbol).or_insert_with(|| Watched::load(app, symbol));
                let threads = &mut self.threads;
                watched
                    .send_waiting(feed, |readers, frame| post(threads, readers, subscription.topic, &frame));
                let at = watched.book.loaded.max(self.seq);
                watched.subscribe((app, &self.budget), at, (thread, feed), first, is_new)
            }
            Topic::ContractStatus => {
                self.contracts.subscribe(&app.exchange.views(), thread, is_new);
                (self.seq, Vec::new())
            }
            Topic::Account(account, feed) => {
                let views = app.exchange.views();
                let at = views.state().stamp().seq.0;
                (at, self.personal.subscribe(app, views, (thread, account, feed), first, is_new))
            }
            Topic::Group(group) => {
                let views = app.exchange.views();
                let at = views.state().stamp().seq.0;
                (at, self.personal.subscribe_group(app, views, (thread, group), first, is_new))
            }
        };
        // Those of markets are counted already.
        let counted = |frame| Frame::counted(frame, &self.budget);
        let frames = match subscription.topic {
            Topic::Market(..) => frames,
            Topic::Account(..) | Topic::Group(_) | Topic::ContractStatus => {
                frames.into_iter().map(counted).collect()
            }
        };
        self.deferred.push((at, thread, Post::First(subscription, frames)));
        self.send_deferred(self.seq);
    }

    fn unsubscribe(&mut self, thread: ThreadId, topic: Topic) {
        match topic {
            Topic::Market(symbol, feed) => {
                if let Some(watched) = self.symbols.get_mut(&symbol) {
                    watched.unsubscribe(thread, feed);
                }
            }
            Topic::ContractStatus => self.contracts.readers.change(thread, false),
            Topic::Account(account, feed) => self.personal.unsubscribe(thread, account, feed),
            Topic::Group(group) => self.personal.unsubscribe_group(thread, group),
        }
    }

    /// Forgets symbols that nobody reads any more, and stops to listen once nobody reads anything.
    fn rest(&mut self, now: Instant) {
        self.symbols.retain(|_, watched| watched.is_wanted(now));
        let is_idle = self.symbols.is_empty() && self.personal.is_idle() && self.contracts.readers.is_empty();
        if is_idle && self.is_listening && self.pending.is_empty() {
            self.is_listening = false;
            self.listener.open(false);
        }
    }

    /// Batches were dropped: every reader has missed some, also one whose first frame is still to come.
    fn lose_all(&mut self) {
        self.deferred.clear();
        let symbols = self.symbols.values().flat_map(Watched::readers);
        for (topic, readers) in
            symbols.chain(self.personal.readers()).chain([(Topic::ContractStatus, &self.contracts.readers)])
        {
            for thread in readers.threads() {
                if let Some(outgoing) = self.threads.get_mut(thread) {
                    outgoing.posts.push(Post::Lost(topic));
                }
            }
        }
        self.symbols.values_mut().for_each(|watched| watched.reload(&self.app));
    }
}

/// Gives a frame to all threads with a reader.
fn post(threads: &mut [Outgoing], readers: &Readers, topic: Topic, frame: &Arc<Frame>) {
    for thread in readers.threads() {
        if let Some(outgoing) = threads.get_mut(thread) {
            outgoing.posts.push(Post::All(topic, Arc::clone(frame)));
        }
    }
}
