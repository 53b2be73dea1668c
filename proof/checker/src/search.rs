//! The search for a legal order: depth first, never twice through the same set of operations in the same state.
//!
//! An operation may come next when none that is still to come was answered before it was sent. One that fits now and
//! changes nothing is taken at once: were it legal later, it is legal here. Accepted placements come in the order of their
//! ids. What had no answer may come until the exchange was dead, or never; once a reply shows its order, it must, and where replies
//! tell that it did not happen (`lost`), it is left out.

use std::collections::HashSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use crate::exchange::Exchange;
use crate::lost;
use crate::names::Names;
use crate::nonces;
use crate::operation::{History, Request};
use crate::reply::Reply;

/// After so many different configurations the search gives up.
const CONFIGURATIONS: usize = 1_000_000;

/// One operation to find a place for.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    at: usize,
    invoked: u64,
    /// When it has happened at the latest.
    latest: u64,
    /// Whether it must happen at all.
    must: bool,
}

/// How far a search came that found no order.
#[derive(Debug, Default)]
pub(crate) struct Stuck {
    /// The longest sequence that explains what it holds.
    pub(crate) explained: Vec<usize>,
    /// What might have come next but does not fit, the most urgent first; with it what it should have been answered, or
    /// nothing for an order whose turn was not come because of its id.
    pub(crate) misfits: Vec<(usize, Option<Reply>)>,
}

/// What a search came to.
#[derive(Debug)]
pub(crate) enum Found {
    /// A legal order.
    Order(Vec<usize>),
    /// There is none.
    None(Stuck),
    /// Too much to try.
    GaveUp(Stuck),
}

/// A place in the search to come back to.
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
    /// In the order they were sent.
    candidates: Vec<Candidate>,
    /// Placements with an id, in its order.
    placements: Vec<usize>,
    must: usize,
    done: Vec<bool>,
    done_hash: u64,
    /// Which candidates happened, in order.
    path: Vec<usize>,
    /// How many of those that must happen have.
    met: usize,
    /// All candidates before this one are done, or need not happen.
    first: usize,
    /// How many of the placements are done.
    placed: usize,
    /// When the newest of what happened was sent.
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

    /// How many configurations were looked at.
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

    /// Takes whatever is harmless, and lists what else may come next, unless all this was seen before.
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

    /// What may come next as far as time goes.
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

    /// Takes one operation that fits now and changes nothing, unless it would close the door to one without an answer.
    fn take_harmless(&mut self) -> bool {
        let window = self.window();
        let one = |place: &usize| self.candidates.get(*place).copied();
        let closing = window.iter().filter_map(one).filter(|candidate| !candidate.must);
        let closing = closing.map(|candidate| candidate.latest).min().unwrap_or(u64::MAX);
        window.into_iter().any(|place| {
            let Some(candidate) = self.candidates.get(place).copied() else { return false };
            if !candidate.must || candidate.invoked >= closing || self.names(candidate.at) {
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

    /// Whether an operation has placed an order that has an id.
    fn names(&self, at: usize) -> bool {
        self.exchange.names.id(at).is_some()
    }

    /// Lets an operation happen, if it fits.
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

    /// Whether a candidate is still to come, or may come.
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

    /// Remembers the furthest dead end, and what is wrong with everything that might come next there.
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

/// What must or may be given a place; nothing for a call that certainly or perhaps did not happen and changed nothing.
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
