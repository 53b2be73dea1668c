//! A socket of a test, from blocking code.

use std::time::Duration;

use buttonwood_client::{Client, SocketError, Stream};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use crate::actor::Actor;
use crate::contract;
use crate::exchange::Exchange;

/// How long a frame may take that must come.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long a frame is waited for that should not come.
const SILENCE: Duration = Duration::from_millis(300);

/// An open socket.
#[derive(Debug)]
pub struct Socket {
    runtime: Runtime,
    stream: Stream,
    /// Its path, by which the contract knows its frames.
    path: String,
    /// Frames that came while an answer was awaited.
    pushed: Vec<Value>,
    last_id: u64,
}

impl Socket {
    fn of(path: &str, open: impl AsyncFnOnce() -> Result<Stream, SocketError>) -> Result<Self, SocketError> {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime starts");
        let stream = runtime.block_on(open())?;
        Ok(Self { runtime, stream, path: path.to_owned(), pushed: Vec::new(), last_id: 0 })
    }

    /// The next frame, which must be as the contract says.
    #[track_caller]
    fn receive(&mut self, patience: Duration) -> Result<String, SocketError> {
        let text = self.runtime.block_on(self.stream.next(patience))?;
        contract::check_frame(&self.path, &text)
            .unwrap_or_else(|why| panic!("not as contract/events.json says: {why}: {text}"));
        Ok(text)
    }

    /// A public socket at a path with its query.
    ///
    /// # Errors
    /// The refusal of the handshake.
    pub fn try_public(client: &Client, path: &str) -> Result<Self, SocketError> {
        Self::of(path, async || client.stream(path).await)
    }

    /// A socket at an address and a path with its query, with these header fields.
    ///
    /// # Errors
    /// The refusal of the handshake.
    pub fn try_at(authority: &str, path: &str, fields: &[(&str, &str)]) -> Result<Self, SocketError> {
        let fields: Vec<_> =
            fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Self::of(path, async || Stream::open(authority, path, &fields).await)
    }

    /// Sends a text.
    #[track_caller]
    pub fn send_text(&mut self, text: &str) {
        self.runtime.block_on(self.stream.send(text)).expect("the message leaves");
    }

    /// Sends a JSON message.
    #[track_caller]
    pub fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string());
    }

    /// The next frame, as it came.
    #[track_caller]
    pub fn text(&mut self) -> String {
        self.receive(PATIENCE).unwrap_or_else(|error| panic!("no frame: {error}"))
    }

    /// The next frame.
    #[expect(clippy::should_implement_trait, reason = "a frame that does not come fails the test")]
    #[track_caller]
    pub fn next(&mut self) -> Value {
        if !self.pushed.is_empty() {
            return self.pushed.remove(0);
        }
        let text = self.text();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("no JSON: {error}: {text}"))
    }

    /// Waits until the next frame is here; it stays the next one. After it a socket shows all that happens.
    #[track_caller]
    pub fn wait(&mut self) {
        let frame = self.next();
        self.pushed.insert(0, frame);
    }

    /// The next frame, if one comes within this time.
    #[track_caller]
    pub fn next_within(&mut self, patience: Duration) -> Option<Value> {
        if !self.pushed.is_empty() {
            return Some(self.pushed.remove(0));
        }
        match self.receive(patience) {
            Ok(text) => Some(serde_json::from_str(&text).expect("a frame is JSON")),
            Err(SocketError::TimedOut(_)) => None,
            Err(error) => panic!("no frame: {error}"),
        }
    }

    /// The next frame that is no heartbeat.
    #[track_caller]
    pub fn next_event(&mut self) -> Value {
        loop {
            let frame = self.next();
            if frame["type"] != "heartbeat" {
                return frame;
            }
        }
    }

    /// The next frame that fits.
    #[track_caller]
    pub fn next_that(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let frame = self.next();
            if fits(&frame) {
                return frame;
            }
        }
    }

    /// Asserts that no frame but heartbeats comes.
    #[track_caller]
    pub fn is_silent(&mut self) {
        assert!(self.pushed.is_empty(), "{:?}", self.pushed);
        loop {
            match self.receive(SILENCE) {
                Ok(text) if text.contains("\"heartbeat\"") => {}
                Ok(text) => panic!("an unexpected frame: {text}"),
                Err(SocketError::TimedOut(_)) => return,
                Err(error) => panic!("{error}"),
            }
        }
    }

    /// Reads on until the socket has closed; returns the code of the close frame, if there was one.
    #[track_caller]
    pub fn close_code(&mut self) -> Option<u16> {
        loop {
            match self.receive(PATIENCE) {
                Ok(_) => {}
                Err(SocketError::Closed(code)) => return code,
                Err(SocketError::Broken(_)) => return None,
                Err(error) => panic!("it did not close: {error}"),
            }
        }
    }

    /// A call of the newest socket; returns its answer. Frames that come before it are kept for [`Socket::next`].
    #[track_caller]
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        let mut message = json!({ "id": self.last_id, "method": method });
        if !params.is_null() {
            message["params"] = params;
        }
        self.send(&message);
        loop {
            let text = self.text();
            let frame: Value = serde_json::from_str(&text).expect("a frame is JSON");
            if frame["id"] == self.last_id && frame.get("status").is_some() {
                return frame;
            }
            self.pushed.push(frame);
        }
    }

    /// A call that must succeed; returns its whole answer.
    #[track_caller]
    pub fn ok(&mut self, method: &str, params: Value) -> Value {
        let answer = self.call(method, params);
        assert_eq!(answer["status"], 200, "{answer}");
        answer
    }

    /// A call that must be refused with this status and code; returns the text.
    #[track_caller]
    pub fn refused(&mut self, method: &str, params: Value, status: u16, code: i32) -> String {
        let answer = self.call(method, params);
        assert_eq!((&answer["status"], &answer["error"]["code"]), (&json!(status), &json!(code)), "{answer}");
        answer["error"]["msg"].as_str().expect("a refusal has a text").to_owned()
    }

    /// Closes the socket as a proper client does.
    pub fn close(mut self) {
        let _ = self.runtime.block_on(self.stream.close());
    }
}

impl Exchange {
    /// Opens a public socket.
    #[track_caller]
    pub fn socket(&self, path: &str) -> Socket {
        self.try_socket(path).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// The same; the handshake may be refused.
    ///
    /// # Errors
    /// The refusal.
    pub fn try_socket(&self, path: &str) -> Result<Socket, SocketError> {
        Socket::try_public(&self.anonymous_client(), path)
    }

    /// Opens a socket with these header fields; the handshake may be refused.
    ///
    /// # Errors
    /// The refusal.
    pub fn try_socket_with(&self, path: &str, fields: &[(&str, &str)]) -> Result<Socket, SocketError> {
        Socket::try_at(&self.address(), path, fields)
    }

    /// Opens `/v1/order/events` with a query string for a key.
    #[track_caller]
    pub fn order_events(&self, actor: &Actor, query: &str) -> Socket {
        self.try_order_events(actor, query, json!({}))
            .unwrap_or_else(|error| panic!("{}: {error}", actor.name()))
    }

    /// The same with further fields of the payload; the handshake may be refused.
    ///
    /// # Errors
    /// The refusal.
    pub fn try_order_events(&self, actor: &Actor, query: &str, params: Value) -> Result<Socket, SocketError> {
        Socket::of("/v1/order/events", async || actor.client().order_events(query, params).await)
    }

    /// Opens the newest socket for a key, at a path with its query.
    #[track_caller]
    pub fn fast(&self, key: &str, path: &str) -> Socket {
        let seconds = self.next_handshake();
        self.try_fast(key, path, seconds).unwrap_or_else(|error| panic!("{key}: {error}"))
    }

    /// The same with a nonce of its own; the handshake may be refused.
    ///
    /// # Errors
    /// The refusal.
    pub fn try_fast(&self, key: &str, path: &str, seconds: u64) -> Result<Socket, SocketError> {
        let client = self.client(key);
        Socket::of(path, async || client.fast(path, seconds).await)
    }
}
