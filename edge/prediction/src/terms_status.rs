//! `GET /v1/prediction-markets/terms/status`: whether the account's group has accepted the latest terms (PM-011).

use super::{READ, READERS};
use buttonwood_call::{App, Call, Route, SignedQuery};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_wire::contract::Nullable;
use buttonwood_wire::{answer, json};

/// Trader or Auditor.
pub(crate) const ROUTE: Route = Route::signed_get("/v1/prediction-markets/terms/status", answer)
    .roles(READERS)
    .scopes(READ)
    .queried(SignedQuery::Optional)
    .coded()
    .about("Reports whether the account's group has accepted the latest terms.")
    .gives::<TermsStatus>();

answer! {
    /// What a group accepted.
    struct TermsStatus {
        /// Whether it accepted the latest version.
        has_accepted_latest as "hasAcceptedLatest": bool,
        /// The version that it accepted last; `null` if it has accepted none.
        accepted_version as "acceptedVersion": Nullable<u64>,
        /// The latest version.
        latest_version as "latestVersion": u64,
    }
}

fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let views = app.exchange.views();
    let (room, access) = (views.state().predictions(), views.state().access());
    let group = access.account(call.account()).and_then(|account| account.group);
    let accepted = group.and_then(|group| room.acceptance(group));
    Ok(Reply::json(json::body(&TermsStatus {
        has_accepted_latest: group.is_some_and(|group| room.has_accepted(group)),
        accepted_version: Nullable(accepted.map(|accepted| u64::from(accepted.version))),
        latest_version: u64::from(room.terms_version()),
    })))
}
