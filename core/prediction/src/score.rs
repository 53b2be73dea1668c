//! Scores of liquidity: at each full minute the resting orders near the middle of a contract score (D-120, facts F§18.7). Their payout is in
//! `liquidity`.

use crate::rewards::MINUTE;
use crate::{Infrequent, Predictions, Reject, eastern, pools};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use buttonwood_book::Order;
use buttonwood_model::{AccountId, BytesRef, EventId, GroupId, Outbox, RowHash, Side, SymbolId, Time};
use buttonwood_num::{HUNDREDTHS_PER_LOT, Money, Price, Qty};
use buttonwood_room::Context;
use serde::{Deserialize, Serialize};

const ROW: RowHash = RowHash::of("score");
/// The smallest order that scores, and that makes the middle, in contracts.
const SIZE_MIN: i128 = 10;
/// How many contracts of a group score on a side of a contract.
const SIZE_MAX: i128 = 250;
/// The largest distance whose square counts, whatever the grid.
const LEFT_MAX: u128 = 1 << 21;
/// How many orders of a side of a contract can score, from the best price on.
const ORDERS_MAX: usize = 10_000;
/// How many orders of a side of a contract are looked at, those that are too small included.
const LOOKS_MAX: usize = 100_000;
/// A command ends with the contract at which it has looked at so many orders.
const LOOKS_OF_STEP: usize = 10_000;

/// The score of a group with an event on a day.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    /// The sum of its scores.
    pub points: u128,
    /// In how many snapshots it scored.
    pub snapshots: u64,
    /// The last of them.
    pub(crate) latest: Time,
    /// The points of each of its accounts.
    pub accounts: BTreeMap<AccountId, u128>,
}

impl Score {
    /// Fewer than half of the day's snapshots score nothing.
    pub(crate) fn qualifies(&self, total: u64) -> bool {
        self.snapshots.saturating_mul(2) >= total
    }
}

/// The scores of a day.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DayScores {
    pub(crate) groups: BTreeMap<GroupId, BTreeMap<EventId, Score>>,
    /// The pools of the events at the last snapshot of the day.
    pub(crate) pools: BTreeMap<EventId, Money>,
    /// The points of all groups that have scored in enough snapshots.
    pub(crate) totals: BTreeMap<EventId, u128>,
    /// The smallest reward that is paid, once the day is being paid.
    pub(crate) least: Money,
    /// How many groups scored with an event.
    pub(crate) makers: BTreeMap<EventId, usize>,
}

impl DayScores {
    /// Adds points of an account. `total` is the number of the day's snapshots.
    fn add(&mut self, event: EventId, minute: Time, row: &(GroupId, AccountId, u128), total: u64) {
        let (group, account, points) = row;
        let of_group = self.groups.entry(*group).or_default();
        if !of_group.contains_key(&event) {
            *self.makers.entry(event).or_default() += 1;
        }
        let score = of_group.entry(event).or_default();
        let did_qualify = score.qualifies(total);
        // A group has a row for each of its accounts, and for each part of the event.
        if score.latest != minute {
            score.snapshots += 1;
            score.latest = minute;
        }
        score.points = score.points.saturating_add(*points);
        let of_account = score.accounts.entry(*account).or_default();
        *of_account = of_account.saturating_add(*points);
        if score.qualifies(total) {
            let new = if did_qualify { *points } else { score.points };
            let sum = self.totals.entry(event).or_default();
            *sum = sum.saturating_add(new);
        }
    }
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
    /// The last contract that was scored, if others of the event are left.
    pub until: Option<SymbolId>,
}

/// Scores the event that is due, or the next part of it, at the latest full minute: minutes in which the exchange did not run have no snapshot, and
/// none has orders while it is halted.
///
/// # Errors
/// [`Reject::NotDue`].
pub(crate) fn decide<E: From<BytesRef>>(
    context: &Context<'_, Predictions>,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let rewards = &context.room.rewards;
    let due = rewards.next_score.filter(|(minute, _)| *minute <= context.time);
    let (minute, id) = due.ok_or(Reject::NotDue)?;
    let minute = minute.max(Time(context.time.0 - context.time.0 % MINUTE));
    let event = context.room.event(id).ok_or(Reject::UnknownEvent)?;
    let done = rewards.scored_part.filter(|(event, _)| *event == id).map(|(_, contract)| contract);
    let left = event.contracts().filter(|contract| done.is_none_or(|done| *contract > done));
    let mut left = left.filter(|_| !context.is_halted).peekable();
    let mut points = Points::new();
    let (mut looks, mut until) = (0, None);
    while let Some(contract) = left.next() {
        for (key, scored) in of_contract(context, contract, minute, &mut looks) {
            let sum = points.entry(key).or_default();
            *sum = sum.saturating_add(scored);
        }
        if looks >= LOOKS_OF_STEP && left.peek().is_some() {
            until = Some(contract);
            break;
        }
    }
    let rows = points.into_iter().map(|((group, account), points)| (group, account, points)).collect();
    out.push_named(&Infrequent::Scored(Scored { event: id, minute, rows, until }));
    Ok(())
}

/// The points of one side of a contract, by group and account.
type Points = BTreeMap<(GroupId, AccountId), u128>;

/// The points of a contract. They have no unit: only those of one event are compared.
fn of_contract(
    context: &Context<'_, Predictions>,
    contract: SymbolId,
    minute: Time,
    looks: &mut usize,
) -> Points {
    let Some(symbol) = context.floor.symbols.get(contract) else { return Points::new() };
    let Some(one) = symbol.grid.ticks_of_one() else { return Points::new() };
    let lots = |contracts: i128| symbol.grid.qty_holding(Money::from_units(contracts * Money::ONE.units()));
    let (Some(least), Some(most)) = (lots(SIZE_MIN), lots(SIZE_MAX)) else { return Points::new() };
    let mut best = |side| best_of(context, (contract, side), least, looks);
    let (bid, ask) = (best(Side::Buy), best(Side::Sell));
    let Some((bid, ask)) = bid.zip(ask) else { return Points::new() };
    let near = Near {
        middle: u128::from(bid.ticks()) + u128::from(ask.ticks()),
        reach: u128::from(context.room.rewards.terms.spread_cents) * u128::from(one),
    };
    let [bids, asks] = [Side::Buy, Side::Sell]
        .map(|side| of_side(context, (contract, side), [least, most], (&near, minute), looks));
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
fn best_of(
    context: &Context<'_, Predictions>,
    (contract, side): (SymbolId, Side),
    least: Qty,
    looks: &mut usize,
) -> Option<Price> {
    let orders = context.orders;
    let prices = orders.book(contract).side(side).prices();
    let resting = prices.flat_map(|price| orders.queue(contract, side, price)).take(LOOKS_MAX);
    let mut resting = resting.inspect(|_| *looks += 1).map(|slot| orders.get(slot));
    resting.find(|order| order.remaining >= least).map(|order| order.price)
}

fn of_side(
    context: &Context<'_, Predictions>,
    (contract, side): (SymbolId, Side),
    [least, most]: [Qty; 2],
    (near, minute): (&Near, Time),
    looks: &mut usize,
) -> Points {
    let orders = context.orders;
    let mut points = Points::new();
    let mut counted: BTreeMap<GroupId, u128> = BTreeMap::new();
    let (mut looked_at, mut can_score) = (0, 0);
    for price in orders.book(contract).side(side).prices() {
        let Some(left) = near.within(price) else { break };
        for slot in orders.queue(contract, side, price) {
            (looked_at, *looks) = (looked_at + 1, *looks + 1);
            let Order { account, remaining, id, .. } = *orders.get(slot);
            if looked_at > LOOKS_MAX {
                return points;
            }
            if remaining < least || orders.entry(slot).placed.plus(MINUTE) > minute {
                continue;
            }
            // An order that waited for its stop price rests since it entered.
            let has_rested =
                context.floor.stops.entered(id).is_none_or(|entered| entered.plus(MINUTE) <= minute);
            let group = context.account(account).and_then(|account| account.group);
            let is_approved = |group: &GroupId| context.access.is_approved(*group);
            let Some(group) = group.filter(|group| has_rested && is_approved(group)) else { continue };
            let used = counted.entry(group).or_default();
            // A wall of orders beyond what its group scores with takes no place.
            if *used >= most.hundredths() {
                continue;
            }
            can_score += 1;
            if can_score > ORDERS_MAX {
                return points;
            }
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
    let Scored { event, minute, rows, until } = scored;
    let row = ROW.word(event.0.into()).word(minute.0);
    for (group, account, points) in rows {
        let points = i128::try_from(*points).unwrap_or(i128::MAX);
        let row = row.word(group.0.into()).word(account.0.into());
        room.fingerprint.add(row.money(Money::from_units(points)));
    }
    if let Some(until) = until {
        room.fingerprint.add(row.word(until.0.into()));
    }
    let rewards = &mut room.rewards;
    rewards.scored = Time(minute.0.saturating_sub(MINUTE));
    rewards.scored_event = until.is_none().then_some(*event);
    rewards.scored_part = until.map(|until| (*event, until));
    // The minute at midnight is the last of the day before.
    let day = eastern::day(Time(minute.0.saturating_sub(1)));
    rewards.last_score_day = rewards.last_score_day.max(Some(day));
    let pool = rewards.terms.pools.get(event).copied();
    let of_day = rewards.days.entry(day).or_default();
    if let Some(pool) = pool {
        of_day.pools.insert(*event, pool);
    }
    let total = eastern::minutes(day);
    for row in rows {
        of_day.add(*event, *minute, row, total);
    }
    pools::schedule(rewards);
}
