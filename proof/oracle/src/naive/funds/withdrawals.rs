//! Withdrawals to the chains (XFER-013 to XFER-023): what is accepted, and what may follow from it.

mod steps;

use super::calendar::month_of;
use super::{Naive, Path, Row};
use crate::worlds::{COINS, Coin, units};
use buttonwood_engine::funds::Attempt;
use buttonwood_engine::funds::withdrawal::{Reject, Settled, Withdraw};
use buttonwood_engine::{Caller, TransferKind};
use buttonwood_model::{AccountId, CurrencyId};
use buttonwood_num::Money;

/// The payment of a withdrawal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Payment {
    pub(crate) row: u64,
    /// Every signed transaction.
    pub(crate) attempts: Vec<Attempt>,
    /// The hashes of those that were sent.
    pub(crate) sent: Vec<String>,
    /// How it has ended, by which transaction, and in which block unless that was removed.
    pub(crate) end: Option<Settled>,
    /// The month whose free withdrawal it uses.
    free_in: Option<u64>,
}

impl Naive {
    /// A currency on a network.
    pub(super) fn coin(&self, network: &str, currency: CurrencyId) -> Option<&'static Coin> {
        let code = self.funds.codes.get(currency.index())?;
        COINS.iter().find(|coin| (coin.network, coin.code) == (network, code.as_str()))
    }

    /// A currency on its home network.
    pub(super) fn home_coin(&self, currency: CurrencyId) -> Option<&'static Coin> {
        let code = self.funds.codes.get(currency.index())?;
        COINS.iter().find(|coin| coin.code == code.as_str())
    }

    /// Accepts a withdrawal; returns the number of its row, and whether it is new.
    fn withdraw(&mut self, caller: Option<&Caller>, order: &Withdraw) -> Result<(u64, bool), Reject> {
        let (account, currency) = (order.account, order.currency);
        let (amount, given) = (order.amount.units(), order.wraps.unwrap_or(currency));
        if !self.acts_for(caller, account) {
            return Err(Reject::Foreign);
        }
        if self.names[account.index()].is_closed {
            return Err(Reject::Closed);
        }
        let coin = self.coin(&order.network, currency).ok_or(Reject::UnsupportedNetwork)?;
        let path = Path::Chain {
            network: order.network.clone(),
            canonical: order.canonical.clone(),
            memo: order.memo.clone(),
            tx: String::new(),
            confirmations: 0,
        };
        if let Some((number, row)) = self.by_client_id(account, &order.client_id) {
            let is_same = row.path.is_same(&path)
                && row.kind == TransferKind::Withdrawal
                && (row.currency, row.given, row.amount) == (currency, given, amount);
            return if is_same { Ok((number, false)) } else { Err(Reject::OtherTerms) };
        }
        if self.stops_withdrawal(currency) || self.stops_withdrawal(given) {
            return Err(Reject::Halted);
        }
        if !self.has_list(account) {
            return Err(Reject::NoList);
        }
        let memos = self.memos_of(account, &order.network, &order.canonical);
        let fitting = memos.iter().find(|memo| order.memo.is_empty() || **memo == order.memo);
        let memo = match (fitting, memos.is_empty()) {
            (Some(memo), _) => memo.clone(),
            (None, true) => return Err(Reject::NotApproved),
            (None, false) => return Err(Reject::OtherMemo),
        };
        if amount <= 0 || amount % 10_i128.pow(19 - u32::from(coin.decimals)) != 0 {
            return Err(Reject::BadAmount(coin.decimals));
        }
        let minimum = units(coin.minimum);
        if amount < minimum {
            return Err(Reject::BelowMinimum(Money::from_units(minimum)));
        }
        let month = month_of(self.now);
        let uses_free = given == currency && self.free_left(account, currency, month) > 0;
        let is_charged = given == currency && !uses_free && !self.funds.overrides.contains(&account);
        let fee = if is_charged { units(coin.fee) } else { 0 };
        let short = |short| Reject::Short(short, Money::from_units(fee));
        self.may_leave(account, (given, amount + fee), None).map_err(short)?;
        let path = path.with_memo(memo);
        let row = Row::new(account, TransferKind::Withdrawal, currency, amount, path);
        let number = self.add_row(Row { given, fee, client_id: order.client_id.clone(), ..row });
        let free_in = uses_free.then_some(month);
        let (attempts, sent, end) = (Vec::new(), Vec::new(), None);
        self.funds.payments.push(Payment { row: number, attempts, sent, end, free_in });
        Ok((number, true))
    }

    /// Free withdrawals of a month that are left to a group: of ten, and of none in custody (D-185).
    fn free_left(&self, account: AccountId, currency: CurrencyId, month: u64) -> usize {
        if self.names[account.index()].is_custody() {
            return 0;
        }
        let group = |account: AccountId| self.names[account.index()].group;
        let is_used = |payment: &&Payment| {
            let row = self.row(payment.row).unwrap();
            payment.free_in == Some(month) && (group(row.account), row.currency) == (group(account), currency)
        };
        10_usize.saturating_sub(self.funds.payments.iter().filter(is_used).count())
    }
}
