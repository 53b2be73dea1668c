//! Threads and connections.

use crate::app::App;
use crate::framing::{Framing, Guarded};
use crate::permits::{Permit, Permits};
use crate::respond::answer;
use crate::tend::{Line, Lines, Word};
use crate::wording;
use buttonwood_sequencer::{EndOnPanic, Exchange};
use http::{Method, Request};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use std::cell::Cell;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::task::LocalSet;

/// Bytes of a request's head at most.
pub(crate) const HEAD_MAX: usize = 40 * 1024;
/// Header fields at most.
pub(crate) const FIELDS_MAX: usize = 64;
/// Threads of a serving thread that wait for the disk on behalf of those who ask for old rows; who comes beyond queues. The
/// first is there from the start.
const READERS_MAX: usize = 4;
/// How long they stay with nothing to do.
const FOR_GOOD: Duration = Duration::from_hours(24 * 365);
/// How often connections are looked at. One that sends no whole head and takes nothing of an answer is cut after two
/// to three looks, so after 60 to 90 seconds, idle time of a kept-alive connection included.
const LOOK: Duration = Duration::from_secs(30);
/// How long open requests may take once the exchange stops; service managers kill after ten seconds or so.
const STOP_WAIT: Duration = Duration::from_secs(3);
/// How long a connection that was refused is read on, and how much of it.
const LINGER_WAIT: Duration = Duration::from_secs(1);
const LINGER_MAX: usize = 4 * 1024 * 1024;
/// Connections at most that a thread is telling that there is no place for them: their files are not counted as theirs.
const TURNED_AWAY_MAX: usize = 2;
/// What a thread may have open beyond its part of the connections: those it turns away, and one since shares are rounded up.
const BEYOND: usize = TURNED_AWAY_MAX + 1;
/// Open files of a thread's runtime.
const RUNTIME_FILES: usize = 3;

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

/// Serving threads: as many as there are processors.
fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Open files that serving takes at most beside the connections it is allowed. They grow with the processors: who counts on
/// a fixed number has none left for the journal on a large machine.
pub fn own_files() -> usize {
    threads() * (RUNTIME_FILES + BEYOND)
}

/// Serves a bound listener on as many threads as there are processors.
///
/// # Errors
/// When the system refuses a thread or a runtime.
pub fn serve(listener: std::net::TcpListener, app: Arc<App>) -> std::io::Result<Server> {
    listener.set_nonblocking(true)?;
    let (stop, stopped) = watch::channel(false);
    let count = threads();
    let share = app.settings.connections_max.div_ceil(count);
    let permits = Permits::new(app.settings.connections_max + count * BEYOND);
    let mut lanes = Vec::new();
    let mut threads = Vec::new();
    for number in 1..count {
        let (lane, connections) = mpsc::unbounded_channel();
        lanes.push(lane);
        let (exchange, app, stopped) = (app.exchange.clone(), Arc::clone(&app), stopped.clone());
        threads.push(spawn(number, exchange, move || Lane::new(app, stopped, share).take(connections))?);
    }
    let exchange = app.exchange.clone();
    threads
        .push(spawn(0, exchange, move || Lane::new(app, stopped, share).accept(listener, permits, lanes))?);
    Ok(Server { stop, threads })
}

fn spawn<F, R>(number: usize, exchange: Exchange, work: F) -> std::io::Result<std::thread::JoinHandle<()>>
where
    F: FnOnce() -> R + Send + 'static,
    R: Future<Output = ()>,
{
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(READERS_MAX)
        .thread_keep_alive(FOR_GOOD)
        .thread_name(format!("http-{number}-disk"))
        .build()?;
    // Once one is there, another that the system has no room for is no panic: what it would have read is read by this one.
    runtime.spawn_blocking(|| ());
    std::thread::Builder::new().name(format!("http-{number}")).spawn(move || {
        // Its connections would wait for ever, and nobody could tell.
        let _end = EndOnPanic("serving");
        let local = LocalSet::new();
        local.spawn_local(exchange.open_lane());
        local.block_on(&runtime, work());
        // A read that hangs must not keep the exchange from stopping.
        runtime.shutdown_background();
    })
}

/// Where connections are handed to a serving thread.
type Handed = mpsc::UnboundedSender<(Permit, std::net::TcpStream)>;

/// One serving thread.
struct Lane {
    app: Arc<App>,
    stopped: watch::Receiver<bool>,
    /// Connections it serves at most.
    share: usize,
    /// Whether the last one that came was turned away.
    is_full: Cell<bool>,
    /// Connections that are being told so.
    turned_away: Rc<Cell<usize>>,
}

impl Lane {
    fn new(app: Arc<App>, stopped: watch::Receiver<bool>, share: usize) -> Self {
        Self { app, stopped, share, is_full: Cell::new(false), turned_away: Rc::default() }
    }

    /// Accepts connections, keeps its share and hands the others out in turn.
    async fn accept(self, listener: std::net::TcpListener, permits: Permits, lanes: Vec<Handed>) {
        let listener = match TcpListener::from_std(listener) {
            Ok(listener) => listener,
            Err(error) => {
                tracing::error!(%error, "cannot listen");
                return;
            }
        };
        let open = self.tend();
        let mut turn = 0usize;
        let mut stopped = self.stopped.clone();
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = stopped.wait_for(|stopped| *stopped) => break,
            };
            match accepted {
                Ok((stream, _)) => {
                    // The other threads may be slow to look at theirs, and each is an open file from here on.
                    let Some(permit) = permits.take() else { continue };
                    turn = (turn + 1) % (lanes.len() + 1);
                    match lanes.get(turn) {
                        None => self.start(permit, stream, &open),
                        Some(lane) => {
                            // A lane that is gone drops the connection.
                            let _ = stream.into_std().map(|stream| lane.send((permit, stream)));
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
    async fn take(self, mut connections: mpsc::UnboundedReceiver<(Permit, std::net::TcpStream)>) {
        let open = self.tend();
        while let Some((permit, stream)) = connections.recv().await {
            if let Ok(stream) = TcpStream::from_std(stream) {
                self.start(permit, stream, &open);
            }
        }
        drain(&open).await;
    }

    /// The connections of this thread, looked at for as long as it serves.
    fn tend(&self) -> Rc<Lines> {
        let lines = Rc::new(Lines::default());
        let (tended, mut stopped) = (Rc::clone(&lines), self.stopped.clone());
        tokio::task::spawn_local(async move {
            let _end = EndOnPanic("serving");
            let stopping = stopped.wait_for(|stopped| *stopped);
            tokio::pin!(stopping);
            while tokio::time::timeout(LOOK, &mut stopping).await.is_err() {
                tended.look();
            }
            tended.finish();
        });
        lines
    }

    /// Tells a connection why it is closed; a few at a time, so that a flood of them takes no open files. The others are
    /// closed without a word.
    fn turn_away(&self, permit: Permit, stream: TcpStream) {
        let turned_away = Rc::clone(&self.turned_away);
        if turned_away.get() < TURNED_AWAY_MAX {
            turned_away.set(turned_away.get() + 1);
            tokio::task::spawn_local(async move {
                say_no_place(stream).await;
                turned_away.set(turned_away.get() - 1);
                drop(permit);
            });
        }
    }

    fn start(&self, permit: Permit, stream: TcpStream, lines: &Rc<Lines>) {
        let Ok(peer) = stream.peer_addr() else { return };
        if lines.open() >= self.share {
            if !self.is_full.replace(true) {
                tracing::warn!(open = lines.open(), "too many connections: others are turned away");
            }
            self.turn_away(permit, stream);
            return;
        }
        // Not at once: where places are taken as they come free, each would be told.
        if lines.open() <= self.share - self.share.div_ceil(8) {
            self.is_full.set(false);
        }
        // Without it, small replies wait for the client's acknowledgement.
        let _ = stream.set_nodelay(true);
        let (app, lines) = (Arc::clone(&self.app), Rc::clone(lines));
        let (number, line) = lines.enter();
        let seat = Seat { lines: Rc::clone(&lines), number, _permit: permit };
        tokio::task::spawn_local(async move {
            connection(stream, peer, app, lines, line).await;
            drop(seat);
        });
    }
}

/// A connection's seat among those of its thread, given back however the connection ends.
struct Seat {
    lines: Rc<Lines>,
    number: u64,
    _permit: Permit,
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.lines.leave(self.number);
    }
}

/// Says why to a connection that there is no place for.
async fn say_no_place(mut stream: TcpStream) {
    let said = async {
        stream.write_all(&wording::no_place()).await?;
        stream.shutdown().await
    };
    match tokio::time::timeout(LINGER_WAIT, said).await {
        Ok(Ok(())) => linger(stream).await,
        Ok(Err(_)) | Err(_) => tracing::debug!("a connection that was turned away has gone"),
    }
}

async fn drain(lines: &Lines) {
    let all_closed = async {
        while lines.open() > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    if tokio::time::timeout(STOP_WAIT, all_closed).await.is_err() {
        tracing::warn!(open = lines.open(), "connections were cut");
    }
}

async fn connection(stream: TcpStream, peer: SocketAddr, app: Arc<App>, lines: Rc<Lines>, line: Rc<Line>) {
    let framing = Rc::new(Framing::default());
    let cut = Rc::new(Cell::new(false));
    let (watched, cuts, noted) = (Rc::clone(&framing), Rc::clone(&cut), Rc::clone(&line));
    let service = service_fn(move |request: Request<Incoming>| {
        let (app, cuts, verdict) = (Arc::clone(&app), Rc::clone(&cuts), watched.next());
        let (lines, line) = (Rc::clone(&lines), Rc::clone(&noted));
        let (head, body) = request.into_parts();
        async move {
            line.begin();
            let reply = answer(&app, peer, &head, body, verdict).await;
            lines.end(&line, if head.method == Method::HEAD { 0 } else { reply.len() });
            cuts.set(reply.closes());
            Ok::<_, Infallible>(reply.into_http())
        }
    });
    // Not `pipeline_flush`: it holds an answer back while the next request is incomplete, and swallows hyper's own 400.
    let mut served = http1::Builder::new()
        .max_buf_size(HEAD_MAX)
        .max_headers(FIELDS_MAX)
        .writev(false)
        // Else hyper looks for the end of the connection while an order waits for the disk: a system call a request.
        .half_close(true)
        .serve_connection(TokioIo::new(Guarded::new(stream, framing, Rc::clone(&line))), service);
    let mut told = Word::GoOn;
    let ended = loop {
        told = tokio::select! {
            biased;
            ended = &mut served => break ended,
            word = line.told_after(told) => word,
        };
        match told {
            Word::GoOn => {}
            Word::Finish => Pin::new(&mut served).graceful_shutdown(),
            Word::Leave => {
                tracing::debug!(%peer, "connection was silent for too long, or left too large an answer untaken");
                return;
            }
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
    // Whoever sends for longer has had time to read the answer.
    let _ = tokio::time::timeout(LINGER_WAIT, read_on).await;
}
