//! The statement of an account as a file, of the chosen one or the one that `account` names: `/site/statement.csv`.
//!
//! Every change of a balance that the filter takes, the oldest first, with every digit. Before the first change of a currency stands its
//! opening balance with the time at which the filter begins, or that of the first change, and at the end its closing one with the time of the
//! file's end, so that opening, rows and other causes sum to the closing. The history is read in pages.

use super::caller::Caller;
use super::interface::{chosen, held};
use buttonwood_call::{App, Later};
use buttonwood_engine::{About, Cause, State};
use buttonwood_gate::{Reason, Refusal, missing_role};
use buttonwood_http::Reply;
use buttonwood_model::{AccountId, CurrencyId, Role, Roles, Time};
use buttonwood_num::{MONEY_DECIMALS, Money};
use buttonwood_views::history::{EntriesFrom, Fault, Limit, Line, Lines};
use buttonwood_wire::contract::{InQuery, Query, Text, Whole};
use buttonwood_wire::field::{bad_query, busy};
use buttonwood_wire::request;
use buttonwood_wire::time::iso_millis;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Rows of a file at most. A longer filter is refused: half a statement would not add up.
const ROWS_MAX: usize = 50_000;
/// Rows that are read at once.
const PAGE: Limit = Limit { rows: 500, most: 500 };
/// Files that are made at the same time; others wait for their turn.
static MAKING: Semaphore = Semaphore::const_new(2);

const HEAD: &str = "entry_id,timestampms,date,currency,amount,balance,cause,order_id,tid,eid,clearing_id,transaction_id,symbol\n";

request! {
    /// Which changes of the account that the address or the page names.
    struct Asked in InQuery {
        /// Changes of this currency alone.
        currency: Text,
        /// Changes of this cause alone.
        cause: Text,
        /// Changes from this time on, in milliseconds.
        from: Whole,
        /// Changes up to this time, in milliseconds; a change of this millisecond is one of them.
        to: Whole,
    }
}

/// The changes that a file has.
#[derive(Clone, Copy, Debug)]
struct Filter {
    currency: Option<CurrencyId>,
    cause: Option<Cause>,
    from: Option<u64>,
    to: u64,
}

impl Filter {
    fn read(app: &App, query: Query<'_>) -> Result<Self, Refusal> {
        let asked = Asked::of(query);
        let currency = asked.currency().map(|code| currency(app, code)).transpose()?;
        let cause = asked.cause().map(cause).transpose()?;
        let (from, to) = (asked.from()?, asked.to()?.unwrap_or(u64::MAX));
        if from.is_some_and(|from| from > to) {
            let sent_as = |name: &str| query.value(name).unwrap_or_default();
            return Err(bad_query("to", &format!("at least 'from', {}", sent_as("from")), sent_as("to")));
        }
        Ok(Self { currency, cause, from, to })
    }
}

fn currency(app: &App, code: &str) -> Result<CurrencyId, Refusal> {
    let found = app.names.find_currency(code);
    found.ok_or_else(|| bad_query("currency", "a listed currency", code).with_reason(Reason::InvalidCurrency))
}

fn cause(name: &str) -> Result<Cause, Refusal> {
    let found = Cause::ALL.into_iter().find(|cause| cause.name() == name);
    found.ok_or_else(|| bad_query("cause", "a cause of the statement, such as trade", name))
}

/// As the statement of the interface, it takes a trader, a fund manager or an auditor.
pub(super) fn file<'a>(caller: &'a Caller<'a>, query: Query<'a>) -> Later<'a> {
    Box::pin(async move {
        let held = held(caller)?;
        let needed = Roles::of(&[Role::Trader, Role::FundManager, Role::Auditor]);
        if !held.roles.allows(needed) {
            return Err(missing_role("your user", held.roles, needed));
        }
        let (account, filter) = (chosen(&held)?, Filter::read(caller.app, query)?);
        let _turn = MAKING.acquire().await.map_err(|_| busy("The exchange is stopping"))?;
        let body = made(caller.app, account, filter).await?;
        Ok(Reply::plain("text/csv; charset=utf-8", body).attached("statement.csv"))
    })
}

/// Reads the pages of a statement, the oldest first, and writes its file.
async fn made(app: &App, account: AccountId, filter: Filter) -> Result<Vec<u8>, Refusal> {
    let lines = {
        let views = app.exchange.views();
        Arc::new(Lines::of(views.state(), views.history(), account, filter.currency))
    };
    let mut file = File::new(filter);
    let mut after = match filter.from {
        None => Some(0),
        Some(from) => page(app, &lines, EntriesFrom::Millis(from)).await?.last().map(|first| first.id - 1),
    };
    while let Some(id) = after {
        let read = page(app, &lines, EntriesFrom::After(id)).await?;
        let views = app.exchange.views();
        let meant = read.iter().filter(|line| line.time.millis() <= filter.to);
        meant.for_each(|line| file.add(views.state(), line));
        if file.rows > ROWS_MAX {
            let message = format!(
                "The statement has more than {ROWS_MAX} rows: 'from' and 'to' choose a shorter time, in milliseconds"
            );
            return Err(Refusal::new(Reason::InvalidParameterValue, message));
        }
        let last = read.last().filter(|line| line.time.millis() <= filter.to);
        after = last.map(|line| line.id);
    }
    let views = app.exchange.views();
    Ok(file.end(views.state(), app.now_of(&views)))
}

async fn page(app: &App, lines: &Arc<Lines>, from: EntriesFrom) -> Result<Vec<Line>, Refusal> {
    let lines = Arc::clone(lines);
    let page = app.exchange.query_history(move |history| lines.page(history, from, PAGE)).await;
    page.map_err(|fault: Fault| {
        tracing::error!(%fault, "history cannot be read");
        busy("A part of the history that this file needs is damaged")
    })
}

/// The sums of a currency.
#[derive(Clone, Copy, Debug)]
struct Sums {
    /// The rows that the filter leaves out for their cause.
    others: Money,
    closing: Money,
}

/// A file that is being written.
struct File {
    filter: Filter,
    out: Vec<u8>,
    rows: usize,
    sums: BTreeMap<CurrencyId, Sums>,
}

impl File {
    fn new(filter: Filter) -> Self {
        Self { filter, out: HEAD.as_bytes().to_vec(), rows: 0, sums: BTreeMap::new() }
    }

    fn add(&mut self, state: &State, line: &Line) {
        if !self.sums.contains_key(&line.currency) {
            let opening = line.balance - line.amount;
            let time = self.filter.from.map_or(line.time, of_millis);
            sum_row(&mut self.out, state, (line.currency, "opening", time), (Some(opening), Some(opening)));
            self.sums.insert(line.currency, Sums { others: Money::ZERO, closing: opening });
        }
        let Some(sums) = self.sums.get_mut(&line.currency) else { return };
        sums.closing = line.balance;
        if self.filter.cause.is_none_or(|cause| cause == line.cause) {
            self.rows += 1;
            row(&mut self.out, state, line);
        } else {
            sums.others += line.amount;
        }
    }

    /// The file with its last lines.
    fn end(mut self, state: &State, now: Time) -> Vec<u8> {
        let time = of_millis(self.filter.to).min(now);
        for (currency, Sums { others, closing }) in self.sums {
            if self.filter.cause.is_some() {
                sum_row(&mut self.out, state, (currency, "others", time), (Some(others), None));
            }
            sum_row(&mut self.out, state, (currency, "closing", time), (None, Some(closing)));
        }
        self.out
    }
}

/// A line of sums: its amount counts, with the rows', towards the closing balance.
fn sum_row(
    out: &mut Vec<u8>,
    state: &State,
    (currency, name, time): (CurrencyId, &str, Time),
    (amount, balance): (Option<Money>, Option<Money>),
) {
    let money = |amount: Option<Money>| amount.map_or_else(String::new, exact);
    let (code, [millis, date]) = (code(state, currency), moment(time));
    cells(out, &["", &millis, &date, &code, &money(amount), &money(balance), name, "", "", "", "", "", ""]);
}

/// A time as both of its columns have it.
fn moment(time: Time) -> [String; 2] {
    [time.millis().to_string(), iso_millis(time)]
}

fn of_millis(millis: u64) -> Time {
    Time(millis.saturating_mul(1_000))
}

fn row(out: &mut Vec<u8>, state: &State, line: &Line) {
    let [mut order, mut trade, mut transfer, mut clearing, mut staking, mut symbol] =
        [const { String::new() }; 6];
    match line.about {
        About::Nothing => {}
        About::Order(id) => order = id.0.to_string(),
        About::Trade(id, tid) => (order, trade) = (id.0.to_string(), tid.0.to_string()),
        About::Transfer(eid) => transfer = eid.to_string(),
        About::Clearing(code, tid) => (clearing, trade) = (code.to_string(), tid.0.to_string()),
        About::Staking(code) => staking = code.to_string(),
        About::Contract(contract) => {
            symbol =
                state.symbol(contract).map_or_else(String::new, |symbol| symbol.name.to_ascii_uppercase());
        }
    }
    let (id, [millis, date]) = (line.id.to_string(), moment(line.time));
    let (amount, balance) = (exact(line.amount), exact(line.balance));
    let (code, symbol) = (code(state, line.currency), plain(&symbol));
    cells(
        out,
        &[
            &id,
            &millis,
            &date,
            &code,
            &amount,
            &balance,
            line.cause.name(),
            &order,
            &trade,
            &transfer,
            &clearing,
            &staking,
            &symbol,
        ],
    );
}

/// One line. No cell has a character that separates cells.
fn cells(out: &mut Vec<u8>, cells: &[&str; 13]) {
    out.extend_from_slice(cells.join(",").as_bytes());
    out.push(b'\n');
}

fn exact(amount: Money) -> String {
    let mut out = Vec::with_capacity(24);
    amount.push_floored(&mut out, MONEY_DECIMALS);
    String::from_utf8(out).unwrap_or_default()
}

fn code(state: &State, currency: CurrencyId) -> String {
    state.currency(currency).map_or_else(String::new, |currency| plain(&currency.code))
}

/// A name as a cell that no program of spreadsheets takes for a formula, and that stays one cell.
fn plain(name: &str) -> String {
    let quoted = name.replace('"', "\"\"");
    match name.chars().next() {
        Some('=' | '+' | '-' | '@' | '\t' | '\r') => format!("\"'{quoted}\""),
        _ if name.contains([',', '"', '\r', '\n']) => format!("\"{quoted}\""),
        _ => quoted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name that would be a formula is a text, and one with a comma one cell.
    #[test]
    fn names_are_no_formulas() {
        for (name, cell) in [
            ("USD", "USD"),
            ("GEMI-BTC2611-UP", "GEMI-BTC2611-UP"),
            ("=1+1", "\"'=1+1\""),
            ("+A", "\"'+A\""),
            ("-A", "\"'-A\""),
            ("@A(\"b\")", "\"'@A(\"\"b\"\")\""),
            ("\tA", "\"'\tA\""),
            ("a,b", "\"a,b\""),
        ] {
            assert_eq!(plain(name), cell, "{name}");
        }
    }

    #[test]
    fn a_cause_is_found_by_its_name() {
        for known in Cause::ALL {
            assert_eq!(cause(known.name()), Ok(known));
        }
        assert!(cause("theft").unwrap_err().message.contains("theft"));
        assert_eq!(HEAD.split(',').count(), 13);
    }
}
