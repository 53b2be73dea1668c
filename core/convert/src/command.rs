//! Commands and infrequent events of this room.

use crate::{
    Client, Conversions, Execute, Quote, QuoteId, QuoteRequest, Term, Terms, Wrap, Wrapped, execute, quote,
    wrap,
};
use buttonwood_ledger::Ledger;
use buttonwood_model::{
    BytesRef, ClientId, CurrencyId, OrderId, Outbox, Right, Role, Roles, Scope, Scopes, Symbol, SymbolStatus,
    commands, named,
};
use buttonwood_num::Money;
use buttonwood_room::Context;

/// A command of this room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Wrap or unwrap.
    Wrap(Wrap),
    /// Quote a price.
    Quote(QuoteRequest),
    /// Execute a quote.
    Execute(Execute),
    /// Set the terms of instant orders.
    SetTerms(Terms),
}

// A quote counts as trading: in a halt it could not be executed.
commands!(Command, "convert", {
    Wrap { 0: wrap } = "wrap" 1: client(Self::RIGHT) trades,
    Quote { 0: request } = "quote" 1: client(Self::RIGHT) trades,
    Execute { 0: execute } = "execute" 2: client(Self::RIGHT) trades,
    SetTerms { 0: terms } = "set_terms" 2: exchange neither,
});

impl Command {
    /// The rights that a client needs to convert.
    pub const RIGHT: Right =
        Right { roles: Roles::of(&[Role::Trader]), scopes: Scopes::of(&[Scope::OrdersCreate]) };
}

/// An infrequent event of this room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Infrequent {
    /// An account wrapped or unwrapped.
    Wrapped(Wrapped),
    /// An account got a quote.
    Quoted(Quote),
    /// An account executed a quote; the execution has this id, from the counter of orders and trades, and this one of the client.
    Executed(OrderId, Quote, Option<ClientId>),
    /// The terms of instant orders were set.
    TermsSet(Terms),
}

named!(Infrequent, "convert", {
    Wrapped { 0: wrapped } = "wrapped" 1,
    Quoted { 0: quote } = "quoted" 1,
    Executed { 0: order, 1: quote, 2: client_id } = "executed" 2,
    TermsSet { 0: terms } = "terms_set" 2,
});

impl Infrequent {
    /// The id that the event takes from the counter of orders and trades.
    pub fn order(&self) -> Option<OrderId> {
        match self {
            Self::Wrapped(wrapped) => Some(wrapped.order),
            Self::Executed(order, ..) => Some(*order),
            Self::Quoted(_) | Self::TermsSet(_) => None,
        }
    }
}

/// The answer to a command of this room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// An amount was wrapped or unwrapped.
    Wrapped(Wrapped),
    /// The quote.
    Quoted(Quote),
    /// The quote that was executed, and the id of the execution.
    Executed(OrderId, Quote),
}

impl Answer {
    /// The amounts that were wrapped or unwrapped.
    pub fn wrapped(&self) -> Option<&Wrapped> {
        if let Self::Wrapped(wrapped) = self { Some(wrapped) } else { None }
    }

    /// The quote that was made.
    pub fn quoted(&self) -> Option<&Quote> {
        if let Self::Quoted(quote) = self { Some(quote) } else { None }
    }

    /// The id of the execution, and the quote that was executed.
    pub fn executed(&self) -> Option<(OrderId, &Quote)> {
        if let Self::Executed(order, quote) = self { Some((*order, quote)) } else { None }
    }
}

/// Why a command of this room is refused. The variants are in the order of the checks (D-05).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject {
    /// The account has no such quote that it may still execute (WRAP-017).
    NoQuote,
    /// A term of the execution is not the quote's (WRAP-015).
    Differs(Term),
    /// Not listed, closed to the account's jurisdiction (SYM-005), or not for this kind of conversion (WRAP-005).
    InvalidSymbol,
    /// Below the symbol's minimum.
    BelowMinimum,
    /// The symbol is closed (SYM-024).
    MarketClosed,
    /// The symbol's status does not take this conversion.
    MarketNotOpen(SymbolStatus),
    /// Other groups offer too little in the book, or too far from the reference, or there is no reference, or the house account has too
    /// little (D-179, D-180).
    NoLiquidity,
    /// The price has moved against the house by more than 1 % since this quote (D-179).
    Moved(QuoteId),
    /// The exposure of the house account would be too high, or its value cannot be told.
    BeyondExposure,
    /// The account has too little available (WRAP-006, WRAP-018).
    InsufficientFunds,
    /// Its group would give up more against the index than its open advances let it (D-181).
    Advances,
    /// The house account is not open.
    Unavailable,
    /// The rate of the fee is above 100 %, or the limit or the depth is negative.
    BadTerms,
    /// No key may send the command, or only a key may.
    Unknown,
}

/// Decides a command of a client: appends its event and answers, or refuses it.
///
/// # Errors
/// [`Reject`]; no event was appended.
pub fn decide<E: From<BytesRef>>(
    context: &Context<'_, Conversions>,
    client: Client<'_>,
    command: &Command,
    out: &mut Outbox<E>,
) -> Result<Answer, Reject> {
    let (event, answer) = match command {
        Command::Wrap(wrap) => {
            let wrapped = wrap::decide(context, client, *wrap)?;
            (Infrequent::Wrapped(wrapped), Answer::Wrapped(wrapped))
        }
        Command::Quote(request) => {
            let quote = quote::decide(context, client, *request)?;
            (Infrequent::Quoted(quote), Answer::Quoted(quote))
        }
        Command::Execute(execute) => {
            let (order, quote) = (OrderId(context.next_id), execute::decide(context, client, execute)?);
            (Infrequent::Executed(order, quote, execute.client_id), Answer::Executed(order, quote))
        }
        Command::SetTerms(_) => return Err(Reject::Unknown),
    };
    out.push_named(&event);
    Ok(answer)
}

/// The amount that a client's command takes from its account, and the currency that it gives; none of a quote, which moves nothing.
pub fn taken(
    context: &Context<'_, Conversions>,
    client: Client<'_>,
    command: &Command,
) -> Option<(CurrencyId, Money, CurrencyId)> {
    let (symbol, side) = match command {
        Command::Wrap(wrap) => (wrap.symbol, wrap.side),
        Command::Execute(execute) => (execute.symbol, execute.side),
        Command::Quote(_) | Command::SetTerms(_) => return None,
    };
    let symbol = context.symbols.get(symbol.index())?;
    let amount = match command {
        Command::Wrap(wrap) => symbol.grid.base(wrap.qty)?,
        Command::Execute(execute) => {
            context.room.find(execute.quote, client.account, context.time)?.amounts(symbol)?.spend
        }
        Command::Quote(_) | Command::SetTerms(_) => return None,
    };
    Some((symbol.paid_in(side), amount, symbol.paid_in(side.opposite())))
}

/// The amounts that a client's command gives and gets, without the fee; none of a quote, which moves nothing.
pub fn exchanged(
    context: &Context<'_, Conversions>,
    client: Client<'_>,
    command: &Command,
) -> Option<[(CurrencyId, Money); 2]> {
    match command {
        Command::Wrap(wrap) => {
            let symbol = context.symbols.get(wrap.symbol.index())?;
            let amount = symbol.grid.base(wrap.qty)?;
            Some([(symbol.paid_in(wrap.side), amount), (symbol.paid_in(wrap.side.opposite()), amount)])
        }
        Command::Execute(execute) => {
            let quote = context.room.find(execute.quote, client.account, context.time)?;
            let symbol = context.symbols.get(quote.symbol.index())?;
            let amounts = quote.amounts(symbol)?;
            Some([quote.taken(symbol, &amounts), quote.given(symbol, &amounts)])
        }
        Command::Quote(_) | Command::SetTerms(_) => None,
    }
}

/// Decides a command of the operator.
///
/// # Errors
/// [`Reject`]; no event was appended.
pub fn decide_own<E: From<BytesRef>>(command: &Command, out: &mut Outbox<E>) -> Result<(), Reject> {
    match command {
        Command::SetTerms(terms) if terms.are_valid() => out.push_named(&Infrequent::TermsSet(*terms)),
        Command::SetTerms(_) => return Err(Reject::BadTerms),
        Command::Wrap(_) | Command::Quote(_) | Command::Execute(_) => return Err(Reject::Unknown),
    }
    Ok(())
}

/// Applies an infrequent event.
///
/// # Panics
/// When the event does not follow from the state.
pub fn evolve(conversions: &mut Conversions, ledger: &mut Ledger, symbols: &[Symbol], event: &Infrequent) {
    match event {
        Infrequent::Wrapped(wrapped) => wrap::settle(ledger, symbols, *wrapped),
        Infrequent::Quoted(quote) => conversions.add(*quote),
        Infrequent::Executed(order, quote, _) => {
            conversions.remove(quote.id);
            execute::settle(ledger, symbols, *order, quote);
        }
        Infrequent::TermsSet(terms) => conversions.set_terms(*terms),
    }
}
