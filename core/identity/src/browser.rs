//! Browsers: the steps of a sign-in, and the sessions of people who are signed in.

use crate::expiry::Expiring;
use crate::throttle::Limited;
use crate::{Digest, Identity, Infrequent, Peer, Reject, User, UserId};
use alloc::string::String;
use alloc::vec::Vec;
use buttonwood_access::{Access, Owner};
use buttonwood_model::{AccountId, BytesRef, Outbox, SessionId, Time};
use serde::{Deserialize, Serialize};

/// The longest that a browser stays signed in, in microseconds: 12 hours.
pub const BROWSER_AGE: u64 = 12 * 3_600 * Time::SECOND;
/// The silence after which a browser is signed out, in microseconds: 30 minutes. The exchange watches it, and not this room.
pub const IDLE: u64 = 30 * 60 * Time::SECOND;
/// How long a code counts as just given, in microseconds: 5 minutes.
pub const CODE_FRESH: u64 = 5 * 60 * Time::SECOND;
/// Browsers in which a user is fully signed in at most: another one ends the oldest.
pub const BROWSERS_MAX: usize = 20;
/// Half sessions of a user from one peer at most, in which the password was given and the code was not: another one ends the oldest.
pub const HALVES_OF_PEER: usize = 3;
/// Half sessions of a user from all peers at most: another one ends the oldest of the peer that has the most.
pub const HALVES_MAX: usize = 60;
/// Seconds of a step of TOTP (RFC 6238).
const STEP_SECONDS: u64 = 30;
/// Recovery codes of a user at most.
pub(crate) const RECOVERY_MAX: usize = 10;

/// How far a sign-in has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stage {
    /// The password was right; a code is due.
    #[default]
    Code,
    /// The password was right; the user has no second factor yet and enrols one.
    Enrol,
    /// Both factors were given.
    Full,
}

/// A browser in which a user signs in or is signed in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Browser {
    /// The user.
    pub user: UserId,
    /// The SHA-256 of its cookie's value. Each step of the sign-in replaces it.
    pub cookie: Digest,
    /// How far the sign-in has come.
    pub stage: Stage,
    /// When the password was given.
    pub opened: Time,
    /// When the last code was given; the opening, before the first.
    pub code_at: Time,
    /// The account that calls without `account` act on; none for an operator.
    pub account: Option<AccountId>,
    /// The address from which the sign-in came, for people.
    pub address: String,
    /// The browser's name for itself, for people.
    pub agent: String,
    /// Where the sign-in came from, as the places of half sessions count it.
    pub peer: Peer,
    /// Whether the user gets a mail about it: it was the second half session, and the first of a day that was mailed.
    pub is_mailed: bool,
}

impl Browser {
    /// When it ends at the latest.
    pub fn ends(&self) -> Time {
        self.opened.plus(BROWSER_AGE)
    }

    /// Whether a code was given less than five minutes ago.
    pub fn is_fresh(&self, now: Time) -> bool {
        self.stage == Stage::Full && now < self.code_at.plus(CODE_FRESH)
    }
}

/// A sign-in whose password was right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewBrowser {
    /// The user.
    pub user: UserId,
    /// The number of the password that was given: the sign-in is refused if another one is in force by then.
    pub credential: u64,
    /// The SHA-256 of its cookie's value.
    pub cookie: Digest,
    /// Where the sign-in came from.
    pub peer: Peer,
    /// The same for people.
    pub address: String,
    /// The browser's name for itself.
    pub agent: String,
    /// Whether both factors count as given: a sandbox's own call.
    pub is_full: bool,
}

/// How a user proves the second factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Proof {
    /// The code of this step of the TOTP secret with this number.
    Totp {
        /// The number of the secret.
        factor: u64,
        /// The step: seconds since 1970, divided by 30.
        step: u64,
    },
    /// The recovery code with this SHA-256.
    Recovery(Digest),
    /// The code that passes everywhere in a sandbox (SBX-006).
    Bypass,
}

/// A code that was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsedCode {
    /// The browser.
    pub session: SessionId,
    /// The SHA-256 of its cookie's next value.
    pub cookie: Digest,
    /// The proof.
    pub proof: Proof,
    /// Where it came from.
    pub peer: Peer,
    /// For a recovery code: the SHA-256 of the token in the mailed link that ends all sessions. Zero for none.
    pub notice: Digest,
}

/// A second factor that a user enrols, whose first code was right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enrolment {
    /// The browser.
    pub session: SessionId,
    /// The SHA-256 of its cookie's next value.
    pub cookie: Digest,
    /// The number of the TOTP secret in the vault.
    pub factor: u64,
    /// The step of the code that was given.
    pub step: u64,
    /// The SHA-256 of each recovery code.
    pub recovery: Vec<Digest>,
    /// In a full session: the SHA-256 of the token in the mailed link that ends all sessions. Zero for none.
    pub notice: Digest,
}

/// Whether a step of TOTP is that of `now`, the one before or the one after.
fn is_near(step: u64, now: Time) -> bool {
    step.abs_diff(now.seconds() / STEP_SECONDS) <= 1
}

/// Opens a browser after a right password.
pub(crate) fn open<E: From<BytesRef>>(
    identity: &Identity,
    new: &NewBrowser,
    now: Time,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let user = identity.user(new.user).ok_or(Reject::UnknownUser)?;
    identity.check_sign_in(&user.login, new.peer, now)?;
    if !user.is_active() || user.credential != new.credential {
        return Err(Reject::WrongCredential);
    }
    if new.is_full && !user.has_factor() {
        return Err(Reject::WrongStage);
    }
    identity.check_ids()?;
    let is_mailed = if new.is_full {
        make_room(identity, user, None, out);
        false
    } else {
        make_half_room(identity, user, new.peer, out);
        let is_second = user.browsers.iter().any(|session| identity.is_half(*session, now));
        is_second && identity.check_half_mail(new.user, now).is_ok()
    };
    out.push_named(&Infrequent::SignInBegun(new.clone(), is_mailed));
    Ok(())
}

/// Ends what gives way to another full session of a user: the oldest full ones beyond the most. `session` is the one that becomes full.
pub(crate) fn make_room<E: From<BytesRef>>(
    identity: &Identity,
    user: &User,
    session: Option<SessionId>,
    out: &mut Outbox<E>,
) {
    let is_full = |id: &&SessionId| identity.browsers.get(*id).is_some_and(|it| it.stage == Stage::Full);
    let others = user.browsers.iter().filter(|id| Some(**id) != session).filter(is_full);
    let surplus = others.rev().skip(BROWSERS_MAX.saturating_sub(1));
    surplus.for_each(|id| out.push_named(&Infrequent::BrowserEnded(*id)));
}

/// Ends what gives way to another half session of a user: never a full one, and of another peer only beyond the most of all peers.
fn make_half_room<E: From<BytesRef>>(identity: &Identity, user: &User, peer: Peer, out: &mut Outbox<E>) {
    let halves: Vec<(SessionId, Peer)> = user
        .browsers
        .iter()
        .filter_map(|id| Some((*id, identity.browsers.get(id)?)))
        .filter(|(_, browser)| browser.stage != Stage::Full)
        .map(|(id, browser)| (id, browser.peer))
        .collect();
    let of = |peer: Peer| halves.iter().filter(move |(_, its)| *its == peer);
    if of(peer).count() >= HALVES_OF_PEER {
        let surplus = of(peer).rev().skip(HALVES_OF_PEER.saturating_sub(1));
        surplus.for_each(|(id, _)| out.push_named(&Infrequent::BrowserEnded(*id)));
    } else if halves.len() >= HALVES_MAX {
        // The last of the maxima of the reversed list is the oldest.
        let ended = halves.iter().rev().max_by_key(|(_, its)| of(*its).count());
        if let Some((id, _)) = ended {
            out.push_named(&Infrequent::BrowserEnded(*id));
        }
    }
}

/// Ends all sessions of a user but one.
fn end_others<E: From<BytesRef>>(user: &User, session: SessionId, out: &mut Outbox<E>) {
    let others = user.browsers.iter().filter(|other| **other != session);
    others.for_each(|other| out.push_named(&Infrequent::BrowserEnded(*other)));
}

/// Takes a code.
pub(crate) fn use_code<E: From<BytesRef>>(
    identity: &Identity,
    given: &UsedCode,
    now: Time,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let browser = identity.browser(given.session, now).ok_or(Reject::UnknownBrowser)?;
    let user = identity.user(browser.user).ok_or(Reject::UnknownUser)?;
    if browser.stage == Stage::Enrol {
        return Err(Reject::WrongStage);
    }
    identity.check_sign_in(&user.login, given.peer, now)?;
    let is_recovery = matches!(given.proof, Proof::Recovery(_));
    identity.check_codes(browser.user, is_recovery, now)?;
    let is_right = match given.proof {
        Proof::Totp { factor, step } => {
            factor != 0 && factor == user.factor && step > user.step && is_near(step, now)
        }
        Proof::Recovery(code) => user.recovery.contains(&code),
        Proof::Bypass => true,
    };
    if !is_right {
        return Err(Reject::WrongCode);
    }
    if is_recovery {
        end_others(user, given.session, out);
    } else if browser.stage != Stage::Full {
        make_room(identity, user, Some(given.session), out);
    }
    out.push_named(&Infrequent::CodeUsed(*given));
    Ok(())
}

/// Enrols a second factor: in a sign-in that needs it, or in place of another one right after a code.
pub(crate) fn enrol<E: From<BytesRef>>(
    identity: &Identity,
    enrolment: &Enrolment,
    now: Time,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let browser = identity.browser(enrolment.session, now).ok_or(Reject::UnknownBrowser)?;
    let user = identity.user(browser.user).ok_or(Reject::UnknownUser)?;
    // A password alone does not replace a factor that was enrolled in another browser by then.
    let has_factor = user.has_factor();
    if browser.stage == Stage::Code || browser.stage == Stage::Enrol && has_factor {
        return Err(Reject::WrongStage);
    }
    if browser.stage == Stage::Full && !browser.is_fresh(now) {
        return Err(Reject::CodeRequired);
    }
    if !is_near(enrolment.step, now) || enrolment.factor == 0 || enrolment.recovery.len() > RECOVERY_MAX {
        return Err(Reject::WrongCode);
    }
    if browser.stage == Stage::Full {
        end_others(user, enrolment.session, out);
    } else {
        make_room(identity, user, Some(enrolment.session), out);
    }
    out.push_named(&Infrequent::Enrolled(enrolment.clone()));
    Ok(())
}

/// Chooses the account that a browser's calls act on.
pub(crate) fn choose<E: From<BytesRef>>(
    identity: &Identity,
    access: &Access,
    (session, account): (SessionId, AccountId),
    now: Time,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let browser = identity.browser(session, now).ok_or(Reject::UnknownBrowser)?;
    let group = identity.user(browser.user).and_then(|user| user.group);
    let is_own = access.account(account).is_some_and(|account| group.is_some() && account.group == group);
    if !is_own {
        return Err(Reject::ForeignAccount);
    }
    if browser.account == Some(account) {
        return Ok(());
    }
    out.push_named(&Infrequent::AccountChosen(session, account));
    Ok(())
}

/// Ends browsers of one user.
pub(crate) fn end<E: From<BytesRef>>(
    identity: &Identity,
    sessions: &[SessionId],
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let open = sessions.iter().filter(|session| identity.browsers.contains_key(session));
    open.for_each(|session| out.push_named(&Infrequent::BrowserEnded(*session)));
    Ok(())
}

/// Moves the ends of all browsers along with a clock that is about to be moved: to the people in front of them no time has passed (D-292).
pub(crate) fn keep<E: From<BytesRef>>(identity: &Identity, micros: u64, out: &mut Outbox<E>) {
    if micros > 0 && !identity.browsers.is_empty() {
        out.push_named(&Infrequent::BrowsersKept(micros));
    }
}

impl Identity {
    /// Whether a browser lives whose code is due.
    fn is_half(&self, session: SessionId, now: Time) -> bool {
        self.browser(session, now).is_some_and(|browser| browser.stage != Stage::Full)
    }

    /// Opens a browser as builds before the half sessions' own places did: it ends the user's oldest beyond the most.
    pub(crate) fn open_browser(&mut self, access: &mut Access, new: NewBrowser, now: Time) {
        let Some(user) = self.users.get(new.user.index()) else { return };
        let surplus: Vec<SessionId> =
            user.browsers.iter().rev().skip(BROWSERS_MAX.saturating_sub(1)).copied().collect();
        for session in surplus {
            self.end_browser(access, session);
        }
        self.begin_sign_in(access, new, false, now);
    }

    /// Opens a browser. The browser that gives way to it has ended.
    pub(crate) fn begin_sign_in(&mut self, access: &mut Access, new: NewBrowser, is_mailed: bool, now: Time) {
        let Some(user) = self.users.get(new.user.index()) else { return };
        let (group, has_factor) = (user.group, user.has_factor());
        if is_mailed {
            self.count(Limited::HalfMail(new.user), now);
        }
        let session = self.next_session();
        let stage = if has_factor { Stage::Code } else { Stage::Enrol };
        let account = group.and_then(|group| {
            let mut open = access.accounts_of(group).filter(|(id, _)| !access.is_closed(*id));
            open.next().map(|(id, _)| id)
        });
        let browser = Browser {
            user: new.user,
            cookie: new.cookie,
            stage,
            opened: now,
            code_at: now,
            account,
            address: new.address,
            agent: new.agent,
            peer: new.peer,
            is_mailed,
        };
        self.expiries.insert((browser.ends(), Expiring::Browser(session)));
        self.cookies.insert(browser.cookie, session);
        self.browsers.insert(session, browser);
        if let Some(user) = self.users.get_mut(new.user.index()) {
            user.browsers.push(session);
        }
        if new.is_full {
            self.complete(access, session, new.cookie, now);
        }
    }

    /// Completes a sign-in, or renews its code: the cookie is replaced, and the session may send commands.
    pub(crate) fn complete(&mut self, access: &mut Access, session: SessionId, cookie: Digest, now: Time) {
        let Some(browser) = self.browsers.get_mut(&session) else { return };
        self.cookies.remove(&browser.cookie);
        self.cookies.insert(cookie, session);
        let is_new = browser.stage != Stage::Full;
        (browser.cookie, browser.code_at, browser.stage) = (cookie, now, Stage::Full);
        let Some(user) = self.users.get_mut(browser.user.index()) else { return };
        if is_new {
            user.last_sign_in = Some(now);
            if let Some(group) = user.group {
                access.hold(session, Owner::Group(group), user.roles);
            }
        }
    }

    pub(crate) fn note_code(&mut self, access: &mut Access, given: &UsedCode, now: Time) {
        let user = self.browsers.get(&given.session).map(|browser| browser.user);
        let Some(user) = user.and_then(|user| self.users.get_mut(user.index())) else { return };
        match given.proof {
            Proof::Totp { step, .. } => user.step = step,
            Proof::Recovery(code) => {
                user.recovery.retain(|kept| *kept != code);
                if user.has_reset() {
                    user.code_failures.clear();
                }
            }
            Proof::Bypass => {}
        }
        if matches!(given.proof, Proof::Recovery(_)) {
            self.note_stop(given.session, given.notice, now);
        }
        self.complete(access, given.session, given.cookie, now);
    }

    pub(crate) fn enrol(&mut self, access: &mut Access, enrolment: Enrolment, now: Time) {
        let browser = self.browsers.get(&enrolment.session).map(|browser| (browser.user, browser.stage));
        let Some((id, stage)) = browser else { return };
        if stage == Stage::Full {
            // With the recovery codes that the owner has: those of the enrolment may be another person's.
            self.note_stop(enrolment.session, enrolment.notice, now);
        }
        let Some(user) = self.users.get_mut(id.index()) else { return };
        (user.factor, user.step) = (enrolment.factor, enrolment.step);
        user.recovery = enrolment.recovery;
        self.complete(access, enrolment.session, enrolment.cookie, now);
    }

    pub(crate) fn choose_account(&mut self, session: SessionId, account: AccountId) {
        if let Some(browser) = self.browsers.get_mut(&session) {
            browser.account = Some(account);
        }
    }

    /// Sets a password that came from a browser: it signs the user out of all others, and ends the links that would set one.
    pub(crate) fn set_password(&mut self, access: &mut Access, session: SessionId, credential: u64) {
        let Some(id) = self.browsers.get(&session).map(|browser| browser.user) else { return };
        let Some(user) = self.users.get_mut(id.index()) else { return };
        user.credential = credential;
        let others: Vec<SessionId> =
            user.browsers.iter().filter(|other| **other != session).copied().collect();
        for other in others {
            self.end_browser(access, other);
        }
        self.end_resets(id);
    }

    /// Moves the ends of all browsers and of their codes. A browser that had ended and was not forgotten yet stays as it is.
    pub(crate) fn keep_browsers(&mut self, micros: u64, now: Time) {
        for (session, browser) in &mut self.browsers {
            if browser.ends() <= now {
                continue;
            }
            self.expiries.remove(&(browser.ends(), Expiring::Browser(*session)));
            browser.opened = browser.opened.plus(micros);
            browser.code_at = browser.code_at.plus(micros);
            self.expiries.insert((browser.ends(), Expiring::Browser(*session)));
        }
    }

    /// Ends a browser's session for good.
    pub(crate) fn end_browser(&mut self, access: &mut Access, session: SessionId) {
        let Some(browser) = self.browsers.remove(&session) else { return };
        self.cookies.remove(&browser.cookie);
        self.expiries.remove(&(browser.ends(), Expiring::Browser(session)));
        if let Some(user) = self.users.get_mut(browser.user.index()) {
            user.browsers.retain(|kept| *kept != session);
        }
        access.let_go(session);
    }
}
