//! An answer before it becomes HTTP.

use crate::request_id::REQUEST_ID;
use crate::upgrade::{Accepted, Serve, Upgrade};
use bytes::Bytes;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ALLOW, CACHE_CONTROL, CONNECTION,
    CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION,
    REFERRER_POLICY, RETRY_AFTER, SEC_WEBSOCKET_ACCEPT, SET_COOKIE, UPGRADE, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use http::{Response, StatusCode};
use hyper::body::{Body, Frame, SizeHint};
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use zeroize::Zeroizing;

/// The rights of a file of a page, should a browser show it alone: none. A page names its own.
const PAGE_POLICY: &str = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// For how long a browser may keep the answer to a preflight, in seconds: a day.
const PREFLIGHT_SECONDS: &str = "86400";

/// The fields of an answer that a script of another site's page may read, besides those that it always may.
const SHOWN_TO_PAGES: &str = "Allow, Content-Disposition, Retry-After, WWW-Authenticate, X-Request-Id";

/// Which pages in a browser may read an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Readers {
    /// Those of the exchange.
    Own,
    /// Those of every site.
    All,
    /// Those of every site, and such a page made the call: its script may read further fields.
    Asking,
}

/// An answer: status, media type, body, and further header fields.
#[derive(Debug)]
pub struct Reply {
    status: StatusCode,
    content_type: &'static str,
    body: Bytes,
    retry_after: Option<u32>,
    allow: Option<&'static str>,
    close: bool,
    is_page: bool,
    is_uncached: bool,
    readers: Readers,
    /// Fields of its own. They replace the others of the same name; each cookie is a field more.
    fields: Vec<(HeaderName, HeaderValue)>,
    /// The continuation, if it switches protocols.
    upgrade: Option<Upgrade>,
}

impl Reply {
    /// A JSON text with status 200 (TYPE-024).
    pub fn json(body: Vec<u8>) -> Self {
        Self::of("application/json", body)
    }

    /// A JSON text with a secret in it. It is overwritten once the connection has copied it to its write buffer.
    pub fn secret_json(body: Vec<u8>) -> Self {
        Self::of("application/json", Bytes::from_owner(Zeroizing::new(body)))
    }

    /// A plain text.
    pub fn text(status: StatusCode, body: impl Into<Vec<u8>>) -> Self {
        Self::of("text/plain; charset=utf-8", body.into()).with_status(status)
    }

    /// A text of this media type, with status 200.
    pub fn plain(content_type: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self::of(content_type, body.into())
    }

    /// A page or one of its files, of any media type, with status 200. A text that never changes is not copied, so that readers who
    /// do not read hold nothing of it.
    pub fn page(content_type: &'static str, body: impl Into<Bytes>) -> Self {
        Self { is_page: true, ..Self::of(content_type, body) }
    }

    fn of(content_type: &'static str, body: impl Into<Bytes>) -> Self {
        Self {
            status: StatusCode::OK,
            content_type,
            body: body.into(),
            retry_after: None,
            allow: None,
            close: false,
            is_page: false,
            is_uncached: false,
            readers: Readers::Own,
            fields: Vec::new(),
            upgrade: None,
        }
    }

    /// Switches the connection to a WebSocket (101), which `serve` then serves.
    pub fn switching(accepted: Accepted, serve: Serve) -> Self {
        let reply = Self { upgrade: Some(Upgrade(serve)), ..Self::of("", Vec::new()) };
        reply
            .with_status(StatusCode::SWITCHING_PROTOCOLS)
            .with_header(CONNECTION, HeaderValue::from_static("Upgrade"))
            .with_header(UPGRADE, HeaderValue::from_static("websocket"))
            .with_header(SEC_WEBSOCKET_ACCEPT, accepted.0)
    }

    /// Takes the continuation out, if it switches protocols.
    pub(crate) fn take_upgrade(&mut self) -> Option<Upgrade> {
        self.upgrade.take()
    }

    /// The same with another status.
    #[must_use]
    pub fn with_status(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    /// The same with a `Retry-After` of whole seconds, if there is one.
    #[must_use]
    pub fn retrying_after(self, seconds: Option<u32>) -> Self {
        Self { retry_after: seconds, ..self }
    }

    /// The same with the methods that the path takes.
    #[must_use]
    pub fn allowing(self, methods: &'static str) -> Self {
        Self { allow: Some(methods), ..self }
    }

    /// No cache may keep this answer: it is for one client, or for this moment.
    #[must_use]
    pub fn uncached(self) -> Self {
        Self { is_uncached: true, ..self }
    }

    /// A page of any site may read this answer: a browser adds no cookie to its call. The answer to a call that names its page also
    /// names the fields that the page's script may read.
    #[must_use]
    pub fn open_to_pages(self, is_of_page: bool) -> Self {
        Self { readers: if is_of_page { Readers::Asking } else { Readers::All }, ..self }
    }

    /// The answer to a browser that asks whether a page of another site may make a call, one that is open to pages: with these
    /// methods, and with these header fields.
    pub fn preflight(methods: &'static str, fields: HeaderValue) -> Self {
        Self::of("text/plain; charset=utf-8", Vec::new())
            .with_status(StatusCode::NO_CONTENT)
            .with_header(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(methods))
            .with_header(ACCESS_CONTROL_ALLOW_HEADERS, fields)
            .with_header(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(PREFLIGHT_SECONDS))
    }

    /// A file of this name, which a browser saves.
    #[must_use]
    pub fn attached(self, name: &str) -> Self {
        match HeaderValue::try_from(format!("attachment; filename={name}")) {
            Ok(attachment) => self.with_header(CONTENT_DISPOSITION, attachment),
            Err(_) => self,
        }
    }

    /// The same with this header field, which replaces any other of that name.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.fields.retain(|(known, _)| *known != name);
        self.fields.push((name, value));
        self
    }

    pub(crate) fn with_body(mut self, body: Bytes) -> Self {
        self.body = body;
        self
    }

    /// The same with one more cookie: the value of a `Set-Cookie` field.
    #[must_use]
    pub fn with_cookie(mut self, mut cookie: HeaderValue) -> Self {
        // A secret: it shows in no text of this reply for the log.
        cookie.set_sensitive(true);
        self.fields.push((SET_COOKIE, cookie));
        self
    }

    /// Sends a browser to this address with a GET (303). No cache keeps the answer.
    pub fn redirecting(mut location: HeaderValue) -> Self {
        // It may hold a code.
        location.set_sensitive(true);
        let reply = Self::of("text/plain; charset=utf-8", Vec::new()).with_status(StatusCode::SEE_OTHER);
        reply.uncached().with_header(LOCATION, location)
    }

    /// The same page with a `Content-Security-Policy` of its own. It may not be shown in a frame.
    #[must_use]
    pub fn with_policy(self, policy: HeaderValue) -> Self {
        self.with_header(CONTENT_SECURITY_POLICY, policy)
            // Without a referrer, browsers send the page's forms with `Origin: null`.
            .with_header(REFERRER_POLICY, HeaderValue::from_static("same-origin"))
            .with_header(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"))
    }

    /// The connection closes after this answer.
    #[must_use]
    pub fn closing(self) -> Self {
        Self { close: true, ..self }
    }

    /// Whether the connection closes after this answer.
    pub(crate) fn closes(&self) -> bool {
        self.close
    }

    /// Bytes of its body.
    pub(crate) fn len(&self) -> usize {
        self.body.len()
    }

    /// Its body.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// Its status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    pub(crate) fn content_type(&self) -> &'static str {
        self.content_type
    }

    pub(crate) fn retry_after(&self) -> Option<u32> {
        self.retry_after
    }

    pub(crate) fn into_http(self, request_id: HeaderValue) -> Response<Pieces> {
        let mut response = Response::new(Pieces(self.body));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(REQUEST_ID, request_id);
        if !self.content_type.is_empty() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        }
        // A browser must not guess another media type, and so show a client's own text as a page.
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        if self.is_uncached {
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        }
        if self.readers != Readers::Own {
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        }
        if self.readers == Readers::Asking {
            headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(SHOWN_TO_PAGES));
        }
        if self.is_page {
            headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
            headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(PAGE_POLICY));
        }
        if let Some(seconds) = self.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if let Some(method) = self.allow {
            headers.insert(ALLOW, HeaderValue::from_static(method));
        }
        for (name, value) in self.fields {
            if name == SET_COOKIE {
                headers.append(name, value);
            } else {
                headers.insert(name, value);
            }
        }
        if self.close {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

/// Bytes of a body that a connection gets at once. The connection copies them to its write buffer, and keeps a buffer
/// of the largest copy's size while it is open. Larger pieces would let thousands of connections pin megabytes each.
const PIECE: usize = 32 * 1024;

/// A body on its way to a connection. Nearly every one is a single piece.
#[derive(Debug)]
pub(crate) struct Pieces(Bytes);

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let count = self.0.len().min(PIECE);
        let piece = self.0.split_to(count);
        Poll::Ready((count > 0).then(|| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(u64::try_from(self.0.len()).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::Waker;

    /// Answers, private answers and pages carry the fields that restrict browsers and caches.
    #[test]
    fn heads_guard_against_browsers_and_caches() {
        let fields = |reply: Reply| {
            let head = reply.into_http(HeaderValue::from_static("1")).into_parts().0.headers;
            let names = [X_CONTENT_TYPE_OPTIONS, CACHE_CONTROL, REFERRER_POLICY];
            let [sniffing, cache, referrer] =
                names.map(|name| head.get(name).map(|value| value.to_str().unwrap().to_owned()));
            let policy = head.get(CONTENT_SECURITY_POLICY).map(|value| value.to_str().unwrap().to_owned());
            let in_frames = policy.map(|policy| !policy.contains("frame-ancestors 'none'"));
            (sniffing, cache, referrer, in_frames)
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(fields(Reply::json(Vec::new())), (some("nosniff"), None, None, None));
        let private = Reply::json(Vec::new()).uncached();
        assert_eq!(fields(private), (some("nosniff"), some("no-store"), None, None));
        let page = Reply::page("text/html; charset=utf-8", Vec::new());
        assert_eq!(fields(page), (some("nosniff"), None, some("no-referrer"), Some(false)));
    }

    fn values(reply: Reply, name: &HeaderName) -> Vec<String> {
        let head = reply.into_http(HeaderValue::from_static("1")).into_parts().0.headers;
        head.get_all(name).iter().map(|value| value.to_str().unwrap().to_owned()).collect()
    }

    /// A field of a reply's own replaces the usual one; cookies add up.
    #[test]
    fn a_reply_has_fields_of_its_own() {
        let fixed = HeaderValue::from_static;
        let reply = || {
            let page = Reply::page("text/html; charset=utf-8", Vec::new()).with_policy(fixed(PAGE_POLICY));
            let page = page.uncached();
            let page = page.with_header(CACHE_CONTROL, fixed("max-age=1")).with_header(ALLOW, fixed("GET"));
            page.with_header(ALLOW, fixed("POST")).with_cookie(fixed("a=1")).with_cookie(fixed("b=2"))
        };
        for (name, expected) in [
            (CACHE_CONTROL, &["max-age=1"][..]),
            (ALLOW, &["POST"]),
            (SET_COOKIE, &["a=1", "b=2"]),
            (REFERRER_POLICY, &["same-origin"]),
            (X_FRAME_OPTIONS, &["DENY"]),
            (CONTENT_SECURITY_POLICY, &[PAGE_POLICY]),
        ] {
            assert_eq!(values(reply(), &name), expected, "{name}");
        }
        let policy = "default-src 'none'; frame-ancestors 'none'; form-action 'self' https://app.example";
        let consent = reply().with_policy(fixed(policy));
        assert_eq!(values(consent, &CONTENT_SECURITY_POLICY), [policy]);
        let file = Reply::plain("text/csv", Vec::new()).attached("rows.csv");
        assert_eq!(values(file, &CONTENT_DISPOSITION), ["attachment; filename=rows.csv"]);
        let split = Reply::plain("text/csv", Vec::new()).attached("rows\r\na: b");
        assert!(values(split, &CONTENT_DISPOSITION).is_empty());
    }

    /// A redirect is a 303 that no cache keeps.
    #[test]
    fn a_redirect_names_its_target() {
        let reply = || Reply::redirecting(HeaderValue::from_static("/signin?next=%2Fauth"));
        assert_eq!((reply().status(), reply().len()), (StatusCode::SEE_OTHER, 0));
        assert_eq!(values(reply(), &LOCATION), ["/signin?next=%2Fauth"]);
        assert_eq!(values(reply(), &CACHE_CONTROL), ["no-store"]);
    }

    /// A body arrives whole and in order, in pieces of at most [`PIECE`] bytes.
    #[test]
    fn a_body_comes_in_pieces() {
        for (bytes, pieces) in [(0, 0), (1, 1), (PIECE, 1), (PIECE + 1, 2), (10 * PIECE, 10)] {
            let whole: Vec<u8> = (0..=250).cycle().take(bytes).collect();
            let mut body = Pieces(Bytes::from(whole.clone()));
            let (mut came, mut count) = (Vec::new(), 0);
            while !body.is_end_stream() {
                let left = u64::try_from(bytes - came.len()).ok();
                assert_eq!(body.size_hint().exact(), left);
                let next = Pin::new(&mut body).poll_frame(&mut Context::from_waker(Waker::noop()));
                let Poll::Ready(Some(Ok(frame))) = next else { panic!("there is more") };
                let piece = frame.into_data().expect("it is data");
                assert!((1..=PIECE).contains(&piece.len()));
                came.extend_from_slice(&piece);
                count += 1;
            }
            assert_eq!((came == whole, count), (true, pieces), "{bytes} bytes");
        }
    }
}
