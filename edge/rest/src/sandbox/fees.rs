//! `POST /sandbox/fees`: the fee rates of one account, or one schedule for all (VOL-007).

use super::control::find_account;
use super::rates::{self, Rate};
use crate::app::App;
use crate::route::Route;
use buttonwood_engine::{FeeChange, TradingCommand};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_model::{AccountId, Product};
use buttonwood_wire::contract::{Done, Flag, InPayload, Label, Text};
use buttonwood_wire::{answer, json, request};

/// This machine only.
pub(crate) const ROUTE: Route =
    Route::control("/sandbox/fees", |app, _, fields| Box::pin(answer(app, fields)))
        .about("Sets the fee rates of one account, or one schedule for all accounts.")
        .takes::<SetRates>()
        .gives::<RatesSet>();

request! {
    /// Fee rates.
    pub(crate) struct SetRates in InPayload {
        /// The group of the account; without group and account the rates are for all accounts without rates of their own.
        group: Text,
        /// The short name of the account.
        account: Text,
        /// Whether these rates apply; false returns the account to the rates of all, or all to those of the start.
        enabled: Flag<true>,
        /// The rate of a maker, in basis points; needed unless `enabled` is false.
        maker_bps: Rate,
        /// The rate of a taker, in basis points; needed unless `enabled` is false.
        taker_bps: Rate,
        /// The rate in auctions, in basis points; that of a maker without it.
        auction_bps: Rate,
    }
}

answer! {
    /// The rates of orders that are placed from now on.
    struct RatesSet {
        /// Always `ok`.
        result: Done,
        /// The group of the account, if the call names one.
        group: Option<Label>,
        /// The short name of the account, if the call names one.
        account: Option<Label>,
        /// The rate of a maker, in basis points.
        maker_bps: u64,
        /// The rate of a taker, in basis points.
        taker_bps: u64,
        /// The rate in auctions, in basis points.
        auction_bps: u64,
    }
}

async fn answer(app: &App, fields: &Payload) -> Result<Reply, Refusal> {
    let request = SetRates::of(fields);
    let (group, name) = (request.group()?, request.account()?);
    let account = match (&group, &name) {
        (Some(group), Some(name)) => Some(find_account(app, group, name)?),
        (None, None) => None,
        (None, Some(_)) => return Err(Refusal::missing_key("group")),
        (Some(_), None) => return Err(Refusal::missing_key("account")),
    };
    let [maker, taker] = [("maker_bps", request.maker_bps()?), ("taker_bps", request.taker_bps()?)];
    let auction = request.auction_bps()?;
    let needed = |(field, rate): (&str, Option<u64>)| rate.ok_or_else(|| Refusal::missing_key(field));
    let schedule = if request.enabled()? {
        Some(rates::schedule(needed(maker)?, needed(taker)?, auction)?)
    } else {
        None
    };
    let change = FeeChange { product: Product::Spot, account, schedule };
    rates::set(app, TradingCommand::SetFees(change)).await?;
    Ok(reply(app, account, group.zip(name).map(|(group, name)| [group.into(), name.into()])))
}

fn reply(app: &App, account: Option<AccountId>, names: Option<[String; 2]>) -> Reply {
    let views = app.exchange.views();
    let floor = views.state().floor();
    let rates = match account {
        Some(account) => floor.rates(Product::Spot, None, account).1,
        None => floor.fees.of_product(Product::Spot),
    };
    let (group, name) =
        names.map(|names| names.map(Label)).map_or((None, None), |[group, name]| (Some(group), Some(name)));
    Reply::json(json::body(&RatesSet {
        result: Done,
        group,
        account: name,
        maker_bps: rates.maker.0.into(),
        taker_bps: rates.taker.0.into(),
        auction_bps: rates.auction.0.into(),
    }))
}
