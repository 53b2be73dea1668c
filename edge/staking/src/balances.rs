//! `POST /v1/balances/staking`: what the account has staked (STK-001, STK-002).

use super::shown;
use buttonwood_call::{App, Call, Kinds, Route};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::{CurrencyId, Role};
use buttonwood_num::Money;
use buttonwood_wire::contract::DecimalNumber;
use buttonwood_wire::{answer, json, words};
use std::collections::BTreeMap;

/// Trader, Fund Manager or Auditor.
pub(crate) const ROUTE: Route = Route::reading("/v1/balances/staking", answer)
    .roles(&[Role::Trader, Role::FundManager, Role::Auditor])
    .kinds(Kinds::Exchange)
    .about("Lists what the account has staked, by currency.")
    .notes(&[
        "An open redemption stays in `balance` until it is paid, and has left `availableForWithdrawal`. \
         There is no row for a currency, and no entry for a provider, with balance 0.",
    ])
    .gives::<Vec<StakingBalance>>();

words! {
    /// The kind of a balance.
    struct StakingType: "Staking"
}

answer! {
    /// What the account has staked of a currency.
    struct StakingBalance {
        /// Always `Staking`.
        kind as "type": StakingType,
        /// The currency.
        currency: String,
        /// What is staked, and what redemptions still owe: the sum over the providers.
        balance: DecimalNumber,
        /// What orders may use: nothing.
        available: DecimalNumber,
        /// What can be redeemed to the exchange balance.
        redeemable as "availableForWithdrawal": DecimalNumber,
        /// The balance with each provider.
        providers as "balanceByProvider": BTreeMap<String, ProviderBalance>,
    }
}

answer! {
    /// What the account has staked with a provider.
    struct ProviderBalance {
        /// What is staked, and what redemptions still owe.
        balance: DecimalNumber,
    }
}

/// The sums of a currency.
#[derive(Default)]
struct Sums {
    balance: Money,
    staked: Money,
    providers: BTreeMap<String, ProviderBalance>,
}

fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let mut all: BTreeMap<CurrencyId, Sums> = BTreeMap::new();
    for (_, pair, [staked, owed]) in app.exchange.views().state().staking().holdings(call.account()) {
        let sums = all.entry(pair.currency).or_default();
        let balance = staked.capped_add(owed);
        sums.staked = sums.staked.capped_add(staked);
        sums.balance = sums.balance.capped_add(balance);
        let balance = ProviderBalance { balance: shown::amount(balance) };
        sums.providers.insert(pair.provider.to_string(), balance);
    }
    let rows = all.into_iter().map(|(currency, sums)| StakingBalance {
        kind: StakingType("Staking"),
        currency: app.names.currency(currency).code.clone(),
        balance: shown::amount(sums.balance),
        available: shown::amount(Money::ZERO),
        redeemable: shown::amount(sums.staked),
        providers: sums.providers,
    });
    Ok(Reply::json(json::body(&rows.collect::<Vec<_>>())))
}
