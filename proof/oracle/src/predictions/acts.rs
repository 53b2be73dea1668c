//! The acts of customers and operators, apart from orders.

use super::books::ONE;
use super::life::{Contract, Event, Judged, Stage};
use super::{MINUTE, World, group, symbol};
use buttonwood_engine::prediction::{
    Command as Own, Leg, NewCombo, NewContract, NewEvent, NewResolution, NewVoid, Status, combo_grid,
};
use buttonwood_engine::{Body, FeeChange, FeeSchedule, TradingCommand};
use buttonwood_model::{Claim, EventId, Product, Time};
use buttonwood_num::{Bps, Money};
use std::sync::Arc;

/// The acts that are due for the first event, and to others that are listed at random.
const COUNT_OF_EVENTS: usize = 5;

fn id(at: usize) -> EventId {
    EventId(u32::try_from(at).unwrap())
}

fn claim(yes: bool) -> Claim {
    if yes { Claim::Yes } else { Claim::No }
}

impl World {
    pub(super) fn act(&mut self) -> Result<(), String> {
        match self.dice.below(30) {
            0..=2 => self.wait(),
            3 => {
                self.exchange.state = self.exchange.stored();
                self.agree()
            }
            _ => self.act_at_once(),
        }
    }

    /// An act that may come at any moment.
    pub(super) fn act_at_once(&mut self) -> Result<(), String> {
        match self.dice.below(256) {
            0..170 => self.order(),
            170..182 => self.cancel(),
            182..184 => self.cancel_all(),
            184..202 => self.list(),
            202..214 => self.list_combo(),
            214..219 => self.halt(),
            219..233 => self.resolve(),
            233..237 => self.dispute(),
            237..241 => self.void(),
            241 => self.publish(),
            242..244 => self.set_fees(),
            _ => {
                let who = self.customer();
                self.accept(who)
            }
        }?;
        self.follow()
    }

    /// The follow-ups of a command run before any other.
    fn follow(&mut self) -> Result<(), String> {
        while self.exchange.state.has_follow_up() {
            let due = self.exchange.state.next_due().ok_or("a follow-up is not due")?;
            let command = due.command.clone();
            self.own(1, due.command)?;
            self.note_due(&command)?;
            self.settled()?;
        }
        Ok(())
    }

    pub(super) fn customer(&mut self) -> usize {
        usize::try_from(self.dice.below(5)).unwrap()
    }

    /// A contract, mostly one of the last listed.
    pub(super) fn contract(&mut self) -> usize {
        let many = self.life.contracts.len();
        let open: Vec<usize> =
            (0..many).filter(|at| self.life.is_open(self.life.contracts[*at].event)).collect();
        if open.is_empty() || self.dice.once_in(10) {
            return usize::try_from(self.dice.below(u64::try_from(many + 1).unwrap())).unwrap();
        }
        let is_combo = |at: &usize| !self.life.events[self.life.contracts[*at].event].legs.is_empty();
        let combos: Vec<usize> = open.iter().copied().filter(is_combo).collect();
        if combos.is_empty() || self.dice.once_in(2) {
            self.dice.pick(&open)
        } else {
            self.dice.pick(&combos)
        }
    }

    /// A contract of which an account has free claims, and the outcome of these.
    pub(super) fn owned(&mut self, who: usize) -> Option<(usize, bool)> {
        let is_free = |key: &&(usize, usize, bool)| key.1 == who && self.books.free(**key) >= 100;
        let is_open = |key: &&(usize, usize, bool)| self.life.is_open(self.life.contracts[key.0].event);
        let own = self.books.claims.keys().filter(is_free).filter(is_open);
        let own: Vec<(usize, bool)> = own.map(|(contract, _, yes)| (*contract, *yes)).collect();
        (!own.is_empty()).then(|| self.dice.pick(&own))
    }

    /// An event that passes, mostly; else any.
    fn event_that(&mut self, is_meant: impl Fn(&Event) -> bool) -> usize {
        let meant = (0..self.life.events.len()).filter(|at| is_meant(&self.life.events[*at]));
        let meant: Vec<usize> = meant.collect();
        if meant.is_empty() || self.dice.once_in(3) { self.event() } else { self.dice.pick(&meant) }
    }

    /// An event, mostly one that is not over.
    fn event(&mut self) -> usize {
        let over = [Status::Settled, Status::Invalid];
        let all: Vec<usize> = (0..self.life.events.len()).collect();
        let going: Vec<usize> =
            all.iter().copied().filter(|at| !over.contains(&self.life.events[*at].status)).collect();
        if going.is_empty() || self.dice.once_in(12) { self.dice.pick(&all) } else { self.dice.pick(&going) }
    }

    fn wait(&mut self) -> Result<(), String> {
        let until = match self.dice.below(4) {
            0 => self.now() + 10 * MINUTE,
            1 => self.now() + 2 + self.dice.below(MINUTE),
            _ => self.now() + 2 + self.dice.below(60 * MINUTE),
        };
        self.pass_to(until)
    }

    fn list(&mut self) -> Result<(), String> {
        let over = [Status::Settled, Status::Invalid];
        let going =
            self.life.events.iter().filter(|event| event.legs.is_empty() && !over.contains(&event.status));
        if going.count() >= COUNT_OF_EVENTS {
            return Ok(());
        }
        let (many, minutes) = (1 + self.dice.below(3), 20 + self.dice.below(400));
        let is_closed_to_some = self.dice.once_in(3);
        self.list_with(many, minutes, is_closed_to_some)
    }

    pub(super) fn list_with(&mut self, many: u64, minutes: u64, closed: bool) -> Result<(), String> {
        self.listed += 1;
        let ticker = format!("E{}", self.listed);
        let now = self.now() + 1;
        let start =
            (self.listed > 1 && self.dice.once_in(4)).then(|| Time(now + self.dice.below(15 * MINUTE)));
        let expiry = Time(now + minutes * MINUTE);
        let dispute = self.dice.pick(&[0, 10 * MINUTE, 30 * MINUTE, 60 * MINUTE]);
        let is_exclusive = !self.dice.once_in(3);
        let (grid, qty_min) = combo_grid().unwrap();
        let tickers: Vec<String> =
            if many == 1 { vec![ticker.clone()] } else { (0..many).map(|at| format!("C{at}")).collect() };
        let contract = |ticker: &String| NewContract { ticker: ticker.clone(), label: "a label".into() };
        let new = NewEvent {
            prefix: "SVC".into(),
            ticker: ticker.clone(),
            title: "a title".into(),
            category: "a category".into(),
            contracts: tickers.iter().map(contract).collect(),
            is_exclusive,
            start,
            expiry,
            dispute,
            strike: None,
            grid,
            qty_min,
            closed_to: if closed { vec!["US-NY".into()] } else { Vec::new() },
            source: None,
        };
        let first = self.life.contracts.len();
        let is_open = start.is_none_or(|start| start.0 <= now);
        self.life.events.push(Event {
            ticker,
            contracts: (first..first + tickers.len()).collect(),
            is_exclusive,
            start: start.map_or(now, |start| start.0),
            expiry: expiry.0,
            dispute,
            is_closed_to_some: closed,
            status: if is_open { Status::Active } else { Status::Approved },
            is_halted: false,
            is_closed: false,
            stage: Stage::Open,
            legs: Vec::new(),
            awaits_void: false,
        });
        for ticker in tickers {
            self.add_contract(ticker);
        }
        self.asks(Own::ListEvent(Arc::new(new)), Ok(()))
    }

    fn add_contract(&mut self, ticker: String) {
        let event = self.life.events.len() - 1;
        let row = Contract { event, ticker, outcome: None, refund: None, is_paid: false, paid_to: None };
        self.life.contracts.push(row);
        self.books.escrow.push(0);
        self.books.last.push(None);
    }

    /// A combo on contracts of some events, most of which trade.
    fn list_combo(&mut self) -> Result<(), String> {
        let many = 1 + self.dice.below(4);
        let mut legs: Vec<(usize, bool)> =
            (0..many).map(|_| (self.contract(), self.dice.once_in(2))).collect();
        legs.sort_by_key(|(contract, yes)| (*contract, !*yes));
        let of = |(contract, _): &(usize, bool)| self.life.contracts.get(*contract).map(|row| row.event);
        let events: Vec<Option<usize>> = legs.iter().map(of).collect();
        let mut different = events.clone();
        different.sort_unstable();
        different.dedup();
        let trades = |at: &usize| {
            let event = &self.life.events[*at];
            event.legs.is_empty()
                && matches!(event.status, Status::Approved | Status::Active)
                && !event.is_closed
                && self.now() + 1 < event.expiry
        };
        let expected: Judged = if let Some(place) = events.iter().position(Option::is_none) {
            // The first that is wrong decides the words.
            let before = &events[..place];
            let mut seen = Vec::new();
            let is_bad = before.iter().flatten().any(|at| {
                let is_bad = !trades(at) || seen.contains(at);
                seen.push(*at);
                is_bad
            });
            Err(if is_bad { "BadLegs" } else { "UnknownContract" })
        } else if !(2..=6).contains(&legs.len())
            || different.len() != legs.len()
            || !events.iter().flatten().all(trades)
        {
            Err("BadLegs")
        } else {
            Ok(())
        };
        let is_known = self.life.events.iter().any(|event| event.legs == legs);
        self.listed += 1;
        let name = format!("SVC-CMB-1126-{:012X}", self.listed);
        if expected.is_ok() && !is_known {
            let of = |at: usize| &self.life.events[at];
            let on: Vec<usize> = events.iter().flatten().copied().collect();
            let combo = Event {
                ticker: name.clone(),
                contracts: vec![self.life.contracts.len()],
                is_exclusive: false,
                start: 0,
                expiry: on.iter().map(|at| of(*at).expiry).min().unwrap(),
                dispute: 0,
                is_closed_to_some: on.iter().any(|at| of(*at).is_closed_to_some),
                status: Status::Active,
                is_halted: on.iter().any(|at| of(*at).is_halted),
                is_closed: false,
                stage: Stage::Open,
                legs: legs.clone(),
                awaits_void: false,
            };
            self.life.events.push(combo);
            self.add_contract(name.clone());
        }
        let (grid, qty_min) = combo_grid().unwrap();
        let leg =
            |(contract, yes): &(usize, bool)| Leg { contract: symbol(*contract), required: claim(*yes) };
        let legs = legs.iter().map(leg).collect();
        let new = NewCombo { name, title: "a combo".into(), legs, grid, qty_min };
        self.asks(Own::ListCombo(Arc::new(new)), expected)
    }

    fn halt(&mut self) -> Result<(), String> {
        let at = self.event();
        let halted = self.dice.once_in(if self.life.events[at].is_halted { 6 } else { 2 });
        let expected = self.life.halt(at, halted);
        self.asks(Own::Halt(id(at), halted), expected)
    }

    fn resolve(&mut self) -> Result<(), String> {
        let at = self.event_that(|event| event.legs.is_empty() && event.is_closed);
        let event = &self.life.events[at];
        let mut named: Vec<(String, bool)> =
            event.contracts.iter().map(|at| (self.life.contracts[*at].ticker.clone(), false)).collect();
        let winner = usize::try_from(self.dice.below(u64::try_from(named.len()).unwrap())).unwrap();
        named[winner].1 = named.len() > 1 || self.dice.once_in(2);
        match self.dice.below(12) {
            0 => named.truncate(named.len() - 1),
            1 => named.push(named[0].clone()),
            2 => named.push(("X".into(), true)),
            3 => named[0].1 = !named[0].1,
            _ => named.reverse(),
        }
        let now = self.now() + 1;
        let expected = self.life.resolve(at, &named, now);
        let outcomes = named.into_iter().map(|(ticker, yes)| (ticker, claim(yes))).collect();
        let new = NewResolution { event: id(at), outcomes, source: "a source".into() };
        self.asks(Own::Resolve(Arc::new(new)), expected)
    }

    fn dispute(&mut self) -> Result<(), String> {
        let at = self.event_that(|event| matches!(event.stage, Stage::Proposed { .. }));
        let now = self.now() + 1;
        let expected = self.life.dispute(at, now);
        self.asks(Own::Dispute(id(at), "a reason".into()), expected)
    }

    fn void(&mut self) -> Result<(), String> {
        let waiting = self.life.events.iter().position(|event| event.awaits_void);
        let at = waiting.filter(|_| self.dice.once_in(2)).unwrap_or_else(|| self.event());
        let value = self.dice.once_in(4).then(|| ONE / 7 * i128::from(self.dice.below(8)));
        let at_cost = self.dice.once_in(2);
        let expected = self.life.void(at, value, at_cost, &self.books);
        let new = NewVoid {
            event: id(at),
            reason: "a reason".into(),
            value: value.map(Money::from_units),
            at_cost,
        };
        self.asks(Own::Void(Arc::new(new)), expected)
    }

    fn publish(&mut self) -> Result<(), String> {
        if self.dice.once_in(4) {
            self.version += 1;
            self.asks(Own::PublishTerms("new terms".into()), Ok(()))?;
        }
        Ok(())
    }

    pub(super) fn accept(&mut self, who: usize) -> Result<(), String> {
        let answer = self.send(who, Own::AcceptTerms);
        self.judged("terms", &answer, Ok(()))?;
        self.accepted.insert(group(who), self.version);
        self.settled()
    }

    fn set_fees(&mut self) -> Result<(), String> {
        let [maker, taker] = self.dice.pick(&[[100, 500], [0, 0], [300, 100], [10_000, 10_000], [100, 500]]);
        let schedule = FeeSchedule { maker: Bps(maker), taker: Bps(taker), auction: Bps(0) };
        let change = FeeChange { product: Product::Contract, account: None, schedule: Some(schedule) };
        self.own(1, Body::from(TradingCommand::SetFees(change)))?;
        self.books.rates = [i128::from(maker), i128::from(taker)];
        self.settled()
    }
}
