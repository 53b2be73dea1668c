//! Hostile HTTP: a corpus of raw requests with what the exchange must do, slow clients, and floods of connections.
//!
//! A row is the bytes of a connection and the answers to them. No row may cause a 5xx, a panic, or a connection that is
//! neither answered nor closed, and no refused request may change anything.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use buttonwood_accept::{Actor, Exchange, NewOrder, json, laws, raw};

const PATIENCE: Duration = Duration::from_secs(10);

/// The exchange's treatment of the bytes of a row.
#[derive(Clone, Copy, Debug)]
enum Expected {
    /// One refusal with one of these statuses and the end of the connection.
    Refused(&'static [u16]),
    /// Answers with these statuses, in order, and nothing else.
    Answered(&'static [u16]),
    /// The end of the connection without an answer.
    Closed,
}

use Expected::{Answered, Closed, Refused};

const BAD: Expected = Refused(&[400]);
/// A head with too many bytes or fields.
const LARGE: Expected = Refused(&[414, 431]);

struct Row {
    name: String,
    bytes: Vec<u8>,
    expected: Expected,
}

/// The corpus against one exchange.
struct Corpus<'x> {
    x: &'x Exchange,
    host: String,
    rows: Vec<Row>,
}

impl<'x> Corpus<'x> {
    fn new(x: &'x Exchange) -> Self {
        Self { x, host: format!("Host: {}\r\n", x.address()), rows: Vec::new() }
    }

    /// Adds a row. Each character of the text is one byte.
    fn row(&mut self, name: &str, text: &str, expected: Expected) {
        let byte = |letter: char| u8::try_from(letter).unwrap_or_else(|_| panic!("{name}: {letter}"));
        self.rows.push(Row { name: name.to_owned(), bytes: text.chars().map(byte).collect(), expected });
    }

    /// Adds a signed order with these further fields and this body.
    fn order(&mut self, name: &str, fields: &str, body: &str, expected: Expected) {
        let text =
            format!("POST /v1/order/new HTTP/1.1\r\n{}{}{fields}\r\n{body}", self.host, signed(self.x));
        self.row(name, &text, expected);
    }

    /// Adds a public request with these fields next to `Host`.
    fn fields(&mut self, name: &str, fields: &str, expected: Expected) {
        let text = format!("GET /v1/symbols HTTP/1.1\r\n{}{fields}\r\n", self.host);
        self.row(name, &text, expected);
    }

    /// Adds a request with this first line.
    fn line(&mut self, name: &str, line: &str, expected: Expected) {
        let text = format!("{line}\r\n{}\r\n", self.host);
        self.row(name, &text, expected);
    }

    /// Sends every row and reports all that were not answered as expected.
    fn run(self) {
        let failures: Vec<String> = self
            .rows
            .iter()
            .filter_map(|row| self.check(row).err().map(|why| format!("{}: {why}", row.name)))
            .collect();
        let total = self.rows.len();
        assert!(failures.is_empty(), "{} of {total} rows:\n  {}", failures.len(), failures.join("\n  "));
        self.x.get("/v1/symbols").ok();
    }

    fn check(&self, row: &Row) -> Result<(), String> {
        // An answered connection may stay open, so its client ends it.
        let is_ended = !matches!(row.expected, Refused(_));
        let send = if is_ended { raw::send_and_finish } else { raw::send };
        let answer = send(self.x, &row.bytes, PATIENCE);
        let text = answer.text();
        let statuses = statuses(&text);
        let shown: String = text.chars().take(160).collect();
        let fits = match row.expected {
            Refused(allowed) => statuses.len() == 1 && allowed.contains(&statuses[0]),
            Answered(expected) => statuses == expected,
            Closed => statuses.is_empty(),
        };
        if !fits {
            return Err(format!("expected {:?}, found {statuses:?} {shown:?}", row.expected));
        }
        if !answer.closed {
            return Err(format!("{statuses:?}, but the connection stays open"));
        }
        if matches!(row.expected, Refused(_)) {
            answer.worded().map_err(|what| format!("{what}: {shown:?}"))?;
        }
        Ok(())
    }
}

/// The statuses of all answers.
fn statuses(text: &str) -> Vec<u16> {
    let parts = text.split("HTTP/1.").skip(1);
    parts.filter_map(|part| part.get(2..5)?.parse().ok()).collect()
}

/// The headers of a signed, valid order.
fn signed(x: &Exchange) -> String {
    let trader = x.as_("trader");
    let payload = trader.payload("/v1/order/new", NewOrder::limit("btcusd", "buy", "1", "100").params());
    let headers = trader.sign(payload.as_bytes()).headers();
    headers.into_iter().fold(String::new(), |mut text, (name, value)| {
        write!(text, "{name}: {value}\r\n").unwrap();
        text
    })
}

/// Checks the number of orders that the corpus placed: those of the rows that are answered with 200.
fn placed(x: &Exchange, expected: usize) {
    assert_eq!(x.as_("trader").live_ids().len(), expected, "only answered orders are placed");
    laws::check(x);
}

/// The length of a body: one plain number, once. Proves ERR-001 (part), ERR-014 (part).
#[test]
fn lengths() {
    let x = Exchange::start();
    let mut corpus = Corpus::new(&x);
    let smuggled = format!("GET /v1/symbols HTTP/1.1\r\nHost: {}\r\n\r\n", x.address());
    for (name, value) in [
        ("a list", "2, 2"),
        ("a list of unequal ones", "2, 40"),
        ("a plus sign", "+0"),
        ("a minus sign", "-1"),
        ("hexadecimal", "0x0"),
        ("empty", ""),
        ("a blank within", "1 0"),
        ("a comma after it", "0,"),
        ("a semicolon after it", "0;"),
        ("an exponent", "1e0"),
        ("a fraction", "0.0"),
        ("a no-break space", "\u{a0}0"),
        ("a vertical tab", "\u{b}0"),
        ("a superscript", "\u{b2}"),
        ("in quotes", "\"0\""),
    ] {
        corpus.order(&format!("a length that is {name}"), &format!("Content-Length: {value}\r\n"), "{}", BAD);
    }
    for (name, value) in [
        ("beyond 64 bits", "99999999999999999999"),
        ("of all 64 bits", "18446744073709551615"),
        ("of 63 bits", "9223372036854775807"),
        ("of 64 KiB and one", "65537"),
    ] {
        let expected = Refused(&[400, 413, 431]);
        corpus.order(&format!("a length {name}"), &format!("Content-Length: {value}\r\n"), "", expected);
    }
    for (name, second) in [("equal", "2"), ("different", "40"), ("in another case", "2")] {
        let other = if name == "in another case" { "CONTENT-LENGTH" } else { "Content-Length" };
        let fields = format!("Content-Length: 2\r\n{other}: {second}\r\n");
        corpus.order(&format!("two lengths, {name}"), &fields, "{}", BAD);
    }
    corpus.order("a blank before the colon", "Content-Length : 0\r\n", "", BAD);
    corpus.order("a tab before the colon", "Content-Length\t: 0\r\n", "", BAD);
    corpus.order("a NUL before the colon", "Content-Length\0: 0\r\n", "", BAD);
    corpus.order("a folded length", "Content-Length:\r\n 0\r\n", "", BAD);
    corpus.row(
        "a length as the first line's fold",
        &format!("GET /v1/symbols HTTP/1.1\r\n Content-Length: 5\r\n{}\r\n", corpus.host.clone()),
        BAD,
    );
    // Proper ones.
    corpus.order("a tab after the colon", "Content-Length:\t0\t\r\n", "", Answered(&[200]));
    corpus.order("zeros before it", "Content-Length: 0000002\r\n", "{}", Answered(&[200]));
    corpus.order(
        "a body, and a request after it",
        "Content-Length: 5\r\n",
        &format!("hello{smuggled}"),
        Answered(&[200, 200]),
    );
    // A name that only resembles it: the body is the next request.
    corpus.order("an underscore in the name", "Content_Length: 2\r\n", "{}", Answered(&[200, 400]));
    corpus.run();
    placed(&x, 4);
}

/// Transfer codings: `chunked` alone, once, and never with a length. Proves ERR-001 (part), ERR-014 (part).
#[test]
fn codings() {
    let x = Exchange::start();
    let mut corpus = Corpus::new(&x);
    let smuggled = format!("GET /v1/symbols HTTP/1.1\r\nHost: {}\r\n\r\n", x.address());
    let chunked = "Transfer-Encoding: chunked\r\n";
    let end = "0\r\n\r\n";
    corpus.order("a length, then chunks", &format!("Content-Length: 5\r\n{chunked}"), end, BAD);
    corpus.order("chunks, then a length", &format!("{chunked}Content-Length: 5\r\n"), end, BAD);
    corpus.order(
        "both, a request after them",
        &format!("Content-Length: 0\r\n{chunked}"),
        &format!("{end}{smuggled}"),
        BAD,
    );
    corpus.order("chunked twice", &format!("{chunked}{chunked}"), end, BAD);
    corpus.order("chunked, then identity", &format!("{chunked}Transfer-Encoding: identity\r\n"), end, BAD);
    for value in [
        "",
        "xchunked",
        "chunked, identity",
        "identity",
        "chunked, chunked",
        "identity, chunked",
        "gzip, chunked",
        "gzip",
        "\u{b}chunked",
        "\"chunked\"",
        "chunked;q=1",
        "chunked,",
        ",chunked",
        "chun ked",
        "chunked\u{a0}",
        "\0chunked",
    ] {
        let fields = format!("Transfer-Encoding: {value}\r\n");
        corpus.order(&format!("the coding {value:?}"), &fields, end, Refused(&[400, 501]));
    }
    corpus.order("a folded coding", "Transfer-Encoding:\r\n chunked\r\n", end, BAD);
    corpus.order("a blank before the colon", "Transfer-Encoding : chunked\r\n", end, BAD);
    let old = format!("POST /v1/order/new HTTP/1.0\r\n{}{chunked}\r\n{end}", signed(&x));
    corpus.row("chunks in HTTP/1.0", &old, BAD);
    for (name, body) in [
        ("a size that is no number", "xyz\r\n\r\n"),
        ("a size below zero", "-1\r\n\r\n"),
        ("a size with a sign", "+5\r\nhello\r\n0\r\n\r\n"),
        ("a size with 0x", "0x5\r\nhello\r\n0\r\n\r\n"),
        ("a size beyond 64 bits", "FFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n"),
        ("no size", "\r\nhello\r\n0\r\n\r\n"),
        ("a size that ends in a line feed", "5\nhello\r\n0\r\n\r\n"),
        ("a size that ends in a carriage return", "5\rhello\r\n0\r\n\r\n"),
        ("an extension that ends in a line feed", "5;a\nhello\r\n0\r\n\r\n"),
        ("a chunk longer than its size", "3\r\nhello\r\n0\r\n\r\n"),
        ("a chunk without its end", "5\r\nhello0\r\n\r\n"),
        ("a chunk that ends in a line feed", "5\r\nhello\n0\r\n\r\n"),
    ] {
        corpus.order(name, chunked, body, BAD);
    }
    let long = "x".repeat(0x10400);
    corpus.order("65 KiB in chunks", chunked, &format!("10400\r\n{long}\r\n{end}"), Refused(&[413]));
    corpus.order(
        "an extension of 65 KiB",
        chunked,
        &format!("5;{long}\r\nhello\r\n{end}"),
        Refused(&[400, 413]),
    );
    corpus.order(
        "trailers of 65 KiB",
        chunked,
        &format!("0\r\nX-T: {long}\r\n\r\n"),
        Refused(&[400, 413, 431]),
    );
    // Proper ones: only hyper reads chunks, so nothing after them is a request.
    corpus.order("chunks", chunked, &format!("5\r\nhello\r\n{end}{smuggled}"), Answered(&[200]));
    corpus.order(
        "another case",
        "transfer-ENCODING: Chunked\r\n",
        &format!("5\r\nhello\r\n{end}"),
        Answered(&[200]),
    );
    corpus.order(
        "an extension and a trailer",
        chunked,
        "5;a=b\r\nhello\r\n0\r\nContent-Length: 7\r\n\r\n",
        Answered(&[200]),
    );
    corpus.run();
    placed(&x, 3);
}

/// Lines and fields. Proves ERR-001 (part), ERR-014 (part).
#[test]
fn lines() {
    let x = Exchange::start();
    let mut corpus = Corpus::new(&x);
    for (name, fields) in [
        ("a bare line feed after a field", "X-A: y\n"),
        ("a bare line feed in a field", "X-A: y\nX-B: z\r\n"),
        ("a bare carriage return in a value", "X-A: a\rb\r\n"),
        ("a bare carriage return after a value", "X-A: a\r\r\n"),
        ("a NUL in a value", "X-A: a\0b\r\n"),
        ("a NUL in a name", "X\0A: b\r\n"),
        ("a control character in a value", "X-A: a\u{1}b\r\n"),
        ("a delete character in a value", "X-A: a\u{7f}b\r\n"),
        ("a folded field", "X-A: one\r\n two\r\n"),
        ("a field folded by a tab", "X-A: one\r\n\ttwo\r\n"),
        ("no colon", "Nonsense\r\n"),
        ("no name", ": x\r\n"),
        ("a blank in a name", "X A: b\r\n"),
        ("a blank after a name", "X-A : b\r\n"),
        ("a name that is not ASCII", "X-\u{e9}: b\r\n"),
        ("brackets in a name", "X(A): b\r\n"),
        ("an at sign in a name", "X@A: b\r\n"),
    ] {
        corpus.fields(name, fields, BAD);
    }
    let host = corpus.host.clone();
    let get = "GET /v1/symbols HTTP/1.1";
    corpus.row("line feeds alone", &format!("{get}\nHost: x\n\n"), BAD);
    corpus.row("a line feed at the end alone", &format!("{get}\r\n{host}\n"), BAD);
    corpus.row("a line feed before the request", &format!("\n{get}\r\n{host}\r\n"), BAD);
    corpus.row("a blank before the request", &format!(" {get}\r\n{host}\r\n"), BAD);
    corpus.fields("a value that is not ASCII", "X-A: \u{e9}\r\n", Answered(&[200]));
    corpus.row("empty lines before the request", &format!("\r\n\r\n{get}\r\n{host}\r\n"), Answered(&[200]));
    // Half a request.
    corpus.row("nothing", "", Closed);
    corpus.row("half a line", "GET /v1/sym", Closed);
    corpus.row("a line without fields", &format!("{get}\r\n"), Closed);
    corpus.run();
    laws::check(&x);
}

/// First lines: methods, targets and versions. Proves ERR-001 (part), ERR-008 (part).
#[test]
fn first_lines() {
    let x = Exchange::start();
    let mut corpus = Corpus::new(&x);
    for (name, line) in [
        ("two blanks", "GET  /v1/symbols HTTP/1.1"),
        ("a tab", "GET\t/v1/symbols\tHTTP/1.1"),
        ("a blank at the end", "GET /v1/symbols HTTP/1.1 "),
        ("no version", "GET /v1/symbols"),
        ("no target", "GET HTTP/1.1"),
        ("no method", "/v1/symbols HTTP/1.1"),
        ("HTTP/3.9", "GET /v1/symbols HTTP/3.9"),
        ("HTTP/1.2", "GET /v1/symbols HTTP/1.2"),
        ("HTTP/1.10", "GET /v1/symbols HTTP/1.10"),
        ("a version in lower case", "GET /v1/symbols http/1.1"),
        ("a method that is no token", "G@T /v1/symbols HTTP/1.1"),
        ("a NUL in the target", "GET /v1/\0symbols HTTP/1.1"),
        ("a carriage return in the target", "GET /v1/symbols\rX HTTP/1.1"),
        ("a control character in the target", "GET /v1/\u{1}symbols HTTP/1.1"),
        ("a TLS hello", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\u{fc}\u{3}\u{3}"),
        ("a response", "HTTP/1.1 200 OK"),
    ] {
        corpus.line(name, line, Refused(&[400, 505]));
    }
    corpus.row("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", Closed);
    for (name, line, expected) in [
        ("TRACE", "TRACE /v1/symbols HTTP/1.1", &[405][..]),
        ("an unknown method", "BREW /v1/symbols HTTP/1.1", &[405]),
        ("a method in lower case", "get /v1/symbols HTTP/1.1", &[405]),
        ("GET of a private path", "GET /v1/balances HTTP/1.1", &[405]),
        ("OPTIONS of all", "OPTIONS * HTTP/1.1", &[404]),
        ("CONNECT", "CONNECT 127.0.0.1:80 HTTP/1.1", &[404]),
        ("an absolute target", "GET http://example.com/v1/symbols HTTP/1.1", &[200]),
        ("an absolute target of a control call", "GET http://example.com/sandbox/clock HTTP/1.1", &[403]),
        ("a fragment", "GET /v1/symbols#end HTTP/1.1", &[200]),
        ("a path with a NUL, encoded", "GET /v1/symbols%00 HTTP/1.1", &[404]),
        ("a path through its parent", "GET /v1/../v1/symbols HTTP/1.1", &[404]),
        ("a path through its parent, encoded", "GET /v1/%2e%2e/v1/symbols HTTP/1.1", &[404]),
        ("two slashes", "GET //v1/symbols HTTP/1.1", &[404]),
        ("a slash at the end", "GET /v1/symbols/ HTTP/1.1", &[404]),
        ("an encoded slash", "GET /v1%2fsymbols HTTP/1.1", &[404]),
        ("a backslash", "GET \\v1\\symbols HTTP/1.1", &[400]),
        ("a broken escape", "GET /v1/book/%zz HTTP/1.1", &[400]),
        ("bytes that are no UTF-8", "GET /v1/book/\u{ff}\u{fe} HTTP/1.1", &[400]),
    ] {
        corpus.line(name, line, Answered(expected));
    }
    corpus.run();
    laws::check(&x);
}

/// `Host`, connection fields, upgrades and pipelines. Proves ERR-001 (part), ERR-014 (part).
#[test]
fn connections() {
    let x = Exchange::start();
    let mut corpus = Corpus::new(&x);
    let host = corpus.host.clone();
    let get = "GET /v1/symbols HTTP/1.1\r\n";
    corpus.row("no Host", &format!("{get}\r\n"), BAD);
    corpus.row("Host twice", &format!("{get}{host}{host}\r\n"), BAD);
    for value in ["a b", "a, b", "http://a", "a/b", "a\u{e9}", "a@b", "a#b"] {
        corpus.row(&format!("the host {value:?}"), &format!("{get}Host: {value}\r\n\r\n"), BAD);
    }
    for value in ["", "localhost", "127.0.0.1:1", "[::1]:8080", "EXAMPLE.com."] {
        corpus.row(&format!("the host {value:?}"), &format!("{get}Host: {value}\r\n\r\n"), Answered(&[200]));
    }
    corpus.row("no Host in HTTP/1.0", "GET /v1/symbols HTTP/1.0\r\n\r\n", Answered(&[200]));
    for (name, fields) in [
        (
            "an upgrade to HTTP/2",
            "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n",
        ),
        (
            "an upgrade to a socket",
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n",
        ),
        ("fields that are to be dropped", "Connection: Transfer-Encoding, Host\r\n"),
        ("an unknown expectation", "Expect: miracles\r\n"),
        ("ranges", &format!("Range: bytes={}\r\n", "0-,".repeat(1000))),
        ("a content coding", "Content-Encoding: gzip\r\n"),
    ] {
        corpus.fields(name, fields, Answered(&[200]));
    }
    corpus.order(
        "a body on expectation",
        "Expect: 100-continue\r\nContent-Length: 2\r\n",
        "{}",
        Answered(&[100, 200]),
    );
    let (first, closing) = (format!("{get}{host}\r\n"), format!("{get}{host}Connection: close\r\n\r\n"));
    corpus.row("a request after the last", &format!("{closing}{first}"), Answered(&[200]));
    corpus.row(
        "a bad request after a good one",
        &format!("{first}G@T / HTTP/1.1\r\n\r\n"),
        Answered(&[200, 400]),
    );
    corpus.row("a request after a bad one", &format!("G@T / HTTP/1.1\r\n{host}\r\n{first}"), BAD);
    corpus.row("fifty in a row", &first.repeat(50), Answered(&[200; 50]));
    corpus.run();
    placed(&x, 1);
}

/// Limits of a head and of a body, and authentication headers that are given twice. Proves ERR-014, ERR-001 (part),
/// AUTH-012 (part).
#[test]
fn heads() {
    let x = Exchange::start();
    let mut corpus = Corpus::new(&x);
    let host = corpus.host.clone();
    let many =
        |count: usize| (0..count).fold(String::new(), |text, number| text + &format!("X-H{number}: y\r\n"));
    corpus.fields("64 fields", &many(63), Answered(&[200]));
    corpus.fields("65 fields", &many(64), LARGE);
    corpus.fields("1000 fields", &many(1000), LARGE);
    corpus.fields("a field of 64 KiB", &format!("X-Big: {}\r\n", "x".repeat(65_536)), LARGE);
    corpus.fields("a name of 64 KiB", &format!("{}: x\r\n", "x".repeat(65_536)), Refused(&[400, 431]));
    corpus.fields("63 fields of 1 KiB", &format!("X-A: {}\r\n", "y".repeat(1017)).repeat(60), LARGE);
    corpus.fields("a payload of 1 MB", &format!("X-SVC-PAYLOAD: {}\r\n", "A".repeat(1_000_000)), LARGE);
    corpus.line("a path of 100 KB", &format!("GET /v1/book/{} HTTP/1.1", "x".repeat(100_000)), LARGE);
    corpus.line(
        "a path of 30 KB",
        &format!("GET /v1/book/{} HTTP/1.1", "x".repeat(30_000)),
        Answered(&[400]),
    );
    corpus.line(
        "a query of 30 KB",
        &format!("GET /v1/symbols?{} HTTP/1.1", "a=b&".repeat(7_500)),
        Answered(&[200]),
    );
    corpus.line("a method of 10 KB", &format!("{} / HTTP/1.1", "X".repeat(10_000)), Answered(&[405]));
    let payload = |length: usize| {
        let fields =
            [("APIKEY", "account-x"), ("PAYLOAD", &"A".repeat(length)), ("SIGNATURE", &"0".repeat(96))];
        let fields = fields.map(|(name, value)| format!("X-SVC-{name}: {value}\r\n")).concat();
        format!("POST /v1/balances HTTP/1.1\r\n{host}{fields}\r\n")
    };
    corpus.row("a payload of 16 KiB", &payload(16_384), Answered(&[403]));
    corpus.row("a payload of 16 KiB and one", &payload(16_385), Answered(&[400]));
    let key = format!("X-SVC-APIKEY: {}\r\n", x.key("trader").credentials.api_key);
    corpus.order(
        "a body of 64 KiB and one",
        "Content-Length: 65537\r\n",
        &"x".repeat(65_537),
        Refused(&[413]),
    );
    corpus.order("an API key twice", &key, "", BAD);
    corpus.order("two signatures", "x-svc-signature: 00\r\n", "", BAD);
    corpus.order("two payloads", "X-Svc-Payload: e30=\r\n", "", BAD);
    corpus.order("two prefixes", "X-OTHER-PAYLOAD: e30=\r\n", "", BAD);
    corpus.order("a token and a key", "Authorization: Bearer token\r\n", "", BAD);
    corpus.order("two tokens", "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n", "", BAD);
    corpus.run();
    placed(&x, 0);
}

/// A body that stops arriving is refused after ten seconds, and one that trickles too; others are served meanwhile.
/// Proves ERR-001 (part).
#[test]
fn slow_bodies() {
    let x = Exchange::start();
    let head = format!(
        "POST /v1/balances HTTP/1.1\r\nHost: {}\r\nX-GEMINI-APIKEY: account-nobody\r\nContent-Length: 1000\r\n\r\n",
        x.address()
    );
    let begin = || {
        let mut stream = TcpStream::connect(x.address()).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        stream
    };
    let (stopped, mut trickling) = (begin(), begin());
    let start = Instant::now();
    trickling.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let mut answer = Vec::new();
    while start.elapsed() < Duration::from_secs(20) && answer.is_empty() {
        let _ = trickling.write_all(b"x");
        let mut buffer = [0; 512];
        if let Ok(count) = trickling.read(&mut buffer) {
            answer.extend_from_slice(&buffer[..count]);
        }
        x.get("/v1/symbols").ok();
    }
    let took = start.elapsed();
    assert!(answer.starts_with(b"HTTP/1.1 408"), "{}", String::from_utf8_lossy(&answer));
    assert!((Duration::from_secs(9)..Duration::from_secs(13)).contains(&took), "{took:?}");
    let stopped = raw::receive(stopped, PATIENCE);
    assert_eq!(
        (stopped.status(), stopped.closed, stopped.worded()),
        (Some(408), true, Ok(())),
        "{}",
        stopped.text()
    );
}

/// Calls until a connection is served. While the places of a flood are still closing, a new connection is cut without an
/// answer, and its client has to connect again.
fn balances_in_a_flood(actor: &Actor) {
    let end = Instant::now() + PATIENCE;
    loop {
        match actor.try_call("/v1/balances", json!({})) {
            Ok(answer) => return drop(answer.ok()),
            Err(error) => assert!(Instant::now() < end, "never served: {error}"),
        }
    }
}

/// Thousands of connections that send nothing, half a head or half a body: a client that signs is served next to them,
/// and nothing of them is left. Proves ERR-001 (part).
#[test]
fn floods_of_connections() {
    const FLOOD: usize = 600;
    let x = Exchange::builder().through(&["sh", "-c", "ulimit -n 700; exec \"$@\"", "sh"]).start();
    let trader = x.fresh("trader");
    let half_a_body =
        |key: &str| format!("POST /v1/order/new HTTP/1.1\r\nHost: x\r\n{key}Content-Length: 9\r\n\r\nx");
    let (unsigned, with_key) = (half_a_body(""), half_a_body("X-GEMINI-APIKEY: account-nobody\r\n"));
    for part in ["", "GET /v1/sym", &unsigned, &with_key, "\r\n"] {
        let open = |number: usize| {
            let source = [127, 0, u8::try_from(number % 7).unwrap(), 9];
            let mut stream = raw::connect_from(&x, source);
            // A connection that was turned away may be closed already.
            let _ = stream.write_all(part.as_bytes());
            stream
        };
        let flood: Vec<TcpStream> = (0..FLOOD).map(open).collect();
        for _ in 0..5 {
            let start = Instant::now();
            balances_in_a_flood(&trader);
            balances_in_a_flood(&x.fresh("counterparty"));
            assert!(start.elapsed() < PATIENCE, "{part:?}: {:?}", start.elapsed());
        }
        drop(flood);
    }
    laws::check(&x);
}
