//! Wraps and executed quotes, as rows of the history.

use super::ConversionRow;
use crate::fold::{Fold, Recorded, Sink};
use buttonwood_engine::ConvertInfrequent;
use buttonwood_model::Stamp;
use buttonwood_num::Money;

impl Recorded for ConvertInfrequent {
    fn record(&self, fold: &mut Fold, stamp: Stamp, sink: &mut impl Sink) {
        let state = fold.state();
        let row = match self {
            Self::Wrapped(wrapped) => {
                let symbol = state.symbol(wrapped.wrap.symbol).expect("the decision found the symbol");
                let amount = symbol.grid.base(wrapped.wrap.qty).expect("the decision bounds it");
                ConversionRow {
                    account: wrapped.account,
                    symbol: wrapped.wrap.symbol,
                    order: wrapped.order,
                    time: stamp.time,
                    side: wrapped.wrap.side,
                    qty: wrapped.wrap.qty,
                    price: Money::ONE,
                    notional: amount,
                    fee: Money::ZERO,
                    client_id: wrapped.wrap.client_id,
                }
            }
            Self::Executed(order, quote, client_id) => {
                let symbol = state.symbol(quote.symbol).expect("the decision found the symbol");
                let amounts = quote.amounts(symbol).expect("the decision bounds them");
                ConversionRow {
                    account: quote.account,
                    symbol: quote.symbol,
                    order: *order,
                    time: stamp.time,
                    side: quote.side,
                    qty: quote.qty,
                    price: symbol.grid.value(Money::ONE, quote.price),
                    notional: amounts.notional,
                    fee: quote.fee,
                    client_id: *client_id,
                }
            }
            Self::Quoted(_) | Self::TermsSet(_) => return,
        };
        sink.row(&row);
    }
}
