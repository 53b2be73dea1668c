//! Increasing and time-based nonces, and the texts of their refusals.

use super::*;

const NOW: Time = Time(1_700_000_000_900_000);
const INCREASING: Rule<'_> = Rule::Increasing { service: "svc", endpoint: "/v1/orders" };

fn text(text: &str) -> Value<'_> {
    Value::Text(text.into())
}

fn refused(result: Result<Nonce, Refusal>, message: &str) {
    let refusal = result.expect_err(message);
    assert_eq!((refusal.status, refusal.reason), (400, Reason::InvalidNonce));
    assert_eq!(refusal.message, message);
}

/// Proves SES-002.
#[test]
fn a_nonce_has_to_increase() {
    let nonces = Nonces::after(Nonce::parse(b"100").unwrap());
    for stale in ["99", "100", "0", "100.0", "099"] {
        let message = format!(
            "Nonce '{stale}' has not increased since your last call to the svc API (this one was to '/v1/orders'). \
             The key's highest is '100'."
        );
        refused(nonces.take(Some(&Value::Number(stale)), INCREASING), &message);
    }
    for fresh in ["101", "101.5", "18446744073709551616"] {
        assert!(nonces.take(Some(&text(fresh)), INCREASING).is_ok(), "{fresh}");
    }
    assert_eq!(nonces.resets(), 0);
    nonces.reset();
    assert_eq!((nonces.last(), nonces.resets()), (Nonce::default(), 1));
    assert!(nonces.take(Some(&Value::Number("1")), INCREASING).is_ok());
}

/// Proves SES-004.
#[test]
fn a_missing_nonce_has_its_reason() {
    let refusal = Nonces::after(Nonce::default()).take(None, INCREASING).unwrap_err();
    assert_eq!((refusal.status, refusal.reason), (400, Reason::MissingNonce));
}

/// Proves SES-005.
#[test]
fn any_number_is_a_nonce_and_nothing_else() {
    let nonces = Nonces::after(Nonce::default());
    let digits = "9".repeat(64);
    for fresh in [
        "1",
        "1e9",
        "1700000000",
        "1700000000.12",
        "1700000000000000000",
        "1.700000000000000001e+18",
        "9007199254740993000000",
        "1.8E40",
        &digits,
    ] {
        assert!(nonces.take(Some(&Value::Number(fresh)), INCREASING).is_ok(), "{fresh}");
    }
    let long = "9".repeat(65);
    let bad = [
        (text(""), ""),
        (text("abc"), "abc"),
        (text(" 1"), " 1"),
        (text("-1"), "-1"),
        (Value::Number("-1"), "-1"),
        (Value::Number("-1e9"), "-1e9"),
        (Value::Number("1e999999999"), "1e999999999"),
        (Value::Number(&long), &long),
        (Value::Null, "null"),
        (Value::Bool(true), "true"),
        (Value::Array("[1]"), "[1]"),
        (Value::Object("{}"), "{}"),
    ];
    for (value, shown) in bad {
        for rule in [INCREASING, Rule::Timely { now: NOW, once: None }] {
            let message = format!(
                "Nonce '{shown}' was not parseable as a number of at most 64 digits, without a sign."
            );
            refused(nonces.take(Some(&value), rule), &message);
        }
    }
}

/// Proves SES-007.
#[test]
fn of_equal_nonces_exactly_one_passes() {
    let nonces = Nonces::after(Nonce::default());
    let passed: usize = std::thread::scope(|scope| {
        let ask = || {
            let take = |number: u32| nonces.take(Some(&text(&number.to_string())), INCREASING).is_ok();
            (1..=1_000).filter(|number| take(*number)).count()
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(passed, 1_000, "each once");
}

/// Both edges of the window are exact to the last digit, for any fraction in the exchange's own time. Proves SES-008.
#[test]
fn a_time_based_nonce_lies_in_the_window() {
    let nonces = Nonces::after(Nonce::default());
    let timely =
        |number: &str, now| nonces.take(Some(&Value::Number(number)), Rule::Timely { now, once: None });
    let whole = Time(1_700_000_000_000_000);
    for (now, shown, good, bad) in [
        (
            whole,
            "1700000000.000",
            ["1699999970", "1700000000", "1700000030", "1700000030.000"],
            [
                "1699999969",
                "1699999969.999",
                "1700000030.5",
                "1700000030.999",
                "1700000030.0000001",
                "1700000031",
            ],
        ),
        (
            NOW,
            "1700000000.900",
            ["1699999970.9", "1699999971", "1700000030", "1700000030.9"],
            ["1699999970", "1699999970.8999999", "1700000030.9000001", "1700000030.99", "1700000031", "0"],
        ),
    ] {
        for good in good {
            assert!(timely(good, now).is_ok(), "{good} at {shown}");
        }
        // Milliseconds are not read as seconds.
        for bad in bad.into_iter().chain(["1700000000900", "1700000000900000", "99999999999999999999999"]) {
            let message = format!(
                "Nonce '{bad}' is not within 30 seconds of server time '{shown}'; this key's nonces are the time in \
                 seconds since 1970, and this is what was sent as one"
            );
            refused(timely(bad, now), &message);
        }
    }
    // Soon after 1970 the window has no lower edge.
    assert!(timely("0", Time(29 * Time::SECOND)).is_ok());
}

/// An exact repeat is refused for 60 s; another payload under the same nonce passes (D-07).
#[test]
fn a_payload_changes_state_once() {
    let nonces = Nonces::after(Nonce::default());
    let take = |tag: u8, now: Time| {
        let nonce = now.seconds().to_string();
        nonces.take(Some(&text(&nonce)), Rule::Timely { now, once: Some([tag; 48]) })
    };
    assert!(take(1, NOW).is_ok());
    assert!(take(2, NOW).is_ok());
    let message =
        "Nonce '1700000060' repeats a payload sent within the last 60 seconds; change any part of it.";
    refused(take(1, NOW.plus(60 * Time::SECOND)), message);
    assert!(take(1, NOW.plus(60 * Time::SECOND + 1)).is_ok());
    assert_eq!(nonces.memory.lock().seen.len(), 1, "what is too old is forgotten");
    let reading = Rule::Timely { now: NOW, once: None };
    assert!(nonces.take(Some(&text("1700000000")), reading).is_ok(), "reads may repeat");
}

/// After a restart the payloads sent before it are no longer known, so no nonce up to the highest of that time passes
/// (D-08).
#[test]
fn a_restart_forgets_payloads_and_not_the_last_nonce() {
    let nonces = Nonces::after(Nonce::parse(b"1700000000").unwrap());
    let take = |number: &str, once| nonces.take(Some(&text(number)), Rule::Timely { now: NOW, once });
    for old in ["1699999999", "1700000000"] {
        refused(
            take(old, Some([1; 48])),
            &format!(
                "Nonce '{old}' is no later than '1700000000', this key's highest before the exchange was started"
            ),
        );
    }
    assert!(take("1700000000", None).is_ok(), "reads may repeat");
    // The refusal says after how many seconds the time is later than the highest.
    let wait = |last: &[u8]| {
        let nonces = Nonces::after(Nonce::parse(last).unwrap());
        let rule = Rule::Timely { now: NOW, once: Some([1; 48]) };
        nonces.take(Some(&text("1700000000")), rule).unwrap_err().retry_after
    };
    assert_eq!([&b"1700000000"[..], b"1700000007.5", b"1700000061"].map(wait), [Some(1), Some(7), None]);
    assert!(take("1700000000.5", Some([1; 48])).is_ok());
    assert!(take("1700000000.5", Some([2; 48])).is_ok(), "nonces need not increase");
}
