//! The preview of an order, decided by the core: `/site/preview`.

use super::caller::Caller;
use super::held_order::{self, PreviewedOrder};
use super::interface::held;
use buttonwood_call::{HeldCall, Later};
use buttonwood_engine::{MarginAfter, Preview};
use buttonwood_gate::Payload;
use buttonwood_http::Reply;
use buttonwood_model::Symbol;
use buttonwood_num::{Money, Price, Qty};
use buttonwood_wire::contract::{DecimalText, Label, Nullable};
use buttonwood_wire::order::reason_name;
use buttonwood_wire::{answer, json, words};

words! {
    /// Whether the order would be taken.
    struct PreviewResult: "ok", "refused"
}

answer! {
    /// The effect of an order if it were sent with nothing in between. Prices and costs of a contract are those of the order's own outcome.
    struct OrderPreview {
        /// Whether it would be taken.
        result: PreviewResult,
        /// Of a refused order the reason of the refusal; of another one why it, or what is left of it, would be cancelled at once.
        reason: Nullable<String>,
        /// The text of the refusal.
        message: Nullable<Label>,
        /// How much would trade at once.
        executed: Nullable<DecimalText>,
        /// The average price of that; null if nothing would trade.
        average_price: Nullable<DecimalText>,
        /// The price of its worst fill.
        worst_price: Nullable<DecimalText>,
        /// How much would rest, or wait for an auction or for its stop price.
        rests: Nullable<DecimalText>,
        /// Price times quantity of what would trade, without the fee; what it brings if the order sells.
        cost: Nullable<DecimalText>,
        /// The fee for what would trade.
        fee: Nullable<DecimalText>,
        /// The reserve of the rest, of what the order pays with: the quote currency of a buy, the base currency or the claims of a sale.
        /// Null for a perpetual, whose orders reserve margin and no money.
        hold: Nullable<DecimalText>,
        /// The amount that orders could use then of what the order pays with.
        available_after: Nullable<DecimalText>,
        /// The largest quantity that the account's money allows on this side at this price, also of an order that is refused for its
        /// amount; null for an order that names money to spend.
        most: Nullable<DecimalText>,
        /// Of a perpetual: the position after it; negative if it is short.
        position_after: Nullable<DecimalText>,
        /// The leverage of the account after it.
        leverage_after: Nullable<DecimalText>,
        /// The initial margin of the account after it, that of live orders included.
        margin_after: Nullable<DecimalText>,
        /// The mark of the perpetual at which the account would be liquidated then; null if there is none.
        liquidation_price_after: Nullable<DecimalText>,
        /// Of a buy of a contract: the dollars that its claims would pay if their outcome came, those of its rest included.
        payout: Nullable<DecimalText>,
    }
}

pub(super) fn preview<'a>(caller: &'a Caller<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move {
        let again = || held(caller);
        let call = HeldCall::new(held(caller)?, fields, &again);
        let previewed = held_order::preview(caller.app, call).await?;
        Ok(Reply::json(json::body(&shown(previewed))))
    })
}

fn shown(previewed: PreviewedOrder<'_>) -> OrderPreview {
    let PreviewedOrder { symbol, most, outcome } = previewed;
    let most = Nullable(most.map(|most| qty(symbol, most)));
    match outcome {
        Ok(preview) => taken(symbol, &preview, most),
        Err(refusal) => OrderPreview {
            result: PreviewResult("refused"),
            reason: Nullable(Some(refusal.code().to_owned())),
            message: Nullable(Some(Label(refusal.message))),
            most,
            ..blank()
        },
    }
}

/// A preview without any figure.
fn blank() -> OrderPreview {
    OrderPreview {
        result: PreviewResult("ok"),
        reason: Nullable(None),
        message: Nullable(None),
        executed: Nullable(None),
        average_price: Nullable(None),
        worst_price: Nullable(None),
        rests: Nullable(None),
        cost: Nullable(None),
        fee: Nullable(None),
        hold: Nullable(None),
        available_after: Nullable(None),
        most: Nullable(None),
        position_after: Nullable(None),
        leverage_after: Nullable(None),
        margin_after: Nullable(None),
        liquidation_price_after: Nullable(None),
        payout: Nullable(None),
    }
}

fn taken(symbol: &Symbol, preview: &Preview, most: Nullable<DecimalText>) -> OrderPreview {
    let Preview { executed, cost, worst, rests, fee, hold, available, reason, margin, payout, .. } = *preview;
    let average = || DecimalText::of(|out| symbol.grid.push_average(out, cost, executed));
    let of_margin =
        |pick: fn(&MarginAfter) -> Money| Nullable(margin.as_ref().map(pick).map(DecimalText::exact));
    OrderPreview {
        reason: Nullable(reason.map(|reason| reason_name(reason).to_owned())),
        executed: Nullable(Some(qty(symbol, executed))),
        average_price: Nullable((executed > Qty::ZERO).then(average)),
        worst_price: Nullable(worst.map(|worst| price(symbol, worst))),
        rests: Nullable(Some(qty(symbol, rests))),
        cost: Nullable(Some(DecimalText::exact(cost))),
        fee: Nullable(Some(DecimalText::exact(fee))),
        hold: Nullable(hold.map(DecimalText::exact)),
        available_after: Nullable(available.map(DecimalText::exact)),
        most,
        position_after: of_margin(|margin| margin.position),
        leverage_after: of_margin(|margin| margin.leverage),
        margin_after: of_margin(|margin| margin.margin),
        liquidation_price_after: Nullable(
            margin.and_then(|margin| margin.liquidation_price).map(DecimalText::exact),
        ),
        payout: Nullable(payout.map(DecimalText::exact)),
        ..blank()
    }
}

/// A quantity of the symbol.
pub(super) fn qty(symbol: &Symbol, qty: Qty) -> DecimalText {
    DecimalText::of(|out| symbol.grid.push_qty(out, qty))
}

/// A price of the symbol.
pub(super) fn price(symbol: &Symbol, price: Price) -> DecimalText {
    DecimalText::of(|out| symbol.grid.push_price(out, price))
}
