//! Decides commands: refusals first, from general to specific. Each room decides its own commands; a file of `rooms` adds what needs
//! the rooms above it.

use crate::refused::note_refused;
use crate::rooms::check_place;
use crate::{
    Act, ApprovalError, Audit, Body, ClearingCommand, Command, Desks, Event, Note, Operated, Operation,
    Outcome, Proposed, Reject, State, Workspace, advances, operations, references,
};
use buttonwood_access::{self as access, Caller};
use buttonwood_funds::Made;
use buttonwood_model::{AccountId, OrderId, OrderKind, Outbox, SessionId, Stamp, Time};
use buttonwood_staking as staking;
use buttonwood_trading::{self as trading, Answer, Decided, Market, cancel, place};

/// Decides one command. Reads the state, does not change it, and appends the events to `work.out`;
/// [`buttonwood_model::Outbox::latest`] returns them.
///
/// A refusal of a signed call still uses its nonce, so it has an event too (SES-006), and an order that a rule refuses has one more (D-147). The decision depends on
/// the stamp: an auction takes orders, and allows cancels, only at certain times.
pub fn decide(state: &State, command: &Command, stamp: Stamp, work: &mut Workspace) -> Outcome {
    work.out.begin();
    let Some(caller) = &command.caller else {
        return decide_internal(state, stamp.time, &command.body, work);
    };
    let market = state.market(stamp.time);
    if let Err(reject) = access::admit(&state.access, caller, command.body.roles()) {
        return not_admitted(state, stamp.time, caller, &command.body, reject, work);
    }
    work.out.push(access::Event::NonceUsed(caller.session, caller.nonce.by_words()));
    if state.operations.is_halted() && command.body.may_trade() && !is_retry(state, caller, &command.body) {
        return Outcome::Rejected(Reject::Halted);
    }
    match (&command.body, caller.account) {
        (Body::Trading(trading::Command::Place(order)), Some(account)) => {
            decide_place(state, market, account, caller.session, order, work)
        }
        (Body::Trading(trading::Command::Cancel(order)), Some(account)) => {
            decide_cancel(market, account, order, work)
        }
        (body, _) => body.by_key(state, stamp.time, caller, work),
    }
}

/// Whether a request has a client id that was used: it moves nothing, and gets its earlier reply or is refused (D-104).
#[cold]
fn is_retry(state: &State, caller: &Caller, body: &Body) -> bool {
    let client_id = if let Body::Clearing(ClearingCommand::New(new)) = body {
        &new.client_id
    } else if let Body::Staking(staking::Command::Stake(request)) = body {
        &request.client_id
    } else {
        return false;
    };
    caller.account.is_some_and(|account| state.access.client_id(account, client_id).is_some())
}

#[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
#[inline(always)]
fn decide_cancel(
    market: Market<'_, Desks>,
    account: AccountId,
    order: &cancel::OrderRef,
    work: &mut Workspace,
) -> Outcome {
    Outcome::Trading(match cancel::one(market, account, order, false, &mut work.out) {
        Some(decided) => Answer::Order(decided),
        None => Answer::NotLive,
    })
}

#[cold]
pub(crate) fn refuse(caller: &Caller, reject: access::Reject, work: &mut Workspace) -> Outcome {
    if reject.uses_nonce() && !caller.session.is_held() {
        work.out.push(access::Event::NonceUsed(caller.session, caller.nonce));
    }
    Outcome::Rejected(Reject::Access(reject))
}

/// Decides a command that was not admitted. An entry of a batch is admitted under the batch's nonce, which was used before; it uses none
/// itself.
#[cold]
fn not_admitted(
    state: &State,
    now: Time,
    caller: &Caller,
    body: &Body,
    reject: access::Reject,
    work: &mut Workspace,
) -> Outcome {
    if caller.session.is_held() {
        return decide_held(state, now, caller, body, work);
    }
    if reject != access::Reject::NonceUsed || !body.shares_nonce() {
        return refuse(caller, reject, work);
    }
    if let Err(reject) = access::admit_again(&state.access, caller, body.roles()) {
        return Outcome::Rejected(Reject::Access(reject));
    }
    if state.operations.is_halted() && body.may_trade() {
        return Outcome::Rejected(Reject::Halted);
    }
    body.by_key(state, now, caller, work)
}

/// Decides the command of an access token or a browser. It uses no nonce, and a refusal changes nothing but the counter of ids.
#[inline(never)]
fn decide_held(state: &State, now: Time, caller: &Caller, body: &Body, work: &mut Workspace) -> Outcome {
    let needed = (body.roles(), body.scopes());
    if let Err(reject) = state.identity.admit(&state.access, caller, needed, now) {
        return Outcome::Rejected(Reject::Access(reject));
    }
    if state.operations.is_halted() && body.may_trade() && !is_retry(state, caller, body) {
        return Outcome::Rejected(Reject::Halted);
    }
    match (body, caller.account) {
        (Body::Trading(trading::Command::Place(order)), Some(_)) => {
            place_apart(state, now, caller, order, work)
        }
        (Body::Trading(trading::Command::Cancel(order)), Some(account)) => {
            match cancel::one(state.market(now), account, order, false, &mut work.out) {
                Some(decided) => Outcome::Trading(Answer::Order(decided)),
                None => Outcome::Trading(Answer::NotLive),
            }
        }
        (body, _) => body.by_key(state, now, caller, work),
    }
}

/// Decides an order that is rare: of a batch, of a token or of a browser.
#[cold]
pub(crate) fn place_apart(
    state: &State,
    now: Time,
    caller: &Caller,
    order: &place::Place,
    work: &mut Workspace,
) -> Outcome {
    let Some(account) = caller.account else { return Outcome::Rejected(Reject::Unknown) };
    let placer = place::Placer { account, session: caller.session };
    let session = caller.session;
    if let Err(reject) = check_placer(state, now, placer, order) {
        return note_refused(state, (account, session), order, reject, &mut work.out);
    }
    // A closure of its own gives it an instance of its own, so that the decision of a single order stays inlined.
    let home = || state.access.account(account).map_or("", |account| account.jurisdiction.as_str());
    let Workspace { out, planner } = work;
    match place::decide(state.market(now), placer, home, order, planner, out) {
        Ok(id) => {
            if order.kind == OrderKind::MarketSpend {
                note_spend(order, id, out);
            }
            advances::note_given_up(state, now, out);
            references::note_of(state, order.symbol, now, out);
            Outcome::Trading(Answer::Order(Decided { id, kept: None }))
        }
        Err(reject) => note_refused(state, (account, session), order, Reject::place(reject), out),
    }
}

/// Reports the money that an order names to spend, which its own event does not have.
#[cold]
fn note_spend(order: &place::Place, id: OrderId, out: &mut Outbox<Event>) {
    let enters =
        |event: &Event| matches!(event, Event::Trading(trading::Event::Placed(placed)) if placed.id == id);
    if let Some(at) = out.latest().0.iter().position(enters) {
        out.insert_named(at, &trading::Infrequent::OrderSpends(id, order.spend));
    }
}

/// Whether an account may place an order, apart from what the floor checks.
#[cold]
pub(crate) fn check_placer(
    state: &State,
    now: Time,
    placer: place::Placer,
    order: &place::Place,
) -> Result<(), Reject> {
    let place::Placer { account, session } = placer;
    if order.symbol.is_contract() {
        check_contract(state, now, account, session, order)
    } else if state.access.may_place(session, account) {
        Ok(())
    } else {
        Err(Reject::Access(no_trader(state, account)))
    }
}

/// Whether a caller may send a command of orders now, apart from its nonce.
#[cold]
pub(crate) fn check_caller(state: &State, now: Time, caller: &Caller, body: &Body) -> Result<(), Reject> {
    let admitted = if caller.session.is_held() {
        state.identity.admit(&state.access, caller, (body.roles(), body.scopes()), now)
    } else {
        access::admit_again(&state.access, caller, body.roles())
    };
    admitted.map_err(Reject::Access)?;
    if state.operations.is_halted() && body.may_trade() { Err(Reject::Halted) } else { Ok(()) }
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
    if order.symbol.is_contract() {
        if let Err(reject) = check_contract(state, market.time, account, session, order) {
            return note_refused(state, (account, session), order, reject, &mut work.out);
        }
    } else if !state.access.may_place(session, account) {
        let reject = Reject::Access(no_trader(state, account));
        return note_refused(state, (account, session), order, reject, &mut work.out);
    }
    // The account's entry is far in memory from everything else that an order reads, so it is read only if
    // needed.
    let home = || state.access.account(account).map_or("", |account| account.jurisdiction.as_str());
    let Workspace { out, planner } = work;
    match place::decide(market, place::Placer { account, session }, home, order, planner, out) {
        Ok(id) => {
            if order.kind == OrderKind::MarketSpend {
                note_spend(order, id, out);
            }
            advances::note_given_up(state, market.time, out);
            references::note_of(state, order.symbol, market.time, out);
            Outcome::Trading(Answer::Order(Decided { id, kept: None }))
        }
        Err(reject) => note_refused(state, (account, session), order, Reject::place(reject), out),
    }
}

/// Whether an account may place an order of a contract. One in debt is told so as one without money (D-167).
#[inline(never)]
fn check_contract(
    state: &State,
    now: Time,
    account: AccountId,
    session: SessionId,
    order: &place::Place,
) -> Result<(), Reject> {
    if !state.access.may_place(session, account) && !state.access.is_in_debt(account) {
        return Err(Reject::Access(no_trader(state, account)));
    }
    check_place(state, now, account, order)
}

/// Why an account places no orders.
#[cold]
pub(crate) fn no_trader(state: &State, account: AccountId) -> access::Reject {
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
        decide_own(state, now, body, None, work)
    };
    if decided.is_ok() {
        advances::note_given_up(state, now, &mut work.out);
        references::note(state, now, &mut work.out);
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
    if act.note.user.is_some_and(|user| state.identity.operator(user).is_none()) {
        return Err(Reject::Operation(ApprovalError::NoOperator));
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
    let proposal = state.approvable(now, act.approves, &act.note).map_err(Reject::Operation)?;
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
        let approved = operations::approved(state, now, *id, note).map_err(Reject::Operation)?;
        let made = decide_own(state, now, &approved, Some(note), work)?;
        work.out.push_named(&Operated::Approved(*id));
        return Ok(made);
    }
    let made = decide_own(state, now, body, Some(note), work)?;
    if let Some(what) = operations::proposed(state, body) {
        work.out.undo();
        operations::propose(state, now, what, note, &mut work.out)?;
    }
    operations::withdraw(state, body, &mut work.out);
    Ok(made)
}

/// Decides a command of the exchange itself; `note` is that of its operator.
fn decide_own(
    state: &State,
    now: Time,
    body: &Body,
    note: Option<&Note>,
    work: &mut Workspace,
) -> Result<Made, Reject> {
    if state.opening.is_none() && body.needs_opening() {
        return Err(Reject::NotNow);
    }
    body.by_exchange(state, now, note, work)
}

/// The commands of a room, as the engine decides them: what a room itself cannot do, since it needs the rooms above it.
pub(crate) trait Decide {
    /// Decides a command of a key that was let in and has one of the command's roles. By default no key may send one.
    fn by_key(&self, _state: &State, _now: Time, _caller: &Caller, _work: &mut Workspace) -> Outcome {
        Outcome::Rejected(Reject::Unknown)
    }

    /// Decides a command of the exchange itself, or of an operator, whose note it is then.
    ///
    /// # Errors
    /// [`Reject`]; the caller takes back the events that were written by then.
    fn by_exchange(
        &self,
        state: &State,
        now: Time,
        note: Option<&Note>,
        work: &mut Workspace,
    ) -> Result<Made, Reject>;
}

/// The infrequent events of a room, as the engine applies them.
pub(crate) trait Evolve {
    /// Applies an event.
    ///
    /// # Panics
    /// When it does not follow from the state.
    fn apply(self, state: &mut State, stamp: Stamp);
}
