//! Calls with access tokens and of browsers.

use super::*;
use crate::{Admit, Call, Gate, HeaderNames, Key, Kind, Limit, Payload, Request};
use buttonwood_model::{Role, Scope, Time};
use buttonwood_vault::Secret;
use http::{HeaderMap, HeaderName, HeaderValue};
use std::net::{IpAddr, Ipv4Addr};

const LIVE: &str = "abcdefghijklmnopqrstuvwxyz-ABCDEFGHIJ_01234";
const PATH: &str = "/v1/order/new";
const PAYLOAD: &str = r#"{"request":"/v1/order/new","nonce":"what"}"#;
const ACCOUNT: Owner = Owner::Account(AccountId(1));

fn token() -> Held {
    Held {
        session: SessionId::held(3),
        owner: ACCOUNT,
        roles: Roles::of(&[Role::Trader]),
        group: Some(GroupId(1)),
        chosen: None,
        kind: HeldKind::Token {
            scopes: Scopes::of(&[Scope::OrdersCreate]),
            number: 7,
            client: "an-app".into(),
        },
    }
}

fn browser() -> Held {
    Held {
        session: SessionId::held(4),
        owner: Owner::Group(GroupId(1)),
        roles: Roles::of(&[Role::Trader]),
        group: Some(GroupId(1)),
        chosen: Some(AccountId(2)),
        kind: HeldKind::Browser,
    }
}

/// The only token that is alive.
fn find(token_hash: &TokenHash) -> Option<Held> {
    (*token_hash == <TokenHash>::from(Sha256::digest(LIVE))).then(token)
}

#[expect(clippy::large_types_passed_by_value, reason = "it is moved once, at the start")]
fn gate(limits: Limits) -> Gate {
    Gate::new(HeaderNames::any(), "svc", limits)
}

fn headers(lines: &[(&'static str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in lines {
        headers.append(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
    }
    headers
}

fn encoded(payload: &str) -> String {
    base64_simd::STANDARD.encode_to_string(payload)
}

fn send(gate: &Gate, headers: &HeaderMap, kind: Kind, now: Duration) -> Result<Call, Refusal> {
    let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let request = Request { path: PATH, query: None, is_query_optional: false, headers, kind, address };
    gate.check(&request, now, Time(1_700_000_000_000_000), find)
}

/// A call with the live token and this payload.
fn call(gate: &Gate, payload: &str) -> Result<Call, Refusal> {
    let (token, payload) = (format!("Bearer {LIVE}"), encoded(payload));
    let headers = headers(&[("authorization", &token), ("x-svc-payload", &payload)]);
    send(gate, &headers, Kind::Write, Duration::ZERO)
}

fn reason<T>(result: Result<T, Refusal>) -> (u16, Reason) {
    result.map(drop).map_err(|refusal| (refusal.status, refusal.reason)).expect_err("a refusal")
}

/// Neither a key nor a signature nor a nonce is needed, and a nonce of any kind is ignored, as often as it is sent.
/// Proves OAUTH-020.
#[test]
fn a_token_needs_a_payload_alone() {
    let gate = gate(Limits::off());
    for payload in
        [PAYLOAD, PAYLOAD, r#"{"request":"v1/order/new"}"#, r#"{"request":"/v1/order/new","nonce":1}"#]
    {
        let call = call(&gate, payload).unwrap();
        assert!(call.is_token() && call.key().is_none() && !call.is_overtaken());
        assert_eq!(
            (call.session(), call.owner(), call.nonce),
            (SessionId::held(3), ACCOUNT, Nonce::number(7))
        );
        assert_eq!(call.payload.as_str(), payload);
    }
}

/// Proves OAUTH-022 (part).
#[test]
fn a_token_that_is_not_alive_is_401() {
    let gate = gate(Limits::off());
    let payload = encoded(PAYLOAD);
    let (dead, short, long) = (LIVE.replace('4', "5"), &LIVE[1..], format!("{LIVE}a"));
    let padded = format!("{}=", &LIVE[1..]);
    for text in ["", "t", &dead, short, &long, &padded, &format!("{LIVE} {LIVE}"), "a.b-c_d"] {
        let token = format!("Bearer {text}");
        for lines in [
            &[("authorization", token.as_str()), ("x-svc-payload", &payload)][..],
            &[("authorization", token.as_str())],
            &[("authorization", token.as_str()), ("x-svc-payload", "no Base64")],
        ] {
            let refused = send(&gate, &headers(lines), Kind::Read, Duration::ZERO);
            assert_eq!(reason(refused), (401, Reason::InvalidAccessToken), "{lines:?}");
        }
    }
}

/// Payload and path are checked as those of keys. Proves OAUTH-021.
#[test]
fn the_payload_of_a_token_is_checked() {
    let gate = gate(Limits::off());
    let token = format!("bEARER {LIVE}");
    let with = |payload: &str| {
        let headers = headers(&[("authorization", &token), ("x-own-payload", payload)]);
        reason(send(&gate, &headers, Kind::Read, Duration::ZERO))
    };
    assert_eq!(with("no Base64"), (400, Reason::InvalidSignature));
    assert_eq!(with(&encoded("[]")), (400, Reason::InvalidJson));
    assert_eq!(with(&encoded("{}")), (400, Reason::EndpointMismatch));
    assert_eq!(with(&encoded(r#"{"request":"/v1/order/cancel"}"#)), (400, Reason::EndpointMismatch));
    let alone = headers(&[("authorization", &token)]);
    let refused = send(&gate, &alone, Kind::Read, Duration::ZERO);
    assert_eq!(reason(refused), (400, Reason::MissingPayloadHeader));
}

/// A session has its own bucket, and its account's bucket is that of the account's keys too. Proves LIM-002.
#[test]
fn a_grant_has_its_own_rate() {
    let limits = Limits { account: Limit::per_second(12), ..Limits::default() };
    let served = |gate: &Gate| {
        let waits = (0..20).map(|_| call(gate, PAYLOAD).map(|call| call.wait.as_millis()));
        (waits.clone().filter(|wait| *wait == Ok(0)).count(), waits.flatten().count())
    };
    let alone = gate(limits);
    assert_eq!(served(&alone).0, 10);
    let shared = gate(limits);
    let key = Key {
        api_key: "account-a".to_owned(),
        session: SessionId(1),
        owner: ACCOUNT,
        roles: Roles::NONE,
        require_heartbeat: false,
        time_based_nonce: false,
        is_enabled: true,
        addresses: Arc::default(),
        group: None,
    };
    shared.keys().insert(key, &Secret::new(Vec::new()), Nonce::default());
    let known = shared.keys().find(b"account-a").unwrap();
    assert!((0..10).all(|_| known.allowance.take(Duration::ZERO, false) == Admit::Now));
    assert_eq!(served(&shared).0, 2, "what the key left of its account's bucket");
    let refused = call(&alone, PAYLOAD).unwrap_err();
    assert_eq!((refused.reason, refused.retry_after), (Reason::RateLimit, Some(1)));
}

/// Sessions that no longer call are forgotten, and those with a call under way are not.
#[test]
fn idle_sessions_are_forgotten() {
    let allowances = HeldAllowances::new(Limits::default());
    let bucket = Arc::new(Bucket::new(Limits::default().account));
    let of = |number: u32, now| allowances.of(SessionId::held(number), || Arc::clone(&bucket), now);
    let under_way = of(0, Duration::ZERO);
    for number in 1..1024 {
        let _ = of(number, Duration::ZERO).take(Duration::ZERO, false);
    }
    assert_eq!(allowances.len(), 1024);
    drop(of(2_000, Duration::from_millis(1)));
    assert_eq!(allowances.len(), 1025, "their buckets are not full yet");
    for number in 2_001..4_000 {
        drop(of(number, Duration::from_secs(10)));
    }
    assert!(allowances.len() < 1_100, "{}", allowances.len());
    assert!(Arc::ptr_eq(&under_way, &of(0, Duration::from_secs(20))));
}

/// A token that died while its call waited is refused, and roles and scopes are those of that moment.
/// Proves OAUTH-022 (part).
#[test]
fn a_token_that_waited_is_looked_up_again() {
    let gate = gate(Limits::off());
    let mut waiting = call(&gate, PAYLOAD).unwrap();
    let narrower = HeldKind::Token { scopes: Scopes::NONE, number: 7, client: "an-app".into() };
    let now = Held { roles: Roles::NONE, kind: narrower, ..token() };
    assert_eq!(gate.check_again(&mut waiting, |_| Some(now)), Ok(()));
    let needed = Roles::of(&[Role::Trader]);
    let refused = waiting.require(needed).unwrap_err();
    assert!(
        refused.message.ends_with("the access token of app an-app currently has the roles []"),
        "{refused:?}"
    );
    assert_eq!(reason(waiting.require_scope(Scopes::ALL)), (403, Reason::MissingRole));
    assert_eq!(reason(gate.check_again(&mut waiting, |_| None)), (401, Reason::InvalidAccessToken));
}

/// Proves OAUTH-025, OAUTH-026, OAUTH-040 (in part).
#[test]
fn callers_have_the_rights_of_their_kind() {
    let gate = gate(Limits::off());
    let token = call(&gate, PAYLOAD).unwrap();
    let payload = Payload::read(PAYLOAD.into()).unwrap();
    let page = gate.admit_held(browser(), Kind::Write, payload, Duration::ZERO).unwrap();
    let orders = Scopes::of(&[Scope::OrdersCreate, Scope::OrdersRead]);
    assert_eq!(token.require_scope(orders), Ok(()));
    assert_eq!(reason(token.require_scope(Scopes::of(&[Scope::OrdersRead]))), (403, Reason::MissingRole));
    assert_eq!(reason(token.require_scope(Scopes::NONE)), (403, Reason::MissingRole));
    assert_eq!((page.require_scope(Scopes::NONE), token.require_token()), (Ok(()), Ok(())));
    assert_eq!(reason(page.require_token()), (403, Reason::MissingRole));
    let trader = Roles::of(&[Role::Trader]);
    assert_eq!(page.require_master(trader), Ok(()));
    let refused = token.require_master(trader).unwrap_err();
    assert!(refused.message.ends_with("; an access token may not call it"), "{refused:?}");
    let refused = page.require(Roles::of(&[Role::Administrator])).unwrap_err();
    assert!(refused.message.ends_with("and your user currently has the roles [Trader]"), "{refused:?}");
    assert_eq!((page.chosen(), token.chosen(), page.nonce), (Some(AccountId(2)), None, Nonce::default()));
}
