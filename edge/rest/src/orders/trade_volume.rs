//! `POST /v1/tradevolume`: what the account traded, by symbol and day (VOL-008 to VOL-013).

use buttonwood_call::{App, Call, Route};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::{Day, Role, Scope, SymbolId};
use buttonwood_num::{MONEY_DECIMALS, Money, Qty, push_trimmed};
use buttonwood_views::TradeVolume;
use buttonwood_wire::Names;
use buttonwood_wire::contract::DecimalNumber;
use buttonwood_wire::time::iso_date;
use buttonwood_wire::{answer, json};

/// Trader or Auditor.
pub(crate) const ROUTE: Route = Route::reading("/v1/tradevolume", answer)
    .roles(&[Role::Trader, Role::Auditor])
    .scopes(&[Scope::HistoryRead])
    .about("Lists what the account traded on each of the past 30 days by symbol, the newest day first.")
    .gives::<Vec<Vec<DayOfSymbol>>>();

answer! {
    /// The volume of an account in a symbol on one day.
    struct DayOfSymbol {
        /// The symbol, in lower case.
        symbol: String,
        /// The currency that was bought and sold.
        base_currency: String,
        /// The currency of the notionals.
        notional_currency: String,
        /// The UTC day, `yyyy-MM-dd`.
        data_date: String,
        /// The quantity of all trades, in the base currency.
        total_volume_base: DecimalNumber,
        /// The share of buys in what the account's resting orders traded, from 0 to 1.
        maker_buy_sell_ratio: DecimalNumber,
        /// The amount that its resting buy orders bought.
        buy_maker_base: DecimalNumber,
        /// The amount that they paid.
        buy_maker_notional: DecimalNumber,
        /// How many trades they had.
        buy_maker_count: u64,
        /// The amount that its resting sell orders sold.
        sell_maker_base: DecimalNumber,
        /// The amount that they got.
        sell_maker_notional: DecimalNumber,
        /// How many trades they had.
        sell_maker_count: u64,
        /// The amount that its incoming buy orders bought.
        buy_taker_base: DecimalNumber,
        /// The amount that they paid.
        buy_taker_notional: DecimalNumber,
        /// How many trades they had.
        buy_taker_count: u64,
        /// The amount that its incoming sell orders sold.
        sell_taker_base: DecimalNumber,
        /// The amount that they got.
        sell_taker_notional: DecimalNumber,
        /// How many trades they had.
        sell_taker_count: u64,
    }
}

fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let now = app.now();
    let rows: Vec<(Day, SymbolId, TradeVolume)> = {
        let views = app.exchange.views();
        let rows = views.trade_volumes().newest(call.account(), now);
        rows.map(|(day, symbol, volume)| (day, symbol, *volume)).collect()
    };
    let rows = rows.iter().map(|(day, symbol, volume)| row(&app.names, *day, *symbol, volume));
    // Nested one level, also without rows (VOL-008).
    Ok(Reply::json(json::body(&vec![rows.collect::<Vec<_>>()])))
}

fn row(names: &Names, day: Day, id: SymbolId, volume: &TradeVolume) -> DayOfSymbol {
    let symbol = names.symbol(id);
    let base = |qty: Qty| DecimalNumber::of(|out| symbol.grid.push_qty(out, qty));
    let TradeVolume { buys, sells } = *volume;
    DayOfSymbol {
        symbol: symbol.name.clone(),
        base_currency: names.currency(symbol.base).code.clone(),
        notional_currency: names.currency(symbol.quote).code.clone(),
        data_date: iso_date(day),
        total_volume_base: base(volume.total()),
        maker_buy_sell_ratio: share(buys.maker.qty, sells.maker.qty),
        buy_maker_base: base(buys.maker.qty),
        buy_maker_notional: notional(buys.maker.notional),
        buy_maker_count: buys.maker.count,
        sell_maker_base: base(sells.maker.qty),
        sell_maker_notional: notional(sells.maker.notional),
        sell_maker_count: sells.maker.count,
        buy_taker_base: base(buys.taker.qty),
        buy_taker_notional: notional(buys.taker.notional),
        buy_taker_count: buys.taker.count,
        sell_taker_base: base(sells.taker.qty),
        sell_taker_notional: notional(sells.taker.notional),
        sell_taker_count: sells.taker.count,
    }
}

fn notional(amount: Money) -> DecimalNumber {
    DecimalNumber::of(|out| amount.push_floored(out, MONEY_DECIMALS))
}

/// Decimals of a share.
const SHARE_DECIMALS: u8 = 8;

/// The share of buys in both, truncated; 0 without buys (VOL-011). A ratio of buys to sells would have no value without sells.
fn share(buys: Qty, sells: Qty) -> DecimalNumber {
    let one = 10_u128.pow(u32::from(SHARE_DECIMALS));
    let (bought, both) = (buys.hundredths(), (buys + sells).hundredths());
    let share = match bought.checked_mul(one) {
        Some(scaled) => scaled.checked_div(both).unwrap_or(0),
        None => bought / (both / one).max(1),
    };
    DecimalNumber::of(|out| push_trimmed(out, share, SHARE_DECIMALS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttonwood_wire::Json;
    use buttonwood_wire::contract::Shape;

    /// Proves VOL-011.
    #[test]
    fn a_share_is_between_nothing_and_all() {
        let shown = |buys: u128, sells: u128| {
            let mut json = Json::with_capacity(16);
            share(Qty::from_hundredths(buys), Qty::from_hundredths(sells)).write(&mut json);
            String::from_utf8(json.into_bytes()).unwrap()
        };
        let huge = u128::MAX / 4;
        let shares = [shown(0, 0), shown(0, 5), shown(5, 0), shown(1, 3), shown(2, 1), shown(huge, huge)];
        assert_eq!(shares, ["0", "0", "1", "0.25", "0.66666666", "0.5"]);
    }
}
