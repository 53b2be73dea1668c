//! Signing up, in and out, and passwords that were forgotten.

use super::caller::{Caller, Guest, sign_up_cookie};
use super::fields::{self, Step};
use buttonwood_call::Later;
use buttonwood_gate::{Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_people::{self as people, Entered};
use buttonwood_wire::contract::{InPayload, Needed, Text};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{json, request};
use http::StatusCode;

request! {
    /// A sign-up.
    struct SignUp in InPayload {
        /// The e-mail address.
        email: Needed<Text>,
        /// The password.
        password: Needed<Text>,
        /// The name for people.
        name: Needed<Text>,
    }
}

request! {
    /// The token of a mailed link, and a password.
    struct Link in InPayload {
        /// The token.
        token: Needed<Text>,
        /// The password of the sign-up, in another browser than the one that signed up.
        password: Text,
    }
}

request! {
    /// A link that sets another password.
    struct Reset in InPayload {
        /// The token.
        token: Needed<Text>,
        /// The new password.
        password: Needed<Text>,
    }
}

request! {
    /// A link that ends all sessions.
    struct Stop in InPayload {
        /// The token.
        token: Needed<Text>,
        /// The password.
        password: Needed<Text>,
        /// A recovery code that was in force when the mail was sent, or is.
        code: Needed<Text>,
    }
}

request! {
    /// An e-mail address.
    struct Address in InPayload {
        /// The address.
        email: Needed<Text>,
    }
}

request! {
    /// An e-mail address with its password.
    struct SignIn in InPayload {
        /// The address.
        email: Needed<Text>,
        /// The password.
        password: Needed<Text>,
    }
}

request! {
    /// A code: of the second factor, or a recovery code.
    struct Code in InPayload {
        /// The code.
        code: Needed<Text>,
    }
}

/// The code of a request.
pub(super) fn read_code(fields: &Payload) -> Result<String, Refusal> {
    Ok(Code::of(fields).code()?.into_owned())
}

pub(super) fn sign_up<'a>(guest: &'a Guest<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move {
        let read = SignUp::of(&fields);
        let (email, password, name) = (read.email()?, read.password()?, read.name()?);
        let browser = guest.app.people.sign_up(&email, &password, &name, &guest.from).await?;
        let cookie = fields::cookie(sign_up_cookie(guest.is_https), &browser.text, guest.is_https)?;
        Ok(accepted().with_cookie(cookie))
    })
}

pub(super) fn confirm<'a>(guest: &'a Guest<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move {
        let read = Link::of(&fields);
        let (token, password) = (read.token()?, read.password()?);
        guest.app.people.confirm(&token, guest.sign_up, password.as_deref(), &guest.from).await?;
        Ok(fields::done().with_cookie(fields::no_cookie(sign_up_cookie(guest.is_https), guest.is_https)?))
    })
}

pub(super) fn forgot<'a>(guest: &'a Guest<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move {
        let email = Address::of(&fields).email()?;
        guest.app.people.forgot(&email, &guest.from).await?;
        Ok(accepted())
    })
}

pub(super) fn reset<'a>(guest: &'a Guest<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move {
        let read = Reset::of(&fields);
        let (token, password) = (read.token()?, read.password()?);
        guest.app.people.reset(&token, &password, &guest.from).await?;
        Ok(fields::done())
    })
}

pub(super) fn stop<'a>(guest: &'a Guest<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move {
        let read = Stop::of(&fields);
        let (token, password, code) = (read.token()?, read.password()?, read.code()?);
        guest.app.people.stop_sessions(&token, &password, &code, &guest.from).await?;
        Ok(fields::done())
    })
}

pub(super) fn sign_in<'a>(guest: &'a Guest<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move {
        let read = SignIn::of(&fields);
        let (email, password) = (read.email()?, read.password()?);
        let entered = guest.app.people.sign_in(&email, &password, &guest.from).await?;
        step(&entered, guest.is_https)
    })
}

/// A test user of a sandbox, as after both factors. A caller who may make control calls may sign in so: it is what `/sandbox/sessions` does.
pub(super) fn by_button<'a>(guest: &'a Guest<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move {
        let email = Address::of(&fields).email()?;
        let user = guest.door.and_then(|door| door.find(guest.app, &email));
        let user = user.ok_or_else(|| bad_value("email", "that of a test user of this sandbox", &email))?;
        let entered = guest.app.people.enter(user, &guest.from).await?;
        step(&entered, guest.is_https)
    })
}

pub(super) fn code<'a>(caller: &'a Caller<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move {
        let code = read_code(&fields)?;
        let (people, session) = (&caller.app.people, caller.browser.session);
        let entered = people.give_code(session, &code, caller.is_bypass_shown, &caller.from).await?;
        step(&entered, caller.is_https)
    })
}

pub(super) fn sign_out<'a>(caller: &'a Caller<'a>, _fields: Payload) -> Later<'a> {
    Box::pin(async move {
        caller.end(vec![caller.browser.session]).await?;
        Ok(fields::done().with_cookie(fields::no_session(caller.is_https)?))
    })
}

/// The answer to a step of signing in, with the cookie's next value.
pub(super) fn step(entered: &Entered, is_https: bool) -> Result<Reply, Refusal> {
    let next = Step::after(entered.stage);
    let answer = fields::Stepped { next, csrf: people::csrf(&entered.cookie.text) };
    let cookie = fields::session(&entered.cookie.text, is_https)?;
    Ok(Reply::secret_json(json::body(&answer)).with_cookie(cookie))
}

/// The same answer for every address.
fn accepted() -> Reply {
    fields::done().with_status(StatusCode::ACCEPTED)
}
