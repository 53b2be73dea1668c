//! The ledger in the engine.

use crate::decide::{Decide, Evolve};
use crate::evolve::repay;
use crate::{Note, Reject, State, Workspace};
use buttonwood_access::{self as access, Account, AccountKind};
use buttonwood_convert as convert;
use buttonwood_funds::Made;
use buttonwood_ledger::{self as ledger, Command, Infrequent};
use buttonwood_model::{AccountId, AssetId, Stamp, Time, TradeId};
use buttonwood_num::Money;

impl Decide for Command {
    fn by_exchange(
        &self,
        state: &State,
        now: Time,
        _note: Option<&Note>,
        work: &mut Workspace,
    ) -> Result<Made, Reject> {
        let account = account_of(self);
        if account.is_some_and(|account| state.access.is_closed(account)) {
            return Err(Reject::Access(access::Reject::Closed));
        }
        if is_of_a_room(state, self) {
            return Err(Reject::Ledger(ledger::Reject::Unknown));
        }
        if let Some(free) = short_rewards(state, self) {
            return Err(Reject::Ledger(ledger::Reject::Short(free)));
        }
        if !can_be_valued(state, now, self) {
            return Err(Reject::Ledger(ledger::Reject::BadAmount));
        }
        ledger::decide(state.ledger(), self, &mut work.out).map_err(Reject::Ledger)?;
        Ok(Made::Nothing)
    }
}

/// The account that a command gives money to.
fn account_of(command: &Command) -> Option<AccountId> {
    match command {
        Command::Credit(credit) => Some(credit.account),
        Command::Adjust(adjustment) => Some(adjustment.account),
        Command::ListCurrency(_) | Command::OpenHouse(..) => None,
    }
}

/// Whether a command gives money to the lending account, whose balance is minus what is owed and nothing else, or to the pool of stakes,
/// which has what is staked and owed and nothing else.
fn is_of_a_room(state: &State, command: &Command) -> bool {
    let houses = [ledger::LENDING, ledger::STAKING_POOL];
    account_of(command).is_some_and(|account| {
        houses.into_iter().any(|house| state.ledger().house(house.name) == Some(account))
    })
}

/// The part of `staking_rewards` that may be taken, if a command takes more: the rest is promised to the day of interest that is paid.
fn short_rewards(state: &State, command: &Command) -> Option<Money> {
    let Command::Adjust(adjustment) = command else { return None };
    let rewards = state.ledger().house(ledger::STAKING_REWARDS.name);
    let free = state.staking.free(state.ledger(), adjustment.currency);
    (rewards == Some(adjustment.account) && -adjustment.amount > free).then_some(free)
}

/// Whether all that there is of a currency can still be valued at its index after a credit.
fn can_be_valued(state: &State, now: Time, command: &Command) -> bool {
    let amounts = match command {
        Command::Credit(credit) => credit.amounts.as_slice(),
        Command::Adjust(adjustment) => &[(adjustment.currency, adjustment.amount)],
        Command::ListCurrency(_) | Command::OpenHouse(..) => &[],
    };
    let sources = state.sources(now);
    amounts.iter().all(|(currency, amount)| {
        let index = sources.index(*currency).filter(|_| *amount > Money::ZERO);
        index.is_none_or(|index| state.ledger().can_value(*currency, *amount, index))
    })
}

impl Evolve for Infrequent {
    fn apply(self, state: &mut State, stamp: Stamp) {
        let opens = matches!(self, Self::HouseOpened(..));
        let account = state.desks.ledger.next_account();
        let given = match &self {
            Self::Adjusted(adjustment) => Some(adjustment.account),
            Self::Credited(account, ..) => Some(*account),
            Self::CurrencyListed(_) | Self::HouseOpened(..) => None,
        };
        match &self {
            Self::Adjusted(adjustment) => {
                note_given(state, adjustment.account, adjustment.currency.into(), adjustment.amount);
                note_rewards(state, stamp.time, (adjustment.account, adjustment.currency.into()));
                state.funds.note_test_credit(adjustment.currency.into(), adjustment.amount);
                list_adjustment(state, stamp.time, adjustment);
            }
            Self::Credited(account, asset, amount) => {
                note_given(state, *account, *asset, *amount);
                note_rewards(state, stamp.time, (*account, *asset));
                state.funds.note_test_credit(*asset, *amount);
            }
            Self::CurrencyListed(_) | Self::HouseOpened(..) => {}
        }
        ledger::evolve(&mut state.desks.ledger, self);
        if opens {
            open_house(state, account, stamp.time);
            state.desks.perps.note_houses(&state.desks.ledger);
            state.desks.note_kind(account, AccountKind::Exchange);
        }
        repay(state);
        for account in state.funds.take_changed().into_iter().chain(given) {
            state.look_again_at(account);
        }
    }
}

/// Notes what the house account of instant orders was given, since its exposure is what it lacks of it (D-180).
fn note_given(state: &mut State, account: AccountId, asset: AssetId, amount: Money) {
    let is_instant = state.desks.ledger.house(convert::INSTANT.name) == Some(account);
    if let Some(currency) = asset.currency().filter(|_| is_instant) {
        state.conversions.note_given(currency, amount);
    }
}

/// Notes that the house account from which interest is paid gets money.
fn note_rewards(state: &mut State, now: Time, (account, asset): (AccountId, AssetId)) {
    let is_rewards = state.ledger().house(ledger::STAKING_REWARDS.name) == Some(account);
    if let Some(currency) = asset.currency().filter(|_| is_rewards) {
        state.staking.note_money(&state.desks.ledger, currency, now);
    }
}

/// Adds what an operator gave to a customer, or took, to the list of transfers.
fn list_adjustment(state: &mut State, time: Time, adjustment: &ledger::Adjustment) {
    let is_customer = state.access.account(adjustment.account).is_some_and(|account| account.group.is_some());
    if is_customer {
        state.funds.note_next_trade(TradeId(state.next_id));
        state.funds.note_adjustment(time, adjustment);
    }
}

/// Adds a house account to directory and orders too: ids of accounts are the same there and in the ledger.
fn open_house(state: &mut State, account: AccountId, time: Time) {
    state.access.add_account(Account::house(time));
    state.floor.open_account(account);
}
