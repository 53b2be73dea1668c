//! `POST /v1/staking/unstake`: redeems what is staked (STK-009 to STK-011).

use super::request::{Unstake, read_redemption, refusal};
use super::shown;
use buttonwood_call::{App, Call, Kinds, Route, Write};
use buttonwood_engine::{Body, StakingAnswer, StakingCommand};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_num::Money;
use buttonwood_sequencer::Receipt;
use buttonwood_wire::contract::{DecimalNumber, IsoTime};
use buttonwood_wire::field::failed;
use buttonwood_wire::time::iso_millis;
use buttonwood_wire::{answer, json};

/// Trader or Fund Manager.
pub(crate) const ROUTE: Route =
    Route::writing("/v1/staking/unstake", Write { command, answer, closed: None })
        .right(StakingCommand::RIGHT)
        .kinds(Kinds::Exchange)
        .about("Redeems an amount that is staked with a provider.")
        .notes(&[
            "A redemption is paid at once, or when the provider's redemption time has passed. Where the \
             provider pays no more than a maximum on a UTC day, redemptions are paid first come, first \
             served, in parts where needed. Until it is paid, the amount earns nothing; \
             `/v1/staking/redemptions` shows how far it has come.",
            "An account has at most 100 open redemptions with a provider in a currency.",
        ])
        .takes::<Unstake<'_>>()
        .gives::<StakingWithdrawal>()
        .refuses(&[406]);

answer! {
    /// A redemption.
    struct StakingWithdrawal {
        /// The id of the transaction.
        transaction_id as "transactionId": String,
        /// The amount that is redeemed.
        amount: DecimalNumber,
        /// The part that is back in the exchange balance.
        paid as "amountPaidSoFar": DecimalNumber,
        /// The part that will be paid later.
        remaining as "amountRemaining": DecimalNumber,
        /// The currency.
        currency: String,
        /// When it was requested.
        requested as "requestInitiated": IsoTime,
    }
}

fn command(app: &App, call: &Call) -> Result<Body, Refusal> {
    Ok(StakingCommand::Unstake(read_redemption(app, call)?).into())
}

fn answer(app: &App, call: &Call, receipt: &Receipt) -> Result<Reply, Refusal> {
    let answer = *receipt.of::<StakingAnswer>().map_err(|reject| refusal(app, call, reject))?;
    let StakingAnswer::Redeemed { number, pair, amount, paid, requested } = answer else {
        return Err(failed());
    };
    let views = app.exchange.views();
    let room = views.state().staking();
    let pair = room.pair(pair).ok_or_else(failed)?;
    let remaining = amount.checked_sub(paid).unwrap_or(Money::ZERO);
    Ok(Reply::json(json::body(&StakingWithdrawal {
        transaction_id: shown::transaction_id(room, number),
        amount: shown::amount(amount),
        paid: shown::amount(paid),
        remaining: shown::amount(remaining),
        currency: app.names.currency(pair.currency).code.clone(),
        requested: IsoTime(iso_millis(requested)),
    })))
}
