//! Families of refresh tokens: rotation, races, reuse, narrowing, and access tokens.

use super::*;
use buttonwood_engine::identity::{ACCESS_AGE, ACCESS_MAX, CONSUMED_MAX, GRANTS_MAX, RACE};

/// Proves OAUTH-015: a refresh token works once and gives the next; older access tokens live on.
#[test]
fn a_refresh_rotates() {
    let mut stage = Stage::new();
    let grant = stage.granted(ANN, 0, ORDERS, "1");
    assert_eq!(stage.refresh("1", "2"), Answer::Done);
    assert_eq!([stage.is_refresh("1"), stage.is_refresh("2")], [false, true]);
    assert!(stage.token("1").is_some() && stage.token("2").is_some());
    assert_eq!(stage.refresh_for(OWN, "2", "3", None), refused(Reject::BadGrant), "another client");
    assert_eq!(stage.refresh("unknown", "3"), refused(Reject::BadGrant));
    assert_eq!(stage.refresh("2", "3"), Answer::Done);
    assert_eq!(stage.token("3").map(|token| token.session), Some(grant));
    stage.restart();
    assert_eq!(stage.refresh("3", "4"), Answer::Done);
    stage.replays();
}

/// A consumed token within ten seconds is a race: refused, and nothing ends. Later its family ends, for other clients nothing.
#[test]
fn a_late_reuse_ends_the_family() {
    let mut stage = Stage::new();
    let grant = stage.granted(ANN, 0, ORDERS, "1");
    let other = stage.granted(ANN, 0, ORDERS, "other");
    assert_eq!(stage.refresh("1", "2"), Answer::Done);
    let used = stage.now();
    assert_eq!(stage.refresh("1", "3"), refused(Reject::BadGrant));
    stage.jump_to(used.plus(RACE));
    assert_eq!(stage.refresh("1", "3"), refused(Reject::BadGrant));
    assert!(stage.is_refresh("2"));
    assert_eq!(
        stage.refresh_for(OWN, "1", "3", None),
        refused(Reject::BadGrant),
        "another client ends nothing"
    );
    stage.restart();
    assert_eq!(stage.refresh("1", "3"), Answer::Done);
    assert_eq!(stage.grant(grant), None);
    assert_eq!(["1", "2", "3"].map(|text| stage.token(text)), [None; 3]);
    assert_eq!(["1", "2", "3"].map(|text| stage.is_refresh(text)), [false; 3]);
    assert_eq!(stage.refresh("2", "4"), refused(Reject::BadGrant));
    assert!(stage.grant(other).is_some() && stage.is_refresh("other"));
    stage.replays();
}

/// Of refreshes at the same time exactly one succeeds.
#[test]
fn one_of_racing_refreshes_succeeds() {
    let mut stage = Stage::new();
    stage.granted(ANN, 0, ORDERS, "0");
    let answers: Vec<Answer> = (1..9).map(|number| stage.refresh("0", &number.to_string())).collect();
    assert_eq!(answers.iter().filter(|answer| **answer == Answer::Done).count(), 1);
    assert_eq!((1..9).filter(|number| stage.is_refresh(&number.to_string())).count(), 1);
    assert_eq!((1..9).filter(|number| stage.token(&number.to_string()).is_some()).count(), 1);
}

/// The newest hundred consumed tokens end the family when they come late; an older one is refused alone.
#[test]
fn an_older_consumed_token_is_refused_alone() {
    let mut stage = Stage::new();
    let grant = stage.granted(ANN, 0, ORDERS, "0");
    for number in 0..=CONSUMED_MAX {
        assert_eq!(stage.refresh(&number.to_string(), &(number + 1).to_string()), Answer::Done);
    }
    stage.jump(2 * RACE);
    assert_eq!(stage.refresh("0", "x"), refused(Reject::BadGrant));
    assert!(stage.grant(grant).is_some());
    assert_eq!(stage.refresh("1", "x"), Answer::Done);
    assert_eq!(stage.grant(grant), None);
    stage.replays();
}

/// A refresh narrows scopes for good; a wider one is refused, and a refused one uses nothing up.
#[test]
fn a_refresh_narrows_for_good() {
    let mut stage = Stage::new();
    stage.granted(ANN, 0, ORDERS, "1");
    let read = Scopes::of(&[Scope::OrdersRead]);
    let wide = ORDERS.with(Scope::BalancesRead);
    assert_eq!(stage.refresh_for(APP, "1", "2", Some(wide)), refused(Reject::WiderScope));
    assert_eq!(stage.refresh_for(APP, "1", "2", Some(Scopes::NONE)), refused(Reject::WiderScope));
    assert!(stage.is_refresh("1"));
    assert_eq!(stage.refresh_for(APP, "1", "2", Some(read)), Answer::Done);
    assert_eq!(stage.token("2").map(|token| token.scopes), Some(read));
    assert_eq!(stage.token("1").map(|token| token.scopes), Some(ORDERS), "an older token keeps its scopes");
    assert_eq!(stage.refresh_for(APP, "2", "3", Some(ORDERS)), refused(Reject::WiderScope));
    assert_eq!(stage.refresh("2", "3"), Answer::Done);
    assert_eq!(stage.token("3").map(|token| token.scopes), Some(read));
    stage.placed(stage.bearer("1"));
    assert_eq!(stage.order(stage.bearer("3")), barred(AccessReject::MissingScope(read)));
    stage.replays();
}

/// A family has at most ten access tokens; another one ends the oldest.
#[test]
fn the_oldest_access_token_ends() {
    let mut stage = Stage::new();
    stage.granted(ANN, 0, ORDERS, "0");
    let oldest = stage.bearer("0");
    for number in 0..ACCESS_MAX {
        assert!(stage.token("0").is_some());
        assert_eq!(stage.refresh(&number.to_string(), &(number + 1).to_string()), Answer::Done);
    }
    assert_eq!(stage.token("0"), None);
    assert_eq!(stage.order(oldest), barred(AccessReject::UnknownSession));
    assert!((1..=ACCESS_MAX).all(|number| stage.token(&number.to_string()).is_some()));
    stage.replays();
}

/// Proves OAUTH-022: an access token lives 24 hours, by the stamp of its command.
#[test]
fn an_access_token_lives_a_day() {
    let mut stage = Stage::new();
    let grant = stage.granted(ANN, 0, ORDERS, "1");
    let given = stage.now();
    let bearer = stage.bearer("1");
    stage.jump_to(given.plus(ACCESS_AGE - 1));
    stage.placed(bearer);
    assert_eq!(stage.order(bearer), barred(AccessReject::UnknownSession), "nothing was forgotten yet");
    assert_eq!(stage.token("1"), None);
    stage.catch_up();
    assert_eq!(stage.order(bearer), barred(AccessReject::UnknownSession));
    // A refresh token has no age limit.
    assert!(stage.grant(grant).is_some());
    stage.jump(1_000 * 24 * HOUR);
    assert_eq!(stage.refresh("1", "2"), Answer::Done);
    stage.placed(stage.bearer("2"));
    assert_eq!(stage.order(bearer), barred(AccessReject::UnknownSession));
    stage.replays();
}

/// A user has a hundred families at most; another one ends the oldest.
#[test]
fn the_oldest_family_ends() {
    let mut stage = Stage::new();
    let new = |tokens: &str, stage: &Stage| buttonwood_engine::identity::NewGrant {
        app: APP,
        user: ANN,
        account: stage.accounts[0],
        scopes: ORDERS,
        code: None,
        access: digest(&format!("a-{tokens}")),
        refresh: Some(digest(&format!("r-{tokens}"))),
    };
    for number in 0..=GRANTS_MAX {
        assert_eq!(stage.own(Own::Grant(new(&number.to_string(), &stage))), Answer::Done);
    }
    assert_eq!(stage.user(ANN).grants().len(), GRANTS_MAX);
    assert_eq!((stage.token("0"), stage.is_refresh("0")), (None, false));
    assert!(stage.token("1").is_some() && stage.is_refresh("1"));
    stage.replays();
}
