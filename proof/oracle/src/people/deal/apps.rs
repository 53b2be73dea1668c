//! Commands of apps: consents, codes, refreshes, revocations, reviews and deletions.

use super::acts::NARROW;
use super::{Body, Command, Family, Own, People, PeopleDealer, Slip, app_id, new_app, newest, numbered, one};
use crate::Dice;
use buttonwood_engine::identity::{Exchange as Redeem, NewCode, NewGrant, Refresh, UserId};
use buttonwood_model::{Scope, Scopes};
use std::sync::Arc;

pub(super) const URI: &str = "https://app.example/callback";

impl PeopleDealer {
    pub(super) fn consent(&mut self, dice: &mut Dice, people: &People, now: u64) -> Own {
        let window = newest(dice, people.windows.iter().filter(|it| it.is_alive(now)));
        let Some(window) = window else { return self.open(dice, people, now) };
        let is_first = people.persons[window.person].group == Some(self.groups[0]);
        let own = if is_first { dice.pick(&self.accounts[..2]) } else { self.accounts[2] };
        let account = if dice.once_in(12) { dice.pick(&self.accounts) } else { own };
        let scopes = dice.pick(&[
            NARROW,
            NARROW,
            Scopes::of(&[Scope::OrdersCreate]),
            Scopes::of(&[Scope::OrdersCreate, Scope::BalancesRead, Scope::HistoryRead]),
            Scopes::of(&[Scope::CryptoSend, Scope::BalancesRead]),
            Scopes::ALL,
        ]);
        let is_implicit = dice.once_in(8);
        Own::Issue(Arc::new(NewCode {
            browser: window.id,
            app: app_id(dice.pick(&[0, 0, 1, 2])),
            account,
            scopes,
            redirect_uri: URI.into(),
            challenge: dice.once_in(2).then(|| numbered(b'h', dice.below(2))),
            code: self.fresh(if is_implicit { b'a' } else { b'c' }),
            is_implicit,
        }))
    }

    /// The exchange of a code: right, with something wrong, or again.
    pub(super) fn exchange(&mut self, dice: &mut Dice, people: &People, now: u64) -> Own {
        let open = people.slips.iter().filter(|slip| slip.used.is_none() && !slip.has_ended);
        let slip = if dice.once_in(6) { newest(dice, people.slips.iter()) } else { newest(dice, open) };
        let Some(slip) = slip else { return self.consent(dice, people, now) };
        let Slip { digest: code, app, challenge, .. } = *slip;
        let (access, refresh) = (self.fresh(b'a'), self.fresh(b'r'));
        let mut asked =
            Redeem { app, code, redirect_uri: slip.uri.clone(), verifier: challenge, access, refresh };
        match dice.below(12) {
            0 => asked.app = app_id(dice.pick(&[0, 1, 2])),
            1 => asked.redirect_uri.push('/'),
            2 => asked.verifier = dice.pick(&[None, Some(numbered(b'h', 0)), Some(numbered(b'h', 1))]),
            3 => asked.code = numbered(b'c', 0),
            _ => {}
        }
        Own::Exchange(Arc::new(asked))
    }

    /// A refresh: with the live token, or a consumed one, at times by another client or with other scopes.
    pub(super) fn refresh(&mut self, dice: &mut Dice, people: &People, now: u64) -> Own {
        let families = people.families.iter().filter(|it| it.is_alive(now) && it.refresh.is_some());
        // The oldest family is refreshed most, so that its access tokens and consumed tokens grow many.
        let mut families: Vec<&Family> = families.collect();
        if dice.once_in(2) {
            families.truncate(1);
        }
        let Some(family) = one(dice, families.into_iter()) else {
            return self.exchange(dice, people, now);
        };
        let mut refresh = family.refresh.unwrap_or_default();
        if dice.once_in(12) {
            let used = newest(dice, family.consumed.iter()).map(|used| used.0);
            refresh = used.unwrap_or(numbered(b'r', 0));
        }
        let mut scopes = None;
        match dice.below(12) {
            0 => {
                let all: Vec<Scope> = family.scopes.iter().collect();
                scopes = one(dice, all.iter()).map(|it| Scopes::of(&[*it]));
            }
            1 => scopes = Some(family.scopes.with(Scope::AccountRead).with(Scope::OrdersCreate)),
            2 => scopes = Some(family.scopes),
            _ => {}
        }
        let app = if dice.once_in(20) { app_id(dice.pick(&[0, 1, 2])) } else { family.app };
        let (access, next) = (self.fresh(b'a'), self.fresh(b'r'));
        Own::Refresh(Refresh { app, refresh, scopes, access, next })
    }

    /// Another refresh with the token of this one, or another exchange of its code.
    pub fn race(&mut self, body: &Body) -> Option<Command> {
        let Body::Identity(own) = body else { return None };
        let (access, next) = (self.fresh(b'a'), self.fresh(b'r'));
        let again = if let Own::Refresh(asked) = own {
            Own::Refresh(Refresh { access, next, ..*asked })
        } else if let Own::Exchange(asked) = own {
            Own::Exchange(Arc::new(Redeem { access, refresh: next, ..(**asked).clone() }))
        } else {
            return None;
        };
        Some(Command { caller: None, body: again.into() })
    }

    pub(super) fn revoke(&mut self, dice: &mut Dice, people: &People, now: u64) -> Own {
        let families = people.families.iter().filter(|it| it.is_alive(now) || it.id.0.is_multiple_of(7));
        let Some(family) = newest(dice, families) else { return self.exchange(dice, people, now) };
        let app = dice.pick(&[None, Some(family.app), Some(family.app), Some(app_id(0)), Some(app_id(1))]);
        let pass = one(dice, family.passes.iter()).map(|pass| pass.digest);
        let used = one(dice, family.consumed.iter()).map(|used| used.0);
        let token = match dice.below(8) {
            0..4 => pass,
            4 => family.refresh,
            5 => used,
            6 => Some(numbered(b'a', 0)),
            _ if family.refresh.is_some() => {
                let owner = UserId::from_index(family.person);
                return Own::EndGrant(if dice.once_in(3) { UserId(0) } else { owner }, family.id);
            }
            _ => None,
        };
        Own::Revoke(app, token.unwrap_or(numbered(b'r', 0)))
    }

    /// Reviews, and now and then an app that is deleted and comes again.
    pub(super) fn app(&mut self, dice: &mut Dice) -> Own {
        let number = u8::try_from(dice.below(3)).unwrap();
        match dice.below(10) {
            0 | 1 => Own::ReviewApp(app_id(number), false, dice.once_in(2)),
            2 => Own::ReviewApp(app_id(0), true, false),
            3..6 => Own::ReviewApp(app_id(dice.pick(&[0, 1])), true, dice.once_in(2)),
            6 => Own::DeleteApp(app_id(number)),
            7 => Own::SetAppSecret(app_id(number), self.fresh(b's')),
            _ => Own::AddApp(Arc::new(new_app(number))),
        }
    }

    pub(super) fn grant(&mut self, dice: &mut Dice) -> Own {
        let user = dice.pick(&[0, 1, 2]);
        let account = self.accounts[if user == 1 { 2 } else { 0 }];
        Own::Grant(NewGrant {
            app: app_id(0),
            user: UserId(user),
            account,
            scopes: NARROW,
            code: None,
            access: self.fresh(b'a'),
            refresh: Some(self.fresh(b'r')),
        })
    }
}
