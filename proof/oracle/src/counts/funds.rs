//! Counts of what happened to transfers.
#![expect(clippy::wildcard_enum_match_arm, reason = "only what is dealt is counted")]

use super::Counts;
use crate::exchange::Exchange;
use buttonwood_engine::funds::{
    Purpose, Short, address, approval, bank, custody, deposit, halt, internal, reserves, withdrawal,
};
use buttonwood_engine::{
    Answer, Body, Command, Eid, Event, FundsCommand, FundsInfrequent, FundsReject, Infrequent, Made, Outcome,
    Reject, TransferStatus,
};
use buttonwood_num::Money;

impl Counts {
    /// Counts what a command did to transfers, or why it was refused.
    pub(super) fn count_funds(&mut self, exchange: &Exchange, command: &Command, answer: &Answer) {
        let Body::Funds(command) = &command.body else { return };
        let what = match answer.made() {
            Err(Reject::Funds(reject)) => refused(&reject),
            Err(_) => "transfer without the right",
            Ok(made) => done(exchange, command, made),
        };
        self.note(what);
        if keeps_bought(answer) {
            self.note("what an advance bought stays");
        }
    }
}

/// Whether a transfer was refused since what stays would be worth less than the advances.
fn keeps_bought(answer: &Answer) -> bool {
    let Outcome::Rejected(Reject::Funds(reject)) = answer else { return false };
    matches!(
        reject,
        FundsReject::Internal(internal::Reject::Short(Short::Advances))
            | FundsReject::Withdrawal(withdrawal::Reject::Short(Short::Advances, _))
    )
}

/// The result of the command, as the counts name it.
fn done(exchange: &Exchange, command: &FundsCommand, made: Made) -> &'static str {
    let is_quiet = !exchange.work.out.events.iter().any(|event| matches!(event, Event::Infrequent(_)));
    let status = match made {
        Made::Transfer(eid) => exchange.state.funds().transfer(eid).map(|row| row.row.status),
        Made::Address(_) | Made::Bank(_) | Made::Loan(_) | Made::Nothing => None,
    };
    match command {
        FundsCommand::Internal(_) => match status {
            _ if is_quiet => "moved before",
            Some(TransferStatus::Complete) => "moved at once",
            _ if newest_status(exchange) == Some(TransferStatus::Advanced) => "moved out of custody",
            _ => "moved into custody",
        },
        FundsCommand::Address(_) => "address issued",
        FundsCommand::Approval(command) => match command {
            approval::Command::RequestApproval(_) => "approval requested",
            approval::Command::RemoveApproval(_) => "approval removed",
            approval::Command::DecideApproval(_, true) => "approval by another user",
            approval::Command::DecideApproval(_, false) => "approval rejected",
            approval::Command::SetMultiUser(..) => "users of a group",
            approval::Command::EndApprovalHold(_) => "hold over",
            approval::Command::WaiveApprovalHold(_) => "hold waived",
        },
        FundsCommand::Withdrawal(command) => paid(exchange, command, is_quiet),
        FundsCommand::Deposit(command) => arrived(exchange, command),
        FundsCommand::Bank(command) => banked(command, made, status, is_quiet),
        FundsCommand::Debt(_) => "debt repaid",
        FundsCommand::Halt(_) if is_quiet => "scope halted as before",
        FundsCommand::Halt(halt::Command::Halt(_)) => "scope halted",
        FundsCommand::Halt(halt::Command::Resume(_)) => "scope resumed",
        FundsCommand::Custody(custody::Command::RunCustody) => "custody run",
        FundsCommand::Custody(custody::Command::SignCustodyMove(..)) => "custody move signed",
        FundsCommand::Custody(custody::Command::RepeatCustodyMove(_)) => "custody move repeated",
        FundsCommand::Custody(custody::Command::SettleCustodyMove(_)) => "custody move settled",
        FundsCommand::Custody(custody::Command::ChargeCustodyFees(_)) => "custody fees",
        FundsCommand::Reserves(reserves::Command::Cut) => "reserves cut",
        FundsCommand::Reserves(reserves::Command::ReportWallet(_)) => "wallet reported",
        FundsCommand::Reserves(reserves::Command::NoteCost(..)) => "network cost noted",
        FundsCommand::Reserves(reserves::Command::Check) if is_quiet => "reserves as before",
        FundsCommand::Reserves(reserves::Command::Check) => "reserves short or covered",
        _ => "other transfer",
    }
}

/// The act of a bank, as the counts name it.
fn banked(
    command: &bank::Command,
    made: Made,
    status: Option<TransferStatus>,
    is_quiet: bool,
) -> &'static str {
    match (command, status) {
        (bank::Command::Link(_), _) if is_quiet => "bank linked before",
        (bank::Command::Link(_), _) => "bank linked",
        (bank::Command::Receive(_), Some(TransferStatus::Advanced)) => "money advanced",
        (bank::Command::Receive(_), Some(TransferStatus::Pending)) => "credit that waits for advances",
        (bank::Command::Receive(_), _) => "wire",
        (bank::Command::Pay(_), _) => "bank paid",
        (bank::Command::Clear(_), _) => "advance cleared in time",
        (bank::Command::Settle(_), _) if matches!(made, Made::Loan(_)) => "advance lent",
        (bank::Command::Settle(_), Some(TransferStatus::Cleared)) => "advance cleared early",
        (bank::Command::Settle(_), Some(TransferStatus::Complete)) => "bank settled",
        (bank::Command::Settle(_), _) => "bank returned",
        (bank::Command::SetAdvanceLimit(_), _) => "advance limit set",
    }
}

/// The step of a withdrawal, as the counts name it.
fn paid(exchange: &Exchange, command: &withdrawal::Command, is_quiet: bool) -> &'static str {
    match command {
        withdrawal::Command::Withdraw(_) if is_quiet => "withdrawn before",
        withdrawal::Command::Withdraw(order) => {
            let funds = exchange.state.funds();
            let fee = funds.transfer(Eid(funds.next_eid().0 - 1)).unwrap().row.fee;
            match order.wraps {
                Some(_) => "withdrawn as a token",
                None if fee == Money::ZERO => "withdrawn for nothing",
                None => "withdrawn for a fee",
            }
        }
        _ if is_quiet => "step repeated",
        withdrawal::Command::Signed(_, attempt) => match attempt.purpose {
            Purpose::Pay => "signed",
            Purpose::Bump => "signed with a higher fee",
            Purpose::Void => "signed to void",
        },
        withdrawal::Command::Sent(..) => "sent",
        withdrawal::Command::Settle(_, settlement) => match settlement.outcome {
            withdrawal::Outcome::Completed => "withdrawal completed",
            withdrawal::Outcome::Failed => "withdrawal failed",
            withdrawal::Outcome::Voided => "withdrawal voided",
        },
        withdrawal::Command::Unsettle(..) => "payment reorganised",
        withdrawal::Command::OverrideFee(..) => "fee overridden",
        withdrawal::Command::Lose(_) => "withdrawal lost",
        withdrawal::Command::Revive(_) => "withdrawal revived",
        withdrawal::Command::Remedy(..) => "withdrawal remedied",
    }
}

/// The step of a deposit, as the counts name it: the last one, if several.
fn arrived(exchange: &Exchange, command: &deposit::Command) -> &'static str {
    let last = exchange.work.out.events.last().map(|event| match event {
        Event::Infrequent(kept) => Infrequent::read(*kept, &exchange.work.out.texts).unwrap(),
        other => panic!("not of funds: {other:?}"),
    });
    match last {
        Some(Infrequent::Funds(FundsInfrequent::Deposit(event))) => match event {
            deposit::Event::Seen(_, account)
                if exchange.state.access().account(account).unwrap().group.is_none() =>
            {
                "deposit of nobody"
            }
            deposit::Event::Seen(..) => "deposit seen",
            deposit::Event::Revived(_) => "deposit revived",
            deposit::Event::Confirmed(..) => "deposit confirmed",
            deposit::Event::Credited(_) => "deposit credited",
            deposit::Event::Reorganised(_) => "deposit reorganised",
            deposit::Event::Reversed(_) => "credited deposit reorganised",
            deposit::Event::Lost(_) => "deposit lost",
            deposit::Event::Followed(..) => "chain followed",
            deposit::Event::Assigned(..) => "deposit assigned",
        },
        _ if matches!(command, deposit::Command::Seen(_)) => "deposit seen before",
        _ => "deposit report repeated",
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
            internal::Reject::BadAmount => "move of a bad amount",
            internal::Reject::Short(Short::Debt) => "move of a debtor",
            internal::Reject::Short(_) => "move of too much",
        },
        FundsReject::Address(reject) => match reject {
            address::Reject::UsedNumber | address::Reject::UsedText => "address issued before",
            _ => "refused address",
        },
        FundsReject::Approval(reject) => match reject {
            approval::Reject::Duplicate => "approval requested before",
            approval::Reject::Full(_) => "approval on a full list",
            approval::Reject::NotListed => "approval not listed",
            approval::Reject::AwaitsUser => "removal of what awaits a user",
            approval::Reject::Decided => "approval decided before",
            approval::Reject::NotDue => "hold not over",
            approval::Reject::NoHold => "no hold to waive",
            approval::Reject::Foreign => "approval of others",
            approval::Reject::Closed | approval::Reject::NoNetwork => "refused approval",
        },
        FundsReject::Withdrawal(reject) => match reject {
            withdrawal::Reject::Foreign => "withdrawal of others",
            withdrawal::Reject::Closed => "withdrawal of a closed account",
            withdrawal::Reject::UnsupportedNetwork => "withdrawal on another network",
            withdrawal::Reject::OtherTerms => "withdrawal of other terms",
            withdrawal::Reject::Halted => "withdrawal while halted",
            withdrawal::Reject::NoList => "withdrawal without a list",
            withdrawal::Reject::NotApproved => "withdrawal to no approved address",
            withdrawal::Reject::OtherMemo => "withdrawal with another memo",
            withdrawal::Reject::BadAmount(_) => "withdrawal of a bad amount",
            withdrawal::Reject::BelowMinimum(_) => "withdrawal of too little",
            withdrawal::Reject::Short(Short::Debt, _) => "withdrawal of a debtor",
            withdrawal::Reject::Short(..) => "withdrawal of too much",
            withdrawal::Reject::Unknown => "step of no withdrawal",
            withdrawal::Reject::OtherSpends => "signed anew",
            withdrawal::Reject::OtherTransaction => "step of another transaction",
            withdrawal::Reject::Settled => "step after the end",
            withdrawal::Reject::Unsigned => "remedy of nothing signed",
            withdrawal::Reject::MayConfirm => "remedy of what may confirm",
            withdrawal::Reject::Remedied => "remedy again",
        },
        FundsReject::Deposit(reject) => match reject {
            deposit::Reject::Unacceptable => "unacceptable deposit",
            deposit::Reject::Unknown => "report of no deposit",
            deposit::Reject::Owned => "deposit assigned before",
            deposit::Reject::IsLost => "lost deposit assigned",
            deposit::Reject::Halted => "deposit assigned while halted",
            deposit::Reject::NoAccount => "deposit assigned to nobody",
            deposit::Reject::Closed | deposit::Reject::NoHouse => "refused deposit",
        },
        FundsReject::Bank(reject) => match reject {
            bank::Reject::Unverified => "payment to an unverified bank",
            bank::Reject::UnknownBank => "payment to no bank",
            bank::Reject::Halted => "payment while halted",
            bank::Reject::Short(Short::Debt) => "payment of a debtor",
            bank::Reject::Short(Short::TooLittle) => "payment of too much",
            bank::Reject::Short(Short::Advances) => "payment of what an advance bought",
            bank::Reject::UnknownRow => "settled nothing of a bank",
            bank::Reject::SettledBefore => "settled before",
            bank::Reject::NotDue => "advance cleared too early",
            bank::Reject::BadLimit => "advance limit below zero",
            _ => "refused by a bank",
        },
        FundsReject::Debt(_) => "nothing to repay",
        FundsReject::Halt(_) => "halt of no asset",
        FundsReject::Custody(custody::Reject::NotSent(_)) => "settled what was not sent",
        FundsReject::Custody(custody::Reject::OtherTransaction(_)) => "custody move signed anew",
        FundsReject::Custody(_) => "custody fees too early",
        FundsReject::Reserves(reserves::Reject::NotDue) => "cut too early",
        FundsReject::Reserves(_) => "bad wallet",
        FundsReject::Network(_) => "refused table",
        FundsReject::Limit(_) => "refused limit",
    }
}
