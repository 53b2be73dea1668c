//! `POST /v1/staking/stake`: lets coins earn interest with a provider (STK-005 to STK-008).

use super::request::{Stake, read, refusal};
use super::shown;
use buttonwood_call::{App, Call, Kinds, Route, Write};
use buttonwood_engine::{Body, StakingAnswer, StakingCommand};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_sequencer::Receipt;
use buttonwood_wire::contract::DecimalNumber;
use buttonwood_wire::field::failed;
use buttonwood_wire::{answer, json};

/// Trader or Fund Manager.
pub(crate) const ROUTE: Route = Route::writing("/v1/staking/stake", Write { command, answer, closed: None })
    .right(StakingCommand::RIGHT)
    .kinds(Kinds::Exchange)
    .about("Stakes an amount of the exchange balance with a provider.")
    .notes(&[
        "An unknown provider, and a currency that it does not stake, are refused with 400, a stake beyond \
         the provider's limit with 400 `DepositLimitExceeded`. The limit is that of a calendar month (UTC), \
         for each account, provider and currency. Each stake counts in dollars at its time, at the last \
         trade or at the index where that is higher; without either it is refused. Unstaking gives no \
         room back, and interest uses none.",
        "Interest accrues each day at 20:00 UTC for every whole second that an amount was staked, and \
         joins the stake.",
    ])
    .takes::<Stake<'_>>()
    .gives::<StakingDeposit>()
    .refuses(&[406]);

answer! {
    /// A stake.
    struct StakingDeposit {
        /// The id of the transaction.
        transaction_id as "transactionId": String,
        /// The provider.
        provider_id as "providerId": String,
        /// The currency.
        currency: String,
        /// The amount that was staked.
        amount: DecimalNumber,
        /// The interest of the account with this provider in this currency so far.
        accrual_total as "accrualTotal": DecimalNumber,
        /// The rate.
        rates: StakingRates,
    }
}

answer! {
    /// The rate of a stake.
    struct StakingRates {
        /// The simple rate of a year, in basis points.
        rate: DecimalNumber,
    }
}

fn command(app: &App, call: &Call) -> Result<Body, Refusal> {
    Ok(StakingCommand::Stake(read(app, call)?).into())
}

fn answer(app: &App, call: &Call, receipt: &Receipt) -> Result<Reply, Refusal> {
    let answer = *receipt.of::<StakingAnswer>().map_err(|reject| refusal(app, call, reject))?;
    let StakingAnswer::Staked { number, pair, amount, rate, accrued } = answer else { return Err(failed()) };
    let views = app.exchange.views();
    let room = views.state().staking();
    let pair = room.pair(pair).ok_or_else(failed)?;
    Ok(Reply::json(json::body(&StakingDeposit {
        transaction_id: shown::transaction_id(room, number),
        provider_id: pair.provider.to_string(),
        currency: app.names.currency(pair.currency).code.clone(),
        amount: shown::amount(amount),
        accrual_total: shown::amount(accrued),
        rates: StakingRates { rate: shown::basis_points(rate) },
    })))
}
