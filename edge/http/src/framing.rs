//! Where one request ends and the next begins, read from the bytes before hyper changes them.
//!
//! hyper drops a Content-Length next to a Transfer-Encoding and the second of two equal ones, and takes any list of codings
//! that ends in `chunked`, so a handler never learns that another reader could see other requests in the same bytes (D-03). [`Framing`] reads every head as it
//! arrives and notes the first that is ambiguous, for the request it belongs to.
//!
//! Not here: what hyper refuses by itself, such as unequal lengths, folded lines and unknown codings.

use crate::limits::HEAD_MAX;
use std::cell::{Cell, RefCell};

/// Bytes of a line kept until the rest of it arrives; hyper refuses a larger head.
const LINE_MAX: usize = HEAD_MAX;
/// Capacity that a connection keeps for the next such line.
const SPARE_MAX: usize = 1024;

/// The framing of a connection's requests, as far as their bytes have arrived.
#[derive(Debug, Default)]
pub(crate) struct Framing {
    heads: RefCell<Heads>,
    /// Requests handed to the service so far.
    served: Cell<u64>,
}

impl Framing {
    /// Looks at bytes as they arrive.
    pub(crate) fn feed(&self, bytes: &[u8]) {
        self.heads.borrow_mut().feed(bytes);
    }

    /// Bytes of a head whose end has not arrived.
    pub(crate) fn unfinished(&self) -> usize {
        self.heads.borrow().unfinished
    }

    /// Whether all bytes of the request that was served last have arrived. The end of a body in chunks is not known here.
    pub(crate) fn is_whole(&self) -> bool {
        let heads = self.heads.borrow();
        heads.requests > self.served.get() || heads.part == Part::Head
    }

    /// Whether nothing after the requests that were served has arrived.
    pub(crate) fn is_idle(&self) -> bool {
        let heads = self.heads.borrow();
        heads.requests == self.served.get() && heads.part == Part::Head && heads.unfinished == 0
    }

    /// Counts the request that is served next, and returns its verdict.
    pub(crate) fn next(&self) -> Verdict {
        self.served.set(self.served.get() + 1);
        let heads = self.heads.borrow();
        let of_this = heads.last.filter(|last| last.request <= self.served.get());
        of_this.map_or(Verdict::Clear, |last| last.verdict)
    }
}

/// Whether the end of a request is certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The end is certain; the connection may go on.
    Clear,
    /// The body comes in chunks, which only hyper parses: the connection ends after this request.
    Last,
    /// The request could be read in two ways, for this reason.
    Ambiguous(&'static str),
}

/// The request that ends a connection.
#[derive(Clone, Copy, Debug)]
struct Last {
    request: u64,
    verdict: Verdict,
}

/// The part that the next bytes belong to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Head,
    /// A body with this many bytes left.
    Body(u64),
    /// No further byte is read: the connection ends with a request already seen.
    Rest,
}

/// A reader of heads.
#[derive(Debug, Default)]
struct Heads {
    part: Part,
    /// The beginning of a line whose end has not arrived.
    partial: Vec<u8>,
    /// Bytes of this head so far.
    unfinished: usize,
    /// Lines of this head so far.
    lines: u32,
    lengths: u32,
    /// The last Content-Length, if it is a number.
    length: Option<u64>,
    codings: u32,
    /// Whether a Transfer-Encoding is other than `chunked` alone.
    other_coding: bool,
    bare_line_feed: bool,
    /// Heads read to their end.
    requests: u64,
    last: Option<Last>,
}

impl Heads {
    fn feed(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            bytes = match self.part {
                Part::Head => self.feed_head(bytes),
                Part::Body(left) => self.skip_body(left, bytes),
                Part::Rest => return,
            };
        }
    }

    fn skip_body<'a>(&mut self, left: u64, bytes: &'a [u8]) -> &'a [u8] {
        let count = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
        let left = left - u64::try_from(count).unwrap_or(left);
        self.part = if left == 0 { Part::Head } else { Part::Body(left) };
        bytes.get(count..).unwrap_or_default()
    }

    /// Takes one line, or keeps its beginning. Returns the bytes after it.
    fn feed_head<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let Some(end) = memchr::memchr(b'\n', bytes) else {
            self.partial.extend_from_slice(bytes);
            self.unfinished += bytes.len();
            if self.partial.len() > LINE_MAX {
                self.partial = Vec::new();
                self.part = Part::Rest;
            }
            return &[];
        };
        let (line, rest) = bytes.split_at(end + 1);
        self.unfinished += line.len();
        if self.partial.is_empty() {
            self.line(line);
        } else {
            let mut whole = std::mem::take(&mut self.partial);
            whole.extend_from_slice(line);
            self.line(&whole);
            if whole.capacity() <= SPARE_MAX {
                whole.clear();
                self.partial = whole;
            }
        }
        rest
    }

    fn line(&mut self, line: &[u8]) {
        let text = match line {
            [text @ .., b'\r', b'\n'] => text,
            [text @ .., b'\n'] => {
                self.bare_line_feed = true;
                text
            }
            _ => line,
        };
        match (text.is_empty(), self.lines) {
            // Empty lines before a request are skipped, as hyper does.
            (true, 0) => {}
            (true, _) => self.end_of_head(),
            (false, _) => {
                self.lines += 1;
                self.field(text);
            }
        }
    }

    fn field(&mut self, text: &[u8]) {
        // The first letter rules out most lines.
        if !matches!(text.first(), Some(b'C' | b'c' | b'T' | b't')) {
            return;
        }
        if let Some(value) = value_of(text, b"content-length:") {
            self.lengths += 1;
            self.length = std::str::from_utf8(value).ok().and_then(|digits| digits.trim().parse().ok());
        } else if let Some(value) = value_of(text, b"transfer-encoding:") {
            self.codings += 1;
            self.other_coding |= !value.trim_ascii().eq_ignore_ascii_case(b"chunked");
        }
    }

    fn end_of_head(&mut self) {
        self.requests += 1;
        let verdict = self.verdict();
        self.part = match (verdict, self.lengths, self.length) {
            (Verdict::Clear, 0, _) | (Verdict::Clear, _, Some(0)) => Part::Head,
            (Verdict::Clear, _, Some(length)) => Part::Body(length),
            // A length that is no number: hyper refuses the request.
            (Verdict::Clear, _, None) | (Verdict::Last | Verdict::Ambiguous(_), ..) => Part::Rest,
        };
        if verdict != Verdict::Clear {
            self.last = Some(Last { request: self.requests, verdict });
        }
        (self.lines, self.lengths, self.length, self.codings) = (0, 0, None, 0);
        self.other_coding = false;
        self.unfinished = 0;
    }

    fn verdict(&self) -> Verdict {
        if self.bare_line_feed {
            return Verdict::Ambiguous("a line ends without a carriage return");
        }
        match (self.lengths, self.codings) {
            (0 | 1, 0) => Verdict::Clear,
            (0, 1) if self.other_coding => {
                Verdict::Ambiguous("a Transfer-Encoding other than 'chunked' alone")
            }
            (0, 1) => Verdict::Last,
            (0, _) => Verdict::Ambiguous("more than one Transfer-Encoding"),
            (_, 0) => Verdict::Ambiguous("more than one Content-Length"),
            _ => Verdict::Ambiguous("both Content-Length and Transfer-Encoding"),
        }
    }
}

/// The value of a header line with this name. `name` is in lower case and ends with the colon.
fn value_of<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let (found, value) = line.split_at_checked(name.len())?;
    found.eq_ignore_ascii_case(name).then_some(value)
}

#[cfg(test)]
mod tests;
