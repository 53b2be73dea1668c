//! `POST /sandbox/accounts/fee-override`: lets an account withdraw for nothing, as an operator would (facts F§6).

use super::control::ControlCall;
use crate::route::Route;
use buttonwood_gate::{Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_operate::{OverrideSet, override_fee};
use buttonwood_wire::contract::{InPayload, Needed, Switch, Text};
use buttonwood_wire::request;

/// This machine only.
pub(crate) const ROUTE: Route =
    Route::control("/sandbox/accounts/fee-override", |call, _, fields| Box::pin(answer(call, fields)))
        .about("Sets whether every withdrawal of an account is free.")
        .takes::<Override>()
        .gives::<OverrideSet>();

request! {
    /// Whose withdrawals are free.
    struct Override in InPayload {
        /// The name of the account's group.
        group: Needed<Text>,
        /// The short name of the account.
        account: Needed<Text>,
        /// Whether they are.
        on: Needed<Switch>,
    }
}

async fn answer(call: &ControlCall<'_>, fields: &Payload) -> Result<Reply, Refusal> {
    let request = Override::of(fields);
    let (group, name, on) = (request.group()?, request.account()?, request.on()?);
    override_fee(call.operator(), &group, &name, on).await.map(Reply::json)
}
