//! The trades of the day before a sandbox was made, so that it has candles when it is ready.
//!
//! They are made by the same accounts at the same latent prices as those after them, but fewer, and no quotes rest in between: for each
//! trade one account places an order, and the other one takes it.

use super::Traders;
use super::stance::Stance;
use crate::market::flow::ONE;
use crate::market::noise::{below, mix};
use buttonwood_engine::{Command, State};
use buttonwood_model::{ExecutionOption, Product, SymbolId, Time};

/// Seconds of a day.
const DAY: u64 = 86_400;
const MINUTE: u64 = 60;
/// Symbols with so many trades an hour have two in each minute of the past.
const BUSY: u64 = 300;
/// Symbols with so many have one every quarter of an hour, others one an hour.
const LIVELY: u64 = 30;
/// Past trades of a symbol stand for this many of today's each, so they are larger.
const LARGER: i128 = 3;
/// The number that parts the times of past trades from other draws.
const PAST: u64 = 0x7061_7374;

impl Traders {
    /// Their acts in the 24 hours before `until`, had they been there: commands with their times, in order. `state` has their keys and
    /// their money.
    pub fn past(&self, state: &State, until: Time) -> Vec<(Time, Command)> {
        let Some(mut stance) = Stance::of(state, Product::Spot) else { return Vec::new() };
        let mut commands = Vec::new();
        let first = until.seconds().saturating_sub(DAY).next_multiple_of(MINUTE);
        for start in (first..until.seconds()).step_by(usize::try_from(MINUTE).unwrap_or(1)) {
            // Two moments in a minute: prices are looked up once for all symbols.
            for (number, half) in (0..).zip([12, 42]) {
                let second = start + half + below(mix(self.seed, &[PAST, start, half]), 12);
                let time = Time(second * Time::SECOND);
                if time < until {
                    self.trade_past(state, (time, start / MINUTE, number), &mut stance, &mut commands);
                }
            }
        }
        commands
    }

    /// The trades of a moment: its time, its minute, and whether it is the first or the second of that minute.
    fn trade_past(
        &self,
        state: &State,
        (time, minute, number): (Time, u64, u64),
        stance: &mut Stance,
        out: &mut Vec<(Time, Command)>,
    ) {
        let prices = self.latent.at(time, state.indices());
        let listed = (0..).map(SymbolId).zip(state.symbols());
        for (id, symbol) in listed.filter(|(_, symbol)| symbol.product == Product::Spot) {
            let due = self.flow(symbol).is_some_and(|flow| is_due(flow.symbol, flow.hourly, minute, number));
            let Some(view) = due.then(|| self.view(state, &prices, id, symbol)).flatten() else { continue };
            let side = view.flow.side(time.seconds(), number);
            let part = i128::from(view.flow.size(time.seconds(), number));
            let qty = view.ladder.part(part * LARGER, i128::from(ONE));
            if let (Some(price), Some(qty)) = (view.ladder.price(side.opposite(), 0), qty) {
                let immediate = Some(ExecutionOption::ImmediateOrCancel);
                let made = stance.quoter.send(view.limit(side.opposite(), price, qty, None));
                let taken = stance.taker.send(view.limit(side, price, qty, immediate));
                out.extend([(time, made), (time, taken)]);
            }
        }
    }
}

/// Whether a symbol has a trade at a moment.
fn is_due(symbol: u64, hourly: u64, minute: u64, number: u64) -> bool {
    let step = match hourly {
        BUSY.. => return true,
        LIVELY.. => 15,
        _ => 60,
    };
    number == 0 && (minute + below(symbol, step)).is_multiple_of(step)
}
