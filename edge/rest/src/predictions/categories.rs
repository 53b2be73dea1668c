//! `GET /v1/prediction-markets/categories`: the categories of events (PM-008).

use super::numbered;
use crate::app::App;
use crate::call::Asked;
use crate::route::Route;
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_wire::contract::{InQuery, Label, RepeatedOf};
use buttonwood_wire::prediction::EventStatusName;
use buttonwood_wire::{answer, json, request};
use std::collections::BTreeSet;

/// Anybody.
pub(crate) const ROUTE: Route = Route::public("/v1/prediction-markets/categories", answer)
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

fn answer(app: &App, asked: &Asked) -> Result<Reply, Refusal> {
    let statuses = OfStatus::of(asked.query).status()?;
    let categories: BTreeSet<String> = {
        let views = app.exchange.views();
        let events = numbered(views.state().predictions()).map(|(_, event)| event);
        let meant = events.filter(|event| {
            event.legs.is_empty() && (statuses.is_empty() || statuses.contains(&event.status.name()))
        });
        let names: BTreeSet<&str> = meant.map(|event| event.category.as_str()).collect();
        names.into_iter().map(str::to_owned).collect()
    };
    let categories = categories.into_iter().map(Label).collect();
    Ok(Reply::json(json::body(&Categories { categories })))
}
