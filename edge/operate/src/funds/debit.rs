//! `debit`: takes money of an account back to the house's source account.

use super::adjustment::{Adjusted, Asked, Direction, run};
use crate::command::{Argument, Command, Effect, Form};

/// Takes what is available, and never more.
pub(crate) const COMMAND: Command = Command::once("debit", Effect::Takes, |operator, fields| {
    Box::pin(run(operator, fields, Direction::Debit))
})
.about("Takes money from an account back to the house's source account: never what orders hold.")
.with_reason()
.takes::<Asked>(&[
    Argument::new("group", Form::Place),
    Argument::new("account", Form::Place),
    Argument::new("currency", Form::Place),
    Argument::new("amount", Form::Place),
    Argument::new("reference", Form::Option),
])
.gives::<Adjusted>();
