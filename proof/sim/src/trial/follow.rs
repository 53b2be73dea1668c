//! A reader of the journal that has every command judged: requested or due, followed by what the naive model of the product computes.

use super::Judge;
use crate::check::{Asked, Finding, is_due};
use crate::disk::Faulty;
use crate::scene::command_of;
use buttonwood_engine::{
    AccessCommand, Body, ClearingCommand, Command, Founding, FundsCommand, Operation, PredictionCommand,
    StakingCommand, State, TradingCommand, identity, perp,
};
use buttonwood_journal::{Mark, Reader, ReplayError};
use buttonwood_model::{Due, SessionId, Time};
use buttonwood_oracle::Exchange;
use buttonwood_sequencer::{JOURNAL_DIR, Pending, Stopped};
use std::collections::VecDeque;
use std::task::Poll;

/// The command of perpetuals, spot margin, clearing, staking, prediction markets, people or a stop that is due next.
fn next_due(state: &State) -> Option<Due<Body>> {
    let stops = state.floor().next_due(false, state.operations().is_halted());
    let stops = stops.filter(|due| matches!(due.command, TradingCommand::Trigger(_)));
    let stops = stops.map(|due| due.map(Body::Trading));
    let perps = state.next_due_in(state.perps()).map(|due| due.map(Body::Perp));
    let margin = state.next_due_in(state.spot_margin()).map(|due| due.map(Body::SpotMargin));
    let clearing = state.next_due_in(state.clearing()).map(|due| due.map(Body::Clearing));
    let staking = state.next_due_in(state.staking()).map(|due| due.map(Body::Staking));
    let predictions = state.next_due_in(state.predictions()).map(|due| due.map(Body::Prediction));
    let identity = state.next_due_in(state.identity()).map(|due| due.map(Body::Identity));
    [stops, perps, margin, clearing, staking, predictions, identity]
        .into_iter()
        .flatten()
        .min_by_key(Due::key)
}

/// Whether a command may become due after its time: money has come, a maximum was raised, or an event with a pool began to trade.
const fn may_become_due(body: &Body) -> bool {
    matches!(
        body,
        Body::Clearing(ClearingCommand::Settle(_))
            | Body::Staking(StakingCommand::Accrue(_) | StakingCommand::Pay(_))
            | Body::Prediction(PredictionCommand::Score)
    )
}

/// In a run with many rows, one in this many commands is followed by a check of all laws.
const LAWS_EVERY: u64 = 16;

/// The follower.
pub(crate) struct Follower<J> {
    founding: u64,
    is_crowded: bool,
    mark: Option<Mark>,
    exchange: Exchange,
    judge: J,
    asked: VecDeque<Asked>,
    /// The highest sequence that a client was answered with.
    seen: u64,
    /// The start whose first command is still to come: its time, and whether that command must be [`perp::Command::Resume`].
    starting: Option<(Time, bool)>,
    /// Whether due commands may run late: the process was down, or the exchange was halted.
    may_be_late: bool,
    lines: Vec<String>,
}

impl<J: Judge> Follower<J> {
    pub(super) fn new(founding: u64, is_crowded: bool) -> Self {
        Self {
            founding,
            is_crowded,
            mark: None,
            exchange: Exchange::blank(),
            judge: J::default(),
            asked: VecDeque::new(),
            seen: 0,
            starting: None,
            may_be_late: false,
            lines: Vec::new(),
        }
    }

    pub(super) fn state(&self) -> &State {
        &self.exchange.state
    }

    pub(super) fn seq(&self) -> u64 {
        self.exchange.stamp.seq.0
    }

    pub(crate) fn judge(&self) -> &J {
        &self.judge
    }

    /// What it has read since the last query, for the trace.
    pub(super) fn lines(&mut self) -> Vec<String> {
        std::mem::take(&mut self.lines)
    }

    /// Records a submitted command.
    pub(super) fn asks(&mut self, command: Command, at: Time, pending: Pending) {
        self.asked.push_back(Asked::new(command, at, pending));
    }

    /// Whether a command is not in the journal yet.
    pub(super) fn is_waiting(&self) -> bool {
        !self.asked.is_empty()
    }

    /// Collects the answers that have arrived.
    pub(super) fn collect(&mut self) -> Result<(), Finding> {
        for asked in self.asked.iter_mut().filter(|asked| asked.answer.is_none()) {
            match asked.poll() {
                Poll::Ready(Ok(receipt)) => {
                    self.seen = self.seen.max(receipt.stamp.seq.0);
                    asked.answer = Some(receipt);
                }
                Poll::Ready(Err(Stopped)) => {
                    return Err("a command was dropped while the exchange ran".into());
                }
                Poll::Pending => {}
            }
        }
        Ok(())
    }

    /// Reads the journal up to `until`.
    pub(super) fn follow(&mut self, disk: &Faulty, until: u64) -> Result<(), Finding> {
        if until == self.seq() {
            return self.pass_answered();
        }
        let mut reader = Reader::open(disk.folder().folder(JOURNAL_DIR))
            .map_err(|fault| format!("the journal cannot be followed: {fault}"))?;
        let from = self.mark.take();
        let read = reader.replay(from.as_ref(), until, |batch| {
            batch.frames().try_for_each(|(seq, frame)| self.read(seq, frame))
        });
        let mark = read.map_err(|error| match error {
            ReplayError::Fault(fault) => format!("the journal cannot be followed: {fault}"),
            ReplayError::Refused(finding) => finding,
        })?;
        self.mark = Some(mark);
        self.pass_answered()
    }

    /// Passes the requests that were answered and are in no journal.
    fn pass_answered(&mut self) -> Result<(), Finding> {
        while self.asked.front().is_some_and(Asked::is_needless) && self.pass_needless(None)? {}
        Ok(())
    }

    /// Passes the first request if it changes nothing where the journal stands, before its next command, and is in no journal. Returns whether it
    /// was one.
    fn pass_needless(&mut self, next: Option<&Command>) -> Result<bool, Finding> {
        let first = self.asked.front().filter(|first| next != Some(&first.command));
        let Some(first) = first else { return Ok(false) };
        let is_overtaken = next.is_some_and(|next| self.asked.iter().any(|asked| asked.command == *next));
        let is_passed = first.trace_at(&self.exchange.state, is_overtaken)?.is_some();
        if is_passed {
            self.asked.pop_front();
        }
        Ok(is_passed)
    }

    fn read(&mut self, seq: u64, frame: &[u8]) -> Result<(), Finding> {
        if seq != self.seq() + 1 {
            return Err(format!("command {seq} follows {}", self.seq()));
        }
        let command = command_of(frame);
        if seq > self.founding {
            while self.pass_needless(Some(&command))? {}
        }
        let due = next_due(&self.exchange.state);
        let before = self.exchange.stamp.time;
        self.exchange.replay(frame);
        let wrong = |finding: Finding| format!("at command {seq} {command:?}: {finding}");
        if let Some(finding) = &self.exchange.preview_differs {
            return Err(wrong(finding.clone()));
        }
        self.lines.push(format!("  {seq} at {:?}: {:?}", self.exchange.stamp.time, command.body));
        self.lines.extend(self.exchange.of.perps.iter().map(|event| format!("    {event:?}")));
        self.lines.extend(self.exchange.of.margin.iter().map(|event| format!("    {event:?}")));
        self.lines.extend(self.exchange.of.clearing.iter().map(|event| format!("    {event:?}")));
        self.lines.extend(self.exchange.of.staking.iter().map(|event| format!("    {event:?}")));
        self.lines.extend(self.exchange.of.predictions.iter().map(|event| format!("    {event:?}")));
        // A halt holds back what trades.
        self.may_be_late |= command.body == Body::Operation(Operation::Resume);
        if seq > self.founding {
            self.recognise(&command, due.as_ref(), before).map_err(wrong)?;
        }
        self.judge.note(&self.exchange, &command).map_err(wrong)?;
        if seq > self.founding && (!self.is_crowded || seq.is_multiple_of(LAWS_EVERY)) {
            self.check_laws().map_err(wrong)?;
        }
        Ok(())
    }

    fn check_laws(&self) -> Result<(), Finding> {
        self.exchange.state.broken_law().map_or(Ok(()), |law| Err(format!("{law:?}")))
    }

    /// A command was requested, in this order and at this time, or it was due.
    fn recognise(&mut self, command: &Command, due: Option<&Due<Body>>, before: Time) -> Result<(), Finding> {
        let now = self.exchange.stamp.time;
        let is_resume = command.body == Body::Perp(perp::Command::Resume);
        if let Some((at, must_resume)) = self.starting.take() {
            if must_resume && !is_resume {
                return Err(format!("minutes were missed until {at:?}, and it is not noted first"));
            }
            if is_resume && must_resume && now == at {
                return Ok(());
            }
        }
        if let Some(asked) = self.asked.iter().position(|asked| asked.command == *command) {
            if asked > 0 {
                return Err("it overtook another".into());
            }
            let asked = self.asked.pop_front().expect("it was found");
            return if now == asked.at { Ok(()) } else { Err(format!("it was asked at {:?}", asked.at)) };
        }
        let is_own = if let Body::Identity(identity::Command::EndBrowsers(sessions)) = &command.body {
            // The writer's watch: nothing is heard of a browser here, and a start gives each a whole window again.
            let is_idle = |session: &SessionId| {
                let browser = self.exchange.state.identity().browser(*session, Time(0));
                browser.is_none_or(|browser| browser.opened.plus(identity::IDLE) <= now)
            };
            sessions.iter().all(is_idle)
        } else if let Body::Perp(_)
        | Body::SpotMargin(_)
        | Body::Clearing(_)
        | Body::Staking(_)
        | Body::Prediction(_)
        | Body::Identity(_)
        | Body::Trading(TradingCommand::Trigger(_)) = &command.body
        {
            is_due(due, &command.body, now, self.may_be_late || may_become_due(&command.body))
        } else {
            matches!(
                command.body,
                Body::Founding(Founding::MoveClock)
                    | Body::Access(AccessCommand::NoncesSeen(_))
                    | Body::Trading(TradingCommand::CloseDay)
                    | Body::Funds(FundsCommand::Reserves(_))
            )
        };
        if is_own && command.caller.is_none() {
            return Ok(());
        }
        Err(format!("nobody asked for it, and due was {due:?} after {before:?}"))
    }

    /// Judges a restart: nothing that a client has seen is missing, and what was recovered is what the journal says.
    pub(super) fn restarted(&mut self, disk: &Faulty, recovered: &State, now: Time) -> Result<(), Finding> {
        let seq = recovered.stamp().seq.0;
        if seq < self.seen.max(self.seq()) {
            return Err(format!("recovered up to command {seq}, but {} was seen", self.seen.max(self.seq())));
        }
        self.follow(disk, seq)?;
        for mut lost in self.asked.drain(..) {
            if lost.is_needless() {
                continue;
            }
            if lost.answer.is_some() {
                return Err(format!("{:?} was answered and is gone", lost.command));
            }
            match lost.poll() {
                Poll::Ready(Ok(receipt)) if receipt.is_journaled => {
                    return Err(format!("command {} was answered after the end", receipt.stamp.seq.0));
                }
                Poll::Ready(_) | Poll::Pending => {}
            }
        }
        if *recovered != self.exchange.state || recovered.fingerprint() != self.exchange.state.fingerprint() {
            return Err(format!("the recovered state of command {seq} is not that of its journal"));
        }
        self.check_laws()?;
        self.may_be_late = true;
        self.starting = Some((now, self.judge.must_resume(now)));
        Ok(())
    }

    /// At rest, nothing is overdue.
    pub(super) fn check_rest(&mut self, now: Time) -> Result<(), Finding> {
        let due = next_due(&self.exchange.state);
        if let Some(due) = due.filter(|due| due.time <= now) {
            return Err(format!("at {now:?} {due:?} is overdue"));
        }
        if let Some(what) = self.judge.unfinished(&self.exchange) {
            return Err(format!("at {now:?} {what}"));
        }
        self.may_be_late = false;
        Ok(())
    }

    /// At the end all laws hold.
    pub(super) fn check_end(&self) -> Result<(), Finding> {
        self.check_laws()
    }
}
