//! `deposit unclaimed`: the payments from the chains that fit no account (D-73).

use crate::Shared;
use crate::command::{Command, Lines};
use crate::operator::Operator;
use buttonwood_gate::Refusal;
use buttonwood_num::MONEY_DECIMALS;
use buttonwood_wire::contract::{DecimalText, Label};
use buttonwood_wire::{answer, json};

/// Also `GET /sandbox/deposits/unclaimed`.
pub(crate) const COMMAND: Command =
    Command::list("deposit unclaimed", |operator, _, lines| Box::pin(send(operator, lines)))
        .about("Lists the payments from the chains that fit no account and were not assigned.")
        .gives::<Unclaimed>();

answer! {
    /// A payment that fits no account.
    pub struct Unclaimed {
        /// The network.
        pub network: String,
        /// The hash of its transaction.
        pub tx_hash as "txHash": String,
        /// Its output; 0 where a chain has no outputs.
        pub output as "outputIdx": u64,
        /// The address that was paid.
        pub address: Label,
        /// The memo, if there is one.
        pub memo: Option<Label>,
        /// The currency.
        pub currency: String,
        /// How much.
        pub amount: DecimalText,
    }
}

/// The payments that fit no account and were not assigned.
pub fn unclaimed(shared: &Shared) -> Vec<Unclaimed> {
    let views = shared.exchange.views();
    let funds = views.state().funds();
    let rows = funds.deposits().unclaimed().filter_map(|(key, deposit)| {
        let row = &funds.transfer(deposit.eid)?.row;
        let chain = row.chain()?;
        Some(Unclaimed {
            network: key.network.clone(),
            tx_hash: key.tx.clone(),
            output: u64::from(key.index),
            address: Label(chain.address.clone()),
            memo: (!chain.memo.is_empty()).then(|| Label(chain.memo.clone())),
            currency: shared.names.currency(row.currency).code.clone(),
            amount: DecimalText::of(|out| row.amount.push_floored(out, MONEY_DECIMALS)),
        })
    });
    rows.collect()
}

async fn send(operator: &Operator<'_>, lines: &Lines) -> Result<(), Refusal> {
    for row in unclaimed(operator) {
        if !lines.send(json::body(&row)).await {
            break;
        }
    }
    Ok(())
}
