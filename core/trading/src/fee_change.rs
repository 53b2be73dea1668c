//! Changes of fee rates: of a product, of one account, tiers by volume, promotions.

use crate::{Desks, FeeSchedule, Infrequent, Market, Reject};
use alloc::vec::Vec;
use buttonwood_model::{AccountId, BytesRef, Outbox, Product, SymbolId};
use buttonwood_num::Money;
use serde::{Deserialize, Serialize};

/// The most tiers of a product.
pub const TIERS_MAX: usize = 100;

/// A change of the fee schedule of a product, or of one account for a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeeChange {
    /// The product.
    pub product: Product,
    /// The account; none for all accounts without a schedule of their own, whose tiers then end.
    pub account: Option<AccountId>,
    /// The new rates. None returns an account to the rates of the product, and a product to those of the
    /// opening.
    pub schedule: Option<FeeSchedule>,
}

/// The tiers of a product, which replace its schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeeTiers {
    /// The product.
    pub product: Product,
    /// The tiers, the lowest first.
    pub tiers: Vec<FeeTier>,
}

/// The rates of accounts that traded enough in 30 days (VOL-005).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeeTier {
    /// The volume in dollars from which on an account has these rates.
    pub from: Money,
    /// The rates.
    pub rates: FeeSchedule,
}

/// The symbols under a fee promotion, and its rates (MKT-036).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Promotion {
    /// The symbols; without any there is no promotion.
    pub symbols: Vec<SymbolId>,
    /// An account pays no more than these rates there.
    pub rates: FeeSchedule,
}

pub(crate) fn set_fees<D: Desks, E: From<BytesRef>>(
    market: Market<'_, D>,
    change: FeeChange,
    out: &mut Outbox<E>,
) -> Result<(), Reject<D::Refusal>> {
    check(market, change.schedule.as_slice())?;
    out.push_named(&Infrequent::FeesChanged(change));
    Ok(())
}

pub(crate) fn set_tiers<D: Desks, E: From<BytesRef>>(
    market: Market<'_, D>,
    tiers: &FeeTiers,
    out: &mut Outbox<E>,
) -> Result<(), Reject<D::Refusal>> {
    let rows = &tiers.tiers;
    let begins_at_zero = rows.first().is_some_and(|tier| tier.from == Money::ZERO);
    if !begins_at_zero || rows.len() > TIERS_MAX || !rows.is_sorted_by(|one, next| one.from < next.from) {
        return Err(Reject::BadFees);
    }
    let rates: Vec<FeeSchedule> = rows.iter().map(|tier| tier.rates).collect();
    check(market, &rates)?;
    out.push_named(&Infrequent::FeeTiersChanged(tiers.clone()));
    Ok(())
}

pub(crate) fn set_promotion<D: Desks, E: From<BytesRef>>(
    market: Market<'_, D>,
    promotion: &Promotion,
    out: &mut Outbox<E>,
) -> Result<(), Reject<D::Refusal>> {
    if promotion.symbols.iter().any(|symbol| market.listed(*symbol).is_none()) {
        return Err(Reject::Unknown);
    }
    if !promotion.rates.is_valid() || !market.floor.fees.has_room_to_promote(promotion.rates) {
        return Err(Reject::BadFees);
    }
    out.push_named(&Infrequent::PromotionChanged(promotion.clone()));
    Ok(())
}

fn check<D: Desks>(market: Market<'_, D>, rates: &[FeeSchedule]) -> Result<(), Reject<D::Refusal>> {
    let is_good = rates.iter().all(|rates| rates.is_valid()) && market.floor.fees.has_room_for(rates);
    if is_good { Ok(()) } else { Err(Reject::BadFees) }
}
