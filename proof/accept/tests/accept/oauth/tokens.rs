//! The token endpoint and revocation.

use super::{
    OWNER, app, code, encoded, error_of, grant, post, refresh, server, text, token_request, with_client,
};
use buttonwood_accept::{Answer, Exchange, Value, json, same_keys};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Barrier;
use std::thread;

/// The example of RFC 7636, appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// Redeems a code with the app's first redirect URI, and further fields.
pub(crate) fn redeem(x: &Exchange, app: &Value, code: &str, fields: &[(&str, &str)]) -> Answer {
    let mut body =
        json!({ "grant_type": "authorization_code", "code": code, "redirect_uri": app["redirect_uris"][0] });
    for (name, value) in fields {
        body[*name] = json!(value);
    }
    token_request(x, app, body)
}

/// A code gives tokens by JSON and by form, with the secret in the body or by Basic. Proves OAUTH-002, OAUTH-007, OAUTH-009.
#[test]
fn a_code_gives_tokens() {
    let x = Exchange::start();
    let app = app(&x, "app");
    let scopes = ["orders:read", "balances:read"];
    let first = redeem(&x, &app, &code(&x, &app, &[], &scopes), &[]);
    let tokens = first.ok();
    same_keys(&tokens, &["access_token", "refresh_token", "token_type", "scope", "expires_in"], &first);
    assert_eq!((&tokens["token_type"], &tokens["expires_in"]), (&json!("Bearer"), &json!(86_400)));
    assert_eq!(tokens["scope"], json!("balances:read,orders:read"));
    assert_eq!(first.reply.header("cache-control"), Some("no-store"));
    post(&x, &text(&tokens, "access_token"), "/v1/balances").ok();
    let (id, secret) = (text(&app, "client_id"), text(&app, "client_secret"));
    let uri = app["redirect_uris"][0].as_str().unwrap();
    let new = code(&x, &app, &[], &scopes);
    let form = encoded(&[("grant_type", "authorization_code"), ("code", &new), ("redirect_uri", uri)]);
    let basic = format!("Basic {}", super::base64(format!("{id}:{secret}").as_bytes()));
    let headers = [("Content-Type", "application/x-www-form-urlencoded"), ("Authorization", basic.as_str())];
    x.anyone().send("POST", "/auth/token?code=nonsense", &headers, form.as_bytes()).ok();
    let both = format!("{form}&client_id={id}&client_secret={secret}");
    let answer = x.anyone().send("POST", "/auth/token", &headers, both.as_bytes());
    assert_eq!(error_of(&answer, 400), "invalid_request");
}

/// A wrong client, secret, field or grant has its error, and no code is used up by it. Proves OAUTH-008, OAUTH-011, OAUTH-013,
/// OAUTH-014, OAUTH-012 (part).
#[test]
fn wrong_requests_have_their_errors() {
    let x = Exchange::start();
    let [app, narrow] = ["app", "narrow"].map(|name| app(&x, name));
    let code = code(&x, &app, &[], &["balances:read"]);
    let right = with_client(
        &app,
        json!({ "grant_type": "authorization_code", "code": code, "redirect_uri": app["redirect_uris"][0] }),
    );
    let send = |name: &str, value: Option<Value>| {
        let mut body = right.clone();
        match value {
            Some(value) => body[name] = value,
            None => drop(body.as_object_mut().unwrap().remove(name)),
        }
        server(&x, "/auth/token", &body)
    };
    for (name, value, status, error) in [
        ("client_secret", Some(json!("wrong")), 401, "invalid_client"),
        ("client_secret", None, 401, "invalid_client"),
        ("client_id", Some(json!("00000000-0000-4000-8000-000000000000")), 401, "invalid_client"),
        ("client_id", Some(json!("x")), 401, "invalid_client"),
        ("grant_type", Some(json!("password")), 400, "unsupported_grant_type"),
        ("grant_type", None, 400, "invalid_request"),
        ("grant_type", Some(Value::Null), 400, "invalid_request"),
        ("code", None, 400, "invalid_request"),
        ("code", Some(json!(7)), 400, "invalid_request"),
        ("code", Some(json!("unknown")), 400, "invalid_grant"),
        ("redirect_uri", None, 400, "invalid_request"),
        ("redirect_uri", Some(json!("https://app.example/callback/")), 400, "invalid_grant"),
        ("redirect_uri", Some(json!("http://127.0.0.1:8787/callback")), 400, "invalid_grant"),
        ("code_verifier", Some(json!(VERIFIER)), 400, "invalid_grant"),
        ("code_verifier", Some(json!("short")), 400, "invalid_request"),
    ] {
        let answer = send(name, value);
        assert_eq!(error_of(&answer, status), error, "{name} {answer}");
        if error == "invalid_request" {
            assert!(text(&answer.json(), "error_description").contains(name), "{answer}");
        }
    }
    let foreign = redeem(&x, &narrow, &code, &[("redirect_uri", app["redirect_uris"][0].as_str().unwrap())]);
    assert_eq!(error_of(&foreign, 400), "invalid_grant");
    let refresh =
        text(&redeem(&x, &app, &super::code(&x, &app, &[], &["balances:read"]), &[]).ok(), "refresh_token");
    let of_refresh = json!({ "grant_type": "refresh_token", "refresh_token": refresh });
    for secret in [json!("wrong"), Value::Null] {
        let mut body = with_client(&app, of_refresh.clone());
        body["client_secret"] = secret;
        assert_eq!(error_of(&server(&x, "/auth/token", &body), 401), "invalid_client", "{body}");
    }
    token_request(&x, &app, of_refresh).ok();
    let refresh_without = token_request(&x, &app, json!({ "grant_type": "refresh_token" }));
    assert_eq!(error_of(&refresh_without, 400), "invalid_request");
    let json = [("Content-Type", "application/json")];
    for body in ["", "[]", "{", "{\"client_id\":\"a\",\"client_id\":\"b\"}"] {
        let answer = x.anyone().send("POST", "/auth/token", &json, body.as_bytes());
        assert_eq!(error_of(&answer, 400), "invalid_request", "{body}");
    }
    let answer = x.anyone().send("POST", "/auth/token", &json, "x".repeat(17_000).as_bytes());
    assert_eq!(answer.status(), 413, "{answer}");
    let answer = x.anyone().send("GET", "/auth/token", &[], b"");
    assert_eq!((answer.status(), answer.reply.header("allow")), (405, Some("POST")));
    send("grant_type", Some(json!("authorization_code"))).ok();
}

/// A code works once and for ten minutes; a second use ends the tokens of the first. Proves OAUTH-010, OAUTH-012.
#[test]
fn a_code_works_once() {
    let x = Exchange::start();
    let app = app(&x, "app");
    let old = code(&x, &app, &[], &["balances:read"]);
    x.advance(600);
    assert_eq!(error_of(&redeem(&x, &app, &old, &[]), 400), "invalid_grant");
    let new = code(&x, &app, &[], &["balances:read"]);
    x.advance(599);
    let token = text(&redeem(&x, &app, &new, &[]).ok(), "access_token");
    post(&x, &token, "/v1/balances").ok();
    assert_eq!(error_of(&redeem(&x, &app, &new, &[]), 400), "invalid_grant");
    post(&x, &token, "/v1/balances").refused(401, "InvalidAccessToken");
}

/// A public client shows the verifier of its challenge and no secret, and may choose the port of a loopback address. Proves OAUTH-017,
/// OAUTH-018.
#[test]
fn a_public_client_shows_its_verifier() {
    let x = Exchange::start();
    let native = app(&x, "native");
    let challenge = [("code_challenge", CHALLENGE), ("code_challenge_method", "S256")];
    let new = code(&x, &native, &challenge, &["balances:read"]);
    let other = VERIFIER.replace('d', "e");
    for (verifier, error) in
        [(Some(other.as_str()), "invalid_grant"), (None, "invalid_request"), (Some("a"), "invalid_request")]
    {
        let fields: Vec<_> = verifier.iter().map(|verifier| ("code_verifier", *verifier)).collect();
        assert_eq!(error_of(&redeem(&x, &native, &new, &fields), 400), error);
    }
    redeem(&x, &native, &new, &[("code_verifier", VERIFIER)]).ok();
    let uri = "http://127.0.0.1:51234/native";
    let pairs = [("code_challenge", CHALLENGE), ("code_challenge_method", "S256"), ("redirect_uri", uri)];
    let at_port = code(&x, &native, &pairs, &["balances:read"]);
    assert_eq!(
        error_of(&redeem(&x, &native, &at_port, &[("code_verifier", VERIFIER)]), 400),
        "invalid_grant"
    );
    redeem(&x, &native, &at_port, &[("code_verifier", VERIFIER), ("redirect_uri", uri)]).ok();
}

/// A refresh gives the next tokens; scopes are narrowed for good and never widened. A consumed token is refused, and later than ten seconds
/// after its use its family ends. Proves OAUTH-015, OAUTH-016.
#[test]
fn refresh_tokens_rotate() {
    let x = Exchange::start();
    let app = app(&x, "app");
    let granted = grant(&x, "app", OWNER, &["balances:read", "orders:read"]);
    let first = text(&granted, "refresh_token");
    let with = |token: &str, scope: &str| {
        token_request(
            &x,
            &app,
            json!({ "grant_type": "refresh_token", "refresh_token": token, "scope": scope }),
        )
    };
    assert_eq!(error_of(&with(&first, "balances:read,orders:create"), 400), "invalid_scope");
    let narrowed = with(&first, "balances:read").ok();
    assert_eq!(narrowed["scope"], json!("balances:read"));
    let second = text(&narrowed, "refresh_token");
    assert_eq!(error_of(&with(&second, "balances:read orders:read"), 400), "invalid_scope");
    x.advance(10);
    assert_eq!(error_of(&refresh(&x, &app, &first), 400), "invalid_grant");
    let third = refresh(&x, &app, &second).ok();
    for tokens in [&granted, &narrowed, &third] {
        post(&x, &text(tokens, "access_token"), "/v1/balances").ok();
    }
    x.advance(1);
    assert_eq!(error_of(&refresh(&x, &app, &first), 400), "invalid_grant");
    for tokens in [&granted, &narrowed, &third] {
        post(&x, &text(tokens, "access_token"), "/v1/balances").refused(401, "InvalidAccessToken");
    }
    assert_eq!(error_of(&refresh(&x, &app, &text(&third, "refresh_token")), 400), "invalid_grant");
}

/// Of refreshes at once exactly one succeeds, and the app is not logged out.
#[test]
fn racing_refreshes_have_one_winner() {
    let x = Exchange::start();
    let app = app(&x, "app");
    let token = text(&grant(&x, "app", OWNER, &["balances:read"]), "refresh_token");
    let body =
        with_client(&app, json!({ "grant_type": "refresh_token", "refresh_token": token })).to_string();
    let host = x.base_url().split("//").nth(1).unwrap().to_owned();
    let request = format!(
        "POST /auth/token HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let start = Barrier::new(8);
    let race = || {
        let mut stream = TcpStream::connect(&host).unwrap();
        start.wait();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let answers: Vec<String> = thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(race)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let (won, lost): (Vec<_>, Vec<_>) =
        answers.iter().partition(|answer| answer.starts_with("HTTP/1.1 200 "));
    assert_eq!((won.len(), lost.len()), (1, 7), "{answers:?}");
    assert!(lost.iter().all(|answer| answer.contains("\"invalid_grant\"")), "{lost:?}");
    let won: Value = serde_json::from_str(won[0].split_once("\r\n\r\n").unwrap().1).unwrap();
    post(&x, &text(&won, "access_token"), "/v1/balances").ok();
    refresh(&x, &app, &text(&won, "refresh_token")).ok();
}

/// A refresh token ends its family, an access token itself; unknown tokens are no error, and another client's are left alone.
#[test]
fn tokens_are_revoked() {
    let x = Exchange::start();
    let [app, narrow] = ["app", "narrow"].map(|name| app(&x, name));
    let tokens = grant(&x, "app", OWNER, &["balances:read"]);
    let (access, family) = (text(&tokens, "access_token"), text(&tokens, "refresh_token"));
    let revoke = |app: &Value, token: &str| {
        server(&x, "/auth/token/revoke", &with_client(app, json!({ "token": token })))
    };
    for token in [&access, &family] {
        assert_eq!(revoke(&narrow, token).status(), 200);
    }
    assert_eq!(revoke(&app, "unknown").status(), 200);
    let mut impostor = app.clone();
    impostor["client_secret"] = json!("wrong");
    assert_eq!(error_of(&revoke(&impostor, &access), 401), "invalid_client");
    post(&x, &access, "/v1/balances").ok();
    assert_eq!(revoke(&app, &access).status(), 200);
    post(&x, &access, "/v1/balances").refused(401, "InvalidAccessToken");
    let next = refresh(&x, &app, &family).ok();
    let (access, family) = (text(&next, "access_token"), text(&next, "refresh_token"));
    let form = [("Content-Type", "application/x-www-form-urlencoded")];
    let body = encoded(&[("token", &family)]);
    assert_eq!(x.anyone().send("POST", "/auth/revoke", &form, body.as_bytes()).status(), 200);
    post(&x, &access, "/v1/balances").refused(401, "InvalidAccessToken");
    assert_eq!(error_of(&refresh(&x, &app, &family), 400), "invalid_grant");
}

/// The metadata name the endpoints, and pages of other sites may call those of tokens.
#[test]
fn the_server_describes_itself() {
    let x = Exchange::start();
    let answer = x.get("/.well-known/oauth-authorization-server");
    let shown = answer.ok();
    let url = |path: &str| json!(format!("{}{path}", x.base_url()));
    assert_eq!((&shown["issuer"], &shown["token_endpoint"]), (&url(""), &url("/auth/token")));
    assert_eq!(shown["revocation_endpoint"], url("/auth/token/revoke"));
    assert_eq!(shown["code_challenge_methods_supported"], json!(["S256"]));
    assert_eq!(shown["scopes_supported"].as_array().unwrap().len(), 13);
    assert_eq!(shown["authorization_response_iss_parameter_supported"], json!(true));
    for path in ["/auth/token", "/auth/token/revoke", "/auth/revoke"] {
        let headers = [("Origin", "https://app.example"), ("Access-Control-Request-Method", "POST")];
        let answer = x.anyone().send("OPTIONS", path, &headers, b"");
        let open = answer.reply.header("access-control-allow-origin");
        assert_eq!((answer.status(), open), (204, Some("*")), "{answer}");
    }
}
