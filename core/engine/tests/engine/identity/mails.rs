//! Links that are mailed, their limits, and what is forgotten by the clock.

use super::*;
use buttonwood_engine::identity::{
    CONFIRM_AGE, Confirm, ConfirmProof, MAILS_OF_ADDRESS, MAILS_OF_PEER, Mailing, RESET_AGE, SignUp,
};

fn mailing(name: &str, peer: Peer) -> Mailing {
    Mailing { login: digest(name), peer, is_limited: true }
}

fn sign_up(name: &str, token: &str) -> Own {
    let new = SignUp {
        login: digest(name),
        name: name.into(),
        credential: 7,
        token: digest(token),
        browser: digest("browser"),
        ends: Time(0),
    };
    Own::SignUp(mailing(name, HOME), Arc::new(new))
}

fn confirm(stage: &Stage, token: &str, proof: ConfirmProof) -> Own {
    let usd = buttonwood_model::CurrencyId::from_index(
        stage.exchange.state.currencies().iter().position(|it| it.code == "USD").expect("listed"),
    );
    Own::Confirm(Arc::new(Confirm { token: digest(token), proof, credit: vec![(usd, Money::ONE)] }))
}

/// A confirmed address gets a group with one account, once, in the browser that signed up or with the password.
#[test]
fn a_confirmed_address_has_a_group() {
    let mut stage = Stage::new();
    assert_eq!(stage.own(sign_up("cat", "t")), Answer::Done);
    assert_eq!(stage.own(sign_up("cat", "t-2")), Answer::Done);
    let wrong = [ConfirmProof::Browser(digest("another")), ConfirmProof::Password(8)];
    for proof in wrong {
        let command = confirm(&stage, "t", proof);
        assert_eq!(stage.own(command), refused(Reject::BadLink));
    }
    let right = ConfirmProof::Browser(digest("browser"));
    let command = confirm(&stage, "unknown", right);
    assert_eq!(stage.own(command), refused(Reject::BadLink));
    let command = confirm(&stage, "t", right);
    assert_eq!(stage.own(command.clone()), Answer::Done);
    assert_eq!(stage.own(command), refused(Reject::BadLink));
    let command = confirm(&stage, "t-2", ConfirmProof::Password(7));
    assert_eq!(stage.own(command), refused(Reject::BadLink), "the address is taken by now");
    let cat = stage.user(UserId(2));
    assert_eq!((cat.roles, cat.factor, cat.credential), (ALL, 0, 7));
    let group = cat.group.expect("a new one");
    let accounts: Vec<_> = stage.exchange.state.access().accounts_of(group).collect();
    assert_eq!(accounts.len(), 1);
    assert_eq!(accounts[0].1.short_name, "primary");
    stage.replays();
}

/// A link confirms for a day, and that of a password lives an hour; each works once.
#[test]
fn links_end() {
    let mut stage = Stage::new();
    assert_eq!(stage.own(sign_up("cat", "t")), Answer::Done);
    let signed_up = stage.now();
    assert_eq!(stage.own(Own::AskReset(mailing("ann", HOME), digest("r"))), Answer::Done);
    assert_eq!(stage.own(Own::AskReset(mailing("unknown", HOME), digest("x"))), Answer::Done);
    assert_eq!(stage.identity().reset(&digest("x"), stage.now()), None);
    let asked = stage.now();
    stage.jump_to(asked.plus(RESET_AGE - 2));
    assert_eq!(stage.own(Own::Reset(digest("r"), 0)), refused(Reject::BadLink));
    stage.jump(1);
    assert_eq!(stage.own(Own::Reset(digest("r"), 2)), refused(Reject::BadLink));
    stage.catch_up();
    stage.jump_to(signed_up.plus(CONFIRM_AGE));
    let command = confirm(&stage, "t", ConfirmProof::Password(7));
    assert_eq!(stage.own(command), refused(Reject::BadLink));
    stage.catch_up();
    assert_eq!(stage.identity().sign_up(&digest("t"), stage.now()), None);
    stage.replays();
}

/// A password by a link signs the user out everywhere, and ends the user's other links; grants stay.
#[test]
fn a_reset_signs_out_everywhere() {
    let mut stage = Stage::new();
    let grant = stage.granted(ANN, 0, ORDERS, "1");
    let bob = stage.browser(BOB);
    for (name, token) in [("ann", "r-1"), ("ann", "r-2"), ("bob", "r-3")] {
        assert_eq!(stage.own(Own::AskReset(mailing(name, HOME), digest(token))), Answer::Done);
    }
    assert_eq!(stage.own(Own::Reset(digest("r-1"), 2)), Answer::Done);
    assert_eq!((stage.user(ANN).browsers(), stage.user(ANN).credential), (&[][..], 2));
    assert!(stage.grant(grant).is_some() && stage.stage_of(bob).is_some());
    for token in ["r-1", "r-2"] {
        assert_eq!(stage.own(Own::Reset(digest(token), 3)), refused(Reject::BadLink));
    }
    assert_eq!(stage.own(Own::Reset(digest("r-3"), 3)), Answer::Done);
    stage.replays();
}

/// An address gets three mails an hour, and the fourth is not sent; a peer gets twenty, and the next is refused.
#[test]
fn mails_are_limited() {
    let mut stage = Stage::new();
    for number in 0..=MAILS_OF_ADDRESS {
        let token = digest(&format!("r-{number}"));
        assert_eq!(stage.own(Own::AskReset(mailing("ann", HOME), token)), Answer::Done);
        let is_sent = stage.identity().reset(&token, stage.now()).is_some();
        assert_eq!(is_sent, number < MAILS_OF_ADDRESS, "{number}");
    }
    for number in MAILS_OF_ADDRESS + 1..MAILS_OF_PEER {
        let name = format!("n-{number}");
        assert_eq!(stage.own(sign_up(&name, &format!("t-{number}"))), Answer::Done);
    }
    let answer = stage.own(sign_up("last", "t-last"));
    assert!(matches!(answer, Answer::Rejected(AnyReject::Identity(Reject::Throttled(_)))), "{answer:?}");
    stage.restart();
    assert!(matches!(stage.own(sign_up("last", "t-last")), Answer::Rejected(_)), "a restart keeps it");
    let free = Own::AskReset(mailing("bob", AWAY), digest("r-bob"));
    assert_eq!(stage.own(free), Answer::Done);
    let unlimited = Mailing { is_limited: false, ..mailing("ann", HOME) };
    assert_eq!(stage.own(Own::AskReset(unlimited, digest("r-free"))), Answer::Done);
    assert!(stage.identity().reset(&digest("r-free"), stage.now()).is_some());
    stage.jump(HOUR);
    assert_eq!(stage.own(sign_up("last", "t-last")), Answer::Done);
    stage.replays();
}

/// Ended records are forgotten in bounded steps, and nothing before its time.
#[test]
fn ended_records_are_forgotten_in_steps() {
    let mut stage = Stage::new();
    assert_eq!(stage.own(Own::Forget), refused(Reject::NotDue));
    for number in 0..250 {
        assert_eq!(stage.fail(&format!("n-{number}"), HOME, None), Answer::Done);
    }
    assert_eq!(stage.own(Own::Forget), refused(Reject::NotDue));
    stage.jump(10 * MINUTE);
    for _ in 0..3 {
        assert!(stage.identity().is_due(stage.now()));
        assert_eq!(stage.own(Own::Forget), Answer::Done);
    }
    assert!(!stage.identity().is_due(stage.now()));
    assert_eq!(stage.own(Own::Forget), refused(Reject::NotDue));
    stage.replays();
}
