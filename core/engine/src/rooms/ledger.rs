//! The ledger in the engine.

use crate::decide::{Decide, Evolve};
use crate::{Note, Reject, State, Workspace};
use buttonwood_access::{self as access, Account, AccountKind};
use buttonwood_funds::Made;
use buttonwood_ledger::{self as ledger, Command, Infrequent};
use buttonwood_model::{AccountId, AssetId, Stamp, Time, TradeId};
use buttonwood_num::Money;
use buttonwood_room::Given;

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
            Self::Adjusted(adjustment) => {
                list_adjustment(state, stamp.time, adjustment);
                Some((adjustment.account, adjustment.currency.into(), adjustment.amount))
            }
            Self::Credited(account, asset, amount) => Some((*account, *asset, *amount)),
            Self::CurrencyListed(_) | Self::HouseOpened(..) => None,
        };
        if let Some(given) = given {
            collect_given(state, given);
        }
        ledger::evolve(&mut state.desks.ledger, self);
        if opens {
            open_house(state, account, stamp.time);
            state.desks.perps.note_houses(&state.desks.ledger);
            state.desks.note_kind(account, AccountKind::Exchange);
        }
        state.desks.repay();
        state.note_freed(given.map(|(account, ..)| account));
    }
}

/// Notes what the house's source gives to an account, before it does.
fn collect_given(state: &mut State, (account, asset, amount): (AccountId, AssetId, Money)) {
    let balance = asset.currency().map(|currency| state.ledger().balance(account, currency));
    let before = balance.map_or(Money::ZERO, |balance| balance.available);
    state.desks.changes().given.push(Given { account, asset, amount, before });
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
