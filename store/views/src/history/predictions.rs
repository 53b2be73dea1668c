//! The rows of the file of prediction markets, in memory and as bytes: closed orders of contracts, positions that ended with a payout or a
//! refund, and sales of claims. They have no links: the history's database answers queries.
//!
//! The first number of a row is its kind. Prices, sides and notionals are those of the order's own outcome, not of the book.

use super::codec::{self, Damage, Position};
use super::index::Index;
use super::kinds::Stored;
use super::packed::{Body, Packed, coded, row};
use buttonwood_model::{
    AccountId, CancelReason, Claim, ClientId, ExecutionOption, OrderId, OrderKind, Side, SymbolId, Time,
    TradeId,
};
use buttonwood_num::{Money, Price, Qty};

/// A row of the file of prediction markets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredictionRow {
    /// An order of a contract was closed.
    Order(ClosedContractOrder),
    /// A position in a contract ended.
    Settled(SettledPosition),
    /// Claims on an outcome were sold.
    Sold(SoldClaims),
}

row! {
    /// A sale of claims on an outcome of a contract, in one trade.
    pub struct SoldClaims {
        /// The account that sold.
        pub account: AccountId,
        /// The contract.
        pub contract: SymbolId,
        /// The outcome.
        pub claim: Claim,
        /// The order that sold.
        pub order: OrderId,
        /// The trade.
        pub trade: TradeId,
        /// How many claims.
        pub quantity: Money,
        /// Their proceeds in dollars, without the fee.
        pub proceeds: Money,
        /// Their part of the position's cost, without fees.
        pub cost: Money,
        /// When they were sold.
        pub time: Time,
    }
}

row! {
    /// A closed order of a contract as it ended.
    pub struct ClosedContractOrder {
        /// The account that owned it.
        pub account: AccountId,
        /// The contract.
        pub contract: SymbolId,
        /// Its id.
        pub order: OrderId,
        /// The outcome that it was about.
        pub claim: Claim,
        /// Whether it bought or sold claims on the outcome.
        pub side: Side,
        /// Limit or stop-limit.
        pub kind: OrderKind,
        /// Its execution option.
        pub option: Option<ExecutionOption>,
        /// Its limit for the outcome.
        pub price: Price,
        /// Its original quantity.
        pub original: Qty,
        /// The quantity that did not trade.
        pub remaining: Qty,
        /// The sum of its fills in dollars, at the prices of the outcome, without fees.
        pub notional: Money,
        /// Its stop price for the outcome; none but for a stop-limit order.
        pub stop: Option<Price>,
        /// When it entered.
        pub placed: Time,
        /// When it closed.
        pub closed: Time,
        /// Why it was cancelled; none for a filled order.
        pub reason: Option<CancelReason>,
        /// Its client id.
        pub client_id: Option<ClientId>,
    }
}

row! {
    /// A position in a contract that was paid or lost, or refunded when the contract became void.
    pub struct SettledPosition {
        /// The account.
        pub account: AccountId,
        /// The contract.
        pub contract: SymbolId,
        /// The outcome that the account held.
        pub claim: Claim,
        /// How many claims.
        pub quantity: Money,
        /// The sum that was paid for them, in dollars; zero for a lost position.
        pub payout: Money,
        /// Their cost, without fees.
        pub cost: Money,
        /// The result that the account had realised with the contract by then, without fees.
        pub realised: Money,
        /// How the contract ended.
        pub result: Settlement,
        /// When it was paid.
        pub time: Time,
    }
}

/// How a contract ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// With this outcome.
    Outcome(Claim),
    /// It became void, with this value of a claim on yes in dollars; none where claims were refunded by cost.
    Void(Option<Money>),
}

impl ClosedContractOrder {
    /// The quantity that traded.
    pub fn executed(&self) -> Qty {
        self.original - self.remaining
    }

    /// Whether it traded whole.
    pub fn is_filled(&self) -> bool {
        self.reason.is_none()
    }
}

impl Packed for Settlement {
    const COUNT: usize = 3;

    fn put(&self, next: &mut impl FnMut(u64)) {
        let (result, value) = match *self {
            Self::Outcome(claim) => (claim_code(claim), Money::ZERO),
            Self::Void(None) => (2, Money::ZERO),
            Self::Void(Some(value)) => (3, value),
        };
        next(result);
        value.put(next);
    }

    fn take(body: &mut Body<'_>) -> Result<Self, Damage> {
        match (body.number()?, Money::take(body)?) {
            (result @ (0 | 1), Money::ZERO) => claim(result).map(Self::Outcome),
            (2, Money::ZERO) => Ok(Self::Void(None)),
            (3, value) => Ok(Self::Void(Some(value))),
            _ => Err(Damage),
        }
    }
}

coded! {
    Claim, claim_code, claim;
}

/// The kind of a closed order.
const ORDER: u64 = 0;
/// The kind of a position that ended.
const SETTLED: u64 = 1;
/// The kind of a sale.
const SOLD: u64 = 2;

impl Stored for PredictionRow {
    fn put(&self, _at: Position, _index: &mut Index, out: &mut Vec<u8>) {
        self.encode(out);
    }

    fn take(_at: Position, body: &[u8]) -> Result<Self, Damage> {
        Self::decode(body)
    }
}

impl PredictionRow {
    /// Its bytes as in the file, for a database.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.encode(&mut out);
        out
    }

    /// The row of these bytes; none if they are no row.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Self::decode(bytes).ok()
    }

    /// Appends the body of the row.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Order(order) => {
                codec::pack(out, &[ORDER]);
                order.encode(out);
            }
            Self::Settled(settled) => {
                codec::pack(out, &[SETTLED]);
                settled.encode(out);
            }
            Self::Sold(sold) => {
                codec::pack(out, &[SOLD]);
                sold.encode(out);
            }
        }
    }

    /// Reads the body of a row.
    pub(super) fn decode(body: &[u8]) -> Result<Self, Damage> {
        match codec::unpack(body)? {
            ([ORDER], rest) => ClosedContractOrder::decode(rest).map(Self::Order),
            ([SETTLED], rest) => SettledPosition::decode(rest).map(Self::Settled),
            ([SOLD], rest) => SoldClaims::decode(rest).map(Self::Sold),
            _ => Err(Damage),
        }
    }
}

/// The code of an outcome.
pub(super) fn claim_code(claim: Claim) -> u64 {
    match claim {
        Claim::Yes => 0,
        Claim::No => 1,
    }
}

/// The outcome of a code.
pub(super) fn claim(code: u64) -> Result<Claim, Damage> {
    match code {
        0 => Ok(Claim::Yes),
        1 => Ok(Claim::No),
        _ => Err(Damage),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::row::{option, reason, side};
    use proptest::prelude::*;

    fn comes_back(row: PredictionRow) -> Result<(), TestCaseError> {
        let mut out = Vec::new();
        row.encode(&mut out);
        prop_assert_eq!(PredictionRow::decode(&out), Ok(row));
        out.truncate(4);
        prop_assert_eq!(PredictionRow::decode(&out), Err(Damage));
        Ok(())
    }

    proptest! {
        #[test]
        fn orders_come_back(
            [account, contract] in any::<[u32; 2]>(),
            [order, placed, closed, price] in any::<[u64; 4]>(),
            [original, remaining] in any::<[u128; 2]>(),
            notional in any::<i128>(),
            stop in prop::option::of(1_u64..),
            codes in (0_u64..2, 0_u64..2, 0_u64..5, 0_u64..12),
            client in prop::option::of("[a-z]{1,30}"),
        ) {
            let (claim_of, side_of, option_of, reason_of) = codes;
            let row = ClosedContractOrder {
                account: AccountId(account),
                contract: SymbolId(contract),
                order: OrderId(order),
                claim: claim(claim_of).unwrap(),
                side: side(side_of).unwrap(),
                kind: if stop.is_some() { OrderKind::StopLimit } else { OrderKind::Limit },
                option: (option_of > 0).then(|| option(option_of).unwrap()),
                price: Price::from_ticks(price),
                original: Qty::from_hundredths(original),
                remaining: Qty::from_hundredths(remaining),
                notional: Money::from_units(notional),
                stop: stop.map(Price::from_ticks),
                placed: Time(placed),
                closed: Time(closed),
                reason: (reason_of > 0).then(|| reason(reason_of).unwrap()),
                client_id: client.map(|client| ClientId::copied(client.as_bytes())),
            };
            comes_back(PredictionRow::Order(row))?;
        }

        #[test]
        fn settled_positions_come_back(
            [account, contract] in any::<[u32; 2]>(),
            amounts in any::<[i128; 5]>(),
            (claim_of, result, time) in (0_u64..2, 0_usize..4, any::<u64>()),
        ) {
            let [quantity, payout, cost, realised, value] = amounts.map(Money::from_units);
            let results = [
                Settlement::Outcome(Claim::Yes),
                Settlement::Outcome(Claim::No),
                Settlement::Void(None),
                Settlement::Void(Some(value)),
            ];
            let row = PredictionRow::Settled(SettledPosition {
                account: AccountId(account),
                contract: SymbolId(contract),
                claim: claim(claim_of).unwrap(),
                quantity,
                payout,
                cost,
                realised,
                result: results[result],
                time: Time(time),
            });
            comes_back(row)?;
            let mut out = Vec::new();
            row.encode(&mut out);
            out.push(0);
            prop_assert_eq!(PredictionRow::decode(&out), Err(Damage));
        }
    }

    proptest! {
        #[test]
        fn sales_come_back(
            [account, contract] in any::<[u32; 2]>(),
            [order, trade, time] in any::<[u64; 3]>(),
            amounts in any::<[i128; 3]>(),
            claim_of in 0_u64..2,
        ) {
            let [quantity, proceeds, cost] = amounts.map(Money::from_units);
            comes_back(PredictionRow::Sold(SoldClaims {
                account: AccountId(account),
                contract: SymbolId(contract),
                claim: claim(claim_of).unwrap(),
                order: OrderId(order),
                trade: TradeId(trade),
                quantity,
                proceeds,
                cost,
                time: Time(time),
            }))?;
        }
    }

    #[test]
    fn numbers_that_are_no_row_are_refused() {
        for (kind, [claim, result, value]) in
            [(3, [0; 3]), (1, [2, 0, 0]), (1, [0, 1, 1]), (1, [0, 2, 1]), (1, [0, 4, 0])]
        {
            let mut numbers = [0; 15];
            [numbers[2], numbers[11], numbers[12]] = [claim, result, value];
            let mut out = Vec::new();
            codec::pack(&mut out, &[kind]);
            codec::pack(&mut out, &numbers);
            assert_eq!(PredictionRow::decode(&out), Err(Damage), "{kind} {claim} {result} {value}");
        }
    }
}
