//! The naive model of clearing: equal confirmations in time, both legs at once, and each order once (INV-CLR-1).

use super::judge::Move;
use buttonwood_engine::clearing::{Infrequent, New, Party, Settlement};
use buttonwood_engine::{ClearingCommand, ClearingOrder, State};
use buttonwood_model::{AccountId, CurrencyId, Side, Time};
use std::collections::{BTreeMap, BTreeSet};

/// Units of dollars in a price step times a hundredth of a lot, and units of a coin in a hundredth of a lot.
const NOTIONAL: i128 = 10_000_000;
const BASE: i128 = 1_000_000_000;

/// An order that has not left, with the sides that have agreed.
#[derive(Clone, Copy, Debug)]
struct Deal {
    order: ClearingOrder,
    source_agreed: bool,
    target_agreed: bool,
}

impl Deal {
    fn is_agreed(&self) -> bool {
        self.source_agreed && self.target_agreed
    }

    /// Buyer and seller.
    fn sides(&self) -> Option<[AccountId; 2]> {
        let (source, target) = (self.order.source, self.order.target?);
        Some(if self.order.side == Side::Buy { [source, target] } else { [target, source] })
    }

    fn coins(&self) -> i128 {
        units(self.order.qty.hundredths()) * BASE
    }

    fn dollars(&self) -> i128 {
        i128::from(self.order.price.ticks()) * units(self.order.qty.hundredths()) * NOTIONAL
    }
}

fn units(hundredths: u128) -> i128 {
    i128::try_from(hundredths).expect("a small quantity")
}

/// What the model has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DealCounts {
    /// Orders that were entered.
    pub entered: u64,
    /// Orders that settled with their last confirmation.
    pub settled_at_once: u64,
    /// Orders that settled later.
    pub settled_later: u64,
    /// Orders that were cancelled.
    pub cancelled: u64,
    /// Orders that expired.
    pub expired: u64,
}

impl DealCounts {
    /// Adds the figures of another run.
    pub(super) fn add(&mut self, other: &Self) {
        self.entered += other.entered;
        self.settled_at_once += other.settled_at_once;
        self.settled_later += other.settled_later;
        self.cancelled += other.cancelled;
        self.expired += other.expired;
    }

    /// All of them.
    pub fn all(&self) -> [u64; 5] {
        [self.entered, self.settled_at_once, self.settled_later, self.cancelled, self.expired]
    }
}

/// The orders of clearing.
#[derive(Debug, Default)]
pub(super) struct Deals {
    open: BTreeMap<u64, Deal>,
    last: u64,
    asked: BTreeSet<(AccountId, String)>,
    /// The fee of each side, in basis points.
    fee: i128,
    pub(super) counts: DealCounts,
}

impl Deals {
    /// Judges an event of a command, which a client's account has sent unless the exchange has. Returns what moves.
    pub(super) fn note(
        &mut self,
        now: Time,
        (sender, command): (Option<AccountId>, &ClearingCommand),
        event: &Infrequent,
        state: &State,
    ) -> Result<Vec<Move>, String> {
        match event {
            Infrequent::Entered(order, client_id) => self.enter(now, (sender, command), *order, client_id)?,
            Infrequent::Confirmed(order, party) => {
                self.confirm(now, (sender, command), (order, *party))?;
            }
            Infrequent::Settled(settlement) => return self.settle(now, command, settlement, state),
            Infrequent::Canceled(order) => {
                let deal = self.take(order.number)?;
                if deal.is_agreed() || now >= deal.order.expires {
                    return Err("an order was cancelled too late".into());
                }
                self.counts.cancelled += 1;
            }
            Infrequent::Expired(order) => {
                let deal = self.take(order.number)?;
                if now < deal.order.expires {
                    return Err("an order expired too early".into());
                }
                self.counts.expired += 1;
            }
            Infrequent::FeeSet(rate) => self.fee = rate.0.into(),
            Infrequent::Tried(..)
            | Infrequent::BrokerSet(..)
            | Infrequent::AliasSet(_)
            | Infrequent::KeySet(_) => {}
        }
        Ok(Vec::new())
    }

    fn take(&mut self, number: u64) -> Result<Deal, String> {
        self.open.remove(&number).ok_or_else(|| "the order has left already".to_owned())
    }

    fn enter(
        &mut self,
        now: Time,
        (sender, command): (Option<AccountId>, &ClearingCommand),
        order: ClearingOrder,
        client_id: &str,
    ) -> Result<(), String> {
        let ClearingCommand::New(new) = command else { return Err("an order without an entry".into()) };
        let New { terms, client_id: asked } = &**new;
        let expires = now.plus(u64::from(terms.hours) * 3_600 * Time::SECOND);
        let is_asked = (order.symbol, order.side, order.price, order.qty, order.expires)
            == (terms.symbol, terms.side, terms.price, terms.qty, expires);
        if !is_asked || asked != client_id || sender != Some(order.entered_by()) || order.number <= self.last
        {
            return Err("the order is not the one that was asked for".into());
        }
        if !client_id.is_empty() && !self.asked.insert((order.entered_by(), client_id.to_owned())) {
            return Err("a client id was used twice".into());
        }
        self.last = order.number;
        self.open.insert(
            order.number,
            Deal { order, source_agreed: order.broker.is_none(), target_agreed: false },
        );
        self.counts.entered += 1;
        Ok(())
    }

    fn confirm(
        &mut self,
        now: Time,
        (sender, command): (Option<AccountId>, &ClearingCommand),
        (order, party): (&ClearingOrder, Party),
    ) -> Result<(), String> {
        let ClearingCommand::Confirm(confirm) = command else { return Err("nobody has confirmed".into()) };
        let deal = self.open.get_mut(&order.number).ok_or("the order has left already")?;
        let own = deal.order;
        let (by, side, agreed) = match party {
            Party::Source => (Some(own.source), own.side, &mut deal.source_agreed),
            Party::Target => (own.target.or(sender), own.side.opposite(), &mut deal.target_agreed),
        };
        let terms = (confirm.symbol, confirm.price, confirm.qty, confirm.side);
        let are_equal = terms == (Some(own.symbol), Some(own.price), Some(own.qty), side);
        if !are_equal || by != sender || sender == own.broker || now >= own.expires || *agreed {
            return Err(format!("{sender:?} may not confirm {own:?} with {confirm:?}"));
        }
        *agreed = true;
        if party == Party::Target {
            deal.order.target = sender;
        }
        Ok(())
    }

    fn settle(
        &mut self,
        now: Time,
        command: &ClearingCommand,
        settlement: &Settlement,
        state: &State,
    ) -> Result<Vec<Move>, String> {
        let deal = self.take(settlement.order.number)?;
        let sides = deal.sides().filter(|_| deal.is_agreed() && now < deal.order.expires);
        let [buyer, seller] = sides.ok_or("it settled without two confirmations, or too late")?;
        if matches!(command, ClearingCommand::Confirm(_)) {
            self.counts.settled_at_once += 1;
        } else {
            self.counts.settled_later += 1;
        }
        let symbol = state.symbol(deal.order.symbol).ok_or("an unknown symbol")?;
        let fees = state.ledger().house("fees").ok_or("no house account of fees")?;
        let (dollars, coins, fee) = (deal.dollars(), deal.coins(), self.fee_of(&deal));
        Ok(vec![
            (buyer, symbol.quote, -dollars - fee),
            (seller, symbol.quote, dollars - fee),
            (fees, symbol.quote, 2 * fee),
            (seller, symbol.base, -coins),
            (buyer, symbol.base, coins),
        ])
    }

    /// The fee of each side, rounded up.
    fn fee_of(&self, deal: &Deal) -> i128 {
        (deal.dollars() * self.fee + 9_999) / 10_000
    }

    /// The core must have the same orders.
    pub(super) fn agree(&self, state: &State) -> Result<(), String> {
        let shown = state.clearing().orders().map(|order| (order.number, order.is_confirmed()));
        if shown.eq(self.open.iter().map(|(number, deal)| (*number, deal.is_agreed()))) {
            Ok(())
        } else {
            Err("the core has other orders of clearing".into())
        }
    }

    /// An order that both sides have confirmed and can pay, and that does not settle.
    pub(super) fn unfinished(&self, now: Time, state: &State) -> Option<String> {
        let can_pay = |account: AccountId, currency: CurrencyId, amount: i128| {
            state.ledger().balance(account, currency).available.units() >= amount
        };
        let waits = |deal: &&Deal| {
            let symbol = state.symbol(deal.order.symbol);
            let sides = deal.sides().filter(|_| deal.is_agreed() && now < deal.order.expires);
            sides.zip(symbol).is_some_and(|([buyer, seller], symbol)| {
                can_pay(buyer, symbol.quote, deal.dollars() + self.fee_of(deal))
                    && can_pay(seller, symbol.base, deal.coins())
            })
        };
        let deal = self.open.values().find(waits)?;
        Some(format!("both sides can pay, and it does not settle: {:?}", deal.order))
    }

    /// Whether an order waits for money.
    pub(super) fn is_waiting(&self) -> bool {
        self.open.values().any(Deal::is_agreed)
    }
}
