//! The coins that can be bought on margin: data of the opening and of operators' commands.

use crate::{Reject, SpotMargin};
use alloc::vec::Vec;
use buttonwood_model::{Currency, CurrencyId, DOLLAR, Product, Symbol, SymbolId};
use buttonwood_room::Context;
use serde::{Deserialize, Serialize};

/// The most coins.
pub const COINS_MAX: usize = 8;

/// The coins of a directory that names none, since an earlier build opened it; those of them that are listed.
const OF_EARLIER_BUILDS: [&str; 4] = ["BTC", "ETH", "SOL", "XRP"];

/// A currency that can be bought on margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coin {
    /// The currency. It has a book against the dollar.
    pub currency: CurrencyId,
    /// Whether dollars are lent for it. A coin for which none are lent any more still counts among the assets of an account.
    pub lends: bool,
}

/// A coin with its book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Market {
    pub(crate) coin: Coin,
    pub(crate) symbol: SymbolId,
}

impl SpotMargin {
    /// Notes which symbols are traded on margin, after a symbol was listed, the coins were set or the state was restored.
    pub fn note_symbols(&mut self, symbols: &[Symbol], currencies: &[Currency]) {
        let place = currencies.iter().position(|currency| currency.code == DOLLAR);
        self.dollar = place.map(CurrencyId::from_index);
        let code = |id: CurrencyId| currencies.get(id.index()).map_or("", |currency| currency.code.as_str());
        let coin_of = |currency: CurrencyId| match &self.coins {
            Some(coins) => coins.iter().find(|coin| coin.currency == currency).copied(),
            None => OF_EARLIER_BUILDS.contains(&code(currency)).then_some(Coin { currency, lends: true }),
        };
        let books = dollar_books(symbols, self.dollar);
        let markets = books.filter_map(|(symbol, base)| Some(Market { coin: coin_of(base)?, symbol }));
        self.markets = markets.collect();
    }

    /// The coins in force, each with its book.
    pub fn coins(&self) -> impl Iterator<Item = (Coin, SymbolId)> {
        self.markets.iter().map(|market| (market.coin, market.symbol))
    }

    /// Whether dollars are lent for a currency.
    pub(crate) fn lends_for(&self, currency: CurrencyId) -> bool {
        self.coins().any(|(coin, _)| coin.currency == currency && coin.lends)
    }
}

/// The coins in force with one of them as it is to be, in the order of currencies; without it where `lends` is none.
pub(crate) fn with(
    context: &Context<'_, SpotMargin>,
    currency: CurrencyId,
    lends: Option<bool>,
) -> Result<Vec<Coin>, Reject> {
    let mut coins: Vec<Coin> = context.room.coins().map(|(coin, _)| coin).collect();
    let before = coins.len();
    coins.retain(|coin| coin.currency != currency);
    match lends {
        Some(lends) => coins.push(Coin { currency, lends }),
        None if coins.len() == before => return Err(Reject::UnknownCoin),
        None => {}
    }
    coins.sort_unstable_by_key(|coin| coin.currency);
    Ok(coins)
}

/// Decides other coins. While something is owed, or an order of this room is live, none leaves the list: an account may hold it.
pub(crate) fn decide(context: &Context<'_, SpotMargin>, coins: &[Coin]) -> Result<(), Reject> {
    let Context { room: margin, symbols, .. } = *context;
    let mut ids: Vec<CurrencyId> = coins.iter().map(|coin| coin.currency).collect();
    ids.sort_unstable();
    ids.dedup();
    if ids.len() < coins.len() || ids.len() > COINS_MAX {
        return Err(Reject::BadCoins);
    }
    let has_book = |id: &CurrencyId| dollar_books(symbols, margin.dollar).any(|(_, base)| base == *id);
    if !ids.iter().all(|id| has_book(id) && !context.sources.is_dollar(*id)) {
        return Err(Reject::NoBook);
    }
    let leaves = margin.coins().any(|(coin, _)| !ids.contains(&coin.currency));
    let is_idle = margin.loans.is_empty() && margin.debts.is_empty() && margin.rows.is_empty();
    if leaves && !is_idle { Err(Reject::CoinInUse) } else { Ok(()) }
}

/// The books of currencies against the dollar, and these currencies.
fn dollar_books(
    symbols: &[Symbol],
    dollar: Option<CurrencyId>,
) -> impl Iterator<Item = (SymbolId, CurrencyId)> {
    let listed = (0..).map(SymbolId).zip(symbols);
    let books =
        listed.filter(move |(_, symbol)| symbol.product == Product::Spot && Some(symbol.quote) == dollar);
    books.map(|(id, symbol)| (id, symbol.base))
}
