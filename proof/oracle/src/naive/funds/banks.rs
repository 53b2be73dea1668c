//! Banks (BANK-001 to BANK-009, D-75): links, wires, ACH credits that are advances for five days, and payments.

use super::{Naive, Path, Row};
use buttonwood_engine::funds::bank::{Command, Payment, Receipt, Reject, Settlement};
use buttonwood_engine::funds::bank::{LINKS_MAX, NewBank};
use buttonwood_engine::{AccountKind, Caller, Eid, Made, TransferKind, TransferMethod, TransferStatus};
use buttonwood_model::{AccountId, CancelReason, CurrencyId, Day, Time};
use buttonwood_num::Money;

/// A link to a bank account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) bank: NewBank,
    pub(crate) is_verified: bool,
}

impl Naive {
    pub(super) fn bank(&mut self, caller: Option<&Caller>, command: &Command) -> Result<Made, Reject> {
        match command {
            Command::Link(bank) => self.link(caller, bank),
            Command::Receive(receipt) => self.receive(caller, receipt),
            Command::Pay(payment) => self.pay_bank(caller, *payment),
            Command::Settle(settlement) => self.settle_bank(*settlement),
            Command::Clear(eid) => {
                let is_due =
                    |row: &Row| (row.is_bank_advance() || row.is_queued()) && clears(row) <= self.now;
                if !self.row(eid.0).is_some_and(is_due) {
                    return Err(Reject::NotDue);
                }
                Ok(Made::Transfer(self.clear(*eid)))
            }
            Command::SetAdvanceLimit(_) => panic!("not dealt"),
        }
    }

    /// The account must be open, a customer's and, where a key calls, the one that it acts on.
    fn check_bank_customer(&self, caller: Option<&Caller>, account: AccountId) -> Result<(), Reject> {
        let acts_on = caller.is_none_or(|caller| caller.account == Some(account));
        if !acts_on || !self.acts_for(caller, account) {
            return Err(Reject::UnknownAccount);
        }
        if self.names[account.index()].is_closed { Err(Reject::Closed) } else { Ok(()) }
    }

    fn link(&mut self, caller: Option<&Caller>, bank: &NewBank) -> Result<Made, Reject> {
        self.check_bank_customer(caller, bank.account)?;
        if let Some(at) = self.funds.links.iter().position(|link| link.bank == *bank) {
            return Ok(Made::Bank(u32::try_from(at).unwrap() + 1));
        }
        if self.funds.links.iter().filter(|link| link.bank.account == bank.account).count() >= LINKS_MAX {
            return Err(Reject::TooManyLinks);
        }
        self.funds.links.push(Link { bank: bank.clone(), is_verified: false });
        Ok(Made::Bank(u32::try_from(self.funds.links.len()).unwrap()))
    }

    fn receive(&mut self, caller: Option<&Caller>, receipt: &Receipt) -> Result<Made, Reject> {
        let (account, currency) = (receipt.account, receipt.currency);
        self.check_bank_customer(caller, account)?;
        if self.funds.codes.len() <= currency.index() || !self.funds.is_fiat(currency) {
            return Err(Reject::UnknownCurrency);
        }
        if matches!(self.names[account.index()].kind, AccountKind::Custody | AccountKind::Derivatives) {
            return Err(Reject::WrongKind);
        }
        let (status, is_wire) = match receipt.method {
            TransferMethod::Wire => (TransferStatus::Complete, true),
            TransferMethod::Ach => (TransferStatus::Advanced, false),
            _ => return Err(Reject::BadMethod),
        };
        if self.funds.halted.contains(&currency) {
            return Err(Reject::Halted);
        }
        let amount = receipt.amount.units();
        if amount <= 0 {
            return Err(Reject::BadAmount);
        }
        // Only a wire shows that the bank account is the customer's.
        for link in self.funds.links.iter_mut().filter(|link| is_wire && link.bank.account == account) {
            link.is_verified |= link.bank.is_at(&receipt.number, &receipt.routing);
        }
        let waits = !is_wire && !self.fits(account, currency, amount);
        let status = if waits { TransferStatus::Pending } else { status };
        if !waits {
            self.pay(AccountId(0), account, currency, amount);
        }
        let row = Row::new(account, TransferKind::Deposit, currency, amount, Path::Bank(receipt.method));
        Ok(Made::Transfer(Eid(self.add_row(Row { status, ..row }))))
    }

    fn pay_bank(&mut self, caller: Option<&Caller>, payment: Payment) -> Result<Made, Reject> {
        let Payment { account, bank, amount } = payment;
        self.check_bank_customer(caller, account)?;
        let at = usize::try_from(bank).unwrap().checked_sub(1);
        let link = at.and_then(|at| self.funds.links.get(at)).filter(|link| link.bank.account == account);
        if !link.ok_or(Reject::UnknownBank)?.is_verified {
            return Err(Reject::Unverified);
        }
        let dollar = self.dollar.ok_or(Reject::UnknownCurrency)?;
        if amount <= Money::ZERO {
            return Err(Reject::BadAmount);
        }
        if self.stops_withdrawal(dollar) {
            return Err(Reject::Halted);
        }
        self.may_leave(account, (dollar, amount.units()), None).map_err(Reject::Short)?;
        let path = Path::Bank(TransferMethod::Sen);
        let row = Row::new(account, TransferKind::Withdrawal, dollar, amount.units(), path);
        Ok(Made::Transfer(Eid(self.add_row(row))))
    }

    /// A bank has done what it was asked for, or sends the money back.
    fn settle_bank(&mut self, Settlement { eid, returned }: Settlement) -> Result<Made, Reject> {
        let row = self.row(eid.0).ok_or(Reject::UnknownRow)?.clone();
        let is_payment = row.path == Path::Bank(TransferMethod::Sen);
        let is_advance = row.path == Path::Bank(TransferMethod::Ach) && row.advance.is_none();
        if !is_payment && !is_advance {
            return Err(Reject::UnknownRow);
        }
        if !row.is_on_its_way() {
            return Err(Reject::SettledBefore);
        }
        if is_advance && !returned {
            self.clear(eid);
        } else if is_advance {
            return Ok(self.return_advance(eid));
        } else if returned {
            self.row_mut(eid.0).status = TransferStatus::Returned;
        } else {
            self.row_mut(eid.0).status = TransferStatus::Complete;
            self.pay(row.account, AccountId(0), row.currency, row.amount);
        }
        Ok(Made::Transfer(eid))
    }

    /// An advance is final: a second row says so.
    fn clear(&mut self, eid: Eid) -> Eid {
        let row = self.row_mut(eid.0);
        let cleared = if row.is_queued() {
            row.status = TransferStatus::Complete;
            let Row { account, currency, amount, .. } = *row;
            self.pay(AccountId(0), account, currency, amount);
            eid
        } else {
            row.status = TransferStatus::Cleared;
            let row = Row { status: TransferStatus::Complete, advance: Some(eid.0), ..row.clone() };
            Eid(self.add_row(row))
        };
        self.after_advance();
        cleared
    }

    /// An advance goes back to its bank. The part that is not available is lent, and the account's orders end, which repays it first.
    fn return_advance(&mut self, eid: Eid) -> Made {
        let Row { account, currency, amount, .. } = *self.row(eid.0).unwrap();
        if self.row(eid.0).unwrap().is_queued() {
            self.row_mut(eid.0).status = TransferStatus::Returned;
            return Made::Transfer(eid);
        }
        let lacks = amount - self.available(account, currency);
        self.row_mut(eid.0).status = TransferStatus::Returned;
        self.pay(account, AccountId(0), currency, amount);
        if lacks > 0 {
            self.lend(account, currency, lacks);
        }
        self.after_advance();
        if lacks > 0 { Made::Loan(account) } else { Made::Transfer(eid) }
    }

    /// The house lends an account what it lacks; the account's orders end, since what they hold repays it first.
    pub(super) fn lend(&mut self, account: AccountId, currency: CurrencyId, amount: i128) {
        self.pay(self.funds.lender, account, currency, amount);
        *self.funds.debts.entry((account, currency)).or_default() += amount;
        for order in self.newest_first().into_iter().filter(|order| order.account == account) {
            self.close(order.id, CancelReason::Requested);
        }
    }

    /// When the next advance clears.
    pub(super) fn next_clearing(&self) -> Option<Time> {
        self.funds.rows.iter().filter(|row| row.is_bank_advance() || row.is_queued()).map(clears).min()
    }

    /// Repays a debt from what is available.
    pub(super) fn repay(&mut self, account: AccountId, currency: CurrencyId) -> bool {
        let owed = self.funds.debts.get(&(account, currency)).copied().unwrap_or(0);
        let amount = owed.min(self.available(account, currency));
        if amount <= 0 {
            return false;
        }
        self.pay(account, self.funds.lender, currency, amount);
        if owed == amount {
            self.funds.debts.remove(&(account, currency));
        } else {
            self.funds.debts.insert((account, currency), owed - amount);
        }
        self.after_advance();
        true
    }

    /// Whether some debt can be repaid at once.
    pub(crate) fn can_repay(&self) -> bool {
        self.funds.debts.keys().any(|(account, currency)| self.available(*account, *currency) > 0)
    }
}

/// When an advance of a bank clears: 5 days after it came.
fn clears(advance: &Row) -> Time {
    advance.time.plus(5 * Day::MICROS)
}
