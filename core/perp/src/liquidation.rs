//! Liquidation of perpetuals: when an account is due, what of it can be closed, and who takes what the book left.
//!
//! The marks put accounts into the queue of the [`machine`], which names the steps. What the book leaves goes to the insurance fund, or
//! to opposite positions in deleveraging order. The commands of a round follow each other with no other command between; other commands
//! may run between two rounds.
//!
//! Clauses: `PERP-027` to `PERP-029`; decisions D-48, D-52 to D-55, D-178. Not here: the sums (`risk`), and how an order trades
//! (`trading`), which the engine calls for [`Task::Place`].

use crate::figures::Holder;
use crate::off_book::{Kind, OffBook, Taken};
use crate::prices::Prices;
use crate::{Counted, Infrequent, Perps, Reject, Row};
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use buttonwood_index::Latest;
use buttonwood_model::{AccountId, BytesRef, CurrencyId, Outbox, Side, SymbolId};
use buttonwood_num::{Money, Qty};
use buttonwood_risk::liquidation::{Fund, fee};
use buttonwood_risk::machine::{self, Closing, Open, Step};
use buttonwood_room::Context;
use buttonwood_trading::place::Place;
use serde::{Deserialize, Serialize};

pub use buttonwood_risk::Seized;

/// A round of a liquidation that is under way.
pub type Round = machine::Round<Part>;

/// The accounts that wait for liquidation, and the round under way.
pub type Liquidations = machine::Liquidations<Part>;

/// The part of a position that a round closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// The contract.
    pub symbol: SymbolId,
    /// The quantity that is left to close.
    pub left: Qty,
    /// The zero price.
    pub price: Money,
    /// The value of what the book took.
    pub traded: Money,
    /// Whether opposite positions take it, since the fund takes no more of it.
    pub deleverages: bool,
}

impl Part {
    /// The book took some of it.
    pub(crate) fn note_fill(&mut self, symbol: SymbolId, qty: Qty, notional: Money) {
        if self.symbol == symbol {
            self.left -= qty;
            self.traded += notional;
        }
    }

    /// Others took what the book left up to `left`, and the fee is paid.
    pub(crate) fn leave(&mut self, left: Qty) {
        *self = Self { left, traded: Money::ZERO, deleverages: true, ..*self };
    }
}

/// The engine's task for a step, after the step's own events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Nothing.
    Nothing,
    /// Cancels every live order of the account.
    Cancel(AccountId),
    /// Places an order of the exchange for the account.
    Place(AccountId, Place),
}

/// The end of an account's liquidation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// The account.
    pub account: AccountId,
    /// The collateral that the fund took.
    pub seized: Vec<Seized>,
    /// The amount that the fund repaid for nothing.
    pub covered: Money,
}

/// The accounts that are below maintenance at these marks and not in the queue yet, in the order of their ids; the fund if it is below
/// zero; those without a position whose collateral covers too little of what they owe. `pinned` is the currency that is being pinned.
pub(crate) fn due(
    context: &Context<'_, Perps>,
    (prices, latest): (&Prices, &Latest),
    pinned: Option<CurrencyId>,
) -> Vec<AccountId> {
    let Context { room: perps, ledger, .. } = *context;
    let Some(gusd) = ledger.gusd() else { return Vec::new() };
    let holder = |account| Holder { perps, prices, latest, ledger, account, gusd };
    let is_new = |account: &AccountId| !perps.liquidations.contains(*account);
    let open = perps.accounts_with_positions().filter(is_new);
    let mut due: Vec<AccountId> = open.filter(|account| holder(*account).is_due()).collect();
    let owing: BTreeSet<AccountId> = perps.loans().after(None).map(|(account, ..)| account).collect();
    let stranded = owing.into_iter().filter(is_new).filter(|account| holder(*account).is_stranded());
    // Without a reference of its collateral the fund would take nothing.
    let stranded = stranded.filter(|account| has_reference(context, *account, pinned));
    let before = due.len();
    due.extend(stranded);
    if due.len() > before {
        due.sort_unstable();
    }
    due
}

/// Whether some collateral of an account is a dollar or has a reference.
fn has_reference(context: &Context<'_, Perps>, account: AccountId, pinned: Option<CurrencyId>) -> bool {
    let Context { ledger, sources, .. } = *context;
    let own = sources.bound.members(account);
    let mut held = context
        .room
        .counted(ledger)
        .filter(|counted| ledger.balance(account, counted.currency).available > Money::ZERO);
    held.any(|Counted { currency, is_dollar, .. }| {
        is_dollar || Some(currency) == pinned || sources.reference(currency, own).is_some()
    })
}

/// The careful prices of an account's collateral, by which the fund takes it (D-262).
fn careful(context: &Context<'_, Perps>, account: AccountId) -> Latest {
    let collateral = context.room.counted(context.ledger).filter(|counted| !counted.is_dollar);
    let held = collateral.map(|counted| counted.currency);
    let held = held.filter(|currency| context.ledger.balance(account, *currency).available > Money::ZERO);
    context.sources.careful_of(held, account)
}

/// The liquidation of one account at the marks in force.
struct Case<'a> {
    context: &'a Context<'a, Perps>,
    holder: Holder<'a>,
    fund: AccountId,
}

/// Decides the next step of the liquidations.
///
/// # Errors
/// [`Reject::NotDue`] while no account waits and no round is under way.
pub(crate) fn decide<E: From<BytesRef>>(
    context: &Context<'_, Perps>,
    out: &mut Outbox<E>,
) -> Result<Task, Reject> {
    let Context { room: perps, ledger, .. } = *context;
    let fund = perps.fund().ok_or(Reject::NotDue)?;
    let (account, gusd) = perps.liquidations.next().zip(ledger.gusd()).ok_or(Reject::NotDue)?;
    let (prices, latest) = (&perps.prices, context.sources.indices.latest());
    let case = Case { context, holder: Holder { perps, prices, latest, ledger, account, gusd }, fund };
    let placed = match perps.liquidations.step(&case) {
        Step::Give(part) => {
            out.push_named(&Infrequent::OffBookTaken(case.take(&part)));
            return Ok(Task::Nothing);
        }
        Step::Cancel => {
            out.push_named(&Infrequent::RoundBegun(Round { account, part: None }));
            return Ok(Task::Cancel(account));
        }
        Step::Close(closing) => case.place(&closing, out),
        Step::End => None,
    };
    Ok(placed.unwrap_or_else(|| {
        out.push_named(&Infrequent::LiquidationEnded(case.end()));
        Task::Nothing
    }))
}

impl<'a> machine::Case<'a> for Case<'a> {
    type Part = Part;

    const GIVES_ALL: bool = true;

    fn is_due(&self) -> bool {
        self.holder.is_due()
    }

    fn has_orders(&self) -> bool {
        self.context.orders.in_any_order(self.holder.account).next().is_some()
    }

    /// The positions whose index has enough sources.
    fn open(&self) -> impl Iterator<Item = Open<'a>> {
        let perps = self.context.room;
        let is_fresh = |row: &&Row| perps.contract(row.symbol).is_some_and(|contract| contract.is_fresh);
        let rows = perps.rows_of(self.holder.account).filter(|row| !row.position.is_flat()).filter(is_fresh);
        rows.filter_map(|row| self.position(row.symbol))
    }

    fn assets(&self) -> Option<[Money; 2]> {
        Some([self.holder.sums()?.assets, self.context.room.debt(self.holder.account)])
    }

    fn is_whole(&self) -> bool {
        self.holder.is_fund()
    }
}

impl<'a> Case<'a> {
    fn position(&self, symbol_id: SymbolId) -> Option<Open<'a>> {
        let Context { room: perps, symbols, .. } = *self.context;
        let quantity = perps.row(self.holder.account, symbol_id).position.quantity;
        let mark = perps.contract(symbol_id)?.mark;
        Some(Open { symbol_id, symbol: symbols.get(symbol_id.index())?, quantity, mark })
    }

    /// Begins to close a part. The fund's own goes to opposite positions at once. None if the part is too small.
    fn place<E: From<BytesRef>>(&self, closing: &Closing<'_>, out: &mut Outbox<E>) -> Option<Task> {
        let Closing { open: Open { symbol_id: symbol, .. }, price, .. } = *closing;
        let account = self.holder.account;
        let left = closing.qty()?;
        let part = Part { symbol, left, price, traded: Money::ZERO, deleverages: false };
        out.push_named(&Infrequent::RoundBegun(Round { account, part: Some(part) }));
        let limit = closing.limit().filter(|_| !self.holder.is_fund());
        let order = limit.map(|limit| Place::at_once(symbol, closing.side(), (limit, left), false));
        Some(order.map_or(Task::Nothing, |order| Task::Place(account, order)))
    }

    /// Who takes what the book left, after the fee for what it took.
    fn take(&self, part: &Part) -> Taken {
        let (order, ids) = machine::ids_off_book(self.context.next_id);
        let (account, symbol) = (self.holder.account, part.symbol);
        let (side, kind, left) = (Side::Sell, Kind::TakenOver, Qty::ZERO);
        let nothing =
            Taken { account, symbol, side, order, fee: Money::ZERO, kind, trades: Vec::new(), left };
        let Some((open, sums)) = self.position(symbol).zip(self.holder.sums()) else { return nothing };
        let quantity = open.symbol.grid.base(part.left).unwrap_or(Money::ZERO);
        let closing = Closing { open, quantity, price: part.price };
        let taken = Taken { side: closing.side(), fee: fee(part.traded, sums.assets), ..nothing };
        if part.left == Qty::ZERO {
            return taken;
        }
        let by_fund = self.fund_takes(part, &closing, taken.fee);
        let kind = if by_fund.is_some() { Kind::TakenOver } else { Kind::Deleveraged };
        let (takers, left) = match by_fund {
            Some(qty) => (Vec::from([(self.fund, part.price, qty)]), part.left - qty),
            None => {
                self.holder.perps.deleveraged((self.holder.ledger, self.holder.latest), &closing, part.left)
            }
        };
        let trades = ids.zip(takers).map(|((order, trade), (account, price, qty))| OffBook {
            account,
            order,
            trade,
            price,
            qty,
        });
        Taken { kind, trades: trades.collect(), left, ..taken }
    }

    /// How much of what is left the fund takes, once it has its fee; none if that is nothing.
    fn fund_takes(&self, part: &Part, closing: &Closing<'_>, fee: Money) -> Option<Qty> {
        let context = self.context;
        if self.holder.account == self.fund || part.deleverages || context.room.flattens_at(context.time) {
            return None;
        }
        let fund = context.fund()?;
        let fund = Fund { assets: fund.assets.checked_add(fee)?, ..fund };
        let own = context.room.row(self.fund, part.symbol).position.quantity;
        closing.open.symbol.grid.qty_within(closing.taken_by(&fund, own))
    }

    /// The fund's help for an account that is flat: it takes collateral until nothing is owed, and repays the remaining debt, both as far as
    /// its money goes.
    fn end(&self) -> Ended {
        let Holder { perps, ledger, account, gusd, .. } = self.holder;
        let mut owed = perps.owed(account, gusd);
        let is_flat = perps.rows_of(account).all(|row| row.position.is_flat());
        if owed == Money::ZERO || !is_flat || account == self.fund {
            return Ended { account, seized: Vec::new(), covered: Money::ZERO };
        }
        let mut money = ledger.balance(self.fund, gusd).available;
        let careful = careful(self.context, account);
        let held = Holder { latest: &careful, ..self.holder }.collateral().collect();
        let (seized, is_bare) = Seized::of(held, &mut owed, &mut money);
        // The fund keeps what its own positions need.
        let fund = Holder { account: self.fund, ..self.holder };
        let value = fund.sums().filter(|_| is_bare).map_or(Money::ZERO, |sums| sums.assets);
        Ended { account, seized, covered: owed.min(money).min(value).max(Money::ZERO) }
    }
}
