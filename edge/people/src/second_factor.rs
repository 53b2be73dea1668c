//! Enrolling a second factor.

use crate::people::{Entered, From, Pending, People};
use crate::secret::{digest, draw, draw_number};
use crate::sign_in::plain;
use crate::stop::{FACTOR_ADDED, FACTOR_REPLACED};
use crate::vault::Names;
use crate::{refusal, totp, typed};
use buttonwood_engine::identity::{Command, Enrolment, Failure, Reject, Stage};
use buttonwood_gate::{Reason, Refusal, Secret};
use buttonwood_model::{SessionId, Time};
use std::sync::Arc;
use zeroize::Zeroizing;

/// Recovery codes that an enrolment gives.
const RECOVERY: usize = 10;
/// How long a factor waits for its first code, in microseconds.
const WAITS: u64 = 3_600 * Time::SECOND;
/// Factors that wait at most.
const PENDING_MAX: usize = 10_000;

/// A second factor that a user has to confirm with its first code.
pub struct TotpBegun {
    /// The secret in base32.
    pub secret: Zeroizing<String>,
    /// The same for an app: `otpauth://totp/…`.
    pub uri: Zeroizing<String>,
}

impl std::fmt::Debug for TotpBegun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TotpBegun(hidden)")
    }
}

impl People {
    /// Draws a second factor for a sign-in that has to enrol, or for a session with a fresh code.
    ///
    /// # Errors
    /// 403 `CodeRequired` or `SecondFactorRequired`.
    pub fn begin_totp(&self, session: SessionId) -> Result<TotpBegun, Refusal> {
        let now = self.now();
        let found = self.look(|identity| {
            let browser = identity.browser(session, now).ok_or(Reject::UnknownBrowser)?;
            match browser.stage {
                Stage::Code => Err(Reject::WrongStage),
                Stage::Full if !browser.is_fresh(now) => Err(Reject::CodeRequired),
                Stage::Enrol | Stage::Full => Ok(browser.user),
            }
        });
        let user = found.map_err(|reject| refusal(reject, now))?;
        let email = self.email(user).unwrap_or_default();
        let (factor, secret) = (draw_number()?, totp::draw()?);
        let shown = totp::base32(&secret);
        let issuer = encoded(&self.settings.service);
        let uri = format!("otpauth://totp/{issuer}:{}?secret={}&issuer={issuer}", encoded(&email), *shown);
        let mut pending = self.pending.lock();
        pending.retain(|_, waiting| now < waiting.begun.plus(WAITS));
        if pending.len() >= PENDING_MAX {
            pending.pop_first();
        }
        pending.insert(session, Pending { factor, secret, begun: now });
        Ok(TotpBegun { secret: shown, uri: Zeroizing::new(uri) })
    }

    /// Enrols the factor with its first code, and draws recovery codes. It completes a sign-in that had to enrol.
    ///
    /// # Errors
    /// 401 `InvalidCredentials` for a wrong code; 400 where no factor was begun.
    pub async fn confirm_totp(
        &self,
        session: SessionId,
        code: &str,
        from: &From,
    ) -> Result<(Entered, Vec<String>), Refusal> {
        let now = self.now();
        let user = self.look(|identity| {
            let browser = identity.browser(session, now)?;
            let user = identity.user(browser.user)?;
            Some((browser.user, user.login, user.factor, browser.stage))
        });
        let (id, login, before, stage) = user.ok_or_else(|| refusal(Reject::UnknownBrowser, now))?;
        let begun = {
            let pending = self.pending.lock();
            pending.get(&session).map(|waiting| (waiting.factor, waiting.secret.clone()))
        };
        let Some((factor, secret)) = begun else {
            let message = "Field 'code' belongs to no secret that was shown in the last hour: begin again";
            return Err(Refusal::new(Reason::InvalidParameterValue, message));
        };
        self.look(|identity| {
            identity.check_sign_in(&login, from.peer(), now)?;
            identity.check_codes(id, true, now)
        })
        .map_err(|reject| refusal(reject, now))?;
        self.check_peer(from)?;
        let Some(step) = totp::step_of(&secret, &typed::code(code), now) else {
            return self.fail(Failure { login, peer: from.peer(), code_of: Some(id) }).await;
        };
        let codes = recovery_codes()?;
        let names = Names::of(&login);
        self.put(vec![(names.totp(factor), Secret::new(secret.to_vec()))]).await?;
        let (cookie, notice) = (draw()?, draw()?);
        let enrolment = Enrolment {
            session,
            cookie: cookie.digest,
            factor,
            step,
            recovery: codes.iter().map(|code| digest(&plain(code))).collect(),
            notice: notice.digest,
        };
        if let Err(refused) = self.send(Command::Enrol(Arc::new(enrolment))).await {
            self.remove(vec![names.totp(factor)]).await;
            return Err(refused);
        }
        self.pending.lock().remove(&session);
        self.remove(vec![names.totp(before)]).await;
        if stage == Stage::Full {
            self.notify_of_factor(id, &notice, if before == 0 { FACTOR_ADDED } else { FACTOR_REPLACED });
        }
        Ok((self.entered(cookie)?, codes))
    }
}

/// The recovery codes of a user's first factor.
pub(crate) fn recovery_codes() -> Result<Vec<String>, Refusal> {
    (0..RECOVERY).map(|_| recovery_code()).collect()
}

/// A recovery code: 80 random bits in groups of four letters.
fn recovery_code() -> Result<String, Refusal> {
    let mut bits = Zeroizing::new([0_u8; 10]);
    crate::secret::fill(&mut *bits)?;
    let letters: Vec<char> = totp::base32(&*bits).chars().collect();
    Ok(letters.chunks(4).map(|group| group.iter().collect::<String>()).collect::<Vec<_>>().join("-"))
}

/// A text in a URI.
fn encoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}
