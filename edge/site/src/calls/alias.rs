//! The chosen account's own name for a counterparty: `/site/alias` (D-93).

use super::caller::Caller;
use super::fields;
use super::interface::{chosen, held};
use buttonwood_call::Later;
use buttonwood_engine::clearing::Alias;
use buttonwood_engine::{ClearingCommand, Command, Reject};
use buttonwood_face_clearing::{alias_refusal, find_counterparty, unknown_counterparty};
use buttonwood_gate::{Payload, Refusal, missing_role};
use buttonwood_model::{AccountId, Role, Roles};
use buttonwood_wire::contract::{InPayload, Needed, Text};
use buttonwood_wire::field::{busy, failed, no_space};
use buttonwood_wire::request;
use std::sync::Arc;

request! {
    /// A name for a counterparty.
    struct Named in InPayload {
        /// The counterparty id that the name stands for.
        counterparty_id: Needed<Text>,
        /// The name, 1 to 50 characters; the counterparty's earlier name is gone.
        alias: Needed<Text>,
    }
}

/// As the endpoints of clearing, it takes a trader.
pub(super) fn set<'a>(caller: &'a Caller<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move {
        let (held, needed) = (held(caller)?, Roles::of(&[Role::Trader]));
        if !held.roles.allows(needed) {
            return Err(missing_role("your user", held.roles, needed));
        }
        let account = chosen(&held)?;
        let read = Named::of(&fields);
        let (id, name) = (read.counterparty_id()?, read.alias()?);
        let counterparty = find_counterparty(caller.app, &id).ok_or_else(|| unknown_counterparty(&id))?;
        let alias = Alias { account, counterparty, name: name.clone().into_owned() };
        let command = Command { caller: None, body: ClearingCommand::SetAlias(Arc::new(alias)).into() };
        let pending = caller.app.exchange.submit(command).map_err(|_| busy("The exchange is busy"))?;
        let receipt = pending.await.map_err(|_| busy("The exchange is stopping"))?;
        receipt.done().map_err(|reject| {
            if reject == Reject::NoRoom {
                return no_space();
            }
            refusal(caller, account, (&id, &name), reject)
        })?;
        Ok(fields::done())
    })
}

fn refusal(caller: &Caller<'_>, account: AccountId, named: (&str, &str), reject: Reject) -> Refusal {
    let short = {
        let views = caller.app.exchange.views();
        views.state().access().account(account).map_or_else(String::new, |account| account.short_name.clone())
    };
    alias_refusal(caller.app, (account, &short), named, reject).unwrap_or_else(failed)
}
