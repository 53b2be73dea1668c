//! The answer to a submitted command, with the rows that it made as they were then.

use buttonwood_engine::funds::DepositAddress;
use buttonwood_engine::{
    Answer, ClearingReject, Made, OrderState, Outcome, Reject, RoomAnswer, State, Transfer, Withdrawn,
};
use buttonwood_model::Stamp;

/// The answer to a submitted command, sent once it is durable. Each accessor returns why the command was refused, or [`Reject::System`]
/// if it was a command of another kind.
#[derive(Debug)]
pub struct Receipt {
    /// The command's sequence and time. One that changed nothing has the sequence of the command before it.
    pub stamp: Stamp,
    /// The command's outcome.
    pub outcome: Answer,
    /// What the command did to each order, if it cancels many.
    pub withdrawn: Withdrawn,
    /// The row that the command made or found, if it is one of funds.
    pub row: Option<Box<Row>>,
    /// Whether the command is in the journal: not if it changed nothing, or found no room.
    pub is_journaled: bool,
}

/// A row as it was right after the command that made or found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    /// Of the list of transfers.
    Transfer(Transfer),
    /// Of the list of deposit addresses.
    Address(DepositAddress),
}

impl Row {
    /// The row of an outcome; `state` is the state right after the command.
    pub(crate) fn of(outcome: &Outcome, state: &State) -> Option<Box<Self>> {
        let row = match outcome.made().ok()? {
            Made::Transfer(eid) => Self::Transfer(state.funds().transfer(eid)?.clone()),
            Made::Address(place) => Self::Address(state.funds().addresses().get(place)?.clone()),
            Made::Bank(_) | Made::Loan(_) | Made::Nothing => return None,
        };
        Some(Box::new(row))
    }
}

impl Receipt {
    /// The receipt of a command that made no row.
    pub const fn new(stamp: Stamp, outcome: Answer, withdrawn: Withdrawn) -> Self {
        Self { stamp, outcome, withdrawn, row: None, is_journaled: true }
    }

    /// That the command was carried out.
    ///
    /// # Errors
    /// Why it was refused.
    pub const fn done(&self) -> Result<(), Reject> {
        self.outcome.done()
    }

    /// The order that was placed or cancelled.
    ///
    /// # Errors
    /// As the type says.
    pub fn order(&self) -> Result<&OrderState, Reject> {
        self.outcome.order()
    }

    /// The answer of a room.
    ///
    /// # Errors
    /// As the type says.
    pub fn of<A: RoomAnswer<OrderState>>(&self) -> Result<&A, Reject> {
        self.outcome.of()
    }

    /// A part of a room's answer.
    ///
    /// # Errors
    /// As the type says.
    pub fn part<'a, A: RoomAnswer<OrderState> + 'a, T>(
        &'a self,
        pick: impl FnOnce(&'a A) -> Option<T>,
    ) -> Result<T, Reject> {
        self.outcome.part(pick)
    }

    /// What a command of funds or of an operator made or found.
    ///
    /// # Errors
    /// As the type says.
    pub fn made(&self) -> Result<Made, Reject> {
        self.outcome.made()
    }

    /// The number of the bank that was linked, or was linked before.
    ///
    /// # Errors
    /// As the type says.
    pub fn bank(&self) -> Result<u32, Reject> {
        match self.made()? {
            Made::Bank(number) => Ok(number),
            Made::Transfer(_) | Made::Address(_) | Made::Loan(_) | Made::Nothing => Err(Reject::System),
        }
    }

    /// The transfer that was accepted, or (by its client id) that of an earlier call, as it was right after the command.
    ///
    /// # Errors
    /// As the type says.
    pub fn transfer(&self) -> Result<&Transfer, Reject> {
        match self.row.as_deref() {
            Some(Row::Transfer(transfer)) => Ok(transfer),
            Some(Row::Address(_)) | None => Err(self.done().err().unwrap_or(Reject::System)),
        }
    }

    /// The deposit address that was issued.
    ///
    /// # Errors
    /// As the type says.
    pub fn address(&self) -> Result<&DepositAddress, Reject> {
        match self.row.as_deref() {
            Some(Row::Address(address)) => Ok(address),
            Some(Row::Transfer(_)) | None => Err(self.done().err().unwrap_or(Reject::System)),
        }
    }

    /// Whether the answer is not all here: a cancel named an order that is not live, a transfer may go on, or a clearing order may be
    /// closed.
    pub fn is_unfinished(&self) -> bool {
        let is_closed = matches!(self.done(), Err(Reject::Clearing(ClearingReject::NotFound)));
        is_closed || self.outcome.is_not_live() || self.transfer().is_ok()
    }
}
