//! The common parts of credits and debits: the account, the amount, the reference, and the answer.

use crate::field::{amount, bad_amount};
use crate::operator::Operator;
use buttonwood_engine::{AccessReject, Adjustment, LedgerCommand, LedgerReject, Reject};
use buttonwood_gate::{Payload, Reason, Refusal};
use buttonwood_num::{MONEY_DECIMALS, Money};
use buttonwood_wire::contract::{Decimal, DecimalText, Done, InPayload, Label, Needed, Text};
use buttonwood_wire::field::{bad_value, closed_account};
use buttonwood_wire::text::{REFERENCE_MAX, is_reference, visible};
use buttonwood_wire::{answer, json, request};
use std::sync::Arc;

request! {
    /// Money for an account, or from it.
    pub(super) struct Asked in InPayload {
        /// The name of the account's group.
        group: Needed<Text>,
        /// The short name of the account.
        account: Needed<Text>,
        /// The currency.
        currency: Needed<Text>,
        /// How much.
        amount: Needed<Decimal>,
        /// Its reference, such as the number of a bank's transfer: 1 to 100 printable ASCII characters without blanks. A
        /// reference is used once.
        reference: Text,
    }
}

answer! {
    /// The amount that was credited or debited.
    pub(super) struct Adjusted {
        /// Always `ok`.
        result: Done,
        /// The currency.
        currency: String,
        /// How much.
        amount: DecimalText,
        /// Its reference, if one was given.
        reference: Option<Label>,
    }
}

/// Whether money goes to the account or comes from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// To the account.
    Credit,
    /// From the account.
    Debit,
}

/// Carries out a credit or a debit.
pub(super) async fn run(
    operator: &Operator<'_>,
    fields: &Payload,
    direction: Direction,
) -> Result<Vec<u8>, Refusal> {
    let request = Asked::of(fields);
    let (group, name) = (request.group()?, request.account()?);
    let (code, text) = (request.currency()?, request.amount()?);
    let account = operator.find_account(&group, &name)?;
    let currency = operator.find_currency(&code)?;
    let money = amount(&text)?;
    let reference = match request.reference()? {
        Some(reference) if !is_reference(&reference) => {
            let expected = format!("1 to {REFERENCE_MAX} printable ASCII characters without blanks");
            return Err(bad_value("reference", &expected, &visible(&reference)));
        }
        reference => reference.map(String::from),
    };
    let adjustment = Adjustment {
        account,
        currency,
        amount: if direction == Direction::Debit { -money } else { money },
        reference: reference.clone().unwrap_or_default(),
    };
    let code = operator.names.currency(currency).code.clone();
    let refuse = |reject| {
        if let Reject::Ledger(LedgerReject::Taken) = reject {
            let used = reference.as_deref().unwrap_or_default();
            return Some(bad_value("reference", "one that no credit and no debit has used", used));
        }
        if let Reject::Ledger(LedgerReject::Short(available)) = reject {
            return Some(short(&name, available, &code, &text));
        }
        if let Reject::Access(AccessReject::Closed) = reject {
            return Some(closed_account(&name));
        }
        matches!(reject, Reject::Ledger(_)).then(|| bad_amount(&text))
    };
    operator.send(LedgerCommand::Adjust(Arc::new(adjustment)), refuse).await?;
    let amount = DecimalText::of(|out| money.push_floored(out, MONEY_DECIMALS));
    let reference = reference.map(Label);
    Ok(json::body(&Adjusted { result: Done, currency: code, amount, reference }))
}

/// The refusal of a debit of more than is available.
fn short(account: &str, available: Money, code: &str, amount: &str) -> Refusal {
    let mut digits = Vec::new();
    available.push_floored(&mut digits, MONEY_DECIMALS);
    let available = String::from_utf8(digits).unwrap_or_default();
    let expected = format!("at most what account '{account}' has available, {available} {code}");
    bad_value("amount", &expected, amount).with_reason(Reason::InsufficientFunds)
}
