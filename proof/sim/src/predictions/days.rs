//! Days: terms of rewards, makers who quote for most of a day, and the times at which something is due.

use super::found::{Founded, Wish, event};
use super::{HOUR, MINUTE, PredictionMarkets, is_going};
use crate::check::Finding;
use crate::disk::Trouble;
use buttonwood_engine::prediction::{RewardChange, eastern};
use buttonwood_engine::{Body, PredictionCommand as Own};
use buttonwood_model::{Claim, Day, EventId, SymbolId, Time};
use buttonwood_num::Money;
use std::sync::Arc;

impl PredictionMarkets {
    pub(super) fn set_rewards(&mut self) -> Result<(), Finding> {
        let change = RewardChange {
            enabled: Some(!self.dice.once_in(5)),
            rebate_bps: self.dice.pick(&[None, Some(0), Some(3_333), Some(10_000)]),
            spread_cents: self.dice.pick(&[None, Some(3), Some(20)]),
            min_payout: self.dice.pick(&[None, Some(Money::ZERO), Some(Money::ONE)]),
            pools: None,
        };
        let pools = self.pools();
        let pools = Some(pools).filter(|_| !self.dice.once_in(3));
        self.own_of(Own::SetRewards(Arc::new(RewardChange { pools, ..change })))
    }

    /// A pool for each of two events that go on long.
    fn pools(&mut self) -> Vec<(EventId, Money)> {
        let until = self.now.plus(12 * HOUR);
        let events = self.events_that(|event| event.is_before_close() && event.expiry > until);
        let dollars = self.dice.pick(&[3, 50, 50]);
        let pool = Money::from_units(Money::ONE.units() * dollars + Money::ONE.units() / 100 * 7);
        events.into_iter().rev().take(2).map(|event| (event, pool)).collect()
    }

    /// Somebody quotes both sides of a contract, with orders that score.
    pub(super) fn quote(&mut self) -> Result<(), Finding> {
        let trader = self.trader();
        let Some(contract) = self.contract() else { return Ok(()) };
        let (price, contracts) = (40 + self.dice.below(6), self.dice.pick(&[10, 30, 300]));
        for claim in Claim::ALL {
            self.wish(trader, Wish::buy(contract, claim, price, contracts))?;
        }
        Ok(())
    }

    /// Makers quote an event with a pool for most of a day, or too short a part of it, and the day is paid.
    pub(super) fn vigil(&mut self) -> Result<(), Finding> {
        // Just less than half of a day's snapshots, or more.
        let minutes = self.dice.pick(&[714, 780, 780]);
        let midnight = eastern::at(eastern::day(self.now).plus(1), 0);
        self.rest_at(midnight)?;
        let times = (self.now, self.now.plus(72 * HOUR), HOUR);
        let first = self.state().predictions().contracts().len();
        for _ in 0..2 {
            let new = event(self.product.listed, 1, times);
            self.product.listed += 1;
            self.own_of(Own::ListEvent(Arc::new(new)))?;
        }
        self.rest_at(self.now)?;
        for at in first..self.state().predictions().contracts().len() {
            let contract = SymbolId::contract(u32::try_from(at).expect("a few contracts"));
            for _ in 0..2 {
                let (trader, contracts) = (self.trader(), self.dice.pick(&[10, 60, 250]));
                self.call(trader, Own::AcceptTerms)?;
                for claim in Claim::ALL {
                    self.wish(trader, Wish::buy(contract, claim, 45, contracts))?;
                }
            }
        }
        self.rest_at(self.now)?;
        let pools = Some(self.pools());
        let enabled = Some(true);
        self.own_of(Own::SetRewards(Arc::new(RewardChange { enabled, pools, ..RewardChange::default() })))?;
        self.reach_with_trouble(self.now.plus(minutes * MINUTE))?;
        self.rest_at(self.now)?;
        self.own_of(Own::SetRewards(Arc::new(RewardChange {
            pools: Some(Vec::new()),
            ..RewardChange::default()
        })))?;
        self.rest_at(self.now)?;
        let day = eastern::day(midnight).plus(1);
        for minutes in [17 * 60, 17 * 60 + 30] {
            self.reach_and_fall(eastern::at(day, minutes))?;
        }
        if self.dice.once_in(2) { self.pay_late() } else { Ok(()) }
    }

    /// A time is reached, and the process ends with one of the first calls of the disk after that.
    fn reach_and_fall(&mut self, at: Time) -> Result<(), Finding> {
        self.rest_at(Time(at.0 - 1).max(self.now))?;
        let after = self.dice.below(4);
        self.disk.arm(after, Trouble::Kill);
        self.rest_at(at.max(self.now))
    }

    /// `promo` gets what it lacked, and another day is paid.
    fn pay_late(&mut self) -> Result<(), Finding> {
        let Founded { usd, promo, .. } = self.product.founded;
        self.own(Body::credit(promo, vec![(usd, Money::from_units(Money::ONE.units() * 200))]))?;
        self.reach_with_trouble(eastern::at(eastern::day(self.now).plus(1), 17 * 60 + 30))
    }

    /// A time at which something is due is reached: an expiry, the end of a window, a payout of rewards.
    pub(super) fn reach(&mut self) -> Result<(), Finding> {
        let now = self.now;
        let today: Day = eastern::day(now);
        let daily = [eastern::at(today, 17 * 60), eastern::at(today, 17 * 60 + 30)];
        let events = self.state().predictions().events().iter();
        let steps = events.filter(|event| is_going(event)).flat_map(|event| {
            let settles = event.resolution.as_ref().and_then(|resolution| resolution.settles);
            [Some(event.start), Some(event.expiry), settles].into_iter().flatten()
        });
        let soon = now.plus(8 * HOUR);
        let times: Vec<Time> =
            steps.chain(daily).chain(daily).filter(|time| *time > now && *time < soon).collect();
        match self.one_of(&times) {
            Some(time) if self.dice.once_in(2) => self.reach_and_fall(time),
            Some(time) => self.reach_with_trouble(time),
            None => self.wait(),
        }
    }
}
