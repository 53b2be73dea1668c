//! Checks that acknowledged orders survive a kill under load.

use std::collections::{BTreeSet, HashSet};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use buttonwood_client::Credentials;

use super::keys::{self, KEYS, Key};
use super::load::{self, Pace};
use super::requests::{self, Asks};
use super::run::RATE_MAX;
use super::server::{Server, Which};
use crate::place::Place;

/// Kills the product under load and looks for every acknowledged order after its restart.
pub(super) fn survive() -> String {
    let data = Place::Disk.fresh();
    let mut server = Server::start(Which::Product, data.path());
    let keys = keys::read(data.path());
    let moment = 500 + now_millis() % 1_500;
    let requests = requests::growing(&keys, (RATE_MAX * 2.0 / KEYS as f64) as usize);
    let address = server.address;
    let answers = load::run(address, &requests, Pace::Closed, Duration::from_millis(moment), false, || {
        server.kill();
        true
    });
    let restarted = Server::start(Which::Product, data.path());
    let (mut kept, mut unsure) = (0, 0);
    for (at, key) in keys.iter().enumerate() {
        let asks = &requests[at].asks;
        let (answered, sent) = (answers.answered[at], answers.sent[at]);
        let numbers = |range: &[(Asks, u32)], asks: Asks| -> BTreeSet<u32> {
            range.iter().filter(|(asked, _)| *asked == asks).map(|(_, number)| *number).collect()
        };
        let cancelled = numbers(&asks[..answered], Asks::Cancel);
        let maybe = numbers(&asks[answered..sent], Asks::Cancel);
        let live = live_orders(restarted.address, key);
        for number in numbers(&asks[..answered], Asks::New) {
            let there = live.contains(&requests::client_id(number));
            if maybe.contains(&number) {
                unsure += 1;
            } else {
                assert_eq!(
                    there,
                    !cancelled.contains(&number),
                    "order {number} of {} after the crash",
                    key.name
                );
                kept += 1;
            }
        }
    }
    format!(
        "SIGKILL after {moment} ms: {kept} acknowledged orders as they were, {unsure} with a cancel in flight"
    )
}

pub(super) fn now_millis() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970").as_millis() as u64
}

/// The client order ids of a key's live orders.
fn live_orders(address: SocketAddr, key: &Key) -> HashSet<String> {
    // Higher than every nonce that the load used.
    let payload = format!(r#"{{"request":"/v1/orders","nonce":{}}}"#, now_millis() + 10_000_000);
    let answer = call(address, key, "/v1/orders", &payload);
    let orders: serde_json::Value = serde_json::from_slice(&answer).expect("orders are JSON");
    let ids = orders.as_array().expect("a list of orders").iter();
    ids.map(|order| order["client_order_id"].as_str().unwrap_or_default().to_owned()).collect()
}

/// One signed request on its own connection; returns the body of the reply, which must be 200.
fn call(address: SocketAddr, key: &Key, path: &str, payload: &str) -> Vec<u8> {
    let mut request = Vec::new();
    requests::one(&mut request, path, &Credentials::new(&key.api_key, &key.api_secret), payload);
    let mut stream = TcpStream::connect(address).expect("the server listens");
    stream.set_nodelay(true).expect("a connection takes options");
    stream.write_all(&request).expect("the server reads");
    let mut bytes = Vec::new();
    let mut room = [0; 65_536];
    loop {
        let read = stream.read(&mut room).expect("the server answers");
        assert!(read > 0, "the server ended the connection");
        bytes.extend_from_slice(&room[..read]);
        let mut headers = [httparse::EMPTY_HEADER; 32];
        let mut response = httparse::Response::new(&mut headers);
        let Ok(httparse::Status::Complete(head)) = response.parse(&bytes) else { continue };
        let length =
            response.headers.iter().find(|header| header.name.eq_ignore_ascii_case("content-length"));
        let length = length.and_then(|header| str::from_utf8(header.value).ok()?.parse::<usize>().ok());
        let length = length.expect("an answer says how long it is");
        assert_eq!(response.code, Some(200), "{}", String::from_utf8_lossy(&bytes));
        if bytes.len() >= head + length {
            return bytes.split_off(head);
        }
    }
}
