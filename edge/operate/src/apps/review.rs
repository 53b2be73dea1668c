//! `app review`: whether an app may act for others than its owner (OAUTH-001), and whether its implicit flow is on (OAUTH-006).

use crate::command::{Argument, Command, Effect, Form};
use crate::operator::Operator;
use crate::people::operator::OnOff;
use buttonwood_engine::identity::{AppId, Command as IdentityCommand, Reject as IdentityReject};
use buttonwood_engine::{Reject, State};
use buttonwood_gate::{Payload, Reason, Refusal, quoted};
use buttonwood_wire::contract::{Done, Flag, InPayload, Label, Needed, Text};
use buttonwood_wire::{answer, json, request};

/// Also `POST /site/operator/apps/review`. To withdraw the review takes one operator. Its arguments alone decide that: what the app may do now
/// could change before the command is decided.
pub const COMMAND: Command = Command::once("app review", Effect::Opens, |operator, fields| {
    Box::pin(run(operator, fields))
})
.about(
    "Lets an app act for every user, or for its owner alone; --implicit switches its implicit flow on, \
     which is off without it. What the app had and may not have any more ends at once.",
)
.alone(|_, fields| takes_away(fields).unwrap_or(false))
.takes::<Review>(&[
    Argument::new("client_id", Form::Place),
    Argument::new("review", Form::Place),
    Argument::new("implicit", Form::Switch),
])
.gives::<AppState>();

request! {
    /// A review.
    struct Review in InPayload {
        /// The app.
        client_id: Needed<Text>,
        /// Whether it may act for other users than its owner.
        review: Needed<OnOff>,
        /// Whether its implicit flow is on.
        implicit: Flag<false>,
    }
}

answer! {
    /// The state of an app after a review.
    struct AppState {
        /// Always `ok`.
        result: Done,
        /// The app.
        client_id: String,
        /// Its name.
        app: Label,
        /// Whether it may act for other users than its owner.
        reviewed: bool,
        /// Whether its implicit flow is on.
        implicit: bool,
    }
}

/// A review that can be made.
struct Read {
    id: AppId,
    name: String,
    is_reviewed: bool,
    is_implicit: bool,
}

impl Read {
    fn of(state: &State, fields: &Payload) -> Result<Self, Refusal> {
        let request = Review::of(fields);
        let (text, word) = (request.client_id()?, request.review()?);
        let (is_reviewed, is_implicit) = (OnOff::read("review", &word)?, request.implicit()?);
        let id = AppId::parse(&text).map_err(|_| unknown(&text))?;
        let app = state.identity().app(id).ok_or_else(|| unknown(&text))?;
        Ok(Self { id, name: app.new.name.clone(), is_reviewed, is_implicit })
    }
}

fn unknown(client_id: &str) -> Refusal {
    let message = format!("Field 'client_id' names no app: '{}'", quoted(client_id));
    Refusal::new(Reason::EndpointNotFound, message)
}

/// Whether it leaves the app nothing.
fn takes_away(fields: &Payload) -> Result<bool, Refusal> {
    let request = Review::of(fields);
    Ok(!OnOff::read("review", &request.review()?)? && !request.implicit()?)
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let Read { id, name, is_reviewed, is_implicit } = Read::of(operator.exchange.views().state(), fields)?;
    let client_id = id.to_string();
    let refuse = |reject| {
        let is_unknown = reject == Reject::Identity(IdentityReject::UnknownApp);
        is_unknown.then(|| unknown(&client_id))
    };
    operator.send(IdentityCommand::ReviewApp(id, is_reviewed, is_implicit), refuse).await?;
    Ok(json::body(&AppState {
        result: Done,
        client_id,
        app: Label(name),
        reviewed: is_reviewed,
        implicit: is_implicit,
    }))
}
