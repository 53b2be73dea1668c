//! The payments of a network's payer: withdrawals, moves to and from custody, and sweeps between the house's own addresses.
//!
//! The signed bytes of withdrawals and of moves are durable before they are sent. Those of a sweep are not kept: it moves the house's
//! own money from one of its addresses to another, so one that is lost is made again, and two move no more than there is.

use crate::desk::{Desk, code};
use crate::keys::Keyring;
use crate::translate;
use crate::wallet::Holdings;
use buttonwood_custody::{Outcome, Payer, Payment, Step};
use buttonwood_engine::funds::Payment as Kept;
use buttonwood_engine::funds::custody::{Command as CustodyCommand, Settlement};
use buttonwood_engine::funds::reserves::Command as ReservesCommand;
use buttonwood_engine::funds::withdrawal::{Command as WithdrawalCommand, Remedy};
use buttonwood_engine::{AccountKind, Eid, FundsCommand, State, Transfer, TransferWay as Way};
use buttonwood_model::AccountId;
use buttonwood_num::Money;
use std::sync::Arc;

/// Marks the number of a move in the payer.
const MOVE: u64 = 1 << 62;

/// Marks the number of a sweep in the payer.
const SWEEP: u64 = 1 << 63;

/// The bits of a number that are a row's.
const ROW: u64 = (1 << 40) - 1;

/// Whose a payment of the payer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The withdrawal of this row.
    Withdrawal(Eid),
    /// The move to or from custody of this row, at its source.
    Move(Eid),
    /// The house: a sweep.
    Sweep,
}

impl Owner {
    /// By the payment's number in the payer.
    pub(crate) fn of(payment: u64) -> Self {
        match (payment & SWEEP != 0, payment & MOVE != 0) {
            (true, _) => Self::Sweep,
            (false, true) => Self::Move(Eid(payment & ROW)),
            (false, false) => Self::Withdrawal(Eid(payment & ROW)),
        }
    }
}

/// Whether a payment may be given to the payer: what is signed already goes on whatever is halted.
pub(crate) fn may_go(state: &State, eid: Eid) -> bool {
    let funds = state.funds();
    // One that is paid again goes on too: an operator has decided it.
    let withdrawn = funds.withdrawals().payment(eid).is_some_and(Kept::was_signed);
    let moved = funds.custody_sending(eid).is_some_and(|sending| !sending.attempts.is_empty());
    withdrawn || moved || funds.may_send(eid)
}

/// Gives a withdrawal to the payer, with what was signed for it, and what an operator has done about it since. One that is known already
/// changes nothing else.
pub(crate) fn withdraw(
    state: &State,
    transfer: &Transfer,
    keys: &Keyring,
    held: &Holdings,
    payer: &mut Payer,
) {
    let code = code(state, transfer.row.currency).unwrap_or_default();
    let from = held.sources(keys, code, is_custody(state, transfer.row.account));
    let Some(payment) = translate::payment(transfer, from, code) else { return };
    let Some(kept) = state.funds().withdrawals().payment(transfer.eid) else {
        return payer.accept(payment);
    };
    let mut replaces = Vec::new();
    for (count, attempts) in (0..).zip(&kept.replaced) {
        let id = number(transfer.eid, count);
        payer.restore_given_up(Payment { id, ..payment.clone() }, attempts.iter().map(translate::attempt));
        payer.give_up(id);
        replaces.push(id);
    }
    let id = number(transfer.eid, u64::try_from(replaces.len()).unwrap_or(u64::MAX));
    let is_new = payer.payment(id).is_none();
    if kept.is_called_off() {
        payer.restore_given_up(Payment { id, ..payment }, translate::attempts(kept));
        payer.give_up(id);
        return;
    }
    payer.restore(Payment { id, ..payment }, translate::attempts(kept), translate::settled(kept));
    payer.replace(id, replaces);
    if is_new && kept.lost {
        payer.set_stuck(id);
    }
    if kept.remedy == Some(Remedy::Void) {
        payer.void(id);
    }
}

/// The payer's number of a withdrawal that was paid again `count` times. Each time has its own number, so that it is built
/// anew.
fn number(eid: Eid, count: u64) -> u64 {
    (count << 40) | eid.0
}

/// The number in the payer of a withdrawal's newest payment.
pub(crate) fn newest_number(state: &State, eid: Eid) -> u64 {
    let kept = state.funds().withdrawals().payment(eid);
    let count = kept.map_or(0, |kept| u64::try_from(kept.replaced.len()).unwrap_or(u64::MAX));
    number(eid, count)
}

/// Gives a move to or from custody to the payer, with what was signed for it. One that is known already changes nothing. After a
/// failure it has another number, so that it is built anew.
pub(crate) fn move_custody(state: &State, eid: Eid, keys: &Keyring, held: &Holdings, payer: &mut Payer) {
    let Some(row) = state.funds().transfer(eid).map(|transfer| &transfer.row) else { return };
    let (Way::Internal { other, .. }, Some(code)) = (&row.way, code(state, row.currency)) else { return };
    let wallet = |account| if is_custody(state, account) { &keys.custody } else { &keys.hot };
    let from = if is_custody(state, row.account) {
        vec![keys.custody.clone()]
    } else {
        held.sources(keys, code, false)
    };
    let sending = state.funds().custody_sending(eid);
    let failures = sending.map_or(0, |sending| u64::from(sending.failures));
    let payment = Payment {
        id: MOVE | (failures << 40) | eid.0,
        from,
        address: wallet(*other).clone(),
        memo: None,
        currency: code.to_owned(),
        amount: row.amount,
    };
    let attempts = sending.map(|sending| sending.attempts.as_slice()).unwrap_or_default();
    payer.restore(payment, attempts.iter().map(translate::attempt), None);
}

/// The number in the payer of the sweep with this count.
pub(crate) fn sweep_number(count: u64) -> u64 {
    SWEEP | count
}

fn is_custody(state: &State, account: AccountId) -> bool {
    state.access().account(account).is_some_and(|account| account.kind == AccountKind::Custody)
}

/// The row that a move is being sent for has no other end that the payer reports.
pub(crate) fn command(network: &str, step: &Step) -> Option<FundsCommand> {
    Some(match step {
        Step::Signed { payment, attempt } => {
            let attempt = Arc::new(translate::kept_attempt(attempt));
            match Owner::of(*payment) {
                Owner::Withdrawal(eid) => WithdrawalCommand::Signed(eid, attempt).into(),
                Owner::Move(eid) => CustodyCommand::SignCustodyMove(eid, attempt).into(),
                Owner::Sweep => return None,
            }
        }
        Step::Settled { payment, settled } => {
            let (tx, cost) = (settled.tx.as_str().to_owned(), settled.cost);
            match Owner::of(*payment) {
                Owner::Withdrawal(eid) => {
                    WithdrawalCommand::Settle(eid, Arc::new(translate::settlement(settled))).into()
                }
                Owner::Move(eid) => {
                    let settlement = Arc::new(Settlement { eid, tx, cost });
                    FundsCommand::from(match settled.outcome {
                        Outcome::Completed => CustodyCommand::SettleCustodyMove(settlement),
                        Outcome::Failed | Outcome::Voided => CustodyCommand::RepeatCustodyMove(settlement),
                    })
                }
                Owner::Sweep if cost > Money::ZERO => {
                    ReservesCommand::NoteCost(network.to_owned(), cost).into()
                }
                Owner::Sweep => return None,
            }
        }
        Step::Sent { payment, tx } => match Owner::of(*payment) {
            Owner::Withdrawal(eid) => WithdrawalCommand::Sent(eid, tx.as_str().to_owned()).into(),
            Owner::Move(_) | Owner::Sweep => return None,
        },
        Step::Unsettled { payment, tx, .. } => match Owner::of(*payment) {
            Owner::Withdrawal(eid) => WithdrawalCommand::Unsettle(eid, tx.as_str().to_owned()).into(),
            Owner::Move(_) | Owner::Sweep => return None,
        },
        Step::Stuck { payment, tx, .. } => match Owner::of(*payment) {
            Owner::Withdrawal(eid) => WithdrawalCommand::Lose(eid).into(),
            // The house moves its own money, so nobody need decide whether it is moved again.
            Owner::Move(eid) => {
                let tx = tx.as_ref()?.as_str().to_owned();
                let settlement = Settlement { eid, tx, cost: Money::ZERO };
                CustodyCommand::RepeatCustodyMove(Arc::new(settlement)).into()
            }
            Owner::Sweep => return None,
        },
        Step::Revived { payment } => match Owner::of(*payment) {
            Owner::Withdrawal(eid) => WithdrawalCommand::Revive(eid).into(),
            Owner::Move(_) | Owner::Sweep => return None,
        },
        Step::Short { .. } | Step::Blocked { .. } => return None,
    })
}

/// The moves to and from custody that are being sent on a network.
pub(crate) fn moves_on(state: &State, network: &str) -> Vec<Eid> {
    let funds = state.funds();
    let is_here = |eid: &Eid| {
        let row = funds.transfer(*eid).map(|transfer| &transfer.row);
        row.and_then(|row| funds.networks().base(row.currency)).is_some_and(|asset| asset.network == network)
    };
    funds.custody_moves_sent().filter(is_here).collect()
}

/// The payments that cannot be made now because their wallets hold too little.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shortage {
    /// The payment, by its number in the payer.
    pub(crate) payment: u64,
    /// The code of the currency.
    pub(crate) code: String,
    /// The address that pays.
    pub(crate) address: String,
    /// The amount that was not brought there yet.
    pub(crate) missing: Money,
    /// It was reported.
    pub(crate) is_reported: bool,
}

impl Shortage {
    /// Reports it, once.
    pub(crate) fn alarm(&mut self, network: &str) {
        if !std::mem::replace(&mut self.is_reported, true) {
            let (payment, currency) = (Owner::of(self.payment), &self.code);
            tracing::error!(network, ?payment, %currency, missing = ?self.missing, "a wallet cannot pay: the payment waits");
        }
    }
}

/// The amount that the issuer has issued to a customer, and not brought to a chain, and that could still leave there.
pub(crate) fn issuable(desk: &Desk, code: &str) -> Money {
    desk.ask(|state| {
        let Some(currency) = crate::desk::currency(state, code) else { return Money::ZERO };
        let issuer = state.ledger().house("issuer");
        let given = issuer.map(|issuer| -state.ledger().balance(issuer, currency).total());
        let wrapped = state.funds().withdrawals().payments_from(Eid(0)).filter_map(|(eid, _)| {
            let row = &state.funds().transfer(eid)?.row;
            let is_open = row.status.is_open() && row.currency == currency;
            (is_open && row.chain()?.wraps.is_some()).then_some(row.amount)
        });
        given.unwrap_or_default().max(Money::ZERO).capped_add(wrapped.sum())
    })
}
