//! How much each account has traded, in dollars, by UTC day. Fee tiers depend on the 30 days before the last midnight.
//!
//! A trade adds to the counters of its two accounts for the current day and allocates nothing. At midnight a due command
//! computes the totals; while no account's total would change, none is due.

use crate::References;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use buttonwood_model::{AccountId, CurrencyId, Day, Product, Symbol, SymbolId, Time};
use buttonwood_num::Money;
use buttonwood_rates::FxPair;
use serde::{Deserialize, Serialize};

/// The days whose volume decides an account's tier (VOL-005).
pub const WINDOW_DAYS: u64 = 30;

/// The volumes of every account, maker and taker parts alike. Amounts are in dollars and saturate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Volumes {
    /// The day that `today` counts.
    day: Day,
    /// The end of that day. Zero before its first trade, so that one comparison finds the first trade of a day.
    end: Time,
    /// By account: traded on `day`.
    today: Vec<Money>,
    /// Earlier days with trades, oldest first; at most [`WINDOW_DAYS`] for each account. A void trade keeps its day, and if
    /// it is of the current day, adds that day with zero.
    past: BTreeMap<AccountId, Vec<(Day, Money)>>,
    /// By account: the total as of the midnight that was computed last.
    totals: Vec<Money>,
    /// The day whose first midnight changes a total next.
    due: Option<Day>,
    /// By symbol: how its trades are valued.
    values: Vec<Value>,
    /// By symbol: the pair of its quote currency, if that is a foreign currency with rates.
    pairs: Vec<Option<FxPair>>,
    /// By symbol: whether its quote currency is a wrapped dollar.
    wrapped: Vec<bool>,
    /// The references of quote currencies.
    pub references: References,
}

/// How the trades of a symbol are valued in dollars (VOL-003). All but dollars count by [`References`] as soon as these are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Value {
    /// Not at a price: no symbol trades its quote currency in dollars.
    Unknown,
    /// Its quote currency is the dollar.
    Dollars,
    /// At the last price of this symbol.
    AtLastPriceOf(SymbolId),
}

impl Volumes {
    /// Gives a new account its counters.
    pub(crate) fn open_account(&mut self, account: AccountId) {
        for counters in [&mut self.today, &mut self.totals] {
            counters.resize(account.index() + 1, Money::ZERO);
        }
    }

    /// Chooses how the trades of the symbol listed last are valued: at the price of the spot symbol of its quote
    /// currency in dollars, the one listed first if there are several, and without a price at the rate of `pair`. Stablecoins
    /// are valued too, since their price need not be 1. As soon as references are used, they count one instead: `is_wrapped` says whether
    /// the quote currency is one.
    pub(crate) fn list(
        &mut self,
        symbols: &[Symbol],
        dollar: Option<CurrencyId>,
        (pair, is_wrapped): (Option<FxPair>, bool),
    ) {
        let trades = |symbol: &Symbol, base: CurrencyId| {
            symbol.product == Product::Spot && symbol.base == base && Some(symbol.quote) == dollar
        };
        let Some(listed) = symbols.last() else { return };
        self.pairs.push(pair);
        self.wrapped.push(is_wrapped);
        let priced = symbols.iter().position(|symbol| trades(symbol, listed.quote));
        self.values.push(match priced {
            _ if Some(listed.quote) == dollar => Value::Dollars,
            Some(at) => Value::AtLastPriceOf(SymbolId::from_index(at)),
            None => Value::Unknown,
        });
        for (value, symbol) in self.values.iter_mut().zip(symbols) {
            if *value == Value::Unknown && trades(listed, symbol.quote) {
                *value = Value::AtLastPriceOf(SymbolId::from_index(symbols.len() - 1));
            }
        }
    }

    /// The pair at whose rate the trades of a symbol are valued where [`Value`] gives no price.
    pub fn pair_of(&self, symbol: SymbolId) -> Option<FxPair> {
        self.pairs.get(symbol.index()).copied().flatten()
    }

    /// Whether the quote currency of a symbol is a wrapped dollar.
    pub fn is_wrapped(&self, symbol: SymbolId) -> bool {
        self.wrapped.get(symbol.index()).copied().unwrap_or(false)
    }

    /// Whether the trades of a symbol count by references.
    pub fn goes_by_reference(&self, symbol: SymbolId) -> bool {
        self.references.are_used() && self.value_of(symbol) != Value::Dollars
    }

    /// How the trades of a symbol are valued.
    #[inline]
    pub fn value_of(&self, symbol: SymbolId) -> Value {
        self.values.get(symbol.index()).copied().unwrap_or(Value::Unknown)
    }

    /// Counts a trade of two accounts.
    #[inline]
    pub(crate) fn count(&mut self, time: Time, accounts: [AccountId; 2], value: Money) {
        if value == Money::ZERO {
            return;
        }
        if time >= self.end {
            self.begin_day(Day::of(time));
        }
        for account in accounts {
            let traded = self.today.get_mut(account.index()).expect("an account is opened before it trades");
            *traded = traded.capped_add(value);
        }
    }

    /// Takes back what a trade counted, of which the trade is void at `now` (VOL-014). A computed total is corrected too.
    /// The days stay, so that no midnight that is due becomes another.
    pub(crate) fn take_back(&mut self, time: Time, accounts: [AccountId; 2], value: Money, now: Time) {
        let (day, computed) = (Day::of(time), self.as_of(now));
        let is_open = self.end > Time(0) && day == self.day;
        let is_in_total = day < computed && day.plus(WINDOW_DAYS) >= computed;
        for account in accounts {
            let days = self.past.entry(account).or_default();
            if is_open {
                reduce(self.today.get_mut(account.index()), value);
                if days.last().is_none_or(|(last, _)| *last < day) {
                    days.push((day, Money::ZERO));
                }
            } else {
                reduce(days.iter_mut().find(|(past, _)| *past == day).map(|(_, traded)| traded), value);
            }
            if is_in_total {
                reduce(self.totals.get_mut(account.index()), value);
            }
        }
    }

    #[cold]
    fn begin_day(&mut self, day: Day) {
        self.end_day();
        self.drop_before(day.minus(WINDOW_DAYS));
        self.day = day;
        self.end = day.plus(1).start();
        // A midnight that is overdue stays due.
        self.due = Some(self.due.map_or(day.plus(1), |due| due.min(day.plus(1))));
    }

    /// Moves the counters of the current day to the past ones.
    fn end_day(&mut self) {
        for (at, traded) in self.today.iter_mut().enumerate() {
            let traded = core::mem::take(traded);
            if traded > Money::ZERO {
                let days = self.past.entry(AccountId::from_index(at)).or_default();
                match days.last_mut() {
                    // A trade of the day is void.
                    Some((day, sum)) if *day == self.day => *sum = sum.capped_add(traded),
                    Some(_) | None => days.push((self.day, traded)),
                }
            }
        }
        self.end = Time(0);
    }

    fn drop_before(&mut self, oldest: Day) {
        self.past.retain(|_, days| {
            days.retain(|(day, _)| *day >= oldest);
            !days.is_empty()
        });
    }

    /// Computes every total as of the midnight with which a day begins.
    pub(crate) fn close(&mut self, day: Day) {
        if self.day < day {
            self.end_day();
        }
        self.drop_before(day.minus(WINDOW_DAYS));
        self.totals.fill(Money::ZERO);
        for (account, days) in &self.past {
            if let Some(total) = self.totals.get_mut(account.index()) {
                *total = days.iter().fold(Money::ZERO, |sum, (_, traded)| sum.capped_add(*traded));
            }
        }
        let oldest = self.past.values().filter_map(|days| days.first()).map(|(day, _)| *day).min();
        let leaves = oldest.map(|oldest| oldest.plus(WINDOW_DAYS + 1));
        let enters = (self.end > Time(0)).then(|| self.day.plus(1));
        self.due = leaves.into_iter().chain(enters).min();
    }

    /// The midnight at which a total changes next.
    pub fn due(&self) -> Option<Time> {
        self.due.map(Day::start)
    }

    /// An account's volume of the 30 days before the midnight that was computed last (VOL-005).
    #[inline]
    pub fn total(&self, account: AccountId) -> Money {
        self.totals.get(account.index()).copied().unwrap_or_default()
    }

    /// The day with whose first midnight the totals agree at `now`: the current day, unless a computation is overdue.
    pub fn as_of(&self, now: Time) -> Day {
        let today = Day::of(now);
        self.due.map_or(today, |due| today.min(due.minus(1)))
    }

    /// The days before the midnight of [`Volumes::as_of`] on which an account traded, oldest first.
    pub fn days(&self, account: AccountId, now: Time) -> impl Iterator<Item = (Day, Money)> {
        let until = self.as_of(now);
        let days = self.past.get(&account).into_iter().flatten().copied();
        days.filter(move |(day, _)| *day < until && day.plus(WINDOW_DAYS) >= until)
    }
}

/// Lowers a counter, not below zero.
fn reduce(counter: Option<&mut Money>, value: Money) {
    if let Some(counter) = counter {
        *counter = (*counter - value).max(Money::ZERO);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANN: AccountId = AccountId(0);
    const BOB: AccountId = AccountId(2);

    fn units(units: i128) -> Money {
        Money::from_units(units)
    }

    fn volumes() -> Volumes {
        let mut volumes = Volumes::default();
        volumes.open_account(BOB);
        volumes
    }

    fn noon(day: u64) -> Time {
        Day(day).start().plus(Day::MICROS / 2)
    }

    /// Proves VOL-004, VOL-005.
    #[test]
    fn a_total_changes_at_midnight_when_a_day_enters_or_leaves() {
        let mut volumes = volumes();
        assert_eq!((volumes.due(), volumes.as_of(noon(7))), (None, Day(7)));
        volumes.count(noon(100), [ANN, BOB], units(5));
        volumes.count(Time(Day(101).start().0 - 1), [BOB, ANN], units(2));
        volumes.count(noon(100), [ANN, BOB], Money::ZERO);
        assert_eq!((volumes.total(ANN), volumes.due()), (units(0), Some(Day(101).start())));
        assert_eq!((volumes.days(ANN, noon(100)).count(), volumes.as_of(noon(100))), (0, Day(100)));
        volumes.close(Day(101));
        assert_eq!(
            (volumes.total(ANN), volumes.total(BOB), volumes.total(AccountId(1))),
            (units(7), units(7), units(0))
        );
        assert_eq!(volumes.due(), Some(Day(131).start()));
        assert!(volumes.days(BOB, noon(130)).eq([(Day(100), units(7))]));
        volumes.count(Day(102).start(), [ANN, BOB], units(1));
        assert_eq!(volumes.due(), Some(Day(103).start()));
        volumes.close(Day(103));
        assert_eq!((volumes.total(ANN), volumes.due()), (units(8), Some(Day(131).start())));
        volumes.close(Day(131));
        assert_eq!((volumes.total(ANN), volumes.due()), (units(1), Some(Day(133).start())));
        volumes.close(Day(133));
        assert_eq!((volumes.total(ANN), volumes.due(), volumes.past.len()), (units(0), None, 0));
    }

    /// A trade may come after midnight and before the computation. The midnight stays due, and its totals do not contain the
    /// trade.
    #[test]
    fn an_overdue_midnight_stays_due() {
        let mut volumes = volumes();
        volumes.count(noon(100), [ANN, BOB], units(5));
        volumes.count(noon(102), [ANN, BOB], units(3));
        assert_eq!((volumes.due(), volumes.as_of(noon(102))), (Some(Day(101).start()), Day(100)));
        volumes.close(Day(102));
        assert_eq!((volumes.total(ANN), volumes.due()), (units(5), Some(Day(103).start())));
        // A directory of an earlier build has days without any computation; only the last 30 are kept.
        for day in 103..200 {
            volumes.count(noon(day), [ANN, BOB], units(1));
        }
        assert_eq!((volumes.past[&ANN].len(), volumes.due()), (30, Some(Day(103).start())));
        volumes.close(Day(199));
        assert_eq!((volumes.total(ANN), volumes.due()), (units(30), Some(Day(200).start())));
    }
}
