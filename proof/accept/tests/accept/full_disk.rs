//! A disk that fills up under a running exchange (J11): cancels are accepted, orders are refused for now, nothing is
//! lost.
//!
//! Needs a small file system of its own, hence root and `mount`; without them the test prints that it was skipped.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::Command;

use buttonwood_accept::{Exchange, NewOrder, json, laws, skipped};

/// A tmpfs with room for the first segments and the ballast, but not for a large segment too.
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
        // Lazily: open files of a failed test would otherwise prevent it.
        let _ = Command::new("umount").arg("-l").arg(self.dir.path()).output();
    }
}

/// Orders are refused without being journaled, so that the reserved space lasts for cancels.
#[test]
fn a_full_disk_takes_cancels_only() {
    let Some(disk) = SmallDisk::mount() else {
        return skipped("a test of a full disk", "no root or no mount here");
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
    // Many refusals use none of the space reserved for cancels.
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

/// A disk that other programs filled while the ballast is still there: the exchange starts again after a kill, and
/// stops when requested (J11). The nonce of a refused order is used, and its session counts as alive. Proves SES-012.
#[test]
fn an_exchange_starts_and_stops_on_a_full_disk() {
    let Some(disk) = SmallDisk::mount() else {
        return skipped("a test of a full disk", "no root or no mount here");
    };
    let data = disk.dir.path().join("data");
    let small = ["--segment-bytes", "16777216", "--ballast-bytes", "16777216"];
    let x = Exchange::builder().flag(small[0], small[1]).flag(small[2], small[3]).start_in(&data);
    let trader = x.as_("trader");
    let mut live: BTreeSet<String> = BTreeSet::new();
    let place = |x: &Exchange| {
        let order = x.as_("trader").limit("btcusd", "buy", "0.001", "100");
        order["order_id"].as_str().unwrap().to_owned()
    };
    // Into the second segment, after which none is prepared for a while.
    live.extend((0..200).map(|_| place(&x)));
    let beaten =
        x.as_("heartbeat").limit("btcusd", "buy", "0.001", "100")["order_id"].as_str().unwrap().to_owned();
    live.insert(beaten.clone());
    let filler = disk.dir.path().join("filler");
    let fill = || {
        let mut file = std::fs::File::create(&filler).expect("a file");
        while file.write_all(&[7; 4096]).is_ok() {}
    };
    fill();
    live.insert(place(&x));
    // More rows of history than fit the last pages of its files.
    for _ in 0..60 {
        trader.cancel(&place(&x));
    }
    x.kill9();
    assert!(data.join("journal/ballast").exists(), "space is kept back");
    x.restart();
    x.stop();
    x.restart();
    fill();
    let order = NewOrder::limit("btcusd", "buy", "0.001", "100").params();
    let is_full = (0..20_000).any(|_| {
        let answer = x.as_("trader").call("/v1/order/new", order.clone());
        if answer.status() == 200 {
            live.insert(answer.json()["order_id"].as_str().unwrap().to_owned());
        }
        answer.status() == 503
    });
    assert!(is_full, "the disk runs full");
    // A refused call still counts as a sign of life.
    let beating = x.as_("heartbeat");
    x.advance(29);
    beating.call("/v1/order/new", order.clone()).refused(503, "System");
    x.advance(29);
    assert!(x.as_("auditor").live_ids().contains(&beaten), "its order lives on");
    let signed = trader.sign(trader.payload("/v1/order/new", order.clone()).as_bytes());
    x.as_("trader").call_signed("/v1/order/new", &signed).refused(503, "System");
    // Any batch journals the waiting nonces too.
    x.as_("second-session").cancel(&live.pop_last().expect("orders were taken"));
    let found: BTreeSet<String> = x.as_("auditor").live_ids().into_iter().collect();
    assert_eq!(found, live);
    std::fs::remove_file(&filler).expect("the filler goes");
    x.kill9();
    x.restart();
    x.as_("trader").call_signed("/v1/order/new", &signed).refused(400, "InvalidNonce");
    x.as_("trader").limit("btcusd", "buy", "0.001", "100");
    laws::check(&x);
}
