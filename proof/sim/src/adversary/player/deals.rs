//! Clearing and staking: the commands of their acts, and the interest that stakes are promised.

use super::{Act, Amount, Command, Player, price_of, qty_of};
use crate::adversary::world::{COINS, POOLS, Scene, provider};
use buttonwood_engine::clearing::{Cancel, Confirm, HOURS, New, Parties, Terms};
use buttonwood_engine::staking::{PairId, Request};
use buttonwood_engine::{ClearingCommand, ClearingOrder, StakingCommand, State};
use buttonwood_model::{AccountId, Time};
use buttonwood_num::Money;
use std::sync::Arc;

/// The basis points of 100 % times the seconds of a year of 365 days.
const WHOLE_YEAR: i128 = 10_000 * 365 * 86_400;

/// The promise of all stakes, by pool: amounts times the whole seconds for which they were staked.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Promised {
    seconds: u64,
    sums: [i128; POOLS.len()],
}

impl Promised {
    /// Counts what is staked until a time at which something changes.
    pub(super) fn pass(&mut self, scene: &Scene, state: &State, until: Time) {
        let passed = until.seconds() - self.seconds.min(until.seconds());
        self.seconds = until.seconds();
        if passed == 0 {
            return;
        }
        for (pair, sum) in (0..).map(PairId).zip(&mut self.sums) {
            let stakers = scene.actors.iter().chain(&scene.honest);
            let staked = stakers.map(|actor| state.staking().staked(actor.account, pair));
            *sum += staked.map(|amount| amount.units() * i128::from(passed)).sum::<i128>();
        }
    }

    /// The interest in units of 10⁻¹⁹ dollars, rounded up.
    pub(super) fn dollars(&self) -> i128 {
        let pools = self.sums.iter().zip(&POOLS);
        pools
            .map(|(sum, pool)| {
                let coins = sum * i128::from(pool.rate) / WHOLE_YEAR + 1;
                coins * COINS.get(pool.coin).map_or(0, |coin| coin.dollars)
            })
            .sum()
    }
}

impl Player<'_> {
    /// The entry of a clearing order, by its source or by a broker.
    pub(super) fn deal(&mut self, act: &Act) -> Option<Command> {
        let Act::Deal { who, to, market, side, amount, price, by } = *act else { return None };
        let (source, target) = (self.actor(who)?, to.map(|to| self.actor(to)));
        let listed = self.listed(market)?;
        let units = self.quantity(source, market, side, amount, Some(price))?;
        let parties = match (by, target) {
            (Some(_), target) => Parties::Between { source: source.account, target: target??.account },
            (None, Some(target)) => Parties::With(target?.account),
            (None, None) => Parties::Open,
        };
        let (price, qty) = (price_of(listed, price), qty_of(listed, units));
        let terms = Terms { symbol: listed.symbol, side, price, qty, hours: HOURS, parties };
        let new = New { terms, client_id: String::new() };
        let by = by.map_or(Some(source), |by| self.actor(by))?;
        Some(self.by(by, by.session, ClearingCommand::New(Arc::new(new))))
    }

    /// The confirmation of the newest order that awaits the account.
    pub(super) fn confirmation(&mut self, who: usize) -> Option<Command> {
        let actor = self.actor(who)?;
        let room = self.exchange.state.clearing();
        let order = *room.orders().rev().find(|order| awaits(order, actor.account))?;
        let confirm = Confirm {
            code: room.code(order.number),
            symbol: Some(order.symbol),
            qty: Some(order.qty),
            price: Some(order.price),
            side: order.side_of(actor.account),
        };
        Some(self.by(actor, actor.session, ClearingCommand::Confirm(confirm)))
    }

    /// The cancel of the newest open order that concerns the account.
    pub(super) fn retraction(&mut self, who: usize) -> Option<Command> {
        let actor = self.actor(who)?;
        let room = self.exchange.state.clearing();
        let order = room.of_account(actor.account).rev().find(|order| order.status.is_open())?;
        let code = room.code(order.number);
        Some(self.by(actor, actor.session, ClearingCommand::Cancel(Cancel { code })))
    }

    /// A stake.
    pub(super) fn stake(&mut self, who: usize, pool: usize, amount: Amount) -> Option<Command> {
        let actor = self.actor(who)?;
        let units = self.units(actor, POOLS.get(pool)?.coin, amount);
        let request = self.request(pool, units)?;
        Some(self.by(actor, actor.session, StakingCommand::Stake(request)))
    }

    /// A redemption.
    pub(super) fn unstake(&mut self, who: usize, pool: usize, amount: Amount) -> Option<Command> {
        let actor = self.actor(who)?;
        let units = match amount {
            Amount::Exact(units) => units,
            Amount::Share(share) => {
                let pair = PairId(u16::try_from(pool).ok()?);
                let staked = self.exchange.state.staking().staked(actor.account, pair);
                staked.units() / 100 * i128::from(share)
            }
        };
        let request = self.request(pool, units)?;
        Some(self.by(actor, actor.session, StakingCommand::Unstake(request)))
    }

    fn request(&self, pool: usize, units: i128) -> Option<Arc<Request>> {
        let currency = self.scene.currency(POOLS.get(pool)?.coin);
        let (provider, client_id) = (provider(pool), String::new());
        Some(Arc::new(Request { provider, currency, amount: Money::from_units(units), client_id }))
    }
}

/// Whether an account may confirm an order.
fn awaits(order: &ClearingOrder, account: AccountId) -> bool {
    let is_source = order.source == account;
    let may = match (order.broker, order.target) {
        (Some(_), target) => is_source && !order.source_confirmed || target == Some(account),
        (None, target) => !is_source && target.is_none_or(|target| target == account),
    };
    may && order.status.is_open()
}
