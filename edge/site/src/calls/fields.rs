//! Parts of several answers: cookies, the next step of signing in, and the plain `ok`.

use buttonwood_gate::{Reason, Refusal};
use buttonwood_http::Reply;
use buttonwood_identity::Stage;
use buttonwood_people as people;
use buttonwood_wire::contract::Done;
use buttonwood_wire::field::failed;
use buttonwood_wire::{answer, json, words};
use http::HeaderValue;

words! {
    /// The next step of signing in.
    pub(crate) struct Step: "second_factor", "enrol", "done"
}

impl Step {
    /// The step that is due at a stage.
    pub(crate) fn after(stage: Stage) -> Self {
        Self(match stage {
            Stage::Code => "second_factor",
            Stage::Enrol => "enrol",
            Stage::Full => "done",
        })
    }
}

answer! {
    /// The answer to a step of signing in.
    pub(super) struct Stepped {
        /// The next step.
        pub(super) next: Step,
        /// The token that the session's calls show in `X-CSRF-Token`.
        pub(super) csrf: String,
    }
}

answer! {
    /// The answer of a call that gives nothing.
    struct Plain {
        /// Always `ok`.
        result: Done,
    }
}

/// The answer of a call that gives nothing.
pub(super) fn done() -> Reply {
    Reply::json(json::body(&Plain { result: Done }))
}

/// The refusal of an id that is unknown or another user's, which are alike.
pub(super) fn unknown(kind: &str, field: &str, value: &str) -> Refusal {
    let shown = buttonwood_gate::quoted(value);
    let message = format!("Field '{field}' names no {kind} of yours: {shown}");
    Refusal::new(Reason::EndpointNotFound, message)
}

/// The field that sets the cookie of a session.
pub(super) fn session(value: &str, is_https: bool) -> Result<HeaderValue, Refusal> {
    cookie(people::session_cookie(is_https), value, is_https)
}

/// The field that ends the cookie of a session.
pub(super) fn no_session(is_https: bool) -> Result<HeaderValue, Refusal> {
    no_cookie(people::session_cookie(is_https), is_https)
}

/// A field that sets a cookie, which scripts cannot read and other sites cannot send along with a POST (D-141).
pub(super) fn cookie(name: &str, value: &str, is_https: bool) -> Result<HeaderValue, Refusal> {
    HeaderValue::try_from(people::set_cookie(name, value, is_https)).map_err(|_| failed())
}

/// A field that ends a cookie.
pub(super) fn no_cookie(name: &str, is_https: bool) -> Result<HeaderValue, Refusal> {
    let secure = if is_https { "; Secure" } else { "" };
    let field = format!("{name}=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0{secure}");
    HeaderValue::try_from(field).map_err(|_| failed())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cookie is for this host alone, and on https for nothing else.
    #[test]
    fn cookies_are_the_hosts_own() {
        let shown = |field: Result<HeaderValue, Refusal>| field.unwrap().to_str().unwrap().to_owned();
        assert_eq!(shown(session("abc", false)), "session=abc; HttpOnly; SameSite=Lax; Path=/");
        assert_eq!(shown(session("abc", true)), "__Host-session=abc; HttpOnly; SameSite=Lax; Path=/; Secure");
        assert_eq!(
            shown(no_session(true)),
            "__Host-session=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0; Secure"
        );
        assert!(cookie("signup", "a\nb", false).is_err());
    }
}
