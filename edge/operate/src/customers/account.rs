//! `account add`: opens an empty account in a group.

use crate::command::{Argument, Command, Effect, Form};
use crate::operator::Operator;
use buttonwood_engine::{AccessReject, Account, AccountKind, Body, Reject};
use buttonwood_gate::{Payload, Reason, Refusal};
use buttonwood_wire::account::short_name;
use buttonwood_wire::contract::{Done, InPayload, Label, Loose, Needed, Text};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request, words};

/// An account that works at once.
pub(crate) const ADD: Command =
    Command::once("account add", Effect::Prepares, |operator, fields| Box::pin(add(operator, fields)))
        .about("Opens an empty account in a group.")
        .takes::<AddAccount>(&[
            Argument::new("group", Form::Place),
            Argument::new("name", Form::Place),
            Argument::new("kind", Form::Option),
            Argument::new("jurisdiction", Form::Option),
        ])
        .gives::<AccountAdded>();

/// `POST /sandbox/accounts`.
pub const OPEN: Command =
    ADD.called::<NewAccount, OpenedAccount>(|operator, fields| Box::pin(open(operator, fields)));

words! {
    /// The kind of an account.
    pub(crate) struct AccountKindName: "exchange", "custody", "derivatives", "margin"
}

request! {
    /// An account to open.
    struct AddAccount in InPayload {
        /// The name of its group.
        group: Needed<Text>,
        /// Its name: 1 to 50 letters, digits, spaces and `-`.
        name: Needed<Text>,
        /// Its kind; `exchange` without it.
        kind: Loose<AccountKindName>,
        /// Where its owner lives: a country's two letters, or these with a region's, such as `US-NY`.
        jurisdiction: Text,
    }
}

request! {
    /// An account to open.
    struct NewAccount in InPayload {
        /// Its name: 1 to 50 letters, digits, spaces and `-`.
        name: Needed<Text>,
        /// The name of its group.
        group: Needed<Text>,
        /// Its kind.
        kind: Needed<AccountKindName>,
    }
}

answer! {
    /// The account that was opened.
    struct OpenedAccount {
        /// Its short name, by which calls name it.
        account: String,
        /// Its kind.
        kind: AccountKindName,
    }
}

answer! {
    /// The account that was opened.
    struct AccountAdded {
        /// Always `ok`.
        result: Done,
        /// The name of its group.
        group: Label,
        /// Its short name, by which calls name it.
        account: String,
        /// Its kind.
        kind: AccountKindName,
        /// Where its owner lives.
        jurisdiction: Option<String>,
    }
}

async fn add(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = AddAccount::of(fields);
    let (group, name) = (request.group()?, request.name()?);
    let kind = request.kind();
    let kind = kind.as_deref().map_or(Ok(AccountKind::Exchange), self::kind)?;
    let place = request.jurisdiction()?;
    let jurisdiction = place.as_deref().map(|place| jurisdiction("jurisdiction", place)).transpose()?;
    let account = make(operator, &group, &name, kind, jurisdiction.clone().unwrap_or_default()).await?;
    Ok(json::body(&AccountAdded {
        result: Done,
        group: Label(group.into_owned()),
        account,
        kind: AccountKindName(kind.name()),
        jurisdiction,
    }))
}

async fn open(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = NewAccount::of(fields);
    let (name, group) = (request.name()?, request.group()?);
    let kind = kind(&request.kind()?)?;
    let account = make(operator, &group, &name, kind, String::new()).await?;
    Ok(json::body(&OpenedAccount { account, kind: AccountKindName(kind.name()) }))
}

/// Opens an account, and returns its short name.
async fn make(
    operator: &Operator<'_>,
    group: &str,
    name: &str,
    kind: AccountKind,
    jurisdiction: String,
) -> Result<String, Refusal> {
    let short = short_name(name)?;
    let account = {
        let opened = operator.now();
        let views = operator.exchange.views();
        let (state, access) = (views.state(), views.state().access());
        let id = access.find_group(group).ok_or_else(|| bad_value("group", "the name of a group", group))?;
        let seed = state.opening().map_or(0, |opening| opening.seed);
        Account {
            group: Some(id),
            counterparty_id: access.free_counterparty_id(kind, seed, group, &short),
            short_name: short.clone(),
            jurisdiction,
            broker: false,
            opened,
            kind,
            display_name: name.to_owned(),
        }
    };
    let refuse = |reject| {
        let refusal = bad_value("name", "one that no account of the group has", name);
        let is_taken = matches!(reject, Reject::Access(AccessReject::Taken | AccessReject::NameTaken));
        is_taken.then(|| refusal.with_reason(Reason::ConflictingAccountName))
    };
    operator.send(Body::open_account(account), refuse).await?;
    Ok(short)
}

/// The kind of this name.
fn kind(name: &str) -> Result<AccountKind, Refusal> {
    AccountKind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
        bad_value("kind", "one of exchange, custody, derivatives, margin", name)
            .with_reason(Reason::BadAccountType)
    })
}

/// A place in upper case, from a field.
pub fn jurisdiction(field: &str, text: &str) -> Result<String, Refusal> {
    let (country, region) =
        text.split_once('-').map_or((text, None), |(country, region)| (country, Some(region)));
    let is_country = country.len() == 2 && country.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_region = |region: &str| {
        (1..=3).contains(&region.len()) && region.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    if is_country && region.is_none_or(is_region) {
        return Ok(text.to_ascii_uppercase());
    }
    Err(bad_value(field, "a country's two letters, or these with a region's, such as US-NY", text))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Countries and their regions are places, in any letter case.
    #[test]
    fn a_jurisdiction_is_a_place() {
        for (text, place) in [("us-ny", Some("US-NY")), ("DE", Some("DE")), ("gb-eng", Some("GB-ENG"))] {
            assert_eq!(jurisdiction("jurisdiction", text).ok().as_deref(), place);
        }
        for text in ["", "USA", "U", "US-", "US-NYXX", "US NY", "1A", "\u{dc}S"] {
            let message = jurisdiction("jurisdiction", text).unwrap_err().message;
            assert!(message.starts_with("Field 'jurisdiction' must be a country's two letters"), "{message}");
        }
    }
}
