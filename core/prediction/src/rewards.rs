//! Rewards of makers: the terms, and rebates of their fees (D-120, facts F§18.7). Scores of liquidity are in `score`.

use crate::accrual::Accrued;
use crate::score::DayScores;
use crate::{Infrequent, LiquidityRow, Predictions, Reject, Work, eastern};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use buttonwood_ledger::{Bucket, Cause, Ledger, PROMO, Posting};
use buttonwood_model::{AccountId, BytesRef, Day, EventId, Outbox, SymbolId, Time};
use buttonwood_num::{Bps, Money, Round};
use buttonwood_room::Context;
use serde::{Deserialize, Serialize};

/// When rebates are paid: minutes after an Eastern midnight.
const REBATES_AT: u64 = 17 * 60;
/// The most accounts that one step pays.
const ACCOUNTS_OF_STEP: usize = 500;
/// The highest maximum spread that can be set, in cents.
const SPREAD_MAX: u32 = 100;
/// The most pools.
const POOLS_MAX: usize = 1_000;

/// The terms of rewards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RewardTerms {
    /// Whether rewards are on.
    pub enabled: bool,
    /// The part of their fees that makers get back, in hundredths of a percent.
    pub rebate_bps: u32,
    /// How far from the middle an order scores, in cents.
    pub spread_cents: u32,
    /// The smallest reward of a day for liquidity that is paid.
    pub min_payout: Money,
    /// The dollars that the makers of an event share each day, by event.
    pub pools: BTreeMap<EventId, Money>,
}

impl RewardTerms {
    /// Sets the terms that a change names.
    pub fn change(&mut self, change: RewardChange) {
        self.enabled = change.enabled.unwrap_or(self.enabled);
        self.rebate_bps = change.rebate_bps.unwrap_or(self.rebate_bps);
        self.spread_cents = change.spread_cents.unwrap_or(self.spread_cents);
        self.min_payout = change.min_payout.unwrap_or(self.min_payout);
        if let Some(pools) = change.pools {
            self.pools = pools.into_iter().collect();
        }
    }
}

impl Default for RewardTerms {
    fn default() -> Self {
        Self {
            enabled: false,
            rebate_bps: 5_000,
            spread_cents: 10,
            min_payout: Money::ONE,
            pools: BTreeMap::new(),
        }
    }
}

/// New terms of rewards; what is none stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RewardChange {
    /// Whether rewards are on.
    pub enabled: Option<bool>,
    /// The part of their fees that makers get back, in hundredths of a percent.
    pub rebate_bps: Option<u32>,
    /// How far from the middle an order scores, in cents.
    pub spread_cents: Option<u32>,
    /// The smallest reward of a day for liquidity that is paid.
    pub min_payout: Option<Money>,
    /// Every pool.
    pub pools: Option<Vec<(EventId, Money)>>,
}

/// A rate of rebates, and when it was in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RateRule {
    /// The rate, in hundredths of a percent.
    pub bps: u32,
    /// From when.
    pub from: Time,
    /// Until when; none while it is in force.
    pub until: Option<Time>,
}

/// A rebate that was paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rebate {
    /// Its number.
    pub id: u64,
    /// The account.
    pub account: AccountId,
    /// Its trades as a maker.
    pub traded: Accrued,
    /// The dollars that it was paid.
    pub amount: Money,
    /// Of which run: its time.
    pub run: Time,
    /// When it was paid.
    pub paid: Time,
}

/// The state of rewards.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rewards {
    pub(crate) terms: RewardTerms,
    pub(crate) rules: Vec<RateRule>,
    pub(crate) accrued: BTreeMap<AccountId, Accrued>,
    /// The time from which on fills are accrued.
    pub(crate) accrued_from: Time,
    /// Whether a fill earns its rebate at the rate in force, and is a row of the fingerprint. Earlier builds did neither: the switch is turned by
    /// the first event of a later build after which nothing of theirs is accrued.
    pub(crate) is_exact: bool,
    /// The fees of all fills that were accrued, and the rebates that were paid.
    pub(crate) sums: [Money; 2],
    /// Rebates that `fees` could not pay: the next run tries again.
    pub(crate) unpaid: BTreeMap<AccountId, Accrued>,
    /// When the next rebates are paid; none while there is nothing to pay.
    pub(crate) rebates_due: Option<Time>,
    /// The rest of runs that have begun: by the time of the run.
    pub(crate) runs: BTreeMap<Time, BTreeMap<AccountId, Accrued>>,
    pub(crate) rebates: BTreeMap<AccountId, Vec<Rebate>>,
    pub(crate) next_id: u64,
    pub(crate) days: BTreeMap<Day, DayScores>,
    /// The last full minute of which all events were scored.
    pub(crate) scored: Time,
    /// The last event that was scored of the minute after that.
    pub(crate) scored_event: Option<EventId>,
    /// The event of which a part was scored then, and the last contract of that part.
    pub(crate) scored_part: Option<(EventId, SymbolId)>,
    /// The last day of which something was scored.
    pub(crate) last_score_day: Option<Day>,
    /// The events that have a pool and take orders, and since when; none while rewards are off.
    pub(crate) open: BTreeMap<EventId, Time>,
    /// The next of them to be scored, and the minute.
    #[serde(skip)]
    pub(crate) next_score: Option<(Time, EventId)>,
    pub(crate) payouts: BTreeMap<AccountId, Vec<LiquidityRow>>,
    /// Payouts for which `promo` had too little: account, and the place among its payouts.
    pub(crate) pending: Vec<(AccountId, usize)>,
    /// The day with whose payout pending ones are tried again.
    pub(crate) pending_day: Option<Day>,
    /// The last Eastern day whose scores were paid.
    pub(crate) paid_day: Option<Day>,
}

impl Rewards {
    /// The terms in force.
    pub fn terms(&self) -> &RewardTerms {
        &self.terms
    }

    /// Every rate of rebates, oldest first.
    pub fn rules(&self) -> &[RateRule] {
        &self.rules
    }

    /// The rebates of an account, oldest first.
    pub fn rebates(&self, account: AccountId) -> &[Rebate] {
        self.rebates.get(&account).map(Vec::as_slice).unwrap_or_default()
    }

    /// The payouts for liquidity of an account, oldest first.
    pub fn payouts(&self, account: AccountId) -> &[LiquidityRow] {
        self.payouts.get(&account).map(Vec::as_slice).unwrap_or_default()
    }

    /// The last Eastern day of which something was scored.
    pub fn last_score_day(&self) -> Option<Day> {
        self.last_score_day
    }

    /// How many groups have scored with an event on the latest day.
    pub fn makers_of(&self, event: EventId) -> usize {
        self.days.last_key_value().and_then(|(_, day)| day.makers.get(&event)).copied().unwrap_or(0)
    }

    /// Whether an account has earned what is not paid yet.
    pub(crate) fn is_owed_to(&self, account: AccountId) -> bool {
        let scores = self.days.values().flat_map(|day| day.groups.values()).flat_map(BTreeMap::values);
        self.accrued.contains_key(&account)
            || self.unpaid.contains_key(&account)
            || self.runs.values().any(|run| run.contains_key(&account))
            || self.pending.iter().any(|(of, _)| *of == account)
            || { scores }.any(|score| score.accounts.contains_key(&account))
    }
}

/// Sets the terms of rewards.
///
/// # Errors
/// [`Reject::BadRewards`], [`Reject::UnknownEvent`], [`Reject::Ended`].
pub(crate) fn set<E: From<BytesRef>>(
    context: &Context<'_, Predictions>,
    change: &RewardChange,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let pools = change.pools.as_deref().unwrap_or_default();
    if pools.len() > POOLS_MAX {
        return Err(Reject::BadRewards);
    }
    for (place, (event, pool)) in pools.iter().enumerate() {
        if context.room.event(*event).ok_or(Reject::UnknownEvent)?.is_decided() {
            return Err(Reject::Ended);
        }
        let is_twice = pools.iter().take(place).any(|(other, _)| other == event);
        if is_twice || *pool <= Money::ZERO || !is_cents(*pool) {
            return Err(Reject::BadRewards);
        }
    }
    let is_good = change.rebate_bps.is_none_or(|bps| bps <= Bps::WHOLE)
        && change.spread_cents.is_none_or(|cents| (1..=SPREAD_MAX).contains(&cents))
        && change.min_payout.is_none_or(|least| !least.is_negative());
    if !is_good {
        return Err(Reject::BadRewards);
    }
    out.push_named(&Infrequent::RewardsSet(change.clone(), true));
    Ok(())
}

/// Whether an amount is a whole number of cents.
fn is_cents(amount: Money) -> bool {
    amount.to_step(cent(), Round::Down) == Some(amount)
}

/// A cent.
pub(crate) fn cent() -> Money {
    Money::from_units(Money::ONE.units() / 100)
}

/// `is_exact` is false in events of earlier builds.
pub(crate) fn evolve_set(room: &mut Predictions, change: RewardChange, is_exact: bool, time: Time) {
    let Rewards { terms, rules, accrued, rebates_due, scored, scored_event, .. } = &mut room.rewards;
    let (was_enabled, old_rate) = (terms.enabled, terms.rebate_bps);
    terms.change(change);
    if rules.is_empty() || old_rate != terms.rebate_bps {
        if let Some(last) = rules.last_mut() {
            last.until = Some(time);
        }
        rules.push(RateRule { bps: terms.rebate_bps, from: time, until: None });
    }
    if !was_enabled && terms.enabled {
        // Fees from before rewards were switched on earn nothing.
        accrued.clear();
        *rebates_due = Some(next_at(time, REBATES_AT));
        (*scored, *scored_event) = (Time(time.0 - time.0 % MINUTE), None);
        room.rewards.accrued_from = time;
    }
    room.rewards.is_exact |= is_exact && room.rewards.accrued.is_empty();
}

/// A minute.
pub(crate) const MINUTE: u64 = 60 * Time::SECOND;

/// The next time after `time` that is so many minutes after an Eastern midnight.
pub(crate) fn next_at(time: Time, minutes: u64) -> Time {
    let today = eastern::day(time);
    let at = eastern::at(today, minutes);
    if at > time { at } else { eastern::at(today.plus(1), minutes) }
}

/// Begins the rebates that are due: what was accrued until now is paid in steps.
///
/// # Errors
/// [`Reject::NotDue`].
pub(crate) fn begin<E: From<BytesRef>>(
    context: &Context<'_, Predictions>,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    if context.room.rewards.rebates_due.is_none_or(|due| due > context.time) {
        return Err(Reject::NotDue);
    }
    out.push_named(&Infrequent::RebatesBegun(true));
    Ok(())
}

/// `is_exact` is false in events of earlier builds.
pub(crate) fn evolve_begin(room: &mut Predictions, is_exact: bool, time: Time) {
    let Rewards { terms, accrued, accrued_from, is_exact: was_exact, rebates_due, runs, unpaid, .. } =
        &mut room.rewards;
    *rebates_due = terms.enabled.then(|| next_at(time, REBATES_AT));
    *accrued_from = time;
    let mut run = core::mem::take(accrued);
    if !*was_exact {
        // The rate of this moment counts for all that was accrued.
        for accrued in run.values_mut() {
            accrued.earn_all(terms.rebate_bps);
        }
    }
    *was_exact |= is_exact;
    for (account, earlier) in core::mem::take(unpaid) {
        run.entry(account).or_default().join(&earlier);
    }
    if !run.is_empty() {
        runs.insert(time, run);
        room.add_work(Work::Rebates(time), time);
    }
}

/// The rebates of one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rebated {
    /// The run.
    pub run: Time,
    /// Accounts and what they are paid; an account whose rebate is nothing is in the list with zero.
    pub rows: Vec<(AccountId, Money)>,
    /// Whether it was the last step.
    pub is_last: bool,
    /// Whether the rest of a rebate is paid later; it was lost in earlier builds.
    pub keeps_rest: bool,
    /// Accounts that get none, since no operator has approved their group.
    pub refused: Vec<AccountId>,
}

/// The next step of a run. A rebate is cut to the balance of `fees`, which holds the fees that makers paid unless an operator took them. The next
/// run pays the rest.
pub(crate) fn pay(context: &Context<'_, Predictions>, run: Time) -> Rebated {
    let dollar = context.ledger.dollar();
    let fees = context.ledger.fees();
    let mut left = dollar.map_or(Money::ZERO, |dollar| context.ledger.balance(fees, dollar).available);
    let Some(of_run) = context.room.rewards.runs.get(&run) else {
        return Rebated { run, rows: Vec::new(), is_last: true, keeps_rest: true, refused: Vec::new() };
    };
    let is_approved = |account: &AccountId| {
        let group = context.account(*account).and_then(|account| account.group);
        group.is_none_or(|group| context.access.is_approved(group))
    };
    let step = || of_run.iter().take(ACCOUNTS_OF_STEP);
    let refused = step().map(|(account, _)| *account).filter(|account| !is_approved(account)).collect();
    let rows = step().filter(|(account, _)| is_approved(account)).map(|(account, accrued)| {
        let amount = accrued.rebate.min(left.max(Money::ZERO));
        left -= amount;
        (*account, amount)
    });
    let is_last = of_run.len() <= ACCOUNTS_OF_STEP;
    Rebated { run, rows: rows.collect(), is_last, keeps_rest: true, refused }
}

pub(crate) fn evolve_pay(room: &mut Predictions, ledger: &mut Ledger, paid: &Rebated, time: Time) {
    let fees = ledger.fees();
    if let Some(of_run) = room.rewards.runs.get_mut(&paid.run) {
        for account in &paid.refused {
            of_run.remove(account);
        }
    }
    for (account, amount) in &paid.rows {
        let traded = room.rewards.runs.get_mut(&paid.run).and_then(|run| run.remove(account));
        let traded = traded.unwrap_or_default();
        if let Some(rest) = traded.rest_after(*amount).filter(|_| paid.keeps_rest) {
            room.rewards.unpaid.insert(*account, rest);
        }
        if *amount == Money::ZERO {
            continue;
        }
        give(ledger, fees, *account, *amount);
        let id = room.rewards.next_id;
        room.rewards.next_id += 1;
        let rebate = Rebate { id, account: *account, traded, amount: *amount, run: paid.run, paid: time };
        let Rewards { rebates, sums: [_, rebated], .. } = &mut room.rewards;
        rebates.entry(*account).or_default().push(rebate);
        *rebated = rebated.capped_add(*amount);
    }
    if paid.is_last {
        room.rewards.runs.remove(&paid.run);
        let Rewards { rebates_due, unpaid, .. } = &mut room.rewards;
        if rebates_due.is_none() && !unpaid.is_empty() {
            *rebates_due = Some(next_at(time, REBATES_AT));
        }
    }
}

/// Pays a reward out of an account of the house.
pub(crate) fn give(ledger: &mut Ledger, house: AccountId, account: AccountId, amount: Money) {
    let Some(dollar) = ledger.dollar() else { return };
    let line = |account, amount| Posting { account, asset: dollar.into(), bucket: Bucket::Available, amount };
    ledger.post(Cause::Reward, &[line(house, -amount), line(account, amount)]);
}

/// The dollars in the account that pays for liquidity, and the account.
pub(crate) fn promo(ledger: &Ledger) -> Option<(AccountId, Money)> {
    let (account, dollar) = ledger.house(PROMO.name).zip(ledger.dollar())?;
    Some((account, ledger.balance(account, dollar).available))
}
