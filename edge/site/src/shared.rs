//! A text that all clients share, so that many who want it at once cost no more than one.

use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// A text that is made again when the last one is older than a given time, or of another second of the
/// exchange's clock.
#[derive(Debug)]
pub(crate) struct Shared {
    lasts: Duration,
    newest: Mutex<Option<Made>>,
}

/// A text with the moments at which its making began.
#[derive(Debug)]
struct Made {
    /// By real time.
    at: Instant,
    /// By the exchange's clock, which a sandbox may stop or move.
    second: u64,
    text: String,
}

impl Shared {
    pub(crate) fn new(lasts: Duration) -> Self {
        Self { lasts, newest: Mutex::new(None) }
    }

    /// The text of the last caller, if it is new enough; otherwise the one that `make` gives. Callers wait
    /// for a text that is being made, and share one that was begun after they came, however long it took: it
    /// is as new as one of their own. `second` reads the exchange's clock.
    pub(crate) async fn get(
        &self,
        second: impl FnOnce() -> u64,
        make: impl Future<Output = String>,
    ) -> Vec<u8> {
        let came = Instant::now();
        let mut newest = self.newest.lock().await;
        let (at, second) = (Instant::now(), second());
        let is_new = |made: &&Made| {
            let lasts = at.saturating_duration_since(made.at) < self.lasts;
            made.at > came || (lasts && made.second == second)
        };
        if let Some(made) = newest.as_ref().filter(is_new) {
            return made.text.clone().into_bytes();
        }
        let text = make.await;
        *newest = Some(Made { at, second, text: text.clone() });
        text.into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    /// A time for which a text lasts all through a test.
    const LONG: Duration = Duration::from_hours(1);

    fn now<T>(future: impl Future<Output = T>) -> Option<T> {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => Some(value),
            Poll::Pending => None,
        }
    }

    /// The texts of callers at these seconds of the exchange's clock, each with the number of its making.
    fn texts(shared: &Shared, seconds: &[u64]) -> Vec<String> {
        let count = Cell::new(0);
        let make = || async {
            count.set(count.get() + 1);
            count.get().to_string()
        };
        let get = |second: &u64| {
            String::from_utf8(now(shared.get(|| *second, make())).expect("it does not wait")).unwrap()
        };
        seconds.iter().map(get).collect()
    }

    #[test]
    fn a_text_is_made_once_while_it_lasts() {
        assert_eq!(texts(&Shared::new(LONG), &[7; 3]), ["1"; 3]);
        assert_eq!(texts(&Shared::new(Duration::ZERO), &[7; 3]), ["1", "2", "3"]);
    }

    /// A manual clock moves many seconds in none of real time.
    #[test]
    fn a_text_of_another_second_of_the_exchange_is_not_shown() {
        assert_eq!(texts(&Shared::new(LONG), &[7, 7, 8, 8, 90_000, 7]), ["1", "1", "2", "2", "3", "4"]);
    }

    /// A caller waits for the text that another is making, and makes it itself if the other gives up.
    #[test]
    fn callers_wait_for_the_one_that_makes_it() {
        let shared = Shared::new(LONG);
        let mut first = Box::pin(shared.get(|| 1, std::future::pending()));
        assert!(first.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        assert_eq!(now(shared.get(|| 1, async { "second".to_owned() })), None);
        drop(first);
        assert_eq!(now(shared.get(|| 1, async { "third".to_owned() })), Some(b"third".to_vec()));
    }

    /// Two callers wait while an old text is made: one of them makes the next, which the other shares
    /// although it lasts no time and the exchange's second is over.
    #[test]
    fn a_text_begun_after_a_caller_came_is_shared() {
        let shared = Shared::new(Duration::ZERO);
        let context = &mut Context::from_waker(Waker::noop());
        let mut first = Box::pin(shared.get(|| 1, std::future::pending()));
        assert!(first.as_mut().poll(context).is_pending());
        let mut second = Box::pin(shared.get(|| 1, async { "second".to_owned() }));
        let mut third = Box::pin(shared.get(|| 2, async { "third".to_owned() }));
        assert!(second.as_mut().poll(context).is_pending() && third.as_mut().poll(context).is_pending());
        drop(first);
        assert_eq!(second.as_mut().poll(context), Poll::Ready(b"second".to_vec()));
        assert_eq!(third.as_mut().poll(context), Poll::Ready(b"second".to_vec()));
    }
}
