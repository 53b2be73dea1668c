//! Who may make control calls: a program on this machine that connects directly.
//!
//! A page in a browser of this machine reaches the exchange too, and so does a proxy that listens to the network.
//! Neither may make control calls. A page is recognised by `Origin`, `Sec-Fetch-Site` or the host name of its calls, a
//! proxy by the fields it adds.

use buttonwood_gate::{Reason, Refusal, quoted};
use http::header::{FORWARDED, HOST, HeaderName, ORIGIN, VIA};
use http::request::Parts;
use http::{HeaderMap, HeaderValue};
use std::net::{IpAddr, SocketAddr};

const REAL_IP: HeaderName = HeaderName::from_static("x-real-ip");
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Refuses a control call that may come from elsewhere.
pub(crate) fn check(peer: SocketAddr, head: &Parts) -> Result<(), Refusal> {
    if !peer.ip().to_canonical().is_loopback() {
        return Err(refusal("the client's address", &peer.ip().to_string()));
    }
    let headers = &head.headers;
    let host = headers.get(HOST).map(text).unwrap_or_default();
    if !is_loopback(host) {
        return Err(refusal("Host", host));
    }
    if let Some(target) = head.uri.authority().filter(|target| !is_loopback(target.as_str())) {
        return Err(refusal("the target's host", target.as_str()));
    }
    if let Some((name, value)) = headers.iter().find(|(name, _)| is_of_proxy(name)) {
        return Err(refusal(name.as_str(), text(value)));
    }
    check_page(headers)
}

/// Refuses a call that a page of another site makes.
fn check_page(headers: &HeaderMap) -> Result<(), Refusal> {
    let foreign = |value: &&HeaderValue| {
        let origin = text(value);
        !origin.split_once("://").is_some_and(|(_, host)| is_loopback(host))
    };
    if let Some(origin) = headers.get_all(ORIGIN).iter().find(foreign) {
        return Err(refusal("Origin", text(origin)));
    }
    let is_cross_site = |value: &&HeaderValue| text(value).trim().eq_ignore_ascii_case("cross-site");
    match headers.get_all(SEC_FETCH_SITE).iter().find(is_cross_site) {
        Some(site) => Err(refusal("Sec-Fetch-Site", text(site))),
        None => Ok(()),
    }
}

fn is_of_proxy(name: &HeaderName) -> bool {
    [FORWARDED, VIA, REAL_IP].contains(name) || name.as_str().starts_with("x-forwarded-")
}

fn refusal(what: &str, value: &str) -> Refusal {
    let message = format!(
        "Control calls are taken from this machine only, without a proxy or another site's page; {what} was '{}'",
        quoted(value)
    );
    Refusal::new(Reason::RemoteAddressForbidden, message)
}

/// A value that is not ASCII is no loopback name.
fn text(value: &HeaderValue) -> &str {
    value.to_str().unwrap_or("\u{fffd}")
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

#[cfg(test)]
mod tests {
    use super::*;
    use http::Request;

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

    fn checked(peer: &str, target: &str, fields: &[(&str, &str)]) -> Result<(), Refusal> {
        let request = Request::post(target).header("Host", "127.0.0.1:8080");
        let request = fields.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        check(SocketAddr::new(peer.parse().unwrap(), 1), &request.body(()).unwrap().into_parts().0)
    }

    const TARGET: &str = "/sandbox/maintenance";

    #[test]
    fn programs_of_this_machine_pass() {
        for peer in ["127.0.0.1", "::1", "::ffff:127.0.0.1", "127.0.0.2"] {
            assert_eq!(checked(peer, TARGET, &[]), Ok(()), "{peer}");
        }
        assert_eq!(checked("::1", "http://localhost:8080/sandbox/maintenance", &[]), Ok(()));
        for field in [
            ("Origin", "http://127.0.0.1:8080"),
            ("Origin", "http://localhost"),
            ("Sec-Fetch-Site", "same-origin"),
            ("Sec-Fetch-Site", "none"),
            ("X-Request-Id", "1"),
        ] {
            assert_eq!(checked("127.0.0.1", TARGET, &[field]), Ok(()), "{field:?}");
        }
    }

    /// A proxy on this machine that rewrites `Host`, a page of another site, an absolute target: each is named.
    #[test]
    fn proxies_and_foreign_pages_are_refused() {
        for (name, value) in [
            ("Forwarded", "for=192.0.2.1"),
            ("X-Forwarded-For", "192.0.2.1"),
            ("x-forwarded-proto", "https"),
            ("X-Forwarded-Host", "localhost"),
            ("Via", "1.1 proxy"),
            ("X-Real-IP", "127.0.0.1"),
            ("Origin", "https://example.com"),
            ("Origin", "http://localhost.example.com"),
            ("Origin", "null"),
            ("Origin", ""),
            ("Sec-Fetch-Site", "cross-site"),
        ] {
            let refusal = checked("127.0.0.1", TARGET, &[(name, value)]).expect_err(name);
            assert_eq!(refusal.reason, Reason::RemoteAddressForbidden);
            let named = refusal.message.to_ascii_lowercase().contains(&name.to_ascii_lowercase());
            assert!(named && refusal.message.ends_with(&format!("was '{value}'")), "{}", refusal.message);
        }
        let both = [("Origin", "http://localhost"), ("Origin", "http://example.com")];
        assert!(checked("127.0.0.1", TARGET, &both).is_err(), "the second counts too");
        assert!(checked("127.0.0.1", "http://example.com/sandbox/maintenance", &[]).is_err());
        assert!(checked("192.0.2.1", TARGET, &[]).is_err());
    }
}
