//! A browser as the calls of the pages see one: its cookies, and the CSRF token of its session.

use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;
use std::cell::RefCell;
use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::exchange::Exchange;

/// A browser. It keeps the cookies that it is given, and sends the token that its last step of signing in returned.
#[derive(Debug)]
pub struct Browser<'x> {
    exchange: &'x Exchange,
    /// The host that it names, in place of the address; with the port.
    host: Option<String>,
    cookies: RefCell<BTreeMap<String, String>>,
    csrf: RefCell<Option<String>>,
}

impl<'x> Browser<'x> {
    /// A browser without cookies.
    pub fn new(exchange: &'x Exchange) -> Self {
        Self { exchange, host: None, cookies: RefCell::default(), csrf: RefCell::default() }
    }

    /// A browser without cookies that opened the pages as `http://localhost:PORT`, where passkeys work.
    pub fn at_localhost(exchange: &'x Exchange) -> Self {
        let address = exchange.address();
        let port = address.rsplit(':').next().unwrap_or_default();
        Self::at(exchange, &format!("localhost:{port}"))
    }

    /// A browser without cookies that opened the pages at another host: a name, with a port unless it is 80.
    pub fn at(exchange: &'x Exchange, host: &str) -> Self {
        Self { host: Some(host.to_owned()), ..Self::new(exchange) }
    }

    /// The origin of the pages, as this browser sees it.
    pub fn origin(&self) -> String {
        format!("http://{}", self.host.clone().unwrap_or_else(|| self.exchange.address()))
    }

    /// Takes the cookies and the token of another browser.
    pub fn take(&self, other: &Self) {
        self.cookies.borrow_mut().clone_from(&other.cookies.borrow());
        self.set_csrf(other.csrf().as_deref());
    }

    /// A browser in which a user is fully signed in, by the sandbox's own call.
    #[track_caller]
    pub fn of(exchange: &'x Exchange, email: &str) -> Self {
        let session = exchange.control("/sandbox/sessions", &json!({ "email": email })).ok();
        let text = |name: &str| session[name].as_str().unwrap_or_else(|| panic!("no {name} in {session}"));
        let (name, value) = text("cookie").split_once('=').expect("a cookie is name=value");
        let browser = Self::new(exchange);
        browser.set_cookie(name, Some(value));
        browser.set_csrf(Some(text("csrf")));
        browser
    }

    /// The value of a cookie.
    pub fn cookie(&self, name: &str) -> Option<String> {
        self.cookies.borrow().get(name).cloned()
    }

    /// Sets a cookie, or removes it.
    pub fn set_cookie(&self, name: &str, value: Option<&str>) {
        let mut cookies = self.cookies.borrow_mut();
        match value {
            Some(value) => cookies.insert(name.to_owned(), value.to_owned()),
            None => cookies.remove(name),
        };
    }

    /// The CSRF token of the session.
    pub fn csrf(&self) -> Option<String> {
        self.csrf.borrow().clone()
    }

    /// Sets the token that is sent.
    pub fn set_csrf(&self, csrf: Option<&str>) {
        *self.csrf.borrow_mut() = csrf.map(str::to_owned);
    }

    /// A GET.
    #[track_caller]
    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], b"")
    }

    /// A POST of a JSON text, as the pages make it.
    #[track_caller]
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        let mut answer =
            self.send("POST", path, &[("Content-Type", "application/json")], body.to_string().as_bytes());
        answer.sent = format!("{} {body}", answer.sent);
        answer
    }

    /// Any request, with the cookies and the token.
    #[track_caller]
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let cookies: Vec<String> =
            self.cookies.borrow().iter().map(|(name, value)| format!("{name}={value}")).collect();
        let (cookies, csrf) = (cookies.join("; "), self.csrf());
        let mut all = headers.to_vec();
        if let Some(host) = &self.host {
            all.push(("Host", host));
        }
        if !cookies.is_empty() {
            all.push(("Cookie", &cookies));
        }
        if let Some(csrf) = &csrf
            && method == "POST"
        {
            all.push(("X-CSRF-Token", csrf));
        }
        let answer = self.exchange.anyone().send(method, path, &all, body);
        self.note(&answer);
        answer
    }

    /// Keeps the cookies and the token of an answer.
    fn note(&self, answer: &Answer) {
        for field in answer.reply.headers.get_all("set-cookie") {
            let field = field.to_str().expect("a cookie is text");
            let (cookie, attributes) = field.split_once(';').unwrap_or((field, ""));
            let (name, value) = cookie.split_once('=').expect("a cookie is name=value");
            self.set_cookie(name, (!attributes.contains("Max-Age=0")).then_some(value));
        }
        let body: Option<Value> = answer.reply.json().ok();
        if let Some(csrf) = body.as_ref().and_then(|body| body["csrf"].as_str()) {
            self.set_csrf(Some(csrf));
        }
    }
}

/// The code of a TOTP secret in Base32 at a time (RFC 6238: SHA-1, six digits, 30 seconds).
///
/// # Panics
/// When the secret is no Base32.
pub fn totp(secret: &str, time_ms: u64) -> String {
    let key = base32(secret);
    let message = (time_ms / 30_000).to_be_bytes();
    let digest = hmac_sha1(&key, &message);
    let at = usize::from(digest[19] & 0x0F);
    let word = u32::from_be_bytes([digest[at] & 0x7F, digest[at + 1], digest[at + 2], digest[at + 3]]);
    format!("{:06}", word % 1_000_000)
}

/// The bytes of a text in Base32.
///
/// # Panics
/// When the text is no Base32.
pub fn base32(text: &str) -> Vec<u8> {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let digit = |character| DIGITS.find(character).unwrap_or_else(|| panic!("{character} is no Base32"));
    let digits = text.trim_end_matches('=').chars().map(digit);
    let bits: Vec<bool> =
        digits.flat_map(|digit| (0..5).rev().map(move |bit| digit >> bit & 1 == 1)).collect();
    bits.chunks_exact(8).map(|byte| byte.iter().fold(0, |sum, bit| sum << 1 | u8::from(*bit))).collect()
}

fn hmac_sha1(key: &[u8], message: &[u8]) -> [u8; 20] {
    let mac = Hmac::<Sha1>::new_from_slice(key).expect("every length is a key");
    mac.chain_update(message).finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of RFC 6238, appendix B, with six digits.
    #[test]
    fn codes_are_those_of_the_standard() {
        let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
        for (seconds, code) in [(59, "287082"), (1_111_111_109, "081804"), (20_000_000_000, "353130")] {
            assert_eq!(totp(secret, 1_000 * seconds), code);
        }
    }
}
