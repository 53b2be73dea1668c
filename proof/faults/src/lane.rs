//! One thread of load: a key that places and cancels, or two keys that trade with each other.
//!
//! A lane stops at the first request without an answer: it cannot know more after that.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use buttonwood_accept::{Actor, Dec, NewOrder, Value, dec, json};

use crate::draw::Draw;
use crate::memory::{Known, Memory, Order};
use crate::record::Record;

/// The state that all lanes of a load share.
#[derive(Debug, Default)]
pub struct Shared {
    /// Set when the lanes should end.
    pub stop: AtomicBool,
    /// Set when the disk is about to fail: reads that need it may then be answered with 500.
    pub disk_fails: AtomicBool,
    /// Changes acknowledged so far.
    pub acknowledged: AtomicU64,
    /// Changes refused so far for lack of room.
    pub refused: AtomicU64,
}

/// Why a lane ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It was stopped, or had sent all its steps.
    Done,
    /// A request had no answer.
    Gone,
}

/// A lane's task.
#[derive(Clone, Debug)]
pub enum Lane {
    /// Places orders that never trade, and cancels many of them.
    Rest(Box<Memory>),
    /// Sells and buys between two accounts on a symbol that no other key trades.
    Trade {
        /// The symbol.
        symbol: &'static str,
        /// The maker.
        maker: Box<Memory>,
        /// The taker.
        taker: Box<Memory>,
    },
}

impl Lane {
    /// The memories of the lane's keys.
    pub fn memories(&self) -> Vec<&Memory> {
        match self {
            Self::Rest(memory) => vec![memory],
            Self::Trade { maker, taker, .. } => vec![maker, taker],
        }
    }

    /// The same, mutable.
    pub fn memories_mut(&mut self) -> Vec<&mut Memory> {
        match self {
            Self::Rest(memory) => vec![memory],
            Self::Trade { maker, taker, .. } => vec![maker, taker],
        }
    }

    /// Sends up to `steps` steps.
    pub fn run(&mut self, actors: &[Actor], draw: &mut Draw, run: &Run<'_>, steps: u64) -> Ended {
        let mut step = || match self {
            Self::Rest(memory) => rest(&mut Teller::new(&actors[0], memory, run), draw),
            Self::Trade { symbol, maker, taker } => {
                let mut maker = Teller::new(&actors[0], maker, run);
                let mut taker = Teller::new(&actors[1], taker, run);
                trade(symbol, &mut maker, &mut taker, draw)
            }
        };
        for _ in 0..steps {
            if run.shared.stop.load(Ordering::Relaxed) {
                break;
            }
            if step().is_none() {
                return Ended::Gone;
            }
        }
        Ended::Done
    }
}

/// One run of a load.
#[derive(Clone, Copy, Debug)]
pub struct Run<'r> {
    /// The number of the run, for names.
    pub number: u64,
    /// The record of all requests.
    pub record: &'r Record,
    /// The state shared by the lanes.
    pub shared: &'r Shared,
}

/// One key at work: it sends requests and records the results.
struct Teller<'a> {
    actor: &'a Actor,
    memory: &'a mut Memory,
    run: &'a Run<'a>,
}

/// The answer to a change.
enum Told {
    /// It was done.
    Yes(Value),
    /// It was refused for lack of room.
    No,
}

impl<'a> Teller<'a> {
    fn new(actor: &'a Actor, memory: &'a mut Memory, run: &'a Run<'a>) -> Self {
        Self { actor, memory, run }
    }

    /// Sends a change; `None` if no answer came.
    fn change(&mut self, path: &str, mut params: Value) -> Option<Told> {
        let nonce = self.actor.client().next_nonce();
        params["nonce"] = json!(nonce);
        let key = &self.memory.key;
        self.run.record.note(key, "sent", &json!({ "path": path, "params": params }));
        let answer = match self.actor.try_call(path, params) {
            Ok(answer) => answer,
            Err(error) => {
                self.run.record.note(key, "no answer", &json!(error.to_string()));
                return None;
            }
        };
        if answer.status() == 503 {
            self.run.record.note(key, "refused", &answer.json());
            self.run.shared.refused.fetch_add(1, Ordering::Relaxed);
            return Some(Told::No);
        }
        let body = answer.ok();
        self.run.record.note(key, "acknowledged", &body);
        self.run.shared.acknowledged.fetch_add(1, Ordering::Relaxed);
        self.memory.nonce = nonce;
        Some(Told::Yes(body))
    }

    /// Places an order; returns its place in the memory. `None` if no answer came.
    fn place(&mut self, mut order: NewOrder) -> Option<usize> {
        let place = self.memory.orders.len();
        let name = format!("{}-{}-{place}", self.memory.key, self.run.number);
        order = order.named(&name);
        self.memory.orders.push(Order::new(&name, order.params()));
        self.memory.touched.insert(place);
        match self.change("/v1/order/new", order.params())? {
            Told::Yes(told) => {
                let at = told["timestampms"].as_u64().expect("an order has a time");
                let before = self.memory.latest_ms;
                assert!(at >= before, "{name}: time went back from {before} to {at}");
                self.memory.latest_ms = at;
                self.memory.orders[place].tell(told);
            }
            Told::No => self.memory.orders[place].known = Known::Never,
        }
        Some(place)
    }

    fn cancel(&mut self, place: usize, by_name: bool) -> Option<()> {
        self.memory.touched.insert(place);
        let order = &mut self.memory.orders[place];
        let Some(id) = order.id() else { return Some(()) };
        let params =
            if by_name { json!({ "client_order_id": order.name }) } else { json!({ "order_id": id }) };
        order.cancel_unknown = true;
        match self.change("/v1/order/cancel", params)? {
            Told::Yes(told) => {
                let order = &mut self.memory.orders[place];
                assert!(order.admits(&told), "{}: cancelled as {told}, was {:?}", order.name, order);
                order.tell(told);
            }
            // The reserved space exists for cancels (J11).
            Told::No => panic!("{}: a cancel was refused", self.memory.orders[place].name),
        }
        Some(())
    }

    /// Reads; `None` if no answer came, or if the answer reports that the failing disk was needed.
    fn read(&self, path: &str, params: Value) -> Option<Value> {
        let answer = self.actor.try_call(path, params).ok()?;
        if answer.status() == 500 && self.run.shared.disk_fails.load(Ordering::Relaxed) {
            return None;
        }
        let found = answer.ok();
        self.run.record.note(&self.memory.key, "read", &found);
        Some(found)
    }

    /// Reads an order back; from then on this is the known state.
    fn look(&mut self, place: usize) -> Option<()> {
        let Some(id) = self.memory.orders[place].id() else { return Some(()) };
        let id = json!({ "order_id": id });
        let found = self.read("/v1/order/status", id)?;
        let order = &mut self.memory.orders[place];
        assert!(order.admits(&found), "{}: read as {found}, was {order:?}", order.name);
        order.tell(found);
        Some(())
    }

    /// Reads the newest own trades; once shown, they must stay.
    fn look_at_trades(&mut self) -> Option<()> {
        let page = self.read("/v1/mytrades", json!({ "limit_trades": 20 }))?;
        for trade in page.as_array().expect("trades are an array") {
            self.memory.trades.insert(trade["tid"].as_u64().expect("a trade has an id"), trade.clone());
        }
        Some(())
    }
}

/// One step of a lane that never trades.
fn rest(me: &mut Teller<'_>, draw: &mut Draw) -> Option<()> {
    let live = me.memory.live();
    if live.len() > 3 && draw.chance(45) {
        return me.cancel(*draw.pick(&live), draw.chance(30));
    }
    let price = draw.between(100, 150).to_string();
    let amount = format!("0.00{}", draw.between(1, 9));
    let placed = me.place(NewOrder::limit("btcusd", "buy", &amount, &price))?;
    match draw.between(1, 20) {
        1 => me.look(placed),
        // Cancelling twice has the effect of once (ORD-057).
        2 => me.cancel(placed, false).and_then(|()| me.cancel(placed, false)),
        _ => Some(()),
    }
}

const PRICE: &str = "100";

/// One step of a lane that trades: an order to sell, some that buy from it, sometimes a cancel of the rest.
fn trade(symbol: &str, maker: &mut Teller<'_>, taker: &mut Teller<'_>, draw: &mut Draw) -> Option<()> {
    // Orders that a crash left on the book would trade first.
    for place in maker.memory.live() {
        maker.cancel(place, false)?;
    }
    let sold = maker.place(NewOrder::limit(symbol, "sell", "0.03", PRICE))?;
    if !maker.memory.orders[sold].is_live() {
        return Some(());
    }
    for _ in 0..draw.between(1, 3) {
        let left = Dec::wire(&maker.memory.orders[sold].told()?["remaining_amount"]);
        if left == Dec::ZERO {
            break;
        }
        let all = draw.chance(25);
        let amount = if all { "0.05" } else { "0.01" };
        let mut order = NewOrder::limit(symbol, "buy", amount, PRICE);
        if all {
            order = order.with_option("immediate-or-cancel");
        }
        maker.memory.touched.insert(sold);
        maker.memory.orders[sold].perhaps = left.min(dec(amount));
        let bought = taker.place(order)?;
        let resting = &mut maker.memory.orders[sold];
        resting.perhaps = Dec::ZERO;
        if let Some(told) = taker.memory.orders[bought].told() {
            let filled = Dec::wire(&told["executed_amount"]);
            assert_eq!(filled, left.min(dec(amount)), "{symbol}: {told} met {resting:?}");
            resting.filled = filled;
        }
        maker.look(sold)?;
    }
    match draw.between(1, 8) {
        1 => maker.look_at_trades(),
        2 => taker.look_at_trades(),
        3 | 4 => maker.cancel(sold, false),
        _ => Some(()),
    }
}
