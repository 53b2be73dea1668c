//! Whole requests: the result of each, and its effect on nonces and limits.

use super::*;
use crate::Owner;
use crate::signature::Signer;
use buttonwood_model::{AccountId, GroupId, Nonce, Role, Roles, SessionId};
use buttonwood_vault::Secret;
use http::{HeaderName, HeaderValue};
use std::net::Ipv4Addr;

const NOW: Time = Time(1_700_000_000_000_000);
const LOCAL: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const NOON: Duration = Duration::from_hours(12);
const PATH: &str = "/v1/order/new";

#[expect(clippy::large_types_passed_by_value, reason = "it is moved once, at the start")]
fn gate_with(limits: Limits) -> Gate {
    let gate = Gate::new(HeaderNames::any(), "svc", limits);
    let key = |api_key: &str, session, owner, time_based_nonce| Key {
        api_key: api_key.to_owned(),
        session: SessionId(session),
        owner,
        roles: Roles::of(&[Role::Trader]),
        require_heartbeat: true,
        time_based_nonce,
        is_enabled: true,
        addresses: Arc::default(),
        group: None,
    };
    let keys = [
        key("account-a", 1, Owner::Account(AccountId(1)), false),
        key("account-time", 2, Owner::Account(AccountId(1)), true),
        key("master-m", 3, Owner::Group(GroupId(1)), false),
    ];
    for key in keys {
        gate.keys().insert(key, &Secret::new(b"secret".to_vec()), Nonce::default());
    }
    gate
}

fn gate() -> Gate {
    gate_with(Limits::off())
}

/// The headers of a signed request.
fn signed(api_key: &str, secret: &str, header: &str) -> HeaderMap {
    let signature = Signer::new(&Secret::new(secret.as_bytes().to_vec())).sign(header.as_bytes());
    let mut headers = HeaderMap::new();
    for (name, value) in
        [("x-svc-apikey", api_key), ("x-svc-payload", header), ("x-svc-signature", &signature)]
    {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
    }
    headers
}

fn encoded(payload: &str) -> String {
    base64_simd::STANDARD.encode_to_string(payload)
}

fn pass(gate: &Gate, headers: &HeaderMap, kind: Kind, time: Time) -> Result<Call, Refusal> {
    let peer = Ipv4Addr::LOCALHOST.into();
    gate.address(peer, Duration::ZERO)?;
    let request =
        Request { path: PATH, query: None, is_query_optional: false, headers, kind, address: LOCAL };
    gate.check(&request, Duration::ZERO, time, no_token)
}

/// No access token is known.
fn no_token(_token: &TokenHash) -> Option<Held> {
    None
}

/// One request of the plain key, as its clients send it.
fn call(gate: &Gate, payload: &str) -> Result<Call, Refusal> {
    pass(gate, &signed("account-a", "secret", &encoded(payload)), Kind::Write, NOW)
}

fn reason<T>(result: Result<T, Refusal>) -> (u16, Reason) {
    result.map(drop).map_err(|refusal| (refusal.status, refusal.reason)).expect_err("a refusal")
}

/// Blanks and order inside the JSON do not matter. Proves AUTH-004.
#[test]
fn a_signed_request_passes() {
    let gate = gate();
    for (nonce, payload) in [
        ("1", r#"{"request":"/v1/order/new","nonce":1}"#),
        ("2", "{ \"nonce\" : \"2\",\n\t\"symbol\":\"btcusd\", \"request\":\"/v1/order/new\" }"),
    ] {
        let call = call(&gate, payload).unwrap();
        assert_eq!(call.key().map(|key| &*key.api_key), Some("account-a"));
        assert_eq!(Ok(call.nonce), Nonce::parse(nonce.as_bytes()));
        assert_eq!(call.payload.as_str(), payload);
        assert_eq!(call.require(Roles::of(&[Role::Trader])), Ok(()));
        assert_eq!(reason(call.require(Roles::of(&[Role::Auditor]))), (403, Reason::MissingRole));
    }
}

/// Proves AUTH-011.
#[test]
fn an_unknown_key_is_403() {
    let gate = gate();
    let headers = signed("account-b", "secret", &encoded("{}"));
    assert_eq!(reason(pass(&gate, &headers, Kind::Read, NOW)), (403, Reason::InvalidApiKey));
    gate.keys().remove("account-a");
    let payload = r#"{"request":"/v1/order/new","nonce":1}"#;
    assert_eq!(reason(call(&gate, payload)), (403, Reason::InvalidApiKey));
}

/// A signature over the decoded JSON, with another secret, or over another payload: none of these uses the nonce.
/// Proves AUTH-005, SES-006.
#[test]
fn a_wrong_signature_is_400() {
    let gate = gate();
    let payload = r#"{"request":"/v1/order/new","nonce":1}"#;
    let header = encoded(payload);
    let mut decoded = signed("account-a", "secret", &header);
    decoded
        .insert("x-svc-signature", signed("account-a", "secret", payload).remove("x-svc-signature").unwrap());
    let mut changed = signed("account-a", "secret", &header);
    changed.insert("x-svc-payload", HeaderValue::from_str(&encoded(&payload.replace('1', "2"))).unwrap());
    let other = signed("account-a", "Secret", &header);
    for headers in [&decoded, &changed, &other] {
        assert_eq!(reason(pass(&gate, headers, Kind::Write, NOW)), (400, Reason::InvalidSignature));
    }
    assert!(call(&gate, payload).is_ok(), "none of them used the nonce");
}

/// Proves AUTH-006.
#[test]
fn a_payload_is_base64_of_a_json_object() {
    let gate = gate();
    for header in ["{}", "e30", "e31=", "e30=e30=", "_-__"] {
        let headers = signed("account-a", "secret", header);
        assert_eq!(
            reason(pass(&gate, &headers, Kind::Read, NOW)),
            (400, Reason::InvalidSignature),
            "{header}"
        );
    }
    for payload in ["", "[]", "null", "\"a\"", "{", "{}{}", "{\"nonce\":1,\"nonce\":2}"] {
        assert_eq!(reason(call(&gate, payload)), (400, Reason::InvalidJson), "{payload}");
    }
}

/// Proves AUTH-007.
#[test]
fn request_has_to_equal_the_path() {
    let gate = gate();
    let bad = [
        "/v1/order/cancel",
        "",
        "/",
        "/v1/order/new/",
        "//v1/order/new",
        "/V1/order/new",
        "/v1/order/new?a=1",
        "/v1/./order/new",
        "/v1/order/ne%77",
        " /v1/order/new",
        "v1/order/new ",
        "/v1/order/new\u{0}",
    ];
    for text in bad {
        let payload = format!("{{\"request\":{},\"nonce\":1}}", serde_like(text));
        let refusal = call(&gate, &payload).expect_err(text);
        assert_eq!((refusal.status, refusal.reason), (400, Reason::EndpointMismatch), "{text}");
        assert!(refusal.message.contains("EndpointMismatch") && refusal.message.contains(PATH));
    }
    for payload in
        [r#"{"nonce":1}"#, r#"{"request":null,"nonce":1}"#, r#"{"request":["/v1/order/new"],"nonce":1}"#]
    {
        assert_eq!(reason(call(&gate, payload)), (400, Reason::EndpointMismatch), "{payload}");
    }
    assert!(call(&gate, r#"{"request":"\/v1\/order\/new","nonce":1}"#).is_ok(), "no refusal used the nonce");
}

/// A JSON string; the only thing to escape in these tests is NUL.
fn serde_like(text: &str) -> String {
    format!("\"{}\"", text.replace('\0', "\\u0000"))
}

/// Proves AUTH-008.
#[test]
fn the_leading_slash_is_optional_and_a_documented_query_is_not() {
    let gate = gate();
    assert!(call(&gate, r#"{"request":"v1/order/new","nonce":1}"#).is_ok());
    let asked = |text: &str, is_query_optional: bool, nonce: u32| {
        let payload = format!("{{\"request\":\"{text}\",\"nonce\":{nonce}}}");
        let headers = signed("account-a", "secret", &encoded(&payload));
        let request = Request {
            path: PATH,
            query: Some("a=1&b=2"),
            is_query_optional,
            headers: &headers,
            kind: Kind::Read,
            address: LOCAL,
        };
        gate.check(&request, Duration::ZERO, NOW, no_token)
    };
    let with_query = |text: &str, nonce: u32| asked(text, false, nonce);
    for text in ["/v1/order/new", "/v1/order/new?b=2&a=1", "/v1/order/new?"] {
        assert_eq!(reason(with_query(text, 2)), (400, Reason::EndpointMismatch), "{text}");
    }
    assert!(with_query("/v1/order/new?a=1&b=2", 2).is_ok());
    assert!(with_query("v1/order/new?a=1&b=2", 3).is_ok());
    for (text, nonce) in [("/v1/order/new", 4), ("v1/order/new", 5), ("/v1/order/new?a=1&b=2", 6)] {
        assert!(asked(text, true, nonce).is_ok(), "{text}");
    }
    for text in ["/v1/order/new?", "/v1/order/new?b=2&a=1", "/v1/order"] {
        assert_eq!(reason(asked(text, true, 7)), (400, Reason::EndpointMismatch), "{text}");
    }
}

/// Proves SES-002, SES-004.
#[test]
fn a_nonce_is_used_by_success_alone() {
    let gate = gate();
    let with = |nonce: &str| call(&gate, &format!("{{\"request\":\"/v1/order/new\"{nonce}}}"));
    assert_eq!(reason(with("")), (400, Reason::MissingNonce));
    assert_eq!(reason(with(r#","nonce":"x""#)), (400, Reason::InvalidNonce));
    assert!(with(r#","nonce":5"#).is_ok());
    assert_eq!(reason(with(r#","nonce":5"#)), (400, Reason::InvalidNonce));
    assert_eq!(reason(with(r#","nonce":"4""#)), (400, Reason::InvalidNonce));
    assert!(with(r#","nonce":5.5"#).is_ok());
}

/// Each request also fails all later checks. Proves AUTH-014.
#[test]
fn the_first_failing_check_decides() {
    let limits = Limits { key: crate::Limit::per_second(1).queueing(0), ..Limits::default() };
    let gate = gate_with(limits);
    let refusal = |headers: &HeaderMap| reason(pass(&gate, headers, Kind::Read, NOW));
    let mut keyless = signed("account-b", "wrong", "not base64");
    keyless.remove("x-svc-signature");
    assert_eq!(refusal(&keyless).1, Reason::MissingSignatureHeader);
    assert_eq!(refusal(&signed("account-b", "wrong", "not base64")).1, Reason::InvalidApiKey);
    assert_eq!(refusal(&signed("account-a", "wrong", "not base64")).1, Reason::InvalidSignature);
    assert_eq!(refusal(&signed("account-a", "secret", "not base64")).1, Reason::InvalidSignature);
    // Nothing above drew on the key's limit; this does, and the next finds it empty.
    assert_eq!(refusal(&signed("account-a", "secret", &encoded("no json"))).1, Reason::InvalidJson);
    assert_eq!(refusal(&signed("account-a", "secret", &encoded("no json"))), (429, Reason::RateLimit));
    // The guard of the address comes before all of it.
    let gate = gate_with(Limits { flood: crate::Limit::per_second(1).queueing(0), ..Limits::default() });
    let refusal = |headers: &HeaderMap| reason(pass(&gate, headers, Kind::Read, NOW));
    assert_eq!(refusal(&HeaderMap::new()), (401, Reason::MissingSecurityHeaders));
    assert_eq!(refusal(&HeaderMap::new()), (429, Reason::RateLimit));
    let gate = gate_with(Limits::off());
    let refusal = |payload: &str| reason(call(&gate, payload)).1;
    assert_eq!(refusal(r#"{"request":"/","request":"/","nonce":"x"}"#), Reason::InvalidJson);
    assert_eq!(refusal(r#"{"request":"/","nonce":"x"}"#), Reason::EndpointMismatch);
    assert_eq!(refusal(r#"{"request":"/v1/order/new","nonce":"x"}"#), Reason::InvalidNonce);
}

/// The site's pages have their own bucket for each address. Pages and public requests do not draw on each other's.
/// Proves LIM-006.
#[test]
fn pages_have_their_own_bucket() {
    let peer = IpAddr::from([10, 0, 0, 1]);
    let (gate, now) = (gate_with(Limits::default()), Duration::ZERO);
    for _ in 0..100 {
        gate.page(peer, now).unwrap();
    }
    assert_eq!(gate.page(peer, now).map_err(|refusal| refusal.reason), Err(Reason::RateLimit));
    gate.page(IpAddr::from([10, 0, 0, 2]), now).unwrap();
    assert_eq!(gate.public(peer, now), Ok(Duration::ZERO));
    for _ in 0..60 {
        gate.shown(peer, now).unwrap();
    }
    assert_eq!(gate.shown(peer, now).map_err(|refusal| refusal.reason), Err(Reason::RateLimit));
    gate.shown(peer, now + Duration::from_millis(100)).unwrap();
    let gate = gate_with(Limits::off());
    (0..1_000).for_each(|_| gate.page(peer, now).and_then(|()| gate.shown(peer, now)).unwrap());
}

/// Proves SES-012, SES-013.
#[test]
fn only_what_is_authenticated_is_let_in_and_a_sign_of_life() {
    let gate = gate();
    let header = encoded("{}");
    let wrong = signed("account-a", "wrong", &header);
    assert!(pass(&gate, &wrong, Kind::Read, NOW).is_err());
    assert!(pass(&gate, &signed("account-a", "secret", &header), Kind::Read, NOW).is_err());
    let beat = signed("account-a", "secret", &encoded(r#"{"request":"/v1/order/new","nonce":1}"#));
    assert!(pass(&gate, &beat, Kind::Heartbeat, NOW).is_ok());
    // A repeated old request is no sign of life.
    assert_eq!(reason(pass(&gate, &beat, Kind::Heartbeat, NOW.plus(1))).1, Reason::InvalidNonce);
}

/// Proves SES-008.
#[test]
fn time_based_keys_may_repeat_a_nonce_but_not_a_changing_payload() {
    let gate = gate();
    let send =
        |payload: &str, kind| pass(&gate, &signed("account-time", "secret", &encoded(payload)), kind, NOW);
    let payload = r#"{"request":"/v1/order/new","nonce":1699999990}"#;
    assert!(send(payload, Kind::Read).is_ok());
    assert!(send(payload, Kind::Read).is_ok());
    assert!(send(payload, Kind::Write).is_ok());
    assert_eq!(reason(send(payload, Kind::Cancel)), (400, Reason::InvalidNonce));
    assert!(send(payload, Kind::Heartbeat).is_ok());
    assert!(send(&payload.replace(':', ": "), Kind::Write).is_ok());
    assert_eq!(reason(send(&payload.replace("99990", "99969"), Kind::Read)), (400, Reason::InvalidNonce));
}

/// 20 requests sent together; each queued one gets the time of its turn. Proves LIM-005, ERR-005.
#[test]
fn a_burst_is_served_queued_and_refused() {
    let gate = gate_with(Limits::default());
    let answers: Vec<Result<u128, u16>> = (1..=20)
        .map(|nonce| call(&gate, &format!("{{\"request\":\"/v1/order/new\",\"nonce\":{nonce}}}")))
        .map(|answer| answer.map(|call| call.wait.as_millis()).map_err(|refusal| refusal.status))
        .collect();
    let expected: Vec<Result<u128, u16>> =
        [Ok(0); 10].into_iter().chain([100, 200, 300, 400, 500].map(Ok)).chain([Err(429); 5]).collect();
    assert_eq!(answers, expected);
    let known = gate.keys().find(b"account-a").unwrap();
    assert_eq!(Some(known.last_nonce()), Nonce::parse(b"15").ok(), "a 429 uses no nonce");
}

/// Orders that a key sent before a cancel have their turns before it: no order comes alive after all were cancelled.
#[test]
fn a_cancel_does_not_overtake_what_waits() {
    let gate = gate_with(Limits::default());
    let send = |nonce: u32, kind, now| {
        let payload = format!("{{\"request\":\"/v1/order/new\",\"nonce\":{nonce}}}");
        let headers = signed("account-a", "secret", &encoded(&payload));
        let request = Request {
            path: PATH,
            query: None,
            is_query_optional: false,
            headers: &headers,
            kind,
            address: LOCAL,
        };
        gate.check(&request, Duration::from_millis(now), NOW, no_token).map(|call| call.wait.as_millis())
    };
    assert_eq!(send(1, Kind::Cancel, 0), Ok(0));
    let waits: Vec<_> = (2..14).map(|nonce| send(nonce, Kind::Write, 0)).collect();
    assert_eq!(waits[9..], [0, 100, 200].map(Ok));
    assert_eq!(send(130, Kind::Read, 0), Ok(300), "which no cancel waits for");
    assert_eq!(send(140, Kind::Heartbeat, 0), Ok(0));
    assert_eq!(send(150, Kind::Cancel, 0), Ok(205));
    assert_eq!(send(160, Kind::Cancel, 150), Ok(55));
    assert_eq!(send(170, Kind::Cancel, 200), Ok(0));
}

/// A call that was admitted before a reset of its key's nonces is overtaken by the reset.
#[test]
fn a_reset_overtakes_what_was_let_in() {
    let gate = gate();
    let send = |nonce: u32| call(&gate, &format!("{{\"request\":\"/v1/order/new\",\"nonce\":{nonce}}}"));
    let known = gate.keys().find(b"account-a").unwrap();
    let early = send(900).unwrap();
    assert!(!early.is_overtaken());
    known.overtake_calls();
    assert!(early.is_overtaken());
    assert_eq!(reason(send(1)), (400, Reason::InvalidNonce), "nothing is forgotten yet");
    let between = send(901).unwrap();
    known.reset_nonce();
    assert!(early.is_overtaken() && between.is_overtaken() && !send(1).unwrap().is_overtaken());
}

/// Proves LIM-001, LIM-006.
#[test]
fn public_requests_have_their_own_bucket() {
    let gate = gate_with(Limits::default());
    let peer = Ipv4Addr::LOCALHOST.into();
    let waits: Vec<_> =
        (0..8).map(|_| gate.public(peer, Duration::ZERO).map(|wait| wait.as_millis())).collect();
    assert_eq!(waits[..7], [0, 0, 500, 1_000, 1_500, 2_000, 2_500].map(Ok));
    let hint = "120 public calls a minute are allowed from one address, the next one in 1 second";
    assert_eq!(waits[7], Err(Refusal::rate_limit(1).and(hint)));
    let headers = signed("account-a", "secret", &encoded(r#"{"request":"/v1/order/new","nonce":1}"#));
    assert!(pass(&gate, &headers, Kind::Read, NOW).is_ok());
    assert_eq!(gate_with(Limits::off()).public(peer, Duration::ZERO), Ok(Duration::ZERO));
}

/// Lists of transfers and of addresses are limited one by one and for each account (LIM-008 to LIM-010).
#[test]
fn an_account_has_limits_of_its_own() {
    let gate = gate_with(Limits::default());
    let list =
        |limit, account, seconds| gate.account(limit, AccountId(account), Duration::from_secs(seconds));
    for (limit, pause) in [(AccountLimit::Transfers, 5), (AccountLimit::Addresses, 2)] {
        assert_eq!(list(limit, 1, 0), Ok(()));
        assert_eq!(reason(list(limit, 1, pause - 1)), (429, Reason::RateLimit));
        assert_eq!(list(limit, 2, pause - 1), Ok(()));
        assert_eq!(list(limit, 1, pause), Ok(()));
    }
    // Ten previews a second, and none waits.
    assert!([(); 10].iter().all(|()| list(AccountLimit::Previews, 1, 0).is_ok()));
    assert_eq!(reason(list(AccountLimit::Previews, 1, 0)), (429, Reason::RateLimit));
    assert_eq!(list(AccountLimit::Previews, 2, 0), Ok(()));
    assert!([(); 10].iter().all(|()| list(AccountLimit::Previews, 1, 1).is_ok()));
    let gate = gate_with(Limits::off());
    assert!([(); 3].iter().all(|()| gate.account(AccountLimit::Transfers, AccountId(1), NOON).is_ok()));
}

/// The sandbox explains a refused request by its key, which its headers name whether or not they are in order.
#[test]
fn a_request_names_its_key() {
    let gate = gate();
    let mut headers = signed("account-a", "wrong", "payload");
    let named = |headers: &HeaderMap| {
        gate.named_key(headers)
            .map(|named| (named.known.key.api_key.clone(), named.payload.map(<[u8]>::to_vec)))
    };
    assert_eq!(named(&headers), Some(("account-a".to_owned(), Some(b"payload".to_vec()))));
    headers.remove("x-svc-payload");
    assert_eq!(named(&headers), Some(("account-a".to_owned(), None)));
    headers.remove("x-svc-apikey");
    assert_eq!(named(&headers), None);
    assert_eq!(named(&signed("account-b", "secret", "payload")), None);
}

/// Behind a trusted proxy the client is the one that the proxy names, and the proxy's connections are nobody's share (Q-223).
#[test]
fn a_proxy_s_client_is_the_one_it_names() {
    let [proxy, other, client]: [IpAddr; 3] =
        ["10.0.0.1", "192.0.2.1", "198.51.100.7"].map(|text| text.parse().unwrap());
    let mut headers = HeaderMap::new();
    headers.insert("x-forwarded-for", HeaderValue::from_static("198.51.100.7"));
    let plain = gate();
    assert_eq!((plain.client(proxy, &headers), plain.sharer(proxy)), (proxy, Some(client_of(proxy))));
    let behind = gate().behind(Proxies::new(vec!["10.0.0.0/8".parse().unwrap()]));
    assert_eq!((behind.client(proxy, &headers), behind.sharer(proxy)), (client, None));
    assert_eq!((behind.client(other, &headers), behind.sharer(other)), (other, Some(client_of(other))));
}

/// A key that is disabled while its call waits for its turn is refused then. Proves AUTH-011.
#[test]
fn a_call_that_waited_is_checked_again() {
    let gate = gate();
    let mut waiting = call(&gate, r#"{"request":"/v1/order/new","nonce":1}"#).unwrap();
    assert_eq!(gate.check_again(&mut waiting, no_token), Ok(()));
    let key = waiting.key().unwrap().clone();
    gate.keys().update(Key { roles: Roles::of(&[Role::Auditor]), ..key.clone() });
    assert_eq!(gate.check_again(&mut waiting, no_token), Ok(()));
    assert_eq!(reason(waiting.require(Roles::of(&[Role::Trader]))), (403, Reason::MissingRole));
    gate.keys().update(Key { is_enabled: false, ..key });
    assert_eq!(reason(gate.check_again(&mut waiting, no_token)), (403, Reason::InvalidApiKey));
}

/// Proves ERR-013.
#[test]
fn no_payload_makes_it_panic() {
    let gate = gate();
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut draw = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % 1_000_003).unwrap() % below
    };
    let pieces = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "\\u",
        "d800",
        "\\ud800\\udc00",
        "request",
        "nonce",
        "1",
        "-",
        ".",
        "e9",
        "true",
        "null",
        " ",
        "\u{feff}",
        "é",
        "\0",
        "/v1/order/new",
    ];
    for _ in 0..20_000 {
        let payload: String = (0..draw(24)).map(|_| pieces[draw(pieces.len())]).collect();
        let _ = call(&gate, &payload);
    }
}
