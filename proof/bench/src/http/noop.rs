//! The reference server: the same HTTP stack on one thread. It checks the key, the signature and the JSON, and
//! returns a constant order. A `GET` is not checked and returns the file `reply` of the data directory, for readings as long as ours.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io::Write;
use std::net::Ipv4Addr;
use std::path::Path;
use std::rc::Rc;

use bytes::Bytes;
use hmac::{Hmac, KeyInit, Mac};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::service::service_fn;
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use sha2::Sha384;

use super::keys;

/// 431 bytes, like a real order.
const REPLY: &str = concat!(
    r#"{"order_id":"1234567890123","id":"1234567890123","symbol":"btcusd","exchange":"bench","avg_execution_price":"0.00","#,
    r#""side":"buy","type":"exchange limit","timestamp":"1700000000","timestampms":1700000000123,"is_live":true,"#,
    r#""is_cancelled":false,"is_hidden":false,"was_forced":false,"executed_amount":"0","client_order_id":"20261120-000001","#,
    r#""options":[],"price":"34567.89","original_amount":"1.23456789","remaining_amount":"1.23456789"}"#
);

/// The fields of both requests; the others are in an order only.
#[derive(Deserialize)]
struct Payload<'a> {
    request: &'a str,
    nonce: u64,
    client_order_id: &'a str,
    #[serde(default)]
    symbol: Option<&'a str>,
    #[serde(default)]
    amount: Option<&'a str>,
    #[serde(default)]
    price: Option<&'a str>,
    #[serde(default)]
    side: Option<&'a str>,
    #[serde(default, rename = "type")]
    kind: Option<&'a str>,
    #[serde(default)]
    options: Vec<&'a str>,
}

/// HMAC states initialised with the secrets, by API key.
struct Gate(HashMap<Vec<u8>, Hmac<Sha384>>);

impl Gate {
    /// Whether the request is genuine and well formed.
    fn admits(&self, path: &str, headers: &HeaderMap) -> bool {
        let header = |name| headers.get(name).map_or(&b""[..], HeaderValue::as_bytes);
        let payload = header("x-svc-payload");
        let Some(state) = self.0.get(header("x-svc-apikey")) else { return false };
        let mut tag = [0; 48];
        if const_hex::decode_to_slice(header("x-svc-signature"), &mut tag).is_err() {
            return false;
        }
        let mut mac = state.clone();
        mac.update(payload);
        if mac.verify_slice(&tag).is_err() {
            return false;
        }
        let mut room = [0; 1024];
        let Ok(json) = base64_simd::STANDARD.decode(payload, base64_simd::Out::from_slice(&mut room)) else {
            return false;
        };
        let Ok(payload) = serde_json::from_slice::<Payload<'_>>(json) else { return false };
        let order = [payload.symbol, payload.amount, payload.price, payload.side, payload.kind];
        let whole =
            path != "/v1/order/new" || (order.iter().all(Option::is_some) && payload.options.len() == 1);
        payload.request == path && payload.nonce > 0 && !payload.client_order_id.is_empty() && whole
    }
}

/// Serves on a free port until killed; prints `ready` like the product.
pub(crate) fn serve(data: &Path) {
    let gate = keys::invent(data).into_iter().map(|key| {
        let state = Hmac::new_from_slice(key.api_secret.as_bytes()).expect("HMAC takes a key of any length");
        (key.api_key.into_bytes(), state)
    });
    let gate = Rc::new(Gate(gate.collect()));
    let reading = Bytes::from(std::fs::read(data.join("reply")).unwrap_or_default());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    tokio::task::LocalSet::new().block_on(&runtime, async {
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
        let address = listener.local_addr().expect("a bound listener has an address");
        println!("ready http://{address}");
        std::io::stdout().flush().expect("standard output is open");
        loop {
            let (stream, _) = listener.accept().await.expect("a connection");
            stream.set_nodelay(true).expect("a connection takes options");
            let (gate, reading) = (Rc::clone(&gate), reading.clone());
            tokio::task::spawn_local(async move {
                let service = service_fn(|request| answer(Rc::clone(&gate), reading.clone(), request));
                let mut builder = hyper::server::conn::http1::Builder::new();
                // The load reports broken connections.
                let _ = builder.pipeline_flush(true).serve_connection(TokioIo::new(stream), service).await;
            });
        }
    });
}

async fn answer(
    gate: Rc<Gate>,
    reading: Bytes,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (parts, body) = request.into_parts();
    let is_reading = parts.method == Method::GET;
    let genuine = is_reading || gate.admits(parts.uri.path(), &parts.headers);
    let _ = body.collect().await;
    let reply = if is_reading { reading } else { Bytes::from_static(REPLY.as_bytes()) };
    let mut response = Response::new(Full::new(reply));
    if !genuine {
        *response.status_mut() = StatusCode::BAD_REQUEST;
    }
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(response)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_reply_is_as_long_as_an_order() {
        assert_eq!(super::REPLY.len(), 431);
    }
}
