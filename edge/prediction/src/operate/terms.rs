//! `terms publish`: a new version of the terms, which every group must accept before its next order (PM-011).

use buttonwood_engine::PredictionCommand;
use buttonwood_gate::{Payload, Refusal};
use buttonwood_operate::{Argument, Command, Effect, Form, Operator};
use buttonwood_wire::contract::{Done, InPayload, Needed, Text};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};

/// Also `POST /sandbox/predictions/terms`.
pub(crate) const COMMAND: Command = Command::once("terms publish", Effect::SetsTerms, |operator, fields| {
    Box::pin(run(operator, fields))
})
    .after("combo add")
    .about("Publishes a version of the terms of the prediction markets; each group must accept it before its next order.")
    .takes::<PublishTerms>(&[Argument::new("content", Form::Place)])
    .gives::<TermsPublished>();

request! {
    /// Terms.
    struct PublishTerms in InPayload {
        /// Their text.
        content: Needed<Text>,
    }
}

answer! {
    /// The terms that were published.
    struct TermsPublished {
        /// Always `ok`.
        result: Done,
        /// The number of the latest version.
        version: u64,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let content = PublishTerms::of(fields).content()?;
    let is_control = |letter: char| letter.is_control() && !"\n\r\t".contains(letter);
    if content.trim().is_empty() || content.contains(is_control) {
        let expected = "a text with something to read, without control characters but ends of lines and tabs";
        return Err(bad_value("content", expected, &content));
    }
    operator.send(PredictionCommand::PublishTerms(content.into_owned()), |_| None).await?;
    let version = operator.exchange.views().state().predictions().terms_version();
    let version = version.saturating_add(u32::from(operator.is_dry_run()));
    Ok(json::body(&TermsPublished { result: Done, version: version.into() }))
}
