//! The memory that the kernel holds for clients that do not read.
//!
//! Each connection has a small send buffer, and the bytes that clients of one address have not taken out of theirs are summed up once a
//! second. Over a bound, the connections with the most are reset. The kernel's own table of connections has the sums, also of connections
//! that were closed and are still being sent.

use crate::permits::OpenConnections;
use socket2::SockRef;
use std::collections::{HashMap, HashSet};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::watch;

/// Bytes of a connection's send buffer. The kernel doubles it for what it needs besides the bytes.
const SEND_BUFFER: usize = 128 * 1024;
/// How long bytes may wait for a client that takes none before the kernel ends the connection, whether the process still has it or not.
const UNTAKEN_WAIT: Duration = Duration::from_mins(1);
/// Bytes that all connections of one client address may leave in the kernel.
const OF_CLIENT: u64 = 16 * 1024 * 1024;
/// Connections of one address below which its bytes cannot be too many.
const FEW: usize = 64;
/// The time between two sums.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The addresses of connections that have to be reset.
pub(crate) type Slow = Arc<HashSet<SocketAddr>>;

/// Bounds what the kernel keeps for a connection.
pub(crate) fn bound(stream: &TcpStream) {
    let socket = SockRef::from(stream);
    // A system that refuses one of these serves without it.
    let _ = socket.set_send_buffer_size(SEND_BUFFER);
    #[cfg(target_os = "linux")]
    let _ = socket.set_tcp_user_timeout(Some(UNTAKEN_WAIT));
}

/// Has the kernel drop what it holds once the connection closes, in place of sending it for minutes.
pub(crate) fn reset_at_close(stream: &TcpStream) {
    let _ = SockRef::from(stream).set_linger(Some(Duration::ZERO));
}

/// Looks every second what clients with many connections at these ports leave unread, and publishes which connections have to be reset.
/// All connections of a client, as `sharer` has it, are counted together; those without one are not.
pub(crate) async fn watch(
    open: OpenConnections,
    ports: Vec<u16>,
    sharer: impl Fn(IpAddr) -> Option<IpAddr>,
    slow: Arc<watch::Sender<Slow>>,
) {
    let mut before = HashMap::new();
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        if open.most_of_address() <= FEW {
            before = HashMap::new();
            continue;
        }
        let read =
            tokio::task::spawn_blocking(|| (table("/proc/self/net/tcp"), table("/proc/self/net/tcp6")));
        let Ok((four, six)) = read.await else { return };
        let now: HashMap<SocketAddr, u64> = untaken(&four, &ports).chain(untaken(&six, &ports)).collect();
        let found = too_slow(&now, &before, &sharer);
        if !found.is_empty() {
            tracing::warn!(
                connections = found.len(),
                "clients leave too much unread: their connections are reset"
            );
            slow.send_replace(Arc::new(found));
        }
        before = now;
    }
}

/// A table of the kernel; empty where there is none.
fn table(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

/// The connections that have to be reset, of clients that leave too much unread: those with the most, of those that had some a second ago.
fn too_slow(
    now: &HashMap<SocketAddr, u64>,
    before: &HashMap<SocketAddr, u64>,
    sharer: impl Fn(IpAddr) -> Option<IpAddr>,
) -> HashSet<SocketAddr> {
    let mut clients: HashMap<IpAddr, Vec<(u64, SocketAddr)>> = HashMap::new();
    for (peer, bytes) in now {
        if let Some(client) = sharer(peer.ip()) {
            clients.entry(client).or_default().push((*bytes, *peer));
        }
    }
    let mut found = HashSet::new();
    for mut connections in clients.into_values() {
        let mut held: u64 = connections.iter().map(|(bytes, _)| bytes).sum();
        if held <= OF_CLIENT {
            continue;
        }
        connections.sort_unstable_by(|a, b| b.cmp(a));
        for (bytes, peer) in connections.into_iter().filter(|(_, peer)| before.contains_key(peer)) {
            if held <= OF_CLIENT - OF_CLIENT / 4 {
                break;
            }
            held -= bytes;
            found.insert(peer);
        }
    }
    found
}

/// The connections of a table at these ports of ours with bytes that the client has not taken, by the client's end.
fn untaken<'a>(table: &'a str, ports: &'a [u16]) -> impl Iterator<Item = (SocketAddr, u64)> + 'a {
    table.lines().skip(1).filter_map(|line| {
        let mut words = line.split_ascii_whitespace().skip(1);
        let (ours, theirs, _state, queues) = (words.next()?, words.next()?, words.next()?, words.next()?);
        let bytes = u64::from_str_radix(queues.split_once(':')?.0, 16).ok().filter(|bytes| *bytes > 0)?;
        let is_ours = ports.contains(&end(ours)?.port());
        is_ours.then_some((end(theirs)?, bytes))
    })
}

/// An end of a connection: an address in words of the machine's order, and a port.
fn end(text: &str) -> Option<SocketAddr> {
    let (address, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let word = |at: usize| {
        let digits = address.get(at * 8..at * 8 + 8)?;
        u32::from_str_radix(digits, 16).ok().map(u32::to_ne_bytes)
    };
    let address = if address.len() == 8 {
        IpAddr::V4(Ipv4Addr::from(word(0)?))
    } else {
        let mut bytes = [0; 16];
        for (at, place) in bytes.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            *place = word(at)?;
        }
        IpAddr::V6(Ipv6Addr::from(bytes)).to_canonical()
    };
    Some(SocketAddr::new(address, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when\n";

    fn peer(number: u16) -> SocketAddr {
        SocketAddr::new(Ipv4Addr::LOCALHOST.into(), number)
    }

    /// Lines of both tables, as a little-endian machine writes them.
    #[test]
    #[cfg(target_endian = "little")]
    fn tables_are_read() {
        let four = format!(
            "{HEAD}   0: 0100007F:1F90 0100007F:9C40 01 00020000:00000000 00:00000000\n   \
             1: 0100007F:1F91 0100007F:9C41 01 00000010:00000000 00:00000000\n   \
             2: 0100007F:1F90 0200A8C0:9C42 04 00000001:00000000 01:00000000\n   \
             3: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000\n   4: torn\n"
        );
        let found: Vec<_> = untaken(&four, &[8080]).collect();
        assert_eq!(found, [(peer(40_000), 131_072), ("192.168.0.2:40002".parse().unwrap(), 1)]);
        let mapped = "0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF00000100007F:9C40";
        let six = "B80D0120000000000000000001000000:9C41";
        let six = format!("{HEAD} 0: {mapped} 01 00000002:0 \n 1: {} {six} 01 3:0\n", "00000000:1F90");
        let found: Vec<_> = untaken(&six, &[8080]).collect();
        assert_eq!(found, [(peer(40_000), 2), ("[2001:db8::1]:40001".parse().unwrap(), 3)]);
    }

    /// The connections with the most are reset until three quarters of the bound are left, and none of another client, nor one that had
    /// nothing unread a second ago.
    #[test]
    fn a_client_has_a_bound() {
        let mib = 1024 * 1024;
        let client = |address: IpAddr| (!address.is_ipv6()).then_some(address);
        let mut now: HashMap<SocketAddr, u64> = (0..16).map(|number| (peer(number), mib)).collect();
        assert!(too_slow(&now, &now, client).is_empty(), "the bound itself");
        let before = now.clone();
        now.insert(peer(100), 4 * mib);
        now.insert("192.0.2.1:1".parse().unwrap(), 16 * mib);
        now.insert("[::1]:1".parse().unwrap(), 100 * mib);
        let found = too_slow(&now, &before, client);
        assert_eq!(found.len(), 8, "20 MiB but for 12");
        assert!(found.iter().all(|found| found.port() < 16));
        assert_eq!(too_slow(&now, &now, client).len(), 5, "the largest first");
    }
}
