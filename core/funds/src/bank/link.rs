//! Links to bank accounts, and what banks have not settled yet.

use crate::{Eid, Funds, Method, Uuid, Way, code};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use buttonwood_model::{AccountId, Time};
use serde::{Deserialize, Serialize};

/// Letters and digits of a payment's code (facts F§7).
const CODE_LEN: usize = 6;

/// Keeps the ids of banks apart from those of transfers, which are drawn from the same seed.
const BANK_IDS: u64 = 1 << 60;

/// The kind of a bank account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BankKind {
    /// For payments.
    Checking,
    /// For savings.
    Savings,
}

impl BankKind {
    /// The name that people read.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Checking => "Checking",
            Self::Savings => "Savings",
        }
    }
}

/// The numbers of a bank account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BankNumbers {
    /// In the United States.
    UnitedStates {
        /// The routing number of the bank.
        routing: String,
    },
    /// In Canada.
    Canada {
        /// The SWIFT code of the bank.
        swift: String,
        /// The number of the institution; empty without one.
        institution: String,
        /// The number of the branch; empty without one.
        branch: String,
    },
}

/// A bank account that is to be linked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewBank {
    /// The account that it is linked to.
    pub account: AccountId,
    /// The number of the bank account.
    pub number: String,
    /// Its other numbers.
    pub numbers: BankNumbers,
    /// Its kind.
    pub kind: BankKind,
    /// Its name, as on statements.
    pub name: String,
}

impl NewBank {
    /// Whether it is the bank account of this number at the bank with this routing number or, in Canada, SWIFT code.
    pub fn is_at(&self, number: &str, routing: &str) -> bool {
        let own = match &self.numbers {
            BankNumbers::UnitedStates { routing } => routing,
            BankNumbers::Canada { swift, .. } => swift,
        };
        self.number == number && own.eq_ignore_ascii_case(routing)
    }
}

/// A link to a bank account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bank {
    /// Its number, in the `referenceId`: from 1, over all accounts.
    pub number: u32,
    /// Its `bankId`.
    pub id: Uuid,
    /// The bank that was linked.
    pub link: NewBank,
    /// Whether a wire came from it (BANK-003).
    pub is_verified: bool,
}

/// Links to bank accounts, and what banks have not settled yet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Banks {
    /// Every link; link `n` is at place `n - 1`.
    links: Vec<Bank>,
    /// The links of each account.
    own: BTreeMap<AccountId, Vec<u32>>,
    /// The payments by their codes, for ever: a code is used once.
    codes: BTreeMap<String, Eid>,
    /// The payments that no bank has settled.
    waiting: BTreeSet<Eid>,
    /// When each advance clears.
    clears: BTreeMap<Eid, Time>,
    /// The same, the first first.
    clearing: BTreeSet<(Time, Eid)>,
}

impl Banks {
    /// The number that the next link gets.
    pub fn next_number(&self) -> u32 {
        u32::try_from(self.links.len()).unwrap_or(u32::MAX).saturating_add(1)
    }

    /// A link.
    pub fn get(&self, number: u32) -> Option<&Bank> {
        self.links.get(usize::try_from(number.checked_sub(1)?).ok()?)
    }

    /// The links of an account, the oldest first.
    pub fn of_account(&self, account: AccountId) -> impl Iterator<Item = &Bank> {
        let own = self.own.get(&account).map(Vec::as_slice).unwrap_or_default();
        own.iter().filter_map(|number| self.get(*number))
    }

    /// The row of the payment with this code.
    pub fn by_code(&self, code: &str) -> Option<Eid> {
        self.codes.get(code).copied()
    }

    /// Whether the row is a payment that no bank has settled.
    pub fn is_waiting(&self, eid: Eid) -> bool {
        self.waiting.contains(&eid)
    }

    /// When an advance of a bank clears; none for what is no such advance, or not any more.
    pub fn clears_at(&self, eid: Eid) -> Option<Time> {
        self.clears.get(&eid).copied()
    }

    /// The credits that have not cleared, the oldest first.
    pub(super) fn awaited(&self) -> impl Iterator<Item = Eid> {
        self.clears.keys().copied()
    }

    /// The advance that clears first, and when.
    pub(super) fn next_clearing(&self) -> Option<(Time, Eid)> {
        self.clearing.first().copied()
    }

    /// A code that no payment has had.
    pub(super) fn free_code(&self, seed: u64, eid: Eid) -> String {
        // Each try draws anew: the high bits count the tries, and no row has such a number.
        let drawn = (0..u64::MAX).map(|attempt| code(seed, eid.0 ^ (attempt << 40), CODE_LEN));
        { drawn }.find(|code| !self.codes.contains_key(code)).unwrap_or_default()
    }

    /// Adds a link.
    pub(super) fn link(&mut self, link: NewBank, seed: u64) {
        let number = self.next_number();
        self.own.entry(link.account).or_default().push(number);
        let id = Uuid::drawn(seed, BANK_IDS | u64::from(number));
        self.links.push(Bank { number, id, link, is_verified: false });
    }

    /// Notes that a wire came from a linked bank account.
    pub(super) fn verify(&mut self, number: u32) {
        let place = number.checked_sub(1).and_then(|place| usize::try_from(place).ok());
        if let Some(bank) = place.and_then(|place| self.links.get_mut(place)) {
            bank.is_verified = true;
        }
    }

    /// Notes a payment that waits for its bank.
    pub(super) fn wait(&mut self, eid: Eid, code: String) {
        self.codes.insert(code, eid);
        self.waiting.insert(eid);
    }

    /// Forgets that a payment waits.
    pub(super) fn stop_waiting(&mut self, eid: Eid) {
        self.waiting.remove(&eid);
    }

    /// Notes an advance that clears at a time.
    pub(super) fn will_clear(&mut self, eid: Eid, time: Time) {
        self.clears.insert(eid, time);
        self.clearing.insert((time, eid));
    }

    /// Forgets that an advance will clear.
    pub(super) fn stop_clearing(&mut self, eid: Eid) {
        if let Some(time) = self.clears.remove(&eid) {
            self.clearing.remove(&(time, eid));
        }
    }
}

impl Funds {
    /// Links to bank accounts, and what banks have not settled yet.
    pub fn banks(&self) -> &Banks {
        &self.banks
    }

    /// Whether the row is a payment to a bank, whatever has become of it.
    pub fn is_bank_payment(&self, eid: Eid) -> bool {
        self.transfer(eid).is_some_and(|transfer| matches!(transfer.row.way, Way::Bank(Method::Sen, _)))
    }

    /// Whether the row is an advance of a bank, whatever has become of it.
    pub fn is_bank_advance(&self, eid: Eid) -> bool {
        let row = self.transfer(eid).map(|transfer| &transfer.row);
        row.is_some_and(|row| matches!(row.way, Way::Bank(Method::Ach, _)) && row.advance.is_none())
    }
}
