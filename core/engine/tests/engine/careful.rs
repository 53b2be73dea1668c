//! Quotes of one group, and dust, decide nothing: careful prices (D-262), and the depth of a premium (D-177).

use crate::spot_margin::{Stage, units};
use buttonwood_engine::{
    AccountKind, Answer, DeskReject, PlaceReject, Reject, TradingAnswer, TradingCommand, TradingReject, perp,
    spot_margin,
};
use buttonwood_model::{SessionId, Side, SymbolId};
use buttonwood_num::{Money, Qty};

fn accepted(answer: &Answer) {
    assert!(matches!(answer, Answer::Trading(TradingAnswer::Order(_))), "{answer:?}");
}

fn place_reject(reject: PlaceReject) -> Answer {
    Answer::Rejected(Reject::Trading(TradingReject::Place(reject)))
}

/// Quotes of the borrower's own group make an index in a sandbox, and lend nothing: there is no reference. With a feed it is lent by that,
/// which is lower than the index.
#[test]
fn own_quotes_lend_nothing() {
    let mut stage = Stage::listing(false);
    let (maker, margin) = (stage.trader("maker", AccountKind::Exchange), stage.margin);
    let (btc, usd) = (stage.btc, stage.usd);
    stage.credit(maker, usd, "1000000");
    stage.credit(maker, btc, "2");
    stage.credit(margin, btc, "1");
    accepted(&stage.place(maker, Side::Buy, (1, 1_000_000), false));
    accepted(&stage.place(maker, Side::Sell, (1, 1_000_002), false));
    stage.pass_second();
    let index = stage.exchange.state.indices().latest().price(btc);
    assert_eq!(index, Some(units("1000001")), "the index is made of the group's quotes");
    let refused = stage.place(margin, Side::Buy, (1, 1_000_002), true);
    let no_reference = DeskReject::SpotMargin(spot_margin::Refusal::NoReference);
    assert_eq!(refused, place_reject(PlaceReject::Desk(no_reference)));
    stage.feed("50000");
    assert!(stage.exchange.state.indices().latest().price(btc).unwrap() > units("500000"));
    assert_eq!(stage.place(margin, Side::Buy, (1, 1_000_002), true), place_reject(PlaceReject::BeyondFunds));
    assert_eq!(stage.exchange.state.spot_margin().owed(margin.0), Money::ZERO);
    // At the feed's price the bitcoin carries another one.
    accepted(&stage.place(margin, Side::Buy, (1, 50_000), true));
}

/// Without a reference a resting margin buy borrows no more, and what is owed stays: no account is liquidated, margin sells trade, and
/// nothing leaves.
#[test]
fn without_a_reference_debts_stay_and_sells_trade() {
    let mut stage = Stage::new();
    let (maker, margin) = (stage.trader("maker", AccountKind::Exchange), stage.margin);
    let (btc, usd) = (stage.btc, stage.usd);
    stage.credit(maker, usd, "1000000");
    stage.credit(maker, btc, "5");
    stage.credit(margin, usd, "50000");
    accepted(&stage.place(maker, Side::Sell, (2, 50_000), false));
    accepted(&stage.place(margin, Side::Buy, (2, 50_000), true));
    accepted(&stage.place(margin, Side::Buy, (1, 49_000), true));
    let owed = |stage: &Stage| stage.exchange.state.spot_margin().owed(margin.0);
    assert_eq!(owed(&stage), units("50000"));
    assert!(stage.exchange.state.margined(margin.0, btc).unwrap()[1] > units("0.5"));
    let unpin = perp::Command::PinIndex(btc, None);
    assert_eq!(stage.exchange.own(unpin.into()), Answer::Done);
    stage.pass_second();
    assert_eq!(stage.exchange.state.margined(margin.0, btc), Some([units("2"), Money::ZERO]));
    accepted(&stage.place(maker, Side::Sell, (1, 49_000), false));
    assert_eq!(owed(&stage), units("50000"), "the resting buy was cancelled");
    assert_eq!(stage.exchange.state.orders().count_of(margin.0), 0);
    stage.pass_second();
    assert_eq!(owed(&stage), units("50000"), "no account is liquidated for want of a reference");
    accepted(&stage.place(maker, Side::Buy, (1, 48_500), false));
    accepted(&stage.place(margin, Side::Sell, (1, 48_500), true));
    assert_eq!(owed(&stage), units("1500"));
}

/// Collateral carries a new position only by its careful price, and the fund takes it by that. A position is reduced without one.
#[test]
fn own_quotes_carry_no_position() {
    let mut stage = Stage::listing(true);
    let [trader, other] = ["trader", "other"].map(|name| stage.trader(name, AccountKind::Derivatives));
    let maker = stage.trader("maker", AccountKind::Exchange);
    let (btc, usd, gusd) = (stage.btc, stage.usd, stage.exchange.find_currency("GUSD"));
    stage.credit(trader, btc, "1");
    stage.credit(other, gusd, "1000000");
    stage.credit(maker, usd, "1000000");
    stage.credit(maker, btc, "1");
    let cross = perp::Command::SetRisk(trader.0, None, Some(true));
    assert_eq!(stage.exchange.own(cross.into()), Answer::Done);
    accepted(&stage.place(maker, Side::Buy, (1, 50_000), false));
    accepted(&stage.place(maker, Side::Sell, (1, 50_002), false));
    stage.pass_second();
    let perp = SymbolId(1);
    accepted(&stage.place_at(perp, other, Side::Sell, (1, 50_001), false));
    let buy = |stage: &mut Stage| stage.place_at(perp, trader, Side::Buy, (1, 50_001), false);
    assert_eq!(buy(&mut stage), place_reject(PlaceReject::BeyondFunds), "own quotes carry nothing");
    let pin = |stage: &mut Stage, price: Option<&str>| {
        let pin = perp::Command::PinIndex(btc, price.map(units));
        assert_eq!(stage.exchange.own(pin.into()), Answer::Done);
        stage.pass_second();
    };
    pin(&mut stage, Some("50001"));
    accepted(&buy(&mut stage));
    let position = |stage: &Stage| stage.exchange.state.perps().row(trader.0, perp).position.quantity;
    assert_eq!(position(&stage), units("1"));
    // Half of the loss is owed. Without a reference the position is closed all the same.
    pin(&mut stage, None);
    assert_eq!(stage.exchange.state.margined(trader.0, btc).unwrap(), [Money::ZERO; 2]);
    accepted(&stage.place_at(perp, other, Side::Buy, (1, 48_000), false));
    accepted(&stage.place_at(perp, trader, Side::Sell, (1, 48_000), false));
    assert_eq!(position(&stage), Money::ZERO);
    let owed = |stage: &Stage| stage.exchange.state.perps().owed(trader.0, gusd);
    assert_eq!(owed(&stage), units("2001"));
    // The collateral covers the debt by a twentieth or less: the fund takes it, as soon as it has a reference.
    let fund = stage.exchange.state.ledger().house("insurance").unwrap();
    stage.credit((fund, SessionId::EXCHANGE), gusd, "1000000");
    stage.call(maker, TradingCommand::CancelAll);
    accepted(&stage.place(maker, Side::Buy, (1, 2_200), false));
    accepted(&stage.place(maker, Side::Sell, (1, 2_202), false));
    stage.pass_second();
    assert_eq!(stage.exchange.state.indices().latest().price(btc), Some(units("2201")));
    assert_eq!(owed(&stage), units("2001"), "the fund pays nothing by quotes of one group");
    pin(&mut stage, Some("2201"));
    assert!(owed(&stage) < units("100"), "{:?}", owed(&stage));
}

/// A thousand orders of a dollar in front of a book do not end its premium.
#[test]
fn dust_ends_no_premium() {
    let mut stage = Stage::new();
    let gusd = stage.exchange.find_currency("GUSD");
    let [one, other] = ["one", "other"].map(|name| stage.trader(name, AccountKind::Derivatives));
    for trader in [one, other] {
        stage.credit(trader, gusd, "1000000");
    }
    let perp = SymbolId(1);
    accepted(&stage.place_at(perp, one, Side::Buy, (1, 50_100), false));
    accepted(&stage.place_at(perp, other, Side::Sell, (1, 50_200), false));
    stage.pass_second();
    let premium = |stage: &Stage| stage.exchange.state.perps().contract(perp).unwrap().premium;
    assert_eq!(premium(&stage), Some(units("150")));
    let mut dust = |side: Side, price: u64| {
        for _ in 0..1_001 {
            accepted(&stage.place_qty(perp, other, side, (Qty::from_hundredths(100_000), price), false));
        }
    };
    dust(Side::Buy, 50_101);
    dust(Side::Sell, 50_199);
    stage.pass_second();
    assert_eq!(stage.exchange.state.broken_law(), None);
    let left = premium(&stage).unwrap();
    assert!((units("149")..=units("151")).contains(&left), "{left:?}");
}
