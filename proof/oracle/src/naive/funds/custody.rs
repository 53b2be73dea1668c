//! Custody: the daily run at 20:00 UTC, what the chain confirms of it, and the monthly fee (facts F§9, D-76, D-77).

use super::calendar::{is_month_start, next_month};
use super::{Naive, Path, Row};
use crate::exchange::fees_account;
use buttonwood_engine::funds::Attempt;
use buttonwood_engine::funds::custody::{Command, Reject, Settlement};
use buttonwood_engine::{Eid, Made, TransferKind, TransferStatus};
use buttonwood_model::{AccountId, CurrencyId, Day, Time};
use buttonwood_num::Money;

/// A move to or from custody, by the rows of both ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Move {
    pub(super) rows: [u64; 2],
    pub(super) accepted: Time,
    /// Whether the run has sent it.
    pub(super) is_sent: bool,
    /// The signed transactions since the last one that moved nothing; none before the first one.
    pub(super) signed: Option<Vec<Attempt>>,
}

impl Naive {
    pub(super) fn custody(&mut self, command: &Command) -> Result<Made, Reject> {
        match command {
            Command::RunCustody => {
                for at in 0..self.funds.moves.len() {
                    let one = &self.funds.moves[at];
                    if self.may_send(one) && run_after(one.accepted) <= self.now {
                        self.funds.moves[at].is_sent = true;
                    }
                }
            }
            Command::SignCustodyMove(eid, attempt) => self.sign_move(*eid, attempt)?,
            Command::RepeatCustodyMove(settlement) => self.repeat_move(settlement)?,
            Command::SettleCustodyMove(settlement) => self.settle_move(settlement)?,
            Command::ChargeCustodyFees(month) => self.charge_custody(*month)?,
        }
        Ok(Made::Nothing)
    }

    /// A halted currency stays where it is.
    fn may_send(&self, one: &Move) -> bool {
        !self.stops_withdrawal(self.row(one.rows[0]).unwrap().currency)
    }

    fn sent_move(&mut self, eid: Eid) -> Result<&mut Move, Reject> {
        let is_it = |one: &&mut Move| one.is_sent && one.rows[0] == eid.0;
        self.funds.moves.iter_mut().find(is_it).ok_or(Reject::NotSent(eid))
    }

    /// Every transaction of a move spends the same, so that at most one of them happens.
    fn sign_move(&mut self, eid: Eid, attempt: &Attempt) -> Result<(), Reject> {
        let signed = &mut self.sent_move(eid)?.signed;
        let known = signed.get_or_insert_default();
        if known.contains(attempt) {
            return Ok(());
        }
        if known.iter().any(|known| known.tx == attempt.tx || known.spends != attempt.spends) {
            return Err(Reject::OtherTransaction(eid));
        }
        known.push(attempt.clone());
        Ok(())
    }

    /// A final transaction has moved nothing: the next one may spend something else.
    fn repeat_move(&mut self, Settlement { eid, tx, cost }: &Settlement) -> Result<(), Reject> {
        let signed = self.sent_move(*eid)?.signed.as_mut().ok_or(Reject::NotSent(*eid))?;
        if !signed.iter().any(|attempt| attempt.tx == *tx) {
            return Err(Reject::OtherTransaction(*eid));
        }
        signed.clear();
        self.charge_move(*eid, *cost);
        Ok(())
    }

    /// Notes what the network of a move has charged the house.
    fn charge_move(&mut self, eid: Eid, cost: Money) {
        let currency = self.row(eid.0).unwrap().currency;
        if let Some(coin) = self.home_coin(currency) {
            self.charge_network(coin.network, cost);
        }
    }

    /// The chain has confirmed a move: both rows are complete, and what was held at the source arrives.
    fn settle_move(&mut self, Settlement { eid, tx, cost }: &Settlement) -> Result<(), Reject> {
        let is_it = |one: &Move| one.is_sent && one.rows[0] == eid.0;
        let at = self.funds.moves.iter().position(is_it).ok_or(Reject::NotSent(*eid))?;
        let Move { rows, .. } = self.funds.moves.remove(at);
        self.charge_move(*eid, *cost);
        let [source, target] = rows.map(|number| self.row(number).unwrap().account);
        let Row { currency, amount, .. } = *self.row(eid.0).unwrap();
        if self.row(eid.0).unwrap().held() > 0 {
            self.pay(source, target, currency, amount);
        }
        for number in rows {
            let row = self.row_mut(number);
            row.status = TransferStatus::Complete;
            if let Path::Internal { tx: of_row, .. } = &mut row.path {
                of_row.clone_from(tx);
            }
        }
        Ok(())
    }

    /// Charges each custody account a twelfth of 40 basis points of what it has, rounded up, at most what is available.
    fn charge_custody(&mut self, month: Time) -> Result<(), Reject> {
        if !is_month_start(month) || month <= self.funds.charged || month > self.now {
            return Err(Reject::NotDue(month));
        }
        self.funds.charged = month;
        for account in (0..self.names.len()).map(AccountId::from_index) {
            if !self.names[account.index()].is_custody() {
                continue;
            }
            for currency in (0..self.funds.codes.len()).map(CurrencyId::from_index) {
                let total = self.totals.get(&(account, currency)).copied().unwrap_or(0);
                let fee = ((total + 2_999) / 3_000).min(self.available(account, currency));
                if fee > 0 {
                    self.pay(account, fees_account(), currency, fee);
                    let row = Row::new(account, TransferKind::CustodyFee, currency, fee, Path::House);
                    self.add_row(Row { status: TransferStatus::Complete, ..row });
                }
            }
        }
        Ok(())
    }

    /// The first 20:00 after the oldest move that waits.
    pub(super) fn next_custody_run(&self) -> Option<Time> {
        let waiting = self.funds.moves.iter().filter(|one| !one.is_sent && self.may_send(one));
        Some(run_after(waiting.map(|one| one.accepted).min()?))
    }

    /// The next first of a month, once there is a custody account.
    pub(super) fn next_custody_fee(&self) -> Option<Time> {
        let first = self.names.iter().find(|names| names.is_custody())?;
        Some(next_month(self.funds.charged.max(first.opened)))
    }

    /// The moves that were sent, by the row of their source.
    pub(crate) fn moves_sent(&self) -> Vec<Eid> {
        let sent = self.funds.moves.iter().filter(|one| one.is_sent);
        sent.map(|one| Eid(one.rows[0])).collect()
    }
}

/// The first 20:00 after a move was accepted.
fn run_after(accepted: Time) -> Time {
    let mut run = Time(20 * 3_600 * Time::SECOND);
    while run <= accepted {
        run = run.plus(Day::MICROS);
    }
    run
}
