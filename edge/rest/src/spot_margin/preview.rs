//! `POST /v1/margin/order/preview`: the figures of a margin account now, and after an order that is not placed (MARG-007 to MARG-009).

use super::summary::MarginSummary;
use buttonwood_call::{App, Call, Kinds, Route, refusal_of_order};
use buttonwood_engine::{DeskReject, Place, PlaceReject, Reject};
use buttonwood_gate::{Reason, Refusal};
use buttonwood_http::Reply;
use buttonwood_model::{Claim, OrderKind, Role, Scope, Side, Symbol, SymbolId};
use buttonwood_num::{Money, Price, Qty};
use buttonwood_wire::contract::{Decimal, InPayload, Loose, Needed, Text};
use buttonwood_wire::draft::Draft;
use buttonwood_wire::field::{bad_order_field, bad_value, unknown_symbol};
use buttonwood_wire::order_request::{limit_price, quantity, side, total_spend};
use buttonwood_wire::{answer, json, request, words};
use std::borrow::Cow;

/// Trader or Auditor, on a margin account.
pub(crate) const ROUTE: Route = Route::reading("/v1/margin/order/preview", answer)
    .roles(&[Role::Trader, Role::Auditor])
    .scopes(&[Scope::OrdersRead])
    .kinds(Kinds::Margin)
    .about("Computes the figures of a margin account before and after an order, without placing it.")
    .takes::<PreviewedOrder>()
    .gives::<OrderPreview>()
    .refuses(&[406]);

words! {
    /// The side of an order.
    struct PreviewSide: "buy", "sell"
}

words! {
    /// The type of an order.
    struct PreviewType: "market", "limit"
}

request! {
    /// A margin order that is not placed.
    struct PreviewedOrder in InPayload {
        /// The symbol, in any letter case.
        symbol: Needed<Text>,
        /// The side.
        side: Loose<PreviewSide>,
        /// The type.
        kind as "type": Loose<PreviewType>,
        /// The quantity, for limit orders and market sells.
        amount: Decimal,
        /// The limit price, for limit orders.
        price: Decimal,
        /// How much to spend, the fee included, for market buys.
        total_spend as "totalSpend": Decimal,
    }
}

answer! {
    /// The figures of an account before and after an order.
    struct OrderPreview {
        /// As they are now.
        preorder: MarginSummary,
        /// As they would be after the order: after the fills that it would have now, with its rest live.
        postorder: MarginSummary,
    }
}

fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let sent = PreviewedOrder::of(call.payload());
    let named = sent.symbol()?;
    let (id, symbol) = app.find_symbol(&named).ok_or_else(|| unknown_symbol(&named))?;
    let place = place(sent, (id, symbol))?;
    let previewed = {
        let views = app.exchange.views();
        views.state().effect(call.account(), call.gate().session(), &place, app.now_of(&views))
    };
    let figures = previewed.and_then(|preview| preview.on_margin.ok_or(PlaceReject::BeyondFunds));
    let [before, after] = figures.map_err(|reject| {
        if reject == PlaceReject::Desk(DeskReject::NoMargin) {
            return bad_value("symbol", &format!("one of {}", traded(app)), &named);
        }
        refusal_of_order(app, call, &draft(sent), Reject::place(reject))
    })?;
    Ok(Reply::json(json::body(&OrderPreview {
        preorder: MarginSummary::of(&before, None),
        postorder: MarginSummary::of(&after, None),
    })))
}

/// The symbols that are traded on margin.
fn traded(app: &App) -> String {
    let views = app.exchange.views();
    let symbols = views.state().spot_margin().coins().map(|(_, symbol)| app.names.symbol(symbol));
    symbols.map(|symbol| symbol.name.to_ascii_uppercase()).collect::<Vec<_>>().join(", ")
}

/// The order that is previewed.
fn place(sent: PreviewedOrder<'_>, (id, symbol): (SymbolId, &Symbol)) -> Result<Place, Refusal> {
    let side = side(&needed(sent.side(), "side")?, symbol)?;
    let text = needed(sent.kind(), "type")?;
    let kind = match (&*text, side) {
        ("limit", _) => OrderKind::Limit,
        ("market", Side::Buy) => OrderKind::MarketSpend,
        ("market", Side::Sell) => OrderKind::Market,
        (other, _) => {
            let value = format!("'{other}'");
            let refusal = bad_order_field(Reason::InvalidOrderType, "order type", symbol, &value);
            return Err(refusal.and("a type is market or limit"));
        }
    };
    let spends = kind == OrderKind::MarketSpend;
    let is_limited = kind == OrderKind::Limit;
    Ok(Place {
        symbol: id,
        side,
        claim: Claim::Yes,
        kind,
        option: None,
        price: if is_limited {
            limit_price(&needed(sent.price(), "price")?, symbol)?
        } else {
            Price::default()
        },
        qty: if spends { Qty::ZERO } else { quantity(&needed(sent.amount(), "amount")?, symbol)? },
        spend: if spends {
            total_spend(&needed(sent.total_spend(), "totalSpend")?, symbol)?
        } else {
            Money::ZERO
        },
        client_id: None,
        stop: Price::default(),
        margin: true,
    })
}

/// The order as the texts of a refusal name it.
fn draft(sent: PreviewedOrder<'_>) -> Draft<'_> {
    Draft {
        symbol: sent.symbol().map(Some),
        side: Ok(sent.side()),
        kind: Ok(sent.kind()),
        quantity: sent.amount().into(),
        spend: sent.total_spend().into(),
        price: sent.price().into(),
        ..Draft::default()
    }
}

fn needed<'a>(sent: Option<Cow<'a, str>>, name: &str) -> Result<Cow<'a, str>, Refusal> {
    sent.ok_or_else(|| Refusal::missing_key(name))
}
