//! Sums equal a walk of the open rows.

use super::*;
use crate::rig::{BTC, GUSD, Rig, USD, micro};
use crate::{Change, Eid, Method, OnChain, Reference, Way};
use alloc::boxed::Box;
use alloc::string::String;
use buttonwood_model::Time;

fn row(rig: &Rig, kind: Kind, status: Status, amount: Money) -> NewTransfer {
    NewTransfer {
        account: rig.ann,
        kind,
        status,
        currency: USD,
        amount,
        fee: Money::ZERO,
        held: if kind == Kind::Withdrawal { amount } else { Money::ZERO },
        way: Way::Bank(Method::Ach, None),
        reference: Reference::None,
        advance: None,
        client_id: String::new(),
    }
}

/// Tokens that the house makes of dollars: the row is one of tokens, and holds dollars.
fn wrapped() -> Way {
    Way::Chain(Box::new(OnChain {
        network: "ethereum".into(),
        address: String::new(),
        memo: String::new(),
        tx: String::new(),
        output: None,
        confirmations: 0,
        canonical: String::new(),
        wraps: Some(USD),
        mishap: None,
    }))
}

fn end(funds: &mut Funds, eid: Eid, status: Status) {
    funds.change(&Change { eid, status, held: Money::ZERO });
    assert_eq!(funds.unequal_sums(), None);
}

/// Each open row counts until it ends, in the currency of what it holds or advances, and for its own account only.
#[test]
fn open_rows_count_until_they_end() {
    let mut rig = Rig::new();
    let (ann, vault) = (rig.ann, rig.vault);
    let rows = [
        row(&rig, Kind::Withdrawal, Status::Pending, micro(3)),
        row(&rig, Kind::Deposit, Status::Pending, micro(5)),
        row(&rig, Kind::Deposit, Status::Advanced, micro(7)),
        row(&rig, Kind::Deposit, Status::Complete, micro(11)),
        NewTransfer {
            currency: GUSD,
            way: wrapped(),
            ..row(&rig, Kind::Withdrawal, Status::Pending, micro(13))
        },
        NewTransfer { account: vault, ..row(&rig, Kind::Withdrawal, Status::Pending, micro(17)) },
    ];
    for row in rows {
        rig.funds.add(Time(0), row);
        assert_eq!(rig.funds.unequal_sums(), None);
    }
    let bound = |held, advanced| Bound { held: micro(held), advanced: micro(advanced) };
    let pending = |withdrawal, deposit| Pending { withdrawal: micro(withdrawal), deposit: micro(deposit) };
    assert_eq!(rig.funds.bound(ann, USD), bound(16, 7));
    assert_eq!([GUSD, BTC].map(|other| rig.funds.bound(ann, other)), [Bound::default(); 2]);
    assert_eq!(rig.funds.bound(vault, USD), bound(17, 0));
    assert_eq!(rig.funds.pending(ann), BTreeMap::from([(USD, pending(16, 5))]));
    assert_eq!((rig.funds.has_advances(ann), rig.funds.has_advances(vault)), (true, false));
    end(&mut rig.funds, Eid(1), Status::Complete);
    end(&mut rig.funds, Eid(3), Status::Cleared);
    assert_eq!((rig.funds.bound(ann, USD), rig.funds.has_advances(ann)), (bound(13, 0), false));
    end(&mut rig.funds, Eid(2), Status::Voided);
    // A payment that was lost can be seen again.
    end(&mut rig.funds, Eid(2), Status::Pending);
    assert_eq!(rig.funds.pending(ann), BTreeMap::from([(USD, pending(13, 5))]));
    for eid in [2, 5, 6] {
        end(&mut rig.funds, Eid(eid), Status::Failed);
    }
    assert_eq!(rig.funds.sums, OpenSums::default(), "nothing is kept of what has ended");
}

/// A state that was read from a snapshot has no sums until it is restored, and the law finds that.
#[test]
fn sums_are_rebuilt() {
    let mut rig = Rig::new();
    rig.funds.add(Time(0), row(&rig, Kind::Deposit, Status::Advanced, micro(7)));
    let before = rig.funds.clone();
    rig.funds.sums = OpenSums::default();
    assert_eq!(rig.funds.unequal_sums(), Some((rig.ann, USD)));
    buttonwood_room::Room::restore(&mut rig.funds, &mut rig.ledger);
    assert_eq!(rig.funds, before);
}

/// Advances beyond the range of money show as the most, and all of them can end.
#[test]
fn a_sum_beyond_the_range_of_money_stays_exact() {
    let mut rig = Rig::new();
    for _ in 0..5 {
        rig.funds.add(Time(0), row(&rig, Kind::Deposit, Status::Advanced, Money::MAX));
    }
    for eid in 1..5 {
        assert_eq!(rig.funds.advanced(rig.ann, USD), Money::MAX);
        end(&mut rig.funds, Eid(eid), Status::Returned);
    }
    rig.funds.add(Time(0), row(&rig, Kind::Deposit, Status::Advanced, micro(7)));
    end(&mut rig.funds, Eid(5), Status::Returned);
    assert_eq!(rig.funds.advanced(rig.ann, USD), micro(7));
}
