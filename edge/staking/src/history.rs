//! `POST /v1/staking/history`: stakes, redemptions and interest of the account (STK-012 to STK-017).

use super::shown;
use buttonwood_call::{App, Call, Kinds, Route, not_current};
use buttonwood_engine::staking::Provider;
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::Role;
use buttonwood_tables::{StakingPage, StakingTransaction, TransactionKind};
use buttonwood_wire::contract::{DecimalNumber, Flag, InPayload, Moment, PageRows, Text};
use buttonwood_wire::{answer, json, request, words};

/// Trader, Fund Manager or Auditor.
pub(crate) const ROUTE: Route =
    Route::recalling("/v1/staking/history", |app, call| Box::pin(answer(app, call)))
        .roles(&[Role::Trader, Role::FundManager, Role::Auditor])
        .kinds(Kinds::Exchange)
        .about("Lists the account's stakes, redemptions and interest, grouped by provider.")
        .notes(&[
            "`limit` counts transactions before they are grouped. A page does not end inside a \
             millisecond: it is cut short instead, so that paging by time neither skips nor repeats any.",
            "A redemption is one row, of its whole amount and at its request. Interest has the time of its \
             accrual, 20:00 UTC, also where it was paid later.",
            "A `since` after `until`, and a `providerId` that no provider has, give an empty list.",
        ])
        .takes::<StakingHistoryAsked>()
        .gives::<Vec<StakingHistory>>();

request! {
    /// Which transactions of the account.
    struct StakingHistoryAsked in InPayload {
        /// Those from this time on; without it from the first stake on.
        since: Moment,
        /// Those up to this time; without it up to now.
        until: Moment,
        /// How many at most; more than 500 are 500.
        limit: PageRows<50>,
        /// Those with this provider alone, a version 4 UUID.
        provider as "providerId": Text,
        /// Those in this currency alone.
        currency: Text,
        /// Interest alone.
        interest_only as "interestOnly": Flag<false>,
        /// The oldest first, instead of the newest.
        ascending as "sortAsc": Flag<false>,
    }
}

words! {
    /// The kind of a transaction.
    struct TransactionType: "Deposit", "Redeem", "Interest"
}

words! {
    /// The currency of a price.
    struct PriceCurrency: "USD"
}

answer! {
    /// The transactions with a provider.
    struct StakingHistory {
        /// The provider.
        provider_id as "providerId": String,
        /// The transactions, sorted as the call wants them.
        transactions: Vec<StakingEntry>,
    }
}

answer! {
    /// A stake, a redemption or interest.
    struct StakingEntry {
        /// Its id.
        id as "transactionId": String,
        /// Its kind.
        kind as "transactionType": TransactionType,
        /// The currency.
        amount_currency as "amountCurrency": String,
        /// The amount.
        amount: DecimalNumber,
        /// Of interest, the currency of the price.
        price_currency as "priceCurrency": Option<PriceCurrency>,
        /// Of interest, the price of one coin at the accrual.
        price_amount as "priceAmount": Option<DecimalNumber>,
        /// When it happened, in milliseconds.
        date_time as "dateTime": u64,
    }
}

async fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let page = page(app, call)?;
    let account = call.account();
    let rows = app.exchange.query_tables(move |tables| tables.staking_transactions(account, &page)).await;
    let rows = rows.map_err(|fault| not_current(&fault))?;
    Ok(Reply::json(json::body(&grouped(app, rows))))
}

fn page(app: &App, call: &Call) -> Result<StakingPage, Refusal> {
    let asked = StakingHistoryAsked::of(call.payload());
    let between = shown::between(asked.since()?, asked.until()?);
    let limit = asked.limit()?;
    let provider = asked.provider()?.map(|text| shown::provider(&text)).transpose()?;
    let currency = asked.currency()?.map(|code| shown::currency(app, &code)).transpose()?;
    let (interest_only, is_ascending) = (asked.interest_only()?, asked.ascending()?);
    let is_filtered = interest_only || provider.is_some() || currency.is_some();
    let views = app.exchange.views();
    let pairs = is_filtered.then(|| shown::pairs(views.state().staking(), provider, currency).collect());
    Ok(StakingPage { between, pairs, interest_only, is_ascending, rows: limit.rows, most: limit.most })
}

/// The transactions by provider, in the order in which providers first occur.
fn grouped(app: &App, rows: Vec<StakingTransaction>) -> Vec<StakingHistory> {
    let views = app.exchange.views();
    let room = views.state().staking();
    let mut groups: Vec<StakingHistory> = Vec::new();
    for row in rows {
        let provider = Provider(row.pair.provider).to_string();
        let transaction = StakingEntry {
            id: shown::transaction_id(room, row.number),
            kind: TransactionType(name(row.kind)),
            amount_currency: app.names.currency(row.pair.currency).code.clone(),
            amount: shown::decimal(&row.amount),
            price_currency: row.price.as_ref().map(|_| PriceCurrency("USD")),
            price_amount: row.price.as_deref().map(shown::decimal),
            date_time: row.millis,
        };
        match groups.iter_mut().find(|group| group.provider_id == provider) {
            Some(group) => group.transactions.push(transaction),
            None => {
                groups.push(StakingHistory { provider_id: provider, transactions: vec![transaction] });
            }
        }
    }
    groups
}

const fn name(kind: TransactionKind) -> &'static str {
    match kind {
        TransactionKind::Deposit => "Deposit",
        TransactionKind::Redeem => "Redeem",
        TransactionKind::Interest => "Interest",
    }
}
