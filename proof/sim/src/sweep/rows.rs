//! The rows of a run's history, kept for comparison with a recovery.

use crate::check::Finding;
use crate::memory::Odd;
use crate::statement::all_explained;
use buttonwood_engine::State;
use buttonwood_model::{AccountId, Side, SymbolId};
use buttonwood_num::{Price, Qty};
use buttonwood_views::history::{
    ClearingRow, ConversionRow, EntryRow, Fault, FundingRow, Lengths, Limit, OrderEventRow, OrderRow,
    Position, PredictionRow, PublicTrade, Query, Since, StakingRow, TradeRow,
};
use buttonwood_views::{Counted, OrderChange, RefusedEvent, Removed, Sink, Views};
use std::cmp::Reverse;

/// More rows than any account or symbol of such a run has.
const ALL: Limit = Limit { rows: 10_000, most: 10_000 };

/// A sink that also keeps the rows, each with its command.
pub(super) struct Rows {
    pub(super) counted: Counted,
    /// The command being applied.
    pub(super) seq: u64,
    trades: Vec<(u64, TradeRow)>,
    orders: Vec<(u64, OrderRow)>,
    public: Vec<(u64, PublicTrade)>,
    funding: Vec<(u64, FundingRow)>,
    entries: Vec<(u64, EntryRow)>,
    conversions: Vec<(u64, ConversionRow)>,
    clearing: Vec<(u64, ClearingRow)>,
    staking: Vec<(u64, StakingRow)>,
    predictions: Vec<(u64, PredictionRow)>,
    order_events: Vec<(u64, OrderEventRow)>,
}

impl Rows {
    pub(super) fn new(counted: Counted) -> Self {
        Self {
            counted,
            seq: 0,
            trades: Vec::new(),
            orders: Vec::new(),
            public: Vec::new(),
            funding: Vec::new(),
            entries: Vec::new(),
            conversions: Vec::new(),
            clearing: Vec::new(),
            staking: Vec::new(),
            predictions: Vec::new(),
            order_events: Vec::new(),
        }
    }

    /// Checks that every row up to a command can be read and is unchanged.
    pub(super) fn compare(&self, views: &Views, seq: u64) -> Result<(), Finding> {
        let history = Query::whole(views.history());
        let state: &State = views.state();
        for account in (0..state.access().accounts().len()).map(AccountId::from_index) {
            let kept = until(&self.trades, seq, |row| row.account == account);
            same(history.trades(account, None, None, ALL), &kept, seq)?;
            let mut kept = until(&self.orders, seq, |row| row.order.account == account);
            kept.sort_unstable_by_key(|row| Reverse(row.order.id));
            let orders = history.orders(account, None, None, ALL, usize::MAX);
            same(orders.map(|past| past.into_iter().map(|past| past.row).collect()), &kept, seq)?;
        }
        for (symbol, _) in state.floor().symbols.iter() {
            let kept = until(&self.public, seq, |row| row.symbol == symbol);
            same(history.public_trades(symbol, Since::Newest, ALL), &kept, seq)?;
        }
        let all = views.history().after(Lengths::empty());
        same(all.funding.collect(), &oldest_first(&self.funding, seq), seq)?;
        same(all.entries.collect(), &oldest_first(&self.entries, seq), seq)?;
        same(all.conversions.collect(), &oldest_first(&self.conversions, seq), seq)?;
        same(all.clearing.collect(), &oldest_first(&self.clearing, seq), seq)?;
        same(all.staking.collect(), &oldest_first(&self.staking, seq), seq)?;
        same(all.predictions.collect(), &oldest_first(&self.predictions, seq), seq)?;
        same(all.order_events.collect(), &oldest_first(&self.order_events, seq), seq)?;
        all_explained(views)
            .map_err(|(Odd::Untold(finding) | Odd::Wrong(finding))| format!("command {seq}: {finding}"))
    }
}

fn oldest_first<T: Copy>(kept: &[(u64, T)], seq: u64) -> Vec<T> {
    let mut rows = until(kept, seq, |_| true);
    rows.reverse();
    rows
}

/// The rows up to a command, newest first.
fn until<T: Copy>(kept: &[(u64, T)], seq: u64, is_of: impl Fn(&T) -> bool) -> Vec<T> {
    kept.iter().rev().filter(|(at, row)| *at <= seq && is_of(row)).map(|(_, row)| *row).collect()
}

fn same<T: PartialEq>(read: Result<Vec<T>, Fault>, kept: &[T], seq: u64) -> Result<(), Finding> {
    let read = read.map_err(|fault| format!("the history of command {seq} cannot be read: {fault}"))?;
    if read == kept {
        Ok(())
    } else {
        Err(format!("the history of command {seq} shows other rows than it did"))
    }
}

impl Sink for Rows {
    fn trade(&mut self, row: &TradeRow) -> Position {
        self.trades.push((self.seq, *row));
        self.counted.trade(row)
    }

    fn order(&mut self, row: &OrderRow) -> Position {
        self.orders.push((self.seq, *row));
        self.counted.order(row)
    }

    fn public(&mut self, row: &PublicTrade) {
        self.public.push((self.seq, *row));
        self.counted.public(row);
    }

    fn funding(&mut self, row: &FundingRow) {
        self.funding.push((self.seq, *row));
        self.counted.funding(row);
    }

    fn entry(&mut self, row: &EntryRow) {
        self.entries.push((self.seq, *row));
        self.counted.entry(row);
    }

    fn conversion(&mut self, row: &ConversionRow) {
        self.conversions.push((self.seq, *row));
        self.counted.conversion(row);
    }

    fn clearing(&mut self, row: &ClearingRow) {
        self.clearing.push((self.seq, *row));
        self.counted.clearing(row);
    }

    fn staking(&mut self, row: &StakingRow) {
        self.staking.push((self.seq, *row));
        self.counted.staking(row);
    }

    fn prediction(&mut self, row: &PredictionRow) -> Position {
        self.predictions.push((self.seq, *row));
        self.counted.prediction(row)
    }

    fn order_event(&mut self, change: &OrderChange) {
        self.order_events.push((self.seq, OrderEventRow::from(change)));
        self.counted.order_event(change);
    }

    fn refused_order(&mut self, event: &RefusedEvent) {
        self.order_events.push((self.seq, OrderEventRow::from(event)));
        self.counted.refused_order(event);
    }

    fn rested(&mut self, _symbol: SymbolId, _side: Side, _price: Price, _qty: Qty) {}

    fn reduced(&mut self, _symbol: SymbolId, _side: Side, _price: Price, _qty: Qty, _why: Removed) {}
}
