//! Scores of liquidity: at each full minute the resting orders near the middle of a contract score, and a day later their makers share the
//! pools of the events (D-120, facts F§18.7).

use crate::rewards::{MINUTE, cent, give, promo};
use crate::{Event, Infrequent, Predictions, Reject, Work, eastern};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use buttonwood_book::Order;
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, BytesRef, Day, EventId, GroupId, Outbox, RowHash, Side, SymbolId, Time};
use buttonwood_num::{HUNDREDTHS_PER_LOT, Money, Price, Qty, Round};
use buttonwood_room::Context;
use serde::{Deserialize, Serialize};

const ROW: RowHash = RowHash::of("score");
/// When a day is paid: minutes after the next Eastern midnight.
const PAID_AT: u64 = 17 * 60 + 30;
/// The smallest order that scores, and that makes the middle, in contracts.
const SIZE_MIN: i128 = 10;
/// How many contracts of a group score on a side of a contract.
const SIZE_MAX: i128 = 250;
/// The largest distance whose square counts, whatever the grid.
const LEFT_MAX: u128 = 1 << 21;
/// How many orders of a side of a contract are looked at, from the best price on.
const ORDERS_MAX: usize = 10_000;
/// The most groups that one step pays.
const GROUPS_OF_STEP: usize = 100;

/// The score of a group with an event on a day.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    /// The sum of its scores.
    pub points: u128,
    /// In how many snapshots it scored.
    pub snapshots: u64,
    /// The points of each of its accounts.
    pub accounts: BTreeMap<AccountId, u128>,
}

/// The scores of a day.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DayScores {
    pub(crate) groups: BTreeMap<GroupId, BTreeMap<EventId, Score>>,
    /// The pools of the events at the last snapshot of the day.
    pub(crate) pools: BTreeMap<EventId, Money>,
    /// The points of all groups that scored in enough snapshots, once the day is being paid.
    pub(crate) totals: BTreeMap<EventId, u128>,
    /// The smallest reward that is paid, once the day is being paid.
    pub(crate) least: Money,
}

impl DayScores {
    /// How many groups scored with an event.
    pub(crate) fn makers_of(&self, event: EventId) -> usize {
        self.groups.values().filter(|events| events.contains_key(&event)).count()
    }
}

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

/// The scores of an event in one snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scored {
    /// The event.
    pub event: EventId,
    /// The full minute.
    pub minute: Time,
    /// Groups, their accounts, and the points of these.
    pub rows: Vec<(GroupId, AccountId, u128)>,
}

/// The next event to be scored, and the minute.
pub(crate) fn next(room: &Predictions) -> Option<(Time, EventId)> {
    let rewards = &room.rewards;
    if !rewards.terms.enabled {
        return None;
    }
    let minute = rewards.scored.plus(MINUTE);
    let after = rewards.scored_event;
    let mut open = open_pools(room);
    let first = open.next()?;
    match [first].into_iter().chain(open).find(|event| after.is_none_or(|after| *event > after)) {
        Some(event) => Some((minute, event)),
        None => Some((minute.plus(MINUTE), first)),
    }
}

/// The events with a pool that take orders.
fn open_pools(room: &Predictions) -> impl Iterator<Item = EventId> {
    let pools = room.rewards.terms.pools.keys().copied();
    pools.filter(|id| room.event(*id).is_some_and(Event::is_open))
}

/// Whether an event with a pool takes orders.
pub(crate) fn has_open_pool(room: &Predictions) -> bool {
    room.rewards.terms.enabled && open_pools(room).next().is_some()
}

/// Scores the event that is due, at the latest full minute: minutes in which the exchange did not run have no snapshot, and none has orders while
/// it is halted.
///
/// # Errors
/// [`Reject::NotDue`].
pub(crate) fn decide<E: From<BytesRef>>(
    context: &Context<'_, Predictions>,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let due = next(context.room).filter(|(minute, _)| *minute <= context.time);
    let (minute, id) = due.ok_or(Reject::NotDue)?;
    let minute = minute.max(Time(context.time.0 - context.time.0 % MINUTE));
    let event = context.room.event(id).ok_or(Reject::UnknownEvent)?;
    let mut points: BTreeMap<(GroupId, AccountId), u128> = BTreeMap::new();
    for contract in event.contracts().filter(|_| !context.is_halted) {
        for (key, scored) in of_contract(context, contract, minute) {
            *points.entry(key).or_default() += scored;
        }
    }
    let rows = points.into_iter().map(|((group, account), points)| (group, account, points)).collect();
    out.push_named(&Infrequent::Scored(Scored { event: id, minute, rows }));
    Ok(())
}

/// The points of one side of a contract, by group and account.
type Points = BTreeMap<(GroupId, AccountId), u128>;

/// The points of a contract. They have no unit: only those of one event are compared.
fn of_contract(context: &Context<'_, Predictions>, contract: SymbolId, minute: Time) -> Points {
    let Some(symbol) = context.floor.symbols.get(contract) else { return Points::new() };
    let Some(one) = symbol.grid.ticks_of_one() else { return Points::new() };
    let lots = |contracts: i128| symbol.grid.qty_holding(Money::from_units(contracts * Money::ONE.units()));
    let (Some(least), Some(most)) = (lots(SIZE_MIN), lots(SIZE_MAX)) else { return Points::new() };
    let best = |side| best_of(context, contract, side, least);
    let Some((bid, ask)) = best(Side::Buy).zip(best(Side::Sell)) else { return Points::new() };
    let near = Near {
        middle: u128::from(bid.ticks()) + u128::from(ask.ticks()),
        reach: u128::from(context.room.rewards.terms.spread_cents) * u128::from(one),
    };
    let [bids, asks] =
        [Side::Buy, Side::Sell].map(|side| of_side(context, (contract, side), (least, most), &near, minute));
    add_sides(&bids, &asks)
}

/// A group that scores on both sides scores half as much again.
fn add_sides(bids: &Points, asks: &Points) -> Points {
    let scores = |points: &Points, group: GroupId| {
        points.range((group, AccountId(0))..=(group, AccountId(u32::MAX))).next().is_some()
    };
    let mut sum = Points::new();
    for points in [bids, asks] {
        for ((group, account), scored) in points {
            let is_both = scores(bids, *group) && scores(asks, *group);
            let weighted = scored.saturating_mul(if is_both { 3 } else { 2 });
            let entry = sum.entry((*group, *account)).or_default();
            *entry = entry.saturating_add(weighted);
        }
    }
    sum
}

/// Twice the middle in ticks, and the maximum distance from it in hundredths of ticks.
struct Near {
    middle: u128,
    reach: u128,
}

impl Near {
    /// How much nearer than the maximum a price is, in two-hundredths of ticks; none beyond it.
    fn within(&self, price: Price) -> Option<u128> {
        let distance = (2 * u128::from(price.ticks())).abs_diff(self.middle) * 100;
        let left = (2 * self.reach).checked_sub(distance).filter(|left| *left > 0)?;
        // On a grid of millions of ticks the points of a day would leave their range.
        Some(left / (2 * self.reach).div_ceil(LEFT_MAX).max(1))
    }
}

/// The best price of the orders of at least this size.
fn best_of(context: &Context<'_, Predictions>, contract: SymbolId, side: Side, least: Qty) -> Option<Price> {
    let orders = context.orders;
    let prices = orders.book(contract).side(side).prices();
    let resting = prices.flat_map(|price| orders.queue(contract, side, price)).take(ORDERS_MAX);
    { resting }.map(|slot| orders.get(slot)).find(|order| order.remaining >= least).map(|order| order.price)
}

fn of_side(
    context: &Context<'_, Predictions>,
    (contract, side): (SymbolId, Side),
    (least, most): (Qty, Qty),
    near: &Near,
    minute: Time,
) -> Points {
    let orders = context.orders;
    let mut points = Points::new();
    let mut counted: BTreeMap<GroupId, u128> = BTreeMap::new();
    let mut looked_at = 0;
    for price in orders.book(contract).side(side).prices() {
        let Some(left) = near.within(price) else { break };
        for slot in orders.queue(contract, side, price) {
            looked_at += 1;
            if looked_at > ORDERS_MAX {
                return points;
            }
            let Order { account, remaining, id, .. } = *orders.get(slot);
            if remaining < least || orders.entry(slot).placed.plus(MINUTE) > minute {
                continue;
            }
            // An order that waited for its stop price has not rested since it was placed.
            let has_stop = context.floor.stops.price(id).is_some();
            let group = context.account(account).and_then(|account| account.group);
            let Some(group) = group.filter(|_| !has_stop) else { continue };
            let used = counted.entry(group).or_default();
            let scoring = remaining.hundredths().min(most.hundredths().saturating_sub(*used));
            *used += scoring;
            let scored = (left * left).saturating_mul(scoring / HUNDREDTHS_PER_LOT);
            if scored > 0 {
                let entry = points.entry((group, account)).or_default();
                *entry = entry.saturating_add(scored);
            }
        }
    }
    points
}

pub(crate) fn evolve(room: &mut Predictions, scored: &Scored) {
    for (group, account, points) in &scored.rows {
        let row = ROW.word(scored.event.0.into()).word(scored.minute.0).word(group.0.into());
        let points = i128::try_from(*points).unwrap_or(i128::MAX);
        room.fingerprint.add(row.word(account.0.into()).money(Money::from_units(points)));
    }
    let rewards = &mut room.rewards;
    rewards.scored = Time(scored.minute.0.saturating_sub(MINUTE));
    rewards.scored_event = Some(scored.event);
    // The minute at midnight is the last of the day before.
    let day = eastern::day(Time(scored.minute.0.saturating_sub(1)));
    let pool = rewards.terms.pools.get(&scored.event).copied();
    let of_day = rewards.days.entry(day).or_default();
    if let Some(pool) = pool {
        of_day.pools.insert(scored.event, pool);
    }
    let mut last = None;
    for (group, account, points) in &scored.rows {
        let score = of_day.groups.entry(*group).or_default().entry(scored.event).or_default();
        score.points = score.points.saturating_add(*points);
        if last != Some(*group) {
            score.snapshots += 1;
        }
        last = Some(*group);
        let of_account = score.accounts.entry(*account).or_default();
        *of_account = of_account.saturating_add(*points);
    }
}

/// When the next day is paid, and the day: the oldest that has scores and, while rewards are pending, any day.
pub(crate) fn next_payout(room: &Predictions) -> Option<(Time, Day)> {
    let rewards = &room.rewards;
    let unpaid = |day: &&Day| rewards.paid_day.is_none_or(|paid| **day > paid);
    let scored = rewards.days.keys().find(unpaid).copied();
    let pending = rewards.pending_day.filter(|_| !rewards.pending.is_empty());
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
    let due = next_payout(context.room).filter(|(time, _)| *time <= context.time);
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
    let total = eastern::minutes(day);
    if let Some(of_day) = rewards.days.get_mut(&day) {
        of_day.least = least;
        let DayScores { groups, totals, .. } = of_day;
        totals.clear();
        for (event, score) in groups.values().flatten() {
            if qualifies(score, total) {
                let entry = totals.entry(*event).or_default();
                *entry = entry.saturating_add(score.points);
            }
        }
    }
    room.add_work(Work::Liquidity(day), time);
}

/// Fewer than half of the day's snapshots score nothing.
fn qualifies(score: &Score, total: u64) -> bool {
    score.snapshots.saturating_mul(2) >= total
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
    for (account, place) in rewards.pending.iter().take(GROUPS_OF_STEP) {
        let Some(row) = rewards.payouts(*account).get(*place).filter(|row| row.amount <= left) else { break };
        left -= row.amount;
        late.push((*account, *place));
    }
    // Earlier days are paid before this one.
    if late.len() == GROUPS_OF_STEP && rewards.pending.len() > late.len() {
        return Rewarded { day, late, rows: Vec::new(), until: None, is_last: false };
    }
    let mut rows = Vec::new();
    let of_day = rewards.days.get(&day);
    let groups = of_day.map(|of_day| &of_day.groups);
    let step = groups.into_iter().flatten().take(GROUPS_OF_STEP);
    let mut until = None;
    for (group, events) in step {
        until = Some(*group);
        let Some(of_day) = of_day else { continue };
        let mut row = row_of(day, of_day, events);
        if row.payment == Payment::Paid {
            if row.amount <= left && late.len() == rewards.pending.len() {
                left -= row.amount;
                row.paid = Some(context.time);
            } else {
                row.payment = Payment::Pending;
            }
        }
        rows.push(row);
    }
    let count = groups.map_or(0, BTreeMap::len);
    Rewarded { day, late, rows, until, is_last: count <= GROUPS_OF_STEP }
}

/// The reward of a group for a day, as if there were enough to pay it.
fn row_of(day: Day, of_day: &DayScores, events: &BTreeMap<EventId, Score>) -> LiquidityRow {
    let total = eastern::minutes(day);
    let mut accounts: BTreeMap<AccountId, u128> = BTreeMap::new();
    let shares: Vec<PoolShare> = events
        .iter()
        .map(|(event, score)| {
            for (account, points) in &score.accounts {
                let entry = accounts.entry(*account).or_default();
                *entry = entry.saturating_add(*points);
            }
            let of_all = of_day.totals.get(event).copied().unwrap_or_default();
            let share = if qualifies(score, total) { fraction(score.points, of_all) } else { Money::ZERO };
            let pool = of_day.pools.get(event).copied().unwrap_or(Money::ZERO);
            let amount = pool.times(share, Round::Down).and_then(|part| part.to_step(cent(), Round::Down));
            PoolShare {
                event: *event,
                share,
                snapshots: score.snapshots,
                amount: amount.unwrap_or(Money::ZERO),
            }
        })
        .collect();
    let amount = shares.iter().fold(Money::ZERO, |sum, share| sum.capped_add(share.amount));
    // The account with the most points; of equals the oldest.
    let most = accounts.iter().max_by_key(|(account, points)| (**points, core::cmp::Reverse(**account)));
    let account = most.map_or(AccountId(0), |(account, _)| *account);
    let is_paid = amount > Money::ZERO && amount >= of_day.least;
    let payment = if is_paid { Payment::Paid } else { Payment::Zero };
    LiquidityRow { account, day, total_snapshots: total, shares, amount, payment, paid: None }
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
        of_day.groups = of_day.groups.split_off(&GroupId(until.0.saturating_add(1)));
    }
    if paid.is_last {
        rewards.days.remove(&paid.day);
        rewards.pending_day = Some(paid.day.plus(1));
    }
}

/// The next full minute is scored from its beginning, now that an event with a pool takes orders.
pub(crate) fn begin_scoring(room: &mut Predictions, time: Time) {
    room.rewards.scored = room.rewards.scored.max(Time(time.0 - time.0 % MINUTE));
    room.rewards.scored_event = None;
}
