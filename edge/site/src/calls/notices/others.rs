//! News of the other accounts of the user's group: their trades and ends of orders, stops that entered the book, and short margin (D-300).
//!
//! The work of an answer is bounded for a group of any size: it reads events of the accounts whose orders changed last, and a number
//! of live orders and margins. An answer that leaves something out says so.

use super::news::{News, Other};
use super::standing::{self, Margin};
use super::{Read, orders};
use crate::calls::caller::Caller;
use buttonwood_gate::Refusal;
use buttonwood_model::AccountId;
use buttonwood_views::history::NewsBound;
use buttonwood_wire::answer;
use buttonwood_wire::contract::Label;
use std::collections::BTreeMap;

/// How much an answer reads of the events of the other accounts.
const EVENTS: NewsBound = NewsBound { accounts: 50, rows: 10_000, news: 1_000 };
/// Live orders of the other accounts that an answer looks at for stops.
const ORDERS: usize = 5_000;
/// Other accounts whose margin an answer computes.
const MARGINS: usize = 200;

answer! {
    /// Another account whose margin is short.
    pub(super) struct Short {
        /// The account.
        account: Other,
        /// Its margin.
        margin: Margin,
    }
}

/// The news of the other accounts.
#[derive(Debug)]
pub(super) struct Others {
    pub(super) read: Read,
    pub(super) short: Vec<Short>,
}

/// The news of the accounts of the caller's group but `own`, after the event with the number `known`; all of them with `is_all`.
pub(super) async fn read(
    caller: &Caller<'_>,
    own: AccountId,
    (known, is_all): (u64, bool),
) -> Result<Others, Refusal> {
    let names = names(caller, own);
    let accounts: Vec<AccountId> = names.keys().copied().collect();
    let found = orders::read(caller.app, accounts.clone(), (known, is_all), EVENTS).await?;
    let (stops, are_more_stops) = orders::stops(caller.app, &accounts, ORDERS);
    let rows = found.rows.into_iter().chain(stops).filter_map(|(account, row)| {
        // The numbers of events have a letter of their own, since their cursor is another.
        let id = row.id.strip_prefix('e').map_or_else(|| row.id.clone(), |number| format!("o{number}"));
        Some(News { id, account: Some(other(account, names.get(&account)?)), ..row })
    });
    let rows = rows.collect();
    let more = found.more || are_more_stops || names.len() > MARGINS;
    Ok(Others { read: Read { last: found.last, rows, more }, short: short(caller, &names) })
}

fn other(account: AccountId, name: &str) -> Other {
    Other { number: u64::from(account.0), name: Label(name.to_owned()) }
}

/// The open accounts of the group but `own`, by their short names.
fn names(caller: &Caller<'_>, own: AccountId) -> BTreeMap<AccountId, String> {
    let views = caller.app.exchange.views();
    let access = views.state().access();
    let all = caller.browser.group.into_iter().flat_map(|group| access.accounts_of(group));
    let open = all.filter(|(id, _)| *id != own && !access.is_closed(*id));
    open.map(|(id, account)| (id, account.short_name.clone())).collect()
}

fn short(caller: &Caller<'_>, names: &BTreeMap<AccountId, String>) -> Vec<Short> {
    let views = caller.app.exchange.views();
    let of = |(account, name): (&AccountId, &String)| {
        let margin = standing::of(views.state(), *account).filter(Margin::is_short)?;
        Some(Short { account: other(*account, name), margin })
    };
    names.iter().take(MARGINS).filter_map(of).collect()
}
