//! Listener and serving threads.

use crate::abort_on_panic::AbortOnPanic;
use crate::connection;
use crate::connection_care::Connections;
use crate::fault::Fault;
use crate::handler::{Entrance, Handler};
use crate::kernel::{self, Slow};
use crate::permits::{NoPermit, OpenConnections, Permit, Permits, Places, Purpose};
use std::cell::Cell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::task::LocalSet;

/// Blocking threads of a serving thread at most, for requests that wait for a disk; further requests queue. The first
/// thread exists from the start.
const BLOCKING_MAX: usize = 4;
/// How long an idle blocking thread stays: practically forever.
const FOR_GOOD: Duration = Duration::from_hours(24 * 365);
/// The time between two checks of all connections. One that sends no whole head and takes nothing of an answer closes after
/// two to three checks: after 60 to 90 seconds, idle time of a kept-alive connection included.
const CHECK_EVERY: Duration = Duration::from_secs(30);
/// How long open requests may take once the server stops; service managers kill after ten seconds or so.
const STOP_WAIT: Duration = Duration::from_secs(3);
/// Connections at most that a thread refuses with an answer at one time. Their files do not count among those it
/// serves.
const TURNED_AWAY_MAX: usize = 2;
/// Connections of a thread at most that are closing to make place for new ones: each is an open file until its task has
/// ended.
const CLOSING_MAX: usize = 16;
/// Connections of a thread beyond its share: those it turns away, those that are closing, and one since shares are rounded up.
const BEYOND: usize = TURNED_AWAY_MAX + CLOSING_MAX + 1;
/// Connections of [`serve_aside`] at most.
const ASIDE: usize = 16;
/// Open files of a thread's runtime.
const RUNTIME_FILES: usize = 3;

/// The threads that serve connections.
#[derive(Debug)]
pub struct Server {
    stop: watch::Sender<bool>,
    threads: Vec<std::thread::JoinHandle<()>>,
    open: OpenConnections,
}

impl Server {
    /// Shows how many connections are open.
    pub fn open_connections(&self) -> OpenConnections {
        self.open.clone()
    }

    /// Stops the server: it takes no new connections or requests, and answers open requests first.
    pub fn stop(self) {
        let _ = self.stop.send(true);
        for thread in self.threads {
            // A thread that has panicked has stopped too.
            let _ = thread.join();
        }
    }
}

/// Serving threads: one for each processor.
fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Open files at most that serving needs besides its connections, those of [`serve_aside`] included. The number grows with
/// the processors: a fixed allowance would leave none for the journal on a large machine.
pub fn own_files() -> usize {
    (threads() + 1) * (RUNTIME_FILES + BEYOND) + ASIDE
}

/// Bound listeners. Those of one server share its threads and its places.
#[derive(Debug)]
pub struct Listeners {
    /// The first.
    pub main: std::net::TcpListener,
    /// A second one, whose requests the handler tells apart.
    pub side: Option<std::net::TcpListener>,
    /// One for sockets alone, which the handler tells apart too.
    pub stream: Option<std::net::TcpListener>,
}

/// Serves bound listeners on one thread for each processor.
///
/// # Errors
/// When the system refuses a thread or a runtime.
pub fn serve<H: Handler>(listeners: Listeners, handler: Arc<H>, places: Places) -> std::io::Result<Server> {
    serve_on(listeners, handler, places, "http", threads())
}

/// Serves a few connections of a bound listener on a thread of its own, so that they and the others do not wait for each
/// other.
///
/// # Errors
/// As for [`serve`].
pub fn serve_aside<H: Handler>(
    listener: std::net::TcpListener,
    handler: Arc<H>,
    name: &'static str,
) -> std::io::Result<Server> {
    serve_on(
        Listeners { main: listener, side: None, stream: None },
        handler,
        Places::new(ASIDE, 100),
        name,
        1,
    )
}

fn serve_on<H: Handler>(
    listeners: Listeners,
    handler: Arc<H>,
    places: Places,
    name: &'static str,
    count: usize,
) -> std::io::Result<Server> {
    for listener in std::iter::once(&listeners.main).chain(&listeners.side).chain(&listeners.stream) {
        listener.set_nonblocking(true)?;
    }
    let (stop, stopped) = watch::channel(false);
    let share = places.all.div_ceil(count);
    let permits = Permits::new(places, count, BEYOND);
    let open = permits.open();
    let slow = Arc::new(watch::Sender::new(Slow::default()));
    let mut others = Vec::new();
    let mut threads = Vec::new();
    for number in 1..count {
        let (sender, connections) = mpsc::unbounded_channel();
        others.push(sender);
        let thread = ServingThread::new(Arc::clone(&handler), stopped.clone(), share, Arc::clone(&slow));
        threads.push(spawn(name, number, Arc::clone(&handler), move || thread().serve(connections))?);
    }
    let thread = ServingThread::new(Arc::clone(&handler), stopped, share, slow);
    threads.push(spawn(name, 0, handler, move || thread().accept(listeners, permits, others))?);
    Ok(Server { stop, threads, open })
}

fn spawn<H, F, R>(
    name: &str,
    number: usize,
    handler: Arc<H>,
    work: F,
) -> std::io::Result<std::thread::JoinHandle<()>>
where
    H: Handler,
    F: FnOnce() -> R + Send + 'static,
    R: Future<Output = ()>,
{
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(BLOCKING_MAX)
        .thread_keep_alive(FOR_GOOD)
        .thread_name(format!("{name}-{number}-disk"))
        .build()?;
    // Starts the first blocking thread now. If the system later refuses a second one, the first does its work, and
    // tokio does not panic.
    runtime.spawn_blocking(|| ());
    std::thread::Builder::new().name(format!("{name}-{number}")).spawn(move || {
        let _abort = AbortOnPanic;
        let local = LocalSet::new();
        let task = handler.thread_task();
        local.spawn_local(task);
        local.block_on(&runtime, work());
        // A read that hangs must not keep the server from stopping.
        runtime.shutdown_background();
    })
}

/// The queue through which a serving thread gets its connections.
type Queue = mpsc::UnboundedSender<(Permit, std::net::TcpStream, Entrance)>;

/// One serving thread.
struct ServingThread<H> {
    handler: Arc<H>,
    stopped: watch::Receiver<bool>,
    /// Connections it serves at most.
    share: usize,
    /// Whether the lack of places was logged; cleared once an eighth of them is free.
    is_full: Cell<bool>,
    /// Connections that are being refused with an answer.
    turned_away: Rc<Cell<usize>>,
    /// The connections that leave too much unread.
    slow: Arc<watch::Sender<Slow>>,
}

impl<H: Handler> ServingThread<H> {
    /// Returns a function that makes a serving thread's state, to be called on that thread.
    fn new(
        handler: Arc<H>,
        stopped: watch::Receiver<bool>,
        share: usize,
        slow: Arc<watch::Sender<Slow>>,
    ) -> impl FnOnce() -> Self + Send {
        move || Self { handler, stopped, share, is_full: Cell::new(false), turned_away: Rc::default(), slow }
    }

    /// Accepts connections, and gives each to the thread with the fewest.
    async fn accept(self, listeners: Listeners, permits: Permits, others: Vec<Queue>) {
        let entrances = match Entrances::open(listeners) {
            Ok(entrances) => entrances,
            Err(error) => {
                tracing::error!(%error, "cannot listen");
                return;
            }
        };
        let open = self.connections();
        let (handler, slow) = (Arc::clone(&self.handler), Arc::clone(&self.slow));
        let looked = kernel::watch(permits.open(), entrances.ports(), move |peer| handler.sharer(peer), slow);
        tokio::task::spawn_local(looked);
        let mut stopped = self.stopped.clone();
        loop {
            let accepted = tokio::select! {
                accepted = entrances.accept() => accepted,
                _ = stopped.wait_for(|stopped| *stopped) => break,
            };
            match accepted {
                Ok((stream, peer, entrance)) => {
                    // The connection is an open file from here on, even while it waits in the queue of its thread.
                    let permit = match permits.take(Purpose::Serve(self.handler.sharer(peer.ip()))) {
                        Ok(permit) => permit,
                        Err(NoPermit::All) => {
                            // Lets closing connections end.
                            tokio::task::yield_now().await;
                            continue;
                        }
                        Err(NoPermit::OfAddress) => {
                            if let Ok(permit) = permits.take(Purpose::TurnAway) {
                                self.turn_away(permit, stream, Fault::TooManyOfAddress);
                            }
                            continue;
                        }
                    };
                    match others.get(permit.thread()) {
                        None => self.start(permit, (stream, entrance), &open),
                        Some(other) => {
                            // If that thread has ended, the connection is dropped.
                            let _ = stream.into_std().map(|stream| other.send((permit, stream, entrance)));
                        }
                    }
                }
                Err(error) => {
                    // Most likely the process is out of file descriptors: lets some connections end.
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            }
        }
        drop(entrances);
        drop(others);
        drain(&open).await;
    }

    /// Serves the connections that this thread gets from the accepting one.
    async fn serve(self, mut connections: mpsc::UnboundedReceiver<(Permit, std::net::TcpStream, Entrance)>) {
        let open = self.connections();
        while let Some((permit, stream, entrance)) = connections.recv().await {
            if let Ok(stream) = TcpStream::from_std(stream) {
                self.start(permit, (stream, entrance), &open);
            }
        }
        drain(&open).await;
    }

    /// The connections of this thread. A task checks them until the server stops.
    fn connections(&self) -> Rc<Connections> {
        let connections = Rc::new(Connections::default());
        let (bounded, mut slow) = (Rc::clone(&connections), self.slow.subscribe());
        tokio::task::spawn_local(async move {
            while slow.changed().await.is_ok() {
                let peers = Arc::clone(&slow.borrow_and_update());
                bounded.reset(&peers);
            }
        });
        let (checked, mut stopped) = (Rc::clone(&connections), self.stopped.clone());
        tokio::task::spawn_local(async move {
            let _abort = AbortOnPanic;
            let stopping = stopped.wait_for(|stopped| *stopped);
            tokio::pin!(stopping);
            while tokio::time::timeout(CHECK_EVERY, &mut stopping).await.is_err() {
                checked.check();
            }
            checked.finish();
        });
        connections
    }

    /// Refuses a connection. Only a few at a time get an answer; the others close without one, so that a flood takes no
    /// open files.
    fn turn_away(&self, permit: Permit, stream: TcpStream, fault: Fault) {
        let turned_away = Rc::clone(&self.turned_away);
        if turned_away.get() < TURNED_AWAY_MAX {
            turned_away.set(turned_away.get() + 1);
            tokio::task::spawn_local(async move {
                connection::turn_away(stream, H::refuse(fault)).await;
                turned_away.set(turned_away.get() - 1);
                drop(permit);
            });
        }
    }

    fn start(
        &self,
        permit: Permit,
        (stream, entrance): (TcpStream, Entrance),
        connections: &Rc<Connections>,
    ) {
        let Ok(peer) = stream.peer_addr() else { return };
        if connections.open() >= self.share && !self.is_full.replace(true) {
            tracing::warn!(open = connections.open(), "too many connections: idle ones close");
        }
        if !connections.make_place(self.share) {
            self.turn_away(permit, stream, Fault::TooManyConnections);
            return;
        }
        // Not cleared at the first free place: if each free place is taken at once, every connection would write a line
        // to the log.
        if connections.open() <= self.share - self.share.div_ceil(8) {
            self.is_full.set(false);
        }
        // Without `TCP_NODELAY`, small replies wait for the client's acknowledgement.
        let _ = stream.set_nodelay(true);
        kernel::bound(&stream);
        let (handler, connections) = (Arc::clone(&self.handler), Rc::clone(connections));
        let (number, connection) = connections.enter();
        connection.peer.set(Some(SocketAddr::new(peer.ip().to_canonical(), peer.port())));
        let place = Place { connections: Rc::clone(&connections), number, _permit: permit };
        tokio::task::spawn_local(async move {
            connection::serve(stream, (peer, entrance), handler, connections, connection).await;
            drop(place);
        });
    }
}

/// The listeners of a server in the runtime of the thread that accepts.
struct Entrances {
    main: TcpListener,
    side: Option<TcpListener>,
    stream: Option<TcpListener>,
}

impl Entrances {
    fn open(listeners: Listeners) -> std::io::Result<Self> {
        let side = listeners.side.map(TcpListener::from_std).transpose()?;
        let stream = listeners.stream.map(TcpListener::from_std).transpose()?;
        Ok(Self { main: TcpListener::from_std(listeners.main)?, side, stream })
    }

    /// The ports of all of them.
    fn ports(&self) -> Vec<u16> {
        let all = std::iter::once(&self.main).chain(&self.side).chain(&self.stream);
        all.filter_map(|listener| listener.local_addr().ok()).map(|address| address.port()).collect()
    }

    /// The next connection at any of them.
    async fn accept(&self) -> std::io::Result<(TcpStream, SocketAddr, Entrance)> {
        let (accepted, entrance) = tokio::select! {
            accepted = self.main.accept() => (accepted, Entrance::Main),
            accepted = accept_at(self.side.as_ref()) => (accepted, Entrance::Side),
            accepted = accept_at(self.stream.as_ref()) => (accepted, Entrance::Stream),
        };
        accepted.map(|(stream, peer)| (stream, peer, entrance))
    }
}

/// The next connection at a listener; none ever comes where there is no listener.
async fn accept_at(listener: Option<&TcpListener>) -> std::io::Result<(TcpStream, SocketAddr)> {
    match listener {
        Some(listener) => listener.accept().await,
        None => std::future::pending().await,
    }
}

/// A connection's place among those of its thread, given back when it is dropped.
struct Place {
    connections: Rc<Connections>,
    number: u64,
    _permit: Permit,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.connections.leave(self.number);
    }
}

async fn drain(connections: &Connections) {
    let all_closed = async {
        while connections.open() > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    if tokio::time::timeout(STOP_WAIT, all_closed).await.is_err() {
        tracing::warn!(open = connections.open(), "connections were cut");
    }
}
