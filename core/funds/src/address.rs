//! Deposit addresses: which number and which text belong to which account (ADDR-001 to ADDR-007).
//!
//! The edge derives the address of a number from a sealed seed. This module refuses a number or a text that was issued
//! before, and keeps the account of each.

#[cfg(test)]
mod tests;

use crate::{Funds, Made, NetworkId, Sender};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use buttonwood_model::{
    AccountId, BytesRef, Outbox, Right, Role, Roles, Scope, Scopes, Time, commands, named,
};
use buttonwood_room::{Context, ContextMut};
use serde::{Deserialize, Serialize};

/// A command of this module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Issue an address.
    IssueAddress(Arc<NewAddress>),
}

commands!(Command, "funds", { IssueAddress { 0: address } = "issue_address" 1: client(Self::RIGHT) neither });

impl Command {
    /// The rights that a key needs to issue an address (ADDR-004).
    pub const RIGHT: Right =
        Right { roles: Roles::of(&[Role::FundManager]), scopes: Scopes::of(&[Scope::AddressesCreate]) };
}

/// An address to issue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewAddress {
    /// Whose deposits it takes.
    pub account: AccountId,
    /// The name of the network.
    pub network: String,
    /// The number that the address was derived from, unique on the network.
    pub number: u32,
    /// The text, as shown.
    pub text: String,
    /// The text in canonical spelling, by which addresses compare (D-71).
    pub canonical: String,
    /// The memo, on a network whose accounts share an address; empty elsewhere.
    pub memo: String,
    /// The customer's name for it; empty without one.
    pub label: String,
}

/// An event of this module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// An address was issued.
    AddressIssued(NewAddress),
}

named!(Event, "funds", { AddressIssued { 0: address } = "address_issued" 1 });

/// Why a command of this module is refused. The variants are in the order of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject {
    /// The account is not the caller's.
    Foreign,
    /// The account is closed.
    Closed,
    /// No network has this name, or it uses the addresses of another (D-63).
    NoNetwork,
    /// A memo where the network has none, or none where it needs one.
    BadMemo,
    /// The account has this many addresses, the most that it may have (D-185).
    Full(u32),
    /// The number was issued before: the edge tries the next one.
    UsedNumber,
    /// The address, with its memo, was issued before.
    UsedText,
}

/// An issued address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DepositAddress {
    /// The account whose deposits it takes.
    pub account: AccountId,
    /// The network.
    pub network: NetworkId,
    /// The number that it was derived from.
    pub number: u32,
    /// The text, as shown.
    pub text: String,
    /// The memo; empty where the network has none.
    pub memo: String,
    /// The customer's name for it; empty without one.
    pub label: String,
    /// When it was issued.
    pub time: Time,
}

/// Every issued address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Addresses {
    all: Vec<DepositAddress>,
    /// The places of an account's addresses on a network, oldest first.
    own: BTreeMap<(AccountId, NetworkId), Vec<u32>>,
    /// The place of each address by its canonical text and its memo.
    by_text: BTreeMap<(NetworkId, String, String), u32>,
    numbers: BTreeSet<(NetworkId, u32)>,
}

impl Addresses {
    /// The address that was issued at this place, counted from 0.
    pub fn get(&self, place: u32) -> Option<&DepositAddress> {
        self.all.get(usize::try_from(place).ok()?)
    }

    /// How many were issued.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether none was issued yet.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Every address, in the order of issue.
    pub fn iter(&self) -> impl Iterator<Item = &DepositAddress> {
        self.all.iter()
    }

    /// An account's addresses on a network, oldest first.
    pub fn of(&self, account: AccountId, network: NetworkId) -> impl Iterator<Item = &DepositAddress> {
        let own = self.own.get(&(account, network)).map(Vec::as_slice).unwrap_or_default();
        own.iter().filter_map(|place| self.get(*place))
    }

    /// How many addresses an account has, over all networks.
    fn count(&self, account: AccountId) -> usize {
        let own = self.own.range((account, NetworkId(0))..=(account, NetworkId(u16::MAX)));
        own.map(|(_, places)| places.len()).sum()
    }

    /// The address of this canonical text and memo. On a network without memos the memo of a payment does not count.
    pub fn find(&self, network: NetworkId, canonical: &str, memo: &str) -> Option<&DepositAddress> {
        let place = self.by_text.get(&(network, canonical.into(), memo.into()))?;
        self.get(*place)
    }

    /// The lowest number above all that were issued on a network; numbers start at 1.
    pub fn next_number(&self, network: NetworkId) -> u32 {
        let issued = self.numbers.range((network, 0)..=(network, u32::MAX)).next_back();
        issued.map_or(1, |(_, number)| number.saturating_add(1))
    }
}

/// Decides a command.
pub(crate) fn decide<E: From<BytesRef>>(
    context: &Context<'_, Funds>,
    sender: Sender<'_>,
    command: &Command,
    out: &mut Outbox<E>,
) -> Result<Made, Reject> {
    let Command::IssueAddress(new) = command;
    check(context, sender, new)?;
    out.push_named(&crate::Infrequent::from(Event::AddressIssued(NewAddress::clone(new))));
    Ok(Made::Address(u32::try_from(context.room.addresses().len()).unwrap_or(u32::MAX)))
}

fn check(context: &Context<'_, Funds>, sender: Sender<'_>, new: &NewAddress) -> Result<(), Reject> {
    if !owns(context, sender, new.account) {
        return Err(Reject::Foreign);
    }
    if context.access.is_closed(new.account) {
        return Err(Reject::Closed);
    }
    let (id, network) = context.room.networks().find(&new.network).ok_or(Reject::NoNetwork)?;
    if !network.parent.is_empty() {
        return Err(Reject::NoNetwork);
    }
    if network.memo == new.memo.is_empty() {
        return Err(Reject::BadMemo);
    }
    let addresses = context.room.addresses();
    let most = context.room.limits().deposit_addresses;
    if addresses.count(new.account) >= usize::try_from(most).unwrap_or(usize::MAX) {
        return Err(Reject::Full(most));
    }
    if addresses.numbers.contains(&(id, new.number)) {
        return Err(Reject::UsedNumber);
    }
    if addresses.find(id, &new.canonical, &new.memo).is_some() {
        return Err(Reject::UsedText);
    }
    Ok(())
}

/// Whether the sender's key belongs to the account or its group, or no key sends it.
fn owns(context: &Context<'_, Funds>, sender: Sender<'_>, account: AccountId) -> bool {
    let is_own = match sender {
        Sender::Exchange => true,
        Sender::Key(caller) => {
            let rights = context.access.rights_of(caller.session);
            rights.is_some_and(|(owner, _)| context.access.owns(owner, account))
        }
    };
    is_own && context.account(account).is_some()
}

/// Applies an event.
pub(crate) fn evolve(books: &mut ContextMut<'_, Funds>, event: Event) {
    let Event::AddressIssued(NewAddress { account, network, number, text, canonical, memo, label }) = event;
    let (network, _) = books.room.networks.find(&network).expect("the decision found the network");
    let addresses = &mut books.room.addresses;
    let place = u32::try_from(addresses.all.len()).expect("there are fewer than 2^32 addresses");
    addresses.own.entry((account, network)).or_default().push(place);
    addresses.by_text.insert((network, canonical, memo.clone()), place);
    addresses.numbers.insert((network, number));
    let time = books.time;
    addresses.all.push(DepositAddress { account, network, number, text, memo, label, time });
}
