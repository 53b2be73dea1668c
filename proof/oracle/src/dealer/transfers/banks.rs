//! The acts of banks and the requests to them: links, wires, advances that clear or are taken back, payments.

use super::{Dealer, own};
use buttonwood_engine::funds::bank::{
    BankKind, BankNumbers, Command as Banking, NewBank, Payment, Receipt, Settlement,
};
use buttonwood_engine::funds::debt::Command as Debt;
use buttonwood_engine::{
    Adjustment, Body, Command, Eid, LedgerCommand, State, TransferMethod, TransferStatus,
};
use buttonwood_model::{AccountId, CurrencyId};
use buttonwood_num::Money;
use std::sync::Arc;

impl Dealer {
    /// An account that banks know.
    fn banked(&mut self) -> AccountId {
        if self.dice.once_in(8) { self.some_funder() } else { self.dice.pick(&self.treasury.accounts[..2]) }
    }

    /// A command of a bank or to one.
    pub(super) fn banking(&mut self, state: &State) -> Command {
        let account = self.banked();
        let number = self.dice.below(3).to_string();
        match self.dice.below(18) {
            0..2 => {
                let numbers = BankNumbers::UnitedStates { routing: "021".to_owned() };
                let (kind, name) = (BankKind::Checking, "Bank".to_owned());
                let bank = NewBank { account, number, numbers, kind, name };
                self.by_client(state, account, Banking::Link(Arc::new(bank)).into())
            }
            2..9 => own(Banking::Receive(Arc::new(self.receipt(state, account, number))).into()),
            9..12 => {
                let links = u64::from(state.funds().banks().next_number());
                let bank = u32::try_from(self.dice.below(links + 1)).unwrap();
                let link = state.funds().banks().get(bank).map(|bank| bank.link.account);
                let account = link.filter(|_| !self.dice.once_in(6)).unwrap_or(account);
                let dollar = self.dollar(state);
                let amount = self.some_part(state, account, dollar);
                self.by_client(state, account, Banking::Pay(Payment { account, bank, amount }).into())
            }
            12..15 => own(Banking::Settle(self.settlement(state)).into()),
            15..17 => self.spending(state, account),
            _ if self.dice.once_in(2) => {
                own(Banking::Clear(Eid(self.dice.below(state.funds().next_eid().0 + 1))).into())
            }
            _ => {
                let dollar = self.dollar(state);
                own(Debt::Repay(account, dollar).into())
            }
        }
    }

    /// Takes most dollars of an account, so that it has spent what was advanced to it.
    fn spending(&self, state: &State, account: AccountId) -> Command {
        let currency = self.dollar(state);
        let available = state.ledger().balance(account, currency).available.units();
        let (amount, reference) = (Money::from_units(-available / 10 * 9), String::new());
        let debit = Adjustment { account, currency, amount, reference };
        Command { caller: None, body: Body::Ledger(LedgerCommand::Adjust(Arc::new(debit))) }
    }

    fn dollar(&self, state: &State) -> CurrencyId {
        let code = |id: CurrencyId| state.currency(id).unwrap().code.as_str();
        self.credits.iter().map(|(id, _)| *id).find(|id| code(*id) == "USD").unwrap()
    }

    fn receipt(&mut self, state: &State, account: AccountId, number: String) -> Receipt {
        let dollar = self.dollar(state);
        let most = self.credits.iter().find(|(id, _)| *id == dollar).unwrap().1;
        let units = most / 100 * i128::from(self.dice.below(100) + 1);
        let methods = [TransferMethod::Wire, TransferMethod::Ach, TransferMethod::Ach];
        let mut receipt = Receipt {
            account,
            currency: dollar,
            amount: Money::from_units(units),
            method: self.dice.pick(&methods),
            number,
            routing: "021".to_owned(),
        };
        match self.dice.below(30) {
            0 => receipt.method = TransferMethod::CreditCard,
            1 => receipt.amount = Money::ZERO,
            2 => receipt.currency = self.dice.pick(&self.credits).0,
            3 => receipt.account = AccountId(0),
            4 => receipt.routing = String::new(),
            _ => {}
        }
        receipt
    }

    /// The end of a payment or of an advance, more often a return than banks make; sometimes of another row.
    fn settlement(&mut self, state: &State) -> Settlement {
        let funds = state.funds();
        let accounts = self.treasury.accounts.clone();
        let open: Vec<Eid> = accounts
            .iter()
            .flat_map(|account| funds.open_of(*account))
            .filter(|transfer| {
                funds.is_bank_payment(transfer.eid) || transfer.row.status == TransferStatus::Advanced
            })
            .map(|transfer| transfer.eid)
            .collect();
        let eid = if open.is_empty() || self.dice.once_in(6) {
            Eid(self.dice.below(funds.next_eid().0 + 1))
        } else {
            self.dice.pick(&open)
        };
        Settlement { eid, returned: self.dice.once_in(2) }
    }
}
