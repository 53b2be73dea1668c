//! Simulated traders: an account that quotes and one that takes on every spot symbol and contract, and two like them on perpetuals.
//!
//! Their acts are a function of the seed, the time and the state of the exchange, and they remember nothing: in every beat the account
//! that quotes brings its quotes to where the latent prices want them, and the other one trades. Their commands are those of any client,
//! with keys and nonces of their own, and the exchange decides them by the same rules; they come without HTTP, so that a beat is one batch
//! of the journal.
//!
//! Clauses: `SBX-004`; decisions D-33, D-35. Not here: when beats are ([`crate::beats`]).

mod contracts;
mod keys;
mod past;
mod stance;

pub(crate) use keys::derivatives;
pub use keys::{Simulated, simulated, spot_traders};

use crate::market::asset::{Asset, asset};
use crate::market::flow::{Flow, ONE};
use crate::market::ladder::Ladder;
use crate::market::latent::{Latent, Prices};
use crate::market::noise::{below, mix, of_text};
use crate::market::quotes::{Quote, Quotes, SIDES, changes};
use crate::market::schedule::BEAT;
use buttonwood_engine::{Command, OrderRef, Place, State, TradingCommand};
use buttonwood_model::{
    Claim, ExecutionOption, OrderKind, Product, Side, Symbol, SymbolId, SymbolStatus, Time,
};
use buttonwood_num::{Money, Price, Qty, Round};
use stance::{Hand, Stance};
use std::collections::BTreeMap;

/// How far from the fair price a trade may be, in hundredths of the spread.
const REACH: i128 = 250;
/// A position of this many best levels is reduced.
const POSITION: i128 = 20;
/// Levels on each side of a perpetual's book at most: its quotes stay near the index.
const SWAP_LEVELS: usize = 8;
/// Books against another currency than the dollar have this part of the trades.
const CROSS: u64 = 4;

/// The simulated traders.
#[derive(Debug)]
pub struct Traders {
    seed: u64,
    latent: Latent,
}

/// The act of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// Quotes, and gives each symbol a first trade.
    Opening,
    /// A beat: quotes and trades.
    Beat,
}

impl Traders {
    /// The traders of a seed. `starts` has the start price of each currency in dollars, by currency, where it has any.
    pub fn new(seed: u64, state: &State, starts: &[Option<Money>]) -> Self {
        let starts = starts.iter().copied().chain(std::iter::repeat(None));
        let currencies = state.currencies().iter().map(|currency| currency.code.as_str()).zip(starts);
        Self { seed, latent: Latent::new(seed, currencies) }
    }

    /// Their commands when the exchange has started, so that its books are filled when it is ready.
    pub fn open(&self, state: &State, now: Time) -> Vec<Command> {
        self.turn(state, now, Turn::Opening)
    }

    /// Their commands in a beat.
    pub fn act(&self, state: &State, beat: Time) -> Vec<Command> {
        self.turn(state, beat, Turn::Beat)
    }

    fn turn(&self, state: &State, now: Time, turn: Turn) -> Vec<Command> {
        let mut commands = Vec::new();
        if state.operations().is_halted() {
            return commands;
        }
        let prices = self.latent.at(now, state.indices());
        for product in [Product::Spot, Product::Swap] {
            let Some(mut stance) = Stance::of(state, product) else { continue };
            let mut quotes = quotes_of(state, &stance);
            let listed = (0..).map(SymbolId).zip(state.symbols());
            let open =
                listed.filter(|(_, symbol)| symbol.product == product && symbol.status == SymbolStatus::Open);
            for (id, symbol) in open {
                let Some(view) = self.view(state, &prices, id, symbol) else { continue };
                let quotes = quotes.remove(&id).unwrap_or_default();
                self.quote(&view, &quotes, now, &mut stance.quoter, &mut commands);
                view.trade(state, turn, now, &mut stance.taker, &mut commands);
            }
            if product == Product::Spot {
                self.trade_contracts(state, now, &mut stance, &mut quotes, &mut commands);
            }
        }
        commands
    }

    /// The kinds of a symbol's currencies; none if one of them has no price. The base of a perpetual need not have one.
    fn kinds(&self, symbol: &Symbol) -> Option<[Asset; 2]> {
        let base = self.latent.kind(symbol.base);
        let base = if symbol.product == Product::Swap { base.or(Some(asset(""))) } else { base };
        Some([base?, self.latent.kind(symbol.quote)?])
    }

    /// The trades of a symbol.
    fn flow(&self, symbol: &Symbol) -> Option<Flow> {
        let [base, quote] = self.kinds(symbol)?;
        let is_main = quote.spread == 0 || symbol.product == Product::Swap;
        let hourly = if is_main { base.trades } else { base.trades / CROSS };
        Some(Flow { seed: self.seed, symbol: of_text(&symbol.name), hourly })
    }

    /// A symbol as they see it; none without a price.
    fn view<'a>(
        &self,
        state: &State,
        prices: &Prices<'_>,
        id: SymbolId,
        symbol: &'a Symbol,
    ) -> Option<View<'a>> {
        let [base, quote] = self.kinds(symbol)?;
        let (fair, dollars, levels) = match symbol.product {
            Product::Swap => {
                let contract = state.perps().contract(id).filter(|contract| contract.is_fresh)?;
                (contract.index, contract.index, base.levels.min(SWAP_LEVELS))
            }
            Product::Contract => return None,
            Product::Spot => {
                let dollars = prices.of(symbol.base)?;
                (dollars.over(prices.of(symbol.quote)?, Round::HalfEven)?, dollars, base.levels)
            }
        };
        let ladder = Ladder::new(symbol, (fair, dollars), base.spread + quote.spread, levels, base.depth)?;
        Some(View { id, symbol, ladder, flow: self.flow(symbol)? })
    }

    /// Brings the quotes of a symbol to where they belong.
    fn quote(&self, view: &View<'_>, quotes: &Quotes, now: Time, hand: &mut Hand, out: &mut Vec<Command>) {
        let changes = changes(&view.ladder, quotes);
        for id in changes.cancels {
            out.push(hand.send(TradingCommand::Cancel(OrderRef::Id(id))));
        }
        for (side, level) in changes.places {
            let (number, buys) = (u64::try_from(level).unwrap_or_default(), u64::from(side == Side::Buy));
            let noise = mix(self.seed, &[view.flow.symbol, now.seconds(), number, buys]);
            let size = view.ladder.size(level, below(noise, ONE));
            if let (Some(price), Some(size)) = (view.ladder.price(side, level), size) {
                out.push(hand.send(view.limit(side, price, size, None)));
            }
        }
    }
}

/// A symbol as the traders see it at a moment.
#[derive(Debug)]
struct View<'a> {
    id: SymbolId,
    symbol: &'a Symbol,
    ladder: Ladder<'a>,
    flow: Flow,
}

impl View<'_> {
    /// Trades on the symbol. A position in a perpetual that is large is reduced.
    fn trade(&self, state: &State, turn: Turn, now: Time, taker: &mut Hand, out: &mut Vec<Command>) {
        if !self.ladder.may_trade() {
            return;
        }
        let (second, flow) = (now.seconds(), &self.flow);
        let count = if turn == Turn::Beat { flow.count(second, BEAT) } else { 0 };
        let count = count.max(u64::from(state.orders().last(self.id).is_none()));
        let reduces = (count > 0).then(|| self.reduces(state, taker)).flatten();
        for number in 0..count {
            let side = reduces.unwrap_or_else(|| flow.side(second, number));
            let qty = self.ladder.part(i128::from(flow.size(second, number)), i128::from(ONE));
            if let (Some(price), Some(qty)) = (self.ladder.price_at(side.opposite(), REACH), qty) {
                let option = Some(ExecutionOption::ImmediateOrCancel);
                out.push(taker.send(self.limit(side, price, qty, option)));
            }
        }
    }

    fn limit(&self, side: Side, price: Price, qty: Qty, option: Option<ExecutionOption>) -> TradingCommand {
        TradingCommand::Place(Place {
            symbol: self.id,
            side,
            claim: Claim::Yes,
            kind: OrderKind::Limit,
            option,
            price,
            qty,
            spend: Money::ZERO,
            client_id: None,
            stop: Price::default(),
            margin: false,
        })
    }

    /// The side that reduces the taker's position, if that is large.
    fn reduces(&self, state: &State, taker: &Hand) -> Option<Side> {
        if self.symbol.product != Product::Swap {
            return None;
        }
        let held = state.perps().row(taker.account(), self.id).position.quantity;
        let large = self.symbol.grid.base(self.ladder.part(POSITION, 1)?)?;
        let size = if held.is_negative() { -held } else { held };
        (size >= large).then_some(if held.is_negative() { Side::Buy } else { Side::Sell })
    }
}

/// The quotes of the account that quotes, by symbol.
fn quotes_of(state: &State, stance: &Stance) -> BTreeMap<SymbolId, Quotes> {
    let mut all: BTreeMap<SymbolId, Quotes> = BTreeMap::new();
    let orders = state.orders().in_any_order(stance.quoter.account());
    for (_, order) in orders.filter(|(_, order)| order.is_resting()) {
        let quotes = all.entry(order.symbol).or_default();
        if let Some((_, side)) = SIDES.iter().zip(quotes).find(|(side, _)| **side == order.side()) {
            side.push(Quote { id: order.id, price: order.price, left: order.remaining });
        }
    }
    for [bids, asks] in all.values_mut() {
        bids.sort_unstable_by_key(|quote| (std::cmp::Reverse(quote.price), quote.id));
        asks.sort_unstable_by_key(|quote| (quote.price, quote.id));
    }
    all
}
