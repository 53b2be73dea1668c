//! The connections of a serving thread, and what they are told from outside: that the exchange stops, or that they
//! have been silent for too long.
//!
//! All of them are looked at now and then. A timer for each would be set and taken back with every request.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

/// Looks in a row at which a connection gave no sign, after which it is told to leave.
const SILENT_LOOKS: u32 = 2;

/// What a connection is told; a later word includes the earlier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Word {
    /// Nothing yet.
    #[default]
    GoOn,
    /// To end with the request in work.
    Finish,
    /// To end at once.
    Leave,
}

/// One connection, as seen from outside.
#[derive(Debug, Default)]
pub(crate) struct Line {
    word: Cell<Word>,
    waker: RefCell<Option<Waker>>,
    /// Requests begun and pieces of answers that the client took.
    signs: Cell<u64>,
    /// Whether the client waits for us, and not we for the client.
    is_serving: Cell<bool>,
    /// The signs at the last look, and the looks since the last new one.
    seen: Cell<(u64, u32)>,
}

impl Line {
    /// A whole request has come.
    pub(crate) fn begin(&self) {
        self.is_serving.set(true);
        self.sign();
    }

    /// Its answer is made.
    pub(crate) fn end(&self) {
        self.is_serving.set(false);
        self.sign();
    }

    /// The client has taken something.
    pub(crate) fn sign(&self) {
        self.signs.set(self.signs.get() + 1);
    }

    /// The next word after `known`.
    pub(crate) async fn told_after(&self, known: Word) -> Word {
        poll_fn(|context| {
            let word = self.word.get();
            if word > known {
                return Poll::Ready(word);
            }
            let mut waker = self.waker.borrow_mut();
            if !waker.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) {
                *waker = Some(context.waker().clone());
            }
            Poll::Pending
        })
        .await
    }

    fn tell(&self, word: Word) {
        self.word.set(self.word.get().max(word));
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    fn is_silent(&self) -> bool {
        let signs = self.signs.get();
        let (before, looks) = self.seen.get();
        let looks = if signs == before && !self.is_serving.get() { looks + 1 } else { 0 };
        self.seen.set((signs, looks));
        looks >= SILENT_LOOKS
    }
}

/// The connections of one thread.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    open: RefCell<BTreeMap<u64, Rc<Line>>>,
    last: Cell<u64>,
    /// What every new connection is told.
    word: Cell<Word>,
}

impl Lines {
    /// How many are open.
    pub(crate) fn open(&self) -> usize {
        self.open.borrow().len()
    }

    /// Another one, and the number it leaves by.
    pub(crate) fn enter(&self) -> (u64, Rc<Line>) {
        let number = self.last.get() + 1;
        self.last.set(number);
        let line = Rc::new(Line::default());
        // To have come is a sign too.
        line.sign();
        line.tell(self.word.get());
        self.open.borrow_mut().insert(number, Rc::clone(&line));
        (number, line)
    }

    /// One has ended.
    pub(crate) fn leave(&self, number: u64) {
        self.open.borrow_mut().remove(&number);
    }

    /// Tells all, and those to come, to end with the request in work.
    pub(crate) fn finish(&self) {
        self.word.set(Word::Finish);
        self.open.borrow().values().for_each(|line| line.tell(Word::Finish));
    }

    /// Looks at all, and tells those to leave that gave no sign at several looks in a row.
    pub(crate) fn look(&self) {
        self.open.borrow().values().filter(|line| line.is_silent()).for_each(|line| line.tell(Word::Leave));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(lines: &[&Line]) -> Vec<Word> {
        lines.iter().map(|line| line.word.get()).collect()
    }

    /// Whoever sends no request and takes no answer is told to leave; whoever waits for us is not.
    #[test]
    fn the_silent_are_told_to_leave() {
        let lines = Lines::default();
        let [silent, waiting, slow] = [(); 3].map(|()| lines.enter().1);
        waiting.begin();
        slow.begin();
        slow.end();
        for _ in 0..SILENT_LOOKS {
            slow.sign();
            lines.look();
        }
        assert_eq!(words(&[&silent, &waiting, &slow]), [Word::GoOn; 3]);
        slow.sign();
        lines.look();
        assert_eq!(words(&[&silent, &waiting, &slow]), [Word::Leave, Word::GoOn, Word::GoOn]);
        waiting.end();
        for _ in 0..=SILENT_LOOKS {
            lines.look();
        }
        assert_eq!(words(&[&waiting, &slow]), [Word::Leave, Word::Leave]);
    }

    /// The end of the exchange reaches those that are open and those that come later, and hides no earlier word.
    #[test]
    fn all_are_told_of_the_end() {
        let lines = Lines::default();
        let (number, open) = lines.enter();
        let (_, cut) = lines.enter();
        cut.tell(Word::Leave);
        lines.finish();
        let (_, late) = lines.enter();
        assert_eq!(words(&[&open, &cut, &late]), [Word::Finish, Word::Leave, Word::Finish]);
        lines.leave(number);
        assert_eq!(lines.open(), 2);
    }

    /// A word wakes whoever waits for one.
    #[tokio::test]
    async fn a_word_wakes() {
        let lines = Lines::default();
        let (_, line) = lines.enter();
        let told = line.told_after(Word::GoOn);
        let tell = async {
            tokio::task::yield_now().await;
            lines.finish();
        };
        let (word, ()) = tokio::join!(told, tell);
        assert_eq!(word, Word::Finish);
    }
}
