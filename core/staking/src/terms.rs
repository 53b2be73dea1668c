//! The terms of a pair.

use crate::day::DAY;
use crate::{PairId, Provider, Reject, Staking};
use buttonwood_model::{BytesRef, CurrencyId, Outbox, Time};
use buttonwood_num::{Money, Wide};
use buttonwood_room::{Context, ContextMut};
use serde::{Deserialize, Serialize};

/// The most pairs of a provider and a currency.
pub const PAIRS_MAX: usize = 1_000;

/// The longest time that a redemption takes: ten years, in seconds.
pub const WAIT_MAX: u64 = 10 * 365 * DAY;

/// A simple yearly rate, in millionths of a basis point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Rate(pub u64);

impl Rate {
    /// Millionths in a basis point.
    pub const BASIS_POINT: u64 = 1_000_000;

    /// The highest rate: 100,000 basis points.
    pub const MAX: Self = Self(100_000 * Self::BASIS_POINT);

    /// The interest on a sum of amounts times seconds: with one division, rounded down at 10⁻¹⁹ (D-96). None beyond the range of money.
    pub fn interest(self, sum: Wide) -> Option<Money> {
        /// The sum at 100 % for a year of 365 days, in millionths of a basis point times seconds.
        const WHOLE_YEAR: u64 = 10_000 * Rate::BASIS_POINT * 365 * DAY;
        sum.scaled(self.0, u128::from(WHOLE_YEAR))
    }
}

/// The terms of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// The rate. A changed one counts after the next accrual (D-97).
    pub rate: Rate,
    /// The most dollars that an account may stake in a month (UTC).
    pub limit: Money,
    /// How long a redemption takes, in seconds.
    pub wait: u64,
    /// The most that is paid out on a UTC day; none if nothing bounds that.
    pub per_day: Option<Money>,
    /// Whether new stakes are refused.
    pub paused: bool,
}

impl Terms {
    /// How long a redemption takes, in microseconds.
    pub(crate) const fn wait_micros(&self) -> u64 {
        self.wait.saturating_mul(Time::SECOND)
    }

    /// Whether every term is in its range.
    fn are_valid(&self) -> bool {
        self.rate <= Rate::MAX
            && !self.limit.is_negative()
            && self.wait <= WAIT_MAX
            && self.per_day.is_none_or(|most| most > Money::ZERO)
    }
}

/// The command, and the event: the terms of a pair, new or changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairTerms {
    /// The provider.
    pub provider: Provider,
    /// The currency.
    pub currency: CurrencyId,
    /// The terms.
    pub terms: Terms,
}

/// Decides a command that sets terms.
pub(crate) fn decide<E: From<BytesRef>>(
    context: &Context<'_, Staking>,
    set: &PairTerms,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    context.currency(set.currency).ok_or(Reject::UnknownPair)?;
    if !set.terms.are_valid() {
        return Err(Reject::BadTerms);
    }
    let found = context.room.find(set.provider, set.currency).map(|(id, _)| id);
    match found {
        Some(id) => crate::accrue::end_days(context, id, out),
        None if context.room.pairs().count() >= PAIRS_MAX => return Err(Reject::TooManyPairs),
        None => {}
    }
    out.push_named(&crate::Infrequent::TermsSet(*set));
    if let Some(id) = found.filter(|id| context.room.longest_wait(*id) > set.terms.wait_micros()) {
        out.push_named(&crate::Infrequent::Shortened(id));
    }
    Ok(())
}

/// Applies the event.
pub(crate) fn evolve(books: &mut ContextMut<'_, Staking>, set: &PairTerms) {
    let seconds = books.time.seconds();
    let id = books.room.pair_or_new(set, seconds);
    books.room.roll(id, seconds);
    if let Some(pair) = books.room.pair_mut(id) {
        (pair.terms, pair.terms_set) = (set.terms, books.time);
    }
    books.room.note_terms(id, set);
}

/// The terms as one number, for fingerprints.
pub(crate) fn hashed(
    row: buttonwood_model::RowHash,
    id: PairId,
    set: &PairTerms,
) -> buttonwood_model::RowHash {
    let Terms { rate, limit, wait, per_day, paused } = set.terms;
    let row = row.word(id.0.into()).bytes(&set.provider.0).word(set.currency.0.into()).word(rate.0);
    let row = row.money(limit).word(wait).money(per_day.unwrap_or(Money::ZERO));
    row.word(paused.into())
}
