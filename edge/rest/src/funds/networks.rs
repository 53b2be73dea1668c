//! `GET /v2/networks/{network}/assets` and `GET /v1/network/{token}`, `GET /v2/network/{token}`: what moves where (FX-010 to FX-018).
//!
//! Every account has access to every listed asset, so that the answers are the same for all.

use buttonwood_call::{App, Auth, Call, Route};
use buttonwood_gate::{Reason, Refusal, quoted};
use buttonwood_http::Reply;
use buttonwood_model::Role;
use buttonwood_wire::contract::Label;
use buttonwood_wire::{answer, json};
use http::StatusCode;

/// Fund Manager or Auditor.
const ROLES: &[Role] = &[Role::FundManager, Role::Auditor];

/// Fund Manager or Auditor.
pub(crate) const ASSETS: Route = Route::signed_get("/v2/networks/{network}/assets", assets)
    .by(Auth::Session)
    .roles(ROLES)
    .about("Lists the assets that can be deposited and withdrawn on a network.")
    .gives::<NetworkAssets>()
    .wraps::<NoAssets>(400);

/// Fund Manager or Auditor.
pub(crate) const V1: Route = of_token("/v1/network/{token}");
/// The same.
pub(crate) const V2: Route = of_token("/v2/network/{token}");

const fn of_token(path: &'static str) -> Route {
    Route::signed_get(path, networks)
        .by(Auth::Session)
        .roles(ROLES)
        .about("Lists the networks on which an asset can be deposited and withdrawn.")
        .gives::<TokenNetworks>()
        .refuses(&[404])
}

answer! {
    /// The assets on a network.
    struct NetworkAssets {
        /// The name of the network.
        network: String,
        /// The codes of the assets, alphabetically; at least one.
        assets: Vec<String>,
    }
}

answer! {
    /// The network is not supported.
    struct NoAssets {
        /// Why, for people.
        message as "errorMessage": Label,
    }
}

answer! {
    /// The networks of an asset.
    struct TokenNetworks {
        /// The code of the asset, in upper case.
        token: String,
        /// The names of the networks; at least one.
        networks as "network": Vec<String>,
    }
}

fn assets(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let name = call.parameter();
    let mut assets: Vec<String> = {
        let views = app.exchange.views();
        let state = views.state();
        let listed = state.funds().networks().assets_on(name);
        listed
            .filter_map(|asset| state.currency(asset.currency))
            .map(|currency| currency.code.clone())
            .collect()
    };
    if assets.is_empty() {
        let message = Label(format!("'{}' is not a supported network", quoted(name)));
        return Ok(Reply::json(json::body(&NoAssets { message })).with_status(StatusCode::BAD_REQUEST));
    }
    assets.sort_unstable();
    Ok(Reply::json(json::body(&NetworkAssets { network: name.to_owned(), assets })))
}

fn networks(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let token = call.parameter().to_ascii_uppercase();
    let networks: Vec<String> = app.currency_id(&token).map_or(Vec::new(), |currency| {
        let views = app.exchange.views();
        let listed = views.state().funds().networks().assets_of(currency);
        listed.map(|asset| asset.network.clone()).collect()
    });
    if networks.is_empty() {
        let message = format!("UnsupportedNetwork: {}", quoted(&token));
        return Err(Refusal::new(Reason::UnsupportedNetwork, message));
    }
    Ok(Reply::json(json::body(&TokenNetworks { token, networks })))
}
