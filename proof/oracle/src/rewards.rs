//! Rewards of makers, naively (D-120, INV-HOUSE): rebates recomputed from the fills, and scores from the book at each minute. Random
//! customers quote on both sides of some events, trade, stop and cancel, while operators change the terms, halt events, take the fees and fill the
//! account of rewards. Every row that is paid must be the naive one.

mod naive;

use crate::{Dice, Exchange, Happening, caller};
use buttonwood_engine::prediction::{
    Command as Own, Infrequent as Event, NewContract, NewEvent, RewardChange, combo_grid,
};
use buttonwood_engine::{
    Adjustment, Answer, Body, Break, Caller, Command, FeeSchedule, Founding, LedgerCommand, OrderState,
    Outcome, PROMO, Place, TradingCommand,
};
use buttonwood_model::{
    AccountId, Claim, CurrencyId, EventId, ExecutionOption, OrderId, OrderKind, Role, SessionId, Side,
    SymbolId, Time,
};
use buttonwood_num::{Money, Price, Qty};
use naive::{DAY, Fill, MINUTE, ONE, Owed, Resting, Rewards};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The contracts of each event.
const EVENTS: [u32; 3] = [1, 2, 1];
/// Customers; the last one is in the group of the first.
const CUSTOMERS: usize = 6;
/// A hundredth of a contract, in hundredths of lots.
const HUNDREDTH: u128 = 100;

/// How often something happened in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RewardCounts {
    /// Rebates that were paid.
    pub rebates: u64,
    /// Rebates that the account of fees could not pay whole.
    pub cut: u64,
    /// Snapshots.
    pub snapshots: u64,
    /// Rewards that were paid with their day.
    pub paid: u64,
    /// Rewards that were paid later.
    pub late: u64,
    /// Rewards that were too small.
    pub small: u64,
    /// Groups that scored in too few snapshots of a day.
    pub missed: u64,
}

impl RewardCounts {
    /// Adds the counts of another run.
    pub fn add(&mut self, other: &Self) {
        self.rebates += other.rebates;
        self.cut += other.cut;
        self.snapshots += other.snapshots;
        self.paid += other.paid;
        self.late += other.late;
        self.small += other.small;
        self.missed += other.missed;
    }
}

/// Random customers, the core that they use, and what they must earn.
struct World {
    exchange: Exchange,
    dice: Dice,
    usd: CurrencyId,
    accounts: Vec<(AccountId, SessionId)>,
    nonce: u64,
    rewards: Rewards,
    /// The outcome of each order.
    claims: BTreeMap<u64, Claim>,
    /// When stop orders entered.
    entered: BTreeMap<u64, u64>,
    /// How many trades were read.
    trades: usize,
    halted: [bool; EVENTS.len()],
    /// Minutes and events of the snapshots since the last look.
    snapshots: Vec<(u64, u32)>,
}

/// Runs random acts over as many half hours.
///
/// # Errors
/// The first difference between the core and the naive figures.
pub fn reward(dice: Dice, acts: u32) -> Result<RewardCounts, String> {
    let mut world = World::open(dice)?;
    for act in 0..acts {
        let acted = world.wait().and_then(|()| world.act()).and_then(|()| world.agree());
        acted.map_err(|difference| format!("act {act}: {difference}"))?;
    }
    let [rebates, cut, snapshots, paid, late, small, missed] = world.rewards.counts;
    Ok(RewardCounts { rebates, cut, snapshots, paid, late, small, missed })
}

impl World {
    fn open(mut dice: Dice) -> Result<Self, String> {
        let mut exchange = Exchange::open(FeeSchedule::default(), None);
        let usd = exchange.find_currency("USD");
        // Noon of a day in January or in July, in Eastern Time.
        let (day, hours) = dice.pick(&[(4, 5), (186, 4)]);
        let offset = hours * 60 * MINUTE;
        exchange.submit(day * DAY + 12 * 60 * MINUTE + offset, &own(Founding::MoveClock.into()));
        let mut accounts: Vec<AccountId> =
            ["a", "b", "c", "d", "e"].map(|name| exchange.account(name, "")).into();
        accounts.push(exchange.account_beside(accounts[0], "f", ""));
        let key = |(at, account): (usize, AccountId)| {
            exchange.own(Body::credit(account, vec![(usd, Money::from_units(100_000 * ONE))]));
            (account, exchange.key(&format!("key-{at}"), account, Role::Trader))
        };
        let accounts = accounts.into_iter().enumerate().map(key).collect();
        let rewards = Rewards { offset, bps: 5_000, spread: 10, least: ONE, ..Rewards::default() };
        let mut world = Self {
            exchange,
            dice,
            usd,
            accounts,
            nonce: 0,
            rewards,
            claims: BTreeMap::new(),
            entered: BTreeMap::new(),
            trades: 0,
            halted: [false; EVENTS.len()],
            snapshots: Vec::new(),
        };
        for (at, contracts) in EVENTS.into_iter().enumerate() {
            world.list(at, contracts)?;
        }
        for who in 0..CUSTOMERS {
            world.send(who, Own::AcceptTerms)?;
        }
        world.set(RewardChange { enabled: Some(true), ..RewardChange::default() })?;
        world.set_pools()?;
        world.credit_promo(20)?;
        Ok(world)
    }

    fn list(&mut self, at: usize, contracts: u32) -> Result<(), String> {
        let (grid, qty_min) = combo_grid().unwrap();
        // A lone contract has the ticker of its event.
        let ticker = |contract: u32| if contracts == 1 { format!("E{at}") } else { format!("C{contract}") };
        let contract = |at: u32| NewContract { ticker: ticker(at), label: "a label".into() };
        let new = NewEvent {
            prefix: "SVC".into(),
            ticker: format!("E{at}"),
            title: "a title".into(),
            category: "a category".into(),
            contracts: (0..contracts).map(contract).collect(),
            is_exclusive: false,
            start: None,
            expiry: Time(self.now() + 1_000 * DAY),
            dispute: 0,
            strike: None,
            grid,
            qty_min,
            closed_to: Vec::new(),
            source: None,
        };
        self.own(Own::ListEvent(Arc::new(new)))
    }

    fn now(&self) -> u64 {
        self.exchange.stamp.time.0
    }

    fn run(&mut self, wait: u64, caller: Option<Caller>, body: Body) -> Result<Answer, String> {
        let books = self.books();
        let answer = self.exchange.submit(wait, &Command { caller, body });
        self.note(&books)?;
        Ok(answer)
    }

    /// Runs a command of the exchange, which must be done.
    fn own(&mut self, body: impl Into<Body>) -> Result<(), String> {
        let body = body.into();
        let said = format!("{body:?}");
        let answer = self.run(1, None, body)?;
        if let Outcome::Rejected(reject) = answer { Err(format!("{said}: {reject:?}")) } else { Ok(()) }
    }

    fn send(&mut self, who: usize, body: impl Into<Body>) -> Result<Answer, String> {
        self.nonce += 1;
        let (account, session) = self.accounts[who];
        self.run(1, Some(caller(session, account, self.nonce)), body.into())
    }

    /// Both sides of the book of each contract, nearest orders first.
    fn books(&self) -> Vec<[Vec<Resting>; 2]> {
        let due = self.exchange.state.next_due();
        let is_score = due.is_some_and(|due| matches!(due.command, Body::Prediction(Own::Score)));
        let contracts = if is_score { EVENTS.iter().sum() } else { 0 };
        let side = |at: u32, side| {
            let orders = self.exchange.queue(SymbolId::contract(at), side);
            orders.map(|order| self.resting(&order)).collect()
        };
        (0..contracts).map(|at| [Side::Buy, Side::Sell].map(|of| side(at, of))).collect()
    }

    fn resting(&self, order: &OrderState) -> Resting {
        let group = self.exchange.state.access().account(order.account).and_then(|account| account.group);
        Resting {
            group: naive::number(group),
            account: order.account.0,
            price: i128::from(order.price.ticks()),
            size: i128::try_from(order.remaining.hundredths() / HUNDREDTH).unwrap(),
            since: self.entered.get(&order.id.0).copied().unwrap_or(order.placed.0),
        }
    }

    /// Reads the events of a command; `books` is from before it.
    fn note(&mut self, books: &[[Vec<Resting>; 2]]) -> Result<(), String> {
        let now = self.now();
        for happening in std::mem::take(&mut self.exchange.happened) {
            if let Happening::Triggered(id) = happening {
                self.entered.insert(id, now);
            }
        }
        for trade in self.exchange.trades.split_off(self.trades) {
            self.note_trade(&trade);
            self.exchange.trades.push(trade);
            self.trades += 1;
        }
        for event in std::mem::take(&mut self.exchange.of.predictions) {
            if let Event::RebatesBegun(_) = event {
                self.rewards.begin_run(now)?;
            } else if let Event::Rebated(paid) = event {
                self.rewards.pay_rebates(&paid, now)?;
            } else if let Event::PayoutBegun(day) = event {
                self.rewards.begin_payout(day.0, now)?;
            } else if let Event::Rewarded(paid) = event {
                self.rewards.pay_rewards(&paid)?;
            } else if let Event::Scored(scored) = event {
                self.snapshots.push((now, scored.event.0));
                let at = usize::try_from(scored.event.0).unwrap();
                let first: u32 = EVENTS[..at].iter().sum();
                let own = usize::try_from(first).unwrap()..usize::try_from(first + EVENTS[at]).unwrap();
                let mut points: BTreeMap<(u32, u32), i128> = BTreeMap::new();
                for (key, more) in books[own].iter().flat_map(|sides| self.rewards.points(sides, now)) {
                    *points.entry(key).or_default() += more;
                }
                self.rewards.score(&scored, &points, now)?;
            }
        }
        Ok(())
    }

    fn note_trade(&mut self, trade: &Break) {
        let (maker, taker) = if trade.taker == Some(Side::Buy) {
            (trade.seller, trade.buyer)
        } else {
            (trade.buyer, trade.seller)
        };
        let price = i128::from(trade.price.ticks());
        let size = i128::try_from(trade.qty.hundredths() / HUNDREDTH).unwrap();
        let fee = |bps: i128| price.min(100 - price) * size * (ONE / 10_000) * bps / 10_000;
        self.rewards.fees += fee(100) + fee(500);
        assert_eq!([maker.fee, taker.fee].map(Money::units), [fee(100), fee(500)], "{trade:?}");
        let own = if self.claims[&maker.order.0] == Claim::Yes { price } else { 100 - price };
        if self.rewards.is_on {
            let volume = own * size * (ONE / 10_000);
            let bps = self.rewards.bps;
            self.rewards.fills.push(Fill { account: maker.account, fee: fee(100), volume, bps });
        }
    }

    /// Lets time pass, and runs what falls due at its time. Every full minute has its snapshots.
    fn wait(&mut self) -> Result<(), String> {
        let from = self.now();
        // Acts never fall on a full minute.
        let until = (from + (1 + self.dice.below(60)) * MINUTE) / MINUTE * MINUTE
            + 1_000
            + self.dice.below(MINUTE / 2);
        self.snapshots.clear();
        self.run_due(until)?;
        let minutes = (from / MINUTE + 1..=until / MINUTE).map(|minute| minute * MINUTE);
        let open = self.rewards.open.keys();
        let expected: Vec<_> =
            minutes.flat_map(|minute| open.clone().map(move |event| (minute, *event))).collect();
        if self.snapshots != expected {
            return Err(format!("snapshots {:?}, expected {expected:?}", self.snapshots));
        }
        let wait = until - self.now();
        self.run(wait, None, Founding::MoveClock.into())?;
        self.rewards.is_done(until)
    }

    fn run_due(&mut self, until: u64) -> Result<(), String> {
        while let Some(due) = self.exchange.state.next_due().filter(|due| due.time.0 <= until) {
            let wait = due.time.0.saturating_sub(self.now());
            let said = format!("{:?}", due.command);
            if let Outcome::Rejected(reject) = self.run(wait, None, due.command)? {
                return Err(format!("{said}: {reject:?}"));
            }
        }
        Ok(())
    }

    fn act(&mut self) -> Result<(), String> {
        match self.dice.below(40) {
            0..=15 => self.quote(),
            16..=22 => self.take(),
            23 => self.stop(),
            24..=27 => self.cancel(),
            28..=31 => self.change(),
            32..=33 => self.set_pools(),
            34..=35 => self.move_fees(),
            36..=37 => {
                let dollars = self.dice.below(12);
                self.credit_promo(i128::from(dollars))
            }
            38 => self.halt(),
            _ => {
                self.exchange.state = self.exchange.stored();
                Ok(())
            }
        }?;
        // Follow-ups run at once.
        self.run_due(self.now())
    }

    fn order(
        &mut self,
        who: usize,
        claim: Claim,
        price: u64,
        lots: u64,
        change: impl FnOnce(&mut Place),
    ) -> Result<(), String> {
        let contracts: u32 = EVENTS.iter().sum();
        let contract = SymbolId::contract(u32::try_from(self.dice.below(contracts.into())).unwrap());
        let is_yes = claim == Claim::Yes;
        let (side, ticks) = if is_yes { (Side::Buy, price) } else { (Side::Sell, 100 - price) };
        let qty = Qty::from_hundredths(u128::from(lots) * HUNDREDTH);
        let mut order = Place { claim, ..Place::limit(contract, side, Price::from_ticks(ticks), qty) };
        change(&mut order);
        let id = self.exchange.state.next_id();
        self.claims.insert(id, claim);
        self.send(who, TradingCommand::Place(order)).map(drop)
    }

    fn customer(&mut self) -> usize {
        self.dice.below(u64::try_from(CUSTOMERS).unwrap()).try_into().unwrap()
    }

    fn claim(&mut self) -> Claim {
        self.dice.pick(&[Claim::Yes, Claim::No])
    }

    /// A bid or an ask near the middle.
    fn quote(&mut self) -> Result<(), String> {
        let (who, claim, price) = (self.customer(), self.claim(), 39 + self.dice.below(11));
        let size = self.dice.pick(&[300, 999, 1_000, 2_550, 10_000, 20_000, 30_000]);
        self.order(who, claim, price, size, |_| ())
    }

    /// An order that meets others.
    fn take(&mut self) -> Result<(), String> {
        let (who, claim, price) = (self.customer(), self.claim(), 52 + self.dice.below(6));
        let size = 100 + self.dice.below(3_000);
        self.order(who, claim, price, size, |place| place.option = Some(ExecutionOption::ImmediateOrCancel))
    }

    /// An order that waits for its stop price, unless the last price has passed it.
    fn stop(&mut self) -> Result<(), String> {
        let (who, stop) = (self.customer(), 48 + self.dice.below(5));
        self.order(who, Claim::Yes, stop, 2_000, |place| {
            (place.kind, place.stop) = (OrderKind::StopLimit, Price::from_ticks(stop));
        })
    }

    fn cancel(&mut self) -> Result<(), String> {
        let who = self.customer();
        let own: Vec<OrderId> = self.exchange.orders_of(self.accounts[who].0).map(|order| order.id).collect();
        if own.is_empty() {
            return Ok(());
        }
        let id = self.dice.pick(&own);
        self.send(who, Own::Cancel(id)).map(drop)
    }

    /// Other terms.
    fn change(&mut self) -> Result<(), String> {
        let mut change = RewardChange::default();
        match self.dice.below(8) {
            0 => change.enabled = Some(!self.rewards.is_on),
            1 => change.enabled = Some(true),
            2 | 3 => change.spread_cents = Some(self.dice.pick(&[3, 10, 10, 20])),
            4 => {
                let least = self.dice.pick(&[0, ONE, ONE, 30 * ONE]);
                change.min_payout = Some(Money::from_units(least));
            }
            _ => change.rebate_bps = Some(self.dice.pick(&[0, 1, 3_333, 5_000, 9_999, 10_000])),
        }
        self.set(change)
    }

    fn set_pools(&mut self) -> Result<(), String> {
        let mut pools = Vec::new();
        for event in 0..u32::try_from(EVENTS.len()).unwrap() {
            if !self.dice.once_in(6) {
                let cents = 1 + self.dice.below(5_000);
                pools.push((EventId(event), Money::from_units(i128::from(cents) * (ONE / 100))));
            }
        }
        self.set(RewardChange { pools: Some(pools), ..RewardChange::default() })
    }

    fn set(&mut self, change: RewardChange) -> Result<(), String> {
        self.own(Own::SetRewards(Arc::new(change.clone())))?;
        let now = self.now();
        let rewards = &mut self.rewards;
        let was_on = rewards.is_on;
        rewards.is_on = change.enabled.unwrap_or(was_on);
        if !was_on && rewards.is_on {
            rewards.fills.clear();
            rewards.next_run = Some(rewards.next_at(now, 17 * 60));
        }
        rewards.bps = change.rebate_bps.map_or(rewards.bps, i128::from);
        rewards.spread = change.spread_cents.map_or(rewards.spread, i128::from);
        rewards.least = change.min_payout.map_or(rewards.least, Money::units);
        if let Some(pools) = change.pools {
            rewards.pools = pools.into_iter().map(|(event, pool)| (event.0, pool.units())).collect();
        }
        self.look_at_pools();
        Ok(())
    }

    fn look_at_pools(&mut self) {
        let now = self.now();
        let Self { rewards, halted, .. } = self;
        let is_open = |event: &u32| rewards.is_on && !halted[usize::try_from(*event).unwrap()];
        let open = rewards.pools.keys().copied().filter(is_open).collect::<Vec<_>>();
        rewards.open = open.into_iter().map(|event| (event, now)).collect();
    }

    fn halt(&mut self) -> Result<(), String> {
        let at = usize::try_from(self.dice.below(2)).unwrap();
        self.halted[at] = !self.halted[at];
        self.own(Own::Halt(EventId(u32::try_from(at).unwrap()), self.halted[at]))?;
        self.look_at_pools();
        Ok(())
    }

    /// The operator takes the fees, or gives a little back.
    fn move_fees(&mut self) -> Result<(), String> {
        let amount = if self.dice.once_in(2) { -self.rewards.fees } else { ONE / 20 };
        self.rewards.fees += amount;
        let account = self.exchange.state.ledger().fees();
        let change = Adjustment {
            account,
            currency: self.usd,
            amount: Money::from_units(amount),
            reference: String::new(),
        };
        if amount == 0 { Ok(()) } else { self.own(LedgerCommand::Adjust(Arc::new(change))) }
    }

    fn credit_promo(&mut self, dollars: i128) -> Result<(), String> {
        let promo = self.exchange.state.ledger().house(PROMO.name).ok_or("no account pays rewards")?;
        self.rewards.promo += dollars * ONE;
        let amount = Money::from_units(dollars * ONE);
        if dollars == 0 { Ok(()) } else { self.own(Body::credit(promo, vec![(self.usd, amount)])) }
    }

    /// Both have paid the same, and every law holds.
    fn agree(&self) -> Result<(), String> {
        let (state, naive) = (&self.exchange.state, &self.rewards);
        let ledger = state.ledger();
        let houses = [Some(ledger.fees()), ledger.house(PROMO.name)];
        let got = houses.map(|house| house.map(|house| ledger.balance(house, self.usd).total().units()));
        if got != [Some(naive.fees), Some(naive.promo)] {
            return Err(format!("the house has {got:?}, expected {} and {}", naive.fees, naive.promo));
        }
        for (account, _) in &self.accounts {
            let rebates = state.predictions().rewards().rebates(*account).iter().map(|rebate| Owed {
                rebate: rebate.amount.units(),
                fees: rebate.traded.fees.units(),
                volume: rebate.traded.volume.units(),
                fills: rebate.traded.fills,
            });
            let (rebates, expected) = (rebates.collect::<Vec<_>>(), naive.rebates.get(account));
            if rebates != expected.cloned().unwrap_or_default() {
                return Err(format!("{account:?} has rebates {rebates:?}, expected {expected:?}"));
            }
        }
        state.broken_law().map_or(Ok(()), |law| Err(format!("{law:?}")))
    }
}

fn own(body: Body) -> Command {
    Command { caller: None, body }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makers earn the naive rebates and shares of the pools, and every course of a payout is among the runs.
    #[test]
    fn makers_earn_what_the_naive_model_says() {
        let mut counts = RewardCounts::default();
        for seed in 0..6 {
            let run = reward(Dice::seeded(seed), 300);
            counts.add(&run.unwrap_or_else(|difference| panic!("seed {seed}: {difference}")));
        }
        let RewardCounts { rebates, cut, snapshots, paid, late, small, missed } = counts;
        assert!([rebates, cut, paid, late, small, missed].iter().all(|count| *count > 0), "{counts:?}");
        assert!(snapshots > 10_000, "{counts:?}");
    }
}
