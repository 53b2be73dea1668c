//! The rows of the file of staking, in memory and as bytes. They have no links: the history's database answers queries.

use super::codec::{self, Damage, Position};
use super::index::Index;
use super::kinds::Stored;
use buttonwood_model::{AccountId, CurrencyId, Time};
use buttonwood_num::Money;

/// A transaction of staking, or a redemption that is paid whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StakingRow {
    /// The account.
    pub account: AccountId,
    /// The provider's id, a version 4 UUID.
    pub provider: [u8; 16],
    /// The currency.
    pub currency: CurrencyId,
    /// The number of the transaction, of which its id is the code. A paid redemption has that of its request.
    pub number: u64,
    /// The whole amount, always positive.
    pub amount: Money,
    /// When it happened. Interest has the time of its accrual, also where it was paid later.
    pub time: Time,
    /// Its kind.
    pub kind: StakingKind,
}

/// The kind of a row of staking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StakingKind {
    /// A stake.
    Deposit,
    /// A request to redeem.
    Redeem,
    /// Interest.
    Interest {
        /// The rate of a year, in millionths of a basis point.
        rate: u64,
        /// The dollar price of one coin at the accrual; zero where there was none.
        price: Money,
    },
    /// A redemption whose last part was paid at the row's time.
    Paid {
        /// When it was requested.
        requested: Time,
    },
}

impl Stored for StakingRow {
    fn put(&self, _at: Position, _index: &mut Index, out: &mut Vec<u8>) {
        self.encode(out);
    }

    fn take(_at: Position, body: &[u8]) -> Result<Self, Damage> {
        Self::decode(body)
    }
}

impl StakingRow {
    /// Appends the body of the row.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        let [amount, amount_high] = codec::halves(codec::zigzag(self.amount.units()));
        let [provider, provider_high] = codec::halves(u128::from_be_bytes(self.provider));
        let (kind, first, [price, price_high]) = match self.kind {
            StakingKind::Deposit => (0, 0, [0; 2]),
            StakingKind::Redeem => (1, 0, [0; 2]),
            StakingKind::Interest { rate, price } => (2, rate, codec::halves(codec::zigzag(price.units()))),
            StakingKind::Paid { requested } => (3, requested.0, [0; 2]),
        };
        let numbers = [
            u64::from(self.account.0),
            provider,
            provider_high,
            u64::from(self.currency.0),
            self.number,
            amount,
            amount_high,
            self.time.0,
            kind,
            first,
            price,
            price_high,
        ];
        codec::pack(out, &numbers);
    }

    /// Reads the body of a row.
    pub(super) fn decode(body: &[u8]) -> Result<Self, Damage> {
        let (numbers, rest): ([u64; 12], _) = codec::unpack(body)?;
        let [account, provider, provider_high, currency, number, amount, amount_high, time, kind @ ..] =
            numbers;
        let money = |low, high| Money::from_units(codec::unzigzag(codec::whole(low, high)));
        let row = Self {
            account: AccountId(u32::try_from(account)?),
            provider: codec::whole(provider, provider_high).to_be_bytes(),
            currency: CurrencyId(u16::try_from(currency)?),
            number,
            amount: money(amount, amount_high),
            time: Time(time),
            kind: match kind {
                [0, 0, 0, 0] => StakingKind::Deposit,
                [1, 0, 0, 0] => StakingKind::Redeem,
                [2, rate, price, high] => StakingKind::Interest { rate, price: money(price, high) },
                [3, requested, 0, 0] => StakingKind::Paid { requested: Time(requested) },
                _ => return Err(Damage),
            },
        };
        if rest.is_empty() { Ok(row) } else { Err(Damage) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_come_back(
            (account, currency, provider) in any::<(u32, u16, [u8; 16])>(),
            [number, time, first] in any::<[u64; 3]>(),
            (amount, price) in any::<(i128, i128)>(),
            kind in 0_usize..4,
        ) {
            let kinds = [
                StakingKind::Deposit,
                StakingKind::Redeem,
                StakingKind::Interest { rate: first, price: Money::from_units(price) },
                StakingKind::Paid { requested: Time(first) },
            ];
            let row = StakingRow {
                account: AccountId(account),
                provider,
                currency: CurrencyId(currency),
                number,
                amount: Money::from_units(amount),
                time: Time(time),
                kind: kinds[kind],
            };
            let mut out = Vec::new();
            row.encode(&mut out);
            prop_assert_eq!(StakingRow::decode(&out), Ok(row));
            out.push(0);
            prop_assert_eq!(StakingRow::decode(&out), Err(Damage));
            out.truncate(2);
            prop_assert_eq!(StakingRow::decode(&out), Err(Damage));
        }
    }

    #[test]
    fn numbers_that_are_no_row_are_refused() {
        for tail in [[0, 1, 0, 0], [1, 0, 1, 0], [3, 1, 0, 1], [4, 0, 0, 0]] {
            let mut numbers = [0; 12];
            numbers[8..].copy_from_slice(&tail);
            let mut out = Vec::new();
            codec::pack(&mut out, &numbers);
            assert_eq!(StakingRow::decode(&out), Err(Damage), "{tail:?}");
        }
    }
}
