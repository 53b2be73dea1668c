//! Signed requests, prepared before the measurement.

use buttonwood_client::Credentials;

use super::keys::{Key, now_ms};

/// The kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asks {
    New,
    Cancel,
}

/// The requests of one key in order, in one block of memory.
pub(crate) struct Requests {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// The kind of each request, and the number of its client order id.
    pub(crate) asks: Vec<(Asks, u32)>,
}

impl Requests {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.bytes[start..self.ends[at]]
    }
}

/// A client order id from its number.
pub(crate) fn client_id(number: u32) -> String {
    format!("20261120-{number:07}")
}

/// Pairs of a new order and its cancel.
pub(crate) fn pairs(keys: &[Key], each: usize) -> Vec<Requests> {
    write(keys, each, |at| if at % 2 == 0 { (Asks::New, at / 2) } else { (Asks::Cancel, at / 2) })
}

/// Two new orders, then the cancel of the first, so that the number of orders grows.
pub(crate) fn growing(keys: &[Key], each: usize) -> Vec<Requests> {
    write(keys, each, |at| match at % 3 {
        2 => (Asks::Cancel, at / 3 * 2),
        step => (Asks::New, at / 3 * 2 + step),
    })
}

fn write(keys: &[Key], each: usize, plan: impl Fn(usize) -> (Asks, usize)) -> Vec<Requests> {
    let now = now_ms();
    let one_key = |key: &Key| {
        let credentials = Credentials::new(&key.api_key, &key.api_secret);
        let mut requests = Requests {
            bytes: Vec::with_capacity(each * 800),
            ends: Vec::with_capacity(each),
            asks: Vec::with_capacity(each),
        };
        for at in 0..each {
            let (asks, number) = plan(at);
            let number = number as u32;
            let nonce = now + at as u64;
            let id = client_id(number);
            let (path, payload) = match asks {
                Asks::New => (
                    "/v1/order/new",
                    format!(
                        r#"{{"request":"/v1/order/new","nonce":{nonce},"client_order_id":"{id}","symbol":"btcusd","amount":"0.001","price":"{}.{:02}","side":"buy","type":"exchange limit","options":["maker-or-cancel"]}}"#,
                        1_000 + number % 1_000,
                        number % 100,
                    ),
                ),
                Asks::Cancel => (
                    "/v1/order/cancel",
                    format!(r#"{{"request":"/v1/order/cancel","nonce":{nonce},"client_order_id":"{id}"}}"#),
                ),
            };
            one(&mut requests.bytes, path, &credentials, &payload);
            requests.ends.push(requests.bytes.len());
            requests.asks.push((asks, number));
        }
        requests
    };
    keys.iter().map(one_key).collect()
}

/// Appends one signed request.
pub(crate) fn one(out: &mut Vec<u8>, path: &str, credentials: &Credentials, payload: &str) {
    out.extend_from_slice(
        format!("POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n").as_bytes(),
    );
    for (name, value) in credentials.sign(payload.as_bytes()).headers() {
        out.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
    }
    out.extend_from_slice(b"\r\n");
}
