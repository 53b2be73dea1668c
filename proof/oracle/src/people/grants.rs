//! Consents, codes, families and their tokens.

use super::{Family, HOUR, Judged, Pass, People, SECOND, Slip, no};
use buttonwood_engine::Access;
use buttonwood_engine::identity::{
    AppId, Digest, Exchange as Redeem, NewCode, NewGrant, Refresh, Stage, UserId,
};
use buttonwood_model::{AccountId, Scope, Scopes, SessionId};

/// Scopes that a user consents to only with a code under five minutes old.
const GUARDED: [Scope; 5] = [
    Scope::CryptoSend,
    Scope::PaymentsCreate,
    Scope::ClearingCreate,
    Scope::AddressesCreate,
    Scope::BanksCreate,
];

impl Pass {
    pub(super) fn is_alive(&self, now: u64) -> bool {
        !self.has_ended && now < self.given + 24 * HOUR
    }
}

impl Family {
    /// Whether it still does anything: one of the implicit flow ends with its token.
    pub(super) fn is_alive(&self, now: u64) -> bool {
        !self.has_ended && (self.refresh.is_some() || self.passes.iter().any(|pass| pass.is_alive(now)))
    }

    fn give(&mut self, digest: Digest, now: u64) -> bool {
        let number = u64::try_from(self.passes.len()).unwrap() + 1;
        self.passes.push(Pass { number, digest, scopes: self.scopes, given: now, has_ended: false });
        let alive: Vec<usize> =
            (0..self.passes.len()).filter(|place| self.passes[*place].is_alive(now)).collect();
        if alive.len() <= 10 {
            return false;
        }
        self.passes[alive[0]].has_ended = true;
        true
    }
}

impl People {
    /// Whether a user may let an app do this for an account.
    fn check_grant(
        &mut self,
        access: &Access,
        (app, at): (AppId, usize),
        account: AccountId,
        scopes: Scopes,
    ) -> Judged {
        let Some(program) = self.program(app) else { return no("UnknownApp") };
        let Some(person) = self.persons.get(at).filter(|it| !it.is_disabled && it.credential != 0) else {
            return no("UnknownUser");
        };
        if !program.is_reviewed && program.owner != at {
            self.counts.note("consent to an unreviewed app");
            return no("NotReviewed");
        }
        if person.group.is_none() || access.account(account).is_none_or(|it| it.group != person.group) {
            self.counts.note("consent to a foreign account");
            return no("ForeignAccount");
        }
        if scopes.is_empty() || !scopes.is_within(program.scopes.grantable(person.roles)) {
            self.counts.note("consent beyond roles or app");
            return no("WiderScope");
        }
        Ok(())
    }

    pub(super) fn issue(&mut self, access: &Access, new: &NewCode, now: u64) -> Judged {
        let Some(window) = self.window(new.browser, now) else { return no("UnknownBrowser") };
        let (person, is_fresh) = (window.person, window.is_fresh(now));
        if window.stage != Stage::Full {
            return no("WrongStage");
        }
        self.check_grant(access, (new.app, person), new.account, new.scopes)?;
        if !is_fresh && GUARDED.into_iter().any(|scope| new.scopes.has(scope)) {
            self.counts.note("code too old for the scope");
            return no("CodeRequired");
        }
        let is_on = self.program(new.app).is_some_and(|program| program.is_implicit);
        if new.is_implicit && !is_on {
            return no("BadGrant");
        }
        if new.is_implicit {
            self.counts.note("implicit token");
            self.found((new.app, person), new.account, new.scopes, (new.code, None), now);
            return Ok(());
        }
        self.counts.note("consented");
        self.slips.push(Slip {
            digest: new.code,
            app: new.app,
            person,
            account: new.account,
            scopes: new.scopes,
            uri: new.redirect_uri.clone(),
            challenge: new.challenge,
            issued: now,
            used: None,
            has_ended: false,
        });
        Ok(())
    }

    /// A family begins.
    fn found(
        &mut self,
        (app, person): (AppId, usize),
        account: AccountId,
        scopes: Scopes,
        (access, refresh): (Digest, Option<Digest>),
        now: u64,
    ) {
        let alive: Vec<usize> = (0..self.families.len())
            .filter(|it| self.families[*it].person == person && self.families[*it].is_alive(now))
            .collect();
        if alive.len() >= 100 {
            self.families[alive[0]].has_ended = true;
        }
        let id = self.next_session();
        let (consumed, passes) = (Vec::new(), Vec::new());
        let mut family =
            Family { id, app, person, account, scopes, refresh, consumed, passes, has_ended: false };
        family.give(access, now);
        self.families.push(family);
    }

    pub(super) fn exchange(&mut self, access: &Access, asked: &Redeem, now: u64) -> Judged {
        let Some(place) = self.slips.iter().position(|it| it.digest == asked.code && it.app == asked.app)
        else {
            if self.slips.iter().any(|it| it.digest == asked.code) {
                self.counts.note("wrong try of a code");
            }
            return no("BadGrant");
        };
        if let Some(family) = self.slips[place].used {
            if !self.families[family].is_alive(now) {
                return no("BadGrant");
            }
            self.families[family].has_ended = true;
            self.counts.note("second use ended tokens");
            return Ok(());
        }
        let slip = &self.slips[place];
        if slip.has_ended {
            return no("BadGrant");
        }
        if now >= slip.issued + 600 * SECOND {
            self.counts.note("code too old");
            return no("BadGrant");
        }
        if slip.uri != asked.redirect_uri || slip.challenge != asked.verifier {
            self.counts.note("wrong try of a code");
            return no("BadGrant");
        }
        let (app, person, account) = (slip.app, slip.person, slip.account);
        let scopes = slip.scopes.grantable(self.persons[person].roles);
        if scopes != slip.scopes {
            self.counts.note("fewer scopes than consented");
        }
        self.check_grant(access, (app, person), account, scopes).map_err(|_| "BadGrant".to_owned())?;
        self.found((app, person), account, scopes, (asked.access, Some(asked.refresh)), now);
        self.slips[place].used = Some(self.families.len() - 1);
        self.counts.note("exchanged");
        Ok(())
    }

    pub(super) fn grant(&mut self, access: &Access, new: &NewGrant, now: u64) -> Judged {
        let who = (new.app, new.user.index());
        self.check_grant(access, who, new.account, new.scopes)?;
        self.found(who, new.account, new.scopes, (new.access, new.refresh), now);
        Ok(())
    }

    pub(super) fn refresh(&mut self, asked: &Refresh, now: u64) -> Judged {
        let is_of = |it: &Family| {
            let is_known = it.consumed.iter().any(|used| used.0 == asked.refresh);
            !it.has_ended && it.app == asked.app && (it.refresh == Some(asked.refresh) || is_known)
        };
        let Some(place) = self.families.iter().position(is_of) else { return no("BadGrant") };
        let family = &mut self.families[place];
        if family.refresh != Some(asked.refresh) {
            let newest = family.consumed.iter().rev().take(100);
            let used = newest.into_iter().find(|used| used.0 == asked.refresh).map(|used| used.1);
            let Some(used) = used else { return no("BadGrant") };
            if now <= used + 10 * SECOND {
                self.counts.note("race");
                return no("BadGrant");
            }
            family.has_ended = true;
            self.counts.note("late reuse ended a family");
            return Ok(());
        }
        let scopes = asked.scopes.unwrap_or(family.scopes);
        if scopes.is_empty() || !scopes.is_within(family.scopes) {
            self.counts.note("wider refused");
            return no("WiderScope");
        }
        if scopes != family.scopes {
            self.counts.note("narrowed");
        }
        family.scopes = scopes;
        family.consumed.push((asked.refresh, now));
        family.refresh = Some(asked.next);
        if family.give(asked.access, now) {
            self.counts.note("oldest access token ended");
        }
        self.counts.note("refreshed");
        Ok(())
    }

    /// Ends the family of a refresh token, or an access token alone; others are left alone.
    pub(super) fn revoke(&mut self, app: Option<AppId>, token: &Digest) -> Judged {
        let is_refresh = |it: &Family| {
            it.refresh == Some(*token) || it.consumed.iter().rev().take(100).any(|used| used.0 == *token)
        };
        for place in 0..self.families.len() {
            let is_theirs = app.is_none_or(|app| app == self.families[place].app);
            let family = &mut self.families[place];
            let is_family = is_refresh(family);
            let pass = family.passes.iter_mut().find(|pass| pass.digest == *token);
            if !is_theirs && (is_family || pass.is_some()) {
                self.counts.note("foreign token left alone");
            } else if is_family {
                family.has_ended = true;
                self.counts.note("family revoked");
            } else if let Some(pass) = pass {
                pass.has_ended = true;
                self.counts.note("token revoked");
            }
        }
        Ok(())
    }

    pub(super) fn end_grant(&mut self, user: UserId, session: SessionId) -> Judged {
        let is_one = |it: &&mut Family| it.id == session && it.person == user.index() && !it.has_ended;
        let Some(family) = self.families.iter_mut().find(is_one) else { return no("UnknownGrant") };
        family.has_ended = true;
        Ok(())
    }
}
