//! A judge of perpetuals: it follows an exchange command by command, keeps lists of what it saw, and computes from them what the
//! exchange's desk must do next: marks, funding, who is liquidated, which part of which position, at which price, and who takes it.
//!
//! Its figures come from the naive model and from its own sums. Live orders and the best prices of books it reads from the core,
//! whose orders the naive exchange judges elsewhere. Indices are pinned in its worlds.

mod forced;
mod insurance;
mod prices;
mod turns;

use crate::exchange::{Exchange, Happening};
use crate::naive::{
    PerpFigures, PerpFill, PerpMarket, PerpPremiums, perp_average, perp_collateral, perp_figures,
};
use buttonwood_engine::perp::funding::Terms;
use buttonwood_engine::perp::{Infrequent, Leverage};
use buttonwood_engine::{Body, Command, TradingCommand};
use buttonwood_model::{AccountId, CurrencyId, Side, SymbolId, Time};
use buttonwood_num::{Money, Round};
use num_bigint::BigInt;
use num_rational::BigRational;
use std::collections::{BTreeMap, VecDeque};

/// How often each thing happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerpCounts {
    /// Accounts that fell below maintenance.
    pub queued: u64,
    /// Parts of positions that were to be closed.
    pub rounds: u64,
    /// Fills of forced orders on the book.
    pub filled: u64,
    /// Positions that the fund took over.
    pub taken_over: u64,
    /// Positions that were deleveraged.
    pub deleveraged: u64,
    /// The same against the fund.
    pub fund_deleveraged: u64,
    /// Collateral that the fund took.
    pub seized: u64,
    /// Debts that the fund paid.
    pub covered: u64,
    /// Debts that stayed.
    pub written_off: u64,
    /// Payments of funding.
    pub payments: u64,
}

impl PerpCounts {
    /// Adds the counts of another run.
    pub fn add(&mut self, other: &Self) {
        self.queued += other.queued;
        self.rounds += other.rounds;
        self.filled += other.filled;
        self.taken_over += other.taken_over;
        self.deleveraged += other.deleveraged;
        self.fund_deleveraged += other.fund_deleveraged;
        self.seized += other.seized;
        self.covered += other.covered;
        self.written_off += other.written_off;
        self.payments += other.payments;
    }

    /// All of them.
    pub fn all(&self) -> [u64; 10] {
        let Self { queued, rounds, filled, taken_over, deleveraged, .. } = *self;
        let Self { fund_deleveraged, seized, covered, written_off, payments, .. } = *self;
        [
            queued,
            rounds,
            filled,
            taken_over,
            deleveraged,
            fund_deleveraged,
            seized,
            covered,
            written_off,
            payments,
        ]
    }
}

/// A contract.
#[derive(Clone, Copy, Debug)]
struct Contract {
    base: CurrencyId,
    lot: Money,
    tick: Money,
    index: Money,
    mark: Money,
    is_fresh: bool,
}

/// A part of a position that is being closed.
#[derive(Clone, Copy, Debug)]
struct Part {
    account: AccountId,
    symbol: SymbolId,
    /// Of the account.
    side: Side,
    /// In the base currency.
    left: Money,
    price: Money,
    traded: Money,
    /// Whether the fund takes nothing of it any more.
    deleverages: bool,
}

/// The core's row of a position after the last command.
#[derive(Clone, Copy, Debug, Default)]
struct Before {
    cost: Money,
    live: [Money; 2],
}

/// The judge.
#[derive(Debug, Default)]
pub struct PerpJudge {
    gusd: CurrencyId,
    fund: AccountId,
    contracts: BTreeMap<SymbolId, Contract>,
    pins: BTreeMap<CurrencyId, Money>,
    /// Account, contract and side of every order.
    orders: BTreeMap<u64, (AccountId, SymbolId, Side)>,
    fills: BTreeMap<AccountId, Vec<PerpFill>>,
    /// The sums that each account paid in them, with fees.
    paid: BTreeMap<AccountId, Money>,
    quantities: BTreeMap<(AccountId, SymbolId), Money>,
    before: BTreeMap<(AccountId, SymbolId), Before>,
    /// Dollars that an account got other than by its fills.
    given: BTreeMap<AccountId, Money>,
    /// Its balances in other currencies.
    held: BTreeMap<(AccountId, CurrencyId), Money>,
    risks: BTreeMap<AccountId, (u16, bool)>,
    premiums: BTreeMap<SymbolId, PerpPremiums>,
    next_hour: Option<Time>,
    /// Payments of the hour that was cut.
    unpaid: BTreeMap<(AccountId, SymbolId), Money>,
    /// Whether the last step of the payments is still to come.
    is_paying: bool,
    queue: VecDeque<AccountId>,
    round: Option<Part>,
    /// The order by which the fund's position is sent to the book in the command that is judged.
    offered: Option<(SymbolId, Side)>,
    /// The full hour before which nothing more of the fund's positions could be closed.
    flattened: Option<Time>,
    /// Cap and depth of funding.
    terms: Terms,
    /// Whether the orders of the first account of the queue were cancelled.
    is_bare: bool,
    turns: turns::Turns,
    /// The counts of its findings.
    pub counts: PerpCounts,
}

fn size(amount: Money) -> Money {
    if amount.is_negative() { -amount } else { amount }
}

/// A product that needs no rounding.
fn product(one: Money, other: Money) -> Result<Money, String> {
    let exact = one.times(other, Round::Down).filter(|down| one.times(other, Round::Up) == Some(*down));
    exact.ok_or_else(|| format!("{one:?} x {other:?} is not exact"))
}

fn check<T: PartialEq + std::fmt::Debug>(what: &str, core: &T, naive: &T) -> Result<(), String> {
    if core == naive { Ok(()) } else { Err(format!("{what} is {core:?}\nexpected {naive:?}")) }
}

impl PerpJudge {
    /// Judges a command that was applied to the exchange.
    ///
    /// # Errors
    /// The first thing that should be otherwise.
    pub fn note(&mut self, exchange: &Exchange, command: &Command) -> Result<(), String> {
        self.learn(exchange);
        self.check_turn(exchange, command)?;
        self.offered = None;
        for event in &exchange.of.perps {
            self.note_event(exchange, event)?;
        }
        self.note_happened(exchange, command)?;
        self.compare(exchange)?;
        self.see_books(exchange);
        Ok(())
    }

    /// Notes symbols and houses that were added.
    fn learn(&mut self, exchange: &Exchange) {
        let state = &exchange.state;
        if let Some((gusd, fund)) = state.gusd().zip(state.ledger().house("insurance")) {
            (self.gusd, self.fund) = (gusd, fund);
        }
        for id in exchange.symbols().filter(|id| state.perps().contract(*id).is_some()) {
            let listed = &state.symbols()[id.index()];
            let [lot, tick] = [
                listed.grid.base(buttonwood_num::Qty::from_hundredths(100)).unwrap(),
                listed.grid.value(Money::ONE, buttonwood_num::Price::from_ticks(1)),
            ];
            let zero = Money::ZERO;
            let fresh = Contract { base: listed.base, lot, tick, index: zero, mark: zero, is_fresh: false };
            self.contracts.entry(id).or_insert(fresh);
        }
    }

    fn note_event(&mut self, exchange: &Exchange, event: &Infrequent) -> Result<(), String> {
        match event {
            Infrequent::IndexPinned(currency, price) => {
                match price {
                    Some(price) => self.pins.insert(*currency, *price),
                    None => self.pins.remove(currency),
                };
                Ok(())
            }
            Infrequent::MarksTaken(_, due, _) => self.note_marks(exchange, due),
            // The judge knows pinned indices only.
            Infrequent::FeedPriced(prices) => Err(format!("prices of the feed {}", prices.feed)),
            Infrequent::RiskSet(account, risk) => {
                self.risks.insert(*account, (risk.leverage.hundredths(), risk.cross_collateral));
                Ok(())
            }
            Infrequent::FundingCut(cut) => self.note_cut(exchange, cut),
            Infrequent::FundingPaid(paid) => self.note_paid(paid),
            Infrequent::Resumed(since) => {
                if self.turns.stopped_since(exchange.stamp.time) != Some(*since) {
                    return Err(format!("it did not stop at {since:?}"));
                }
                self.note_stop(*since, exchange.stamp.time);
                Ok(())
            }
            Infrequent::RoundBegun(round) => self.note_round(exchange, round),
            Infrequent::OffBookTaken(taken) => self.note_taken(exchange, taken),
            Infrequent::LiquidationEnded(ended) => self.note_end(exchange, ended),
            Infrequent::FundOffers(symbols) => self.note_offers(symbols),
            Infrequent::FundOffered(symbol) => self.note_offered(*symbol),
            Infrequent::FundFlattened(hour) => self.note_flattened(exchange, *hour),
            Infrequent::CollateralSet(_) => Err("the model knows the usual collateral alone".into()),
            Infrequent::FundingSet(terms) => {
                self.terms = *terms;
                Ok(())
            }
        }
    }

    fn note_happened(&mut self, exchange: &Exchange, command: &Command) -> Result<(), String> {
        let mut entering = None;
        let mut parties: BTreeMap<AccountId, (PerpFigures, SymbolId, Money)> = BTreeMap::new();
        for happening in &exchange.happened {
            if let Happening::Accepted(id) = *happening {
                entering = Some(self.note_order(command, id)?);
            } else if let Happening::Credited(account, currency, amount) = *happening {
                self.note_credit(account, currency, amount);
            } else if let Happening::Filled { maker, price, qty, maker_fee, taker_fee, .. } = *happening {
                let taker = entering.ok_or("a fill without an order")?;
                let maker = *self.orders.get(&maker).ok_or("a fill with an unknown order")?;
                let grid = &exchange.state.symbols()[maker.1.index()].grid;
                let [base, price] = [grid.base(qty).unwrap(), grid.value(Money::ONE, price)];
                self.note_forced(taker.0, [base, price, taker_fee])?;
                self.check_offered(taker.0, [base, price, taker_fee])?;
                for ((account, symbol, side), fee) in [(maker, maker_fee), (taker, taker_fee)] {
                    if command.caller.is_some() || account == maker.0 {
                        let (figures, held) =
                            (self.figures(account, exchange), self.quantity(account, symbol));
                        parties.entry(account).or_insert((figures, symbol, held));
                    }
                    let quantity = if side == Side::Buy { base } else { -base };
                    self.fill(PerpFill { account, symbol, quantity, price, fee })?;
                }
            }
        }
        for (account, before) in parties {
            self.check_party(exchange, account, before)?;
        }
        match (&command.body, &command.caller, entering) {
            (Body::Trading(TradingCommand::Place(_)), Some(_), Some(order)) => {
                self.check_admission(exchange, command, order)
            }
            _ => Ok(()),
        }
    }

    fn note_order(&mut self, command: &Command, id: u64) -> Result<(AccountId, SymbolId, Side), String> {
        let order = match (&command.body, &command.caller, self.round, self.offered) {
            (Body::Trading(TradingCommand::Place(place)), Some(caller), ..) => {
                (caller.account.ok_or("an order without an account")?, place.symbol, place.side)
            }
            (_, None, _, Some((symbol, side))) => (self.fund, symbol, side),
            (_, None, Some(part), None) => (part.account, part.symbol, part.side),
            _ => return Err(format!("order {id} of nobody")),
        };
        self.orders.insert(id, order);
        Ok(order)
    }

    fn note_credit(&mut self, account: AccountId, currency: CurrencyId, amount: Money) {
        if currency == self.gusd {
            self.give(account, amount);
        } else {
            *self.held.entry((account, currency)).or_default() += amount;
        }
    }

    fn give(&mut self, account: AccountId, amount: Money) {
        *self.given.entry(account).or_default() += amount;
    }

    fn quantity(&self, account: AccountId, symbol: SymbolId) -> Money {
        self.quantities.get(&(account, symbol)).copied().unwrap_or_default()
    }

    /// Adds a fill to the lists. No position of an account that is liquidated grows or is flipped.
    fn fill(&mut self, fill: PerpFill) -> Result<(), String> {
        let PerpFill { account, symbol, quantity, .. } = fill;
        let held = self.quantity(account, symbol);
        let after = held + quantity;
        let is_forced = self.round.is_some_and(|part| (part.account, part.symbol) == (account, symbol));
        if is_forced
            && (size(after) > size(held) || after != Money::ZERO && after.is_negative() != held.is_negative())
        {
            return Err(format!("a liquidation takes {account:?} from {held:?} to {after:?}"));
        }
        *self.paid.entry(account).or_default() += fill.fee + product(quantity, fill.price)?;
        self.quantities.insert((account, symbol), after);
        self.fills.entry(account).or_default().push(fill);
        Ok(())
    }

    /// A fill keeps its parties at maintenance, or it reduces and makes nothing worse (D-43).
    fn check_party(
        &self,
        exchange: &Exchange,
        account: AccountId,
        (before, symbol, held): (PerpFigures, SymbolId, Money),
    ) -> Result<(), String> {
        let after = self.figures(account, exchange);
        let now = self.quantity(account, symbol);
        let [had, has] = [before, after].map(|figures| figures.assets - figures.maintenance);
        let reduces =
            size(now) <= size(held) && (now == Money::ZERO || now.is_negative() == held.is_negative());
        let keeps = after.assets >= Money::ZERO || after.assets >= before.assets;
        if has >= Money::ZERO || reduces && keeps && has >= had {
            return Ok(());
        }
        Err(format!("a fill leaves {account:?} below maintenance: {before:?}\nthen {after:?}"))
    }

    /// An order that adds risk leaves available margin (PERP-005).
    fn check_admission(
        &self,
        exchange: &Exchange,
        command: &Command,
        (account, symbol, side): (AccountId, SymbolId, Side),
    ) -> Result<(), String> {
        let Body::Trading(TradingCommand::Place(place)) = &command.body else { return Ok(()) };
        let figures = self.figures(account, exchange);
        let reserved: Money = figures.reserved.into_iter().sum();
        // An order that neither traded nor rests has added nothing.
        let adds = |what: &Happening| matches!(what, Happening::Filled { .. } | Happening::Booked(_));
        if figures.assets >= figures.positions + reserved || !exchange.happened.iter().any(adds) {
            return Ok(());
        }
        let grid = &exchange.state.symbols()[symbol.index()].grid;
        let whole = grid.base(place.qty).unwrap();
        let own = self.fills.get(&account).map(Vec::as_slice).unwrap_or_default();
        let before = self.before.get(&(account, symbol)).copied().unwrap_or_default();
        let [buys, sells] = before.live;
        // Its fills in this command are not in the position that it met.
        let filled: Money = own
            .iter()
            .rev()
            .zip(exchange.happened.iter().filter(|happening| matches!(happening, Happening::Filled { .. })))
            .map(|(fill, _)| fill.quantity)
            .sum();
        let held = self.quantity(account, symbol) - filled;
        let (live, opposite) = if side == Side::Buy { (buys, -held) } else { (sells, held) };
        if whole + live <= opposite {
            return Ok(());
        }
        // An order that trades at once and only makes the position smaller passes, whatever rests (D-173).
        let traded = if side == Side::Buy { filled } else { -filled };
        let rests = exchange.happened.iter().any(|what| matches!(what, Happening::Booked(_)));
        if !rests && traded <= opposite {
            return Ok(());
        }
        Err(format!(
            "an order of {account:?} adds risk without margin: {figures:?}, {whole:?} + {live:?} of {opposite:?}"
        ))
    }

    /// The account's figures at the marks, from what it holds, what it paid for it, and what it was given.
    fn figures(&self, account: AccountId, exchange: &Exchange) -> PerpFigures {
        let (mut held, mut markets) = (Vec::new(), Vec::new());
        for row in exchange.state.perps().rows_of(account) {
            let Some(contract) = self.contracts.get(&row.symbol) else { continue };
            let quantity = self.quantity(account, row.symbol);
            // Its payment is counted apart.
            let (symbol, price, fee) = (row.symbol, Money::ZERO, Money::ZERO);
            held.push(PerpFill { account, symbol, quantity, price, fee });
            markets.push(PerpMarket { symbol, mark: contract.mark, live: row.live });
        }
        let collateral = self.collateral(account, exchange).into_iter();
        let collateral: Money = collateral.map(|(_, percent, worth)| perp_collateral(worth, percent)).sum();
        let money = self.money(account) + collateral;
        perp_figures(&held, &markets, (account, money, self.risk(account).0))
    }

    fn risk(&self, account: AccountId) -> (u16, bool) {
        self.risks.get(&account).copied().unwrap_or((Leverage::default().hundredths(), false))
    }

    /// Currency, percentage, and amount with index, of all that counts as collateral: the least haircut first.
    fn collateral(&self, account: AccountId, exchange: &Exchange) -> Vec<(CurrencyId, u8, [Money; 2])> {
        if !self.risk(account).1 && account != self.fund {
            return Vec::new();
        }
        let find = |code: &str| {
            let place = exchange.state.currencies().iter().position(|listed| listed.code == code)?;
            Some(CurrencyId::from_index(place))
        };
        let index = |currency| {
            let contract = self.contracts.values().find(|contract| contract.base == currency);
            contract.map_or(Money::ZERO, |contract| contract.index)
        };
        let counted = [("USDT", 100), ("BTC", 90), ("ETH", 90)];
        let counted = counted.into_iter().filter_map(|(code, percent)| {
            let currency = find(code)?;
            let held = self.held.get(&(account, currency)).copied().unwrap_or_default();
            let index = if code == "USDT" { Money::ONE } else { index(currency) };
            Some((currency, percent, [held, index]))
        });
        counted.collect()
    }

    /// Compares positions and money of all accounts, and what the house has lent.
    fn compare(&mut self, exchange: &Exchange) -> Result<(), String> {
        let (state, perps) = (&exchange.state, exchange.state.perps());
        let mut costs: BTreeMap<AccountId, Money> = BTreeMap::new();
        for row in perps.rows() {
            let key = (row.account, row.symbol);
            check("a position", &row.position.quantity, &self.quantity(key.0, key.1))?;
            *costs.entry(row.account).or_default() += row.position.cost;
            let before = self.before.entry(key).or_default();
            if before.cost != row.position.cost {
                before.cost = row.position.cost;
                self.check_cost(row.account, row.symbol, row.position.cost)?;
            }
            self.before.entry(key).or_default().live = row.live;
        }
        let accounts: Vec<AccountId> = self.given.keys().chain(self.fills.keys()).copied().collect();
        let mut owed_in_all = Money::ZERO;
        for account in accounts.into_iter().collect::<std::collections::BTreeSet<_>>() {
            let cost = costs.get(&account).copied().unwrap_or_default();
            let money = state.ledger().balance(account, self.gusd).total();
            let owed = perps.owed(account, self.gusd);
            owed_in_all += owed;
            check(&format!("the money of {account:?}"), &(money - owed), &(self.money(account) + cost))?;
            if money != Money::ZERO && owed != Money::ZERO {
                return Err(format!("{account:?} has {money:?} and owes {owed:?}"));
            }
        }
        for ((account, currency), held) in &self.held {
            check("a collateral", &state.ledger().balance(*account, *currency).total(), held)?;
        }
        let lending =
            state.ledger().house("lending").map(|house| state.ledger().balance(house, self.gusd).total());
        check("what was lent", &lending.unwrap_or_default(), &-owed_in_all)?;
        check("the queue", &perps.liquidations().accounts().collect(), &self.queue)
    }

    /// Dollars of an account, less what it owes, without the cost of its positions.
    fn money(&self, account: AccountId) -> Money {
        let [given, paid] =
            [&self.given, &self.paid].map(|sums| sums.get(&account).copied().unwrap_or_default());
        given - paid
    }

    /// The cost of a position is its quantity at the average of its fills; each partial close rounds by less than a unit.
    fn check_cost(&self, account: AccountId, symbol: SymbolId, cost: Money) -> Result<(), String> {
        let fills = self.fills.get(&account).map(Vec::as_slice).unwrap_or_default();
        let units = |amount: Money| BigRational::from_integer(BigInt::from(amount.units()));
        let average = perp_average(fills, account, symbol);
        let expected = average
            .map_or_else(|| units(Money::ZERO), |average| units(self.quantity(account, symbol)) * average);
        let away = expected - units(cost);
        let bound = BigRational::from_integer(BigInt::from(fills.len()));
        if away <= bound && away >= -bound {
            return Ok(());
        }
        Err(format!("the position of {account:?} in {symbol:?} cost {cost:?}, which is {away} units off"))
    }
}
