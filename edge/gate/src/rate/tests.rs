//! The worked example, and how buckets affect each other.

use super::*;
use std::sync::Arc;

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// How many of `count` requests at once are admitted, wait and are refused.
fn tally(count: usize, mut ask: impl FnMut() -> Admit) -> (usize, usize, usize) {
    let (mut now, mut wait, mut refuse) = (0, 0, 0);
    for _ in 0..count {
        match ask() {
            Admit::Now => now += 1,
            Admit::Wait(_) => wait += 1,
            Admit::Refuse { .. } => refuse += 1,
        }
    }
    (now, wait, refuse)
}

fn allowance(account: &Arc<Bucket>) -> Allowance {
    let limits = Limits::default();
    Allowance::new(limits.key, limits.reserve, Arc::clone(account))
}

/// 20 requests together: 10 pass, 5 wait, 5 are refused, and so are further ones. After a quiet time the bucket is full
/// again. Proves LIM-003, LIM-004, LIM-005.
#[test]
fn worked_example() {
    let bucket = Bucket::new(Limits::default().key);
    assert_eq!(tally(10, || bucket.take(ms(0))), (10, 0, 0));
    for place in 1..=5 {
        assert_eq!(bucket.take(ms(0)), Admit::Wait(ms(100 * place)));
    }
    assert_eq!(tally(6, || bucket.take(ms(0))), (0, 0, 6));
    assert_eq!(bucket.take(ms(0)), Admit::Refuse { retry_after: 1 });
    // A place in the queue is free once the first waiting request has had its turn.
    assert_eq!(bucket.take(ms(99)), Admit::Refuse { retry_after: 1 });
    assert_eq!(bucket.take(ms(100)), Admit::Wait(ms(500)));
    assert_eq!(tally(20, || bucket.take(ms(1_600))), (10, 5, 5));
}

/// Refusals take no tokens: a client that keeps hammering is still served at the rate.
#[test]
fn serves_the_rate_under_pressure() {
    let bucket = Bucket::new(Limit::per_second(10));
    let mut served = 0;
    for millis in 0..10_000 {
        served += usize::from(!matches!(bucket.take(ms(millis)), Admit::Refuse { .. }));
    }
    assert!((110..=116).contains(&served), "ten a second, the burst and the queue: {served}");
}

/// Proves LIM-018.
#[test]
fn recommended_rates_are_never_refused() {
    let private = allowance(&Arc::new(Bucket::new(Limits::default().account)));
    let public = Bucket::new(Limits::default().public);
    for second in 0..600 {
        assert_eq!(public.take(ms(second * 1_000)), Admit::Now);
        for fifth in 0..5 {
            assert_eq!(private.take(ms(second * 1_000 + fifth * 200), false), Admit::Now);
        }
    }
}

#[test]
fn slow_limits_say_when_to_come_back() {
    let transfers = Bucket::new(Limit { every: Duration::from_secs(5), burst: 1, queue: 0 });
    assert_eq!(transfers.take(ms(0)), Admit::Now);
    assert_eq!(transfers.take(ms(0)), Admit::Refuse { retry_after: 5 });
    assert_eq!(transfers.take(ms(3_500)), Admit::Refuse { retry_after: 2 });
    assert_eq!(transfers.take(ms(5_000)), Admit::Now);
}

/// Proves LIM-002, LIM-006.
#[test]
fn keys_do_not_disturb_each_other_within_their_account() {
    let account = Arc::new(Bucket::new(Limits::default().account));
    let (first, second) = (allowance(&account), allowance(&account));
    assert_eq!(tally(10_000, || first.take(ms(0), false)), (10, 5, 9_985));
    assert_eq!(tally(20, || second.take(ms(0), false)), (10, 5, 5));
}

#[test]
fn more_keys_do_not_multiply_the_accounts_allowance() {
    let account = Arc::new(Bucket::new(Limits::default().account));
    let keys: Vec<Allowance> = (0..50).map(|_| allowance(&account)).collect();
    let mut served = (0, 0, 0);
    for key in &keys {
        let (now, wait, refuse) = tally(10, || key.take(ms(0), false));
        served = (served.0 + now, served.1 + wait, served.2 + refuse);
    }
    assert_eq!(served, (100, 5, 395));
}

#[test]
fn cancels_and_heartbeats_have_their_reserve() {
    let key = allowance(&Arc::new(Bucket::new(Limits::default().account)));
    assert_eq!(tally(20, || key.take(ms(0), false)), (10, 5, 5));
    assert_eq!(tally(5, || key.take(ms(0), true)), (5, 0, 0));
    assert!(matches!(key.take(ms(0), true), Admit::Refuse { .. }));
    assert_eq!(key.take(ms(200), true), Admit::Now);
}

/// Proves LIM-001, LIM-006.
#[test]
fn each_address_has_its_own_bucket() {
    let addresses = Addresses::new(Limits::default().public);
    let one: IpAddr = "192.0.2.1".parse().unwrap();
    assert_eq!(tally(20, || addresses.take(one, ms(0))), (2, 5, 13));
    assert_eq!(addresses.take("192.0.2.2".parse().unwrap(), ms(0)), Admit::Now);
    assert!(matches!(addresses.take("::ffff:192.0.2.1".parse().unwrap(), ms(0)), Admit::Refuse { .. }));
    let six = |text: &str| addresses.take(text.parse().unwrap(), ms(0));
    assert_eq!(six("2001:db8::1"), Admit::Now);
    assert_eq!(six("2001:db8::2"), Admit::Now);
    assert!(matches!(six("2001:db8::3"), Admit::Wait(_)), "one /64 is one client");
    assert_eq!(six("2001:db8:0:1::1"), Admit::Now);
}

#[test]
fn idle_addresses_are_forgotten() {
    let addresses = Addresses::new(Limits::default().public);
    for second in 0..10 {
        for low in 0..10_000u32 {
            addresses
                .take(IpAddr::from((low + second * 10_000).to_be_bytes()), ms(u64::from(second) * 5_000));
        }
    }
    let kept = addresses.buckets.lock().by_address.len();
    assert!(kept <= 20_000, "{kept} of 100,000 addresses are kept");
}

/// Many threads together are served exactly as many requests as one thread.
#[test]
fn threads_share_a_bucket_exactly() {
    let bucket = Bucket::new(Limit::per_second(100).queueing(50));
    let served: usize = std::thread::scope(|scope| {
        let ask = || tally(100, || bucket.take(ms(0)));
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).map(|(now, wait, _)| now + wait).sum()
    });
    assert_eq!(served, 150);
}
