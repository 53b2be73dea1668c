//! The fund's way with its positions: they are sent to the book at the mark or better, and closed before a full hour.

use super::{Part, PerpJudge, check, size};
use crate::exchange::{Exchange, Happening};
use crate::naive::PerpFund;
use buttonwood_engine::perp::liquidation::{Part as CorePart, Round};
use buttonwood_model::{AccountId, Side, SymbolId, Time};
use buttonwood_num::{Money, Round as Rounding};

impl PerpJudge {
    /// The fund without its position of a contract: one sum over all that it has.
    pub(super) fn fund_beside(&self, exchange: &Exchange, symbol: SymbolId) -> PerpFund {
        let exact = |one: Money, other: Money| one.times(other, Rounding::Down).unwrap();
        let (mut assets, mut others) = (self.money(self.fund), Money::ZERO);
        for (of, contract) in &self.contracts {
            let quantity = self.quantity(self.fund, *of);
            assets += exact(quantity, contract.mark);
            others += if *of == symbol { Money::ZERO } else { exact(size(quantity), contract.mark) };
        }
        for (_, percent, [held, index]) in self.collateral(self.fund, exchange) {
            assets += exact(held, index);
            // Dollars count in full as collateral.
            others += if percent == 100 { Money::ZERO } else { exact(held, index) };
        }
        PerpFund { assets, others, own: self.quantity(self.fund, symbol) }
    }

    /// The minute before the next full hour, until the hour is cut: the fund takes nothing.
    pub(super) fn is_near_hour(&self, now: Time) -> bool {
        self.next_hour.is_some_and(|hour| now.plus(60 * Time::SECOND) >= hour)
    }

    /// The contracts that can be closed and of which the fund has a position.
    fn open_of_fund(&self) -> impl Iterator<Item = SymbolId> {
        let open = self.contracts.iter().filter(|(_, contract)| contract.is_fresh);
        let held = open.filter(|(symbol, _)| self.quantity(self.fund, **symbol) != Money::ZERO);
        held.map(|(symbol, _)| *symbol)
    }

    pub(super) fn note_offers(&mut self, symbols: &[SymbolId]) -> Result<(), String> {
        match symbols.iter().find(|symbol| self.quantity(self.fund, **symbol) == Money::ZERO) {
            Some(symbol) => Err(format!("the fund offers nothing of {symbol:?}")),
            None => Ok(()),
        }
    }

    pub(super) fn note_offered(&mut self, symbol: SymbolId) -> Result<(), String> {
        let side = if self.quantity(self.fund, symbol).is_negative() { Side::Buy } else { Side::Sell };
        self.offered = Some((symbol, side));
        Ok(())
    }

    /// A fill of the fund's order: at the mark or better, for no fee, and never more than its position.
    pub(super) fn check_offered(
        &self,
        taker: AccountId,
        [base, price, fee]: [Money; 3],
    ) -> Result<(), String> {
        let Some((symbol, side)) = self.offered.filter(|_| taker == self.fund) else { return Ok(()) };
        let mark = self.contracts[&symbol].mark;
        let is_good = if side == Side::Buy { price <= mark } else { price >= mark };
        if is_good && fee == Money::ZERO && base <= size(self.quantity(self.fund, symbol)) {
            return Ok(());
        }
        Err(format!("the fund trades {base:?} at {price:?} for a fee of {fee:?} at a mark of {mark:?}"))
    }

    /// A position of the fund is closed whole, at the mark, in the minute before the hour.
    pub(super) fn note_flattening(
        &mut self,
        exchange: &Exchange,
        round: &Round,
        part: &CorePart,
    ) -> Result<(), String> {
        let now = exchange.stamp.time;
        if !self.is_near_hour(now) || self.next_hour.is_none_or(|hour| now >= hour) {
            return Err(format!("the fund is made flat at {now:?}"));
        }
        check("the position that is closed", &Some(part.symbol), &self.open_of_fund().next())?;
        let quantity = self.quantity(self.fund, part.symbol);
        let grid = &exchange.state.symbols()[part.symbol.index()].grid;
        check("all of it", &grid.base(part.left), &Some(size(quantity)))?;
        check("its price", &part.price, &self.contracts[&part.symbol].mark)?;
        if exchange.happened.iter().any(|what| matches!(what, Happening::Accepted(_))) {
            return Err("an order is sent".into());
        }
        let side = if quantity.is_negative() { Side::Buy } else { Side::Sell };
        let (account, symbol, price, left) = (round.account, part.symbol, part.price, size(quantity));
        self.round =
            Some(Part { account, symbol, side, left, price, traded: Money::ZERO, deleverages: true });
        self.counts.rounds += 1;
        Ok(())
    }

    /// Nothing more can be closed before the hour: no position has an index, or it is too late.
    pub(super) fn note_flattened(&mut self, exchange: &Exchange, hour: Time) -> Result<(), String> {
        check("the hour before which the fund is flat", &Some(hour), &self.next_hour)?;
        let now = exchange.stamp.time;
        let open = self.open_of_fund().next();
        if !self.is_near_hour(now) || now < hour && open.is_some() {
            return Err(format!("the fund keeps {open:?} at {now:?}"));
        }
        self.flattened = Some(hour);
        Ok(())
    }

    /// Whether the fund has a position that a client's command at this time must not find.
    pub(super) fn is_late_with_fund(&self, now: Time) -> bool {
        let since = |hour: Time| Time(hour.0.saturating_sub(60 * Time::SECOND));
        let is_near = self.next_hour.is_some_and(|hour| since(hour) < now && self.flattened != Some(hour));
        is_near && self.queue.is_empty() && self.open_of_fund().next().is_some()
    }
}
