//! The answers to the callers of one serving thread.
//!
//! Callers on other threads wait on a channel each. A serving thread has hundreds of callers, and waking it costs a
//! system call. Its answers are therefore collected in one mailbox. The thread is woken once per batch and distributes
//! them itself.

use crate::shared::Shared;
use crate::writer::receipt::Receipt;
use parking_lot::Mutex;
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Instant;
use tokio::sync::{Notify, oneshot};

/// The mailbox of one serving thread.
#[derive(Debug, Default)]
pub(crate) struct Mailbox {
    /// Ticket numbers with their answers; `None` when the exchange stopped before it took the command.
    answers: Mutex<Vec<(usize, Option<Receipt>)>>,
    arrived: Notify,
    /// Whether the thread has deferred queued commands until after the sync in flight.
    has_deferred: AtomicBool,
}

impl Mailbox {
    /// Wakes the thread.
    pub(crate) fn wake(&self) {
        self.arrived.notify_one();
    }

    /// Notes that the thread deferred commands; `true` if that is new.
    pub(crate) fn defer(&self) -> bool {
        !self.has_deferred.swap(true, Ordering::SeqCst)
    }

    /// Clears that note.
    pub(crate) fn resume(&self) {
        self.has_deferred.store(false, Ordering::SeqCst);
    }
}

/// A caller that waits for the answer to its command.
#[derive(Debug)]
pub(crate) struct Reply {
    to: ReplyTo,
    /// When the command was submitted, if that is measured.
    pub(crate) submitted: Option<Instant>,
}

/// How an answer reaches its caller.
#[derive(Debug)]
enum ReplyTo {
    /// Over a channel.
    Channel(oneshot::Sender<Receipt>),
    /// Through the mailbox of the caller's thread.
    Mailbox(Ticket),
}

/// A caller's place in its thread's mailbox. A ticket dropped without an answer reports that the command was not taken.
/// During a panic it reports nothing, since the fate of the command is then unknown.
#[derive(Debug)]
struct Ticket {
    mailbox: Arc<Mailbox>,
    number: usize,
    is_answered: bool,
}

impl Reply {
    /// A reply over a channel.
    pub(crate) fn over(channel: oneshot::Sender<Receipt>, submitted: Option<Instant>) -> Self {
        Self { to: ReplyTo::Channel(channel), submitted }
    }

    /// Sends the answer. The caller wakes the mailboxes in `to_wake` afterwards, once for all answers.
    pub(crate) fn send(self, receipt: Receipt, to_wake: &mut Vec<Arc<Mailbox>>) {
        match self.to {
            // A caller that disconnected needs no answer.
            ReplyTo::Channel(sender) => drop(sender.send(receipt)),
            ReplyTo::Mailbox(mut ticket) => {
                ticket.is_answered = true;
                ticket.mailbox.answers.lock().push((ticket.number, Some(receipt)));
                wake_later(to_wake, Arc::clone(&ticket.mailbox));
            }
        }
    }
}

/// Adds a mailbox to those to wake.
pub(crate) fn wake_later(to_wake: &mut Vec<Arc<Mailbox>>, mailbox: Arc<Mailbox>) {
    if !to_wake.iter().any(|known| Arc::ptr_eq(known, &mailbox)) {
        to_wake.push(mailbox);
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if !self.is_answered && !std::thread::panicking() {
            self.mailbox.answers.lock().push((self.number, None));
            self.mailbox.wake();
        }
    }
}

/// The state of a caller's place.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "places are reused, and boxing an answer would allocate each time"
)]
enum Caller {
    /// The place is free.
    Free,
    /// The caller waits.
    Waits(Option<Waker>),
    /// The answer has arrived.
    Answered(Option<Receipt>),
    /// The caller disconnected before its answer came.
    Gone,
}

/// A serving thread's callers and their submissions.
#[derive(Debug, Default)]
struct ServingThread {
    mailbox: Arc<Mailbox>,
    /// Submissions so far.
    submitted: Cell<u64>,
    /// The queue may hold commands that no thread has picked up.
    has_work: Notify,
    callers: RefCell<Vec<Caller>>,
    free: RefCell<Vec<usize>>,
}

thread_local! {
    static SERVING_THREAD: RefCell<Option<Rc<ServingThread>>> = const { RefCell::new(None) };
}

/// Counts a submission of a serving thread; `false` on any other thread.
pub(crate) fn note_submission() -> bool {
    SERVING_THREAD.with_borrow(|thread| {
        if let Some(thread) = thread {
            thread.submitted.set(thread.submitted.get() + 1);
            thread.has_work.notify_one();
        }
        thread.is_some()
    })
}

/// Makes this thread a serving thread. The future distributes answers and gathers commands for as long as the thread
/// serves.
pub(crate) fn open(shared: Arc<Shared>) -> impl Future<Output = ()> {
    let thread = Rc::new(ServingThread::default());
    SERVING_THREAD.set(Some(Rc::clone(&thread)));
    async move {
        tokio::join!(thread.hand_out_answers(&shared), thread.gather(&shared));
    }
}

impl ServingThread {
    async fn hand_out_answers(&self, shared: &Shared) {
        loop {
            self.mailbox.arrived.notified().await;
            let answers = std::mem::take(&mut *self.mailbox.answers.lock());
            for (number, receipt) in answers {
                self.hand_out(number, receipt);
            }
            if !shared.queue.is_empty() {
                self.has_work.notify_one();
            }
        }
    }

    /// Decides the gathered commands once another poll of the sockets brings no more.
    async fn gather(&self, shared: &Shared) {
        loop {
            self.has_work.notified().await;
            let mut seen = None;
            while seen.replace(self.submitted.get()) != Some(self.submitted.get()) {
                tokio::task::yield_now().await;
            }
            shared.decide_gathered(&self.mailbox);
        }
    }

    fn enter(&self) -> usize {
        let mut callers = self.callers.borrow_mut();
        if let Some(number) = self.free.borrow_mut().pop()
            && let Some(caller) = callers.get_mut(number)
        {
            *caller = Caller::Waits(None);
            return number;
        }
        callers.push(Caller::Waits(None));
        callers.len() - 1
    }

    fn hand_out(&self, number: usize, receipt: Option<Receipt>) {
        let mut callers = self.callers.borrow_mut();
        let Some(caller) = callers.get_mut(number) else { return };
        match std::mem::replace(caller, Caller::Answered(receipt)) {
            Caller::Waits(Some(waker)) => waker.wake(),
            Caller::Waits(None) => {}
            Caller::Free | Caller::Answered(_) | Caller::Gone => {
                *caller = Caller::Free;
                self.free.borrow_mut().push(number);
            }
        }
    }

    fn poll(&self, number: usize, context: &Context<'_>) -> Poll<Option<Receipt>> {
        let mut callers = self.callers.borrow_mut();
        let Some(caller) = callers.get_mut(number) else { return Poll::Ready(None) };
        if let Caller::Answered(receipt) = caller {
            let receipt = receipt.take();
            *caller = Caller::Free;
            self.free.borrow_mut().push(number);
            return Poll::Ready(receipt);
        }
        *caller = Caller::Waits(Some(context.waker().clone()));
        Poll::Pending
    }

    fn leave(&self, number: usize) {
        let mut callers = self.callers.borrow_mut();
        let Some(caller) = callers.get_mut(number) else { return };
        match caller {
            Caller::Waits(_) => *caller = Caller::Gone,
            Caller::Answered(_) => {
                *caller = Caller::Free;
                self.free.borrow_mut().push(number);
            }
            Caller::Free | Caller::Gone => {}
        }
    }
}

/// The exchange stopped before it took the command: nothing was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// A submitted command's answer, once the command is durable.
#[derive(Debug)]
pub struct Pending(AnswerSource);

#[derive(Debug)]
enum AnswerSource {
    Channel(oneshot::Receiver<Receipt>),
    Mailbox { thread: Rc<ServingThread>, number: usize, is_done: bool },
}

impl Pending {
    /// A mailbox place on a serving thread, a channel on any other.
    pub(crate) fn new(submitted: Option<Instant>) -> (Reply, Self) {
        SERVING_THREAD.with_borrow(|thread| match thread {
            Some(thread) => {
                let number = thread.enter();
                let ticket = Ticket { mailbox: Arc::clone(&thread.mailbox), number, is_answered: false };
                (
                    Reply { to: ReplyTo::Mailbox(ticket), submitted },
                    Self(AnswerSource::Mailbox { thread: Rc::clone(thread), number, is_done: false }),
                )
            }
            None => {
                let (sender, receiver) = oneshot::channel();
                (Reply::over(sender, submitted), Self(AnswerSource::Channel(receiver)))
            }
        })
    }
}

impl Future for Pending {
    type Output = Result<Receipt, Stopped>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            AnswerSource::Channel(receiver) => {
                Pin::new(receiver).poll(context).map(|answer| answer.map_err(|_| Stopped))
            }
            AnswerSource::Mailbox { thread, number, is_done } => {
                thread.poll(*number, context).map(|answer| {
                    *is_done = true;
                    answer.ok_or(Stopped)
                })
            }
        }
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if let AnswerSource::Mailbox { thread, number, is_done: false } = &self.0 {
            thread.leave(*number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// A dropped ticket reports that its command was not taken; a ticket dropped by a panic reports nothing.
    #[test]
    fn a_panic_tells_no_caller_that_nothing_was_done() {
        let mailbox = Arc::new(Mailbox::default());
        let ticket = || Ticket { mailbox: Arc::clone(&mailbox), number: 3, is_answered: false };
        drop(ticket());
        assert!(matches!(mailbox.answers.lock().as_slice(), [(3, None)]));
        mailbox.answers.lock().clear();
        let held = ticket();
        let panicked = catch_unwind(AssertUnwindSafe(move || {
            let _held = held;
            panic!("on purpose");
        }));
        assert!(panicked.is_err() && mailbox.answers.lock().is_empty());
    }
}
