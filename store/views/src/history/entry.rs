//! The rows of the file of entries: what changed the balances of an account beside its trades on books of spot (D-171).
//!
//! Trades are rows of the file of trades already. Both kinds of rows share one numbering for each account: a trade takes three numbers (base,
//! quote, fee), an entry takes one.

use super::chain::Link;
use super::codec::Damage;
use super::packed::{coded, forms, links, row};
use super::row::Timed;
use buttonwood_engine::{About, Cause};
use buttonwood_model::{AccountId, CurrencyId, Time};
use buttonwood_num::Money;

row! {
    /// A change of a balance.
    pub struct EntryRow {
        /// The account.
        pub account: AccountId,
        /// The currency.
        pub currency: CurrencyId,
        /// When it changed.
        pub time: Time,
        /// The amount that was added; negative if it was taken.
        pub amount: Money,
        /// The balance after it: all rows of the account and the currency so far.
        pub balance: Money,
        /// The cause of the change.
        pub cause: Cause,
        /// The record that it refers to.
        pub about: About,
    } linked by EntryLinks
}

impl Timed for EntryRow {
    fn millis(&self) -> u64 {
        self.time.millis()
    }
}

links! {
    /// The links of an entry.
    pub(super) struct EntryLinks of EntryRow {
        /// Among all entries of its account.
        pub(super) all: Link,
        /// Among those in its currency.
        pub(super) currency: Link,
        /// How many trades of the account were before it.
        pub(super) trades: u64,
    }
}

forms!(About, 3, {
    0 = Nothing {},
    1 = Order { 0: order },
    2 = Trade { 0: order, 1: trade },
    3 = Transfer { 0: eid },
    4 = Clearing { 0: code, 1: trade },
    5 = Staking { 0: code },
    6 = Contract { 0: contract },
});

coded! {
    Cause, cause_code, cause_of;
}

/// The number of a cause in the file: its place in [`Cause::ALL`], which only ever grows at its end.
fn cause_code(cause: Cause) -> u64 {
    let place = Cause::ALL.iter().position(|known| *known == cause);
    u64::try_from(place.expect("every cause is listed")).unwrap_or_default()
}

fn cause_of(code: u64) -> Result<Cause, Damage> {
    Cause::ALL.get(usize::try_from(code)?).copied().ok_or(Damage)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Position;
    use crate::history::packed::{Body, Packed};
    use buttonwood_model::Codes;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_come_back(account: u32, numbers: [u64; 4], amount: i128, balance: i128, kind in 0_usize..161) {
            let [time, first, second, trades] = numbers;
            let code = Codes::default().code(first).to_bits();
            let abouts = [
                [0, 0, 0], [1, first, 0], [2, first, second], [3, first, 0], [4, code, second], [5, code, 0], [6, account.into(), 0],
            ];
            let row = EntryRow {
                account: AccountId(account),
                currency: CurrencyId(7),
                time: Time(time),
                amount: Money::from_units(amount),
                balance: Money::from_units(balance),
                cause: Cause::ALL[kind % Cause::ALL.len()],
                about: about_of(abouts[kind % 7]).unwrap(),
            };
            let at = Position::new(1_000).unwrap();
            let link = |ordinal| Link { ordinal, prev: Position::new(900), jump: None };
            let links = EntryLinks { all: link(3), currency: link(2), trades };
            let mut out = Vec::new();
            row.encode(at, links, &mut out);
            prop_assert_eq!(EntryRow::decode(at, &out), Ok((row, links)));
            out.push(0);
            prop_assert_eq!(EntryRow::decode(at, &out), Err(Damage));
            out.truncate(2);
            prop_assert_eq!(EntryRow::decode(at, &out), Err(Damage));
        }
    }

    fn about_of(numbers: [u64; 3]) -> Result<About, Damage> {
        Packed::take(&mut Body { numbers: &numbers, rest: &[] })
    }

    #[test]
    fn numbers_that_are_no_entry_are_refused() {
        assert_eq!((cause_of(22), cause_of(23)), (Ok(Cause::Reward), Err(Damage)));
        for about in [[6, 0, 1], [6, 1 << 32, 0], [7, 0, 0]] {
            assert_eq!(about_of(about), Err(Damage), "{about:?}");
        }
        assert_eq!(about_of([0, 1, 0]), Err(Damage));
        assert_eq!(about_of([4, 0, 0]), Err(Damage));
    }
}
