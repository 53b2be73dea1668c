//! The sandbox's control calls. Those that change the exchange's state are commands of `operate`, and most are only a line of the route
//! table. Here are those that do something besides, and what is the sandbox's own: its clock, its chains, maintenance, what a key's
//! calls were, what the exchange has inside.
//!
//! JSON bodies, no signature, from this machine only: a loopback peer and a loopback `Host`, no proxy and no page of another
//! site. They exist in a sandbox directory alone (D-30).

pub(crate) mod advance;
pub(crate) mod banks;
pub(crate) mod chains;
pub(crate) mod clock;
pub(crate) mod credit;
pub(crate) mod deposits;
mod due;
pub(crate) mod history;
pub(crate) mod ledger;
pub(crate) mod listing;
pub(crate) mod maintenance;
mod notes;
pub(crate) mod people;
pub(crate) mod perpetuals;
pub(crate) mod requests;
pub(crate) mod streams;

use buttonwood_call::{Face, Route};
use buttonwood_operate as operate;

/// The endpoints.
pub(crate) const FACE: Face = Face {
    routes: &[
        clock::ROUTE,
        advance::ROUTE,
        history::ROUTE,
        ledger::ROUTE,
        Route::operating("/sandbox/ledger/insurance", &operate::INSURE),
        Route::operating("/sandbox/index/{currency}", &operate::PIN_INDEX).about(
            "Pins the index of a currency to a price, or returns it to the books; the marks are taken at once.",
        ),
        Route::operating("/sandbox/accounts/risk", &operate::SET_RISK),
        perpetuals::ROUTE,
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
        credit::ROUTE,
        Route::operating("/sandbox/accounts/fee-override", &operate::OVERRIDE_FEE),
        chains::SHOW,
        chains::SEND,
        chains::MINE,
        chains::REORG,
        chains::NODE,
        deposits::UNCLAIMED,
        Route::operating("/sandbox/deposits/assign", &operate::ASSIGN_DEPOSIT).notes(notes::ASSIGN),
        banks::WIRE,
        banks::SETTLE,
        listing::ROUTE,
        Route::operating("/sandbox/symbols/{symbol}/status", &operate::SET_STATUS),
        Route::operating("/sandbox/instant", &operate::INSTANT_SET),
        Route::operating("/sandbox/symbols/{symbol}/auctions", &operate::SCHEDULE_AUCTIONS)
            .about("Schedules a symbol's auctions, or ends them."),
        Route::operating("/sandbox/fx", &operate::ADD_RATE),
        Route::operating("/sandbox/fees", &operate::SET_FEES),
        Route::operating("/sandbox/fees/schedule", &operate::SET_TIERS),
        Route::operating("/sandbox/promotions", &operate::PROMOTE),
        Route::operating("/sandbox/trades/break", &operate::BREAK_TRADE).refuses(&[406]),
        maintenance::ROUTE,
        Route::operating("/sandbox/halt", &operate::HALT).notes(notes::HALT),
        Route::operating("/sandbox/resume", &operate::RESUME),
        Route::operating("/sandbox/nonces/reset", &operate::keys::nonces::RESET)
            .about("Lets a key begin again with any nonce.")
            .notes(notes::RESET_NONCES),
        people::MAIL,
        people::USERS,
        people::SESSIONS,
        people::GRANTS,
        requests::ROUTE,
        streams::LIST,
        streams::FAULT,
    ],
    ..Face::NONE
};
