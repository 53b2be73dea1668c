//! The courses of events: who may decide what and when, and what each claim is paid, once.

use super::books::{Books, Houses, ONE, share};
use buttonwood_engine::PredictionCommand as Own;
use buttonwood_engine::prediction::{Leg, NewVoid, Paid, PaidRow, Voided};
use buttonwood_model::{AccountId, Claim, EventId, SymbolId, Time};
use buttonwood_num::Money;

/// How far a resolution has come.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Stage {
    Open,
    Proposed(Time, Vec<Claim>),
    Disputed,
    Final,
    Void,
}

/// How the claims of a contract are paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Terms {
    Outcome(Claim),
    /// Escrow and costs, once the first step has begun.
    Cost(Option<[i128; 2]>),
    Value(i128),
}

/// An event.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Debug)]
struct Course {
    contracts: Vec<SymbolId>,
    is_exclusive: bool,
    dispute: u64,
    expiry: Time,
    is_closed: bool,
    is_halted: bool,
    is_settled: bool,
    awaits_void: bool,
    legs: Vec<Leg>,
    stage: Stage,
}

/// A contract.
#[derive(Clone, Copy, Debug)]
struct Contract {
    event: EventId,
    terms: Option<Terms>,
    /// The account whose position ended last.
    until: Option<AccountId>,
    is_paid: bool,
}

/// How often a course was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CourseCounts {
    /// Events that were settled, combos too.
    pub settled: u64,
    /// Disputes.
    pub disputed: u64,
    /// Claims that were paid for their outcome, and lost ones.
    pub paid: u64,
    /// Claims that were paid back: their cost, a part of the escrow by cost, a value.
    pub refunded: [u64; 3],
    /// Combos that failed, held, were void at once, and wait for a call.
    pub combos: [u64; 4],
}

impl CourseCounts {
    pub(super) fn add(&mut self, other: &Self) {
        self.settled += other.settled;
        self.disputed += other.disputed;
        self.paid += other.paid;
        self.refunded.iter_mut().zip(other.refunded).for_each(|(sum, more)| *sum += more);
        self.combos.iter_mut().zip(other.combos).for_each(|(sum, more)| *sum += more);
    }
}

/// All events and contracts.
#[derive(Clone, Debug, Default)]
pub(super) struct Courses {
    events: Vec<Course>,
    contracts: Vec<Contract>,
    pub(super) counts: CourseCounts,
}

fn known<T>(found: Option<T>) -> Result<T, String> {
    found.ok_or_else(|| "an unknown event or contract".to_owned())
}

fn add_one(counts: &mut [u64], place: usize) {
    if let Some(count) = counts.get_mut(place) {
        *count += 1;
    }
}

impl Courses {
    fn event(&mut self, id: EventId) -> Result<&mut Course, String> {
        known(self.events.get_mut(id.index()))
    }

    fn contract(&mut self, id: SymbolId) -> Result<&mut Contract, String> {
        known(self.contracts.get_mut(id.contract_index()))
    }

    /// Whether a contract takes orders.
    pub(super) fn is_open(&self, contract: SymbolId, now: Time) -> bool {
        let event = self.contracts.get(contract.contract_index());
        let event = event.and_then(|contract| self.events.get(contract.event.index()));
        event.is_some_and(|event| !event.is_closed && !event.is_halted && now < event.expiry)
    }

    /// Whether trading of a contract has ended.
    pub(super) fn is_closed(&self, contract: SymbolId) -> bool {
        let event = self.contracts.get(contract.contract_index());
        event
            .and_then(|contract| self.events.get(contract.event.index()))
            .is_some_and(|event| event.is_closed)
    }

    pub(super) fn list(&mut self, count: usize, (exclusive, dispute, expiry): (bool, u64, Time)) {
        self.add(count, (exclusive, dispute, expiry), Vec::new());
    }

    pub(super) fn list_combo(&mut self, legs: Vec<Leg>) -> Result<(), String> {
        let events: Vec<EventId> = legs.iter().filter_map(|leg| self.event_of(*leg)).collect();
        let all = || events.iter().filter_map(|id| self.events.get(id.index()));
        let expiry = known(all().map(|event| event.expiry).min())?;
        let is_halted = all().any(|event| event.is_halted);
        self.add(1, (false, 0, expiry), legs);
        known(self.events.last_mut())?.is_halted = is_halted;
        Ok(())
    }

    fn add(&mut self, count: usize, (is_exclusive, dispute, expiry): (bool, u64, Time), legs: Vec<Leg>) {
        let first = self.contracts.len();
        let number = |at: usize| SymbolId::contract(u32::try_from(at).expect("a few contracts"));
        let event = EventId::from_index(self.events.len());
        let contract = Contract { event, terms: None, until: None, is_paid: false };
        self.contracts.extend(std::iter::repeat_n(contract, count));
        self.events.push(Course {
            contracts: (first..first + count).map(number).collect(),
            is_exclusive,
            dispute,
            expiry,
            is_closed: false,
            is_halted: false,
            is_settled: false,
            awaits_void: false,
            legs,
            stage: Stage::Open,
        });
    }

    fn event_of(&self, leg: Leg) -> Option<EventId> {
        self.contracts.get(leg.contract.contract_index()).map(|contract| contract.event)
    }

    fn combos_on(&self, id: EventId) -> Vec<EventId> {
        let has_leg = |event: &Course| event.legs.iter().any(|leg| self.event_of(*leg) == Some(id));
        let ids = (0..self.events.len()).map(EventId::from_index);
        ids.zip(&self.events).filter(|(_, event)| has_leg(event)).map(|(id, _)| id).collect()
    }

    pub(super) fn halt(&mut self, id: EventId, halted: bool) -> Result<(), String> {
        self.event(id)?.is_halted = halted;
        for combo in self.combos_on(id) {
            let legs = self.event(combo)?.legs.clone();
            let mut on = legs.iter().filter_map(|leg| self.events.get(self.event_of(*leg)?.index()));
            let is_halted = on.any(|event| event.is_halted);
            self.event(combo)?.is_halted = is_halted;
        }
        Ok(())
    }

    /// Trading ends: by a command that may end it, not before its time.
    pub(super) fn close(&mut self, id: EventId, now: Time, by: &Own) -> Result<(), String> {
        let event = self.event(id)?;
        if event.is_closed || matches!(by, Own::Expire(_)) && now < event.expiry {
            return Err(format!("{id:?} is closed at {now:?}, and expires at {:?}", event.expiry));
        }
        event.is_closed = true;
        for combo in self.combos_on(id) {
            self.event(combo)?.is_closed = true;
        }
        Ok(())
    }

    pub(super) fn propose(&mut self, id: EventId, outcomes: &[Claim], now: Time) -> Result<(), String> {
        let event = self.event(id)?;
        let many = outcomes.iter().filter(|outcome| **outcome == Claim::Yes).count();
        let is_one = !event.is_exclusive || outcomes.len() == 1 || many == 1;
        let is_due = matches!(event.stage, Stage::Open | Stage::Disputed) && event.legs.is_empty();
        if !is_due || !is_one || !event.is_closed || outcomes.len() != event.contracts.len() {
            return Err(format!("{outcomes:?} are proposed for {event:?}"));
        }
        event.stage = Stage::Proposed(now.plus(event.dispute), outcomes.to_vec());
        Ok(())
    }

    pub(super) fn dispute(&mut self, id: EventId, now: Time) -> Result<(), String> {
        let event = self.event(id)?;
        if !matches!(event.stage, Stage::Proposed(settles, _) if now < settles) {
            return Err(format!("{event:?} is disputed at {now:?}"));
        }
        event.stage = Stage::Disputed;
        self.counts.disputed += 1;
        Ok(())
    }

    /// The window ended.
    pub(super) fn finish(&mut self, id: EventId, now: Time) -> Result<(), String> {
        let event = self.event(id)?;
        match event.stage.clone() {
            Stage::Proposed(settles, outcomes) if settles <= now => self.decide(id, &outcomes),
            stage @ (Stage::Proposed(..) | Stage::Open | Stage::Disputed | Stage::Final | Stage::Void) => {
                Err(format!("{id:?} is final at {now:?}, after {stage:?}"))
            }
        }
    }

    fn decide(&mut self, id: EventId, outcomes: &[Claim]) -> Result<(), String> {
        let event = self.event(id)?;
        event.stage = Stage::Final;
        for (contract, outcome) in event.contracts.clone().into_iter().zip(outcomes) {
            self.contract(contract)?.terms = Some(Terms::Outcome(*outcome));
        }
        Ok(())
    }

    /// Every contract of an event was paid.
    pub(super) fn settle(&mut self, id: EventId) -> Result<(), String> {
        let event = self.event(id)?;
        let (stage, contracts) = (event.stage.clone(), event.contracts.clone());
        let paid = contracts.iter().filter(|contract| {
            self.contracts.get(contract.contract_index()).is_some_and(|contract| contract.is_paid)
        });
        if stage != Stage::Final || paid.count() != contracts.len() {
            return Err(format!("{id:?} is settled too early"));
        }
        self.event(id)?.is_settled = true;
        self.counts.settled += 1;
        Ok(())
    }

    /// The legs of a combo decided its outcome.
    pub(super) fn decide_combo(&mut self, id: EventId, outcome: Claim) -> Result<(), String> {
        let event = self.event(id)?;
        let (legs, stage, awaits) = (event.legs.clone(), event.stage.clone(), event.awaits_void);
        let met: Vec<Option<bool>> = legs.iter().map(|leg| self.is_met(*leg)).collect();
        let is_due = match outcome {
            Claim::No => met.contains(&Some(false)),
            Claim::Yes => met.iter().all(|met| *met == Some(true)),
        };
        if !is_due || stage != Stage::Open || awaits || legs.is_empty() {
            return Err(format!("{id:?} is decided with {outcome:?}, and its legs are {met:?}"));
        }
        add_one(&mut self.counts.combos, usize::from(outcome == Claim::Yes));
        self.decide(id, &[outcome])
    }

    /// Whether a leg has the outcome that it needs; none before its event is settled.
    fn is_met(&self, leg: Leg) -> Option<bool> {
        let contract = self.contracts.get(leg.contract.contract_index())?;
        let is_settled = self.events.get(contract.event.index())?.is_settled;
        let Some(Terms::Outcome(outcome)) = contract.terms.filter(|_| is_settled) else { return None };
        Some(outcome == leg.required)
    }

    /// An event is void: by the call that names it, or a combo by one of its legs.
    pub(super) fn void(
        &mut self,
        voided: &Voided,
        new: &NewVoid,
        (books, houses): (&Books, Houses),
    ) -> Result<(), String> {
        let is_named = voided.event == new.event;
        let event = self.event(voided.event)?;
        let (contracts, stage) = (event.contracts.clone(), event.stage.clone());
        let differs = |contract: &SymbolId| {
            let [costs, escrow] = books.sums_without_orders(*contract, houses);
            costs != escrow
        };
        let value = new.value.filter(|_| is_named);
        let is_free = value.is_some() || is_named && new.at_cost;
        if matches!(stage, Stage::Final | Stage::Void) || !is_free && contracts.iter().any(differs) {
            return Err(format!("{:?} becomes void after {stage:?}", voided.event));
        }
        let event = self.event(voided.event)?;
        (event.stage, event.awaits_void) = (Stage::Void, false);
        for contract in contracts {
            let terms = value.map_or(Terms::Cost(None), |value| Terms::Value(value.units()));
            self.contract(contract)?.terms = Some(terms);
        }
        if !is_named {
            add_one(&mut self.counts.combos, 2);
        }
        Ok(())
    }

    pub(super) fn await_void(&mut self, id: EventId) -> Result<(), String> {
        self.event(id)?.awaits_void = true;
        add_one(&mut self.counts.combos, 3);
        Ok(())
    }

    /// A step of a payout.
    pub(super) fn pay(&mut self, paid: &Paid, books: &mut Books, houses: Houses) -> Result<(), String> {
        let id = paid.contract;
        let [costs, escrow] = books.sums(id, houses.dollar);
        let contract = self.contract(id)?;
        if let Some(Terms::Cost(sums)) = &mut contract.terms {
            sums.get_or_insert([escrow, costs]);
        }
        let (terms, before) = (contract.terms, contract.until);
        let terms = terms.filter(|_| !contract.is_paid).ok_or("a contract is paid that must not be")?;
        if books.orders.values().any(|order| order.contract == id) {
            return Err(format!("{id:?} is paid while orders live"));
        }
        for row in &paid.rows {
            let is_in_turn = before.is_none_or(|before| row.account > before);
            let expected = expected(terms, id, row, books);
            let got = [row.quantity, row.payout, row.cost, row.realised].map(Money::units);
            if !is_in_turn || got != expected || expected[0] == 0 {
                return Err(format!("{row:?} of {id:?}, expected {expected:?} after {before:?}"));
            }
            books.pay((id, row.account, row.claim), row.payout.units(), houses);
            self.count(terms);
        }
        if let Some(until) = paid.until {
            books.forget(id, until)?;
        }
        let contract = self.contract(id)?;
        (contract.until, contract.is_paid) = (paid.until.or(before), paid.is_last);
        if !paid.is_last {
            return Ok(());
        }
        let [costs, left] = books.sums(id, houses.dollar);
        if costs != 0 || left < 0 || left > 0 && matches!(terms, Terms::Outcome(_)) {
            return Err(format!("{id:?} is paid, and {left} dollars and costs of {costs} are left"));
        }
        books.shift([AccountId::escrow(id), houses.rounding], houses.dollar, left);
        Ok(())
    }

    fn count(&mut self, terms: Terms) {
        let place = match terms {
            Terms::Outcome(_) => {
                self.counts.paid += 1;
                return;
            }
            Terms::Cost(sums) => usize::from(sums.is_some_and(|[escrow, costs]| escrow != costs)),
            Terms::Value(_) => 2,
        };
        add_one(&mut self.counts.refunded, place);
    }

    /// Whether contracts are to be paid by their outcome, and whether some are to be paid back.
    pub(super) fn waits(&self) -> [bool; 2] {
        let unpaid = || self.contracts.iter().filter(|contract| !contract.is_paid);
        let pays = |contract: &Contract| matches!(contract.terms, Some(Terms::Outcome(_)));
        [unpaid().any(pays), unpaid().any(|contract| contract.terms.is_some() && !pays(contract))]
    }

    /// An event whose time has come, or a contract that is decided and not paid.
    pub(super) fn unfinished(&self, now: Time, books: &Books) -> Option<String> {
        let is_late = |event: &&Course| match &event.stage {
            Stage::Open => event.expiry <= now && !event.is_closed,
            Stage::Proposed(settles, _) => *settles <= now,
            Stage::Final => !event.is_settled,
            Stage::Disputed | Stage::Void => false,
        };
        if let Some(event) = self.events.iter().find(is_late) {
            return Some(format!("{event:?} is behind its time"));
        }
        let is_left = |order: &&super::books::Live| self.is_closed(order.contract);
        if let Some(order) = books.orders.values().find(is_left) {
            return Some(format!("{order:?} lives after the end of trading"));
        }
        let unpaid = self.contracts.iter().find(|contract| contract.terms.is_some() && !contract.is_paid);
        unpaid.map(|contract| format!("{contract:?} is not paid"))
    }
}

/// How many claims a row must be of, what they are paid, their cost, and the result so far.
fn expected(terms: Terms, id: SymbolId, row: &PaidRow, books: &Books) -> [i128; 4] {
    let holder = (id, row.account, row.claim);
    let (has, cost) = (books.claims(holder), books.cost(holder));
    let payout = match terms {
        Terms::Outcome(outcome) if outcome == row.claim => has,
        Terms::Outcome(_) | Terms::Cost(None) => 0,
        Terms::Cost(Some([escrow, costs])) => share(escrow, cost, costs),
        Terms::Value(value) => share(has, if row.claim == Claim::Yes { value } else { ONE - value }, ONE),
    };
    [has, payout, cost, books.realised(id, row.account)]
}
