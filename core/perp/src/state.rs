//! The desk's state: rows of positions and live quantities, prices, risk settings, funding, and liquidations under way.

use crate::Counted;
use crate::deleveraging::Rankings;
use crate::depth::Depth;
use crate::funding::Funding;
use crate::liquidation::Liquidations;
use crate::prices::{Contract, Prices};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use buttonwood_index::Indices;
use buttonwood_ledger::{CLEARING, FEES, INSURANCE, LENDING, Ledger};
use buttonwood_model::{AccountId, CurrencyId, Fingerprint, Held, RowHash, Side, SymbolId, Time};
use buttonwood_num::Money;
use buttonwood_risk::{Debts, Leverage, Loans, Position};
use serde::{Deserialize, Serialize};

/// A position, and what live orders would add to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The account.
    pub account: AccountId,
    /// The contract.
    pub symbol: SymbolId,
    /// The position.
    pub position: Position,
    /// The open quantities of live buys and live sells, in the base currency.
    pub live: [Money; 2],
}

/// The settings of an account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Risk {
    /// Its highest leverage.
    pub leverage: Leverage,
    /// Whether other currencies count as collateral.
    pub cross_collateral: bool,
}

/// The state of the desk.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Perps {
    /// Every row ever used; an order stores the number of its row.
    rows: Vec<Row>,
    pub(crate) prices: Prices,
    pub(crate) risks: BTreeMap<AccountId, Risk>,
    /// The currencies that count as collateral; none where only earlier builds opened the directory.
    pub(crate) collateral: Option<Vec<Counted>>,
    /// The debts of accounts to the lending account.
    pub(crate) loans: Loans,
    pub(crate) funding: Funding,
    pub(crate) liquidations: Liquidations,
    /// Whether positions changed hands off the book since the queue was last empty, which may leave another account below maintenance.
    pub(crate) has_moved: bool,
    /// When the marks must be taken again although no book changed, since balances changed that no order changed.
    pub(crate) retake: Option<Time>,
    /// When the marks were last taken.
    marked: Option<Time>,
    /// Contracts of which the fund's position is to be sent to the book, and since when.
    pub(crate) offers: BTreeMap<SymbolId, Time>,
    /// The full hour before which nothing more of the fund's positions can be closed.
    pub(crate) flattened: Option<Time>,
    /// The fingerprint of all positions so far.
    positions: Fingerprint,
    /// Whether a deleveraging order is kept, which a command that is no liquidation's ends. Every order asks for it.
    #[serde(skip)]
    is_ranked: bool,
    /// The deleveraging orders of the liquidations that follow each other. Derived.
    #[serde(skip)]
    pub(crate) rankings: Rankings,
    /// The debts of accounts for returned advances, in dollars. Derived from the debts of `funds`.
    #[serde(skip)]
    debts: Debts,
    /// How much rests at each price. Derived from the live orders.
    #[serde(skip)]
    pub(crate) depth: Depth,
    /// The insurance fund's account.
    #[serde(skip)]
    fund: Option<AccountId>,
    /// Of each contract, the sum of the long positions, which is that of the short ones.
    #[serde(skip)]
    long: BTreeMap<SymbolId, Money>,
    /// How many positions each account has.
    #[serde(skip)]
    open: BTreeMap<AccountId, u32>,
    /// The house accounts for clearing, fees and loans, which every settlement needs.
    #[serde(skip)]
    pub(crate) houses: Option<[AccountId; 3]>,
    /// By account: its contracts, by their ids, with the places of the rows. Found without a search, since every order needs its row
    /// several times.
    #[serde(skip)]
    index: Vec<Vec<(SymbolId, u32)>>,
}

impl PartialEq for Perps {
    fn eq(&self, other: &Self) -> bool {
        (&self.rows, &self.prices) == (&other.rows, &other.prices)
            && (&self.risks, &self.loans, &self.funding) == (&other.risks, &other.loans, &other.funding)
            && (&self.collateral, self.has_moved) == (&other.collateral, other.has_moved)
            && (&self.liquidations, self.retake, self.marked)
                == (&other.liquidations, other.retake, other.marked)
            && (&self.offers, self.flattened) == (&other.offers, other.flattened)
            && self.positions == other.positions
    }
}

/// Microseconds of a minute.
const MINUTE: u64 = 60 * Time::SECOND;

/// A position, as fingerprints have it.
const POSITION: RowHash = RowHash::of("position");

/// The bit that tells a row's number from the place of a balance.
const ROW: u32 = 1 << 31;

impl Perps {
    /// Rebuilds what is derived, after a restore.
    pub fn reindex(&mut self, ledger: &Ledger) {
        self.note_houses(ledger);
        self.index.clear();
        (self.long, self.open) = Default::default();
        for place in 0..self.rows.len() {
            self.index_row(place);
            if let Some(row) = self.rows.get(place).copied() {
                self.count(&row, Position::default(), row.position);
            }
        }
    }

    /// Notes the place of a row.
    fn index_row(&mut self, place: usize) {
        let Some((row, number)) = self.rows.get(place).zip(u32::try_from(place).ok()) else { return };
        let account = row.account.index();
        if self.index.len() <= account {
            self.index.resize_with(account + 1, Vec::new);
        }
        if let Some(own) = self.index.get_mut(account) {
            let at = own.partition_point(|(symbol, _)| *symbol < row.symbol);
            own.insert(at, (row.symbol, number));
        }
    }

    /// The contracts of an account with the places of their rows.
    fn places(&self, account: AccountId) -> &[(SymbolId, u32)] {
        self.index.get(account.index()).map(Vec::as_slice).unwrap_or_default()
    }

    /// Notes the house accounts of the desk, once they are open.
    pub fn note_houses(&mut self, ledger: &Ledger) {
        self.fund = ledger.house(INSURANCE.name);
        let [clearing, fees, lending] =
            [CLEARING.name, FEES.name, LENDING.name].map(|name| ledger.house(name));
        self.houses =
            clearing.zip(fees).zip(lending).map(|((clearing, fees), lending)| [clearing, fees, lending]);
    }

    /// The insurance fund's account.
    pub(crate) fn fund(&self) -> Option<AccountId> {
        self.fund
    }

    /// Whether a deleveraging order may be kept.
    #[inline]
    pub fn is_ranked(&self) -> bool {
        self.is_ranked
    }

    /// Notes that a command was applied: unless it was one of a liquidation, no deleveraging order is kept.
    #[inline]
    pub(crate) fn note_command(&mut self) {
        if self.is_ranked {
            self.is_ranked = self.rankings.note_command();
        }
    }

    /// Notes that a deleveraging order is kept, so that the next command ends it.
    pub(crate) fn note_ranked(&mut self) {
        self.is_ranked = true;
    }

    /// Trading was halted or resumed, or operators set other terms: premiums or collateral count differently from now on.
    pub(crate) fn note_halt(&mut self, time: Time) {
        if !self.prices.is_empty() {
            self.retake = Some(time);
        }
    }

    /// When the marks are taken next because something changed: at the full second after the first change of a book or of a feed's
    /// price, and when such a price goes stale.
    pub fn marks_due(&self, indices: &Indices) -> Option<Time> {
        let changed = indices.changed().map(|time| Time((time.0 / Time::SECOND + 1) * Time::SECOND));
        changed.into_iter().chain(self.retake).chain(indices.stale_at()).min()
    }

    /// When the marks are taken although nothing changed: once a minute while a premium counts towards funding. These commands show
    /// after a crash in which minutes the exchange ran (D-49).
    pub(crate) fn minute_due(&self) -> Option<Time> {
        let minute = |time: Time| Time((time.0 / MINUTE + 1) * MINUTE);
        self.marked.filter(|_| self.funding.has_premium()).map(minute)
    }

    /// Since when the exchange did not run, at a start at `now` by a real clock; none if it missed no full minute that counts towards
    /// funding. While a premium counts, the marks are taken every minute, so it stopped soon after the last ones.
    pub fn stopped_since(&self, now: Time) -> Option<Time> {
        self.marked.filter(|marked| self.funding.has_premium() && marked.0 / MINUTE + 1 < now.0 / MINUTE)
    }

    pub(crate) fn note_marks(&mut self, time: Time) {
        self.marked = Some(time);
        self.retake = None;
    }

    /// When the marks were last taken.
    pub(crate) fn marked(&self) -> Option<Time> {
        self.marked
    }

    /// The prices of a contract; none before it has had an index.
    pub fn contract(&self, symbol: SymbolId) -> Option<&Contract> {
        self.prices.contract(symbol)
    }

    /// The settings of an account.
    pub fn risk(&self, account: AccountId) -> Risk {
        self.risks.get(&account).copied().unwrap_or_default()
    }

    /// The debt of the account to the lending account.
    pub fn owed(&self, account: AccountId, gusd: CurrencyId) -> Money {
        self.loans.owed(account, gusd)
    }

    /// The amount that counts as borrowed by the account, in dollars: its loan, and its debts for returned advances (D-181).
    pub(crate) fn borrowed(&self, account: AccountId, gusd: CurrencyId) -> Money {
        self.owed(account, gusd).capped_add(self.debt(account))
    }

    /// The debts of an account for returned advances, in dollars.
    pub fn debt(&self, account: AccountId) -> Money {
        self.debts.of(account)
    }

    /// Notes what an account of this desk owes for returned advances, in dollars.
    pub fn note_debt(&mut self, account: AccountId, debt: Money) {
        self.debts.note(account, debt);
        self.rankings.clear();
    }

    /// Has the marks taken again, since an account owes more.
    pub(crate) fn look_through(&mut self, time: Time) {
        self.retake = Some(time);
    }

    /// The loans of the lending account for perpetuals.
    pub fn loans(&self) -> &Loans {
        &self.loans
    }

    /// The fingerprints of positions and loans.
    pub(crate) fn fingerprints(&self) -> u64 {
        let loans = self.loans.fingerprint().part("perp.loans");
        self.positions.part("perp.positions") ^ loans
    }

    /// Every row ever used.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The account's rows, by symbol.
    pub fn rows_of(&self, account: AccountId) -> impl Iterator<Item = &Row> {
        self.places(account).iter().filter_map(|(_, place)| self.rows.get(AccountId(*place).index()))
    }

    /// The row of an account and a contract; a blank one if there is none.
    pub fn row(&self, account: AccountId, symbol: SymbolId) -> Row {
        self.find(account, symbol).1
    }

    /// The row, and the number that it has or will get.
    pub(crate) fn find(&self, account: AccountId, symbol: SymbolId) -> (Held, Row) {
        let blank = Row { account, symbol, position: Position::default(), live: [Money::ZERO; 2] };
        let place = self.places(account).iter().find(|(of, _)| *of == symbol).map(|(_, place)| *place);
        let row = place.and_then(|place| self.rows.get(AccountId(place).index())).copied();
        let place = place.unwrap_or_else(|| u32::try_from(self.rows.len()).unwrap_or(u32::MAX));
        (Held(place | ROW), row.unwrap_or(blank))
    }

    /// The row, made if it does not exist.
    pub(crate) fn row_mut(&mut self, account: AccountId, symbol: SymbolId) -> &mut Row {
        let (held, row) = self.find(account, symbol);
        let place = AccountId(held.0 & !ROW).index();
        if place == self.rows.len() {
            self.rows.push(row);
            self.index_row(place);
        }
        self.rows.get_mut(place).expect("the row was found or made")
    }

    /// Whether the account ever had a position or a live order of the contract.
    pub(crate) fn has_row(&self, account: AccountId, symbol: SymbolId) -> bool {
        self.places(account).iter().any(|(own, _)| *own == symbol)
    }

    /// The row with this number.
    pub(crate) fn row_at(&mut self, held: Held) -> &mut Row {
        let place = AccountId(held.0 & !ROW).index();
        self.rows.get_mut(place).expect("an order stores the number of its row")
    }

    /// Changes the position of a row, which is made if it does not exist.
    pub(crate) fn set_position(&mut self, key: (AccountId, SymbolId), position: Position) {
        let row = self.row_mut(key.0, key.1);
        let before = core::mem::replace(&mut row.position, position);
        let row = *row;
        self.positions.add(row.hash());
        self.count(&row, before, position);
    }

    /// Counts a change of a row's position.
    fn count(&mut self, row: &Row, before: Position, after: Position) {
        let long = self.long.entry(row.symbol).or_default();
        *long += after.quantity.max(Money::ZERO) - before.quantity.max(Money::ZERO);
        match (before.is_flat(), after.is_flat()) {
            (true, false) => *self.open.entry(row.account).or_default() += 1,
            (false, true) => {
                let left = self.open.remove(&row.account).unwrap_or_default().saturating_sub(1);
                if left > 0 {
                    self.open.insert(row.account, left);
                }
            }
            (true, true) | (false, false) => {}
        }
    }

    /// The sum of the long positions of a contract, which is that of the short ones.
    pub fn open_interest(&self, symbol: SymbolId) -> Money {
        self.long.get(&symbol).copied().unwrap_or_default()
    }

    /// The accounts with a position, by their ids.
    pub(crate) fn accounts_with_positions(&self) -> impl Iterator<Item = AccountId> {
        self.open.keys().copied()
    }

    /// The liquidations that wait or are under way.
    pub fn liquidations(&self) -> &Liquidations {
        &self.liquidations
    }

    /// Whether a follow-up is due: payments of funding, or a round of a liquidation.
    #[inline]
    pub fn has_follow_up(&self) -> bool {
        self.funding.is_paying() || self.liquidations.round().is_some()
    }

    /// Whether the account has a position, a live order or a debt here.
    pub fn is_active(&self, account: AccountId) -> bool {
        let is_used = |row: &Row| !row.position.is_flat() || row.live != [Money::ZERO; 2];
        self.rows_of(account).any(is_used) || self.loans.owes(account)
    }
}

impl Row {
    /// The hash of its position. Live orders are those of the floor.
    fn hash(&self) -> RowHash {
        let Position { quantity, cost, realised } = self.position;
        let row = POSITION.word(self.account.0.into()).word(self.symbol.0.into());
        row.money(quantity).money(cost).money(realised)
    }

    /// The live quantity of a side.
    pub(crate) fn live(&self, side: Side) -> Money {
        let [buys, sells] = self.live;
        match side {
            Side::Buy => buys,
            Side::Sell => sells,
        }
    }

    pub(crate) fn live_mut(&mut self, side: Side) -> &mut Money {
        let [buys, sells] = &mut self.live;
        match side {
            Side::Buy => buys,
            Side::Sell => sells,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BTC: SymbolId = SymbolId(0);
    const ANN: AccountId = AccountId(1);

    fn units(amount: i128) -> Money {
        Money::from_units(amount)
    }

    /// Applies fills of accounts at a price of ten.
    fn fill(perps: &mut Perps, fills: &[(u32, i128)]) {
        for (account, quantity) in fills {
            let key = (AccountId(*account), BTC);
            let before = perps.row(key.0, key.1).position;
            let after = before.after(units(*quantity), units(10 * quantity)).unwrap();
            perps.set_position(key, after.position);
        }
    }

    /// A replay that writes another position than the live run, writes one less, or another one first, has another fingerprint
    /// (INV-LEDGER-7).
    #[test]
    fn a_position_that_differs_shows() {
        let after = |fills: &[(u32, i128)]| {
            let mut perps = Perps::default();
            fill(&mut perps, fills);
            perps.fingerprints()
        };
        let live = after(&[(1, 5), (2, -5)]);
        assert_eq!(after(&[(1, 5), (2, -5)]), live);
        let wrong: [&[(u32, i128)]; 5] =
            [&[(1, 5), (2, -6)], &[(1, -5), (2, 5)], &[(1, 5)], &[(3, 5), (2, -5)], &[(2, -5), (1, 5)]];
        for fills in wrong {
            assert_ne!(after(fills), live, "{fills:?}");
        }
    }

    /// A row that was changed by nothing shows once the next fill changes it.
    #[test]
    fn a_flipped_position_shows_at_its_next_change() {
        let mut live = Perps::default();
        fill(&mut live, &[(1, 5)]);
        let mut planted = live.clone();
        planted.row_mut(ANN, BTC).position.cost += units(1);
        for perps in [&mut live, &mut planted] {
            fill(perps, &[(1, 2)]);
        }
        assert_ne!(planted.fingerprints(), live.fingerprints());
    }
}
