//! The search: it keeps the programs that gain most and those that reach something new, and changes them.

use super::mutate::Maker;
use super::player::{Played, play};
use super::program::Program;
use super::shrink::shortened;
use super::value::Breach;
use super::world::Scene;
use buttonwood_oracle::Dice;
use std::collections::HashSet;

/// Programs that are kept for what they reach, and for what they gain.
const KEPT_MAX: usize = 2_000;
const BEST_MAX: usize = 24;

/// Acts of a search that repeat others, so that a few programs with thousands of orders do not take its time.
const REPEATED_MAX: u64 = 100_000;

/// Figures of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HuntTally {
    /// Programs that were run.
    pub programs: u64,
    /// Commands that they caused.
    pub commands: u64,
    /// Answers and figures that they reached.
    pub reached: u64,
}

impl HuntTally {
    /// Adds the figures of another search.
    pub fn add(&mut self, other: &Self) {
        self.programs += other.programs;
        self.commands += other.commands;
        self.reached += other.reached;
    }
}

/// A search of a seed. It begins with no program at all.
pub struct Hunt {
    scene: Scene,
    dice: Dice,
    without: Vec<String>,
    ignored: Vec<String>,
    kept: Vec<Program>,
    best: Vec<(i128, Program)>,
    reached: HashSet<u64>,
    /// Acts that may still repeat others.
    repeats: u64,
    tally: HuntTally,
}

impl Hunt {
    /// The search of a seed, which leaves out acts with one of the words `without` and passes over breaches of the kinds `ignored`. An
    /// honest third party is there in three searches of four; in one of them the indices move.
    pub fn new(seed: u64, without: &[String], ignored: &[String]) -> Self {
        let scene = match seed % 4 {
            0 | 2 => Scene::with_honest_party(),
            1 => Scene::new(),
            _ => Scene::with_moving_indices(),
        };
        Self {
            scene,
            dice: Dice::seeded(seed),
            without: without.to_vec(),
            ignored: ignored.to_vec(),
            kept: Vec::new(),
            best: Vec::new(),
            reached: HashSet::new(),
            repeats: REPEATED_MAX,
            tally: HuntTally::default(),
        }
    }

    /// The line that names the scene in the text of a program.
    pub fn scene_line(&self) -> &'static str {
        self.scene.line()
    }

    /// Runs programs as long as `goes_on`, up to the first breach, which comes with the shortest program that shows it.
    ///
    /// # Errors
    /// The breach.
    pub fn run(
        &mut self,
        mut goes_on: impl FnMut(&HuntTally) -> bool,
    ) -> Result<HuntTally, (Program, Breach)> {
        while goes_on(&self.tally) {
            let program = self.next();
            let played = play(&self.scene, &program, false);
            self.tally.programs += 1;
            self.tally.commands += played.commands;
            self.repeats = self.repeats.saturating_sub(played.repeated);
            let breach = played.breach.as_ref().filter(|breach| !self.ignores(breach));
            if let Some(breach) = breach.cloned() {
                return Err(shortened(&self.scene, &program, breach));
            }
            self.keep(program, &played);
        }
        Ok(self.tally)
    }

    fn ignores(&self, breach: &Breach) -> bool {
        self.ignored.iter().any(|kind| kind == breach.kind())
    }

    /// A fresh program, or a change of a good, of a new or of any kept one.
    fn next(&mut self) -> Program {
        let roll = self.dice.below(10);
        let parent = match roll {
            0 => None,
            1..5 => self.one_of_best(),
            _ => self.one_kept(),
        };
        let other = self.one_kept().unwrap_or_default();
        let (moves, repeats) = (self.scene.moves, self.repeats > 0);
        let mut maker = Maker { dice: &mut self.dice, without: &self.without, moves, repeats };
        match parent {
            Some(parent) => maker.changed(&parent, &other),
            None => maker.fresh(),
        }
    }

    fn one_of_best(&mut self) -> Option<Program> {
        let at = self.below(self.best.len())?;
        self.best.get(at).map(|(_, program)| program.clone())
    }

    /// A kept program: most often one of the newest.
    fn one_kept(&mut self) -> Option<Program> {
        let len = self.kept.len();
        let reach = if self.dice.once_in(2) { len.min(50) } else { len };
        let back = self.below(reach)?;
        self.kept.get(len - 1 - back).cloned()
    }

    fn below(&mut self, end: usize) -> Option<usize> {
        let end = u64::try_from(end).ok().filter(|end| *end > 0)?;
        usize::try_from(self.dice.below(end)).ok()
    }

    fn keep(&mut self, program: Program, played: &Played) {
        let before = self.reached.len();
        self.reached.extend(played.reached.iter().copied());
        self.tally.reached = u64::try_from(self.reached.len()).unwrap_or(u64::MAX);
        if self.best.len() < BEST_MAX || self.best.last().is_some_and(|(gain, _)| played.gain > *gain) {
            let at = self.best.partition_point(|(gain, _)| *gain >= played.gain);
            // Equal gains are of equal programs, most often.
            if self.best.get(at.wrapping_sub(1)).is_none_or(|(gain, _)| *gain != played.gain) {
                self.best.insert(at, (played.gain, program.clone()));
                self.best.truncate(BEST_MAX);
            }
        }
        if self.reached.len() > before {
            if self.kept.len() == KEPT_MAX {
                self.kept.remove(0);
            }
            self.kept.push(program);
        }
    }
}
