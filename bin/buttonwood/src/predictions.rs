//! The events of prediction markets that a sandbox is given once.

use crate::trouble::Trouble;
use buttonwood_engine::{Body, Command};
use buttonwood_face_prediction::{has_more_than_samples, sample_combo, samples};
use buttonwood_model::Time;
use buttonwood_sequencer::Recovered;

/// Gives a sandbox without any event the samples, the combo, and the money of rewards.
pub(crate) fn furnish(recovered: &mut Recovered, prefix: &str, now: Time) -> Result<(), Trouble> {
    let is_new = recovered.views().state().predictions().events().is_empty();
    if is_new {
        let listed = {
            let views = recovered.views();
            samples(views.state(), prefix, now)
        };
        commit(recovered, now, listed)?;
    }
    // A start that was killed between both may have listed the events alone.
    let is_complete = !is_new && has_more_than_samples(recovered.views().state());
    if is_complete {
        return Ok(());
    }
    let combo = {
        let views = recovered.views();
        sample_combo(views.state(), prefix, now)
    };
    commit(recovered, now, combo.into_iter().collect())
}

fn commit(recovered: &mut Recovered, time: Time, bodies: Vec<Body>) -> Result<(), Trouble> {
    if bodies.is_empty() {
        return Ok(());
    }
    let commands = bodies.into_iter().map(|body| Command { caller: None, body }).collect();
    Ok(recovered.commit(time, commands)?)
}
