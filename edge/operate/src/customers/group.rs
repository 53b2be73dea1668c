//! `group add` and `group set`: groups and their terms (ACCT-007).

use crate::command::{Argument, Command, Form};
use crate::operator::Operator;
use buttonwood_engine::{AccessCommand, AccessReject, GroupTerms, NewGroup, Reject};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_wire::account::display_name;
use buttonwood_wire::contract::{Done, Flag, InPayload, Label, Needed, Text, WholeUpTo};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};
use std::sync::Arc;

/// Accounts of a group at most.
const ACCOUNTS_MAX: u64 = 4_294_967_295;

/// Adds a group.
pub(crate) const ADD: Command =
    Command::once("group add", |operator, fields| Box::pin(add(operator, fields)))
        .about("Adds a group of accounts.")
        .takes::<AddGroup>(&[
            Argument::new("name", Form::Place),
            Argument::new("accounts_max", Form::Option).named("max-accounts"),
            Argument::new("custody_terms", Form::Switch),
        ])
        .gives::<GroupIs>();

/// `POST /sandbox/groups` does the same.
pub(crate) const SET: Command =
    Command::once("group set", |operator, fields| Box::pin(set(operator, fields)))
        .about("Sets those terms of a group that are named.")
        .takes::<SetGroup>(&[
            Argument::new("name", Form::Place),
            Argument::new("accounts_max", Form::Option).named("max-accounts"),
            Argument::new("custody_terms", Form::Switch),
            Argument::new("no_custody_terms", Form::Switch),
        ])
        .gives::<GroupIs>();

request! {
    /// A group to add.
    struct AddGroup in InPayload {
        /// Its name: 1 to 50 characters without control characters.
        name: Needed<Text>,
        /// How many accounts it may have before its administrators can create no more; 500 without it.
        accounts_max: WholeUpTo<ACCOUNTS_MAX>,
        /// Whether it has agreed to the terms of custody accounts.
        custody_terms: Flag<false>,
    }
}

request! {
    /// The terms of a group.
    struct SetGroup in InPayload {
        /// Its name.
        name: Needed<Text>,
        /// How many accounts it may have before its administrators can create no more.
        accounts_max: WholeUpTo<ACCOUNTS_MAX>,
        /// It has agreed to the terms of custody accounts.
        custody_terms: Flag<false>,
        /// It no longer agrees to them.
        no_custody_terms: Flag<false>,
    }
}

answer! {
    /// A group and its terms.
    struct GroupIs {
        /// Always `ok`.
        result: Done,
        /// Its name.
        group: Label,
        /// How many accounts it may have before its administrators can create no more.
        accounts_max: u64,
        /// Whether it has agreed to the terms of custody accounts.
        custody_terms: bool,
    }
}

async fn add(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = AddGroup::of(fields);
    let Label(name) = display_name("name", &request.name()?)?;
    let default = GroupTerms::default();
    let accounts_max = request.accounts_max()?.map_or(default.accounts_max, small);
    let terms = GroupTerms { accounts_max, custody: request.custody_terms()? };
    let refuse = |reject| {
        let is_taken = reject == Reject::Access(AccessReject::Taken);
        is_taken.then(|| bad_value("name", "one that no group has", &name))
    };
    let new = NewGroup { name: name.clone(), terms };
    operator.send(AccessCommand::MakeGroup(Arc::new(new)), refuse).await?;
    Ok(answer(name.clone(), terms))
}

async fn set(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = SetGroup::of(fields);
    let name = request.name()?;
    let (accounts_max, agrees, refuses) =
        (request.accounts_max()?, request.custody_terms()?, request.no_custody_terms()?);
    if agrees && refuses {
        return Err(bad_value("no_custody_terms", "given without custody_terms", "true"));
    }
    if accounts_max.is_none() && !agrees && !refuses {
        return Err(Refusal::missing_key("accounts_max"));
    }
    let before = {
        let views = operator.exchange.views();
        let access = views.state().access();
        let group = access.find_group(&name).and_then(|group| access.group(group));
        group.map(|group| group.terms)
    };
    let before = before.ok_or_else(|| bad_value("name", "the name of a group", &name))?;
    let terms = GroupTerms {
        accounts_max: accounts_max.map_or(before.accounts_max, small),
        custody: agrees || before.custody && !refuses,
    };
    set_terms(operator, "name", &name, terms).await?;
    Ok(answer(name.into_owned(), terms))
}

/// Sets all terms of the group that is named in `field`.
///
/// # Errors
/// The refusal of a name that no group has.
pub async fn set_terms(
    operator: &Operator<'_>,
    field: &str,
    name: &str,
    terms: GroupTerms,
) -> Result<(), Refusal> {
    let group = operator.exchange.views().state().access().find_group(name);
    let group = group.ok_or_else(|| bad_value(field, "the name of a group", name))?;
    operator.send(AccessCommand::SetGroupTerms(group, terms), |_| None).await
}

fn small(accounts_max: u64) -> u32 {
    u32::try_from(accounts_max).unwrap_or(u32::MAX)
}

fn answer(group: String, GroupTerms { accounts_max, custody }: GroupTerms) -> Vec<u8> {
    let accounts_max = u64::from(accounts_max);
    json::body(&GroupIs { result: Done, group: Label(group), accounts_max, custody_terms: custody })
}
