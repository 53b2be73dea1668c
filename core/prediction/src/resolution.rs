//! How an event is resolved: proposals, disputes, the end of the window, and void events.

use crate::life::push_close;
use crate::listing::{TEXT_MAX, check_text};
use crate::netting::Pairs;
use crate::state::Step;
use crate::{Act, Event, Infrequent, Past, Predictions, Reject, Resolution, Stage, Status, Work};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use buttonwood_ledger::Ledger;
use buttonwood_model::{BytesRef, Claim, EventId, Outbox, SymbolId, Time};
use buttonwood_num::Money;
use buttonwood_room::Context;
use serde::{Deserialize, Serialize};

/// Outcomes to be proposed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewResolution {
    /// The event.
    pub event: EventId,
    /// The outcome of each contract, by its ticker.
    pub outcomes: Vec<(String, Claim)>,
    /// By what it was resolved.
    pub source: String,
}

/// A call that makes an event void.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewVoid {
    /// The event.
    pub event: EventId,
    /// Why.
    pub reason: String,
    /// The dollars that a claim on yes is paid; a claim on no is paid the rest of the dollar.
    pub value: Option<Money>,
    /// Whether the escrow is shared by cost where the costs differ from it.
    pub at_cost: bool,
}

/// The terms by which the claims on a void contract are paid back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refund {
    /// Their share of the escrow by cost, which is the cost where both sums are equal: escrow and costs, once the first step has begun.
    ByCost(Option<(Money, Money)>),
    /// This much for yes, and the rest of the dollar for no.
    Value(Money),
}

/// An event became void.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Voided {
    /// The event.
    pub event: EventId,
    /// Why.
    pub reason: String,
    /// How the claims on each of its contracts are paid back.
    pub refunds: Vec<Refund>,
}

fn event_of<'a>(context: &Context<'a, Predictions>, id: EventId) -> Result<&'a Event, Reject> {
    context.room.event(id).ok_or(Reject::UnknownEvent)
}

/// Proposes outcomes. Trading ends, if it has not; the window for disputes begins.
///
/// # Errors
/// [`Reject`].
pub(crate) fn propose<E: From<BytesRef>>(
    context: &Context<'_, Predictions>,
    new: &NewResolution,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let event = event_of(context, new.event)?;
    if !event.legs.is_empty() {
        return Err(Reject::IsCombo);
    }
    match event.stage() {
        Some(Stage::Final | Stage::Void) => return Err(Reject::Ended),
        Some(Stage::Proposed) => return Err(Reject::AlreadyProposed),
        Some(Stage::Disputed) | None => {}
    }
    check_text(&new.source, TEXT_MAX)?;
    let outcomes = outcomes(context.room, event, &new.outcomes)?;
    let yes = outcomes.iter().filter(|outcome| **outcome == Claim::Yes).count();
    if event.is_exclusive && event.count > 1 && yes != 1 {
        return Err(Reject::NotOneYes);
    }
    push_close(context, new.event, out);
    out.push_named(&Infrequent::Proposed(new.event, outcomes, new.source.clone()));
    Ok(())
}

/// The outcomes in the order of the contracts, each of which is named once.
fn outcomes(room: &Predictions, event: &Event, named: &[(String, Claim)]) -> Result<Vec<Claim>, Reject> {
    let of = |contract: SymbolId| {
        let ticker = room.contract(contract)?.ticker.as_str();
        named.iter().find(|(name, _)| *name == ticker).map(|(_, claim)| *claim)
    };
    let outcomes: Option<Vec<Claim>> = event.contracts().map(of).collect();
    outcomes.filter(|outcomes| outcomes.len() == named.len()).ok_or(Reject::BadOutcomes)
}

pub(crate) fn evolve_proposal(
    room: &mut Predictions,
    id: EventId,
    outcomes: Vec<Claim>,
    source: String,
    time: Time,
) {
    let Some(event) = room.events.get_mut(id.index()) else { return };
    event.status = Status::UnderReview;
    let settles = time.plus(event.dispute);
    let resolution = resolution_of(event);
    resolution.history.push(Past { time, act: Act::Proposed(outcomes.clone(), source.clone()) });
    resolution.stage = Stage::Proposed;
    (resolution.outcomes, resolution.source, resolution.settles) = (outcomes, source, Some(settles));
    room.agenda.insert((settles, Step::Finish, id));
    room.fold_event(id);
}

/// The resolution of an event, made if it has none.
fn resolution_of(event: &mut Event) -> &mut Resolution {
    event.resolution.get_or_insert_with(|| {
        Box::new(Resolution {
            stage: Stage::Proposed,
            outcomes: Vec::new(),
            source: String::new(),
            settles: None,
            history: Vec::new(),
        })
    })
}

/// Disputes what is proposed, within the window.
///
/// # Errors
/// [`Reject`].
pub(crate) fn dispute<E: From<BytesRef>>(
    context: &Context<'_, Predictions>,
    id: EventId,
    reason: &str,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let event = event_of(context, id)?;
    let settles = event.resolution.as_ref().and_then(|resolution| resolution.settles);
    match (event.stage(), settles) {
        (Some(Stage::Final | Stage::Void), _) => return Err(Reject::Ended),
        (Some(Stage::Proposed), Some(settles)) if context.time >= settles => return Err(Reject::Ended),
        (Some(Stage::Proposed), _) => {}
        (Some(Stage::Disputed) | None, _) => return Err(Reject::NotProposed),
    }
    check_text(reason, TEXT_MAX)?;
    out.push_named(&Infrequent::Disputed(id, reason.into()));
    Ok(())
}

pub(crate) fn evolve_dispute(room: &mut Predictions, id: EventId, reason: String, time: Time) {
    stop_window(room, id);
    let Some(event) = room.events.get_mut(id.index()) else { return };
    let resolution = resolution_of(event);
    resolution.stage = Stage::Disputed;
    resolution.history.push(Past { time, act: Act::Disputed(reason) });
    room.fold_event(id);
}

/// Stops the window for disputes.
fn stop_window(room: &mut Predictions, id: EventId) {
    let resolution = room.events.get_mut(id.index()).and_then(|event| event.resolution.as_mut());
    if let Some(settles) = resolution.and_then(|resolution| resolution.settles.take()) {
        room.agenda.remove(&(settles, Step::Finish, id));
    }
}

/// Makes the proposed outcomes final, when the window has ended.
///
/// # Errors
/// [`Reject::NotDue`].
pub(crate) fn finish<E: From<BytesRef>>(
    context: &Context<'_, Predictions>,
    id: EventId,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let event = event_of(context, id)?;
    let settles = event.resolution.as_ref().and_then(|resolution| resolution.settles);
    let is_due = event.stage() == Some(Stage::Proposed) && settles.is_some_and(|at| at <= context.time);
    if !is_due {
        return Err(Reject::NotDue);
    }
    out.push_named(&Infrequent::Final(id));
    Ok(())
}

pub(crate) fn evolve_final(room: &mut Predictions, id: EventId, time: Time) {
    stop_window(room, id);
    let Some(event) = room.events.get_mut(id.index()) else { return };
    let resolution = resolution_of(event);
    resolution.stage = Stage::Final;
    resolution.history.push(Past { time, act: Act::Final });
    let outcomes = resolution.outcomes.clone();
    let contracts = event.contracts();
    for (contract, outcome) in contracts.zip(outcomes) {
        decide_contract(room, contract, outcome, time);
    }
    room.add_work(Work::Settle(id), time);
    room.fold_event(id);
}

/// The legs of a combo decided its outcome.
pub(crate) fn evolve_decision(room: &mut Predictions, id: EventId, outcome: Claim, time: Time) {
    if let Some(event) = room.events.get_mut(id.index()) {
        event.status = Status::UnderReview;
        resolution_of(event).outcomes = alloc::vec![outcome];
    }
    evolve_final(room, id, time);
}

/// Sets the outcome of a contract, which is paid from now on.
fn decide_contract(room: &mut Predictions, id: SymbolId, outcome: Claim, time: Time) {
    if let Some(contract) = room.contracts.get_mut(id.contract_index()) {
        contract.outcome = Some(outcome);
        contract.value = Some(if outcome == Claim::Yes { Money::ONE } else { Money::ZERO });
        contract.resolved = Some(time);
    }
    room.add_work(Work::Pay(id), time);
}

/// Makes an event void, with the combos that have a leg on it.
///
/// # Errors
/// [`Reject`].
pub(crate) fn void<E: From<BytesRef>>(
    context: &Context<'_, Predictions>,
    new: &NewVoid,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let event = event_of(context, new.event)?;
    if event.is_decided() {
        return Err(Reject::Ended);
    }
    check_text(&new.reason, TEXT_MAX)?;
    if new.value.is_some_and(|value| value.is_negative() || value > Money::ONE) {
        return Err(Reject::BadValue);
    }
    let refunds: Option<Vec<Refund>> = event.contracts().map(|id| refund(context, id, new)).collect();
    let refunds = refunds.ok_or(Reject::CostsDiffer)?;
    push_close(context, new.event, out);
    out.push_named(&Infrequent::Voided(Voided { event: new.event, reason: new.reason.clone(), refunds }));
    for combo in context.room.combos_on(new.event) {
        void_combo(context, *combo, new, out);
    }
    Ok(())
}

/// How the claims on a contract are paid back; none where the call must say more.
fn refund(context: &Context<'_, Predictions>, id: SymbolId, new: &NewVoid) -> Option<Refund> {
    if let Some(value) = new.value {
        return Some(Refund::Value(value));
    }
    let (costs, escrow) = context.room.sums_when_closed(context.ledger, id);
    (costs == escrow || new.at_cost).then_some(Refund::ByCost(None))
}

/// A void leg makes a combo void, unless its outcome is decided. Where its costs differ from its escrow, it waits for a call of its own.
fn void_combo<E: From<BytesRef>>(
    context: &Context<'_, Predictions>,
    id: EventId,
    new: &NewVoid,
    out: &mut Outbox<E>,
) {
    let waits = |event: &&Event| !event.is_decided() && !event.awaits_void;
    let Some(combo) = context.room.event(id).filter(waits) else { return };
    let at_cost = NewVoid { value: None, at_cost: false, ..new.clone() };
    let refunds: Option<Vec<Refund>> =
        combo.contracts().map(|contract| refund(context, contract, &at_cost)).collect();
    out.push_named(&match refunds {
        Some(refunds) => Infrequent::Voided(Voided { event: id, reason: new.reason.clone(), refunds }),
        None => Infrequent::VoidAwaited(id),
    });
}

impl Predictions {
    /// The costs of all positions of a contract and its escrow, as they are once its live sales are cancelled and their claims have netted
    /// (D-106, Q-574).
    pub fn sums_when_closed(&self, ledger: &Ledger, id: SymbolId) -> (Money, Money) {
        let costs = self.contract(id).map_or(Money::ZERO, |contract| contract.costs);
        let (escrow, _) = self.collateral(ledger, id);
        let Pairs { quantity, costs: netted } = self.pairs.sum(id);
        (costs - netted, escrow - quantity)
    }
}

pub(crate) fn evolve_void(room: &mut Predictions, voided: Voided, time: Time) {
    let Voided { event: id, reason, refunds } = voided;
    stop_window(room, id);
    let Some(event) = room.events.get_mut(id.index()) else { return };
    event.status = Status::Invalid;
    event.resolved = Some(time);
    event.awaits_void = false;
    let resolution = resolution_of(event);
    resolution.stage = Stage::Void;
    resolution.history.push(Past { time, act: Act::Void(reason) });
    let contracts = event.contracts();
    for (id, refund) in contracts.zip(refunds) {
        if let Some(contract) = room.contracts.get_mut(id.contract_index()) {
            contract.resolved = Some(time);
            contract.value = if let Refund::Value(value) = refund { Some(value) } else { None };
        }
        room.add_work(Work::Refund(id, refund), time);
    }
    room.ended.push(id);
    room.fold_event(id);
}

pub(crate) fn evolve_awaited(room: &mut Predictions, id: EventId) {
    if let Some(event) = room.events.get_mut(id.index()) {
        event.awaits_void = true;
    }
    room.fold_event(id);
}
