//! `user operator`: whether a user is an operator, whose calls on the pages are the commands of `admin`.

use super::{find, refusal};
use crate::command::{Argument, Command, Effect, Form};
use crate::operator::Operator;
use buttonwood_engine::identity::{Command as IdentityCommand, UserChange};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_wire::contract::{Done, InPayload, Label, Needed, Nullable, Text};
use buttonwood_wire::field::{bad_value, failed};
use buttonwood_wire::{answer, json, request, words};
use std::sync::Arc;

/// Characters of the name of a user of the machine at most.
const OS_USER_MAX: usize = 100;

/// `off` takes one operator.
pub(crate) const COMMAND: Command = Command::once("user operator", Effect::Opens, |operator, fields| {
    Box::pin(run(operator, fields))
})
.about(
    "Makes a user an operator, who has no group and does not trade, or ends that: sessions, tokens and grants end for good. After \
     'off' the user is in the group of before with the roles of before; one who had none is disabled.",
)
.alone(|_, fields| Change::of(fields).operator().is_ok_and(|word| &*word == OFF))
.takes::<Change>(&[
    Argument::new("email", Form::Place),
    Argument::new("operator", Form::Place),
    Argument::new("os_user", Form::Option).named("os-user"),
])
.gives::<OperatorIs>();

const ON: &str = "on";
const OFF: &str = "off";

words! {
    /// Whether something is to be so.
    pub(crate) struct OnOff: "on", "off"
}

impl OnOff {
    /// Reads a word.
    ///
    /// # Errors
    /// The refusal of any other text in a field.
    pub(crate) fn read(field: &'static str, word: &str) -> Result<bool, Refusal> {
        match word {
            ON => Ok(true),
            OFF => Ok(false),
            other => Err(bad_value(field, "on or off", other)),
        }
    }
}

request! {
    /// A user who is to be an operator, or none any more.
    struct Change in InPayload {
        /// The e-mail address.
        email: Needed<Text>,
        /// Whether the user is an operator.
        operator: Needed<OnOff>,
        /// The user of the machine who the operator is, as the audit names it: who proposed under one name cannot approve under the other. Where
        /// two operators are needed, an operator without one neither proposes nor approves.
        os_user: Text,
    }
}

answer! {
    /// Whether a user is an operator.
    struct OperatorIs {
        /// Always `ok`.
        result: Done,
        /// The address.
        email: Label,
        /// Whether the user is an operator now.
        operator: bool,
        /// The user of the machine who the operator is.
        os_user: Nullable<Label>,
    }
}

/// The name of a user of the machine. The machine is not asked: its list may be elsewhere. A name that its list cannot hold is refused,
/// since no one would ever come under it.
fn read_os_user(name: &str) -> Result<String, Refusal> {
    let is_of_name =
        |letter: char| !letter.is_control() && !letter.is_whitespace() && !":/,".contains(letter);
    let is_plain = !name.is_empty() && !name.starts_with('-') && name.chars().all(is_of_name);
    if is_plain && name.chars().count() <= OS_USER_MAX {
        return Ok(name.to_owned());
    }
    Err(bad_value(
        "os_user",
        "the name of a user of the machine, 1 to 100 characters without blanks and : / ,",
        name,
    ))
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = Change::of(fields);
    let (email, is_operator) = (request.email()?, OnOff::read("operator", &request.operator()?)?);
    let given = request.os_user()?;
    let os_user = given.as_deref().map(read_os_user).transpose()?;
    if let Some(name) = given.filter(|_| !is_operator) {
        return Err(bad_value("os_user", "left out with off", &name));
    }
    let user = find(operator, &email)?;
    let before = {
        let views = operator.exchange.views();
        views.state().identity().user(user).ok_or_else(failed)?.os_user.clone()
    };
    let change =
        UserChange { is_operator: Some(is_operator), os_user: os_user.clone(), ..UserChange::default() };
    let command = IdentityCommand::ChangeUser(user, Arc::new(change));
    operator.send(command, |reject| refusal(operator, reject)).await?;
    let os_user = os_user.unwrap_or(before);
    let os_user = Some(os_user).filter(|name| is_operator && !name.is_empty()).map(Label);
    let email = Label(email.to_lowercase());
    Ok(json::body(&OperatorIs { result: Done, email, operator: is_operator, os_user: Nullable(os_user) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names that a machine's list can hold are taken, also those of other directories.
    #[test]
    fn a_name_is_one_that_a_machine_can_have() {
        for name in ["ann", "ann-2", "NORTH\\ann", "ann@north.example", "ünal"] {
            assert_eq!(read_os_user(name).as_deref(), Ok(name));
        }
        let long = "a".repeat(OS_USER_MAX + 1);
        for name in ["", " ann", "ann b", "ann:0", "a/b", "a,b", "-ann", "ann\n", &long] {
            assert!(read_os_user(name).is_err(), "{name:?}");
        }
    }
}
