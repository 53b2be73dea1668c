//! The requests of a treasury's clients, banks and operators, and the answers that they must get.

use super::Treasury;
use super::books::{Advance, CLEARING, HOLD, Moved, month};
use super::found::{ONE, RECEIVERS};
use crate::check::Finding;
use buttonwood_engine::funds::approval::{Command as ApprovalCommand, Request};
use buttonwood_engine::funds::bank::{Command as BankCommand, Receipt, Settlement};
use buttonwood_engine::funds::deposit::Command as DepositCommand;
use buttonwood_engine::funds::internal::{Command as InternalCommand, Move};
use buttonwood_engine::funds::reserves::{Command as ReservesCommand, changes};
use buttonwood_engine::funds::withdrawal::{Command as WithdrawalCommand, Withdraw};
use buttonwood_engine::funds::{ApprovalScope, EntryRef, OutputKey};
use buttonwood_engine::{Answer, Eid, FundsCommand, Made, Outcome, TransferMethod};
use buttonwood_model::{AccountId, CurrencyId, Time};
use buttonwood_num::Money;
use std::sync::Arc;

/// From midnight to the custody run, and a day, in microseconds.
const RUN: u64 = 20 * 3_600 * Time::SECOND;
const DAY: u64 = 86_400 * Time::SECOND;

/// The place of ether: its payments can be refused, and can fail in their blocks.
const FREQUENT: usize = 1;

/// The row that an answer names; none if it refuses.
fn row(answer: &Answer) -> Option<Eid> {
    if let Ok(Made::Transfer(eid)) = answer.made() { Some(eid) } else { None }
}

/// A withdrawal that is to be requested.
struct Wanted {
    account: AccountId,
    /// The place of what arrives.
    at: usize,
    receiver: usize,
    /// The currency that the account gives.
    given: CurrencyId,
}

/// The terms of a withdrawal at a moment.
#[derive(Debug)]
struct WithdrawalTerms {
    fee: i128,
    uses_free: bool,
    /// The money that may leave the account.
    leaving: i128,
    is_approved: bool,
    is_halted: bool,
}

impl Treasury {
    fn account(&mut self) -> AccountId {
        let [ann, vault, bob] = self.founded.accounts;
        self.dice.pick(&[ann, ann, ann, ann, bob, vault])
    }

    /// Compares assets with liabilities, as the exchange does each minute: a cut may have seen a wallet's report from before a crash.
    pub(super) fn check_reserves(&mut self) -> Result<(), Finding> {
        let state = self.state();
        if changes(state.funds(), state.ledger()).next().is_some() {
            self.ask(&ReservesCommand::Check.into())?;
        }
        Ok(())
    }

    /// A withdrawal: accepted exactly if it must be, at the fee that it must cost.
    pub(super) fn withdraw(&mut self) -> Result<(), Finding> {
        self.quiet()?;
        self.check_reserves()?;
        let ((drawn, _), account, serial) = (self.place(), self.account(), self.next_serial());
        // Mostly one asset, so that its free withdrawals are used up.
        let at = if self.dice.once_in(2) { FREQUENT } else { drawn };
        let place = self.books.place(at).clone();
        let receiver = self.receiver();
        let is_wrapped = place.code == "GUSD" && account != self.founded.accounts[1] && self.dice.once_in(2);
        let given = if is_wrapped { self.founded.dollar } else { place.currency };
        let wanted = Wanted { account, at, receiver, given };
        let before = self.terms(&wanted, self.now);
        let small = place.minimum + i128::from(serial) * place.grain;
        let whole = (before.leaving - before.fee) / place.grain * place.grain;
        let amount = match self.dice.below(20) {
            0 => whole,
            1 => whole + place.grain,
            2 => place.minimum - place.grain,
            _ => small,
        };
        // A payment is found again by its amount.
        if self.books.paid.iter().any(|paid| (paid.place, paid.amount) == (at, amount)) {
            return Ok(());
        }
        let address = place.receiver(receiver);
        let client_id = format!("w{serial}");
        let withdraw = Withdraw {
            account,
            network: place.network.to_owned(),
            currency: place.currency,
            wraps: is_wrapped.then_some(given),
            address: address.clone(),
            canonical: address,
            memo: String::new(),
            amount: Money::from_units(amount),
            client_id: client_id.clone(),
        };
        let answer = self.ask(&WithdrawalCommand::Withdraw(Arc::new(withdraw)).into())?;
        let fits = |terms: &WithdrawalTerms| amount >= place.minimum && amount + terms.fee <= terms.leaving;
        // A crash may lie before the answer: then the clock has moved, and the start has looked at the chains.
        let Some(eid) = row(&answer) else {
            let ends = [before, self.terms(&wanted, self.now)];
            let must = ends.iter().all(|terms| terms.is_approved && !terms.is_halted && fits(terms));
            return if must { Err(format!("refused, though all is right: {answer:?}")) } else { Ok(()) };
        };
        let made =
            self.state().funds().transfer(eid).map(|transfer| (transfer.time, transfer.row.fee.units()));
        let (accepted, charged) = made.ok_or_else(|| format!("{eid:?} is not listed"))?;
        let then = self.terms(&wanted, accepted);
        let ends = [then, before];
        let is_any = |fact: &dyn Fn(&WithdrawalTerms) -> bool| ends.iter().any(fact);
        if !(is_any(&|terms| terms.is_approved) && is_any(&|terms| !terms.is_halted) && is_any(&fits)) {
            return Err(format!("accepted, though it must not be ({ends:?}): {amount}"));
        }
        let Some(terms) = ends.iter().find(|terms| terms.fee == charged) else {
            return Err(format!("{eid:?} costs {charged}, which are no terms of it"));
        };
        let free_in = terms.uses_free.then(|| month(accepted));
        self.tally.withdrawals += 1;
        self.books.accept(eid, account, at, receiver, amount, charged, given, free_in, client_id);
        Ok(())
    }

    /// The terms of a withdrawal by what the books know now, as of this moment.
    fn terms(&self, wanted: &Wanted, now: Time) -> WithdrawalTerms {
        let Wanted { account, at, receiver, given } = *wanted;
        let (state, place) = (self.state(), self.books.place(at));
        let is_wrapped = given != place.currency;
        let (fee, uses_free) =
            if is_wrapped { (0, false) } else { self.books.terms(&state, account, at, now) };
        let asked = self.books.approvals.get(&(account, place.network, receiver));
        let (halts, reserves) = (state.funds().halts(), state.funds().reserves());
        let is_stopped = |currency| halts.stops_withdrawal(currency) || reserves.stops_withdrawal(currency);
        WithdrawalTerms {
            fee,
            uses_free,
            leaving: self.books.may_leave(&state, account, given, now),
            is_approved: asked.is_some_and(|asked| asked.plus(HOLD) <= now),
            // After a crash a payment in a block may be missed until the next look at it: then assets seem too low, and all waits.
            is_halted: is_stopped(place.currency) || is_stopped(given),
        }
    }

    fn receiver(&mut self) -> usize {
        let count = u64::try_from(RECEIVERS).expect("a few");
        usize::try_from(self.dice.below(count)).expect("a few")
    }

    /// An earlier client id again: equal terms give the first row, others are refused.
    pub(super) fn withdraw_again(&mut self) -> Result<(), Finding> {
        if self.books.paid.is_empty() {
            return Ok(());
        }
        let earlier = self.books.paid.clone();
        let paid = self.dice_of(&earlier);
        let place = self.books.place(paid.place).clone();
        let address = place.receiver(paid.receiver);
        let is_same = self.dice.once_in(2);
        let amount = if is_same { paid.amount } else { paid.amount + place.grain };
        let withdraw = Withdraw {
            account: paid.account,
            network: place.network.to_owned(),
            currency: place.currency,
            wraps: (paid.given != place.currency).then_some(paid.given),
            address: address.clone(),
            canonical: address,
            memo: String::new(),
            amount: Money::from_units(amount),
            client_id: paid.client_id.clone(),
        };
        let answer = self.ask(&WithdrawalCommand::Withdraw(Arc::new(withdraw)).into())?;
        if row(&answer) == is_same.then_some(paid.eid) {
            Ok(())
        } else {
            Err(format!("a client id again (equal terms: {is_same}) gives {answer:?}: {paid:?}"))
        }
    }

    /// Requests the approval of a customer's address.
    pub(super) fn approve(&mut self) -> Result<(), Finding> {
        self.quiet()?;
        let ((_, place), account, receiver) = (self.place(), self.account(), self.receiver());
        let key = (account, place.network, receiver);
        if self.books.approvals.contains_key(&key) {
            return Ok(());
        }
        let address = place.receiver(receiver);
        let scope = ApprovalScope::Account(account);
        let entry = EntryRef { scope, network: place.network.to_owned(), canonical: address.clone() };
        let request =
            Request { entry: entry.clone(), text: address, label: "own".into(), memo: String::new() };
        let from = self.now;
        let answer = self.once(&ApprovalCommand::RequestApproval(Arc::new(request)).into())?;
        let asked = self.state().funds().approvals().get(&entry).map(|approved| approved.requested);
        if answer.is_some() && asked.is_none() {
            return Err(format!("{entry:?} was answered by {answer:?} and is not listed"));
        }
        if let Some(asked) = asked {
            self.check_moment("an approval", from, asked)?;
            self.books.approvals.insert(key, asked);
        }
        Ok(())
    }

    /// A row that was entered between `from` and now bears a time between them. A crash moves the clock, and stamps may run a little ahead.
    fn check_moment(&self, what: &str, from: Time, at: Time) -> Result<(), Finding> {
        let is_good = (from..=self.now.plus(Time::SECOND)).contains(&at);
        if is_good { Ok(()) } else { Err(format!("{what} is of {at:?}, not of {from:?} to {:?}", self.now)) }
    }

    /// Time passes until a hold ends, or until a second before that.
    pub(super) fn wait_for_hold(&mut self) -> Result<(), Finding> {
        let ends = self.books.approvals.values().map(|asked| asked.plus(HOLD));
        let next = ends.filter(|end| *end > self.now.plus(Time::SECOND)).min();
        if let Some(end) = next {
            let is_before = self.dice.once_in(2);
            self.now = if is_before { Time(end.0 - Time::SECOND) } else { end };
            for _ in 0..4 {
                self.withdraw()?;
            }
        } else {
            self.now = self.now.plus(self.dice.below(2 * DAY));
        }
        Ok(())
    }

    /// A move between an account and the custody account of its group.
    pub(super) fn move_custody(&mut self) -> Result<(), Finding> {
        self.quiet()?;
        let [ann, vault, _] = self.founded.accounts;
        let ((_, place), serial) = (self.place(), self.next_serial());
        let is_held = self.dice.once_in(2);
        let (source, target) = if is_held { (ann, vault) } else { (vault, ann) };
        let free = self.books.may_leave(&self.state(), source, place.currency, self.now);
        let amount = match self.dice.below(10) {
            0 => free,
            1 => free + 1,
            _ => ONE * i128::from(1 + serial % 7),
        };
        let moved = Move {
            source,
            target,
            currency: place.currency,
            amount: Money::from_units(amount),
            client_id: format!("m{serial}"),
        };
        let answer = self.ask(&InternalCommand::Transfer(Arc::new(moved)).into())?;
        // A crash may lie before the answer, and an advance may have cleared then.
        let may = |free| amount > 0 && amount <= free;
        let since = self.books.may_leave(&self.state(), source, place.currency, self.now);
        let is_made = row(&answer).is_some();
        if is_made != may(free) && is_made != may(since) {
            return Err(format!(
                "a move of {amount} of {free}, then {since}, into custody ({is_held}) gives {answer:?}"
            ));
        }
        if let Some(eid) = row(&answer) {
            let accepted = self.state().funds().transfer(eid).map(|transfer| transfer.time);
            let accepted = accepted.ok_or_else(|| format!("{eid:?} is not listed"))?;
            let today = accepted.0 / DAY * DAY + RUN;
            let run = Time(if today > accepted.0 { today } else { today + DAY });
            let currency = place.currency;
            self.books.moved.push(Moved { eid, source, target, currency, amount, is_held, run });
        }
        Ok(())
    }

    /// An ACH credit: an advance.
    pub(super) fn receive(&mut self) -> Result<(), Finding> {
        self.quiet()?;
        let [account, ..] = self.founded.accounts;
        let amount = ONE * i128::from(self.next_serial());
        let next = self.state().funds().next_eid();
        let receipt = Receipt {
            account,
            currency: self.founded.dollar,
            amount: Money::from_units(amount),
            method: TransferMethod::Ach,
            number: String::new(),
            routing: String::new(),
        };
        let from = self.now;
        let answer = self.once(&BankCommand::Receive(Arc::new(receipt)).into())?;
        let state = self.state();
        let listed = state.funds().transfer(next).filter(|row| row.row.amount.units() == amount);
        if answer.is_some() && listed.is_none() {
            return Err(format!("a bank's money is not listed: {answer:?}"));
        }
        if let Some(at) = listed.map(|row| row.time) {
            self.check_moment("a bank's money", from, at)?;
            self.books.advances.push(Advance { eid: next, account, amount, at, is_returned: false });
        }
        Ok(())
    }

    /// A bank takes an advance back: once, and only until it has cleared.
    pub(super) fn take_back(&mut self) -> Result<(), Finding> {
        self.quiet()?;
        let advances = self.books.advances.clone();
        if advances.is_empty() {
            return Ok(());
        }
        let advance = self.dice_of(&advances);
        let is_open = |now: Time| !advance.is_returned && now < advance.at.plus(CLEARING);
        let was_open = is_open(self.now);
        let settlement = Settlement { eid: advance.eid, returned: true };
        let answer = self.once(&BankCommand::Settle(settlement).into())?;
        let status = self.state().funds().transfer(advance.eid).map(|transfer| transfer.row.status);
        let is_returned = status == Some(buttonwood_engine::TransferStatus::Returned);
        // A crash may lie before the answer, and the advance may have cleared then.
        let ends = [was_open, is_open(self.now)];
        if let Some(answer) = answer
            && !ends.contains(&row(&answer).is_some())
        {
            return Err(format!("an advance (open: {ends:?}) was taken back: {answer:?}: {advance:?}"));
        }
        let noted = self.books.advances.iter_mut().find(|other| other.eid == advance.eid);
        if let Some(noted) = noted.filter(|_| is_returned) {
            noted.is_returned = true;
        }
        Ok(())
    }

    /// An operator gives a payment that fits no account to one; a second time it is refused.
    pub(super) fn assign(&mut self) -> Result<(), Finding> {
        self.quiet()?;
        let state = self.state();
        let keys: Vec<OutputKey> = state.funds().deposits().unclaimed().map(|(key, _)| key.clone()).collect();
        if keys.is_empty() {
            return Ok(());
        }
        let key = self.dice_of(&keys);
        let [ann, _, bob] = self.founded.accounts;
        let account = self.dice.pick(&[ann, bob]);
        let assign: FundsCommand = DepositCommand::Assign(Arc::new(key.clone()), account).into();
        self.once(&assign)?;
        let is_unclaimed = |state: &buttonwood_engine::State| {
            state.funds().deposits().unclaimed().any(|(other, _)| *other == key)
        };
        if is_unclaimed(&self.state()) {
            return Ok(());
        }
        let again = self.ask(&assign)?;
        if matches!(again, Outcome::Rejected(_)) {
            Ok(())
        } else {
            Err(format!("{key:?} was given twice: {again:?}"))
        }
    }
}
