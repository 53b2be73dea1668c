//! Spot margin: holdings that the insurance fund takes over, as rows of the history.

use super::off_book::{Order, Out, Trade};
use super::{Fold, Sink};
use buttonwood_engine::INSURANCE;
use buttonwood_engine::spot_margin::{Infrequent, TakenOver};
use buttonwood_model::{Product, Side, Stamp, Symbol, SymbolId};
use buttonwood_num::Qty;

/// The currency in which holdings are sold.
const DOLLAR: &str = "USD";

impl Fold {
    /// Records the rows of an event, before it is applied.
    pub(super) fn record_spot_margin(&mut self, stamp: Stamp, event: &Infrequent, sink: &mut impl Sink) {
        if let Infrequent::TakenOver(taken) = event {
            self.record_taken_over(stamp, taken, sink);
        }
    }

    /// Records the orders of the account and of the fund, and their trade.
    fn record_taken_over(&mut self, stamp: Stamp, taken: &TakenOver, sink: &mut impl Sink) {
        let Self { state, places, .. } = self;
        let is_book = |symbol: &&Symbol| {
            let quote = state.currency(symbol.quote).is_some_and(|quote| quote.code == DOLLAR);
            symbol.product == Product::Spot && symbol.base == taken.rest.currency && quote
        };
        let place = state.symbols().iter().position(|symbol| is_book(&symbol));
        let place = place.expect("only what has a dollar book is bought on margin");
        let grid = &state.symbols().get(place).expect("it was found").grid;
        let fund = state.ledger().house(INSURANCE.name).expect("the fund took it");
        let symbol = SymbolId::from_index(place);
        let unit = grid.base(Qty::from_hundredths(1)).expect("the smallest quantity").units();
        let qty = u128::try_from(taken.rest.quantity.units() / unit).unwrap_or_default();
        let trade = Trade { id: taken.trade, price: taken.rest.price, qty: Qty::from_hundredths(qty) };
        let mut out = Out { stamp, places, sink };
        let placed = [(taken.account, Side::Sell, taken.order), (fund, Side::Buy, taken.fund_order)];
        for placed in placed {
            let mut order = Order::enter(placed, symbol, trade.qty, &mut out);
            order.trade(trade, grid, &mut out);
            order.close(&mut out);
        }
    }
}
