//! `fees set`: the fee rates of one account, or one schedule for all (VOL-007).

use super::rates::{self, Rate};
use crate::command::{Argument, Command, Effect, Form};
use crate::operator::Operator;
use buttonwood_engine::{FeeChange, FeeSchedule, TradingCommand};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_model::{AccountId, Product};
use buttonwood_wire::contract::{Done, Flag, InPayload, Label, Text};
use buttonwood_wire::{answer, json, request};

/// Also `POST /sandbox/fees`.
pub const COMMAND: Command =
    Command::once("fees set", Effect::SetsTerms, |operator, fields| Box::pin(run(operator, fields)))
        .about("Sets the fee rates of one account, or one schedule for all accounts.")
        .takes::<SetRates>(&[
            Argument::new("maker_bps", Form::Option),
            Argument::new("taker_bps", Form::Option),
            Argument::new("auction_bps", Form::Option),
            Argument::new("group", Form::Option),
            Argument::new("account", Form::Option),
        ])
        .gives::<RatesSet>();

request! {
    /// Fee rates.
    struct SetRates in InPayload {
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

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = SetRates::of(fields);
    let (group, name) = (request.group()?, request.account()?);
    let account = match (&group, &name) {
        (Some(group), Some(name)) => Some(operator.find_account(group, name)?),
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
    rates::set(operator, TradingCommand::SetFees(change)).await?;
    let now = schedule.unwrap_or_else(|| in_force(operator, account));
    let [group, account] = [group, name].map(|name| name.map(|name| Label(name.into())));
    Ok(json::body(&RatesSet {
        result: Done,
        group,
        account,
        maker_bps: now.maker.0.into(),
        taker_bps: now.taker.0.into(),
        auction_bps: now.auction.0.into(),
    }))
}

/// The rates that an account has, or all have.
fn in_force(operator: &Operator<'_>, account: Option<AccountId>) -> FeeSchedule {
    let views = operator.exchange.views();
    let floor = views.state().floor();
    match account {
        Some(account) => floor.rates(Product::Spot, None, account).1,
        None => floor.fees.of_product(Product::Spot),
    }
}
