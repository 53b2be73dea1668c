//! What the core's refusals say on the wire: one table, exhaustive.

use crate::app::App;
use crate::call::Call;
use crate::field::{bad_order_field, closed_symbol, failed, no_space, unknown_symbol};
use crate::time::iso_millis;
use buttonwood_engine::{AccessReject, FILLS_MAX, ORDERS_MAX, PlaceReject, Reject};
use buttonwood_gate::{Payload, Reason, Refusal, missing_role, quoted};
use buttonwood_model::{Role, Roles, Symbol, SymbolId};
use buttonwood_num::{Decimal, MONEY_DECIMALS};

/// Words the refusal of a writing call.
pub(crate) fn refusal(app: &App, call: &Call, reject: Reject) -> Refusal {
    match reject {
        Reject::Access(reject) => access(call, reject),
        Reject::Place(reject) => place(app, call, reject),
        Reject::NoRoom => no_space(),
        Reject::System => failed(),
        Reject::BadAmount
        | Reject::Unknown
        | Reject::Taken
        | Reject::TooMany
        | Reject::NotNow
        | Reject::Schedule(_) => {
            Refusal::new(Reason::InvalidParameterValue, "The exchange does not take this request")
        }
    }
}

fn access(call: &Call, reject: AccessReject) -> Refusal {
    match reject {
        AccessReject::UnknownSession => Refusal::new(Reason::InvalidApiKey, "The API key is unknown"),
        AccessReject::NonceUsed => nonce_used(call.payload()),
        AccessReject::ForeignAccount => {
            Refusal::new(Reason::InvalidAccountName, "The account does not belong to this key")
        }
        AccessReject::MissingRole => missing_role(call.key(), Roles::of(&[Role::Trader])),
    }
}

/// The gate let it pass, and another call of the same key came before it to the writer: in the gate's words (facts T§7.4).
fn nonce_used(payload: &Payload) -> Refusal {
    let shown = |name| payload.field(name).map_or(String::new(), |value| quoted(value.shown()));
    let message = format!(
        "Nonce '{}' has not increased since another call of this key was taken (this one was to '{}')",
        shown("nonce"),
        shown("request")
    );
    Refusal::new(Reason::InvalidNonce, message)
}

fn place(app: &App, call: &Call, reject: PlaceReject) -> Refusal {
    let text = |name| call.payload().decimal_text(name).unwrap_or_default();
    let name = text("symbol");
    let Some((id, symbol)) = app.find_symbol(&name) else { return unknown_symbol(&name) };
    let shown = symbol.name.to_ascii_uppercase();
    match reject {
        PlaceReject::InvalidSymbol => closed_symbol(&name),
        PlaceReject::NoAuctions => {
            let message = format!("Option \"auction-only\" is not supported: symbol {shown} has no auctions");
            Refusal::new(Reason::UnsupportedOption, message)
        }
        PlaceReject::AuctionNotOpen => {
            let opening = opening(app, id);
            let message = format!("The next auction of symbol {shown} does not take orders yet{opening}");
            Refusal::new(Reason::AuctionNotOpen, message)
        }
        PlaceReject::NoPrice => bad_order_field(Reason::InvalidPrice, "price", symbol, &text("price")),
        PlaceReject::SpendIsForBuys => bad_order_field(Reason::InvalidSide, "side", symbol, &text("side")),
        PlaceReject::BelowMinimum => bad_size(call, symbol).and("it buys less than can be traded"),
        PlaceReject::MarketClosed => {
            Refusal::new(Reason::MarketClosed, format!("The market for symbol {shown} is closed"))
        }
        PlaceReject::MarketNotOpen(status) => {
            let message = format!(
                "The market for symbol {shown} does not take this order: its status is {}",
                status.name()
            );
            Refusal::new(Reason::MarketNotOpen, message)
        }
        PlaceReject::TooManyFills => {
            let refusal = bad_size(call, symbol);
            let why = format!("it would trade with more than {FILLS_MAX} orders at once");
            refusal.and(&why)
        }
        PlaceReject::TooManyOrders => {
            let message = format!("The account has {ORDERS_MAX} live orders, and no more are taken");
            Refusal::new(Reason::AccountLimitExceeded, message)
        }
        PlaceReject::InsufficientFunds => {
            let message = format!(
                "Failed to place {} order on symbol {shown} for {}: insufficient funds{}",
                text("side"),
                terms(call.payload(), &app.listed.currency(symbol.quote).code),
                reserved(app, call.payload(), symbol)
            );
            Refusal::new(Reason::InsufficientFunds, message)
        }
    }
}

/// From when on it does.
fn opening(app: &App, symbol: SymbolId) -> String {
    let views = app.exchange.views();
    let schedule = views.state().auctions(symbol).and_then(|auctions| auctions.schedule().copied());
    schedule.map_or_else(String::new, |schedule| format!("; it opens at {}", iso_millis(schedule.opening())))
}

/// What a limit buy would have reserved, which is more than price times quantity. Other orders say what they need.
fn reserved(app: &App, payload: &Payload, symbol: &Symbol) -> String {
    let decimal = |name| Decimal::parse(payload.decimal_text(name)?.as_bytes()).ok();
    let is_buy = payload.decimal_text("side").as_deref() == Some("buy");
    let is_limit = payload.decimal_text("type").as_deref() == Some("exchange limit");
    let fees = app.exchange.views().state().opening().map(|opening| opening.fees);
    let needed = fees.filter(|_| is_buy && is_limit).and_then(|fees| {
        let price = symbol.grid.price(decimal("price")?)?;
        fees.buy_reserves(&symbol.grid, price, symbol.grid.qty(decimal("amount")?)?)
    });
    let quote = app.listed.currency(symbol.quote);
    needed.map_or_else(String::new, |needed| {
        let mut digits = Vec::new();
        needed.push_floored(&mut digits, MONEY_DECIMALS);
        format!("; it reserves {} {}, the fee included", String::from_utf8_lossy(&digits), quote.code)
    })
}

/// How much the order is for, by the name of the field that says it.
fn bad_size(call: &Call, symbol: &Symbol) -> Refusal {
    let (kind, field) = match call.payload().field("amount") {
        Some(_) => ("quantity", "amount"),
        None => ("total spend", "total_spend"),
    };
    let value = call.payload().decimal_text(field).unwrap_or_default();
    bad_order_field(Reason::InvalidQuantity, kind, symbol, &value)
}

/// What an order asked for: price and quantity (facts T§7.4), or what a market order names in their place.
fn terms(payload: &Payload, quote: &str) -> String {
    let text = |name| payload.decimal_text(name).unwrap_or_default();
    let (price, amount, spend) = (text("price"), text("amount"), text("total_spend"));
    match (&*text("type"), &*amount) {
        ("exchange market", "") => format!("the market price and total spend {spend} {quote}"),
        ("exchange market", _) => format!("the market price and quantity {amount}"),
        _ => format!("price {price} {quote} and quantity {amount}"),
    }
}
