//! The preview of an order: what it would do if it were sent with nothing in between, decided by the core.
//!
//! The floor decides the order as it is ([`dry_run`]), with the same refusals, and the desk of the order adds up what that leaves of
//! the account. Nothing is copied and nothing changes: no id is used and there is no event. A copy of the state, or of the part of it that
//! the order touches, would be as exact, but slots, balances and rows are named by their places, so an excerpt would have to be decided
//! again under other names; each desk's sum is a few lines, and the simulator compares it with the order itself.
//!
//! Not here: the fields of an order and the words of a refusal.

use crate::decide::{check_caller, check_placer};
use crate::{Body, Caller, Desks, Place, PlaceReject, Reject, State, TradingCommand, TradingReject};
use buttonwood_model::{AccountId, CancelReason, SessionId, Time};
use buttonwood_num::{Money, Price, Qty};
use buttonwood_perp as perp;
use buttonwood_prediction as prediction;
use buttonwood_spot as spot;
use buttonwood_spot_margin as spot_margin;
use buttonwood_trading::place::Placer;
use buttonwood_trading::preview::{DryRun, Expected, dry_run};

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
    /// Of an order that may borrow: the figures of its account now and after it (MARG-008); none beyond the range of money.
    pub on_margin: Option<[spot_margin::Figures; 2]>,
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

impl Previewed {
    /// An order whose refusal has another cause than its amount.
    const fn refused(reject: Reject) -> Self {
        Self { most: None, outcome: Err(reject) }
    }
}

impl State {
    /// The effect of an order of a caller if it were sent now. Nothing changes.
    #[cold]
    #[inline(never)]
    pub fn preview(&self, caller: &Caller, order: &Place, now: Time) -> Previewed {
        if let Err(reject) = check_caller(self, now, caller, &Body::from(TradingCommand::Place(*order))) {
            return Previewed::refused(reject);
        }
        let Some(account) = caller.account else { return Previewed::refused(Reject::Unknown) };
        let placer = Placer { account, session: caller.session };
        let checked = check_placer(self, now, placer, order);
        if let Err(reject) = checked
            && !is_of_amount(&reject)
        {
            return Previewed::refused(reject);
        }
        let run = self.dry_run(placer, order, now);
        let outcome = checked.and_then(|()| self.effect_of(&run).map_err(Reject::place));
        if let Err(reject) = outcome
            && !is_of_amount(&reject)
        {
            return Previewed::refused(reject);
        }
        let may = |qty| check_placer(self, now, placer, &Place { qty, ..*order }).is_ok();
        Previewed { most: run.most(may), outcome }
    }

    /// The effect of an order of an account if it were sent now by a key that may send it. Nothing changes. Not checked: the caller's
    /// rights, a halt of the exchange, and whether the account may place orders.
    ///
    /// # Errors
    /// Why the floor would refuse it; also [`PlaceReject::BeyondFunds`] for an effect beyond the range of money.
    #[cold]
    #[inline(never)]
    pub fn effect(
        &self,
        account: AccountId,
        session: SessionId,
        order: &Place,
        now: Time,
    ) -> Result<Preview, PlaceReject> {
        self.effect_of(&self.dry_run(Placer { account, session }, order, now))
    }

    fn dry_run<'a>(&'a self, placer: Placer, order: &'a Place, now: Time) -> DryRun<'a, Desks> {
        let home = self.access.account(placer.account).map_or("", |account| account.jurisdiction.as_str());
        dry_run(self.market(now), placer, home, order)
    }

    fn effect_of(&self, run: &DryRun<'_, Desks>) -> Result<Preview, PlaceReject> {
        let expected = run.outcome.as_ref().map_err(|reject| *reject)?;
        self.outlook(expected).ok_or(PlaceReject::BeyondFunds)
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
            on_margin: None,
            payout: None,
        };
        self.desks.outlook(expected, &plain, self.advanced_after(expected))
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
    fn outlook(&self, expected: &Expected<'_>, plain: &Preview, advanced: Option<Money>) -> Option<Preview> {
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
            return Some(Preview { hold: None, available, margin: Some(margin), ..*plain });
        }
        if desk == prediction::DESK {
            let symbol = expected.terms.symbol;
            let own = |price| prediction::own_price(symbol, expected.terms.class.claim(), price);
            return Some(Preview {
                cost: prediction::cost(expected)?,
                worst: plain.worst.and_then(own),
                available: prediction::available_after(ledger, expected),
                payout: prediction::payout(expected),
                ..*plain
            });
        }
        if desk == spot::DESK {
            return Some(Preview { available: spot::available_after(ledger, expected), ..*plain });
        }
        let (margin, latest) = (&self.spot_margin, self.indices.latest());
        let figures = || spot_margin::now_and_after(margin, ledger, latest, expected);
        Some(Preview {
            available: spot_margin::available_after(ledger, expected),
            on_margin: (desk == spot_margin::DESK).then(figures).flatten(),
            ..*plain
        })
    }
}

/// Whether the amount of the order decides on the refusal: whether the account can pay for it, and bounds of the floor.
fn is_of_amount(reject: &Reject) -> bool {
    let Reject::Trading(TradingReject::Place(reject)) = reject else { return false };
    matches!(
        reject,
        PlaceReject::InsufficientFunds { .. }
            | PlaceReject::BeyondFunds
            | PlaceReject::BelowMinimum
            | PlaceReject::TooManyFills
    )
}
