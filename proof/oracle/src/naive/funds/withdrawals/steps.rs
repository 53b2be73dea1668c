//! The steps of a withdrawal, which only go forward (INV-WD-2 to 4): signed, sent, and its end.

use super::{Naive, Payment};
use crate::exchange::fees_account;
use crate::naive::funds::{Path, Row};
use buttonwood_engine::funds::withdrawal::{Command, Outcome, Reject, Settled, Settlement};
use buttonwood_engine::funds::{Attempt, Purpose};
use buttonwood_engine::{Caller, Eid, Made, TransferStatus};
use buttonwood_model::AccountId;

impl Naive {
    pub(in crate::naive::funds) fn pay_out(
        &mut self,
        caller: Option<&Caller>,
        command: &Command,
    ) -> Result<Made, Reject> {
        match command {
            Command::Withdraw(order) => {
                let (number, _) = self.withdraw(caller, order)?;
                return Ok(Made::Transfer(Eid(number)));
            }
            Command::Signed(eid, attempt) => self.sign(*eid, attempt)?,
            Command::Sent(eid, tx) => {
                let payment = self.payment(*eid)?;
                attempt(payment, tx)?;
                if !payment.sent.contains(tx) {
                    payment.sent.push(tx.clone());
                }
            }
            Command::Settle(eid, settlement) => return self.settle(*eid, settlement),
            Command::Unsettle(eid, tx) => {
                let end = self.payment(*eid)?.end.as_mut();
                let end = end.filter(|end| end.tx == *tx).ok_or(Reject::OtherTransaction)?;
                // A final payment is not final any more: an operator has to look at the asset.
                if end.block.take().is_some() {
                    let currency = self.row(eid.0).unwrap().currency;
                    self.funds.halted.insert(currency);
                }
            }
            Command::OverrideFee(account, on) => {
                if !self.acts_for(None, *account) {
                    return Err(Reject::Foreign);
                }
                self.funds.overrides.retain(|other| other != account);
                if *on {
                    self.funds.overrides.push(*account);
                }
            }
            Command::Lose(_) | Command::Revive(_) | Command::Remedy(..) => panic!("not dealt: {command:?}"),
        }
        Ok(Made::Nothing)
    }

    fn payment(&mut self, eid: Eid) -> Result<&mut Payment, Reject> {
        self.funds.payments.iter_mut().find(|payment| payment.row == eid.0).ok_or(Reject::Unknown)
    }

    /// Every transaction of a withdrawal spends the same, so that at most one of them happens.
    fn sign(&mut self, eid: Eid, new: &Attempt) -> Result<(), Reject> {
        let status = self.row(eid.0).map(|row| row.status);
        let payment = self.payment(eid)?;
        if let Some(known) = payment.attempts.iter().find(|known| known.tx == new.tx) {
            return if known == new { Ok(()) } else { Err(Reject::OtherTransaction) };
        }
        if status != Some(TransferStatus::Pending) {
            return Err(Reject::Settled);
        }
        match payment.attempts.first() {
            Some(first) if first.spends != new.spends => return Err(Reject::OtherSpends),
            None if new.purpose != Purpose::Pay => return Err(Reject::OtherTransaction),
            Some(_) | None => {}
        }
        payment.attempts.push(new.clone());
        if new.purpose != Purpose::Void {
            self.show_tx(eid, &new.tx);
        }
        Ok(())
    }

    /// The row shows the transaction that pays.
    fn show_tx(&mut self, eid: Eid, hash: &str) {
        if let Path::Chain { tx, .. } = &mut self.row_mut(eid.0).path {
            hash.clone_into(tx);
        }
    }

    fn settle(&mut self, eid: Eid, settlement: &Settlement) -> Result<Made, Reject> {
        let Settlement { outcome, tx, block, cost } = settlement;
        let payment = self.payment(eid)?;
        let is_void = attempt(payment, tx)?.purpose == Purpose::Void;
        if is_void != (*outcome == Outcome::Voided) {
            return Err(Reject::OtherTransaction);
        }
        let before = payment.end.clone();
        let is_other = before.as_ref().is_some_and(|end| end.outcome != *outcome);
        // A released payment may still be paid, and a paid one be released, if the block of the end was removed.
        let is_open = |end: &Settled| end.block.is_none();
        if is_other && !before.as_ref().is_some_and(is_open) {
            return Err(Reject::Settled);
        }
        payment.end = Some(Settled { outcome: *outcome, tx: tx.clone(), block: Some(block.clone()) });
        if *outcome != Outcome::Completed {
            payment.free_in = None;
        }
        if !is_void {
            self.show_tx(eid, tx);
        }
        if before.is_some() && !is_other {
            return Ok(Made::Nothing);
        }
        let Row { account, currency, given, amount, fee, .. } = *self.row(eid.0).unwrap();
        let was_paid = before.as_ref().is_some_and(|end| end.outcome == Outcome::Completed);
        if was_paid {
            // The account has all of it back, as if it had never left.
            let payer = if given == currency { account } else { self.issuer };
            self.pay(fees_account(), account, currency, fee);
            self.pay(AccountId(0), payer, currency, amount);
            if payer != account {
                self.pay(payer, account, given, amount);
            }
        }
        if before.is_none()
            && let Path::Chain { network, .. } = self.row(eid.0).unwrap().path.clone()
        {
            self.charge_network(&network, *cost);
        }
        self.row_mut(eid.0).status = match outcome {
            Outcome::Completed => TransferStatus::Complete,
            Outcome::Failed => TransferStatus::Failed,
            Outcome::Voided => TransferStatus::Voided,
        };
        let is_late = *outcome == Outcome::Completed && before.is_some() && !was_paid;
        if is_late {
            self.lend(account, given, amount + fee);
        }
        if *outcome == Outcome::Completed {
            // Money that is wrapped goes to the issuer, which pays with the other currency.
            let payer = if given == currency { account } else { self.issuer };
            if payer != account {
                self.pay(account, payer, given, amount);
            }
            self.pay(payer, AccountId(0), currency, amount);
            self.pay(account, fees_account(), currency, fee);
        }
        Ok(if is_late { Made::Loan(account) } else { Made::Nothing })
    }
}

/// A signed transaction by its hash.
fn attempt<'a>(payment: &'a Payment, tx: &str) -> Result<&'a Attempt, Reject> {
    payment.attempts.iter().find(|attempt| attempt.tx == tx).ok_or(Reject::OtherTransaction)
}
