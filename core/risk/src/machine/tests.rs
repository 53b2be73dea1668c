//! The machine with a product of one holding.

use super::*;
use crate::rational::decimal;
use alloc::string::String;
use alloc::vec;
use buttonwood_model::{CurrencyId, Product, Rank, SymbolStatus};
use buttonwood_num::{Decimal, Grid};

const ANN: AccountId = AccountId(7);
const BOB: AccountId = AccountId(3);

fn symbol() -> Symbol {
    let [tick, lot] = ["0.5", "0.0001"].map(|text| Decimal::parse(text.as_bytes()).unwrap());
    Symbol {
        name: String::from("btcgusdperp"),
        base: CurrencyId(1),
        quote: CurrencyId(0),
        qty_min: Qty::from_hundredths(100),
        grid: Grid::new(tick, lot).unwrap(),
        product: Product::Swap,
        status: SymbolStatus::Open,
        wrap_enabled: false,
        closed_to: vec![],
    }
}

/// An account with holdings at marks, which gives everything away or only while it is due.
struct Account<'a, const ALL: bool> {
    symbol: &'a Symbol,
    is_due: bool,
    has_orders: bool,
    held: &'a [(&'a str, &'a str)],
}

impl<'a, const ALL: bool> Case<'a> for Account<'a, ALL> {
    type Part = u8;

    const GIVES_ALL: bool = ALL;

    fn is_due(&self) -> bool {
        self.is_due
    }

    fn has_orders(&self) -> bool {
        self.has_orders
    }

    fn open(&self) -> impl Iterator<Item = Open<'a>> {
        let Self { symbol, held, .. } = *self;
        let held = (0..).map(SymbolId).zip(held);
        held.map(|(symbol_id, (quantity, mark))| {
            let [quantity, mark] = [quantity, mark].map(|text| decimal(text));
            Open { symbol_id, symbol, quantity, mark }
        })
    }

    fn assets(&self) -> Option<[Money; 2]> {
        Some([decimal("200"), Money::ZERO])
    }
}

/// Accounts leave in the order in which they came, and one that waits is not put behind again.
#[test]
fn accounts_wait_in_their_order() {
    let mut queue = Liquidations::<u8>::default();
    assert!(queue.is_empty() && queue.due(|account| account).is_none());
    queue.append(&[ANN], Time(5));
    queue.append(&[BOB, ANN], Time(9));
    assert_eq!(queue.accounts().collect::<Vec<_>>(), [ANN, BOB]);
    let due = queue.due(|account| account).unwrap();
    assert_eq!((due.rank, due.time, due.is_storm, due.command), (Rank::Step, Time(5), true, ANN));
    queue.begin(ANN, None);
    let due = queue.due(|account| account).unwrap();
    assert_eq!((due.rank, due.is_storm, due.command), (Rank::FollowUp, false, ANN));
    queue.finish();
    assert!(queue.contains(ANN) && queue.round().is_none());
    assert!(!queue.end(ANN) && !queue.contains(ANN));
    assert_eq!((queue.next(), queue.due(|account| account).unwrap().time), (Some(BOB), Time(9)));
    assert!(queue.end(BOB) && queue.is_empty());
}

/// Merged accounts wait by their ids, all of them since the last time.
#[test]
fn merged_accounts_wait_by_their_ids() {
    let mut queue = Liquidations::<u8>::default();
    queue.merge(&[ANN], Time(5));
    queue.merge(&[BOB, ANN], Time(9));
    assert_eq!(queue.accounts().collect::<Vec<_>>(), [BOB, ANN]);
    assert_eq!(queue.due(|account| account).unwrap().time, Time(9));
    queue.end(BOB);
    assert_eq!((queue.next(), queue.due(|account| account).unwrap().time), (Some(ANN), Time(9)));
    // A round without an account that waits goes on too: the fund's own.
    let mut queue = Liquidations::default();
    queue.begin(BOB, Some(1));
    assert_eq!(queue.due(|account| account).unwrap().command, BOB);
    assert_eq!(queue.part_of(ANN), None);
    assert_eq!(queue.part_of(BOB), Some(&mut 1));
}

/// Orders are cancelled once a round, a part of the largest holding goes to the book, what is left is given away, and an account that
/// has recovered or has nothing is done.
#[test]
fn steps_follow_each_other() {
    let symbol = symbol();
    let held = [("0.1", "49700"), ("-1", "49700")];
    let case = Account::<true> { symbol: &symbol, is_due: true, has_orders: true, held: &held };
    let mut queue = Liquidations::default();
    queue.append(&[ANN], Time(5));
    assert!(matches!(queue.step(&case), Step::Cancel));
    queue.begin(ANN, None);
    let Step::Close(closing) = queue.step(&case) else { panic!("orders are cancelled once") };
    assert_eq!((closing.open.symbol_id, closing.side()), (SymbolId(1), Side::Buy));
    assert_eq!((closing.quantity, closing.price), (decimal("0.5"), decimal("49900")));
    assert_eq!(closing.qty(), Some(Qty::from_hundredths(500_000)));
    assert_eq!(closing.limit(), Some(Price::from_ticks(99_800)));
    queue.finish();
    let without_orders = Account::<true> { has_orders: false, ..case };
    assert!(matches!(queue.step(&without_orders), Step::Close(_)));
    queue.begin(ANN, Some(9));
    assert!(matches!(queue.step(&without_orders), Step::Give(9)));
    let recovered = Account::<true> { is_due: false, ..without_orders };
    assert!(matches!(queue.step(&recovered), Step::Give(9)));
    let of_other = Account::<false> { symbol: &symbol, is_due: false, has_orders: false, held: &held };
    assert!(matches!(queue.step(&of_other), Step::End));
    queue.finish();
    assert!(matches!(queue.step(&recovered), Step::End));
    let empty = Account::<true> { symbol: &symbol, is_due: true, has_orders: false, held: &[] };
    assert!(matches!(queue.step(&empty), Step::End));
}

/// The fund takes of a part what a tenth of it carries, whatever its side, and less beside what it has of the same.
#[test]
fn the_fund_takes_what_it_carries() {
    let symbol = symbol();
    let open = |quantity| Open {
        symbol_id: SymbolId(0),
        symbol: &symbol,
        quantity: decimal(quantity),
        mark: decimal("50000"),
    };
    let [long, short] = ["1", "-1"].map(|quantity| Closing {
        open: open(quantity),
        quantity: decimal("0.5"),
        price: decimal("50000"),
    });
    let fund = |assets, holds| Fund { assets: decimal(assets), holds: decimal(holds) };
    assert_eq!(long.taken_by(&fund("2500", "0"), Money::ZERO), decimal("0.5"));
    assert_eq!(short.taken_by(&fund("1250", "0"), Money::ZERO), decimal("0.25"));
    let (own, has) = (decimal("0.2"), fund("1500", "10000"));
    assert_eq!((long.taken_by(&has, own), short.taken_by(&has, own)), (decimal("0.1"), decimal("0.5")));
    assert_eq!(long.taken_by(&fund("0", "0"), Money::ZERO), Money::ZERO);
}

/// A search ends after so many accounts, and says where the next one begins.
#[test]
fn a_search_is_bounded() {
    let most = u32::try_from(SEARCHED_MAX).unwrap();
    let is_odd = |account: AccountId| account.0 % 2 == 1;
    let (due, last) = search((0..=most).map(AccountId), is_odd);
    assert_eq!((due.len(), due[0], last), (SEARCHED_MAX / 2, AccountId(1), Some(AccountId(most - 1))));
    assert_eq!(search((0..most).map(AccountId), is_odd).1, None);
    assert_eq!(search([], is_odd), (Vec::new(), None));
}

/// Ids have no holes, and without a trade none is taken.
#[test]
fn ids_follow_each_other() {
    let (own, others) = ids_off_book(10);
    let trades: Vec<_> = others.take(2).collect();
    assert_eq!((own, trades[1]), (OrderId(10), (OrderId(13), TradeId(14))));
    assert_eq!(ids_taken(own, trades.into_iter()).collect::<Vec<_>>(), [10, 11, 12, 13, 14]);
    assert_eq!(ids_taken(own, iter::empty()).count(), 0);
}
