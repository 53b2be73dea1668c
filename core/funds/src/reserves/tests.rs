//! Cuts, reported wallets, and breaches.

use super::*;
use alloc::vec;
use buttonwood_access::{Access, Account};
use buttonwood_leave::Advances;
use buttonwood_ledger::{Bucket, Cause, Posting, SOURCE};
use buttonwood_model::{Currency, CurrencyKind, take_named};

/// A house, one customer and a currency of which the customer has 100.
struct Stage {
    funds: Funds,
    ledger: Ledger,
    access: Access,
    issuer: AccountId,
    customer: AccountId,
}

const COIN: CurrencyId = CurrencyId(0);
const NOON: Time = Time(Day::MICROS * 20_000 + Day::MICROS / 2);

fn coins(count: i128) -> Money {
    Money::from_units(count)
}

impl Stage {
    fn new() -> Self {
        let mut ledger = Ledger::default();
        let mut access = Access::default();
        ledger.list_currency(Currency {
            code: "BTC".into(),
            name: "Bitcoin".into(),
            kind: CurrencyKind::Crypto,
            decimals: 8,
            networks: vec!["bitcoin".into()],
        });
        let source = ledger.open_house(SOURCE.name.into(), true);
        let issuer = ledger.open_house("issuer".into(), true);
        let customer = ledger.open_account();
        for _ in 0..3 {
            access.add_account(Account::house(NOON));
        }
        let mut stage = Self { funds: Funds::default(), ledger, access, issuer, customer };
        stage.pay(source, customer, 100);
        stage
    }

    fn pay(&mut self, from: AccountId, to: AccountId, amount: i128) {
        let posting = |account, amount| Posting {
            account,
            asset: COIN.into(),
            bucket: Bucket::Available,
            amount: coins(amount),
        };
        self.ledger.post(Cause::Adjustment, &[posting(from, -amount), posting(to, amount)]);
    }

    /// Decides a command and applies its events; returns how many there were.
    fn run(&mut self, time: Time, command: &Command) -> Result<usize, Reject> {
        let mut out: Outbox<BytesRef> = Outbox::default();
        let (indices, floor, advances) = Default::default();
        let state = (&self.funds, &self.access);
        let context = crate::rig::context(state, &self.ledger, &advances, (&indices, &floor), time);
        decide(&context, Sender::Exchange, command, &mut out)?;
        for kept in &out.events {
            let mut bytes = kept.of(&out.texts).unwrap();
            let event: Infrequent = take_named(&mut bytes).unwrap().read().unwrap();
            let Self { funds, ledger, access, .. } = self;
            let (advances, indices) = (&mut Advances::default(), &mut buttonwood_index::Indices::default());
            let (room, symbols, seed, next_id) = (funds, &[], 7, 1);
            let context =
                &mut ContextMut { room, ledger, access, advances, indices, symbols, seed, next_id, time };
            crate::evolve(context, event);
        }
        Ok(out.events.len())
    }

    fn report(&mut self, network: &str, amounts: [i128; 3]) -> Result<usize, Reject> {
        self.report_minted(network, amounts, 0)
    }

    fn report_minted(
        &mut self,
        network: &str,
        [hot, cold, beside]: [i128; 3],
        minted: i128,
    ) -> Result<usize, Reject> {
        let wallet = Wallet {
            network: network.into(),
            currency: COIN,
            hot: coins(hot),
            cold: coins(cold),
            addresses: vec!["bc1q".into()],
            beside: coins(beside),
            minted: coins(minted),
        };
        self.run(NOON, &Command::ReportWallet(Arc::new(wallet)))
    }

    fn sums(&self) -> (i128, i128) {
        let sums = sums(&self.funds, &self.ledger, COIN);
        (sums.assets.units(), sums.liabilities.units())
    }
}

/// One cut is due at each midnight; one that comes late counts for its own day.
#[test]
fn a_cut_is_due_at_each_midnight() {
    let mut stage = Stage::new();
    let due = |stage: &Stage| super::next_due(&stage.funds, &stage.access).unwrap().map(crate::Command::from);
    let day = Day::of(NOON);
    assert_eq!((due(&stage).time, due(&stage).rank), (day.plus(1).start(), buttonwood_model::Rank::Step));
    assert!(!due(&stage).may_skip);
    assert_eq!(stage.run(day.plus(1).start(), &Command::Cut), Ok(1));
    assert_eq!(stage.funds.reserves().last_cut(), Some(day.plus(1).start()));
    assert_eq!(stage.run(day.plus(1).start().plus(5), &Command::Cut), Err(Reject::NotDue));
    assert_eq!(due(&stage).time, day.plus(2).start());
    let late = day.plus(9).start().plus(77);
    assert_eq!(stage.run(late, &Command::Cut), Ok(1));
    assert_eq!((stage.funds.reserves().last_cut(), due(&stage).time), (Some(late), day.plus(10).start()));
}

/// Without reported wallets the assets are what `source` gave out, and what other houses stand below zero.
#[test]
fn without_wallets_source_is_the_measure() {
    let mut stage = Stage::new();
    assert_eq!(stage.sums(), (100, 100));
    stage.pay(stage.issuer, stage.customer, 40);
    assert_eq!(stage.sums(), (140, 140));
    stage.pay(stage.customer, stage.issuer, 60);
    assert_eq!(stage.sums(), (100, 80));
}

/// A test credit counts from its own command on, before a chain has minted it, and counts once when it has; so does a debit.
#[test]
fn test_credits_count_before_they_are_minted() {
    let mut stage = Stage::new();
    stage.funds.reserves.note_credit(COIN, coins(100));
    for (hot, minted) in [(0, 0), (70, 70), (100, 100)] {
        stage.report_minted("bitcoin", [hot, 0, 0], minted).unwrap();
        assert_eq!(stage.sums(), (100, 100));
    }
    let source = stage.ledger.house(SOURCE.name).unwrap();
    for amount in [50, -30] {
        stage.funds.note_test_credit(COIN.into(), coins(amount));
        stage.pay(source, stage.customer, amount);
    }
    assert_eq!(stage.sums(), (120, 120));
    // Minted on one network for what was credited on another.
    stage.report_minted("lightning", [5, 0, 0], 5).unwrap();
    assert_eq!(stage.sums(), (120, 120));
    // A network has charged 3, and the house counts it.
    stage.report_minted("lightning", [2, 0, 0], 5).unwrap();
    assert_eq!(stage.sums(), (117, 120));
    stage.funds.reserves.note_cost(COIN, coins(3));
    assert_eq!(stage.sums(), (120, 120));
}

/// A breach stops the withdrawals of its currency until assets cover liabilities again (INV-POR-1).
#[test]
fn a_breach_stops_withdrawals_until_it_is_mended() {
    let mut stage = Stage::new();
    let stops = |stage: &Stage| stage.funds.reserves().stops_withdrawal(COIN);
    assert_eq!(stage.run(NOON, &Command::Check), Ok(0));
    stage.report("bitcoin", [60, 20, 19]).unwrap();
    assert_eq!(stage.sums(), (99, 100));
    assert!(!stops(&stage), "the next check finds it");
    assert_eq!(changes(&stage.funds, &stage.ledger).collect::<Vec<_>>(), [(COIN, true)]);
    assert_eq!(stage.run(NOON, &Command::Check), Ok(1));
    assert!(stops(&stage));
    assert_eq!(stage.run(NOON, &Command::Check), Ok(0));
    stage.report("lightning", [0, 1, 0]).unwrap();
    assert_eq!(stage.run(NOON, &Command::Check), Ok(1));
    assert!(!stops(&stage));
    // The latest report of a wallet counts, and the cut checks too.
    stage.report("bitcoin", [0, 98, 0]).unwrap();
    assert_eq!(stage.run(NOON.plus(Day::MICROS), &Command::Cut), Ok(2));
    assert!(stops(&stage));
    stage.pay(stage.customer, stage.issuer, 1);
    assert_eq!(stage.run(NOON, &Command::Check), Ok(1));
    assert!(!stops(&stage), "less is owed");
}

#[test]
fn wrong_reports_are_refused() {
    let mut stage = Stage::new();
    for wrong in [[-1, 0, 0], [0, -1, 0], [5, 5, -1]] {
        assert_eq!(stage.report("bitcoin", wrong), Err(Reject::BadAmount));
    }
    let wallet = Wallet {
        network: "bitcoin".into(),
        currency: CurrencyId(9),
        hot: Money::ZERO,
        cold: Money::ZERO,
        addresses: vec![],
        beside: Money::ZERO,
        minted: Money::ZERO,
    };
    let unknown = Command::ReportWallet(Arc::new(wallet));
    assert_eq!(stage.run(NOON, &unknown), Err(Reject::UnknownCurrency));
    assert_eq!(stage.funds.reserves().wallets().count(), 0);
}
