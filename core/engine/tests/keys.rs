//! Which keys can be made: whom one acts for, what it may do and what is asked of it have to fit together.

use buttonwood_engine::{
    AccessReject, Answer, Body, Event, FEES, FeeSchedule, Founded, LedgerInfrequent, LedgerReject, Mode,
    NewSession, Opening, Owner, Reject,
};
use buttonwood_model::{AccountId, GroupId, Outbox, Role, Roles, Seq, Stamp, Time};
use buttonwood_oracle::{Exchange, fees_account};

/// Every kind of key, and what none can be: of another kind's prefix, without a role, an Auditor and more, a master key
/// that must be heard of, a key of nobody or of the house, a text twice. Proves AUTH-015, AUTH-024, SES-016.
#[test]
fn a_key_is_of_one_piece() {
    let mut exchange = Exchange::open(FeeSchedule::default(), None);
    let account = exchange.account("ann", "");
    let group = exchange.state.access().account(account).unwrap().group.unwrap();
    let (one, all) = (Owner::Account(account), Owner::Group(group));
    let key = |api_key: &str, owner, roles: &[Role], require_heartbeat| NewSession {
        api_key: api_key.to_owned(),
        name: api_key.to_owned(),
        owner,
        roles: Roles::of(roles),
        require_heartbeat,
        time_based_nonce: !require_heartbeat,
    };
    let (t, f, a) = (Role::Trader, Role::FundManager, Role::Auditor);
    let mut made = 0;
    let mut expect = |key: NewSession, expected: Answer| {
        made += usize::from(expected == Answer::Done);
        assert_eq!(exchange.own(Body::add_session(key.clone())), expected, "{key:?}");
        let sessions = exchange.state.access().sessions();
        assert_eq!(sessions.len(), made, "{key:?}");
        assert!(
            expected != Answer::Done || sessions.last().is_some_and(|newest| newest.key == key),
            "{key:?}"
        );
    };
    expect(key("account-a", one, &[t, f], true), Answer::Done);
    expect(key("master-a", all, &[Role::Administrator, t, f], false), Answer::Done);
    expect(key("account-b", one, &[a], false), Answer::Done);
    let nobody = [
        key("master-b", one, &[t], false),
        key("account-c", all, &[t], false),
        key("a", one, &[t], false),
        key("account-c", one, &[], false),
        key("account-c", one, &[a, t], false),
        key("master-b", all, &[a, Role::Administrator], false),
        key("master-b", all, &[t], true),
        key("account-c", Owner::Account(AccountId(99)), &[t], false),
        key("account-c", Owner::Account(fees_account()), &[t], false),
        key("master-b", Owner::Group(GroupId(99)), &[t], false),
    ];
    for key in nobody {
        expect(key, Answer::Rejected(Reject::Access(AccessReject::Unknown)));
    }
    expect(key("account-a", one, &[t], false), Answer::Rejected(Reject::Access(AccessReject::Taken)));
    expect(key("master-b", all, &[t], false), Answer::Done);
}

/// A directory that an earlier build made may lack accounts of the house: they are opened by name, at the next free places.
#[test]
fn missing_accounts_of_the_house_are_opened() {
    let mut exchange = Exchange::blank();
    assert_eq!(exchange.state.missing_houses().count(), 0, "nothing is missing before the directory is made");
    let mut out = Outbox::<Event>::default();
    out.begin();
    let opening = Opening { mode: Mode::Venue, seed: 1, hash_key: 2, fees: FeeSchedule::default() };
    out.push_named(&Founded::Opened(opening));
    out.push_named(&LedgerInfrequent::HouseOpened("source".into(), true));
    exchange.state.apply(Stamp { seq: Seq(1), time: Time(1) }, &out.events, &out.texts);
    exchange.stamp = exchange.state.stamp();
    for body in exchange.state.missing_houses().collect::<Vec<_>>() {
        assert_eq!(exchange.own(body), Answer::Done);
    }
    let state = &exchange.state;
    let houses: Vec<_> =
        state.ledger().houses().iter().map(|house| (house.name.as_str(), house.may_be_negative)).collect();
    assert_eq!(houses, [("source", true), ("fees", false), ("rounding", false)]);
    assert_eq!((state.missing_houses().count(), state.access().accounts().len()), (0, 3));
    let again = exchange.own(Body::open_house(FEES));
    assert_eq!(again, Answer::Rejected(Reject::Ledger(LedgerReject::Taken)));
}
