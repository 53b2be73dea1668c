//! The answers of this room that the engine asks of every room.

use crate::{CONSUMED_MAX, Command, Identity, Stage, UserId};
use alloc::collections::BTreeSet;
use buttonwood_access::Owner;
use buttonwood_ledger::Ledger;
use buttonwood_model::{Due, Phase, SessionId, Time};
use buttonwood_room::{Context, Room};

/// A law of this room that is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// An index differs from the tables: a token is found that is not there, or the other way round.
    Index,
    /// A grant's token has a scope that the app was not registered for, or that the grant never had.
    Scopes(SessionId),
    /// A session acts for an account or a group that is not its user's, or with other roles than the user has.
    Rights(SessionId),
    /// A grant or a browser of a user who may have none.
    Inactive(UserId),
    /// A grant knows more tokens than it may, or a token of two generations is live (INV-AUTH-6).
    Family(SessionId),
}

impl Room for Identity {
    type Command = Command;
    type BrokenLaw = Broken;
    type Found = ();

    fn next_due(&self, _context: &Context<'_, Self>) -> impl Iterator<Item = Due<Command>> {
        let due = |time| Due::step(time, Phase::Approvals, Command::Forget).in_storm();
        self.next_expiry().map(due).into_iter()
    }

    fn broken_law(&self, context: &Context<'_, Self>) -> Option<Broken> {
        let mut fresh = self.clone();
        fresh.derive();
        if fresh != *self {
            return Some(Broken::Index);
        }
        let grants = self.grants.keys().find_map(|session| self.broken_grant(context, *session));
        grants.or_else(|| self.browsers.keys().find_map(|session| self.broken_browser(context, *session)))
    }

    fn restore(&mut self, _ledger: &mut Ledger) {
        self.derive();
    }
}

impl Identity {
    fn broken_grant(&self, context: &Context<'_, Self>, session: SessionId) -> Option<Broken> {
        let grant = self.grants.get(&session)?;
        let Some(user) = self.user(grant.user).filter(|user| !user.is_disabled) else {
            return Some(Broken::Inactive(grant.user));
        };
        let app = self.app(grant.app);
        let asked = grant.tokens.iter().map(|token| token.scopes).chain([grant.scopes]);
        if app.is_none_or(|app| asked.clone().any(|scopes| !scopes.is_within(app.new.scopes))) {
            return Some(Broken::Scopes(session));
        }
        let held = context.access.held(session);
        let is_own = context.access.account(grant.account).is_some_and(|it| it.group == user.group);
        let may_act = app.is_some_and(|app| app.is_reviewed || app.new.owner == grant.user);
        if !is_own || !may_act || held != Some((Owner::Account(grant.account), user.roles)) {
            return Some(Broken::Rights(session));
        }
        let spent: BTreeSet<_> = grant.consumed.iter().map(|(digest, _)| digest).collect();
        let lives_twice = grant.refresh.is_some_and(|live| spent.contains(&live));
        let is_family = spent.len() == grant.consumed.len()
            && spent.len() <= CONSUMED_MAX
            && grant.tokens.len() <= crate::ACCESS_MAX
            && user.grants.contains(&session);
        if lives_twice || !is_family { Some(Broken::Family(session)) } else { None }
    }

    fn broken_browser(&self, context: &Context<'_, Self>, session: SessionId) -> Option<Broken> {
        let browser = self.browsers.get(&session)?;
        let Some(user) = self.user(browser.user).filter(|user| !user.is_disabled) else {
            return Some(Broken::Inactive(browser.user));
        };
        let is_full = browser.stage == Stage::Full;
        let expected = user.group.filter(|_| is_full).map(|group| (Owner::Group(group), user.roles));
        let is_known = user.browsers.contains(&session);
        let is_right = is_known && context.access.held(session) == expected;
        if is_right { None } else { Some(Broken::Rights(session)) }
    }
}

impl Identity {
    /// Whether a record has ended that is not forgotten yet.
    pub fn is_due(&self, now: Time) -> bool {
        self.next_expiry().is_some_and(|first| first <= now)
    }
}
