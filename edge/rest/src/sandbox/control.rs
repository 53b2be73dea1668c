//! What all control calls share: who may call, and how their bodies are read.

use super::{advance, auctions, clock, credit, listing, maintenance, nonces, status};
use crate::app::App;
use crate::call::Asked;
use crate::reply::Reply;
use buttonwood_engine::{Answer, Body, Command};
use buttonwood_gate::{Payload, Reason, Refusal, quoted};
use bytes::Bytes;
use http::HeaderMap;
use http::header::{CONTENT_TYPE, HOST};
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

/// One turn of the simulated traders, in progress.
pub type Step = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Lets the simulated traders take a turn; called while a manual clock moves.
#[derive(Clone)]
pub struct Steps(Arc<dyn Fn() -> Step + Send + Sync>);

impl Steps {
    /// Steps that `turn` takes.
    pub fn new(turn: impl Fn() -> Step + Send + Sync + 'static) -> Self {
        Self(Arc::new(turn))
    }

    pub(super) fn take(&self) -> Step {
        (self.0)()
    }
}

impl std::fmt::Debug for Steps {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Steps")
    }
}

/// Which control call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Control {
    Clock,
    Advance,
    Credit,
    List,
    Status,
    Auctions,
    Maintenance,
    ResetNonces,
}

impl Control {
    pub(crate) async fn answer(
        self,
        app: &App,
        peer: SocketAddr,
        headers: &HeaderMap,
        asked: &Asked<'_>,
        body: &Bytes,
    ) -> Result<Reply, Refusal> {
        check_origin(peer, headers)?;
        if matches!(self, Self::Clock) {
            return Ok(clock::answer(app));
        }
        let fields = read(headers, body)?;
        match self {
            Self::Clock => Ok(clock::answer(app)),
            Self::Advance => advance::answer(app, &fields).await,
            Self::Credit => credit::answer(app, &fields).await,
            Self::List => listing::answer(app, &fields).await,
            Self::Status => status::answer(app, asked, &fields).await,
            Self::Auctions => auctions::answer(app, asked, &fields).await,
            Self::Maintenance => maintenance::answer(app, &fields),
            Self::ResetNonces => nonces::answer(app, &fields).await,
        }
    }
}

/// Only this machine, and only under its own name: a page that a browser shows has another `Host`.
fn check_origin(peer: SocketAddr, headers: &HeaderMap) -> Result<(), Refusal> {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    if peer.ip().to_canonical().is_loopback() && is_loopback(host) {
        return Ok(());
    }
    let message = format!("Control calls are taken from this machine only; Host was '{}'", quoted(host));
    Err(Refusal::new(Reason::RemoteAddressForbidden, message))
}

fn is_loopback(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    bare.eq_ignore_ascii_case("localhost")
        || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn read(headers: &HeaderMap, body: &Bytes) -> Result<Payload, Refusal> {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json") {
        let message = format!("Control calls take Content-Type 'application/json', not '{}'", quoted(kind));
        return Err(Refusal::new(Reason::InvalidParameterValue, message).with_status(415));
    }
    Payload::read(body.to_vec())
}

/// A text field that must be there.
pub(super) fn required(fields: &Payload, name: &str) -> Result<String, Refusal> {
    fields.text(name)?.map(std::borrow::Cow::into_owned).ok_or_else(|| Refusal::missing_key(name))
}

/// Sends a command of the operator's and waits until it is durable.
pub(super) async fn operate(app: &App, body: Body) -> Result<Answer, Refusal> {
    Ok(crate::respond::submit(app, Command { caller: None, body }).await?.outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_hosts_pass() {
        for host in ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]:80", "127.8.8.8"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in
            ["", "example.com", "localhost.example.com", "10.0.0.1:80", "127.0.0.1.example.com:80", "[::2]"]
        {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
