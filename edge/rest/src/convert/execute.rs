//! `POST /v1/instant/execute`: execute a quote (WRAP-015 to WRAP-018).

use super::quote::{instant_symbol, shown};
use super::{MISSING, refusal};
use crate::orders::checks::check_open;
use buttonwood_call::{App, Call, Kinds, Route, Write};
use buttonwood_engine::{Body, ConvertAnswer, ConvertCommand, Execute, QuoteId};
use buttonwood_gate::{NO_EXPONENT, Reason, Refusal, has_exponent};
use buttonwood_http::Reply;
use buttonwood_num::{Decimal as Number, Money};
use buttonwood_sequencer::Receipt;
use buttonwood_wire::answers::SideName;
use buttonwood_wire::contract::{Decimal, InPayload, Loose, Needed, Sent, Text, Whole};
use buttonwood_wire::convert::Conversion;
use buttonwood_wire::field::{bad_order_field, bad_value};
use buttonwood_wire::order_request::{ClientOrderId, Ordered, client_id, side};
use buttonwood_wire::{json, request};

/// Trader only.
pub(crate) const ROUTE: Route =
    Route::writing("/v1/instant/execute", Write { command, answer, closed: None })
        .right(ConvertCommand::RIGHT)
        .kinds(Kinds::Trading)
        .about("Executes a quote, whose terms the call repeats.")
        .takes::<ExecuteFields>()
        .gives::<Conversion>()
        .refuses(&[406]);

request! {
    /// The quote to execute, with its terms.
    struct ExecuteFields in InPayload {
        /// The quote's symbol, in any letter case.
        symbol: Ordered<Loose<Text>>,
        /// The quote's side.
        side: Ordered<Loose<SideName>>,
        /// The quote's quantity.
        quantity: Ordered<Decimal>,
        /// The quote's price.
        price: Ordered<Decimal>,
        /// The quote's fee.
        fee: Needed<Decimal>,
        /// The quote.
        quote_id as "quoteId": Needed<Whole>,
        /// An id of the client's own, which need not be unique: `/v1/order/status` finds the execution by it.
        client_order_id: Sent<ClientOrderId>,
    }
}

fn command(app: &App, call: &Call) -> Result<Body, Refusal> {
    check_open(app, call)?;
    let sent = ExecuteFields::of(call.payload());
    let (id, symbol) = instant_symbol(app, call, &sent.symbol().unwrap_or(MISSING.into()))?;
    let side = side(&sent.side().unwrap_or(MISSING.into()), symbol)?;
    let text = sent.quantity().unwrap_or(MISSING.into());
    let bad = |reason, kind, text: &str| {
        let must_be = format!("it must be the {kind} of the quote");
        bad_order_field(reason, kind, symbol, text).and(if has_exponent(text) {
            NO_EXPONENT
        } else {
            &must_be
        })
    };
    let quantity = money(&text).ok_or_else(|| bad(Reason::InvalidQuantity, "quantity", &text))?;
    let text = sent.price().unwrap_or(MISSING.into());
    let price = Number::parse(text.as_bytes()).ok().and_then(|price| symbol.grid.price(price));
    let price = price.ok_or_else(|| bad(Reason::InvalidPrice, "price", &text))?;
    let text = sent.fee()?;
    let fee = money(&text).ok_or_else(|| bad_value("fee", "the fee of the quote", &text))?;
    let quote = QuoteId(sent.quote_id()?);
    let client_id = client_id(sent.client_order_id())?;
    Ok(ConvertCommand::Execute(Execute { quote, symbol: id, side, quantity, price, fee, client_id }).into())
}

fn money(text: &str) -> Option<Money> {
    Number::parse(text.as_bytes()).ok().and_then(Money::from_decimal)
}

fn answer(app: &App, call: &Call, receipt: &Receipt) -> Result<Reply, Refusal> {
    let (order, quote) = receipt.part(ConvertAnswer::executed).map_err(|reject| {
        let sent = ExecuteFields::of(call.payload());
        let (symbol, quantity) = (sent.symbol().unwrap_or_default(), sent.quantity().unwrap_or_default());
        refusal(app, call, (&symbol, &quantity), reject)
    })?;
    let (price, amounts) = shown(app, quote)?;
    Ok(Reply::json(json::body(&Conversion::of(order, price, amounts))))
}
