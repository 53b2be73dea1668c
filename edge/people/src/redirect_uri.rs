//! Redirect URIs: those that an app may register, and those that a request may use (OAUTH-003, OAUTH-019; RFC 8252; D-131, D-132).

/// Bytes of a redirect URI at most.
const BYTES_MAX: usize = 2_000;
/// The beginnings of the URIs whose port a public client may choose as it runs (RFC 8252, 7.3).
const ANY_PORT: [&str; 2] = ["http://127.0.0.1", "http://[::1]"];
/// The hosts that http may name.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Why a redirect URI cannot be registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// It is empty, or too long.
    #[error("must have 1 to 2,000 bytes")]
    Length,
    /// A character that no URI has: a blank, a control character, a backslash, and the like.
    #[error("has a character that no URI has; it needs an escape such as %20")]
    Character,
    /// An escape is incomplete.
    #[error("has a '%' without two hexadecimal digits after it")]
    Escape,
    /// It has no scheme.
    #[error("must begin with a scheme in lower case, such as https://")]
    NoScheme,
    /// A scheme that apps cannot have.
    #[error(
        "must be https, http on this machine, or a scheme of the app's own with a dot, such as com.lens.app:/cb"
    )]
    Scheme,
    /// Plain http to another machine.
    #[error("may use http for localhost, 127.0.0.1 and [::1] only")]
    Http,
    /// It has a fragment.
    #[error("must have no fragment (#)")]
    Fragment,
    /// It has a wildcard.
    #[error("must have no wildcard (*)")]
    Wildcard,
    /// It names a user.
    #[error("must have no user name before the host (@)")]
    User,
    /// A host or a port that does not exist.
    #[error("must name a host, and a port from 1 to 65535 if it has one")]
    Host,
    /// A segment `.` or `..`, which browsers resolve.
    #[error("must have no segment '.' or '..'")]
    DotSegment,
}

/// Checks a redirect URI that an app registers.
///
/// # Errors
/// The first [`Flaw`].
pub fn check(uri: &str) -> Result<(), Flaw> {
    if uri.is_empty() || uri.len() > BYTES_MAX {
        return Err(Flaw::Length);
    }
    check_characters(uri)?;
    let (scheme, rest) = split_scheme(uri).ok_or(Flaw::NoScheme)?;
    match scheme {
        "https" | "http" => {
            let rest = rest.strip_prefix("//").ok_or(Flaw::Host)?;
            let (authority, path) = split_authority(rest);
            let host = host_of(authority)?;
            if scheme == "http" && !LOOPBACK.contains(&host) {
                return Err(Flaw::Http);
            }
            check_path(path)
        }
        own if own.contains('.') && rest.starts_with('/') => {
            let (authority, path) = rest.strip_prefix("//").map_or(("", rest), split_authority);
            if authority.contains('@') {
                return Err(Flaw::User);
            }
            check_path(path)
        }
        _ => Err(Flaw::Scheme),
    }
}

/// Whether a request may use this URI: a registered one, character by character. A public client may choose the port where it has
/// registered a loopback address.
pub fn matches(registered: &[String], asked: &str, is_public: bool) -> bool {
    let is_one = |known: &String| {
        known == asked || is_public && without_port(known).is_some_and(|it| Some(it) == without_port(asked))
    };
    registered.iter().any(is_one)
}

/// A loopback address and the rest after its port.
fn without_port(uri: &str) -> Option<(&str, &str)> {
    let (host, rest) = ANY_PORT.iter().find_map(|host| Some((*host, uri.strip_prefix(host)?)))?;
    let (authority, path) = split_authority(rest);
    let is_port = authority.is_empty() || authority.strip_prefix(':').is_some_and(is_port);
    is_port.then_some((host, path))
}

fn check_characters(uri: &str) -> Result<(), Flaw> {
    for byte in uri.bytes() {
        match byte {
            b'#' => return Err(Flaw::Fragment),
            b'*' => return Err(Flaw::Wildcard),
            b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' => return Err(Flaw::Character),
            0x21..=0x7E => {}
            _ => return Err(Flaw::Character),
        }
    }
    let is_whole =
        |rest: &str| matches!(rest.as_bytes(), [a, b, ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit());
    if uri.split('%').skip(1).all(is_whole) { Ok(()) } else { Err(Flaw::Escape) }
}

fn split_scheme(uri: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = uri.split_once(':')?;
    let is_later = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'+' | b'-' | b'.');
    let is_scheme = scheme.bytes().next()?.is_ascii_lowercase() && scheme.bytes().all(is_later);
    is_scheme.then_some((scheme, rest))
}

/// The authority, and what follows it.
fn split_authority(rest: &str) -> (&str, &str) {
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    rest.split_at(end)
}

/// The host of an authority whose port is one.
fn host_of(authority: &str) -> Result<&str, Flaw> {
    if authority.contains('@') {
        return Err(Flaw::User);
    }
    let end = if authority.starts_with('[') {
        authority.find(']').ok_or(Flaw::Host)? + 1
    } else {
        authority.find(':').unwrap_or(authority.len())
    };
    let (host, port) = authority.split_at(end);
    let is_port = port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
    let is_host = match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => host.split('.').all(is_label),
    };
    if is_port && is_host { Ok(host) } else { Err(Flaw::Host) }
}

fn is_label(label: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    !label.is_empty() && label.bytes().all(is_plain)
}

fn is_port(text: &str) -> bool {
    !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u16>().is_ok()
}

/// Refuses dot segments, also those in escapes.
fn check_path(path: &str) -> Result<(), Flaw> {
    let path = path.split('?').next().unwrap_or_default();
    let is_dots = |segment: &str| {
        let plain = segment.replace("%2e", ".").replace("%2E", ".");
        plain == "." || plain == ".."
    };
    if path.split('/').any(is_dots) { Err(Flaw::DotSegment) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Proves OAUTH-019.
    #[test]
    fn redirect_uris_are_checked() {
        for uri in [
            "https://app.example/callback",
            "https://app.example:8443/callback?a=b&c=%20",
            "https://app.example",
            "https://app.example?x=..",
            "https://[2001:db8::1]/cb",
            "https://127.0.0.1/cb",
            "http://localhost:8787/callback",
            "http://127.0.0.1/cb",
            "http://127.0.0.1:1/cb",
            "http://[::1]:65535/",
            "com.lens.app:/cb",
            "com.lens.app://cb/x",
            "https://app.example/...",
        ] {
            assert_eq!(check(uri), Ok(()), "{uri}");
        }
        let long = format!("https://a.example/{}", "x".repeat(2_000));
        for (uri, flaw) in [
            ("", Flaw::Length),
            (&long, Flaw::Length),
            ("www.example.com/redirect", Flaw::NoScheme),
            ("//app.example/cb", Flaw::NoScheme),
            ("/cb", Flaw::NoScheme),
            ("HTTPS://app.example/cb", Flaw::NoScheme),
            ("JavaScript:alert(1)", Flaw::NoScheme),
            (":/cb", Flaw::NoScheme),
            ("javascript:alert(1)", Flaw::Scheme),
            ("data:text/html,x", Flaw::Scheme),
            ("vbscript:x", Flaw::Scheme),
            ("file:///etc/passwd", Flaw::Scheme),
            ("urn:ietf:wg:oauth:2.0:oob", Flaw::Scheme),
            ("localhost:8787/cb", Flaw::Scheme),
            ("app.example:8443/cb", Flaw::Scheme),
            ("com.lens.app:cb", Flaw::Scheme),
            ("http://app.example/cb", Flaw::Http),
            ("http://127.0.0.2/cb", Flaw::Http),
            ("http://localhost.evil.example/cb", Flaw::Http),
            ("http://127.0.0.1.evil.example/cb", Flaw::Http),
            ("http://0.0.0.0/cb", Flaw::Http),
            ("http://LOCALHOST/cb", Flaw::Http),
            ("http://[::2]/cb", Flaw::Http),
            ("http:/localhost/cb", Flaw::Host),
            ("https:app.example", Flaw::Host),
            ("https:///cb", Flaw::Host),
            ("https://?a", Flaw::Host),
            ("https://app..example/cb", Flaw::Host),
            ("https://app.example:/cb", Flaw::Host),
            ("https://app.example:0/cb", Flaw::Host),
            ("https://app.example:65536/cb", Flaw::Host),
            ("https://app.example:+1/cb", Flaw::Host),
            ("https://app%2eexample/cb", Flaw::Host),
            ("https://[::1/cb", Flaw::Host),
            ("https://[::1]x/cb", Flaw::Host),
            ("https://app.example/cb#x", Flaw::Fragment),
            ("https://app.example/cb#", Flaw::Fragment),
            ("https://*.example/cb", Flaw::Wildcard),
            ("https://app.example/*", Flaw::Wildcard),
            ("https://user@app.example/cb", Flaw::User),
            ("https://app.example:x@evil.example/cb", Flaw::User),
            ("com.lens.app://user@cb", Flaw::User),
            ("https://app.example\\@evil.example/cb", Flaw::Character),
            ("https://app.example/a b", Flaw::Character),
            ("https://app.example/\r\nx", Flaw::Character),
            ("https://app.example/\0", Flaw::Character),
            ("https://app.example/\u{7f}", Flaw::Character),
            ("https://\u{e4}pp.example/", Flaw::Character),
            ("https://app.example/%", Flaw::Escape),
            ("https://app.example/%4", Flaw::Escape),
            ("https://app.example/%zz", Flaw::Escape),
            ("https://app.example/a/../b", Flaw::DotSegment),
            ("https://app.example/.", Flaw::DotSegment),
            ("https://app.example/a/%2E%2e", Flaw::DotSegment),
            ("https://app.example/.%2e/b?x", Flaw::DotSegment),
            ("com.lens.app:/../cb", Flaw::DotSegment),
        ] {
            assert_eq!(check(uri), Err(flaw), "{uri}");
        }
    }

    /// Proves OAUTH-003.
    #[test]
    fn redirect_uris_match_by_character() {
        let registered = [
            "https://app.example/callback",
            "http://127.0.0.1:8787/native",
            "http://[::1]/native?a=b",
            "http://localhost:8787/native",
        ];
        let registered = registered.map(str::to_owned);
        for uri in &registered {
            assert!(matches(&registered, uri, true) && matches(&registered, uri, false), "{uri}");
        }
        for uri in [
            "http://127.0.0.1/native",
            "http://127.0.0.1:1/native",
            "http://127.0.0.1:65535/native",
            "http://[::1]:5/native?a=b",
        ] {
            assert!(matches(&registered, uri, true) && !matches(&registered, uri, false), "{uri}");
        }
        for uri in [
            "",
            "https://app.example/callback/",
            "https://app.example/callbac",
            "https://app.example/callback?x=1",
            "https://app.example/callback#",
            "https://app.example:443/callback",
            "https://APP.example/callback",
            "https://app.example.evil.example/callback",
            "https://app.example@evil.example/callback",
            "https://app.example/%63allback",
            "http://app.example/callback",
            "http://127.0.0.1:8787/native/",
            "http://127.0.0.1:8787/native?x",
            "http://127.0.0.1:0/native",
            "http://127.0.0.1:080/native",
            "http://127.0.0.1:65536/native",
            "http://127.0.0.1:/native",
            "http://127.0.0.1:1@evil.example/native",
            "http://127.0.0.1.evil.example/native",
            "http://127.0.0.2:8787/native",
            "http://localhost:8788/native",
            "http://[::1]:5/native",
            "https://127.0.0.1:8787/native",
        ] {
            assert!(!matches(&registered, uri, true), "{uri}");
        }
    }
}
