//! The simulated traders on perpetuals: quotes near the index, and positions that stay small.
//!
//! The fair price is the index, a small step away. The taker's side is random while its position is small; otherwise it reduces, and so
//! does the opposite position of the account that quotes.

use super::{Fair, SIZE, Traders, cancel, times};
use buttonwood_num::{Decimal, Grid, Qty};
use serde_json::{Value, json};

/// The index has moved too far to renew one quote a turn, in ten-thousandths: all are replaced.
const JUMP: u64 = 25;
/// The position from which on the taker reduces it, in usual orders.
const POSITION: u128 = 100;

impl Traders {
    /// Fills the first book of a perpetual that is not filled and has an index. True if there was one.
    pub(super) async fn open_perpetual(&mut self) -> bool {
        for at in 0..self.desks.len() {
            if self.desks.get(at).is_some_and(|desk| !desk.opened)
                && let Some(index) = self.index(at)
            {
                self.replace(at, index).await;
                return true;
            }
        }
        false
    }

    /// The price from which the fair price of a symbol steps away. None if a perpetual has no index, and if its quotes were replaced.
    pub(super) async fn base(&mut self, at: usize) -> Option<u64> {
        let desk = self.desks.get(at)?;
        let fair = desk.fair;
        if matches!(desk.market.fair, Fair::Walk(_)) {
            return Some(fair);
        }
        let index = self.index(at)?;
        if u128::from(fair.abs_diff(index)) * 10_000 > u128::from(fair) * u128::from(JUMP) {
            self.replace(at, index).await;
            return None;
        }
        Some(index)
    }

    fn index(&self, at: usize) -> Option<u64> {
        match &self.desks.get(at)?.market.fair {
            Fair::Walk(_) => None,
            Fair::Index(index) => index(),
        }
    }

    /// Replaces all quotes of a perpetual by those of another index, and trades once.
    async fn replace(&mut self, at: usize, index: u64) {
        let Some(desk) = self.desks.get_mut(at) else { return };
        desk.fair = index;
        let quotes = std::mem::take(&mut desk.quotes);
        for (side, names) in (0..).zip(quotes) {
            for name in names {
                let Some(client) = self.pair(at).and_then(|pair| pair.quoters.first()) else { return };
                let is_left = !cancel(client, Some(&name)).await;
                let desk = self.desks.get_mut(at).filter(|_| is_left);
                if let Some(quotes) = desk.and_then(|desk| desk.quotes.get_mut::<usize>(side)) {
                    quotes.push_back(name);
                }
            }
        }
        self.fill(at).await;
        self.take(at).await;
    }

    /// The side by which the taker reduces its position in a perpetual, true if it buys; none while that is small.
    pub(super) async fn reduces(&self, at: usize) -> Option<bool> {
        let market = &self.desks.get(at)?.market;
        let Fair::Index(_) = market.fair else { return None };
        let reply = self.pair(at)?.taker.call("/v1/positions", json!({})).await.ok()?;
        let rows = reply.json().ok()?;
        let text = |row: &Value, name: &str| row.get(name).and_then(Value::as_str).map(str::to_owned);
        let is_own = |row: &&Value| {
            text(row, "symbol").is_some_and(|symbol| symbol.eq_ignore_ascii_case(&market.symbol))
        };
        let quantity = text(rows.as_array()?.iter().find(is_own)?, "quantity")?;
        is_large(&market.grid, market.qty_min, &quantity).then_some(quantity.starts_with('-'))
    }
}

/// Whether a position is so large that it is reduced.
fn is_large(grid: &Grid, qty_min: Qty, quantity: &str) -> bool {
    let size = Decimal::parse(quantity.trim_start_matches('-').as_bytes()).ok();
    let size = size.and_then(|size| grid.qty(size));
    size.is_some_and(|size| size >= times(qty_min, SIZE * POSITION))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_positions_are_reduced() {
        let decimal = |text: &str| Decimal::parse(text.as_bytes()).unwrap();
        let grid = Grid::new(decimal("0.5"), decimal("0.0001")).unwrap();
        let least = grid.qty(decimal("0.0001")).unwrap();
        for (quantity, expected) in
            [("0", false), ("9.9999", false), ("10", true), ("-9.9999", false), ("-10", true), ("x", false)]
        {
            assert_eq!(is_large(&grid, least, quantity), expected, "{quantity}");
        }
    }
}
