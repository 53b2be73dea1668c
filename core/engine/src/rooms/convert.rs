//! The conversions in the engine.

use crate::decide::{Decide, Evolve, no_trader};
use crate::evolve::take_id;
use crate::{Event, Note, Outcome, Reject, State, Workspace, advances};
use alloc::boxed::Box;
use buttonwood_access::{self as access, Caller};
use buttonwood_convert::{self as convert, Command, Conversions, Infrequent};
use buttonwood_funds::Made;
use buttonwood_model::{OrderId, Outbox, Stamp, Time};
use buttonwood_room::Context;

impl Decide for Command {
    fn by_key(&self, state: &State, now: Time, caller: &Caller, work: &mut Workspace) -> Outcome {
        decide(state, now, caller, self, work)
    }

    fn by_exchange(
        &self,
        _state: &State,
        _now: Time,
        _note: Option<&Note>,
        work: &mut Workspace,
    ) -> Result<Made, Reject> {
        convert::decide_own(self, &mut work.out).map_err(Reject::Convert)?;
        Ok(Made::Nothing)
    }
}

/// A client's conversion. Only accounts that trade convert (WRAP-007).
fn decide(state: &State, now: Time, caller: &Caller, command: &Command, work: &mut Workspace) -> Outcome {
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
    let references = convert::References::default();
    let client =
        convert::Client { account, home, own: state.desks.members(account), references: &references };
    let judged =
        advances::judge_conversion(state, now, account, convert::exchanged(context, client, command));
    let judged = judged.map_err(|advances::Beyond| convert::Reject::Advances);
    let own = may_convert(state, context, client, command).then_some(());
    let lost = match own.ok_or(convert::Reject::InsufficientFunds).and(judged) {
        Ok(lost) => lost,
        Err(short) => {
            // Another refusal comes first.
            let decided = convert::decide(context, client, command, &mut Outbox::<Event>::default());
            return Outcome::Rejected(Reject::Convert(decided.err().unwrap_or(short)));
        }
    };
    match convert::decide(context, client, command, &mut work.out) {
        Ok(answer) => {
            advances::note_conversion(lost, &mut work.out);
            Outcome::Convert(Box::new(answer))
        }
        Err(reject) => Outcome::Rejected(Reject::Convert(reject)),
    }
}

/// Whether a margin account may give what a conversion takes (D-165). Dollars that it gets repay what it owes.
fn may_convert(
    state: &State,
    context: &Context<'_, Conversions>,
    client: convert::Client<'_>,
    command: &Command,
) -> bool {
    let Some((currency, amount, gets)) = convert::taken(context, client, command) else { return true };
    state.leave().may_convert(client.account, (currency, amount), (gets, state.ledger().dollar()))
}

impl Evolve for Infrequent {
    fn apply(self, state: &mut State, _stamp: Stamp) {
        if let Some(OrderId(used)) = self.order() {
            take_id(state, used);
        }
        take_name(state, &self);
        let State { conversions, desks, floor, .. } = state;
        convert::evolve(conversions, &mut desks.ledger, floor.symbols.listed(), &self);
        if matches!(self, Self::TermsSet(_)) {
            state.note_sources_needed();
        }
        state.desks.repay_margin();
    }
}

/// A wrap or an instant order takes its client id from an order that had it (D-175).
fn take_name(state: &mut State, event: &convert::Infrequent) {
    let (account, client_id) = match event {
        convert::Infrequent::Wrapped(wrapped) => (wrapped.account, &wrapped.wrap.client_id),
        convert::Infrequent::Executed(_, quote, client_id) => (quote.account, client_id),
        convert::Infrequent::Quoted(_) | convert::Infrequent::TermsSet(_) => return,
    };
    if let Some(client_id) = client_id {
        state.floor.orders.take_name(account, client_id);
    }
}
