//! `POST /sandbox/accounts/credit`: a test credit from the house's source, journaled like everything else.

use super::control::{operate, required};
use crate::app::App;
use crate::route::Route;
use buttonwood_engine::{Body, Outcome, Reject};
use buttonwood_gate::{Payload, Reason, Refusal, quoted};
use buttonwood_http::Reply;
use buttonwood_num::{Decimal, Money};
use buttonwood_wire::field::{bad_value, failed, no_space};
use buttonwood_wire::json;

/// This machine only.
pub(crate) const ROUTE: Route =
    Route::control("/sandbox/accounts/credit", |app, _, fields| Box::pin(answer(app, fields)));

async fn answer(app: &App, fields: &Payload) -> Result<Reply, Refusal> {
    let (group, account) = (required(fields, "group")?, required(fields, "account")?);
    let code = required(fields, "currency")?;
    let amount = fields.decimal_text("amount").ok_or_else(|| Refusal::missing_key("amount"))?.into_owned();
    let to = {
        let views = app.exchange.views();
        let access = views.state().access();
        let group_id =
            access.find_group(&group).ok_or_else(|| bad_value("group", "the name of a group", &group))?;
        access.find_account(group_id, &account).ok_or_else(|| {
            let message =
                format!("Field 'account' names no account of group '{group}': '{}'", quoted(&account));
            Refusal::new(Reason::InvalidAccountName, message)
        })?
    };
    let currency = app.names.find_currency(&code).ok_or_else(|| {
        let message = format!("Field 'currency' names no listed currency: '{}'", quoted(&code));
        Refusal::new(Reason::InvalidCurrency, message)
    })?;
    let money = Decimal::parse(amount.as_bytes())
        .ok()
        .filter(|amount| !amount.is_zero())
        .and_then(Money::from_decimal);
    let bad_amount = || bad_value("amount", "a positive decimal the ledger can count", &amount);
    let money = money.ok_or_else(bad_amount)?;
    match operate(app, Body::credit(to, vec![(currency, money)])).await? {
        Outcome::Done => {}
        Outcome::Rejected(Reject::NoRoom) => return Err(no_space()),
        Outcome::Rejected(_) => return Err(bad_amount()),
        Outcome::Trading(_) => {
            return Err(failed());
        }
    }
    let currency = app.names.currency(currency);
    Ok(Reply::json(json::object(128, |json| {
        json.plain("result", "ok");
        json.plain("currency", &currency.code);
        json.decimal("amount", |out| money.push_floored(out, buttonwood_num::MONEY_DECIMALS));
    })))
}
