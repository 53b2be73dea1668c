//! All open sockets of all threads: for the sandbox's control calls, and to find the one for which most waits.

use crate::post::{Post, Postbox, SocketId};
use crate::queue::Queue;
use buttonwood_call::{OpenSocket, SocketFault, SocketTarget, StreamKind};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// A socket as other threads see it.
#[derive(Debug)]
pub(crate) struct Entry {
    kind: StreamKind,
    key: Option<String>,
    cancels: bool,
    postbox: Arc<Postbox>,
    pub(crate) subscriptions: Mutex<Vec<String>>,
    sent: AtomicU64,
    queued: AtomicU64,
    /// All bytes that wait, also shared ones.
    weight: AtomicUsize,
    /// Whether it was told to close, to make room.
    is_leaving: AtomicBool,
}

impl Entry {
    /// A socket of a kind, opened by a key or an app of this name, whose thread has this postbox.
    pub(crate) fn new(kind: StreamKind, key: Option<String>, cancels: bool, postbox: Arc<Postbox>) -> Self {
        Self {
            kind,
            key,
            cancels,
            postbox,
            subscriptions: Mutex::default(),
            sent: AtomicU64::new(0),
            queued: AtomicU64::new(0),
            weight: AtomicUsize::new(0),
            is_leaving: AtomicBool::new(false),
        }
    }

    /// Notes how many frames left so far, and what waits.
    pub(crate) fn note(&self, queue: &Queue) {
        self.sent.store(queue.sent(), Ordering::Relaxed);
        self.queued.store(u64::try_from(queue.bytes()).unwrap_or(u64::MAX), Ordering::Relaxed);
        self.weight.store(queue.weight(), Ordering::Relaxed);
    }
}

/// The open sockets.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    sockets: Mutex<BTreeMap<SocketId, Arc<Entry>>>,
    /// Whether a socket was told to close, to make room, and has not done so yet.
    is_relieving: AtomicBool,
}

impl Registry {
    /// Adds a socket.
    pub(crate) fn add(&self, socket: SocketId, entry: Arc<Entry>) {
        self.sockets.lock().insert(socket, entry);
    }

    /// Removes a socket.
    pub(crate) fn remove(&self, socket: SocketId) {
        let removed = self.sockets.lock().remove(&socket);
        if removed.is_some_and(|entry| entry.is_leaving.load(Ordering::Relaxed)) {
            self.is_relieving.store(false, Ordering::Relaxed);
        }
    }

    /// Makes room: closes the socket of any thread for which most waits. One at a time: its bytes are still counted while it leaves.
    pub(crate) fn relieve(&self) {
        if self.is_relieving.swap(true, Ordering::Relaxed) {
            return;
        }
        let sockets = self.sockets.lock();
        let weight = |entry: &Entry| entry.weight.load(Ordering::Relaxed);
        let heaviest = sockets.iter().max_by_key(|(_, entry)| weight(entry));
        if let Some((id, entry)) = heaviest.filter(|(_, entry)| weight(entry) > 0) {
            entry.is_leaving.store(true, Ordering::Relaxed);
            entry.postbox.put(&mut vec![Post::Relieve(*id)]);
        } else {
            self.is_relieving.store(false, Ordering::Relaxed);
        }
    }

    /// All sockets, the oldest first.
    pub(crate) fn list(&self) -> Vec<OpenSocket> {
        let shown = |(id, entry): (&SocketId, &Arc<Entry>)| OpenSocket {
            connection: id.0,
            kind: entry.kind,
            key: entry.key.clone(),
            subscriptions: entry.subscriptions.lock().clone(),
            sent: entry.sent.load(Ordering::Relaxed),
            queued_bytes: entry.queued.load(Ordering::Relaxed),
            cancels: entry.cancels,
        };
        self.sockets.lock().iter().map(shown).collect()
    }

    /// Gives a fault to sockets; returns to how many.
    pub(crate) fn fault(&self, target: &SocketTarget, fault: SocketFault) -> usize {
        let sockets = self.sockets.lock();
        let is_meant = |(id, entry): &(&SocketId, &Arc<Entry>)| match target {
            SocketTarget::One(connection) => id.0 == *connection,
            SocketTarget::Key(key) => entry.key.as_ref() == Some(key),
            SocketTarget::All => true,
        };
        let meant = sockets.iter().filter(is_meant);
        meant.map(|(id, entry)| entry.postbox.put(&mut vec![Post::Fault(*id, fault)])).count()
    }
}
