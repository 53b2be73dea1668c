//! Funding: the premiums of each minute, the amount of each full hour, and its payments.
//!
//! A contract's premium is what its own book says (D-177) less its index, as the marks take it. At each full UTC hour a command cuts the
//! hour: it fixes the amount of every contract. Payments follow in bounded steps with no other command between, so that positions are
//! those of the cut. Money passes through the house account `clearing`, since a step may pay only one side.
//!
//! Clauses: `PERP-013` to `PERP-018`; decisions D-49 to D-51, D-177, D-178. The sums are those of `margin::funding`.

use crate::{Infrequent, Perps, Reject};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use buttonwood_model::{AccountId, BytesRef, Outbox, SymbolId, Time};
use buttonwood_num::{Bps, Money};
pub use buttonwood_risk::funding::Terms;
use buttonwood_risk::funding::{self, MINUTES, Minute};
use buttonwood_room::Context;
use serde::{Deserialize, Serialize};

/// Microseconds of a minute and of an hour.
const MINUTE: u64 = 60 * Time::SECOND;
const HOUR: u64 = 3_600 * Time::SECOND;

/// Minutes of an hour.
const HOUR_MINUTES: u64 = HOUR / MINUTE;

/// The most rows that one step pays. The limit keeps the command short, and its events within a batch.
pub const STEP: usize = 1_000;

/// Hours that are cut late are cut one by one while there are at most this many; without positions the others are skipped.
const LATE_HOURS_MAX: u64 = 24 * 366;

/// The full hour at or before a moment.
pub fn hour_of(time: Time) -> Time {
    Time(time.0 / HOUR * HOUR)
}

/// The full hour after a moment.
pub fn next_hour(time: Time) -> Time {
    hour_of(time).plus(HOUR)
}

/// The amount of a full hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HourAmount {
    /// The hour's end.
    pub hour: Time,
    /// In dollars for one unit of base; positive if longs pay.
    pub amount: Money,
}

/// The payment of an account for its position of a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payment {
    /// The account.
    pub account: AccountId,
    /// The contract.
    pub symbol: SymbolId,
    /// In the quote currency; negative if it receives.
    pub amount: Money,
}

/// The amounts of an hour, of every contract that has had an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// The hour's end.
    pub hour: Time,
    /// By contract.
    pub amounts: Vec<(SymbolId, Money)>,
}

/// A step of an hour's payments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paid {
    /// The hour's end: the payments' time.
    pub hour: Time,
    /// The payments, none of them zero.
    pub payments: Vec<Payment>,
    /// The first row that is not paid yet; none after the last step.
    pub next: Option<u32>,
}

/// The premiums of a contract in the hours that are not cut yet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Premiums {
    /// The premium in force; none without an index.
    in_force: Option<Money>,
    /// The minute that runs, counted from 1970.
    minute: u64,
    /// Its values, once a mark took one in it.
    current: Option<Minute>,
    /// The sums over the earlier minutes of each hour, by the number of the hour.
    sums: BTreeMap<u64, Money>,
    /// The last full hour.
    last: Option<HourAmount>,
}

impl Premiums {
    /// Ends the minutes before `minute`. Without marks a premium stays in force.
    fn roll(&mut self, minute: u64) {
        if minute <= self.minute {
            return;
        }
        let untouched = self.in_force.map_or(Money::ZERO, |premium| Minute::new(premium).sum());
        let first = self.current.take().map_or(untouched, |current| current.sum());
        self.add(self.minute, 1, first);
        let mut next = self.minute + 1;
        while next < minute {
            let minutes = minute.min((next / HOUR_MINUTES + 1) * HOUR_MINUTES) - next;
            self.add(next, minutes, untouched);
            next += minutes;
        }
        self.minute = minute;
    }

    /// Adds minutes of one hour, each with the same values.
    fn add(&mut self, minute: u64, minutes: u64, sum: Money) {
        let total = self.sums.entry(minute / HOUR_MINUTES).or_default();
        let added = sum.units().saturating_mul(i128::from(minutes));
        *total = Money::from_units(total.units().saturating_add(added));
    }

    /// A mark took a premium.
    fn take(&mut self, premium: Option<Money>, time: Time) {
        self.roll(time.0 / MINUTE);
        let mut current = self.current.or_else(|| self.in_force.map(Minute::new));
        if let Some(premium) = premium {
            current.get_or_insert(Minute::new(premium)).take(premium);
        }
        self.current = current;
        self.in_force = premium;
    }

    /// The exchange did not run from `since` to `until`: the minutes between count zero. Marks are taken again then.
    fn skip(&mut self, since: Time, until: Time) {
        let [from, to] = [since, until].map(|time| time.0 / MINUTE);
        if from < to {
            self.roll(from + 1);
            self.minute = self.minute.max(to);
            self.in_force = None;
        }
    }

    /// Ends the hours up to this one.
    fn cut(&mut self, last: HourAmount) {
        self.roll(last.hour.0 / MINUTE);
        self.sums.retain(|hour, _| *hour >= last.hour.0 / HOUR);
        self.last = Some(last);
    }

    /// The amount of the hour that ends at `hour`.
    fn amount(&self, hour: Time, mark: Money, cap: Bps) -> Money {
        let sum = self.rolled(hour).sum_before(hour);
        funding::amount([sum], MINUTES, mark, cap)
    }

    /// The amount over the hour's full minutes before `time`; zero in the first minute.
    fn estimate(&self, time: Time, mark: Money, cap: Bps) -> Money {
        let minutes = u32::try_from(time.0 / MINUTE % HOUR_MINUTES).unwrap_or(MINUTES);
        if minutes == 0 {
            return Money::ZERO;
        }
        funding::amount([self.rolled(time).sum_before(next_hour(time))], minutes, mark, cap)
    }

    fn rolled(&self, time: Time) -> Self {
        let mut rolled = self.clone();
        rolled.roll(time.0 / MINUTE);
        rolled
    }

    /// The sum of the minutes of the hour that ends at `hour`.
    fn sum_before(&self, hour: Time) -> Money {
        let number = (hour.0 / HOUR).checked_sub(1);
        number.and_then(|number| self.sums.get(&number)).copied().unwrap_or_default()
    }
}

/// Payments of a cut that are under way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Paying {
    hour: Time,
    amounts: BTreeMap<SymbolId, Money>,
    /// The first row that is not paid yet.
    next: u32,
    /// The amount that was paid into the clearing account, less the amount paid out of it.
    received: Money,
}

/// Premiums, amounts and payments of all contracts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Funding {
    premiums: BTreeMap<SymbolId, Premiums>,
    /// The last hour that was cut, or the one in which the first contract had an index.
    cut: Option<Time>,
    paying: Option<Paying>,
    /// Whether a premium other than zero is in force.
    has_premium: bool,
    /// The operators' settings.
    terms: Terms,
}

impl Funding {
    /// Marks were taken.
    pub(crate) fn take(&mut self, marks: impl IntoIterator<Item = (SymbolId, Option<Money>)>, time: Time) {
        for (symbol, premium) in marks {
            self.cut.get_or_insert(hour_of(time));
            let blank = Premiums { minute: time.0 / MINUTE, ..Premiums::default() };
            self.premiums.entry(symbol).or_insert(blank).take(premium, time);
        }
        let counts = |premiums: &Premiums| premiums.in_force.is_some_and(|premium| premium != Money::ZERO);
        self.has_premium = self.premiums.values().any(counts);
    }

    /// When the next hour is cut.
    pub(crate) fn due(&self) -> Option<Time> {
        self.cut.map(next_hour)
    }

    /// Whether payments are under way.
    pub(crate) fn is_paying(&self) -> bool {
        self.paying.is_some()
    }

    /// The amount that the clearing account has received from payments, with those to other accounts still to come.
    pub(crate) fn received(&self) -> Money {
        self.paying.as_ref().map_or(Money::ZERO, |paying| paying.received)
    }

    /// Whether a premium other than zero is in force.
    pub(crate) fn has_premium(&self) -> bool {
        self.has_premium
    }
}

/// Decides the cut of the hour that is due.
pub(crate) fn decide_cut<E: From<BytesRef>>(
    context: &Context<'_, Perps>,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let perps = context.room;
    let due = perps.funding.due().filter(|due| *due <= context.time && !perps.funding.is_paying());
    let due = due.ok_or(Reject::NotDue)?;
    let has_positions = perps.rows().iter().any(|row| !row.position.is_flat());
    let is_far = context.time.0 - due.0 > LATE_HOURS_MAX * HOUR;
    let hour = if is_far && !has_positions { hour_of(context.time) } else { due };
    let cap = perps.funding.terms.cap;
    let amounts = perps.prices.contracts().map(|(symbol, contract)| {
        // The fund could not be made flat before the cut: nothing is paid (D-178).
        let premiums = perps.funding.premiums.get(&symbol).filter(|_| !perps.fund_holds(symbol));
        (symbol, premiums.map_or(Money::ZERO, |premiums| premiums.amount(hour, contract.mark, cap)))
    });
    out.push_named(&Infrequent::FundingCut(Cut { hour, amounts: amounts.collect() }));
    Ok(())
}

/// Decides the next step of the payments that are under way.
pub(crate) fn decide_step<E: From<BytesRef>>(
    context: &Context<'_, Perps>,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let perps = context.room;
    let paying = perps.funding.paying.as_ref().ok_or(Reject::NotDue)?;
    let first = AccountId(paying.next).index();
    let rows = perps.rows().iter().skip(first).take(STEP);
    let payments = rows.filter_map(|row| {
        let amount = *paying.amounts.get(&row.symbol)?;
        let amount = funding::payment(row.position.quantity, amount)?;
        let payment = Payment { account: row.account, symbol: row.symbol, amount };
        (amount != Money::ZERO).then_some(payment)
    });
    let payments = payments.collect();
    let next = u32::try_from(first + STEP).ok().filter(|next| AccountId(*next).index() < perps.rows().len());
    out.push_named(&Infrequent::FundingPaid(Paid { hour: paying.hour, payments, next }));
    Ok(())
}

/// Applies the cut of an hour.
pub(crate) fn cut(perps: &mut Perps, cut: &Cut) {
    let Cut { hour, amounts } = cut;
    for (symbol, amount) in amounts {
        let last = HourAmount { hour: *hour, amount: *amount };
        perps.funding.premiums.entry(*symbol).or_default().cut(last);
    }
    perps.funding.cut = Some(*hour);
    let amounts: BTreeMap<SymbolId, Money> =
        amounts.iter().copied().filter(|(_, amount)| *amount != Money::ZERO).collect();
    let is_paid = |row: &crate::Row| amounts.contains_key(&row.symbol) && !row.position.is_flat();
    if perps.rows().iter().any(is_paid) {
        perps.funding.paying = Some(Paying { hour: *hour, amounts, next: 0, received: Money::ZERO });
    }
}

/// Applies a step; the engine has moved the money. After the last one the marks are taken again at the time `time`, since an account
/// may have fallen below maintenance.
pub(crate) fn paid(perps: &mut Perps, paid: &Paid, time: Time) {
    let Some(paying) = &mut perps.funding.paying else { return };
    for payment in &paid.payments {
        paying.received += payment.amount;
    }
    match paid.next {
        Some(next) => paying.next = next,
        None => {
            perps.funding.paying = None;
            perps.retake = Some(time);
        }
    }
}

/// The exchange did not run between two times.
pub(crate) fn resumed(perps: &mut Perps, since: Time, until: Time) {
    for premiums in perps.funding.premiums.values_mut() {
        premiums.skip(since, until);
    }
    perps.retake = Some(until);
}

/// Applies other terms. The premiums are taken again with them.
pub(crate) fn set(perps: &mut Perps, terms: Terms, time: Time) {
    perps.funding.terms = terms;
    perps.note_halt(time);
}

impl Perps {
    /// The operators' settings for the funding of every contract.
    pub fn funding_terms(&self) -> Terms {
        self.funding.terms
    }

    /// The amount of the last full hour of a contract; none before one was cut.
    pub fn funding_amount(&self, symbol: SymbolId) -> Option<HourAmount> {
        self.funding.premiums.get(&symbol)?.last
    }

    /// The amount of the next full hour by the minutes so far: the full ones of the hour that runs at `time`.
    pub fn funding_estimate(&self, symbol: SymbolId, time: Time) -> Money {
        let premiums = self.funding.premiums.get(&symbol).zip(self.contract(symbol));
        let cap = self.funding.terms.cap;
        premiums.map_or(Money::ZERO, |(premiums, contract)| premiums.estimate(time, contract.mark, cap))
    }
}

#[cfg(test)]
mod tests;
