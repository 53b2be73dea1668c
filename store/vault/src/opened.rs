//! A vault that is open for reading.

use crate::file::{Record, Records};
use crate::log::Tail;
use crate::seal::Seal;
use crate::{Fault, Secret};
use std::ops::Bound;

/// A vault that is open for reading; its key is wiped when it is dropped.
pub struct Opened {
    pub(crate) seal: Seal,
    /// Where the key came from, in the form in which a base records it.
    pub(crate) origin: Vec<u8>,
    /// The origin that the base records.
    pub(crate) recorded: Vec<u8>,
    pub(crate) records: Records,
    pub(crate) tail: Tail,
    /// How many sealed secrets lie in the files that hold no longer.
    pub(crate) outdated: usize,
    /// Whether a crash left the log of an earlier base.
    pub(crate) is_stale: bool,
}

/// The secret of this name in sealed records, or `None` when they hold none.
pub(crate) fn get(records: &Records, seal: &Seal, name: &str) -> Result<Option<Secret>, Fault> {
    let Some(record) = records.get(name).filter(|record| !record.is_emptied()) else { return Ok(None) };
    record.open(seal, name).map(Some).ok_or_else(|| Fault::Record { name: name.to_owned() })
}

impl Opened {
    /// The secret of this name, or `None` when the vault holds none.
    ///
    /// # Errors
    /// [`Fault::Record`] when its record does not open.
    pub fn get(&self, name: &str) -> Result<Option<Secret>, Fault> {
        get(&self.records, &self.seal, name)
    }

    /// Whether the secret of a session was removed, since it has ended.
    pub fn is_forgotten(&self, name: &str) -> bool {
        self.records.get(name).is_some_and(Record::is_emptied)
    }

    /// The names of all records that hold a secret, in the order of their bytes.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names_with("")
    }

    /// Those of them that begin with `prefix`.
    pub fn names_with<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = &'a str> {
        let from = (Bound::Included(prefix), Bound::Unbounded);
        let begun = self.records.range::<str, _>(from).take_while(move |(name, _)| name.starts_with(prefix));
        begun.filter(|(_, record)| !record.is_emptied()).map(|(name, _)| name.as_str())
    }

    /// How many secrets the vault holds.
    pub fn len(&self) -> usize {
        self.records.values().filter(|record| !record.is_emptied()).count()
    }

    /// Whether the vault holds no secret.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl core::fmt::Debug for Opened {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Opened").field("secrets", &self.len()).finish_non_exhaustive()
    }
}
