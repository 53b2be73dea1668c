//! Calls of the interface by a browser: private ones by `/site/call`, public ones by `/site/public/…`.

use super::caller::{Caller, sign_in_required};
use super::checks::check_origin;
use crate::own::Own;
use buttonwood_call::{HeldCall, Later, PublicCall, Visit, held_by_browser};
use buttonwood_gate::{Held, Payload, Reason, Refusal, Value};
use buttonwood_http::Reply;
use buttonwood_model::AccountId;
use http::header::ACCEPT_ENCODING;

/// The payload of a private endpoint, without its nonce, gets that endpoint's reply.
pub(super) fn call<'a>(caller: &'a Caller<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move {
        if let Some(Value::Text(request)) = fields.sent("request")
            && caller.app.table().needs_code(&request)
        {
            caller.check_code()?;
        }
        let again = || held(caller);
        let held = held(caller)?;
        caller.app.call_held(HeldCall::new(held, fields, &again)).await
    })
}

/// A public call of a page of the exchange gets the endpoint's reply. A page of another site is refused, so
/// that it cannot use up the limit that its visitor has here: it calls the interface itself.
pub(crate) async fn call_public(visit: &Visit<'_>, call: PublicCall<'_>) -> Result<Reply, Refusal> {
    check_origin(visit, &Own::of(visit))?;
    let query = visit.head.uri.query().unwrap_or_default();
    let reply = call.answer(visit.app, visit.client, query).await?;
    Ok(reply.packed(visit.header(&ACCEPT_ENCODING).unwrap_or_default()))
}

/// The browser as the published state has it now, with the account that the call names in place of the chosen one.
pub(super) fn held(caller: &Caller<'_>) -> Result<Held, Refusal> {
    if caller.browser.is_operator {
        return Err(Refusal::new(Reason::MissingRole, "An operator does not trade"));
    }
    let held = held_by_browser(caller.app, caller.browser.session, caller.app.exchange.now())
        .ok_or_else(sign_in_required)?;
    Ok(Held { chosen: caller.acting(held.chosen)?, ..held })
}

/// The account that the call names, or that the browser's user chose.
pub(super) fn chosen(held: &Held) -> Result<AccountId, Refusal> {
    held.chosen.ok_or_else(|| {
        Refusal::new(Reason::InvalidAccountName, "No account is chosen: /site/account chooses one")
    })
}
