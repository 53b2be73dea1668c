//! Withdrawals, from their acceptance to their end.

use super::*;
use crate::approval::{self, Request};
use crate::rig::{BTC, GUSD, Rig, USD, micro};
use crate::{Approval, ApprovalScope, EntryRef, Outlet, Scope, Short, Standing, Status};
use alloc::string::ToString;
use alloc::vec;
use buttonwood_model::month_number;
use buttonwood_model::{CurrencyId, GroupId, Time};

const OUTLET: Outlet = Outlet {
    fee: Money::from_units(10_i128.pow(16)),
    minimum: Money::from_units(10_i128.pow(15)),
    decimals: 8,
    confirmations: 3,
};

fn order(rig: &Rig, amount: Money) -> Withdraw {
    Withdraw {
        account: rig.ann,
        network: "bitcoin".into(),
        currency: BTC,
        wraps: None,
        address: "BC1QX".into(),
        canonical: "bc1qx".into(),
        memo: String::new(),
        amount,
        client_id: String::new(),
    }
}

fn decide_new(rig: &Rig, withdraw: &Withdraw) -> Result<Event, Reject> {
    accept::decide_new(&rig.context(), withdraw, &OUTLET, Approval::Active(""))
}

/// Accepts a withdrawal, or says why not.
fn accept(rig: &mut Rig, withdraw: &Withdraw) -> Result<Eid, Reject> {
    let eid = rig.funds.next_eid();
    let event = decide_new(rig, withdraw)?;
    rig.apply(|books| evolve(books, event));
    Ok(eid)
}

/// Applies what a step decides; whether it was new.
fn step(rig: &mut Rig, decided: Result<impl IntoIterator<Item = Event>, Reject>) -> bool {
    let mut is_new = false;
    for event in decided.expect("the step is right") {
        rig.apply(|books| evolve(books, event));
        is_new = true;
    }
    is_new
}

fn attempt(purpose: Purpose, tx: &str, spends: u8) -> Attempt {
    Attempt { purpose, tx: tx.into(), bytes: tx.as_bytes().to_vec(), spends: vec![spends] }
}

fn end(outcome: Outcome, tx: &str, height: u64) -> Settlement {
    Settlement { outcome, tx: tx.into(), block: (height, height.to_string()), cost: Money::ZERO }
}

fn sign(rig: &mut Rig, eid: Eid, attempt: &Attempt) -> bool {
    let decided = progress::sign(&rig.context(), eid, attempt);
    step(rig, decided)
}

fn settle(rig: &mut Rig, eid: Eid, end: &Settlement) -> bool {
    let decided = progress::settle(&rig.context(), eid, end);
    step(rig, decided)
}

fn status(rig: &Rig, eid: Eid) -> Status {
    rig.funds.transfer(eid).unwrap().row.status
}

/// Amount and fee are held from the acceptance on; at the end the amount leaves and the house has the fee. Every step repeated
/// changes nothing. Proves XFER-019.
#[test]
fn a_withdrawal_is_held_then_leaves_once() {
    let mut rig = Rig::new();
    let vault = Withdraw { account: rig.vault, ..order(&rig, micro(2_000_000)) };
    let eid = accept(&mut rig, &vault).unwrap();
    let balance = rig.balance(rig.vault, BTC);
    assert_eq!((balance.available, balance.held), (micro(7_999_000), micro(2_001_000)));
    let source = rig.house("source", BTC);
    let pay = attempt(Purpose::Pay, "t1", 1);
    assert!(sign(&mut rig, eid, &pay));
    assert!(!sign(&mut rig, eid, &pay));
    let sent = progress::send(&rig.context(), eid, "t1");
    assert!(step(&mut rig, sent));
    assert_eq!(progress::send(&rig.context(), eid, "t1"), Ok(None));
    let done = end(Outcome::Completed, "t1", 9);
    assert!(settle(&mut rig, eid, &done));
    assert!(!settle(&mut rig, eid, &done));
    let balance = rig.balance(rig.vault, BTC);
    assert_eq!((balance.available, balance.held), (micro(7_999_000), Money::ZERO));
    assert_eq!(rig.house("fees", BTC), micro(1_000));
    assert_eq!(rig.house("source", BTC), source + micro(2_000_000));
    let row = &rig.funds.transfer(eid).unwrap().row;
    assert_eq!((row.status, row.chain().unwrap().tx.as_str()), (Status::Complete, "t1"));
}

/// The first reason in the order of the checks decides; nothing changes, and the client id stays free.
#[test]
fn refusals_are_in_order() {
    let mut rig = Rig::new();
    let (zero, less) = (Money::ZERO, micro(50));
    let fine = Money::from_units(micro(2_000).units() + 1);
    let cases = [
        (zero, Reject::BadAmount(OUTLET.decimals)),
        (-micro(1_000), Reject::BadAmount(OUTLET.decimals)),
        (fine, Reject::BadAmount(OUTLET.decimals)),
        (less, Reject::BelowMinimum(OUTLET.minimum)),
        (micro(10_000_001), Reject::Short(Short::TooLittle, zero)),
        // The most that both the type and the network can express.
        (
            Money::from_units(i128::MAX / 10_i128.pow(11) * 10_i128.pow(11)),
            Reject::Short(Short::TooLittle, zero),
        ),
    ];
    for (amount, reject) in cases {
        let withdraw = Withdraw { client_id: "a".into(), ..order(&rig, amount) };
        assert_eq!(decide_new(&rig, &withdraw), Err(reject), "{amount:?}");
        let refused = |approval| accept::decide_new(&rig.context(), &withdraw, &OUTLET, approval);
        assert_eq!(refused(Approval::NoList), Err(Reject::NoList));
        assert_eq!(refused(Approval::Inactive), Err(Reject::NotApproved));
    }
    let whole = Withdraw { client_id: "a".into(), ..order(&rig, micro(10_000_000)) };
    accept(&mut rig, &whole).unwrap();
    assert_eq!(decide_new(&rig, &order(&rig, micro(1_000))), Err(Reject::Short(Short::TooLittle, zero)));
    let vault = Withdraw { account: rig.vault, ..order(&rig, micro(10_000_000)) };
    assert_eq!(
        decide_new(&rig, &vault),
        Err(Reject::Short(Short::TooLittle, OUTLET.fee)),
        "the fee must fit too"
    );
}

/// An account in debt gets its own reason, whatever it has.
#[test]
fn an_account_in_debt_does_not_withdraw() {
    let mut rig = Rig::new();
    let ann = rig.ann;
    rig.apply(|books| crate::debt::lend(books, ann, USD, micro(1)));
    let refused = Err(Reject::Short(Short::Debt, Money::ZERO));
    for amount in [micro(1_000), micro(20_000_000)] {
        assert_eq!(decide_new(&rig, &order(&rig, amount)), refused);
    }
}

fn decide_all(rig: &Rig, withdraw: &Withdraw) -> Result<Eid, Reject> {
    accept::decide(&rig.context(), Sender::Exchange, withdraw).map(|accepted| match accepted {
        accept::Accepted::Before(eid) => eid,
        accept::Accepted::Now(_) => rig.funds.next_eid(),
    })
}

/// A client id stands for its terms for ever: equal ones give the first row, others are refused. Proves XFER-015.
#[test]
fn a_client_id_stands_for_one_withdrawal() {
    let mut rig = Rig::new();
    let first = Withdraw { client_id: "a".into(), ..order(&rig, micro(1_000_000)) };
    let eid = accept(&mut rig, &first).unwrap();
    // The spelling of the address is no term (D-71).
    let again = Withdraw { address: "bc1qx".into(), ..first.clone() };
    for _ in 0..1_000 {
        assert_eq!(decide_all(&rig, &again), Ok(eid));
    }
    let others = [
        Withdraw { amount: micro(1_000_001), ..first.clone() },
        Withdraw { canonical: "bc1qy".into(), ..first.clone() },
        Withdraw { memo: "m".into(), ..first.clone() },
    ];
    for other in others {
        assert_eq!(decide_all(&rig, &other), Err(Reject::OtherTerms), "{other:?}");
    }
    // Its end changes nothing about its id.
    sign(&mut rig, eid, &attempt(Purpose::Pay, "t1", 1));
    settle(&mut rig, eid, &end(Outcome::Failed, "t1", 3));
    assert_eq!(decide_all(&rig, &again), Ok(eid));
    let unlike = Withdraw { network: "litecoin".into(), ..first };
    assert_eq!(
        decide_all(&rig, &unlike),
        Err(Reject::UnsupportedNetwork),
        "before everything about the address"
    );
}

/// Ten withdrawals a month are free, in each currency; then each costs the fee, until the next UTC month or an override. One
/// that fails gives its free withdrawal back. Proves XFER-023.
#[test]
fn ten_withdrawals_a_month_are_free() {
    let mut rig = Rig::new();
    let terms = |rig: &Rig| FeeTerms::of(&rig.context(), rig.ann, BTC, &OUTLET);
    let mut eids = vec![];
    for left in (1..=10).rev() {
        let now = terms(&rig);
        assert_eq!((now.fee, now.monthly_limit, now.monthly_remaining), (Money::ZERO, 10, left));
        let withdraw = order(&rig, micro(1_000));
        eids.push(accept(&mut rig, &withdraw).unwrap());
    }
    assert_eq!((terms(&rig).fee, terms(&rig).monthly_remaining), (OUTLET.fee, 0));
    assert_eq!(FeeTerms::of(&rig.context(), rig.ann, GUSD, &OUTLET).monthly_remaining, 10);
    sign(&mut rig, eids[0], &attempt(Purpose::Pay, "t1", 1));
    settle(&mut rig, eids[0], &end(Outcome::Failed, "t1", 3));
    assert_eq!(terms(&rig).monthly_remaining, 1);
    let withdraw = order(&rig, micro(1_000));
    accept(&mut rig, &withdraw).unwrap();
    let costs = accept(&mut rig, &withdraw).unwrap();
    assert_eq!(rig.funds.transfer(costs).unwrap().row.held, micro(2_000));
    let ann = rig.ann;
    rig.apply(|books| evolve(books, Event::FeeOverridden(ann, true)));
    assert_eq!((terms(&rig).fee, terms(&rig).is_override), (Money::ZERO, true));
    rig.apply(|books| evolve(books, Event::FeeOverridden(ann, false)));
    // The last microsecond of November, and the first of December.
    let december = 1_796_083_200 * Time::SECOND;
    rig.time = Time(december - 1);
    assert_eq!(terms(&rig).monthly_remaining, 0);
    rig.time = Time(december);
    assert_eq!((terms(&rig).fee, terms(&rig).monthly_remaining), (Money::ZERO, 10));
}

/// The months of the calendar, leap days included.
#[test]
fn months_begin_at_utc_midnight() {
    let month = |seconds: u64| month_number(Time(seconds * Time::SECOND));
    // 1970-01-01, 2024-02-29 23:59:59, 2024-03-01, 2099-12-31 23:59:59, 2100-01-01, 2100-02-28 and 2100-03-01.
    assert_eq!(month(0), 1970 * 12);
    assert_eq!([month(1_709_251_199), month(1_709_251_200)], [2024 * 12 + 1, 2024 * 12 + 2]);
    assert_eq!([month(4_102_444_799), month(4_102_444_800)], [2099 * 12 + 11, 2100 * 12]);
    assert_eq!([month(4_107_542_399), month(4_107_542_400)], [2100 * 12 + 1, 2100 * 12 + 2]);
}

/// A failure and a void release the whole hold, fee included. Proves XFER-020.
#[test]
fn a_failed_or_voided_withdrawal_is_released() {
    for (outcome, purpose, after) in
        [(Outcome::Failed, Purpose::Pay, Status::Failed), (Outcome::Voided, Purpose::Void, Status::Voided)]
    {
        let mut rig = Rig::new();
        let vault = Withdraw { account: rig.vault, ..order(&rig, micro(5_000_000)) };
        let before = rig.balance(rig.vault, BTC);
        let eid = accept(&mut rig, &vault).unwrap();
        sign(&mut rig, eid, &attempt(Purpose::Pay, "t1", 1));
        if purpose == Purpose::Void {
            sign(&mut rig, eid, &attempt(Purpose::Void, "t2", 1));
        }
        let tx = if purpose == Purpose::Void { "t2" } else { "t1" };
        assert!(settle(&mut rig, eid, &end(outcome, tx, 4)));
        assert_eq!((status(&rig, eid), rig.balance(rig.vault, BTC)), (after, before));
        assert_eq!(
            rig.funds.transfer(eid).unwrap().row.chain().unwrap().tx,
            "t1",
            "the one that would have paid"
        );
        // It has ended: it is neither paid nor signed any more.
        let late = progress::settle(&rig.context(), eid, &end(Outcome::Completed, "t1", 5));
        assert_eq!(late, Err(Reject::Settled));
        let anew = progress::sign(&rig.context(), eid, &attempt(Purpose::Bump, "t3", 1));
        assert_eq!(anew, Err(Reject::Settled));
    }
}

/// A released withdrawal that is paid after all, since its void's block was removed, is complete, and the account owes what left: the row
/// and the debt last. It repays from what it has.
#[test]
fn a_payment_after_its_release_is_owed() {
    for (outcome, purpose) in [(Outcome::Failed, Purpose::Bump), (Outcome::Voided, Purpose::Void)] {
        let mut rig = Rig::new();
        let (vault, source) = (rig.vault, rig.house("source", BTC));
        let withdraw = Withdraw { account: vault, ..order(&rig, micro(5_000_000)) };
        let before = rig.balance(vault, BTC);
        let eid = accept(&mut rig, &withdraw).unwrap();
        sign(&mut rig, eid, &attempt(Purpose::Pay, "t1", 1));
        sign(&mut rig, eid, &attempt(purpose, "t2", 1));
        settle(&mut rig, eid, &end(outcome, "t2", 4));
        let gone = progress::unsettle(&rig.context(), eid, "t2");
        assert!(step(&mut rig, gone));
        let paid = end(Outcome::Completed, "t1", 5);
        assert!(settle(&mut rig, eid, &paid));
        assert!(!settle(&mut rig, eid, &paid));
        let row = &rig.funds.transfer(eid).unwrap().row;
        assert_eq!((row.status, row.chain().unwrap().tx.as_str()), (Status::Complete, "t1"));
        assert_eq!(rig.balance(vault, BTC), before);
        assert_eq!(rig.funds.owed(vault, BTC), micro(5_001_000), "amount and fee");
        assert_eq!(rig.house("lending", BTC), -micro(5_001_000));
        assert_eq!(rig.house("source", BTC), source + micro(5_000_000));
        // The debt is due at once, and what is available repays it.
        assert!(crate::debt::is_due(&rig.funds, &rig.ledger));
        let repaid = crate::debt::Event::Repaid(vault, BTC, micro(5_001_000));
        rig.apply(|books| crate::debt::evolve(books, repaid));
        assert!(!rig.funds.owes(vault));
        assert_eq!(rig.balance(vault, BTC).available, before.available - micro(5_001_000));
    }
}

/// A false claim of a node or a wrong report is refused: other inputs, foreign hashes, an end before the signature.
#[test]
fn wrong_steps_are_refused() {
    let mut rig = Rig::new();
    let withdraw = order(&rig, micro(1_000_000));
    let eid = accept(&mut rig, &withdraw).unwrap();
    let context = rig.context();
    assert_eq!(
        progress::settle(&context, eid, &end(Outcome::Completed, "t1", 1)),
        Err(Reject::OtherTransaction)
    );
    assert_eq!(progress::send(&context, eid, "t1"), Err(Reject::OtherTransaction));
    assert_eq!(
        progress::sign(&context, eid, &attempt(Purpose::Void, "t1", 1)),
        Err(Reject::OtherTransaction)
    );
    assert_eq!(progress::sign(&context, Eid(99), &attempt(Purpose::Pay, "t1", 1)), Err(Reject::Unknown));
    sign(&mut rig, eid, &attempt(Purpose::Pay, "t1", 1));
    let context = rig.context();
    assert_eq!(progress::sign(&context, eid, &attempt(Purpose::Bump, "t2", 2)), Err(Reject::OtherSpends));
    assert_eq!(
        progress::settle(&context, eid, &end(Outcome::Voided, "t1", 1)),
        Err(Reject::OtherTransaction)
    );
    assert_eq!(progress::unsettle(&context, eid, "t1"), Err(Reject::OtherTransaction));
    assert_eq!(
        progress::sign(&context, eid, &Attempt { bytes: vec![], ..attempt(Purpose::Pay, "t1", 1) }),
        Err(Reject::OtherTransaction)
    );
}

/// A reorganisation after the completion halts the asset; the row stays complete, and a second completion moves nothing.
#[test]
fn a_completed_withdrawal_is_paid_once_whatever_the_chain_does() {
    let mut rig = Rig::new();
    let withdraw = order(&rig, micro(1_000_000));
    let eid = accept(&mut rig, &withdraw).unwrap();
    sign(&mut rig, eid, &attempt(Purpose::Pay, "t1", 1));
    sign(&mut rig, eid, &attempt(Purpose::Bump, "t2", 1));
    settle(&mut rig, eid, &end(Outcome::Completed, "t1", 7));
    let after = rig.balance(rig.ann, BTC);
    let gone = progress::unsettle(&rig.context(), eid, "t1");
    assert!(step(&mut rig, gone));
    assert_eq!(progress::unsettle(&rig.context(), eid, "t1"), Ok(None));
    assert!(rig.funds.halts().has(Scope::Asset(BTC)));
    assert_eq!(decide_new(&rig, &withdraw), Err(Reject::Halted));
    assert!(settle(&mut rig, eid, &end(Outcome::Completed, "t2", 8)));
    assert_eq!((status(&rig, eid), rig.balance(rig.ann, BTC)), (Status::Complete, after));
    assert_eq!(rig.funds.transfer(eid).unwrap().row.chain().unwrap().tx, "t2");
}

/// Signed bytes are forgotten when their block is too deep to be removed, not before.
#[test]
fn ended_withdrawals_are_forgotten_when_final() {
    let mut rig = Rig::new();
    let mut pay = |height: u64| {
        let withdraw = order(&rig, micro(1_000));
        let eid = accept(&mut rig, &withdraw).unwrap();
        sign(&mut rig, eid, &attempt(Purpose::Pay, "t", 1));
        settle(&mut rig, eid, &end(Outcome::Completed, "t", height));
        rig.funds.withdrawals().payments_from(Eid(1)).map(|(eid, _)| eid.0).collect::<vec::Vec<_>>()
    };
    assert_eq!(pay(10), [1]);
    assert_eq!(pay(138), [1, 2]);
    assert_eq!(pay(139), [2, 3]);
}

/// Dollars are held, and paid as dollar tokens, free of charge; the issuer takes the ones and gives the others. Proves XFER-021.
#[test]
fn dollars_leave_as_tokens() {
    let mut rig = Rig::new();
    let withdraw = Withdraw {
        currency: GUSD,
        wraps: Some(USD),
        network: "ethereum".into(),
        ..order(&rig, micro(4_000_000))
    };
    let dollars =
        |rig: &Rig, of: CurrencyId| (rig.balance(rig.ann, of).available, rig.balance(rig.ann, of).held);
    let eid = accept(&mut rig, &withdraw).unwrap();
    assert_eq!(dollars(&rig, USD), (micro(6_000_000), micro(4_000_000)));
    assert_eq!(dollars(&rig, GUSD), (micro(10_000_000), Money::ZERO));
    let pending = rig.funds.pending(rig.ann);
    assert_eq!((pending.len(), pending[&USD].withdrawal), (1, micro(4_000_000)), "what is held is pending");
    assert_eq!(rig.funds.bound(rig.ann, USD).held, micro(4_000_000));
    assert_eq!(FeeTerms::of(&rig.context(), rig.ann, GUSD, &OUTLET).monthly_remaining, 10);
    sign(&mut rig, eid, &attempt(Purpose::Pay, "t1", 1));
    let failed = Settlement { ..end(Outcome::Failed, "t1", 1) };
    settle(&mut rig, eid, &failed);
    assert_eq!(dollars(&rig, USD), (micro(10_000_000), Money::ZERO));
    let eid = accept(&mut rig, &withdraw).unwrap();
    sign(&mut rig, eid, &attempt(Purpose::Pay, "t2", 1));
    settle(&mut rig, eid, &end(Outcome::Completed, "t2", 2));
    assert_eq!(dollars(&rig, USD), (micro(6_000_000), Money::ZERO));
    assert_eq!(rig.house("issuer", USD), micro(4_000_000));
    assert_eq!(rig.house("issuer", GUSD), -micro(4_000_000));
}

/// All withdrawals, or those of one asset, may be halted; what is on its way goes on.
#[test]
fn halted_withdrawals_are_refused() {
    for scope in [Scope::Withdrawals, Scope::Asset(BTC)] {
        let mut rig = Rig::new();
        let withdraw = order(&rig, micro(1_000_000));
        let eid = accept(&mut rig, &withdraw).unwrap();
        rig.apply(|books| crate::halt::evolve(books, crate::halt::Event::Halted(scope)));
        assert_eq!(decide_new(&rig, &withdraw), Err(Reject::Halted), "{scope:?}");
        assert!(sign(&mut rig, eid, &attempt(Purpose::Pay, "t1", 1)));
        assert!(settle(&mut rig, eid, &end(Outcome::Completed, "t1", 2)));
        rig.apply(|books| crate::halt::evolve(books, crate::halt::Event::Resumed(scope)));
        accept(&mut rig, &withdraw).unwrap();
    }
}

/// Asks for the approval of an address, in Ann's list or her group's, and moves it to a standing.
fn list(rig: &mut Rig, scope: ApprovalScope, standing: Standing) {
    let entry = EntryRef { scope, network: "bitcoin".into(), canonical: "bc1qx".into() };
    let request = Request { entry, text: "bc1qx".into(), label: "l".into(), memo: String::new() };
    rig.apply(|books| approval::evolve(books, approval::Event::ApprovalRequested(request, standing)));
}

/// Only an active entry of the account's list or its group's lets money leave; no list at all is a reason of its own.
/// Proves XFER-016.
#[test]
fn only_active_approved_addresses_are_paid() {
    let mut rig = Rig::new();
    let group = GroupId(0);
    let withdraw = order(&rig, micro(1_000_000));
    assert_eq!(decide_all(&rig, &withdraw), Err(Reject::NoList));
    let elsewhere = Withdraw { canonical: "bc1qy".into(), ..withdraw.clone() };
    for (account, standing) in [(rig.ann, Standing::PendingTime), (rig.vault, Standing::PendingMua)] {
        let mut rig = Rig::new();
        list(&mut rig, ApprovalScope::Account(account), standing);
        let own = Withdraw { account, ..withdraw.clone() };
        assert_eq!(decide_all(&rig, &own), Err(Reject::NotApproved), "{standing:?}");
        let other = Withdraw { account: if account == rig.ann { rig.vault } else { rig.ann }, ..own };
        assert_eq!(decide_all(&rig, &other), Err(Reject::NoList), "another account's list");
    }
    for scope in [ApprovalScope::Account(rig.ann), ApprovalScope::Group(group)] {
        let mut rig = Rig::new();
        list(&mut rig, scope, Standing::Active);
        assert_eq!(decide_all(&rig, &withdraw), Ok(rig.funds.next_eid()), "{scope:?}");
        assert_eq!(decide_all(&rig, &elsewhere), Err(Reject::NotApproved));
    }
    // The group's entry counts while the account's own waits.
    let ann = ApprovalScope::Account(rig.ann);
    list(&mut rig, ann, Standing::PendingTime);
    list(&mut rig, ApprovalScope::Group(group), Standing::Active);
    assert_eq!(decide_all(&rig, &withdraw), Ok(rig.funds.next_eid()));
}

fn lose(rig: &mut Rig, eid: Eid) -> bool {
    let decided = remedy::lose(&rig.context(), eid);
    step(rig, decided)
}

fn decide_remedy(rig: &Rig, eid: Eid, what: Remedy) -> Result<(), Reject> {
    remedy::remedy(&rig.context(), eid, what).map(|_| ())
}

fn message(rig: &Rig, eid: Eid) -> Option<Mishap> {
    rig.funds.transfer(eid).unwrap().row.chain().unwrap().mishap
}

/// A withdrawal whose payment a deep reorganisation has removed is pending again once nothing of it can confirm, with all that it held. It
/// is called off or paid again only then, and by no transaction that was replaced.
#[test]
fn a_lost_withdrawal_is_pending_until_an_operator_decides() {
    for is_complete in [false, true] {
        for what in [Remedy::Void, Remedy::Rebuild] {
            let mut rig = Rig::new();
            let (vault, source) = (rig.vault, rig.house("source", BTC));
            let before = rig.balance(vault, BTC);
            let withdraw = Withdraw { account: vault, ..order(&rig, micro(5_000_000)) };
            let eid = accept(&mut rig, &withdraw).unwrap();
            assert_eq!(decide_remedy(&rig, eid, what), Err(Reject::Unsigned));
            sign(&mut rig, eid, &attempt(Purpose::Pay, "t1", 1));
            assert_eq!(decide_remedy(&rig, eid, what), Err(Reject::MayConfirm));
            if is_complete {
                settle(&mut rig, eid, &end(Outcome::Completed, "t1", 4));
                assert_eq!(remedy::lose(&rig.context(), eid), Err(Reject::Settled), "it is final");
                let gone = progress::unsettle(&rig.context(), eid, "t1");
                assert!(step(&mut rig, gone));
                assert_eq!(
                    (status(&rig, eid), message(&rig, eid)),
                    (Status::Complete, Some(Mishap::Removed))
                );
                assert_eq!(decide_remedy(&rig, eid, what), Err(Reject::MayConfirm));
            }
            assert!(lose(&mut rig, eid));
            assert!(!lose(&mut rig, eid));
            assert_eq!((status(&rig, eid), message(&rig, eid)), (Status::Pending, Some(Mishap::Lost)));
            let held = rig.balance(vault, BTC);
            assert_eq!((held.total(), held.held), (before.total(), micro(5_001_000)));
            assert_eq!((rig.house("source", BTC), rig.house("fees", BTC)), (source, Money::ZERO));
            let revived = remedy::revive(&rig.context(), eid);
            assert!(step(&mut rig, revived));
            assert_eq!(decide_remedy(&rig, eid, what), Err(Reject::MayConfirm));
            assert!(lose(&mut rig, eid));
            let decided = remedy::remedy(&rig.context(), eid, what);
            assert!(step(&mut rig, decided));
            if what == Remedy::Void {
                assert_eq!((status(&rig, eid), rig.balance(vault, BTC)), (Status::Voided, before));
                assert_eq!(decide_remedy(&rig, eid, what), Err(Reject::Settled));
                assert!(!lose(&mut rig, eid));
                continue;
            }
            assert_eq!(rig.funds.transfer(eid).unwrap().row.chain().unwrap().tx, "");
            assert_eq!(decide_remedy(&rig, eid, what), Err(Reject::MayConfirm), "it is being paid again");
            assert!(sign(&mut rig, eid, &attempt(Purpose::Pay, "t2", 2)), "from other coins");
            assert!(settle(&mut rig, eid, &end(Outcome::Completed, "t2", 9)));
            assert_eq!((status(&rig, eid), message(&rig, eid)), (Status::Complete, Some(Mishap::Rebuilt)));
            assert_eq!(rig.balance(vault, BTC).total(), before.total() - micro(5_001_000));
            assert_eq!(rig.house("source", BTC), source + micro(5_000_000));
        }
    }
}

/// A withdrawal that was called off and is paid after all is owed, as after any other release.
#[test]
fn a_payment_after_it_was_called_off_is_owed() {
    let mut rig = Rig::new();
    let withdraw = Withdraw { account: rig.vault, ..order(&rig, micro(5_000_000)) };
    let eid = accept(&mut rig, &withdraw).unwrap();
    sign(&mut rig, eid, &attempt(Purpose::Pay, "t1", 1));
    assert!(lose(&mut rig, eid));
    let decided = remedy::remedy(&rig.context(), eid, Remedy::Void);
    assert!(step(&mut rig, decided));
    assert!(settle(&mut rig, eid, &end(Outcome::Completed, "t1", 9)));
    assert_eq!(status(&rig, eid), Status::Complete);
    assert_eq!(rig.funds.owed(rig.vault, BTC), micro(5_001_000), "amount and fee");
}

/// On a chain of accounts an operator's payment uses the number again, without waiting for the old one to be lost, and the hold lasts until
/// one of the two is final; a completed one whose block was removed is pending again.
#[test]
fn a_number_is_used_again() {
    let mut rig = Rig::new();
    let before = rig.balance(rig.ann, GUSD);
    let withdraw = Withdraw { network: "ethereum".into(), currency: GUSD, ..order(&rig, micro(5_000_000)) };
    let eid = accept(&mut rig, &withdraw).unwrap();
    sign(&mut rig, eid, &attempt(Purpose::Pay, "t1", 1));
    settle(&mut rig, eid, &end(Outcome::Completed, "t1", 4));
    assert_eq!(decide_remedy(&rig, eid, Remedy::Void), Err(Reject::Settled));
    let gone = progress::unsettle(&rig.context(), eid, "t1");
    assert!(step(&mut rig, gone));
    for what in [Remedy::Rebuild, Remedy::Void] {
        let decided = remedy::remedy(&rig.context(), eid, what);
        assert!(step(&mut rig, decided));
        assert_eq!(decide_remedy(&rig, eid, what), Err(Reject::Remedied));
    }
    assert_eq!(decide_remedy(&rig, eid, Remedy::Rebuild), Err(Reject::Remedied));
    assert_eq!((status(&rig, eid), message(&rig, eid)), (Status::Pending, Some(Mishap::CalledOff)));
    assert_eq!(rig.funds.withdrawals().remedied().collect::<vec::Vec<_>>(), [eid]);
    assert!(rig.balance(rig.ann, GUSD).held > Money::ZERO);
    sign(&mut rig, eid, &attempt(Purpose::Void, "t2", 1));
    assert!(settle(&mut rig, eid, &end(Outcome::Voided, "t2", 9)));
    assert_eq!((status(&rig, eid), rig.balance(rig.ann, GUSD)), (Status::Voided, before));
}

/// The accounts of a group share the free withdrawals of a month. Proves D-185.
#[test]
fn free_withdrawals_are_counted_by_group() {
    let mut rig = Rig::new();
    let withdraw = order(&rig, micro(1_000));
    accept(&mut rig, &withdraw).unwrap();
    let mut left = |group: Option<GroupId>| {
        let other = rig.ledger.open_account();
        let kind = buttonwood_access::AccountKind::Exchange;
        let account =
            buttonwood_access::Account { group, kind, ..buttonwood_access::Account::house(Time(0)) };
        rig.access.add_account(account);
        FeeTerms::of(&rig.context(), other, BTC, &OUTLET).monthly_remaining
    };
    assert_eq!([left(Some(GroupId(0))), left(Some(GroupId(1)))], [9, 10]);
}

/// A replay in which a payment has other bytes, was sent or is lost has another fingerprint, although its row is the same (INV-LEDGER-7).
#[test]
fn a_payment_that_differs_shows() {
    let after = |change: fn(&mut Payment)| {
        let mut rig = Rig::new();
        let withdraw = order(&rig, micro(1_000_000));
        let eid = accept(&mut rig, &withdraw).unwrap();
        let signed = progress::sign(&rig.context(), eid, &attempt(Purpose::Pay, "one", 1));
        assert!(step(&mut rig, signed));
        rig.apply(|books| books.room.withdrawals.change(eid, change));
        (rig.funds.fingerprints(), rig.funds.transfer(eid).unwrap().clone())
    };
    let live = after(|_| {});
    assert_eq!(after(|_| {}), live);
    let others: [fn(&mut Payment); 5] = [
        |payment| payment.attempts[0].bytes = vec![9],
        |payment| payment.attempts[0].spends = vec![9],
        |payment| payment.sent.extend(["one".into()]),
        |payment| payment.lost = true,
        |payment| {
            payment.settled = Some(Settled { outcome: Outcome::Voided, tx: String::new(), block: None });
        },
    ];
    for change in others {
        let planted = after(change);
        assert!(planted.0 != live.0 && planted.1 == live.1);
    }
}
