//! Operators who sign in: their two names, what two of them guard, and their way in and out.

use super::*;
use buttonwood_engine::identity::CONFIRM_AGE;
use buttonwood_engine::{ApprovalError, GuardedCommand, Note, Operation};

fn not_approved(error: ApprovalError) -> Answer {
    Answer::Rejected(AnyReject::Operation(error))
}

/// A guarded command; two with other arguments are not the same.
fn proposal(arguments: &str) -> Body {
    let (name, arguments) = ("app review".into(), arguments.into());
    Operation::Propose(Arc::new(GuardedCommand { name, arguments })).into()
}

impl Stage {
    /// An exchange with two users who are operators, where two are needed.
    fn of_operators(os_users: [Option<&str>; 2]) -> Self {
        let mut stage = Self::new();
        for (user, os_user) in [ANN, BOB].into_iter().zip(os_users) {
            assert_eq!(stage.tie(user, os_user), Answer::Done);
        }
        assert_eq!(stage.own(Operation::SetApprovals(2)), Answer::Done);
        stage
    }

    /// Makes a user an operator who is this user of the machine.
    fn tie(&mut self, user: UserId, os_user: Option<&str>) -> Answer {
        let os_user = os_user.map(str::to_owned);
        self.change(user, UserChange { is_operator: Some(true), os_user, ..UserChange::default() })
    }

    /// An act of a user of the machine, or of one who signed in.
    fn act(&mut self, (who, user): (&str, Option<UserId>), body: Option<Body>, approves: u64) -> Answer {
        let note = Note { who: who.into(), what: "something".into(), why: String::new(), user };
        self.own(Body::approving_act(note, body, approves))
    }

    fn proposes(&mut self, operator: (&str, Option<UserId>), arguments: &str) -> u64 {
        assert_eq!(self.act(operator, Some(proposal(arguments)), 0), Answer::Done);
        let proposals = self.exchange.state.operations().proposals(self.now());
        proposals.last().expect("it waits").id
    }

    fn waiting(&self) -> Vec<u64> {
        self.exchange.state.operations().proposals(self.now()).map(|proposal| proposal.id).collect()
    }
}

const ANN_PAGE: (&str, Option<UserId>) = ("ann@house.test", Some(ANN));
const BOB_PAGE: (&str, Option<UserId>) = ("bob@house.test", Some(BOB));

/// Who proposed under one name approves under neither; another operator approves under either.
#[test]
fn one_operator_has_two_names() {
    let own = not_approved(ApprovalError::OwnProposal);
    let mut stage = Stage::of_operators([Some("ann"), Some("bob")]);
    for (number, proposer) in [ANN_PAGE, ("ann", None)].into_iter().enumerate() {
        let id = stage.proposes(proposer, &format!("{number}"));
        for same in [ANN_PAGE, ("ann", None)] {
            assert_eq!(stage.act(same, None, id), own, "{proposer:?} and {same:?}");
        }
        let other = if number == 0 { ("bob", None) } else { BOB_PAGE };
        assert_eq!(stage.act(other, None, id), Answer::Done);
        assert_eq!(stage.act(other, None, id), not_approved(ApprovalError::Unknown), "it was done");
    }
    // Two addresses of one user of the machine are one operator.
    assert_eq!(stage.tie(BOB, Some("ann")), Answer::Done);
    let id = stage.proposes(ANN_PAGE, "2");
    assert_eq!(stage.act(BOB_PAGE, None, id), own);
    stage.replays();
}

/// A tie that changes after the proposal frees neither the user of the machine before nor the one after.
#[test]
fn a_later_tie_does_not_split_an_operator() {
    let mut stage = Stage::of_operators([Some("ann"), Some("bob")]);
    let id = stage.proposes(ANN_PAGE, "1");
    assert_eq!(stage.tie(ANN, Some("eve")), Answer::Done);
    for name in ["ann", "eve", "ann@house.test"] {
        assert_eq!(stage.act((name, None), None, id), not_approved(ApprovalError::OwnProposal), "{name}");
    }
    assert_eq!(stage.act(BOB_PAGE, None, id), Answer::Done);
    stage.replays();
}

/// An address without a user of the machine neither proposes nor approves; where one operator is enough it acts.
#[test]
fn an_untied_operator_is_not_one_of_two() {
    let mut stage = Stage::of_operators([None, Some("bob")]);
    let refusal = not_approved(ApprovalError::NoOsUser);
    assert_eq!(stage.act(ANN_PAGE, Some(proposal("1")), 0), refusal);
    let id = stage.proposes(BOB_PAGE, "1");
    assert_eq!(stage.act(ANN_PAGE, None, id), refusal);
    assert_eq!(stage.act(ANN_PAGE, Some(Own::ReviewApp(APP, false, false).into()), 0), Answer::Done);
    stage.replays();
}

/// A user who is no operator any more, or is disabled, neither acts nor approves, and what such a user proposed is withdrawn, so that another
/// operator can propose the same.
#[test]
fn the_proposals_of_a_former_operator_are_withdrawn() {
    for ends in [
        UserChange { is_disabled: Some(true), ..UserChange::default() },
        UserChange { is_operator: Some(false), ..UserChange::default() },
    ] {
        let mut stage = Stage::of_operators([Some("ann"), Some("bob")]);
        let (by_ann, by_bob) = (stage.proposes(ANN_PAGE, "1"), stage.proposes(BOB_PAGE, "2"));
        assert_eq!(stage.change(ANN, ends), Answer::Done);
        assert_eq!(stage.waiting(), [by_bob]);
        let refusal = not_approved(ApprovalError::NoOperator);
        assert_eq!(stage.act(ANN_PAGE, None, by_bob), refusal);
        assert_eq!(stage.act(ANN_PAGE, Some(Own::ReviewApp(APP, false, false).into()), 0), refusal);
        assert_eq!(stage.act(("carl", None), None, by_ann), not_approved(ApprovalError::Unknown));
        let again = stage.proposes(("ann", None), "1");
        assert_eq!(stage.act(BOB_PAGE, None, again), Answer::Done);
        stage.replays();
    }
}

/// An operator has no group and no roles, and returns to those of before; all sessions end on both ways.
#[test]
fn an_operator_returns_to_the_group() {
    let mut stage = Stage::new();
    let browser = stage.browser(ANN);
    assert_eq!(stage.tie(ANN, Some("ann")), Answer::Done);
    let ann = stage.user(ANN);
    assert_eq!((ann.group, ann.roles, ann.os_user.as_str()), (None, Roles::NONE, "ann"));
    assert_eq!(stage.stage_of(browser), None);
    // A repeated switch forgets nothing, and keeps the user of the machine.
    assert_eq!(stage.tie(ANN, None), Answer::Done);
    assert_eq!(stage.user(ANN).os_user, "ann");
    let browser = stage.browser(ANN);
    let off = || UserChange { is_operator: Some(false), ..UserChange::default() };
    assert_eq!(stage.change(ANN, off()), Answer::Done);
    let ann = stage.user(ANN);
    assert_eq!((ann.group, ann.roles, ann.os_user.as_str()), (Some(stage.groups[0]), ALL, ""));
    assert!(!ann.is_disabled);
    assert_eq!(stage.stage_of(browser), None);
    stage.replays();
}

/// An operator who never had a group is disabled in the end, until a group and roles are named.
#[test]
fn an_operator_without_a_group_is_disabled() {
    let mut stage = Stage::new();
    let group = stage.groups[1];
    let eve = NewUser { group: None, roles: Roles::NONE, is_operator: true, ..new_user("eve", group, ALL) };
    assert_eq!(stage.own(Own::AddUser(Arc::new(eve))), Answer::Done);
    let eve = UserId(2);
    let change = |is_operator, is_disabled, group, roles| UserChange {
        is_operator,
        is_disabled,
        group,
        roles,
        ..UserChange::default()
    };
    let enable = |group, roles| change(None, Some(false), group, roles);
    assert_eq!(stage.change(eve, change(Some(false), None, None, None)), Answer::Done);
    assert_eq!((stage.user(eve).is_disabled, stage.user(eve).group), (true, None));
    assert_eq!(stage.change(eve, enable(None, None)), refused(Reject::UnknownGroup));
    assert_eq!(stage.change(eve, enable(Some(group), None)), refused(Reject::BadRoles));
    assert_eq!(stage.change(eve, enable(Some(GroupId(99)), Some(TRADER))), refused(Reject::UnknownGroup));
    assert_eq!(stage.change(eve, enable(Some(group), Some(TRADER))), Answer::Done);
    assert_eq!((stage.user(eve).is_disabled, stage.user(eve).group), (false, Some(group)));
    stage.replays();
}

/// A user who is added gets a link that sets the password, for a day; the address must be free.
#[test]
fn a_user_is_added_with_a_link() {
    let mut stage = Stage::new();
    let group = stage.groups[0];
    let new = || Arc::new(NewUser { credential: 0, factor: 0, ..new_user("cat", group, TRADER) });
    assert_eq!(stage.own(Own::Invite(new(), digest("link"))), Answer::Done);
    let added = stage.now();
    assert_eq!(stage.own(Own::Invite(new(), digest("other"))), refused(Reject::Taken));
    let nowhere = NewUser { group: Some(GroupId(99)), ..new_user("dan", group, TRADER) };
    assert_eq!(stage.own(Own::Invite(Arc::new(nowhere), digest("dan"))), refused(Reject::UnknownGroup));
    let cat = UserId(2);
    assert!(!stage.user(cat).is_active(), "there is no password yet");
    stage.jump_to(added.plus(CONFIRM_AGE - 1));
    assert_eq!(stage.own(Own::Reset(digest("link"), 9)), Answer::Done);
    assert!(stage.user(cat).is_active());
    assert_eq!(stage.own(Own::Reset(digest("link"), 9)), refused(Reject::BadLink), "once");
    stage.replays();
}
