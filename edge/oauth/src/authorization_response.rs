//! The authorization response (RFC 6749, 4.1.2 and 4.2.2; RFC 9207): what a browser takes back to the app.

use crate::error::OAuthError;
use buttonwood_http::Reply;
use buttonwood_wire::url_encoded;
use http::HeaderValue;
use zeroize::Zeroizing;

/// Where an answer goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// The redirect URI as the request has it.
    pub(crate) uri: String,
    /// The state of the request, which comes back unchanged.
    pub(crate) state: Option<String>,
    /// Whether it is one of the implicit flow, which answers in the fragment.
    pub(crate) is_implicit: bool,
}

impl Target {
    /// Sends the browser back with these parameters, the state and the issuer.
    pub(crate) fn reply(&self, parameters: &[(&str, &str)], issuer: &str) -> Reply {
        match HeaderValue::try_from(self.address(parameters, issuer).as_str()) {
            Ok(location) => Reply::redirecting(location),
            // A registered URI has only characters of a header.
            Err(_) => crate::consent::error_page(
                http::StatusCode::BAD_REQUEST,
                "The app's redirect URI cannot be used.",
                None,
            ),
        }
    }

    /// Sends the browser back with an error.
    pub(crate) fn error(&self, error: &OAuthError, issuer: &str) -> Reply {
        let parameters = [("error", error.code.name()), ("error_description", error.description.as_str())];
        self.reply(&parameters, issuer)
    }

    pub(crate) fn address(&self, parameters: &[(&str, &str)], issuer: &str) -> Zeroizing<String> {
        let state = self.state.as_deref().map(|state| ("state", state));
        let all = parameters.iter().copied().chain(state).chain([("iss", issuer)]);
        // Not every reader of a query takes `+` for a blank.
        let added = Zeroizing::new(url_encoded::encoded(all).replace('+', "%20"));
        let separator = match self.uri.split_once('?') {
            _ if self.is_implicit => "#",
            None => "?",
            Some((_, query)) if query.is_empty() || query.ends_with('&') => "",
            Some(_) => "&",
        };
        Zeroizing::new([self.uri.as_str(), separator, added.as_str()].concat())
    }

    /// The app's place in words for its user: the origin of a web address, otherwise the scheme.
    pub(crate) fn place(&self) -> &str {
        let Some((scheme, rest)) = self.uri.split_once(':') else { return &self.uri };
        let end = |length: usize| self.uri.get(..length).unwrap_or_default();
        match rest.strip_prefix("//") {
            Some(authority) if matches!(scheme, "https" | "http") => {
                let host = authority.find(['/', '?']).unwrap_or(authority.len());
                end(scheme.len() + "://".len() + host)
            }
            Some(_) | None => end(scheme.len() + ":".len()),
        }
    }

    /// The source of a content security policy that stands for the app. Policies know no IPv6 addresses: the scheme stands for one.
    pub(crate) fn source(&self) -> &str {
        match self.place() {
            place if place.starts_with("http://[") => "http:",
            place if place.starts_with("https://[") => "https:",
            place => place,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(uri: &str, state: Option<&str>, is_implicit: bool) -> Target {
        Target { uri: uri.to_owned(), state: state.map(str::to_owned), is_implicit }
    }

    /// The registered URI keeps its query, and the state is unchanged. Proves OAUTH-002.
    #[test]
    fn answers_are_added_to_the_uri() {
        for (uri, state, is_implicit, expected) in [
            ("https://a.example/cb", None, false, "https://a.example/cb?code=c&iss=http%3A%2F%2Fx"),
            ("https://a.example", Some("s"), false, "https://a.example?code=c&state=s&iss=http%3A%2F%2Fx"),
            ("https://a.example/?a=b", None, false, "https://a.example/?a=b&code=c&iss=http%3A%2F%2Fx"),
            ("https://a.example/?", None, false, "https://a.example/?code=c&iss=http%3A%2F%2Fx"),
            ("https://a.example/?a=b", None, true, "https://a.example/?a=b#code=c&iss=http%3A%2F%2Fx"),
            (
                "com.lens.app:/cb",
                Some(" +&=#%\u{e4}\r\n\0<"),
                false,
                "com.lens.app:/cb?code=c&state=%20%2B%26%3D%23%25%C3%A4%0D%0A%00%3C&iss=http%3A%2F%2Fx",
            ),
        ] {
            let address = target(uri, state, is_implicit).address(&[("code", "c")], "http://x");
            assert_eq!(address.as_str(), expected, "{uri}");
        }
    }

    #[test]
    fn page_and_policy_name_the_app() {
        for (uri, place, source) in [
            ("https://a.example/cb", "https://a.example", "https://a.example"),
            ("https://a.example:8443?x", "https://a.example:8443", "https://a.example:8443"),
            ("http://127.0.0.1:8787/cb", "http://127.0.0.1:8787", "http://127.0.0.1:8787"),
            ("http://[::1]:8787/cb", "http://[::1]:8787", "http:"),
            ("com.lens.app:/cb", "com.lens.app:", "com.lens.app:"),
            ("com.lens.app://cb", "com.lens.app:", "com.lens.app:"),
        ] {
            let target = target(uri, None, false);
            assert_eq!((target.place(), target.source()), (place, source), "{uri}");
        }
    }
}
