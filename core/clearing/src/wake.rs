//! Which orders an attempt is due for after a command, and where the others wait (D-83).
//!
//! An order is tried when the money that it lacks is there: a rise of that balance, or an advance or a debt that ends. One that the bound of
//! a group in advance refuses (D-181) is tried when the group's advances or debts change. A price causes no attempt.

use crate::Clearing;
use crate::order::{Need, Order};
use crate::settle::fits;
use crate::waiting::{Again, Found, Place, Spot};
use alloc::collections::BTreeSet;
use buttonwood_model::AccountId;
use buttonwood_num::{Bps, Money};
use buttonwood_room::Context;
use serde::{Deserialize, Serialize};

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
pub fn find(context: &Context<'_, Clearing>) -> Found {
    let put_off = context.room.waiting().new_ones().filter_map(|(number, again)| {
        let order = context.room.order(number)?;
        Some((number, order.rank, spot(context, order, again)?))
    });
    let mut found = Found { put_off: put_off.collect(), ..Found::default() };
    wake(context, &mut found);
    found
}

/// Where an order waits: at the first side that may not give the money.
fn spot(context: &Context<'_, Clearing>, order: &Order, again: Again) -> Option<Spot> {
    let sides = [order.source, order.target?];
    let symbol = context.symbol(order.symbol)?;
    let whole = order.needs(symbol, context.room.fee());
    let plain = order.needs(symbol, Bps(0));
    let leave = context.leave();
    let lacks = |need: &Need| leave.free(need.account, need.currency) < need.amount;
    let lacking = match (plain, whole) {
        (Some(plain), Some(whole)) => plain.into_iter().zip(whole).find(|(_, need)| lacks(need)),
        (Some([first, _]), None) => Some((first, first)),
        (None, _) => None,
    };
    if let Some((Need { account, currency, amount }, _)) = lacking {
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

/// Adds the orders that the changes help, the oldest confirmation first. One that lacks money at its other side waits there.
fn wake(context: &Context<'_, Clearing>, found: &mut Found) {
    let mut room = context.room.waiting().room();
    for (rank, number) in helped(context) {
        if room == 0 {
            found.has_more = true;
            return;
        }
        let order = context.room.order(number);
        let Some(spot) = order.and_then(|order| spot(context, order, Again::Yes)) else { continue };
        room = room.saturating_sub(usize::from(matches!(spot, Spot::Ready)));
        found.woken.push((number, rank, spot));
    }
}

/// Rank and number of the orders that the changes help, while there is room for an attempt.
fn helped(context: &Context<'_, Clearing>) -> BTreeSet<(u64, u64)> {
    let waiting = context.room.waiting();
    if waiting.room() == 0 {
        return BTreeSet::new();
    }
    let leave = context.leave();
    let covered = waiting
        .covered(|(account, currency)| leave.free(account, currency))
        .filter(|(place, free, _, number)| needs_at_most(context, *number, *place, *free))
        .map(|(_, _, rank, number)| (rank, number));
    let refused = waiting.refused().filter(|(_, number, sides, before)| {
        let order = context.room.order(*number);
        order.is_some_and(|order| before.is_over(Parked::now(context, order, *sides)))
    });
    covered.chain(refused.map(|(rank, number, ..)| (rank, number))).collect()
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
