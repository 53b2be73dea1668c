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
    HeaderNames::named(["X-GEMINI"]).unwrap()
}

fn refused(lines: &[&str]) -> Refusal {
    names().read(&map(lines)).expect_err("the headers are refused")
}

/// The headers of a signed request.
fn signed<'a>(names: &HeaderNames, headers: &'a HeaderMap) -> Result<Signed<'a>, Refusal> {
    match names.read(headers)? {
        Sent::Signed(signed) => Ok(signed),
        Sent::Bearer(bearer) => panic!("{bearer:?}"),
    }
}

/// Without configured names a request chooses its own prefix, and messages name it.
#[test]
fn any_prefix_is_read() {
    let read = |lines: &[&str]| {
        signed(&HeaderNames::any(), &map(lines))
            .map(|signed| signed.api_key.to_vec())
            .map_err(|refusal| (refusal.reason, refusal.message))
    };
    for prefix in ["X-SVC", "x-own", "X-Two-Words", "X-0"] {
        let lines = ["Apikey: k", "PAYLOAD: p", "signature: s"].map(|line| format!("{prefix}-{line}"));
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert_eq!(read(&lines), Ok(b"k".to_vec()), "{prefix}");
        let (reason, message) = read(&lines[..2]).unwrap_err();
        let missing = format!("'{}-SIGNATURE'", prefix.to_ascii_uppercase());
        assert!(reason == Reason::MissingSignatureHeader && message.contains(&missing), "{message}");
    }
    // Names that only resemble the three, or begin otherwise, are no authentication headers.
    for lines in [
        &["X-APIKEY: k", "X-PAYLOAD: p", "X-SIGNATURE: s"][..],
        &["X--APIKEY: k", "APIKEY: k", "X-SVC-APIKEYS: k", "X-SVCAPIKEY: k", "X-SVC-SIGNATURE-2: s"],
        &["SVC-APIKEY: k", "SVC-PAYLOAD: p", "SVC-SIGNATURE: s"],
    ] {
        assert_eq!(read(lines).unwrap_err().0, Reason::MissingSecurityHeaders, "{lines:?}");
    }
    assert!(read(&["SVC-APIKEY: k"]).unwrap_err().1.ends_with("--header-prefix SVC"));
    let lines = ["X-ONE-APIKEY: k", "X-ONE-PAYLOAD: p", "X-ONE-SIGNATURE: s", "X-TWO-SIGNATURE: s"];
    let (reason, message) = read(&lines).unwrap_err();
    assert_eq!(reason, Reason::AmbiguousAuthentication);
    assert!(message.contains("'X-ONE'") && message.contains("'X-TWO'"), "{message}");
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
        let signed = signed(&names(), &headers).unwrap();
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

/// The scheme may be in any letter case. Proves OAUTH-021 (part).
#[test]
fn a_bearer_has_a_token_and_needs_a_payload() {
    let read = |lines: &[&str]| {
        let headers = map(lines);
        let Ok(Sent::Bearer(bearer)) = names().read(&headers) else { panic!("{lines:?}") };
        let payload = bearer.payload().map(<[u8]>::to_vec).map_err(|refusal| refusal.message);
        (String::from_utf8(bearer.token.to_vec()).unwrap(), payload)
    };
    let none = |prefix: &str| Err(format!("Must provide '{prefix}-PAYLOAD' header"));
    assert_eq!(read(&["Authorization: Bearer t"]), ("t".to_owned(), none("X-SVC")));
    for scheme in ["Bearer", "BEARER", "bearer"] {
        let line = format!("Authorization: {scheme} a.b");
        assert_eq!(read(&[&line, "X-GEMINI-PAYLOAD: p"]), ("a.b".to_owned(), Ok(b"p".to_vec())));
    }
    assert_eq!(read(&["Authorization: Bearer", "X-SVC-PAYLOAD: p"]).0, "");
    assert_eq!(read(&["Authorization: Bearer   t u"]).0, "t u");
    let long = format!("X-SVC-PAYLOAD: {}", "A".repeat(PAYLOAD_MAX + 1));
    assert!(read(&["Authorization: Bearer t", &long]).1.unwrap_err().starts_with("InvalidSignature: "));
    assert_eq!(refused(&["Authorization: Bearers t"]).reason, Reason::MissingSecurityHeaders);
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
        signed(&names(), &map(&["X-SVC-APIKEY: k", &payload, "X-SVC-SIGNATURE: s"]))
            .map(|signed| signed.payload.len())
    };
    assert_eq!(with(PAYLOAD_MAX), Ok(PAYLOAD_MAX));
    assert_eq!(with(PAYLOAD_MAX + 1).unwrap_err().status, 400);
}

#[test]
fn prefixes_are_checked_when_configured() {
    for bad in ["", "X GEMINI", "X-GEMINI-", "X:", "É"] {
        assert_eq!(HeaderNames::named([bad]).unwrap_err(), BadPrefix(bad.to_owned()));
    }
    assert_eq!(HeaderNames::named(["x-svc", "X-GEMINI", "x-gemini"]).unwrap(), names());
}
