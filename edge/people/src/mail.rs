//! Mail by SMTP. Messages wait in a bounded queue and are sent on a thread of their own, so that a slow or dead server delays no request
//! and makes none fail.
//!
//! A message that the server does not take now is tried again for an hour, after a longer wait each time. Logs name neither addresses nor
//! texts: a text has the token of its link.

mod server;
mod writing;

pub use server::MailServer;

use crate::mailbox::Message;
use buttonwood_metrics::{Kind, Page};
use lettre::transport::smtp::Error as SmtpError;
use lettre::{AsyncSmtpTransport, AsyncTransport, Tokio1Executor};
use parking_lot::Mutex;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{JoinSet, LocalSet};
use tokio::time::{Instant, sleep, timeout};
use writing::Written;

/// Messages that wait at most; further ones are dropped.
const QUEUE: usize = 10_000;
/// Connections to the server at most.
const CONNECTIONS: usize = 4;
/// The longest time of one try.
const TRY: Duration = Duration::from_mins(1);
/// The wait after the first try, which doubles after each further one.
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// The longest wait between two tries.
const LONGEST_WAIT: Duration = Duration::from_mins(2);
/// How long a message is tried. A reset link lives as long.
const PATIENCE: Duration = Duration::from_hours(1);
/// How long a stop waits for messages that are being sent.
const STOP: Duration = Duration::from_secs(3);

type Transport = AsyncSmtpTransport<Tokio1Executor>;

/// The fates of messages since the start.
#[derive(Debug, Default)]
struct Counts {
    sent: AtomicU64,
    failed: AtomicU64,
    dropped: AtomicU64,
}

/// A message in the queue, with its place there.
struct Queued {
    message: Message,
    _place: OwnedSemaphorePermit,
}

/// The outgoing mail of an exchange.
#[derive(Debug)]
pub struct Outgoing {
    queue: Mutex<Option<UnboundedSender<Queued>>>,
    places: Arc<Semaphore>,
    counts: Arc<Counts>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Outgoing {
    /// Starts the thread that sends to a server. It connects when there is a message.
    ///
    /// # Errors
    /// When the system refuses a thread or a runtime, or the certificates that it trusts cannot be read.
    pub fn start(server: MailServer) -> std::io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let transport = {
            let _inside = runtime.enter();
            server.transport(CONNECTIONS, TRY).map_err(std::io::Error::other)?
        };
        let (queue, queued) = unbounded_channel();
        let counts = Arc::new(Counts::default());
        let sender = Sender {
            server,
            transport,
            connections: Semaphore::new(CONNECTIONS),
            counts: Arc::clone(&counts),
        };
        let work = move || LocalSet::new().block_on(&runtime, run(Rc::new(sender), queued));
        let thread = std::thread::Builder::new().name("mail".to_owned()).spawn(work)?;
        Ok(Self {
            queue: Mutex::new(Some(queue)),
            places: Arc::new(Semaphore::new(QUEUE)),
            counts,
            thread: Mutex::new(Some(thread)),
        })
    }

    /// Queues a message. It never waits: where the queue is full, the message is dropped and counted.
    pub(crate) fn put(&self, message: Message) {
        let place = Arc::clone(&self.places).try_acquire_owned().ok();
        let queue = self.queue.lock();
        let sent = place.zip(queue.as_ref()).and_then(|(place, queue)| {
            let queued = Queued { message, _place: place };
            queue.send(queued).ok()
        });
        if sent.is_none() {
            let dropped = self.counts.dropped.fetch_add(1, Ordering::Relaxed) + 1;
            // A flood of messages is no flood of lines.
            if dropped.is_power_of_two() {
                tracing::error!(dropped, "messages are dropped: the queue of mail is full or closed");
            }
        }
    }

    /// Stops: messages that are being sent have three seconds.
    pub fn stop(&self) {
        drop(self.queue.lock().take());
        let thread = self.thread.lock().take();
        // A thread that has panicked has stopped too.
        let _ = thread.map(JoinHandle::join);
    }
}

/// Writes the figures of outgoing mail; zeros where none is sent.
pub(crate) fn write_metrics(outgoing: Option<&Outgoing>, page: &mut Page) {
    let name = "buttonwood_mail_total";
    page.family(
        name,
        Kind::Counter,
        "Messages by what became of them: sent, failed, or dropped from a full queue.",
    );
    let none = Counts::default();
    let counts = outgoing.map_or(&none, |outgoing| &*outgoing.counts);
    for (result, count) in [("sent", &counts.sent), ("failed", &counts.failed), ("dropped", &counts.dropped)]
    {
        page.sample(name, &[("result", result)], count.load(Ordering::Relaxed));
    }
    let waiting = outgoing.map_or(0, |outgoing| QUEUE.saturating_sub(outgoing.places.available_permits()));
    page.single("buttonwood_mail_waiting", Kind::Gauge, "Messages that wait to be sent.", waiting);
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The tools of the thread of mail.
struct Sender {
    server: MailServer,
    transport: Transport,
    connections: Semaphore,
    counts: Arc<Counts>,
}

/// Sends messages until the queue closes.
async fn run(sender: Rc<Sender>, mut queued: UnboundedReceiver<Queued>) {
    let mut deliveries = JoinSet::new();
    loop {
        tokio::select! {
            next = queued.recv() => match next {
                Some(next) => {
                    let sender = Rc::clone(&sender);
                    deliveries.spawn_local(async move { sender.deliver(next).await });
                }
                None => break,
            },
            Some(_) = deliveries.join_next() => {}
        }
    }
    let all_sent = async { while deliveries.join_next().await.is_some() {} };
    if timeout(STOP, all_sent).await.is_err() {
        tracing::warn!(messages = deliveries.len(), "mail was not sent before the stop");
    }
}

/// Why a message was not sent at a try.
struct Failure {
    /// For people, without addresses and texts.
    why: String,
    /// Whether another try is in vain.
    is_final: bool,
}

impl Sender {
    /// Sends a message, at several tries if it must.
    async fn deliver(&self, queued: Queued) {
        let Queued { message, _place } = queued;
        let sent = match writing::write(&self.server.from, &message) {
            Ok(written) => self.send(&written).await,
            Err(why) => Err(why),
        };
        drop(message);
        match sent {
            Ok(()) => self.counts.sent.fetch_add(1, Ordering::Relaxed),
            Err(why) => {
                tracing::error!(why, "a message was not sent");
                self.counts.failed.fetch_add(1, Ordering::Relaxed)
            }
        };
    }

    /// Tries until the server takes the message, or refuses it for good, or the time is over.
    async fn send(&self, written: &Written) -> Result<(), String> {
        let (begun, mut wait) = (Instant::now(), FIRST_WAIT);
        loop {
            let failure = match self.try_once(written).await {
                Ok(()) => return Ok(()),
                Err(failure) => failure,
            };
            if failure.is_final || begun.elapsed() + wait > PATIENCE {
                return Err(failure.why);
            }
            tracing::debug!(why = failure.why, "the mail server took no message; another try follows");
            sleep(wait).await;
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }

    async fn try_once(&self, written: &Written) -> Result<(), Failure> {
        let _connection = self.connections.acquire().await;
        match timeout(TRY, self.transport.send_raw(&written.envelope, &written.bytes)).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(failure(&error)),
            Err(_) => Err(Failure { why: "no answer in time".to_owned(), is_final: false }),
        }
    }
}

/// The words for an error. The server's own text may repeat an address, so it is left out.
fn failure(error: &SmtpError) -> Failure {
    let why = match error.status() {
        Some(code) => format!("the mail server answered {code}"),
        None if error.is_response() => "the mail server's answer cannot be read".to_owned(),
        None => {
            let cause = std::error::Error::source(error).map(|cause| format!(": {cause}"));
            let kind = if error.is_tls() {
                "no secure connection to the mail server"
            } else {
                "no connection to the mail server"
            };
            if error.is_client() { error.to_string() } else { format!("{kind}{}", cause.unwrap_or_default()) }
        }
    };
    Failure { why, is_final: error.is_permanent() || error.is_client() }
}

#[cfg(test)]
mod tests;
