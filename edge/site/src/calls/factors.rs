//! The second factor and the password of a user who is signed in.

use super::caller::Caller;
use super::entering::read_code;
use super::fields;
use super::qr::{self, Drawing};
use buttonwood_call::Later;
use buttonwood_gate::{Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_people as people;
use buttonwood_wire::contract::{InPayload, Needed, Text};
use buttonwood_wire::{answer, json, request};

request! {
    /// A change of password.
    struct Passwords in InPayload {
        /// The password of now.
        old: Needed<Text>,
        /// The next one.
        new: Needed<Text>,
    }
}

answer! {
    /// A TOTP secret to enrol.
    struct Begun {
        /// The secret in Base32.
        secret: String,
        /// The same as an address for authenticator apps (`otpauth://totp/…`).
        uri: String,
        /// The address as a QR code, which the camera of a phone reads.
        qr: Drawing,
    }
}

answer! {
    /// An enrolled second factor.
    struct Enrolled {
        /// Codes for the loss of the second factor. Each works once, and none is shown again.
        recovery_codes: Vec<String>,
        /// The token that the session's calls show from now on.
        csrf: String,
    }
}

pub(super) fn begin<'a>(caller: &'a Caller<'a>, _fields: Payload) -> Later<'a> {
    Box::pin(async move {
        let begun = caller.app.people.begin_totp(caller.browser.session)?;
        Ok(Reply::secret_json(json::body(&Begun {
            secret: begun.secret.to_string(),
            uri: begun.uri.to_string(),
            qr: qr::drawing(&begun.uri)?,
        })))
    })
}

pub(super) fn confirm<'a>(caller: &'a Caller<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move {
        let code = read_code(&fields)?;
        let (people, session) = (&caller.app.people, caller.browser.session);
        let (entered, recovery_codes) = people.confirm_totp(session, &code, &caller.from).await?;
        let answer = Enrolled { recovery_codes, csrf: people::csrf(&entered.cookie.text) };
        let cookie = fields::session(&entered.cookie.text, caller.is_https)?;
        Ok(Reply::secret_json(json::body(&answer)).with_cookie(cookie))
    })
}

pub(super) fn set_password<'a>(caller: &'a Caller<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move {
        let read = Passwords::of(&fields);
        let (old, new) = (read.old()?, read.new()?);
        caller.app.people.set_password(caller.browser.session, &old, &new, &caller.from).await?;
        Ok::<Reply, Refusal>(fields::done())
    })
}
