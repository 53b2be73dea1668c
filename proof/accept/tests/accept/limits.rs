//! Rate limits: clauses LIM. These tests need real time.

use std::io::Write;
use std::net::TcpStream;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use buttonwood_accept::{Actor, Answer, Exchange, json, let_pass, raw, wait_until};
use buttonwood_client::Credentials;

fn limited() -> Exchange {
    Exchange::builder().real_time().flag("--rate-limits", "on").start()
}

/// Sends one request from each actor at the same moment; the actors are already connected.
fn together(actors: &[Actor], request: impl Fn(&Actor, usize) -> Answer + Sync) -> Vec<(Answer, Duration)> {
    let barrier = Barrier::new(actors.len());
    std::thread::scope(|scope| {
        let threads: Vec<_> = actors
            .iter()
            .enumerate()
            .map(|(index, actor)| {
                let (barrier, request) = (&barrier, &request);
                scope.spawn(move || {
                    barrier.wait();
                    let start = Instant::now();
                    let answer = request(actor, index);
                    (answer, start.elapsed())
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn seconds() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs()
}

fn count(answers: &[(Answer, Duration)], status: u16) -> usize {
    answers.iter().filter(|(answer, _)| answer.status() == status).count()
}

/// Calls of `time-nonce` may arrive in any order, so that only the limiter decides.
fn crowd(x: &Exchange, size: usize) -> Vec<Actor> {
    (0..size).map(|_| x.fresh("time-nonce")).collect()
}

fn private(actor: &Actor, index: usize) -> Answer {
    actor.call("/v1/balances", json!({ "nonce": seconds(), "index": index }))
}

/// The worked example: of 20 at once, ten are answered, five wait, five are refused; then it recovers. Proves
/// LIM-002, LIM-003, LIM-004, LIM-005, ERR-005.
#[test]
fn twenty_private_requests_at_once() {
    let x = limited();
    let answers = together(&crowd(&x, 20), private);
    let (passed, refused) = (count(&answers, 200), count(&answers, 429));
    // While twenty threads start, a token or two may be refilled.
    assert!((15..=17).contains(&passed) && passed + refused == 20, "{passed} passed, {refused} refused");
    let waited = answers.iter().filter(|(_, time)| *time > Duration::from_millis(50)).count();
    assert!(waited >= 3, "the queued ones wait for their turn: {waited}");
    for (answer, time) in &answers {
        if answer.status() == 429 {
            assert_eq!(answer.refused(429, "RateLimit").message, "Too Many Requests");
            let after: u64 = answer.reply.header("retry-after").expect("Retry-After").parse().unwrap();
            assert!(after >= 1, "{answer}");
            assert!(*time < Duration::from_secs(1), "refused at once, not after {time:?}");
        }
    }
    let next = x.fresh("time-nonce");
    wait_until("a place again", || private(&next, 0).status() == 200);
}

/// Public calls: two a second and five more, which are queued. Proves LIM-001, LIM-003, LIM-004.
#[test]
fn public_requests_at_once() {
    let x = limited();
    let actors: Vec<Actor> = (0..16).map(|_| x.fresh("trader")).collect();
    let answers = together(&actors, |actor, _| actor.get("/v1/symbols"));
    let (passed, refused) = (count(&answers, 200), count(&answers, 429));
    assert!((7..=9).contains(&passed) && passed + refused == 16, "{passed} passed, {refused} refused");
    let waited = answers.iter().filter(|(_, time)| *time > Duration::from_millis(250)).count();
    assert!(waited >= 3, "the queued ones wait for their turn: {waited}");
}

/// A refusal says what is allowed and when. The pages of markets take nothing of the limit, and are not stopped by it.
#[test]
fn a_public_refusal_says_what_is_allowed() {
    let x = limited();
    let visitor = x.fresh("trader");
    for path in ["/site/markets/btcusd.json", "/site/markets/btcusd/1m.json"].repeat(20) {
        assert_eq!(visitor.get(path).status(), 200, "{path}");
    }
    let answers = together(&fresh(&x, "trader"), |actor, _| actor.get("/v1/symbols"));
    let refused = answers.iter().find(|(answer, _)| answer.status() == 429).expect("one is refused");
    let message = refused.0.refused(429, "RateLimit").message;
    let after = refused.0.reply.header("retry-after").expect("Retry-After");
    assert!(message.contains("120 public calls a minute"), "{message}");
    assert!(message.contains(&format!("the next one in {after} second")), "{message}");
    assert_eq!(refused.0.reply.header("access-control-allow-origin"), Some("*"));
    assert_eq!(visitor.get("/site/markets/btcusd.json").status(), 200);
}

/// Each address has its own public limit. Proves LIM-001, LIM-006.
#[test]
fn addresses_are_apart() {
    let x = limited();
    let elsewhere = || {
        let ask = |_| raw::receive(ask_from(&x, [127, 0, 0, 2], "/v1/symbols"), Duration::from_secs(10));
        [0, 1].map(ask).map(|answer| answer.status())
    };
    let answered = beside(&fresh(&x, "trader"), |actor, _| actor.get("/v1/symbols"), elsewhere);
    assert_eq!(answered, [Some(200); 2]);
}

/// Sends a public request from an address of this machine.
fn ask_from(x: &Exchange, source: [u8; 4], path: &str) -> TcpStream {
    let mut stream = raw::connect_from(x, source);
    let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", x.address());
    stream.write_all(request.as_bytes()).unwrap();
    stream
}

/// Public and private calls have separate limits, and so has each key, even of one account. Proves LIM-006.
#[test]
fn buckets_are_apart() {
    let x = limited();
    let balances = |key: &str| x.as_(key).call("/v1/balances", json!({})).status();
    let others = || {
        let public = (0..2).map(|_| x.get("/v1/symbols").status());
        let keys = ["second-session", "counterparty"].repeat(5);
        public.chain(keys.into_iter().map(balances)).collect::<Vec<_>>()
    };
    assert_eq!(beside(&crowd(&x, BUSY), private, others), [200; 12]);
    let keys =
        || ["second-session", "savings-trader"].repeat(5).into_iter().map(balances).collect::<Vec<_>>();
    assert_eq!(beside(&fresh(&x, "trader"), |actor, _| actor.get("/v1/symbols"), keys), [200; 10]);
}

/// Actors that send all the time: five of them are queued, the others are refused, and each free place is taken at
/// once.
const BUSY: usize = 12;

fn fresh(x: &Exchange, key: &str) -> Vec<Actor> {
    (0..BUSY).map(|_| x.fresh(key)).collect()
}

/// Runs `act` while all of `busy` are over their limit.
fn beside<T>(busy: &[Actor], request: impl Fn(&Actor, usize) -> Answer + Sync, act: impl FnOnce() -> T) -> T {
    struct End<'a>(&'a AtomicBool);
    impl Drop for End<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let (is_over, refused) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let _end = End(&is_over);
        for (index, actor) in busy.iter().enumerate() {
            let (is_over, refused, request) = (&is_over, &refused, &request);
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    let answer = request(actor, index);
                    refused.fetch_add(usize::from(answer.status() == 429), Ordering::Relaxed);
                    let_pass("far below the rate at which an address is refused", Duration::from_millis(10));
                }
            });
        }
        wait_until("twenty refusals", || refused.load(Ordering::Relaxed) >= 20);
        act()
    })
}

/// A key over its limit can still cancel and send heartbeats (D-04). Proves INV-RATE-3.
#[test]
fn cancels_and_heartbeats_are_let_in() {
    let x = limited();
    let actor = x.fresh("time-nonce");
    let call = |path: &str| actor.call(path, json!({ "nonce": seconds(), "order_id": 1 })).status();
    let reserved = ["/v1/order/cancel", "/v1/order/cancel/session", "/v1/order/cancel/all", "/v1/heartbeat"];
    let (let_in, is_refused) = beside(&crowd(&x, BUSY), private, || {
        (reserved.map(call), (0..5).any(|_| call("/v1/mytrades") == 429))
    });
    assert_eq!(let_in, [404, 200, 200, 200]);
    assert!(is_refused, "nothing else is");
}

/// A refused call has not used its nonce. Proves AUTH-014.
#[test]
fn a_refused_call_keeps_its_nonce() {
    let x = limited();
    let actors: Vec<Actor> = (0..40).map(|_| x.fresh("counterparty")).collect();
    let base = 1_000_000_u64;
    let answers = together(&actors, |actor, index| {
        actor.call("/v1/balances", json!({ "nonce": base + u64::try_from(index).unwrap() }))
    });
    let refused: Vec<usize> = (0..40).filter(|index| answers[*index].0.status() == 429).collect();
    let highest_used = (0..40).filter(|index| answers[*index].0.status() == 200).max().expect("some passed");
    let Some(unused) = refused.into_iter().find(|index| *index > highest_used) else {
        return; // The last one passed: nothing to test this time.
    };
    let nonce = base + u64::try_from(unused).unwrap();
    let again = || x.as_("counterparty").call("/v1/balances", json!({ "nonce": nonce })).status();
    wait_until("a place again", || again() == 200);
}

/// Polling counts like any other call. Proves LIM-011.
#[test]
fn polling_counts() {
    let x = limited();
    let order = x.as_("counterparty").limit("btcusd", "buy", "1", "100");
    let id = order["order_id"].as_str().unwrap();
    let answers = together(&crowd(&x, 20), |actor, index| {
        actor.call("/v1/order/status", json!({ "nonce": seconds(), "order_id": id, "index": index }))
    });
    assert!(count(&answers, 429) >= 3, "the status of an order is limited too");
}

/// At the recommended rates nothing is ever refused. Proves LIM-018.
#[test]
fn recommended_rates() {
    let x = limited();
    for round in 0..15 {
        x.as_("trader").call("/v1/balances", json!({})).ok();
        if round % 5 == 0 {
            x.get("/v1/symbols").ok();
        }
        let_pass("five calls a second are recommended", Duration::from_millis(200));
    }
}

/// Pages have their own limit: many browsers at one address are served, a flood is not, and neither uses the limit of
/// public paths. Proves LIM-006.
#[test]
fn pages() {
    let x = limited();
    let visitor = x.fresh("trader");
    // Twenty visitors open the page at the same moment.
    for _ in 0..20 {
        for path in ["/", "/site/base.css", "/site/front.js", "/site/leaf.svg", "/site/market.json"] {
            assert_eq!(visitor.get(path).status(), 200, "{path}");
        }
    }
    let refused = (0..20_000).map(|_| visitor.get("/site/leaf.svg")).find(|answer| answer.status() != 200);
    let refused = refused.expect("a flood is refused");
    assert_eq!(refused.refused(429, "RateLimit").message, "Too Many Requests");
    assert_eq!(refused.reply.header("retry-after"), Some("1"));
    // Unknown paths and unsupported methods cost nothing; health checks have no limit.
    for _ in 0..200 {
        visitor.get("/site/nothing").refused(404, "EndpointNotFound");
        visitor.send("POST", "/", &[], b"").refused(405, "EndpointNotFound");
        assert_eq!(visitor.get("/health/live").status(), 200);
    }
    visitor.get("/v1/symbols").ok();
    wait_until("pages again", || visitor.get("/").status() == 200);
}

/// With limits switched off, nothing is limited.
#[test]
fn limits_off() {
    let x = Exchange::start();
    for _ in 0..100 {
        x.get("/v1/symbols").ok();
        x.as_("trader").call("/v1/balances", json!({})).ok();
    }
}

/// A key that has too many orders refused gets 429 before its nonces are used; its cancels and reads go on, and so do other keys.
/// At the recommended rate it never does. Proves LIM-018.
#[test]
fn refused_calls_have_a_limit() {
    let x = Exchange::builder().flag("--rate-limits", "on").start();
    let trader = x.as_("trader");
    let refused = |nonce: u64| trader.call("/v1/order/new", json!({ "nonce": nonce }));
    // The limit of all calls is 10 a second with a queue of 5, so these take two seconds.
    let mut nonce = 1_000;
    let answer = loop {
        nonce += 1;
        assert!(nonce < 1_060, "no limit is met");
        let answer = refused(nonce);
        if answer.status() == 429 {
            break answer;
        }
        answer.error();
    };
    assert!(nonce > 1_020, "{} calls were refused before the limit", nonce - 1_000);
    assert_eq!(answer.reply.header("retry-after"), Some("1"), "{answer}");
    trader.call("/v1/order/cancel/all", json!({ "nonce": nonce })).ok();
    x.as_("second-session").limit("btcusd", "buy", "1", "100");
}

/// A key that is named like a simulated trader has the limit of every key, after a restart too; so has a key that is added to
/// the traders' group. Proves LIM-002 (part).
#[test]
fn a_trader_s_name_gives_no_other_limit() {
    let x = limited();
    let add = |group: &str, account: &str, name: &str| {
        let role = ["--role", "Trader", "--time-based-nonce", "--name", name];
        let made =
            x.admin(&[&["key", "add", "--group", group, "--account", account], &role[..]].concat()).done();
        let [api_key, secret] =
            ["api_key", "api_secret"].map(|field| made[field].as_str().unwrap().to_owned());
        Credentials::new(api_key, secret)
    };
    let keys = [
        add("one", "savings", "simulated-taker"),
        add("one", "savings", "simulated-quoter-0"),
        add("simulated", "taker", "mine"),
    ];
    x.restart();
    for key in keys {
        let actors: Vec<Actor> = (0..20).map(|_| x.actor_of(&key)).collect();
        let answers = together(&actors, private);
        let (passed, refused) = (count(&answers, 200), count(&answers, 429));
        assert!((15..=17).contains(&passed) && passed + refused == 20, "{passed} passed, {refused} refused");
    }
}
