//! `GET /sandbox/deposits/unclaimed` and `POST /sandbox/deposits/assign`: payments that fit no account, and who gets them (D-73).

use super::control::ControlCall;
use crate::app::App;
use crate::route::Route;
use buttonwood_engine::funds::OutputKey;
use buttonwood_engine::funds::deposit::{Command, Reject as DepositReject};
use buttonwood_engine::{FundsCommand, FundsReject, Reject};
use buttonwood_gate::{Payload, Reason, Refusal, quoted};
use buttonwood_http::Reply;
use buttonwood_num::MONEY_DECIMALS;
use buttonwood_wire::contract::{DecimalText, Done, InPayload, Label, Needed, Text, WholeUpTo};
use buttonwood_wire::field::{busy, closed_account};
use buttonwood_wire::{answer, json, request};
use std::sync::Arc;

/// This machine only.
pub(crate) const UNCLAIMED: Route = Route::control_reading("/sandbox/deposits/unclaimed", unclaimed)
    .about("Lists the payments from the chains that fit no account and were not assigned.")
    .gives::<Vec<Unclaimed>>();

/// This machine only.
pub(crate) const ASSIGN: Route =
    Route::control("/sandbox/deposits/assign", |call, _, fields| Box::pin(assign(call, fields)))
        .about("Gives a payment that fitted no account to an account, once.")
        .takes::<Assignment>()
        .gives::<Assigned>();

answer! {
    /// A payment that fits no account.
    struct Unclaimed {
        /// The network.
        network: String,
        /// The hash of its transaction.
        tx_hash as "txHash": String,
        /// Its output; 0 where a chain has no outputs.
        output as "outputIdx": u64,
        /// The address that was paid.
        address: Label,
        /// The memo, if there is one.
        memo: Option<Label>,
        /// The currency.
        currency: String,
        /// How much.
        amount: DecimalText,
    }
}

request! {
    /// Who gets a payment.
    struct Assignment in InPayload {
        /// The network.
        network: Needed<Text>,
        /// The hash of the transaction.
        tx_hash as "txHash": Needed<Text>,
        /// The output; 0 where the chain has no outputs.
        output as "outputIdx": Needed<WholeUpTo<4_294_967_295>>,
        /// The name of the account's group.
        group: Needed<Text>,
        /// The short name of the account.
        account: Needed<Text>,
    }
}

answer! {
    /// It is assigned.
    struct Assigned {
        /// Always `ok`.
        result: Done,
    }
}

fn unclaimed(app: &App) -> Reply {
    let views = app.exchange.views();
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
            currency: app.names.currency(row.currency).code.clone(),
            amount: DecimalText::of(|out| row.amount.push_floored(out, MONEY_DECIMALS)),
        })
    });
    Reply::json(json::body(&rows.collect::<Vec<_>>()))
}

async fn assign(call: &ControlCall<'_>, fields: &Payload) -> Result<Reply, Refusal> {
    let request = Assignment::of(fields);
    let (network, tx) = (request.network()?, request.tx_hash()?);
    let index = u32::try_from(request.output()?).unwrap_or(u32::MAX);
    let (group, name) = (request.group()?, request.account()?);
    let account = call.operator().find_account(&group, &name)?;
    let key = OutputKey { network: network.clone().into_owned(), tx: tx.clone().into_owned(), index };
    let refuse = |reject| {
        let Reject::Funds(FundsReject::Deposit(reject)) = reject else { return None };
        let what = match reject {
            DepositReject::Closed => return Some(closed_account(&name)),
            DepositReject::Halted => return Some(busy("Credits of the payment's currency are halted")),
            DepositReject::Owned => "belongs to an account already",
            DepositReject::IsLost => "has not come, and cannot come any more",
            DepositReject::Unknown => "is not known",
            DepositReject::Unacceptable | DepositReject::NoHouse | DepositReject::NoAccount => return None,
        };
        let message = format!("The payment {what}: '{}' on '{}'", quoted(&tx), quoted(&network));
        Some(Refusal::new(Reason::InvalidParameterValue, message))
    };
    call.operator().send(FundsCommand::from(Command::Assign(Arc::new(key), account)), refuse).await?;
    Ok(Reply::json(json::body(&Assigned { result: Done })))
}
