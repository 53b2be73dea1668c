//! The start of every run: a world, its founding commands, a booted exchange.

use crate::disk::Faulty;
use crate::secrets::Secrets;
use buttonwood_engine::{Body, Command, State, TradingCommand, decode_command, decode_events};
use buttonwood_journal::Options as Segments;
use buttonwood_model::{Outbox, Time};
use buttonwood_oracle::{CALLS, DEEP, Dealer, Dice, Exchange, FINE, MAJORS, ODD, World};
use buttonwood_sequencer::{Archive, Clock, Fault, Keep, Options, Recovered, Stepped, recover_stepped_with};
use buttonwood_vault as vault;

/// The founding time of every simulated exchange: 2026-01-01.
pub(crate) const FOUNDED: Time = Time(1_767_225_600_000_000);

/// A world with the commands that found it, and a dealer for it.
pub(crate) struct Scene {
    pub(crate) world: &'static World,
    pub(crate) founding: Vec<Command>,
    pub(crate) dealer: Dealer,
    pub(crate) segments: Segments,
    pub(crate) options: Options,
    /// Whether old segments of the journal are moved to the archive.
    pub(crate) archives: bool,
    /// Whether the secrets of keys are in a vault on the disk.
    pub(crate) seals: bool,
}

impl Scene {
    /// A random scene.
    pub(crate) fn drawn(dice: &mut Dice) -> Self {
        let world = dice.pick(&[&MAJORS, &FINE, &ODD, &DEEP, &CALLS]);
        let exchange = Exchange::open(world.fees, Some(Vec::new()));
        let (exchange, dealer) = Dealer::found_on(exchange, world, dice.below(u64::MAX));
        let founding = exchange.journal.iter().flatten().map(|frame| command_of(frame)).collect();
        let first = 8_192 << dice.below(3);
        let segments = Segments {
            first_segment_bytes: first,
            segment_bytes: first << dice.below(3),
            ballast_bytes: dice.pick(&[0, 4_096, 65_536]),
        };
        let options = Options { snapshot_every: dice.pick(&[7, 40, 300, 5_000]) };
        Self { world, founding, dealer, segments, options, archives: false, seals: false }
    }

    /// Recovers the disk.
    pub(crate) fn recover(&self, disk: &Faulty) -> Result<Recovered, Fault> {
        let archive = self.archives.then(|| Archive { folder: Some(disk.archive()), keep: Keep::Days(0) });
        recover_stepped_with(disk.folder(), self.segments, archive)
    }

    /// Opens the vault, or creates it with the secrets of the founding; nothing without one.
    pub(crate) fn unseal(&self, disk: &Faulty) -> Result<Option<Secrets>, vault::Fault> {
        self.seals.then(|| Secrets::open(disk, &self.founding)).transpose()
    }

    /// Recovers the disk, founds the exchange if there is none yet, and starts it at `now`.
    pub(crate) fn boot(&self, disk: &Faulty, now: Time) -> Result<Stepped, Fault> {
        let mut recovered = self.recover(disk)?;
        if recovered.views().state().opening().is_none() {
            recovered.commit(now, self.founding.clone())?;
        }
        Ok(Stepped::new(recovered, Clock::manual(now), self.options))
    }

    /// The dealer's next command. Here only the clock expires sessions and runs auctions.
    pub(crate) fn deal(&mut self, state: &State) -> Command {
        loop {
            let (_, command) = self.dealer.deal_to(state);
            if !matches!(
                command.body,
                Body::Trading(
                    TradingCommand::ExpireSession(_)
                        | TradingCommand::Trigger(_)
                        | TradingCommand::Auction(_)
                        | TradingCommand::CloseDay
                )
            ) {
                return command;
            }
        }
    }

    /// A new key, or another change of a key when there are enough.
    pub(crate) fn deal_key(&mut self, state: &State) -> Command {
        self.dealer.deal_key(state)
    }

    /// Commands that found the exchange.
    pub(crate) fn founding_len(&self) -> u64 {
        u64::try_from(self.founding.len()).expect("a few commands")
    }
}

/// The command of a frame.
pub(crate) fn command_of(frame: &[u8]) -> Command {
    let mut out = Outbox::default();
    let (_, command) = decode_events(frame, &mut out).expect("a frame that was just written");
    decode_command(command, &out).expect("a frame that was just written")
}
