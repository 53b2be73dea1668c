//! Permits of connections to be open, counted from their acceptance to their end.
//!
//! Each thread counts the connections that it serves. A connection in its queue is an open file too: in a flood, a thread that
//! is busy for some milliseconds gets hundreds.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of permits, and of those taken.
#[derive(Debug)]
pub(crate) struct Permits {
    taken: Arc<AtomicUsize>,
    most: usize,
}

/// A permit, given back when it is dropped. It comes before its stream in every tuple
/// and argument list, so that the stream is dropped, and closed, first.
#[derive(Debug)]
pub(crate) struct Permit(Arc<AtomicUsize>);

impl Permits {
    /// This many permits.
    pub(crate) fn new(most: usize) -> Self {
        Self { taken: Arc::default(), most }
    }

    /// Takes a permit, if one is left. Only one thread takes them.
    pub(crate) fn take(&self) -> Option<Permit> {
        if self.taken.load(Ordering::Acquire) >= self.most {
            return None;
        }
        self.taken.fetch_add(1, Ordering::AcqRel);
        Some(Permit(Arc::clone(&self.taken)))
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No more permits are taken than there are, whichever thread holds them and gives them back.
    #[test]
    fn no_more_are_taken_than_there_are() {
        let permits = Permits::new(2);
        let [first, second] = [(); 2].map(|()| permits.take().expect("there is one"));
        assert!(permits.take().is_none());
        std::thread::spawn(move || drop(first)).join().expect("it ends");
        let third = permits.take();
        assert!(third.is_some() && permits.take().is_none());
        drop((second, third));
        assert_eq!([(); 3].map(|()| permits.take()).iter().flatten().count(), 2);
    }
}
