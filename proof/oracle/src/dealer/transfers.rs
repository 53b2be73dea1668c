//! Commands about transfers, also wrong and repeated ones, and what falls due of them.

mod approvals;
mod banks;
mod deposits;
mod internal;
mod withdrawals;

use super::{Dealer, Key};
use crate::compare::funds_due;
use crate::exchange::Exchange;
use crate::worlds::{COINS, NETS, units};
use buttonwood_engine::funds::deposit::Seen;
use buttonwood_engine::funds::network::{Asset, Command as Table, Form, Network, NetworkKind};
use buttonwood_engine::funds::withdrawal::Withdraw;
use buttonwood_engine::funds::{OutputKey, custody};
use buttonwood_engine::{AccountKind, Body, Caller, Command, FundsCommand, Outcome, State};
use buttonwood_model::{AccountId, CurrencyId, Rank, Role, Time};
use buttonwood_num::Money;
use std::sync::Arc;

/// Keys and accounts that move funds.
#[derive(Clone, Default)]
pub(super) struct Treasury {
    keys: Vec<Key>,
    /// Two of a group, one of another, and one of each other kind in the first group.
    accounts: Vec<AccountId>,
    /// The last internal transfer.
    last: Option<Command>,
    /// The last withdrawal.
    withdrawn: Option<Arc<Withdraw>>,
    /// Payments that were dealt, and how many.
    arrivals: Vec<OutputKey>,
    arrived: u64,
    /// The last one.
    seen: Option<Arc<Seen>>,
}

impl Treasury {
    /// Opens accounts of every kind, and keys that may move their funds.
    pub(super) fn found(exchange: &mut Exchange, traders: &[Key]) -> Self {
        let [first, second, third] = [0, 2, 4].map(|at| traders[at].account);
        let mut accounts = vec![first, second, third];
        for (name, kind) in [
            ("vault", AccountKind::Custody),
            ("safe", AccountKind::Custody),
            ("perps", AccountKind::Derivatives),
            ("loans", AccountKind::Margin),
        ] {
            accounts.push(exchange.account_of_kind(first, name, kind));
        }
        found_networks(exchange);
        let mut keys = Vec::new();
        for (name, account) in [("treasurer", first), ("other-treasurer", third)] {
            let group = exchange.state.access().account(account).unwrap().group;
            let session = exchange.master_key(name, account, Role::FundManager);
            keys.push(Key { group, ..Key::new(session, account) });
        }
        keys.push(Key::new(exchange.key("cashier", first, Role::FundManager), first));
        Self { keys, accounts, ..Self::default() }
    }
}

/// Lists the networks and what they carry.
fn found_networks(exchange: &mut Exchange) {
    for net in NETS {
        let network = Network {
            name: net.name.to_owned(),
            kind: NetworkKind::Accounts,
            confirmations: net.confirmations,
            memo: net.memo,
            parent: net.parent.to_owned(),
        };
        assert_eq!(exchange.submit(1, &own(Table::AddNetwork(Arc::new(network)).into())), Outcome::Done);
    }
    for (at, coin) in COINS.iter().enumerate() {
        let money = |text| Money::from_units(units(text));
        let asset = Asset {
            network: coin.network.to_owned(),
            currency: exchange.find_currency(coin.code),
            decimals: coin.decimals,
            fee: money(coin.fee),
            minimum: money(coin.minimum),
            is_home: !COINS[..at].iter().any(|other| other.code == coin.code),
            form: Form::Native,
        };
        assert_eq!(exchange.submit(1, &own(Table::AddAsset(Arc::new(asset)).into())), Outcome::Done);
    }
}

impl Dealer {
    /// A command about transfers, and the microseconds until then.
    pub(super) fn transfers(&mut self, state: &State, micros: u64) -> (u64, Command) {
        if self.dice.once_in(30) {
            return self.due_transfer(state);
        }
        let command = match self.dice.below(80) {
            0..10 => self.internal(state),
            10..13 => own(self.custody(state)),
            13..15 => own(self.reserves_command()),
            15..17 => self.address(state),
            17..24 => self.approval(state),
            24..44 => self.withdrawal(state),
            44..56 => self.step(state),
            56 => own(self.fee_override()),
            57..70 => own(self.deposit(state)),
            70..77 => self.banking(state),
            _ => own(self.scoped_halt(state)),
        };
        (micros, command)
    }

    /// The transfer task that is due next, usually when it is due.
    pub(super) fn due_transfer(&mut self, state: &State) -> (u64, Command) {
        let Some(due) = funds_due(state) else { return (0, own(custody::Command::RunCustody.into())) };
        let wait =
            if due.rank == Rank::FollowUp { 0 } else { due.time.0.saturating_sub(state.stamp().time.0) };
        let micros = match self.dice.below(8) {
            0 => 0,
            1 => wait.saturating_sub(1),
            2 => wait + self.dice.below(3 * 86_400 * Time::SECOND),
            _ => wait,
        };
        (micros, own(due.command))
    }

    /// A client's command for an account: from a key that reaches it, most often.
    fn by_client(&mut self, state: &State, account: AccountId, command: FundsCommand) -> Command {
        let body = Body::Funds(command);
        if self.dice.once_in(6) {
            return Command { caller: None, body };
        }
        let group = state.access().account(account).and_then(|account| account.group);
        let fits = |key: &Key| key.account == account || key.group.is_some() && key.group == group;
        let at = self.treasury.keys.iter().position(fits).filter(|_| !self.dice.once_in(12));
        let at = at.unwrap_or_else(|| usize::try_from(self.dice.below(3)).unwrap());
        // At times a key that may only trade.
        let key = if self.dice.once_in(40) { &mut self.keys[0] } else { &mut self.treasury.keys[at] };
        key.nonce += 1;
        let caller = Caller { session: key.session, account: Some(account), nonce: key.spelled(key.nonce) };
        Command { caller: Some(caller), body }
    }

    /// An account that moves funds, the first ones most often; sometimes another one.
    fn some_funder(&mut self) -> AccountId {
        match self.dice.below(40) {
            0 => self.dice.pick(&self.keys).account,
            1..10 => self.dice.pick(&self.treasury.accounts),
            _ => self.dice.pick(&self.treasury.accounts[..4]),
        }
    }

    /// The free part of an account's balance: all of it, a unit more, a part, or nothing.
    fn some_part(&mut self, state: &State, account: AccountId, currency: CurrencyId) -> Money {
        let available = state.ledger().balance(account, currency).available.units();
        Money::from_units(match self.dice.below(24) {
            0 => available + 1,
            1 => available,
            2 => 0,
            3 => -1,
            4 => available / 2,
            _ => available / 100 * i128::from(self.dice.below(20)) + 1,
        })
    }
}

fn own(command: FundsCommand) -> Command {
    Command { caller: None, body: Body::Funds(command) }
}
