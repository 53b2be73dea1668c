//! The body of a request.

use crate::fault::Fault;
use crate::limits::{BODY_MAX, BODY_WAIT};
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Body as _, Incoming};

/// A body that has not been read yet, or only in part.
#[derive(Debug)]
pub struct Body(Option<Incoming>);

impl Body {
    pub(crate) fn new(incoming: Incoming) -> Self {
        Self(if incoming.is_end_stream() { None } else { Some(incoming) })
    }

    /// Whether all of it has been read. A request without a body is at its end from the start.
    pub fn is_at_end(&self) -> bool {
        self.0.is_none()
    }

    /// Reads the whole body, so that the next request begins where it ends.
    ///
    /// # Errors
    /// When it is too large, takes too long or cannot be read. The connection then closes after the answer.
    pub async fn read(&mut self) -> Result<Bytes, Fault> {
        let Some(body) = &mut self.0 else { return Ok(Bytes::new()) };
        if body.size_hint().lower() > u64::try_from(BODY_MAX).unwrap_or(u64::MAX) {
            return Err(Fault::BodyTooLarge);
        }
        match tokio::time::timeout(BODY_WAIT, Limited::new(body, BODY_MAX).collect()).await {
            Ok(Ok(collected)) => {
                self.0 = None;
                Ok(collected.to_bytes())
            }
            Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Fault::BodyTooLarge),
            Ok(Err(_)) => Err(Fault::BodyUnreadable),
            Err(_) => Err(Fault::BodyLate),
        }
    }
}
