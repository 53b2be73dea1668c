//! Mails about a password or a factor that another person may have, and their link, which ends all sessions.

use crate::people::{From, People};
use crate::secret::digest;
use crate::sign_in::plain;
use crate::{Drawn, refusal};
use buttonwood_engine::identity::{Command, Failure, Reject, StopSessions, UserId};
use buttonwood_gate::Refusal;
use buttonwood_model::SessionId;

/// The page that a mailed link leads to.
const PAGE: &str = "/end-sessions";

/// A recovery code was used: the subject, and what happened.
pub(crate) const RECOVERY_USED: [&str; 2] = [
    "A recovery code was used",
    "A recovery code was used to sign in with your password. Your other sessions have ended.",
];
/// The authenticator was replaced.
pub(crate) const FACTOR_REPLACED: [&str; 2] = [
    "Your authenticator app was replaced",
    "Another authenticator app was enrolled in place of yours. Your other sessions have ended.",
];
/// A user with passkeys enrolled an authenticator.
pub(crate) const FACTOR_ADDED: [&str; 2] = [
    "An authenticator app was added",
    "An authenticator app was enrolled for your sign-in. Your other sessions have ended.",
];

/// The end of each of these mails.
const WITH_LINK: &str = "If it was not you, follow this link, which works for a day: it ends all sessions, and asks for your password \
                         and a recovery code that you had before. Then set another password.";
/// The same where the user has links enough.
const WITHOUT_LINK: &str = "If it was not you, set another password now, which ends all sessions.";

impl People {
    /// Mails what happened to a user's factors, with the link if the exchange keeps it.
    pub(crate) fn notify_of_factor(&self, user: UserId, token: &Drawn, [subject, what]: [&str; 2]) {
        let Some(address) = self.email(user).filter(|_| self.has_mail()) else { return };
        let is_kept = self.look(|identity| identity.stop(&token.digest, self.now()).is_some());
        let (end, page) =
            if is_kept { (WITH_LINK, Some((PAGE, token.text.as_str()))) } else { (WITHOUT_LINK, None) };
        self.mail(&address, [subject, &format!("{what} {end}")], page);
    }

    /// Mails that a password was given twice without a code, if the exchange counts this session as one that is mailed.
    pub(crate) fn notify_of_half(&self, user: UserId, session: SessionId) {
        let now = self.now();
        let browser = |identity: &buttonwood_engine::identity::Identity| {
            identity.browser(session, now).is_some_and(|browser| browser.is_mailed)
        };
        if self.look(browser) {
            let words = [
                "Your password was given without a code",
                "Your password was given more than once, and the second factor was not. If it was not you, another person knows \
                 your password: set another one now.",
            ];
            self.notify_of(user, words);
        }
    }

    /// Ends all sessions of a user by the token of a mailed link, with the password and a recovery code.
    ///
    /// # Errors
    /// 400 for a link that is unknown, was used or has ended; 401 `InvalidCredentials` for a wrong password or code; 429 after too many
    /// failures.
    pub async fn stop_sessions(
        &self,
        token: &str,
        password: &str,
        code: &str,
        from: &From,
    ) -> Result<(), Refusal> {
        let (token, recovery, now) = (digest(token), digest(&plain(code)), self.now());
        let found = self.look(|identity| {
            let stop = identity.stop(&token, now).ok_or(Reject::BadLink)?;
            let user = identity.user(stop.user).filter(|user| user.is_active()).ok_or(Reject::BadLink)?;
            identity.check_sign_in(&user.login, from.peer(), now)?;
            identity.check_codes(stop.user, true, now)?;
            let is_known = stop.recovery.contains(&recovery) || user.recovery.contains(&recovery);
            Ok((stop.user, user.login, user.credential, is_known))
        });
        let (user, login, credential, is_known) = found.map_err(|reject| refusal(reject, now))?;
        self.check_peer(from)?;
        let failure = |code_of| Failure { login, peer: from.peer(), code_of };
        if !self.is_right(&login, credential, password, from).await? {
            return self.fail(failure(None)).await;
        }
        // Others of the peer may have failed meanwhile.
        self.check_peer(from)?;
        if !is_known {
            return self.fail(failure(Some(user))).await;
        }
        let asked = StopSessions { token, credential, recovery, peer: from.peer() };
        match self.submit(Command::StopSessions(asked)).await? {
            Ok(()) => Ok(()),
            Err(Reject::WrongCode | Reject::WrongCredential) => self.fail(failure(Some(user))).await,
            Err(reject) => Err(refusal(reject, self.now())),
        }
    }
}
