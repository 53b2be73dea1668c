//! Transfers between accounts of a group (XFER-024 to XFER-030, facts F§9).

use super::custody::Move;
use super::{Naive, Path, Row};
use buttonwood_engine::funds::internal::{Command, Reject};
use buttonwood_engine::{AccountKind, Caller, Eid, Made, TransferKind, TransferStatus};

impl Naive {
    pub(super) fn transfer(&mut self, caller: Option<&Caller>, command: &Command) -> Result<Made, Reject> {
        let Command::Transfer(order) = command;
        let (source, target, currency) = (order.source, order.target, order.currency);
        let amount = order.amount.units();
        // Only a master key reaches several accounts.
        let is_master = caller.is_none_or(|caller| self.keys[caller.session.index()].group.is_some());
        for account in [source, target] {
            if !is_master || !self.acts_for(caller, account) {
                return Err(Reject::Foreign(account));
            }
        }
        if source == target {
            return Err(Reject::SameAccount);
        }
        if let Some((number, row)) = self.by_client_id(source, &order.client_id) {
            let is_same = matches!(row.path, Path::Internal { other, .. } if other == target)
                && row.kind == TransferKind::Withdrawal
                && (row.currency, row.amount) == (currency, amount);
            return if is_same { Ok(Made::Transfer(Eid(number))) } else { Err(Reject::OtherTerms) };
        }
        if let Some(closed) = [source, target].into_iter().find(|it| self.names[it.index()].is_closed) {
            return Err(Reject::Closed(closed));
        }
        let kinds = [source, target].map(|account| self.names[account.index()].kind);
        let touches = |kind| kinds.contains(&kind);
        if self.funds.is_fiat(currency)
            && (touches(AccountKind::Custody) || touches(AccountKind::Derivatives))
        {
            return Err(Reject::Prohibited);
        }
        if amount <= 0 {
            return Err(Reject::BadAmount);
        }
        let into = kinds[1] == AccountKind::Custody;
        let to = (!into).then_some(target);
        self.may_leave(source, (currency, amount), to).map_err(Reject::Short)?;
        let out_of = kinds[0] == AccountKind::Custody && !into;
        let [at_source, at_target] = if into {
            [TransferStatus::Pending; 2]
        } else if out_of {
            [TransferStatus::Pending, TransferStatus::Advanced]
        } else {
            [TransferStatus::Complete; 2]
        };
        if !into {
            self.pay(source, target, currency, amount);
        }
        let path = |other, has_left| Path::Internal { other, has_left, tx: String::new() };
        let row = Row::new(source, TransferKind::Withdrawal, currency, amount, path(target, !into));
        let first = self.add_row(Row { status: at_source, client_id: order.client_id.clone(), ..row });
        let row = Row::new(target, TransferKind::Deposit, currency, amount, path(source, true));
        let second = self.add_row(Row { status: at_target, ..row });
        if into || out_of {
            let (rows, accepted) = ([first, second], self.now);
            self.funds.moves.push(Move { rows, accepted, is_sent: false, signed: None });
        }
        Ok(Made::Transfer(Eid(first)))
    }
}
