//! Junk at the doors that need no key: what refused calls of one peer take of the journal.

use crate::server::{Request, Server, control};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// The bytes of the journal that refused calls of one peer may take in a minute.
const PEER_MINUTE: usize = 256 * 1024;
/// Calls at each door: together they take less than a minute, so the bound holds for all of them.
const CALLS: usize = 120;
/// A block of the journal; a batch takes at least one.
const BLOCK: usize = 4_096;

/// Makes the body of a call with this number.
pub(crate) type Call = fn(usize) -> Value;

/// The doors, with the calls that get nothing at each.
pub(crate) const DOORS: [(&str, Call); 9] = [
    ("/auth/token/revoke", |number| json!({ "client_id": junk(number), "client_secret": "x", "token": "x" })),
    (
        "/auth/token",
        |number| json!({ "grant_type": "refresh_token", "client_id": "x", "client_secret": "x", "refresh_token": junk(number) }),
    ),
    ("/site/signin", |number| json!({ "email": mail(number), "password": "seven green turtles" })),
    ("/site/signin/code", |number| json!({ "code": junk(number) })),
    ("/site/confirm", |number| json!({ "token": junk(number) })),
    ("/site/password/forgot", |number| json!({ "email": mail(number) })),
    (
        "/site/password/reset",
        |number| json!({ "token": junk(number), "password": "seven green turtles sing" }),
    ),
    ("/site/signup", |number| json!({ "email": mail(number), "password": "short", "name": "Ann" })),
    ("/site/preferences", |number| json!({ "value": { "a": number } })),
];

fn junk(number: usize) -> String {
    format!("junk-{number}")
}

fn mail(number: usize) -> String {
    format!("junk-{number}@hostile.test")
}

/// Sends junk to every door, and to the public clients' ones by the id of an app of the sandbox.
///
/// # Errors
/// A door at which the junk of one peer took more than its share, or that failed.
pub(crate) fn check(server: &Server) -> Result<(), String> {
    let before = journaled(server)?;
    for (path, body) in DOORS {
        at_door(server, path, |number| control(path, body(number).to_string()))?;
    }
    let client = client(server)?;
    at_door(server, "/auth/revoke", |number| form("/auth/revoke", &format!("token={}", junk(number))))?;
    at_door(server, "/auth/token", |number| {
        let mut body = client.clone();
        if let Some(fields) = body.as_object_mut() {
            fields.insert("grant_type".to_owned(), "refresh_token".into());
            fields.insert("refresh_token".to_owned(), junk(number).into());
        }
        control("/auth/token", body.to_string())
    })?;
    let written = journaled(server)? - before;
    println!("hostile: junk at {} doors wrote {written} bytes of journal", DOORS.len() + 2);
    if written > PEER_MINUTE {
        return Err(format!(
            "refused calls of one peer wrote {written} bytes, and {PEER_MINUTE} is the most"
        ));
    }
    Ok(())
}

/// Sends the calls of a door, none of which may be accepted as one that did something, nor fail.
fn at_door(server: &Server, path: &str, request: impl Fn(usize) -> Request) -> Result<(), String> {
    for number in 0..CALLS {
        let mut request = request(number);
        request.headers.push(("Origin".to_owned(), server.base_url.clone()));
        let reply = server.send(None, &request).map_err(|error| format!("{path}: {error}"))?;
        if reply.status >= 500 {
            return Err(format!("{path}: {} {}", reply.status, reply.text()));
        }
    }
    Ok(())
}

fn form(path: &str, body: &str) -> Request {
    let headers = vec![("Content-Type".to_owned(), "application/x-www-form-urlencoded".to_owned())];
    Request { method: "POST".to_owned(), target: path.to_owned(), headers, body: body.to_owned() }
}

/// The fields by which an app of the sandbox shows who it is.
fn client(server: &Server) -> Result<Value, String> {
    let file = Path::new(&server.data()).join("credentials.json");
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let known: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let apps = known.get("oauth_clients").and_then(Value::as_array).into_iter().flatten();
    let app = apps.into_iter().find(|app| app.get("client_secret").is_some());
    let app = app.ok_or("the sandbox has no app with a secret")?;
    Ok(json!({ "client_id": app["client_id"], "client_secret": app["client_secret"] }))
}

/// Bytes of the journal that are written, in blocks: a segment is filled with zeros ahead.
fn journaled(server: &Server) -> Result<usize, String> {
    let dir = Path::new(&server.data()).join("journal");
    let mut written = 0;
    for file in fs::read_dir(&dir).map_err(|error| format!("{}: {error}", dir.display()))?.flatten() {
        if file.path().extension().is_some_and(|kind| kind == "segment") {
            let bytes = fs::read(file.path()).map_err(|error| error.to_string())?;
            written +=
                bytes.chunks(BLOCK).filter(|block| block.iter().any(|byte| *byte != 0)).count() * BLOCK;
        }
    }
    Ok(written)
}
