//! Operators' acts, and their commands about the whole exchange.

use crate::decide::{Decide, Evolve};
use crate::{Act, Audit, Note, Operated, Operation, Reject, State, Workspace, operations};
use alloc::sync::Arc;
use buttonwood_access as access;
use buttonwood_funds::Made;
use buttonwood_model::{Stamp, Time};

impl Decide for Arc<Act> {
    /// An act holds no other.
    fn by_exchange(
        &self,
        _state: &State,
        _now: Time,
        _note: Option<&Note>,
        _work: &mut Workspace,
    ) -> Result<Made, Reject> {
        Err(Reject::Unknown)
    }
}

impl Evolve for Audit {
    fn apply(self, state: &mut State, stamp: Stamp) {
        state.last_act = stamp.seq.0;
    }
}

impl Decide for Operation {
    fn by_exchange(
        &self,
        state: &State,
        now: Time,
        note: Option<&Note>,
        work: &mut Workspace,
    ) -> Result<Made, Reject> {
        let out = &mut work.out;
        if let Self::ProposeKey(session) = self {
            let add = access::Command::AddSession(Arc::clone(session));
            access::decide(&state.access, (now, state.seed()), None, &add, out).map_err(Reject::Access)?;
            operations::propose_key(state, now, note, out)?;
        } else {
            operations::decide(state, now, self, note, out)?;
        }
        Ok(Made::Nothing)
    }
}

impl Evolve for Operated {
    fn apply(self, state: &mut State, _stamp: Stamp) {
        let before = state.operations.is_halted();
        operations::evolve(&mut state.operations, self);
        if state.operations.is_halted() != before {
            state.desks.changes().halted = Some(!before);
        }
    }
}
