//! `group list` and `account list`.

use super::{Whose, chosen, names, send, send_of_each};
use crate::command::{Argument, Command, Form, Lines};
use crate::customers::account::AccountKindName;
use crate::keys::shown;
use crate::operator::Operator;
use buttonwood_engine::State;
use buttonwood_gate::{Payload, Refusal};
use buttonwood_model::{AccountId, GroupId};
use buttonwood_wire::contract::Label;
use buttonwood_wire::{answer, json};

/// Only for operators.
pub(crate) const GROUPS: Command =
    Command::list("group list", |operator, _, lines| Box::pin(groups(operator, lines)))
        .about("Lists every group with its terms, the oldest first.")
        .gives::<ListedGroup>();

/// Only for operators.
pub(crate) const ACCOUNTS: Command =
    Command::list("account list", |operator, fields, lines| Box::pin(accounts(operator, fields, lines)))
        .about("Lists the accounts of all groups or of one, the oldest first.")
        .takes::<Whose>(&[Argument::new("group", Form::Option), Argument::new("account", Form::Option)])
        .gives::<ListedAccount>();

answer! {
    /// A group.
    struct ListedGroup {
        /// Its name.
        group: Label,
        /// How many accounts it has, closed ones included.
        accounts: u64,
        /// How many accounts it may have before its administrators can create no more.
        accounts_max: u64,
        /// Whether it has agreed to the terms of custody accounts.
        custody_terms: bool,
        /// Where its calls may come from; anywhere, if it is empty.
        from: Vec<String>,
        /// Whether operators know it: one that someone made by signing up in a venue waits for `group approve`.
        approved: bool,
    }
}

answer! {
    /// An account.
    struct ListedAccount {
        /// The name of its group.
        group: Label,
        /// Its short name, by which calls name it.
        account: Label,
        /// Its name for people.
        name: Label,
        /// Its kind.
        kind: AccountKindName,
        /// Where its owner lives; absent where that is not known.
        jurisdiction: Option<String>,
        /// When it was opened, in milliseconds.
        opened_ms: u64,
        /// Whether it is closed.
        closed: bool,
    }
}

async fn groups(operator: &Operator<'_>, lines: &Lines) -> Result<(), Refusal> {
    let rows = {
        let views = operator.exchange.views();
        let access = views.state().access();
        let row = |(at, group): (usize, &buttonwood_engine::Group)| {
            json::body(&ListedGroup {
                group: Label(group.name.clone()),
                accounts: u64::try_from(access.accounts_of(GroupId::from_index(at)).count())
                    .unwrap_or(u64::MAX),
                accounts_max: u64::from(group.terms.accounts_max),
                custody_terms: group.terms.custody,
                from: shown(&group.addresses),
                approved: access.is_approved(GroupId::from_index(at)),
            })
        };
        access.groups().iter().enumerate().map(row).collect()
    };
    send(lines, rows).await;
    Ok(())
}

async fn accounts(operator: &Operator<'_>, fields: &Payload, lines: &Lines) -> Result<(), Refusal> {
    let request = Whose::of(fields);
    let meant = chosen(operator, request.group()?.as_deref(), request.account()?.as_deref())?;
    send_of_each(operator, lines, meant, |state, account| row(state, account).into_iter().collect()).await;
    Ok(())
}

fn row(state: &State, id: AccountId) -> Option<Vec<u8>> {
    let account = state.access().account(id)?;
    let (group, short_name) = names(state, id);
    Some(json::body(&ListedAccount {
        group,
        account: short_name,
        name: Label(account.name().to_owned()),
        kind: AccountKindName(account.kind.name()),
        jurisdiction: (!account.jurisdiction.is_empty()).then(|| account.jurisdiction.clone()),
        opened_ms: account.opened.millis(),
        closed: state.access().is_closed(id),
    }))
}
