//! `POST /v1/transfers` and `POST /v2/transfers`: what came to the account and what left it (XFER-001 to XFER-009).

use super::page;
use buttonwood_call::{App, Call, Route};
use buttonwood_engine::{Eid, Funds, Transfer, TransferKind, TransferStatus, TransferWay};
use buttonwood_gate::{AccountLimit, Reason, Refusal};
use buttonwood_http::Reply;
use buttonwood_model::{AccountId, CurrencyId, Role, Scope};
use buttonwood_views::history::Limit;
use buttonwood_wire::contract::{Flag, InPayload, PageRows, Text, Timestamp};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::transfer::{self, TransferRow};
use buttonwood_wire::{json, request};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Trader, Fund Manager or Auditor; one call in five seconds for an account (LIM-007).
pub(crate) const ROUTE: Route =
    listing(Route::reading("/v2/transfers", answer)).takes::<Transfers>().gives::<Vec<TransferRow>>();

/// The same rows without their networks.
pub(crate) const V1: Route =
    listing(Route::reading("/v1/transfers", answer_v1)).takes::<TransfersV1>().gives::<Vec<TransferRow>>();

const fn listing(route: Route) -> Route {
    route
        .roles(&[Role::Trader, Role::FundManager, Role::Auditor])
        .scopes(&[Scope::HistoryRead])
        .limited(AccountLimit::Transfers)
        .about("Lists what came to the account and what left it, the newest first.")
        .notes(&[
            "A payment that cannot confirm any more leaves the list; seen again, it has its old row and \
             waits for all of its confirmations. A payment that an operator assigned has the time of the \
             assignment.",
            "`message` says that a withdrawal's payment was removed from its chain, cannot confirm any \
             more, is made again, or was called off.",
        ])
}

request! {
    /// Which transfers of the account.
    pub(crate) struct Transfers in InPayload {
        /// Transfers of this currency alone.
        currency: Text,
        /// Transfers on this network alone.
        network: Text,
        /// Transfers later than this time, in seconds or milliseconds; without it the newest ones.
        timestamp: Timestamp,
        /// How many transfers at most; more than 50 are 50.
        limit_transfers: PageRows<10>,
        /// Whether an advance is still listed when its completion is.
        shows_completed as "show_completed_deposit_advances": Flag<true>,
    }
}

request! {
    /// Which transfers of the account.
    pub(crate) struct TransfersV1 in InPayload {
        /// Transfers of this currency alone.
        currency: Text,
        /// Transfers later than this time, in seconds or milliseconds; without it the newest ones.
        timestamp: Timestamp,
        /// How many transfers at most; more than 50 are 50.
        limit_transfers: PageRows<10>,
        /// Whether an advance is still listed when its completion is.
        shows_completed as "show_completed_deposit_advances": Flag<true>,
    }
}

/// The rows to list.
struct Filter<'a> {
    currency: Option<CurrencyId>,
    network: Option<Cow<'a, str>>,
    /// Later than this, in milliseconds.
    after: Option<u64>,
    limit: Limit,
    shows_completed: bool,
}

fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let request = Transfers::of(call.payload());
    let filter = Filter {
        currency: currency(app, request.currency()?.as_deref())?,
        network: request.network()?,
        after: request.timestamp()?,
        limit: request.limit_transfers()?,
        shows_completed: request.shows_completed()?,
    };
    Ok(list(app, call.account(), &filter, true))
}

fn answer_v1(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let request = TransfersV1::of(call.payload());
    let filter = Filter {
        currency: currency(app, request.currency()?.as_deref())?,
        network: None,
        after: request.timestamp()?,
        limit: request.limit_transfers()?,
        shows_completed: request.shows_completed()?,
    };
    Ok(list(app, call.account(), &filter, false))
}

fn currency(app: &App, code: Option<&str>) -> Result<Option<CurrencyId>, Refusal> {
    let Some(code) = code else { return Ok(None) };
    app.names
        .find_currency(code)
        .map(Some)
        .ok_or_else(|| bad_value("currency", "a listed currency", code).with_reason(Reason::InvalidCurrency))
}

fn list(app: &App, account: AccountId, filter: &Filter<'_>, shows_network: bool) -> Reply {
    let views = app.exchange.views();
    let funds = views.state().funds();
    let completed = if filter.shows_completed { BTreeSet::new() } else { completed(funds, account) };
    let is_listed = |transfer: &&Transfer| filter.lists(transfer) && !completed.contains(&transfer.eid);
    let page = match filter.after {
        None => page::newest(funds.transfers_of(account).filter(is_listed), filter.limit),
        Some(after) => {
            let later = funds.transfers_from(account, |transfer| transfer.time.millis() > after);
            page::oldest(later.filter(is_listed), filter.limit)
        }
    };
    let row = |transfer| transfer::row(&app.names, funds.networks(), transfer, shows_network);
    let rows: Vec<TransferRow> = page.into_iter().map(row).collect();
    Reply::json(json::body(&rows))
}

/// The advances of an account whose completion is listed (XFER-009).
fn completed(funds: &Funds, account: AccountId) -> BTreeSet<Eid> {
    let rows = funds.transfers_of(account).map(|transfer| &transfer.row);
    rows.filter(|row| row.status == TransferStatus::Complete).filter_map(|row| row.advance).collect()
}

impl Filter<'_> {
    fn lists(&self, transfer: &Transfer) -> bool {
        let row = &transfer.row;
        let is_on = |network: &str| match &row.way {
            TransferWay::Chain(chain) => chain.network.eq_ignore_ascii_case(network),
            TransferWay::Bank(..) | TransferWay::Internal { .. } | TransferWay::Operator(_) => false,
        };
        row.status.is_listed()
            && row.kind != TransferKind::CustodyFee
            && self.currency.is_none_or(|currency| row.currency == currency)
            && self.network.as_deref().is_none_or(is_on)
    }
}
