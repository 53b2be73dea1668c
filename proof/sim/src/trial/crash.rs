//! The ends of processes, and the starts after them.

use super::{Product, Trial};
use crate::check::Finding;
use crate::disk::Trouble;
use buttonwood_model::Time;
use buttonwood_sequencer::{Clock, Fault, Recovered, Stepped, recover_stepped_with};

impl<P: Product> Trial<P> {
    /// Whether the process has been killed, or the power is gone.
    pub(super) fn has_ended(&self) -> bool {
        matches!(self.disk.blown(), Some(Trouble::Kill | Trouble::PowerCut))
    }

    /// Starts again if the process has ended.
    pub(super) fn survive(&mut self) -> Result<(), Finding> {
        if self.has_ended() { self.crash() } else { Ok(()) }
    }

    /// The end of the process, and the next start, now and then minutes or hours later.
    pub(crate) fn crash(&mut self) -> Result<(), Finding> {
        self.follower.collect()?;
        let loses_power =
            self.disk.blown() == Some(Trouble::PowerCut) || !self.is_struck_once && self.dice.once_in(4);
        self.stepped = None;
        self.crashes += 1;
        self.note(|| format!("crash, power lost: {loses_power}"));
        if loses_power {
            self.disk.cut_power(&mut self.dice);
        } else {
            self.disk.kill();
        }
        if self.is_struck_once {
            return self.boot();
        }
        let pause = self.dice.pick(&[1, 10, 10, 300, 9_000]);
        self.now = self.now.plus(self.dice.below(pause * Time::SECOND));
        self.boot()?;
        // A client that is faster than the first turn of the writer.
        if self.dice.once_in(3) { P::place(self) } else { Ok(()) }
    }

    /// Starts, repeatedly if needed; only a faulty disk may prevent it. Bytes that are used up would choose a fault for every start.
    pub(super) fn boot(&mut self) -> Result<(), Finding> {
        for _ in 0..100 {
            if !self.is_struck_once && !self.dice.is_spent() && self.dice.once_in(10) {
                self.order_fault();
            }
            if let Some(stepped) = self.start()? {
                self.stepped = Some(stepped);
                return Ok(());
            }
            if self.disk.blown() == Some(Trouble::PowerCut) {
                self.disk.cut_power(&mut self.dice);
            } else {
                self.disk.kill();
            }
        }
        Err("it could not be started in a hundred tries".into())
    }

    /// A start; what it recovered must be what the journal says. None if the disk did not let it.
    fn start(&mut self) -> Result<Option<Stepped>, Finding> {
        let recovered = match self.recover() {
            Ok(recovered) if !self.has_ended() => recovered,
            Err(fault) if self.disk.blown().is_none() => return Err(format!("it refuses to start: {fault}")),
            Ok(_) | Err(_) => return Ok(None),
        };
        let state = recovered.views().state();
        let last = state.stamp();
        let judged = self.follower.restarted(&self.disk, state, self.now);
        for line in self.follower.lines() {
            self.note(|| line);
        }
        judged?;
        self.product.started(self.follower.judge(), self.now);
        let mut stepped = Stepped::new(recovered, Clock::manual(self.now), self.options);
        stepped.limit_batches(self.batch);
        self.turns = 0;
        self.note(|| format!("started at command {}", last.seq.0));
        Ok(Some(stepped))
    }

    fn recover(&self) -> Result<Recovered, Fault> {
        let mut recovered = recover_stepped_with(self.disk.folder(), self.segments, None)?;
        if recovered.views().state().opening().is_none() {
            recovered.commit(self.now, self.product.founding().to_vec())?;
        }
        Ok(recovered)
    }
}
