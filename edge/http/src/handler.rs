//! The handler, which answers requests.

use crate::body::Body;
use crate::connection_care::Connections;
use crate::connection_state::Connection;
use crate::fault::Fault;
use crate::framing::Verdict;
use crate::reply::Reply;
use http::Version;
use http::header::HOST;
use http::request::Parts;
use std::net::{IpAddr, SocketAddr};

/// A listener of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entrance {
    /// The first, which every server has.
    Main,
    /// The second, if there is one.
    Side,
    /// The one for sockets alone, if there is one.
    Stream,
}

/// One request.
#[derive(Debug)]
pub struct Request<'a> {
    /// The other end of the connection: a client or a proxy.
    pub peer: SocketAddr,
    /// The listener at which the connection arrived.
    pub entrance: Entrance,
    /// Method, target and header fields.
    pub head: &'a Parts,
    /// The body. The connection closes after the answer unless the handler reads the whole body.
    pub body: Body<'a>,
    /// Notes that the request carries a valid signature.
    pub signed: SignedMark<'a>,
    pub(crate) verdict: Verdict,
}

impl Request<'_> {
    /// Refuses a request whose end or whose host could be read in two ways (D-03).
    ///
    /// # Errors
    /// [`Fault::Ambiguous`].
    pub fn check_framing(&self) -> Result<(), Fault> {
        let mut hosts = self.head.headers.get_all(HOST).iter();
        let (host, further) = (hosts.next(), hosts.next());
        match (self.verdict, [host, further].iter().flatten().count()) {
            (Verdict::Ambiguous(why), _) => Err(Fault::Ambiguous(why)),
            (Verdict::Clear | Verdict::Last, 0) if self.head.version == Version::HTTP_11 => {
                Err(Fault::Ambiguous("no Host"))
            }
            (Verdict::Clear | Verdict::Last, 0 | 1) => match host {
                Some(host) if !host.as_bytes().iter().copied().all(is_of_host) => {
                    Err(Fault::Ambiguous("Host is no host and port"))
                }
                Some(_) | None => Ok(()),
            },
            (Verdict::Clear | Verdict::Last, _) => Err(Fault::Ambiguous("more than one Host")),
        }
    }
}

/// Whether a byte may be part of a host and port (RFC 3986, 3.2.2).
fn is_of_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:[]%".contains(&byte)
}

/// Notes that a connection belongs to a client that signs. Some places are reserved for such connections.
#[derive(Clone, Copy, Debug)]
pub struct SignedMark<'a> {
    pub(crate) connections: &'a Connections,
    pub(crate) connection: &'a Connection,
}

impl SignedMark<'_> {
    /// Marks the connection.
    pub fn set(self) {
        self.connections.note_signed(self.connection);
    }
}

/// Answers the requests of a server. Each serving thread calls it for many connections in turn.
pub trait Handler: Send + Sync + 'static {
    /// Answers one request. The connection's future contains this one, so box the parts that only few requests need.
    fn answer(&self, request: Request<'_>) -> impl Future<Output = Reply>;

    /// A task that each serving thread runs next to its connections. It starts before the first connection. The call
    /// that makes the task runs on that thread too.
    fn thread_task(&self) -> impl Future<Output = ()> + 'static;

    /// The client whose share of the places a connection from this address takes. All addresses of one client share its
    /// places. None for a trusted proxy, which has no share of its own.
    fn sharer(&self, address: IpAddr) -> Option<IpAddr>;

    /// The answer to a fault. The server uses only its status, media type, body and time to retry.
    fn refuse(fault: Fault) -> Reply;
}
