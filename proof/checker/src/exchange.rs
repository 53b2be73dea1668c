//! The sequential exchange: one request after the other, each answered from the specification, with no index, no
//! stored holds and no stored counts. It shares no code with the product.
//!
//! Clauses: ORD-056 to ORD-064, ORD-069, ORD-074, BAL-001, MKT-013. Markets are always open here, and fees need at most
//! 19 decimals, so nothing is rounded. Not here: placing (`place`).

use std::collections::BTreeMap;

use crate::decimal::Dec;
use crate::keys;
use crate::names::{Names, account};
use crate::operation::{History, Operation, Place, Request, Side, Terms, Which};
use crate::reply::{AVERAGE_DECIMALS, BALANCE_DECIMALS, Level, Order, Reply, Trade};
use crate::state::{Standing, State};

/// Number of trades in the reply about an account's trades.
const TRADES: usize = 50;

/// The exchange, and the history whose operations it applies.
#[derive(Debug)]
pub(crate) struct Exchange<'h> {
    pub(crate) history: &'h History,
    pub(crate) names: &'h Names,
    pub(crate) state: State<'h>,
}

impl<'h> Exchange<'h> {
    /// The state before the first operation.
    pub(crate) fn open(history: &'h History, names: &'h Names) -> Self {
        let mut state = State::default();
        for (account, balances) in &history.world.accounts {
            for (currency, amount) in balances {
                state.set_total((account, currency), *amount);
            }
        }
        Self { history, names, state }
    }

    /// Applies an operation now and returns its reply. Ids of trades are taken from the recorded reply, as far as
    /// they are possible.
    pub(crate) fn apply(&mut self, at: usize) -> Reply {
        let operation = self.operation(at);
        let owner = account(self.history, at);
        if let Some((_, refused)) = operation.answer.as_ref().filter(|(_, reply)| keys::is_refusal(reply)) {
            return refused.clone();
        }
        match &operation.request {
            Request::Place(place) => match self.place(at, place) {
                Ok(()) => self.show(at, None),
                Err(refusal) => refusal,
            },
            Request::Cancel(which) => {
                match self.find(owner, which, true).or_else(|| self.find(owner, which, false)) {
                    Some(order) => {
                        self.close(order);
                        self.show(order, None)
                    }
                    None => Reply::refused(404, "OrderNotFound"),
                }
            }
            Request::CancelSession => self.cancel(|other| other.key == operation.key),
            Request::CancelAll => {
                let keys = &self.history.world.keys;
                self.cancel(|other| {
                    other.key.as_ref().and_then(|key| keys.get(key)).is_some_and(|of| of == owner)
                })
            }
            Request::Status(which, with_trades) => match self.find(owner, which, false) {
                Some(order) => self.show(order, with_trades.then_some(operation)),
                None => Reply::refused(404, "OrderNotFound"),
            },
            Request::Orders => Reply::Orders(self.live_orders(owner)),
            Request::Balances => Reply::Balances(self.balances(owner)),
            Request::Trades => {
                let told: &[Trade] = match &operation.answer {
                    Some((_, Reply::Trades(trades))) => trades,
                    Some(_) | None => &[],
                };
                Reply::Trades(self.trades(told, |at| account(self.history, at) == owner))
            }
            Request::Key(key, change) => {
                if change.cancels() {
                    self.cancel(|other| other.key.as_ref() == Some(key));
                }
                Reply::Changed
            }
            Request::Book(symbol) => {
                Reply::Book(self.levels(symbol, Side::Buy), self.levels(symbol, Side::Sell))
            }
        }
    }

    pub(crate) fn operation(&self, at: usize) -> &'h Operation {
        self.history.operations.get(at).expect("only operations of the history happen")
    }

    pub(crate) fn placed(&self, at: usize) -> &'h Place {
        let Request::Place(place) = &self.operation(at).request else {
            panic!("orders come from placements")
        };
        place
    }

    pub(crate) fn fee(&self, taker: bool) -> u32 {
        let [maker_bps, taker_bps] = self.history.world.fees;
        if taker { taker_bps } else { maker_bps }
    }

    /// The newest order of an account that `which` selects, of the live ones alone or of all.
    fn find(&self, owner: &str, which: &Which, live: bool) -> Option<usize> {
        let is_meant = |at: &usize| match which {
            Which::Id(id) => self.names.id(*at) == Some(*id),
            Which::ClientId(client_id) => self.placed(*at).client_id.as_ref() == Some(client_id),
        };
        let counts = |at: &usize| {
            account(self.history, *at) == owner
                && self.state.order(*at).is_some_and(|standing| standing.is_live() || !live)
        };
        let rank = |at: &usize| self.state.order(*at).map(|standing| standing.rank);
        match which {
            Which::Id(id) => self.names.placement(*id).filter(is_meant).filter(counts),
            Which::ClientId(_) if live => {
                self.state.live().map(|(at, _)| at).filter(is_meant).filter(counts).max_by_key(rank)
            }
            Which::ClientId(_) => self.state.all().filter(is_meant).filter(counts).max_by_key(rank),
        }
    }

    /// Cancels an order if it is live.
    fn close(&mut self, at: usize) {
        if let Some(standing) = self.state.order(at).filter(|standing| standing.is_live()) {
            let closed = Standing { reason: Some("Requested"), ..*standing };
            self.state.set_order(at, closed);
        }
    }

    fn cancel(&mut self, is_meant: impl Fn(&Operation) -> bool) -> Reply {
        let meant: Vec<usize> =
            self.state.live().map(|(at, _)| at).filter(|at| is_meant(self.operation(*at))).collect();
        let mut ids = Vec::new();
        for at in meant {
            self.close(at);
            ids.push(self.names.id(at).unwrap_or_default());
        }
        ids.sort_unstable();
        Reply::Cancelled(ids)
    }

    fn levels(&self, symbol: &str, side: Side) -> Vec<Level> {
        let mut levels: Vec<Level> = Vec::new();
        for order in self.resting(symbol, side) {
            match levels.last_mut() {
                Some((price, amount)) if *price == order.price => *amount = *amount + order.open,
                Some(_) | None => levels.push((order.price, order.open)),
            }
        }
        levels
    }

    /// The cost of a quantity at a price for a buyer, including the higher of the two fees.
    pub(crate) fn cost(&self, price: Dec, amount: Dec) -> Dec {
        let notional = price * amount;
        notional + notional.bps(self.fee(true).max(self.fee(false)))
    }

    /// The amount of a currency that an account's live orders hold (ORD-048).
    fn held(&self, owner: &str, currency: &str) -> Dec {
        let of_order = |(at, standing): (usize, &Standing)| {
            let place = self.placed(at);
            let symbol = self.history.world.symbols.get(&place.symbol)?;
            match (place.side, place.terms) {
                _ if account(self.history, at) != owner => None,
                (Side::Buy, Terms::Limit { price, .. }) if symbol.quote == currency => {
                    Some(self.cost(price, standing.remaining()))
                }
                (Side::Sell, _) if symbol.base == currency => Some(standing.remaining()),
                _ => None,
            }
        };
        self.state.live().filter_map(of_order).sum()
    }

    pub(crate) fn available(&self, owner: &'h str, currency: &'h str) -> Dec {
        self.state.total((owner, currency)) - self.held(owner, currency)
    }

    fn balances(&self, owner: &'h str) -> BTreeMap<String, [Dec; 2]> {
        let currencies = self.history.world.accounts.get(owner).into_iter().flat_map(BTreeMap::keys);
        let row = |currency: &'h String| {
            let total = self.state.total((owner, currency));
            let shown = [total, self.available(owner, currency)].map(|amount| amount.cut(BALANCE_DECIMALS));
            (total != Dec::ZERO).then(|| (currency.clone(), shown))
        };
        currencies.filter_map(row).collect()
    }

    fn live_orders(&self, owner: &str) -> Vec<Order> {
        let mut mine: Vec<_> =
            self.state.live().filter(|(at, _)| account(self.history, *at) == owner).collect();
        mine.sort_by_key(|(_, standing)| std::cmp::Reverse(standing.rank));
        mine.into_iter().map(|(at, standing)| self.order(at, standing)).collect()
    }

    /// An order as shown to its owner now, with its trades if the operation requests them.
    fn show(&mut self, at: usize, asked: Option<&Operation>) -> Reply {
        let trades = asked.map(|operation| {
            let told: &[Trade] = match &operation.answer {
                Some((_, Reply::Order(order))) => order.trades.as_deref().unwrap_or_default(),
                Some(_) | None => &[],
            };
            self.trades(told, |of| of == at)
        });
        let standing = self.state.order(at).expect("only orders are shown");
        Reply::order(Order { trades, ..self.order(at, standing) })
    }

    fn order(&self, at: usize, standing: &Standing) -> Order {
        let place = self.placed(at);
        let (kind, price, policy) = match (place.terms, place.side) {
            (Terms::Limit { price, policy, .. }, _) => ("exchange limit", Some(price), policy),
            (Terms::Market { .. } | Terms::Spend { .. }, Side::Buy) => ("market buy", None, None),
            (Terms::Market { .. } | Terms::Spend { .. }, Side::Sell) => ("market sell", None, None),
        };
        let is_counted = !matches!(place.terms, Terms::Spend { .. });
        let average = match standing.executed {
            Dec::ZERO => Dec::ZERO,
            executed => standing.notional.over(executed, AVERAGE_DECIMALS),
        };
        Order {
            id: self.names.id(at).unwrap_or_default(),
            client_id: place.client_id.clone(),
            symbol: place.symbol.clone(),
            side: place.side,
            kind: kind.to_owned(),
            policy,
            price,
            average,
            executed: standing.executed,
            remaining: is_counted.then(|| standing.remaining()),
            original: is_counted.then_some(standing.original),
            is_live: standing.is_live(),
            reason: standing.reason.map(str::to_owned),
            trades: None,
        }
    }

    /// The newest trades of the selected orders, with the ids from the recorded reply.
    fn trades(&mut self, told: &[Trade], is_meant: impl Fn(usize) -> bool) -> Vec<Trade> {
        let prints = self.state.prints().iter().enumerate().rev();
        let meant: Vec<(usize, usize)> = prints
            .filter_map(|(row, print)| {
                let own = [print.maker, print.taker].into_iter().find(|at| is_meant(*at))?;
                Some((row, own))
            })
            .take(TRADES)
            .collect();
        let told = told.iter().map(|trade| Some(trade.tid)).chain(std::iter::repeat(None));
        meant.into_iter().zip(told).filter_map(|((row, own), tid)| self.trade(row, own, tid)).collect()
    }

    fn trade(&mut self, row: usize, own: usize, told: Option<u64>) -> Option<Trade> {
        let tid = told.filter(|tid| self.state.name_print(row, *tid));
        let print = self.state.prints().get(row)?;
        let aggressor = print.taker == own;
        Some(Trade {
            tid: tid.or(print.tid).unwrap_or_default(),
            order: self.names.id(own).unwrap_or_default(),
            client_id: self.placed(own).client_id.clone(),
            price: print.price,
            amount: print.amount,
            side: if aggressor { print.side } else { print.side.opposite() },
            aggressor,
            fee: (print.price * print.amount).bps(self.fee(aggressor)),
        })
    }
}
