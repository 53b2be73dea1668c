//! The ends of a life's processes and the starts after them.

use super::Life;
use crate::check::Finding;
use crate::disk::{Faulty, Trouble};
use crate::memory::Odd;
use crate::rot;
use crate::secrets::Secrets;
use buttonwood_journal as journal;
use buttonwood_journal::{Journal, ReplayError};
use buttonwood_model::Time;
use buttonwood_sequencer::{Clock, Fault, JOURNAL_DIR, Recovered, Stepped, verify_stepped_with};

impl Life {
    /// The end of the process: everything it has answered must still be there after the next start.
    pub(super) fn crash(&mut self) -> Result<(), Finding> {
        self.checker.collect()?;
        self.visible();
        self.secrets = None;
        let loses_power = self.disk.blown() == Some(Trouble::PowerCut) || self.dice.once_in(3);
        self.stepped = None;
        self.tally.crashes += 1;
        if loses_power {
            self.tally.power_cuts += 1;
            self.disk.cut_power(&mut self.dice);
        } else {
            self.disk.kill();
        }
        self.damage_copies(loses_power)?;
        self.note(|| format!("crash, power lost: {loses_power}"));
        self.boot()
    }

    /// A stop by an operator, and the next start.
    pub(super) fn stop(&mut self) -> Result<(), Finding> {
        if self.dice.once_in(2) {
            // Nothing but a read is in flight.
            self.decide()?;
            self.commit()?;
            if self.has_ended() {
                return Ok(());
            }
            self.read()?;
        }
        let elapsed = self.elapsed();
        let stopped = self.stepped().stop(elapsed);
        self.note(|| format!("stopped: {stopped:?}"));
        self.check_room()?;
        if self.has_ended() {
            return Ok(());
        }
        match stopped {
            Ok(()) => {
                self.told = self.now;
                self.committed(true)?;
                self.checker.check_all_nonces()?;
            }
            Err(fault) if self.is_excused(&fault) => {}
            Err(fault) => return Err(format!("it cannot be stopped: {fault}")),
        }
        self.crash()
    }

    /// Whether the disk caused a fault outside the journal's own path.
    pub(super) fn is_excused(&self, fault: &Fault) -> bool {
        let is_of_disk = matches!(fault, Fault::Journal(_) | Fault::History(_) | Fault::HistoryMark(_));
        is_of_disk && (self.disk.blown().is_some() || self.disk.refused().is_some())
    }

    /// Damages copies of the disk and starts them: each must have everything, or refuse to serve.
    ///
    /// After a power cut only the journal knows what was acknowledged. Whether its very last batch was is unknown, so
    /// damage to that batch may go unnoticed.
    fn damage_copies(&mut self, lost_power: bool) -> Result<(), Finding> {
        if !self.dice.once_in(4) {
            return Ok(());
        }
        let certain = if lost_power { before_last_batch(&self.disk)? } else { self.checker.seq() };
        for _ in 0..4 {
            let copy = self.disk.fork();
            let Some(what) = rot::spoil(&copy, &mut self.dice) else { return Ok(()) };
            self.tally.damaged += 1;
            self.note(|| format!("on a copy: {what}"));
            copy.limit(None);
            if let Ok(recovered) = self.scene.recover(&copy) {
                self.tally.unhurt += 1;
                let state = recovered.views().state();
                if state.stamp().seq.0 < certain {
                    return Err(format!("with {what} it serves an older past: {:?}", state.stamp()));
                }
                if state.stamp() == self.checker.state().stamp() && state != self.checker.state() {
                    return Err(format!("with {what} it serves another state"));
                }
                if self.scene.seals {
                    Secrets::check_damaged(&copy, state)
                        .map_err(|finding| format!("with {what} {finding}"))?;
                }
                match self.checker.look_at_all(recovered.views()) {
                    Ok(()) => {}
                    // A damaged row may be refused when it is read, but not returned; it is mended.
                    Err(Odd::Wrong(finding)) => return Err(format!("with {what} {finding}")),
                    Err(Odd::Untold(_)) => {
                        self.mend(recovered).map_err(|finding| format!("with {what} {finding}"))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The journal mends a damaged history: then everything can be read.
    fn mend(&mut self, recovered: Recovered) -> Result<(), Finding> {
        let stepped = Stepped::new(recovered, Clock::manual(self.now), self.scene.options);
        if let Some(trouble) = stepped.mend() {
            return Err(format!("the history is not mended: {trouble}"));
        }
        self.tally.mended += 1;
        Ok(self.checker.look_at_all(&stepped.exchange().views())?)
    }

    /// Starts, repeatedly if needed; only a faulty disk may prevent it.
    pub(super) fn boot(&mut self) -> Result<(), Finding> {
        self.now = self.now.plus(self.dice.below(10 * Time::SECOND));
        for _ in 0..100 {
            if self.dice.once_in(6) {
                let (after, trouble) = (
                    self.dice.below(40),
                    self.dice.pick(&[Trouble::PowerCut, Trouble::Kill, Trouble::Error]),
                );
                self.note(|| format!("ordered {trouble:?} after {after} calls of the start"));
                self.disk.arm(after, trouble);
            }
            if !self.unseal()? {
                continue;
            }
            let booted = self.scene.boot(&self.disk, self.now);
            match (booted, self.disk.blown()) {
                (Ok(stepped), None | Some(Trouble::Error)) => return self.booted(stepped),
                (_, Some(Trouble::PowerCut)) => self.disk.cut_power(&mut self.dice),
                (_, Some(Trouble::Kill | Trouble::Error)) => self.disk.kill(),
                (Err(fault), None) => {
                    self.excuse(&fault).map_err(|why| format!("it refuses to start {why}: {fault}"))?;
                    self.disk.kill();
                    self.limit(None);
                }
            }
        }
        Err("it could not be started in a hundred tries".into())
    }

    fn booted(&mut self, stepped: Stepped) -> Result<(), Finding> {
        let is_first = self.checker.seq() == 0;
        {
            let views = stepped.exchange().views();
            self.checker.restarted(&self.disk, views.state())?;
            for _ in 0..2 {
                self.checker.look_up(&views, &mut self.dice)?;
            }
        }
        if !is_first && *stepped.state() != *self.checker.state() {
            return Err("writer and views begin differently".into());
        }
        self.check_secrets(&stepped)?;
        self.checker.hears_all(self.now);
        self.told = self.now;
        self.stepped = Some(stepped);
        let seq = self.checker.seq();
        self.note(|| format!("started at command {seq}"));
        Ok(())
    }

    /// The end of all faults: the exchange must make progress by itself within one turn of each party, and its
    /// directory must verify.
    pub(super) fn heal(&mut self) -> Result<(), Finding> {
        self.checker.collect()?;
        self.visible();
        self.limit(None);
        self.disk.kill();
        self.stepped = None;
        self.boot_in_peace()?;
        let (from, snapshots) = (self.checker.seq(), self.tally.snapshots);
        for _ in 0..20 {
            let before = self.checker.taken();
            self.submit()?;
            self.decide()?;
            self.commit()?;
            self.prepare()?;
            self.checkpoint()?;
            // The exchange's own moves of the clock prove nothing: a requested command must have been accepted.
            if self.checker.taken() <= before {
                return Err("it does not get on though nothing is wrong any more".into());
            }
        }
        let commands = self.checker.seq() - from;
        if commands > 2 * self.scene.options.snapshot_every && self.tally.snapshots == snapshots {
            return Err(format!("it makes no snapshot within {commands} commands"));
        }
        self.visible();
        self.stepped = None;
        self.disk.kill();
        let report = verify_stepped_with(self.disk.folder(), Some(self.disk.archive()))
            .map_err(|fault| format!("its directory does not verify: {fault}"))?;
        if report.commands != self.checker.seq() {
            return Err(format!("it verifies {} commands of {}", report.commands, self.checker.seq()));
        }
        Ok(())
    }

    fn boot_in_peace(&mut self) -> Result<(), Finding> {
        self.unseal()?;
        let stepped = self.scene.boot(&self.disk, self.now);
        self.booted(stepped.map_err(|fault| format!("it cannot be started: {fault}"))?)
    }
}

/// The last command before the journal's last batch.
fn before_last_batch(disk: &Faulty) -> Result<u64, Finding> {
    let wrong = |fault: journal::Fault| format!("the journal cannot be read after a crash: {fault}");
    let disk = disk.fork();
    let mut journal = Journal::open(disk.folder().folder(JOURNAL_DIR), journal::Options::default())
        .map(|journal| journal.with_archive(Some(disk.archive())));
    let journal =
        journal.as_mut().map_err(|fault| format!("the journal cannot be opened after a crash: {fault}"))?;
    let mut before = 0;
    let read = journal.replay(None, |batch| {
        before = batch.first_seq() - 1;
        Ok::<_, journal::Fault>(())
    });
    match read {
        Ok(_) => Ok(before),
        Err(ReplayError::Fault(fault) | ReplayError::Refused(fault)) => Err(wrong(fault)),
    }
}
