//! The ports at which an exchange is reached, and how many connections it takes.

use crate::cli::Common;
use crate::flags::connections_percent;
use crate::trouble::Trouble;
use buttonwood_http::Places;
use buttonwood_operate::SOCKET_FILES;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};

/// Where clients and Prometheus connect.
#[derive(Debug)]
pub(crate) struct Doors {
    pub(crate) listener: TcpListener,
    /// The listener of pages and the authorization server, if it is another.
    pub(crate) auth: Option<TcpListener>,
    /// The listener of sockets, if it is another.
    pub(crate) stream: Option<TcpListener>,
    pub(crate) places: Places,
    pub(crate) metrics: Option<TcpListener>,
}

impl Doors {
    /// Binds the ports that the flags name.
    pub(crate) fn open(common: &Common) -> Result<Self, Trouble> {
        let places = places(common)?;
        let listener = bind("--listen", common.listen)?;
        let auth = common.auth_listen.map(|address| bind("--auth-listen", address)).transpose()?;
        let stream = common.stream_listen.map(|address| bind("--stream-listen", address)).transpose()?;
        let metrics = common.metrics_listen.map(|address| bind("--metrics-listen", address)).transpose()?;
        Ok(Self { listener, auth, stream, places, metrics })
    }

    /// The URL under which clients of this machine reach the exchange.
    pub(crate) fn base_url(&self) -> Result<String, Trouble> {
        url(&self.listener)
    }
}

/// The URL under which clients of this machine reach a listener.
fn url(listener: &TcpListener) -> Result<String, Trouble> {
    let address = listener.local_addr().map_err(|error| Trouble::System(format!("no address: {error}")))?;
    Ok(format!("http://{}", reached_at(address)))
}

/// The URL of sockets at a listener, for browsers whose pages are at this address: the same scheme and host, with the listener's port.
fn socket_url(pages: &str, listener: &TcpListener) -> Result<String, Trouble> {
    let own = url(listener)?;
    let port = own.rsplit_once(':').map_or("", |(_, port)| port);
    let (scheme, rest) = pages.split_once("://").unwrap_or(("http", pages));
    let host = match rest.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => rest,
    };
    let scheme = if scheme == "https" { "wss" } else { "ws" };
    Ok(format!("{scheme}://{host}:{port}"))
}

/// The addresses of an exchange.
#[derive(Clone, Debug)]
pub(crate) struct Urls {
    /// The interface, for clients of this machine.
    pub(crate) base: String,
    /// The pages and the authorization server, as browsers reach them.
    pub(crate) auth: String,
    /// The sockets, as browsers reach them, if they are not where the pages are.
    pub(crate) sockets: Option<String>,
}

impl Urls {
    /// The addresses at open ports.
    pub(crate) fn of(doors: &Doors, common: &Common) -> Result<Self, Trouble> {
        let base = doors.base_url()?;
        let auth = match (&common.public_url, &doors.auth) {
            (Some(public), _) => public.clone(),
            (None, Some(listener)) => url(listener)?,
            (None, None) => base.clone(),
        };
        let sockets = match (&doors.stream, &doors.auth) {
            (Some(listener), _) => Some(socket_url(&auth, listener)?),
            (None, Some(_)) => Some(socket_url(&auth, &doors.listener)?),
            (None, None) => None,
        };
        Ok(Self { base, auth, sockets })
    }

    /// The two, the interface first.
    pub(crate) fn both(&self) -> (&str, &str) {
        (&self.base, &self.auth)
    }
}

/// Connections that the system queues until they are accepted. The library's default is 128: of more clients at once,
/// some would retry a second later.
const BACKLOG: i32 = 4_096;

fn bind(flag: &'static str, address: SocketAddr) -> Result<TcpListener, Trouble> {
    let listen = |listener: TcpListener| {
        rustix::net::listen(&listener, BACKLOG)?;
        Ok(listener)
    };
    TcpListener::bind(address).and_then(listen).map_err(|error| Trouble::Listen(flag, address, error))
}

/// The address at which this machine reaches a listener. A listener at every address is shown with the loopback
/// address: local clients can connect to it, and control calls are accepted under no other name.
fn reached_at(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        let own: IpAddr =
            if address.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() };
        address.set_ip(own);
    }
    address
}

/// Connections to have open files for, if the system grants that many.
const CONNECTIONS: u64 = 20_000;
/// Open files reserved for other uses than connections and serving threads: journal, history, snapshots.
const OWN_FILES: u64 = 128;

/// Connections at most: the files this process may open, raised as far as the system grants, less those it needs
/// itself. Without a free one, the journal could not begin a segment.
fn places(common: &Common) -> Result<Places, Trouble> {
    let others = buttonwood_http::own_files() + SOCKET_FILES;
    let own = OWN_FILES + u64::try_from(others).unwrap_or(u64::MAX / 2);
    let granted = getrlimit(Resource::Nofile);
    let wanted = (CONNECTIONS + own).min(granted.maximum.unwrap_or(u64::MAX));
    let raised = Rlimit { current: Some(wanted), ..granted };
    let files = match setrlimit(Resource::Nofile, raised) {
        Ok(()) => wanted,
        Err(_) => granted.current.unwrap_or(wanted),
    };
    let left = files.checked_sub(own).filter(|left| *left > 0);
    let left = left.ok_or_else(|| {
        Trouble::System(format!(
            "only {files} open files are allowed (ulimit -n), at least {} are needed",
            own + OWN_FILES
        ))
    })?;
    Ok(Places::new(usize::try_from(left).unwrap_or(usize::MAX), connections_percent(common)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpStream;
    use std::time::Duration;

    /// Hundreds of clients may connect before the first is accepted, and none has to retry.
    #[test]
    fn a_crowd_waits_at_the_door() {
        let listener = bind("--listen", SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let address = listener.local_addr().unwrap();
        // A connection that does not fit the queue gets no answer, and its client retries after a second.
        let patience = Duration::from_millis(900);
        let crowd: Vec<_> =
            (0..400).map(|_| TcpStream::connect_timeout(&address, patience).unwrap()).collect();
        assert_eq!(crowd.len(), 400);
    }

    /// Sockets of their own are reached at the host of the pages.
    #[test]
    fn sockets_are_reached_at_the_host_of_the_pages() {
        let listener = bind("--stream-listen", SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let port = listener.local_addr().unwrap().port();
        for (pages, told) in [
            ("http://127.0.0.1:8080", format!("ws://127.0.0.1:{port}")),
            ("https://exchange.example", format!("wss://exchange.example:{port}")),
            ("http://[::1]:8080", format!("ws://[::1]:{port}")),
        ] {
            assert_eq!(socket_url(pages, &listener).unwrap(), told);
        }
    }

    /// A listener at every address is shown with an address that clients and control calls can use.
    #[test]
    fn every_address_is_told_by_this_machine_s_own() {
        for (bound, told) in [
            ("0.0.0.0:8080", "127.0.0.1:8080"),
            ("[::]:8080", "[::1]:8080"),
            ("127.0.0.1:1", "127.0.0.1:1"),
            ("192.0.2.1:80", "192.0.2.1:80"),
        ] {
            assert_eq!(reached_at(bound.parse().unwrap()).to_string(), told);
        }
    }
}
