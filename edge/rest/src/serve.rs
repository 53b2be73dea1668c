//! Connections and requests: framing guard, routing, the gate, the endpoint.

use crate::app::App;
use crate::call::{Asked, Call, caller};
use crate::field;
use crate::framing::{Framing, Guarded, Verdict};
use crate::health;
use crate::reply::Reply;
use crate::route::{Handler, Route, Write};
use crate::routes::{Found, find};
use buttonwood_engine::{Body, Command};
use buttonwood_gate::{self as gate, Kind, Reason, Refusal};
use buttonwood_sequencer::Exchange;
use bytes::Bytes;
use http::header::HOST;
use http::{HeaderMap, Request, StatusCode, Version};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::cell::Cell;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::task::LocalSet;

/// Bytes of a body at most (D-03).
const BODY_MAX: usize = 64 * 1024;
/// Bytes of a request's head at most.
const HEAD_MAX: usize = 40 * 1024;
/// Header fields at most.
const FIELDS_MAX: usize = 64;
/// How long the head of a request may take, idle time on a kept-alive connection included.
const HEAD_WAIT: Duration = Duration::from_mins(1);
/// How long a body may take.
const BODY_WAIT: Duration = Duration::from_secs(10);
/// How long open requests may take once the exchange stops; service managers kill after ten seconds or so.
const STOP_WAIT: Duration = Duration::from_secs(3);
/// How long a connection that was refused is read on, and how much of it.
const LINGER_WAIT: Duration = Duration::from_secs(1);
const LINGER_MAX: usize = 4 * 1024 * 1024;

/// The threads that serve connections.
#[derive(Debug)]
pub struct Server {
    stop: watch::Sender<bool>,
    threads: Vec<std::thread::JoinHandle<()>>,
}

impl Server {
    /// Stops: no new connections or requests, open requests are answered first.
    pub fn stop(self) {
        let _ = self.stop.send(true);
        for thread in self.threads {
            // A thread that has panicked serves nothing any more either.
            let _ = thread.join();
        }
    }
}

/// Serves a bound listener on as many threads as there are processors.
///
/// # Errors
/// When the system refuses a thread or a runtime.
pub fn serve(listener: std::net::TcpListener, app: Arc<App>) -> std::io::Result<Server> {
    listener.set_nonblocking(true)?;
    let (stop, stopped) = watch::channel(false);
    let count = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let share = app.settings.connections_max.div_ceil(count);
    let mut lanes = Vec::new();
    let mut threads = Vec::new();
    for number in 1..count {
        let (lane, connections) = mpsc::unbounded_channel();
        lanes.push(lane);
        let (exchange, app, stopped) = (app.exchange.clone(), Arc::clone(&app), stopped.clone());
        threads.push(spawn(number, exchange, move || Lane { app, stopped, share }.take(connections))?);
    }
    let exchange = app.exchange.clone();
    threads.push(spawn(0, exchange, move || Lane { app, stopped, share }.accept(listener, lanes))?);
    Ok(Server { stop, threads })
}

fn spawn<F, R>(number: usize, exchange: Exchange, work: F) -> std::io::Result<std::thread::JoinHandle<()>>
where
    F: FnOnce() -> R + Send + 'static,
    R: Future<Output = ()>,
{
    let idle = exchange.clone();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        // Commands of one look at the sockets go to the writer together.
        .on_thread_park(move || idle.gathered())
        .build()?;
    std::thread::Builder::new().name(format!("http-{number}")).spawn(move || {
        let local = LocalSet::new();
        local.spawn_local(exchange.open_lane());
        local.spawn_local(keep_a_timer());
        local.block_on(&runtime, work());
    })
}

/// Keeps one timer set that ends before any other: setting a later one then need not wake the thread's driver, which
/// would cost a system call a request.
async fn keep_a_timer() {
    loop {
        tokio::time::sleep(HEAD_WAIT / 4).await;
    }
}

/// One serving thread.
struct Lane {
    app: Arc<App>,
    stopped: watch::Receiver<bool>,
    /// Connections it serves at most.
    share: usize,
}

impl Lane {
    /// Accepts connections, keeps its share and hands the others out in turn.
    async fn accept(
        self,
        listener: std::net::TcpListener,
        lanes: Vec<mpsc::UnboundedSender<std::net::TcpStream>>,
    ) {
        let listener = match TcpListener::from_std(listener) {
            Ok(listener) => listener,
            Err(error) => {
                tracing::error!(%error, "cannot listen");
                return;
            }
        };
        let open = Rc::new(Cell::new(0));
        let mut turn = 0usize;
        let mut stopped = self.stopped.clone();
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = stopped.wait_for(|stopped| *stopped) => break,
            };
            match accepted {
                Ok((stream, _)) => {
                    turn = (turn + 1) % (lanes.len() + 1);
                    match lanes.get(turn) {
                        None => self.start(stream, &open),
                        Some(lane) => {
                            // A lane that is gone drops the connection.
                            let _ = stream.into_std().map(|stream| lane.send(stream));
                        }
                    }
                }
                Err(error) => {
                    // Out of file descriptors, most likely: let some connections end.
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            }
        }
        drop(listener);
        drop(lanes);
        drain(&open).await;
    }

    /// Serves the connections that are handed to this thread.
    async fn take(self, mut connections: mpsc::UnboundedReceiver<std::net::TcpStream>) {
        let open = Rc::new(Cell::new(0));
        while let Some(stream) = connections.recv().await {
            if let Ok(stream) = TcpStream::from_std(stream) {
                self.start(stream, &open);
            }
        }
        drain(&open).await;
    }

    fn start(&self, stream: TcpStream, open: &Rc<Cell<usize>>) {
        let Ok(peer) = stream.peer_addr() else { return };
        if open.get() >= self.share {
            return;
        }
        // Without it, small replies wait for the client's acknowledgement.
        let _ = stream.set_nodelay(true);
        let (app, stopped, open) = (Arc::clone(&self.app), self.stopped.clone(), Rc::clone(open));
        open.set(open.get() + 1);
        tokio::task::spawn_local(async move {
            connection(stream, peer, app, stopped).await;
            open.set(open.get() - 1);
        });
    }
}

async fn drain(open: &Cell<usize>) {
    let all_closed = async {
        while open.get() > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    if tokio::time::timeout(STOP_WAIT, all_closed).await.is_err() {
        tracing::warn!(open = open.get(), "connections were cut");
    }
}

async fn connection(stream: TcpStream, peer: SocketAddr, app: Arc<App>, mut stopped: watch::Receiver<bool>) {
    let framing = Rc::new(Framing::default());
    let cut = Rc::new(Cell::new(false));
    let (watched, cuts) = (Rc::clone(&framing), Rc::clone(&cut));
    let service = service_fn(move |request: Request<Incoming>| {
        let (app, cuts, verdict) = (Arc::clone(&app), Rc::clone(&cuts), watched.next());
        async move {
            let reply = answer(&app, peer, request, verdict).await;
            cuts.set(reply.closes());
            Ok::<_, Infallible>(reply.into_http())
        }
    });
    // Not `pipeline_flush`: it holds an answer back while the next request is incomplete, and swallows hyper's own 400.
    let mut served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_WAIT)
        .max_buf_size(HEAD_MAX)
        .max_headers(FIELDS_MAX)
        .writev(false)
        // Else hyper looks for the end of the connection while an order waits for the disk: a system call a request.
        .half_close(true)
        .serve_connection(TokioIo::new(Guarded::new(stream, framing)), service);
    let ended = tokio::select! {
        ended = &mut served => Some(ended),
        _ = stopped.wait_for(|stopped| *stopped) => None,
    };
    let ended = match ended {
        Some(ended) => ended,
        None => {
            Pin::new(&mut served).graceful_shutdown();
            (&mut served).await
        }
    };
    if let Err(error) = &ended {
        tracing::debug!(%peer, %error, "connection ended");
    }
    if ended.is_err() || cut.get() {
        linger(served.into_parts().io.into_inner()).await;
    }
}

/// Reads on for a moment after a refusal that ends the connection: closing over unread bytes would reset it, and take
/// the answer away from a client that is still sending.
async fn linger(mut stream: Guarded) {
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
    // Whoever sends for longer has had time to read the answer.
    let _ = tokio::time::timeout(LINGER_WAIT, read_on).await;
}

async fn answer(app: &App, peer: SocketAddr, request: Request<Incoming>, verdict: Verdict) -> Reply {
    let reply = match respond(app, peer, request, verdict).await {
        Ok(reply) => reply,
        Err(refusal) => refusal.into(),
    };
    if verdict == Verdict::Clear { reply } else { reply.closing() }
}

async fn respond(
    app: &App,
    peer: SocketAddr,
    request: Request<Incoming>,
    verdict: Verdict,
) -> Result<Reply, Refusal> {
    let (head, body) = request.into_parts();
    let path = head.uri.path();
    let found = find(head.method.as_str(), path, app.settings.sandbox);
    if let Found::Nothing = found
        && let Some(reply) = outside(app, head.method.as_str(), path)
    {
        return Ok(reply);
    }
    let (route, parameter) = match found {
        Found::Route(route, parameter) => (route, parameter),
        Found::OtherMethod(method) => return Ok(wrong_method(head.method.as_str(), path, method)),
        Found::Nothing => return Err(unknown_path(path)),
    };
    check_framing(verdict, head.version, &head.headers)?;
    let body = read_body(body).await?;
    let asked = Asked { parameter, query: head.uri.query().unwrap_or_default() };
    match route.handler {
        Handler::Public(answer) => {
            let wait = app.gate.public(peer.ip(), app.uptime())?;
            pause(wait).await;
            Ok(answer(app, &asked).unwrap_or_else(|refused| refused))
        }
        Handler::Control(control) => control.answer(app, peer, &head.headers, &asked, &body).await,
        Handler::Read(answer) => {
            let call = admit(app, route, peer, path, &head.headers).await?;
            read(app, route, call, answer)
        }
        Handler::Write(write) => {
            let call = admit(app, route, peer, path, &head.headers).await?;
            change(app, route, call, write).await
        }
    }
}

/// Health checks and pages: not part of the interface.
fn outside(app: &App, method: &str, path: &str) -> Option<Reply> {
    if method != "GET" && method != "HEAD" {
        return None;
    }
    health::answer(app, path).or_else(|| {
        (app.settings.pages)(&app.exchange, path).map(|page| Reply::page(page.content_type, page.body))
    })
}

fn unknown_path(path: &str) -> Refusal {
    let shown: String = path.chars().take(200).collect();
    Refusal::new(Reason::EndpointNotFound, format!("No endpoint at '{shown}'"))
}

fn wrong_method(method: &str, path: &str, allowed: &'static str) -> Reply {
    let message = format!("'{path}' answers to {allowed}, not to {method}");
    let refusal = Refusal::new(Reason::EndpointNotFound, message).with_status(405);
    Reply::from(refusal).allowing(allowed)
}

/// Refuses requests whose end or whose host could be read in two ways (D-03).
fn check_framing(verdict: Verdict, version: Version, headers: &HeaderMap) -> Result<(), Refusal> {
    let hosts = headers.get_all(HOST).iter().count();
    let why = match (verdict, hosts) {
        (Verdict::Ambiguous(why), _) => why,
        (Verdict::Clear | Verdict::Last, 0) if version == Version::HTTP_11 => "no Host",
        (Verdict::Clear | Verdict::Last, 0 | 1) => return Ok(()),
        (Verdict::Clear | Verdict::Last, _) => "more than one Host",
    };
    let message = format!("The request's framing is ambiguous: {why}");
    Err(Refusal::new(Reason::InvalidParameterValue, message).closing())
}

/// Reads a body whole, so that the next request begins where it ends; its content matters to control calls only.
async fn read_body(body: Incoming) -> Result<Bytes, Refusal> {
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    let too_large = || {
        let message = format!("The body is longer than {BODY_MAX} bytes");
        Refusal::new(Reason::InvalidParameterValue, message).with_status(413).closing()
    };
    if body.size_hint().lower() > u64::try_from(BODY_MAX).unwrap_or(u64::MAX) {
        return Err(too_large());
    }
    match tokio::time::timeout(BODY_WAIT, Limited::new(body, BODY_MAX).collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(Refusal::new(Reason::InvalidParameterValue, "The body cannot be read").closing()),
        Err(_) => {
            let refusal = Refusal::new(Reason::InvalidParameterValue, "The body did not arrive in time");
            Err(refusal.with_status(408).closing())
        }
    }
}

async fn pause(wait: Duration) {
    if !wait.is_zero() {
        tokio::time::sleep(wait).await;
    }
}

/// Lets a private request through the gate; from here on its nonce is used.
async fn admit(
    app: &App,
    route: &Route,
    peer: SocketAddr,
    path: &str,
    headers: &HeaderMap,
) -> Result<gate::Call, Refusal> {
    let request = gate::Request { path, query: None, headers, peer: peer.ip(), kind: route.kind };
    let checked = app.gate.check(&request, app.uptime(), app.exchange.now());
    match &checked {
        Ok(call) if !call.key().require_heartbeat => {}
        // A request that failed after its signature counts as a sign of life too, and only the gate knows whose.
        Ok(_) | Err(_) => app.pass_on_signs_of_life(),
    }
    let call = checked?;
    pause(call.wait).await;
    Ok(call)
}

/// Answers from the views; the nonce is journaled soon, without making the reader wait (D-08a).
fn read(
    app: &App,
    route: &Route,
    call: gate::Call,
    answer: fn(&App, &Call) -> Result<Reply, Refusal>,
) -> Result<Reply, Refusal> {
    if let (Some(nonce), false) = (call.nonce, call.key().time_based_nonce) {
        app.exchange.note_nonce(call.key().session, nonce);
    }
    let call = Call::new(app, route, call).map_err(|refused| refused.refusal)?;
    answer(app, &call)
}

/// Sends a command and words its receipt. A call that is refused before it becomes one still uses its nonce, and
/// the refusal waits until that is durable (SES-006, D-08).
async fn change(app: &App, route: &Route, call: gate::Call, write: Write) -> Result<Reply, Refusal> {
    let call = match Call::new(app, route, call) {
        Ok(call) => call,
        Err(refused) => return use_nonce(app, caller(&refused.gate, None), refused.refusal).await,
    };
    let body = match (write.command)(app, &call) {
        Ok(body) => body,
        Err(refusal) => return use_nonce(app, call.caller(), refusal).await,
    };
    let receipt = submit(app, Command { caller: call.caller(), body }).await?;
    (write.answer)(app, &call, &receipt)
}

async fn use_nonce(
    app: &App,
    caller: Option<buttonwood_engine::Caller>,
    refusal: Refusal,
) -> Result<Reply, Refusal> {
    submit(app, Command { caller, body: Body::UseNonce }).await?;
    Err(refusal)
}

/// Queues a command and waits until it is durable.
pub(crate) async fn submit(app: &App, command: Command) -> Result<buttonwood_sequencer::Receipt, Refusal> {
    let receipt = app.exchange.submit(command).map_err(|_| field::busy("The exchange is busy"))?;
    receipt.await.map_err(|_| field::busy("The exchange is stopping"))
}

/// The kinds of call that use reserved capacity.
pub(crate) const CANCELS: Kind = Kind::Cancels;

/// The status of a reply that says a thing is not there, in plain text.
pub(crate) const NOT_FOUND: StatusCode = StatusCode::NOT_FOUND;
