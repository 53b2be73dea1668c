//! The answers to conversions, and the refusals of the core's rejects of them (WRAP-002, WRAP-006).

use crate::answer;
use crate::answers::SideName;
use crate::contract::DecimalText;
use crate::field::{closed_symbol, market_closed};
use crate::names::Names;
use crate::order::side_name;
use crate::reject::BEYOND_ADVANCES;
use buttonwood_engine::{ConvertQuote, ConvertReject, QUOTE_AGE_MAX, QuoteId, Term};
use buttonwood_gate::{Payload, Reason, Refusal, quoted};
use buttonwood_model::{OrderId, Side, Symbol, Time};
use buttonwood_num::{MONEY_DECIMALS, Money};

answer! {
    /// A conversion that was made.
    pub struct Conversion {
        /// The exchange's id of the conversion.
        pub order_id as "orderId": u64,
        /// The symbol, in upper case.
        pub pair: String,
        /// The price.
        pub price: DecimalText,
        /// The currency of the price.
        pub price_currency as "priceCurrency": String,
        /// The side: a buy receives the base currency, a sell pays it.
        pub side: SideName,
        /// The quantity in the base currency.
        pub quantity: DecimalText,
        /// The base currency.
        pub quantity_currency as "quantityCurrency": String,
        /// The amount that the account paid, with all fees that are in this currency.
        pub total_spend as "totalSpend": DecimalText,
        /// The currency that the account paid.
        pub total_spend_currency as "totalSpendCurrency": String,
        /// The fee.
        pub fee: DecimalText,
        /// The currency of the fee.
        pub fee_currency as "feeCurrency": String,
        /// The fee of a debit card, which is 0 for a payment from the account.
        pub deposit_fee as "depositFee": DecimalText,
        /// The currency of that fee.
        pub deposit_fee_currency as "depositFeeCurrency": String,
    }
}

answer! {
    /// A quote, which its account may execute once.
    pub struct InstantQuote {
        /// The id of the quote.
        pub quote_id as "quoteId": u64,
        /// How long it may be executed, in milliseconds.
        pub max_age_ms as "maxAgeMs": u64,
        /// The symbol, in upper case.
        pub pair: String,
        /// The price.
        pub price: DecimalText,
        /// The currency of the price.
        pub price_currency as "priceCurrency": String,
        /// The side: a buy receives the base currency, a sell pays it.
        pub side: SideName,
        /// The quantity in the base currency.
        pub quantity: DecimalText,
        /// The base currency.
        pub quantity_currency as "quantityCurrency": String,
        /// The fee.
        pub fee: DecimalText,
        /// The currency of the fee.
        pub fee_currency as "feeCurrency": String,
        /// The fee of a debit card, which is 0 for a payment from the account.
        pub deposit_fee as "depositFee": DecimalText,
        /// The currency of that fee.
        pub deposit_fee_currency as "depositFeeCurrency": String,
        /// The amount that the account pays: for a buy quantity times price and the fee, for a sell the quantity.
        pub total_spend as "totalSpend": DecimalText,
        /// The currency that the account pays.
        pub total_spend_currency as "totalSpendCurrency": String,
    }
}

/// The amounts of a conversion and their currencies.
#[derive(Debug)]
pub struct Amounts {
    pair: String,
    side: SideName,
    base: String,
    quote: String,
    quantity: DecimalText,
    total_spend: DecimalText,
    total_spend_currency: String,
    fee: DecimalText,
}

/// The amounts of a conversion: of the base currency, of what the account pays, and the fee in the quote currency.
pub fn amounts(
    names: &Names,
    symbol: &Symbol,
    side: Side,
    quantity: Money,
    total_spend: Money,
    fee: Money,
) -> Amounts {
    let exact = |amount: Money| DecimalText::of(|out| amount.push_floored(out, MONEY_DECIMALS));
    let code = |currency| names.currency(currency).code.clone();
    Amounts {
        pair: symbol.name.to_ascii_uppercase(),
        side: SideName(side_name(side)),
        base: code(symbol.base),
        quote: code(symbol.quote),
        quantity: exact(quantity),
        total_spend: exact(total_spend),
        total_spend_currency: code(symbol.paid_in(side)),
        fee: exact(fee),
    }
}

impl InstantQuote {
    /// A quote at this price.
    pub fn of(quote: &ConvertQuote, price: DecimalText, amounts: Amounts) -> Self {
        Self {
            quote_id: quote.id.0,
            max_age_ms: Time(QUOTE_AGE_MAX).millis(),
            pair: amounts.pair,
            price,
            price_currency: amounts.quote.clone(),
            side: amounts.side,
            quantity: amounts.quantity,
            quantity_currency: amounts.base,
            fee: amounts.fee,
            fee_currency: amounts.quote.clone(),
            deposit_fee: DecimalText::zero(),
            deposit_fee_currency: amounts.quote,
            total_spend: amounts.total_spend,
            total_spend_currency: amounts.total_spend_currency,
        }
    }
}

impl Conversion {
    /// A conversion with this id, at this price.
    pub fn of(order: OrderId, price: DecimalText, amounts: Amounts) -> Self {
        Self {
            order_id: order.0,
            pair: amounts.pair,
            price,
            price_currency: amounts.quote.clone(),
            side: amounts.side,
            quantity: amounts.quantity,
            quantity_currency: amounts.base,
            total_spend: amounts.total_spend,
            total_spend_currency: amounts.total_spend_currency,
            fee: amounts.fee,
            fee_currency: amounts.quote.clone(),
            deposit_fee: DecimalText::zero(),
            deposit_fee_currency: amounts.quote,
        }
    }
}

/// The refusal for a reject of a conversion on the symbol of this name; `size` is what the client wants to convert, and the payload has the
/// terms as they were sent.
pub fn refusal((name, size): (&str, &str), payload: &Payload, reject: ConvertReject) -> Refusal {
    let shown = quoted(&name.to_ascii_uppercase());
    let bad_quantity = |why| bad_quantity(&shown, size, why);
    let unpaid = |why| unpaid(&shown, size, why);
    match reject {
        ConvertReject::NoQuote => no_quote(payload),
        ConvertReject::Differs(term) => differs(payload, term),
        ConvertReject::InvalidSymbol => closed_symbol(name),
        ConvertReject::Moved(quote) => moved(quote),
        ConvertReject::NoLiquidity => {
            bad_quantity("there is no index, or the orders of other groups within 5 % of it are too few")
        }
        ConvertReject::BeyondExposure => bad_quantity("it is more than instant orders offer now"),
        ConvertReject::BadTerms | ConvertReject::Unknown => {
            Refusal::new(Reason::InvalidParameterValue, "The exchange does not take this request")
        }
        ConvertReject::BelowMinimum => bad_quantity("it is below the symbol's minimum"),
        ConvertReject::MarketClosed => market_closed(&shown),
        ConvertReject::MarketNotOpen(status) => {
            let message =
                format!("The market for symbol {shown} takes no conversion: its status is {}", status.name());
            Refusal::new(Reason::MarketNotOpen, message)
        }
        ConvertReject::InsufficientFunds => unpaid("insufficient funds"),
        ConvertReject::Advances => unpaid(BEYOND_ADVANCES),
        ConvertReject::Unavailable => bad_quantity("the exchange cannot give this much now"),
    }
}

/// The refusal of a quantity that is not converted now. `shown` is the symbol.
fn bad_quantity(shown: &str, size: &str, why: &str) -> Refusal {
    let message = format!("Invalid quantity for symbol {shown}: {}; {why}", quoted(size));
    Refusal::new(Reason::InvalidQuantity, message)
}

/// The refusal of a conversion that the account cannot pay for. `shown` is the symbol.
fn unpaid(shown: &str, size: &str, why: &str) -> Refusal {
    let message = format!("Failed to convert {} on symbol {shown}: {why}", quoted(size));
    Refusal::new(Reason::InsufficientFunds, message)
}

/// The refusal of an execution without a quote that the account may execute now.
fn no_quote(payload: &Payload) -> Refusal {
    let expected =
        "a quote of this account that was neither executed nor replaced and is no more than 60 seconds old";
    unfit(payload, "quoteId", expected)
}

/// The refusal of the value that was sent in a field.
fn unfit(payload: &Payload, name: &str, expected: &str) -> Refusal {
    Refusal::misfit("Field", name, expected, &payload.decimal_text(name).unwrap_or_default())
}

/// The refusal of an execution at a price that is no longer the market's.
fn moved(quote: QuoteId) -> Refusal {
    let message = format!(
        "Field 'quoteId' names a quote whose price has moved by more than 1 %: '{}'; request a new quote",
        quote.0
    );
    Refusal::new(Reason::InvalidParameterValue, message)
}

/// The refusal of an execution with a term that is not the quote's (WRAP-015).
fn differs(payload: &Payload, term: Term) -> Refusal {
    let (reason, name) = match term {
        Term::Symbol => (Reason::InvalidSymbol, "symbol"),
        Term::Side => (Reason::InvalidSide, "side"),
        Term::Quantity => (Reason::InvalidQuantity, "quantity"),
        Term::Price => (Reason::InvalidPrice, "price"),
        Term::Fee => (Reason::InvalidParameterValue, "fee"),
    };
    unfit(payload, name, "that of the quote").with_reason(reason)
}
