//! Floods from one address at each door: the waits of an honest client of another address meanwhile, how long an operator's halt takes, and
//! what the flood holds in the memory of process and kernel.
//!
//! The exchange runs with its limits of rates and the machine's clock. A wait may be twice the one without the flood, or 20 ms more; that
//! holds for the median and the 99th of a hundred. The figures are printed, since a busy machine shows in them.

use crate::junk::DOORS;
use crate::server::Server;
use buttonwood_client::{Client, Credentials};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

/// The address of the flood; the honest client has the usual one.
const FLOODER: &str = "127.0.0.2:0";
/// Connections that call without a pause.
const CALLERS: usize = 16;
/// Connections that hold something.
const HOLDERS: usize = 300;
/// Between two calls of the honest client.
const PACE: Duration = Duration::from_millis(110);
/// The most that one address may hold in the process, and in the kernel.
const MEMORY_MAX: u64 = 128 << 20;
/// How much longer a halt may take.
const HALT_MAX: Duration = Duration::from_secs(1);

/// A kind of flood.
#[derive(Clone, Copy)]
enum Flood {
    /// Calls whose answers are read.
    Calls(&'static str, crate::junk::Call),
    /// Requests whose answers nobody reads.
    Unread,
    /// Bodies that do not end.
    Unfinished,
}

/// The waits of the honest client: the median, and the 99th of a hundred.
#[derive(Clone, Copy, Debug)]
struct Waits {
    median: Duration,
    worst: Duration,
    halt: Duration,
}

/// Floods each door for a time.
///
/// # Errors
/// A wait, a halt or an amount of memory beyond its bound.
pub(crate) fn check(binary: &Path, seed: u64, time: Duration) -> Result<(), String> {
    let calls = DOORS.iter().map(|(path, call)| (*path, Flood::Calls(path, *call)));
    let all =
        calls.chain([("answers that nobody reads", Flood::Unread), ("unfinished bodies", Flood::Unfinished)]);
    let mut beyond = Vec::new();
    for (name, flood) in all {
        // Each has an exchange of its own, so that no flood pays for another one.
        let server = Server::start_with(binary, seed, "--funds simulated")?;
        beyond.extend(at_door(&server, (name, flood), time)?);
    }
    if beyond.is_empty() { Ok(()) } else { Err(beyond.join("; ")) }
}

/// Floods one door, and prints the figures. Returns what is beyond its bound.
fn at_door(server: &Server, (name, flood): (&str, Flood), time: Duration) -> Result<Vec<String>, String> {
    let address = server.base_url.trim_start_matches("http://").parse::<SocketAddr>();
    let address = address.map_err(|error| format!("{}: {error}", server.base_url))?;
    let honest = honest(server)?;
    // The first calls open connections.
    waits(server, &honest, Duration::from_secs(2))?;
    let calm = waits(server, &honest, time)?;
    let memory = [resident(server.pid())?, in_kernel()?];
    let (is_over, calls) = (AtomicBool::new(false), AtomicU64::new(0));
    let flooded = thread::scope(|scope| {
        let callers = if matches!(flood, Flood::Calls(..)) { CALLERS } else { 1 };
        for _ in 0..callers {
            scope.spawn(|| flood.run(address, (&is_over, &calls)));
        }
        thread::sleep(Duration::from_secs(1));
        let flooded = waits(server, &honest, time);
        let after = resident(server.pid()).and_then(|resident| Ok([resident, in_kernel()?]));
        is_over.store(true, Ordering::Relaxed);
        Ok::<_, String>((flooded?, after?))
    });
    let (flooded, after) = flooded?;
    let [process, kernel] = [0, 1].map(|at: usize| {
        after.get(at).zip(memory.get(at)).map_or(0, |(after, before)| after.saturating_sub(*before))
    });
    println!(
        "hostile: flood of {name}: {} calls; median {:?} -> {:?}, 99 % {:?} -> {:?}, halt {:?} -> {:?}; process +{} KiB, kernel +{} KiB",
        calls.load(Ordering::Relaxed),
        calm.median,
        flooded.median,
        calm.worst,
        flooded.worst,
        calm.halt,
        flooded.halt,
        process >> 10,
        kernel >> 10,
    );
    let is_long =
        |calm: Duration, flooded: Duration| flooded > (2 * calm).max(calm + Duration::from_millis(20));
    let judged = [
        (is_long(calm.median, flooded.median), "the median waits too long"),
        (is_long(calm.worst, flooded.worst), "the 99th of a hundred waits too long"),
        (flooded.halt > calm.halt + HALT_MAX, "a halt takes too long"),
        (process > MEMORY_MAX, "the process holds too much"),
        (kernel > MEMORY_MAX, "the kernel holds too much"),
    ];
    Ok(judged.into_iter().filter(|(is_so, _)| *is_so).map(|(_, why)| format!("{name}: {why}")).collect())
}

/// A client of the sandbox, by a connection of its own.
fn honest(server: &Server) -> Result<Client, String> {
    let file = Path::new(&server.data()).join("credentials.json");
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let known: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let key = known.pointer("/keys/0").ok_or("the sandbox has no key")?;
    let text = |name: &str| key[name].as_str().unwrap_or_default().to_owned();
    let client = Client::new(&server.base_url).map_err(|error| error.to_string())?;
    Ok(client.with_key(Credentials::new(text("api_key"), text("api_secret"))))
}

/// The waits of calls for a time: an order, its cancel and the balances in turn; then a halt.
fn waits(server: &Server, client: &Client, time: Duration) -> Result<Waits, String> {
    let (begin, mut all, mut order) = (Instant::now(), Vec::new(), Value::Null);
    while begin.elapsed() < time {
        let (path, fields) = match all.len() % 3 {
            0 => (
                "/v1/order/new",
                json!({ "symbol": "btcusd", "amount": "0.001", "price": "1000", "side": "buy", "type": "exchange limit" }),
            ),
            1 => ("/v1/order/cancel", json!({ "order_id": order })),
            _ => ("/v1/balances", json!({})),
        };
        let start = Instant::now();
        let reply = server.call(client, path, fields)?;
        all.push(start.elapsed());
        order = reply.get("order_id").cloned().unwrap_or(order);
        thread::sleep(PACE.saturating_sub(start.elapsed()));
    }
    all.sort_unstable();
    let at = |part: usize| {
        all.get((all.len() * part / 100).min(all.len().saturating_sub(1))).copied().unwrap_or_default()
    };
    let (median, worst) = (at(50), at(99));
    let start = Instant::now();
    server.admin(&["halt"])?;
    let halt = start.elapsed();
    server.admin(&["resume"])?;
    Ok(Waits { median, worst, halt })
}

impl Flood {
    /// Floods until it is over, and counts the answers.
    fn run(self, address: SocketAddr, (is_over, calls): (&AtomicBool, &AtomicU64)) {
        match self {
            Self::Calls(path, body) => {
                let mut number = 0;
                while !is_over.load(Ordering::Relaxed) {
                    // A closed connection is opened again.
                    if let Ok(mut stream) = connect(address) {
                        while !is_over.load(Ordering::Relaxed)
                            && ask(&mut stream, &post(address, path, &body(number).to_string())).is_some()
                        {
                            number += 1;
                            calls.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                    thread::sleep(Duration::from_millis(2));
                }
            }
            Self::Unread => {
                let get = format!("GET /openapi.json HTTP/1.1\r\nHost: {address}\r\n\r\n").repeat(4);
                hold(address, get.as_bytes(), (is_over, calls));
            }
            Self::Unfinished => {
                let head =
                    format!("POST /v1/balances HTTP/1.1\r\nHost: {address}\r\nContent-Length: 60000\r\n\r\n");
                hold(address, &[head, "x".repeat(30_000)].concat().into_bytes(), (is_over, calls));
            }
        }
    }
}

/// Opens connections that send the same and read nothing, and opens those again that were closed.
fn hold(address: SocketAddr, bytes: &[u8], (is_over, calls): (&AtomicBool, &AtomicU64)) {
    let mut held = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        held.retain(|stream: &TcpStream| stream.set_nonblocking(true).is_ok() && !is_closed(stream));
        while held.len() < HOLDERS && !is_over.load(Ordering::Relaxed) {
            let Ok(mut stream) = connect(address) else { break };
            // It may be refused at once.
            let _ = stream.write_all(bytes);
            calls.fetch_add(1, Ordering::Relaxed);
            held.push(stream);
        }
        thread::sleep(Duration::from_millis(100));
    }
}

/// Whether the other side has closed a connection of which nothing was read.
fn is_closed(stream: &TcpStream) -> bool {
    stream.take_error().is_ok_and(|error| error.is_some())
}

/// Connects from the flood's address.
fn connect(address: SocketAddr) -> std::io::Result<TcpStream> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let stream = runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4()?;
        socket.bind(FLOODER.parse().map_err(std::io::Error::other)?)?;
        socket.connect(address).await?.into_std()
    })?;
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    stream.set_write_timeout(Some(Duration::from_millis(200)))?;
    Ok(stream)
}

fn post(address: SocketAddr, path: &str, body: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Sends a request and reads its answer; none once the connection has ended.
fn ask(stream: &mut TcpStream, request: &str) -> Option<()> {
    stream.write_all(request.as_bytes()).ok()?;
    let (mut answer, mut part) = (Vec::new(), [0; 4_096]);
    loop {
        let count = stream.read(&mut part).ok().filter(|count| *count > 0)?;
        answer.extend_from_slice(part.get(..count)?);
        let Some(head) = answer.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let text = String::from_utf8_lossy(answer.get(..head)?).to_ascii_lowercase();
        let length =
            text.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
        if answer.len() >= head + 4 + length.unwrap_or(0) {
            return Some(());
        }
    }
}

/// The memory of a process, in bytes.
fn resident(pid: u32) -> Result<u64, String> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).map_err(|error| error.to_string())?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.trim().trim_end_matches(" kB").trim().parse::<u64>().ok());
    number.map(|kib| kib << 10).ok_or_else(|| "its memory is not shown".to_owned())
}

/// The memory of the kernel for all TCP sockets of the machine, in bytes.
fn in_kernel() -> Result<u64, String> {
    let text = fs::read_to_string("/proc/net/sockstat").map_err(|error| error.to_string())?;
    let line = text.lines().find(|line| line.starts_with("TCP:"));
    let pages = line.and_then(|line| line.rsplit(' ').next()?.parse::<u64>().ok());
    pages.map(|pages| pages * 4_096).ok_or_else(|| "the kernel's memory is not shown".to_owned())
}
