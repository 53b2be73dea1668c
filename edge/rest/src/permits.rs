//! Permits of connections to be open, counted from their acceptance to their end.
//!
//! Each thread counts those it serves; but what it has not looked at yet is an open file too, and in a flood a thread that is
//! busy for some milliseconds is handed hundreds.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many there are, and are taken.
#[derive(Debug)]
pub(crate) struct Permits {
    taken: Arc<AtomicUsize>,
    most: usize,
}

/// One of them, given back when it is dropped. It stands before its stream wherever both are passed on: what comes later is
/// dropped, and so closed, first.
#[derive(Debug)]
pub(crate) struct Permit(Arc<AtomicUsize>);

impl Permits {
    /// So many.
    pub(crate) fn new(most: usize) -> Self {
        Self { taken: Arc::default(), most }
    }

    /// One, if there is one. Only one thread takes them.
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

    /// No more than there are, on whichever thread they are held and given back.
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
