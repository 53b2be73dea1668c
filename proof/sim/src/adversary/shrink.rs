//! Shortens a program as long as it breaks the law in the same way.

use super::player::play;
use super::program::Program;
use super::value::Breach;
use super::world::Scene;

/// The shortest program that is found by leaving out acts, from long parts to single ones, and its breach.
pub(super) fn shortened(scene: &Scene, program: &Program, breach: Breach) -> (Program, Breach) {
    let (mut program, mut breach) = (program.clone(), breach);
    let mut part = program.acts.len() / 2;
    while part > 0 {
        let mut at = 0;
        while at < program.acts.len() {
            let mut shorter = program.clone();
            shorter.acts.drain(at..(at + part).min(program.acts.len()));
            match play(scene, &shorter, false).breach {
                Some(same) if same.kind() == breach.kind() => (program, breach) = (shorter, same),
                _ => at += part,
            }
        }
        part /= 2;
    }
    (program, breach)
}
