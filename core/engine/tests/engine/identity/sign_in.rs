//! Steps of a sign-in: passwords, codes, recovery codes, enrolment, and the lives of browsers.

use super::*;
use buttonwood_engine::identity::{
    BROWSER_AGE, BROWSERS_MAX, CODE_FRESH, Enrolment, HALVES_MAX, HALVES_OF_PEER, STOP_AGE, STOPS_MAX,
    StopSessions,
};

fn enrolment(stage: &Stage, session: SessionId, factor: u64) -> Own {
    let step = stage.now().seconds() / 30;
    let recovery = vec![digest("one"), digest("two")];
    let cookie = digest(&format!("enrolled-{factor}-{session:?}"));
    Own::Enrol(Arc::new(Enrolment { session, cookie, factor, step, recovery, notice: digest("replaced") }))
}

/// A step of the second factor works once, from any browser, also after a restart; steps that are not near fail.
#[test]
fn a_totp_step_works_once() {
    let mut stage = Stage::new();
    let [first, second] = [(); 2].map(|()| stage.open(ANN, HOME, false).expect("the password is right"));
    assert_eq!(stage.stage_of(first), Some(Step::Code));
    for offset in [-2, 2] {
        let far = stage.totp(offset);
        assert_eq!(stage.prove(first, far), refused(Reject::WrongCode));
    }
    let Proof::Totp { step, .. } = stage.totp(0) else { panic!("a step") };
    assert_eq!(stage.prove(first, Proof::Totp { factor: 2, step }), refused(Reject::WrongCode));
    assert_eq!(stage.prove(first, Proof::Totp { factor: 0, step }), refused(Reject::WrongCode));
    let code = stage.totp(0);
    assert_eq!(stage.prove(first, code), Answer::Done);
    assert_eq!(stage.stage_of(first), Some(Step::Full));
    assert_eq!(stage.prove(second, code), refused(Reject::WrongCode));
    assert_eq!(stage.prove(first, code), refused(Reject::WrongCode));
    stage.restart();
    assert_eq!(stage.prove(second, code), refused(Reject::WrongCode));
    stage.jump(30 * SECOND);
    let next = stage.totp(1);
    assert_eq!(stage.prove(second, next), Answer::Done);
    assert_eq!(stage.user(ANN).last_sign_in, Some(stage.now()));
    stage.replays();
}

/// A recovery code works once, and only a user's own.
#[test]
fn a_recovery_code_works_once() {
    let mut stage = Stage::new();
    let session = stage.browser(ANN);
    let enrol = enrolment(&stage, session, 7);
    assert_eq!(stage.own(enrol), Answer::Done);
    let ann = stage.open(ANN, HOME, false).expect("open");
    let bob = stage.open(BOB, HOME, false).expect("open");
    let code = Proof::Recovery(digest("one"));
    assert_eq!(stage.prove(bob, code), refused(Reject::WrongCode));
    assert_eq!(stage.prove(ann, code), Answer::Done);
    let again = stage.open(ANN, HOME, false).expect("open");
    assert_eq!(stage.prove(again, code), refused(Reject::WrongCode));
    stage.restart();
    assert_eq!(stage.prove(again, code), refused(Reject::WrongCode));
    assert_eq!(stage.prove(again, Proof::Recovery(digest("two"))), Answer::Done);
    assert_eq!(stage.user(ANN).recovery, Vec::<Digest>::new());
    stage.replays();
}

/// A user without a second factor enrols one; the step of the enrolment counts as used.
#[test]
fn a_first_sign_in_enrols() {
    let mut stage = Stage::new();
    let new = NewUser { factor: 0, ..new_user("cat", stage.groups[0], TRADER) };
    assert_eq!(stage.own(Own::AddUser(Arc::new(new))), Answer::Done);
    let cat = UserId(2);
    assert_eq!(stage.open(cat, HOME, true), Err(AnyReject::Identity(Reject::WrongStage)));
    let session = stage.open(cat, HOME, false).expect("open");
    assert_eq!(stage.stage_of(session), Some(Step::Enrol));
    let code = stage.totp(0);
    assert_eq!(stage.prove(session, code), refused(Reject::WrongStage));
    assert_eq!(stage.order(stage.page(session, 0)), barred(AccessReject::UnknownSession));
    let enrol = enrolment(&stage, session, 1);
    assert_eq!(stage.own(enrol), Answer::Done);
    assert_eq!(stage.stage_of(session), Some(Step::Full));
    assert_eq!(stage.prove(session, code), refused(Reject::WrongCode));
    stage.placed(stage.page(session, 0));
    stage.replays();
}

/// A browser in which the password alone was given does not replace a factor that was enrolled in another one by then.
#[test]
fn a_factor_is_enrolled_without_a_code_once() {
    let mut stage = Stage::new();
    let new = NewUser { factor: 0, ..new_user("cat", stage.groups[0], TRADER) };
    assert_eq!(stage.own(Own::AddUser(Arc::new(new))), Answer::Done);
    let [thief, owner] = [(); 2].map(|()| stage.open(UserId(2), HOME, false).expect("open"));
    let enrol = enrolment(&stage, owner, 1);
    assert_eq!(stage.own(enrol), Answer::Done);
    let steal = enrolment(&stage, thief, 2);
    assert_eq!(stage.own(steal), refused(Reject::WrongStage));
    assert_eq!(stage.user(UserId(2)).factor, 1);
}

/// Another factor takes a code that was just given.
#[test]
fn another_factor_needs_a_fresh_code() {
    let mut stage = Stage::new();
    let session = stage.open(ANN, HOME, false).expect("open");
    let enrol = enrolment(&stage, session, 2);
    assert_eq!(stage.own(enrol), refused(Reject::WrongStage));
    let session = stage.browser(ANN);
    let given = stage.now();
    stage.jump_to(given.plus(CODE_FRESH));
    let enrol = enrolment(&stage, session, 2);
    assert_eq!(stage.own(enrol), refused(Reject::CodeRequired));
    let code = stage.totp(0);
    assert_eq!(stage.prove(session, code), Answer::Done);
    let enrol = enrolment(&stage, session, 2);
    assert_eq!(stage.own(enrol), Answer::Done);
    assert_eq!((stage.user(ANN).factor, stage.user(ANN).recovery.len()), (2, 2));
    let (cookie, notice) = (digest("x"), Digest::default());
    let far = Enrolment { session, cookie, factor: 3, step: 0, recovery: Vec::new(), notice };
    assert_eq!(stage.own(Own::Enrol(Arc::new(far))), refused(Reject::WrongCode));
    stage.replays();
}

/// Each step of a sign-in replaces the cookie, and the old value is dead.
#[test]
fn a_step_replaces_the_cookie() {
    let mut stage = Stage::new();
    let session = stage.open(ANN, HOME, false).expect("open");
    let cookie = |stage: &Stage| stage.identity().browser(session, stage.now()).expect("open").cookie;
    let first = cookie(&stage);
    let code = stage.totp(0);
    assert_eq!(stage.prove(session, code), Answer::Done);
    let second = cookie(&stage);
    assert_ne!(first, second);
    stage.restart();
    let found = |stage: &Stage, cookie| stage.identity().find_browser(&cookie, stage.now()).map(|it| it.0);
    assert_eq!((found(&stage, first), found(&stage, second)), (None, Some(session)));
    // A renewed code does the same.
    assert_eq!(stage.prove(session, Proof::Bypass), Answer::Done);
    assert_eq!(found(&stage, second), None);
    assert_eq!(found(&stage, cookie(&stage)), Some(session));
}

/// A user has twenty browsers at most, and another one ends the oldest.
#[test]
fn the_oldest_browser_ends() {
    let mut stage = Stage::new();
    let other = stage.browser(BOB);
    let sessions: Vec<SessionId> = (0..=BROWSERS_MAX).map(|_| stage.browser(ANN)).collect();
    assert_eq!(stage.user(ANN).browsers(), &sessions[1..]);
    assert_eq!(stage.stage_of(sessions[0]), None);
    assert_eq!(stage.order(stage.page(sessions[0], 0)), barred(AccessReject::UnknownSession));
    stage.placed(stage.page(sessions[1], 0));
    assert_eq!(stage.stage_of(other), Some(Step::Full));
    stage.replays();
}

/// Half sessions push out neither a full session nor the half one of another peer: a password alone ends nothing of its owner.
#[test]
fn half_sessions_have_places_of_their_own() {
    let mut stage = Stage::new();
    let full = stage.browser(ANN);
    let owner = stage.open(ANN, HOME, false).expect("open");
    let halves: Vec<SessionId> =
        (0..25).map(|_| stage.open(ANN, AWAY, false).expect("the password is right")).collect();
    let (ended, kept) = halves.split_at(halves.len() - HALVES_OF_PEER);
    assert_eq!(stage.user(ANN).browsers(), [&[full, owner], kept].concat());
    assert!(ended.iter().all(|session| stage.stage_of(*session).is_none()));
    stage.placed(stage.page(full, 0));
    let code = stage.totp(0);
    assert_eq!(stage.prove(owner, code), Answer::Done);
    assert_eq!(stage.stage_of(full), Some(Step::Full));
    // One that becomes full ends the oldest full one of too many, and no half one.
    let more: Vec<SessionId> = (0..BROWSERS_MAX - 2).map(|_| stage.browser(ANN)).collect();
    assert_eq!(stage.stage_of(full), Some(Step::Full));
    stage.jump(30 * SECOND);
    let code = stage.totp(1);
    assert_eq!(stage.prove(kept[0], code), Answer::Done);
    assert_eq!((stage.stage_of(full), stage.stage_of(owner)), (None, Some(Step::Full)));
    assert_eq!(stage.stage_of(more[0]), Some(Step::Full));
    assert_eq!(stage.stage_of(kept[1]), Some(Step::Code));
    stage.replays();
}

/// Many peers have a bound in all, and what gives way is the oldest of the peer that has the most.
#[test]
fn half_sessions_of_many_peers_are_bounded() {
    let mut stage = Stage::new();
    let owner = stage.open(ANN, HOME, false).expect("open");
    let peer = |number: usize| Peer([u8::try_from(number).expect("few") + 10; 16]);
    let first = stage.open(ANN, peer(0), false).expect("open");
    for number in 1..HALVES_MAX * 2 {
        stage.open(ANN, peer(number / HALVES_OF_PEER), false).expect("open");
    }
    assert_eq!(stage.user(ANN).browsers().len(), HALVES_MAX);
    assert_eq!((stage.stage_of(owner), stage.stage_of(first)), (Some(Step::Code), None));
    stage.replays();
}

/// The second half session of a day is mailed, and no other of that day.
#[test]
fn the_second_half_session_is_mailed_once_a_day() {
    let mut stage = Stage::new();
    let is_mailed = |stage: &mut Stage, peer| {
        let session = stage.open(ANN, peer, false).expect("open");
        stage.identity().browser(session, stage.now()).expect("open").is_mailed
    };
    stage.browser(ANN);
    let mailed = [HOME, AWAY, AWAY, HOME].map(|peer| is_mailed(&mut stage, peer));
    assert_eq!(mailed, [false, true, false, false]);
    stage.jump(24 * HOUR);
    stage.catch_up();
    assert_eq!([HOME, AWAY].map(|peer| is_mailed(&mut stage, peer)), [false, true]);
    stage.replays();
}

/// A recovery code and another authenticator end the user's other sessions, half ones too; a code of the authenticator ends none.
#[test]
fn a_change_of_factors_ends_other_sessions() {
    let mut stage = Stage::new();
    let [other, session] = [(); 2].map(|()| stage.browser(ANN));
    let half = stage.open(ANN, AWAY, false).expect("open");
    let enrol = enrolment(&stage, session, 2);
    assert_eq!(stage.own(enrol), Answer::Done);
    assert_eq!(stage.user(ANN).browsers(), &[session]);
    assert_eq!(stage.order(stage.page(other, 0)), barred(AccessReject::UnknownSession));
    assert_eq!(stage.prove(half, Proof::Recovery(digest("one"))), refused(Reject::UnknownBrowser));
    let [thief, waiting] = [(); 2].map(|()| stage.open(ANN, AWAY, false).expect("open"));
    assert_eq!(stage.prove(thief, Proof::Recovery(digest("one"))), Answer::Done);
    assert_eq!(stage.user(ANN).browsers(), &[thief]);
    assert_eq!(stage.stage_of(waiting), None);
    stage.replays();
}

fn stopping(token: &str, credential: u64, recovery: &str) -> Own {
    Own::StopSessions(StopSessions {
        token: digest(token),
        credential,
        recovery: digest(recovery),
        peer: HOME,
    })
}

/// The mailed link ends all sessions for the password and a recovery code that the owner has, also after a thief drew other codes.
#[test]
fn a_mailed_link_ends_all_sessions() {
    let mut stage = Stage::new();
    let session = stage.browser(ANN);
    let first = enrolment(&stage, session, 2);
    assert_eq!(stage.own(first), Answer::Done);
    let cookie = digest("thief");
    let step = stage.now().seconds() / 30;
    let recovery = vec![digest("of the thief")];
    let stolen = Enrolment { session, cookie, factor: 3, step, recovery, notice: digest("link") };
    assert_eq!(stage.own(Own::Enrol(Arc::new(stolen))), Answer::Done);
    assert_eq!(stage.own(stopping("no link", 1, "one")), refused(Reject::BadLink));
    assert_eq!(stage.own(stopping("link", 2, "one")), refused(Reject::WrongCredential));
    assert_eq!(stage.own(stopping("link", 1, "three")), refused(Reject::WrongCode));
    assert_eq!(stage.user(ANN).browsers(), &[session]);
    stage.restart();
    assert_eq!(stage.own(stopping("link", 1, "one")), Answer::Done);
    assert_eq!(stage.user(ANN).browsers(), &[]);
    assert_eq!(stage.own(stopping("link", 1, "two")), refused(Reject::BadLink));
    stage.replays();
}

/// A link lives for a day, and a user has a bounded number of them.
#[test]
fn a_link_that_ends_sessions_lives_a_day() {
    let mut stage = Stage::new();
    let session = stage.browser(ANN);
    for number in 0..=STOPS_MAX {
        let Own::Enrol(made) = enrolment(&stage, session, 2) else { panic!("an enrolment") };
        let notice = digest(&format!("link-{number}"));
        let made = Enrolment { notice, ..(*made).clone() };
        assert_eq!(stage.own(Own::Enrol(Arc::new(made))), Answer::Done);
    }
    let is_there = |stage: &Stage, number: usize| {
        stage.identity().stop(&digest(&format!("link-{number}")), stage.now()).is_some()
    };
    assert!(is_there(&stage, 0) && is_there(&stage, STOPS_MAX - 1) && !is_there(&stage, STOPS_MAX));
    stage.jump(STOP_AGE);
    assert!(!is_there(&stage, 0));
    assert_eq!(stage.own(stopping("link-0", 1, "one")), refused(Reject::BadLink));
    stage.catch_up();
    stage.replays();
}

/// A browser ends after 12 hours by the command's stamp, and then it is forgotten.
#[test]
fn a_browser_ends_by_age() {
    let mut stage = Stage::new();
    let session = stage.browser(ANN);
    let opened = stage.now();
    stage.jump_to(Time(opened.0 + BROWSER_AGE - 1));
    stage.placed(stage.page(session, 0));
    assert_eq!(stage.order(stage.page(session, 0)), barred(AccessReject::UnknownSession));
    assert_eq!(stage.prove(session, Proof::Bypass), refused(Reject::UnknownBrowser));
    assert_eq!(stage.own(Own::Choose(session, stage.accounts[1])), refused(Reject::UnknownBrowser));
    assert!(stage.exchange.state.access().held(session).is_some(), "nothing was forgotten yet");
    stage.catch_up();
    assert_eq!(stage.exchange.state.access().held(session), None);
    assert_eq!(stage.user(ANN).browsers(), &[]);
    stage.replays();
}

/// A password that is not in force, and a user who may not sign in, open no browser.
#[test]
fn another_password_opens_nothing() {
    let mut stage = Stage::new();
    let open = |credential, user| {
        let cookie = digest("cookie");
        let (address, agent) = (String::new(), String::new());
        Own::Open(Arc::new(NewBrowser {
            user,
            credential,
            cookie,
            peer: HOME,
            address,
            agent,
            is_full: false,
        }))
    };
    assert_eq!(stage.own(open(2, ANN)), refused(Reject::WrongCredential));
    assert_eq!(stage.own(open(1, UserId(9))), refused(Reject::UnknownUser));
    stage.disable(ANN, true);
    assert_eq!(stage.own(open(1, ANN)), refused(Reject::WrongCredential));
    stage.disable(ANN, false);
    assert_eq!(stage.own(open(1, ANN)), Answer::Done);
    let blank = NewUser { credential: 0, ..new_user("cat", stage.groups[0], TRADER) };
    assert_eq!(stage.own(Own::AddUser(Arc::new(blank))), Answer::Done);
    assert_eq!(stage.own(open(0, UserId(2))), refused(Reject::WrongCredential));
}

/// A new password in a browser takes a fresh code, and signs out all other browsers; grants and the browser stay.
#[test]
fn a_new_password_ends_other_browsers() {
    let mut stage = Stage::new();
    let [other, session] = [(); 2].map(|()| stage.browser(ANN));
    let grant = stage.granted(ANN, 0, ORDERS, "1");
    assert_eq!(stage.own(Own::SetPassword(session, 0)), refused(Reject::WrongCredential));
    assert_eq!(stage.own(Own::SetPassword(session, 5)), Answer::Done);
    assert_eq!(stage.user(ANN).browsers(), &[session]);
    assert_eq!((stage.stage_of(other), stage.user(ANN).credential), (None, 5));
    assert!(stage.grant(grant).is_some() && stage.token("1").is_some());
    stage.jump(CODE_FRESH);
    assert_eq!(stage.own(Own::SetPassword(session, 6)), refused(Reject::CodeRequired));
    stage.replays();
}

/// Browsers that a user ends are gone; one that is named twice or unknown changes nothing.
#[test]
fn a_user_ends_browsers() {
    let mut stage = Stage::new();
    let [kept, ended] = [(); 2].map(|()| stage.browser(ANN));
    let unknown = SessionId::held(999);
    assert_eq!(stage.own(Own::EndBrowsers(Arc::new(vec![ended, unknown, ended]))), Answer::Done);
    assert_eq!(stage.user(ANN).browsers(), &[kept]);
    assert_eq!(stage.order(stage.page(ended, 0)), barred(AccessReject::UnknownSession));
    stage.replays();
}

/// A move of a sandbox's clock ends neither a session nor its code: their ends move along, and those of tokens do not.
#[test]
fn browsers_move_along_with_the_clock() {
    let mut stage = Stage::new();
    let session = stage.browser(ANN);
    stage.granted(ANN, 0, ORDERS, "1");
    assert_eq!(stage.own(Own::KeepBrowsers(2 * BROWSER_AGE)), Answer::Done);
    stage.jump(2 * BROWSER_AGE);
    assert_eq!(stage.own(Own::SetPassword(session, 5)), Answer::Done, "its code is fresh");
    assert!(stage.token("1").is_none(), "tokens keep to the clock");
    stage.jump(CODE_FRESH);
    assert_eq!(stage.own(Own::SetPassword(session, 6)), refused(Reject::CodeRequired));
    stage.jump(BROWSER_AGE);
    assert_eq!(stage.own(Own::SetPassword(session, 6)), refused(Reject::UnknownBrowser));
    stage.replays();
}

/// A session that has ended does not come back when the clock is moved.
#[test]
fn ended_browsers_stay_ended() {
    let mut stage = Stage::new();
    let session = stage.browser(ANN);
    stage.jump(BROWSER_AGE);
    assert_eq!(stage.own(Own::KeepBrowsers(BROWSER_AGE)), Answer::Done);
    assert_eq!(stage.own(Own::SetPassword(session, 5)), refused(Reject::UnknownBrowser));
    stage.replays();
}

/// Commands that skip a factor are a sandbox's alone.
#[test]
fn a_venue_has_no_bypass() {
    use buttonwood_engine::{Mode, Opening};
    let mut exchange = Exchange::blank();
    let opening = Opening { mode: Mode::Venue, seed: 1, hash_key: 0x5EED, fees: FeeSchedule::default() };
    assert_eq!(exchange.own(Body::open(opening)), Answer::Done);
    let account = exchange.account("ann", "");
    let group = exchange.state.access().account(account).and_then(|it| it.group).expect("a group");
    assert_eq!(exchange.own(Own::AddUser(Arc::new(new_user("ann", group, ALL))).into()), Answer::Done);
    let open = |is_full| {
        let (address, agent) = (String::new(), String::new());
        let cookie = digest("cookie");
        Own::Open(Arc::new(NewBrowser {
            user: ANN,
            credential: 1,
            cookie,
            peer: HOME,
            address,
            agent,
            is_full,
        }))
    };
    assert_eq!(exchange.own(open(true).into()), refused(Reject::Unknown));
    assert_eq!(exchange.own(open(false).into()), Answer::Done);
    let session = exchange.state.identity().find_browser(&digest("cookie"), exchange.stamp.time);
    let session = session.expect("open").0;
    let (cookie, notice) = (digest("next"), Digest::default());
    let used = UsedCode { session, cookie, proof: Proof::Bypass, peer: HOME, notice };
    assert_eq!(exchange.own(Own::UseCode(used).into()), refused(Reject::Unknown));
    let grant = buttonwood_engine::identity::NewGrant {
        app: APP,
        user: ANN,
        account,
        scopes: ORDERS,
        code: None,
        access: digest("a"),
        refresh: None,
    };
    assert_eq!(exchange.own(Own::Grant(grant).into()), refused(Reject::Unknown));
}
