//! The money that an order leaves which is not sent.

use buttonwood_ledger::Ledger;
use buttonwood_model::Side;
use buttonwood_num::Money;
use buttonwood_trading::preview::Expected;

/// The amount that a fill and its fee take of the currency that the order pays with. None beyond the range of money.
pub fn paid(expected: &Expected<'_>) -> Option<Money> {
    match expected.terms.class.side() {
        Side::Buy => expected.notional()?.checked_add(expected.fee()?),
        // A seller's fee is taken from the proceeds.
        Side::Sell => expected.terms.symbol.grid.base(expected.executed()),
    }
}

/// The amount that the account would have available of the currency that the order pays with, after its fills and the reserve of its rest. None beyond
/// the range of money.
pub fn available_after(ledger: &Ledger, expected: &Expected<'_>) -> Option<Money> {
    let terms = &expected.terms;
    let balance = ledger.balance(terms.account, terms.symbol.paid_in(terms.class.side()));
    balance.available.checked_sub(paid(expected)?)?.checked_sub(expected.reserved())
}
