//! The tables of groups, accounts and sessions.

use crate::{GroupTerms, Hand, NewSession, Owner, Request, Session, Standing};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use buttonwood_model::{AccountId, Cidr, GroupId, Nonce, Roles, SessionId, Time, fetch};
use serde::{Deserialize, Serialize};

/// A group of accounts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Its name, unique.
    pub name: String,
    /// Its rights.
    pub terms: GroupTerms,
    /// Where the calls of its keys may come from; anywhere, if the list is empty (AUTH-013).
    pub addresses: Vec<Cidr>,
}

/// The purpose of an account.
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
    /// Its purpose.
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

/// Groups, accounts and sessions. Account ids are the ledger's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    groups: Vec<Group>,
    accounts: Vec<Account>,
    sessions: Vec<Session>,
    closed: BTreeSet<AccountId>,
    /// The accounts by their counterparty ids.
    counterparty_ids: BTreeMap<String, AccountId>,
    /// Every custody account, the oldest first.
    custody: Vec<AccountId>,
    /// The accounts that owe the house for a returned advance (D-167).
    in_debt: BTreeSet<AccountId>,
    /// The client ids that were used.
    pub(crate) client_ids: BTreeMap<(AccountId, String), Request>,
    /// The owners and the roles of the sessions of grants and browsers.
    pub(crate) held: BTreeMap<SessionId, (Owner, Roles)>,
    /// The groups that no operator has approved yet.
    unapproved: BTreeSet<GroupId>,
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

    /// The account with a counterparty id; house and custody accounts have none.
    pub fn by_counterparty_id(&self, id: &str) -> Option<AccountId> {
        self.counterparty_ids.get(id).copied()
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

    /// Whether a group is one that operators know. One that someone made by signing up in a venue gets no advances, no free withdrawals and no
    /// rewards until an operator approves it: the same person could sign up again and again.
    pub fn is_approved(&self, group: GroupId) -> bool {
        !self.unapproved.contains(&group)
    }

    /// Every custody account, closed ones too, the oldest first.
    pub fn custody_accounts(&self) -> &[AccountId] {
        &self.custody
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

    /// Whether an account owes the house for a returned advance, so that it neither trades nor withdraws (D-167).
    pub fn is_in_debt(&self, account: AccountId) -> bool {
        self.in_debt.contains(&account)
    }

    pub(crate) fn is_stopped(&self, account: AccountId) -> bool {
        self.is_closed(account) || self.is_in_debt(account)
    }

    /// Whether a session with the role of a trader may place orders for an account of its owner (AUTH-018, ACCT-013). An account
    /// key knows that its account is closed or in debt, and an account that does not trade gets no such key; so only a master key pays
    /// for a look at the account.
    #[inline]
    pub fn may_place(&self, session: SessionId, account: AccountId) -> bool {
        let Some(known) = self.session(session) else { return self.may_place_held(session, account) };
        match known.key.owner {
            Owner::Account(_) => !known.is_stopped,
            Owner::Group(_) => {
                self.account(account).is_some_and(|account| account.kind.trades())
                    && !self.is_stopped(account)
            }
        }
    }

    /// Adds a group.
    pub fn add_group(&mut self, name: String) {
        self.groups.push(Group { name, terms: GroupTerms::default(), addresses: Vec::new() });
    }

    /// Sets the terms of a group.
    pub(crate) fn set_group_terms(&mut self, group: GroupId, terms: GroupTerms) {
        if let Some(group) = self.groups.get_mut(group.index()) {
            group.terms = terms;
        }
    }

    /// Adds an account.
    pub fn add_account(&mut self, account: Account) {
        let id = AccountId::from_index(self.accounts.len());
        if account.kind == AccountKind::Custody {
            self.custody.push(id);
        }
        if !account.counterparty_id.is_empty() {
            self.counterparty_ids.entry(account.counterparty_id.clone()).or_insert(id);
        }
        self.accounts.push(account);
    }

    /// Marks an account as a broker, or removes the mark (D-12).
    pub fn set_broker(&mut self, account: AccountId, is_broker: bool) {
        if let Some(account) = self.accounts.get_mut(account.index()) {
            account.broker = is_broker;
        }
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
        self.note_stop(account);
    }

    /// Sets whether an account is in debt, and notes it in the account's keys.
    pub fn set_in_debt(&mut self, account: AccountId, is_in_debt: bool) {
        if is_in_debt {
            self.in_debt.insert(account);
        } else {
            self.in_debt.remove(&account);
        }
        self.note_stop(account);
    }

    /// Notes in the account's keys whether it may trade.
    fn note_stop(&mut self, account: AccountId) {
        let is_stopped = self.is_stopped(account);
        let owner = Owner::Account(account);
        let keys = self.sessions.iter_mut().filter(|session| session.key.owner == owner);
        keys.for_each(|session| session.is_stopped = is_stopped);
    }

    /// Restricts a group to addresses, or to none with an empty list.
    pub(crate) fn restrict_group(&mut self, group: GroupId, addresses: Vec<Cidr>) {
        if let Some(group) = self.groups.get_mut(group.index()) {
            group.addresses = addresses;
        }
    }

    /// A session by the text of its key.
    pub fn find_session(&self, api_key: &str) -> Option<SessionId> {
        let is_it = |session: &Session| session.key.api_key == api_key;
        self.sessions.iter().position(is_it).map(SessionId::from_index)
    }

    /// The group that a session belongs to; every key's account is in one.
    pub fn group_of(&self, owner: Owner) -> Option<GroupId> {
        match owner {
            Owner::Group(group) => Some(group),
            Owner::Account(account) => self.account(account)?.group,
        }
    }

    /// Adds a session.
    pub fn add_session(&mut self, key: NewSession, now: Time) {
        let is_stopped = matches!(key.owner, Owner::Account(account) if self.is_stopped(account));
        self.sessions.push(Session::new(key, is_stopped, now));
    }

    /// Sets whether a session may act.
    pub(crate) fn set_standing(&mut self, session: SessionId, standing: Standing) {
        if let Some(session) = self.sessions.get_mut(session.index()) {
            session.standing = standing;
        }
    }

    /// Disables a session, and notes who did.
    pub(crate) fn disable(&mut self, session: SessionId, by: Hand) {
        if let Some(session) = self.sessions.get_mut(session.index()) {
            (session.standing, session.disabled_by) = (Standing::Disabled, by);
        }
    }

    /// Sets what a session may do.
    pub(crate) fn set_roles(&mut self, session: SessionId, roles: Roles) {
        if let Some(session) = self.sessions.get_mut(session.index()) {
            session.key.roles = roles;
        }
    }

    /// Sets whether operators know a group.
    pub(crate) fn set_approved(&mut self, group: GroupId, is_approved: bool) {
        if is_approved {
            self.unapproved.remove(&group);
        } else {
            self.unapproved.insert(group);
        }
    }

    /// Gives a session another name.
    pub(crate) fn rename_session(&mut self, session: SessionId, name: String) {
        if let Some(session) = self.sessions.get_mut(session.index()) {
            session.key.name = name;
        }
    }

    /// Restricts a session to addresses, or to none with an empty list.
    pub(crate) fn restrict_session(&mut self, session: SessionId, addresses: Vec<Cidr>) {
        if let Some(session) = self.sessions.get_mut(session.index()) {
            session.key.addresses = addresses;
        }
    }

    /// Forgets which nonces a session has used: it may begin again with any (D-26).
    pub fn forget_nonces(&mut self, session: SessionId) {
        if let Some(session) = self.sessions.get_mut(session.index()) {
            session.forget_nonces();
        }
    }

    /// Notes that a session has used a nonce.
    #[inline]
    pub fn take_nonce(&mut self, session: SessionId, nonce: &Nonce, now: Time) {
        if let Some(session) = self.sessions.get_mut(session.index()) {
            session.take(nonce, now);
        }
    }
}
