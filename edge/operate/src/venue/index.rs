//! `index pin` and `index unpin`: pins the index of a currency to a price, or returns it to the books and feeds (D-50).

use crate::command::{Argument, Command, Effect, Form};
use crate::operator::Operator;
use buttonwood_engine::{Reject, perp};
use buttonwood_gate::{Payload, Reason, Refusal};
use buttonwood_num::{Decimal as Number, MONEY_DECIMALS, Money};
use buttonwood_wire::contract::{Decimal, DecimalText, Done, Flag, InPayload, Needed, Text};
use buttonwood_wire::field::{bad_value, busy};
use buttonwood_wire::{answer, json, request};

/// Also `POST /sandbox/index/{currency}`, which unpins too. Liquidations may follow, so it takes two operators.
pub const PIN: Command =
    Command::once("index pin", Effect::SetsTerms, |operator, fields| Box::pin(pin(operator, fields)))
        .about("Pins the index of a currency to a price; the marks are taken at once.")
        .with_reason()
        .takes::<PinIndex>(&[Argument::new("currency", Form::Place), Argument::new("price", Form::Place)])
        .gives::<IndexPinned>();

/// The same as a pin that is none.
pub(crate) const UNPIN: Command =
    Command::once("index unpin", Effect::Opens, |operator, fields| Box::pin(unpin(operator, fields)))
        .about("Returns the index of a currency to its books and feeds; the marks are taken at once.")
        .with_reason()
        .takes::<Unpinned>(&[Argument::new("currency", Form::Place)])
        .gives::<IndexPinned>();

request! {
    /// A price for an index, or its return to the books.
    struct PinIndex in InPayload {
        /// The currency.
        currency: Needed<Text>,
        /// The price of a unit, in dollars. Without it, `pinned` must be false.
        price: Decimal,
        /// False returns the index to the books.
        pinned: Flag<true>,
    }
}

request! {
    /// A currency whose index is pinned no longer.
    struct Unpinned in InPayload {
        /// The currency.
        currency: Needed<Text>,
    }
}

answer! {
    /// The index of a currency.
    struct IndexPinned {
        /// Always `ok`.
        result: Done,
        /// The currency.
        currency: String,
        /// The index, in dollars; 0 without one.
        index_price: DecimalText,
        /// Whether it is pinned.
        pinned: bool,
    }
}

async fn pin(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = PinIndex::of(fields);
    let code = request.currency()?;
    let (sent, pinned) = (request.price(), request.pinned()?);
    let price = match (sent, pinned) {
        (Some(_), false) => return Err(bad_value("pinned", "true, or given without 'price'", "false")),
        (None, false) => None,
        (None, true) => {
            let message = "Missing required field 'price' (or 'pinned' with the value false)";
            return Err(Refusal::new(Reason::MissingPayloadKey, message));
        }
        (Some(text), true) => {
            let price = Number::parse(text.as_bytes()).ok().filter(|price| !price.is_zero());
            Some(price.and_then(Money::from_decimal).ok_or_else(|| bad_price(&text))?)
        }
    };
    send(operator, &code, price, &fields.decimal_text("price").unwrap_or_default()).await
}

async fn unpin(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    send(operator, &Unpinned::of(fields).currency()?, None, "").await
}

/// Pins the index of the currency with this code to a price, whose text is for refusals; without one it is returned to its sources.
async fn send(
    operator: &Operator<'_>,
    code: &str,
    price: Option<Money>,
    text: &str,
) -> Result<Vec<u8>, Refusal> {
    let currency = operator.find_currency(code)?;
    let refuse = |reject| {
        let Reject::Perp(reject) = reject else { return None };
        Some(if reject == perp::Reject::BadPrice {
            bad_price(text)
        } else {
            bad_value("currency", "a listed currency that is no dollar", code)
        })
    };
    operator.send(perp::Command::PinIndex(currency, price), refuse).await?;
    if !operator.is_dry_run() {
        liquidate(operator).await?;
    }
    let index = {
        let views = operator.exchange.views();
        let state = views.state();
        let marked = state.indices().latest().price(currency);
        marked.or_else(|| state.sources(state.stamp().time).index(currency))
    };
    let index = price.or(index).unwrap_or_default();
    Ok(json::body(&IndexPinned {
        result: Done,
        currency: operator.names.currency(currency).code.clone(),
        index_price: DecimalText::of(|out| index.push_floored(out, MONEY_DECIMALS)),
        pinned: price.is_some(),
    }))
}

/// Waits until the liquidations that follow from the new marks are done.
async fn liquidate(operator: &Operator<'_>) -> Result<(), Refusal> {
    let now = operator.exchange.now();
    let moved = operator.exchange.advance(now).map_err(|_| busy("The exchange is busy"))?;
    moved.await.map(|_| ()).map_err(|_| busy("The exchange is stopping"))
}

fn bad_price(text: &str) -> Refusal {
    bad_value("price", "a positive decimal at which all that there is of the currency can be valued", text)
}
