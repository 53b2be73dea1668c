//! The fields and the rules of an order of a listed symbol (ORD-024 to ORD-036), and the name of an order that exists.

use crate::answers::{OptionName, SideName};
use crate::contract::{Described, Flag, InPayload, Kind, Loose, Node, Sent, Text, Whole};
use crate::draft::{Draft, Figure, Figured, Word};
use crate::field::{bad_order_field, bad_value};
use crate::order::option_name;
use crate::reject::bad_stop;
use crate::{request, words};
use buttonwood_engine::{OrderRef, Place, RefusedDraft, StopError};
use buttonwood_gate::{NO_EXPONENT, Payload, Reason, Refusal, Value, has_exponent, items, quoted};
use buttonwood_model::{
    CLIENT_ID_MAX, Claim, ClientId, ClientIdError, ExecutionOption, OrderId, OrderKind, Product,
    RefusalReason, Side, Symbol, SymbolId,
};
use buttonwood_num::{Decimal as Number, Money, Price, Qty};
use std::borrow::Cow;
use std::marker::PhantomData;

words! {
    /// The type of a new order.
    pub struct NewOrderType: "exchange limit", "exchange market", "exchange stop limit"
}

/// A text or decimal that every order needs; [`symbol_name`] refuses an order without it, and the field's own refusal quotes `null`.
#[derive(Debug)]
pub struct Ordered<K>(PhantomData<K>);

impl<K: Described> Described for Ordered<K> {
    const REQUIRED: bool = true;

    fn schema() -> Node {
        K::schema()
    }
}

impl<'a, K: Described> Kind<&'a Payload> for Ordered<K> {
    type Read = Option<Cow<'a, str>>;

    #[expect(clippy::inline_always, reason = "the beginning of the name is then a constant")]
    #[inline(always)]
    fn read(source: &'a Payload, name: &'static str) -> Self::Read {
        source.needed_text(name)
    }
}

/// The execution options of a new order: none or one.
#[derive(Debug)]
pub enum Options {}

impl Described for Options {
    fn schema() -> Node {
        Node::of_type("array").with("items", OptionName::schema()).with("maxItems", 1)
    }
}

/// An id of the client's own for an order.
#[derive(Debug)]
pub enum ClientOrderId {}

impl Described for ClientOrderId {
    fn schema() -> Node {
        Node::of_type("string").with("pattern", "^[A-Za-z0-9#.:_-]{1,100}$")
    }
}

request! {
    /// A new order.
    pub struct NewOrder in InPayload {
        /// The symbol, in any letter case.
        symbol: Ordered<Loose<Text>>,
        /// The side.
        side: Ordered<Loose<SideName>>,
        /// The type.
        kind as "type": Ordered<Loose<NewOrderType>>,
        /// The limit price, a multiple of the symbol's `quote_increment`; for limit and stop-limit orders, which need it.
        price: Figured<false>,
        /// The stop price of a stop-limit order, below the limit of a buy and above that of a sell, by at most half the stop price.
        /// Other orders ignore it.
        stop_price: Figured<false>,
        /// The quantity, a multiple of the symbol's `tick_size` and at least its `min_order_size`.
        amount: Figured<false>,
        /// How much of the quote currency to spend; for market buys, in place of `amount`.
        total_spend: Figured<false>,
        /// The execution option. `maker-or-cancel` and `auction-only` are for limit orders.
        options: Sent<Options>,
        /// An id of the client's own, which need not be unique.
        client_order_id: Sent<ClientOrderId>,
        /// Whether a buy may borrow what the account lacks: on margin accounts, for four currencies against USD.
        margin_order: Flag<false>,
    }
}

/// The name of the symbol that a new order is for, as it was sent.
///
/// # Errors
/// When a field that every order needs is missing.
pub fn symbol_name<'d>(draft: &'d Draft<'_>) -> Result<&'d str, Refusal> {
    for (name, word) in [("symbol", &draft.symbol), ("side", &draft.side), ("type", &draft.kind)] {
        if matches!(word, Ok(None)) {
            return Err(missing(name));
        }
    }
    Ok(text(&draft.symbol)?.unwrap_or_default())
}

/// A text of a draft.
fn text<'d>(word: &'d Word<'_>) -> Result<Option<&'d str>, Refusal> {
    word.as_ref().map(Option::as_deref).map_err(Clone::clone)
}

/// A new order for this symbol.
///
/// # Errors
/// The first field that does not fit.
pub(crate) fn place(draft: &Draft<'_>, id: SymbolId, symbol: &Symbol) -> Result<Place, Refusal> {
    let side = side(text(&draft.side)?.unwrap_or_default(), symbol)?;
    let kind = kind(draft, symbol, side)?;
    let option = option(draft)?;
    if let Some(resting @ (ExecutionOption::MakerOrCancel | ExecutionOption::AuctionOnly)) = option
        && matches!(kind, OrderKind::Market | OrderKind::MarketSpend)
    {
        return Err(unsupported(resting, "market"));
    }
    if let (OrderKind::StopLimit, Some(option)) = (kind, option) {
        return Err(unsupported(option, "stop-limit"));
    }
    let margin = draft.margin.clone()?;
    let spends = kind == OrderKind::MarketSpend;
    if spends && symbol.product == Product::Swap {
        return Err(no_spend(symbol));
    }
    let is_limited = matches!(kind, OrderKind::Limit | OrderKind::StopLimit);
    Ok(Place {
        symbol: id,
        side,
        claim: Claim::Yes,
        kind,
        option,
        price: if is_limited { price_of(present(&draft.price, "price")?, symbol)? } else { Price::default() },
        stop: if kind == OrderKind::StopLimit { stop(&draft.stop, symbol)? } else { Price::default() },
        qty: if spends { Qty::ZERO } else { qty_of(present(&draft.quantity, "amount")?, symbol)? },
        spend: if spends { spend_of(present(&draft.spend, "total_spend")?, symbol)? } else { Money::ZERO },
        client_id: draft.client_id.clone()?,
        margin,
    })
}

/// Refuses a stop price at the limit, which only the newest socket takes (ORD-038, T§12.2).
///
/// # Errors
/// `InvalidStopPriceBuy`, `InvalidStopPriceSell`.
pub fn check_stop_apart(place: &Place, symbol: &Symbol) -> Result<(), Refusal> {
    if place.kind != OrderKind::StopLimit || place.stop != place.price {
        return Ok(());
    }
    let error = if place.side == Side::Buy { StopError::Buy } else { StopError::Sell };
    Err(bad_stop(symbol, error, &shown(|out| symbol.grid.push_price(out, place.stop))))
}

/// The order as [`Draft::refused`] has it.
pub(crate) fn refused(
    draft: &Draft<'_>,
    id: SymbolId,
    symbol: &Symbol,
    refusal: &Refusal,
) -> Option<RefusedDraft> {
    let reason = RefusalReason::of_name(refusal.code())?;
    let side = side(text(&draft.side).ok()?.unwrap_or_default(), symbol).ok()?;
    Some(RefusedDraft {
        symbol: id,
        side,
        claim: Claim::Yes,
        kind: kind(draft, symbol, side).ok()?,
        option: option(draft).ok()?,
        price: draft.price.number().ok()?,
        stop: draft.stop.number().ok()?,
        qty: draft.quantity.number().ok()?,
        spend: draft.spend.number().ok()?,
        client_id: draft.client_id.as_ref().ok().copied()?,
        reason,
    })
}

/// Market orders of perpetuals name their amount.
pub(crate) fn no_spend(symbol: &Symbol) -> Refusal {
    let shown = symbol.name.to_ascii_uppercase();
    let message =
        format!("Field 'total_spend' is for spot orders; a market order on symbol {shown} names an 'amount'");
    Refusal::new(Reason::InvalidParameterValue, message)
}

fn unsupported(option: ExecutionOption, orders: &str) -> Refusal {
    let message = format!("Option \"{}\" is not supported for {orders} orders", option_name(option));
    Refusal::new(Reason::UnsupportedOption, message)
}

fn missing(name: &str) -> Refusal {
    Refusal::new(Reason::MissingOrderField, format!("Missing required field '{name}'"))
}

/// A side as it was sent; empty if it is absent.
///
/// # Errors
/// `InvalidSide`.
pub fn side(text: &str, symbol: &Symbol) -> Result<Side, Refusal> {
    match text {
        "buy" => Ok(Side::Buy),
        "sell" => Ok(Side::Sell),
        other => {
            let refusal = bad_order_field(Reason::InvalidSide, "side", symbol, &format!("'{other}'"));
            Err(refusal.and("a side is buy or sell"))
        }
    }
}

fn kind(draft: &Draft<'_>, symbol: &Symbol, side: Side) -> Result<OrderKind, Refusal> {
    match text(&draft.kind)?.unwrap_or_default() {
        "exchange limit" => Ok(OrderKind::Limit),
        "exchange stop limit" => Ok(OrderKind::StopLimit),
        "exchange market" => match (&draft.quantity, &draft.spend) {
            (Figure::Sent(..), Figure::Sent(spend, _)) => {
                let expected = match side {
                    Side::Buy => "sent instead of 'amount', not beside it",
                    Side::Sell => "left out of a sell, which is for an 'amount'",
                };
                Err(bad_value("total_spend", expected, spend))
            }
            (Figure::Absent | Figure::Null, Figure::Sent(..)) if side == Side::Buy => {
                Ok(OrderKind::MarketSpend)
            }
            // A buy needs one of the two: where the only one sent is `null`, it is the one that is refused.
            (Figure::Absent, Figure::Null) if side == Side::Buy => Ok(OrderKind::MarketSpend),
            _ => Ok(OrderKind::Market),
        },
        other => {
            let value = format!("'{other}'");
            let refusal = bad_order_field(Reason::InvalidOrderType, "order type", symbol, &value);
            Err(refusal.and("a type is exchange limit, exchange market or exchange stop limit"))
        }
    }
}

/// The text of the only option of an order.
///
/// # Errors
/// `OptionsMustBeArray`, `ConflictingOptions`.
pub(crate) fn only_option(sent: Option<Value<'_>>) -> Word<'_> {
    let raw = match sent {
        None => return Ok(None),
        Some(Value::Array(raw)) => raw,
        Some(other) => {
            let message = format!("Field 'options' must be an array of strings: {}", quoted(other.shown()));
            return Err(Refusal::new(Reason::OptionsMustBeArray, message));
        }
    };
    let mut given = items(raw);
    match (given.next(), given.next()) {
        (None, _) => Ok(None),
        (Some(item), None) => Ok(Some(item.into_text())),
        (Some(_), Some(_)) => {
            let message = format!(
                "Field 'options' takes one of maker-or-cancel, immediate-or-cancel, auction-only and fill-or-kill, \
                 not several: {}",
                quoted(raw)
            );
            Err(Refusal::new(Reason::ConflictingOptions, message))
        }
    }
}

fn option(draft: &Draft<'_>) -> Result<Option<ExecutionOption>, Refusal> {
    text(&draft.option)?.map(known_option).transpose()
}

fn known_option(name: &str) -> Result<ExecutionOption, Refusal> {
    match name {
        "maker-or-cancel" => Ok(ExecutionOption::MakerOrCancel),
        "immediate-or-cancel" => Ok(ExecutionOption::ImmediateOrCancel),
        "fill-or-kill" => Ok(ExecutionOption::FillOrKill),
        "auction-only" => Ok(ExecutionOption::AuctionOnly),
        other => {
            let message = format!("Option \"{}\" is not supported", quoted(other));
            let known = "options are maker-or-cancel, immediate-or-cancel, fill-or-kill and auction-only";
            Err(Refusal::new(Reason::UnsupportedOption, message).and(known))
        }
    }
}

/// A decimal as it was sent, and as a number if it can be read.
type Read<'d> = (&'d str, Option<Number>);

fn read(text: &str) -> Read<'_> {
    (text, Number::parse(text.as_bytes()).ok())
}

/// A decimal that an order of this type needs.
fn present<'d>(figure: &'d Figure<'_>, name: &str) -> Result<Read<'d>, Refusal> {
    figure.needed().ok_or_else(|| missing(name))
}

/// A limit price as it was sent.
///
/// # Errors
/// `InvalidPrice` when it is not a multiple of the symbol's price step.
pub fn limit_price(text: &str, symbol: &Symbol) -> Result<Price, Refusal> {
    price_of(read(text), symbol)
}

fn price_of((text, decimal): Read<'_>, symbol: &Symbol) -> Result<Price, Refusal> {
    let price = decimal.and_then(|decimal| symbol.grid.price(decimal));
    price.ok_or_else(|| {
        let tick = shown(|out| symbol.grid.push_tick(out));
        let takes = if decimal.is_some_and(|decimal| symbol.grid.is_beyond(decimal)) {
            let most = shown(|out| symbol.grid.push_price(out, Price::from_ticks(u64::MAX)));
            format!("a price is a multiple of {tick}, and at most {most}")
        } else {
            format!("a price is a multiple of {tick}")
        };
        let refusal = bad_order_field(Reason::InvalidPrice, "price", symbol, text);
        refusal.and(&digits_hint(decimal, text).unwrap_or(takes))
    })
}

/// The stop price of a stop-limit order (ORD-039).
fn stop(figure: &Figure<'_>, symbol: &Symbol) -> Result<Price, Refusal> {
    let (sent, decimal) = figure.needed().unwrap_or(("(missing)", None));
    let price = decimal.and_then(|decimal| symbol.grid.price(decimal));
    price.filter(|price| *price > Price::default()).ok_or_else(|| {
        let refusal = bad_order_field(Reason::InvalidStopPrice, "stop price", symbol, sent);
        let tick = shown(|out| symbol.grid.push_tick(out));
        let takes = format!("a stop price is a positive multiple of {tick}");
        refusal.and(&digits_hint(decimal, sent).unwrap_or(takes))
    })
}

/// A quantity as it was sent; empty if it is absent.
///
/// # Errors
/// `InvalidQuantity` when it is not a multiple of the symbol's lot, or is below its minimum.
pub fn quantity(text: &str, symbol: &Symbol) -> Result<Qty, Refusal> {
    qty_of(read(text), symbol)
}

fn qty_of((text, decimal): Read<'_>, symbol: &Symbol) -> Result<Qty, Refusal> {
    let qty = decimal.and_then(|decimal| symbol.grid.qty(decimal)).filter(|qty| *qty >= symbol.qty_min);
    qty.ok_or_else(|| {
        let lot = shown(|out| symbol.grid.push_lot(out));
        let least = shown(|out| symbol.grid.push_qty(out, symbol.qty_min));
        let refusal = bad_order_field(Reason::InvalidQuantity, "quantity", symbol, text);
        let takes = format!("a quantity is a multiple of {lot}, and at least {least}");
        refusal.and(&digits_hint(decimal, text).unwrap_or(takes))
    })
}

/// Why a number that looks like a decimal cannot be read as one.
fn digits_hint(decimal: Option<Number>, text: &str) -> Option<String> {
    if has_exponent(text) {
        return Some(NO_EXPONENT.to_owned());
    }
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_plain = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if decimal.is_some() || !is_plain(whole) || !is_plain(fraction) {
        return None;
    }
    let (before, behind) = (Number::INTEGER_DIGITS_MAX, Number::FRACTION_DIGITS_MAX);
    Some(format!(
        "a decimal has at most {before} digits before the point, {behind} behind it, and no leading zeros"
    ))
}

fn shown(print: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    print(&mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// An amount of quote currency to spend, as it was sent.
///
/// # Errors
/// `InvalidQuantity` when it is not a positive decimal.
pub fn total_spend(text: &str, symbol: &Symbol) -> Result<Money, Refusal> {
    spend_of(read(text), symbol)
}

fn spend_of((text, decimal): Read<'_>, symbol: &Symbol) -> Result<Money, Refusal> {
    let spend = decimal.filter(|decimal| !decimal.is_zero()).and_then(Money::from_decimal);
    spend.ok_or_else(|| {
        let refusal = bad_order_field(Reason::InvalidQuantity, "total spend", symbol, text);
        refusal.and(&digits_hint(decimal, text).unwrap_or_else(|| "a total spend is more than 0".to_owned()))
    })
}

/// The client order id, if the payload has one (ORD-012).
///
/// # Errors
/// `ClientOrderIdMustBeString`, `ClientOrderIdTooLong`, or `InvalidParameterValue` for a character that no id has.
pub fn client_id(sent: Option<Value<'_>>) -> Result<Option<ClientId>, Refusal> {
    client_id_in("client_order_id", sent)
}

/// The client order id in a field of this name.
///
/// # Errors
/// As for [`client_id`].
pub fn client_id_in(name: &str, sent: Option<Value<'_>>) -> Result<Option<ClientId>, Refusal> {
    let text = match sent {
        None => return Ok(None),
        Some(Value::Text(text)) => text,
        Some(other) => {
            let message = format!("Field '{name}' must be a string: {}", quoted(other.shown()));
            return Err(Refusal::new(Reason::ClientOrderIdMustBeString, message));
        }
    };
    match ClientId::new(&text) {
        Ok(client_id) => Ok(Some(client_id)),
        Err(ClientIdError::TooLong) => {
            let shown = quoted(&text);
            let message = format!("Field '{name}' has more than {CLIENT_ID_MAX} characters: {shown}");
            Err(Refusal::new(Reason::ClientOrderIdTooLong, message))
        }
        Err(ClientIdError::BadCharacter) => {
            Err(bad_value(name, "1 to 100 letters, digits and # - . : _", &text))
        }
    }
}

request! {
    /// An order that exists, by one of its two ids.
    pub struct NamedOrder in InPayload {
        /// The exchange's id of the order.
        order_id: Whole,
        /// The client's id of the order, in place of `order_id`; it names the newest order that has it.
        client_order_id: Sent<ClientOrderId>,
    }
}

request! {
    /// An order to read, by one of its two ids.
    pub struct OrderStatus in InPayload {
        /// The exchange's id of the order.
        order_id: Whole,
        /// The client's id of the order, in place of `order_id`; it names the newest order that has it.
        client_order_id: Sent<ClientOrderId>,
        /// Whether the answer has the order's fills.
        include_trades: Flag<false>,
    }
}

/// The order that the payload names: by `order_id` or by `client_order_id`, never both (ORD-059, ORD-066).
///
/// # Errors
/// When it names none, or both, or the name does not fit.
pub fn order_ref(payload: &Payload) -> Result<OrderRef, Refusal> {
    let order = NamedOrder::of(payload);
    match (order.order_id()?, client_id(order.client_order_id())?) {
        (Some(id), None) => Ok(OrderRef::Id(OrderId(id))),
        (None, Some(client_id)) => Ok(OrderRef::ClientId(client_id)),
        (Some(id), Some(client_id)) => {
            let both = format!("{id} and {}", client_id.as_str());
            Err(bad_value("order_id", "given without 'client_order_id'", &both))
        }
        (None, None) => {
            let message = "Missing required field 'order_id' (or 'client_order_id')";
            Err(Refusal::new(Reason::MissingOrderField, message))
        }
    }
}

/// The account has no such order; one of another account gets the same answer (ORD-058).
pub fn not_found(order: &OrderRef) -> Refusal {
    let message = match order {
        OrderRef::Id(id) => format!("Order {} not found", id.0),
        OrderRef::ClientId(client_id) => {
            format!("Order with client_order_id '{}' not found", client_id.as_str())
        }
    };
    Refusal::new(Reason::OrderNotFound, message)
}
