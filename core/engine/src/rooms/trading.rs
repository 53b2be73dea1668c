//! The trading floor in the engine.

use crate::decide::{Decide, Evolve, place_apart};
use crate::evolve::take_id;
use crate::{Event, Note, Outcome, Reject, State, Workspace, operations};
use buttonwood_access::{self as access, Caller};
use buttonwood_funds::Made;
use buttonwood_model::{AccountId, ConnectionId, OrderId, Stamp, SymbolId, Time};
use buttonwood_rates as rates;
use buttonwood_trading::place::Place;
use buttonwood_trading::{
    self as trading, Answer, Break, BreakError, Command, FeeChange, Infrequent, RefusedDraft, cancel,
    connections, stop,
};

impl Decide for Command {
    fn by_key(&self, state: &State, now: Time, caller: &Caller, work: &mut Workspace) -> Outcome {
        let session = match self {
            Self::CancelSession => Some(caller.session),
            Self::CancelAll => None,
            Self::OpenConnection => return open_connection(state, caller, work),
            Self::PlaceOver(connection, order) => {
                return place_over(state, now, (caller, *connection), order, work);
            }
            Self::Refuse(draft) => return refuse(state, caller, draft, work),
            // An order of no account. The rest is refused for its roles.
            Self::Place(_)
            | Self::Cancel(_)
            | Self::ExpireSession(_)
            | Self::CancelOrders(..)
            | Self::SetSymbolStatus(..)
            | Self::ScheduleAuctions(..)
            | Self::Trigger(_)
            | Self::Auction(_)
            | Self::ListSymbol(_)
            | Self::SetFees(_)
            | Self::SetFeeTiers(_)
            | Self::SetPromotion(_)
            | Self::BreakTrade(_)
            | Self::CloseConnection(_)
            | Self::CloseDay => return Outcome::Rejected(Reject::Unknown),
        };
        let Some(account) = caller.account else { return Outcome::Rejected(Reject::Unknown) };
        cancel::many(state.market(now), account, session, &mut work.planner, &mut work.out);
        Outcome::Done
    }

    fn by_exchange(
        &self,
        state: &State,
        now: Time,
        _note: Option<&Note>,
        work: &mut Workspace,
    ) -> Result<Made, Reject> {
        decide(state, now, self, work).map(|()| Made::Nothing)
    }
}

fn decide(state: &State, now: Time, command: &Command, work: &mut Workspace) -> Result<(), Reject> {
    let market = state.market(now);
    let Workspace { out, planner } = work;
    match command {
        Command::ExpireSession(session) => {
            let session_of = state.access.session(*session).ok_or(Reject::Unknown)?;
            // Master keys cannot require heartbeats (SES-016), so the owner is an account.
            if let access::Owner::Account(account) = session_of.key.owner {
                cancel::many(market, account, Some(*session), planner, out);
            }
            Ok(())
        }
        Command::CancelOrders(account, symbol, last) => {
            check_chosen(state, *account, *symbol)?;
            cancel::chosen(market, (*account, *symbol), *last, planner, out);
            Ok(())
        }
        // Else an account that is opened later would inherit the rates.
        Command::SetFees(FeeChange { account: Some(account), .. })
            if state.access.account(*account).is_none() =>
        {
            Err(Reject::Unknown)
        }
        command if operations::waits(state, command) => Err(Reject::Trading(trading::Reject::NotNow)),
        Command::Trigger(order) => {
            let is_due = stop::decide(market, *order, planner, out);
            if is_due { Ok(()) } else { Err(Reject::Trading(trading::Reject::NotNow)) }
        }
        Command::BreakTrade(broken) if pays_closed(state, broken) => {
            Err(Reject::Trading(trading::Reject::Break(BreakError::Closed)))
        }
        Command::Place(_)
        | Command::Cancel(_)
        | Command::CancelSession
        | Command::CancelAll
        | Command::SetSymbolStatus(..)
        | Command::ScheduleAuctions(..)
        | Command::Auction(_)
        | Command::ListSymbol(_)
        | Command::SetFees(_)
        | Command::SetFeeTiers(_)
        | Command::SetPromotion(_)
        | Command::BreakTrade(_)
        | Command::Refuse(_)
        | Command::OpenConnection
        | Command::PlaceOver(..)
        | Command::CloseConnection(_)
        | Command::CloseDay => trading::decide(market, command, out).map_err(Reject::Trading),
    }
}

/// Opens a connection for the account of a key or of a token. A browser and a master key have none.
fn open_connection(state: &State, caller: &Caller, work: &mut Workspace) -> Outcome {
    let owner = state.access.rights_of(caller.session).map(|(owner, _)| owner);
    let Some(access::Owner::Account(account)) = owner else { return Outcome::Rejected(Reject::Unknown) };
    match connections::open(&state.floor, caller.session, account, &mut work.out) {
        Some(connection) => Outcome::Trading(Answer::Connection(connection)),
        None => Outcome::Rejected(Reject::Trading(trading::Reject::TooMany)),
    }
}

/// Places an order over a connection, which is tied to it if it lives after the command.
fn place_over(
    state: &State,
    now: Time,
    (caller, connection): (&Caller, ConnectionId),
    order: &Place,
    work: &mut Workspace,
) -> Outcome {
    let open = state.floor.connections.get(connection);
    if open.is_none_or(|open| open.session != caller.session || Some(open.account) != caller.account) {
        return Outcome::Rejected(Reject::Trading(trading::Reject::NoConnection));
    }
    let outcome = place_apart(state, now, caller, order, work);
    if let Outcome::Trading(Answer::Order(decided)) = outcome {
        let (events, _) = work.out.latest();
        let lives = |event: &trading::Event| {
            matches!(
                event,
                trading::Event::Rested { .. }
                    | trading::Event::Booked { .. }
                    | trading::Event::Suspended { .. }
            )
        };
        if events.iter().filter_map(Event::of_order).any(lives) {
            work.out.push_named(&Infrequent::OrderTied(connection, decided.id));
        }
    }
    outcome
}

/// Reports an order that the caller's side of the interface has refused. The account and the session are the caller's own.
fn refuse(state: &State, caller: &Caller, draft: &RefusedDraft, work: &mut Workspace) -> Outcome {
    let (Some(account), Some(_)) = (caller.account, state.symbol(draft.symbol)) else {
        return Outcome::Rejected(Reject::Unknown);
    };
    let order = draft.with_id(OrderId(state.next_id()), account, caller.session);
    work.out.push_named(&Infrequent::OrderRefused(order));
    Outcome::Rejected(Reject::Trading(trading::Reject::Refused))
}

/// An operator cancels the orders of an account, of a symbol, or of both, and they exist.
fn check_chosen(state: &State, account: Option<AccountId>, symbol: Option<SymbolId>) -> Result<(), Reject> {
    let is_known = account.is_none_or(|account| state.access.account(account).is_some())
        && symbol.is_none_or(|symbol| state.symbol(symbol).is_some());
    if is_known && (account, symbol) != (None, None) { Ok(()) } else { Err(Reject::Unknown) }
}

/// Whether a break would pay money to a closed account, where no key reaches it.
fn pays_closed(state: &State, broken: &Break) -> bool {
    let parties = [broken.buyer.account, broken.seller.account];
    broken.figures.is_some() && parties.into_iter().any(|account| state.access.is_closed(account))
}

impl Evolve for Infrequent {
    fn apply(self, state: &mut State, stamp: Stamp) {
        if let Self::OrderRefused(order) = &self {
            take_id(state, order.id.0);
        }
        let lists = matches!(self, Self::SymbolListed(_));
        let State { floor, desks, next_id, .. } = state;
        trading::evolve_infrequent(floor, desks, stamp.time, *next_id, self);
        if lists {
            value_listed(state);
            state.note_listed();
        }
    }
}

/// Tells the floor how volumes of the symbol that was listed last are counted in dollars.
fn value_listed(state: &mut State) {
    let dollar = state.ledger().dollar();
    let quote = state.symbols().last().and_then(|symbol| state.currency(symbol.quote));
    let pair = quote.and_then(|currency| rates::FxPair::of_currency(&currency.code));
    let is_wrapped = state.symbols().last().is_some_and(|symbol| state.desks.is_dollar(symbol.quote));
    state.floor.value_listed(dollar, pair, is_wrapped);
}
