//! Bodies for the refusals that hyper writes by itself (ERR-001).
//!
//! When hyper cannot read a request as HTTP, it answers with its own head and no body, and offers no way to add one.
//! This module recognises such a head as it is written, and appends the handler's body.

use crate::fault::Fault;
use crate::reply::Reply;
use crate::request_id::{REQUEST_ID, RequestId};
use memchr::memmem;

/// The end of a head. Our own answers end with their body, except answers to `HEAD`.
const END: &[u8] = b"\r\n\r\n";
/// The beginning of an answer's first line. The version is that of the last request.
const BEGIN: &[u8] = b"HTTP/1.";
/// The bytes that follow [`BEGIN`] in a refusal: the last digit of the version, and the first digit of the status.
const STATUS: [&[u8]; 2] = [b"0 4", b"1 4"];
/// The length that hyper gives for the missing body.
const NO_BODY: &[u8] = b"\r\ncontent-length: 0\r\n";
/// A field that all our own answers have.
const OURS: &[u8] = b"\r\ncontent-type: ";

/// The offset of hyper's own refusal, if these bytes end with one.
#[inline]
pub(crate) fn bare_refusal(bytes: &[u8]) -> Option<usize> {
    if bytes.ends_with(END) { refusal_in(bytes) } else { None }
}

#[cold]
fn refusal_in(bytes: &[u8]) -> Option<usize> {
    let begin = memmem::rfind(bytes, BEGIN)?;
    let head = bytes.get(begin..)?;
    let status = head.get(BEGIN.len()..)?;
    let is_bare = STATUS.iter().any(|begun| status.starts_with(begun))
        && memmem::find(head, END) == Some(head.len() - END.len())
        && memmem::find(head, NO_BODY).is_some()
        && memmem::find(head, OURS).is_none();
    is_bare.then_some(begin)
}

/// The same refusal with a body that names what is wrong.
pub(crate) fn worded(bare: &[u8], refuse: fn(Fault) -> Reply) -> Vec<u8> {
    let fault = if bare.get(9..12) == Some(b"431") { Fault::HeadTooLarge } else { Fault::Malformed };
    let reply = refuse(fault);
    let at = memmem::find(bare, NO_BODY).unwrap_or(bare.len());
    let (before, rest) = bare.split_at(at);
    let mut bytes = before.to_vec();
    push_content_fields(&mut bytes, &reply);
    bytes.extend_from_slice(rest.get(NO_BODY.len()..).unwrap_or_default());
    bytes.extend_from_slice(reply.body());
    bytes
}

/// The bytes of an answer to a connection whose request is not read.
pub(crate) fn unread(reply: &Reply) -> Vec<u8> {
    let mut bytes = format!("HTTP/1.1 {}", reply.status()).into_bytes();
    if let Some(seconds) = reply.retry_after() {
        bytes.extend_from_slice(format!("\r\nretry-after: {seconds}").as_bytes());
    }
    bytes.extend_from_slice(b"\r\nconnection: close");
    push_content_fields(&mut bytes, reply);
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(reply.body());
    bytes
}

fn push_content_fields(head: &mut Vec<u8>, reply: &Reply) {
    let (kind, length) = (reply.content_type(), reply.len());
    let fields = format!(
        "\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n{REQUEST_ID}: {}\r\n",
        RequestId::fresh()
    );
    head.extend_from_slice(fields.as_bytes());
    head.extend_from_slice(b"x-content-type-options: nosniff\r\ncache-control: no-store\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::StatusCode;

    const BARE: &str =
        "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\ndate: now\r\n\r\n";

    fn text(bytes: Vec<u8>) -> String {
        String::from_utf8(bytes).unwrap()
    }

    fn refuse(fault: Fault) -> Reply {
        let status = StatusCode::from_u16(fault.status()).unwrap();
        Reply::json(format!("\"{fault}\"").into_bytes()).with_status(status).retrying_after(Some(1))
    }

    /// The body of an answer, and a check of the fields about it.
    fn body_of(answer: &str) -> &str {
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(
            format!("{head}\r\n").contains(&format!("\r\ncontent-length: {}\r\n", body.len())),
            "{answer}"
        );
        assert!(head.contains("\r\ncontent-type: application/json\r\n"), "{answer}");
        assert!(head.contains("\r\nconnection: close\r\n"), "{answer}");
        body
    }

    /// A refusal is recognised at any offset, and no other answer is taken for one.
    #[test]
    fn a_bare_refusal_is_recognised() {
        assert_eq!(bare_refusal(BARE.as_bytes()), Some(0));
        assert_eq!(bare_refusal(BARE.replace("/1.1", "/1.0").as_bytes()), Some(0));
        let before = "HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\n{}";
        assert_eq!(bare_refusal(format!("{before}{BARE}").as_bytes()), Some(before.len()));
        let ours = [
            before.to_owned(),
            format!("{BARE}{{}}"),
            BARE.replace("length: 0", "length: 20"),
            BARE.replace(" 400 ", " 200 "),
            BARE.replace("connection: close", "content-type: text/plain"),
            format!("{BARE}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"),
            format!("{}{BARE}", "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n").replace("400", "200"),
            String::new(),
        ];
        for ours in ours {
            assert_eq!(bare_refusal(ours.as_bytes()), None, "{ours}");
        }
    }

    /// hyper's head stays, and the body names what is wrong.
    #[test]
    fn a_refusal_names_what_is_wrong() {
        for (status, why) in [("400", "malformed"), ("431", "40960 bytes or has more than 64")] {
            let answer = text(worded(BARE.replace("400", status).as_bytes(), refuse));
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} Bad Request\r\n")), "{answer}");
            assert!(answer.contains("\r\ndate: now\r\n\r\n\""), "{answer}");
            assert!(body_of(&answer).contains(why), "{answer}");
        }
    }

    #[test]
    fn a_connection_without_a_place_gets_an_answer() {
        let answer = text(unread(&refuse(Fault::TooManyConnections)));
        assert!(answer.starts_with("HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\n"), "{answer}");
        assert!(body_of(&answer).contains("Too many connections"), "{answer}");
    }
}
