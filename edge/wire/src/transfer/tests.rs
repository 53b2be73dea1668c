//! Rows of transfers as they are written.

use super::*;
use crate::json;
use buttonwood_engine::funds::NewTransfer;
use buttonwood_model::{AccountId, Currency, CurrencyId, CurrencyKind, Time, TradeId};

fn names() -> Names {
    let bitcoin = Currency {
        code: "BTC".into(),
        name: "Bitcoin".into(),
        decimals: 8,
        kind: CurrencyKind::Crypto,
        networks: vec!["bitcoin".into()],
    };
    Names::new("svc".into(), &[], &[bitcoin])
}

fn on_chain(kind: Kind, status: Status, fee: i128) -> Transfer {
    let chain = OnChain {
        network: "bitcoin".into(),
        address: "bc1qpaid".into(),
        memo: String::new(),
        tx: String::new(),
        output: None,
        confirmations: 1,
        canonical: "bc1qpaid".into(),
        wraps: None,
        mishap: None,
    };
    let row = NewTransfer {
        account: AccountId(9),
        kind,
        status,
        currency: CurrencyId(0),
        amount: Money::from_units(25 * 10_i128.pow(18)),
        fee: Money::from_units(fee),
        held: Money::ZERO,
        way: Way::Chain(Box::new(chain)),
        reference: Reference::None,
        advance: None,
        client_id: String::new(),
    };
    Transfer { eid: Eid(7), time: Time(1_000_123), before_trade: TradeId(1), row }
}

fn shown(transfer: &Transfer, shows_network: bool) -> String {
    String::from_utf8(json::body(&row(&names(), &Networks::default(), transfer, shows_network))).unwrap()
}

/// A deposit on a chain always has its network and a fee of 0; what is not known yet is left out, and version 1 has no network.
/// Proves XFER-003, XFER-008.
#[test]
fn a_deposit_on_a_chain() {
    let mut deposit = on_chain(Kind::Deposit, Status::Pending, 0);
    assert_eq!(
        shown(&deposit, true),
        r#"{"type":"Deposit","status":"Pending","timestampms":1000,"eid":7,"currency":"BTC","amount":"2.5","network":"bitcoin","feeAmount":"0","feeCurrency":"BTC","confirmations":1}"#
    );
    deposit.row.status = Status::Complete;
    if let Way::Chain(chain) = &mut deposit.row.way {
        (chain.tx, chain.output) = ("ab12".into(), Some(0));
    }
    assert_eq!(
        shown(&deposit, false),
        r#"{"type":"Deposit","status":"Complete","timestampms":1000,"eid":7,"currency":"BTC","amount":"2.5","feeAmount":"0","feeCurrency":"BTC","txHash":"ab12","outputIdx":0}"#
    );
}

/// A withdrawal has the address that it pays, its fee and its id. Proves XFER-003.
#[test]
fn a_withdrawal_on_a_chain() {
    let mut withdrawal = on_chain(Kind::Withdrawal, Status::Pending, 1);
    let id = Uuid::drawn(1, 1);
    withdrawal.row.reference = Reference::Withdrawal(id);
    assert_eq!(
        shown(&withdrawal, true),
        format!(
            r#"{{"type":"Withdrawal","status":"Pending","timestampms":1000,"eid":7,"currency":"BTC","amount":"2.5","network":"bitcoin","feeAmount":"0.0000000000000000001","feeCurrency":"BTC","destination":"bc1qpaid","withdrawalId":"{id}"}}"#
        )
    );
}

/// A completion names the row of its advance, in both versions. Proves XFER-003.
#[test]
fn a_completed_advance() {
    let mut deposit = on_chain(Kind::Deposit, Status::Complete, 0);
    deposit.row.way = Way::Bank(buttonwood_engine::TransferMethod::Ach, None);
    deposit.row.advance = Some(Eid(3));
    for shows_network in [true, false] {
        assert_eq!(
            shown(&deposit, shows_network),
            r#"{"type":"Deposit","status":"Complete","timestampms":1000,"eid":7,"advanceEid":3,"currency":"BTC","amount":"2.5","method":"ACH"}"#
        );
    }
}

/// The fee of a custody account's withdrawal is listed, a withdrawal without a fee is not. Proves XFER-012.
#[test]
fn fees_of_custody() {
    let fee = |transfer: &Transfer| {
        custody_fee(&names(), transfer).map(|row| String::from_utf8(json::body(&row)).unwrap())
    };
    assert_eq!(
        fee(&on_chain(Kind::Withdrawal, Status::Complete, 10_i128.pow(16))).as_deref(),
        Some(r#"{"txTime":1000,"feeAmount":"0.001","feeCurrency":"BTC","eid":7,"eventType":"Withdrawal"}"#)
    );
    assert_eq!(fee(&on_chain(Kind::Withdrawal, Status::Complete, 0)), None);
    assert_eq!(fee(&on_chain(Kind::Withdrawal, Status::Failed, 1)), None);
    assert_eq!(fee(&on_chain(Kind::Deposit, Status::Complete, 0)), None);
}

/// Every transfer is among the transactions, with its status. Proves XFER-034.
#[test]
fn a_failed_withdrawal_is_a_transaction() {
    let withdrawal = on_chain(Kind::Withdrawal, Status::Failed, 0);
    assert!(!withdrawal.row.status.is_listed(), "and it is in no listing of transfers (D-69)");
    let item =
        transfer_transaction(&names(), &withdrawal, Ends { account: "primary", other: "", bank: None });
    assert_eq!(
        String::from_utf8(json::body(&item)).unwrap(),
        r#"{"type":"transfer","timestampms":1000,"source":"primary","destination":"bc1qpaid","operationReason":"Withdrawal","status":"Failed","eid":7,"currency":"BTC","amount":"2.5","method":"Blockchain"}"#
    );
}

/// A transfer from a linked bank account names it. Proves XFER-034.
#[test]
fn a_linked_bank_is_named() {
    let mut deposit = on_chain(Kind::Deposit, Status::Complete, 0);
    deposit.row.way = Way::Bank(buttonwood_engine::TransferMethod::Wire, Some(1));
    let id = Uuid::drawn(1, 2);
    let ends = Ends { account: "primary", other: "", bank: Some(id) };
    assert_eq!(
        String::from_utf8(json::body(&transfer_transaction(&names(), &deposit, ends))).unwrap(),
        format!(
            r#"{{"type":"transfer","timestampms":1000,"source":"Wire","destination":"primary","operationReason":"Deposit","status":"Complete","eid":7,"currency":"BTC","amount":"2.5","method":"Wire","bankId":"{id}"}}"#
        )
    );
}
