//! One payment on its way: its transactions, and what the node knows of them.

use super::{Attempt, InBlock, Outcome, Payment, Purpose, Settled, Step};
use crate::{BlockRef, Branch, Broadcast, Chain, Lookup, Reserved, Signed, Spends, TxHash};
use buttonwood_num::Money;

/// The state of a signed transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Not durable: it must not be sent.
    Unrecorded,
    /// Durable, and never sent.
    Unsent,
    /// It may have been sent: it is looked up before it is sent again.
    Unsure,
    /// The node has it.
    Waiting,
    /// The node has refused it for good.
    Refused,
    /// It cannot confirm any more.
    Dead,
}

#[derive(Debug)]
struct Tried {
    attempt: Attempt,
    state: State,
    /// [`Step::Sent`] was reported.
    reported: bool,
}

impl Tried {
    /// Whether it waits for a block, at the node or, since it offers too little for the node, here.
    fn may_wait(&self) -> bool {
        matches!(self.state, State::Waiting | State::Unsure)
    }
}

/// A transaction in a block.
#[derive(Clone, Debug)]
pub(super) struct Found {
    index: usize,
    block: BlockRef,
    failed: bool,
    cost: Money,
}

#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Entry {
    pub(super) payment: Payment,
    attempts: Vec<Tried>,
    pub(super) found: Option<Found>,
    pub(super) settled: Option<Settled>,
    /// A higher fee was asked for.
    bump: bool,
    /// The alarm that it is in has been reported.
    pub(super) alarmed: bool,
    /// The transaction that has spent its inputs.
    dead_by: Option<TxHash>,
    /// Its amount counts as outflow of its account.
    flows: bool,
    /// The attempt to send instead of the last one.
    favourite: Option<usize>,
    /// The node did not answer the last question about it, so it is asked again though the chain stands still.
    unanswered: bool,
    /// It was reported that none of its transactions can confirm.
    pub(super) lost: bool,
    /// Its transactions are never sent again; they are only looked for.
    pub(super) given_up: bool,
    /// An empty transaction was asked for in place of its payment.
    void: bool,
    /// The payments that it replaces: nothing is signed for it while one of them may confirm.
    pub(super) replaces: Vec<u64>,
}

impl Entry {
    pub(super) fn new(payment: Payment, settled: Option<Settled>) -> Self {
        Self {
            payment,
            attempts: Vec::new(),
            found: None,
            settled,
            bump: false,
            alarmed: false,
            dead_by: None,
            flows: false,
            favourite: None,
            unanswered: false,
            lost: false,
            given_up: false,
            void: false,
            replaces: Vec::new(),
        }
    }

    /// Never sends its transactions again, and frees what they have reserved.
    pub(super) fn give_up(&mut self, reserved: &mut Reserved) {
        self.release(reserved);
        self.given_up = true;
    }

    /// Asks for an empty transaction in place of its payment.
    pub(super) fn ask_for_void(&mut self) {
        self.void = true;
    }

    /// Whether none of its transactions can confirm any more, as far as the node says.
    pub(super) fn is_dead(&self) -> bool {
        self.found.is_none()
            && self.settled.is_none()
            && self.attempts.iter().all(|tried| tried.state == State::Dead)
    }

    /// Whether nothing was signed for it.
    pub(super) fn is_empty(&self) -> bool {
        self.attempts.is_empty()
    }

    /// The transaction that has spent its inputs, if the node knows.
    pub(super) fn dead_by(&self) -> Option<TxHash> {
        self.dead_by.clone()
    }

    /// Whether an empty transaction is still to be made for it.
    fn wants_void(&self) -> bool {
        let last = self.attempts.last().map(|tried| tried.attempt.purpose);
        self.void && !self.is_dead() && last.is_some_and(|purpose| purpose != Purpose::Void)
    }

    /// Adds a signed transaction; all of a payment spend the same.
    pub(super) fn add(&mut self, attempt: Attempt, durable: bool, reserved: &mut Reserved) {
        if self.attempts.is_empty() && !self.given_up {
            reserved.add(&attempt.signed.spends);
        }
        let state = if durable { State::Unsure } else { State::Unrecorded };
        self.attempts.push(Tried { attempt, state, reported: false });
        self.bump = false;
        self.reserve(reserved);
    }

    /// Brings what it reserves up to date: its amount until it is in a block, and the outputs of those transactions of
    /// it that another one replaces.
    fn reserve(&mut self, reserved: &mut Reserved) {
        if self.given_up {
            return;
        }
        let decided = match (&self.found, &self.settled) {
            (Some(found), _) => Some(found.index),
            (None, Some(settled)) => self.position(&settled.tx),
            (None, None) => None,
        };
        let last = self.attempts.len().saturating_sub(1);
        for (index, tried) in self.attempts.iter().enumerate() {
            if decided == Some(index) || (decided.is_none() && index == last && !self.bump) {
                reserved.remove_replaced(&tried.attempt.signed.tx);
            } else {
                reserved.add_replaced(&tried.attempt.signed.tx);
            }
        }
        self.set_flow(decided.is_none(), reserved);
    }

    fn position(&self, tx: &TxHash) -> Option<usize> {
        self.attempts.iter().position(|tried| tried.attempt.signed.tx == *tx)
    }

    /// Asks for a higher fee.
    pub(super) fn ask_for_bump(&mut self, reserved: &mut Reserved) {
        self.bump = true;
        self.reserve(reserved);
    }

    pub(super) fn recorded(&mut self, tx: &TxHash) -> bool {
        let found = self
            .attempts
            .iter_mut()
            .find(|tried| tried.attempt.signed.tx == *tx && tried.state == State::Unrecorded);
        found.map(|tried| tried.state = State::Unsent).is_some()
    }

    /// The inputs of all of its transactions; `None` before the first.
    pub(super) fn spends(&self) -> Option<&Spends> {
        self.attempts.first().map(|tried| &tried.attempt.signed.spends)
    }

    /// Its last transaction.
    pub(super) fn last(&self) -> Option<&Signed> {
        self.attempts.last().map(|tried| &tried.attempt.signed)
    }

    /// The bid of its next transaction.
    pub(super) fn bid(&self) -> u32 {
        u32::try_from(self.attempts.len()).unwrap_or(u32::MAX)
    }

    /// Whether nothing durable is signed for it, and it has not ended.
    pub(super) fn is_unsigned(&self) -> bool {
        let is_open = self.settled.is_none() && !self.given_up;
        is_open && self.attempts.iter().all(|tried| tried.state == State::Unrecorded)
    }

    pub(super) fn has(&self, state: State) -> bool {
        self.attempts.iter().any(|tried| tried.state == state)
    }

    /// Whether its transaction is signed, but the node may not have it yet.
    pub(super) fn is_unsent(&self) -> bool {
        let open = self.settled.is_none() && self.found.is_none() && !self.given_up;
        let unsent = |state| matches!(state, State::Unrecorded | State::Unsent | State::Unsure);
        open && self.attempts.last().is_some_and(|tried| unsent(tried.state))
    }

    /// Whether something is signed for it that may still be sent, and the node may have nothing of it.
    pub(super) fn is_unknown(&self) -> bool {
        let open = self.settled.is_none() && self.found.is_none() && !self.given_up;
        open && !self.has(State::Waiting) && self.attempts.iter().any(|tried| tried.state != State::Dead)
    }

    /// The transaction that a higher fee could replace.
    pub(super) fn bumpable(&self) -> Option<TxHash> {
        let last = self.attempts.last()?;
        let open = self.settled.is_none() && self.found.is_none() && last.attempt.purpose != Purpose::Void;
        let open = open && !self.given_up && !self.void;
        (open && last.may_wait()).then(|| last.attempt.signed.tx.clone())
    }

    /// Its transaction in a block that is not final.
    pub(super) fn in_block(&self) -> Option<InBlock<'_>> {
        let found = self.found.as_ref().filter(|_| self.settled.is_none())?;
        let purpose = self.attempts.get(found.index).map(|tried| tried.attempt.purpose);
        let has_moved = !found.failed && purpose != Some(Purpose::Void);
        Some(InBlock { payment: &self.payment, has_moved, cost: found.cost })
    }

    /// Whether it needs a look while the chain stands still.
    pub(super) fn is_busy(&self) -> bool {
        if self.settled.is_some() || self.found.is_some() {
            return false;
        }
        if self.unanswered {
            return true;
        }
        if self.given_up {
            return false;
        }
        if self.wants_void() {
            return true;
        }
        let chosen = self.chosen().and_then(|index| self.attempts.get(index)).map(|tried| tried.state);
        match chosen {
            None | Some(State::Unsent | State::Unsure) => true,
            Some(State::Waiting) => self.bump,
            Some(State::Refused) => self.wants(false).is_some(),
            Some(State::Unrecorded | State::Dead) => false,
        }
    }

    /// The transaction that it needs next, if any. `moved`: the chain has a new block.
    pub(super) fn wants(&self, moved: bool) -> Option<Purpose> {
        if self.settled.is_some() || self.found.is_some() || self.given_up {
            return None;
        }
        if self.wants_void() {
            return Some(Purpose::Void);
        }
        let Some(last) = self.attempts.last() else { return Some(Purpose::Pay) };
        if last.may_wait() && self.bump {
            return Some(Purpose::Bump);
        }
        // While the node has an earlier one, a refused bump leaves it as it is.
        let refused = last.state == State::Refused && !self.has(State::Waiting);
        let again = last.attempt.purpose == Purpose::Void;
        (refused && (!again || moved)).then_some(Purpose::Void)
    }

    /// The transaction to send: the one on which another payment is built, or that a reorganisation has removed, or
    /// the last durable one.
    fn chosen(&self) -> Option<usize> {
        if self.given_up {
            return None;
        }
        let durable = |tried: &Tried| tried.state != State::Unrecorded;
        let lives = |tried: &Tried| !matches!(tried.state, State::Refused | State::Dead);
        let favourite = self
            .favourite
            .filter(|_| !self.void)
            .filter(|index| self.attempts.get(*index).is_some_and(lives));
        favourite.or_else(|| self.attempts.iter().rposition(durable))
    }

    fn set_flow(&mut self, flows: bool, reserved: &mut Reserved) {
        if let Some(first) = self.attempts.first().filter(|_| self.flows != flows) {
            let amount = if flows { self.payment.amount } else { -self.payment.amount };
            reserved.flow(&first.attempt.signed.spends, &self.payment.currency, amount);
            self.flows = flows;
        }
    }

    /// Frees what it has reserved.
    pub(super) fn release(&mut self, reserved: &mut Reserved) {
        if self.given_up {
            return;
        }
        self.set_flow(false, reserved);
        for tried in &self.attempts {
            reserved.remove_replaced(&tried.attempt.signed.tx);
        }
        if let Some(first) = self.attempts.first() {
            reserved.remove(&first.attempt.signed.spends);
        }
    }

    /// Looks whether the block of its transaction is still part of the chain. `true`: it is settled, so deep that it
    /// can be forgotten.
    pub(super) fn check_block(
        &mut self,
        branch: &Branch,
        reserved: &mut Reserved,
        steps: &mut Vec<Step>,
    ) -> bool {
        if let Some(settled) = &self.settled {
            if branch.is_below(&settled.block) {
                return true;
            }
            if branch.holds(&settled.block) == Some(false) {
                let (tx, block) = (settled.tx.clone(), settled.block.clone());
                self.favourite = self.position(&tx);
                self.settled = None;
                self.found = None;
                self.doubt(reserved);
                steps.push(Step::Unsettled { payment: self.payment.id, tx, block });
            }
        } else if let Some(found) = &self.found
            && branch.holds(&found.block) == Some(false)
        {
            self.favourite = Some(found.index);
            self.found = None;
            self.doubt(reserved);
        }
        false
    }

    /// Nothing is known of its transactions any more.
    fn doubt(&mut self, reserved: &mut Reserved) {
        for tried in &mut self.attempts {
            if tried.state != State::Unrecorded {
                tried.state = State::Unsure;
            }
        }
        self.reserve(reserved);
    }

    /// Looks up what was sent, and sends what the node does not have.
    pub(super) fn look(
        &mut self,
        moved: bool,
        chain: &mut dyn Chain,
        branch: &Branch,
        reserved: &mut Reserved,
        steps: &mut Vec<Step>,
    ) {
        let is_built_on = |tried: &Tried| reserved.builds_on(&tried.attempt.signed.tx);
        self.favourite = self.attempts.iter().position(is_built_on).or(self.favourite);
        let chosen = self.chosen();
        let asks_again = std::mem::take(&mut self.unanswered);
        for index in 0..self.attempts.len() {
            let state = self.attempts.get(index).map(|tried| tried.state);
            let due = match state {
                Some(State::Unsure) => true,
                Some(State::Waiting | State::Refused | State::Dead) => moved || asks_again,
                Some(State::Unrecorded | State::Unsent) | None => false,
            };
            if due {
                self.look_up(index, chain, branch);
            }
        }
        // Only one is sent: the others are replaced by it, or have been given up for it.
        if let Some(index) = chosen.filter(|_| self.found.is_none())
            && let Some(tried) = self.attempts.get(index)
            && matches!(tried.state, State::Unsent | State::Unsure)
        {
            let answer = chain.broadcast(&tried.attempt.signed.bytes);
            self.answered(index, &answer, chain, branch);
        }
        self.report(reserved, steps);
    }

    fn answered(&mut self, index: usize, answer: &Broadcast, chain: &mut dyn Chain, branch: &Branch) {
        self.set(index, State::Unsure);
        match answer {
            Broadcast::Accepted => self.set(index, State::Waiting),
            // Neither says what has become of this payment: the chain does.
            Broadcast::AlreadyKnown | Broadcast::Spent => self.look_up(index, chain, branch),
            Broadcast::Refused { .. } => {
                if self.look_up_with(index, chain, branch) == Some(Lookup::Unknown) {
                    self.set(index, State::Refused);
                }
            }
            Broadcast::NoAnswer => {}
        }
    }

    fn look_up(&mut self, index: usize, chain: &mut dyn Chain, branch: &Branch) {
        self.look_up_with(index, chain, branch);
    }

    /// Takes what the node knows of a transaction; `None` if it did not answer.
    fn look_up_with(&mut self, index: usize, chain: &mut dyn Chain, branch: &Branch) -> Option<Lookup> {
        let signed = &self.attempts.get(index)?.attempt.signed;
        let Ok(found) = chain.lookup(&signed.tx, &signed.spends) else {
            self.unanswered = true;
            return None;
        };
        match &found {
            Lookup::Unknown => {
                let state = self.attempts.get(index).map(|tried| tried.state);
                if state != Some(State::Refused) {
                    self.set(index, State::Unsure);
                }
            }
            Lookup::Waiting => self.set(index, State::Waiting),
            Lookup::Mined { block, failed, cost } => {
                // A newer block than the watcher's is not followed yet; one too old for it is final.
                if branch.confirmations(block) > 0 {
                    self.set(index, State::Waiting);
                    let found = Found { index, block: block.clone(), failed: *failed, cost: *cost };
                    self.found.get_or_insert(found);
                }
            }
            Lookup::Dead { by } => {
                let own = |tried: &Tried| by.as_ref() == Some(&tried.attempt.signed.tx);
                if !self.attempts.iter().any(own) {
                    self.set(index, State::Dead);
                }
                self.dead_by.clone_from(by);
            }
        }
        Some(found)
    }

    /// Reports what the node has, and what no chain will take.
    fn report(&mut self, reserved: &mut Reserved, steps: &mut Vec<Step>) {
        let payment = self.payment.id;
        for tried in &mut self.attempts {
            if tried.state == State::Waiting && !std::mem::replace(&mut tried.reported, true) {
                steps.push(Step::Sent { payment, tx: tried.attempt.signed.tx.clone() });
            }
        }
        self.bump &= self.found.is_none();
        self.reserve(reserved);
    }

    /// Settles it if the transaction in its block is final. The node must still say so.
    pub(super) fn settle(
        &mut self,
        required: u32,
        chain: &mut dyn Chain,
        branch: &Branch,
        reserved: &mut Reserved,
        steps: &mut Vec<Step>,
    ) {
        if self.settled.is_some() {
            return;
        }
        let Some(found) = self.found.clone() else { return };
        if branch.confirmations(&found.block) < required {
            return;
        }
        let Some(attempt) = self.attempts.get(found.index).map(|tried| &tried.attempt) else { return };
        match chain.lookup(&attempt.signed.tx, &attempt.signed.spends) {
            Ok(Lookup::Mined { block, failed, .. }) if block == found.block && failed == found.failed => {
                let outcome = match (attempt.purpose, failed) {
                    (Purpose::Void, _) => Outcome::Voided,
                    (Purpose::Pay | Purpose::Bump, true) => Outcome::Failed,
                    (Purpose::Pay | Purpose::Bump, false) => Outcome::Completed,
                };
                let settled = Settled { outcome, tx: attempt.signed.tx.clone(), block, cost: found.cost };
                self.settled = Some(settled.clone());
                self.favourite = None;
                steps.push(Step::Settled { payment: self.payment.id, settled });
            }
            // The branch says that the block is final: an answer that differs is late, and is asked for again.
            Ok(Lookup::Unknown | Lookup::Waiting | Lookup::Mined { .. } | Lookup::Dead { .. }) => {
                self.found = None;
                self.doubt(reserved);
            }
            Err(_) => {}
        }
    }

    fn set(&mut self, index: usize, state: State) {
        if let Some(tried) = self.attempts.get_mut(index) {
            tried.state = state;
        }
    }
}
