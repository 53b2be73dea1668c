//! A text that all clients share, so that many who want it at once cost no more than one.

use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// A text that is made again only when the last one is older than a given time.
#[derive(Debug)]
pub(crate) struct Shared {
    lasts: Duration,
    newest: Mutex<Option<(Instant, String)>>,
}

impl Shared {
    pub(crate) fn new(lasts: Duration) -> Self {
        Self { lasts, newest: Mutex::new(None) }
    }

    /// The text of the last caller, if it is new enough; otherwise the one that `make` gives. Callers wait for a text that is being
    /// made.
    pub(crate) async fn get(&self, make: impl Future<Output = String>) -> Vec<u8> {
        let mut newest = self.newest.lock().await;
        if let Some((_, text)) = newest.as_ref().filter(|(at, _)| at.elapsed() < self.lasts) {
            return text.clone().into_bytes();
        }
        let text = make.await;
        *newest = Some((Instant::now(), text.clone()));
        text.into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    fn now<T>(future: impl Future<Output = T>) -> Option<T> {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => Some(value),
            Poll::Pending => None,
        }
    }

    /// The texts of three callers, and how often one was made.
    fn three(shared: &Shared) -> (Vec<String>, u32) {
        let count = Cell::new(0);
        let make = || async {
            count.set(count.get() + 1);
            count.get().to_string()
        };
        let get = |_| String::from_utf8(now(shared.get(make())).expect("it does not wait")).unwrap();
        ((0..3).map(get).collect(), count.get())
    }

    #[test]
    fn a_text_is_made_once_while_it_lasts() {
        assert_eq!(three(&Shared::new(Duration::from_hours(1))), (vec!["1".to_owned(); 3], 1));
        let anew = ["1", "2", "3"].map(str::to_owned).to_vec();
        assert_eq!(three(&Shared::new(Duration::ZERO)), (anew, 3));
    }

    /// A caller waits for the text that another is making, and makes it itself if the other gives up.
    #[test]
    fn callers_wait_for_the_one_that_makes_it() {
        let shared = Shared::new(Duration::from_hours(1));
        let mut first = Box::pin(shared.get(std::future::pending()));
        assert!(first.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        assert_eq!(now(shared.get(async { "second".to_owned() })), None);
        drop(first);
        assert_eq!(now(shared.get(async { "third".to_owned() })), Some(b"third".to_vec()));
    }
}
