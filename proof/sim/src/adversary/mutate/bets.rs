//! Contracts, as people would try them first: both outcomes, on both sides, by accounts of one group and of two.

use super::{Act, Amount, MOST, Maker, SHARES, WAITS};
use crate::adversary::program::OPTIONS;
use crate::adversary::world::{CONTRACTS, ONE};
use buttonwood_engine::AccountKind;
use buttonwood_model::{Claim, ExecutionOption, Side};

/// Prices in cents, at the ends and in the middle.
const CENTS: [i128; 10] = [1, 1, 10, 40, 49, 50, 51, 60, 90, 99];

/// Values of a void in hundredths of a dollar.
const VALUES: [i128; 5] = [0, 1, 33, 50, 100];

impl Maker<'_> {
    fn contract(&mut self) -> usize {
        usize::try_from(self.dice.below(u64::try_from(CONTRACTS.len()).expect("a few"))).expect("a few")
    }

    fn claim(&mut self) -> Claim {
        self.dice.pick(&Claim::ALL)
    }

    fn cents(&mut self) -> i128 {
        if self.dice.once_in(20) {
            self.dice.pick(&[0, 100, MOST])
        } else {
            ONE / 100 * self.dice.pick(&CENTS)
        }
    }

    fn claims(&mut self) -> Amount {
        match self.dice.below(3) {
            0 => Amount::Share(self.dice.pick(&SHARES)),
            1 => Amount::Exact(ONE * i128::from(1 + self.dice.below(400))),
            _ => Amount::Exact(ONE / 100 * self.dice.pick(&[99, 100, 101, 333, 25_000, 1_000_000])),
        }
    }

    /// Somebody who may trade contracts.
    fn better(&mut self) -> usize {
        self.person_of(&[AccountKind::Exchange])
    }

    fn bet(&mut self) -> Act {
        Act::Bet {
            who: self.better(),
            contract: self.contract(),
            side: self.side(),
            claim: self.claim(),
            amount: self.claims(),
            price: self.cents(),
            option: None,
        }
    }

    /// Two orders that meet: a mint, a transfer or a merge.
    fn met(&mut self, contract: usize, [one, other]: [usize; 2]) -> [Act; 2] {
        let (price, claim, amount) = (ONE / 100 * self.dice.pick(&CENTS), self.claim(), self.claims());
        let amount = if let Amount::Share(_) = amount { Amount::Exact(10 * ONE) } else { amount };
        let kind = self.dice.below(5);
        let bet =
            |who, side, claim, price| Act::Bet { who, contract, side, claim, amount, price, option: None };
        match kind {
            0..3 => [bet(one, Side::Buy, claim, price), bet(other, Side::Buy, claim.other(), ONE - price)],
            3 => [bet(one, Side::Buy, claim, price), bet(other, Side::Sell, claim, price)],
            _ => [bet(one, Side::Sell, claim, price), bet(other, Side::Sell, claim.other(), ONE - price)],
        }
    }

    fn pair_of_betters(&mut self) -> [usize; 2] {
        let one = self.better();
        loop {
            let other = self.better();
            if other != one || self.dice.once_in(20) {
                return [one, other];
            }
        }
    }

    /// Two trade a contract a few times, and the house decides it at times.
    pub(super) fn bets(&mut self) -> Vec<Act> {
        let (contract, pair) = (self.contract(), self.pair_of_betters());
        let mut acts = Vec::new();
        for _ in 0..=self.dice.below(3) {
            acts.extend(self.met(contract, pair));
        }
        if self.dice.once_in(2) {
            acts.push(self.decision(contract));
        }
        acts
    }

    fn decision(&mut self, contract: usize) -> Act {
        match self.dice.below(6) {
            0 => Act::Void { contract, value: None },
            1 => Act::Void { contract, value: Some(ONE / 100 * self.dice.pick(&VALUES)) },
            2 => Act::Dispute { contract },
            3 => Act::Halt { contract },
            _ => Act::Resolve { contract, claim: self.claim() },
        }
    }

    /// A resolution is disputed, and comes again or is void.
    pub(super) fn unresolved(&mut self) -> Vec<Act> {
        let contract = self.dice.pick(&[1, 2]);
        let seconds = self.dice.pick(&WAITS);
        let mut acts = vec![Act::Resolve { contract, claim: self.claim() }, Act::Wait { seconds }];
        acts.push(Act::Dispute { contract });
        acts.push(self.decision(contract));
        acts
    }

    /// One quotes both sides of the contract with a pool, and days pass.
    pub(super) fn quoted(&mut self) -> Vec<Act> {
        let (who, price) = (self.better(), ONE / 100 * self.dice.pick(&[40, 45, 49]));
        let amount = Amount::Exact(ONE * self.dice.pick(&[10, 100, 250, 1_000]));
        let bet = |claim| Act::Bet { who, contract: 0, side: Side::Buy, claim, amount, price, option: None };
        let seconds = self.dice.pick(&[60, 43_200, 86_400, 129_600]);
        vec![bet(Claim::Yes), bet(Claim::No), Act::Wait { seconds }, Act::Wait { seconds: 86_400 }]
    }

    /// One bets an advance against another, who gets the dollars; the bank takes the advance back.
    pub(super) fn advanced_bet(&mut self) -> Vec<Act> {
        let (contract, pair) = (self.contract(), self.pair_of_betters());
        let [who, _] = pair;
        let dollars = self.dice.pick(&[100, 1_000, 10_000, 200_000]);
        let mut acts = vec![Act::Ach { who, amount: Amount::Exact(dollars * ONE) }];
        acts.extend(self.met(contract, pair));
        if self.dice.once_in(2) {
            acts.extend(self.met(contract, pair));
        }
        acts.push(self.decision(contract));
        if self.dice.once_in(2) {
            acts.extend(self.leave());
        }
        acts.push(Act::Return { who });
        acts
    }

    /// Any one act about contracts.
    pub(super) fn bet_act(&mut self) -> Act {
        let contract = self.contract();
        if self.dice.once_in(3) { self.decision(contract) } else { self.bet() }
    }

    /// The act with another number, person, outcome or side.
    pub(super) fn vary_bet(&mut self, act: Act) -> Act {
        let roll = self.dice.below(7);
        let Act::Bet { who, contract, side, claim, amount, price, option } = act else {
            return self.vary_decision(act, roll < 3);
        };
        let mut bet = (who, contract, side, claim, amount, price, option);
        match roll {
            0 => bet.0 = self.better(),
            1 => bet.2 = side.opposite(),
            2 => bet.3 = claim.other(),
            3 => bet.4 = self.claims(),
            4 => bet.5 = self.cents(),
            5 => bet.0 = self.person(),
            _ => bet.6 = self.option(),
        }
        let (who, contract, side, claim, amount, price, option) = bet;
        Act::Bet { who, contract, side, claim, amount, price, option }
    }

    fn option(&mut self) -> Option<ExecutionOption> {
        let at = usize::try_from(self.dice.below(4)).expect("one of four");
        OPTIONS.get(at).map(|(_, option)| *option)
    }

    /// The decision with another outcome or value, or another decision.
    fn vary_decision(&mut self, act: Act, stays: bool) -> Act {
        if let (Act::Resolve { contract, claim }, true) = (act, stays) {
            return Act::Resolve { contract, claim: claim.other() };
        }
        if let (Act::Void { contract, .. }, true) = (act, stays) {
            return Act::Void { contract, value: Some(ONE / 100 * self.dice.pick(&VALUES)) };
        }
        let contract = self.contract();
        self.decision(contract)
    }
}
