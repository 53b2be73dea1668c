//! `POST /v1/addresses/{network}`: the account's deposit addresses (ADDR-001 to ADDR-003, ADDR-007).

use buttonwood_call::{App, Call, Route};
use buttonwood_engine::funds::DepositAddress;
use buttonwood_gate::{AccountLimit, Refusal};
use buttonwood_http::Reply;
use buttonwood_model::{Role, Scope};
use buttonwood_wire::contract::{InPayload, Label, Timestamp};
use buttonwood_wire::{answer, json, request};

/// Trader, Fund Manager or Auditor; the account's limit of calls about addresses (LIM-009).
pub(crate) const ROUTE: Route = Route::reading("/v1/addresses/{network}", answer)
    .roles(&[Role::Trader, Role::FundManager, Role::Auditor])
    .scopes(&[Scope::AddressesRead, Scope::AddressesCreate])
    .limited(AccountLimit::Addresses)
    .about("Lists the account's deposit addresses on a network, the oldest first.")
    .takes::<Listed>()
    .gives::<Vec<Address>>();

request! {
    /// Which addresses.
    struct Listed in InPayload {
        /// Only addresses that were made at this time or after it.
        timestamp: Timestamp,
    }
}

answer! {
    /// A deposit address.
    pub(super) struct Address {
        /// The network.
        network: String,
        /// The address.
        text as "address": String,
        /// When it was made, in milliseconds.
        timestamp: u64,
        /// The name that its maker gave it.
        label: Option<Label>,
        /// The memo that every deposit must carry, on a network where accounts share an address.
        memo: Option<String>,
    }
}

impl Address {
    /// The address of an account on this network.
    pub(super) fn of(network: &str, address: &DepositAddress) -> Self {
        let given = |text: &String| (!text.is_empty()).then(|| text.clone());
        Self {
            network: network.to_owned(),
            text: address.text.clone(),
            timestamp: address.time.millis(),
            label: given(&address.label).map(Label),
            memo: given(&address.memo),
        }
    }
}

fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let network = app.address_network("The path", call.parameter())?;
    let from = Listed::of(call.payload()).timestamp()?.unwrap_or_default();
    let rows: Vec<Address> = {
        let views = app.exchange.views();
        let funds = views.state().funds();
        let listed = funds.addresses().of(call.account(), network.id);
        let listed = listed.filter(|address| address.time.millis() >= from);
        listed.map(|address| Address::of(network.format.name(), address)).collect()
    };
    Ok(Reply::json(json::body(&rows)))
}
