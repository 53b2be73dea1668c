//! Fields that several calls about funds take, and the refusals that name them.

use crate::app::App;
use buttonwood_gate::{Payload, Reason, Refusal, quoted};
use buttonwood_model::{ClientId, Currency, CurrencyId};
use buttonwood_num::{Decimal, Money};
use buttonwood_wire::field::bad_value;

/// A listed currency, by its code in any letter case.
pub(super) fn currency<'a>(app: &'a App, code: &str) -> Result<(CurrencyId, &'a Currency), Refusal> {
    let found = app.names.find_currency(code).map(|id| (id, app.names.currency(id)));
    found.ok_or_else(|| {
        let message = format!("The path names no listed currency: '{}'", quoted(code));
        Refusal::new(Reason::InvalidCurrency, message)
    })
}

/// A positive amount of a currency, with no more decimals than the currency has (XFER-017).
pub(super) fn amount(currency: &Currency, text: &str) -> Result<Money, Refusal> {
    let places = text.split_once('.').map_or(0, |(_, places)| places.trim_end_matches('0').len());
    let decimal = Decimal::parse(text.as_bytes()).ok().filter(|amount| !amount.is_zero());
    let fits = places <= usize::from(currency.decimals);
    decimal.filter(|_| fits).and_then(Money::from_decimal).ok_or_else(|| {
        let expected =
            format!("a positive amount of {} with at most {} decimals", currency.code, currency.decimals);
        bad_value("amount", &expected, text).with_reason(Reason::InvalidQuantity)
    })
}

/// The client's id of a transfer, in either spelling (XFER-015); empty without one.
pub(super) fn client_id(payload: &Payload) -> Result<String, Refusal> {
    for name in ["clientTransferId", "client_transfer_id"] {
        let Some(value) = payload.field(name) else { continue };
        let text = payload.decimal_text(name).unwrap_or_default();
        let id = ClientId::new(&text).map_err(|_| {
            bad_value(name, "1 to 100 letters, digits and '#-.:_', such as a UUID", value.shown())
        })?;
        return Ok(id.as_str().into());
    }
    Ok(String::new())
}
