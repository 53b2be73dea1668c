//! Applying what happened.

use crate::{Event, Rare, State};
use buttonwood_access::{Account, Group};
use buttonwood_auction::Auctions;
use buttonwood_ledger::House;
use buttonwood_model::{AccountId, BytesRef, Stamp, SymbolId, Time};
use buttonwood_spot as spot;

/// Applies one event of the command at `stamp`. `texts` are the texts its command's events refer to.
///
/// # Panics
/// When the event does not follow from the state: then the code or the journal is wrong, and nothing may go on.
#[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
#[inline(always)]
pub fn evolve(state: &mut State, stamp: Stamp, event: &Event, texts: &[u8]) {
    match event {
        Event::Spot(event) => {
            if let Some(used) = spot::evolve(&mut state.pit, stamp.time, event, texts) {
                assert!(used == state.next_id, "order and trade ids have no holes");
                state.next_id += 1;
            }
        }
        Event::NonceUsed(session, nonce) => state.access.take_nonce(*session, nonce),
        Event::Rare(kept) => evolve_rare(state, stamp.time, *kept, texts),
    }
}

#[cold]
fn evolve_rare(state: &mut State, time: Time, kept: BytesRef, texts: &[u8]) {
    match Rare::read(kept, texts).expect("what was kept can be read") {
        Rare::SymbolStatusChanged(symbol, to) => {
            let symbol = state.pit.symbols.get_mut(symbol.index()).expect("the decision found the symbol");
            symbol.status = to;
        }
        Rare::NoncesForgotten(session) => state.access.forget_nonces(session),
        Rare::Credited(account, currency, amount) => state.pit.ledger.issue(account, currency, amount),
        Rare::Opened(opening) => {
            state.opening = Some(opening);
            state.fees = opening.fees;
            state.pit.orders.set_key(opening.hash_key);
            for house in House::ALL {
                let account = open_account(state, Account::house(time));
                assert!(account == house.account(), "the house's accounts come first");
            }
        }
        Rare::CurrencyListed(currency) => {
            state.currencies.push(currency);
            state.pit.ledger.list_currency();
        }
        Rare::SymbolListed(symbol) => {
            state.pit.symbols.push(symbol);
            state.pit.orders.list_symbol();
        }
        Rare::GroupAdded(name) => state.access.add_group(Group { name }),
        Rare::AccountOpened(account) => {
            open_account(state, account);
        }
        Rare::SessionAdded(session) => state.access.add_session(session),
        Rare::AuctionsScheduled(symbol, schedule) => {
            let auctions = Auctions::scheduled(state.pit.auctions.get(&symbol), schedule, time);
            state.pit.auctions.insert(symbol, auctions);
        }
        Rare::AuctionIndicated(symbol, _) => auctions_of(state, symbol).note_indication(time),
        Rare::AuctionCut(symbol, finding, before) => {
            auctions_of(state, symbol).note_cut(finding, before);
            state.pit.settling += 1;
        }
        Rare::AuctionEnded(symbol, _) => {
            auctions_of(state, symbol).note_end(time);
            state.pit.settling -= 1;
        }
    }
}

fn auctions_of(state: &mut State, symbol: SymbolId) -> &mut Auctions {
    state.pit.auctions.get_mut(&symbol).expect("the decision found the symbol's auctions")
}

fn open_account(state: &mut State, account: Account) -> AccountId {
    state.access.add_account(account);
    let id = state.pit.ledger.open_account();
    state.pit.orders.open_account(id);
    id
}

impl State {
    /// Applies all events of the command at `stamp`, and notes that it has been applied.
    ///
    /// # Panics
    /// As [`evolve`] and [`State::advance`] do.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    pub fn apply(&mut self, stamp: Stamp, events: &[Event], texts: &[u8]) {
        // Nearly every command uses a nonce first.
        let others = match events {
            [Event::NonceUsed(session, nonce), others @ ..] => {
                self.access.take_nonce(*session, nonce);
                others
            }
            _ => events,
        };
        for event in others {
            evolve(self, stamp, event, texts);
        }
        self.advance(stamp);
    }

    /// Notes that the command at `stamp` has been applied.
    ///
    /// # Panics
    /// When numbers leave a hole or time goes back (INV-JRN-1).
    pub fn advance(&mut self, stamp: Stamp) {
        assert!(stamp.seq.0 == self.stamp.seq.0 + 1, "commands are numbered without holes");
        assert!(stamp.time >= self.stamp.time, "time does not go back");
        self.stamp = stamp;
    }
}
