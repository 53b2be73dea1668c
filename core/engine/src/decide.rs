//! Decides commands: refusals first, from general to specific. Each room decides its own commands.

use crate::{
    Act, ApprovalError, Audit, Body, Command, Desks, Event, Founded, Founding, Note, Operated, Operation,
    Outcome, Proposed, Reject, State, Workspace, advances, operations,
};
use alloc::sync::Arc;
use buttonwood_access::{self as access, Caller};
use buttonwood_convert::{self as convert, Conversions};
use buttonwood_funds::{self as funds, Made};
use buttonwood_ledger as ledger;
use buttonwood_model::{AccountId, CancelReason, Outbox, SessionId, Stamp, Time};
use buttonwood_num::Money;
use buttonwood_perp::{self as perp, liquidation::Task};
use buttonwood_rates as rates;
use buttonwood_room::Context;
use buttonwood_spot_margin as spot_margin;
use buttonwood_trading::{self as trading, Answer, Decided, Market, cancel, place, stop};

/// Decides one command. Reads the state, does not change it, and appends the events to `work.out`;
/// [`buttonwood_model::Outbox::latest`] returns them.
///
/// A refusal of a signed call still uses its nonce, so it has an event too (SES-006). The decision depends on
/// the stamp: an auction takes orders, and allows cancels, only at certain times.
pub fn decide(state: &State, command: &Command, stamp: Stamp, work: &mut Workspace) -> Outcome {
    work.out.begin();
    let Some(caller) = &command.caller else {
        return decide_internal(state, stamp.time, &command.body, work);
    };
    let market = state.market(stamp.time);
    if let Err(reject) = access::admit(&state.access, caller, command.body.roles()) {
        return refuse(caller, reject, work);
    }
    work.out.push(access::Event::NonceUsed(caller.session, caller.nonce.by_words()));
    if state.operations.is_halted() && command.body.may_trade() {
        return Outcome::Rejected(Reject::Halted);
    }
    match (&command.body, caller.account) {
        (Body::Trading(trading::Command::Place(order)), Some(account)) => {
            decide_place(state, market, account, caller.session, order, work)
        }
        (Body::Trading(trading::Command::Cancel(order)), Some(account)) => {
            decide_cancel(market, account, order, work)
        }
        (body, _) => decide_infrequent(state, market, caller, body, work),
    }
}

#[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
#[inline(always)]
fn decide_cancel(
    market: Market<'_, Desks>,
    account: AccountId,
    order: &cancel::OrderRef,
    work: &mut Workspace,
) -> Outcome {
    Outcome::Trading(match cancel::one(market, account, order, &mut work.out) {
        Some(decided) => Answer::Order(decided),
        None => Answer::NotLive,
    })
}

#[cold]
fn refuse(caller: &Caller, reject: access::Reject, work: &mut Workspace) -> Outcome {
    if reject.uses_nonce() {
        work.out.push(access::Event::NonceUsed(caller.session, caller.nonce));
    }
    Outcome::Rejected(Reject::Access(reject))
}

/// The infrequent commands of a key.
#[inline(never)]
fn decide_infrequent(
    state: &State,
    market: Market<'_, Desks>,
    caller: &Caller,
    body: &Body,
    work: &mut Workspace,
) -> Outcome {
    let session = match body {
        Body::Access(command) => return decide_access(state, market.time, caller, command, work),
        Body::Convert(command) => return decide_convert(state, market.time, caller, command, work),
        Body::Funds(command) => {
            return match funds::decide(
                &state.of_funds(market.time),
                funds::Sender::Key(caller),
                command,
                &mut work.out,
            ) {
                Ok(made) => Outcome::Funds(made),
                Err(reject) => Outcome::Rejected(Reject::Funds(reject)),
            };
        }
        Body::Trading(trading::Command::CancelSession) => Some(caller.session),
        Body::Trading(trading::Command::CancelAll) => None,
        // An order of no account. The rest is refused for its roles.
        Body::Trading(_)
        | Body::Ledger(_)
        | Body::Rates(_)
        | Body::Perp(_)
        | Body::SpotMargin(_)
        | Body::Founding(_)
        | Body::Act(_)
        | Body::Operation(_) => {
            return Outcome::Rejected(Reject::Unknown);
        }
    };
    let Some(account) = caller.account else { return Outcome::Rejected(Reject::Unknown) };
    cancel::many(market, account, session, &mut work.planner, &mut work.out);
    Outcome::Done
}

/// A key's command of the directory, which knows the commands that keys may send.
fn decide_access(
    state: &State,
    now: Time,
    caller: &Caller,
    command: &access::Command,
    work: &mut Workspace,
) -> Outcome {
    match access::decide(&state.access, (now, state.seed()), Some(caller), command, &mut work.out) {
        Ok(()) => Outcome::Done,
        Err(reject) => {
            work.out.undo();
            refuse(caller, reject, work)
        }
    }
}

/// A client's conversion. Only accounts that trade convert (WRAP-007).
fn decide_convert(
    state: &State,
    now: Time,
    caller: &Caller,
    command: &convert::Command,
    work: &mut Workspace,
) -> Outcome {
    let Some(account) = caller.account else { return Outcome::Rejected(Reject::Unknown) };
    if !state.access.may_place(caller.session, account) {
        return Outcome::Rejected(Reject::Access(no_trader(state, account)));
    }
    // Accounts that trade perpetuals trade nothing else (D-36).
    if state.desks.is_derivatives(account) {
        return Outcome::Rejected(Reject::Access(access::Reject::WrongKind));
    }
    let context = &state.context(&state.conversions, now);
    let home = state.access.account(account).map_or("", |account| account.jurisdiction.as_str());
    let client = convert::Client { account, home, own: state.desks.members(account) };
    let lost =
        advances::lost_by_conversion(state, now, account, convert::exchanged(context, client, command));
    let short = if !may_convert(state, context, client, command) {
        Some(convert::Reject::InsufficientFunds)
    } else if !state.may_give_up(lost) {
        Some(convert::Reject::Advances)
    } else {
        None
    };
    if let Some(short) = short {
        // What else refuses it comes first.
        let decided = convert::decide(context, client, command, &mut Outbox::<Event>::default());
        return Outcome::Rejected(Reject::Convert(decided.err().unwrap_or(short)));
    }
    match convert::decide(context, client, command, &mut work.out) {
        Ok(()) => {
            advances::note_conversion(lost, &mut work.out);
            Outcome::Converted(())
        }
        Err(reject) => Outcome::Rejected(Reject::Convert(reject)),
    }
}

/// Whether a margin account may give what a conversion takes (D-165). Dollars that it gets repay what it owes.
fn may_convert(
    state: &State,
    context: &Context<'_, Conversions>,
    client: convert::Client<'_>,
    command: &convert::Command,
) -> bool {
    let Some((currency, amount, gets)) = convert::taken(context, client, command) else { return true };
    state.leave().may_convert(client.account, (currency, amount), (gets, state.ledger().dollar()))
}

#[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
#[inline(always)]
fn decide_place(
    state: &State,
    market: Market<'_, Desks>,
    account: AccountId,
    session: SessionId,
    order: &place::Place,
    work: &mut Workspace,
) -> Outcome {
    if !state.access.may_place(session, account) {
        return Outcome::Rejected(Reject::Access(no_trader(state, account)));
    }
    // The account's entry is far in memory from everything else that an order reads, so it is read only if
    // needed.
    let home = || state.access.account(account).map_or("", |account| account.jurisdiction.as_str());
    let Workspace { out, planner } = work;
    match place::decide(market, place::Placer { account, session }, home, order, planner, out) {
        Ok(id) => {
            advances::note_given_up(state, market.time, out);
            Outcome::Trading(Answer::Order(Decided { id, kept: None }))
        }
        Err(reject) => Outcome::Rejected(Reject::place(reject)),
    }
}

/// Why an account places no orders.
#[cold]
fn no_trader(state: &State, account: AccountId) -> access::Reject {
    if state.access.is_closed(account) {
        access::Reject::Closed
    } else if state.access.is_in_debt(account) {
        access::Reject::InDebt
    } else {
        access::Reject::WrongKind
    }
}

/// Decides a command of the exchange itself or of an operator.
#[inline(never)]
fn decide_internal(state: &State, now: Time, body: &Body, work: &mut Workspace) -> Outcome {
    let decided = if let Body::Act(act) = body {
        decide_act(state, now, act, work)
    } else {
        decide_internal_events(state, now, body, None, work)
    };
    if decided.is_ok() {
        advances::note_given_up(state, now, &mut work.out);
    }
    match decided {
        Ok(Made::Nothing) => Outcome::Done,
        Ok(made) => Outcome::Funds(made),
        Err(reject) => {
            work.out.undo();
            Outcome::Rejected(reject)
        }
    }
}

/// Decides the command of an operator, and notes who sent it if it is not refused.
fn decide_act(state: &State, now: Time, act: &Act, work: &mut Workspace) -> Result<Made, Reject> {
    if state.opening.is_none() {
        return Err(Reject::NotNow);
    }
    let approved = check_approval(state, now, act)?;
    let made = match &act.body {
        Some(body) => decide_act_events(state, now, body, &act.note, work)?,
        None => Made::Nothing,
    };
    if let Some(id) = approved {
        work.out.push_named(&Operated::Approved(id));
    }
    work.out.push_named(&Audit::Acted(act.note.clone(), state.last_act));
    Ok(made)
}

/// The number of the guarded command that an act carries out, if it may.
fn check_approval(state: &State, now: Time, act: &Act) -> Result<Option<u64>, Reject> {
    if act.approves == 0 {
        return Ok(None);
    }
    let approvable = state.operations.approvable(now, act.approves, &act.note.who);
    let proposal = approvable.map_err(Reject::Operation)?;
    let is_command = matches!(proposal.what, Proposed::Command(_));
    if is_command { Ok(Some(act.approves)) } else { Err(Reject::Operation(ApprovalError::Unknown)) }
}

/// An operator's command takes effect, or is proposed, or approves what another operator has proposed.
fn decide_act_events(
    state: &State,
    now: Time,
    body: &Body,
    note: &Note,
    work: &mut Workspace,
) -> Result<Made, Reject> {
    if let Body::Operation(Operation::Approve(id)) = body {
        let approved = operations::approved(state, now, *id, &note.who).map_err(Reject::Operation)?;
        let made = decide_internal_events(state, now, &approved, Some(note), work)?;
        work.out.push_named(&Operated::Approved(*id));
        return Ok(made);
    }
    let made = decide_internal_events(state, now, body, Some(note), work)?;
    if let Some(what) = operations::proposed(state, body) {
        work.out.undo();
        operations::propose(state, now, what, note, &mut work.out)?;
    }
    operations::withdraw(state, body, &mut work.out);
    Ok(made)
}

/// Decides the events of a command; `note` is that of its operator.
fn decide_internal_events(
    state: &State,
    now: Time,
    body: &Body,
    note: Option<&Note>,
    work: &mut Workspace,
) -> Result<Made, Reject> {
    if state.opening.is_none() && body.needs_opening() {
        return Err(Reject::NotNow);
    }
    if let Body::Funds(command) = body {
        let context = state.of_funds(now);
        let made = funds::decide(&context, funds::Sender::Exchange, command, &mut work.out)
            .map_err(Reject::Funds)?;
        if let Made::Loan(account) = made {
            // What its orders hold repays the loan (D-167).
            let reason = CancelReason::Requested;
            cancel::forced(state.market(now), account, reason, &mut work.planner, &mut work.out);
        }
        return Ok(made);
    }
    decide_other_events(state, now, body, note, work).map(|()| Made::Nothing)
}

/// Decides the events of a command of another room than funds.
fn decide_other_events(
    state: &State,
    now: Time,
    body: &Body,
    note: Option<&Note>,
    work: &mut Workspace,
) -> Result<(), Reject> {
    let market = state.market(now);
    let out = &mut work.out;
    match body {
        Body::Trading(trading::Command::ExpireSession(session)) => {
            let session_of = state.access.session(*session).ok_or(Reject::Unknown)?;
            // Master keys cannot require heartbeats (SES-016), so the owner is an account.
            if let access::Owner::Account(account) = session_of.key.owner {
                cancel::many(market, account, Some(*session), &mut work.planner, out);
            }
            Ok(())
        }
        Body::Trading(trading::Command::CancelOrders(account, symbol)) => {
            let is_known = account.is_none_or(|account| state.access.account(account).is_some())
                && symbol.is_none_or(|symbol| state.symbol(symbol).is_some());
            if !is_known || (account, symbol) == (&None, &None) {
                return Err(Reject::Unknown);
            }
            cancel::chosen(market, *account, *symbol, &mut work.planner, out);
            Ok(())
        }
        // Else an account that is opened later would inherit the rates.
        Body::Trading(trading::Command::SetFees(trading::FeeChange { account: Some(account), .. }))
            if state.access.account(*account).is_none() =>
        {
            Err(Reject::Unknown)
        }
        Body::Trading(command) if operations::waits(state, command) => {
            Err(Reject::Trading(trading::Reject::NotNow))
        }
        Body::Trading(trading::Command::Trigger(order)) => {
            let is_due = stop::decide(market, *order, &mut work.planner, out);
            if is_due { Ok(()) } else { Err(Reject::Trading(trading::Reject::NotNow)) }
        }
        Body::Trading(trading::Command::BreakTrade(broken)) if pays_closed(state, broken) => {
            Err(Reject::Trading(trading::Reject::Break(trading::BreakError::Closed)))
        }
        Body::Trading(command) => trading::decide(market, command, out).map_err(Reject::Trading),
        Body::Access(command) => {
            access::decide(&state.access, (now, state.seed()), None, command, out).map_err(Reject::Access)?;
            if let access::Command::CloseAccount(account) = command {
                check_empty(state, *account).map_err(Reject::Access)?;
            }
            if let Some(session) = command.cancels_orders_of() {
                cancel_all_of(state, market, session, work);
            }
            Ok(())
        }
        Body::Ledger(ledger::Command::Credit(credit)) if state.access.is_closed(credit.account) => {
            Err(Reject::Access(access::Reject::Closed))
        }
        Body::Ledger(ledger::Command::Adjust(adjustment)) if state.access.is_closed(adjustment.account) => {
            Err(Reject::Access(access::Reject::Closed))
        }
        Body::Ledger(command) if is_for_lender(state, command) => {
            Err(Reject::Ledger(ledger::Reject::Unknown))
        }
        Body::Ledger(command) if !can_be_valued(state, now, command) => {
            Err(Reject::Ledger(ledger::Reject::BadAmount))
        }
        Body::Ledger(command) => ledger::decide(state.ledger(), command, out).map_err(Reject::Ledger),
        Body::Rates(command) => rates::decide(state.rates(), command, out).map_err(Reject::Rates),
        Body::Convert(command) => convert::decide_own(command, out).map_err(Reject::Convert),
        Body::Founding(Founding::Open(opening)) => {
            if state.opening.is_some() {
                return Err(Reject::NotNow);
            }
            if !opening.fees.is_valid() {
                return Err(Reject::Trading(trading::Reject::BadFees));
            }
            out.push_named(&Founded::Opened(*opening));
            for house in crate::houses() {
                out.push_named(&ledger::Infrequent::HouseOpened(house.name.into(), house.may_be_negative));
            }
            Ok(())
        }
        Body::Perp(command) => decide_perp(state, now, command, work),
        Body::SpotMargin(command) => spot_margin::decide(
            &state.context(state.spot_margin(), now),
            market,
            *command,
            &mut work.planner,
            out,
        )
        .map_err(Reject::SpotMargin),
        // The command has no event: its stamp moves the state's time.
        Body::Founding(Founding::MoveClock) => Ok(()),
        // An act holds no other.
        Body::Act(_) | Body::Funds(_) => Err(Reject::Unknown),
        Body::Operation(Operation::ProposeKey(session)) => {
            let add = access::Command::AddSession(Arc::clone(session));
            access::decide(&state.access, (now, state.seed()), None, &add, out).map_err(Reject::Access)?;
            operations::propose_key(state, now, note, out)
        }
        Body::Operation(operation) => operations::decide(state, now, operation, note, out),
    }
}

/// Decides a command of the desk of perpetuals, whose accounts are of a kind of their own, and what follows from it on the floor.
fn decide_perp(
    state: &State,
    now: Time,
    command: &perp::Command,
    work: &mut Workspace,
) -> Result<(), Reject> {
    if let perp::Command::SetRisk(account, ..) = command
        && !state.desks.is_derivatives(*account)
    {
        return Err(Reject::Perp(perp::Reject::Unknown));
    }
    let task =
        perp::decide(&state.context(state.perps(), now), command, &mut work.out).map_err(Reject::Perp)?;
    let Workspace { out, planner } = work;
    match task {
        Task::Nothing => {}
        Task::Cancel(account) => {
            cancel::forced(state.market(now), account, CancelReason::TradingClosed, planner, out);
        }
        Task::Place(account, order) => {
            // An order that the floor refuses, since the symbol is closed for example, trades nothing.
            let placer = place::Placer::exchange(account);
            place::decide(state.market(now), placer, || "", &order, planner, out).ok();
        }
    }
    Ok(())
}

/// Cancels every live order of a session, of a master key in each account of its group.
fn cancel_all_of(state: &State, market: Market<'_, Desks>, session: SessionId, work: &mut Workspace) {
    let Some(owner) = state.access.session(session).map(|session| session.key.owner) else { return };
    let Workspace { out, planner } = work;
    match owner {
        access::Owner::Account(account) => cancel::many(market, account, Some(session), planner, out),
        access::Owner::Group(group) => {
            for (account, _) in state.access.accounts_of(group) {
                cancel::many(market, account, Some(session), planner, out);
            }
        }
    }
}

/// Whether a command gives money to the lending account, whose balance is minus what is owed and nothing else.
fn is_for_lender(state: &State, command: &ledger::Command) -> bool {
    let account = match command {
        ledger::Command::Credit(credit) => credit.account,
        ledger::Command::Adjust(adjustment) => adjustment.account,
        ledger::Command::ListCurrency(_) | ledger::Command::OpenHouse(..) => return false,
    };
    state.ledger().house(ledger::LENDING.name) == Some(account)
}

/// Whether a break would pay money to a closed account, where no key reaches it.
fn pays_closed(state: &State, broken: &trading::Break) -> bool {
    let parties = [broken.buyer.account, broken.seller.account];
    broken.figures.is_some() && parties.into_iter().any(|account| state.access.is_closed(account))
}

/// Whether all that there is of a currency can still be valued at its index after a credit.
fn can_be_valued(state: &State, now: Time, command: &ledger::Command) -> bool {
    let amounts = match command {
        ledger::Command::Credit(credit) => credit.amounts.as_slice(),
        ledger::Command::Adjust(adjustment) => &[(adjustment.currency, adjustment.amount)],
        ledger::Command::ListCurrency(_) | ledger::Command::OpenHouse(..) => &[],
    };
    let sources = state.sources(now);
    amounts.iter().all(|(currency, amount)| {
        let index = sources.index(*currency).filter(|_| *amount > Money::ZERO);
        index.is_none_or(|index| state.ledger().can_value(*currency, *amount, index))
    })
}

/// Refuses to close an account that has live orders, money, a debt or transfers that are not done, since none of its keys could use them any more.
fn check_empty(state: &State, account: AccountId) -> Result<(), access::Reject> {
    if state.orders().of_account(account).next().is_some() {
        return Err(access::Reject::HasOrders);
    }
    if let Some(used) = state.use_of_rooms(account) {
        return Err(used);
    }
    let currencies = state.ledger().balances_of(account).map(|(_, balance)| balance);
    let mut all = currencies.chain(state.ledger().claims_of(account).map(|(_, balance)| balance));
    if all.any(|balance| balance != ledger::Balance::default()) {
        return Err(access::Reject::HasMoney);
    }
    Ok(())
}
