//! Conversions with a house account: wraps and instant orders.

use super::funds::advances::Losses;
use super::reserve::{ceil_bps, int};
use super::{Naive, Pair};
use crate::exchange::{Happening, fees_account};
use buttonwood_engine::{
    Answer, ConvertAnswer, ConvertCommand, ConvertInfrequent, ConvertQuote, ConvertReject, Execute,
    OrderState, Outcome, QuoteId, QuoteRequest, Reject, Spend, Term, Terms, Wrap, Wrapped,
};
use buttonwood_model::{AccountId, CurrencyId, OrderId, Side, SymbolId, SymbolStatus, Time};
use buttonwood_num::{Money, Price, Qty};
use num_bigint::BigInt;

/// Quotes live a minute, and an account has ten of them.
const MINUTE: u64 = 60 * Time::SECOND;
const QUOTES: usize = 10;

/// The answer to the command that an event came from.
fn answer_of(event: &ConvertInfrequent) -> ConvertAnswer {
    match event {
        ConvertInfrequent::Wrapped(wrapped) => ConvertAnswer::Wrapped(*wrapped),
        ConvertInfrequent::Quoted(quote) => ConvertAnswer::Quoted(*quote),
        ConvertInfrequent::Executed(order, quote, _) => ConvertAnswer::Executed(*order, *quote),
        ConvertInfrequent::TermsSet(_) => panic!("no client sets terms"),
    }
}

impl Naive {
    pub(super) fn convert(&mut self, account: AccountId, command: &ConvertCommand, now: Time) -> Answer {
        let event = match command {
            ConvertCommand::Wrap(wrap) => self.wrap(account, *wrap),
            ConvertCommand::Quote(request) => self.quote(account, *request, now),
            ConvertCommand::Execute(execute) => self.execute(account, execute, now),
            ConvertCommand::SetTerms(_) => Err(ConvertReject::Unknown),
        };
        match event {
            Err(reject) => Outcome::Rejected(Reject::Convert(reject)),
            Ok(event) => {
                self.happened.push(Happening::Converted(event));
                Outcome::Convert(Box::new(answer_of(&event)))
            }
        }
    }

    pub(super) fn set_instant_terms(&mut self, terms: Terms) -> Answer {
        if terms.fee.0 > 10_000 || terms.exposure < Money::ZERO || terms.depth < Money::ZERO {
            return Outcome::Rejected(Reject::Convert(ConvertReject::BadTerms));
        }
        self.instant_terms = terms;
        self.happened.push(Happening::Converted(ConvertInfrequent::TermsSet(terms)));
        Outcome::Done
    }

    /// A symbol that is not closed to the account.
    fn pair_for(&self, account: AccountId, symbol: SymbolId) -> Result<&Pair, ConvertReject> {
        let pair = self.pairs.get(symbol.index());
        let pair = pair.filter(|pair| !pair.closed_to.contains(&self.jurisdictions[&account]));
        pair.ok_or(ConvertReject::InvalidSymbol)
    }

    /// The next id of orders and trades.
    fn take_id(&mut self) -> OrderId {
        self.next_id += 1;
        OrderId(self.next_id - 1)
    }

    /// Exchanges one currency for as much of another.
    fn wrap(&mut self, account: AccountId, wrap: Wrap) -> Result<ConvertInfrequent, ConvertReject> {
        let pair = self.pair_for(account, wrap.symbol)?;
        if !pair.wraps {
            return Err(ConvertReject::InvalidSymbol);
        }
        if wrap.qty < pair.min {
            return Err(ConvertReject::BelowMinimum);
        }
        match pair.status {
            SymbolStatus::Closed => return Err(ConvertReject::MarketClosed),
            SymbolStatus::CancelOnly => return Err(ConvertReject::MarketNotOpen(pair.status)),
            _ => {}
        }
        let (given, received) = match wrap.side {
            Side::Buy => (pair.quote, pair.base),
            Side::Sell => (pair.base, pair.quote),
        };
        let amount = int(wrap.qty) * pair.base_unit;
        if amount > self.available(account, given) {
            return Err(ConvertReject::InsufficientFunds);
        }
        self.give_up(account, (given, amount), (received, amount))?;
        self.pay(account, self.issuer, given, amount);
        self.pay(self.issuer, account, received, amount);
        self.newest_named.retain(|(owner, name, _)| (*owner, Some(*name)) != (account, wrap.client_id));
        Ok(ConvertInfrequent::Wrapped(Wrapped { order: self.take_id(), account, wrap }))
    }

    /// Notes what a conversion gives up of an advance, if that is not too much (D-181).
    fn give_up(
        &mut self,
        account: AccountId,
        gives: (CurrencyId, i128),
        gets: (CurrencyId, i128),
    ) -> Result<(), ConvertReject> {
        let lost = self.lost_by(&self.worths(account), account, gives, gets);
        let counted = self.judge_loss(&self.spares(), &Losses::new(), lost);
        let counted = counted.map_err(|_| ConvertReject::Advances)?;
        self.note_lost(&counted.into_iter().collect());
        Ok(())
    }

    fn quote(
        &mut self,
        account: AccountId,
        request: QuoteRequest,
        now: Time,
    ) -> Result<ConvertInfrequent, ConvertReject> {
        let QuoteRequest { symbol, spend } = request;
        let pair = self.pair_for(account, symbol)?;
        let is_amount = match spend {
            Spend::Buy(money) => money > Money::ZERO,
            Spend::Sell(qty) => qty >= pair.min,
        };
        if !is_amount {
            return Err(ConvertReject::BelowMinimum);
        }
        takes_market_orders(pair)?;
        let (qty, price) = self.offered(account, symbol, spend).ok_or(ConvertReject::NoLiquidity)?;
        if qty < pair.min {
            return Err(ConvertReject::BelowMinimum);
        }
        let notional = notional(pair, price, qty);
        let (side, fee) = match spend {
            Spend::Buy(money) => (Side::Buy, money.units() - notional),
            Spend::Sell(_) => (Side::Sell, ceil_bps(notional, self.instant_terms.fee.get())),
        };
        let id = QuoteId(self.quoted + 1);
        let fee = Money::from_units(fee);
        let quote = ConvertQuote { id, account, symbol, side, qty, price, fee, time: now };
        self.check_exposure(&quote)?;
        self.quoted += 1;
        if self.quotes.iter().filter(|old| old.account == account && !is_old(old, now)).count() == QUOTES {
            let oldest = self.quotes.iter().position(|old| old.account == account && !is_old(old, now));
            self.quotes.remove(oldest.unwrap());
        }
        self.quotes.push(quote);
        Ok(ConvertInfrequent::Quoted(quote))
    }

    /// The quantity and the price that the house offers, if the book and the index say nearly the same.
    fn offered(&self, account: AccountId, symbol: SymbolId, spend: Spend) -> Option<(Qty, Price)> {
        let pair = &self.pairs[symbol.index()];
        let client = if matches!(spend, Spend::Buy(_)) { Side::Buy } else { Side::Sell };
        let reference = self.reference_in_quote(account, symbol, client)?;
        let others = self.others(Some(account), symbol, client.opposite());
        let ticks = match spend {
            Spend::Sell(qty) => {
                let [book, index] = self.both(account, symbol, client, qty)?;
                let ticks = book.min(index) / (int(qty) * pair.quote_unit);
                return (ticks > 0).then(|| (qty, Price::from_ticks(u64::try_from(ticks).unwrap())));
            }
            Spend::Buy(money) => {
                let best = i128::from(others.first()?.price.ticks());
                let low = scaled(reference, 1, pair.tick, true).max(best);
                let high = scaled(reference, 105, 100, false) / pair.tick;
                let depth: Qty = others.iter().map(|order| order.remaining).sum();
                let bought = |ticks: i128| {
                    let price = Price::from_ticks(u64::try_from(ticks).unwrap());
                    let more = depth + Qty::from_hundredths(1);
                    (self.affordable(symbol, price, more, money.units(), self.instant_terms.fee), price)
                };
                let pays = |ticks: i128| {
                    let (qty, price) = bought(ticks);
                    let costs = cost(pair, &others, qty);
                    costs.is_some_and(|costs| costs <= notional(pair, price, qty))
                };
                // The more it costs, the less it is, and the better is its average.
                let (mut too_low, mut enough) = (low - 1, high);
                if low > high || !pays(high) {
                    return None;
                }
                while enough - too_low > 1 {
                    let middle = too_low + (enough - too_low) / 2;
                    if pays(middle) {
                        enough = middle;
                    } else {
                        too_low = middle;
                    }
                }
                bought(enough)
            }
        };
        (ticks.0 == Qty::ZERO || self.both(account, symbol, client, ticks.0).is_some()).then_some(ticks)
    }

    /// The price of a quantity in the book and at the index, if they are at most 5 % apart.
    fn both(&self, account: AccountId, symbol: SymbolId, client: Side, qty: Qty) -> Option<[i128; 2]> {
        let pair = &self.pairs[symbol.index()];
        let reference = self.reference_in_quote(account, symbol, client)?;
        let index = scaled(int(qty) * pair.base_unit, reference, ONE, client == Side::Buy);
        let book = cost(pair, &self.others(Some(account), symbol, client.opposite()), qty)?;
        (book * 100 >= index * 95 && book * 100 <= index * 105).then_some([book, index])
    }

    /// The orders of a side that are not of the account's group, if there is one, nor of one with advances.
    fn others(&self, account: Option<AccountId>, symbol: SymbolId, side: Side) -> Vec<OrderState> {
        let group = |account: AccountId| self.names[account.index()].group;
        let mut queue = self.queue(symbol, side);
        queue.retain(|order| {
            let own = account.is_some_and(|account| group(order.account) == group(account));
            !own && !self.has_advances(order.account)
        });
        queue
    }

    /// The index of the base currency over that of the quote currency, in favour of the house.
    fn reference_in_quote(&self, account: AccountId, symbol: SymbolId, client: Side) -> Option<i128> {
        let pair = &self.pairs[symbol.index()];
        let [base, quote] = [pair.base, pair.quote].map(|currency| self.reference(Some(account), currency));
        Some(scaled(base?, ONE, quote?, client == Side::Buy)).filter(|reference| *reference > 0)
    }

    /// The dollars of a unit of a currency, if other groups rest enough on both sides of its dollar book.
    pub(super) fn reference(&self, account: Option<AccountId>, currency: CurrencyId) -> Option<i128> {
        let is_book = |pair: &Pair| pair.base == currency && Some(pair.quote) == self.dollar;
        if Some(currency) == self.dollar || self.pairs.iter().any(|pair| is_book(pair) && pair.wraps) {
            return Some(ONE);
        }
        let symbol = SymbolId::from_index(self.pairs.iter().position(is_book)?);
        let pair = &self.pairs[symbol.index()];
        let dollars = |order: &OrderState| notional(pair, order.price, order.remaining);
        let best = |side| {
            let orders = self.others(account, symbol, side);
            let enough = orders.iter().map(dollars).sum::<i128>() >= self.instant_terms.depth().units();
            orders.first().map(|order| order.price).filter(|_| enough)
        };
        let (bid, ask) = (best(Side::Buy)?, best(Side::Sell)?);
        let units = |price: Price| i128::from(price.ticks()) * pair.tick;
        Some(match pair.last {
            Some(last) => {
                let mut three = [bid, ask, last];
                three.sort();
                units(three[1])
            }
            None => units(bid).midpoint(units(ask)),
        })
    }

    fn execute(
        &mut self,
        account: AccountId,
        execute: &Execute,
        now: Time,
    ) -> Result<ConvertInfrequent, ConvertReject> {
        let is_it = |quote: &ConvertQuote| {
            quote.id == execute.quote && quote.account == account && !is_old(quote, now)
        };
        let at = self.quotes.iter().position(is_it).ok_or(ConvertReject::NoQuote)?;
        let quote = self.quotes[at];
        if execute.symbol != quote.symbol {
            return Err(ConvertReject::Differs(Term::Symbol));
        }
        let pair = self.pair_for(account, quote.symbol)?;
        let (base, worth) = (int(quote.qty) * pair.base_unit, notional(pair, quote.price, quote.qty));
        for (is_same, term) in [
            (execute.side == quote.side, Term::Side),
            (execute.quantity.units() == base, Term::Quantity),
            (execute.price == quote.price, Term::Price),
            (execute.fee == quote.fee, Term::Fee),
        ] {
            if !is_same {
                return Err(ConvertReject::Differs(term));
            }
        }
        takes_market_orders(pair)?;
        let both =
            self.both(account, quote.symbol, quote.side, quote.qty).ok_or(ConvertReject::NoLiquidity)?;
        let is_void = match quote.side {
            Side::Buy => both[0].max(both[1]) * 100 > worth * 101,
            Side::Sell => both[0].min(both[1]) * 100 < worth * 99,
        };
        if is_void {
            return Err(ConvertReject::Moved(quote.id));
        }
        self.check_exposure(&quote)?;
        let (base_currency, quote_currency, fee) = (pair.base, pair.quote, quote.fee.units());
        let (given, needed) = match quote.side {
            Side::Buy => (quote_currency, worth + fee),
            Side::Sell => (base_currency, base),
        };
        if needed > self.available(account, given) {
            return Err(ConvertReject::InsufficientFunds);
        }
        let (worth_base, worth_quote) = ((base_currency, base), (quote_currency, worth));
        match quote.side {
            Side::Buy => self.give_up(account, worth_quote, worth_base)?,
            Side::Sell => self.give_up(account, worth_base, worth_quote)?,
        }
        self.quotes.remove(at);
        let (buyer, seller) =
            if quote.side == Side::Buy { (account, self.instant) } else { (self.instant, account) };
        self.pay(buyer, seller, quote_currency, worth);
        self.pay(seller, buyer, base_currency, base);
        self.pay(account, fees_account(), quote_currency, fee);
        Ok(ConvertInfrequent::Executed(self.take_id(), quote, execute.client_id))
    }

    /// The house gives what it has. The worth of the stock that it lacks must not exceed the limit, unless a conversion does not raise it.
    fn check_exposure(&self, quote: &ConvertQuote) -> Result<(), ConvertReject> {
        let pair = &self.pairs[quote.symbol.index()];
        let sign = if quote.side == Side::Buy { -1 } else { 1 };
        let base = sign * int(quote.qty) * pair.base_unit;
        let worth = -sign * notional(pair, quote.price, quote.qty);
        let (currency, amount) = if base < 0 { (pair.base, base) } else { (pair.quote, worth) };
        let has = self.totals.get(&(self.instant, currency)).copied().unwrap_or(0);
        if has + amount < 0 {
            return Err(ConvertReject::NoLiquidity);
        }
        let change = |currency| {
            if currency == pair.base {
                base
            } else if currency == pair.quote {
                worth
            } else {
                0
            }
        };
        let dollars = self.reference(Some(quote.account), pair.quote).ok_or(ConvertReject::BeyondExposure)?;
        let quoted = scaled(i128::from(quote.price.ticks()) * pair.tick, dollars, ONE, true);
        let prices = (Some(quote.account), Some((pair.base, quoted)));
        let after = self.exposure(change, prices).ok_or(ConvertReject::BeyondExposure)?;
        let is_no_more = self.exposure(|_| 0, prices).is_some_and(|before| after <= before);
        if after <= self.instant_terms.exposure.units() || is_no_more {
            Ok(())
        } else {
            Err(ConvertReject::BeyondExposure)
        }
    }

    /// The dollars of what the house lacks of its stock, after a change.
    fn exposure(&self, change: impl Fn(CurrencyId) -> i128, prices: Prices) -> Option<i128> {
        let currencies: std::collections::BTreeSet<CurrencyId> =
            self.pairs.iter().flat_map(|pair| [pair.base, pair.quote]).collect();
        currencies
            .into_iter()
            .map(|currency| {
                let own = self.totals.get(&(self.instant, currency)).copied().unwrap_or(0);
                let stock = self.instant_stock.get(&currency).copied().unwrap_or(0);
                let lacks = stock - own - change(currency);
                if lacks > 0 { self.dollars(currency, lacks, prices) } else { Some(0) }
            })
            .sum()
    }

    /// The worth of an amount in dollars at the highest price, rounded up.
    fn dollars(&self, currency: CurrencyId, amount: i128, (account, quoted): Prices) -> Option<i128> {
        let is_book = |pair: &Pair| pair.base == currency && Some(pair.quote) == self.dollar;
        let book = self.pairs.iter().find(|pair| is_book(pair));
        if Some(currency) == self.dollar || self.pairs.iter().any(|pair| is_book(pair) && pair.wraps) {
            return Some(amount);
        }
        let last = book.and_then(|pair| Some(i128::from(pair.last?.ticks()) * pair.tick));
        let quoted = quoted.filter(|(of, _)| *of == currency).map(|(_, price)| price);
        let price = [last, quoted, self.reference(account, currency)].into_iter().flatten().max()?;
        Some(scaled(amount, price, ONE, true))
    }
}

/// Whose orders do not count in a valuation, and the price of a quote in dollars.
type Prices = (Option<AccountId>, Option<(CurrencyId, i128)>);

/// One unit of a currency.
pub(super) const ONE: i128 = 10_i128.pow(19);

/// A product of positive numbers divided, rounded up or down.
pub(super) fn scaled(amount: i128, factor: i128, divisor: i128, up: bool) -> i128 {
    let product = BigInt::from(amount) * factor;
    let more = if up { divisor - 1 } else { 0 };
    i128::try_from((product + more) / divisor).unwrap()
}

/// The cost or the proceeds of a quantity, order by order; none if there is less.
fn cost(pair: &Pair, orders: &[OrderState], qty: Qty) -> Option<i128> {
    let (mut left, mut sum) = (qty, 0);
    for order in orders {
        let part = left.min(order.remaining);
        sum += notional(pair, order.price, part);
        left -= part;
    }
    (left == Qty::ZERO).then_some(sum)
}

/// Price times quantity.
fn notional(pair: &Pair, price: Price, qty: Qty) -> i128 {
    i128::from(price.ticks()) * int(qty) * pair.quote_unit
}

fn is_old(quote: &ConvertQuote, now: Time) -> bool {
    now.0 > quote.time.0 + MINUTE
}

fn takes_market_orders(pair: &Pair) -> Result<(), ConvertReject> {
    match pair.status {
        SymbolStatus::Open => Ok(()),
        SymbolStatus::Closed => Err(ConvertReject::MarketClosed),
        status => Err(ConvertReject::MarketNotOpen(status)),
    }
}
