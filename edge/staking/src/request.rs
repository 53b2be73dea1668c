//! The request of a stake and of a redemption, and their refusals.

use super::shown;
use buttonwood_call::{ALL_WORD, App, Call, core_refusal, refuse_short, transfer_client_id};
use buttonwood_engine::Reject;
use buttonwood_engine::staking::{ALL, OPEN_MAX, Reject as StakingReject, Request};
use buttonwood_gate::{Reason, Refusal, quoted};
use buttonwood_num::{Decimal as Number, MONEY_DECIMALS, Money};
use buttonwood_wire::contract::{Decimal, DecimalOrAll, InPayload, Needed, Sent, Text};
use buttonwood_wire::field::{bad_value, failed, wrong_kind};
use buttonwood_wire::request;
use std::borrow::Cow;
use std::sync::Arc;

/// Declares the request of a call that names a provider: the two calls differ in the amounts that they take.
macro_rules! with_provider {
    ($(#[doc = $about:literal])+ $name:ident, $(#[doc = $doc:literal])+ $amount:ty) => {
        request! {
            $(#[doc = $about])+
            pub(super) struct $name in InPayload {
                /// The provider, a version 4 UUID of `/v1/staking/rates`.
                provider as "providerId": Needed<Text>,
                /// The currency.
                currency: Needed<Text>,
                $(#[doc = $doc])+
                amount: Needed<$amount>,
                /// The client's id of the request, 1 to 100 characters: a repeated call with the same id moves nothing again and has the same reply.
                client_id as "clientTransferId": Sent<Text>,
                /// The same in another spelling.
                other_client_id as "client_transfer_id": Sent<Text>,
            }
        }
    };
}

with_provider! {
    /// An amount to redeem from a provider.
    Unstake,
    /// How much, with up to 19 decimals; `all` is the whole stake.
    DecimalOrAll
}

with_provider! {
    /// An amount to stake with a provider.
    Stake,
    /// How much, with up to 19 decimals.
    Decimal
}

/// Reads a request to redeem, which may take the whole stake.
pub(super) fn read_redemption(app: &App, call: &Call) -> Result<Arc<Request>, Refusal> {
    let sent = Unstake::of(call.payload());
    let texts = [sent.provider()?, sent.currency()?, sent.amount()?];
    request_of(app, call, texts, |text| if text == ALL_WORD { Ok(ALL) } else { amount(text) })
}

/// Reads a request to stake.
pub(super) fn read(app: &App, call: &Call) -> Result<Arc<Request>, Refusal> {
    let sent = Stake::of(call.payload());
    request_of(app, call, [sent.provider()?, sent.currency()?, sent.amount()?], amount)
}

fn request_of(
    app: &App,
    call: &Call,
    [provider, code, text]: [Cow<'_, str>; 3],
    amount: impl Fn(&str) -> Result<Money, Refusal>,
) -> Result<Arc<Request>, Refusal> {
    Ok(Arc::new(Request {
        provider: shown::provider(&provider)?,
        currency: shown::currency(app, &code)?,
        amount: amount(&text)?,
        client_id: transfer_client_id(call.payload())?,
    }))
}

/// A positive amount with at most 19 decimals.
fn amount(text: &str) -> Result<Money, Refusal> {
    let decimal = Number::parse(text.as_bytes()).ok().filter(|amount| !amount.is_zero());
    decimal.and_then(Money::from_decimal).filter(|amount| *amount != ALL).ok_or_else(|| {
        let expected = format!("a positive amount with at most {MONEY_DECIMALS} decimals");
        bad_value("amount", &expected, text).with_reason(Reason::InvalidQuantity)
    })
}

/// The refusal of a stake or a redemption (D-103).
pub(super) fn refusal(app: &App, call: &Call, reject: Reject) -> Refusal {
    let Reject::Staking(reject) = reject else { return core_refusal(app, call, reject) };
    let sent = Stake::of(call.payload());
    let [provider, code] = [sent.provider(), sent.currency()].map(Result::unwrap_or_default);
    let text = sent.amount().unwrap_or_default();
    let (amount, currency) = (quoted(&text), quoted(&code.to_ascii_uppercase()));
    match reject {
        StakingReject::WrongKind => wrong_kind(&account(app, call), "exchange"),
        StakingReject::OtherTerms => {
            let id = transfer_client_id(call.payload()).unwrap_or_default();
            bad_value("clientTransferId", "an id that no request with other terms has", &id)
        }
        StakingReject::UnknownProvider => {
            let message = format!("Field 'providerId' names no provider of staking: '{}'", quoted(&provider));
            Refusal::new(Reason::InvalidParameterValue, message)
        }
        StakingReject::UnknownPair => {
            let message =
                format!("Field 'currency' names no currency that this provider stakes: '{}'", quoted(&code));
            Refusal::new(Reason::InvalidCurrency, message)
        }
        StakingReject::BadAmount => {
            bad_value("amount", "a positive amount", &text).with_reason(Reason::InvalidQuantity)
        }
        StakingReject::Paused => {
            let message = format!(
                "Field 'providerId' names a provider that takes no new stakes of {currency} for now: '{}'",
                quoted(&provider)
            );
            Refusal::new(Reason::InvalidParameterValue, message)
        }
        StakingReject::Short(reason) => refuse_short(app, call.account(), reason, (&text, &code)),
        StakingReject::NoPrice => {
            let message = format!("{currency} has no dollar price now, which the limit of new stakes needs");
            Refusal::new(Reason::InvalidCurrency, message)
        }
        StakingReject::BeyondLimit(limit) => {
            let message = format!(
                "A stake of {amount} {currency} is beyond the limit of {} dollars a month with provider '{}'",
                dollars(limit),
                quoted(&provider)
            );
            Refusal::new(Reason::DepositLimitExceeded, message)
        }
        StakingReject::TooLittleStaked if text == ALL_WORD => {
            let message =
                format!("The account has no {currency} staked with provider '{}'", quoted(&provider));
            Refusal::new(Reason::InsufficientFunds, message)
        }
        StakingReject::TooLittleStaked => {
            let message = format!(
                "The account has less than {amount} {currency} staked with provider '{}'",
                quoted(&provider)
            );
            Refusal::new(Reason::InsufficientFunds, message)
        }
        StakingReject::TooManyOpen => {
            let message = format!(
                "The account has {OPEN_MAX} open redemptions of {currency} with provider '{}', the most that it may have",
                quoted(&provider)
            );
            Refusal::new(Reason::AccountLimitExceeded, message)
        }
        StakingReject::Unavailable
        | StakingReject::BadTerms
        | StakingReject::TooManyPairs
        | StakingReject::OutOfRange
        | StakingReject::HasKey
        | StakingReject::NotDue
        | StakingReject::Unknown => failed(),
    }
}

/// A number of dollars, as people read it.
fn dollars(amount: Money) -> String {
    let mut out = Vec::new();
    amount.push_floored(&mut out, MONEY_DECIMALS);
    String::from_utf8_lossy(&out).into_owned()
}

/// The short name of the account that the call acts on.
fn account(app: &App, call: &Call) -> String {
    let views = app.exchange.views();
    let account = views.state().access().account(call.account());
    account.map_or_else(String::new, |account| account.short_name.clone())
}
