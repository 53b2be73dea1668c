//! Payments that leave.

use super::*;

fn spends(attempt: &Attempt) -> Vec<crate::Outpoint> {
    let Spends::Inputs(inputs) = &attempt.signed.spends else { panic!("{attempt:?}") };
    inputs.clone()
}

/// Payments go out together, each once, and are settled; the network's cost is known to the satoshi.
#[test]
fn payments_are_made_once() {
    let Some(mut stage) = Stage::new() else { return };
    let first = stage.pay(1, units(3));
    let second = stage.pay(2, units(20));
    // Both coins are spent by now: this one spends change that waits itself.
    let third = stage.pay(3, units(5));
    stage.pay(4, Money::from_units(1));
    stage.settle_down();
    let blocked = |step: &Step| matches!(step, Step::Blocked { payment: 4, .. });
    assert!(stage.steps.iter().any(blocked), "a satoshi has no parts");
    stage.mine(1);
    assert_eq!(stage.outcome(1), None);
    stage.mine(1);
    for (id, address, amount) in [(1, first, 3), (2, second, 20), (3, third, 5)] {
        assert_eq!(stage.outcome(id), Some(Outcome::Completed));
        assert_eq!(stage.node.received(&address, 2), units(amount));
        assert_eq!(stage.attempts(id).len(), 1);
    }
    assert!(stage.costs() > Money::ZERO);
    let held = stage.held(&stage.hot());
    assert_eq!(held + units(28) + stage.costs(), units(100));
    // Sent again, it is known, or its inputs are used: no refusal.
    for attempt in stage.attempts(1) {
        let answer = stage.chain.broadcast(&attempt.signed.bytes);
        assert!(matches!(answer, Broadcast::AlreadyKnown | Broadcast::Spent), "{answer:?}");
    }
}

/// The same draft gives the same bytes, and the node reads out of them what the backend meant.
#[test]
fn building_and_signing_repeat() {
    let Some(mut stage) = Stage::new() else { return };
    let (hot, to) = (stage.hot(), stage.node.address());
    let pay = Pay { address: &to, memo: None, currency: "LTC", amount: units(70) };
    let (from, nothing) = ([hot], Reserved::default());
    let draft =
        Draft { from: &from, pay: Some(pay), spends: None, bid: 0, outbids: None, reserved: &nothing };
    let unsigned = stage.chain.build(&draft).unwrap();
    assert_eq!(stage.chain.build(&draft).unwrap(), unsigned);
    let signed = stage.chain.sign(&unsigned, &stage.keys).unwrap();
    assert_eq!(stage.chain.sign(&unsigned, &stage.keys).unwrap(), signed);
    let read = stage.node.rpc("decoderawtransaction", &json!([const_hex::encode(&signed.bytes)]));
    assert_eq!(read["txid"], signed.tx.as_str());
    let paid: u64 = (0..2).map(|index| read::satoshis(&read["vout"][index]["value"]).unwrap()).sum();
    assert_eq!(encode::fee_of(&signed.bytes), Some(10_000_000_000 - paid));
    let size = read["vsize"].as_u64().unwrap();
    let rate = (10_000_000_000 - paid) * 1000 / size;
    assert!((10_000..11_000).contains(&rate), "{rate}");
    assert_eq!(stage.chain.broadcast(&signed.bytes), Broadcast::Accepted);
    assert!(matches!(stage.chain.broadcast(&signed.bytes), Broadcast::Accepted | Broadcast::AlreadyKnown));
    // Nothing is left that is not reserved.
    let mut reserved = Reserved::default();
    reserved.add(&signed.spends);
    let draft = Draft { reserved: &reserved, ..draft };
    assert_eq!(stage.chain.build(&draft), Err(BuildError::Short { available: Money::ZERO }));
}

/// A payment that cannot be made is no transaction.
#[test]
fn bad_payments_are_not_built() {
    let Some(mut stage) = Stage::new() else { return };
    let (hot, to, reserved) = (stage.hot(), stage.node.address(), Reserved::default());
    let from = [hot];
    let mut attempt = |address: &str, currency: &str, amount| {
        let pay = Some(Pay { address, memo: None, currency, amount });
        stage.chain.build(&Draft {
            from: &from,
            pay,
            spends: None,
            bid: 0,
            outbids: None,
            reserved: &reserved,
        })
    };
    for (address, currency, satoshis) in [
        (to.as_str(), "BTC", 100_000_000),
        ("ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9", "LTC", 100_000_000),
        ("", "LTC", 100_000_000),
        (to.as_str(), "LTC", 2_939),
        (to.as_str(), "LTC", 0),
    ] {
        let built = attempt(address, currency, read::money(satoshis));
        assert!(matches!(built, Err(BuildError::Impossible { .. })), "{address} {satoshis}: {built:?}");
    }
    assert!(attempt(&to, "LTC", read::money(2_940)).is_ok());
    let Err(BuildError::Short { available }) = attempt(&to, "LTC", units(100)) else {
        panic!("100 and no fee")
    };
    assert!(available > units(99) && available < units(100), "{available:?}");
    assert!(attempt(&to, "LTC", available).is_ok());
}

/// A higher fee replaces the payment, which waits while no block comes; one of the two is paid.
#[test]
fn a_higher_fee_replaces_the_payment() {
    let Some(mut stage) = Stage::new() else { return };
    let to = stage.pay(1, units(3));
    stage.settle_down();
    for bumps in 1..=2 {
        assert!(stage.payer.bump(1));
        stage.settle_down();
        let attempts = stage.attempts(1);
        assert_eq!(attempts.len(), bumps + 1);
        let [.., before, last] = attempts.as_slice() else { panic!("{attempts:?}") };
        assert_eq!((last.purpose, spends(before)), (Purpose::Bump, spends(last)));
        assert!(encode::fee_of(&last.signed.bytes) > encode::fee_of(&before.signed.bytes));
        assert_eq!(stage.chain.lookup(&last.signed.tx, &last.signed.spends), Ok(Lookup::Waiting));
        assert_eq!(stage.chain.lookup(&before.signed.tx, &before.signed.spends), Ok(Lookup::Unknown));
    }
    stage.mine(2);
    assert_eq!((stage.outcome(1), stage.node.received(&to, 2)), (Some(Outcome::Completed), units(3)));
    let attempts = stage.attempts(1);
    let found = stage.chain.lookup(&attempts[0].signed.tx, &attempts[0].signed.spends);
    assert_eq!(found, Ok(Lookup::Dead { by: Some(attempts[2].signed.tx.clone()) }));
    let held = stage.held(&stage.hot());
    assert_eq!(held + units(3) + stage.costs(), units(100));
}

/// A payment that the node refuses for good is voided: its inputs come home.
#[test]
fn a_refused_payment_is_voided() {
    let Some(mut stage) = Stage::new() else { return };
    let to = stage.node.address();
    let payment = stage.payment(1, &to, units(3));
    stage.payer.accept(payment.clone());
    assert_eq!(stage.poll(), 1);
    // The bytes are broken before they are sent for the first time: the node does not verify the signature.
    let mut attempt = stage.attempts(1)[0].clone();
    let digit = attempt.signed.bytes.len() - 20;
    attempt.signed.bytes[digit] ^= 1;
    let answer = stage.chain.broadcast(&attempt.signed.bytes);
    assert!(matches!(answer, Broadcast::Refused { .. }), "{answer:?}");
    stage.steps.clear();
    stage.payer = Payer::new(REQUIRED);
    stage.payer.restore(payment, [attempt.clone()], None);
    stage.settle_down();
    let void = stage.attempts(1)[0].clone();
    assert_eq!((void.purpose, spends(&void)), (Purpose::Void, spends(&attempt)));
    stage.mine(1);
    assert_eq!(stage.outcome(1), None);
    stage.mine(1);
    assert_eq!((stage.outcome(1), stage.node.received(&to, 0)), (Some(Outcome::Voided), Money::ZERO));
    let held = stage.held(&stage.hot());
    assert_eq!(held + stage.costs(), units(100));
}

/// A void replaces a payment that waits.
#[test]
fn a_void_replaces_the_payment() {
    let Some(mut stage) = Stage::new() else { return };
    let to = stage.pay(1, units(3));
    stage.settle_down();
    let first = stage.attempts(1)[0].signed.clone();
    let (from, reserved) = ([stage.hot()], Reserved::default());
    let (pay, spends, outbids) = (None, Some(&first.spends), Some(&first));
    let unsigned =
        stage.chain.build(&Draft { from: &from, pay, spends, bid: 1, outbids, reserved: &reserved }).unwrap();
    let void = stage.chain.sign(&unsigned, &stage.keys).unwrap();
    assert_eq!((stage.chain.broadcast(&void.bytes), &void.spends), (Broadcast::Accepted, &first.spends));
    stage.node.mine(2);
    assert!(matches!(stage.chain.lookup(&void.tx, &void.spends), Ok(Lookup::Mined { failed: false, .. })));
    let found = stage.chain.lookup(&first.tx, &first.spends);
    assert_eq!((found, stage.node.received(&to, 0)), (Ok(Lookup::Dead { by: Some(void.tx) }), Money::ZERO));
}

/// A reorganisation before the payment is settled, and one after: the same bytes are in a block in the end.
#[test]
fn a_removed_payment_is_sent_again() {
    let Some(mut stage) = Stage::new() else { return };
    let to = stage.node.address();
    let payment = stage.payment(1, &to, units(3));
    stage.payer.accept(payment.clone());
    stage.settle_down();
    stage.mine(1);
    stage.reorg(1);
    assert_eq!((stage.outcome(1), stage.node.received(&to, 1)), (None, Money::ZERO));
    stage.mine(2);
    assert_eq!(stage.outcome(1), Some(Outcome::Completed));
    stage.node.reorg(2);
    // The exchange starts again in between.
    stage.restart(&[payment]);
    stage.settle_down();
    assert!(stage.steps.iter().any(|step| matches!(step, Step::Unsettled { payment: 1, .. })));
    stage.mine(2);
    assert_eq!((stage.outcome(1), stage.node.received(&to, 2)), (Some(Outcome::Completed), units(3)));
    assert_eq!(stage.attempts(1).len(), 1);
}

/// A payment is found after a restart although all its outputs are spent since, and its cost is known still.
#[test]
fn a_payment_without_unspent_outputs_is_found() {
    let Some(mut stage) = Stage::new() else { return };
    let to = stage.node.address();
    let payments = [stage.payment(1, &to, units(50)), stage.payment(2, &to, units(45))];
    stage.payer.accept(payments[0].clone());
    stage.settle_down();
    let before = stage.attempts(1)[0].signed.clone();
    stage.node.mine(1);
    // The payee spends what it got, and the hot wallet's change is spent by the next payment.
    let sum = stage.node.rpc("getbalance", &json!([]));
    let back = stage.node.address();
    stage.node.rpc("sendtoaddress", &json!([back, sum, "", "", true]));
    stage.payer.accept(payments[1].clone());
    stage.poll();
    stage.poll();
    stage.node.mine(1);
    stage.restart(&payments);
    stage.settle_down();
    stage.mine(1);
    assert_eq!((stage.outcome(1), stage.outcome(2)), (Some(Outcome::Completed), Some(Outcome::Completed)));
    assert!(
        stage.chain.output(&crate::Outpoint { tx: before.tx.clone(), index: 0 }, true).unwrap().is_none()
    );
    assert!(stage.chain.output(&crate::Outpoint { tx: before.tx, index: 1 }, true).unwrap().is_none());
    let held = stage.held(&stage.hot());
    assert_eq!(held + units(95) + stage.costs(), units(100));
}
