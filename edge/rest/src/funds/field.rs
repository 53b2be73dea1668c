//! Fields that several calls about funds take, and the refusals that name them.

use buttonwood_call::{ALL_WORD, App};
use buttonwood_engine::funds::{ALL, Form};
use buttonwood_gate::{Reason, Refusal, quoted};
use buttonwood_model::{Currency, CurrencyId};
use buttonwood_num::{Decimal, Money};
use buttonwood_wire::field::bad_value;
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

/// An amount as [`amount`] reads it, or all that there is.
pub(crate) fn amount_or_all(currency: &Currency, text: &str) -> Result<Money, Refusal> {
    if text == ALL_WORD { Ok(ALL) } else { amount(currency, text) }
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
