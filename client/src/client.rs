//! The client itself: public GETs, signed POSTs and GETs, and requests built by hand.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::Full;
use serde_json::{Map, Value};

use crate::connection::Connection;
use crate::nonce::{NonceSource, Nonces};
use crate::reply::{Error, Reply};
use crate::sign::{Credentials, Signed, Signer};

/// Long enough for a loaded test machine, short enough to notice a hanging exchange.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Talks to one exchange, with one key or none, over one connection.
///
/// A clone shares key and nonces but has its own connection, so clones may work side by side.
#[derive(Debug)]
pub struct Client {
    connection: Connection,
    signer: Option<Signer>,
    nonces: Arc<Nonces>,
    /// Sent with every signed call: a master key names its account (AUTH-016).
    account: Option<String>,
}

impl Clone for Client {
    fn clone(&self) -> Self {
        Self {
            connection: Connection::new(self.connection.authority().to_owned(), self.connection.timeout()),
            signer: self.signer.clone(),
            nonces: Arc::clone(&self.nonces),
            account: self.account.clone(),
        }
    }
}

impl Client {
    /// A client of the exchange at `base_url`, `http://host:port`. Nothing is sent yet.
    pub fn new(base_url: &str) -> Result<Self, Error> {
        let wrong = || Error::Address(base_url.to_owned());
        let authority = base_url.strip_prefix("http://").ok_or_else(wrong)?.trim_end_matches('/');
        let authority: http::uri::Authority = authority.parse().map_err(|_| wrong())?;
        let authority = authority.port().map_or_else(|| format!("{authority}:80"), |_| authority.to_string());
        Ok(Self {
            connection: Connection::new(authority, TIMEOUT),
            signer: None,
            nonces: Arc::default(),
            account: None,
        })
    }

    /// The same client, signing its calls with a key.
    #[must_use]
    pub fn with_key(mut self, credentials: Credentials) -> Self {
        self.signer = Some(credentials.into_signer());
        self
    }

    /// The same client with nonces of another kind, none of them used yet.
    #[must_use]
    pub fn with_nonces(mut self, source: NonceSource) -> Self {
        self.nonces = Arc::new(Nonces::new(source));
        self
    }

    /// The same client with nonces above one that its key has used.
    #[must_use]
    pub fn with_nonces_above(mut self, last: u64) -> Self {
        self.nonces = Arc::new(Nonces::above(last));
        self
    }

    /// The same client, naming `account` in every signed call that names none.
    #[must_use]
    pub fn with_account(mut self, account: impl Into<String>) -> Self {
        self.account = Some(account.into());
        self
    }

    /// The same client with another limit on the time a call may take.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.connection = Connection::new(self.connection.authority().to_owned(), timeout);
        self
    }

    /// `host:port` of the exchange.
    pub fn authority(&self) -> &str {
        self.connection.authority()
    }

    /// The next nonce of this client's key.
    pub fn next_nonce(&self) -> u64 {
        self.nonces.next()
    }

    /// A public GET; `path` may carry a query.
    pub async fn get(&self, path: &str) -> Result<Reply, Error> {
        self.send_raw("GET", path, &[], Bytes::new()).await
    }

    /// A signed POST with an empty body. `params` is a JSON object; `request`, `nonce` and, for a client with
    /// an account, `account` are added where they are missing.
    pub async fn call(&self, path: &str, params: Value) -> Result<Reply, Error> {
        let payload = Value::Object(self.payload(path, params)?);
        self.call_payload(path, payload.to_string().as_bytes()).await
    }

    /// A signed POST whose payload is exactly these bytes, JSON or not.
    pub async fn call_payload(&self, path: &str, payload: &[u8]) -> Result<Reply, Error> {
        self.send_payload("POST", path, payload).await
    }

    /// A signed GET; `path` may carry a query, which its `request` then carries too.
    pub async fn signed_get(&self, path: &str, params: Value) -> Result<Reply, Error> {
        let payload = Value::Object(self.payload(path, params)?);
        self.send_payload("GET", path, payload.to_string().as_bytes()).await
    }

    async fn send_payload(&self, method: &str, path: &str, payload: &[u8]) -> Result<Reply, Error> {
        let signed = self.sign(payload)?;
        self.send_raw(method, path, &signed.headers(), Bytes::new()).await
    }

    /// The payload that [`Client::call`] would sign.
    pub fn payload(&self, path: &str, params: Value) -> Result<Map<String, Value>, Error> {
        let mut payload = match params {
            Value::Null => Map::new(),
            Value::Object(params) => params,
            other @ (Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
                return Err(Error::Params(other));
            }
        };
        payload.entry("request").or_insert_with(|| path.into());
        payload.entry("nonce").or_insert_with(|| self.nonces.next().into());
        if let Some(account) = &self.account {
            payload.entry("account").or_insert_with(|| account.as_str().into());
        }
        Ok(payload)
    }

    /// Encodes and signs a payload with this client's key.
    pub fn sign(&self, payload: &[u8]) -> Result<Signed, Error> {
        Ok(self.signer.as_ref().ok_or(Error::NoKey)?.sign(payload))
    }

    /// Any request, as long as it is HTTP at all. `Host` and `Content-Length` are added where missing.
    pub async fn send_raw(
        &self,
        method: &str,
        path: &str,
        headers: &[(String, String)],
        body: Bytes,
    ) -> Result<Reply, Error> {
        let method = Method::from_bytes(method.as_bytes()).map_err(http::Error::from)?;
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        self.connection.send(request.body(Full::new(body))?).await
    }
}
