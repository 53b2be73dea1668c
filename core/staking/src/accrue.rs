//! Accruals: the interest of each day (STK-021).
//!
//! A day of a pair ends at 20:00 UTC with an event of its own, which notes its rate and the price. Then the interest of all accounts is added
//! up in bounded steps, and paid in further ones if `staking_rewards` has all of it; until then the day waits. The days of a pair are paid
//! in order (D-95 to D-98).

use crate::day::{accrual_time, day_of};
use crate::pair::{Ended, Pair, Work};
use crate::{Infrequent, PairId, Rate, Reject, Staking, money, price};
use alloc::vec::Vec;
use buttonwood_ledger::{Cause, Ledger};
use buttonwood_model::{AccountId, BytesRef, CurrencyId, Due, Outbox, Phase, Time};
use buttonwood_num::Money;
use buttonwood_room::{Context, ContextMut};
use core::ops::Bound;
use serde::{Deserialize, Serialize};

/// The most stakes of one step.
const STEP_MAX: usize = 1_000;

/// The event: a day of a pair ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DayEnded {
    /// The pair.
    pub pair: PairId,
    /// The day.
    pub ended: Ended,
}

/// The event: the interest of some accounts was added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// The pair.
    pub pair: PairId,
    /// The last account that was counted; none if there is none.
    pub until: Option<AccountId>,
    /// The interest of the day so far.
    pub sum: Money,
    /// Whether all accounts were counted.
    pub is_last: bool,
    /// Whether `staking_rewards` has less than the sum.
    pub is_short: bool,
}

/// The event: the interest of some accounts was paid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accrued {
    /// The pair.
    pub pair: PairId,
    /// The UTC day at whose 20:00 it accrued, counted from 1970-01-01.
    pub day: u64,
    /// The rate of the day.
    pub rate: Rate,
    /// The dollar price of one coin at the accrual; none if there was none.
    pub price: Option<Money>,
    /// The number of the first row's transaction; the others count on from it.
    pub first: u64,
    /// The last account of this step; none if there is none.
    pub until: Option<AccountId>,
    /// The interest of each account that has any.
    pub rows: Vec<Interest>,
    /// Whether no account is left.
    pub is_last: bool,
}

/// The interest of an account for a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interest {
    /// The account.
    pub account: AccountId,
    /// The amount.
    pub amount: Money,
    /// Whether it joined the stake; otherwise it went to the exchange balance.
    pub to_stake: bool,
}

impl Accrued {
    /// When it accrued: 20:00 UTC of its day.
    pub fn time(&self) -> Time {
        accrual_time(self.day)
    }

    /// The rows with the numbers of their transactions.
    pub fn numbered(&self) -> impl Iterator<Item = (u64, &Interest)> {
        (self.first..).zip(&self.rows)
    }
}

/// Ends the days of a pair that have passed and whose end has no event yet.
pub(crate) fn end_days<E: From<BytesRef>>(context: &Context<'_, Staking>, id: PairId, out: &mut Outbox<E>) {
    let Some(pair) = context.room.pair(id).filter(|_| context.room.is_used(id)) else { return };
    let today = day_of(context.time.seconds());
    let mut rate = pair.running;
    for day in pair.day..today {
        end_day(context, (id, pair), (day, rate), out);
        rate = pair.terms.rate;
    }
}

fn end_day<E: From<BytesRef>>(
    context: &Context<'_, Staking>,
    (id, pair): (PairId, &Pair),
    (day, rate): (u64, Rate),
    out: &mut Outbox<E>,
) {
    let price = price::at_accrual(context, pair);
    out.push_named(&Infrequent::DayEnded(DayEnded { pair: id, ended: Ended { day, rate, price } }));
}

/// Decides the next step of a pair's accrual.
pub(crate) fn decide<E: From<BytesRef>>(
    context: &Context<'_, Staking>,
    id: PairId,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let pair = context.room.pair(id).ok_or(Reject::NotDue)?;
    let free = |currency| context.room.free(context.ledger, currency);
    match (next_step(pair, free), pair.work) {
        (Some((ended, _)), Work::Idle) => count(context, (id, pair), (ended, None, Money::ZERO), out),
        (Some((ended, _)), Work::Counting(after, sum)) => {
            count(context, (id, pair), (ended, after, sum), out);
        }
        (Some((ended, _)), Work::Short(_)) => pay(context, (id, pair), (ended, None), out),
        (Some((ended, _)), Work::Paying(after, _)) => pay(context, (id, pair), (ended, after), out),
        (None, _) if context.room.is_used(id) && pair.day < day_of(context.time.seconds()) => {
            end_day(context, (id, pair), (pair.day, pair.running), out);
        }
        (None, _) => return Err(Reject::NotDue),
    }
    Ok(())
}

/// The first ended day, if it does not wait for money and its next step comes before the end of the day that runs; and when that step is due.
/// The part of `staking_rewards` that is free decides.
fn next_step(pair: &Pair, free: impl FnOnce(CurrencyId) -> Money) -> Option<(Ended, Time)> {
    let can_go_on = pair.needed().is_none_or(|total| total <= free(pair.currency));
    let ended = pair.ended.front().filter(|_| can_go_on)?;
    let time = pair.step_time().filter(|time| *time <= accrual_time(pair.day))?;
    Some((*ended, time))
}

/// The interest of accounts for an ended day, after an account.
fn interest<'a>(
    context: &Context<'a, Staking>,
    id: PairId,
    ended: Ended,
    after: Option<AccountId>,
) -> impl Iterator<Item = (AccountId, Money)> + 'a {
    let from = after.map_or(Bound::Included((id, AccountId(0))), |after| Bound::Excluded((id, after)));
    let (room, access) = (context.room, context.access);
    let rows = room.rows.range((from, Bound::Included((id, AccountId(u32::MAX)))));
    rows.map(move |((_, account), row)| {
        // It was closed before the day ended, and gave up what had not accrued.
        if access.is_closed(*account) {
            return (*account, Money::ZERO);
        }
        // An amount beyond the range of money is more than `staking_rewards` can have, so the day waits.
        (*account, ended.rate.interest(row.sum_of(ended.day)).unwrap_or(Money::MAX))
    })
}

fn count<E: From<BytesRef>>(
    context: &Context<'_, Staking>,
    (id, pair): (PairId, &Pair),
    (ended, after, mut sum): (Ended, Option<AccountId>, Money),
    out: &mut Outbox<E>,
) {
    let mut all = interest(context, id, ended, after);
    let mut until = after;
    for (account, amount) in all.by_ref().take(STEP_MAX) {
        until = Some(account);
        sum = sum.capped_add(amount);
    }
    let is_last = all.next().is_none();
    let is_short = sum > context.room.free(context.ledger, pair.currency);
    out.push_named(&Infrequent::Counted(Counted { pair: id, until, sum, is_last, is_short }));
}

fn pay<E: From<BytesRef>>(
    context: &Context<'_, Staking>,
    (id, pair): (PairId, &Pair),
    (ended, after): (Ended, Option<AccountId>),
    out: &mut Outbox<E>,
) {
    let mut all = interest(context, id, ended, after);
    let (mut until, mut rows) = (after, Vec::new());
    for (account, amount) in all.by_ref().take(STEP_MAX) {
        until = Some(account);
        if amount > Money::ZERO {
            let to_stake = joins(context, (id, pair.currency), account, ended.day);
            rows.push(Interest { account, amount, to_stake });
        }
    }
    let is_last = all.next().is_none();
    let Ended { day, rate, price } = ended;
    let first = context.room.next_number();
    out.push_named(&Infrequent::Accrued(Accrued { pair: id, day, rate, price, first, until, rows, is_last }));
}

/// Whether interest joins the stake. The interest of an account with a debt in the currency goes to its balance, where it repays the debt
/// (D-167).
fn joins(
    context: &Context<'_, Staking>,
    (id, currency): (PairId, CurrencyId),
    account: AccountId,
    day: u64,
) -> bool {
    let is_debt = |(owed, _): &(CurrencyId, Money)| *owed == currency;
    let owes = context.access.is_in_debt(account) && context.leave().rooms.debts(account).iter().any(is_debt);
    !owes && context.room.rows.get(&(id, account)).is_some_and(|row| row.joins(day))
}

/// Applies the end of a day. A day on which the pair has no stake has no such event.
pub(crate) fn evolve_end(room: &mut Staking, event: &DayEnded) {
    if let Some(pair) = room.pair_mut(event.pair) {
        pair.ended.push_back(event.ended);
        pair.note_price(event.ended.price);
        pair.day = event.ended.day + 1;
        pair.running = pair.terms.rate;
    }
}

/// Applies a count.
pub(crate) fn evolve_count(books: &mut ContextMut<'_, Staking>, event: &Counted) {
    let Counted { pair: id, until, sum, is_last, is_short } = *event;
    let Some(pair) = books.room.pair_mut(id) else { return };
    pair.note_step(books.time);
    pair.work = match (is_last, is_short) {
        (false, _) => Work::Counting(until, sum),
        (true, false) => Work::Paying(None, sum),
        (true, true) => Work::Short(sum),
    };
}

/// Applies payments.
pub(crate) fn evolve(books: &mut ContextMut<'_, Staking>, event: &Accrued) {
    let id = event.pair;
    let Some(pair) = books.room.pair_mut(id) else { return };
    let currency = pair.currency;
    pair.note_step(books.time);
    let (after, left) = match pair.work {
        Work::Paying(after, left) => (after, left),
        Work::Short(total) => (None, total),
        Work::Idle | Work::Counting(..) => return,
    };
    let taken = event.rows.iter().fold(Money::ZERO, |sum, row| sum.capped_add(row.amount));
    pair.work = Work::Paying(event.until, left.checked_sub(taken).unwrap_or(Money::ZERO));
    books.room.last += u64::try_from(event.rows.len()).unwrap_or(u64::MAX);
    close_rows(books.room, event, after);
    post(books, currency, event);
    if event.is_last {
        end_work(books, id);
    }
}

/// Begins with the next day of a pair. Of what the day would take, other pairs have the rest: an account may have been closed since.
fn end_work(books: &mut ContextMut<'_, Staking>, id: PairId) {
    let Some(currency) = books.room.pair(id).map(|pair| pair.currency) else { return };
    let free = books.room.free(books.ledger, currency);
    books.room.note_free(free, currency, books.time);
    let Some(pair) = books.room.pair_mut(id) else { return };
    pair.work = Work::Idle;
    pair.ended.pop_front();
}

/// Ends the day in the rows of a step. Those without interest end it too.
fn close_rows(room: &mut Staking, event: &Accrued, after: Option<AccountId>) {
    let Some(until) = event.until else { return };
    let id = event.pair;
    let from = after.map_or(Bound::Included((id, AccountId(0))), |after| Bound::Excluded((id, after)));
    let mut paid = event.rows.iter().peekable();
    let (mut idle, mut changed) = (Vec::new(), Vec::new());
    if after == Some(until) {
        return;
    }
    for ((_, account), row) in room.rows.range_mut((from, Bound::Included((id, until)))) {
        let own = paid.next_if(|interest| interest.account == *account);
        let (amount, to_stake) = own.map_or((Money::ZERO, false), |own| (own.amount, own.to_stake));
        row.pay(event.day, amount, to_stake);
        if own.is_some() {
            changed.push((*account, row.amount));
        }
        if row.is_idle() {
            idle.push((id, *account));
        }
    }
    for (account, amount) in changed {
        room.note_row(id, account, amount);
    }
    for key in idle {
        room.retire(key);
    }
}

/// Posts the interest of a step: in one entry what joins stakes, and an entry for each account that gets it in its balance.
fn post(books: &mut ContextMut<'_, Staking>, currency: CurrencyId, event: &Accrued) {
    let Some(houses) = money::houses(books.ledger) else { return };
    let mut joined = Money::ZERO;
    for (number, row) in event.numbered() {
        if row.to_stake {
            joined = joined.capped_add(row.amount);
        } else {
            let reason = money::reason(books.room, Cause::StakingInterest, number);
            money::shift(books.ledger, [houses.rewards, row.account], currency, row.amount, reason);
        }
    }
    if joined > Money::ZERO {
        let parties = [houses.rewards, houses.pool];
        money::shift(books.ledger, parties, currency, joined, Cause::StakingInterest.into());
    }
}

/// The pair whose accrual goes on next, and how.
pub(crate) fn next_due(room: &Staking, ledger: &Ledger) -> Option<Due<PairId>> {
    if room.rows.is_empty() && room.pairs().all(|(_, pair)| pair.ended.is_empty()) {
        return None;
    }
    let all_free = room.free_where_short(ledger);
    let free = |currency| all_free.get(&currency).copied().unwrap_or(Money::ZERO);
    let due_of = |(id, pair): (PairId, &Pair)| match next_step(pair, free) {
        Some((_, time)) => Some(Due::step(time, Phase::Interest, id).in_storm()),
        None => room.is_used(id).then(|| Due::step(accrual_time(pair.day), Phase::Interest, id)),
    };
    room.pairs().filter_map(due_of).min_by_key(Due::key)
}

impl Staking {
    /// Whether the days of a pair count: an account has a stake, or a day waits.
    pub(crate) fn is_used(&self, id: PairId) -> bool {
        self.has_rows(id) || self.pair(id).is_some_and(|pair| !pair.ended.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PAIRS_MAX, PairTerms, Provider, Terms};
    use buttonwood_ledger::STAKING_REWARDS;

    /// The next due command costs one look at each pair, however many days wait for money: with a look at each for each, this would take
    /// minutes.
    #[test]
    fn many_waiting_pairs_cost_one_look_at_each() {
        let mut ledger = Ledger::default();
        ledger.open_house(STAKING_REWARDS.name.into(), false);
        let mut room = Staking::default();
        for place in 0..u16::try_from(PAIRS_MAX).unwrap() {
            let [high, low] = place.to_be_bytes();
            let mut provider = [0; 16];
            (provider[0], provider[1]) = (high, low);
            let set =
                PairTerms { provider: Provider(provider), currency: CurrencyId(0), terms: Terms::default() };
            let id = room.pair_or_new(&set, 0);
            let pair = room.pair_mut(id).unwrap();
            pair.ended.push_back(Ended { day: 0, rate: Rate(0), price: None });
            (pair.day, pair.work) = (1, Work::Short(Money::ONE));
        }
        for _ in 0..1_000 {
            let due = next_due(&room, &ledger).map(|due| (due.time, due.command));
            assert_eq!(due, Some((accrual_time(1), PairId(0))), "no waiting day goes on");
        }
        room.pair_mut(PairId(7)).unwrap().work = Work::Short(Money::ZERO);
        let due = next_due(&room, &ledger).map(|due| (due.time, due.command));
        assert_eq!(due, Some((accrual_time(0), PairId(7))));
    }
}
