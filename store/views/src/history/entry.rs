//! The rows of the file of entries: what changed the balances of an account beside its trades on books of spot (D-171).
//!
//! Trades are rows of the file of trades already. Both kinds of rows share one numbering for each account: a trade takes three numbers (base,
//! quote, fee), an entry takes one.

use super::chain::Link;
use super::codec::{self, Damage, Position};
use super::row::Timed;
use buttonwood_engine::{About, Cause};
use buttonwood_model::{AccountId, Code, CurrencyId, OrderId, SymbolId, Time, TradeId};
use buttonwood_num::Money;

/// A change of a balance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

impl EntryRow {
    /// Appends the body of the row at `at`.
    pub(super) fn encode(&self, at: Position, links: EntryLinks, out: &mut Vec<u8>) {
        let [amount, amount_high] = codec::halves(codec::zigzag(self.amount.units()));
        let [balance, balance_high] = codec::halves(codec::zigzag(self.balance.units()));
        let [about, first, second] = match self.about {
            About::Nothing => [0; 3],
            About::Order(order) => [1, order.0, 0],
            About::Trade(order, trade) => [2, order.0, trade.0],
            About::Transfer(eid) => [3, eid, 0],
            About::Clearing(code, trade) => [4, code.to_bits(), trade.0],
            About::Staking(code) => [5, code.to_bits(), 0],
            About::Contract(contract) => [6, contract.0.into(), 0],
        };
        let [ordinal, prev, jump] = links.all.numbers(at);
        let [own_ordinal, own_prev, own_jump] = links.currency.numbers(at);
        let numbers = [
            u64::from(self.account.0),
            u64::from(self.currency.0),
            self.time.0,
            amount,
            amount_high,
            balance,
            balance_high,
            cause_code(self.cause),
            about,
            first,
            second,
            ordinal,
            prev,
            jump,
            own_ordinal,
            own_prev,
            own_jump,
            links.trades,
        ];
        codec::pack(out, &numbers);
    }

    /// Reads the body of the row at `at`.
    pub(super) fn decode(at: Position, body: &[u8]) -> Result<(Self, EntryLinks), Damage> {
        let (numbers, rest): ([u64; 18], _) = codec::unpack(body)?;
        let [account, currency, time, amount, amount_high, balance, balance_high, cause, about, rest_of @ ..] =
            numbers;
        let [first, second, ordinal, prev, jump, own_ordinal, own_prev, own_jump, trades] = rest_of;
        let money = |low, high| Money::from_units(codec::unzigzag(codec::whole(low, high)));
        let row = Self {
            account: AccountId(u32::try_from(account)?),
            currency: CurrencyId(u16::try_from(currency)?),
            time: Time(time),
            amount: money(amount, amount_high),
            balance: money(balance, balance_high),
            cause: cause_of(cause)?,
            about: about_of([about, first, second])?,
        };
        let links = EntryLinks {
            all: Link::from_numbers(at, [ordinal, prev, jump])?,
            currency: Link::from_numbers(at, [own_ordinal, own_prev, own_jump])?,
            trades,
        };
        if rest.is_empty() { Ok((row, links)) } else { Err(Damage) }
    }
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
