//! Clients that only use resources: slow readers, which request much and read nothing of it, and half-open
//! connections, which begin a request and never finish it.

use std::io::{ErrorKind, Write};
use std::net::{SocketAddr, TcpStream};

use rustix::net::{AddressFamily, SocketType, connect, socket, sockopt};

/// A long reply, requested many times.
const LONG: &str = "GET /v1/symbols/details/all HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
const TIMES: usize = 12;
/// A request that never ends.
const HALF: &str = "POST /v1/order/new HTTP/1.1\r\nHost: 127.0.0.1\r\nX-SVC-APIKEY: acc";
/// Bytes that a slow reader's own system buffers.
const ROOM: usize = 4_096;

/// This many of each kind, connected until dropped; the exchange cuts them after a minute or more.
pub(crate) fn gather(address: SocketAddr, each: usize) -> Vec<TcpStream> {
    let mut all = Vec::with_capacity(2 * each);
    for _ in 0..each {
        let mut reader = narrow(address);
        for _ in 0..TIMES {
            // Bytes that the exchange no longer accepts count as sent.
            match reader.write_all(LONG.as_bytes()) {
                Err(error) if error.kind() != ErrorKind::WouldBlock => panic!("a slow reader: {error}"),
                _ => {}
            }
        }
        all.push(reader);
        let mut half = TcpStream::connect(address).expect("the exchange listens");
        half.write_all(HALF.as_bytes()).expect("half a request is taken");
        all.push(half);
    }
    all
}

/// A connection with a small receive buffer, so that the exchange must keep what is not read.
fn narrow(address: SocketAddr) -> TcpStream {
    let socket = socket(AddressFamily::INET, SocketType::STREAM, None).expect("the system gives sockets");
    sockopt::set_socket_recv_buffer_size(&socket, ROOM).expect("a socket's room can be chosen");
    connect(&socket, &address).expect("the exchange listens");
    let stream = TcpStream::from(socket);
    stream.set_nonblocking(true).expect("a connection takes options");
    stream
}
