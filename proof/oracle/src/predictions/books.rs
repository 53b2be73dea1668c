//! Money, claims, costs and orders, naively: lists and sums over them. A claim is a row, a cost is a sum, a queue is sorted anew for each order.

use num_bigint::BigInt;
use std::collections::BTreeMap;

/// A dollar, in the smallest units.
pub(super) const ONE: i128 = 10_000_000_000_000_000_000;
/// A cent for a hundredth of a contract.
pub(super) const UNIT: i128 = ONE / 10_000;
/// A dollar for a hundredth of a contract.
const WHOLE: i128 = 100 * UNIT;

/// amount × part ÷ whole, rounded down.
pub(super) fn share(amount: i128, part: i128, whole: i128) -> i128 {
    let product = BigInt::from(amount) * BigInt::from(part) / BigInt::from(whole);
    i128::try_from(product).unwrap()
}

/// Whether an order waits for its stop price, was reached by it, or rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stand {
    Waiting,
    Reached,
    Resting,
}

/// When an order must trade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Force {
    Good,
    Immediate,
    Kill,
    Maker,
}

/// An order in its own view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Order {
    pub(super) id: u64,
    pub(super) who: usize,
    pub(super) contract: usize,
    pub(super) buys: bool,
    pub(super) yes: bool,
    /// In cents.
    pub(super) price: i128,
    /// In hundredths of a contract.
    pub(super) left: i128,
    /// Of maker and taker, in basis points.
    pub(super) rates: [i128; 2],
    /// In cents.
    pub(super) stop: Option<i128>,
    pub(super) stand: Stand,
    /// The smaller, the earlier it came to rest.
    pub(super) rank: u64,
}

/// A price in cents as the other outcome sees it, if `yes` is false.
pub(super) fn seen(yes: bool, price: i128) -> i128 {
    if yes { price } else { 100 - price }
}

fn fee(price: i128, qty: i128, rate: i128) -> i128 {
    price.min(100 - price) * qty * UNIT * rate / 10_000
}

impl Order {
    /// A bid buys yes or sells no.
    pub(super) fn bids(&self) -> bool {
        self.buys == self.yes
    }

    /// Its price as one of yes.
    pub(super) fn yes_price(&self) -> i128 {
        seen(self.yes, self.price)
    }

    /// Money that it holds, if it buys.
    pub(super) fn money(&self) -> i128 {
        if self.buys {
            self.price * self.left * UNIT + fee(self.price, self.left, self.rates[0].max(self.rates[1]))
        } else {
            0
        }
    }

    /// Claims that it holds, if it sells.
    pub(super) fn claims(&self) -> i128 {
        if self.buys { 0 } else { self.left }
    }

    fn meets(&self, other: &Self) -> bool {
        let [bid, ask] = if self.bids() { [self, other] } else { [other, self] };
        self.contract == other.contract && self.bids() != other.bids() && bid.yes_price() >= ask.yes_price()
    }

    fn is_reached(&self, last: i128) -> bool {
        let (Some(stop), last) = (self.stop, seen(self.yes, last)) else { return false };
        if self.buys { last >= stop } else { last <= stop }
    }
}

/// The fate of an order that entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entered {
    pub(super) left: i128,
    pub(super) is_cancelled: bool,
}

/// Claims of an account: contract, account, whether on yes.
pub(super) type Key = (usize, usize, bool);

/// All that accounts and contracts have.
#[derive(Clone, Debug, Default)]
pub(super) struct Books {
    /// By account: dollars, those that orders hold included.
    pub(super) cash: Vec<i128>,
    /// In hundredths.
    pub(super) claims: BTreeMap<Key, i128>,
    pub(super) costs: BTreeMap<Key, i128>,
    /// By contract and account.
    pub(super) realised: BTreeMap<(usize, usize), i128>,
    /// By contract, in dollars.
    pub(super) escrow: Vec<i128>,
    /// By contract: the last price, in cents of yes.
    pub(super) last: Vec<Option<i128>>,
    pub(super) orders: Vec<Order>,
    pub(super) fees: i128,
    pub(super) rounding: i128,
    /// Of maker and taker.
    pub(super) rates: [i128; 2],
    pub(super) rests: u64,
    /// Mints, transfers, merges, nettings.
    pub(super) kinds: [u64; 4],
}

impl Books {
    pub(super) fn held(&self, who: usize) -> i128 {
        self.orders.iter().filter(|order| order.who == who).map(Order::money).sum()
    }

    pub(super) fn held_claims(&self, (contract, who, yes): Key) -> i128 {
        let own =
            self.orders.iter().filter(|order| (order.contract, order.who, order.yes) == (contract, who, yes));
        own.map(Order::claims).sum()
    }

    pub(super) fn owned(&self, key: Key) -> i128 {
        self.claims.get(&key).copied().unwrap_or(0)
    }

    pub(super) fn free(&self, key: Key) -> i128 {
        self.owned(key) - self.held_claims(key)
    }

    pub(super) fn cost(&self, key: Key) -> i128 {
        self.costs.get(&key).copied().unwrap_or(0)
    }

    /// Whether an account can pay for an order, or has what it sells.
    pub(super) fn affords(&self, order: &Order) -> bool {
        if order.buys {
            order.money() <= self.cash[order.who] - self.held(order.who)
        } else {
            order.left <= self.free((order.contract, order.who, order.yes))
        }
    }

    /// An order comes to the book, and trades.
    pub(super) fn enter(&mut self, mut order: Order, force: Force) -> Entered {
        let whole = order.left;
        let mut met: Vec<Order> =
            self.orders.iter().filter(|other| other.stand == Stand::Resting).copied().collect();
        met.retain(|other| order.meets(other));
        met.sort_by_key(|other| {
            (if order.bids() { other.yes_price() } else { -other.yes_price() }, other.rank)
        });
        let there: i128 = met.iter().map(|other| other.left).sum();
        let crosses_itself = met.iter().any(|other| other.who == order.who);
        let too_little = force == Force::Kill && there < order.left;
        if crosses_itself || too_little || force == Force::Maker && !met.is_empty() {
            return Entered { left: whole, is_cancelled: true };
        }
        for maker in met {
            let qty = order.left.min(maker.left);
            if qty > 0 {
                self.fill(&maker, &order, qty);
                order.left -= qty;
            }
        }
        let rests = order.left > 0 && force != Force::Immediate;
        if rests {
            self.rests += 1;
            self.orders.push(Order { stand: Stand::Resting, rank: self.rests, ..order });
        }
        Entered { left: order.left, is_cancelled: order.left > 0 && !rests }
    }

    fn fill(&mut self, maker: &Order, taker: &Order, qty: i128) {
        let (contract, price) = (maker.contract, maker.yes_price());
        self.settle(maker, price, qty, maker.rates[0]);
        self.settle(taker, price, qty, taker.rates[1]);
        let kind = match (maker.buys, taker.buys) {
            (true, true) => 0,
            (false, false) => 2,
            (true, false) | (false, true) => 1,
        };
        self.escrow[contract] += [1, 0, -1][kind] * WHOLE * qty;
        self.kinds[kind] += 1;
        for order in &mut self.orders {
            if order.id == maker.id {
                order.left -= qty;
            }
        }
        self.orders.retain(|order| order.left > 0);
        self.print(contract, price);
    }

    fn settle(&mut self, party: &Order, yes_price: i128, qty: i128, rate: i128) {
        let (price, key) = (seen(party.yes, yes_price), (party.contract, party.who, party.yes));
        let (amount, fee) = (price * qty * UNIT, fee(price, qty, rate));
        self.fees += fee;
        self.cash[party.who] -= fee;
        if party.buys {
            self.cash[party.who] -= amount;
            *self.claims.entry(key).or_default() += qty;
            *self.costs.entry(key).or_default() += amount;
            self.realised.entry((party.contract, party.who)).or_default();
        } else {
            self.cash[party.who] += amount;
            let cost = self.give(key, qty);
            *self.realised.entry((party.contract, party.who)).or_default() += amount - cost;
        }
    }

    /// Claims go, with their part of the cost, which is returned.
    fn give(&mut self, key: Key, qty: i128) -> i128 {
        let (has, cost) = (self.owned(key), self.cost(key));
        let part = share(cost, qty, has);
        self.claims.insert(key, has - qty);
        self.costs.insert(key, cost - part);
        part
    }

    /// A trade printed. Stops that it reaches are reached for good.
    pub(super) fn print(&mut self, contract: usize, price: i128) {
        self.last[contract] = Some(price);
        let waiting = self.orders.iter_mut().filter(|order| order.contract == contract);
        for order in waiting.filter(|order| order.stand == Stand::Waiting) {
            if order.is_reached(price) {
                order.stand = Stand::Reached;
            }
        }
    }

    /// An order waits for its stop price.
    pub(super) fn wait(&mut self, order: Order) {
        self.orders.push(Order { stand: Stand::Waiting, ..order });
        if let Some(last) = self.last[order.contract] {
            self.print(order.contract, last);
        }
    }

    /// Takes a live order out.
    pub(super) fn take(&mut self, id: u64) -> Option<Order> {
        let at = self.orders.iter().position(|order| order.id == id)?;
        Some(self.orders.remove(at))
    }

    /// Free pairs become dollars.
    pub(super) fn net(&mut self) {
        let keys: Vec<Key> = self.claims.keys().filter(|(.., yes)| *yes).copied().collect();
        for (contract, who, _) in keys {
            let pairs = self.free((contract, who, true)).min(self.free((contract, who, false)));
            if pairs <= 0 {
                continue;
            }
            let cost = self.give((contract, who, true), pairs) + self.give((contract, who, false), pairs);
            *self.realised.entry((contract, who)).or_default() += pairs * WHOLE - cost;
            self.cash[who] += pairs * WHOLE;
            self.escrow[contract] -= pairs * WHOLE;
            self.kinds[3] += 1;
        }
    }

    /// Costs and escrow of a contract as they are without its orders.
    pub(super) fn without_orders(&self, contract: usize) -> [i128; 2] {
        let mut books = self.clone();
        books.orders.retain(|order| order.contract != contract);
        books.net();
        [books.costs_of(contract), books.escrow[contract]]
    }

    pub(super) fn costs_of(&self, contract: usize) -> i128 {
        self.costs.iter().filter(|((of, ..), _)| *of == contract).map(|(_, cost)| cost).sum()
    }
}
