//! Benchmark 21: what others wait for behind a group in advance that has all resting and waiting that it may have (D-255): the slowest
//! command of a transfer to it and of the steps after it.

use std::sync::Arc;

use buttonwood_engine::clearing::{Codes, Confirm, HOURS, New, Parties, Terms};
use buttonwood_engine::funds::bank::{Command as BankCommand, Receipt};
use buttonwood_engine::{Body, ClearingCommand, FundsCommand, Outcome, TradingCommand, TransferMethod};
use buttonwood_model::{Claim, CurrencyId, Side, SymbolId};
use buttonwood_num::{Money, Price, Qty};

use crate::clock::cpu_ns;
use crate::exchange::{Exchange, customer};
use crate::figures::Spread;
use crate::predictions::{CONTRACT, by, opening, own, purchase};
use crate::report::{Goal, Report, Row};
use crate::{Settings, say};

/// The most live orders of an account.
const ORDERS: u32 = 10_000;
/// The most deals of an account.
const DEALS: u32 = 1_000;
/// More coins, at a price at which they cost more dollars, than an account has.
const COINS: i128 = 50_000_000_000;
const PRICE: Price = Price::from_ticks(1_000_000_000);
/// Hundredths of a lot in a coin.
const HUNDREDTHS: u128 = 10_000_000_000;
const KEY: [u8; 16] = [9; 16];
const NS_PER_MS: f64 = 1e6;

/// `goal` is that of the slowest command.
pub(crate) fn measure(settings: &Settings, goal: Goal, report: &mut Report) {
    let accounts = if settings.quick { 1 } else { 30 };
    let (mut worst, mut detail) = (Vec::new(), String::new());
    for pair in 1..=settings.pairs {
        // A transfer finds the deals where the one before has left them, so each has an exchange of its own.
        let (slowest, steps) = transfer(&mut prepared(accounts));
        worst.push(slowest as f64 / NS_PER_MS);
        detail = format!("{} resting orders, {DEALS} deals that wait, {steps} steps", accounts * ORDERS);
        say(&format!("pair {pair}: {:.2} ms; {detail}", slowest as f64 / NS_PER_MS));
    }
    report.add(Row { number: 21, what: goal.what, goal, spread: Spread::of(worst), detail });
}

/// An exchange on which all accounts are of one group with a dollar of advance.
fn prepared(accounts: u32) -> Exchange {
    let mut exchange = Exchange::new(1);
    let mut run = |command| {
        let outcome = exchange.run(&command);
        assert!(!matches!(outcome, Outcome::Rejected(_)), "{command:?}: {outcome:?}");
    };
    opening().into_iter().for_each(&mut run);
    run(own(ClearingCommand::SetKey(Codes::of(KEY))));
    for number in 0..accounts {
        for used in 1..=ORDERS {
            let place = purchase(CONTRACT, Claim::Yes, 1, 100);
            run(by(number + 2, used, TradingCommand::Place(place)));
        }
    }
    let (number, routing) = ("0123451111".to_owned(), "021000021".to_owned());
    let (account, currency, method) = (customer(2), CurrencyId(0), TransferMethod::Ach);
    let receipt = Receipt { account, currency, amount: Money::ONE, method, number, routing };
    run(own(FundsCommand::from(BankCommand::Receive(Arc::new(receipt)))));
    for number in 1..=DEALS {
        let (symbol, qty) = (SymbolId(0), Qty::from_hundredths(COINS.unsigned_abs() * HUNDREDTHS));
        let parties = Parties::With(customer(1));
        let terms = Terms { symbol, side: Side::Sell, price: PRICE, qty, hours: HOURS, parties };
        run(by(0, number + 1, ClearingCommand::New(Arc::new(New { terms, client_id: String::new() }))));
        let confirm = Confirm {
            code: Codes::of(KEY).code(number.into()),
            symbol: Some(symbol),
            qty: Some(qty),
            price: Some(PRICE),
            side: Side::Buy,
        };
        run(by(1, number + 1, ClearingCommand::Confirm(confirm)));
    }
    exchange
}

/// Gives the seller the coins of its deals, for which the buyer lacks the dollars: nanoseconds of the slowest command, and the number of
/// steps.
fn transfer(exchange: &mut Exchange) -> (u64, u64) {
    let coins = Money::from_units(COINS * Money::ONE.units());
    let (mut slowest, mut steps) = (0, 0);
    let mut timed = |exchange: &mut Exchange, body: Body| {
        let start = cpu_ns();
        let outcome = exchange.run(&own(body));
        slowest = slowest.max(cpu_ns() - start);
        assert!(!matches!(outcome, Outcome::Rejected(_)), "{outcome:?}");
    };
    timed(exchange, Body::credit(customer(0), vec![(CurrencyId(1), coins)]));
    while let Some(due) = exchange.state.next_due_in(exchange.state.clearing())
        && matches!(due.command, ClearingCommand::Settle(_))
    {
        steps += 1;
        timed(exchange, due.command.into());
    }
    (slowest, steps)
}
