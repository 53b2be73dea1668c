//! What all control calls share: the check of the caller, reading the body, sending a command.

use crate::app::App;
use crate::submit::submit;
use buttonwood_engine::{Answer, Body, Command};
use buttonwood_gate::{Payload, Reason, Refusal, quoted};
use bytes::Bytes;
use http::HeaderMap;
use http::header::{CONTENT_TYPE, HOST};
use std::net::{IpAddr, SocketAddr};

/// Only this machine, and only under its own name: a page that a browser shows has another `Host`.
pub(crate) fn check_origin(peer: SocketAddr, headers: &HeaderMap) -> Result<(), Refusal> {
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

/// The fields of a control call's body.
pub(crate) fn read(headers: &HeaderMap, body: &Bytes) -> Result<Payload, Refusal> {
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

/// Sends a command of the operator and waits until it is durable.
pub(super) async fn operate(app: &App, body: Body) -> Result<Answer, Refusal> {
    Ok(submit(app, Command { caller: None, body }).await?.outcome)
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
