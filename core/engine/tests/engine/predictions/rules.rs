//! Who may trade contracts: terms, jurisdictions, kinds, debts and advances (INV-PRED-3, INV-PRED-5).

use super::*;
use buttonwood_engine::funds::bank::{Command as BankCommand, Receipt, Settlement};
use buttonwood_engine::{AccessCommand, AccountKind, Eid, FundsCommand, Made, TransferMethod};

/// Proves PM-012: a group accepts each version of the terms once, for all of its accounts, and no other group does for it.
#[test]
fn terms_are_accepted_by_the_group() {
    let mut stage = Stage::new();
    let strangers = stage.exchange.account("dan", "");
    let beside = stage.exchange.account_beside(stage.accounts[ANN], "eve", "");
    for (name, account) in [("dan", strangers), ("eve", beside)] {
        stage.keys.push(stage.exchange.key(name, account, Role::Trader));
        stage.accounts.push(account);
        stage.exchange.own(Body::credit(account, vec![(stage.usd, money("100"))]));
    }
    let (dan, eve) = (3, 4);
    // Before the fields of the order, and of an unknown contract.
    assert_eq!(stage.order(dan, "buy yes 0.50 @ 0.40"), refused(Reject::TermsNotAccepted));
    stage.placed(eve, "buy yes 1 @ 0.40");
    assert_eq!(stage.own(Own::PublishTerms("new".to_owned())), Answer::Done);
    let order = stage.exchange.orders_of(beside).next().expect("it rests").id.0;
    assert_eq!(stage.order(ANN, "buy yes 1 @ 0.40"), refused(Reject::TermsNotAccepted));
    assert!(stage.cancel(eve, order).order().is_ok(), "a cancel needs no terms");
    assert_eq!(stage.call(eve, Own::AcceptTerms), Answer::Done);
    assert_eq!(stage.call(eve, Own::AcceptTerms), Answer::Done);
    stage.placed(ANN, "buy yes 1 @ 0.40");
    assert_eq!(stage.order(BOB, "buy yes 1 @ 0.40"), refused(Reject::TermsNotAccepted));
    assert_eq!(stage.order(dan, "buy yes 1 @ 0.40"), refused(Reject::TermsNotAccepted));
    stage.replays();
}

/// Accounts of a jurisdiction that an event is closed to sell and cancel, and buy neither outcome (D-119). A combo is closed to all that one of its
/// legs is closed to.
#[test]
fn a_closed_jurisdiction_only_sells() {
    let mut stage = Stage::new();
    let account = stage.exchange.account("dan", "US-NY");
    stage.keys.push(stage.exchange.key("dan", account, Role::Trader));
    stage.accounts.push(account);
    stage.exchange.own(Body::credit(account, vec![(stage.usd, money("100"))]));
    let dan = 3;
    stage.call(dan, Own::AcceptTerms);
    stage.listed("SNOW", |new| new.closed_to = vec!["US-NY".to_owned()]);
    assert_eq!(stage.combo("A", &[(0, Claim::Yes), (1, Claim::Yes)]), Answer::Done);
    let [snow, both] = [1, 2].map(SymbolId::contract);
    stage.order_on(RAIN, dan, "buy yes 1 @ 0.40").order().expect("open to all");
    for contract in [snow, both] {
        for words in ["buy yes 1 @ 0.40", "buy no 1 @ 0.40", "buy no 1 @ 0.40 ioc"] {
            assert_eq!(stage.order_on(contract, dan, words), refused(Reject::SellOnly), "{words}");
        }
        refuses(&stage.order_on(contract, dan, "sell no 1 @ 0.40"), "InsufficientFunds");
        stage.order_on(contract, ANN, "buy no 1 @ 0.40").order().expect("open to others");
    }
    stage.replays();
}

/// Prices lie between nothing and a dollar on the grid, and quantities from the minimum on (PM-016).
#[test]
fn an_order_must_be_well_formed() {
    let mut stage = Stage::new();
    let mut place = stage.place(RAIN, "buy yes 1 @ 0.40");
    for (price, kind) in
        [(0, OrderKind::Limit), (100, OrderKind::Limit), (101, OrderKind::Limit), (40, OrderKind::Market)]
    {
        (place.price, place.kind) = (Price::from_ticks(price), kind);
        let answer = stage.call(ANN, TradingCommand::Place(place));
        assert_eq!(answer, refused(Reject::BadPrice), "{price} {kind:?}");
    }
    refuses(&stage.order(ANN, "buy yes 0.99 @ 0.40"), "BelowMinimum");
    let unknown = stage.place(RAIN, "buy yes 1 @ 0.40");
    let unknown = TradingCommand::Place(Place { symbol: SymbolId::contract(7), ..unknown });
    assert_eq!(stage.call(ANN, unknown), refused(Reject::UnknownContract));
    // An amount beyond the range of money.
    let mut huge = stage.place(RAIN, "buy yes 1 @ 0.01");
    huge.qty = buttonwood_num::Qty::from_hundredths(u128::MAX / 2);
    refuses(&stage.call(ANN, TradingCommand::Place(huge)), "BeyondFunds");
    let mut huge = stage.place(RAIN, "sell no 1 @ 0.01");
    huge.qty = buttonwood_num::Qty::from_hundredths(u128::from(u64::MAX) * 10_000);
    refuses(&stage.call(ANN, TradingCommand::Place(huge)), "BeyondFunds");
    assert_eq!(stage.exchange.state.orders().len(), 0);
}

/// Accounts of other kinds trade no contracts.
#[test]
fn only_exchange_accounts_trade() {
    let mut stage = Stage::new();
    for kind in [AccountKind::Derivatives, AccountKind::Margin] {
        let name = format!("{kind:?}").to_lowercase();
        let account = stage.exchange.account_of_kind(stage.accounts[ANN], &name, kind);
        stage.accounts.push(account);
        stage.keys.push(stage.exchange.key(&name, account, Role::Trader));
        let who = stage.accounts.len() - 1;
        assert_eq!(stage.order(who, "buy yes 1 @ 0.40"), refused(Reject::WrongKind));
    }
}

/// An account with claims cannot be closed; one that lost all can, and the payout passes it by.
#[test]
fn an_account_with_a_position_stays() {
    let mut stage = Stage::new();
    let account = stage.exchange.account("dan", "");
    stage.keys.push(stage.exchange.key("dan", account, Role::Trader));
    stage.accounts.push(account);
    stage.exchange.own(Body::credit(account, vec![(stage.usd, money("63"))]));
    let dan = 3;
    stage.call(dan, Own::AcceptTerms);
    stage.placed(ANN, "buy yes 100 @ 0.40");
    stage.placed(dan, "buy no 100 @ 0.60");
    stage.placed(BOB, "buy no 100 @ 0.30");
    stage.take_all(dan);
    let close = AccessCommand::CloseAccount(account);
    refuses(&stage.own(close.clone()), "Ledger");
    stage.placed(dan, "sell no 100 @ 0.30");
    assert_eq!(stage.has(dan)[2], Money::ZERO);
    stage.take_all(dan);
    assert_eq!(stage.own(close), Answer::Done);
    stage.resolve(0, &[("RAIN", Claim::No)]);
    stage.pass_to(3 * HOUR);
    assert_eq!(stage.status(0), Status::Settled);
    assert_eq!(stage.has(dan), [Money::ZERO; 3]);
    stage.replays();
}

pub(crate) fn advance(stage: &mut Stage, who: usize, amount: &str) -> Eid {
    let receipt = Receipt {
        account: stage.accounts[who],
        currency: stage.usd,
        amount: money(amount),
        method: TransferMethod::Ach,
        number: "0123451111".into(),
        routing: "021000021".into(),
    };
    let answer = stage.own(FundsCommand::from(BankCommand::Receive(Arc::new(receipt))));
    let Answer::Funds(Made::Transfer(eid)) = answer else { panic!("{answer:?}") };
    eid
}

/// Two more accounts of ann's group: `eve` with ten dollars, and `fay` with an advance of a hundred that an order holds.
fn beside_ann(stage: &mut Stage) -> usize {
    let eve = stage.accounts.len();
    for name in ["eve", "fay"] {
        let account = stage.exchange.account_beside(stage.accounts[ANN], name, "");
        stage.accounts.push(account);
        stage.keys.push(stage.exchange.key(name, account, Role::Trader));
    }
    stage.exchange.own(Body::credit(stage.accounts[eve], vec![(stage.usd, money("10"))]));
    advance(stage, eve + 1, "100");
    let place = Place {
        symbol: stage.exchange.symbol(["BTC", "USD"], ["0.001", "0.001", "0.01"], &[]),
        side: Side::Buy,
        price: Price::from_ticks(9_000),
        qty: buttonwood_num::Qty::from_hundredths(100_000),
        claim: Claim::Yes,
        ..stage.place(RAIN, "buy yes 1 @ 0.40")
    };
    stage.call(eve + 1, TradingCommand::Place(place)).order().expect("it rests");
    eve
}

/// Leaves an account this many dollars.
fn leave(stage: &mut Stage, who: usize, amount: &str) {
    stage.take_all(who);
    stage.exchange.own(Body::credit(stage.accounts[who], vec![(stage.usd, money(amount))]));
}

/// The group of an account has given up this much of its advances.
fn given_up(stage: &Stage, who: usize) -> Money {
    let account = stage.exchange.state.access().account(stage.accounts[who]);
    let group = account.and_then(|account| account.group).expect("it has a group");
    stage.exchange.state.advances().of(group).expect("it is in advance").given_up
}

/// A group in advance pays for claims, which count nothing, from its own money, and nothing of that counts to the bound (D-266).
#[test]
fn own_money_buys_claims_beside_an_advance() {
    let mut stage = Stage::new();
    leave(&mut stage, ANN, "55");
    advance(&mut stage, ANN, "100");
    stage.placed(CAT, "buy no 100 @ 0.50");
    assert_eq!(stage.order(ANN, "buy yes 100 @ 0.50").order().expect("it trades").remaining.hundredths(), 0);
    assert_eq!(given_up(&stage, ANN), Money::ZERO);
    stage.placed(CAT, "buy no 10 @ 0.50");
    refuses(&stage.order(ANN, "buy yes 10 @ 0.50"), "InsufficientFunds");
    stage.replays();
}

/// While a group has an advance, a buy counts as leaving, where claims count nothing: no more than the own money, and in fills no more than
/// 5 % of the advance where the rest does not pay it back; also where the group mints with itself (D-181).
#[test]
fn an_advance_buys_no_claims() {
    let mut stage = Stage::new();
    stage.mint();
    leave(&mut stage, ANN, "50");
    let eve = beside_ann(&mut stage);
    refuses(&stage.order(ANN, "buy yes 200 @ 0.40"), "InsufficientFunds");
    // Five dollars may be given up: of twenty contracts at 0.50, ten.
    stage.placed(CAT, "buy no 10 @ 0.50");
    stage.placed(CAT, "buy no 1 @ 0.50");
    let answer = stage.order(ANN, "buy yes 11 @ 0.50");
    let order = answer.order().expect("it is accepted");
    assert_eq!((order.remaining.hundredths(), given_up(&stage, ANN)), (10_000, money("5")), "{order:?}");
    refuses(&stage.order(ANN, "buy yes 1 @ 0.50 ioc"), "Advances");
    // Nor does a mint within the group pass.
    stage.placed(eve, "buy no 10 @ 0.60");
    let answer = stage.order(ANN, "buy yes 1 @ 0.40");
    refuses(&answer, "Advances");
    assert_eq!(stage.has(eve)[2], Money::ZERO);
    assert_eq!(stage.exchange.orders_of(stage.accounts[eve]).count(), 1, "the resting order stays");
    // A sale gives nothing up.
    stage.placed(CAT, "buy yes 20 @ 0.45");
    stage.placed(ANN, "sell yes 20 @ 0.45");
    assert_eq!(stage.has(ANN)[1], money("90"));
    stage.replays();
}

/// The most that a preview names knows the bound of an advance, which a part of a fill may keep within, and a mint within the group (D-181).
#[test]
fn the_most_of_a_preview_is_within_the_bound_of_an_advance() {
    let mut stage = Stage::new();
    leave(&mut stage, ANN, "60");
    let preview = |stage: &Stage, words: &str| {
        let (place, now) = (stage.place(RAIN, words), stage.exchange.stamp.time);
        let caller = caller(stage.keys[ANN], stage.accounts[ANN], stage.nonce + 1);
        stage.exchange.state.preview(&caller, &place, now)
    };
    let most =
        |stage: &Stage, words: &str| preview(stage, words).most.expect("it is of the amount").hundredths();
    // Five dollars may be given up: two of them for all of the first order, the others for a part of the second.
    stage.placed(CAT, "buy no 4 @ 0.50");
    stage.placed(BOB, "buy no 100 @ 0.50");
    let free = most(&stage, "buy yes 50 @ 0.50");
    let eve = beside_ann(&mut stage);
    assert_eq!(most(&stage, "buy yes 50 @ 0.50"), 100_000);
    assert!(free > 100_000, "{free}");
    let fits = preview(&stage, "buy yes 10 @ 0.50").outcome.expect("it is taken");
    assert_eq!((fits.executed.hundredths(), fits.reason), (100_000, None));
    let beyond = preview(&stage, "buy yes 10.01 @ 0.50").outcome.expect("its first fill is taken");
    assert_eq!(
        (beyond.executed.hundredths(), beyond.reason),
        (40_000, Some(CancelReason::InsufficientFunds))
    );
    // A mint within the group gives up a dollar a pair.
    stage.placed(eve, "buy no 10 @ 0.60");
    assert_eq!(most(&stage, "buy yes 5 @ 0.40"), 50_000);
}

/// Live buys count as gone while a group has an advance, waiting stops included: all of them together buy no more than the group's own money, and the
/// dollars that they reserve back no withdrawal (D-181).
#[test]
fn resting_buys_count_as_gone() {
    let mut stage = Stage::new();
    advance(&mut stage, ANN, "50");
    // Of a thousand dollars of its own.
    let mut placed = vec![stage.placed(ANN, "buy yes 1500 @ 0.40")];
    placed.push(stage.placed(ANN, "buy yes 700 @ 0.40 stop 0.30"));
    refuses(&stage.order(ANN, "buy no 500 @ 0.40"), "InsufficientFunds");
    let free = |stage: &Stage| stage.exchange.state.leave().free(stage.accounts[ANN], stage.usd);
    assert!(free(&stage) < money("120") && free(&stage) > Money::ZERO, "{:?}", free(&stage));
    placed.push(stage.placed(ANN, "buy no 150 @ 0.40"));
    for order in placed {
        stage.cancel(ANN, order).order().expect("it is live");
    }
    assert_eq!(free(&stage), money("1000"));
    stage.replays();
}

/// An account that owes for a returned advance trades no contracts; its payout repays the debt first (D-167).
#[test]
fn a_debt_is_repaid_from_a_payout() {
    let mut stage = Stage::new();
    stage.mint();
    stage.take_all(ANN);
    let eid = advance(&mut stage, ANN, "60");
    // It spends the advance on another coin, and the payment is returned.
    let btc = stage.exchange.symbol(["BTC", "USD"], ["0.001", "0.001", "0.01"], &[]);
    let coin = stage.exchange.find_currency("BTC");
    let feed = buttonwood_engine::perp::Command::PinIndex(coin, Some(money("50")));
    assert_eq!(stage.own(feed), Answer::Done);
    stage.exchange.own(Body::credit(stage.accounts[CAT], vec![(coin, money("1"))]));
    for (who, side) in [(CAT, Side::Sell), (ANN, Side::Buy)] {
        let place = Place {
            symbol: btc,
            side,
            price: Price::from_ticks(5_000),
            qty: buttonwood_num::Qty::from_hundredths(100_000),
            claim: Claim::Yes,
            ..stage.place(RAIN, "buy yes 1 @ 0.40")
        };
        stage.call(who, TradingCommand::Place(place)).order().expect("it trades");
    }
    let settle = FundsCommand::from(BankCommand::Settle(Settlement { eid, returned: true }));
    assert_eq!(stage.own(settle), Answer::Funds(Made::Loan(stage.accounts[ANN])));
    stage.catch_up();
    let owed = |stage: &Stage| stage.exchange.state.funds().owed(stage.accounts[ANN], stage.usd);
    assert!(owed(&stage) > money("40"), "{:?}", owed(&stage));
    for words in ["buy yes 1 @ 0.40", "sell yes 1 @ 0.90"] {
        refuses(&stage.order(ANN, words), "InsufficientFunds");
    }
    let debt = owed(&stage);
    stage.resolve(0, &[("RAIN", Claim::Yes)]);
    stage.pass_to(3 * HOUR);
    stage.catch_up();
    assert_eq!(owed(&stage), Money::ZERO);
    assert_eq!(stage.has(ANN)[0], money("100") - debt);
    stage.replays();
}
