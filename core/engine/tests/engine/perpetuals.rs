//! Random trading of perpetuals: the laws after every command, money recomputed from the list of fills, replay and snapshots.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what a test cannot do, fails it")]

use buttonwood_engine::perp::{self, Figures, Leverage};
use buttonwood_engine::{
    Account, AccountKind, Answer, Body, Caller, Command, FeeSchedule, Place, TradingCommand,
};
use buttonwood_model::{
    AccountId, CurrencyId, ExecutionOption, GroupId, OrderKind, Product, Role, SessionId, Side, Symbol,
    SymbolId, SymbolStatus,
};
use buttonwood_num::{Bps, Decimal, Grid, Money, Price, Qty};
use buttonwood_oracle::{Dice, Exchange, Happening, nonce};
use std::collections::BTreeMap;

const TRADERS: usize = 5;
/// The first balance of each of them.
const START: i128 = 20_000;

/// An exchange with two perpetuals, and what the test knows of it.
struct World {
    exchange: Exchange,
    dice: Dice,
    gusd: CurrencyId,
    /// The base currencies, their perpetuals and a price in ticks.
    contracts: Vec<(CurrencyId, SymbolId, u64)>,
    traders: Vec<(AccountId, SessionId)>,
    nonce: u64,
    /// Account, symbol and side of every order.
    orders: BTreeMap<u64, (AccountId, SymbolId, Side)>,
    /// The sum of the signed quantities, and of the signed values and the fees, of all fills.
    quantities: BTreeMap<(AccountId, SymbolId), i128>,
    paid: BTreeMap<AccountId, i128>,
    credited: BTreeMap<AccountId, i128>,
}

fn dollars(amount: i128) -> Money {
    Money::from_units(amount * 10_i128.pow(19))
}

impl World {
    fn new(seed: u64) -> Self {
        let fees = FeeSchedule { maker: Bps(2), taker: Bps(5), auction: Bps(2) };
        let mut exchange = Exchange::open(fees, Some(Vec::new()));
        let gusd = exchange.find_currency("GUSD");
        let mut contracts = Vec::new();
        for (code, lot, tick, ticks) in [("BTC", "0.0001", "0.5", 100_000), ("ETH", "0.001", "0.05", 40_000)]
        {
            let base = exchange.find_currency(code);
            let [lot, tick] = [lot, tick].map(|text| Decimal::parse(text.as_bytes()).unwrap());
            let grid = Grid::new(tick, lot).unwrap();
            let symbol = Symbol {
                name: format!("{code}gusdperp").to_lowercase(),
                base,
                quote: gusd,
                qty_min: grid.qty(lot).unwrap(),
                grid,
                product: Product::Swap,
                status: SymbolStatus::Open,
                wrap_enabled: false,
                closed_to: Vec::new(),
            };
            assert_eq!(exchange.own(Body::list_symbol(symbol)), Answer::Done);
            contracts.push((base, SymbolId::from_index(exchange.state.symbols().len() - 1), ticks));
        }
        assert_eq!(exchange.own(Body::add_group("perp".into())), Answer::Done);
        let mut world = Self {
            exchange,
            dice: Dice::seeded(seed),
            gusd,
            contracts,
            traders: Vec::new(),
            nonce: 0,
            orders: BTreeMap::new(),
            quantities: BTreeMap::new(),
            paid: BTreeMap::new(),
            credited: BTreeMap::new(),
        };
        for number in 0..TRADERS {
            world.trader(&format!("perp-{number}"));
        }
        for contract in 0..world.contracts.len() {
            world.pin(contract);
        }
        world
    }

    fn trader(&mut self, name: &str) {
        let account = Account {
            group: Some(GroupId(0)),
            short_name: name.into(),
            kind: AccountKind::Derivatives,
            ..Account::house(self.exchange.stamp.time)
        };
        assert_eq!(self.exchange.own(Body::open_account(account)), Answer::Done);
        let account = AccountId::from_index(self.exchange.state.access().accounts().len() - 1);
        let session = self.exchange.key(name, account, Role::Trader);
        self.traders.push((account, session));
        self.credit(account, START);
    }

    fn credit(&mut self, account: AccountId, amount: i128) {
        let body = Body::credit(account, vec![(self.gusd, dollars(amount))]);
        assert_eq!(self.exchange.own(body), Answer::Done);
        *self.credited.entry(account).or_default() += dollars(amount).units();
    }

    /// Moves the index of a contract, by at most 5 %.
    fn pin(&mut self, contract: usize) {
        let move_by = 950 + self.dice.below(101);
        let (base, symbol, ticks) = &mut self.contracts[contract];
        *ticks = (*ticks * move_by / 1_000).clamp(10_000, 1_000_000);
        let grid = &self.exchange.state.symbol(*symbol).unwrap().grid;
        let price = grid.value(Money::ONE, Price::from_ticks(*ticks));
        let command = perp::Command::PinIndex(*base, Some(price));
        assert_eq!(self.exchange.own(command.into()), Answer::Done);
    }

    /// A random order near the index.
    fn place(&mut self) {
        let (account, session) = self.dice.pick(&self.traders);
        let (_, symbol, ticks) = self.dice.pick(&self.contracts);
        let side = self.dice.pick(&[Side::Buy, Side::Sell]);
        let option = self.dice.pick(&[None, None, None, Some(ExecutionOption::ImmediateOrCancel)]);
        let is_market = self.dice.once_in(10);
        let price =
            Price::from_ticks(if is_market { 0 } else { ticks * (990 + self.dice.below(21)) / 1_000 });
        let place = Place {
            kind: if is_market { OrderKind::Market } else { OrderKind::Limit },
            option: option.filter(|_| !is_market),
            ..Place::limit(
                symbol,
                side,
                price,
                Qty::from_hundredths(100 * u128::from(1 + self.dice.below(100_000))),
            )
        };
        self.nonce += 1;
        let caller = Caller { session, account: Some(account), nonce: nonce(self.nonce) };
        let command = Command { caller: Some(caller), body: TradingCommand::Place(place).into() };
        let before: Vec<Figures> = self.figures();
        let id = self.exchange.state.next_id();
        self.orders.insert(id, (account, symbol, side));
        self.exchange.submit(1, &command);
        self.note_fills(id);
        // No fill takes an account below maintenance (D-43).
        for (old, new) in before.into_iter().zip(self.figures()) {
            let [old, new] = [old, new].map(|figures| figures.sums.excess().unwrap());
            assert!(old.is_negative() || !new.is_negative(), "{old:?} {new:?}");
        }
    }

    fn figures(&self) -> Vec<Figures> {
        let state = &self.exchange.state;
        let (_, id, _) = self.contracts[0];
        let of = |account| {
            Figures::of(
                state.perps(),
                state.ledger(),
                state.indices().latest(),
                account,
                (id, state.symbol(id).unwrap()),
            )
        };
        self.traders.iter().map(|(account, _)| of(*account).unwrap()).collect()
    }

    /// Adds the fills of an order to the sums.
    fn note_fills(&mut self, taker: u64) {
        for happening in self.exchange.happened.clone() {
            let Happening::Filled { maker, price, qty, maker_fee, taker_fee, .. } = happening else {
                continue;
            };
            for (order, fee) in [(maker, maker_fee), (taker, taker_fee)] {
                let (account, symbol, side) = self.orders[&order];
                let grid = &self.exchange.state.symbol(symbol).unwrap().grid;
                let sign = if side == Side::Buy { 1 } else { -1 };
                let base = grid.base(qty).unwrap().units() * sign;
                let value = grid.notional(price, qty).unwrap().units() * sign;
                *self.quantities.entry((account, symbol)).or_default() += base;
                *self.paid.entry(account).or_default() += value + fee.units();
            }
        }
    }

    /// Checks every law, and that money and positions are those of the fills.
    fn check(&self) {
        let state = &self.exchange.state;
        assert_eq!(state.broken_law(), None);
        for (account, _) in &self.traders {
            let mut cost = 0;
            for row in state.perps().rows_of(*account) {
                let expected = self.quantities.get(&(*account, row.symbol)).copied().unwrap_or_default();
                assert_eq!(row.position.quantity.units(), expected);
                cost += row.position.cost.units();
            }
            let [credited, paid] =
                [&self.credited, &self.paid].map(|sums| sums.get(account).copied().unwrap_or_default());
            let money = state.ledger().balance(*account, self.gusd).total();
            let owed = state.perps().owed(*account, self.gusd);
            assert_eq!((money - owed).units(), credited - paid + cost, "{account:?}");
            assert!(money == Money::ZERO || owed == Money::ZERO, "what comes in repays first");
        }
        let lending = state.ledger().house("lending").unwrap();
        let lent = state.ledger().balance(lending, self.gusd).available;
        let owed: Money = self.traders.iter().map(|(owner, _)| state.perps().owed(*owner, self.gusd)).sum();
        assert_eq!(lent, -owed);
    }
}

/// Orders, pins, credits and settings at random: every law holds after each command, money is that of the fills, and a replay and a
/// snapshot lead to the same state. Proves PERP-009.
#[test]
fn positions_and_money_are_those_of_the_fills() {
    let (mut fills, mut loans) = (0, 0);
    for seed in 0..4 {
        let mut world = World::new(seed);
        for step in 0..600 {
            let (account, session) = world.dice.pick(&world.traders.clone());
            match world.dice.below(20) {
                0 => {
                    let contract = usize::try_from(world.dice.below(2)).unwrap();
                    world.pin(contract);
                }
                1 => {
                    let leverage =
                        Leverage::from_hundredths(100 + u16::try_from(world.dice.below(9_901)).unwrap());
                    let command = perp::Command::SetRisk(account, leverage, Some(world.dice.once_in(2)));
                    assert_eq!(world.exchange.own(command.into()), Answer::Done);
                }
                2 => {
                    world.nonce += 1;
                    let caller = Caller { session, account: Some(account), nonce: nonce(world.nonce) };
                    let body = TradingCommand::CancelAll.into();
                    world.exchange.submit(1, &Command { caller: Some(caller), body });
                }
                3 if world.dice.once_in(10) => world.credit(account, 1_000),
                _ => world.place(),
            }
            world.check();
            fills = world.paid.len().max(fills);
            loans += u32::from(!world.exchange.state.perps().loans().is_empty());
            if step % 100 == 0 {
                let stored = world.exchange.stored();
                assert!(stored == world.exchange.state, "a snapshot holds the state");
                // Money that comes in later repays loans of the restored state too.
                world.exchange.state = stored;
            }
        }
        let mut again = Exchange::blank();
        for frame in world.exchange.journal.clone().unwrap() {
            again.replay(&frame);
        }
        assert_eq!(world.exchange.difference(&again), None);
    }
    assert!(fills == TRADERS && loans > 0, "{fills} accounts traded, and {loans} times one owed");
}
