//! Prediction markets: contracts that trade no more.

use super::Fold;
use buttonwood_engine::PredictionInfrequent;
use buttonwood_model::EventId;

impl Fold {
    /// Records an event of the prediction markets, before it is applied.
    pub(super) fn record_prediction(&mut self, event: &PredictionInfrequent) {
        match event {
            PredictionInfrequent::Settled(event) => self.end_tapes(*event),
            PredictionInfrequent::Voided(voided) => self.end_tapes(voided.event),
            PredictionInfrequent::Listed(_)
            | PredictionInfrequent::ComboListed(_)
            | PredictionInfrequent::Opened(_)
            | PredictionInfrequent::Halted(..)
            | PredictionInfrequent::StrikeSet(..)
            | PredictionInfrequent::Closed(_)
            | PredictionInfrequent::Proposed(..)
            | PredictionInfrequent::Disputed(..)
            | PredictionInfrequent::Final(_)
            | PredictionInfrequent::Decided(..)
            | PredictionInfrequent::VoidAwaited(_)
            | PredictionInfrequent::Cleared(..)
            | PredictionInfrequent::Paid(_)
            | PredictionInfrequent::TermsPublished(_)
            | PredictionInfrequent::TermsAccepted(..)
            | PredictionInfrequent::RewardsSet(_)
            | PredictionInfrequent::RebatesBegun
            | PredictionInfrequent::Rebated(_)
            | PredictionInfrequent::Scored(_)
            | PredictionInfrequent::PayoutBegun(_)
            | PredictionInfrequent::Rewarded(_) => {}
        }
    }

    /// Keeps only the last prices of an event's contracts.
    fn end_tapes(&mut self, event: EventId) {
        let event = self.state.predictions().event(event).expect("the decision found the event");
        event.contracts().for_each(|contract| self.tape.end(contract));
    }
}
