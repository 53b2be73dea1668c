//! Balances and positions of an account, as streams show them: the figures of `/v1/balances` and of both lists of positions.

use buttonwood_engine::{Balance, State};
use buttonwood_model::{AccountId, Claim, CurrencyId, SymbolId};
use buttonwood_num::{MONEY_DECIMALS, Money};

/// An account's balance of a currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccountBalance {
    /// The currency.
    pub currency: CurrencyId,
    /// The whole balance, holds of orders included.
    pub total: Money,
    /// The part that orders may use.
    pub available: Money,
}

/// A position of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccountPosition {
    /// The perpetual or the contract.
    pub symbol: SymbolId,
    /// The outcome of a contract; none of a perpetual.
    pub claim: Option<Claim>,
    /// How much: of a perpetual negative if it is short, of a contract if its outcome is no.
    pub quantity: Money,
}

/// The balances of an account, by currency, also those that are too small to be shown (`is_shown` is false then).
pub fn balances_of(state: &State, account: AccountId) -> Vec<(AccountBalance, bool)> {
    let row = |(currency, balance): (CurrencyId, Balance)| {
        let (total, available) = (balance.total(), usable(state, account, currency, balance));
        let decimals = state.currencies().get(currency.index()).map_or(0, |currency| currency.decimals);
        (AccountBalance { currency, total, available }, is_shown(total, decimals))
    };
    let mut rows: Vec<_> = state.ledger().balances_of(account).map(row).collect();
    rows.sort_unstable_by_key(|(balance, _)| balance.currency);
    rows
}

/// The positions of an account, by symbol.
pub fn positions_of(state: &State, account: AccountId) -> Vec<AccountPosition> {
    let perpetuals = state.perps().rows_of(account).filter(|row| !row.position.is_flat());
    let perpetuals = perpetuals.map(|row| AccountPosition {
        symbol: row.symbol,
        claim: None,
        quantity: row.position.quantity,
    });
    let holdings = state.predictions().holdings_of(state.ledger(), account);
    let contracts = holdings.map(|holding| AccountPosition {
        symbol: holding.contract,
        claim: Some(holding.claim),
        quantity: match holding.claim {
            Claim::Yes => holding.quantity,
            Claim::No => -holding.quantity,
        },
    });
    let mut all: Vec<_> = perpetuals.chain(contracts).collect();
    all.sort_unstable_by_key(|position| position.symbol);
    all
}

/// The part of a balance that orders may use: nothing while the account owes for a returned advance (D-167).
pub fn usable(state: &State, account: AccountId, currency: CurrencyId, balance: Balance) -> Money {
    if state.access().is_in_debt(account) {
        return Money::ZERO;
    }
    let most = state.margined(account, currency).map(|[most, _]| most);
    most.unwrap_or(balance.available)
}

/// Whether an amount is more than zero when cut to this many decimals (facts F§1: rows with a non-zero balance).
pub fn is_shown(amount: Money, decimals: u8) -> bool {
    let least = 10i128.pow(u32::from(MONEY_DECIMALS.saturating_sub(decimals)));
    amount.units() >= least
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Dollars have 15 decimals of the 19 that are counted (TYPE-021).
    #[test]
    fn less_than_the_last_decimal_is_not_shown() {
        for (units, decimals, shown) in
            [(0, 19, false), (1, 19, true), (9_999, 15, false), (10_000, 15, true), (i128::MAX, 15, true)]
        {
            assert_eq!(is_shown(Money::from_units(units), decimals), shown, "{units} {decimals}");
        }
    }
}
