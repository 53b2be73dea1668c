//! The address of a request's client.
//!
//! It is the peer of the connection, unless that is a trusted proxy: then the proxy's fields name the client. Rate limits,
//! address lists and the list of sessions all take it from [`Proxies::client`].
//!
//! Clauses: `LIM-001`.

use buttonwood_model::Cidr;
use http::header::FORWARDED;
use http::{HeaderMap, HeaderName, HeaderValue};
use std::net::{IpAddr, SocketAddr};

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The proxies whose `Forwarded` and `X-Forwarded-For` fields are believed.
#[derive(Clone, Debug, Default)]
pub struct Proxies(Vec<Cidr>);

impl Proxies {
    /// The proxies at these addresses.
    pub fn new(trusted: Vec<Cidr>) -> Self {
        Self(trusted)
    }

    /// Whether a proxy is at this address.
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.iter().any(|block| block.contains(address))
    }

    /// The address of a request's client. `peer` is the other end of the connection.
    ///
    /// Every proxy adds the address that it was called from at the end of the field, so the field is read from right to left
    /// up to the first address that is no trusted proxy. If the two fields name different clients, one of them was
    /// sent by the client, and neither is believed.
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        if !self.contains(peer) {
            return peer;
        }
        let forwarded = self.last_untrusted(peer, headers, &FORWARDED, address_of_element);
        let x_forwarded_for = self.last_untrusted(peer, headers, &X_FORWARDED_FOR, address);
        match (forwarded, x_forwarded_for) {
            (Some(client), None) | (None, Some(client)) => client,
            (Some(client), Some(other)) if client == other => client,
            (Some(_), Some(_)) | (None, None) => peer,
        }
    }

    /// The last address of a field that is no trusted proxy; none if there is no such field. An element that is no address
    /// ends the search, at the proxy that added it.
    fn last_untrusted(
        &self,
        peer: IpAddr,
        headers: &HeaderMap,
        name: &HeaderName,
        address: fn(&str) -> Option<IpAddr>,
    ) -> Option<IpAddr> {
        let lines = headers.get_all(name);
        lines.iter().next()?;
        // A comma in quotes can only be the client's: an address has none.
        let elements = lines.iter().rev().flat_map(|line| text(line).rsplit(',')).map(address);
        let mut client = peer;
        for element in elements {
            let Some(next) = element.filter(|_| self.contains(client)) else { break };
            client = next;
        }
        Some(client)
    }
}

/// A line that is not ASCII names no address.
fn text(line: &HeaderValue) -> &str {
    line.to_str().unwrap_or("\u{fffd}")
}

/// The address of an element of `Forwarded`, such as `for="[2001:db8::1]:4711";proto=https`.
fn address_of_element(element: &str) -> Option<IpAddr> {
    let mut values = element.split(';').filter_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        name.trim().eq_ignore_ascii_case("for").then_some(value.trim())
    });
    let value = values.next().filter(|_| values.next().is_none())?;
    address(value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value))
}

/// An address with or without a port.
fn address(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let address = bare.parse().or_else(|_| text.parse().map(|address: SocketAddr| address.ip())).ok()?;
    Some(IpAddr::to_canonical(&address))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROXY: &str = "10.0.0.1";

    fn client(peer: &str, lines: &[(&'static str, &str)]) -> String {
        let proxies = Proxies::new(vec!["10.0.0.0/8".parse().unwrap(), "2001:db8::/32".parse().unwrap()]);
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(HeaderName::from_static(name), HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        proxies.client(peer.parse().unwrap(), &headers).to_string()
    }

    /// The address that both fields give for the same list of addresses.
    fn both(peer: &str, list: &str) -> String {
        let found = client(peer, &[("x-forwarded-for", list)]);
        let elements: Vec<String> = list
            .split(',')
            .map(|one| match one.trim() {
                quoted if quoted.contains(':') => format!("proto=https; For=\"{quoted}\""),
                plain => format!("for={plain};by=_own"),
            })
            .collect();
        assert_eq!(client(peer, &[("forwarded", &elements.join(", "))]), found, "{list}");
        found
    }

    #[test]
    fn fields_mean_nothing_without_a_trusted_proxy() {
        for peer in ["192.0.2.1", "127.0.0.1", "::1"] {
            assert_eq!(both(peer, "198.51.100.7"), peer);
        }
        let own = HeaderMap::from_iter([(X_FORWARDED_FOR, HeaderValue::from_static("198.51.100.7"))]);
        let peer = "10.0.0.1".parse().unwrap();
        assert_eq!(Proxies::default().client(peer, &own), peer);
    }

    #[test]
    fn the_last_address_that_is_no_proxy_is_the_client_s() {
        for (list, expected) in [
            ("198.51.100.7", "198.51.100.7"),
            ("203.0.113.1, 198.51.100.7", "198.51.100.7"),
            ("203.0.113.1,198.51.100.7 , 10.3.2.1, 10.0.0.9", "198.51.100.7"),
            // The client invented trusted proxies before itself.
            ("203.0.113.1, 10.0.0.9, 198.51.100.7, 10.0.0.8", "198.51.100.7"),
            // All are proxies: the first called.
            ("10.0.0.3, 10.0.0.4", "10.0.0.3"),
            ("[2001:db9::1]:4711, 2001:db8::1", "2001:db9::1"),
            ("198.51.100.7:4711", "198.51.100.7"),
            ("[2001:db9::1]", "2001:db9::1"),
            ("::ffff:198.51.100.7", "198.51.100.7"),
        ] {
            assert_eq!(both(PROXY, list), expected, "{list}");
        }
        // Several lines are one list.
        let lines = [("x-forwarded-for", "203.0.113.1"), ("x-forwarded-for", "198.51.100.7, 10.0.0.2")];
        assert_eq!(client(PROXY, &lines), "198.51.100.7");
        assert_eq!(client("::ffff:10.0.0.1", &lines), "198.51.100.7");
        assert_eq!(client(PROXY, &[]), PROXY);
    }

    /// An element that is no address hides all before it.
    #[test]
    fn the_search_ends_at_what_is_no_address() {
        for (list, expected) in [
            ("198.51.100.7, unknown", PROXY),
            ("198.51.100.7, unknown, 10.0.0.5", "10.0.0.5"),
            ("198.51.100.7, _hidden, 10.0.0.5", "10.0.0.5"),
            ("", PROXY),
            (",", PROXY),
            ("198.51.100.7,", PROXY),
            ("198.51.100.7:x", PROXY),
            ("198.51.100", PROXY),
            ("0x0a.1.1.1", PROXY),
        ] {
            assert_eq!(both(PROXY, list), expected, "{list}");
        }
        for element in [
            "by=198.51.100.7",
            "for",
            "for=",
            "for=198.51.100.7;for=203.0.113.1",
            "for=\"198.51.100.7",
            "\u{e9}",
        ] {
            assert_eq!(client(PROXY, &[("forwarded", element)]), PROXY, "{element}");
        }
        // An open quote of the client's does not reach what the proxy added.
        assert_eq!(client(PROXY, &[("forwarded", "for=\"203.0.113.1, for=198.51.100.7")]), "198.51.100.7");
    }

    /// A proxy that adds one field passes the client's other one on: it must not be believed.
    #[test]
    fn two_fields_that_differ_are_not_believed() {
        let pair = |forwarded, list| client(PROXY, &[("forwarded", forwarded), ("x-forwarded-for", list)]);
        assert_eq!(pair("for=203.0.113.1", "198.51.100.7"), PROXY);
        assert_eq!(pair("for=198.51.100.7", "203.0.113.9, 198.51.100.7"), "198.51.100.7");
        assert_eq!(pair("for=unknown", "198.51.100.7"), PROXY);
    }
}
