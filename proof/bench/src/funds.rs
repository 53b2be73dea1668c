//! Benchmark 13: what funds cost: durable withdrawals, orders beside many holds, watched addresses, a block of payments.

use std::collections::VecDeque;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use buttonwood_engine::funds::ChainBlock;
use buttonwood_engine::funds::address::{Command as AddressCommand, NewAddress};
use buttonwood_engine::funds::approval::{
    ApprovalScope, Command as ApprovalCommand, EntryRef, HOLD, Request,
};
use buttonwood_engine::funds::deposit::{Command as DepositCommand, Origin, OutputKey, Seen};
use buttonwood_engine::funds::network::{Asset, Command as NetworkCommand, Form, Network, NetworkKind};
use buttonwood_engine::funds::withdrawal::{Command as WithdrawalCommand, Withdraw};
use buttonwood_engine::{Command, FundsCommand, Outcome};
use buttonwood_journal::Options;
use buttonwood_model::{CurrencyId, Time};
use buttonwood_num::{Decimal, Money};
use buttonwood_sequencer::{self as sequencer, Clock, recover};
use tokio::task::LocalSet;

use crate::clock::cpu_ns;
use crate::exchange::{Exchange, Script, customer, founding_commands};
use crate::figures::Spread;
use crate::opgen::{Flow, flow_of};
use crate::place::Place;
use crate::report::{Goal, Report, Row};
use crate::{Settings, memory, say};

/// The network of the benchmark.
const NETWORK: &str = "bench";
/// The currency that moves on it.
const COIN: CurrencyId = CurrencyId(1);
/// The address that everything is paid to.
const APPROVED: &str = "bench-approved-address";
/// Payments in the block.
const PAYMENTS: u32 = 5_000;
/// Most commands in flight in the whole exchange.
const WINDOW: usize = 4_096;

fn money(text: &str) -> Money {
    let decimal = Decimal::parse(text.as_bytes()).expect("a decimal");
    Money::from_decimal(decimal).expect("money")
}

fn own(command: impl Into<FundsCommand>) -> Command {
    let command: FundsCommand = command.into();
    Command { caller: None, body: command.into() }
}

fn entry() -> EntryRef {
    let scope = ApprovalScope::Account(customer(0));
    EntryRef { scope, network: NETWORK.to_owned(), canonical: APPROVED.to_owned() }
}

/// A network with one asset, and the request for the approval of an address.
fn tables() -> [Command; 3] {
    let network = NETWORK.to_owned();
    let (fee, minimum) = (money("0.0001"), money("0.0001"));
    let parent = String::new();
    let kind = NetworkKind::Outputs;
    let asset = Asset {
        network: network.clone(),
        currency: COIN,
        decimals: 8,
        fee,
        minimum,
        is_home: true,
        form: Form::Native,
    };
    let network = Network { name: network, kind, confirmations: 1, memo: false, parent };
    let text = APPROVED.to_owned();
    let request = Request { entry: entry(), text, label: String::new(), memo: String::new() };
    [
        own(NetworkCommand::AddNetwork(Arc::new(network))),
        own(NetworkCommand::AddAsset(Arc::new(asset))),
        own(ApprovalCommand::RequestApproval(Arc::new(request))),
    ]
}

fn end_hold() -> Command {
    own(ApprovalCommand::EndApprovalHold(Box::new(entry())))
}

fn withdrawal(number: u64) -> Command {
    own(WithdrawalCommand::Withdraw(Arc::new(Withdraw {
        account: customer(0),
        network: NETWORK.to_owned(),
        currency: COIN,
        wraps: None,
        address: APPROVED.to_owned(),
        canonical: APPROVED.to_owned(),
        memo: String::new(),
        amount: money("0.0001"),
        client_id: format!("withdrawal-{number:09}"),
    })))
}

fn address(number: u32) -> Command {
    // As long as an address of bitcoin.
    let text = format!("bc1q{number:038}");
    own(AddressCommand::IssueAddress(Arc::new(NewAddress {
        account: customer(number % 1_000),
        network: NETWORK.to_owned(),
        number,
        canonical: text.clone(),
        text,
        memo: String::new(),
        label: String::new(),
    })))
}

/// The commands of a block with payments to the first addresses: each is seen, and confirmed at once.
fn block() -> Vec<Command> {
    let block = ChainBlock { height: 1, hash: format!("{:064x}", 1) };
    let payment = |number: u32| {
        let key = OutputKey { network: NETWORK.to_owned(), tx: format!("{number:064x}"), index: 0 };
        let address = format!("bc1q{:038}", number + 1);
        let canonical = address.clone();
        let origin = Origin { address, canonical, memo: String::new(), spends: vec![7; 70] };
        let seen = Seen { key: key.clone(), origin, currency: COIN, amount: money("0.5") };
        let seen = own(DepositCommand::Seen(Arc::new(seen)));
        [seen, own(DepositCommand::Confirmed(Arc::new(key), block.clone(), 1))]
    };
    (0..PAYMENTS).flat_map(payment).collect()
}

fn take(exchange: &mut Exchange, command: &Command) {
    let outcome = exchange.run(command);
    assert!(!matches!(outcome, Outcome::Rejected(_)), "{command:?}: {outcome:?}");
}

/// A core whose first account may withdraw.
fn exchange() -> Exchange {
    let mut exchange = Exchange::new(1);
    let now = exchange.next_stamp().time;
    tables().iter().for_each(|command| take(&mut exchange, command));
    exchange.run_at(&end_hold(), Time(now.0 + 2 * HOLD));
    exchange
}

/// Commands a second from submission to reply, by the product's sequencer on a disk, after the first `before` of them.
pub(crate) fn durable(commands: &[Command], before: &[Command]) -> f64 {
    let place = Place::Disk.fresh();
    let running = started(place.path());
    let exchange = running.exchange();
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let local = LocalSet::new();
    local.spawn_local(exchange.open_mailbox());
    local.block_on(&runtime, submit(&exchange, before));
    let start = Instant::now();
    local.block_on(&runtime, submit(&exchange, commands));
    let seconds = start.elapsed().as_secs_f64();
    running.stop().expect("it stops");
    commands.len() as f64 / seconds
}

/// The product's sequencer on a fresh directory, founded, with a clock that stands still.
pub(crate) fn started(data: &Path) -> sequencer::Running {
    let mut recovered = recover(data, Options::default()).expect("a fresh directory");
    let (time, founding) = founding_commands(1);
    recovered.commit(time, founding).expect("the founding is taken");
    recovered.commit(time, tables().into()).expect("the tables are taken");
    let now = Time(time.0 + HOLD);
    recovered.commit(now, vec![end_hold()]).expect("the hold is over");
    let options = sequencer::Options { snapshot_every: u64::MAX };
    sequencer::Exchange::start(recovered, Clock::manual(now), options).expect("threads start")
}

/// Submits commands in order, and waits for the oldest reply if many are in flight.
pub(crate) async fn submit(exchange: &sequencer::Exchange, commands: &[Command]) {
    let mut pending = VecDeque::new();
    let check = |answer: Result<sequencer::Receipt, _>| {
        let outcome = answer.expect("the exchange runs").outcome;
        assert!(!matches!(outcome, Outcome::Rejected(_)), "refused");
    };
    for command in commands {
        if pending.len() == WINDOW {
            let oldest: sequencer::Pending = pending.pop_front().expect("the window is full");
            check(oldest.await);
        }
        pending.push_back(exchange.submit(command.clone()).expect("the window is smaller than the queue"));
    }
    for answer in pending {
        check(answer.await);
    }
}

/// The orders of a flow, as commands.
pub(crate) fn orders(script: &Script) -> Vec<Command> {
    script.records.iter().map(|record| record.decode()).collect()
}

/// Durable withdrawals a second, of durable orders.
fn withdrawals(settings: &Settings, script: &Script) -> Measured {
    let count = if settings.quick { 10_000 } else { 100_000 };
    let withdrawals: Vec<Command> = (0..count).map(withdrawal).collect();
    let all = orders(script);
    let (before, timed) = all.split_at(script.prefill);
    measured(settings, || {
        let [orders, withdrawals] = [durable(timed, before), durable(&withdrawals, &[])];
        let detail = format!("{orders:.0} durable orders and {withdrawals:.0} durable withdrawals a second");
        (withdrawals / orders, detail)
    })
}

/// CPU nanoseconds of an order beside many holds, of one without any.
fn holds(settings: &Settings, flow: &Flow, script: &Script) -> Measured {
    let count = if settings.quick { 100_000 } else { 1_000_000 };
    let (before, timed) = script.records.split_at(script.prefill);
    let run = |mut exchange: Exchange| {
        exchange.apply_all(before);
        let start = cpu_ns();
        exchange.apply_all(timed);
        let spent = cpu_ns() - start;
        assert_eq!(exchange.tally(), flow.expect, "{}: ours against the generator", flow.name);
        spent as f64 / timed.len() as f64
    };
    measured(settings, || {
        let mut held = exchange();
        (0..count).for_each(|number| take(&mut held, &withdrawal(number)));
        let [alone, beside] = [run(exchange()), run(held)];
        let detail = format!("a command {alone:.0} ns without a hold, {beside:.0} ns beside {count} holds");
        (beside / alone, detail)
    })
}

/// Live bytes of the state for each issued address.
fn addresses(settings: &Settings) -> Measured {
    let count = if settings.quick { 100_000 } else { 1_000_000 };
    memory::count();
    let once = || {
        let mut exchange = exchange();
        let before = memory::live();
        (1..=count).for_each(|number| take(&mut exchange, &address(number)));
        let bytes = (memory::live() - before) as f64 / f64::from(count);
        black_box(exchange);
        (bytes, format!("{bytes:.0} bytes of the state for each of {count} addresses of 42 characters"))
    };
    let (bytes, detail) = once();
    Measured { ratios: vec![bytes], detail }
}

/// The time of a block of payments through the sequencer, of the time of its commands in the core.
fn blocks(settings: &Settings) -> Measured {
    let issued: Vec<Command> = (1..=PAYMENTS).map(address).collect();
    let block = block();
    measured(settings, || {
        let mut exchange = exchange();
        issued.iter().for_each(|command| take(&mut exchange, command));
        let start = Instant::now();
        block.iter().for_each(|command| take(&mut exchange, command));
        let core = start.elapsed().as_secs_f64();
        let whole = block.len() as f64 / durable(&block, &issued);
        let detail = format!(
            "a block of {PAYMENTS} payments: {:.1} ms in the core, {:.1} ms until durable",
            core * 1e3,
            whole * 1e3
        );
        (whole / core, detail)
    })
}

/// The ratios of a figure, and what its last run has found.
struct Measured {
    ratios: Vec<f64>,
    detail: String,
}

fn measured(settings: &Settings, mut once: impl FnMut() -> (f64, String)) -> Measured {
    let mut measured = Measured { ratios: Vec::new(), detail: String::new() };
    for pair in 1..=settings.pairs {
        let (ratio, detail) = once();
        say(&format!("pair {pair}: {detail}; ratio {ratio:.2}"));
        measured.ratios.push(ratio);
        measured.detail = detail;
    }
    measured
}

/// Benchmark 13; `goals` are those of withdrawals, holds, addresses and blocks.
pub(crate) fn measure(settings: &Settings, goals: [Goal; 4], report: &mut Report) {
    let flow = flow_of("B1", if settings.quick { 100_000 } else { 1_000_000 });
    let script = Script::of(&flow);
    let all = [
        withdrawals(settings, &script),
        holds(settings, &flow, &script),
        addresses(settings),
        blocks(settings),
    ];
    for (goal, Measured { ratios, detail }) in goals.into_iter().zip(all) {
        report.add(Row { number: 13, what: goal.what, goal, spread: Spread::of(ratios), detail });
    }
}
