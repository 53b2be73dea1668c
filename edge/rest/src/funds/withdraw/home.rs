//! `POST /v1/withdraw/{currency}`: withdraws to an approved address on the currency's home network (XFER-013, D-65). Dollars are
//! paid as dollar tokens, 1:1, and the call answers once their transaction is signed (XFER-021, D-80).

use super::{Pair, check_open, memo, read, row, shown};
use crate::funds::field;
use buttonwood_call::{App, Call, Later, Route, Write};
use buttonwood_engine::funds::withdrawal::Command;
use buttonwood_engine::{Body, FundsCommand, Transfer, TransferReference};
use buttonwood_gate::{Reason, Refusal, quoted};
use buttonwood_http::Reply;
use buttonwood_sequencer::Receipt;
use buttonwood_wire::contract::{DecimalOrAll, DecimalText, InPayload, Label, Needed, Sent, Text};
use buttonwood_wire::field::failed;
use buttonwood_wire::{answer, json, request};
use std::sync::Arc;
use std::time::Duration;

/// Fund Manager only.
pub(crate) const ROUTE: Route =
    Route::writing("/v1/withdraw/{currency}", Write { command, answer, closed: Some(signed) })
        .right(Command::RIGHT)
        .about("Withdraws a currency on its home network to an approved address.")
        .notes(&["Every withdrawal uses one of the month's free ones while any is left. A call with a used \
             `client_transfer_id` and no `memo` means that withdrawal, whichever memo it had."])
        .takes::<HomeOrder>()
        .gives::<Withdrawn>()
        .refuses(&[406]);

/// The currency that is paid as a token, and the token.
const WRAPPED: (&str, &str) = ("USD", "GUSD");

/// How often, and how many times, the state is asked whether a withdrawal of dollars is signed.
const POLL: (Duration, u32) = (Duration::from_millis(20), 500);

request! {
    /// The withdrawal.
    struct HomeOrder in InPayload {
        /// Where it goes: an approved address.
        address: Needed<Text>,
        /// How much arrives there; `all` is all that may leave the account, without the fee and as far as the network can carry it.
        amount: Needed<DecimalOrAll>,
        /// The memo of the approved address, on cosmos, solana and xrpl; without it the withdrawal carries that one.
        memo: Sent<Text>,
        /// The client's id of the transfer, 1 to 100 characters: a repeated call with the same id withdraws nothing again.
        client_id as "client_transfer_id": Sent<Text>,
    }
}

answer! {
    /// A withdrawal that was accepted.
    struct Withdrawn {
        /// Where it goes; not for dollars.
        address: Option<Label>,
        /// Where the dollar tokens go.
        destination: Option<Label>,
        /// The memo that it carries.
        memo: Option<Label>,
        /// How much arrives there.
        amount: DecimalText,
        /// The fee, in the same currency; not for dollars, which have none.
        fee: Option<DecimalText>,
        /// Its id; not for dollars.
        withdrawal_id as "withdrawalId": Option<String>,
        /// The hash of its transaction, once there is one.
        tx_hash as "txHash": Option<String>,
        /// The next steps, for people; not for dollars.
        message: Option<String>,
    }
}

/// The currency in the path on its home network.
fn pair(app: &App, call: &Call) -> Result<Pair, Refusal> {
    let (asked, currency) = field::currency(app, call.parameter())?;
    let wrapped = if currency.code == WRAPPED.0 { app.names.find_currency(WRAPPED.1) } else { None };
    let id = wrapped.unwrap_or(asked);
    let home = {
        let views = app.exchange.views();
        views.state().funds().networks().home(id).map(|asset| asset.network.clone())
    };
    let pair = home.and_then(|network| Pair::find(app, &network, id));
    let pair = pair.map(|pair| Pair { wraps: wrapped.map(|_| asked), ..pair });
    pair.ok_or_else(|| {
        let message =
            format!("The currency in the path leaves on no network: '{}'", quoted(call.parameter()));
        Refusal::new(Reason::InvalidCurrency, message)
    })
}

fn command(app: &App, call: &Call) -> Result<Body, Refusal> {
    check_open(app, call)?;
    let withdraw = read(app, call, pair(app, call)?)?;
    Ok(FundsCommand::from(Command::Withdraw(Arc::new(withdraw))).into())
}

fn answer(app: &App, call: &Call, receipt: &Receipt) -> Result<Reply, Refusal> {
    let transfer = row(app, call, &pair(app, call)?, receipt)?;
    Ok(Reply::json(json::body(&withdrawn(app, transfer))))
}

/// The answer once the transaction of wrapped dollars is signed; at once for every other currency.
fn signed<'a>(app: &'a App, call: &'a Call, receipt: &'a Receipt) -> Later<'a> {
    Box::pin(async move {
        let pair = pair(app, call)?;
        let mut transfer = row(app, call, &pair, receipt)?.clone();
        let (pause, times) = POLL;
        for _ in 0..times {
            let is_signed = transfer.row.chain().is_some_and(|chain| !chain.tx.is_empty());
            if pair.wraps.is_none() || is_signed {
                return Ok(Reply::json(json::body(&withdrawn(app, &transfer))));
            }
            if !transfer.row.status.is_open() {
                break;
            }
            tokio::time::sleep(pause).await;
            // What the chain has done since the command is only in the state of now.
            let now = app.exchange.views().state().funds().transfer(transfer.eid).cloned();
            transfer = now.ok_or_else(failed)?;
        }
        let message =
            "The withdrawal is accepted, and its transaction is not signed yet; ask for its transfer later";
        Err(Refusal::new(Reason::System, message).with_status(503))
    })
}

fn withdrawn(app: &App, transfer: &Transfer) -> Withdrawn {
    let row = &transfer.row;
    let amount = || shown(app, row.currency, row.amount);
    let chain = row.chain();
    let address = || Label(chain.map(|chain| chain.address.clone()).unwrap_or_default());
    let tx_hash = chain.map(|chain| chain.tx.clone()).filter(|tx| !tx.is_empty());
    let (mut fee, mut withdrawal_id, mut message) = (None, None, None);
    let is_wrapped = row.held_currency() != row.currency;
    if let TransferReference::Withdrawal(id) = &row.reference
        && !is_wrapped
    {
        let code = &app.names.currency(row.currency).code;
        let text = super::text(app, row.currency, row.amount);
        fee = Some(shown(app, row.currency, row.fee));
        withdrawal_id = Some(id.to_string());
        let to = chain.map_or("", |chain| &chain.address);
        message = Some(format!(
            "The withdrawal of {text} {code} to {to} goes to the chain within about 60 seconds."
        ));
    }
    Withdrawn {
        address: (!is_wrapped).then(address),
        destination: is_wrapped.then(address),
        memo: memo(row),
        amount: amount(),
        fee,
        withdrawal_id,
        tx_hash,
        message,
    }
}
