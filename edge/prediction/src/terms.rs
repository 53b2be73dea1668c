//! `GET /v1/prediction-markets/terms`: the latest terms (PM-011).

use buttonwood_call::{App, Asked, Route};
use buttonwood_engine::State;
use buttonwood_engine::prediction::FIRST_TERMS;
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::{AccountId, Time};
use buttonwood_wire::contract::{IsoTime, Label};
use buttonwood_wire::prediction::iso;
use buttonwood_wire::{answer, json, words};

/// Anybody.
pub(crate) const ROUTE: Route = Route::public("/v1/prediction-markets/terms", answer)
    .coded()
    .about("Reads the latest terms, which a group accepts before its first order.")
    .gives::<Terms>();

words! {
    /// The subject of the terms.
    struct TermsTypeName: "PredictionsMarket"
}

answer! {
    /// The latest terms.
    struct Terms {
        /// Always `PredictionsMarket`.
        subject as "termsType": TermsTypeName,
        /// Their version, from 1 on.
        version: u64,
        /// Their text.
        content: Label,
        /// When they were published; the first version exists from the start.
        updated_at as "updatedAt": IsoTime,
    }
}

fn answer(app: &App, _asked: &Asked) -> Result<Reply, Refusal> {
    let views = app.exchange.views();
    let predictions = views.state().predictions();
    let (content, time) = match predictions.published_terms() {
        Some(published) => (published.content.as_str(), published.time),
        None => (FIRST_TERMS, founded(views.state())),
    };
    Ok(Reply::json(json::body(&Terms {
        subject: TermsTypeName("PredictionsMarket"),
        version: predictions.terms_version().into(),
        content: Label(content.to_owned()),
        updated_at: iso(time),
    })))
}

/// When the exchange was founded: its first account is opened then.
fn founded(state: &State) -> Time {
    state.access().account(AccountId(0)).map_or_else(Time::default, |account| account.opened)
}
