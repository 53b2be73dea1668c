//! Counts of what happened to transfers.
#![expect(clippy::wildcard_enum_match_arm, reason = "only what is dealt is counted")]

use super::Counts;
use crate::exchange::Exchange;
use buttonwood_engine::funds::{custody, internal, reserves};
use buttonwood_engine::{
    Answer, Body, Command, Eid, Event, FundsCommand, FundsReject, Made, Outcome, Reject, TransferStatus,
};

impl Counts {
    /// Counts what a command did to transfers, or why it was refused.
    pub(super) fn count_funds(&mut self, exchange: &Exchange, command: &Command, answer: &Answer) {
        let Body::Funds(command) = &command.body else { return };
        let what = match answer {
            Outcome::Rejected(Reject::Funds(reject)) => refused(reject),
            Outcome::Rejected(_) => "transfer without the right",
            Outcome::Funds(made) => done(exchange, command, Some(*made)),
            Outcome::Done => done(exchange, command, None),
            Outcome::Trading(_) | Outcome::Converted(_) => return,
        };
        self.note(what);
    }
}

/// What was done.
fn done(exchange: &Exchange, command: &FundsCommand, made: Option<Made>) -> &'static str {
    let is_quiet = !exchange.work.out.events.iter().any(|event| matches!(event, Event::Infrequent(_)));
    let status = match made {
        Some(Made::Transfer(eid)) => exchange.state.funds().transfer(eid).map(|row| row.row.status),
        Some(_) | None => None,
    };
    match command {
        FundsCommand::Internal(_) => match status {
            _ if is_quiet => "moved before",
            Some(TransferStatus::Complete) => "moved at once",
            _ if newest_status(exchange) == Some(TransferStatus::Advanced) => "moved out of custody",
            _ => "moved into custody",
        },
        FundsCommand::Custody(custody::Command::RunCustody) => "custody run",
        FundsCommand::Custody(custody::Command::SettleCustodyMove(_)) => "custody move settled",
        FundsCommand::Custody(custody::Command::ChargeCustodyFees(_)) => "custody fees",
        FundsCommand::Reserves(reserves::Command::Cut) => "reserves cut",
        FundsCommand::Reserves(reserves::Command::ReportWallet(_)) => "wallet reported",
        FundsCommand::Reserves(reserves::Command::Check) if is_quiet => "reserves as before",
        FundsCommand::Reserves(reserves::Command::Check) => "reserves short or covered",
        _ => "other transfer",
    }
}

/// The status of the newest row.
fn newest_status(exchange: &Exchange) -> Option<TransferStatus> {
    let funds = exchange.state.funds();
    funds.transfer(Eid(funds.next_eid().0 - 1)).map(|transfer| transfer.row.status)
}

/// Why it was refused.
fn refused(reject: &FundsReject) -> &'static str {
    match reject {
        FundsReject::Internal(reject) => match reject {
            internal::Reject::Foreign(_) => "move of another's funds",
            internal::Reject::SameAccount => "move to the same account",
            internal::Reject::OtherTerms => "move of other terms",
            internal::Reject::Closed(_) => "move of a closed account",
            internal::Reject::Prohibited => "prohibited move",
            internal::Reject::InsufficientFunds => "move of too much",
        },
        FundsReject::Custody(custody::Reject::NotSent(_)) => "settled what was not sent",
        FundsReject::Custody(_) => "custody fees too early",
        FundsReject::Reserves(reserves::Reject::NotDue) => "cut too early",
        FundsReject::Reserves(_) => "bad wallet",
        _ => "other refused transfer",
    }
}
