//! The address under which browsers reach the exchange, if a proxy stands in front of it.

use http::Uri;
use http::uri::{Authority, Scheme};
use std::net::Ipv6Addr;

/// Reads the value of `--public-url` into an origin, as browsers send it: scheme and host in lower case, no port that the scheme
/// implies, and no slash at the end.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn read(text: &str) -> Result<String, String> {
    let wanted = || {
        "http:// or https:// with a host, and a port where it is not the scheme's own, is wanted, such as \
         https://exchange.example"
            .to_owned()
    };
    let uri: Uri = text.parse().map_err(|_| wanted())?;
    let (Some(scheme), Some(authority)) = (uri.scheme(), uri.authority()) else { return Err(wanted()) };
    let implied = if *scheme == Scheme::HTTPS {
        443
    } else if *scheme == Scheme::HTTP {
        80
    } else {
        return Err(wanted());
    };
    if authority.as_str().contains('@') {
        return Err("it has a user or a password; without them it is wanted".to_owned());
    }
    // A fragment is dropped by the parser.
    if uri.path() != "/" || uri.query().is_some() || text.contains(['?', '#']) {
        return Err("it has more than scheme, host and port; all pages are at the root".to_owned());
    }
    let host = host(authority).ok_or_else(wanted)?;
    let port = port(authority).map_err(|()| wanted())?;
    let port = port.filter(|port| *port != implied).map(|port| format!(":{port}")).unwrap_or_default();
    Ok(format!("{scheme}://{host}{port}"))
}

/// The host in lower case; none if it is no name or address.
fn host(authority: &Authority) -> Option<String> {
    let host = authority.host().to_ascii_lowercase();
    if let Some(bare) = host.strip_prefix('[') {
        let address: Ipv6Addr = bare.strip_suffix(']')?.parse().ok()?;
        return Some(format!("[{address}]"));
    }
    let is_label = |label: &str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    host.split('.').all(is_label).then_some(host)
}

/// The port, if one is named.
fn port(authority: &Authority) -> Result<Option<u16>, ()> {
    let rest = authority.as_str().get(authority.host().len()..).ok_or(())?;
    match rest.strip_prefix(':') {
        None if rest.is_empty() => Ok(None),
        None => Err(()),
        Some(digits) => digits.parse().ok().filter(|port| *port > 0).map(Some).ok_or(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The origin is what browsers send.
    #[test]
    fn an_origin_is_read() {
        for (text, origin) in [
            ("https://exchange.example", "https://exchange.example"),
            ("https://exchange.example/", "https://exchange.example"),
            ("HTTPS://Exchange.Example:443", "https://exchange.example"),
            ("http://exchange.example:80/", "http://exchange.example"),
            ("https://exchange.example:8443", "https://exchange.example:8443"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("http://[0:0::1]:8080", "http://[::1]:8080"),
            ("http://localhost", "http://localhost"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(origin), "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "exchange.example",
            "//exchange.example",
            "ftp://exchange.example",
            "https://",
            "https:///",
            "https://:443",
            "https://exchange.example:",
            "https://exchange.example:0",
            "https://exchange.example:70000",
            "https://exchange..example",
            "https://exchange.example.",
            "https://*.example",
            "https://exchange example",
            "https://[::1",
            "https://[exchange]",
            "https://b\u{fc}cher.example",
        ] {
            assert!(read(text).unwrap_err().contains("such as https://exchange.example"), "{text}");
        }
        for text in
            ["https://a.example/x", "https://a.example?x", "https://a.example/#x", "https://a.example#"]
        {
            assert!(read(text).unwrap_err().contains("more than scheme, host and port"), "{text}");
        }
        assert!(read("https://user:word@a.example").unwrap_err().contains("a user or a password"));
    }
}
