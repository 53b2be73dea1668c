//! Why money moves, for the statement of an account (D-171).
//!
//! Every entry names its reason where it is posted. A ledger that records (the replica of the views does, the writer's does not) keeps what
//! each entry changed until it is taken. So no row of the statement can be forgotten: a movement without a reason does not compile.
//!
//! Not here: trades of the book. They settle without [`Ledger::post`](crate::Ledger::post), and the history has a row of each already.

use crate::Posting;
use alloc::vec::Vec;
use buttonwood_model::{AccountId, AssetId, Code, OrderId, SymbolId, TradeId};
use buttonwood_num::Money;

/// The cause of a change of a balance, as the statement names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// Both sides of a trade of the book, without its fee.
    Trade,
    /// The fee of a trade, a conversion or a withdrawal.
    Fee,
    /// Money came in, or a deposit went back to its bank.
    Deposit,
    /// Money left, or came back.
    Withdrawal,
    /// A move between two accounts.
    Transfer,
    /// A wrap, or an instant order, without its fee.
    Conversion,
    /// A loan was drawn, or paid back.
    Loan,
    /// The interest of a loan.
    Interest,
    /// The funding of a perpetual.
    Funding,
    /// A profit or a loss of a position, realised.
    Realised,
    /// A liquidation: its fee, and what the insurance fund took or gave.
    Liquidation,
    /// The fee for assets in custody.
    CustodyFee,
    /// An account's debt for a returned deposit, or for a payment made twice, was repaid.
    Repayment,
    /// An operator, the sandbox or an opening balance gave or took an amount.
    Adjustment,
    /// A trade was broken.
    Break,
    /// Both sides of a trade apart from the book, without its fee.
    Clearing,
    /// An amount was staked.
    Stake,
    /// A redemption of a stake was paid.
    Redemption,
    /// The interest of a stake. The part that joins the stake is staked again in the same moment.
    StakingInterest,
    /// A claim on yes and one on no of the same contract became a dollar.
    Netting,
    /// A contract of the prediction markets was paid.
    Payout,
    /// A void contract of the prediction markets was paid back.
    Refund,
    /// A reward of the prediction markets.
    Reward,
}

impl Cause {
    /// Every cause, in the order of their numbers.
    pub const ALL: [Self; 23] = [
        Self::Trade,
        Self::Fee,
        Self::Deposit,
        Self::Withdrawal,
        Self::Transfer,
        Self::Conversion,
        Self::Loan,
        Self::Interest,
        Self::Funding,
        Self::Realised,
        Self::Liquidation,
        Self::CustodyFee,
        Self::Repayment,
        Self::Adjustment,
        Self::Break,
        Self::Clearing,
        Self::Stake,
        Self::Redemption,
        Self::StakingInterest,
        Self::Netting,
        Self::Payout,
        Self::Refund,
        Self::Reward,
    ];

    /// Its name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Trade => "trade",
            Self::Fee => "fee",
            Self::Deposit => "deposit",
            Self::Withdrawal => "withdrawal",
            Self::Transfer => "transfer",
            Self::Conversion => "conversion",
            Self::Loan => "loan",
            Self::Interest => "interest",
            Self::Funding => "funding",
            Self::Realised => "realised",
            Self::Liquidation => "liquidation",
            Self::CustodyFee => "custody_fee",
            Self::Repayment => "repayment",
            Self::Adjustment => "adjustment",
            Self::Break => "break",
            Self::Clearing => "clearing",
            Self::Stake => "stake",
            Self::Redemption => "redemption",
            Self::StakingInterest => "staking_interest",
            Self::Netting => "netting",
            Self::Payout => "payout",
            Self::Refund => "refund",
            Self::Reward => "reward",
        }
    }
}

/// The record that a change of a balance refers to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum About {
    /// Nothing that has an id.
    #[default]
    Nothing,
    /// An order of the account.
    Order(OrderId),
    /// An order of the account, and a trade of it.
    Trade(OrderId, TradeId),
    /// A transfer, by its `eid`.
    Transfer(u64),
    /// A clearing order, and its trade.
    Clearing(Code, TradeId),
    /// A transaction of staking.
    Staking(Code),
    /// A contract of the prediction markets.
    Contract(SymbolId),
}

/// Why an entry is posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The cause of the changes.
    pub cause: Cause,
    /// The record that it refers to.
    pub about: About,
}

impl Cause {
    /// A reason with something that it refers to.
    pub const fn about(self, about: About) -> Reason {
        Reason { cause: self, about }
    }
}

impl From<Cause> for Reason {
    fn from(cause: Cause) -> Self {
        cause.about(About::Nothing)
    }
}

/// The part of an entry that is a fee: who pays it, and in what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeePart {
    /// The account that pays it.
    pub account: AccountId,
    /// The asset.
    pub asset: AssetId,
    /// How much.
    pub amount: Money,
}

/// The change of one balance by an entry, available and held together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The account.
    pub account: AccountId,
    /// The asset.
    pub asset: AssetId,
    /// The amount that was added; negative if it was taken, never zero.
    pub amount: Money,
    /// Why.
    pub reason: Reason,
}

/// The changes of entries, if the ledger records. A copy does not: the state of the writer is one of the state that the views keep.
#[derive(Debug, Default)]
pub(crate) struct Recorder(Option<Vec<Moved>>);

impl Clone for Recorder {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Recorder {
    /// Begins, if it has not.
    pub(crate) fn begin(&mut self) {
        self.0.get_or_insert_default();
    }

    /// The list, if it records.
    pub(crate) fn list(&mut self) -> Option<&mut Vec<Moved>> {
        self.0.as_mut()
    }
}

/// Adds what an entry changes to a list: a line for each balance whose sum changes.
pub(crate) fn note(moves: &mut Vec<Moved>, reason: Reason, entry: &[Posting]) {
    let start = moves.len();
    add_up(moves, reason, entry);
    drop_zeros(moves, start);
}

/// The same, with a line of its own for each fee; there is at most one of an account and asset.
pub(crate) fn note_with_fees(moves: &mut Vec<Moved>, reason: Reason, entry: &[Posting], fees: &[FeePart]) {
    let start = moves.len();
    add_up(moves, reason, entry);
    let reason = Cause::Fee.about(reason.about);
    for FeePart { account, asset, amount } in fees.iter().copied() {
        let mut own = moves.iter_mut().skip(start);
        match own.find(|moved| (moved.account, moved.asset) == (account, asset)) {
            Some(own) => own.amount += amount,
            None => moves.push(Moved { account, asset, amount, reason }),
        }
        moves.push(Moved { account, asset, amount: -amount, reason });
    }
    drop_zeros(moves, start);
}

/// The same, where each party has another reference.
pub(crate) fn note_between(
    moves: &mut Vec<Moved>,
    cause: Cause,
    entry: &[Posting],
    parties: [(AccountId, About); 2],
) {
    let start = moves.len();
    add_up(moves, cause.into(), entry);
    for moved in moves.iter_mut().skip(start) {
        let party = parties.iter().find(|(account, _)| *account == moved.account);
        moved.reason.about = party.map_or(About::Nothing, |(_, about)| *about);
    }
    drop_zeros(moves, start);
}

fn add_up(moves: &mut Vec<Moved>, reason: Reason, entry: &[Posting]) {
    let start = moves.len();
    for Posting { account, asset, amount, .. } in entry.iter().copied() {
        let own = moves.iter_mut().skip(start).find(|moved| (moved.account, moved.asset) == (account, asset));
        match own {
            Some(own) => own.amount += amount,
            None => moves.push(Moved { account, asset, amount, reason }),
        }
    }
}

/// An amount that only moved between available and held is no change.
fn drop_zeros(moves: &mut Vec<Moved>, start: usize) {
    let mut at = 0;
    moves.retain(|moved| {
        at += 1;
        at <= start || moved.amount != Money::ZERO
    });
}
