//! Requests on a connection: hyper parses them, and the guard before it decides for each whether its end is
//! unambiguous.
//!
//! The first byte is the number of pieces in which the rest arrives; each of the next bytes is the length of one. For
//! any cut, every served request must equal the one that httparse and the rules find in the uncut bytes. A request
//! whose end two readers could see at different places must be the last of its connection.

use buttonwood_http::fuzzing::{End, Heads};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::rt::ReadBufCursor;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use std::cell::RefCell;
use std::convert::Infallible;
use std::io;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// Most pieces.
const PIECES: u8 = 16;
/// Most header fields, as in the server's setup.
const FIELDS: usize = 64;
/// Polls after which a connection counts as endless.
const POLLS: usize = 10_000;

/// A request as the service saw it.
struct Served {
    method: String,
    target: String,
    headers: Vec<(String, Vec<u8>)>,
    end: End,
    /// `None` if it did not arrive completely.
    body: Option<Bytes>,
}

/// Reads and checks one connection.
pub fn run(bytes: &[u8]) {
    let Some((count, rest)) = bytes.split_first() else { return };
    let (cuts, raw) = rest.split_at(rest.len().min(usize::from(count % PIECES)));
    let served = serve(raw, cuts);
    let whole = Heads::default();
    whole.feed(raw);
    let mut reader = Reader { raw, at: 0, bare: false };
    for (at, request) in served.iter().enumerate() {
        assert_eq!(whole.serve(), request.end, "the pieces make a difference");
        reader.check(request);
        let last = at + 1 == served.len();
        assert!(last || (request.end == End::Clear && request.body.is_some()), "it is not the last");
    }
}

/// All requests that hyper passes on for these bytes, with the guard's decision on each.
fn serve(raw: &[u8], cuts: &[u8]) -> Vec<Served> {
    let served = RefCell::new(Vec::new());
    let heads = Rc::new(Heads::default());
    let wire = Wire { rest: raw, cuts, heads: Rc::clone(&heads) };
    let service = service_fn(|request: Request<Incoming>| {
        let end = heads.serve();
        let served = &served;
        async move {
            let (head, body) = request.into_parts();
            let headers = head.headers.iter();
            let mut seen = Served {
                method: head.method.to_string(),
                target: head.uri.to_string(),
                headers: headers.map(|(name, value)| (name.to_string(), value.as_bytes().to_vec())).collect(),
                end,
                body: None,
            };
            seen.body = body.collect().await.ok().map(http_body_util::Collected::to_bytes);
            served.borrow_mut().push(seen);
            let reply = Response::builder();
            let reply = if end == End::Clear { reply } else { reply.header("connection", "close") };
            Ok::<_, Infallible>(reply.body(Full::<Bytes>::default()).expect("the reply is well made"))
        }
    });
    let mut builder = http1::Builder::new();
    builder.max_buf_size(40 * 1024).max_headers(FIELDS).writev(false).half_close(true);
    {
        let mut connection = pin!(builder.serve_connection(wire, service));
        let mut context = Context::from_waker(Waker::noop());
        let ended = (0..POLLS).any(|_| connection.as_mut().poll(&mut context).is_ready());
        assert!(ended, "the connection does not end");
    }
    served.into_inner()
}

/// A connection that delivers its bytes in pieces and then ends.
struct Wire<'a> {
    rest: &'a [u8],
    cuts: &'a [u8],
    heads: Rc<Heads>,
}

impl hyper::rt::Read for Wire<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        mut room: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let mut piece = self.rest.len();
        if let Some((cut, cuts)) = self.cuts.split_first() {
            self.cuts = cuts;
            if *cut == 0 {
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            piece = piece.min(usize::from(*cut));
        }
        let (piece, rest) = self.rest.split_at(piece.min(room.remaining()));
        self.heads.feed(piece);
        room.put_slice(piece);
        self.rest = rest;
        Poll::Ready(Ok(()))
    }
}

impl hyper::rt::Write for Wire<'_> {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// An independent reader of the same bytes, line by line.
struct Reader<'a> {
    raw: &'a [u8],
    at: usize,
    /// Whether a line so far ended without a carriage return.
    bare: bool,
}

impl<'a> Reader<'a> {
    /// The next line without its end.
    fn line(&mut self) -> &'a [u8] {
        let rest = &self.raw[self.at..];
        let end = rest.iter().position(|byte| *byte == b'\n').expect("what was served has a whole head");
        self.at += end + 1;
        match rest[..end].split_last() {
            Some((b'\r', line)) => line,
            _ => {
                self.bare = true;
                &rest[..end]
            }
        }
    }

    /// Checks that the request that begins here equals the served one, and ends at the same place.
    fn check(&mut self, served: &Served) {
        let mut fields = [httparse::EMPTY_HEADER; FIELDS];
        let mut parsed = httparse::Request::new(&mut fields);
        let length = match parsed.parse(&self.raw[self.at..]) {
            Ok(httparse::Status::Complete(length)) => length,
            other => panic!("served, but httparse finds {other:?}"),
        };
        let behind = self.at + length;
        let (lengths, codings) = self.head();
        assert_eq!(self.at, behind, "two readers see the head end at two places");
        let end = match (self.bare, lengths.len(), codings.as_slice()) {
            (false, 0 | 1, []) => End::Clear,
            (false, 0, [coding]) if coding.trim_ascii().eq_ignore_ascii_case(b"chunked") => End::Last,
            _ => End::Ambiguous,
        };
        assert_eq!(served.end, end);
        assert_eq!(served.method, parsed.method.unwrap_or_default());
        if end != End::Clear {
            return;
        }
        same_target(&served.target, parsed.path.unwrap_or_default());
        let mut found: Vec<_> =
            parsed.headers.iter().map(|field| (field.name.to_lowercase(), field.value.to_vec())).collect();
        let mut headers = served.headers.clone();
        found.sort();
        headers.sort();
        assert_eq!(headers, found);
        let length = lengths.first().map_or(0, |length| {
            let digits = std::str::from_utf8(length).unwrap_or_default().trim_matches([' ', '\t']);
            assert!(digits.bytes().all(|digit| digit.is_ascii_digit()), "served with a length of {digits}");
            digits.parse::<usize>().unwrap_or(usize::MAX)
        });
        if let Some(body) = &served.body {
            assert_eq!(**body, self.raw[self.at..self.at + length]);
            self.at += length;
        } else {
            assert!(self.raw.len() - self.at < length, "a body that is there was not read");
        }
    }

    /// Reads a head: its content lengths and its codings.
    fn head(&mut self) -> (Vec<&'a [u8]>, Vec<&'a [u8]>) {
        let (mut lengths, mut codings) = (Vec::new(), Vec::new());
        while self.line().is_empty() {}
        loop {
            let line = self.line();
            if line.is_empty() {
                return (lengths, codings);
            }
            let colon = line.iter().position(|byte| *byte == b':').expect("a field has a name");
            let (name, value) = (line[..colon].trim_ascii().to_ascii_lowercase(), &line[colon + 1..]);
            match name.as_slice() {
                b"content-length" => lengths.push(value),
                b"transfer-encoding" => codings.push(value),
                _ => {}
            }
        }
    }
}

/// hyper keeps a target as sent, except for a fragment, the case of a scheme, and an authority without a path.
fn same_target(served: &str, sent: &str) {
    let sent = sent.split('#').next().unwrap_or_default();
    let same = |served: &str, sent: &str| {
        let end = sent.find('?').unwrap_or(sent.len());
        served == sent || served == format!("{}/{}", &sent[..end], &sent[end..])
    };
    let is_same = match (served.split_once("://"), sent.split_once("://")) {
        (Some((scheme, served)), Some((sent_scheme, sent))) if !sent_scheme.contains('/') => {
            scheme.eq_ignore_ascii_case(sent_scheme) && same(served, sent)
        }
        _ => same(served, sent),
    };
    assert!(is_same, "{served}, sent as {sent}");
}
