//! The arithmetic of the history: where each row goes, and which rows it links to.
//!
//! It touches no file, so the background fold that makes snapshots can run the same rows through a second index and
//! discard the bytes. Lengths and links are a pure function of the rows and the key.

use super::bucket;
use super::chain::Chain;
use super::codec::{self, Position};
use super::converted::{ConversionLinks, ConversionRow};
use super::entry::{EntryLinks, EntryRow};
use super::kinds::{Lengths, RowKind};
use super::order_events::OrderEventRow;
use super::packed::Chained;
use super::row::{AccountLinks, Least, OrderLinks, OrderRow, PublicLinks, PublicTrade, TradeLinks, TradeRow};
use super::statement::IDS_OF_TRADE;
use super::stretch::Sums;
use super::table::Table;
use buttonwood_model::{AccountId, ClientId, CurrencyId, OrderId, SymbolId, SymbolTable};
use postcard::Error;
use serde::{Deserialize, Serialize};

/// Bytes of the header of every file.
pub(super) const HEADER: u64 = 8;

/// Heads of all chains and the lengths of the files; part of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    chains: Chains,
    by_order: Table,
    by_client: Table,
    /// Conversions by client id.
    by_converted: Table,
}

/// An index without its tables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Chains {
    key: u64,
    lengths: Lengths,
    accounts: Vec<Heads>,
    symbols: SymbolTable<Chain<Sums>>,
}

/// The chains of one account.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Heads {
    trades: Chain,
    orders: Chain<OrderId>,
    /// Sorted by symbol; only symbols that the account has traded.
    symbols: Vec<SymbolHeads>,
    entries: Chain,
    /// Sorted by currency; only those of which it has an entry.
    currencies: Vec<CurrencyHead>,
    conversions: Chain,
    /// The newest row of events of its orders.
    order_event: Option<Position>,
}

/// The chains of one account in one symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct SymbolHeads {
    symbol: SymbolId,
    trades: Chain,
    orders: Chain<OrderId>,
}

/// The chain of one account's entries in one currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct CurrencyHead {
    currency: CurrencyId,
    entries: Chain,
}

impl Index {
    /// The index of an empty history. The secret key prevents clients from guessing which client ids share a hash
    /// bucket; the same rows give the same files only under the same key.
    pub fn new(key: u64) -> Self {
        let (lengths, symbols) = (Lengths::empty(), SymbolTable::default());
        let chains = Chains { key, lengths, accounts: Vec::new(), symbols };
        Self { chains, by_order: Table::new(), by_client: Table::new(), by_converted: Table::new() }
    }

    /// Appends the encoded index of a checkpoint.
    ///
    /// # Errors
    /// Those of postcard, which is the format.
    pub fn encode(&self, out: Vec<u8>) -> Result<Vec<u8>, Error> {
        let out = postcard::to_extend(&self.chains, out)?;
        self.by_converted.encode(self.by_client.encode(self.by_order.encode(out)?)?)
    }

    /// Decodes the index at the start of `bytes`.
    ///
    /// # Errors
    /// The bytes are no index.
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        let (chains, rest) = postcard::take_from_bytes(bytes)?;
        let (by_order, rest) = Table::decode(rest)?;
        let (by_client, rest) = Table::decode(rest)?;
        let (by_converted, _) = Table::decode(rest)?;
        Ok(Self { chains, by_order, by_client, by_converted })
    }

    /// The length of each file.
    pub fn lengths(&self) -> Lengths {
        self.chains.lengths
    }

    /// Links a row and appends its bytes; returns its position.
    ///
    /// # Panics
    /// If a position in the row does not point back.
    pub fn push<R: RowKind>(&mut self, row: &R, out: &mut Vec<u8>) -> Position {
        let at = end(*R::of(&self.chains.lengths));
        let bytes = codec::seal(out, at, |out| row.put(at, self, out));
        *R::of_mut(&mut self.chains.lengths) += bytes;
        at
    }

    /// The newest row of events of an account's orders.
    pub(super) fn newest_order_event(&self, account: AccountId) -> Option<Position> {
        self.chains.accounts.get(account.index())?.order_event
    }

    /// An account's newest entry, in one currency or in all.
    pub(super) fn newest_entry(&self, account: AccountId, currency: Option<CurrencyId>) -> Option<Position> {
        let heads = self.chains.accounts.get(account.index())?;
        match currency {
            None => heads.entries.newest(),
            Some(currency) => {
                let place = heads.currencies.binary_search_by_key(&currency, |head| head.currency).ok()?;
                heads.currencies.get(place)?.entries.newest()
            }
        }
    }

    /// The symbols that an account has traded.
    pub(super) fn traded_symbols(&self, account: AccountId) -> Vec<SymbolId> {
        let heads = self.chains.accounts.get(account.index());
        heads.into_iter().flat_map(|heads| &heads.symbols).map(|heads| heads.symbol).collect()
    }

    /// How many ids of its statement an account has used: the last of its newest row.
    pub fn ids(&self, account: AccountId) -> u64 {
        let heads = self.chains.accounts.get(account.index());
        heads.map_or(0, |heads| IDS_OF_TRADE * heads.trades.len() + heads.entries.len())
    }

    /// An account's newest conversion.
    pub(super) fn newest_conversion(&self, account: AccountId) -> Option<Position> {
        self.chains.accounts.get(account.index())?.conversions.newest()
    }

    /// The newest conversion of the client id's bucket.
    pub(super) fn converted_bucket(&self, account: AccountId, client_id: &ClientId) -> Option<Position> {
        self.by_converted.newest(bucket::of_client(self.chains.key, account, client_id))
    }

    /// An account's newest trade, in one symbol or in all.
    pub(super) fn newest_trade(&self, account: AccountId, symbol: Option<SymbolId>) -> Option<Position> {
        let heads = self.chains.accounts.get(account.index())?;
        match symbol {
            None => heads.trades.newest(),
            Some(symbol) => heads.find(symbol)?.trades.newest(),
        }
    }

    /// The order of an account that closed last, in one symbol or in all.
    pub(super) fn newest_order(&self, account: AccountId, symbol: Option<SymbolId>) -> Option<Position> {
        let heads = self.chains.accounts.get(account.index())?;
        match symbol {
            None => heads.orders.newest(),
            Some(symbol) => heads.find(symbol)?.orders.newest(),
        }
    }

    /// A symbol's newest public trade.
    pub(super) fn newest_public(&self, symbol: SymbolId) -> Option<Position> {
        self.chains.symbols.get(symbol)?.newest()
    }

    /// The newest trade in the symbol of each account that has traded it.
    pub(super) fn newest_of_each(&self, symbol: SymbolId) -> Vec<Position> {
        let newest = |heads: &Heads| heads.find(symbol)?.trades.newest();
        self.chains.accounts.iter().filter_map(newest).collect()
    }

    /// The newest row of the order id's bucket.
    pub(super) fn order_bucket(&self, order: OrderId) -> Option<Position> {
        self.by_order.newest(bucket::of_order(order))
    }

    /// The newest row of the client order id's bucket.
    pub(super) fn client_bucket(&self, account: AccountId, client_id: &ClientId) -> Option<Position> {
        self.by_client.newest(bucket::of_client(self.chains.key, account, client_id))
    }
}

impl Heads {
    fn find(&self, symbol: SymbolId) -> Option<&SymbolHeads> {
        let place = self.symbols.binary_search_by_key(&symbol, |heads| heads.symbol).ok()?;
        self.symbols.get(place)
    }

    fn symbol(&mut self, symbol: SymbolId) -> &mut SymbolHeads {
        let place =
            self.symbols.binary_search_by_key(&symbol, |heads| heads.symbol).unwrap_or_else(|place| {
                let heads = SymbolHeads { symbol, trades: Chain::default(), orders: Chain::default() };
                self.symbols.insert(place, heads);
                place
            });
        self.symbols.get_mut(place).expect("the symbol was found or put there")
    }
}

impl Heads {
    /// The chain of the entries in a currency.
    fn currency(&mut self, currency: CurrencyId) -> &mut Chain {
        let heads = &mut self.currencies;
        let place = heads.binary_search_by_key(&currency, |head| head.currency).unwrap_or_else(|place| {
            heads.insert(place, CurrencyHead { currency, entries: Chain::default() });
            place
        });
        &mut heads.get_mut(place).expect("the currency was found or put there").entries
    }
}

impl Chained for TradeRow {
    type Links = TradeLinks;

    fn link(&self, at: Position, index: &mut Index) -> TradeLinks {
        let heads = grown(&mut index.chains.accounts, self.account.index());
        TradeLinks {
            all: heads.trades.push(at),
            symbol: heads.symbol(self.symbol).trades.push(at),
            entries: heads.entries.len(),
        }
    }
}

impl Chained for OrderRow {
    type Links = OrderLinks;

    fn link(&self, at: Position, index: &mut Index) -> OrderLinks {
        let order = &self.order;
        let heads = grown(&mut index.chains.accounts, order.account.index());
        let (all, least_of_all) = heads.orders.push_with(at, order.id);
        let (symbol, least_of_symbol) = heads.symbol(order.symbol).orders.push_with(at, order.id);
        let same_order = index.by_order.push(bucket::of_order(order.id), at);
        let same_client = order.client_id.as_ref().and_then(|client_id| {
            index.by_client.push(bucket::of_client(index.chains.key, order.account, client_id), at)
        });
        OrderLinks {
            same_order,
            same_client,
            least: Least { all: least_of_all, symbol: least_of_symbol },
            account: AccountLinks { all, symbol },
        }
    }
}

impl Chained for PublicTrade {
    type Links = PublicLinks;

    fn link(&self, at: Position, index: &mut Index) -> PublicLinks {
        let chain = index.chains.symbols.grown(self.symbol).expect("the table grows to the symbol");
        let (link, sums) = chain.push_with(at, Sums::of(self));
        PublicLinks { sums, link }
    }
}

impl Chained for EntryRow {
    type Links = EntryLinks;

    fn link(&self, at: Position, index: &mut Index) -> EntryLinks {
        let heads = grown(&mut index.chains.accounts, self.account.index());
        EntryLinks {
            all: heads.entries.push(at),
            currency: heads.currency(self.currency).push(at),
            trades: heads.trades.len(),
        }
    }
}

impl Chained for ConversionRow {
    type Links = ConversionLinks;

    fn link(&self, at: Position, index: &mut Index) -> ConversionLinks {
        let all = grown(&mut index.chains.accounts, self.account.index()).conversions.push(at);
        let same_client = self.client_id.as_ref().and_then(|client_id| {
            index.by_converted.push(bucket::of_client(index.chains.key, self.account, client_id), at)
        });
        ConversionLinks { all, same_client }
    }
}

impl Chained for OrderEventRow {
    type Links = Option<Position>;

    fn link(&self, at: Position, index: &mut Index) -> Option<Position> {
        grown(&mut index.chains.accounts, self.account.index()).order_event.replace(at)
    }
}

fn end(length: u64) -> Position {
    Position::new(length).expect("a file begins with a header")
}

/// The value at `index` of a table that grows to it.
fn grown<T: Default>(table: &mut Vec<T>, index: usize) -> &mut T {
    if index >= table.len() {
        table.resize_with(index + 1, T::default);
    }
    table.get_mut(index).expect("the table has grown to the index")
}

#[cfg(test)]
mod contracts {
    use super::*;
    use buttonwood_model::{Time, TradeId};
    use buttonwood_num::{Price, Qty};

    /// The first trade of a contract with a high number takes no room among the listed symbols.
    #[test]
    fn a_contract_has_a_chain_of_its_own() {
        let (mut index, symbol) = (Index::new(7), SymbolId::contract(999_999));
        let (price, qty) = (Price::from_ticks(40), Qty::from_hundredths(100));
        let row = PublicTrade { symbol, trade: TradeId(3), time: Time(5), price, qty, taker: None };
        let at = index.push(&row, &mut Vec::new());
        assert_eq!((index.newest_public(symbol), index.chains.symbols.listed().len()), (Some(at), 0));
        assert!(size_of::<Chain<Sums>>() <= 32);
        let again = Index::decode(&index.encode(Vec::new()).unwrap()).unwrap();
        assert_eq!(again, index);
    }
}
