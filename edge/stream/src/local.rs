//! The sockets of one serving thread, by the topics that they read.

use crate::budget::Budget;
use crate::frame::{Frame, Waits};
use crate::post::{Ask, Asks, First, Post, Postbox, SocketId, Subscription, ThreadId};
use crate::queue::Queue;
use crate::registry::{Entry, Registry};
use crate::topic::Topic;
use buttonwood_call::{SocketFault, StreamKind};
use buttonwood_http::{Code, Frames, Link, Source};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Notify;

/// A reader of a topic.
#[derive(Clone, Copy, Debug)]
struct Reader {
    /// The number of its subscription.
    number: u64,
    /// How often it has asked for first frames that have not come yet.
    owed: usize,
    /// Whether first frames have come: it gets all frames from there on.
    has_begun: bool,
}

/// One socket.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) id: SocketId,
    link: Rc<Link>,
    queue: RefCell<Queue>,
    budget: Arc<Budget>,
    topics: RefCell<BTreeMap<Topic, Reader>>,
    local: Rc<Local>,
    entry: Arc<Entry>,
    /// Woken when first frames of a topic have come.
    begun: Notify,
}

impl Source for Member {
    fn fill(&self, out: &mut Frames<'_>, room: usize) {
        let mut queue = self.queue.borrow_mut();
        let before = queue.own();
        queue.fill(out, room);
        self.budget.change(before, queue.own());
        self.entry.note(&queue);
    }
}

impl Member {
    /// Sends a frame of this socket alone.
    pub(crate) fn send(&self, object: Vec<u8>, is_numbered: bool) {
        let frame = Frame::of(object, Waits::Behind);
        self.add(|queue| queue.push_own(frame, is_numbered));
    }

    /// Shows what it reads.
    pub(crate) fn show(&self, subscriptions: Vec<String>) {
        *self.entry.subscriptions.lock() = subscriptions;
    }

    /// Begins to read a topic, or gets its first frames once more.
    pub(crate) fn subscribe(&self, topic: Topic, first: First) {
        let mut topics = self.topics.borrow_mut();
        let is_new = !topics.contains_key(&topic);
        let next = || Reader { number: self.local.next_number(), owed: 0, has_begun: false };
        let reader = topics.entry(topic).or_insert_with(next);
        reader.owed += 1;
        if is_new {
            self.local.readers.borrow_mut().entry(topic).or_default().insert(self.id);
        }
        let subscription = Subscription { socket: self.id, number: reader.number, topic };
        self.local.asks.put(Ask::Subscribe { thread: self.local.thread, subscription, first, is_new });
    }

    /// Notes that first frames of a subscription have come. Whether they are awaited.
    fn has_first(&self, subscription: Subscription) -> bool {
        let mut topics = self.topics.borrow_mut();
        let Some(reader) = topics.get_mut(&subscription.topic) else { return false };
        if reader.number != subscription.number || reader.owed == 0 {
            return false;
        }
        reader.owed -= 1;
        reader.has_begun = true;
        self.begun.notify_waiters();
        true
    }

    /// Waits until a topic's first frames have come: from there on none is missed. Whether they have; not if the socket has left the topic
    /// or closes.
    pub(crate) async fn begun(&self, topic: Topic) -> bool {
        loop {
            let begun = self.begun.notified();
            if self.link.is_over() {
                return false;
            }
            match self.topics.borrow().get(&topic) {
                None => return false,
                Some(reader) if reader.has_begun => return true,
                Some(_) => {}
            }
            begun.await;
        }
    }

    /// Lets what waits leave, and nothing more until [`Member::resume`].
    pub(crate) fn hold(&self) {
        self.queue.borrow_mut().hold();
    }

    /// Whether it closes, or has ended.
    pub(crate) fn is_over(&self) -> bool {
        self.link.is_over()
    }

    /// Bytes that wait and count against the bound.
    pub(crate) fn queued(&self) -> usize {
        self.queue.borrow().bytes()
    }

    /// All bytes that it keeps.
    pub(crate) fn weight(&self) -> usize {
        self.queue.borrow().weight()
    }

    /// Drops what waits.
    pub(crate) fn forget(&self) {
        self.add(Queue::clear);
    }

    /// Lets frames leave: what waited already, then these, each with whether it is numbered, then what came since, without the events of
    /// orders up to `known`.
    pub(crate) fn resume(&self, first: Vec<(Arc<Frame>, bool)>, known: u64) {
        self.add(|queue| queue.resume(first, known));
    }

    /// Stops to read a topic. Whether it did.
    pub(crate) fn unsubscribe(&self, topic: Topic) -> bool {
        let found = self.topics.borrow_mut().remove(&topic).is_some();
        if found {
            self.local.leave(self.id, topic);
            self.begun.notify_waiters();
        }
        found
    }

    fn add(&self, push: impl FnOnce(&mut Queue)) {
        if self.link.is_over() {
            return;
        }
        let mut queue = self.queue.borrow_mut();
        let before = queue.own();
        push(&mut queue);
        self.budget.change(before, queue.own());
        if queue.bytes() > self.budget.of_socket {
            drop(queue);
            self.give_up();
            return;
        }
        self.entry.note(&queue);
        drop(queue);
        self.link.wake();
        if self.budget.is_exceeded() {
            self.local.registry.relieve();
        }
    }

    /// Has a fault on the way to its client.
    fn suffer(&self, fault: SocketFault) {
        match fault {
            SocketFault::Drop => self.link.cut(),
            SocketFault::Stall => self.link.stall(true),
            SocketFault::Resume => self.link.stall(false),
            SocketFault::Skip(frames) => self.queue.borrow_mut().disturb(frames, 0),
            SocketFault::Duplicate(frames) => self.queue.borrow_mut().disturb(0, frames),
        }
    }

    /// Closes the socket of a client that reads too slowly. It leaves the list at once.
    fn give_up(&self) {
        let mut queue = self.queue.borrow_mut();
        let before = queue.own();
        queue.clear();
        self.budget.change(before, queue.own());
        drop(queue);
        self.local.registry.remove(self.id);
        self.link.close(Code::Policy);
        self.begun.notify_waiters();
    }
}

/// A socket's membership of its thread, which ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Membership(Rc<Member>);

impl Membership {
    /// The socket.
    pub(crate) fn member(&self) -> Rc<Member> {
        Rc::clone(&self.0)
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        let member = &self.0;
        let local = &member.local;
        local.members.borrow_mut().remove(&member.id);
        local.registry.remove(member.id);
        for topic in std::mem::take(&mut *member.topics.borrow_mut()).into_keys() {
            local.leave(member.id, topic);
        }
        member.budget.change(member.queue.borrow().own(), 0);
    }
}

/// The sockets of this thread.
#[derive(Debug)]
pub(crate) struct Local {
    thread: ThreadId,
    asks: Arc<Asks>,
    registry: Arc<Registry>,
    postbox: Arc<Postbox>,
    members: RefCell<HashMap<SocketId, Rc<Member>>>,
    readers: RefCell<HashMap<Topic, BTreeSet<SocketId>>>,
    /// How many subscriptions there have been.
    numbers: Cell<u64>,
}

thread_local! {
    static LOCAL: RefCell<Option<Rc<Local>>> = const { RefCell::new(None) };
}

/// How many threads have had sockets.
static THREADS: AtomicUsize = AtomicUsize::new(0);

impl Local {
    /// The sockets of the calling thread, which runs local tasks. The first call makes their distribution such a task.
    pub(crate) fn of_thread(asks: &Arc<Asks>, registry: &Arc<Registry>) -> Rc<Self> {
        LOCAL.with_borrow_mut(|local| {
            if let Some(known) = local.as_ref().filter(|known| Arc::ptr_eq(&known.asks, asks)) {
                return Rc::clone(known);
            }
            let new = Self::new(ThreadId(THREADS.fetch_add(1, Ordering::Relaxed)), asks, registry);
            tokio::task::spawn_local(Rc::clone(&new).distribute(Arc::clone(&new.postbox)));
            *local = Some(Rc::clone(&new));
            new
        })
    }

    /// The sockets of a thread; the caller distributes its posts.
    pub(crate) fn new(thread: ThreadId, asks: &Arc<Asks>, registry: &Arc<Registry>) -> Rc<Self> {
        let postbox = Arc::new(Postbox::default());
        asks.put(Ask::Thread(thread, Arc::clone(&postbox)));
        Rc::new(Self {
            thread,
            asks: Arc::clone(asks),
            registry: Arc::clone(registry),
            postbox,
            members: RefCell::default(),
            readers: RefCell::default(),
            numbers: Cell::new(0),
        })
    }

    /// Gives the frames that are there to the sockets.
    pub(crate) fn distribute_now(&self) {
        loop {
            let posts = self.postbox.take_now();
            if posts.is_empty() {
                return;
            }
            for post in posts {
                self.hand_out(post);
            }
        }
    }

    /// Adds a socket.
    pub(crate) fn enter(
        self: Rc<Self>,
        id: SocketId,
        link: Rc<Link>,
        queue: Queue,
        budget: Arc<Budget>,
        (kind, key, cancels): (StreamKind, Option<String>, bool),
    ) -> Membership {
        let entry = Arc::new(Entry::new(kind, key, cancels, Arc::clone(&self.postbox)));
        self.registry.add(id, Arc::clone(&entry));
        let member = Rc::new(Member {
            id,
            link,
            queue: RefCell::new(queue),
            budget,
            topics: RefCell::default(),
            local: Rc::clone(&self),
            entry,
            begun: Notify::new(),
        });
        self.members.borrow_mut().insert(id, Rc::clone(&member));
        Membership(member)
    }

    /// Gives the frames of the hub to the sockets.
    async fn distribute(self: Rc<Self>, postbox: Arc<Postbox>) {
        loop {
            for post in postbox.take().await {
                self.hand_out(post);
            }
            // The thread's sockets write what they were given, and its other connections have their turn.
            tokio::task::yield_now().await;
        }
    }

    fn hand_out(&self, post: Post) {
        match post {
            Post::First(subscription, frames) => {
                let Some(member) = self.member(subscription.socket) else { return };
                // It may have left the topic by now.
                if member.has_first(subscription) {
                    member.add(|queue| queue.push_first(subscription.topic, frames));
                }
            }
            Post::All(topic, frame) => {
                let add = |member: &Member| member.add(|queue| queue.push_of(topic, &frame));
                self.each(topic, |reader| reader.has_begun, add);
            }
            Post::Fault(id, fault) => {
                if let Some(member) = self.member(id) {
                    member.suffer(fault);
                }
            }
            Post::Lost(topic) => self.each(topic, |_| true, Member::give_up),
            Post::Relieve(id) => {
                if let Some(member) = self.member(id) {
                    member.give_up();
                    if member.budget.is_exceeded() {
                        self.registry.relieve();
                    }
                }
            }
        }
    }

    /// Acts on each reader of a topic that is meant.
    fn each(&self, topic: Topic, is_meant: impl Fn(&Reader) -> bool, act: impl Fn(&Member)) {
        let (members, readers) = (self.members.borrow(), self.readers.borrow());
        let Some(readers) = readers.get(&topic) else { return };
        for member in readers.iter().filter_map(|id| members.get(id)) {
            if member.topics.borrow().get(&topic).is_some_and(&is_meant) {
                act(member);
            }
        }
    }

    fn next_number(&self) -> u64 {
        self.numbers.set(self.numbers.get() + 1);
        self.numbers.get()
    }

    fn member(&self, id: SocketId) -> Option<Rc<Member>> {
        self.members.borrow().get(&id).cloned()
    }

    fn leave(&self, id: SocketId, topic: Topic) {
        let mut all = self.readers.borrow_mut();
        if let Some(readers) = all.get_mut(&topic) {
            readers.remove(&id);
            if readers.is_empty() {
                all.remove(&topic);
            }
        }
        self.asks.put(Ask::Unsubscribe(self.thread, topic));
    }
}

#[cfg(test)]
mod tests;
