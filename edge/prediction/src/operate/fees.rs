//! `predictions fees`: the rates of orders of contracts (D-109).

use buttonwood_engine::{FeeChange, FeeSchedule, TradingCommand};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_model::Product;
use buttonwood_num::Bps;
use buttonwood_operate::{
    Argument, Command, Effect, Form, Operator,
    rates::{self, Rate},
};
use buttonwood_wire::contract::{Done, InPayload, Needed};
use buttonwood_wire::{answer, json, request};

/// Also `POST /sandbox/predictions/fees`. Orders keep the rates of their placement.
pub(crate) const COMMAND: Command =
    Command::once("predictions fees", Effect::SetsTerms, |operator, fields| Box::pin(run(operator, fields)))
        .after("terms publish")
        .about("Sets the fee rates of contracts, of the smaller of the prices of yes and no.")
        .takes::<ContractFees>(&[
            Argument::new("maker_bps", Form::Option),
            Argument::new("taker_bps", Form::Option),
        ])
        .gives::<ContractFeesSet>();

request! {
    /// Fee rates of contracts.
    struct ContractFees in InPayload {
        /// The rate of a maker, in basis points.
        maker_bps: Needed<Rate>,
        /// The rate of a taker, in basis points.
        taker_bps: Needed<Rate>,
    }
}

answer! {
    /// The rates of orders of contracts that are placed from now on.
    struct ContractFeesSet {
        /// Always `ok`.
        result: Done,
        /// The rate of a maker, in basis points.
        maker_bps: u64,
        /// The rate of a taker, in basis points.
        taker_bps: u64,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = ContractFees::of(fields);
    let (maker_bps, taker_bps) = (request.maker_bps()?, request.taker_bps()?);
    let [maker, taker] = [maker_bps, taker_bps].map(|bps| Bps(u16::try_from(bps).unwrap_or(u16::MAX)));
    // Contracts have no auctions.
    let schedule = Some(FeeSchedule { maker, taker, auction: maker });
    let change = FeeChange { product: Product::Contract, account: None, schedule };
    rates::set(operator, TradingCommand::SetFees(change)).await?;
    Ok(json::body(&ContractFeesSet { result: Done, maker_bps, taker_bps }))
}
