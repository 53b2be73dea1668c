//! `POST /sandbox/groups`: sets the terms of a group, as an operator would (ACCT-007).

use super::control::ControlCall;
use crate::route::Route;
use buttonwood_engine::GroupTerms;
use buttonwood_gate::{Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_operate::set_group_terms;
use buttonwood_wire::contract::{Done, InPayload, Needed, Switch, Text, WholeUpTo};
use buttonwood_wire::{answer, json, request};

/// This machine only.
pub(crate) const ROUTE: Route =
    Route::control("/sandbox/groups", |call, _, fields| Box::pin(answer(call, fields)))
        .about("Sets the terms of a group.")
        .takes::<SetTerms>()
        .gives::<TermsSet>();

request! {
    /// The terms of a group.
    struct SetTerms in InPayload {
        /// The name of the group.
        group: Needed<Text>,
        /// How many accounts it may have before its administrators can create no more.
        accounts_max: Needed<WholeUpTo<4_294_967_295>>,
        /// Whether it has agreed to the terms of custody accounts.
        custody_terms: Needed<Switch>,
    }
}

answer! {
    /// The terms were set.
    struct TermsSet {
        /// Always `ok`.
        result: Done,
    }
}

async fn answer(call: &ControlCall<'_>, fields: &Payload) -> Result<Reply, Refusal> {
    let request = SetTerms::of(fields);
    let name = request.group()?;
    let accounts_max = u32::try_from(request.accounts_max()?).unwrap_or(u32::MAX);
    let terms = GroupTerms { accounts_max, custody: request.custody_terms()? };
    set_group_terms(call.operator(), "group", &name, terms).await?;
    Ok(Reply::json(json::body(&TermsSet { result: Done })))
}
