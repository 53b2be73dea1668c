//! One short run with a trouble of the disk at a chosen call: mints, a transfer, a merge and netting, a combo, a payout, a refund by cost and
//! one by a value, rebates, a day of scores and its reward. Whatever the trouble and the call, it must end with the same balances.

use super::found::{Wish, combo, event};
use super::{HOUR, MINUTE, PredictionMarkets};
use crate::check::Finding;
use crate::disk::Trouble;
use crate::scene::FOUNDED;
use buttonwood_engine::prediction::{Event, Leg, NewResolution, NewVoid, RewardChange, Stage, Status};
use buttonwood_engine::{PredictionCommand as Own, State};
use buttonwood_model::{AccountId, AssetId, Claim, EventId, SymbolId};
use buttonwood_num::Money;
use std::sync::Arc;

/// The end of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The balances of every account, escrows too, in units of money.
    pub balances: Vec<(AccountId, AssetId, i128)>,
    /// The statuses of all events.
    pub statuses: Vec<Status>,
    /// The rewards of every account, in units of dollars: rebates, and payouts for liquidity.
    pub rewards: Vec<[i128; 2]>,
}

/// Runs the script with a trouble after so many calls of the disk. Returns its end, and whether the trouble came.
///
/// # Errors
/// The first problem found.
pub fn struck(after: u64, trouble: Trouble) -> Result<(Ended, bool), Finding> {
    let mut trial = PredictionMarkets::new(1);
    trial.strike(after, trouble)?;
    trial.listings()?;
    trial.fills()?;
    trial.payouts()?;
    trial.refunds()?;
    trial.rewards()?;
    let ended = ended(trial.state());
    Ok((ended, trial.crashes > 0))
}

fn ended(state: &State) -> Ended {
    let accounts = (0..state.access().accounts().len()).map(AccountId::from_index);
    let rewards = state.predictions().rewards();
    let of = |account: AccountId| {
        let rebates = rewards.rebates(account).iter().map(|rebate| rebate.amount.units());
        let payouts = rewards.payouts(account).iter().map(|payout| payout.amount.units());
        [rebates.sum(), payouts.sum()]
    };
    let balances =
        state.ledger().balances().map(|(account, asset, has)| (account, asset, has.total().units()));
    let mut balances: Vec<_> = balances.filter(|(.., units)| *units != 0).collect();
    balances.sort_unstable();
    Ended {
        balances,
        statuses: state.predictions().events().iter().map(|event| event.status).collect(),
        rewards: accounts.map(of).collect(),
    }
}

fn claims(state: &State, account: AccountId, (contract, claim): (u32, Claim)) -> i128 {
    let asset = AssetId::claim(SymbolId::contract(contract), claim);
    state.ledger().balance(account, asset).total().units() / Money::ONE.units()
}

impl PredictionMarkets {
    fn insist_on(&mut self, own: impl Into<Own>, is_done: impl Fn(&State) -> bool) -> Result<(), Finding> {
        let own: Own = own.into();
        self.insist(is_done, |trial| trial.own_of(own.clone()))
    }

    /// Three events behind the first one, a combo on two of them, and rewards.
    fn listings(&mut self) -> Result<(), Finding> {
        let until = FOUNDED.plus(72 * HOUR);
        for (number, contracts, dispute) in [(1, 2, 10 * MINUTE), (2, 1, 0), (3, 1, 0)] {
            let new = event(number, contracts, (FOUNDED, until, dispute));
            let listed = usize::try_from(number).expect("a few");
            self.insist_on(Own::ListEvent(Arc::new(new)), |state| {
                state.predictions().events().len() > listed
            })?;
        }
        let leg = |contract| Leg { contract: SymbolId::contract(contract), required: Claim::Yes };
        let new = combo(1, vec![leg(1), leg(3)]);
        self.insist_on(Own::ListCombo(Arc::new(new)), |state| state.predictions().events().len() > 4)?;
        let change = RewardChange { enabled: Some(true), ..RewardChange::default() };
        self.insist_on(Own::SetRewards(Arc::new(change)), |state| {
            state.predictions().rewards().terms().enabled
        })
    }

    /// An order that is sent until its account has so many claims, or a live order.
    fn insist_on_order(&mut self, who: usize, wish: Wish, has: i128) -> Result<(), Finding> {
        let trader = *self.product.founded.traders.get(who).expect("one of six");
        let key = (wish.contract.0 - SymbolId::contract(0).0, wish.claim);
        let is_done = |state: &State| {
            claims(state, trader.0, key) == has || state.orders().of_account(trader.0).next().is_some()
        };
        self.insist(is_done, |trial| trial.wish(trader, wish))
    }

    /// Two buy opposite outcomes of a contract, each so many.
    fn insist_on_pair(&mut self, contract: u32, [yes, no]: [usize; 2], many: u64) -> Result<(), Finding> {
        let contract = SymbolId::contract(contract);
        self.insist_on_order(yes, Wish::buy(contract, Claim::Yes, 43, many), many.into())?;
        self.insist_on_order(no, Wish::buy(contract, Claim::No, 57, many), many.into())
    }

    /// Mints on all contracts, then a transfer, a merge, and pairs that net.
    fn fills(&mut self) -> Result<(), Finding> {
        for contract in 0..6 {
            self.insist_on_pair(contract, [0, 1], 30)?;
        }
        let offer = |contract, claim, price, many| Wish {
            buys: false,
            ..Wish::buy(SymbolId::contract(contract), claim, price, many)
        };
        // From the first to the third customer.
        self.insist_on_order(2, Wish::buy(SymbolId::contract(3), Claim::Yes, 51, 7), 7)?;
        self.insist_on_order(0, offer(3, Claim::Yes, 51, 7), 23)?;
        // A pair goes back to the escrow, and another one nets.
        self.insist_on_order(0, offer(1, Claim::Yes, 47, 11), 19)?;
        self.insist_on_order(1, offer(1, Claim::No, 53, 11), 19)?;
        self.insist_on_order(3, Wish::buy(SymbolId::contract(5), Claim::Yes, 40, 9), 9)?;
        self.insist_on_order(0, Wish::buy(SymbolId::contract(5), Claim::No, 60, 9), 0)?;
        self.rest_at(self.now)?;
        self.care()
    }

    fn insist_on_outcome(&mut self, event: u32, outcomes: &[(&str, Claim)]) -> Result<(), Finding> {
        let outcomes = outcomes.iter().map(|(ticker, claim)| ((*ticker).to_owned(), *claim)).collect();
        let new = NewResolution { event: EventId(event), outcomes, source: "a source".into() };
        self.insist_on(Own::Resolve(Arc::new(new)), move |state| {
            state.predictions().event(EventId(event)).is_some_and(|event| event.resolution.is_some())
        })
    }

    /// An event with a window that is disputed and proposed again, one without, and the combo on both.
    fn payouts(&mut self) -> Result<(), Finding> {
        self.insist_on_outcome(1, &[("C0", Claim::No), ("C1", Claim::Yes)])?;
        let stage = |state: &State| state.predictions().event(EventId(1)).and_then(Event::stage);
        let disputed = Own::Dispute(EventId(1), "a reason".into());
        self.insist_on(disputed, move |state| stage(state) == Some(Stage::Disputed))?;
        let outcomes = vec![("C0".to_owned(), Claim::Yes), ("C1".to_owned(), Claim::No)];
        let again = NewResolution { event: EventId(1), outcomes, source: "another source".into() };
        self.insist_on(Own::Resolve(Arc::new(again)), move |state| stage(state) != Some(Stage::Disputed))?;
        self.rest_at(FOUNDED.plus(HOUR))?;
        self.insist_on_outcome(2, &[("E2", Claim::Yes)])
    }

    /// The first event is void at a third of a dollar.
    fn refunds(&mut self) -> Result<(), Finding> {
        let value = Some(Money::from_units(Money::ONE.units() / 3));
        let new = NewVoid { event: EventId(0), reason: "a reason".into(), value, at_cost: false };
        self.insist_on(Own::Void(Arc::new(new)), |state| {
            state.predictions().event(EventId(0)).is_some_and(|event| event.status == Status::Invalid)
        })
    }

    /// Two quote the last event, which has a pool for half of a day. Rebates come at five, the reward on the next day; then the event is void at
    /// cost.
    fn rewards(&mut self) -> Result<(), Finding> {
        let contract = SymbolId::contract(4);
        self.rest_at(FOUNDED.plus(16 * HOUR + 50 * MINUTE))?;
        self.insist_on_order(2, Wish::buy(contract, Claim::Yes, 45, 60), 60)?;
        self.insist_on_order(3, Wish::buy(contract, Claim::No, 45, 60), 60)?;
        self.insist_on_pool(Some(30))?;
        self.rest_at(FOUNDED.plus(29 * HOUR + MINUTE))?;
        self.insist_on_pool(None)?;
        self.rest_at(FOUNDED.plus(47 * HOUR))?;
        let new = NewVoid { event: EventId(3), reason: "a reason".into(), value: None, at_cost: true };
        self.insist_on(Own::Void(Arc::new(new)), |state| {
            state.predictions().event(EventId(3)).is_some_and(|event| event.status == Status::Invalid)
        })
    }

    fn insist_on_pool(&mut self, dollars: Option<i128>) -> Result<(), Finding> {
        let pool = |dollars| (EventId(3), Money::from_units(Money::ONE.units() * dollars));
        let pools: Vec<_> = dollars.map(pool).into_iter().collect();
        let many = pools.len();
        let change = RewardChange { pools: Some(pools), ..RewardChange::default() };
        self.insist_on(Own::SetRewards(Arc::new(change)), move |state| {
            state.predictions().rewards().terms().pools.len() == many
        })
    }
}
