//! Benchmark 18: what prediction markets cost: durable orders, a mint, a million paid holders, the memory of a settled contract. The
//! listing of events is measured over HTTP (`http::events`).

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use buttonwood_engine::prediction::{CONTRACTS_OF_EVENT_MAX, NewContract, NewEvent, NewResolution, Status};
use buttonwood_engine::{
    Body, Caller, Command, Outcome, Place, PredictionCommand, TradingAnswer, TradingCommand,
};
use buttonwood_model::{
    Claim, Due, EventId, ExecutionOption, OrderId, Product, SessionId, Side, SymbolId, Time,
};
use buttonwood_num::{Decimal, Grid, Money, Price, Qty};
use buttonwood_sequencer as sequencer;
use tokio::task::LocalSet;

use crate::clock::cpu_ns;
use crate::exchange::{Exchange, Script, customer, nonce};
use crate::figures::{Spread, quantile};
use crate::funds::{durable, orders, started, submit};
use crate::opgen::{Flow, Op, flow_of};
use crate::place;
use crate::report::{Goal, Report, Row};
use crate::{Settings, memory, say};

/// The contract of the benchmarks, which trades from their start.
pub(crate) const CONTRACT: SymbolId = SymbolId::contract(0);
/// Ticks of a dollar: those of the spot flow lie within it.
const DOLLAR: u64 = 100_000;
/// Hundredths of a lot in a contract.
const HUNDREDTHS: u128 = 10_000_000_000;
/// Pairs of accounts that trade in turn.
const PAIRS: u32 = 500;
/// 2036, in microseconds.
const EXPIRY: Time = Time(2_085_000_000_000_000);

const NS_PER_MS: f64 = 1e6;

/// `goals` are those of orders, of a mint, of payouts a second, of the slowest command among them, of orders beside payouts, and of memory.
pub(crate) fn measure(settings: &Settings, goals: [Goal; 6], report: &mut Report) {
    let [contract, mint, paid, slowest, beside, settled] = goals;
    durable_orders(settings, contract, report);
    mints(settings, mint, report);
    payouts(settings, [paid, slowest], report);
    during_payouts(settings, beside, report);
    remembered(settings, settled, report);
}

pub(crate) fn own(body: impl Into<Body>) -> Command {
    Command { caller: None, body: body.into() }
}

/// The command of an account; `used` numbers its nonce.
pub(crate) fn by(number: u32, used: u32, body: impl Into<Body>) -> Command {
    let (session, account) = (SessionId(number), Some(customer(number)));
    Command { caller: Some(Caller { session, account, nonce: nonce(used.into()) }), body: body.into() }
}

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text.as_bytes()).expect("a decimal")
}

/// The listing of an event with one contract.
fn listing(ticker: &str) -> Command {
    listing_of(ticker, &[ticker.to_owned()])
}

/// The listing of an event, on a grid as fine as that of the spot flow.
fn listing_of(ticker: &str, contracts: &[String]) -> Command {
    let contract =
        |name: &String| NewContract { ticker: name.clone(), label: format!("The outcome of {name}") };
    own(PredictionCommand::ListEvent(Arc::new(NewEvent {
        prefix: "SVC".to_owned(),
        ticker: ticker.to_owned(),
        title: format!("Will {ticker} come to pass?"),
        category: "bench".to_owned(),
        contracts: contracts.iter().map(contract).collect(),
        is_exclusive: false,
        start: None,
        expiry: EXPIRY,
        dispute: 0,
        strike: None,
        grid: Grid::new(decimal("0.00001"), decimal("0.00000001")).expect("a grid"),
        qty_min: Qty::from_hundredths(100),
        closed_to: Vec::new(),
        source: None,
    })))
}

/// An event, and the terms accepted by the group of all accounts.
pub(crate) fn opening() -> Vec<Command> {
    vec![listing("BENCH"), by(0, 0, PredictionCommand::AcceptTerms)]
}

fn resolution(event: EventId, contracts: &[String]) -> Command {
    let outcomes = contracts.iter().map(|ticker| (ticker.clone(), Claim::Yes)).collect();
    let new = NewResolution { event, outcomes, source: "the benchmark".to_owned() };
    own(PredictionCommand::Resolve(Arc::new(new)))
}

/// A purchase of an outcome, at a price of its own view; one of no is an ask of the book.
pub(crate) fn purchase(symbol: SymbolId, claim: Claim, ticks: u64, hundredths: u128) -> Place {
    let (side, ticks) = match claim {
        Claim::Yes => (Side::Buy, ticks),
        Claim::No => (Side::Sell, DOLLAR - ticks),
    };
    Place { claim, ..Place::limit(symbol, side, Price::from_ticks(ticks), Qty::from_hundredths(hundredths)) }
}

fn take(exchange: &mut Exchange, command: &Command) -> Outcome {
    let outcome = exchange.run(command);
    assert!(!matches!(outcome, Outcome::Rejected(_)), "{command:?}: {outcome:?}");
    outcome
}

/// The orders of a flow on the contract: a sale becomes a purchase of no at the rest of the dollar, so the same orders meet.
fn on_contract(flow: &Flow) -> (Vec<Command>, usize) {
    let mut exchange = Exchange::new(1);
    for command in opening() {
        take(&mut exchange, &command);
    }
    let mut ids = vec![OrderId(0); flow.ops.len() + 1];
    let (mut commands, mut prefill) = (Vec::new(), 0);
    let mut used = vec![0; 1_001];
    let mut send = |op: &Op, body: Body| {
        let last = &mut used[op.account as usize];
        *last += 1;
        let command = by(op.account, *last, body);
        let outcome = take(&mut exchange, &command);
        commands.push(command);
        match outcome {
            Outcome::Trading(TradingAnswer::Order(order)) => (order.id, commands.len()),
            outcome => panic!("{outcome:?}"),
        }
    };
    for (index, op) in flow.ops.iter().enumerate() {
        let mut sent = 0;
        if matches!(op.kind, b'C' | b'M') {
            (_, sent) = send(op, PredictionCommand::Cancel(ids[op.id as usize]).into());
        }
        if op.kind != b'C' {
            (ids[op.id as usize], sent) = send(op, TradingCommand::Place(order(op)).into());
        }
        if index + 1 == flow.prefill {
            prefill = sent;
        }
    }
    assert_eq!(exchange.state.broken_law(), None, "every law holds");
    say(&format!("spot: {:?}; contracts: {:?}", flow.expect, exchange.tally()));
    (commands, prefill)
}

/// The order of an operation. One at the market takes any price.
fn order(op: &Op) -> Place {
    let is_at_market = op.kind == b'K';
    let (claim, ticks) = if op.sells { (Claim::No, DOLLAR - op.price) } else { (Claim::Yes, op.price) };
    let ticks = if is_at_market { DOLLAR - 1 } else { ticks };
    let ends = is_at_market || op.kind == b'I';
    let option = ends.then_some(ExecutionOption::ImmediateOrCancel);
    Place { option, ..purchase(CONTRACT, claim, ticks, u128::from(op.lots) * 100) }
}

/// Durable orders of the contract a second, of durable spot orders.
fn durable_orders(settings: &Settings, goal: Goal, report: &mut Report) {
    let flow = flow_of("B1", if settings.quick { 100_000 } else { 1_000_000 });
    let script = Script::of(&flow);
    let spot = orders(&script);
    let (contract, prefill) = on_contract(&flow);
    let (spot_before, spot) = spot.split_at(script.prefill);
    let (before, contract) = contract.split_at(prefill);
    let before: Vec<Command> = opening().into_iter().chain(before.iter().cloned()).collect();
    let (mut ratios, mut detail) = (Vec::new(), String::new());
    let alone = [ns_alone(spot, spot_before), ns_alone(contract, &before)];
    for pair in 1..=settings.pairs {
        let [of_spot, of_contract] = [durable(spot, spot_before), durable(contract, &before)];
        ratios.push(of_contract / of_spot);
        detail = format!(
            "{of_spot:.0} durable spot orders, {of_contract:.0} of a contract a second; in the core alone {:.0} and {:.0} CPU ns",
            alone[0], alone[1]
        );
        say(&format!("pair {pair}: {detail}"));
    }
    report.add(Row { number: 18, what: goal.what, goal, spread: Spread::of(ratios), detail });
}

/// CPU nanoseconds of a command in the core alone, after others.
fn ns_alone(commands: &[Command], before: &[Command]) -> f64 {
    let mut exchange = Exchange::new(1);
    for command in before {
        take(&mut exchange, command);
    }
    let start = cpu_ns();
    for command in commands {
        black_box(take(&mut exchange, command));
    }
    (cpu_ns() - start) as f64 / commands.len() as f64
}

/// Two orders that meet: of spot, or of the contract, where they mint. Accounts buy the same outcome each time, so nothing nets.
fn pair(number: u32, is_spot: bool) -> [Command; 2] {
    let [maker, taker] = [0, 1].map(|side| number % PAIRS * 2 + side);
    let used = 1 + number / PAIRS;
    let place = |who, claim| {
        let mut place = purchase(CONTRACT, claim, DOLLAR / 2, HUNDREDTHS / 1_000);
        if is_spot {
            place = Place { symbol: SymbolId(0), claim: Claim::Yes, ..place };
        }
        by(who, used, TradingCommand::Place(place))
    };
    [place(maker, Claim::No), place(taker, Claim::Yes)]
}

/// CPU time of two orders that mint, of two spot orders that trade.
fn mints(settings: &Settings, goal: Goal, report: &mut Report) {
    let count = if settings.quick { 20_000 } else { 500_000 };
    let spot: Vec<Command> = (0..count).flat_map(|number| pair(number, true)).collect();
    let contract: Vec<Command> = (0..count).flat_map(|number| pair(number, false)).collect();
    let (mut ratios, mut detail) = (Vec::new(), String::new());
    for pair in 1..=settings.pairs {
        let [fill, mint] = [ns_alone(&spot, &[]), ns_alone(&contract, &opening())].map(|ns| ns * 2.0);
        ratios.push(mint / fill);
        detail = format!("two orders that trade: {fill:.0} CPU ns of spot, {mint:.0} with a mint");
        say(&format!("pair {pair}: {detail}"));
    }
    report.add(Row { number: 18, what: goal.what, goal, spread: Spread::of(ratios), detail });
}

/// An exchange on which so many accounts hold a contract each, half of them yes.
fn holders(accounts: u32) -> Exchange {
    let mut exchange = Exchange::crowded(accounts, Product::Spot);
    for command in opening() {
        take(&mut exchange, &command);
    }
    for number in 0..accounts {
        let claim = if number.is_multiple_of(2) { Claim::No } else { Claim::Yes };
        let place = purchase(CONTRACT, claim, DOLLAR / 2, HUNDREDTHS);
        take(&mut exchange, &by(number, 1, TradingCommand::Place(place)));
    }
    assert_eq!(exchange.tally().trades, u64::from(accounts / 2), "each pair has traded");
    exchange
}

/// Holders that are paid a CPU second, and the slowest command of all.
fn payouts(settings: &Settings, [goal, slowest]: [Goal; 2], report: &mut Report) {
    let accounts = if settings.quick { 10_000 } else { 1_000_000 };
    let (mut rates, mut worst, mut detail) = (Vec::new(), Vec::new(), String::new());
    for _ in 0..settings.pairs.min(2) {
        say("buying");
        let mut exchange = holders(accounts);
        take(&mut exchange, &resolution(EventId(0), &["BENCH".to_owned()]));
        let (sum, most, commands) = work_off(&mut exchange);
        let dollars = exchange.state.predictions().collateral(exchange.state.ledger(), CONTRACT).0;
        assert!(dollars == Money::ZERO && exchange.state.broken_law().is_none(), "every holder is paid");
        rates.push(f64::from(accounts) / (sum as f64 / 1e9));
        worst.push(most as f64 / NS_PER_MS);
        detail = format!(
            "{accounts} holders: {:.0} ms of processor time in {commands} commands, the slowest {:.2} ms",
            sum as f64 / NS_PER_MS,
            most as f64 / NS_PER_MS
        );
        say(&detail);
    }
    for (goal, figures) in [(goal, rates), (slowest, worst)] {
        let detail = detail.clone();
        report.add(Row { number: 18, what: goal.what, goal, spread: Spread::of(figures), detail });
    }
}

/// Runs what is due now: nanoseconds of all of it and of its slowest command, and the number of commands.
fn work_off(exchange: &mut Exchange) -> (u64, u64, u64) {
    let (mut sum, mut most, mut commands) = (0, 0, 0);
    while let Some(Due { command, time, .. }) = exchange.state.next_due_unskippable()
        && time <= exchange.next_stamp().time
    {
        let start = cpu_ns();
        assert_eq!(exchange.run(&own(command)), Outcome::Done);
        let spent = cpu_ns() - start;
        (sum, most, commands) = (sum + spent, most.max(spent), commands + 1);
    }
    (sum, most, commands)
}

/// Events whose contracts are held by all accounts, half of them yes: their listings and orders.
fn crowds(events: u32, contracts: &[String]) -> Vec<Command> {
    let mut commands = vec![by(0, 0, PredictionCommand::AcceptTerms)];
    let (mut number, mut used) = (0, 0);
    for event in 0..events {
        commands.push(listing_of(&format!("CROWD{event}"), contracts));
        for _ in contracts {
            used += 1;
            for account in 0..PAIRS * 2 {
                let claim = if account.is_multiple_of(2) { Claim::No } else { Claim::Yes };
                let place = purchase(SymbolId::contract(number), claim, DOLLAR / 2, HUNDREDTHS);
                commands.push(by(account, used, TradingCommand::Place(place)));
            }
            number += 1;
        }
    }
    commands
}

/// Durable spot orders one by one while holders are paid, against the same before: the 99th percentile of their times.
fn during_payouts(settings: &Settings, goal: Goal, report: &mut Report) {
    let events = u32::try_from(settings.pairs).expect("a few pairs");
    let count = if settings.quick { 5 } else { CONTRACTS_OF_EVENT_MAX };
    let contracts: Vec<String> = (0..count).map(|number| format!("C{number}")).collect();
    let place = place::Place::Disk.fresh();
    let running = started(place.path());
    let exchange = running.exchange();
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let local = LocalSet::new();
    local.spawn_local(exchange.open_mailbox());
    local.block_on(&runtime, submit(&exchange, &crowds(events, &contracts)));
    let (mut ratios, mut detail, mut used) = (Vec::new(), String::new(), 1_000_000);
    for event in 0..events {
        let settles = || {
            let views = exchange.views();
            let event = views.state().predictions().event(EventId(event)).expect("it is listed");
            event.status == Status::Settled
        };
        let mut left = 2_000;
        let alone = local.block_on(
            &runtime,
            one_by_one(&exchange, &mut used, || {
                left -= 1;
                left == 0
            }),
        );
        local.block_on(&runtime, submit(&exchange, &[resolution(EventId(event), &contracts)]));
        let start = Instant::now();
        let beside = local.block_on(&runtime, one_by_one(&exchange, &mut used, settles));
        let seconds = start.elapsed().as_secs_f64();
        let [before, during] = [&alone, &beside].map(|times| quantile(times, 0.99) as f64 / 1e3);
        ratios.push(during / before);
        detail = format!(
            "{} holders paid, durably and with their rows, in {seconds:.2} s; p99 of {} orders meanwhile {during:.0} us, of {} before {before:.0} us",
            count * PAIRS as usize * 2,
            beside.len(),
            alone.len()
        );
        say(&detail);
    }
    running.stop().expect("it stops");
    report.add(Row { number: 18, what: goal.what, goal, spread: Spread::of(ratios), detail });
}

/// Places spot orders until it is over; the sorted nanoseconds of each until its reply.
async fn one_by_one(
    exchange: &sequencer::Exchange,
    used: &mut u32,
    mut is_over: impl FnMut() -> bool,
) -> Vec<u64> {
    let mut times = Vec::new();
    while !is_over() {
        for command in pair(*used * PAIRS, true) {
            let start = Instant::now();
            let pending = exchange.submit(command).expect("the queue has room");
            let outcome = pending.await.expect("the exchange runs").outcome;
            assert!(!matches!(outcome, Outcome::Rejected(_)), "{outcome:?}");
            times.push(u64::try_from(start.elapsed().as_nanos()).expect("a short time"));
        }
        *used += 1;
    }
    times.sort_unstable();
    times
}

/// Live bytes of the state for each contract that has traded and is settled.
fn remembered(settings: &Settings, goal: Goal, report: &mut Report) {
    let count: u32 = if settings.quick { 1_000 } else { 10_000 };
    memory::count();
    let mut exchange = Exchange::new(1);
    for command in opening() {
        take(&mut exchange, &command);
    }
    let before = memory::live();
    for number in 1..=count {
        let ticker = format!("BENCH{number}");
        take(&mut exchange, &listing(&ticker));
        for (who, claim) in [(0, Claim::No), (1, Claim::Yes)] {
            let symbol = SymbolId::contract(number);
            let place = purchase(symbol, claim, DOLLAR / 2, HUNDREDTHS);
            take(&mut exchange, &by(who, number, TradingCommand::Place(place)));
        }
        take(&mut exchange, &resolution(EventId(number), &[ticker]));
        work_off(&mut exchange);
    }
    let bytes = (memory::live() - before) as f64 / f64::from(count);
    let settled = exchange.state.predictions().ended().count();
    assert_eq!(settled, count as usize, "every event is settled");
    let detail =
        format!("{bytes:.0} bytes of the state for each of {count} events with one settled contract");
    report.add(Row { number: 18, what: goal.what, goal, spread: Spread::of(vec![bytes]), detail });
}
