//! Crowds: an act or two again and again, so that thousands of rows rest or wait when the next command comes.

use super::{Act, Amount, Maker, Program};
use crate::adversary::world::ONE;
use buttonwood_engine::AccountKind;
use buttonwood_model::{Claim, Side};

/// How often acts come again.
const TIMES: [u64; 6] = [100, 300, 1_000, 1_000, 3_000, 10_000];

/// The smallest orders of markets: market and quantity.
const DUST: [(usize, i128); 3] = [(0, ONE / 100_000), (1, ONE / 1_000), (2, ONE / 10)];

impl Maker<'_> {
    pub(super) fn times(&mut self) -> u64 {
        self.dice.pick(&TIMES)
    }

    /// Small orders, bets or deals without money come again and again, at times of a group in advance; then money comes or leaves, or an
    /// order takes an instant price.
    pub(super) fn crowd(&mut self) -> Vec<Act> {
        let who = self.person_of(&[AccountKind::Exchange]);
        let repeated = match self.dice.below(3) {
            0 => vec![self.dust(who)],
            1 => vec![self.small_bet(who)],
            _ => self.deal_without_money(who),
        };
        let mut acts = Vec::new();
        if self.dice.once_in(2) {
            acts.push(Act::Ach { who, amount: Amount::Exact(1_000 * ONE) });
        }
        let count = repeated.len();
        acts.extend(repeated);
        acts.push(Act::Repeat { acts: count, times: self.times() });
        let giver = self.person();
        acts.push(Act::Send {
            who: giver,
            to: who,
            coin: self.dice.pick(&[0, 0, 3]),
            amount: Amount::Share(90),
        });
        acts.extend(if self.dice.once_in(2) { self.instant() } else { self.leave() });
        acts
    }

    /// An order of the smallest quantity, far from what trades.
    fn dust(&mut self, who: usize) -> Act {
        let (market, qty) = self.dice.pick(&DUST);
        let (side, index) = (self.side(), Self::index(market));
        let price = if side == Side::Buy { index / 2 } else { index * 2 };
        Self::order(who, market, side, Amount::Exact(qty), price)
    }

    /// A buy of one claim for a cent.
    fn small_bet(&mut self, who: usize) -> Act {
        let (contract, claim) = (self.dice.pick(&[0, 1, 2, 3]), self.dice.pick(&Claim::ALL));
        let (amount, price) = (Amount::Exact(ONE), ONE / 100);
        Act::Bet { who, contract, side: Side::Buy, claim, amount, price, option: None }
    }

    /// Two agree on a trade that is worth more than the buyer has.
    fn deal_without_money(&mut self, who: usize) -> Vec<Act> {
        let to = self.person_of(&[AccountKind::Exchange]);
        let (market, side) = (1, Side::Buy);
        let (amount, price) = (Amount::Exact(self.dice.pick(&[1, 30]) * ONE), Self::index(market));
        vec![Act::Deal { who, to: Some(to), market, side, amount, price, by: None }, Act::Confirm { who: to }]
    }

    /// Leaves acts out that repeat others: all where there may be none, and half of those that a program has from an earlier one.
    pub(super) fn thin(&mut self, program: &mut Program) {
        let is_repeat = |act: &Act| matches!(act, Act::Repeat { .. });
        if program.acts.iter().any(is_repeat) && (!self.repeats || self.dice.once_in(2)) {
            program.acts.retain(|act| !is_repeat(act));
        }
    }
}
