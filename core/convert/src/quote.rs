//! Quotes: what the house offers for an amount as the book stands (WRAP-009 to WRAP-014).

use crate::exposure::check_offer;
use crate::offer::offer;
use crate::{Client, Conversions, Reject, symbol};
use buttonwood_index::ORDERS_MAX;
use buttonwood_model::{AccountId, CurrencyId, RowHash, Side, Symbol, SymbolId, SymbolStatus, Time};
use buttonwood_num::{Money, Price, Qty};
use buttonwood_room::Context;
use serde::{Deserialize, Serialize};

/// How long a quote may be executed (WRAP-011).
pub const QUOTE_AGE_MAX: u64 = 60 * Time::SECOND;

/// The most resting orders that a quote looks at. Deeper ones do not count.
pub const QUOTE_ORDERS_MAX: usize = ORDERS_MAX;

/// The id of a quote; ids count all quotes, from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct QuoteId(pub u64);

/// The amount that a client wants to spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Spend {
    /// Quote currency, fee included, for as much base currency as it buys.
    Buy(Money),
    /// A quantity of the base currency, for quote currency.
    Sell(Qty),
}

/// The command: quote a price.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuoteRequest {
    /// The symbol.
    pub symbol: SymbolId,
    /// The side and the amount.
    pub spend: Spend,
}

/// A quote. It changes no balance; its account may execute it once, for [`QUOTE_AGE_MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quote {
    /// Its id.
    pub id: QuoteId,
    /// The account that asked for it.
    pub account: AccountId,
    /// The symbol.
    pub symbol: SymbolId,
    /// The side of the account.
    pub side: Side,
    /// The quantity.
    pub qty: Qty,
    /// The price of the whole quantity.
    pub price: Price,
    /// The fee, in the quote currency.
    pub fee: Money,
    /// When it was made.
    pub time: Time,
}

/// The amounts that a quote moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuoteAmounts {
    /// The quantity in the base currency.
    pub base: Money,
    /// Its worth at the quote's price, in the quote currency, without the fee.
    pub notional: Money,
    /// The amount that the account pays: quote currency with the fee for a buy, base currency for a sell (WRAP-012).
    pub spend: Money,
}

/// A quote, as fingerprints have it.
const ROW: RowHash = RowHash::of("quote");

impl Quote {
    /// Its hash.
    pub(crate) fn hash(&self) -> RowHash {
        let side = match self.side {
            Side::Buy => 0,
            Side::Sell => 1,
        };
        let row = ROW.word(self.id.0).word(self.account.0.into()).word(self.symbol.0.into()).word(side);
        let row = row.bytes(&self.qty.hundredths().to_le_bytes()).word(self.price.ticks());
        row.money(self.fee).word(self.time.0)
    }

    /// The amounts that it moves; none beyond the range of money.
    pub fn amounts(&self, symbol: &Symbol) -> Option<QuoteAmounts> {
        let base = symbol.grid.base(self.qty)?;
        let notional = symbol.grid.notional(self.price, self.qty)?;
        let spend = match self.side {
            Side::Buy => notional.checked_add(self.fee)?,
            Side::Sell => base,
        };
        Some(QuoteAmounts { base, notional, spend })
    }

    /// Whether it is too old to be executed at this time.
    pub(crate) fn is_expired(&self, now: Time) -> bool {
        now.0.saturating_sub(self.time.0) > QUOTE_AGE_MAX
    }

    /// The currency and the amount that the house account gives.
    pub(crate) fn given(&self, symbol: &Symbol, amounts: &QuoteAmounts) -> (CurrencyId, Money) {
        match self.side {
            Side::Buy => (symbol.base, amounts.base),
            Side::Sell => (symbol.quote, amounts.notional),
        }
    }

    /// The currency and the amount that the house account receives; the fee goes to another one.
    pub(crate) fn taken(&self, symbol: &Symbol, amounts: &QuoteAmounts) -> (CurrencyId, Money) {
        match self.side {
            Side::Buy => (symbol.quote, amounts.notional),
            Side::Sell => (symbol.base, amounts.base),
        }
    }
}

/// Decides a quote: what it offers, or why there is none.
pub(crate) fn decide(
    context: &Context<'_, Conversions>,
    client: Client<'_>,
    request: QuoteRequest,
) -> Result<Quote, Reject> {
    let symbol = symbol(context, request.symbol, client)?;
    let is_amount = match request.spend {
        Spend::Buy(money) => money > Money::ZERO,
        Spend::Sell(qty) => qty >= symbol.qty_min,
    };
    if !is_amount {
        return Err(Reject::BelowMinimum);
    }
    check_status(symbol)?;
    let rate = context.room.terms().fee;
    let (qty, price) = offered(context, client, request, symbol).ok_or(Reject::NoLiquidity)?;
    if qty < symbol.qty_min {
        return Err(Reject::BelowMinimum);
    }
    let notional = symbol.grid.notional(price, qty).ok_or(Reject::NoLiquidity)?;
    let (side, fee) = match request.spend {
        // The fee takes what rounding leaves, so that the amounts sum to what the client spends.
        Spend::Buy(money) => (Side::Buy, money - notional),
        Spend::Sell(_) => (Side::Sell, symbol.grid.fee(price, qty, rate).ok_or(Reject::NoLiquidity)?),
    };
    let quote = Quote {
        id: context.room.next_quote(),
        account: client.account,
        symbol: request.symbol,
        side,
        qty,
        price,
        fee,
        time: context.time,
    };
    check_offer(context, symbol, &quote, client)?;
    Ok(quote)
}

/// The quantity and the price that the house offers; none as for an empty book.
fn offered(
    context: &Context<'_, Conversions>,
    client: Client<'_>,
    request: QuoteRequest,
    symbol: &Symbol,
) -> Option<(Qty, Price)> {
    let of = (request.symbol, symbol);
    match request.spend {
        Spend::Buy(money) => {
            let offer = offer(context, of, Side::Buy, client, |_, notional| notional >= money)?;
            offer.bought(money, context.room.terms().fee)
        }
        Spend::Sell(qty) => {
            let offer = offer(context, of, Side::Sell, client, |depth, _| depth >= qty)?;
            offer.price_to_sell(qty).map(|price| (qty, price))
        }
    }
}

/// A quote needs a symbol that takes market orders.
pub(crate) fn check_status(symbol: &Symbol) -> Result<(), Reject> {
    match symbol.status {
        SymbolStatus::Open => Ok(()),
        SymbolStatus::Closed => Err(Reject::MarketClosed),
        status @ (SymbolStatus::CancelOnly | SymbolStatus::PostOnly | SymbolStatus::LimitOnly) => {
            Err(Reject::MarketNotOpen(status))
        }
    }
}
