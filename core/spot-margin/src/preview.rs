//! The money and the figures that an order leaves which is not sent.

use crate::account::{Account, Change};
use crate::desk::borrows;
use crate::{Figures, SpotMargin};
use buttonwood_index::Latest;
use buttonwood_ledger::Ledger;
use buttonwood_model::{OrderClass, Side};
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

/// The figures of the account now, and after the fills of a margin order with its rest live (MARG-008). None beyond the range of money.
pub fn now_and_after(
    margin: &SpotMargin,
    ledger: &Ledger,
    latest: &Latest,
    expected: &Expected<'_>,
) -> Option<[Figures; 2]> {
    let terms = &expected.terms;
    let (row, symbols) = (margin.row(terms.account), terms.floor.symbols.listed());
    let now = margin.account(ledger, latest, terms.account);
    let reserved = [row.buys, row.sells];
    let mut reserved_after = reserved;
    let side = reserved_after.get_mut(terms.class.side().index())?;
    *side = side.checked_add(terms.symbol.grid.notional(terms.price, expected.rests())?)?;
    Some([
        Figures::with(margin, symbols, &now, reserved)?,
        Figures::with(margin, symbols, &filled(now, expected)?, reserved_after)?,
    ])
}

/// The account after the fills, one after another as they settle. None beyond the range of money.
fn filled(mut account: Account, expected: &Expected<'_>) -> Option<Account> {
    let symbol = expected.terms.symbol;
    for (fill, fee) in &expected.fills {
        let base = symbol.grid.base(fill.qty)?;
        let value = symbol.grid.notional(fill.price, fill.qty)?;
        let [base, quote] = match expected.terms.class.side() {
            Side::Buy => [base, -value],
            Side::Sell => [-base, value],
        };
        let change = Change { base: (symbol.base, base), quote: (symbol.quote, quote), fee: *fee };
        account = account.after(symbol.quote, &change)?;
    }
    Some(account)
}
