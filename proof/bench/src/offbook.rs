//! Benchmark 17: what the products off the book cost: durable clearing orders, and the accrual of a day.

use std::sync::Arc;

use buttonwood_engine::clearing::{Codes, Confirm, HOURS, New, Parties, Terms as OrderTerms};
use buttonwood_engine::staking::{PairId, PairTerms, Provider, Rate, Request, Terms, accrual_time};
use buttonwood_engine::{
    Body, Caller, ClearingCommand, Command, Outcome, Place, StakingCommand, TradingCommand,
};
use buttonwood_model::{CurrencyId, Due, Product, SessionId, Side, SymbolId, Time};
use buttonwood_num::{Money, Price, Qty};

use crate::clock::cpu_ns;
use crate::exchange::{Exchange, Script, customer, nonce};
use crate::figures::Spread;
use crate::funds::{durable, orders};
use crate::opgen::flow_of;
use crate::report::{Goal, Report, Row};
use crate::{Settings, say};

/// The currency that is staked.
const COIN: CurrencyId = CurrencyId(1);
/// A uuid of version 4.
const PROVIDER: Provider = Provider([1, 1, 1, 1, 1, 1, 0x41, 1, 0x81, 1, 1, 1, 1, 1, 1, 1]);
/// Hundredths of a lot in a coin.
const HUNDREDTHS: u128 = 10_000_000_000;
/// The key of the ids of clearing orders.
const KEY: [u8; 16] = [9; 16];
/// Pairs of accounts that trade in turn.
const PAIRS: u32 = 500;
const PRICE: Price = Price::from_ticks(100);
/// Clearing orders that wait for money, and the coins of each: more than an account has.
const WAITING: u32 = 10_000;
const MISSING: u128 = 5_000_000_000;

const NS_PER_MS: f64 = 1e6;

/// `goals` are those of clearing orders, of orders while others wait, of an accrual against postings, and of its slowest command.
pub(crate) fn measure(settings: &Settings, goals: [Goal; 4], report: &mut Report) {
    let [deals, while_waiting, accrual, slowest] = goals;
    clearing(settings, deals, report);
    waiting(settings, while_waiting, report);
    accruals(settings, [accrual, slowest], report);
}

fn own(body: impl Into<Body>) -> Command {
    Command { caller: None, body: body.into() }
}

/// The command of an account; `used` numbers its nonce.
fn by(number: u32, used: u32, body: impl Into<Body>) -> Command {
    let (session, account) = (SessionId(number), Some(customer(number)));
    Command { caller: Some(Caller { session, account, nonce: nonce(used.into()) }), body: body.into() }
}

/// The entry and the confirmation of an order, which settles at once if both sides have the money.
fn deal(number: u32, coins: u128) -> [Command; 2] {
    let [source, target] = [0, 1].map(|side| number % PAIRS * 2 + side);
    let (symbol, price, qty) = (SymbolId(0), PRICE, Qty::from_hundredths(coins * HUNDREDTHS));
    let parties = Parties::With(customer(target));
    let terms = OrderTerms { symbol, side: Side::Buy, price, qty, hours: HOURS, parties };
    let new = New { terms, client_id: String::new() };
    let confirm = Confirm {
        code: Codes::of(KEY).code(u64::from(number) + 1),
        symbol: Some(symbol),
        qty: Some(qty),
        price: Some(price),
        side: Side::Sell,
    };
    [
        by(source, number, ClearingCommand::New(Arc::new(new))),
        by(target, number, ClearingCommand::Confirm(confirm)),
    ]
}

/// Durable entries with their confirmations a second, of durable orders.
fn clearing(settings: &Settings, goal: Goal, report: &mut Report) {
    let script = Script::of(&flow_of("B1", if settings.quick { 100_000 } else { 1_000_000 }));
    let all = orders(&script);
    let (before, timed) = all.split_at(script.prefill);
    let deals: Vec<Command> =
        (0..if settings.quick { 10_000 } else { 100_000 }).flat_map(|number| deal(number, 1)).collect();
    let key = [own(ClearingCommand::SetKey(Codes::of(KEY)))];
    let alone = [ns_alone(timed, before), ns_alone(&deals, &key) * 2.0];
    let (mut ratios, mut detail) = (Vec::new(), String::new());
    for pair in 1..=settings.pairs {
        let [orders, settled] = [durable(timed, before), durable(&deals, &key) / 2.0];
        ratios.push(settled / orders);
        detail = format!(
            "{orders:.0} durable orders, {settled:.0} entries with their confirmations a second; in the core alone {:.0} and {:.0} CPU ns",
            alone[0], alone[1]
        );
        say(&format!("pair {pair}: {detail}"));
    }
    report.add(Row { number: 17, what: goal.what, goal, spread: Spread::of(ratios), detail });
}

/// Orders of the book, every second of which trades, of accounts for which clearing orders wait, against the same orders without those.
fn waiting(settings: &Settings, goal: Goal, report: &mut Report) {
    let key = [own(ClearingCommand::SetKey(Codes::of(KEY)))];
    let deals = (0..WAITING).flat_map(|number| deal(number, MISSING));
    let waiting: Vec<Command> = key.iter().cloned().chain(deals).collect();
    let orders: Vec<Command> = (0..if settings.quick { 20_000 } else { 1_000_000 }).map(order).collect();
    let (mut ratios, mut detail) = (Vec::new(), String::new());
    for pair in 1..=settings.pairs {
        let [alone, loaded] = [ns_alone(&orders, &key), ns_alone(&orders, &waiting)];
        ratios.push(loaded / alone);
        detail = format!("{alone:.0} CPU ns an order, {loaded:.0} while {WAITING} clearing orders wait");
        say(&format!("pair {pair}: {detail}"));
    }
    report.add(Row { number: 17, what: goal.what, goal, spread: Spread::of(ratios), detail });
}

/// An order of the book: a sale after each buy, at its price.
fn order(number: u32) -> Command {
    let side = if number.is_multiple_of(2) { Side::Buy } else { Side::Sell };
    let place = Place::limit(SymbolId(0), side, PRICE, Qty::from_hundredths(HUNDREDTHS / 1_000));
    by(number % (PAIRS * 2), WAITING + number, TradingCommand::Place(place))
}

/// CPU nanoseconds of a command in the core alone, after the first `before` of them.
fn ns_alone(commands: &[Command], before: &[Command]) -> f64 {
    let mut exchange = Exchange::new(1);
    for command in before {
        exchange.run(command);
    }
    let start = cpu_ns();
    for command in commands {
        let outcome = exchange.run(command);
        assert!(!matches!(outcome, Outcome::Rejected(_)), "{command:?}: {outcome:?}");
    }
    (cpu_ns() - start) as f64 / commands.len() as f64
}

/// An exchange on which so many accounts stake a coin each.
fn stakers(accounts: u32) -> Exchange {
    let mut exchange = Exchange::crowded(accounts, Product::Spot);
    exchange.pin(COIN, 200);
    let limit = coins(1_000_000);
    let rate = Rate(365 * Rate::BASIS_POINT);
    let terms = Terms { rate, limit, wait: 0, per_day: None, paused: false };
    let set = PairTerms { provider: PROVIDER, currency: COIN, terms };
    for command in [
        StakingCommand::SetKey(KEY),
        StakingCommand::SetTerms(Arc::new(set)),
        StakingCommand::Fund(COIN, coins(1_000_000)),
    ] {
        assert_eq!(exchange.run(&own(command)), Outcome::Done);
    }
    for number in 0..accounts {
        let request =
            Request { provider: PROVIDER, currency: COIN, amount: coins(1), client_id: String::new() };
        let outcome = exchange.run(&by(number, 1, StakingCommand::Stake(Arc::new(request))));
        assert!(matches!(outcome, Outcome::Staking(_)), "{outcome:?}");
    }
    exchange
}

fn coins(amount: i128) -> Money {
    Money::from_units(amount * Money::ONE.units())
}

/// The accrual of a day of many stakes, against as many credits.
fn accruals(settings: &Settings, [goal, slowest]: [Goal; 2], report: &mut Report) {
    let accounts = if settings.quick { 2_000 } else { 100_000 };
    let (mut ratios, mut worst, mut detail) = (Vec::new(), Vec::new(), String::new());
    let mut exchange = stakers(accounts);
    let today = exchange.next_stamp().time.seconds() / 86_400;
    for day in today..today + settings.pairs as u64 {
        let began = cpu_ns();
        for number in 0..accounts {
            let credit = own(Body::credit(customer(number), vec![(CurrencyId(0), coins(1))]));
            assert_eq!(exchange.run(&credit), Outcome::Done);
        }
        let postings = cpu_ns() - began;
        let (accrual, most, commands) = accrue(&mut exchange, accrual_time(day));
        ratios.push(accrual as f64 / postings as f64);
        worst.push(most as f64 / NS_PER_MS);
        detail = format!(
            "{accounts} stakes: {:.1} ms in {commands} commands, {:.1} ms for as many credits",
            accrual as f64 / NS_PER_MS,
            postings as f64 / NS_PER_MS
        );
        say(&detail);
    }
    let earned = exchange.state.staking().accrued(customer(0), PairId(0));
    assert!(earned > Money::ZERO && exchange.state.broken_law().is_none(), "each stake has earned");
    for (goal, figures) in [(goal, ratios), (slowest, worst)] {
        let detail = detail.clone();
        report.add(Row { number: 17, what: goal.what, goal, spread: Spread::of(figures), detail });
    }
}

/// Runs what is due at the end of a day: nanoseconds of all of it and of its slowest command, and the number of commands.
fn accrue(exchange: &mut Exchange, at: Time) -> (u64, u64, u64) {
    let (mut sum, mut most, mut commands) = (0, 0, 0);
    while let Some(Due { command, time, .. }) = exchange.state.next_due_unskippable()
        && time <= at
    {
        let start = cpu_ns();
        exchange.run_at(&own(command), at);
        let spent = cpu_ns() - start;
        (sum, most, commands) = (sum + spent, most.max(spent), commands + 1);
    }
    (sum, most, commands)
}
