//! Withdrawals on their way: what was signed for them, and free withdrawals that were used.

use super::{Outcome, Remedy};
use crate::Eid;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use buttonwood_model::{AccountId, CurrencyId, Fingerprint, GroupId, RowHash};
use serde::{Deserialize, Serialize};

/// Blocks after which the signed bytes of an ended withdrawal are forgotten: more than a reorganisation is followed.
const KEPT_BLOCKS: u64 = 128;

/// The purpose of a signed transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Purpose {
    /// It pays.
    Pay,
    /// It pays too, with a higher network fee, and spends the same.
    Bump,
    /// It only uses up what the payment would spend.
    Void,
}

/// A signed transaction of a withdrawal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// Its purpose.
    pub purpose: Purpose,
    /// Its hash, as its network prints it.
    pub tx: String,
    /// Its bytes, which are sent as they are, every time.
    pub bytes: Vec<u8>,
    /// Its inputs, in the encoding of `edge/custody`: equal for all attempts of a withdrawal.
    pub spends: Vec<u8>,
}

/// How a withdrawal has ended on the chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settled {
    /// Its fate.
    pub outcome: Outcome,
    /// The transaction that has decided it.
    pub tx: String,
    /// The height and hash of its block; none while a reorganisation has removed it.
    pub block: Option<(u64, String)>,
}

/// A withdrawal on its way, or one that has ended not long ago.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payment {
    /// All signed transactions, the oldest first.
    pub attempts: Vec<Attempt>,
    /// The hashes of those that the node is known to have had.
    pub sent: BTreeSet<String>,
    /// Its end.
    pub settled: Option<Settled>,
    /// Whether none of what was signed can confirm any more, as the driver says.
    pub lost: bool,
    /// The operator's remedy for it.
    pub remedy: Option<Remedy>,
    /// The transactions that were signed for it and are never sent again, since they could not confirm any more: an element for
    /// each time that it was paid again.
    pub replaced: Vec<Vec<Attempt>>,
    /// The month whose free withdrawal it uses, if it does.
    pub(super) free_in: Option<u32>,
}

/// A payment, as fingerprints have it.
const ROW: RowHash = RowHash::of("payment");

impl Attempt {
    fn hash(&self, row: RowHash) -> RowHash {
        let purpose = match self.purpose {
            Purpose::Pay => 0,
            Purpose::Bump => 1,
            Purpose::Void => 2,
        };
        row.word(purpose).text(&self.tx).bytes(&self.bytes).bytes(&self.spends)
    }
}

impl Settled {
    fn hash(&self, row: RowHash) -> RowHash {
        let outcome = match self.outcome {
            Outcome::Completed => 0,
            Outcome::Failed => 1,
            Outcome::Voided => 2,
        };
        let row = row.word(outcome).text(&self.tx);
        self.block.as_ref().map_or(row, |(height, hash)| row.word(*height).text(hash))
    }
}

impl Payment {
    /// Its hash. Of what was signed the newest alone, since the others were added before.
    fn hash(&self, row: RowHash) -> RowHash {
        let remedy = match self.remedy {
            None => 0,
            Some(Remedy::Rebuild) => 1,
            Some(Remedy::Void) => 2,
        };
        let row = row.word(u64::from(self.lost)).word(remedy).option(self.free_in.map(u64::from));
        let row = row.count(self.attempts.len()).count(self.replaced.len());
        let row = self.attempts.last().map_or(row, |newest| newest.hash(row));
        let row = self.sent.iter().fold(row.count(self.sent.len()), |row, tx| row.text(tx));
        self.settled.as_ref().map_or(row, |settled| settled.hash(row))
    }

    /// A signed transaction by its hash, also one that was replaced.
    pub fn attempt(&self, tx: &str) -> Option<&Attempt> {
        let replaced = self.replaced.iter().flatten();
        self.attempts.iter().chain(replaced).find(|attempt| attempt.tx == tx)
    }
}

/// Withdrawals on their way, and free withdrawals.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withdrawals {
    payments: BTreeMap<Eid, Payment>,
    /// The newest block that has ended a withdrawal, of each network.
    newest: BTreeMap<String, u64>,
    /// Ended withdrawals whose bytes are still kept, by network and height.
    ended: BTreeSet<(String, u64, Eid)>,
    /// Free withdrawals that were used, by group, currency and month (D-185).
    used: BTreeMap<(Option<GroupId>, CurrencyId, u32), u32>,
    overrides: BTreeSet<AccountId>,
    /// Those about which an operator has done something.
    remedied: BTreeSet<Eid>,
    /// The fingerprint of all payments so far.
    fingerprint: Fingerprint,
}

impl Withdrawals {
    /// A withdrawal on its way, or one that has ended not long ago.
    pub fn payment(&self, eid: Eid) -> Option<&Payment> {
        self.payments.get(&eid)
    }

    /// Those with this number or a higher one, the oldest first.
    pub fn payments_from(&self, eid: Eid) -> impl Iterator<Item = (Eid, &Payment)> {
        self.payments.range(eid..).map(|(eid, payment)| (*eid, payment))
    }

    /// Those about which an operator has done something, while they are kept.
    pub fn remedied(&self) -> impl Iterator<Item = Eid> {
        self.remedied.iter().copied()
    }

    /// Notes what an operator has done.
    pub(super) fn set_remedy(&mut self, eid: Eid, remedy: Remedy) {
        self.change(eid, |payment| payment.remedy = Some(remedy));
        self.remedied.insert(eid);
    }

    /// Whether withdrawals of the account are free.
    pub fn is_overridden(&self, account: AccountId) -> bool {
        self.overrides.contains(&account)
    }

    /// How many free withdrawals of a month the accounts of a group have used.
    pub(super) fn used(&self, group: Option<GroupId>, currency: CurrencyId, month: u32) -> u32 {
        self.used.get(&(group, currency, month)).copied().unwrap_or(0)
    }

    pub(super) fn set_override(&mut self, account: AccountId, on: bool) {
        if on {
            self.overrides.insert(account);
        } else {
            self.overrides.remove(&account);
        }
    }

    pub(super) fn accept(
        &mut self,
        eid: Eid,
        group: Option<GroupId>,
        currency: CurrencyId,
        free_in: Option<u32>,
    ) {
        if let Some(month) = free_in {
            let used = self.used.entry((group, currency, month)).or_insert(0);
            *used = used.saturating_add(1);
        }
        self.payments.insert(eid, Payment { free_in, ..Payment::default() });
        self.note(eid);
    }

    /// Gives a used free withdrawal back.
    pub(super) fn give_back(&mut self, eid: Eid, group: Option<GroupId>, currency: CurrencyId) {
        let Some(month) = self.payments.get_mut(&eid).and_then(|payment| payment.free_in.take()) else {
            return;
        };
        self.note(eid);
        let key = (group, currency, month);
        match self.used.get_mut(&key) {
            Some(used) if *used > 1 => *used -= 1,
            Some(_) | None => {
                self.used.remove(&key);
            }
        }
    }

    /// Changes a payment.
    ///
    /// # Panics
    /// When the withdrawal is not on its way.
    pub(super) fn change(&mut self, eid: Eid, change: impl FnOnce(&mut Payment)) {
        change(self.payments.get_mut(&eid).expect("the decision found the withdrawal"));
        self.note(eid);
    }

    /// The fingerprint of all payments so far.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Adds a payment that has changed, or is gone, to the fingerprint.
    fn note(&mut self, eid: Eid) {
        let row = ROW.word(eid.0);
        self.fingerprint.add(self.payments.get(&eid).map_or(row, |payment| payment.hash(row)));
    }

    /// Notes the end of a withdrawal, and forgets those whose blocks are too deep to be removed.
    pub(super) fn end(&mut self, eid: Eid, network: &str, settled: Settled) {
        self.unend(eid, network);
        if let Some((height, _)) = settled.block {
            self.ended.insert((network.into(), height, eid));
            let newest = self.newest.entry(network.into()).or_insert(height);
            *newest = (*newest).max(height);
            let below = newest.saturating_sub(KEPT_BLOCKS);
            let from = (String::from(network), 0, Eid(0));
            let deep: Vec<_> = self.ended.range(from..(network.into(), below, Eid(0))).cloned().collect();
            for key in deep {
                self.ended.remove(&key);
                self.payments.remove(&key.2);
                self.remedied.remove(&key.2);
                self.note(key.2);
            }
        }
        if let Some(payment) = self.payments.get_mut(&eid) {
            payment.settled = Some(settled);
            self.note(eid);
        }
    }

    /// Notes that the block of its end was removed.
    pub(super) fn unend(&mut self, eid: Eid, network: &str) {
        let Some(payment) = self.payments.get_mut(&eid) else { return };
        let Some((height, _)) = payment.settled.as_mut().and_then(|settled| settled.block.take()) else {
            return;
        };
        self.ended.remove(&(network.into(), height, eid));
        self.note(eid);
    }
}
