//! The connections of a serving thread, and what they are told from outside: that the exchange stops, that they have been
//! silent for too long, or that answers which nobody takes to their end are too many.
//!
//! All of them are looked at now and then. A timer for each would be set and taken back with every request.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

/// Looks in a row at which a connection gave no sign, after which it is told to leave.
const SILENT_LOOKS: u32 = 2;
/// Bytes of answers that are kept for the clients of a thread together. A full book or all of an account's orders are
/// megabytes: thousands of clients who ask for them and read slowly would otherwise take all the memory there is.
const KEPT_MAX: usize = 64 * 1024 * 1024;

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
    /// Bytes of answers that the client has not taken.
    untaken: Cell<usize>,
    /// Bytes that are kept for it, and how many answers of the thread had been made with the last.
    kept: Cell<usize>,
    answered: Cell<u64>,
    /// The signs at the last look, and the looks since the last new one.
    seen: Cell<(u64, u32)>,
}

impl Line {
    /// A whole request has come.
    pub(crate) fn begin(&self) {
        self.is_serving.set(true);
        self.sign();
    }

    /// Its answer of so many bytes is made.
    fn end(&self, bytes: usize) {
        self.is_serving.set(false);
        // Of those before it only what the connection has copied to write is left.
        let untaken = self.untaken.get() + bytes;
        self.untaken.set(untaken);
        self.kept.set(untaken);
        self.sign();
    }

    /// The client has taken so many bytes. A body is one piece of memory, and stays until its end is taken.
    pub(crate) fn took(&self, bytes: usize) {
        let untaken = self.untaken.get().saturating_sub(bytes);
        self.untaken.set(untaken);
        if untaken == 0 {
            self.kept.set(0);
        }
        self.sign();
    }

    fn sign(&self) {
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
    /// Answers made.
    answers: Cell<u64>,
    /// Bytes of answers made since what is kept was last counted.
    uncounted: Cell<usize>,
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

    /// An answer of so many bytes is made for a connection. Those that leave theirs for longest are told to leave if too much
    /// is kept.
    pub(crate) fn end(&self, line: &Line, bytes: usize) {
        line.end(bytes);
        self.answers.set(self.answers.get() + 1);
        line.answered.set(self.answers.get());
        self.uncounted.set(self.uncounted.get().saturating_add(bytes));
        // To count is work for each connection: seldom, and no answer is so large that this is too seldom.
        if self.uncounted.get() >= KEPT_MAX / 8 {
            self.uncounted.set(0);
            self.make_room(line);
        }
    }

    /// All but `newest`, whose answer was made just now.
    #[cold]
    fn make_room(&self, newest: &Line) {
        let open = self.open.borrow();
        let is_leaving = |line: &Line| line.word.get() == Word::Leave;
        let mut slow: Vec<&Line> = open
            .values()
            .map(|line| &**line)
            .filter(|line| line.kept.get() > 0 && !is_leaving(line))
            .collect();
        let mut kept = slow.iter().map(|line| line.kept.get()).sum::<usize>();
        slow.sort_unstable_by_key(|line| line.answered.get());
        for line in slow.into_iter().filter(|line| !std::ptr::eq(*line, newest)) {
            if kept <= KEPT_MAX {
                return;
            }
            kept -= line.kept.get();
            line.tell(Word::Leave);
        }
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
        slow.end(0);
        for _ in 0..SILENT_LOOKS {
            slow.took(1);
            lines.look();
        }
        assert_eq!(words(&[&silent, &waiting, &slow]), [Word::GoOn; 3]);
        slow.took(1);
        lines.look();
        assert_eq!(words(&[&silent, &waiting, &slow]), [Word::Leave, Word::GoOn, Word::GoOn]);
        waiting.end(0);
        for _ in 0..=SILENT_LOOKS {
            lines.look();
        }
        assert_eq!(words(&[&waiting, &slow]), [Word::Leave, Word::Leave]);
    }

    /// Of answers that nobody takes only so much is kept: who has left one for longest goes first, and whoever takes them
    /// stays.
    #[test]
    fn who_leaves_too_much_untaken_is_told_to_leave() {
        const LARGE: usize = KEPT_MAX / 4;
        let lines = Lines::default();
        let [taking, first, second, third] = [(); 4].map(|()| lines.enter().1);
        let all = || words(&[&taking, &first, &second, &third]);
        for _ in 0..100 {
            lines.end(&taking, LARGE);
            taking.took(LARGE);
        }
        lines.end(&taking, 1);
        for line in [&first, &second, &third] {
            lines.end(line, LARGE);
        }
        assert_eq!(all(), [Word::GoOn; 4]);
        lines.end(&second, LARGE);
        assert_eq!(all(), [Word::Leave, Word::GoOn, Word::GoOn, Word::GoOn]);
        lines.end(&third, 2 * LARGE);
        assert_eq!(all(), [Word::Leave, Word::Leave, Word::Leave, Word::GoOn]);
        lines.end(&third, 100 * LARGE);
        assert_eq!(third.word.get(), Word::GoOn, "one that alone is too large is told all the same");
    }

    /// An answer is kept whole until its end is taken, and counts as much: who leaves but the last byte of each has no less kept.
    /// One that follows it counts with what is left of it.
    #[test]
    fn who_leaves_the_end_of_an_answer_has_all_of_it_kept() {
        const LARGE: usize = KEPT_MAX / 4;
        let lines = Lines::default();
        let crowd = [(); 6].map(|()| lines.enter().1);
        for line in &crowd {
            lines.end(line, LARGE);
            line.took(LARGE - 1);
        }
        let all = || words(&crowd.each_ref().map(|line| &**line));
        assert_eq!(all(), [Word::Leave, Word::Leave, Word::GoOn, Word::GoOn, Word::GoOn, Word::GoOn]);
        let asking = lines.enter().1;
        lines.end(&asking, 1);
        for _ in 0..100 {
            asking.end(LARGE);
            asking.took(LARGE);
        }
        assert_eq!((asking.untaken.get(), asking.kept.get()), (1, LARGE + 1));
        asking.took(1);
        assert_eq!(asking.kept.get(), 0);
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
