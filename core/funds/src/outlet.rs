//! The needs of withdrawals and deposits from the tables of networks, of approved addresses and of deposit addresses.

use crate::Funds;
use buttonwood_model::{AccountId, CurrencyId};
use buttonwood_num::{MONEY_DECIMALS, Money};
use buttonwood_room::Context;

/// How an asset leaves and arrives on a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outlet {
    /// The fee of a withdrawal that is not free, in the asset.
    pub fee: Money,
    /// The least amount that is withdrawn.
    pub minimum: Money,
    /// The decimals of the asset on the network.
    pub decimals: u8,
    /// Confirmations that make a payment final; the block that holds it is the first.
    pub confirmations: u32,
}

impl Outlet {
    /// Whether the network can carry the amount exactly.
    pub fn fits(&self, amount: Money) -> bool {
        let rest = u32::from(MONEY_DECIMALS.saturating_sub(self.decimals));
        amount.units() % 10_i128.pow(rest) == 0
    }

    /// The part of an amount that the network can carry.
    pub(crate) fn cut(&self, amount: Money) -> Money {
        amount.cut_to(self.decimals)
    }
}

/// Whether an address may be paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approval<'a> {
    /// The account never asked for the approval of any address (D-70).
    NoList,
    /// The address is not listed, or not active yet.
    Inactive,
    /// It is active, with another memo than the one that was sent (D-172).
    OtherMemo,
    /// It is active, and is paid with this memo; empty without one.
    Active(&'a str),
}

impl Funds {
    /// Whether withdrawals of the currency are halted, by an operator or because assets do not cover what customers have.
    pub(crate) fn stops_withdrawal(&self, currency: CurrencyId) -> bool {
        self.halts.stops_withdrawal(currency) || self.reserves.stops_withdrawal(currency)
    }

    /// How a currency leaves and arrives on a network; none where it does not.
    pub fn outlet(&self, network: &str, currency: CurrencyId) -> Option<Outlet> {
        let asset = self.networks().asset(network, currency)?;
        let (_, network) = self.networks().find(network)?;
        let confirmations = network.confirmations;
        Some(Outlet { fee: asset.fee, minimum: asset.minimum, decimals: asset.decimals, confirmations })
    }
}

/// Whether an account may pay an address, in canonical spelling, and with which memo (XFER-016, D-172): the one that is sent, which
/// either entry may have, or else that of the account's entry before the group's.
pub(crate) fn may_pay<'a>(
    context: &Context<'a, Funds>,
    account: AccountId,
    network: &str,
    canonical: &str,
    memo: &str,
) -> Approval<'a> {
    let Some(group) = context.account(account).and_then(|account| account.group) else {
        return Approval::NoList;
    };
    if !context.room.has_list(account, group) {
        return Approval::NoList;
    }
    let memos = || context.room.approved_memos(account, group, network, canonical);
    match memos().find(|approved| memo.is_empty() || *approved == memo) {
        Some(approved) => Approval::Active(approved),
        None if memos().next().is_some() => Approval::OtherMemo,
        None => Approval::Inactive,
    }
}

/// The account that a payment belongs to, by its address in canonical spelling and, where accounts share an address, its memo
/// (D-72). A network without addresses of its own uses those of its parent (D-63).
pub(crate) fn deposit_owner(
    context: &Context<'_, Funds>,
    network: &str,
    canonical: &str,
    memo: &str,
) -> Option<AccountId> {
    let (id, network) = context.room.networks().serving(network)?;
    let memo = if network.memo { memo } else { "" };
    let account = context.room.addresses().find(id, canonical, memo)?.account;
    (!context.access.is_closed(account)).then_some(account)
}
