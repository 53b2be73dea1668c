//! `fees promote`: the symbols under a fee promotion (MKT-036, VOL-006).

use super::rates::{self, Rate};
use crate::command::{Argument, Command, Effect, Form};
use crate::operator::Operator;
use buttonwood_engine::{Promotion, TradingCommand};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_model::SymbolId;
use buttonwood_wire::contract::{Done, InPayload, Needed, Texts};
use buttonwood_wire::field::unknown_symbol;
use buttonwood_wire::{answer, json, request};
use std::sync::Arc;

/// Also `POST /sandbox/promotions`.
pub const COMMAND: Command =
    Command::once("fees promote", Effect::SetsTerms, |operator, fields| Box::pin(run(operator, fields)))
        .about("Sets which symbols are under a fee promotion, and its rates; none ends it.")
        .takes::<SetPromotion>(&[
            Argument::new("symbols", Form::Places),
            Argument::new("maker_bps", Form::Option),
            Argument::new("taker_bps", Form::Option),
            Argument::new("auction_bps", Form::Option),
        ])
        .gives::<PromotionSet>();

request! {
    /// A fee promotion.
    struct SetPromotion in InPayload {
        /// The symbols under promotion, instead of those before; an empty array ends the promotion.
        symbols: Needed<Texts>,
        /// The most that a maker pays, in basis points; 0 without it.
        maker_bps: Rate,
        /// The most that a taker pays, in basis points; 0 without it.
        taker_bps: Rate,
        /// The most that an order pays in auctions, in basis points; what a maker pays without it.
        auction_bps: Rate,
    }
}

answer! {
    /// The promotion from now on.
    struct PromotionSet {
        /// Always `ok`.
        result: Done,
        /// The symbols under promotion, in upper case.
        symbols: Vec<String>,
        /// The most that a maker pays, in basis points.
        maker_bps: u64,
        /// The most that a taker pays, in basis points.
        taker_bps: u64,
        /// The most that an order pays in auctions, in basis points.
        auction_bps: u64,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = SetPromotion::of(fields);
    let names = request.symbols()?;
    let symbol =
        |name: &str| operator.find_symbol(name).map(|(id, _)| id).ok_or_else(|| unknown_symbol(name));
    let mut symbols: Vec<SymbolId> = names.iter().map(|name| symbol(name)).collect::<Result<_, _>>()?;
    symbols.sort_unstable();
    symbols.dedup();
    let (maker, taker) = (request.maker_bps()?.unwrap_or(0), request.taker_bps()?.unwrap_or(0));
    let rates = rates::schedule(maker, taker, request.auction_bps()?)?;
    let answer = PromotionSet {
        result: Done,
        symbols: symbols.iter().map(|id| operator.names.symbol(*id).name.to_ascii_uppercase()).collect(),
        maker_bps: rates.maker.0.into(),
        taker_bps: rates.taker.0.into(),
        auction_bps: rates.auction.0.into(),
    };
    rates::set(operator, TradingCommand::SetPromotion(Arc::new(Promotion { symbols, rates }))).await?;
    Ok(json::body(&answer))
}
