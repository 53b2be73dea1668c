//! The figures of the last hour, a point a minute, for the page of operators. One serving thread takes them.

use crate::meters::{Figures, Meters};
use buttonwood_sequencer::Exchange;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

/// From one point to the next.
const STEP: Duration = Duration::from_mins(1);
/// Points that are kept.
const POINTS: usize = 60;

/// The figures of a minute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// Its end by the machine's clock, in milliseconds since 1970: a manual clock of the exchange may stand.
    pub time_ms: u64,
    /// Requests that place orders and were answered.
    pub orders: u64,
    /// Requests that were refused.
    pub refusals: u64,
    /// Commands that were published.
    pub commands: u64,
    /// Open connections at the end.
    pub connections: u64,
    /// A time in nanoseconds that half of the orders' answers took at most; none without an order.
    pub p50: Option<u64>,
    /// The same of 99 in a hundred.
    pub p99: Option<u64>,
}

impl Point {
    fn between(before: &Figures, now: &Figures, time_ms: u64) -> Self {
        let times = now.times.since(&before.times);
        Self {
            time_ms,
            orders: times.count(),
            refusals: now.refusals.saturating_sub(before.refusals),
            commands: now.seq.saturating_sub(before.seq),
            connections: now.connections,
            p50: times.quantile(50),
            p99: times.quantile(99),
        }
    }
}

/// The last reading, and the points of an hour.
#[derive(Debug, Default)]
struct Taken {
    last: Option<Figures>,
    points: VecDeque<Point>,
}

/// The figures of the last hour.
#[derive(Debug, Default)]
pub(crate) struct Hour {
    taken: Mutex<Taken>,
    has_watcher: AtomicBool,
}

impl Hour {
    /// The points, the oldest first.
    pub(crate) fn points(&self) -> Vec<Point> {
        self.taken.lock().points.iter().cloned().collect()
    }

    /// Takes a point each minute for ever, if no other thread does.
    pub(crate) async fn watch(self: Arc<Self>, meters: Arc<Meters>, exchange: Exchange) {
        if self.has_watcher.swap(true, Ordering::Relaxed) {
            return;
        }
        loop {
            // Nothing is counted before an operator wants figures.
            if meters.switch.is_on() {
                self.take(meters.figures(&exchange));
            }
            tokio::time::sleep(STEP).await;
        }
    }

    /// Adds the point since the last reading; the first reading begins the first minute.
    fn take(&self, now: Figures) {
        let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let time_ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let mut taken = self.taken.lock();
        if let Some(point) = taken.last.as_ref().map(|last| Point::between(last, &now, time_ms)) {
            if taken.points.len() >= POINTS {
                taken.points.pop_front();
            }
            taken.points.push_back(point);
        }
        taken.last = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttonwood_metrics::{Tally, Unit};

    /// A point has what came since the last one, and an hour of them is kept.
    #[test]
    fn points_are_differences() {
        let hour = Hour::default();
        let mut now = Figures { seq: 10, refusals: 3, connections: 1, times: Tally::new(Unit::Seconds) };
        hour.take(now.clone());
        assert_eq!(hour.points(), [], "a minute has two ends");
        for minute in 1..=70 {
            now.times.add(1_500, 2);
            (now.seq, now.refusals, now.connections) = (now.seq + 5, now.refusals + minute, minute);
            hour.take(now.clone());
        }
        let points = hour.points();
        assert_eq!((points.len(), points[0].refusals, points[59].refusals), (60, 11, 70));
        let last = &points[59];
        assert_eq!((last.orders, last.commands, last.connections), (2, 5, 70));
        assert_eq!((last.p50, last.p99), (Some(2_000), Some(2_000)));
    }
}
