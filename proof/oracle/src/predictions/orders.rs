//! Orders of random customers, in both views.

use super::books::{Force, Order, Stand, seen};
use super::life::Judged;
use super::{World, group, symbol};
use buttonwood_engine::prediction::Command as Own;
use buttonwood_engine::{Answer, OrderRef, Outcome, Place, TradingCommand};
use buttonwood_model::{Claim, ExecutionOption, OrderId, OrderKind, Side};
use buttonwood_num::{Price, Qty};

/// Hundredths of a lot in a hundredth of a contract.
const LOT: u128 = 100;

/// An order that somebody wants, in its own view: cents and hundredths of a contract.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wish {
    pub(super) buys: bool,
    pub(super) yes: bool,
    pub(super) price: i128,
    pub(super) qty: i128,
    pub(super) force: Force,
    pub(super) stop: Option<i128>,
}

impl Default for Wish {
    fn default() -> Self {
        Self { buys: true, yes: true, price: 50, qty: 100, force: Force::Good, stop: None }
    }
}

/// A quantity in hundredths of a contract.
pub(super) fn hundredths(qty: Qty) -> i128 {
    i128::try_from(qty.hundredths() / LOT).unwrap()
}

fn ticks(cents: i128) -> Price {
    Price::from_ticks(u64::try_from(cents).unwrap())
}

impl Wish {
    fn place(&self, contract: usize) -> Place {
        let option = match self.force {
            Force::Good => None,
            Force::Immediate => Some(ExecutionOption::ImmediateOrCancel),
            Force::Kill => Some(ExecutionOption::FillOrKill),
            Force::Maker => Some(ExecutionOption::MakerOrCancel),
        };
        let side = if self.buys == self.yes { Side::Buy } else { Side::Sell };
        Place {
            claim: if self.yes { Claim::Yes } else { Claim::No },
            kind: if self.stop.is_some() { OrderKind::StopLimit } else { OrderKind::Limit },
            option,
            stop: self.stop.map_or(Price::default(), |stop| ticks(seen(self.yes, stop))),
            ..Place::limit(
                symbol(contract),
                side,
                ticks(seen(self.yes, self.price)),
                Qty::from_hundredths(u128::try_from(self.qty).unwrap() * LOT),
            )
        }
    }

    fn order(&self, id: u64, who: usize, contract: usize, rates: [i128; 2]) -> Order {
        let Self { buys, yes, price, qty, stop, .. } = *self;
        Order { id, who, contract, buys, yes, price, left: qty, rates, stop, stand: Stand::Resting, rank: 0 }
    }
}

impl World {
    /// Whether an order may enter, by the table of the issue.
    fn judge(&self, who: usize, contract: usize, wish: &Wish, order: &Order) -> Judged {
        if who + 1 == super::CUSTOMERS {
            return Err("WrongKind");
        }
        if self.accepted.get(&group(who)) != Some(&self.version) {
            return Err("TermsNotAccepted");
        }
        let Some(row) = self.life.contracts.get(contract) else { return Err("UnknownContract") };
        let is_price = |cents: i128| (1..100).contains(&cents);
        if !is_price(wish.price) || wish.stop.is_some_and(|stop| !is_price(stop)) {
            return Err("BadPrice");
        }
        if !self.life.is_open_at(row.event, self.now() + 1) {
            return Err("NotOpen");
        }
        if wish.buys && who == 1 && self.life.events[row.event].is_closed_to_some {
            return Err("SellOnly");
        }
        if wish.qty < 100 {
            return Err("BelowMinimum");
        }
        if let Some(stop) = wish.stop {
            let last = self.books.last[contract].map_or(stop, |last| seen(wish.yes, last));
            let fits = if wish.buys {
                last <= stop && stop <= wish.price
            } else {
                wish.price <= stop && stop <= last
            };
            if !fits || wish.force != Force::Good {
                return Err("Stop(");
            }
        }
        if self.books.affords(order) { Ok(()) } else { Err("InsufficientFunds") }
    }

    /// Sends an order, and compares.
    pub(super) fn send_order(&mut self, who: usize, contract: usize, wish: Wish) -> Result<(), String> {
        let id = self.exchange.state.next_id();
        let order = wish.order(id, who, contract, self.books.rates);
        let expected = self.judge(who, contract, &wish, &order);
        let answer = self.send(who, TradingCommand::Place(wish.place(contract)));
        let said = format!("{who} wants {wish:?} of {contract}");
        self.judged(&said, &answer, expected)?;
        if expected.is_ok() {
            self.note_order(&said, order, wish.force, &answer)?;
        }
        self.settled().map_err(|why| format!("{said}: {why}"))
    }

    fn note_order(&mut self, said: &str, order: Order, force: Force, answer: &Answer) -> Result<(), String> {
        let reply = answer.order().map_err(|_| format!("{said}: no order"))?;
        if order.stop.is_some() {
            self.books.wait(order);
            return Ok(());
        }
        let entered = self.books.enter(order, force);
        let got = (hundredths(reply.remaining), reply.reason.is_some());
        if got == (entered.left, entered.is_cancelled) {
            return Ok(());
        }
        Err(format!("{said}: {got:?}, expected {entered:?}"))
    }

    /// A stop order enters, which its last price must have reached.
    pub(super) fn trigger(&mut self, id: u64) -> Result<(), String> {
        let order = self.books.take(id).ok_or(format!("{id} is not live"))?;
        if order.stand != Stand::Reached {
            return Err(format!("{order:?} enters, and was not reached"));
        }
        self.counts.triggered += 1;
        let event = self.life.contracts[order.contract].event;
        if self.life.is_open(event) {
            self.books.enter(order, Force::Good);
        }
        Ok(())
    }

    /// A random order, mostly near to what others want.
    pub(super) fn order(&mut self) -> Result<(), String> {
        let who = if self.dice.once_in(40) { 5 } else { self.customer() };
        let owned = self.owned(who).filter(|_| !self.dice.once_in(3));
        let contract = owned.map_or_else(|| self.contract(), |(contract, _)| contract);
        if self.accepted.get(&group(who)) != Some(&self.version) && self.dice.once_in(3) {
            self.accept(who)?;
        }
        let price = match self.dice.below(20) {
            0 => self.dice.pick(&[0, 100]),
            1 => self.dice.pick(&[1, 99]),
            _ => 40 + i128::from(self.dice.below(21)),
        };
        let qty = match self.dice.below(20) {
            0 => 99,
            1 => 100_000,
            _ => 100 + i128::from(self.dice.below(4_000)),
        };
        let force = match self.dice.below(12) {
            0 => Force::Immediate,
            1 => Force::Kill,
            2 => Force::Maker,
            _ => Force::Good,
        };
        let (buys, yes) = (self.dice.below(5) < 2, self.dice.once_in(2));
        let yes = owned.filter(|_| !self.dice.once_in(3)).map_or(yes, |(_, owned)| owned);
        let away = i128::from(self.dice.below(8)) - 1;
        let stop = self.dice.once_in(8).then_some(if buys { price - away } else { price + away });
        let stop = stop.map(|stop| stop.clamp(0, 100));
        let force = if stop.is_some() && !self.dice.once_in(10) { Force::Good } else { force };
        let owned = self.books.free((contract, who, yes));
        let (buys, stop) = if owned < 100 && !self.dice.once_in(5) { (true, None) } else { (buys, stop) };
        let qty = if !buys && owned >= 100 && self.dice.once_in(2) { owned } else { qty };
        self.send_order(who, contract, Wish { buys, yes, price, qty, force, stop })
    }

    /// Some order is cancelled, by its owner or not, by this room's command or by that of the floor.
    pub(super) fn cancel(&mut self) -> Result<(), String> {
        let ids: Vec<(u64, usize)> = self.books.orders.iter().map(|order| (order.id, order.who)).collect();
        let (id, owner) = if ids.is_empty() { (1, 0) } else { self.dice.pick(&ids) };
        let who = if self.dice.once_in(5) { self.customer() } else { owner };
        let by_floor = self.dice.once_in(5);
        let answer = if by_floor {
            self.send(who, TradingCommand::Cancel(OrderRef::Id(OrderId(id))))
        } else {
            self.send(who, Own::Cancel(OrderId(id)))
        };
        let is_done = matches!(&answer, Outcome::Trading(_)) && answer.order().is_ok();
        let is_own = who == owner && !ids.is_empty() && !by_floor;
        if is_done != is_own {
            return Err(format!("{who} cancels {id} of {owner}: {answer:?}"));
        }
        if is_own {
            self.books.take(id);
        }
        self.settled()
    }

    /// All orders of an account are cancelled.
    pub(super) fn cancel_all(&mut self) -> Result<(), String> {
        let who = self.customer();
        let session = self.accounts[who].1;
        match self.dice.below(3) {
            0 => drop(self.send(who, TradingCommand::CancelAll)),
            1 => drop(self.send(who, TradingCommand::CancelSession)),
            _ => self.own(1, TradingCommand::ExpireSession(session).into())?,
        }
        self.books.orders.retain(|order| order.who != who);
        self.settled()
    }
}
