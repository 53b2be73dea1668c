//! Spot margin against the naive sums of `oracle`, and at the ends of the range of money.
#![expect(clippy::unwrap_used, reason = "what a test cannot do, fails it")]

use buttonwood_engine::{
    Account, AccountKind, Answer, Body, Command, DeskReject, FeeSchedule, FeedPrices, Place, PlaceReject,
    Reject, TradingAnswer, TradingCommand, TradingReject, perp, spot_margin,
};
use buttonwood_model::{
    AccountId, CancelReason, CurrencyId, GroupId, Product, Role, SessionId, Side, Symbol, SymbolId,
    SymbolStatus, Time,
};
use buttonwood_num::{Bps, Decimal, Grid, Money, Price, Qty};
use buttonwood_oracle::{Exchange, Happening, borrow, caller};
use std::collections::HashMap;

/// Orders, pins, hours and liquidations at random: every law holds after each command, money is that of the fills, figures and
/// admission are the naive ones, and a replay and a snapshot lead to the same state. Proves MARG-004, MARG-006, MARG-010.
#[test]
fn money_and_figures_are_the_naive_ones() {
    let mut seen: HashMap<&str, u64> = HashMap::new();
    for seed in 0..8 {
        for (what, times) in borrow(seed, 600) {
            *seen.entry(what).or_default() += times;
        }
    }
    for what in [
        "filled",
        "crossed",
        "triggered",
        "refused",
        "mixed",
        "beyond the limit",
        "hours",
        "searches",
        "liquidated",
        "sold",
        "taken over",
        "waits",
    ] {
        assert!(seen.get(what).is_some_and(|times| *times >= 1), "too few {what}: {seen:?}");
    }
}

/// An exchange with one market on margin, whose index is pinned at 50,000, and a margin account.
pub(crate) struct Stage {
    pub(crate) exchange: Exchange,
    pub(crate) btc: CurrencyId,
    pub(crate) usd: CurrencyId,
    pub(crate) margin: Trader,
    number: u64,
}

pub(crate) type Trader = (AccountId, SessionId);

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text.as_bytes()).unwrap()
}

pub(crate) fn units(text: &str) -> Money {
    Money::from_decimal(decimal(text)).unwrap()
}

impl Stage {
    pub(crate) fn new() -> Self {
        let mut stage = Self::listing(true);
        let pin = perp::Command::PinIndex(stage.btc, Some(units("50000")));
        assert_eq!(stage.exchange.own(pin.into()), Answer::Done);
        stage
    }

    /// Without an index; with or without a perpetual of bitcoin.
    pub(crate) fn listing(perpetual: bool) -> Self {
        let free = FeeSchedule { maker: Bps(0), taker: Bps(0), auction: Bps(0) };
        let mut exchange = Exchange::open(free, None);
        let [btc, usd, gusd] = ["BTC", "USD", "GUSD"].map(|code| exchange.find_currency(code));
        let mut list = |name: &str, quote: CurrencyId, product: Product| {
            let grid = Grid::new(decimal("0.01"), decimal("0.00000001")).unwrap();
            let qty_min = grid.qty(decimal("0.00001")).unwrap();
            let status = SymbolStatus::Open;
            let (name, closed_to) = (name.to_owned(), Vec::new());
            let symbol = Symbol {
                name,
                base: btc,
                quote,
                qty_min,
                grid,
                product,
                status,
                wrap_enabled: false,
                closed_to,
            };
            assert_eq!(exchange.own(Body::list_symbol(symbol)), Answer::Done);
        };
        list("btcusd", usd, Product::Spot);
        if perpetual {
            list("btcgusdperp", gusd, Product::Swap);
        }
        assert_eq!(exchange.own(Body::add_group("one".into())), Answer::Done);
        let mut stage = Self { exchange, btc, usd, margin: (AccountId(0), SessionId::EXCHANGE), number: 0 };
        stage.margin = stage.trader("margin", AccountKind::Margin);
        stage
    }

    /// A feed says that a bitcoin is worth so much, and the next full second passes.
    pub(crate) fn feed(&mut self, price: &str) {
        let prices = vec![(self.btc, units(price))];
        let feed = perp::Command::FeedPrice(FeedPrices { feed: "one".into(), prices, age: 0 });
        assert_eq!(self.exchange.own(feed.into()), Answer::Done);
        self.pass_second();
    }

    /// Runs all that is due within a second.
    pub(crate) fn pass_second(&mut self) {
        let until = self.exchange.stamp.time.plus(Time::SECOND);
        while let Some(due) = self.exchange.state.next_due().filter(|due| due.time <= until) {
            let passed = due.time.0.saturating_sub(self.exchange.stamp.time.0);
            self.exchange.submit(passed, &Command { caller: None, body: due.command });
        }
    }

    pub(crate) fn trader(&mut self, name: &str, kind: AccountKind) -> Trader {
        let account = Account {
            group: Some(GroupId(0)),
            short_name: name.into(),
            kind,
            ..Account::house(self.exchange.stamp.time)
        };
        assert_eq!(self.exchange.own(Body::open_account(account)), Answer::Done);
        let account = AccountId::from_index(self.exchange.state.access().accounts().len() - 1);
        (account, self.exchange.key(name, account, Role::Trader))
    }

    pub(crate) fn credit(&mut self, (account, _): Trader, currency: CurrencyId, amount: &str) {
        assert_eq!(self.exchange.own(Body::credit(account, vec![(currency, units(amount))])), Answer::Done);
    }

    pub(crate) fn call(&mut self, (account, session): Trader, command: TradingCommand) -> Answer {
        self.number += 1;
        let caller = Some(caller(session, account, self.number));
        self.exchange.submit(1, &Command { caller, body: Body::Trading(command) })
    }

    /// A limit order for a whole number of bitcoins, at a price in whole dollars.
    pub(crate) fn place(&mut self, trader: Trader, side: Side, amounts: (u128, u64), margin: bool) -> Answer {
        self.place_at(SymbolId(0), trader, side, amounts, margin)
    }

    pub(crate) fn place_at(
        &mut self,
        symbol: SymbolId,
        trader: Trader,
        side: Side,
        (bitcoins, price): (u128, u64),
        margin: bool,
    ) -> Answer {
        let qty = Qty::from_hundredths(bitcoins * 10_000_000_000);
        self.place_qty(symbol, trader, side, (qty, price), margin)
    }

    pub(crate) fn place_qty(
        &mut self,
        symbol: SymbolId,
        trader: Trader,
        side: Side,
        (qty, price): (Qty, u64),
        margin: bool,
    ) -> Answer {
        let place = Place { margin, ..Place::limit(symbol, side, Price::from_ticks(price * 100), qty) };
        self.call(trader, TradingCommand::Place(place))
    }
}

/// Indices are taken for spot margin itself: it needs no perpetual of the same coin.
#[test]
fn a_coin_without_a_perpetual_has_an_index() {
    let mut stage = Stage::listing(false);
    let margin = stage.margin;
    stage.credit(margin, stage.usd, "10000");
    let buy = |stage: &mut Stage| stage.place(margin, Side::Buy, (1, 40_000), true);
    assert!(matches!(buy(&mut stage), Answer::Rejected(_)), "no source has a price");
    stage.feed("50000");
    let placed = buy(&mut stage);
    assert!(matches!(placed, Answer::Trading(TradingAnswer::Order(_))), "{placed:?}");
    assert_eq!(stage.exchange.state.indices().latest().price(stage.btc), Some(units("50000")));
}

/// An index at which the positions of a perpetual cannot be counted closes the perpetual, and not spot margin in the same coin.
#[test]
fn an_uncountable_perpetual_leaves_spot_margin_open() {
    let mut stage = Stage::listing(true);
    let margin = stage.margin;
    stage.credit(margin, stage.usd, "10000");
    stage.feed("1");
    let gusd = stage.exchange.find_currency("GUSD");
    for (name, side) in [("long", Side::Buy), ("short", Side::Sell)] {
        let trader = stage.trader(name, AccountKind::Derivatives);
        stage.credit(trader, gusd, "10000000000000");
        stage.place_at(SymbolId(1), trader, side, (10_000_000_000_000, 1), false);
    }
    let whole = units("10000000000000");
    assert_eq!(stage.exchange.state.perps().open_interest(SymbolId(1)), whole);
    stage.feed("50000");
    let contract = *stage.exchange.state.perps().contract(SymbolId(1)).unwrap();
    assert_eq!((contract.index, contract.is_fresh), (units("1"), false));
    let index = stage.exchange.state.indices().latest().index(stage.btc).unwrap();
    assert_eq!((index.price, index.is_fresh), (units("50000"), true));
    let placed = stage.place(margin, Side::Buy, (1, 40_000), true);
    assert!(matches!(placed, Answer::Trading(TradingAnswer::Order(_))), "{placed:?}");
}

/// The proceeds of an account's live margin sells are summed. Each of these sells is in the range of money, and the second is refused,
/// since their sum is not; once the first is gone, there is room again.
#[test]
fn margin_sells_are_counted_within_the_range_of_money() {
    let mut stage = Stage::new();
    let margin = stage.margin;
    stage.credit(margin, stage.btc, "200");
    // 100,000,000,000,000,000 dollars a bitcoin.
    let sell = |stage: &mut Stage| stage.place(margin, Side::Sell, (90, 100_000_000_000_000_000), true);
    let placed = sell(&mut stage);
    assert!(matches!(placed, Answer::Trading(TradingAnswer::Order(_))), "{placed:?}");
    let funds = Reject::Trading(TradingReject::Place(PlaceReject::BeyondFunds));
    assert_eq!(sell(&mut stage), Answer::Rejected(funds));
    stage.call(margin, TradingCommand::CancelAll);
    let placed = sell(&mut stage);
    assert!(matches!(placed, Answer::Trading(TradingAnswer::Order(_))), "{placed:?}");
}

/// Nearly all dollars that money can count were credited. The house's loans come on top: a fill that needs more than is left is no
/// fill, whichever order rests, and an hour charges no interest that cannot be counted.
#[test]
fn loans_stay_within_the_range_of_money() {
    let mut stage = Stage::new();
    let margin = stage.margin;
    let rich = stage.trader("rich", AccountKind::Exchange);
    // 17,000,000,000,000,000,000 of 17,014,118,346,046,923,173 dollars.
    for _ in 0..34 {
        stage.credit(rich, stage.usd, "500000000000000000");
    }
    stage.credit(rich, stage.btc, "10000000000000");
    stage.credit(margin, stage.btc, "1000000000000");
    let left = stage.exchange.state.ledger().left_to_give(stage.usd);
    let owed = |stage: &Stage| stage.exchange.state.spot_margin().owed(margin.0);
    // 20,000,000,000,000,000 dollars are more than is left; as taker, then as maker.
    let too_much = (400_000_000_000, 50_000);
    stage.place(rich, Side::Sell, too_much, false);
    stage.place(margin, Side::Buy, too_much, true);
    stage.call(rich, TradingCommand::CancelAll);
    stage.place(margin, Side::Buy, too_much, true);
    stage.place(rich, Side::Sell, too_much, false);
    assert_eq!(owed(&stage), Money::ZERO);
    for trader in [rich, margin] {
        stage.call(trader, TradingCommand::CancelAll);
    }
    let fits = (282_360_000_000, 50_000);
    stage.place(rich, Side::Sell, fits, false);
    stage.place(margin, Side::Buy, fits, true);
    assert_eq!(owed(&stage), units("14118000000000000"));
    // A day, minute by minute.
    for _ in 0..24 * 61 {
        let due = stage.exchange.state.next_due().unwrap();
        let passed = due.time.0.saturating_sub(stage.exchange.stamp.time.0);
        stage.exchange.submit(passed, &Command { caller: None, body: due.command });
    }
    assert!(owed(&stage) > units("14118000000000000") && owed(&stage) <= left, "{:?}", owed(&stage));
}

/// Money that fills of perpetuals may take from the house leaves a quarter of the range of money to funding and liquidations.
#[test]
fn fills_of_perpetuals_leave_room_for_what_falls_due() {
    let mut stage = Stage::new();
    let rich = stage.trader("rich", AccountKind::Exchange);
    let sides = ["long", "short"].map(|name| stage.trader(name, AccountKind::Derivatives));
    let gusd = stage.exchange.find_currency("GUSD");
    for trader in sides {
        stage.credit(trader, gusd, "1000000");
    }
    let trade = |stage: &mut Stage| {
        for (trader, side) in sides.into_iter().zip([Side::Buy, Side::Sell]) {
            stage.place_at(SymbolId(1), trader, side, (1, 50_000), false);
        }
        for trader in sides {
            stage.call(trader, TradingCommand::CancelAll);
        }
        stage.exchange.state.perps().open_interest(SymbolId(1))
    };
    assert_eq!(trade(&mut stage), units("1"));
    // Three quarters are 12,760,588,759,535,192,379 dollars.
    for _ in 0..25 {
        stage.credit(rich, gusd, "500000000000000000");
    }
    assert_eq!(trade(&mut stage), units("2"));
    stage.credit(rich, gusd, "500000000000000000");
    assert_eq!(trade(&mut stage), units("2"));
}

/// Coins are data: one for which nothing is lent any more still sells on margin, none leaves while an order is live, and a list that names a
/// currency without a dollar book, or one twice, is refused.
#[test]
fn operators_choose_the_coins() {
    let mut stage = Stage::new();
    let (margin, btc, gusd) = (stage.margin, stage.btc, stage.exchange.find_currency("GUSD"));
    stage.credit(margin, stage.usd, "10000");
    stage.credit(margin, btc, "5");
    let coin = |currency, lends| spot_margin::Coin { currency, lends };
    let set = |stage: &mut Stage, coins: &[spot_margin::Coin]| {
        stage.exchange.own(spot_margin::Command::SetCoins(coins.to_vec()).into())
    };
    let refused = |reject| Answer::Rejected(Reject::SpotMargin(reject));
    let order = |stage: &mut Stage, side, price| stage.place(margin, side, (1, price), true);
    let of_desk = |reject| Answer::Rejected(Reject::Trading(TradingReject::Place(PlaceReject::Desk(reject))));
    let is_placed = |answer: Answer| matches!(answer, Answer::Trading(TradingAnswer::Order(_)));
    assert_eq!(set(&mut stage, &[coin(gusd, true)]), refused(spot_margin::Reject::NoBook));
    assert_eq!(set(&mut stage, &[coin(btc, true); 2]), refused(spot_margin::Reject::BadCoins));
    assert_eq!(set(&mut stage, &[]), Answer::Done);
    assert_eq!(order(&mut stage, Side::Buy, 40_000), of_desk(DeskReject::NoMargin));
    assert_eq!(set(&mut stage, &[coin(btc, false)]), Answer::Done);
    let not_lent = of_desk(DeskReject::SpotMargin(spot_margin::Refusal::NotLent));
    assert_eq!(order(&mut stage, Side::Buy, 40_000), not_lent);
    assert!(is_placed(order(&mut stage, Side::Sell, 60_000)));
    assert_eq!(set(&mut stage, &[]), refused(spot_margin::Reject::CoinInUse));
    assert_eq!(set(&mut stage, &[coin(btc, true)]), Answer::Done);
    assert!(is_placed(order(&mut stage, Side::Buy, 40_000)));
}

/// A cash order spends a coin as soon as the coin counts: when it is added to the list, and when its dollar book is listed later. The order
/// is then discounted as it was counted.
#[test]
fn live_orders_are_counted_again_with_another_coin() {
    let mut stage = Stage::new();
    let (margin, btc, usd) = (stage.margin, stage.btc, stage.usd);
    let [doge, sol] = ["DOGE", "SOL"].map(|code| stage.exchange.find_currency(code));
    let mut symbol = stage.exchange.state.symbols()[0].clone();
    for (name, base, quote) in [("dogebtc", doge, btc), ("solbtc", sol, btc), ("dogeusd", doge, usd)] {
        symbol = Symbol { name: name.into(), base, quote, ..symbol };
        assert_eq!(stage.exchange.own(Body::list_symbol(symbol.clone())), Answer::Done);
    }
    for (id, currency) in [(2, doge), (3, sol)] {
        stage.credit(margin, currency, "10");
        let placed = stage.place_at(SymbolId(id), margin, Side::Sell, (1, 1), false);
        assert!(matches!(placed, Answer::Trading(TradingAnswer::Order(_))), "{placed:?}");
    }
    let coins = [btc, doge].map(|currency| spot_margin::Coin { currency, lends: true });
    let set = spot_margin::Command::SetCoins(coins.to_vec());
    assert_eq!(stage.exchange.own(set.into()), Answer::Done);
    assert_eq!(stage.exchange.state.broken_law(), None);
    stage.call(margin, TradingCommand::CancelAll);
    assert_eq!(stage.exchange.state.broken_law(), None);
    assert!(!stage.exchange.state.spot_margin().is_active(margin.0));
}

/// The dollar book of a coin of earlier builds is listed while a cash order of it is live.
#[test]
fn live_orders_are_counted_again_with_another_book() {
    let mut stage = Stage::new();
    let margin = stage.margin;
    let sol = stage.exchange.find_currency("SOL");
    let symbol = stage.exchange.state.symbols()[0].clone();
    let list = |stage: &mut Stage, name: &str, quote: CurrencyId| {
        let symbol = Symbol { name: name.into(), base: sol, quote, ..symbol.clone() };
        assert_eq!(stage.exchange.own(Body::list_symbol(symbol)), Answer::Done);
    };
    let (btc, usd) = (stage.btc, stage.usd);
    list(&mut stage, "solbtc", btc);
    stage.credit(margin, sol, "10");
    stage.place_at(SymbolId(2), margin, Side::Sell, (1, 1), false);
    list(&mut stage, "solusd", usd);
    assert_eq!(stage.exchange.state.broken_law(), None);
    stage.call(margin, TradingCommand::CancelAll);
    assert_eq!(stage.exchange.state.broken_law(), None);
}

/// Two operators change one list within a moment, each from what was in force before: both changes hold. A coin that is not in the list does
/// not leave it.
#[test]
fn changes_of_one_list_hold_together() {
    let mut stage = Stage::new();
    let (btc, usd) = (stage.btc, stage.usd);
    let [doge, gusd] = ["DOGE", "GUSD"].map(|code| stage.exchange.find_currency(code));
    let symbol = stage.exchange.state.symbols()[0].clone();
    let symbol = Symbol { name: "dogeusd".into(), base: doge, quote: usd, ..symbol };
    assert_eq!(stage.exchange.own(Body::list_symbol(symbol)), Answer::Done);
    let coin = |stage: &mut Stage, currency, lends| {
        stage.exchange.own(spot_margin::Command::SetCoin(currency, lends).into())
    };
    assert_eq!(coin(&mut stage, doge, Some(true)), Answer::Done);
    assert_eq!(coin(&mut stage, btc, Some(false)), Answer::Done);
    let coins: Vec<_> = stage.exchange.state.spot_margin().coins().map(|(coin, _)| coin).collect();
    let expected =
        [(btc, false), (doge, true)].map(|(currency, lends)| spot_margin::Coin { currency, lends });
    assert_eq!(coins, expected);
    assert_eq!(coin(&mut stage, doge, None), Answer::Done);
    let refused = |reject| Answer::Rejected(Reject::SpotMargin(reject));
    assert_eq!(coin(&mut stage, doge, None), refused(spot_margin::Reject::UnknownCoin));
    assert_eq!(coin(&mut stage, gusd, Some(true)), refused(spot_margin::Reject::NoBook));
    let count = |stage: &mut Stage, currency, percent| {
        let counted = perp::Counted { currency, percent, is_dollar: false };
        stage.exchange.own(perp::Command::CountCollateral(counted).into())
    };
    assert_eq!(count(&mut stage, doge, 40), Answer::Done);
    assert_eq!(count(&mut stage, btc, 70), Answer::Done);
    let counted = |stage: &Stage| -> Vec<_> {
        let core = &stage.exchange.state;
        core.perps().counted(core.ledger()).map(|counted| (counted.currency, counted.percent)).collect()
    };
    assert!(counted(&stage).contains(&(doge, 40)) && counted(&stage).contains(&(btc, 70)));
    let before = counted(&stage).len();
    assert_eq!(count(&mut stage, btc, 0), Answer::Done);
    assert_eq!(counted(&stage).len(), before - 1);
    let refused = |reject| Answer::Rejected(Reject::Perp(reject));
    assert_eq!(count(&mut stage, btc, 101), refused(perp::Reject::BadCollateral));
    assert_eq!(count(&mut stage, gusd, 50), refused(perp::Reject::Unknown));
}

/// Pins the index, and runs the liquidations that follow. Returns the prices at which they sold, and why a sale ended.
fn pinned(stage: &mut Stage, price: &str) -> (Vec<Price>, Vec<CancelReason>) {
    let pin = perp::Command::PinIndex(stage.btc, Some(units(price)));
    assert_eq!(stage.exchange.own(pin.into()), Answer::Done);
    let (mut sold, mut ended) = (Vec::new(), Vec::new());
    while let Some(due) = stage.exchange.state.next_due().filter(|due| due.time <= stage.exchange.stamp.time)
    {
        stage.exchange.submit(1, &Command { caller: None, body: due.command });
        assert_eq!(stage.exchange.state.broken_law(), None);
        for happening in &stage.exchange.happened {
            if let Happening::Filled { price, .. } = *happening {
                sold.push(price);
            } else if let Happening::Cancelled(_, reason) = *happening {
                ended.push(reason);
            }
        }
    }
    (sold, ended)
}

/// A forced sale is bound by the fresh index, not by a last trade far above all bids: it sells down to 5 % below the index, and
/// goes on at each new one. It never goes deeper, however often the same index is taken, and its order says what ended it.
#[test]
fn a_forced_sale_follows_the_index() {
    let mut stage = Stage::new();
    let margin = stage.margin;
    let cash = stage.trader("cash", AccountKind::Exchange);
    stage.credit(cash, stage.btc, "10");
    stage.credit(cash, stage.usd, "1000000");
    stage.credit(margin, stage.usd, "20000");
    stage.place(cash, Side::Sell, (2, 50_000), false);
    stage.place(margin, Side::Buy, (2, 50_000), true);
    assert_eq!(stage.exchange.state.spot_margin().owed(margin.0), units("80000"));
    stage.place(cash, Side::Sell, (1, 60_000), false);
    let conditions =
        spot_margin::Conditions { maintenance: Bps(1_000), ..spot_margin::Conditions::default() };
    assert_eq!(stage.exchange.own(spot_margin::Command::SetConditions(conditions).into()), Answer::Done);
    // The last trade is at 50,000, so the collar's edge is 47,500. At 43,500 the zero price is 40,000, and 5 % below the index 41,325.
    stage.place(cash, Side::Buy, (1, 41_000), false);
    let stopped = (Vec::new(), vec![CancelReason::ExceedsPriceLimits]);
    assert_eq!(pinned(&mut stage, "43500"), stopped);
    assert_eq!(pinned(&mut stage, "43500"), stopped, "no step goes deeper");
    assert_eq!(stage.exchange.state.spot_margin().owed(margin.0), units("80000"));
    // 5 % below 43,000 is 40,850.
    let (sold, _) = pinned(&mut stage, "43000");
    assert_eq!(sold, [Price::from_ticks(4_100_000)]);
    assert!(stage.exchange.state.spot_margin().owed(margin.0) < units("40000"));
}

/// Collateral is data: a currency counts with its percentage once it is in the list. GUSD, a percentage that is none and a currency twice
/// are refused.
#[test]
fn operators_choose_the_collateral() {
    let mut stage = Stage::new();
    let trader = stage.trader("derivatives", AccountKind::Derivatives);
    let (btc, gusd) = (stage.btc, stage.exchange.find_currency("GUSD"));
    stage.credit(trader, btc, "1");
    let cross = perp::Command::SetRisk(trader.0, None, Some(true));
    assert_eq!(stage.exchange.own(cross.into()), Answer::Done);
    let assets_of = |stage: &Stage| {
        let core = &stage.exchange.state;
        let contract = (SymbolId(1), core.symbol(SymbolId(1)).unwrap());
        let figures =
            perp::Figures::of(core.perps(), core.ledger(), core.indices().latest(), trader.0, contract);
        figures.unwrap().sums.assets
    };
    assert_eq!(assets_of(&stage), units("45000"), "an earlier build's directory counts 90 %");
    let weighed = |currency, percent| perp::Counted { currency, percent, is_dollar: false };
    let set = |stage: &mut Stage, list: &[perp::Counted]| {
        stage.exchange.own(perp::Command::SetCollateral(list.to_vec()).into())
    };
    let refused = |reject| Answer::Rejected(Reject::Perp(reject));
    assert_eq!(set(&mut stage, &[weighed(gusd, 90)]), refused(perp::Reject::Unknown));
    for bad in [vec![weighed(btc, 0)], vec![weighed(btc, 101)], vec![weighed(btc, 90); 2]] {
        assert_eq!(set(&mut stage, &bad), refused(perp::Reject::BadCollateral));
    }
    assert_eq!(set(&mut stage, &[weighed(btc, 50)]), Answer::Done);
    assert_eq!(assets_of(&stage), units("25000"));
    assert_eq!(set(&mut stage, &[]), Answer::Done);
    assert_eq!(assets_of(&stage), Money::ZERO);
}
