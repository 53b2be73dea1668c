//! The laws of the ledger under random movements; trades and the fingerprint by hand.
use super::laws::is_balanced;
use super::*;
use crate::{Bucket, Cause, Crossing, HOUSES, Maker, Posting, Taker, Trade};
use buttonwood_model::{CurrencyKind, Side};
use proptest::prelude::*;

fn money(units: i128) -> Money {
    Money::from_units(units)
}

fn currency(number: u16) -> Currency {
    Currency {
        code: alloc::format!("C{number}"),
        name: String::new(),
        decimals: 2,
        kind: CurrencyKind::Fiat,
        networks: Vec::new(),
    }
}

fn ledger(accounts: u32, currencies: u16) -> Ledger {
    let mut ledger = Ledger::default();
    for number in 0..currencies {
        ledger.list_currency(currency(number));
    }
    // Some tests open the others.
    let houses = &HOUSES[..ALICE.index()];
    for house in houses {
        ledger.open_house(house.name.into(), house.may_be_negative);
    }
    for _ in houses.len()..AccountId(accounts).index() {
        ledger.open_account();
    }
    ledger
}

const USD: CurrencyId = CurrencyId(0);
const BTC: CurrencyId = CurrencyId(1);
const SOURCE_ACCOUNT: AccountId = AccountId(0);
const FEES_ACCOUNT: AccountId = AccountId(1);
const ALICE: AccountId = AccountId(5);
const BOB: AccountId = AccountId(6);

fn issue(ledger: &mut Ledger, to: AccountId, currency: CurrencyId, units: i128) {
    ledger.issue(Cause::Adjustment, to, currency, money(units));
}

fn pay(ledger: &mut Ledger, from: (AccountId, Bucket), to: AccountId, currency: CurrencyId, amount: Money) {
    ledger.post(
        Cause::Adjustment,
        &[
            Posting { account: from.0, asset: currency.into(), bucket: from.1, amount: -amount },
            Posting { account: to, asset: currency.into(), bucket: Bucket::Available, amount },
        ],
    );
}

/// Proves BAL-009.
#[test]
fn money_enters_from_the_source_and_sums_to_zero() {
    let mut ledger = ledger(7, 2);
    issue(&mut ledger, ALICE, USD, 100);
    assert_eq!(ledger.balance(SOURCE_ACCOUNT, USD).available, money(-100));
    let held = ledger.hold(ALICE, USD, money(60));
    pay(&mut ledger, (ALICE, Bucket::Held), BOB, USD, money(50));
    ledger.release(held, money(10));
    assert_eq!(ledger.balance(ALICE, USD), Balance { available: money(50), held: money(0) });
    assert_eq!(ledger.balance(BOB, USD).total(), money(50));
    assert_eq!(ledger.broken_law(), None);
}

#[test]
#[should_panic(expected = "an account gives only what it has")]
fn nobody_pays_what_he_has_not() {
    let mut ledger = ledger(7, 1);
    issue(&mut ledger, ALICE, USD, 1);
    pay(&mut ledger, (ALICE, Bucket::Available), BOB, USD, money(2));
}

/// An account of the house that may be negative owes what is free, and reserves no less than nothing.
#[test]
#[should_panic(expected = "an account gives only what it has")]
fn the_source_holds_no_less_than_nothing() {
    let mut ledger = ledger(7, 1);
    issue(&mut ledger, ALICE, USD, 1);
    ledger.hold(SOURCE_ACCOUNT, USD, money(-1));
}

/// The law that checks a stored ledger finds the same.
#[test]
fn a_hold_below_zero_breaks_a_law() {
    let mut ledger = ledger(7, 1);
    issue(&mut ledger, ALICE, USD, 1);
    let source = ledger.place(SOURCE_ACCOUNT, USD.into()).unwrap();
    *ledger.balances.get_mut(source).unwrap() = Balance { available: money(1), held: money(-2) };
    assert_eq!(ledger.broken_law(), Some(BrokenLaw::BelowZero(SOURCE_ACCOUNT, USD.into())));
}

#[test]
#[should_panic(expected = "an entry gives to one what it takes from another")]
fn an_unbalanced_entry_is_no_entry() {
    let mut ledger = ledger(7, 1);
    ledger.post(
        Cause::Adjustment,
        &[Posting { account: ALICE, asset: USD.into(), bucket: Bucket::Available, amount: money(1) }],
    );
}

#[test]
fn the_source_never_leaves_the_range_of_money() {
    let mut ledger = ledger(7, 1);
    issue(&mut ledger, ALICE, USD, i128::MAX - 1);
    assert_eq!(ledger.can_issue(USD, money(3)), Err(LedgerError::OutOfRange));
    assert_eq!(ledger.can_issue(USD, money(2)), Err(LedgerError::OutOfRange));
    assert_eq!(ledger.can_issue(USD, money(1)), Ok(()));
}

/// The debts of all house accounts together stay within the range, and the balance of one of them is no debt.
#[test]
fn house_accounts_together_stay_within_the_range_of_money() {
    let mut ledger = ledger(7, 1);
    let other = ledger.open_house("other".into(), true);
    issue(&mut ledger, ALICE, USD, i128::MAX - 5);
    assert_eq!(ledger.can_give(other, USD, money(5)), Ok(()));
    assert_eq!(ledger.can_give(other, USD, money(6)), Err(LedgerError::OutOfRange));
    let give = |ledger: &mut Ledger, from, to, amount: i128| {
        let posting = |account, amount| Posting {
            account,
            asset: USD.into(),
            bucket: Bucket::Available,
            amount: money(amount),
        };
        ledger.post(Cause::Adjustment, &[posting(from, -amount), posting(to, amount)]);
    };
    give(&mut ledger, other, ALICE, 3);
    assert_eq!(ledger.can_issue(USD, money(3)), Err(LedgerError::OutOfRange));
    assert_eq!(ledger.can_issue(USD, money(2)), Ok(()));
    give(&mut ledger, ALICE, other, 10);
    assert_eq!((ledger.left_to_give(USD), ledger.left_to_give(BTC)), (money(5), money(i128::MAX)));
    assert_eq!(ledger.can_give(other, USD, money(12)), Ok(()));
    assert_eq!(ledger.can_give(other, USD, money(13)), Err(LedgerError::OutOfRange));
}

#[test]
fn more_currencies_and_a_restore_keep_every_balance() {
    let mut ledger = ledger(8, 1);
    issue(&mut ledger, ALICE, USD, 7);
    for _ in 0..40 {
        ledger.list_currency(currency(40));
    }
    let late = CurrencyId(40);
    issue(&mut ledger, BOB, late, 9);
    let mut restored = ledger.clone();
    restored.index.clear();
    restored.reindex();
    assert_eq!(restored.balance(ALICE, USD).available, money(7));
    assert_eq!(restored.balance(BOB, late).available, money(9));
    assert_eq!(restored, ledger);
}

/// The same amounts for other accounts, or in another currency, give another fingerprint.
#[test]
fn the_fingerprint_says_whose_balance_it_is() {
    let paid = |credits: [(AccountId, CurrencyId, i128); 2]| {
        let mut ledger = ledger(8, 2);
        for (account, currency, units) in credits {
            issue(&mut ledger, account, currency, units);
        }
        ledger.fingerprint()
    };
    let other = CurrencyId(1);
    let straight = paid([(ALICE, USD, 5), (BOB, USD, 7)]);
    assert_ne!(straight, paid([(BOB, USD, 5), (ALICE, USD, 7)]));
    assert_ne!(straight, paid([(ALICE, other, 5), (BOB, other, 7)]));
    assert_eq!(straight, paid([(ALICE, USD, 5), (BOB, USD, 7)]));
}

proptest! {
    /// Proves BAL-009.
    #[test]
    fn no_movement_creates_money(steps in prop::collection::vec((0u8..3, 3u32..8, 3u32..8, 0u16..3, 1i128..1000), 1..200)) {
        let mut ledger = ledger(10, 3);
        for (kind, from, to, currency, units) in steps {
            let (from, to, currency) = (AccountId(from), AccountId(to), CurrencyId(currency));
            let before = ledger.fingerprint();
            let has = ledger.balance(from, currency);
            let amount = money(units);
            match kind {
                0 => issue(&mut ledger, to, currency, units),
                1 if has.available >= amount => {
                    ledger.hold(from, currency, amount);
                }
                2 if has.held >= amount => pay(&mut ledger, (from, Bucket::Held), to, currency, amount),
                _ => continue,
            }
            prop_assert_eq!(ledger.broken_law(), None);
            prop_assert_ne!(ledger.fingerprint(), before);
        }
    }
}

/// Two ledgers are equal only with the same balances, reached by the same movements: replays are compared this way.
#[test]
fn equal_ledgers_have_the_same_past() {
    let open = || ledger(7, 2);
    assert_eq!(open(), open());
    assert_eq!((open().accounts(), open().next_account()), (7, AccountId(7)));
    let paid = |amounts: &[i128]| {
        let mut ledger = open();
        for amount in amounts {
            issue(&mut ledger, ALICE, USD, *amount);
        }
        ledger
    };
    assert_eq!(paid(&[1, 2]), paid(&[1, 2]));
    assert_ne!(paid(&[1, 2]), open(), "another balance");
    assert_ne!(paid(&[1, 2]), paid(&[3]), "the same balance by other movements");
    assert_ne!(ledger(7, 2), ledger(8, 2), "one account more");
    assert_ne!(ledger(7, 2), ledger(7, 3), "one currency more");
    let mut doctored = paid(&[3]);
    doctored.fingerprint = paid(&[1, 2]).fingerprint;
    doctored.balances = open().balances;
    assert_ne!(doctored, paid(&[1, 2]), "the same fingerprint over other balances");
}

/// Alice buys 3 for 600 and pays a fee of 6, Bob sells and pays 4; the house gets 10.
fn settle(ledger: &mut Ledger, resting: Side, held: Held, freed: i128) {
    settle_maker(ledger, resting, held, freed);
    settle_taker(ledger, resting.opposite());
}

fn settle_maker(ledger: &mut Ledger, side: Side, held: Held, freed: i128) {
    let (hers, his) = ((ALICE, money(6)), (BOB, money(4)));
    let ((account, fee), (_, taker_fee)) = if side == Side::Buy { (hers, his) } else { (his, hers) };
    ledger.settle_maker(&Trade {
        base: BTC,
        quote: USD,
        amount: money(3),
        notional: money(600),
        maker: Maker { account, side, fee, held, freed: money(freed) },
        taker_fee,
    });
}

fn settle_taker(ledger: &mut Ledger, side: Side) {
    let account = if side == Side::Buy { ALICE } else { BOB };
    ledger.settle_taker(&Taker { account, side, base: BTC, quote: USD });
}

/// Alice's order rested and reserved 610: the excess returns. Bob pays from what is available.
#[test]
fn a_resting_buy_pays_out_of_its_hold() {
    let mut ledger = ledger(7, 2);
    issue(&mut ledger, ALICE, USD, 1_000);
    issue(&mut ledger, BOB, BTC, 9);
    let hers = ledger.hold(ALICE, USD, money(610));
    settle(&mut ledger, Side::Buy, hers, 610);
    assert_eq!(ledger.balance(ALICE, USD), Balance { available: money(394), held: money(0) });
    assert_eq!(ledger.balance(ALICE, BTC), Balance { available: money(3), held: money(0) });
    assert_eq!(ledger.balance(BOB, BTC), Balance { available: money(6), held: money(0) });
    assert_eq!(ledger.balance(BOB, USD), Balance { available: money(596), held: money(0) });
    assert_eq!(ledger.balance(FEES_ACCOUNT, USD).available, money(10));
    assert_eq!(ledger.broken_law(), None);
}

/// A buyer with nearly all the money there can be, whose own fee is low, buys from a seller with a higher one: what a buyer would pay
/// with that fee is beyond the range of money, and nobody pays it.
#[test]
fn a_resting_sell_may_bring_nearly_all_money() {
    let mut ledger = ledger(7, 2);
    issue(&mut ledger, ALICE, USD, i128::MAX - 5);
    issue(&mut ledger, BOB, BTC, 3);
    let held = ledger.hold(BOB, BTC, money(3));
    let maker = Maker { account: BOB, side: Side::Sell, fee: money(20), held, freed: money(3) };
    let notional = money(i128::MAX - 10);
    ledger.settle_maker(&Trade {
        base: BTC,
        quote: USD,
        amount: money(3),
        notional,
        maker,
        taker_fee: money(0),
    });
    settle_taker(&mut ledger, Side::Buy);
    assert_eq!(ledger.balance(BOB, USD).available, money(i128::MAX - 30));
    assert_eq!(ledger.balance(ALICE, USD).available, money(5));
    assert_eq!(ledger.balance(FEES_ACCOUNT, USD).available, money(20));
    assert_eq!(ledger.broken_law(), None);
}

/// Bob's order rested and reserved 5, of which 3 are freed. Alice pays from what is available.
#[test]
fn a_resting_sell_pays_out_of_its_hold() {
    let mut ledger = ledger(7, 2);
    issue(&mut ledger, ALICE, USD, 1_000);
    issue(&mut ledger, BOB, BTC, 9);
    let his = ledger.hold(BOB, BTC, money(5));
    settle(&mut ledger, Side::Sell, his, 3);
    assert_eq!(ledger.balance(ALICE, USD), Balance { available: money(394), held: money(0) });
    assert_eq!(ledger.balance(ALICE, BTC), Balance { available: money(3), held: money(0) });
    assert_eq!(ledger.balance(BOB, BTC), Balance { available: money(4), held: money(2) });
    assert_eq!(ledger.balance(BOB, USD), Balance { available: money(596), held: money(0) });
    assert_eq!(ledger.balance(FEES_ACCOUNT, USD).available, money(10));
    assert_eq!(ledger.broken_law(), None);
}

#[test]
#[should_panic(expected = "an account gives only what it has")]
fn nobody_sells_what_he_has_not() {
    let mut ledger = ledger(7, 2);
    issue(&mut ledger, ALICE, USD, 1_000);
    issue(&mut ledger, BOB, BTC, 2);
    let hers = ledger.hold(ALICE, USD, money(610));
    settle(&mut ledger, Side::Buy, hers, 610);
}

#[test]
#[should_panic(expected = "an account gives only what it has")]
fn no_more_is_freed_than_was_reserved() {
    let mut ledger = ledger(7, 1);
    issue(&mut ledger, ALICE, USD, 10);
    let held = ledger.hold(ALICE, USD, money(4));
    ledger.release(held, money(5));
}

/// The same if both the available and the held part would fall below zero at once.
#[test]
#[should_panic(expected = "an account gives only what it has")]
fn no_trade_is_paid_from_nothing() {
    let mut ledger = ledger(7, 2);
    issue(&mut ledger, ALICE, USD, 10);
    issue(&mut ledger, BOB, BTC, 9);
    let hers = ledger.hold(ALICE, USD, money(10));
    settle(&mut ledger, Side::Buy, hers, 20);
}

/// Alice meets two orders of Bob: both makers are paid at once, and she pays for both together.
#[test]
fn a_taker_settles_with_all_its_makers_at_once() {
    let mut ledger = ledger(7, 2);
    issue(&mut ledger, ALICE, USD, 2_000);
    issue(&mut ledger, BOB, BTC, 9);
    let his = ledger.hold(BOB, BTC, money(7));
    for _ in 0..2 {
        settle_maker(&mut ledger, Side::Sell, his, 3);
    }
    assert_eq!(ledger.balance(BOB, USD).available, money(1_192));
    assert_eq!(ledger.balance(ALICE, USD).available, money(2_000));
    assert!(!ledger.is_settled());
    settle_taker(&mut ledger, Side::Buy);
    assert!(ledger.is_settled());
    assert_eq!(ledger.balance(ALICE, USD), Balance { available: money(788), held: money(0) });
    assert_eq!(ledger.balance(ALICE, BTC), Balance { available: money(6), held: money(0) });
    assert_eq!(ledger.balance(BOB, BTC), Balance { available: money(2), held: money(1) });
    assert_eq!(ledger.balance(FEES_ACCOUNT, USD).available, money(20));
    assert_eq!(ledger.broken_law(), None);
    let settled = ledger.clone();
    settle_taker(&mut ledger, Side::Buy);
    assert_eq!(ledger.balances, settled.balances, "nothing is owed twice");
}

/// If Alice rested with two orders, Bob is paid for both together, less the fees of both.
#[test]
fn a_seller_settles_with_all_its_makers_at_once() {
    let mut ledger = ledger(7, 2);
    issue(&mut ledger, ALICE, USD, 2_000);
    issue(&mut ledger, BOB, BTC, 9);
    let hers = ledger.hold(ALICE, USD, money(1_220));
    for _ in 0..2 {
        settle_maker(&mut ledger, Side::Buy, hers, 610);
    }
    assert_eq!(ledger.balance(ALICE, USD), Balance { available: money(788), held: money(0) });
    settle_taker(&mut ledger, Side::Sell);
    assert_eq!(ledger.balance(BOB, USD), Balance { available: money(1_192), held: money(0) });
    assert_eq!(ledger.balance(BOB, BTC), Balance { available: money(3), held: money(0) });
    assert_eq!(ledger.balance(FEES_ACCOUNT, USD).available, money(20));
    assert_eq!(ledger.broken_law(), None);
}

/// In an auction Alice buys 3 for 600 and pays a fee of 6, Bob sells and pays 4; both rested.
fn settle_crossing(ledger: &mut Ledger, hers: (Held, i128), his: (Held, i128)) {
    let party = |account, side, fee, (held, freed): (Held, i128)| Maker {
        account,
        side,
        fee: money(fee),
        held,
        freed: money(freed),
    };
    ledger.settle_crossing(&Crossing {
        base: BTC,
        quote: USD,
        amount: money(3),
        notional: money(600),
        buyer: party(ALICE, Side::Buy, 6, hers),
        seller: party(BOB, Side::Sell, 4, his),
    });
}

/// In an auction both pay from their holds, and the excess of Alice's returns; it is settled at once.
#[test]
fn both_who_meet_in_an_auction_pay_out_of_their_holds() {
    let mut ledger = ledger(7, 2);
    issue(&mut ledger, ALICE, USD, 1_000);
    issue(&mut ledger, BOB, BTC, 9);
    let hers = ledger.hold(ALICE, USD, money(1_000));
    let his = ledger.hold(BOB, BTC, money(5));
    let before = ledger.fingerprint();
    settle_crossing(&mut ledger, (hers, 700), (his, 3));
    assert!(ledger.is_settled());
    assert_eq!(ledger.balance(ALICE, USD), Balance { available: money(94), held: money(300) });
    assert_eq!(ledger.balance(ALICE, BTC), Balance { available: money(3), held: money(0) });
    assert_eq!(ledger.balance(BOB, BTC), Balance { available: money(4), held: money(2) });
    assert_eq!(ledger.balance(BOB, USD), Balance { available: money(596), held: money(0) });
    assert_eq!(ledger.balance(FEES_ACCOUNT, USD).available, money(10));
    assert_eq!(ledger.broken_law(), None);
    assert_ne!(ledger.fingerprint(), before);
}

/// A trade that frees less than it costs was planned wrongly and panics.
#[test]
#[should_panic(expected = "an account gives only what it has")]
fn no_crossing_costs_more_than_was_reserved() {
    let mut ledger = ledger(7, 2);
    issue(&mut ledger, ALICE, USD, 605);
    issue(&mut ledger, BOB, BTC, 9);
    let hers = ledger.hold(ALICE, USD, money(605));
    let his = ledger.hold(BOB, BTC, money(5));
    settle_crossing(&mut ledger, (hers, 605), (his, 3));
}

/// A decision finds the place of a balance, also of a future one; the hold is on that balance.
#[test]
fn a_hold_lies_where_the_decision_found_it() {
    let mut ledger = ledger(7, 2);
    issue(&mut ledger, ALICE, USD, 10);
    let (held, found) = ledger.find(ALICE, USD);
    assert_eq!(found.available, money(10));
    ledger.hold_at(held, || panic!("it is there"), money(4));
    assert_eq!(ledger.balance(ALICE, USD), Balance { available: money(6), held: money(4) });
    let (first, none) = ledger.find(BOB, BTC);
    assert_eq!(none, Balance::default());
    ledger.hold_at(first, || (BOB, BTC.into()), money(0));
    assert_eq!(ledger.find(BOB, BTC).0, first);
    let next = ledger.find(ALICE, BTC).0;
    assert!(next != first && next != held, "the next balance lies elsewhere");
}

/// An account shows every currency it ever had, in order, even with nothing left.
#[test]
fn balances_of_an_account_are_those_it_ever_had() {
    let mut ledger = ledger(7, 3);
    issue(&mut ledger, ALICE, CurrencyId(2), 5);
    issue(&mut ledger, ALICE, USD, 7);
    pay(&mut ledger, (ALICE, Bucket::Available), BOB, USD, money(7));
    let of = |account| {
        ledger
            .balances_of(account)
            .map(|(currency, balance)| (currency.0, balance.total().units()))
            .collect::<Vec<_>>()
    };
    assert_eq!(of(ALICE), [(0, 0), (2, 5)]);
    assert_eq!(of(BOB), [(0, 7)]);
    assert_eq!(of(AccountId(2)), []);
}

/// An entry balances in each of its assets separately.
#[test]
fn an_entry_is_balanced_in_each_currency() {
    let line = |currency: CurrencyId, units: i128| Posting {
        account: ALICE,
        asset: currency.into(),
        bucket: Bucket::Available,
        amount: money(units),
    };
    let third = CurrencyId(2);
    assert!(is_balanced(&[]));
    assert!(is_balanced(&[line(USD, 1), line(BTC, 5), line(USD, -1), line(BTC, -5)]));
    assert!(!is_balanced(&[line(USD, 1), line(BTC, -1)]), "one currency does not pay for another");
    assert!(!is_balanced(&[line(USD, 1), line(USD, -1), line(BTC, 1)]));
    assert!(!is_balanced(&[line(USD, 1), line(USD, -1), line(BTC, 1), line(third, -1)]));
}

/// A claim on an outcome is an asset that no list contains. It is minted from two buyers' money, held, covered by the
/// laws, and present after a restore.
#[test]
fn claims_are_assets_without_a_list() {
    let mut ledger = ledger(7, 1);
    let issuer = ledger.open_house("issuer".into(), true);
    let collateral = ledger.open_house("collateral".into(), false);
    let contract = SymbolId(70_000);
    let [yes, no] = [Claim::Yes, Claim::No].map(|claim| AssetId::claim(contract, claim));
    issue(&mut ledger, ALICE, USD, 60);
    issue(&mut ledger, BOB, USD, 40);
    let line = |account, asset: AssetId, units| Posting {
        account,
        asset,
        bucket: Bucket::Available,
        amount: money(units),
    };
    ledger.post(
        Cause::Adjustment,
        &[
            line(ALICE, USD.into(), -60),
            line(BOB, USD.into(), -40),
            line(collateral, USD.into(), 100),
            line(issuer, yes, -100),
            line(ALICE, yes, 100),
            line(issuer, no, -100),
            line(BOB, no, 100),
        ],
    );
    let held = ledger.hold(ALICE, yes, money(30));
    let mut restored = ledger.clone();
    restored.sparse.clear();
    restored.index.clear();
    restored.reindex();
    for ledger in [&ledger, &restored] {
        let alice = Balance { available: money(70), held: money(30) };
        assert_eq!((ledger.balance(ALICE, yes), ledger.find(ALICE, yes).0), (alice, held));
        assert_eq!(ledger.claims_of(ALICE).collect::<Vec<_>>(), [(yes, alice)]);
        assert_eq!(ledger.balances_of(ALICE).count(), 1);
        assert_eq!((ledger.broken_law(), ledger.house("issuer")), (None, Some(issuer)));
    }
    let place = ledger.find(BOB, no).0.index();
    ledger.balances[place].available = money(99);
    assert_eq!(ledger.broken_law(), Some(BrokenLaw::NotBalanced(no)));
}

/// A manipulated ledger is noticed, and the error names the place.
#[test]
fn a_broken_law_is_named() {
    let doctored = |change: fn(&mut Balance)| {
        let mut ledger = ledger(7, 2);
        issue(&mut ledger, ALICE, USD, 5);
        issue(&mut ledger, ALICE, BTC, 5);
        let place = ledger.find(ALICE, BTC).0.index();
        change(&mut ledger.balances[place]);
        ledger.broken_law()
    };
    assert_eq!(doctored(|_| {}), None);
    assert_eq!(doctored(|balance| balance.held = money(1)), Some(BrokenLaw::NotBalanced(BTC.into())));
    let below = Some(BrokenLaw::BelowZero(ALICE, BTC.into()));
    assert_eq!(doctored(|balance| *balance = Balance { available: money(-1), held: money(6) }), below);
    assert_eq!(doctored(|balance| *balance = Balance { available: money(6), held: money(-1) }), below);
}

/// Every batch of a journal holds the fingerprint: with another computation, older journals could not be replayed.
#[test]
fn the_fingerprint_is_part_of_the_format() {
    let mut ledger = ledger(7, 2);
    issue(&mut ledger, ALICE, USD, 1 << 70);
    issue(&mut ledger, BOB, BTC, 9);
    let held = ledger.hold(ALICE, USD, money(610));
    settle(&mut ledger, Side::Buy, held, 610);
    assert_eq!(ledger.fingerprint(), 9_177_718_482_444_533_188);
}

/// A copy of a ledger that records does not: the writer's state is a copy of the one that the views keep.
#[test]
fn a_copy_does_not_record() {
    let mut ledger = ledger(2, 1);
    ledger.record();
    let (mut copy, mut moves) = (ledger.clone(), Vec::new());
    for ledger in [&mut ledger, &mut copy] {
        let newest = AccountId(ledger.accounts() - 1);
        ledger.issue(Cause::Deposit, newest, CurrencyId(0), money(5));
    }
    copy.take_moves(&mut moves);
    assert!(moves.is_empty());
    ledger.take_moves(&mut moves);
    assert_eq!(moves.iter().map(|moved| moved.amount).collect::<Vec<_>>(), [money(-5), money(5)]);
}

/// A change of a watched balance is noted if as much is available as was named, also with the first money in an asset; a balance with less or
/// one that is not watched (any more) is not noted.
#[test]
fn a_rise_to_the_watched_amount_is_noted() {
    let mut ledger = ledger(7, 2);
    let risen = |ledger: &mut Ledger| {
        let has = ledger.has_risen();
        let risen: Vec<_> = ledger.take_risen().into_iter().collect();
        assert_eq!(has, !risen.is_empty());
        risen
    };
    let alice = (ALICE, AssetId::from(USD));
    ledger.watch_rises(ALICE, USD, Some(money(9)));
    issue(&mut ledger, BOB, USD, 10);
    issue(&mut ledger, ALICE, BTC, 10);
    assert_eq!(risen(&mut ledger), []);
    issue(&mut ledger, ALICE, USD, 8);
    assert_eq!(risen(&mut ledger), [], "less than was named");
    issue(&mut ledger, ALICE, USD, 2);
    assert_eq!(risen(&mut ledger), [alice]);
    let held = ledger.hold(ALICE, USD, money(4));
    assert_eq!(risen(&mut ledger), [], "a hold takes");
    ledger.release(held, money(3));
    assert_eq!(risen(&mut ledger), [alice]);
    ledger.watch_rises(ALICE, USD, Some(money(3)));
    pay(&mut ledger, (ALICE, Bucket::Available), BOB, USD, money(7));
    assert_eq!(risen(&mut ledger), []);
    issue(&mut ledger, ALICE, USD, 1);
    assert_eq!(risen(&mut ledger), [alice], "the later amount counts");
    issue(&mut ledger, ALICE, USD, 1);
    ledger.watch_rises(ALICE, USD, None);
    issue(&mut ledger, ALICE, USD, 1);
    assert_eq!(risen(&mut ledger), []);
    assert!(!ledger.watch.is_on());
}
