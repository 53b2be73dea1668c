//! The addresses that may be issued, and the accounts that get them.

use super::*;
use crate::network::{self, Network, NetworkKind};
use crate::outlet::deposit_owner;
use crate::rig::Rig;

fn rig() -> Rig {
    let mut rig = Rig::new();
    for (name, memo, parent) in [("cosmos", true, ""), ("arbitrum", false, "ethereum")] {
        let (name, parent, kind) = (name.into(), parent.into(), NetworkKind::Accounts);
        let network = Network { name, kind, confirmations: 1, memo, parent };
        rig.apply(|books| network::evolve(books, network::Event::NetworkAdded(network)));
    }
    rig
}

fn new(rig: &Rig, network: &str, number: u32, canonical: &str, memo: &str) -> NewAddress {
    let (network, memo) = (network.into(), memo.into());
    let (text, canonical) = (canonical.to_ascii_uppercase(), canonical.into());
    NewAddress { account: rig.ann, network, number, text, canonical, memo, label: String::new() }
}

fn issue(rig: &mut Rig, new: NewAddress) -> Result<(), Reject> {
    check(&rig.context(), Sender::Exchange, &new)?;
    rig.apply(|books| evolve(books, Event::AddressIssued(new)));
    Ok(())
}

/// A number and a text are issued once on each network; numbers may leave holes. Of ADDR-004, ADDR-007.
#[test]
fn numbers_and_texts_are_used_once() {
    let rig = &mut rig();
    let first = new(rig, "bitcoin", 3, "a", "");
    assert_eq!(issue(rig, first), Ok(()));
    for (number, text, expected) in [
        (3, "b", Err(Reject::UsedNumber)),
        (4, "a", Err(Reject::UsedText)),
        (3, "a", Err(Reject::UsedNumber)),
        (1, "b", Ok(())),
    ] {
        let next = new(rig, "bitcoin", number, text, "");
        assert_eq!(issue(rig, next), expected, "{number} {text}");
    }
    // Another network counts and compares for itself.
    let other = new(rig, "ethereum", 3, "a", "");
    assert_eq!(issue(rig, other), Ok(()));
    let (id, _) = rig.funds.networks().find("bitcoin").unwrap();
    let addresses = rig.funds.addresses();
    assert_eq!(addresses.next_number(id), 4);
    let found = addresses.find(id, "a", "").unwrap();
    assert_eq!((found.number, found.text.as_str(), found.account), (3, "A", rig.ann));
    assert_eq!(addresses.of(rig.ann, id).map(|address| address.number).collect::<Vec<_>>(), [3, 1]);
    assert_eq!(addresses.of(rig.vault, id).count(), 0);
}

/// Where accounts share an address, the memo distinguishes them; elsewhere there is none. Of ADDR-005.
#[test]
fn memos_distinguish_accounts() {
    let rig = &mut rig();
    for (network, number, memo, expected) in [
        ("cosmos", 1, "", Err(Reject::BadMemo)),
        ("cosmos", 1, "7", Ok(())),
        ("cosmos", 2, "7", Err(Reject::UsedText)),
        ("cosmos", 2, "8", Ok(())),
        ("bitcoin", 1, "7", Err(Reject::BadMemo)),
        ("arbitrum", 1, "", Err(Reject::NoNetwork)),
        ("nowhere", 1, "", Err(Reject::NoNetwork)),
    ] {
        let next = new(rig, network, number, "shared", memo);
        assert_eq!(issue(rig, next), expected, "{network} {number} {memo}");
    }
    let context = rig.context();
    assert_eq!(deposit_owner(&context, "cosmos", "shared", "8"), Some(rig.ann));
    assert_eq!(deposit_owner(&context, "cosmos", "shared", "9"), None);
}

/// The house's accounts take no deposits.
#[test]
fn only_customers_have_addresses() {
    let rig = &mut rig();
    let mut house = new(rig, "bitcoin", 1, "a", "");
    house.account = AccountId(0);
    assert_eq!(issue(rig, house), Err(Reject::Foreign));
}

/// An account has no more addresses than its limit, over all networks; other accounts have theirs. Proves D-185.
#[test]
fn an_account_has_a_limit() {
    let rig = &mut rig();
    let limits = crate::Limits { deposit_addresses: 2, ..crate::Limits::default() };
    rig.apply(|books| crate::limit::evolve(books, crate::limit::Event::LimitsSet(limits)));
    for (network, number) in [("bitcoin", 1), ("ethereum", 1)] {
        let next = new(rig, network, number, "a", "");
        assert_eq!(issue(rig, next), Ok(()));
    }
    let next = new(rig, "bitcoin", 2, "b", "");
    assert_eq!(issue(rig, next.clone()), Err(Reject::Full(2)));
    let other = NewAddress { account: rig.vault, ..next };
    assert_eq!(issue(rig, other), Ok(()));
}
