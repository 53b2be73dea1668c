//! Passkeys: adding, using and removing them, challenges, and signature counters.

use super::*;
use buttonwood_engine::identity::{
    CHALLENGE_AGE, CODE_FRESH, Challenge, NewPasskey, PASSKEYS_MAX, Passkey, UsedPasskey,
};

fn challenge(stage: &Stage, text: &str) -> Challenge {
    Challenge { digest: digest(text), ends: stage.now().plus(CHALLENGE_AGE) }
}

fn new_passkey(stage: &mut Stage, session: SessionId, number: u64) -> NewPasskey {
    let passkey = Passkey {
        number,
        credential: digest(&format!("credential {number}")),
        name: "phone".into(),
        key: [[1; 32], [2; 32]],
        counter: 1,
        may_be_copied: false,
        created: Time(0),
    };
    let cookie = stage.fresh("cookie");
    let challenge = challenge(stage, &format!("challenge {number}"));
    NewPasskey { session, cookie, challenge, passkey, recovery: vec![digest("one"), digest("two")] }
}

fn add(stage: &mut Stage, session: SessionId, number: u64) -> Answer {
    let new = new_passkey(stage, session, number);
    stage.own(Own::AddPasskey(Arc::new(new)))
}

fn used(stage: &mut Stage, user: UserId, counter: u32, text: &str) -> UsedPasskey {
    UsedPasskey {
        user,
        number: 1,
        counter,
        challenge: challenge(stage, text),
        session: None,
        cookie: stage.fresh("cookie"),
        peer: HOME,
        address: "a".into(),
        agent: "b".into(),
    }
}

fn enter(stage: &mut Stage, user: UserId, counter: u32, text: &str) -> Answer {
    let proof = used(stage, user, counter, text);
    stage.own(Own::UsePasskey(Arc::new(proof)))
}

/// A user without a factor, whose password was given.
fn enrolling(stage: &mut Stage) -> (UserId, SessionId) {
    let new = NewUser { factor: 0, ..new_user("cat", stage.groups[0], TRADER) };
    assert_eq!(stage.own(Own::AddUser(Arc::new(new))), Answer::Done);
    (UserId(2), stage.open(UserId(2), HOME, false).expect("open"))
}

/// A passkey completes a sign-in that has to enrol; it is a second factor from then on, and the only one stays.
#[test]
fn a_passkey_is_a_first_factor() {
    let mut stage = Stage::new();
    let (cat, session) = enrolling(&mut stage);
    let thief = stage.open(cat, HOME, false).expect("open");
    assert_eq!(add(&mut stage, session, 1), Answer::Done);
    assert_eq!(stage.stage_of(session), Some(Step::Full));
    assert_eq!(stage.user(cat).recovery, [digest("one"), digest("two")]);
    assert_eq!(add(&mut stage, thief, 2), refused(Reject::WrongStage));
    let other = stage.open(cat, HOME, false).expect("open");
    assert_eq!(stage.stage_of(other), Some(Step::Code));
    assert_eq!(add(&mut stage, other, 2), refused(Reject::WrongStage));
    assert_eq!(stage.prove(other, Proof::Recovery(digest("one"))), Answer::Done);
    // A used recovery code ends the other sessions.
    assert_eq!(stage.own(Own::RemovePasskey(session, 1)), refused(Reject::UnknownBrowser));
    let session = other;
    assert_eq!(stage.own(Own::RemovePasskey(session, 1)), refused(Reject::LastFactor));
    assert_eq!(add(&mut stage, session, 2), Answer::Done);
    assert_eq!(stage.user(cat).recovery, [digest("two")], "a second factor brings no codes");
    assert_eq!(stage.own(Own::RemovePasskey(session, 1)), Answer::Done);
    assert_eq!(stage.own(Own::RemovePasskey(session, 1)), refused(Reject::UnknownPasskey));
    assert_eq!(enter(&mut stage, cat, 5, "c"), refused(Reject::WrongCode));
    stage.replays();
}

/// A passkey signs in at once; a challenge works once while it lives, and not at all once it has ended and is forgotten.
#[test]
fn a_challenge_works_once() {
    let mut stage = Stage::new();
    let session = stage.browser(ANN);
    assert_eq!(add(&mut stage, session, 1), Answer::Done);
    let given = used(&mut stage, ANN, 2, "c");
    assert_eq!(stage.own(Own::UsePasskey(Arc::new(given.clone()))), Answer::Done);
    let browser = stage.identity().find_browser(&given.cookie, stage.now()).expect("signed in");
    assert_eq!(
        (browser.1.stage, browser.1.address.as_str(), browser.1.agent.as_str()),
        (Step::Full, "a", "b")
    );
    let browser = browser.0;
    stage.placed(stage.page(browser, 0));
    let again = |given: &UsedPasskey| Own::UsePasskey(Arc::new(UsedPasskey { counter: 9, ..given.clone() }));
    assert_eq!(stage.own(again(&given)), refused(Reject::WrongCode));
    stage.jump_to(given.challenge.ends);
    assert_eq!(stage.own(again(&given)), refused(Reject::WrongCode));
    stage.catch_up();
    assert_eq!(stage.own(again(&given)), refused(Reject::WrongCode));
    let far = Challenge { ends: stage.now().plus(CHALLENGE_AGE + 2), ..given.challenge };
    let given = UsedPasskey { challenge: far, ..given };
    assert_eq!(stage.own(again(&given)), refused(Reject::WrongCode));
    stage.replays();
}

/// A challenge that made a passkey neither makes another nor signs in.
#[test]
fn a_challenge_that_made_is_used() {
    let mut stage = Stage::new();
    let session = stage.browser(ANN);
    let new = new_passkey(&mut stage, session, 1);
    assert_eq!(stage.own(Own::AddPasskey(Arc::new(new.clone()))), Answer::Done);
    let second = NewPasskey { challenge: new.challenge, ..new_passkey(&mut stage, session, 2) };
    assert_eq!(stage.own(Own::AddPasskey(Arc::new(second))), refused(Reject::WrongCode));
    let signs = UsedPasskey { challenge: new.challenge, ..used(&mut stage, ANN, 2, "") };
    assert_eq!(stage.own(Own::UsePasskey(Arc::new(signs))), refused(Reject::WrongCode));
}

/// The signature counter only grows; an authenticator that counts nothing stays at 0.
#[test]
fn a_counter_only_grows() {
    let mut stage = Stage::new();
    let session = stage.browser(ANN);
    assert_eq!(add(&mut stage, session, 1), Answer::Done);
    for (counter, expected) in
        [(0, false), (1, false), (2, true), (2, false), (1, false), (0, false), (9, true)]
    {
        let expected = if expected { Answer::Done } else { refused(Reject::WrongCode) };
        let text = format!("use {}", stage.serial);
        assert_eq!(enter(&mut stage, ANN, counter, &text), expected, "{counter}");
    }
    let bob = stage.browser(BOB);
    let mut new = new_passkey(&mut stage, bob, 3);
    (new.passkey.number, new.passkey.counter) = (1, 0);
    assert_eq!(stage.own(Own::AddPasskey(Arc::new(new))), Answer::Done);
    for (counter, text) in [(0, "x"), (0, "y"), (4, "z")] {
        assert_eq!(enter(&mut stage, BOB, counter, text), Answer::Done);
    }
    assert_eq!(enter(&mut stage, BOB, 0, "w"), refused(Reject::WrongCode));
    stage.replays();
}

/// In a browser of the same user it renews the code and replaces the cookie; another user's browser is left alone.
#[test]
fn a_passkey_renews_its_own_browser() {
    let mut stage = Stage::new();
    let (own, half, foreign) =
        (stage.browser(ANN), stage.open(ANN, HOME, false).expect("open"), stage.browser(BOB));
    assert_eq!(add(&mut stage, own, 1), Answer::Done);
    let start = stage.now();
    stage.jump_to(start.plus(CODE_FRESH));
    for (counter, session) in [(2, own), (3, half)] {
        let given =
            UsedPasskey { session: Some(session), ..used(&mut stage, ANN, counter, &counter.to_string()) };
        assert_eq!(stage.own(Own::UsePasskey(Arc::new(given.clone()))), Answer::Done);
        let found = stage.identity().find_browser(&given.cookie, stage.now()).expect("the cookie is new");
        assert_eq!((found.0, found.1.is_fresh(stage.now())), (session, true));
    }
    let given = UsedPasskey { session: Some(foreign), ..used(&mut stage, ANN, 4, "4") };
    assert_eq!(stage.own(Own::UsePasskey(Arc::new(given.clone()))), Answer::Done);
    let found = stage.identity().find_browser(&given.cookie, stage.now()).expect("signed in");
    assert!(found.0 != foreign && found.1.user == ANN);
    assert!(stage.identity().browser(foreign, stage.now()).is_some());
    stage.replays();
}

/// Adding and removing take a fresh code, a user has 20 at most, and a credential is one user's.
#[test]
fn changes_take_a_fresh_code() {
    let mut stage = Stage::new();
    let session = stage.browser(ANN);
    for number in 1..=PASSKEYS_MAX {
        assert_eq!(add(&mut stage, session, u64::try_from(number).expect("small")), Answer::Done);
    }
    assert_eq!(add(&mut stage, session, 99), refused(Reject::TooManyPasskeys));
    let bob = stage.browser(BOB);
    let mut taken = new_passkey(&mut stage, bob, 50);
    taken.passkey.credential = digest("credential 1");
    assert_eq!(stage.own(Own::AddPasskey(Arc::new(taken))), refused(Reject::KnownPasskey));
    assert_eq!(stage.own(Own::RemovePasskey(bob, 1)), refused(Reject::UnknownPasskey));
    stage.jump(CODE_FRESH);
    assert_eq!(stage.own(Own::RemovePasskey(session, 1)), refused(Reject::CodeRequired));
    assert_eq!(add(&mut stage, session, 99), refused(Reject::CodeRequired));
    assert_eq!(stage.own(Own::RemovePasskey(SessionId::held(99), 1)), refused(Reject::UnknownBrowser));
    stage.replays();
}

/// A disabled user's passkey is refused, and so is a right one after too many failures from the peer.
#[test]
fn users_and_peers_are_checked() {
    let mut stage = Stage::new();
    let session = stage.browser(ANN);
    assert_eq!(add(&mut stage, session, 1), Answer::Done);
    stage.disable(ANN, true);
    assert_eq!(enter(&mut stage, ANN, 2, "a"), refused(Reject::WrongCredential));
    stage.disable(ANN, false);
    for _ in 0..5 {
        assert_eq!(stage.fail("ann", HOME, None), Answer::Done);
    }
    let answer = enter(&mut stage, ANN, 2, "b");
    assert!(matches!(answer, Answer::Rejected(AnyReject::Identity(Reject::Throttled(_)))), "{answer:?}");
    let away = UsedPasskey { peer: AWAY, ..used(&mut stage, ANN, 2, "c") };
    assert_eq!(stage.own(Own::UsePasskey(Arc::new(away))), Answer::Done);
}

/// An operator removes all factors of a user: sessions end, neither passkey nor step nor recovery code works, and the next sign-in enrols.
#[test]
fn lost_factors_are_reset() {
    let mut stage = Stage::new();
    let browser = stage.browser(ANN);
    assert_eq!(add(&mut stage, browser, 1), Answer::Done);
    for _ in 0..5 {
        let _ = stage.fail("ann", HOME, Some(ANN));
    }
    assert_eq!(stage.own(Own::ResetFactors(ANN)), Answer::Done);
    assert!(!stage.user(ANN).has_factor() && stage.user(ANN).recovery.is_empty());
    assert!(stage.identity().find_passkey(&digest("credential 1")).is_none());
    assert_eq!(stage.stage_of(browser), None, "the session has ended");
    stage.restart();
    stage.jump(10 * MINUTE);
    assert_eq!(enter(&mut stage, ANN, 7, "later"), refused(Reject::WrongCode));
    let session = stage.open(ANN, HOME, false).expect("open");
    assert_eq!(stage.stage_of(session), Some(Step::Enrol));
    assert_eq!(add(&mut stage, session, 2), Answer::Done);
    assert_eq!(stage.own(Own::ResetFactors(UserId(9_999))), refused(Reject::UnknownUser));
    stage.replays();
}
