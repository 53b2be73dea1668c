//! Fields that several calls about funds take, and the refusals that name them.

use buttonwood_call::{App, owed};
use buttonwood_engine::funds::{ALL, Form, Short};
use buttonwood_gate::{Payload, Reason, Refusal, quoted};
use buttonwood_model::{AccountId, ClientId, Currency, CurrencyId};
use buttonwood_num::{Decimal, Money};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::reject::in_debt;
use buttonwood_wire::text::{PLAIN, is_plain, visible};

/// Refuses what would send or receive money where funds are not simulated (D-62).
pub(crate) fn check_simulated(app: &App) -> Result<(), Refusal> {
    check_moves(app, || "No money enters or leaves this exchange".to_owned())
}

/// Refuses what needs chains or banks where there are none: `what` is missing. A sandbox has a flag for them, which a venue has not.
pub(crate) fn check_moves(app: &App, what: impl FnOnce() -> String) -> Result<(), Refusal> {
    if app.settings().simulated_funds {
        return Ok(());
    }
    let help = if app.settings().sandbox {
        "; a sandbox simulates chains and banks with --funds simulated"
    } else {
        ""
    };
    Err(Refusal::new(Reason::InvalidFundTransfer, format!("{}{help}", what())))
}

/// The code of a network's own currency; without one, words for all that moves there.
pub(super) fn moved_on(app: &App, network: &str) -> String {
    let views = app.exchange.views();
    let networks = views.state().funds().networks();
    let is_own =
        |id| networks.home(id).is_some_and(|home| home.network == network && home.form == Form::Native);
    let mut all = (0..views.state().currencies().len()).map(CurrencyId::from_index);
    match all.find(|id| is_own(*id)).and_then(|id| views.state().currency(id)) {
        Some(own) => own.code.clone(),
        None => format!("currencies on '{}'", quoted(network)),
    }
}

/// The refusal of an amount that may not leave an account, which is one of a currency's with this code.
pub(crate) fn short(app: &App, account: AccountId, short: Short, (amount, code): (&str, &str)) -> Refusal {
    let message = match short {
        Short::Debt => return in_debt(&owed(app, account)),
        Short::TooLittle if amount == ALL_WORD => format!("The account has no {code} that may leave it"),
        Short::TooLittle => format!("The account has less than {} {code} that may leave it", quoted(amount)),
        Short::Advances if amount == ALL_WORD => format!(
            "Without any {code} the group's accounts would be worth less than what is advanced to them or owed for a returned advance"
        ),
        Short::Advances => format!(
            "Without {} {code} the group's accounts would be worth less than what is advanced to them or owed for a returned advance",
            quoted(amount)
        ),
    };
    Refusal::new(Reason::InsufficientFunds, message)
}

/// A listed currency, by its code in any letter case.
pub(super) fn currency<'a>(app: &'a App, code: &str) -> Result<(CurrencyId, &'a Currency), Refusal> {
    let found = app.names.find_currency(code).map(|id| (id, app.names.currency(id)));
    found.ok_or_else(|| {
        let message = format!("The path names no listed currency: '{}'", quoted(code));
        Refusal::new(Reason::InvalidCurrency, message)
    })
}

/// A positive amount of a currency, with no more decimals than the currency has (XFER-017).
pub(crate) fn amount(currency: &Currency, text: &str) -> Result<Money, Refusal> {
    let places = text.split_once('.').map_or(0, |(_, places)| places.trim_end_matches('0').len());
    let decimal = Decimal::parse(text.as_bytes()).ok().filter(|amount| !amount.is_zero());
    let fits = places <= usize::from(currency.decimals);
    decimal.filter(|_| fits).and_then(Money::from_decimal).filter(|amount| *amount != ALL).ok_or_else(|| {
        let expected =
            format!("a positive amount of {} with at most {} decimals", currency.code, currency.decimals);
        bad_value("amount", &expected, text).with_reason(Reason::InvalidQuantity)
    })
}

/// The word for all that there is, where a call takes it.
pub(crate) const ALL_WORD: &str = "all";

/// An amount as [`amount`] reads it, or all that there is.
pub(crate) fn amount_or_all(currency: &Currency, text: &str) -> Result<Money, Refusal> {
    if text == ALL_WORD { Ok(ALL) } else { amount(currency, text) }
}

/// The client's id of a transfer, in either spelling (XFER-015); empty without one. Only a string is an id: `null` read as a text would
/// be one id of all calls that send it.
pub(crate) fn client_id(payload: &Payload) -> Result<String, Refusal> {
    for name in ["clientTransferId", "client_transfer_id"] {
        let Some(text) = payload.text(name)? else { continue };
        let id = ClientId::new(&text)
            .map_err(|_| bad_value(name, "1 to 100 letters, digits and '#-.:_', such as a UUID", &text))?;
        return Ok(id.as_str().into());
    }
    Ok(String::new())
}

/// Characters of a label at most.
const LABEL_MAX: usize = 100;

/// The label of an address.
pub(super) fn label(text: &str) -> Result<String, Refusal> {
    if is_plain(text, LABEL_MAX) {
        return Ok(text.to_owned());
    }
    Err(bad_value("label", &format!("1 to {LABEL_MAX} {PLAIN}"), &visible(text)))
}
