//! The preview of an order: what it would do if it were sent with nothing in between, decided by the core.
//!
//! The floor decides the order as it is ([`preview::expect`]), with the same refusals, and the desk of the order adds up what that leaves of
//! the account. Nothing is copied and nothing changes: no id is used and there is no event. A copy of the state, or of the part of it that
//! the order touches, would be as exact, but slots, balances and rows are named by their places, so an excerpt would have to be decided
//! again under other names; each desk's sum is a few lines, and the simulator compares it with the order itself.
//!
//! Not here: the fields of an order and the words of a refusal.

use crate::decide::{check_caller, check_placer};
use crate::{Body, Caller, Desks, Place, PlaceReject, Reject, State, TradingCommand, TradingReject};
use buttonwood_model::{AccountId, CancelReason, Time};
use buttonwood_num::{Money, Price, Qty};
use buttonwood_perp as perp;
use buttonwood_prediction as prediction;
use buttonwood_spot as spot;
use buttonwood_spot_margin as spot_margin;
use buttonwood_trading::place::Placer;
use buttonwood_trading::preview::{self, Expected};

/// The preview of an order, whether it would be taken or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Previewed {
    /// The largest quantity that the account's money allows on this side at this price, in whole lots. None for an order that names money
    /// to spend, and where a refusal has another cause than the amount.
    pub most: Option<Qty>,
    /// Its effect, or why it would be refused.
    pub outcome: Result<Preview, Reject>,
}

/// The effect of an order. Prices and costs are those of its own outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preview {
    /// How much would trade at once.
    pub executed: Qty,
    /// Price times quantity of that, without the fee.
    pub cost: Money,
    /// The price of the worst fill.
    pub worst: Option<Price>,
    /// How much would rest on the book, or wait for an auction or for its stop price.
    pub rests: Qty,
    /// The fee for what would trade.
    pub fee: Money,
    /// The reserve of its rest, of what the order pays with; none at a desk that reserves no money.
    pub hold: Option<Money>,
    /// The amount that orders could use then of what the order pays with; none beyond the range of money, and where it depends on the other party.
    pub available: Option<Money>,
    /// Why the order, or what is left of it, would be cancelled at once.
    pub reason: Option<CancelReason>,
    /// Of a perpetual.
    pub margin: Option<MarginAfter>,
    /// Of a buy of a contract: the dollars that its claims would pay if their outcome came, those of its rest included.
    pub payout: Option<Money>,
}

/// The position and the margin of an account after an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarginAfter {
    /// The quantity; negative if it is short.
    pub position: Money,
    /// Value of all positions ÷ assets.
    pub leverage: Money,
    /// The margin that positions and live orders need.
    pub margin: Money,
    /// The mark at which the account is liquidated, if there is one.
    pub liquidation_price: Option<Money>,
}

impl State {
    /// The effect of an order of a caller if it were sent now. Nothing changes.
    #[cold]
    #[inline(never)]
    pub fn preview(&self, caller: &Caller, order: &Place, now: Time) -> Previewed {
        let outcome = self.effect(caller, order, now);
        // The amount decides whether the account can pay, and bounds of the floor.
        let is_of_amount = match &outcome {
            Ok(_) => true,
            Err(Reject::Trading(TradingReject::Place(reject))) => matches!(
                reject,
                PlaceReject::InsufficientFunds { .. }
                    | PlaceReject::BeyondFunds
                    | PlaceReject::BelowMinimum
                    | PlaceReject::TooManyFills
            ),
            Err(_) => false,
        };
        let most = caller.account.filter(|_| is_of_amount);
        let most = most.and_then(|account| {
            let placer = Placer { account, session: caller.session };
            let may = |qty| check_placer(self, now, placer, &Place { qty, ..*order }).is_ok();
            preview::most(self.market(now), placer, order, may)
        });
        Previewed { most, outcome }
    }

    fn effect(&self, caller: &Caller, order: &Place, now: Time) -> Result<Preview, Reject> {
        check_caller(self, now, caller, &Body::from(TradingCommand::Place(*order)))?;
        let account = caller.account.ok_or(Reject::Unknown)?;
        let placer = Placer { account, session: caller.session };
        check_placer(self, now, placer, order)?;
        let home = self.access.account(account).map_or("", |account| account.jurisdiction.as_str());
        let expected = preview::expect(self.market(now), placer, home, order).map_err(Reject::place)?;
        self.outlook(&expected).ok_or(Reject::place(PlaceReject::BeyondFunds))
    }

    /// The figures of an order that was decided. None beyond the range of money.
    fn outlook(&self, expected: &Expected<'_>) -> Option<Preview> {
        let plain = Preview {
            executed: expected.executed(),
            cost: expected.notional()?,
            worst: expected.worst(),
            rests: expected.rests(),
            fee: expected.fee()?,
            hold: Some(expected.reserved()),
            available: None,
            reason: expected.reason,
            margin: None,
            payout: None,
        };
        self.desks.outlook(expected, plain, self.advanced_after(expected))
    }

    /// The part of an account's assets that will be no own money (D-181); none where it depends on what the order does to another account
    /// of its group.
    fn advanced_after(&self, expected: &Expected<'_>) -> Option<Money> {
        if self.desks.advances.is_empty() {
            return Some(Money::ZERO);
        }
        let members = self.desks.members(expected.terms.account);
        let owner = |slot| -> AccountId { self.orders().get(slot).account };
        let is_inside = expected.fills.iter().any(|(fill, _)| members.contains(&owner(fill.maker)));
        (!is_inside).then(|| self.desks.advanced(expected.terms.account))
    }
}

impl Desks {
    /// Completes a preview by the sums of the order's desk.
    fn outlook(&self, expected: &Expected<'_>, plain: Preview, advanced: Option<Money>) -> Option<Preview> {
        let ledger = &self.ledger;
        let desk = expected.terms.class.desk();
        if desk == perp::DESK {
            let latest = self.indices.latest();
            let terms = &expected.terms;
            let uncounted = self.uncounted((terms.floor, terms.time), terms.account);
            let not_carrying = advanced.unwrap_or(Money::ZERO).capped_add(uncounted);
            let after = perp::after(&self.perps, ledger, latest, expected, not_carrying)?;
            let price = after.figures.estimated_liquidation_price;
            let margin = MarginAfter {
                position: after.position,
                leverage: after.figures.sums.leverage(),
                margin: after.figures.initial_margin,
                liquidation_price: (price > Money::ZERO).then_some(price),
            };
            let available = advanced.map(|_| after.available);
            return Some(Preview { hold: None, available, margin: Some(margin), ..plain });
        }
        if desk == prediction::DESK {
            let symbol = expected.terms.symbol;
            let own = |price| prediction::own_price(symbol, expected.terms.class.claim(), price);
            return Some(Preview {
                cost: prediction::cost(expected)?,
                worst: plain.worst.and_then(own),
                available: prediction::available_after(ledger, expected),
                payout: prediction::payout(expected),
                ..plain
            });
        }
        let available = if desk == spot::DESK {
            spot::available_after(ledger, expected)
        } else {
            spot_margin::available_after(ledger, expected)
        };
        Some(Preview { available, ..plain })
    }
}
