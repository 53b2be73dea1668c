//! The state of the exchange.

use crate::{Body, Broken, Desks, Mode, Opening, Operations};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use buttonwood_access::Access;
use buttonwood_auction::Auctions;
use buttonwood_book::Orders;
use buttonwood_clearing::Clearing;
use buttonwood_convert::{self as convert, Conversions};
use buttonwood_funds::Funds;
use buttonwood_identity::Identity;
use buttonwood_index::{Indices, Sources};
use buttonwood_leave::Advances;
use buttonwood_ledger::{House, INSURANCE, LENDING, Ledger, Moved};
use buttonwood_model::{
    AccountId, AssetId, Currency, CurrencyId, DOLLAR, Due, GUSD, OrderId, Side, Slot, Stamp, Symbol,
    SymbolId, Time,
};
use buttonwood_num::{Money, Round};
use buttonwood_perp::{Fund, Perps};
use buttonwood_rates::Rates;
use buttonwood_room::{Context, Room, Rooms};
use buttonwood_spot_margin::SpotMargin;
use buttonwood_staking::Staking;
use buttonwood_trading::{Fees, Floor, Market, Volumes};
use serde::{Deserialize, Serialize};

/// The currencies of the insurance fund of which one is worth a dollar, beside GUSD, which the desk of perpetuals counts.
const FUND_DOLLARS: [&str; 2] = [DOLLAR, "USDT"];

/// An odd constant with well-spread bits (2^64 ÷ golden ratio).
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// The version of a snapshot's contents: the state, and the tape and the index of the history that are derived from it. It goes up
/// whenever one of them changes its stored form. A snapshot of another version is passed over, and the whole journal is replayed instead.
pub const SNAPSHOT_VERSION: u8 = 46;

/// The whole state; it depends on the journal alone.
///
/// Indices are derived: call [`State::prepare_to_store`] before a state is written to a snapshot, and
/// [`State::restore`] after it is read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    pub(crate) stamp: Stamp,
    pub(crate) opening: Option<Opening>,
    pub(crate) next_id: u64,
    pub(crate) access: Access,
    pub(crate) floor: Floor,
    pub(crate) desks: Desks,
    pub(crate) conversions: Conversions,
    pub(crate) last_act: u64,
    pub(crate) operations: Operations,
    pub(crate) funds: Funds,
    pub(crate) clearing: Clearing,
    pub(crate) staking: Staking,
    pub(crate) identity: Identity,
}

impl State {
    /// The state before the first command.
    pub fn new() -> Self {
        Self { next_id: 1, ..Self::default() }
    }

    /// The rows that were read since the last call, beside those that events concern.
    #[inline]
    pub fn take_looks(&self) -> usize {
        self.desks.looks.take()
    }

    /// The id that the next order or trade gets.
    pub fn next_id(&self) -> u64 {
        self.next_id
    }

    /// Number and time of the last command.
    pub fn stamp(&self) -> Stamp {
        self.stamp
    }

    /// The number of the latest act of an operator; 0 before the first.
    pub fn last_act(&self) -> u64 {
        self.last_act
    }

    /// The settings of the opening; none before the first command.
    pub fn opening(&self) -> Option<&Opening> {
        self.opening.as_ref()
    }

    /// Whether this is a sandbox: some commands are a sandbox's alone.
    pub(crate) fn is_sandbox(&self) -> bool {
        self.opening.is_some_and(|opening| opening.mode == Mode::Sandbox)
    }

    /// Every currency.
    pub fn currencies(&self) -> &[Currency] {
        self.ledger().currencies()
    }

    /// Every listed symbol; contracts are in no list.
    pub fn symbols(&self) -> &[Symbol] {
        self.floor.symbols.listed()
    }

    /// A symbol, listed or a contract.
    pub fn symbol(&self, id: SymbolId) -> Option<&Symbol> {
        self.floor.symbols.get(id)
    }

    /// A currency.
    pub fn currency(&self, id: CurrencyId) -> Option<&Currency> {
        self.currencies().get(id.index())
    }

    /// Groups, accounts, sessions.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// Users, browsers, apps and grants.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Balances.
    pub fn ledger(&self) -> &Ledger {
        &self.desks.ledger
    }

    /// From now on, keeps what entries change of balances (D-171). The views do; the writer, which takes orders, does not, and no copy of a
    /// state does.
    pub fn record_moves(&mut self) {
        self.desks.ledger.record();
    }

    /// Takes the changes of entries since the last call, trades on books of spot aside.
    pub fn take_moves(&mut self, into: &mut Vec<Moved>) {
        self.desks.ledger.take_moves(into);
    }

    /// The terms of instant orders, and quotes.
    pub fn conversions(&self) -> &Conversions {
        &self.conversions
    }

    /// The dollar value of what the house account of instant orders lacks of what it was given; none when it lacks a currency without a
    /// price.
    pub fn exposure(&self) -> Option<Money> {
        convert::exposure(&self.context(&self.conversions, self.stamp.time))
    }

    /// The context of a decision of a room.
    pub(crate) fn context<'a, R>(&'a self, room: &'a R, time: Time) -> Context<'a, R> {
        Context {
            room,
            floor: &self.floor,
            symbols: self.symbols(),
            orders: self.orders(),
            ledger: self.ledger(),
            access: &self.access,
            sources: self.sources(time),
            advances: &self.desks.advances,
            rooms: self,
            is_halted: self.operations.is_halted(),
            seed: self.seed(),
            next_id: self.next_id,
            time,
        }
    }

    /// The seed of the opening, from which ids and codes follow.
    pub(crate) fn seed(&self) -> u64 {
        self.opening.map_or(0, |opening| opening.seed)
    }

    /// The context of a decision about funds.
    pub fn of_funds(&self, time: Time) -> Context<'_, Funds> {
        self.context(&self.funds, time)
    }

    /// Positions and marks of perpetuals.
    pub fn perps(&self) -> &Perps {
        &self.desks.perps
    }

    /// The open advances of each group.
    pub fn advances(&self) -> &Advances {
        &self.desks.advances
    }

    /// The loans of margin accounts, and the exposure of their live orders.
    pub fn spot_margin(&self) -> &SpotMargin {
        &self.desks.spot_margin
    }

    /// Whether an account trades perpetuals, and nothing else.
    pub fn is_derivatives(&self, account: AccountId) -> bool {
        self.desks.is_derivatives(account)
    }

    /// Pins and feeds.
    pub fn indices(&self) -> &Indices {
        &self.desks.indices
    }

    /// Where the indices come from at a time.
    pub fn sources(&self, time: Time) -> Sources<'_> {
        self.desks.sources(&self.floor, time)
    }

    /// Notes how many sources an index needs (D-38), and how deep a book must be that is one of a reference (D-179).
    pub(crate) fn note_sources_needed(&mut self) {
        let is_venue = self.opening.is_some_and(|opening| opening.mode == Mode::Venue);
        self.desks.note_sources_needed(if is_venue { 3 } else { 1 }, self.conversions.terms().depth());
    }

    /// The currency that perpetuals are settled in.
    pub fn gusd(&self) -> Option<CurrencyId> {
        self.ledger().gusd()
    }

    /// Transfers, and everything else about money that enters and leaves.
    pub fn funds(&self) -> &Funds {
        &self.funds
    }

    /// Stakes, redemptions and their terms.
    pub fn staking(&self) -> &Staking {
        &self.staking
    }

    /// Live orders.
    pub fn orders(&self) -> &Orders {
        &self.floor.orders
    }

    /// The slot of the order that entered last; meaningful only while its command's events are applied.
    pub fn taking(&self) -> Slot {
        self.floor.taking
    }

    /// A live order by its id.
    pub fn find_order(&self, id: OrderId) -> Option<Slot> {
        self.floor.orders.find(id)
    }

    /// A symbol's auctions, if it has any or has had (AUCT-001).
    pub fn auctions(&self, symbol: SymbolId) -> Option<&Auctions> {
        self.floor.auctions.get(&symbol)
    }

    /// The next due command of all rooms: follow-ups first, then by time. [`Due::command`] must run at its
    /// time, or as soon as possible after it.
    pub fn next_due(&self) -> Option<Due<Body>> {
        self.next_due_of(false)
    }

    /// The next due command that moves money. A long move of a manual clock may skip the others.
    pub fn next_due_unskippable(&self) -> Option<Due<Body>> {
        self.next_due_of(true)
    }

    fn next_due_of(&self, skips: bool) -> Option<Due<Body>> {
        let of_floor = self.floor.next_due(skips, self.operations.is_halted());
        let of_floor = of_floor.filter(|due| !skips || !due.may_skip).map(|due| due.map(Body::Trading));
        let both = [of_floor, self.next_due_of_rooms(skips)];
        both.into_iter().flatten().min_by_key(Due::key)
    }

    /// The next due command of one room of this state.
    pub fn next_due_in<R: Room>(&self, room: &R) -> Option<Due<R::Command>> {
        Room::next_due(room, &self.context(room, self.stamp.time)).min_by_key(Due::key)
    }

    /// Whether a follow-up is due; no other command may run before it.
    #[inline]
    pub fn has_follow_up(&self) -> bool {
        self.floor.settling > 0
            || self.floor.is_cancelling()
            || self.floor.stops.due().is_some() && !self.operations.is_halted()
            || self.has_follow_up_of_rooms()
    }

    /// The operators' settings for the exchange as a whole.
    pub fn operations(&self) -> &Operations {
        &self.operations
    }

    /// The trading floor.
    pub fn floor(&self) -> &Floor {
        &self.floor
    }

    /// Fee schedules.
    pub fn fees(&self) -> &Fees {
        &self.floor.fees
    }

    /// Foreign exchange rates.
    pub fn rates(&self) -> &Rates {
        &self.floor.rates
    }

    /// The volumes of every account.
    pub fn volumes(&self) -> &Volumes {
        &self.floor.volumes
    }

    /// The state that a decision about orders reads.
    #[inline]
    pub(crate) fn market(&self, time: Time) -> Market<'_, Desks> {
        Market { floor: &self.floor, desks: &self.desks, next_id: self.next_id, time }
    }

    /// A hash of all changes of balances, of the rows on which money depends, each table in its order, and of id counter and time. Every
    /// batch carries it, and every replay compares it.
    pub fn fingerprint(&self) -> u64 {
        let rows = self.desks.advances.fingerprint() ^ self.fingerprint_of_rooms();
        // Once more, so that no fingerprint is one of the earlier rule.
        (self.fingerprint_of_balances() ^ rows).wrapping_mul(SPREAD).rotate_left(29)
    }

    /// A hash of all changes of balances in their order, and of id counter and time: the fingerprint of batches before rows had one.
    pub fn fingerprint_of_balances(&self) -> u64 {
        self.desks.ledger.fingerprint() ^ self.next_id.rotate_left(40) ^ self.stamp.time.0
    }

    /// Rebuilds the indices, after the state was read from a snapshot.
    pub fn restore(&mut self) {
        self.desks.ledger.reindex();
        self.restore_rooms();
        for (place, account) in self.access.accounts().iter().enumerate() {
            let id = AccountId::from_index(place);
            self.desks.note_kind(id, account.kind);
            self.desks.note_group(id, account.group);
        }
        let debtors: Vec<AccountId> = self.funds.debts().after(None).map(|(account, ..)| account).collect();
        for account in debtors {
            self.desks.note_debt(account, self.debt_of(account));
        }
        self.note_symbols();
        self.note_sources_needed();
        self.floor.orders.reindex();
        self.floor.restore();
        self.desks.perps.note_depth(&self.floor, self.floor.symbols.listed());
        let Desks { predictions, ledger, .. } = &mut self.desks;
        predictions.count_bids(&self.floor, ledger);
        self.clearing.put_all(&mut self.desks.ledger);
        self.pass_changes();
    }

    /// Notes the symbols after one was listed, or other coins can be bought on margin; which cash orders of margin accounts spend depends on
    /// these.
    pub(crate) fn note_listed(&mut self) {
        let before = self.spot_margin().coins().count();
        self.note_symbols();
        if self.spot_margin().coins().count() != before {
            let Desks { spot_margin, ledger, .. } = &mut self.desks;
            spot_margin.recount(&self.floor, ledger);
        }
    }

    /// An account's debt for returned advances in dollars, as the desks count it. Other currencies are not advanced (D-181); a debt in one of them
    /// from before counts nothing here.
    pub(crate) fn debt_of(&self, account: AccountId) -> Money {
        let open = self.desks.group(account).and_then(|group| self.desks.advances.of(group));
        open.map_or(Money::ZERO, |open| open.owed_by(account))
    }

    /// Records the order of the queues, before the state is written to a snapshot.
    pub fn prepare_to_store(&mut self) {
        self.floor.orders.prepare_to_store();
    }

    /// The first broken law, if any. Recomputes every sum from the single balances and orders.
    pub fn broken_law(&self) -> Option<Broken> {
        if let Some(law) = self.desks.ledger.broken_law() {
            return Some(Broken::Balances(law));
        }
        for (symbol, _) in self.floor.symbols.iter() {
            let book = self.floor.orders.book(symbol);
            if let (Some(bid), Some(ask)) = (book.side(Side::Buy).best(), book.side(Side::Sell).best())
                && bid >= ask
            {
                return Some(Broken::Crossed(symbol));
            }
        }
        self.unequal_hold()
            .or_else(|| self.broken_law_of_rooms())
            .or_else(|| self.unequal_loans().map(Broken::Lending))
    }

    /// The first currency of which the lending account has not lent exactly what accounts owe.
    fn unequal_loans(&self) -> Option<CurrencyId> {
        let lending = self.ledger().house(LENDING.name)?;
        let mut owed: BTreeMap<CurrencyId, Money> = BTreeMap::new();
        let tables = [self.perps().loans(), self.spot_margin().loans(), self.funds.debts()];
        for (_, currency, amount) in tables.into_iter().flat_map(|loans| loans.after(None)) {
            *owed.entry(currency).or_insert(Money::ZERO) += amount;
        }
        let currencies = (0..self.currencies().len()).map(CurrencyId::from_index);
        { currencies }.find(|currency| {
            let owed = owed.get(currency).copied().unwrap_or(Money::ZERO);
            self.ledger().balance(lending, *currency).available != -owed
        })
    }

    /// The first balance whose hold differs from what its owner needs in all rooms (INV-LEDGER-5).
    fn unequal_hold(&self) -> Option<Broken> {
        for account in (0..self.ledger().accounts()).map(AccountId) {
            let mut needed: BTreeMap<AssetId, Money> = BTreeMap::new();
            let mut add = |asset, amount| *needed.entry(asset).or_insert(Money::ZERO) += amount;
            self.floor.reserved(&self.desks, account).for_each(|(asset, amount)| add(asset, amount));
            self.reserved_by_rooms(account, add);
            let currencies =
                self.ledger().balances_of(account).map(|(currency, balance)| (currency.into(), balance));
            for (asset, balance) in currencies.chain(self.ledger().claims_of(account)) {
                if needed.remove(&asset).unwrap_or(Money::ZERO) != balance.held {
                    return Some(Broken::Hold(account, asset));
                }
            }
            if let Some((asset, _)) = needed.into_iter().find(|(_, amount)| *amount != Money::ZERO) {
                return Some(Broken::Hold(account, asset));
            }
        }
        None
    }
}

impl State {
    /// Commands that open the house accounts that this build needs and the directory lacks; the build that
    /// made it may have needed fewer.
    pub fn missing_houses(&self) -> impl Iterator<Item = Body> {
        let is_missing = |house: &House| self.opening.is_some() && self.ledger().house(house.name).is_none();
        crate::houses().filter(is_missing).map(Body::open_house)
    }
}

impl Rooms for State {
    /// The insurance fund as one sum over all products (D-178): dollars, positions at their marks and other currencies at their indices,
    /// less what it owes. None beyond the range of money.
    fn fund(&self) -> Option<Fund> {
        let (fund, gusd) = self.ledger().house(INSURANCE.name).zip(self.gusd())?;
        let of_perps = self.perps().bare_sums(self.ledger(), self.indices().latest(), fund, gusd)?;
        let mut sum = Fund {
            assets: of_perps.assets.checked_sub(self.spot_margin().owed(fund))?,
            holds: of_perps.notional,
        };
        for (currency, balance) in self.ledger().balances_of(fund) {
            let code = self.currency(currency).map_or("", |currency| currency.code.as_str());
            // The sums of perpetuals have GUSD.
            if code == GUSD {
                continue;
            }
            let is_dollar = FUND_DOLLARS.contains(&code);
            let index = if is_dollar { Some(Money::ONE) } else { self.indices().latest().price(currency) };
            let value = balance.available.times(index.unwrap_or(Money::ZERO), Round::Down)?;
            sum.assets = sum.assets.checked_add(value)?;
            sum.holds = sum.holds.checked_add(if is_dollar { Money::ZERO } else { value })?;
        }
        Some(sum)
    }
}
