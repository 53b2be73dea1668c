//! Derivatives: margin, positions, funding and the risk of perpetuals.

pub(crate) mod amount_report;
pub(crate) mod funding;
pub(crate) mod margin;
pub(crate) mod payment_report;
pub(crate) mod payments;
pub(crate) mod positions;
mod positions_report;
mod report;
pub(crate) mod risk_stats;
mod spreadsheet;

use buttonwood_call::{App, Face};
use buttonwood_gate::Refusal;
use buttonwood_model::{Product, Symbol, SymbolId};
use buttonwood_num::{MONEY_DECIMALS, Money};
use buttonwood_wire::contract::DecimalText;
use buttonwood_wire::field::unknown_symbol;

/// The endpoints, and the stream of positions.
pub(crate) const FACE: Face = Face {
    routes: &[
        margin::ROUTE,
        positions::ROUTE,
        risk_stats::ROUTE,
        payments::ROUTE,
        payment_report::JSON,
        payment_report::XLSX,
        funding::AMOUNT,
        funding::NEXT,
        amount_report::ROUTE,
    ],
    reports: &[positions_report::REPORT],
    ..Face::NONE
};

/// A perpetual by its name, in any letter case; other symbols give 400 `InvalidSymbol` (PERP-011).
pub(crate) fn perpetual<'a>(app: &'a App, name: &str) -> Result<(SymbolId, &'a Symbol), Refusal> {
    let found = app.find_symbol(name).filter(|(_, symbol)| symbol.product == Product::Swap);
    found.ok_or_else(|| unknown_symbol(name))
}

/// An amount with all its decimals and its sign.
pub(crate) fn exact(amount: Money) -> DecimalText {
    DecimalText::of(|out| amount.push_floored(out, MONEY_DECIMALS))
}
