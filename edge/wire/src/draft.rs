//! A new order as it was sent: by a call, as an entry of a batch or over the newest socket.
//!
//! Each interface fills a draft from its own fields. The rules of listed symbols ([`order_request`]) and of contracts
//! ([`prediction_order`]) judge it and word its refusals, in the names and the words of their endpoints.

use crate::contract::{Decimal, Described, Kind, Node};
use crate::order_request::{self, NewOrder, client_id, client_id_in, only_option};
use crate::prediction_order::{self, NewContractOrder, Terms};
use buttonwood_engine::{Place, RefusedDraft};
use buttonwood_gate::{Payload, Refusal, Value};
use buttonwood_model::{ClientId, Symbol, SymbolId};
use buttonwood_num::Decimal as Number;
use std::borrow::Cow;

/// A text of an order; none if it is absent. A value of another type is kept as its refusal, until the rules come to the field.
pub type Word<'a> = Result<Option<Cow<'a, str>>, Refusal>;

/// A text as a refusal of the core repeats it; empty if there is none.
pub fn text_of<'d>(word: &'d Word<'_>) -> &'d str {
    word.as_ref().ok().and_then(Option::as_deref).unwrap_or_default()
}

/// A decimal of an order. It is parsed once, and its text is kept for refusals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Figure<'a> {
    /// It was not sent.
    #[default]
    Absent,
    /// It was sent as `null`, which counts as absent; an order that needs it is refused with the text `null` (D-169).
    Null,
    /// It was sent as this text, and is this number if it can be read.
    Sent(Cow<'a, str>, Option<Number>),
}

impl<'a> Figure<'a> {
    /// The decimal in a text.
    #[inline]
    pub fn of(text: Cow<'a, str>) -> Self {
        let number = Number::parse(text.as_bytes()).ok();
        Self::Sent(text, number)
    }

    /// Its text; empty if it is not there.
    pub fn text(&self) -> &str {
        match self {
            Self::Absent | Self::Null => "",
            Self::Sent(text, _) => text,
        }
    }

    /// Its text and its number, where an order needs it.
    #[inline]
    pub(crate) fn needed(&self) -> Option<(&str, Option<Number>)> {
        match self {
            Self::Absent => None,
            Self::Null => Some(("null", None)),
            Self::Sent(text, number) => Some((text, *number)),
        }
    }

    /// Its number, if it is there.
    ///
    /// # Errors
    /// When it is there and is no number.
    pub(crate) fn number(&self) -> Result<Option<Number>, NoNumber> {
        match self {
            Self::Absent | Self::Null => Ok(None),
            Self::Sent(_, number) => number.map(Some).ok_or(NoNumber),
        }
    }
}

impl<'a> From<Option<Cow<'a, str>>> for Figure<'a> {
    fn from(text: Option<Cow<'a, str>>) -> Self {
        text.map_or(Self::Absent, Self::of)
    }
}

/// The text of a decimal is no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoNumber;

/// A decimal of an order, as a string or as a number. `NEEDED` says whether the contract lists it as required.
#[derive(Debug)]
pub enum Figured<const NEEDED: bool> {}

impl<const NEEDED: bool> Described for Figured<NEEDED> {
    const REQUIRED: bool = NEEDED;

    fn schema() -> Node {
        Decimal::schema()
    }
}

impl<'a, const NEEDED: bool> Kind<&'a Payload> for Figured<NEEDED> {
    type Read = Figure<'a>;

    #[expect(clippy::inline_always, reason = "the beginning of the name is then a constant")]
    #[inline(always)]
    fn read(source: &'a Payload, name: &'static str) -> Self::Read {
        match source.sent(name) {
            None => Figure::Absent,
            Some(Value::Null) => Figure::Null,
            Some(value) => Figure::of(value.into_text()),
        }
    }
}

/// A new order as it was sent, before any rule. Fields that an interface does not have stay as in the default: absent.
#[derive(Debug)]
pub struct Draft<'a> {
    /// The symbol or the contract.
    pub symbol: Word<'a>,
    /// `buy` or `sell`.
    pub side: Word<'a>,
    /// The type, in the words of the endpoint.
    pub kind: Word<'a>,
    /// The outcome, for an order of a contract.
    pub outcome: Word<'a>,
    /// The quantity.
    pub quantity: Figure<'a>,
    /// How much of the quote currency to spend.
    pub spend: Figure<'a>,
    /// The limit price.
    pub price: Figure<'a>,
    /// The stop price.
    pub stop: Figure<'a>,
    /// The execution option, or how long the order lives.
    pub option: Word<'a>,
    /// Whether a flag makes it maker-or-cancel, for an order of a contract.
    pub maker_or_cancel: Result<bool, Refusal>,
    /// The client's id.
    pub client_id: Result<Option<ClientId>, Refusal>,
    /// Whether it may borrow.
    pub margin: Result<bool, Refusal>,
}

impl Default for Draft<'_> {
    fn default() -> Self {
        let [symbol, side, kind, outcome, option] = [(); 5].map(|()| Ok(None));
        let [quantity, spend, price, stop] = [(); 4].map(|()| Figure::Absent);
        let (maker_or_cancel, client_id, margin) = (Ok(false), Ok(None), Ok(false));
        Self {
            symbol,
            side,
            kind,
            outcome,
            quantity,
            spend,
            price,
            stop,
            option,
            maker_or_cancel,
            client_id,
            margin,
        }
    }
}

impl<'a> Draft<'a> {
    /// The order in the payload of `/v1/order/new`.
    #[inline]
    pub fn of_order(payload: &'a Payload) -> Self {
        let sent = NewOrder::of(payload);
        Self {
            symbol: Ok(sent.symbol()),
            side: Ok(sent.side()),
            kind: Ok(sent.kind()),
            outcome: Ok(None),
            quantity: sent.amount(),
            spend: sent.total_spend(),
            price: sent.price(),
            stop: sent.stop_price(),
            option: only_option(sent.options()),
            maker_or_cancel: Ok(false),
            client_id: client_id(sent.client_order_id()),
            margin: sent.margin_order(),
        }
    }

    /// The order of a contract in the payload of its endpoint, or in an entry of a batch.
    pub fn of_contract(payload: &'a Payload) -> Self {
        let sent = NewContractOrder::of(payload);
        Self {
            symbol: sent.symbol().map(Some),
            side: sent.side().map(Some),
            kind: sent.order_type().map(Some),
            outcome: sent.outcome().map(Some),
            quantity: sent.quantity(),
            spend: Figure::Absent,
            price: sent.price(),
            stop: sent.stop_price(),
            option: Ok(sent.time_in_force()),
            maker_or_cancel: sent.maker_or_cancel(),
            client_id: client_id_in("clientOrderId", sent.client_order_id()),
            margin: Ok(false),
        }
    }

    /// The order for its symbol, by the rules of contracts or of listed symbols.
    ///
    /// # Errors
    /// The first field that does not fit.
    #[inline]
    pub fn place(&self, id: SymbolId, symbol: &Symbol) -> Result<Place, Refusal> {
        if id.is_contract() {
            Terms::of(self)?.place(id, symbol)
        } else {
            order_request::place(self, id, symbol)
        }
    }

    /// The order as one that can be read and that a rule refuses, for its one event (D-147); none if a field cannot be read, or the refusal is
    /// about something else than the order.
    pub fn refused(&self, id: SymbolId, symbol: &Symbol, refusal: &Refusal) -> Option<RefusedDraft> {
        if id.is_contract() {
            prediction_order::refused(self, id, refusal)
        } else {
            order_request::refused(self, id, symbol, refusal)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttonwood_engine::prediction::combo_grid;
    use buttonwood_gate::Reason;
    use buttonwood_model::{CurrencyId, Product, SymbolStatus};

    fn btcusd() -> Symbol {
        let (grid, qty_min) = combo_grid().unwrap();
        Symbol {
            name: "btcusd".to_owned(),
            base: CurrencyId(0),
            quote: CurrencyId(1),
            grid,
            qty_min,
            product: Product::Spot,
            status: SymbolStatus::Open,
            wrap_enabled: false,
            closed_to: Vec::new(),
        }
    }

    fn with(fields: &str) -> Payload {
        let text = format!(r#"{{"symbol":"btcusd","side":"buy",{fields}}}"#);
        Payload::read(text.into_bytes()).unwrap()
    }

    /// The fields that no payload has are those of the default.
    #[test]
    fn an_empty_payload_fills_the_default() {
        let nothing = Payload::empty();
        assert_eq!(format!("{:?}", Draft::of_order(&nothing)), format!("{:?}", Draft::default()));
    }

    /// `null` is absent, unless the order needs the field: then it is refused as this text. The event of a refused order has no such figure,
    /// and there is no event of one with a figure that is no number (D-147, D-169).
    #[test]
    fn null_differs_from_a_text() {
        let limit = |price: &str| with(&format!(r#""type":"exchange limit","amount":"1"{price}"#));
        let refusal = Refusal::new(Reason::InvalidPrice, "no");
        for (price, message, event) in [
            ("", "Missing required field 'price'", Some(None)),
            (
                r#","price":null"#,
                "Invalid price for symbol BTCUSD: null; a price is a multiple of 0.01",
                Some(None),
            ),
            (
                r#","price":"null""#,
                "Invalid price for symbol BTCUSD: null; a price is a multiple of 0.01",
                None,
            ),
            (
                r#","price":"0.001""#,
                "Invalid price for symbol BTCUSD: 0.001; a price is a multiple of 0.01",
                Some(Number::parse(b"0.001").ok()),
            ),
        ] {
            let payload = limit(price);
            let draft = Draft::of_order(&payload);
            assert_eq!(draft.place(SymbolId(0), &btcusd()).unwrap_err().message, message);
            let refused = draft.refused(SymbolId(0), &btcusd(), &refusal);
            assert_eq!(refused.map(|order| order.price), event, "{price}");
        }
    }

    /// Of a market buy without a size, the field that was sent as `null` is refused.
    #[test]
    fn a_market_buy_names_the_field_that_it_has() {
        for (fields, message) in [
            ("", "Missing required field 'amount'"),
            (
                r#","total_spend":null"#,
                "Invalid total spend for symbol BTCUSD: null; a total spend is more than 0",
            ),
            (
                r#","total_spend":null,"amount":null"#,
                "Invalid quantity for symbol BTCUSD: null; a quantity is a multiple of 0.01, and at least 1",
            ),
            (
                r#","total_spend":"5","amount":"1""#,
                "Field 'total_spend' must be sent instead of 'amount', not beside it: 5",
            ),
        ] {
            let payload = with(&format!(r#""type":"exchange market"{fields}"#));
            let refusal = Draft::of_order(&payload).place(SymbolId(0), &btcusd()).unwrap_err();
            assert_eq!(refusal.message, message);
        }
    }
}
