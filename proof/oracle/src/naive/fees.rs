//! Fee rates, and the volumes that decide tiers: from the list of all changes and the list of all trades.

use super::Naive;
use super::convert::{ONE, scaled};
use super::reserve::worse;
use crate::exchange::Exchange;
use buttonwood_engine::{
    Answer, FeeChange, FeeSchedule, FeeTier, FeeTiers, FxPair, Outcome, Promotion, Reject, TradingReject,
};
use buttonwood_model::{AccountId, CurrencyId, GroupId, Product, SymbolId, Time};
use std::collections::{BTreeSet, HashMap};

const DAY: u64 = 86_400_000_000;

/// A change of the rates of later orders.
#[derive(Clone)]
pub(super) enum Change {
    Rates(FeeChange),
    Tiers(FeeTiers),
}

/// A trade as it counts for volumes.
#[derive(Clone)]
struct Traded {
    trade: u64,
    day: u64,
    accounts: [AccountId; 2],
    dollars: i128,
}

/// Every trade, and the totals of the last midnight.
#[derive(Clone, Default)]
pub(crate) struct Volumes {
    pairs: HashMap<CurrencyId, FxPair>,
    trades: Vec<Traded>,
    /// Every day with a trade, void ones too.
    days: BTreeSet<u64>,
    /// The day that began when the totals were computed last.
    closed: u64,
    totals: HashMap<AccountId, i128>,
    /// By group and currency: when the reference was taken, and the dollars of one unit.
    references: HashMap<(Option<GroupId>, CurrencyId), (u64, Option<i128>)>,
}

impl Volumes {
    pub(super) fn of(exchange: &Exchange) -> Self {
        let pair = |id| Some((id, FxPair::of_currency(&exchange.state.currency(id)?.code)?));
        let pairs = exchange.currencies().filter_map(pair).collect();
        Self { pairs, ..Self::default() }
    }

    /// An account's volume of 30 days, as of the last computation.
    pub(crate) fn total(&self, account: AccountId) -> i128 {
        self.totals.get(&account).copied().unwrap_or(0)
    }

    /// The first midnight after the last computation by which a day with trades has ended, or is 30 days past.
    pub(super) fn due(&self) -> Option<Time> {
        let changes = self.days.iter().flat_map(|day| [day + 1, day + 31]);
        changes.filter(|day| *day > self.closed).min().map(|day| Time(day * DAY))
    }
}

fn is_bad(rates: FeeSchedule) -> bool {
    worse(rates).get() > 10_000 || rates.auction > worse(rates)
}

const BAD: Answer = Outcome::Rejected(Reject::Trading(TradingReject::BadFees));

impl Naive {
    /// Changes the rates of later orders.
    pub(super) fn set_fees(&mut self, change: FeeChange) -> Answer {
        if change.schedule.is_some_and(is_bad) {
            return BAD;
        }
        self.fee_changes.push(Change::Rates(change));
        Outcome::Done
    }

    pub(super) fn set_tiers(&mut self, tiers: &FeeTiers) -> Answer {
        let rows = &tiers.tiers;
        let ascends = rows.windows(2).all(|pair| pair[0].from < pair[1].from);
        let begins = rows.first().is_some_and(|tier| tier.from.units() == 0);
        if !begins || !ascends || rows.iter().any(|tier| is_bad(tier.rates)) {
            return BAD;
        }
        self.fee_changes.push(Change::Tiers(tiers.clone()));
        Outcome::Done
    }

    pub(super) fn set_promotion(&mut self, promotion: &Promotion) -> Answer {
        if promotion.symbols.iter().any(|symbol| symbol.index() >= self.pairs.len()) {
            return Outcome::Rejected(Reject::Trading(TradingReject::Unknown));
        }
        if is_bad(promotion.rates) {
            return BAD;
        }
        self.promotion = Some(promotion.clone());
        Outcome::Done
    }

    /// The rates of an order that the account places now: of the last change for the account, if it set any; else of the
    /// last change for all spot orders, which may be tiers; else of the opening. A promotion lowers them.
    pub(super) fn rates_now(&self, account: AccountId, symbol: SymbolId) -> FeeSchedule {
        let rates = self.own_rates(account).unwrap_or_else(|| self.common_rates(account));
        let Some(promotion) = self.promotion.as_ref().filter(|all| all.symbols.contains(&symbol)) else {
            return rates;
        };
        let [maker, taker] = [(rates.maker, promotion.rates.maker), (rates.taker, promotion.rates.taker)]
            .map(|(a, b)| a.min(b));
        let auction = rates.auction.min(promotion.rates.auction).min(maker.max(taker));
        FeeSchedule { maker, taker, auction }
    }

    fn own_rates(&self, account: AccountId) -> Option<FeeSchedule> {
        let change = self.fee_changes.iter().rev().find_map(|change| match change {
            Change::Rates(rates) if rates.product == Product::Spot && rates.account == Some(account) => {
                Some(rates)
            }
            _ => None,
        });
        change?.schedule
    }

    fn common_rates(&self, account: AccountId) -> FeeSchedule {
        for change in self.fee_changes.iter().rev() {
            match change {
                Change::Rates(rates) if rates.product == Product::Spot && rates.account.is_none() => {
                    return rates.schedule.unwrap_or(self.fees);
                }
                Change::Tiers(tiers) if tiers.product == Product::Spot => {
                    let reached = |tier: &&FeeTier| tier.from.units() <= self.volumes.total(account);
                    return tiers.tiers.iter().rfind(reached).expect("the lowest begins at 0").rates;
                }
                _ => {}
            }
        }
        self.fees
    }

    /// Adds a trade to the list, in dollars: those of wrapped dollars are dollars, and other currencies count at the lower one of the
    /// references of both groups.
    pub(super) fn count(&mut self, symbol: SymbolId, notional: i128, accounts: [AccountId; 2]) {
        let quote = self.pairs[symbol.index()].quote;
        let dollars = if self.is_dollar(quote) {
            notional
        } else {
            match accounts.map(|account| self.taken(account, quote)) {
                [Some(one), Some(other)] => scaled(notional, one.min(other), ONE, false),
                _ => self.at_rate(self.volumes.pairs.get(&quote).copied(), notional),
            }
        };
        if dollars > 0 {
            let day = self.now.0 / DAY;
            self.volumes.trades.push(Traded { trade: self.next_id, day, accounts, dollars });
            self.volumes.days.insert(day);
        }
    }

    /// The reference of a currency for an account's group: that of the last second, if there was one or the group had none then.
    fn taken(&mut self, account: AccountId, currency: CurrencyId) -> Option<i128> {
        let (key, now) = ((self.names[account.index()].group, currency), self.now.0);
        match self.volumes.references.get(&key) {
            Some((time, price)) if now < time + 1_000_000 => *price,
            _ => {
                let price = self.reference(Some(account), currency);
                self.volumes.references.insert(key, (now, price));
                price
            }
        }
    }

    /// Takes a void trade from the list, and from the totals that contain it.
    pub(super) fn take_back(&mut self, trade: u64) {
        let volumes = &mut self.volumes;
        let closed = volumes.closed;
        for void in volumes.trades.extract_if(.., |counted| counted.trade == trade) {
            if void.day < closed && void.day + 30 >= closed {
                for account in void.accounts {
                    *volumes.totals.entry(account).or_default() -= void.dollars;
                }
            }
        }
    }

    /// Computes the totals as of the midnight before `now`, if a midnight is due.
    pub(super) fn close_day(&mut self, now: Time) -> Answer {
        if self.volumes.due().is_none_or(|due| due > now) {
            return Outcome::Rejected(Reject::Trading(TradingReject::NotNow));
        }
        let today = now.0 / DAY;
        self.volumes.closed = today;
        self.volumes.totals.clear();
        for trade in &self.volumes.trades {
            if trade.day < today && trade.day + 30 >= today {
                for account in trade.accounts {
                    *self.volumes.totals.entry(account).or_default() += trade.dollars;
                }
            }
        }
        Outcome::Done
    }
}
