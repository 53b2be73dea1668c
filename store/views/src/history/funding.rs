//! The rows of the file of funding, in memory and as bytes. They have no links: the history's database answers queries.

use super::packed::row;
use buttonwood_model::{AccountId, SymbolId, Time};
use buttonwood_num::Money;

row! {
    /// The amount of an hour of a perpetual, or what an account paid for it.
    pub struct FundingRow {
        /// The account that paid or received; none for the amount itself.
        pub account: Option<AccountId>,
        /// The perpetual.
        pub symbol: SymbolId,
        /// The hour's end.
        pub hour: Time,
        /// Of an account, what it paid; negative if it received. Otherwise the amount for one unit of base; positive if longs pay.
        pub amount: Money,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::codec::Damage;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_come_back(account: Option<u32>, symbol: u32, hour: u64, amount: i128) {
            let row = FundingRow {
                account: account.map(AccountId),
                symbol: SymbolId(symbol),
                hour: Time(hour),
                amount: Money::from_units(amount),
            };
            let mut out = Vec::new();
            row.encode(&mut out);
            prop_assert_eq!(FundingRow::decode(&out), Ok(row));
            out.push(0);
            prop_assert_eq!(FundingRow::decode(&out), Err(Damage));
            out.truncate(2);
            prop_assert_eq!(FundingRow::decode(&out), Err(Damage));
        }
    }
}
