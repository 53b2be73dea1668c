//! Links that are mailed: to confirm an address, and to set another password.

use crate::expiry::Expiring;
use crate::throttle::Limited;
use crate::{Digest, Identity, Infrequent, NewUser, Peer, Reject, UserId};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use buttonwood_access::{self as access, Access, Account, AccountKind};
use buttonwood_ledger as ledger;
use buttonwood_model::{AccountId, BytesRef, CurrencyId, GroupId, Outbox, Role, Roles, Time};
use buttonwood_num::Money;
use buttonwood_room::Context;
use serde::{Deserialize, Serialize};

/// How long a link confirms an address, in microseconds: 24 hours.
pub const CONFIRM_AGE: u64 = 24 * 3_600 * Time::SECOND;
/// How long a link sets another password, in microseconds: one hour.
pub const RESET_AGE: u64 = 3_600 * Time::SECOND;
/// The rights of someone who signs up: all but that of an auditor.
const FOUNDER: Roles = Roles::of(&[Role::Administrator, Role::Trader, Role::FundManager]);
/// The short name of the account of someone who signs up.
const FIRST_ACCOUNT: &str = "primary";

/// Someone who signed up and has not confirmed the address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignUp {
    /// The SHA-256 of the address in lower case.
    pub login: Digest,
    /// The name for people.
    pub name: String,
    /// The number of the password in the vault.
    pub credential: u64,
    /// The SHA-256 of the token in the link.
    pub token: Digest,
    /// The SHA-256 of the cookie of the browser that signed up.
    pub browser: Digest,
    /// When the link ends; set by the room.
    pub ends: Time,
}

/// A mail that is asked for, and the limits that it counts against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mailing {
    /// The SHA-256 of the address in lower case.
    pub login: Digest,
    /// Who asks for it.
    pub peer: Peer,
    /// Whether the limits of mails hold.
    pub is_limited: bool,
}

/// A link that sets another password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reset {
    /// Whose password.
    pub user: UserId,
    /// When the link ends.
    pub ends: Time,
}

/// How the one who follows a link shows to be the one who signed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConfirmProof {
    /// By the cookie of the browser.
    Browser(Digest),
    /// By the password with this number, which was right.
    Password(u64),
}

/// An address that is confirmed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confirm {
    /// The SHA-256 of the token in the link.
    pub token: Digest,
    /// Who follows it.
    pub proof: ConfirmProof,
    /// The test balances of the new account; none in a venue.
    pub credit: Vec<(CurrencyId, Money)>,
}

/// Counts a mail, and refuses one of a peer that asks too often. Returns whether it may be sent: an address gets few, and the one who asks
/// does not learn it.
fn count_mail<E: From<BytesRef>>(
    identity: &Identity,
    mailing: &Mailing,
    now: Time,
    out: &mut Outbox<E>,
) -> Result<bool, Reject> {
    if !mailing.is_limited {
        return Ok(true);
    }
    identity.check_mail_of(mailing.peer, now)?;
    out.push_named(&Infrequent::MailCounted(*mailing));
    Ok(identity.check_mail_to(&mailing.login, now).is_ok())
}

/// Notes a sign-up. Where the address is taken, or got too many mails, nothing but the mail is counted.
pub(crate) fn sign_up<E: From<BytesRef>>(
    identity: &Identity,
    (mailing, new): (&Mailing, &SignUp),
    now: Time,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let may_mail = count_mail(identity, mailing, now, out)?;
    if may_mail && identity.find_user(&new.login).is_none() && !identity.sign_ups.contains_key(&new.token) {
        out.push_named(&Infrequent::SignedUp(SignUp { ends: now.plus(CONFIRM_AGE), ..new.clone() }));
    }
    Ok(())
}

/// Confirms an address: the user gets a group with one account.
pub(crate) fn confirm<E: From<BytesRef>>(
    context: &Context<'_, Identity>,
    confirm: &Confirm,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let (identity, now) = (context.room, context.time);
    let signed_up = identity.sign_ups.get(&confirm.token).filter(|it| now < it.ends);
    let signed_up = signed_up.ok_or(Reject::BadLink)?;
    let is_theirs = match confirm.proof {
        ConfirmProof::Browser(cookie) => cookie == signed_up.browser,
        ConfirmProof::Password(credential) => credential == signed_up.credential,
    };
    if !is_theirs || identity.find_user(&signed_up.login).is_some() {
        return Err(Reject::BadLink);
    }
    let access = context.access;
    let group = GroupId::from_index(access.groups().len());
    let account = AccountId::from_index(access.accounts().len());
    let name = free_name(access, identity.users().len());
    out.push_named(&access::Infrequent::GroupAdded(name.clone()));
    let kind = AccountKind::Exchange;
    out.push_named(&access::Infrequent::AccountOpened(Account {
        group: Some(group),
        short_name: FIRST_ACCOUNT.into(),
        counterparty_id: access.free_counterparty_id(kind, context.seed, &name, FIRST_ACCOUNT),
        jurisdiction: String::new(),
        broker: false,
        opened: now,
        kind,
        display_name: String::new(),
    }));
    for (currency, amount) in &confirm.credit {
        let is_known = context.currency(*currency).is_some() && *amount > Money::ZERO;
        if !is_known || context.ledger.can_issue(*currency, *amount).is_err() {
            return Err(Reject::BadCredit);
        }
        out.push_named(&ledger::Infrequent::Credited(account, (*currency).into(), *amount));
    }
    out.push_named(&Infrequent::UserAdded(NewUser {
        login: signed_up.login,
        name: signed_up.name.clone(),
        group: Some(group),
        roles: FOUNDER,
        is_operator: false,
        is_disabled: false,
        credential: signed_up.credential,
        factor: 0,
    }));
    Ok(())
}

/// A name that no group has.
fn free_name(access: &Access, number: usize) -> String {
    let mut names = (number..).map(|number| format!("user-{number}"));
    names.find(|name| access.find_group(name).is_none()).unwrap_or_default()
}

/// Notes a link that sets another password, for a user who may sign in.
pub(crate) fn ask_reset<E: From<BytesRef>>(
    identity: &Identity,
    (mailing, token): (&Mailing, &Digest),
    now: Time,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let may_mail = count_mail(identity, mailing, now, out)?;
    let user = identity.find_user(&mailing.login);
    let user = user.filter(|user| may_mail && identity.user(*user).is_some_and(|user| !user.is_disabled));
    if let Some(user) = user
        && !identity.resets.contains_key(token)
    {
        out.push_named(&Infrequent::ResetAsked(*token, Reset { user, ends: now.plus(RESET_AGE) }));
    }
    Ok(())
}

/// Sets another password by a link.
pub(crate) fn reset<E: From<BytesRef>>(
    identity: &Identity,
    (token, credential): (&Digest, u64),
    now: Time,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let reset = identity.resets.get(token).filter(|reset| now < reset.ends).ok_or(Reject::BadLink)?;
    if credential == 0 || identity.user(reset.user).is_none_or(|user| user.is_disabled) {
        return Err(Reject::BadLink);
    }
    out.push_named(&Infrequent::PasswordReset(reset.user, credential));
    Ok(())
}

impl Identity {
    pub(crate) fn note_mail(&mut self, mailing: &Mailing, now: Time) {
        if self.check_mail_to(&mailing.login, now).is_ok() {
            self.count(Limited::MailTo(mailing.login), now);
        }
        self.count(Limited::MailOf(mailing.peer), now);
    }

    pub(crate) fn note_sign_up(&mut self, new: SignUp) {
        self.expiries.insert((new.ends, Expiring::SignUp(new.token)));
        self.sign_ups.insert(new.token, new);
    }

    /// Ends what waits for an address.
    pub(crate) fn drop_sign_ups(&mut self, login: &Digest) {
        let tokens: Vec<Digest> =
            self.sign_ups.values().filter(|it| it.login == *login).map(|it| it.token).collect();
        for token in tokens {
            self.drop_sign_up(&token);
        }
    }

    pub(crate) fn drop_sign_up(&mut self, token: &Digest) {
        if let Some(ended) = self.sign_ups.remove(token) {
            self.expiries.remove(&(ended.ends, Expiring::SignUp(*token)));
        }
    }

    pub(crate) fn note_reset(&mut self, token: Digest, reset: Reset) {
        self.expiries.insert((reset.ends, Expiring::Reset(token)));
        self.resets.insert(token, reset);
    }

    pub(crate) fn drop_reset(&mut self, token: &Digest) {
        if let Some(ended) = self.resets.remove(token) {
            self.expiries.remove(&(ended.ends, Expiring::Reset(*token)));
        }
    }

    /// Ends the links that would set another password of a user.
    pub(crate) fn end_resets(&mut self, user: UserId) {
        let tokens: Vec<Digest> =
            self.resets.iter().filter(|(_, reset)| reset.user == user).map(|(token, _)| *token).collect();
        for token in tokens {
            self.drop_reset(&token);
        }
    }

    /// Sets a password that came by a link: it signs the user out everywhere.
    pub(crate) fn reset_password(&mut self, access: &mut Access, id: UserId, credential: u64, now: Time) {
        let Some(user) = self.users.get_mut(id.index()) else { return };
        (user.credential, user.reset) = (credential, Some(now));
        let browsers = user.browsers.clone();
        for session in browsers {
            self.end_browser(access, session);
        }
        self.end_resets(id);
    }
}
