//! Apps: registration, reviews, the implicit flow, and deletion.

use super::*;
use buttonwood_engine::identity::APPS_MAX;

/// A registration names scopes and URIs, a confidential client has a secret, and a public one has none.
#[test]
fn a_registration_is_checked() {
    let mut stage = Stage::new();
    let id = AppId([7; 16]);
    let bad = [
        NewApp { scopes: Scopes::NONE, ..new_app(id, ANN, true) },
        NewApp { redirect_uris: Vec::new(), ..new_app(id, ANN, true) },
        NewApp { secret: Some(digest("x")), ..new_app(id, ANN, true) },
        NewApp { secret: None, ..new_app(id, ANN, false) },
    ];
    for new in bad {
        assert_eq!(stage.own(Own::AddApp(Arc::new(new))), refused(Reject::BadApp));
    }
    assert_eq!(stage.own(Own::AddApp(Arc::new(new_app(APP, ANN, true)))), refused(Reject::Taken));
    assert_eq!(stage.own(Own::AddApp(Arc::new(new_app(id, UserId(9), true)))), refused(Reject::UnknownUser));
    for number in 1..=APPS_MAX {
        let id = AppId([100 + u8::try_from(number).expect("few"); 16]);
        let answer = stage.own(Own::AddApp(Arc::new(new_app(id, ANN, true))));
        // One is Ann's from the beginning.
        assert_eq!(answer, if number < APPS_MAX { Answer::Done } else { refused(Reject::TooManyApps) });
    }
    assert_eq!(stage.own(Own::SetAppSecret(OWN, digest("x"))), refused(Reject::BadApp));
    assert_eq!(stage.own(Own::SetAppSecret(id, digest("x"))), refused(Reject::UnknownApp));
    assert_eq!(stage.own(Own::SetAppSecret(APP, digest("x"))), Answer::Done);
    assert_eq!(stage.identity().app(APP).and_then(|app| app.secret), Some(digest("x")));
    stage.replays();
}

/// A withdrawn review ends tokens, families and open codes of all users but the owner.
#[test]
fn a_withdrawn_review_ends_what_others_granted() {
    let mut stage = Stage::new();
    let ann = stage.granted(ANN, 0, ORDERS, "1");
    let bob = stage.granted(BOB, 2, ORDERS, "2");
    let [browser, owner] = [stage.browser(ANN), stage.browser(BOB)];
    let codes = [
        stage.consent(browser, "c-ann"),
        NewCode { account: stage.accounts[2], ..stage.consent(owner, "c-bob") },
    ];
    for code in codes {
        assert_eq!(stage.issue(code), Answer::Done);
    }
    assert_eq!(stage.own(Own::ReviewApp(APP, false, false)), Answer::Done);
    assert_eq!((stage.grant(ann), stage.token("1"), stage.is_refresh("1")), (None, None, false));
    assert!(stage.grant(bob).is_some() && stage.is_refresh("2"));
    assert_eq!(stage.exchange(Stage::redeem("c-ann", "3")), refused(Reject::BadGrant));
    assert_eq!(stage.exchange(Stage::redeem("c-bob", "4")), Answer::Done);
    // A new review revives nothing.
    assert_eq!(stage.own(Own::ReviewApp(APP, true, false)), Answer::Done);
    assert_eq!(stage.refresh("1", "5"), refused(Reject::BadGrant));
    assert_eq!(stage.own(Own::ReviewApp(AppId([7; 16]), true, false)), refused(Reject::UnknownApp));
    stage.replays();
}

/// Proves OAUTH-006: a token of the implicit flow only where it is on; switching it off ends its tokens, and those alone.
#[test]
fn the_implicit_flow_ends_with_its_switch() {
    let mut stage = Stage::new();
    let browser = stage.browser(ANN);
    let new = NewCode { is_implicit: true, ..stage.consent(browser, "a-implicit") };
    assert_eq!(stage.issue(new.clone()), refused(Reject::BadGrant));
    assert_eq!(stage.own(Own::ReviewApp(APP, true, true)), Answer::Done);
    assert_eq!(stage.issue(new), Answer::Done);
    let bearer = stage.bearer("implicit");
    stage.placed(bearer);
    let family = stage.granted(ANN, 0, ORDERS, "1");
    assert_eq!(stage.own(Own::ReviewApp(APP, true, false)), Answer::Done);
    assert_eq!(stage.order(bearer), barred(AccessReject::UnknownSession));
    assert_eq!(stage.grant(bearer.session), None);
    assert!(stage.grant(family).is_some());
    stage.replays();
}

/// A grant of the implicit flow ends with its token, when it is revoked and when it expires.
#[test]
fn an_implicit_grant_ends_with_its_token() {
    let mut stage = Stage::new();
    assert_eq!(stage.own(Own::ReviewApp(APP, true, true)), Answer::Done);
    let browser = stage.browser(ANN);
    for text in ["a-1", "a-2"] {
        let new = NewCode { is_implicit: true, ..stage.consent(browser, text) };
        assert_eq!(stage.issue(new), Answer::Done);
    }
    assert_eq!(stage.user(ANN).grants().len(), 2);
    assert_eq!(stage.own(Own::Revoke(Some(APP), digest("a-1"))), Answer::Done);
    assert_eq!(stage.user(ANN).grants().len(), 1);
    stage.jump(24 * HOUR);
    stage.catch_up();
    assert_eq!(stage.user(ANN).grants(), &[]);
    stage.replays();
}

/// A deleted app has neither tokens nor codes, and its id may not act again.
#[test]
fn a_deleted_app_ends_all() {
    let mut stage = Stage::new();
    let grant = stage.granted(ANN, 0, ORDERS, "1");
    let browser = stage.browser(ANN);
    let [app, own] =
        [("c-3", APP), ("c-2", OWN)].map(|(code, app)| NewCode { app, ..stage.consent(browser, code) });
    assert_eq!(stage.issue(app), Answer::Done);
    assert_eq!(stage.issue(own), Answer::Done);
    let bearer = stage.bearer("1");
    assert_eq!(stage.own(Own::DeleteApp(APP)), Answer::Done);
    assert_eq!(stage.own(Own::DeleteApp(APP)), refused(Reject::UnknownApp));
    assert_eq!((stage.grant(grant), stage.is_refresh("1")), (None, false));
    assert_eq!(stage.order(bearer), barred(AccessReject::UnknownSession));
    assert_eq!(stage.exchange(Stage::redeem("c-3", "3")), refused(Reject::BadGrant));
    assert!(stage.identity().code(&digest("c-2")).is_some());
    stage.replays();
}
