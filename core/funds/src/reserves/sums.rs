//! Assets and liabilities of a currency (D-166, D-180).

use crate::Funds;
use buttonwood_ledger::{INSTANT, Ledger, SOURCE, STAKING_POOL};
use buttonwood_model::CurrencyId;
use buttonwood_num::Money;

/// The sums of a currency: the house's and its customers'.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sums {
    /// The holdings of wallets and banks, and the debts of house accounts other than `source` and `instant` (D-180).
    pub assets: Money,
    /// The sum of all customers' balances, with what they have staked and are owed from redemptions.
    pub liabilities: Money,
}

/// The sums of a currency.
///
/// A currency with reported wallets has what these hold, the test credits that were not minted yet, and what networks have charged:
/// a sandbox counts all of it (D-166). Any other has what `source` gave out: all of it came from banks or was a
/// test credit, and settled payments went back to `source`.
pub fn sums(funds: &Funds, ledger: &Ledger, currency: CurrencyId) -> Sums {
    let (mut given_out, mut below_zero, mut liabilities) = (Money::ZERO, Money::ZERO, Money::ZERO);
    for house in ledger.houses() {
        let balance = ledger.balance(house.account, currency).total();
        // All that the pool has belongs to customers.
        if house.name != STAKING_POOL.name {
            liabilities -= balance;
        }
        if house.name == SOURCE.name {
            given_out = -balance;
        } else if balance.is_negative() && house.name != INSTANT.name {
            below_zero -= balance;
        }
    }
    let held = in_wallets(funds, currency).unwrap_or(given_out);
    Sums { assets: held.capped_add(below_zero), liabilities }
}

/// The holdings of a currency's wallets, with the amounts that count in addition; none without a reported wallet.
fn in_wallets(funds: &Funds, currency: CurrencyId) -> Option<Money> {
    let wallets = funds.reserves.wallets().filter(|wallet| wallet.currency == currency);
    let each = wallets.map(|wallet| {
        wallet.hot.capped_add(wallet.cold).capped_add(wallet.beside).capped_add(-wallet.minted)
    });
    let sum = each.reduce(Money::capped_add)?;
    let credited = funds.reserves.credited.get(&currency).copied().unwrap_or_default();
    Some(sum.capped_add(credited).capped_add(funds.reserves.cost(currency)))
}
