//! The group of someone who signs up in a venue: no advances, no free withdrawals and no rewards until an operator approves it.

use buttonwood_engine::funds::bank::{Command as BankCommand, Receipt};
use buttonwood_engine::funds::{FeeTerms, Outlet};
use buttonwood_engine::identity::{Command as Own, Confirm, ConfirmProof, Mailing, Peer, SignUp};
use buttonwood_engine::{
    AccessCommand, AccessReject, Answer, Eid, FundsCommand, Made, Reject, TransferMethod, TransferStatus,
};
use buttonwood_model::{AccountId, GroupId, Time};
use buttonwood_num::Money;
use buttonwood_oracle::Exchange;
use std::sync::Arc;

fn dollars(whole: i128) -> Money {
    Money::from_units(whole * Money::ONE.units())
}

/// Someone signs up and confirms the address: the group and its account.
pub(crate) fn sign_up(exchange: &mut Exchange, name: u8) -> (GroupId, AccountId) {
    let (login, token, browser) = ([name; 32], [name; 32], [1; 32]);
    let new = SignUp { login, name: "x".into(), credential: 7, token, browser, ends: Time(0) };
    let mailing = Mailing { login, peer: Peer([1; 16]), is_limited: false };
    assert_eq!(exchange.own(Own::SignUp(mailing, Arc::new(new)).into()), Answer::Done);
    let proof = ConfirmProof::Browser(browser);
    let confirm = Confirm { token, proof, credit: Vec::new() };
    assert_eq!(exchange.own(Own::Confirm(Arc::new(confirm)).into()), Answer::Done);
    let access = exchange.state.access();
    let last = |count: usize| count.checked_sub(1).expect("there is one");
    (GroupId::from_index(last(access.groups().len())), AccountId::from_index(last(access.accounts().len())))
}

pub(crate) fn approve(exchange: &mut Exchange, group: GroupId) -> Answer {
    exchange.own(AccessCommand::ApproveGroup(group).into())
}

fn receive(exchange: &mut Exchange, account: AccountId, amount: i128) -> Eid {
    let currency = exchange.find_currency("USD");
    let (number, routing) = ("0123451111".to_owned(), "021000021".to_owned());
    let amount = dollars(amount);
    let receipt = Receipt { account, currency, amount, method: TransferMethod::Ach, number, routing };
    let answer = exchange.own(FundsCommand::from(BankCommand::Receive(Arc::new(receipt))).into());
    let Answer::Funds(Made::Transfer(eid)) = answer else { panic!("{answer:?}") };
    eid
}

fn status(exchange: &Exchange, eid: Eid) -> TransferStatus {
    exchange.state.funds().transfer(eid).expect("the row is there").row.status
}

fn replays(exchange: &mut Exchange) {
    let mut again = Exchange::blank();
    for frame in exchange.journal.take().expect("it is recorded") {
        again.replay(&frame);
    }
    assert_eq!(exchange.difference(&again), None);
    assert_eq!(exchange.stored(), again.state);
}

/// A sandbox's groups, and those that an operator makes, wait for no one.
#[test]
fn only_a_sign_up_of_a_venue_waits() {
    let mut sandbox = Exchange::open(buttonwood_engine::FeeSchedule::default(), None);
    let (group, _) = sign_up(&mut sandbox, 3);
    assert!(sandbox.state.access().is_approved(group));
    let mut venue = Exchange::venue(Some(Vec::new()));
    venue.account("desk", "");
    assert!(venue.state.access().is_approved(GroupId(0)));
    let (group, _) = sign_up(&mut venue, 3);
    assert!(!venue.state.access().is_approved(group));
    assert_eq!(approve(&mut venue, GroupId(99)), Answer::Rejected(Reject::Access(AccessReject::Unknown)));
    for _ in 0..2 {
        assert_eq!(approve(&mut venue, group), Answer::Done);
        assert!(venue.state.access().is_approved(group));
    }
    replays(&mut venue);
}

/// Bank credits wait until they clear. With the approval those that wait and fit are advanced, the oldest first, those of another group not.
#[test]
fn credits_wait_for_an_approval() {
    let mut venue = Exchange::venue(Some(Vec::new()));
    let ((one, account), (_, other)) = (sign_up(&mut venue, 3), sign_up(&mut venue, 4));
    let rows = [receive(&mut venue, account, 20_000), receive(&mut venue, account, 10_000)];
    let foreign = receive(&mut venue, other, 100);
    let usd = venue.find_currency("USD");
    for eid in [rows[0], rows[1], foreign] {
        assert_eq!(status(&venue, eid), TransferStatus::Pending);
    }
    // Another limit, and a debt that ends, start none of them either.
    let limit = FundsCommand::from(BankCommand::SetAdvanceLimit(dollars(25_000)));
    assert_eq!(venue.own(limit.into()), Answer::Done);
    assert_eq!(venue.balance(account, usd).available, Money::ZERO);
    assert_eq!(approve(&mut venue, one), Answer::Done);
    assert_eq!(status(&venue, rows[0]), TransferStatus::Advanced);
    assert_eq!(status(&venue, rows[1]), TransferStatus::Pending, "it does not fit");
    assert_eq!(status(&venue, foreign), TransferStatus::Pending);
    assert_eq!(venue.balance(account, usd).available, dollars(20_000));
    let small = receive(&mut venue, account, 5_000);
    assert_eq!(status(&venue, small), TransferStatus::Advanced);
    replays(&mut venue);
    assert_eq!(venue.state.broken_law(), None);
}

/// No withdrawal is free before the approval, and ten a month are after it.
#[test]
fn withdrawals_cost_before_the_approval() {
    let mut venue = Exchange::venue(None);
    let (group, account) = sign_up(&mut venue, 3);
    let usd = venue.find_currency("USD");
    let outlet = Outlet { fee: dollars(1), minimum: dollars(1), decimals: 2, confirmations: 1 };
    let terms = |venue: &Exchange| {
        let found = FeeTerms::of(&venue.state.of_funds(venue.stamp.time), account, usd, &outlet);
        (found.fee, found.monthly_limit, found.monthly_remaining)
    };
    assert_eq!(terms(&venue), (dollars(1), 0, 0));
    assert_eq!(approve(&mut venue, group), Answer::Done);
    assert_eq!(terms(&venue), (Money::ZERO, 10, 10));
}
