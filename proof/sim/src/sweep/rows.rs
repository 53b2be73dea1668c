//! The rows of a run's history, kept for comparison with a recovery.

use crate::check::Finding;
use crate::memory::Odd;
use crate::statement::all_explained;
use buttonwood_engine::State;
use buttonwood_model::AccountId;
use buttonwood_views::history::{Fault, KINDS, Lengths, Limit, Position, Query, Row, RowKind, Since};
use buttonwood_views::{Counted, Sink, Views};
use std::cmp::Reverse;

/// More rows than any account or symbol of such a run has.
const ALL: Limit = Limit { rows: 10_000, most: 10_000 };

/// A sink that also keeps the rows, each with its command.
pub(super) struct Rows {
    pub(super) counted: Counted,
    /// The command being applied.
    pub(super) seq: u64,
    kept: Vec<(u64, Row)>,
}

impl Rows {
    pub(super) fn new(counted: Counted) -> Self {
        Self { counted, seq: 0, kept: Vec::new() }
    }

    /// Checks that every row up to a command can be read and is unchanged.
    pub(super) fn compare(&self, views: &Views, seq: u64) -> Result<(), Finding> {
        let history = Query::whole(views.history());
        let state: &State = views.state();
        let (mut trades, mut orders, mut public) = (Vec::new(), Vec::new(), Vec::new());
        for row in self.until(seq).rev() {
            if let Row::Trade(row) = row {
                trades.push(row);
            } else if let Row::Order(row) = row {
                orders.push(row);
            } else if let Row::Public(row) = row {
                public.push(row);
            }
        }
        for account in (0..state.access().accounts().len()).map(AccountId::from_index) {
            let kept = only(&trades, |row| row.account == account);
            same(history.trades(account, None, None, ALL), &kept, seq)?;
            let mut kept = only(&orders, |row| row.order.account == account);
            kept.sort_unstable_by_key(|row| Reverse(row.order.id));
            let orders = history.orders(account, None, None, ALL, usize::MAX);
            same(orders.map(|past| past.into_iter().map(|past| past.row).collect()), &kept, seq)?;
        }
        for (symbol, _) in state.floor().symbols.iter() {
            let kept = only(&public, |row| row.symbol == symbol);
            same(history.public_trades(symbol, Since::Newest, ALL), &kept, seq)?;
        }
        let of_kind = |kind| self.until(seq).filter(move |row| row.kind() == kind);
        let kept: Vec<Row> = KINDS.into_iter().flat_map(of_kind).collect();
        same(views.history().after(Lengths::empty()).all().collect(), &kept, seq)?;
        all_explained(views)
            .map_err(|(Odd::Untold(finding) | Odd::Wrong(finding))| format!("command {seq}: {finding}"))
    }

    /// The rows up to a command, oldest first.
    fn until(&self, seq: u64) -> impl DoubleEndedIterator<Item = Row> {
        self.kept.iter().filter(move |(at, _)| *at <= seq).map(|(_, row)| *row)
    }
}

fn only<T: Copy>(rows: &[T], is_of: impl Fn(&T) -> bool) -> Vec<T> {
    rows.iter().copied().filter(|row| is_of(row)).collect()
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
    fn row<R: RowKind>(&mut self, row: &R) -> Position {
        self.kept.push((self.seq, (*row).into()));
        self.counted.row(row)
    }
}
