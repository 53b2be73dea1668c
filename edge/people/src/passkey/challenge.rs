//! Challenges of passkeys: they are in the browser's cookie, authenticated, and nowhere else until they are used.

use crate::secret::fill;
use crate::vault::{Vault, VaultFault};
use buttonwood_engine::identity::{CHALLENGE_AGE, Challenge, UserId};
use buttonwood_gate::{Refusal, Secret};
use buttonwood_model::{SessionId, Time};
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::Sha256;
use std::io;

/// The vault's record of the key.
const RECORD: &str = "passkeys";
/// Bytes of a cookie's value at most.
const LENGTH_MAX: usize = 8_000;

/// The key that authenticates challenges, and from which the handles of users follow. It is in the vault, so that a restart keeps both.
pub(crate) struct Key(Hmac<Sha256>);

/// A challenge that was begun.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Begun {
    /// The passkey that it makes; none signs in.
    pub(super) making: Option<Making>,
    /// When it was begun, in microseconds.
    pub(super) at: u64,
    /// The library's state, with the challenge.
    pub(super) state: Value,
}

/// A passkey that is being made.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Making {
    /// The session of the browser that makes it.
    pub(super) session: u32,
    /// Its name.
    pub(super) name: String,
}

impl Making {
    /// Whether this session began it.
    pub(super) fn is_of(&self, session: SessionId) -> bool {
        self.session == session.0
    }
}

impl Begun {
    /// The challenge; none if it has no text.
    pub(super) fn challenge(&self) -> Option<Challenge> {
        let text = self.state.get("challenge")?.as_str()?;
        Some(Challenge { digest: crate::digest(text), ends: Time(self.at).plus(CHALLENGE_AGE) })
    }
}

impl Key {
    /// The vault's key. A vault that has none gets one.
    ///
    /// # Errors
    /// The vault's fault, or no random bytes of the operating system.
    pub(crate) fn of(vault: &dyn Vault) -> io::Result<Self> {
        let fault = |fault: VaultFault| io::Error::other(fault.to_string());
        let stored = vault.get(&[RECORD.to_owned()]).map_err(fault)?.pop().flatten();
        let secret = match stored {
            Some(secret) => secret,
            None => {
                let mut bytes = vec![0; 32];
                fill(&mut bytes).map_err(|refusal| io::Error::other(refusal.message))?;
                let secret = Secret::new(bytes);
                vault.put(vec![(RECORD.to_owned(), secret.clone())]).map_err(fault)?;
                secret
            }
        };
        Hmac::new_from_slice(secret.expose()).map(Self).map_err(io::Error::other)
    }

    fn mac(&self, purpose: &str, text: &[u8]) -> Hmac<Sha256> {
        self.0.clone().chain_update(purpose).chain_update([0]).chain_update(text)
    }

    /// The handle that authenticators store for a user: it says nothing about the user.
    pub(super) fn handle(&self, user: UserId) -> [u8; 32] {
        self.mac("handle", &user.0.to_le_bytes()).finalize().into_bytes().into()
    }

    /// The value of the cookie with a challenge.
    pub(super) fn seal(&self, begun: &Begun) -> Result<String, Refusal> {
        let mut text = serde_json::to_vec(begun).map_err(|error| {
            tracing::error!(%error, "a challenge cannot be written");
            buttonwood_wire::field::failed()
        })?;
        let tag = self.mac("challenge", &text).finalize().into_bytes();
        text.extend_from_slice(&tag);
        Ok(base64_simd::URL_SAFE_NO_PAD.encode_to_string(text))
    }

    /// The challenge of a cookie that this exchange set, if it has not ended.
    pub(super) fn open(&self, cookie: &str, now: Time) -> Option<Begun> {
        if cookie.len() > LENGTH_MAX {
            return None;
        }
        let bytes = base64_simd::URL_SAFE_NO_PAD.decode_to_vec(cookie).ok()?;
        let (text, tag) = bytes.split_at_checked(bytes.len().checked_sub(32)?)?;
        self.mac("challenge", text).verify_slice(tag).ok()?;
        let begun: Begun = serde_json::from_slice(text).ok()?;
        (now < Time(begun.at).plus(CHALLENGE_AGE)).then_some(begun)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InMemory;

    /// A cookie is taken as it was set, for five minutes, also after a restart; another exchange's is not.
    #[test]
    fn a_cookie_is_authentic() {
        let (vault, now) = (InMemory::default(), Time(1_000_000));
        let key = Key::of(&vault).unwrap();
        let state = serde_json::json!({ "challenge": "AAAA" });
        let making = Some(Making { session: 7, name: "phone é".into() });
        let begun = Begun { making, at: now.0, state };
        let cookie = key.seal(&begun).unwrap();
        let again = Key::of(&vault).unwrap();
        assert_eq!(again.handle(UserId(3)), key.handle(UserId(3)));
        assert_ne!(key.handle(UserId(2)), key.handle(UserId(3)));
        let opened = again.open(&cookie, now.plus(CHALLENGE_AGE - 1)).unwrap();
        assert_eq!(opened.challenge(), begun.challenge());
        assert!(opened.making.unwrap().is_of(SessionId(7)));
        assert!(again.open(&cookie, now.plus(CHALLENGE_AGE)).is_none());
        assert!(Key::of(&InMemory::default()).unwrap().open(&cookie, now).is_none());
        for at in 0..cookie.len() {
            let mut bytes = cookie.clone().into_bytes();
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            assert!(key.open(std::str::from_utf8(&bytes).unwrap(), now).is_none(), "{at}");
            assert!(key.open(&cookie[..at], now).is_none(), "{at}");
        }
    }
}
