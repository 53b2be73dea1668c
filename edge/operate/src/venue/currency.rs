//! `currency add`: lists a currency while the exchange runs.

use crate::command::{Argument, Command, Effect, Form};
use crate::operator::Operator;
use buttonwood_engine::{Body, LedgerReject, Reject};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_model::{Currency, CurrencyKind};
use buttonwood_num::MONEY_DECIMALS;
use buttonwood_wire::account::display_name;
use buttonwood_wire::contract::{Done, Flag, InPayload, Label, Needed, Text, WholeUpTo};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};

/// Lists a currency.
pub(crate) const COMMAND: Command =
    Command::once("currency add", Effect::Prepares, |operator, fields| Box::pin(run(operator, fields)))
        .about("Lists a currency.")
        .takes::<NewCurrency>(&[
            Argument::new("currency", Form::Place),
            Argument::new("decimals", Form::Option),
            Argument::new("fiat", Form::Switch),
            Argument::new("name", Form::Option),
        ])
        .gives::<CurrencyAdded>();

request! {
    /// A currency to list.
    struct NewCurrency in InPayload {
        /// Its code: 2 to 10 letters and digits, the first a letter.
        currency: Needed<Text>,
        /// The decimals of a balance that is shown.
        decimals: Needed<WholeUpTo<19>>,
        /// Whether it is fiat money.
        fiat: Flag<false>,
        /// Its name for people; the code without it.
        name: Text,
    }
}

answer! {
    /// The currency that was listed.
    struct CurrencyAdded {
        /// Always `ok`.
        result: Done,
        /// Its code.
        currency: String,
        /// Its name for people.
        name: Label,
        /// The decimals of a balance that is shown.
        decimals: u64,
        /// Whether it is fiat money.
        fiat: bool,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = NewCurrency::of(fields);
    let code = code(&request.currency()?)?;
    let decimals = request.decimals()?.min(u64::from(MONEY_DECIMALS));
    let fiat = request.fiat()?;
    let name = match request.name()? {
        Some(name) => display_name("name", &name)?.0,
        None => code.clone(),
    };
    let currency = Currency {
        code: code.clone(),
        name: name.clone(),
        decimals: u8::try_from(decimals).unwrap_or(MONEY_DECIMALS),
        kind: if fiat { CurrencyKind::Fiat } else { CurrencyKind::Crypto },
        networks: Vec::new(),
    };
    let refuse = |reject| {
        let is_taken = reject == Reject::Ledger(LedgerReject::Taken);
        is_taken.then(|| bad_value("currency", "a code that is not listed yet", &code))
    };
    operator.send(Body::list_currency(currency), refuse).await?;
    Ok(json::body(&CurrencyAdded { result: Done, currency: code.clone(), name: Label(name), decimals, fiat }))
}

/// A code in upper case.
fn code(text: &str) -> Result<String, Refusal> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let begins_well = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
    if (2..=10).contains(&text.len()) && is_plain && begins_well {
        return Ok(text.to_ascii_uppercase());
    }
    Err(bad_value("currency", "2 to 10 letters and digits, the first a letter", text))
}
