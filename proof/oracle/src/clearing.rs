//! OTC clearing, naively: a list of orders and sums of money, from the specification (CLR-001 to CLR-028, D-82 to D-94). Random desks enter,
//! confirm, cancel and pay, while orders expire, the exchange halts and its state goes through snapshots; after every command the core must
//! show the same orders and balances.

use crate::exchange::caller;
use crate::{Dice, Exchange};
use buttonwood_engine::clearing::{Cancel, Codes, Confirm, New, Parties, Terms};
use buttonwood_engine::{
    Answer, Body, ClearingAnswer, ClearingCommand, ClearingStatus as Status, Command, FeeSchedule, Founding,
    Operation, OrderRef, Outcome, Place, TradingCommand,
};
use buttonwood_model::{AccountId, CurrencyId, OrderId, Rank, Role, SessionId, Side, SymbolId, Time};
use buttonwood_num::{Bps, Money, Price, Qty};
use std::collections::BTreeMap;
use std::sync::Arc;

const HOUR: u64 = 3_600 * Time::SECOND;
/// Units in one of a currency.
const ONE: i128 = 10_i128.pow(19);
/// Hundredths of a lot in one bitcoin.
const BITCOIN: u128 = 10_000_000_000;

/// How often something happened in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClearingCounts {
    /// Orders that were entered.
    pub entered: u64,
    /// Orders that settled when they were confirmed.
    pub settled_at_once: u64,
    /// Orders that settled after they had waited for money.
    pub settled_later: u64,
    /// Orders that were cancelled.
    pub canceled: u64,
    /// Orders that expired.
    pub expired: u64,
    /// Commands that were refused.
    pub refused: u64,
}

impl ClearingCounts {
    /// Adds the counts of another run.
    pub fn add(&mut self, other: &Self) {
        self.entered += other.entered;
        self.settled_at_once += other.settled_at_once;
        self.settled_later += other.settled_later;
        self.canceled += other.canceled;
        self.expired += other.expired;
        self.refused += other.refused;
    }
}

/// An order.
#[derive(Clone, Debug)]
struct Deal {
    source: AccountId,
    target: Option<AccountId>,
    broker: Option<AccountId>,
    source_buys: bool,
    dollars: i128,
    bitcoins: i128,
    expires: u64,
    agreed: [bool; 2],
    /// Which confirmation was its last.
    place: Option<u64>,
    status: Status,
}

impl Deal {
    fn is_open(&self) -> bool {
        self.place.is_none() && !matches!(self.status, Status::Canceled | Status::Expired)
    }

    fn has_left(&self) -> bool {
        matches!(self.status, Status::Canceled | Status::Expired | Status::Settled)
    }

    /// The buyer and the seller.
    fn sides(&self) -> [AccountId; 2] {
        let target = self.target.unwrap();
        if self.source_buys { [self.source, target] } else { [target, self.source] }
    }

    /// The side that an account may confirm: 0 for the source.
    fn side_of(&self, account: AccountId) -> Option<usize> {
        if account == self.source {
            return self.broker.map(|_| 0);
        }
        let may = match self.target {
            Some(target) => target == account,
            None => true,
        };
        may.then_some(1)
    }

    fn awaits(&self) -> Status {
        match (self.broker, self.agreed) {
            (None, _) => Status::AwaitConfirm,
            (_, [false, false]) => Status::AwaitSourceTargetConfirm,
            (_, [false, true]) => Status::AwaitSourceConfirm,
            (_, [true, _]) => Status::AwaitTargetConfirm,
        }
    }
}

/// Random desks, the core that they use, and what it must show.
struct Desks {
    exchange: Exchange,
    dice: Dice,
    usd: CurrencyId,
    btc: CurrencyId,
    symbol: SymbolId,
    accounts: Vec<(AccountId, SessionId)>,
    nonce: u64,
    deals: Vec<Deal>,
    /// What each account has available.
    dollars: BTreeMap<AccountId, i128>,
    bitcoins: BTreeMap<AccountId, i128>,
    fee: i128,
    /// Orders of the book that hold a bitcoin each, and whose they are.
    holds: Vec<(usize, OrderId)>,
    halted: bool,
    confirmations: u64,
    counts: ClearingCounts,
}

/// Runs `steps` random commands.
///
/// # Errors
/// The first difference between the core and the naive model.
pub fn clear(dice: Dice, steps: u32) -> Result<ClearingCounts, String> {
    let mut desks = Desks::open(dice);
    for step in 0..steps {
        desks.act()?;
        desks.agree().map_err(|difference| format!("step {step}: {difference}"))?;
    }
    Ok(desks.counts)
}

impl Desks {
    fn open(dice: Dice) -> Self {
        let mut exchange = Exchange::open(FeeSchedule::default(), None);
        let (usd, btc) = (exchange.find_currency("USD"), exchange.find_currency("BTC"));
        let symbol = exchange.symbol(["BTC", "USD"], ["0.00001", "0.00000001", "0.01"], &[]);
        exchange.own(ClearingCommand::SetKey(Codes::of([9; 16])).into());
        let open = |name: &str| {
            let account = exchange.account(name, "");
            (account, exchange.key(name, account, Role::Trader))
        };
        let accounts: Vec<_> = ["a", "b", "c", "broker"].map(open).into();
        exchange.own(ClearingCommand::SetBroker(accounts[3].0, true).into());
        Self {
            exchange,
            dice,
            usd,
            btc,
            symbol,
            accounts,
            nonce: 0,
            deals: Vec::new(),
            dollars: BTreeMap::new(),
            bitcoins: BTreeMap::new(),
            fee: 0,
            holds: Vec::new(),
            halted: false,
            confirmations: 0,
            counts: ClearingCounts::default(),
        }
    }

    fn now(&self) -> u64 {
        self.exchange.stamp.time.0
    }

    fn act(&mut self) -> Result<(), String> {
        match self.dice.below(22) {
            0..=4 => self.enter(),
            5..=12 => self.confirm(),
            13 => self.cancel(),
            14..=15 => self.pay(),
            16 => self.wait(),
            17 => self.set_fee(),
            18 if self.dice.once_in(3) => self.halt(),
            18 => Ok(()),
            19 => self.hold(),
            20 => self.release(),
            _ => {
                self.exchange.state = self.exchange.stored();
                self.run_due()
            }
        }
    }

    fn send(&mut self, who: usize, command: impl Into<Body>) -> Answer {
        self.nonce += 1;
        let (account, session) = self.accounts[who];
        let caller = Some(caller(session, account, self.nonce));
        self.exchange.submit(1, &Command { caller, body: command.into() })
    }

    fn anyone(&mut self) -> usize {
        usize::try_from(self.dice.below(4)).unwrap()
    }

    fn enter(&mut self) -> Result<(), String> {
        let who = self.anyone();
        let is_brokered = who == 3 && !self.dice.once_in(3);
        let (account, other) = (self.accounts[who].0, self.anyone());
        let parties = if is_brokered {
            let [source, target] =
                self.dice.pick(&[[0, 1], [1, 2], [2, 0]]).map(|at: usize| self.accounts[at].0);
            Parties::Between { source, target }
        } else if other == who {
            Parties::Open
        } else {
            Parties::With(self.accounts[other].0)
        };
        let (amount, price) = (self.dice.below(3) + 1, self.dice.below(3) + 1);
        let hours = self.dice.pick(&[1, 2, 24, 8_760]);
        let source_buys = self.dice.once_in(2);
        let terms = Terms {
            symbol: self.symbol,
            side: if source_buys { Side::Buy } else { Side::Sell },
            price: Price::from_ticks(price * 100),
            qty: Qty::from_hundredths(u128::from(amount) * BITCOIN),
            hours,
            parties,
        };
        let new = New { terms, client_id: String::new() };
        let answer = self.send(who, ClearingCommand::New(Arc::new(new)));
        if self.halted {
            return self.must(&answer, false);
        }
        self.must(&answer, true)?;
        let (source, target, broker) = match parties {
            Parties::Open => (account, None, None),
            Parties::With(target) => (account, Some(target), None),
            Parties::Between { source, target } => (source, Some(target), Some(account)),
        };
        let mut deal = Deal {
            source,
            target,
            broker,
            source_buys,
            dollars: i128::from(amount * price) * ONE,
            bitcoins: i128::from(amount) * ONE,
            expires: self.now() + u64::from(hours) * HOUR,
            agreed: [broker.is_none(), false],
            place: None,
            status: Status::AwaitConfirm,
        };
        deal.status = deal.awaits();
        self.deals.push(deal);
        self.counts.entered += 1;
        Ok(())
    }

    /// Some order, mostly one that has not left.
    fn some_deal(&mut self) -> Option<usize> {
        let all: Vec<usize> = (0..self.deals.len()).filter(|at| !self.deals[*at].has_left()).collect();
        if !all.is_empty() && !self.dice.once_in(8) {
            return Some(self.dice.pick(&all));
        }
        let count = u64::try_from(self.deals.len()).unwrap();
        (count > 0).then(|| usize::try_from(self.dice.below(count)).unwrap())
    }

    fn confirm(&mut self) -> Result<(), String> {
        let Some(at) = self.some_deal() else { return Ok(()) };
        let (who, wrong) = (self.anyone(), self.dice.below(12));
        let account = self.accounts[who].0;
        let deal = self.deals[at].clone();
        let side = deal.side_of(account);
        let own_buys = deal.source_buys == (side == Some(0));
        let (qty, price) = (deal.bitcoins / ONE, deal.dollars / deal.bitcoins);
        let confirm = Confirm {
            code: self.exchange.state.clearing().code(u64::try_from(at).unwrap() + 1),
            symbol: Some(self.symbol).filter(|_| wrong != 0),
            qty: Some(Qty::from_hundredths(u128::try_from(qty + i128::from(wrong == 1)).unwrap() * BITCOIN)),
            price: Some(Price::from_ticks(u64::try_from((price + i128::from(wrong == 2)) * 100).unwrap())),
            side: if own_buys == (wrong == 3) { Side::Sell } else { Side::Buy },
        };
        let answer = self.send(who, ClearingCommand::Confirm(confirm));
        let may = side.is_some_and(|side| !deal.agreed[side]) && deal.broker != Some(account);
        let is_taken = may && wrong > 3 && !self.halted && deal.is_open() && self.now() < deal.expires;
        self.must(&answer, is_taken)?;
        if let (true, Some(side)) = (is_taken, side) {
            self.agree_on(at, side, account);
        }
        self.run_due()
    }

    fn agree_on(&mut self, at: usize, side: usize, account: AccountId) {
        let deal = &mut self.deals[at];
        deal.agreed[side] = true;
        if side == 1 {
            deal.target = Some(account);
        }
        if deal.agreed == [true, true] {
            self.confirmations += 1;
            deal.place = Some(self.confirmations);
            deal.status = Status::AttemptSettlement;
            if self.try_deal(at) {
                self.counts.settled_at_once += 1;
            }
        } else {
            deal.status = deal.awaits();
        }
    }

    fn cancel(&mut self) -> Result<(), String> {
        let Some(at) = self.some_deal() else { return Ok(()) };
        let who = self.anyone();
        let account = self.accounts[who].0;
        let code = self.exchange.state.clearing().code(u64::try_from(at).unwrap() + 1);
        let answer = self.send(who, ClearingCommand::Cancel(Cancel { code }));
        let deal = &self.deals[at];
        let is_party = account == deal.source || deal.broker.is_some() && deal.target == Some(account);
        let may = (is_party || deal.broker == Some(account)) && deal.is_open() && self.now() < deal.expires;
        self.must(&answer, may)?;
        if may {
            self.deals[at].status = Status::Canceled;
            self.counts.canceled += 1;
        }
        Ok(())
    }

    /// Somebody gets money, or gives it back.
    fn pay(&mut self) -> Result<(), String> {
        let who = self.anyone();
        let account = self.accounts[who].0;
        let is_dollars = self.dice.once_in(2);
        let currency = if is_dollars { self.usd } else { self.btc };
        let amount = i128::from(self.dice.below(6) + 1) * ONE;
        let answer = self.exchange.own(Body::credit(account, vec![(currency, Money::from_units(amount))]));
        self.must(&answer, true)?;
        let money = if is_dollars { &mut self.dollars } else { &mut self.bitcoins };
        *money.entry(account).or_default() += amount;
        self.run_due()
    }

    /// An order of the book far from any other holds a bitcoin.
    fn hold(&mut self) -> Result<(), String> {
        let who = self.anyone();
        let account = self.accounts[who].0;
        let has = self.bitcoins.get(&account).copied().unwrap_or(0);
        if has < ONE || self.halted {
            return Ok(());
        }
        let place = Place::limit(
            self.symbol,
            Side::Sell,
            Price::from_ticks(100_000_000),
            Qty::from_hundredths(BITCOIN),
        );
        self.holds.push((who, OrderId(self.exchange.state.next_id())));
        let answer = self.send(who, TradingCommand::Place(place));
        self.must(&answer, true)?;
        *self.bitcoins.entry(account).or_default() -= ONE;
        self.run_due()
    }

    /// An order of the book is cancelled, and what it held is available again.
    fn release(&mut self) -> Result<(), String> {
        let Some((who, order)) = self.holds.pop() else { return Ok(()) };
        let answer = self.send(who, TradingCommand::Cancel(OrderRef::Id(order)));
        self.must(&answer, true)?;
        *self.bitcoins.entry(self.accounts[who].0).or_default() += ONE;
        self.run_due()
    }

    /// Money comes at the very instant at which an order expires, before anything else does: the order does not settle.
    fn pay_at(&mut self, instant: u64) -> Result<(), String> {
        let ends = |deal: &&Deal| !deal.has_left() && deal.expires == instant;
        let deal = self.deals.iter().find(ends).cloned();
        let parties = deal.map(|deal| [Some(deal.source), deal.target]).into_iter().flatten().flatten();
        for account in parties {
            let amounts = [self.usd, self.btc].map(|currency| (currency, Money::from_units(9 * ONE)));
            let wait = instant.saturating_sub(self.now());
            let body = Body::credit(account, amounts.into());
            let answer = self.exchange.submit(wait, &Command { caller: None, body });
            self.must(&answer, true)?;
            for money in [&mut self.dollars, &mut self.bitcoins] {
                *money.entry(account).or_default() += 9 * ONE;
            }
        }
        self.expire(instant);
        self.run_due()
    }

    fn expire(&mut self, now: u64) {
        for deal in self.deals.iter_mut().filter(|deal| !deal.has_left() && deal.expires <= now) {
            deal.status = Status::Expired;
            self.counts.expired += 1;
        }
    }

    fn wait(&mut self) -> Result<(), String> {
        let until = self.now() + self.dice.pick(&[1, HOUR / 2, HOUR, 3 * HOUR]);
        let only_waiting = self.dice.once_in(2);
        let is_one =
            |deal: &&Deal| !deal.has_left() && (!only_waiting || deal.status == Status::AttemptSettlement);
        let ends = self.deals.iter().filter(is_one).map(|deal| deal.expires);
        // Now and then exactly to the instant of an expiry.
        let first = ends.min().filter(|first| *first < until && self.dice.once_in(2));
        let until = first.unwrap_or(until).max(self.now() + 1);
        let pays_at = first.is_some() && self.dice.once_in(2);
        while let Some(due) =
            self.exchange.state.next_due().filter(|due| due.time.0 < until + u64::from(!pays_at))
        {
            let wait = due.time.0.saturating_sub(self.now());
            self.exchange.submit(wait, &Command { caller: None, body: due.command });
        }
        if pays_at {
            return self.pay_at(until);
        }
        let wait = until - self.now();
        self.exchange.submit(wait, &Command { caller: None, body: Founding::MoveClock.into() });
        self.expire(until);
        self.run_due()
    }

    fn set_fee(&mut self) -> Result<(), String> {
        let rate = self.dice.pick(&[0, 0, 10, 5_000, 10_000]);
        let answer = self.exchange.own(ClearingCommand::SetFee(Bps(rate)).into());
        self.must(&answer, true)?;
        self.fee = rate.into();
        self.run_due()
    }

    fn halt(&mut self) -> Result<(), String> {
        let command = if self.halted { Operation::Resume } else { Operation::Halt };
        let answer = self.exchange.own(command.into());
        self.must(&answer, true)?;
        self.halted = !self.halted;
        self.run_due()
    }

    /// Whether the core has done what it must, or has refused it.
    fn must(&mut self, answer: &Answer, do_it: bool) -> Result<(), String> {
        let is_done = !matches!(answer, Outcome::Rejected(_));
        self.counts.refused += u64::from(!do_it);
        if is_done == do_it {
            return Ok(());
        }
        let entered = matches!(answer, Outcome::Clearing(ClearingAnswer::Entered(..)));
        Err(format!("{answer:?} (entered: {entered}), expected done: {do_it}"))
    }

    /// Runs what is due now in the core, and settles what waits here. Between two attempts of the core an order may expire.
    fn run_due(&mut self) -> Result<(), String> {
        while let Some(due) = self.due_now() {
            let is_attempt =
                matches!(&due, Body::Clearing(ClearingCommand::Settle(tried)) if !tried.is_empty());
            let answer = self.exchange.own(due);
            self.must(&answer, true)?;
            self.expire(self.now());
            if is_attempt {
                self.settle_round();
            }
        }
        self.expire(self.now());
        while !self.halted && self.settle_round() {}
        Ok(())
    }

    /// What is due in the core now. Each command of it takes a microsecond.
    fn due_now(&self) -> Option<Body> {
        let now = self.exchange.stamp.time;
        let due = self.exchange.state.next_due();
        due.filter(|due| due.rank == Rank::FollowUp || due.time <= now).map(|due| due.command)
    }

    /// Tries each order that is covered now, the oldest confirmation first; whether one has settled.
    fn settle_round(&mut self) -> bool {
        let mut covered: Vec<usize> = (0..self.deals.len())
            .filter(|at| self.deals[*at].status == Status::AttemptSettlement && self.is_covered(*at))
            .collect();
        covered.sort_by_key(|at| self.deals[*at].place);
        let settled = covered.into_iter().filter(|at| self.try_deal(*at)).count();
        self.counts.settled_later += u64::try_from(settled).unwrap();
        settled > 0
    }

    /// The fee of each side, rounded up.
    fn fee_of(&self, deal: &Deal) -> i128 {
        (deal.dollars * self.fee + 9_999) / 10_000
    }

    fn is_covered(&self, at: usize) -> bool {
        let deal = &self.deals[at];
        let [buyer, seller] = deal.sides();
        let has = |money: &BTreeMap<AccountId, i128>, account| money.get(&account).copied().unwrap_or(0);
        has(&self.dollars, buyer) >= deal.dollars + self.fee_of(deal)
            && has(&self.bitcoins, seller) >= deal.bitcoins
    }

    fn try_deal(&mut self, at: usize) -> bool {
        if !self.is_covered(at) {
            return false;
        }
        let deal = self.deals[at].clone();
        let fee = self.fee_of(&deal);
        let [buyer, seller] = deal.sides();
        *self.dollars.entry(buyer).or_default() -= deal.dollars + fee;
        *self.dollars.entry(seller).or_default() += deal.dollars - fee;
        *self.bitcoins.entry(seller).or_default() -= deal.bitcoins;
        *self.bitcoins.entry(buyer).or_default() += deal.bitcoins;
        self.deals[at].status = Status::Settled;
        true
    }

    /// Both show the same orders and balances, and every law holds.
    fn agree(&self) -> Result<(), String> {
        let state = &self.exchange.state;
        for (number, deal) in (1..).zip(&self.deals) {
            let got = state.clearing().order(number).map(|order| order.status);
            let expected = Some(deal.status).filter(|_| !deal.has_left());
            if got != expected {
                return Err(format!("order {number} is {got:?}, expected {expected:?}: {deal:?}"));
            }
        }
        for (account, _) in &self.accounts {
            for (currency, money) in [(self.usd, &self.dollars), (self.btc, &self.bitcoins)] {
                let got = self.exchange.balance(*account, currency).available.units();
                let expected = money.get(account).copied().unwrap_or(0);
                if got != expected {
                    return Err(format!("{account:?} has {got} of {currency:?}, expected {expected}"));
                }
            }
        }
        if state.has_follow_up() {
            return Err("an attempt is left".into());
        }
        state.broken_law().map_or(Ok(()), |law| Err(format!("{law:?}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The core clears as the naive model does, and every course of an order is among the runs.
    #[test]
    fn the_core_clears_like_the_naive_model() {
        let mut counts = ClearingCounts::default();
        for seed in 0..30 {
            let run = clear(Dice::seeded(seed), 400);
            counts.add(&run.unwrap_or_else(|difference| panic!("seed {seed}: {difference}")));
        }
        let ClearingCounts { entered, settled_at_once, settled_later, canceled, expired, refused } = counts;
        let all = [entered, settled_at_once, settled_later, canceled, expired, refused];
        assert!(all.iter().all(|count| *count > 50), "{counts:?}");
    }
}
