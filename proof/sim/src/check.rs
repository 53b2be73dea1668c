//! An outside observer that follows the journal like a standby. It knows every request and every answer, and decides
//! whether they fit together.
//!
//! It keeps a replica of the state and the naive exchange: after every command both must agree, and every law must
//! hold. Every answer must be in the journal and equal the naive exchange's answer. Every command in the journal must
//! have been requested. A command once read must stay.

mod asked;
mod breaks;
mod due;

use crate::disk::Faulty;
use crate::memory::{Memory, Odd};
use crate::scene::{Scene, command_of};
use asked::listed;
use buttonwood_engine::{
    AccessCommand, Body, Command, FundsCommand, Operation, State, TradingCommand, Withdrawn, perp,
};
use buttonwood_journal::{Mark, Reader, ReplayError};
use buttonwood_model::{ConnectionId, Due, Nonce, SessionId, Side, SymbolId, Time};
use buttonwood_num::{Price, Qty};
use buttonwood_oracle::{Dice, Exchange, Naive, Step, World, agree};
use buttonwood_sequencer::{JOURNAL_DIR, Pending, Receipt, Stopped};
use buttonwood_views::Views;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::task::Poll;
use tokio::sync::oneshot::Receiver;
pub(crate) use {asked::Asked, asked::Trace, due::is_due};

/// A description of what is wrong.
pub type Finding = String;

/// The nonce of a read is journaled within this time (D-08a), if the writer gets its turns.
const NONCE_WAIT: u64 = 50_000;

/// Silence after which a session's orders are cancelled (SES-010).
const SILENCE: u64 = 30 * Time::SECOND;

/// A nonce used by a read.
struct Noted {
    session: SessionId,
    nonce: Nonce,
    told: Option<Time>,
    is_due: bool,
}

/// The observer.
pub(crate) struct Checker {
    world: &'static World,
    founding: u64,
    reader: Option<Reader>,
    mark: Option<Mark>,
    exchange: Exchange,
    naive: Option<Naive>,
    memory: Memory,
    asked: VecDeque<Asked>,
    /// For each session that requires heartbeats, the times of its calls, oldest first.
    heard: BTreeMap<SessionId, Vec<Time>>,
    /// Nonces used by reads, and when the writer first knew of each.
    noted: Vec<Noted>,
    /// Moves of the clock that wait for their answers, oldest first.
    moving: VecDeque<Receiver<Time>>,
    /// The time that the last answered move reported.
    moved: Time,
    /// The highest sequence of which any client has seen an effect.
    seen: u64,
    /// Number of requested commands found in the journal, or found to change nothing.
    taken: u64,
    /// Whether a command was refused for lack of room since the last query.
    has_turned_away: bool,
    /// The auction that was due next before the current command.
    step_due: Option<(Time, Step)>,
    /// The task of funds that was due next, before the command.
    funds_due: Option<Due<FundsCommand>>,
    /// The task of perpetuals that was due next, before the command.
    perp_due: Option<Due<perp::Command>>,
    /// Whether auctions may run late: the process was down, or there was no room.
    may_be_late: bool,
    /// The connections of the process before that are still open: they are dead, and must be closed first (D-150).
    dead: BTreeSet<ConnectionId>,
}

impl Checker {
    pub(crate) fn new(scene: &Scene) -> Self {
        Self {
            world: scene.world,
            founding: scene.founding_len(),
            reader: None,
            mark: None,
            exchange: Exchange::blank(),
            naive: None,
            memory: Memory::default(),
            asked: VecDeque::new(),
            heard: BTreeMap::new(),
            noted: Vec::new(),
            moving: VecDeque::new(),
            moved: Time::default(),
            seen: 0,
            taken: 0,
            has_turned_away: false,
            step_due: None,
            funds_due: None,
            perp_due: None,
            may_be_late: false,
            dead: BTreeSet::new(),
        }
    }

    /// The state up to the last command read.
    pub(crate) fn state(&self) -> &State {
        &self.exchange.state
    }

    /// The last command read.
    pub(crate) fn seq(&self) -> u64 {
        self.exchange.stamp.seq.0
    }

    /// Number of requested commands found in the journal, or found to change nothing; the exchange's own commands do not count.
    pub(crate) fn taken(&self) -> u64 {
        self.taken
    }

    /// Whether a command was refused for lack of room since the last query.
    pub(crate) fn has_turned_away(&mut self) -> bool {
        std::mem::take(&mut self.has_turned_away)
    }

    /// Number of requested commands not yet found in the journal.
    pub(crate) fn waiting(&self) -> usize {
        self.asked.len()
    }

    /// Records a submitted command; the clock is at `at`.
    pub(crate) fn asks(&mut self, command: Command, at: Time, pending: Pending) {
        self.asked.push_back(Asked::new(command, at, pending));
    }

    /// Records a move of the clock.
    pub(crate) fn moves(&mut self, answer: Receiver<Time>) {
        self.moving.push_back(answer);
    }

    /// Records a call of a session.
    pub(crate) fn hears(&mut self, session: SessionId, now: Time) {
        self.heard.entry(session).or_default().push(now);
    }

    /// Records a nonce used by a read.
    pub(crate) fn notes(&mut self, session: SessionId, nonce: Nonce) {
        self.noted.push(Noted { session, nonce, told: None, is_due: false });
    }

    /// Records that the writer had its turn. While room may be short, nonces of reads wait.
    pub(crate) fn decided(&mut self, now: Time, has_room: bool) {
        self.may_be_late |= !has_room;
        for noted in &mut self.noted {
            if !has_room {
                (noted.told, noted.is_due) = (None, false);
                continue;
            }
            let told = *noted.told.get_or_insert(now);
            noted.is_due |= now.0 - told.0 >= NONCE_WAIT;
        }
    }

    /// Checks that no nonce of a read waits too long, once everything decided was committed.
    pub(crate) fn check_nonces(&mut self) -> Result<(), Finding> {
        let access = self.exchange.state.access();
        let is_used = |noted: &Noted| {
            access.session(noted.session).is_some_and(|session| session.highest_nonce() >= noted.nonce)
        };
        self.noted.retain(|noted| !is_used(noted));
        match self.noted.iter().find(|noted| noted.is_due) {
            Some(Noted { session, nonce, .. }) => {
                Err(format!("nonce {nonce:?} that a read of {session:?} has used is not in the journal"))
            }
            None => Ok(()),
        }
    }

    /// Checks that a stop has journaled the nonces of all reads.
    pub(crate) fn check_all_nonces(&mut self) -> Result<(), Finding> {
        for noted in &mut self.noted {
            noted.is_due = true;
        }
        self.check_nonces()
    }

    /// Records that a start gave every session a full window.
    pub(crate) fn hears_all(&mut self, now: Time) {
        self.may_be_late = true;
        for (id, session) in self.exchange.state.access().sessions().iter().enumerate() {
            if session.key.require_heartbeat {
                self.heard.entry(SessionId::from_index(id)).or_default().push(now);
            }
        }
    }

    /// Records what the views show.
    pub(crate) fn sees(&mut self, views: &State) {
        self.seen = self.seen.max(views.stamp().seq.0);
    }

    /// Collects the answers that have arrived.
    pub(crate) fn collect(&mut self) -> Result<(), Finding> {
        while let Some(Ok(to)) = self.moving.front_mut().map(Receiver::try_recv) {
            self.moved = to;
            self.moving.pop_front();
        }
        for asked in &mut self.asked {
            if asked.answer.is_some() {
                continue;
            }
            match asked.poll() {
                Poll::Ready(Ok(receipt)) => {
                    let seq = receipt.stamp.seq.0;
                    asked.answer = Some(receipt);
                    if !asked.is_turned_away() {
                        self.seen = self.seen.max(seq);
                    } else if asked.command.body.is_reducing() {
                        return Err(format!("{:?} was turned away for want of room", asked.command.body));
                    }
                    self.has_turned_away |= asked.is_turned_away();
                }
                Poll::Ready(Err(Stopped)) => {
                    return Err("a command was dropped while the exchange ran".into());
                }
                Poll::Pending => {}
            }
        }
        Ok(())
    }

    /// Reads the journal up to `until`. `is_live`: the commands were committed just now, so their callers have
    /// answers.
    pub(crate) fn follow(&mut self, disk: &Faulty, until: u64, is_live: bool) -> Result<(), Finding> {
        let reader = self.reader.take().map_or_else(|| Reader::open(disk.folder().folder(JOURNAL_DIR)), Ok);
        let mut reader = reader
            .map_err(|fault| format!("the journal cannot be followed: {fault}"))?
            .with_archive(Some(disk.archive()));
        let from = self.mark.take();
        let read = reader.replay(from.as_ref(), until, |batch| {
            batch.frames().try_for_each(|(seq, frame)| self.read(seq, frame, is_live))
        });
        let mark = read.map_err(|error| match error {
            ReplayError::Fault(fault) => format!("the journal cannot be followed: {fault}"),
            ReplayError::Refused(finding) => finding,
        })?;
        self.mark = Some(mark);
        self.reader = Some(reader);
        while self.asked.front().is_some_and(Asked::is_needless) && self.pass_needless(None)? {}
        Ok(())
    }

    /// Passes the first request if it changes nothing where the journal stands, before its next command, and is in no journal. Returns whether it
    /// was one.
    fn pass_needless(&mut self, next: Option<&Command>) -> Result<bool, Finding> {
        let Some(first) = self.asked.front().filter(|first| next != Some(&first.command)) else {
            return Ok(false);
        };
        let is_overtaken = next.is_some_and(|next| self.asked.iter().any(|asked| asked.command == *next));
        let is_passed = if first.is_turned_away() {
            true
        } else if let Some(trace) = first.trace_at(&self.exchange.state, is_overtaken)? {
            if let (Trace::Nonce, Some(caller)) = (trace, &first.command.caller) {
                let (session, nonce) = (caller.session, caller.nonce);
                self.noted.push(Noted { session, nonce, told: None, is_due: false });
            }
            self.taken += 1;
            true
        } else {
            false
        };
        if is_passed {
            self.asked.pop_front();
        }
        Ok(is_passed)
    }

    fn read(&mut self, seq: u64, frame: &[u8], is_live: bool) -> Result<(), Finding> {
        if seq != self.seq() + 1 {
            return Err(format!("command {seq} follows {}", self.seq()));
        }
        let command = command_of(frame);
        if seq > self.founding {
            while self.pass_needless(Some(&command))? {}
        }
        let before = self.exchange.stamp.time;
        self.step_due = buttonwood_oracle::next_step(&self.exchange.state);
        self.funds_due = due::funds_due(&self.exchange.state);
        self.perp_due = due::perp_due(&self.exchange.state);
        self.exchange.replay(frame);
        if self.exchange.stamp.time < before {
            return Err(format!("time goes back at command {seq}"));
        }
        if seq < self.founding {
            return Ok(());
        }
        if seq == self.founding {
            self.naive = Some(Naive::found(self.world, &self.exchange));
            return Ok(());
        }
        let told = self.recognise(seq, &command, is_live)?;
        if let Some(difference) = &self.exchange.preview_differs {
            return Err(format!("at command {seq} {command:?}: {difference}"));
        }
        // Commands that waited for the end of a halt run after it.
        self.may_be_late |= matches!(command.body, Body::Operation(Operation::Resume));
        if let Body::Access(AccessCommand::ResetNonces(session)) = &command.body {
            // A reset may drop the nonces that its reads have used so far.
            self.noted.retain(|noted| noted.session != *session);
        }
        let naive = self.naive.as_mut().expect("founded before");
        let Exchange { stamp, state, happened, .. } = &self.exchange;
        let answer = naive.submit(stamp.time, &command);
        agree(&self.exchange, naive)
            .map_err(|finding| format!("after command {seq} {command:?}:\n{finding}"))?;
        self.memory.note(state, *stamp, &answer, happened);
        self.memory.note_off_book(state, *stamp, &self.exchange.of.perps);
        self.memory.note_refused(&self.exchange.of.refused);
        self.memory.note_spends(&self.exchange.of.spends);
        let [cancelled, kept] = listed(&command.body, happened);
        let withdrawn = Withdrawn { cancelled, kept };
        let expected = Receipt::new(*stamp, answer, withdrawn);
        let fits = |told: &Receipt| {
            (told.stamp, &told.outcome, &told.withdrawn)
                == (expected.stamp, &expected.outcome, &expected.withdrawn)
        };
        match told {
            Some(told) if !fits(&told) => {
                Err(format!("command {seq} {command:?} was answered {told:?}\nexpected {expected:?}"))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// A command in the journal must have been requested, in this order and at this time, or be one that the exchange
    /// may run itself. Returns the answer that its caller got.
    fn recognise(&mut self, seq: u64, command: &Command, is_live: bool) -> Result<Option<Receipt>, Finding> {
        if let (None, Body::Trading(TradingCommand::CloseConnection(connection))) =
            (&command.caller, &command.body)
            && self.dead.remove(connection)
        {
            return Ok(None);
        }
        let is_it = |asked: &Asked| asked.command == *command && !asked.is_turned_away();
        let Some(at) = self.asked.iter().position(is_it) else {
            let is_own = self.is_own(command).map(|()| None);
            return is_own.map_err(|why| format!("nobody asked for command {seq} {command:?}{why}"));
        };
        for _ in 0..at {
            let passed = self.asked.pop_front().expect("it stands before");
            if !passed.is_turned_away() {
                return Err(format!("command {seq} overtook {:?}", passed.command));
            }
        }
        let asked = self.asked.pop_front().expect("it was found");
        if let Some(dead) = self.dead.first() {
            return Err(format!("command {seq} came before {dead:?} of the process before was closed"));
        }
        self.taken += 1;
        if is_live && asked.answer.is_none() {
            return Err(format!("command {seq} is durable and its caller has no answer"));
        }
        let time = self.exchange.stamp.time;
        if time != asked.at {
            return Err(format!("command {seq} was asked at {:?} and is stamped with {time:?}", asked.at));
        }
        Ok(asked.answer)
    }

    /// Compares the views with the observer's memory, if both have read the same commands.
    pub(crate) fn look_up(&self, views: &Views, dice: &mut Dice) -> Result<(), Odd> {
        if views.state().stamp() != self.exchange.stamp {
            return Ok(());
        }
        self.compare_depth(views, dice)?;
        self.memory.compare(views, dice)
    }

    /// Like [`Checker::look_up`], for everything.
    pub(crate) fn look_at_all(&self, views: &Views) -> Result<(), Odd> {
        if views.state().stamp() == self.exchange.stamp { self.memory.compare_all(views) } else { Ok(()) }
    }

    fn compare_depth(&self, views: &Views, dice: &mut Dice) -> Result<(), Odd> {
        let symbols = u64::try_from(self.exchange.state.symbols().len()).expect("few symbols");
        let symbol = SymbolId(u32::try_from(dice.below(symbols)).expect("few symbols"));
        let side = dice.pick(&[Side::Buy, Side::Sell]);
        let mut levels: Vec<(Price, Qty)> = Vec::new();
        for order in self.exchange.queue(symbol, side) {
            match levels.last_mut().filter(|(price, _)| *price == order.price) {
                Some((_, qty)) => *qty += order.remaining,
                None => levels.push((order.price, order.remaining)),
            }
        }
        let shown = views.depth().levels(symbol, side, usize::MAX);
        if shown == levels {
            Ok(())
        } else {
            Err(Odd::Wrong(format!("the views show the depth {shown:?}\nexpected {levels:?}")))
        }
    }

    /// Judges a restart: nothing that a client has seen may be missing, and the recovered state must equal the
    /// observer's own.
    pub(crate) fn restarted(&mut self, disk: &Faulty, recovered: &State) -> Result<(), Finding> {
        let seq = recovered.stamp().seq.0;
        // A restart may lose nonces that reads used just before.
        self.noted.clear();
        // Read again, which proves once more that this place lies in the history.
        self.reader = None;
        if seq < self.seen.max(self.seq()) {
            return Err(format!("recovered up to command {seq}, but {} was seen", self.seen.max(self.seq())));
        }
        if recovered.stamp().time < self.moved {
            return Err(format!(
                "the clock was moved to {:?}, and starts at {:?}",
                self.moved,
                recovered.stamp()
            ));
        }
        self.moving.clear();
        self.follow(disk, seq, false)?;
        for mut lost in self.asked.drain(..).filter(|asked| !asked.is_turned_away()) {
            if lost.is_needless() {
                continue;
            }
            if let Some(told) = &lost.answer {
                return Err(format!("{:?} was answered {told:?} and is gone", lost.command));
            }
            match lost.poll() {
                Poll::Ready(Ok(receipt)) if receipt.is_journaled => {
                    return Err(format!("command {} was answered after the end", receipt.stamp.seq.0));
                }
                Poll::Ready(_) | Poll::Pending => {}
            }
        }
        self.dead = recovered.floor().open_connections().map(|(connection, _)| connection).collect();
        if *recovered != *self.state() || recovered.fingerprint() != self.state().fingerprint() {
            return Err(format!("the recovered state of command {seq} is not that of its journal"));
        }
        Ok(())
    }
}
