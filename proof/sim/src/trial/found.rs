//! What products are founded with: symbols, indices, accounts with keys, money.

use crate::scene::command_of;
use buttonwood_engine::perp::Command as PerpCommand;
use buttonwood_engine::{Account, AccountKind, Body, Command, FeeSchedule};
use buttonwood_model::{
    AccountId, CurrencyId, GroupId, Product, Role, SessionId, Symbol, SymbolId, SymbolStatus,
};
use buttonwood_num::{Bps, Decimal, Grid, Money, Price, Qty};
use buttonwood_oracle::Exchange;

/// A symbol with the index of its base currency.
#[derive(Clone, Copy)]
pub(crate) struct Market {
    pub(crate) base: CurrencyId,
    pub(crate) symbol: SymbolId,
    pub(crate) tick: Money,
    /// The index in price steps, at first and now.
    pub(crate) start: u64,
    pub(crate) ticks: u64,
}

impl Market {
    /// The command that pins the index to where it is now.
    pub(crate) fn pin(&self) -> Body {
        let price = Money::from_units(i128::from(self.ticks) * self.tick.units());
        PerpCommand::PinIndex(self.base, Some(price)).into()
    }

    /// Moves the index to so many thousandths of where it is, at most ten times up or down from the start.
    pub(crate) fn move_to(&mut self, per_mille: u64) {
        self.ticks = (self.ticks * per_mille / 1_000).clamp(self.start / 10, self.start * 10);
    }
}

/// What a symbol is listed with.
#[derive(Clone, Copy)]
pub(crate) struct Listing {
    pub(crate) quote: &'static str,
    pub(crate) product: Product,
    pub(crate) lot: &'static str,
    pub(crate) tick: &'static str,
    /// The least quantity, in hundredths of a lot.
    pub(crate) least: u128,
    pub(crate) wraps: bool,
}

/// An exchange with the fees of every trial.
pub(crate) fn open_exchange() -> Exchange {
    let fees = FeeSchedule { maker: Bps(2), taker: Bps(5), auction: Bps(2) };
    Exchange::open(fees, Some(Vec::new()))
}

/// The commands that founded an exchange.
pub(crate) fn commands_of(exchange: &Exchange) -> Vec<Command> {
    exchange.journal.iter().flatten().map(|frame| command_of(frame)).collect()
}

/// So many dollars.
pub(crate) fn dollars(amount: i128) -> Money {
    Money::from_units(amount * Money::ONE.units())
}

/// Lists a symbol.
pub(crate) fn list(exchange: &mut Exchange, code: &str, of: &Listing, ticks: u64) -> Market {
    let quote = of.quote;
    let suffix = if of.product == Product::Swap { "perp" } else { "" };
    let name = format!("{code}{quote}{suffix}").to_lowercase();
    let [base, quote] = [code, quote].map(|code| exchange.find_currency(code));
    let parse = |text: &str| Decimal::parse(text.as_bytes()).expect("a decimal");
    let grid = Grid::new(parse(of.tick), parse(of.lot)).expect("steps of a grid");
    let tick = grid.value(Money::ONE, Price::from_ticks(1));
    let symbol = Symbol {
        name,
        base,
        quote,
        qty_min: Qty::from_hundredths(of.least),
        grid,
        product: of.product,
        status: SymbolStatus::Open,
        wrap_enabled: of.wraps,
        closed_to: Vec::new(),
    };
    exchange.own(Body::list_symbol(symbol));
    let symbol = SymbolId::from_index(exchange.state.symbols().len() - 1);
    Market { base, symbol, tick, start: ticks, ticks }
}

/// Opens an account in the first group, with a key that trades.
pub(crate) fn open(exchange: &mut Exchange, name: &str, kind: AccountKind) -> (AccountId, SessionId) {
    let account = Account {
        group: Some(GroupId(0)),
        short_name: name.into(),
        kind,
        ..Account::house(exchange.stamp.time)
    };
    exchange.own(Body::open_account(account));
    let account = AccountId::from_index(exchange.state.access().accounts().len() - 1);
    (account, exchange.key(name, account, Role::Trader))
}

/// Gives an account so much of a currency.
pub(crate) fn credit(exchange: &mut Exchange, account: AccountId, currency: CurrencyId, amount: i128) {
    exchange.own(Body::credit(account, vec![(currency, dollars(amount))]));
}
