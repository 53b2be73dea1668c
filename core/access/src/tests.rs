//! Directory, sessions and codes where other rooms' tests would meet a mistake late.

use crate::change::{ADDRESSES_MAX, check_addresses};
use crate::{
    Access, Account, AccountKind, Caller, Command, Event, NewSession, Owner, Reject, Seen, admit, decide,
};
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use buttonwood_model::{
    AccountId, BytesRef, Cidr, Effect, GroupId, Nonce, Outbox, Role, Roles, RoomCommand, SessionId, Time,
};

/// The events of a command of this room.
#[derive(Debug, PartialEq)]
enum Written {
    Event(Event),
    Named,
}

impl From<Event> for Written {
    fn from(event: Event) -> Self {
        Self::Event(event)
    }
}

impl From<BytesRef> for Written {
    fn from(_: BytesRef) -> Self {
        Self::Named
    }
}

fn nonce(text: &str) -> Nonce {
    Nonce::parse(text.as_bytes()).unwrap()
}

fn account(group: Option<u32>, short_name: &str, counterparty_id: &str) -> Account {
    Account {
        group: group.map(GroupId),
        short_name: short_name.to_string(),
        counterparty_id: counterparty_id.to_string(),
        jurisdiction: String::new(),
        broker: false,
        opened: Time(0),
        kind: AccountKind::Exchange,
        display_name: String::new(),
    }
}

/// The house's account, an account in each of two groups, and a key of the second group's, made at second 3.
fn directory() -> Access {
    let mut access = Access::default();
    access.add_group("one".to_string());
    access.add_group("two".to_string());
    access.add_account(account(None, "fees", ""));
    access.add_account(account(Some(0), "primary", "A"));
    access.add_account(account(Some(1), "primary", "B"));
    let key = NewSession {
        api_key: "account-x".to_string(),
        name: "x".to_string(),
        owner: Owner::Account(AccountId(2)),
        roles: Roles::of(&[Role::Trader]),
        require_heartbeat: false,
        time_based_nonce: false,
        addresses: Vec::new(),
    };
    access.add_session(key, Time(3 * Time::SECOND));
    access
}

const KEY: SessionId = SessionId(0);

fn admitted(access: &Access, number: &str) -> Result<(), Reject> {
    let caller = Caller { session: KEY, account: Some(AccountId(2)), nonce: nonce(number) };
    admit(access, &caller, Roles::of(&[Role::Trader]))
}

#[test]
fn accounts_and_owners_are_found_in_their_group() {
    let access = directory();
    assert_eq!(access.find_account(GroupId(0), "primary"), Some(AccountId(1)));
    assert_eq!(access.find_account(GroupId(1), "primary"), Some(AccountId(2)));
    assert_eq!(access.find_account(GroupId(1), "fees"), None);
    assert_eq!(access.group_of(Owner::Account(AccountId(2))), Some(GroupId(1)));
    assert_eq!(access.group_of(Owner::Account(AccountId(0))), None);
    assert_eq!(access.group_of(Owner::Group(GroupId(1))), Some(GroupId(1)));
}

/// The session of a browser or a grant places orders for accounts that trade, and only while it is held (AUTH-018).
#[test]
fn a_held_session_places_orders_where_accounts_trade() {
    const HELD: SessionId = SessionId(1 << 31);
    let mut access = directory();
    assert!(!access.may_place(HELD, AccountId(2)), "nobody holds it");
    access.hold(HELD, Owner::Group(GroupId(1)), Roles::of(&[Role::Trader]));
    assert!(access.may_place(HELD, AccountId(2)));
    access.set_in_debt(AccountId(2), true);
    assert!(!access.may_place(HELD, AccountId(2)), "it owes for an advance (D-167)");
    access.set_in_debt(AccountId(2), false);
    assert!(access.may_place(HELD, AccountId(2)));
    access.let_go(HELD);
    assert!(!access.may_place(HELD, AccountId(2)));
}

#[test]
fn kinds_have_their_names_on_the_wire() {
    let names = AccountKind::ALL.map(AccountKind::name);
    assert_eq!(names, ["exchange", "custody", "derivatives", "margin"]);
}

/// As many as there may be are accepted, and one more is refused.
#[test]
fn a_list_of_addresses_has_an_end() {
    let block: Cidr = "192.0.2.0/24".parse().unwrap();
    assert_eq!(check_addresses(&vec![block; ADDRESSES_MAX]), Ok(()));
    assert_eq!(check_addresses(&vec![block; ADDRESSES_MAX + 1]), Err(Reject::TooManyAddresses));
}

/// A session knows when it was made and when it was used, to the second, and its highest nonce until that is forgotten.
#[test]
fn a_session_remembers_its_use() {
    let mut access = directory();
    let session = access.session(KEY).unwrap();
    assert_eq!((session.created(), session.last_used()), (Time(3 * Time::SECOND), None));
    access.take_nonce(KEY, &nonce("5"), Time(7 * Time::SECOND + 1));
    let session = access.session(KEY).unwrap();
    assert_eq!(session.last_used(), Some(Time(7 * Time::SECOND)));
    assert_eq!(session.highest_nonce(), nonce("5"));
    access.forget_nonces(KEY);
    assert_eq!(access.session(KEY).unwrap().highest_nonce(), Nonce::default());
    assert_eq!(admitted(&access, "5"), Ok(()));
    access.rename_session(KEY, "y".to_string());
    assert_eq!(access.session(KEY).unwrap().key.name, "y");
}

/// Each late nonce is remembered, not only the last one, and a floor is used up itself. Proves SES-002.
#[test]
fn late_nonces_are_taken_once() {
    let mut access = directory();
    let mut take = |number: &str| {
        assert_eq!(admitted(&access, number), Ok(()), "{number}");
        access.take_nonce(KEY, &nonce(number), Time(0));
        admitted(&access, number)
    };
    assert_eq!(take("100"), Err(Reject::NonceUsed));
    for number in 1..16 {
        assert_eq!(take(&number.to_string()), Err(Reject::NonceUsed), "{number}");
    }
    // The highest of two spans ago, whose own use is so long ago that it is not kept any more.
    assert_eq!(take("101"), Err(Reject::NonceUsed));
    assert_eq!(admitted(&access, "100"), Err(Reject::NonceUsed));
    assert_eq!(admitted(&access, "100.5"), Ok(()));
    let mut access = directory();
    for number in ["5", "4.9", "4.8"] {
        access.take_nonce(KEY, &nonce(number), Time(0));
    }
    assert_eq!(admitted(&access, "4.9"), Err(Reject::NonceUsed));
    assert_eq!(admitted(&access, "4.7"), Ok(()));
}

/// A leaked key is stopped on a nearly full disk; it is not let in again there.
#[test]
fn only_what_stops_a_key_is_served_on_a_nearly_full_disk() {
    let session = KEY;
    for reducing in [
        Command::NoncesSeen(Seen::default()),
        Command::DisableSession { session, cancel_orders: false },
        Command::EndSession { session, cancel_orders: true },
    ] {
        assert_eq!(reducing.effect(), Effect::Reduces, "{reducing:?}");
    }
    for growing in [Command::EnableSession(session), Command::UseNonce, Command::ResetNonces(session)] {
        assert_eq!(growing.effect(), Effect::Neither, "{growing:?}");
    }
}

/// A nonce is used by a key, so the exchange itself has none to use.
#[test]
fn only_a_key_uses_its_nonce() {
    let access = directory();
    let drawn = (Time(0), 7);
    let mut out = Outbox::<Written>::default();
    let caller = Caller { session: KEY, account: None, nonce: nonce("1") };
    assert_eq!(decide(&access, drawn, Some(&caller), &Command::UseNonce, &mut out), Ok(()));
    assert_eq!(decide(&access, drawn, None, &Command::UseNonce, &mut out), Err(Reject::Unknown));
    assert!(out.events.is_empty());
}

/// A counterparty id that an account has is not given again (D-31).
#[test]
fn a_counterparty_id_is_free() {
    let mut access = directory();
    let first = access.free_counterparty_id(AccountKind::Exchange, 7, "one", "desk");
    access.add_account(account(Some(0), "desk", &first));
    let place = access.accounts().len() - 1;
    assert_eq!(access.by_counterparty_id(&first), Some(AccountId::from_index(place)));
    assert_eq!([access.by_counterparty_id(""), access.by_counterparty_id("AAAAAAAA")], [None, None]);
    let second = access.free_counterparty_id(AccountKind::Exchange, 7, "one", "desk");
    assert_eq!((first.len(), second.len()), (8, 8));
    assert_ne!(first, second);
    assert_eq!(access.free_counterparty_id(AccountKind::Custody, 7, "one", "safe"), "");
}
