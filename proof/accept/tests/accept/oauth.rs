//! Apps that act for users: consent, codes, tokens, and calls with them.

mod bearer;
mod consent;
mod tokens;

use buttonwood_accept::{Answer, Browser, Exchange, Value, json};

/// The owner of group one, who has every role but that of an auditor.
const OWNER: &str = "owner@one.test";

/// An app of the sandbox by its name.
#[track_caller]
fn app(x: &Exchange, name: &str) -> Value {
    let apps = x.credentials()["oauth_clients"].clone();
    let apps = apps.as_array().expect("there are apps");
    apps.iter().find(|app| app["name"] == name).unwrap_or_else(|| panic!("no app {name}")).clone()
}

/// Tokens that a user grants an app, without a consent.
#[track_caller]
fn grant(x: &Exchange, name: &str, email: &str, scopes: &[&str]) -> Value {
    let id = app(x, name)["client_id"].clone();
    let body = json!({ "client_id": id, "email": email, "account": "primary", "scopes": scopes });
    x.control("/sandbox/oauth/grants", &body).ok()
}

/// A text field of an object.
#[track_caller]
fn text(object: &Value, name: &str) -> String {
    object[name].as_str().unwrap_or_else(|| panic!("no {name} in {object}")).to_owned()
}

/// A JSON body to the authorization server.
fn server(x: &Exchange, path: &str, body: &Value) -> Answer {
    let headers = [("Content-Type", "application/json")];
    x.anyone().send("POST", path, &headers, body.to_string().as_bytes())
}

/// A token request of a confidential client, with further fields.
fn token_request(x: &Exchange, app: &Value, fields: Value) -> Answer {
    server(x, "/auth/token", &with_client(app, fields))
}

/// Fields with those that show who the client is.
fn with_client(app: &Value, fields: Value) -> Value {
    let mut body = fields;
    body["client_id"] = app["client_id"].clone();
    if let Some(secret) = app.get("client_secret") {
        body["client_secret"] = secret.clone();
    }
    body
}

/// A refresh.
fn refresh(x: &Exchange, app: &Value, token: &str) -> Answer {
    token_request(x, app, json!({ "grant_type": "refresh_token", "refresh_token": token }))
}

/// The error of a token request, which must have this status.
#[track_caller]
fn error_of(answer: &Answer, status: u16) -> String {
    let body = answer.json();
    assert_eq!(answer.status(), status, "{answer}");
    assert!(!text(&body, "error_description").is_empty(), "{answer}");
    assert_eq!(answer.reply.header("cache-control"), Some("no-store"), "{answer}");
    text(&body, "error")
}

/// A call with a token; `body` has the payload's other fields.
fn call(x: &Exchange, token: &str, method: &str, path: &str, body: &Value) -> Answer {
    let mut payload = body.clone();
    payload["request"] = json!(path);
    let payload = base64(payload.to_string().as_bytes());
    let bearer = format!("Bearer {token}");
    x.anyone().send(method, path, &[("Authorization", &bearer), ("X-SVC-PAYLOAD", &payload)], b"")
}

/// A POST with a token and no further fields.
fn post(x: &Exchange, token: &str, path: &str) -> Answer {
    call(x, token, "POST", path, &json!({}))
}

fn base64(bytes: &[u8]) -> String {
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

/// Pairs as a form or a query.
fn encoded(pairs: &[(&str, &str)]) -> String {
    let escape = |text: &str| {
        text.bytes().fold(String::new(), |out, byte| {
            if byte.is_ascii_alphanumeric() {
                out + &char::from(byte).to_string()
            } else {
                format!("{out}%{byte:02X}")
            }
        })
    };
    let pairs: Vec<_> =
        pairs.iter().map(|(name, value)| format!("{}={}", escape(name), escape(value))).collect();
    pairs.join("&")
}

/// The form of a consent page: its hidden fields, as a browser reads them.
fn hidden(page: &str) -> Vec<(String, String)> {
    let plain = |text: &str| {
        text.replace("&quot;", "\"")
            .replace("&#39;", "'")
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&amp;", "&")
    };
    let value = |tag: &str, name: &str| {
        tag.split(&format!("{name}=\"")).nth(1).and_then(|rest| rest.split('"').next()).map(plain)
    };
    let tags = page.split("<input ").skip(1).filter(|tag| tag.contains("type=\"hidden\""));
    tags.filter_map(|tag| Some((value(tag, "name")?, value(tag, "value")?))).collect()
}

/// Posts the form of a consent page.
fn decide(browser: &Browser<'_>, page: &Answer, fields: &[(&str, &str)], origin: Option<&str>) -> Answer {
    let hidden = hidden(&page.reply.text());
    let mut form: Vec<(&str, &str)> =
        hidden.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    form.extend(fields);
    let mut headers = vec![("Content-Type", "application/x-www-form-urlencoded")];
    headers.extend(origin.map(|origin| ("Origin", origin)));
    browser.send("POST", "/auth", &headers, encoded(&form).as_bytes())
}

/// A parameter of the address to which an answer redirects.
fn redirected(answer: &Answer, name: &str) -> Option<String> {
    let location = answer.reply.header("location")?.to_string();
    let (_, query) = location.split_once(['?', '#'])?;
    let value = query.split('&').find_map(|pair| pair.strip_prefix(&format!("{name}=")))?;
    Some(value.to_owned())
}

/// A code that the owner of group one gives an app for these scopes, by the consent page.
#[track_caller]
fn code(x: &Exchange, app: &Value, pairs: &[(&str, &str)], scopes: &[&str]) -> String {
    let browser = Browser::of(x, OWNER);
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
    let answer = decide(&browser, &page, &fields, None);
    assert_eq!(answer.status(), 303, "{answer}");
    redirected(&answer, "code").unwrap_or_else(|| panic!("no code: {answer}"))
}
