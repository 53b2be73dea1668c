//! The terms that a group accepts before its first order (PM-011, PM-012).

use crate::Predictions;
use alloc::string::String;
use buttonwood_model::{GroupId, SessionId, Time};
use serde::{Deserialize, Serialize};

/// The first version of the terms, which exists from the start.
pub const FIRST_TERMS: &str = "Each contract pays one dollar for the outcome that its event is resolved with, and nothing for the other. \
An event that becomes void is paid back as its operator decides. Fees stay charged.";

/// A version of the terms that was published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Published {
    /// Its text.
    pub content: String,
    /// When it was published.
    pub time: Time,
}

/// The latest acceptance of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acceptance {
    /// The version.
    pub version: u32,
    /// The session that accepted it.
    pub session: SessionId,
    /// When.
    pub time: Time,
}

impl Predictions {
    /// The number of the latest version.
    pub fn terms_version(&self) -> u32 {
        u32::try_from(self.terms.len()).unwrap_or(u32::MAX).saturating_add(1)
    }

    /// The latest version, if one was published after the first.
    pub fn published_terms(&self) -> Option<&Published> {
        self.terms.last()
    }

    /// The latest acceptance of a group.
    pub fn acceptance(&self, group: GroupId) -> Option<&Acceptance> {
        self.accepted.get(&group)
    }

    /// Whether a group accepted the latest version (INV-PRED-5).
    #[inline]
    pub fn has_accepted(&self, group: GroupId) -> bool {
        self.accepted.get(&group).is_some_and(|accepted| accepted.version == self.terms_version())
    }
}
