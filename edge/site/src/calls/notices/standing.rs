//! How far an account with positions or borrowed money is from its liquidation.

use buttonwood_engine::{State, perp, spot_margin};
use buttonwood_model::AccountId;
use buttonwood_num::Money;
use buttonwood_wire::answer;
use buttonwood_wire::contract::DecimalText;

/// Margin is short where the assets are less than this many percent of what maintenance needs (D-294).
const SHORT: i128 = 150;

answer! {
    /// The margin of an account.
    pub(super) struct Margin {
        /// Whether a small move liquidates it.
        short: bool,
        /// The dollar value of what it has.
        assets: DecimalText,
        /// Of positions: the value of the assets at which it is liquidated.
        needed: Option<DecimalText>,
        /// Of spot margin: the fall of all prices at which it is liquidated, as a part of one.
        fall: Option<DecimalText>,
    }
}

/// A tenth: a fall of all prices by less is a usual day's.
const FALL: i128 = 10;

impl Margin {
    pub(super) fn is_short(&self) -> bool {
        self.short
    }
}

/// The margin of an account; none without positions or debts, and beyond the range of money.
pub(super) fn of(state: &State, account: AccountId) -> Option<Margin> {
    of_positions(state, account).or_else(|| of_loans(state, account))
}

fn of_positions(state: &State, account: AccountId) -> Option<Margin> {
    let held = state.perps().rows_of(account).find(|row| !row.position.is_flat())?.symbol;
    let symbol = (held, state.symbol(held)?);
    let latest = state.indices().latest();
    let sums = perp::Figures::of(state.perps(), state.ledger(), latest, account, symbol)?.sums;
    let needed = sums.maintenance();
    let is_short = sums.assets.units().checked_mul(100)? < needed.units().checked_mul(SHORT)?;
    let needed = Some(DecimalText::exact(needed));
    Some(Margin { short: is_short, assets: DecimalText::exact(sums.assets), needed, fall: None })
}

fn of_loans(state: &State, account: AccountId) -> Option<Margin> {
    let margin = state.spot_margin();
    let (ledger, latest) = (state.ledger(), state.indices().latest());
    let figures = spot_margin::Figures::of(margin, ledger, latest, state.symbols(), account)?;
    let fall = figures.loss.filter(|_| figures.sums.owed > Money::ZERO)?;
    let is_short = fall.units().checked_mul(FALL)? < Money::ONE.units();
    let fall = Some(DecimalText::exact(fall));
    Some(Margin { short: is_short, assets: DecimalText::exact(figures.sums.assets), needed: None, fall })
}
