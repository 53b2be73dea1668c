//! Raw bytes on a socket, for requests that no proper client would send.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use buttonwood_client::Reply;
use serde_json::Value;
use tokio::net::TcpSocket;

use crate::contract;
use crate::exchange::Exchange;

/// The bytes received over a raw connection.
#[derive(Clone, Debug, Default)]
pub struct Raw {
    /// Everything received until the end or a time-out.
    pub bytes: Vec<u8>,
    /// Whether the exchange closed the connection.
    pub closed: bool,
    /// Whether it closed by a reset, which may discard replies in flight.
    pub reset: bool,
}

impl Raw {
    /// The status code of the first reply, if there is one.
    pub fn status(&self) -> Option<u16> {
        let text = self.text();
        let mut words = text.split_ascii_whitespace();
        words.next()?.starts_with("HTTP/1.").then(|| words.next()?.parse().ok())?
    }

    /// Number of replies.
    pub fn answers(&self) -> usize {
        self.text().matches("HTTP/1.1 ").count()
    }

    /// Checks that this is one refusal with the three fields of every error and a body of the declared length.
    ///
    /// # Errors
    /// The missing part.
    pub fn worded(&self) -> Result<(), String> {
        let text = self.text();
        let (head, body) = text.split_once("\r\n\r\n").ok_or("no end of the head")?;
        let length = format!("\r\ncontent-length: {}\r\n", body.len());
        if !format!("{}\r\n", head.to_ascii_lowercase()).contains(&length) {
            return Err(format!("the body is not as long as told, but {} bytes", body.len()));
        }
        let body: Value = serde_json::from_str(body).map_err(|error| format!("the body: {error}"))?;
        let is_text = |name: &str| body[name].as_str().is_some_and(|text| !text.is_empty());
        let whole = body["result"] == "error" && is_text("reason") && is_text("message");
        if whole { Ok(()) } else { Err("a field of an error is missing".to_owned()) }
    }

    /// Checks the reply to a single request against the contract, if the request has a first line and the reply is
    /// complete.
    #[track_caller]
    fn of_contract(&self, request: &[u8]) {
        let line = String::from_utf8_lossy(request);
        let mut words = line.lines().next().unwrap_or_default().split(' ');
        let (Some(method), Some(target), Some("HTTP/1.1"), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return;
        };
        let Some(reply) = self.reply().filter(|_| target.starts_with('/')) else { return };
        if let Err(why) = contract::check(method, target, &reply) {
            panic!("not as contract/openapi.json says: {why}\n{}", self.text());
        }
    }

    /// The reply, if it is the only one and complete.
    fn reply(&self) -> Option<Reply> {
        let text = self.text();
        let (head, body) = text.split_once("\r\n\r\n")?;
        let lines = head.lines().skip(1).filter_map(|line| line.split_once(": "));
        let headers: Option<_> =
            lines.map(|(name, value)| Some((name.parse().ok()?, value.parse().ok()?))).collect();
        let reply = Reply { status: self.status()?, headers: headers?, body: body.to_owned().into() };
        let length = reply.header("content-length")?.parse();
        (self.answers() == 1 && length == Ok(body.len())).then_some(reply)
    }

    /// All of it as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// Sends these bytes and reads until the exchange closes, or until `patience` passes without a byte.
pub fn send(exchange: &Exchange, bytes: &[u8], patience: Duration) -> Raw {
    send_then(exchange, bytes, patience, false)
}

/// Like [`send`], but closes the sending side after the bytes.
pub fn send_and_finish(exchange: &Exchange, bytes: &[u8], patience: Duration) -> Raw {
    send_then(exchange, bytes, patience, true)
}

fn send_then(exchange: &Exchange, bytes: &[u8], patience: Duration, finish: bool) -> Raw {
    let mut stream = TcpStream::connect(exchange.address()).expect("the exchange listens");
    stream.set_nodelay(true).expect("an option can be set");
    // An exchange that refuses early may close before it has read all of this.
    let sent = stream.write_all(bytes);
    if finish && sent.is_ok() {
        stream.shutdown(Shutdown::Write).ok();
    }
    let raw = receive(stream, patience);
    raw.of_contract(bytes);
    raw
}

/// A connection from this address of the loop.
///
/// # Panics
/// When the exchange does not listen.
pub fn connect_from(exchange: &Exchange, source: [u8; 4]) -> TcpStream {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let stream = runtime.block_on(async {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind((source, 0).into()).expect("every address of the loop is this machine's");
        socket.connect(exchange.address().parse().expect("an address")).await.expect("the exchange listens")
    });
    let stream = stream.into_std().expect("a stream");
    stream.set_nonblocking(false).expect("an option can be set");
    stream
}

/// Reads without sending, until the exchange closes or `patience` passes without a byte.
pub fn receive(mut stream: TcpStream, patience: Duration) -> Raw {
    stream.set_read_timeout(Some(patience)).expect("a time-out can be set");
    let mut raw = Raw::default();
    let mut buffer = [0; 16_384];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => {
                raw.closed = true;
                return raw;
            }
            Ok(count) => raw.bytes.extend_from_slice(&buffer[..count]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => return raw,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // A reset closes the connection too.
            Err(_) => {
                (raw.closed, raw.reset) = (true, true);
                return raw;
            }
        }
    }
}
