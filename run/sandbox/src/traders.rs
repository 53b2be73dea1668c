//! Simulated traders: an account that quotes and one that takes on the main symbols, and two like them on perpetuals, through the same
//! interface as anyone.
//!
//! In every turn the fair price of one symbol takes a small step, a quote is placed on each side, the oldest quote of a
//! side that has all its levels is cancelled, and now and then the taker trades. The actions are a function of the
//! seed. Their times follow real time, or the moves of a manual clock; then the calls also run one after another, so
//! that the same moves lead to the same markets. With a real clock they send at most five batches a second together
//! (D-35).
//!
//! Clauses: `SBX-004`; decision D-33 (which symbols).

mod keys;
mod perpetuals;

pub(crate) use keys::derivatives;
pub use keys::{Simulated, TraderKey, simulated};

use crate::cast::QUOTER_KEYS;
use buttonwood_client::{Client, Credentials, Error, NewOrder};
use buttonwood_num::{Grid, Price, Qty};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// A symbol they trade.
#[derive(Debug)]
pub struct Market {
    /// Its name.
    pub symbol: String,
    /// Its increments.
    pub grid: Grid,
    /// Its smallest order.
    pub qty_min: Qty,
    /// Where its fair price comes from.
    pub fair: Fair,
}

/// Where the fair price of a symbol comes from.
pub enum Fair {
    /// It walks, and begins here: at the last trade, or the start price of the symbol data.
    Walk(Price),
    /// It follows the index of a perpetual, which this gives while there is one.
    Index(Index),
}

/// Gives the index of a perpetual, in price steps of its own grid.
pub type Index = Box<dyn Fn() -> Option<u64> + Send + Sync>;

impl std::fmt::Debug for Fair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Walk(start) => f.debug_tuple("Walk").field(start).finish(),
            Self::Index(_) => f.write_str("Index"),
        }
    }
}

/// Accounts of simulated traders, and what they trade.
#[derive(Default)]
pub struct Cast {
    /// The keys of the account that quotes, then that of the one that takes.
    pub keys: Vec<TraderKey>,
    /// The symbols.
    pub markets: Vec<Market>,
}

/// The simulated traders cannot trade.
#[derive(Debug, thiserror::Error)]
pub enum NoTraders {
    /// The exchange's address is not valid.
    #[error("the simulated traders cannot reach the exchange: {0}")]
    Address(#[from] Error),
    /// The directory lacks their keys.
    #[error("the simulated traders' keys are missing in this data directory")]
    TooFewKeys,
}

/// Levels kept on each side of a book.
const LEVELS: usize = 10;
/// A quote's distance to its better neighbour, in ten-thousandths of the price.
const GAP: u64 = 4;
/// The size of a usual order, in smallest orders: the first order of a test would empty a book of smallest orders. With
/// this size, a side of btcusd holds about two bitcoin, roughly the amount that a test account's dollars buy, and a
/// side of the thinnest symbol is worth thousands of dollars.
const SIZE: u128 = 1_000;
/// The fair price's largest step, in ten-thousandths.
const STEP: u64 = 3;

/// How the calls of a turn follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// All at once, on a connection each, so that they share a batch or two.
    Together,
    /// One after another: the exchange takes them in the same order every time.
    InTurn,
}

/// An account that quotes, with a client for each of its keys, and one that takes.
#[derive(Debug)]
struct Pair {
    quoters: Vec<Client>,
    taker: Client,
}

impl Pair {
    fn connect(base_url: &str, keys: Vec<TraderKey>) -> Result<Self, NoTraders> {
        let client = |TraderKey { api_key, secret, nonce }: TraderKey| {
            Ok(Client::new(base_url)?
                .with_key(Credentials::new(api_key, secret.text()))
                .with_nonces_above(nonce))
        };
        let mut quoters = keys.into_iter().map(client).collect::<Result<Vec<_>, Error>>()?;
        let taker = quoters.pop().filter(|_| quoters.len() == QUOTER_KEYS).ok_or(NoTraders::TooFewKeys)?;
        Ok(Self { quoters, taker })
    }

    /// Cancels what an earlier run left.
    async fn clear(&self) -> Result<(), Error> {
        if let Some(quoter) = self.quoters.first() {
            quoter.cancel_all().await?;
        }
        Ok(())
    }
}

/// One symbol's quotes, oldest first: bids and asks.
#[derive(Debug)]
struct Desk {
    market: Market,
    /// The place of its accounts among the pairs.
    pair: usize,
    fair: u64,
    quotes: [VecDeque<String>; 2],
    named: u64,
    /// Whether its book was filled.
    opened: bool,
}

/// An order with a name that later cancels it.
struct Quote {
    name: String,
    order: NewOrder,
}

/// The changes of one turn to a symbol: the bid and ask to cancel, the bid and ask to place, and the taker's order.
#[derive(Default)]
struct Turn {
    old: [Option<String>; 2],
    new: [Option<Quote>; 2],
    taken: Option<NewOrder>,
}

/// The simulated traders.
#[derive(Debug)]
pub struct Traders {
    pairs: Vec<Pair>,
    random: ChaCha8Rng,
    desks: Vec<Desk>,
    pace: Pace,
    opened: bool,
}

impl Traders {
    /// Traders that will reach the exchange at `base_url` with the keys of these casts, the [`simulated`] ones.
    ///
    /// # Errors
    /// When the address is not valid, or the keys of a cast are too few.
    pub fn connect(base_url: &str, casts: Vec<Cast>, seed: u64, pace: Pace) -> Result<Self, NoTraders> {
        let (mut pairs, mut desks) = (Vec::new(), Vec::new());
        for (pair, Cast { keys, markets }) in casts.into_iter().enumerate() {
            pairs.push(Pair::connect(base_url, keys)?);
            desks.extend(markets.into_iter().map(|market| Desk {
                fair: match &market.fair {
                    Fair::Walk(start) => start.ticks(),
                    Fair::Index(_) => 0,
                },
                market,
                pair,
                quotes: Default::default(),
                named: 0,
                opened: false,
            }));
        }
        let random = ChaCha8Rng::seed_from_u64(seed ^ 0x7261_6465_7273);
        Ok(Self { pairs, random, desks, pace, opened: false })
    }

    /// Takes one turn: the first clears what an earlier run left and fills the books, each later one moves a symbol. The book of a
    /// perpetual is filled once it has an index.
    pub async fn turn(&mut self) {
        let result = if self.opened { self.move_one().await } else { self.open().await };
        if let Err(error) = result {
            tracing::debug!(%error, "a simulated trader's turn failed");
        }
    }

    async fn open(&mut self) -> Result<(), Error> {
        for pair in &self.pairs {
            pair.clear().await?;
        }
        let walk = |desk: &Desk| matches!(desk.market.fair, Fair::Walk(_));
        let walking: Vec<usize> =
            (0..).zip(&self.desks).filter(|(_, desk)| walk(desk)).map(|(at, _)| at).collect();
        for at in &walking {
            self.fill(*at).await;
        }
        self.opened = true;
        // A first trade each, so that every main symbol has a price.
        for at in walking {
            self.take(at).await;
        }
        Ok(())
    }

    /// Fills both sides of a book.
    async fn fill(&mut self, at: usize) {
        for depth in 0..LEVELS {
            let new = [self.quote(at, "buy", depth), self.quote(at, "sell", depth)];
            self.carry_out(at, Turn { new, ..Turn::default() }).await;
        }
        if let Some(desk) = self.desks.get_mut(at) {
            desk.opened = true;
        }
    }

    /// Lets the taker trade once.
    async fn take(&mut self, at: usize) {
        let taken = self.taken(at, None);
        if let Some(pair) = self.pair(at) {
            place(&pair.taker, taken.as_ref()).await;
        }
    }

    fn pair(&self, at: usize) -> Option<&Pair> {
        self.pairs.get(self.desks.get(at)?.pair)
    }

    /// Moves the fair price of one symbol, renews its oldest quotes, and lets the taker trade one turn in two.
    async fn move_one(&mut self) -> Result<(), Error> {
        if self.desks.is_empty() || self.open_perpetual().await {
            return Ok(());
        }
        let at = self.random.random_range(0..self.desks.len());
        let up = self.random.random::<bool>();
        let far = self.random.random_range(0..=STEP);
        let Some(base) = self.base(at).await else { return Ok(()) };
        let Some(desk) = self.desks.get_mut(at) else { return Ok(()) };
        let step = (base * far / 10_000).max(u64::from(far > 0));
        desk.fair = if up { base + step } else { base.saturating_sub(step).max(100) };
        // A side that lacks quotes cancels none, so that the book fills up again.
        let old =
            desk.quotes.each_ref().map(|quotes| quotes.front().filter(|_| quotes.len() >= LEVELS).cloned());
        let depth = self.random.random_range(0..LEVELS);
        let [mut bid, mut ask] = [self.quote(at, "buy", depth), self.quote(at, "sell", depth)];
        if let Some([bids, asks]) = self.desks.get(at).map(|desk| desk.quotes.each_ref()) {
            bid = bid.filter(|_| bids.len() <= LEVELS);
            ask = ask.filter(|_| asks.len() <= LEVELS);
        }
        let new = [bid, ask];
        let taken = if self.random.random::<bool>() {
            let buys = self.reduces(at).await;
            self.taken(at, buys)
        } else {
            None
        };
        self.carry_out(at, Turn { old, new, taken }).await;
        Ok(())
    }

    /// Sends the changes of a turn, and notes which quotes are on the book afterwards. A refused call (in maintenance,
    /// say) has changed nothing.
    async fn carry_out(&mut self, at: usize, turn: Turn) {
        let Turn { old: [old_bid, old_ask], new: [bid, ask], taken } = &turn;
        let Some(pair) = self.pair(at) else { return };
        let [first, second, third, fourth] = pair.quoters.as_slice() else { return };
        // Boxed, since the future of a turn has room for both ways of awaiting the five calls.
        let cancel_bid = Box::pin(cancel(first, old_bid.as_deref()));
        let cancel_ask = Box::pin(cancel(second, old_ask.as_deref()));
        let place_bid = Box::pin(quote(third, bid.as_ref()));
        let place_ask = Box::pin(quote(fourth, ask.as_ref()));
        let take = Box::pin(place(&pair.taker, taken.as_ref()));
        let (bid_left, ask_left, bid_came, ask_came, _) = match self.pace {
            Pace::Together => tokio::join!(cancel_bid, cancel_ask, place_bid, place_ask, take),
            Pace::InTurn => {
                (cancel_bid.await, cancel_ask.await, place_bid.await, place_ask.await, take.await)
            }
        };
        let Some(desk) = self.desks.get_mut(at) else { return };
        let changed = [(bid_left, bid_came), (ask_left, ask_came)];
        for ((quotes, new), (left, came)) in desk.quotes.iter_mut().zip(turn.new).zip(changed) {
            if left {
                quotes.pop_front();
            }
            quotes.extend(new.filter(|_| came).map(|quote| quote.name));
        }
    }

    /// A quote `depth` levels from the fair price, with a name that later cancels it.
    fn quote(&mut self, at: usize, side: &str, depth: usize) -> Option<Quote> {
        let jitter = self.random.random_range(0..GAP);
        let lots = self.random.random_range(2..40u128) * SIZE;
        let desk = self.desks.get_mut(at)?;
        let depth = u64::try_from(depth).unwrap_or(0);
        let away = (desk.fair * (1 + GAP * depth + jitter) / 10_000).max(1 + depth);
        let ticks = if side == "buy" { desk.fair.saturating_sub(away).max(1) } else { desk.fair + away };
        desk.named += 1;
        let name = format!("sim-{}-{}-{}", desk.market.symbol, side, desk.named);
        let market = &desk.market;
        let amount = printed(|out| market.grid.push_qty(out, times(market.qty_min, lots)));
        let price = printed(|out| market.grid.push_price(out, Price::from_ticks(ticks)));
        let order = NewOrder::limit(&market.symbol, side, &amount, &price)
            .with_option("maker-or-cancel")
            .named(&name);
        Some(Quote { name, order })
    }

    /// An order that takes a little from the better half of a book; `buys` names its side.
    fn taken(&mut self, at: usize, buys: Option<bool>) -> Option<NewOrder> {
        let drawn = self.random.random::<bool>();
        let buys = buys.unwrap_or(drawn);
        let lots = self.random.random_range(1..20u128) * SIZE;
        let desk = self.desks.get(at)?;
        let reach = desk.fair * GAP * 5 / 10_000 + 5;
        let (side, ticks) =
            if buys { ("buy", desk.fair + reach) } else { ("sell", desk.fair.saturating_sub(reach).max(1)) };
        let market = &desk.market;
        let amount = printed(|out| market.grid.push_qty(out, times(market.qty_min, lots)));
        let price = printed(|out| market.grid.push_price(out, Price::from_ticks(ticks)));
        Some(NewOrder::limit(&market.symbol, side, &amount, &price).with_option("immediate-or-cancel"))
    }
}

/// Cancels a quote. True if it is no longer on the book; it may have been filled before.
async fn cancel(client: &Client, name: Option<&str>) -> bool {
    let Some(name) = name else { return false };
    let params = serde_json::json!({ "client_order_id": name });
    match client.call("/v1/order/cancel", params).await {
        Ok(reply) => matches!(reply.status, 200 | 404),
        Err(error) => {
            tracing::debug!(%error, "a simulated cancel failed");
            false
        }
    }
}

/// Places a quote. True when it may be on the book.
async fn quote(client: &Client, quote: Option<&Quote>) -> bool {
    place(client, quote.map(|quote| &quote.order)).await
}

/// Places an order. False if there is none, or it was refused. Without an answer it is true, since the order may have
/// been placed.
async fn place(client: &Client, order: Option<&NewOrder>) -> bool {
    let Some(order) = order else { return false };
    let placed = client.place(order).await;
    if let Err(error) = &placed {
        tracing::debug!(%error, "a simulated order was refused");
    }
    !matches!(placed, Err(Error::Refused { .. }))
}

fn times(qty: Qty, count: u128) -> Qty {
    Qty::from_hundredths(qty.hundredths() * count)
}

fn printed(print: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    print(&mut out);
    String::from_utf8(out).unwrap_or_default()
}
