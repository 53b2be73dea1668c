//! The state of the room.

use crate::custody::Custody;
use crate::{
    Addresses, Approvals, Banks, Change, Deposits, Eid, Halts, Kind, Networks, NewTransfer, Reference,
    Reserves, Status, Transfer, Way, Withdrawals,
};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use buttonwood_ledger::{Adjustment, Ledger};
use buttonwood_margin::Loans;
use buttonwood_model::{AccountId, AssetId, CurrencyId, Time, TradeId};
use buttonwood_num::Money;
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
    /// The client ids of each account that were used, for ever, with the row they stand for (D-78).
    client_ids: BTreeMap<(AccountId, String), Eid>,
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
    /// What arrived on the chains.
    pub(crate) deposits: Deposits,
    /// What operators or the exchange itself have halted.
    pub(crate) halts: Halts,
    /// Bank accounts, payments by banks, advances that will clear.
    pub(crate) banks: Banks,
    /// What accounts owe for returned advances.
    pub(crate) debts: Loans,
    /// Cuts of the state, what wallets hold, and currencies whose assets do not cover what customers have.
    pub(crate) reserves: Reserves,
}

/// What is pending of an account in a currency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pending {
    /// Withdrawals that have not left, with their fees (XFER-019).
    pub withdrawal: Money,
    /// Deposits that have not come.
    pub deposit: Money,
}

/// What open rows bind of a balance.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bound {
    /// What they hold of it.
    pub(crate) held: Money,
    /// What was advanced: it can trade, and cannot leave yet.
    pub(crate) advanced: Money,
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

    /// The row that an account's client id stands for.
    pub fn by_client_id(&self, account: AccountId, client_id: &str) -> Option<&Transfer> {
        if client_id.is_empty() {
            return None;
        }
        self.client_ids.get(&(account, client_id.into())).and_then(|eid| self.transfer(*eid))
    }

    /// What the account's rows hold, one by one (INV-LEDGER-5).
    pub fn reserved(&self, account: AccountId) -> impl Iterator<Item = (AssetId, Money)> {
        let held =
            self.open_of(account).map(|transfer| (transfer.row.held_currency().into(), transfer.row.held));
        held.filter(|(_, held)| *held != Money::ZERO)
    }

    /// What belongs to the proof of reserves.
    pub fn reserves(&self) -> &Reserves {
        &self.reserves
    }

    /// What was advanced to the account in a currency: it can trade, and cannot leave yet.
    pub fn advanced(&self, account: AccountId, currency: CurrencyId) -> Money {
        let open = self.open_of(account).map(|transfer| &transfer.row);
        let advanced = open.filter(|row| row.status == Status::Advanced && row.currency == currency);
        advanced.map(|row| row.amount).fold(Money::ZERO, Money::capped_add)
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
    pub fn note_test_credit(&mut self, asset: AssetId, amount: Money) {
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

    /// What arrived on the chains.
    pub fn deposits(&self) -> &Deposits {
        &self.deposits
    }

    /// What is halted.
    pub fn halts(&self) -> &Halts {
        &self.halts
    }

    /// What of the available balance may leave the account: all but advances (BAL-005).
    pub fn free(&self, ledger: &Ledger, account: AccountId, currency: CurrencyId) -> Money {
        let available = ledger.balance(account, currency).available;
        let advanced = self.advanced(account, currency);
        if advanced >= available { Money::ZERO } else { available - advanced }
    }

    /// Whether anything is advanced to the account.
    pub fn has_advances(&self, account: AccountId) -> bool {
        self.open_of(account).any(|transfer| transfer.row.status == Status::Advanced)
    }

    /// What the account's open rows hold, and what they advance, by currency: one walk for all of them.
    pub(crate) fn bound(&self, account: AccountId) -> BTreeMap<CurrencyId, Bound> {
        let mut bound: BTreeMap<CurrencyId, Bound> = BTreeMap::new();
        for row in self.open_of(account).map(|transfer| &transfer.row) {
            let held = &mut bound.entry(row.held_currency()).or_default().held;
            *held = held.capped_add(row.held);
            if row.status == Status::Advanced {
                let advanced = &mut bound.entry(row.currency).or_default().advanced;
                *advanced = advanced.capped_add(row.amount);
            }
        }
        bound
    }

    /// What is pending of the account: withdrawals that have not left and deposits that have not come, by currency (BAL-006).
    pub fn pending(&self, account: AccountId) -> BTreeMap<CurrencyId, Pending> {
        let mut pending: BTreeMap<CurrencyId, Pending> = BTreeMap::new();
        let open = self.open_of(account).map(|transfer| &transfer.row);
        for row in open.filter(|row| row.status == Status::Pending) {
            let of_currency = pending.entry(row.held_currency()).or_default();
            match row.kind {
                // A move out of custody has left the balance already, and holds nothing.
                Kind::Withdrawal | Kind::AdminDebit | Kind::CustodyFee => {
                    of_currency.withdrawal = of_currency.withdrawal.capped_add(row.held);
                }
                Kind::Deposit | Kind::Reward | Kind::AdminCredit => {
                    of_currency.deposit = of_currency.deposit.capped_add(row.amount);
                }
            }
        }
        pending
    }

    /// Adds a row.
    pub(crate) fn add(&mut self, time: Time, row: NewTransfer) {
        let eid = self.next_eid();
        let account = row.account;
        self.own.entry(account).or_default().push(eid);
        if row.status.is_open() {
            self.open.insert((account, eid));
        }
        if !row.client_id.is_empty() {
            self.client_ids.entry((account, row.client_id.clone())).or_insert(eid);
        }
        self.rows.push(Transfer { eid, time, before_trade: self.next_trade, row });
    }

    /// A row that an event changes.
    ///
    /// # Panics
    /// When there is no such row.
    pub(crate) fn row_mut(&mut self, eid: Eid) -> &mut Transfer {
        let rows = &mut self.rows;
        place(eid).and_then(|place| rows.get_mut(place)).expect("the decision found the row")
    }

    /// Changes a row.
    ///
    /// # Panics
    /// When there is no such row.
    pub(crate) fn change(&mut self, change: &Change) -> &mut Transfer {
        let rows = &mut self.rows;
        let transfer = place(change.eid).and_then(|place| rows.get_mut(place));
        let transfer = transfer.expect("the decision found the row");
        transfer.row.status = change.status;
        transfer.row.held = change.held;
        let key = (transfer.row.account, change.eid);
        if change.status.is_open() {
            self.open.insert(key)
        } else {
            self.open.remove(&key)
        };
        transfer
    }
}

fn place(eid: Eid) -> Option<usize> {
    usize::try_from(eid.0.checked_sub(1)?).ok()
}
