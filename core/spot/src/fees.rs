//! What trading costs, and what an order reserves for it.

use buttonwood_book::Order;
use buttonwood_model::Side;
use buttonwood_num::{Bps, Grid, Money, Price, Qty};
use buttonwood_planted::{Bug, planted};
use serde::{Deserialize, Serialize};

/// Fee rates of orders placed through the interface (D-31). A word, so that it is copied as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(align(8))]
pub struct FeeSchedule {
    /// Of the resting order.
    pub maker: Bps,
    /// Of the incoming order.
    pub taker: Bps,
    /// Of both orders of an auction's trade (AUCT-005).
    pub auction: Bps,
}

impl FeeSchedule {
    /// The higher rate: what a hold is reckoned with.
    #[inline]
    pub(crate) fn worst(self) -> Bps {
        if planted(Bug::HoldTooSmall) {
            self.maker.min(self.taker)
        } else if planted(Bug::HoldAtTakerRate) {
            self.taker
        } else {
            self.maker.max(self.taker)
        }
    }

    /// What a limit buy reserves, in quote currency; `None` beyond the range of money (ORD-048).
    pub fn buy_reserves(self, grid: &Grid, price: Price, qty: Qty) -> Option<Money> {
        hold(grid, Side::Buy, price, qty, self.worst())
    }

    /// Whether no fee can exceed what it is charged on, and none what an order reserves for it.
    pub fn is_valid(self) -> bool {
        u32::from(self.worst().0) <= Bps::WHOLE && self.auction <= self.maker.max(self.taker)
    }
}

impl Default for FeeSchedule {
    fn default() -> Self {
        Self { maker: Bps(20), taker: Bps(40), auction: Bps(20) }
    }
}

/// What a quantity at a price reserves: a buy its notional and the worse of its fees in quote currency, a sell the
/// quantity itself in base currency (ORD-048). `None` beyond the range of money.
#[inline]
pub(crate) fn hold(grid: &Grid, side: Side, price: Price, qty: Qty, rate: Bps) -> Option<Money> {
    grid.reserve(side == Side::Buy, price, qty, rate)
}

/// What a resting order reserves for what it has left (INV-LEDGER-5).
///
/// # Panics
/// When the order is larger than money can count, which admission prevents.
#[inline]
pub fn hold_of(grid: &Grid, order: &Order) -> Money {
    hold_with(grid, order, order.remaining)
}

/// What `remaining` of the order reserves.
#[inline]
fn hold_with(grid: &Grid, order: &Order, remaining: Qty) -> Money {
    let rate = order.maker_rate.max(order.taker_rate);
    hold(grid, order.side, order.price, remaining, rate).expect("admission bounds what an order reserves")
}

/// What a resting order frees when `qty` of it trades.
#[inline]
pub(crate) fn freed(grid: &Grid, order: &Order, qty: Qty) -> Money {
    if order.side == Side::Sell || grid.has_exact_fees() {
        // Then the parts of a hold sum to the whole.
        return hold_with(grid, order, qty);
    }
    freed_unevenly(grid, order, qty)
}

#[cold]
fn freed_unevenly(grid: &Grid, order: &Order, qty: Qty) -> Money {
    freed_of(grid, order, order.remaining, qty)
}

/// What an order frees when `qty` of what is left of it trades.
fn freed_of(grid: &Grid, order: &Order, left: Qty, qty: Qty) -> Money {
    hold_with(grid, order, left) - hold_with(grid, order, left - qty)
}

/// What maker and taker pay for a fill.
#[inline]
pub(crate) fn both_fees(grid: &Grid, maker: &Order, qty: Qty, taker_rate: Bps) -> Option<[Money; 2]> {
    // Fees that are words come out even: then nothing is capped.
    match grid.fees(maker.price, qty, [maker_rate(maker), taker_rate]) {
        Some(fees) => Some(fees),
        None => both_fees_apart(grid, maker, qty, taker_rate),
    }
}

#[cold]
fn both_fees_apart(grid: &Grid, maker: &Order, qty: Qty, taker_rate: Bps) -> Option<[Money; 2]> {
    Some([maker_fee(grid, maker, qty)?, grid.fee(maker.price, qty, taker_rate)?])
}

/// The fee of a party to an auction's trade of `qty` of what the trades before it left. A buyer's is no more than what the
/// trade frees beyond its price, as a maker's.
pub(crate) fn auction_fee(grid: &Grid, order: &Order, left: Qty, price: Price, qty: Qty, rate: Bps) -> Money {
    let fee = grid.fee(price, qty, rate).expect("smaller than what was held, or than the notional");
    if order.side == Side::Sell || grid.has_exact_fees() {
        return fee;
    }
    let notional = grid.notional(price, qty).expect("a trade is no larger than its buyer's order");
    fee.min(freed_of(grid, order, left, qty) - notional)
}

#[inline]
fn maker_rate(maker: &Order) -> Bps {
    if planted(Bug::MakerPaysTakerRate) { maker.taker_rate } else { maker.maker_rate }
}

/// The maker's fee of a fill. A buyer's is paid out of what the fill frees; where rounding made that a quantum
/// short, the fee is that quantum less, so that the fees of an order's fills sum to no more than it reserved.
fn maker_fee(grid: &Grid, maker: &Order, qty: Qty) -> Option<Money> {
    let fee = grid.fee(maker.price, qty, maker_rate(maker))?;
    if maker.side == Side::Sell || grid.has_exact_fees() || planted(Bug::MakerFeeUncapped) {
        return Some(fee);
    }
    Some(fee.min(freed(grid, maker, qty) - grid.notional(maker.price, qty)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::{self, Owner, Place};
    use crate::{Event, Market, Pit, Planner, evolve};
    use alloc::string::String;
    use alloc::vec;
    use alloc::vec::Vec;
    use buttonwood_ledger::House;
    use buttonwood_model::{
        AccountId, CurrencyId, OrderKind, Outbox, Product, SessionId, Symbol, SymbolId, SymbolStatus, Time,
    };
    use buttonwood_num::Decimal;

    const USD: CurrencyId = CurrencyId(0);
    const BTC: CurrencyId = CurrencyId(1);

    /// One symbol, `btcusd`, with steps of 1 and 1.
    fn pit() -> Pit {
        let one = || Decimal::parse(b"1").expect("a decimal");
        let mut pit = Pit::default();
        pit.ledger.list_currency();
        pit.ledger.list_currency();
        pit.symbols.push(Symbol {
            name: String::from("btcusd"),
            base: BTC,
            quote: USD,
            grid: Grid::new(one(), one()).expect("increments"),
            qty_min: Qty::from_hundredths(100),
            product: Product::Spot,
            status: SymbolStatus::Open,
            wrap_enabled: false,
            closed_to: Vec::new(),
        });
        pit.orders.list_symbol();
        pit
    }

    fn rates(maker: u16, taker: u16) -> FeeSchedule {
        FeeSchedule { maker: Bps(maker), taker: Bps(taker), auction: Bps(maker) }
    }

    fn account(pit: &mut Pit, currency: CurrencyId, amount: i128) -> AccountId {
        let account = pit.ledger.open_account();
        pit.orders.open_account(account);
        pit.ledger.issue(account, currency, Money::from_units(amount * 10_i128.pow(19)));
        account
    }

    /// A limit order of `lots` at 10,000, decided and applied: what both sides paid for each fill.
    fn trade(
        pit: &mut Pit,
        fees: FeeSchedule,
        id: u64,
        account: AccountId,
        side: Side,
        lots: u128,
    ) -> Vec<[Money; 2]> {
        let market = Market { pit, fees, next_id: id, time: Time(1) };
        let place = Place {
            symbol: SymbolId(0),
            side,
            kind: OrderKind::Limit,
            option: None,
            price: Price::from_ticks(10_000),
            qty: Qty::from_hundredths(lots * 100),
            spend: Money::ZERO,
            client_id: None,
        };
        let owner = Owner { account, session: SessionId(0) };
        let mut out = Outbox::<Event>::default();
        place::decide(market, owner, || "", &place, &mut Planner::default(), &mut out).expect("it enters");
        for event in &out.events {
            evolve(pit, Time(1), event, &[]);
        }
        let fees = |event: &Event| {
            let Event::Filled { maker_fee, taker_fee, .. } = event else { return None };
            Some([*maker_fee, *taker_fee])
        };
        out.events.iter().filter_map(fees).collect()
    }

    /// An order pays the rates of its placing, whatever came into force since, for its hold too: both roles, rest and all.
    /// Proves TYPE-011.
    #[test]
    fn rates_are_those_of_the_placing() {
        let (early, late) = (rates(10, 30), rates(2, 50));
        let usd = |amount: i128| Money::from_units(amount * 10_i128.pow(19));
        let mut pit = pit();
        for _ in House::ALL {
            pit.ledger.open_account();
        }
        let (seller, buyer) = (account(&mut pit, BTC, 3), account(&mut pit, USD, 40_000));
        assert!(trade(&mut pit, early, 1, buyer, Side::Buy, 3).is_empty());
        // It holds 30,000 and 30 basis points of it.
        assert_eq!(pit.ledger.balance(buyer, USD).held, usd(30_090));
        assert_eq!(trade(&mut pit, late, 2, seller, Side::Sell, 1), vec![[usd(10), usd(50)]]);
        assert_eq!(pit.ledger.balance(buyer, USD).held, usd(20_060));
        assert_eq!(trade(&mut pit, early, 4, seller, Side::Sell, 2), vec![[usd(20), usd(60)]]);
        assert_eq!(pit.ledger.balance(buyer, USD).total(), usd(40_000 - 30_000 - 30));
        assert_eq!(pit.ledger.balance(buyer, USD).held, Money::ZERO);
    }
}
