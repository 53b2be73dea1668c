//! Tasks that are done in bounded steps between other commands: cancelling orders once trading has ended, and paying positions.

use crate::position::share;
use crate::{Infrequent, Predictions, Refund, Reject, Status, liquidity, rewards};
use alloc::vec::Vec;
use buttonwood_ledger::{About, Bucket, Cause, Ledger, Posting, ROUNDING};
use buttonwood_model::{
    AccountId, AssetId, BytesRef, CancelReason, Claim, Day, EventId, Outbox, SymbolId, SymbolStatus, Time,
};
use buttonwood_num::{Money, Round};
use buttonwood_room::{Context, ContextMut};
use buttonwood_trading as trading;
use buttonwood_trading::cancel;
use serde::{Deserialize, Serialize};

/// The most positions that one step pays. A turn of the writer takes several steps, and orders wait for their rows of the history.
pub const STEP_MAX: usize = 50;
/// The most orders that one step cancels. A turn of the writer takes several steps here too.
const CANCELS_MAX: usize = 100;

/// Something that is done in bounded steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Work {
    /// Cancel the live orders of a contract.
    Close(SymbolId),
    /// Pay the claims on a contract by its outcome.
    Pay(SymbolId),
    /// Pay the claims on a void contract back.
    Refund(SymbolId, Refund),
    /// The contracts of an event are paid.
    Settle(EventId),
    /// Pay the rebates of the run of this time.
    Rebates(Time),
    /// Pay the rewards for liquidity of an Eastern day.
    Liquidity(Day),
}

/// Positions of a contract that were paid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paid {
    /// The contract.
    pub contract: SymbolId,
    /// The claims, by account.
    pub rows: Vec<PaidRow>,
    /// The last account whose position ends with this step, with or without claims; none if no account has one.
    pub until: Option<AccountId>,
    /// Whether it was the last step.
    pub is_last: bool,
}

/// An account's claims on an outcome that were paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaidRow {
    /// The account.
    pub account: AccountId,
    /// The outcome.
    pub claim: Claim,
    /// How many claims.
    pub quantity: Money,
    /// The dollars that were paid for them; zero for a lost position.
    pub payout: Money,
    /// Their cost until then, without fees.
    pub cost: Money,
    /// The account's realised result with the contract by then, without fees.
    pub realised: Money,
}

/// Decides the next step.
///
/// # Errors
/// [`Reject::NotDue`].
pub(crate) fn decide<E: From<BytesRef> + From<trading::Event>>(
    context: &Context<'_, Predictions>,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let work = *context.room.work.front().ok_or(Reject::NotDue)?;
    match work {
        Work::Close(contract) => close(context, contract, out),
        Work::Pay(contract) => out.push_named(&Infrequent::Paid(pay(context, contract, None))),
        Work::Refund(contract, refund) => {
            out.push_named(&Infrequent::Paid(pay(context, contract, Some(refund))));
        }
        Work::Settle(event) => settle(context, event, out),
        Work::Rebates(run) => out.push_named(&Infrequent::Rebated(rewards::pay(context, run))),
        Work::Liquidity(day) => out.push_named(&Infrequent::Rewarded(liquidity::pay(context, day))),
    }
    Ok(())
}

fn close<E: From<BytesRef> + From<trading::Event>>(
    context: &Context<'_, Predictions>,
    contract: SymbolId,
    out: &mut Outbox<E>,
) {
    let has_more =
        cancel::closed_out(context.floor, contract, (CancelReason::MarketClosed, CANCELS_MAX), out);
    if !has_more {
        let closed = trading::Infrequent::SymbolStatusChanged(contract, SymbolStatus::Closed);
        out.push_named(&closed);
    }
    out.push_named(&Infrequent::Cleared(contract, !has_more));
}

pub(crate) fn evolve_clearing(room: &mut Predictions, is_last: bool, time: Time) {
    end_step(room, is_last, time);
}

/// A step was done at a time; the work is done with its last.
pub(crate) fn end_step(room: &mut Predictions, is_last: bool, time: Time) {
    if is_last {
        room.work.pop_front();
    }
    room.work_time = time;
    room.fold_work();
}

/// The next positions of a contract and what their claims are paid: by its outcome, or by the terms of a refund.
fn pay(context: &Context<'_, Predictions>, id: SymbolId, refund: Option<Refund>) -> Paid {
    let (room, ledger) = (context.room, context.ledger);
    let all = (id, AccountId(0))..=(id, AccountId(u32::MAX));
    let mut positions = room.positions.range(all).map(|((_, account), _)| *account);
    let accounts: Vec<AccountId> = positions.by_ref().take(STEP_MAX).collect();
    let is_last = positions.next().is_none();
    let outcome = room.contract(id).and_then(|contract| contract.outcome);
    let refund = match refund {
        Some(Refund::ByCost(None)) => Some(Refund::ByCost(Some(sums(room, ledger, id)))),
        other => other,
    };
    let holdings = accounts.iter().flat_map(|account| room.holdings(ledger, id, *account));
    let rows = holdings.map(|held| PaidRow {
        account: held.account,
        claim: held.claim,
        quantity: held.quantity,
        payout: match refund {
            None if outcome == Some(held.claim) => held.quantity,
            None => Money::ZERO,
            Some(refund) => refunded(refund, held.claim, held.quantity, held.cost),
        },
        cost: held.cost,
        realised: held.realised,
    });
    Paid { contract: id, rows: rows.collect(), until: accounts.last().copied(), is_last }
}

/// The escrow of a contract, and the costs of all positions.
fn sums(room: &Predictions, ledger: &Ledger, id: SymbolId) -> (Money, Money) {
    let costs = room.contract(id).map_or(Money::ZERO, |contract| contract.costs);
    (room.collateral(ledger, id).0, costs)
}

/// The payout of claims on a void contract, rounded down at 10⁻¹⁹ (D-106).
fn refunded(refund: Refund, claim: Claim, quantity: Money, cost: Money) -> Money {
    match (refund, claim) {
        (Refund::ByCost(None), _) => Money::ZERO,
        (Refund::ByCost(Some((escrow, costs))), _) => share(escrow, cost, costs).unwrap_or(Money::ZERO),
        (Refund::Value(value), Claim::Yes) => quantity.times(value, Round::Down).unwrap_or(Money::ZERO),
        (Refund::Value(value), Claim::No) => {
            quantity.times(Money::ONE - value, Round::Down).unwrap_or(Money::ZERO)
        }
    }
}

pub(crate) fn evolve_payment(books: &mut ContextMut<'_, Predictions>, paid: &Paid) {
    let ContextMut { room, ledger, time, .. } = books;
    let id = paid.contract;
    let found = sums(room, ledger, id);
    let mut cause = Cause::Payout;
    if let Some(Work::Refund(_, refund)) = room.work.front_mut() {
        cause = Cause::Refund;
        if *refund == Refund::ByCost(None) {
            *refund = Refund::ByCost(Some(found));
        }
    }
    for row in &paid.rows {
        post(ledger, id, row, cause);
        room.add_costs(id, -row.cost);
    }
    if let Some(until) = paid.until {
        room.forget_positions(id, until);
    }
    if paid.is_last {
        settle_remainder(ledger, id);
    }
    end_step(room, paid.is_last, *time);
}

/// Pays claims out of the escrow, which takes them back.
fn post(ledger: &mut Ledger, contract: SymbolId, row: &PaidRow, cause: Cause) {
    let Some(dollar) = ledger.dollar() else { return };
    let (escrow, claim) = (AccountId::escrow(contract), AssetId::claim(contract, row.claim));
    let line = |account, asset, amount| Posting { account, asset, bucket: Bucket::Available, amount };
    let entry = [
        line(row.account, claim, -row.quantity),
        line(escrow, claim, row.quantity),
        line(row.account, dollar.into(), row.payout),
        line(escrow, dollar.into(), -row.payout),
    ];
    ledger.post(cause.about(About::Contract(contract)), &entry);
}

/// The residue of a refund's roundings goes to the house's account for such residues.
fn settle_remainder(ledger: &mut Ledger, contract: SymbolId) {
    let Some((dollar, rounding)) = ledger.dollar().zip(ledger.house(ROUNDING.name)) else { return };
    let escrow = AccountId::escrow(contract);
    let left = ledger.balance(escrow, dollar).available;
    if left > Money::ZERO {
        let line =
            |account, amount| Posting { account, asset: dollar.into(), bucket: Bucket::Available, amount };
        ledger.post(
            Cause::Refund.about(About::Contract(contract)),
            &[line(escrow, -left), line(rounding, left)],
        );
    }
}

/// An event is settled, and decides combos with a leg on it.
fn settle<E: From<BytesRef>>(context: &Context<'_, Predictions>, id: EventId, out: &mut Outbox<E>) {
    let room = context.room;
    out.push_named(&Infrequent::Settled(id));
    for combo in room.combos_on(id) {
        let Some(event) = room.event(*combo).filter(|event| !event.is_decided() && !event.awaits_void) else {
            continue;
        };
        let outcome = |leg: &crate::Leg| {
            let contract = room.contract(leg.contract)?;
            if contract.event == id { contract.outcome } else { room.leg_outcome(leg) }
        };
        let fails = |leg: &crate::Leg| outcome(leg).is_some_and(|outcome| outcome != leg.required);
        if event.legs.iter().any(fails) {
            out.push_named(&Infrequent::Decided(*combo, Claim::No));
        } else if event.legs.iter().all(|leg| outcome(leg).is_some()) {
            out.push_named(&Infrequent::Decided(*combo, Claim::Yes));
        }
    }
}

pub(crate) fn evolve_settled(room: &mut Predictions, id: EventId, time: Time) {
    if let Some(event) = room.events.get_mut(id.index()) {
        event.status = Status::Settled;
        event.resolved = Some(time);
    }
    room.ended.push(id);
    end_step(room, true, time);
    room.fold_event(id);
}
