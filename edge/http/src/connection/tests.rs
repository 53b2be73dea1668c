//! Connections over real sockets, all on one thread.

use super::*;
use crate::connection_state::SPARE_BUFFER;
use crate::fault::Fault;
use std::io;
use std::net::IpAddr;
use tokio::net::TcpListener;
use tokio::task::{LocalSet, spawn_local};

struct Plain;

impl Handler for Plain {
    async fn answer(&self, _: Request<'_>) -> Reply {
        Self::refuse(Fault::BodyLate)
    }

    fn thread_task(&self) -> impl Future<Output = ()> + 'static {
        std::future::ready(())
    }

    fn sharer(&self, address: IpAddr) -> Option<IpAddr> {
        Some(address)
    }

    fn refuse(_: Fault) -> Reply {
        Reply::text(http::StatusCode::OK, "")
    }
}

/// The beginning of a request takes memory too where it came with the request before it: the oldest close.
#[tokio::test]
async fn what_comes_with_a_request_counts() {
    const CROWD: usize = 120;
    const LINE: usize = 39 * 1024;
    let head = |bytes: usize| format!("GET / HTTP/1.1\r\nX: {}", "x".repeat(bytes));
    // Whole heads first, so that hyper reads as much at once.
    let requests = [7, 15, 31].map(|kilobytes| head(kilobytes * 1024) + "\r\n\r\n");
    let requests = requests.into_iter().chain([head(1) + "\r\n\r\n" + &head(LINE)]).collect::<Vec<_>>();
    let crowd = async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a listener");
        let address = listener.local_addr().expect("its address");
        let connections = Rc::new(Connections::default());
        let (mut clients, mut states) = (Vec::new(), Vec::new());
        for _ in 0..CROWD {
            let mut client = TcpStream::connect(address).await.expect("a connection");
            let (stream, peer) = listener.accept().await.expect("a connection");
            let (_, connection) = connections.enter();
            states.push(Rc::clone(&connection));
            spawn_local(serve(
                stream,
                (peer, Entrance::Main),
                Arc::new(Plain),
                Rc::clone(&connections),
                connection,
            ));
            for request in &requests {
                client.write_all(request.as_bytes()).await.expect("it is read");
                assert!(client.read(&mut [0; 4096]).await.expect("an answer") > 0);
            }
            clients.push(client);
        }
        let open = |client: &&mut TcpStream| match client.try_read(&mut [0; 4096]) {
            Ok(count) => count > 0,
            Err(error) => error.kind() == io::ErrorKind::WouldBlock,
        };
        // Until every client was read to its end, or closed.
        let is_read =
            |state: &Rc<Connection>| state.signal.get() == Signal::Close || state.unfinished.get() >= LINE;
        let is_closed = |state: &&Rc<Connection>| state.signal.get() == Signal::Close;
        while !states.iter().all(is_read)
            || clients.iter_mut().filter(open).count() + states.iter().filter(is_closed).count() > CROWD
        {
            tokio::task::yield_now().await;
        }
        let (older, newer) = clients.split_at_mut(CROWD / 2);
        [older, newer].map(|clients| clients.iter_mut().filter(open).count())
    };
    let crowd = tokio::time::timeout(Duration::from_secs(10), crowd);
    let [older, newer] = LocalSet::new().run_until(crowd).await.expect("in time");
    assert!(older < CROWD / 2 && newer == CROWD / 2, "{older} of the older and {newer} of the newer stay");
}

/// After the answer to a large head the connection stays open with a small read buffer, also if the next request follows at once.
#[tokio::test]
async fn an_idle_connection_keeps_no_large_buffer() {
    let requests = async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a listener");
        let address = listener.local_addr().expect("its address");
        let connections = Rc::new(Connections::default());
        let mut client = TcpStream::connect(address).await.expect("a connection");
        let (stream, peer) = listener.accept().await.expect("a connection");
        let (_, connection) = connections.enter();
        spawn_local(serve(
            stream,
            (peer, Entrance::Main),
            Arc::new(Plain),
            Rc::clone(&connections),
            Rc::clone(&connection),
        ));
        let head = |bytes: usize| format!("GET / HTTP/1.1\r\nHost: x\r\nX: {}\r\n\r\n", "x".repeat(bytes));
        for round in 0..3 {
            for bytes in [39, 1, 31, 20].map(|kilobytes| kilobytes * 1024) {
                let pair = if round == 2 { head(bytes) + &head(7) } else { head(bytes) };
                client.write_all(pair.as_bytes()).await.expect("it is read");
                let mut answers = 0;
                while answers < if round == 2 { 2 } else { 1 } {
                    let mut answer = [0; 4096];
                    let count = client.read(&mut answer).await.expect("an answer");
                    let text = String::from_utf8_lossy(&answer[..count]).to_ascii_lowercase();
                    assert!(count > 0 && !text.contains("connection: close"), "{bytes}: {text}");
                    answers += text.matches("http/1.1 200").count();
                }
                while connection.read_buffer.get() > SPARE_BUFFER {
                    tokio::task::yield_now().await;
                }
            }
        }
    };
    LocalSet::new()
        .run_until(tokio::time::timeout(Duration::from_secs(10), requests))
        .await
        .expect("in time");
}

/// Answers with the length of a body of at most ten bytes, and of what a second reading finds.
struct Ten;

impl Handler for Ten {
    async fn answer(&self, mut request: Request<'_>) -> Reply {
        match request.body.read_at_most(10).await {
            Ok(bytes) => {
                let rest = request.body.read_at_most(10).await.map_or(0, |rest| rest.len());
                Reply::text(http::StatusCode::OK, format!("{} and {rest} bytes", bytes.len()))
            }
            Err(fault) => Self::refuse(fault).closing(),
        }
    }

    fn thread_task(&self) -> impl Future<Output = ()> + 'static {
        std::future::ready(())
    }

    fn sharer(&self, address: IpAddr) -> Option<IpAddr> {
        Some(address)
    }

    fn refuse(fault: Fault) -> Reply {
        Reply::text(http::StatusCode::from_u16(fault.status()).unwrap(), fault.to_string())
    }
}

/// A body beyond its handler's limit is refused by its length and by its bytes, and the refusal names that limit.
#[tokio::test]
async fn a_handler_limits_its_body() {
    let whole = |count: usize| format!("Content-Length: {count}\r\n\r\n{}", "x".repeat(count));
    let chunked = |count: usize| {
        format!("Transfer-Encoding: chunked\r\n\r\n{count:x}\r\n{}\r\n0\r\n\r\n", "x".repeat(count))
    };
    let cases = [
        (whole(10), "200 OK", "10 and 0 bytes"),
        (whole(11), "413 Payload Too Large", "longer than 10 bytes"),
        ("Content-Length: 99999\r\n\r\n".to_owned(), "413 Payload Too Large", "longer than 10 bytes"),
        (chunked(10), "200 OK", "10 and 0 bytes"),
        (chunked(11), "413 Payload Too Large", "longer than 10 bytes"),
        ("\r\n".to_owned(), "200 OK", "0 and 0 bytes"),
    ];
    let requests = async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a listener");
        let address = listener.local_addr().expect("its address");
        let connections = Rc::new(Connections::default());
        for (rest, status, body) in cases {
            let mut client = TcpStream::connect(address).await.expect("a connection");
            let (stream, peer) = listener.accept().await.expect("a connection");
            let (_, connection) = connections.enter();
            spawn_local(serve(
                stream,
                (peer, Entrance::Main),
                Arc::new(Ten),
                Rc::clone(&connections),
                connection,
            ));
            let request = format!("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{rest}");
            client.write_all(request.as_bytes()).await.expect("it is read");
            let mut answer = String::new();
            client.read_to_string(&mut answer).await.expect("an answer");
            assert!(
                answer.starts_with(&format!("HTTP/1.1 {status}\r\n")) && answer.ends_with(body),
                "{answer}"
            );
        }
    };
    LocalSet::new()
        .run_until(tokio::time::timeout(Duration::from_secs(10), requests))
        .await
        .expect("in time");
}

/// A handler that waits until its client has left.
struct Leaving(tokio::sync::mpsc::UnboundedSender<()>);

impl Handler for Leaving {
    async fn answer(&self, _: Request<'_>) -> Reply {
        crate::client_left().await;
        self.0.send(()).expect("the test waits");
        Plain::refuse(Fault::BodyLate)
    }

    fn thread_task(&self) -> impl Future<Output = ()> + 'static {
        std::future::ready(())
    }

    fn sharer(&self, address: IpAddr) -> Option<IpAddr> {
        Some(address)
    }

    fn refuse(fault: Fault) -> Reply {
        Plain::refuse(fault)
    }
}

/// A handler learns that its client has left while it waits, and not before.
#[tokio::test]
async fn a_handler_learns_that_its_client_has_left() {
    let left = async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a listener");
        let mut client =
            TcpStream::connect(listener.local_addr().expect("its address")).await.expect("a connection");
        let (stream, peer) = listener.accept().await.expect("a connection");
        let connections = Rc::new(Connections::default());
        let (_, connection) = connections.enter();
        let (sender, mut leaving) = tokio::sync::mpsc::unbounded_channel();
        let handler = Arc::new(Leaving(sender));
        spawn_local(serve(stream, (peer, Entrance::Main), handler, connections, Rc::clone(&connection)));
        client.write_all(b"GET / HTTP/1.1\r\n\r\n").await.expect("it is read");
        while !connection.is_serving.get() {
            tokio::task::yield_now().await;
        }
        assert!(leaving.try_recv().is_err(), "it is still there");
        drop(client);
        leaving.recv().await.expect("it has left");
    };
    LocalSet::new().run_until(left).await;
}
