//! Passkeys (WebAuthn): one is both factors. The edge has verified the signature; the room decides what follows from it.
//!
//! The room knows a credential by the SHA-256 of its id, and its public key. A challenge is known once it was used, until its five minutes are
//! over: before that, it exists in the browser's cookie alone.

use crate::browser::make_room;
use crate::expiry::Expiring;
use crate::{
    Browser, Digest, Identity, Infrequent, NewBrowser, Peer, RECOVERY_MAX, Reject, Stage, User, UserId,
};
use alloc::string::String;
use alloc::vec::Vec;
use buttonwood_access::Access;
use buttonwood_model::{BytesRef, Outbox, SessionId, Time};
use serde::{Deserialize, Serialize};

/// Passkeys of a user at most.
pub const PASSKEYS_MAX: usize = 20;
/// How long a challenge may be answered, in microseconds: 5 minutes.
pub const CHALLENGE_AGE: u64 = 5 * 60 * Time::SECOND;

/// A passkey of a user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passkey {
    /// Its number: the credential's id is in the vault under it.
    pub number: u64,
    /// The SHA-256 of the credential's id.
    pub credential: Digest,
    /// The name that the user gave it.
    pub name: String,
    /// Its public key, a point of P-256: the coordinates x and y.
    pub key: [[u8; 32]; 2],
    /// The signature counter of its last use; 0 where the authenticator counts nothing.
    pub counter: u32,
    /// Whether its authenticator may copy it to other devices; a use that says otherwise is refused.
    pub may_be_copied: bool,
    /// When it was added.
    pub created: Time,
}

/// A challenge that a browser answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Challenge {
    /// Its SHA-256.
    pub digest: Digest,
    /// When it ends.
    pub ends: Time,
}

/// A passkey to add, whose first signature was right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewPasskey {
    /// The browser.
    pub session: SessionId,
    /// The SHA-256 of its cookie's next value, which counts where the passkey completes the sign-in.
    pub cookie: Digest,
    /// The challenge.
    pub challenge: Challenge,
    /// The passkey; the room sets `created`.
    pub passkey: Passkey,
    /// The SHA-256 of each recovery code, which count where it is the user's first factor.
    pub recovery: Vec<Digest>,
}

/// A passkey that signed a challenge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsedPasskey {
    /// The user.
    pub user: UserId,
    /// The passkey.
    pub number: u64,
    /// The signature counter.
    pub counter: u32,
    /// The challenge.
    pub challenge: Challenge,
    /// The browser of the same user whose sign-in or code this is; none opens another.
    pub session: Option<SessionId>,
    /// The SHA-256 of the browser's next cookie.
    pub cookie: Digest,
    /// Where the sign-in came from.
    pub peer: Peer,
    /// The same for people.
    pub address: String,
    /// The browser's name for itself.
    pub agent: String,
}

impl Passkey {
    /// Whether a use with this counter is that of the one authenticator: its counter only grows, or it counts nothing.
    pub fn takes(&self, counter: u32) -> bool {
        counter > self.counter || counter == 0 && self.counter == 0
    }
}

impl User {
    /// The passkeys, the oldest first.
    pub fn passkeys(&self) -> &[Passkey] {
        &self.passkeys
    }

    /// A passkey.
    pub fn passkey(&self, number: u64) -> Option<&Passkey> {
        self.passkeys.iter().find(|passkey| passkey.number == number)
    }

    /// Whether the user has enrolled a second factor: TOTP, or a passkey.
    pub fn has_factor(&self) -> bool {
        self.factor != 0 || !self.passkeys.is_empty()
    }
}

/// Adds a passkey: in a sign-in that has to enrol a factor, or right after a code.
pub(crate) fn add<E: From<BytesRef>>(
    identity: &Identity,
    new: &NewPasskey,
    now: Time,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let browser = identity.browser(new.session, now).ok_or(Reject::UnknownBrowser)?;
    let user = identity.user(browser.user).ok_or(Reject::UnknownUser)?;
    if browser.stage == Stage::Code || browser.stage == Stage::Enrol && user.has_factor() {
        return Err(Reject::WrongStage);
    }
    if browser.stage == Stage::Full && !browser.is_fresh(now) {
        return Err(Reject::CodeRequired);
    }
    identity.check_challenge(&new.challenge, now)?;
    if user.passkeys.len() >= PASSKEYS_MAX {
        return Err(Reject::TooManyPasskeys);
    }
    if identity.passkeys.contains_key(&new.passkey.credential) {
        return Err(Reject::KnownPasskey);
    }
    if user.passkey(new.passkey.number).is_some() || new.recovery.len() > RECOVERY_MAX {
        return Err(Reject::WrongCode);
    }
    if browser.stage != Stage::Full {
        make_room(identity, user, Some(new.session), out);
    }
    out.push_named(&Infrequent::PasskeyAdded(new.clone()));
    Ok(())
}

/// Signs a user in with a passkey, which counts as a password and a code.
pub(crate) fn sign_in<E: From<BytesRef>>(
    identity: &Identity,
    proof: &UsedPasskey,
    now: Time,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let user = identity.user(proof.user).ok_or(Reject::UnknownUser)?;
    identity.check_sign_in(&user.login, proof.peer, now)?;
    if !user.is_active() {
        return Err(Reject::WrongCredential);
    }
    identity.check_challenge(&proof.challenge, now)?;
    let passkey = user.passkey(proof.number).ok_or(Reject::WrongCode)?;
    if !passkey.takes(proof.counter) {
        return Err(Reject::WrongCode);
    }
    let is_own = |browser: &Browser| browser.user == proof.user;
    let session = proof.session.filter(|session| identity.browser(*session, now).is_some_and(is_own));
    let is_full = |id: SessionId| identity.browser(id, now).is_some_and(|it| it.stage == Stage::Full);
    if !session.is_some_and(is_full) {
        make_room(identity, user, session, out);
    }
    let session = match session {
        Some(session) => session,
        None => {
            identity.check_ids()?;
            let UsedPasskey { user: id, cookie, peer, address, agent, .. } = proof.clone();
            let credential = user.credential;
            let new = NewBrowser { user: id, credential, cookie, peer, address, agent, is_full: true };
            out.push_named(&Infrequent::SignInBegun(new, false));
            SessionId::held(identity.next_held)
        }
    };
    out.push_named(&Infrequent::PasskeyUsed(UsedPasskey { session: Some(session), ..proof.clone() }));
    Ok(())
}

/// Removes a passkey, right after a code. The last factor stays.
pub(crate) fn remove<E: From<BytesRef>>(
    identity: &Identity,
    (session, number): (SessionId, u64),
    now: Time,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let browser = identity.browser(session, now).ok_or(Reject::UnknownBrowser)?;
    if !browser.is_fresh(now) {
        return Err(Reject::CodeRequired);
    }
    let user = identity.user(browser.user).ok_or(Reject::UnknownUser)?;
    user.passkey(number).ok_or(Reject::UnknownPasskey)?;
    if user.factor == 0 && user.passkeys.len() == 1 {
        return Err(Reject::LastFactor);
    }
    out.push_named(&Infrequent::PasskeyRemoved(browser.user, number));
    Ok(())
}

impl Identity {
    /// The user and the passkey with this credential.
    pub fn find_passkey(&self, credential: &Digest) -> Option<(UserId, &Passkey)> {
        let user = *self.passkeys.get(credential)?;
        let passkeys = &self.user(user)?.passkeys;
        let passkey = passkeys.iter().find(|passkey| passkey.credential == *credential)?;
        Some((user, passkey))
    }

    /// Refuses a challenge that was used or has ended.
    fn check_challenge(&self, challenge: &Challenge, now: Time) -> Result<(), Reject> {
        let lives = now < challenge.ends && challenge.ends <= now.plus(CHALLENGE_AGE);
        if lives && !self.challenges.contains_key(&challenge.digest) {
            Ok(())
        } else {
            Err(Reject::WrongCode)
        }
    }

    /// Notes that a challenge was used.
    fn note_challenge(&mut self, challenge: Challenge) {
        self.challenges.insert(challenge.digest, challenge.ends);
        self.expiries.insert((challenge.ends, Expiring::Challenge(challenge.digest)));
    }

    pub(crate) fn add_passkey(&mut self, access: &mut Access, new: NewPasskey, now: Time) {
        let Some((id, stage)) = self.browsers.get(&new.session).map(|it| (it.user, it.stage)) else { return };
        let Some(user) = self.users.get_mut(id.index()) else { return };
        if !user.has_factor() {
            user.recovery = new.recovery;
        }
        self.passkeys.insert(new.passkey.credential, id);
        user.passkeys.push(Passkey { created: now, ..new.passkey });
        self.note_challenge(new.challenge);
        if stage == Stage::Enrol {
            self.complete(access, new.session, new.cookie, now);
        }
    }

    pub(crate) fn note_passkey(&mut self, access: &mut Access, proof: UsedPasskey, now: Time) {
        let Some(user) = self.users.get_mut(proof.user.index()) else { return };
        if let Some(passkey) = user.passkeys.iter_mut().find(|passkey| passkey.number == proof.number) {
            passkey.counter = proof.counter;
        }
        let credential = user.credential;
        self.note_challenge(proof.challenge);
        match proof.session {
            Some(session) => self.complete(access, session, proof.cookie, now),
            None => {
                let UsedPasskey { user, cookie, peer, address, agent, .. } = proof;
                let new = NewBrowser { user, credential, cookie, peer, address, agent, is_full: true };
                self.open_browser(access, new, now);
            }
        }
    }

    pub(crate) fn remove_passkey(&mut self, user: UserId, number: u64) {
        let Some(user) = self.users.get_mut(user.index()) else { return };
        let place = user.passkeys.iter().position(|passkey| passkey.number == number);
        if let Some(place) = place {
            let removed = user.passkeys.remove(place);
            self.passkeys.remove(&removed.credential);
        }
    }
}
