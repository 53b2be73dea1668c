//! The prediction markets in the engine.

use crate::decide::{Decide, Evolve, place_apart};
use crate::{Desks, Note, Outcome, Reject, State, Workspace};
use buttonwood_access::Caller;
use buttonwood_funds::Made;
use buttonwood_model::{AccountId, OrderClass, OrderId, Product, Stamp, Time};
use buttonwood_num::Money;
use buttonwood_prediction::{self as prediction, Answered, Command, Infrequent, Predictions};
use buttonwood_room::ContextMut;
use buttonwood_trading::Answer;
use buttonwood_trading::cancel::{self, OrderRef};
use buttonwood_trading::place::{self, Place};

impl Decide for Command {
    fn by_key(&self, state: &State, now: Time, caller: &Caller, work: &mut Workspace) -> Outcome {
        let context = state.context(state.predictions(), now);
        match prediction::decide(&context, caller, self, &mut work.out) {
            Ok(Answered::Done) => Outcome::Done,
            Ok(Answered::Cancel(order)) => cancel(state, now, caller.account, order, work),
            Ok(Answered::Place(order)) => place_apart(state, now, caller, &order, work),
            Err(reject) => Outcome::Rejected(Reject::Prediction(reject)),
        }
    }

    fn by_exchange(
        &self,
        state: &State,
        now: Time,
        _note: Option<&Note>,
        work: &mut Workspace,
    ) -> Result<Made, Reject> {
        let context = state.context(state.predictions(), now);
        prediction::decide_own(&context, self, &mut work.out).map_err(Reject::Prediction)?;
        Ok(Made::Nothing)
    }
}

/// Cancels an order of a contract.
fn cancel(
    state: &State,
    now: Time,
    account: Option<AccountId>,
    order: OrderId,
    work: &mut Workspace,
) -> Outcome {
    let Some(account) = account else { return Outcome::Rejected(Reject::Unknown) };
    let order = OrderRef::Id(order);
    Outcome::Trading(match cancel::one(state.market(now), account, &order, true, &mut work.out) {
        Some(decided) => Answer::Order(decided),
        None => Answer::NotLive,
    })
}

/// Whether an account may place an order of a contract, apart from what the floor checks of every order.
///
/// # Errors
/// [`Reject`].
pub(crate) fn check_place(state: &State, now: Time, account: AccountId, order: &Place) -> Result<(), Reject> {
    let context = state.context(state.predictions(), now);
    prediction::check(&context, account, order).map_err(Reject::Prediction)?;
    // An account in debt has nothing to trade with (D-167), and what it buys counts as leaving while its group has advances (D-181).
    let class = OrderClass::new(order.side, order.claim, prediction::DESK);
    let is_in_debt = state.access.is_in_debt(account);
    let may_leave = prediction::buys(class) && state.is_in_advance(account);
    if !is_in_debt && !may_leave {
        return Ok(());
    }
    let symbol = state.symbol(order.symbol).ok_or(Reject::Unknown)?;
    let (_, rates) = state.floor.rates(Product::Contract, Some(order.symbol), account);
    let needed = prediction::needed(symbol, class, order.price, order.qty, rates.worst());
    let (needed, dollar) =
        needed.zip(state.ledger().dollar()).ok_or(Reject::place(place::Reject::BeyondFunds))?;
    let available = if is_in_debt { Money::ZERO } else { state.leave().free(account, dollar) };
    if needed <= available {
        return Ok(());
    }
    Err(Reject::place(place::Reject::InsufficientFunds { needed, available }))
}

impl Evolve for Infrequent {
    fn apply(self, state: &mut State, stamp: Stamp) {
        let (seed, time) = (state.seed(), stamp.time);
        let State { desks, access, floor, next_id, .. } = state;
        let (symbols, next_id) = (floor.symbols.listed(), *next_id);
        let Desks { predictions: room, ledger, advances, indices, .. } = desks;
        let mut context =
            ContextMut { room, ledger, access, advances, indices, symbols, seed, next_id, time };
        prediction::evolve(&mut context, self);
        state.desks.repay();
    }
}

impl State {
    /// Events, contracts, and what accounts paid for their claims.
    pub fn predictions(&self) -> &Predictions {
        &self.desks.predictions
    }
}
