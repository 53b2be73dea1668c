//! The facts of a trade that is to be broken, and the market without it, read from the history.
//!
//! The core remembers no trades, so the operator's call reads these facts and the command carries them.

use crate::FRAMES;
use crate::history::{Fault, Limit, Part, PublicTrade, Query, Since, TradeRow};
use buttonwood_engine::{
    Bar, Break, BreakKind, Breaks, Figures, FxPair, Interval, Party, Rates, State, Value,
};
use buttonwood_model::{Side, SymbolId, Time, TradeId};
use buttonwood_num::{Grid, Money};

/// Rows that are read at once.
const PAGE: usize = 1_000;

/// The records of the state that a search of the history needs.
#[derive(Clone, Debug)]
pub struct Records {
    /// The increments of each symbol.
    grids: Vec<Grid>,
    /// How the trades of each symbol count in volumes.
    values: Vec<(Value, Option<FxPair>)>,
    rates: Rates,
    breaks: Breaks,
    /// The newest trade of each contract that has traded.
    contracts: Vec<(SymbolId, TradeId)>,
}

impl Records {
    /// As of a state. The history may know later trades; the exchange then refuses the break as stale.
    pub fn of(state: &State) -> Self {
        let grids: Vec<Grid> = state.symbols().iter().map(|symbol| symbol.grid.clone()).collect();
        let symbols = (0..grids.len()).map(SymbolId::from_index);
        let volumes = state.volumes();
        let values = symbols.map(|symbol| (volumes.value_of(symbol), volumes.pair_of(symbol))).collect();
        let newest = |(id, _)| (id, state.orders().newest_trade(id));
        let contracts = state.floor().symbols.iter().filter(|(id, _)| id.is_contract()).map(newest);
        let contracts = contracts.filter(|(_, newest)| *newest > TradeId(0)).collect();
        Self { grids, values, rates: state.rates().clone(), breaks: state.floor().breaks.clone(), contracts }
    }

    /// A break of a trade; none for a trade that the history does not know. For a full break it reads every trade of the
    /// trade's day.
    ///
    /// # Errors
    /// [`Fault`] of the disk, a damaged row, or [`Fault::Away`] if only the rows in memory may be read.
    pub fn find(&self, history: Query<'_>, trade: TradeId, kind: BreakKind) -> Result<Option<Break>, Fault> {
        let Some(row) = self.public(history, trade)? else { return self.off_book(history, trade) };
        let PublicTrade { symbol, time, price, qty, taker, .. } = row;
        let parts = history.parts(symbol, trade)?;
        let Some([buyer, seller]) = parties(&parts) else { return Ok(None) };
        let counted = parts.iter().find_map(|part| part.counted);
        let figures = match kind {
            BreakKind::Manual => None,
            BreakKind::Full if symbol.is_contract() => {
                Some(self.figures_of_contract(history, symbol, trade)?)
            }
            BreakKind::Full => Some(self.figures(history, &row, counted)?),
        };
        Ok(Some(Break { trade, symbol, time, price, qty, taker, buyer, seller, figures, is_off_book: false }))
    }

    /// The manual break of a trade apart from the book, of any symbol.
    fn off_book(&self, history: Query<'_>, trade: TradeId) -> Result<Option<Break>, Fault> {
        for symbol in (0..self.grids.len()).map(SymbolId::from_index) {
            let parts = history.parts(symbol, trade)?;
            let Some([buyer, seller]) = parties(&parts) else { continue };
            let apart = |row: &&TradeRow| matches!(row.part, Part::OffBook(_) | Part::Clearing);
            let Some(TradeRow { time, price, qty, .. }) = parts.iter().find(apart).copied() else { continue };
            let (taker, figures, is_off_book) = (None, None, true);
            return Ok(Some(Break {
                trade,
                symbol,
                time,
                price,
                qty,
                taker,
                buyer,
                seller,
                figures,
                is_off_book,
            }));
        }
        Ok(None)
    }

    /// The public row of a trade, of any symbol.
    fn public(&self, history: Query<'_>, trade: TradeId) -> Result<Option<PublicTrade>, Fault> {
        let Some(before) = trade.0.checked_sub(1) else { return Ok(None) };
        let listed = (0..self.grids.len()).map(SymbolId::from_index);
        let contracts = self.contracts.iter().filter(|(_, newest)| *newest >= trade).map(|(id, _)| *id);
        for symbol in listed.chain(contracts) {
            let one = Limit { rows: 1, most: 1 };
            let next = history.public_trades(symbol, Since::AfterTrade(before), one)?;
            if let Some(row) = next.into_iter().find(|row| row.trade == trade) {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    /// The figures of a full break of a contract's trade: the exchange refuses it, and corrects nothing.
    fn figures_of_contract(
        &self,
        history: Query<'_>,
        contract: SymbolId,
        trade: TradeId,
    ) -> Result<Figures, Fault> {
        let newest = history.public_trade_before(contract, TradeId(u64::MAX), |_| true)?;
        Ok(Figures {
            newest: newest.map_or(trade, |row| row.trade),
            breaks: u64::try_from(self.breaks.len()).unwrap_or(u64::MAX),
            last: None,
            before: None,
            after: None,
            value: Money::ZERO,
            intervals: Vec::new(),
        })
    }

    /// The market without a trade. `counted` is its value in volumes, if it counted by references.
    fn figures(
        &self,
        history: Query<'_>,
        row: &PublicTrade,
        counted: Option<Money>,
    ) -> Result<Figures, Fault> {
        let PublicTrade { symbol, trade, .. } = *row;
        let counts = |other: &PublicTrade| {
            other.trade != trade && self.breaks.of(symbol, other.trade) != Some(BreakKind::Full)
        };
        let end = TradeId(u64::MAX);
        // First of all, so that a trade made while the others are read makes the figures stale.
        let newest = history.public_trade_before(symbol, end, |_| true)?.map_or(trade, |row| row.trade);
        let last = history.public_trade_before(symbol, end, counts)?;
        let before = history.public_trade_before(symbol, trade, counts)?;
        Ok(Figures {
            newest,
            breaks: u64::try_from(self.breaks.len()).unwrap_or(u64::MAX),
            last: last.map(|row| row.price),
            before: before.map(|row| row.price),
            after: Self::after(history, row, counts)?,
            value: counted.map_or_else(|| self.value(history, row), Ok)?,
            intervals: self.intervals(history, row, counts)?,
        })
    }

    /// The value in volumes of a trade that counted by no reference, in dollars.
    fn value(&self, history: Query<'_>, row: &PublicTrade) -> Result<Money, Fault> {
        let notional = self.notional(row);
        let (value, pair) = self.values.get(row.symbol.index()).copied().unwrap_or((Value::Unknown, None));
        let last = match value {
            Value::Dollars => return Ok(notional),
            Value::AtLastPriceOf(priced) => {
                let grid = self.grids.get(priced.index()).expect("a valued symbol is listed");
                let counted = |other: &PublicTrade| !self.breaks.was_void(priced, other.trade, row.trade);
                let last = history.public_trade_before(priced, row.trade, counted)?;
                last.map(|last| grid.value(notional, last.price))
            }
            Value::Unknown => None,
        };
        let at_rate = || {
            let quote = self.rates.known_to(row.trade, pair?, row.time)?;
            Some(quote.rate.to_usd(notional).unwrap_or(Money::MAX))
        };
        Ok(last.or_else(at_rate).unwrap_or_default())
    }

    /// When the first trade after a trade that counts traded.
    fn after(
        history: Query<'_>,
        row: &PublicTrade,
        counts: impl Fn(&PublicTrade) -> bool,
    ) -> Result<Option<Time>, Fault> {
        let mut since = row.trade;
        loop {
            let page = history.public_trades(
                row.symbol,
                Since::AfterTrade(since.0),
                Limit { rows: 16, most: 16 },
            )?;
            if let Some(next) = page.iter().rev().find(|row| counts(row)) {
                return Ok(Some(next.time));
            }
            let Some(newest) = page.first() else { return Ok(None) };
            since = newest.trade;
        }
    }

    /// The interval of a trade in every time frame. Each frame divides the next, so the trades of the longest interval are
    /// those of all.
    fn intervals(
        &self,
        history: Query<'_>,
        row: &PublicTrade,
        counts: impl Fn(&PublicTrade) -> bool,
    ) -> Result<Vec<Interval>, Fault> {
        let mut intervals = FRAMES.map(|frame| Interval { minutes: frame.minutes, bar: None });
        let [.., longest] = FRAMES;
        let start = longest.start(longest.interval(row.time));
        let mut since = Since::FromTime(start.millis());
        loop {
            let page = history.public_trades(row.symbol, since, Limit { rows: PAGE, most: PAGE })?;
            for other in page.iter().rev().filter(|other| counts(other)) {
                let notional = self.notional(other);
                for (interval, frame) in intervals.iter_mut().zip(FRAMES) {
                    if frame.interval(other.time) == frame.interval(row.time) {
                        interval.bar = Some(Bar::with(interval.bar, other.price, other.qty, notional));
                    }
                }
            }
            let within = |other: &&PublicTrade| longest.interval(other.time) == longest.interval(row.time);
            let Some(newest) = page.first().filter(within) else { return Ok(intervals.to_vec()) };
            since = Since::AfterTrade(newest.trade.0);
        }
    }

    fn notional(&self, row: &PublicTrade) -> Money {
        let grid = self.grids.get(row.symbol.index()).expect("a traded symbol is listed");
        grid.notional(row.price, row.qty).expect("a trade is no larger than its orders")
    }
}

/// The buyer and the seller of a trade, by their sides of the book: a buyer of no sells there.
fn parties(rows: &[TradeRow]) -> Option<[Party; 2]> {
    let party = |side: Side| rows.iter().find(|part| part.book_side() == side).map(party_of);
    Some([party(Side::Buy)?, party(Side::Sell)?])
}

fn party_of(part: &TradeRow) -> Party {
    Party { account: part.account, order: part.order, fee: part.fee }
}
