//! Acts of tokens, pages and keys: who may place and cancel what.

use super::{Judged, People, keys, no};
use crate::Exchange;
use buttonwood_engine::identity::{Command as Own, Stage};
use buttonwood_engine::{Access, Body, Caller, OrderRef, TradingCommand};
use buttonwood_model::{AccountId, Nonce, Role, Scope};

pub(super) fn is_place(body: &Body) -> bool {
    matches!(body, Body::Trading(TradingCommand::Place(_)))
}

impl People {
    /// Judges the command of a caller. All that is dealt takes a trader and `orders:create`, but for the end of a token's consent.
    pub(super) fn call(
        &mut self,
        exchange: &Exchange,
        caller: &Caller,
        body: &Body,
        now: u64,
    ) -> Result<(), String> {
        if let Some(key) = self.keys.iter().find(|key| key.id == caller.session)
            && !key.may_act()
        {
            return no("Disabled");
        }
        if let Some(act) = keys::of(body) {
            return self.keep_key(exchange.state.access(), caller, act, now);
        }
        let is_revocation = matches!(body, Body::Identity(Own::RevokeByToken));
        if caller.session.is_held() {
            let admitted = self.admit(exchange.state.access(), caller, is_revocation, now);
            if admitted.is_err() {
                self.counts.note("refused act of a token or page");
                return admitted;
            }
            let is_page = self.windows.iter().any(|window| window.id == caller.session);
            if is_place(body) {
                self.counts.note(if is_page { "order of a page" } else { "order of a token" });
            }
        }
        match (body, caller.account) {
            (Body::Identity(_), _) => self.revoke_by_token(caller),
            (Body::Trading(TradingCommand::Cancel(OrderRef::Id(id))), Some(account)) => {
                self.orders.retain(|order| order.account != account || order.id != id.0);
                Ok(())
            }
            (Body::Trading(TradingCommand::CancelSession), Some(account)) => {
                let is_own = |it: &super::Order| it.account == account && it.session == caller.session;
                let others =
                    self.orders.iter().any(|it| it.account == account && it.session != caller.session);
                if others && self.orders.iter().any(is_own) {
                    self.counts.note("cancelled own session");
                }
                self.orders.retain(|order| !is_own(order));
                Ok(())
            }
            (Body::Trading(TradingCommand::CancelAll), Some(account)) => {
                self.orders.retain(|order| order.account != account);
                Ok(())
            }
            (Body::Trading(TradingCommand::Place(_)), Some(_)) => Ok(()),
            (body, _) => Err(format!("no rule for {body:?}")),
        }
    }

    /// Whether a token or a browser may act: it lives, the account is its own, and user and token have the right now.
    fn admit(&self, access: &Access, caller: &Caller, is_revocation: bool, now: u64) -> Judged {
        if let Some(family) = self.families.iter().find(|it| it.id == caller.session && it.is_alive(now)) {
            let is_named = |number: u64| Nonce::number(number) == caller.nonce;
            let mut passes = family.passes.iter().filter(|pass| pass.is_alive(now));
            let Some(pass) = passes.find(|pass| is_named(pass.number)) else { return no("UnknownSession") };
            let may_lack = is_revocation && caller.account.is_none();
            if caller.account != Some(family.account) && !may_lack {
                return no("ForeignAccount");
            }
            let has_right = self.persons[family.person].roles.has(Role::Trader)
                && pass.scopes.has(Scope::OrdersCreate)
                || is_revocation;
            return if has_right { Ok(()) } else { no("Missing") };
        }
        let Some(window) = self.window(caller.session, now).filter(|it| it.stage == Stage::Full) else {
            return no("UnknownSession");
        };
        let person = &self.persons[window.person];
        let Some(group) = person.group else { return no("UnknownSession") };
        let is_own = |account: AccountId| access.account(account).is_some_and(|it| it.group == Some(group));
        if !caller.account.is_none_or(is_own) {
            return no("ForeignAccount");
        }
        if person.roles.has(Role::Trader) || is_revocation { Ok(()) } else { no("Missing") }
    }

    /// Every token, family and open code of the app, user and account of a token ends.
    fn revoke_by_token(&mut self, caller: &Caller) -> Judged {
        let Some(family) = self.families.iter().find(|it| it.id == caller.session) else {
            return no("UnknownGrant");
        };
        let of = (family.app, family.person, family.account);
        self.end_families(|it| (it.app, it.person, it.account) == of);
        self.end_slips(|it| (it.app, it.person, it.account) == of);
        self.counts.note("all of a token ended");
        Ok(())
    }
}
