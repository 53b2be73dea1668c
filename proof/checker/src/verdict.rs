//! The verdict on a history, and its report for people.

use std::fmt;

use crate::keys;
use crate::lost;
use crate::names::{Names, Trouble};
use crate::nonces;
use crate::operation::{History, Operation, Request};
use crate::search::{Found, Search, Stuck};
use crate::tokens;

/// Number of operations shown before the end of an explanation.
const SHOWN: usize = 12;

/// Figures of a legal history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of calls.
    pub operations: usize,
    /// Calls whose replies were lost.
    pub lost: usize,
    /// Lost calls that happened.
    pub happened: usize,
    /// Stretches between moments without a call in flight.
    pub windows: usize,
    /// The most calls in flight at once.
    pub width: usize,
    /// Configurations visited.
    pub configurations: usize,
}

/// The verdict on a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Some order of events explains every reply.
    Legal(Tally),
    /// No order does; the report for people.
    Illegal(String),
    /// Undecided; the reason.
    Undecided(String),
}

impl History {
    /// Judges the history.
    pub fn judge(&self) -> Verdict {
        if let Err(why) = nonces::judge(self).and_then(|()| keys::judge(self)) {
            return Verdict::Illegal(self.with_named(&why));
        }
        if let Err(why) = tokens::judge(self) {
            return Verdict::Illegal(why);
        }
        let names = match Names::gather(self) {
            Ok(names) => names,
            Err(Trouble::Illegal(why)) => return Verdict::Illegal(self.with_named(&why)),
            Err(Trouble::Unfit(why)) => return Verdict::Undecided(self.with_named(&why)),
        };
        let mut search = Search::new(self, &names);
        match search.run() {
            Found::Order(order) => Verdict::Legal(self.tally(&order, search.configurations())),
            Found::None(stuck) => Verdict::Illegal(self.explain(&stuck)),
            Found::GaveUp(stuck) => Verdict::Undecided(format!(
                "gave up after {} configurations; the furthest:\n{}",
                search.configurations(),
                self.explain(&stuck)
            )),
        }
    }

    fn tally(&self, order: &[usize], configurations: usize) -> Tally {
        let is_lost =
            |at: &usize| self.operations.get(*at).is_some_and(|operation| operation.answer.is_none());
        // Ends before beginnings: a call sent in the instant of a reply does not overlap the answered call.
        let mut edges: Vec<(u64, bool)> = Vec::new();
        for operation in &self.operations {
            let dead = lost::death(self, operation);
            let end = operation.answer.as_ref().map_or(dead, |(responded, _)| *responded);
            edges.extend([(operation.invoked, true), (end, false)]);
        }
        edges.sort_unstable();
        let (mut under_way, mut width, mut windows) = (0_usize, 0, 0);
        for (_, begins) in edges {
            windows += usize::from(begins && under_way == 0);
            under_way = if begins { under_way + 1 } else { under_way.saturating_sub(1) };
            width = width.max(under_way);
        }
        Tally {
            operations: self.operations.len(),
            lost: self.operations.iter().filter(|operation| operation.answer.is_none()).count(),
            happened: order.iter().filter(|at| is_lost(at)).count(),
            windows,
            width,
            configurations,
        }
    }

    /// The longest explanation, its end, and the operations that do not fit after it.
    fn explain(&self, stuck: &Stuck) -> String {
        let count = stuck.explained.len();
        let mut text = format!("{count} of {} operations are explained, at last:\n", self.operations.len());
        for at in stuck.explained.iter().skip(count.saturating_sub(SHOWN)) {
            text += &self.line(*at);
        }
        text += "then none of these fits:\n";
        for (at, expected) in &stuck.misfits {
            text += &self.line(*at);
            text += "      ";
            text += &expected.as_ref().map_or_else(
                || "has an id above that of an order still to come".to_owned(),
                |reply| format!("should be answered {reply}"),
            );
            text += "\n";
        }
        text
    }

    /// A sentence, and the operations that it names with `#`.
    fn with_named(&self, sentence: &str) -> String {
        let named = sentence.split('#').skip(1).filter_map(|rest| {
            rest.split(|letter: char| !letter.is_ascii_digit()).next().and_then(|digits| digits.parse().ok())
        });
        let lines: String = named.map(|at| self.line(at)).collect();
        format!("{sentence}\n{lines}")
    }

    fn line(&self, at: usize) -> String {
        self.operations.get(at).map(|operation| format!("  #{at} {operation}\n")).unwrap_or_default()
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, nonce, invoked, request, answer } = self;
        let end = answer.as_ref().map(|(responded, _)| responded.to_string()).unwrap_or_default();
        let key = key.as_deref().unwrap_or("anyone");
        write!(f, "[{invoked}..{end}] {key}/{nonce} {request}")?;
        match answer {
            Some((_, reply)) => write!(f, "\n      was answered {reply}"),
            None => write!(f, "\n      had no answer"),
        }
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, params) = self.call();
        write!(f, "{path}")?;
        params.map_or(Ok(()), |params| write!(f, " {params}"))
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { operations, lost, happened, windows, width, configurations } = self;
        write!(
            f,
            "{operations} calls ({lost} without an answer, {happened} of them happened) in {windows} windows, up to \
             {width} at once: explained after {configurations} configurations"
        )
    }
}
