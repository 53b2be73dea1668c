//! Acts of tokens and browsers: scope, role, account, the session of an order, and cancels.

use super::*;
use buttonwood_engine::{AccessCommand, AccountKind, OrderRef};
use buttonwood_model::OrderId;

/// Proves OAUTH-023: an order of a token takes the scope, the role and the account of the grant.
#[test]
fn a_token_acts_within_its_grant() {
    let mut stage = Stage::new();
    stage.granted(ANN, 0, ORDERS, "1");
    let read = Scopes::of(&[Scope::OrdersRead]);
    stage.granted(ANN, 0, read, "2");
    let bearer = stage.bearer("1");
    stage.placed(bearer);
    assert_eq!(stage.order(stage.bearer("2")), barred(AccessReject::MissingScope(read)));
    for account in [stage.accounts[1], stage.accounts[2], AccountId(0), AccountId(9_999)] {
        let caller = Caller { account: Some(account), ..bearer };
        assert_eq!(stage.order(caller), barred(AccessReject::ForeignAccount), "{account:?}");
    }
    assert_eq!(stage.order(Caller { account: None, ..bearer }), barred(AccessReject::ForeignAccount));
    let answer = stage.call(bearer, AccessCommand::UseNonce);
    assert!(matches!(answer, Answer::Rejected(_)), "no scope lets a token do it: {answer:?}");
    stage.replays();
}

/// A number that no token of the grant has, and one of another grant, act for nothing.
#[test]
fn a_number_of_no_live_token_is_refused() {
    let mut stage = Stage::new();
    stage.granted(ANN, 0, ORDERS, "1");
    let bearer = stage.bearer("1");
    for number in [0, 2, u64::MAX] {
        let caller = Caller { nonce: Nonce::number(number), ..bearer };
        assert_eq!(stage.order(caller), barred(AccessReject::UnknownSession), "{number}");
    }
    for session in [SessionId::held(999), SessionId(u32::MAX), SessionId(u32::MAX - 1)] {
        assert_eq!(stage.order(Caller { session, ..bearer }), barred(AccessReject::UnknownSession));
    }
}

/// A browser acts for the accounts of its user's group, and for none else.
#[test]
fn a_browser_acts_for_its_group() {
    let mut stage = Stage::new();
    let browser = stage.browser(ANN);
    stage.placed(stage.page(browser, 0));
    stage.placed(stage.page(browser, 1));
    assert_eq!(stage.order(stage.page(browser, 2)), barred(AccessReject::ForeignAccount));
    assert_eq!(stage.own(Own::Choose(browser, stage.accounts[2])), refused(Reject::ForeignAccount));
    assert_eq!(stage.own(Own::Choose(browser, AccountId(0))), refused(Reject::ForeignAccount));
    assert_eq!(stage.own(Own::Choose(browser, stage.accounts[1])), Answer::Done);
    let holder = stage.identity().holder(browser, stage.now()).expect("signed in");
    assert_eq!((holder.account, holder.roles), (Some(stage.accounts[1]), ALL));
    let half = stage.open(ANN, HOME, false).expect("open");
    assert_eq!(stage.order(stage.page(half, 0)), barred(AccessReject::UnknownSession));
    stage.replays();
}

/// Orders have the session of their grant or browser, and `cancel/session` cancels those alone (D-135).
#[test]
fn each_holder_cancels_its_own_session() {
    let mut stage = Stage::new();
    stage.granted(ANN, 0, ORDERS, "1");
    stage.granted(ANN, 0, ORDERS, "2");
    let browser = stage.browser(ANN);
    let key = stage.exchange.key("ann", stage.accounts[0], Role::Trader);
    let signed = buttonwood_oracle::caller(key, stage.accounts[0], 1);
    let callers = [stage.bearer("1"), stage.bearer("2"), stage.page(browser, 0), signed];
    let orders = callers.map(|caller| stage.placed(caller));
    for (order, caller) in orders.iter().zip(&callers) {
        assert_eq!(stage.exchange.order(*order).map(|order| order.session), Some(caller.session));
    }
    let live = |stage: &Stage| orders.map(|order| stage.exchange.order(order).is_some());
    assert_eq!(stage.call(callers[0], TradingCommand::CancelSession), Answer::Done);
    assert_eq!(live(&stage), [false, true, true, true]);
    assert_eq!(stage.call(callers[2], TradingCommand::CancelSession), Answer::Done);
    assert_eq!(live(&stage), [false, true, false, true]);
    // Any order of the account can be cancelled by its id.
    let by_id = TradingCommand::Cancel(OrderRef::Id(OrderId(orders[3])));
    assert!(stage.call(callers[1], by_id).order().is_ok());
    assert_eq!(live(&stage), [false, true, false, false]);
    assert_eq!(stage.call(callers[0], TradingCommand::CancelAll), Answer::Done);
    assert_eq!(live(&stage), [false; 4]);
    stage.replays();
}

/// A refreshed token cancels the orders that an older token of its grant placed, and orders outlive their grant (D-143).
#[test]
fn a_grant_is_one_session() {
    let mut stage = Stage::new();
    let grant = stage.granted(ANN, 0, ORDERS, "1");
    let order = stage.placed(stage.bearer("1"));
    assert_eq!(stage.refresh("1", "2"), Answer::Done);
    assert_eq!(stage.call(stage.bearer("2"), TradingCommand::CancelSession), Answer::Done);
    assert!(stage.exchange.order(order).is_none());
    let order = stage.placed(stage.bearer("2"));
    assert_eq!(stage.own(Own::EndGrant(ANN, grant)), Answer::Done);
    assert!(stage.exchange.order(order).is_some());
    stage.replays();
}

/// A token cancels no order of another account.
#[test]
fn a_token_cancels_no_foreign_order() {
    let mut stage = Stage::new();
    stage.granted(ANN, 0, ORDERS, "1");
    stage.granted(BOB, 2, ORDERS, "2");
    let foreign = stage.placed(stage.bearer("2"));
    let cancel = TradingCommand::Cancel(OrderRef::Id(OrderId(foreign)));
    let answer = stage.call(stage.bearer("1"), cancel);
    assert!(answer.order().is_err() || stage.exchange.work.out.events.is_empty(), "{answer:?}");
    assert_eq!(stage.call(stage.bearer("1"), TradingCommand::CancelAll), Answer::Done);
    assert!(stage.exchange.order(foreign).is_some());
}

/// An account that does not trade takes no orders of tokens and browsers: closed, and of a kind without trading.
#[test]
fn accounts_that_do_not_trade_take_no_orders() {
    let mut stage = Stage::new();
    let custody = stage.exchange.account_of_kind(stage.accounts[0], "vault", AccountKind::Custody);
    let browser = stage.browser(ANN);
    let caller = Caller { account: Some(custody), ..stage.page(browser, 0) };
    assert_eq!(stage.order(caller), barred(AccessReject::WrongKind));
    let [order] = &stage.exchange.of.refused[..] else { panic!("a refused order of a page is reported") };
    assert_eq!((order.account, order.session), (custody, browser));
    let new = NewCode { account: custody, ..stage.consent(browser, "c") };
    assert_eq!(stage.issue(new), Answer::Done);
    assert_eq!(stage.exchange(Stage::redeem("c", "1")), Answer::Done);
    assert_eq!(stage.order(stage.bearer("1")), barred(AccessReject::WrongKind));
    let empty = stage.exchange.account_beside(stage.accounts[0], "empty", "");
    let new = NewCode { account: empty, ..stage.consent(browser, "c-2") };
    assert_eq!(stage.issue(new), Answer::Done);
    assert_eq!(stage.exchange(Stage::redeem("c-2", "2")), Answer::Done);
    assert_eq!(stage.own(AccessCommand::CloseAccount(empty)), Answer::Done);
    assert_eq!(stage.order(stage.bearer("2")), barred(AccessReject::Closed));
    let caller = Caller { account: Some(empty), ..stage.page(browser, 0) };
    assert_eq!(stage.order(caller), barred(AccessReject::Closed));
    let new = NewCode { account: empty, ..stage.consent(browser, "c-3") };
    assert_eq!(stage.issue(new), refused(Reject::ForeignAccount));
    stage.replays();
}

/// While the exchange is halted, tokens cancel and place nothing.
#[test]
fn a_halt_holds_for_tokens() {
    let mut stage = Stage::new();
    stage.granted(ANN, 0, ORDERS, "1");
    let order = stage.placed(stage.bearer("1"));
    assert_eq!(stage.own(buttonwood_engine::Operation::Halt), Answer::Done);
    assert_eq!(stage.order(stage.bearer("1")), Answer::Rejected(AnyReject::Halted));
    assert_eq!(stage.call(stage.bearer("1"), TradingCommand::CancelSession), Answer::Done);
    assert!(stage.exchange.order(order).is_none());
}

/// A token opens a connection that cancels on disconnect and places orders over it; a page does not. Proves EVT-022.
#[test]
fn a_token_has_connections() {
    let mut stage = Stage::new();
    stage.granted(ANN, 0, ORDERS, "1");
    let browser = stage.browser(ANN);
    let page = stage.page(browser, 0);
    assert_eq!(stage.call(page, TradingCommand::OpenConnection), Answer::Rejected(AnyReject::Unknown));
    let opened = stage.call(stage.bearer("1"), TradingCommand::OpenConnection);
    let connection = opened.connection().expect("it was opened");
    let TradingCommand::Place(place) = stage.bid() else { panic!("an order") };
    let over = || TradingCommand::PlaceOver(connection, Arc::new(place));
    let order = stage.call(stage.bearer("1"), over()).order().expect("placed").id.0;
    assert!(stage.call(page, over()).order().is_err());
    assert_eq!(stage.own(TradingCommand::CloseConnection(connection)), Answer::Done);
    assert!(stage.exchange.order(order).is_none());
    stage.replays();
}
