//! Short scenes: what each term of the seam means, one by one.

use crate::desks::Refusal;
use crate::engine::{BTC, BTCUSD, Command, Engine, FIRST, PERP, RAIN, Reject, USD};
use crate::perp::Position;
use buttonwood_auction::Schedule;
use buttonwood_model::{
    AccountId, AssetId, CancelReason, Claim, CurrencyId, ExecutionOption, OrderId, OrderKind, Product,
    SessionId, Side, SymbolId,
};
use buttonwood_num::{Bps, Money, Price, Qty};
use buttonwood_trading::place::{self, FILLS_MAX, ORDERS_MAX, Place, Placer};
use buttonwood_trading::{self as trading, FeeChange, FeeSchedule};

// Accounts of even numbers are of the cash desk, those of odd ones of the margin desk.
const ANN: AccountId = AccountId(FIRST);
const BOB: AccountId = AccountId(FIRST + 1);
const CAT: AccountId = AccountId(FIRST + 2);
const DAN: AccountId = AccountId(FIRST + 3);

const YES: AssetId = AssetId::claim(RAIN, Claim::Yes);
const NO: AssetId = AssetId::claim(RAIN, Claim::No);

/// Hundredths of a dollar, or of a coin.
fn cents(amount: i128) -> Money {
    Money::from_units(amount * 10_i128.pow(17))
}

/// A limit order; a lot is 0.001 BTC, or one claim.
fn limit(symbol: SymbolId, side: Side, ticks: u64, lots: u128) -> Place {
    Place::limit(symbol, side, Price::from_ticks(ticks), Qty::from_hundredths(lots * 100))
}

fn buy(symbol: SymbolId, ticks: u64, lots: u128) -> Place {
    limit(symbol, Side::Buy, ticks, lots)
}

fn sell(symbol: SymbolId, ticks: u64, lots: u128) -> Place {
    limit(symbol, Side::Sell, ticks, lots)
}

/// A buy of no at a price of no: an ask of the book.
fn buy_no(ticks: u64, lots: u128) -> Place {
    Place { claim: Claim::No, ..sell(RAIN, 100 - ticks, lots) }
}

/// A sale of no at a price of no: a bid of the book.
fn sell_no(ticks: u64, lots: u128) -> Place {
    Place { claim: Claim::No, ..buy(RAIN, 100 - ticks, lots) }
}

fn market(place: Place) -> Place {
    Place { kind: OrderKind::Market, price: Price::default(), ..place }
}

/// An engine without fees, and what the scenes ask of it.
struct Scene(Engine);

impl Scene {
    fn new() -> Self {
        let mut scene = Self(Engine::found(4));
        for product in [Product::Spot, Product::Swap] {
            scene.fees(product, 0);
        }
        scene
    }

    /// Puts one rate in force for all roles.
    fn fees(&mut self, product: Product, rate: u16) {
        let schedule = FeeSchedule { maker: Bps(rate), taker: Bps(rate), auction: Bps(rate) };
        let change = FeeChange { product, account: None, schedule: Some(schedule) };
        self.own(trading::Command::SetFees(change)).unwrap();
    }

    fn own(&mut self, command: trading::Command) -> Result<(), Reject> {
        self.submit(&Command::Trading(command))
    }

    fn submit(&mut self, command: &Command) -> Result<(), Reject> {
        let result = self.0.submit(command);
        self.0.state.check_laws();
        result
    }

    fn give(&mut self, account: AccountId, currency: CurrencyId, amount: i128) {
        self.submit(&Command::Credit(account, currency, cents(amount))).unwrap();
    }

    /// The order's id.
    fn place(&mut self, account: AccountId, place: Place) -> Result<u64, place::Reject<Refusal>> {
        self.place_as(Placer { account, session: SessionId(0) }, place)
    }

    fn place_as(&mut self, placer: Placer, place: Place) -> Result<u64, place::Reject<Refusal>> {
        let id = self.0.state.next_id;
        match self.submit(&Command::Place(placer, place)) {
            Ok(()) => Ok(id),
            Err(Reject::Place(reject)) => Err(reject),
            Err(reject) => panic!("{reject:?}"),
        }
    }

    /// The free and the held amount of an asset, in hundredths.
    fn has(&self, account: AccountId, asset: impl Into<AssetId>) -> [i128; 2] {
        let balance = self.0.state.balance(account, asset);
        [balance.available, balance.held].map(|money| {
            assert_eq!(money.units() % 10_i128.pow(17), 0);
            money.units() / 10_i128.pow(17)
        })
    }

    fn house(&self, name: &str, asset: impl Into<AssetId>) -> i128 {
        self.0.state.house(name, asset) / 10_i128.pow(17)
    }

    fn position(&self, account: AccountId) -> Position {
        self.0.state.desks.perp.position(account, PERP)
    }

    fn live(&self, id: u64) -> bool {
        self.0.state.floor.orders.find(OrderId(id)).is_some()
    }

    /// Ends the scene: a snapshot and the replay lead to the same state.
    fn end(mut self) {
        self.0.check_replay();
        self.0.restart();
    }
}

/// A cash order and a margin order meet on one book, both ways, and each settles at its own desk.
#[test]
fn each_side_settles_at_its_own_desk() {
    let mut scene = Scene::new();
    scene.give(ANN, BTC, 100);
    scene.give(BOB, USD, 1_000);
    // Ann sells a tenth of a coin for ten dollars; Bob pays five, and owes the others.
    scene.place(ANN, sell(BTCUSD, 10_000, 100)).unwrap();
    scene.place(BOB, buy(BTCUSD, 10_000, 100)).unwrap();
    assert_eq!((scene.has(ANN, USD), scene.has(BOB, USD)), ([1_000, 0], [500, 0]));
    assert_eq!((scene.has(BOB, BTC), scene.house("lending", USD)), ([10, 0], -500));
    // Bob rests with half of that, and Ann takes it: the proceeds go to his debt first.
    scene.place(BOB, sell(BTCUSD, 11_000, 50)).unwrap();
    scene.place(ANN, buy(BTCUSD, 11_000, 50)).unwrap();
    assert_eq!((scene.has(ANN, USD), scene.has(BOB, USD)), ([450, 0], [550, 0]));
    assert_eq!(scene.house("lending", USD), 0);
    // A resting bid of the margin desk reserves half of what it would pay.
    scene.place(BOB, buy(BTCUSD, 11_000, 10)).unwrap();
    assert_eq!(scene.has(BOB, USD), [495, 55]);
    scene.end();
}

/// A cash order and a margin order trade with each other in an auction too.
#[test]
fn each_side_of_an_auction_settles_at_its_own_desk() {
    let mut scene = Scene::new();
    for account in [ANN, BOB, CAT, DAN] {
        scene.give(account, BTC, 100);
        scene.give(account, USD, 2_000);
    }
    let time = scene.0.time.plus(10_000_000);
    let schedule = Schedule {
        time,
        every: 0,
        opens: Schedule::ALWAYS,
        indicates: 0,
        indicates_every: 1_000_000,
        last_cancel: 0,
    };
    scene.own(trading::Command::ScheduleAuctions(BTCUSD, Some(schedule))).unwrap();
    let waits = |place| Place { option: Some(ExecutionOption::AuctionOnly), ..place };
    // Bob and Dan are of the margin desk: one buys of a cash account, the other sells to one.
    for (account, place) in [
        (BOB, buy(BTCUSD, 10_000, 100)),
        (ANN, sell(BTCUSD, 10_000, 100)),
        (CAT, buy(BTCUSD, 10_000, 50)),
        (DAN, sell(BTCUSD, 10_000, 50)),
    ] {
        scene.place(account, waits(place)).unwrap();
    }
    scene.0.time = time;
    let mut steps = 0;
    while scene.own(trading::Command::Auction(BTCUSD)).is_ok() {
        steps += 1;
    }
    assert!(steps > 1 && scene.0.state.floor.settling == 0);
    assert_eq!((scene.has(BOB, USD), scene.has(BOB, BTC)), ([1_500, 0], [110, 0]));
    assert_eq!((scene.has(ANN, USD), scene.has(ANN, BTC)), ([3_000, 0], [90, 0]));
    assert_eq!((scene.has(CAT, USD), scene.has(DAN, USD)), ([1_500, 0], [2_500, 0]));
    assert_eq!(scene.house("lending", USD), -500);
    scene.end();
}

/// A buy of no is an ask that reserves money; with a buy of yes it mints, two sales merge, and else claims change hands.
#[test]
fn both_outcomes_share_one_book() {
    let mut scene = Scene::new();
    for account in [ANN, BOB, CAT] {
        scene.give(account, USD, 1_000);
    }
    let no = scene.place(ANN, buy_no(40, 10)).unwrap();
    assert_eq!((scene.has(ANN, USD), scene.has(ANN, NO)), ([600, 400], [0, 0]));
    assert!(scene.0.state.queue(RAIN, Side::Sell).iter().any(|order| order.id.0 == no));
    // It mints: Bob pays 60 for each yes and Ann 40 for each no.
    scene.place(BOB, buy(RAIN, 65, 10)).unwrap();
    assert_eq!((scene.has(ANN, NO), scene.has(BOB, YES)), ([1_000, 0], [1_000, 0]));
    assert_eq!((scene.has(ANN, USD), scene.has(BOB, USD)), ([600, 0], [400, 0]));
    assert_eq!((scene.house("collateral", USD), scene.house("issuer", YES)), (1_000, -1_000));
    // A transfer: Cat takes four of Ann's no for 30 each, and nothing is issued.
    scene.place(ANN, sell_no(30, 4)).unwrap();
    assert_eq!(scene.has(ANN, NO), [600, 400]);
    scene.place(CAT, buy_no(30, 4)).unwrap();
    assert_eq!(
        (scene.has(ANN, USD), scene.has(CAT, USD), scene.has(CAT, NO)),
        ([720, 0], [880, 0], [400, 0])
    );
    assert_eq!(scene.house("collateral", USD), 1_000);
    // A merge pays both: Bob 55 for each yes, Cat 45 for each no.
    scene.place(BOB, sell(RAIN, 55, 4)).unwrap();
    scene.place(CAT, sell_no(45, 4)).unwrap();
    assert_eq!((scene.has(BOB, USD), scene.has(CAT, USD)), ([620, 0], [1_060, 0]));
    assert_eq!((scene.house("collateral", USD), scene.house("issuer", NO)), (600, -600));
    scene.end();
}

/// One taker may mint with one maker and take the claims of another in the same command.
#[test]
fn one_order_settles_makers_of_both_kinds() {
    let mut scene = Scene::new();
    for account in [ANN, BOB, CAT, DAN] {
        scene.give(account, USD, 1_000);
    }
    scene.place(ANN, buy_no(50, 5)).unwrap();
    scene.place(BOB, buy(RAIN, 50, 5)).unwrap();
    scene.place(BOB, sell(RAIN, 40, 5)).unwrap();
    scene.place(CAT, buy_no(55, 5)).unwrap();
    scene.place(DAN, buy(RAIN, 45, 10)).unwrap();
    assert_eq!(scene.0.fills(), 2);
    assert_eq!((scene.has(DAN, YES), scene.has(DAN, USD)), ([1_000, 0], [1_000 - 5 * 40 - 5 * 45, 0]));
    assert_eq!((scene.has(BOB, USD), scene.has(CAT, NO)), ([1_000 - 250 + 200, 0], [500, 0]));
    assert_eq!((scene.house("collateral", USD), scene.house("issuer", YES)), (1_000, -1_000));
    scene.end();
}

/// Money to spend buys claims, fee included, and what is left of it stays with the account.
#[test]
fn an_order_may_name_what_to_spend() {
    let mut scene = Scene::new();
    scene.fees(Product::Spot, 100);
    for account in [ANN, BOB] {
        scene.give(account, USD, 1_010);
    }
    scene.place(ANN, buy_no(50, 20)).unwrap();
    let spend =
        Place { kind: OrderKind::MarketSpend, qty: Qty::ZERO, spend: cents(505), ..market(buy(RAIN, 1, 1)) };
    scene.place(BOB, spend).unwrap();
    assert_eq!((scene.has(BOB, USD), scene.has(BOB, YES)), ([505, 0], [1_000, 0]));
    assert_eq!(scene.house("fees", USD), 10);
    assert_eq!(
        scene.place(BOB, Place { claim: Claim::No, ..spend }),
        Err(place::Reject::Desk(Refusal::NoSpend))
    );
    scene.end();
}

/// Ann is long one coin at 100 dollars with a margin of 10, Bob short; each began with as many cents.
fn with_positions(cents: [i128; 2]) -> Scene {
    let mut scene = Scene::new();
    scene.give(ANN, USD, cents[0]);
    scene.give(BOB, USD, cents[1]);
    scene.place(BOB, sell(PERP, 10_000, 1_000)).unwrap();
    scene.place(ANN, buy(PERP, 10_000, 1_000)).unwrap();
    assert_eq!((scene.position(ANN).qty, scene.position(BOB).qty), (100_000, -100_000));
    scene
}

/// An order that closes a position rests and reserves nothing; the part that turns it around reserves its margin.
#[test]
fn a_resting_order_may_reserve_nothing() {
    let mut scene = with_positions([1_100, 1_000]);
    assert_eq!((scene.has(ANN, USD), scene.has(BOB, USD)), ([100, 0], [0, 0]));
    assert_eq!(scene.house("clearing", USD), 2_000);
    let closes = scene.place(ANN, sell(PERP, 10_500, 1_000)).unwrap();
    assert!(scene.live(closes));
    assert_eq!(scene.has(ANN, USD), [100, 0]);
    scene.submit(&Command::Cancel(ANN, OrderId(closes))).unwrap();
    assert_eq!(scene.0.cancelled(), [(closes, CancelReason::Requested)]);
    let turns = scene.place(ANN, sell(PERP, 10_000, 1_080)).unwrap();
    assert_eq!(scene.has(ANN, USD), [20, 80]);
    scene.0.restart();
    assert!(scene.live(turns));
    assert_eq!(scene.place(ANN, sell(PERP, 10_000, 1_200)), Err(place::Reject::BeyondFunds));
    // Bob cannot increase his position, but he can close it.
    assert_eq!(scene.place(BOB, sell(PERP, 10_000, 1)), Err(place::Reject::BeyondFunds));
    scene.place(BOB, buy(PERP, 10_000, 1_000)).unwrap();
    assert_eq!((scene.position(BOB).qty, scene.has(BOB, USD)), (0, [1_000, 0]));
    scene.end();
}

/// An auction passes over an order that cannot cover its trade, and judges the trades of one account together.
#[test]
fn an_uncovered_order_is_passed_over_in_an_auction() {
    let mut scene = with_positions([1_000, 3_000]);
    scene.give(CAT, USD, 10_000);
    let waits = |place| Place { option: Some(ExecutionOption::AuctionOnly), ..place };
    let time = scene.0.time.plus(10_000_000);
    let schedule = Schedule {
        time,
        every: 0,
        opens: Schedule::ALWAYS,
        indicates: 0,
        indicates_every: 1_000_000,
        last_cancel: 0,
    };
    scene.own(trading::Command::ScheduleAuctions(PERP, Some(schedule))).unwrap();
    // Both close the same long position; at the auction's price its margin does not pay for a short one.
    let [first, second] =
        [10_000, 10_001].map(|price| scene.place(ANN, waits(sell(PERP, price, 1_000))).unwrap());
    let last = scene.place(BOB, waits(sell(PERP, 10_002, 100))).unwrap();
    let bid = scene.place(CAT, waits(buy(PERP, 10_002, 2_100))).unwrap();
    scene.0.time = time;
    scene.own(trading::Command::Auction(PERP)).unwrap();
    assert_eq!(scene.0.cancelled(), [(second, CancelReason::Uncovered)]);
    assert!(!scene.live(first) && !scene.live(last) && scene.live(bid));
    assert_eq!((scene.position(ANN).qty, scene.position(CAT).qty), (0, 110_000));
    scene.own(trading::Command::Auction(PERP)).unwrap();
    assert_eq!(scene.0.cancelled(), [(bid, CancelReason::AuctionCancelled)]);
    scene.end();
}

/// A maker that cannot cover its fill any more is cancelled before the fills, and the plan goes on after it.
#[test]
fn an_uncovered_maker_is_passed_over() {
    let mut scene = with_positions([1_000, 3_000]);
    scene.give(CAT, USD, 10_000);
    // Both close the same long position; the second has nothing to open a short one with.
    let first = scene.place(ANN, sell(PERP, 10_000, 1_000)).unwrap();
    let second = scene.place(ANN, sell(PERP, 10_001, 1_000)).unwrap();
    scene.place(CAT, buy(PERP, 10_000, 1_000)).unwrap();
    assert!(!scene.live(first) && scene.live(second));
    // The returned money covers a short position at this price; the account spends it elsewhere.
    scene.place(ANN, buy(RAIN, 50, 19)).unwrap();
    let third = scene.place(BOB, sell(PERP, 10_002, 100)).unwrap();
    let taker = scene.place(CAT, buy(PERP, 10_002, 200)).unwrap();
    assert_eq!(scene.0.cancelled(), [(second, CancelReason::Uncovered)]);
    assert_eq!(scene.0.fills(), 1);
    assert!(!scene.live(third) && scene.live(taker));
    assert_eq!((scene.position(ANN).qty, scene.position(CAT).qty), (0, 110_000));
    scene.end();
}

/// Two fills that are covered one by one are not covered together; an order that meets no one else rests.
#[test]
fn a_plan_covers_the_fills_of_an_account_together() {
    let mut scene = with_positions([2_500, 3_000]);
    scene.give(CAT, USD, 10_000);
    scene.place(ANN, sell(PERP, 10_000, 1_000)).unwrap();
    let second = scene.place(ANN, sell(PERP, 10_000, 1_000)).unwrap();
    let third = scene.place(ANN, sell(PERP, 10_000, 1_000)).unwrap();
    scene.place(ANN, buy(RAIN, 50, 10)).unwrap();
    assert_eq!(scene.has(ANN, USD), [1_000, 500]);
    // The first returns its margin of 10 dollars, the second takes 10 of the 20 then free, the third the other 10.
    scene.place(CAT, buy(PERP, 10_000, 1_000)).unwrap();
    scene.place(ANN, buy(RAIN, 45, 20)).unwrap();
    assert_eq!(scene.has(ANN, USD), [1_100, 1_400]);
    let taker = scene.place(CAT, buy(PERP, 10_000, 2_000)).unwrap();
    assert_eq!(scene.0.cancelled(), [(third, CancelReason::Uncovered)]);
    assert!(!scene.live(second) && scene.live(taker));
    assert_eq!(scene.position(ANN).qty, -100_000);
    scene.end();
}

/// An order that is cancelled unfilled cancels no maker, covered or not.
#[test]
fn a_void_order_cancels_no_maker() {
    let mut scene = with_positions([1_000, 3_000]);
    scene.give(CAT, USD, 10_000);
    scene.place(ANN, sell(PERP, 10_000, 1_000)).unwrap();
    let second = scene.place(ANN, sell(PERP, 10_000, 1_000)).unwrap();
    scene.place(CAT, buy(PERP, 10_000, 1_000)).unwrap();
    scene.place(ANN, buy(RAIN, 50, 19)).unwrap();
    let kills = Place { option: Some(ExecutionOption::FillOrKill), ..buy(PERP, 10_000, 100) };
    let killed = scene.place(CAT, kills).unwrap();
    assert_eq!(scene.0.cancelled(), [(killed, CancelReason::FillOrKillWouldNotFill)]);
    assert!(scene.live(second));
    // One that trades does, even if it finds nothing else.
    let taker = scene.place(CAT, market(buy(PERP, 1, 100))).unwrap();
    assert_eq!(
        scene.0.cancelled(),
        [(second, CancelReason::Uncovered), (taker, CancelReason::ImmediateOrCancelWouldPost)]
    );
    scene.end();
}

/// Whether the collar stops an order is seen at what comes after all that the plan came to: the fill or the order that it
/// passed over, whichever is the younger at one price.
#[test]
fn the_collar_is_seen_past_an_uncovered_maker() {
    for is_older in [true, false] {
        let mut scene = with_positions([1_000, 3_000]);
        for account in [CAT, DAN] {
            scene.give(account, USD, 10_000);
        }
        scene.place(ANN, sell(PERP, 10_000, 1_000)).unwrap();
        let mut makers = [(ANN, sell(PERP, 10_001, 1_000)), (BOB, sell(PERP, 10_001, 100))];
        if !is_older {
            makers.reverse();
        }
        let ids = makers.map(|(account, place)| scene.place(account, place).unwrap());
        let uncovered = if is_older { ids[0] } else { ids[1] };
        scene.place(CAT, buy(PERP, 10_000, 1_000)).unwrap();
        scene.place(ANN, buy(RAIN, 50, 19)).unwrap();
        scene.place(DAN, sell(PERP, 12_000, 100)).unwrap();
        let taker = scene.place(CAT, market(buy(PERP, 1, 300))).unwrap();
        assert_eq!(
            (scene.0.cancelled(), scene.0.fills()),
            (vec![(uncovered, CancelReason::Uncovered), (taker, CancelReason::ExceedsPriceLimits)], 1)
        );
        scene.end();
    }
}

/// More uncovered makers than one order may cancel do not close the book: each order that comes cancels as many as it may.
#[test]
fn uncovered_makers_do_not_close_the_book() {
    let mut scene = with_positions([6_000, 6_000]);
    for account in [CAT, DAN] {
        scene.give(account, USD, 1_000_000);
    }
    scene.place(BOB, sell(PERP, 10_000, 500)).unwrap();
    scene.place(DAN, buy(PERP, 10_000, 500)).unwrap();
    for (account, lots, count) in [(ANN, 1_000, 6_000), (DAN, 500, 6_000)] {
        scene.place(account, sell(PERP, 10_000, lots)).unwrap();
        let placer = Placer { account, session: SessionId(0) };
        for _ in 0..count {
            scene.0.submit(&Command::Place(placer, sell(PERP, 10_001, lots))).unwrap();
        }
    }
    scene.place(CAT, buy(PERP, 10_000, 1_500)).unwrap();
    for account in [ANN, DAN] {
        let [free, _] = scene.has(account, USD);
        scene.place(account, buy(RAIN, 50, u128::try_from(free / 50).unwrap())).unwrap();
    }
    scene.place(BOB, sell(PERP, 10_002, 10)).unwrap();
    let kinds = [buy(PERP, 10_002, 5), market(buy(PERP, 1, 5))];
    let [first, second] = kinds.map(|place| {
        let taker = scene.place(CAT, place).unwrap();
        (taker, scene.0.cancelled(), scene.0.fills())
    });
    assert_eq!((first.1.len(), first.2), (FILLS_MAX + 1, 0));
    assert_eq!(first.1.last(), Some(&(first.0, CancelReason::ImmediateOrCancelWouldPost)));
    assert_eq!((second.1.len(), second.2), (2_000, 1));
    scene.end();
}

/// The exchange closes a position that its account cannot pay for; the clearing account bears the rest of the loss.
#[test]
fn the_exchange_closes_what_an_account_cannot() {
    let mut scene = with_positions([1_000, 3_000]);
    for account in [CAT, DAN] {
        scene.give(account, USD, 10_000);
    }
    // The price falls, within the collar of its last trade.
    scene.place(CAT, buy(PERP, 9_100, 1)).unwrap();
    scene.place(DAN, sell(PERP, 9_100, 1)).unwrap();
    scene.place(BOB, buy(PERP, 8_500, 1_000)).unwrap();
    // Ann would lose 15 dollars and has a margin of 10.
    let closing = scene.0.closing(ANN).unwrap();
    assert_eq!(scene.place(ANN, closing), Err(place::Reject::BeyondFunds));
    scene.place_as(Placer::exchange(ANN), closing).unwrap();
    assert_eq!((scene.0.fills(), scene.position(ANN).qty, scene.position(BOB).qty), (1, 0, 0));
    assert_eq!((scene.has(ANN, USD), scene.has(BOB, USD)), ([0, 0], [4_500, 0]));
    let margins: i128 = scene.0.state.desks.perp.positions.values().map(|position| position.margin).sum();
    assert_eq!(scene.0.state.house("clearing", USD) - margins, cents(-500).units());
    scene.end();
}

/// The exchange places an order for an account that has as many as it may.
#[test]
fn the_exchange_is_not_held_to_a_count_of_orders() {
    let mut scene = Scene(Engine::found(1));
    scene.give(ANN, USD, 100_000_000);
    let placer = Placer { account: ANN, session: SessionId(0) };
    for _ in 0..ORDERS_MAX {
        scene.0.submit(&Command::Place(placer, buy(RAIN, 1, 1))).unwrap();
    }
    assert_eq!(scene.place(ANN, buy(RAIN, 1, 1)), Err(place::Reject::TooManyOrders));
    let own = scene.place_as(Placer::exchange(ANN), buy(RAIN, 1, 1)).unwrap();
    let slot = scene.0.state.floor.orders.find(OrderId(own)).unwrap();
    assert_eq!(scene.0.state.floor.orders.entry(slot).session, SessionId::EXCHANGE);
}

/// The owner of an order that the exchange placed cannot cancel it, alone or with all others, also after a restart.
#[test]
fn owners_do_not_cancel_orders_of_the_exchange() {
    let mut scene = Scene::new();
    scene.give(ANN, USD, 1_000);
    let mine = scene.place(ANN, buy(RAIN, 1, 1)).unwrap();
    let own = scene.place_as(Placer::exchange(ANN), buy(RAIN, 1, 1)).unwrap();
    for command in [Command::Cancel(ANN, OrderId(own)), Command::CancelAll(ANN)] {
        scene.submit(&command).unwrap();
        assert!(scene.live(own), "{command:?}");
        scene.0.restart();
    }
    assert!(!scene.live(mine));
    scene.end();
}

/// Collar, auctions and refusals are each desk's own.
#[test]
fn a_product_chooses_its_rules() {
    let mut scene = Scene::new();
    for account in [ANN, BOB, CAT] {
        scene.give(account, USD, 100_000);
    }
    for (symbol, ends) in [(PERP, Some(CancelReason::ExceedsPriceLimits)), (RAIN, None)] {
        let tick = if symbol == PERP { 100 } else { 1 };
        scene.place(ANN, buy(symbol, 50 * tick, 1)).unwrap();
        scene.place(BOB, Place { claim: Claim::No, ..sell(symbol, 50 * tick, 1) }).unwrap();
        scene.place(ANN, buy(symbol, 30 * tick, 1)).unwrap();
        let far = scene.place(BOB, Place { claim: Claim::No, ..sell(symbol, 30 * tick, 1) }).unwrap();
        let expected: Vec<_> = ends.map(|reason| (far, reason)).into_iter().collect();
        assert_eq!((scene.0.cancelled(), scene.0.fills()), (expected, usize::from(ends.is_none())));
        let none = trading::Command::ScheduleAuctions(symbol, None);
        let refused = Err(Reject::Trading(trading::Reject::NotNow));
        assert_eq!(scene.own(none), if symbol == RAIN { refused } else { Ok(()) });
    }
    assert_eq!(scene.place(CAT, buy(RAIN, 100, 1)), Err(place::Reject::Desk(Refusal::NoSuchPrice)));
    scene.give(BOB, USD, 10_000_000);
    assert_eq!(scene.place(BOB, buy(BTCUSD, 10_000, 20_001)), Err(place::Reject::Desk(Refusal::BorrowLimit)));
    scene.place(CAT, buy(BTCUSD, 5_000, 100)).unwrap();
    scene.end();
}
