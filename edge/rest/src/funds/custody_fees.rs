//! `POST /v1/custody/fee-transfers` and `POST /v1/custodyaccountfees`: the fees of a custody account (XFER-011, XFER-012).

use super::page;
use buttonwood_call::{App, Call, Route};
use buttonwood_engine::{AccountKind, Transfer};
use buttonwood_gate::{AccountLimit, Refusal};
use buttonwood_http::Reply;
use buttonwood_model::{Role, Scope};
use buttonwood_wire::contract::{InPayload, PageRows, Timestamp};
use buttonwood_wire::transfer::{CustodyFeeRow, custody_fee};
use buttonwood_wire::{json, request};

/// Trader, Fund Manager or Auditor; it shares the limit of the transfers (LIM-008).
pub(crate) const ROUTE: Route = listing("/v1/custody/fee-transfers");

/// The same under its other name.
pub(crate) const OTHER: Route = listing("/v1/custodyaccountfees");

const fn listing(path: &'static str) -> Route {
    Route::reading(path, answer)
        .roles(&[Role::Trader, Role::FundManager, Role::Auditor])
        .scopes(&[Scope::HistoryRead])
        .limited(AccountLimit::Transfers)
        .about("Lists the fees of a custody account, the newest first.")
        .takes::<CustodyFees>()
        .gives::<Vec<CustodyFeeRow>>()
}

request! {
    /// Which fees of the account.
    pub(crate) struct CustodyFees in InPayload {
        /// Fees from this time on, in seconds or milliseconds; without it the newest ones.
        timestamp: Timestamp,
        /// How many fees at most; more than 50 are 50.
        limit_transfers: PageRows<10>,
    }
}

fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let request = CustodyFees::of(call.payload());
    let (from, limit) = (request.timestamp()?, request.limit_transfers()?);
    let views = app.exchange.views();
    let (access, funds) = (views.state().access(), views.state().funds());
    let account = call.account();
    let is_custody = access.account(account).is_some_and(|account| account.kind == AccountKind::Custody);
    let is_fee = |transfer: &&Transfer| is_custody && custody_fee(&app.names, transfer).is_some();
    let page = match from {
        None => page::newest(funds.transfers_of(account).filter(is_fee), limit),
        Some(from) => {
            let later = funds.transfers_from(account, |transfer| transfer.time.millis() >= from);
            page::oldest(later.filter(is_fee), limit)
        }
    };
    let rows = page.into_iter().filter_map(|transfer| custody_fee(&app.names, transfer));
    Ok(Reply::json(json::body(&rows.collect::<Vec<_>>())))
}
