//! The life of events, naively: what may happen to one, by the table of the issue, and what follows from it.

use super::books::{Books, ONE, UNIT, share};
use buttonwood_engine::prediction::{PaidRow, Status};
use buttonwood_model::Claim;
use buttonwood_num::Money;

/// How far a resolution has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Open,
    Proposed { settles: u64, yes: Vec<bool> },
    Disputed,
    Final,
    Void,
}

/// How the claims of a void contract are paid back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refund {
    /// By cost; the escrow and the costs when the first one was paid.
    Cost(Option<[i128; 2]>),
    /// This much for a yes.
    Value(i128),
}

/// An event.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) ticker: String,
    pub(super) contracts: Vec<usize>,
    pub(super) is_exclusive: bool,
    pub(super) start: u64,
    pub(super) expiry: u64,
    pub(super) dispute: u64,
    pub(super) is_closed_to_some: bool,
    pub(super) status: Status,
    pub(super) is_halted: bool,
    pub(super) is_closed: bool,
    pub(super) stage: Stage,
    /// Contracts and whether each must be yes.
    pub(super) legs: Vec<(usize, bool)>,
    pub(super) awaits_void: bool,
}

/// A contract.
#[derive(Clone, Debug)]
pub(super) struct Contract {
    pub(super) event: usize,
    pub(super) ticker: String,
    pub(super) outcome: Option<bool>,
    pub(super) refund: Option<Refund>,
    pub(super) is_paid: bool,
    /// The account that was paid last.
    pub(super) paid_to: Option<usize>,
}

/// How often a course was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Courses {
    pub(super) settled: u64,
    pub(super) disputed: u64,
    pub(super) refunded: [u64; 3],
    pub(super) combos: [u64; 4],
}

#[derive(Clone, Debug, Default)]
pub(super) struct Life {
    pub(super) events: Vec<Event>,
    pub(super) contracts: Vec<Contract>,
    pub(super) courses: Courses,
}

/// Why an act is refused: the word of the core's reason.
pub(super) type Judged = Result<(), &'static str>;

impl Life {
    pub(super) fn is_open(&self, event: usize) -> bool {
        let event = &self.events[event];
        event.status == Status::Active && !event.is_halted && !event.is_closed
    }

    /// Whether an event takes orders at a time: its expiry may not have run yet.
    pub(super) fn is_open_at(&self, event: usize, time: u64) -> bool {
        self.is_open(event) && time < self.events[event].expiry
    }

    fn combos_on(&self, event: usize) -> Vec<usize> {
        let has_leg = |combo: &Event| combo.legs.iter().any(|(leg, _)| self.contracts[*leg].event == event);
        (0..self.events.len()).filter(|combo| has_leg(&self.events[*combo])).collect()
    }

    fn is_trading(&self, event: usize) -> bool {
        let event = &self.events[event];
        matches!(event.status, Status::Approved | Status::Active) && !event.is_closed
    }

    pub(super) fn halt(&mut self, at: usize, halted: bool) -> Judged {
        if !self.events[at].legs.is_empty() {
            return Err("IsCombo");
        }
        if !self.is_trading(at) {
            return Err("NotTrading");
        }
        self.events[at].is_halted = halted;
        for combo in self.combos_on(at) {
            let legs = self.events[combo].legs.clone();
            self.events[combo].is_halted =
                legs.iter().any(|(leg, _)| self.events[self.contracts[*leg].event].is_halted);
        }
        Ok(())
    }

    /// Trading ends, of the combos too.
    pub(super) fn close(&mut self, at: usize) {
        for id in [at].into_iter().chain(self.combos_on(at)) {
            let event = &mut self.events[id];
            event.is_closed = true;
            if event.legs.is_empty() && matches!(event.status, Status::Approved | Status::Active) {
                event.status = Status::Closed;
            }
        }
    }

    pub(super) fn start(&mut self, at: usize, now: u64) -> Judged {
        if self.events[at].status != Status::Approved || self.events[at].start > now {
            return Err("it does not start yet");
        }
        self.events[at].status = Status::Active;
        Ok(())
    }

    pub(super) fn expire(&mut self, at: usize, now: u64) -> Judged {
        if !self.is_trading(at) || self.events[at].expiry > now {
            return Err("it does not expire yet");
        }
        self.close(at);
        Ok(())
    }

    pub(super) fn resolve(&mut self, at: usize, named: &[(String, bool)], now: u64) -> Judged {
        let event = &self.events[at];
        if !event.legs.is_empty() {
            return Err("IsCombo");
        }
        match event.stage {
            Stage::Final | Stage::Void => return Err("Ended"),
            Stage::Proposed { .. } => return Err("AlreadyProposed"),
            Stage::Open | Stage::Disputed => {}
        }
        let of = |contract: &usize| {
            let ticker = &self.contracts[*contract].ticker;
            named.iter().find(|(name, _)| name == ticker).map(|(_, yes)| *yes)
        };
        let yes: Option<Vec<bool>> = event.contracts.iter().map(of).collect();
        let yes = yes.filter(|yes| yes.len() == named.len()).ok_or("BadOutcomes")?;
        let many = yes.iter().filter(|yes| **yes).count();
        if event.is_exclusive && event.contracts.len() > 1 && many != 1 {
            return Err("NotOneYes");
        }
        self.close(at);
        let event = &mut self.events[at];
        event.status = Status::UnderReview;
        event.stage = Stage::Proposed { settles: now + event.dispute, yes };
        Ok(())
    }

    pub(super) fn dispute(&mut self, at: usize, now: u64) -> Judged {
        match self.events[at].stage {
            Stage::Final | Stage::Void => return Err("Ended"),
            Stage::Proposed { settles, .. } if now >= settles => return Err("Ended"),
            Stage::Open | Stage::Disputed => return Err("NotProposed"),
            Stage::Proposed { .. } => {}
        }
        self.events[at].stage = Stage::Disputed;
        self.courses.disputed += 1;
        Ok(())
    }

    /// The window ended.
    pub(super) fn finish(&mut self, at: usize, now: u64) -> Judged {
        let Stage::Proposed { settles, yes } = self.events[at].stage.clone() else {
            return Err("nothing is proposed, or it is disputed");
        };
        if settles > now {
            return Err("the window for disputes is open");
        }
        self.decide(at, &yes);
        Ok(())
    }

    fn decide(&mut self, at: usize, yes: &[bool]) {
        self.events[at].stage = Stage::Final;
        for (contract, yes) in self.events[at].contracts.clone().into_iter().zip(yes) {
            self.contracts[contract].outcome = Some(*yes);
        }
    }

    pub(super) fn void(&mut self, at: usize, value: Option<i128>, at_cost: bool, books: &Books) -> Judged {
        if matches!(self.events[at].stage, Stage::Final | Stage::Void) {
            return Err("Ended");
        }
        let differs = |contract: &usize| {
            let [costs, escrow] = books.without_orders(*contract);
            costs != escrow
        };
        if value.is_none() && !at_cost && self.events[at].contracts.iter().any(differs) {
            return Err("CostsDiffer");
        }
        self.close(at);
        self.end(at, value.map_or(Refund::Cost(None), Refund::Value));
        for combo in self.combos_on(at) {
            let event = &self.events[combo];
            if matches!(event.stage, Stage::Final | Stage::Void) || event.awaits_void {
                continue;
            }
            if event.contracts.iter().any(differs) {
                self.events[combo].awaits_void = true;
                self.courses.combos[3] += 1;
            } else {
                self.end(combo, Refund::Cost(None));
                self.courses.combos[2] += 1;
            }
        }
        Ok(())
    }

    fn end(&mut self, at: usize, refund: Refund) {
        let event = &mut self.events[at];
        event.status = Status::Invalid;
        event.stage = Stage::Void;
        event.awaits_void = false;
        for contract in event.contracts.clone() {
            self.contracts[contract].refund = Some(refund);
        }
    }

    /// Every contract of an event was paid. Returns the combos that this decides, with their outcomes.
    pub(super) fn settle(&mut self, at: usize) -> Result<Vec<(usize, bool)>, String> {
        let event = &self.events[at];
        if event.stage != Stage::Final
            || event.contracts.iter().any(|contract| !self.contracts[*contract].is_paid)
        {
            return Err(format!("{} is settled too early", event.ticker));
        }
        self.events[at].status = Status::Settled;
        self.courses.settled += 1;
        let mut decided = Vec::new();
        for combo in self.combos_on(at) {
            let event = &self.events[combo];
            if matches!(event.stage, Stage::Final | Stage::Void) || event.awaits_void {
                continue;
            }
            let outcomes: Vec<Option<bool>> = event.legs.iter().map(|leg| self.leg_is_met(leg)).collect();
            let is_met = if outcomes.contains(&Some(false)) {
                false
            } else if outcomes.contains(&None) {
                continue;
            } else {
                true
            };
            self.courses.combos[usize::from(is_met)] += 1;
            self.events[combo].status = Status::UnderReview;
            self.decide(combo, &[is_met]);
            decided.push((combo, is_met));
        }
        Ok(decided)
    }

    /// Whether a leg has the outcome that it needs; none before its event is settled.
    fn leg_is_met(&self, (contract, needs): &(usize, bool)) -> Option<bool> {
        let contract = &self.contracts[*contract];
        let is_settled = self.events[contract.event].status == Status::Settled;
        contract.outcome.filter(|_| is_settled).map(|outcome| outcome == *needs)
    }

    /// Claims were paid: they must be there, be due, and have had the amount due.
    pub(super) fn pay(
        &mut self,
        at: usize,
        who: usize,
        row: &PaidRow,
        books: &mut Books,
    ) -> Result<(), String> {
        let contract = &mut self.contracts[at];
        let stage = &self.events[contract.event].stage;
        let key = (at, who, row.claim == Claim::Yes);
        let (has, cost) = (books.owned(key), books.cost(key));
        if contract.is_paid || !matches!(stage, Stage::Final | Stage::Void) {
            return Err(format!("{row:?} is paid at {stage:?}"));
        }
        if books.orders.iter().any(|order| order.contract == at) {
            return Err(format!("{row:?} is paid while orders live"));
        }
        let (escrow, costs) = (books.escrow[at], books.costs_of(at));
        if let Some(Refund::Cost(sums)) = &mut contract.refund {
            sums.get_or_insert([escrow, costs]);
        }
        let whole = has * 100 * UNIT;
        let payout = match (contract.refund, contract.outcome) {
            (Some(Refund::Cost(Some([escrow, costs]))), _) => share(cost, escrow, costs),
            (Some(Refund::Value(value)), _) => share(whole, if key.2 { value } else { ONE - value }, ONE),
            (_, outcome) => {
                if outcome == Some(key.2) {
                    whole
                } else {
                    0
                }
            }
        };
        let realised = books.realised.get(&(at, who)).copied().unwrap_or(0);
        let expected = [whole, payout, cost, realised];
        let got = [row.quantity, row.payout, row.cost, row.realised].map(Money::units);
        if got != expected || has == 0 {
            return Err(format!("{row:?} is paid {got:?}, expected {expected:?}"));
        }
        let place = match contract.refund {
            Some(Refund::Cost(Some([escrow, costs]))) => Some(usize::from(escrow != costs)),
            Some(Refund::Value(_)) => Some(2),
            Some(Refund::Cost(None)) | None => None,
        };
        if let Some(place) = place {
            self.courses.refunded[place] += 1;
        }
        books.claims.remove(&key);
        books.costs.remove(&key);
        books.cash[who] += payout;
        books.escrow[at] -= payout;
        Ok(())
    }

    /// A step of a payout ended with an account; the last one leaves nothing.
    pub(super) fn stepped(
        &mut self,
        at: usize,
        until: Option<usize>,
        is_last: bool,
        books: &mut Books,
    ) -> Result<(), String> {
        let contract = &mut self.contracts[at];
        let Some(until) = until else { return Self::ended(contract, at, is_last, books) };
        if contract.paid_to.is_some_and(|before| before >= until) {
            return Err(format!("{} is paid in no order", contract.ticker));
        }
        contract.paid_to = Some(until);
        let of_step = |(of, who): (usize, usize)| of == at && who <= until;
        if books.claims.iter().any(|((of, who, _), has)| of_step((*of, *who)) && *has > 0) {
            return Err(format!("{} leaves out claims", contract.ticker));
        }
        books.claims.retain(|(of, who, _), _| !of_step((*of, *who)));
        books.costs.retain(|(of, who, _), _| !of_step((*of, *who)));
        books.realised.retain(|key, _| !of_step(*key));
        Self::ended(contract, at, is_last, books)
    }

    fn ended(contract: &mut Contract, at: usize, is_last: bool, books: &mut Books) -> Result<(), String> {
        if is_last {
            contract.is_paid = true;
            let left = std::mem::take(&mut books.escrow[at]);
            if left != 0 && contract.refund.is_none() || left < 0 {
                return Err(format!("{} leaves {left} in escrow", contract.ticker));
            }
            books.rounding += left;
        }
        Ok(())
    }
}
