//! Connections whose request has not come yet. They take no place of a command; when too many wait, the one that has waited longest
//! makes room for the next, once it has sent no request for two seconds.

use super::places::ARRIVING;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::{Notify, oneshot};
use tokio::time::{Instant, sleep_until};

/// How long a connection may take when others want its room.
const SILENCE: Duration = Duration::from_secs(2);

/// A connection that waits.
#[derive(Debug)]
struct Waiting {
    number: u64,
    since: Instant,
    /// Dropping it ends the connection.
    _end: oneshot::Sender<()>,
}

/// All connections that wait, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    waiting: RefCell<VecDeque<Waiting>>,
    numbers: Cell<u64>,
    left: Notify,
}

/// One connection among those that wait; dropping it leaves them.
#[derive(Debug)]
pub(super) struct Arrival {
    arrivals: Rc<Arrivals>,
    number: u64,
    end: oneshot::Receiver<()>,
}

impl Arrivals {
    /// Waits until there is room for one more, and ends the oldest for it where it must.
    pub(super) async fn room(&self) {
        loop {
            let oldest = {
                let waiting = self.waiting.borrow();
                if waiting.len() < ARRIVING {
                    return;
                }
                waiting.front().map(|oldest| oldest.since + SILENCE)
            };
            let Some(end) = oldest else { return };
            tokio::select! {
                () = self.left.notified() => {}
                () = sleep_until(end) => drop(self.waiting.borrow_mut().pop_front()),
            }
        }
    }

    /// A connection that was accepted.
    pub(super) fn enter(self: &Rc<Self>) -> Arrival {
        let number = self.numbers.get();
        self.numbers.set(number.wrapping_add(1));
        let (sender, end) = oneshot::channel();
        self.waiting.borrow_mut().push_back(Waiting { number, since: Instant::now(), _end: sender });
        Arrival { arrivals: Rc::clone(self), number, end }
    }
}

impl Arrival {
    /// Waits until the connection has to make room for another one.
    pub(super) async fn ended(&mut self) {
        // Nothing is ever sent.
        let _ = (&mut self.end).await;
    }
}

impl Drop for Arrival {
    fn drop(&mut self) {
        self.arrivals.waiting.borrow_mut().retain(|waiting| waiting.number != self.number);
        self.arrivals.left.notify_one();
    }
}
