//! `POST /sandbox/index/{currency}`: pins the index of a currency, or returns it to the books.

use super::advance::move_to;
use super::control::ControlCall;
use crate::call::Asked;
use crate::derivatives::exact;
use crate::route::Route;
use buttonwood_engine::{Reject, perp};
use buttonwood_gate::{Payload, Reason, Refusal};
use buttonwood_http::Reply;
use buttonwood_num::{Decimal as Number, Money};
use buttonwood_wire::contract::{Decimal, DecimalText, Done, Flag, InPayload};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};

/// This machine only.
pub(crate) const ROUTE: Route = Route::control("/sandbox/index/{currency}", |call, asked, fields| {
    Box::pin(answer(call, asked, fields))
})
.about("Pins the index of a currency to a price, or returns it to the books; the marks are taken at once.")
.takes::<PinIndex>()
.gives::<IndexPinned>();

request! {
    /// A price for an index, or its return to the books.
    struct PinIndex in InPayload {
        /// The price of a unit, in dollars. Without it, `pinned` must be false.
        price: Decimal,
        /// False returns the index to the books.
        pinned: Flag<true>,
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

async fn answer(call: &ControlCall<'_>, asked: &Asked<'_>, fields: &Payload) -> Result<Reply, Refusal> {
    let request = PinIndex::of(fields);
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
    let text = fields.decimal_text("price").unwrap_or_default();
    let operator = call.operator();
    let currency = operator.find_currency(asked.parameter)?;
    let refuse = |reject| {
        let Reject::Perp(reject) = reject else { return None };
        Some(if reject == perp::Reject::BadPrice {
            bad_price(&text)
        } else {
            bad_value("currency", "a listed currency that is no dollar", asked.parameter)
        })
    };
    operator.send(perp::Command::PinIndex(currency, price), refuse).await?;
    // Liquidations that follow are done when the caller reads the answer.
    move_to(call, operator.exchange.now()).await?;
    let index = {
        let views = operator.exchange.views();
        let state = views.state();
        let marked = state.indices().latest().price(currency);
        marked.or_else(|| state.sources(state.stamp().time).index(currency))
    };
    Ok(Reply::json(json::body(&IndexPinned {
        result: Done,
        currency: operator.names.currency(currency).code.clone(),
        index_price: exact(price.or(index).unwrap_or_default()),
        pinned,
    })))
}

fn bad_price(text: &str) -> Refusal {
    bad_value("price", "a positive decimal at which all that there is of the currency can be valued", text)
}
