//! The movements of money.

use crate::Staking;
use buttonwood_ledger::{
    About, Bucket, Cause, Ledger, Posting, Reason, SOURCE, STAKING_POOL, STAKING_REWARDS,
};
use buttonwood_model::{AccountId, CurrencyId};
use buttonwood_num::Money;

/// The house accounts of staking.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Houses {
    /// What is staked, and what redemptions owe.
    pub(crate) pool: AccountId,
    /// What interest is paid from.
    pub(crate) rewards: AccountId,
}

/// The house accounts, if they are open.
pub(crate) fn houses(ledger: &Ledger) -> Option<Houses> {
    let (pool, rewards) = ledger.house(STAKING_POOL.name).zip(ledger.house(STAKING_REWARDS.name))?;
    Some(Houses { pool, rewards })
}

/// Moves an amount of a currency between two accounts, because of a transaction.
pub(crate) fn shift(
    ledger: &mut Ledger,
    [from, to]: [AccountId; 2],
    currency: CurrencyId,
    amount: Money,
    reason: Reason,
) {
    let posting =
        |account, amount| Posting { account, asset: currency.into(), bucket: Bucket::Available, amount };
    ledger.post(reason, &[posting(from, -amount), posting(to, amount)]);
}

/// Moves an amount of an account into the pool.
pub(crate) fn into_pool(
    ledger: &mut Ledger,
    (account, currency): (AccountId, CurrencyId),
    amount: Money,
    reason: Reason,
) {
    if let Some(houses) = houses(ledger) {
        shift(ledger, [account, houses.pool], currency, amount, reason);
    }
}

/// Pays an account from the pool.
pub(crate) fn from_pool(
    ledger: &mut Ledger,
    (account, currency): (AccountId, CurrencyId),
    amount: Money,
    reason: Reason,
) {
    if let Some(houses) = houses(ledger) {
        shift(ledger, [houses.pool, account], currency, amount, reason);
    }
}

/// The reason of a movement that belongs to a transaction.
pub(crate) fn reason(room: &Staking, cause: Cause, number: u64) -> Reason {
    cause.about(room.code(number).map_or(About::Nothing, About::Staking))
}

/// Pays `staking_rewards` from `source`.
pub(crate) fn fund(ledger: &mut Ledger, currency: CurrencyId, amount: Money) {
    if let Some((houses, source)) = houses(ledger).zip(ledger.house(SOURCE.name)) {
        let posting =
            |account, amount| Posting { account, asset: currency.into(), bucket: Bucket::Available, amount };
        ledger.post(Cause::Adjustment, &[posting(source, -amount), posting(houses.rewards, amount)]);
    }
}
