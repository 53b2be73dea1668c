//! The start of a program: two groups with accounts of every kind, markets, a fund, and an index that is pinned or that moves with the books.

use buttonwood_engine::clearing::Codes;
use buttonwood_engine::funds::approval::{Command as Approval, Request};
use buttonwood_engine::funds::bank::{BankKind, BankNumbers, Command as Banking, NewBank, Receipt};
use buttonwood_engine::funds::network::{Asset, Command as Table, Form, Network, NetworkKind};
use buttonwood_engine::funds::{ApprovalScope, EntryRef};
use buttonwood_engine::perp::{Command as PerpCommand, Leverage};
use buttonwood_engine::prediction::{Leg, NewCombo, NewContract, NewEvent, RewardChange, combo_grid};
use buttonwood_engine::staking::{PairTerms, Provider, Rate, Terms};
use buttonwood_engine::{
    Account, AccountKind, Body, Caller, ClearingCommand, Command, FeeSchedule, FundsCommand, Mode,
    NewSession, Opening, Owner, PredictionCommand, StakingCommand, TransferMethod,
};
use buttonwood_model::{
    AccountId, Claim, CurrencyId, EventId, GroupId, Product, Role, Roles, SessionId, Symbol, SymbolId,
    SymbolStatus, Time,
};
use buttonwood_num::{Bps, Decimal, Grid, Money};
use buttonwood_oracle::{Exchange, nonce};
use std::sync::Arc;

use super::honest::{self, HONEST};
use super::thefts::{Holder, open_apps, open_operators};
use crate::scene::FOUNDED;

/// One unit of a currency, in units of money.
pub(super) const ONE: i128 = 10_000_000_000_000_000_000;

/// A currency: its code, and the dollars that one is worth for as long as a program runs.
pub(super) struct Coin {
    pub(super) code: &'static str,
    pub(super) dollars: i128,
}

/// The currencies.
pub(super) const COINS: [Coin; 5] = [
    Coin { code: "USD", dollars: 1 },
    Coin { code: "GUSD", dollars: 1 },
    Coin { code: "BTC", dollars: 50_000 },
    Coin { code: "ETH", dollars: 2_000 },
    Coin { code: "LINK", dollars: 10 },
];

/// A market: base and quote as places in [`COINS`], minimum, lot and price step.
pub(super) struct Market {
    pub(super) name: &'static str,
    pub(super) pair: [usize; 2],
    steps: [&'static str; 3],
    pub(super) product: Product,
    pub(super) wraps: bool,
}

const fn spot(name: &'static str, pair: [usize; 2], steps: [&'static str; 3]) -> Market {
    Market { name, pair, steps, product: Product::Spot, wraps: false }
}

const fn swap(name: &'static str, base: usize, steps: [&'static str; 3]) -> Market {
    Market { name, pair: [base, 1], steps, product: Product::Swap, wraps: false }
}

/// The markets, with the steps that the product's own list gives them.
pub(super) const MARKETS: [Market; 8] = [
    spot("btcusd", [2, 0], ["0.00001", "0.00000001", "0.01"]),
    spot("ethusd", [3, 0], ["0.001", "0.000001", "0.01"]),
    spot("linkusd", [4, 0], ["0.1", "0.000001", "0.00001"]),
    Market { wraps: true, ..spot("gusdusd", [1, 0], ["0.01", "0.000001", "0.0001"]) },
    spot("btcgusd", [2, 1], ["0.00001", "0.00000001", "0.01"]),
    spot("ethbtc", [3, 2], ["0.001", "0.000001", "0.00001"]),
    swap("btcgusdperp", 2, ["0.0001", "0.0001", "0.5"]),
    swap("ethgusdperp", 3, ["0.001", "0.001", "0.05"]),
];

/// The place of the market in which dollars are wrapped.
pub(super) const WRAPPING: usize = 3;

/// A pool of staking, each of a provider of its own.
pub(super) struct Pool {
    pub(super) name: &'static str,
    /// Its currency, as a place in [`COINS`].
    pub(super) coin: usize,
    /// Its yearly rate in basis points.
    pub(super) rate: u64,
    /// How long a redemption takes, in seconds.
    wait: u64,
    /// The most coins that are paid out on a day.
    per_day: Option<i128>,
}

/// The pools.
pub(super) const POOLS: [Pool; 4] = [
    Pool { name: "eth-now", coin: 3, rate: 500, wait: 0, per_day: None },
    Pool { name: "eth-later", coin: 3, rate: 3_650, wait: 86_400, per_day: Some(5) },
    Pool { name: "link-now", coin: 4, rate: 10_000, wait: 0, per_day: Some(500) },
    Pool { name: "btc-later", coin: 2, rate: 1_000, wait: 3_600, per_day: None },
];

/// The contracts by their names: one event with a lone contract, one with two of which exactly one is yes, and a combo of both.
pub(super) const CONTRACTS: [&str; 4] = ["rain", "ann", "bob", "both"];

/// The events: tickers, contracts, and the seconds of their windows for disputes.
const EVENTS: [(&str, &[&str], u64); 2] = [("RAIN", &["RAIN"], 0), ("VOTE", &["ANN", "BOB"], 3_600)];

/// The dollars that the makers of the first event share each day.
pub(super) const POOL: i128 = 40;

/// The place of the account that is a broker in [`PEOPLE`].
const BROKER: usize = 1;

/// An account of an adversary.
pub(super) struct Person {
    /// Its group and its own name.
    pub(super) name: &'static str,
    pub(super) kind: AccountKind,
    /// Its balances at first, in each currency.
    has: [i128; 5],
    /// Whether its collateral counts for its perpetuals.
    cross: bool,
}

pub(super) const fn person(name: &'static str, kind: AccountKind, has: [i128; 5]) -> Person {
    Person { name, kind, has, cross: false }
}

/// The accounts of both groups. Each group has a poor one: only who has little can walk away from a debt.
pub(super) const PEOPLE: [Person; 9] = [
    person("a.rich", AccountKind::Exchange, [50_000, 50_000, 3, 20, 2_000]),
    person("a.poor", AccountKind::Exchange, [20, 0, 0, 0, 0]),
    person("a.margin", AccountKind::Margin, [10_000, 500, 0, 0, 0]),
    person("a.perp", AccountKind::Derivatives, [0, 30_000, 0, 0, 0]),
    person("b.rich", AccountKind::Exchange, [50_000, 50_000, 3, 20, 2_000]),
    person("b.margin", AccountKind::Margin, [100, 0, 0, 0, 0]),
    person("b.long", AccountKind::Derivatives, [0, 30_000, 0, 0, 0]),
    Person { cross: true, ..person("b.short", AccountKind::Derivatives, [0, 30_000, 1, 0, 0]) },
    person("b.vault", AccountKind::Custody, [0, 1_000, 1, 0, 0]),
];

/// The accounts of the first group, which come first in [`PEOPLE`].
pub(super) const FIRST_GROUP: usize = 4;

/// The place of the account in [`PEOPLE`] by which the first group borrows dollars for coins.
pub(super) const BORROWER: usize = 2;

/// The balances of house accounts at first: by name, of each currency.
const HOUSE: [(&str, [i128; 5]); 4] = [
    ("promo", [1_000, 0, 0, 0, 0]),
    ("insurance", [20_000, 100_000, 0, 0, 0]),
    ("instant", [500_000, 500_000, 20, 200, 20_000]),
    ("staking_rewards", [0, 0, 10, 100, 10_000]),
];

/// A network for withdrawals, and the currencies on it.
const NETWORKS: [(&str, &[usize]); 2] = [("bitcoin", &[2]), ("ethereum", &[1, 3, 4])];

/// The address that every account may send to.
const OUTSIDE: &str = "outside";

/// The lines of a program's text by which it names its scene.
const TWO_GROUPS: &str = "# scene: two groups";
const HONEST_PARTY: &str = "# scene: honest party";
const MOVING_INDICES: &str = "# scene: moving indices";

/// An account and the key that acts for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Actor {
    pub(super) account: AccountId,
    pub(super) session: SessionId,
    /// The master key of its group, for transfers between its accounts.
    pub(super) master: SessionId,
    /// The number of its bank link; 0 without one.
    pub(super) bank: u32,
}

/// A listed market.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    pub(super) symbol: SymbolId,
    /// A price step and a lot, in units of money.
    pub(super) tick: i128,
    pub(super) lot: i128,
}

/// A founded exchange, from which every program begins.
pub struct Scene {
    pub(super) exchange: Exchange,
    pub(super) currencies: Vec<CurrencyId>,
    pub(super) markets: Vec<Listed>,
    pub(super) actors: Vec<Actor>,
    /// The app of each group.
    pub(super) holders: Vec<Holder>,
    /// The accounts of the honest third party; empty without one.
    pub(super) honest: Vec<Actor>,
    /// How often it has acted.
    pub(super) acts: u64,
    /// Whether the indices move with the books; the first group is alone with the honest one then.
    pub(super) moves: bool,
}

impl Default for Scene {
    fn default() -> Self {
        Self::new()
    }
}

impl Scene {
    /// Founds an exchange on which the two groups are alone.
    pub fn new() -> Self {
        let mut exchange = Exchange::blank();
        exchange.stamp.time = FOUNDED;
        let fees = FeeSchedule { maker: Bps(2), taker: Bps(5), auction: Bps(2) };
        exchange.own(Body::open(Opening { mode: Mode::Sandbox, seed: 1, hash_key: 0x5EED, fees }));
        let currencies: Vec<CurrencyId> =
            COINS.iter().map(|coin| exchange.find_currency(coin.code)).collect();
        let mut scene = Self {
            exchange,
            currencies,
            markets: Vec::new(),
            actors: Vec::new(),
            holders: Vec::new(),
            honest: Vec::new(),
            acts: 0,
            moves: false,
        };
        scene.list();
        scene.pin();
        scene.settle_people();
        scene.fund_house();
        scene.open_networks();
        scene.approve();
        scene.open_clearing();
        scene.open_pools();
        scene.open_contracts();
        open_apps(&mut scene);
        open_operators(&mut scene);
        scene
    }

    /// Founds an exchange with an honest third party, which quotes, holds positions, stakes and offers a deal.
    pub fn with_honest_party() -> Self {
        let mut scene = Self::new();
        scene.settle_honest();
        honest::open(&mut scene, true);
        scene
    }

    /// The same without positions, and with indices of the exchange's own books: at first those of the honest quotes.
    pub fn with_moving_indices() -> Self {
        let mut scene = Self::new();
        scene.settle_honest();
        honest::open(&mut scene, false);
        for place in 2..COINS.len() {
            let currency = scene.currency(place);
            scene.own(PerpCommand::PinIndex(currency, None));
        }
        scene.moves = true;
        scene
    }

    /// The scene that a line of a program's text names; two groups without one.
    pub fn of_text(text: &str) -> Self {
        let names = |scene: &str| text.lines().any(|line| line.trim() == scene);
        if names(MOVING_INDICES) {
            Self::with_moving_indices()
        } else if names(HONEST_PARTY) {
            Self::with_honest_party()
        } else {
            Self::new()
        }
    }

    /// The line that names the scene.
    pub(super) fn line(&self) -> &'static str {
        match (self.moves, self.honest.is_empty()) {
            (true, _) => MOVING_INDICES,
            (false, false) => HONEST_PARTY,
            (false, true) => TWO_GROUPS,
        }
    }

    /// The currency at a place of [`COINS`].
    pub(super) fn currency(&self, place: usize) -> CurrencyId {
        *self.currencies.get(place).expect("a place of the table of currencies")
    }

    pub(super) fn own(&mut self, body: impl Into<Body>) {
        self.exchange.own(body.into());
    }

    fn list(&mut self) {
        for market in &MARKETS {
            let [min, lot, tick] = market.steps.map(|text| Decimal::parse(text.as_bytes()).expect("a step"));
            let grid = Grid::new(tick, lot).expect("steps of a grid");
            let [base, quote] = market.pair.map(|place| self.currency(place));
            self.own(Body::list_symbol(Symbol {
                name: market.name.to_owned(),
                base,
                quote,
                qty_min: grid.qty(min).expect("a minimum on the lot"),
                grid,
                product: market.product,
                status: SymbolStatus::Open,
                wrap_enabled: market.wraps,
                closed_to: Vec::new(),
            }));
            let units = |step: Decimal| Money::from_decimal(step).expect("a short decimal").units();
            let symbol = SymbolId::from_index(self.exchange.state.symbols().len() - 1);
            self.markets.push(Listed { symbol, tick: units(tick), lot: units(lot) });
        }
    }

    /// Pins the index of every currency that has one.
    fn pin(&mut self) {
        for (place, coin) in COINS.iter().enumerate().skip(2) {
            let price = Money::from_units(coin.dollars * ONE);
            self.own(PerpCommand::PinIndex(self.currency(place), Some(price)));
        }
    }

    fn settle_people(&mut self) {
        let mut groups = Vec::new();
        for name in ["a", "b"] {
            self.own(Body::add_group(name.to_owned()));
            let group = GroupId::from_index(self.exchange.state.access().groups().len() - 1);
            let master = self.key(&format!("master-{name}"), Owner::Group(group), &[Role::FundManager]);
            groups.push((name, group, master));
        }
        for person in &PEOPLE {
            let (_, group, master) =
                *groups.iter().find(|(name, ..)| person.name.starts_with(name)).expect("one of two groups");
            let actor = self.settle(person, group, master);
            self.actors.push(actor);
        }
    }

    fn settle_honest(&mut self) {
        self.own(Body::add_group("h".to_owned()));
        let group = GroupId::from_index(self.exchange.state.access().groups().len() - 1);
        let master = self.key("master-h", Owner::Group(group), &[Role::FundManager]);
        for person in &HONEST {
            let actor = self.settle(person, group, master);
            self.honest.push(actor);
        }
    }

    fn key(&mut self, name: &str, owner: Owner, roles: &[Role]) -> SessionId {
        self.own(Body::add_session(NewSession {
            api_key: name.to_owned(),
            name: name.to_owned(),
            owner,
            roles: Roles::of(roles),
            require_heartbeat: false,
            time_based_nonce: false,
            addresses: Vec::new(),
        }));
        SessionId::from_index(self.exchange.state.access().sessions().len() - 1)
    }

    fn settle(&mut self, person: &Person, group: GroupId, master: SessionId) -> Actor {
        self.own(Body::open_account(Account {
            group: Some(group),
            short_name: person.name.to_owned(),
            kind: person.kind,
            ..Account::house(self.exchange.stamp.time)
        }));
        let account = AccountId::from_index(self.exchange.state.access().accounts().len() - 1);
        let roles = [Role::Trader, Role::FundManager];
        let session = self.key(&format!("account-{}", person.name), Owner::Account(account), &roles);
        self.give(account, &person.has);
        if person.kind == AccountKind::Derivatives {
            self.own(PerpCommand::SetRisk(account, Some(Leverage::MAX), Some(person.cross)));
        }
        let bank = if person.kind == AccountKind::Exchange { self.link(account) } else { 0 };
        Actor { account, session, master, bank }
    }

    fn give(&mut self, account: AccountId, amounts: &[i128; 5]) {
        let amounts: Vec<_> = amounts
            .iter()
            .enumerate()
            .filter(|(_, amount)| **amount > 0)
            .map(|(place, amount)| (self.currency(place), Money::from_units(amount * ONE)))
            .collect();
        if !amounts.is_empty() {
            self.own(Body::credit(account, amounts));
        }
    }

    /// Links a bank account, which a wire of a dollar verifies. Returns the number of the link.
    fn link(&mut self, account: AccountId) -> u32 {
        let number = format!("bank of {}", account.0);
        let numbers = BankNumbers::UnitedStates { routing: "021000021".to_owned() };
        let kind = BankKind::Checking;
        let bank = NewBank { account, number: number.clone(), numbers, kind, name: "own".to_owned() };
        self.own(FundsCommand::from(Banking::Link(Arc::new(bank))));
        self.own(FundsCommand::from(Banking::Receive(Arc::new(Receipt {
            account,
            currency: self.currency(0),
            amount: Money::from_units(ONE),
            method: TransferMethod::Wire,
            number,
            routing: "021000021".to_owned(),
        }))));
        self.exchange.state.funds().banks().of_account(account).next().map_or(0, |bank| bank.number)
    }

    fn fund_house(&mut self) {
        for (name, amounts) in &HOUSE {
            let account = self.exchange.state.ledger().house(name).expect("it is opened first");
            self.give(account, amounts);
        }
    }

    fn open_networks(&mut self) {
        for (name, coins) in NETWORKS {
            let (kind, parent) = (NetworkKind::Accounts, String::new());
            let network = Network { name: name.to_owned(), kind, confirmations: 1, memo: false, parent };
            self.own(FundsCommand::from(Table::AddNetwork(Arc::new(network))));
            for place in coins {
                let asset = Asset {
                    network: name.to_owned(),
                    currency: self.currency(*place),
                    decimals: 8,
                    fee: Money::from_units(ONE / 1_000),
                    minimum: Money::from_units(ONE / 10_000),
                    is_home: true,
                    form: Form::Native,
                };
                self.own(FundsCommand::from(Table::AddAsset(Arc::new(asset))));
            }
        }
    }

    /// Clearing has its ids, a fee and a broker.
    fn open_clearing(&mut self) {
        self.own(ClearingCommand::SetKey(Codes::of([9; 16])));
        self.own(ClearingCommand::SetFee(Bps(3)));
        let broker = self.actors.get(BROKER).expect("a place of the table of people").account;
        self.own(ClearingCommand::SetBroker(broker, true));
    }

    fn open_pools(&mut self) {
        self.own(StakingCommand::SetKey([7; 16]));
        for (place, pool) in POOLS.iter().enumerate() {
            let terms = Terms {
                rate: Rate(pool.rate * Rate::BASIS_POINT),
                limit: Money::from_units(1_000_000_000 * ONE),
                wait: pool.wait,
                per_day: pool.per_day.map(|coins| Money::from_units(coins * ONE)),
                paused: false,
            };
            let (provider, currency) = (provider(place), self.currency(pool.coin));
            self.own(StakingCommand::SetTerms(Arc::new(PairTerms { provider, currency, terms })));
        }
    }

    /// Events and a combo are listed, rewards are on with the highest rebates, and both groups have accepted the terms.
    fn open_contracts(&mut self) {
        let (grid, qty_min) = combo_grid().expect("constants");
        let now = self.exchange.stamp.time;
        for (ticker, contracts, seconds) in EVENTS {
            let contract =
                |ticker: &&str| NewContract { ticker: (*ticker).to_owned(), label: "a label".into() };
            self.own(PredictionCommand::ListEvent(Arc::new(NewEvent {
                prefix: "SVC".into(),
                ticker: ticker.to_owned(),
                title: "an event".into(),
                category: "a category".into(),
                contracts: contracts.iter().map(contract).collect(),
                is_exclusive: true,
                start: None,
                expiry: now.plus(30 * 86_400 * Time::SECOND),
                dispute: seconds * Time::SECOND,
                strike: None,
                grid: grid.clone(),
                qty_min,
                closed_to: Vec::new(),
                source: None,
            })));
        }
        let leg = |contract| Leg { contract: SymbolId::contract(contract), required: Claim::Yes };
        let (name, title, legs) = ("SVC-CMB-0126-1".into(), "a combo".into(), vec![leg(0), leg(1)]);
        let combo = NewCombo { name, title, legs, grid, qty_min };
        self.own(PredictionCommand::ListCombo(Arc::new(combo)));
        let pools = Some(vec![(EventId(0), Money::from_units(POOL * ONE))]);
        let (enabled, rebate_bps) = (Some(true), Some(10_000));
        let change = RewardChange { enabled, rebate_bps, pools, ..RewardChange::default() };
        self.own(PredictionCommand::SetRewards(Arc::new(change)));
        for actor in self.actors.clone() {
            let caller = Caller { session: actor.session, account: Some(actor.account), nonce: nonce(1) };
            let body = PredictionCommand::AcceptTerms.into();
            self.exchange.submit(1, &Command { caller: Some(caller), body });
        }
    }

    /// Both groups have an approved address on each network, whose hold has ended.
    fn approve(&mut self) {
        for group in 0..2 {
            for (network, _) in NETWORKS {
                let scope = ApprovalScope::Group(GroupId::from_index(
                    self.exchange.state.access().groups().len() - 2 + group,
                ));
                let entry = EntryRef { scope, network: network.to_owned(), canonical: OUTSIDE.to_owned() };
                let (text, label, memo) = (OUTSIDE.to_owned(), String::new(), String::new());
                let request = Request { entry: entry.clone(), text, label, memo };
                self.own(FundsCommand::from(Approval::RequestApproval(Arc::new(request))));
            }
        }
        super::player::rest(&mut self.exchange, FOUNDED.plus(8 * 86_400 * 1_000_000))
            .expect("an empty exchange comes to rest");
    }
}

/// The provider of a pool.
pub(super) fn provider(pool: usize) -> Provider {
    let mut bytes = [0; 16];
    (bytes[6], bytes[8]) = (0x40, 0x80);
    bytes[15] = u8::try_from(pool).expect("a few pools");
    Provider(bytes)
}

/// The network that a currency leaves by.
pub(super) fn network_of(coin: usize) -> Option<&'static str> {
    NETWORKS.iter().find(|(_, coins)| coins.contains(&coin)).map(|(name, _)| *name)
}

/// The address that every account may send to.
pub(super) fn outside() -> String {
    OUTSIDE.to_owned()
}
