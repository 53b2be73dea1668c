//! Deposit addresses (ADDR-001 to ADDR-007): none is issued twice.

use super::Naive;
use crate::worlds::NETS;
use buttonwood_engine::funds::address::{Command, Reject};
use buttonwood_engine::{Caller, Made};
use buttonwood_model::AccountId;

/// An issued address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) account: AccountId,
    pub(crate) network: String,
    pub(crate) number: u32,
    pub(crate) canonical: String,
    /// Empty where the network has none.
    pub(crate) memo: String,
}

impl Naive {
    pub(super) fn issue(&mut self, caller: Option<&Caller>, command: &Command) -> Result<Made, Reject> {
        let Command::IssueAddress(new) = command;
        if !self.acts_for(caller, new.account) {
            return Err(Reject::Foreign);
        }
        if self.names[new.account.index()].is_closed {
            return Err(Reject::Closed);
        }
        let net = NETS.iter().find(|net| net.name == new.network && net.parent.is_empty());
        if net.ok_or(Reject::NoNetwork)?.memo == new.memo.is_empty() {
            return Err(Reject::BadMemo);
        }
        if self.funds.addresses.iter().filter(|other| other.account == new.account).count() >= 1_000 {
            return Err(Reject::Full(1_000));
        }
        let address = Address {
            account: new.account,
            network: new.network.clone(),
            number: new.number,
            canonical: new.canonical.clone(),
            memo: new.memo.clone(),
        };
        let others: Vec<_> =
            self.funds.addresses.iter().filter(|other| other.network == new.network).collect();
        if others.iter().any(|other| other.number == new.number) {
            return Err(Reject::UsedNumber);
        }
        if others.iter().any(|other| (&other.canonical, &other.memo) == (&new.canonical, &new.memo)) {
            return Err(Reject::UsedText);
        }
        self.funds.addresses.push(address);
        Ok(Made::Address(u32::try_from(self.funds.addresses.len() - 1).unwrap()))
    }

    /// The account that a payment to an address is for, unless it is closed. A memo counts only where the network has memos.
    pub(super) fn payee(&self, network: &str, canonical: &str, memo: &str) -> Option<AccountId> {
        let net = NETS.iter().find(|net| net.name == network)?;
        let memo = if net.memo { memo } else { "" };
        let network = if net.parent.is_empty() { net.name } else { net.parent };
        let address = self.funds.addresses.iter().find(|address| {
            (address.network.as_str(), address.canonical.as_str(), address.memo.as_str())
                == (network, canonical, memo)
        });
        address.map(|address| address.account).filter(|account| !self.names[account.index()].is_closed)
    }
}
