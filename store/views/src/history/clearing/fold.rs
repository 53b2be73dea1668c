//! OTC clearing as rows of the history: the trade of a settlement, a part of each side, and closed orders. Nothing is public, and nothing
//! counts in a volume (D-92).

use super::{ClearingEnd, ClearingRow};
use crate::fold::{Fold, Recorded, Sink};
use crate::history::{Part, TradeRow};
use buttonwood_engine::clearing::Settlement;
use buttonwood_engine::{ClearingInfrequent, ClearingOrder};
use buttonwood_model::{AccountId, Claim, OrderId, Side, Stamp};

impl Recorded for ClearingInfrequent {
    fn record(&self, _fold: &mut Fold, stamp: Stamp, sink: &mut impl Sink) {
        match self {
            Self::Settled(settlement) => {
                record_trade(stamp, settlement, sink);
                sink.row(&closed(&settlement.order, ClearingEnd::Settled));
            }
            Self::Canceled(order) => {
                sink.row(&closed(order, ClearingEnd::Cancelled));
            }
            Self::Expired(order) => {
                sink.row(&closed(order, ClearingEnd::Expired));
            }
            Self::Entered(..)
            | Self::Confirmed(..)
            | Self::Tried(..)
            | Self::FeeSet(_)
            | Self::BrokerSet(..)
            | Self::AliasSet(_)
            | Self::KeySet(_) => {}
        }
    }
}

/// Records both parts of the one trade of a settlement. The broker has none.
fn record_trade(stamp: Stamp, settlement: &Settlement, sink: &mut impl Sink) {
    let Settlement { order, trade, fee } = settlement;
    let mut part = |account: AccountId, own: OrderId, side: Side| {
        sink.row(&TradeRow {
            account,
            symbol: order.symbol,
            order: own,
            trade: *trade,
            time: stamp.time,
            claim: Claim::Yes,
            side,
            part: Part::Clearing,
            price: order.price,
            qty: order.qty,
            fee: *fee,
            client_id: None,
            of_order: None,
            settled: None,
            counted: None,
        });
    };
    part(order.source, order.source_order, order.side);
    if let Some((target, own)) = order.target.zip(order.target_order) {
        part(target, own, order.side.opposite());
    }
}

fn closed(order: &ClearingOrder, end: ClearingEnd) -> ClearingRow {
    ClearingRow {
        number: order.number,
        symbol: order.symbol,
        side: order.side,
        price: order.price,
        qty: order.qty,
        end,
        is_confirmed: order.is_confirmed(),
        source: order.source,
        source_order: order.source_order,
        target: order.target,
        target_order: order.target_order,
        broker: order.broker,
        submitted: order.submitted,
        expires: order.expires,
        changed: order.changed,
    }
}
