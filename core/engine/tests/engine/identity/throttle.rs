//! Limits of failures: by address and peer, and of codes by user (D-139).

use super::*;
use buttonwood_engine::identity::{CODES_A_DAY, FAILURES_MAX, Mailing, WINDOW};

/// Five failures of an address from a peer refuse right answers too, for five minutes after the first of them; other peers and addresses
/// are free.
#[test]
fn five_failures_refuse_right_answers_too() {
    let mut stage = Stage::new();
    let opened = stage.open(ANN, HOME, false).expect("free");
    let first = Time(stage.now().0 + 1);
    for _ in 0..FAILURES_MAX {
        assert_eq!(stage.fail("ann", HOME, None), Answer::Done);
    }
    let throttled = Reject::Throttled(first.plus(WINDOW));
    let until = refused(throttled);
    assert_eq!(stage.fail("ann", HOME, None), until);
    stage.restart();
    assert_eq!(stage.open(ANN, HOME, false), Err(AnyReject::Identity(throttled)));
    let code = stage.totp(0);
    assert_eq!(stage.prove(opened, code), until);
    assert!(stage.open(ANN, AWAY, false).is_ok() && stage.open(BOB, HOME, false).is_ok());
    assert_eq!(stage.prove_from(opened, code, AWAY), Answer::Done);
    stage.jump_to(first.plus(WINDOW - 1));
    assert_eq!(stage.open(ANN, HOME, false), Err(AnyReject::Identity(throttled)));
    assert!(stage.open(ANN, HOME, false).is_ok(), "exactly five minutes later");
    // The four later ones still count, unless they have ended too.
    stage.catch_up();
    stage.replays();
}

/// A right answer does not forget failures.
#[test]
fn a_success_forgets_no_failures() {
    let mut stage = Stage::new();
    for _ in 1..FAILURES_MAX {
        assert_eq!(stage.fail("ann", HOME, Some(ANN)), Answer::Done);
    }
    let session = stage.open(ANN, AWAY, false).expect("free");
    let code = stage.totp(0);
    assert_eq!(stage.prove_from(session, code, AWAY), Answer::Done);
    assert_eq!(stage.fail("ann", HOME, Some(ANN)), Answer::Done);
    assert!(stage.open(ANN, HOME, false).is_err());
    // Codes of the user count from every peer.
    let throttled = stage.prove_from(session, Proof::Bypass, AWAY);
    assert!(
        matches!(throttled, Answer::Rejected(AnyReject::Identity(Reject::Throttled(_)))),
        "{throttled:?}"
    );
}

/// An unknown address is throttled alike.
#[test]
fn unknown_addresses_are_throttled_alike() {
    let mut stage = Stage::new();
    for _ in 0..FAILURES_MAX {
        assert_eq!(stage.fail("unknown", HOME, None), Answer::Done);
    }
    let now = stage.now();
    assert!(matches!(stage.fail("unknown", HOME, None), Answer::Rejected(_)));
    assert!(stage.identity().check_sign_in(&digest("unknown"), HOME, now).is_err());
    stage.jump(WINDOW);
    stage.catch_up();
    assert_eq!(stage.fail("unknown", HOME, None), Answer::Done);
    assert_eq!(stage.fail("unknown", HOME, Some(UserId(7))), refused(Reject::UnknownUser));
    stage.replays();
}

/// Failed codes count for the user, from all peers together.
#[test]
fn failed_codes_count_for_the_user() {
    let mut stage = Stage::new();
    let session = stage.open(ANN, AWAY, false).expect("open");
    for number in 0..FAILURES_MAX {
        let peer = Peer([10 + u8::try_from(number).expect("few"); 16]);
        assert_eq!(stage.fail("ann", peer, Some(ANN)), Answer::Done);
    }
    let code = stage.totp(0);
    let answer = stage.prove_from(session, code, AWAY);
    assert!(matches!(answer, Answer::Rejected(AnyReject::Identity(Reject::Throttled(_)))), "{answer:?}");
    assert!(stage.open(ANN, AWAY, false).is_ok(), "a password is no code");
    stage.jump(WINDOW);
    let code = stage.totp(0);
    assert_eq!(stage.prove_from(session, code, AWAY), Answer::Done);
    stage.replays();
}

/// Fifty failed codes of a day refuse codes; a password reset and then a recovery code end it.
#[test]
fn fifty_failed_codes_lock_the_codes() {
    let mut stage = Stage::new();
    let browser = stage.browser(ANN);
    let step = stage.now().seconds() / 30;
    let recovery = vec![digest("one"), digest("two")];
    let enrolment = buttonwood_engine::identity::Enrolment {
        session: browser,
        cookie: digest("x"),
        factor: 1,
        step,
        recovery,
        notice: digest("notice"),
    };
    assert_eq!(stage.own(Own::Enrol(Arc::new(enrolment))), Answer::Done);
    for number in 0..CODES_A_DAY {
        if number % FAILURES_MAX == 0 {
            stage.jump(WINDOW);
        }
        let peer = Peer([u8::try_from(number).expect("few"); 16]);
        assert_eq!(stage.fail("ann", peer, Some(ANN)), Answer::Done);
    }
    stage.jump(WINDOW);
    let session = stage.open(ANN, AWAY, false).expect("open");
    let code = stage.totp(0);
    let is_throttled =
        |answer: &Answer| matches!(answer, Answer::Rejected(AnyReject::Identity(Reject::Throttled(_))));
    let one = Proof::Recovery(digest("one"));
    assert!(is_throttled(&stage.prove_from(session, code, AWAY)));
    assert!(is_throttled(&stage.prove_from(session, one, AWAY)));
    let mailing = Mailing { login: digest("ann"), peer: AWAY, is_limited: true };
    assert_eq!(stage.own(Own::AskReset(mailing, digest("link"))), Answer::Done);
    assert_eq!(stage.own(Own::Reset(digest("link"), 2)), Answer::Done);
    let session = stage.open(ANN, AWAY, false).expect("the new password");
    assert!(is_throttled(&stage.prove_from(session, code, AWAY)), "only a recovery code");
    assert_eq!(stage.prove_from(session, one, AWAY), Answer::Done);
    let code = stage.totp(0);
    assert_eq!(stage.prove_from(session, code, AWAY), Answer::Done);
    stage.replays();
}

/// A wrong recovery code counts also while codes are locked and the password was reset: they cannot be tried without end.
#[test]
fn wrong_recovery_codes_count_after_a_reset() {
    let mut stage = Stage::new();
    for number in 0..CODES_A_DAY {
        if number % FAILURES_MAX == 0 {
            stage.jump(WINDOW);
        }
        assert_eq!(
            stage.fail("ann", Peer([u8::try_from(number).expect("few"); 16]), Some(ANN)),
            Answer::Done
        );
    }
    stage.jump(WINDOW);
    let mailing = Mailing { login: digest("ann"), peer: AWAY, is_limited: true };
    assert_eq!(stage.own(Own::AskReset(mailing, digest("link"))), Answer::Done);
    assert_eq!(stage.own(Own::Reset(digest("link"), 2)), Answer::Done);
    let mut taken = 0;
    for number in 0..2 * CODES_A_DAY {
        let peer = Peer([u8::try_from(number).expect("few"); 16]);
        if stage.identity().check_codes(ANN, true, stage.now()).is_ok() {
            taken += 1;
            let answer = stage.fail("ann", peer, Some(ANN));
            assert_eq!(answer, Answer::Done, "a try that is taken is counted");
        }
    }
    assert!(taken <= FAILURES_MAX, "{taken} tries were taken");
}

/// A user's failures of a day are forgotten after it.
#[test]
fn failed_codes_end_after_a_day() {
    let mut stage = Stage::new();
    for number in 0..CODES_A_DAY {
        if number % FAILURES_MAX == 0 {
            stage.jump(WINDOW);
        }
        let peer = Peer([u8::try_from(number).expect("few"); 16]);
        assert_eq!(stage.fail("ann", peer, Some(ANN)), Answer::Done);
    }
    stage.jump(23 * HOUR);
    assert!(stage.identity().check_codes(ANN, false, stage.now()).is_err());
    stage.jump(HOUR);
    assert!(stage.identity().check_codes(ANN, false, stage.now()).is_ok());
    let session = stage.open(ANN, HOME, false).expect("open");
    let code = stage.totp(0);
    assert_eq!(stage.prove(session, code), Answer::Done);
}
