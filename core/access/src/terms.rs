//! The terms of a group, as the operator has set them.

use serde::{Deserialize, Serialize};

/// The terms of a group. New fields go at the end: the record `access.group_terms_set` ends with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupTerms {
    /// How many open accounts the group may have before an administrator can create no more (ACCT-007).
    pub accounts_max: u32,
    /// Whether the group has agreed to the terms of custody accounts (ACCT-007).
    pub custody: bool,
}

/// The terms of a group for which the operator has set none.
impl Default for GroupTerms {
    fn default() -> Self {
        Self { accounts_max: 500, custody: false }
    }
}
