//! Sockets: the streams of the exchange, over a WebSocket client that shares no code with the server.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue};
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::client::Client;
use crate::sign::Signed;

/// The way a socket ends or does not open.
#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    /// The exchange refused the handshake with this status and body.
    #[error("refused with {status}: {body}")]
    Refused {
        /// HTTP status code.
        status: u16,
        /// The body.
        body: String,
    },
    /// The socket has closed: with this code, if there was a close frame.
    #[error("closed with {0:?}")]
    Closed(Option<u16>),
    /// No frame in time.
    #[error("no frame within {0:?}")]
    TimedOut(Duration),
    /// The connection broke, or the other side broke the protocol.
    #[error("the connection broke: {0}")]
    Broken(Box<tungstenite::Error>),
}

impl From<tungstenite::Error> for SocketError {
    fn from(error: tungstenite::Error) -> Self {
        use tungstenite::Error::{AlreadyClosed, ConnectionClosed, Http};
        if matches!(error, ConnectionClosed | AlreadyClosed) {
            return Self::Closed(None);
        }
        let Http(response) = error else { return Self::Broken(Box::new(error)) };
        let body = response.body().as_deref().unwrap_or_default();
        let body = String::from_utf8_lossy(body).into_owned();
        Self::Refused { status: response.status().as_u16(), body }
    }
}

/// An open socket.
#[derive(Debug)]
pub struct Stream(WebSocketStream<TcpStream>);

impl Stream {
    /// Opens a socket at `host:port` and a path with its query, with these header fields.
    pub async fn open(
        authority: &str,
        path: &str,
        headers: &[(String, String)],
    ) -> Result<Self, SocketError> {
        let mut request = format!("ws://{authority}{path}").into_client_request()?;
        for (name, value) in headers {
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(tungstenite::http::Error::from);
            let value = HeaderValue::from_str(value).map_err(tungstenite::http::Error::from);
            let (name, value) =
                (name.map_err(tungstenite::Error::from)?, value.map_err(tungstenite::Error::from)?);
            request.headers_mut().append(name, value);
        }
        let stream = TcpStream::connect(authority).await.map_err(tungstenite::Error::from)?;
        stream.set_nodelay(true).map_err(tungstenite::Error::from)?;
        let (socket, _) = client_async(request, stream).await?;
        Ok(Self(socket))
    }

    /// The next text frame, within this time. Pings are answered meanwhile.
    pub async fn next(&mut self, within: Duration) -> Result<String, SocketError> {
        let next = async {
            while let Some(message) = self.0.next().await {
                match message? {
                    Message::Text(text) => return Ok(text.as_str().to_owned()),
                    Message::Close(frame) => {
                        return Err(SocketError::Closed(frame.map(|frame| frame.code.into())));
                    }
                    Message::Binary(_) | Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
                }
            }
            Err(SocketError::Closed(None))
        };
        tokio::time::timeout(within, next).await.map_err(|_| SocketError::TimedOut(within))?
    }

    /// Sends a text message.
    pub async fn send(&mut self, text: impl Into<String>) -> Result<(), SocketError> {
        Ok(self.0.send(Message::text(text.into())).await?)
    }

    /// Closes the socket as a proper client does.
    pub async fn close(&mut self) -> Result<(), SocketError> {
        Ok(self.0.close(None).await?)
    }
}

impl Client {
    /// Opens a public socket.
    pub async fn stream(&self, path: &str) -> Result<Stream, SocketError> {
        Stream::open(self.authority(), path, &[]).await
    }

    /// Opens `/v1/order/events` with a query string, signed as a call; `params` may name the account.
    pub async fn order_events(&self, query: &str, params: Value) -> Result<Stream, SocketError> {
        const PATH: &str = "/v1/order/events";
        let refused = |error: crate::Error| SocketError::Refused { status: 0, body: error.to_string() };
        let payload = Value::Object(self.payload(PATH, params).map_err(refused)?);
        let signed = self.sign(payload.to_string().as_bytes()).map_err(refused)?;
        Stream::open(self.authority(), &format!("{PATH}{query}"), &signed.headers()).await
    }

    /// Opens the newest socket at a path with its query, signed with a time in seconds.
    pub async fn fast(&self, path: &str, seconds: u64) -> Result<Stream, SocketError> {
        let nonce = seconds.to_string();
        let refused = |error: crate::Error| SocketError::Refused { status: 0, body: error.to_string() };
        let signed: Signed = self.sign(nonce.as_bytes()).map_err(refused)?;
        let mut headers = signed.headers();
        headers.push(("X-SVC-NONCE".to_owned(), nonce));
        Stream::open(self.authority(), path, &headers).await
    }
}
