//! Conversions with a house account: wraps and instant orders.

use super::reserve::{ceil_bps, int};
use super::{Naive, Pair};
use crate::exchange::{Happening, fees_account};
use buttonwood_engine::{
    Answer, ConvertCommand, ConvertInfrequent, ConvertQuote, ConvertReject, Execute, Outcome, QuoteId,
    QuoteRequest, Reject, Spend, Term, Terms, Wrap, Wrapped,
};
use buttonwood_model::{AccountId, CurrencyId, OrderId, Side, SymbolId, SymbolStatus, Time};
use buttonwood_num::{Money, Price, Qty};

/// Quotes live a minute, and an account has ten of them.
const MINUTE: u64 = 60 * Time::SECOND;
const QUOTES: usize = 10;

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
                Outcome::Converted(event.answer().unwrap())
            }
        }
    }

    pub(super) fn set_instant_terms(&mut self, terms: Terms) -> Answer {
        if terms.fee.0 > 10_000 || terms.exposure < Money::ZERO {
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
        self.pay(account, self.issuer, given, amount);
        self.pay(self.issuer, account, received, amount);
        Ok(ConvertInfrequent::Wrapped(Wrapped { order: self.take_id(), account, wrap }))
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
        let (qty, price) = self.offered(symbol, spend).ok_or(ConvertReject::NoLiquidity)?;
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

    /// The quantity, and the price of the last level that it needs.
    fn offered(&self, symbol: SymbolId, spend: Spend) -> Option<(Qty, Price)> {
        let side = if matches!(spend, Spend::Buy(_)) { Side::Sell } else { Side::Buy };
        let queue = self.queue(symbol, side);
        let mut prices: Vec<Price> = queue.iter().map(|order| order.price).collect();
        prices.dedup();
        prices.into_iter().find_map(|price| {
            let is_reached = |at: Price| if side == Side::Sell { at <= price } else { at >= price };
            let depth: Qty =
                queue.iter().filter(|order| is_reached(order.price)).map(|order| order.remaining).sum();
            let more = depth + Qty::from_hundredths(1);
            let qty = match spend {
                Spend::Buy(money) => {
                    self.affordable(symbol, price, more, money.units(), self.instant_terms.fee)
                }
                Spend::Sell(qty) => qty,
            };
            (qty <= depth).then_some((qty, price))
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
        self.check_exposure(&quote)?;
        let (base_currency, quote_currency, fee) = (pair.base, pair.quote, quote.fee.units());
        let (given, needed) = match quote.side {
            Side::Buy => (quote_currency, worth + fee),
            Side::Sell => (base_currency, base),
        };
        if needed > self.available(account, given) {
            return Err(ConvertReject::InsufficientFunds);
        }
        self.quotes.remove(at);
        let (buyer, seller) =
            if quote.side == Side::Buy { (account, self.instant) } else { (self.instant, account) };
        self.pay(buyer, seller, quote_currency, worth);
        self.pay(seller, buyer, base_currency, base);
        self.pay(account, fees_account(), quote_currency, fee);
        Ok(ConvertInfrequent::Executed(self.take_id(), quote))
    }

    /// What the house owes may be worth no more than the limit, unless a conversion does not raise it.
    fn check_exposure(&self, quote: &ConvertQuote) -> Result<(), ConvertReject> {
        let pair = &self.pairs[quote.symbol.index()];
        let sign = if quote.side == Side::Buy { -1 } else { 1 };
        let change = |currency| {
            if currency == pair.base {
                sign * int(quote.qty) * pair.base_unit
            } else if currency == pair.quote {
                -sign * notional(pair, quote.price, quote.qty)
            } else {
                0
            }
        };
        let after = self.exposure(change).ok_or(ConvertReject::BeyondExposure)?;
        let is_no_more = self.exposure(|_| 0).is_some_and(|before| after <= before);
        if after <= self.instant_terms.exposure.units() || is_no_more {
            Ok(())
        } else {
            Err(ConvertReject::BeyondExposure)
        }
    }

    fn exposure(&self, change: impl Fn(CurrencyId) -> i128) -> Option<i128> {
        let currencies: std::collections::BTreeSet<CurrencyId> =
            self.pairs.iter().flat_map(|pair| [pair.base, pair.quote]).collect();
        currencies
            .into_iter()
            .map(|currency| {
                let own = self.totals.get(&(self.instant, currency)).copied().unwrap_or(0);
                let owed = -(own + change(currency));
                if owed > 0 { self.dollars(currency, owed) } else { Some(0) }
            })
            .sum()
    }

    /// What an amount is worth in dollars, each started hundredth of a lot counted whole.
    fn dollars(&self, currency: CurrencyId, amount: i128) -> Option<i128> {
        if Some(currency) == self.dollar {
            return Some(amount);
        }
        let is_priced = |pair: &Pair| pair.base == currency && Some(pair.quote) == self.dollar;
        let at = self.pairs.iter().position(is_priced)?;
        let pair = &self.pairs[at];
        if pair.wraps {
            return Some(amount);
        }
        let best = || self.queue(SymbolId::from_index(at), Side::Sell).first().map(|order| order.price);
        let price = pair.last.or_else(best)?;
        let hundredths = (amount + pair.base_unit - 1) / pair.base_unit;
        Some(i128::from(price.ticks()) * hundredths * pair.quote_unit)
    }
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
