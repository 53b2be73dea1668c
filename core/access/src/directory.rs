//! The tables of groups, accounts and sessions.

use crate::GroupTerms;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use buttonwood_model::{AccountId, GroupId, Nonce, Roles, SessionId, Time, fetch};
use serde::{Deserialize, Serialize};

/// A group of accounts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Its name, unique.
    pub name: String,
    /// What it may do.
    pub terms: GroupTerms,
}

/// What an account is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AccountKind {
    /// Trades spot and holds funds.
    Exchange,
    /// Holds funds only.
    Custody,
    /// Trades perpetual contracts.
    Derivatives,
    /// Trades spot with borrowed funds.
    Margin,
}

impl AccountKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Exchange, Self::Custody, Self::Derivatives, Self::Margin];

    /// Whether accounts of this kind place orders (AUTH-018).
    pub const fn trades(self) -> bool {
        match self {
            Self::Exchange | Self::Derivatives | Self::Margin => true,
            Self::Custody => false,
        }
    }

    /// Its name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exchange => "exchange",
            Self::Custody => "custody",
            Self::Derivatives => "derivatives",
            Self::Margin => "margin",
        }
    }
}

/// An account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// The group it belongs to; none for the house's own.
    pub group: Option<GroupId>,
    /// Its short name, unique in the group: what `account` in a payload names (AUTH-016).
    pub short_name: String,
    /// Its counterparty id in clearing: 8 upper-case letters and digits (D-31); empty for a custody account.
    pub counterparty_id: String,
    /// Where its owner lives, for example `US-NY`; empty when unrestricted (D-16).
    pub jurisdiction: String,
    /// Whether the operator marked it as a broker (D-12).
    pub broker: bool,
    /// When it was opened.
    pub opened: Time,
    /// What it is for.
    pub kind: AccountKind,
    /// Its name for people, unique in the group; empty where it has none but the short name.
    pub display_name: String,
}

impl Account {
    /// An account of the house: in no group, so that no key reaches it.
    pub fn house(opened: Time) -> Self {
        Self {
            group: None,
            short_name: String::new(),
            counterparty_id: String::new(),
            jurisdiction: String::new(),
            broker: false,
            opened,
            kind: AccountKind::Exchange,
            display_name: String::new(),
        }
    }

    /// Its name for people: the short name, where it has no other.
    pub fn name(&self) -> &str {
        if self.display_name.is_empty() { &self.short_name } else { &self.display_name }
    }

    /// Gives it those of the names that there are.
    pub(crate) fn rename(&mut self, display_name: Option<String>, short_name: Option<String>) {
        if let Some(name) = display_name {
            self.display_name = name;
        }
        if let Some(name) = short_name {
            self.short_name = name;
        }
    }
}

/// What a session acts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Owner {
    /// An account key: this account.
    Account(AccountId),
    /// A master key: every account of the group.
    Group(GroupId),
}

/// A session to be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(C)]
pub struct NewSession {
    /// What it acts for.
    pub owner: Owner,
    /// What it may do.
    pub roles: Roles,
    /// Whether 30 s of silence cancel its orders (SES-010).
    pub require_heartbeat: bool,
    /// Whether its nonces are times (SES-008).
    pub time_based_nonce: bool,
    /// The key's public text, beginning with `account-` or `master-` (AUTH-015).
    pub api_key: String,
    /// The name `credentials.json` lists it under.
    pub name: String,
}

/// A session: one API key. What every command reads lies in its first cache line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(C, align(64))]
pub struct Session {
    highest: Nonce,
    /// Nonces it has used, from 0 again after 256: which place the next digest takes, and which floor counts.
    uses: u8,
    /// Whether it is a key of a closed account.
    is_closed: bool,
    /// What it was made with.
    pub key: NewSession,
    late: Late,
}

impl Session {
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
    fn take(&mut self, nonce: &Nonce) {
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

/// Nonces kept one by one.
const RECENT: usize = 16;
/// Uses after which the floor moves up; those since the floor are always fewer than two such spans.
const SPAN: u8 = 8;

/// Which nonces below the highest may still come. The gate lets nonces in by their order of arrival; from there to the
/// writer, calls on several connections may overtake each other. So a late one is taken if it lies above the floor,
/// the highest of some uses ago, and is none of those used since.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[repr(C, align(64))]
struct Late {
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

/// What tells a late nonce from those used before; an accident of 2^-32 refuses a late one that was not.
fn digest(nonce: &Nonce) -> u32 {
    u32::try_from(nonce.digest() >> 32).unwrap_or(0)
}

/// Groups, accounts and sessions. Account ids are the ledger's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    groups: Vec<Group>,
    accounts: Vec<Account>,
    sessions: Vec<Session>,
    closed: BTreeSet<AccountId>,
}

impl Access {
    /// Every group.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Every account, the house's first.
    pub fn accounts(&self) -> &[Account] {
        &self.accounts
    }

    /// Every session.
    pub fn sessions(&self) -> &[Session] {
        &self.sessions
    }

    /// An account.
    pub fn account(&self, account: AccountId) -> Option<&Account> {
        self.accounts.get(account.index())
    }

    /// A group.
    pub fn group(&self, group: GroupId) -> Option<&Group> {
        self.groups.get(group.index())
    }

    /// A session.
    pub fn session(&self, session: SessionId) -> Option<&Session> {
        self.sessions.get(session.index())
    }

    /// Has what a command of the session reads and writes of it fetched before it does.
    #[inline]
    pub fn prefetch(&self, session: SessionId) {
        if let Some(session) = self.sessions.get(session.index()) {
            fetch(Some(session));
            fetch(Some(&session.late));
        }
    }

    /// A group by its name.
    pub fn find_group(&self, name: &str) -> Option<GroupId> {
        self.groups.iter().position(|group| group.name == name).map(GroupId::from_index)
    }

    /// An account of a group by its short name (AUTH-017).
    pub fn find_account(&self, group: GroupId, short_name: &str) -> Option<AccountId> {
        let named = |account: &Account| account.group == Some(group) && account.short_name == short_name;
        self.accounts.iter().position(named).map(AccountId::from_index)
    }

    /// The accounts of a group, the oldest first.
    pub fn accounts_of(&self, group: GroupId) -> impl DoubleEndedIterator<Item = (AccountId, &Account)> {
        let all = self.accounts.iter().enumerate();
        let all = all.map(|(at, account)| (AccountId::from_index(at), account));
        all.filter(move |(_, account)| account.group == Some(group))
    }

    /// Whether an account of the group, other than `own`, has this name for people, in whatever letter case.
    pub fn has_name(&self, group: GroupId, name: &str, own: Option<AccountId>) -> bool {
        fn lower(name: &str) -> impl Iterator<Item = char> {
            name.chars().flat_map(char::to_lowercase)
        }
        let is_other = |at: usize| own != Some(AccountId::from_index(at));
        let mut accounts = self.accounts.iter().enumerate();
        accounts.any(|(at, other)| {
            is_other(at) && other.group == Some(group) && lower(other.name()).eq(lower(name))
        })
    }

    /// Whether the owner may act for the account.
    pub fn owns(&self, owner: Owner, account: AccountId) -> bool {
        match owner {
            Owner::Account(own) => own == account,
            Owner::Group(group) => self.account(account).is_some_and(|account| account.group == Some(group)),
        }
    }

    /// Whether an account is closed (ACCT-013).
    pub fn is_closed(&self, account: AccountId) -> bool {
        self.closed.contains(&account)
    }

    /// Whether a session with the role of a trader may place orders for an account of its owner (AUTH-018, ACCT-013). An account
    /// key knows that its account is closed, and an account that does not trade gets no such key; so only a master key pays for a
    /// look at the account.
    #[inline]
    pub fn may_place(&self, session: SessionId, account: AccountId) -> bool {
        let Some(session) = self.session(session) else { return false };
        match session.key.owner {
            Owner::Account(_) => !session.is_closed,
            Owner::Group(_) => {
                self.account(account).is_some_and(|account| account.kind.trades()) && !self.is_closed(account)
            }
        }
    }

    /// Adds a group.
    pub fn add_group(&mut self, name: String) {
        self.groups.push(Group { name, terms: GroupTerms::default() });
    }

    /// Sets the terms of a group.
    pub(crate) fn set_group_terms(&mut self, group: GroupId, terms: GroupTerms) {
        if let Some(group) = self.groups.get_mut(group.index()) {
            group.terms = terms;
        }
    }

    /// Adds an account.
    pub fn add_account(&mut self, account: Account) {
        self.accounts.push(account);
    }

    /// Gives an account those of the names that there are.
    pub fn rename_account(
        &mut self,
        account: AccountId,
        display_name: Option<String>,
        short_name: Option<String>,
    ) {
        if let Some(account) = self.accounts.get_mut(account.index()) {
            account.rename(display_name, short_name);
        }
    }

    /// Closes an account, and notes it in the account's keys.
    pub(crate) fn close_account(&mut self, account: AccountId) {
        self.closed.insert(account);
        let owner = Owner::Account(account);
        let keys = self.sessions.iter_mut().filter(|session| session.key.owner == owner);
        keys.for_each(|session| session.is_closed = true);
    }

    /// Adds a session.
    pub fn add_session(&mut self, key: NewSession) {
        self.sessions.push(Session {
            highest: Nonce::default(),
            uses: 0,
            is_closed: false,
            key,
            late: Late::default(),
        });
    }

    /// Forgets which nonces a session has used: it may begin again with any (D-26).
    pub fn forget_nonces(&mut self, session: SessionId) {
        if let Some(session) = self.sessions.get_mut(session.index()) {
            (session.highest, session.uses, session.late) = Default::default();
        }
    }

    /// Notes that a session has used a nonce.
    #[inline]
    pub fn take_nonce(&mut self, session: SessionId, nonce: &Nonce) {
        if let Some(session) = self.sessions.get_mut(session.index()) {
            session.take(nonce);
        }
    }
}
