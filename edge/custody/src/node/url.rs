//! The URL of a node.

use std::fmt;
use thiserror::Error;

/// A URL that names no node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum UrlError {
    /// It does not begin with `http://`.
    #[error("a node's URL begins with http://")]
    Scheme,
    /// The host is missing or has characters that no host has.
    #[error("the host of the node's URL is missing or malformed")]
    Host,
    /// The port is no number from 1 to 65535.
    #[error("the port of the node's URL is not a number from 1 to 65535")]
    Port,
    /// User and password have no colon between them, or a malformed escape.
    #[error("user and password of the node's URL are malformed")]
    User,
    /// The path has characters that a path cannot have.
    #[error("the path of the node's URL is malformed")]
    Path,
}

/// The URL of a node: `http://[user:password@]host[:port][/path]`. It prints neither user and password nor a query, which may hold a key.
#[derive(Clone, PartialEq, Eq)]
pub struct NodeUrl {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) path: String,
    /// User and password, as the header `Authorization` has them.
    pub(super) authorization: Option<String>,
}

impl NodeUrl {
    /// Reads a URL.
    ///
    /// # Errors
    /// [`UrlError`].
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        let rest = text.strip_prefix("http://").ok_or(UrlError::Scheme)?;
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (user, place) = match authority.rsplit_once('@') {
            Some((user, place)) => (Some(user), place),
            None => (None, authority),
        };
        let (host, port) = match place.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => (host, Some(port)),
            _ => (place, None),
        };
        let port = match port {
            Some(port) => port.parse().ok().filter(|port| *port > 0).ok_or(UrlError::Port)?,
            None => 80,
        };
        if !path.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(UrlError::Path);
        }
        Ok(Self {
            host: host_name(host)?.to_owned(),
            port,
            path: if path.is_empty() { "/" } else { path }.to_owned(),
            authorization: user.map(authorization).transpose()?,
        })
    }
}

/// A name, an IPv4 address, or an IPv6 address in brackets, which are taken off.
fn host_name(host: &str) -> Result<&str, UrlError> {
    let bare = match host.strip_prefix('[') {
        Some(rest) => rest.strip_suffix(']').filter(|bare| bare.contains(':')),
        None => Some(host).filter(|bare| !bare.contains(':')),
    };
    let of_host = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:".contains(&byte);
    bare.filter(|bare| !bare.is_empty() && bare.bytes().all(of_host)).ok_or(UrlError::Host)
}

fn authorization(user: &str) -> Result<String, UrlError> {
    let (name, password) = user.split_once(':').ok_or(UrlError::User)?;
    let plain = [unescaped(name)?, unescaped(password)?].join(&b':');
    Ok(format!("Basic {}", base64_simd::STANDARD.encode_to_string(plain)))
}

/// Replaces `%41` by `A`.
fn unescaped(text: &str) -> Result<Vec<u8>, UrlError> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, others)) = rest.split_first() {
        rest = others;
        if *first == b'%' {
            let (digits, others) = others.split_at_checked(2).ok_or(UrlError::User)?;
            bytes.extend(const_hex::decode(digits).map_err(|_| UrlError::User)?);
            rest = others;
        } else {
            bytes.push(*first);
        }
    }
    Ok(bytes)
}

impl fmt::Display for NodeUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.split(['?', '#']).next().unwrap_or_default();
        write!(f, "http://{}:{}{path}", self.host, self.port)
    }
}

impl fmt::Debug for NodeUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_urls_and_hides_passwords() {
        let url = NodeUrl::parse("http://user:p%40ss@localhost:8545/rpc").unwrap();
        assert_eq!((url.host.as_str(), url.port, url.path.as_str()), ("localhost", 8545, "/rpc"));
        assert_eq!(url.authorization.as_deref(), Some("Basic dXNlcjpwQHNz"));
        assert_eq!(format!("{url:?} {url}"), "http://localhost:8545/rpc http://localhost:8545/rpc");
        let url = NodeUrl::parse("http://localhost/rpc?key=secret").unwrap();
        assert_eq!(
            (url.path.as_str(), url.to_string().as_str()),
            ("/rpc?key=secret", "http://localhost:80/rpc")
        );
        let url = NodeUrl::parse("http://[::1]").unwrap();
        assert_eq!((url.host.as_str(), url.port, url.path.as_str()), ("::1", 80, "/"));
    }

    #[test]
    fn refuses_what_is_no_url() {
        let refused = |text| NodeUrl::parse(text).unwrap_err();
        for text in ["", "https://node", "node:8545", "HTTP://node"] {
            assert_eq!(refused(text), UrlError::Scheme);
        }
        for text in ["http://", "http://:8545", "http://no de", "http://[]:1", "http://a:b:1", "http://[::1"]
        {
            assert_eq!(refused(text), UrlError::Host, "{text}");
        }
        for text in ["http://node:", "http://node:0", "http://node:65536", "http://node:x"] {
            assert_eq!(refused(text), UrlError::Port, "{text}");
        }
        for text in ["http://user@node", "http://user:%4@node", "http://user:%zz@node"] {
            assert_eq!(refused(text), UrlError::User, "{text}");
        }
        assert_eq!(refused("http://node/a\r\nHost: b"), UrlError::Path);
    }
}
