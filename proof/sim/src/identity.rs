//! A long run of people and apps: sign-ins, consents, refreshes that race, replays of codes and tokens, guesses, revocations, role changes and
//! orders by tokens and pages, with an exchange that crashes at any call of its disk.
//!
//! A naive model judges each command (`oracle::People`): what was revoked, used or counted stays so over every crash.

use crate::check::Finding;
use crate::trial::found::{commands_of, open_exchange};
use crate::trial::{Judge, Product, Trial, dice_of};
use buttonwood_engine::Command;
use buttonwood_model::Time;
use buttonwood_oracle::{Dice, Exchange, People, PeopleCounts, PeopleDealer, found_people};

/// Figures of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdentityTally {
    /// Commands in the journal at the end.
    pub commands: u64,
    /// Ends of the process.
    pub crashes: u64,
    /// Those after which something had ended and was not forgotten yet.
    pub in_expiry: u64,
    /// Refreshes that raced.
    pub races: u64,
    /// The cases that the model saw.
    pub counts: PeopleCounts,
}

impl IdentityTally {
    /// Adds the figures of another run.
    pub fn add(&mut self, other: &Self) {
        self.commands += other.commands;
        self.crashes += other.crashes;
        self.in_expiry += other.in_expiry;
        self.races += other.races;
        self.counts.add(&other.counts);
    }
}

/// The naive model, as the judge of a run.
#[derive(Debug, Default)]
pub struct IdentityJudge {
    people: People,
    /// When the next record ends that is to be forgotten.
    next: Option<Time>,
}

impl Judge for IdentityJudge {
    fn note(&mut self, exchange: &Exchange, command: &Command) -> Result<(), String> {
        // Whether it was refused is seen by what the exchange shows after it.
        let _ = self.people.note(exchange, command)?;
        let state = &exchange.state;
        self.next = state.next_due_in(state.identity()).map(|due| due.time);
        self.people.agree(exchange)
    }

    fn unfinished(&self, exchange: &Exchange) -> Option<String> {
        let is_due = exchange.state.identity().is_due(exchange.stamp.time);
        is_due.then(|| "what has ended is not forgotten".to_owned())
    }

    /// No contract trades, so that no minute counts.
    fn must_resume(&self, _now: Time) -> bool {
        false
    }
}

/// A run of a seed.
pub type IdentityRun = Trial<Clients>;

/// Browsers and apps.
pub struct Clients {
    founding: Vec<Command>,
    dealer: PeopleDealer,
    tally: IdentityTally,
}

impl Product for Clients {
    type Judge = IdentityJudge;
    type Tally = IdentityTally;

    fn founding(&self) -> &[Command] {
        &self.founding
    }

    fn step(trial: &mut IdentityRun) -> Result<(), Finding> {
        let now = trial.now.0;
        let Trial { dice, product, follower, .. } = trial;
        let people = &follower.judge().people;
        if let Some(wait) = product.dealer.wait(dice, people, now) {
            return trial.reach_with_trouble(Time(now + wait));
        }
        match trial.dice.below(60) {
            0 => trial.care(),
            1 => trial.crash(),
            2 => trial.wait(),
            _ => trial.deal(),
        }
    }

    fn place(trial: &mut IdentityRun) -> Result<(), Finding> {
        trial.deal()
    }

    fn started(&mut self, judge: &IdentityJudge, now: Time) {
        self.tally.in_expiry += u64::from(judge.next.is_some_and(|next| next <= now));
    }

    fn tally(&self, judge: &IdentityJudge, commands: u64, crashes: u64) -> IdentityTally {
        IdentityTally { commands, crashes, counts: judge.people.counts(), ..self.tally }
    }
}

impl IdentityRun {
    /// The run of a seed, before it begins.
    pub fn new(seed: u64) -> Self {
        Self::with(seed, Dice::seeded(seed))
    }

    /// The run that bytes choose.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self::with(0, dice_of(bytes))
    }

    fn with(seed: u64, dice: Dice) -> Self {
        let mut exchange = open_exchange();
        let dealer = found_people(&mut exchange);
        for own in dealer.founding() {
            exchange.own(own.into());
        }
        let founding = commands_of(&exchange);
        Self::of(seed, dice, Clients { founding, dealer, tally: IdentityTally::default() })
    }

    /// Some commands that reach the exchange together. Of a refresh there is another one with the same token, most often.
    fn deal(&mut self) -> Result<(), Finding> {
        for _ in 0..=self.dice.below(3) {
            let now = self.now.0;
            let Trial { dice, product, follower, .. } = self;
            let command = product.dealer.deal(dice, &follower.judge().people, now);
            let again = product.dealer.race(&command.body);
            self.submit(command)?;
            if let Some(again) = again.filter(|_| self.dice.once_in(2)) {
                self.product.tally.races += 1;
                self.submit(again)?;
            }
        }
        Ok(())
    }
}
