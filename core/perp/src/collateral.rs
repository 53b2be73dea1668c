//! The currencies that count as collateral: data of the opening and of operators' commands (D-48).

use crate::{Perps, Reject};
use alloc::vec::Vec;
use buttonwood_ledger::Ledger;
use buttonwood_model::CurrencyId;
use buttonwood_room::Context;
use serde::{Deserialize, Serialize};

/// The most currencies.
pub const COLLATERAL_MAX: usize = 8;

/// The percentage that is the whole of a value.
const WHOLE: u8 = 100;

/// A currency that counts as collateral of accounts with cross collateral.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// The currency.
    pub currency: CurrencyId,
    /// The percentage of its value that counts: 1 to 100.
    pub percent: u8,
    /// Whether a unit is worth one dollar; other currencies are worth their index.
    pub is_dollar: bool,
}

/// The collateral of a directory that names none, since an earlier build opened it: codes, percentages, and whether a unit is worth one
/// dollar.
const OF_EARLIER_BUILDS: [(&str, u8, bool); 3] =
    [("BTC", 90, false), ("ETH", 90, false), ("USDT", WHOLE, true)];

impl Perps {
    /// The currencies that count as collateral.
    pub fn counted(&self, ledger: &Ledger) -> impl Iterator<Item = Counted> {
        let of_earlier = OF_EARLIER_BUILDS.into_iter().filter(|_| self.collateral.is_none());
        let of_earlier = of_earlier.filter_map(|(code, percent, is_dollar)| {
            let place = ledger.currencies().iter().position(|listed| listed.code == code)?;
            Some(Counted { currency: CurrencyId::from_index(place), percent, is_dollar })
        });
        self.collateral.iter().flatten().copied().chain(of_earlier)
    }
}

/// The currencies in force with one of them as it is to be, in their order; without it where its percentage is zero.
pub(crate) fn with(context: &Context<'_, Perps>, new: Counted) -> Vec<Counted> {
    let others = context.room.counted(context.ledger).filter(|counted| counted.currency != new.currency);
    let mut list: Vec<Counted> = others.chain((new.percent > 0).then_some(new)).collect();
    list.sort_unstable_by_key(|counted| counted.currency);
    list
}

/// Decides other collateral: listed currencies, each once; GUSD, which positions are settled in, is none.
pub(crate) fn decide(context: &Context<'_, Perps>, list: &[Counted]) -> Result<(), Reject> {
    let mut ids: Vec<CurrencyId> = list.iter().map(|counted| counted.currency).collect();
    ids.sort_unstable();
    ids.dedup();
    let is_known = |id: &CurrencyId| context.currency(*id).is_some() && Some(*id) != context.ledger.gusd();
    if !ids.iter().all(is_known) {
        return Err(Reject::Unknown);
    }
    let is_part = |counted: &Counted| (1..=WHOLE).contains(&counted.percent);
    if ids.len() == list.len() && ids.len() <= COLLATERAL_MAX && list.iter().all(is_part) {
        Ok(())
    } else {
        Err(Reject::BadCollateral)
    }
}
