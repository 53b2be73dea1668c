//! Authorization codes: their life, their bounds, and what a second use ends.

use super::*;
use buttonwood_engine::identity::{CODE_AGE, CODE_FRESH};

/// Proves OAUTH-012: a code lives 600 seconds by the command's stamp.
#[test]
fn a_code_lives_ten_minutes() {
    let mut stage = Stage::new();
    let browser = stage.browser(ANN);
    let codes = ["c-1", "c-2"].map(|code| stage.consent(browser, code));
    let issued = Time(stage.now().0 + 1);
    for code in codes {
        assert_eq!(stage.issue(code), Answer::Done);
    }
    stage.jump_to(issued.plus(CODE_AGE - 1));
    assert_eq!(stage.exchange(Stage::redeem("c-1", "1")), Answer::Done);
    stage.jump(1);
    assert_eq!(stage.exchange(Stage::redeem("c-2", "2")), refused(Reject::BadGrant));
    assert!(stage.identity().code(&digest("c-2")).is_some(), "nothing was forgotten yet");
    stage.catch_up();
    assert!(stage.identity().code(&digest("c-2")).is_none());
    stage.replays();
}

/// Proves OAUTH-011, OAUTH-012, OAUTH-018: a failed try does not use a code up.
#[test]
fn a_failed_try_does_not_use_a_code_up() {
    let mut stage = Stage::new();
    let browser = stage.browser(ANN);
    let challenge = Some(digest("verifier"));
    let new = NewCode { challenge, ..stage.consent(browser, "c") };
    assert_eq!(stage.issue(new), Answer::Done);
    let right = Redeem { verifier: challenge, ..Stage::redeem("c", "1") };
    let uris =
        ["", "https://app.example/", "https://app.example/callback/", "https://app.example/callback?x"];
    let mut wrong: Vec<Redeem> =
        uris.map(|uri| Redeem { redirect_uri: uri.into(), ..right.clone() }).into_iter().collect();
    wrong.push(Redeem { app: OWN, ..right.clone() });
    wrong.push(Redeem { verifier: Some(digest("another")), ..right.clone() });
    wrong.push(Redeem { verifier: None, ..right.clone() });
    wrong.push(Redeem { code: digest("unknown"), ..right.clone() });
    for asked in wrong {
        assert_eq!(stage.exchange(asked.clone()), refused(Reject::BadGrant), "{asked:?}");
    }
    assert_eq!(stage.exchange(right), Answer::Done);
    assert!(stage.token("1").is_some() && stage.is_refresh("1"));
}

/// A verifier without a challenge is refused.
#[test]
fn a_verifier_needs_a_challenge() {
    let mut stage = Stage::new();
    let browser = stage.browser(ANN);
    let new = stage.consent(browser, "c");
    assert_eq!(stage.issue(new), Answer::Done);
    let verifier = Some(digest("verifier"));
    let asked = Redeem { verifier, ..Stage::redeem("c", "1") };
    assert_eq!(stage.exchange(asked), refused(Reject::BadGrant));
    assert_eq!(stage.exchange(Stage::redeem("c", "1")), Answer::Done);
}

/// Proves OAUTH-010: a second use of a code gives nothing, and ends the tokens of the first, also after refreshes and a restart.
#[test]
fn a_second_use_ends_the_tokens_of_the_first() {
    let mut stage = Stage::new();
    let other = stage.granted(ANN, 0, ORDERS, "other");
    let grant = stage.granted(ANN, 0, ORDERS, "1");
    assert_eq!(stage.refresh("1", "2"), Answer::Done);
    stage.restart();
    // Another client cannot end them.
    let foreign = Redeem { app: OWN, ..Stage::redeem("c-1", "3") };
    assert_eq!(stage.exchange(foreign), refused(Reject::BadGrant));
    assert!(stage.grant(grant).is_some());
    assert_eq!(stage.exchange(Stage::redeem("c-1", "3")), Answer::Done);
    assert_eq!(stage.grant(grant), None);
    assert_eq!(["1", "2", "3"].map(|text| stage.token(text)), [None; 3]);
    assert_eq!(["1", "2", "3"].map(|text| stage.is_refresh(text)), [false; 3]);
    assert!(stage.grant(other).is_some());
    assert_eq!(stage.exchange(Stage::redeem("c-1", "4")), refused(Reject::BadGrant));
    assert_eq!(stage.exchange.state.access().held(grant), None);
    stage.replays();
}

/// Proves OAUTH-001: an app that was not reviewed acts for its owner alone.
#[test]
fn an_unreviewed_app_acts_for_its_owner() {
    let mut stage = Stage::new();
    let bob = stage.browser(BOB);
    let account = stage.accounts[2];
    let new = NewCode { app: OWN, account, ..stage.consent(bob, "c-1") };
    assert_eq!(stage.issue(new), refused(Reject::NotReviewed));
    let ann = stage.browser(ANN);
    let new = NewCode { app: OWN, ..stage.consent(ann, "c-2") };
    assert_eq!(stage.issue(new), Answer::Done);
    let unknown = NewCode { app: AppId([7; 16]), ..stage.consent(ann, "c-3") };
    assert_eq!(stage.issue(unknown), refused(Reject::UnknownApp));
}

/// A consent is for an account of the user's own group that is open.
#[test]
fn a_consent_is_for_an_account_of_the_group() {
    let mut stage = Stage::new();
    let browser = stage.browser(ANN);
    let [_, second, foreign] = stage.accounts;
    for account in [foreign, AccountId(0), AccountId(9_999)] {
        let new = NewCode { account, ..stage.consent(browser, "c") };
        assert_eq!(stage.issue(new), refused(Reject::ForeignAccount), "{account:?}");
    }
    let new = NewCode { account: second, ..stage.consent(browser, "c") };
    assert_eq!(stage.issue(new), Answer::Done);
    assert_eq!(stage.exchange(Stage::redeem("c", "1")), Answer::Done);
    assert_eq!(stage.token("1").map(|token| token.account), Some(second));
}

/// Scopes beyond the app's or the user's roles are not granted, and those of money take a fresh code.
#[test]
fn a_consent_grants_what_user_and_app_have() {
    let mut stage = Stage::new();
    let narrow = NewApp { scopes: Scopes::of(&[Scope::BalancesRead]), ..new_app(AppId([7; 16]), ANN, true) };
    assert_eq!(stage.own(Own::AddApp(Arc::new(narrow))), Answer::Done);
    let browser = stage.browser(ANN);
    let new = NewCode { app: AppId([7; 16]), ..stage.consent(browser, "c") };
    assert_eq!(stage.issue(new), refused(Reject::WiderScope));
    let none = NewCode { scopes: Scopes::NONE, ..stage.consent(browser, "c") };
    assert_eq!(stage.issue(none), refused(Reject::WiderScope));
    stage.set_roles(ANN, TRADER);
    let send = NewCode { scopes: Scopes::of(&[Scope::CryptoSend]), ..stage.consent(browser, "c") };
    assert_eq!(stage.issue(send.clone()), refused(Reject::WiderScope));
    stage.set_roles(ANN, ALL);
    assert_eq!(stage.issue(send.clone()), Answer::Done);
    stage.jump(CODE_FRESH);
    let again = NewCode { code: digest("c-2"), ..send };
    assert_eq!(stage.issue(again), refused(Reject::CodeRequired));
    let new = stage.consent(browser, "c-2");
    assert_eq!(stage.issue(new), Answer::Done);
    let half = stage.open(ANN, HOME, false).expect("open");
    let new = stage.consent(half, "c-3");
    assert_eq!(stage.issue(new), refused(Reject::WrongStage));
}

/// A role that was lost between consent and exchange is not granted any more; without any scope left there is no grant.
#[test]
fn an_exchange_grants_what_the_user_has_by_then() {
    let mut stage = Stage::new();
    let browser = stage.browser(ANN);
    let scopes = Scopes::of(&[Scope::OrdersCreate, Scope::BalancesRead]);
    let new = NewCode { scopes, ..stage.consent(browser, "c-1") };
    assert_eq!(stage.issue(new), Answer::Done);
    let orders = Scopes::of(&[Scope::OrdersCreate]);
    let new = NewCode { scopes: orders, ..stage.consent(browser, "c-2") };
    assert_eq!(stage.issue(new), Answer::Done);
    stage.set_roles(ANN, Roles::of(&[Role::Auditor]));
    assert_eq!(stage.exchange(Stage::redeem("c-1", "1")), Answer::Done);
    assert_eq!(stage.token("1").map(|token| token.scopes), Some(Scopes::of(&[Scope::BalancesRead])));
    assert_eq!(stage.exchange(Stage::redeem("c-2", "2")), refused(Reject::BadGrant));
    stage.replays();
}

/// A code and tokens that are known are not given again.
#[test]
fn no_secret_is_given_twice() {
    let mut stage = Stage::new();
    let browser = stage.browser(ANN);
    let new = stage.consent(browser, "c");
    assert_eq!(stage.issue(new.clone()), Answer::Done);
    assert_eq!(stage.issue(new), refused(Reject::BadGrant));
    assert_eq!(stage.exchange(Stage::redeem("c", "1")), Answer::Done);
    let new = stage.consent(browser, "c-2");
    assert_eq!(stage.issue(new), Answer::Done);
    assert_eq!(stage.exchange(Stage::redeem("c-2", "1")), refused(Reject::BadGrant));
    assert_eq!(stage.exchange(Stage::redeem("c-2", "2")), Answer::Done);
}
