//! Payments that arrive.

use super::*;

fn seen(stage: &Stage) -> Vec<(TxHash, String, Money)> {
    let of = |observation: &Observation| {
        let Observation::Seen { key, output, .. } = observation else { return None };
        assert_eq!(output.currency, "LTC");
        Some((key.tx.clone(), output.address.clone(), output.amount))
    };
    stage.observations.iter().filter_map(of).collect()
}

/// Payments to both forms of address: seen while they wait, confirmed, removed by a reorganisation, confirmed again.
#[test]
fn deposits_are_seen_and_confirmed() {
    let Some(mut stage) = Stage::new() else { return };
    assert!(stage.customer().starts_with("rltc1q"), "{}", stage.customer());
    let new = stage.node.send(&stage.customer(), "1.50000001");
    let old = stage.node.send(&stage.legacy(), "2");
    stage.settle_down();
    let mut expected =
        [(new.clone(), stage.customer(), read::money(150_000_001)), (old.clone(), stage.legacy(), units(2))];
    expected.sort();
    assert_eq!(seen(&stage), expected);
    for confirmations in 1..=REQUIRED {
        stage.observations.clear();
        stage.mine(1);
        for tx in [&new, &old] {
            let is_it = |observation: &&Observation| {
                matches!(observation,
                Observation::Confirmed { key, confirmations: count, .. } if key.tx == *tx && *count == confirmations)
            };
            assert_eq!(stage.observations.iter().filter(is_it).count(), 1, "{:?}", stage.observations);
        }
    }
    stage.observations.clear();
    stage.reorg(2);
    let removed = |one: &&Observation| matches!(one, Observation::Removed { confirmations: REQUIRED, .. });
    assert_eq!(stage.observations.iter().filter(removed).count(), 2, "{:?}", stage.observations);
    assert!(seen(&stage).is_empty());
    stage.mine(1);
    let again = |one: &&Observation| matches!(one, Observation::Confirmed { confirmations: 1, .. });
    assert_eq!(stage.observations.iter().filter(again).count(), 2, "{:?}", stage.observations);
}

/// A deposit that its sender replaces is lost once the other transaction is final, and not before.
#[test]
fn a_replaced_deposit_is_lost() {
    let Some(mut stage) = Stage::new() else { return };
    let customer = stage.customer();
    let sent = stage.node.rpc("sendtoaddress", &json!([customer, "1", "", "", false, true]));
    stage.settle_down();
    assert_eq!(seen(&stage).len(), 1);
    stage.observations.clear();
    // The same inputs, all of them back to the sender.
    let whole = stage.node.rpc("getrawtransaction", &json!([sent, true]));
    let inputs: Vec<Value> = whole["vin"]
        .as_array()
        .unwrap()
        .iter()
        .map(|input| json!({"txid": input["txid"], "vout": input["vout"], "sequence": 0xffff_fffd_u32}))
        .collect();
    let back = stage.node.address();
    let raw = stage.node.rpc("createrawtransaction", &json!([inputs, [{back: "0.9"}]]));
    let signed = stage.node.rpc("signrawtransactionwithwallet", &json!([raw]));
    stage.node.rpc("sendrawtransaction", &json!([signed["hex"], 0]));
    stage.settle_down();
    assert!(stage.observations.is_empty(), "{:?}", stage.observations);
    stage.mine(1);
    assert!(stage.observations.is_empty(), "{:?}", stage.observations);
    stage.mine(1);
    assert!(matches!(stage.observations.as_slice(), [Observation::Lost { key }] if key.tx.as_str() == sent));
}

/// A balance counts what is in blocks; addresses may be added at any time, and a reorganisation takes coins back.
#[test]
fn balances_follow_the_chain() {
    let Some(mut stage) = Stage::new() else { return };
    assert_eq!(stage.held(&stage.hot()), units(100));
    assert_eq!(stage.held(&stage.customer()), Money::ZERO);
    stage.node.send(&stage.customer(), "1.5");
    stage.settle_down();
    assert_eq!(stage.held(&stage.customer()), Money::ZERO);
    stage.mine(1);
    assert_eq!(stage.held(&stage.customer()), Money::from_units(15 * 10_i128.pow(18)));
    stage.reorg(1);
    assert_eq!(stage.held(&stage.customer()), Money::ZERO);
    let both = [stage.hot(), stage.customer()];
    assert_eq!(stage.chain.balance(&both, "LTC"), Ok(units(100)));
    assert_eq!(stage.chain.balance(&both, "BTC"), Ok(Money::ZERO));
    // The chain is replaced from before the first block that was followed.
    stage.node.reorg(3);
    assert_eq!(stage.held(&stage.hot()), Money::ZERO);
    stage.node.mine(1);
    assert_eq!(stage.held(&stage.hot()), units(100));
    // A backend that starts now reads the same.
    let held = stage.chain.balance(&both, "LTC");
    stage.restart(&[]);
    assert_eq!(stage.chain.balance(&both, "LTC"), held);
}

/// Blocks with litecoin's extension block are read like others.
#[test]
fn extension_blocks_are_read() {
    let Some(mut stage) = Stage::new() else { return };
    let hidden = stage.node.rpc("getnewaddress", &json!(["", "mweb"]));
    // The first extension block needs something that enters it.
    let height = stage.node.rpc("getblockcount", &json!([])).as_u64().unwrap();
    stage.mine(u32::try_from(431 - height).unwrap());
    stage.node.send(hidden.as_str().unwrap(), "5");
    stage.mine(1);
    let sent = stage.node.send(&stage.customer(), "1");
    stage.settle_down();
    assert_eq!(seen(&stage), [(sent, stage.customer(), units(1))]);
    stage.pay(1, units(3));
    stage.settle_down();
    stage.mine(2);
    assert_eq!(stage.outcome(1), Some(Outcome::Completed));
}
