//! A command that cannot be applied: the panic is caught where it happens, and one line names the command.
//!
//! Applying events cannot fail, so a panic there is a bug, and the state that it leaves behind is not used any more. While the
//! exchange runs, the process ends. A replay ends with a fault, and the directory stays as it is.

use crate::Fault;
use buttonwood_disk::Folder;
use buttonwood_engine::{Access, Command, decode_command, decode_events};
use buttonwood_journal::Reader;
use buttonwood_model::{AccountId, Outbox, Stamp};
use jiff::Timestamp;
use std::any::Any;
use std::fmt;

/// A command whose events cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Poison {
    /// The command.
    pub stamp: Stamp,
    /// Its kind and its sender, if it could be read.
    pub command: Option<String>,
    /// The panic's message.
    pub why: String,
    /// The last command of the batches before it, in a replay. Their balances are those that the exchange had.
    pub proven: Option<u64>,
    /// How many commands follow it in the journal, if that is known.
    pub following: Option<u64>,
}

impl Poison {
    /// A command that panicked with `panic`, as [`std::panic::catch_unwind`] returns it.
    pub(crate) fn new(stamp: Stamp, proven: Option<u64>, panic: &(dyn Any + Send)) -> Self {
        let why = panic.downcast_ref::<String>().map(String::as_str);
        let why =
            why.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message");
        Self { stamp, command: None, why: why.to_owned(), proven, following: None }
    }

    /// Adds what the command is.
    pub(crate) fn of(mut self, command: &Command, access: &Access) -> Self {
        self.command = Some(described(command, access));
        self
    }

    /// Adds what the command is, which a replay does not read.
    fn found(self, journal: &Folder, archive: Option<Folder>, access: &Access) -> Self {
        match find(journal, archive, self.stamp.seq.0) {
            Some(command) => self.of(&command, access),
            None => self,
        }
    }
}

impl fmt::Display for Poison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stamp, command, why, proven, following } = self;
        let command = command.as_deref().unwrap_or("its kind and sender cannot be read");
        write!(f, "command {} of {} ({command}) cannot be applied: {why}", stamp.seq.0, shown(*stamp))?;
        if let Some(proven) = proven {
            write!(f, "; the commands up to {proven} are proven")?;
        }
        match following {
            None => Ok(()),
            Some(0) => f.write_str(", and none follows it"),
            Some(following) => write!(f, ", and {following} follow it"),
        }
    }
}

/// The kind and the sender of a command, for a line of text; nothing that the command contains. The names are those of operators'
/// commands.
fn described(command: &Command, access: &Access) -> String {
    let body = format!("{:?}", command.body.inner());
    let kind: Vec<&str> =
        body.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty()).take(2).collect();
    let kind = kind.join(" ");
    match &command.caller {
        None => format!("{kind}, without a key"),
        Some(caller) => match caller.account {
            None => format!("{kind}, session {}", caller.session.0),
            Some(account) => {
                let names = names(account, access).unwrap_or_else(|| account.0.to_string());
                format!("{kind}, account {names}, session {}", caller.session.0)
            }
        },
    }
}

fn names(account: AccountId, access: &Access) -> Option<String> {
    let account = access.account(account)?;
    Some(format!("{} of {}", account.short_name, access.group(account.group?)?.name))
}

/// Adds to a [`Fault::Poison`] what its command is, from the journal and from what is known of its sender. Other faults stay as they are.
pub(crate) fn named(fault: Fault, journal: &Folder, archive: Option<Folder>, access: &Access) -> Fault {
    let Fault::Poison(poison) = fault else { return fault };
    Fault::Poison(Box::new(poison.found(journal, archive, access)))
}

fn find(journal: &Folder, archive: Option<Folder>, wanted: u64) -> Option<Command> {
    let mut reader = Reader::open(journal).ok()?.with_archive(archive);
    let mut found = None;
    let visited = reader.visit_segment(wanted, |batch| {
        for (_, bytes) in batch.frames().filter(|(seq, _)| *seq == wanted) {
            let mut out = Outbox::default();
            let read = decode_events(bytes, &mut out).and_then(|(_, command)| decode_command(command, &out));
            found = read.ok();
        }
    });
    visited.ok()?;
    found
}

fn shown(stamp: Stamp) -> String {
    let micros = i64::try_from(stamp.time.0).ok();
    let time = micros.and_then(|micros| Timestamp::from_microsecond(micros).ok());
    time.map_or_else(|| format!("{} us", stamp.time.0), |time| format!("{time:.6}"))
}

/// Panics that tests plant.
#[cfg(test)]
pub(crate) mod planted {
    use buttonwood_model::Stamp;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// Where a command is applied.
    #[derive(Clone, Copy, Debug)]
    pub(crate) enum Place {
        State,
        Views,
    }

    /// The commands that panic, by place; 0 is none.
    #[derive(Debug, Default)]
    pub(crate) struct Planted([AtomicU64; 2]);

    impl Planted {
        pub(crate) fn plant(&self, place: Place, seq: u64) {
            self.of(place).store(seq, Ordering::Relaxed);
        }

        pub(crate) fn strike(&self, place: Place, stamp: Stamp) {
            assert!(self.of(place).load(Ordering::Relaxed) != stamp.seq.0, "planted in {place:?}");
        }

        fn of(&self, place: Place) -> &AtomicU64 {
            let [state, views] = &self.0;
            match place {
                Place::State => state,
                Place::Views => views,
            }
        }
    }
}

#[cfg(test)]
mod tests;
