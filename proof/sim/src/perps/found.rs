//! The founding of a run: contracts, traders with dollars and collateral, an insurance fund. A crowd adds a thousand rows.

use crate::scene::command_of;
use buttonwood_engine::perp::{Command as PerpCommand, Leverage};
use buttonwood_engine::{Account, AccountKind, Body, Command, FeeSchedule, Place, TradingCommand};
use buttonwood_model::{
    AccountId, Claim, CurrencyId, GroupId, OrderKind, Product, Role, SessionId, Side, Symbol, SymbolId,
    SymbolStatus,
};
use buttonwood_num::{Bps, Decimal, Grid, Money, Price, Qty};
use buttonwood_oracle::{Dice, Exchange, caller};

/// Traders of a run.
const TRADERS: usize = 8;

/// Contracts and accounts of a crowd; each account has a row of each.
const CROWD: [usize; 2] = [32, 32];

/// A contract.
#[derive(Clone, Copy)]
pub(super) struct Contract {
    pub(super) base: CurrencyId,
    pub(super) symbol: SymbolId,
    pub(super) tick: Money,
    /// Its index in price steps, at first and now.
    pub(super) start: u64,
    pub(super) ticks: u64,
}

/// A founded exchange.
pub(super) struct Founded {
    pub(super) commands: Vec<Command>,
    pub(super) gusd: CurrencyId,
    pub(super) fund: AccountId,
    pub(super) traders: Vec<(AccountId, SessionId)>,
    pub(super) is_crowded: bool,
    contracts: Vec<Contract>,
}

impl Founded {
    /// A contract that is traded: one of the first two.
    pub(super) fn contract_mut(&mut self, at: usize) -> &mut Contract {
        self.contracts.get_mut(at).expect("there are two")
    }
}

/// So many dollars.
pub(super) fn dollars(amount: i128) -> Money {
    Money::from_units(amount * Money::ONE.units())
}

/// The commands that found the exchange.
pub(super) fn found(dice: &mut Dice, is_crowded: bool) -> Founded {
    let fees = FeeSchedule { maker: Bps(2), taker: Bps(5), auction: Bps(2) };
    let mut exchange = Exchange::open(fees, Some(Vec::new()));
    let gusd = exchange.find_currency("GUSD");
    let collateral = ["BTC", "USDT"].map(|code| exchange.find_currency(code));
    let mut contracts = vec![
        list(&mut exchange, "BTC", "0.0001", "0.5", 100_000),
        list(&mut exchange, "ETH", "0.001", "0.05", 40_000),
    ];
    exchange.own(Body::add_group("perp".into()));
    let fund = exchange.state.ledger().house("insurance").expect("it is opened first");
    for contract in &contracts {
        pin(&mut exchange, contract);
    }
    let mut traders = Vec::new();
    for number in 0..TRADERS {
        let (account, session) = open(&mut exchange, &format!("perp-{number}"));
        credit(&mut exchange, account, gusd, 20_000);
        if number < 3 {
            let [btc, usdt] = collateral;
            credit(&mut exchange, account, btc, 1);
            credit(&mut exchange, account, usdt, 3_000);
            let risk = PerpCommand::SetRisk(account, Some(Leverage::MAX), Some(true));
            exchange.own(risk.into());
        }
        traders.push((account, session));
    }
    credit(&mut exchange, fund, gusd, dice.pick(&[1, 500, 50_000]));
    if is_crowded {
        // Half of the traders have their rows before the crowd, the others after it.
        let [first, _] =
            [0, 1].map(|half| traders.iter().skip(half * 4).take(4).copied().collect::<Vec<_>>());
        leave_rows(&mut exchange, &first, &contracts);
        crowd(&mut exchange, &mut contracts, gusd);
    }
    let commands = exchange.journal.iter().flatten().map(|frame| command_of(frame)).collect();
    Founded { commands, gusd, fund, traders, is_crowded, contracts }
}

/// Accounts with a row of each of many contracts.
fn crowd(exchange: &mut Exchange, contracts: &mut Vec<Contract>, gusd: CurrencyId) {
    let [listed, accounts] = CROWD;
    let mut crowded = Vec::new();
    for number in 0..listed {
        let contract = list(exchange, &format!("C{number}"), "0.01", "0.01", 1_000);
        pin(exchange, &contract);
        crowded.push(contract);
    }
    let mut members = Vec::new();
    for number in 0..accounts {
        let member = open(exchange, &format!("crowd-{number}"));
        credit(exchange, member.0, gusd, 100_000);
        members.push(member);
    }
    leave_rows(exchange, &members, &crowded);
    contracts.extend(crowded);
}

/// Each account places an order in each contract and cancels all of them, which leaves rows without positions.
fn leave_rows(exchange: &mut Exchange, members: &[(AccountId, SessionId)], contracts: &[Contract]) {
    for (account, session) in members {
        for contract in contracts {
            let place = Place {
                symbol: contract.symbol,
                side: Side::Buy,
                claim: Claim::Yes,
                kind: OrderKind::Limit,
                option: None,
                price: Price::from_ticks(contract.ticks * 9 / 10),
                qty: Qty::from_hundredths(700),
                spend: Money::ZERO,
                client_id: None,
                stop: Price::default(),
                margin: false,
            };
            call(exchange, (*account, *session), TradingCommand::Place(place));
        }
        call(exchange, (*account, *session), TradingCommand::CancelAll);
    }
}

fn call(exchange: &mut Exchange, (account, session): (AccountId, SessionId), command: TradingCommand) {
    // Those of the run begin after the last one of the founding.
    let number = exchange.stamp.seq.0;
    let caller = Some(caller(session, account, number));
    exchange.submit(1, &Command { caller, body: command.into() });
}

fn list(exchange: &mut Exchange, code: &str, lot: &str, tick: &str, ticks: u64) -> Contract {
    let [base, quote] = [code, "GUSD"].map(|code| exchange.find_currency(code));
    let parse = |text: &str| Decimal::parse(text.as_bytes()).expect("a decimal");
    let grid = Grid::new(parse(tick), parse(lot)).expect("steps of a grid");
    let tick = grid.value(Money::ONE, Price::from_ticks(1));
    let symbol = Symbol {
        name: format!("{code}gusdperp").to_lowercase(),
        base,
        quote,
        qty_min: Qty::from_hundredths(700),
        grid,
        product: Product::Swap,
        status: SymbolStatus::Open,
        wrap_enabled: false,
        closed_to: Vec::new(),
    };
    exchange.own(Body::list_symbol(symbol));
    let symbol = SymbolId::from_index(exchange.state.symbols().len() - 1);
    Contract { base, symbol, tick, start: ticks, ticks }
}

fn pin(exchange: &mut Exchange, contract: &Contract) {
    let price = Money::from_units(i128::from(contract.ticks) * contract.tick.units());
    exchange.own(PerpCommand::PinIndex(contract.base, Some(price)).into());
}

fn open(exchange: &mut Exchange, name: &str) -> (AccountId, SessionId) {
    let account = Account {
        group: Some(GroupId(0)),
        short_name: name.into(),
        kind: AccountKind::Derivatives,
        ..Account::house(exchange.stamp.time)
    };
    exchange.own(Body::open_account(account));
    let account = AccountId::from_index(exchange.state.access().accounts().len() - 1);
    (account, exchange.key(name, account, Role::Trader))
}

fn credit(exchange: &mut Exchange, account: AccountId, currency: CurrencyId, amount: i128) {
    exchange.own(Body::credit(account, vec![(currency, dollars(amount))]));
}
