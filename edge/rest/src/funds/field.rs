//! Fields that several calls about funds take, and the refusals that name them.

use crate::app::App;
use buttonwood_engine::funds::{ALL, Form, Short};
use buttonwood_gate::{Payload, Reason, Refusal, quoted};
use buttonwood_model::{AccountId, ClientId, Currency, CurrencyId};
use buttonwood_num::{Decimal, MONEY_DECIMALS, Money};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::reject::in_debt;
use buttonwood_wire::text::{PLAIN, is_plain, visible};
use std::borrow::Cow;

/// Refuses what would send or receive money where funds are not simulated (D-62).
pub(crate) fn check_simulated(app: &App) -> Result<(), Refusal> {
    check_moves(app, || "No money enters or leaves this exchange".to_owned())
}

/// Refuses what needs chains or banks where there are none: `what` is missing. A sandbox has a flag for them, which a venue has not.
pub(crate) fn check_moves(app: &App, what: impl FnOnce() -> String) -> Result<(), Refusal> {
    if app.settings.simulated_funds {
        return Ok(());
    }
    let help = if app.settings.sandbox {
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

/// The debts of an account for returned advances, as people read them.
pub(crate) fn owed(app: &App, account: AccountId) -> String {
    let views = app.exchange.views();
    let debts = views.state().funds().debts_of(account);
    let shown = debts.map(|(currency, owed)| {
        let currency = app.names.currency(currency);
        let mut amount = Vec::new();
        owed.push_floored(&mut amount, MONEY_DECIMALS);
        format!("{} {}", String::from_utf8_lossy(&amount), currency.code)
    });
    shown.collect::<Vec<_>>().join(", ")
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

/// The parameters of a path whose first one names a network: by its own name, or by the code of a currency, in any letter case, which
/// means the currency's home network (D-174). Any other text stays as it is, and names none.
pub(crate) fn with_network<'a>(app: &App, parameters: &'a str) -> Cow<'a, str> {
    let sent = parameters.split('/').next().unwrap_or_default();
    let currency = app.currency_id(sent);
    let views = app.exchange.views();
    let networks = views.state().funds().networks();
    let home =
        currency.filter(|_| networks.find(sent).is_none()).and_then(|currency| networks.home(currency));
    home.map_or(Cow::Borrowed(parameters), |asset| {
        Cow::Owned(format!("{}{}", asset.network, parameters.strip_prefix(sent).unwrap_or_default()))
    })
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
