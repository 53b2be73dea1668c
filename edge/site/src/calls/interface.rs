//! Calls of the interface by a browser: `/site/call`.

use super::caller::{Caller, sign_in_required};
use buttonwood_gate::{Held, HeldKind, Owner, Payload, Reason, Refusal, Value};
use buttonwood_rest::{HeldCall, Later, needs_code};

/// The payload of a private endpoint, without its nonce, gets that endpoint's reply.
pub(super) fn call<'a>(caller: &'a Caller<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move {
        if let Some(Value::Text(request)) = fields.sent("request")
            && needs_code(&request)
        {
            caller.check_code()?;
        }
        let again = || held(caller);
        let held = held(caller)?;
        caller.app.call_held(HeldCall { held, payload: fields, again: &again }).await
    })
}

/// The browser as the published state has it now.
fn held(caller: &Caller<'_>) -> Result<Held, Refusal> {
    let views = caller.app.exchange.views();
    let now = caller.app.now_of(&views);
    let holder = views.state().identity().holder(caller.browser.session, now).ok_or_else(sign_in_required)?;
    let group =
        holder.group.ok_or_else(|| Refusal::new(Reason::MissingRole, "An operator does not trade"))?;
    Ok(Held {
        session: holder.session,
        owner: Owner::Group(group),
        roles: holder.roles,
        group: Some(group),
        chosen: holder.account,
        kind: HeldKind::Browser,
    })
}
