//! The load of every family: a few lanes in parallel, and the memory of all their answers.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use buttonwood_accept::{Actor, Exchange, json, laws};

use crate::draw::Draw;
use crate::lane::{Deal, Ended, Lane, PERPETUAL, Product, Run, Shared, cash};
use crate::memory::Memory;
use crate::oracle::{self, Scope};
use crate::record::Record;

/// The index of bitcoin and ether, and the price of all that is traded against it.
const INDEX: &str = "50000";

/// Several lanes on one directory, over any number of its starts.
#[derive(Clone, Debug)]
pub struct Load {
    lanes: Vec<Lane>,
    record: Arc<Record>,
    runs: u64,
    draw: Draw,
}

/// The result of one run of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ran {
    /// Changes acknowledged.
    pub acknowledged: u64,
    /// Changes refused for lack of room.
    pub refused: u64,
    /// Whether a lane lost the exchange.
    pub gone: bool,
}

impl Load {
    /// Three lanes that rest and four that trade, on a newly founded exchange: two for cash, one a perpetual, one on margin.
    pub fn new(x: &Exchange, record: Arc<Record>, draw: Draw) -> Self {
        for currency in ["BTC", "ETH"] {
            x.control(&format!("/sandbox/index/{currency}"), &json!({ "price": INDEX })).ok();
        }
        let memory = |key: &str| {
            let mut memory = Memory::new(key);
            memory.start = oracle::holdings(x, key);
            memory.hour = oracle::hour(x);
            Box::new(memory)
        };
        let rest = ["load-000", "load-001", "load-002"].map(|key| Lane::Rest(memory(key)));
        let perpetual = Deal { symbol: PERPETUAL, price: INDEX, product: Product::Perpetual };
        let margin = Deal { symbol: "ethusd", price: INDEX, product: Product::Margin };
        let deals = [
            (cash("ltcusd"), "load-010", "load-011"),
            (cash("bchusd"), "load-020", "load-021"),
            (perpetual, "perp-010", "perp-011"),
            (margin, "load-030", "margin-001"),
        ];
        let trade = deals.map(|(deal, rests, meets)| Lane::Trade {
            deal,
            maker: memory(rests),
            taker: memory(meets),
        });
        Self { lanes: rest.into_iter().chain(trade).collect(), record, runs: 0, draw }
    }

    /// Runs every lane for up to `steps` steps while `during` does its harm; when that returns, the lanes end.
    pub fn run(&mut self, x: &Exchange, steps: u64, during: impl FnOnce(&Shared)) -> Ran {
        self.run_lanes(x, steps, |shared| {
            during(shared);
            shared.stop.store(true, Ordering::Relaxed);
        })
    }

    /// Runs every lane to its end: all steps done, or the exchange lost.
    pub fn run_out(&mut self, x: &Exchange, steps: u64) -> Ran {
        self.run_lanes(x, steps, |_| {})
    }

    fn run_lanes(&mut self, x: &Exchange, steps: u64, during: impl FnOnce(&Shared)) -> Ran {
        self.runs += 1;
        let shared = Shared::default();
        let run = Run { number: self.runs, record: &self.record, shared: &shared };
        self.record.note("load", "run", &self.runs.into());
        let draw = &mut self.draw;
        let gone = std::thread::scope(|scope| {
            let lanes: Vec<_> = self
                .lanes
                .iter_mut()
                .map(|lane| {
                    let actors: Vec<Actor> =
                        lane.memories().iter().map(|memory| x.fresh(&memory.key)).collect();
                    let mut draw = draw.fork();
                    scope.spawn(move || lane.run(&actors, &mut draw, &run, steps))
                })
                .collect();
            during(&shared);
            let ended: Vec<Ended> =
                lanes.into_iter().map(|lane| lane.join().expect("no lane saw anything wrong")).collect();
            ended.contains(&Ended::Gone)
        });
        self.record.flush();
        Ran {
            acknowledged: shared.acknowledged.load(Ordering::Relaxed),
            refused: shared.refused.load(Ordering::Relaxed),
            gone,
        }
    }

    /// Checks all known facts against a restarted exchange; returns how many acknowledged orders were compared
    /// individually.
    pub fn check(&mut self, x: &Exchange, scope: Scope) -> u64 {
        let memories = self.lanes.iter_mut().flat_map(Lane::memories_mut);
        memories.map(|memory| oracle::check(x, memory, scope)).sum()
    }

    /// The status codes of reading every acknowledged order and all own trades, including errors.
    pub fn reads(&self, x: &Exchange) -> Vec<u16> {
        let mut statuses = Vec::new();
        for memory in self.lanes.iter().flat_map(Lane::memories) {
            let actor = x.fresh(&memory.key);
            for order in &memory.orders {
                if let Some(id) = order.id() {
                    statuses.push(actor.call("/v1/order/status", json!({ "order_id": id })).status());
                }
            }
            statuses.push(actor.call("/v1/mytrades", json!({ "limit_trades": 500 })).status());
        }
        statuses
    }

    /// The last check of a round: everything once more, then a clean stop and `verify`.
    pub fn finish(&mut self, x: &Exchange) -> u64 {
        let compared = self.check(x, Scope::All);
        laws::check(x);
        compared
    }

    /// Number of orders acknowledged so far.
    pub fn acknowledged(&self) -> usize {
        self.lanes.iter().flat_map(Lane::memories).map(Memory::acknowledged).sum()
    }
}
