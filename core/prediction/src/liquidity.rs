//! The payout of rewards for liquidity: a day after their scores, makers share the pools of the events (D-120, facts F§18.7).

use crate::rewards::{cent, give, promo};
use crate::score::{DayScores, Score};
use crate::{Infrequent, Predictions, Reject, Work, eastern};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, BytesRef, Day, EventId, GroupId, Outbox, Time};
use buttonwood_num::{Money, Round};
use buttonwood_room::Context;
use serde::{Deserialize, Serialize};

/// When a day is paid: minutes after the next Eastern midnight.
const PAID_AT: u64 = 17 * 60 + 30;
/// The most rewards for earlier days that one step pays.
const LATE_OF_STEP: usize = 100;
/// A step ends with the group that has the last of so many scores.
const SCORES_OF_STEP: usize = 1_000;

/// A group's part of the pool of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PoolShare {
    /// The event.
    pub event: EventId,
    /// Its part of all points, at 10⁻¹⁹, rounded down.
    pub share: Money,
    /// In how many snapshots it scored.
    pub snapshots: u64,
    /// Its reward, in whole cents.
    pub amount: Money,
}

/// Whether a reward was paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Payment {
    /// It was.
    Paid,
    /// `promo` had too little.
    Pending,
    /// It is less than the smallest reward that is paid.
    Zero,
}

/// The reward of a group for a day, paid to the account that scored most of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiquidityRow {
    /// The account.
    pub account: AccountId,
    /// The Eastern day.
    pub day: Day,
    /// How many snapshots the day had.
    pub total_snapshots: u64,
    /// Its parts of pools.
    pub shares: Vec<PoolShare>,
    /// Their sum.
    pub amount: Money,
    /// Whether it was paid.
    pub payment: Payment,
    /// When it was paid.
    pub paid: Option<Time>,
}

/// When the next day is paid, and the day: the oldest that has scores and, while rewards are pending, any day.
///
/// Pending rewards wait until `promo` can pay the first.
pub(crate) fn next_payout(room: &Predictions, ledger: &Ledger) -> Option<(Time, Day)> {
    let rewards = &room.rewards;
    let unpaid = |day: &&Day| rewards.paid_day.is_none_or(|paid| **day > paid);
    let scored = rewards.days.keys().find(unpaid).copied();
    let first = rewards.pending.first().and_then(|(account, place)| rewards.payouts(*account).get(*place));
    let left = promo(ledger).map_or(Money::ZERO, |(_, left)| left);
    let pending = rewards.pending_day.filter(|_| first.is_some_and(|row| row.amount <= left));
    let day = scored.into_iter().chain(pending).min()?;
    Some((eastern::at(day.plus(1), PAID_AT), day))
}

/// Begins the payout of a day that is due.
///
/// # Errors
/// [`Reject::NotDue`].
pub(crate) fn begin_payout<E: From<BytesRef>>(
    context: &Context<'_, Predictions>,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let due = next_payout(context.room, context.ledger).filter(|(time, _)| *time <= context.time);
    let (_, day) = due.ok_or(Reject::NotDue)?;
    out.push_named(&Infrequent::PayoutBegun(day));
    Ok(())
}

pub(crate) fn evolve_begin(room: &mut Predictions, day: Day, time: Time) {
    let rewards = &mut room.rewards;
    rewards.paid_day = Some(day);
    // The last step sets it again, if some rewards are pending then.
    rewards.pending_day = None;
    let least = rewards.terms.min_payout;
    if let Some(of_day) = rewards.days.get_mut(&day) {
        of_day.least = least;
    }
    room.add_work(Work::Liquidity(day), time);
}

/// Rewards of one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rewarded {
    /// The day.
    pub day: Day,
    /// Rewards for earlier days that are paid now: account, and the place among its payouts.
    pub late: Vec<(AccountId, usize)>,
    /// The rewards of groups for the day.
    pub rows: Vec<LiquidityRow>,
    /// The last group of the step; none if there is none.
    pub until: Option<GroupId>,
    /// Whether it was the last step.
    pub is_last: bool,
}

/// The next step of the payout of a day. Pending rewards of earlier days come first.
pub(crate) fn pay(context: &Context<'_, Predictions>, day: Day) -> Rewarded {
    let rewards = &context.room.rewards;
    let mut left = promo(context.ledger).map_or(Money::ZERO, |(_, left)| left);
    let mut late = Vec::new();
    for (account, place) in rewards.pending.iter().take(LATE_OF_STEP) {
        let Some(row) = rewards.payouts(*account).get(*place).filter(|row| row.amount <= left) else { break };
        left -= row.amount;
        late.push((*account, *place));
    }
    // Earlier days are paid before this one.
    if late.len() == LATE_OF_STEP && rewards.pending.len() > late.len() {
        return Rewarded { day, late, rows: Vec::new(), until: None, is_last: false };
    }
    let mut rows = Vec::new();
    let of_day = rewards.days.get(&day);
    let groups = of_day.map(|of_day| &of_day.groups);
    let (mut until, mut scores) = (None, 0);
    // Rewards are paid in their order: after one that is pending the others wait too.
    let mut must_wait = late.len() != rewards.pending.len();
    for (group, events) in groups.into_iter().flatten() {
        let Some(of_day) = of_day.filter(|_| scores < SCORES_OF_STEP) else { break };
        until = Some(*group);
        scores += events.len();
        let mut row = row_of(day, of_day, events);
        if row.payment == Payment::Paid {
            must_wait |= row.amount > left;
            if must_wait {
                row.payment = Payment::Pending;
            } else {
                left -= row.amount;
                row.paid = Some(context.time);
            }
        }
        rows.push(row);
    }
    let is_last = groups.and_then(BTreeMap::last_key_value).is_none_or(|(last, _)| until == Some(*last));
    Rewarded { day, late, rows, until, is_last }
}

/// The reward of a group for a day, as if there were enough to pay it.
fn row_of(day: Day, of_day: &DayScores, events: &BTreeMap<EventId, Score>) -> LiquidityRow {
    let total = eastern::minutes(day);
    let shares = events.iter().map(|(event, score)| share_of(of_day, *event, score, total));
    let shares: Vec<PoolShare> = shares.collect();
    let amount = shares.iter().fold(Money::ZERO, |sum, share| sum.capped_add(share.amount));
    let is_paid = amount > Money::ZERO && amount >= of_day.least;
    let payment = if is_paid { Payment::Paid } else { Payment::Zero };
    let account = account_of(&shares, events);
    LiquidityRow { account, day, total_snapshots: total, shares, amount, payment, paid: None }
}

/// The share of a group in a pool: nothing where it has too few of the `total` snapshots, and the row says how many it has.
fn share_of(of_day: &DayScores, event: EventId, score: &Score, total: u64) -> PoolShare {
    let of_all = of_day.totals.get(&event).copied().unwrap_or_default();
    let share = if score.qualifies(total) { fraction(score.points, of_all) } else { Money::ZERO };
    let pool = of_day.pools.get(&event).copied().unwrap_or(Money::ZERO);
    let amount = pool.times(share, Round::Down).and_then(|part| part.to_step(cent(), Round::Down));
    PoolShare { event, share, snapshots: score.snapshots, amount: amount.unwrap_or(Money::ZERO) }
}

/// The account that earned most of a reward: in dollars, since the points of events have different units; without dollars by its shares. Of equals
/// the oldest.
fn account_of(shares: &[PoolShare], events: &BTreeMap<EventId, Score>) -> AccountId {
    let mut earned: BTreeMap<AccountId, (Money, Money)> = BTreeMap::new();
    for part in shares {
        let Some(score) = events.get(&part.event) else { continue };
        for (account, points) in &score.accounts {
            let of_group = fraction(*points, score.points);
            let own = |whole: Money| whole.times(of_group, Round::Down).unwrap_or(Money::ZERO);
            let (dollars, pools) = earned.entry(*account).or_default();
            *dollars = dollars.capped_add(own(part.amount));
            *pools = pools.capped_add(own(part.share));
        }
    }
    let most = earned.iter().max_by_key(|(account, earned)| (**earned, core::cmp::Reverse(**account)));
    most.map_or(AccountId(0), |(account, _)| *account)
}

/// part ÷ whole at 10⁻¹⁹, rounded down. Both are scaled down together until they fit.
fn fraction(part: u128, whole: u128) -> Money {
    let bits = 128 - whole.leading_zeros();
    let shift = bits.saturating_sub(126);
    let [part, whole] =
        [part >> shift, whole >> shift].map(|number| i128::try_from(number).unwrap_or(i128::MAX));
    Money::ONE.mul_div(part, whole, Round::Down).unwrap_or(Money::ZERO)
}

pub(crate) fn evolve_pay(room: &mut Predictions, ledger: &mut Ledger, paid: &Rewarded, time: Time) {
    let Some((promo, _)) = promo(ledger) else { return };
    let rewards = &mut room.rewards;
    for (account, place) in &paid.late {
        let row = rewards.payouts.get_mut(account).and_then(|rows| rows.get_mut(*place));
        if let Some(row) = row {
            (row.payment, row.paid) = (Payment::Paid, Some(time));
            give(ledger, promo, *account, row.amount);
        }
    }
    rewards.pending.drain(..paid.late.len().min(rewards.pending.len()));
    for row in &paid.rows {
        let rows = rewards.payouts.entry(row.account).or_default();
        match row.payment {
            Payment::Paid => give(ledger, promo, row.account, row.amount),
            Payment::Pending => rewards.pending.push((row.account, rows.len())),
            Payment::Zero => {}
        }
        rows.push(row.clone());
    }
    if let (Some(until), Some(of_day)) = (paid.until, rewards.days.get_mut(&paid.day)) {
        while let Some(entry) = of_day.groups.first_entry().filter(|entry| *entry.key() <= until) {
            entry.remove();
        }
    }
    if paid.is_last {
        // Its pools stay until the next day is paid: the laws compare rewards with them.
        rewards.days.retain(|day, _| *day >= paid.day);
        rewards.pending_day = Some(paid.day.plus(1));
    }
}
