//! `POST /v1/notionalbalances/{currency}`: the account's balances and their values in one currency (BAL-010 to BAL-013).

use super::balances::takeable;
use buttonwood_call::{App, Call, Route};
use buttonwood_engine::State;
use buttonwood_gate::{Reason, Refusal, quoted};
use buttonwood_http::Reply;
use buttonwood_model::{AccountId, CurrencyId, Role, Scope};
use buttonwood_num::Money;
use buttonwood_wire::contract::DecimalText;
use buttonwood_wire::standing::{is_shown, usable};
use buttonwood_wire::{answer, json};
use std::collections::{BTreeMap, BTreeSet};

/// Trader, Fund Manager or Auditor.
pub(crate) const ROUTE: Route = Route::reading("/v1/notionalbalances/{currency}", answer)
    .roles(&[Role::Trader, Role::FundManager, Role::Auditor])
    .scopes(&[Scope::BalancesRead])
    .about("Lists what the account has, with its value in one currency at last prices.")
    .notes(&["What is staked is no part of `amount`: it has fields of its own, which are left out where nothing is."])
    .gives::<Vec<NotionalBalance>>();

answer! {
    /// The account's balance of a currency, with its value in the currency of the path.
    struct NotionalBalance {
        /// The currency.
        currency: String,
        /// The whole balance, holds of orders included.
        amount: DecimalText,
        /// Its value at the last price of a spot pair of both currencies, else through dollars; 0 without a price.
        amount_notional as "amountNotional": DecimalText,
        /// The part that orders may use.
        available: DecimalText,
        /// Its value.
        available_notional as "availableNotional": DecimalText,
        /// The part that a withdrawal may take.
        available_for_withdrawal as "availableForWithdrawal": DecimalText,
        /// Its value.
        available_for_withdrawal_notional as "availableForWithdrawalNotional": DecimalText,
        /// The stake, and what redemptions still owe.
        staked: Option<DecimalText>,
        /// Its value.
        staked_notional as "stakedNotional": Option<DecimalText>,
    }
}

fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let code = call.parameter();
    let target = app.currency_id(code).ok_or_else(|| {
        let message = format!("The path names no listed currency: '{}'", quoted(code));
        Refusal::new(Reason::InvalidCurrency, message)
    })?;
    let decimals = app.names.currency(target).decimals;
    let views = app.exchange.views();
    let state = views.state();
    let (ledger, leave) = (state.ledger(), state.leave().of(call.account()));
    let stakes = stakes(state, call.account());
    let ids: BTreeSet<CurrencyId> =
        ledger.balances_of(call.account()).map(|(id, _)| id).chain(stakes.keys().copied()).collect();
    let held = ids.into_iter().map(|id| {
        let (currency, balance) = (app.names.currency(id), ledger.balance(call.account(), id));
        (id, currency, balance, stakes.get(&id).filter(|staked| is_shown(**staked, currency.decimals)))
    });
    let held = held.filter(|(_, currency, balance, staked)| {
        staked.is_some() || is_shown(balance.total(), currency.decimals)
    });
    let rows = held.map(|(id, currency, balance, staked)| {
        let free = takeable(state, id, leave.free(id));
        let usable = usable(state, call.account(), id, balance);
        let conversion = views.conversion(id, target);
        let amount = |amount: Money| DecimalText::of(|out| amount.push_floored(out, currency.decimals));
        let notional = |amount: Money| {
            let value = conversion.of(amount).unwrap_or(Money::ZERO);
            DecimalText::of(|out| value.push_floored(out, decimals))
        };
        NotionalBalance {
            currency: currency.code.clone(),
            amount: amount(balance.total()),
            amount_notional: notional(balance.total()),
            available: amount(usable),
            available_notional: notional(usable),
            available_for_withdrawal: amount(free),
            available_for_withdrawal_notional: notional(free),
            staked: staked.copied().map(amount),
            staked_notional: staked.copied().map(notional),
        }
    });
    Ok(Reply::json(json::body(&rows.collect::<Vec<_>>())))
}

/// The stakes of an account by currency, with what redemptions still owe it.
fn stakes(state: &State, account: AccountId) -> BTreeMap<CurrencyId, Money> {
    let mut all = BTreeMap::new();
    for (_, pair, amounts) in state.staking().holdings(account) {
        let sum = all.entry(pair.currency).or_insert(Money::ZERO);
        *sum = amounts.into_iter().fold(*sum, Money::capped_add);
    }
    all
}
