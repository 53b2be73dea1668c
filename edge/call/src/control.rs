//! Control calls: reading the body, calling the endpoint, sending a command.

use crate::admission::skip;
use crate::app::App;
use crate::call::Asked;
use crate::route::{ControlHandler, Route};
use crate::unknown_fields;
use buttonwood_engine::Note;
use buttonwood_gate::{Payload, Reason, Refusal, quoted};
use buttonwood_http::{Body, Reply};
use buttonwood_operate::{Command, Operator, reason_of, what};
use buttonwood_wire::reply::refusal_of;
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use std::ops::Deref;

/// Answers a control call whose caller may make it.
pub(crate) async fn answer(
    app: &App,
    (route, handler): (&Route, ControlHandler),
    head: &Parts,
    body: Body<'_>,
    asked: &Asked<'_>,
) -> Result<Reply, Refusal> {
    match handler {
        ControlHandler::Read(answer) => {
            skip(head, body).await?;
            Ok(answer(app))
        }
        ControlHandler::Query(answer) => {
            skip(head, body).await?;
            answer(app, asked)
        }
        ControlHandler::Ask(answer) => {
            skip(head, body).await?;
            answer(app, asked).await
        }
        ControlHandler::Recall(answer) => {
            skip(head, body).await?;
            answer(app).await
        }
        ControlHandler::Act(answer) => {
            let fields = Box::new(read(app, route, &head.headers, body).await?);
            let call = Box::new(ControlCall::new(app, route, asked, &fields)?);
            answer(&call, asked, &fields).await
        }
        ControlHandler::Operate(command) => {
            let fields = Box::new(read(app, route, &head.headers, body).await?);
            operate(app, command, asked, &fields).await
        }
    }
}

/// The fields of a control call's body.
async fn read(app: &App, route: &Route, headers: &HeaderMap, body: Body<'_>) -> Result<Payload, Refusal> {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json") {
        let message = format!("Control calls take Content-Type 'application/json', not '{}'", quoted(kind));
        return Err(Refusal::new(Reason::InvalidParameterValue, message).with_status(415));
    }
    let fields = Payload::read(body.read().await.map_err(refusal_of)?)?;
    if app.settings.strict {
        unknown_fields::check(route, &fields)?;
    }
    Ok(fields)
}

/// A control call, and who makes it in the audit.
#[derive(Debug)]
pub struct ControlCall<'a> {
    app: &'a App,
    operator: Operator<'a>,
}

impl Deref for ControlCall<'_> {
    type Target = App;

    fn deref(&self) -> &App {
        self.app
    }
}

impl<'a> ControlCall<'a> {
    /// Who makes the call.
    pub fn operator(&self) -> &Operator<'a> {
        &self.operator
    }

    /// A call of this route.
    ///
    /// # Errors
    /// The refusal of a `reason` that is none.
    pub fn new(app: &'a App, route: &Route, asked: &Asked<'_>, fields: &Payload) -> Result<Self, Refusal> {
        let path = || name(route.path, asked.parameter);
        let name = route.command.map_or_else(path, |command| command.name.to_owned());
        let what = what(&name, route.fields, fields);
        Ok(Self { app, operator: operator(app, what, fields)? })
    }
}

/// Who makes control calls, in the audit.
const CONTROL: &str = "control";

fn operator<'a>(app: &'a App, what: String, fields: &Payload) -> Result<Operator<'a>, Refusal> {
    let note = Note { who: CONTROL.to_owned(), what, why: reason_of(fields)?, user: None };
    Ok(Operator::new(app.shared(), note))
}

/// The words of a path, and the parameter in it.
fn name(path: &str, parameter: &str) -> String {
    let words = path.split('/').filter(|word| !matches!(*word, "" | "sandbox"));
    let words: Vec<&str> = words.map(|word| if word.starts_with('{') { parameter } else { word }).collect();
    words.join(" ")
}

/// Answers a control call that does what a command of an operator does.
async fn operate(app: &App, command: &Command, asked: &Asked<'_>, sent: &Payload) -> Result<Reply, Refusal> {
    let of_path = command.fields.first().filter(|_| !asked.parameter.is_empty());
    let merged = of_path.map(|field| sent.with_text(field.name, asked.parameter)).transpose()?;
    let fields = merged.as_ref().unwrap_or(sent);
    let operator = operator(app, what(command.name, command.fields, fields), fields)?;
    // The answer may hold the secret of a new key.
    command.answer(&operator, fields).await.map(Reply::secret_json)
}
