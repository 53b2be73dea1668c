//! What a directory needs for staking: the key of the codes of transactions, and in a sandbox two providers and their rewards.

use crate::trouble::Trouble;
use buttonwood_engine::{Body, Command, StakingCommand};
use buttonwood_face_staking::samples;
use buttonwood_model::Time;
use buttonwood_sandbox::Draw;
use buttonwood_sequencer::Recovered;

/// Parts the key of codes from all else that is drawn.
const CODES: u64 = 0x7374_616B_696E_6773;

/// Gives a sandbox what it lacks: the key, and once its providers and their rewards.
pub(crate) fn furnish(recovered: &mut Recovered, seed: u64, given: bool, time: Time) -> Result<(), Trouble> {
    draw_key(recovered, given.then_some(seed), time)?;
    let missing = {
        let views = recovered.views();
        samples(views.state())
    };
    commit(recovered, time, missing)
}

/// Draws the key of the codes, if the directory has none; it follows from a seed that was given.
pub(crate) fn draw_key(recovered: &mut Recovered, seed: Option<u64>, time: Time) -> Result<(), Trouble> {
    if recovered.views().state().staking().has_key() {
        return Ok(());
    }
    let draw = Draw::new(seed.unwrap_or_default() ^ CODES, seed.is_some());
    let mut draw = draw.map_err(|error| Trouble::System(format!("the system has no randomness: {error}")))?;
    commit(recovered, time, vec![StakingCommand::SetKey(draw.id_key()).into()])
}

fn commit(recovered: &mut Recovered, time: Time, bodies: Vec<Body>) -> Result<(), Trouble> {
    if bodies.is_empty() {
        return Ok(());
    }
    let commands = bodies.into_iter().map(|body| Command { caller: None, body }).collect();
    Ok(recovered.commit(time, commands)?)
}
