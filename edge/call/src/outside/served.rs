//! A handler of paths outside of the table behind a real listener.

use super::tests::settings;
use super::{Later, Outside, Spot, Visit, form};
use crate::app::App;
use buttonwood_engine::{Body, Command, FeeSchedule, Mode, Opening};
use buttonwood_gate::{Gate, HeaderNames, Limit, Limits, Refusal};
use buttonwood_http::{Reply, serve_aside};
use buttonwood_model::Time;
use buttonwood_operate::keys::Keeper;
use buttonwood_sequencer::{Clock, Exchange, Options, recover};
use http::{HeaderValue, StatusCode};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

/// Requests that the limit of pages lets through here.
const BURST: u32 = 20;

/// Redirects a GET, and answers a POST with its form and its cookie.
#[derive(Debug)]
struct Token;

impl Outside for Token {
    fn names(&self) -> Vec<&'static str> {
        vec!["token"]
    }

    fn find(&self, path: &str) -> Option<Spot> {
        (path == "/token").then_some(Spot::page("token").taking("GET, HEAD, POST").open_to_pages())
    }

    fn answer<'a>(&'a self, mut visit: Visit<'a>) -> Later<'a> {
        Box::pin(async move {
            if !visit.is_post() {
                let cookie = HeaderValue::from_static("session=new; HttpOnly");
                let back = HeaderValue::from_static("/back");
                return Ok(Reply::redirecting(back).with_cookie(cookie));
            }
            let body = visit.read(10).await?;
            let (sent, query) = (form(&body)?, visit.query()?);
            let text = format!("{sent:?} {query:?} {:?}", visit.cookie("session"));
            Ok(Reply::text(StatusCode::OK, text))
        })
    }

    fn refuse(&self, spot: Spot, refusal: &Refusal) -> Reply {
        let status = StatusCode::from_u16(refusal.status).unwrap();
        Reply::text(status, format!("{}: {}", spot.name, refusal.message))
    }
}

/// The answer to one request.
fn ask(address: SocketAddr, line: &str, fields: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!("{line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{fields}\r\n{body}");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn post(address: SocketAddr, fields: &str, body: &str) -> String {
    let length = format!("Content-Length: {}\r\n{fields}", body.len());
    ask(address, "POST /token?a=1&a=%32", &length, body)
}

fn expect(answer: &str, status: u16, fields: &[&str], body: &str) {
    let (head, sent) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{status}: {answer}");
    let head = format!("{head}\r\n").to_ascii_lowercase();
    for field in fields {
        assert!(head.contains(&format!("\r\n{}\r\n", field.to_ascii_lowercase())), "{field}: {answer}");
    }
    assert_eq!(sent, body, "{answer}");
}

/// An exchange with no keys and no market, which serves [`Token`].
#[expect(clippy::default_trait_access, reason = "options of the journal, which no edge names")]
fn with_exchange(act: impl FnOnce(&App, SocketAddr)) {
    let dir = tempfile::tempdir().unwrap();
    let mut recovered = recover(dir.path(), Default::default()).unwrap();
    let opening = Opening { mode: Mode::Sandbox, seed: 1, hash_key: 2, fees: FeeSchedule::default() };
    recovered.commit(Time(1), vec![Command { caller: None, body: Body::open(opening) }]).unwrap();
    let running = Exchange::start(recovered, Clock::manual(Time(1)), Options::default()).unwrap();
    let pages = Limit { every: Duration::from_hours(1), burst: BURST, queue: 0 };
    let gate = Gate::new(HeaderNames::any(), "svc", Limits { pages, ..Limits::default() });
    let keeper = Keeper::new(|_, _| Ok(()), |_| Ok(()), |_| Ok(()), |_, _| Ok(None));
    let people = Arc::new(buttonwood_people::People::in_memory(running.exchange()).unwrap());
    let app = Arc::new(App::new(running.exchange(), gate, people, settings(vec![Arc::new(Token)]), keeper));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = serve_aside(listener, Arc::clone(&app), "outside").unwrap();
    act(&app, address);
    server.stop();
    running.stop().unwrap();
}

/// A handler sees method, query, cookies and body, sets cookies and redirects; its words are those of every refusal of its path, and
/// without sockets their paths are unknown.
#[test]
fn a_handler_answers_its_path() {
    with_exchange(|app, address| {
        let open = "access-control-allow-origin: *";
        let redirect = ask(address, "GET /token", "", "");
        expect(&redirect, 303, &["location: /back", "set-cookie: session=new; HttpOnly", open], "");
        let body = r#"[("b", "c d")] [("a", "1"), ("a", "2")] Some("s")"#;
        expect(&post(address, "Cookie: x=1; session=s\r\n", "b=c+d"), 200, &[open], body);
        let too_long = "token: The body is longer than 10 bytes";
        expect(&post(address, "", "b=123456789"), 413, &["connection: close", open], too_long);
        let no_form =
            "token: The body is not URL-encoded text: it has a '%' without two hexadecimal digits after it";
        expect(&post(address, "", "b=%"), 400, &[open], no_form);
        let methods = "allow: GET, HEAD, POST";
        let other = "token: '/token' answers to GET, HEAD, POST, not to PUT";
        expect(&ask(address, "PUT /token", "", ""), 405, &[methods, open], other);
        let asks = "Origin: https://app.example\r\nAccess-Control-Request-Method: POST\r\n";
        let allowed = "access-control-allow-methods: GET, HEAD, POST";
        expect(&ask(address, "OPTIONS /token", asks, ""), 204, &[allowed, open], "");
        let framing = "token: The request's framing is ambiguous: more than one Host";
        expect(&ask(address, "GET /token", "Host: y\r\n", ""), 400, &["connection: close", open], framing);
        app.set_maintenance(true);
        let answer = ask(address, "GET /token", "", "");
        assert!(answer.starts_with("HTTP/1.1 503 ") && answer.contains("\r\n\r\ntoken: "), "{answer}");
        app.set_maintenance(false);
        let socket = ask(address, "GET /v1/multimarketdata", "", "");
        assert!(socket.starts_with("HTTP/1.1 404 "), "{socket}");
    });
}

/// The limit of pages lets a client in before the handler sees it, and the handler words its refusal.
#[test]
fn the_limit_of_pages_comes_first() {
    with_exchange(|_, address| {
        for _ in 0..BURST {
            // A wrong method takes nothing of the limit.
            assert!(ask(address, "PUT /token", "", "").starts_with("HTTP/1.1 405 "));
            assert!(ask(address, "GET /token", "", "").starts_with("HTTP/1.1 303 "));
        }
        let refused = ask(address, "GET /token", "", "");
        let (head, body) = refused.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 429 ") && head.contains("\r\nretry-after: "), "{refused}");
        assert_eq!(body, "token: Too Many Requests");
    });
}
