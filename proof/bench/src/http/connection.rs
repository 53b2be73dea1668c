//! A connection that takes one call after another.

use std::io::{Read, Write};
use std::net::TcpStream;

use super::server::Server;

/// A connection that takes one call after another.
pub(crate) struct Connection(TcpStream, Vec<u8>);

impl Connection {
    pub(crate) fn to(server: &Server) -> Self {
        Self(TcpStream::connect(server.address).expect("the server listens"), Vec::new())
    }

    pub(crate) fn get(&mut self, path: &str) -> Vec<u8> {
        self.send("GET", path, "", "")
    }

    /// The body of the answer, which must be 200.
    pub(crate) fn send(&mut self, method: &str, path: &str, headers: &str, body: &str) -> Vec<u8> {
        let (status, answer) = self.exchange(request(method, path, headers, body).as_bytes());
        assert_eq!(status, 200, "{path}: {}", String::from_utf8_lossy(&answer));
        answer
    }

    /// Sends a whole request; the status and the body of the answer.
    pub(crate) fn exchange(&mut self, request: &[u8]) -> (u16, Vec<u8>) {
        self.0.write_all(request).expect("the server reads");
        self.1.clear();
        let end = loop {
            if let Some(end) = end_of(&self.1) {
                break end;
            }
            self.read();
        };
        let (status, start, length) = end;
        while self.1.len() < start + length {
            self.read();
        }
        (status, self.1[start..start + length].to_vec())
    }

    fn read(&mut self) {
        let mut room = [0; 65_536];
        let read = self.0.read(&mut room).expect("the server answers");
        assert!(read > 0, "the server closed the connection");
        self.1.extend_from_slice(&room[..read]);
    }
}

/// The text of a request.
pub(crate) fn request(method: &str, path: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n{headers}Content-Length: {length}\r\n\r\n{body}")
}

/// The status, where the body starts, and its length, once the head is whole.
fn end_of(bytes: &[u8]) -> Option<(u16, usize, usize)> {
    let mut headers = [httparse::EMPTY_HEADER; 32];
    let mut response = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(start) = response.parse(bytes).expect("an answer") else { return None };
    let length = response.headers.iter().find(|header| header.name.eq_ignore_ascii_case("content-length"));
    let length = length.and_then(|header| std::str::from_utf8(header.value).ok()?.parse().ok());
    Some((response.code.expect("a whole head"), start, length.expect("answers have a length")))
}
