//! Whether a caller may act: the checks of decision D-05 that need no request text.

use crate::{Access, Hand, Owner, Session, Standing};
use buttonwood_model::{AccountId, Nonce, Roles, Scopes, SessionId};
use serde::{Deserialize, Serialize};

/// Who sends a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caller {
    /// The key that signed it, or the grant or the browser that sends it.
    pub session: SessionId,
    /// The account it acts on; none where the call is about the session itself, or about its group.
    pub account: Option<AccountId>,
    /// The nonce it used; of an access token, its number in its grant; of a browser, zero.
    pub nonce: Nonce,
}

/// Why a caller may not act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject {
    /// The session does not exist.
    UnknownSession,
    /// The session is disabled or ended (AUTH-011).
    Disabled,
    /// The session has used the nonce, or one much higher (SES-002).
    NonceUsed,
    /// The session may not act for the account (AUTH-017).
    ForeignAccount,
    /// The session has these roles, and none of those needed (ERR-002).
    MissingRole(Roles),
    /// The access token has these scopes, and none of those needed (OAUTH-026).
    MissingScope(Scopes),
    /// The account is of a kind that does not trade (AUTH-018).
    WrongKind,
    /// No such group or session, or a key that may not be made so.
    Unknown,
    /// The name of the group, the short name of the account or the key is taken.
    Taken,
    /// Another account of the group has the display name, or another key of the group the name.
    NameTaken,
    /// The group has not agreed to the terms of custody accounts (ACCT-007).
    NoCustodyTerms,
    /// The group has this many open accounts, the most that it may have (ACCT-007).
    GroupFull(u32),
    /// The group has as many keys as its users may make.
    TooManyKeys,
    /// The group's users have made as many keys as they may in a day, those that have ended too.
    KeysTooFast,
    /// The key was disabled by one who outranks the user.
    DisabledBy(Hand),
    /// The account is closed (ACCT-013).
    Closed,
    /// The account owes the house for a returned advance (D-167).
    InDebt,
    /// The account must settle something in this room of the list before it is closed.
    InUse(&'static str),
    /// The session has ended, so it is not changed any more.
    Ended,
    /// The session may not have the roles.
    BadRoles,
    /// A list of addresses is too long.
    TooManyAddresses,
}

impl Reject {
    /// Whether the refused call has used its nonce (SES-006).
    pub fn uses_nonce(self) -> bool {
        match self {
            Self::UnknownSession | Self::Disabled | Self::NonceUsed => false,
            Self::ForeignAccount
            | Self::MissingRole(_)
            | Self::MissingScope(_)
            | Self::WrongKind
            | Self::Unknown
            | Self::NameTaken
            | Self::NoCustodyTerms
            | Self::GroupFull(_)
            | Self::TooManyKeys
            | Self::KeysTooFast
            | Self::DisabledBy(_)
            | Self::Closed
            | Self::InDebt
            | Self::InUse(_)
            | Self::Ended
            | Self::BadRoles
            | Self::TooManyAddresses
            | Self::Taken => true,
        }
    }
}

/// Checks session, nonce, account and role, in this order (D-05). A refusal for anything but the session or the nonce still
/// uses the nonce.
///
/// # Errors
/// The first [`Reject`].
#[inline]
pub fn admit(access: &Access, caller: &Caller, needed: Roles) -> Result<(), Reject> {
    let session = enabled(access, caller)?;
    if !session.key.time_based_nonce && !session.may_use(&caller.nonce) {
        return Err(Reject::NonceUsed);
    }
    allow(access, session, caller, needed)
}

/// The same for a caller whose nonce an earlier command of the same call has used.
///
/// # Errors
/// The first [`Reject`]; never [`Reject::NonceUsed`].
pub fn admit_again(access: &Access, caller: &Caller, needed: Roles) -> Result<(), Reject> {
    let session = enabled(access, caller)?;
    allow(access, session, caller, needed)
}

/// The caller's session, which must not be disabled.
#[inline]
fn enabled<'a>(access: &'a Access, caller: &Caller) -> Result<&'a Session, Reject> {
    let session = access.session(caller.session).ok_or(Reject::UnknownSession)?;
    if session.standing != Standing::Enabled {
        return Err(Reject::Disabled);
    }
    Ok(session)
}

/// Checks account and role.
#[inline]
fn allow(access: &Access, session: &Session, caller: &Caller, needed: Roles) -> Result<(), Reject> {
    let is_foreign = |account| !access.owns(session.key.owner, account);
    if caller.account.is_some_and(is_foreign) {
        return Err(Reject::ForeignAccount);
    }
    // A master key acts on accounts only through a named one, checked above.
    if caller.account.is_none() && matches!(session.key.owner, Owner::Account(_)) && needed != Roles::NONE {
        return Err(Reject::ForeignAccount);
    }
    if !session.key.roles.allows(needed) {
        return Err(Reject::MissingRole(session.key.roles));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Account, AccountKind, NewSession};
    use alloc::string::String;
    use alloc::vec::Vec;
    use buttonwood_model::{GroupId, Role, Time};

    fn nonce(text: &str) -> Nonce {
        Nonce::parse(text.as_bytes()).unwrap()
    }

    fn directory() -> Access {
        let mut access = Access::default();
        access.add_group(String::from("one"));
        access.add_group(String::from("two"));
        for group in [0, 0, 1] {
            access.add_account(Account {
                group: Some(GroupId(group)),
                short_name: String::from("primary"),
                counterparty_id: String::new(),
                jurisdiction: String::new(),
                broker: false,
                opened: Time(0),
                kind: AccountKind::Exchange,
                display_name: String::new(),
            });
        }
        let key = |owner| NewSession {
            api_key: String::from("account-x"),
            name: String::from("x"),
            owner,
            roles: Roles::of(&[Role::Trader]),
            require_heartbeat: false,
            time_based_nonce: false,
            addresses: Vec::new(),
        };
        access.add_session(key(Owner::Account(AccountId(0))), Time(0));
        access.add_session(key(Owner::Group(GroupId(0))), Time(0));
        access
    }

    fn caller(session: u32, account: u32, number: &str) -> Caller {
        Caller { session: SessionId(session), account: Some(AccountId(account)), nonce: nonce(number) }
    }

    const TRADER: Roles = Roles::of(&[Role::Trader]);

    /// Proves SES-002, SES-003.
    #[test]
    fn a_used_or_lower_nonce_is_refused_per_session() {
        let mut access = directory();
        assert_eq!(admit(&access, &caller(0, 0, "5"), TRADER), Ok(()));
        access.take_nonce(SessionId(0), &nonce("5"), Time(0));
        assert_eq!(admit(&access, &caller(0, 0, "5"), TRADER), Err(Reject::NonceUsed));
        // A call that the gate let in before overtook this one on its way here.
        assert_eq!(admit(&access, &caller(0, 0, "4.9"), TRADER), Ok(()));
        access.take_nonce(SessionId(0), &nonce("4.9"), Time(0));
        assert_eq!(admit(&access, &caller(0, 0, "4.9"), TRADER), Err(Reject::NonceUsed));
        for number in 6..100 {
            access.take_nonce(SessionId(0), &nonce(&alloc::format!("{number}")), Time(0));
        }
        assert_eq!(admit(&access, &caller(0, 0, "30"), TRADER), Err(Reject::NonceUsed));
        assert_eq!(admit(&access, &caller(0, 0, "98.5"), TRADER), Ok(()));
        assert_eq!(admit(&access, &caller(1, 0, "5"), TRADER), Ok(()));
    }

    /// An account without a display name is known by its short name, and is not in its own way.
    #[test]
    fn names_are_compared_within_the_group() {
        let mut access = directory();
        let account = access.account(AccountId(0)).unwrap().clone();
        let named = |display_name: &str, short_name: &str| Account {
            display_name: String::from(display_name),
            short_name: String::from(short_name),
            ..account.clone()
        };
        access.add_account(named("Ärger & Söhne", "sons"));
        for (group, name, own, expected) in [
            (0, "ärger & SÖHNE", None, true),
            (0, "ärger & SÖHNE", Some(3), false),
            (0, "ärger & SÖHNE", Some(0), true),
            (1, "ärger & SÖHNE", None, false),
            (0, "sons", None, false),
            (0, "Primary", None, true),
            (1, "Primary", Some(2), false),
        ] {
            let found = access.has_name(GroupId(group), name, own.map(AccountId));
            assert_eq!(found, expected, "{group} {name} {own:?}");
        }
    }

    /// Proves AUTH-016, AUTH-017.
    #[test]
    fn a_session_reaches_only_its_own_accounts() {
        let access = directory();
        assert_eq!(admit(&access, &caller(0, 1, "1"), TRADER), Err(Reject::ForeignAccount));
        assert_eq!(admit(&access, &caller(1, 1, "1"), TRADER), Ok(()));
        assert_eq!(admit(&access, &caller(1, 2, "1"), TRADER), Err(Reject::ForeignAccount));
        assert_eq!(admit(&access, &caller(9, 0, "1"), TRADER), Err(Reject::UnknownSession));
        let auditors = Roles::of(&[Role::Auditor]);
        assert_eq!(admit(&access, &caller(0, 0, "1"), auditors), Err(Reject::MissingRole(TRADER)));
    }
}
