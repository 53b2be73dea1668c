//! A group of two accounts, `FRONT` and `BACK`, with a dollar, a coin at an index of 100, and a coin without one.

use super::*;
use crate::Bound;
use alloc::string::String;
use buttonwood_ledger::{Bucket, Cause, Posting};
use buttonwood_model::{Currency, CurrencyKind};

const USD: CurrencyId = CurrencyId(0);
const COIN: CurrencyId = CurrencyId(1);
const ODD: CurrencyId = CurrencyId(2);

const FRONT: AccountId = AccountId(1);
const BACK: AccountId = AccountId(2);

fn whole(amount: i128) -> Money {
    Money::from_units(amount * Money::ONE.units())
}

/// The money that the rooms keep, by account where it matters.
#[derive(Debug, Default)]
struct Rooms_ {
    advanced: Vec<(AccountId, CurrencyId, Money)>,
    held: Vec<(AccountId, CurrencyId, Money)>,
    debts: Vec<(AccountId, CurrencyId, Money)>,
    liabilities: Vec<(AccountId, Money)>,
    most: Option<(AccountId, Money)>,
}

fn sum(rows: &[(AccountId, CurrencyId, Money)], account: AccountId, currency: CurrencyId) -> Money {
    rows.iter().filter(|(of, it, _)| (*of, *it) == (account, currency)).map(|(.., amount)| *amount).sum()
}

impl Rooms for Rooms_ {
    fn most(&self, account: AccountId, _: CurrencyId) -> Option<Money> {
        self.most.filter(|(of, _)| *of == account).map(|(_, most)| most)
    }

    fn bound(&self, account: AccountId, currency: CurrencyId) -> Bound {
        Bound { held: sum(&self.held, account, currency), advanced: sum(&self.advanced, account, currency) }
    }

    fn debts(&self, account: AccountId) -> Vec<(CurrencyId, Money)> {
        let own = self.debts.iter().filter(|(of, ..)| *of == account);
        own.map(|(_, currency, amount)| (*currency, *amount)).collect()
    }

    fn group_in_advance(&self, _: AccountId) -> Vec<AccountId> {
        if self.advanced.is_empty() && self.debts.is_empty() { Vec::new() } else { Vec::from([FRONT, BACK]) }
    }

    fn liabilities(&self, account: AccountId) -> Money {
        self.liabilities.iter().filter(|(of, _)| *of == account).map(|(_, amount)| *amount).sum()
    }

    fn worth(&self, _: AccountId, currency: CurrencyId) -> Worth {
        match currency {
            USD => Worth::Dollar,
            COIN => Worth::Index(whole(100)),
            _ => Worth::Nothing,
        }
    }
}

/// A ledger in which both accounts have these balances.
fn ledger(balances: &[(AccountId, CurrencyId, i128)]) -> Ledger {
    let mut ledger = Ledger::default();
    for code in ["USD", "COIN", "ODD"] {
        let (code, kind) = (String::from(code), CurrencyKind::Crypto);
        ledger.list_currency(Currency { name: code.clone(), code, decimals: 8, kind, networks: Vec::new() });
    }
    let source = ledger.open_house("source".into(), true);
    assert_eq!([ledger.open_account(), ledger.open_account()], [FRONT, BACK]);
    for (account, currency, amount) in balances {
        let posting = |account, amount| Posting {
            account,
            asset: (*currency).into(),
            bucket: Bucket::Available,
            amount: whole(amount),
        };
        ledger.post(Cause::Adjustment, &[posting(source, -amount), posting(*account, *amount)]);
    }
    ledger
}

/// The figure is the bound of the check: it passes, and one unit more does not.
#[track_caller]
fn bound_is(ledger: &Ledger, rooms: &Rooms_, (account, currency): (AccountId, CurrencyId), most: Money) {
    let leave = Leave { ledger, rooms };
    assert_eq!(leave.free(account, currency), most);
    if most > Money::ZERO {
        assert_eq!(leave.check(account, (currency, most), None), Ok(()));
    }
    let more = most + Money::from_units(1);
    assert!(leave.check(account, (currency, more), None).is_err());
}

/// Without advances and debts in the group each account is bounded by its balance and its product alone.
#[test]
fn a_group_without_advances_is_not_summed() {
    let ledger = ledger(&[(FRONT, USD, 50), (BACK, COIN, 3)]);
    let rooms = Rooms_ { liabilities: Vec::from([(FRONT, whole(1_000))]), ..Rooms_::default() };
    bound_is(&ledger, &rooms, (FRONT, USD), whole(50));
    bound_is(&ledger, &rooms, (BACK, COIN), whole(3));
    bound_is(&ledger, &Rooms_ { most: Some((FRONT, whole(7))), ..rooms }, (FRONT, USD), whole(7));
}

/// All that the group has beyond its advances may leave, from whichever account, at 90 % of the index.
#[test]
fn what_is_beyond_the_advances_leaves() {
    let ledger = ledger(&[(FRONT, COIN, 1), (FRONT, USD, 10), (BACK, COIN, 2), (BACK, USD, 50)]);
    let advanced = Vec::from([(FRONT, USD, whole(240))]);
    let rooms = Rooms_ { advanced, ..Rooms_::default() };
    // 100 + 230 in dollars against 240: 90 of them may leave, which is one coin.
    bound_is(&ledger, &rooms, (BACK, COIN), whole(1));
    bound_is(&ledger, &rooms, (BACK, USD), whole(50));
    bound_is(&ledger, &rooms, (FRONT, COIN), whole(1));
    // The dollars of the advanced account are advanced.
    bound_is(&ledger, &rooms, (FRONT, USD), Money::ZERO);
    let leave = Leave { ledger: &ledger, rooms: &rooms };
    assert_eq!(leave.check(BACK, (COIN, whole(2)), None), Err(Short::Advances));
    // Within the group nothing is lost.
    assert_eq!(leave.check(BACK, (COIN, whole(2)), Some(FRONT)), Ok(()));
    assert_eq!(leave.check(FRONT, (USD, whole(1)), Some(BACK)), Err(Short::TooLittle));
}

/// Loans, unrealised losses and what transfers hold are not the account's, and what one account lacks another does not pay for it: an
/// account counts nothing at least.
#[test]
fn liabilities_and_holds_do_not_cover() {
    let ledger = ledger(&[(FRONT, USD, 200), (BACK, USD, 100)]);
    let advanced = || Vec::from([(FRONT, USD, whole(150))]);
    let of = |amount| Rooms_ {
        advanced: advanced(),
        liabilities: Vec::from([(FRONT, whole(amount))]),
        ..Rooms_::default()
    };
    bound_is(&ledger, &of(0), (BACK, USD), whole(100));
    bound_is(&ledger, &of(80), (BACK, USD), whole(70));
    bound_is(&ledger, &of(160), (BACK, USD), Money::ZERO);
    let held = Vec::from([(FRONT, USD, whole(80))]);
    bound_is(&ledger, &Rooms_ { advanced: advanced(), held, ..Rooms_::default() }, (BACK, USD), whole(70));
    // A move out of an account that is worth nothing would make the sum larger: it stays too small.
    let leave = Leave { ledger: &ledger, rooms: &of(160) };
    assert_eq!(leave.check(BACK, (USD, whole(1)), Some(FRONT)), Err(Short::Advances));
}

/// Debts of returned advances are needed as advances are, and an account in debt lets nothing go.
#[test]
fn debts_bind_the_whole_group() {
    let ledger = ledger(&[(FRONT, COIN, 1), (BACK, USD, 100)]);
    let debts = Vec::from([(FRONT, USD, whole(150))]);
    let rooms = Rooms_ { debts, ..Rooms_::default() };
    bound_is(&ledger, &rooms, (BACK, USD), whole(40));
    bound_is(&ledger, &rooms, (FRONT, COIN), Money::ZERO);
    let leave = Leave { ledger: &ledger, rooms: &rooms };
    assert_eq!(leave.check(FRONT, (COIN, Money::ZERO), None), Err(Short::Debt));
}

/// A currency without an index covers its own advance as long as it is there, and counts nothing else.
#[test]
fn a_currency_without_an_index_covers_itself() {
    let ledger = ledger(&[(FRONT, ODD, 5), (BACK, USD, 100)]);
    let advanced =
        |amount| Rooms_ { advanced: Vec::from([(FRONT, ODD, whole(amount))]), ..Rooms_::default() };
    bound_is(&ledger, &advanced(3), (FRONT, ODD), whole(2));
    bound_is(&ledger, &advanced(5), (BACK, USD), whole(100));
    bound_is(&ledger, &advanced(6), (BACK, USD), Money::ZERO);
}
