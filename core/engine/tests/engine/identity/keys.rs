//! Keys that a browser's user keeps: the group, the roles of the user, and the keys that are nobody else's.

use super::*;
use buttonwood_engine::{
    AccessCommand, Hand, NewSession, Note, OWN_KEYS_MAX, OWN_KEYS_PER_SPAN, Operation, OwnKey, Owner,
    Standing,
};

/// A key of Ann's first account, or what differs from it.
fn key(stage: &Stage, name: &str) -> NewSession {
    NewSession {
        owner: Owner::Account(stage.accounts[0]),
        roles: TRADER,
        require_heartbeat: false,
        time_based_nonce: false,
        api_key: format!("account-{name}"),
        name: name.to_owned(),
        addresses: Vec::new(),
    }
}

fn act(stage: &mut Stage, browser: SessionId, act: OwnKey) -> Answer {
    let caller = Caller { account: None, ..stage.page(browser, 0) };
    stage.call(caller, AccessCommand::KeepKey(Arc::new(act)))
}

fn find(stage: &Stage, name: &str) -> SessionId {
    stage.exchange.state.access().find_session(&format!("account-{name}")).expect("the key")
}

fn standing(stage: &Stage, key: SessionId) -> Option<Standing> {
    stage.exchange.state.access().session(key).map(buttonwood_engine::Session::standing)
}

/// A key is made in the user's group, with roles that the user has, and a name of its own. Proves AUTH-015, AUTH-024.
#[test]
fn a_key_stays_within_its_user() {
    let mut stage = Stage::new();
    let browser = stage.browser(ANN);
    let base = key(&stage, "one");
    let group = stage.exchange.state.access().group_of(base.owner).expect("a group");
    let master = NewSession {
        owner: Owner::Group(group),
        api_key: "master-one".to_owned(),
        name: "m".to_owned(),
        ..base.clone()
    };
    let admin = Roles::of(&[Role::Administrator]);
    for (new, expected) in [
        (
            NewSession { owner: Owner::Account(stage.accounts[2]), ..base.clone() },
            AccessReject::ForeignAccount,
        ),
        (NewSession { owner: Owner::Account(AccountId(0)), ..base.clone() }, AccessReject::ForeignAccount),
        (
            NewSession { owner: Owner::Account(AccountId(9_999)), ..base.clone() },
            AccessReject::ForeignAccount,
        ),
        (NewSession { roles: Roles::NONE, ..base.clone() }, AccessReject::BadRoles),
        (NewSession { roles: admin, ..base.clone() }, AccessReject::BadRoles),
        (NewSession { roles: Roles::of(&[Role::Auditor]), ..base.clone() }, AccessReject::MissingRole(ALL)),
        (NewSession { require_heartbeat: true, ..master.clone() }, AccessReject::Unknown),
    ] {
        assert_eq!(act(&mut stage, browser, OwnKey::Make(new.clone())), barred(expected), "{new:?}");
    }
    assert_eq!(act(&mut stage, browser, OwnKey::Make(base.clone())), Answer::Done);
    assert_eq!(act(&mut stage, browser, OwnKey::Make(master)), Answer::Done);
    let named = NewSession { api_key: "account-two".to_owned(), ..base.clone() };
    assert_eq!(act(&mut stage, browser, OwnKey::Make(named)), barred(AccessReject::NameTaken));
    let one = find(&stage, "one");
    assert_eq!(
        act(&mut stage, browser, OwnKey::Rename(one, "m".to_owned())),
        barred(AccessReject::NameTaken)
    );
    assert_eq!(act(&mut stage, browser, OwnKey::Rename(one, "one".to_owned())), Answer::Done);
    assert_eq!(act(&mut stage, browser, OwnKey::End { session: one, cancel_orders: false }), Answer::Done);
    let again = NewSession { api_key: "account-three".to_owned(), ..base };
    assert_eq!(act(&mut stage, browser, OwnKey::Make(again)), Answer::Done, "the name is free again");
    assert_eq!(act(&mut stage, browser, OwnKey::Enable(one)), barred(AccessReject::Unknown));
    stage.replays();
}

/// Only a browser that is signed in sends the act: no key, no token, no half sign-in, and not the exchange.
#[test]
fn only_browsers_keep_keys() {
    let mut stage = Stage::new();
    stage.granted(ANN, 0, ORDERS, "1");
    let key_of_ann = stage.exchange.key("ann", stage.accounts[0], Role::Trader);
    let signed = buttonwood_oracle::caller(key_of_ann, stage.accounts[0], 1);
    let half = stage.open(ANN, HOME, false).expect("open");
    let body = AccessCommand::KeepKey(Arc::new(OwnKey::Make(key(&stage, "one"))));
    for caller in [stage.bearer("1"), signed, stage.page(half, 0)] {
        let answer = stage.call(caller, body.clone());
        assert!(matches!(answer, Answer::Rejected(_)), "{caller:?}: {answer:?}");
    }
    assert!(matches!(stage.own(body), Answer::Rejected(_)));
    assert!(stage.exchange.state.access().find_session("account-one").is_none());
    stage.replays();
}

/// A key of another group is unknown. A disabled key's orders are cancelled where that is wanted, and no others (D-143).
#[test]
fn a_key_stops_with_its_orders() {
    let mut stage = Stage::new();
    let (ann, bob) = (stage.browser(ANN), stage.browser(BOB));
    let new = key(&stage, "one");
    assert_eq!(act(&mut stage, ann, OwnKey::Make(new)), Answer::Done);
    let one = find(&stage, "one");
    for foreign in
        [OwnKey::Enable(one), OwnKey::Rename(one, "x".to_owned()), OwnKey::Enable(SessionId(9_999))]
    {
        assert_eq!(act(&mut stage, bob, foreign), barred(AccessReject::Unknown));
    }
    let signed = buttonwood_oracle::caller(one, stage.accounts[0], 1);
    let (own, other) = (stage.placed(signed), stage.placed(stage.page(ann, 0)));
    assert_eq!(act(&mut stage, ann, OwnKey::Disable { session: one, cancel_orders: false }), Answer::Done);
    assert!(stage.exchange.order(own).is_some());
    assert_eq!(act(&mut stage, ann, OwnKey::Enable(one)), Answer::Done);
    assert_eq!(act(&mut stage, ann, OwnKey::End { session: one, cancel_orders: true }), Answer::Done);
    assert!(stage.exchange.order(own).is_none() && stage.exchange.order(other).is_some());
    assert_eq!(standing(&stage, one), Some(Standing::Ended));
    stage.replays();
}

/// A key that waits for a second operator is not the users' to enable (D-184).
#[test]
fn a_proposed_key_is_not_kept() {
    let mut stage = Stage::new();
    let browser = stage.browser(ANN);
    assert_eq!(stage.own(Operation::SetApprovals(2)), Answer::Done);
    let new = Arc::new(key(&stage, "one"));
    let note = Note { who: "alice".to_owned(), what: "key add".to_owned(), why: String::new(), user: None };
    let proposal = Body::act(note, Some(Operation::ProposeKey(new).into()));
    assert_eq!(stage.own(proposal), Answer::Done);
    let one = find(&stage, "one");
    for own in [OwnKey::Enable(one), OwnKey::End { session: one, cancel_orders: false }] {
        assert_eq!(act(&mut stage, browser, own), barred(AccessReject::Unknown));
    }
    assert_eq!(standing(&stage, one), Some(Standing::Disabled));
    stage.replays();
}

/// A group has at most 200 keys; those that have ended do not count.
#[test]
fn keys_are_limited() {
    let mut stage = Stage::new();
    let browser = stage.browser(ANN);
    let base = key(&stage, "base");
    let group = stage.exchange.state.access().group_of(base.owner).expect("a group");
    let before = stage.exchange.state.access().keys_of(group).count();
    for number in before..OWN_KEYS_MAX {
        let new = key(&stage, &number.to_string());
        assert_eq!(act(&mut stage, browser, OwnKey::Make(new)), Answer::Done);
    }
    let more = key(&stage, "more");
    assert_eq!(act(&mut stage, browser, OwnKey::Make(more.clone())), barred(AccessReject::TooManyKeys));
    let last = find(&stage, &(OWN_KEYS_MAX - 1).to_string());
    assert_eq!(act(&mut stage, browser, OwnKey::End { session: last, cancel_orders: false }), Answer::Done);
    assert_eq!(act(&mut stage, browser, OwnKey::Make(more)), Answer::Done);
}

/// A user enables no key that an administrator disabled, and an administrator none that an operator did; also where they disabled it
/// after the user. Operators enable all of them.
#[test]
fn a_key_is_enabled_by_its_equals() {
    let mut stage = Stage::new();
    let browser = stage.browser(ANN);
    let new = key(&stage, "one");
    assert_eq!(act(&mut stage, browser, OwnKey::Make(new)), Answer::Done);
    let one = find(&stage, "one");
    let (disable, enable) = (OwnKey::Disable { session: one, cancel_orders: false }, OwnKey::Enable(one));
    let held = |stage: &Stage| {
        stage.exchange.state.access().session(one).and_then(buttonwood_engine::Session::disabled_by)
    };
    let by_operator = || AccessCommand::DisableSession { session: one, cancel_orders: false };

    stage.set_roles(ANN, TRADER);
    assert_eq!(act(&mut stage, browser, disable.clone()), Answer::Done);
    assert_eq!(held(&stage), Some(Hand::User));
    assert_eq!(act(&mut stage, browser, enable.clone()), Answer::Done);
    assert_eq!(act(&mut stage, browser, disable.clone()), Answer::Done);
    stage.set_roles(ANN, ALL);
    assert_eq!(act(&mut stage, browser, disable.clone()), Answer::Done);
    stage.set_roles(ANN, TRADER);
    assert_eq!(act(&mut stage, browser, disable.clone()), Answer::Done);
    let barred_by = |hand| barred(AccessReject::DisabledBy(hand));
    assert_eq!(act(&mut stage, browser, enable.clone()), barred_by(Hand::Administrator));
    stage.set_roles(ANN, ALL);
    assert_eq!(act(&mut stage, browser, enable.clone()), Answer::Done);

    assert_eq!(act(&mut stage, browser, disable.clone()), Answer::Done);
    assert_eq!(stage.own(by_operator()), Answer::Done);
    assert_eq!(act(&mut stage, browser, disable), Answer::Done);
    assert_eq!(act(&mut stage, browser, enable.clone()), barred_by(Hand::Operator));
    assert_eq!(standing(&stage, one), Some(Standing::Disabled));
    stage.restart();
    assert_eq!(act(&mut stage, browser, enable.clone()), barred_by(Hand::Operator));
    assert_eq!(stage.own(AccessCommand::EnableSession(one)), Answer::Done);
    assert_eq!(act(&mut stage, browser, enable), Answer::Done);
    stage.replays();
}

/// Keys that have ended stay in the state, so a group's users make no more than 1,000 in 24 hours.
#[test]
fn keys_are_made_no_faster_than_a_day_allows() {
    let mut stage = Stage::new();
    let browser = stage.browser(ANN);
    let base = key(&stage, "base");
    let group = stage.exchange.state.access().group_of(base.owner).expect("a group");
    for number in stage.exchange.state.access().keys_of(group).count()..OWN_KEYS_PER_SPAN {
        let new = key(&stage, &number.to_string());
        assert_eq!(act(&mut stage, browser, OwnKey::Make(new)), Answer::Done);
        let session = find(&stage, &number.to_string());
        assert_eq!(act(&mut stage, browser, OwnKey::End { session, cancel_orders: false }), Answer::Done);
    }
    let more = OwnKey::Make(key(&stage, "more"));
    assert_eq!(act(&mut stage, browser, more.clone()), barred(AccessReject::KeysTooFast));
    stage.jump(86_400_000_000);
    let browser = stage.browser(ANN);
    assert_eq!(act(&mut stage, browser, more), Answer::Done);
}
