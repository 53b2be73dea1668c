//! `group add` and `group set`: groups, their terms (ACCT-007) and their addresses (AUTH-013).

use crate::command::{Argument, Command, Effect, Form};
use crate::keys::{addresses, shown};
use crate::operator::Operator;
use buttonwood_engine::{AccessCommand, AccessReject, GroupChange, GroupTerms, NewGroup, Reject};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_model::{Cidr, GroupId};
use buttonwood_wire::account::display_name;
use buttonwood_wire::contract::{Done, Flag, InPayload, Label, Needed, Switch, Text, Texts, WholeUpTo};
use buttonwood_wire::field::{bad_value, failed};
use buttonwood_wire::{answer, json, request};
use std::sync::Arc;

/// Accounts of a group at most.
const ACCOUNTS_MAX: u64 = 4_294_967_295;

/// Adds a group.
pub(crate) const ADD: Command =
    Command::once("group add", Effect::Prepares, |operator, fields| Box::pin(add(operator, fields)))
        .about("Adds a group of accounts.")
        .takes::<AddGroup>(&[
            Argument::new("name", Form::Place),
            Argument::new("accounts_max", Form::Option).named("max-accounts"),
            Argument::new("custody_terms", Form::Switch),
            Argument::new("from", Form::Options),
        ])
        .gives::<GroupIs>();

/// Sets what is named, and leaves the rest.
pub(crate) const SET: Command = Command::once("group set", Effect::SetsTerms, |operator, fields| {
    Box::pin(set(operator, fields))
})
.about("Sets those terms of a group that are named; --from takes the place of its whole list of addresses.")
.takes::<SetGroup>(&[
    Argument::new("name", Form::Place),
    Argument::new("accounts_max", Form::Option).named("max-accounts"),
    Argument::new("custody_terms", Form::Switch),
    Argument::new("no_custody_terms", Form::Switch),
    Argument::new("from", Form::Options),
])
.gives::<GroupIs>();

/// `POST /sandbox/groups`, which sets all terms.
pub const SET_TERMS: Command = SET
    .called::<SetTerms, TermsSet>(|operator, fields| Box::pin(set_terms(operator, fields)))
    .about("Sets the terms of a group.");

request! {
    /// A group to add.
    struct AddGroup in InPayload {
        /// Its name: 1 to 50 characters without control and format characters, no blank at either end.
        name: Needed<Text>,
        /// How many accounts it may have before its administrators can create no more; 500 without it.
        accounts_max: WholeUpTo<ACCOUNTS_MAX>,
        /// Whether it has agreed to the terms of custody accounts.
        custody_terms: Flag<false>,
        /// Addresses or blocks of addresses, such as 192.0.2.0/24, from which its calls may come; from anywhere without one.
        from: Texts,
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
        /// Addresses or blocks of addresses, such as 192.0.2.0/24, instead of those before; an empty list lifts the restriction.
        from: Texts,
    }
}

request! {
    /// The terms of a group.
    struct SetTerms in InPayload {
        /// The name of the group.
        group: Needed<Text>,
        /// How many accounts it may have before its administrators can create no more.
        accounts_max: Needed<WholeUpTo<ACCOUNTS_MAX>>,
        /// Whether it has agreed to the terms of custody accounts.
        custody_terms: Needed<Switch>,
    }
}

answer! {
    /// The terms were set.
    struct TermsSet {
        /// Always `ok`.
        result: Done,
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
        /// Where its calls may come from; anywhere, if it is empty.
        from: Vec<String>,
    }
}

async fn add(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = AddGroup::of(fields);
    let Label(name) = display_name("name", &request.name()?)?;
    let default = GroupTerms::default();
    let accounts_max = request.accounts_max()?.map_or(default.accounts_max, small);
    let terms = GroupTerms { accounts_max, custody: request.custody_terms()? };
    let addresses = addresses(&request.from()?.unwrap_or_default())?;
    let refuse = |reject| {
        let is_taken = reject == Reject::Access(AccessReject::Taken);
        is_taken.then(|| bad_value("name", "one that no group has", &name))
    };
    let new = NewGroup { name: name.clone(), terms, addresses: addresses.clone() };
    let _turn = operator.keeper.turn.lock().await;
    operator.send(AccessCommand::MakeGroup(Arc::new(new)), refuse).await?;
    if !operator.is_dry_run() && !addresses.is_empty() {
        let group = operator.exchange.views().state().access().find_group(&name).ok_or_else(failed)?;
        operator.gate.keys().restrict_group(group, &addresses);
    }
    Ok(answer(name, terms, &addresses))
}

async fn set(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let name = SetGroup::of(fields).name()?;
    // Held until the gate knows the change, so that what was read of the group before still stands.
    let _turn = operator.keeper.turn.lock().await;
    let before = Before::of(operator, &name)?;
    let change = before.changed(SetGroup::of(fields))?;
    operator.send(AccessCommand::ChangeGroup(Arc::new(change.clone())), |_| None).await?;
    if let Some(addresses) = change.addresses.as_deref().filter(|_| !operator.is_dry_run()) {
        operator.gate.keys().restrict_group(before.group, addresses);
    }
    let terms = change.terms.unwrap_or(before.terms);
    Ok(answer(name.into_owned(), terms, &change.addresses.unwrap_or(before.addresses)))
}

/// A group as it stands before it is changed.
struct Before {
    group: GroupId,
    terms: GroupTerms,
    addresses: Vec<Cidr>,
}

impl Before {
    /// The group of this name.
    fn of(operator: &Operator<'_>, name: &str) -> Result<Self, Refusal> {
        let views = operator.exchange.views();
        let access = views.state().access();
        let found = access.find_group(name).and_then(|id| Some((id, access.group(id)?)));
        let (group, before) = found.ok_or_else(|| bad_value("name", "the name of a group", name))?;
        Ok(Self { group, terms: before.terms, addresses: before.addresses.clone() })
    }

    /// The change that the request names.
    fn changed(&self, request: SetGroup<'_>) -> Result<GroupChange, Refusal> {
        let accounts_max = request.accounts_max()?.map(small);
        let (agrees, refuses) = (request.custody_terms()?, request.no_custody_terms()?);
        let addresses = request.from()?.map(|from| addresses(&from)).transpose()?;
        if agrees && refuses {
            return Err(bad_value("no_custody_terms", "given without custody_terms", "true"));
        }
        let has_terms = accounts_max.is_some() || agrees || refuses;
        if !has_terms && addresses.is_none() {
            return Err(Refusal::missing_key("accounts_max"));
        }
        let terms = GroupTerms {
            accounts_max: accounts_max.unwrap_or(self.terms.accounts_max),
            custody: agrees || self.terms.custody && !refuses,
        };
        Ok(GroupChange { group: self.group, terms: has_terms.then_some(terms), addresses })
    }
}

async fn set_terms(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = SetTerms::of(fields);
    let name = request.group()?;
    let terms =
        GroupTerms { accounts_max: small(request.accounts_max()?), custody: request.custody_terms()? };
    let group = operator.find_group(&name)?;
    operator.send(AccessCommand::SetGroupTerms(group, terms), |_| None).await?;
    Ok(json::body(&TermsSet { result: Done }))
}

fn small(accounts_max: u64) -> u32 {
    u32::try_from(accounts_max).unwrap_or(u32::MAX)
}

fn answer(group: String, terms: GroupTerms, addresses: &[Cidr]) -> Vec<u8> {
    json::body(&GroupIs {
        result: Done,
        group: Label(group),
        accounts_max: u64::from(terms.accounts_max),
        custody_terms: terms.custody,
        from: shown(addresses),
    })
}
