//! The rows of the file of staking, in memory and as bytes. They have no links: the history's database answers queries.

mod fold;

use super::packed::{forms, row};
use buttonwood_model::{AccountId, CurrencyId, Time};
use buttonwood_num::Money;

row! {
    /// A transaction of staking, or a redemption that is paid whole.
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

forms!(StakingKind, 4, {
    0 = Deposit {},
    1 = Redeem {},
    2 = Interest { rate: rate, price: price },
    3 = Paid { requested: requested },
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::codec::{self, Damage};
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
