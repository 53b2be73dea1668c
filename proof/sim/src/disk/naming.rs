//! Changes of names, which become durable one by one.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Files by their full names as bytes: comparing paths part by part takes longer.
pub(super) type Names = BTreeMap<OsString, u64>;

/// A change of names that is not durable yet.
#[derive(Clone, Debug)]
pub(super) enum Naming {
    Linked(PathBuf, u64),
    Renamed(PathBuf, PathBuf, u64),
    Removed(PathBuf),
}

impl Naming {
    /// The folder whose sync makes it durable.
    pub(super) fn folder(&self) -> Option<&Path> {
        match self {
            Self::Linked(path, _) | Self::Renamed(_, path, _) | Self::Removed(path) => path.parent(),
        }
    }

    fn touches(&self, path: &Path) -> bool {
        match self {
            Self::Linked(name, _) | Self::Removed(name) => name == path,
            Self::Renamed(from, to, _) => from == path || to == path,
        }
    }

    /// Whether the two concern a common name, so that their order is fixed.
    pub(super) fn meets(&self, other: &Self) -> bool {
        match self {
            Self::Linked(path, _) | Self::Removed(path) => other.touches(path),
            Self::Renamed(from, to, _) => other.touches(from) || other.touches(to),
        }
    }

    pub(super) fn apply(&self, names: &mut Names) {
        match self {
            Self::Linked(path, file) => {
                names.insert(path.into(), *file);
            }
            Self::Renamed(from, to, file) => {
                names.remove(from.as_os_str());
                names.insert(to.into(), *file);
            }
            Self::Removed(path) => {
                names.remove(path.as_os_str());
            }
        }
    }
}
