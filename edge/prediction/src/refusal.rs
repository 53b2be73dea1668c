//! The refusals of orders of contracts (PM-012, PM-016, PM-019, PM-020).

use crate::not_found;
use buttonwood_call::{App, Call, core_refusal, owed};
use buttonwood_engine::prediction::Reject as PredictionReject;
use buttonwood_engine::{AccessReject, DeskReject, PlaceReject, Reject, StopError, TradingReject};
use buttonwood_gate::{Refusal, quoted};
use buttonwood_model::Symbol;
use buttonwood_num::{MONEY_DECIMALS, Money};
use buttonwood_wire::draft::{Draft, text_of};
use buttonwood_wire::field::{closed_account, wrong_kind};
use buttonwood_wire::reject::{BEYOND_ADVANCES, in_debt};

/// The refusal of an order that the core rejected, which is a call's own or an entry of its batch.
pub(crate) fn of_order(app: &App, call: &Call, order: &Draft<'_>, reject: Reject) -> Refusal {
    if let Reject::Prediction(reject) = reject {
        of_room(app, call, order, reject)
    } else if let Reject::Trading(TradingReject::Place(reject)) = reject {
        of_floor(app, call, order, reject)
    } else if reject == Reject::Access(AccessReject::InDebt) {
        no_funds(in_debt(&owed(app, call.account())).message)
    } else {
        core_refusal(app, call, reject)
    }
}

/// The refusal by the room of prediction markets.
fn of_room(app: &App, call: &Call, order: &Draft<'_>, reject: PredictionReject) -> Refusal {
    let name = text_of(&order.symbol);
    if reject == PredictionReject::TermsNotAccepted {
        terms_not_accepted()
    } else if reject == PredictionReject::WrongKind {
        account_kind(app, call).unwrap_or_else(|| bad("The account does not trade contracts"))
    } else if reject == PredictionReject::UnknownContract {
        not_found("Contract", name)
    } else if reject == PredictionReject::NotOpen {
        not_open(name)
    } else if reject == PredictionReject::SellOnly {
        let message = format!(
            "Contract {} is closed to buys from the account's jurisdiction; sales and cancels are taken",
            quoted(name)
        );
        Refusal::coded(403, "ACCOUNT_RESTRICTED_SELL_ONLY", message)
    } else {
        bad("The exchange does not take this request")
    }
}

/// The refusal by the trading floor.
fn of_floor(app: &App, call: &Call, order: &Draft<'_>, reject: PlaceReject) -> Refusal {
    let name = text_of(&order.symbol);
    match reject {
        PlaceReject::InvalidSymbol => not_found("Contract", name),
        PlaceReject::MarketClosed | PlaceReject::MarketNotOpen(_) => not_open(name),
        PlaceReject::Stop(error) => bad_stop(order, error),
        PlaceReject::InsufficientFunds { needed, available } => {
            let refusal = no_funds(short(app, order, needed, available));
            match withheld(app, call, order) {
                Some(why) => refusal.and(&why),
                None => refusal,
            }
        }
        PlaceReject::BeyondFunds => no_funds("The account's funds do not cover the order".to_owned()),
        PlaceReject::Desk(DeskReject::Advances) => {
            no_funds(format!("The order is not taken: {BEYOND_ADVANCES}"))
        }
        PlaceReject::Desk(DeskReject::WrongKind) => {
            account_kind(app, call).unwrap_or_else(|| bad("The account does not trade contracts"))
        }
        PlaceReject::TooManyFills => bad_field(
            "quantity",
            order.quantity.text(),
            "smaller: the order would trade with too many orders at once",
        ),
        PlaceReject::TooManyOrders => bad("The account has the most live orders that it may have"),
        PlaceReject::BelowMinimum => {
            bad_field("quantity", order.quantity.text(), "at least the contract's quantityMinimum")
        }
        PlaceReject::NoPrice => bad_field("price", order.price.text(), "more than 0 and less than 1"),
        PlaceReject::NoAuctions
        | PlaceReject::AuctionNotOpen { .. }
        | PlaceReject::SpendIsForBuys
        | PlaceReject::Desk(DeskReject::Perp(_) | DeskReject::SpotMargin(_) | DeskReject::NoMargin) => {
            bad("The exchange does not take this request")
        }
    }
}

/// A refusal that comes before those of the order's own fields: of an account that does not trade contracts, or whose group has not
/// accepted the latest terms.
pub(super) fn before_fields(app: &App, call: &Call) -> Option<Refusal> {
    account_kind(app, call).or_else(|| {
        let views = app.exchange.views();
        let state = views.state();
        let group = state.access().account(call.account())?.group?;
        (!state.predictions().has_accepted(group)).then(terms_not_accepted)
    })
}

/// The refusal of an account that is closed, or of a kind that does not trade contracts.
fn account_kind(app: &App, call: &Call) -> Option<Refusal> {
    let views = app.exchange.views();
    let access = views.state().access();
    let account = access.account(call.account())?;
    if access.is_closed(call.account()) {
        return Some(closed_account(&account.short_name));
    }
    let trades = account.kind == buttonwood_engine::AccountKind::Exchange;
    (!trades).then(|| wrong_kind(&account.short_name, account.kind.name()))
}

fn terms_not_accepted() -> Refusal {
    let message = "The account's group has not accepted the latest terms; \
                   POST /v1/prediction-markets/terms/accept accepts them";
    Refusal::coded(403, "TERMS_NOT_ACCEPTED", message)
}

/// A contract that takes no orders now.
fn not_open(name: &str) -> Refusal {
    bad(&format!("Contract {} takes no orders: its market is closed", quoted(name)))
}

fn bad(message: &str) -> Refusal {
    Refusal::coded(400, "InvalidInput", message)
}

fn bad_field(name: &str, text: &str, expected: &str) -> Refusal {
    Refusal::misfit("Field", name, expected, text)
}

/// A stop price that breaks the rule of contracts, in the view of the order's own outcome (F§18.5).
fn bad_stop(order: &Draft<'_>, error: StopError) -> Refusal {
    let price = quoted(order.price.text());
    let expected = match (error, text_of(&order.side)) {
        (StopError::Missing, _) => "given for a stop-limit order".to_owned(),
        (StopError::Buy | StopError::Sell | StopError::TooFar, "sell") => {
            format!("at least the price {price} and at most the last price of the outcome")
        }
        (StopError::Buy | StopError::Sell | StopError::TooFar, _) => {
            format!("at least the last price of the outcome and at most the price {price}")
        }
    };
    bad_field("stopPrice", order.stop.text(), &expected)
}

/// Why less may be spent than the account has: it is in debt, or its group has an advance or a debt (D-167, D-181).
fn withheld(app: &App, call: &Call, order: &Draft<'_>) -> Option<String> {
    let (is_in_debt, is_in_advance) = {
        let views = app.exchange.views();
        let state = views.state();
        (state.access().is_in_debt(call.account()), state.is_in_advance(call.account()))
    };
    if is_in_debt {
        return Some(in_debt(&owed(app, call.account())).message);
    }
    let buys = text_of(&order.side) == "buy";
    (is_in_advance && buys).then(|| GROUP_IN_ADVANCE.to_owned())
}

/// The reason why a group with an open advance may spend less than it has.
const GROUP_IN_ADVANCE: &str = "the account's group has an open advance for a deposit, or owes for one that was returned, and only money \
                                beyond it buys contracts";

/// The text for too little money, or too few claims.
fn short(app: &App, order: &Draft<'_>, needed: Money, available: Money) -> String {
    let name = text_of(&order.symbol);
    let unit = match text_of(&order.side) {
        "sell" => format!("contracts of {} on {}", quoted(name), quoted(text_of(&order.outcome))),
        _ => app.find_contract(name).map(|(_, symbol)| quote(app, symbol)).unwrap_or_default(),
    };
    let (needed, available) = (digits(needed), digits(available));
    format!("The order needs {needed} {unit}, and the account has {available} available")
}

fn quote(app: &App, symbol: &Symbol) -> String {
    app.names.currency(symbol.quote).code.clone()
}

fn digits(amount: Money) -> String {
    let mut out = Vec::new();
    amount.push_floored(&mut out, MONEY_DECIMALS);
    String::from_utf8_lossy(&out).into_owned()
}

fn no_funds(message: String) -> Refusal {
    Refusal::coded(422, "InsufficientFunds", message)
}
