//! A receipt has the row that its command made as it was right after the command, whatever later commands of its batch did to it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::{SEGMENTS, START, account, decimal, founding};
use buttonwood_engine::funds::bank::{Command as Banking, Receipt as Arrival, Settlement};
use buttonwood_engine::{Body, Command, Eid, FundsCommand, Reject, TransferMethod, TransferStatus};
use buttonwood_model::{Currency, CurrencyId, CurrencyKind};
use buttonwood_num::Money;
use buttonwood_sequencer::{Clock, Options, Pending, Receipt, Stepped, recover_stepped};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

fn answer(mut pending: Pending) -> Receipt {
    match Pin::new(&mut pending).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(receipt) => receipt.unwrap(),
        Poll::Pending => panic!("its batch is committed"),
    }
}

/// A credit that is settled within the batch of its arrival is still pending in the receipt of the arrival.
#[test]
fn a_receipt_has_the_row_as_its_command_left_it() {
    let dir = tempfile::tempdir().unwrap();
    let mut recovered = recover_stepped(dir.path(), SEGMENTS).unwrap();
    recovered.commit(START, founding()).unwrap();
    let mut stepped = Stepped::new(recovered, Clock::manual(START), Options { snapshot_every: 1_000_000 });
    let euro = Currency {
        code: "EUR".to_owned(),
        name: "Euro".to_owned(),
        decimals: 2,
        kind: CurrencyKind::Fiat,
        networks: Vec::new(),
    };
    let arrival = Arrival {
        account: account(0),
        currency: CurrencyId(2),
        amount: Money::from_decimal(decimal("10")).unwrap(),
        method: TransferMethod::Ach,
        number: String::new(),
        routing: String::new(),
    };
    let eid = stepped.exchange().views().state().funds().next_eid();
    let settlement = |eid| Banking::Settle(Settlement { eid, returned: false });
    let bodies: [Body; 4] = [
        Body::list_currency(euro),
        FundsCommand::from(Banking::Receive(arrival.into())).into(),
        FundsCommand::from(settlement(eid)).into(),
        FundsCommand::from(settlement(Eid(99))).into(),
    ];
    let pending = bodies.map(|body| stepped.exchange().submit(Command { caller: None, body }).unwrap());
    stepped.decide(Duration::ZERO);
    assert!(stepped.commit().unwrap());
    let [listed, received, settled, refused] = pending.map(answer);
    assert_eq!((listed.done(), listed.transfer().err()), (Ok(()), Some(Reject::System)));
    let row = received.transfer().unwrap();
    assert_eq!((row.eid, row.row.status), (eid, TransferStatus::Pending));
    assert_eq!(settled.transfer().unwrap().row.status, TransferStatus::Complete);
    let views = stepped.exchange().views();
    let now = views.state().funds().transfer(eid).unwrap();
    assert_eq!(now.row.status, TransferStatus::Complete, "the replica has moved on");
    assert!(received.address().is_err() && received.bank().is_err() && received.order().is_err());
    assert!(matches!(refused.transfer(), Err(Reject::Funds(_))) && refused.done().is_err());
}
