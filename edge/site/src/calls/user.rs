//! The user of a session, and the account that its calls act on.

use super::caller::Caller;
use super::fields;
use super::named::own_account;
use buttonwood_call::Later;
use buttonwood_gate::{Payload, Reason, Refusal, quoted};
use buttonwood_http::Reply;
use buttonwood_identity::{Command, Reject};
use buttonwood_model::{AccountId, GroupId, Role};
use buttonwood_wire::contract::{InPayload, Label, Nullable, Text, Whole};
use buttonwood_wire::field::{bad_value, failed};
use buttonwood_wire::{answer, json, request};
use std::borrow::Cow;

answer! {
    /// A person.
    struct Person {
        /// The e-mail address.
        email: Label,
        /// The name for people.
        name: Label,
    }
}

answer! {
    /// A session, and who is signed in.
    struct Session {
        /// The user.
        user: Person,
        /// The name of the group; null for an operator.
        group: Nullable<Label>,
        /// The rights.
        roles: Vec<String>,
        /// The short name of the account that calls act on; null for an operator.
        account: Nullable<Label>,
        /// The short names of all open accounts of the group.
        accounts: Vec<Label>,
        /// The clearing name of the group; null for an operator.
        counterparty_id: Nullable<String>,
        /// Whether the user is an operator.
        operator: bool,
        /// The token that the session's calls show in `X-CSRF-Token`.
        csrf: String,
    }
}

answer! {
    /// An open account of the group.
    struct Numbered {
        /// Its number, which `?account=` takes, and which stays when it is renamed.
        number: u64,
        /// Its short name.
        name: Label,
        /// Its kind.
        kind: String,
    }
}

request! {
    /// An account, by one of its two names.
    struct Chosen in InPayload {
        /// Its short name.
        account: Text,
        /// Its number, which stays when it is renamed.
        number: Whole,
    }
}

pub(super) fn session(caller: &Caller<'_>) -> Result<Reply, Refusal> {
    let browser = caller.browser;
    let email = caller.app.people.email(browser.user).unwrap_or_default();
    let views = caller.app.exchange.views();
    let (identity, access) = (views.state().identity(), views.state().access());
    let user = identity.user(browser.user).ok_or_else(failed)?;
    let group = browser.group.and_then(|group| access.group(group));
    let account = browser.account.and_then(|account| access.account(account));
    let open = |group: GroupId| access.accounts_of(group).filter(|(id, _)| !access.is_closed(*id));
    let accounts = browser.group.into_iter().flat_map(open);
    let first = browser.group.and_then(|group| access.accounts_of(group).next());
    let answer = Session {
        user: Person { email: Label(email), name: Label(user.name.clone()) },
        group: Nullable(group.map(|group| Label(group.name.clone()))),
        roles: browser.roles.iter().map(|role: Role| role.name().to_owned()).collect(),
        account: Nullable(account.map(|account| Label(account.short_name.clone()))),
        accounts: accounts.map(|(_, account)| Label(account.short_name.clone())).collect(),
        counterparty_id: Nullable(first.map(|(_, account)| account.counterparty_id.clone())),
        operator: browser.is_operator,
        csrf: caller.csrf(),
    };
    Ok(Reply::secret_json(json::body(&answer)))
}

/// The open accounts of the user's group with the names that they bear now.
pub(super) fn accounts(caller: &Caller<'_>) -> Result<Reply, Refusal> {
    let views = caller.app.exchange.views();
    let access = views.state().access();
    let all = caller.browser.group.into_iter().flat_map(|group| access.accounts_of(group));
    let rows = all.filter(|(id, _)| !access.is_closed(*id)).map(|(id, account)| Numbered {
        number: u64::from(id.0),
        name: Label(account.short_name.clone()),
        kind: account.kind.name().to_owned(),
    });
    let rows: Vec<Numbered> = rows.collect();
    Ok(Reply::secret_json(json::body(&rows)))
}

pub(super) fn choose<'a>(caller: &'a Caller<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move {
        let named = Named::of(&fields)?;
        let account = named.find(caller).ok_or_else(|| named.refusal())?;
        let chosen = caller.submit(Command::Choose(caller.browser.session, account)).await?;
        match chosen {
            Ok(()) => Ok(fields::done()),
            Err(Reject::ForeignAccount) => Err(named.refusal()),
            Err(reject) => Err(caller.refusal(&reject)),
        }
    })
}

/// The account that a call chooses.
enum Named<'a> {
    /// By its short name, which another account may bear by now.
    Name(Cow<'a, str>),
    /// By its number.
    Number(u64),
}

impl<'a> Named<'a> {
    fn of(fields: &'a Payload) -> Result<Self, Refusal> {
        let request = Chosen::of(fields);
        match (request.account()?, request.number()?) {
            (Some(name), None) => Ok(Self::Name(name)),
            (None, Some(number)) => Ok(Self::Number(number)),
            (None, None) if fields.sent("account").is_some() => {
                Err(bad_value("account", "a short name", "null"))
            }
            (None, None) => Err(Refusal::missing_key("account")),
            (Some(_), Some(number)) => {
                Err(bad_value("number", "left out where 'account' is sent", &number.to_string()))
            }
        }
    }

    /// The open account of the caller's group that it names.
    fn find(&self, caller: &Caller<'_>) -> Option<AccountId> {
        let group = caller.browser.group;
        match self {
            Self::Name(name) => {
                let views = caller.app.exchange.views();
                let access = views.state().access();
                access.find_account(group?, name).filter(|account| !access.is_closed(*account))
            }
            Self::Number(number) => own_account(caller.app, group, AccountId(u32::try_from(*number).ok()?)),
        }
    }

    fn refusal(&self) -> Refusal {
        let (field, value) = match self {
            Self::Name(name) => ("account", name.clone()),
            Self::Number(number) => ("number", Cow::Owned(number.to_string())),
        };
        let message = format!("Field '{field}' names no open account of your group: '{}'", quoted(&value));
        Refusal::new(Reason::InvalidAccountName, message)
    }
}
