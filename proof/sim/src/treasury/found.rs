//! The founding of a treasury: three networks, their assets, three accounts with deposit addresses and test credits.

use crate::scene::command_of;
use buttonwood_address::{Branch, Network as Format, Params, Seed, derive};
use buttonwood_driver::{Nodes, Wallets};
use buttonwood_engine::funds::address::{Command as AddressCommand, NewAddress};
use buttonwood_engine::funds::network::Command as NetworkCommand;
use buttonwood_engine::funds::{Asset, Form, Network, NetworkKind};
use buttonwood_engine::{Account, AccountKind, Body, Command, FeeSchedule, FundsCommand};
use buttonwood_model::{AccountId, CurrencyId, GroupId, Time};
use buttonwood_num::{Bps, Money};
use buttonwood_oracle::Exchange;
use std::sync::Arc;

/// One unit of a currency.
pub(super) const ONE: i128 = 10_000_000_000_000_000_000;

/// The memo of the account that has one, on the network whose accounts share an address.
pub(super) const MEMO: &str = "1001";

/// Addresses of customers on each network, outside the exchange.
pub(super) const RECEIVERS: usize = 3;

/// A currency on a network.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) network: &'static str,
    pub(super) currency: CurrencyId,
    pub(super) code: &'static str,
    /// Confirmations that make a payment final.
    pub(super) required: u32,
    /// The least that can be told apart there, in units of money.
    pub(super) grain: i128,
    /// The fee of a withdrawal that is not free.
    pub(super) fee: i128,
    pub(super) minimum: i128,
    pub(super) is_evm: bool,
    /// The addresses of customers there.
    pub(super) receivers: Vec<String>,
    /// The exchange's addresses there, with the memo and whose they are.
    pub(super) own: Vec<(String, String, AccountId)>,
}

impl Place {
    /// The address of a customer.
    pub(super) fn receiver(&self, at: usize) -> String {
        self.receivers.get(at).cloned().expect("there is such a customer")
    }
}

/// A founded exchange.
pub(super) struct Founded {
    pub(super) commands: Vec<Command>,
    pub(super) places: Vec<Place>,
    /// An exchange account, the custody account of its group, and the account of another group.
    pub(super) accounts: [AccountId; 3],
    pub(super) dollar: CurrencyId,
    /// The first balance of each account, in each currency.
    pub(super) credit: i128,
}

/// The seeds of the addresses.
pub(super) fn wallets() -> Wallets {
    let seed = Seed::new(&[7; 32]).expect("a seed has 32 bytes");
    Wallets { formats: Params::main(), seed, nodes: Nodes::default() }
}

/// Networks: name, kind, confirmations.
const NETWORKS: [(&str, NetworkKind, u32); 3] = [
    ("bitcoin", NetworkKind::Outputs, 3),
    ("ethereum", NetworkKind::Evm, 4),
    ("xrpl", NetworkKind::Accounts, 2),
];

/// Assets: network, code, decimals.
const ASSETS: [(&str, &str, u8); 4] =
    [("bitcoin", "BTC", 8), ("ethereum", "ETH", 18), ("ethereum", "GUSD", 2), ("xrpl", "XRP", 6)];

/// The text of an address of a seed.
fn address(seed: u8, network: &str, branch: Branch, index: u32) -> String {
    let format = Format::from_name(network).expect("the network has a format");
    let seed = Seed::new(&[seed; 32]).expect("a seed has 32 bytes");
    let derived = derive(&Params::main(), &seed, format, branch, index).expect("the index has a key");
    derived.address.canonical().into_owned()
}

/// The commands that found the exchange.
pub(super) fn found() -> Founded {
    let fees = FeeSchedule { maker: Bps(20), taker: Bps(40), auction: Bps(30) };
    let mut exchange = Exchange::open(fees, Some(Vec::new()));
    let dollar = exchange.find_currency("USD");
    let ann = exchange.account("ann", "");
    let group = exchange.state.access().account(ann).and_then(|account| account.group);
    let vault = open(&mut exchange, group, "vault", AccountKind::Custody);
    let bob = exchange.account("bob", "");
    let accounts = [ann, vault, bob];
    for (name, kind, confirmations) in NETWORKS {
        let (memo, parent) = (name == "xrpl", String::new());
        let network = Network { name: name.into(), kind, confirmations, memo, parent };
        run(&mut exchange, NetworkCommand::AddNetwork(Arc::new(network)));
    }
    let mut places: Vec<Place> = ASSETS
        .iter()
        .map(|(network, code, decimals)| list(&mut exchange, network, code, *decimals))
        .collect();
    for (name, ..) in NETWORKS {
        let own = issue(&mut exchange, name, &accounts);
        for place in places.iter_mut().filter(|place| place.network == name) {
            place.own.clone_from(&own);
        }
    }
    let credit = 1_000_000 * ONE;
    let all = places.iter().map(|place| place.currency).chain([dollar]);
    let credits: Vec<_> = all.map(|currency| (currency, Money::from_units(credit))).collect();
    for account in accounts {
        exchange.own(Body::credit(account, credits.clone()));
    }
    let commands = exchange.journal.iter().flatten().map(|frame| command_of(frame)).collect();
    Founded { commands, places, accounts, dollar, credit }
}

fn run(exchange: &mut Exchange, command: impl Into<FundsCommand>) {
    exchange.own(Body::from(command.into()));
}

fn open(exchange: &mut Exchange, group: Option<GroupId>, name: &str, kind: AccountKind) -> AccountId {
    let opened = Time(0);
    let account = Account { group, short_name: name.into(), kind, ..Account::house(opened) };
    exchange.own(Body::open_account(account));
    AccountId::from_index(exchange.state.access().accounts().len() - 1)
}

fn list(exchange: &mut Exchange, network: &'static str, code: &'static str, decimals: u8) -> Place {
    let currency = exchange.find_currency(code);
    let (_, kind, required) =
        NETWORKS.into_iter().find(|(name, ..)| *name == network).expect("the network is listed");
    // All can be told apart at two decimals and more.
    let grain = 10_i128.pow(19 - u32::from(decimals.min(8)));
    let (fee, minimum) = (ONE / 100, ONE / 100);
    let money = Money::from_units;
    let asset = Asset {
        network: network.into(),
        currency,
        decimals,
        fee: money(fee),
        minimum: money(minimum),
        is_home: true,
        form: Form::Native,
    };
    run(exchange, NetworkCommand::AddAsset(Arc::new(asset)));
    let receivers =
        (0..RECEIVERS).map(|at| address(9, network, Branch::Wallet, u32::try_from(at).expect("a few")));
    Place {
        network,
        currency,
        code,
        required,
        grain,
        fee,
        minimum,
        is_evm: kind == NetworkKind::Evm,
        receivers: receivers.collect(),
        own: Vec::new(),
    }
}

/// An address for the first and the last account; where accounts share one, only the first has a memo.
fn issue(
    exchange: &mut Exchange,
    network: &'static str,
    accounts: &[AccountId],
) -> Vec<(String, String, AccountId)> {
    let [ann, _, bob] = *accounts else { return Vec::new() };
    let is_shared = network == "xrpl";
    let mut own = Vec::new();
    for (number, account) in (1..).zip([ann, bob].into_iter().take(if is_shared { 1 } else { 2 })) {
        let text = address(7, network, Branch::Deposit, number);
        let memo = if is_shared { MEMO } else { "" };
        let new = NewAddress {
            account,
            network: network.into(),
            number,
            text: text.clone(),
            canonical: text.clone(),
            memo: memo.into(),
            label: String::new(),
        };
        run(exchange, AddressCommand::IssueAddress(Arc::new(new)));
        own.push((text, memo.to_owned(), account));
    }
    own
}
