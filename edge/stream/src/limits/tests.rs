//! Windows, open sockets, and readings of missed events.

use super::*;
use std::net::Ipv4Addr;

const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
const OTHER: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2));
const KEY: SessionId = SessionId(7);

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A window begins with its first use, takes as much as its limit, and is over after its length.
#[test]
fn a_window_begins_with_its_first_use() {
    let mut window = Window::default();
    let mut take = |weight, now| window.take(ORDERS_SHORT, 1_000, weight, seconds(now));
    assert_eq!(take(999, 100), Ok(()));
    assert_eq!(take(2, 104), Err(seconds(6)));
    assert_eq!(take(1, 109), Ok(()));
    assert_eq!(take(1, 109), Err(seconds(1)));
    assert_eq!(take(1_000, 110), Ok(()));
    assert_eq!(take(1, 119), Err(seconds(1)));
    assert_eq!(window.count(ORDERS_SHORT, seconds(119)), 1_000);
    assert_eq!(window.count(ORDERS_SHORT, seconds(120)), 0);
}

/// More weight than there is uses nothing.
#[test]
fn a_refused_weight_uses_nothing() {
    let limits = SocketLimits::new(true);
    let mut own = Window::default();
    assert_eq!(limits.weigh(&mut own, CLIENT, 30_001, seconds(0)), Err(seconds(60)));
    assert_eq!(limits.weigh(&mut own, CLIENT, 30_000, seconds(1)), Ok(()));
    assert_eq!(own.count(WEIGHT, seconds(1)), 30_000);
}

/// The connections of an address share ten times the weight of one; the keys of a group ten times the orders of one.
#[test]
fn addresses_and_groups_have_ten_times_as_much() {
    let limits = SocketLimits::new(true);
    for _ in 0..10 {
        assert_eq!(limits.weigh(&mut Window::default(), CLIENT, 30_000, seconds(0)), Ok(()));
    }
    assert_eq!(limits.weigh(&mut Window::default(), CLIENT, 1, seconds(3)), Err(seconds(57)));
    assert_eq!(limits.weigh(&mut Window::default(), OTHER, 1, seconds(3)), Ok(()));
    let order = |key| limits.order(SessionId(key), Some(GroupId(0)), seconds(5));
    for key in 0..10 {
        assert!((0..1_000).all(|_| order(key).is_ok()));
        assert_eq!(order(key), Err(seconds(10)), "{key}");
    }
    assert_eq!(order(10), Err(seconds(10)));
    assert_eq!(limits.order(SessionId(11), None, seconds(5)), Ok(()));
    assert_eq!(limits.orders_of(SessionId(3), seconds(6)), [1_000, 1_000]);
    assert_eq!(limits.orders_of(SessionId(3), seconds(16)), [0, 1_000]);
}

/// An address may try to open 300 sockets in five minutes.
#[test]
fn attempts_are_counted_by_address() {
    let limits = SocketLimits::new(true);
    assert!((0..300).all(|_| limits.attempt(CLIENT, CountedBy::Address, seconds(1)).is_ok()));
    let refused = limits.attempt(CLIENT, CountedBy::Address, seconds(299)).unwrap_err();
    assert_eq!((refused.status, refused.retry_after), (429, Some(3)));
    assert!(limits.attempt(OTHER, CountedBy::Address, seconds(299)).is_ok());
    assert_eq!(limits.attempts_of(CLIENT, CountedBy::Address, seconds(299)), 300);
    assert!(limits.attempt(CLIENT, CountedBy::Address, seconds(301)).is_ok());
    assert_eq!(limits.attempts_of(CLIENT, CountedBy::Address, seconds(301)), 1);
}

/// Pages of other sites and keys have attempts of their own: those of an address lock neither out, nor they it.
#[test]
fn pages_and_keys_are_counted_apart() {
    let limits = SocketLimits::new(true);
    let all = [CountedBy::Page, CountedBy::Key(KEY), CountedBy::Address, CountedBy::Key(SessionId(8))];
    for by in all {
        assert!((0..300).all(|_| limits.attempt(CLIENT, by, seconds(1)).is_ok()), "{by:?}");
        assert_eq!(limits.attempt(CLIENT, by, seconds(2)).unwrap_err().status, 429, "{by:?}");
        assert_eq!(limits.attempts_of(CLIENT, by, seconds(2)), 300);
    }
    assert!(limits.attempt(OTHER, CountedBy::Page, seconds(2)).is_ok());
    assert!(limits.attempt(OTHER, CountedBy::Key(KEY), seconds(2)).is_err(), "wherever it is used");
}

/// 64 sockets of a key, 300 of an address and 300 of foreign pages at it may be open; a seat that is left is free again.
#[test]
fn seats_are_limited_and_given_back() {
    let limits = Arc::new(SocketLimits::new(true));
    let key = CountedBy::Key(KEY);
    let mut seats: Vec<Seat> = (0..64).map(|_| limits.sit(CLIENT, key).unwrap()).collect();
    assert_eq!(limits.sit(OTHER, key).unwrap_err().status, 429);
    for by in [CountedBy::Page, CountedBy::Address] {
        seats.extend((0..300).map(|_| limits.sit(CLIENT, by).unwrap()));
        assert_eq!(limits.sit(CLIENT, by).unwrap_err().status, 429);
        assert!(limits.sit(OTHER, by).is_ok());
    }
    drop(seats.remove(0));
    let seat = limits.sit(CLIENT, key).unwrap();
    assert_eq!(limits.sit(CLIENT, key).unwrap_err().status, 429);
    drop((seat, seats));
    let open = limits.open.lock();
    assert!(open.addresses.is_empty() && open.pages.is_empty() && open.keys.is_empty());
}

/// Missed events of an account are read for one socket at a time, and for a key ten times a minute.
#[test]
fn resumes_are_limited() {
    let limits = Arc::new(SocketLimits::new(true));
    let resume =
        |key, account, now| limits.resume(SessionId(key), Whose::Account(AccountId(account)), seconds(now));
    let first = resume(0, 0, 0).unwrap();
    assert_eq!(resume(1, 0, 0).unwrap_err().status, 429);
    assert!(resume(1, 1, 0).is_ok());
    assert!(limits.resume(SessionId(1), Whose::Group(GroupId(0)), seconds(0)).is_ok());
    drop(first);
    assert!((1..10).all(|_| resume(0, 0, 1).is_ok()));
    assert_eq!(resume(0, 0, 59).unwrap_err().status, 429);
    assert!(resume(0, 0, 60).is_ok());
}

/// Without limits nothing is refused, and the counts go on.
#[test]
fn limits_can_be_off() {
    let limits = Arc::new(SocketLimits::new(false));
    let mut own = Window::default();
    assert!((0..400).all(|_| limits.attempt(CLIENT, CountedBy::Address, seconds(0)).is_ok()));
    let seats: Vec<_> = (0..400).map(|_| limits.sit(CLIENT, CountedBy::Key(KEY)).unwrap()).collect();
    assert_eq!(seats.len(), 400);
    assert!((0..3).all(|_| limits.weigh(&mut own, CLIENT, 30_000, seconds(0)).is_ok()));
    assert_eq!(own.count(WEIGHT, seconds(0)), 90_000);
    assert!((0..2_000).all(|_| limits.order(KEY, Some(GroupId(0)), seconds(0)).is_ok()));
    assert_eq!(limits.orders_of(KEY, seconds(0)), [2_000, 2_000]);
}
