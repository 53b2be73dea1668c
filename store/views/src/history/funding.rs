//! The rows of the file of funding, in memory and as bytes. They have no links: the history's database answers queries.

use super::codec::{self, Damage, Position};
use super::index::Index;
use super::kinds::Stored;
use buttonwood_model::{AccountId, SymbolId, Time};
use buttonwood_num::Money;

/// The amount of an hour of a perpetual, or what an account paid for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

impl Stored for FundingRow {
    fn put(&self, _at: Position, _index: &mut Index, out: &mut Vec<u8>) {
        self.encode(out);
    }

    fn take(_at: Position, body: &[u8]) -> Result<Self, Damage> {
        Self::decode(body)
    }
}

impl FundingRow {
    /// Appends the body of the row.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        let [amount, amount_high] = codec::halves(codec::zigzag(self.amount.units()));
        // Zero means no account.
        let account = self.account.map_or(0, |account| u64::from(account.0) + 1);
        codec::pack(out, &[account, u64::from(self.symbol.0), self.hour.0, amount, amount_high]);
    }

    /// Reads the body of a row.
    pub(super) fn decode(body: &[u8]) -> Result<Self, Damage> {
        let ([account, symbol, hour, amount, amount_high], rest) = codec::unpack(body)?;
        let account = account.checked_sub(1).map(u32::try_from).transpose()?;
        let row = Self {
            account: account.map(AccountId),
            symbol: SymbolId(u32::try_from(symbol)?),
            hour: Time(hour),
            amount: Money::from_units(codec::unzigzag(codec::whole(amount, amount_high))),
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
