//! A disk that runs full under a running exchange (J11): cancels are taken, orders are told to wait, nothing is lost.
//!
//! Needs a small file system of its own, hence root and `mount`; without them the test says so and proves nothing.

use std::collections::BTreeSet;
use std::process::Command;

use buttonwood_accept::{Exchange, NewOrder, json, laws};

/// A tmpfs with room for the first segments and the ballast, and not for a large segment beside it.
struct SmallDisk {
    dir: tempfile::TempDir,
}

impl SmallDisk {
    fn mount() -> Option<Self> {
        let dir = tempfile::tempdir().ok()?;
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=100m", "buttonwood-test"])
            .arg(dir.path())
            .output()
            .is_ok_and(|output| output.status.success());
        mounted.then_some(Self { dir })
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily, so that a failed test's open files do not keep it.
        let _ = Command::new("umount").arg("-l").arg(self.dir.path()).output();
    }
}

/// Orders are refused without being journaled, so that what is kept back lasts for cancels.
#[test]
fn a_full_disk_takes_cancels_only() {
    let Some(disk) = SmallDisk::mount() else {
        println!("skipped a_full_disk_takes_cancels_only: no root or no mount here");
        return;
    };
    let data = disk.dir.path().join("data");
    let x = Exchange::builder().start_in(&data);
    let trader = x.as_("trader");
    let mut live = BTreeSet::new();
    let refusal = loop {
        let answer = trader.call("/v1/order/new", NewOrder::limit("btcusd", "buy", "0.001", "100").params());
        if answer.status() != 200 {
            break answer;
        }
        live.insert(answer.json()["order_id"].as_str().unwrap().to_owned());
        assert!(live.len() < 100_000, "the disk never runs full");
    };
    let text = refusal.refused(503, "System").message;
    assert!(text.contains("disk space") && text.contains("nothing was done"), "{text}");
    assert_eq!((x.get("/health/ready").status(), x.get("/health/live").status()), (503, 200));
    // A flood of refusals takes nothing of what is kept back for cancels.
    let first = live.pop_first().expect("some orders were taken");
    trader.cancel(&first);
    for _ in 0..2_000 {
        trader
            .call(
                "/v1/order/new",
                json!({ "symbol": "btcusd", "side": "buy", "type": "exchange limit",
            "amount": "0.001", "price": "100" }),
            )
            .refused(503, "System");
    }
    let last = live.pop_last().expect("more than one order was taken");
    trader.cancel(&last);
    assert_eq!(x.log().matches("the disk is nearly full").count(), 1, "told once: {}", x.log());
    x.kill9();
    x.restart();
    let found: BTreeSet<String> = x.as_("trader").live_ids().into_iter().collect();
    assert_eq!(found, live);
    laws::check(&x);
    let output = x.verify();
    let report = String::from_utf8_lossy(&output.stdout);
    let commands: usize = report.split(' ').next().and_then(|word| word.parse().ok()).expect("a count");
    assert!(commands < live.len() + 1_500, "2,000 refusals were journaled: {report}");
}
