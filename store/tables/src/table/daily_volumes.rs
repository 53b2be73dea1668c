//! `daily_volumes`: what an account traded in a symbol on a day of UTC, by the side and the role of its orders.
//!
//! `base` and `notional` are amounts in the base and the quote currency, `count` is the number of trades. Both orders of an
//! auction's trade count as makers: neither took from the book.

use super::{Row, Table};
use crate::Fault;
use crate::decimal::{multiple, text};
use buttonwood_model::{AccountId, Side, Symbol, SymbolId, Time};
use buttonwood_num::{MONEY_DECIMALS, Money, Qty};
use buttonwood_views::history::Part;
use rusqlite::{Connection, OptionalExtension, params_from_iter};
use std::collections::BTreeMap;

const NAME: &str = "daily_volumes";

/// Microseconds in a day.
const DAY: u64 = 24 * 3_600 * Time::SECOND;

/// The figures of one side and role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Figures {
    base: Qty,
    notional: Money,
    count: u64,
}

/// The figures of a day: buys and sells as maker, buys and sells as taker.
type Volume = [Figures; 4];

/// The volumes of the rows since the last write, by account, symbol and day.
#[derive(Default)]
pub(super) struct DailyVolumes {
    waiting: BTreeMap<(AccountId, SymbolId, u64), Volume>,
}

impl Table for DailyVolumes {
    fn name(&self) -> &'static str {
        NAME
    }

    fn schema(&self) -> &'static str {
        "CREATE TABLE daily_volumes (account INTEGER NOT NULL, symbol TEXT NOT NULL, day INTEGER NOT NULL,
            buy_maker_base TEXT NOT NULL, buy_maker_notional TEXT NOT NULL, buy_maker_count INTEGER NOT NULL,
            sell_maker_base TEXT NOT NULL, sell_maker_notional TEXT NOT NULL, sell_maker_count INTEGER NOT NULL,
            buy_taker_base TEXT NOT NULL, buy_taker_notional TEXT NOT NULL, buy_taker_count INTEGER NOT NULL,
            sell_taker_base TEXT NOT NULL, sell_taker_notional TEXT NOT NULL, sell_taker_count INTEGER NOT NULL,
            PRIMARY KEY (account, symbol, day)) STRICT, WITHOUT ROWID"
    }

    fn fold(&mut self, symbols: &[Symbol], row: &Row) {
        let Row::Trade(trade) = row else { return };
        // They count in no volume (D-52, D-92).
        if let Part::OffBook(_) | Part::Clearing = trade.part {
            return;
        }
        // Neither do trades of contracts, which are no listed symbols.
        let Some(symbol) = symbols.get(trade.symbol.index()) else { return };
        let notional = symbol.grid.notional(trade.price, trade.qty).expect("a trade's notional fits");
        let volume = self.waiting.entry((trade.account, trade.symbol, trade.time.0 / DAY)).or_default();
        let place = usize::from(trade.side == Side::Sell) + 2 * usize::from(trade.part == Part::Taker);
        let figures = volume.get_mut(place).expect("there are figures for each side and role");
        figures.base += trade.qty;
        figures.notional = figures.notional.capped_add(notional);
        figures.count += 1;
    }

    fn waiting(&self) -> usize {
        self.waiting.len()
    }

    fn write(&mut self, symbols: &[Symbol], database: &Connection) -> Result<(), Fault> {
        let mut read =
            database.prepare("SELECT * FROM daily_volumes WHERE account = ? AND symbol = ? AND day = ?")?;
        let mut put = database.prepare(
            "INSERT OR REPLACE INTO daily_volumes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?;
        for ((account, symbol, day), volume) in &self.waiting {
            let symbol = symbols.get(symbol.index()).ok_or(Fault::Row { table: NAME })?;
            // The start of the day in milliseconds.
            let (account, day) = (i64::from(account.0), (day * DAY / 1_000).cast_signed());
            let held =
                read.query_row((account, &symbol.name, day), |row| Ok(held(symbol, row))).optional()?;
            let mut sum = *volume;
            if let Some(held) = held {
                add(&mut sum, &held?);
            }
            let keys = [account.into(), symbol.name.clone().into(), day.into()];
            put.execute(params_from_iter(
                keys.into_iter().chain(sum.iter().flat_map(|of| shown(symbol, of))),
            ))?;
        }
        self.waiting.clear();
        Ok(())
    }

    fn forget(&mut self) {
        self.waiting.clear();
    }
}

fn add(sum: &mut Volume, more: &Volume) {
    for (sum, more) in sum.iter_mut().zip(more) {
        sum.base += more.base;
        sum.notional = sum.notional.capped_add(more.notional);
        sum.count += more.count;
    }
}

/// The three values of one side and role.
fn shown(symbol: &Symbol, figures: &Figures) -> [rusqlite::types::Value; 3] {
    let base = text(|out| symbol.grid.push_qty(out, figures.base));
    [base.into(), money(figures.notional).into(), figures.count.cast_signed().into()]
}

fn money(amount: Money) -> String {
    text(|out| amount.push_floored(out, MONEY_DECIMALS))
}

/// The figures that a row of the table holds.
fn held(symbol: &Symbol, row: &rusqlite::Row<'_>) -> Result<Volume, Fault> {
    let least = text(|out| symbol.grid.push_qty(out, Qty::from_hundredths(1)));
    let mut volume = Volume::default();
    for (place, figures) in volume.iter_mut().enumerate() {
        let first = 3 + 3 * place;
        let (base, notional): (String, String) = (row.get(first)?, row.get(first + 1)?);
        let notional = multiple(&notional, &money(Money::from_units(1)));
        *figures = Figures {
            base: Qty::from_hundredths(multiple(&base, &least).ok_or(Fault::Row { table: NAME })?),
            notional: Money::from_units(
                notional.and_then(|units| i128::try_from(units).ok()).ok_or(Fault::Row { table: NAME })?,
            ),
            count: row.get::<_, i64>(first + 2)?.cast_unsigned(),
        };
    }
    Ok(volume)
}
