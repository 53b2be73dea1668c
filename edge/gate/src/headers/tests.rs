//! Every combination of present, missing, repeated and mixed headers.

use super::*;
use http::HeaderValue;

fn map(lines: &[&str]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for line in lines {
        let (name, value) = line.split_once(": ").unwrap();
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        headers.append(name, HeaderValue::from_str(value).unwrap());
    }
    headers
}

fn names() -> HeaderNames {
    HeaderNames::new(["X-GEMINI"]).unwrap()
}

fn refused(lines: &[&str]) -> Refusal {
    names().read(&map(lines)).expect_err("the headers are refused")
}

/// Only the three headers count. Proves AUTH-001.
#[test]
fn reads_the_three_headers_under_any_prefix() {
    for prefix in ["X-SVC", "x-svc", "X-Gemini"] {
        let lines = ["Content-Type: text/plain", "X-SVC-OTHER: x"].map(str::to_owned).into_iter();
        let lines: Vec<String> = lines
            .chain(
                [("APIKEY", "k"), ("Payload", "p"), ("SIGNATURE", "s")]
                    .map(|(n, v)| format!("{prefix}-{n}: {v}")),
            )
            .collect();
        let headers = map(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        let signed = names().read(&headers).unwrap();
        assert_eq!((signed.api_key, signed.payload, signed.signature), (&b"k"[..], &b"p"[..], &b"s"[..]));
    }
}

/// Proves AUTH-010, ERR-007.
#[test]
fn none_at_all_is_401() {
    for lines in [&[][..], &["Content-Type: application/json"][..], &["Authorization: Basic eDp5"][..]] {
        let refusal = refused(lines);
        assert_eq!((refusal.status, refusal.reason), (401, Reason::MissingSecurityHeaders));
        assert!(refusal.message.contains("'X-SVC-APIKEY'"), "{}", refusal.message);
    }
}

/// Proves AUTH-009.
#[test]
fn one_missing_is_named_with_the_prefix_used() {
    for prefix in ["X-SVC", "X-GEMINI"] {
        let line = |name: &str| format!("{prefix}-{name}: v");
        let (key, payload, signature) = (line("APIKEY"), line("PAYLOAD"), line("SIGNATURE"));
        let cases = [
            ([&payload, &signature], Reason::MissingApikeyHeader, "APIKEY"),
            ([&key, &signature], Reason::MissingPayloadHeader, "PAYLOAD"),
            ([&key, &payload], Reason::MissingSignatureHeader, "SIGNATURE"),
        ];
        for (lines, reason, name) in cases {
            let refusal = refused(&lines.map(String::as_str));
            assert_eq!((refusal.status, refusal.reason), (400, reason));
            assert!(refusal.message.contains(&format!("'{prefix}-{name}'")), "{}", refusal.message);
        }
    }
}

/// Proves AUTH-012.
#[test]
fn two_ways_to_sign_in_are_ambiguous() {
    let cases: &[&[&str]] = &[
        &["Authorization: Bearer t", "X-SVC-APIKEY: k", "X-SVC-PAYLOAD: p", "X-SVC-SIGNATURE: s"],
        &["X-GEMINI-SIGNATURE: s", "Authorization: bearer t"],
        &["Authorization: Bearer t", "Authorization: Bearer t"],
        &["Authorization: Bearer t", "Authorization: Basic eDp5"],
        &["X-SVC-APIKEY: k", "X-GEMINI-APIKEY: k"],
        &["X-SVC-APIKEY: k", "X-SVC-PAYLOAD: p", "X-SVC-SIGNATURE: s", "X-GEMINI-PAYLOAD: p"],
    ];
    for lines in cases {
        let refusal = refused(lines);
        assert_eq!((refusal.status, refusal.reason), (400, Reason::AmbiguousAuthentication), "{lines:?}");
        assert!(refusal.close, "who speaks on the connection is in doubt");
    }
}

#[test]
fn a_bearer_alone_is_unknown_for_now() {
    for lines in [&["Authorization: Bearer t"][..], &["Authorization: BEARER t", "X-SVC-PAYLOAD: p"][..]] {
        let refusal = refused(lines);
        assert_eq!((refusal.status, refusal.reason), (401, Reason::InvalidAccessToken));
    }
}

#[test]
fn a_repeated_header_is_refused_and_closes() {
    for name in ["APIKEY", "PAYLOAD", "SIGNATURE"] {
        let twice = format!("X-SVC-{name}: v");
        let refusal = refused(&["X-SVC-APIKEY: k", "X-SVC-PAYLOAD: p", "X-SVC-SIGNATURE: s", &twice]);
        assert_eq!((refusal.status, refusal.reason), (400, Reason::InvalidSignature));
        assert!(refusal.close && refusal.message.contains(&format!("'X-SVC-{name}'")), "{}", refusal.message);
    }
}

#[test]
fn the_payload_header_is_bounded() {
    let with = |length: usize| {
        let payload = format!("X-SVC-PAYLOAD: {}", "A".repeat(length));
        names()
            .read(&map(&["X-SVC-APIKEY: k", &payload, "X-SVC-SIGNATURE: s"]))
            .map(|signed| signed.payload.len())
    };
    assert_eq!(with(PAYLOAD_MAX), Ok(PAYLOAD_MAX));
    assert_eq!(with(PAYLOAD_MAX + 1).unwrap_err().status, 400);
}

#[test]
fn prefixes_are_checked_when_configured() {
    for bad in ["", "X GEMINI", "X-GEMINI-", "X:", "É"] {
        assert_eq!(HeaderNames::new([bad]).unwrap_err(), BadPrefix(bad.to_owned()));
    }
    assert_eq!(HeaderNames::new(["x-svc", "X-GEMINI", "x-gemini"]).unwrap().prefixes.len(), 2);
}
