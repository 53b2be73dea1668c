//! Orders and cancels of tokens, pages and a key, and ends of a token's consent.

use super::{Body, Caller, Command, Family, Own, People, PeopleDealer, Window, newest, one};
use crate::Dice;
use buttonwood_engine::identity::Stage;
use buttonwood_engine::{AccessCommand, NewSession, OrderRef, OwnKey, Owner, Place, TradingCommand};
use buttonwood_model::{Nonce, OrderId, Role, Roles, Scope, Scopes, SessionId, Side};
use buttonwood_num::Decimal;
use std::sync::Arc;

/// The scopes of an app that trades.
pub(super) const NARROW: Scopes = Scopes::of(&[Scope::OrdersCreate, Scope::OrdersRead]);

impl PeopleDealer {
    pub(super) fn act(&mut self, dice: &mut Dice, people: &People, now: u64) -> Command {
        if dice.once_in(4)
            && let Some(command) = Self::enable_again(dice, people, now)
        {
            return command;
        }
        let caller = match dice.below(10) {
            0 => self.signed(dice, people),
            1..4 => self.page(dice, people, now),
            _ => self.bearer(dice, people, now),
        };
        let order = one(dice, people.orders.iter()).map_or(0, |order| order.id);
        let is_token = caller.session.is_held() && people.families.iter().any(|it| it.id == caller.session);
        let body: Body = match dice.below(12) {
            0 | 1 => TradingCommand::Cancel(OrderRef::Id(OrderId(order))).into(),
            2 | 3 => TradingCommand::CancelSession.into(),
            4 if dice.once_in(3) => TradingCommand::CancelAll.into(),
            5 if is_token => Own::RevokeByToken.into(),
            6..10 if !is_token || dice.once_in(16) => self.keep_key(dice, people).into(),
            _ => TradingCommand::Place(self.bid()).into(),
        };
        Command { caller: Some(caller), body }
    }

    /// A user who is no administrator enables a key that one has disabled.
    fn enable_again(dice: &mut Dice, people: &People, now: u64) -> Option<Command> {
        let key = one(dice, people.keys.iter().filter(|key| key.is_disabled_by_administrator()))?;
        let is_below = |window: &&Window| {
            let roles = people.persons[window.person].roles;
            window.is_alive(now) && window.stage == Stage::Full && !roles.has(Role::Administrator)
        };
        let window = one(dice, people.windows.iter().filter(is_below))?;
        let caller = Caller { session: window.id, account: None, nonce: Nonce::number(0) };
        let body = AccessCommand::KeepKey(Arc::new(OwnKey::Enable(key.id))).into();
        Some(Command { caller: Some(caller), body })
    }

    /// The first key, or one that a page has made.
    fn signed(&mut self, dice: &mut Dice, people: &People) -> Caller {
        self.nonce += 1;
        let made = people.keys.iter().filter_map(|key| Some((key.id, key.trades_on()?)));
        let made: Vec<_> = made.collect();
        let made = newest(dice, made.iter()).copied().filter(|_| dice.once_in(2));
        let (session, account) = made.unwrap_or((self.key, self.accounts[0]));
        Caller { session, account: Some(account), nonce: crate::nonce(self.nonce) }
    }

    /// An act on a key; the first key is never ended.
    fn keep_key(&mut self, dice: &mut Dice, people: &People) -> AccessCommand {
        self.serial += 1;
        let ids: Vec<SessionId> = people.keys.iter().map(|key| key.id).collect();
        let session = newest(dice, ids.iter()).copied().unwrap_or(self.key);
        let name = dice.pick(&["Ann", "Bob", "Cy", "Di", "Ed", "Flo"]).to_owned();
        let cancel_orders = dice.once_in(2);
        AccessCommand::KeepKey(Arc::new(match dice.below(10) {
            0 => OwnKey::Rename(session, name),
            1..4 => OwnKey::Disable { session, cancel_orders },
            4..7 => OwnKey::Enable(session),
            7 if session != self.key => OwnKey::End { session, cancel_orders },
            _ => OwnKey::Make(self.new_key(dice, format!("{name} {}", self.serial % 8))),
        }))
    }

    fn new_key(&self, dice: &mut Dice, name: String) -> NewSession {
        let is_master = dice.once_in(4);
        let owner = if is_master {
            Owner::Group(dice.pick(&self.groups))
        } else {
            Owner::Account(dice.pick(&self.accounts))
        };
        let (trader, admin) = (Roles::of(&[Role::Trader]), Roles::of(&[Role::Administrator]));
        let both = Roles::of(&[Role::Trader, Role::FundManager]);
        let roles = dice.pick(&[trader, trader, both, admin, Roles::of(&[Role::Auditor]), Roles::NONE]);
        let prefix = if is_master { "master" } else { "account" };
        NewSession {
            owner,
            roles,
            require_heartbeat: false,
            time_based_nonce: false,
            api_key: format!("{prefix}-{}", self.serial),
            name,
            addresses: Vec::new(),
        }
    }

    /// A token that lives, most often; at times an old number, another account or a session that there never was.
    fn bearer(&mut self, dice: &mut Dice, people: &People, now: u64) -> Caller {
        let alive = people.families.iter().filter(|it| it.is_alive(now));
        let family = if dice.once_in(6) { newest(dice, people.families.iter()) } else { newest(dice, alive) };
        let Some(&Family { id: session, account, ref passes, .. }) = family else {
            return self.page(dice, people, now);
        };
        let live = passes.iter().filter(|pass| pass.is_alive(now));
        let pass = if dice.once_in(8) { one(dice, passes.iter()) } else { newest(dice, live) };
        let number = pass.map_or(99, |pass| pass.number);
        let account = if dice.once_in(10) { dice.pick(&self.accounts) } else { account };
        let session = if dice.once_in(40) { SessionId::held(99_999) } else { session };
        Caller { session, account: Some(account), nonce: Nonce::number(number) }
    }

    fn page(&mut self, dice: &mut Dice, people: &People, now: u64) -> Caller {
        let alive = people.windows.iter().filter(|it| it.is_alive(now));
        let window = if dice.once_in(6) { newest(dice, people.windows.iter()) } else { newest(dice, alive) };
        let Some(window) = window else { return self.signed(dice, people) };
        let account = window.account.filter(|_| !dice.once_in(4)).unwrap_or(dice.pick(&self.accounts));
        Caller { session: window.id, account: Some(account), nonce: Nonce::number(0) }
    }

    /// A bid far below all offers: it rests.
    fn bid(&self) -> Place {
        let price = self.grid.price(Decimal::parse(b"1.00").unwrap()).unwrap();
        Place::limit(self.symbol, Side::Buy, price, self.least)
    }
}
