//! Requests that no decent client would send: bytes on a socket.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use crate::exchange::Exchange;

/// What came back over a raw connection.
#[derive(Clone, Debug, Default)]
pub struct Raw {
    /// Everything received until the end or the time-out.
    pub bytes: Vec<u8>,
    /// Whether the exchange closed the connection.
    pub closed: bool,
}

impl Raw {
    /// The status code of the first answer, if there is one.
    pub fn status(&self) -> Option<u16> {
        let text = self.text();
        let mut words = text.split_ascii_whitespace();
        words.next()?.starts_with("HTTP/1.").then(|| words.next()?.parse().ok())?
    }

    /// How many answers came.
    pub fn answers(&self) -> usize {
        self.text().matches("HTTP/1.1 ").count()
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

/// Like [`send`], saying first that nothing more follows.
pub fn send_and_finish(exchange: &Exchange, bytes: &[u8], patience: Duration) -> Raw {
    send_then(exchange, bytes, patience, true)
}

fn send_then(exchange: &Exchange, bytes: &[u8], patience: Duration, finish: bool) -> Raw {
    let mut stream = TcpStream::connect(exchange.address()).expect("the exchange listens");
    stream.set_read_timeout(Some(patience)).expect("a time-out can be set");
    stream.set_nodelay(true).expect("an option can be set");
    // An exchange that refuses early may close before it has read all of this.
    let sent = stream.write_all(bytes);
    if finish && sent.is_ok() {
        stream.shutdown(Shutdown::Write).ok();
    }
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
            // A reset is a close too.
            Err(_) => {
                raw.closed = true;
                return raw;
            }
        }
    }
}
