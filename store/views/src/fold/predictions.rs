//! Prediction markets: closed orders of contracts, sales of claims, positions that end, and contracts that trade no more.

use super::{Fold, Recorded, Sink};
use crate::history::{
    ClosedContractOrder, Position, PredictionRow, SettledPosition, Settlement, SoldClaims, TradeRow,
};
use buttonwood_engine::prediction::{self, Paid};
use buttonwood_engine::{OrderState, PredictionInfrequent};
use buttonwood_model::{Claim, EventId, OrderClass, Side, Stamp, Symbol, SymbolId};
use buttonwood_num::{Money, Price};

impl Recorded for PredictionInfrequent {
    fn record(&self, fold: &mut Fold, stamp: Stamp, sink: &mut impl Sink) {
        sink.contracts();
        match self {
            Self::Paid(paid) => fold.record_payments_of_contract(stamp, paid, sink),
            Self::Settled(event) => fold.end_tapes(*event),
            Self::Voided(voided) => fold.end_tapes(voided.event),
            Self::Listed(_)
            | Self::ComboListed(_)
            | Self::Opened(_)
            | Self::Halted(..)
            | Self::StrikeSet(..)
            | Self::Closed(_)
            | Self::Proposed(..)
            | Self::Disputed(..)
            | Self::Final(_)
            | Self::Decided(..)
            | Self::VoidAwaited(_)
            | Self::Cleared(..)
            | Self::TermsPublished(_)
            | Self::TermsAccepted(..)
            | Self::RewardsSet(..)
            | Self::RebatesBegun(_)
            | Self::Rebated(_)
            | Self::Scored(_)
            | Self::PayoutBegun(_)
            | Self::Rewarded(_) => {}
        }
    }
}

impl Fold {
    /// Records the positions that a step pays, by the outcome of their contract.
    fn record_payments_of_contract(&self, stamp: Stamp, paid: &Paid, sink: &mut impl Sink) {
        let contract =
            self.state.predictions().contract(paid.contract).expect("the decision found the contract");
        let result = contract.outcome.map_or(Settlement::Void(contract.value), Settlement::Outcome);
        for row in &paid.rows {
            sink.row(&PredictionRow::Settled(SettledPosition {
                account: row.account,
                contract: paid.contract,
                claim: row.claim,
                quantity: row.quantity,
                payout: row.payout,
                cost: row.cost,
                realised: row.realised,
                result,
                time: stamp.time,
            }));
        }
    }

    /// Records a closed order of a contract, in the view of its own outcome.
    pub(super) fn put_contract_order(
        &self,
        stamp: Stamp,
        order: &OrderState,
        sink: &mut impl Sink,
    ) -> Position {
        let symbol = self.state.symbol(order.symbol).expect("an order's symbol is listed");
        let executed = order.original - order.remaining;
        let notional = prediction::own_notional(symbol, order.claim, executed, order.notional);
        sink.row(&PredictionRow::Order(ClosedContractOrder {
            account: order.account,
            contract: order.symbol,
            order: order.id,
            claim: order.claim,
            side: if order.claim == Claim::Yes { order.side } else { order.side.opposite() },
            kind: order.kind,
            option: order.option,
            price: own_price(symbol, order.claim, order.price),
            original: order.original,
            remaining: order.remaining,
            notional: notional.expect("a fill is no larger than its resting order"),
            stop: order.stop.map(|stop| own_price(symbol, order.claim, stop)),
            placed: order.placed,
            closed: stamp.time,
            reason: order.reason,
            client_id: order.client_id,
        }))
    }

    /// Records a sale of claims, before it is applied. `notional` is that of the book.
    pub(super) fn record_sale(&self, row: &TradeRow, notional: Money, sink: &mut impl Sink) {
        let symbol = self.state.symbol(row.symbol).expect("an order's symbol is listed");
        let amounts =
            symbol.grid.base(row.qty).zip(prediction::own_notional(symbol, row.claim, row.qty, notional));
        let (quantity, proceeds) = amounts.expect("a fill is no larger than its resting order");
        let whose = (row.account, row.symbol, row.claim);
        sink.row(&PredictionRow::Sold(SoldClaims {
            account: row.account,
            contract: row.symbol,
            claim: row.claim,
            order: row.order,
            trade: row.trade,
            quantity,
            proceeds,
            cost: self.state.predictions().cost_of_sale(self.state.ledger(), whose, quantity),
            time: row.time,
        }));
    }

    /// The outcome, the side and the price of a fill as its order sees them.
    #[inline]
    pub(super) fn own_view(&self, symbol: SymbolId, class: OrderClass, price: Price) -> (Claim, Side, Price) {
        match class.claim() {
            Claim::Yes => (Claim::Yes, class.side(), price),
            Claim::No => {
                let symbol = self.state.symbol(symbol).expect("an order's symbol is listed");
                (Claim::No, class.side().opposite(), own_price(symbol, Claim::No, price))
            }
        }
    }

    /// Keeps only the last prices of an event's contracts.
    fn end_tapes(&mut self, event: EventId) {
        let event = self.state.predictions().event(event).expect("the decision found the event");
        event.contracts().for_each(|contract| self.tape.end(contract));
    }
}

/// The price of an outcome at a price of the book; the same function leads back.
///
/// # Panics
/// For a price beyond one dollar, which no contract has.
fn own_price(symbol: &Symbol, claim: Claim, price: Price) -> Price {
    prediction::own_price(symbol, claim, price).expect("a price of a contract is below one dollar")
}
