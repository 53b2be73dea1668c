//! Pages of a statement against the simplest model: all lines in a `Vec`.

use super::*;
use crate::history::Each;
use crate::history::Index;
use crate::history::row::Part;
use buttonwood_model::{Claim, OrderId, SymbolStatus, TradeId};
use buttonwood_num::{Decimal, Grid, Price, Qty};
use proptest::prelude::*;
use std::collections::HashMap;
use tempfile::tempdir;

/// Halves so small that queries soon read from the disk.
const TINY: Each<usize> = Each {
    trades: 900,
    orders: 100,
    public: 100,
    funding: 100,
    entries: 400,
    conversions: 100,
    clearing: 100,
    staking: 100,
    predictions: 100,
    order_events: 100,
};
const EXACT: Limit = Limit { rows: 10_000, most: 10_000 };

fn symbols() -> Vec<Symbol> {
    let [tick, lot] = ["0.01", "0.0001"].map(|text| Decimal::parse(text.as_bytes()).unwrap());
    let symbol = |base, product| Symbol {
        name: String::new(),
        base: CurrencyId(base),
        quote: CurrencyId(0),
        grid: Grid::new(tick, lot).unwrap(),
        qty_min: Qty::ZERO,
        product,
        status: SymbolStatus::Open,
        wrap_enabled: false,
        closed_to: Vec::new(),
    };
    vec![symbol(1, Product::Spot), symbol(2, Product::Spot), symbol(3, Product::Swap)]
}

/// A history of two accounts, and their lines.
struct Rig {
    history: History,
    time: Time,
    trades: u64,
    balances: HashMap<(AccountId, CurrencyId), Money>,
    lines: HashMap<AccountId, Vec<Line>>,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Trade { account: u32, symbol: u32, qty: u16, has_fee: bool },
    Entry { account: u32, currency: u16, amount: i64 },
    Wait(u64),
    Flush,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0_u32..2, 0_u32..3, 1_u16.., any::<bool>())
            .prop_map(|(account, symbol, qty, has_fee)| Step::Trade { account, symbol, qty, has_fee }),
        4 => (0_u32..2, 0_u16..3, any::<i64>())
            .prop_map(|(account, currency, amount)| Step::Entry { account, currency, amount }),
        2 => (0_u64..900).prop_map(Step::Wait),
        1 => Just(Step::Flush),
    ]
}

impl Rig {
    fn step(&mut self, step: Step) {
        match step {
            Step::Wait(micros) => self.time = self.time.plus(micros),
            Step::Flush => self.history.flush().unwrap(),
            Step::Entry { amount: 0, .. } => {}
            Step::Entry { account, currency, amount } => {
                let (account, currency) = (AccountId(account), CurrencyId(currency));
                let amount = Money::from_units(amount.into());
                let balance = self.add(account, currency, amount);
                let (cause, about) = (Cause::Deposit, About::Transfer(7));
                let row = EntryRow { account, currency, time: self.time, amount, balance, cause, about };
                self.history.push(&row);
                self.line(account, of_entry(&row, self.history.index().ids(account)));
            }
            Step::Trade { account, symbol, qty, has_fee } => self.trade(account, symbol, qty, has_fee),
        }
    }

    fn trade(&mut self, account: u32, symbol: u32, qty: u16, has_fee: bool) {
        self.trades += 1;
        let account = AccountId(account);
        let (price, qty) = (Price::from_ticks(700), Qty::from_hundredths(u128::from(qty) * 100));
        let listed = symbols().remove(symbol.try_into().unwrap());
        let [base, quote] = [listed.grid.base(qty).unwrap(), listed.grid.notional(price, qty).unwrap()];
        let fee = Money::from_units(i128::from(has_fee) * 11);
        let settled = (listed.product == Product::Spot).then(|| Settled {
            base: self.add(account, listed.base, -base),
            quote: self.add(account, listed.quote, quote - fee),
        });
        let row = TradeRow {
            account,
            symbol: SymbolId(symbol),
            order: OrderId(self.trades),
            trade: TradeId(self.trades),
            time: self.time,
            claim: Claim::Yes,
            side: Side::Sell,
            part: Part::Maker,
            price,
            qty,
            fee,
            client_id: None,
            of_order: None,
            settled,
            counted: None,
        };
        self.history.push(&row);
        let last = self.history.index().ids(account);
        let Some(settled) = settled else { return };
        let about = About::Trade(row.order, row.trade);
        let mut push = |back, currency, amount, balance, cause| {
            let line = Line { id: last - back, time: row.time, currency, amount, balance, cause, about };
            self.line(account, line);
        };
        push(2, listed.base, -base, settled.base, Cause::Trade);
        push(1, listed.quote, quote, settled.quote + fee, Cause::Trade);
        if has_fee {
            push(0, listed.quote, -fee, settled.quote, Cause::Fee);
        }
    }

    fn add(&mut self, account: AccountId, currency: CurrencyId, amount: Money) -> Money {
        let balance = self.balances.entry((account, currency)).or_default();
        *balance += amount;
        *balance
    }

    fn line(&mut self, account: AccountId, line: Line) {
        self.lines.entry(account).or_default().push(line);
    }

    fn asked(&self, account: AccountId, currency: Option<CurrencyId>) -> Lines {
        let is_of = |symbol: &Symbol| {
            symbol.product == Product::Spot
                && currency.is_none_or(|currency| [symbol.base, symbol.quote].contains(&currency))
        };
        let all = (0..).map(SymbolId).zip(symbols()).filter(|(_, symbol)| is_of(symbol)).collect();
        Lines { account, currency, symbols: all, end: self.history.index().ids(account) + 1 }
    }

    fn expected(&self, account: AccountId, currency: Option<CurrencyId>) -> Vec<Line> {
        let all = self.lines.get(&account).cloned().unwrap_or_default();
        all.into_iter().filter(|line| currency.is_none_or(|currency| line.currency == currency)).collect()
    }
}

proptest! {
    /// The newest lines, pages by id, and pages by time: each line once, in order, and the ids rise. Proves D-171's paging.
    #[test]
    fn pages_are_the_models(
        steps in prop::collection::vec(step(), 0..150),
        rows in 1_usize..9,
        currency in prop::option::of(0_u16..3),
    ) {
        let directory = tempdir().unwrap();
        let mut rig = Rig {
            history: History::open_with(directory.path().into(), Index::new(5), TINY).unwrap(),
            time: Time(1_700_000_000_000_000),
            trades: 0,
            balances: HashMap::new(),
            lines: HashMap::new(),
        };
        for step in steps {
            rig.step(step);
        }
        let (account, currency) = (AccountId(0), currency.map(CurrencyId));
        let expected = rig.expected(account, currency);
        prop_assert!(expected.is_sorted_by_key(|line| line.id));
        let lines = rig.asked(account, currency);
        let page = |from, limit| lines.page(Query::whole(&rig.history), from, limit).unwrap();
        let mut newest = page(EntriesFrom::Newest, Limit { rows, most: rows });
        newest.reverse();
        prop_assert_eq!(&newest[..], &expected[expected.len().saturating_sub(rows)..]);
        let (mut read, mut after) = (Vec::new(), 0);
        loop {
            let more = page(EntriesFrom::After(after), Limit { rows, most: rows });
            let Some(last) = more.last() else { break };
            prop_assert!(more.len() <= rows);
            after = last.id;
            read.extend(more);
        }
        prop_assert_eq!(&read, &expected);
        let (mut read, mut from) = (Vec::new(), 0);
        loop {
            let mut more = page(EntriesFrom::Millis(from), Limit { rows, ..EXACT });
            more.reverse();
            let Some(last) = more.last() else { break };
            from = last.time.millis() + 1;
            let first = more[0].time.millis();
            prop_assert!(more.len() <= rows || first == last.time.millis());
            read.extend(more);
        }
        prop_assert_eq!(&read, &expected);
    }
}
