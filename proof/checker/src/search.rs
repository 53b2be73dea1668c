//! The search for a legal order: depth first. It never visits the same set of operations in the same state twice.
//!
//! An operation may come next if no remaining one was answered before it was sent. An operation that fits now and
//! changes nothing is taken at once: if it is legal later, it is legal here. Accepted placements are taken in the
//! order of their ids. An operation without a reply may happen until the exchange was dead, or never. It must happen
//! if a reply shows its order, and is left out if replies show that it did not happen (`lost`).

use std::collections::HashSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use crate::exchange::Exchange;
use crate::lost;
use crate::names::Names;
use crate::nonces;
use crate::operation::{History, Request};
use crate::reply::Reply;

/// The search gives up after this many configurations.
const CONFIGURATIONS: usize = 1_000_000;

/// An operation to be placed in the order.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    at: usize,
    invoked: u64,
    /// The latest time at which it can have happened.
    latest: u64,
    /// Whether it must happen.
    must: bool,
}

/// How far a failed search came.
#[derive(Debug, Default)]
pub(crate) struct Stuck {
    /// The longest legal sequence found.
    pub(crate) explained: Vec<usize>,
    /// The operations that could come next but do not fit, the most urgent first. Each has the reply that would be
    /// correct, or `None` for an order whose id is not due yet.
    pub(crate) misfits: Vec<(usize, Option<Reply>)>,
}

/// The result of a search.
#[derive(Debug)]
pub(crate) enum Found {
    /// A legal order.
    Order(Vec<usize>),
    /// There is none.
    None(Stuck),
    /// The search is too large.
    GaveUp(Stuck),
}

/// A point in the search to return to.
struct Frame {
    path: usize,
    mark: usize,
    first: usize,
    placed: usize,
    newest: u64,
    choices: std::vec::IntoIter<usize>,
}

pub(crate) struct Search<'h> {
    exchange: Exchange<'h>,
    /// Sorted by the time they were sent.
    candidates: Vec<Candidate>,
    /// Placements with an id, sorted by id.
    placements: Vec<usize>,
    must: usize,
    done: Vec<bool>,
    done_hash: u64,
    /// The candidates that happened, in order.
    path: Vec<usize>,
    /// Number of operations taken that must happen.
    met: usize,
    /// All candidates before this one are taken, or need not happen.
    first: usize,
    /// Number of placements taken.
    placed: usize,
    /// The latest sending time of the operations taken.
    newest: u64,
    visited: HashSet<(u64, u64)>,
    stuck: Option<Stuck>,
}

impl<'h> Search<'h> {
    pub(crate) fn new(history: &'h History, names: &'h Names) -> Self {
        let mut candidates: Vec<Candidate> =
            (0..history.operations.len()).filter_map(|at| candidate(history, names, at)).collect();
        candidates.sort_by_key(|candidate| (candidate.invoked, candidate.at));
        Self {
            exchange: Exchange::open(history, names),
            placements: names.by_id().collect(),
            must: candidates.iter().filter(|candidate| candidate.must).count(),
            done: vec![false; candidates.len()],
            candidates,
            done_hash: 0,
            path: Vec::new(),
            met: 0,
            first: 0,
            placed: 0,
            newest: 0,
            visited: HashSet::new(),
            stuck: None,
        }
    }

    /// Number of configurations visited.
    pub(crate) fn configurations(&self) -> usize {
        self.visited.len()
    }

    pub(crate) fn run(&mut self) -> Found {
        let mut frames = vec![self.frame()];
        loop {
            if self.met == self.must {
                return Found::Order(self.operations());
            }
            if self.visited.len() > CONFIGURATIONS {
                return Found::GaveUp(self.stuck.take().unwrap_or_default());
            }
            let Some(frame) = frames.last_mut() else {
                return Found::None(self.stuck.take().unwrap_or_default());
            };
            let next = frame.choices.next();
            self.return_to(frame);
            match next {
                Some(choice) => {
                    if self.step(choice) {
                        frames.push(self.frame());
                    }
                }
                None => {
                    self.note_dead_end();
                    frames.pop();
                }
            }
        }
    }

    /// Takes all harmless operations, and lists the other possible next ones, unless this configuration was visited
    /// before.
    fn frame(&mut self) -> Frame {
        while self.take_harmless() {}
        let is_new = self.visited.insert((self.done_hash, self.exchange.state.hash()));
        let mut choices = if is_new { self.window() } else { Vec::new() };
        let urgency = |at: &usize| self.candidates.get(*at).map(|one| (!one.must, one.latest));
        choices.sort_by_key(urgency);
        Frame {
            path: self.path.len(),
            mark: self.exchange.state.mark(),
            first: self.first,
            placed: self.placed,
            newest: self.newest,
            choices: choices.into_iter(),
        }
    }

    /// The candidates that may come next according to their times.
    fn window(&self) -> Vec<usize> {
        let mut window = Vec::new();
        let mut soonest = u64::MAX;
        for (place, candidate) in self.candidates.iter().enumerate().skip(self.first) {
            if candidate.invoked > soonest {
                break;
            }
            if self.is_open(place) {
                window.push(place);
                if candidate.must {
                    soonest = soonest.min(candidate.latest);
                }
            }
        }
        window
    }

    /// Takes one operation that fits now and changes nothing, unless that would exclude one without a reply.
    fn take_harmless(&mut self) -> bool {
        let window = self.window();
        let one = |place: &usize| self.candidates.get(*place).copied();
        let closing = window.iter().filter_map(one).filter(|candidate| !candidate.must);
        let closing = closing.map(|candidate| candidate.latest).min().unwrap_or(u64::MAX);
        window.into_iter().any(|place| {
            let Some(candidate) = self.candidates.get(place).copied() else { return false };
            if !candidate.must || candidate.invoked >= closing || self.has_a_moment(candidate.at) {
                return false;
            }
            let mark = self.exchange.state.mark();
            let fits = self.fits(candidate.at);
            if fits && !self.exchange.state.has_changed(mark) {
                self.take(place, candidate);
                return true;
            }
            self.exchange.state.rewind(mark);
            false
        })
    }

    /// Whether an operation may have to wait though it fits: its id has a turn, or its reply does not say which orders it ended.
    fn has_a_moment(&self, at: usize) -> bool {
        let request = &self.exchange.operation(at).request;
        let ends_orders = matches!(request, Request::Key(_, change) if change.cancels());
        ends_orders || self.names(at)
    }

    /// Whether an operation placed an order that has an id.
    fn names(&self, at: usize) -> bool {
        self.exchange.names.id(at).is_some()
    }

    /// Applies an operation if it fits.
    fn step(&mut self, place: usize) -> bool {
        let Some(candidate) = self.candidates.get(place).copied() else { return false };
        if self.names(candidate.at) {
            if self.placements.get(self.placed) != Some(&candidate.at) {
                return false;
            }
            self.placed += 1;
        }
        let mark = self.exchange.state.mark();
        let fits = self.fits(candidate.at) && (candidate.must || self.exchange.state.has_changed(mark));
        if fits {
            self.take(place, candidate);
        }
        fits
    }

    fn fits(&mut self, at: usize) -> bool {
        let expected = self.exchange.apply(at);
        match self.exchange.history.operations.get(at).and_then(|operation| operation.answer.as_ref()) {
            Some((_, reply)) => *reply == expected,
            None => !self.names(at) || matches!(expected, Reply::Order(_)),
        }
    }

    fn take(&mut self, place: usize, candidate: Candidate) {
        self.mark_done(place, true);
        self.path.push(place);
        self.newest = self.newest.max(candidate.invoked);
        while self.first < self.candidates.len() && !self.is_open(self.first) {
            self.first += 1;
        }
    }

    /// Whether a candidate is not taken yet and may still happen.
    fn is_open(&self, place: usize) -> bool {
        !self.is_done(place)
            && self.candidates.get(place).is_some_and(|one| one.must || one.latest > self.newest)
    }

    fn is_done(&self, place: usize) -> bool {
        self.done.get(place).copied().unwrap_or(false)
    }

    fn mark_done(&mut self, place: usize, is_done: bool) {
        let mut hasher = DefaultHasher::new();
        place.hash(&mut hasher);
        self.done_hash ^= hasher.finish();
        if let Some(done) = self.done.get_mut(place) {
            *done = is_done;
        }
        if self.candidates.get(place).is_some_and(|candidate| candidate.must) {
            if is_done { self.met += 1 } else { self.met -= 1 }
        }
    }

    fn return_to(&mut self, frame: &Frame) {
        while self.path.len() > frame.path {
            if let Some(place) = self.path.pop() {
                self.mark_done(place, false);
            }
        }
        self.exchange.state.rewind(frame.mark);
        (self.first, self.placed, self.newest) = (frame.first, frame.placed, frame.newest);
    }

    fn operations(&self) -> Vec<usize> {
        self.path.iter().filter_map(|place| Some(self.candidates.get(*place)?.at)).collect()
    }

    /// Stores the furthest dead end, and why each possible next operation does not fit.
    fn note_dead_end(&mut self) {
        if self.stuck.as_ref().is_some_and(|stuck| stuck.explained.len() >= self.path.len()) {
            return;
        }
        let window = self.window().into_iter().filter_map(|place| self.candidates.get(place).copied());
        let mut window: Vec<Candidate> = window.filter(|candidate| candidate.must).collect();
        window.sort_by_key(|candidate| candidate.latest);
        let misfit = |candidate: Candidate| {
            let is_due = !self.names(candidate.at) || self.placements.get(self.placed) == Some(&candidate.at);
            let mark = self.exchange.state.mark();
            let expected = self.exchange.apply(candidate.at);
            self.exchange.state.rewind(mark);
            (candidate.at, is_due.then_some(expected))
        };
        let misfits = window.into_iter().map(misfit).collect();
        self.stuck = Some(Stuck { explained: self.operations(), misfits });
    }
}

/// An operation as a candidate; `None` for a refused nonce, an unanswered read, or a lost call known not to have
/// happened.
fn candidate(history: &History, names: &Names, at: usize) -> Option<Candidate> {
    let operation = history.operations.get(at)?;
    let invoked = operation.invoked;
    match &operation.answer {
        Some((_, reply)) if nonces::is_refusal(reply) => None,
        Some((responded, _)) => Some(Candidate { at, invoked, latest: *responded, must: true }),
        None if !operation.request.writes() => None,
        None if lost::is_denied(history, at) || lost::is_outlived(history, names, at) => None,
        None => {
            let dead = lost::death(history, operation);
            let must = matches!(operation.request, Request::Place(_)) && names.id(at).is_some();
            let latest = names.shown(at).filter(|_| must).map_or(dead, |shown| shown.min(dead));
            Some(Candidate { at, invoked, latest, must })
        }
    }
}
