//! Perpetuals of the core against the naive model: every figure of every account from the list of all fills, after every command.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what a test cannot do, fails it")]

use buttonwood_engine::perp::{Command as PerpCommand, Figures, Leverage};
use buttonwood_engine::{
    Account, AccountKind, Answer, Body, Command, FeeSchedule, Outcome, Place, TradingAnswer, TradingCommand,
};
use buttonwood_model::{
    AccountId, CurrencyId, GroupId, Product, Role, SessionId, Side, Symbol, SymbolId, SymbolStatus,
};
use buttonwood_num::{Decimal, Grid, Money, Price, Qty};
use buttonwood_oracle::{
    Dice, Exchange, Happening, PerpFigures, PerpFill, PerpMarket, caller, perp_average, perp_figures,
    perp_quantity,
};
use std::collections::HashMap;

/// The first balance of each account, in dollars.
const START: i128 = 100_000;

/// Two contracts, each with its price in ticks and what it costs, and four accounts.
struct Market {
    exchange: Exchange,
    contracts: Vec<(SymbolId, CurrencyId, u64)>,
    members: Vec<(AccountId, SessionId)>,
    leverage: HashMap<AccountId, u16>,
    /// The account of each order, and its side.
    owners: HashMap<u64, (AccountId, Side)>,
    fills: Vec<PerpFill>,
}

fn dollars(whole: i128) -> Money {
    Money::from_units(whole * Money::ONE.units())
}

impl Market {
    fn open() -> Self {
        let mut exchange = Exchange::open(FeeSchedule::default(), None);
        let gusd = exchange.find_currency("GUSD");
        let contracts = [("BTC", "0.0001", "0.5", 100_000), ("ETH", "0.001", "0.05", 40_000)];
        let contracts = contracts
            .map(|(base, lot, tick, ticks)| {
                let (id, base) = list(&mut exchange, [base, "GUSD"], lot, tick);
                (id, base, ticks)
            })
            .to_vec();
        let members = (0..4).map(|number| {
            let account = open_account(&mut exchange, &format!("perp{number}"));
            let credit = Body::credit(account, vec![(gusd, dollars(START))]);
            assert_eq!(exchange.own(credit), Outcome::Done);
            (account, exchange.key(&format!("key{number}"), account, Role::Trader))
        });
        let members = members.collect();
        let (leverage, owners) = (HashMap::new(), HashMap::new());
        Self { exchange, contracts, members, leverage, owners, fills: Vec::new() }
    }

    fn tick(&self, symbol: SymbolId) -> Money {
        self.exchange.state.symbols()[symbol.index()].grid.value(Money::ONE, Price::from_ticks(1))
    }

    fn pin_to(&mut self, contract: usize, ticks: u64) {
        let (symbol, base, _) = self.contracts[contract];
        let price = Money::from_units(i128::from(ticks) * self.tick(symbol).units());
        let answer = self.exchange.own(Body::Perp(PerpCommand::PinIndex(base, Some(price))));
        assert_eq!(answer, Outcome::Done);
    }

    /// Pins both indices to the first prices.
    fn pin_all(&mut self) {
        for contract in 0..2 {
            self.pin_to(contract, self.contracts[contract].2);
        }
    }

    /// Moves an index by up to 1 % of the first price.
    fn pin(&mut self, dice: &mut Dice) {
        let contract = usize::from(dice.below(2) == 1);
        let ticks = self.contracts[contract].2;
        self.pin_to(contract, ticks - ticks / 100 + dice.below(ticks / 50));
    }

    fn limit(&mut self, dice: &mut Dice) {
        let (account, _) = self.members[usize::try_from(dice.below(4)).unwrap()];
        let hundredths = [100, 500, 1_050, 3_333, 10_000][usize::try_from(dice.below(5)).unwrap()];
        let leverage = Leverage::from_hundredths(hundredths);
        let body = Body::Perp(PerpCommand::SetRisk(account, leverage, None));
        assert_eq!(self.exchange.own(body), Outcome::Done);
        self.leverage.insert(account, hundredths);
    }

    /// An order within 0.2 % of the first price.
    fn deal(&mut self, number: u64, dice: &mut Dice) {
        let member = usize::try_from(dice.below(4)).unwrap();
        let contract = usize::from(dice.below(2) == 1);
        let side = if dice.below(2) == 0 { Side::Buy } else { Side::Sell };
        let ticks = self.contracts[contract].2;
        let price = ticks - ticks / 500 + dice.below(ticks / 250);
        self.place(number, [member, contract], side, [price, 1 + dice.below(9_000)]);
    }

    fn place(&mut self, number: u64, [member, contract]: [usize; 2], side: Side, [ticks, lots]: [u64; 2]) {
        let (account, session) = self.members[member];
        let symbol = self.contracts[contract].0;
        let place = Place::limit(
            symbol,
            side,
            Price::from_ticks(ticks),
            Qty::from_hundredths(u128::from(100 * lots)),
        );
        let body = Body::Trading(TradingCommand::Place(place));
        let command = Command { caller: Some(caller(session, account, number)), body };
        let Answer::Trading(TradingAnswer::Order(order)) = self.exchange.submit(1, &command) else { return };
        self.owners.insert(order.id.0, (account, side));
        self.note_fills(symbol, order.id.0);
    }

    fn note_fills(&mut self, symbol: SymbolId, taker: u64) {
        let grid = &self.exchange.state.symbols()[symbol.index()].grid;
        for happening in &self.exchange.happened {
            let Happening::Filled { maker, price, qty, maker_fee, taker_fee, .. } = *happening else {
                continue;
            };
            let (base, price) = (grid.base(qty).unwrap(), grid.value(Money::ONE, price));
            for (order, fee) in [(maker, maker_fee), (taker, taker_fee)] {
                let (account, side) = self.owners[&order];
                let quantity = if side == Side::Buy { base } else { -base };
                self.fills.push(PerpFill { account, symbol, quantity, price, fee });
            }
        }
    }

    fn compare(&self) {
        for (account, _) in &self.members {
            self.compare_account(*account);
        }
    }

    fn compare_account(&self, account: AccountId) {
        let state = &self.exchange.state;
        let perps = state.perps();
        let markets = self.contracts.iter().filter_map(|(symbol, ..)| {
            let mark = perps.contract(*symbol)?.mark;
            let live = [Side::Buy, Side::Sell].map(|side| self.live(account, *symbol, side));
            Some(PerpMarket { symbol: *symbol, mark, live })
        });
        let markets: Vec<PerpMarket> = markets.collect();
        let leverage = self.leverage.get(&account).copied().unwrap_or(10_000);
        let naive = perp_figures(&self.fills, &markets, (account, dollars(START), leverage));
        for (symbol, ..) in &self.contracts {
            let listed = &state.symbols()[symbol.index()];
            let Figures { sums, .. } =
                Figures::of(perps, state.ledger(), state.indices().latest(), account, (*symbol, listed))
                    .unwrap();
            let core = PerpFigures {
                assets: sums.assets,
                positions: sums.positions,
                reserved: [sums.buys, sums.sells],
                notional: sums.notional,
                maintenance: sums.maintenance(),
                leverage: sums.leverage(),
            };
            assert_eq!(core, naive, "{account:?} after {} fills", self.fills.len());
            self.compare_position(account, *symbol);
        }
    }

    /// A partial close rounds the cost by less than a unit; a fill adds no more than that.
    fn compare_position(&self, account: AccountId, symbol: SymbolId) {
        let position = self.exchange.state.perps().row(account, symbol).position;
        assert_eq!(position.quantity, perp_quantity(&self.fills, account, symbol));
        let average = perp_average(&self.fills, account, symbol);
        assert_eq!(average.is_none(), position.is_flat());
        if let Some(average) = average {
            let units = |amount: Money| num_rational::BigRational::from_integer(amount.units().into());
            let away = units(position.quantity) * average - units(position.cost);
            let bound = units(Money::from_units(i128::try_from(self.fills.len()).unwrap()));
            assert!(away <= bound && away >= -bound, "{position:?}");
        }
    }

    fn live(&self, account: AccountId, symbol: SymbolId, side: Side) -> Money {
        let grid = &self.exchange.state.symbols()[symbol.index()].grid;
        let orders = self.exchange.orders_of(account);
        let live = orders.filter(|order| (order.symbol, order.side) == (symbol, side));
        live.map(|order| grid.base(order.remaining).unwrap()).sum()
    }
}

fn list(exchange: &mut Exchange, pair: [&str; 2], lot: &str, tick: &str) -> (SymbolId, CurrencyId) {
    let [base, quote] = pair.map(|code| exchange.find_currency(code));
    let [lot, tick] = [lot, tick].map(|text| Decimal::parse(text.as_bytes()).unwrap());
    let grid = Grid::new(tick, lot).unwrap();
    let symbol = Symbol {
        name: format!("{}perp", pair.concat().to_lowercase()),
        base,
        quote,
        qty_min: grid.qty(lot).unwrap(),
        grid,
        product: Product::Swap,
        status: SymbolStatus::Open,
        wrap_enabled: false,
        closed_to: Vec::new(),
    };
    assert_eq!(exchange.own(Body::list_symbol(symbol)), Outcome::Done);
    (SymbolId::from_index(exchange.state.symbols().len() - 1), base)
}

fn open_account(exchange: &mut Exchange, name: &str) -> AccountId {
    assert_eq!(exchange.own(Body::add_group(name.into())), Outcome::Done);
    let account = Account {
        group: Some(GroupId::from_index(exchange.state.access().groups().len() - 1)),
        short_name: name.into(),
        counterparty_id: String::new(),
        jurisdiction: String::new(),
        broker: false,
        opened: exchange.stamp.time,
        kind: AccountKind::Derivatives,
        display_name: String::new(),
    };
    assert_eq!(exchange.own(Body::open_account(account)), Outcome::Done);
    AccountId::from_index(exchange.state.access().accounts().len() - 1)
}

/// Orders, indices and caps at random: the core's figures are those of the naive model. Proves PERP-003, PERP-004 and PERP-009.
#[test]
fn figures_follow_from_the_list_of_fills() {
    let (mut fills, mut realised) = (0, 0);
    for seed in 0..4 {
        let (mut market, mut dice) = (Market::open(), Dice::seeded(seed));
        market.pin_all();
        for number in 1..200 {
            match dice.below(20) {
                0 => market.limit(&mut dice),
                1 | 2 => market.pin(&mut dice),
                _ => market.deal(number, &mut dice),
            }
            market.compare();
        }
        fills += market.fills.len();
        let rows = market.exchange.state.perps().rows();
        realised += rows.iter().filter(|row| row.position.realised != Money::ZERO).count();
    }
    assert!(fills > 200 && realised > 5, "{fills} {realised}");
}

/// An account with cross collateral in BTC and a position in ETH has a liquidation price in BTC: 100 ETH bought at 2,000 for a
/// fee of 800 lose 99,950 at a mark of 1,000.5, maintenance is 500.25, and 0.9 BTC must be worth the 1,250.25 that are missing.
/// Proves PERP-030.
#[test]
fn collateral_alone_has_a_liquidation_price() {
    let mut market = Market::open();
    market.pin_all();
    let (btc, base, _) = market.contracts[0];
    let (account, _) = market.members[0];
    let credit = Body::credit(account, vec![(base, dollars(1))]);
    assert_eq!(market.exchange.own(credit), Outcome::Done);
    let cross = Body::Perp(PerpCommand::SetRisk(account, None, Some(true)));
    assert_eq!(market.exchange.own(cross), Outcome::Done);
    let price = |market: &Market| {
        let state = &market.exchange.state;
        let listed = &state.symbols()[btc.index()];
        let figures =
            Figures::of(state.perps(), state.ledger(), state.indices().latest(), account, (btc, listed))
                .unwrap();
        figures.estimated_liquidation_price
    };
    market.place(1, [1, 1], Side::Sell, [40_000, 100_000]);
    market.place(1, [0, 1], Side::Buy, [40_000, 100_000]);
    assert_eq!((market.fills.len(), price(&market)), (2, Money::ZERO));
    market.pin_to(1, 20_000);
    let fee = market.fills.iter().find(|fill| fill.account == account).unwrap().fee;
    assert_eq!(fee, dollars(800));
    // 1,389.1666… and up to the price step.
    assert_eq!(price(&market), Money::from_units(13_895 * Money::ONE.units() / 10));
}
