//! The commands of this room, and its infrequent events.

use crate::{
    Access, Account, Caller, GroupTerms, Hand, NewAccount, NewSession, OwnKey, Owner, Reject, Standing,
    change, close, create, own_key, rename,
};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use arrayvec::ArrayVec;
use buttonwood_model::{
    AccountId, BytesRef, Cidr, GroupId, Nonce, Outbox, Right, Role, Roles, Scopes, SessionId, Time, commands,
    named,
};
use serde::{Deserialize, Serialize};

/// Nonces that one command takes note of at most; held in place, so that none of them is allocated.
pub const SEEN_MAX: usize = 4;

/// Nonces and the sessions that used them.
pub type Seen = ArrayVec<(SessionId, Nonce), SEEN_MAX>;

/// A command of this room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Nothing but use up the nonce: a state-changing call that was refused before it became a command (SES-006).
    UseNonce,
    /// Nonces that calls which only read have used (D-08a).
    NoncesSeen(Seen),
    /// Forget which nonces a session has used, so that it may begin again: a sandbox's way out of one that was too high (D-26).
    ResetNonces(SessionId),
    /// Add a group of this name.
    AddGroup(Arc<String>),
    /// Add a group with its terms.
    MakeGroup(Arc<NewGroup>),
    /// Open an account.
    OpenAccount(Arc<Account>),
    /// Make a session.
    AddSession(Arc<NewSession>),
    /// Give the acting account these names, or those of them that there are.
    RenameAccount(Arc<AccountNames>),
    /// Open an account in the caller's group.
    CreateAccount(Arc<NewAccount>),
    /// Set the terms of a group.
    SetGroupTerms(GroupId, GroupTerms),
    /// Set the terms of a group, its addresses, or both at once.
    ChangeGroup(Arc<GroupChange>),
    /// Close an account for good.
    CloseAccount(AccountId),
    /// Disable a session; with `cancel_orders` its live orders are cancelled too (D-143).
    DisableSession {
        /// Which.
        session: SessionId,
        /// Whether its live orders are cancelled.
        cancel_orders: bool,
    },
    /// Enable a session again.
    EnableSession(SessionId),
    /// End a session for good; with `cancel_orders` its live orders are cancelled too.
    EndSession {
        /// Which.
        session: SessionId,
        /// Whether its live orders are cancelled.
        cancel_orders: bool,
    },
    /// Set what a session may do.
    SetSessionRoles(SessionId, Roles),
    /// Give a session another name for people.
    RenameSession(SessionId, Arc<String>),
    /// Restrict a session to these addresses; to none, if the list is empty.
    RestrictSession(SessionId, Arc<Vec<Cidr>>),
    /// Restrict all sessions of a group to these addresses; to none, if the list is empty.
    RestrictGroup(GroupId, Arc<Vec<Cidr>>),
    /// An act of a browser's user on a key of the user's group.
    KeepKey(Arc<OwnKey>),
    /// Approve a group that someone has made by signing up.
    ApproveGroup(GroupId),
}

/// A group with its terms.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewGroup {
    /// Its name, unique.
    pub name: String,
    /// Its rights.
    pub terms: GroupTerms,
    /// Where the calls of its sessions may come from; anywhere, if it is empty.
    pub addresses: Vec<Cidr>,
}

/// The changed terms of a group, as far as they are named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupChange {
    /// Which.
    pub group: GroupId,
    /// Its rights.
    pub terms: Option<GroupTerms>,
    /// Where the calls of its sessions may come from; anywhere, if it is empty.
    pub addresses: Option<Vec<Cidr>>,
}

/// The names that an account gets, as far as there are any.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountNames {
    /// For people.
    pub display_name: Option<String>,
    /// For calls.
    pub short_name: Option<String>,
}

// A leaked key is disabled on a nearly full disk too. The nonce of a refusal is noted there with others, as `NoncesSeen`.
commands!(Command, "access", {
    UseNonce {} = "use_nonce" 1: client(Self::ANYONE) neither,
    NoncesSeen { 0: seen } = "nonces_seen" 1: anytime reduces,
    ResetNonces { 0: session } = "reset_nonces" 1: anytime neither,
    AddGroup { 0: name } = "add_group" 1: exchange neither,
    MakeGroup { 0: group } = "make_group" 2: exchange neither,
    OpenAccount { 0: account } = "open_account" 2: exchange neither,
    AddSession { 0: session } = "add_session" 2: exchange neither,
    RenameAccount { 0: names } = "rename_account" 1: client(Self::RIGHT) neither,
    CreateAccount { 0: account } = "create_account" 1: client(Self::RIGHT) neither,
    SetGroupTerms { 0: group, 1: terms } = "set_group_terms" 1: anytime neither,
    ChangeGroup { 0: change } = "change_group" 1: anytime neither,
    CloseAccount { 0: account } = "close_account" 1: anytime neither,
    DisableSession { session: session, cancel_orders: cancel } = "disable_session" 1: anytime reduces,
    EnableSession { 0: session } = "enable_session" 1: anytime neither,
    EndSession { session: session, cancel_orders: cancel } = "end_session" 1: anytime reduces,
    SetSessionRoles { 0: session, 1: roles } = "set_session_roles" 1: anytime neither,
    RenameSession { 0: session, 1: name } = "rename_session" 1: anytime neither,
    RestrictSession { 0: session, 1: addresses } = "restrict_session" 1: anytime neither,
    RestrictGroup { 0: group, 1: addresses } = "restrict_group" 1: anytime neither,
    KeepKey { 0: act } = "keep_key" 1: client(Self::ANYONE) depends(act.effect()),
    ApproveGroup { 0: group } = "approve_group" 1: anytime neither,
});

impl Command {
    /// The rights that a client needs to open and rename accounts. No access token does.
    pub const RIGHT: Right = Right { roles: Roles::of(&[Role::Administrator]), scopes: Scopes::NONE };

    /// No role is asked here: the rule of a user's keys reads the roles of the user, and any key may use a nonce.
    const ANYONE: Right = Right { roles: Roles::NONE, scopes: Scopes::NONE };

    /// The session whose live orders the command cancels, if it does.
    pub fn cancels_orders_of(&self) -> Option<SessionId> {
        if let Self::DisableSession { session, cancel_orders: true }
        | Self::EndSession { session, cancel_orders: true } = self
        {
            Some(*session)
        } else if let Self::KeepKey(act) = self {
            act.cancels_orders_of()
        } else {
            None
        }
    }
}

/// The events on the path of every call of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A session used a nonce.
    NonceUsed(SessionId, Nonce),
}

/// The infrequent events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Infrequent {
    /// Which nonces a session has used was forgotten.
    NoncesForgotten(SessionId),
    /// A group was added.
    GroupAdded(String),
    /// An account was opened.
    AccountOpened(Account),
    /// A session was made.
    SessionAdded(NewSession),
    /// An account was given those of the names that there are.
    AccountRenamed {
        /// Which.
        account: AccountId,
        /// For people.
        display_name: Option<String>,
        /// For calls.
        short_name: Option<String>,
    },
    /// The terms of a group were set.
    GroupTermsSet(GroupId, GroupTerms),
    /// An account was closed.
    AccountClosed(AccountId),
    /// An operator disabled a session.
    SessionDisabled(SessionId),
    /// A session was enabled.
    SessionEnabled(SessionId),
    /// A session was ended.
    SessionEnded(SessionId),
    /// The roles of a session were set.
    SessionRolesSet(SessionId, Roles),
    /// A session was given another name.
    SessionRenamed(SessionId, String),
    /// A session was restricted to addresses.
    SessionRestricted(SessionId, Vec<Cidr>),
    /// A group was restricted to addresses.
    GroupRestricted(GroupId, Vec<Cidr>),
    /// A group waits until an operator approves it.
    GroupHeld(GroupId),
    /// A group was approved.
    GroupApproved(GroupId),
    /// A user disabled a key by page.
    KeyDisabled(SessionId, Hand),
}

named!(Infrequent, "access", {
    NoncesForgotten { 0: session } = "nonces_forgotten" 1,
    GroupAdded { 0: name } = "group_added" 1,
    AccountOpened { 0: account } = "account_opened" 2,
    SessionAdded { 0: session } = "session_added" 2,
    AccountRenamed { account: account, display_name: display_name, short_name: short_name } = "account_renamed" 1,
    GroupTermsSet { 0: group, 1: terms } = "group_terms_set" 1,
    AccountClosed { 0: account } = "account_closed" 1,
    SessionDisabled { 0: session } = "session_disabled" 1,
    SessionEnabled { 0: session } = "session_enabled" 1,
    SessionEnded { 0: session } = "session_ended" 1,
    SessionRolesSet { 0: session, 1: roles } = "session_roles_set" 1,
    SessionRenamed { 0: session, 1: name } = "session_renamed" 1,
    SessionRestricted { 0: session, 1: addresses } = "session_restricted" 1,
    GroupRestricted { 0: group, 1: addresses } = "group_restricted" 1,
    GroupHeld { 0: group } = "group_held" 1,
    GroupApproved { 0: group } = "group_approved" 1,
    KeyDisabled { 0: session, 1: by } = "key_disabled" 1,
});

/// Decides a command: of a key that [`admit`](crate::admit) has let in, or, without a caller, of the exchange itself or an
/// operator. `drawn` is the time of the command, and the seed of everything that is drawn at random.
///
/// # Errors
/// [`Reject`]; what was written by then is taken back by the caller.
pub fn decide<E: From<Event> + From<BytesRef>>(
    access: &Access,
    drawn: (Time, u64),
    caller: Option<&Caller>,
    command: &Command,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    match command {
        // A key that was let in has used its nonce; without a key there is none.
        Command::UseNonce if caller.is_some() => {}
        Command::UseNonce => return Err(Reject::Unknown),
        Command::NoncesSeen(seen) => {
            for (session, nonce) in seen {
                out.push(Event::NonceUsed(*session, *nonce));
            }
        }
        Command::ResetNonces(session) => {
            access.session(*session).ok_or(Reject::Unknown)?;
            out.push_named(&Infrequent::NoncesForgotten(*session));
        }
        Command::AddGroup(name) => {
            if access.find_group(name).is_some() {
                return Err(Reject::Taken);
            }
            out.push_named(&Infrequent::GroupAdded(String::clone(name)));
        }
        Command::MakeGroup(new) => change::make_group(access, new, out)?,
        Command::ChangeGroup(change) => change::change_group(access, change, out)?,
        Command::OpenAccount(account) => {
            check_account(access, account)?;
            out.push_named(&Infrequent::AccountOpened(Account::clone(account)));
        }
        Command::AddSession(session) => {
            check_session(access, session)?;
            out.push_named(&Infrequent::SessionAdded(NewSession::clone(session)));
        }
        Command::RenameAccount(names) => rename::decide(access, caller, names, out)?,
        Command::CreateAccount(new) => create::decide(access, drawn, caller, new, out)?,
        Command::CloseAccount(account) => close::decide(access, *account, out)?,
        Command::SetGroupTerms(group, terms) => {
            access.group(*group).ok_or(Reject::Unknown)?;
            out.push_named(&Infrequent::GroupTermsSet(*group, *terms));
        }
        Command::DisableSession { session, .. } => change::disable(access, *session, Hand::Operator, out)?,
        Command::EnableSession(session) => change::enable(access, *session, out)?,
        Command::EndSession { session, .. } => change::end(access, *session, out)?,
        Command::SetSessionRoles(session, roles) => change::set_roles(access, *session, *roles, out)?,
        Command::RenameSession(session, name) => change::rename(access, *session, name, out)?,
        Command::RestrictSession(session, addresses) => change::restrict(access, *session, addresses, out)?,
        Command::RestrictGroup(group, addresses) => change::restrict_group(access, *group, addresses, out)?,
        Command::KeepKey(act) => own_key::decide(access, drawn.0, caller, act, out)?,
        Command::ApproveGroup(group) => change::approve_group(access, *group, out)?,
    }
    Ok(())
}

/// A new account has a group that exists, and no account of the group has one of its names.
fn check_account(access: &Access, account: &Account) -> Result<(), Reject> {
    let group = account.group.ok_or(Reject::Unknown)?;
    access.group(group).ok_or(Reject::Unknown)?;
    if access.find_account(group, &account.short_name).is_some() {
        return Err(Reject::Taken);
    }
    if access.has_name(group, account.name(), None) {
        return Err(Reject::NameTaken);
    }
    Ok(())
}

/// A key has an owner that exists, roles that it may have, the prefix of its kind, no heartbeat when it is a master key
/// (AUTH-015, SES-016).
pub(crate) fn check_session(access: &Access, session: &NewSession) -> Result<(), Reject> {
    let (exists, prefix) = match session.owner {
        // The house's own accounts are in no group, and no key reaches them.
        Owner::Account(id) => (access.account(id).is_some_and(|account| account.group.is_some()), "account-"),
        Owner::Group(group) => (access.group(group).is_some(), "master-"),
    };
    let heartbeat_ok = !session.require_heartbeat || matches!(session.owner, Owner::Account(_));
    if !exists || !session.api_key.starts_with(prefix) || !heartbeat_ok {
        return Err(Reject::Unknown);
    }
    if !change::may_have(access, session.owner, session.roles) {
        return Err(Reject::BadRoles);
    }
    change::check_addresses(&session.addresses)?;
    if access.find_session(&session.api_key).is_some() {
        return Err(Reject::Taken);
    }
    Ok(())
}

/// Applies what seldom happens; an account that was opened needs an account of the ledger too, so it is the engine's to add.
pub fn evolve(access: &mut Access, now: Time, event: Infrequent) {
    match event {
        Infrequent::NoncesForgotten(session) => access.forget_nonces(session),
        Infrequent::GroupAdded(name) => access.add_group(name),
        Infrequent::AccountOpened(account) => access.add_account(account),
        Infrequent::SessionAdded(session) => access.add_session(session, now),
        Infrequent::AccountRenamed { account, display_name, short_name } => {
            access.rename_account(account, display_name, short_name);
        }
        Infrequent::GroupTermsSet(group, terms) => access.set_group_terms(group, terms),
        Infrequent::AccountClosed(account) => access.close_account(account),
        Infrequent::SessionDisabled(session) => access.disable(session, Hand::Operator),
        Infrequent::SessionEnabled(session) => access.set_standing(session, Standing::Enabled),
        Infrequent::SessionEnded(session) => access.set_standing(session, Standing::Ended),
        Infrequent::SessionRolesSet(session, roles) => access.set_roles(session, roles),
        Infrequent::SessionRenamed(session, name) => access.rename_session(session, name),
        Infrequent::SessionRestricted(session, addresses) => access.restrict_session(session, addresses),
        Infrequent::GroupRestricted(group, addresses) => access.restrict_group(group, addresses),
        Infrequent::GroupHeld(group) => access.set_approved(group, false),
        Infrequent::GroupApproved(group) => access.set_approved(group, true),
        Infrequent::KeyDisabled(session, by) => access.disable(session, by),
    }
}
