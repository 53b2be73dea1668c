//! Who may make control calls: a program on this machine that connects directly, or another peer that the settings name.
//!
//! A page in a browser of this machine reaches the exchange too, and so does a proxy that listens to the network.
//! Neither may make control calls. A page is recognised by `Origin`, `Sec-Fetch-Site` or the host name of its calls, a
//! proxy by the fields it adds.

use buttonwood_gate::{Reason, Refusal, quoted};
use buttonwood_model::Cidr;
use http::header::{FORWARDED, HOST, HeaderName, ORIGIN, VIA};
use http::request::Parts;
use http::{HeaderMap, HeaderValue};
use std::net::{IpAddr, SocketAddr};

const REAL_IP: HeaderName = HeaderName::from_static("x-real-ip");
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Which peers other than this machine may make control calls, and under which names of the exchange.
#[derive(Clone, Debug, Default)]
pub struct Controllers {
    /// The addresses of further peers.
    pub peers: Vec<Cidr>,
    /// Host names that are taken like those of this machine, without a port.
    pub hosts: Vec<String>,
}

impl Controllers {
    fn takes_host(&self, host: &str) -> bool {
        let name = without_port(host);
        is_loopback(name) || self.hosts.iter().any(|known| known.eq_ignore_ascii_case(name))
    }
}

/// Refuses a control call that may come from elsewhere.
pub(crate) fn check(controllers: &Controllers, peer: SocketAddr, head: &Parts) -> Result<(), Refusal> {
    if let Some((what, value)) = foreign_place(controllers, peer, head) {
        return Err(refusal(&what, &value));
    }
    check_page(controllers, &head.headers)
}

/// The part of a request that tells that it may come from elsewhere than its peer's own machine, and its value; none if no part does.
pub(crate) fn foreign_place(
    controllers: &Controllers,
    peer: SocketAddr,
    head: &Parts,
) -> Option<(String, String)> {
    let told = |what: &str, value: &str| Some((what.to_owned(), value.to_owned()));
    let peer = peer.ip();
    let is_named = || controllers.peers.iter().any(|block| block.contains(peer));
    if !peer.to_canonical().is_loopback() && !is_named() {
        return told("the client's address", &peer.to_string());
    }
    let headers = &head.headers;
    let host = headers.get(HOST).map(text).unwrap_or_default();
    if !controllers.takes_host(host) {
        return told("Host", host);
    }
    if let Some(target) = head.uri.authority().filter(|target| !controllers.takes_host(target.as_str())) {
        return told("the target's host", target.as_str());
    }
    let (name, value) = headers.iter().find(|(name, _)| is_of_proxy(name))?;
    told(name.as_str(), text(value))
}

/// Refuses a call that a page of another site makes.
fn check_page(controllers: &Controllers, headers: &HeaderMap) -> Result<(), Refusal> {
    let foreign = |value: &&HeaderValue| {
        let origin = text(value);
        !origin.split_once("://").is_some_and(|(_, host)| controllers.takes_host(host))
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
        "Control calls are taken from this machine and from peers that --control-from names, without a proxy or another \
         site's page; {what} was '{}'",
        quoted(value)
    );
    Refusal::new(Reason::RemoteAddressForbidden, message)
}

/// A value that is not ASCII is no loopback name.
fn text(value: &HeaderValue) -> &str {
    value.to_str().unwrap_or("\u{fffd}")
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

fn is_loopback(name: &str) -> bool {
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
        let is_loopback = |host| Controllers::default().takes_host(host);
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
        let mut all = vec![("Host", "127.0.0.1:8080")];
        all.extend(fields);
        checked_by(&Controllers::default(), peer, target, &all)
    }

    fn checked_by(
        controllers: &Controllers,
        peer: &str,
        target: &str,
        fields: &[(&str, &str)],
    ) -> Result<(), Refusal> {
        let request = Request::post(target);
        let request = fields.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        let peer = SocketAddr::new(peer.parse().unwrap(), 1);
        check(controllers, peer, &request.body(()).unwrap().into_parts().0)
    }

    /// Named peers pass under the same rules; the exchange's further names are those given.
    #[test]
    fn named_peers_pass() {
        let controllers =
            Controllers { peers: vec!["172.17.0.0/16".parse().unwrap()], hosts: vec!["exchange".to_owned()] };
        let call = |peer: &str, fields: &[(&str, &str)]| checked_by(&controllers, peer, TARGET, fields);
        for host in ["localhost:8080", "127.0.0.1", "exchange", "Exchange:8080"] {
            for peer in ["172.17.0.1", "::ffff:172.17.3.4", "127.0.0.1"] {
                assert_eq!(call(peer, &[("Host", host)]), Ok(()), "{peer} {host}");
            }
            assert!(call("172.18.0.1", &[("Host", host)]).is_err(), "{host}");
        }
        for host in ["", "exchange.example.com", "172.17.0.2:8080", "[exchange]", "exchange:x"] {
            assert!(call("172.17.0.1", &[("Host", host)]).is_err(), "{host}");
        }
        let host = ("Host", "exchange");
        assert_eq!(call("172.17.0.1", &[host, ("Origin", "http://exchange:8080")]), Ok(()));
        for field in [("X-Forwarded-For", "172.17.0.1"), ("Origin", "http://example.com"), ("Via", "1.1 x")] {
            assert!(call("172.17.0.1", &[host, field]).is_err(), "{field:?}");
        }
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
