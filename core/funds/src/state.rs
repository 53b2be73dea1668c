//! The state of the room.

mod open;

use crate::custody::Custody;
use crate::{
    Addresses, Approvals, Banks, Change, Deposits, Eid, Halts, Kind, Limits, Networks, NewTransfer, OnChain,
    Reference, Reserves, Status, Transfer, Way, Withdrawals,
};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use buttonwood_access::Request;
use buttonwood_ledger::Adjustment;
use buttonwood_model::{AccountId, AssetId, Fingerprint, Time, TradeId};
use buttonwood_num::Money;
use buttonwood_risk::Loans;
use serde::{Deserialize, Serialize};

/// Every transfer, and what the modules of the room keep.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Funds {
    /// Every row; row `n` is at place `n - 1`.
    rows: Vec<Transfer>,
    /// The rows of each account, oldest first.
    own: BTreeMap<AccountId, Vec<Eid>>,
    /// The rows that will change again.
    open: BTreeSet<(AccountId, Eid)>,
    /// Their sums.
    #[serde(skip)]
    sums: open::OpenSums,
    /// The accounts whose rows the last event has added or changed.
    #[serde(skip)]
    changed: BTreeSet<AccountId>,
    /// Networks and the assets on them.
    pub(crate) networks: Networks,
    /// Deposit addresses.
    pub(crate) addresses: Addresses,
    /// Approved addresses.
    pub(crate) approvals: Approvals,
    /// The id that the next order or trade gets.
    next_trade: TradeId,
    /// Moves to and from custody that are under way, and the fees of custody.
    pub(crate) custody: Custody,
    /// Withdrawals on their way, and who has how many free ones.
    pub(crate) withdrawals: Withdrawals,
    /// The arrivals on the chains.
    pub(crate) deposits: Deposits,
    /// The halts by operators or by the exchange itself.
    pub(crate) halts: Halts,
    /// Bank accounts, payments by banks, advances that will clear.
    pub(crate) banks: Banks,
    /// The debts of accounts for returned advances.
    pub(crate) debts: Loans,
    /// Cuts of the state, what wallets hold, and currencies whose assets do not cover what customers have.
    pub(crate) reserves: Reserves,
    /// The most entries that lists may have.
    pub(crate) limits: Limits,
    /// The fingerprint of all rows so far.
    fingerprint: Fingerprint,
}

/// The pending amounts of an account in a currency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pending {
    /// Withdrawals that have not left, with their fees (XFER-019).
    pub withdrawal: Money,
    /// Deposits that have not come.
    pub deposit: Money,
}

impl Funds {
    /// The number that the next row gets.
    pub fn next_eid(&self) -> Eid {
        Eid(u64::try_from(self.rows.len()).unwrap_or(u64::MAX).saturating_add(1))
    }

    /// A row.
    pub fn transfer(&self, eid: Eid) -> Option<&Transfer> {
        self.rows.get(place(eid)?)
    }

    /// The rows of an account, the newest first.
    pub fn transfers_of(&self, account: AccountId) -> impl DoubleEndedIterator<Item = &Transfer> {
        let own = self.own.get(&account).map(Vec::as_slice).unwrap_or_default();
        own.iter().rev().filter_map(|eid| self.transfer(*eid))
    }

    /// The rows of an account from the first one on for which `is_reached` is true, the oldest first. It must then be true of every
    /// later row.
    pub fn transfers_from(
        &self,
        account: AccountId,
        is_reached: impl Fn(&Transfer) -> bool,
    ) -> impl Iterator<Item = &Transfer> {
        let own = self.own.get(&account).map(Vec::as_slice).unwrap_or_default();
        let first = own.partition_point(|eid| self.transfer(*eid).is_some_and(|row| !is_reached(row)));
        own.iter().skip(first).filter_map(|eid| self.transfer(*eid))
    }

    /// The rows of an account that will change again, the oldest first.
    pub fn open_of(&self, account: AccountId) -> impl Iterator<Item = &Transfer> {
        let own = self.open.range((account, Eid(0))..=(account, Eid(u64::MAX)));
        own.filter_map(|(_, eid)| self.transfer(*eid))
    }

    /// The rows of all accounts that will change again, by account.
    pub fn all_open(&self) -> impl Iterator<Item = (AccountId, &Transfer)> {
        self.open.iter().filter_map(|(account, eid)| Some((*account, self.transfer(*eid)?)))
    }

    /// The row of a request that a client id stands for; none if another room took it.
    pub(crate) fn requested(&self, request: Request) -> Option<&Transfer> {
        match request {
            Request::Transfer(eid) => self.transfer(Eid(eid)),
            Request::Clearing(_) | Request::Stake(_) | Request::Unstake(_) => None,
        }
    }

    /// The holds of the account's rows, one by one (INV-LEDGER-5).
    pub fn reserved(&self, account: AccountId) -> impl Iterator<Item = (AssetId, Money)> {
        let held =
            self.open_of(account).map(|transfer| (transfer.row.held_currency().into(), transfer.row.held));
        held.filter(|(_, held)| *held != Money::ZERO)
    }

    /// The part that belongs to the proof of reserves.
    pub fn reserves(&self) -> &Reserves {
        &self.reserves
    }

    /// The most entries that lists may have.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Networks and the assets on them.
    pub fn networks(&self) -> &Networks {
        &self.networks
    }

    /// Deposit addresses.
    pub fn addresses(&self) -> &Addresses {
        &self.addresses
    }

    /// Approved addresses.
    pub fn approvals(&self) -> &Approvals {
        &self.approvals
    }

    /// Adds the row of a credit or a debit of an operator (D-69). The ledger has moved the money.
    pub fn note_adjustment(&mut self, time: Time, adjustment: &Adjustment) {
        let is_debit = adjustment.amount.is_negative();
        self.add(
            time,
            NewTransfer {
                account: adjustment.account,
                kind: if is_debit { Kind::AdminDebit } else { Kind::AdminCredit },
                status: Status::Complete,
                currency: adjustment.currency,
                amount: if is_debit { -adjustment.amount } else { adjustment.amount },
                fee: Money::ZERO,
                held: Money::ZERO,
                way: Way::Operator(adjustment.reference.clone()),
                reference: Reference::None,
                advance: None,
                client_id: String::new(),
            },
        );
    }

    /// Notes that `source` gave out a test credit, or with an amount below zero that it was debited again. The ledger moves the money.
    pub(crate) fn note_test_credit(&mut self, asset: AssetId, amount: Money) {
        if let Some(currency) = asset.currency() {
            self.reserves.note_credit(currency, amount);
        }
    }

    /// Notes what a network has charged for a payment, in the network's own coin.
    pub(crate) fn note_network_cost(&mut self, network: &str, cost: Money) {
        if cost == Money::ZERO {
            return;
        }
        if let Some(coin) = self.networks.native(network) {
            self.reserves.note_cost(coin, cost);
        }
    }

    /// Notes the id that the next order or trade gets, before rows are added.
    pub fn note_next_trade(&mut self, next: TradeId) {
        self.next_trade = next;
    }

    /// Withdrawals on their way, and free withdrawals.
    pub fn withdrawals(&self) -> &Withdrawals {
        &self.withdrawals
    }

    /// The arrivals on the chains.
    pub fn deposits(&self) -> &Deposits {
        &self.deposits
    }

    /// The halted part of the exchange.
    pub fn halts(&self) -> &Halts {
        &self.halts
    }

    /// Adds a row.
    pub(crate) fn add(&mut self, time: Time, row: NewTransfer) {
        let eid = self.next_eid();
        let account = row.account;
        self.changed.insert(account);
        self.own.entry(account).or_default().push(eid);
        if row.status.is_open() {
            self.open.insert((account, eid));
            self.sums.add(&row);
        }
        let transfer = Transfer { eid, time, before_trade: self.next_trade, row };
        self.fingerprint.add(transfer.hash());
        self.rows.push(transfer);
    }

    /// A row.
    ///
    /// # Panics
    /// When there is no such row.
    pub(crate) fn row(&self, eid: Eid) -> &NewTransfer {
        &self.transfer(eid).expect("the decision found the row").row
    }

    /// Changes the way of a row. The sums of open rows read only what the house wraps, which never changes.
    ///
    /// # Panics
    /// When there is no such row.
    pub(crate) fn change_way(&mut self, eid: Eid, change: impl FnOnce(&mut Way)) {
        let rows = &mut self.rows;
        let transfer = place(eid).and_then(|place| rows.get_mut(place));
        let transfer = transfer.expect("the decision found the row");
        change(&mut transfer.row.way);
        self.fingerprint.add(transfer.hash());
    }

    /// Changes the place on a chain of a row that has one.
    ///
    /// # Panics
    /// When there is no such row.
    pub(crate) fn change_chain(&mut self, eid: Eid, change: impl FnOnce(&mut OnChain)) {
        self.change_way(eid, |way| {
            if let Some(chain) = way.chain_mut() {
                change(chain);
            }
        });
    }

    /// The accounts whose rows were added or changed since the last call.
    pub fn take_changed(&mut self) -> BTreeSet<AccountId> {
        core::mem::take(&mut self.changed)
    }

    /// The fingerprints of transfers, payments, arrivals and debts.
    pub(crate) fn fingerprints(&self) -> u64 {
        let transfers = self.fingerprint.part("funds.transfers");
        let payments = self.withdrawals.fingerprint().part("funds.payments");
        let deposits = self.deposits.fingerprint().part("funds.deposits");
        transfers ^ payments ^ deposits ^ self.debts.fingerprint().part("funds.debts")
    }

    /// Changes a row.
    ///
    /// # Panics
    /// When there is no such row.
    pub(crate) fn change(&mut self, change: &Change) -> &NewTransfer {
        let rows = &mut self.rows;
        let transfer = place(change.eid).and_then(|place| rows.get_mut(place));
        let transfer = transfer.expect("the decision found the row");
        let row = &mut transfer.row;
        self.sums.take(row);
        row.status = change.status;
        row.held = change.held;
        self.sums.add(row);
        self.fingerprint.add(transfer.hash());
        let row = &transfer.row;
        self.changed.insert(row.account);
        let key = (row.account, change.eid);
        if change.status.is_open() {
            self.open.insert(key)
        } else {
            self.open.remove(&key)
        };
        row
    }
}

fn place(eid: Eid) -> Option<usize> {
    usize::try_from(eid.0.checked_sub(1)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use buttonwood_model::CurrencyId;

    /// The rows of a credit, which is returned after `planted` has changed it.
    fn after(reference: &str, amount: i128, planted: fn(&mut NewTransfer)) -> u64 {
        let mut funds = Funds::default();
        let (account, currency, amount) = (AccountId(3), CurrencyId(1), Money::from_units(amount));
        let adjustment = Adjustment { account, currency, amount, reference: reference.to_string() };
        funds.note_adjustment(Time(5), &adjustment);
        funds.rows.iter_mut().for_each(|transfer| planted(&mut transfer.row));
        funds.change(&Change { eid: Eid(1), status: Status::Returned, held: Money::ZERO });
        funds.fingerprints()
    }

    /// A replay that adds another row than the live run, or changes another one, has another fingerprint (INV-LEDGER-7).
    #[test]
    fn a_transfer_that_differs_shows() {
        let live = after("wire", 7, |_| {});
        assert_eq!(after("wire", 7, |_| {}), live);
        let others = [
            after("wire", 8, |_| {}),
            after("wired", 7, |_| {}),
            after("wire", 7, |row| row.account = AccountId(4)),
            after("wire", 7, |row| row.kind = Kind::Deposit),
            after("wire", 7, |row| row.currency = CurrencyId(2)),
            after("wire", 7, |row| row.fee = Money::from_units(1)),
            after("wire", 7, |row| row.way = Way::Bank(crate::Method::Wire, None)),
            after("wire", 7, |row| row.reference = Reference::Code("A1".to_string())),
            after("wire", 7, |row| row.advance = Some(Eid(1))),
            after("wire", 7, |row| row.client_id = "mine".to_string()),
        ];
        assert!(!others.contains(&live));
    }
}
