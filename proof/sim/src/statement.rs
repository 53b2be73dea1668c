//! The law of the statement: for each account and currency the lines sum to the balance, and each says the sum so far (D-171).

use crate::check::Finding;
use crate::memory::{Odd, told};
use buttonwood_model::{AccountId, CurrencyId};
use buttonwood_num::Money;
use buttonwood_views::Views;
use buttonwood_views::history::{EntriesFrom, Limit, Lines};

/// Lines of a page.
const PAGE: Limit = Limit { rows: 500, most: 500 };

/// Checks every balance of customers, on a disk that may fail: what cannot be read is no finding.
pub(crate) fn explained_if_read(views: &Views) -> Result<(), Finding> {
    match all_explained(views) {
        Ok(()) | Err(Odd::Untold(_)) => Ok(()),
        Err(Odd::Wrong(finding)) => Err(finding),
    }
}

/// Checks every balance of customers.
pub(crate) fn all_explained(views: &Views) -> Result<(), Odd> {
    let state = views.state();
    let own = state.ledger().balances().filter(|(account, ..)| !state.ledger().is_house(*account));
    for (account, asset, _) in own {
        let Some(currency) = asset.currency() else { continue };
        explained(views, account, currency)?;
    }
    Ok(())
}

/// Checks one balance, page by page.
pub(crate) fn explained(views: &Views, account: AccountId, currency: CurrencyId) -> Result<(), Odd> {
    let state = views.state();
    if state.ledger().is_house(account) {
        return Ok(());
    }
    let lines = Lines::of(state, views.history(), account, Some(currency));
    let (mut sum, mut after) = (Money::ZERO, 0);
    loop {
        let page = told(views, |history| lines.page(history, EntriesFrom::After(after), PAGE))?;
        let Some(last) = page.last() else { break };
        after = last.id;
        for line in &page {
            sum += line.amount;
            if sum != line.balance {
                return Err(Odd::Wrong(format!("{line:?} of {account:?} follows lines that sum to {sum:?}")));
            }
        }
    }
    let balance = state.ledger().balance(account, currency);
    if sum == balance.total() {
        Ok(())
    } else {
        Err(Odd::Wrong(format!("lines of {account:?} in {currency:?} sum to {sum:?}, it has {balance:?}")))
    }
}
