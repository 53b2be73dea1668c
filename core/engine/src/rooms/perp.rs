//! Perpetuals in the engine.

use crate::decide::{Decide, Evolve};
use crate::evolve::take_id;
use crate::{Desks, Note, Reject, State, Workspace};
use buttonwood_funds::Made;
use buttonwood_model::{CancelReason, Stamp, Time};
use buttonwood_perp::{self as perp, Command, Infrequent, liquidation::Task};
use buttonwood_room::ContextMut;
use buttonwood_trading::{cancel, place};

impl Decide for Command {
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

/// Decides a command of the desk of perpetuals, whose accounts are of a kind of their own, and what follows from it on the floor.
fn decide(state: &State, now: Time, command: &Command, work: &mut Workspace) -> Result<(), Reject> {
    if let Command::SetRisk(account, ..) = command
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

impl Evolve for Infrequent {
    fn apply(self, state: &mut State, stamp: Stamp) {
        if let Self::OffBookTaken(taken) = &self {
            for id in taken.ids() {
                take_id(state, id);
            }
        }
        let (seed, time) = (state.seed(), stamp.time);
        let State { desks, access, floor, next_id, .. } = state;
        let Desks { perps: room, indices, ledger, advances, .. } = desks;
        let (symbols, next_id) = (floor.symbols.listed(), *next_id);
        let mut context =
            ContextMut { room, ledger, access, advances, indices, symbols, seed, next_id, time };
        perp::evolve(&mut context, &self);
        if matches!(self, Self::MarksTaken(..)) {
            state.desks.changes().prices = true;
        }
        if matches!(self, Self::CollateralSet(_)) {
            state.note_listed();
            state.desks.indices.note_change(time);
        }
        state.desks.repay();
    }
}
