//! The load: one thread on processor 1, one connection per key, no pipelining.
//!
//! Closed: each connection sends when its last reply has arrived. Open: requests are due on a schedule independent of
//! the server; the time that one waits for a free connection counts as latency.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};

use super::requests::{Asks, Requests};
use super::server::pin;

/// The pace of requests.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pace {
    Closed,
    /// This many per second.
    Open(f64),
}

/// The results of a run.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    pub(crate) count: u64,
    pub(crate) seconds: f64,
    /// Nanoseconds, sorted.
    pub(crate) latencies: Vec<u64>,
    /// Requests of each key that were answered.
    pub(crate) answered: Vec<usize>,
    /// Requests of each key that were sent.
    pub(crate) sent: Vec<usize>,
    /// Orders that were turned away as too many; they are not among the answers.
    pub(crate) refused: u64,
    /// Whether a connection ended before the load did.
    pub(crate) broken: bool,
}

impl Answers {
    pub(crate) fn per_second(&self) -> f64 {
        self.count as f64 / self.seconds
    }
}

/// A nonblocking connection, registered with the poll.
pub(crate) fn connect(address: SocketAddr, poll: &Poll, token: Token) -> TcpStream {
    let stream = std::net::TcpStream::connect(address).expect("the server listens");
    stream.set_nodelay(true).and_then(|()| stream.set_nonblocking(true)).expect("a connection takes options");
    let mut stream = TcpStream::from_std(stream);
    poll.registry().register(&mut stream, token, Interest::READABLE).expect("the system polls");
    stream
}

struct Connection<'a> {
    stream: TcpStream,
    requests: &'a Requests,
    sent: usize,
    answered: usize,
    /// When the request in flight was due.
    due: Option<Instant>,
    room: Box<[u8; 16_384]>,
    filled: usize,
}

/// One in this many replies is parsed as JSON.
const LOOK: usize = 64;
/// The processor of the load.
const PROCESSOR: usize = 1;

impl<'a> Connection<'a> {
    fn open(address: SocketAddr, requests: &'a Requests, poll: &Poll, token: Token) -> Self {
        let stream = connect(address, poll, token);
        let room = Box::new([0; 16_384]);
        Self { stream, requests, sent: 0, answered: 0, due: None, room, filled: 0 }
    }

    /// Sends the next request; `false` if there is none or the connection is gone.
    fn send(&mut self, due: Instant) -> bool {
        if self.sent == self.requests.len() {
            return false;
        }
        let request = self.requests.get(self.sent);
        // A request is shorter than the socket buffer, which is empty because the last reply has arrived.
        let whole = matches!(self.stream.write(request), Ok(written) if written == request.len());
        self.sent += usize::from(whole);
        self.due = whole.then_some(due);
        whole
    }

    /// Reads available bytes; returns whether the reply is complete, or `None` if the connection is gone.
    fn receive(&mut self, check: bool) -> Option<bool> {
        match self.stream.read(&mut self.room[self.filled..]) {
            Ok(0) => return None,
            Ok(read) => self.filled += read,
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Some(false),
            Err(_) => return None,
        }
        let mut headers = [httparse::EMPTY_HEADER; 32];
        let mut response = httparse::Response::new(&mut headers);
        let status = response.parse(&self.room[..self.filled]).expect("an answer is HTTP");
        let httparse::Status::Complete(head) = status else { return Some(false) };
        let length =
            response.headers.iter().find(|header| header.name.eq_ignore_ascii_case("content-length"));
        let length = length.and_then(|header| str::from_utf8(header.value).ok()?.parse::<usize>().ok());
        let length = length.expect("an answer says how long it is");
        if self.filled < head + length {
            return Some(false);
        }
        let body = &self.room[head..head + length];
        let text = || String::from_utf8_lossy(body);
        assert_eq!(response.code, Some(200), "request {} of a key: {}", self.answered, text());
        assert_eq!(self.filled, head + length, "one answer at a time");
        if check && self.answered.is_multiple_of(LOOK) {
            let answer: serde_json::Value = serde_json::from_slice(body).expect("an answer is JSON");
            let live = answer["is_live"] == true && answer["is_cancelled"] == false;
            let cancelled = answer["is_live"] == false && answer["is_cancelled"] == true;
            let right = if self.requests.asks[self.answered].0 == Asks::New { live } else { cancelled };
            assert!(right, "request {} of a key: {}", self.answered, text());
        }
        self.filled = 0;
        self.answered += 1;
        Some(true)
    }
}

/// Runs the load. `check` parses replies, which the no-op server cannot pass. `at_end` is called when the time is
/// over, with requests in flight, and decides whether to wait for their replies.
pub(crate) fn run(
    address: SocketAddr,
    requests: &[Requests],
    pace: Pace,
    duration: Duration,
    check: bool,
    at_end: impl FnOnce() -> bool + Send,
) -> Answers {
    std::thread::scope(|scope| {
        let load = scope.spawn(move || {
            pin(PROCESSOR);
            drive(address, requests, pace, duration, check, at_end)
        });
        load.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn drive(
    address: SocketAddr,
    requests: &[Requests],
    pace: Pace,
    duration: Duration,
    check: bool,
    at_end: impl FnOnce() -> bool,
) -> Answers {
    let mut poll = Poll::new().expect("the system polls");
    let mut events = Events::with_capacity(256);
    let mut load = Load::connect(address, requests, &poll, pace, duration);
    let (mut at_end, mut awaits) = (Some(at_end), true);
    loop {
        if !load.is_over && Instant::now() >= load.end {
            load.finish();
            if let Some(at_end) = at_end.take() {
                awaits = at_end();
            }
        }
        load.send_due();
        if load.is_over && (load.flying == 0 || !awaits) {
            break;
        }
        let patience = load.patience();
        poll.poll(&mut events, Some(patience)).expect("the system polls");
        assert!(!(load.is_over && events.is_empty() && patience > Duration::ZERO), "an answer never came");
        for event in &events {
            load.receive(event.token().0, check);
        }
        if load.answers.broken && !load.is_over {
            break;
        }
    }
    load.into_answers()
}

/// A running load.
struct Load<'a> {
    connections: Vec<Connection<'a>>,
    pace: Pace,
    start: Instant,
    end: Instant,
    /// Connections without a request in flight.
    idle: VecDeque<usize>,
    /// Requests sent so far.
    scheduled: u64,
    /// Requests in flight.
    flying: usize,
    /// Whether no more requests are sent.
    is_over: bool,
    answers: Answers,
}

impl<'a> Load<'a> {
    fn connect(
        address: SocketAddr,
        requests: &'a [Requests],
        poll: &Poll,
        pace: Pace,
        duration: Duration,
    ) -> Self {
        let connect = |(token, requests)| Connection::open(address, requests, poll, Token(token));
        let connections: Vec<Connection<'_>> = requests.iter().enumerate().map(connect).collect();
        let idle = (0..connections.len()).collect();
        let answers = Answers { latencies: Vec::with_capacity(1 << 20), ..Answers::default() };
        let start = Instant::now();
        let end = start + duration;
        Self { connections, pace, start, end, idle, scheduled: 0, flying: 0, is_over: false, answers }
    }

    /// Stops sending.
    fn finish(&mut self) {
        self.is_over = true;
        self.end = Instant::now();
    }

    /// Sends the due requests on free connections.
    fn send_due(&mut self) {
        while !self.is_over {
            let due = match self.pace {
                Pace::Closed => Instant::now(),
                Pace::Open(rate) => self.start + Duration::from_secs_f64(self.scheduled as f64 / rate),
            };
            if due > Instant::now() {
                return;
            }
            let Some(token) = self.idle.pop_front() else { return };
            if self.connections[token].send(due) {
                self.scheduled += 1;
                self.flying += 1;
            } else {
                // No requests are left: the load and its figures end here.
                self.finish();
            }
        }
    }

    /// How long to wait for replies before other work is due.
    fn patience(&self) -> Duration {
        match self.pace {
            _ if self.is_over => Duration::from_secs(5),
            Pace::Closed => self.end.saturating_duration_since(Instant::now()),
            // An open load does not sleep: waking up late would count as server latency.
            Pace::Open(_) => Duration::ZERO,
        }
    }

    /// Reads from a connection; after a complete reply, a closed load sends its next request.
    fn receive(&mut self, token: usize, check: bool) {
        let connection = &mut self.connections[token];
        match connection.receive(check) {
            Some(false) => {}
            None => {
                self.answers.broken = true;
                self.flying -= usize::from(connection.due.take().is_some());
            }
            Some(true) => {
                let due = connection.due.take().expect("an answer follows a request");
                let now = Instant::now();
                if !self.is_over {
                    self.answers.count += 1;
                    self.answers.latencies.push((now - due).as_nanos() as u64);
                }
                self.flying -= 1;
                if matches!(self.pace, Pace::Closed) && !self.is_over && connection.send(now) {
                    self.flying += 1;
                } else {
                    self.idle.push_back(token);
                }
            }
        }
    }

    fn into_answers(self) -> Answers {
        let Self { connections, start, end, mut answers, .. } = self;
        answers.seconds = (end - start).as_secs_f64();
        answers.latencies.sort_unstable();
        answers.answered = connections.iter().map(|connection| connection.answered).collect();
        answers.sent = connections.iter().map(|connection| connection.sent).collect();
        answers
    }
}
