//! Waits for events in place of fixed times, and the two reasons for which a test lets time pass. `cargo xtask tidy` allows no other
//! sleep in a test.

use std::time::{Duration, Instant};

/// How long a test waits for what happens within milliseconds on an idle machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(2);

/// Waits until `is_done` holds, for what another thread or process does by itself.
///
/// # Panics
/// If it does not hold within a minute; the message names `what` never came.
#[track_caller]
pub fn wait_until(what: &str, mut is_done: impl FnMut() -> bool) {
    assert!(comes_within(PATIENCE, &mut is_done), "it never came: {what}");
}

/// Whether `is_done` holds within a time; it is asked at least once.
pub fn comes_within(patience: Duration, mut is_done: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + patience;
    loop {
        if is_done() {
            return true;
        }
        if Instant::now() > deadline {
            return false;
        }
        std::thread::sleep(PAUSE);
    }
}

/// Lets real time pass, where it is what the test is about: a client that keeps to a rate, or a time in which something does not happen
/// by a real clock. `why` says which.
pub fn let_pass(why: &str, time: Duration) {
    assert!(!why.is_empty(), "a reason");
    std::thread::sleep(time);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_come_is_waited_for() {
        let (began, patience) = (Instant::now(), Duration::from_millis(20));
        assert!(!comes_within(patience, || false) && began.elapsed() >= patience);
        let_pass("it passes", patience);
        assert!(began.elapsed() >= 2 * patience && comes_within(Duration::ZERO, || true));
    }

    #[test]
    fn looks_until_it_holds() {
        let mut looks = 0;
        wait_until("the third look", || {
            looks += 1;
            looks == 3
        });
        assert_eq!(looks, 3);
    }
}
