//! Rights of users: role changes act at once, and what a disabled user or an operator loses.

use super::*;

/// The things that a user has open: browsers, grants and codes.
fn has_open(stage: &Stage, user: UserId) -> [usize; 3] {
    let identity = stage.identity();
    let mut codes = 0;
    for code in ["c-open", "c-1", "c-2"] {
        codes += usize::from(identity.code(&digest(code)).is_some_and(|code| code.user == user));
    }
    [stage.user(user).browsers().len(), stage.user(user).grants().len(), codes]
}

/// A stage on which Ann has a grant, a browser and an open code; Bob too.
fn busy() -> (Stage, [Caller; 2]) {
    let mut stage = Stage::new();
    stage.granted(ANN, 0, ORDERS, "1");
    stage.granted(BOB, 2, ORDERS, "2");
    let browser = stage.browser(ANN);
    let code = stage.consent(browser, "c-open");
    assert_eq!(stage.issue(code), Answer::Done);
    let callers = [stage.bearer("1"), stage.page(browser, 0)];
    (stage, callers)
}

/// A role change acts at once on tokens and browsers, both ways.
#[test]
fn a_role_change_acts_at_once() {
    let (mut stage, callers) = busy();
    for caller in callers {
        stage.placed(caller);
    }
    let funds = Roles::of(&[Role::FundManager]);
    stage.set_roles(ANN, funds);
    for caller in callers {
        assert_eq!(stage.order(caller), barred(AccessReject::MissingRole(funds)));
    }
    assert_eq!(stage.token("1").map(|token| token.roles), Some(funds));
    stage.restart();
    for caller in callers {
        assert_eq!(stage.order(caller), barred(AccessReject::MissingRole(funds)));
    }
    stage.set_roles(ANN, TRADER);
    for caller in callers {
        stage.placed(caller);
    }
    // One that signs in later has them too.
    let browser = stage.browser(ANN);
    stage.set_roles(ANN, funds);
    assert_eq!(stage.order(stage.page(browser, 0)), barred(AccessReject::MissingRole(funds)));
    stage.placed(stage.bearer("2"));
    stage.replays();
}

/// A disabled user loses all at once and for good.
#[test]
fn a_disabled_user_loses_all() {
    let (mut stage, callers) = busy();
    let mailing = buttonwood_engine::identity::Mailing { login: digest("ann"), peer: HOME, is_limited: true };
    assert_eq!(stage.own(Own::AskReset(mailing, digest("link"))), Answer::Done);
    stage.disable(ANN, true);
    assert_eq!(has_open(&stage, ANN), [0; 3]);
    assert_eq!(stage.identity().reset(&digest("link"), stage.now()), None);
    stage.disable(ANN, false);
    stage.restart();
    for caller in callers {
        assert_eq!(stage.order(caller), barred(AccessReject::UnknownSession));
    }
    assert_eq!(stage.refresh("1", "3"), refused(Reject::BadGrant));
    assert_eq!(stage.exchange(Stage::redeem("c-open", "4")), refused(Reject::BadGrant));
    assert_eq!(stage.own(Own::Reset(digest("link"), 2)), refused(Reject::BadLink));
    assert!(stage.token("2").is_some(), "another user loses nothing");
    stage.replays();
}

/// Becoming an operator, and ceasing to be one, end all.
#[test]
fn an_operator_starts_anew() {
    let (mut stage, callers) = busy();
    assert_eq!(
        stage.change(ANN, UserChange { is_operator: Some(true), ..UserChange::default() }),
        Answer::Done
    );
    assert_eq!(has_open(&stage, ANN), [0; 3]);
    for caller in callers {
        assert_eq!(stage.order(caller), barred(AccessReject::UnknownSession));
    }
    let browser = stage.browser(ANN);
    let holder = stage.identity().holder(browser, stage.now()).expect("signed in");
    assert_eq!((holder.group, holder.roles, holder.account), (None, Roles::NONE, None));
    // An operator does not trade.
    assert_eq!(stage.order(stage.page(browser, 0)), barred(AccessReject::UnknownSession));
    let new = stage.consent(browser, "c-2");
    assert_eq!(stage.issue(new), refused(Reject::ForeignAccount));
    assert_eq!(stage.own(Own::Choose(browser, stage.accounts[0])), refused(Reject::ForeignAccount));
    let (group, roles) = (Some(stage.groups[0]), Some(TRADER));
    let off = UserChange { is_operator: Some(false), group, roles, ..UserChange::default() };
    assert_eq!(stage.change(ANN, off), Answer::Done);
    assert_eq!(has_open(&stage, ANN), [0; 3]);
    let browser = stage.browser(ANN);
    stage.placed(stage.page(browser, 0));
    stage.replays();
}

/// Another group ends all, so that no session acts for the accounts of the old one.
#[test]
fn another_group_ends_all() {
    let (mut stage, callers) = busy();
    let group = Some(stage.groups[1]);
    assert_eq!(stage.change(ANN, UserChange { group, ..UserChange::default() }), Answer::Done);
    assert_eq!(has_open(&stage, ANN), [0; 3]);
    for caller in callers {
        assert_eq!(stage.order(caller), barred(AccessReject::UnknownSession));
    }
    let browser = stage.browser(ANN);
    assert_eq!(stage.order(stage.page(browser, 0)), barred(AccessReject::ForeignAccount));
    stage.placed(stage.page(browser, 2));
    stage.replays();
}

/// The same group, the same roles and no change end nothing.
#[test]
fn a_repeated_change_ends_nothing() {
    let (mut stage, callers) = busy();
    let same = UserChange {
        group: Some(stage.groups[0]),
        roles: Some(ALL),
        is_disabled: Some(false),
        is_operator: Some(false),
        ..UserChange::default()
    };
    assert_eq!(stage.change(ANN, same), Answer::Done);
    assert_eq!(stage.change(ANN, UserChange::default()), Answer::Done);
    for caller in callers {
        stage.placed(caller);
    }
    assert_eq!(stage.change(UserId(9), UserChange::default()), refused(Reject::UnknownUser));
    let group = Some(GroupId::from_index(99));
    assert_eq!(
        stage.change(ANN, UserChange { group, ..UserChange::default() }),
        refused(Reject::UnknownGroup)
    );
    let roles = Some(Roles::of(&[Role::Auditor, Role::Trader]));
    assert_eq!(stage.change(ANN, UserChange { roles, ..UserChange::default() }), refused(Reject::BadRoles));
}

/// A new password by an operator ends the links that would set one.
#[test]
fn a_new_password_ends_open_links() {
    let (mut stage, callers) = busy();
    let mailing = buttonwood_engine::identity::Mailing { login: digest("ann"), peer: HOME, is_limited: true };
    assert_eq!(stage.own(Own::AskReset(mailing, digest("link"))), Answer::Done);
    let credential = Some(9);
    assert_eq!(stage.change(ANN, UserChange { credential, ..UserChange::default() }), Answer::Done);
    assert_eq!(stage.own(Own::Reset(digest("link"), 10)), refused(Reject::BadLink));
    stage.placed(callers[0]);
}

/// Another second factor by an operator forgets the recovery codes and the steps of the old one.
#[test]
fn another_factor_starts_anew() {
    let mut stage = Stage::new();
    let session = stage.open(ANN, HOME, false).expect("open");
    let code = stage.totp(0);
    assert_eq!(stage.prove(session, code), Answer::Done);
    let factor = Some(2);
    assert_eq!(stage.change(ANN, UserChange { factor, ..UserChange::default() }), Answer::Done);
    assert_eq!(stage.prove(session, code), refused(Reject::WrongCode), "the old secret");
    let Proof::Totp { step, .. } = code else { panic!("a step") };
    assert_eq!(stage.prove(session, Proof::Totp { factor: 2, step }), Answer::Done);
}

/// An address is a user's alone, and a user has a group and valid roles.
#[test]
fn a_user_is_checked() {
    let mut stage = Stage::new();
    let group = stage.groups[0];
    let add = |new| Own::AddUser(Arc::new(new));
    assert_eq!(stage.own(add(new_user("ann", group, ALL))), refused(Reject::Taken));
    assert_eq!(stage.own(add(new_user("x", group, Roles::NONE))), refused(Reject::BadRoles));
    assert_eq!(stage.own(add(new_user("x", GroupId::from_index(99), ALL))), refused(Reject::UnknownGroup));
    let operator = NewUser { is_operator: true, ..new_user("x", group, ALL) };
    assert_eq!(stage.own(add(operator.clone())), refused(Reject::BadRoles));
    let operator = NewUser { group: None, roles: Roles::NONE, ..operator };
    assert_eq!(stage.own(add(operator)), Answer::Done);
    assert_eq!(stage.identity().find_user(&digest("x")), Some(UserId(2)));
    stage.replays();
}
