//! `GET /v1/prediction-markets/categories`: the categories of events (PM-008).

use super::scan;
use buttonwood_call::{App, Asked, Route};
use buttonwood_engine::prediction::Event;
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_wire::contract::{InQuery, Label, RepeatedOf};
use buttonwood_wire::prediction::EventStatusName;
use buttonwood_wire::{answer, json, request};
use std::collections::BTreeSet;

/// Anybody.
pub(crate) const ROUTE: Route =
    Route::public_recalling("/v1/prediction-markets/categories", |app, asked| Box::pin(answer(app, asked)))
        .coded()
        .about("Lists the categories of events, alphabetically.")
        .takes::<OfStatus>()
        .gives::<Categories>();

request! {
    /// Which categories.
    pub(crate) struct OfStatus in InQuery {
        /// Categories of events with these statuses alone.
        status: RepeatedOf<EventStatusName>,
    }
}

answer! {
    /// The categories of events.
    struct Categories {
        /// Each of them once.
        categories: Vec<Label>,
    }
}

async fn answer(app: &App, asked: &Asked<'_>) -> Result<Reply, Refusal> {
    let statuses = OfStatus::of(asked.query).status()?;
    let is_meant = |event: &Event| {
        event.legs.is_empty() && (statuses.is_empty() || statuses.contains(&event.status.name()))
    };
    let mut categories: BTreeSet<String> = BTreeSet::new();
    let note = |_, event: &Event| {
        if is_meant(event) && !categories.contains(&event.category) {
            categories.insert(event.category.clone());
        }
        None::<()>
    };
    scan(app, note).await;
    let categories = categories.into_iter().map(Label).collect();
    Ok(Reply::json(json::body(&Categories { categories })))
}
