//! `POST /v1/instant/quote` and `/v1/instant/quote/{side}/{symbol}`: a price for an instant order (WRAP-009 to WRAP-014).

use super::{MISSING, refusal};
use crate::orders::checks::{check_open, is_closed_to};
use buttonwood_call::{App, Call, Kinds, Route, Write};
use buttonwood_engine::{Body, ConvertAnswer, ConvertCommand, ConvertQuote, QuoteRequest, Spend};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::{Side, Symbol, SymbolId};
use buttonwood_sequencer::Receipt;
use buttonwood_wire::answers::SideName;
use buttonwood_wire::contract::{Decimal, DecimalText, InPayload, Loose, Text};
use buttonwood_wire::convert::{Amounts, InstantQuote, amounts};
use buttonwood_wire::field::{bad_value, closed_symbol, failed, unknown_symbol};
use buttonwood_wire::order_request::{Ordered, quantity, side, total_spend};
use buttonwood_wire::{json, request, words};
use std::borrow::Cow;

/// Trader only.
pub(crate) const ROUTE: Route =
    Route::writing("/v1/instant/quote", Write { command: by_payload, answer, closed: None })
        .right(ConvertCommand::RIGHT)
        .kinds(Kinds::Trading)
        .about("Quotes a price for an instant order, which changes no balance.")
        .takes::<QuoteFields>()
        .gives::<InstantQuote>();

/// The same, with side and symbol in the path.
pub(crate) const BY_PATH: Route =
    Route::writing("/v1/instant/quote/{side}/{symbol}", Write { command: by_path, answer, closed: None })
        .right(ConvertCommand::RIGHT)
        .kinds(Kinds::Trading)
        .about("Quotes a price for an instant order of this side and symbol, which changes no balance.")
        .takes::<QuoteByPathFields>()
        .gives::<InstantQuote>();

words! {
    /// Where the money of an instant order comes from. Only the account's balance is taken yet.
    struct PaymentMethodType: "AccountBalancePaymentType", "BankAccountType", "CardAccountType"
}

request! {
    /// The quote that is requested.
    struct QuoteFields in InPayload {
        /// The symbol, in any letter case.
        symbol: Ordered<Loose<Text>>,
        /// The side.
        side: Ordered<Loose<SideName>>,
        /// The amount to spend: quote currency with the fee for a buy, base currency for a sell.
        total_spend as "totalSpend": Ordered<Decimal>,
        /// Where the money comes from: the account's balance unless the call says otherwise.
        payment_method_type as "paymentMethodType": Loose<PaymentMethodType>,
        /// The payment method; a payment from the account's balance needs none.
        payment_method as "paymentMethodUuid": Text,
    }
}

request! {
    /// The quote that is requested, where the path has side and symbol.
    struct QuoteByPathFields in InPayload {
        /// The symbol; if it is there, that of the path.
        symbol: Loose<Text>,
        /// The side; if it is there, that of the path.
        side: Loose<SideName>,
        /// The amount to spend: quote currency with the fee for a buy, base currency for a sell.
        total_spend as "totalSpend": Ordered<Decimal>,
        /// Where the money comes from: the account's balance unless the call says otherwise.
        payment_method_type as "paymentMethodType": Loose<PaymentMethodType>,
        /// The payment method; a payment from the account's balance needs none.
        payment_method as "paymentMethodUuid": Text,
    }
}

fn by_payload(app: &App, call: &Call) -> Result<Body, Refusal> {
    let sent = QuoteFields::of(call.payload());
    let symbol = sent.symbol().unwrap_or(MISSING.into());
    let side = sent.side().unwrap_or(MISSING.into());
    command(app, call, &symbol, &side)
}

fn by_path(app: &App, call: &Call) -> Result<Body, Refusal> {
    let (side, symbol) = call.parameter().split_once('/').unwrap_or((call.parameter(), ""));
    let sent = QuoteByPathFields::of(call.payload());
    if let Some(other) = sent.symbol().filter(|other| !other.eq_ignore_ascii_case(symbol)) {
        return Err(bad_value("symbol", &format!("that of the path, {symbol}"), &other));
    }
    if let Some(other) = sent.side().filter(|other| other != side) {
        return Err(bad_value("side", &format!("that of the path, {side}"), &other));
    }
    command(app, call, symbol, side)
}

fn command(app: &App, call: &Call, name: &str, side_sent: &str) -> Result<Body, Refusal> {
    check_open(app, call)?;
    let (id, symbol) = instant_symbol(app, call, name)?;
    let sent = QuoteFields::of(call.payload());
    let amount = sent.total_spend().unwrap_or(MISSING.into());
    let spend = match side(side_sent, symbol)? {
        Side::Buy => Spend::Buy(total_spend(&amount, symbol)?),
        Side::Sell => Spend::Sell(quantity(&amount, symbol)?),
    };
    check_payment(sent)?;
    Ok(ConvertCommand::Quote(QuoteRequest { symbol: id, spend }).into())
}

/// A symbol that is open to the account.
pub(super) fn instant_symbol<'a>(
    app: &'a App,
    call: &Call,
    name: &str,
) -> Result<(SymbolId, &'a Symbol), Refusal> {
    let (id, symbol) = app.find_symbol(name).ok_or_else(|| unknown_symbol(name))?;
    if !symbol.closed_to.is_empty() && is_closed_to(app, call, symbol) {
        return Err(closed_symbol(name));
    }
    Ok((id, symbol))
}

/// Money comes from the account's balance until banks and cards can be charged (WRAP-010).
fn check_payment(sent: QuoteFields<'_>) -> Result<(), Refusal> {
    sent.payment_method()?;
    match sent.payment_method_type().as_deref() {
        None | Some("AccountBalancePaymentType") => Ok(()),
        Some(known @ ("BankAccountType" | "CardAccountType")) => {
            let expected =
                "AccountBalancePaymentType: instant orders are not funded from banks and cards yet";
            Err(bad_value("paymentMethodType", expected, known))
        }
        Some(other) => {
            let expected = "one of AccountBalancePaymentType, BankAccountType, CardAccountType";
            Err(bad_value("paymentMethodType", expected, other))
        }
    }
}

fn answer(app: &App, call: &Call, receipt: &Receipt) -> Result<Reply, Refusal> {
    let quote = receipt.part(ConvertAnswer::quoted).map_err(|reject| {
        let sent = QuoteFields::of(call.payload());
        let by_path = call.parameter().split_once('/').map(|(_, symbol)| Cow::Borrowed(symbol));
        let symbol = by_path.or(sent.symbol()).unwrap_or_default();
        refusal(app, call, (&symbol, &sent.total_spend().unwrap_or_default()), reject)
    })?;
    let (price, amounts) = shown(app, quote)?;
    Ok(Reply::json(json::body(&InstantQuote::of(quote, price, amounts))))
}

/// Price and amounts of a quote.
pub(super) fn shown(app: &App, quote: &ConvertQuote) -> Result<(DecimalText, Amounts), Refusal> {
    let symbol = app.names.symbol(quote.symbol);
    let moved = quote.amounts(symbol).ok_or_else(failed)?;
    let price = DecimalText::of(|out| symbol.grid.push_price(out, quote.price));
    Ok((price, amounts(&app.names, symbol, quote.side, moved.base, moved.spend, quote.fee)))
}
