//! The founding of a run: contracts, traders with dollars and collateral, an insurance fund. A crowd adds a thousand rows.

use crate::trial::found::{Listing, Market, commands_of, credit, list, open, open_exchange};
use buttonwood_engine::perp::{Command as PerpCommand, Leverage};
use buttonwood_engine::{AccountKind, Body, Command, Place, TradingCommand};
use buttonwood_model::{AccountId, CurrencyId, Product, SessionId, Side};
use buttonwood_num::{Price, Qty};
use buttonwood_oracle::{Dice, Exchange, caller};

/// Traders of a run.
const TRADERS: usize = 8;

/// Contracts and accounts of a crowd; each account has a row of each.
const CROWD: [usize; 2] = [32, 32];

/// A founded exchange.
pub(super) struct Founded {
    pub(super) commands: Vec<Command>,
    pub(super) gusd: CurrencyId,
    pub(super) fund: AccountId,
    pub(super) traders: Vec<(AccountId, SessionId)>,
    pub(super) is_crowded: bool,
    contracts: Vec<Market>,
}

impl Founded {
    /// A contract that is traded: one of the first two.
    pub(super) fn contract_mut(&mut self, at: usize) -> &mut Market {
        self.contracts.get_mut(at).expect("there are two")
    }
}

/// The commands that found the exchange.
pub(super) fn found(dice: &mut Dice, is_crowded: bool) -> Founded {
    let mut exchange = open_exchange();
    let gusd = exchange.find_currency("GUSD");
    let collateral = ["BTC", "USDT"].map(|code| exchange.find_currency(code));
    let mut contracts = vec![
        list_swap(&mut exchange, "BTC", ["0.0001", "0.5"], 100_000),
        list_swap(&mut exchange, "ETH", ["0.001", "0.05"], 40_000),
    ];
    exchange.own(Body::add_group("perp".into()));
    let fund = exchange.state.ledger().house("insurance").expect("it is opened first");
    for contract in &contracts {
        exchange.own(contract.pin());
    }
    let mut traders = Vec::new();
    for number in 0..TRADERS {
        let (account, session) = open(&mut exchange, &format!("perp-{number}"), AccountKind::Derivatives);
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
    let commands = commands_of(&exchange);
    Founded { commands, gusd, fund, traders, is_crowded, contracts }
}

/// Accounts with a row of each of many contracts.
fn crowd(exchange: &mut Exchange, contracts: &mut Vec<Market>, gusd: CurrencyId) {
    let [listed, accounts] = CROWD;
    let mut crowded = Vec::new();
    for number in 0..listed {
        let contract = list_swap(exchange, &format!("C{number}"), ["0.01", "0.01"], 1_000);
        exchange.own(contract.pin());
        crowded.push(contract);
    }
    let mut members = Vec::new();
    for number in 0..accounts {
        let member = open(exchange, &format!("crowd-{number}"), AccountKind::Derivatives);
        credit(exchange, member.0, gusd, 100_000);
        members.push(member);
    }
    leave_rows(exchange, &members, &crowded);
    contracts.extend(crowded);
}

/// Each account places an order in each contract and cancels all of them, which leaves rows without positions.
fn leave_rows(exchange: &mut Exchange, members: &[(AccountId, SessionId)], contracts: &[Market]) {
    for (account, session) in members {
        for contract in contracts {
            let place = Place::limit(
                contract.symbol,
                Side::Buy,
                Price::from_ticks(contract.ticks * 9 / 10),
                Qty::from_hundredths(700),
            );
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

/// Lists a perpetual contract.
fn list_swap(exchange: &mut Exchange, code: &str, [lot, tick]: [&'static str; 2], ticks: u64) -> Market {
    let of = Listing { quote: "GUSD", product: Product::Swap, lot, tick, least: 700, wraps: false };
    list(exchange, code, &of, ticks)
}
