//! Orders and cancels of tokens, pages and a key, and ends of a token's consent.

use super::{Body, Caller, Command, Family, Own, People, PeopleDealer, newest, one};
use crate::Dice;
use buttonwood_engine::{OrderRef, Place, TradingCommand};
use buttonwood_model::{Claim, Nonce, OrderId, OrderKind, Scope, Scopes, SessionId, Side};
use buttonwood_num::{Decimal, Money, Price};

/// The scopes of an app that trades.
pub(super) const NARROW: Scopes = Scopes::of(&[Scope::OrdersCreate, Scope::OrdersRead]);

impl PeopleDealer {
    pub(super) fn act(&mut self, dice: &mut Dice, people: &People, now: u64) -> Command {
        let caller = match dice.below(10) {
            0 => self.signed(),
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
            _ => TradingCommand::Place(self.bid()).into(),
        };
        Command { caller: Some(caller), body }
    }

    fn signed(&mut self) -> Caller {
        self.nonce += 1;
        Caller { session: self.key, account: Some(self.accounts[0]), nonce: crate::nonce(self.nonce) }
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
        let Some(window) = window else { return self.signed() };
        let account = window.account.filter(|_| !dice.once_in(4)).unwrap_or(dice.pick(&self.accounts));
        Caller { session: window.id, account: Some(account), nonce: Nonce::number(0) }
    }

    /// A bid far below all offers: it rests.
    fn bid(&self) -> Place {
        let price = self.grid.price(Decimal::parse(b"1.00").unwrap()).unwrap();
        Place {
            symbol: self.symbol,
            side: Side::Buy,
            claim: Claim::Yes,
            kind: OrderKind::Limit,
            option: None,
            price,
            qty: self.least,
            spend: Money::ZERO,
            client_id: None,
            stop: Price::default(),
            margin: false,
        }
    }
}
