//! The reports of the chains' watchers about a payment, and its credit.

use super::{ChainBlock, Deposit, Event, OutputKey, Reject, State};
use crate::outlet::deposit_owner;
use crate::{Change, Eid, Funds, Kind, NewTransfer, OnChain, Reference, Status, Way};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use buttonwood_ledger::{About, Bucket, Cause, Posting, SOURCE, UNCLAIMED};
use buttonwood_model::{AccountId, CurrencyId};
use buttonwood_num::Money;
use buttonwood_room::{Context, ContextMut};
use serde::{Deserialize, Serialize};

/// Where a payment went, and what it spends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The address that was paid, as it is shown.
    pub address: String,
    /// The address in canonical spelling.
    pub canonical: String,
    /// The memo; empty without one.
    pub memo: String,
    /// The inputs of the transaction, in the encoding of `edge/custody`.
    pub spends: Vec<u8>,
}

/// A payment to an address of the exchange.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Its identity.
    pub key: OutputKey,
    /// Where it went.
    pub origin: Origin,
    /// The currency.
    pub currency: CurrencyId,
    /// How much.
    pub amount: Money,
}

/// Decides the first sight of a payment. One that is known already changes nothing, unless it was lost.
pub(super) fn see(context: &Context<'_, Funds>, seen: &Seen) -> Result<Vec<Event>, Reject> {
    if let Some(known) = context.room.deposits.get(&seen.key) {
        return if known.state == State::Lost { revive(context, &seen.key) } else { Ok(Vec::new()) };
    }
    if context.room.outlet(&seen.key.network, seen.currency).is_none() || seen.amount <= Money::ZERO {
        return Err(Reject::Unacceptable);
    }
    let owner = deposit_owner(context, &seen.key.network, &seen.origin.canonical, &seen.origin.memo);
    let owner = owner.or_else(|| context.ledger.house(UNCLAIMED.name)).ok_or(Reject::NoHouse)?;
    Ok(alloc::vec![Event::Seen(seen.clone(), owner)])
}

/// A lost payment that comes after all. Its owner may have been closed since, and nobody could use the money there: the house keeps it
/// until an operator assigns it.
fn revive(context: &Context<'_, Funds>, key: &OutputKey) -> Result<Vec<Event>, Reject> {
    let (_, row) = find(context, key)?;
    let mut events = alloc::vec![Event::Revived(key.clone())];
    if context.access.is_closed(row.account) {
        let house = context.ledger.house(UNCLAIMED.name).ok_or(Reject::NoHouse)?;
        events.push(Event::Assigned(key.clone(), house));
    }
    Ok(events)
}

fn find<'a>(context: &Context<'a, Funds>, key: &OutputKey) -> Result<(&'a Deposit, &'a NewTransfer), Reject> {
    let deposit = context.room.deposits.get(key).ok_or(Reject::Unknown)?;
    let transfer = context.room.transfer(deposit.eid).ok_or(Reject::Unknown)?;
    Ok((deposit, &transfer.row))
}

/// Decides a confirmation, and the credit that follows from enough of them.
pub(super) fn confirm(
    context: &Context<'_, Funds>,
    key: &OutputKey,
    block: &ChainBlock,
    confirmations: u32,
) -> Result<Vec<Event>, Reject> {
    let (deposit, row) = find(context, key)?;
    let counted = row.chain().map_or(0, |chain| chain.confirmations);
    let mut events = Vec::new();
    if deposit.state == State::Lost {
        events = revive(context, key)?;
    }
    let is_new = deposit.block.as_ref() != Some(block) || counted < confirmations;
    if is_new && confirmations > 0 {
        events.push(Event::Confirmed(key.clone(), block.clone(), confirmations));
    }
    if deposit.state != State::Credited && is_final(context, key, row, confirmations) {
        events.push(Event::Credited(key.clone()));
    }
    Ok(events)
}

/// Whether a payment has the confirmations that its network asks for, and nothing stops its credit.
fn is_final(context: &Context<'_, Funds>, key: &OutputKey, row: &NewTransfer, confirmations: u32) -> bool {
    let required = context.room.outlet(&key.network, row.currency).map(|outlet| outlet.confirmations.max(1));
    required.is_some_and(|required| confirmations >= required)
        && !context.room.halts.stops_credit(row.currency)
        && context.ledger.can_issue(row.currency, row.amount).is_ok()
}

/// The payments of a currency that have their confirmations and were not credited: its halt is being ended.
pub(super) fn final_of(context: &Context<'_, Funds>, currency: CurrencyId) -> Vec<OutputKey> {
    let mut owed = Money::ZERO;
    let mut found = Vec::new();
    for (key, deposit) in context.room.deposits.all_live() {
        let Some(transfer) = context.room.transfer(deposit.eid) else { continue };
        let (row, counted) = (&transfer.row, transfer.row.chain().map_or(0, |chain| chain.confirmations));
        let required = context.room.outlet(&key.network, currency).map(|outlet| outlet.confirmations.max(1));
        let is_due = deposit.state == State::Waiting
            && row.currency == currency
            && required.is_some_and(|required| counted >= required);
        let Some(sum) = owed.checked_add(row.amount).filter(|_| is_due) else { continue };
        if context.ledger.can_issue(currency, sum).is_ok() {
            owed = sum;
            found.push(key.clone());
        }
    }
    found
}

/// Decides the removal of a payment's block. After the credit this halts the asset (INV-DEP-1).
pub(super) fn reorganise(
    context: &Context<'_, Funds>,
    key: &OutputKey,
    block: &ChainBlock,
) -> Result<Option<Event>, Reject> {
    let (deposit, _) = find(context, key)?;
    if deposit.block.as_ref() != Some(block) {
        return Ok(None);
    }
    Ok(Some(match deposit.state {
        State::Credited => Event::Reversed(key.clone()),
        State::Waiting | State::Lost => Event::Reorganised(key.clone()),
    }))
}

/// Decides that a payment cannot confirm any more. A credit that was made stays.
pub(super) fn lose(context: &Context<'_, Funds>, key: &OutputKey) -> Result<Option<Event>, Reject> {
    let (deposit, _) = find(context, key)?;
    Ok((deposit.state == State::Waiting).then(|| Event::Lost(key.clone())))
}

pub(super) fn seen(books: &mut ContextMut<'_, Funds>, seen: Seen, account: AccountId) {
    let Seen { key, origin, currency, amount } = seen;
    let eid = books.room.next_eid();
    let row = NewTransfer {
        account,
        kind: Kind::Deposit,
        status: Status::Pending,
        currency,
        amount,
        fee: Money::ZERO,
        held: Money::ZERO,
        way: Way::Chain(Box::new(OnChain {
            network: key.network.clone(),
            address: origin.address,
            memo: origin.memo,
            tx: key.tx.clone(),
            output: Some(key.index),
            confirmations: 0,
            canonical: origin.canonical,
            wraps: None,
            mishap: None,
        })),
        reference: Reference::None,
        advance: None,
        client_id: String::new(),
    };
    books.room.add(books.time, row);
    if books.ledger.house(UNCLAIMED.name) == Some(account) {
        books.room.deposits.unclaimed.insert(key.clone());
    }
    let deposit = Deposit { eid, state: State::Waiting, block: None, spends: origin.spends };
    books.room.deposits.add(key, deposit);
}

/// Sets how far a payment has come, and the status of its row, which is returned.
pub(super) fn set_status(
    books: &mut ContextMut<'_, Funds>,
    key: &OutputKey,
    state: State,
    status: Status,
) -> Eid {
    let eid = books.room.deposits.set_state(key, state);
    books.room.change(&Change { eid, status, held: Money::ZERO });
    eid
}

fn set_block(
    books: &mut ContextMut<'_, Funds>,
    key: &OutputKey,
    block: Option<ChainBlock>,
    confirmations: u32,
) -> Eid {
    let eid = books.room.deposits.change(key, |deposit| deposit.block = block);
    books.room.change_chain(eid, |chain| chain.confirmations = confirmations);
    eid
}

pub(super) fn confirmed(
    books: &mut ContextMut<'_, Funds>,
    key: &OutputKey,
    block: ChainBlock,
    confirmations: u32,
) {
    set_block(books, key, Some(block), confirmations);
}

pub(super) fn unconfirmed(books: &mut ContextMut<'_, Funds>, key: &OutputKey) {
    set_block(books, key, None, 0);
}

/// Drops a payment. The block that it was in is gone, so its confirmations do not count if it comes back.
pub(super) fn lost(books: &mut ContextMut<'_, Funds>, key: &OutputKey) {
    set_block(books, key, None, 0);
    set_status(books, key, State::Lost, Status::Voided);
}

/// Halts the asset of a payment whose block was removed after the credit. The credit stays.
pub(super) fn reversed(books: &mut ContextMut<'_, Funds>, key: &OutputKey) {
    let eid = set_block(books, key, None, 0);
    let currency = books.room.row(eid).currency;
    books.room.halts.halt_asset(currency);
}

/// Credits a payment: the only place where it becomes money.
pub(super) fn credited(books: &mut ContextMut<'_, Funds>, key: &OutputKey) {
    let eid = set_status(books, key, State::Credited, Status::Complete);
    let row = books.room.row(eid);
    let (account, currency, amount) = (row.account, row.currency, row.amount);
    let source = books.ledger.house(SOURCE.name).expect("the house accounts are open");
    let posting =
        |account, amount| Posting { account, asset: currency.into(), bucket: Bucket::Available, amount };
    let entry = [posting(source, -amount), posting(account, amount)];
    books.ledger.post(Cause::Deposit.about(About::Transfer(eid.0)), &entry);
}
