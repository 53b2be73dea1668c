//! An answer before it becomes HTTP.

use buttonwood_gate::Refusal;
use bytes::Bytes;
use http::header::{ALLOW, CONNECTION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use http::{Response, StatusCode};
use http_body_util::Full;

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

    pub(crate) fn into_http(self) -> Response<Full<Bytes>> {
        let mut response = Response::new(Full::new(Bytes::from(self.body)));
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
