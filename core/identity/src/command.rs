//! Commands and infrequent events of this room.

use crate::throttle::Failure;
use crate::{
    AppId, Confirm, Digest, Enrolment, Exchange, Identity, Mailing, NewApp, NewBrowser, NewCode, NewGrant,
    NewPasskey, NewUser, Proof, Refresh, Reset, SignUp, StopSessions, UsedCode, UsedPasskey, UserChange,
    UserId, app, browser, code, expiry, grant, mail, passkey, preferences, stop, throttle, user,
};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use buttonwood_access::Caller;
use buttonwood_model::{AccountId, BytesRef, Outbox, Right, Roles, Scopes, SessionId, Time, commands, named};
use buttonwood_room::{Context, ContextMut};

/// A command of this room. The exchange itself sends all but one: its edge has checked passwords and secrets, and the room decides what
/// follows from them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Make a user whose address is confirmed.
    AddUser(Arc<NewUser>),
    /// Change a user.
    ChangeUser(UserId, Arc<UserChange>),
    /// Sign up.
    SignUp(Mailing, Arc<SignUp>),
    /// Confirm an address.
    Confirm(Arc<Confirm>),
    /// Ask for a link that sets another password; the digest is that of its token.
    AskReset(Mailing, Digest),
    /// Set another password by a link: the digest of its token, and the number of the password in the vault.
    Reset(Digest, u64),
    /// Set another password in a browser, which signs the user out of all others: the browser, and the number of the password in the vault.
    SetPassword(SessionId, u64),
    /// A password or a code was wrong.
    Fail(Failure),
    /// A password was right.
    Open(Arc<NewBrowser>),
    /// A code was given.
    UseCode(UsedCode),
    /// A second factor is enrolled.
    Enrol(Arc<Enrolment>),
    /// Choose the account of a browser.
    Choose(SessionId, AccountId),
    /// End browsers.
    EndBrowsers(Arc<Vec<SessionId>>),
    /// Register an app.
    AddApp(Arc<NewApp>),
    /// Give an app another secret, which ends the one before.
    SetAppSecret(AppId, Digest),
    /// Delete an app.
    DeleteApp(AppId),
    /// Review an app: whether it is reviewed, and whether its implicit flow is on.
    ReviewApp(AppId, bool, bool),
    /// Issue a code, or the token of the implicit flow.
    Issue(Arc<NewCode>),
    /// Exchange a code for tokens.
    Exchange(Arc<Exchange>),
    /// Refresh tokens.
    Refresh(Refresh),
    /// Grant without a consent.
    Grant(NewGrant),
    /// Revoke a token; without an app, its holder may.
    Revoke(Option<AppId>, Digest),
    /// End a grant of a user.
    EndGrant(UserId, SessionId),
    /// End all that the app of the token has of its user and account. An access token sends it (OAUTH-024).
    RevokeByToken,
    /// Forget what has ended.
    Forget,
    /// A passkey signed its first challenge.
    AddPasskey(Arc<NewPasskey>),
    /// A passkey signed a challenge: both factors at once.
    UsePasskey(Arc<UsedPasskey>),
    /// Remove a passkey, in a browser: its number.
    RemovePasskey(SessionId, u64),
    /// Make a user who has no password, and a link that sets it; the digest is that of its token.
    Invite(Arc<NewUser>, Digest),
    /// Remove all second factors of a user, who has lost them.
    ResetFactors(UserId),
    /// Set the preferences of a browser's user: an object as text, which the edge has read.
    SetPreferences(SessionId, Arc<String>),
    /// End all sessions of a user by a mailed link, with the password and a recovery code.
    StopSessions(StopSessions),
    /// A sandbox's clock is about to be moved by so many microseconds: the ends of all browsers and of their codes move along (D-292).
    KeepBrowsers(u64),
}

impl Command {
    /// Any token revokes itself; no key may (OAUTH-025).
    const REVOKE: Right = Right { roles: Roles::NONE, scopes: Scopes::ALL };
}

// What takes rights away is served on a nearly full disk too, and so is what goes before a move of the clock.
commands!(Command, "identity", {
    AddUser { 0: user } = "add_user" 1: exchange neither,
    ChangeUser { 0: user, 1: change } = "change_user" 2: exchange reduces,
    SignUp { 0: mailing, 1: new } = "sign_up" 1: exchange neither,
    Confirm { 0: confirm } = "confirm" 1: exchange neither,
    AskReset { 0: mailing, 1: token } = "ask_reset" 1: exchange neither,
    Reset { 0: token, 1: credential } = "reset" 1: exchange neither,
    SetPassword { 0: session, 1: credential } = "set_password" 1: exchange neither,
    Fail { 0: failure } = "fail" 1: exchange neither,
    Open { 0: browser } = "open" 1: exchange neither,
    UseCode { 0: code } = "use_code" 2: exchange neither,
    Enrol { 0: enrolment } = "enrol" 2: exchange neither,
    Choose { 0: session, 1: account } = "choose" 1: exchange neither,
    EndBrowsers { 0: sessions } = "end_browsers" 1: exchange reduces,
    AddApp { 0: app } = "add_app" 1: exchange neither,
    SetAppSecret { 0: app, 1: secret } = "set_app_secret" 1: exchange neither,
    DeleteApp { 0: app } = "delete_app" 1: exchange reduces,
    ReviewApp { 0: app, 1: reviewed, 2: implicit } = "review_app" 1: exchange neither,
    Issue { 0: code } = "issue" 1: exchange neither,
    Exchange { 0: exchange } = "exchange" 1: exchange neither,
    Refresh { 0: refresh } = "refresh" 1: exchange neither,
    Grant { 0: grant } = "grant" 1: exchange neither,
    Revoke { 0: app, 1: token } = "revoke" 1: exchange reduces,
    EndGrant { 0: user, 1: session } = "end_grant" 1: exchange reduces,
    RevokeByToken {} = "revoke_by_token" 1: client(Self::REVOKE) reduces,
    Forget {} = "forget" 1: exchange neither,
    AddPasskey { 0: passkey } = "add_passkey" 1: exchange neither,
    UsePasskey { 0: used } = "use_passkey" 1: exchange neither,
    RemovePasskey { 0: session, 1: number } = "remove_passkey" 1: exchange reduces,
    Invite { 0: user, 1: token } = "invite" 1: exchange neither,
    ResetFactors { 0: user } = "reset_factors" 1: exchange reduces,
    SetPreferences { 0: session, 1: value } = "set_preferences" 1: exchange neither,
    StopSessions { 0: stop } = "stop_sessions" 1: exchange reduces,
    KeepBrowsers { 0: micros } = "keep_browsers" 1: exchange reduces,
});

/// An infrequent event of this room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Infrequent {
    /// A user was made.
    UserAdded(NewUser),
    /// A user was changed.
    UserChanged(UserId, UserChange),
    /// Someone signed up.
    SignedUp(SignUp),
    /// A mail counted against its limits.
    MailCounted(Mailing),
    /// A link that sets another password was made, by the digest of its token.
    ResetAsked(Digest, Reset),
    /// A link set another password.
    PasswordReset(UserId, u64),
    /// A user set another password in a browser.
    PasswordSet(SessionId, u64),
    /// A password or a code was wrong.
    SignInFailed(Failure),
    /// A password was right. Builds before the half sessions' own places wrote it: it ends the user's oldest browser beyond the most.
    BrowserOpened(NewBrowser),
    /// A code was right.
    CodeUsed(UsedCode),
    /// A second factor was enrolled.
    Enrolled(Enrolment),
    /// A browser chose its account.
    AccountChosen(SessionId, AccountId),
    /// A browser's session ended.
    BrowserEnded(SessionId),
    /// An app was registered.
    AppAdded(NewApp),
    /// An app got another secret.
    AppSecretSet(AppId, Digest),
    /// An app was deleted.
    AppDeleted(AppId),
    /// An app was reviewed: whether it counts as reviewed, and whether its implicit flow is on.
    AppReviewed(AppId, bool, bool),
    /// A user consented.
    CodeIssued(NewCode),
    /// A grant was made, with its first tokens.
    Granted(NewGrant),
    /// Tokens were refreshed; the scopes are those of the new token.
    Refreshed(SessionId, Refresh),
    /// An access token ended.
    TokenEnded(SessionId, u64),
    /// A grant ended with all its tokens.
    GrantEnded(SessionId),
    /// All grants and codes of an app, a user and an account ended.
    ConsentEnded(AppId, UserId, AccountId),
    /// Records that had ended by then were forgotten, at most a hundred.
    Forgotten(Time),
    /// A passkey was added.
    PasskeyAdded(NewPasskey),
    /// A passkey signed its user in.
    PasskeyUsed(UsedPasskey),
    /// A passkey was removed.
    PasskeyRemoved(UserId, u64),
    /// All second factors of a user were removed, and the user's sessions ended.
    FactorsReset(UserId),
    /// The preferences of a user were set.
    PreferencesSet(UserId, String),
    /// A password was right, or a passkey: a browser was opened. Whether the user gets a mail about it.
    SignInBegun(NewBrowser, bool),
    /// A mailed link ended all sessions of its user: the SHA-256 of its token, and of the recovery code.
    SessionsStopped(Digest, Digest),
    /// The ends of all browsers and of their codes moved along with the clock, by so many microseconds.
    BrowsersKept(u64),
}

named!(Infrequent, "identity", {
    UserAdded { 0: user } = "user_added" 1,
    UserChanged { 0: user, 1: change } = "user_changed" 2,
    SignedUp { 0: new } = "signed_up" 1,
    MailCounted { 0: mailing } = "mail_counted" 1,
    ResetAsked { 0: token, 1: reset } = "reset_asked" 1,
    PasswordReset { 0: user, 1: credential } = "password_reset" 1,
    PasswordSet { 0: session, 1: credential } = "password_set" 1,
    SignInFailed { 0: failure } = "sign_in_failed" 1,
    BrowserOpened { 0: browser } = "browser_opened" 1,
    CodeUsed { 0: code } = "code_used" 2,
    Enrolled { 0: enrolment } = "enrolled" 2,
    AccountChosen { 0: session, 1: account } = "account_chosen" 1,
    BrowserEnded { 0: session } = "browser_ended" 1,
    AppAdded { 0: app } = "app_added" 1,
    AppSecretSet { 0: app, 1: secret } = "app_secret_set" 1,
    AppDeleted { 0: app } = "app_deleted" 1,
    AppReviewed { 0: app, 1: reviewed, 2: implicit } = "app_reviewed" 1,
    CodeIssued { 0: code } = "code_issued" 1,
    Granted { 0: grant } = "granted" 1,
    Refreshed { 0: session, 1: refresh } = "refreshed" 1,
    TokenEnded { 0: session, 1: number } = "token_ended" 1,
    GrantEnded { 0: session } = "grant_ended" 1,
    ConsentEnded { 0: app, 1: user, 2: account } = "consent_ended" 1,
    Forgotten { 0: until } = "forgotten" 1,
    PasskeyAdded { 0: passkey } = "passkey_added" 1,
    PasskeyUsed { 0: used } = "passkey_used" 1,
    PasskeyRemoved { 0: user, 1: number } = "passkey_removed" 1,
    FactorsReset { 0: user } = "factors_reset" 1,
    PreferencesSet { 0: user, 1: value } = "preferences_set" 1,
    SignInBegun { 0: browser, 1: mailed } = "sign_in_begun" 1,
    SessionsStopped { 0: token, 1: recovery } = "sessions_stopped" 1,
    BrowsersKept { 0: micros } = "browsers_kept" 1,
});

/// Why a command of this room is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject {
    /// No such user, or one who may not sign in.
    UnknownUser,
    /// No such group.
    UnknownGroup,
    /// The address, or the id of the app, is taken.
    Taken,
    /// Roles that a user may not have; an operator has none.
    BadRoles,
    /// Too many failures or mails; another try is taken from then on.
    Throttled(Time),
    /// Another password is in force, or the user may not sign in.
    WrongCredential,
    /// The code is wrong, or was used.
    WrongCode,
    /// The browser's sign-in is not so far, or further.
    WrongStage,
    /// No such browser, or its session has ended.
    UnknownBrowser,
    /// The last code was given too long ago.
    CodeRequired,
    /// The account is not one of the user's group, or is closed.
    ForeignAccount,
    /// The link is unknown, was used or has ended.
    BadLink,
    /// Test balances beyond what the exchange can issue.
    BadCredit,
    /// No such app.
    UnknownApp,
    /// An app without scopes, redirect URIs or a secret, or a public client with one.
    BadApp,
    /// The user has as many apps as a user may have.
    TooManyApps,
    /// The app was not reviewed, and the user does not own it (OAUTH-001).
    NotReviewed,
    /// A scope that the app, the user's roles or the grant does not have.
    WiderScope,
    /// The code or the refresh token is unknown, was used, has ended, or is not for this app, redirect URI or verifier.
    BadGrant,
    /// No such grant of the user.
    UnknownGrant,
    /// The user has as many passkeys as a user may have.
    TooManyPasskeys,
    /// The passkey was added before.
    KnownPasskey,
    /// No such passkey of the user.
    UnknownPasskey,
    /// Without it the user would have no second factor.
    LastFactor,
    /// Preferences that are empty or too long.
    BadPreferences {
        /// How long they are.
        bytes: usize,
    },
    /// Every id of a session was given.
    NoIds,
    /// Nothing is due.
    NotDue,
    /// No client may send the command.
    Unknown,
}

/// Decides a command of the exchange itself or of an operator.
///
/// # Errors
/// [`Reject`]; the caller must undo what was written.
pub fn decide<E: From<BytesRef>>(
    context: &Context<'_, Identity>,
    command: &Command,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let (room, access, now) = (context.room, context.access, context.time);
    match command {
        Command::AddUser(new) => user::add(room, access, new, out),
        Command::ChangeUser(id, change) => user::change(room, access, (*id, change), out),
        Command::SignUp(mailing, new) => mail::sign_up(room, (mailing, new), now, out),
        Command::Confirm(confirm) => mail::confirm(context, confirm, out),
        Command::AskReset(mailing, token) => mail::ask_reset(room, (mailing, token), now, out),
        Command::Reset(token, credential) => mail::reset(room, (token, *credential), now, out),
        Command::SetPassword(session, credential) => set_password(room, (*session, *credential), now, out),
        Command::Fail(failure) => throttle::fail(room, failure, now, out),
        Command::Open(new) => browser::open(room, new, now, out),
        Command::UseCode(used) => browser::use_code(room, used, now, out),
        Command::Enrol(enrolment) => browser::enrol(room, enrolment, now, out),
        Command::Choose(session, account) => browser::choose(room, access, (*session, *account), now, out),
        Command::EndBrowsers(sessions) => browser::end(room, sessions, out),
        Command::AddApp(new) => app::add(room, new, out),
        Command::SetAppSecret(id, secret) => app::set_secret(room, (*id, *secret), out),
        Command::DeleteApp(id) => app::delete(room, *id, out),
        Command::ReviewApp(id, reviewed, implicit) => app::review(room, (*id, *reviewed, *implicit), out),
        Command::Issue(new) => code::issue(room, access, new, now, out),
        Command::Exchange(asked) => grant::exchange(room, access, asked, now, out),
        Command::Refresh(asked) => grant::refresh(room, asked, now, out),
        Command::Grant(new) => grant::grant(room, access, new, out),
        Command::Revoke(app, token) => grant::revoke(room, (*app, token), out),
        Command::EndGrant(user, session) => grant::end(room, (*user, *session), out),
        Command::RevokeByToken => Err(Reject::Unknown),
        Command::Forget => expiry::forget(room, now, out),
        Command::AddPasskey(new) => passkey::add(room, new, now, out),
        Command::UsePasskey(used) => passkey::sign_in(room, used, now, out),
        Command::RemovePasskey(session, number) => passkey::remove(room, (*session, *number), now, out),
        Command::Invite(new, token) => user::invite(room, access, (new, token), now, out),
        Command::ResetFactors(user) => user::reset_factors(room, *user, out),
        Command::SetPreferences(session, value) => preferences::set(room, (*session, value), now, out),
        Command::StopSessions(asked) => stop::stop(room, asked, now, out),
        Command::KeepBrowsers(micros) => {
            browser::keep(room, *micros, out);
            Ok(())
        }
    }
}

/// Decides a command of an access token, which was admitted.
///
/// # Errors
/// [`Reject`]; the caller must undo what was written.
pub fn decide_held<E: From<BytesRef>>(
    context: &Context<'_, Identity>,
    caller: &Caller,
    command: &Command,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    if matches!(command, Command::RevokeByToken) {
        grant::revoke_by_token(context.room, caller.session, out)
    } else {
        Err(Reject::Unknown)
    }
}

/// Sets another password in a browser, right after a code.
fn set_password<E: From<BytesRef>>(
    identity: &Identity,
    (session, credential): (SessionId, u64),
    now: Time,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let browser = identity.browser(session, now).ok_or(Reject::UnknownBrowser)?;
    if !browser.is_fresh(now) {
        return Err(Reject::CodeRequired);
    }
    if credential == 0 {
        return Err(Reject::WrongCredential);
    }
    out.push_named(&Infrequent::PasswordSet(session, credential));
    Ok(())
}

/// Applies an infrequent event.
pub fn evolve(books: &mut ContextMut<'_, Identity>, event: Infrequent) {
    let now = books.time;
    let ContextMut { room, access, .. } = books;
    match event {
        Infrequent::UserAdded(new) => room.add_user(new, now),
        Infrequent::UserChanged(id, change) => room.change_user(access, id, &change),
        Infrequent::SignedUp(new) => room.note_sign_up(new),
        Infrequent::MailCounted(mailing) => room.note_mail(&mailing, now),
        Infrequent::ResetAsked(token, reset) => room.note_reset(token, reset),
        Infrequent::PasswordReset(user, credential) => room.reset_password(access, user, credential, now),
        Infrequent::PasswordSet(session, credential) => room.set_password(access, session, credential),
        Infrequent::SignInFailed(failure) => room.note_failure(&failure, now),
        Infrequent::BrowserOpened(new) => room.open_browser(access, new, now),
        Infrequent::CodeUsed(used) => room.note_code(access, &used, now),
        Infrequent::Enrolled(enrolment) => room.enrol(access, enrolment, now),
        Infrequent::AccountChosen(session, account) => room.choose_account(session, account),
        Infrequent::BrowserEnded(session) => room.end_browser(access, session),
        Infrequent::AppAdded(new) => room.add_app(new, now),
        Infrequent::AppSecretSet(id, secret) => room.set_app_secret(id, secret),
        Infrequent::AppDeleted(id) => room.delete_app(access, id),
        Infrequent::AppReviewed(id, reviewed, implicit) => {
            room.review_app(access, (id, reviewed, implicit));
        }
        Infrequent::CodeIssued(new) => room.note_consent(access, new, now),
        Infrequent::Granted(new) => room.note_grant(access, &new, now),
        Infrequent::Refreshed(session, asked) => room.note_refresh(session, &asked, now),
        Infrequent::TokenEnded(session, number) => room.end_token(access, session, number),
        Infrequent::GrantEnded(session) => room.end_grant(access, session),
        Infrequent::ConsentEnded(app, user, account) => room.end_consent(access, (app, user, account)),
        Infrequent::Forgotten(until) => room.forget(access, until),
        Infrequent::PasskeyAdded(new) => room.add_passkey(access, new, now),
        Infrequent::PasskeyUsed(used) => room.note_passkey(access, used, now),
        Infrequent::PasskeyRemoved(user, number) => room.remove_passkey(user, number),
        Infrequent::FactorsReset(user) => room.reset_factors(access, user),
        Infrequent::PreferencesSet(user, value) => room.set_preferences(user, value, now),
        Infrequent::SignInBegun(new, is_mailed) => room.begin_sign_in(access, new, is_mailed, now),
        Infrequent::SessionsStopped(token, recovery) => room.stop_sessions(access, &token, recovery),
        Infrequent::BrowsersKept(micros) => room.keep_browsers(micros, now),
    }
}

impl Proof {
    /// Whether it is the code that passes everywhere, which only a sandbox takes (SBX-007).
    pub fn is_bypass(self) -> bool {
        self == Self::Bypass
    }
}
