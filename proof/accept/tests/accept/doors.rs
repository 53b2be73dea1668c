//! One address at the doors of all: passwords, unread answers, unfinished messages and handshakes of one leave the others theirs.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use buttonwood_accept::{Exchange, Value, json, raw, wait_until};

const PATIENCE: Duration = Duration::from_mins(1);
const THIEF: [u8; 4] = [127, 0, 0, 9];
const OTHER: [u8; 4] = [127, 0, 0, 10];

fn post(x: &Exchange, path: &str, body: &Value) -> Vec<u8> {
    let body = body.to_string();
    format!(
        "POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        x.address(),
        body.len()
    )
    .into_bytes()
}

fn sent(x: &Exchange, from: [u8; 4], bytes: &[u8]) -> TcpStream {
    let mut stream = raw::connect_from(x, from);
    stream.write_all(bytes).expect("the exchange reads");
    stream
}

fn sign_in(x: &Exchange, number: usize) -> Vec<u8> {
    post(
        x,
        "/site/signin",
        &json!({ "email": format!("n{number}@people.test"), "password": "no password of theirs" }),
    )
}

/// Sign-ins of one address beyond its share wait for nothing and get 429 with a time to come back; those of another are checked.
#[test]
fn an_address_fills_its_own_share_of_the_queue_of_passwords() {
    let x = Exchange::start();
    let thief: Vec<TcpStream> = (0..64).map(|number| sent(&x, THIEF, &sign_in(&x, number))).collect();
    let others: Vec<TcpStream> = (100..104).map(|number| sent(&x, OTHER, &sign_in(&x, number))).collect();
    for other in others {
        let answer = raw::receive(other, PATIENCE);
        assert_eq!(answer.status(), Some(401), "{}", answer.text());
    }
    let (mut checked, mut refused) = (0, 0);
    for stream in thief {
        let answer = raw::receive(stream, PATIENCE);
        match answer.status() {
            Some(401) => checked += 1,
            Some(429) => {
                assert!(
                    answer.text().to_ascii_lowercase().contains("\r\nretry-after: "),
                    "{}",
                    answer.text()
                );
                refused += 1;
            }
            _ => panic!("{}", answer.text()),
        }
    }
    assert!(checked >= 8 && refused > 0, "{checked} were checked and {refused} refused");
}

/// Behind a trusted proxy, the client that it names has the share.
#[test]
fn a_proxy_s_clients_have_shares_of_the_queue() {
    let x = Exchange::builder().argument("--trusted-proxy").argument("127.0.0.9").start();
    let named = |number: usize, client: &str| {
        let request = String::from_utf8(sign_in(&x, number)).expect("it is text");
        request.replacen("\r\n", &format!("\r\nX-Forwarded-For: {client}\r\n"), 1).into_bytes()
    };
    let thief: Vec<TcpStream> = (0..64).map(|number| sent(&x, THIEF, &named(number, "192.0.2.1"))).collect();
    let other = raw::receive(sent(&x, THIEF, &named(100, "192.0.2.2")), PATIENCE);
    assert_eq!(other.status(), Some(401), "{}", other.text());
    let statuses: Vec<_> = thief.into_iter().map(|stream| raw::receive(stream, PATIENCE).status()).collect();
    assert!(statuses.contains(&Some(429)), "{statuses:?}");
}

/// Sign-ups that are refused for their password count too.
#[test]
fn refused_sign_ups_are_counted() {
    let x = Exchange::builder().without("--rate-limits").start();
    let sign_up = |from, number: usize| {
        let body =
            json!({ "email": format!("n{number}@people.test"), "password": "password1234", "name": "Ada" });
        raw::receive(sent(&x, from, &post(&x, "/site/signup", &body)), PATIENCE)
    };
    for number in 0..20 {
        assert_eq!(sign_up(THIEF, number).status(), Some(400), "{number}");
    }
    let refused = sign_up(THIEF, 20);
    assert_eq!(refused.status(), Some(429), "{}", refused.text());
    assert!(refused.text().to_ascii_lowercase().contains("\r\nretry-after: 180\r\n"), "{}", refused.text());
    assert_eq!(sign_up(OTHER, 21).status(), Some(400));
    x.advance(180);
    assert_eq!(sign_up(THIEF, 22).status(), Some(400));
}

/// The bytes that the kernel holds for clients of an exchange at this address.
fn held(x: &Exchange, client: [u8; 4]) -> Vec<u64> {
    let port = x.address().rsplit(':').next().and_then(|port| port.parse::<u16>().ok()).expect("a port");
    let ours = format!("0100007F:{port:04X}");
    let theirs = format!("{:08X}:", u32::from_le_bytes(client));
    let table = std::fs::read_to_string("/proc/self/net/tcp").expect("the kernel's table");
    let held = table.lines().filter_map(|line| {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let is_it = words.get(1) == Some(&ours.as_str()) && words.get(2)?.starts_with(&theirs);
        u64::from_str_radix(words.get(4)?.split(':').next()?, 16).ok().filter(|_| is_it)
    });
    held.collect()
}

/// Answers that one address does not read: each connection holds 320 KiB of the kernel at most (the kernel doubles its buffer, and may exceed
/// that by one segment), all of them 16 MiB, and nothing once they are reset; another client is served.
#[test]
fn what_is_not_read_has_a_bound_in_the_kernel() {
    let x = Exchange::start();
    let request = format!("GET /asyncapi.json HTTP/1.1\r\nHost: {}\r\n\r\n", x.address());
    let many = request.repeat(40);
    let unread: Vec<TcpStream> = (0..300).map(|_| sent(&x, THIEF, many.as_bytes())).collect();
    let bound = 16 * 1024 * 1024;
    let mut resets = 0;
    wait_until("the bound holds", || {
        let held = held(&x, THIEF);
        assert!(held.iter().all(|bytes| *bytes <= 320 * 1024), "{held:?}");
        // Each error is shown once.
        resets += unread.iter().filter(|stream| matches!(stream.take_error(), Ok(Some(_)))).count();
        resets > 0 && held.iter().sum::<u64>() <= bound
    });
    let whole = format!("GET /openapi.json HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", x.address());
    let other = raw::receive(sent(&x, OTHER, whole.as_bytes()), PATIENCE);
    assert!(other.status() == Some(200) && other.closed && !other.reset, "it is read whole");
    assert!(resets < unread.len(), "those within the bound stay");
}

fn open(x: &Exchange) -> TcpStream {
    let mut stream = sent(x, THIEF, &handshake(x, ""));
    assert_eq!(head(&mut stream).as_deref(), Some("HTTP/1.1 101"));
    stream
}

fn handshake(x: &Exchange, fields: &str) -> Vec<u8> {
    format!(
        "GET /v2/marketdata HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n{fields}\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        x.address()
    )
    .into_bytes()
}

/// The version and the status of an answer, whose head is read.
fn head(stream: &mut TcpStream) -> Option<String> {
    stream.set_read_timeout(Some(PATIENCE)).expect("an option can be set");
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    String::from_utf8(head).ok().and_then(|head| head.get(..12).map(str::to_owned))
}

/// All that comes until the end.
fn rest(mut stream: TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    stream.set_read_timeout(Some(PATIENCE)).expect("an option can be set");
    match stream.read_to_end(&mut bytes) {
        Ok(_) => bytes,
        Err(error) if error.kind() == ErrorKind::ConnectionReset => bytes,
        Err(error) => panic!("no end: {error}"),
    }
}

/// The frame that closes a socket with 1008.
const CLOSED: [u8; 4] = [0x88, 2, 0x03, 0xf0];

/// The first part of a message, of this many bytes, under a mask of zeros.
fn part(length: u16) -> Vec<u8> {
    [&[0x01, 0xfe][..], &length.to_be_bytes(), &[0; 4], &vec![b'a'; length.into()]].concat()
}

/// A message that does not end closes its socket after ten seconds, whatever control frames come meanwhile.
#[test]
fn an_unfinished_message_ends_its_socket() {
    let x = Exchange::start();
    let mut stream = open(&x);
    stream.write_all(&part(200)).unwrap();
    stream.write_all(&[0x8a, 0x80, 0, 0, 0, 0]).unwrap();
    assert!(rest(stream).ends_with(&CLOSED));
    wait_until("it is gone", || x.get("/sandbox/streams").ok()["streams"] == json!([]));
}

/// Unfinished messages of all sockets share one bound: beyond it the oldest go at once.
#[test]
fn unfinished_messages_have_one_bound() {
    let x = Exchange::start();
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    // A thread of the exchange keeps 4 MiB.
    let crowd: Vec<TcpStream> = (0..threads * 100)
        .map(|_| {
            let mut stream = open(&x);
            stream.write_all(&part(60_000)).ok();
            stream
        })
        .collect();
    let first = crowd.first().expect("there are some").try_clone().expect("a second handle");
    let got = rest(first);
    assert!(!got.ends_with(&CLOSED), "it ended by the bound, and not by its time");
}

/// Control frames and parts without a byte weigh as much as calls do: a flood of them closes its socket.
#[test]
fn control_frames_and_empty_parts_have_a_weight() {
    let x = Exchange::builder().flag("--rate-limits", "on").start();
    let pong = [0x8a, 0x80, 0, 0, 0, 0];
    let empty = [0x00, 0x80, 0, 0, 0, 0];
    for (begin, frame) in [(&[][..], pong), (&[0x01, 0x81, 0, 0, 0, 0, b'a'][..], empty)] {
        let mut stream = open(&x);
        stream.write_all(begin).unwrap();
        let flood = frame.repeat(30_001);
        // An exchange that closes has not read all of it.
        stream.write_all(&flood).ok();
        let got = rest(stream);
        assert!(got.windows(4).any(|frame| frame == CLOSED), "{got:?}");
    }
}

/// Pages of other sites, and handshakes without good credentials, use up counts of their own: a program at the same address opens its
/// sockets.
#[test]
fn a_page_does_not_lock_its_visitor_s_programs_out() {
    let x = Exchange::builder().flag("--rate-limits", "on").start();
    let status = |fields: &str| head(&mut sent(&x, THIEF, &handshake(&x, fields)));
    let foreign = "Origin: https://page.example\r\n";
    for _ in 0..300 {
        assert_eq!(status(foreign).as_deref(), Some("HTTP/1.1 101"), "public streams are open to pages");
    }
    assert_eq!(status(foreign).as_deref(), Some("HTTP/1.1 429"));
    assert_eq!(status("").as_deref(), Some("HTTP/1.1 101"));
    let own = format!("Origin: http://{}\r\n", x.address());
    assert_eq!(status(&own).as_deref(), Some("HTTP/1.1 101"));
    while status("").as_deref() == Some("HTTP/1.1 101") {}
    assert_eq!(status("").as_deref(), Some("HTTP/1.1 429"));
    // A right signature is counted by its key.
    let nonce = x.next_handshake();
    let signed = x.as_("time-nonce").sign(nonce.to_string().as_bytes());
    let lines: Vec<String> =
        signed.headers().iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let fields = lines.concat();
    let request = |fields: &str| {
        let request = String::from_utf8(handshake(&x, &format!("{fields}X-SVC-NONCE: {nonce}\r\n"))).unwrap();
        request.replacen("/v2/marketdata", "/", 1).into_bytes()
    };
    let wrong = fields.replace(&signed.signature, &"ab".repeat(48));
    assert_eq!(head(&mut sent(&x, THIEF, &request(&wrong))).as_deref(), Some("HTTP/1.1 429"));
    assert_eq!(head(&mut sent(&x, THIEF, &request(&fields))).as_deref(), Some("HTTP/1.1 101"));
}

/// A handshake whose nonce lies ahead of the clock opens nothing more after a crash, and a new one opens at once.
#[test]
fn a_captured_handshake_opens_nothing_after_a_crash() {
    let x = Exchange::start();
    let now = x.now_ms() / 1_000;
    let mut first = x.try_fast("time-nonce", "/", now + 20).expect("it opens");
    first.ok("ping", Value::Null);
    x.kill9();
    x.restart();
    for nonce in [now + 20, now + 1] {
        let again = x.try_fast("time-nonce", "/", nonce);
        let Err(buttonwood_accept::SocketError::Refused { status: 401, body }) = again else {
            panic!("{nonce}: {again:?}")
        };
        assert!(body.contains("before the exchange was started"), "{body}");
    }
    x.try_fast("time-nonce", "/", now + 21).expect("the next one opens").ok("ping", Value::Null);
    x.try_fast("socket-000", "/", now + 20).expect("another key has used none").ok("ping", Value::Null);
}

/// The refusal of a nonce that is too early after a start says when the client's clock is let in.
#[test]
fn an_early_nonce_is_told_when_to_come_back() {
    let x = Exchange::start();
    let now = x.now_ms() / 1_000;
    x.try_fast("time-nonce", "/", now + 20).expect("it opens").ok("ping", Value::Null);
    x.kill9();
    x.restart();
    let wait = |nonce: u64| {
        let signed = x.as_("time-nonce").sign(nonce.to_string().as_bytes());
        let lines: Vec<String> =
            signed.headers().iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let fields = lines.concat();
        let request = String::from_utf8(handshake(&x, &format!("{fields}X-SVC-NONCE: {nonce}\r\n"))).unwrap();
        let request = request.replacen("/v2/marketdata", "/", 1).into_bytes();
        let answer = raw::receive(sent(&x, THIEF, &request), Duration::from_secs(2));
        assert_eq!(answer.status(), Some(401), "{}", answer.text());
        let text = answer.text().to_ascii_lowercase();
        let (_, rest) = text.split_once("\r\nretry-after: ").unwrap_or_else(|| panic!("{text}"));
        rest.split("\r\n").next().unwrap().parse::<u64>().unwrap()
    };
    for nonce in [now + 1, now + 12, now + 20] {
        assert_eq!(wait(nonce), now + 21 - nonce, "{nonce}");
    }
    let start = x.now_ms() / 1_000;
    assert_eq!(wait(start - 7), 7);
    x.try_fast("time-nonce", "/", now + 21).expect("it opens then");
}

/// An address list that has changed refuses the next order of a socket that is open.
#[test]
fn a_changed_address_list_refuses_the_next_order() {
    for group in [false, true] {
        let x = Exchange::start();
        let mut socket = x.fast("time-nonce", "/");
        let order = json!({
            "symbol": "btcusd", "side": "BUY", "type": "LIMIT", "timeInForce": "GTC", "quantity": "0.01", "price": "100",
        });
        socket.ok("order.place", order.clone());
        let key = x.key("time-nonce");
        if group {
            let body = json!({ "group": key.group, "from": ["192.0.2.1"] });
            x.control("/sandbox/groups/addresses", &body).ok();
        } else {
            let body = json!({ "api_key": key.credentials.api_key, "from": ["192.0.2.1"] });
            x.control("/sandbox/keys/addresses", &body).ok();
        }
        socket.send(&json!({ "id": 7, "method": "order.place", "params": order }));
        // The refusal may come before the close, which comes within a second.
        assert_eq!(socket.close_code(), Some(1008));
        let undo = if group {
            x.control("/sandbox/groups/addresses", &json!({ "group": key.group, "from": [] }))
        } else {
            let body = json!({ "api_key": key.credentials.api_key, "from": [] });
            x.control("/sandbox/keys/addresses", &body)
        };
        undo.ok();
        let book = x.get("/v1/book/btcusd").ok();
        assert_eq!(book["bids"][0]["amount"], "0.01", "the first order alone");
    }
}
