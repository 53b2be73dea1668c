//! What a command comes to: refusals first, general to specific.

use crate::{Body, Command, Event, Founding, Outcome, Rare, Reject, SYMBOLS_MAX, State, Workspace};
use alloc::vec::Vec;
use buttonwood_access::{self as access, Caller};
use buttonwood_auction::Schedule;
use buttonwood_model::{
    AccountId, CancelReason, CurrencyId, Outbox, Product, SessionId, Stamp, SymbolId, SymbolStatus, Time,
};
use buttonwood_num::Money;
use buttonwood_planted::{Bug, planted};
use buttonwood_spot::{Decided, Market, auction, cancel, place, status};

/// Decides one command. Reads the state, changes nothing of it, and appends what happens to `work.out`:
/// [`buttonwood_model::Outbox::latest`] shows it.
///
/// A refusal of a signed call still uses its nonce, so it is an outcome with an event too (SES-006). The stamp is part of
/// what is decided upon: an auction takes orders, and lets go of them, at its times.
pub fn decide(state: &State, command: &Command, stamp: Stamp, work: &mut Workspace) -> Outcome {
    work.out.begin();
    let Some(caller) = &command.caller else { return decide_own(state, stamp.time, &command.body, work) };
    let market = state.market(stamp.time);
    if let Err(reject) = access::admit(&state.access, caller, command.body.roles()) {
        return refuse(caller, reject, work);
    }
    if !planted(Bug::CancelKeepsNonce) || !matches!(command.body, Body::Cancel(_)) {
        work.out.push(Event::NonceUsed(caller.session, caller.nonce.by_words()));
    }
    match (&command.body, caller.account) {
        (Body::Place(order), Some(account)) => {
            decide_place(state, market, account, caller.session, order, work)
        }
        (Body::Cancel(order), Some(account)) => decide_cancel(market, account, order, work),
        (body, _) => decide_seldom(market, caller, body, work),
    }
}

#[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
#[inline(always)]
fn decide_cancel(
    market: Market<'_>,
    account: AccountId,
    order: &cancel::OrderRef,
    work: &mut Workspace,
) -> Outcome {
    match cancel::one(market, account, order, &mut work.out) {
        Some(decided) => Outcome::Order(decided),
        None => Outcome::NotLive,
    }
}

#[cold]
fn refuse(caller: &Caller, reject: access::Reject, work: &mut Workspace) -> Outcome {
    match reject {
        access::Reject::UnknownSession | access::Reject::NonceUsed => {}
        access::Reject::ForeignAccount | access::Reject::MissingRole if planted(Bug::RefusalKeepsNonce) => {}
        access::Reject::ForeignAccount | access::Reject::MissingRole => {
            work.out.push(Event::NonceUsed(caller.session, caller.nonce));
        }
    }
    Outcome::Rejected(Reject::Access(reject))
}

/// What a key seldom asks.
#[inline(never)]
fn decide_seldom(market: Market<'_>, caller: &Caller, body: &Body, work: &mut Workspace) -> Outcome {
    if matches!(body, Body::UseNonce) {
        return Outcome::Done;
    }
    let Some(account) = caller.account else { return Outcome::Rejected(Reject::Unknown) };
    match body {
        Body::CancelSession => {
            cancel::many(market, account, Some(caller.session), &mut work.planner, &mut work.out);
            Outcome::Done
        }
        Body::CancelAll => {
            cancel::many(market, account, None, &mut work.planner, &mut work.out);
            Outcome::Done
        }
        // The first two have an account only where they are decided before.
        Body::Place(_)
        | Body::Cancel(_)
        | Body::UseNonce
        | Body::NoncesSeen(_)
        | Body::ExpireSession(_)
        | Body::SetSymbolStatus(..)
        | Body::ResetNonces(_)
        | Body::Found(_)
        | Body::ScheduleAuctions(..)
        | Body::Auction(_)
        | Body::MoveClock => Outcome::Rejected(Reject::NotNow),
    }
}

#[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
#[inline(always)]
fn decide_place(
    state: &State,
    market: Market<'_>,
    account: AccountId,
    session: SessionId,
    order: &place::Place,
    work: &mut Workspace,
) -> Outcome {
    // The account's entry is far from everything else an order reads.
    let home = || state.access.account(account).map_or("", |account| account.jurisdiction.as_str());
    let Workspace { out, planner } = work;
    match place::decide(market, place::Owner { account, session }, home, order, planner, out) {
        Ok(id) => Outcome::Order(Decided { id, kept: None }),
        Err(reject) => Outcome::Rejected(Reject::Place(reject)),
    }
}

/// What the exchange asks of itself, or an operator of it.
#[inline(never)]
fn decide_own(state: &State, now: Time, body: &Body, work: &mut Workspace) -> Outcome {
    match decide_own_events(state, now, body, work) {
        Ok(()) => Outcome::Done,
        Err(reject) => {
            work.out.undo();
            Outcome::Rejected(reject)
        }
    }
}

fn decide_own_events(state: &State, now: Time, body: &Body, work: &mut Workspace) -> Result<(), Reject> {
    let market = state.market(now);
    let out = &mut work.out;
    match body {
        Body::NoncesSeen(nonces) => {
            for (session, nonce) in nonces {
                out.push(Event::NonceUsed(*session, *nonce));
            }
        }
        Body::ExpireSession(session) => {
            let session_of = state.access.session(*session).ok_or(Reject::Unknown)?;
            // Master keys cannot ask for heartbeats (SES-016), so the owner is an account.
            if let access::Owner::Account(account) = session_of.key.owner {
                cancel::many(market, account, Some(*session), &mut work.planner, out);
            }
        }
        Body::SetSymbolStatus(symbol, to) => {
            let listed = state.symbol(*symbol).ok_or(Reject::Unknown)?;
            if listed.product == Product::Swap && *to != SymbolStatus::Closed {
                // Until contracts have a room of their own (D-33): here they would trade the base currency itself.
                return Err(Reject::NotNow);
            }
            if listed.status != *to {
                Rare::SymbolStatusChanged(*symbol, *to).push(out);
                status::decide(market, *symbol, *to, out);
            }
        }
        Body::ResetNonces(session) => {
            state.access.session(*session).ok_or(Reject::Unknown)?;
            Rare::NoncesForgotten(*session).push(out);
        }
        Body::ScheduleAuctions(symbol, schedule) => schedule_auctions(state, now, *symbol, *schedule, out)?,
        Body::Auction(symbol) => {
            let tell = |told, out: &mut Outbox<Event>| match told {
                auction::Told::Indicated(finding) => Rare::AuctionIndicated(*symbol, finding).push(out),
                auction::Told::Cut(finding, before) => Rare::AuctionCut(*symbol, finding, before).push(out),
                auction::Told::Ended(finding) => Rare::AuctionEnded(*symbol, finding).push(out),
            };
            if !auction::decide(market, *symbol, out, tell) {
                return Err(Reject::NotNow);
            }
        }
        Body::Found(founding) => return found(state, founding, work),
        // It is what it is stamped with.
        Body::MoveClock => {}
        Body::Place(_) | Body::Cancel(_) | Body::CancelSession | Body::CancelAll | Body::UseNonce => {
            return Err(Reject::Unknown);
        }
    }
    Ok(())
}

fn schedule_auctions(
    state: &State,
    now: Time,
    symbol: SymbolId,
    schedule: Option<Schedule>,
    out: &mut Outbox<Event>,
) -> Result<(), Reject> {
    let listed = state.symbol(symbol).ok_or(Reject::Unknown)?;
    let is_settling = state.auctions(symbol).is_some_and(|auctions| auctions.settling().is_some());
    if listed.product == Product::Swap || is_settling {
        return Err(Reject::NotNow);
    }
    if let Some(schedule) = schedule {
        schedule.check(now).map_err(Reject::Schedule)?;
    } else {
        auction::abandon(state.market(now), symbol, CancelReason::AuctionCancelled, out);
    }
    Rare::AuctionsScheduled(symbol, schedule).push(out);
    Ok(())
}

fn credit(
    state: &State,
    to: AccountId,
    amounts: &[(CurrencyId, Money)],
    work: &mut Workspace,
) -> Result<(), Reject> {
    state.access.account(to).ok_or(Reject::Unknown)?;
    let mut sums: Vec<(CurrencyId, Money)> = Vec::new();
    for (currency, amount) in amounts {
        state.currency(*currency).ok_or(Reject::Unknown)?;
        if *amount <= Money::ZERO {
            return Err(Reject::BadAmount);
        }
        let before = sums.iter().filter(|(same, _)| same == currency).map(|(_, sum)| *sum).sum::<Money>();
        let sum = before.checked_add(*amount).ok_or(Reject::BadAmount)?;
        state.pit.ledger.can_issue(*currency, sum).map_err(|_| Reject::BadAmount)?;
        sums.push((*currency, *amount));
        Rare::Credited(to, *currency, *amount).push(&mut work.out);
    }
    Ok(())
}

/// Reference data, groups, accounts, sessions, money: what an exchange is founded on.
fn found(state: &State, founding: &Founding, work: &mut Workspace) -> Result<(), Reject> {
    if state.opening.is_some() == matches!(founding, Founding::Open(_)) {
        return Err(Reject::NotNow);
    }
    let event = match founding {
        Founding::Credit(account, amounts) => return credit(state, *account, amounts, work),
        Founding::Open(opening) => {
            if !opening.fees.is_valid() {
                return Err(Reject::BadAmount);
            }
            Rare::Opened(*opening)
        }
        Founding::ListCurrency(currency) => {
            if state.currencies.iter().any(|listed| listed.code == currency.code) {
                return Err(Reject::Taken);
            }
            Rare::CurrencyListed(currency.clone())
        }
        Founding::ListSymbol(symbol) => {
            let known = |currency: CurrencyId| state.currency(currency).ok_or(Reject::Unknown);
            known(symbol.base)?;
            known(symbol.quote)?;
            if symbol.base == symbol.quote {
                return Err(Reject::Unknown);
            }
            if state.pit.symbols.iter().any(|listed| listed.name == symbol.name) {
                return Err(Reject::Taken);
            }
            if state.pit.symbols.len() >= SYMBOLS_MAX {
                return Err(Reject::TooMany);
            }
            Rare::SymbolListed(symbol.clone())
        }
        Founding::AddGroup(name) => {
            if state.access.find_group(name).is_some() {
                return Err(Reject::Taken);
            }
            Rare::GroupAdded(name.clone())
        }
        Founding::OpenAccount(account) => {
            let group = account.group.ok_or(Reject::Unknown)?;
            state.access.group(group).ok_or(Reject::Unknown)?;
            if state.access.find_account(group, &account.short_name).is_some() {
                return Err(Reject::Taken);
            }
            Rare::AccountOpened(account.clone())
        }
        Founding::AddSession(session) => {
            check_session(state, session)?;
            Rare::SessionAdded(session.clone())
        }
    };
    event.push(&mut work.out);
    Ok(())
}

/// A key has a valid set of roles, an owner that exists, the prefix of its kind, and no heartbeat when it is a
/// master key (AUTH-015, AUTH-024, SES-016).
fn check_session(state: &State, session: &access::NewSession) -> Result<(), Reject> {
    let exists = match session.owner {
        // The house's own accounts are in no group, and no key reaches them.
        access::Owner::Account(account) => {
            state.access.account(account).is_some_and(|account| account.group.is_some())
        }
        access::Owner::Group(group) => state.access.group(group).is_some(),
    };
    let prefix = match session.owner {
        access::Owner::Account(_) => "account-",
        access::Owner::Group(_) => "master-",
    };
    let heartbeat_ok = !session.require_heartbeat || matches!(session.owner, access::Owner::Account(_));
    if !exists || !session.roles.is_valid() || !session.api_key.starts_with(prefix) || !heartbeat_ok {
        return Err(Reject::Unknown);
    }
    if state.access.sessions().iter().any(|other| other.key.api_key == session.api_key) {
        return Err(Reject::Taken);
    }
    Ok(())
}
