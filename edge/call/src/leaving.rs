//! Amounts that leave an account: fields that several subjects take, and the refusals that name them.

use crate::app::App;
use crate::refused::owed;
use buttonwood_engine::funds::Short;
use buttonwood_gate::{Payload, Reason, Refusal, quoted};
use buttonwood_model::{AccountId, ClientId};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::reject::in_debt;

/// The word for all that there is, where a call takes it.
pub const ALL_WORD: &str = "all";

/// The refusal of an amount that may not leave an account, which is one of a currency's with this code.
pub fn refuse_short(app: &App, account: AccountId, short: Short, (amount, code): (&str, &str)) -> Refusal {
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

/// The client's id of a transfer, in either spelling (XFER-015); empty without one. Only a string is an id: `null` read as a text would
/// be one id of all calls that send it.
pub fn transfer_client_id(payload: &Payload) -> Result<String, Refusal> {
    for name in ["clientTransferId", "client_transfer_id"] {
        let Some(text) = payload.text(name)? else { continue };
        let id = ClientId::new(&text)
            .map_err(|_| bad_value(name, "1 to 100 letters, digits and '#-.:_', such as a UUID", &text))?;
        return Ok(id.as_str().into());
    }
    Ok(String::new())
}
