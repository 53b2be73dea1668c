//! Holds, users and lists.

use super::*;
use crate::Limits;
use crate::limit;
use crate::network::{self, Network, NetworkKind};
use crate::outlet::Approval;
use crate::outlet::may_pay;
use crate::rig::Rig;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

const GROUP: GroupId = GroupId(0);

fn rig() -> Rig {
    let mut rig = Rig::new();
    let (name, parent, kind) = ("arbitrum".into(), "ethereum".into(), NetworkKind::Evm);
    let arbitrum = Network { name, kind, confirmations: 1, memo: false, parent };
    rig.apply(|books| network::evolve(books, network::Event::NetworkAdded(arbitrum)));
    rig
}

fn entry(scope: ApprovalScope, network: &str) -> EntryRef {
    EntryRef { scope, network: network.into(), canonical: "0xa".into() }
}

fn send(rig: &mut Rig, command: &Command) -> Result<(), Reject> {
    let event = event_of(&rig.context(), Sender::Exchange, command)?;
    rig.apply(|books| evolve(books, event));
    Ok(())
}

fn request(rig: &mut Rig, entry: &EntryRef) -> Result<(), Reject> {
    let (entry, text) = (entry.clone(), "0xA".to_string());
    let request = Request { entry, text, label: "a".into(), memo: String::new() };
    send(rig, &Command::RequestApproval(Arc::new(request)))
}

fn memos<'a>(rig: &'a Rig, account: AccountId, group: GroupId, network: &str) -> Vec<&'a str> {
    rig.funds.approved_memos(account, group, network, "0xa").collect()
}

/// Runs what is due, as the sequencer does.
fn run_due(rig: &mut Rig) {
    while let Some(due) = next_due(&rig.funds).filter(|due| due.time <= rig.time) {
        assert!(!due.may_skip, "a hold that never ends blocks withdrawals");
        send(rig, &due.command).unwrap();
    }
}

/// A hold ends by its command, which comes neither early nor twice. Of ADDR-010.
#[test]
fn a_hold_ends_once() {
    let rig = &mut rig();
    let own = entry(ApprovalScope::Account(rig.ann), "ethereum");
    let start = rig.time;
    request(rig, &own).unwrap();
    let end = Command::EndApprovalHold(Box::new(own.clone()));
    rig.time = Time(start.0 + HOLD - 1);
    assert_eq!(send(rig, &end), Err(Reject::NotDue));
    run_due(rig);
    assert_eq!(memos(rig, rig.ann, GROUP, "ethereum"), [""; 0]);
    rig.time = start.plus(HOLD);
    run_due(rig);
    assert_eq!(memos(rig, rig.ann, GROUP, "ethereum"), [""]);
    assert_eq!(send(rig, &end), Err(Reject::NotDue));
    assert_eq!(next_due(&rig.funds), None);
}

/// A hold that is waived is over at once, its end is due no more, and a hold that does not run is waived neither. Of D-298.
#[test]
fn a_hold_is_waived() {
    let rig = &mut rig();
    let own = entry(ApprovalScope::Account(rig.ann), "ethereum");
    let waive = Command::WaiveApprovalHold(Box::new(own.clone()));
    assert_eq!(send(rig, &waive), Err(Reject::NotListed));
    request(rig, &own).unwrap();
    send(rig, &waive).unwrap();
    assert_eq!(memos(rig, rig.ann, GROUP, "ethereum"), [""]);
    assert_eq!((next_due(&rig.funds), send(rig, &waive)), (None, Err(Reject::NoHold)));
    let group = entry(ApprovalScope::Group(GROUP), "ethereum");
    send(rig, &Command::SetMultiUser(GROUP, true)).unwrap();
    request(rig, &group).unwrap();
    assert_eq!(send(rig, &Command::WaiveApprovalHold(Box::new(group))), Err(Reject::AwaitsUser));
    let foreign = entry(ApprovalScope::Account(AccountId(0)), "ethereum");
    assert_eq!(send(rig, &Command::WaiveApprovalHold(Box::new(foreign))), Err(Reject::Foreign));
}

/// A removed entry has no hold left, and a new request starts anew. Of ADDR-016, ADDR-019.
#[test]
fn removal_ends_the_hold() {
    let rig = &mut rig();
    let own = entry(ApprovalScope::Account(rig.ann), "ethereum");
    let remove = Command::RemoveApproval(Arc::new(own.clone()));
    request(rig, &own).unwrap();
    rig.time = rig.time.plus(HOLD / 2);
    send(rig, &remove).unwrap();
    assert_eq!(next_due(&rig.funds), None);
    assert_eq!(send(rig, &remove), Err(Reject::NotListed));
    request(rig, &own).unwrap();
    assert_eq!(next_due(&rig.funds).unwrap().time, rig.time.plus(HOLD));
}

/// A list begins with the first request on the account or its group, on any network, and removing its entries does not end it
/// (D-70).
#[test]
fn a_list_lasts() {
    let rig = &mut rig();
    let (ann, vault) = (rig.ann, rig.vault);
    let lists = |rig: &Rig| [ann, vault].map(|account| rig.funds.has_list(account, GROUP));
    assert_eq!(lists(rig), [false, false]);
    let own = entry(ApprovalScope::Account(ann), "bitcoin");
    request(rig, &own).unwrap();
    send(rig, &Command::RemoveApproval(Arc::new(own))).unwrap();
    assert_eq!(lists(rig), [true, false]);
    request(rig, &entry(ApprovalScope::Group(GROUP), "ethereum")).unwrap();
    assert_eq!(lists(rig), [true, true]);
}

/// An entry of the group serves all its accounts, a network with a parent uses the parent's list, and only active entries count (D-63).
#[test]
fn the_group_s_entries_serve_its_accounts() {
    let rig = &mut rig();
    let (ann, vault) = (rig.ann, rig.vault);
    request(rig, &entry(ApprovalScope::Group(GROUP), "ethereum")).unwrap();
    rig.time = rig.time.plus(HOLD);
    run_due(rig);
    request(rig, &entry(ApprovalScope::Account(ann), "ethereum")).unwrap();
    for account in [ann, vault] {
        for network in ["ethereum", "arbitrum"] {
            assert_eq!(memos(rig, account, GROUP, network), [""]);
        }
        for network in ["bitcoin", "nowhere"] {
            assert_eq!(memos(rig, account, GROUP, network), [""; 0]);
        }
    }
    assert_eq!(memos(rig, ann, GroupId(1), "arbitrum"), [""; 0]);
    assert_eq!(request(rig, &entry(ApprovalScope::Account(ann), "arbitrum")), Err(Reject::NoNetwork));
}

/// With several users an entry waits for one of them; the hold counts from the request. Of ADDR-017, ADDR-018.
#[test]
fn another_user_decides() {
    let rig = &mut rig();
    let own = entry(ApprovalScope::Account(rig.ann), "ethereum");
    let group = entry(ApprovalScope::Group(GROUP), "ethereum");
    let start = rig.time;
    send(rig, &Command::SetMultiUser(GROUP, true)).unwrap();
    request(rig, &own).unwrap();
    request(rig, &group).unwrap();
    assert_eq!(next_due(&rig.funds), None, "no hold runs yet");
    assert_eq!(send(rig, &Command::RemoveApproval(Arc::new(own.clone()))), Err(Reject::AwaitsUser));
    let approve = |entry: &EntryRef| Command::DecideApproval(Arc::new(entry.clone()), true);
    rig.time = start.plus(HOLD - 1);
    send(rig, &approve(&own)).unwrap();
    assert_eq!(send(rig, &approve(&own)), Err(Reject::Decided));
    assert_eq!(next_due(&rig.funds).unwrap().time, start.plus(HOLD));
    rig.time = start.plus(HOLD);
    send(rig, &approve(&group)).unwrap();
    let standing = |entry| rig.funds.approvals().get(entry).unwrap().standing;
    assert_eq!([standing(&own), standing(&group)], [Standing::PendingTime, Standing::Active]);
    let reject = Command::DecideApproval(Arc::new(group.clone()), false);
    send(rig, &reject).unwrap();
    assert_eq!(send(rig, &reject), Err(Reject::NotListed));
}

/// Lists of no customer, and of groups that do not exist.
#[test]
fn unknown_lists_are_refused() {
    let rig = &mut rig();
    for scope in [ApprovalScope::Account(AccountId(0)), ApprovalScope::Group(GroupId(9))] {
        let entry = entry(scope, "ethereum");
        assert_eq!(request(rig, &entry), Err(Reject::Foreign));
        assert_eq!(send(rig, &Command::DecideApproval(Arc::new(entry), true)), Err(Reject::Foreign));
    }
    assert_eq!(send(rig, &Command::SetMultiUser(GroupId(9), true)), Err(Reject::Foreign));
}

/// The memo is part of the entry where the network carries memos: either entry suffices, the account's counts first without a memo, and an
/// entry without one takes none. Proves D-172.
#[test]
fn a_memo_is_part_of_the_entry() {
    let rig = &mut rig();
    for name in ["cosmos", "bitcoin-test"] {
        let (kind, parent) = (NetworkKind::Accounts, String::new());
        let new = Network { name: name.into(), kind, confirmations: 1, memo: false, parent };
        rig.apply(|books| network::evolve(books, network::Event::NetworkAdded(new)));
    }
    let (ann, vault) = (rig.ann, rig.vault);
    for (scope, network, memo) in [
        (ApprovalScope::Account(ann), "cosmos", "111"),
        (ApprovalScope::Group(GROUP), "cosmos", "222"),
        (ApprovalScope::Group(GROUP), "bitcoin-test", "old"),
    ] {
        let request =
            Request { entry: entry(scope, network), text: "A".into(), label: "a".into(), memo: memo.into() };
        send(rig, &Command::RequestApproval(Arc::new(request))).unwrap();
    }
    assert_eq!(may_pay(&rig.context(), ann, "cosmos", "0xa", "111"), Approval::Inactive);
    rig.time = rig.time.plus(HOLD);
    run_due(rig);
    let pay = |account, network, memo| may_pay(&rig.context(), account, network, "0xa", memo);
    assert_eq!(pay(ann, "cosmos", ""), Approval::Active("111"));
    assert_eq!(pay(ann, "cosmos", "111"), Approval::Active("111"));
    assert_eq!(pay(ann, "cosmos", "222"), Approval::Active("222"));
    assert_eq!(pay(ann, "cosmos", "333"), Approval::OtherMemo);
    assert_eq!(pay(vault, "cosmos", ""), Approval::Active("222"));
    assert_eq!(pay(vault, "cosmos", "111"), Approval::OtherMemo);
    // An older entry kept a memo where there is none.
    assert_eq!(pay(ann, "bitcoin-test", ""), Approval::Active(""));
    assert_eq!(pay(ann, "bitcoin-test", "old"), Approval::OtherMemo);
}

/// A list takes no more entries than its limit, over all networks, and those that wait count; one that is longer stays. Proves D-185.
#[test]
fn a_list_has_a_limit() {
    let rig = &mut rig();
    let (own, group) = (ApprovalScope::Account(rig.ann), ApprovalScope::Group(GROUP));
    let limits = |approved_addresses| Limits { approved_addresses, ..Limits::default() };
    let at = |scope, network: &str, number: u32| EntryRef {
        canonical: format!("0x{number}"),
        ..entry(scope, network)
    };
    assert_eq!(Limits::default(), Limits { approved_addresses: 1_000, deposit_addresses: 1_000 });
    rig.apply(|books| limit::evolve(books, limit::Event::LimitsSet(limits(3))));
    for (network, number) in [("ethereum", 1), ("bitcoin", 1), ("ethereum", 2)] {
        request(rig, &at(own, network, number)).unwrap();
    }
    assert_eq!(request(rig, &at(own, "bitcoin", 2)), Err(Reject::Full(3)));
    assert_eq!(request(rig, &at(own, "bitcoin", 1)), Err(Reject::Duplicate));
    request(rig, &at(group, "bitcoin", 2)).unwrap();
    rig.apply(|books| limit::evolve(books, limit::Event::LimitsSet(limits(1))));
    assert_eq!(request(rig, &at(own, "bitcoin", 2)), Err(Reject::Full(1)));
    for number in [1, 2] {
        send(rig, &Command::RemoveApproval(Arc::new(at(own, "ethereum", number)))).unwrap();
    }
    assert_eq!(request(rig, &at(own, "bitcoin", 2)), Err(Reject::Full(1)));
    send(rig, &Command::RemoveApproval(Arc::new(at(own, "bitcoin", 1)))).unwrap();
    request(rig, &at(own, "bitcoin", 2)).unwrap();
}
