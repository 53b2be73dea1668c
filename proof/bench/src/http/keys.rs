//! The load keys, read from the `credentials.json` that a server writes at its start.

use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// Number of keys used: one per connection.
pub(crate) const KEYS: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Key {
    pub(crate) name: String,
    pub(crate) api_key: String,
    pub(crate) api_secret: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Credentials {
    keys: Vec<Key>,
}

const FILE: &str = "credentials.json";

/// Milliseconds since 1970: the first nonce of a key.
pub(crate) fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970");
    u64::try_from(now.as_millis()).expect("it is long before that")
}

/// `load-000` to `load-063`.
pub(crate) fn read(data: &Path) -> Vec<Key> {
    let mut keys = read_all(data);
    keys.truncate(KEYS);
    assert_eq!(keys.len(), KEYS, "the load keys are there");
    keys
}

/// `socket-000` to `socket-063`, which open sockets.
pub(crate) fn read_sockets(data: &Path) -> Vec<Key> {
    let mut keys = read_file(data);
    keys.retain(|key| key.name.starts_with("socket-"));
    keys.sort_by(|one, other| one.name.cmp(&other.name));
    assert_eq!(keys.len(), KEYS, "the keys of sockets are there");
    keys
}

/// The key with time-based nonces: any number of connections may share it.
pub(crate) fn read_timely(data: &Path) -> Key {
    let timely = read_file(data).into_iter().find(|key| key.name == "time-nonce");
    timely.expect("the key with time-based nonces is there")
}

/// All load keys.
pub(crate) fn read_all(data: &Path) -> Vec<Key> {
    let mut keys = read_file(data);
    keys.retain(|key| key.name.starts_with("load-"));
    keys.sort_by(|one, other| one.name.cmp(&other.name));
    keys
}

fn read_file(data: &Path) -> Vec<Key> {
    let path = data.join(FILE);
    let text = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let all: Credentials = serde_json::from_slice(&text).expect("credentials.json is as the contract says");
    all.keys
}

/// Generates load keys and writes them like a server.
pub(crate) fn invent(data: &Path) -> Vec<Key> {
    let key = |n: usize| Key {
        name: format!("load-{n:03}"),
        api_key: format!("account-noop{n:016}"),
        api_secret: format!("noop-secret-{n:03}-0123456789abcdef"),
    };
    let credentials = Credentials { keys: (0..KEYS).map(key).collect() };
    let text = serde_json::to_vec(&credentials).expect("keys are text");
    fs::write(data.join(FILE), text).expect("the data directory takes files");
    credentials.keys
}
