//! All desks of the exchange, with the balances that they change. Each function has one arm for each desk.

use crate::advances::{Loss, Meter};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use buttonwood_access::AccountKind;
use buttonwood_index::{Bound, Indices, Sources};
use buttonwood_leave::{Advances, DOLLARS};
use buttonwood_ledger::{INSURANCE, Ledger};
use buttonwood_model::{
    AccountId, AssetId, CancelReason, CurrencyId, Desk, GUSD, GroupId, Looks, OrderClass, Product, Side,
    Symbol, SymbolId, Time,
};
use buttonwood_num::{Money, Price, Qty};
use buttonwood_perp::{self as perp, Perps};
use buttonwood_prediction::{self as prediction, Predictions};
use buttonwood_room::Changes;
use buttonwood_spot as spot;
use buttonwood_spot_margin::{self as spot_margin, SpotMargin};
use buttonwood_trading::{
    self as trading, Break, BreakError, Cover, Crossing, Execution, Fill, Floor, Live, Reserve, Rules, Terms,
    Traded, Unmet,
};
use serde::{Deserialize, Serialize};

/// The desks' part of the state.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Desks {
    /// Every balance.
    pub ledger: Ledger,
    /// Pins and feeds, from which indices are computed.
    pub indices: Indices,
    /// Positions and marks of perpetuals.
    pub perps: Perps,
    /// The loans of margin accounts, and the exposure of their live orders.
    pub spot_margin: SpotMargin,
    /// The open advances of each group.
    pub advances: Advances,
    /// Events, contracts, and what accounts paid for their claims.
    pub predictions: Predictions,
    /// The kind of each account. Derived.
    #[serde(skip)]
    kinds: Vec<AccountKind>,
    /// The group of each account that has one. Derived.
    #[serde(skip)]
    groups: Vec<Option<GroupId>>,
    /// How many sources an index needs. Derived.
    #[serde(skip)]
    sources_needed: usize,
    /// How many dollars of others must rest on each side of a book that is a source of a reference. Derived.
    #[serde(skip)]
    sources_depth: Money,
    /// The accounts of each group. Derived.
    #[serde(skip)]
    members: BTreeMap<GroupId, Vec<AccountId>>,
    /// Counts the rows that commands read.
    #[serde(skip)]
    pub(crate) looks: Looks,
    /// The changes of the command's events for other rooms than their own, but rises of balances, which the ledger keeps. Derived.
    #[serde(skip)]
    changes: Changes,
    /// Whether there is any of it.
    #[serde(skip)]
    has_changes: bool,
}

/// Derived fields do not count.
impl PartialEq for Desks {
    fn eq(&self, other: &Self) -> bool {
        (&self.ledger, &self.indices) == (&other.ledger, &other.indices)
            && (&self.perps, &self.spot_margin) == (&other.perps, &other.spot_margin)
            && (&self.advances, &self.predictions) == (&other.advances, &other.predictions)
    }
}

/// The changes that every room gets at the end of a command.
impl Desks {
    /// The changes of the command's events, to add to them.
    pub(crate) fn changes(&mut self) -> &mut Changes {
        self.has_changes = true;
        &mut self.changes
    }

    /// Whether there is something to pass on.
    #[inline]
    pub(crate) fn has_changes(&self) -> bool {
        self.has_changes | self.ledger.has_risen()
    }

    /// Takes what is to be passed on.
    pub(crate) fn take_changes(&mut self) -> Changes {
        self.has_changes = false;
        Changes {
            rises: self.ledger.take_risen().into_iter().collect(),
            ..core::mem::take(&mut self.changes)
        }
    }

    /// Notes the time of a command that was applied.
    #[inline]
    pub(crate) fn note_time(&mut self, time: Time) {
        self.indices.note_time(time);
        self.spot_margin.note_time(time);
    }

    /// Repays what accounts owe, out of whatever came in (D-46).
    pub(crate) fn repay(&mut self) {
        self.repay_margin();
        if !self.perps.loans().is_empty() {
            self.perps.repay(&mut self.ledger);
        }
    }
}

impl Desks {
    /// Notes the kind of an account, or of the next one.
    pub(crate) fn note_kind(&mut self, account: AccountId, kind: AccountKind) {
        self.kinds.resize(self.kinds.len().max(account.index() + 1), AccountKind::Exchange);
        if let Some(noted) = self.kinds.get_mut(account.index()) {
            *noted = kind;
        }
    }

    /// Notes the group of an account, once for each account.
    pub(crate) fn note_group(&mut self, account: AccountId, group: Option<GroupId>) {
        self.groups.resize(self.groups.len().max(account.index() + 1), None);
        if let Some(noted) = self.groups.get_mut(account.index()) {
            *noted = group;
        }
        if let Some(group) = group {
            self.members.entry(group).or_default().push(account);
        }
    }

    /// The group of an account; none of a house account.
    pub(crate) fn group(&self, account: AccountId) -> Option<GroupId> {
        self.groups.get(account.index()).copied().flatten()
    }

    /// All accounts of the account's group, itself included.
    pub(crate) fn members(&self, account: AccountId) -> &[AccountId] {
        self.group(account).map(|group| self.members_of(group)).unwrap_or_default()
    }

    /// The accounts of a group, in the order of their ids.
    pub(crate) fn members_of(&self, group: GroupId) -> &[AccountId] {
        self.members.get(&group).map(Vec::as_slice).unwrap_or_default()
    }

    /// Notes how many sources an index needs (D-38), and how deep a book must be that is one of a reference (D-179).
    pub(crate) fn note_sources_needed(&mut self, needed: usize, depth: Money) {
        (self.sources_needed, self.sources_depth) = (needed, depth);
    }

    /// Where the indices come from at a time.
    pub(crate) fn sources<'a>(&'a self, floor: &'a Floor, time: Time) -> Sources<'a> {
        Sources {
            indices: &self.indices,
            symbols: floor.symbols.listed(),
            orders: &floor.orders,
            dollar: self.ledger.dollar(),
            needed: self.sources_needed,
            depth: self.sources_depth,
            bound: self,
            time,
        }
    }

    /// The part of an account's assets that is no own money where an order on margin or of a perpetual is admitted (D-181): its own open
    /// advances, which its bank would take back from it, and the advances and debts of its group's other accounts beyond what these have.
    /// A derivatives account with such a part opens nothing: the position's funding would be paid out of it.
    #[inline]
    pub(crate) fn advanced(&self, account: AccountId) -> Money {
        if self.advances.is_empty() { Money::ZERO } else { self.advanced_beyond_others(account) }
    }

    /// The open advances of an account itself: its bank would take them back from it.
    pub(crate) fn own_advances(&self, account: AccountId) -> Money {
        let open = self.group(account).and_then(|group| self.advances.of(group));
        open.map_or(Money::ZERO, |open| open.of_account(account))
    }

    /// Of the others those count that have neither a position nor a loan nor a live order on credit, with their dollars: the index of
    /// another currency may have been made by the group itself.
    #[cold]
    #[inline(never)]
    fn advanced_beyond_others(&self, account: AccountId) -> Money {
        let open = self.group(account).and_then(|group| self.advances.of(group));
        let Some(open) = open else { return Money::ZERO };
        let others = self.members(account).iter().filter(|member| **member != account);
        let idle =
            others.filter(|member| !self.perps.is_active(**member) && !self.spot_margin.is_active(**member));
        let dollars = idle.flat_map(|member| self.ledger.balances_of(*member));
        let dollars = dollars.inspect(|_| self.looks.note(1));
        let dollars = dollars.filter(|(currency, _)| self.is_dollar(*currency));
        let covered = dollars.fold(Money::ZERO, |sum, (_, balance)| sum.capped_add(balance.available));
        let own = open.of_account(account);
        // The debt of the account itself counts as borrowed.
        let all = open.amount.capped_add(open.owed()).checked_sub(open.owed_by(account));
        let others = all.and_then(|all| all.checked_sub(own)?.checked_sub(covered));
        let advanced = own.capped_add(others.unwrap_or(Money::ZERO).max(Money::ZERO));
        if advanced > Money::ZERO && self.is_derivatives(account) { Money::MAX } else { advanced }
    }

    /// Whether a currency counts a dollar each against advances and in volumes.
    pub(crate) fn is_dollar(&self, currency: CurrencyId) -> bool {
        let code = self.ledger.currencies().get(currency.index()).map(|currency| currency.code.as_str());
        code.is_some_and(|code| DOLLARS.contains(&code))
    }

    /// Notes what an account owes for returned advances, in dollars: it counts as borrowed (D-181).
    pub(crate) fn note_debt(&mut self, account: AccountId, debt: Money) {
        match self.kind(account) {
            AccountKind::Margin => self.spot_margin.note_debt(account, debt),
            AccountKind::Derivatives => self.perps.note_debt(account, debt),
            AccountKind::Exchange | AccountKind::Custody => {}
        }
    }

    /// The debts of a margin or a derivatives account for returned advances.
    pub(crate) fn debt(&self, account: AccountId) -> Money {
        self.spot_margin.debt(account).max(self.perps.debt(account))
    }

    /// Whether the desks cover a fill, advances aside.
    #[expect(clippy::inline_always, reason = "it forwards to one desk, on the path of every order")]
    #[inline(always)]
    fn covers_fill(&self, plan: &mut Plan, maker: Live<'_>, taker: &Terms<'_>, qty: Qty) -> Cover {
        match Settlement::of(maker.desk(), taker.class.desk()) {
            // A resting order holds what it sells or pays, and `affords` judges the fills of an incoming one.
            Settlement::Spot | Settlement::Contract => Cover::Both,
            Settlement::Perp => perp::covers(
                &self.perps,
                &self.ledger,
                self.indices.latest(),
                &mut plan.perp,
                (maker, qty),
                taker,
                |account| self.uncounted((taker.floor, taker.time), account),
            ),
            Settlement::Mixed => spot_margin::covers(
                &self.spot_margin,
                &self.ledger,
                self.indices.latest(),
                &mut plan.margin,
                (maker, qty),
                taker,
                |account| self.careful((taker.floor, taker.time), account, Some(taker.symbol.base)),
            ),
        }
    }

    /// The same while groups have open advances.
    #[cold]
    #[inline(never)]
    fn covers_metered(&self, plan: &mut Plan, maker: Live<'_>, taker: &Terms<'_>, qty: Qty) -> Cover {
        let judged = plan.meter.as_mut().map(|meter| self.judge_fill(meter, (maker, qty), taker));
        let loss = match judged {
            Some(Err(cover)) => return cover,
            Some(Ok(loss)) => loss,
            None => Loss::default(),
        };
        let cover = self.covers_fill(plan, maker, taker, qty);
        if let Some(meter) = plan.meter.as_mut().filter(|_| cover == Cover::Both) {
            meter.note(loss);
        }
        cover
    }

    fn covers_trade(&self, plan: &mut Plan, crossing: &Crossing<'_>) -> Result<(), Side> {
        match Settlement::of(crossing.buy.desk(), crossing.sell.desk()) {
            Settlement::Spot => Ok(()),
            // They have no auctions.
            Settlement::Perp => no_such_desk(perp::DESK),
            Settlement::Contract => no_such_desk(prediction::DESK),
            Settlement::Mixed => spot_margin::covers_crossing(
                &self.spot_margin,
                &self.ledger,
                self.indices.latest(),
                &mut plan.margin,
                crossing,
                |account| {
                    self.careful((crossing.buy.floor(), plan.time), account, Some(crossing.buy.symbol.base))
                },
            ),
        }
    }

    #[inline]
    pub(crate) fn kind(&self, account: AccountId) -> AccountKind {
        self.kinds.get(account.index()).copied().unwrap_or(AccountKind::Exchange)
    }

    /// Whether an account trades perpetuals, and nothing else.
    #[inline]
    pub fn is_derivatives(&self, account: AccountId) -> bool {
        self.kind(account) == AccountKind::Derivatives
    }

    /// Whether an account may buy on margin.
    pub fn is_margin(&self, account: AccountId) -> bool {
        self.kind(account) == AccountKind::Margin
    }

    /// The desk of an order that is on margin, of a margin account, or of an account that does not trade the symbol.
    #[cold]
    #[inline(never)]
    fn desk_of_credit(
        &self,
        symbol: &Symbol,
        account: AccountId,
        on_margin: bool,
    ) -> Result<Desk, DeskReject> {
        match (symbol.product, self.kind(account)) {
            // The insurance fund sends what it holds to the book (D-178).
            (Product::Swap, _) if !on_margin && self.ledger.house(INSURANCE.name) == Some(account) => {
                Ok(perp::DESK)
            }
            (Product::Spot, AccountKind::Margin) if !on_margin => Ok(spot_margin::CASH),
            (Product::Spot, AccountKind::Margin) if self.spot_margin.is_traded(symbol) => {
                Ok(spot_margin::DESK)
            }
            _ if on_margin => Err(DeskReject::NoMargin),
            _ => Err(DeskReject::WrongKind),
        }
    }

    /// Settles both sides of a fill of a contract.
    #[inline(never)]
    fn settle_contract(&mut self, execution: &Execution<'_>) {
        let Execution { maker, taker, qty, notional, maker_fee, taker_fee } = *execution;
        let Self { predictions, ledger, .. } = self;
        let fees = [*maker_fee, *taker_fee];
        prediction::settle(predictions, ledger, [maker, taker], (qty, notional), fees);
    }

    /// Settles the maker's side of a fill in which cash and margin orders met.
    #[cold]
    #[inline(never)]
    fn settle_mixed_maker(&mut self, execution: &Execution<'_>) {
        if spot_margin::is_of_room(execution.maker.desk()) {
            spot_margin::settle_maker(&mut self.spot_margin, &mut self.ledger, execution);
        } else {
            spot::settle_maker(&mut self.ledger, execution);
        }
    }

    /// Repays what margin accounts owe, out of whatever came in.
    #[inline]
    pub(crate) fn repay_margin(&mut self) {
        if !self.spot_margin.loans().is_empty() {
            self.spot_margin.repay(&mut self.ledger);
        }
    }

    /// The first party to a trade whose group has open advances or debts of returned ones.
    fn bound_party(&self, broken: &Break) -> Option<AccountId> {
        let parties = [broken.buyer.account, broken.seller.account];
        parties.into_iter().find(|account| self.is_bound(*account))
    }

    fn has_margin_party(&self, broken: &Break) -> bool {
        [broken.buyer.account, broken.seller.account].into_iter().any(|account| self.is_margin(account))
    }
}

/// Why a desk refuses an order, other than for lack of funds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeskReject {
    /// The account is of a kind that does not trade the symbol (D-36).
    WrongKind,
    /// By the desk of perpetuals.
    Perp(perp::Refusal),
    /// By the desk of spot margin.
    SpotMargin(spot_margin::Refusal),
    /// The account, or the symbol, is not traded on margin (ORD-045).
    NoMargin,
    /// The account's group would give up more against the index than its open advances let it (D-181).
    Advances,
}

impl From<perp::Refusal> for DeskReject {
    fn from(refusal: perp::Refusal) -> Self {
        Self::Perp(refusal)
    }
}

impl From<spot_margin::Refusal> for DeskReject {
    fn from(refusal: spot_margin::Refusal) -> Self {
        Self::SpotMargin(refusal)
    }
}

/// The notes of the desks about the fills of a plan.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    perp: perp::Plan,
    margin: spot_margin::Plan,
    time: Time,
    /// While groups have open advances.
    meter: Option<Meter>,
}

#[cold]
fn no_such_desk(desk: Desk) -> ! {
    panic!("no order was ever placed at desk {}", desk.number())
}

/// The settlement of a trade: by the desk of both sides or, on a book that cash and margin orders share, by the desks of each.
enum Settlement {
    Spot,
    Perp,
    Contract,
    Mixed,
}

impl Settlement {
    #[inline]
    fn of(one: Desk, other: Desk) -> Self {
        match (one, other) {
            (spot::DESK, spot::DESK) => Self::Spot,
            (perp::DESK, perp::DESK) => Self::Perp,
            (prediction::DESK, prediction::DESK) => Self::Contract,
            _ => Self::Mixed,
        }
    }
}

impl Bound for Desks {
    fn is_bound(&self, account: AccountId) -> bool {
        !self.advances.is_empty()
            && self.group(account).is_some_and(|group| self.advances.of(group).is_some())
    }

    fn bound_accounts(&self) -> Vec<AccountId> {
        self.advances.groups().flat_map(|group| self.members_of(group)).copied().collect()
    }

    fn members(&self, account: AccountId) -> &[AccountId] {
        self.members(account)
    }

    fn note_looks(&self, orders: usize) {
        self.looks.note(orders);
    }
}

#[expect(clippy::inline_always, reason = "each forwards to one desk, on the path of every order")]
impl trading::Desks for Desks {
    type Refusal = DeskReject;
    type Plan = Plan;

    fn group(&self, account: AccountId) -> Option<GroupId> {
        self.group(account)
    }

    #[inline(always)]
    fn plan(&self, time: Time) -> Plan {
        let meter = (!self.advances.is_empty()).then(|| Meter::new(time));
        Plan { time, meter, ..Plan::default() }
    }

    fn uncovered(&self, symbol: &Symbol, plan: &Plan) -> CancelReason {
        if plan.meter.as_ref().is_some_and(|meter| meter.refuses_taker) {
            return CancelReason::InsufficientFunds;
        }
        self.rules(symbol).uncovered
    }

    #[inline(always)]
    fn desk(&self, symbol: &Symbol, account: AccountId, on_margin: bool) -> Result<Desk, DeskReject> {
        match (symbol.product, self.kind(account), on_margin) {
            (Product::Spot, AccountKind::Exchange | AccountKind::Custody, false) => Ok(spot::DESK),
            (Product::Swap, AccountKind::Derivatives, false) => Ok(perp::DESK),
            (Product::Contract, AccountKind::Exchange, false) => Ok(prediction::DESK),
            _ => self.desk_of_credit(symbol, account, on_margin),
        }
    }

    #[inline(always)]
    fn rules(&self, symbol: &Symbol) -> Rules {
        match symbol.product {
            Product::Spot => spot::RULES,
            Product::Swap => perp::RULES,
            Product::Contract => prediction::RULES,
        }
    }

    fn forced_edge(&self, terms: &Terms<'_>) -> Option<Price> {
        spot_margin::forced_edge(self.indices.latest(), terms)
    }

    fn can_settle(&self, symbol: &Symbol) -> bool {
        let code_of = |currency: CurrencyId| {
            self.ledger.currencies().get(currency.index()).map(|currency| currency.code.as_str())
        };
        let quote = code_of(symbol.quote);
        let is_listed = code_of(symbol.base).is_some() && quote.is_some() && symbol.base != symbol.quote;
        match symbol.product {
            Product::Spot => is_listed,
            Product::Swap => is_listed && quote == Some(GUSD),
            // They are listed with their events.
            Product::Contract => false,
        }
    }

    #[inline(always)]
    fn reserve(&self, terms: &Terms<'_>) -> Result<Reserve, Unmet<DeskReject>> {
        match terms.class.desk() {
            spot::DESK => spot::reserve(&self.ledger, terms),
            perp::DESK => perp::reserve(
                &self.perps,
                &self.ledger,
                self.indices.latest(),
                terms,
                self.not_carrying(terms),
            ),
            prediction::DESK => prediction::reserve(&self.ledger, terms),
            _ => spot_margin::reserve(
                &self.spot_margin,
                &self.ledger,
                self.indices.latest(),
                terms,
                self.advanced(terms.account),
                || self.careful((terms.floor, terms.time), terms.account, Some(terms.symbol.base)),
            ),
        }
    }

    fn rest(&self, terms: &Terms<'_>, left: Qty, whole: Reserve) -> Reserve {
        match terms.class.desk() {
            spot::DESK => spot::rest(terms, left, whole),
            perp::DESK => perp::rest(terms, left, whole),
            prediction::DESK => prediction::rest(terms, left, whole),
            _ => spot_margin::rest(terms, left, whole),
        }
    }

    fn buy_with(&self, terms: &Terms<'_>, money: &mut Money, price: Price, open: Qty) -> Qty {
        match terms.class.desk() {
            spot::DESK => spot::buy_with(terms, money, price, open),
            perp::DESK => no_such_desk(perp::DESK),
            prediction::DESK => no_such_desk(prediction::DESK),
            _ => spot_margin::buy_with(terms, money, price, open),
        }
    }

    #[inline(always)]
    fn covers(&self, plan: &mut Plan, maker: Live<'_>, taker: &Terms<'_>, qty: Qty) -> Cover {
        if plan.meter.is_some() {
            return self.covers_metered(plan, maker, taker, qty);
        }
        self.covers_fill(plan, maker, taker, qty)
    }

    fn covers_crossing(&self, plan: &mut Plan, crossing: &Crossing<'_>) -> Result<(), Side> {
        let loss = match plan.meter.as_mut() {
            Some(meter) => self.judge_crossing(meter, crossing)?,
            None => Loss::default(),
        };
        self.covers_trade(plan, crossing)?;
        if let Some(meter) = plan.meter.as_mut() {
            meter.note(loss);
        }
        Ok(())
    }

    fn affords(
        &self,
        terms: &Terms<'_>,
        fills: &[Fill],
        rest: Option<Reserve>,
        plan: &Plan,
    ) -> Result<(), Unmet<DeskReject>> {
        if fills.is_empty() && plan.meter.as_ref().is_some_and(|meter| meter.refuses_taker) {
            return Err(Unmet::Other(DeskReject::Advances));
        }
        if terms.class.desk() == spot::DESK {
            return spot::affords(&self.ledger, terms, fills, rest);
        }
        // Better prices cost no more, fee included, and fees come out even: fills and rest cost no more than the whole was found to.
        if terms.class.desk() == prediction::DESK {
            return Ok(());
        }
        if terms.class.desk() == perp::DESK {
            let rest = (rest, self.not_carrying(terms));
            perp::affords(&self.perps, &self.ledger, self.indices.latest(), terms, fills, rest, &plan.perp)
        } else {
            spot_margin::affords(
                &self.spot_margin,
                &self.ledger,
                || self.careful((terms.floor, terms.time), terms.account, Some(terms.symbol.base)),
                terms,
                fills,
                (rest, self.advanced(terms.account)),
                &plan.margin,
            )
        }
    }

    fn judges_fills(&self, class: OrderClass) -> bool {
        class.desk() == perp::DESK || spot_margin::judges_fills(class)
    }

    fn passes(&self, plan: &mut Plan, terms: &Terms<'_>) -> Qty {
        match terms.class.desk() {
            perp::DESK => perp::passes(&self.perps, &mut plan.perp, terms),
            // They have no positions.
            _ => Qty::ZERO,
        }
    }

    #[inline(always)]
    fn fees(&self, maker: Live<'_>, taker: &Terms<'_>, qty: Qty) -> [Money; 2] {
        match Settlement::of(maker.desk(), taker.class.desk()) {
            Settlement::Spot => spot::fees(maker, taker, qty),
            Settlement::Perp => perp::fees(maker, taker, qty),
            Settlement::Contract => prediction::fees(maker, taker, qty),
            Settlement::Mixed => spot_margin::fees(maker, taker, qty),
        }
    }

    fn auction_fee(&self, party: Live<'_>, left: Qty, price: Price, qty: Qty) -> Money {
        match party.desk() {
            spot::DESK => spot::auction_fee(party, left, price, qty),
            prediction::DESK => no_such_desk(prediction::DESK),
            _ => spot_margin::auction_fee(party, left, price, qty),
        }
    }

    fn reserved(&self, order: Live<'_>) -> Option<(AssetId, Money)> {
        match order.desk() {
            spot::DESK => Some(spot::reserved(order)),
            perp::DESK => None,
            prediction::DESK => Some(prediction::reserved(order)),
            _ => Some(spot_margin::reserved(order)),
        }
    }

    #[inline(always)]
    fn hold<'a>(&mut self, desk: Desk, order: impl FnOnce() -> Live<'a>, reserve: Reserve) {
        match desk {
            spot::DESK => spot::hold(&mut self.ledger, order, reserve),
            perp::DESK => perp::hold(&mut self.perps, order(), reserve),
            prediction::DESK => prediction::hold(&mut self.predictions, &mut self.ledger, order(), reserve),
            _ => spot_margin::hold(&mut self.spot_margin, &mut self.ledger, order(), reserve),
        }
    }

    #[inline(always)]
    fn release(&mut self, order: Live<'_>) {
        match order.desk() {
            spot::DESK => spot::release(&mut self.ledger, order),
            perp::DESK => perp::release(&mut self.perps, order),
            prediction::DESK => prediction::release(&mut self.predictions, &mut self.ledger, order),
            _ => spot_margin::release(&mut self.spot_margin, &mut self.ledger, order),
        }
    }

    #[inline(always)]
    fn settle_maker(&mut self, execution: &Execution<'_>) {
        match Settlement::of(execution.maker.desk(), execution.taker.desk()) {
            Settlement::Spot => spot::settle_maker(&mut self.ledger, execution),
            Settlement::Perp => {
                // Both sides fill by fill, since a fill through zero opens a position at its own price.
                let Execution { maker, taker, qty, notional, maker_fee, taker_fee } = *execution;
                let Self { perps, ledger, indices, .. } = self;
                let latest = indices.latest();
                perp::settle(perps, ledger, latest, maker, (qty, notional, *maker_fee), true);
                perp::settle(perps, ledger, latest, taker, (qty, notional, *taker_fee), false);
            }
            Settlement::Contract => self.settle_contract(execution),
            Settlement::Mixed => self.settle_mixed_maker(execution),
        }
    }

    #[inline(always)]
    fn settle_taker(&mut self, taker: Live<'_>, _traded: Traded) {
        match taker.desk() {
            spot::DESK => spot::settle_taker(&mut self.ledger, taker),
            // Each fill settled it.
            perp::DESK | prediction::DESK => {}
            _ => spot_margin::settle_taker(&mut self.spot_margin, &mut self.ledger, taker),
        }
        self.repay_margin();
    }

    fn settle_crossing(&mut self, crossing: &Crossing<'_>) {
        match Settlement::of(crossing.buy.desk(), crossing.sell.desk()) {
            Settlement::Spot => spot::settle_crossing(&mut self.ledger, crossing),
            Settlement::Perp => no_such_desk(perp::DESK),
            Settlement::Contract => no_such_desk(prediction::DESK),
            Settlement::Mixed => {
                spot_margin::settle_crossing(&mut self.spot_margin, &mut self.ledger, crossing);
            }
        }
        self.repay_margin();
    }

    #[inline(always)]
    fn touch(&mut self, symbol: SymbolId) {
        self.indices.touch(symbol);
    }

    fn can_void(&self, symbol: &Symbol, broken: &Break) -> Result<(), BreakError> {
        match symbol.product {
            Product::Spot if self.has_margin_party(broken) => Err(BreakError::ManualOnly),
            Product::Spot if self.bound_party(broken).is_some() => Err(BreakError::Bound),
            Product::Spot => spot::can_void(&self.ledger, symbol, broken),
            Product::Swap | Product::Contract => Err(BreakError::ManualOnly),
        }
    }

    fn void(&mut self, symbol: &Symbol, broken: &Break) {
        match symbol.product {
            Product::Spot => spot::void(&mut self.ledger, symbol, broken),
            Product::Swap | Product::Contract => unreachable!("the decision refused it"),
        }
    }

    fn note_manual_break(&mut self, symbol: &Symbol, broken: &Break) {
        let maker = match broken.taker {
            Some(Side::Buy) => broken.seller,
            Some(Side::Sell) => broken.buyer,
            None => return,
        };
        if symbol.product == Product::Contract {
            self.predictions.note_broken(maker.account, maker.fee, broken.time);
        }
    }

    #[inline(always)]
    fn is_settled(&self) -> bool {
        self.ledger.is_settled()
    }
}
