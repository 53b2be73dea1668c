//! The browser that makes a call, and how far its user has signed in.

use super::named::{Named, find_named};
use super::passkeys;
use crate::own::Own;
use crate::pages::door::{self, Door};
use buttonwood_call::{App, Visit};
use buttonwood_gate::{Reason, Refusal, quoted};
use buttonwood_identity::{Command, Digest, Reject, Stage, UserId};
use buttonwood_model::{AccountId, GroupId, Roles, SessionId};
use buttonwood_people::{self as people, From};
use buttonwood_wire::contract::Query;
use buttonwood_wire::field::bad_query;
use http::HeaderName;
use http::header::USER_AGENT;
use std::ops::Deref;
use std::sync::Arc;

/// The field of a call's CSRF token.
const CSRF: HeaderName = HeaderName::from_static("x-csrf-token");
/// The field with the number, or the short name, of the account that the calling page shows.
const SHOWN: HeaderName = HeaderName::from_static("x-account");
/// The field of a call that a page makes by itself, while the user does not act: it is no use of the session.
const UNATTENDED: HeaderName = HeaderName::from_static("x-unattended");
/// The field that lets the sandbox's code pass; a cookie of the same name in capitals does too (SBX-006).
const BYPASS: HeaderName = HeaderName::from_static("svc-sandbox-2fa");
/// The name of the cookie that binds a sign-up to its browser.
pub(super) const fn sign_up_cookie(is_https: bool) -> &'static str {
    if is_https { "__Host-signup" } else { "signup" }
}

/// The state of signing in that a call needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needs {
    /// A right password.
    Session,
    /// A sign-in that enrols, or a code that was just given.
    Enrolling,
    /// Both factors.
    Full,
    /// Both factors, and a code that was just given.
    Code,
    /// The same of an operator.
    Operator,
}

/// A caller who may not have signed in.
#[derive(Debug)]
pub(crate) struct Guest<'a> {
    pub(super) app: &'a App,
    /// Who calls.
    pub(super) from: From,
    /// The origin of the exchange's pages, as browsers see it.
    pub(super) origin: String,
    /// Whether the exchange's pages are at an https address.
    pub(super) is_https: bool,
    /// The value of the cookie of its session.
    cookie: Option<&'a str>,
    /// The account that it names, by its number or its short name; none for a call that does not say.
    pub(super) named: Option<&'a str>,
    /// Whether its page makes the call by itself, such as to ask again for what it shows.
    is_unattended: bool,
    /// The value of the cookie of its sign-up.
    pub(super) sign_up: Option<&'a str>,
    /// The value of the cookie of its passkey's challenge.
    pub(super) challenge: Option<&'a str>,
    /// Whether the field or the cookie is there that lets the sandbox's code pass.
    pub(super) is_bypass_shown: bool,
    /// The door of a sandbox, for a call that needs no session.
    pub(super) door: Option<&'a Door>,
}

/// The account that an address names, `?account=`.
fn named_account<'a>(visit: &Visit<'a>) -> Option<&'a str> {
    Query(visit.head.uri.query().unwrap_or_default()).value("account")
}

impl<'a> Guest<'a> {
    /// The caller of a request.
    pub(crate) fn of(visit: &Visit<'a>, own: &Own) -> Self {
        let agent = visit.header(&USER_AGENT).unwrap_or_default();
        let (headers, is_https) = (&visit.head.headers, own.is_https);
        Self {
            app: visit.app,
            from: From { peer: visit.client, agent: agent.to_owned() },
            origin: own.origin.clone(),
            is_https,
            cookie: visit.cookie(people::session_cookie(is_https)),
            named: named_account(visit).or_else(|| visit.header(&SHOWN)),
            is_unattended: headers.contains_key(UNATTENDED),
            sign_up: visit.cookie(sign_up_cookie(is_https)),
            challenge: visit.cookie(passkeys::cookie_name(is_https)),
            is_bypass_shown: headers.contains_key(BYPASS) || visit.cookie(door::COOKIE).is_some(),
            door: None,
        }
    }

    /// The same where a sandbox has this door.
    pub(super) fn with_door(self, door: Option<&'a Door>) -> Self {
        Self { door, ..self }
    }

    /// The value of the cookie of its session.
    pub(super) fn session(&self) -> Option<&'a str> {
        self.cookie
    }
}

/// A browser as the published state has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BrowserState {
    /// Its session.
    pub(crate) session: SessionId,
    /// Its user.
    pub(crate) user: UserId,
    /// How far its sign-in has come.
    pub(crate) stage: Stage,
    /// Whether a code was given less than five minutes ago.
    pub(crate) is_fresh: bool,
    /// Whether the user is an operator.
    pub(crate) is_operator: bool,
    /// The user's group; none for an operator.
    pub(crate) group: Option<GroupId>,
    /// The user's rights.
    pub(super) roles: Roles,
    /// The account that the user chose, or that the page names; none for an operator.
    pub(crate) account: Option<AccountId>,
}

impl BrowserState {
    /// The browser of a page, whose account is the one that its address names (D-289). With it the text after `?account=` that names
    /// neither an open account of the group by number nor the chosen one: that page shows the chosen one and says so.
    pub(crate) fn on_page<'a>(self, visit: &Visit<'a>) -> (Self, Option<&'a str>) {
        let Some(named) = named_account(visit).filter(|_| self.group.is_some()) else { return (self, None) };
        match find_named(visit.app, self.group, self.account, named) {
            Named::Number(account) => (Self { account: Some(account), ..self }, None),
            Named::Chosen => (self, None),
            Named::Nothing => (self, Some(named)),
        }
    }
}

/// The browser with this cookie. Its use is a sign of life.
pub(crate) fn find_browser(app: &App, cookie: &str) -> Option<BrowserState> {
    let found = browser_of(app, &people::digest(cookie))?;
    app.people.note_use(found.session);
    Some(found)
}

fn browser_of(app: &App, digest: &Digest) -> Option<BrowserState> {
    let views = app.exchange.views();
    let (identity, now) = (views.state().identity(), app.now_of(&views));
    let (session, browser) = identity.find_browser(digest, now)?;
    let user = identity.user(browser.user)?;
    Some(BrowserState {
        session,
        user: browser.user,
        stage: browser.stage,
        is_fresh: browser.is_fresh(now),
        is_operator: user.is_operator,
        group: user.group,
        roles: user.roles,
        account: browser.account,
    })
}

/// A caller whose browser has a session.
#[derive(Debug)]
pub(crate) struct Caller<'a> {
    guest: Guest<'a>,
    cookie: &'a str,
    pub(super) browser: BrowserState,
}

impl<'a> Deref for Caller<'a> {
    type Target = Guest<'a>;

    fn deref(&self) -> &Guest<'a> {
        &self.guest
    }
}

impl<'a> Caller<'a> {
    pub(super) fn find(guest: Guest<'a>) -> Result<Self, Refusal> {
        let cookie = guest.cookie.ok_or_else(sign_in_required)?;
        let found = if guest.is_unattended {
            browser_of(guest.app, &people::digest(cookie))
        } else {
            find_browser(guest.app, cookie)
        };
        let browser = found.ok_or_else(sign_in_required)?;
        Ok(Self { guest, cookie, browser })
    }

    /// Sends a command and waits until it is durable.
    pub(super) async fn submit(&self, command: Command) -> Result<Result<(), Reject>, Refusal> {
        self.app.people.submit(command).await
    }

    /// Ends sessions of the user.
    pub(super) async fn end(&self, sessions: Vec<SessionId>) -> Result<(), Refusal> {
        self.submit(Command::EndBrowsers(Arc::new(sessions))).await?.map_err(|reject| self.refusal(&reject))
    }

    /// The token that the session's calls show.
    pub(super) fn csrf(&self) -> String {
        people::csrf(self.cookie)
    }

    /// The refusal of a command.
    pub(super) fn refusal(&self, reject: &Reject) -> Refusal {
        people::refusal(*reject, self.app.now())
    }

    pub(super) fn check_csrf(&self, visit: &Visit<'_>) -> Result<(), Refusal> {
        if visit.header(&CSRF) == Some(self.csrf().as_str()) {
            return Ok(());
        }
        let message =
            "The header 'X-CSRF-Token' must be the 'csrf' that signing in returned, or /site/session";
        Err(Refusal::new(Reason::CsrfMismatch, message))
    }

    /// Whether the call names its account by number.
    pub(super) fn names_account(&self) -> bool {
        let named = self.guest.named.map(|text| find_named(self.app, self.browser.group, None, text));
        matches!(named, Some(Named::Number(_)))
    }

    /// The account on which a call acts: the open one of the user's group that it names (D-289), else the chosen one.
    pub(super) fn acting(&self, chosen: Option<AccountId>) -> Result<Option<AccountId>, Refusal> {
        let Some(text) = self.guest.named else { return Ok(chosen) };
        match find_named(self.app, self.browser.group, chosen, text) {
            Named::Number(account) => Ok(Some(account)),
            Named::Chosen => Ok(chosen),
            Named::Nothing => Err(self.no_account(chosen, text)),
        }
    }

    /// The refusal of a call that names another account than the chosen one by its short name, since another account may bear the name by
    /// now, or a number of no open account of the group.
    fn no_account(&self, chosen: Option<AccountId>, named: &str) -> Refusal {
        if !named.is_empty() && named.bytes().all(|byte| byte.is_ascii_digit()) {
            let expected = "the number of an open account of your group";
            return bad_query("account", expected, named).with_reason(Reason::InvalidAccountName);
        }
        let views = self.app.exchange.views();
        let account = chosen.and_then(|account| views.state().access().account(account));
        let name = account.map(|account| account.short_name.as_str()).unwrap_or_default();
        let message = format!(
            "This page shows account '{}', but '{name}' is chosen in another tab: load the page again",
            quoted(named)
        );
        Refusal::new(Reason::InvalidAccountName, message).with_status(409)
    }

    /// Refuses a caller who is not signed in far enough.
    pub(super) fn check(&self, needs: Needs) -> Result<(), Refusal> {
        let is_enough = match (needs, self.browser.stage) {
            (Needs::Session, _) | (_, Stage::Full) | (Needs::Enrolling, Stage::Enrol) => true,
            (Needs::Enrolling | Needs::Full | Needs::Code | Needs::Operator, Stage::Code | Stage::Enrol) => {
                false
            }
        };
        if !is_enough {
            return Err(second_factor_required(self.browser.stage));
        }
        if needs == Needs::Operator {
            self.check_operator()?;
        }
        let needs_code = match needs {
            Needs::Session | Needs::Full => false,
            Needs::Enrolling => self.browser.stage == Stage::Full,
            Needs::Code | Needs::Operator => true,
        };
        if needs_code { self.check_code() } else { Ok(()) }
    }

    /// Refuses a caller who is no operator.
    pub(super) fn check_operator(&self) -> Result<(), Refusal> {
        if self.browser.is_operator { Ok(()) } else { Err(no_operator()) }
    }

    /// Refuses a caller whose last code is five minutes old or older.
    pub(super) fn check_code(&self) -> Result<(), Refusal> {
        if self.browser.is_fresh {
            return Ok(());
        }
        let message = "This needs a code that is less than five minutes old: give a new one";
        Err(Refusal::new(Reason::CodeRequired, message))
    }
}

pub(super) fn no_operator() -> Refusal {
    Refusal::new(Reason::MissingRole, "Only an operator may make this call")
}

pub(super) fn sign_in_required() -> Refusal {
    Refusal::new(Reason::SignInRequired, "Sign in first: there is no session, or it has ended")
}

fn second_factor_required(stage: Stage) -> Refusal {
    let message = match stage {
        Stage::Enrol => "Your sign-in is not complete: add an authenticator app or a passkey first",
        Stage::Code | Stage::Full => "Your sign-in is not complete: give a code or use a passkey first",
    };
    Refusal::new(Reason::SecondFactorRequired, message)
}
