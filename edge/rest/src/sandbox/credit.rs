//! `POST /sandbox/accounts/credit`: a test credit from the house's source, journaled like everything else.

use super::control::{find_account, operate};
use crate::app::App;
use crate::route::Route;
use buttonwood_engine::{AccessReject, Body, Outcome, Reject};
use buttonwood_gate::{Payload, Reason, Refusal, quoted};
use buttonwood_http::Reply;
use buttonwood_num::{Decimal as Number, Money};
use buttonwood_wire::contract::{Decimal, DecimalText, Done, InPayload, Needed, Text};
use buttonwood_wire::field::{bad_value, closed_account, failed, no_space};
use buttonwood_wire::{answer, json, request};

/// This machine only.
pub(crate) const ROUTE: Route =
    Route::control("/sandbox/accounts/credit", |app, _, fields| Box::pin(answer(app, fields)))
        .about("Credits an account with test funds.")
        .takes::<Credit>()
        .gives::<Credited>();

request! {
    /// A credit.
    pub(crate) struct Credit in InPayload {
        /// The name of the account's group.
        group: Needed<Text>,
        /// The short name of the account.
        account: Needed<Text>,
        /// The currency.
        currency: Needed<Text>,
        /// How much.
        amount: Needed<Decimal>,
    }
}

answer! {
    /// The credited amount.
    struct Credited {
        /// Always `ok`.
        result: Done,
        /// The currency.
        currency: String,
        /// How much.
        amount: DecimalText,
    }
}

async fn answer(app: &App, fields: &Payload) -> Result<Reply, Refusal> {
    let request = Credit::of(fields);
    let (group, account) = (request.group()?, request.account()?);
    let code = request.currency()?;
    let amount = request.amount()?;
    let to = find_account(app, &group, &account)?;
    let currency = app.names.find_currency(&code).ok_or_else(|| {
        let message = format!("Field 'currency' names no listed currency: '{}'", quoted(&code));
        Refusal::new(Reason::InvalidCurrency, message)
    })?;
    let money = Number::parse(amount.as_bytes())
        .ok()
        .filter(|amount| !amount.is_zero())
        .and_then(Money::from_decimal);
    let bad_amount = || bad_value("amount", "a positive decimal the ledger can count", &amount);
    let money = money.ok_or_else(bad_amount)?;
    match operate(app, Body::credit(to, vec![(currency, money)])).await? {
        Outcome::Done => {}
        Outcome::Rejected(Reject::NoRoom) => return Err(no_space()),
        Outcome::Rejected(Reject::Access(AccessReject::Closed)) => return Err(closed_account(&account)),
        Outcome::Rejected(_) => return Err(bad_amount()),
        Outcome::Trading(_) | Outcome::Converted(_) => {
            return Err(failed());
        }
    }
    let currency = app.names.currency(currency);
    let amount = DecimalText::of(|out| money.push_floored(out, buttonwood_num::MONEY_DECIMALS));
    Ok(Reply::json(json::body(&Credited { result: Done, currency: currency.code.clone(), amount })))
}
