//! `POST /v1/transactions`: trades and transfers of all accounts of a group, the oldest first (XFER-031 to XFER-034). Wraps and instant
//! orders are trades (D-170).
//!
//! Orders and trades share a counter, and each transfer has the counter's value of its time. So both have one order, in which
//! nothing is ever inserted before what was listed.

use buttonwood_call::{App, Auth, Call, Route, unread};
use buttonwood_engine::{Transfer, TransferWay};
use buttonwood_gate::{Owner, Refusal};
use buttonwood_http::Reply;
use buttonwood_model::{AccountId, GroupId, Role, Scope, Time, TradeId};
use buttonwood_views::history::{TradeRow, TradesFrom};
use buttonwood_wire::contract::{InPayload, PageRows, Text, Whole};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::transfer::{Ends, Transaction, trade_transaction, transfer_transaction};
use buttonwood_wire::{answer, json, request};
use std::collections::BTreeMap;

/// Master keys, and access tokens for the account that granted them; any role.
pub(crate) const ROUTE: Route = Route::recalling("/v1/transactions", |app, call| Box::pin(answer(app, call)))
    .by(Auth::Group)
    .roles(&Role::ALL)
    .scopes(&[Scope::HistoryRead])
    .about(
        "Lists the trades and transfers of all accounts of the group, the oldest first; for an access token those of its \
         account.",
    )
    .notes(&[
        "`source` and `destination` are short names of accounts or, outside, a network, an address, a \
         bank's method or the name of the exchange. `operationReason` is the type of the row, and \
         `CustodyFeeDebit` for a custody fee. `method` is `Blockchain` on a chain, `Admin` for the house, \
         else the method of the row. `correlationId` joins the rows of one movement, and `transferId` is \
         the id of an internal transfer.",
        "Nothing is ever inserted before a row that was listed, and a token stays valid over a restart. A \
         broken trade stays in the list.",
    ])
    .takes::<Asked>()
    .gives::<Transactions>();

/// The most items of a page.
const ITEMS_MAX: usize = 300;

request! {
    /// Where the page begins.
    pub(crate) struct Asked in InPayload {
        /// Items from this time on, in nanoseconds since 1970; without it, and without a token, from the first one on.
        timestamp_nanos: Whole,
        /// The `continuationToken` of the page before; not together with `timestamp_nanos`.
        continuation_token: Text,
        /// How many items at most; more than 300 are 300.
        limit: PageRows<100>,
    }
}

answer! {
    /// A page of the transactions.
    struct Transactions {
        /// The items, the oldest first.
        results: Vec<Transaction>,
        /// The token of the next page; absent at the end.
        continuation_token as "continuationToken": Option<String>,
    }
}

/// The place of an item among all items of the exchange: the counter of orders and trades; trades after transfers, which came
/// before the counter rose; the number of the transfer, or the order of the trade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    counter: u64,
    is_trade: bool,
    number: u64,
}

impl Place {
    fn of_transfer(transfer: &Transfer) -> Self {
        Self { counter: transfer.before_trade.0, is_trade: false, number: transfer.eid.0 }
    }

    fn of_trade(trade: &TradeRow) -> Self {
        Self { counter: trade.trade.0, is_trade: true, number: trade.order.0 }
    }
}

/// Where a page begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    /// At the first item from this moment on.
    Time(Time),
    /// After this item.
    After(Place),
}

impl Start {
    fn reaches(self, place: Place, time: Time) -> bool {
        match self {
            Self::Time(from) => time >= from,
            Self::After(last) => place > last,
        }
    }

    fn of_trades(self) -> TradesFrom {
        match self {
            Self::Time(from) => TradesFrom::Time(from),
            Self::After(last) => TradesFrom::Trade(TradeId(last.counter)),
        }
    }
}

async fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let request = Asked::of(call.payload());
    let (nanos, sent) = (request.timestamp_nanos()?, request.continuation_token()?);
    let limit = request.limit()?.rows.min(ITEMS_MAX);
    let group = call.gate().group().ok_or_else(buttonwood_wire::field::failed)?;
    let start = match (nanos, sent) {
        (Some(_), Some(token)) => {
            return Err(bad_value("continuation_token", "absent next to 'timestamp_nanos'", &token));
        }
        (nanos, None) => Start::Time(Time(nanos.unwrap_or_default().div_ceil(1_000))),
        (None, Some(token)) => Start::After(place(group, &token).ok_or_else(|| {
            bad_value("continuation_token", "the continuationToken of an answer to this group", &token)
        })?),
    };
    let seen = Seen::of(app, (group, call.owner()), start, limit + 1);
    let accounts: Vec<AccountId> = seen.names.keys().copied().collect();
    // The two parts of the last trade may both be there again.
    let trades = limit + 3;
    let from = start.of_trades();
    let trades = app.exchange.query_history(move |history| {
        let mut all = history.trades_from(&accounts, from, trades)?;
        all.extend(history.conversions_from(&accounts, from, trades)?);
        Ok(all)
    });
    let trades = trades.await;
    let trades = trades.map_err(|fault| unread(&fault))?;
    let names = app.current_names();
    let mut items = seen.transfers;
    for trade in trades {
        let place = Place::of_trade(&trade);
        // A later trade may follow a transfer that was not seen.
        if trade.trade < seen.end && start.reaches(place, trade.time) {
            let name = seen.names.get(&trade.account).map_or("", String::as_str);
            items.insert(place, trade_transaction(names, &trade, name));
        }
    }
    let last = items.keys().nth(limit - 1).copied().filter(|_| items.len() > limit);
    let answer = Transactions {
        results: items.into_values().take(limit).collect(),
        continuation_token: last.map(|last| token(group, last)),
    };
    Ok(Reply::json(json::body(&answer)))
}

/// The view of a group, or of one account of it.
struct Seen {
    /// The accounts by their short names.
    names: BTreeMap<AccountId, String>,
    /// Their first transfers.
    transfers: BTreeMap<Place, Transaction>,
    /// The id that the next trade gets.
    end: TradeId,
}

impl Seen {
    /// Sees the first `rows` transfers of each account.
    fn of(app: &App, (group, owner): (GroupId, Owner), start: Start, rows: usize) -> Self {
        let views = app.exchange.views();
        let state = views.state();
        let access = state.access();
        let name = |account: AccountId| access.account(account).map_or("", |account| &account.short_name);
        let mut transfers = BTreeMap::new();
        let mut names = BTreeMap::new();
        for (id, account) in access.accounts_of(group).filter(|(id, _)| access.owns(owner, *id)) {
            let reached = |transfer: &Transfer| start.reaches(Place::of_transfer(transfer), transfer.time);
            for transfer in state.funds().transfers_from(id, reached).take(rows) {
                let other = match transfer.row.way {
                    TransferWay::Internal { other, .. } => name(other),
                    TransferWay::Bank(..) | TransferWay::Operator(_) | TransferWay::Chain(_) => "",
                };
                let bank = match transfer.row.way {
                    TransferWay::Bank(_, Some(number)) => {
                        state.funds().banks().get(number).map(|bank| bank.id)
                    }
                    TransferWay::Bank(_, None)
                    | TransferWay::Internal { .. }
                    | TransferWay::Operator(_)
                    | TransferWay::Chain(_) => None,
                };
                let ends = Ends { account: &account.short_name, other, bank };
                let item = transfer_transaction(&app.names, transfer, ends);
                transfers.insert(Place::of_transfer(transfer), item);
            }
            names.insert(id, account.short_name.clone());
        }
        Self { names, transfers, end: TradeId(state.next_id()) }
    }
}

/// The token of an item: 42 hex digits of group, counter, kind and number.
fn token(group: GroupId, last: Place) -> String {
    format!("{:08x}{:016x}{:02x}{:016x}", group.0, last.counter, u8::from(last.is_trade), last.number)
}

/// The item of a token; none for what is no token of this group.
fn place(group: GroupId, text: &str) -> Option<Place> {
    let digits = |range: std::ops::Range<usize>| u64::from_str_radix(text.get(range)?, 16).ok();
    let is_trade = digits(24..26)? == 1;
    let found = Place { counter: digits(8..24)?, is_trade, number: digits(26..42)? };
    (token(group, found) == text).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_back_and_others_do_not() {
        let group = GroupId(7);
        for last in [
            Place { counter: 0, is_trade: false, number: 0 },
            Place { counter: u64::MAX, is_trade: true, number: u64::MAX },
        ] {
            let text = token(group, last);
            assert_eq!(place(group, &text), Some(last));
            assert_eq!(place(GroupId(8), &text), None);
            assert_eq!(place(group, &text.to_uppercase()).is_some(), text == text.to_uppercase());
            for wrong in [&text[1..], &format!("{text}0"), &text.replacen('0', "+", 1), "", "é"] {
                assert_eq!(place(group, wrong), None, "{wrong}");
            }
        }
    }
}
