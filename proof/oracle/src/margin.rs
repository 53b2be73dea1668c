//! A judge of spot margin: it follows an exchange command by command, keeps lists of what it saw, and computes from them what accounts owe
//! to the last unit, what interest is due, who is liquidated, which part of which holding is sold, at which price, and what
//! the fund takes.
//!
//! Live orders it reads from the core, whose orders the naive exchange judges elsewhere. Indices are pinned in its worlds, nothing waits to
//! leave an account, and no account owes for returned advances.

pub(crate) mod figures;
mod forced;

use crate::exchange::{Exchange, Happening};
use buttonwood_engine::spot_margin::{Coin, Command as MarginCommand, Conditions, Infrequent as MarginEvent};
use buttonwood_engine::{
    AccountKind, Body, Command, ConvertInfrequent, FeeSchedule, FundsInfrequent, OrderState, TradingCommand,
    Wrapped, funds, perp,
};
use buttonwood_model::{AccountId, CurrencyId, OrderKind, Side, SymbolId, Time};
use buttonwood_num::{Bps, Money, Price, Qty};
use figures::{Account, Buy, Held};
use forced::Step;
use std::collections::{BTreeMap, BTreeSet};

/// The fees of its worlds.
const FEES: FeeSchedule = FeeSchedule { maker: Bps(2), taker: Bps(5), auction: Bps(2) };

const HOUR: u64 = 3_600 * Time::SECOND;

/// How often each thing happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MarginCounts {
    /// Fills of margin accounts.
    pub filled: u64,
    /// Charges of an account's interest.
    pub charged: u64,
    /// Accounts that a search found below maintenance.
    pub found: u64,
    /// Parts of holdings that were sent to the book.
    pub parts: u64,
    /// Fills of these forced orders.
    pub sold: u64,
    /// What the fund took over.
    pub taken_over: u64,
    /// Of these, a part only.
    pub taken_in_part: u64,
    /// Liquidations that ended with the account still below maintenance.
    pub waiting: u64,
    /// Transfers from accounts that owe.
    pub left: u64,
    /// Conversions of accounts that owe.
    pub converted: u64,
    /// Changes of the conditions.
    pub conditions: u64,
}

impl MarginCounts {
    /// All of them.
    pub fn all(&self) -> [u64; 11] {
        let Self { filled, charged, found, parts, sold, taken_over, .. } = *self;
        let Self { taken_in_part, waiting, left, converted, conditions, .. } = *self;
        [filled, charged, found, parts, sold, taken_over, taken_in_part, waiting, left, converted, conditions]
    }

    /// Adds the counts of another run.
    pub fn add(&mut self, other: &Self) {
        self.filled += other.filled;
        self.charged += other.charged;
        self.found += other.found;
        self.parts += other.parts;
        self.sold += other.sold;
        self.taken_over += other.taken_over;
        self.taken_in_part += other.taken_in_part;
        self.waiting += other.waiting;
        self.left += other.left;
        self.converted += other.converted;
        self.conditions += other.conditions;
    }
}

/// A currency that can be bought on margin.
#[derive(Clone, Copy, Debug)]
struct Market {
    currency: CurrencyId,
    symbol: SymbolId,
    lot: Money,
    tick: Money,
    /// None until an index was taken.
    index: Option<Money>,
    /// Whether dollars are lent for it.
    lends: bool,
}

/// An order.
#[derive(Clone, Copy, Debug)]
struct Order {
    account: AccountId,
    symbol: SymbolId,
    side: Side,
    /// Whether it is a margin order.
    margin: bool,
}

/// The judge.
#[derive(Debug, Default)]
pub struct MarginJudge {
    dollar: CurrencyId,
    fund: AccountId,
    markets: Vec<Market>,
    /// The accounts whose money it counts: those of clients, and the fund.
    accounts: BTreeSet<AccountId>,
    /// Those of them that trade on margin.
    borrowers: BTreeSet<AccountId>,
    orders: BTreeMap<u64, Order>,
    /// What came into an account less what went out, in units; loans do not count.
    known: BTreeMap<(AccountId, CurrencyId), i128>,
    /// What each account owed after the last command.
    owed: BTreeMap<AccountId, Money>,
    pins: BTreeMap<CurrencyId, Money>,
    conditions: Conditions,
    /// The full hour at which interest is due next, if an account owes.
    hour: Option<Time>,
    /// Whether accounts are to be searched.
    searches: bool,
    /// Accounts that were found below maintenance.
    queue: BTreeSet<AccountId>,
    /// The account that is being liquidated, and what comes next.
    current: Option<(AccountId, Step)>,
    /// What it saw.
    pub counts: MarginCounts,
}

fn check<T: PartialEq + std::fmt::Debug>(what: &str, core: &T, naive: &T) -> Result<(), String> {
    if core == naive { Ok(()) } else { Err(format!("{what} is {core:?}\nexpected {naive:?}")) }
}

impl MarginJudge {
    /// Judges a command that was applied to the exchange.
    ///
    /// # Errors
    /// The first thing that should be otherwise.
    pub fn note(&mut self, exchange: &Exchange, command: &Command) -> Result<(), String> {
        self.learn(exchange);
        self.check_turn(exchange, command)?;
        let part = self.next_part(exchange);
        let parties = self.note_happened(exchange, command, part.as_ref())?;
        for event in &exchange.of.perps {
            self.note_index(event);
        }
        for event in &exchange.of.funds {
            self.note_transfer(exchange, event)?;
        }
        for event in &exchange.of.margin {
            self.note_event(exchange, event, part.as_ref())?;
        }
        self.compare(exchange)?;
        self.check_parties(exchange, command, &parties)?;
        self.note_debts(exchange.stamp.time);
        Ok(())
    }

    /// Whether a liquidation is under way.
    pub fn is_liquidating(&self) -> bool {
        self.current.is_some()
    }

    /// Whether accounts are to be searched, or wait for liquidation.
    pub fn is_searching(&self) -> bool {
        self.searches || !self.queue.is_empty()
    }

    /// Notes symbols, houses and accounts that were added.
    fn learn(&mut self, exchange: &Exchange) {
        let state = &exchange.state;
        let dollar = state.currencies().iter().position(|listed| listed.code == "USD");
        let Some((dollar, fund)) = dollar.zip(state.ledger().house("insurance")) else { return };
        (self.dollar, self.fund) = (CurrencyId::from_index(dollar), fund);
        for (Coin { currency, lends }, symbol) in state.spot_margin().coins() {
            if self.markets.iter().all(|market| market.symbol != symbol) {
                let grid = &state.symbols()[symbol.index()].grid;
                let lot = grid.base(Qty::from_hundredths(100)).unwrap();
                let tick = grid.value(Money::ONE, Price::from_ticks(1));
                self.markets.push(Market { currency, symbol, lot, tick, index: None, lends });
            }
        }
        for account in exchange.accounts() {
            let is_house = state.ledger().is_house(account);
            if is_house && account != fund || !self.accounts.insert(account) {
                continue;
            }
            if !is_house && state.access().account(account).unwrap().kind == AccountKind::Margin {
                self.borrowers.insert(account);
            }
        }
    }

    /// Nothing comes between the steps of a liquidation, and no order after the time at which an hour was to be charged.
    fn check_turn(&self, exchange: &Exchange, command: &Command) -> Result<(), String> {
        let is_next = |account| command.body == Body::SpotMargin(MarginCommand::Liquidate(account));
        if let Some((account, _)) = self.current.filter(|(account, _)| !is_next(*account)) {
            return Err(format!("{:?} comes into the liquidation of {account:?}", command.body));
        }
        let now = exchange.stamp.time;
        match self.hour.filter(|hour| command.caller.is_some() && *hour < now) {
            Some(hour) => Err(format!("a command at {now:?}, and the hour {hour:?} is not charged")),
            None => Ok(()),
        }
    }

    fn add(&mut self, account: AccountId, currency: CurrencyId, amount: Money) {
        self.add_units(account, currency, amount.units());
    }

    fn add_units(&mut self, account: AccountId, currency: CurrencyId, units: i128) {
        *self.known.entry((account, currency)).or_default() += units;
    }

    fn pay(&mut self, from: AccountId, to: AccountId, currency: CurrencyId, amount: Money) {
        self.add(from, currency, -amount);
        self.add(to, currency, amount);
    }

    fn known(&self, account: AccountId, currency: CurrencyId) -> Money {
        Money::from_units(self.known.get(&(account, currency)).copied().unwrap_or_default())
    }

    fn owed(&self, account: AccountId) -> Money {
        self.owed.get(&account).copied().unwrap_or_default()
    }

    /// Adds what orders, fills, credits and conversions moved. Returns the parties whose fills maintenance bounds.
    fn note_happened(
        &mut self,
        exchange: &Exchange,
        command: &Command,
        part: Option<&forced::Part>,
    ) -> Result<BTreeSet<AccountId>, String> {
        let (mut entering, mut parties) = (None, BTreeSet::new());
        for happening in &exchange.happened {
            if let Happening::Accepted(id) = *happening {
                entering = Some(self.note_order(exchange, command, id)?);
            } else if let Happening::Credited(account, currency, amount) = *happening {
                self.add(account, currency, amount);
            } else if let Happening::Converted(ConvertInfrequent::Wrapped(wrapped)) = *happening {
                self.note_wrap(exchange, &wrapped)?;
            } else if let Happening::Filled { maker, price, qty, maker_fee, taker_fee, .. } = *happening {
                let taker: Order = entering.ok_or("a fill without an order")?;
                let maker = *self.orders.get(&maker).ok_or("a fill with an unknown order")?;
                if let Some(part) = part {
                    part.check_fill(exchange, (price, qty), taker_fee)?;
                    self.counts.sold += 1;
                }
                for (order, fee) in [(maker, maker_fee), (taker, taker_fee)] {
                    self.fill(exchange, order, (price, qty), fee);
                    let owes = order.margin || self.owed(order.account) > Money::ZERO;
                    if owes && (part.is_none() || order.account != taker.account) {
                        parties.insert(order.account);
                    }
                }
            }
        }
        Ok(parties)
    }

    fn note_order(&mut self, exchange: &Exchange, command: &Command, id: u64) -> Result<Order, String> {
        let order = match (&command.body, &command.caller) {
            (Body::Trading(TradingCommand::Place(place)), Some(caller)) => Order {
                account: caller.account.ok_or("an order without an account")?,
                symbol: place.symbol,
                side: place.side,
                margin: place.margin,
            },
            (Body::SpotMargin(MarginCommand::Liquidate(account)), None) => {
                let part = self.next_part(exchange).ok_or("a forced order that is not due")?;
                Order { account: *account, symbol: part.symbol, side: Side::Sell, margin: true }
            }
            _ => return Err(format!("order {id} of nobody")),
        };
        let market = self.markets.iter().find(|market| market.symbol == order.symbol);
        if order.margin && order.side == Side::Buy && market.is_none_or(|market| !market.lends) {
            return Err(format!("order {id} borrows for a coin for which nothing is lent"));
        }
        self.orders.insert(id, order);
        Ok(order)
    }

    fn fill(&mut self, exchange: &Exchange, order: Order, (price, qty): (Price, Qty), fee: Money) {
        let symbol = &exchange.state.symbols()[order.symbol.index()];
        let [base, value] = [symbol.grid.base(qty), symbol.grid.notional(price, qty)].map(Option::unwrap);
        let (base, value) = if order.side == Side::Buy { (base, -value) } else { (-base, value) };
        self.add(order.account, symbol.base, base);
        self.add(order.account, symbol.quote, value - fee);
        self.counts.filled += u64::from(self.borrowers.contains(&order.account));
    }

    fn note_wrap(&mut self, exchange: &Exchange, wrapped: &Wrapped) -> Result<(), String> {
        let Wrapped { account, wrap, .. } = *wrapped;
        let symbol = &exchange.state.symbols()[wrap.symbol.index()];
        let amount = symbol.grid.base(wrap.qty).unwrap();
        self.add(account, symbol.paid_in(wrap.side), -amount);
        let gets = symbol.paid_in(wrap.side.opposite());
        self.add(account, gets, amount);
        if self.owed(account) == Money::ZERO {
            return Ok(());
        }
        self.counts.converted += 1;
        if gets == self.dollar || self.account(exchange, account).may_have_left() {
            return Ok(());
        }
        Err(format!("{account:?} owes and converts what must stay"))
    }

    /// Notes a transfer between accounts of a group. An account that owes keeps what its debt needs.
    fn note_transfer(&mut self, exchange: &Exchange, event: &FundsInfrequent) -> Result<(), String> {
        let FundsInfrequent::Internal(funds::internal::Event::Transferred(moved)) = event else {
            return Ok(());
        };
        self.pay(moved.source, moved.target, moved.currency, moved.amount);
        if self.owed(moved.source) == Money::ZERO {
            return Ok(());
        }
        self.counts.left += 1;
        let counts = self.markets.iter().any(|market| market.currency == moved.currency);
        if moved.currency != self.dollar && !counts {
            return Ok(());
        }
        let left = self.account(exchange, moved.source);
        if left.may_have_left() { Ok(()) } else { Err(format!("{moved:?} leaves an account that owes")) }
    }

    fn note_index(&mut self, event: &perp::Infrequent) {
        if let perp::Infrequent::IndexPinned(currency, Some(price)) = event {
            self.pins.insert(*currency, *price);
        }
        if let perp::Infrequent::MarksTaken(..) = event {
            for market in &mut self.markets {
                market.index = self.pins.get(&market.currency).copied().or(market.index);
            }
            self.searches |= !self.owed.is_empty();
        }
    }

    fn note_event(
        &mut self,
        exchange: &Exchange,
        event: &MarginEvent,
        part: Option<&forced::Part>,
    ) -> Result<(), String> {
        match event {
            MarginEvent::InterestCharged(charge) => self.note_charge(exchange, charge.hour, &charge.rows),
            MarginEvent::Found(found, after) => {
                let is_due = |account: &AccountId| *account != self.fund && self.is_due(exchange, *account);
                let expected: Vec<AccountId> = self.owed.keys().copied().filter(is_due).collect();
                check("the accounts below maintenance", &(found, after), &(&expected, &None))?;
                self.counts.found += u64::try_from(expected.len()).unwrap();
                self.queue.extend(expected);
                self.searches = false;
                Ok(())
            }
            MarginEvent::Started(account) => self.note_start(exchange, *account),
            MarginEvent::Sold(sold) => {
                let rest = sold.rest.map(|rest| (rest.currency, rest.quantity, rest.price));
                let part = part.ok_or("nothing was to be sold")?;
                self.note_sold(exchange, (sold.account, sold.fee), rest, part)
            }
            MarginEvent::TakenOver(taken) => {
                let rest = (taken.rest.currency, taken.rest.quantity, taken.rest.price);
                self.note_taken(exchange, (taken.account, taken.cost), rest)
            }
            MarginEvent::Ended(account) => self.note_end(exchange, *account),
            MarginEvent::ConditionsSet(conditions) => {
                self.conditions = *conditions;
                self.counts.conditions += 1;
                Ok(())
            }
            MarginEvent::CoinsSet(coins) => {
                for market in &mut self.markets {
                    let coin = coins.iter().find(|coin| coin.currency == market.currency);
                    market.lends = coin.ok_or("a coin left")?.lends;
                }
                Ok(())
            }
        }
    }

    /// An hour is charged: every account that owes, but the fund, once, on what it owed.
    fn note_charge(
        &mut self,
        exchange: &Exchange,
        hour: Time,
        rows: &Vec<(AccountId, Money)>,
    ) -> Result<(), String> {
        check("the hour that is charged", &Some(hour), &self.hour)?;
        if exchange.stamp.time < hour {
            return Err(format!("{hour:?} is charged at {:?}", exchange.stamp.time));
        }
        let owing = self.owed.iter().filter(|(account, _)| **account != self.fund);
        let interest = |owed| figures::interest(owed, self.conditions.dollar_rate);
        let expected: Vec<(AccountId, Money)> =
            owing.map(|(account, owed)| (*account, interest(*owed))).collect();
        check("the interest of an hour", rows, &expected)?;
        for (account, interest) in expected {
            self.add(account, self.dollar, -interest);
            self.counts.charged += 1;
        }
        self.hour = Some(Time(hour.0 + HOUR));
        self.searches = true;
        Ok(())
    }

    /// Compares the money of all accounts, what each owes, what the house has lent, and the indices.
    fn compare(&mut self, exchange: &Exchange) -> Result<(), String> {
        let state = &exchange.state;
        let (mut owed, mut lent) = (BTreeMap::new(), Money::ZERO);
        for account in self.accounts.iter().copied() {
            let balance = state.ledger().balance(account, self.dollar);
            // What comes in repays first, so an account that owes has no dollar but those that orders hold.
            let held = balance.total() - balance.available;
            let lacks = (held - self.known(account, self.dollar)).max(Money::ZERO);
            check(&format!("what {account:?} owes"), &state.spot_margin().owed(account), &lacks)?;
            let has = self.known(account, self.dollar) + lacks;
            check(&format!("the dollars of {account:?}"), &balance.total(), &has)?;
            if lacks > Money::ZERO {
                owed.insert(account, lacks);
                lent += lacks;
            }
        }
        for ((account, currency), units) in &self.known {
            if *currency != self.dollar && self.accounts.contains(account) {
                let has = state.ledger().balance(*account, *currency).total();
                check(&format!("what {account:?} has of {currency:?}"), &has, &Money::from_units(*units))?;
            }
        }
        let lending = state.ledger().house("lending");
        let lending = lending.map(|house| state.ledger().balance(house, self.dollar).total());
        check("what was lent", &lending.unwrap_or_default(), &-lent)?;
        for market in &self.markets {
            let index = state.indices().latest().price(market.currency);
            check("an index", &index, &market.index)?;
        }
        self.owed = owed;
        Ok(())
    }

    /// The first debt begins the hours, and the last one ends them.
    fn note_debts(&mut self, now: Time) {
        if self.owed.is_empty() {
            self.hour = None;
        } else {
            self.hour.get_or_insert(Time((now.0 / HOUR + 1) * HOUR));
        }
    }

    /// After fills, no party is below maintenance; an order that is accepted is within the limit.
    fn check_parties(
        &self,
        exchange: &Exchange,
        command: &Command,
        parties: &BTreeSet<AccountId>,
    ) -> Result<(), String> {
        let is_borrower = |account: &&AccountId| self.borrowers.contains(account);
        for account in parties.iter().filter(is_borrower) {
            if self.account(exchange, *account).is_below_maintenance() {
                return Err(format!("a fill leaves {account:?} below maintenance"));
            }
        }
        let (Body::Trading(TradingCommand::Place(place)), Some(caller)) = (&command.body, &command.caller)
        else {
            return Ok(());
        };
        let account = caller.account.ok_or("an order without an account")?;
        let enters = |what: &Happening| matches!(what, Happening::Filled { .. } | Happening::Booked(_));
        if place.side == Side::Sell || !is_borrower(&&account) || !exchange.happened.iter().any(enters) {
            return Ok(());
        }
        if !place.margin && self.owed(account) > Money::ZERO {
            return Err(format!("{account:?} owes and buys without credit"));
        }
        let kind = place.kind == OrderKind::Limit || place.kind == OrderKind::Market;
        if place.margin && kind && !self.account(exchange, account).is_within_limit() {
            return Err(format!("{place:?} of {account:?} is beyond the limit"));
        }
        Ok(())
    }

    /// Whether an account is below maintenance, and one of its holdings has an index.
    fn is_due(&self, exchange: &Exchange, account: AccountId) -> bool {
        let account = self.account(exchange, account);
        account.notional() > Money::ZERO && account.is_below_maintenance()
    }

    /// The account as lists.
    fn account(&self, exchange: &Exchange, account: AccountId) -> Account {
        let held = self.markets.iter().map(|market| self.held(account, market)).collect();
        let live = exchange.orders_of(account);
        let is_margin = |order: &OrderState| self.orders.get(&order.id.0).is_some_and(|order| order.margin);
        let (buys, sells): (Vec<OrderState>, Vec<OrderState>) =
            live.filter(is_margin).partition(|order| order.side == Side::Buy);
        let value = |order: &OrderState| {
            let grid = &exchange.state.symbols()[order.symbol.index()].grid;
            let of = self.markets.iter().position(|market| market.symbol == order.symbol).unwrap();
            let [base, value] = [grid.base(order.remaining), grid.notional(order.price, order.remaining)];
            let fee = grid.fee(order.price, order.remaining, FEES.taker).unwrap();
            Buy { of, base: base.unwrap(), value: value.unwrap(), fee }
        };
        let known = self.known(account, self.dollar);
        // Only the difference of dollars and debt counts.
        Account {
            conditions: self.conditions,
            usd: known.max(Money::ZERO),
            owed: (-known).max(Money::ZERO),
            held,
            buys: buys.iter().map(value).collect(),
            sells: sells.iter().map(|order| value(order).value).collect(),
        }
    }

    fn held(&self, account: AccountId, market: &Market) -> Held {
        let index = market.index.unwrap_or_default();
        Held { quantity: self.known(account, market.currency), index, tick: market.tick }
    }
}
