//! The generator's own book, with price-time priority.

use super::rng::Rng;
use std::collections::{BTreeMap, HashMap, VecDeque};

/// An order resting in the generator's book; `side` is 0 for buys, `at` its index among the live ones.
#[derive(Clone, Copy)]
pub(crate) struct Resting {
    pub(crate) side: u8,
    pub(crate) price: i64,
    pub(crate) qty: u64,
    pub(crate) account: u32,
    pub(crate) at: u32,
}

/// The generator's own book.
#[derive(Default)]
pub(crate) struct Book {
    pub(super) lanes: [BTreeMap<i64, VecDeque<u64>>; 2],
    pub(super) live: Vec<u64>,
    pub(super) mid: i64,
}

/// The orders of all books, and the traded quantities.
#[derive(Default)]
pub(crate) struct World {
    pub(crate) orders: HashMap<u64, Resting>,
    pub(crate) trades: u64,
    pub(crate) lots: u64,
    pub(super) trading: u64,
}

impl Book {
    pub(super) fn best(&self, side: u8) -> Option<i64> {
        let lane = &self.lanes[usize::from(side)];
        if side == 0 { lane.keys().next_back().copied() } else { lane.keys().next().copied() }
    }

    fn lane(&mut self, side: u8) -> &mut BTreeMap<i64, VecDeque<u64>> {
        &mut self.lanes[usize::from(side)]
    }

    /// Adds a resting order.
    pub(crate) fn rest(&mut self, world: &mut World, id: u64, order: Resting) {
        self.lane(order.side).entry(order.price).or_default().push_back(id);
        world.orders.insert(id, Resting { at: self.live.len() as u32, ..order });
        self.live.push(id);
    }

    fn forget(&mut self, world: &mut World, at: u32) {
        self.live.swap_remove(at as usize);
        if let Some(moved) = self.live.get(at as usize) {
            world.orders.get_mut(moved).expect("a live order is known").at = at;
        }
    }

    /// Removes a live order.
    pub(crate) fn remove(&mut self, world: &mut World, id: u64) -> Resting {
        let order = world.orders.remove(&id).expect("a live order is known");
        let lane = self.lane(order.side);
        let queue = lane.get_mut(&order.price).expect("a live order has a queue");
        let place = queue.iter().position(|other| *other == id).expect("a live order queues");
        queue.remove(place);
        if queue.is_empty() {
            lane.remove(&order.price);
        }
        self.forget(world, order.at);
        order
    }

    /// Matches against the other side up to `limit`; returns the open quantity.
    pub(crate) fn take(&mut self, world: &mut World, side: u8, limit: Option<i64>, mut qty: u64) -> u64 {
        let mut traded = false;
        while qty > 0 {
            let Some(price) = self.best(side ^ 1) else { break };
            if limit.is_some_and(|limit| if side == 0 { price > limit } else { price < limit }) {
                break;
            }
            let lane = self.lane(side ^ 1);
            let queue = lane.get_mut(&price).expect("the best price has a queue");
            let id = *queue.front().expect("a queue is not empty");
            let maker = world.orders.get_mut(&id).expect("a live order is known");
            let filled = qty.min(maker.qty);
            maker.qty -= filled;
            qty -= filled;
            world.trades += 1;
            world.lots += filled;
            traded = true;
            if maker.qty == 0 {
                let at = maker.at;
                world.orders.remove(&id);
                queue.pop_front();
                if queue.is_empty() {
                    lane.remove(&price);
                }
                self.forget(world, at);
            }
        }
        world.trading += u64::from(traded);
        qty
    }

    /// A price that does not cross, log-uniformly distributed from 1 to 2000 ticks from the middle.
    pub(super) fn passive(&self, rng: &mut Rng, side: u8) -> i64 {
        let offset = (rng.unit() * 2000f64.ln()).exp() as i64;
        if side == 0 {
            let price = self.mid - offset;
            self.best(1).map_or(price, |ask| price.min(ask - 1))
        } else {
            let price = self.mid + offset;
            self.best(0).map_or(price, |bid| price.max(bid + 1))
        }
    }
}
