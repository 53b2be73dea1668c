//! `vault rotate`: seals the secrets of all keys under a new key-encryption key.

use super::keeper::{KeeperFault, Sealed};
use crate::command::{Argument, Command, Effect, Form};
use crate::operator::Operator;
use buttonwood_gate::{Payload, Reason, Refusal};
use buttonwood_wire::contract::{Done, InPayload, Label, Needed, Text};
use buttonwood_wire::field::{bad_value, failed};
use buttonwood_wire::{answer, json, request};
use std::path::Path;
use std::sync::Arc;

/// Without a running process the command line does it itself.
pub const COMMAND: Command = Command::once("vault rotate", Effect::Takes, |operator, fields| {
    Box::pin(run(operator, fields))
})
.about("Makes a new key in a new file and seals the API secrets under it; later starts must name that file.")
.takes::<Rotate>(&[Argument::new("to", Form::Path)])
.gives::<Rotated>();

request! {
    /// A new key of the vault.
    struct Rotate in InPayload {
        /// The file to make, as an absolute path: in the folder `vault_new_keys` of the settings, else in that of `vault_key_file`.
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
    pub fn body(to: &Path, done: Option<Sealed>) -> Vec<u8> {
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
    let _turn = operator.keeper.turn.lock().await;
    let refuse = |fault: KeeperFault| Refusal::new(Reason::InvalidParameterValue, fault.to_string());
    rotate(operator, &path, true).await?.map_err(refuse)?;
    if operator.is_dry_run() {
        return Ok(Rotated::body(&path, None));
    }
    // An approval that no longer holds is refused before anything is sealed anew; `turn` keeps a second one out.
    operator.checking().note().await?;
    let done = rotate(operator, &path, false).await?.map_err(|fault| {
        tracing::error!(%fault, "the vault's key was not rotated");
        refuse(fault)
    })?;
    let before = done.as_ref().map(|(before, _)| before.as_str());
    tracing::info!(to = %path.display(), before, "the vault is sealed under a new key");
    operator.note().await?;
    Ok(Rotated::body(&path, done))
}

/// Has the keeper rotate the key, or only check whether it can.
async fn rotate(
    operator: &Operator<'_>,
    to: &Path,
    only_checks: bool,
) -> Result<Result<Option<Sealed>, KeeperFault>, Refusal> {
    let (keeper, to) = (Arc::clone(&operator.keeper), to.to_owned());
    tokio::task::spawn_blocking(move || keeper.rotate(&to, only_checks)).await.map_err(|_| failed())
}
