//! Staking, naively: lists of changes and sums over them, from the specification (STK-003 to STK-021, D-95 to D-104). Random customers stake,
//! redeem and repeat requests, while terms and prices change, the rewards run out, the exchange halts or is down for days, and its state goes
//! through snapshots. Some of these acts come between the steps of an accrual. After every command the core must show the same figures.

mod books;
mod requests;

use crate::exchange::caller;
use crate::{Dice, Exchange};
use books::{Books, ONE};
use buttonwood_engine::funds::bank::{Command as BankCommand, Receipt, Settlement};
use buttonwood_engine::perp::Command as PerpCommand;
use buttonwood_engine::staking::{PairTerms, Provider, Rate, Request, Terms};
use buttonwood_engine::{
    AccessCommand, AccountKind, Adjustment, Answer, Body, Caller, Command, Eid, FeeSchedule, Founding,
    FundsCommand, LedgerCommand, Made, Operation, OrderRef, Outcome, Place, STAKING_POOL, STAKING_REWARDS,
    StakingCommand, StakingInfrequent, TradingCommand, TransferMethod,
};
use buttonwood_model::{AccountId, CurrencyId, OrderId, Rank, Role, SessionId, Side, SymbolId, Time};
use buttonwood_num::{Bps, Money, Price, Qty};
use std::sync::Arc;

const HOUR: u64 = 3_600 * Time::SECOND;
const DAY: u64 = 24 * HOUR;
/// Hundredths of a lot in one coin.
const COIN: u128 = 100_000_000;
/// Ticks in a dollar.
const DOLLAR: u64 = 1_000;

/// How often something happened in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StakingCounts {
    /// Stakes.
    pub staked: u64,
    /// Requests to redeem.
    pub redeemed: u64,
    /// Payments of redemptions that had waited.
    pub paid_later: u64,
    /// Interest that joined a stake.
    pub joined: u64,
    /// Interest that went to a balance.
    pub to_balance: u64,
    /// Days that were paid after the next one had ended too.
    pub late: u64,
    /// Stakes that were beyond the limit of the month, and nothing else was against them.
    pub beyond_limit: u64,
    /// Requests that were sent again and got the same reply.
    pub repeated: u64,
    /// Acts between commands that were due.
    pub between: u64,
    /// Accounts that were closed, and gave up the interest of the day that ran.
    pub closed: u64,
    /// Stakes that were redeemed because their account owed for an advance.
    pub forced: u64,
    /// Requests that were refused.
    pub refused: u64,
}

impl StakingCounts {
    /// Adds the counts of another run.
    pub fn add(&mut self, other: &Self) {
        self.staked += other.staked;
        self.redeemed += other.redeemed;
        self.paid_later += other.paid_later;
        self.joined += other.joined;
        self.to_balance += other.to_balance;
        self.late += other.late;
        self.beyond_limit += other.beyond_limit;
        self.repeated += other.repeated;
        self.between += other.between;
        self.closed += other.closed;
        self.forced += other.forced;
        self.refused += other.refused;
    }
}

/// A request that was accepted under a client id, and its reply.
#[derive(Clone)]
struct Known {
    who: usize,
    stakes: bool,
    request: Request,
    answer: Answer,
}

/// A coin and its dollar book.
#[derive(Clone, Copy)]
struct Coin {
    currency: CurrencyId,
    symbol: SymbolId,
}

/// Random customers, the core that they use, and what it must show.
struct World {
    exchange: Exchange,
    dice: Dice,
    usd: CurrencyId,
    coins: [Coin; 2],
    /// The fourth is of a kind that may not stake. Those behind it are the crowd.
    accounts: Vec<(AccountId, SessionId)>,
    nonce: u64,
    known: Vec<Known>,
    /// Orders of the book that hold a coin each, and whose they are.
    holds: Vec<(usize, OrderId)>,
    books: Books,
    counts: StakingCounts,
}

/// Runs `steps` random acts, of three customers and a crowd of others.
///
/// # Errors
/// The first difference between the core and the naive figures.
pub fn stake(dice: Dice, steps: u32, crowd: u32) -> Result<StakingCounts, String> {
    let mut world = World::open(dice)?;
    world.gather(crowd)?;
    for step in 0..steps {
        let acted = world.act().and_then(|()| world.run_due(world.now()));
        let settled = acted.and_then(|()| world.books.settled(world.exchange.stamp.time));
        let agreed = settled.and_then(|()| world.agree_on_all());
        agreed.map_err(|difference| format!("step {step}: {difference}"))?;
    }
    let Books { late, paid_later, interest: [joined, to_balance], .. } = world.books;
    Ok(StakingCounts { paid_later, joined, to_balance, late, ..world.counts })
}

fn provider(last: u8) -> Provider {
    let mut bytes = [0; 16];
    (bytes[6], bytes[8], bytes[15]) = (0x40, 0x80, last);
    Provider(bytes)
}

impl World {
    /// Three customers with coins and dollars, two coins, of which one has no price yet, and rewards for some days.
    fn open(dice: Dice) -> Result<Self, String> {
        let fees = FeeSchedule { maker: Bps(0), taker: Bps(0), auction: Bps(0) };
        let mut exchange = Exchange::open(fees, None);
        let usd = exchange.find_currency("USD");
        let coins = ["SOL", "ETH"].map(|code| {
            let currency = exchange.find_currency(code);
            Coin { currency, symbol: exchange.symbol([code, "USD"], ["0.001", "0.000001", "0.001"], &[]) }
        });
        let mut accounts: Vec<_> = ["a", "b", "c"].map(|name| exchange.account(name, "")).into();
        accounts.push(exchange.account_of_kind(accounts[0], "m", AccountKind::Margin));
        let roles = [Role::Trader; 4];
        let keys = accounts.iter().zip(roles).zip(["a", "b", "c", "m"]);
        let accounts = keys.map(|((account, role), name)| (*account, exchange.key(name, *account, role)));
        let accounts: Vec<_> = accounts.collect();
        let mut books = Books::default();
        for (account, _) in &accounts {
            let units = 1_000_000 * ONE;
            exchange.own(Body::credit(*account, vec![(usd, Money::from_units(units))]));
            books.add(*account, usd, units);
        }
        books.prices.insert(usd, [Some(ONE), None]);
        exchange.own(StakingCommand::SetKey([7; 16]).into());
        let counts = StakingCounts::default();
        let mut world = Self {
            exchange,
            dice,
            usd,
            coins,
            accounts,
            nonce: 0,
            known: Vec::new(),
            holds: Vec::new(),
            books,
            counts,
        };
        world.pass_to(DAY + 12 * HOUR)?;
        for place in 0..2 {
            world.set_terms(0, place)?;
            world.fund()?;
            world.credit()?;
        }
        world.set_terms(2, 2)?;
        world.pin()?;
        Ok(world)
    }

    /// A crowd that stakes: more accounts than one step of an accrual may pay.
    fn gather(&mut self, crowd: u32) -> Result<(), String> {
        if crowd == 0 {
            return Ok(());
        }
        let Coin { currency, .. } = self.coins[0];
        let terms = Terms {
            rate: Rate(365 * Rate::BASIS_POINT),
            limit: Money::from_units(10_000_000 * ONE),
            wait: 3_600,
            ..Terms::default()
        };
        self.own(1, set(provider(0), currency, terms))?;
        self.books.set_terms(provider(0), currency, terms, self.exchange.stamp.time);
        for number in 0..crowd {
            let name = format!("crowd-{number}");
            let account = self.exchange.account_beside(self.accounts[0].0, &name, "");
            self.accounts.push((account, self.exchange.key(&name, account, Role::FundManager)));
            let units = ONE + i128::from(number);
            self.own(1, Body::credit(account, vec![(currency, Money::from_units(2 * units))]))?;
            self.books.add(account, currency, 2 * units);
            let (amount, client_id) = (Money::from_units(units), String::new());
            let request = Request { provider: provider(0), currency, amount, client_id };
            self.request(self.accounts.len() - 1, true, &request)?;
        }
        self.agree()
    }

    fn currencies(&self) -> [CurrencyId; 3] {
        let [sol, eth] = self.coins.map(|coin| coin.currency);
        [sol, eth, self.usd]
    }

    fn now(&self) -> u64 {
        self.exchange.stamp.time.0
    }

    fn act(&mut self) -> Result<(), String> {
        if self.books.halted && self.dice.once_in(4) {
            self.halt()?;
        }
        match self.dice.below(24) {
            0..=6 => self.wait(),
            7 => self.be_down(),
            8 => {
                self.exchange.state = self.exchange.stored();
                Ok(())
            }
            9 if self.dice.once_in(3) => self.burst(),
            12 => self.owe(),
            10 | 11 if self.accounts.len() > 100 => self.rush(),
            _ => self.act_at_once(),
        }
    }

    /// An act that may come at any moment.
    fn act_at_once(&mut self) -> Result<(), String> {
        match self.dice.below(24) {
            0..=7 => self.ask(true),
            8..=13 => self.ask(false),
            14 => self.repeat(),
            15 => self.credit(),
            16..=18 => self.fund(),
            19 => {
                let (last, place) = self.dice.pick(&[(0, 0), (0, 1), (1, 0), (2, 2), (3, 2)]);
                self.set_terms(last, place)
            }
            20 => self.pin(),
            21 => self.trade(),
            22 if self.dice.once_in(3) => self.halt(),
            22 => self.hold(),
            23 if self.dice.once_in(2) => self.close(),
            23 => self.release(),
            _ => Ok(()),
        }
    }

    /// Runs a command, and compares.
    fn submit(&mut self, wait: u64, caller: Option<Caller>, body: Body) -> Result<Answer, String> {
        let answer = self.exchange.submit(wait, &Command { caller, body });
        let now = self.exchange.stamp.time;
        for event in std::mem::take(&mut self.exchange.of.staking) {
            if let StakingInfrequent::Accrued(event) = event {
                self.books.accrued(&event, now)?;
            } else if let StakingInfrequent::Paid(event) = event {
                self.books.paid(&event, now)?;
            } else if let StakingInfrequent::Redeemed(event) = event
                && event.is_forced
            {
                self.books.forced(&event, now)?;
                self.counts.forced += 1;
            }
        }
        Ok(answer)
    }

    /// Runs a command of the exchange, which must be done.
    fn own(&mut self, wait: u64, body: Body) -> Result<(), String> {
        let said = format!("{body:?}");
        let answer = self.submit(wait, None, body)?;
        if let Outcome::Rejected(reject) = answer {
            return Err(format!("{said}: {reject:?}"));
        }
        Ok(())
    }

    fn send(&mut self, who: usize, body: impl Into<Body>) -> Result<Answer, String> {
        self.nonce += 1;
        let (account, session) = self.accounts[who];
        self.submit(1, Some(caller(session, account, self.nonce)), body.into())
    }

    fn credit(&mut self) -> Result<(), String> {
        let coin = self.dice.pick(&self.coins);
        for who in 0..4 {
            let account = self.accounts[who].0;
            let units =
                ONE * i128::from(1 + self.dice.below(100)) + i128::from(self.dice.below(1_000_000_000));
            self.own(1, Body::credit(account, vec![(coin.currency, Money::from_units(units))]))?;
            self.books.add(account, coin.currency, units);
        }
        self.agree()
    }

    /// The rewards of a coin get what the next day of a pair lacks, a unit less, or something else.
    fn fund(&mut self) -> Result<(), String> {
        let all = (0..self.books.pairs.len()).map(|at| (self.books.pairs[at].currency, self.books.lacks(at)));
        let lacking: Vec<_> = all.filter(|(_, lacks)| *lacks > 0).collect();
        let other = i128::from(1 + self.dice.below(1 << 62));
        let (currency, units) = if lacking.is_empty() || self.dice.once_in(4) {
            (self.dice.pick(&self.currencies()), other)
        } else {
            let (currency, lacks) = self.dice.pick(&lacking);
            (currency, self.dice.pick(&[lacks, lacks, (lacks - 1).max(1), lacks + other]))
        };
        self.own(1, StakingCommand::Fund(currency, Money::from_units(units)).into())?;
        self.books.fund(currency, units);
        self.agree()
    }

    fn set_terms(&mut self, last: u8, place: usize) -> Result<(), String> {
        let (provider, currency) = (provider(last), self.currencies()[place]);
        let basis_points = self.dice.pick(&[0, 1, 365, 730, 5_000, 100_000]);
        let millionths = if basis_points == 100_000 { 0 } else { self.dice.pick(&[0, 0, 1, 19_700]) };
        let per_day = self.dice.pick(&[None, None, Some(1), Some(ONE), Some(20 * ONE)]);
        let terms = Terms {
            rate: Rate(basis_points * Rate::BASIS_POINT + millionths),
            limit: Money::from_units(ONE * self.dice.pick(&[0, 3_000, 10_000, 30_000, 100_000, 10_000_000])),
            wait: self.dice.pick(&[0, 0, 1, 3_600, 86_400, 7 * 86_400]),
            per_day: per_day.map(Money::from_units),
            paused: self.dice.once_in(8),
        };
        self.own(1, set(provider, currency, terms))?;
        self.books.set_terms(provider, currency, terms, self.exchange.stamp.time);
        self.agree()
    }

    /// The first coin gets an index.
    fn pin(&mut self) -> Result<(), String> {
        let (currency, dollars) = (self.coins[0].currency, self.dice.pick(&[50, 90, 100, 101, 150]));
        let index = dollars * ONE;
        self.own(1, PerpCommand::PinIndex(currency, Some(Money::from_units(index))).into())?;
        self.books.prices.entry(currency).or_default()[1] = Some(index);
        self.agree()
    }

    /// One customer sells a coin to another one, within the collar around the last trade.
    fn trade(&mut self) -> Result<(), String> {
        let coin = self.dice.pick(&self.coins);
        let [last, _] = self.books.prices.get(&coin.currency).copied().unwrap_or_default();
        let last = last.map_or(100, |last| last / ONE);
        let price = self.dice.pick(&[last - last / 5, last - 1, last, last + 1, last + last / 25]).max(30);
        let (seller, buyer) = self.dice.pick(&[(0, 2), (2, 0)]);
        let [from, to] = [seller, buyer].map(|who| self.accounts[who].0);
        let affords = self.books.available(to, self.usd) >= price * ONE;
        if self.books.halted || self.books.available(from, coin.currency) < ONE || !affords {
            return Ok(());
        }
        let ticks = Price::from_ticks(u64::try_from(price).unwrap() * DOLLAR);
        let orders = [(seller, Side::Sell), (buyer, Side::Buy)];
        for (who, side) in orders {
            let answer = self.send(who, TradingCommand::Place(order(coin.symbol, side, ticks)))?;
            if let Outcome::Rejected(reject) = answer {
                return Err(format!("no trade at {price}: {reject:?}"));
            }
        }
        self.note_trade(coin, [from, to], price);
        self.agree()
    }

    /// Notes that a coin was sold. Without a pin the index is that of the book, which has nothing but its last trade.
    fn note_trade(&mut self, coin: Coin, [from, to]: [AccountId; 2], price: i128) {
        self.books.add(from, coin.currency, -ONE);
        self.books.add(to, coin.currency, ONE);
        self.books.add(from, self.usd, price * ONE);
        self.books.add(to, self.usd, -price * ONE);
        self.books.prices.entry(coin.currency).or_default()[0] = Some(price * ONE);
    }

    /// An order far from any price holds a coin, which cannot be staked.
    fn hold(&mut self) -> Result<(), String> {
        let (who, coin) = (self.dice.pick(&[0, 2]), self.coins[0]);
        let account = self.accounts[who].0;
        if self.books.halted || self.books.available(account, coin.currency) < ONE {
            return Ok(());
        }
        self.holds.push((who, OrderId(self.exchange.state.next_id())));
        let place = order(coin.symbol, Side::Sell, Price::from_ticks(1_000_000 * DOLLAR));
        let answer = self.send(who, TradingCommand::Place(place))?;
        self.books.add(account, coin.currency, -ONE);
        if let Outcome::Rejected(reject) = answer {
            return Err(format!("no hold: {reject:?}"));
        }
        self.agree()
    }

    fn release(&mut self) -> Result<(), String> {
        let Some((who, order)) = self.holds.pop() else { return Ok(()) };
        self.send(who, TradingCommand::Cancel(OrderRef::Id(order)))?;
        self.books.add(self.accounts[who].0, self.coins[0].currency, ONE);
        self.agree()
    }

    /// Somebody of the crowd redeems all, mostly, and the account is closed if no stake, redemption or interest is in the way.
    fn close(&mut self) -> Result<(), String> {
        let crowd = u64::try_from(self.accounts.len() - 4).unwrap();
        if crowd == 0 {
            return Ok(());
        }
        let who = 4 + usize::try_from(self.dice.below(crowd)).unwrap();
        let account = self.accounts[who].0;
        if self.books.closed.contains(&account) {
            return Ok(());
        }
        if !self.dice.once_in(4) {
            self.redeem_all(who)?;
        }
        for currency in self.currencies() {
            self.debit(account, currency)?;
        }
        // A redemption may have been paid while another currency was debited.
        let has_money = self.currencies().into_iter().any(|it| self.books.available(account, it) != 0);
        let is_in_use = has_money || self.books.is_in_use(account, Time(self.now() + 1));
        let answer = self.submit(1, None, AccessCommand::CloseAccount(account).into())?;
        if is_in_use != matches!(answer, Outcome::Rejected(_)) {
            return Err(format!("{answer:?} to the end of {account:?}, which is in use: {is_in_use}"));
        }
        if !is_in_use {
            self.counts.closed += 1;
            self.books.close(account);
        }
        self.agree()
    }

    /// An operator takes all that is available.
    fn debit(&mut self, account: AccountId, currency: CurrencyId) -> Result<(), String> {
        let units = -self.books.available(account, currency);
        if units == 0 {
            return Ok(());
        }
        let amount = Money::from_units(units);
        let debit = Adjustment { account, currency, amount, reference: String::new() };
        self.own(1, LedgerCommand::Adjust(Arc::new(debit)).into())?;
        self.books.add(account, currency, units);
        Ok(())
    }

    /// A customer without dollars gets the price of a coin in advance and buys one, and the payment is returned: its stakes repay the debt.
    fn owe(&mut self) -> Result<(), String> {
        let (coin, [seller, account]) = (self.coins[0], [0, 1].map(|who: usize| self.accounts[who].0));
        let [last, index] = self.books.prices[&coin.currency];
        let highest = last.map_or(i128::MAX, |last| last / ONE + last / ONE / 25);
        let price = highest.min(index.unwrap_or(0) / ONE);
        let has_coin = self.books.available(seller, coin.currency) >= ONE;
        if self.books.halted || !has_coin || self.books.debt(account, self.usd) > 0 {
            return Ok(());
        }
        let (provider, client_id) = (provider(self.dice.pick(&[2, 3])), String::new());
        let amount = Money::from_units(price * self.dice.pick(&[ONE / 2, ONE, 2 * ONE]));
        self.request(1, true, &Request { provider, currency: self.usd, amount, client_id })?;
        self.debit(account, self.usd)?;
        let eid = self.advance(account, price * ONE)?;
        let resting = OrderId(self.exchange.state.next_id());
        let ticks = Price::from_ticks(u64::try_from(price).unwrap() * DOLLAR);
        self.send(0, TradingCommand::Place(order(coin.symbol, Side::Sell, ticks)))?;
        let bought = self.send(1, TradingCommand::Place(order(coin.symbol, Side::Buy, ticks)))?;
        // The advance may have been too much for what the account has; then it is taken back.
        if let Outcome::Rejected(_) = bought {
            self.send(0, TradingCommand::Cancel(OrderRef::Id(resting)))?;
        } else {
            self.note_trade(coin, [seller, account], price);
        }
        let settle = FundsCommand::from(BankCommand::Settle(Settlement { eid, returned: true }));
        self.own(1, settle.into())?;
        self.books.take_back(account, self.usd, price * ONE);
        while self.exchange.state.has_follow_up() {
            let due = self.exchange.state.next_due().ok_or("a follow-up is not due")?;
            self.own(1, due.command)?;
        }
        self.agree()
    }

    /// A bank's payment comes, which is credited before it is final.
    fn advance(&mut self, account: AccountId, units: i128) -> Result<Eid, String> {
        let receipt = Receipt {
            account,
            currency: self.usd,
            amount: Money::from_units(units),
            method: TransferMethod::Ach,
            number: "0123451111".into(),
            routing: "021000021".into(),
        };
        let receive = FundsCommand::from(BankCommand::Receive(Arc::new(receipt)));
        let answer = self.submit(1, None, receive.into())?;
        let Outcome::Funds(Made::Transfer(eid)) = answer else { return Err(format!("{answer:?}")) };
        self.books.add(account, self.usd, units);
        Ok(eid)
    }

    fn halt(&mut self) -> Result<(), String> {
        let operation = if self.books.halted { Operation::Resume } else { Operation::Halt };
        self.own(1, operation.into())?;
        self.books.halted = !self.books.halted;
        self.agree()
    }

    /// Time passes, now and then exactly to 20:00 or to midnight, and what falls due runs at its time.
    fn wait(&mut self) -> Result<(), String> {
        let now = self.now();
        let today = now / DAY * DAY;
        let evening = today + 20 * HOUR;
        let evening = if evening > now { evening } else { evening + DAY };
        let until = match self.dice.below(10) {
            0 => evening,
            1 => evening - 1,
            2 => today + DAY,
            3 => evening + Time::SECOND,
            4 | 5 => now + self.dice.below(90) * Time::SECOND + self.dice.below(Time::SECOND),
            6 => now + (1 + self.dice.below(9)) * DAY,
            _ => now + self.dice.below(30) * HOUR,
        };
        self.pass_to(until.max(now + 2))
    }

    fn pass_to(&mut self, until: u64) -> Result<(), String> {
        self.run_due(until - 1)?;
        let wait = until.saturating_sub(self.now()).max(1);
        self.own(wait, Founding::MoveClock.into())
    }

    /// The exchange is down, up to some days; what fell due runs at its start.
    fn be_down(&mut self) -> Result<(), String> {
        let wait = 1 + self.dice.below(5 * DAY);
        self.own(wait, Founding::MoveClock.into())
    }

    /// Runs what is due until a time, at its time. Now and then other acts come before the next step.
    fn run_due(&mut self, until: u64) -> Result<(), String> {
        while let Some(due) = self.exchange.state.next_due() {
            let is_follow_up = due.rank == Rank::FollowUp;
            if !is_follow_up && due.time.0 > until.max(self.now()) {
                break;
            }
            if !is_follow_up && due.time.0 <= self.now() && self.dice.once_in(5) {
                self.counts.between += 1;
                self.act_at_once()?;
                continue;
            }
            let wait = due.time.0.saturating_sub(self.now());
            self.own(wait, due.command)?;
            self.agree()?;
        }
        Ok(())
    }

    /// Both show the same figures of the first accounts and of the house, and every law holds.
    fn agree(&self) -> Result<(), String> {
        // The core repays a debt in the next command, before any other.
        if self.exchange.state.has_follow_up() {
            return Ok(());
        }
        for (account, _) in &self.accounts[..4] {
            self.agree_on(*account)?;
        }
        let ledger = self.exchange.state.ledger();
        for currency in self.currencies() {
            let houses = [STAKING_POOL, STAKING_REWARDS].map(|house| ledger.house(house.name));
            let got = houses.map(|house| house.map(|house| ledger.balance(house, currency).total()));
            let expected = self.books.houses(currency);
            if got != expected.map(Some) {
                return Err(format!("the house has {got:?}, expected {expected:?}"));
            }
        }
        self.exchange.state.broken_law().map_or(Ok(()), |law| Err(format!("{law:?}")))
    }

    /// The same of all accounts, and of when their redemptions are paid.
    fn agree_on_all(&self) -> Result<(), String> {
        let (staking, now) = (self.exchange.state.staking(), self.exchange.stamp.time);
        let expected: Vec<_> = (0..self.books.pairs.len()).map(|at| self.books.expected(at, now)).collect();
        for (account, _) in &self.accounts {
            self.agree_on(*account)?;
            for (row, time) in staking.expected_of(*account, now) {
                let expected = expected[usize::from(row.pair.0)].get(&row.number);
                if expected.is_some_and(|expected| *expected != time) {
                    return Err(format!("{row:?} is paid at {time:?}, expected {expected:?}"));
                }
            }
        }
        Ok(())
    }

    fn agree_on(&self, account: AccountId) -> Result<(), String> {
        let staking = self.exchange.state.staking();
        for (at, pair) in self.books.pairs.iter().enumerate() {
            let (id, _) = staking.find(pair.provider, pair.currency).ok_or("a pair is missing")?;
            let got = [staking.staked(account, id), staking.owed(account, id), staking.accrued(account, id)];
            let expected = self.books.figures(at, account);
            if got != expected {
                return Err(format!("{account:?} has {got:?} with {id:?}, expected {expected:?}"));
            }
        }
        for currency in self.currencies() {
            let owed = self.exchange.state.funds().owed(account, currency).units();
            if owed != self.books.debt(account, currency) {
                return Err(format!(
                    "{account:?} owes {owed}, expected {}",
                    self.books.debt(account, currency)
                ));
            }
            let got = self.exchange.balance(account, currency).available.units();
            let expected = self.books.available(account, currency);
            if got != expected {
                return Err(format!("{account:?} has {got} of {currency:?}, expected {expected}"));
            }
        }
        Ok(())
    }
}

fn set(provider: Provider, currency: CurrencyId, terms: Terms) -> Body {
    StakingCommand::SetTerms(Arc::new(PairTerms { provider, currency, terms })).into()
}

/// An order of one coin.
fn order(symbol: SymbolId, side: Side, price: Price) -> Place {
    Place::limit(symbol, side, price, Qty::from_hundredths(COIN))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The core keeps stakes as the naive model does, and every course of a stake is among the runs.
    #[test]
    fn the_core_stakes_like_the_naive_model() {
        let mut counts = StakingCounts::default();
        for seed in 0..12 {
            let run = stake(Dice::seeded(seed), 300, 3);
            counts.add(&run.unwrap_or_else(|difference| panic!("seed {seed}: {difference}")));
        }
        let StakingCounts { staked, redeemed, paid_later, joined, to_balance, .. } = counts;
        let StakingCounts { late, beyond_limit, repeated, between, refused, .. } = counts;
        let all = [
            staked,
            redeemed,
            paid_later,
            joined,
            to_balance,
            late,
            beyond_limit,
            repeated,
            between,
            refused,
        ];
        assert!(all.iter().all(|count| *count > 50) && counts.closed > 5 && counts.forced > 5, "{counts:?}");
    }
    /// The same with more accounts than one step pays: interest, and redemptions that fall due while the exchange is down.
    #[test]
    fn a_crowd_is_paid_in_steps() {
        let counts = stake(Dice::seeded(2), 60, 1_100).unwrap_or_else(|difference| panic!("{difference}"));
        assert!(counts.joined > 2_000 && counts.paid_later > 900, "{counts:?}");
    }
}
