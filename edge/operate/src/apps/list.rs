//! `app list`.

use crate::Shared;
use crate::command::{Command, Lines};
use crate::lists::send;
use crate::operator::Operator;
use buttonwood_engine::State;
use buttonwood_engine::identity::App;
use buttonwood_gate::Refusal;
use buttonwood_model::Scope;
use buttonwood_wire::contract::{Label, NoFields};
use buttonwood_wire::{answer, json};

/// Only for operators.
pub(crate) const COMMAND: Command =
    Command::list("app list", |operator, _, lines| Box::pin(list(operator, lines)))
        .about("Lists every app that users have registered, the oldest first.")
        .takes::<NoFields>(&[])
        .gives::<ListedApp>();

answer! {
    /// An app.
    struct ListedApp {
        /// Its id.
        client_id: String,
        /// Its name.
        name: Label,
        /// Its purpose.
        description: Label,
        /// The e-mail address of its owner.
        owner: Label,
        /// Whether it may act for other users than its owner.
        reviewed: bool,
        /// Whether its implicit flow is on.
        implicit: bool,
        /// Whether it is a public client, which keeps no secret.
        public: bool,
        /// The scopes that it may ask for.
        scopes: Vec<String>,
        /// The URIs to which a browser may be sent with a code.
        redirect_uris: Vec<Label>,
        /// How many grants it has.
        grants: u64,
        /// When it was registered, in milliseconds.
        created_ms: u64,
    }
}

async fn list(operator: &Operator<'_>, lines: &Lines) -> Result<(), Refusal> {
    let rows = {
        let views = operator.exchange.views();
        let state = views.state();
        let mut apps: Vec<&App> = state.identity().apps().collect();
        apps.sort_by_key(|app| (app.created, app.new.id));
        apps.into_iter().map(|app| json::body(&row(operator, state, app))).collect()
    };
    send(lines, rows).await;
    Ok(())
}

/// The apps that wait for a review as `app list` shows them, the oldest first.
pub fn unreviewed_apps(shared: &Shared, state: &State) -> Vec<Vec<u8>> {
    let mut apps: Vec<&App> = state.identity().apps().filter(|app| !app.is_reviewed).collect();
    apps.sort_by_key(|app| (app.created, app.new.id));
    apps.into_iter().map(|app| json::body(&row(shared, state, app))).collect()
}

fn row(shared: &Shared, state: &State, app: &App) -> ListedApp {
    let owner = state.identity().user(app.new.owner).and_then(|user| shared.people.address_of(user));
    let grants = state.identity().grants().filter(|(_, grant)| grant.app == app.new.id).count();
    ListedApp {
        client_id: app.new.id.to_string(),
        name: Label(app.new.name.clone()),
        description: Label(app.new.description.clone()),
        owner: Label(owner.unwrap_or_default()),
        reviewed: app.is_reviewed,
        implicit: app.is_implicit,
        public: app.new.is_public,
        scopes: app.new.scopes.iter().map(|scope: Scope| scope.name().to_owned()).collect(),
        redirect_uris: app.new.redirect_uris.iter().cloned().map(Label).collect(),
        grants: u64::try_from(grants).unwrap_or(u64::MAX),
        created_ms: app.created.millis(),
    }
}
