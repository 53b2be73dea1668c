//! A small venue that fills a history, and the simplest model of one: the rows in a `Vec`.

use crate::history::Each;
use crate::history::{
    ClearingEnd, ClearingRow, ClosedContractOrder, ConversionRow, EntryRow, FundingRow, History, Index,
    OrderEventRow, OrderRow, Part, PastOrder, Position, PredictionRow, PublicTrade, Settled, SettledPosition,
    Settlement, StakingKind, StakingRow, TradeRow,
};
use crate::order_event::{AccountEvent, EventId, OrderChange, OrderFill, RefusedEvent, Step as OrderStep};
use buttonwood_engine::{About, Cause, OrderState, RefusedOrder};
use buttonwood_model::{
    AccountId, CancelReason, Claim, ClientId, CurrencyId, ExecutionOption, OrderId, OrderKind, RefusalReason,
    SessionId, Side, SymbolId, Time, TradeId,
};
use buttonwood_num::{Decimal, Money, Price, Qty};
use proptest::prelude::*;
use std::path::Path;

/// The key of the files in tests.
pub(super) const KEY: u64 = 0x0bad_5eed;

/// Halves so small that queries soon read from the disk.
pub(super) const TINY: Each<usize> = Each {
    trades: 700,
    orders: 500,
    public: 300,
    funding: 100,
    entries: 200,
    conversions: 100,
    clearing: 100,
    staking: 100,
    predictions: 100,
    order_events: 100,
};

/// A step of a venue.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Wait(u64),
    Place { account: u32, symbol: u16, client: Option<u8> },
    Trade { order: usize, qty: u64, fee: i128 },
    Close { order: usize, reason: Option<CancelReason> },
    Refuse { account: u32, client: Option<u8> },
    Flush,
}

/// Any step; many steps happen within one millisecond.
pub(super) fn step() -> impl Strategy<Value = Step> {
    let reason = prop::option::of(prop::sample::select(vec![
        CancelReason::Requested,
        CancelReason::MarketClosed,
        CancelReason::SelfCrossPrevented,
    ]));
    prop_oneof![
        2 => (0_u64..900).prop_map(Step::Wait),
        3 => (0_u32..3, 0_u16..3, prop::option::of(0_u8..3))
            .prop_map(|(account, symbol, client)| Step::Place { account, symbol, client }),
        5 => (any::<usize>(), any::<u64>(), -9_i128..1 << 70)
            .prop_map(|(order, qty, fee)| Step::Trade { order, qty, fee }),
        2 => (any::<usize>(), reason).prop_map(|(order, reason)| Step::Close { order, reason }),
        1 => (0_u32..3, prop::option::of(0_u8..3)).prop_map(|(account, client)| Step::Refuse { account, client }),
        1 => Just(Step::Flush),
    ]
}

/// One appended row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Row {
    Trade(TradeRow),
    Order(OrderRow),
    Public(PublicTrade),
    Funding(FundingRow),
    Entry(EntryRow),
    Conversion(ConversionRow),
    Clearing(ClearingRow),
    Staking(StakingRow),
    Prediction(PredictionRow),
    OrderEvent(OrderChange),
    Refused(RefusedEvent),
}

/// A venue with its history and every row it ever appended, oldest first.
pub(super) struct Rig {
    pub(super) history: History,
    pub(super) rows: Vec<Row>,
    pub(super) time: Time,
    live: Vec<OrderRow>,
    ids: u64,
    /// How many order events there were.
    events: u64,
}

impl Rig {
    pub(super) fn new(directory: &Path) -> Self {
        let history = History::open_with(directory.into(), Index::new(KEY), TINY).unwrap();
        Self {
            history,
            rows: Vec::new(),
            time: Time(1_700_000_000_000_000),
            live: Vec::new(),
            ids: 0,
            events: 0,
        }
    }

    pub(super) fn run(&mut self, steps: &[Step]) {
        for step in steps {
            self.step(*step);
        }
    }

    pub(super) fn step(&mut self, step: Step) {
        match step {
            Step::Wait(micros) => self.time = self.time.plus(micros),
            Step::Place { account, symbol, client } => self.place(account, symbol, client),
            Step::Trade { order, qty, fee } if !self.live.is_empty() => self.trade(order, qty, fee),
            Step::Close { order, reason } if !self.live.is_empty() => self.close(order, reason),
            Step::Trade { .. } | Step::Close { .. } => {}
            Step::Refuse { account, client } => self.refuse(account, client),
            Step::Flush => self.history.flush().unwrap(),
        }
    }

    fn id(&mut self) -> u64 {
        self.ids += 1;
        self.ids
    }

    fn place(&mut self, account: u32, symbol: u16, client: Option<u8>) {
        let id = OrderId(self.id());
        let kind = if client.is_some() { OrderKind::Limit } else { OrderKind::MarketSpend };
        let option = client.filter(|client| *client > 0).map(|_| ExecutionOption::MakerOrCancel);
        let order = OrderState {
            account: AccountId(account),
            session: SessionId(7),
            id,
            symbol: SymbolId(symbol.into()),
            side: if id.0.is_multiple_of(2) { Side::Buy } else { Side::Sell },
            claim: Claim::Yes,
            kind,
            option,
            price: Price::from_ticks(id.0 * 1_000),
            original: Qty::from_hundredths(u128::MAX),
            remaining: Qty::from_hundredths(u128::MAX),
            notional: Money::ZERO,
            broken: Qty::ZERO,
            placed: self.time,
            reason: None,
            client_id: client.map(client_id),
            stop: id.0.is_multiple_of(3).then(|| Price::from_ticks(id.0)),
        };
        self.live.push(OrderRow { order, closed: self.time, trades: None });
    }

    fn trade(&mut self, pick: usize, qty: u64, fee: i128) {
        let trade = TradeId(self.id());
        let place = pick % self.live.len();
        let OrderRow { order, trades, .. } = &mut self.live[place];
        let qty = Qty::from_hundredths(u128::from(qty));
        order.remaining -= qty;
        order.notional += Money::from_units(fee);
        let row = TradeRow {
            account: order.account,
            symbol: order.symbol,
            order: order.id,
            trade,
            time: self.time,
            claim: Claim::ALL[usize::from(pick.is_multiple_of(3))],
            side: order.side,
            part: [
                Part::Taker,
                Part::Maker,
                Part::Auction,
                Part::OffBook(Money::from_units(fee)),
                Part::Clearing,
            ][pick % 5],
            price: order.price,
            qty,
            fee: Money::from_units(fee),
            client_id: order.client_id,
            of_order: *trades,
            settled: pick
                .is_multiple_of(2)
                .then(|| Settled { base: Money::from_units(fee), quote: Money::from_units(-fee) }),
            counted: pick.is_multiple_of(7).then(|| Money::from_units(fee)),
        };
        let public = PublicTrade {
            symbol: row.symbol,
            trade,
            time: row.time,
            price: row.price,
            qty,
            taker: (row.part != Part::Auction).then(|| row.side.opposite()),
        };
        let at = self.append(&Row::Trade(row));
        self.live[place].trades = Some(at);
        let step = (OrderStep::Filled(OrderFill::from(&row)), false);
        self.change(&self.live[place].order.clone(), step, [Some(at), None]);
        self.append(&Row::Public(public));
        let account = Some(row.account).filter(|_| qty.hundredths().is_multiple_of(2));
        let funding = FundingRow { account, symbol: row.symbol, hour: self.time, amount: row.fee };
        self.append(&Row::Funding(funding));
        self.append(&Row::Entry(EntryRow {
            account: row.account,
            currency: CurrencyId(u16::try_from(row.symbol.0).unwrap()),
            time: self.time,
            amount: row.fee,
            balance: -row.fee,
            cause: Cause::ALL[pick % Cause::ALL.len()],
            about: if pick.is_multiple_of(3) { About::Nothing } else { About::Trade(row.order, trade) },
        }));
        self.append(&Row::Conversion(ConversionRow {
            account: row.account,
            symbol: row.symbol,
            order: OrderId(trade.0),
            time: self.time,
            side: row.side,
            qty,
            price: Money::from_units(fee),
            notional: row.fee,
            fee: row.fee,
            client_id: row.client_id,
        }));
        self.append(&Row::Clearing(clearing_of(&row)));
        self.append(&Row::Staking(staking_of(&row)));
        self.append(&Row::Prediction(prediction_of(&row)));
    }

    fn close(&mut self, pick: usize, reason: Option<CancelReason>) {
        let live = self.live.swap_remove(pick % self.live.len());
        let order = OrderState { reason, ..live.order };
        let at = self.append(&Row::Order(OrderRow { order, closed: self.time, ..live }));
        let step = reason.map_or((OrderStep::Closed, false), |reason| (OrderStep::Cancelled(reason), true));
        self.change(&order, step, [None, Some(at)]);
    }

    fn refuse(&mut self, account: u32, client: Option<u8>) {
        let id = OrderId(self.id());
        let figure = |text: &str| Decimal::parse(text.as_bytes()).ok();
        let has_client = client.is_some();
        let order = RefusedOrder {
            id,
            account: AccountId(account),
            session: SessionId(7),
            symbol: SymbolId(1),
            side: if id.0.is_multiple_of(2) { Side::Buy } else { Side::Sell },
            claim: Claim::ALL[usize::from(has_client)],
            kind: if has_client { OrderKind::StopLimit } else { OrderKind::MarketSpend },
            option: has_client.then_some(ExecutionOption::FillOrKill),
            price: figure("999999999999999999.9999999999999999999").filter(|_| has_client),
            stop: figure("0.10").filter(|_| has_client),
            qty: figure("999999999999999999.9999999999999999999").filter(|_| has_client),
            spend: figure("7.00").filter(|_| !has_client),
            client_id: client.map(client_id),
            reason: RefusalReason::ALL[usize::try_from(id.0).unwrap() % RefusalReason::ALL.len()],
        };
        let event = RefusedEvent { id: EventId(8 * self.events), time: self.time, order };
        self.events += 1;
        self.append(&Row::Refused(event));
    }

    /// Appends a change of an order, each of a command of its own.
    fn change(
        &mut self,
        order: &OrderState,
        (step, is_double): (OrderStep, bool),
        [trade, closed]: [Option<Position>; 2],
    ) {
        let first = EventId(8 * self.events);
        self.events += 1;
        let (time, order) = (self.time, *order);
        let change = OrderChange { first, time, step, is_double, order, spend: Money::ZERO, trade, closed };
        self.append(&Row::OrderEvent(change));
    }

    /// The events of the orders of an account, oldest first.
    pub(super) fn events(&self, account: AccountId) -> Vec<AccountEvent> {
        let events = self.rows.iter().flat_map(|row| match row {
            Row::OrderEvent(change) => change.events().map(AccountEvent::Order).collect(),
            Row::Refused(event) => vec![AccountEvent::Refused(*event)],
            Row::Trade(_)
            | Row::Order(_)
            | Row::Public(_)
            | Row::Funding(_)
            | Row::Entry(_)
            | Row::Conversion(_)
            | Row::Clearing(_)
            | Row::Staking(_)
            | Row::Prediction(_) => Vec::new(),
        });
        events.filter(|event| event.account() == account).collect()
    }

    /// A live order.
    pub(super) fn live(&self, order: OrderId) -> Option<OrderState> {
        self.live.iter().map(|live| live.order).find(|live| live.id == order)
    }

    fn append(&mut self, row: &Row) -> Position {
        self.rows.push(*row);
        append(&mut self.history, row)
    }

    /// Trades of an account, oldest first.
    pub(super) fn trades(&self, account: AccountId, symbol: Option<SymbolId>) -> Vec<TradeRow> {
        let rows = self.rows.iter().filter_map(|row| match row {
            Row::Trade(row) => Some(*row),
            Row::Order(_)
            | Row::Public(_)
            | Row::Funding(_)
            | Row::Entry(_)
            | Row::Conversion(_)
            | Row::Clearing(_)
            | Row::Staking(_)
            | Row::Prediction(_)
            | Row::OrderEvent(_)
            | Row::Refused(_) => None,
        });
        rows.filter(|row| row.account == account && symbol.is_none_or(|symbol| row.symbol == symbol))
            .collect()
    }

    /// Closed orders of an account, in the order in which they closed.
    pub(super) fn orders(&self, account: AccountId, symbol: Option<SymbolId>) -> Vec<OrderRow> {
        let rows = self.rows.iter().filter_map(|row| match row {
            Row::Order(row) => Some(*row),
            Row::Trade(_)
            | Row::Public(_)
            | Row::Funding(_)
            | Row::Entry(_)
            | Row::Conversion(_)
            | Row::Clearing(_)
            | Row::Staking(_)
            | Row::Prediction(_)
            | Row::OrderEvent(_)
            | Row::Refused(_) => None,
        });
        rows.filter(|row| {
            row.order.account == account && symbol.is_none_or(|symbol| row.order.symbol == symbol)
        })
        .collect()
    }

    /// Closed orders of an account with their trades, the one placed first before the others.
    pub(super) fn past_orders(&self, account: AccountId, symbol: Option<SymbolId>) -> Vec<PastOrder> {
        let mut rows = self.orders(account, symbol);
        rows.sort_by_key(|row| row.order.id);
        let with_trades = |row: OrderRow| {
            let trades = self.trades(account, symbol).into_iter().rev();
            PastOrder { row, trades: trades.filter(|trade| trade.order == row.order.id).collect() }
        };
        rows.into_iter().map(with_trades).collect()
    }

    /// Public trades of a symbol, oldest first.
    pub(super) fn public(&self, symbol: SymbolId) -> Vec<PublicTrade> {
        let rows = self.rows.iter().filter_map(|row| match row {
            Row::Public(row) => Some(*row),
            Row::Trade(_)
            | Row::Order(_)
            | Row::Funding(_)
            | Row::Entry(_)
            | Row::Conversion(_)
            | Row::Clearing(_)
            | Row::Staking(_)
            | Row::Prediction(_)
            | Row::OrderEvent(_)
            | Row::Refused(_) => None,
        });
        rows.filter(|row| row.symbol == symbol).collect()
    }
}

/// Appends the rows of a venue.
pub(super) fn append_all(history: &mut History, rows: &[Row]) {
    for row in rows {
        append(history, row);
    }
}

fn append(history: &mut History, row: &Row) -> Position {
    match row {
        Row::Trade(row) => history.push(row),
        Row::Order(row) => history.push(row),
        Row::Public(row) => history.push(row),
        Row::Funding(row) => history.push(row),
        Row::Entry(row) => history.push(row),
        Row::Conversion(row) => history.push(row),
        Row::Clearing(row) => history.push(row),
        Row::Staking(row) => history.push(row),
        Row::Prediction(row) => history.push(row),
        Row::OrderEvent(change) => history.push(&OrderEventRow::from(change)),
        Row::Refused(event) => history.push(&OrderEventRow::from(event)),
    }
}

/// A row of prediction markets with the figures of a trade.
fn prediction_of(row: &TradeRow) -> PredictionRow {
    if row.trade.0.is_multiple_of(2) {
        return PredictionRow::Settled(SettledPosition {
            account: row.account,
            contract: row.symbol,
            claim: Claim::No,
            quantity: row.fee,
            payout: Money::ZERO,
            cost: row.fee,
            realised: -row.fee,
            result: Settlement::Void(Some(row.fee)),
            time: row.time,
        });
    }
    PredictionRow::Order(ClosedContractOrder {
        account: row.account,
        contract: row.symbol,
        order: row.order,
        claim: Claim::No,
        side: row.side,
        kind: OrderKind::StopLimit,
        option: None,
        price: row.price,
        original: row.qty,
        remaining: Qty::ZERO,
        notional: row.fee,
        stop: Some(Price::from_ticks(3)),
        placed: row.time,
        closed: row.time,
        reason: None,
        client_id: row.client_id,
    })
}

/// A row of staking with the figures of a trade.
fn staking_of(row: &TradeRow) -> StakingRow {
    let kinds = [
        StakingKind::Deposit,
        StakingKind::Redeem,
        StakingKind::Interest { rate: row.order.0, price: row.fee },
        StakingKind::Paid { requested: row.time },
    ];
    StakingRow {
        account: row.account,
        provider: [7; 16],
        currency: CurrencyId(1),
        number: row.trade.0,
        amount: Money::from_units(5),
        time: row.time,
        kind: kinds[usize::try_from(row.trade.0 % 4).unwrap()],
    }
}

/// A closed clearing order with the figures of a trade.
fn clearing_of(row: &TradeRow) -> ClearingRow {
    let ends = [ClearingEnd::Settled, ClearingEnd::Expired, ClearingEnd::Cancelled];
    ClearingRow {
        number: row.trade.0,
        symbol: row.symbol,
        side: row.side,
        price: row.price,
        qty: row.qty,
        end: ends[usize::try_from(row.trade.0 % 3).unwrap()],
        is_confirmed: row.trade.0.is_multiple_of(2),
        source: row.account,
        source_order: row.order,
        target: row.trade.0.is_multiple_of(3).then_some(AccountId(7)),
        target_order: None,
        broker: None,
        submitted: row.time,
        expires: row.time,
        changed: row.time,
    }
}

/// One of a few client ids of different lengths.
pub(super) fn client_id(number: u8) -> ClientId {
    ClientId::new(&"client:id".repeat(usize::from(number) * 3 + 1)).unwrap()
}

/// A trade of an order whose previous trade is at `before`.
pub(super) fn trade_of_order(number: u64, before: Option<Position>) -> TradeRow {
    TradeRow {
        account: AccountId(0),
        symbol: SymbolId(0),
        order: OrderId(1),
        trade: TradeId(number),
        time: Time(number),
        claim: Claim::Yes,
        side: Side::Sell,
        part: Part::Maker,
        price: Price::from_ticks(1),
        qty: Qty::from_hundredths(1),
        fee: Money::ZERO,
        client_id: None,
        of_order: before,
        settled: None,
        counted: None,
    }
}
