//! The figures of an account (the table of spot margin), now and after an order.

use crate::SpotMargin;
use crate::account::{Account, Change};
use buttonwood_index::Latest;
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, CurrencyId, Outbox, Side, Symbol};
use buttonwood_num::{Money, Qty};
use buttonwood_risk::spot::{Sums, liquidation_price};
use buttonwood_trading::place::{self, Place, Placer};
use buttonwood_trading::{self as trading, Desks, Planner};

/// The assets, debts and possible losses of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    /// Assets, notional, and what is owed.
    pub sums: Sums,
    /// Assets less the initial part of the notional: collateral and power.
    pub available: Money,
    /// Σ price × remaining of live margin buys.
    pub reserved_buys: Money,
    /// The same of live margin sells.
    pub reserved_sells: Money,
    /// The fall of all prices at which liquidation starts; none without holdings.
    pub loss: Option<Money>,
    /// The price of the only holding at which liquidation starts.
    pub liquidation_price: Option<Money>,
}

impl Figures {
    /// The figures of an account beyond the range of money: values end at the largest number, and nothing is available, since every
    /// check refuses then.
    pub fn beyond_range(margin: &SpotMargin, account: AccountId) -> Self {
        let row = margin.row(account);
        Self {
            sums: Sums { assets: Money::MAX, notional: Money::MAX, owed: margin.borrowed(account) },
            available: Money::ZERO,
            reserved_buys: row.buys,
            reserved_sells: row.sells,
            loss: None,
            liquidation_price: None,
        }
    }

    /// The figures of an account. None beyond the range of money.
    pub fn of(
        margin: &SpotMargin,
        ledger: &Ledger,
        latest: &Latest,
        symbols: &[Symbol],
        account: AccountId,
    ) -> Option<Self> {
        let row = margin.row(account);
        Self::with(margin, symbols, &margin.account(ledger, latest, account), [row.buys, row.sells])
    }

    fn with(
        margin: &SpotMargin,
        symbols: &[Symbol],
        account: &Account,
        [reserved_buys, reserved_sells]: [Money; 2],
    ) -> Option<Self> {
        let (sums, terms) = (account.sums()?, margin.terms());
        let mut held = account.holdings();
        let only = held.next().filter(|_| held.next().is_none());
        let price = only.and_then(|(currency, held)| {
            liquidation_price(sums.owed, held.quantity, margin.tick(symbols, currency)?, terms)
        });
        Some(Self {
            sums,
            available: sums.available(terms)?,
            reserved_buys,
            reserved_sells,
            loss: sums.loss(terms),
            liquidation_price: price,
        })
    }
}

impl SpotMargin {
    /// The price step of a currency's dollar book.
    fn tick(&self, symbols: &[Symbol], currency: CurrencyId) -> Option<Money> {
        let (_, symbol) = self.coins().find(|(coin, _)| coin.currency == currency)?;
        Some(symbols.get(symbol.index())?.grid.tick())
    }
}

/// The figures now and after an order, as the floor would decide it now (MARG-008). Nothing changes.
///
/// # Errors
/// Why the order would be refused; also [`place::Reject::BeyondFunds`] for figures beyond the range of money.
pub fn preview<'a, D: Desks>(
    margin: &SpotMargin,
    ledger: &Ledger,
    latest: &Latest,
    market: trading::Market<'a, D>,
    (placer, home): (Placer, &'a str),
    place: &Place,
) -> Result<[Figures; 2], place::Reject<D::Refusal>> {
    let mut events = Outbox::<trading::Event>::default();
    place::decide(market, placer, || home, place, &mut Planner::default(), &mut events)?;
    let figures = || {
        let symbols = market.floor.symbols.listed();
        let symbol = market.symbol(place.symbol)?;
        let before = margin.account(ledger, latest, placer.account);
        let row = margin.row(placer.account);
        let reserved = [row.buys, row.sells];
        let (after, rest) = after(market, symbol, place, before, &events.events)?;
        let mut reserved_after = reserved;
        let side = reserved_after.get_mut(place.side.index())?;
        *side = side.checked_add(symbol.grid.notional(place.price, rest)?)?;
        Some([
            Figures::with(margin, symbols, &before, reserved)?,
            Figures::with(margin, symbols, &after, reserved_after)?,
        ])
    };
    figures().ok_or(place::Reject::BeyondFunds)
}

/// The account after the order's fills, and what of the order rests.
fn after<D>(
    market: trading::Market<'_, D>,
    symbol: &Symbol,
    place: &Place,
    mut account: Account,
    events: &[trading::Event],
) -> Option<(Account, Qty)> {
    let (mut filled, mut rest) = (Qty::ZERO, Qty::ZERO);
    for event in events {
        match event {
            trading::Event::Filled { maker, qty, taker_fee, .. } => {
                let base = symbol.grid.base(*qty)?;
                let value = symbol.grid.notional(market.floor.orders.get(*maker).price, *qty)?;
                let [base, quote] = match place.side {
                    Side::Buy => [base, -value],
                    Side::Sell => [-base, value],
                };
                let (base, quote) = ((symbol.base, base), (symbol.quote, quote));
                account = account.after(symbol.quote, &Change { base, quote, fee: *taker_fee })?;
                filled += *qty;
            }
            trading::Event::Rested { .. }
            | trading::Event::Booked { .. }
            | trading::Event::Suspended { .. } => {
                rest = place.qty - filled;
            }
            trading::Event::Placed(_)
            | trading::Event::Crossed { .. }
            | trading::Event::Triggered { .. }
            | trading::Event::Completed
            | trading::Event::Cancelled { .. }
            | trading::Event::CancelRejected { .. } => {}
        }
    }
    Some((account, rest))
}
