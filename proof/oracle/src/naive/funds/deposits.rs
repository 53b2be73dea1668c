//! Deposits from the chains (XFER-010, INV-DEP-1): a payment is known by network, transaction and output, and credited once.

use super::{Naive, Path, Row};
use crate::worlds::NETS;
use buttonwood_engine::funds::deposit::{Command, Reject, Seen, State};
use buttonwood_engine::funds::{ChainBlock, OutputKey};
use buttonwood_engine::{Made, TransferKind, TransferStatus};
use buttonwood_model::{AccountId, CurrencyId};

/// A payment that arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Arrival {
    pub(crate) key: OutputKey,
    pub(crate) row: u64,
    pub(crate) state: State,
    /// The block that it was seen in last, if it was not removed.
    pub(crate) block: Option<ChainBlock>,
}

impl Naive {
    pub(super) fn arrive(&mut self, command: &Command) -> Result<Made, Reject> {
        match command {
            Command::Seen(seen) => self.see(seen)?,
            Command::Confirmed(key, block, confirmations) => self.confirm(key, block, *confirmations)?,
            Command::Reorganised(key, block) => {
                let at = self.arrival(key)?;
                if self.funds.arrivals[at].block.as_ref() == Some(block) {
                    self.funds.arrivals[at].block = None;
                    self.count_confirmations(at, 0);
                    if self.funds.arrivals[at].state == State::Credited {
                        let currency = self.row_of(at).currency;
                        self.funds.halted.insert(currency);
                    }
                }
            }
            Command::Lost(key) => {
                let at = self.arrival(key)?;
                if self.funds.arrivals[at].state == State::Waiting {
                    self.mark(at, State::Lost, TransferStatus::Voided);
                    // Whatever it was in is gone, so nothing of it counts if it comes back.
                    self.funds.arrivals[at].block = None;
                    self.count_confirmations(at, 0);
                }
            }
            Command::Assign(key, account) => self.assign(key, *account)?,
            other @ Command::Followed(..) => panic!("not dealt: {other:?}"),
        }
        Ok(Made::Nothing)
    }

    fn arrival(&self, key: &OutputKey) -> Result<usize, Reject> {
        self.funds.arrivals.iter().position(|arrival| arrival.key == *key).ok_or(Reject::Unknown)
    }

    fn row_of(&self, arrival: usize) -> &Row {
        self.row(self.funds.arrivals[arrival].row).unwrap()
    }

    fn mark(&mut self, at: usize, state: State, status: TransferStatus) {
        self.funds.arrivals[at].state = state;
        let row = self.funds.arrivals[at].row;
        self.row_mut(row).status = status;
    }

    fn count_confirmations(&mut self, at: usize, count: u32) {
        let row = self.funds.arrivals[at].row;
        if let Path::Chain { confirmations, .. } = &mut self.row_mut(row).path {
            *confirmations = count;
        }
    }

    fn counted(&self, at: usize) -> u32 {
        match self.row_of(at).path {
            Path::Chain { confirmations, .. } => confirmations,
            _ => panic!("a deposit is on a chain"),
        }
    }

    fn see(&mut self, seen: &Seen) -> Result<(), Reject> {
        if let Ok(at) = self.arrival(&seen.key) {
            self.revive(at);
            return Ok(());
        }
        let amount = seen.amount.units();
        if self.coin(&seen.key.network, seen.currency).is_none() || amount <= 0 {
            return Err(Reject::Unacceptable);
        }
        let payee = self.payee(&seen.key.network, &seen.origin.canonical, &seen.origin.memo);
        let path = Path::Chain {
            network: seen.key.network.clone(),
            canonical: seen.origin.canonical.clone(),
            memo: seen.origin.memo.clone(),
            tx: seen.key.tx.clone(),
            confirmations: 0,
        };
        let account = payee.unwrap_or(self.funds.unclaimed);
        let row = self.add_row(Row::new(account, TransferKind::Deposit, seen.currency, amount, path));
        let (key, state) = (seen.key.clone(), State::Waiting);
        self.funds.arrivals.push(Arrival { key, row, state, block: None });
        Ok(())
    }

    /// A lost payment comes after all: to the house, if its owner was closed since.
    fn revive(&mut self, at: usize) {
        if self.funds.arrivals[at].state != State::Lost {
            return;
        }
        self.mark(at, State::Waiting, TransferStatus::Pending);
        let row = self.row_of(at).clone();
        if self.names[row.account.index()].is_closed {
            self.mark(at, State::Waiting, TransferStatus::Voided);
            let account = self.funds.unclaimed;
            self.funds.arrivals[at].row = self.add_row(Row { account, ..row });
        }
    }

    fn confirm(&mut self, key: &OutputKey, block: &ChainBlock, count: u32) -> Result<(), Reject> {
        let at = self.arrival(key)?;
        self.revive(at);
        let is_other = self.funds.arrivals[at].block.as_ref() != Some(block);
        // A late report of the same block counts fewer.
        if count > 0 && (is_other || count > self.counted(at)) {
            self.funds.arrivals[at].block = Some(block.clone());
            self.count_confirmations(at, count);
        }
        let currency = self.row_of(at).currency;
        if self.is_final(at) && !self.funds.halted.contains(&currency) {
            self.credit_deposit(at);
        }
        Ok(())
    }

    /// Whether a payment that was not credited has the confirmations of its network.
    fn is_final(&self, at: usize) -> bool {
        let arrival = &self.funds.arrivals[at];
        let net = NETS.iter().find(|net| net.name == arrival.key.network).unwrap();
        arrival.state == State::Waiting && self.counted(at) >= net.confirmations
    }

    fn credit_deposit(&mut self, at: usize) {
        self.mark(at, State::Credited, TransferStatus::Complete);
        let Row { account, currency, amount, .. } = *self.row_of(at);
        self.pay(AccountId(0), account, currency, amount);
    }

    /// Credits what has become final of a currency while it was halted.
    pub(super) fn credit_final(&mut self, currency: CurrencyId) {
        for at in 0..self.funds.arrivals.len() {
            if self.row_of(at).currency == currency && self.is_final(at) {
                self.credit_deposit(at);
            }
        }
    }

    /// Gives a payment that fitted no account to one: a new row, and the money if it has come.
    fn assign(&mut self, key: &OutputKey, account: AccountId) -> Result<(), Reject> {
        let at = self.arrival(key)?;
        let row = self.row_of(at).clone();
        if row.account != self.funds.unclaimed {
            return Err(Reject::Owned);
        }
        let state = self.funds.arrivals[at].state;
        if state == State::Lost {
            return Err(Reject::IsLost);
        }
        if state == State::Credited && self.funds.halted.contains(&row.currency) {
            return Err(Reject::Halted);
        }
        if !self.acts_for(None, account) {
            return Err(Reject::NoAccount);
        }
        if self.names[account.index()].is_closed {
            return Err(Reject::Closed);
        }
        self.mark(at, state, TransferStatus::Voided);
        if state == State::Credited {
            self.pay(row.account, account, row.currency, row.amount);
        }
        self.funds.arrivals[at].row = self.add_row(Row { account, ..row });
        Ok(())
    }
}
