//! Random trading of perpetuals at high leverage, with prices that jump and hours that pass: liquidations, deleveraging and funding,
//! with money recomputed from the events and every law checked after every command.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what a test cannot do, fails it")]

use buttonwood_engine::perp::{self, Figures, Infrequent, Leverage};
use buttonwood_engine::{
    Account, AccountKind, Answer, Body, Caller, Command, FeeSchedule, Place, State, TradingCommand,
};
use buttonwood_model::{
    AccountId, CancelReason, CurrencyId, Due, GroupId, Product, Rank, Role, SessionId, Side, Symbol,
    SymbolId, SymbolStatus, Time,
};
use buttonwood_num::{Bps, Decimal, Grid, Money, Price, Qty, Round};
use buttonwood_oracle::{Dice, Exchange, Happening, PerpJudge, nonce};
use num_bigint::BigInt;
use num_rational::Ratio;
use std::collections::BTreeMap;

const TRADERS: usize = 8;

fn dollars(amount: i128) -> Money {
    Money::from_units(amount * 10_i128.pow(19))
}

/// How often each thing happened.
#[derive(Debug, Default)]
struct Counts {
    queued: u32,
    rounds: u32,
    filled: u32,
    taken_over: u32,
    deleveraged: u32,
    fund_deleveraged: u32,
    seized: u32,
    covered: u32,
    written_off: u32,
    payments: u32,
    cancelled: u32,
}

struct World {
    exchange: Exchange,
    dice: Dice,
    gusd: CurrencyId,
    collateral: [CurrencyId; 2],
    contracts: Vec<(CurrencyId, SymbolId, u64)>,
    traders: Vec<(AccountId, SessionId)>,
    fund: AccountId,
    nonce: u64,
    orders: BTreeMap<u64, (AccountId, SymbolId, Side)>,
    /// The dollars that each account was given or took, less its payments for positions, fees and funding.
    money: BTreeMap<AccountId, i128>,
    quantities: BTreeMap<(AccountId, SymbolId), i128>,
    /// The figures that a naive model computes from the same commands. It takes its time, so it judges some of the worlds.
    judge: Option<PerpJudge>,
    counts: Counts,
}

impl World {
    fn new(seed: u64) -> Self {
        let fees = FeeSchedule { maker: Bps(2), taker: Bps(5), auction: Bps(2) };
        let mut exchange = Exchange::open(fees, Some(Vec::new()));
        let gusd = exchange.find_currency("GUSD");
        let collateral = ["BTC", "USDT"].map(|code| exchange.find_currency(code));
        let contracts = [("BTC", "0.0001", "0.5", 100_000), ("ETH", "0.001", "0.05", 40_000)];
        let contracts = contracts.map(|(code, lot, tick, ticks)| {
            let base = exchange.find_currency(code);
            let [lot, tick] = [lot, tick].map(|text| Decimal::parse(text.as_bytes()).unwrap());
            let grid = Grid::new(tick, lot).unwrap();
            let symbol = Symbol {
                name: format!("{code}gusdperp").to_lowercase(),
                base,
                quote: gusd,
                qty_min: Qty::from_hundredths(700),
                grid,
                product: Product::Swap,
                status: SymbolStatus::Open,
                wrap_enabled: false,
                closed_to: Vec::new(),
            };
            assert_eq!(exchange.own(Body::list_symbol(symbol)), Answer::Done);
            (base, SymbolId::from_index(exchange.state.symbols().len() - 1), ticks)
        });
        assert_eq!(exchange.own(Body::add_group("perp".into())), Answer::Done);
        let fund = exchange.state.ledger().house("insurance").unwrap();
        let mut world = Self {
            exchange,
            dice: Dice::seeded(seed),
            gusd,
            collateral,
            contracts: contracts.to_vec(),
            traders: Vec::new(),
            fund,
            nonce: 0,
            orders: BTreeMap::new(),
            money: BTreeMap::new(),
            quantities: BTreeMap::new(),
            judge: seed.is_multiple_of(4).then(PerpJudge::default),
            counts: Counts::default(),
        };
        for number in 0..TRADERS {
            world.trader(number);
        }
        let insured = world.dice.pick(&[1, 500, 50_000]);
        world.insure(insured);
        for contract in 0..2 {
            world.pin(contract, 0);
        }
        world
    }

    fn trader(&mut self, number: usize) {
        let account = Account {
            group: Some(GroupId(0)),
            short_name: format!("perp-{number}"),
            kind: AccountKind::Derivatives,
            ..Account::house(self.exchange.stamp.time)
        };
        assert_eq!(self.exchange.own(Body::open_account(account)), Answer::Done);
        let account = AccountId::from_index(self.exchange.state.access().accounts().len() - 1);
        let session = self.exchange.key(&format!("perp-{number}"), account, Role::Trader);
        self.traders.push((account, session));
        self.credit(account, self.gusd, 20_000);
        if number < 3 {
            let [btc, usdt] = self.collateral;
            self.credit(account, btc, 1);
            self.credit(account, usdt, 3_000);
            self.set_risk(account, 10_000, true);
        }
    }

    fn set_risk(&mut self, account: AccountId, leverage: u16, cross: bool) {
        let leverage = Leverage::from_hundredths(leverage);
        let command = perp::Command::SetRisk(account, leverage, Some(cross));
        self.run(1, &Command { caller: None, body: command.into() });
    }

    fn credit(&mut self, account: AccountId, currency: CurrencyId, amount: i128) {
        let body = Body::credit(account, vec![(currency, dollars(amount))]);
        if currency == self.gusd {
            *self.money.entry(account).or_default() += dollars(amount).units();
        }
        self.run(1, &Command { caller: None, body });
    }

    fn insure(&mut self, amount: i128) {
        self.credit(self.fund, self.gusd, amount);
    }

    /// Moves the index of a contract by at most this many per mille.
    fn pin(&mut self, contract: usize, most: u64) {
        let (base, symbol, ticks) = &mut self.contracts[contract];
        *ticks = (*ticks * (1_000 - most + self.dice.below(2 * most + 1)) / 1_000).clamp(10_000, 1_000_000);
        let grid = &self.exchange.state.symbol(*symbol).unwrap().grid;
        let price = grid.value(Money::ONE, Price::from_ticks(*ticks));
        let body = perp::Command::PinIndex(*base, Some(price)).into();
        self.run(1, &Command { caller: None, body });
    }

    fn place(&mut self) {
        let (account, session) = self.dice.pick(&self.traders);
        let (_, symbol, ticks) = self.dice.pick(&self.contracts);
        let side = self.dice.pick(&[Side::Buy, Side::Sell]);
        let place = Place::limit(
            symbol,
            side,
            Price::from_ticks(ticks * (995 + self.dice.below(11)) / 1_000),
            Qty::from_hundredths(100 * u128::from(7 + self.dice.below(60_000))),
        );
        self.nonce += 1;
        let caller = Caller { session, account: Some(account), nonce: nonce(self.nonce) };
        self.run(1, &Command { caller: Some(caller), body: TradingCommand::Place(place).into() });
    }

    /// Runs a command, then everything that is due.
    fn run(&mut self, micros: u64, command: &Command) {
        self.step(micros, command);
        self.run_due();
    }

    fn run_due(&mut self) {
        let mut steps = 0;
        loop {
            let now = self.exchange.stamp.time;
            let is_due = |due: &Due<Body>| due.rank == Rank::FollowUp || due.time <= now;
            let Some(due) = self.exchange.state.next_due().filter(is_due) else { return };
            let follows = due.rank == Rank::FollowUp;
            assert_eq!(follows, self.exchange.state.has_follow_up());
            self.step(0, &Command { caller: None, body: due.command });
            steps += 1;
            assert!(steps < 10_000, "liquidations end");
        }
    }

    /// Lets time pass, with everything that falls due at its own time.
    fn pass(&mut self, to: Time) {
        while let Some(due) = self.exchange.state.next_due().filter(|due| due.time <= to) {
            let wait = due.time.0.saturating_sub(self.exchange.stamp.time.0);
            self.step(wait, &Command { caller: None, body: due.command });
        }
    }

    fn step(&mut self, micros: u64, command: &Command) {
        let before = self.exchange.state.clone();
        let id = before.next_id();
        if let (Body::Trading(TradingCommand::Place(place)), Some(caller)) = (&command.body, &command.caller)
        {
            self.orders.insert(id, (caller.account.unwrap(), place.symbol, place.side));
        }
        let answer = self.exchange.submit(micros, command);
        if command.caller.is_none() {
            assert_eq!(answer, Answer::Done, "{command:?}");
        }
        let judged = self.judge.as_mut().map_or(Ok(()), |judge| judge.note(&self.exchange, command));
        if let Err(finding) = judged {
            panic!("{finding}\nafter {command:?}");
        }
        let events = std::mem::take(&mut self.exchange.of.perps);
        for event in &events {
            self.note(&before, event, id);
        }
        self.note_fills(id, &before);
        self.check(&before);
    }

    /// Adds the events of the desk to the sums.
    fn note(&mut self, before: &State, event: &Infrequent, id: u64) {
        match event {
            Infrequent::MarksTaken(_, due, _) => {
                self.counts.queued += u32::try_from(due.len()).unwrap();
                self.check_queue(due);
            }
            Infrequent::FundingPaid(paid) => {
                let sum: i128 = paid.payments.iter().map(|payment| payment.amount.units()).sum();
                assert_eq!(sum, 0, "what some pay, others receive");
                for payment in &paid.payments {
                    *self.money.entry(payment.account).or_default() -= payment.amount.units();
                    let quantity = self.quantities[&(payment.account, payment.symbol)];
                    let amount = self.exchange.state.perps().funding_amount(payment.symbol).unwrap();
                    assert_eq!(amount.hour, paid.hour);
                    let exact = |round| Money::from_units(quantity).times(amount.amount, round).unwrap();
                    assert_eq!([exact(Round::Down), exact(Round::Up)], [payment.amount; 2]);
                    self.counts.payments += 1;
                }
            }
            Infrequent::RoundBegun(round) => {
                self.counts.rounds += 1;
                if let Some(part) = round.part {
                    let row = before.perps().row(round.account, part.symbol);
                    let side = if row.position.quantity.is_negative() { Side::Buy } else { Side::Sell };
                    // The order that the exchange places.
                    self.orders.insert(id, (round.account, part.symbol, side));
                    let sums = self.figures_in(before, round.account).sums;
                    let fund = round.account == self.fund;
                    // Before a full hour the fund is made flat, however much it has.
                    let is_flattened = fund && part.deleverages;
                    assert!(
                        is_flattened
                            || if fund {
                                sums.assets < Money::ZERO
                            } else {
                                sums.assets < sums.maintenance()
                            }
                    );
                }
            }
            Infrequent::OffBookTaken(taken) => self.note_taken(before, taken),
            Infrequent::LiquidationEnded(ended) => {
                for seized in &ended.seized {
                    self.counts.seized += 1;
                    *self.money.entry(self.fund).or_default() -= seized.repaid.units();
                    *self.money.entry(ended.account).or_default() += seized.repaid.units();
                }
                self.counts.covered += u32::from(ended.covered > Money::ZERO);
                *self.money.entry(self.fund).or_default() -= ended.covered.units();
                *self.money.entry(ended.account).or_default() += ended.covered.units();
                let owed = self.exchange.state.perps().owed(ended.account, self.gusd);
                self.counts.written_off += u32::from(owed > Money::ZERO);
            }
            Infrequent::IndexPinned(..)
            | Infrequent::FeedPriced(_)
            | Infrequent::RiskSet(..)
            | Infrequent::FundingCut(_)
            | Infrequent::FundOffers(_)
            | Infrequent::FundFlattened(_)
            | Infrequent::FundingSet(_)
            | Infrequent::CollateralSet(_)
            | Infrequent::Resumed(_) => {}
            Infrequent::FundOffered(symbol) => {
                let quantity = before.perps().row(self.fund, *symbol).position.quantity;
                let side = if quantity.is_negative() { Side::Buy } else { Side::Sell };
                self.orders.insert(id, (self.fund, *symbol, side));
            }
        }
    }

    fn note_taken(&mut self, before: &State, taken: &perp::off_book::Taken) {
        *self.money.entry(taken.account).or_default() -= taken.fee.units();
        *self.money.entry(self.fund).or_default() += taken.fee.units();
        let grid = self.exchange.state.symbol(taken.symbol).unwrap().grid.clone();
        let mark = before.perps().contract(taken.symbol).unwrap().mark;
        let sign = if taken.side == Side::Buy { 1 } else { -1 };
        if taken.kind == perp::off_book::Kind::Deleveraged {
            let ranked = self.ranked(before, taken);
            let others: Vec<AccountId> = taken.trades.iter().map(|trade| trade.account).collect();
            assert_eq!(others, ranked[..others.len()], "the deleveraging order");
        }
        for trade in &taken.trades {
            let base = grid.base(trade.qty).unwrap();
            let value = base.times(trade.price, Round::Down).unwrap().units();
            assert_eq!(value, base.times(trade.price, Round::Up).unwrap().units(), "a value is exact");
            for (account, sign) in [(taken.account, sign), (trade.account, -sign)] {
                *self.quantities.entry((account, taken.symbol)).or_default() += sign * base.units();
                *self.money.entry(account).or_default() -= sign * value;
            }
            if taken.kind == perp::off_book::Kind::TakenOver {
                self.counts.taken_over += 1;
                assert_eq!(trade.account, self.fund);
                assert!(self.fund_assets() >= Money::ZERO, "the fund stays at zero or above");
                continue;
            }
            self.counts.deleveraged += 1;
            self.counts.fund_deleveraged += u32::from(taken.account == self.fund);
            let row = before.perps().row(trade.account, taken.symbol);
            let quantity = row.position.quantity.units();
            assert!(quantity.signum() == sign && base.units() <= quantity.abs(), "no position is flipped");
            // It pays at most its unrealised profit, and without profit it closes at the mark or better.
            let gained = -sign * (mark.units() - trade.price.units());
            let profit = row.position.unrealised(mark).unwrap().units().max(0);
            let lost = Money::from_units(gained).times(base, Round::Cut).unwrap().units();
            assert!(-lost <= profit || gained >= 0, "{taken:?} {row:?} {mark:?}");
        }
    }

    /// The accounts with positions against the one that is closed, in deleveraging order, with fractions of any length.
    fn ranked(&self, before: &State, taken: &perp::off_book::Taken) -> Vec<AccountId> {
        let exact = |money: Money| Ratio::new(BigInt::from(money.units()), BigInt::from(Money::ONE.units()));
        let zero = exact(Money::ZERO);
        let mark = exact(before.perps().contract(taken.symbol).unwrap().mark);
        let mut ranked = Vec::new();
        for row in before.perps().rows() {
            let quantity = row.position.quantity;
            let is_opposite = !row.position.is_flat() && quantity.is_negative() == (taken.side == Side::Sell);
            if row.symbol != taken.symbol || row.account == taken.account || !is_opposite {
                continue;
            }
            let (quantity, cost) = (exact(quantity), exact(row.position.cost));
            let assets = exact(self.figures_in(before, row.account).sums.assets);
            let profit = &quantity * &mark - &cost;
            let (class, score) = if profit <= zero {
                (2, BigInt::ZERO)
            } else if assets <= zero {
                (1, BigInt::ZERO)
            } else {
                let score = (profit / &cost) * (quantity * &mark / assets);
                (0, -(score * BigInt::from(1_000_000_000)).floor().to_integer())
            };
            ranked.push((row.account == self.fund, class, score, row.account));
        }
        ranked.sort();
        ranked.into_iter().map(|(.., account)| account).collect()
    }

    /// After marks, the accounts below maintenance are in the queue, and no others but those without positions whose collateral covers what
    /// they owe by less than a twentieth.
    fn check_queue(&self, due: &[AccountId]) {
        let state = &self.exchange.state;
        for (account, _) in &self.traders {
            let sums = self.figures_in(state, *account).sums;
            let is_low = sums.positions > Money::ZERO && sums.assets < sums.maintenance();
            let is_queued = state.perps().liquidations().contains(*account);
            assert!(is_queued || !is_low, "{account:?} is below maintenance");
            let owed = state.perps().owed(*account, self.gusd);
            let is_stranded = sums.positions == Money::ZERO
                && owed > Money::ZERO
                && sums.assets.units() * 20 < owed.units();
            assert!(is_low || is_stranded || !due.contains(account), "{account:?} is not");
        }
    }

    fn figures_in(&self, state: &State, account: AccountId) -> Figures {
        let (_, id, _) = self.contracts[0];
        Figures::of(
            state.perps(),
            state.ledger(),
            state.indices().latest(),
            account,
            (id, state.symbol(id).unwrap()),
        )
        .unwrap()
    }

    fn fund_assets(&self) -> Money {
        self.figures_in(&self.exchange.state, self.fund).sums.assets
    }

    fn note_fills(&mut self, taker: u64, before: &State) {
        for happening in self.exchange.happened.clone() {
            self.counts.cancelled +=
                u32::from(matches!(happening, Happening::Cancelled(_, CancelReason::TradingClosed)));
            let Happening::Filled { maker, price, qty, maker_fee, taker_fee, .. } = happening else {
                continue;
            };
            for (order, fee) in [(maker, maker_fee), (taker, taker_fee)] {
                let (account, symbol, side) = self.orders[&order];
                let grid = &before.symbol(symbol).unwrap().grid;
                let sign = if side == Side::Buy { 1 } else { -1 };
                let base = grid.base(qty).unwrap().units() * sign;
                let value = grid.notional(price, qty).unwrap().units() * sign;
                *self.quantities.entry((account, symbol)).or_default() += base;
                *self.money.entry(account).or_default() -= value + fee.units();
                if before.perps().liquidations().round().is_some_and(|round| round.account == account) {
                    self.counts.filled += 1;
                }
            }
        }
    }

    /// Checks every law, and that money and positions are those of the events.
    fn check(&self, before: &State) {
        let state = &self.exchange.state;
        assert_eq!(state.broken_law(), None);
        let accounts = self.traders.iter().map(|(account, _)| *account).chain([self.fund]);
        let mut owed_in_all = Money::ZERO;
        for account in accounts {
            let mut cost = 0;
            for row in state.perps().rows_of(account) {
                let expected = self.quantities.get(&(account, row.symbol)).copied().unwrap_or_default();
                assert_eq!(row.position.quantity.units(), expected, "{account:?}");
                cost += row.position.cost.units();
            }
            let money = state.ledger().balance(account, self.gusd).total();
            let owed = state.perps().owed(account, self.gusd);
            owed_in_all += owed;
            let expected = self.money.get(&account).copied().unwrap_or_default() + cost;
            assert_eq!((money - owed).units(), expected, "{account:?}");
            assert!(money == Money::ZERO || owed == Money::ZERO, "what comes in repays first");
        }
        let lending = state.ledger().house("lending").unwrap();
        assert_eq!(state.ledger().balance(lending, self.gusd).available, -owed_in_all);
        // No position that a liquidation reduces is flipped or grows.
        if let Some(round) = before.perps().liquidations().round() {
            for row in before.perps().rows_of(round.account) {
                let (old, new) =
                    (row.position.quantity.units(), state.perps().row(round.account, row.symbol));
                let new = new.position.quantity.units();
                assert!(new.abs() <= old.abs() && new.signum() * old.signum() >= 0);
            }
        }
    }
}

/// Everything that a liquidation can come to, with the laws after every command, and the same state from a replay and from a snapshot.
/// Proves PERP-018, PERP-027, PERP-028, PERP-029.
#[test]
fn liquidations_conserve_money_and_flip_nothing() {
    let mut all = Vec::new();
    for seed in 0..80 {
        let mut world = World::new(seed);
        for step in 0..500 {
            match world.dice.below(40) {
                0..2 => {
                    let contract = usize::try_from(world.dice.below(2)).unwrap();
                    let most = world.dice.pick(&[5, 20, 80, 300]);
                    world.pin(contract, most);
                }
                2 => {
                    let hours = 1 + world.dice.below(2);
                    let to = world.exchange.stamp.time.plus(hours * 3_600 * Time::SECOND);
                    world.pass(to);
                }
                3 => {
                    let (account, _) = world.dice.pick(&world.traders.clone());
                    world.credit(account, world.gusd, 5_000);
                }
                4 if world.dice.once_in(4) => {
                    let insured = world.dice.pick(&[500, 20_000]);
                    world.insure(insured);
                }
                _ => world.place(),
            }
            if step % 100 == 0 {
                let stored = world.exchange.stored();
                assert!(stored == world.exchange.state, "a snapshot holds the state");
                world.exchange.state = stored;
            }
        }
        let mut again = Exchange::blank();
        for frame in world.exchange.journal.clone().unwrap() {
            again.replay(&frame);
        }
        assert_eq!(world.exchange.difference(&again), None);
        all.push(world.counts);
    }
    let sum = |count: fn(&Counts) -> u32| all.iter().map(count).sum::<u32>();
    let counts: [fn(&Counts) -> u32; 11] = [
        |counts| counts.queued,
        |counts| counts.rounds,
        |counts| counts.filled,
        |counts| counts.taken_over,
        |counts| counts.deleveraged,
        |counts| counts.fund_deleveraged,
        |counts| counts.seized,
        |counts| counts.covered,
        |counts| counts.written_off,
        |counts| counts.payments,
        |counts| counts.cancelled,
    ];
    assert!(counts.into_iter().all(|count| sum(count) > 0), "{all:?}");
}
