//! Passkeys (WebAuthn): making, using and removing them.
//!
//! `begin` stores nothing: the challenge is in a cookie of the browser, and the exchange knows it again by its own signature.

mod challenge;
mod relying_party;

use crate::people::{Entered, From, People};
use crate::refusal::{no_passkey, wrong};
use crate::second_factor::recovery_codes;
use crate::secret::{digest, digest_of, draw, draw_number};
use crate::sign_in::plain;
use crate::vault::Names;
use crate::{links, refusal};
use buttonwood_engine::identity::{
    Challenge, Command, Digest, Failure, Identity, NewPasskey, PASSKEYS_MAX, Passkey, Reject, Stage,
    UsedPasskey, User, UserId,
};
use buttonwood_gate::{Refusal, Secret};
use buttonwood_model::{SessionId, Time};
use challenge::{Begun, Making};
use relying_party::{Made, Owner, RelyingParty};
use std::fmt;
use std::sync::Arc;
use webauthn_rs_core::proto::{
    AuthenticationExtensionsClientOutputs, AuthenticatorAssertionResponseRaw,
    AuthenticatorAttestationResponseRaw, PublicKeyCredential, RegisterPublicKeyCredential,
    RegistrationExtensionsClientOutputs,
};

pub(crate) use challenge::Key;

/// The address under which failures of unknown passkeys count; no user has it, as it has no `@`.
const UNKNOWN: &str = "passkey";

/// A challenge for a browser.
pub struct PasskeyBegun {
    /// The options of WebAuthn, as JSON: `{"publicKey": …}`.
    pub options: String,
    /// The value of the cookie that the browser must show with its answer.
    pub cookie: String,
}

/// A browser's answer after an authenticator has made a passkey.
#[derive(Clone, Debug)]
pub struct MadePasskey {
    /// The credential's id.
    pub id: Vec<u8>,
    /// The attestation object.
    pub attestation: Vec<u8>,
    /// The client data, as they were hashed.
    pub client_data: Vec<u8>,
}

/// A browser's answer after an authenticator has signed a challenge.
#[derive(Clone, Debug)]
pub struct SignedPasskey {
    /// The credential's id.
    pub id: Vec<u8>,
    /// The authenticator's data.
    pub authenticator_data: Vec<u8>,
    /// The client data, as they were hashed.
    pub client_data: Vec<u8>,
    /// The signature.
    pub signature: Vec<u8>,
    /// The handle of the user, as the authenticator has it.
    pub user_handle: Option<Vec<u8>>,
}

/// A passkey that was added.
pub struct PasskeyAdded {
    /// Its number.
    pub number: u64,
    /// Its name.
    pub name: String,
    /// The step of the sign-in, where the passkey completes it.
    pub entered: Option<Entered>,
    /// Recovery codes, where it is the first factor of the user.
    pub recovery_codes: Vec<String>,
}

/// The cookies that a browser shows.
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    /// The origin that the browser sees.
    pub origin: &'a str,
    /// The value of the cookie of its challenge.
    pub challenge: Option<&'a str>,
    /// The value of the cookie of its session.
    pub session: Option<&'a str>,
}

/// Hides what none of them may show.
macro_rules! hidden {
    ($($kind:ty),+) => {$(
        impl fmt::Debug for $kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($kind), "(hidden)"))
            }
        }
    )+};
}

hidden!(PasskeyBegun, PasskeyAdded, Shown<'_>);

impl People {
    /// Begins a passkey: in a sign-in that has to enrol a factor, or in a session with a fresh code.
    ///
    /// # Errors
    /// 403 `CodeRequired` or `SecondFactorRequired`; 400 for a bad name, one passkey too many, and an exchange at an IP address.
    pub async fn begin_passkey(
        &self,
        session: SessionId,
        name: &str,
        origin: &str,
    ) -> Result<PasskeyBegun, Refusal> {
        links::check_name(name)?;
        let party = self.party(origin)?;
        let now = self.now();
        let (id, user) = self.enrolling(session, now)?;
        if user.passkeys().len() >= PASSKEYS_MAX {
            return Err(refusal(Reject::TooManyPasskeys, now));
        }
        let names = Names::of(&user.login);
        let known = user.passkeys().iter().map(|passkey| names.passkey(passkey.number)).collect();
        let known = self.records(known).await?.into_iter().flatten();
        let owner = Owner {
            handle: &self.passkeys.handle(id),
            email: &self.email(id).unwrap_or_default(),
            name: &user.name,
            credentials: known.map(|id| id.expose().to_vec()).collect(),
        };
        let options = party.creation(owner)?;
        let making = Some(Making { session: session.0, name: name.to_owned() });
        self.begun(options, making, now)
    }

    /// Adds the passkey that was made. It completes a sign-in that had to enrol a factor; the first factor of a user comes with recovery codes.
    ///
    /// # Errors
    /// 401 `InvalidCredentials` for an answer that does not fit the challenge, which is alike for all reasons; else as
    /// [`People::begin_passkey`].
    pub async fn finish_passkey(
        &self,
        session: SessionId,
        made: MadePasskey,
        shown: Shown<'_>,
        from: &From,
    ) -> Result<PasskeyAdded, Refusal> {
        let party = self.party(shown.origin)?;
        let now = self.now();
        let (id, user) = self.enrolling(session, now)?;
        let begun = shown.challenge.and_then(|cookie| self.passkeys.open(cookie, now));
        let begun = begun.and_then(|begun| Some((begun.challenge()?, begun)));
        let Some((challenge, Begun { making: Some(making), state, .. })) = begun else { return Err(wrong()) };
        if !making.is_of(session) {
            return Err(wrong());
        }
        let verified = self.hasher.run(from.peer, move || party.made(state, &made.into_reply())).await?;
        let made = verified.map_err(|error| refused(&error))?;
        let added = self.add(session, (&user, making.name), (challenge, made)).await?;
        self.notify_of_passkey(id, true);
        Ok(added)
    }

    /// Stores a passkey whose first signature was right: the credential's id in the vault, the rest in the journal.
    async fn add(
        &self,
        session: SessionId,
        (user, name): (&User, String),
        (challenge, made): (Challenge, Made),
    ) -> Result<PasskeyAdded, Refusal> {
        let number = draw_number()?;
        let recovery_codes = if user.has_factor() { Vec::new() } else { recovery_codes()? };
        let record = Names::of(&user.login).passkey(number);
        let credential = digest_of(&made.id);
        self.put(vec![(record.clone(), Secret::new(made.id))]).await?;
        let cookie = draw()?;
        let passkey = Passkey {
            number,
            credential,
            name: name.clone(),
            key: made.key,
            counter: made.counter,
            may_be_copied: made.may_be_copied,
            created: self.now(),
        };
        let recovery = recovery_codes.iter().map(|code| digest(&plain(code))).collect();
        let new = NewPasskey { session, cookie: cookie.digest, challenge, passkey, recovery };
        if let Err(refused) = self.send(Command::AddPasskey(Arc::new(new))).await {
            self.remove(vec![record]).await;
            return Err(refused);
        }
        let is_new = self.look(|identity| identity.find_browser(&cookie.digest, self.now()).is_some());
        let entered = if is_new { Some(self.entered(cookie)?) } else { None };
        Ok(PasskeyAdded { number, name, entered, recovery_codes })
    }

    /// Removes a passkey of a user who has just given a code.
    ///
    /// # Errors
    /// 404 for an id that is unknown or another user's; 400 for the last factor; 403 `CodeRequired`.
    pub async fn remove_passkey(&self, session: SessionId, id: &str) -> Result<(), Refusal> {
        let now = self.now();
        let number = id.parse().ok().filter(|number: &u64| number.to_string() == id);
        let number = number.ok_or_else(|| no_passkey(id))?;
        let login = self.look(|identity| {
            let browser = identity.browser(session, now)?;
            identity.user(browser.user).map(|user| (browser.user, user.login))
        });
        let (user, login) = login.ok_or_else(|| refusal(Reject::UnknownBrowser, now))?;
        match self.submit(Command::RemovePasskey(session, number)).await? {
            Ok(()) => {
                self.remove(vec![Names::of(&login).passkey(number)]).await;
                self.notify_of_passkey(user, false);
                Ok(())
            }
            Err(Reject::UnknownPasskey) => Err(no_passkey(id)),
            Err(reject) => Err(refusal(reject, self.now())),
        }
    }

    /// Begins a sign-in with a passkey.
    ///
    /// # Errors
    /// 400 for an exchange at an IP address.
    pub fn begin_passkey_sign_in(&self, origin: &str) -> Result<PasskeyBegun, Refusal> {
        let options = self.party(origin)?.request()?;
        self.begun(options, None, self.now())
    }

    /// Signs in with a passkey, which is both factors. In a browser in which the same user is signed in, or has given the password, it renews or
    /// completes that session.
    ///
    /// # Errors
    /// 401 `InvalidCredentials`, alike for all reasons; 429 after too many failures; 400 for an exchange at an IP address.
    pub async fn finish_passkey_sign_in(
        &self,
        signed: SignedPasskey,
        shown: Shown<'_>,
        from: &From,
    ) -> Result<Entered, Refusal> {
        let party = self.party(shown.origin)?;
        let now = self.now();
        let found = self.look(|identity| owned(identity, &digest_of(&signed.id)));
        let login = found.as_ref().map_or_else(|| digest(UNKNOWN), |(_, _, login, _)| *login);
        self.look(|identity| identity.check_sign_in(&login, from.peer(), now))
            .map_err(|reject| refusal(reject, now))?;
        self.check_peer(from)?;
        let failure = Failure { login, peer: from.peer(), code_of: None };
        let begun = shown.challenge.and_then(|cookie| self.passkeys.open(cookie, now));
        let begun = begun.and_then(|begun| Some((begun.challenge()?, begun)));
        let (Some((user, passkey, _, true)), Some((challenge, Begun { making: None, state, .. }))) =
            (found, begun)
        else {
            return self.fail(failure).await;
        };
        if signed.user_handle.as_ref().is_some_and(|handle| **handle != self.passkeys.handle(user)) {
            return self.fail(failure).await;
        }
        let number = passkey.number;
        let verify = move || party.signed(state, &passkey, &signed.into_reply());
        let fail = self.late_failure(failure);
        let note = move |verified: Result<_, _>| {
            if verified.is_err() {
                fail();
            }
        };
        let counter = match self.hasher.run_and_note(from.peer, verify, note).await? {
            Ok(counter) => counter,
            Err(error) => {
                tracing::debug!(?error, "a passkey was refused");
                return self.fail(failure).await;
            }
        };
        let cookie = draw()?;
        let proof = UsedPasskey {
            user,
            number,
            counter,
            challenge,
            session: shown.session.and_then(|session| self.browser_of(&digest(session), user, now)),
            cookie: cookie.digest,
            peer: from.peer(),
            address: from.peer.to_string(),
            agent: from.agent(),
        };
        match self.submit(Command::UsePasskey(Arc::new(proof))).await? {
            Ok(()) => self.entered(cookie),
            Err(Reject::WrongCode | Reject::WrongCredential) => self.fail(failure).await,
            Err(reject) => Err(refusal(reject, self.now())),
        }
    }

    /// The browser of a user with this cookie.
    fn browser_of(&self, cookie: &Digest, user: UserId, now: Time) -> Option<SessionId> {
        self.look(|identity| {
            let (session, browser) = identity.find_browser(cookie, now)?;
            (browser.user == user).then_some(session)
        })
    }

    /// The exchange as a relying party: at its public address, or else at `localhost` with the port of the listener that pages have. What a
    /// request's `Host` says decides nothing: a site that passes calls on would have passkeys made for its own name.
    fn party(&self, origin: &str) -> Result<RelyingParty, Refusal> {
        let own = relying_party::origin_of(&self.settings.auth_url, self.settings.has_public_url);
        if origin != own {
            return Err(relying_party::foreign(origin, &own));
        }
        RelyingParty::at(&own, &self.settings.service)
    }

    fn begun(
        &self,
        options: relying_party::Options,
        making: Option<Making>,
        now: Time,
    ) -> Result<PasskeyBegun, Refusal> {
        let cookie = self.passkeys.seal(&Begun { making, at: now.0, state: options.state })?;
        Ok(PasskeyBegun { options: options.json, cookie })
    }

    /// The user of a browser that may add a factor.
    fn enrolling(&self, session: SessionId, now: Time) -> Result<(UserId, User), Refusal> {
        let found = self.look(|identity| {
            let browser = identity.browser(session, now).ok_or(Reject::UnknownBrowser)?;
            let user = identity.user(browser.user).ok_or(Reject::UnknownBrowser)?;
            match browser.stage {
                Stage::Code => Err(Reject::WrongStage),
                Stage::Enrol if user.has_factor() => Err(Reject::WrongStage),
                Stage::Full if !browser.is_fresh(now) => Err(Reject::CodeRequired),
                Stage::Enrol | Stage::Full => Ok((browser.user, user.clone())),
            }
        });
        found.map_err(|reject| refusal(reject, now))
    }
}

/// A passkey that was added, with the id and the login of its user, and whether that one is active.
fn owned(identity: &Identity, credential: &Digest) -> Option<(UserId, Passkey, Digest, bool)> {
    let (id, passkey) = identity.find_passkey(credential)?;
    let user = identity.user(id)?;
    Some((id, passkey.clone(), user.login, user.is_active()))
}

/// The refusal of an answer that does not fit; the reason is for the log alone.
fn refused(error: &impl std::fmt::Debug) -> Refusal {
    tracing::debug!(?error, "a passkey was refused");
    wrong()
}

/// The type of all credentials.
const PUBLIC_KEY: &str = "public-key";

impl MadePasskey {
    fn into_reply(self) -> RegisterPublicKeyCredential {
        RegisterPublicKeyCredential {
            id: base64_simd::URL_SAFE_NO_PAD.encode_to_string(&self.id),
            raw_id: self.id,
            response: AuthenticatorAttestationResponseRaw {
                attestation_object: self.attestation,
                client_data_json: self.client_data,
                transports: None,
            },
            type_: PUBLIC_KEY.to_owned(),
            extensions: RegistrationExtensionsClientOutputs::default(),
        }
    }
}

impl SignedPasskey {
    fn into_reply(self) -> PublicKeyCredential {
        PublicKeyCredential {
            id: base64_simd::URL_SAFE_NO_PAD.encode_to_string(&self.id),
            raw_id: self.id,
            response: AuthenticatorAssertionResponseRaw {
                authenticator_data: self.authenticator_data,
                client_data_json: self.client_data,
                signature: self.signature,
                user_handle: self.user_handle,
            },
            extensions: AuthenticationExtensionsClientOutputs::default(),
            type_: PUBLIC_KEY.to_owned(),
        }
    }
}
