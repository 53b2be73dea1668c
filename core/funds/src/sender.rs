//! The senders and the results of this room's commands.

use crate::Eid;
use buttonwood_access::Caller;
use buttonwood_model::AccountId;

/// Who sends a command.
#[derive(Clone, Copy, Debug)]
pub enum Sender<'a> {
    /// A key, which has one of the command's roles.
    Key(&'a Caller),
    /// The exchange itself, or an operator.
    Exchange,
}

/// What a command made or found: the receipt of the command has it as it was then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// A row of the list of transfers, new or (by its client id) that of an earlier call.
    Transfer(Eid),
    /// The deposit address at this place of the list.
    Address(u32),
    /// The bank with this number.
    Bank(u32),
    /// A loan to an account that lacked what was taken back: the engine cancels the account's orders, so that it can be repaid.
    Loan(AccountId),
    /// Nothing with an id.
    Nothing,
}
