//! `user reset-factors`: the way back for a user who has lost the authenticator app, the passkeys and the recovery codes.

use super::{find, refusal};
use crate::command::{Argument, Command, Effect, Form};
use crate::operator::Operator;
use buttonwood_engine::identity::Command as IdentityCommand;
use buttonwood_gate::{Payload, Refusal};
use buttonwood_wire::contract::{Done, InPayload, Label, Needed, Text};
use buttonwood_wire::{answer, json, request};

/// The password alone opens the next sign-in, so two operators are needed where commands are guarded.
pub(crate) const RESET: Command = Command::once("user reset-factors", Effect::Opens, |operator, fields| {
    Box::pin(reset(operator, fields))
})
.about(
    "Removes the authenticator app, the passkeys and the recovery codes of a user who has lost them. Sessions end, \
     and the next sign-in enrols a new factor.",
)
.takes::<Named>(&[Argument::new("email", Form::Place)])
.gives::<FactorsReset>();

request! {
    /// A user.
    struct Named in InPayload {
        /// The e-mail address.
        email: Needed<Text>,
    }
}

answer! {
    /// A user without a second factor.
    struct FactorsReset {
        /// Always `ok`.
        result: Done,
        /// The address.
        email: Label,
    }
}

async fn reset(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let email = Named::of(fields).email()?;
    let user = find(operator, &email)?;
    let records = operator.people.factors_of(user);
    operator.send(IdentityCommand::ResetFactors(user), |reject| refusal(operator, reject)).await?;
    if !operator.is_dry_run() {
        operator.people.forget_factors(user, records).await;
    }
    Ok(json::body(&FactorsReset { result: Done, email: Label(email.to_lowercase()) }))
}
