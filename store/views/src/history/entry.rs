//! The rows of the file of entries: what changed the balances of an account beside its trades on books of spot (D-171).
//!
//! Trades are rows of the file of trades already. Both kinds of rows share one numbering for each account: a trade takes three numbers (base,
//! quote, fee), an entry takes one.

use super::chain::Link;
use super::codec::{Damage, Position};
use super::packed::{Body, Packed, coded, row};
use super::row::Timed;
use buttonwood_engine::{About, Cause};
use buttonwood_model::{AccountId, Code, CurrencyId, OrderId, SymbolId, Time, TradeId};
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

/// The links of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EntryLinks {
    /// Among all entries of its account.
    pub(super) all: Link,
    /// Among those in its currency.
    pub(super) currency: Link,
    /// How many trades of the account were before it.
    pub(super) trades: u64,
}

impl EntryLinks {
    /// How many numbers they are.
    const NUMBERS: usize = 7;

    /// The links of the row at `at` as numbers.
    fn numbers(self, at: Position) -> [u64; Self::NUMBERS] {
        let [ordinal, prev, jump] = self.all.numbers(at);
        let [own_ordinal, own_prev, own_jump] = self.currency.numbers(at);
        [ordinal, prev, jump, own_ordinal, own_prev, own_jump, self.trades]
    }

    /// The links that these numbers encode.
    fn from_numbers(at: Position, numbers: [u64; Self::NUMBERS]) -> Result<Self, Damage> {
        let [ordinal, prev, jump, own_ordinal, own_prev, own_jump, trades] = numbers;
        Ok(Self {
            all: Link::from_numbers(at, [ordinal, prev, jump])?,
            currency: Link::from_numbers(at, [own_ordinal, own_prev, own_jump])?,
            trades,
        })
    }
}

impl Packed for About {
    const COUNT: usize = 3;

    fn put(&self, next: &mut impl FnMut(u64)) {
        let numbers = match *self {
            Self::Nothing => [0; 3],
            Self::Order(order) => [1, order.0, 0],
            Self::Trade(order, trade) => [2, order.0, trade.0],
            Self::Transfer(eid) => [3, eid, 0],
            Self::Clearing(code, trade) => [4, code.to_bits(), trade.0],
            Self::Staking(code) => [5, code.to_bits(), 0],
            Self::Contract(contract) => [6, contract.0.into(), 0],
        };
        numbers.into_iter().for_each(next);
    }

    fn take(body: &mut Body<'_>) -> Result<Self, Damage> {
        about_of(body.numbers_of()?)
    }
}

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

fn about_of(numbers: [u64; 3]) -> Result<About, Damage> {
    match numbers {
        [0, 0, 0] => Ok(About::Nothing),
        [1, order, 0] => Ok(About::Order(OrderId(order))),
        [2, order, trade] => Ok(About::Trade(OrderId(order), TradeId(trade))),
        [3, eid, 0] => Ok(About::Transfer(eid)),
        [4, code, trade] => {
            Code::from_bits(code).map(|code| About::Clearing(code, TradeId(trade))).ok_or(Damage)
        }
        [5, code, 0] => Code::from_bits(code).map(About::Staking).ok_or(Damage),
        [6, contract, 0] => Ok(About::Contract(SymbolId(u32::try_from(contract)?))),
        _ => Err(Damage),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttonwood_model::Codes;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_come_back(account: u32, numbers: [u64; 4], amount: i128, balance: i128, kind in 0_usize..161) {
            let [time, first, second, trades] = numbers;
            let abouts = [
                About::Nothing,
                About::Order(OrderId(first)),
                About::Trade(OrderId(first), TradeId(second)),
                About::Transfer(first),
                About::Clearing(Codes::default().code(first), TradeId(second)),
                About::Staking(Codes::default().code(second)),
                About::Contract(SymbolId(account)),
            ];
            let row = EntryRow {
                account: AccountId(account),
                currency: CurrencyId(7),
                time: Time(time),
                amount: Money::from_units(amount),
                balance: Money::from_units(balance),
                cause: Cause::ALL[kind % Cause::ALL.len()],
                about: abouts[kind % 7],
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
