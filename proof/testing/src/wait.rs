//! A wait for an event in place of a sleep: between two looks at whether something has happened.

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
    let deadline = Instant::now() + PATIENCE;
    while !is_done() {
        assert!(Instant::now() < deadline, "it never came: {what}");
        std::thread::sleep(PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
