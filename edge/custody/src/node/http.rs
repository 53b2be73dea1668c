//! One HTTP request to a node, and its answer, within a time and a size.

use super::NodeUrl;
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

/// The largest answer: a block of the largest networks, with room.
const ANSWER_MAX: usize = 64 << 20;

/// The largest head of an answer.
const HEAD_MAX: usize = 64 << 10;

#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

/// Posts a JSON document. An error says what failed, without secrets.
pub(super) fn post(url: &NodeUrl, body: &[u8], timeout: Duration) -> Result<Reply, String> {
    let answer = exchange(url, body, timeout).map_err(|error| error.to_string())?;
    read(&answer).ok_or_else(|| "a malformed answer".to_owned())
}

fn exchange(url: &NodeUrl, body: &[u8], timeout: Duration) -> io::Result<Vec<u8>> {
    let deadline = Instant::now() + timeout;
    let mut stream = connect(url, timeout)?;
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(timeout))?;
    let host = if url.host.contains(':') { format!("[{}]", url.host) } else { url.host.clone() };
    let mut head = format!(
        "POST {} HTTP/1.1\r\nHost: {host}:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Accept: application/json\r\nConnection: close\r\n",
        url.path,
        url.port,
        body.len()
    );
    if let Some(authorization) = &url.authorization {
        head.extend(["Authorization: ", authorization, "\r\n"]);
    }
    head += "\r\n";
    stream.write_all(&[head.as_bytes(), body].concat())?;
    let mut answer = Vec::new();
    let mut room = vec![0; 64 << 10];
    loop {
        // The limit is on the whole answer: a node that drips bytes is slow too.
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        let count = match stream.read(&mut room) {
            Ok(0) => return Ok(answer),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        answer.extend_from_slice(room.get(..count).unwrap_or_default());
        if answer.len() > ANSWER_MAX {
            return Err(io::Error::other("the answer is too large"));
        }
        if is_whole(&answer) {
            return Ok(answer);
        }
    }
}

fn connect(url: &NodeUrl, timeout: Duration) -> io::Result<TcpStream> {
    let mut failed = io::Error::from(io::ErrorKind::NotFound);
    for address in (url.host.as_str(), url.port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, timeout) {
            Ok(stream) => return Ok(stream),
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

/// The head of an answer, and what follows it.
fn split(answer: &[u8]) -> Option<(&str, &[u8])> {
    let start = answer.get(..answer.len().min(HEAD_MAX))?;
    let end = start.windows(4).position(|four| four == b"\r\n\r\n")?;
    Some((std::str::from_utf8(answer.get(..end)?).ok()?, answer.get(end + 4..)?))
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut fields = head.lines().skip(1).filter_map(|line| line.split_once(':'));
    fields.find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

fn content_length(head: &str) -> Option<usize> {
    header(head, "content-length")?.parse().ok()
}

/// Whether a server that keeps the connection open has sent all that it announced.
fn is_whole(answer: &[u8]) -> bool {
    let Some((head, body)) = split(answer) else { return false };
    match content_length(head) {
        Some(length) => body.len() >= length,
        None => answer.ends_with(b"\r\n0\r\n\r\n"),
    }
}

fn read(answer: &[u8]) -> Option<Reply> {
    let (head, rest) = split(answer)?;
    let status = head.strip_prefix("HTTP/1.")?.split(' ').nth(1)?.parse().ok()?;
    let is_chunked =
        header(head, "transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked"));
    let body = if is_chunked {
        chunks(rest)?
    } else {
        match content_length(head) {
            Some(length) => rest.get(..length)?.to_vec(),
            None => rest.to_vec(),
        }
    };
    Some(Reply { status, body })
}

/// The content of a chunked body.
fn chunks(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = rest.windows(2).position(|two| two == b"\r\n")?;
        let line = std::str::from_utf8(rest.get(..end)?).ok()?;
        let digits = line.split(';').next().unwrap_or_default().trim();
        let length = usize::from_str_radix(digits, 16).ok().filter(|length| *length <= ANSWER_MAX)?;
        if length == 0 {
            return Some(body);
        }
        let start = end + 2;
        body.extend_from_slice(rest.get(start..start + length)?);
        rest = rest.get(start + length..)?.strip_prefix(b"\r\n")?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;
    use std::thread;

    /// Asks a server that answers once, with these bytes.
    fn answered(answer: &'static [u8]) -> Result<Reply, String> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut room = [0; 4096];
            let mut read = stream.read(&mut room).unwrap();
            while !room[..read].ends_with(b"{}") {
                read += stream.read(&mut room[read..]).unwrap();
            }
            stream.write_all(answer).unwrap();
        });
        let url = NodeUrl::parse(&format!("http://127.0.0.1:{port}/")).unwrap();
        let reply = post(&url, b"{}", Duration::from_secs(10));
        server.join().unwrap();
        reply
    }

    #[test]
    fn reads_every_framing() {
        for answer in [
            b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".as_slice(),
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n",
            b"HTTP/1.0 200 OK\r\n\r\nhello",
        ] {
            let reply = answered(answer).unwrap();
            assert_eq!((reply.status, reply.body.as_slice()), (200, b"hello".as_slice()));
        }
    }

    #[test]
    fn refuses_broken_answers() {
        for answer in [
            b"".as_slice(),
            b"garbage\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nhello",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nhe\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe",
        ] {
            assert!(answered(answer).is_err(), "{answer:?}");
        }
    }
}
