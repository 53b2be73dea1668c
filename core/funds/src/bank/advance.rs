//! Which credits are advances: those that fit into the open advances of their group (D-181). The others wait, and so do all those of a group
//! that no operator has approved.

use super::{Event, Receipt};
use crate::{Eid, Funds, Method, Status, Way};
use buttonwood_leave::Advances;
use buttonwood_model::{AccountId, CurrencyId, DOLLAR, GroupId};
use buttonwood_num::Money;
use buttonwood_room::Context;

/// Whether a credit can be advanced at once. Only dollars are advanced, since the limit is in dollars.
pub(super) fn fits(context: &Context<'_, Funds>, receipt: &Receipt) -> bool {
    let group = context.account(receipt.account).and_then(|account| account.group);
    group.is_some_and(|group| {
        is_dollar(context, receipt.currency)
            && context.access.is_approved(group)
            && context.advances.fits(group, receipt.amount)
    })
}

fn is_dollar(context: &Context<'_, Funds>, currency: CurrencyId) -> bool {
    context.currency(currency).is_some_and(|currency| currency.code == DOLLAR)
}

/// A credit is final: an advance, or one that waited all the time.
pub(super) fn clear(context: &Context<'_, Funds>, eid: Eid, mut happen: impl FnMut(Event)) {
    let row = context.room.transfer(eid).map(|transfer| &transfer.row);
    let can_issue = row.is_some_and(|row| context.ledger.can_issue(row.currency, row.amount).is_ok());
    if context.room.is_queued(eid) && !can_issue {
        // The ledger cannot count it.
        happen(Event::TakenBack(eid, Money::ZERO));
        return;
    }
    happen(Event::Cleared(eid));
    // One that waited is paid now, before the others.
    let issued = row.filter(|_| context.room.is_queued(eid)).map_or(Money::ZERO, |row| row.amount);
    let mut advances = context.advances.clone();
    end(context, &mut advances, eid);
    start_fitting(context, advances, Start { except: Some(eid), issued, approved: None }, happen);
}

/// An advance goes back to its bank, and leaves a debt of `lent`.
pub(super) fn take_back(context: &Context<'_, Funds>, eid: Eid, lent: Money, mut happen: impl FnMut(Event)) {
    happen(Event::TakenBack(eid, lent));
    let mut advances = context.advances.clone();
    if let Some((group, account, _)) = advance(context, eid).filter(|_| lent > Money::ZERO) {
        let owed = advances.of(group).map_or(Money::ZERO, |open| open.owed_by(account));
        advances.note_debt(group, account, owed.capped_add(lent));
    }
    end(context, &mut advances, eid);
    start_fitting(context, advances, Start { except: Some(eid), ..Start::default() }, happen);
}

/// An account has repaid an amount: what waits for the end of its group's debts is advanced.
pub(crate) fn start_repaid(
    context: &Context<'_, Funds>,
    (account, currency, amount): (AccountId, CurrencyId, Money),
    happen: impl FnMut(Event),
) {
    let group = context.account(account).and_then(|account| account.group);
    let open = group.and_then(|group| context.advances.of(group));
    let Some((group, open)) = group.zip(open).filter(|_| is_dollar(context, currency)) else { return };
    let left = open.owed_by(account).checked_sub(amount).unwrap_or(Money::ZERO);
    let mut advances = context.advances.clone();
    advances.note_debt(group, account, left);
    start_fitting(context, advances, Start::default(), happen);
}

/// Sets the limit: what waits and fits now is advanced.
pub(super) fn set_limit(context: &Context<'_, Funds>, limit: Money, mut happen: impl FnMut(Event)) {
    happen(Event::LimitSet(limit));
    let mut advances = context.advances.clone();
    advances.set_limit(limit);
    start_fitting(context, advances, Start::default(), happen);
}

/// An operator approves a group: what waits of it and fits is advanced.
pub(super) fn start_approved(context: &Context<'_, Funds>, group: GroupId, happen: impl FnMut(Event)) {
    if !context.access.is_approved(group) {
        let start = Start { approved: Some(group), ..Start::default() };
        start_fitting(context, context.advances.clone(), start, happen);
    }
}

/// Takes an advance out.
fn end(context: &Context<'_, Funds>, advances: &mut Advances, eid: Eid) {
    if let Some((group, account, amount)) = advance(context, eid) {
        advances.end(group, account, amount);
    }
}

/// Group, account and amount of a dollar advance.
fn advance(context: &Context<'_, Funds>, eid: Eid) -> Option<(GroupId, AccountId, Money)> {
    let row = &context.room.transfer(eid)?.row;
    let group = context.account(row.account)?.group?;
    (row.status == Status::Advanced && is_dollar(context, row.currency)).then_some((
        group,
        row.account,
        row.amount,
    ))
}

/// The change after which credits that wait may fit.
#[derive(Default)]
struct Start {
    /// A credit that ends.
    except: Option<Eid>,
    /// The amount that was issued for it.
    issued: Money,
    /// The group that is approved.
    approved: Option<GroupId>,
}

/// Advances the credits that wait and fit into `advances`, the oldest first.
fn start_fitting(
    context: &Context<'_, Funds>,
    mut advances: Advances,
    Start { except, mut issued, approved }: Start,
    mut happen: impl FnMut(Event),
) {
    for eid in context.room.banks.awaited().filter(|eid| Some(*eid) != except && context.room.is_queued(*eid))
    {
        let Some(row) = context.room.transfer(eid).map(|transfer| &transfer.row) else { continue };
        let group = context.account(row.account).and_then(|account| account.group);
        let may = |group: &GroupId| context.access.is_approved(*group) || approved == Some(*group);
        let Some(group) = group.filter(|group| may(group) && is_dollar(context, row.currency)) else {
            continue;
        };
        let sum = issued.capped_add(row.amount);
        if advances.fits(group, row.amount) && context.ledger.can_issue(row.currency, sum).is_ok() {
            advances.add(group, row.account, row.amount);
            issued = sum;
            happen(Event::Advanced(eid));
        }
    }
}

impl Funds {
    /// Whether a row is a credit of a bank that waits until it fits, or has cleared.
    pub(super) fn is_queued(&self, eid: Eid) -> bool {
        let row = self.transfer(eid).map(|transfer| &transfer.row);
        row.is_some_and(|row| row.status == Status::Pending && matches!(row.way, Way::Bank(Method::Ach, _)))
    }
}
