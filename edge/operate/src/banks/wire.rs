//! `bank wire`: credits what a bank has sent, by wire or ACH (BANK-003, D-75).

use crate::command::{Argument, Command, Effect, Form};
use crate::operator::Operator;
use buttonwood_engine::funds::bank::{Command as BankCommand, Receipt, Reject as BankReject};
use buttonwood_engine::{FundsCommand, FundsReject, Made, Reject, TransferMethod};
use buttonwood_gate::{Payload, Reason, Refusal, quoted};
use buttonwood_num::{Decimal as Number, Money};
use buttonwood_wire::contract::{Decimal, InPayload, Needed, Text};
use buttonwood_wire::field::{bad_value, busy, closed_account, failed};
use buttonwood_wire::{answer, json, request};
use std::sync::Arc;

/// Decimals of money at banks.
const CENTS: usize = 2;

/// Also `POST /sandbox/banks/wire`.
pub const COMMAND: Command =
    Command::once("bank wire", Effect::Gives, |operator, fields| Box::pin(run(operator, fields)))
        .about("Credits what a bank has sent: a wire for good, an ACH credit as an advance of five days.")
        .with_reason()
        .takes::<Sent>(&[
            Argument::new("group", Form::Place),
            Argument::new("account", Form::Place),
            Argument::new("currency", Form::Place),
            Argument::new("amount", Form::Place),
            Argument::new("method", Form::Option),
            Argument::new("accountnumber", Form::Option),
            Argument::new("routing", Form::Option),
        ])
        .gives::<Credited>();

request! {
    /// Money that a bank has sent.
    struct Sent in InPayload {
        /// The name of the account's group.
        group: Needed<Text>,
        /// The short name of the account.
        account: Needed<Text>,
        /// The currency: state money.
        currency: Needed<Text>,
        /// How much, with at most 2 decimals.
        amount: Needed<Decimal>,
        /// `Wire` or `ACH`; `Wire` without it.
        method: Text,
        /// The number of the bank account that it comes from. With its routing number, a wire verifies the account's bank.
        number as "accountnumber": Text,
        /// The routing number of the bank that it comes from; of a Canadian bank, its SWIFT code.
        routing: Text,
    }
}

answer! {
    /// The row of what was credited.
    struct Credited {
        /// The number of the row.
        eid: u64,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = Sent::of(fields);
    let (group, name) = (request.group()?, request.account()?);
    let (code, text) = (request.currency()?, request.amount()?);
    let method = request.method()?;
    let receipt = Receipt {
        account: operator.find_account(&group, &name)?,
        currency: operator.find_currency(&code)?,
        amount: cents(&text)?,
        method: method.as_deref().map_or(Ok(TransferMethod::Wire), self::method)?,
        number: request.number()?.unwrap_or_default().into_owned(),
        routing: request.routing()?.unwrap_or_default().into_owned(),
    };
    let refuse = |reject| {
        let Reject::Funds(FundsReject::Bank(reject)) = reject else { return None };
        match reject {
            BankReject::UnknownCurrency => {
                let message =
                    format!("Field 'currency' names no currency that banks send: '{}'", quoted(&code));
                Some(Refusal::new(Reason::InvalidCurrency, message))
            }
            BankReject::WrongKind => {
                let expected = "an account that state money may go to, not a custody or derivatives account";
                Some(bad_value("account", expected, &name).with_reason(Reason::InvalidFundTransfer))
            }
            BankReject::Halted => Some(busy(&format!("Credits of {code} are halted"))),
            BankReject::Closed => Some(closed_account(&name)),
            BankReject::BadAmount => Some(bad_amount(&text)),
            BankReject::UnknownAccount
            | BankReject::TooManyLinks
            | BankReject::BadMethod
            | BankReject::UnknownBank
            | BankReject::Unverified
            | BankReject::Short(_)
            | BankReject::UnknownRow
            | BankReject::SettledBefore
            | BankReject::NotDue
            | BankReject::BadLimit => None,
        }
    };
    let command = FundsCommand::from(BankCommand::Receive(Arc::new(receipt)));
    match operator.make(command, refuse).await? {
        Made::Transfer(eid) => Ok(json::body(&Credited { eid: eid.0 })),
        Made::Address(_) | Made::Bank(_) | Made::Loan(_) | Made::Nothing => Err(failed()),
    }
}

/// The method of this name.
fn method(name: &str) -> Result<TransferMethod, Refusal> {
    let known = [TransferMethod::Wire, TransferMethod::Ach];
    known
        .into_iter()
        .find(|method| method.name() == name)
        .ok_or_else(|| bad_value("method", "one of Wire, ACH", name))
}

/// A positive amount of state money at a bank: at most two decimals.
///
/// # Errors
/// The refusal of another text.
pub fn cents(text: &str) -> Result<Money, Refusal> {
    let places = text.split_once('.').map_or(0, |(_, places)| places.trim_end_matches('0').len());
    let amount = Number::parse(text.as_bytes()).ok().filter(|amount| !amount.is_zero() && places <= CENTS);
    amount.and_then(Money::from_decimal).ok_or_else(|| bad_amount(text))
}

/// The refusal of an amount that banks cannot send.
pub fn bad_amount(text: &str) -> Refusal {
    bad_value("amount", "a positive amount with at most 2 decimals", text)
        .with_reason(Reason::InvalidQuantity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn banks_count_cents() {
        for good in ["0.01", "1", "1.5", "12.340", "1000000"] {
            assert!(cents(good).is_ok(), "{good}");
        }
        for bad in
            ["0", "0.00", "-1", "1.234", "0.001", "", "a", "1e5", "99999999999999999999999999999999999999"]
        {
            assert!(cents(bad).is_err(), "{bad}");
        }
    }
}
