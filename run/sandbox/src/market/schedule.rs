//! When simulated traders act: in beats at fixed times of the exchange's clock, however it is moved.

use buttonwood_model::Time;

/// Seconds between two beats.
pub(crate) const BEAT: u64 = 4;
/// Beats that one move of a manual clock carries out at most: those of an hour. A longer move carries out every second beat, or every
/// fourth, and so on.
const BEATS_MAX: u64 = 3_600 / BEAT;

/// The first beat after a moment.
pub fn next_beat(after: Time) -> Time {
    beat_after(after, BEAT)
}

/// The beats that a move of a manual clock carries out: after `from`, up to `to`.
pub fn beats(from: Time, to: Time) -> impl Iterator<Item = Time> {
    let moved = to.seconds().saturating_sub(from.seconds());
    let mut length = BEAT;
    while moved / length > BEATS_MAX {
        length = length.saturating_mul(2);
    }
    std::iter::successors(Some(beat_after(from, length)), move |beat| Some(beat_after(*beat, length)))
        .take_while(move |beat| *beat <= to)
}

fn beat_after(after: Time, length: u64) -> Time {
    Time(after.seconds().saturating_div(length).saturating_add(1).saturating_mul(length * Time::SECOND))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A move up to an hour has the same beats in whatever steps it is made; the longest has no more than an hour has.
    #[test]
    fn beats_do_not_depend_on_the_steps_of_a_move() {
        let start = Time(1_800_000_001_500_000);
        let at_once: Vec<Time> = beats(start, start.plus(3_600 * Time::SECOND)).collect();
        assert_eq!(at_once.len(), 900);
        for step in [1, 7, 60, 500_000] {
            let step = step * Time::SECOND / 10;
            let mut now = start;
            let mut seen = Vec::new();
            while now < start.plus(3_600 * Time::SECOND) {
                let to = now.plus(step).min(start.plus(3_600 * Time::SECOND));
                seen.extend(beats(now, to));
                now = to;
            }
            assert_eq!(seen, at_once, "{step}");
        }
        for days in [1, 30, 36_600] {
            let beats: Vec<Time> = beats(start, start.plus(days * 86_400 * Time::SECOND)).collect();
            assert!((450..=901).contains(&beats.len()), "{days}: {}", beats.len());
            assert!(beats.iter().all(|beat| beat.seconds().is_multiple_of(BEAT)));
        }
    }
}
