//! Browsers that ask whether a page of another site may make a call. Every call of the interface is open to such pages, since none of
//! them is answered by a cookie: a page can do only what its own key or token allows.

use crate::place::Place;
use buttonwood_gate::DEFAULT_PREFIX;
use buttonwood_http::Reply;
use http::header::{ACCESS_CONTROL_REQUEST_HEADERS, ACCESS_CONTROL_REQUEST_METHOD, ORIGIN};
use http::request::Parts;
use http::{HeaderName, HeaderValue, Method};

/// The ends of the names of headers that sign a call.
const SIGNING: [&str; 3] = ["apikey", "payload", "signature"];
/// Names of headers with other prefixes that one answer repeats.
const REPEATED_MAX: usize = 12;

/// The answer, if it is such a request and its path is open to pages of other sites.
pub(crate) fn answer(head: &Parts, place: &Place<'_>) -> Option<Reply> {
    if head.method != Method::OPTIONS {
        return None;
    }
    let asks = |name| head.headers.contains_key(name);
    let methods = place.methods().filter(|_| place.is_open())?;
    (asks(ORIGIN) && asks(ACCESS_CONTROL_REQUEST_METHOD)).then(|| Reply::preflight(methods, headers(head)))
}

/// The headers that a page may send: all of them. `*` does not include `Authorization`, and older browsers do not know it, so those that
/// a call needs are there by name, also under the prefix that the page asks for.
fn headers(head: &Parts) -> HeaderValue {
    let mut names = vec!["*".to_owned(), "Authorization".to_owned(), "Content-Type".to_owned()];
    names.extend(SIGNING.map(|end| format!("{DEFAULT_PREFIX}-{}", end.to_ascii_uppercase())));
    let asked =
        head.headers.get_all(ACCESS_CONTROL_REQUEST_HEADERS).iter().filter_map(|sent| sent.to_str().ok());
    let asked =
        asked.flat_map(|names| names.split(',')).filter_map(|name| name.trim().parse::<HeaderName>().ok());
    for name in asked.filter(signs).take(REPEATED_MAX) {
        if !names.iter().any(|known| known.eq_ignore_ascii_case(name.as_str())) {
            names.push(name.as_str().to_owned());
        }
    }
    HeaderValue::try_from(names.join(", ")).unwrap_or(HeaderValue::from_static("*"))
}

fn signs(name: &HeaderName) -> bool {
    name.as_str().rsplit_once('-').is_some_and(|(_, end)| SIGNING.contains(&end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::Request;

    fn allowed(asked: &[&str]) -> String {
        let asking = |request: http::request::Builder, names: &&str| {
            request.header(ACCESS_CONTROL_REQUEST_HEADERS, *names)
        };
        let request = asked.iter().fold(Request::builder(), asking).body(()).unwrap();
        headers(&request.into_parts().0).to_str().unwrap().to_owned()
    }

    /// The names of another prefix are repeated once, and no other text of the client is.
    #[test]
    fn signing_headers_are_named() {
        let always = "*, Authorization, Content-Type, X-SVC-APIKEY, X-SVC-PAYLOAD, X-SVC-SIGNATURE";
        for asked in [
            &[][..],
            &["authorization,content-type"],
            &["x-svc-apikey, X-SVC-PAYLOAD"],
            &["cache-control", "x-own", "apikey", "x y-payload", ",,"],
        ] {
            assert_eq!(allowed(asked), always, "{asked:?}");
        }
        let own = allowed(&["x-own-payload, X-OWN-APIKEY", "x-own-payload"]);
        assert_eq!(own, format!("{always}, x-own-payload, x-own-apikey"));
        let many: Vec<String> = (0..100).map(|number| format!("x-{number}-payload")).collect();
        assert_eq!(allowed(&[&many.join(",")]).matches("-payload").count(), REPEATED_MAX);
    }
}
