//! `POST /v1/notionalvolume`: what the account traded in 30 days, in dollars, and its fee rates (VOL-001 to VOL-007).

use buttonwood_call::{App, Call, Route};
use buttonwood_engine::WINDOW_DAYS;
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::{Day, Product, Role, Scope};
use buttonwood_num::{MONEY_DECIMALS, Money};
use buttonwood_wire::contract::{DecimalText, InPayload, Text};
use buttonwood_wire::time::iso_date;
use buttonwood_wire::{answer, field, json, request};
use std::collections::BTreeMap;

/// Trader or Auditor.
pub(crate) const ROUTE: Route = Route::reading("/v1/notionalvolume", answer)
    .roles(&[Role::Trader, Role::Auditor])
    .scopes(&[Scope::HistoryRead])
    .about("Shows what the account traded in 30 days, as of the last midnight, and its fee rates.")
    .takes::<OfSymbol>()
    .gives::<NotionalVolume>();

request! {
    /// Whose fee rates.
    pub(crate) struct OfSymbol in InPayload {
        /// The rates for this symbol, which a promotion may lower.
        symbol: Text,
    }
}

answer! {
    /// The volume of an account in 30 days, and its fee rates.
    struct NotionalVolume {
        /// The UTC day that began with the computation, `yyyy-MM-dd`.
        date: String,
        /// When the volume was computed, in milliseconds: a midnight of UTC.
        last_updated_ms: u64,
        /// The rate of a maker on the web, in basis points.
        web_maker_fee_bps: u64,
        /// The rate of a taker on the web, in basis points.
        web_taker_fee_bps: u64,
        /// The rate in auctions on the web, in basis points.
        web_auction_fee_bps: u64,
        /// The rate of a maker through this interface, in basis points.
        api_maker_fee_bps: u64,
        /// The rate of a taker through this interface, in basis points.
        api_taker_fee_bps: u64,
        /// The rate in auctions through this interface, in basis points.
        api_auction_fee_bps: u64,
        /// The rate of a maker through FIX, in basis points.
        fix_maker_fee_bps: u64,
        /// The rate of a taker through FIX, in basis points.
        fix_taker_fee_bps: u64,
        /// The rate in auctions through FIX, in basis points.
        fix_auction_fee_bps: u64,
        /// Maker and taker volume of the 30 days before the computation, in dollars.
        notional_30d_volume: DecimalText,
        /// The same for each of these days, the oldest first, also those without trades.
        notional_1d_volume: Vec<DayVolume>,
    }
}

answer! {
    /// The volume of an account on one day.
    struct DayVolume {
        /// The UTC day, `yyyy-MM-dd`.
        date: String,
        /// Maker and taker volume, in dollars.
        notional_volume: DecimalText,
    }
}

fn dollars(amount: Money) -> DecimalText {
    DecimalText::of(|out| amount.push_floored(out, MONEY_DECIMALS))
}

fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let symbol = match OfSymbol::of(call.payload()).symbol()? {
        Some(name) => Some(app.find_symbol(&name).ok_or_else(|| field::unknown_symbol(&name))?),
        None => None,
    };
    let (account, now) = (call.account(), app.now());
    let views = app.exchange.views();
    let (floor, volumes) = (views.state().floor(), views.state().volumes());
    let rates = floor.rates(Product::Spot, symbol.map(|(id, _)| id), account).1;
    let day = volumes.as_of(now);
    let days: BTreeMap<Day, Money> = volumes.days(account, now).collect();
    drop(views);
    let total = days.values().fold(Money::ZERO, |sum, traded| sum.capped_add(*traded));
    let [maker, taker, auction] = [rates.maker, rates.taker, rates.auction].map(|rate| u64::from(rate.0));
    let of_day = |day: Day| DayVolume {
        date: iso_date(day),
        notional_volume: dollars(days.get(&day).copied().unwrap_or_default()),
    };
    Ok(Reply::json(json::body(&NotionalVolume {
        date: iso_date(day),
        last_updated_ms: day.start().millis(),
        web_maker_fee_bps: maker,
        web_taker_fee_bps: taker,
        web_auction_fee_bps: auction,
        api_maker_fee_bps: maker,
        api_taker_fee_bps: taker,
        api_auction_fee_bps: auction,
        fix_maker_fee_bps: maker,
        fix_taker_fee_bps: taker,
        fix_auction_fee_bps: auction,
        notional_30d_volume: dollars(total),
        notional_1d_volume: (1..=WINDOW_DAYS).rev().map(|back| of_day(day.minus(back))).collect(),
    })))
}
