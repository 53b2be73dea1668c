//! The topics of one symbol, and the frames that its changes make.

use crate::book::Book;
use crate::budget::Budget;
use crate::frame::{Difference, Frame, Levels, Merged, Words};
use crate::post::{First, Readers, ThreadId};
use crate::topic::{MarketFeed, Pace, Topic};
use crate::{fast_market, market_v1, market_v2};
use buttonwood_call::App;
use buttonwood_model::{Side, Stamp, Symbol, SymbolId};
use buttonwood_num::{Price, Qty};
use buttonwood_views::Happening;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// How long the hub keeps the book of a symbol that nobody reads: a client that comes and goes makes it load one no more often.
const LINGER: Duration = Duration::from_secs(1);

/// A symbol, as frames name it.
#[derive(Debug)]
pub(crate) struct Market {
    /// Its id.
    pub(crate) id: SymbolId,
    /// Its name in upper case.
    pub(crate) upper: String,
    /// The symbol.
    pub(crate) symbol: Symbol,
}

/// All that a command did to one symbol.
#[derive(Debug)]
pub(crate) struct Change<'a> {
    /// The command.
    pub(crate) stamp: Stamp,
    /// The place of the first of these among what the command did.
    pub(crate) place: usize,
    /// All that it did to the symbol.
    pub(crate) happenings: Vec<&'a Happening>,
}

/// A topic's readers, and what waits for its interval.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    pub(crate) readers: Readers,
    /// The frame that waits; it replaces or extends the one before.
    waiting: Option<Waiting>,
    /// No frame is sent before this moment.
    next: Option<Instant>,
    /// The first frames that were worded last, for as long as a socket keeps them.
    firsts: Option<Firsts>,
}

/// First frames as of a command, which all who ask for them at that number share.
#[derive(Debug)]
struct Firsts {
    at: u64,
    wanted: First,
    frames: Vec<Weak<Frame>>,
}

impl Firsts {
    /// These frames, if they are those wanted and a socket keeps them.
    fn shared(&self, at: u64, wanted: First) -> Option<Vec<Arc<Frame>>> {
        let frames = self.frames.iter().map(Weak::upgrade);
        frames.collect::<Option<Vec<_>>>().filter(|_| (self.at, self.wanted) == (at, wanted))
    }
}

#[derive(Debug)]
enum Waiting {
    /// The state at that moment is sent.
    State,
    Difference(Merged),
}

impl Waiting {
    fn is_difference(&self) -> bool {
        matches!(self, Self::Difference(_))
    }
}

/// The topics of one symbol.
#[derive(Debug)]
pub(crate) struct Watched {
    market: Arc<Market>,
    pub(crate) book: Book,
    feeds: BTreeMap<MarketFeed, Reading>,
    l2: Words,
    depth: Words,
    /// Since when nobody reads it.
    idle_since: Option<Instant>,
}

impl Watched {
    /// The topics of a symbol that nobody reads yet.
    pub(crate) fn load(app: &App, id: SymbolId) -> Self {
        let symbol = app.current_names().symbol(id).clone();
        let market = Arc::new(Market { id, upper: symbol.name.to_ascii_uppercase(), symbol });
        let book = Book::load(&app.exchange.views(), id);
        let (l2, depth) = (market_v2::words(&market), fast_market::words(&market));
        Self { market, book, feeds: BTreeMap::new(), l2, depth, idle_since: None }
    }

    /// Whether somebody reads it, or did until a moment ago.
    pub(crate) fn is_wanted(&mut self, now: Instant) -> bool {
        if !self.feeds.is_empty() {
            self.idle_since = None;
            return true;
        }
        now.saturating_duration_since(*self.idle_since.get_or_insert(now)) < LINGER
    }

    /// All topics with their readers.
    pub(crate) fn readers(&self) -> impl Iterator<Item = (Topic, &Readers)> {
        self.feeds.iter().map(|(feed, reading)| (Topic::Market(self.market.id, *feed), &reading.readers))
    }

    /// Reads what first frames of a feed show besides the book. They can be worded once the hub has been told of the command that this
    /// returns; later ones are in them already.
    pub(crate) fn prepare(&mut self, app: &App, feed: MarketFeed) -> u64 {
        match feed {
            MarketFeed::L2 | MarketFeed::Ticker => self.book.recall(app, self.market.id),
            MarketFeed::V1(_)
            | MarketFeed::Candles(_)
            | MarketFeed::Mark
            | MarketFeed::Funding
            | MarketFeed::Levels(..)
            | MarketFeed::Depth(_)
            | MarketFeed::Trades => 0,
        }
    }

    /// Adds a reader, if it is new, and returns its first frames, and as of which command they are: `at`, or a later one. Who asks for the
    /// same frames shares them.
    pub(crate) fn subscribe(
        &mut self,
        (app, budget): (&App, &Arc<Budget>),
        at: u64,
        (thread, feed): (ThreadId, MarketFeed),
        wanted: First,
        is_new: bool,
    ) -> (u64, Vec<Arc<Frame>>) {
        let reading = self.feeds.entry(feed).or_default();
        if is_new {
            reading.readers.change(thread, true);
        }
        if let Some(shared) = reading.firsts.as_ref().and_then(|firsts| firsts.shared(at, wanted)) {
            return (at, shared);
        }
        let (at, worded) = self.first(app, at, feed, wanted);
        let frames: Vec<_> = worded.into_iter().map(|frame| Frame::counted(frame, budget)).collect();
        if feed.is_of_book()
            && let Some(reading) = self.feeds.get_mut(&feed)
        {
            reading.firsts = Some(Firsts { at, wanted, frames: frames.iter().map(Arc::downgrade).collect() });
        }
        (at, frames)
    }

    /// Sends the changes of a feed that wait for its interval, so that a first frame which is sent now fits the next ones.
    pub(crate) fn send_waiting(&mut self, feed: MarketFeed, send: impl FnOnce(&Readers, Arc<Frame>)) {
        let Some(reading) = self.feeds.get_mut(&feed) else { return };
        if let Some(Waiting::Difference(merged)) = reading.waiting.take_if(|waiting| waiting.is_difference())
        {
            send(&reading.readers, merged.into_difference().frame());
        }
    }

    /// Removes a reader.
    pub(crate) fn unsubscribe(&mut self, thread: ThreadId, feed: MarketFeed) {
        if let Some(reading) = self.feeds.get_mut(&feed) {
            reading.readers.change(thread, false);
            if reading.readers.is_empty() {
                self.feeds.remove(&feed);
            }
        }
    }

    /// Begins anew with the book as it is now: changes were missed, and the sockets of all readers close.
    pub(crate) fn reload(&mut self, app: &App) {
        self.book = Book::load(&app.exchange.views(), self.market.id);
        for reading in self.feeds.values_mut() {
            (reading.waiting, reading.firsts) = (None, None);
        }
    }

    fn first(&self, app: &App, at: u64, feed: MarketFeed, wanted: First) -> (u64, Vec<Arc<Frame>>) {
        let (market, book) = (&*self.market, &self.book);
        let frames = match feed {
            MarketFeed::V1(options) => vec![market_v1::first(market, options, book, at)],
            MarketFeed::L2 => vec![market_v2::first_l2(market, book)],
            MarketFeed::Candles(spelling) => {
                let now = app.now();
                market_v2::candles(market, spelling, &app.exchange.views(), now, true).into_iter().collect()
            }
            MarketFeed::Mark => {
                let views = app.exchange.views();
                let (contract, stamp) = (views.state().perps().contract(market.id), views.state().stamp());
                let frame = contract.map(|contract| market_v2::mark(market, contract.mark, stamp.time));
                return (at.max(stamp.seq.0), frame.into_iter().collect());
            }
            MarketFeed::Funding => {
                let (now, views) = (app.now(), app.exchange.views());
                let cut = views.state().perps().funding_amount(market.id);
                let cut = cut.map(|hour| market_v2::funding(market, hour, true, hour.hour));
                let frames = cut.into_iter().chain([market_v2::estimate(market, &views, now)]).collect();
                return (at.max(views.state().stamp().seq.0), frames);
            }
            MarketFeed::Depth(_) => match wanted {
                First::Levels(limit) => vec![fast_market::first_depth(market, book, limit, app.now())],
                First::Usual | First::None => Vec::new(),
            },
            MarketFeed::Ticker => vec![fast_market::ticker(market, book, app.now())],
            MarketFeed::Levels(limit, _) => vec![fast_market::levels(market, book, limit)],
            MarketFeed::Trades => Vec::new(),
        };
        (at, frames)
    }

    /// Applies a change, and gives each frame that it makes at once to `send`.
    pub(crate) fn change(
        &mut self,
        app: &App,
        change: &Change<'_>,
        mut send: impl FnMut(Topic, &Readers, Arc<Frame>),
    ) {
        let seq = change.stamp.seq.0;
        if seq <= self.book.loaded {
            return;
        }
        let (before, after) = (self.book.tops(), self.book.changed);
        for happening in &change.happenings {
            self.book.note(seq, happening);
        }
        let now = self.book.tops();
        let levels = levels_of(change);
        let difference = |word: &Words| Difference {
            after,
            to: seq,
            time: change.stamp.time,
            levels: levels.clone(),
            word: word.clone(),
        };
        let has_levels = !levels.is_empty();
        let Self { market, book, feeds, l2, depth, .. } = self;
        for (feed, reading) in feeds {
            let mut frames: Vec<Arc<Frame>> = Vec::new();
            match feed {
                MarketFeed::V1(options) => {
                    frames.extend(market_v1::frame(market, *options, change, (before, now)));
                }
                MarketFeed::L2 => {
                    frames.extend(market_v2::trades(market, change));
                    if has_levels {
                        frames.push(difference(l2).frame());
                    }
                }
                MarketFeed::Candles(spelling) if has_trade(change) => {
                    frames.extend(market_v2::candles(
                        market,
                        *spelling,
                        &app.exchange.views(),
                        change.stamp.time,
                        false,
                    ));
                }
                MarketFeed::Mark => frames.extend(marks(market, change)),
                MarketFeed::Funding => frames.extend(fundings(app, market, change)),
                MarketFeed::Depth(Pace::AtOnce) if has_levels => frames.push(difference(depth).frame()),
                MarketFeed::Depth(Pace::Millis(_)) if has_levels => reading.add(&difference(depth)),
                MarketFeed::Ticker if has_trade(change) || before != now => {
                    frames.push(fast_market::ticker(market, book, change.stamp.time));
                }
                MarketFeed::Levels(..) if has_levels => reading.waiting = Some(Waiting::State),
                MarketFeed::Trades => frames.extend(fast_market::trades(market, change)),
                MarketFeed::Candles(_)
                | MarketFeed::Depth(_)
                | MarketFeed::Ticker
                | MarketFeed::Levels(..) => {}
            }
            let topic = Topic::Market(market.id, *feed);
            for frame in frames {
                send(topic, &reading.readers, frame);
            }
        }
    }

    /// Sends what has waited for its interval. Returns when the next frame is due.
    pub(crate) fn flush(
        &mut self,
        now: Instant,
        mut send: impl FnMut(Topic, &Readers, Arc<Frame>),
    ) -> Option<Instant> {
        let mut soonest: Option<Instant> = None;
        for (feed, reading) in &mut self.feeds {
            if reading.waiting.is_none() {
                continue;
            }
            if let Some(next) = reading.next.filter(|next| *next > now) {
                soonest = Some(soonest.map_or(next, |soonest| soonest.min(next)));
                continue;
            }
            let frame = match (reading.waiting.take(), feed) {
                (Some(Waiting::Difference(merged)), _) => Some(merged.into_difference().frame()),
                (Some(Waiting::State), MarketFeed::Levels(limit, _)) => {
                    Some(fast_market::levels(&self.market, &self.book, *limit))
                }
                (Some(Waiting::State) | None, _) => None,
            };
            reading.next = feed.pace().interval().and_then(|interval| now.checked_add(interval));
            let topic = Topic::Market(self.market.id, *feed);
            if let Some(frame) = frame {
                send(topic, &reading.readers, frame);
            }
        }
        soonest
    }
}

impl Reading {
    fn add(&mut self, later: &Difference) {
        if let Some(Waiting::Difference(merged)) = &mut self.waiting {
            merged.add(later);
        } else {
            self.waiting = Some(Waiting::Difference(Merged::of(later)));
        }
    }
}

/// The frames of new mark prices.
fn marks(market: &Market, change: &Change<'_>) -> Vec<Arc<Frame>> {
    let frame = |happening: &&Happening| {
        let Happening::Mark(_, mark) = happening else { return None };
        Some(market_v2::mark(market, *mark, change.stamp.time))
    };
    change.happenings.iter().filter_map(frame).collect()
}

/// The frames of hours of funding that were cut, and of the next one, which changes with each mark price.
fn fundings(app: &App, market: &Market, change: &Change<'_>) -> Vec<Arc<Frame>> {
    let time = change.stamp.time;
    let frame = |happening: &&Happening| {
        if let Happening::Funding(_, hour) = happening {
            return Some(market_v2::funding(market, *hour, true, time));
        }
        let is_mark = matches!(happening, Happening::Mark(..));
        is_mark.then(|| market_v2::estimate(market, &app.exchange.views(), time))
    };
    change.happenings.iter().filter_map(frame).collect()
}

fn has_trade(change: &Change<'_>) -> bool {
    change.happenings.iter().any(|happening| matches!(happening, Happening::Trade(_)))
}

/// The levels that a command changed, each with its last quantity: bids first, in each side the best.
fn levels_of(change: &Change<'_>) -> Vec<(Side, Price, Qty)> {
    let mut levels = Levels::default();
    for happening in &change.happenings {
        if let Happening::Level(level) = happening {
            levels.set((level.side, level.price, level.now));
        }
    }
    levels.into_vec()
}
