//! The body of a request.

use crate::connection_care::Connections;
use crate::connection_state::Connection;
use crate::fault::Fault;
use crate::limits::{BODY_MAX, BODY_WAIT};
use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};

/// A body that has not been read yet.
#[derive(Debug)]
pub struct Body<'a> {
    /// None at the end of the body.
    pub(crate) incoming: &'a mut Option<Incoming>,
    pub(crate) connections: &'a Connections,
    pub(crate) connection: &'a Connection,
    pub(crate) is_whole: bool,
}

impl Body<'_> {
    /// Whether there is nothing left to read. A request without a body is at its end from the start.
    pub fn is_at_end(&self) -> bool {
        self.incoming.is_none()
    }

    /// Whether reading it waits for no byte of the client. The end of a body in chunks is not known before it is read.
    pub fn has_arrived(&self) -> bool {
        self.incoming.is_none() || self.is_whole
    }

    /// Refuses a body that is announced as too large.
    ///
    /// # Errors
    /// [`Fault::BodyTooLarge`].
    pub fn check_size(&self) -> Result<(), Fault> {
        self.check_announced(BODY_MAX)
    }

    fn check_announced(&self, max: usize) -> Result<(), Fault> {
        let announced = self.incoming.as_ref().map_or(0, |body| body.size_hint().lower());
        let is_too_large = announced > u64::try_from(max).unwrap_or(u64::MAX);
        if is_too_large { Err(Fault::BodyTooLarge(max)) } else { Ok(()) }
    }

    /// Reads the whole body into one buffer.
    ///
    /// # Errors
    /// When it is too large, takes too long or cannot be read. The connection then closes after the answer.
    pub async fn read(mut self) -> Result<Vec<u8>, Fault> {
        self.read_at_most(BODY_MAX).await
    }

    /// The same for a body of at most this many bytes, and never more than 64 KiB. A second call finds nothing.
    ///
    /// # Errors
    /// As for [`Body::read`].
    pub async fn read_at_most(&mut self, max: usize) -> Result<Vec<u8>, Fault> {
        let mut bytes = Vec::new();
        let (connections, connection) = (self.connections, self.connection);
        let keep = |piece: &[u8]| {
            connections.hold(connection, piece.len());
            bytes.extend_from_slice(piece);
        };
        self.consume(max.min(BODY_MAX), keep).await?;
        Ok(bytes)
    }

    /// Reads the whole body and discards it, so that the next request begins where it ends.
    ///
    /// # Errors
    /// As for [`Body::read`].
    pub async fn skip(mut self) -> Result<(), Fault> {
        self.consume(BODY_MAX, |_| ()).await
    }

    /// Hands each piece to `take`, which must not keep it: a piece of one byte pins the buffer that it was read into.
    async fn consume(&mut self, max: usize, mut take: impl FnMut(&[u8])) -> Result<(), Fault> {
        self.check_announced(max)?;
        let Some(body) = self.incoming.as_mut() else { return Ok(()) };
        self.connection.is_reading.set(true);
        let to_its_end = async {
            let mut count = 0;
            while let Some(frame) = body.frame().await {
                let frame = frame.map_err(|_| Fault::BodyUnreadable)?;
                let piece = frame.data_ref().map_or(&[][..], |piece| piece);
                count += piece.len();
                if count > max {
                    return Err(Fault::BodyTooLarge(max));
                }
                take(piece);
            }
            Ok(())
        };
        tokio::time::timeout(BODY_WAIT, to_its_end).await.unwrap_or(Err(Fault::BodyLate))?;
        *self.incoming = None;
        self.connections.end_of_body(self.connection);
        Ok(())
    }
}
