//! Heads in one piece and in single bytes, and what they say about the request they belong to.

use super::*;

const GET: &str = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

fn post(fields: &str, body: &str) -> String {
    format!("POST /v1/balances HTTP/1.1\r\nHost: x\r\n{fields}\r\n{body}")
}

/// The verdict on each request, however the bytes are cut: pieces of 1, 2, 3… bytes, then all at once.
fn verdicts(text: &str, requests: usize) -> Vec<Verdict> {
    let of_pieces = |size: usize| {
        let framing = Framing::default();
        for piece in text.as_bytes().chunks(size) {
            framing.heads.borrow_mut().feed(piece);
        }
        (0..requests).map(|_| framing.next()).collect::<Vec<_>>()
    };
    let whole = of_pieces(text.len());
    for size in 1..8 {
        assert_eq!(of_pieces(size), whole, "in pieces of {size}: {text}");
    }
    whole
}

#[test]
fn plain_requests_are_clear() {
    let two = post("Content-Length: 5\r\n", "a\r\n\r\n") + &post("content-length:0\r\n", "") + GET;
    assert_eq!(verdicts(&two, 3), [Verdict::Clear; 3]);
    assert_eq!(verdicts(&format!("\r\n\r\n{GET}"), 1), [Verdict::Clear]);
    // Only a header's whole name counts, and a body is not read as a head.
    let odd = post(
        "X-Content-Length: 1\r\nContent-Length: 40\r\n",
        "Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
    );
    assert_eq!(verdicts(&(odd + GET), 2), [Verdict::Clear; 2]);
}

#[test]
fn chunks_end_the_connection() {
    for field in ["TRANSFER-ENCODING: chunked", "transfer-encoding:\t Chunked \t"] {
        let chunked = post(&format!("{field}\r\n"), "0\r\n\r\n") + GET;
        assert_eq!(verdicts(&chunked, 1), [Verdict::Last]);
    }
}

#[test]
fn two_readings_are_noted_for_their_request() {
    let cases = [
        ("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "both Content-Length and Transfer-Encoding"),
        ("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "both Content-Length and Transfer-Encoding"),
        ("Content-Length: 2\r\ncontent-length: 2\r\n", "more than one Content-Length"),
        ("Transfer-Encoding: x\r\nTransfer-Encoding: chunked\r\n", "more than one Transfer-Encoding"),
        ("Transfer-Encoding: gzip, chunked\r\n", "a Transfer-Encoding other than 'chunked' alone"),
        ("Transfer-Encoding: chunked, chunked\r\n", "a Transfer-Encoding other than 'chunked' alone"),
        ("X: y\nContent-Length: 0\r\n", "a line ends without a carriage return"),
    ];
    for (fields, why) in cases {
        let text = GET.to_owned() + &post(fields, "0\r\n\r\n") + GET;
        assert_eq!(verdicts(&text, 2), [Verdict::Clear, Verdict::Ambiguous(why)], "{fields}");
    }
}

#[test]
fn a_line_without_end_is_not_kept() {
    let mut heads = Heads::default();
    for _ in 0..100 {
        heads.feed(&[b'x'; 4096]);
    }
    assert!(heads.partial.capacity() == 0 && heads.part == Part::Rest);
}

/// A long line leaves no memory behind, a short one what the next can use.
#[test]
fn a_whole_line_leaves_little_behind() {
    let mut heads = Heads::default();
    for pieces in [["GET / HT", "TP/1.1\r\n"], ["X: y", "\r\n"], [&"x".repeat(30_000), "\r\n"]] {
        for piece in pieces {
            heads.feed(piece.as_bytes());
        }
        assert!(heads.partial.is_empty() && heads.partial.capacity() <= SPARE_MAX);
    }
}

/// Bytes count from the end of a request on, however they come.
#[test]
fn the_beginning_of_a_head_is_counted() {
    let framing = Framing::default();
    let counted = |text: &str| {
        framing.feed(text.as_bytes());
        framing.unfinished()
    };
    assert_eq!([counted("GET / HTTP/1.1\r\nHo"), counted("st: x\r\n"), counted("\r\n")], [18, 25, 0]);
    assert_eq!(counted(&format!("{GET}{GET}GET / ")), 6);
    assert_eq!(counted("HTTP/1.1\r\nContent-Length: 8\r\n\r\n\r\n12"), 0, "a body is no head");
    assert_eq!(counted("3456GET / "), 6);
}
