//! Short names of the commands that fall due by the clock.

use buttonwood_engine::clearing::Command as Clearing;
use buttonwood_engine::funds::{approval, bank, custody, debt, reserves};
use buttonwood_engine::perp::Command as Perp;
use buttonwood_engine::prediction::Command as Prediction;
use buttonwood_engine::spot_margin::Command as SpotMargin;
use buttonwood_engine::staking::Command as Staking;
use buttonwood_engine::{Body, FundsCommand, State, TradingCommand};
use buttonwood_model::SymbolId;

/// The name of a due command, with the market or the event that it is about.
pub(crate) fn name(state: &State, body: &Body) -> String {
    if let Body::Trading(TradingCommand::Auction(symbol)) = body {
        auction(state, *symbol)
    } else if let Body::Prediction(command) = body {
        prediction(state, command)
    } else {
        plain(body).map_or_else(|| body.name(), str::to_owned)
    }
}

/// The next part of an auction: its opening, an indication or its end.
fn auction(state: &State, symbol: SymbolId) -> String {
    let name = state.symbol(symbol).map_or("", |symbol| symbol.name.as_str());
    format!("auction of {}", name.to_ascii_uppercase())
}

fn prediction(state: &State, command: &Prediction) -> String {
    let of_event = |what: &str, event| {
        let ticker = state.predictions().event(event).map_or("", |found| found.ticker.as_str());
        format!("{what} of event {ticker}")
    };
    match command {
        Prediction::Start(event) => of_event("start", *event),
        Prediction::Expire(event) => of_event("expiry", *event),
        Prediction::Finish(event) => of_event("payout", *event),
        Prediction::Score => "score of liquidity rewards".to_owned(),
        Prediction::BeginPayout => "payout of liquidity rewards".to_owned(),
        Prediction::BeginRebates => "maker rebates".to_owned(),
        Prediction::Cancel(_)
        | Prediction::BatchPlace(_)
        | Prediction::BatchCancel(_)
        | Prediction::AcceptTerms
        | Prediction::ListEvent(_)
        | Prediction::ListCombo(_)
        | Prediction::Halt(..)
        | Prediction::SetStrike(..)
        | Prediction::Resolve(_)
        | Prediction::Dispute(..)
        | Prediction::Void(_)
        | Prediction::PublishTerms(_)
        | Prediction::SetRewards(_)
        | Prediction::Work => "work on prediction markets".to_owned(),
    }
}

/// The name of a command that is about no single market; none for a room of which nothing falls due.
#[expect(clippy::wildcard_enum_match_arm, reason = "a room of which nothing falls due needs no line here")]
fn plain(body: &Body) -> Option<&'static str> {
    Some(match body {
        Body::Trading(TradingCommand::CloseDay) => "end of a day of trading",
        Body::Trading(TradingCommand::Trigger(_)) => "stop order",
        Body::Trading(_) => "trading",
        Body::Identity(_) => "end of sessions, codes or tokens",
        Body::Clearing(Clearing::Settle(_)) => "settlement of clearing orders",
        Body::Clearing(Clearing::Expire) => "expiry of clearing orders",
        Body::Clearing(_) => "clearing orders",
        Body::Perp(Perp::TakeMarks) => "mark prices",
        Body::Perp(Perp::CutFunding) => "funding",
        Body::Perp(Perp::PayFunding) => "payment of funding",
        Body::Perp(Perp::Liquidate) => "liquidation",
        Body::Perp(Perp::OfferFund | Perp::FlattenFund) => "positions of the insurance fund",
        Body::Perp(_) => "perpetuals",
        Body::SpotMargin(SpotMargin::ChargeInterest) => "interest on loans",
        Body::SpotMargin(_) => "liquidation of margin accounts",
        Body::Funds(command) => funds(command),
        Body::Staking(Staking::Pay(_)) => "payout of a redemption",
        Body::Staking(_) => "staking rewards",
        Body::Operation(_) => "end of a proposal",
        _ => return None,
    })
}

fn funds(command: &FundsCommand) -> &'static str {
    match command {
        FundsCommand::Approval(approval::Command::EndApprovalHold(_)) => "end of an address's hold",
        FundsCommand::Bank(bank::Command::Clear(_)) => "clearing of an advance",
        FundsCommand::Custody(custody::Command::ChargeCustodyFees(_)) => "custody fees",
        FundsCommand::Custody(_) => "moves of custody",
        FundsCommand::Debt(debt::Command::Repay(..)) => "repayment of a debt",
        FundsCommand::Reserves(reserves::Command::Cut) => "proof of reserves",
        FundsCommand::Internal(_)
        | FundsCommand::Network(_)
        | FundsCommand::Address(_)
        | FundsCommand::Approval(_)
        | FundsCommand::Withdrawal(_)
        | FundsCommand::Deposit(_)
        | FundsCommand::Halt(_)
        | FundsCommand::Bank(_)
        | FundsCommand::Reserves(_)
        | FundsCommand::Limit(_) => "transfers",
    }
}
