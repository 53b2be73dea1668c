//! The worth of all people at the index that stands still, and the law about it.
//!
//! An account counts for what it has less what it owes, but never for less than nothing once it is flat: its owner walks away from a
//! debt. The debts of a group for returned advances bind the money of all its accounts, since nothing of that leaves before (D-181). Money
//! that waits to leave the exchange has left, since an owner who walks away takes it along.

use super::program::Plain;
use super::world::{COINS, MARKETS, ONE, Scene};
use buttonwood_engine::prediction::Holding;
use buttonwood_engine::{State, TransferKind, TransferStatus};
use buttonwood_model::{AccountId, Claim, CurrencyId, GroupId, Product, SymbolId};
use buttonwood_num::{Money, Round};
use std::collections::BTreeMap;
use std::fmt;

/// Roundings of a program, in units of money: a cent.
pub(super) const ROUNDING: i128 = ONE / 100;

/// The house accounts that must not lose: those that stand behind a product. `source`, `clearing` and `issuer` are the other side of
/// what others have, so a loss of theirs is a gain of another account.
const GUARDED: [&str; 5] = ["insurance", "instant", "fees", STAKING_REWARDS, PROMO];

/// The house account that pays the interest of stakes, and may lose what their terms promise.
const STAKING_REWARDS: &str = "staking_rewards";

/// The house account that pays for liquidity, and may lose what the pools of events have.
const PROMO: &str = "promo";

/// The breach of the law.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Breach {
    /// Both groups together gained so much more than the house has granted, in units of 10⁻¹⁹ dollars.
    Gain(i128),
    /// A house account lost so much more than that.
    Loss(&'static str, i128),
    /// Accounts that walk away owe so much more than that.
    Debt(i128),
    /// The honest party lost so much beside what its own orders agreed to: what, how much.
    Harm(&'static str, i128),
    /// A command read so many rows, more than one should (D-256).
    Looks(usize, String),
    /// A panic, or a follow-up that changes nothing, ends the process: what ended it, by which command.
    Death(String, String),
}

impl Breach {
    /// All kinds.
    pub const KINDS: [&str; 10] =
        ["gain", "debt", "harm", "looks", "death", "insurance", "instant", "fees", STAKING_REWARDS, PROMO];

    /// Its kind: programs with a breach of one kind are shortened as long as it is of that kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Gain(_) => "gain",
            Self::Loss(house, _) => house,
            Self::Debt(_) => "debt",
            Self::Harm(..) => "harm",
            Self::Looks(..) => "looks",
            Self::Death(..) => "death",
        }
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gain(units) => {
                write!(out, "the groups gained {} dollars too much", Plain(units - units % ROUNDING))
            }
            Self::Loss(house, units) => {
                write!(out, "`{house}` lost {} dollars too much", Plain(units - units % ROUNDING))
            }
            Self::Debt(units) => {
                write!(
                    out,
                    "accounts that walk away owe {} dollars too much",
                    Plain(units - units % ROUNDING)
                )
            }
            Self::Harm(what, units) => {
                write!(
                    out,
                    "the honest party lost {} dollars beside what it agreed to, by {what}",
                    Plain(units - units % ROUNDING)
                )
            }
            Self::Looks(rows, command) => write!(out, "{rows} rows are read (D-256) by {command}"),
            Self::Death(text, command) => write!(out, "the process ends ({text}) at {command}"),
        }
    }
}

/// The sums of all accounts, in units of 10⁻¹⁹ dollars.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Figures {
    /// The worth of both groups, with the money that waits to leave.
    pub(super) people: i128,
    /// The debts of flat accounts beyond their money.
    pub(super) bad_debt: i128,
    /// The balance of each guarded house account.
    pub(super) houses: [i128; GUARDED.len()],
    /// The balance of `source`: less by all that came in from outside.
    pub(super) source: i128,
}

impl Figures {
    /// The balance of the account that pays for liquidity.
    pub(super) fn promo(&self) -> i128 {
        let of = GUARDED.iter().zip(self.houses).find(|(house, _)| **house == PROMO);
        of.map_or(0, |(_, balance)| balance)
    }
}

impl Scene {
    /// The figures of a state.
    pub(super) fn figures(&self, state: &State) -> Figures {
        let mut figures = Figures::default();
        // The worth of each group, and its debts for returned advances.
        let mut groups: BTreeMap<Option<GroupId>, (i128, i128)> = BTreeMap::new();
        for actor in &self.actors {
            let leaving = self.leaving(state, actor.account);
            let net = self.net(state, actor.account) - leaving;
            let is_flat = state.perps().rows_of(actor.account).all(|row| row.position.is_flat());
            let group = state.access().account(actor.account).and_then(|account| account.group);
            let (has, owes) = groups.entry(group).or_default();
            *has += if is_flat { net.max(0) } else { net };
            *owes += self.debts(state, actor.account);
            figures.people += leaving;
            figures.bad_debt += if is_flat { (-net).max(0) } else { 0 };
        }
        for (has, owes) in groups.into_values() {
            figures.people += if owes > 0 { (has - owes).max(0) } else { has };
            figures.bad_debt += if owes > 0 { (owes - has).max(0) } else { 0 };
        }
        for (house, figure) in GUARDED.iter().zip(&mut figures.houses) {
            *figure = state.ledger().house(house).map_or(0, |account| self.net(state, account));
        }
        figures.source = state.ledger().house("source").map_or(0, |account| self.net(state, account));
        figures
    }

    /// The debts of an account for returned advances.
    fn debts(&self, state: &State, account: AccountId) -> i128 {
        state.funds().debts_of(account).map(|(currency, owed)| self.dollars(currency, owed)).sum()
    }

    /// The worth of an account less its loans.
    pub(super) fn net(&self, state: &State, account: AccountId) -> i128 {
        let balances = state.ledger().balances_of(account);
        let has: i128 = balances
            .map(|(currency, balance)| self.dollars(currency, balance.total()))
            .fold(0, i128::saturating_add);
        let rows = state.perps().rows_of(account);
        let open: i128 = rows.map(|row| self.unrealised(row.symbol, row.position)).sum();
        let gusd = self.currency(1);
        let loans = state.perps().owed(account, gusd).units() + state.spot_margin().owed(account).units();
        let staked = state.staking().holdings(account);
        let staked: i128 = staked
            .flat_map(|(_, pair, amounts)| amounts.map(|amount| self.dollars(pair.currency, amount)))
            .fold(0, i128::saturating_add);
        has.saturating_add(open).saturating_add(staked).saturating_add(claims(state, account)) - loans
    }

    /// The money that waits to leave an account for good.
    fn leaving(&self, state: &State, account: AccountId) -> i128 {
        let rows = state.funds().open_of(account).map(|transfer| &transfer.row);
        let leaves = rows.filter(|row| {
            let is_out = row.kind == TransferKind::Withdrawal && row.status == TransferStatus::Pending;
            is_out && !matches!(row.way, buttonwood_engine::TransferWay::Internal { .. })
        });
        leaves.map(|row| self.dollars(row.held_currency(), row.held)).sum()
    }

    fn price(&self, currency: CurrencyId) -> i128 {
        let place = self.currencies.iter().position(|known| *known == currency);
        place.and_then(|place| COINS.get(place)).map_or(0, |coin| coin.dollars)
    }

    fn dollars(&self, currency: CurrencyId, amount: Money) -> i128 {
        amount.units().saturating_mul(self.price(currency))
    }

    fn unrealised(&self, symbol: SymbolId, position: buttonwood_engine::perp::Position) -> i128 {
        let place = self.markets.iter().position(|listed| listed.symbol == symbol);
        let market =
            place.and_then(|place| MARKETS.get(place)).filter(|market| market.product == Product::Swap);
        let base = market.and_then(|market| COINS.get(market.pair[0])).map_or(0, |coin| coin.dollars);
        let index = Money::from_units(base * ONE);
        position.unrealised(index).map_or(0, Money::units)
    }
}

/// The worth of an account's claims: as its contract was decided, and half a dollar before that, so that a pair is a dollar.
fn claims(state: &State, account: AccountId) -> i128 {
    let room = state.predictions();
    let worth = |held: Holding| {
        let decided = room.contract(held.contract).and_then(|contract| contract.value);
        let yes = decided.map_or(ONE / 2, Money::units);
        let value = if held.claim == Claim::Yes { yes } else { ONE - yes };
        held.quantity.times(Money::from_units(value), Round::Down).map_or(0, Money::units)
    };
    room.holdings_of(state.ledger(), account).map(worth).fold(0, i128::saturating_add)
}

/// The flows of money from outside, in dollars.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Outside {
    /// All ACH credits, in units of 10⁻¹⁹ dollars.
    pub(super) received: i128,
    /// Those of them that the bank took back.
    pub(super) returned: i128,
    /// The interest that the terms of stakes promise, which `staking_rewards` may lose.
    pub(super) promised: i128,
    /// The most that the pools of events may have paid, which `promo` may lose.
    pub(super) pools: i128,
    /// The fees that makers of contracts paid, and the rebates that they were paid.
    pub(super) maker_fees: i128,
    pub(super) rebates: i128,
    /// The dollars that bets of the honest party have lost.
    pub(super) bets: i128,
}

/// The law: what breaks it, if anything does. Also how much both groups gained, whether they may or not.
pub(super) fn judge(before: &Figures, after: &Figures, outside: Outside) -> (Option<Breach>, i128) {
    // A deposit that was paid in is no gain; `source` cannot have given more than that.
    let given = before.source - after.source;
    let paid = given.min(outside.received - outside.returned).max(0);
    let granted = outside.received / 20 + ROUNDING;
    let houses = GUARDED.iter().zip(before.houses.iter().zip(&after.houses));
    let losses = houses.map(|(house, (before, after))| (before - after, Some(*house)));
    // Interest is no gain as far as it was promised and `staking_rewards` has paid it.
    let loss_of = |name| -> i128 {
        losses.clone().filter(|(_, house)| *house == Some(name)).map(|(loss, _)| loss).sum()
    };
    let interest = loss_of(STAKING_REWARDS).min(outside.promised).max(0);
    // Rewards for liquidity are no gain as far as the pools have them and `promo` has paid them.
    let rewards = loss_of(PROMO).min(outside.pools).max(0);
    let gain = after.people - before.people - paid - interest - rewards - outside.bets;
    if gain > granted {
        return (Some(Breach::Gain(gain - granted)), gain);
    }
    if outside.rebates > outside.maker_fees {
        return (Some(Breach::Loss("fees", outside.rebates - outside.maker_fees)), gain);
    }
    let allowed = |house| match house {
        Some(STAKING_REWARDS) => interest,
        Some(PROMO) => rewards,
        Some(_) | None => 0,
    };
    let losses = losses.map(|(loss, house)| (loss - allowed(house), house));
    // The loans of `lending` are owed to it, as far as a debtor does not walk away.
    let losses = losses.chain([(after.bad_debt - before.bad_debt, None)]);
    let worst = losses.filter(|(loss, _)| *loss > granted).max_by_key(|(loss, _)| *loss);
    let breach = worst.map(|(loss, house)| match house {
        Some(house) => Breach::Loss(house, loss - granted),
        None => Breach::Debt(loss - granted),
    });
    (breach, gain)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOLLAR: i128 = ONE;

    fn after(people: i128, source: i128) -> Figures {
        Figures { people, source, ..Figures::default() }
    }

    /// A breach prints what it is about, and its kind is one that can be passed over.
    #[test]
    fn a_breach_has_a_kind() {
        let looks = Breach::Looks(10_001, "CancelAll".to_owned());
        assert_eq!(looks.to_string(), "10001 rows are read (D-256) by CancelAll");
        for breach in [looks, Breach::Gain(DOLLAR), Breach::Debt(DOLLAR), Breach::Harm("its maker", DOLLAR)] {
            assert!(Breach::KINDS.contains(&breach.kind()), "{breach}");
        }
        assert!(GUARDED.iter().all(|house| Breach::KINDS.contains(house)));
    }

    /// Money that was paid in from outside is no gain; what comes from nowhere is one. Proves INV-HOUSE.
    #[test]
    fn a_gain_is_what_nobody_paid_in() {
        let before = Figures::default();
        let paid = Outside { received: 1_000 * DOLLAR, ..Outside::default() };
        assert_eq!(judge(&before, &after(1_000 * DOLLAR, -1_000 * DOLLAR), paid), (None, 0));
        // 5 % of the advances, and a cent.
        let (breach, gain) = judge(&before, &after(1_051 * DOLLAR, -1_000 * DOLLAR), paid);
        assert_eq!((breach, gain), (Some(Breach::Gain(DOLLAR - ROUNDING)), 51 * DOLLAR));
        // The bank took it back.
        let returned = Outside { returned: 1_000 * DOLLAR, ..paid };
        assert_eq!(judge(&before, &after(50 * DOLLAR, 0), returned).0, None);
        assert!(judge(&before, &after(51 * DOLLAR, 0), returned).0.is_some());
        // More from `source` than anybody paid in.
        let given = after(60 * DOLLAR, -60 * DOLLAR);
        assert_eq!(judge(&before, &given, Outside::default()).1, 60 * DOLLAR);
    }

    /// A house account may not lose, whoever has its money in the end. Proves INV-HOUSE.
    #[test]
    fn a_house_account_does_not_lose() {
        let before = Figures { houses: [100 * DOLLAR, 100 * DOLLAR, 0, 0, 0], ..Figures::default() };
        let mut after = before.clone();
        assert_eq!(judge(&before, &after, Outside::default()).0, None);
        after.houses = [98 * DOLLAR, 99 * DOLLAR, 0, 0, 0];
        let loss = judge(&before, &after, Outside::default()).0;
        assert_eq!(loss, Some(Breach::Loss("insurance", 2 * DOLLAR - ROUNDING)));
        after = Figures { bad_debt: 3 * DOLLAR, ..before.clone() };
        assert_eq!(judge(&before, &after, Outside::default()).0, Some(Breach::Debt(3 * DOLLAR - ROUNDING)));
    }

    /// Interest is granted as far as the terms promise it and `staking_rewards` pays it. Proves INV-HOUSE.
    #[test]
    fn interest_is_what_was_promised() {
        let before = Figures { houses: [0, 0, 0, 100 * DOLLAR, 0], ..Figures::default() };
        let paid = Figures { people: 10 * DOLLAR, houses: [0, 0, 0, 90 * DOLLAR, 0], ..Figures::default() };
        let promised = |dollars| Outside { promised: dollars * DOLLAR, ..Outside::default() };
        assert_eq!(judge(&before, &paid, promised(10)), (None, 0));
        assert_eq!(judge(&before, &paid, promised(9)).0, Some(Breach::Gain(DOLLAR - ROUNDING)));
        let gone = Figures { people: 0, ..paid.clone() };
        let loss = judge(&before, &gone, promised(9)).0;
        assert_eq!(loss, Some(Breach::Loss(STAKING_REWARDS, DOLLAR - ROUNDING)));
        // `source` has paid it.
        let elsewhere = Figures { houses: before.houses, source: -10 * DOLLAR, ..paid };
        assert!(judge(&before, &elsewhere, promised(10)).0.is_some());
    }

    /// Rewards for liquidity are granted as far as the pools have them and `promo` pays them, and rebates as far as makers paid fees. Proves
    /// INV-HOUSE.
    #[test]
    fn rewards_are_what_pools_and_fees_grant() {
        let before = Figures { houses: [0, 0, 9 * DOLLAR, 0, 100 * DOLLAR], ..Figures::default() };
        let paid =
            Figures { people: 40 * DOLLAR, houses: [0, 0, 9 * DOLLAR, 0, 60 * DOLLAR], ..Figures::default() };
        let pools = |dollars| Outside { pools: dollars * DOLLAR, ..Outside::default() };
        assert_eq!(judge(&before, &paid, pools(40)), (None, 0));
        assert_eq!(judge(&before, &paid, pools(39)).0, Some(Breach::Gain(DOLLAR - ROUNDING)));
        let gone = Figures { people: 0, ..paid.clone() };
        assert_eq!(judge(&before, &gone, pools(39)).0, Some(Breach::Loss(PROMO, DOLLAR - ROUNDING)));
        // Another account of the house has paid it.
        let elsewhere = Figures { houses: [0, 0, 0, 0, 100 * DOLLAR], people: 9 * DOLLAR, ..paid };
        assert!(judge(&before, &elsewhere, pools(40)).0.is_some());
        let rebates = Outside { maker_fees: DOLLAR, rebates: DOLLAR + 1, ..Outside::default() };
        assert_eq!(judge(&before, &before, rebates).0, Some(Breach::Loss("fees", 1)));
    }
}
