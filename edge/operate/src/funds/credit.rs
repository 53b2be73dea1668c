//! `credit`: gives an account money from the house's source account.

use super::adjustment::{Adjusted, Asked, Direction, run};
use crate::command::{Argument, Command, Effect, Form};

/// Also `POST /sandbox/accounts/credit`.
pub const COMMAND: Command = Command::once("credit", Effect::Gives, |operator, fields| {
    Box::pin(run(operator, fields, Direction::Credit))
})
.about("Credits an account from the house's source account.")
.with_reason()
.takes::<Asked>(&[
    Argument::new("group", Form::Place),
    Argument::new("account", Form::Place),
    Argument::new("currency", Form::Place),
    Argument::new("amount", Form::Place),
    Argument::new("reference", Form::Option),
])
.gives::<Adjusted>();
