//! The load of sockets: one thread on processor 1, one socket for each handshake, so many calls in flight on each.
//!
//! Each socket places orders at a price of its own, and cancels each one when it is told its id. Answers come in the order of the
//! calls. All answers that a read brings are followed by one write, as a client that sends orders at this rate would do.
//!
//! The number in flight grows from one, since an exchange that has just started turns away a burst of thousands. An order that is turned
//! away leaves its place empty for a while.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};

use super::frames;
use crate::http::load::Answers;
use crate::http::requests::Asks;
use crate::http::server::pin;

/// The processor of the load.
const PROCESSOR: usize = 1;
/// One in this many answers is parsed as JSON: an odd number, so that new orders and cancels both are.
const LOOK: usize = 63;
/// Bytes of answers read at once: more than those to all calls in flight.
const ROOM: usize = 65_536;
/// How long the last answers may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Answers of a socket with fewer calls in flight than it may have, after which it has one more.
const GROWS: usize = 8;

/// The beginning of the answer to an order that is turned away.
const BUSY: &[u8] = br#"{"id":1,"status":503"#;
/// The beginning of each other answer.
const GOOD: &[u8] = br#"{"id":1,"status":200"#;
/// The beginning of the answer to a new order, up to the digits of its id.
const PLACED: &[u8] = br#"{"id":1,"status":200,"result":{"orderId":""#;

/// One socket.
struct Socket {
    stream: TcpStream,
    /// The frame of its new orders.
    order: Vec<u8>,
    /// Calls in flight at most.
    window: usize,
    /// The calls in flight, and when each was sent.
    flying: VecDeque<(Asks, Instant)>,
    /// Frames for the next write.
    out: Vec<u8>,
    room: Box<[u8]>,
    filled: usize,
    answered: usize,
}

impl Socket {
    fn open(address: SocketAddr, (number, handshake): (usize, &String), window: usize, poll: &Poll) -> Self {
        let mut stream = std::net::TcpStream::connect(address).expect("the server listens");
        stream.set_nodelay(true).expect("a connection takes options");
        stream.write_all(handshake.as_bytes()).expect("the server reads");
        let mut room = vec![0; ROOM].into_boxed_slice();
        let mut filled = 0;
        while !room[..filled].ends_with(b"\r\n\r\n") {
            let read = stream.read(&mut room[filled..]).expect("the server answers");
            filled += read;
            let told = String::from_utf8_lossy(&room[..filled]);
            assert!(read > 0 && told.starts_with("HTTP/1.1 101"), "no socket: {told}");
        }
        stream.set_nonblocking(true).expect("a connection takes options");
        let mut stream = TcpStream::from_std(stream);
        poll.registry().register(&mut stream, Token(number), Interest::READABLE).expect("the system polls");
        let call = format!(
            r#"{{"id":1,"method":"order.place","params":{{"symbol":"btcusd","side":"BUY","type":"LIMIT","timeInForce":"GTC","quantity":"0.001","price":"{}.00"}}}}"#,
            1_000 + number
        );
        let mut order = Vec::new();
        frames::put(&mut order, &[call.as_bytes()]);
        Self { stream, order, window, flying: VecDeque::new(), out: Vec::new(), room, filled: 0, answered: 0 }
    }

    /// Appends a new order to the next write.
    fn place(&mut self, now: Instant) {
        self.out.extend_from_slice(&self.order);
        self.flying.push_back((Asks::New, now));
    }

    /// Writes what is due. It is shorter than the socket's buffer, which holds no more than the calls in flight.
    fn write(&mut self) {
        if !self.out.is_empty() {
            let written = self.stream.write(&self.out).expect("the server reads");
            assert_eq!(written, self.out.len(), "calls fit the socket's buffer");
            self.out.clear();
        }
    }

    /// Reads what has arrived. Each answer is followed by the next call, unless the load is over.
    fn receive(&mut self, check: bool, is_over: bool, told: &mut Answers) {
        match self.stream.read(&mut self.room[self.filled..]) {
            Ok(0) => told.broken = true,
            Ok(read) => self.filled += read,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(_) => told.broken = true,
        }
        let now = Instant::now();
        let room = std::mem::take(&mut self.room);
        let mut start = 0;
        while let Some((answer, length)) = frames::first(&room[start..self.filled]) {
            start += length;
            // A ping has no text.
            if !answer.is_empty() {
                self.hear(answer, now, check, is_over, told);
            }
        }
        self.room = room;
        self.room.copy_within(start..self.filled, 0);
        self.filled -= start;
        self.write();
    }

    fn hear(&mut self, answer: &[u8], now: Instant, check: bool, is_over: bool, told: &mut Answers) {
        let (asks, sent) = self.flying.pop_front().expect("an answer follows a call");
        let text = || String::from_utf8_lossy(answer);
        if asks == Asks::New && answer.starts_with(BUSY) {
            told.refused += u64::from(!is_over);
            if self.flying.is_empty() && !is_over {
                self.place(now);
            }
            return;
        }
        assert!(answer.starts_with(GOOD), "call {} of a socket: {}", self.answered, text());
        if check && self.answered.is_multiple_of(LOOK) {
            let json: serde_json::Value = serde_json::from_slice(answer).expect("an answer is JSON");
            let rests = json["result"]["status"] == "OPEN" && json["result"]["remaining"] == "0.001";
            let is_right = if asks == Asks::New { rests } else { json["result"].is_null() };
            assert!(is_right, "call {} of a socket: {}", self.answered, text());
        }
        self.answered += 1;
        if is_over {
            return;
        }
        told.count += 1;
        told.latencies.push((now - sent).as_nanos() as u64);
        if asks == Asks::Cancel {
            self.place(now);
        } else {
            self.cancel(answer, now);
        }
        if self.flying.len() < self.window && self.answered.is_multiple_of(GROWS) {
            self.place(now);
        }
    }

    /// Appends the cancel of an order to the next write.
    fn cancel(&mut self, answer: &[u8], now: Instant) {
        let rest = answer
            .strip_prefix(PLACED)
            .unwrap_or_else(|| panic!("no order id: {}", String::from_utf8_lossy(answer)));
        let id = rest.split(|byte| *byte == b'"').next().unwrap_or_default();
        frames::put(
            &mut self.out,
            &[br#"{"id":1,"method":"order.cancel","params":{"orderId":""#, id, br#""}}"#],
        );
        self.flying.push_back((Asks::Cancel, now));
    }
}

/// Runs the load. `check` parses answers, which the sockets that do nothing cannot pass.
pub(super) fn run(
    address: SocketAddr,
    handshakes: &[String],
    window: usize,
    duration: Duration,
    check: bool,
) -> Answers {
    std::thread::scope(|scope| {
        let load = scope.spawn(|| {
            pin(PROCESSOR);
            drive(address, handshakes, window, duration, check)
        });
        load.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn drive(
    address: SocketAddr,
    handshakes: &[String],
    window: usize,
    duration: Duration,
    check: bool,
) -> Answers {
    let mut poll = Poll::new().expect("the system polls");
    let mut events = Events::with_capacity(256);
    let open = |numbered| Socket::open(address, numbered, window, &poll);
    let mut sockets: Vec<Socket> = handshakes.iter().enumerate().map(open).collect();
    let mut told = Answers { latencies: Vec::with_capacity(1 << 20), ..Answers::default() };
    let start = Instant::now();
    for socket in &mut sockets {
        socket.place(start);
        socket.write();
    }
    let mut is_over = false;
    while !told.broken && (!is_over || sockets.iter().any(|socket| !socket.flying.is_empty())) {
        let left = duration.saturating_sub(start.elapsed());
        if !is_over && left.is_zero() {
            is_over = true;
            told.seconds = start.elapsed().as_secs_f64();
        }
        let patience = if is_over { PATIENCE } else { left };
        poll.poll(&mut events, Some(patience)).expect("the system polls");
        assert!(!(is_over && events.is_empty()), "an answer never came");
        for event in &events {
            sockets[event.token().0].receive(check, is_over, &mut told);
        }
    }
    told.latencies.sort_unstable();
    told
}
