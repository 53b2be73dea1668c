//! A book as the streams show it.

use crate::frame::Levels;
use buttonwood_call::App;
use buttonwood_model::{Side, SymbolId, TradeId};
use buttonwood_num::{Price, Qty};
use buttonwood_views::history::{Limit, PublicTrade, Since};
use buttonwood_views::{Happening, Views};
use std::collections::VecDeque;

/// The best level of each side, bids first.
pub(crate) type Tops = [Option<(Price, Qty)>; 2];

/// The visible levels of a symbol as of a command.
#[derive(Debug)]
pub(crate) struct Book {
    /// The command up to which it counts.
    pub(crate) loaded: u64,
    /// The last command that changed it, as far as the hub knows.
    pub(crate) changed: u64,
    levels: Levels,
    /// The newest trades, the oldest first; none until a reader wants them.
    recent: Option<VecDeque<PublicTrade>>,
    /// As of which command they were read.
    recalled: u64,
}

/// Trades in a first frame at most.
const RECENT: usize = 50;

impl Book {
    /// The book as the views show it.
    pub(crate) fn load(views: &Views, symbol: SymbolId) -> Self {
        let (loaded, changed) = (views.state().stamp().seq.0, views.levels_changed(symbol).0);
        let mut levels = Levels::default();
        for side in [Side::Buy, Side::Sell] {
            let resting = views.depth().levels(symbol, side, 0);
            for (price, qty) in resting {
                levels.apply(side, price, qty);
            }
        }
        Self { loaded, changed, levels, recent: None, recalled: 0 }
    }

    /// Notes what a later command did.
    pub(crate) fn note(&mut self, seq: u64, happening: &Happening) {
        if let Some(level) = happening.level() {
            self.levels.apply(level.side, level.price, level.now);
            self.changed = seq;
        }
        if let Some((recent, trade)) = self.recent.as_mut().zip(happening.trade()) {
            push(recent, *trade);
        }
    }

    /// Reads the newest trades, if they are not known yet. They may be newer than the levels: all are those of the command that this
    /// returns or of earlier ones.
    pub(crate) fn recall(&mut self, app: &App, symbol: SymbolId) -> u64 {
        if self.recent.is_some() {
            return self.recalled;
        }
        let broken: Vec<TradeId> = {
            let views = app.exchange.views();
            views.state().floor().breaks.of_symbol(symbol).map(|(trade, _)| trade).collect()
        };
        let newest = app.exchange.query_history_here(|history| {
            history.public_trades_without(
                symbol,
                Since::Newest,
                Limit { rows: RECENT, most: RECENT },
                &broken,
            )
        });
        match newest {
            Ok(newest) => {
                self.recent = Some(newest.into_iter().rev().collect());
                self.recalled = app.exchange.views().state().stamp().seq.0;
            }
            // First frames have no trades until the history is mended.
            Err(fault) => tracing::error!(%fault, "the newest trades cannot be read for a stream"),
        }
        self.recalled
    }

    /// The newest trades, the newest first.
    pub(crate) fn recent(&self) -> impl Iterator<Item = &PublicTrade> {
        self.recent.iter().flatten().rev()
    }

    /// Price and quantity of the last trade.
    pub(crate) fn last(&self) -> Option<(Price, Qty)> {
        self.recent().next().map(|trade| (trade.price, trade.qty))
    }

    /// The best level of each side.
    pub(crate) fn tops(&self) -> Tops {
        [Side::Buy, Side::Sell].map(|side| self.levels.best(side).next())
    }

    /// The best levels of a side, the best first.
    pub(crate) fn best(&self, side: Side, limit: usize) -> impl Iterator<Item = (Price, Qty)> + '_ {
        self.levels.best(side).take(limit)
    }
}

/// Adds a trade, unless it is known.
fn push(recent: &mut VecDeque<PublicTrade>, trade: PublicTrade) {
    if recent.back().is_some_and(|last| last.trade >= trade.trade) {
        return;
    }
    if recent.len() == RECENT {
        recent.pop_front();
    }
    recent.push_back(trade);
}
