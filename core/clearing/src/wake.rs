//! Which orders an attempt is due for after a command, and where the others wait (D-83).
//!
//! An order is tried when the money that it lacks is there: a rise of that balance, or an advance or a debt that ends. One that the bound of
//! a group in advance refuses (D-181) is tried when the group's advances or debts change. A price causes no attempt.

use crate::Clearing;
use crate::order::{Need, Order};
use crate::settle::fits;
use crate::turns::Changes;
use crate::waiting::{Again, Found, Place, Spot};
use alloc::collections::{BTreeSet, VecDeque};
use alloc::vec::Vec;
use buttonwood_leave::Once;
use buttonwood_model::AccountId;
use buttonwood_num::{Bps, Money};
use buttonwood_room::Context;
use serde::{Deserialize, Serialize};

/// The most orders of an account that are looked at before the next account's turn.
const TURN: usize = 10;
/// The most entries of tables, balances and accounts that one search reads before it yields.
const ROWS_MAX: usize = 10_000;

/// What refused a settlement for which the money was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Parked {
    /// The open advances and the debts of the groups of source and target, in dollars; none without either.
    bounds: [Option<(Money, Money)>; 2],
    /// Whether all balances stayed within the range of money.
    fits: bool,
}

impl Parked {
    /// As it would be refused now.
    fn now(context: &Context<'_, Clearing>, order: &Order, sides: [AccountId; 2]) -> Self {
        let bounds = sides.map(|account| {
            let group = context.access.account(account)?.group?;
            context.advances.of(group).map(|open| (open.amount, open.owed()))
        });
        Self { bounds, fits: fits(context, order) }
    }

    /// Whether it may settle now, since something has changed for it.
    fn is_over(self, now: Self) -> bool {
        self.bounds != now.bounds || now.fits && !self.fits
    }
}

/// Finds the orders for which an attempt is due, and where the others wait.
pub(crate) fn find(context: &Context<'_, Clearing>) -> Found {
    let waiting = context.room.waiting();
    let once = Once::new(context.leave());
    let put_off = waiting.new_ones().filter_map(|(number, again)| {
        let order = context.room.order(number)?;
        Some((number, order.rank, spot(context, &once, order, again)?))
    });
    let put_off: Vec<_> = put_off.collect();
    let looks = waiting.looks();
    let mut search = Search {
        context,
        once,
        looks,
        room: waiting.room(),
        rows: 0,
        seen: BTreeSet::new(),
        woken: Vec::new(),
    };
    let left = search.turns();
    let sweep = search.sweep();
    context.rooms.note_looks(search.rows.saturating_add(looks).saturating_sub(search.looks));
    context.rooms.note_looks(put_off.len());
    let mut woken = search.woken;
    // The oldest confirmation is tried first.
    woken.sort_unstable_by_key(|(_, rank, _)| *rank);
    let looks = looks.saturating_sub(search.looks).saturating_add(put_off.len());
    Found { put_off, woken, left, sweep, looks, is_halted: context.is_halted }
}

/// Where an order waits: at the first side that may not give the money.
fn spot(context: &Context<'_, Clearing>, once: &Once<'_>, order: &Order, again: Again) -> Option<Spot> {
    let sides = [order.source, order.target?];
    let symbol = context.symbol(order.symbol)?;
    let lacks = |need: &Need| once.free(need.account, need.currency) < need.amount;
    let lacking = match order.needs(symbol, context.room.fee()) {
        Some(needs) => needs.into_iter().find(lacks),
        // With the fee beyond the range of money: no balance has it.
        None => order.needs(symbol, Bps(0)).map(|[first, _]| Need { amount: Money::MAX, ..first }),
    };
    if let Some(Need { account, currency, amount }) = lacking {
        return Some(Spot::Lacks((account, currency), amount));
    }
    let parked = Parked::now(context, order, sides);
    let is_refused = match again {
        Again::No => true,
        Again::Yes => false,
        Again::Restored => context.room.parked(order.number).is_some_and(|before| !before.is_over(parked)),
    };
    Some(if is_refused { Spot::Parked(sides, parked) } else { Spot::Ready })
}

/// The orders that one command looks at.
struct Search<'c, 'a> {
    context: &'c Context<'a, Clearing>,
    once: Once<'a>,
    /// How many more orders may be looked at.
    looks: usize,
    /// How many more may become ready.
    room: usize,
    /// The entries of tables that were read.
    rows: usize,
    seen: BTreeSet<u64>,
    woken: Vec<(u64, u64, Spot)>,
}

/// The end of an account's turn.
enum Turn {
    /// All of its orders that its changes may help were looked at.
    Done,
    /// The turn is over: the rank up to which its refused orders were looked at.
    Left(Option<u64>),
}

impl Search<'_, '_> {
    /// Gives the accounts their turns, until each is done or the command has looked at enough. Returns those that are left.
    fn turns(&mut self) -> Vec<(AccountId, Option<u64>)> {
        let waiting = self.context.room.waiting();
        let mut left: VecDeque<_> =
            waiting.turns().now().map(|(account, changes)| (account, changes, changes.parked)).collect();
        let mut ended = Vec::new();
        while let Some((account, changes, parked)) = left.pop_front() {
            match self.turn(account, changes, parked) {
                Turn::Done => {}
                Turn::Left(parked) if self.is_full() => ended.push((account, parked)),
                Turn::Left(parked) => left.push_back((account, changes, parked)),
            }
        }
        ended
    }

    /// Whether the command has looked at enough.
    fn is_full(&self) -> bool {
        self.looks == 0 || self.room == 0 || self.has_read_much()
    }

    /// Whether the command has read enough. One turn it always has, however large a group is.
    fn has_read_much(&self) -> bool {
        self.seen.len() >= TURN && self.rows.saturating_add(self.once.rows()) >= ROWS_MAX
    }

    /// An account's turn: the orders that its balances now cover, the oldest confirmation of each balance first, then the refused ones.
    fn turn(&mut self, account: AccountId, changes: &Changes, parked: Option<u64>) -> Turn {
        let waiting = self.context.room.waiting();
        if self.has_read_much() {
            return Turn::Left(parked);
        }
        let mut more = TURN;
        for currency in &changes.currencies {
            let place = (account, *currency);
            let Some(line) = waiting.line(place) else { continue };
            for (rank, number, is_covered) in line.walk(self.once.free(account, *currency)) {
                self.rows = self.rows.saturating_add(1);
                if !is_covered || self.seen.contains(&number) {
                    continue;
                }
                if more == 0 || self.is_full() {
                    return Turn::Left(parked);
                }
                more = more.saturating_sub(1);
                self.look(rank, number);
            }
        }
        let Some(mut after) = parked else { return Turn::Done };
        for (rank, number, sides, before) in waiting.refused(account, after) {
            self.rows = self.rows.saturating_add(1);
            if !self.seen.contains(&number) {
                if more == 0 || self.is_full() {
                    return Turn::Left(Some(after));
                }
                more = more.saturating_sub(1);
                self.look_at_refused((rank, number), sides, before);
            }
            after = rank;
        }
        Turn::Done
    }

    fn look(&mut self, rank: u64, number: u64) {
        self.looks = self.looks.saturating_sub(1);
        self.seen.insert(number);
        let order = self.context.room.order(number);
        let spot = order.and_then(|order| spot(self.context, &self.once, order, Again::Yes));
        if let Some(spot) = spot {
            self.room = self.room.saturating_sub(usize::from(matches!(spot, Spot::Ready)));
            self.woken.push((number, rank, spot));
        }
    }

    fn look_at_refused(&mut self, (rank, number): (u64, u64), sides: [AccountId; 2], before: Parked) {
        let order = self.context.room.order(number);
        if order.is_some_and(|order| before.is_over(Parked::now(self.context, order, sides))) {
            self.look(rank, number);
        } else {
            self.looks = self.looks.saturating_sub(1);
        }
    }

    /// Goes on with the walk over all orders after the rate of the fee has changed: each needs another amount now. Returns where it stands.
    fn sweep(&mut self) -> Option<u64> {
        let waiting = self.context.room.waiting();
        let mut swept = waiting.swept().peekable();
        if swept.peek().is_none() {
            return waiting.sweep().filter(|_| !waiting.is_stepping());
        }
        for (number, rank, lacks) in swept {
            if self.is_full() {
                return Some(number);
            }
            self.rows = self.rows.saturating_add(1);
            if lacks && !self.seen.contains(&number) {
                self.look(rank, number);
            }
        }
        None
    }
}

/// Whether an order needs at most an amount of a balance, the fee included.
pub(crate) fn needs_at_most(
    context: &Context<'_, Clearing>,
    number: u64,
    (account, currency): Place,
    free: Money,
) -> bool {
    let needs = context
        .room
        .order(number)
        .and_then(|order| order.needs(context.symbol(order.symbol)?, context.room.fee()));
    let at = |need: &Need| need.account == account && need.currency == currency && need.amount <= free;
    needs.is_some_and(|needs| needs.iter().any(at))
}
