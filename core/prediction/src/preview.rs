//! Cost and remaining money of an order of a contract that is not sent.

use crate::{buys, own_notional};
use buttonwood_ledger::Ledger;
use buttonwood_model::{AssetId, Claim};
use buttonwood_num::Money;
use buttonwood_trading::preview::Expected;

/// The cost of its fills at the prices of its own outcome, or their proceeds if it sells. None beyond the range of money.
pub fn cost(expected: &Expected<'_>) -> Option<Money> {
    let terms = &expected.terms;
    own_notional(terms.symbol, terms.class.claim(), expected.executed(), expected.notional()?)
}

/// The dollars that the claims of a buy would pay if their outcome came, those of its rest included; none of a sale.
pub fn payout(expected: &Expected<'_>) -> Option<Money> {
    let terms = &expected.terms;
    let claims = expected.executed() + expected.rests();
    if buys(terms.class) { terms.symbol.grid.base(claims) } else { None }
}

/// The amount that the account would have available of what the order pays with: dollars of a buy, claims of a sale. Pairs that a buy completes have
/// netted (D-110). None beyond the range of money.
pub fn available_after(ledger: &Ledger, expected: &Expected<'_>) -> Option<Money> {
    let terms = &expected.terms;
    let (contract, claim) = (terms.symbol_id, terms.class.claim());
    let available = |asset: AssetId| ledger.balance(terms.account, asset).available;
    let claims = terms.symbol.grid.base(expected.executed())?;
    let own = available(AssetId::claim(contract, claim));
    if !buys(terms.class) {
        return own.checked_sub(claims)?.checked_sub(expected.reserved());
    }
    let paid = cost(expected)?.checked_add(expected.fee()?)?.checked_add(expected.reserved())?;
    let other = match claim {
        Claim::Yes => Claim::No,
        Claim::No => Claim::Yes,
    };
    let pairs = own.checked_add(claims)?.min(available(AssetId::claim(contract, other)));
    let netted = if expected.fills.is_empty() { Money::ZERO } else { pairs };
    available(terms.symbol.quote.into()).checked_sub(paid)?.checked_add(netted)
}
