//! An answer before it becomes HTTP.

use buttonwood_gate::Refusal;
use bytes::Bytes;
use http::header::{ALLOW, CONNECTION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use http::{Response, StatusCode};
use hyper::body::{Body, Frame, SizeHint};
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The media type of every answer of the interface but the few plain ones (TYPE-024).
const JSON: &str = "application/json";

/// Status, media type and body.
#[derive(Debug)]
pub(crate) struct Reply {
    status: StatusCode,
    content_type: &'static str,
    body: Vec<u8>,
    retry_after: Option<u32>,
    allow: Option<&'static str>,
    close: bool,
}

impl Reply {
    pub(crate) fn json(body: Vec<u8>) -> Self {
        Self::of(StatusCode::OK, JSON, body)
    }

    pub(crate) fn text(status: StatusCode, body: impl Into<Vec<u8>>) -> Self {
        Self::of(status, "text/plain; charset=utf-8", body.into())
    }

    pub(crate) fn page(content_type: &'static str, body: Vec<u8>) -> Self {
        Self::of(StatusCode::OK, content_type, body)
    }

    fn of(status: StatusCode, content_type: &'static str, body: Vec<u8>) -> Self {
        Self { status, content_type, body, retry_after: None, allow: None, close: false }
    }

    pub(crate) fn allowing(self, method: &'static str) -> Self {
        Self { allow: Some(method), ..self }
    }

    /// The connection closes after this answer.
    pub(crate) fn closing(self) -> Self {
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

    pub(crate) fn into_http(self) -> Response<Pieces> {
        let mut response = Response::new(Pieces(Bytes::from(self.body)));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        if let Some(seconds) = self.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if let Some(method) = self.allow {
            headers.insert(ALLOW, HeaderValue::from_static(method));
        }
        if self.close {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

/// Bytes of a body that are handed to a connection at once. It copies them to where it writes from, and keeps memory for the
/// largest copy as long as it is open: a client could have it keep megabytes for each of thousands of connections.
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

impl From<Refusal> for Reply {
    fn from(refusal: Refusal) -> Self {
        let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::BAD_REQUEST);
        Self {
            retry_after: refusal.retry_after,
            close: refusal.close,
            ..Self::of(status, JSON, refusal.body())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::Waker;

    /// All of a body comes, in its order, and none of it in a piece too large to be kept for every connection.
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
