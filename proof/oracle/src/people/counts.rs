//! How often each case occurred.

use std::fmt;

/// The cases that a run must meet.
const CASES: [&str; 69] = [
    "signed in",
    "step used again",
    "step too far",
    "recovery code",
    "recovery code again",
    "enrolled",
    "enrolled twice",
    "throttled by peer",
    "throttled codes",
    "codes locked for a day",
    "unlocked by reset and recovery",
    "oldest browser ended",
    "oldest half browser ended",
    "enrolled anew",
    "stopped by a link",
    "browser too old",
    "password set",
    "password reset",
    "mail too many",
    "consented",
    "code too old for the scope",
    "consent to a foreign account",
    "consent beyond roles or app",
    "consent to an unreviewed app",
    "implicit token",
    "exchanged",
    "wrong try of a code",
    "code too old",
    "second use ended tokens",
    "fewer scopes than consented",
    "refreshed",
    "narrowed",
    "wider refused",
    "race",
    "late reuse ended a family",
    "oldest access token ended",
    "token revoked",
    "family revoked",
    "foreign token left alone",
    "all of a token ended",
    "app deleted",
    "review withdrawn",
    "implicit switched off",
    "roles changed",
    "all ended of a user",
    "order of a token",
    "order of a page",
    "refused act of a token or page",
    "cancelled own session",
    "passkey added",
    "passkey enrolled",
    "passkey signed in",
    "passkey renewed",
    "passkey removed",
    "passkey known",
    "passkeys too many",
    "last factor kept",
    "challenge again",
    "challenge too old",
    "counter went back",
    "key made by page",
    "key beyond its user",
    "key stopped by page",
    "act on a key of others",
    "key that an administrator disabled",
    "factors reset",
    "preferences set",
    "preferences too soon",
    "preferences too long",
];

/// How often each case occurred in a run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PeopleCounts([u64; CASES.len()]);

impl Default for PeopleCounts {
    fn default() -> Self {
        Self([0; CASES.len()])
    }
}

impl PeopleCounts {
    /// Counts a case; others are not counted.
    pub(super) fn note(&mut self, case: &str) {
        if let Some(place) = CASES.iter().position(|known| *known == case) {
            self.0[place] += 1;
        }
    }

    /// Adds the counts of another run.
    pub fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(sum, more)| *sum += more);
    }

    /// The cases that occurred less often.
    pub fn rarer_than(&self, least: u64) -> Vec<&'static str> {
        CASES.into_iter().zip(self.0).filter(|(_, count)| *count < least).map(|(case, _)| case).collect()
    }
}

impl fmt::Debug for PeopleCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(CASES.iter().zip(self.0)).finish()
    }
}
