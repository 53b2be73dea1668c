//! The one table of routes, which gives roles, scopes, rate limits and kinds of accounts. An endpoint is a file with its
//! `ROUTE`, and one line here; streams have their rows in `streams`.

mod notes;

use crate::auth::Auth;
use crate::route::Route;
use crate::streams::STREAMS;
use crate::{
    account, clearing, convert, derivatives, funds, market, orders, predictions, sandbox, spot_margin,
    staking,
};
use buttonwood_operate as operate;

/// Every endpoint but the streams.
pub(crate) const ROUTES: &[Route] = &[
    // Orders
    orders::new::ROUTE,
    orders::cancel::ROUTE,
    orders::cancel_session::ROUTE,
    orders::cancel_all::ROUTE,
    orders::status::ROUTE,
    orders::active::ROUTE,
    orders::past_orders::ROUTE,
    orders::past_trades::ROUTE,
    orders::notional_volume::ROUTE,
    orders::trade_volume::ROUTE,
    // Prediction markets
    predictions::order::ROUTE,
    predictions::cancel::ROUTE,
    predictions::batch::ORDERS,
    predictions::batch::CANCELS,
    predictions::active::ROUTE,
    predictions::history::ROUTE,
    predictions::positions::ROUTE,
    predictions::settled::ROUTE,
    predictions::volume::ROUTE,
    predictions::accept::ROUTE,
    predictions::terms_status::ROUTE,
    predictions::rewards::RATES,
    predictions::rewards::PAYOUTS,
    predictions::summaries::REBATES,
    predictions::rewards::CONFIG,
    predictions::rewards::EVENTS,
    predictions::summaries::DAILY,
    predictions::summaries::TOTAL,
    // Conversions
    convert::wrap::ROUTE,
    convert::quote::ROUTE,
    convert::quote::BY_PATH,
    convert::execute::ROUTE,
    // Funds
    funds::balances::ROUTE,
    funds::notional::ROUTE,
    funds::account_transfer::ROUTE,
    funds::withdraw::home::ROUTE,
    funds::withdraw::named::ROUTE,
    funds::withdraw::estimate::ROUTE,
    funds::transfers::V1,
    funds::transfers::ROUTE,
    funds::custody_fees::ROUTE,
    funds::custody_fees::OTHER,
    funds::transactions::ROUTE,
    funds::statement::ROUTE,
    funds::networks::ASSETS,
    funds::networks::V1,
    funds::networks::V2,
    funds::addresses::ROUTE,
    funds::issue::ROUTE,
    funds::approved::LIST,
    funds::approved::REQUEST,
    funds::approved::REMOVE,
    funds::add_bank::ROUTE,
    funds::add_bank::CANADIAN,
    funds::payment_methods::ROUTE,
    funds::sen_withdraw::ROUTE,
    funds::reserves::ROUTE,
    funds::reserves::PROOF,
    // Clearing
    clearing::new::ROUTE,
    clearing::confirm::ROUTE,
    clearing::cancel::ROUTE,
    clearing::status::ROUTE,
    clearing::list::ROUTE,
    clearing::trades::ROUTE,
    clearing::broker::new::ROUTE,
    clearing::broker::list::ROUTE,
    // Margin
    spot_margin::account::ROUTE,
    spot_margin::rates::ROUTE,
    spot_margin::preview::ROUTE,
    // Staking
    staking::balances::ROUTE,
    staking::stake::ROUTE,
    staking::unstake::ROUTE,
    staking::history::ROUTE,
    staking::rewards::ROUTE,
    staking::redemptions::ROUTE,
    staking::rates::ROUTE,
    // Derivatives
    derivatives::margin::ROUTE,
    derivatives::positions::ROUTE,
    derivatives::risk_stats::ROUTE,
    derivatives::payments::ROUTE,
    derivatives::payment_report::JSON,
    derivatives::payment_report::XLSX,
    derivatives::funding::AMOUNT,
    derivatives::funding::NEXT,
    derivatives::amount_report::ROUTE,
    // Prediction markets
    predictions::events::ROUTE,
    predictions::events::NEWLY_LISTED,
    predictions::events::RECENTLY_SETTLED,
    predictions::events::UPCOMING,
    predictions::event::ROUTE,
    predictions::strike::ROUTE,
    predictions::collateral::ROUTE,
    predictions::day_volume::DAY,
    predictions::day_volume::HOURLY,
    predictions::categories::ROUTE,
    predictions::combos::ROUTE,
    predictions::combo::ROUTE,
    predictions::terms::ROUTE,
    // Account administration and sessions
    account::roles::ROUTE,
    account::heartbeat::ROUTE,
    account::detail::ROUTE,
    account::create::ROUTE,
    account::rename::ROUTE,
    account::list::ROUTE,
    account::revoke_by_token::ROUTE,
    // Public market data
    market::symbols::ROUTE,
    market::details::ALL,
    market::details::ROUTE,
    market::book::ROUTE,
    market::trades::ROUTE,
    market::ticker_v1::ROUTE,
    market::ticker_v2::ROUTE,
    market::candles::ROUTE,
    market::candles::DERIVATIVES,
    market::price_feed::ROUTE,
    market::fee_promotions::ROUTE,
    market::auction::ROUTE,
    market::auction_history::ROUTE,
    market::fx_rate::ROUTE,
    // The sandbox's control calls
    sandbox::clock::ROUTE,
    sandbox::advance::ROUTE,
    sandbox::history::ROUTE,
    sandbox::ledger::ROUTE,
    Route::operating("/sandbox/ledger/insurance", &operate::INSURE),
    Route::operating("/sandbox/index/{currency}", &operate::PIN_INDEX).about(
        "Pins the index of a currency to a price, or returns it to the books; the marks are taken at once.",
    ),
    Route::operating("/sandbox/accounts/risk", &operate::SET_RISK),
    Route::operating("/sandbox/accounts/broker", &operate::SET_BROKER),
    Route::operating("/sandbox/clearing/alias", &operate::SET_ALIAS),
    sandbox::perpetuals::ROUTE,
    sandbox::clearing::ROUTE,
    Route::operating("/sandbox/accounts", &operate::OPEN_ACCOUNT).notes(notes::OPEN_ACCOUNT),
    Route::operating("/sandbox/accounts/close", &operate::CLOSE_ACCOUNT).notes(notes::CLOSE),
    Route::operating("/sandbox/groups", &operate::SET_GROUP_TERMS),
    Route::operating("/sandbox/groups/{group}/multi-user", &operate::SET_MULTI_USER),
    Route::operating("/sandbox/approvals/decide", &operate::DECIDE_ADDRESS),
    Route::operating("/sandbox/approvals/end-hold", &operate::END_HOLD),
    Route::operating("/sandbox/groups/addresses", &operate::keys::restrict::GROUP).notes(notes::GROUP_FROM),
    Route::operating("/sandbox/keys", &operate::keys::add::COMMAND).notes(notes::ADD_KEY),
    Route::operating("/sandbox/keys/disable", &operate::keys::change::DISABLE).notes(notes::DISABLE),
    Route::operating("/sandbox/keys/enable", &operate::keys::change::ENABLE),
    Route::operating("/sandbox/keys/end", &operate::keys::change::END).notes(notes::END),
    Route::operating("/sandbox/keys/roles", &operate::keys::change::ROLES),
    Route::operating("/sandbox/keys/rename", &operate::keys::change::RENAME),
    Route::operating("/sandbox/keys/addresses", &operate::keys::change::FROM).notes(notes::KEY_FROM),
    sandbox::credit::ROUTE,
    Route::operating("/sandbox/accounts/fee-override", &operate::OVERRIDE_FEE),
    sandbox::chains::SHOW,
    sandbox::chains::SEND,
    sandbox::chains::MINE,
    sandbox::chains::REORG,
    sandbox::chains::NODE,
    sandbox::deposits::UNCLAIMED,
    Route::operating("/sandbox/deposits/assign", &operate::ASSIGN_DEPOSIT).notes(notes::ASSIGN),
    sandbox::banks::WIRE,
    sandbox::banks::SETTLE,
    sandbox::listing::ROUTE,
    Route::operating("/sandbox/symbols/{symbol}/status", &operate::SET_STATUS),
    Route::operating("/sandbox/instant", &operate::INSTANT_SET),
    Route::operating("/sandbox/staking/terms", &operate::SET_STAKING_TERMS),
    Route::operating("/sandbox/staking/fund", &operate::FUND_STAKING),
    Route::operating("/sandbox/predictions/events", &operate::ADD_EVENT),
    Route::operating("/sandbox/predictions/events/{event}/halt", &operate::HALT_EVENT)
        .about("Halts the trading of an event and of combos with a leg on it, or lets it go on."),
    Route::operating("/sandbox/predictions/events/{event}/strike", &operate::SET_STRIKE),
    Route::operating("/sandbox/predictions/events/{event}/resolve", &operate::RESOLVE_EVENT),
    Route::operating("/sandbox/predictions/events/{event}/dispute", &operate::DISPUTE_EVENT),
    Route::operating("/sandbox/predictions/events/{event}/void", &operate::VOID_EVENT),
    Route::operating("/sandbox/predictions/combos", &operate::ADD_COMBO),
    Route::operating("/sandbox/predictions/terms", &operate::PUBLISH_TERMS),
    Route::operating("/sandbox/predictions/fees", &operate::SET_CONTRACT_FEES),
    Route::operating("/sandbox/predictions/rewards", &operate::SET_REWARDS),
    Route::operating("/sandbox/symbols/{symbol}/auctions", &operate::SCHEDULE_AUCTIONS)
        .about("Schedules a symbol's auctions, or ends them."),
    Route::operating("/sandbox/fx", &operate::ADD_RATE),
    Route::operating("/sandbox/fees", &operate::SET_FEES),
    Route::operating("/sandbox/fees/schedule", &operate::SET_TIERS),
    Route::operating("/sandbox/promotions", &operate::PROMOTE),
    Route::operating("/sandbox/trades/break", &operate::BREAK_TRADE).refuses(&[406]),
    sandbox::maintenance::ROUTE,
    Route::operating("/sandbox/halt", &operate::HALT).notes(notes::HALT),
    Route::operating("/sandbox/resume", &operate::RESUME),
    Route::operating("/sandbox/nonces/reset", &operate::keys::nonces::RESET)
        .about("Lets a key begin again with any nonce.")
        .notes(notes::RESET_NONCES),
    sandbox::people::MAIL,
    sandbox::people::USERS,
    sandbox::people::SESSIONS,
    sandbox::people::GRANTS,
    sandbox::requests::ROUTE,
    sandbox::streams::LIST,
    sandbox::streams::FAULT,
];

/// Every endpoint of the interface, the streams last.
pub fn all_routes() -> impl Iterator<Item = &'static Route> {
    ROUTES.iter().chain(STREAMS)
}

/// Whether a browser must have given a code less than five minutes ago to make the call that `request` names: a path, with or without its
/// first slash and its query string.
pub fn needs_code(request: &str) -> bool {
    let path = request.split('?').next().unwrap_or_default();
    let path = format!("/{}", path.strip_prefix('/').unwrap_or(path));
    all_routes().any(|route| route.needs_code() && route.matches(&path).is_some())
}

/// The result of looking up a path and a method.
#[derive(Debug)]
pub(crate) enum Found<'a> {
    /// This route, with the path's parameter.
    Route(&'static Route, &'a str),
    /// The path is that of this route, which takes other methods.
    OtherMethod(&'static Route),
    /// No such path.
    Nothing,
}

/// Looks a request up; control calls exist in a sandbox only (D-30). HEAD is answered as GET
/// (RFC 9110, 9.1).
pub(crate) fn find<'a>(method: &str, path: &'a str, sandbox: bool) -> Found<'a> {
    let mut other = None;
    for route in all_routes().filter(|route| sandbox || route.auth != Auth::Control) {
        if let Some(parameter) = route.matches(path) {
            if route.method == method || (route.method, method) == ("GET", "HEAD") {
                return Found::Route(route, parameter);
            }
            other = Some(route);
        }
    }
    other.map_or(Found::Nothing, Found::OtherMethod)
}

#[cfg(test)]
mod tests;
