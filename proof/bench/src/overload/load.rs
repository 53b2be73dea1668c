//! The load on an overloaded exchange: orders and their cancels, on a fixed schedule.
//!
//! Each client has one connection; some have their own key, the others share the one with time-based nonces. A client
//! places orders until one is accepted, then cancels that one. A request leaves when it is due, on any free
//! connection. One that finds none within [`GIVES_UP`] is never sent, as a client would give up. Latency counts from
//! the due time. Requests are signed when sent: a refused one gets a new nonce, since it is unknown whether the old
//! one was used.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use buttonwood_client::Credentials;
use mio::net::TcpStream;
use mio::{Events, Poll, Token};

use crate::figures::quantile;
use crate::http::{Key, client_id, connect, signed_request};

/// A due request is dropped after this time.
const GIVES_UP: Duration = Duration::from_millis(20);
/// Most orders of one client.
const ORDERS_MAX: u32 = 1_000_000;
/// Without any reply for this long, the exchange counts as dead.
const DEAD: Duration = Duration::from_secs(20);

/// The pace of requests.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pace {
    /// This many clients, each sending when its last reply has arrived.
    Closed(usize),
    /// This many per second, independent of replies.
    Open(f64),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Asks {
    New,
    Cancel,
}

/// The results of a phase. Latencies are in nanoseconds.
#[derive(Default)]
pub(crate) struct Told {
    pub(crate) seconds: f64,
    /// Accepted orders and successful cancels.
    pub(crate) admitted: Vec<u64>,
    /// Orders refused with 429 or 503.
    pub(crate) refused: Vec<u64>,
    pub(crate) cancels: u64,
    /// Refused cancels.
    pub(crate) cancels_refused: u64,
    /// Requests that were due, sent or not.
    pub(crate) due: u64,
    pub(crate) sent: u64,
}

impl Told {
    /// Requests served a second.
    pub(crate) fn goodput(&self) -> f64 {
        self.admitted.len() as f64 / self.seconds
    }

    /// Milliseconds that this share of the served requests did not exceed.
    pub(crate) fn millis(&self, share: f64) -> f64 {
        quantile(&self.admitted, share) as f64 / 1e6
    }

    /// The same for refused requests.
    pub(crate) fn refusal_millis(&self, share: f64) -> f64 {
        quantile(&self.refused, share) as f64 / 1e6
    }

    /// Share of all sent requests that were refused.
    pub(crate) fn refused_share(&self) -> f64 {
        self.refused.len() as f64 / self.sent.max(1) as f64
    }

    /// Share of all sent cancels that succeeded.
    pub(crate) fn cancels_served(&self) -> f64 {
        let all = self.cancels + self.cancels_refused;
        if all == 0 { 1.0 } else { self.cancels as f64 / all as f64 }
    }
}

struct Client {
    stream: TcpStream,
    credentials: Credentials,
    /// Of its own key; `None` with the shared key, whose nonces are time-based.
    nonce: Option<u64>,
    asks: Asks,
    /// Number of its latest order.
    order: u32,
    /// When the request in flight was due.
    due: Option<Instant>,
    room: Vec<u8>,
    filled: usize,
}

/// The clients, kept between phases, so that their nonces continue.
pub(crate) struct Clients {
    all: Vec<Client>,
    poll: Poll,
    out: Vec<u8>,
}

impl Client {
    fn next_nonce(&mut self) -> String {
        match &mut self.nonce {
            Some(nonce) => {
                *nonce += 1;
                nonce.to_string()
            }
            None => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970");
                format!("{}.{:09}", now.as_secs(), now.subsec_nanos())
            }
        }
    }

    fn send(&mut self, due: Instant, out: &mut Vec<u8>) {
        out.clear();
        let nonce = self.next_nonce();
        if self.asks == Asks::New {
            self.order += 1;
        }
        let (number, id) = (self.order, client_id(self.order));
        let (path, payload) = match self.asks {
            Asks::New => (
                "/v1/order/new",
                format!(
                    r#"{{"request":"/v1/order/new","nonce":{nonce},"client_order_id":"{id}","symbol":"btcusd","amount":"0.001","price":"{}.{:02}","side":"buy","type":"exchange limit","options":["maker-or-cancel"]}}"#,
                    1_000 + number % 1_000,
                    number % 100
                ),
            ),
            Asks::Cancel => (
                "/v1/order/cancel",
                format!(r#"{{"request":"/v1/order/cancel","nonce":{nonce},"client_order_id":"{id}"}}"#),
            ),
        };
        signed_request(out, path, &self.credentials, &payload);
        let written = self.stream.write(out).expect("the exchange keeps its connections");
        assert_eq!(written, out.len(), "a request fits an empty socket buffer");
        self.due = Some(due);
    }

    /// The status of a complete reply, if it has arrived.
    fn receive(&mut self) -> Option<u16> {
        match self.stream.read(&mut self.room[self.filled..]) {
            Ok(0) => panic!("the exchange ended a connection"),
            Ok(read) => self.filled += read,
            Err(error) if error.kind() == ErrorKind::WouldBlock => return None,
            Err(error) => panic!("a connection broke: {error}"),
        }
        let mut headers = [httparse::EMPTY_HEADER; 32];
        let mut response = httparse::Response::new(&mut headers);
        let parsed = response.parse(&self.room[..self.filled]).expect("an answer is HTTP");
        let httparse::Status::Complete(head) = parsed else { return None };
        let length =
            response.headers.iter().find(|header| header.name.eq_ignore_ascii_case("content-length"));
        let length = length.and_then(|header| str::from_utf8(header.value).ok()?.parse::<usize>().ok());
        let length = length.expect("an answer says how long it is");
        if self.filled < head + length {
            return None;
        }
        let status = response.code.expect("an answer has a status");
        let body = || String::from_utf8_lossy(&self.room[head..head + length]).into_owned();
        assert!(matches!(status, 200 | 429 | 503), "{status}: {}", body());
        self.filled = 0;
        Some(status)
    }
}

impl Clients {
    /// One client per key, and `sharing` clients for the key with time-based nonces.
    pub(crate) fn connect(address: SocketAddr, keys: &[Key], timely: &Key, sharing: usize) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970").as_millis() as u64;
        let poll = Poll::new().expect("the system polls");
        let one = |(token, (key, nonce)): (usize, (&Key, Option<u64>))| {
            let stream = connect(address, &poll, Token(token));
            let credentials = Credentials::new(&key.api_key, &key.api_secret);
            let room = vec![0; 16_384];
            // Clients that share a key use different order numbers.
            let order = token as u32 * ORDERS_MAX;
            Client { stream, credentials, nonce, asks: Asks::New, order, due: None, room, filled: 0 }
        };
        let own = keys.iter().map(|key| (key, Some(now)));
        let all = own.chain((0..sharing).map(|_| (timely, None))).enumerate().map(one).collect();
        Self { all, poll, out: Vec::new() }
    }

    /// Runs a phase of the load; calls `each_second` every second.
    pub(crate) fn run(&mut self, pace: Pace, duration: Duration, mut each_second: impl FnMut()) -> Told {
        let mut told = Told::default();
        let count = if let Pace::Closed(clients) = pace { clients } else { self.all.len() };
        let mut idle: VecDeque<usize> = (0..count).collect();
        let mut events = Events::with_capacity(256);
        let start = Instant::now();
        let (mut next_second, mut heard, mut flying) = (start, start, 0usize);
        loop {
            let now = Instant::now();
            let over = now >= start + duration;
            if now >= next_second {
                next_second += Duration::from_secs(1);
                each_second();
            }
            if over && flying == 0 {
                break;
            }
            if !over {
                flying += self.send_due(pace, start, &mut idle, &mut told);
            }
            let patience = match pace {
                Pace::Open(_) if !over => Duration::ZERO,
                Pace::Open(_) | Pace::Closed(_) => Duration::from_millis(10),
            };
            self.poll.poll(&mut events, Some(patience)).expect("the system polls");
            for event in &events {
                let token = event.token().0;
                if let Some(status) = self.all[token].receive() {
                    heard = Instant::now();
                    flying -= 1;
                    idle.push_back(token);
                    note(&mut self.all[token], status, heard, &mut told);
                }
            }
            assert!(flying == 0 || heard.elapsed() < DEAD, "the exchange answers nothing any more");
            if flying == 0 {
                heard = Instant::now();
            }
        }
        told.seconds = duration.as_secs_f64();
        told.admitted.sort_unstable();
        told.refused.sort_unstable();
        told
    }

    /// Sends the due requests on free connections; returns their number.
    fn send_due(&mut self, pace: Pace, start: Instant, idle: &mut VecDeque<usize>, told: &mut Told) -> usize {
        let mut sent = 0;
        loop {
            let now = Instant::now();
            let due = match pace {
                Pace::Closed(_) => now,
                Pace::Open(rate) => start + Duration::from_secs_f64(told.due as f64 / rate),
            };
            if due > now {
                return sent;
            }
            if now - due > GIVES_UP {
                told.due += 1;
                continue;
            }
            let Some(token) = idle.pop_front() else { return sent };
            self.all[token].send(due, &mut self.out);
            told.due += 1;
            told.sent += 1;
            sent += 1;
        }
    }
}

/// Records a reply, and its client's next request.
fn note(client: &mut Client, status: u16, now: Instant, told: &mut Told) {
    let due = client.due.take().expect("an answer follows a request");
    let nanos = (now - due).as_nanos() as u64;
    match (client.asks, status) {
        (Asks::New, 200) => {
            told.admitted.push(nanos);
            client.asks = Asks::Cancel;
        }
        (Asks::New, _) => told.refused.push(nanos),
        (Asks::Cancel, 200) => {
            told.admitted.push(nanos);
            told.cancels += 1;
            client.asks = Asks::New;
        }
        // Sent again until it succeeds.
        (Asks::Cancel, _) => told.cancels_refused += 1,
    }
}
