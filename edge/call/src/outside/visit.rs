//! A request for a path outside of the route table, as its handler sees it.

use crate::app::App;
use crate::caller;
use crate::outside::Spot;
use buttonwood_gate::{Reason, Refusal, quoted};
use buttonwood_http::Body;
use buttonwood_wire::reply::refusal_of;
use buttonwood_wire::url_encoded::{self, Pairs};
use http::header::{COOKIE, HOST, HeaderName, ORIGIN};
use http::request::Parts;
use http::{HeaderMap, Method};
use std::net::{IpAddr, SocketAddr};

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// A request, let in but not answered.
#[derive(Debug)]
pub struct Visit<'a> {
    /// The exchange.
    pub app: &'a App,
    /// The spot that [`Outside::find`](crate::Outside::find) gave.
    pub spot: Spot,
    /// Method, target and header fields.
    pub head: &'a Parts,
    /// The other end of the connection: a client or a proxy.
    pub peer: SocketAddr,
    /// The client, behind trusted proxies too.
    pub client: IpAddr,
    body: Body<'a>,
}

impl<'a> Visit<'a> {
    pub(crate) fn new(
        app: &'a App,
        spot: Spot,
        head: &'a Parts,
        body: Body<'a>,
        peer: SocketAddr,
        client: IpAddr,
    ) -> Self {
        Self { app, spot, head, peer, client, body }
    }

    /// The path as it was sent, without the query.
    pub fn path(&self) -> &'a str {
        self.head.uri.path()
    }

    /// Whether it is a POST. Of a path that takes GET and POST, the others are a GET or a HEAD.
    pub fn is_post(&self) -> bool {
        self.head.method == Method::POST
    }

    /// Reads the body, of at most this many bytes and never more than 64 KiB. A second call finds nothing. The connection closes
    /// after the answer to a request whose body was not read.
    ///
    /// # Errors
    /// 413 for a longer body, 408 for one that takes too long, 400 for one that cannot be read.
    pub async fn read(&mut self, max: usize) -> Result<Vec<u8>, Refusal> {
        self.body.read_at_most(max).await.map_err(refusal_of)
    }

    /// The names and values of the query.
    ///
    /// # Errors
    /// 400 for a query that is not URL-encoded text.
    pub fn query(&self) -> Result<Pairs<'a>, Refusal> {
        pairs("query", self.head.uri.query().unwrap_or_default().as_bytes())
    }

    /// The text of a header field that was sent once.
    pub fn header(&self, name: &HeaderName) -> Option<&'a str> {
        once(&self.head.headers, name)
    }

    /// The site of the page that makes the call, as its browser says; none if the request has no such field. A field that is no text,
    /// and several fields, count as the origin `null`, which is no site's.
    pub fn origin(&self) -> Option<&'a str> {
        origin(&self.head.headers)
    }

    /// The origin of the exchange's own pages, as browsers send it: the public one, or else the host that the request was sent to.
    /// Another site cannot set its host for a user's browser.
    pub fn own_origin(&self) -> String {
        match &self.app.settings().public_url {
            Some(url) => url.clone(),
            None => format!("http://{}", self.header(&HOST).unwrap_or_default()),
        }
    }

    /// Whether browsers reach the pages by https, so that their cookies are for https alone (D-141).
    pub fn is_https(&self) -> bool {
        self.app.settings().is_https()
    }

    /// Whether a page of another site than `own`, such as `https://exchange.example`, makes this call, or an unnamed page. A request
    /// that comes from no browser has neither field, and passes.
    pub fn is_of_other_site(&self, own: &str) -> bool {
        is_of_other_site(&self.head.headers, own)
    }

    /// Why pages that make control calls are not shown to this visit, as a sentence: it may come from elsewhere than a machine that may
    /// make them. None for one that may see them, also by a link from another site.
    pub fn why_off_machine(&self) -> Option<String> {
        let (what, value) = caller::foreign_place(&self.app.settings().control, self.peer, self.head)?;
        Some(format!(
            "This page is shown on the exchange's own machine, and to peers that --control-from names, without a proxy; {what} was \
             '{}'.",
            quoted(&value)
        ))
    }

    /// The value of a cookie (RFC 6265, 5.4). A name that was sent twice counts as absent, because another site of the same domain may
    /// have set one of the two.
    pub fn cookie(&self, name: &str) -> Option<&'a str> {
        cookie(&self.head.headers, name)
    }
}

/// The names and values of a form's body.
///
/// # Errors
/// 400 for a body that is not URL-encoded text.
pub fn form(body: &[u8]) -> Result<Pairs<'_>, Refusal> {
    pairs("body", body)
}

fn pairs<'a>(place: &str, text: &'a [u8]) -> Result<Pairs<'a>, Refusal> {
    url_encoded::pairs(text).map_err(|why| {
        let message = format!("The {place} is not URL-encoded text: it has {why}");
        Refusal::new(Reason::InvalidParameterValue, message)
    })
}

fn once<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut sent = headers.get_all(name).iter();
    match (sent.next(), sent.next()) {
        (Some(value), None) => value.to_str().ok(),
        (None | Some(_), _) => None,
    }
}

fn origin(headers: &HeaderMap) -> Option<&str> {
    headers.contains_key(ORIGIN).then(|| once(headers, &ORIGIN).unwrap_or("null"))
}

pub(crate) fn is_of_other_site(headers: &HeaderMap, own: &str) -> bool {
    let is_foreign_fetch = headers.contains_key(SEC_FETCH_SITE)
        && !matches!(once(headers, &SEC_FETCH_SITE), Some("same-origin" | "none"));
    is_foreign_fetch || origin(headers).is_some_and(|origin| origin != own)
}

fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let fields = headers.get_all(COOKIE).iter();
    // A field that is no text could hold the name a second time.
    let texts = fields.map(|field| field.to_str().ok()).collect::<Option<Vec<&str>>>()?;
    let cookies =
        texts.into_iter().flat_map(|text| text.split(';')).filter_map(|cookie| cookie.split_once('='));
    let mut values = cookies.filter(|(known, _)| known.trim() == name).map(|(_, value)| value.trim());
    let value = values.next()?;
    values.next().is_none().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn fields(name: &HeaderName, values: &[&[u8]]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(name, HeaderValue::from_bytes(value).unwrap());
        }
        headers
    }

    /// A cookie is found in any field, and one that was sent twice is not.
    #[test]
    fn cookies_are_read() {
        for (sent, value) in [
            (&[&b"session=abc"[..]][..], Some("abc")),
            (&[b"a=1; session=abc; b=2"], Some("abc")),
            (&[b"a=1;session = abc ;b"], Some("abc")),
            (&[b"session=a=b"], Some("a=b")),
            (&[b"session="], Some("")),
            (&[b"a=1", b"session=abc"], Some("abc")),
            (&[b"Session=abc; session2=b; xsession=c; session"], None),
            (&[b"session=abc; session=abc"], None),
            (&[b"session=abc", b"session=other"], None),
            (&[b"session=abc", b"\xff"], None),
            (&[b"session=\xff"], None),
            (&[], None),
        ] {
            assert_eq!(cookie(&fields(&COOKIE, sent), "session"), value, "{sent:?}");
        }
    }

    /// Without the fields of a browser a call passes; a second field, an unnamed page and another site are foreign.
    #[test]
    fn other_sites_are_known() {
        let own = "https://exchange.example";
        for (sent, is_foreign) in [
            (&[][..], false),
            (&[own.as_bytes()], false),
            (&[b"https://exchange.example:8443"], true),
            (&[b"http://exchange.example"], true),
            (&[b"https://exchange.example.evil.example"], true),
            (&[b"null"], true),
            (&[b""], true),
            (&[b"\xff"], true),
            (&[own.as_bytes(), own.as_bytes()], true),
        ] {
            assert_eq!(is_of_other_site(&fields(&ORIGIN, sent), own), is_foreign, "{sent:?}");
        }
        for (sent, is_foreign) in [
            (&[&b"same-origin"[..]][..], false),
            (&[b"none"], false),
            (&[b"same-site"], true),
            (&[b"cross-site"], true),
            (&[b"none", b"none"], true),
        ] {
            assert_eq!(is_of_other_site(&fields(&SEC_FETCH_SITE, sent), own), is_foreign, "{sent:?}");
        }
        assert_eq!(origin(&fields(&ORIGIN, &[b"a", b"b"])), Some("null"));
    }

    #[test]
    fn a_form_that_is_not_encoded_is_refused() {
        assert_eq!(form(b"a=1&a=2").unwrap().len(), 2);
        let refusal = form(b"a=%").unwrap_err();
        assert_eq!(
            (refusal.status, refusal.message.as_str()),
            (400, "The body is not URL-encoded text: it has a '%' without two hexadecimal digits after it")
        );
    }
}
