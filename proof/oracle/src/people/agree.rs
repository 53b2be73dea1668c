//! Whether the core lets the same tokens, browsers, refresh tokens, codes and sessions do the same.

use super::{Order, Passkey, People, Person};
use crate::Exchange;
use buttonwood_engine::identity::{Stage, User, UserId};
use buttonwood_engine::{Owner, State};
use buttonwood_model::{SessionId, Time};
use std::collections::BTreeSet;

type Agreed = Result<(), String>;

#[expect(clippy::needless_pass_by_value, reason = "callers compute both")]
fn same<T: PartialEq + std::fmt::Debug>(what: &str, got: T, expected: T) -> Agreed {
    if got == expected { Ok(()) } else { Err(format!("{what} is {got:?}, expected {expected:?}")) }
}

impl People {
    /// Compares what the exchange shows.
    ///
    /// # Errors
    /// The first difference.
    pub fn agree(&self, exchange: &Exchange) -> Agreed {
        let (state, now) = (&exchange.state, exchange.stamp.time);
        self.agree_on_users(state, now)?;
        self.agree_on_browsers(state, now)?;
        self.agree_on_codes(state)?;
        for place in 0..self.families.len() {
            self.agree_on_family(state, place, now)?;
        }
        self.agree_on_throttles(state, now)?;
        self.agree_on_keys(state)?;
        self.agree_on_orders(exchange)
    }

    fn agree_on_keys(&self, state: &State) -> Agreed {
        let sessions = state.access().sessions();
        same("the number of keys", sessions.len(), self.keys.len())?;
        for (session, key) in sessions.iter().zip(&self.keys) {
            same("a key", (&session.key.name, session.standing()), (&key.name, key.standing()))?;
        }
        Ok(())
    }

    fn agree_on_users(&self, state: &State, now: Time) -> Agreed {
        let identity = state.identity();
        same("the number of users", identity.users().len(), self.persons.len())?;
        for (at, (user, person)) in identity.users().iter().zip(&self.persons).enumerate() {
            same("a user", facts_of(user), facts(person))?;
            same("a user's address", identity.find_user(&person.login), Some(UserId::from_index(at)))?;
            let id = UserId::from_index(at);
            same("preferences", identity.preferences(id).unwrap_or_default(), &*person.preferences)?;
            let may_change = identity.check_preferences(id, now).is_ok();
            same("the pace of preferences", may_change, self.preferences_wait(at, now.0).is_none())?;
            let is_alive = |id: &SessionId| identity.browser(*id, now).is_some();
            let browsers: Vec<SessionId> = user.browsers().iter().copied().filter(is_alive).collect();
            let own = self.windows.iter().filter(|it| it.person == at && it.is_alive(now.0));
            same("a user's browsers", browsers, own.map(|window| window.id).collect())?;
            let is_alive = |id: &SessionId| {
                let grant = identity.grant(*id);
                grant.is_some_and(|it| {
                    it.refresh.is_some() || it.tokens().iter().any(|token| now < token.ends)
                })
            };
            let grants: Vec<SessionId> = user.grants().iter().copied().filter(is_alive).collect();
            let own = self.families.iter().filter(|it| it.person == at && it.is_alive(now.0));
            same("a user's grants", grants, own.map(|family| family.id).collect())?;
        }
        for credential in &self.credentials {
            let found = identity.find_passkey(credential).map(|(user, key)| (user.index(), key.number));
            let own = (0..).zip(&self.persons).find_map(|(at, person)| {
                let key = person.passkeys.iter().find(|key| key.credential == *credential)?;
                Some((at, key.number))
            });
            same("the owner of a passkey", found, own)?;
        }
        let apps: BTreeSet<_> =
            identity.apps().map(|app| (app.new.id, app.is_reviewed, app.is_implicit)).collect();
        let programs = self.programs.iter().map(|it| (it.id, it.is_reviewed, it.is_implicit));
        same("the apps", apps, programs.collect())
    }

    fn agree_on_browsers(&self, state: &State, now: Time) -> Agreed {
        let identity = state.identity();
        for window in &self.windows {
            let is_alive = window.is_alive(now.0);
            let found = identity.find_browser(&window.cookie, now).map(|it| it.0);
            same("the browser of a cookie", found, is_alive.then_some(window.id))?;
            let shown = identity.browser(window.id, now);
            let shown = shown.map(|it| (it.cookie, it.stage, it.code_at.0, it.account, it.is_fresh(now)));
            let (cookie, code_at) = (window.cookie, window.code_at);
            let expected = (cookie, window.stage, code_at, window.account, window.is_fresh(now.0));
            same("a browser", shown, is_alive.then_some(expected))?;
            let person = &self.persons[window.person];
            let held = state.access().held(window.id);
            let group = person.group.filter(|_| is_alive && window.stage == Stage::Full);
            let expected = group.map(|group| (Owner::Group(group), person.roles));
            // One that is too old may not be forgotten yet; it is not admitted.
            if is_alive || window.has_ended {
                same("the rights of a browser", held, expected)?;
            }
            let holder = identity.holder(window.id, now).map(|it| (it.group, it.roles, it.account));
            let is_full = is_alive && window.stage == Stage::Full;
            same("a holder", holder, is_full.then_some((person.group, person.roles, window.account)))?;
        }
        Ok(())
    }

    fn agree_on_codes(&self, state: &State) -> Agreed {
        for slip in &self.slips {
            let is_known = state.identity().code(&slip.digest).is_some();
            let is_open = slip.used.is_none() && !slip.has_ended;
            if is_known && !is_open {
                return Err(format!("{slip:?} is open"));
            }
            if !is_known && is_open && state.stamp().time.0 < slip.issued + 600 * super::SECOND {
                return Err(format!("{slip:?} is gone"));
            }
        }
        Ok(())
    }

    fn agree_on_family(&self, state: &State, place: usize, now: Time) -> Agreed {
        let (identity, family) = (state.identity(), &self.families[place]);
        let (is_alive, person) = (family.is_alive(now.0), &self.persons[family.person]);
        for pass in &family.passes {
            let found = identity.find_token(&pass.digest, now);
            let found = found.map(|it| (it.session, it.number, it.account, it.scopes, it.roles, it.app));
            let expected = (family.id, pass.number, family.account, pass.scopes, person.roles, family.app);
            let lives = is_alive && pass.is_alive(now.0);
            same("an access token", found, lives.then_some(expected))?;
        }
        let live = family.refresh.filter(|_| is_alive);
        for digest in family.refresh.iter().chain(family.consumed.iter().map(|(digest, _)| digest)) {
            let found = identity.find_refresh(digest).map(|(id, grant)| (id, grant.scopes));
            let expected = (live == Some(*digest)).then_some((family.id, family.scopes));
            same("a refresh token", found, expected)?;
        }
        let held = state.access().held(family.id);
        let expected = (Owner::Account(family.account), person.roles);
        if is_alive || family.has_ended {
            same("the rights of a grant", held, is_alive.then_some(expected))?;
        }
        Ok(())
    }

    fn agree_on_throttles(&self, state: &State, now: Time) -> Agreed {
        let identity = state.identity();
        let tries: BTreeSet<_> = self.failures.iter().map(|(login, peer, _)| (*login, *peer)).collect();
        for (login, peer) in tries {
            let got = identity.check_sign_in(&login, peer, now).is_err();
            same("a throttle", got, self.throttled(&login, peer, now.0).is_some())?;
        }
        for at in 0..self.persons.len() {
            for is_recovery in [false, true] {
                let got = identity.check_codes(UserId::from_index(at), is_recovery, now).is_err();
                same("a user's throttle", got, self.throttled_codes(at, is_recovery, now.0).is_some())?;
            }
        }
        for link in &self.links {
            let found = identity.reset(&link.token, now).map(|it| it.user.index());
            let lives = !link.has_ended && now.0 < link.asked + super::HOUR;
            same("a link", found, lives.then_some(link.person))?;
        }
        for link in &self.stops {
            let found = identity.stop(&link.token, now).map(|it| (it.user.index(), &*it.recovery));
            let lives = link.is_alive(now.0).then_some((link.person, &*link.recovery));
            same("a link that ends sessions", found, lives)?;
        }
        Ok(())
    }

    fn agree_on_orders(&self, exchange: &Exchange) -> Agreed {
        let mut got = Vec::new();
        for account in exchange.accounts() {
            let orders = exchange.orders_of(account);
            got.extend(orders.map(|order| Order { id: order.id.0, account, session: order.session }));
        }
        got.sort_unstable();
        let mut expected = self.orders.clone();
        expected.sort_unstable();
        same("the live orders", got, expected)
    }
}

type Facts<'a> = (
    Option<buttonwood_model::GroupId>,
    buttonwood_model::Roles,
    [bool; 2],
    [u64; 3],
    &'a [buttonwood_engine::identity::Digest],
    Vec<Passkey>,
);

fn facts_of(user: &User) -> Facts<'_> {
    let flags = [user.is_operator, user.is_disabled];
    let keys = user.passkeys().iter();
    let keys = keys
        .map(|it| Passkey { number: it.number, credential: it.credential, counter: it.counter })
        .collect();
    (user.group, user.roles, flags, [user.credential, user.factor, user.step], &user.recovery, keys)
}

fn facts(person: &Person) -> Facts<'_> {
    let flags = [person.is_operator, person.is_disabled];
    let numbers = [person.credential, person.factor, person.step];
    (person.group, person.roles, flags, numbers, &person.recovery, person.passkeys.clone())
}
