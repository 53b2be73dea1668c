//! Claims, dollars, holds and costs, recomputed from the fills: each side of a fill settles with the escrow of its contract.

use buttonwood_engine::State;
use buttonwood_model::{AccountId, AssetId, Claim, CurrencyId, SymbolId};
use buttonwood_num::{Money, Round, mul_div};
use std::collections::{BTreeMap, BTreeSet};

/// A dollar, and a claim.
pub(super) const ONE: i128 = 10_000_000_000_000_000_000;
/// A hundredth of a lot of claims, of which a contract has ten thousand, in units of claims; and a cent for each.
const PART: i128 = ONE / 10_000;
const CENT: i128 = PART / 100;

/// An order that lives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Live {
    pub(super) account: AccountId,
    pub(super) contract: SymbolId,
    pub(super) claim: Claim,
    pub(super) buys: bool,
    /// In cents of yes.
    pub(super) price: i128,
    /// In hundredths of a lot.
    pub(super) left: i128,
    /// Of maker and taker, in basis points.
    pub(super) rates: [i128; 2],
}

impl Live {
    /// The asset that it holds, and how much of it: the cost with the larger fee, or the claims that it sells (D-107).
    fn hold(&self, dollar: CurrencyId) -> (AssetId, i128) {
        if !self.buys {
            return (AssetId::claim(self.contract, self.claim), self.left * PART);
        }
        let [maker, taker] = self.rates;
        let cost = own(self.claim, self.price) * self.left * CENT;
        (dollar.into(), cost + fee(self.price, self.left, maker.max(taker)))
    }

    fn holder(&self) -> Holder {
        (self.contract, self.account, self.claim)
    }
}

/// A contract, an account and an outcome.
pub(super) type Holder = (SymbolId, AccountId, Claim);

/// A price of yes in cents, as the outcome sees it.
const fn own(claim: Claim, price: i128) -> i128 {
    match claim {
        Claim::Yes => price,
        Claim::No => 100 - price,
    }
}

/// The fee for hundredths of a lot: a part of the cheaper outcome (D-109).
fn fee(price: i128, qty: i128, rate: i128) -> i128 {
    price.min(100 - price) * qty * CENT * rate / 10_000
}

/// amount × part ÷ whole, rounded down; nothing of nothing.
pub(super) fn share(amount: i128, part: i128, whole: i128) -> i128 {
    mul_div(amount, part, whole, Round::Down).unwrap_or(0)
}

/// A fill: how much, at which price of yes in cents.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fill {
    pub(super) qty: i128,
    pub(super) price: i128,
    pub(super) fees: [i128; 2],
}

/// The accounts of the house that contracts touch, and the dollar.
#[derive(Clone, Copy, Debug)]
pub(super) struct Houses {
    pub(super) dollar: CurrencyId,
    pub(super) fees: AccountId,
    pub(super) promo: AccountId,
    pub(super) rounding: AccountId,
    pub(super) source: AccountId,
}

impl Houses {
    pub(super) fn of(state: &State) -> Option<Self> {
        let house = |name| state.ledger().house(name);
        Some(Self {
            dollar: state.ledger().dollar()?,
            fees: house("fees")?,
            promo: house("promo")?,
            rounding: house("rounding")?,
            source: house("source")?,
        })
    }
}

/// All that accounts and contracts have.
#[derive(Clone, Debug, Default)]
pub(super) struct Books {
    has: BTreeMap<(AccountId, AssetId), i128>,
    pub(super) orders: BTreeMap<u64, Live>,
    costs: BTreeMap<Holder, i128>,
    realised: BTreeMap<(SymbolId, AccountId), i128>,
    touched: BTreeSet<(SymbolId, AccountId)>,
    /// Mints, transfers, merges and nettings.
    pub(super) kinds: [u64; 4],
}

impl Books {
    pub(super) fn of(&self, account: AccountId, asset: impl Into<AssetId>) -> i128 {
        self.has.get(&(account, asset.into())).copied().unwrap_or(0)
    }

    /// Moves an amount between two accounts.
    pub(super) fn shift(&mut self, [from, to]: [AccountId; 2], asset: impl Into<AssetId>, amount: i128) {
        let asset = asset.into();
        *self.has.entry((from, asset)).or_default() -= amount;
        *self.has.entry((to, asset)).or_default() += amount;
    }

    pub(super) fn claims(&self, (contract, account, claim): Holder) -> i128 {
        self.of(account, AssetId::claim(contract, claim))
    }

    pub(super) fn cost(&self, holder: Holder) -> i128 {
        self.costs.get(&holder).copied().unwrap_or(0)
    }

    pub(super) fn realised(&self, contract: SymbolId, account: AccountId) -> i128 {
        self.realised.get(&(contract, account)).copied().unwrap_or(0)
    }

    /// The costs of all positions of a contract, and its escrow.
    pub(super) fn sums(&self, contract: SymbolId, dollar: CurrencyId) -> [i128; 2] {
        let costs = self.costs.iter().filter(|((of, ..), _)| *of == contract);
        [costs.map(|(_, cost)| cost).sum(), self.of(AccountId::escrow(contract), dollar)]
    }

    /// The same as they are once the orders of the contract are cancelled.
    pub(super) fn sums_without_orders(&self, contract: SymbolId, houses: Houses) -> [i128; 2] {
        let mut books = self.clone();
        books.orders.retain(|_, order| order.contract != contract);
        let holders = books.costs.keys().filter(|(of, ..)| *of == contract);
        books.touched = holders.map(|(_, account, _)| (contract, *account)).collect();
        books.net(houses);
        books.sums(contract, houses.dollar)
    }

    /// Takes a live order out.
    pub(super) fn take(&mut self, id: u64) -> Result<Live, String> {
        let order = self.orders.remove(&id).ok_or_else(|| format!("order {id} does not live"))?;
        self.touched.insert((order.contract, order.account));
        Ok(order)
    }

    /// A resting order and an entering one trade.
    pub(super) fn fill(&mut self, ids: [u64; 2], fill: Fill, houses: Houses) -> Result<Live, String> {
        let live = |id: u64| self.orders.get(&id).copied().ok_or_else(|| format!("{id} does not live"));
        let [maker, taker] = ids.map(live);
        let (maker, taker) = (maker?, taker?);
        let bids = |order: &Live| order.buys == (order.claim == Claim::Yes);
        let crosses = if bids(&taker) { maker.price <= taker.price } else { maker.price >= taker.price };
        if bids(&maker) == bids(&taker) || !crosses || maker.price != fill.price {
            return Err(format!("{maker:?} does not meet {taker:?} at {}", fill.price));
        }
        let fees = [fee(fill.price, fill.qty, maker.rates[0]), fee(fill.price, fill.qty, taker.rates[1])];
        if fees != fill.fees || maker.contract != taker.contract || maker.account == taker.account {
            return Err(format!("{maker:?} and {taker:?} trade {fill:?}, expected {fees:?}"));
        }
        for ((id, order), fee) in ids.into_iter().zip([maker, taker]).zip(fees) {
            self.settle(&order, fill, fee, houses)?;
            let left = order.left - fill.qty;
            if left < 0 {
                return Err(format!("{order:?} trades {}", fill.qty));
            }
            self.orders.insert(id, Live { left, ..order });
        }
        self.orders.retain(|id, order| order.left > 0 || *id != ids[0]);
        let kind = match (maker.buys, taker.buys) {
            (true, true) => 0,
            (false, false) => 2,
            (true, false) | (false, true) => 1,
        };
        self.count(kind);
        Ok(maker)
    }

    fn count(&mut self, kind: usize) {
        if let Some(count) = self.kinds.get_mut(kind) {
            *count += 1;
        }
    }

    fn settle(&mut self, order: &Live, fill: Fill, fee: i128, houses: Houses) -> Result<(), String> {
        let (account, escrow) = (order.account, AccountId::escrow(order.contract));
        let amount = own(order.claim, fill.price) * fill.qty * CENT;
        let (claims, asset) = (fill.qty * PART, AssetId::claim(order.contract, order.claim));
        self.touched.insert((order.contract, account));
        self.shift([account, houses.fees], houses.dollar, fee);
        if order.buys {
            self.shift([account, escrow], houses.dollar, amount);
            self.shift([escrow, account], asset, claims);
            *self.costs.entry(order.holder()).or_default() += amount;
            return Ok(());
        }
        let cost = self.give(order.holder(), claims)?;
        self.shift([escrow, account], houses.dollar, amount);
        self.shift([account, escrow], asset, claims);
        *self.realised.entry((order.contract, account)).or_default() += amount - cost;
        Ok(())
    }

    /// The cost of claims that go.
    fn give(&mut self, holder: Holder, claims: i128) -> Result<i128, String> {
        let has = self.claims(holder);
        if claims > has {
            return Err(format!("{holder:?} gives {claims} of {has}"));
        }
        let cost = self.costs.entry(holder).or_default();
        let part = share(*cost, claims, has);
        *cost -= part;
        Ok(part)
    }

    /// Free pairs of claims become dollars.
    pub(super) fn net(&mut self, houses: Houses) {
        for (contract, account) in std::mem::take(&mut self.touched) {
            let holders = Claim::ALL.map(|claim| (contract, account, claim));
            let [yes, no] = holders.map(|holder| self.claims(holder) - self.held_claims(holder));
            let pairs = yes.min(no);
            if pairs <= 0 {
                continue;
            }
            let mut result = pairs;
            let escrow = AccountId::escrow(contract);
            for holder in holders {
                result -= self.give(holder, pairs).expect("it has the pairs");
                self.shift([account, escrow], AssetId::claim(contract, holder.2), pairs);
            }
            self.shift([escrow, account], houses.dollar, pairs);
            *self.realised.entry((contract, account)).or_default() += result;
            self.count(3);
        }
    }

    fn held_claims(&self, holder: Holder) -> i128 {
        let own = self.orders.values().filter(|order| order.holder() == holder && !order.buys);
        own.map(|order| order.left * PART).sum()
    }

    /// Claims are paid, and the escrow takes them back.
    pub(super) fn pay(&mut self, (contract, account, claim): Holder, payout: i128, houses: Houses) {
        let (escrow, asset) = (AccountId::escrow(contract), AssetId::claim(contract, claim));
        let claims = self.of(account, asset);
        self.shift([account, escrow], asset, claims);
        self.shift([escrow, account], houses.dollar, payout);
        self.costs.remove(&(contract, account, claim));
    }

    /// The positions of a contract up to an account have ended.
    pub(super) fn forget(&mut self, contract: SymbolId, until: AccountId) -> Result<(), String> {
        let is_ended = |of: SymbolId, account: AccountId| of == contract && account <= until;
        let left = self.costs.keys().find(|(of, account, _)| is_ended(*of, *account));
        if let Some(left) = left.filter(|holder| self.claims(**holder) != 0) {
            return Err(format!("{left:?} is left out of a payout"));
        }
        self.costs.retain(|(of, account, _), _| !is_ended(*of, *account));
        self.realised.retain(|(of, account), _| !is_ended(*of, *account));
        Ok(())
    }

    /// The core must show the same balances and holds, to the last unit.
    pub(super) fn agree(&self, state: &State, dollar: CurrencyId) -> Result<(), String> {
        let mut held: BTreeMap<(AccountId, AssetId), i128> = BTreeMap::new();
        for order in self.orders.values() {
            let (asset, amount) = order.hold(dollar);
            *held.entry((order.account, asset)).or_default() += amount;
        }
        let of = |from: &BTreeMap<_, i128>, key: (AccountId, AssetId)| from.get(&key).copied().unwrap_or(0);
        let mut count = 0;
        for (account, asset, balance) in state.ledger().balances() {
            let key = (account, asset);
            let expected = [of(&self.has, key), of(&held, key)];
            let got = [balance.total(), balance.held].map(Money::units);
            count += usize::from(got != [0, 0]);
            if got != expected {
                return Err(format!("{key:?} has and holds {got:?}, expected {expected:?}"));
            }
        }
        let expected = self.has.values().filter(|amount| **amount != 0).count();
        if count == expected { Ok(()) } else { Err(format!("{count} balances, expected {expected}")) }
    }
}
