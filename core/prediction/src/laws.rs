//! The laws of the room, from the single balances and positions.

use crate::bids::Bids;
use crate::{Payment, Predictions, Work};
use alloc::collections::{BTreeMap, BTreeSet};
use buttonwood_model::{AccountId, AssetId, Claim, EventId, SymbolId};
use buttonwood_num::Money;
use buttonwood_room::Context;

/// A broken law of the prediction markets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrokenLaw {
    /// The escrow does not hold a dollar for each pair of claims, or as many claims on yes as on no are not out (INV-PRED-1). While the
    /// contract is paid: a dollar for each claim that will be.
    Unbacked(SymbolId),
    /// The costs of the positions do not sum to those of the contract.
    Costs(SymbolId),
    /// The pairs that live sales hold are not those that are summed.
    Pairs,
    /// The account has a free pair of claims.
    FreePair(SymbolId, AccountId),
    /// The event is paid, and its contract has claims, dollars or live orders left (INV-PRED-4).
    NotDone(SymbolId),
    /// Rebates, those that are not paid yet included, exceed the fees of makers (INV-HOUSE).
    Rebates,
    /// The rewards of a day for the event exceed its pool (INV-HOUSE).
    Pool(EventId),
    /// The rewards that are pending are not those that wait to be paid.
    Pending,
    /// The sum of what the account's live buys hold is not that of the single orders.
    Bids(AccountId),
}

impl Predictions {
    /// The first broken law.
    pub(crate) fn find_broken_law(&self, context: &Context<'_, Self>) -> Option<BrokenLaw> {
        let ids = (0..).map(SymbolId::contract);
        let unbacked = ids.zip(&self.contracts).find(|(id, _)| !self.is_backed(context, *id));
        if let Some((id, _)) = unbacked {
            return Some(BrokenLaw::Unbacked(id));
        }
        self.unequal_costs()
            .or_else(|| (!self.counts_pairs(context.ledger)).then_some(BrokenLaw::Pairs))
            .or_else(|| self.free_pair(context))
            .or_else(|| self.left_over(context))
            .or_else(|| self.excess())
            .or_else(|| {
                let counted = Bids::counted(context.floor, context.ledger);
                self.bids.first_other(&counted).map(BrokenLaw::Bids)
            })
    }

    fn is_backed(&self, context: &Context<'_, Self>, id: SymbolId) -> bool {
        let (dollars, [yes, no]) = self.collateral(context.ledger, id);
        match self.work.front() {
            Some(Work::Pay(paying)) if *paying == id => {
                let outcome = self.contract(id).and_then(|contract| contract.outcome);
                dollars == if outcome == Some(Claim::Yes) { yes } else { no }
            }
            Some(Work::Refund(paying, _)) if *paying == id => !dollars.is_negative(),
            _ => dollars == yes && yes == no,
        }
    }

    fn unequal_costs(&self) -> Option<BrokenLaw> {
        let mut sums: BTreeMap<SymbolId, Money> = BTreeMap::new();
        for ((id, _), position) in &self.positions {
            *sums.entry(*id).or_insert(Money::ZERO) += position.cost(Claim::Yes) + position.cost(Claim::No);
        }
        let sum = |id: &SymbolId| sums.get(id).copied().unwrap_or(Money::ZERO);
        let mut contracts = (0..).map(SymbolId::contract).zip(&self.contracts);
        let unequal = contracts.find(|(id, contract)| sum(id) != contract.costs);
        unequal.map(|(id, _)| BrokenLaw::Costs(id))
    }

    fn free_pair(&self, context: &Context<'_, Self>) -> Option<BrokenLaw> {
        let has_pair = |id: SymbolId, account: AccountId| {
            let free = |claim| context.ledger.balance(account, AssetId::claim(id, claim)).available;
            Claim::ALL.into_iter().all(|claim| free(claim) > Money::ZERO)
        };
        let mut positions = self.positions.keys();
        positions.find(|(id, account)| has_pair(*id, *account)).map(|(id, at)| BrokenLaw::FreePair(*id, *at))
    }

    fn left_over(&self, context: &Context<'_, Self>) -> Option<BrokenLaw> {
        let done = self.ended.iter().filter(|id| !self.is_at_work_for(**id));
        let mut contracts = done.filter_map(|id| self.event(*id)).flat_map(crate::Event::contracts);
        let has_left = |id: &SymbolId| {
            self.collateral(context.ledger, *id) != (Money::ZERO, [Money::ZERO; 2])
                || !context.floor.orders.book(*id).is_empty()
                || context.floor.stops.has_untriggered(*id)
        };
        contracts.find(has_left).map(BrokenLaw::NotDone)
    }

    /// Makers earn at most what they paid, and at most the pools.
    fn excess(&self) -> Option<BrokenLaw> {
        let rewards = &self.rewards;
        let [fees, paid] = rewards.sums;
        let owed =
            rewards.runs.values().chain([&rewards.accrued, &rewards.unpaid]).flat_map(BTreeMap::values);
        if { owed }.fold(paid, |sum, accrued| sum.capped_add(accrued.rebate)) > fees {
            return Some(BrokenLaw::Rebates);
        }
        let is_pending = |(account, place): &(AccountId, usize)| {
            let row = rewards.payouts(*account).get(*place);
            row.is_some_and(|row| row.payment == Payment::Pending)
        };
        let rows = rewards.payouts.values().flatten();
        let waiting = rows.filter(|row| row.payment == Payment::Pending).count();
        let pending: BTreeSet<_> = rewards.pending.iter().filter(|row| is_pending(row)).collect();
        if pending.len() != waiting || rewards.pending.len() != waiting {
            return Some(BrokenLaw::Pending);
        }
        self.beyond_pool().map(BrokenLaw::Pool)
    }

    /// An event whose rewards of the day that was paid last, or is being paid, exceed its pool.
    fn beyond_pool(&self) -> Option<EventId> {
        let rewards = &self.rewards;
        let day = rewards.paid_day?;
        let pools = &rewards.days.get(&day)?.pools;
        let of_day =
            rewards.payouts.values().flat_map(|rows| rows.iter().rev().take_while(|row| row.day >= day));
        let mut sums: BTreeMap<EventId, Money> = BTreeMap::new();
        for share in of_day.filter(|row| row.day == day).flat_map(|row| &row.shares) {
            let sum = sums.entry(share.event).or_default();
            *sum = sum.capped_add(share.amount);
        }
        { sums }
            .into_iter()
            .find(|(event, sum)| *sum > pools.get(event).copied().unwrap_or_default())
            .map(|(event, _)| event)
    }
}
