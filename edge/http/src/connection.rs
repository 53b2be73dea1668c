//! One connection, from its first request to its end.

use crate::bare_refusal::unread;
use crate::body::Body;
use crate::connection_care::Connections;
use crate::connection_state::{Connection, Signal};
use crate::framing::{Framing, Verdict};
use crate::guarded_stream::GuardedStream;
use crate::handler::{Entrance, Handler, Request, SignedMark};
use crate::limits::{FIELDS_MAX, HEAD_MAX};
use crate::reply::{Pieces, Reply};
use crate::request_id::RequestId;
use crate::socket::Socket;
use http::Method;
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http1;
use hyper::service::{HttpService, service_fn};
use hyper_util::rt::TokioIo;
use std::cell::Cell;
use std::convert::Infallible;
use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// After a refusal that ends a connection, the server reads on for at most this time and this many bytes.
const LINGER_WAIT: Duration = Duration::from_secs(1);
const LINGER_MAX: usize = 4 * 1024 * 1024;

/// A connection of hyper's.
type Served<S> = http1::Connection<TokioIo<GuardedStream>, S>;

/// Serves the requests of a connection.
pub(crate) async fn serve<H: Handler>(
    stream: TcpStream,
    (peer, entrance): (SocketAddr, Entrance),
    handler: Arc<H>,
    connections: Rc<Connections>,
    connection: Rc<Connection>,
) {
    let requests = Requests::new((peer, entrance), handler, &connections, &connection);
    let (framing, closes) = (Rc::clone(&requests.framing), Rc::clone(&requests.closes));
    let service = service_fn(move |request| requests.answer(request));
    let stream = GuardedStream::new(
        stream,
        Rc::clone(&framing),
        Rc::clone(&connections),
        Rc::clone(&connection),
        H::refuse,
    );
    let mut served = protocol().serve_connection(TokioIo::new(stream), service);
    let mut signal = Signal::Continue;
    let ended = loop {
        let wastes_buffer = || signal == Signal::Continue && connection.wastes_buffer() && framing.is_idle();
        let next = tokio::select! {
            biased;
            ended = &mut served => break ended,
            next = connection.signal_after(signal) => Some(next),
            // Nothing has to wake the task: all of this changes while it is polled.
            () = poll_fn(|_| if wastes_buffer() { Poll::Ready(()) } else { Poll::Pending }) => None,
        };
        let Some(next) = next else {
            served = renewed(served, &connection).await;
            continue;
        };
        signal = next;
        match signal {
            Signal::Continue => {}
            Signal::Finish => Pin::new(&mut served).graceful_shutdown(),
            Signal::Close => {
                connection.prepare_close();
                tracing::debug!(%peer, "connection was silent for too long, held back too much, or made place for another");
                return;
            }
        }
    };
    if let Err(error) = &ended {
        tracing::debug!(%peer, %error, "connection ended");
    } else if let Some(upgrade) = connection.take_upgrade() {
        // hyper's buffers go with its connection.
        let parts = served.into_parts();
        let Some(stream) = parts.io.into_inner().into_stream() else { return };
        return (upgrade.0)(Socket::new(stream, &parts.read_buf, connections, connection)).await;
    }
    if ended.is_err() || closes.get() {
        let stream = served.into_parts().io.into_inner();
        tokio::select! {
            () = linger(stream) => {}
            _ = connection.signal_after(Signal::Finish) => {}
        }
    }
}

/// The requests of a connection.
struct Requests<H> {
    peer: SocketAddr,
    entrance: Entrance,
    handler: Arc<H>,
    framing: Rc<Framing>,
    /// Whether the latest answer ends the connection.
    closes: Rc<Cell<bool>>,
    connections: Rc<Connections>,
    connection: Rc<Connection>,
}

impl<H: Handler> Requests<H> {
    fn new(
        (peer, entrance): (SocketAddr, Entrance),
        handler: Arc<H>,
        connections: &Rc<Connections>,
        connection: &Rc<Connection>,
    ) -> Self {
        let (framing, closes) = (Rc::new(Framing::default()), Rc::new(Cell::new(false)));
        let (connections, connection) = (Rc::clone(connections), Rc::clone(connection));
        Self { peer, entrance, handler, framing, closes, connections, connection }
    }

    /// Has the next request answered. Its verdict is read before the future is polled.
    fn answer(
        &self,
        request: http::Request<Incoming>,
    ) -> impl Future<Output = Result<http::Response<Pieces>, Infallible>> + use<H> {
        let (peer, entrance) = (self.peer, self.entrance);
        let (handler, closing, verdict) =
            (Arc::clone(&self.handler), Rc::clone(&self.closes), self.framing.next());
        let (connections, connection, is_whole) =
            (Rc::clone(&self.connections), Rc::clone(&self.connection), self.framing.is_whole());
        let (head, incoming) = request.into_parts();
        async move {
            let mut incoming = if incoming.is_end_stream() { None } else { Some(incoming) };
            connections.begin(&connection, is_whole || incoming.is_none());
            let asker = Rc::clone(&connection);
            let (connections, connection) = (&*connections, &*connection);
            let body = Body { incoming: &mut incoming, connections, connection, is_whole };
            let signed = SignedMark { connections, connection };
            let request = Request { peer, entrance, head: &head, body, signed, verdict };
            let (mut reply, id) = RequestId::of(&head.headers).scope(asker, handler.answer(request)).await;
            // It is unclear where the next request begins, or it begins after bytes that were not read.
            let is_last = verdict != Verdict::Clear || incoming.is_some();
            if let Some(upgrade) = reply.take_upgrade() {
                connection.switch(upgrade);
            }
            let reply = if is_last { reply.closing() } else { reply };
            connections.end(connection, if head.method == Method::HEAD { 0 } else { reply.len() });
            closing.set(reply.closes());
            Ok(reply.into_http(id.into_value()))
        }
    }
}

/// Serves the same stream with a new read buffer: hyper offers no way to let one go. Nothing is lost, since no byte of a further
/// request has arrived.
async fn renewed<S>(mut served: Served<S>, connection: &Connection) -> Served<S>
where
    S: HttpService<Incoming, ResBody = Pieces>,
    S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    connection.renew();
    connection.keeps_stream.set(true);
    Pin::new(&mut served).graceful_shutdown();
    let ended = poll_fn(|context| Poll::Ready(Pin::new(&mut served).poll(context))).await;
    connection.keeps_stream.set(false);
    // An idle connection ends at once. One that does not ends after its request.
    if !matches!(ended, Poll::Ready(Ok(()))) {
        return served;
    }
    let parts = served.into_parts();
    protocol().serve_connection(parts.io, parts.service)
}

/// The settings of hyper's connections. `pipeline_flush` stays off: it holds an answer back while the next request is
/// incomplete, and swallows hyper's own 400.
fn protocol() -> http1::Builder {
    let mut protocol = http1::Builder::new();
    // Without `half_close` hyper polls for the end of the connection while a request waits, which costs a system call
    // per request.
    protocol.max_buf_size(HEAD_MAX).max_headers(FIELDS_MAX).writev(false).half_close(true);
    protocol
}

/// Refuses a connection for which there is no place.
pub(crate) async fn turn_away(mut stream: TcpStream, refusal: Reply) {
    let answered = async {
        stream.write_all(&unread(&refusal)).await?;
        stream.shutdown().await
    };
    match tokio::time::timeout(LINGER_WAIT, answered).await {
        Ok(Ok(())) => linger(stream).await,
        Ok(Err(_)) | Err(_) => tracing::debug!("a connection that was turned away has gone"),
    }
}

/// Reads on for a moment after a refusal that ends the connection. Closing with unread bytes would reset the
/// connection, and a client that is still sending would lose the answer.
async fn linger(mut stream: impl AsyncRead + Unpin) {
    let mut left = LINGER_MAX;
    let mut scratch = [0; 4096];
    let read_on = async {
        while left > 0 {
            match stream.read(&mut scratch).await {
                Ok(0) | Err(_) => return,
                Ok(count) => left = left.saturating_sub(count),
            }
        }
    };
    // A client that sends for longer has had time to read the answer.
    let _ = tokio::time::timeout(LINGER_WAIT, read_on).await;
}

#[cfg(test)]
mod tests;
