//! Random trading on margin, against naive sums: money recomputed from the list of fills, figures and admission from lists of orders and
//! holdings, and every law after every command; a replay and a snapshot lead to the same state.

use crate::margin::figures::{self, Account as Naive, Buy, Held};
use crate::{Dice, Exchange, Happening, nonce};
use buttonwood_engine::spot_margin::{
    Command as MarginCommand, Conditions, Figures, Infrequent as MarginEvent,
};
use buttonwood_engine::{
    Account, AccountKind, Answer, Body, Caller, Command, Event, FeeSchedule, Infrequent, OrderState, Place,
    PlaceReject, Reject, Schedule, TradingCommand, decode_events, perp,
};
use buttonwood_model::{
    AccountId, CurrencyId, ExecutionOption, GroupId, OrderKind, Outbox, Product, Rank, Role, SessionId, Side,
    Symbol, SymbolId, SymbolStatus, Time,
};
use buttonwood_num::{Bps, Decimal, Grid, Money, Price, Qty};

use std::collections::{BTreeMap, BTreeSet, HashMap};

const BORROWERS: usize = 4;
const MAKERS: usize = 3;
const UNIT: i128 = 10_i128.pow(19);
const FEES: FeeSchedule = FeeSchedule { maker: Bps(2), taker: Bps(5), auction: Bps(2) };

/// A currency with its dollar book and its index in ticks.
#[derive(Clone, Copy, Debug)]
struct Market {
    currency: CurrencyId,
    symbol: SymbolId,
    ticks: u64,
}

/// The sums that came into an account less those that went out, in units, by currency; loans do not count.
type Known = BTreeMap<CurrencyId, i128>;

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
    counts: HashMap<&'static str, u64>,
}

/// Runs so many steps of a seed; returns how often what happened.
///
/// # Panics
/// When the core differs from the naive sums, or breaks a law.
pub fn borrow(seed: u64, steps: u64) -> HashMap<&'static str, u64> {
    let mut world = World::new(seed);
    for step in 0..steps {
        world.step();
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
    world.counts
}

fn dollars(amount: i128) -> Money {
    Money::from_units(amount * UNIT)
}

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text.as_bytes()).unwrap()
}

impl World {
    fn new(seed: u64) -> Self {
        let mut exchange = Exchange::open(FEES, Some(Vec::new()));
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
            counts: HashMap::new(),
        };
        for number in 0..BORROWERS + MAKERS {
            world.trader(number);
        }
        for market in 0..world.markets.len() {
            world.pin(market, 1_000);
        }
        world.schedule_auctions();
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
        self.credit(account, self.usd, if is_borrower { 10_000 } else { 50_000_000 });
        if !is_borrower {
            for market in self.markets.clone() {
                self.credit(account, market.currency, 10_000);
            }
        }
    }

    /// An auction of the first market every ten minutes.
    fn schedule_auctions(&mut self) {
        let schedule = Schedule {
            time: self.exchange.stamp.time.plus(600 * Time::SECOND),
            every: 600 * Time::SECOND,
            opens: Schedule::ALWAYS,
            indicates: 0,
            indicates_every: Time::SECOND,
            last_cancel: 0,
        };
        let command = TradingCommand::ScheduleAuctions(self.markets[0].symbol, Some(schedule));
        assert_eq!(self.exchange.own(command.into()), Answer::Done);
    }

    fn credit(&mut self, account: AccountId, currency: CurrencyId, amount: i128) {
        let body = Body::credit(account, vec![(currency, dollars(amount))]);
        assert_eq!(self.exchange.own(body), Answer::Done);
        self.add(account, currency, dollars(amount).units());
    }

    fn add(&mut self, account: AccountId, currency: CurrencyId, units: i128) {
        *self.known.entry(account).or_default().entry(currency).or_default() += units;
    }

    fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
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

    fn step(&mut self) {
        let (account, session) = self.dice.pick(&self.traders.clone());
        let market = usize::try_from(self.dice.below(2)).unwrap();
        match self.dice.below(30) {
            0 | 1 => {
                let thousandths = 970 + self.dice.below(61);
                self.pin(market, thousandths);
            }
            2 if self.dice.once_in(6) => {
                let thousandths = 780 + self.dice.below(100);
                self.pin(market, thousandths);
            }
            3 => {
                self.submit(account, session, TradingCommand::CancelAll.into());
            }
            4 if self.dice.once_in(4) => {
                let fund = self.exchange.state.ledger().house("insurance").unwrap();
                let body = Body::credit(fund, vec![(self.usd, dollars(500))]);
                assert_eq!(self.exchange.own(body), Answer::Done);
            }
            5 if self.dice.once_in(4) => self.credit(account, self.usd, 1_000),
            _ => self.place(account, session),
        }
    }

    /// A random order near the index; the accounts with money make most of the book.
    fn place(&mut self, account: AccountId, session: SessionId) {
        let is_borrower = self.is_borrower(account);
        let place = self.order(is_borrower);
        let id = self.exchange.state.next_id();
        let crosses = {
            let book = self.exchange.state.orders().book(place.symbol);
            place.kind != OrderKind::Limit || book.side(place.side.opposite()).meets(place.price)
        };
        let answer = self.submit(account, session, TradingCommand::Place(place).into());
        if let Answer::Rejected(reject) = answer {
            self.count("refused");
            let is_for_funds = reject == Reject::place(PlaceReject::BeyondFunds);
            if place.margin && place.side == Side::Buy && is_for_funds && !crosses {
                self.check_refusal(account, &place);
            }
            return;
        }
        self.orders.insert(id, (account, place.symbol, place.side));
        if place.margin {
            self.on_margin.insert(id);
        }
        self.note_fills(id);
        // An order that is cancelled unfilled is not judged.
        let enters = self.exchange.happened.iter().any(|happening| {
            matches!(happening, Happening::Filled { .. } | Happening::Booked(_) | Happening::Suspended(_))
        });
        let buys = place.side == Side::Buy && is_borrower && enters;
        if buys && place.margin {
            assert!(
                self.naive(account).is_within_limit(),
                "notional and buys are within five times the assets"
            );
        } else if buys {
            assert_eq!(self.owed(account), Money::ZERO, "an account that owes buys on margin only");
        }
    }

    fn order(&mut self, is_borrower: bool) -> Place {
        let Market { symbol, ticks, .. } = self.dice.pick(&self.markets.clone());
        let side = self.dice.pick(&[Side::Buy, Side::Sell]);
        let side = if is_borrower && !self.dice.once_in(3) { Side::Buy } else { side };
        let kind = self.dice.pick(&[
            OrderKind::Limit,
            OrderKind::Limit,
            OrderKind::Limit,
            OrderKind::Limit,
            OrderKind::Market,
            OrderKind::MarketSpend,
            OrderKind::StopLimit,
        ]);
        let kind =
            if kind == OrderKind::MarketSpend && side == Side::Sell { OrderKind::Market } else { kind };
        let is_limited = matches!(kind, OrderKind::Limit | OrderKind::StopLimit);
        let option = self.dice.pick(&[
            None,
            None,
            None,
            Some(ExecutionOption::ImmediateOrCancel),
            Some(ExecutionOption::AuctionOnly),
        ]);
        let option = option.filter(|_| kind == OrderKind::Limit);
        let value = 1 + self.dice.below(if is_borrower { 30_000 } else { 80_000 });
        let qty = Qty::from_hundredths(u128::from(value) * 1_000_000_000_000 / u128::from(ticks));
        let spends = kind == OrderKind::MarketSpend;
        let price = ticks * (985 + self.dice.below(31)) / 1_000;
        let stop = match side {
            Side::Buy => price * 99 / 100,
            Side::Sell => price * 101 / 100,
        };
        let price = if is_limited { Price::from_ticks(price) } else { Price::default() };
        let qty = if spends { Qty::ZERO } else { qty };
        Place {
            kind,
            option,
            spend: if spends { dollars(value.into()) } else { Money::ZERO },
            stop: if kind == OrderKind::StopLimit { Price::from_ticks(stop) } else { Price::default() },
            margin: is_borrower && !self.dice.once_in(4),
            ..Place::limit(symbol, side, price, qty)
        }
    }

    /// A buy that would rest is refused for the limit, or because an order without credit is live that buys.
    fn check_refusal(&mut self, account: AccountId, place: &Place) {
        let is_cash_buy =
            |order: &OrderState| order.side == Side::Buy && !self.on_margin.contains(&order.id.0);
        if self.exchange.orders_of(account).any(|order| is_cash_buy(&order)) {
            return self.count("mixed");
        }
        let mut naive = self.naive(account);
        naive.buys.push(self.buy(place.symbol, place.price, place.qty));
        assert!(!naive.is_within_limit(), "an order within the limit is accepted");
        self.count("beyond the limit");
    }

    fn submit(&mut self, account: AccountId, session: SessionId, body: Body) -> Answer {
        self.nonce += 1;
        let caller = Caller { session, account: Some(account), nonce: nonce(self.nonce) };
        let micros = if self.dice.once_in(15) { 1_200 * Time::SECOND } else { 1 };
        self.run_due();
        self.exchange.submit(micros, &Command { caller: Some(caller), body })
    }

    fn is_borrower(&self, account: AccountId) -> bool {
        self.traders.iter().take(BORROWERS).any(|(owner, _)| *owner == account)
    }

    fn owed(&self, account: AccountId) -> Money {
        self.exchange.state.spot_margin().owed(account)
    }

    fn buy(&self, symbol: SymbolId, price: Price, qty: Qty) -> Buy {
        let grid = &self.exchange.state.symbol(symbol).unwrap().grid;
        Buy {
            of: self.markets.iter().position(|market| market.symbol == symbol).unwrap(),
            base: grid.base(qty).unwrap(),
            value: grid.notional(price, qty).unwrap(),
            fee: grid.fee(price, qty, FEES.taker).unwrap(),
        }
    }

    /// The account as lists. Nothing is on its way out in this world.
    fn naive(&self, account: AccountId) -> Naive {
        let state = &self.exchange.state;
        let held = self.markets.iter().map(|market| {
            let grid = &state.symbol(market.symbol).unwrap().grid;
            Held {
                quantity: state.ledger().balance(account, market.currency).total(),
                index: state.indices().latest().price(market.currency).unwrap(),
                tick: grid.value(Money::ONE, Price::from_ticks(1)),
            }
        });
        let live = self.exchange.orders_of(account).filter(|order| self.on_margin.contains(&order.id.0));
        let (buys, sells): (Vec<OrderState>, Vec<OrderState>) =
            live.partition(|order| order.side == Side::Buy);
        let buy = |order: &OrderState| self.buy(order.symbol, order.price, order.remaining);
        Naive {
            conditions: Conditions::default(),
            usd: state.ledger().balance(account, self.usd).total(),
            owed: self.owed(account),
            held: held.collect(),
            buys: buys.iter().map(buy).collect(),
            sells: sells.iter().map(|order| buy(order).value).collect(),
        }
    }

    /// Adds the fills of an order, and an auction's, to what is known of their accounts.
    fn note_fills(&mut self, taker: u64) {
        for happening in self.exchange.happened.clone() {
            if let Happening::Filled { maker, price, qty, maker_fee, taker_fee, .. } = happening {
                self.note_fill(maker, price, qty, maker_fee);
                self.note_fill(taker, price, qty, taker_fee);
            } else if let Happening::Crossed { buy, sell, price, qty, fees: [buyer, seller], .. } = happening
            {
                self.count("crossed");
                self.note_fill(buy, price, qty, buyer);
                self.note_fill(sell, price, qty, seller);
            }
        }
    }

    fn note_fill(&mut self, order: u64, price: Price, qty: Qty, fee: Money) {
        let (account, symbol, side) = self.orders[&order];
        let symbol = self.exchange.state.symbol(symbol).unwrap();
        let sign = if side == Side::Buy { 1 } else { -1 };
        let base = symbol.grid.base(qty).unwrap().units() * sign;
        let value = symbol.grid.notional(price, qty).unwrap().units() * sign;
        let currency = symbol.base;
        self.add(account, currency, base);
        self.add(account, self.usd, -(value + fee.units()));
        self.count("filled");
    }

    /// Runs all that is due, as the sequencer does.
    fn run_due(&mut self) {
        while let Some(due) = self.exchange.state.next_due() {
            if due.rank != Rank::FollowUp && due.time > self.exchange.stamp.time {
                break;
            }
            let borrowers = self.traders[..BORROWERS].to_vec();
            let before: Vec<Money> = borrowers.iter().map(|(account, _)| self.owed(*account)).collect();
            let mut taker = self.exchange.state.next_id();
            assert_eq!(self.exchange.own(due.command.clone()), Answer::Done, "{due:?}");
            for happening in self.exchange.happened.clone() {
                match (happening, &due.command) {
                    (Happening::Triggered(id), _) => {
                        self.count("triggered");
                        taker = id;
                    }
                    (
                        Happening::Filled { maker, .. },
                        Body::SpotMargin(MarginCommand::Liquidate(account)),
                    ) => {
                        let (_, symbol, _) = self.orders[&maker];
                        self.orders.insert(taker, (*account, symbol, Side::Sell));
                    }
                    _ => {}
                }
            }
            self.note_fills(taker);
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
            let Ok(Infrequent::SpotMargin(event)) = Infrequent::read(*kept, &out.texts) else { continue };
            self.note_event(&event, before);
        }
    }

    fn note_event(&mut self, event: &MarginEvent, before: &[Money]) {
        match event {
            MarginEvent::InterestCharged(charge) => {
                self.count("hours");
                assert_eq!(charge.hour.0 % (3_600 * Time::SECOND), 0);
                let owing: Vec<_> = self.traders[..BORROWERS].iter().zip(before).collect();
                let owing = owing.into_iter().filter(|(_, owed)| **owed > Money::ZERO);
                let rate = Conditions::default().dollar_rate;
                let expected: Vec<_> =
                    owing.map(|((account, _), owed)| (*account, figures::interest(*owed, rate))).collect();
                assert_eq!(charge.rows, expected);
                for (account, amount) in expected {
                    self.add(account, self.usd, -amount.units());
                }
            }
            MarginEvent::Found(..) => self.count("searches"),
            MarginEvent::Started(account) => {
                self.count("liquidated");
                assert!(self.naive(*account).is_below_maintenance());
                assert_eq!(self.exchange.orders_of(*account).count(), 0);
            }
            MarginEvent::Sold(sold) => {
                if sold.fee > Money::ZERO {
                    self.count("sold");
                    assert!(
                        self.naive(sold.account).assets() >= Money::ZERO,
                        "the fee is no more than is left"
                    );
                }
                self.add(sold.account, self.usd, -sold.fee.units());
            }
            MarginEvent::TakenOver(taken) => {
                self.count("taken over");
                self.add(taken.account, self.usd, taken.cost.units());
                self.add(taken.account, taken.rest.currency, -taken.rest.quantity.units());
                let house = self.exchange.state.ledger().house("insurance").unwrap();
                let (fund, gusd) = (self.naive(house), self.exchange.find_currency("GUSD"));
                let of_perps = self.exchange.state.ledger().balance(house, gusd).total();
                let assets = fund.assets() + of_perps;
                assert!(
                    assets.units() >= fund.notional().units() / 10,
                    "a tenth carries what the fund holds"
                );
            }
            MarginEvent::ConditionsSet(_) | MarginEvent::CoinsSet(_) => {
                unreachable!("no operator is at work")
            }
            MarginEvent::Ended(account) => {
                if self.naive(*account).is_below_maintenance() {
                    self.count("waits");
                }
            }
        }
    }

    /// Checks every law, that money is that of the fills, and that figures are the naive ones.
    fn check(&self) {
        let state = &self.exchange.state;
        assert_eq!(state.broken_law(), None);
        for (account, _) in &self.traders {
            for (currency, expected) in &self.known[account] {
                let owed = if *currency == self.usd { self.owed(*account) } else { Money::ZERO };
                let has = state.ledger().balance(*account, *currency).total();
                assert_eq!((has - owed).units(), *expected, "{account:?} {currency:?}");
            }
            let available = state.ledger().balance(*account, self.usd).available;
            let owed = self.owed(*account);
            assert!(available == Money::ZERO || owed == Money::ZERO, "what comes in repays first");
        }
        for (account, _) in &self.traders[..BORROWERS] {
            let figures = Figures::of(
                state.spot_margin(),
                state.ledger(),
                state.indices().latest(),
                state.symbols(),
                *account,
            )
            .unwrap();
            assert_eq!(figures::of_core(&figures), self.naive(*account).figures());
        }
    }
}
