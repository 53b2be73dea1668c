//! `POST /v1/staking/redemptions`: how far each redemption has come (D-100). The specification has no reader of it.

use super::shown;
use buttonwood_call::{App, Call, Kinds, Route, not_current};
use buttonwood_engine::State;
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::{AccountId, Code, Role, Time};
use buttonwood_num::Money;
use buttonwood_tables::PaidRedemption;
use buttonwood_wire::contract::{DecimalNumber, InPayload, IsoTime, PageRows, Text};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::time::iso_millis;
use buttonwood_wire::{answer, json, request};
use std::collections::BTreeMap;

/// Trader, Fund Manager or Auditor.
pub(crate) const ROUTE: Route =
    Route::recalling("/v1/staking/redemptions", |app, call| Box::pin(answer(app, call)))
        .roles(&[Role::Trader, Role::FundManager, Role::Auditor])
        .kinds(Kinds::Exchange)
        .about("Lists the account's redemptions, open and paid, the newest first.")
        .notes(&[
            "An addition of this exchange. An id that no redemption of the account has gives an empty list.",
        ])
        .takes::<RedemptionsAsked>()
        .gives::<Vec<Redemption>>();

request! {
    /// Which redemptions of the account.
    struct RedemptionsAsked in InPayload {
        /// The one with this id.
        transaction_id as "transactionId": Text,
        /// How many at most; more than 500 are 500.
        limit: PageRows<50>,
    }
}

answer! {
    /// A redemption.
    struct Redemption {
        /// The id of the transaction.
        transaction_id as "transactionId": String,
        /// The amount that is redeemed.
        amount: DecimalNumber,
        /// The part that is back in the exchange balance.
        paid as "amountPaidSoFar": DecimalNumber,
        /// The part that will be paid later.
        remaining as "amountRemaining": DecimalNumber,
        /// The currency.
        currency: String,
        /// When it was requested.
        requested as "requestInitiated": IsoTime,
        /// When the last part is paid under the present terms, or was paid.
        expected as "expectedAt": IsoTime,
    }
}

async fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let asked = RedemptionsAsked::of(call.payload());
    let limit = asked.limit()?.rows;
    let code = asked.transaction_id()?.map(|text| code(&text)).transpose()?;
    let account = call.account();
    // The open ones first: one that is paid between both readings is then seen twice, and counts as paid.
    let (number, mut rows) = {
        let views = app.exchange.views();
        let number = code.map(|code| views.state().staking().number(code));
        (number, open(app, views.state(), account, app.now_of(&views)))
    };
    let paid = match number {
        Some(None) => return Ok(Reply::json(json::body(&Vec::<Redemption>::new()))),
        Some(Some(number)) => {
            rows.retain(|of, _| *of == number);
            let read = app.exchange.query_tables(move |tables| tables.paid_redemption(account, number));
            read.await.map(|found| found.into_iter().collect::<Vec<_>>())
        }
        None => app.exchange.query_tables(move |tables| tables.paid_redemptions(account, limit)).await,
    };
    for row in paid.map_err(|fault| not_current(&fault))? {
        rows.insert(row.number, closed(app, &row));
    }
    let rows: Vec<Redemption> = rows.into_values().rev().take(limit).collect();
    Ok(Reply::json(json::body(&rows)))
}

fn code(text: &str) -> Result<Code, Refusal> {
    text.parse().map_err(|_| bad_value("transactionId", "8 upper-case letters and digits", text))
}

/// The open redemptions of an account, by number.
fn open(app: &App, state: &State, account: AccountId, now: Time) -> BTreeMap<u64, Redemption> {
    let room = state.staking();
    let all = room.expected_of(account, now).into_iter().map(|(row, expected)| {
        let currency = room
            .pair(row.pair)
            .map_or_else(String::new, |pair| app.names.currency(pair.currency).code.clone());
        let shown = Redemption {
            transaction_id: shown::transaction_id(room, row.number),
            amount: shown::amount(row.amount),
            paid: shown::amount(row.paid),
            remaining: shown::amount(row.left()),
            currency,
            requested: iso(row.requested),
            expected: iso(expected),
        };
        (row.number, shown)
    });
    all.collect()
}

fn closed(app: &App, row: &PaidRedemption) -> Redemption {
    let views = app.exchange.views();
    Redemption {
        transaction_id: shown::transaction_id(views.state().staking(), row.number),
        amount: shown::decimal(&row.amount),
        paid: shown::decimal(&row.amount),
        remaining: shown::amount(Money::ZERO),
        currency: app.names.currency(row.pair.currency).code.clone(),
        requested: iso(Time(row.requested * 1_000)),
        expected: iso(Time(row.paid * 1_000)),
    }
}

fn iso(time: Time) -> IsoTime {
    IsoTime(iso_millis(time))
}
