//! Answers on their way to the callers of one serving thread.
//!
//! A caller elsewhere waits on a channel of its own. A serving thread has hundreds of callers, and waking it costs a
//! system call: so its answers are put into one mailbox, it is woken once a batch, and hands them out itself.

use crate::shared::Shared;
use crate::writer::batch::Receipt;
use parking_lot::Mutex;
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};
use tokio::sync::{Notify, oneshot};

/// Where the answers of one thread arrive.
#[derive(Debug, Default)]
pub(crate) struct Mailbox {
    /// Tickets with their answers; none when the exchange stopped before it took the command.
    answers: Mutex<Vec<(usize, Option<Receipt>)>>,
    arrived: Notify,
    /// Whether the thread has left commands in the queue for after the sync in flight.
    has_deferred: AtomicBool,
}

impl Mailbox {
    /// Wakes the thread.
    pub(crate) fn wake(&self) {
        self.arrived.notify_one();
    }

    /// Notes that the thread has left commands in the queue; `true` if that was not known.
    pub(crate) fn defer(&self) -> bool {
        !self.has_deferred.swap(true, Ordering::SeqCst)
    }

    /// Forgets it.
    pub(crate) fn resume(&self) {
        self.has_deferred.store(false, Ordering::SeqCst);
    }
}

/// How the answer to a command gets back to whoever submitted it.
#[derive(Debug)]
pub(crate) enum Reply {
    /// Over a channel.
    Channel(oneshot::Sender<Receipt>),
    /// Through the mailbox of the caller's thread.
    Mailbox(Ticket),
}

/// A caller's place in its thread's mailbox. Dropped without an answer, it says that there will be none; but not while a
/// thread panics, since nobody knows then what has become of the command.
#[derive(Debug)]
pub(crate) struct Ticket {
    mailbox: Arc<Mailbox>,
    number: usize,
    is_answered: bool,
}

impl Reply {
    /// Sends the answer; the thread of a mailbox must be woken afterwards, once for all of its answers.
    pub(crate) fn send(self, receipt: Receipt, to_wake: &mut Vec<Arc<Mailbox>>) {
        match self {
            // A caller who has gone away needs no answer.
            Self::Channel(sender) => drop(sender.send(receipt)),
            Self::Mailbox(mut ticket) => {
                ticket.is_answered = true;
                ticket.mailbox.answers.lock().push((ticket.number, Some(receipt)));
                wake_later(to_wake, Arc::clone(&ticket.mailbox));
            }
        }
    }
}

/// Notes that a thread must be woken.
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

/// What a caller of this thread is doing.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "places are reused, and boxing an answer would allocate each time"
)]
enum Caller {
    /// There is none at this place.
    Free,
    /// It waits.
    Waits(Option<Waker>),
    /// Its answer is here.
    Answered(Option<Receipt>),
    /// It has gone away before the answer came.
    Gone,
}

/// The callers of one serving thread.
#[derive(Debug, Default)]
struct ServingThread {
    mailbox: Arc<Mailbox>,
    /// Submissions so far.
    submitted: Cell<u64>,
    /// There is something in the queue that nobody may have seen to.
    has_work: Notify,
    callers: RefCell<Vec<Caller>>,
    free: RefCell<Vec<usize>>,
}

thread_local! {
    static SERVING_THREAD: RefCell<Option<Rc<ServingThread>>> = const { RefCell::new(None) };
}

/// Notes a submission if this thread is a serving one, where they gather before they are decided.
pub(crate) fn note_submission() -> bool {
    SERVING_THREAD.with_borrow(|thread| {
        if let Some(thread) = thread {
            thread.submitted.set(thread.submitted.get() + 1);
            thread.has_work.notify_one();
        }
        thread.is_some()
    })
}

/// Makes this thread a serving one. The future hands answers out and gathers commands, and runs as long as the thread
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

    /// Has decided what has gathered once another look at the sockets brings no more.
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
    /// A way back to this thread's mailbox if it is a serving one, else over a channel.
    pub(crate) fn new() -> (Reply, Self) {
        SERVING_THREAD.with_borrow(|thread| match thread {
            Some(thread) => {
                let number = thread.enter();
                let ticket = Ticket { mailbox: Arc::clone(&thread.mailbox), number, is_answered: false };
                (
                    Reply::Mailbox(ticket),
                    Self(AnswerSource::Mailbox { thread: Rc::clone(thread), number, is_done: false }),
                )
            }
            None => {
                let (sender, receiver) = oneshot::channel();
                (Reply::Channel(sender), Self(AnswerSource::Channel(receiver)))
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

    /// A command that is dropped was not taken; one that a panic drops may have been.
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
