//! The machine of liquidations, which every product on credit shares: the queue of accounts, the rounds, the part of a holding that goes
//! next, what the insurance fund takes of it, ids, and how much one command does.
//!
//! Accounts wait in a queue. For the first one, rounds follow each other: its orders are cancelled; a part of its largest holding goes to
//! the book at the zero price; what the book leaves is given to others. A product says by its [`Case`] when an account is due, what it
//! holds and at which marks, and decides itself who takes the rest.
//!
//! Decisions D-52, D-53, D-178; the sums are those of [`crate::liquidation`]. Not here: orders, records and money.

use crate::figures::size;
use crate::liquidation::{Fund, Offered, largest, step, without_debt, zero_price};
use alloc::collections::{BTreeSet, VecDeque};
use alloc::vec::Vec;
use buttonwood_model::{AccountId, Due, OrderId, Phase, Side, Symbol, SymbolId, Time, TradeId};
use buttonwood_num::{Money, Price, Qty};
use core::iter;
use serde::{Deserialize, Serialize};

/// The most accounts that one command searches for those to be liquidated.
pub const SEARCHED_MAX: usize = 5_000;

/// The most opposite positions that one command closes.
pub const DELEVERAGED_MAX: usize = 100;

/// A round of a liquidation that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round<P> {
    /// The account.
    pub account: AccountId,
    /// The part that the book has had; none while the account's orders are being cancelled.
    pub part: Option<P>,
}

/// The accounts that wait for liquidation, and the round under way. `P` is the product's record of a part that the book has had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Liquidations<P> {
    /// The account that is liquidated next is the first, each since when it waits.
    queue: VecDeque<(AccountId, Time)>,
    waiting: BTreeSet<AccountId>,
    round: Option<Round<P>>,
}

impl<P> Default for Liquidations<P> {
    fn default() -> Self {
        Self { queue: VecDeque::new(), waiting: BTreeSet::new(), round: None }
    }
}

/// The next step of a liquidation.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a, P> {
    /// The account's orders are cancelled.
    Cancel,
    /// A part of its largest holding goes to the book.
    Close(Closing<'a>),
    /// The rest that the book left of a part goes to others.
    Give(P),
    /// The account leaves the queue: it has recovered, or nothing of it can be closed.
    End,
}

/// A holding that can be closed: a position, or a currency that was bought on credit.
#[derive(Clone, Copy, Debug)]
pub struct Open<'a> {
    /// The symbol whose book takes it.
    pub symbol_id: SymbolId,
    /// The same.
    pub symbol: &'a Symbol,
    /// The amount in the base currency, negative if it is short.
    pub quantity: Money,
    /// The mark, or the index, at which it is valued.
    pub mark: Money,
}

/// A part of a holding that is to be closed.
#[derive(Clone, Copy, Debug)]
pub struct Closing<'a> {
    /// The whole holding.
    pub open: Open<'a>,
    /// The part, in the base currency, without a sign.
    pub quantity: Money,
    /// The zero price.
    pub price: Money,
}

/// One account under liquidation, as its product sees it.
pub trait Case<'a> {
    /// The product's record of a part that the book has had.
    type Part: Copy;

    /// Whether the rest of a part goes to others although the account has recovered by what the book took.
    const GIVES_ALL: bool;

    /// Whether the account is to be liquidated, or further.
    fn is_due(&self) -> bool;

    /// Whether orders of the account are to be cancelled before a part goes to the book.
    fn has_orders(&self) -> bool;

    /// The holdings that can be closed.
    fn open(&self) -> impl Iterator<Item = Open<'a>>;

    /// The account's assets, and what it owes for returned advances. None beyond the range of money.
    fn assets(&self) -> Option<[Money; 2]>;

    /// Whether a holding goes whole, not in halves.
    fn is_whole(&self) -> bool {
        false
    }
}

impl<P: Copy> Liquidations<P> {
    /// Whether no account waits.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Whether the account waits, or is being liquidated.
    pub fn contains(&self, account: AccountId) -> bool {
        self.waiting.contains(&account)
    }

    /// The accounts, in the order of their liquidation.
    pub fn accounts(&self) -> impl Iterator<Item = AccountId> {
        self.queue.iter().map(|(account, _)| *account)
    }

    /// The round under way.
    pub fn round(&self) -> Option<&Round<P>> {
        self.round.as_ref()
    }

    /// The account of the next step.
    pub fn next(&self) -> Option<AccountId> {
        let of_round = self.round.as_ref().map(|round| round.account);
        of_round.or_else(|| self.accounts().next())
    }

    /// The command of the next step. It continues the round under way, or begins a chain, of which a turn runs some.
    pub fn due<C>(&self, command: impl FnOnce(AccountId) -> C) -> Option<Due<C>> {
        let command = command(self.next()?);
        let time = self.queue.front().map(|(_, since)| *since).unwrap_or_default();
        Some(if self.round.is_some() {
            Due::follow_up(time, Phase::Liquidation, command)
        } else {
            Due::step(time, Phase::Liquidation, command).in_storm()
        })
    }

    /// Puts accounts behind those that wait.
    pub fn append(&mut self, accounts: &[AccountId], time: Time) {
        for account in accounts {
            if self.waiting.insert(*account) {
                self.queue.push_back((*account, time));
            }
        }
    }

    /// Puts accounts among those that wait, in the order of their ids. All of them wait since this time then.
    pub fn merge(&mut self, accounts: &[AccountId], time: Time) {
        self.waiting.extend(accounts);
        self.queue = self.waiting.iter().map(|account| (*account, time)).collect();
    }

    /// A round begins or goes on, with the cancels of the account's orders or with a part that the book has had.
    pub fn begin(&mut self, account: AccountId, part: Option<P>) {
        self.round = Some(Round { account, part });
    }

    /// The part that the account's round closes.
    pub fn part_of(&mut self, account: AccountId) -> Option<&mut P> {
        self.round.as_mut().filter(|round| round.account == account)?.part.as_mut()
    }

    /// The round under way is over; its account still waits.
    pub fn finish(&mut self) {
        self.round = None;
    }

    /// The account, which is the first, leaves the queue. Returns whether it was the last one.
    pub fn end(&mut self, account: AccountId) -> bool {
        self.queue.pop_front_if(|(first, _)| *first == account);
        self.waiting.remove(&account);
        self.round = None;
        self.queue.is_empty()
    }

    /// The next step of the liquidation of [`Self::next`], whose case this is.
    pub fn step<'a, C: Case<'a, Part = P>>(&self, case: &C) -> Step<'a, P> {
        match &self.round {
            Some(Round { part: Some(part), .. }) if C::GIVES_ALL || case.is_due() => Step::Give(*part),
            _ if !case.is_due() => Step::End,
            None if case.has_orders() => Step::Cancel,
            _ => Closing::next(case).map_or(Step::End, Step::Close),
        }
    }
}

impl<'a> Closing<'a> {
    /// The part of the largest holding that goes next, at the price that leaves the account nothing. None if nothing can be closed, and
    /// beyond the range of money.
    fn next(case: &impl Case<'a>) -> Option<Self> {
        let holdings: Vec<Open<'a>> = case.open().collect();
        let place = largest(holdings.iter().map(|open| (open.quantity, open.mark)))?;
        let open = *holdings.get(place)?;
        let [assets, debt] = case.assets()?;
        let price =
            zero_price(without_debt(assets, debt), open.quantity, open.mark, open.symbol.grid.tick())?;
        let part = || Some(step(open.quantity, open.mark, open.symbol.grid.lot()?));
        let quantity = if case.is_whole() { size(open.quantity) } else { part() }?;
        Some(Self { open, quantity, price })
    }

    /// The side of the account.
    pub fn side(&self) -> Side {
        if self.open.quantity.is_negative() { Side::Buy } else { Side::Sell }
    }

    /// The part as a quantity of the book; none if it is too small.
    pub fn qty(&self) -> Option<Qty> {
        self.open.symbol.grid.qty_within(self.quantity)
    }

    /// The zero price as a price of the book; none if that is too high.
    pub fn limit(&self) -> Option<Price> {
        self.open.symbol.grid.price_within(self.price)
    }

    /// How much of the part the insurance fund takes, which has `own` of the same (D-178). Zero if that is nothing.
    pub fn taken_by(&self, fund: &Fund, own: Money) -> Money {
        let Self { open, quantity, price } = *self;
        let Some(lot) = open.symbol.grid.lot() else { return Money::ZERO };
        let quantity = if open.quantity.is_negative() { -quantity } else { quantity };
        fund.takes(&Offered { quantity, price, mark: open.mark, lot, own })
    }
}

/// Searches the next accounts, [`SEARCHED_MAX`] of them. Returns those to be liquidated, and the last one that was searched, if more are
/// left.
pub fn search(
    accounts: impl IntoIterator<Item = AccountId>,
    is_due: impl Fn(AccountId) -> bool,
) -> (Vec<AccountId>, Option<AccountId>) {
    let mut accounts = accounts.into_iter();
    let (mut due, mut last) = (Vec::new(), None);
    for account in accounts.by_ref().take(SEARCHED_MAX) {
        last = Some(account);
        if is_due(account) {
            due.push(account);
        }
    }
    (due, last.filter(|_| accounts.next().is_some()))
}

/// The ids of trades off the book: the account's own order has the first free id, and each trade takes two more, for the other side's order
/// and for itself.
pub fn ids_off_book(next_id: u64) -> (OrderId, impl Iterator<Item = (OrderId, TradeId)>) {
    let others = (next_id + 1..).step_by(2).map(|id| (OrderId(id), TradeId(id + 1)));
    (OrderId(next_id), others)
}

/// The ids that trades off the book took, in their order: that of the account's order only if there are trades.
pub fn ids_taken(
    own: OrderId,
    trades: impl Iterator<Item = (OrderId, TradeId)>,
) -> impl Iterator<Item = u64> {
    let mut trades = trades.flat_map(|(order, trade)| [order.0, trade.0]).peekable();
    let own = trades.peek().is_some().then_some(own.0);
    iter::chain(own, trades)
}

#[cfg(test)]
mod tests;
