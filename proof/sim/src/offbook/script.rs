//! One short run with a trouble of the disk at a chosen call: settlements at once and later, days of interest in time and late, redemptions
//! in parts. Whatever the trouble and the call, it must end with the same balances.

use super::found::coins;
use super::{COIN, OffBook};
use crate::check::Finding;
use crate::disk::Trouble;
use crate::scene::FOUNDED;
use buttonwood_engine::clearing::{Confirm, New, Parties, Terms};
use buttonwood_engine::staking::Request;
use buttonwood_engine::{Body, ClearingCommand, ClearingOrder, StakingCommand, State};
use buttonwood_model::{AccountId, CurrencyId, SessionId, Side, Time};
use buttonwood_num::{Price, Qty};
use std::sync::Arc;

const HOUR: u64 = 3_600 * Time::SECOND;
const DAY: u64 = 24 * HOUR;

/// The end of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// What every account has, in units of money.
    pub balances: Vec<(AccountId, CurrencyId, i128)>,
    /// What every account has staked, by pool.
    pub staked: Vec<i128>,
}

/// Runs the script with a trouble after so many calls of the disk. Returns its end, and whether the trouble came.
///
/// # Errors
/// The first problem found.
pub fn struck(after: u64, trouble: Trouble) -> Result<(Ended, bool), Finding> {
    let mut trial = OffBook::new(1);
    trial.strike(after, trouble)?;
    trial.stakes_and_deals()?;
    trial.days()?;
    trial.redemptions()?;
    let ended = ended(trial.state());
    Ok((ended, trial.crashes > 0))
}

fn ended(state: &State) -> Ended {
    let accounts = || (0..state.access().accounts().len()).map(AccountId::from_index);
    let balances = accounts().flat_map(|account| {
        let own = state.ledger().balances_of(account);
        own.map(move |(currency, balance)| (account, currency, balance.total().units()))
    });
    let staked = state
        .staking()
        .pairs()
        .flat_map(|(id, _)| accounts().map(move |account| state.staking().staked(account, id).units()));
    Ended { balances: balances.collect(), staked: staked.collect() }
}

impl OffBook {
    fn desk_at(&self, at: usize) -> (AccountId, SessionId) {
        *self.product.founded.desks.get(at).expect("a place of the desks")
    }

    /// Stakes, an order that settles at once, one that waits for money, and one that nobody confirms.
    fn stakes_and_deals(&mut self) -> Result<(), Finding> {
        self.rest_at(FOUNDED.plus(HOUR))?;
        self.insist_on_stake(0, 0, 10, true)?;
        self.insist_on_stake(1, 1, 4, true)?;
        self.insist_on_deal((0, 1, Side::Sell), 0, (1, 20), "at-once")?;
        let left = |state: &State| state.clearing().orders().next().is_none();
        self.insist_on_confirmation(1, left)?;
        self.insist_on_deal((0, 2, Side::Buy), 1, (4, 100), "later")?;
        self.insist_on_confirmation(2, |state| state.clearing().orders().any(ClearingOrder::is_confirmed))?;
        self.care()?;
        let (buyer, usd) = (self.desk_at(0).0, self.product.founded.usd);
        self.insist(left, |trial| trial.own(Body::credit(buyer, vec![(usd, coins(200))])))?;
        self.insist_on_deal((1, 2, Side::Buy), 0, (1, 1), "never")
    }

    /// Days at a higher rate, until `staking_rewards` lacks money, which then comes.
    fn days(&mut self) -> Result<(), Finding> {
        let terms = self.product.founded.terms(0, 100_000, None, false);
        let is_set = |state: &State| {
            state.staking().pairs().next().is_some_and(|(_, pair)| pair.terms.rate.0 == 100_000_000_000)
        };
        self.insist(is_set, |trial| trial.own(terms.clone()))?;
        for day in 0..6 {
            self.rest_at(FOUNDED.plus(day * DAY + 20 * HOUR))?;
        }
        let currency = self.product.founded.pool(0).1;
        let waits = |state: &State| state.staking().pairs().any(|(_, pair)| pair.waiting().next().is_some());
        if !waits(self.state()) {
            return Err("no day waits for money".into());
        }
        self.rest_at(FOUNDED.plus(6 * DAY))?;
        self.care()?;
        self.insist(|state| !waits(state), |trial| trial.own(StakingCommand::Fund(currency, coins(5)).into()))
    }

    /// All is redeemed: one stake at once, the other later and in parts.
    fn redemptions(&mut self) -> Result<(), Finding> {
        self.insist_on_stake(1, 1, 4, false)?;
        self.insist_on_stake(0, 0, 10, false)?;
        self.rest_at(FOUNDED.plus(9 * DAY))
    }

    fn insist_on_stake(
        &mut self,
        desk: usize,
        pool: usize,
        amount: i128,
        stakes: bool,
    ) -> Result<(), Finding> {
        let (provider, currency) = self.product.founded.pool(pool);
        let client_id = format!("{desk}-{pool}-{stakes}");
        let desk = self.desk_at(desk);
        let request =
            Arc::new(Request { provider, currency, amount: coins(amount), client_id: client_id.clone() });
        let command = if stakes { StakingCommand::Stake(request) } else { StakingCommand::Unstake(request) };
        self.insist(is_known(desk.0, client_id), |trial| trial.call(desk, command.clone()))
    }

    fn insist_on_deal(
        &mut self,
        (source, target, side): (usize, usize, Side),
        market: usize,
        (amount, dollars): (u32, u64),
        client_id: &str,
    ) -> Result<(), Finding> {
        let desk = self.desk_at(source);
        let parties = Parties::With(self.desk_at(target).0);
        let symbol = self.product.founded.markets.get(market).expect("there are two").symbol;
        let (price, qty) =
            (Price::from_ticks(dollars * 100), Qty::from_hundredths(u128::from(amount) * COIN));
        let terms = Terms { symbol, side, price, qty, hours: 24, parties };
        let new = Arc::new(New { terms, client_id: client_id.to_owned() });
        let is_known = is_known(desk.0, client_id.to_owned());
        self.insist(is_known, |trial| trial.call(desk, ClearingCommand::New(Arc::clone(&new))))
    }

    /// The target confirms the only order.
    fn insist_on_confirmation(
        &mut self,
        target: usize,
        is_done: impl Fn(&State) -> bool,
    ) -> Result<(), Finding> {
        let desk = self.desk_at(target);
        self.insist(is_done, |trial| {
            let order = *trial.state().clearing().orders().next().ok_or("no order is there")?;
            let confirm = Confirm {
                code: trial.state().clearing().code(order.number),
                symbol: Some(order.symbol),
                qty: Some(order.qty),
                price: Some(order.price),
                side: order.side_of(desk.0),
            };
            trial.call(desk, ClearingCommand::Confirm(confirm))
        })
    }
}

/// Whether the journal has a request of this client id.
fn is_known(account: AccountId, client_id: String) -> impl Fn(&State) -> bool {
    move |state| state.access().client_id(account, &client_id).is_some()
}
