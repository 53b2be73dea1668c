//! The state of the room.

use crate::bids::Bids;
use crate::netting::PairsHeld;
use crate::position::Position;
use crate::{Acceptance, Contract, Event, Holding, Leg, Published, Rewards, Stage, Status, Work, pools};
use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::string::String;
use alloc::vec::Vec;
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, AssetId, Claim, EventId, Fingerprint, GroupId, RowHash, SymbolId, Time};
use buttonwood_num::Money;
use buttonwood_trading::Floor;
use serde::{Deserialize, Serialize};

const EVENT: RowHash = RowHash::of("event");
const POSITION: RowHash = RowHash::of("position");
const TERMS: RowHash = RowHash::of("terms");
const REWARDS: RowHash = RowHash::of("rewards");
const WORK: RowHash = RowHash::of("work");

/// Events, contracts, and what accounts paid for their claims.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Predictions {
    pub(crate) events: Vec<Event>,
    pub(crate) contracts: Vec<Contract>,
    pub(crate) positions: BTreeMap<(SymbolId, AccountId), Position>,
    /// The accounts that hold both claims on a contract, since a live sale holds one of them.
    pub(crate) straddles: BTreeSet<(SymbolId, AccountId)>,
    /// Combos by their legs.
    pub(crate) combos: BTreeMap<Vec<Leg>, EventId>,
    pub(crate) terms: Vec<Published>,
    pub(crate) accepted: BTreeMap<GroupId, Acceptance>,
    /// The steps of events by the clock.
    pub(crate) agenda: BTreeSet<(Time, Step, EventId)>,
    /// The tasks that are done in bounded steps, in this order.
    pub(crate) work: VecDeque<Work>,
    /// When the first of it was due, or the step before.
    pub(crate) work_time: Time,
    /// The events that were settled, or void, in their order.
    pub(crate) ended: Vec<EventId>,
    pub(crate) rewards: Rewards,
    pub(crate) fingerprint: Fingerprint,
    /// Events by ticker.
    #[serde(skip)]
    pub(crate) tickers: BTreeMap<String, EventId>,
    /// The combos with a leg on an event.
    #[serde(skip)]
    pub(crate) combos_on: BTreeMap<EventId, Vec<EventId>>,
    /// The open positions of each account.
    #[serde(skip)]
    pub(crate) by_account: BTreeSet<(AccountId, SymbolId)>,
    /// The accounts that may have free pairs; empty between commands.
    #[serde(skip)]
    pub(crate) freed: Vec<(SymbolId, AccountId)>,
    /// The dollars that live buys hold, by account.
    #[serde(skip)]
    pub(crate) bids: Bids,
    /// The pairs of `straddles`, summed.
    #[serde(skip)]
    pub(crate) pairs: PairsHeld,
}

/// A step of an event by the clock. At one instant this is the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Step {
    /// Trading begins.
    Start,
    /// Trading ends.
    Expire,
    /// The window for disputes ends.
    Finish,
}

/// An account's claims on an outcome of a contract.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Holder {
    pub(crate) account: AccountId,
    pub(crate) contract: SymbolId,
    pub(crate) claim: Claim,
}

impl Predictions {
    /// Every event, in the order of their listing.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// An event.
    pub fn event(&self, id: EventId) -> Option<&Event> {
        self.events.get(id.index())
    }

    /// The event with a ticker, in upper case.
    pub fn find_event(&self, ticker: &str) -> Option<EventId> {
        self.tickers.get(ticker).copied()
    }

    /// The events that were settled or void, the latest first.
    pub fn ended(&self) -> impl Iterator<Item = EventId> {
        self.ended.iter().rev().copied()
    }

    /// Rewards of makers.
    pub fn rewards(&self) -> &Rewards {
        &self.rewards
    }

    /// Whether an account has earned rewards that are not paid yet. Such an account is not closed.
    pub fn owes_rewards_to(&self, account: AccountId) -> bool {
        self.rewards.is_owed_to(account)
    }

    /// Every contract, in the order of their listing.
    pub fn contracts(&self) -> &[Contract] {
        &self.contracts
    }

    /// A contract.
    pub fn contract(&self, id: SymbolId) -> Option<&Contract> {
        self.contracts.get(id.contract_index())
    }

    /// The event of a contract, and its id.
    pub fn event_of(&self, contract: SymbolId) -> Option<(EventId, &Event)> {
        let id = self.contract(contract)?.event;
        Some((id, self.event(id)?))
    }

    /// The contract with a symbol, in any case: the prefix, then the tickers of event and contract. The caller compares the whole name.
    pub fn find_contract(&self, symbol: &str) -> Option<SymbolId> {
        let symbol = symbol.to_uppercase();
        if let Some(combo) = self.find_event(&symbol) {
            return self.event(combo)?.contracts().next();
        }
        let mut parts = symbol.split('-').skip(1);
        let (event, ticker) = (parts.next()?, parts.next());
        if parts.next().is_some() {
            return None;
        }
        let event = self.event(self.find_event(event)?)?;
        match ticker {
            None => event.contracts().next().filter(|_| event.count == 1),
            Some(ticker) => event
                .contracts()
                .find(|id| self.contract(*id).is_some_and(|contract| contract.ticker == ticker)),
        }
    }

    /// The combo of these legs, which must be sorted.
    pub fn combo_of(&self, legs: &[Leg]) -> Option<EventId> {
        self.combos.get(legs).copied()
    }

    /// Combos in the order of their listing.
    pub fn combos(&self) -> impl DoubleEndedIterator<Item = (EventId, &Event)> {
        let all = self.events.iter().enumerate();
        all.filter(|(_, event)| !event.legs.is_empty()).map(|(at, event)| (EventId::from_index(at), event))
    }

    /// The outcome of a leg, once its event is settled.
    pub fn leg_outcome(&self, leg: &Leg) -> Option<Claim> {
        let (_, event) = self.event_of(leg.contract)?;
        self.contract(leg.contract)?.outcome.filter(|_| event.status == Status::Settled)
    }

    /// The dollars that an account's live buys hold.
    pub fn bids_of(&self, account: AccountId) -> Money {
        self.bids.of(account)
    }

    /// Counts these dollars from the single orders, after the state was read from a snapshot.
    pub fn count_bids(&mut self, floor: &Floor, ledger: &Ledger) {
        self.bids = Bids::counted(floor, ledger);
    }

    /// The costs of an account's claims on a contract.
    pub fn position(&self, contract: SymbolId, account: AccountId) -> Option<&Position> {
        self.positions.get(&(contract, account))
    }

    /// The claims that an account holds, by contract.
    pub fn holdings_of<'a>(
        &'a self,
        ledger: &'a Ledger,
        account: AccountId,
    ) -> impl Iterator<Item = Holding> + 'a {
        let first = (account, SymbolId(0))..=(account, SymbolId(u32::MAX));
        let own = self.by_account.range(first);
        own.flat_map(move |(_, contract)| self.holdings(ledger, *contract, account))
    }

    /// The claims that an account holds on a contract: at most one of each outcome.
    pub fn holdings<'a>(
        &'a self,
        ledger: &'a Ledger,
        contract: SymbolId,
        account: AccountId,
    ) -> impl Iterator<Item = Holding> + 'a {
        let position = self.position(contract, account).copied().unwrap_or_default();
        Claim::ALL.into_iter().filter_map(move |claim| {
            let balance = ledger.balance(account, AssetId::claim(contract, claim));
            (balance.total() > Money::ZERO).then_some(Holding {
                account,
                contract,
                claim,
                quantity: balance.total(),
                held: balance.held,
                cost: position.cost(claim),
                realised: position.realised,
            })
        })
    }

    /// Whether something remains to be done for an event: orders to cancel, or positions to pay.
    pub fn is_at_work_for(&self, event: EventId) -> bool {
        self.work.iter().any(|work| self.event_of_work(work) == Some(event))
    }

    /// Whether something remains to be done for an event, or for a combo with a leg on it.
    pub fn is_ending(&self, event: EventId) -> bool {
        let is_leg = |leg: &Leg| self.contract(leg.contract).is_some_and(|contract| contract.event == event);
        let is_on = |id: EventId| id == event || self.event(id).is_some_and(|of| of.legs.iter().any(is_leg));
        self.work.iter().filter_map(|work| self.event_of_work(work)).any(is_on)
    }

    fn event_of_work(&self, work: &Work) -> Option<EventId> {
        match work {
            Work::Close(contract) | Work::Pay(contract) | Work::Refund(contract, _) => {
                self.contract(*contract).map(|contract| contract.event)
            }
            Work::Settle(event) => Some(*event),
            Work::Rebates(_) | Work::Liquidity(_) => None,
        }
    }

    /// The dollars in the escrow of a contract, and the claims on yes and on no that it has issued.
    pub fn collateral(&self, ledger: &Ledger, contract: SymbolId) -> (Money, [Money; 2]) {
        let escrow = AccountId::escrow(contract);
        let dollars = ledger.dollar().map_or(Money::ZERO, |dollar| ledger.balance(escrow, dollar).available);
        let issued = |claim| -ledger.balance(escrow, AssetId::claim(contract, claim)).available;
        (dollars, Claim::ALL.map(issued))
    }

    /// Counts a trade.
    pub(crate) fn note_traded(&mut self, contract: SymbolId, claims: Money) {
        if let Some(contract) = self.contracts.get_mut(contract.contract_index()) {
            contract.traded = contract.traded.capped_add(claims);
        }
    }

    /// Notes that an account bought claims.
    pub(crate) fn note_bought(&mut self, Holder { account, contract, claim }: Holder, cost: Money) {
        let position = self.positions.entry((contract, account)).or_default();
        position.add(claim, cost);
        let row = *position;
        self.by_account.insert((account, contract));
        self.add_costs(contract, cost);
        self.fold_position(contract, account, row);
    }

    /// The part of an account's cost that a sale of so many claims takes now.
    pub fn cost_of_sale(
        &self,
        ledger: &Ledger,
        (account, contract, claim): (AccountId, SymbolId, Claim),
        sold: Money,
    ) -> Money {
        let held = ledger.balance(account, AssetId::claim(contract, claim)).total();
        let mut position = self.position(contract, account).copied().unwrap_or_default();
        position.take(claim, sold, held)
    }

    /// Notes that an account sold `sold` of its `held` claims for `proceeds`.
    pub(crate) fn note_sold(
        &mut self,
        Holder { account, contract, claim }: Holder,
        proceeds: Money,
        (sold, held): (Money, Money),
    ) {
        let position = self.positions.entry((contract, account)).or_default();
        let cost = position.take(claim, sold, held);
        position.realised = position.realised.capped_add(proceeds - cost);
        let row = *position;
        self.add_costs(contract, -cost);
        self.fold_position(contract, account, row);
    }

    pub(crate) fn add_costs(&mut self, contract: SymbolId, cost: Money) {
        if let Some(contract) = self.contracts.get_mut(contract.contract_index()) {
            contract.costs += cost;
        }
    }

    pub(crate) fn fold_position(&mut self, contract: SymbolId, account: AccountId, row: Position) {
        let [yes, no] = row.costs;
        let hash = POSITION.word(contract.0.into()).word(account.0.into());
        self.fingerprint.add(hash.money(yes).money(no).money(row.realised));
    }

    /// Adds an event as it is now to the fingerprint.
    pub(crate) fn fold_event(&mut self, id: EventId) {
        let Some(event) = self.event(id) else { return };
        let status = Status::ALL.iter().position(|status| *status == event.status).unwrap_or_default();
        let stage = event.stage().map(Stage::number);
        let flags =
            u64::from(event.is_halted) | u64::from(event.is_closed) << 1 | u64::from(event.awaits_void) << 2;
        let mut hash = EVENT.word(id.0.into()).count(status).option(stage).word(flags).count(self.work.len());
        if let Some(resolution) = &event.resolution {
            hash = hash.option(resolution.settles.map(|time| time.0)).count(resolution.outcomes.len());
            for outcome in &resolution.outcomes {
                hash = hash.count(outcome.index());
            }
        }
        if let Some(value) = event.strike.as_ref().and_then(|strike| strike.value.as_deref()) {
            hash = hash.text(value);
        }
        self.fingerprint.add(hash);
    }

    /// Adds the terms of rewards, and the sums of what makers earned, to the fingerprint.
    pub(crate) fn fold_rewards(&mut self) {
        let Rewards { terms, accrued, pending, next_id, unpaid, .. } = &self.rewards;
        let fees = accrued.values().fold(Money::ZERO, |sum, of| sum.capped_add(of.fees));
        let hash = REWARDS
            .word(terms.enabled.into())
            .word(terms.rebate_bps.into())
            .word(terms.spread_cents.into())
            .money(terms.min_payout)
            .count(accrued.len())
            .money(fees)
            .count(pending.len())
            .word(*next_id);
        let pools = terms.pools.iter();
        let hash = pools.fold(hash, |hash, (event, pool)| hash.word(event.0.into()).money(*pool));
        let hash = unpaid.iter().fold(hash, |hash, (at, of)| hash.word(at.0.into()).money(of.rebate));
        self.fingerprint.add(hash);
    }

    /// Adds what is left to be done, and the positions that are left, to the fingerprint.
    pub(crate) fn fold_work(&mut self) {
        self.fingerprint.add(WORK.count(self.work.len()).count(self.positions.len()));
    }

    /// Adds the acceptances and the versions of the terms to the fingerprint.
    pub(crate) fn fold_terms(&mut self, group: Option<GroupId>) {
        let group = group.map(|group| u64::from(group.0));
        self.fingerprint.add(TERMS.word(self.terms_version().into()).option(group));
    }

    /// Adds work, which is due now if nothing was before.
    pub(crate) fn add_work(&mut self, work: Work, now: Time) {
        if self.work.is_empty() {
            self.work_time = now;
        }
        self.work.push_back(work);
    }

    /// Forgets the positions of a contract up to an account.
    pub(crate) fn forget_positions(&mut self, contract: SymbolId, until: AccountId) {
        let all = (contract, AccountId(0))..=(contract, until);
        let gone: Vec<AccountId> = self.positions.range(all).map(|((_, account), _)| *account).collect();
        for account in gone {
            self.positions.remove(&(contract, account));
            self.by_account.remove(&(account, contract));
            self.straddles.remove(&(contract, account));
            self.pairs.set((contract, account), None);
        }
    }

    /// Rebuilds what is derived.
    pub(crate) fn derive(&mut self, ledger: &Ledger) {
        self.tickers.clear();
        self.combos_on.clear();
        for at in 0..self.events.len() {
            self.index_event(EventId::from_index(at));
        }
        self.by_account = self.positions.keys().map(|(contract, account)| (*account, *contract)).collect();
        self.derive_pairs(ledger);
        pools::schedule(&mut self.rewards);
    }

    /// Adds an event to the indices.
    pub(crate) fn index_event(&mut self, id: EventId) {
        let Some(event) = self.events.get(id.index()) else { return };
        self.tickers.insert(event.ticker.clone(), id);
        for leg in event.legs.clone() {
            if let Some(contract) = self.contract(leg.contract) {
                let on = contract.event;
                self.combos_on.entry(on).or_default().push(id);
            }
        }
    }

    /// The combos with a leg on an event.
    pub(crate) fn combos_on(&self, event: EventId) -> &[EventId] {
        self.combos_on.get(&event).map(Vec::as_slice).unwrap_or_default()
    }
}
