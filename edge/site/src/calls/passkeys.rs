//! Passkeys of a user, and signing in with one.

use super::caller::{Caller, Guest};
use super::entering::step;
use super::fields::{self, Step};
use base64_simd::URL_SAFE_NO_PAD;
use buttonwood_call::Later;
use buttonwood_gate::{Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_identity::Stage;
use buttonwood_people::{self as people, MadePasskey, PasskeyBegun, Shown, SignedPasskey};
use buttonwood_wire::contract::{InPayload, Label, Needed, Object, Text};
use buttonwood_wire::field::{bad_value, failed};
use buttonwood_wire::{answer, json, request};

request! {
    /// A passkey to make.
    struct New in InPayload {
        /// Its name: 1 to 100 characters without control characters.
        name: Needed<Text>,
    }
}

request! {
    /// A passkey of the user.
    struct One in InPayload {
        /// Its id, as in the list.
        id: Needed<Text>,
    }
}

request! {
    /// A public key credential of WebAuthn, as `PublicKeyCredential.toJSON()` gives it. Other fields are ignored.
    struct Credential in InPayload {
        /// The credential's id in unpadded base64url.
        id: Needed<Text>,
        /// The same.
        raw_id as "rawId": Needed<Text>,
        /// `public-key`.
        kind as "type": Needed<Text>,
        /// The answer of the authenticator.
        response: Needed<Object<Response<'static>>>,
    }
}

request! {
    /// The answer of an authenticator, in unpadded base64url. Making sends `clientDataJSON` and `attestationObject`, signing in all but
    /// `attestationObject`.
    struct Response in InPayload {
        /// The client data.
        client_data as "clientDataJSON": Needed<Text>,
        /// The attestation object.
        attestation as "attestationObject": Needed<Text>,
        /// The authenticator's data.
        authenticator_data as "authenticatorData": Needed<Text>,
        /// The signature.
        signature: Needed<Text>,
        /// The handle of the user.
        user_handle as "userHandle": Text,
    }
}

answer! {
    /// A passkey.
    struct Passkey {
        /// Its id.
        id: String,
        /// Its name.
        name: Label,
        /// When it was added.
        created_ms: u64,
    }
}

answer! {
    /// A passkey that was added.
    struct Added {
        /// Its id.
        id: String,
        /// Its name.
        name: Label,
        /// The next step of signing in.
        next: Step,
        /// The token that the session's calls show from now on.
        csrf: String,
        /// Where it is the user's first factor: codes for its loss. Each works once, and none is shown again.
        recovery_codes: Option<Vec<String>>,
    }
}

/// The name of the cookie of a challenge.
pub(super) const fn cookie_name(is_https: bool) -> &'static str {
    if is_https { "__Host-passkey" } else { "passkey" }
}

/// Bytes of any part of an authenticator's answer at most; those of a plain passkey are some hundred.
const PART_MAX: usize = 4_096;

/// Bytes in base64url, with or without padding.
fn bytes(field: &str, text: &str) -> Result<Vec<u8>, Refusal> {
    if text.len() > PART_MAX.div_ceil(3) * 4 {
        return Err(bad_value(field, "at most 4096 bytes in base64url", text));
    }
    let decoded = URL_SAFE_NO_PAD.decode_to_vec(text.trim_end_matches('=')).ok();
    decoded.ok_or_else(|| bad_value(field, "in base64url", text))
}

/// The id of a credential, and the answer of the authenticator.
fn credential(fields: &Payload) -> Result<(Vec<u8>, Payload), Refusal> {
    let read = Credential::of(fields);
    let (id, raw_id, kind, response) = (read.id()?, read.raw_id()?, read.kind()?, read.response()?);
    if kind != "public-key" {
        return Err(bad_value("type", "'public-key'", &kind));
    }
    let decoded = bytes("rawId", &raw_id)?;
    if bytes("id", &id)? != decoded {
        return Err(bad_value("id", "the same as 'rawId'", &id));
    }
    Ok((decoded, response))
}

fn made(fields: &Payload) -> Result<MadePasskey, Refusal> {
    let (id, response) = credential(fields)?;
    let read = Response::of(&response);
    Ok(MadePasskey {
        id,
        attestation: bytes("attestationObject", &read.attestation()?)?,
        client_data: bytes("clientDataJSON", &read.client_data()?)?,
    })
}

fn signed(fields: &Payload) -> Result<SignedPasskey, Refusal> {
    let (id, response) = credential(fields)?;
    let read = Response::of(&response);
    let user_handle = read.user_handle()?.filter(|handle| !handle.is_empty());
    Ok(SignedPasskey {
        id,
        authenticator_data: bytes("authenticatorData", &read.authenticator_data()?)?,
        client_data: bytes("clientDataJSON", &read.client_data()?)?,
        signature: bytes("signature", &read.signature()?)?,
        user_handle: user_handle.map(|handle| bytes("userHandle", &handle)).transpose()?,
    })
}

pub(super) fn list(caller: &Caller<'_>) -> Result<Reply, Refusal> {
    let views = caller.app.exchange.views();
    let user = views.state().identity().user(caller.browser.user).ok_or_else(failed)?;
    let rows = user.passkeys().iter().map(|passkey| Passkey {
        id: passkey.number.to_string(),
        name: Label(passkey.name.clone()),
        created_ms: passkey.created.millis(),
    });
    Ok(Reply::json(json::body(&rows.collect::<Vec<_>>())))
}

/// The options of a challenge, with the cookie that binds it to the browser.
fn begun(begun: PasskeyBegun, is_https: bool) -> Result<Reply, Refusal> {
    let cookie = fields::cookie(cookie_name(is_https), &begun.cookie, is_https)?;
    Ok(Reply::secret_json(begun.options.into_bytes()).with_cookie(cookie))
}

/// The cookies of the browser.
fn shown<'a>(guest: &'a Guest<'_>) -> Shown<'a> {
    Shown { origin: &guest.origin, challenge: guest.challenge, session: guest.session() }
}

/// The reply without the cookie of the challenge, which was used.
fn ended(reply: Reply, is_https: bool) -> Result<Reply, Refusal> {
    Ok(reply.with_cookie(fields::no_cookie(cookie_name(is_https), is_https)?))
}

pub(super) fn begin<'a>(caller: &'a Caller<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move {
        let name = New::of(&fields).name()?;
        let session = caller.browser.session;
        let challenge = caller.app.people.begin_passkey(session, &name, &caller.origin).await?;
        begun(challenge, caller.is_https)
    })
}

pub(super) fn finish<'a>(caller: &'a Caller<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move {
        let made = made(&fields)?;
        let (people, session) = (&caller.app.people, caller.browser.session);
        let added = people.finish_passkey(session, made, shown(caller), &caller.from).await?;
        let (csrf, cookie) = match added.entered {
            Some(entered) => {
                let cookie = fields::session(&entered.cookie.text, caller.is_https)?;
                (people::csrf(&entered.cookie.text), Some(cookie))
            }
            None => (caller.csrf(), None),
        };
        let codes = added.recovery_codes;
        let answer = Added {
            id: added.number.to_string(),
            name: Label(added.name),
            next: Step::after(Stage::Full),
            csrf,
            recovery_codes: (!codes.is_empty()).then_some(codes),
        };
        let mut reply = Reply::secret_json(json::body(&answer));
        if let Some(cookie) = cookie {
            reply = reply.with_cookie(cookie);
        }
        ended(reply, caller.is_https)
    })
}

pub(super) fn remove<'a>(caller: &'a Caller<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move {
        let id = One::of(&fields).id()?;
        caller.app.people.remove_passkey(caller.browser.session, &id).await?;
        Ok(fields::done())
    })
}

pub(super) fn begin_sign_in<'a>(guest: &'a Guest<'a>, _fields: Payload) -> Later<'a> {
    Box::pin(async move {
        let challenge = guest.app.people.begin_passkey_sign_in(&guest.origin)?;
        begun(challenge, guest.is_https)
    })
}

pub(super) fn sign_in<'a>(guest: &'a Guest<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move {
        let signed = signed(&fields)?;
        let entered = guest.app.people.finish_passkey_sign_in(signed, shown(guest), &guest.from).await?;
        ended(step(&entered, guest.is_https)?, guest.is_https)
    })
}
