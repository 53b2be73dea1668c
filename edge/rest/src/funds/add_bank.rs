//! `POST /v1/payments/addbank` and `/v1/payments/addbank/cad`: link a bank account (BANK-001 to BANK-004).

use buttonwood_call::{App, Call, Route, Write, core_refusal};
use buttonwood_engine::funds::bank::{
    BankKind, BankNumbers, Command, LINKS_MAX, NewBank, Reject as BankReject,
};
use buttonwood_engine::{Body, FundsCommand, FundsReject, Reject};
use buttonwood_gate::{Reason, Refusal};
use buttonwood_http::Reply;
use buttonwood_model::{Role, Scope};
use buttonwood_sequencer::Receipt;
use buttonwood_wire::contract::{InPayload, Needed, Text};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::text::{is_plain, visible};
use buttonwood_wire::{answer, json, request, words};
use std::sync::Arc;

/// Characters of a number or a name at most.
const TEXT_MAX: usize = 100;

/// Fund Manager only.
pub(crate) const ROUTE: Route =
    Route::writing("/v1/payments/addbank", Write { command, answer, closed: None })
        .roles(&[Role::FundManager])
        .scopes(&[Scope::BanksCreate])
        .about("Links a bank account, which a wire from it verifies.")
        .takes::<Bank>()
        .gives::<Linked>();

/// Fund Manager only.
pub(crate) const CANADIAN: Route = Route::writing(
    "/v1/payments/addbank/cad",
    Write { command: canadian_command, answer: canadian_answer, closed: None },
)
.roles(&[Role::FundManager])
.scopes(&[Scope::BanksCreate])
.about("Links a Canadian bank account, which a wire from it verifies.")
.takes::<CanadianBank>()
.gives::<CanadianLinked>();

request! {
    /// A bank account.
    struct Bank in InPayload {
        /// Its number.
        number as "accountnumber": Needed<Text>,
        /// The routing number of the bank.
        routing: Needed<Text>,
        /// `checking` or `savings`.
        kind as "type": Needed<Text>,
        /// Its name, as on statements.
        name: Needed<Text>,
    }
}

answer! {
    /// The bank account that was linked.
    struct Linked {
        /// The number of the link.
        reference as "referenceId": String,
    }
}

request! {
    /// A Canadian bank account. Each number may also be spelled in lower case.
    struct CanadianBank in InPayload {
        /// The SWIFT code of the bank.
        swift as "swiftcode": Text,
        /// The same.
        swift_camel as "swiftCode": Text,
        /// The number of the bank account.
        number as "accountnumber": Text,
        /// The same.
        number_camel as "accountNumber": Text,
        /// The number of the institution.
        institution as "institutionnumber": Text,
        /// The same.
        institution_camel as "institutionNumber": Text,
        /// The number of the branch.
        branch as "branchnumber": Text,
        /// The same.
        branch_camel as "branchNumber": Text,
        /// `checking` or `savings`.
        kind as "type": Needed<Text>,
        /// Its name, as on statements.
        name: Needed<Text>,
    }
}

words! {
    /// The word of success.
    struct Linking: "OK"
}

answer! {
    /// That the bank account was linked.
    struct CanadianLinked {
        /// Always `OK`.
        result: Linking,
    }
}

fn command(_app: &App, call: &Call) -> Result<Body, Refusal> {
    let sent = Bank::of(call.payload());
    let (number, routing, word, name) = (sent.number()?, sent.routing()?, sent.kind()?, sent.name()?);
    let bank = NewBank {
        account: call.account(),
        number: text("accountnumber", &number)?,
        numbers: BankNumbers::UnitedStates { routing: text("routing", &routing)? },
        kind: kind(&word)?,
        name: text("name", &name)?,
    };
    Ok(FundsCommand::from(Command::Link(Arc::new(bank))).into())
}

fn canadian_command(_app: &App, call: &Call) -> Result<Body, Refusal> {
    let sent = CanadianBank::of(call.payload());
    let swift = sent.swift()?.or(sent.swift_camel()?).ok_or_else(|| Refusal::missing_key("swiftcode"))?;
    let number =
        sent.number()?.or(sent.number_camel()?).ok_or_else(|| Refusal::missing_key("accountnumber"))?;
    let (word, name) = (sent.kind()?, sent.name()?);
    let optional = |field, value: Option<std::borrow::Cow<'_, str>>| {
        value.map_or(Ok(String::new()), |value| text(field, &value))
    };
    let bank = NewBank {
        account: call.account(),
        number: text("accountnumber", &number)?,
        numbers: BankNumbers::Canada {
            swift: text("swiftcode", &swift)?,
            institution: optional("institutionnumber", sent.institution()?.or(sent.institution_camel()?))?,
            branch: optional("branchnumber", sent.branch()?.or(sent.branch_camel()?))?,
        },
        kind: kind(&word)?,
        name: text("name", &name)?,
    };
    Ok(FundsCommand::from(Command::Link(Arc::new(bank))).into())
}

/// A number or a name, without the blanks at its ends.
fn text(field: &'static str, value: &str) -> Result<String, Refusal> {
    let text = value.trim();
    if is_plain(text, TEXT_MAX) {
        return Ok(text.to_owned());
    }
    let expected = format!("1 to {TEXT_MAX} characters without control and format characters");
    Err(bad_value(field, &expected, &visible(value)))
}

fn kind(word: &str) -> Result<BankKind, Refusal> {
    match word {
        "checking" => Ok(BankKind::Checking),
        "savings" => Ok(BankKind::Savings),
        _ => Err(bad_value("type", "one of checking, savings", word)),
    }
}

fn answer(app: &App, call: &Call, receipt: &Receipt) -> Result<Reply, Refusal> {
    let number = linked(app, call, receipt)?;
    let reference = format!("BankAccountRefId({number})");
    Ok(Reply::json(json::body(&Linked { reference })))
}

fn canadian_answer(app: &App, call: &Call, receipt: &Receipt) -> Result<Reply, Refusal> {
    linked(app, call, receipt)?;
    Ok(Reply::json(json::body(&CanadianLinked { result: Linking("OK") })))
}

/// The number of the link.
fn linked(app: &App, call: &Call, receipt: &Receipt) -> Result<u32, Refusal> {
    receipt.bank().map_err(|reject| {
        if reject != Reject::Funds(FundsReject::Bank(BankReject::TooManyLinks)) {
            return core_refusal(app, call, reject);
        }
        let message = format!("An account has at most {LINKS_MAX} banks");
        Refusal::new(Reason::AccountLimitExceeded, message)
    })
}
