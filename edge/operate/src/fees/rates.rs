//! Fee rates in the commands that set them.

use crate::operator::Operator;
use buttonwood_engine::{FeeSchedule, Reject, TradingCommand, TradingReject};
use buttonwood_gate::Refusal;
use buttonwood_num::Bps;
use buttonwood_wire::contract::WholeUpTo;
use buttonwood_wire::field::bad_value;

/// A field with a rate in basis points.
pub type Rate = WholeUpTo<10_000>;

/// The schedule of three fields. Without `auction_bps`, auctions cost what a maker pays.
pub fn schedule(maker: u64, taker: u64, auction: Option<u64>) -> Result<FeeSchedule, Refusal> {
    let rate = |bps: u64| Bps(u16::try_from(bps).unwrap_or(u16::MAX));
    let rates =
        FeeSchedule { maker: rate(maker), taker: rate(taker), auction: rate(auction.unwrap_or(maker)) };
    if rates.is_valid() {
        return Ok(rates);
    }
    let sent = auction.unwrap_or(maker).to_string();
    Err(bad_value("auction_bps", "at most the higher of maker_bps and taker_bps", &sent))
}

/// Sends a command that sets rates.
pub async fn set(operator: &Operator<'_>, command: TradingCommand) -> Result<(), Refusal> {
    // Every other fault of the fields is found before the command is sent.
    let refuse = |reject| {
        let is_full = reject == Reject::Trading(TradingReject::BadFees);
        let expected = "rates that were set before: the table of 65,536 different rates is full";
        is_full.then(|| bad_value("maker_bps", expected, "no room"))
    };
    operator.send(command, refuse).await
}
