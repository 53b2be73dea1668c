//! Which credits are advances: those that fit into the open advances of their group (D-181). The others wait.

use super::{Event, Receipt};
use crate::desk::DOLLAR;
use crate::{Desk, Eid, Method, Status, Way};
use buttonwood_leave::Advances;
use buttonwood_model::{AccountId, CurrencyId, GroupId};
use buttonwood_num::Money;

/// Whether a credit can be advanced at once. Only dollars are advanced, since the limit is in dollars.
pub(super) fn fits(desk: &Desk<'_>, receipt: &Receipt) -> bool {
    let group = desk.account(receipt.account).and_then(|account| account.group);
    group.is_some_and(|group| is_dollar(desk, receipt.currency) && desk.advances.fits(group, receipt.amount))
}

fn is_dollar(desk: &Desk<'_>, currency: CurrencyId) -> bool {
    desk.currency(currency).is_some_and(|currency| currency.code == DOLLAR)
}

/// A credit is final: an advance, or one that waited all the time.
pub(super) fn clear(desk: &Desk<'_>, eid: Eid, mut happen: impl FnMut(Event)) {
    let row = desk.funds.transfer(eid).map(|transfer| &transfer.row);
    let can_issue = row.is_some_and(|row| desk.ledger.can_issue(row.currency, row.amount).is_ok());
    if desk.is_queued(eid) && !can_issue {
        // The ledger cannot count it.
        happen(Event::TakenBack(eid, Money::ZERO));
        return;
    }
    happen(Event::Cleared(eid));
    // One that waited is paid now, before the others.
    let issued = row.filter(|_| desk.is_queued(eid)).map_or(Money::ZERO, |row| row.amount);
    let mut advances = desk.advances.clone();
    end(desk, &mut advances, eid);
    start_fitting(desk, advances, (Some(eid), issued), happen);
}

/// An advance goes back to its bank, and leaves a debt of `lent`.
pub(super) fn take_back(desk: &Desk<'_>, eid: Eid, lent: Money, mut happen: impl FnMut(Event)) {
    happen(Event::TakenBack(eid, lent));
    let mut advances = desk.advances.clone();
    if let Some((group, account, _)) = advance(desk, eid).filter(|_| lent > Money::ZERO) {
        let owed = advances.of(group).map_or(Money::ZERO, |open| open.owed_by(account));
        advances.note_debt(group, account, owed.capped_add(lent));
    }
    end(desk, &mut advances, eid);
    start_fitting(desk, advances, (Some(eid), Money::ZERO), happen);
}

/// An account has repaid an amount: what waits for the end of its group's debts is advanced.
pub(crate) fn start_repaid(
    desk: &Desk<'_>,
    (account, currency, amount): (AccountId, CurrencyId, Money),
    happen: impl FnMut(Event),
) {
    let group = desk.account(account).and_then(|account| account.group);
    let open = group.and_then(|group| desk.advances.of(group));
    let Some((group, open)) = group.zip(open).filter(|_| is_dollar(desk, currency)) else { return };
    let left = open.owed_by(account).checked_sub(amount).unwrap_or(Money::ZERO);
    let mut advances = desk.advances.clone();
    advances.note_debt(group, account, left);
    start_fitting(desk, advances, (None, Money::ZERO), happen);
}

/// Sets the limit: what waits and fits now is advanced.
pub(super) fn set_limit(desk: &Desk<'_>, limit: Money, mut happen: impl FnMut(Event)) {
    happen(Event::LimitSet(limit));
    let mut advances = desk.advances.clone();
    advances.set_limit(limit);
    start_fitting(desk, advances, (None, Money::ZERO), happen);
}

/// Takes an advance out.
fn end(desk: &Desk<'_>, advances: &mut Advances, eid: Eid) {
    if let Some((group, account, amount)) = advance(desk, eid) {
        advances.end(group, account, amount);
    }
}

/// Group, account and amount of a dollar advance.
fn advance(desk: &Desk<'_>, eid: Eid) -> Option<(GroupId, AccountId, Money)> {
    let row = &desk.funds.transfer(eid)?.row;
    let group = desk.account(row.account)?.group?;
    (row.status == Status::Advanced && is_dollar(desk, row.currency)).then_some((
        group,
        row.account,
        row.amount,
    ))
}

/// Advances the credits that wait and fit into `advances`, the oldest first, `except` one that ends, for which so much was issued.
fn start_fitting(
    desk: &Desk<'_>,
    mut advances: Advances,
    (except, mut issued): (Option<Eid>, Money),
    mut happen: impl FnMut(Event),
) {
    for eid in desk.funds.banks.awaited().filter(|eid| Some(*eid) != except && desk.is_queued(*eid)) {
        let Some(row) = desk.funds.transfer(eid).map(|transfer| &transfer.row) else { continue };
        let group = desk.account(row.account).and_then(|account| account.group);
        let Some(group) = group.filter(|_| is_dollar(desk, row.currency)) else { continue };
        let sum = issued.capped_add(row.amount);
        if advances.fits(group, row.amount) && desk.ledger.can_issue(row.currency, sum).is_ok() {
            advances.add(group, row.account, row.amount);
            issued = sum;
            happen(Event::Advanced(eid));
        }
    }
}

impl Desk<'_> {
    /// Whether a row is a credit of a bank that waits until it fits, or has cleared.
    pub(super) fn is_queued(&self, eid: Eid) -> bool {
        let row = self.funds.transfer(eid).map(|transfer| &transfer.row);
        row.is_some_and(|row| row.status == Status::Pending && matches!(row.way, Way::Bank(Method::Ach, _)))
    }
}
