//! `POST /v1/balances`: what the account has (BAL-001 to BAL-008).

use crate::app::App;
use crate::call::Call;
use crate::json;
use crate::reply::Reply;
use crate::route::Route;
use crate::time::iso_micros;
use buttonwood_gate::Refusal;
use buttonwood_model::Role;
use buttonwood_num::Money;

/// Trader, Fund Manager or Auditor.
pub(crate) const ROUTE: Route = Route::reading("/v1/balances", answer)
    .roles(&[Role::Trader, Role::FundManager, Role::Auditor])
    .scope("balances:read");

fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    // Nothing is ever pending without deposits and withdrawals; the field is checked all the same (BAL-006).
    call.payload().flag("showPendingBalances", false)?;
    let (now, rows) = {
        let views = app.exchange.views();
        let rows: Vec<_> = views.state().ledger().balances_of(call.account()).collect();
        (app.now_of(&views), rows)
    };
    let stamp = iso_micros(now);
    let held = rows.into_iter().filter(|(_, balance)| balance.total() != Money::ZERO);
    let body = json::array(held, |json, (currency, balance)| {
        let currency = app.currency(currency);
        let amount = |amount: Money| move |out: &mut Vec<u8>| amount.push_floored(out, currency.decimals);
        json.object(|json| {
            json.plain("type", "exchange");
            json.plain("currency", &currency.code);
            json.decimal("amount", amount(balance.total()));
            json.decimal("available", amount(balance.available));
            json.decimal("availableForWithdrawal", amount(balance.available));
            json.plain("_timestamp", &stamp);
        });
    });
    Ok(Reply::json(body))
}
