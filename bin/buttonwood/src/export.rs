//! `buttonwood export`: past orders, trades, candles and statements of a data directory, running or stopped, as CSV.

use crate::cli::{Export, ExportTable};
use crate::flags::period;
use crate::trouble::Trouble;
use crate::verify::check_directory;
use buttonwood_engine::{BreakKind, State};
use buttonwood_model::{SymbolId, Time};
use buttonwood_sequencer::{Fault, Past, PastRow, PastTable};
use buttonwood_views::history::OrderRow;
use buttonwood_views::{Bars, Candle, Frame};
use buttonwood_wire::csv::{self, CandleRow, StatementRow};
use std::io::{self, ErrorKind, Write};
use std::ops::Range;
use std::path::Path;
use tempfile::NamedTempFile;

/// Bytes of lines that gather before they are written.
const GATHERED: usize = 64 * 1024;

/// Exports and reports on standard error what was written.
pub(crate) fn run(flags: &Export) -> Result<(), Trouble> {
    let period = period(flags.from.as_deref(), flags.to.as_deref())?;
    check_directory(&flags.data)?;
    let mut past = Past::open_with(&flags.data, flags.archive.as_ref().map(Into::into))?;
    let reached = past.state().stamp().seq.0;
    let written = match &flags.out {
        None => write(&mut past, flags.table, period, &mut io::stdout())
            .map_err(|stop| stop.into_trouble("standard output"))?,
        Some(path) => write_file(&mut past, flags.table, period, path)?,
    };
    if let Some(rows) = written {
        let table = flags.table.name();
        crate::say(format_args!(
            "{rows} rows of {table}; everything up to command {reached} of the journal is in"
        ));
    }
    Ok(())
}

/// Writes a file under another name first, so that a half-written one is never taken for whole.
fn write_file(
    past: &mut Past,
    table: ExportTable,
    period: Range<Time>,
    path: &Path,
) -> Result<Option<u64>, Trouble> {
    let shown = path.display().to_string();
    let wrong = |error| Stop::Write(error).into_trouble(&shown);
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = NamedTempFile::new_in(parent).map_err(wrong)?;
    let rows = write(past, table, period, file.as_file_mut()).map_err(|stop| stop.into_trouble(&shown))?;
    file.as_file().sync_all().map_err(wrong)?;
    file.persist(path).map_err(|failed| wrong(failed.error))?;
    Ok(rows)
}

/// Why an export ends early.
enum Stop {
    /// The directory.
    Fault(Fault),
    /// The output.
    Write(io::Error),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl Stop {
    fn into_trouble(self, output: &str) -> Trouble {
        match self {
            Self::Fault(fault) => Trouble::Exchange(fault),
            Self::Write(error) => Trouble::System(format!("cannot write to {output}: {error}")),
        }
    }
}

/// Writes the rows of a period; returns their number, or none if the reader of the output has closed it.
fn write(
    past: &mut Past,
    table: ExportTable,
    period: Range<Time>,
    out: &mut impl Write,
) -> Result<Option<u64>, Stop> {
    let mut lines = Lines { out, gathered: Vec::with_capacity(2 * GATHERED), rows: 0 };
    let written = match table {
        ExportTable::Orders | ExportTable::Trades | ExportTable::PublicTrades | ExportTable::Statement => {
            rows(past, table, &period, &mut lines)
        }
        ExportTable::Candles => candles(past, &period, &mut lines),
    };
    match written.and_then(|()| lines.finish()) {
        Ok(rows) => Ok(Some(rows)),
        Err(Stop::Write(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(None),
        Err(stop) => Err(stop),
    }
}

fn rows(
    past: &mut Past,
    table: ExportTable,
    period: &Range<Time>,
    lines: &mut Lines<impl Write>,
) -> Result<(), Stop> {
    let table = match table {
        ExportTable::Orders => PastTable::Orders,
        ExportTable::Trades => PastTable::Trades,
        ExportTable::PublicTrades | ExportTable::Candles => PastTable::PublicTrades,
        ExportTable::Statement => PastTable::Statement,
    };
    lines.head(|out| match table {
        PastTable::Orders => csv::ORDERS.push_head(out),
        PastTable::Trades => csv::TRADES.push_head(out),
        PastTable::PublicTrades => csv::PUBLIC_TRADES.push_head(out),
        PastTable::Statement => csv::STATEMENT.push_head(out),
    });
    past.visit(table, |state, row| {
        if !period.contains(&time_of(row)) {
            return Ok(());
        }
        match row {
            PastRow::Order(row) => {
                let order = state.floor().breaks.correct(row.order);
                lines.row(|out| csv::ORDERS.push_row(out, state, &OrderRow { order, ..*row }))
            }
            PastRow::Trade(row) => lines.row(|out| csv::TRADES.push_row(out, state, row)),
            PastRow::Public(row) => lines.row(|out| csv::PUBLIC_TRADES.push_row(out, state, row)),
            PastRow::Change(row) => {
                let account = row.account();
                let mut all = row.lines(state.symbols()).map(|line| StatementRow { account, line });
                all.try_for_each(|row| lines.row(|out| csv::STATEMENT.push_row(out, state, &row)))
            }
        }
    })
}

fn time_of(row: &PastRow) -> Time {
    match row {
        PastRow::Order(row) => row.closed,
        PastRow::Trade(row) => row.time,
        PastRow::Public(row) => row.time,
        PastRow::Change(row) => row.time(),
    }
}

/// Every candle, void trades left out (MKT-035), from the first trade of its symbol to the one of the last command's time. Those of one symbol and time
/// frame are in order; they are written as they close, so that a long history needs no memory.
fn candles(past: &mut Past, period: &Range<Time>, lines: &mut Lines<impl Write>) -> Result<(), Stop> {
    lines.head(|out| csv::CANDLES.push_head(out));
    let mut write = |state: &State, symbol: SymbolId, frame: Frame, candle: Candle, until: Time| {
        let within =
            candle.until(frame, until.min(period.end)).filter(|candle| period.contains(&candle.start));
        within
            .map(|candle| CandleRow { symbol, frame, candle })
            .try_for_each(|row| lines.row(|out| csv::CANDLES.push_row(out, state, &row)))
    };
    let mut bars = Bars::default();
    past.visit(PastTable::PublicTrades, |state, row| {
        let PastRow::Public(row) = row else { return Ok(()) };
        if state.floor().breaks.of(row.symbol, row.trade) == Some(BreakKind::Full) {
            return Ok(());
        }
        let mut written = Ok(());
        bars.trade(row.symbol, row.time, row.price, row.qty, |frame, candle, next| {
            if written.is_ok() {
                written = write(state, row.symbol, frame, candle, next);
            }
        });
        written
    })?;
    let state = past.state();
    let end = state.stamp().time.plus(1);
    bars.in_progress().try_for_each(|(symbol, frame, candle)| write(state, symbol, frame, candle, end))
}

/// Lines on their way to the output.
struct Lines<'a, W> {
    out: &'a mut W,
    gathered: Vec<u8>,
    rows: u64,
}

impl<W: Write> Lines<'_, W> {
    fn head(&mut self, push: impl FnOnce(&mut Vec<u8>)) {
        push(&mut self.gathered);
    }

    fn row(&mut self, push: impl FnOnce(&mut Vec<u8>)) -> Result<(), Stop> {
        push(&mut self.gathered);
        self.rows += 1;
        if self.gathered.len() >= GATHERED { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Stop> {
        self.out.write_all(&self.gathered).and_then(|()| self.out.flush()).map_err(Stop::Write)?;
        self.gathered.clear();
        Ok(())
    }

    fn finish(mut self) -> Result<u64, Stop> {
        self.flush()?;
        Ok(self.rows)
    }
}
