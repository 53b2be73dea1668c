//! `GET /site/operator/health`: what the page of operators shows, all of one moment.

use crate::calls::caller::Caller;
use buttonwood_call::{App, Later, Point};
use buttonwood_engine::State;
use buttonwood_engine::funds::{Scope, reserves};
use buttonwood_http::Reply;
use buttonwood_model::{Currency, CurrencyId, Symbol, SymbolId};
use buttonwood_num::{MONEY_DECIMALS, Money};
use buttonwood_operate::{proposals, transfers_under_way, unreviewed_apps};
use buttonwood_wire::contract::{
    Components, DecimalText, InQuery, Label, Node, Nullable, Query, Shape, Whole,
};
use buttonwood_wire::field::bad_query;
use buttonwood_wire::market::StatusName;
use buttonwood_wire::{Json, answer, json, request};

/// Transfers that are shown unless the caller says otherwise, and at most; all are counted.
const TRANSFERS: u64 = 100;
const TRANSFERS_MAX: u64 = 1_000;

request! {
    /// How much of a list is shown.
    struct Shown in InQuery {
        /// How many transfers at most.
        transfers: Whole,
    }
}

answer! {
    /// The health of an exchange.
    struct Health {
        /// Whether orders are taken.
        ready: bool,
        /// Why not, and what else an operator should see to: a sentence each.
        reasons: Vec<Label>,
        /// `sandbox` or `venue`.
        mode: String,
        /// How many operators a guarded act takes: 1 or 2.
        approvals: u64,
        /// The exchange's time, in milliseconds.
        time_ms: u64,
        /// Seconds since the start.
        uptime_s: u64,
        /// The number of the last published command in the journal.
        seq: u64,
        /// Commands that wait for the writer.
        queue: u64,
        /// Commands that the pages do not show yet.
        views_lag: u64,
        /// Commands that the history's database does not have yet.
        history_lag: u64,
        /// The times of the journal's syncs since the start.
        sync: Times,
        /// The times from the arrival of orders to their answers, by REST, since figures are collected.
        orders: Times,
        /// Refused requests since then.
        refusals: u64,
        /// Open connections.
        connections: u64,
        /// The last hour, a point a minute, the oldest first.
        hour: Vec<Minute>,
        /// Whether trading is halted.
        halted: bool,
        /// Whether all withdrawals are halted.
        withdrawals_halted: bool,
        /// The codes of assets whose deposits and withdrawals are halted.
        assets_halted: Vec<String>,
        /// Each listed symbol and its status.
        symbols: Vec<SymbolState>,
        /// Assets and liabilities of the house, of each currency that customers have or it holds.
        reserves: Vec<Reserve>,
        /// How many transfers are under way.
        transfers_count: u64,
        /// The newest of them, as `transfer list` shows them.
        transfers: Rows,
        /// The proposals that can be approved, as `proposals` lists them.
        proposals: Rows,
        /// The apps that wait for a review, as `app list` shows them.
        apps: Rows,
    }
}

answer! {
    /// Times, as upper bounds of 1, 2 or 5 times a power of ten.
    struct Times {
        /// How many.
        count: u64,
        /// The time in microseconds that half of them took at most; null without any.
        p50_us: Nullable<u64>,
        /// The same of 99 in a hundred.
        p99_us: Nullable<u64>,
    }
}

answer! {
    /// A minute.
    struct Minute {
        /// Its end by the machine's clock, in milliseconds.
        time_ms: u64,
        /// Orders that were answered.
        orders: u64,
        /// Refused requests.
        refusals: u64,
        /// Published commands.
        commands: u64,
        /// Open connections at its end.
        connections: u64,
        /// The time in microseconds that half of the orders' answers took at most; null without an order.
        p50_us: Nullable<u64>,
        /// The same of 99 in a hundred.
        p99_us: Nullable<u64>,
    }
}

answer! {
    /// A symbol.
    struct SymbolState {
        /// The symbol.
        symbol: String,
        /// Which orders it takes.
        status: StatusName,
    }
}

answer! {
    /// A currency: what the house has and what it owes.
    struct Reserve {
        /// The currency.
        currency: String,
        /// The holdings of wallets and banks.
        assets: DecimalText,
        /// The sum of what customers have.
        liabilities: DecimalText,
        /// Whether assets do not cover liabilities, so that withdrawals stop.
        short: bool,
    }
}

/// JSON objects that a list of `admin` has.
#[derive(Debug)]
struct Rows(Vec<Vec<u8>>);

impl Shape for Rows {
    fn node(_: &mut Components) -> Node {
        Node::of_type("array")
    }

    fn write(&self, json: &mut Json) {
        json.exact_item(|out| {
            out.push(b'[');
            out.extend_from_slice(&self.0.join(&b","[..]));
            out.push(b']');
        });
    }
}

pub(in crate::calls) fn health<'a>(caller: &'a Caller<'a>, query: Query<'a>) -> Later<'a> {
    Box::pin(async move {
        caller.check_operator()?;
        let transfers = match Shown::of(query).transfers()? {
            Some(count) if !(1..=TRANSFERS_MAX).contains(&count) => {
                return Err(bad_query(
                    "transfers",
                    &format!("from 1 to {TRANSFERS_MAX}"),
                    &count.to_string(),
                ));
            }
            count => count.unwrap_or(TRANSFERS),
        };
        Ok(Reply::secret_json(json::body(&now(caller.app, usize::try_from(transfers).unwrap_or_default()))))
    })
}

fn now(app: &App, transfers: usize) -> Health {
    // Each of these reads the views itself, so they come before the lock.
    let (is_ready, reasons) = (app.is_ready(), app.troubles());
    let (progress, figures) = (app.exchange.progress(), app.figures());
    let (symbols, proposals) = (app.symbols(), proposals(app.shared()));
    let views = app.exchange.views();
    let state = views.state();
    let (count, transfers) = transfers_under_way(state, transfers);
    let (operations, halts) = (state.operations(), state.funds().halts());
    let symbol_state = |(id, symbol): (SymbolId, &Symbol)| {
        let status = StatusName(state.symbol(id)?.status.name());
        Some(SymbolState { symbol: symbol.name.to_ascii_uppercase(), status })
    };
    Health {
        ready: is_ready,
        reasons: reasons.into_iter().map(Label).collect(),
        mode: if app.settings().sandbox { "sandbox" } else { "venue" }.to_owned(),
        approvals: u64::from(operations.approvals()),
        time_ms: app.now_of(&views).millis(),
        uptime_s: app.uptime().as_secs(),
        seq: progress.seq,
        queue: number(progress.queue),
        views_lag: progress.views_lag,
        history_lag: progress.history_lag,
        sync: Times::of(progress.syncs.count(), [50, 99].map(|part| progress.syncs.quantile(part))),
        orders: Times::of(figures.times.count(), [50, 99].map(|part| figures.times.quantile(part))),
        refusals: figures.refusals,
        connections: figures.connections,
        hour: app.last_hour().iter().map(minute).collect(),
        halted: operations.is_halted(),
        withdrawals_halted: halts.has(Scope::Withdrawals),
        assets_halted: halts.assets().filter_map(|id| Some(state.currency(id)?.code.clone())).collect(),
        symbols: symbols.into_iter().filter_map(symbol_state).collect(),
        reserves: reserves_of(state),
        transfers_count: number(count),
        transfers: Rows(transfers),
        proposals: Rows(proposals),
        apps: Rows(unreviewed_apps(app.shared(), state)),
    }
}

impl Times {
    fn of(count: u64, [p50, p99]: [Option<u64>; 2]) -> Self {
        Self { count, p50_us: Nullable(p50.map(micros)), p99_us: Nullable(p99.map(micros)) }
    }
}

fn minute(point: &Point) -> Minute {
    Minute {
        time_ms: point.time_ms,
        orders: point.orders,
        refusals: point.refusals,
        commands: point.commands,
        connections: point.connections,
        p50_us: Nullable(point.p50.map(micros)),
        p99_us: Nullable(point.p99.map(micros)),
    }
}

/// Whole microseconds of nanoseconds: each bound of the histograms is one.
fn micros(nanos: u64) -> u64 {
    nanos / 1_000
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

fn reserves_of(state: &State) -> Vec<Reserve> {
    let (funds, ledger) = (state.funds(), state.ledger());
    let row = |(at, currency): (usize, &Currency)| {
        let id = CurrencyId::from_index(at);
        let sums = reserves::sums(funds, ledger, id);
        let is_used = sums.assets != Money::ZERO || sums.liabilities != Money::ZERO;
        is_used.then(|| Reserve {
            currency: currency.code.clone(),
            assets: exact(sums.assets),
            liabilities: exact(sums.liabilities),
            short: funds.reserves().stops_withdrawal(id),
        })
    };
    state.currencies().iter().enumerate().filter_map(row).collect()
}

/// An amount with all its decimals.
fn exact(amount: Money) -> DecimalText {
    DecimalText::of(|out| amount.push_floored(out, MONEY_DECIMALS))
}
