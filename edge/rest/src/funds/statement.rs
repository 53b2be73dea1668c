//! `POST /v1/statement`: everything that changed the balances of an account (D-171).

use buttonwood_call::{App, Call, Route, unread};
use buttonwood_engine::About;
use buttonwood_gate::{Reason, Refusal};
use buttonwood_http::Reply;
use buttonwood_model::{CurrencyId, Role, Scope};
use buttonwood_num::{MONEY_DECIMALS, Money};
use buttonwood_views::history::{EntriesFrom, Line, Lines};
use buttonwood_wire::contract::{DecimalText, Digits, InPayload, PageRows, Text, Timestamp, Whole};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{Names, answer, json, request, words};

/// Trader, Fund Manager or Auditor.
pub(crate) const ROUTE: Route = Route::recalling("/v1/statement", |app, call| Box::pin(answer(app, call)))
    .roles(&[Role::Trader, Role::FundManager, Role::Auditor])
    .scopes(&[Scope::HistoryRead])
    .about("Lists what changed the balances of the account, the newest first. The amounts of a currency sum to its balance.")
    .notes(&[
        "`entry_id` rises within an account and has gaps. With `since_entry_id` the oldest changes come \
         first, on every other page the newest.",
        "The lines of one command follow its trades, so a balance may be below zero between two lines of \
         one moment. A withdrawal and its fee are two lines when it completes. The return of an advance \
         is a `deposit` with a negative amount. A `loan` is money that the house lends for such a return, \
         a `repayment` what repays it, and an `adjustment` what an operator gave.",
        "Interest that joins a stake is two lines of one moment: a `staking_interest` that the account gets, and a `stake` of the same \
         amount and `transaction_id`, which stakes it again. It is never available in between. So the lines `stake` and `redemption` of \
         a currency sum to what is staked and not yet redeemed.",
        "Of contracts of the prediction markets a `netting` is the dollar of each pair of yes and no, a \
         `payout` is for an outcome, a `refund` for a void event, and a `reward` for its market makers. \
         Contracts are no currency and have no rows.",
    ])
    .takes::<Asked>()
    .gives::<Vec<Changed>>();

request! {
    /// Which changes of the account.
    pub(crate) struct Asked in InPayload {
        /// Changes of this currency alone.
        currency: Text,
        /// How many at most, though a page from a time on does not end inside a millisecond; more than 500 are 500.
        limit_entries: PageRows,
        /// The oldest changes from this time on, in seconds or milliseconds, the newest of them first; without it the newest ones. Not
        /// together with `since_entry_id`.
        timestamp: Timestamp,
        /// The changes after this `entry_id`, the oldest first: from 0 on, every change once.
        since_entry_id: Whole,
    }
}

words! {
    /// The cause of a change of a balance.
    pub(crate) struct CauseName: "trade", "fee", "deposit", "withdrawal", "transfer", "conversion", "loan", "interest", "funding",
        "realised", "liquidation", "custody_fee", "repayment", "adjustment", "break", "clearing", "stake", "redemption",
        "staking_interest", "netting", "payout", "refund", "reward"
}

answer! {
    /// A change of a balance. References that it does not have are left out.
    struct Changed {
        /// Its id: it rises within the account, with gaps.
        entry_id: u64,
        /// When the balance changed, in milliseconds.
        timestampms: u64,
        /// The currency.
        currency: String,
        /// The amount that was added; negative if it was taken.
        amount: DecimalText,
        /// The balance after it, live orders' reserves included.
        balance: DecimalText,
        /// The cause of the change.
        cause: CauseName,
        /// The order of the account that traded, or the conversion.
        order_id: Option<Digits>,
        /// The trade, that of a clearing order too: `/v1/mytrades` has it.
        tid: Option<u64>,
        /// The transfer.
        eid: Option<u64>,
        /// The clearing order.
        clearing_id: Option<String>,
        /// The transaction of staking.
        transaction_id: Option<String>,
        /// The contract of the prediction markets that was netted or paid.
        symbol: Option<String>,
    }
}

async fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let request = Asked::of(call.payload());
    let currency = currency(app, request.currency()?.as_deref())?;
    let limit = request.limit_entries()?;
    let from = match (request.timestamp()?, request.since_entry_id()?) {
        (Some(_), Some(id)) => {
            let wanted = "absent next to 'timestamp'";
            return Err(bad_value("since_entry_id", wanted, &id.to_string()));
        }
        (Some(millis), None) => EntriesFrom::Millis(millis),
        (None, Some(id)) => EntriesFrom::After(id),
        (None, None) => EntriesFrom::Newest,
    };
    let account = call.account();
    let lines = {
        let views = app.exchange.views();
        Lines::of(views.state(), views.history(), account, currency)
    };
    let page = app.exchange.query_history(move |history| lines.page(history, from, limit)).await;
    let page = page.map_err(|fault| unread(&fault))?;
    let names = app.current_names();
    let rows: Vec<Changed> = page.iter().map(|line| entry(names, line)).collect();
    Ok(Reply::json(json::body(&rows)))
}

fn currency(app: &App, code: Option<&str>) -> Result<Option<CurrencyId>, Refusal> {
    let Some(code) = code else { return Ok(None) };
    let found = app.names.find_currency(code).map(Some);
    found.ok_or_else(|| bad_value("currency", "a listed currency", code).with_reason(Reason::InvalidCurrency))
}

fn entry(names: &Names, line: &Line) -> Changed {
    let (order, tid) = match line.about {
        About::Order(order) => (Some(order), None),
        About::Trade(order, trade) => (Some(order), Some(trade.0)),
        About::Clearing(_, trade) => (None, Some(trade.0)),
        About::Nothing | About::Transfer(_) | About::Staking(_) | About::Contract(_) => (None, None),
    };
    let mut changed = Changed {
        entry_id: line.id,
        timestampms: line.time.millis(),
        currency: names.currency(line.currency).code.clone(),
        amount: exact(line.amount),
        balance: exact(line.balance),
        cause: CauseName(line.cause.name()),
        order_id: order.map(|order| Digits(order.0)),
        tid,
        eid: None,
        clearing_id: None,
        transaction_id: None,
        symbol: None,
    };
    match line.about {
        About::Nothing | About::Order(_) | About::Trade(..) => {}
        About::Contract(contract) => {
            changed.symbol = Some(names.symbol(contract).name.to_ascii_uppercase());
        }
        About::Transfer(eid) => changed.eid = Some(eid),
        About::Clearing(code, _) => changed.clearing_id = Some(code.to_string()),
        About::Staking(code) => changed.transaction_id = Some(code.to_string()),
    }
    changed
}

/// An amount with every digit, so that sums come out.
fn exact(amount: Money) -> DecimalText {
    DecimalText::of(|out| amount.push_floored(out, MONEY_DECIMALS))
}
