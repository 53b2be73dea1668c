//! The event of a refused order, of the first and the newest generation.

use super::*;
use crate::fast_account;
use buttonwood_engine::RefusedOrder;
use buttonwood_model::{
    AccountId, Claim, Currency, CurrencyId, CurrencyKind, OrderId, Product, RefusalReason, Seq, SessionId,
    Symbol, SymbolStatus,
};
use buttonwood_num::{Grid, Qty};
use buttonwood_views::EventId;

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text.as_bytes()).unwrap()
}

/// Names of a book and of a contract.
fn names() -> Names {
    let dollar = Currency {
        code: "USD".to_owned(),
        name: "US Dollar".to_owned(),
        decimals: 2,
        kind: CurrencyKind::Fiat,
        networks: Vec::new(),
    };
    let symbol = |name: &str| Symbol {
        name: name.to_owned(),
        base: CurrencyId(0),
        quote: CurrencyId(0),
        qty_min: Qty::from_hundredths(1),
        grid: Grid::new(decimal("0.01"), decimal("0.01")).unwrap(),
        product: Product::Spot,
        status: SymbolStatus::Open,
        wrap_enabled: false,
        closed_to: Vec::new(),
    };
    let names = Names::new("svc".to_owned(), &[symbol("BTCUSD")], &[dollar]);
    names.grow_contracts(&[symbol("HSE-RAIN")]);
    names
}

fn refused(order: &RefusedOrder) -> AccountEvent {
    AccountEvent::Refused(RefusedEvent {
        id: EventId::new(Seq(3), 1),
        time: Time(1_700_000_000_123_456),
        order: *order,
    })
}

fn order() -> RefusedOrder {
    RefusedOrder {
        id: OrderId(7),
        account: AccountId(4),
        session: SessionId(2),
        symbol: SymbolId(0),
        side: Side::Buy,
        claim: Claim::Yes,
        kind: OrderKind::Limit,
        option: Some(ExecutionOption::MakerOrCancel),
        price: Some(decimal("100.005")),
        stop: None,
        qty: Some(decimal("2.50")),
        spend: None,
        client_id: ClientId::new("mine").ok(),
        reason: RefusalReason::InvalidPrice,
    }
}

fn first(event: &AccountEvent) -> (String, Kinds, String) {
    let placer = Placer { session: "key-a".into(), account: None };
    let worded = super::event(&names(), event, placer);
    (String::from_utf8(worded.text.clone()).unwrap(), worded.kind, worded.symbol.clone())
}

fn newest(event: &AccountEvent) -> String {
    let frame = fast_account::order(&names(), event).unwrap();
    assert_eq!(frame.event, EventId::new(Seq(3), 1).0);
    String::from_utf8(frame.text.clone()).unwrap()
}

/// Proves EVT-003.
#[test]
fn a_refused_order_is_rejected() {
    let (text, kind, symbol) = first(&refused(&order()));
    assert_eq!(kind, Kinds::named("rejected").unwrap());
    assert_eq!(symbol, "btcusd");
    let expected = r#"{"type":"rejected","order_id":"7","event_id":"393217","api_session":"key-a","client_order_id":"mine","symbol":"btcusd","side":"buy","behavior":"maker-or-cancel","order_type":"exchange limit","timestamp":"1700000000","timestampms":1700000000123,"is_live":false,"is_cancelled":false,"is_hidden":false,"avg_execution_price":"0","executed_amount":"0","remaining_amount":"2.50","original_amount":"2.50","price":"100.005","reason":"InvalidPrice""#;
    assert_eq!(text, expected);
    let expected = r#"{"e":"orderUpdate","E":1700000000123456000,"s":"BTCUSD","i":7,"c":"mine","S":"BUY","o":"LIMIT","X":"REJECTED","p":"100.005","q":"2.50","r":"InvalidPrice","T":1700000000123456000,"u":393217"#;
    assert_eq!(newest(&refused(&order())), expected);
}

/// A market buy shows the amount to spend, and no quantities.
#[test]
fn a_refused_market_buy_has_its_spend() {
    let (price, qty, option, client_id) = (None, None, None, None);
    let spend = Some(decimal("0.00"));
    let spending =
        RefusedOrder { kind: OrderKind::MarketSpend, price, qty, option, client_id, spend, ..order() };
    let (text, ..) = first(&refused(&RefusedOrder { reason: RefusalReason::InvalidQuantity, ..spending }));
    assert!(text.contains(r#""order_type":"market buy""#), "{text}");
    let end = r#""executed_amount":"0","total_spend":"0.00","reason":"InvalidQuantity""#;
    assert!(text.ends_with(end), "{text}");
    let text = newest(&refused(&spending));
    assert!(text.contains(r#""o":"MARKET","X":"REJECTED","r":"InvalidPrice","T""#), "{text}");
}

/// An order of a contract is in the view of its own outcome. Figures of zero are left out.
#[test]
fn a_refused_order_of_a_contract_names_its_outcome() {
    let symbol = SymbolId::contract(0);
    let stop = Some(decimal("0"));
    let kind = OrderKind::StopLimit;
    let order =
        RefusedOrder { symbol, claim: Claim::No, price: Some(decimal("0.65")), stop, kind, ..order() };
    let text = newest(&refused(&order));
    let expected = r#""S":"BUY","o":"STOP_LIMIT","X":"REJECTED","O":"NO","p":"0.65","q":"2.50","r""#;
    assert!(text.contains(expected), "{text}");
}
