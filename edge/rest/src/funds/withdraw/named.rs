//! `POST /v2/withdraw/{network}/{ticker}`: withdraws to an approved address on the named network (XFER-014 to XFER-019).

use super::{Order, check_open, memo, named_pair, read, row, shown};
use buttonwood_call::{App, Call, Route, Write};
use buttonwood_engine::funds::withdrawal::Command;
use buttonwood_engine::{Body, FundsCommand, TransferReference};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_sequencer::Receipt;
use buttonwood_wire::contract::{DecimalText, Label};
use buttonwood_wire::field::failed;
use buttonwood_wire::{answer, json};
use std::sync::Arc;

/// Fund Manager only.
pub(crate) const ROUTE: Route =
    Route::writing("/v2/withdraw/{network}/{ticker}", Write { command, answer, closed: None })
        .right(Command::RIGHT)
        .about("Withdraws an asset on a network to an approved address.")
        .notes(&["Every withdrawal uses one of the month's free ones while any is left. A call with a used \
             `client_transfer_id` and no `memo` means that withdrawal, whichever memo it had."])
        .takes::<Order>()
        .gives::<Accepted>()
        .refuses(&[404, 406]);

answer! {
    /// A withdrawal that was accepted.
    struct Accepted {
        /// Its id.
        withdrawal_id as "withdrawalId": String,
        /// Where it goes.
        address: Label,
        /// The memo that it carries.
        memo: Option<Label>,
        /// How much arrives there.
        amount: DecimalText,
        /// The currency, in upper case.
        currency: String,
        /// The fee, in the same currency.
        fee: DecimalText,
    }
}

fn command(app: &App, call: &Call) -> Result<Body, Refusal> {
    check_open(app, call)?;
    let withdraw = read(app, call, named_pair(app, call)?)?;
    Ok(FundsCommand::from(Command::Withdraw(Arc::new(withdraw))).into())
}

fn answer(app: &App, call: &Call, receipt: &Receipt) -> Result<Reply, Refusal> {
    let row = &row(app, call, &named_pair(app, call)?, receipt)?.row;
    let TransferReference::Withdrawal(id) = &row.reference else { return Err(failed()) };
    Ok(Reply::json(json::body(&Accepted {
        withdrawal_id: id.to_string(),
        address: Label(row.chain().map(|chain| chain.address.clone()).unwrap_or_default()),
        memo: memo(row),
        amount: shown(app, row.currency, row.amount),
        currency: app.names.currency(row.currency).code.clone(),
        fee: shown(app, row.currency, row.fee),
    })))
}
