//! Nodes that are gone, behind or broken.

use super::*;
use std::io::{Read, Write};
use std::net::TcpListener;

/// A node that is gone answers nothing, and nothing changes.
#[test]
fn a_node_that_is_gone_changes_nothing() {
    let Some(mut stage) = Stage::new() else { return };
    stage.pay(1, units(3));
    stage.settle_down();
    stage.node.kill();
    let steps = stage.steps.len();
    let report = stage.look();
    assert!(report.is_empty() && !report.caught_up);
    assert_eq!((stage.poll(), stage.steps.len()), (0, steps));
    let (hot, reserved) = (stage.hot(), Reserved::default());
    let from = [hot.clone()];
    let pay = Some(Pay { address: &hot, memo: None, currency: "LTC", amount: units(1) });
    let draft = Draft { from: &from, pay, spends: None, bid: 0, outbids: None, reserved: &reserved };
    assert!(matches!(stage.chain.build(&draft), Err(BuildError::Unanswered(_))));
    let bytes = stage.attempts(1)[0].signed.bytes.clone();
    assert_eq!(stage.chain.broadcast(&bytes), Broadcast::NoAnswer);
    assert!(stage.chain.balance(&from, "LTC").is_err());
}

/// A node that starts again goes on with what it has kept; what is sent meanwhile is sent again.
#[test]
fn a_node_that_starts_again_is_served() {
    let Some(mut stage) = Stage::new() else { return };
    let first = stage.pay(1, units(3));
    stage.settle_down();
    let sent = stage.node.send(&stage.customer(), "1");
    stage.node.restart();
    let second = stage.pay(2, units(4));
    stage.settle_down();
    assert!(
        stage.observations.iter().any(|one| matches!(one, Observation::Seen { key, .. } if key.tx == sent))
    );
    stage.mine(2);
    assert_eq!((stage.outcome(1), stage.outcome(2)), (Some(Outcome::Completed), Some(Outcome::Completed)));
    assert_eq!((stage.node.received(&first, 2), stage.node.received(&second, 2)), (units(3), units(4)));
}

/// A node says which chain it serves, before it is used.
#[test]
fn a_node_says_what_it_serves() {
    let Some(node) = Node::start() else { return };
    let identity = node.identity();
    assert_eq!((identity.chain, identity.network()), (Formats::Regtest, Some(BitcoinNetwork::Litecoin)));
    assert_eq!(BitcoinNetwork::of("litecoin"), identity.network());
    assert_eq!(BitcoinNetwork::of("dogecoin"), None);
}

/// A chain whose node gives every call the same answer.
fn told(answer: Value) -> BitcoinChain {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut room = [0; 4096];
            let read = stream.read(&mut room).unwrap_or(0);
            let text = String::from_utf8_lossy(&room[..read]).into_owned();
            let id = text.split("\"id\":").nth(1).and_then(|rest| rest.split(',').next());
            let mut answer = answer.clone();
            answer["id"] = id.and_then(|id| id.parse::<u64>().ok()).map_or(Value::Null, Value::from);
            let body = answer.to_string();
            let _ = stream.write_all(
                format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).as_bytes(),
            );
        }
    });
    let params = Params::main().with(Network::Litecoin, Formats::Regtest);
    let wallets = vec![TestKeys::new(&params).0[0].0.clone()];
    let url = NodeUrl::parse(&format!("http://127.0.0.1:{port}/")).unwrap();
    BitcoinChain::new(BitcoinConfig {
        url,
        network: BitcoinNetwork::Litecoin,
        params,
        confirmations: 2,
        wallets,
    })
}

/// Malformed answers are none.
#[test]
fn malformed_answers_are_none() {
    let (tx, spends) = (TxHash::new(&"1".repeat(64)), Spends::Unknown);
    for result in [
        json!({}),
        json!([]),
        json!("text"),
        json!(-1),
        json!({"blocks": -1, "bestblockhash": "1".repeat(64)}),
        json!({"blocks": 1, "bestblockhash": "no hash"}),
        json!({"height": 5, "hash": "1".repeat(64), "tx": {}}),
    ] {
        let mut chain = told(json!({"result": result}));
        assert!(chain.tip().is_err(), "{result}");
        assert!(chain.block_at(5).is_err(), "{result}");
        assert!(chain.blocks(5, 3).is_err(), "{result}");
        assert!(chain.mempool(&BTreeSet::new()).is_err(), "{result}");
        assert!(chain.balance(&[], "LTC").is_err(), "{result}");
        assert!(
            !matches!(chain.lookup(&tx, &spends), Ok(Lookup::Mined { .. } | Lookup::Dead { .. })),
            "{result}"
        );
    }
}

/// Which of a node's errors are refusals for good.
#[test]
fn errors_are_judged_by_their_number() {
    let refused = |message: &str| Broadcast::Refused { reason: message.to_owned() };
    for (code, message, expected) in [
        (-27, "Transaction already in block chain", Broadcast::AlreadyKnown),
        (-27, "Transaction outputs already in utxo set", Broadcast::AlreadyKnown),
        (-26, "txn-already-in-mempool", Broadcast::AlreadyKnown),
        (-26, "txn-already-known", Broadcast::AlreadyKnown),
        (-25, "bad-txns-inputs-missingorspent", Broadcast::Spent),
        (-25, "Missing inputs", Broadcast::Spent),
        (-26, "txn-mempool-conflict", Broadcast::Spent),
        (-26, "mempool min fee not met, 100 < 200", Broadcast::NoAnswer),
        (-26, "too-long-mempool-chain, too many unconfirmed ancestors", Broadcast::NoAnswer),
        (-26, "min relay fee not met, 100 < 200", Broadcast::NoAnswer),
        (-26, "dust", refused("dust")),
        (-26, "insufficient fee, rejecting replacement", refused("insufficient fee, rejecting replacement")),
        (-22, "TX decode failed", refused("TX decode failed")),
        (-28, "Loading block index...", Broadcast::NoAnswer),
        (-1, "internal error", Broadcast::NoAnswer),
        (-25, "an unnamed error", Broadcast::NoAnswer),
    ] {
        assert_eq!(judged(Some(code), message.to_owned()), expected, "{message}");
        let mut chain = told(json!({"error": {"code": code, "message": message}}));
        assert_eq!(chain.broadcast(&[1]), expected, "{message}");
    }
    assert_eq!(judged(None, "dust".to_owned()), Broadcast::NoAnswer);
}
