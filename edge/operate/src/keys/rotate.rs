//! `vault rotate`: seals the secrets of all keys under a new key-encryption key.

use crate::command::{Argument, Command, Form};
use crate::operator::Operator;
use buttonwood_gate::{Payload, Reason, Refusal};
use buttonwood_wire::contract::{Done, InPayload, Label, Needed, Text};
use buttonwood_wire::field::{bad_value, failed};
use buttonwood_wire::{answer, json, request};
use std::path::Path;
use std::sync::Arc;

/// Without a running process the command line does it itself.
pub const COMMAND: Command = Command::once("vault rotate", |operator, fields| {
    Box::pin(run(operator, fields))
})
.about("Makes a new key in a new file and seals the API secrets under it; later starts must name that file.")
.takes::<Rotate>(&[Argument::new("to", Form::Path)])
.gives::<Rotated>();

request! {
    /// A new key of the vault.
    struct Rotate in InPayload {
        /// The file to make, as an absolute path.
        to: Needed<Text>,
    }
}

answer! {
    /// The vault's key from now on.
    pub struct Rotated {
        /// Always `ok`.
        result: Done,
        /// The file of the new key.
        to: Label,
        /// Where the key before is; older copies of the directory need it. Absent in a dry run.
        before: Option<Label>,
        /// How many secrets are sealed under the new key. Absent in a dry run.
        secrets: Option<u64>,
    }
}

impl Rotated {
    /// The answer in JSON, of a rotation or, without `done`, of a dry run.
    pub fn body(to: &Path, done: Option<(String, usize)>) -> Vec<u8> {
        let (before, secrets) = done.unzip();
        json::body(&Self {
            result: Done,
            to: Label(to.display().to_string()),
            before: before.map(Label),
            secrets: secrets.map(|count| u64::try_from(count).unwrap_or(u64::MAX)),
        })
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let to = Rotate::of(fields).to()?;
    let path = Path::new(&*to).to_owned();
    if !path.is_absolute() {
        return Err(bad_value("to", "an absolute path", &to));
    }
    if path.symlink_metadata().is_ok() {
        return Err(bad_value("to", "a file that is not there yet", &to));
    }
    if operator.is_dry_run() {
        return Ok(Rotated::body(&path, None));
    }
    let _turn = operator.keeper.turn.lock().await;
    let (keeper, new) = (Arc::clone(&operator.keeper), path.clone());
    let done = tokio::task::spawn_blocking(move || keeper.rotate(&new)).await.map_err(|_| failed())?;
    let done = done.map_err(|fault| {
        tracing::error!(%fault, "the vault's key was not rotated");
        Refusal::new(Reason::InvalidParameterValue, fault.to_string())
    })?;
    tracing::info!(to = %path.display(), before = done.0, "the vault is sealed under a new key");
    operator.note().await?;
    Ok(Rotated::body(&path, Some(done)))
}
