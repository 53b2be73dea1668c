//! Simulated traders: two accounts that quote and take on the main symbols, through the same interface as anyone.
//!
//! In every turn the fair price of one symbol takes a small step, a quote is placed on each side, the oldest quote of a
//! side that has all its levels is cancelled, and now and then the taker trades. The actions are a function of the
//! seed. Their times follow real time, or the moves of a manual clock; then the calls also run one after another, so
//! that the same moves lead to the same markets. With a real clock they send at most five batches a second together
//! (D-35).
//!
//! Clauses: `SBX-004`; decision D-33 (which symbols).

use crate::cast::{QUOTER_KEYS, SIMULATED};
use buttonwood_client::{Client, Credentials, Error, NewOrder};
use buttonwood_engine::Access;
use buttonwood_model::SessionId;
use buttonwood_num::{Grid, Price, Qty};
use buttonwood_vault::Secret;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// A symbol they trade.
#[derive(Clone, Debug)]
pub struct Market {
    /// Its name.
    pub symbol: String,
    /// Its increments.
    pub grid: Grid,
    /// Its smallest order.
    pub qty_min: Qty,
    /// Where its fair price begins: the last trade, or the start price of the symbol data.
    pub start: Price,
}

/// A simulated trader's key.
pub struct TraderKey {
    /// Its public text.
    pub api_key: String,
    /// Its secret.
    pub secret: Secret,
    /// The highest nonce that it has used.
    pub nonce: u64,
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

/// The keys of a sandbox's simulated traders: those that its group `simulated` was founded with, the quoter's first. Users may add
/// keys of any name to any group, and rename these, but no key of theirs is older in this group.
pub fn simulated(access: &Access) -> Vec<SessionId> {
    let traders = access.find_group(SIMULATED);
    let is_of_traders = |owner| traders.is_some() && access.group_of(owner) == traders;
    let sessions = access.sessions().iter().enumerate();
    let own = sessions.filter(|(_, session)| is_of_traders(session.key.owner));
    own.map(|(at, _)| SessionId::from_index(at)).take(QUOTER_KEYS + 1).collect()
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

/// One symbol's quotes, oldest first: bids and asks.
#[derive(Debug)]
struct Desk {
    market: Market,
    fair: u64,
    quotes: [VecDeque<String>; 2],
    named: u64,
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
    quoters: Vec<Client>,
    taker: Client,
    random: ChaCha8Rng,
    desks: Vec<Desk>,
    pace: Pace,
    opened: bool,
}

impl Traders {
    /// Traders that will reach the exchange at `base_url` with these keys, the [`simulated`] ones: the quoter's, then the
    /// taker's.
    ///
    /// # Errors
    /// When the address is not valid, or the keys are too few.
    pub fn connect(
        base_url: &str,
        keys: Vec<TraderKey>,
        markets: Vec<Market>,
        seed: u64,
        pace: Pace,
    ) -> Result<Self, NoTraders> {
        let client = |TraderKey { api_key, secret, nonce }: TraderKey| {
            Ok(Client::new(base_url)?
                .with_key(Credentials::new(api_key, secret.text()))
                .with_nonces_above(nonce))
        };
        let mut quoters = keys.into_iter().map(client).collect::<Result<Vec<_>, Error>>()?;
        let taker = quoters.pop().filter(|_| quoters.len() == QUOTER_KEYS).ok_or(NoTraders::TooFewKeys)?;
        let desk = |market: Market| Desk {
            fair: market.start.ticks(),
            market,
            quotes: Default::default(),
            named: 0,
        };
        let random = ChaCha8Rng::seed_from_u64(seed ^ 0x7261_6465_7273);
        let desks = markets.into_iter().map(desk).collect();
        Ok(Self { quoters, taker, random, desks, pace, opened: false })
    }

    /// Takes one turn: the first clears what an earlier run left and fills the books, each later one moves a symbol.
    pub async fn turn(&mut self) {
        let result = if self.opened { self.move_one().await } else { self.open().await };
        if let Err(error) = result {
            tracing::debug!(%error, "a simulated trader's turn failed");
        }
    }

    async fn open(&mut self) -> Result<(), Error> {
        if let Some(quoter) = self.quoters.first() {
            quoter.cancel_all().await?;
        }
        for at in 0..self.desks.len() {
            for depth in 0..LEVELS {
                let new = [self.quote(at, "buy", depth), self.quote(at, "sell", depth)];
                self.carry_out(at, Turn { new, ..Turn::default() }).await;
            }
        }
        self.opened = true;
        // A first trade each, so that every main symbol has a price.
        for at in 0..self.desks.len() {
            let taken = self.taken(at);
            place(&self.taker, taken.as_ref()).await;
        }
        Ok(())
    }

    /// Moves the fair price of one symbol, renews its oldest quotes, and lets the taker trade one turn in two.
    async fn move_one(&mut self) -> Result<(), Error> {
        if self.desks.is_empty() {
            return Ok(());
        }
        let at = self.random.random_range(0..self.desks.len());
        let up = self.random.random::<bool>();
        let far = self.random.random_range(0..=STEP);
        let Some(desk) = self.desks.get_mut(at) else { return Ok(()) };
        let step = (desk.fair * far / 10_000).max(u64::from(far > 0));
        desk.fair = if up { desk.fair + step } else { desk.fair.saturating_sub(step).max(100) };
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
        let taken = if self.random.random::<bool>() { self.taken(at) } else { None };
        self.carry_out(at, Turn { old, new, taken }).await;
        Ok(())
    }

    /// Sends the changes of a turn, and notes which quotes are on the book afterwards. A refused call (in maintenance,
    /// say) has changed nothing.
    async fn carry_out(&mut self, at: usize, turn: Turn) {
        let Turn { old: [old_bid, old_ask], new: [bid, ask], taken } = &turn;
        let [first, second, third, fourth] = self.quoters.as_slice() else { return };
        // Boxed, since the future of a turn has room for both ways of awaiting the five calls.
        let cancel_bid = Box::pin(cancel(first, old_bid.as_deref()));
        let cancel_ask = Box::pin(cancel(second, old_ask.as_deref()));
        let place_bid = Box::pin(quote(third, bid.as_ref()));
        let place_ask = Box::pin(quote(fourth, ask.as_ref()));
        let take = Box::pin(place(&self.taker, taken.as_ref()));
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

    /// An order that takes a little from the better half of a book.
    fn taken(&mut self, at: usize) -> Option<NewOrder> {
        let buys = self.random.random::<bool>();
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
