//! Requests of apps: the bodies of token requests, the queries of the authorization endpoint, and redirect URIs.
//!
//! The first byte selects which. Bodies must be read as serde_json and a lenient reader of forms read them, without fields that are there
//! twice. A query is put to a user only with an app, a registered address, registered scopes and the challenge of a public client, and the
//! query that the consent page repeats asks for the same. An answer never goes anywhere but to a registered address. A redirect URI that
//! may be registered has no part by which a browser leaves it.

use crate::payload::Distinct;
use buttonwood_engine::identity::{App, AppId, Digest, NewApp, UserId};
use buttonwood_model::{Scope, Scopes, Time};
use buttonwood_oauth::fuzzing::{Asked, Body, Failed, asked};
use buttonwood_people::redirect_uri::{check, matches};
use serde::Deserializer as _;
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// Most bytes of a body.
const BYTES_MAX: usize = 16 * 1024;
/// Most characters of a description; it repeats up to 80 of the caller's.
const DESCRIPTION_MAX: usize = 300;
/// Bytes of a name that is asked for.
const NAME_MAX: usize = 80;
const ID_OF_CONFIDENTIAL: &str = "00000000-0000-4000-8000-000000000001";
const ID_OF_PUBLIC: &str = "00000000-0000-4000-8000-000000000002";
const ID_OF_IMPLICIT: &str = "00000000-0000-4000-8000-000000000003";

/// Reads and checks one request.
pub fn run(bytes: &[u8]) {
    let Some((which, bytes)) = bytes.split_first() else { return };
    match which % 4 {
        0 => json(bytes),
        1 => form(bytes),
        2 => query(bytes),
        _ => redirect(bytes),
    }
}

/// A field as serde_json or a reader of forms sees it.
#[derive(Debug)]
enum Field {
    Text(String),
    Null,
    Other,
}

type Fields = Vec<(String, Field)>;

fn json(bytes: &[u8]) {
    if bytes.len() <= BYTES_MAX {
        compare(Body::read(true, bytes), json_fields(bytes), || Body::read(true, bytes));
    }
}

/// The fields of an object without any twice.
fn json_fields(bytes: &[u8]) -> Option<Fields> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut reader = serde_json::Deserializer::from_str(text);
    let fields = reader.deserialize_map(Distinct).ok()?;
    reader.end().ok()?;
    let value = |raw: &serde_json::value::RawValue| {
        // In an array, so that the limit of nesting is the same as in the object.
        let read: Vec<serde_json::Value> = serde_json::from_str(&format!("[{raw}]")).ok()?;
        Some(match read.into_iter().next()? {
            serde_json::Value::String(text) => Field::Text(text),
            serde_json::Value::Null => Field::Null,
            serde_json::Value::Bool(_)
            | serde_json::Value::Number(_)
            | serde_json::Value::Array(_)
            | serde_json::Value::Object(_) => Field::Other,
        })
    };
    fields.into_iter().map(|(name, raw)| Some((name, value(raw)?))).collect()
}

fn form(bytes: &[u8]) {
    if bytes.len() <= BYTES_MAX {
        compare(Body::read(false, bytes), form_fields(bytes), || Body::read(false, bytes));
    }
}

/// The fields of a form without any twice, whose escapes are whole and whose text is UTF-8.
fn form_fields(bytes: &[u8]) -> Option<Fields> {
    let pairs = pairs(bytes)?;
    let names: BTreeSet<&String> = pairs.iter().map(|(name, _)| name).collect();
    (names.len() == pairs.len())
        .then(|| pairs.iter().cloned().map(|(name, text)| (name, Field::Text(text))).collect())
}

/// The pairs of a form or a query, or none where a lenient reader guesses.
fn pairs(bytes: &[u8]) -> Option<Vec<(String, String)>> {
    let mut at = 0;
    let mut plain = Vec::new();
    while let Some(byte) = bytes.get(at) {
        if *byte == b'%' {
            let digits = std::str::from_utf8(bytes.get(at + 1..at + 3)?).ok()?;
            if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                return None;
            }
            plain.push(u8::from_str_radix(digits, 16).ok()?);
            at += 3;
        } else {
            // A separator, so that no text reaches over it.
            plain.push(if matches!(byte, b'&' | b'=') { 0 } else { *byte });
            at += 1;
        }
    }
    std::str::from_utf8(&plain).ok()?;
    Some(form_urlencoded::parse(bytes).map(|(name, value)| (name.into_owned(), value.into_owned())).collect())
}

fn compare(read: Result<Body, Failed>, expected: Option<Fields>, again: impl Fn() -> Result<Body, Failed>) {
    match (read, expected) {
        (Ok(body), Some(fields)) => {
            for (name, field) in &fields {
                match field {
                    Field::Text(text) => {
                        assert_eq!(body.text(name), Ok(Some(text.as_str()).filter(|it| !it.is_empty())))
                    }
                    Field::Null => assert_eq!(body.text(name), Ok(None)),
                    // The exchange asks for fields of its own names alone, which are short; a refusal has the name that it asked for.
                    Field::Other if name.len() <= NAME_MAX => invalid(&body.text(name).unwrap_err()),
                    Field::Other => assert!(body.text(name).is_err()),
                }
            }
            let absent = fields.iter().map(|(name, _)| name.as_str()).collect::<String>() + "-";
            assert_eq!(body.text(&absent), Ok(None));
        }
        (Err(error), None) => {
            invalid(&error);
            assert_eq!(again().unwrap_err(), error, "a verdict never changes");
        }
        (Ok(body), None) => panic!("read, but no strict body: {body:?}"),
        (Err(error), Some(fields)) => panic!("refused, but a strict body: {error:?} {fields:?}"),
    }
}

#[track_caller]
fn invalid(error: &Failed) {
    assert_eq!(error.0, "invalid_request");
    worded(error);
}

/// Checks that a description has the characters of RFC 6749 alone, and is not too long.
#[track_caller]
fn worded((_, description): &Failed) {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
    assert!(!description.is_empty() && description.bytes().all(is_plain), "{description}");
    assert!(description.len() <= DESCRIPTION_MAX, "{} characters", description.len());
}

fn apps() -> &'static [App] {
    static APPS: OnceLock<Vec<App>> = OnceLock::new();
    let app = |id: &str, uris: &[&str], scopes: &[Scope], is_public: bool, is_implicit: bool| App {
        new: NewApp {
            id: AppId::parse(id).expect("an id"),
            owner: UserId(1),
            name: String::new(),
            description: String::new(),
            background: String::new(),
            logo: String::new(),
            scopes: Scopes::of(scopes),
            redirect_uris: uris.iter().map(|uri| (*uri).to_owned()).collect(),
            is_public,
            secret: None,
        },
        secret: None::<Digest>,
        is_reviewed: true,
        is_implicit,
        created: Time::default(),
    };
    APPS.get_or_init(|| {
        vec![
            app(ID_OF_CONFIDENTIAL, &["https://a.example/cb", "com.a:/cb"], &Scope::ALL, false, false),
            app(ID_OF_PUBLIC, &["http://127.0.0.1:8/n", "http://[::1]/n?a=b"], &Scope::ALL, true, false),
            app(ID_OF_IMPLICIT, &["https://a.example/i?"], &[Scope::BalancesRead], false, true),
        ]
    })
}

fn query(bytes: &[u8]) {
    let Some(asked_for) = asked(bytes, apps()) else {
        return assert_eq!(pairs(bytes), None, "refused, but a query");
    };
    let pairs = pairs(bytes).expect("read, but no query");
    let once = |name: &str| {
        let mut values = pairs.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str());
        values.next().filter(|value| !value.is_empty() && values.next().is_none())
    };
    let app = once("client_id").and_then(|id| AppId::parse(id).ok());
    let app = app.and_then(|id| apps().iter().find(|app| app.new.id == id));
    let place = app.zip(once("redirect_uri")).filter(|(app, uri)| is_registered(app, uri));
    let answers_go_home = |answer: &str| {
        let (_, uri) = place.expect("an answer goes to a registered address");
        let rest = answer.strip_prefix(uri).expect("the address is the one that was asked for");
        assert!(rest.starts_with(['?', '#', '&']) || uri.ends_with(['?', '&']), "{answer}");
        assert!(answer.bytes().all(|byte| matches!(byte, 0x21..=0x7E)), "{answer}");
    };
    match &asked_for {
        Asked::Page => assert!(place.is_none(), "the app is known and so is the address"),
        Asked::Error { error, answer } => {
            let known =
                ["invalid_request", "invalid_scope", "unauthorized_client", "unsupported_response_type"];
            assert!(known.contains(&error.0), "{error:?}");
            worded(error);
            answers_go_home(answer);
        }
        Asked::Consent { app: id, scopes, is_challenged, answer, query } => {
            answers_go_home(answer);
            let app = &place.expect("an app").0;
            assert_eq!(*id, app.new.id);
            assert!(scopes.is_within(app.new.scopes) && scopes.iter().next().is_some());
            let named: Vec<_> = once("scope")
                .unwrap_or_default()
                .split([',', ' '])
                .filter(|name| !name.is_empty())
                .map(Scope::named)
                .collect();
            assert!(named.iter().all(|scope| scope.is_some_and(|scope| scopes.has(scope))));
            assert!(scopes.iter().all(|scope| named.contains(&Some(scope))));
            assert!(*is_challenged == once("code_challenge").is_some());
            assert!(!app.new.is_public || *is_challenged && once("state").is_some());
            assert!(matches!(once("response_type"), Some("code")) || app.is_implicit);
            assert_eq!(
                asked(query.as_bytes(), apps()).as_ref(),
                Some(&asked_for),
                "the consent page repeats it"
            );
        }
    }
}

/// Whether an app has registered a URI, but for the port of a public client's loopback address.
fn is_registered(app: &App, uri: &str) -> bool {
    let same = |known: &String| {
        known == uri || app.new.is_public && portless(known).is_some_and(|it| portless(uri) == Some(it))
    };
    app.new.redirect_uris.iter().any(same)
}

/// A loopback address without its port, stated independently.
fn portless(uri: &str) -> Option<String> {
    let host = ["http://127.0.0.1", "http://[::1]"].into_iter().find(|host| uri.starts_with(host))?;
    let rest = &uri[host.len()..];
    let Some(after) = rest.strip_prefix(':') else {
        return (rest.is_empty() || rest.starts_with(['/', '?'])).then(|| uri.to_owned());
    };
    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
    let (port, path) = after.split_at(digits);
    let is_port = port.parse::<u16>().is_ok_and(|number| number != 0 && number.to_string() == port);
    (is_port && (path.is_empty() || path.starts_with(['/', '?']))).then(|| format!("{host}{path}"))
}

fn redirect(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (uri, other) = text.split_once('\n').unwrap_or((text, ""));
    if check(uri).is_err() {
        return;
    }
    assert!(
        uri.bytes().all(|byte| matches!(byte, 0x21..=0x7E)) && !uri.contains(['#', '\\', '*', '<', '>', '"']),
        "{uri}"
    );
    let (scheme, rest) = uri.split_once(':').expect("it has a scheme");
    assert!(!["javascript", "data", "vbscript", "file", "blob", "about"].contains(&scheme), "{uri}");
    if matches!(scheme, "http" | "https") {
        let read: http::Uri = uri.parse().expect("it is a URI");
        let authority = read.authority().expect("it has a host");
        assert!(!authority.as_str().contains('@') && rest.starts_with("//"), "{uri}");
        let is_local = ["localhost", "127.0.0.1", "[::1]"].contains(&authority.host());
        assert!(scheme == "https" || is_local, "{uri}");
        let plain = read.path().to_ascii_lowercase().replace("%2e", ".");
        assert!(!plain.split('/').any(|segment| matches!(segment, "." | "..")), "{uri}");
    } else {
        assert!(scheme.contains('.') && rest.starts_with('/'), "{uri}");
    }
    let registered = [uri.to_owned()];
    for is_public in [false, true] {
        assert!(matches(&registered, uri, is_public), "{uri}");
        let is_same =
            other == uri || is_public && portless(uri).is_some_and(|it| portless(other) == Some(it));
        assert_eq!(matches(&registered, other, is_public), is_same, "{uri} {other}");
    }
}
