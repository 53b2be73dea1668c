//! The work of a payer, on a calm node and on one that fails, reorganises, loses answers and refuses, over crashes.

use super::*;
use crate::rig::{Dice, Flaky, Folder, Past, TestKeys, output, units};
use crate::simulated::Treatment;
use crate::{Lookup, SimulatedChain, Watcher};

const REQUIRED: u32 = 3;

/// The row that the caller would keep of a payment.
#[derive(Clone, Debug)]
struct Row {
    payment: Payment,
    attempts: Vec<Attempt>,
    settled: Option<Settled>,
    /// How often it has come to its end.
    ends: u32,
}

/// A chain, what the caller has journaled, and the machines.
struct Stage {
    folder: Folder,
    name: &'static str,
    chain: SimulatedChain,
    watcher: Watcher,
    payer: Payer,
    rows: BTreeMap<u64, Row>,
    steps: Vec<Step>,
}

impl Stage {
    fn new(name: &'static str) -> Self {
        let folder = Folder::new();
        let mut chain = folder.open(name);
        chain.mint(output("hot", chain.network().currency, 1000)).unwrap();
        let mut stage = Self {
            folder,
            name,
            chain,
            watcher: Watcher::new(REQUIRED),
            payer: Payer::new(REQUIRED),
            rows: BTreeMap::new(),
            steps: Vec::new(),
        };
        stage.settle_down();
        stage
    }

    /// Accepts a payment to an address of its own.
    fn accept(&mut self, amount: i128) -> u64 {
        let id = u64::try_from(self.rows.len()).unwrap() + 1;
        let payment = Payment {
            id,
            from: vec!["hot".to_owned(), "spare".to_owned()],
            address: format!("payee-{id}"),
            memo: None,
            currency: self.chain.network().currency.to_owned(),
            amount: units(amount),
        };
        let row = Row { payment: payment.clone(), attempts: Vec::new(), settled: None, ends: 0 };
        self.rows.insert(id, row);
        self.payer.accept(payment);
        id
    }

    /// Journals steps, of those that sign only the first `most`. `false`: the process ends there.
    fn take(&mut self, steps: Vec<Step>, most: usize) -> bool {
        let mut signed = 0;
        for step in steps {
            match &step {
                Step::Signed { payment, attempt } => {
                    if signed == most {
                        return false;
                    }
                    signed += 1;
                    let row = self.rows.get_mut(payment).unwrap();
                    if let Some(first) = row.attempts.first() {
                        assert_eq!(first.signed.spends, attempt.signed.spends, "built on something else");
                    }
                    row.attempts.push(attempt.clone());
                    assert!(self.payer.recorded(*payment, &attempt.signed.tx));
                }
                Step::Settled { payment, settled } => {
                    let row = self.rows.get_mut(payment).unwrap();
                    row.settled = Some(settled.clone());
                    row.ends += 1;
                }
                Step::Unsettled { payment, .. } => {
                    self.rows.get_mut(payment).unwrap().settled = None;
                }
                Step::Sent { payment, tx } => {
                    let row = &self.rows[payment];
                    assert!(
                        row.attempts.iter().any(|attempt| attempt.signed.tx == *tx),
                        "sent before durable"
                    );
                }
                Step::Short { .. } | Step::Blocked { .. } | Step::Stuck { .. } | Step::Revived { .. } => {}
            }
            self.steps.push(step);
        }
        true
    }

    /// Looks and polls until nothing changes any more.
    fn settle_down(&mut self) {
        loop {
            let report = self.watcher.look(&mut self.chain, &|_| false);
            let steps = self.payer.poll(&mut self.chain, self.watcher.branch(), &TestKeys);
            let calm = report.is_empty() && steps.is_empty();
            self.take(steps, usize::MAX);
            if calm {
                return;
            }
        }
    }

    fn mine(&mut self, blocks: u32) {
        self.chain.mine(blocks).unwrap();
        self.settle_down();
    }

    /// The exchange is killed and starts again, from what was journaled.
    fn restart(&mut self) {
        self.chain = self.folder.open(self.name);
        self.watcher = Watcher::restore(REQUIRED, self.watcher.branch().clone(), []);
        self.payer = Payer::new(REQUIRED);
        for row in self.rows.values() {
            self.payer.restore(row.payment.clone(), row.attempts.clone(), row.settled.clone());
        }
    }

    fn outcome(&self, id: u64) -> Option<Outcome> {
        self.rows[&id].settled.as_ref().map(|settled| settled.outcome)
    }

    fn paid(&mut self, id: u64) -> Money {
        let address = self.rows[&id].payment.address.clone();
        self.chain.received(&address).unwrap().into_iter().map(|incoming| incoming.output.amount).sum()
    }

    fn alarms(&self) -> Vec<&Step> {
        let is_alarm =
            |step: &&Step| matches!(step, Step::Short { .. } | Step::Blocked { .. } | Step::Stuck { .. });
        self.steps.iter().filter(is_alarm).collect()
    }
}

/// A payment is signed, sent, and settled at the required number of confirmations; many go out together.
#[test]
fn a_payment_is_paid_once() {
    for name in ["ethereum", "bitcoin", "cosmos"] {
        let mut stage = Stage::new(name);
        let ids: Vec<u64> = (0..20).map(|_| stage.accept(5)).collect();
        stage.settle_down();
        assert_eq!(stage.chain.mempool(&BTreeSet::new()).unwrap().hashes.len(), 20, "{name}");
        stage.mine(2);
        assert!(ids.iter().all(|id| stage.outcome(*id).is_none()));
        stage.mine(1);
        for id in ids {
            assert_eq!((stage.outcome(id), stage.paid(id)), (Some(Outcome::Completed), units(5)));
            assert_eq!((stage.rows[&id].attempts.len(), stage.rows[&id].ends), (1, 1));
        }
        assert_eq!(stage.payer.unsettled(), 0);
        assert!(stage.alarms().is_empty());
        stage.mine(200);
        assert!(stage.payer.entries.is_empty() && stage.payer.reserved == Reserved::default());
    }
}

/// Signed bytes are not sent before they are durable, and after a crash the same bytes are sent.
#[test]
fn nothing_is_sent_before_it_is_durable() {
    for name in ["ethereum", "bitcoin"] {
        let mut stage = Stage::new(name);
        let id = stage.accept(5);
        let steps = stage.payer.poll(&mut stage.chain, stage.watcher.branch(), &TestKeys);
        let [Step::Signed { attempt, .. }] = &steps[..] else { panic!("{steps:?}") };
        assert!(stage.payer.poll(&mut stage.chain, stage.watcher.branch(), &TestKeys).is_empty());
        assert!(stage.chain.mempool(&BTreeSet::new()).unwrap().hashes.is_empty());
        stage.rows.get_mut(&id).unwrap().attempts.push(attempt.clone());
        stage.restart();
        stage.settle_down();
        let waiting = stage.chain.mempool(&BTreeSet::new()).unwrap().hashes;
        assert_eq!(waiting, BTreeSet::from([attempt.signed.tx.clone()]));
        assert!(
            !stage.payer.recorded(id, &TxHash::new("another"))
                && !stage.payer.recorded(99, &attempt.signed.tx)
        );
    }
}

/// A transaction that is signed in vain is forgotten with the payment, and spends nothing; a durable one is not.
#[test]
fn only_what_is_not_durable_is_forgotten() {
    let mut stage = Stage::new("bitcoin");
    let id = stage.accept(600);
    let steps = stage.payer.poll(&mut stage.chain, stage.watcher.branch(), &TestKeys);
    assert!(matches!(steps[..], [Step::Signed { payment, .. }] if payment == id), "{steps:?}");
    assert_eq!(stage.payer.unsigned().collect::<Vec<_>>(), [id]);
    stage.payer.forget_unsigned(id);
    assert!(stage.payer.payment(id).is_none() && !stage.payer.is_busy());
    stage.rows.get_mut(&id).unwrap().payment.amount = units(700);
    let again = stage.rows[&id].payment.clone();
    stage.payer.accept(again);
    stage.settle_down();
    stage.payer.forget_unsigned(id);
    assert!(stage.payer.payment(id).is_some());
    stage.mine(REQUIRED);
    assert_eq!((stage.outcome(id), stage.paid(id)), (Some(Outcome::Completed), units(700)));
}

/// A lost reply and a lost request both lead to one payment.
#[test]
fn a_lost_answer_is_looked_up() {
    for treatment in [Treatment::LoseReply, Treatment::TimeOut] {
        let mut stage = Stage::new("bitcoin");
        stage.chain.node(treatment, 2).unwrap();
        let id = stage.accept(5);
        for _ in 0..3 {
            stage.settle_down();
        }
        stage.mine(3);
        assert_eq!((stage.outcome(id), stage.paid(id)), (Some(Outcome::Completed), units(5)));
        assert_eq!(stage.rows[&id].attempts.len(), 1);
    }
}

/// A payment that is refused for good is voided by a transaction that spends the same; it is voided only when that one
/// is final. Payments after it go on.
#[test]
fn a_refused_payment_is_voided() {
    for name in ["ethereum", "bitcoin"] {
        let mut stage = Stage::new(name);
        stage.chain.node(Treatment::Refuse, 2).unwrap();
        let refused = stage.accept(5);
        stage.settle_down();
        assert!(stage.payer.has_unknown(), "the node has neither the payment nor its void");
        let next = stage.accept(7);
        // The first void is refused too: with the next block another one is made.
        stage.mine(1);
        let purposes: Vec<Purpose> = stage.rows[&refused].attempts.iter().map(|one| one.purpose).collect();
        assert_eq!(purposes, [Purpose::Pay, Purpose::Void, Purpose::Void]);
        assert_eq!((stage.payer.refused(), stage.payer.has_unknown()), (1, false));
        stage.mine(2);
        assert_eq!(stage.outcome(refused), None);
        stage.restart();
        stage.mine(3);
        assert_eq!((stage.outcome(refused), stage.paid(refused)), (Some(Outcome::Voided), Money::ZERO));
        assert_eq!((stage.outcome(next), stage.paid(next)), (Some(Outcome::Completed), units(7)));
    }
}

/// A payment that is mined but fails is reported as failed when that is final.
#[test]
fn a_reverted_payment_has_failed() {
    let mut stage = Stage::new("avalanche");
    stage.chain.node(Treatment::Revert, 1).unwrap();
    let id = stage.accept(5);
    stage.settle_down();
    stage.mine(2);
    assert_eq!(stage.outcome(id), None);
    stage.mine(1);
    assert_eq!((stage.outcome(id), stage.paid(id)), (Some(Outcome::Failed), Money::ZERO));
}

/// A higher fee replaces the payment: it spends the same, and one of the two is paid.
#[test]
fn a_bump_spends_the_same() {
    for name in ["ethereum", "bitcoin"] {
        let mut stage = Stage::new(name);
        let id = stage.accept(5);
        assert!(!stage.payer.bump(id), "nothing waits yet");
        stage.settle_down();
        assert!(stage.payer.bump(id));
        stage.settle_down();
        assert_eq!(stage.rows[&id].attempts.len(), 2);
        stage.restart();
        stage.mine(3);
        assert_eq!((stage.outcome(id), stage.paid(id)), (Some(Outcome::Completed), units(5)));
        assert_eq!(stage.rows[&id].settled.as_ref().unwrap().tx, stage.rows[&id].attempts[1].signed.tx);
        assert!(!stage.payer.bump(id), "it is settled");
    }
}

/// A payment whose change another one spends keeps its fee, since the other would die with it.
#[test]
fn a_parent_is_not_bumped() {
    let mut stage = Stage::new("bitcoin");
    let parent = stage.accept(5);
    stage.settle_down();
    let child = stage.accept(5);
    stage.settle_down();
    assert!(!stage.payer.bump(parent) && stage.payer.bump(child));
}

/// A reorganisation before the end leaves a payment on its way; one after the end is reported, and the same bytes are
/// sent again.
#[test]
fn a_removed_payment_is_sent_again() {
    for restart in [false, true] {
        let mut stage = Stage::new("ethereum");
        let id = stage.accept(5);
        stage.settle_down();
        stage.mine(1);
        stage.chain.reorg(1, false).unwrap();
        stage.settle_down();
        assert_eq!((stage.outcome(id), stage.alarms().len()), (None, 0));
        stage.mine(3);
        assert_eq!(stage.outcome(id), Some(Outcome::Completed));
        stage.chain.reorg(3, false).unwrap();
        if restart {
            stage.restart();
        }
        stage.settle_down();
        let removed = stage.steps.iter().filter(|step| matches!(step, Step::Unsettled { .. })).count();
        assert_eq!((removed, stage.outcome(id)), (1, None));
        stage.mine(3);
        assert_eq!((stage.outcome(id), stage.paid(id)), (Some(Outcome::Completed), units(5)));
        assert_eq!((stage.rows[&id].attempts.len(), stage.rows[&id].ends), (1, 2));
    }
}

/// A payment that is mined while the exchange is away, more blocks ago than a watcher remembers, is settled.
#[test]
fn a_long_absence_is_made_up_for() {
    let mut stage = Stage::new("bitcoin");
    let id = stage.accept(5);
    stage.settle_down();
    stage.chain.mine(500).unwrap();
    stage.restart();
    stage.settle_down();
    assert_eq!((stage.outcome(id), stage.paid(id)), (Some(Outcome::Completed), units(5)));
    assert_eq!((stage.rows[&id].attempts.len(), stage.rows[&id].ends), (1, 1));
}

/// A payment that the wallet cannot make waits, with one alarm; a smaller payment goes on, and the first follows when there is money.
#[test]
fn a_short_wallet_waits() {
    for name in ["ethereum", "bitcoin"] {
        let mut stage = Stage::new(name);
        let large = stage.accept(2000);
        let small = stage.accept(400);
        stage.settle_down();
        stage.mine(3);
        assert_eq!((stage.outcome(large), stage.outcome(small)), (None, Some(Outcome::Completed)));
        let alarm = Step::Short { payment: large, available: units(1000) };
        assert_eq!(stage.alarms(), [&alarm]);
        stage.chain.mint(output("hot", stage.chain.network().currency, 5000)).unwrap();
        stage.settle_down();
        stage.mine(3);
        assert_eq!((stage.outcome(large), stage.alarms().len()), (Some(Outcome::Completed), 1));
    }
}

/// A wallet that cannot pay holds up no larger payment of another wallet, even of one that could not pay before.
#[test]
fn a_short_wallet_holds_up_no_other() {
    let mut stage = Stage::new("bitcoin");
    let hot = stage.accept(2000);
    let cold = stage.accept(3000);
    stage.payer.forget_unsigned(cold);
    let row = stage.rows.get_mut(&cold).unwrap();
    row.payment.from = vec!["cold".to_owned()];
    let payment = row.payment.clone();
    stage.payer.accept(payment);
    stage.settle_down();
    assert_eq!(stage.alarms().len(), 2);
    stage.chain.mint(output("cold", "BTC", 5000)).unwrap();
    stage.settle_down();
    stage.mine(REQUIRED);
    assert_eq!((stage.outcome(hot), stage.outcome(cold)), (None, Some(Outcome::Completed)));
}

/// An address without a key blocks its payment, with one alarm.
#[test]
fn a_missing_key_blocks() {
    let mut stage = Stage::new("ethereum");
    stage.chain.mint(output("foreign", "ETH", 5)).unwrap();
    let payment = Payment {
        id: 1,
        from: vec!["foreign".to_owned()],
        address: "payee".to_owned(),
        memo: None,
        currency: "ETH".to_owned(),
        amount: units(1),
    };
    stage.payer.accept(payment);
    stage.settle_down();
    stage.settle_down();
    assert!(matches!(stage.alarms()[..], [Step::Blocked { payment: 1, .. }]));
}

/// When something else has finally used a payment's nonce, the payment may have been made under another hash: it is not
/// voided, and an operator is called.
#[test]
fn a_foreign_conflict_is_not_a_void() {
    let mut stage = Stage::new("ethereum");
    stage.chain.node(Treatment::TimeOut, 1).unwrap();
    let id = stage.accept(5);
    stage.settle_down();
    let signed = stage.rows[&id].attempts[0].signed.clone();
    assert_eq!(stage.chain.lookup(&signed.tx, &signed.spends), Ok(Lookup::Unknown));
    let from = ["hot".to_owned()];
    let reserved = Reserved::default();
    let pay = Pay { address: "elsewhere", memo: None, currency: "ETH", amount: units(1) };
    let draft = Draft {
        from: &from,
        pay: Some(pay),
        spends: Some(&signed.spends),
        bid: 9,
        outbids: None,
        reserved: &reserved,
    };
    let unsigned = stage.chain.build(&draft).unwrap();
    let foreign = stage.chain.sign(&unsigned, &TestKeys).unwrap();
    assert_eq!(stage.chain.broadcast(&foreign.bytes), crate::Broadcast::Accepted);
    for _ in 0..4 {
        stage.mine(1);
    }
    assert_eq!(stage.outcome(id), None);
    assert_eq!(stage.alarms(), [&Step::Stuck { payment: id, tx: Some(signed.tx), by: Some(foreign.tx) }]);
    assert_eq!(stage.rows[&id].attempts.len(), 1);
}

/// Random lives: treatments, reorganisations, bumps, bad answers, and a crash at any step. In the end every accepted
/// payment is paid exactly once, or not at all and voided or failed. Proves INV-WD-1, INV-WD-3 and INV-WD-4 for the
/// payer's part.
#[test]
fn every_payment_ends_exactly_once() {
    let mut ends = BTreeMap::new();
    for seed in 0..24 {
        let dice = &mut Dice(seed);
        let mut stage = Stage::new(["ethereum", "bitcoin", "base", "xrpl"][dice.index(4)]);
        let mut past = Past::default();
        for _ in 0..120 {
            life(&mut stage, dice);
            let once_in = 4 + seed % 5;
            let mut node = Flaky { chain: &mut stage.chain, dice: &mut *dice, past: &mut past, once_in };
            stage.watcher.look(&mut node, &|_| false);
            let steps = stage.payer.poll(&mut node, stage.watcher.branch(), &TestKeys);
            let most = if dice.once_in(8) { dice.index(3) } else { usize::MAX };
            if !stage.take(steps, most) || dice.once_in(20) {
                stage.restart();
            }
        }
        stage.chain.node(Treatment::Normal, 1).unwrap();
        for _ in 0..8 {
            stage.settle_down();
            stage.mine(1);
        }
        for id in stage.rows.keys().copied().collect::<Vec<_>>() {
            let amount = stage.rows[&id].payment.amount;
            let outcome = stage.outcome(id);
            let expected = if outcome == Some(Outcome::Completed) { amount } else { Money::ZERO };
            assert!(outcome.is_some(), "seed {seed}: payment {id} has no end");
            assert_eq!(stage.paid(id), expected, "seed {seed}: payment {id}");
            assert!(stage.chain.received(&stage.rows[&id].payment.address).unwrap().len() <= 1);
            *ends.entry(format!("{:?}", outcome.unwrap())).or_insert(0) += 1;
        }
        assert!(stage.alarms().iter().all(|step| matches!(step, Step::Short { .. })), "seed {seed}");
    }
    assert!(ends["Completed"] > 300 && ends["Voided"] > 20 && ends["Failed"] > 3, "{ends:?}");
}

/// Something happens to the chain, or a payment is accepted.
fn life(stage: &mut Stage, dice: &mut Dice) {
    match dice.roll(14) {
        0..4 => drop(stage.accept(1 + i128::from(dice.roll(5)))),
        4..7 => drop(stage.chain.mine(1).unwrap()),
        7 if stage.chain.height() > 4 => {
            drop(stage.chain.reorg(1 + u32::try_from(dice.roll(4)).unwrap(), false).unwrap());
        }
        8 => {
            let treatments = [Treatment::Refuse, Treatment::LoseReply, Treatment::TimeOut, Treatment::Revert];
            // Chains of outputs refuse this one.
            let _ = stage.chain.node(treatments[dice.index(4)], 1 + u32::try_from(dice.roll(3)).unwrap());
        }
        9 if !stage.rows.is_empty() => {
            let id = 1 + dice.roll(u64::try_from(stage.rows.len()).unwrap());
            stage.payer.bump(id);
        }
        _ => {}
    }
}

/// A payment whose input has vanished in a deep reorganisation is stuck. Paid again under another number it spends other coins, and only once
/// nothing of the old one can confirm; the old bytes are never sent again.
#[test]
fn a_stuck_payment_is_paid_again_from_other_coins() {
    let mut stage = Stage::new("bitcoin");
    stage.chain.send(output("spare", "BTC", 5000)).unwrap();
    stage.mine(3);
    let id = stage.accept(4000);
    stage.settle_down();
    stage.mine(3);
    assert_eq!(stage.outcome(id), Some(Outcome::Completed));
    let old = stage.rows[&id].clone();
    stage.chain.reorg(6, true).unwrap();
    stage.mine(3);
    assert_eq!(stage.outcome(id), None);
    assert!(
        matches!(stage.alarms()[..], [Step::Stuck { payment, .. }] if *payment == id),
        "{:?}",
        stage.steps
    );
    stage.chain.send(output("spare", "BTC", 5000)).unwrap();
    stage.mine(3);
    let again = stage.accept(4000);
    stage.payer.replace(again, vec![id]);
    stage.payer.give_up(id);
    stage.settle_down();
    stage.mine(3);
    assert_eq!((stage.outcome(again), stage.outcome(id)), (Some(Outcome::Completed), None));
    assert_ne!(stage.rows[&again].attempts[0].signed.spends, old.attempts[0].signed.spends);
    assert_eq!((stage.paid(id), stage.paid(again)), (Money::ZERO, units(4000)));
}

/// While the old payment may confirm, nothing is signed in its place; if it confirms, it is the end.
#[test]
fn nothing_replaces_what_may_confirm() {
    let mut stage = Stage::new("bitcoin");
    let id = stage.accept(5);
    stage.settle_down();
    let again = stage.accept(5);
    stage.payer.replace(again, vec![id]);
    stage.payer.give_up(id);
    stage.mine(5);
    assert_eq!((stage.outcome(id), stage.outcome(again)), (Some(Outcome::Completed), None));
    assert!(stage.rows[&again].attempts.is_empty());
}

/// An empty payment that was asked for takes the place of one that waits, with the same number.
#[test]
fn an_empty_payment_takes_the_place_of_one_that_waits() {
    let mut stage = Stage::new("ethereum");
    let id = stage.accept(5);
    stage.settle_down();
    stage.payer.void(id);
    stage.settle_down();
    stage.restart();
    stage.payer.void(id);
    stage.mine(3);
    assert_eq!((stage.outcome(id), stage.paid(id)), (Some(Outcome::Voided), Money::ZERO));
    assert_eq!(stage.rows[&id].attempts.len(), 2);
}
