//! The ends of a treasury's processes, and the starts after them.

use super::Treasury;
use super::found::wallets;
use super::truth::FOLDER;
use crate::check::Finding;
use crate::disk::Trouble;
use buttonwood_driver::SteppedDriver;
use buttonwood_model::Time;
use buttonwood_sequencer::{Clock, Fault, Stepped, recover_stepped_with};
use std::path::PathBuf;

impl Treasury {
    /// Starts again if the process has ended.
    pub(super) fn survive(&mut self) -> Result<(), Finding> {
        if self.shared.must_end() { self.crash() } else { Ok(()) }
    }

    /// Moves the clock, and gives the exchange turns until nothing is left to do.
    pub(super) fn quiet(&mut self) -> Result<(), Finding> {
        for _ in 0..100 {
            self.survive()?;
            let now = self.now;
            let is_quiet = self.shared.with(|stepped| {
                // The queue is empty between two steps.
                let _ = stepped.exchange().advance(now);
                stepped.state().stamp()
            });
            if !(self.shared.turn() && self.shared.turn()) {
                continue;
            }
            if is_quiet.is_some() && is_quiet == self.shared.with(|stepped| stepped.state().stamp()) {
                return Ok(());
            }
        }
        Err("it does not come to rest".into())
    }

    /// The end of the process, and the next start.
    pub(super) fn crash(&mut self) -> Result<(), Finding> {
        let loses_power = self.shared.disk.blown() == Some(Trouble::PowerCut) || self.dice.once_in(4);
        self.driver = None;
        self.shared.end();
        self.tally.crashes += 1;
        self.note(|| format!("crash, power lost: {loses_power}"));
        if loses_power {
            self.shared.disk.cut_power(&mut self.dice);
        } else {
            self.shared.disk.kill();
        }
        self.boot()
    }

    /// Starts, repeatedly if needed; only a faulty disk may prevent it.
    pub(super) fn boot(&mut self) -> Result<(), Finding> {
        self.now = self.now.plus(self.dice.below(10 * Time::SECOND));
        for _ in 0..100 {
            if self.dice.once_in(10) {
                self.order_fault();
            }
            let booted = self.start();
            match (booted, self.shared.disk.blown()) {
                (Ok(stepped), None | Some(Trouble::Error)) => return self.started(stepped),
                (_, Some(Trouble::PowerCut)) => self.shared.disk.cut_power(&mut self.dice),
                (_, Some(Trouble::Kill | Trouble::Error)) => self.shared.disk.kill(),
                (Err(fault), None) => return Err(format!("it refuses to start: {fault}")),
            }
        }
        Err("it could not be started in a hundred tries".into())
    }

    fn start(&self) -> Result<Stepped, Fault> {
        let mut recovered = recover_stepped_with(self.shared.disk.folder(), self.segments, None)?;
        if recovered.views().state().opening().is_none() {
            recovered.commit(self.now, self.founded.commands.clone())?;
        }
        Ok(Stepped::new(recovered, Clock::manual(self.now), self.options))
    }

    /// Watcher and payer of each network are restored from the state, as after any start.
    fn started(&mut self, stepped: Stepped) -> Result<(), Finding> {
        let exchange = stepped.exchange().clone();
        let seq = stepped.state().stamp().seq.0;
        self.shared.start(stepped);
        let folder = PathBuf::from(FOLDER);
        self.driver = Some(SteppedDriver::new(exchange, wallets(), folder, Box::new(self.shared.clone())));
        self.note(|| format!("started at command {seq}"));
        Ok(())
    }
}
