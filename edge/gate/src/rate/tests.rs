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
    Allowance::new(&Limits::default(), Arc::clone(account))
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

fn address(text: &str) -> IpAddr {
    client_of(text.parse().unwrap())
}

/// Proves LIM-001, LIM-006.
#[test]
fn each_address_has_its_own_bucket() {
    let clients = Clients::new(Limits::default().public);
    let take = |text: &str| clients.take(address(text), ms(0));
    assert_eq!(tally(20, || take("192.0.2.1")), (2, 5, 13));
    assert_eq!(take("192.0.2.2"), Admit::Now);
    assert!(matches!(take("::ffff:192.0.2.1"), Admit::Refuse { .. }));
    assert_eq!(take("2001:db8::1"), Admit::Now);
    assert_eq!(take("2001:db8::2"), Admit::Now);
    assert!(matches!(take("2001:db8::3"), Admit::Wait(_)), "one /64 is one client");
    assert_eq!(take("2001:db8:0:1::1"), Admit::Now);
}

#[test]
fn idle_clients_are_forgotten() {
    let clients = Clients::new(Limits::default().public);
    for second in 0..10u32 {
        for low in 0..10_000 {
            clients.take(low + second * 10_000, ms(u64::from(second) * 5_000));
        }
    }
    assert!(clients.len() <= 20_000, "{} of 100,000 clients are kept", clients.len());
}

/// However many clients arrive at once, the memory is bounded. Those that have a bucket keep it, the others share, and a
/// moment later there is room again.
#[test]
fn memory_is_bounded_whatever_clients_arrive() {
    let clients = Clients::new(Limits::default().public);
    let limit = CLIENTS_MAX + OVERFLOW;
    let early = tally(7, || clients.take(0, ms(0)));
    assert_eq!(early, (2, 5, 0));
    let mut refused = 0;
    for client in 1..300_000u32 {
        refused += usize::from(matches!(clients.take(client, ms(0)), Admit::Refuse { .. }));
        assert!(clients.len() <= limit, "{} buckets", clients.len());
    }
    assert!(refused > 200_000, "only {refused} of those that share were refused");
    assert!(matches!(clients.take(0, ms(0)), Admit::Refuse { .. }), "a client keeps its bucket");
    assert_eq!(tally(3, || clients.take(1, ms(0))), (1, 2, 0), "and so does one that came before the flood");
    assert_eq!(tally(3, || clients.take(400_000, ms(10_000))), (2, 1, 0), "the table has room again");
    assert!(clients.len() < 10_000, "{} buckets are kept", clients.len());
}

/// One request in five or two seconds, and none waits; of LIM-007 and LIM-009, the limits. Proves LIM-010.
#[test]
fn accounts_have_limits_of_their_own() {
    for (limit, every) in [(Limits::default().transfers, 5_000), (Limits::default().addresses, 2_000)] {
        let accounts = Clients::new(limit);
        assert_eq!(tally(3, || accounts.take(1, ms(0))), (1, 0, 2));
        assert_eq!(accounts.take(2, ms(0)), Admit::Now, "another account is not slowed");
        assert!(matches!(accounts.take(1, ms(every - 1)), Admit::Refuse { retry_after: 1 }));
        assert_eq!(accounts.take(1, ms(every)), Admit::Now);
    }
}

/// Refused calls have a limit of their own: a burst, then as many as LIM-018 recommends, for ever. Proves LIM-018.
#[test]
fn refused_calls_have_a_limit() {
    let key = allowance(&Arc::new(Bucket::new(Limits::default().account)));
    for number in 0..20 {
        assert_eq!(key.check_refused(ms(0)), Admit::Now, "{number}");
        key.note_refused(ms(0));
    }
    assert_eq!(key.check_refused(ms(199)), Admit::Refuse { retry_after: 1 });
    assert_eq!(key.take(ms(199), false), Admit::Now, "other calls go on");
    for step in 1..1_000 {
        assert_eq!(key.check_refused(ms(200 * step)), Admit::Now, "{step}");
        key.note_refused(ms(200 * step));
    }
    // Calls in flight may be refused beyond the limit; the debt is bounded.
    for _ in 0..1_000 {
        key.note_refused(ms(1_000_000));
    }
    assert_eq!(key.check_refused(ms(1_000_000)), Admit::Refuse { retry_after: 5 });
    assert_eq!(key.check_refused(ms(1_004_200)), Admit::Now);
}

/// In any stretch of time at most its tokens and one burst are admitted, and at most five callers wait, whatever arrives when
/// (INV-RATE-1, INV-RATE-2).
#[test]
fn no_window_admits_more() {
    let limit = Limits::default().key;
    let bucket = Bucket::new(limit);
    let (mut now, mut seed) = (0u64, 7u64);
    let mut turns = Vec::new();
    for _ in 0..20_000 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Bursts and pauses.
        now += if (seed >> 60) == 0 { (seed >> 33) % 3_000 } else { (seed >> 33) % 40 };
        match bucket.take(ms(now)) {
            Admit::Now => turns.push(ms(now)),
            Admit::Wait(wait) => turns.push(ms(now) + wait),
            Admit::Refuse { .. } => {}
        }
        let waiting = turns.iter().rev().take_while(|turn| **turn > ms(now)).count();
        assert!(waiting <= 5, "{waiting} wait at {now}");
    }
    assert!(turns.is_sorted());
    for (at, first) in turns.iter().enumerate() {
        for (count, last) in turns[at..].iter().enumerate().take(200) {
            let passed = last.saturating_sub(*first);
            let tokens = 10 + passed.as_nanos() / limit.every.as_nanos();
            assert!(u128::try_from(count).unwrap() <= tokens, "{} calls in {passed:?}", count + 1);
        }
    }
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

/// Each further entry of a batch takes a token, which its key owes where it has none; those of cancels come from the reserve first.
#[test]
fn entries_of_a_batch_take_tokens() {
    let account = Arc::new(Bucket::new(Limits::default().account));
    let key = allowance(&account);
    assert_eq!(key.take(ms(0), false), Admit::Now);
    key.charge(19, ms(0), false);
    assert_eq!(tally(100, || account.take(ms(0))), (80, 5, 15), "the account has paid for all 20");
    assert_eq!(key.take(ms(500), false), Admit::Refuse { retry_after: 1 });
    assert_eq!(key.take(ms(600), false), Admit::Wait(ms(500)));
    let other = allowance(&account);
    assert_eq!(other.take(ms(2_000), true), Admit::Now);
    other.charge(9, ms(2_000), true);
    assert_eq!(tally(11, || other.take(ms(2_000), false)), (5, 5, 1));
}
