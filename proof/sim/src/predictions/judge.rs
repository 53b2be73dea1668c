//! The judge of a run: what each command moved follows from orders, fills, courses of events and scores, and no claim is paid twice.

use super::books::{Books, Fill, Houses, Live};
use super::course::{CourseCounts, Courses};
use super::rewards::{RewardCounts, Rewards};
use crate::trial::Judge;
use buttonwood_engine::prediction::Infrequent;
use buttonwood_engine::{Body, Command, PredictionCommand as Own, State, TradingCommand};
use buttonwood_model::{CancelReason, Claim, GroupId, Product, Side, Time};
use buttonwood_num::Money;
use buttonwood_oracle::{Exchange, Happening};
use std::collections::BTreeMap;

/// The naive model of prediction markets.
#[derive(Debug)]
pub struct PredictionJudge {
    books: Books,
    courses: Courses,
    rewards: Rewards,
    /// Of maker and taker, in basis points.
    rates: [i128; 2],
    /// The version of the terms, and those that groups have accepted.
    version: u32,
    accepted: BTreeMap<GroupId, u32>,
    /// Whether more events are to be scored for the minute of the last one.
    is_scoring: bool,
}

impl Default for PredictionJudge {
    fn default() -> Self {
        Self {
            books: Books::default(),
            courses: Courses::default(),
            rewards: Rewards::new(),
            rates: [100, 500],
            version: 1,
            accepted: BTreeMap::new(),
            is_scoring: false,
        }
    }
}

impl PredictionJudge {
    /// Mints, transfers, merges and nettings, courses of events, rewards.
    pub(super) fn counts(&self) -> ([u64; 4], CourseCounts, RewardCounts) {
        (self.books.kinds, self.courses.counts, self.rewards.counts)
    }

    /// Whether claims are to be paid, to be paid back, rewards are being paid, and a minute is scored in part.
    pub(super) fn waits(&self) -> [bool; 4] {
        let [pays, refunds] = self.courses.waits();
        [pays, refunds, self.rewards.is_paying(), self.is_scoring]
    }

    /// The order that a command places: contracts that trade alone, after the latest terms.
    fn placed(&self, exchange: &Exchange, command: &Command) -> Result<Live, String> {
        let Body::Trading(TradingCommand::Place(place)) = &command.body else {
            return Err("an order comes from no command".into());
        };
        let account = command.caller.and_then(|caller| caller.account).ok_or("an order of no account")?;
        let group = exchange.state.access().account(account).and_then(|account| account.group);
        let accepted = group.and_then(|group| self.accepted.get(&group));
        if accepted != Some(&self.version) || !self.courses.is_open(place.symbol, exchange.stamp.time) {
            return Err(format!("an order enters without its terms, or where nothing trades: {accepted:?}"));
        }
        Ok(Live {
            account,
            contract: place.symbol,
            claim: place.claim,
            buys: (place.side == Side::Buy) == (place.claim == Claim::Yes),
            price: place.price.ticks().into(),
            left: i128::try_from(place.qty.hundredths()).expect("a small quantity"),
            rates: self.rates,
        })
    }

    fn note_trades(&mut self, exchange: &Exchange, command: &Command, houses: Houses) -> Result<(), String> {
        let mut entering = None;
        for happening in &exchange.happened {
            if let Happening::Credited(account, currency, amount) = *happening {
                self.books.shift([houses.source, account], currency, amount.units());
            } else if let Happening::Accepted(id) = *happening {
                self.books.orders.insert(id, self.placed(exchange, command)?);
                entering = Some(id);
            } else if let Happening::Triggered(id) = *happening {
                entering = Some(id);
            } else if let Happening::Filled { maker, qty, price, maker_fee, taker_fee, .. } = *happening {
                let taker = entering.ok_or("a fill without an entering order")?;
                let fill = Fill {
                    qty: i128::try_from(qty.hundredths()).expect("a small quantity"),
                    price: price.ticks().into(),
                    fees: [maker_fee, taker_fee].map(Money::units),
                };
                let whose = self.books.fill([maker, taker], fill, houses)?;
                self.rewards.note_fee(whose.account, maker_fee.units());
            } else if let Happening::Completed(id) = *happening {
                let order = self.books.take(id)?;
                if order.left != 0 {
                    return Err(format!("{order:?} is complete"));
                }
            } else if let Happening::Cancelled(id, reason) = *happening {
                self.cancel(id, reason, command, entering)?;
            }
        }
        Ok(())
    }

    /// An order is cancelled as it enters, by its owner, or since its trading has ended.
    fn cancel(
        &mut self,
        id: u64,
        reason: CancelReason,
        command: &Command,
        entering: Option<u64>,
    ) -> Result<(), String> {
        let order = self.books.take(id)?;
        let by = command.caller.and_then(|caller| caller.account);
        let is_closed = reason == CancelReason::MarketClosed && self.courses.is_closed(order.contract);
        let is_own = reason == CancelReason::Requested && by == Some(order.account);
        if is_closed || is_own || entering == Some(id) {
            Ok(())
        } else {
            Err(format!("{order:?} is cancelled for {reason:?}"))
        }
    }

    fn note_event(
        &mut self,
        event: &Infrequent,
        (exchange, command): (&Exchange, &Own),
        houses: Houses,
    ) -> Result<(), String> {
        let (now, state) = (exchange.stamp.time, &exchange.state);
        let Self { books, courses, rewards, .. } = self;
        match event {
            Infrequent::Listed(new) => {
                courses.list(new.contracts.len(), (new.is_exclusive, new.dispute, new.expiry));
                Ok(())
            }
            Infrequent::ComboListed(new) => courses.list_combo(new.legs.clone()),
            Infrequent::Halted(event, halted) => courses.halt(*event, *halted),
            Infrequent::Closed(event) => courses.close(*event, now, command),
            Infrequent::Proposed(event, outcomes, _) => courses.propose(*event, outcomes, now),
            Infrequent::Disputed(event, _) => courses.dispute(*event, now),
            Infrequent::Final(event) => courses.finish(*event, now),
            Infrequent::Decided(event, outcome) => courses.decide_combo(*event, *outcome),
            Infrequent::Voided(voided) => {
                let Own::Void(new) = command else { return Err("an event is void without a call".into()) };
                courses.void(voided, new, (books, houses))
            }
            Infrequent::VoidAwaited(event) => courses.await_void(*event),
            Infrequent::Paid(paid) => courses.pay(paid, books, houses),
            Infrequent::Settled(event) => courses.settle(*event),
            Infrequent::TermsPublished(_) => {
                self.version += 1;
                Ok(())
            }
            Infrequent::TermsAccepted(group, _) => {
                self.accepted.insert(*group, self.version);
                Ok(())
            }
            Infrequent::RewardsSet(change, _) => {
                rewards.set(change);
                Ok(())
            }
            Infrequent::RebatesBegun(_) => {
                rewards.begin_rebates(now);
                Ok(())
            }
            Infrequent::Rebated(paid) => rewards.rebate(paid, books, houses),
            Infrequent::Scored(scored) => rewards.score(scored, now),
            Infrequent::PayoutBegun(day) => rewards.begin_payout(*day, now),
            Infrequent::Rewarded(paid) => rewards.reward(paid, (books, houses), state),
            Infrequent::Opened(_) | Infrequent::StrikeSet(..) | Infrequent::Cleared(..) => Ok(()),
        }
    }

    fn set_rates(&mut self, command: &Command) {
        let Body::Trading(TradingCommand::SetFees(change)) = &command.body else { return };
        if let Some(rates) = change.schedule.filter(|_| change.product == Product::Contract) {
            self.rates = [rates.maker, rates.taker].map(|rate| rate.0.into());
        }
    }
}

/// Whether an event is due to be scored for a minute that has begun to be.
fn is_scoring(state: &State) -> bool {
    let due = state.next_due_in(state.predictions());
    due.is_some_and(|due| due.command == Own::Score && due.time <= state.stamp().time)
}

impl Judge for PredictionJudge {
    fn note(&mut self, exchange: &Exchange, command: &Command) -> Result<(), String> {
        let state = &exchange.state;
        let Some(houses) = Houses::of(state) else { return Ok(()) };
        self.note_trades(exchange, command, houses)?;
        self.set_rates(command);
        for event in &exchange.of.predictions {
            let Body::Prediction(own) = &command.body else {
                return Err("prediction markets have an event without a command".into());
            };
            self.note_event(event, (exchange, own), houses)?;
        }
        self.books.net(houses);
        self.is_scoring = matches!(command.body, Body::Prediction(Own::Score)) && is_scoring(state);
        self.books.agree(state, houses.dollar)
    }

    fn unfinished(&self, exchange: &Exchange) -> Option<String> {
        let rewards = self.rewards.is_paying().then(|| "rewards are not paid".to_owned());
        self.courses.unfinished(exchange.stamp.time, &self.books).or(rewards)
    }

    /// No perpetual trades, so that no minute counts.
    fn must_resume(&self, _now: Time) -> bool {
        false
    }
}
