//! Prediction markets, naively: two claims and dollars of each account, recomputed from the fills, from the specification alone (PM-012 to PM-028,
//! D-106 to D-121). Random customers buy and sell both outcomes, stop and cancel, while operators list, halt, resolve, dispute and void events and
//! combos, publish terms and set rates, time passes, and the state goes through snapshots. Some of these acts come between the steps of a payout.
//! After every command the core must show the same figures.

mod acts;
mod books;
mod life;
mod orders;

use crate::exchange::caller;
use crate::{Dice, Exchange, Happening};
use books::{Books, ONE};
use buttonwood_engine::prediction::{Command as Own, Infrequent as Event, Paid, Status};
use buttonwood_engine::{
    AccountKind, Answer, Body, Caller, Command, FeeSchedule, Founding, Outcome, TradingCommand,
};
use buttonwood_model::{AccountId, AssetId, CancelReason, Claim, CurrencyId, EventId, OrderId, Rank, Role};
use buttonwood_model::{SessionId, Side, SymbolId, Time};
use buttonwood_num::{Bps, Money};
use life::{Contract, Judged, Life, Stage};
use std::collections::BTreeMap;

const MINUTE: u64 = 60 * Time::SECOND;
/// Customers who act at random. The last one is of a kind that may not trade contracts.
const CUSTOMERS: usize = 6;

/// How often something happened in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PredictionCounts {
    /// Mints, transfers, merges, and pairs that netted.
    pub kinds: [u64; 4],
    /// Stops that were reached and entered.
    pub triggered: u64,
    /// Orders that were cancelled since trading ended.
    pub closed_out: u64,
    /// Events that were settled, combos too.
    pub settled: u64,
    /// Disputes.
    pub disputed: u64,
    /// Claims that were paid back: their cost, a part of the escrow by cost, a value.
    pub refunded: [u64; 3],
    /// Combos that failed, held, were void at once, and wait for a call.
    pub combos: [u64; 4],
    /// Acts between commands that were due.
    pub between: u64,
    /// Requests that were refused.
    pub refused: u64,
    /// Steps of payouts.
    pub steps: u64,
}

impl PredictionCounts {
    /// Adds the counts of another run.
    pub fn add(&mut self, other: &Self) {
        let sum =
            |into: &mut [u64], from: &[u64]| into.iter_mut().zip(from).for_each(|(sum, more)| *sum += more);
        sum(&mut self.kinds, &other.kinds);
        sum(&mut self.refunded, &other.refunded);
        sum(&mut self.combos, &other.combos);
        self.triggered += other.triggered;
        self.closed_out += other.closed_out;
        self.settled += other.settled;
        self.disputed += other.disputed;
        self.between += other.between;
        self.refused += other.refused;
        self.steps += other.steps;
    }
}

/// Random customers, the core that they use, and what it must show.
struct World {
    exchange: Exchange,
    dice: Dice,
    usd: CurrencyId,
    /// Those behind the customers are the crowd.
    accounts: Vec<(AccountId, SessionId)>,
    nonce: u64,
    books: Books,
    life: Life,
    /// The version of the terms, and those that groups have accepted.
    version: u32,
    accepted: BTreeMap<usize, u32>,
    listed: u64,
    counts: PredictionCounts,
}

/// Runs `steps` random acts, of some customers and a crowd of others who hold claims on the first contract.
///
/// # Errors
/// The first difference between the core and the naive figures.
pub fn predict(dice: Dice, steps: u32, crowd: u32) -> Result<PredictionCounts, String> {
    let mut world = World::open(dice)?;
    world.gather(crowd)?;
    for step in 0..steps {
        let acted = world.act().and_then(|()| world.run_due(world.now()));
        let done = acted.and_then(|()| world.is_all_done());
        done.map_err(|difference| format!("step {step}: {difference}"))?;
    }
    let life::Courses { settled, disputed, refunded, combos } = world.life.courses;
    Ok(PredictionCounts { kinds: world.books.kinds, settled, disputed, refunded, combos, ..world.counts })
}

impl World {
    fn open(dice: Dice) -> Result<Self, String> {
        let fees = FeeSchedule { maker: Bps(20), taker: Bps(40), auction: Bps(20) };
        let mut exchange = Exchange::open(fees, None);
        let usd = exchange.find_currency("USD");
        let homes = ["", "US-NY", "", ""];
        let names = ["a", "b", "c", "d"];
        let mut accounts: Vec<_> =
            names.iter().zip(homes).map(|(name, home)| exchange.account(name, home)).collect();
        accounts.push(exchange.account_beside(accounts[0], "e", ""));
        accounts.push(exchange.account_of_kind(accounts[0], "m", AccountKind::Margin));
        let keys = accounts.iter().zip(["a", "b", "c", "d", "e", "m"]);
        let accounts = keys.map(|(account, name)| (*account, exchange.key(name, *account, Role::Trader)));
        let accounts: Vec<_> = accounts.collect();
        for (account, _) in &accounts {
            exchange.own(Body::credit(*account, vec![(usd, Money::from_units(2_000 * ONE))]));
        }
        let books = Books { cash: vec![2_000 * ONE; CUSTOMERS], rates: [100, 500], ..Books::default() };
        let mut world = Self {
            exchange,
            dice,
            usd,
            accounts,
            nonce: 0,
            books,
            life: Life::default(),
            version: 1,
            accepted: BTreeMap::new(),
            listed: 0,
            counts: PredictionCounts::default(),
        };
        for who in 0..CUSTOMERS {
            world.accept(who)?;
        }
        Ok(world)
    }

    /// A crowd that holds claims on the first contract: more accounts than one step of a payout may pay.
    fn gather(&mut self, crowd: u32) -> Result<(), String> {
        self.list_with(1, 600, false)?;
        if crowd == 0 {
            return Ok(());
        }
        let units = i128::from(crowd) * ONE;
        self.own(1, Body::credit(self.accounts[2].0, vec![(self.usd, Money::from_units(units))]))?;
        self.books.cash[2] += units;
        for number in 0..crowd {
            let name = format!("crowd-{number}");
            let account = self.exchange.account_beside(self.accounts[0].0, &name, "");
            self.accounts.push((account, self.exchange.key(&name, account, Role::Trader)));
            self.own(1, Body::credit(account, vec![(self.usd, Money::from_units(2 * ONE))]))?;
            self.books.cash.push(2 * ONE);
        }
        let qty = i128::from(crowd) * 100;
        self.send_order(2, 0, orders::Wish { yes: false, price: 50, qty, ..orders::Wish::default() })?;
        for who in CUSTOMERS..self.accounts.len() {
            self.send_order(who, 0, orders::Wish { price: 50, qty: 100, ..orders::Wish::default() })?;
        }
        Ok(())
    }

    fn now(&self) -> u64 {
        self.exchange.stamp.time.0
    }

    /// Runs a command.
    fn submit(&mut self, wait: u64, caller: Option<Caller>, body: Body) -> Answer {
        self.exchange.submit(wait, &Command { caller, body })
    }

    /// Runs a command of the exchange, which must be done.
    fn own(&mut self, wait: u64, body: Body) -> Result<(), String> {
        let said = format!("{body:?}");
        let answer = self.submit(wait, None, body);
        if let Outcome::Rejected(reject) = answer { Err(format!("{said}: {reject:?}")) } else { Ok(()) }
    }

    /// Runs an operator's command, whose answer must be the expected one.
    fn asks(&mut self, body: impl Into<Body>, expected: Judged) -> Result<(), String> {
        let body = body.into();
        let said = format!("{body:?}");
        let answer = self.submit(1, None, body);
        self.judged(&said, &answer, expected)?;
        self.settled()
    }

    /// Whether an answer is the expected one.
    fn judged(&mut self, said: &str, answer: &Answer, expected: Judged) -> Result<(), String> {
        let got = if let Outcome::Rejected(reject) = answer { Some(format!("{reject:?}")) } else { None };
        self.counts.refused += u64::from(expected.is_err());
        let is_right = match (&got, expected) {
            (None, Ok(())) => true,
            (Some(got), Err(why)) => got.contains(why),
            (None, Err(_)) | (Some(_), Ok(())) => false,
        };
        if is_right { Ok(()) } else { Err(format!("{said}: {got:?}, expected {expected:?}")) }
    }

    fn send(&mut self, who: usize, body: impl Into<Body>) -> Answer {
        self.nonce += 1;
        let (account, session) = self.accounts[who];
        self.submit(1, Some(caller(session, account, self.nonce)), body.into())
    }

    /// The end of a command: pairs net, and both must agree.
    fn settled(&mut self) -> Result<(), String> {
        self.books.net();
        self.agree()
    }

    fn pass_to(&mut self, until: u64) -> Result<(), String> {
        self.run_due(until - 1)?;
        let wait = until.saturating_sub(self.now()).max(1);
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
            let command = due.command.clone();
            self.own(wait, due.command)?;
            self.note_due(&command)?;
            self.settled()?;
        }
        Ok(())
    }

    /// A command that fell due must have been due, and have done its step.
    fn note_due(&mut self, command: &Body) -> Result<(), String> {
        let now = self.now();
        if let Body::Trading(TradingCommand::Trigger(OrderId(order))) = command {
            return self.trigger(*order);
        }
        let Body::Prediction(own) = command else { return Ok(()) };
        let done = if let Own::Start(EventId(event)) = own {
            self.life.start(index(*event), now)
        } else if let Own::Expire(EventId(event)) = own {
            self.life.expire(index(*event), now)
        } else if let Own::Finish(EventId(event)) = own {
            self.life.finish(index(*event), now)
        } else {
            return self.note_step();
        };
        done.map_err(|why| format!("{own:?}: {why}"))
    }

    /// A step of what takes several.
    fn note_step(&mut self) -> Result<(), String> {
        for happening in std::mem::take(&mut self.exchange.happened) {
            if let Happening::Cancelled(id, reason) = happening {
                let order = self.books.take(id).ok_or(format!("{id} was not live"))?;
                let event = &self.life.events[self.life.contracts[order.contract].event];
                if reason != CancelReason::MarketClosed || !event.is_closed {
                    return Err(format!("{order:?} is cancelled for {reason:?}"));
                }
                self.counts.closed_out += 1;
            }
        }
        let mut decided = Vec::new();
        for event in std::mem::take(&mut self.exchange.of.predictions) {
            if let Event::Paid(paid) = event {
                self.note_paid(&paid)?;
            } else if let Event::Settled(EventId(at)) = event {
                decided = self.life.settle(index(at))?;
            } else if let Event::Decided(EventId(combo), claim) = event {
                let next = (!decided.is_empty()).then(|| decided.remove(0));
                if next != Some((index(combo), claim == Claim::Yes)) {
                    return Err(format!("{combo} is decided with {claim:?}, expected {next:?}"));
                }
            }
        }
        if decided.is_empty() { Ok(()) } else { Err(format!("{decided:?} are not decided")) }
    }

    fn note_paid(&mut self, paid: &Paid) -> Result<(), String> {
        let at = paid.contract.contract_index();
        let who = |account: AccountId| self.accounts.iter().position(|(own, _)| *own == account);
        self.counts.steps += 1;
        for row in &paid.rows {
            let who = who(row.account).ok_or("a stranger is paid")?;
            self.life.pay(at, who, row, &mut self.books)?;
        }
        let until = paid.until.map(|until| who(until).ok_or("a stranger is the last")).transpose()?;
        self.life.stepped(at, until, paid.is_last, &mut self.books)
    }

    /// When nothing is due, nothing is left undone.
    fn is_all_done(&self) -> Result<(), String> {
        let now = self.now();
        for event in &self.life.events {
            let of = |at: &usize| &self.life.contracts[*at];
            let is_late = match &event.stage {
                _ if event.status == Status::Approved && event.start <= now => true,
                Stage::Open => event.legs.is_empty() && event.expiry <= now && !event.is_closed,
                Stage::Proposed { settles, .. } => *settles <= now,
                Stage::Disputed => false,
                Stage::Final => event.status != Status::Settled,
                Stage::Void => event.contracts.iter().map(of).any(|contract| !contract.is_paid),
            };
            let is_of = |order: &books::Order| event.contracts.contains(&order.contract);
            if is_late || event.is_closed && self.books.orders.iter().any(is_of) {
                return Err(format!("{event:?} is behind its time"));
            }
        }
        let reached = self.books.orders.iter().find(|order| order.stand == books::Stand::Reached);
        reached.map_or(Ok(()), |order| Err(format!("{order:?} has not entered")))
    }

    /// Both show the same figures of the customers and of contracts, and every law holds.
    fn agree(&self) -> Result<(), String> {
        for who in 0..self.accounts.len() {
            // One of the crowd acts at its entry alone.
            if who < CUSTOMERS || who.is_multiple_of(97) {
                self.agree_on(who)?;
            }
        }
        for at in 0..self.life.contracts.len() {
            self.agree_on_contract(at)?;
        }
        self.agree_on_orders()?;
        for (at, event) in self.life.events.iter().enumerate() {
            let got = self.exchange.state.predictions().events().get(at).ok_or("an event is missing")?;
            let facts = (got.status, got.is_halted, got.is_closed, got.awaits_void);
            let expected = (event.status, event.is_halted, event.is_closed, event.awaits_void);
            if facts != expected {
                return Err(format!("{} is {facts:?}, expected {expected:?}", event.ticker));
            }
        }
        let ledger = self.exchange.state.ledger();
        let houses = ["fees", "rounding"]
            .map(|name| ledger.house(name).map(|house| ledger.balance(house, self.usd).total()));
        let expected = [self.books.fees, self.books.rounding].map(|units| Some(Money::from_units(units)));
        if houses != expected {
            return Err(format!("the house has {houses:?}, expected {expected:?}"));
        }
        self.exchange.state.broken_law().map_or(Ok(()), |law| Err(format!("{law:?}")))
    }

    fn agree_on(&self, who: usize) -> Result<(), String> {
        let (state, account) = (&self.exchange.state, self.accounts[who].0);
        let balance = state.ledger().balance(account, self.usd);
        let got = [balance.total().units(), balance.held.units()];
        let expected = [self.books.cash[who], self.books.held(who)];
        if got != expected {
            return Err(format!("{account:?} has and holds {got:?}, expected {expected:?}"));
        }
        for at in 0..self.life.contracts.len() {
            let contract = symbol(at);
            let position = state.predictions().position(contract, account).copied().unwrap_or_default();
            for claim in Claim::ALL {
                let (balance, key) = (
                    state.ledger().balance(account, AssetId::claim(contract, claim)),
                    (at, who, claim == Claim::Yes),
                );
                let got = [balance.total(), balance.held, position.cost(claim)].map(Money::units);
                let unit = 100 * books::UNIT;
                let expected =
                    [self.books.owned(key) * unit, self.books.held_claims(key) * unit, self.books.cost(key)];
                if got != expected {
                    return Err(format!("{account:?} has {got:?} of {key:?}, expected {expected:?}"));
                }
            }
            let expected = self.books.realised.get(&(at, who)).copied().unwrap_or(0);
            if position.realised.units() != expected {
                return Err(format!("{account:?} realised {position:?} with {at}, expected {expected}"));
            }
        }
        Ok(())
    }

    fn agree_on_contract(&self, at: usize) -> Result<(), String> {
        let (state, contract) = (&self.exchange.state, symbol(at));
        let (dollars, issued) = state.predictions().collateral(state.ledger(), contract);
        let row = state.predictions().contract(contract).ok_or("a contract is missing")?;
        let sum = |yes: bool| {
            let own = self.books.claims.iter().filter(|((of, _, on), _)| *of == at && *on == yes);
            own.map(|(_, has)| has * 100 * books::UNIT).sum::<i128>()
        };
        let got = [dollars, issued[0], issued[1], row.costs].map(Money::units);
        let expected = [self.books.escrow[at], sum(true), sum(false), self.books.costs_of(at)];
        if got != expected {
            return Err(format!("contract {at} has {got:?}, expected {expected:?}"));
        }
        let last = state.orders().last(contract).map(|price| i128::from(price.ticks()));
        let Contract { outcome, .. } = self.life.contracts[at];
        let facts = (last, row.outcome.map(|claim| claim == Claim::Yes));
        if facts != (self.books.last[at], outcome) {
            return Err(format!(
                "contract {at} shows {facts:?}, expected {:?}",
                (self.books.last[at], outcome)
            ));
        }
        Ok(())
    }

    /// The same orders live, and those that rest lie in the same order.
    fn agree_on_orders(&self) -> Result<(), String> {
        for at in 0..self.life.contracts.len() {
            for side in [Side::Buy, Side::Sell] {
                let got: Vec<_> = self
                    .exchange
                    .queue(symbol(at), side)
                    .map(|order| {
                        (
                            order.id.0,
                            i128::from(order.price.ticks()),
                            orders::hundredths(order.remaining),
                            order.claim == Claim::Yes,
                        )
                    })
                    .collect();
                let is_bid = side == Side::Buy;
                let mut own: Vec<_> = self
                    .books
                    .orders
                    .iter()
                    .filter(|order| {
                        order.contract == at && order.stand == books::Stand::Resting && order.bids() == is_bid
                    })
                    .collect();
                own.sort_by_key(|order| {
                    (if is_bid { -order.yes_price() } else { order.yes_price() }, order.rank)
                });
                let own: Vec<_> =
                    own.iter().map(|order| (order.id, order.yes_price(), order.left, order.yes)).collect();
                if got != own {
                    return Err(format!("{side:?} of {at}: {got:?}, expected {own:?}"));
                }
            }
        }
        let live = self.exchange.state.orders().len();
        let expected = self.books.orders.len();
        if live == expected { Ok(()) } else { Err(format!("{live} orders live, expected {expected}")) }
    }
}

/// The group of an account, by its first account.
fn group(who: usize) -> usize {
    if (1..4).contains(&who) { who } else { 0 }
}

fn index(number: u32) -> usize {
    usize::try_from(number).unwrap()
}

fn symbol(at: usize) -> SymbolId {
    SymbolId::contract(u32::try_from(at).unwrap())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Proves PM-018, PM-019, PM-020, PM-027 and PM-028: the core keeps claims as the naive model does, and every course of a contract is among
    /// the runs.
    #[test]
    fn the_core_trades_contracts_like_the_naive_model() {
        let mut counts = PredictionCounts::default();
        for seed in 0..12 {
            let run = predict(Dice::seeded(seed), 1_200, 0);
            counts.add(&run.unwrap_or_else(|difference| panic!("seed {seed}: {difference}")));
        }
        let PredictionCounts { triggered, closed_out, settled, disputed, between, refused, .. } = counts;
        let often = [triggered, closed_out, settled, disputed, between, refused];
        let rarely = counts.refunded.into_iter().chain(counts.combos);
        assert!(counts.kinds.iter().chain(&often).all(|count| *count > 10), "{counts:?}");
        assert!({ rarely }.all(|count| count > 0), "{counts:?}");
    }

    /// The same with more holders than two steps pay.
    #[test]
    fn a_crowd_of_holders_is_paid_in_steps() {
        let counts = predict(Dice::seeded(2), 300, 1_100).unwrap_or_else(|difference| panic!("{difference}"));
        assert!(counts.steps >= 3, "{counts:?}");
    }
}
