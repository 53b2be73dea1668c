//! The answers of this room that the engine asks of every room.

use crate::state::Step;
use crate::{BrokenLaw, Command, Predictions, liquidity};
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, Due, Phase};
use buttonwood_room::{Context, Room};

impl Room for Predictions {
    type Command = Command;
    type BrokenLaw = BrokenLaw;
    type Found = ();

    /// Work goes on from when its last step was done, so that what falls due later by the clock, of any room, does not wait for its end.
    fn next_due(&self, context: &Context<'_, Self>) -> impl Iterator<Item = Due<Command>> {
        let work =
            self.work.front().map(|_| Due::step(self.work_time, Phase::Orders, Command::Work).in_storm());
        let agenda = self.agenda.first().map(|(time, step, event)| {
            let command = match step {
                Step::Start => Command::Start(*event),
                Step::Expire => Command::Expire(*event),
                Step::Finish => Command::Finish(*event),
            };
            Due::step(*time, Phase::Orders, command).in_storm()
        });
        let step = |time, command| Due::step(time, Phase::Orders, command).in_storm();
        let rebates = self.rewards.rebates_due.map(|time| step(time, Command::BeginRebates));
        let scores = self.rewards.next_score.map(|(time, _)| step(time, Command::Score).skippable(true));
        let payout =
            liquidity::next_payout(self, context.ledger).map(|(time, _)| step(time, Command::BeginPayout));
        [work, agenda, rebates, scores, payout].into_iter().flatten()
    }

    #[inline]
    fn is_awake(&self) -> bool {
        self.has_freed()
    }

    fn finish(&mut self, ledger: &mut Ledger) {
        if self.has_freed() {
            self.net(ledger);
        }
    }

    /// Rewards that were earned are paid first.
    fn is_used_by(&self, account: AccountId) -> bool {
        self.owes_rewards_to(account)
    }

    fn broken_law(&self, context: &Context<'_, Self>) -> Option<BrokenLaw> {
        self.find_broken_law(context)
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint.part("prediction")
    }

    fn restore(&mut self, ledger: &mut Ledger) {
        self.derive(ledger);
    }
}
