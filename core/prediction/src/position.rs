//! The costs of the claims that accounts hold.

use buttonwood_model::{AccountId, Claim, SymbolId};
use buttonwood_num::{Money, Round};
use serde::{Deserialize, Serialize};

/// The costs of an account's claims on a contract. How many claims it holds is in the ledger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The costs of the claims on yes and on no, without fees.
    pub costs: [Money; 2],
    /// The result of sales and netting since the contract was listed, without fees.
    pub realised: Money,
}

impl Position {
    /// The cost of the claims on an outcome.
    pub fn cost(&self, claim: Claim) -> Money {
        let [yes, no] = self.costs;
        match claim {
            Claim::Yes => yes,
            Claim::No => no,
        }
    }

    /// Adds a cost.
    pub(crate) fn add(&mut self, claim: Claim, cost: Money) {
        *self.cost_mut(claim) += cost;
    }

    /// Takes the cost of `part` of the `whole` claims, in proportion and rounded down at 10⁻¹⁹: the average of what stays is the same.
    /// Returns it.
    pub(crate) fn take(&mut self, claim: Claim, part: Money, whole: Money) -> Money {
        let cost = self.cost(claim);
        let share = if part == whole { Some(cost) } else { share(cost, part, whole) };
        let share = share.unwrap_or(cost);
        *self.cost_mut(claim) -= share;
        share
    }

    fn cost_mut(&mut self, claim: Claim) -> &mut Money {
        let [yes, no] = &mut self.costs;
        match claim {
            Claim::Yes => yes,
            Claim::No => no,
        }
    }
}

/// amount × part ÷ whole, rounded down; none if `whole` is zero.
pub(crate) fn share(amount: Money, part: Money, whole: Money) -> Option<Money> {
    if whole == Money::ZERO { None } else { amount.mul_div(part.units(), whole.units(), Round::Down) }
}

/// The claims of an account on an outcome of a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holding {
    /// The account.
    pub account: AccountId,
    /// The contract.
    pub contract: SymbolId,
    /// The outcome.
    pub claim: Claim,
    /// How many claims it holds, those of `held` included.
    pub quantity: Money,
    /// How many live sales hold.
    pub held: Money,
    /// Their cost, without fees.
    pub cost: Money,
    /// The account's realised result with the contract, on both outcomes.
    pub realised: Money,
}
