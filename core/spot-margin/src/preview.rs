//! The money that an order leaves which is not sent.

use crate::desk::borrows;
use buttonwood_ledger::Ledger;
use buttonwood_model::OrderClass;
use buttonwood_num::Money;
use buttonwood_spot as spot;
use buttonwood_trading::preview::Expected;

/// Whether the fills of an incoming order are judged one after another: of one that buys on margin.
pub fn judges_fills(class: OrderClass) -> bool {
    borrows(class.desk(), class.side())
}

/// The amount that the account would have available of the currency that the order pays with, after its fills and the reserve of its rest: a margin buy
/// reserves nothing, and borrows what its fills lack. None beyond the range of money.
pub fn available_after(ledger: &Ledger, expected: &Expected<'_>) -> Option<Money> {
    let terms = &expected.terms;
    if !borrows(terms.class.desk(), terms.class.side()) {
        return spot::available_after(ledger, expected);
    }
    let available = ledger.balance(terms.account, terms.symbol.quote).available;
    let left = available.checked_sub(spot::paid(expected)?)?;
    // Without fills nothing is lent.
    Some(if expected.fills.is_empty() { available } else { left.max(Money::ZERO) })
}
