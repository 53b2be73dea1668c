//! Sessions of API keys, which sign commands and use up nonces.

use alloc::string::String;
use alloc::vec::Vec;
use buttonwood_model::{AccountId, Cidr, GroupId, Nonce, Roles, Time};
use serde::{Deserialize, Serialize};

/// The account or group that a session acts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Owner {
    /// An account key: this account.
    Account(AccountId),
    /// A master key: every account of the group.
    Group(GroupId),
}

/// The settings of a session. New fields go at the end: the records `access.add_session` and `access.session_added` end with them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(C)]
pub struct NewSession {
    /// The account or group that it acts for.
    pub owner: Owner,
    /// Its rights.
    pub roles: Roles,
    /// Whether 30 s of silence cancel its orders (SES-010).
    pub require_heartbeat: bool,
    /// Whether its nonces are times (SES-008).
    pub time_based_nonce: bool,
    /// The key's public text, beginning with `account-` or `master-` (AUTH-015).
    pub api_key: String,
    /// Its name for people, which `credentials.json` lists it under.
    pub name: String,
    /// Where its calls may come from; anywhere, if the list is empty (AUTH-013).
    pub addresses: Vec<Cidr>,
}

/// Whether a session may act.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Standing {
    /// It may.
    #[default]
    Enabled,
    /// It may not, until it is enabled again.
    Disabled,
    /// It may not, ever again.
    Ended,
}

/// Who disabled a session. One whom a later one outranks cannot enable it again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Hand {
    /// A user of the group who is no administrator, by page.
    User,
    /// An administrator of the group, by page.
    Administrator,
    /// An operator.
    #[default]
    Operator,
}

/// A session. Fields that every command reads lie in its first cache line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(C, align(64))]
pub struct Session {
    highest: Nonce,
    /// Nonces it has used, from 0 again after 256: which place the next digest takes, and which floor counts.
    uses: u8,
    /// Whether it is a key of an account that may not trade any more: it is closed, or in debt.
    pub(crate) is_stopped: bool,
    pub(crate) standing: Standing,
    /// Who disabled it last, as far as it is disabled.
    pub(crate) disabled_by: Hand,
    /// The second of its last command, since 1970.
    last_used: u32,
    /// Its settings.
    pub key: NewSession,
    pub(crate) late: Late,
    created: Time,
}

impl Session {
    /// A session that has used no nonce yet.
    pub(crate) fn new(key: NewSession, is_stopped: bool, created: Time) -> Self {
        Self {
            highest: Nonce::default(),
            uses: 0,
            is_stopped,
            standing: Standing::Enabled,
            disabled_by: Hand::default(),
            last_used: 0,
            key,
            late: Late::default(),
            created,
        }
    }

    /// Whether it may act.
    pub fn standing(&self) -> Standing {
        self.standing
    }

    /// Who disabled it, if it is disabled.
    pub fn disabled_by(&self) -> Option<Hand> {
        (self.standing == Standing::Disabled).then_some(self.disabled_by)
    }

    /// When it was made.
    pub fn created(&self) -> Time {
        self.created
    }

    /// When it last sent a command, or used a nonce that was journaled, to the second; none before the first.
    pub fn last_used(&self) -> Option<Time> {
        (self.last_used > 0).then(|| Time(u64::from(self.last_used) * Time::SECOND))
    }

    /// The highest nonce it has used; zero before the first.
    pub fn highest_nonce(&self) -> Nonce {
        self.highest
    }

    /// Whether it may use this nonce: it has not, and nothing much higher has been used.
    #[inline]
    pub(crate) fn may_use(&self, nonce: &Nonce) -> bool {
        *nonce > self.highest || self.late.may_come(self.uses, nonce)
    }

    #[inline]
    pub(crate) fn take(&mut self, nonce: &Nonce, now: Time) {
        self.last_used = u32::try_from(now.seconds()).unwrap_or(u32::MAX);
        if *nonce > self.highest {
            self.highest = *nonce;
        }
        self.late.note(self.uses, nonce);
        self.uses = self.uses.wrapping_add(1);
        if self.uses.is_multiple_of(SPAN) {
            self.late.raise(self.uses, self.highest);
        }
    }
}

impl Session {
    /// Forgets which nonces it has used.
    pub(crate) fn forget_nonces(&mut self) {
        (self.highest, self.uses, self.late) = Default::default();
    }
}

/// Nonces kept one by one.
const RECENT: usize = 16;
/// Uses after which the floor moves up; those since the floor are always fewer than two such spans.
const SPAN: u8 = 8;

/// Which nonces below the highest may still come. The gate lets nonces in by their order of arrival; from there to the
/// writer, calls on several connections may overtake each other. So a late one is taken if it lies above the floor,
/// the highest of some uses ago, and is none of those used since.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[repr(C, align(64))]
pub(crate) struct Late {
    /// Digests of the latest uses.
    recent: [u32; RECENT],
    /// Everything up to here counts as used. Two that take turns, so that a move writes one and reads none.
    floors: [Nonce; 2],
}

impl Late {
    #[cold]
    fn may_come(&self, uses: u8, nonce: &Nonce) -> bool {
        let [even, odd] = &self.floors;
        let floor = if is_odd(uses) { odd } else { even };
        nonce > floor && !self.recent.contains(&digest(nonce))
    }

    #[inline]
    fn note(&mut self, uses: u8, nonce: &Nonce) {
        if let Some(place) = self.recent.get_mut(usize::from(uses) % RECENT) {
            *place = digest(nonce);
        }
    }

    /// Ends a span: the other floor counts, as it was written at the end of the one before.
    fn raise(&mut self, uses: u8, highest: Nonce) {
        let [even, odd] = &mut self.floors;
        *(if is_odd(uses) { even } else { odd }) = highest;
    }
}

/// Whether the spans that have ended are an odd number.
fn is_odd(uses: u8) -> bool {
    uses & SPAN != 0
}

/// The mark of a late nonce among those used before; an accident of 2^-32 refuses a late one that was not.
fn digest(nonce: &Nonce) -> u32 {
    u32::try_from(nonce.digest() >> 32).unwrap_or(0)
}
