//! Documents with a time, with a modification time, and with neither.

use super::*;

const NOW: u64 = 1_764_356_400;

fn fetched(text: &str, modified: Option<u64>) -> Fetched {
    let modified = modified.map(|seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
    Fetched { bytes: text.into(), modified }
}

/// A clock of the machine: seconds after its start.
fn clock() -> impl Fn(u64) -> Moment {
    let instant = Instant::now();
    move |seconds| {
        let passed = Duration::from_secs(seconds);
        Moment { time: SystemTime::UNIX_EPOCH + Duration::from_secs(NOW) + passed, instant: instant + passed }
    }
}

fn seconds(age: Result<Duration, &str>) -> Option<u64> {
    age.ok().map(|age| age.as_secs())
}

/// A document that names its time is as old as that, whatever changed; up to 5 seconds ahead it is of now.
#[test]
fn a_time_is_an_age() {
    let (at, mut watch) = (clock(), Watch::new(true));
    for (ahead, age) in
        [(-59_999, Some(59)), (-60_000, None), (-1_500, Some(1)), (0, Some(0)), (5_000, Some(0))]
    {
        let millis = (NOW * 1_000).checked_add_signed(ahead).unwrap();
        let found = watch.age(fetched("{}", Some(NOW)), Some(millis), at(0));
        assert_eq!(seconds(found), age, "{ahead}");
    }
    for (millis, words) in [(NOW * 1_000 + 5_001, "ahead"), (u64::MAX, "ahead"), (0, "a minute ago")] {
        let refused = watch.age(fetched("{}", None), Some(millis), at(0)).unwrap_err();
        assert!(refused.contains(words), "{refused}");
    }
}

/// A document without a time counts while it or its modification time changes within the minute: a file of 1970 never does.
#[test]
fn what_does_not_change_grows_old() {
    let at = clock();
    let mut watch = Watch::new(false);
    assert_eq!(seconds(watch.age(fetched("a", Some(0)), None, at(0))), None, "of 1970");
    assert_eq!(seconds(watch.age(fetched("b", Some(0)), None, at(5))), Some(0), "the content changed");
    assert_eq!(seconds(watch.age(fetched("b", Some(0)), None, at(64))), Some(59));
    assert_eq!(seconds(watch.age(fetched("b", Some(0)), None, at(65))), None);
    assert_eq!(
        seconds(watch.age(fetched("b", Some(NOW + 60)), None, at(66))),
        Some(0),
        "the file was touched"
    );
    assert_eq!(seconds(watch.age(fetched("b", Some(NOW + 60)), None, at(126))), None);
    let mut watch = Watch::new(false);
    assert_eq!(
        seconds(watch.age(fetched("a", Some(NOW - 40)), None, at(0))),
        Some(40),
        "written before the start"
    );
    let mut watch = Watch::new(false);
    for modified in [None, Some(NOW + 100)] {
        let mut again = |now| seconds(watch.age(fetched("a", modified), None, at(now)));
        let first = again(0);
        assert_eq!([first, again(59), again(60)], [Some(0), Some(59), None], "{modified:?}");
        watch = Watch::new(false);
    }
}

/// In a sandbox a server of fixed prices counts as now.
#[test]
fn a_server_of_fixed_prices_counts_as_now() {
    let (at, mut watch) = (clock(), Watch::new(true));
    for now in [0, 100, 1_000] {
        assert_eq!(seconds(watch.age(fetched("a", None), None, at(now))), Some(0));
    }
}
