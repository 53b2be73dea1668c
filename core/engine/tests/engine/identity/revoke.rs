//! Ends of tokens and grants by their app, by who holds them, and by the user.

use super::*;

/// A refresh token ends its family, an access token itself alone.
#[test]
fn a_revocation_ends_what_it_names() {
    let mut stage = Stage::new();
    let grant = stage.granted(ANN, 0, ORDERS, "1");
    assert_eq!(stage.refresh("1", "2"), Answer::Done);
    let bearer = stage.bearer("1");
    assert_eq!(stage.own(Own::Revoke(Some(APP), digest("a-1"))), Answer::Done);
    assert_eq!(stage.order(bearer), barred(AccessReject::UnknownSession));
    assert!(stage.token("1").is_none() && stage.token("2").is_some() && stage.is_refresh("2"));
    stage.restart();
    assert_eq!(stage.order(bearer), barred(AccessReject::UnknownSession), "a restart revives nothing");
    let second = stage.bearer("2");
    assert_eq!(stage.own(Own::Revoke(None, digest("r-2"))), Answer::Done);
    assert_eq!((stage.grant(grant), stage.token("2"), stage.is_refresh("2")), (None, None, false));
    assert_eq!(stage.order(second), barred(AccessReject::UnknownSession));
    stage.restart();
    assert_eq!((stage.token("2"), stage.is_refresh("2")), (None, false));
    stage.replays();
}

/// Unknown tokens are done, and those of another client stay.
#[test]
fn foreign_and_unknown_tokens_are_left_alone() {
    let mut stage = Stage::new();
    stage.granted(ANN, 0, ORDERS, "1");
    for token in ["a-1", "r-1", "a-unknown", "r-unknown"] {
        assert_eq!(stage.own(Own::Revoke(Some(OWN), digest(token))), Answer::Done);
        assert!(stage.exchange.work.out.events.is_empty());
    }
    assert!(stage.token("1").is_some() && stage.is_refresh("1"));
    assert_eq!(stage.own(Own::Revoke(None, digest("a-1"))), Answer::Done);
    assert!(stage.token("1").is_none() && stage.is_refresh("1"));
}

/// A user ends a grant of their own.
#[test]
fn a_user_ends_a_grant() {
    let mut stage = Stage::new();
    let grant = stage.granted(ANN, 0, ORDERS, "1");
    assert_eq!(stage.own(Own::EndGrant(BOB, grant)), refused(Reject::UnknownGrant));
    assert_eq!(stage.own(Own::EndGrant(ANN, SessionId::held(999))), refused(Reject::UnknownGrant));
    assert_eq!(stage.own(Own::EndGrant(ANN, grant)), Answer::Done);
    assert_eq!((stage.grant(grant), stage.token("1"), stage.is_refresh("1")), (None, None, false));
    assert_eq!(stage.own(Own::EndGrant(ANN, grant)), refused(Reject::UnknownGrant));
    stage.replays();
}

/// Proves OAUTH-024: it ends every token, family and open code of that app, user and account, and nothing else.
#[test]
fn revoke_by_token_ends_one_consent() {
    let mut stage = Stage::new();
    let cat = UserId(2);
    let new = new_user("cat", stage.groups[0], ALL);
    assert_eq!(stage.own(Own::AddUser(Arc::new(new))), Answer::Done);
    let ended = [stage.granted(ANN, 0, ORDERS, "1"), stage.granted(ANN, 0, ORDERS, "2")];
    let browser = stage.browser(ANN);
    let own = NewCode { app: OWN, ..stage.consent(browser, "c-own") };
    assert_eq!(stage.issue(own), Answer::Done);
    let redeem = Redeem { app: OWN, ..Stage::redeem("c-own", "own") };
    assert_eq!(stage.exchange(redeem), Answer::Done);
    let kept = [stage.granted(ANN, 1, ORDERS, "account"), stage.granted(cat, 0, ORDERS, "user")];
    let [open, elsewhere] = [("c-open", 0), ("c-elsewhere", 1)]
        .map(|(code, account)| NewCode { account: stage.accounts[account], ..stage.consent(browser, code) });
    assert_eq!(stage.issue(open), Answer::Done);
    assert_eq!(stage.issue(elsewhere), Answer::Done);
    let caller = Caller { account: None, ..stage.bearer("1") };
    assert_eq!(stage.call(caller, Own::RevokeByToken), Answer::Done);
    assert_eq!(ended.map(|grant| stage.grant(grant)), [None; 2]);
    assert!(kept.into_iter().all(|grant| stage.grant(grant).is_some()));
    assert!(["own", "account", "user"].into_iter().all(|text| stage.token(text).is_some()));
    assert!(stage.identity().code(&digest("c-open")).is_none());
    assert!(stage.identity().code(&digest("c-elsewhere")).is_some());
    assert_eq!(stage.call(caller, Own::RevokeByToken), barred(AccessReject::UnknownSession));
    stage.replays();
}

/// Only a token revokes by token: neither a key nor a browser nor the exchange.
#[test]
fn only_a_token_revokes_by_token() {
    let mut stage = Stage::new();
    let key = stage.exchange.key("ann", stage.accounts[0], Role::Trader);
    let caller = buttonwood_oracle::caller(key, stage.accounts[0], 1);
    let answer = stage.exchange.submit(1, &Command { caller: Some(caller), body: Own::RevokeByToken.into() });
    assert!(matches!(answer, Answer::Rejected(_)), "{answer:?}");
    let browser = stage.browser(ANN);
    let answer = stage.call(stage.page(browser, 0), Own::RevokeByToken);
    assert!(matches!(answer, Answer::Rejected(_)), "{answer:?}");
    assert_eq!(stage.own(Own::RevokeByToken), refused(Reject::Unknown));
}

/// No token or browser sends the commands of the exchange itself.
#[test]
fn tokens_send_no_commands_of_the_exchange() {
    let mut stage = Stage::new();
    stage.granted(ANN, 0, Scopes::ALL, "1");
    let browser = stage.browser(ANN);
    for caller in [stage.bearer("1"), stage.page(browser, 0)] {
        let commands = [
            Own::Forget,
            Own::DeleteApp(APP),
            Own::EndGrant(ANN, caller.session),
            Own::Revoke(None, digest("a-1")),
            Own::ChangeUser(ANN, Arc::new(UserChange::default())),
        ];
        for command in commands {
            let answer = stage.call(caller, command);
            assert!(matches!(answer, Answer::Rejected(_)), "{answer:?}");
        }
    }
}
