//! The program that `cargo xtask instructions` counts: each run executes one fixed stream of the order path.
//!
//! Only one function, [`counted_part`], and its callees are counted: no clock, no thread, no disk, no random seed.
//! `A1`, `B1`, `A100` and `B100` are the core's whole path from binary command to events. `frame` encodes a command
//! of A1 into the journal's buffer. `gate` takes a signed order from its headers to an authenticated payload.

#[allow(dead_code, reason = "shared with the benchmarks, which use all of it")]
mod exchange;
#[allow(dead_code, reason = "shared with the benchmarks, which use all of it")]
mod opgen;

use std::hint::black_box;
use std::net::{IpAddr, Ipv4Addr};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use buttonwood_client::Credentials;
use buttonwood_engine::{Owner, encode};
use buttonwood_gate::{Gate, HeaderNames, Key, Kind, Limits, Request};
use buttonwood_journal::Buffer;
use buttonwood_model::{AccountId, Nonce, Role, Roles, SessionId, Time};
use buttonwood_vault::Secret;
use exchange::{Exchange, Script, Told};
use http::{HeaderMap, HeaderName, HeaderValue};
use opgen::flow_of;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Operations of a stream of the core.
const OPERATIONS: u64 = 20_000;
/// Signed orders of the gate's stream.
const ORDERS: u64 = 2_000;
/// The path of the calls.
const PATH: &str = "/v1/order/new";

/// The counted part of a run.
#[inline(never)]
fn counted_part<T>(work: impl FnOnce() -> T) -> T {
    black_box(work())
}

fn core(name: &str) -> usize {
    let flow = flow_of(name, OPERATIONS);
    let script = Script::of(&flow);
    let mut exchange = Exchange::new(script.symbols);
    let (before, timed) = script.records.split_at(script.prefill);
    for record in before {
        black_box(exchange.apply(record));
    }
    counted_part(|| exchange.apply_all(timed));
    assert_eq!(exchange.proven(), flow.expect, "{name}: ours against the generator");
    timed.len()
}

fn frame() -> usize {
    let script = Script::of(&flow_of("A1", OPERATIONS));
    let (mut buffer, mut bytes, mut frames) = (Buffer::new(), 0, 0);
    Exchange::recorded(&script, &script.records, |told: &Told<'_>| {
        let out = &told.work.out;
        // One batch each; the buffer keeps its memory, like the product's.
        bytes += buffer.len();
        frames += 1;
        buffer.clear();
        counted_part(|| {
            buffer.push(told.stamp.seq.0, |room| {
                encode(told.stamp.time, told.command, &out.events, &out.texts, room).expect("a frame fits");
            });
        });
    });
    assert!(bytes > frames * 64, "commands and events are in the frames");
    frames
}

fn gate() -> usize {
    const KEY: &str = "account-0123456789abcdef";
    const SECRET: &str = "secret-0123456789abcdef0123456789";
    let names = HeaderNames::any();
    let gate = Gate::new(names, "buttonwood", Limits::default());
    let key = Key {
        api_key: KEY.to_owned(),
        session: SessionId(1),
        owner: Owner::Account(AccountId(1)),
        roles: Roles::of(&[Role::Trader]),
        require_heartbeat: false,
        time_based_nonce: false,
        is_enabled: true,
        addresses: Arc::default(),
        group: None,
    };
    gate.keys().insert(key, &Secret::new(SECRET.as_bytes().to_vec()), Nonce::default());
    let credentials = Credentials::new(KEY, SECRET);
    let signed = |at: u64| {
        let nonce = 1_767_225_600_000 + at;
        let payload = format!(
            r#"{{"request":"{PATH}","nonce":{nonce},"client_order_id":"20261120-{at:07}","symbol":"btcusd","amount":"0.001","price":"1000.{:02}","side":"buy","type":"exchange limit","options":["maker-or-cancel"]}}"#,
            at % 100
        );
        let mut headers = HeaderMap::new();
        for (name, value) in credentials.sign(payload.as_bytes()).headers() {
            let name = HeaderName::from_bytes(name.as_bytes()).expect("a header's name");
            headers.insert(name, HeaderValue::from_str(&value).expect("a header's value"));
        }
        headers
    };
    let all: Vec<HeaderMap> = (0..ORDERS).map(signed).collect();
    let peer = Ipv4Addr::LOCALHOST.into();
    let taken = counted_part(|| {
        let calls = (0..).zip(&all).map(|(second, headers)| {
            let now = Duration::from_secs(second);
            gate.address(peer, now)?;
            let request = Request {
                path: PATH,
                query: None,
                is_query_optional: false,
                headers,
                kind: Kind::Write,
                address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            };
            gate.check(&request, now, Time(1), |_| None)
        });
        calls.filter(Result::is_ok).count()
    });
    assert_eq!(taken, all.len(), "every order is let in");
    taken
}

/// Runs the named stream and prints its number of commands.
fn main() -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_default();
    let commands = match name.as_str() {
        "A1" | "B1" | "A100" | "B100" => core(&name),
        "frame" => frame(),
        "gate" => gate(),
        other => {
            eprintln!("no stream is called {other:?}: A1, B1, A100, B100, frame or gate");
            return ExitCode::from(2);
        }
    };
    println!("{commands}");
    ExitCode::SUCCESS
}
