//! Random trading on margin: the laws after every command, money recomputed from the list of fills, replay and snapshots.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what a test cannot do, fails it")]

use buttonwood_engine::spot_margin::{Command as MarginCommand, Infrequent as MarginEvent, Sums};
use buttonwood_engine::{
    Account, AccountKind, Answer, Body, Caller, Command, Event, FeeSchedule, Infrequent, Place,
    TradingCommand, decode_events, perp,
};
use buttonwood_model::{
    AccountId, CancelReason, Claim, CurrencyId, ExecutionOption, GroupId, OrderKind, Outbox, Product, Rank,
    Role, SessionId, Side, Symbol, SymbolId, SymbolStatus, Time,
};
use buttonwood_num::{Bps, Decimal, Grid, Money, Price, Qty};
use buttonwood_oracle::{Dice, Exchange, Happening, nonce};
use std::collections::{BTreeMap, BTreeSet};

const BORROWERS: usize = 4;
const MAKERS: usize = 3;
const UNIT: i128 = 10_i128.pow(19);
const WORST_FEE: Bps = Bps(5);

/// A currency with its dollar book and a price in ticks.
#[derive(Clone, Copy, Debug)]
struct Market {
    currency: CurrencyId,
    symbol: SymbolId,
    ticks: u64,
}

/// What the test knows of an account.
#[derive(Clone, Debug, Default)]
struct Known {
    /// Dollars that came in, less those that went out, in units; loans do not count.
    dollars: i128,
    /// The same of each market's currency.
    holdings: BTreeMap<CurrencyId, i128>,
}

/// How often something happened.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    loans: u32,
    refused: u32,
    hours: u32,
    searches: u32,
    started: u32,
    sold: u32,
    taken_over: u32,
    waited: u32,
    uncovered: u32,
}

struct World {
    exchange: Exchange,
    dice: Dice,
    usd: CurrencyId,
    markets: Vec<Market>,
    traders: Vec<(AccountId, SessionId)>,
    nonce: u64,
    orders: BTreeMap<u64, (AccountId, SymbolId, Side)>,
    on_margin: BTreeSet<u64>,
    known: BTreeMap<AccountId, Known>,
    interest: i128,
    counts: Counts,
}

fn dollars(amount: i128) -> Money {
    Money::from_units(amount * UNIT)
}

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text.as_bytes()).unwrap()
}

impl World {
    fn new(seed: u64) -> Self {
        let fees = FeeSchedule { maker: Bps(2), taker: WORST_FEE, auction: Bps(2) };
        let mut exchange = Exchange::open(fees, Some(Vec::new()));
        let [usd, gusd] = ["USD", "GUSD"].map(|code| exchange.find_currency(code));
        let mut markets = Vec::new();
        for (code, ticks) in [("BTC", 5_000_000), ("ETH", 300_000)] {
            let currency = exchange.find_currency(code);
            for (name, quote, product) in [("usd", usd, Product::Spot), ("gusdperp", gusd, Product::Swap)] {
                let grid = Grid::new(decimal("0.01"), decimal("0.00000001")).unwrap();
                let symbol = Symbol {
                    name: format!("{code}{name}").to_lowercase(),
                    base: currency,
                    quote,
                    qty_min: grid.qty(decimal("0.00001")).unwrap(),
                    grid,
                    product,
                    status: SymbolStatus::Open,
                    wrap_enabled: false,
                    closed_to: Vec::new(),
                };
                assert_eq!(exchange.own(Body::list_symbol(symbol)), Answer::Done);
            }
            let symbol = SymbolId::from_index(exchange.state.symbols().len() - 2);
            markets.push(Market { currency, symbol, ticks });
        }
        assert_eq!(exchange.own(Body::add_group("margin".into())), Answer::Done);
        let mut world = Self {
            exchange,
            dice: Dice::seeded(seed),
            usd,
            markets,
            traders: Vec::new(),
            nonce: 0,
            orders: BTreeMap::new(),
            on_margin: BTreeSet::new(),
            known: BTreeMap::new(),
            interest: 0,
            counts: Counts::default(),
        };
        for number in 0..BORROWERS + MAKERS {
            world.trader(number);
        }
        for market in 0..world.markets.len() {
            world.pin(market, 1_000);
        }
        world
    }

    fn trader(&mut self, number: usize) {
        let is_borrower = number < BORROWERS;
        let account = Account {
            group: Some(GroupId(0)),
            short_name: format!("trader-{number}"),
            kind: if is_borrower { AccountKind::Margin } else { AccountKind::Exchange },
            ..Account::house(self.exchange.stamp.time)
        };
        assert_eq!(self.exchange.own(Body::open_account(account)), Answer::Done);
        let account = AccountId::from_index(self.exchange.state.access().accounts().len() - 1);
        let session = self.exchange.key(&format!("trader-{number}"), account, Role::Trader);
        self.traders.push((account, session));
        let amount = if is_borrower { 10_000 } else { 50_000_000 };
        self.credit(account, self.usd, amount);
        if !is_borrower {
            for market in self.markets.clone() {
                self.credit(account, market.currency, 10_000);
            }
        }
    }

    fn credit(&mut self, account: AccountId, currency: CurrencyId, amount: i128) {
        let body = Body::credit(account, vec![(currency, dollars(amount))]);
        assert_eq!(self.exchange.own(body), Answer::Done);
        let known = self.known.entry(account).or_default();
        if currency == self.usd {
            known.dollars += dollars(amount).units();
        } else {
            *known.holdings.entry(currency).or_default() += dollars(amount).units();
        }
    }

    /// Moves the index of a market.
    fn pin(&mut self, market: usize, thousandths: u64) {
        let Market { currency, symbol, ticks } = &mut self.markets[market];
        *ticks = (*ticks * thousandths / 1_000).clamp(100_000, 50_000_000);
        let grid = &self.exchange.state.symbol(*symbol).unwrap().grid;
        let price = grid.value(Money::ONE, Price::from_ticks(*ticks));
        let command = perp::Command::PinIndex(*currency, Some(price));
        assert_eq!(self.exchange.own(command.into()), Answer::Done);
    }

    /// A random order near the index; the accounts with money make most of the book.
    fn place(&mut self) {
        let (account, session) = self.dice.pick(&self.traders.clone());
        let is_borrower = self.traders.iter().take(BORROWERS).any(|(owner, _)| *owner == account);
        let Market { symbol, ticks, .. } = self.dice.pick(&self.markets.clone());
        let side = if is_borrower && !self.dice.once_in(3) {
            Side::Buy
        } else {
            self.dice.pick(&[Side::Buy, Side::Sell])
        };
        let kind = self.dice.pick(&[OrderKind::Limit, OrderKind::Limit, OrderKind::Limit, OrderKind::Market]);
        let kind = if kind == OrderKind::Market && side == Side::Buy && self.dice.once_in(2) {
            OrderKind::MarketSpend
        } else {
            kind
        };
        let is_limit = kind == OrderKind::Limit;
        let option = self.dice.pick(&[None, None, None, Some(ExecutionOption::ImmediateOrCancel)]);
        let value = if is_borrower { 1 + self.dice.below(30_000) } else { 1 + self.dice.below(80_000) };
        let hundredths = u128::from(value) * 1_000_000_000_000 / u128::from(ticks);
        let margin = is_borrower && !self.dice.once_in(4);
        let place = Place {
            symbol,
            side,
            claim: Claim::Yes,
            kind,
            option: option.filter(|_| is_limit),
            price: Price::from_ticks(if is_limit { ticks * (985 + self.dice.below(31)) / 1_000 } else { 0 }),
            qty: if kind == OrderKind::MarketSpend { Qty::ZERO } else { Qty::from_hundredths(hundredths) },
            spend: if kind == OrderKind::MarketSpend { dollars(value.into()) } else { Money::ZERO },
            client_id: None,
            stop: Price::default(),
            margin,
        };
        let owed = self.owed(account);
        let id = self.exchange.state.next_id();
        let answer = self.submit(account, session, TradingCommand::Place(place).into());
        if matches!(answer, Answer::Rejected(_)) {
            self.counts.refused += 1;
            return;
        }
        self.orders.insert(id, (account, symbol, side));
        if margin {
            self.on_margin.insert(id);
        }
        self.note_fills(id);
        self.counts.loans += u32::from(self.owed(account) > owed);
        // An order that is cancelled unfilled is not judged.
        let enters = self
            .exchange
            .happened
            .iter()
            .any(|happening| matches!(happening, Happening::Filled { .. } | Happening::Booked(_)));
        if margin && side == Side::Buy && enters {
            self.check_leverage(account);
        } else if side == Side::Buy && is_borrower && !margin {
            assert_eq!(self.owed(account), Money::ZERO, "an account that owes buys on margin only");
        }
    }

    fn submit(&mut self, account: AccountId, session: SessionId, body: Body) -> Answer {
        self.nonce += 1;
        let caller = Caller { session, account: Some(account), nonce: nonce(self.nonce) };
        let micros = if self.dice.once_in(15) { 1_200 * Time::SECOND } else { 1 };
        self.run_due();
        self.exchange.submit(micros, &Command { caller: Some(caller), body })
    }

    fn owed(&self, account: AccountId) -> Money {
        self.exchange.state.margin().owed(account)
    }

    /// Notional and live margin buys are at most five times the assets less fees and less what is paid above the index (MARG-010).
    fn check_leverage(&self, account: AccountId) {
        let sums = self.sums(account);
        let (mut buys, mut lost) = (0, 0);
        for order in self.exchange.orders_of(account) {
            if order.side == Side::Sell || !self.on_margin.contains(&order.id.0) {
                continue;
            }
            let grid = &self.exchange.state.symbol(order.symbol).unwrap().grid;
            let value = grid.notional(order.price, order.remaining).unwrap().units();
            let index = self.index(order.symbol);
            let base = grid.base(order.remaining).unwrap();
            let worth = base.times(index, buttonwood_num::Round::Down).unwrap().units();
            lost += (value - worth).max(0);
            lost += grid.fee(order.price, order.remaining, WORST_FEE).unwrap().units();
            buys += value;
        }
        // What is lost is rounded once for each currency, and here for each order.
        let slack = 100;
        assert!(
            sums.notional.units() + buys <= 5 * (sums.assets.units() - lost) + slack,
            "{sums:?} {buys} {lost}"
        );
    }

    fn index(&self, symbol: SymbolId) -> Money {
        let market = self.markets.iter().find(|market| market.symbol == symbol).unwrap();
        self.exchange.state.perps().index_price(market.currency).unwrap()
    }

    fn sums(&self, account: AccountId) -> Sums {
        let state = &self.exchange.state;
        state.margin().sums(state.ledger(), account).unwrap()
    }

    /// Adds the fills of an order to what is known of its accounts.
    fn note_fills(&mut self, taker: u64) {
        for happening in self.exchange.happened.clone() {
            if let Happening::Cancelled(_, CancelReason::Uncovered) = happening {
                self.counts.uncovered += 1;
            }
            let Happening::Filled { maker, price, qty, maker_fee, taker_fee, .. } = happening else {
                continue;
            };
            for (order, fee) in [(maker, maker_fee), (taker, taker_fee)] {
                let (account, symbol, side) = self.orders[&order];
                let symbol = self.exchange.state.symbol(symbol).unwrap();
                let sign = if side == Side::Buy { 1 } else { -1 };
                let base = symbol.grid.base(qty).unwrap().units() * sign;
                let value = symbol.grid.notional(price, qty).unwrap().units() * sign;
                let known = self.known.entry(account).or_default();
                *known.holdings.entry(symbol.base).or_default() += base;
                known.dollars -= value + fee.units();
            }
        }
    }

    /// Runs all that is due, as the sequencer does.
    fn run_due(&mut self) {
        while let Some(due) = self.exchange.state.next_due() {
            if due.rank != Rank::FollowUp && due.time > self.exchange.stamp.time {
                break;
            }
            let id = self.exchange.state.next_id();
            let before: Vec<Money> =
                self.traders.iter().take(BORROWERS).map(|(account, _)| self.owed(*account)).collect();
            assert_eq!(self.exchange.own(due.command.clone()), Answer::Done, "{due:?}");
            if let Body::Margin(MarginCommand::Liquidate(account)) = due.command {
                for happening in self.exchange.happened.clone() {
                    if let Happening::Filled { maker, .. } = happening {
                        let (_, symbol, _) = self.orders[&maker];
                        self.orders.insert(id, (account, symbol, Side::Sell));
                    }
                }
                self.note_fills(id);
            }
            self.note_events(&before);
            self.check();
        }
    }

    /// Adds what the desk's own events moved.
    fn note_events(&mut self, before: &[Money]) {
        let mut out = Outbox::<Event>::default();
        decode_events(&self.exchange.frame, &mut out).unwrap();
        for event in &out.events {
            let Event::Infrequent(kept) = event else { continue };
            let Ok(Infrequent::Margin(event)) = Infrequent::read(*kept, &out.texts) else { continue };
            self.note_event(&event, before);
        }
    }

    fn note_event(&mut self, event: &MarginEvent, before: &[Money]) {
        match event {
            MarginEvent::InterestCharged(charge) => {
                self.counts.hours += 1;
                assert_eq!(charge.hour.0 % (3_600 * Time::SECOND), 0);
                let owing = self.traders.iter().take(BORROWERS).zip(before);
                let owing: Vec<_> = owing.filter(|(_, owed)| **owed > Money::ZERO).collect();
                assert_eq!(charge.rows.len(), owing.len());
                for ((account, amount), ((owner, _), owed)) in charge.rows.iter().zip(owing) {
                    // 8 % a year, cut to 14 decimals.
                    let part = owed.units() * 913_242_009;
                    let rounded_up = (part + 10_i128.pow(14) - 1) / 10_i128.pow(14);
                    assert_eq!((account, amount.units()), (owner, rounded_up));
                    self.known.get_mut(account).unwrap().dollars -= amount.units();
                    self.interest += amount.units();
                }
            }
            MarginEvent::Found(..) => self.counts.searches += 1,
            MarginEvent::Started(account) => {
                self.counts.started += 1;
                let sums = self.sums(*account);
                assert!(sums.assets.units() * 20 < sums.notional.units(), "below maintenance: {sums:?}");
                assert_eq!(self.exchange.orders_of(*account).count(), 0);
            }
            MarginEvent::Sold(sold) => {
                self.counts.sold += u32::from(sold.fee > Money::ZERO);
                self.known.get_mut(&sold.account).unwrap().dollars -= sold.fee.units();
                assert!(self.sums(sold.account).assets >= Money::ZERO || sold.fee == Money::ZERO);
            }
            MarginEvent::TakenOver(taken) => {
                self.counts.taken_over += 1;
                let known = self.known.get_mut(&taken.account).unwrap();
                known.dollars += taken.cost.units();
                *known.holdings.get_mut(&taken.rest.currency).unwrap() -= taken.rest.quantity.units();
                let fund = self.exchange.state.ledger().house("insurance").unwrap();
                assert!(self.sums(fund).assets >= Money::ZERO, "the fund stays at zero or above");
            }
            MarginEvent::Ended(account) => {
                let sums = self.sums(*account);
                self.counts.waited += u32::from(sums.assets.units() * 20 < sums.notional.units());
            }
        }
    }

    /// Checks every law, and that money is that of the fills.
    fn check(&self) {
        let state = &self.exchange.state;
        assert_eq!(state.broken_law(), None);
        for (account, _) in &self.traders {
            let known = &self.known[account];
            let money = state.ledger().balance(*account, self.usd).total();
            assert_eq!((money - self.owed(*account)).units(), known.dollars, "{account:?}");
            for market in &self.markets {
                let held = state.ledger().balance(*account, market.currency).total().units();
                let expected = known.holdings.get(&market.currency).copied().unwrap_or_default();
                assert_eq!(held, expected, "{account:?}");
            }
            let available = state.ledger().balance(*account, self.usd).available;
            assert!(
                available == Money::ZERO || self.owed(*account) == Money::ZERO,
                "what comes in repays first"
            );
        }
    }
}

/// Orders, pins and hours at random: every law holds after each command, money is that of the fills, and a replay and a snapshot lead
/// to the same state. Proves MARG-006, MARG-010.
#[test]
fn money_is_that_of_the_fills() {
    let mut counts = Counts::default();
    for seed in 0..6 {
        let mut world = World::new(seed);
        world.counts = counts;
        for step in 0..700 {
            let (account, session) = world.dice.pick(&world.traders.clone());
            match world.dice.below(30) {
                0 | 1 => {
                    let market = usize::try_from(world.dice.below(2)).unwrap();
                    let thousandths = 970 + world.dice.below(61);
                    world.pin(market, thousandths);
                }
                2 if world.dice.once_in(6) => {
                    let market = usize::try_from(world.dice.below(2)).unwrap();
                    let thousandths = 780 + world.dice.below(100);
                    world.pin(market, thousandths);
                }
                3 => {
                    world.submit(account, session, TradingCommand::CancelAll.into());
                }
                4 if world.dice.once_in(4) => {
                    let fund = world.exchange.state.ledger().house("insurance").unwrap();
                    let body = Body::credit(fund, vec![(world.usd, dollars(500))]);
                    assert_eq!(world.exchange.own(body), Answer::Done);
                }
                5 if world.dice.once_in(4) => world.credit(account, world.usd, 1_000),
                _ => world.place(),
            }
            world.check();
            world.run_due();
            if step % 100 == 0 {
                let stored = world.exchange.stored();
                assert!(stored == world.exchange.state, "a snapshot holds the state");
                world.exchange.state = stored;
            }
        }
        let mut again = Exchange::blank();
        for frame in world.exchange.journal.clone().unwrap() {
            again.replay(&frame);
        }
        assert_eq!(world.exchange.difference(&again), None);
        counts = world.counts;
    }
    let Counts { loans, refused, hours, searches, started, sold, taken_over, waited, uncovered } = counts;
    let reached = [loans, refused, hours, searches, started, sold, taken_over, waited];
    assert!(reached.iter().all(|count| *count >= 3), "the dice reach too little: {counts:?} {uncovered}");
}
