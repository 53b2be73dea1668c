//! Applies events to the state.

use crate::{Audit, Desks, Event, Founded, Infrequent, State, operations};
use buttonwood_access::{self as access, Account, AccountKind};
use buttonwood_convert as convert;
use buttonwood_funds as funds;
use buttonwood_ledger as ledger;
use buttonwood_model::{AccountId, AssetId, BytesRef, OrderId, Stamp, Time, TradeId};
use buttonwood_num::Money;
use buttonwood_perp as perp;
use buttonwood_rates as rates;
use buttonwood_room::ContextMut;
use buttonwood_spot_margin::{self as spot_margin, SpotMargin};
use buttonwood_trading::{self as trading, Fees};

/// Applies one event of the command at `stamp`. `texts` holds the texts that the command's events refer to.
///
/// # Panics
/// When the event does not follow from the state: the code or the journal is wrong, and the exchange must
/// end.
#[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
#[inline(always)]
pub fn evolve(state: &mut State, stamp: Stamp, event: &Event, texts: &[u8]) {
    match event {
        Event::Trading(event) => {
            let State { floor, desks, .. } = state;
            if let Some(used) = trading::evolve(floor, desks, stamp.time, event, texts) {
                take_id(state, used);
            }
        }
        Event::Access(access::Event::NonceUsed(session, nonce)) => {
            state.access.take_nonce(*session, nonce, stamp.time);
        }
        Event::Infrequent(kept) => evolve_infrequent(state, stamp, *kept, texts),
    }
}

#[cold]
fn evolve_infrequent(state: &mut State, stamp: Stamp, kept: BytesRef, texts: &[u8]) {
    let time = stamp.time;
    match Infrequent::read(kept, texts).expect("what was kept can be read") {
        Infrequent::Trading(event) => {
            let lists = matches!(event, trading::Infrequent::SymbolListed(_));
            trading::evolve_infrequent(&mut state.floor, &mut state.desks, time, state.next_id, event);
            if lists {
                value_listed(state);
                state.note_symbols();
            }
        }
        Infrequent::Access(event) => {
            let opens = matches!(event, access::Infrequent::AccountOpened(_));
            access::evolve(&mut state.access, time, event);
            if opens {
                let account = state.desks.ledger.open_account();
                state.floor.open_account(account);
                if let Some(opened) = state.access.account(account) {
                    state.desks.note_kind(account, opened.kind);
                    state.desks.note_group(account, opened.group);
                }
            }
        }
        Infrequent::Ledger(event) => {
            let opens = matches!(event, ledger::Infrequent::HouseOpened(..));
            let account = state.desks.ledger.next_account();
            match &event {
                ledger::Infrequent::Adjusted(adjustment) => {
                    note_given(state, adjustment.account, adjustment.currency.into(), adjustment.amount);
                    state.funds.note_test_credit(adjustment.currency.into(), adjustment.amount);
                    list_adjustment(state, time, adjustment);
                }
                ledger::Infrequent::Credited(account, asset, amount) => {
                    note_given(state, *account, *asset, *amount);
                    state.funds.note_test_credit(*asset, *amount);
                }
                ledger::Infrequent::CurrencyListed(_) | ledger::Infrequent::HouseOpened(..) => {}
            }
            ledger::evolve(&mut state.desks.ledger, event);
            if opens {
                open_house(state, account, time);
                state.desks.perps.note_houses(&state.desks.ledger);
                state.desks.note_kind(account, AccountKind::Exchange);
            }
            repay(state);
        }
        Infrequent::Rates(event) => rates::evolve(&mut state.floor.rates, state.next_id, event),
        Infrequent::Convert(event) => {
            if let Some(OrderId(used)) = event.order() {
                take_id(state, used);
            }
            take_name(state, &event);
            let State { conversions, desks, floor, .. } = state;
            convert::evolve(conversions, &mut desks.ledger, &floor.symbols, &event);
            if matches!(event, convert::Infrequent::TermsSet(_)) {
                state.note_sources_needed();
            }
            state.desks.repay_margin();
        }
        Infrequent::Funds(event) => {
            let seed = state.seed();
            let next = TradeId(state.next_id);
            let State { funds: room, desks, access, floor, next_id, .. } = state;
            room.note_next_trade(next);
            let debtor = room.debtor_of(&event);
            let Desks { ledger, advances, indices, .. } = desks;
            let (symbols, next_id) = (&floor.symbols, *next_id);
            let mut context =
                ContextMut { room, ledger, access, advances, indices, symbols, seed, next_id, time };
            funds::evolve(&mut context, event);
            if let Some(account) = debtor {
                note_debt(state, account, time);
            }
            repay(state);
        }
        Infrequent::Perp(event) => evolve_perp(state, time, &event),
        Infrequent::SpotMargin(event) => {
            for id in event.ids() {
                take_id(state, id);
            }
            let Desks { spot_margin, ledger, .. } = &mut state.desks;
            spot_margin::evolve(spot_margin, ledger, event);
        }
        Infrequent::Founding(Founded::Opened(opening)) => {
            state.opening = Some(opening);
            state.floor.fees = Fees::new(opening.fees);
            state.floor.orders.set_key(opening.hash_key);
            state.note_sources_needed();
        }
        Infrequent::Act(Audit::Acted(..)) => state.last_act = stamp.seq.0,
        Infrequent::Operation(event) => {
            let before = state.operations.is_halted();
            operations::evolve(&mut state.operations, event);
            if state.operations.is_halted() != before {
                state.desks.perps.note_halt(time);
            }
        }
    }
}

/// A wrap takes its client id from an order that had it (D-175).
fn take_name(state: &mut State, event: &convert::Infrequent) {
    if let convert::Infrequent::Wrapped(convert::Wrapped { account, wrap, .. }) = event
        && let Some(client_id) = &wrap.client_id
    {
        state.floor.orders.take_name(*account, client_id);
    }
}

/// Notes what the house account of instant orders was given, since its exposure is what it lacks of it (D-180).
fn note_given(state: &mut State, account: AccountId, asset: AssetId, amount: Money) {
    let is_instant = state.desks.ledger.house(convert::INSTANT.name) == Some(account);
    if let Some(currency) = asset.currency().filter(|_| is_instant) {
        state.conversions.note_given(currency, amount);
    }
}

fn evolve_perp(state: &mut State, time: Time, event: &perp::Infrequent) {
    if let perp::Infrequent::OffBookTaken(taken) = event {
        for id in taken.ids() {
            take_id(state, id);
        }
    }
    let seed = state.seed();
    let State { desks: Desks { perps: room, indices, ledger, advances, .. }, access, floor, next_id, .. } =
        state;
    let (symbols, next_id) = (&floor.symbols, *next_id);
    let mut context = ContextMut { room, ledger, access, advances, indices, symbols, seed, next_id, time };
    perp::evolve(&mut context, event);
    note_indices(&mut state.desks.spot_margin, time, event);
    repay(state);
}

/// Tells the desk of spot margin the indices that were taken.
fn note_indices(margin: &mut SpotMargin, time: Time, event: &perp::Infrequent) {
    let perp::Infrequent::MarksTaken(marks, _) = event else { return };
    for mark in marks {
        let perp::Contract { index, is_fresh, .. } = mark.contract;
        margin.note_index(mark.currency, spot_margin::Index { price: index, is_fresh });
    }
    margin.note_taken(time);
}

/// Notes what an account owes for returned advances. One that owes more may be below maintenance.
fn note_debt(state: &mut State, account: AccountId, time: Time) {
    let before = state.desks.debt(account);
    state.note_debt(account);
    if state.desks.debt(account) > before {
        state.desks.spot_margin.look_through(time);
        state.desks.perps.look_through(time);
    }
}

/// Repays what accounts owe, out of whatever came in (D-46).
fn repay(state: &mut State) {
    state.desks.repay_margin();
    let Desks { perps, ledger, .. } = &mut state.desks;
    if !perps.loans().is_empty() {
        perps.repay(ledger);
    }
}

/// Adds what an operator gave to a customer, or took, to the list of transfers.
fn list_adjustment(state: &mut State, time: Time, adjustment: &ledger::Adjustment) {
    let is_customer = state.access.account(adjustment.account).is_some_and(|account| account.group.is_some());
    if is_customer {
        state.funds.note_next_trade(TradeId(state.next_id));
        state.funds.note_adjustment(time, adjustment);
    }
}

/// Takes the next id of orders and trades.
#[inline]
fn take_id(state: &mut State, used: u64) {
    assert!(used == state.next_id, "order and trade ids have no holes");
    state.next_id += 1;
}

/// Adds a house account to directory and orders too: ids of accounts are the same there and in the ledger.
fn open_house(state: &mut State, account: AccountId, time: Time) {
    state.access.add_account(Account::house(time));
    state.floor.open_account(account);
}

impl State {
    /// Applies all events of the command at `stamp`, and sets the state's stamp.
    ///
    /// # Panics
    /// As [`evolve`] and [`State::advance`] do.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    pub fn apply(&mut self, stamp: Stamp, events: &[Event], texts: &[u8]) {
        // The first event of nearly every command uses a nonce.
        let others = match events {
            [Event::Access(access::Event::NonceUsed(session, nonce)), others @ ..] => {
                self.access.take_nonce(*session, nonce, stamp.time);
                others
            }
            _ => events,
        };
        for event in others {
            evolve(self, stamp, event, texts);
        }
        self.advance(stamp);
    }

    /// Sets the state's stamp, after the events of its command were applied.
    ///
    /// # Panics
    /// When the sequence has a hole or time goes back (INV-JRN-1).
    pub fn advance(&mut self, stamp: Stamp) {
        assert!(stamp.seq.0 == self.stamp.seq.0 + 1, "commands are numbered without holes");
        assert!(stamp.time >= self.stamp.time, "time does not go back");
        self.desks.perps.note_time(stamp.time);
        self.desks.spot_margin.note_time(stamp.time);
        self.stamp = stamp;
    }
}

/// Tells the floor how volumes of the symbol that was listed last are counted in dollars.
fn value_listed(state: &mut State) {
    let dollar = state.ledger().dollar();
    let quote = state.symbols().last().and_then(|symbol| state.currency(symbol.quote));
    let pair = quote.and_then(|currency| rates::FxPair::of_currency(&currency.code));
    state.floor.value_listed(dollar, pair);
}
