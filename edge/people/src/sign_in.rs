//! The steps of a sign-in: the password, then a code.

use crate::people::{Entered, From, People};
use crate::refusal::wrong;
use crate::secret::{digest, draw};
use crate::stop::RECOVERY_USED;
use crate::vault::Names;
use crate::{refusal, totp, typed};
use buttonwood_engine::identity::{
    Command, Failure, NewBrowser, Proof, Reject, Stage, UsedCode, User, UserId,
};
use buttonwood_gate::Refusal;
use buttonwood_model::SessionId;
use std::sync::Arc;

/// The code that passes everywhere in a sandbox, with the header or the cookie of the bypass (SBX-006).
const BYPASS: &str = "9999999";
/// Digits of a code.
const DIGITS: usize = 6;

impl People {
    /// Takes an address and a password. Known, unknown and unconfirmed addresses cost the same work and get the same refusal.
    ///
    /// # Errors
    /// 401 `InvalidCredentials`; 429 after too many failures; 400 for a text that is no address.
    pub async fn sign_in(&self, email: &str, password: &str, from: &From) -> Result<Entered, Refusal> {
        let (login, now) = (self.read_address(email)?.login, self.now());
        let found = self.look(|identity| {
            identity.check_sign_in(&login, from.peer(), now)?;
            let id = identity.find_user(&login);
            Ok(id.and_then(|id| Some((id, identity.user(id)?.clone()))))
        });
        let found = found.map_err(|reject| refusal(reject, now))?;
        self.check_peer(from)?;
        let credential =
            found.as_ref().filter(|(_, user)| user.is_active()).map_or(0, |(_, user)| user.credential);
        let is_right = self.is_right(&login, credential, password, from).await?;
        // Others of the peer may have failed meanwhile; a right one must not show by another answer.
        self.check_peer(from)?;
        let failure = Failure { login, peer: from.peer(), code_of: None };
        let Some((user, _)) = found.filter(|_| is_right && credential != 0) else {
            return self.fail(failure).await;
        };
        let cookie = draw()?;
        let new = NewBrowser {
            user,
            credential,
            cookie: cookie.digest,
            peer: from.peer(),
            address: from.peer.to_string(),
            agent: from.agent(),
            is_full: false,
        };
        match self.submit(Command::Open(Arc::new(new))).await? {
            Ok(()) => {
                let entered = self.entered(cookie)?;
                self.notify_of_half(user, entered.session);
                Ok(entered)
            }
            Err(Reject::WrongCredential) => self.fail(failure).await,
            Err(reject) => Err(refusal(reject, self.now())),
        }
    }

    /// A full session of a user, as after both factors: a sandbox's own call.
    ///
    /// # Errors
    /// 400 for a user who may not sign in or has no second factor.
    pub async fn enter(&self, user: UserId, from: &From) -> Result<Entered, Refusal> {
        let credential =
            self.look(|identity| identity.user(user).map(|user| user.credential)).unwrap_or_default();
        let cookie = draw()?;
        let new = NewBrowser {
            user,
            credential,
            cookie: cookie.digest,
            peer: from.peer(),
            address: from.peer.to_string(),
            agent: from.agent(),
            is_full: true,
        };
        match self.submit(Command::Open(Arc::new(new))).await? {
            Ok(()) => self.entered(cookie),
            Err(Reject::WrongCredential | Reject::WrongStage) => {
                Err(refusal(Reject::UnknownUser, self.now()))
            }
            Err(reject) => Err(refusal(reject, self.now())),
        }
    }

    /// Takes a code: of the second factor, a recovery code, or in a sandbox the one that passes everywhere, if the caller shows that it is
    /// wanted. In a full session it renews the code.
    ///
    /// # Errors
    /// 401 `InvalidCredentials`; 429 after too many failures; 403 `SecondFactorRequired` in a sign-in that has to enrol.
    pub async fn give_code(
        &self,
        session: SessionId,
        code: &str,
        is_bypass_shown: bool,
        from: &From,
    ) -> Result<Entered, Refusal> {
        let now = self.now();
        let found = self.look(|identity| {
            let browser = identity.browser(session, now).ok_or(Reject::UnknownBrowser)?;
            if browser.stage == Stage::Enrol {
                return Err(Reject::WrongStage);
            }
            let user = identity.user(browser.user).ok_or(Reject::UnknownBrowser)?;
            identity.check_sign_in(&user.login, from.peer(), now)?;
            identity.check_codes(browser.user, true, now)?;
            Ok((browser.user, user.clone()))
        });
        let (id, user) = found.map_err(|reject| refusal(reject, now))?;
        self.check_peer(from)?;
        let failure = Failure { login: user.login, peer: from.peer(), code_of: Some(id) };
        let Some(proof) = self.proof(&user, code, is_bypass_shown).await? else {
            return self.fail(failure).await;
        };
        let (cookie, notice) = (draw()?, draw()?);
        let is_recovery = matches!(proof, Proof::Recovery(_));
        let given =
            UsedCode { session, cookie: cookie.digest, proof, peer: from.peer(), notice: notice.digest };
        match self.submit(Command::UseCode(given)).await? {
            Ok(()) => {
                if is_recovery {
                    self.notify_of_factor(id, &notice, RECOVERY_USED);
                }
                self.entered(cookie)
            }
            Err(Reject::WrongCode) => self.fail(failure).await,
            Err(reject) => Err(refusal(reject, self.now())),
        }
    }

    /// The proof that a code is; none for one that fits nothing.
    async fn proof(&self, user: &User, code: &str, is_bypass_shown: bool) -> Result<Option<Proof>, Refusal> {
        let code = typed::code(code);
        if code == BYPASS {
            return Ok((self.is_sandbox() && is_bypass_shown).then_some(Proof::Bypass));
        }
        let secret = self.record(Names::of(&user.login).totp(user.factor)).await?;
        if code.len() == DIGITS && code.bytes().all(|byte| byte.is_ascii_digit()) {
            let step = secret.and_then(|secret| totp::step_of(secret.expose(), &code, self.now()));
            return Ok(step.map(|step| Proof::Totp { factor: user.factor, step }));
        }
        Ok(Some(Proof::Recovery(digest(&plain(&code)))))
    }

    /// Journals a failure, and refuses.
    pub(crate) async fn fail<T>(&self, failure: Failure) -> Result<T, Refusal> {
        self.count_failure(failure.peer);
        match self.submit(Command::Fail(failure)).await? {
            Err(reject @ Reject::Throttled(_)) => Err(refusal(reject, self.now())),
            Ok(()) | Err(_) => Err(wrong()),
        }
    }

    /// The browser that a cookie belongs to by now.
    pub(crate) fn entered(&self, cookie: crate::Drawn) -> Result<Entered, Refusal> {
        let now = self.now();
        let found = self.look(|identity| {
            identity.find_browser(&cookie.digest, now).map(|(session, browser)| (session, browser.stage))
        });
        let (session, stage) = found.ok_or_else(|| refusal(Reject::UnknownBrowser, now))?;
        Ok(Entered { cookie, session, stage })
    }
}

/// A recovery code without what people add when they copy one.
pub(crate) fn plain(code: &str) -> String {
    code.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_uppercase()).collect()
}
