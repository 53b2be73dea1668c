//! The threads that hash passwords: a few, with a short queue, so that a flood of sign-ins takes neither memory nor the processors of orders.

use buttonwood_gate::Refusal;
use buttonwood_wire::field::{busy, failed};
use parking_lot::Mutex;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use tokio::sync::oneshot;

/// Threads; each takes 19 MiB while it works.
const THREADS: usize = 2;
/// Works that wait at most: at some 30 ms each, the last one waits for about a second.
const QUEUE: usize = 64;

/// The lowest priority: where processors are short, orders come first.
const NICENESS: i32 = 19;

type Work = Box<dyn FnOnce() + Send>;

/// Hashes passwords on threads of its own.
#[derive(Debug)]
pub(crate) struct Hasher {
    queue: SyncSender<Work>,
}

impl Hasher {
    /// Starts the threads. They end with the hasher.
    pub(crate) fn start() -> std::io::Result<Self> {
        let (queue, works) = sync_channel::<Work>(QUEUE);
        let works = Arc::new(Mutex::new(works));
        for number in 0..THREADS {
            let works = Arc::clone(&works);
            std::thread::Builder::new().name(format!("passwords-{number}")).spawn(move || run(&works))?;
        }
        Ok(Self { queue })
    }

    /// Does a piece of work on one of the threads.
    ///
    /// # Errors
    /// 503 when too much waits.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let (reply, done) = oneshot::channel();
        let work = move || {
            let _ = reply.send(work());
        };
        self.queue.try_send(Box::new(work)).map_err(|_| busy("Too many people sign in at once"))?;
        done.await.map_err(|_| failed())
    }
}

fn run(works: &Mutex<Receiver<Work>>) {
    // On Linux this is for the calling thread alone. A system that refuses it has slower orders during a flood, and nothing else.
    if let Err(error) = rustix::process::nice(NICENESS) {
        tracing::debug!("the threads of passwords have no low priority: {error}");
    }
    loop {
        let work = works.lock().recv();
        match work {
            // A work that panics is answered with `System`, and the thread goes on with the next one.
            Ok(work) => drop(catch_unwind(AssertUnwindSafe(work))),
            Err(_) => return,
        }
    }
}
