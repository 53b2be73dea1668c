//! `POST /v1/account/transfer/{currency}`: moves money between accounts of the master key's group (XFER-024 to XFER-030).

use super::field;
use buttonwood_call::{
    ALL_WORD, App, Auth, Call, Route, Write, core_refusal, refuse_short, transfer_client_id,
};
use buttonwood_engine::funds::internal::{Command, Move, Reject as MoveReject};
use buttonwood_engine::funds::{NewTransfer, Short};
use buttonwood_engine::{
    AccountKind, Body, FundsCommand, FundsReject, Reject, TransferReference, TransferWay,
};
use buttonwood_gate::{Reason, Refusal, quoted};
use buttonwood_http::Reply;
use buttonwood_model::{AccountId, Currency};
use buttonwood_sequencer::Receipt;
use buttonwood_wire::contract::{DecimalOrAll, DecimalText, InPayload, Needed, Sent, Text};
use buttonwood_wire::field::{bad_value, closed_account};
use buttonwood_wire::{answer, json, request};
use std::sync::Arc;

/// Fund Manager only.
pub(crate) const ROUTE: Route =
    Route::writing("/v1/account/transfer/{currency}", Write { command, answer, closed: None })
        .by(Auth::Group)
        .right(Command::RIGHT)
        .about("Moves money from one account of the group to another.")
        .takes::<Transfer>()
        .gives::<Transferred>()
        .refuses(&[406]);

request! {
    /// The money to move.
    struct Transfer in InPayload {
        /// The short name of the account that gives.
        source as "sourceAccount": Needed<Text>,
        /// The short name of the account that gets.
        target as "targetAccount": Needed<Text>,
        /// How much; `all` is all that may leave the account.
        amount: Needed<DecimalOrAll>,
        /// The client's id of the transfer, 1 to 100 characters: a repeated call with the same id moves nothing again.
        client_id as "clientTransferId": Sent<Text>,
    }
}

answer! {
    /// The money that was moved.
    struct Transferred {
        /// The short name of the account that gave.
        from as "fromAccount": String,
        /// The short name of the account that got.
        to as "toAccount": String,
        /// How much.
        amount: DecimalText,
        /// The fee, always 0.
        fee: DecimalText,
        /// The name of the currency, for people.
        currency: String,
        /// The id of a transfer between two exchange accounts.
        uuid: Option<String>,
        /// The id of every other transfer.
        withdrawal_id as "withdrawalId": Option<String>,
        /// The result, for people.
        message: String,
    }
}

fn command(app: &App, call: &Call) -> Result<Body, Refusal> {
    let sent = Transfer::of(call.payload());
    let (from, to, text) = (sent.source()?, sent.target()?, sent.amount()?);
    let (id, currency) = field::currency(app, call.parameter())?;
    let source = account(app, call, "sourceAccount", &from)?;
    let target = account(app, call, "targetAccount", &to)?;
    if [source, target].iter().any(|account| is_custody(app, *account)) {
        let what = || {
            format!(
                "Nothing moves to or from custody here, so not from account '{}' to account '{}'",
                quoted(&from),
                quoted(&to)
            )
        };
        field::check_moves(app, what)?;
    }
    let moved = Move {
        source,
        target,
        currency: id,
        amount: field::amount_or_all(currency, &text)?,
        client_id: transfer_client_id(call.payload())?,
    };
    Ok(FundsCommand::from(Command::Transfer(Arc::new(moved))).into())
}

/// Whether it is a custody account, which moves money on a chain.
fn is_custody(app: &App, account: AccountId) -> bool {
    let views = app.exchange.views();
    let account = views.state().access().account(account);
    account.is_some_and(|account| account.kind == AccountKind::Custody)
}

/// An account of the master key's group.
fn account(app: &App, call: &Call, name: &str, value: &str) -> Result<AccountId, Refusal> {
    let views = app.exchange.views();
    let access = views.state().access();
    let found = call.group().and_then(|group| access.find_account(group, value));
    found.ok_or_else(|| {
        let message = format!("Field '{name}' names no account of the group: '{}'", quoted(value));
        Refusal::new(Reason::InvalidAccountName, message)
    })
}

fn answer(app: &App, call: &Call, receipt: &Receipt) -> Result<Reply, Refusal> {
    let row = &receipt.transfer().map_err(|reject| refusal(app, call, reject))?.row;
    let sent = Transfer::of(call.payload());
    let (from, to) = (sent.source()?.into_owned(), sent.target()?.into_owned());
    let currency = app.names.currency(row.currency);
    let amount = DecimalText::of(|out| row.amount.push_floored(out, currency.decimals));
    let (uuid, withdrawal_id) = match &row.reference {
        TransferReference::Uuid(id) => (Some(id.to_string()), None),
        TransferReference::Withdrawal(id) => (None, Some(id.to_string())),
        TransferReference::Code(code) => (None, Some(code.clone())),
        TransferReference::None => (None, None),
    };
    let fee = DecimalText::of(|out| row.fee.push_floored(out, currency.decimals));
    let message = message(app, row, currency, [&from, &to]);
    let currency = currency.name.clone();
    let moved = Transferred { from, to, amount, fee, currency, uuid, withdrawal_id, message };
    Ok(Reply::json(json::body(&moved)))
}

/// The result, for people: the same for every repetition of a call.
fn message(app: &App, row: &NewTransfer, currency: &Currency, [from, to]: [&str; 2]) -> String {
    let mut amount = Vec::new();
    row.amount.push_floored(&mut amount, currency.decimals);
    let moved = format!("{} {}", String::from_utf8_lossy(&amount), currency.name);
    match row.way {
        TransferWay::Internal { other, .. } if is_custody(app, other) => {
            format!("{moved} will move from {from} to {to} with the next custody run")
        }
        TransferWay::Internal { .. }
        | TransferWay::Bank(..)
        | TransferWay::Operator(_)
        | TransferWay::Chain(_) => format!("{moved} moved from {from} to {to}"),
    }
}

fn refusal(app: &App, call: &Call, reject: Reject) -> Refusal {
    let Reject::Funds(FundsReject::Internal(reject)) = reject else {
        return core_refusal(app, call, reject);
    };
    let sent = Transfer::of(call.payload());
    let source = sent.source().unwrap_or_default();
    let target = sent.target().unwrap_or_default();
    let amount = sent.amount().unwrap_or_default();
    let code =
        field::currency(app, call.parameter()).map_or(call.parameter(), |(_, currency)| &currency.code);
    let short_name = |account: AccountId| {
        let views = app.exchange.views();
        views.state().access().account(account).map_or(String::new(), |account| account.short_name.clone())
    };
    match reject {
        MoveReject::Foreign(account) => {
            let message = format!("No account of the group: '{}'", quoted(&short_name(account)));
            Refusal::new(Reason::InvalidAccountName, message)
        }
        MoveReject::Closed(account) => closed_account(&short_name(account)),
        MoveReject::SameAccount => {
            bad_value("targetAccount", "another account than 'sourceAccount'", &target)
                .with_reason(Reason::InvalidFundTransfer)
        }
        MoveReject::OtherTerms => {
            let id = transfer_client_id(call.payload()).unwrap_or_default();
            bad_value("clientTransferId", "an id that no transfer with other terms has", &id)
        }
        MoveReject::Prohibited => {
            let message = format!(
                "{code} does not move from account '{}' to account '{}': their kinds do not allow it",
                quoted(&source),
                quoted(&target)
            );
            Refusal::new(Reason::InvalidFundTransfer, message)
        }
        MoveReject::BadAmount => {
            bad_value("amount", "a positive amount", &amount).with_reason(Reason::InvalidQuantity)
        }
        MoveReject::Short(Short::TooLittle) if amount == ALL_WORD => {
            let message = format!("Account '{}' has no {code} that may leave it", quoted(&source));
            Refusal::new(Reason::InsufficientFunds, message)
        }
        MoveReject::Short(Short::TooLittle) => {
            let (source, amount) = (quoted(&source), quoted(&amount));
            let message = format!("Account '{source}' has less than {amount} {code} that may leave it");
            Refusal::new(Reason::InsufficientFunds, message)
        }
        MoveReject::Short(short @ (Short::Debt | Short::Advances)) => {
            match account(app, call, "sourceAccount", &source) {
                Ok(source) => refuse_short(app, source, short, (&amount, code)),
                Err(refusal) => refusal,
            }
        }
    }
}
