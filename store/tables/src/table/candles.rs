//! `candles`: prices and volume of every interval with a trade, of all time frames, since the first trade.
//!
//! `minutes` is the length of the interval, `time` its start in milliseconds. An interval without a trade has no row: its
//! prices are the close before it (MKT-031). Contracts have no candles.

use super::{Row, Table};
use crate::Fault;
use crate::decimal::{multiple, text};
use buttonwood_model::{Symbol, SymbolId, Time};
use buttonwood_num::{Price, Qty};
use buttonwood_views::{Candle, FRAMES};
use rusqlite::{Connection, OptionalExtension};
use std::collections::BTreeMap;

const NAME: &str = "candles";

/// The candles of the rows since the last write, by symbol, minutes and start.
#[derive(Default)]
pub(super) struct Candles {
    waiting: BTreeMap<(SymbolId, u64, Time), Candle>,
}

impl Table for Candles {
    fn name(&self) -> &'static str {
        NAME
    }

    fn schema(&self) -> &'static str {
        "CREATE TABLE candles (symbol TEXT NOT NULL, minutes INTEGER NOT NULL, time INTEGER NOT NULL, open TEXT NOT NULL,
            high TEXT NOT NULL, low TEXT NOT NULL, close TEXT NOT NULL, volume TEXT NOT NULL,
            PRIMARY KEY (symbol, minutes, time)) STRICT, WITHOUT ROWID"
    }

    fn fold(&mut self, _symbols: &[Symbol], row: &Row) {
        let Row::Public(trade) = row else { return };
        if trade.symbol.is_contract() {
            return;
        }
        for frame in FRAMES {
            let start = frame.start_of(trade.time);
            let first = Candle::of_trade(start, trade.price, trade.qty);
            let key = (trade.symbol, frame.minutes, start);
            self.waiting.entry(key).and_modify(|candle| candle.add(trade.price, trade.qty)).or_insert(first);
        }
    }

    fn waiting(&self) -> usize {
        self.waiting.len()
    }

    fn write(&mut self, symbols: &[Symbol], database: &Connection) -> Result<(), Fault> {
        let mut read = database.prepare(
            "SELECT open, high, low, volume FROM candles WHERE symbol = ? AND minutes = ? AND time = ?",
        )?;
        let mut put = database.prepare("INSERT OR REPLACE INTO candles VALUES (?, ?, ?, ?, ?, ?, ?, ?)")?;
        for ((symbol, minutes, start), candle) in &self.waiting {
            let symbol = symbols.get(symbol.index()).ok_or(Fault::Row { table: NAME })?;
            let (minutes, time) = (minutes.cast_signed(), start.millis().cast_signed());
            let texts = |row: &rusqlite::Row<'_>| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]);
            let held: Option<[String; 4]> =
                read.query_row((&symbol.name, minutes, time), texts).optional()?;
            let candle = match held {
                Some(held) => merged(symbol, &held, candle).ok_or(Fault::Row { table: NAME })?,
                None => *candle,
            };
            let price = |price| text(|out| symbol.grid.push_price(out, price));
            let [open, high, low, close] = [candle.open, candle.high, candle.low, candle.close].map(price);
            let volume = text(|out| symbol.grid.push_qty(out, candle.volume));
            put.execute((&symbol.name, minutes, time, open, high, low, close, volume))?;
        }
        self.waiting.clear();
        Ok(())
    }

    fn forget(&mut self) {
        self.waiting.clear();
    }
}

/// The candle of the earlier trades that a row holds, and of later ones.
fn merged(symbol: &Symbol, held: &[String; 4], later: &Candle) -> Option<Candle> {
    let tick = text(|out| symbol.grid.push_price(out, Price::from_ticks(1)));
    let price = |text: &str| Some(Price::from_ticks(u64::try_from(multiple(text, &tick)?).ok()?));
    let [open, high, low, volume] = held;
    let least = text(|out| symbol.grid.push_qty(out, Qty::from_hundredths(1)));
    Some(Candle {
        open: price(open)?,
        high: price(high)?.max(later.high),
        low: price(low)?.min(later.low),
        volume: Qty::from_hundredths(multiple(volume, &least)?) + later.volume,
        ..*later
    })
}
