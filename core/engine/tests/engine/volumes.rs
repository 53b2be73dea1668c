//! The volumes of trades that are not paid in dollars: they count at references, not at last prices (D-265).
#![expect(clippy::unwrap_used, reason = "what a test cannot do, fails it")]

use crate::spot_margin::units;
use buttonwood_engine::{
    Answer, Body, Command, Event, FeeSchedule, Infrequent, Place, TradingAnswer, TradingCommand,
    TradingInfrequent, decode_command, decode_events, encode,
};
use buttonwood_model::{AccountId, Day, Outbox, Role, SessionId, Side, SymbolId, Time};
use buttonwood_num::{Bps, Decimal, Money};
use buttonwood_oracle::{Exchange, caller};

const BTCUSD: SymbolId = SymbolId(0);
const ETHBTC: SymbolId = SymbolId(1);

type Trader = (AccountId, SessionId);

/// An exchange without fees, and the nonce that was used last.
struct Stage {
    exchange: Exchange,
    number: u64,
    /// The microseconds before the next command.
    wait: u64,
}

impl Stage {
    fn new() -> Self {
        let free = FeeSchedule { maker: Bps(0), taker: Bps(0), auction: Bps(0) };
        let mut exchange = Exchange::open(free, Some(Vec::new()));
        let pairs = [["BTC", "USD"], ["ETH", "BTC"], ["USDT", "USD"]].into_iter();
        for pair in pairs.chain(["GUSD", "USDC", "USDT"].map(|dollar| ["ETH", dollar])) {
            exchange.symbol(pair, ["0.001", "0.000001", "0.01"], &[]);
        }
        Self { exchange, number: 0, wait: 1 }
    }

    /// An account of a group of its own, with a million of every currency.
    fn trader(&mut self, name: &str) -> Trader {
        let account = self.exchange.account(name, "");
        for code in ["USD", "BTC", "ETH", "GUSD", "USDC", "USDT"] {
            let currency = self.exchange.find_currency(code);
            let credit = Body::credit(account, vec![(currency, units("1000000"))]);
            assert_eq!(self.exchange.own(credit), Answer::Done);
        }
        (account, self.exchange.key(name, account, Role::Trader))
    }

    /// Three traders; orders of the last one make the price of bitcoin.
    fn traders(&mut self) -> [Trader; 3] {
        ["ann", "bob", "cat"].map(|name| self.trader(name))
    }

    fn call(&mut self, (account, session): Trader, command: TradingCommand) -> Answer {
        self.number += 1;
        let caller = Some(caller(session, account, self.number));
        let wait = std::mem::replace(&mut self.wait, 1);
        self.exchange.submit(wait, &Command { caller, body: Body::Trading(command) })
    }

    /// A limit order.
    fn place(&mut self, trader: Trader, symbol: SymbolId, side: Side, [qty, price]: [&str; 2]) {
        let grid = &self.exchange.state.symbol(symbol).unwrap().grid;
        let [qty, price] = [qty, price].map(|text| Decimal::parse(text.as_bytes()).unwrap());
        let place = Place::limit(symbol, side, grid.price(price).unwrap(), grid.qty(qty).unwrap());
        let placed = self.call(trader, TradingCommand::Place(place));
        assert!(matches!(placed, Answer::Trading(TradingAnswer::Order(_))), "{placed:?}");
    }

    /// The first one sells to the second one.
    fn trade(&mut self, [seller, buyer]: [Trader; 2], symbol: SymbolId, amounts: [&str; 2]) {
        let before = self.exchange.trades.len();
        self.place(seller, symbol, Side::Sell, amounts);
        self.place(buyer, symbol, Side::Buy, amounts);
        assert_eq!(self.exchange.trades.len(), before + 1);
    }

    /// Trades a tenth of a bitcoin for ether.
    fn trade_ether(&mut self, parties: [Trader; 2]) {
        self.trade(parties, ETHBTC, ["1", "0.1"]);
    }

    /// Orders of a bitcoin each, after those before are cancelled.
    fn quote(&mut self, trader: Trader, [bid, ask]: [&str; 2]) {
        assert_eq!(self.call(trader, TradingCommand::CancelAll), Answer::Done);
        self.place(trader, BTCUSD, Side::Buy, ["1", bid]);
        self.place(trader, BTCUSD, Side::Sell, ["1", ask]);
    }

    /// The next command comes a second later, when references hold no longer.
    fn pass_second(&mut self) {
        self.wait = Time::SECOND;
    }

    /// The newest trade of a symbol that is not void becomes void.
    fn void_newest(&mut self, symbol: SymbolId) {
        let body = self.exchange.break_newest(symbol).unwrap();
        assert_eq!(self.exchange.own(body), Answer::Done);
    }

    /// The volumes of these traders after the next midnight, if it changes any.
    fn volumes(&mut self, traders: [Trader; 2]) -> [Money; 2] {
        let (now, due) = (self.exchange.stamp.time, self.exchange.state.volumes().due());
        if let Some(due) = due.filter(|due| *due <= now.plus(Day::MICROS)) {
            let passed = due.0 - now.0;
            let close = Command { caller: None, body: Body::Trading(TradingCommand::CloseDay) };
            assert_eq!(self.exchange.submit(passed, &close), Answer::Done);
        }
        assert_eq!(self.exchange.state.broken_law(), None);
        traders.map(|(account, _)| self.exchange.state.volumes().total(account))
    }

    /// The journal, read by a new exchange. `is_earlier` says whether an earlier build wrote it, which took no references.
    fn again(&self, is_earlier: bool) -> Self {
        let mut exchange = Exchange::blank();
        for frame in self.exchange.journal.iter().flatten() {
            exchange.replay(&if is_earlier { without_references(frame) } else { frame.clone() });
        }
        Self { exchange, ..*self }
    }
}

/// The frame as an earlier build wrote it.
fn without_references(frame: &[u8]) -> Vec<u8> {
    let mut out: Outbox<Event> = Outbox::default();
    let (time, rest) = decode_events(frame, &mut out).unwrap();
    let command = decode_command(rest, &out).unwrap();
    let is_taken = |event: &Event| match event {
        Event::Infrequent(kept) => matches!(
            Infrequent::read(*kept, &out.texts).unwrap(),
            Infrequent::Trading(TradingInfrequent::ReferencesTaken(_))
        ),
        Event::Trading(_) | Event::Access(_) => false,
    };
    let events: Vec<Event> = out.events.iter().filter(|event| !is_taken(event)).copied().collect();
    let mut earlier = Vec::new();
    encode(time, &command, &events, &out.texts, &mut earlier).unwrap();
    earlier
}

/// Neither a last price that two traders make nor their own orders give their trades a value. A trade that is paid in bitcoin counts at the
/// reference, which holds for a second.
#[test]
fn a_last_price_buys_no_volume() {
    let mut stage = Stage::new();
    let [ann, bob, cat] = stage.traders();
    // 1,000 dollars, and a last price of a million.
    stage.trade([bob, ann], BTCUSD, ["0.001", "1000000"]);
    stage.trade_ether([bob, ann]);
    stage.place(ann, BTCUSD, Side::Buy, ["1", "900000"]);
    stage.place(bob, BTCUSD, Side::Sell, ["1", "1100000"]);
    stage.pass_second();
    stage.trade_ether([bob, ann]);
    assert_eq!(stage.volumes([ann, bob]), [units("1000"); 2]);
    for trader in [ann, bob] {
        assert_eq!(stage.call(trader, TradingCommand::CancelAll), Answer::Done);
    }
    stage.quote(cat, ["50000", "50002"]);
    // 0.1 at 50,002, which is the median of these orders and the last price.
    stage.trade_ether([bob, ann]);
    assert_eq!(stage.volumes([ann, bob]), [units("6000.2"); 2]);
    // Within a second the price stays as it was taken: 0.2 at 50,002.
    stage.trade_ether([bob, ann]);
    assert_eq!(stage.call(cat, TradingCommand::CancelAll), Answer::Done);
    stage.trade_ether([bob, ann]);
    assert_eq!(stage.volumes([ann, bob]), [units("16000.6"); 2]);
    // Without a reference nothing counts, for a second: orders that come after a trade of that second change nothing.
    stage.pass_second();
    stage.trade_ether([bob, ann]);
    stage.quote(cat, ["50000", "50002"]);
    stage.trade_ether([bob, ann]);
    assert_eq!(stage.volumes([ann, bob]), [units("16000.6"); 2]);
    assert_eq!(stage.exchange.difference(&stage.again(false).exchange), None);
}

/// Each group has a reference without its own orders, and the lower one counts for both.
#[test]
fn the_lower_reference_of_both_groups_counts() {
    let mut stage = Stage::new();
    let [ann, bob, cat] = stage.traders();
    stage.quote(cat, ["50000", "50002"]);
    stage.place(bob, BTCUSD, Side::Buy, ["1", "50001"]);
    // 50,001.50 for Ann, and 50,001 for Bob, whose order makes none.
    stage.trade_ether([bob, ann]);
    assert_eq!(stage.volumes([ann, bob]), [units("5000.1"); 2]);
    stage.trade_ether([ann, bob]);
    assert_eq!(stage.volumes([ann, bob]), [units("10000.2"); 2]);
}

/// A wrapped dollar counts one, whatever it trades for.
#[test]
fn wrapped_dollars_count_one() {
    let mut stage = Stage::new();
    let [ann, bob, _] = stage.traders();
    stage.trade([bob, ann], SymbolId(2), ["10", "5"]);
    for symbol in [3, 4, 5] {
        stage.trade([bob, ann], SymbolId(symbol), ["1", "100"]);
    }
    assert_eq!(stage.volumes([ann, bob]), [units("350"); 2]);
}

/// A void trade takes back what it counted, not what it would count now: on its own day and after it.
#[test]
fn a_void_trade_takes_back_what_it_counted() {
    let mut stage = Stage::new();
    let [ann, bob, cat] = stage.traders();
    stage.quote(cat, ["50000", "50002"]);
    stage.trade_ether([bob, ann]);
    stage.quote(cat, ["60000", "60002"]);
    stage.pass_second();
    stage.trade_ether([bob, ann]);
    stage.quote(cat, ["70000", "70002"]);
    stage.pass_second();
    stage.trade_ether([cat, ann]);
    stage.void_newest(ETHBTC);
    stage.void_newest(ETHBTC);
    assert_eq!(stage.volumes([ann, bob]), [units("5000.1"); 2]);
    stage.void_newest(ETHBTC);
    assert_eq!(stage.volumes([ann, bob]), [Money::ZERO; 2]);
    assert_eq!(stage.exchange.difference(&stage.again(false).exchange), None);
}

/// A journal of an earlier build counts at last prices, as it did. Later trades go by references, and a snapshot keeps them.
#[test]
fn an_earlier_journal_counts_as_it_did() {
    let mut stage = Stage::new();
    let [ann, bob, _] = stage.traders();
    stage.trade([bob, ann], BTCUSD, ["0.001", "30000"]);
    stage.trade_ether([bob, ann]);
    stage.trade([bob, ann], SymbolId(2), ["10", "5"]);
    stage.trade([bob, ann], SymbolId(5), ["1", "100"]);
    let mut earlier = stage.again(true);
    // 30 + 0.1 at 30,000 + 50 + 100 at 5.
    assert_eq!(earlier.volumes([ann, bob]), [units("3580"); 2]);
    assert_eq!(stage.volumes([ann, bob]), [units("180"); 2]);
    let mut stored = earlier.exchange.fork();
    stored.state = earlier.exchange.stored();
    assert_eq!(earlier.exchange.difference(&stored), None);
    earlier.trade_ether([bob, ann]);
    earlier.trade([bob, ann], SymbolId(5), ["1", "100"]);
    assert_eq!(earlier.volumes([ann, bob]), [units("3680"); 2]);
    for left in ["3680", "680"] {
        earlier.void_newest(ETHBTC);
        assert_eq!(earlier.volumes([ann, bob]), [units(left); 2]);
    }
    let mut stored = earlier.exchange.fork();
    stored.state = earlier.exchange.stored();
    assert_eq!(earlier.exchange.difference(&stored), None);
}
