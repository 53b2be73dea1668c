//! Spot margin against the naive sums of `oracle`, and at the ends of the range of money.

use buttonwood_engine::{
    Account, AccountKind, Answer, Body, Command, FeeSchedule, Place, PlaceReject, Reject, TradingAnswer,
    TradingCommand, TradingReject, perp,
};
use buttonwood_model::{
    AccountId, Claim, CurrencyId, GroupId, OrderKind, Product, Role, Side, Symbol, SymbolId, SymbolStatus,
};
use buttonwood_num::{Decimal, Grid, Money, Price, Qty};
use buttonwood_oracle::{Exchange, borrow, caller};
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

/// What the live margin sells of an account bring is summed. Each of these sells is in the range of money, and the second is refused, since
/// their sum is not; once the first is gone, there is room again.
#[test]
fn margin_sells_are_counted_within_the_range_of_money() {
    let decimal = |text: &str| Decimal::parse(text.as_bytes()).unwrap();
    let mut exchange = Exchange::open(FeeSchedule::default(), None);
    let [btc, usd, gusd] = ["BTC", "USD", "GUSD"].map(|code| exchange.find_currency(code));
    let mut list = |name: &str, quote: CurrencyId, product: Product| {
        let grid = Grid::new(decimal("0.01"), decimal("0.00000001")).unwrap();
        let qty_min = grid.qty(decimal("0.00001")).unwrap();
        let status = SymbolStatus::Open;
        let (name, closed_to) = (name.to_owned(), Vec::new());
        let symbol =
            Symbol { name, base: btc, quote, qty_min, grid, product, status, wrap_enabled: false, closed_to };
        assert_eq!(exchange.own(Body::list_symbol(symbol)), Answer::Done);
    };
    list("btcusd", usd, Product::Spot);
    list("btcgusdperp", gusd, Product::Swap);
    assert_eq!(exchange.own(Body::add_group("one".into())), Answer::Done);
    let account = Account {
        group: Some(GroupId(0)),
        short_name: "margin".into(),
        kind: AccountKind::Margin,
        ..Account::house(exchange.stamp.time)
    };
    assert_eq!(exchange.own(Body::open_account(account)), Answer::Done);
    let account = AccountId::from_index(exchange.state.access().accounts().len() - 1);
    let session = exchange.key("margin", account, Role::Trader);
    let units = |text: &str| Money::from_decimal(decimal(text)).unwrap();
    assert_eq!(exchange.own(Body::credit(account, vec![(btc, units("200"))])), Answer::Done);
    let pin = perp::Command::PinIndex(btc, Some(units("50000")));
    assert_eq!(exchange.own(pin.into()), Answer::Done);
    let mut number = 0;
    let mut call = |exchange: &mut Exchange, command: TradingCommand| {
        number += 1;
        let caller = Some(caller(session, account, number));
        exchange.submit(1, &Command { caller, body: Body::Trading(command) })
    };
    let sell = TradingCommand::Place(Place {
        symbol: SymbolId(0),
        side: Side::Sell,
        claim: Claim::Yes,
        kind: OrderKind::Limit,
        option: None,
        // 100,000,000,000,000,000 dollars, for 90 bitcoins.
        price: Price::from_ticks(10_000_000_000_000_000_000),
        qty: Qty::from_hundredths(900_000_000_000),
        spend: Money::ZERO,
        client_id: None,
        stop: Price::default(),
        margin: true,
    });
    let placed = call(&mut exchange, sell.clone());
    assert!(matches!(placed, Answer::Trading(TradingAnswer::Order(_))), "{placed:?}");
    let refused = call(&mut exchange, sell.clone());
    let funds = Reject::Trading(TradingReject::Place(PlaceReject::InsufficientFunds));
    assert_eq!(refused, Answer::Rejected(funds));
    call(&mut exchange, TradingCommand::CancelAll);
    let placed = call(&mut exchange, sell);
    assert!(matches!(placed, Answer::Trading(TradingAnswer::Order(_))), "{placed:?}");
}
