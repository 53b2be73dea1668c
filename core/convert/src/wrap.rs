//! Wrapping: one unit of a currency for one unit of its wrapped form (WRAP-001 to WRAP-008).

use crate::{Client, Conversions, Reject, symbol};
use buttonwood_ledger::{About, Bucket, Cause, ISSUER, Ledger, Posting};
use buttonwood_model::{AccountId, ClientId, CurrencyId, OrderId, Side, Symbol, SymbolId, SymbolStatus};
use buttonwood_num::{Money, Qty};
use buttonwood_room::Context;
use serde::{Deserialize, Serialize};

/// The command: wrap or unwrap a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wrap {
    /// The symbol; its base currency is the wrapped form of its quote currency.
    pub symbol: SymbolId,
    /// A buy receives the base currency and pays the quote currency, a sell the reverse (WRAP-004).
    pub side: Side,
    /// The quantity in the base currency.
    pub qty: Qty,
    /// The client's id of the conversion.
    pub client_id: Option<ClientId>,
}

/// The event: a quantity was wrapped or unwrapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wrapped {
    /// The id of the conversion, from the counter of orders and trades.
    pub order: OrderId,
    /// The account that converts.
    pub account: AccountId,
    /// The wrap that it makes.
    pub wrap: Wrap,
}

/// Decides a wrap: what happens, or why it is refused.
///
/// The book plays no part in it, so a symbol that takes only some orders wraps all the same.
pub(crate) fn decide(
    context: &Context<'_, Conversions>,
    client: Client<'_>,
    wrap: Wrap,
) -> Result<Wrapped, Reject> {
    let symbol = symbol(context, wrap.symbol, client)?;
    if !symbol.wrap_enabled {
        return Err(Reject::InvalidSymbol);
    }
    if wrap.qty < symbol.qty_min {
        return Err(Reject::BelowMinimum);
    }
    match symbol.status {
        SymbolStatus::Open | SymbolStatus::PostOnly | SymbolStatus::LimitOnly => {}
        SymbolStatus::Closed => return Err(Reject::MarketClosed),
        SymbolStatus::CancelOnly => return Err(Reject::MarketNotOpen(symbol.status)),
    }
    let issuer = context.ledger.house(ISSUER.name).ok_or(Reject::Unavailable)?;
    let amount = symbol.grid.base(wrap.qty).ok_or(Reject::InsufficientFunds)?;
    let (paid, received) = currencies(symbol, wrap.side);
    if context.ledger.balance(client.account, paid).available < amount {
        return Err(Reject::InsufficientFunds);
    }
    context.ledger.can_give(issuer, received, amount).map_err(|_| Reject::Unavailable)?;
    Ok(Wrapped { order: OrderId(context.next_id), account: client.account, wrap })
}

/// The currencies that a side pays and receives.
fn currencies(symbol: &Symbol, side: Side) -> (CurrencyId, CurrencyId) {
    (symbol.paid_in(side), symbol.paid_in(side.opposite()))
}

/// Moves the money of a wrap.
///
/// # Panics
/// When the event does not follow from the state.
pub(crate) fn settle(ledger: &mut Ledger, symbols: &[Symbol], wrapped: Wrapped) {
    let Wrapped { order, account, wrap } = wrapped;
    let symbol = symbols.get(wrap.symbol.index()).expect("the decision found the symbol");
    let issuer = ledger.house(ISSUER.name).expect("the decision found the issuer");
    let amount = symbol.grid.base(wrap.qty).expect("the decision bounded the quantity");
    let (paid, received) = currencies(symbol, wrap.side);
    let posting = |account, asset: CurrencyId, amount: Money| Posting {
        account,
        asset: asset.into(),
        bucket: Bucket::Available,
        amount,
    };
    let entry = [
        posting(account, paid, -amount),
        posting(issuer, paid, amount),
        posting(issuer, received, -amount),
        posting(account, received, amount),
    ];
    ledger.post(Cause::Conversion.about(About::Order(order)), &entry);
}
