//! The way between the hub and the serving threads.

use crate::frame::Frame;
use crate::topic::Topic;
use buttonwood_call::SocketFault;
use crossbeam_utils::sync::Unparker;
use parking_lot::Mutex;
use std::sync::Arc;
use tokio::sync::Notify;

/// The number of a socket, from 1, never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SocketId(pub(crate) u64);

/// A subscription of a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Subscription {
    /// The socket.
    pub(crate) socket: SocketId,
    /// Its number on the socket's thread: a socket that leaves a topic and reads it again has another one.
    pub(crate) number: u64,
    /// The topic.
    pub(crate) topic: Topic,
}

/// A frame, or something else to be done, on its way to a serving thread.
#[derive(Clone, Debug)]
pub(crate) enum Post {
    /// The first frames of a subscription, whose later frames follow.
    First(Subscription, Vec<Arc<Frame>>),
    /// A frame for all readers of a topic.
    All(Topic, Arc<Frame>),
    /// A fault on the way to a socket's client.
    Fault(SocketId, SocketFault),
    /// The readers of this topic have missed frames: their sockets close.
    Lost(Topic),
    /// Too much waits for all clients, and most for this socket's: it closes.
    Relieve(SocketId),
}

impl Post {
    /// The topic of first frames.
    pub(crate) fn topic(&self) -> Option<Topic> {
        match self {
            Self::First(subscription, _) => Some(subscription.topic),
            Self::All(..) | Self::Fault(..) | Self::Lost(_) | Self::Relieve(_) => None,
        }
    }
}

/// The frames that wait for a serving thread.
#[derive(Debug, Default)]
pub(crate) struct Postbox {
    posts: Mutex<Vec<Post>>,
    arrived: Notify,
}

impl Postbox {
    /// Adds posts, and wakes the thread.
    pub(crate) fn put(&self, posts: &mut Vec<Post>) {
        if !posts.is_empty() {
            self.posts.lock().append(posts);
            self.arrived.notify_one();
        }
    }

    /// Takes the posts that are there.
    pub(crate) fn take_now(&self) -> Vec<Post> {
        std::mem::take(&mut *self.posts.lock())
    }

    /// Takes all posts, once there are some.
    pub(crate) async fn take(&self) -> Vec<Post> {
        loop {
            let posts = self.take_now();
            if !posts.is_empty() {
                return posts;
            }
            self.arrived.notified().await;
        }
    }
}

/// The number of a serving thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ThreadId(pub(crate) usize);

/// How many readers a topic has on each serving thread.
#[derive(Debug, Default)]
pub(crate) struct Readers(Vec<usize>);

impl Readers {
    /// Adds or removes one.
    pub(crate) fn change(&mut self, thread: ThreadId, is_more: bool) {
        if self.0.len() <= thread.0 {
            self.0.resize(thread.0 + 1, 0);
        }
        if let Some(count) = self.0.get_mut(thread.0) {
            *count = if is_more { *count + 1 } else { count.saturating_sub(1) };
        }
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|count| *count == 0)
    }

    /// The numbers of the threads that have some.
    pub(crate) fn threads(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().filter(|(_, count)| **count > 0).map(|(thread, _)| thread)
    }
}

/// A wish of a serving thread.
#[derive(Debug)]
pub(crate) enum Ask {
    /// A serving thread has its first socket.
    Thread(ThreadId, Arc<Postbox>),
    /// A socket wants to read a topic, or its first frames once more.
    Subscribe {
        /// The thread that serves it.
        thread: ThreadId,
        /// The subscription.
        subscription: Subscription,
        /// The first frames that it wants.
        first: First,
        /// Whether it is one reader more.
        is_new: bool,
    },
    /// A socket no longer reads a topic.
    Unsubscribe(ThreadId, Topic),
    /// The exchange stops.
    Stop,
}

/// The first frame that a socket wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum First {
    /// The one of the topic.
    Usual,
    /// None.
    None,
    /// So many levels of each side.
    Levels(usize),
}

/// The wishes that wait for the hub.
#[derive(Debug)]
pub(crate) struct Asks {
    asks: Mutex<Vec<Ask>>,
    waker: Unparker,
}

impl Asks {
    /// No wishes; the hub wakes by this.
    pub(crate) fn new(waker: Unparker) -> Self {
        Self { asks: Mutex::default(), waker }
    }

    /// Adds a wish.
    pub(crate) fn put(&self, ask: Ask) {
        self.asks.lock().push(ask);
        self.waker.unpark();
    }

    /// Takes all wishes.
    pub(crate) fn take(&self) -> Vec<Ask> {
        std::mem::take(&mut *self.asks.lock())
    }
}
