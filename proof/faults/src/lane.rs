//! One thread of load: a key that places and cancels, or two keys that trade with each other.
//!
//! A lane stops at the first request without an answer: it cannot know more after that.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use buttonwood_accept::{Actor, Dec, NewOrder, Value, dec, json};

use crate::draw::Draw;
use crate::memory::{Figures, HOUR_MS, Known, Memory, Order};
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
    /// Sells and buys between two accounts, at a price at which no other key trades.
    Trade {
        /// What is traded.
        deal: Deal,
        /// The maker.
        maker: Box<Memory>,
        /// The taker.
        taker: Box<Memory>,
    },
}

/// What a lane trades.
#[derive(Clone, Copy, Debug)]
pub struct Deal {
    /// The symbol.
    pub symbol: &'static str,
    /// The price of every order.
    pub price: &'static str,
    /// How the taker trades.
    pub product: Product,
}

/// How the taker of a lane trades.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Product {
    /// It buys with its own money.
    Cash,
    /// Both sides are derivatives accounts.
    Perpetual,
    /// It is a margin account that buys with borrowed dollars.
    Margin,
}

impl Product {
    /// What the risk figures of the taker are read with.
    fn figures(self) -> Vec<(&'static str, Value)> {
        match self {
            Self::Cash => Vec::new(),
            Self::Perpetual => {
                vec![("/v1/positions", json!({})), ("/v1/margin", json!({ "symbol": PERPETUAL }))]
            }
            Self::Margin => vec![("/v1/margin/account", json!({}))],
        }
    }
}

/// The perpetual that is traded.
pub const PERPETUAL: &str = "btcgusdperp";

/// The most that the taker of a lane holds; then it sells, until it holds less than nothing or owes nothing.
const HELD_MAX: &str = "0.6";

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
            Self::Trade { deal, maker, taker } => {
                let mut maker = Teller::new(&actors[0], maker, run);
                let mut taker = Teller::new(&actors[1], taker, run);
                trade(deal, &mut maker, &mut taker, draw)
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
    fn place(&mut self, order: NewOrder) -> Option<usize> {
        self.place_as(order, false)
    }

    /// The same, on margin if so.
    fn place_as(&mut self, mut order: NewOrder, on_margin: bool) -> Option<usize> {
        let place = self.memory.orders.len();
        let name = format!("{}-{}-{place}", self.memory.key, self.run.number);
        order = order.named(&name);
        let mut params = order.params();
        if on_margin {
            params["margin_order"] = json!(true);
        }
        self.memory.orders.push(Order::new(&name, params.clone()));
        self.memory.touched.insert(place);
        match self.change("/v1/order/new", params)? {
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
        let may_be_over = order.cancel_unknown || order.told().is_none_or(|told| told["is_live"] != true);
        order.cancel_unknown = true;
        self.memory.figures = None;
        let before = self.memory.nonce;
        match self.change("/v1/order/cancel", params)? {
            Told::Yes(told) => {
                if may_be_over || told["reason"] != "Requested" {
                    // A cancel of nothing keeps its nonce as a read does, which a crash may lose (D-08a, D-272).
                    self.memory.nonce = before;
                }
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
        // The history of a failing disk is damaged as far as this read can tell, which is 503.
        let disk_fails = self.run.shared.disk_fails.load(Ordering::Relaxed);
        if disk_fails && matches!(answer.status(), 500 | 503) {
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

    /// Reads the risk figures of the account: until it trades again, in the same hour, they stay.
    fn look_at_figures(&mut self, product: Product) -> Option<()> {
        let hour = self.memory.latest_ms / HOUR_MS;
        let mut replies = Vec::new();
        for (path, params) in product.figures() {
            let reply = self.read(path, params.clone())?;
            replies.push((path, params, reply));
        }
        let orders = self.memory.orders.len();
        self.memory.figures = (!replies.is_empty()).then_some(Figures { replies, orders, hour });
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

/// What is traded for cash.
pub const fn cash(symbol: &'static str) -> Deal {
    Deal { symbol, price: PRICE, product: Product::Cash }
}

/// Whether the taker buys next: it fills its account, and then empties it.
fn buys(deal: &Deal, taker: &mut Teller<'_>) -> bool {
    if deal.product == Product::Cash {
        return true;
    }
    held(taker).1
}

/// The amount that the taker has bought and not sold, and whether it buys next.
fn held(taker: &Teller<'_>) -> (Dec, bool) {
    let (mut held, mut buys) = (Dec::ZERO, true);
    for told in taker.memory.orders.iter().filter_map(Order::told) {
        let executed = Dec::wire(&told["executed_amount"]);
        held = if told["side"] == "buy" { held + executed } else { held - executed };
        buys = if buys { held < dec(HELD_MAX) } else { held <= Dec::ZERO };
    }
    (held, buys)
}

/// One step of a lane that trades: an order that rests, some that meet it, sometimes a cancel of the rest.
fn trade(deal: &Deal, maker: &mut Teller<'_>, taker: &mut Teller<'_>, draw: &mut Draw) -> Option<()> {
    let Deal { symbol, price, product } = *deal;
    // Orders that a crash left on the book would trade first.
    for place in maker.memory.live() {
        maker.cancel(place, false)?;
    }
    let [rests, meets] = if buys(deal, taker) { ["sell", "buy"] } else { ["buy", "sell"] };
    let sold = maker.place(NewOrder::limit(symbol, rests, "0.03", price))?;
    if !maker.memory.orders[sold].is_live() {
        return Some(());
    }
    for _ in 0..draw.between(1, 3) {
        let left = Dec::wire(&maker.memory.orders[sold].told()?["remaining_amount"]);
        if left == Dec::ZERO {
            break;
        }
        // A margin account that has sold all it had could borrow no more of it to sell.
        if product == Product::Margin && meets == "sell" && held(taker).0 <= Dec::ZERO {
            break;
        }
        let all = draw.chance(25) && product != Product::Margin;
        let amount = if all { "0.05" } else { "0.01" };
        let mut order = NewOrder::limit(symbol, meets, amount, price);
        if all {
            order = order.with_option("immediate-or-cancel");
        }
        maker.memory.touched.insert(sold);
        maker.memory.orders[sold].perhaps = left.min(dec(amount));
        let bought = taker.place_as(order, product == Product::Margin)?;
        let resting = &mut maker.memory.orders[sold];
        resting.perhaps = Dec::ZERO;
        if let Some(told) = taker.memory.orders[bought].told() {
            let filled = Dec::wire(&told["executed_amount"]);
            assert_eq!(filled, left.min(dec(amount)), "{symbol}: {told} met {resting:?}");
            resting.filled = filled;
        }
        maker.look(sold)?;
    }
    taker.look_at_figures(product)?;
    match draw.between(1, 8) {
        1 => maker.look_at_trades(),
        2 => taker.look_at_trades(),
        3 | 4 => maker.cancel(sold, false),
        _ => Some(()),
    }
}
