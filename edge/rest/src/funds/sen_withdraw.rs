//! `POST /v1/payments/sen/withdraw`: pays dollars to a verified bank (BANK-007 to BANK-009, facts F§7).

use super::field;
use buttonwood_call::{ALL_WORD, App, Call, Route, Write, core_refusal, refuse_short};
use buttonwood_engine::funds::ALL;
use buttonwood_engine::funds::bank::{Command, Payment, Reject as BankReject};
use buttonwood_engine::{Body, FundsCommand, FundsReject, Reject, TransferReference};
use buttonwood_gate::{Reason, Refusal};
use buttonwood_http::Reply;
use buttonwood_model::{Role, Scope};
use buttonwood_operate::banks::wire::{bad_amount, cents};
use buttonwood_sequencer::Receipt;
use buttonwood_wire::contract::{DecimalOrAll, DecimalText, InPayload, Needed, Text};
use buttonwood_wire::field::{bad_value, busy, closed_account, failed};
use buttonwood_wire::{answer, json, request};

/// Fund Manager only.
pub(crate) const ROUTE: Route =
    Route::writing("/v1/payments/sen/withdraw", Write { command, answer, closed: None })
        .roles(&[Role::FundManager])
        .scopes(&[Scope::PaymentsCreate])
        .about("Pays dollars to a bank of the account that a wire has verified.")
        .takes::<Wanted>()
        .gives::<Held>()
        .refuses(&[406]);

request! {
    /// A payment of dollars.
    struct Wanted in InPayload {
        /// The id of a verified bank of the account.
        bank as "bankId": Needed<Text>,
        /// How many dollars, with at most 2 decimals; `all` is all that may leave the account, in whole cents.
        amount: Needed<DecimalOrAll>,
    }
}

answer! {
    /// The payment, which is held until the bank has settled it.
    struct Held {
        /// How many dollars.
        amount: DecimalText,
        /// The id of the payment: 6 upper-case letters and digits.
        id as "withdrawalId": String,
        /// The next steps, for people.
        message: String,
    }
}

fn command(app: &App, call: &Call) -> Result<Body, Refusal> {
    field::check_simulated(app)?;
    let sent = Wanted::of(call.payload());
    let (bank, text) = (sent.bank()?, sent.amount()?);
    let amount = if text == ALL_WORD { ALL } else { cents(&text)? };
    let number = {
        let views = app.exchange.views();
        let mut own = views.state().funds().banks().of_account(call.account());
        own.find(|own| own.id.to_string().eq_ignore_ascii_case(&bank)).map(|own| own.number)
    };
    let bank = number.ok_or_else(|| bad_bank("the id of a verified bank of the account", &bank))?;
    Ok(FundsCommand::from(Command::Pay(Payment { account: call.account(), bank, amount })).into())
}

fn bad_bank(expected: &str, id: &str) -> Refusal {
    bad_value("bankId", expected, id).with_reason(Reason::InvalidBank)
}

fn answer(app: &App, call: &Call, receipt: &Receipt) -> Result<Reply, Refusal> {
    let row = &receipt.transfer().map_err(|reject| refusal(app, call, reject))?.row;
    let TransferReference::Code(id) = &row.reference else { return Err(failed()) };
    let amount = DecimalText::of(|out| row.amount.push_floored(out, 2));
    let sent = Wanted::of(call.payload()).amount()?;
    let mut text = sent.into_owned();
    if text == ALL_WORD {
        let mut out = Vec::new();
        row.amount.push_floored(&mut out, 2);
        text = String::from_utf8_lossy(&out).into_owned();
    }
    let message = format!("You have requested a transfer of {text} USD to your bank by SEN");
    Ok(Reply::json(json::body(&Held { amount, id: id.clone(), message })))
}

fn refusal(app: &App, call: &Call, reject: Reject) -> Refusal {
    let Reject::Funds(FundsReject::Bank(reject)) = reject else { return core_refusal(app, call, reject) };
    let sent = Wanted::of(call.payload());
    let amount = sent.amount().unwrap_or_default();
    let bank = sent.bank().unwrap_or_default();
    match reject {
        BankReject::UnknownBank => bad_bank("the id of a verified bank of the account", &bank),
        BankReject::Unverified => bad_bank("that of a bank that a wire has verified", &bank),
        BankReject::BadAmount => bad_amount(&amount),
        BankReject::Halted => busy("Withdrawals of USD are halted"),
        BankReject::Short(short) => refuse_short(app, call.account(), short, (&amount, "USD")),
        BankReject::Closed => closed_account(&call.payload().decimal_text("account").unwrap_or_default()),
        BankReject::UnknownCurrency => {
            Refusal::new(Reason::InvalidCurrency, "The exchange lists no currency 'USD'")
        }
        BankReject::UnknownAccount
        | BankReject::TooManyLinks
        | BankReject::WrongKind
        | BankReject::BadMethod
        | BankReject::UnknownRow
        | BankReject::SettledBefore
        | BankReject::BadLimit
        | BankReject::NotDue => failed(),
    }
}
