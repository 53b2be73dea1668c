//! Deleveraging: the opposite positions that take what neither the book nor the insurance fund took, in their order (D-54).
//!
//! The order needs the assets of every account with an opposite position. It is computed once and kept while the commands of liquidations
//! follow each other: their events move the few accounts that they change. Any other command drops it, and a snapshot does not have it. A
//! decision that finds none kept computes it, with the same result.

use crate::{Perps, Row};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use buttonwood_index::Latest;
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, Side, SymbolId};
use buttonwood_num::{Money, Qty};
use buttonwood_risk::deleverage::{self, Score};
use buttonwood_risk::machine::{Closing, DELEVERAGED_MAX};
use core::cmp::Reverse;
use core::mem;

/// The place of a position: the fund's own is the last, then its score decides, then the age of the account.
type Place = (bool, (u8, Reverse<u128>), AccountId);

/// The balances and indices that the assets of accounts are computed from.
pub(crate) type Books<'a> = (&'a Ledger, &'a Latest);

/// The positions of a contract against an account on this side.
type Opposite = (SymbolId, Side);

/// The deleveraging orders that are kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rankings {
    kept: BTreeMap<Opposite, BTreeSet<Place>>,
    /// Whether the command that is being applied is one of a liquidation.
    go_on: bool,
}

impl Rankings {
    /// The command that is being applied is one of a liquidation.
    pub(crate) fn go_on(&mut self) {
        self.go_on = true;
    }

    /// A command was applied. Returns whether any order is still kept.
    pub(crate) fn note_command(&mut self) -> bool {
        if !mem::take(&mut self.go_on) {
            self.kept.clear();
        }
        !self.kept.is_empty()
    }

    /// Drops every order, since assets changed without a trade.
    pub(crate) fn clear(&mut self) {
        self.kept.clear();
    }
}

impl Row {
    fn opposite(&self) -> Opposite {
        (self.symbol, if self.position.quantity.is_negative() { Side::Sell } else { Side::Buy })
    }
}

impl Perps {
    /// The places of all positions of a kind, in no order.
    fn places_against(&self, books: Books<'_>, opposite: Opposite) -> impl Iterator<Item = Place> {
        let is_of = move |row: &&Row| !row.position.is_flat() && row.opposite() == opposite;
        self.rows().iter().filter(is_of).map(move |row| self.place(books, row))
    }

    fn place(&self, (ledger, latest): Books<'_>, row: &Row) -> Place {
        let is_fund = self.fund() == Some(row.account);
        let gusd = ledger.gusd().filter(|_| !is_fund);
        let score = gusd.map(|gusd| self.score(ledger, latest, gusd, row));
        (is_fund, score.unwrap_or(Score::NoProfit).rank(), row.account)
    }

    /// The first accounts with positions of a kind, and whether there are more.
    fn ranked(&self, books: Books<'_>, opposite: Opposite) -> (Vec<AccountId>, bool) {
        let account = |(.., account): &Place| *account;
        if let Some(kept) = self.rankings.kept.get(&opposite) {
            return (kept.iter().take(DELEVERAGED_MAX).map(account).collect(), kept.len() > DELEVERAGED_MAX);
        }
        let mut places: Vec<Place> = self.places_against(books, opposite).collect();
        let has_more = places.len() > DELEVERAGED_MAX;
        if has_more {
            places.select_nth_unstable(DELEVERAGED_MAX);
            places.truncate(DELEVERAGED_MAX);
        }
        places.sort_unstable();
        (places.iter().map(account).collect(), has_more)
    }

    /// The opposite positions that take `left` of what is to be closed, each at its price, and what they leave for the next command.
    pub(crate) fn deleveraged(
        &self,
        books: Books<'_>,
        closing: &Closing<'_>,
        mut left: Qty,
    ) -> (Vec<(AccountId, Money, Qty)>, Qty) {
        let (symbol, mark) = (closing.open.symbol_id, closing.open.mark);
        let mut takers = Vec::new();
        let (ranked, has_more) = self.ranked(books, (symbol, closing.side()));
        for account in ranked {
            let position = self.row(account, symbol).position;
            let whole = Money::from_units(position.quantity.units().saturating_abs());
            let Some(most) = closing.open.symbol.grid.qty_within(whole) else { continue };
            let qty = left.min(most);
            takers.push((account, deleverage::price(&position, closing.price, mark).unwrap_or(mark), qty));
            left -= qty;
            if left == Qty::ZERO {
                break;
            }
        }
        // Positions sum to zero, so opposite ones never run out before the position does.
        (takers, if has_more { left } else { Qty::ZERO })
    }

    /// Keeps the order of the positions against an account on a side, unless it is kept already.
    pub(crate) fn keep_ranking(&mut self, books: Books<'_>, opposite: Opposite) {
        if !self.rankings.kept.contains_key(&opposite) {
            let places = self.places_against(books, opposite).collect();
            self.rankings.kept.insert(opposite, places);
            self.note_ranked();
        }
    }

    /// Takes an account out of the orders that are kept, before its assets or its position change.
    pub(crate) fn unrank(&mut self, books: Books<'_>, account: AccountId) {
        self.change_places(books, account, |places, place| places.remove(&place));
    }

    /// Puts an account into the orders that are kept, after that.
    pub(crate) fn rank(&mut self, books: Books<'_>, account: AccountId) {
        self.change_places(books, account, BTreeSet::insert);
    }

    fn change_places(
        &mut self,
        books: Books<'_>,
        account: AccountId,
        change: impl Fn(&mut BTreeSet<Place>, Place) -> bool,
    ) {
        if self.rankings.kept.is_empty() {
            return;
        }
        let mut kept = mem::take(&mut self.rankings.kept);
        for row in self.rows_of(account).filter(|row| !row.position.is_flat()) {
            if let Some(places) = kept.get_mut(&row.opposite()) {
                change(places, self.place(books, row));
            }
        }
        self.rankings.kept = kept;
    }

    /// A contract of which an order that is kept is not that of its positions.
    pub(crate) fn misranked(&self, books: Books<'_>) -> Option<SymbolId> {
        let is_wrong = |(opposite, kept): &(&Opposite, &BTreeSet<Place>)| {
            let places: BTreeSet<Place> = self.places_against(books, **opposite).collect();
            places != **kept
        };
        self.rankings.kept.iter().find(is_wrong).map(|((symbol, _), _)| *symbol)
    }
}
