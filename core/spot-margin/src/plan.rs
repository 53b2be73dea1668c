//! Cover: whether the fills of a plan leave the accounts of this room at or above maintenance.
//!
//! Judged are margin orders, and the cash sells of an account that owes. A margin buy that comes in is judged whole by
//! [`crate::affords`], which asks for more, and the exchange's own orders are exempt.

use crate::SpotMargin;
use crate::account::{Account, Change};
use crate::desk::{CASH, DESK, borrows};
use alloc::sync::Arc;
use alloc::vec::Vec;
use buttonwood_index::Latest;
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, Desk, SessionId, Side, Symbol};
use buttonwood_num::{Money, Qty};
use buttonwood_trading::{Cover, Crossing, Live, Terms};

/// The accounts of this room after the fills of a plan.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    sketches: Vec<(AccountId, Account)>,
    /// The loans of the accounts for the fills; repayments take nothing off.
    borrowed: Money,
    /// The careful prices of accounts whose resting orders borrow. Found once, since a reference reads many orders.
    careful: Vec<(AccountId, Arc<Latest>)>,
}

/// A fill that would leave its account below maintenance, or for which `lending` would owe more than money can count.
struct Uncovered;

/// One side of a fill.
struct Party<'a> {
    account: AccountId,
    desk: Desk,
    symbol: &'a Symbol,
    side: Side,
    qty: Qty,
    notional: Money,
    fee: Money,
    is_exempt: bool,
}

impl Party<'_> {
    fn change(&self) -> Option<Change> {
        let base = self.symbol.grid.base(self.qty)?;
        let [base, quote] = match self.side {
            Side::Buy => [base, -self.notional],
            Side::Sell => [-base, self.notional],
        };
        Some(Change { base: (self.symbol.base, base), quote: (self.symbol.quote, quote), fee: self.fee })
    }
}

impl Plan {
    pub(crate) fn of(&self, account: AccountId) -> Option<&Account> {
        self.sketches.iter().find(|(owner, _)| *owner == account).map(|(_, sketch)| sketch)
    }

    /// Finds the careful prices of a resting order that borrows.
    fn price(&mut self, live: Live<'_>, careful: impl FnOnce(AccountId) -> Latest) {
        let account = live.order.account;
        if borrows(live.desk(), live.order.side()) && self.careful(account).is_none() {
            self.careful.push((account, Arc::new(careful(account))));
        }
    }

    fn careful(&self, account: AccountId) -> Option<&Latest> {
        self.careful.iter().find(|(owner, _)| *owner == account).map(|(_, careful)| &**careful)
    }

    /// Whether a resting order may borrow for a fill: careful prices cover what its account owes then.
    fn may_lend(&self, margin: &SpotMargin, party: &Party<'_>, after: &Account) -> bool {
        self.careful(party.account).is_some_and(|careful| {
            careful.price(party.symbol.base).is_some()
                && after.at(careful).sums().is_some_and(|sums| sums.covers(margin.terms()))
        })
    }

    /// Notes a fill of one side; an error if it is not covered.
    fn note(
        &mut self,
        margin: &SpotMargin,
        ledger: &Ledger,
        latest: &Latest,
        party: &Party<'_>,
    ) -> Result<(), Uncovered> {
        let is_judged =
            party.desk == DESK || party.desk == CASH && margin.borrowed(party.account) > Money::ZERO;
        let (true, Some(dollar)) = (is_judged, margin.dollar) else { return Ok(()) };
        let before = self.of(party.account).copied();
        let before = before.unwrap_or_else(|| margin.account(ledger, latest, party.account));
        let change = party.change().ok_or(Uncovered)?;
        let after = before.after(dollar, &change).ok_or(Uncovered)?;
        let is_covered = || after.sums().is_some_and(|sums| sums.covers(margin.terms()));
        if !party.is_exempt && !is_covered() {
            return Err(Uncovered);
        }
        let more = after.cash.owed.checked_sub(before.cash.owed).ok_or(Uncovered)?.max(Money::ZERO);
        let borrowed = self.borrowed.checked_add(more).ok_or(Uncovered)?;
        if more > Money::ZERO && !party.is_exempt && !self.may_lend(margin, party, &after) {
            return Err(Uncovered);
        }
        if more > Money::ZERO && borrowed > ledger.left_to_give(dollar) {
            return Err(Uncovered);
        }
        self.borrowed = borrowed;
        match self.sketches.iter_mut().find(|(owner, _)| *owner == party.account) {
            Some((_, sketch)) => *sketch = after,
            None => self.sketches.push((party.account, after)),
        }
        Ok(())
    }
}

/// Whether both accounts stay at or above maintenance with a fill; notes it if so. A resting order borrows by the `careful` prices of its
/// account (D-262).
#[cold]
#[inline(never)]
pub fn covers(
    margin: &SpotMargin,
    ledger: &Ledger,
    latest: &Latest,
    plan: &mut Plan,
    (maker, qty): (Live<'_>, Qty),
    taker: &Terms<'_>,
    careful: impl FnOnce(AccountId) -> Latest,
) -> Cover {
    let (order, symbol) = (maker.order, taker.symbol);
    let Some(notional) = symbol.grid.notional(order.price, qty) else { return Cover::NotMaker };
    let [made, took] = crate::fees(maker, taker, qty);
    let side = taker.class.side();
    let is_forced = taker.session == SessionId::EXCHANGE;
    let resting = Party {
        account: order.account,
        desk: maker.desk(),
        symbol,
        side: order.side(),
        qty,
        notional,
        fee: made,
        is_exempt: false,
    };
    let incoming = Party {
        account: taker.account,
        desk: taker.class.desk(),
        symbol,
        side,
        qty,
        notional,
        fee: took,
        is_exempt: is_forced || borrows(taker.class.desk(), side),
    };
    plan.price(maker, careful);
    let mut next = plan.clone();
    if next.note(margin, ledger, latest, &resting).is_err() {
        return Cover::NotMaker;
    }
    if next.note(margin, ledger, latest, &incoming).is_err() {
        return Cover::NotTaker;
    }
    *plan = next;
    Cover::Both
}

/// The same for an auction's trade.
///
/// # Errors
/// The side whose account would be left below maintenance.
#[cold]
#[inline(never)]
pub fn covers_crossing(
    margin: &SpotMargin,
    ledger: &Ledger,
    latest: &Latest,
    plan: &mut Plan,
    crossing: &Crossing<'_>,
    careful: impl FnOnce(AccountId) -> Latest,
) -> Result<(), Side> {
    plan.price(crossing.buy, careful);
    let mut next = plan.clone();
    for (live, fee) in [crossing.buy, crossing.sell].into_iter().zip(crossing.fees) {
        let party = Party {
            account: live.order.account,
            desk: live.desk(),
            symbol: live.symbol,
            side: live.order.side(),
            qty: crossing.qty,
            notional: crossing.notional,
            fee,
            is_exempt: false,
        };
        next.note(margin, ledger, latest, &party).map_err(|Uncovered| party.side)?;
    }
    *plan = next;
    Ok(())
}
