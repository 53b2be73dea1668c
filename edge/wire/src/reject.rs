//! The refusals for the core's rejects that orders or several endpoints meet.

use crate::draft::{Draft, Figure, text_of};
use crate::field::{
    bad_order_field, bad_value, closed_account, closed_symbol, failed, halted, market_closed, no_space,
    unknown_symbol,
};
use crate::names::Names;
use crate::order_request::no_spend;
use crate::time::iso_millis;
use buttonwood_engine::{
    AccessReject, DeskReject, FILLS_MAX, ORDERS_MAX, PlaceReject, Reject, StopError, TradingReject, perp,
    spot_margin,
};
use buttonwood_gate::{self as gate, Payload, Reason, Refusal, missing_role, quoted};
use buttonwood_model::{Product, Roles, Scope, Scopes, Symbol, Time};
use buttonwood_num::{MONEY_DECIMALS, Money};

/// A writing call that the core rejected.
#[derive(Debug)]
pub struct Rejected<'a> {
    /// The names of symbols and currencies, for the message.
    pub names: &'a Names,
    /// The call as the gate admitted it.
    pub admitted: &'a gate::Call,
    /// The roles of which its route asks for one.
    pub needed: Roles,
    /// Its payload.
    pub payload: &'a Payload,
    /// The account's debts for returned advances, such as `12.5 USD`.
    pub owed: String,
}

/// The refusal of an order. Figures are those of the decision; from its draft come only texts, as the client wrote them. `symbol` finds its
/// symbol by name.
pub fn of_order<'a>(
    call: &Rejected<'a>,
    draft: &Draft<'_>,
    reject: Reject,
    symbol: impl FnOnce(&str) -> Option<&'a Symbol>,
) -> Refusal {
    if let Reject::Trading(TradingReject::Place(reject)) = reject {
        let name = text_of(&draft.symbol);
        symbol(name).map_or_else(|| unknown_symbol(name), |symbol| place(call, draft, symbol, reject))
    } else {
        refusal(call, reject)
    }
}

/// The refusal for any reject but that of the place of an order.
pub fn refusal(call: &Rejected<'_>, reject: Reject) -> Refusal {
    if let Reject::Access(reject) = reject {
        access(call, reject)
    } else if reject == Reject::NoRoom {
        no_space()
    } else if reject == Reject::Halted {
        halted()
    } else if reject == Reject::System {
        failed()
    } else {
        not_taken()
    }
}

fn not_taken() -> Refusal {
    Refusal::new(Reason::InvalidParameterValue, "The exchange does not take this request")
}

fn access(call: &Rejected<'_>, reject: AccessReject) -> Refusal {
    match reject {
        AccessReject::UnknownSession => call.admitted.ended("The API key is unknown"),
        AccessReject::Disabled => call.admitted.ended("InvalidApiKey: The API key is disabled"),
        AccessReject::NonceUsed => nonce_used(call.payload),
        AccessReject::ForeignAccount => {
            Refusal::new(Reason::InvalidAccountName, "The account does not belong to the caller")
        }
        // The gate may know other roles by now.
        AccessReject::MissingRole(roles) => missing_role(&call.admitted.name(), roles, call.needed),
        AccessReject::Closed => closed_account(&call.payload.decimal_text("account").unwrap_or_default()),
        AccessReject::InDebt => in_debt(&call.owed),
        AccessReject::WrongKind => no_trader(call),
        AccessReject::MissingScope(scopes) => missing_scope(call, scopes),
        AccessReject::Unknown
        | AccessReject::NameTaken
        | AccessReject::Taken
        | AccessReject::NoCustodyTerms
        | AccessReject::GroupFull(_)
        | AccessReject::TooManyKeys
        | AccessReject::KeysTooFast
        | AccessReject::DisabledBy(_)
        | AccessReject::InUse(_)
        | AccessReject::Ended
        | AccessReject::BadRoles
        | AccessReject::TooManyAddresses => not_taken(),
    }
}

/// A token whose scopes the core does not take: the gate knew a wider right of the route.
fn missing_scope(call: &Rejected<'_>, scopes: Scopes) -> Refusal {
    let held: Vec<_> = scopes.iter().map(Scope::name).collect();
    let message =
        format!("{} has the scopes [{}], and none that this needs", call.admitted.name(), held.join(", "));
    Refusal::new(Reason::MissingRole, message)
}

/// An account of a kind that does not trade this: a custody account, or for conversions one of derivatives.
fn no_trader(call: &Rejected<'_>) -> Refusal {
    let name = call.payload.decimal_text("account").unwrap_or_default();
    let shown = match name.as_ref() {
        "" if call.admitted.key().is_some() => "The account of this key is".to_owned(),
        "" => format!("The account of {} is", call.admitted.name()),
        name => format!("Field 'account' names '{}', which is", quoted(name)),
    };
    let message = format!("{shown} of a kind that does not trade this");
    Refusal::new(Reason::AccountNotOfTypeRequired, message)
}

/// An account that owes the house this much neither trades nor withdraws (D-167).
pub fn in_debt(owed: &str) -> Refusal {
    let message = format!(
        "The account owes the exchange {owed} for a deposit that its bank took back: it neither trades nor withdraws until that is repaid"
    );
    Refusal::new(Reason::InsufficientFunds, message)
}

/// The gate admitted the call, but another call of the same key reached the writer first. The message is the gate's
/// (facts T§7.4).
fn nonce_used(payload: &Payload) -> Refusal {
    let shown = |name| payload.field(name).map_or(String::new(), |value| quoted(value.shown()));
    let message = format!(
        "Nonce '{}' has not increased since another call of this key was taken (this one was to '{}')",
        shown("nonce"),
        shown("request")
    );
    Refusal::new(Reason::InvalidNonce, message)
}

fn place(call: &Rejected<'_>, draft: &Draft<'_>, symbol: &Symbol, reject: PlaceReject) -> Refusal {
    let shown = symbol.name.to_ascii_uppercase();
    match reject {
        PlaceReject::InvalidSymbol => closed_symbol(text_of(&draft.symbol)),
        PlaceReject::NoAuctions => no_auctions(&shown),
        PlaceReject::AuctionNotOpen { opening } => auction_not_open(&shown, opening),
        PlaceReject::NoPrice => bad_order_field(Reason::InvalidPrice, "price", symbol, draft.price.text()),
        PlaceReject::Stop(error) => bad_stop(symbol, error, draft.stop.text()),
        PlaceReject::SpendIsForBuys => {
            bad_order_field(Reason::InvalidSide, "side", symbol, text_of(&draft.side))
        }
        PlaceReject::BelowMinimum => bad_size(draft, symbol).and("it buys less than can be traded"),
        PlaceReject::MarketClosed => market_closed(&shown),
        PlaceReject::MarketNotOpen(status) => {
            let message = format!(
                "The market for symbol {shown} does not take this order: its status is {}",
                status.name()
            );
            Refusal::new(Reason::MarketNotOpen, message)
        }
        PlaceReject::TooManyFills => {
            let why = format!("it would trade with more than {FILLS_MAX} orders at once");
            bad_size(draft, symbol).and(&why)
        }
        PlaceReject::TooManyOrders => {
            let message = format!("The account has {ORDERS_MAX} live orders, and no more are taken");
            Refusal::new(Reason::AccountLimitExceeded, message)
        }
        PlaceReject::InsufficientFunds { needed, .. } => {
            insufficient_funds(call, draft, symbol, Some(needed))
        }
        PlaceReject::BeyondFunds => insufficient_funds(call, draft, symbol, None),
        PlaceReject::Desk(DeskReject::WrongKind) => wrong_account(symbol),
        PlaceReject::Desk(DeskReject::Perp(refusal)) => perpetual(symbol, refusal),
        PlaceReject::Desk(DeskReject::SpotMargin(spot_margin::Refusal::NotOpen)) => {
            let message = format!(
                "The market for symbol {shown} takes no margin orders: its index has too few sources"
            );
            Refusal::new(Reason::MarketNotOpen, message)
        }
        PlaceReject::Desk(DeskReject::SpotMargin(spot_margin::Refusal::NoReference)) => {
            let message = format!(
                "The market for symbol {shown} takes only margin orders that sell: its price has no source but orders of your own group, or too few dollars rest on a side of its book"
            );
            Refusal::new(Reason::MarketNotOpen, message)
        }
        PlaceReject::Desk(DeskReject::SpotMargin(spot_margin::Refusal::NotLent)) => {
            let message = format!(
                "The market for symbol {shown} takes only margin orders that sell: no dollars are lent for it"
            );
            Refusal::new(Reason::MarketNotOpen, message)
        }
        PlaceReject::Desk(DeskReject::Advances) => {
            let message = format!("Failed to place order on symbol {shown}: {BEYOND_ADVANCES}");
            Refusal::new(Reason::InsufficientFunds, message)
        }
        PlaceReject::Desk(DeskReject::NoMargin) => {
            let expected =
                "false: only margin accounts trade on margin, in the currencies of POST /v1/margin/rates";
            bad_value("margin_order", expected, "true")
        }
    }
}

/// An option that is for auctions, on a symbol without any. `shown` is the symbol's name in upper case.
fn no_auctions(shown: &str) -> Refusal {
    let message = format!("Option \"auction-only\" is not supported: symbol {shown} has no auctions");
    Refusal::new(Reason::UnsupportedOption, message)
}

/// An order for an auction that takes none before it opens.
fn auction_not_open(shown: &str, opening: Time) -> Refusal {
    let message = format!(
        "The next auction of symbol {shown} does not take orders yet; it opens at {}",
        iso_millis(opening)
    );
    Refusal::new(Reason::AuctionNotOpen, message)
}

/// A stop price that breaks a rule (ORD-038 to ORD-042).
pub(crate) fn bad_stop(symbol: &Symbol, error: StopError, value: &str) -> Refusal {
    let (reason, rule) = match error {
        StopError::Missing => (Reason::InvalidStopPrice, "a stop-limit order needs one"),
        StopError::Buy => (Reason::InvalidStopPriceBuy, "a buy's lies below its price"),
        StopError::Sell => (Reason::InvalidStopPriceSell, "a sell's lies above its price"),
        StopError::TooFar => {
            (Reason::InvalidStopPriceRatio, "the price is at most half the stop price away from it")
        }
    };
    bad_order_field(reason, "stop price", symbol, value).and(rule)
}

/// An order that the desk of perpetuals does not take.
fn perpetual(symbol: &Symbol, refusal: perp::Refusal) -> Refusal {
    match refusal {
        perp::Refusal::NotOpen => {
            let message = format!(
                "The market for symbol {} takes only orders that reduce a position: its index has too few sources",
                symbol.name.to_ascii_uppercase()
            );
            Refusal::new(Reason::MarketNotOpen, message)
        }
        perp::Refusal::NoSpend => no_spend(symbol),
    }
}

/// Why a group with open advances makes no bad deal (D-181).
pub const BEYOND_ADVANCES: &str =
    "the group has an open advance, and would give up more than 5 % of its advances against the index";

/// Only derivatives accounts trade perpetuals, and they trade nothing else (D-36).
fn wrong_account(symbol: &Symbol) -> Refusal {
    let shown = symbol.name.to_ascii_uppercase();
    let message = match symbol.product {
        Product::Spot => format!("A derivatives account trades perpetuals only, not symbol {shown}"),
        Product::Swap => format!("Only a derivatives account trades symbol {shown}"),
        Product::Contract => format!("Only an exchange account trades contract {shown}"),
    };
    Refusal::new(Reason::AccountNotOfTypeRequired, message)
}

/// The refusal of an order that its account cannot pay for. Of a limit buy it names the amount that the order needs, which is more than
/// price times quantity; the terms of other orders already name it.
fn insufficient_funds(
    call: &Rejected<'_>,
    draft: &Draft<'_>,
    symbol: &Symbol,
    needed: Option<Money>,
) -> Refusal {
    let side = text_of(&draft.side);
    let quote = &call.names.currency(symbol.quote).code;
    let is_limit_buy =
        side == "buy" && matches!(text_of(&draft.kind), "exchange limit" | "exchange stop limit");
    let reserved = needed.filter(|_| is_limit_buy).map_or_else(String::new, |needed| {
        let mut digits = Vec::new();
        needed.push_floored(&mut digits, MONEY_DECIMALS);
        format!("; it reserves {} {quote}, the fee included", String::from_utf8_lossy(&digits))
    });
    let message = format!(
        "Failed to place {side} order on symbol {} for {}: insufficient funds{reserved}",
        symbol.name.to_ascii_uppercase(),
        terms(draft, quote)
    );
    Refusal::new(Reason::InsufficientFunds, message)
}

/// The refusal of a size that the symbol does not take. It names the field that holds the size.
fn bad_size(draft: &Draft<'_>, symbol: &Symbol) -> Refusal {
    let (kind, value) = match &draft.quantity {
        Figure::Sent(text, _) => ("quantity", &**text),
        Figure::Absent | Figure::Null => ("total spend", draft.spend.text()),
    };
    bad_order_field(Reason::InvalidQuantity, kind, symbol, value)
}

/// The terms of an order: price and quantity (facts T§7.4), or the fields that a market order has in their place.
fn terms(draft: &Draft<'_>, quote: &str) -> String {
    let (price, amount, spend) = (draft.price.text(), draft.quantity.text(), draft.spend.text());
    // A preview has a word of its own for a market order.
    match (text_of(&draft.kind), amount) {
        ("exchange market" | "market", "") => format!("the market price and total spend {spend} {quote}"),
        ("exchange market" | "market", _) => format!("the market price and quantity {amount}"),
        _ => format!("price {price} {quote} and quantity {amount}"),
    }
}
