//! The keys with which the traders act on a product.

use super::simulated;
use crate::cast::QUOTER_KEYS;
use buttonwood_engine::{Body, Caller, Command, Owner, Standing, State};
use buttonwood_model::{AccountId, Nonce, Product, SessionId};

/// Who quotes and who takes.
#[derive(Debug)]
pub(crate) struct Stance {
    pub(crate) quoter: Hand,
    pub(crate) taker: Hand,
}

/// A key, its account and the last nonce that it used.
#[derive(Debug)]
pub(crate) struct Hand {
    session: SessionId,
    account: AccountId,
    nonce: u64,
}

impl Stance {
    /// Those of a product; none if the directory lacks their keys, or one of them may not be used.
    pub(crate) fn of(state: &State, product: Product) -> Option<Self> {
        let simulated = simulated(state.access());
        let sessions = match product {
            Product::Spot | Product::Contract => simulated.spot,
            Product::Swap => simulated.perpetuals,
        };
        let quoter = Hand::of(state, *sessions.first()?)?;
        Some(Self { quoter, taker: Hand::of(state, *sessions.get(QUOTER_KEYS)?)? })
    }
}

impl Hand {
    fn of(state: &State, session: SessionId) -> Option<Self> {
        let entry = state.access().session(session).filter(|entry| entry.standing() == Standing::Enabled)?;
        let Owner::Account(account) = entry.key.owner else { return None };
        // Their own nonces are whole numbers of 64 bits.
        Some(Self { session, account, nonce: entry.highest_nonce().to_string().parse().unwrap_or_default() })
    }

    pub(crate) fn account(&self) -> AccountId {
        self.account
    }

    /// A command with the next nonce.
    pub(crate) fn send(&mut self, command: impl Into<Body>) -> Command {
        self.nonce = self.nonce.saturating_add(1);
        let nonce = Nonce::parse(self.nonce.to_string().as_bytes()).unwrap_or_default();
        let caller = Caller { session: self.session, account: Some(self.account), nonce };
        Command { caller: Some(caller), body: command.into() }
    }
}
