//! Apps that act for users: consent, codes, tokens, and calls with them.

mod bearer;
mod clients;
mod consent;
mod tokens;

use buttonwood_accept::{Answer, Browser, Exchange, Value, hidden, json};
pub(crate) use buttonwood_accept::{encoded, redirected};

/// The owner of group one, who has every role but that of an auditor.
pub(crate) const OWNER: &str = "owner@one.test";

/// An app of the sandbox by its name.
#[track_caller]
pub(crate) fn app(x: &Exchange, name: &str) -> Value {
    let apps = x.credentials()["oauth_clients"].clone();
    let apps = apps.as_array().expect("there are apps");
    apps.iter().find(|app| app["name"] == name).unwrap_or_else(|| panic!("no app {name}")).clone()
}

/// Tokens that a user grants an app, without a consent.
#[track_caller]
pub(crate) fn grant(x: &Exchange, name: &str, email: &str, scopes: &[&str]) -> Value {
    let id = app(x, name)["client_id"].clone();
    let body = json!({ "client_id": id, "email": email, "account": "primary", "scopes": scopes });
    x.control("/sandbox/oauth/grants", &body).ok()
}

/// A text field of an object.
#[track_caller]
pub(crate) fn text(object: &Value, name: &str) -> String {
    object[name].as_str().unwrap_or_else(|| panic!("no {name} in {object}")).to_owned()
}

/// A JSON body to the authorization server.
pub(crate) fn server(x: &Exchange, path: &str, body: &Value) -> Answer {
    let headers = [("Content-Type", "application/json")];
    x.anyone().send("POST", path, &headers, body.to_string().as_bytes())
}

/// A token request of a confidential client, with further fields.
pub(crate) fn token_request(x: &Exchange, app: &Value, fields: Value) -> Answer {
    server(x, "/auth/token", &with_client(app, fields))
}

/// Fields with those that show who the client is.
pub(crate) fn with_client(app: &Value, fields: Value) -> Value {
    let mut body = fields;
    body["client_id"] = app["client_id"].clone();
    if let Some(secret) = app.get("client_secret") {
        body["client_secret"] = secret.clone();
    }
    body
}

/// A refresh.
pub(crate) fn refresh(x: &Exchange, app: &Value, token: &str) -> Answer {
    token_request(x, app, json!({ "grant_type": "refresh_token", "refresh_token": token }))
}

/// The error of a token request, which must have this status.
#[track_caller]
pub(crate) fn error_of(answer: &Answer, status: u16) -> String {
    let body = answer.json();
    assert_eq!(answer.status(), status, "{answer}");
    assert!(!text(&body, "error_description").is_empty(), "{answer}");
    assert_eq!(answer.reply.header("cache-control"), Some("no-store"), "{answer}");
    text(&body, "error")
}

/// A call with a token; `body` has the payload's other fields.
pub(crate) fn call(x: &Exchange, token: &str, method: &str, path: &str, body: &Value) -> Answer {
    let mut payload = body.clone();
    payload["request"] = json!(path);
    let payload = base64(payload.to_string().as_bytes());
    let bearer = format!("Bearer {token}");
    x.anyone().send(method, path, &[("Authorization", &bearer), ("X-SVC-PAYLOAD", &payload)], b"")
}

/// A POST with a token and no further fields.
pub(crate) fn post(x: &Exchange, token: &str, path: &str) -> Answer {
    call(x, token, "POST", path, &json!({}))
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, at| bits << 8 | u32::from(group.get(at).copied().unwrap_or(0)));
        for at in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * at) & 63) as usize];
            out.push(if at <= group.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

/// Posts the form of a consent page.
pub(crate) fn decide(
    browser: &Browser<'_>,
    page: &Answer,
    fields: &[(&str, &str)],
    origin: Option<&str>,
) -> Answer {
    let hidden = hidden(&page.reply.text());
    let mut form: Vec<(&str, &str)> =
        hidden.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    form.extend(fields);
    let mut headers = vec![("Content-Type", "application/x-www-form-urlencoded")];
    headers.extend(origin.map(|origin| ("Origin", origin)));
    browser.send("POST", "/auth", &headers, encoded(&form).as_bytes())
}

/// A code that the owner of group one gives an app for these scopes, by the consent page.
#[track_caller]
pub(crate) fn code(x: &Exchange, app: &Value, pairs: &[(&str, &str)], scopes: &[&str]) -> String {
    code_in(&Browser::of(x, OWNER), app, pairs, scopes)
}

/// A code that the user of a browser gives an app for these scopes, by the consent page.
#[track_caller]
pub(crate) fn code_in(browser: &Browser<'_>, app: &Value, pairs: &[(&str, &str)], scopes: &[&str]) -> String {
    let id = text(app, "client_id");
    let uri = app["redirect_uris"][0].as_str().expect("an app has a redirect URI").to_owned();
    let asked = scopes.join(",");
    let mut query =
        vec![("client_id", id.as_str()), ("response_type", "code"), ("scope", &asked), ("state", "s")];
    query.extend(pairs);
    if !pairs.iter().any(|(name, _)| *name == "redirect_uri") {
        query.push(("redirect_uri", &uri));
    }
    let page = browser.get(&format!("/auth?{}", encoded(&query)));
    assert_eq!(page.status(), 200, "{page}");
    let mut fields = vec![("account", "primary"), ("decision", "allow")];
    fields.extend(scopes.iter().map(|scope| ("scope", *scope)));
    let answer = decide(browser, &page, &fields, None);
    assert_eq!(answer.status(), 303, "{answer}");
    redirected(&answer, "code").unwrap_or_else(|| panic!("no code: {answer}"))
}
