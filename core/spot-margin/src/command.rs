//! The commands of the desk, all of them due by the clock or by an index, and their events.

use crate::interest::Charge;
use crate::off_book::{Sold, TakenOver};
use crate::{Coin, Conditions, SpotMargin, coins, liquidation};
use alloc::vec::Vec;
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, BytesRef, CurrencyId, Outbox, commands, named};
use buttonwood_room::Context;
use buttonwood_trading::{self as trading, Desks, Planner};

/// A command of the desk; none is a key's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Charge accounts interest for the hour that has ended.
    ChargeInterest,
    /// Search accounts for those below maintenance.
    FindLiquidations,
    /// Take the next step of an account's liquidation.
    Liquidate(AccountId),
    /// Set the conditions of every account.
    SetConditions(Conditions),
    /// Set the coins that can be bought on margin.
    SetCoins(Vec<Coin>),
    /// Lend dollars for a coin, or no more; none takes it from the list. The others stay as they are.
    SetCoin(CurrencyId, Option<bool>),
}

commands!(Command, "spot_margin", {
    ChargeInterest {} = "charge_interest" 1: exchange neither,
    FindLiquidations {} = "find_liquidations" 1: exchange neither,
    Liquidate { 0: account } = "liquidate" 1: exchange neither,
    SetConditions { 0: conditions } = "set_conditions" 1: exchange neither,
    SetCoins { 0: coins } = "set_coins" 1: exchange neither,
    SetCoin { 0: currency, 1: lends } = "set_coin" 1: exchange neither,
});

/// An event of the desk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Infrequent {
    /// Accounts were charged interest.
    InterestCharged(Charge),
    /// These accounts are below maintenance; the last account that was searched, if more are left.
    Found(Vec<AccountId>, Option<AccountId>),
    /// The liquidation of an account began; its orders are cancelled.
    Started(AccountId),
    /// It sold a part of a holding on the book, or could not.
    Sold(Sold),
    /// The fund took what the book left of the part.
    TakenOver(TakenOver),
    /// Other conditions are in force.
    ConditionsSet(Conditions),
    /// Other coins can be bought on margin.
    CoinsSet(Vec<Coin>),
    /// The account has recovered or has nothing, or what is left waits for the next index.
    Ended(AccountId),
}

named!(Infrequent, "spot_margin", {
    InterestCharged { 0: charge } = "interest_charged" 1,
    Found { 0: accounts, 1: after } = "liquidations_found" 1,
    Started { 0: account } = "liquidation_started" 1,
    Sold { 0: sold } = "liquidation_sold" 1,
    TakenOver { 0: taken } = "taken_over" 1,
    Ended { 0: account } = "liquidation_ended" 1,
    ConditionsSet { 0: conditions } = "conditions_set" 1,
    CoinsSet { 0: coins } = "coins_set" 1,
});

impl Infrequent {
    /// The ids that the event takes from the counter of orders and trades.
    pub fn ids(&self) -> impl Iterator<Item = u64> + use<> {
        let taken = if let Self::TakenOver(taken) = self { Some(taken.ids()) } else { None };
        taken.into_iter().flatten()
    }
}

/// Why a command is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject {
    /// Nothing of the kind is due.
    NotDue,
    /// The conditions cannot be kept.
    BadConditions,
    /// The list names a coin twice, or more coins than [`COINS_MAX`](crate::COINS_MAX).
    BadCoins,
    /// A coin has no book against the dollar, or is a dollar itself.
    NoBook,
    /// A coin that is to leave the list is not in it.
    UnknownCoin,
    /// A coin leaves the list while accounts owe or have live orders.
    CoinInUse,
}

/// Decides a command. `market` is the floor, on which a liquidation sells.
///
/// # Errors
/// [`Reject`].
pub fn decide<D: Desks, E: From<trading::Event> + From<BytesRef>>(
    context: &Context<'_, SpotMargin>,
    market: trading::Market<'_, D>,
    command: &Command,
    planner: &mut Planner<D::Plan>,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let Context { room: margin, ledger, .. } = *context;
    match command {
        Command::ChargeInterest => {
            if margin.interest_due().is_none_or(|(_, due)| due > context.time) {
                return Err(Reject::NotDue);
            }
            out.push_named(&Infrequent::InterestCharged(margin.charge(ledger)));
        }
        Command::FindLiquidations => {
            margin.search_due().ok_or(Reject::NotDue)?;
            let (found, after) = margin.search(ledger, context.sources.indices.latest());
            out.push_named(&Infrequent::Found(found, after));
        }
        Command::SetConditions(conditions) => {
            if !conditions.are_valid() {
                return Err(Reject::BadConditions);
            }
            out.push_named(&Infrequent::ConditionsSet(*conditions));
        }
        Command::SetCoins(list) => {
            coins::decide(context, list)?;
            out.push_named(&Infrequent::CoinsSet(list.clone()));
        }
        Command::SetCoin(currency, lends) => {
            let list = coins::with(context, *currency, *lends)?;
            coins::decide(context, &list)?;
            out.push_named(&Infrequent::CoinsSet(list));
        }
        Command::Liquidate(account) => {
            if !liquidation::decide(context, market, *account, planner, out) {
                return Err(Reject::NotDue);
            }
        }
    }
    Ok(())
}

/// Applies an event.
///
/// # Panics
/// When the event does not follow from the state.
pub fn evolve(margin: &mut SpotMargin, ledger: &mut Ledger, event: Infrequent) {
    match event {
        Infrequent::InterestCharged(charge) => margin.apply_charge(ledger, &charge),
        Infrequent::Found(accounts, after) => margin.note_found(&accounts, after),
        Infrequent::Started(account) => margin.liquidations.begin(account, None),
        Infrequent::Sold(sold) => margin.note_sold(ledger, &sold),
        Infrequent::TakenOver(taken) => margin.note_taken_over(ledger, &taken),
        Infrequent::Ended(account) => {
            margin.liquidations.end(account);
        }
        Infrequent::ConditionsSet(conditions) => margin.conditions = conditions,
        Infrequent::CoinsSet(coins) => margin.coins = Some(coins),
    }
}
