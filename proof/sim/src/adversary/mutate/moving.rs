//! Indices that move with the books: one group, whose acts every price of the house must withstand, is alone with the honest quotes.
//!
//! All balances are valued at the prices of the start, which nothing moves. Two groups together could paint a reference (D-179 counts
//! the orders of other groups), and by design marks, liquidations and what a margin account sells go by the index, whoever made it (D-262);
//! so perpetuals and sales of a borrower are left out.

use super::{Act, Amount, Maker};
use crate::adversary::world::{BORROWER, MARKETS, ONE};
use buttonwood_model::{Product, Side};

/// The coins that the honest quotes offer: the market, the quantity and the price, in hundredths of coins and dollars.
const ASKED: [(usize, i128, i128); 2] = [(1, 1_000, 202_000), (2, 100_000, 1_010)];

/// How much dearer than the index a painted price is.
const DEARER: [i128; 5] = [1, 2, 3, 10, 100];

/// Whether the law holds for an act while indices move.
pub(super) fn is_judged(act: &Act) -> bool {
    let is_swap = |market: usize| MARKETS.get(market).is_none_or(|it| it.product == Product::Swap);
    if let Act::Place { who, market, side, .. }
    | Act::Market { who, market, side, .. }
    | Act::Quote { who, market, side, .. } = *act
    {
        !is_swap(market) && (who != BORROWER || side == Side::Buy)
    } else if let Act::Auction { market } | Act::Break { market } | Act::Promote { market } = *act {
        !is_swap(market)
    } else {
        true
    }
}

impl Maker<'_> {
    /// One buys what the honest quotes ask, trades a crumb at a dear price, and lets its group borrow for coins at that price.
    pub(super) fn borrow_by_painted_index(&mut self) -> Vec<Act> {
        let (market, qty, price) = self.dice.pick(&ASKED);
        let hundredth = ONE / 100;
        let painted = Self::index(market) * self.dice.pick(&DEARER);
        let (one, other) = (0, self.dice.pick(&[1, BORROWER]));
        let amount = self.amount(market);
        let crumb = Self::crumb(market);
        let mut acts = vec![
            Self::order(one, market, Side::Buy, Amount::Exact(qty * hundredth), price * hundredth),
            Self::order(one, market, Side::Sell, crumb, painted),
            Self::order(other, market, Side::Buy, crumb, painted),
            Self::order(one, market, Side::Sell, amount, painted),
            Act::Wait { seconds: 1 + self.dice.below(3) },
        ];
        acts.push(Act::Place {
            who: BORROWER,
            market,
            side: Side::Buy,
            amount,
            price: painted,
            option: None,
            margin: true,
            stop: None,
        });
        acts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(text: &str) -> Vec<bool> {
        let program: crate::adversary::Program = text.parse().expect("acts");
        program.acts.iter().map(is_judged).collect()
    }

    /// Perpetuals and sales of a borrower are left out.
    #[test]
    fn one_group_is_judged_on_the_book() {
        let left_out = "market a.perp btcgusdperp buy 1\n\
                        place a.margin ethusd sell 1 at 2000\n\
                        quote a.margin ethusd sell 1\n\
                        promote btcgusdperp\n";
        assert_eq!(program(left_out), [false; 4]);
        let judged = "place a.rich btcusd sell 1 at 50000\n\
                      place a.margin ethusd buy 1 at 2000 margin\n\
                      deal a.rich a.margin ethusd sell 1 at 2000\n\
                      wait 60\n\
                      cancel a.rich\n";
        assert_eq!(program(judged), [true; 5]);
    }
}
