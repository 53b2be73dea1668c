//! Clearing orders of an account, open and closed, as one list.

use buttonwood_call::{App, Call, not_current};
use buttonwood_engine::clearing::Party;
use buttonwood_engine::{ClearingOrder as OpenOrder, State};
use buttonwood_gate::{Reason, Refusal};
use buttonwood_model::{AccountId, Side};
use buttonwood_tables::{ClearingOrder, ClearingPart, WantedClearing};
use buttonwood_wire::clearing::ClearingStatus;
use buttonwood_wire::contract::{DecimalText, Flag, InPayload, Loose, PageRows, Text, Timestamp, Words};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::request;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The orders of an account that a request wants, and only those that the account can pay for now.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    pub(super) wanted: WantedClearing,
    pub(super) is_funded: bool,
}

request! {
    /// The conditions that both lists have.
    struct Conditions in InPayload {
        /// Orders of this symbol alone.
        symbol: Text,
        /// Orders of this status alone.
        status: Loose<ClearingStatus>,
        /// Only orders that are not settled, cancelled or expired.
        funded: Flag<false>,
        /// Orders submitted after this time, in seconds or milliseconds.
        timestamp: Timestamp,
        /// Orders submitted from this time on; needs `submission_end`.
        submission_start: Timestamp,
        /// Orders submitted up to this time; needs `submission_start`.
        submission_end: Timestamp,
        /// Orders that expire from this time on; needs `expiration_end`.
        expiration_start: Timestamp,
        /// Orders that expire up to this time; needs `expiration_start`.
        expiration_end: Timestamp,
        /// How many at most; more than 500 are 500.
        limit_orders: PageRows,
    }
}

/// The filter of an account's own orders, or of those that it entered as a broker.
pub(super) fn filter(app: &App, call: &Call, is_broker: bool) -> Result<Filter, Refusal> {
    let asked = Conditions::of(call.payload());
    let (symbol, status, after) = (asked.symbol()?, asked.status(), asked.timestamp()?);
    let submitted =
        range(["submission_start", "submission_end"], [asked.submission_start()?, asked.submission_end()?])?;
    let expires =
        range(["expiration_start", "expiration_end"], [asked.expiration_start()?, asked.expiration_end()?])?;
    let (is_funded, rows) = (asked.funded()?, asked.limit_orders()?.rows);
    let symbol = app.listed(symbol.as_deref())?.map(|id| app.names.symbol(id).name.clone());
    if let Some(sent) = status.as_deref().filter(|sent| !ClearingStatus::WORDS.contains(sent)) {
        return Err(bad_value("status", &format!("one of {}", ClearingStatus::WORDS.join(", ")), sent));
    }
    let wanted = WantedClearing {
        is_broker: Some(is_broker),
        symbol,
        status: status.map(Cow::into_owned),
        after,
        submitted,
        expires,
        rows,
        ..WantedClearing::default()
    };
    Ok(Filter { wanted, is_funded })
}

/// A range of times of which a request has both ends or none (CLR-020).
fn range(names: [&str; 2], ends: [Option<u64>; 2]) -> Result<Option<(u64, u64)>, Refusal> {
    let [start, end] = names;
    let missing = |name: &str, other: &str| {
        let message = format!("Missing required field '{name}': '{other}' needs it");
        Refusal::new(Reason::MissingPayloadKey, message)
    };
    match ends {
        [Some(from), Some(to)] => Ok(Some((from, to))),
        [None, None] => Ok(None),
        [Some(_), None] => Err(missing(end, start)),
        [None, Some(_)] => Err(missing(start, end)),
    }
}

/// An open order as an account sees it: as one of its sides, as its broker, or as one that may become its target.
pub(super) fn seen(state: &State, order: &OpenOrder, account: AccountId) -> Option<ClearingOrder> {
    let mut row = found(state, order, account)?;
    write(state, order, &mut row);
    Some(row)
}

/// The same without its amounts, which no condition reads.
fn found(state: &State, order: &OpenOrder, account: AccountId) -> Option<ClearingOrder> {
    let symbol = state.symbol(order.symbol)?;
    let part = match (order.party(account), order.broker) {
        (Some(Party::Source), _) => ClearingPart::Source,
        (None, Some(broker)) if broker == account => ClearingPart::Broker,
        (Some(Party::Target) | None, _) => ClearingPart::Target,
    };
    Some(ClearingOrder {
        number: order.number,
        part,
        symbol: symbol.name.clone(),
        source_buys: order.side == Side::Buy,
        price: String::new(),
        quantity: String::new(),
        status: order.status.name().to_owned(),
        is_confirmed: order.is_confirmed(),
        source: order.source,
        source_order: order.source_order,
        target: order.target,
        target_order: order.target_order,
        broker: order.broker,
        submitted: order.submitted,
        expires: order.expires,
        changed: order.changed,
    })
}

/// Writes the amounts of an order.
fn write(state: &State, order: &OpenOrder, row: &mut ClearingOrder) {
    if let Some(symbol) = state.symbol(order.symbol) {
        row.price = text(|out| symbol.grid.push_price(out, order.price));
        row.quantity = text(|out| symbol.grid.push_qty(out, order.qty));
    }
}

fn text(push: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    push(&mut out);
    String::from_utf8(out).unwrap_or_default()
}

/// The orders of each account, without doubles: the newest submitted first, at most `wanted.rows` of each account.
pub(super) async fn of(
    app: &App,
    accounts: Vec<AccountId>,
    filter: &Filter,
) -> Result<Vec<ClearingOrder>, Refusal> {
    let mut all: BTreeMap<(AccountId, u64), ClearingOrder> = BTreeMap::new();
    for account in &accounts {
        let open = open(app, *account, filter);
        all.extend(open.into_iter().map(|order| ((*account, order.number), order)));
    }
    if !filter.is_funded {
        let (wanted, asked) = (filter.wanted.clone(), accounts.clone());
        let closed = app.exchange.query_tables(move |tables| {
            let of = |account: AccountId| Ok((account, tables.clearing_orders(account, &wanted)?));
            asked.into_iter().map(of).collect::<Result<Vec<_>, _>>()
        });
        let closed = closed.await.map_err(|fault| not_current(&fault))?;
        // What was closed since is here in both; the closed row is later.
        for (account, orders) in closed {
            all.extend(orders.into_iter().map(|order| ((account, order.number), order)));
        }
    }
    Ok(newest(all, &accounts, filter.wanted.rows))
}

/// The newest orders of each account, all of them newest first, each once.
fn newest(
    mut all: BTreeMap<(AccountId, u64), ClearingOrder>,
    accounts: &[AccountId],
    rows: usize,
) -> Vec<ClearingOrder> {
    let mut page = BTreeMap::new();
    for account in accounts {
        let own = (*account, 0)..=(*account, u64::MAX);
        let numbers: Vec<_> = all.range(own).rev().take(rows).map(|(key, _)| *key).collect();
        for key in numbers {
            if let Some(order) = all.remove(&key) {
                page.insert(order.number, order);
            }
        }
    }
    page.into_values().rev().collect()
}

/// The most open orders that are looked at before others may change the state. Any account may name another one in a thousand.
const LOOKED_AT_ONCE: usize = 500;

/// The open orders that the filter wants, the newest first.
fn open(app: &App, account: AccountId, filter: &Filter) -> Vec<ClearingOrder> {
    let (mut page, mut last) = (Vec::new(), Some(u64::MAX));
    while let Some(from) = last.filter(|_| page.len() < filter.wanted.rows) {
        last = add(app.exchange.views().state(), (account, from), filter, &mut page);
    }
    page
}

/// Adds the wanted ones of some orders, from a number down. Returns the number from which others are left.
fn add(
    state: &State,
    (account, last): (AccountId, u64),
    filter: &Filter,
    page: &mut Vec<ClearingOrder>,
) -> Option<u64> {
    let free = state.leave().of(account);
    let pays = |order: &OpenOrder| {
        // A broker pays for none of its orders.
        let Some(party) = order.party(account) else { return true };
        let needs =
            state.symbol(order.symbol).and_then(|symbol| order.gives(party, symbol, state.clearing().fee()));
        needs.is_some_and(|(currency, amount)| free.free(currency) >= amount)
    };
    for (looked_at, order) in state.clearing().of_account_up_to(account, last).enumerate() {
        if looked_at == LOOKED_AT_ONCE {
            return Some(order.number);
        }
        if page.len() >= filter.wanted.rows {
            break;
        }
        let wanted = found(state, order, account).filter(|row| filter.wanted.takes(row));
        if let Some(mut row) = wanted.filter(|_| !filter.is_funded || pays(order)) {
            write(state, order, &mut row);
            page.push(row);
        }
    }
    None
}

/// The counterparty ids of accounts.
pub(super) struct Ids(BTreeMap<AccountId, String>);

impl Ids {
    /// Those of every account in these orders.
    pub(super) fn of(app: &App, orders: &[ClearingOrder]) -> Self {
        let views = app.exchange.views();
        let access = views.state().access();
        let accounts = orders.iter().flat_map(|order| [Some(order.source), order.target, order.broker]);
        let id = |account: AccountId| Some((account, access.account(account)?.counterparty_id.clone()));
        Self(accounts.flatten().filter_map(id).collect())
    }

    pub(super) fn get(&self, account: AccountId) -> String {
        self.0.get(&account).cloned().unwrap_or_default()
    }
}

/// The `clearing_id` of each order.
pub(super) fn codes(app: &App, orders: &[ClearingOrder]) -> Vec<String> {
    let views = app.exchange.views();
    let room = views.state().clearing();
    orders.iter().map(|order| room.code(order.number).to_string()).collect()
}

/// A decimal as it is stored.
pub(super) fn decimal(text: &str) -> DecimalText {
    DecimalText::of(|out| out.extend_from_slice(text.as_bytes()))
}

/// The word of a status by its name.
pub(super) fn status(name: &str) -> ClearingStatus {
    let known = ClearingStatus::WORDS.iter().find(|word| **word == name);
    ClearingStatus(known.copied().unwrap_or_default())
}
