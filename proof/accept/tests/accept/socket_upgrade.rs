//! Handshakes of sockets: the reply to each kind of request, credentials, limits, and the ends that the exchange decides.

use crate::oauth::{base64, grant, text};
use buttonwood_accept::{
    Exchange, Socket, SocketError, Value, json,
    raw::{self, Raw},
    wait_until,
};
use std::io::Write;
use std::net::TcpListener;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(10);
/// The fields of a proper handshake.
const UPGRADE: &str = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                       Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
/// A target of each stream but the newest socket.
const PATHS: [&str; 4] =
    ["/v1/order/events", "/v1/marketdata/btcusd", "/v1/multimarketdata?symbols=BTCUSD", "/v2/marketdata"];

/// The answer to a request without a body. An opened socket ends at once.
fn ask(x: &Exchange, line: &str, fields: &str) -> Raw {
    let request = format!("{line} HTTP/1.1\r\nHost: {}\r\n{fields}\r\n", x.address());
    raw::send_and_finish(x, request.as_bytes(), PATIENCE)
}

/// Status and reason of an answer that must be a refusal in JSON, and its whole text.
#[track_caller]
fn refusal(answer: &Raw) -> (u16, String, String) {
    answer.worded().unwrap_or_else(|why| panic!("{why}: {}", answer.text()));
    let whole = answer.text();
    let (_, body) = whole.split_once("\r\n\r\n").expect("a body");
    let body: Value = serde_json::from_str(body).expect("JSON");
    (answer.status().expect("a status"), text(&body, "reason"), whole)
}

/// Header fields as lines.
fn lines(fields: &[(String, String)]) -> String {
    fields.iter().map(|(name, value)| [name, ": ", value, "\r\n"].concat()).collect()
}

/// The reply to every kind of request for the path of a stream.
#[test]
fn each_request_has_its_reply() {
    let x = Exchange::start();
    for path in PATHS {
        for fields in [
            "",
            "Upgrade: h2c\r\nConnection: Upgrade\r\n",
            "Upgrade: websocket\r\n",
            &UPGRADE.replace("13", "8"),
            &UPGRADE.replace("Sec-WebSocket-Version: 13\r\n", ""),
        ] {
            let (status, reason, whole) = refusal(&ask(&x, &format!("GET {path}"), fields));
            assert_eq!((status, reason.as_str()), (426, "UpgradeRequired"), "{path} {fields}: {whole}");
            let head = whole.to_ascii_lowercase();
            assert!(head.contains("\r\nsec-websocket-version: 13\r\n"), "{whole}");
            assert!(head.contains("\r\nupgrade: websocket\r\n"), "{whole}");
        }
        for fields in ["", UPGRADE] {
            let (status, _, whole) = refusal(&ask(&x, &format!("POST {path}"), fields));
            assert_eq!(status, 405, "{path}: {whole}");
        }
        let no_key = UPGRADE.replace("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", "");
        for fields in
            [no_key, UPGRADE.replace("dGhlIHNhbXBsZSBub25jZQ==", "dGhl"), format!("{UPGRADE}{UPGRADE}")]
        {
            let (status, _, whole) = refusal(&ask(&x, &format!("GET {path}"), &fields));
            assert_eq!(status, 400, "{path} {fields}: {whole}");
        }
    }
    let page = x.get("/");
    assert_eq!(page.status(), 200);
    assert!(page.reply.text().contains("<html"), "{page}");
    assert_eq!(refusal(&ask(&x, "GET /", &UPGRADE.replace("13", "8"))).0, 426);
    assert_eq!(ask(&x, "POST /", UPGRADE).status(), Some(405));
    for path in
        ["/v1/nowhere", "/v3/marketdata", "/v1/marketdata", "/v1/marketdata/btcusd/x", "/v2/marketdata//"]
    {
        let (status, reason, whole) = refusal(&ask(&x, &format!("GET {path}"), UPGRADE));
        assert_eq!((status, reason.as_str()), (404, "EndpointNotFound"), "{path}: {whole}");
    }
    x.get("/v1/symbols").ok();
}

/// A trailing slash and any case of a symbol are taken, no extension is negotiated, and an origin is no matter. Proves EVT-016.
#[test]
fn paths_and_symbols_are_taken_in_any_form() {
    let x = Exchange::start();
    for path in [
        "/v1/marketdata/btcusd",
        "/v1/marketdata/BTCUSD/",
        "/v1/marketdata/BtcUsd?heartbeat=true",
        "/v1/multimarketdata?symbols=btcusd,EthUsd",
        "/v1/multimarketdata/?symbols=BTCUSD",
        "/v2/marketdata/",
        "/v2/marketdata",
        "/",
        "/?snapshot=-1",
    ] {
        x.socket(path).close();
        let more = format!(
            "{UPGRADE}Origin: https://elsewhere.test\r\nCookie: session=x\r\n\
             Sec-WebSocket-Extensions: permessage-deflate\r\nSec-WebSocket-Protocol: chat\r\n"
        );
        let answer = ask(&x, &format!("GET {path}"), &more);
        assert_eq!(answer.status(), Some(101), "{path}: {}", answer.text());
        let head = answer.text().to_ascii_lowercase();
        assert!(head.contains("\r\nsec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo=\r\n"), "{head}");
        assert!(!head.contains("extensions") && !head.contains("protocol:"), "{head}");
    }
    for symbol in ["zzzusd", "btc", "%62tcusd"] {
        let (status, reason, whole) = refusal(&ask(&x, &format!("GET /v1/marketdata/{symbol}"), UPGRADE));
        assert_eq!((status, reason.as_str()), (400, "InvalidSymbol"), "{whole}");
    }
    let trader = x.as_("trader");
    let signed = trader.sign(trader.payload("/v1/order/events", json!({})).as_bytes());
    let answer = ask(&x, "GET /v1/order/events/", &format!("{UPGRADE}{}", lines(&signed.headers())));
    assert_eq!(answer.status(), Some(101), "{}", answer.text());
}

/// A parameter of the query that cannot be read is refused by its name, and `null` is the parameter left out (D-169).
#[test]
fn parameters_are_read() {
    let x = Exchange::start();
    for (path, name) in [
        ("/v1/marketdata/btcusd?heartbeat=maybe", "heartbeat"),
        ("/v1/marketdata/btcusd?top_of_book=yes", "top_of_book"),
        ("/v1/marketdata/btcusd?bids=", "bids"),
        ("/v1/marketdata/btcusd?offers=no", "offers"),
        ("/v1/multimarketdata?symbols=BTCUSD&trades=x", "trades"),
        ("/v1/multimarketdata?symbols=BTCUSD&auctions=x", "auctions"),
        ("/v2/marketdata?sequence=2", "sequence"),
        ("/?snapshot=all", "snapshot"),
        ("/?snapshot=", "snapshot"),
        ("/?snapshot=1.5", "snapshot"),
        ("/?snapshot=99999999999999999999", "snapshot"),
        ("/?cancelOnDisconnect=yes", "cancelOnDisconnect"),
        ("/?ordersAfter=x", "ordersAfter"),
        ("/?ordersAfter=-1", "ordersAfter"),
    ] {
        let (status, _, whole) = refusal(&ask(&x, &format!("GET {path}"), UPGRADE));
        assert_eq!(status, 400, "{path}: {whole}");
        assert!(whole.contains(&format!("'{name}'")), "{path}: {whole}");
    }
    for (query, name) in
        [("?eventTypeFilter=none", "eventTypeFilter"), ("?heartbeat=yes", "heartbeat"), ("?after=x", "after")]
    {
        let refused = x.try_order_events(&x.as_("trader"), query, json!({}));
        let Err(SocketError::Refused { status: 400, body }) = refused else { panic!("{query}: {refused:?}") };
        assert!(body.contains(&format!("'{name}'")), "{body}");
    }
    for path in ["/?snapshot=null&ordersAfter=null", "/v1/marketdata/btcusd?heartbeat=null"] {
        x.socket(path).close();
    }
}

/// The header fields of a private call with a fault, for a path.
type Fault = fn(&Exchange, &str) -> Vec<(String, String)>;

fn signed(x: &Exchange, key: &str, payload: &str) -> Vec<(String, String)> {
    x.as_(key).sign(payload.as_bytes()).headers()
}

fn good(x: &Exchange, path: &str) -> Vec<(String, String)> {
    let trader = x.as_("trader");
    signed(x, "trader", &trader.payload(path, json!({})))
}

/// The good fields with one replaced, or left out.
fn with(x: &Exchange, path: &str, name: &str, value: Option<&str>) -> Vec<(String, String)> {
    let mut fields = good(x, path);
    match value {
        Some(value) => {
            fields
                .iter_mut()
                .filter(|field| field.0 == name)
                .for_each(|field| value.clone_into(&mut field.1));
        }
        None => fields.retain(|field| field.0 != name),
    }
    fields
}

const FAULTS: [(&str, Fault); 13] = [
    ("no credentials", |_, _| Vec::new()),
    ("no key", |x, path| with(x, path, "X-SVC-APIKEY", None)),
    ("no payload", |x, path| with(x, path, "X-SVC-PAYLOAD", None)),
    ("no signature", |x, path| with(x, path, "X-SVC-SIGNATURE", None)),
    ("a wrong signature", |x, path| with(x, path, "X-SVC-SIGNATURE", Some(&"ab".repeat(48)))),
    ("an unknown key", |x, path| with(x, path, "X-SVC-APIKEY", Some("account-none"))),
    ("a payload that is no JSON", |x, _| signed(x, "trader", "{")),
    ("the payload of another path", |x, _| {
        let trader = x.as_("trader");
        signed(x, "trader", &trader.payload("/v1/balances", json!({})))
    }),
    ("no nonce", |x, path| signed(x, "trader", &json!({ "request": path }).to_string())),
    ("a used nonce", |x, path| {
        x.as_("second-session").call("/v1/orders", json!({})).ok();
        signed(x, "second-session", &json!({ "request": path, "nonce": 1 }).to_string())
    }),
    ("a key without the role", |x, path| {
        let key = x.as_("fund-manager");
        signed(x, "fund-manager", &key.payload(path, json!({})))
    }),
    ("an account of the group, for a key of one account", |x, path| {
        let key = x.as_("trader");
        signed(x, "trader", &key.payload(path, json!({ "account": "savings" })))
    }),
    ("an account that does not exist", |x, path| {
        let key = x.as_("master");
        signed(x, "master", &key.payload(path, json!({ "account": "none" })))
    }),
];

/// Bad credentials are refused as those of a signed POST with the same fault are, by status and reason. Proves EVT-002.
#[test]
fn order_events_refuse_as_posts_do() {
    let x = Exchange::start();
    for (fault, fields) in FAULTS {
        // The roles of this call are those of the stream.
        let of_post = fields(&x, "/v1/orders");
        let of_post: Vec<(&str, &str)> =
            of_post.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let posted = x.anyone().send("POST", "/v1/orders", &of_post, b"");
        let expected = (posted.status(), posted.error().reason);
        let answer =
            ask(&x, "GET /v1/order/events", &format!("{UPGRADE}{}", lines(&fields(&x, "/v1/order/events"))));
        let (status, reason, whole) = refusal(&answer);
        assert_eq!((status, reason), expected, "{fault}: {whole}");
        assert!(status >= 400, "{fault}");
    }
    // The nonce of a handshake is used as that of a call is.
    let trader = x.as_("trader");
    let signed = trader.sign(trader.payload("/v1/order/events", json!({})).as_bytes());
    let again = || ask(&x, "GET /v1/order/events", &format!("{UPGRADE}{}", lines(&signed.headers())));
    assert_eq!(again().status(), Some(101));
    assert_eq!(refusal(&again()).1, "InvalidNonce");
}

/// The fields of a handshake of the newest socket.
fn handshake(x: &Exchange, key: &str, nonce: &str, payload: &str) -> String {
    let signed = x.as_(key).sign(payload.as_bytes());
    format!("{UPGRADE}{}X-SVC-NONCE: {nonce}\r\n", lines(&signed.headers()))
}

/// Every bad credential of the newest socket is 401; a key and a nonce open one connection (D-145). Proves EVT-024.
#[test]
fn the_newest_socket_refuses_with_401() {
    let x = Exchange::start();
    x.advance(600);
    let now = x.now_ms() / 1_000;
    let at = |seconds: u64| seconds.to_string();
    let plain = |key: &str, nonce: String| handshake(&x, key, &nonce, &nonce);
    let wrong = {
        let good = x.as_("time-nonce").sign(at(now).as_bytes()).signature;
        plain("time-nonce", at(now)).replace(&good, &"ab".repeat(48))
    };
    let unknown =
        plain("time-nonce", at(now)).replace(&x.key("time-nonce").credentials.api_key, "account-none");
    let without_nonce = plain("time-nonce", at(now)).replace(&format!("X-SVC-NONCE: {now}\r\n"), "");
    for (fault, fields) in [
        ("a key whose nonces only rise", plain("trader", at(now))),
        ("a master key", plain("master", at(now))),
        ("a wrong signature", wrong),
        ("an unknown key", unknown),
        ("a payload that is not the nonce", handshake(&x, "time-nonce", &at(now), &at(now + 1))),
        ("a nonce 31 s ago", plain("time-nonce", at(now - 31))),
        ("a nonce in 31 s", plain("time-nonce", at(now + 31))),
        ("milliseconds", plain("time-nonce", x.now_ms().to_string())),
        ("no number", plain("time-nonce", "abc".to_owned())),
        ("a fraction", plain("time-nonce", format!("{now}.5"))),
        ("a sign", plain("time-nonce", format!("+{now}"))),
        ("no nonce", without_nonce),
        ("a token that is none", format!("{UPGRADE}Authorization: Bearer none\r\n")),
    ] {
        let (status, _, whole) = refusal(&ask(&x, "GET /", &fields));
        assert_eq!(status, 401, "{fault}: {whole}");
    }
    for nonce in [at(now + 31), x.now_ms().to_string(), "abc".to_owned(), format!("{now}.5")] {
        let (_, _, whole) = refusal(&ask(&x, "GET /", &plain("time-nonce", nonce.clone())));
        assert!(whole.contains(&format!(": {nonce}\"")), "the refusal quotes the nonce: {whole}");
    }
    for nonce in [now - 30, now, now + 30] {
        assert_eq!(ask(&x, "GET /", &plain("time-nonce", at(nonce))).status(), Some(101), "{nonce}");
        let (status, _, whole) = refusal(&ask(&x, "GET /", &plain("time-nonce", at(nonce))));
        assert_eq!(status, 401, "a repeated handshake: {whole}");
        assert_eq!(ask(&x, "GET /", &plain("socket-000", at(nonce))).status(), Some(101), "another key");
    }
}

/// A token opens private sockets of its account; they close when it ends. Proves EVT-024.
#[test]
fn a_token_opens_sockets_until_its_end() {
    let x = Exchange::start();
    let token = |scopes: &[&str]| text(&grant(&x, "app", "owner@one.test", scopes), "access_token");
    let open = |token: &str, path: &str| {
        let bearer = format!("Bearer {token}");
        let payload = base64(json!({ "request": "/v1/order/events" }).to_string().as_bytes());
        x.try_socket_with(path, &[("Authorization", &bearer), ("X-SVC-PAYLOAD", &payload)])
    };
    let both = token(&["orders:read", "orders:create"]);
    let mut fast = open(&both, "/").expect("a token opens the newest socket");
    fast.ok("subscribe", json!(["orders@account"]));
    let mut events = open(&both, "/v1/order/events").expect("a token opens the events");
    assert_eq!(events.next()["type"], "subscription_ack");
    assert_eq!(events.next(), json!([]));
    let order = x.as_("trader").limit("btcusd", "buy", "1", "100");
    assert_eq!(fast.next()["i"].to_string(), order["order_id"].as_str().unwrap());
    assert_eq!(events.next_event()[0]["order_id"], order["order_id"]);

    let reader = token(&["orders:read"]);
    let mut reads = open(&reader, "/").expect("the scope is looked at with each call");
    let cancel = json!({ "orderId": order["order_id"] });
    assert!(reads.refused("order.cancel", cancel, 403, -1002).contains("orders:create"));
    assert!(reads.refused("subscribe", json!(["balances@account"]), 403, -1002).contains("balances:read"));
    let other = token(&["balances:read"]);
    let refused = open(&other, "/v1/order/events");
    let Err(SocketError::Refused { status: 403, body }) = refused else { panic!("{refused:?}") };
    assert!(body.contains("orders:read"), "{body}");

    let mut balances = open(&other, "/").expect("a token opens the newest socket");
    assert!(balances.refused("subscribe", json!(["orders@account"]), 403, -1002).contains("orders:read"));
    balances.ok("subscribe", json!(["balances@account"]));
    x.advance(86_400);
    for (name, socket) in [("fast", &mut fast), ("events", &mut events), ("reads", &mut reads)] {
        assert_eq!(socket.close_code(), Some(1008), "{name}");
    }
    assert_eq!(balances.close_code(), Some(1008));
}

/// A disabled key loses its sockets, and no other key does.
#[test]
fn a_disabled_key_loses_its_sockets() {
    let x = Exchange::start();
    let mut events = x.order_events(&x.as_("second-session"), "");
    let mut fast = x.fast("time-nonce", "/");
    let mut others = [x.order_events(&x.as_("trader"), ""), x.fast("socket-000", "/")];
    for key in ["second-session", "time-nonce"] {
        x.control("/sandbox/keys/disable", &json!({ "api_key": x.key(key).credentials.api_key })).ok();
    }
    assert_eq!(events.close_code(), Some(1008));
    assert_eq!(fast.close_code(), Some(1008));
    assert_eq!(others[0].next()["type"], "subscription_ack");
    others[1].ok("ping", Value::Null);
    // Nor does it get new ones.
    let refused = x.try_fast("time-nonce", "/", x.next_handshake());
    assert!(matches!(refused, Err(SocketError::Refused { status: 401, .. })), "{refused:?}");
}

/// All sockets are told that the exchange stops.
#[test]
fn a_stop_closes_with_1001() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let mut open = [
        x.socket("/v1/marketdata/btcusd"),
        x.socket("/v1/multimarketdata?symbols=BTCUSD"),
        x.socket("/v2/marketdata"),
        x.socket("/"),
        x.fast("time-nonce", "/?cancelOnDisconnect=true"),
        x.order_events(&trader, ""),
    ];
    wait_until("all are listed", || x.get("/sandbox/streams").ok()["streams"].as_array().unwrap().len() == 6);
    x.stop();
    for socket in &mut open {
        assert_eq!(socket.close_code(), Some(1001));
    }
}

/// An address opens 300 sockets at most, in five minutes too; a key has 64 open.
#[test]
fn sockets_are_limited() {
    let x = Exchange::builder().flag("--rate-limits", "on").start();
    let request = format!("GET /v2/marketdata HTTP/1.1\r\nHost: {}\r\n{UPGRADE}\r\n", x.address());
    let open = |last: u8| {
        let mut stream = raw::connect_from(&x, [127, 0, 0, last]);
        stream.write_all(request.as_bytes()).unwrap();
        stream
    };
    let crowd: Vec<_> = (0..300).map(|_| open(9)).collect();
    wait_until("all are open", || x.get("/sandbox/streams").ok()["streams"].as_array().unwrap().len() == 300);
    let answer = raw::receive(open(9), Duration::from_secs(2));
    let (status, reason, whole) = refusal(&answer);
    assert_eq!((status, reason.as_str()), (429, "RateLimit"), "{whole}");
    assert!(whole.to_ascii_lowercase().contains("\r\nretry-after: "), "{whole}");
    drop(crowd);
    // Others are served meanwhile.
    assert_eq!(raw::receive(open(10), Duration::from_millis(300)).status(), Some(101));

    let mut seats = Vec::new();
    for round in 0..3 {
        x.advance(60);
        let wanted = if round == 2 { 4 } else { 30 };
        seats.extend((0..wanted).map(|_| x.fast("socket-000", "/")));
    }
    assert_eq!(seats.len(), 64);
    x.advance(60);
    let refused = x.try_fast("socket-000", "/", x.next_handshake());
    let Err(SocketError::Refused { status: 429, body }) = refused else { panic!("{refused:?}") };
    assert!(body.contains("64 sockets of one key"), "{body}");
    x.fast("socket-001", "/").ok("ping", Value::Null);
    seats.pop().expect("a socket").close();
    x.advance(60);
    wait_until("a place is free", || x.try_fast("socket-000", "/", x.next_handshake()).is_ok());
}

/// Without rate limits these do not hold either.
#[test]
fn the_limits_are_lifted() {
    let x = Exchange::start();
    let open: Vec<Socket> = (0..310).map(|_| x.socket("/v2/marketdata")).collect();
    wait_until("all are open", || {
        x.get("/sandbox/streams").ok()["streams"].as_array().unwrap().len() == open.len()
    });
}

/// An address of their own serves sockets and health checks alone, and the other has none of them.
#[test]
fn sockets_have_an_address_of_their_own() {
    // No other test uses this address, and the system gives a free port.
    let own = TcpListener::bind("127.0.0.77:0").unwrap().local_addr().unwrap().to_string();
    let x = Exchange::builder().flag("--stream-listen", &own).start();
    let mut public = Socket::try_at(&own, "/v1/marketdata/btcusd", &[]).unwrap();
    assert_eq!(public.next()["events"], json!([]));
    let trader = x.as_("trader");
    let signed = trader.sign(trader.payload("/v1/order/events", json!({})).as_bytes()).headers();
    let signed: Vec<(&str, &str)> =
        signed.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let mut events = Socket::try_at(&own, "/v1/order/events", &signed).unwrap();
    assert_eq!(events.next()["type"], "subscription_ack");
    let mut newest = Socket::try_at(&own, "/", &[]).unwrap();
    newest.ok("ping", Value::Null);
    for path in ["/v1/marketdata/btcusd", "/v2/marketdata", "/v1/multimarketdata?symbols=BTCUSD", "/"] {
        let refused = x.try_socket(path);
        assert!(matches!(refused, Err(SocketError::Refused { status: 404, .. })), "{path}: {refused:?}");
    }
    assert_eq!(x.get("/").status(), 200);
    let aside = buttonwood_accept::Client::new(&format!("http://{own}")).unwrap();
    let aside = buttonwood_accept::Actor::new("aside", aside);
    assert_eq!(aside.get("/health/ready").status(), 200);
    for path in ["/v1/symbols", "/sandbox/clock", "/docs"] {
        let refused = Socket::try_at(&own, path, &[]);
        assert!(matches!(refused, Err(SocketError::Refused { status: 404, .. })), "{path}: {refused:?}");
    }
    trader.limit("btcusd", "buy", "1", "100");
    assert_eq!(public.next()["events"][0]["reason"], "place");
    let home = buttonwood_accept::private_folder();
    let line = Exchange::builder().flag("--stream-listen", &own).refuses_in(&home.path().join("data"));
    assert!(line.contains("--stream-listen") && line.contains(&own), "{line}");
}
