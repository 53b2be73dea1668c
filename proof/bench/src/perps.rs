//! Benchmark 14: what perpetuals cost: an order against a spot order, a mark over many positions, a storm of liquidations.

use buttonwood_engine::{Body, Caller, Command, Outcome, Place, TradingCommand};
use buttonwood_model::{CurrencyId, Due, Nonce, Product, SessionId, Side, SymbolId};
use buttonwood_num::{Money, Price, Qty};

use crate::clock::cpu_ns;
use crate::core::{exchange_ns, ns_on};
use crate::exchange::{Exchange, Script, customer};
use crate::figures::Spread;
use crate::opgen::flow_of;
use crate::report::{Goal, Report, Row};
use crate::{Settings, say};

/// The first index of the flow's symbol.
const INDEX: i128 = 200;
/// The currency of that index.
const BASE: CurrencyId = CurrencyId(1);
/// Lots of each position of the crowd: one unit of base.
const LOTS: u128 = 100_000_000;
/// Dollars of each account of the crowd, whose positions are ten times that.
const DOLLARS: i128 = 20;
/// Commands of the storm that are timed at most, in seconds of processor time.
const STORM_SECONDS: u64 = 60;

const NS_PER_MS: f64 = 1e6;

/// All three.
pub(crate) fn measure(settings: &Settings, goals: [Goal; 3], report: &mut Report) {
    let [order, mark, storm] = goals;
    orders(settings, order, report);
    let accounts = if settings.quick { 2_000 } else { 100_000 };
    marks(settings, accounts, mark, report);
    halved(settings, accounts, storm, report);
}

fn orders(settings: &Settings, goal: Goal, report: &mut Report) {
    let flow = flow_of("B1", if settings.quick { 100_000 } else { 1_000_000 });
    let script = Script::of(&flow);
    let (mut ratios, mut detail) = (Vec::new(), String::new());
    for pair in 0..settings.pairs {
        let spot = exchange_ns(&flow, &script);
        let perpetual = ns_on(Exchange::of_perpetuals(flow.symbols), &flow, &script);
        ratios.push(perpetual / spot);
        detail = format!("spot {spot:.0}, perpetual {perpetual:.0} CPU ns/op");
        say(&format!("pair {}: {detail}", pair + 1));
    }
    report.add(Row { number: 14, what: goal.what, goal, spread: Spread::of(ratios), detail });
}

/// Accounts of which one half is long and the other short, ten times over.
fn crowd(accounts: u32) -> Exchange {
    let mut exchange = Exchange::crowded(accounts, Product::Swap);
    exchange.pin(BASE, INDEX);
    for number in 0..accounts {
        let amount = Money::from_units(DOLLARS * 2 * Money::ONE.units());
        let body = Body::credit(customer(number), vec![(CurrencyId(0), amount)]);
        assert_eq!(exchange.run(&Command { caller: None, body }), Outcome::Done);
    }
    for pair in 0..accounts / 2 {
        place(&mut exchange, pair * 2, Side::Sell);
        place(&mut exchange, pair * 2 + 1, Side::Buy);
    }
    assert_eq!(exchange.tally().trades, u64::from(accounts / 2), "each pair has traded");
    exchange
}

fn place(exchange: &mut Exchange, number: u32, side: Side) {
    // A tick is a cent.
    let price = Price::from_ticks(INDEX as u64 * 100);
    let place = Place::limit(SymbolId(0), side, price, Qty::from_hundredths(LOTS * 100));
    let caller = Caller {
        session: SessionId(number),
        account: Some(customer(number)),
        nonce: Nonce::parse(b"1").expect("a digit is a nonce"),
    };
    let command = Command { caller: Some(caller), body: TradingCommand::Place(place).into() };
    let outcome = exchange.run(&command);
    assert!(outcome.done().is_ok(), "{outcome:?}");
}

/// A mark that leaves nobody below maintenance.
fn marks(settings: &Settings, accounts: u32, goal: Goal, report: &mut Report) {
    let mut exchange = crowd(accounts);
    let mut times = Vec::new();
    for turn in 0..settings.pairs as i128 * 4 {
        let start = cpu_ns();
        exchange.pin(BASE, INDEX + 1 + turn % 2);
        times.push((cpu_ns() - start) as f64 / NS_PER_MS);
        assert!(exchange.state.perps().liquidations().is_empty(), "nobody is due");
    }
    let detail = format!("{accounts} accounts with a position each, on one contract");
    report.add(Row { number: 14, what: goal.what, goal, spread: Spread::of(times), detail });
}

/// The index is halved, and every long account is liquidated and every short one deleveraged.
fn halved(settings: &Settings, accounts: u32, goal: Goal, report: &mut Report) {
    let (mut worst, mut detail) = (Vec::new(), String::new());
    for _ in 0..settings.pairs.min(2) {
        let mut exchange = crowd(accounts);
        let began = cpu_ns();
        exchange.pin(BASE, INDEX / 2);
        let mut slowest = cpu_ns() - began;
        let (mark, due) = (slowest, exchange.state.perps().liquidations().accounts().count());
        let mut commands = 0_u64;
        while let Some(Due { command: body, time, .. }) = exchange.state.next_due()
            && time <= exchange.next_stamp().time
            && cpu_ns() - began < STORM_SECONDS * 1_000_000_000
        {
            let start = cpu_ns();
            assert_eq!(exchange.run(&Command { caller: None, body }), Outcome::Done);
            slowest = slowest.max(cpu_ns() - start);
            commands += 1;
        }
        let storm = (cpu_ns() - began - mark) as f64 / NS_PER_MS;
        assert_eq!(exchange.state.broken_law(), None, "money is conserved");
        let worked_off = due - exchange.state.perps().liquidations().accounts().count();
        worst.push(slowest as f64 / NS_PER_MS);
        detail = format!(
            "{due} accounts due at a mark of {:.1} ms; {worked_off} liquidated in {commands} commands of {:.3} ms on average, {:.0} accounts a second",
            mark as f64 / NS_PER_MS,
            storm / commands.max(1) as f64,
            worked_off as f64 * 1_000.0 / storm,
        );
        say(&detail);
    }
    report.add(Row { number: 14, what: goal.what, goal, spread: Spread::of(worst), detail });
}
