//! Never lose: kill -9 at any moment, damaged directories, restarts.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use buttonwood_accept::{Actor, Dec, Exchange, NewOrder, Value, dec, json, laws, run_to_end, wait_until};

/// The knowledge of one writer: everything it sent, and everything acknowledged.
#[derive(Default)]
struct Memory {
    /// Client ids of all orders that were ever sent.
    sent: BTreeSet<String>,
    /// Order id to the order as last acknowledged.
    acknowledged: BTreeMap<String, Value>,
    /// Orders with a request in flight when the exchange died: either outcome is right.
    unsure: BTreeSet<String>,
    /// The highest nonce of an acknowledged call.
    nonce: u64,
    /// Quantity that acknowledged orders of this writer filled at entry.
    filled: Option<Dec>,
    /// How many calls of all writers were acknowledged.
    answers: Arc<AtomicUsize>,
}

fn id(order: &Value) -> String {
    order["order_id"].as_str().expect("an id is a string").to_owned()
}

/// One change; its nonce is remembered once acknowledged. `None` if the exchange is gone.
fn change(actor: &Actor, memory: &mut Memory, path: &str, mut params: Value) -> Option<Value> {
    let nonce = actor.client().next_nonce();
    params["nonce"] = json!(nonce);
    let answer = actor.try_call(path, params).ok()?;
    memory.nonce = nonce;
    memory.answers.fetch_add(1, Ordering::Relaxed);
    Some(answer.ok())
}

/// Places orders that never trade and cancels every third, until the exchange is gone.
fn place_and_cancel(actor: &Actor, memory: &mut Memory, round: u32) {
    let mut live: Vec<String> = Vec::new();
    for step in 0_u32.. {
        let name = format!("{}-{round}-{step}", actor.name());
        memory.sent.insert(name.clone());
        let price = format!("{}", 100 + step % 50);
        let order = NewOrder::limit("btcusd", "buy", "0.001", &price).named(&name);
        let Some(placed) = change(actor, memory, "/v1/order/new", order.params()) else { return };
        live.push(id(&placed));
        memory.acknowledged.insert(id(&placed), placed);
        if step % 3 == 2 {
            let target = live.remove(0);
            let Some(cancelled) = change(actor, memory, "/v1/order/cancel", json!({ "order_id": target }))
            else {
                memory.unsure.insert(target);
                return;
            };
            memory.acknowledged.insert(target, cancelled);
        }
    }
}

/// Sells and buys between two accounts on its own symbol, until the exchange is gone.
fn trade(seller: &Actor, buyer: &Actor, memory: &mut Memory, symbol: &str, round: u32) {
    for step in 0_u32.. {
        let name = format!("{}-{round}-{step}", buyer.name());
        let sell = NewOrder::limit(symbol, "sell", "0.01", "100").params();
        if seller.try_call("/v1/order/new", sell).is_err() {
            return;
        }
        memory.sent.insert(name.clone());
        let buy = NewOrder::limit(symbol, "buy", "0.01", "100").named(&name).params();
        let Some(bought) = change(buyer, memory, "/v1/order/new", buy) else { return };
        let filled = memory.filled.unwrap_or(Dec::ZERO);
        memory.filled = Some(filled + Dec::wire(&bought["executed_amount"]));
        memory.acknowledged.insert(id(&bought), bought);
    }
}

/// Everything acknowledged to a writer is there exactly, and nothing that it never sent.
fn check_memory(x: &Exchange, key: &str, memory: &Memory) {
    let actor = x.as_(key);
    // First of all: the last acknowledged nonce is used.
    if memory.nonce > 0 {
        for spent in [memory.nonce, memory.nonce - 1] {
            actor.call("/v1/balances", json!({ "nonce": spent })).refused(400, "InvalidNonce");
        }
    }
    for (order_id, expected) in &memory.acknowledged {
        let found = actor.status(order_id);
        if memory.unsure.contains(order_id) {
            let requested = found["is_cancelled"] == json!(true) && found["reason"] == "Requested";
            assert!(requested || found == *expected, "{key}: {found} was {expected}");
        } else {
            assert_eq!(found, *expected, "{key}: an acknowledged order changed");
        }
    }
    let live = actor.call("/v1/orders", json!({})).ok();
    for order in live.as_array().expect("orders are an array") {
        let name = order["client_order_id"].as_str().unwrap_or_default();
        assert!(memory.sent.contains(name), "{key} never sent {order}");
    }
    let Some(filled) = memory.filled else { return };
    let mut past: BTreeMap<u64, Value> = BTreeMap::new();
    let mut from = json!(0);
    for page in 0.. {
        assert!(page < 1000, "paging does not come to an end");
        let page = actor.call("/v1/mytrades", json!({ "timestamp": from, "limit_trades": 500 })).ok();
        let Some(newest) = page[0]["timestampms"].as_u64() else { break };
        for trade in page.as_array().expect("trades are an array") {
            past.insert(trade["tid"].as_u64().expect("a tid"), trade.clone());
        }
        from = json!(newest + 1);
    }
    let of_acknowledged: Dec = past
        .values()
        .filter(|trade| trade["order_id"].as_str().is_some_and(|id| memory.acknowledged.contains_key(id)))
        .map(|trade| Dec::wire(&trade["amount"]))
        .sum();
    assert_eq!(of_acknowledged, filled, "{key}: own trades of acknowledged orders");
    for trade in past.values() {
        let name = trade["client_order_id"].as_str().unwrap_or_default();
        assert!(memory.sent.contains(name), "{key} never sent the order of {trade}");
    }
}

/// Kills at random moments under many writers, with a clean stop in between: everything acknowledged is there. Proves
/// ORD-081, SES-007.
#[test]
fn kill_under_load() {
    let x = Exchange::builder().real_time().start();
    let writers = ["load-000", "load-001", "load-002", "load-003", "load-004", "load-005"];
    let pairs = [("load-010", "load-011", "ltcusd"), ("load-020", "load-021", "ethusd")];
    let answers = Arc::new(AtomicUsize::new(0));
    let memories: BTreeMap<&str, Mutex<Memory>> = writers
        .into_iter()
        .chain(pairs.map(|(_, buyer, _)| buyer))
        .map(|key| (key, Mutex::new(Memory { answers: Arc::clone(&answers), ..Memory::default() })))
        .collect();
    // Uneven on purpose: the first kill comes before much is written, a snapshot precedes the last two.
    for (round, calls) in (0_u32..).zip([10, 150, 333, 77, 210, 480]) {
        let before = answers.load(Ordering::Relaxed);
        let dying = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let (memories, dying) = (&memories, &dying);
            for key in writers {
                let actor = x.fresh(key);
                scope.spawn(move || {
                    place_and_cancel(&actor, &mut memories[key].lock().unwrap(), round);
                    assert!(dying.load(Ordering::SeqCst), "{key} lost its exchange before it was killed");
                });
            }
            for (seller, buyer, symbol) in pairs {
                let (sells, buys) = (x.fresh(seller), x.fresh(buyer));
                scope.spawn(move || {
                    trade(&sells, &buys, &mut memories[buyer].lock().unwrap(), symbol, round);
                    assert!(dying.load(Ordering::SeqCst), "{buyer} lost its exchange before it was killed");
                });
            }
            wait_until("so many acknowledged calls", || answers.load(Ordering::Relaxed) >= before + calls);
            dying.store(true, Ordering::SeqCst);
            x.kill9();
        });
        x.restart();
        for (key, memory) in &memories {
            check_memory(&x, key, &memory.lock().unwrap());
        }
        if round == 3 {
            x.stop();
            x.restart();
        }
    }
    let acknowledged: usize = memories.values().map(|memory| memory.lock().unwrap().acknowledged.len()).sum();
    assert!(acknowledged > 100, "only {acknowledged} orders: this proved little");
    laws::check(&x);
}

/// Repeated kills of an idle exchange: an interrupted start loses nothing either.
#[test]
fn kill_while_idle() {
    let x = Exchange::start();
    let order = x.as_("trader").limit("btcusd", "buy", "1", "100");
    for _ in 0..5 {
        x.kill9();
        x.restart();
        assert_eq!(x.as_("trader").status(&id(&order)), order);
    }
    laws::check(&x);
}

/// A session's orders still belong to it after a kill, and its silence still counts. Proves SES-010.
#[test]
fn sessions_survive() {
    let x = Exchange::start();
    x.as_("heartbeat").limit("btcusd", "buy", "1", "100");
    let other = x.as_("trader").limit("btcusd", "buy", "1", "100");
    x.kill9();
    x.restart();
    x.advance(40);
    assert_eq!(x.as_("trader").live_ids(), [id(&other)]);
    laws::check(&x);
}

/// After a restart, a manual clock continues from its last move, even without a command after that. Proves BAL-007.
#[test]
fn a_moved_clock_does_not_go_back() {
    let x = Exchange::start();
    x.advance(1_000);
    let told = || x.as_("trader").balances()[0]["_timestamp"].clone();
    let (moved, stamp) = (x.now_ms(), told());
    x.kill9();
    x.restart();
    assert_eq!(x.now_ms(), moved);
    assert_eq!(told(), stamp);
    x.advance(6_000);
    x.restart();
    assert_eq!(x.now_ms(), moved + 6_000_000);
}

/// Symbol statuses and credits survive like all other state.
#[test]
fn operator_actions_survive() {
    let x = Exchange::start();
    x.set_status("ethusd", "cancel_only");
    x.credit("empty", "BTC", "1.5");
    x.kill9();
    x.restart();
    assert_eq!(x.get("/v1/symbols/details/ethusd").ok()["status"], "cancel_only");
    assert_eq!(x.as_("empty").balance("BTC"), (dec("1.5"), dec("1.5")));
    laws::check(&x);
}

fn files_below(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).expect("a directory can be read") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files_below(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

pub(crate) fn copy(from: &Path, to: &Path) {
    // Any start removes the unfinished files of a running exchange; the socket of a killed one is no file.
    let finished = |file: &PathBuf| file.is_file() && file.extension().is_none_or(|ending| ending != "tmp");
    for file in files_below(from).into_iter().filter(finished) {
        let target = to.join(file.strip_prefix(from).expect("a file below"));
        // A data directory that other users may write is refused.
        let folders = target.parent().expect("a parent");
        DirBuilder::new().recursive(true).mode(0o700).create(folders).expect("a directory can be made");
        fs::copy(&file, &target).expect("a file can be copied");
    }
}

/// The journal's newest segment with data, and where its data ends.
pub(crate) fn journal(data: &Path) -> (PathBuf, usize) {
    let end =
        |path: &PathBuf| fs::read(path).expect("a file").iter().rposition(|byte| *byte != 0).unwrap_or(0);
    let is_journal = |path: &PathBuf| {
        path.strip_prefix(data).expect("a file below").to_string_lossy().to_lowercase().contains("journal")
    };
    let files = files_below(data);
    let named: Vec<&PathBuf> = files.iter().filter(|path| is_journal(path)).collect();
    let (path, end) = named
        .into_iter()
        .map(|path| (path.clone(), end(path)))
        .max_by_key(|(_, end)| *end)
        .unwrap_or_else(|| panic!("no journal in {files:?}"));
    assert!(end > 500, "{} holds nothing", path.display());
    (path, end)
}

/// An exchange whose journal holds forty orders, one batch each.
fn with_forty_orders() -> Exchange {
    let x = Exchange::start();
    for step in 0..40 {
        let order = NewOrder::limit("btcusd", "buy", "0.001", "100").named(&format!("order-{step}"));
        x.as_("trader").place(&order);
    }
    x
}

/// The same, killed.
fn with_a_journal() -> Exchange {
    let x = with_forty_orders();
    x.kill9();
    x
}

/// A changed byte anywhere before the tail: the start and `verify` fail, and nothing is changed.
#[test]
fn a_damaged_journal_is_refused() {
    let x = with_a_journal();
    let (segment, end) = journal(x.data());
    let bytes = fs::read(&segment).unwrap();
    let named = bytes.windows(8).position(|window| window == b"order-20");
    let solid = |from: usize| (from..end).find(|place| bytes[*place] != 0).expect("data up to its end");
    let mut places = vec![solid(end / 4), solid(end / 2), solid(end * 3 / 4)];
    places.extend(named);
    for place in places {
        let home = tempfile::tempdir().unwrap();
        let data = home.path().join("data");
        copy(x.data(), &data);
        let damaged = data.join(segment.strip_prefix(x.data()).unwrap());
        let mut changed = bytes.clone();
        changed[place] ^= 0x10;
        fs::write(&damaged, &changed).unwrap();
        let before: Vec<(PathBuf, Vec<u8>)> =
            files_below(&data).into_iter().map(|path| (path.clone(), fs::read(&path).unwrap())).collect();
        let line = Exchange::builder().refuses_in(&data);
        assert!(line.contains("journal") || line.contains("damage") || line.contains("corrupt"), "{line}");
        let verify = run_to_end(&["verify", "--data", data.to_str().unwrap()]);
        assert!(!verify.status.success(), "byte {place}: verify must notice");
        for (path, content) in before {
            assert!(fs::read(&path).unwrap() == content, "{} was changed by a refused start", path.display());
        }
    }
    // The original is intact.
    x.restart();
    assert_eq!(x.as_("trader").live_ids().len(), 40);
    laws::check(&x);
}

/// A changed byte in a row of history is found when the row is read. That call is refused with a message and uses its
/// nonce, and nothing else fails. The row is then built again. Proves ERR-001.
#[test]
fn a_damaged_row_fails_its_own_call() {
    let x = Exchange::start();
    let place =
        |name: &str| id(&x.as_("trader").place(&NewOrder::limit("btcusd", "buy", "1", "100").named(name)));
    let (damaged, whole) = (place("row-one"), place("row-two"));
    for order in [&damaged, &whole] {
        x.as_("trader").cancel(order);
    }
    x.stop();
    let rows = x.data().join("history/orders.log");
    let at = fs::read(&rows).unwrap().windows(7).position(|window| window == b"row-one").expect("its name");
    let flip = || {
        let mut bytes = fs::read(&rows).unwrap();
        bytes[at] ^= 0x10;
        fs::write(&rows, bytes).unwrap();
    };
    flip();
    assert!(!x.verify().status.success());
    x.restart();
    let trader = x.as_("trader");
    let sign = || trader.sign(trader.payload("/v1/order/status", json!({ "order_id": damaged })).as_bytes());
    // The start reads all rows too, and may have mended this one first.
    let refused = (0..20).find_map(|_| {
        let signed = sign();
        let answer = trader.call_signed("/v1/order/status", &signed);
        if answer.status() == 200 {
            flip();
            return None;
        }
        Some((answer.refused(503, "System"), signed))
    });
    let (refusal, signed) = refused.expect("a damaged row is not served");
    assert!(refusal.message.contains("nothing was done"), "{refusal:?}");
    trader.call_signed("/v1/order/status", &signed).refused(400, "InvalidNonce");
    assert_eq!(trader.status(&whole)["is_cancelled"], json!(true));
    trader.limit("btcusd", "buy", "1", "100");
    while trader.call_signed("/v1/order/status", &sign()).status() != 200 {
        thread::yield_now();
    }
    assert_eq!(trader.status(&damaged)["client_order_id"], "row-one");
    x.stop();
    assert!(x.verify().status.success());
    x.restart();
    laws::check(&x);
}

/// The journal before a snapshot must be intact too, although a start does not replay it.
#[test]
fn damage_before_a_snapshot_is_refused() {
    let x = with_a_journal();
    let (segment, end) = journal(x.data());
    for _ in 0..2 {
        x.restart();
        x.as_("trader").limit("btcusd", "buy", "0.001", "99");
        x.stop();
    }
    let flip = |path: &Path| {
        let mut bytes = fs::read(path).unwrap();
        bytes[end / 2] ^= 0x10;
        fs::write(path, bytes).unwrap();
    };
    let cut = |path: &Path| {
        fs::OpenOptions::new().write(true).open(path).unwrap().set_len(65_536).unwrap();
    };
    let refused = |name: &str, change: &dyn Fn(&Path)| {
        let home = tempfile::tempdir().unwrap();
        let data = home.path().join("data");
        copy(x.data(), &data);
        let damaged = data.join(segment.strip_prefix(x.data()).unwrap());
        change(&damaged);
        let line = Exchange::builder().refuses_in(&data);
        let file = damaged.file_name().unwrap().to_str().unwrap();
        assert!(line.contains("corrupt journal") && line.contains(file), "{name}: {line}");
    };
    refused("flipped", &flip);
    refused("cut", &cut);
    refused("missing", &|path| fs::remove_file(path).unwrap());
    x.restart();
    assert_eq!(x.as_("trader").live_ids().len(), 42);
}

/// A copy of the directory whose journal ends with a half-written batch.
fn torn_copy(x: &Exchange) -> (tempfile::TempDir, PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    copy(x.data(), &data);
    let (segment, end) = journal(&data);
    let mut bytes = fs::read(&segment).unwrap();
    bytes[end - 6..=end].fill(0);
    fs::write(&segment, &bytes).unwrap();
    (home, data)
}

/// A half-written last batch was never acknowledged and is no damage: it is left out, with a line in the log.
#[test]
fn a_torn_tail_is_dropped() {
    let x = with_forty_orders();
    // The result of a power cut: a watermark older than the batch that it tore.
    let mark = fs::read(x.data().join("journal/watermark")).unwrap();
    x.as_("trader").limit("btcusd", "buy", "0.001", "99");
    x.kill9();
    let (_home, data) = torn_copy(&x);
    fs::write(data.join("journal/watermark"), mark).unwrap();
    let torn = Exchange::builder().start_in(&data);
    assert!(torn.log().contains("left out a torn batch"), "{}", torn.log());
    let orders = torn.as_("trader").call("/v1/orders", json!({})).ok();
    let names: BTreeSet<&str> =
        orders.as_array().unwrap().iter().filter_map(|order| order["client_order_id"].as_str()).collect();
    assert_eq!((names.len(), orders.as_array().unwrap().len()), (40, 40), "{names:?}");
    torn.as_("trader").limit("btcusd", "buy", "0.001", "100");
    laws::check(&torn);
}

/// The same damage to an acknowledged batch is a loss and is refused.
#[test]
fn an_acknowledged_tail_is_missed() {
    let x = with_a_journal();
    let (_home, data) = torn_copy(&x);
    let line = Exchange::builder().refuses_in(&data);
    assert!(line.contains("acknowledged"), "{line}");
    assert!(!run_to_end(&["verify", "--data", data.to_str().unwrap()]).status.success());
}

/// Missing or short history files are rebuilt from the journal, with a line in the log.
#[test]
fn lost_history_is_built_again() {
    let x = Exchange::start();
    for _ in 0..10 {
        x.as_("counterparty").limit("btcusd", "sell", "0.01", "30000");
        x.as_("trader").limit("btcusd", "buy", "0.01", "30000");
    }
    let seen = |x: &Exchange| {
        let own = x.as_("trader").call("/v1/mytrades", json!({})).ok();
        (own, x.get("/v1/trades/btcusd").ok())
    };
    let before = seen(&x);
    x.stop();
    let history = x.data().join("history");
    let cut = fs::OpenOptions::new().write(true).open(history.join("trades.log")).unwrap();
    cut.set_len(100).unwrap();
    x.restart();
    assert_eq!(seen(&x), before);
    x.stop();
    fs::remove_dir_all(&history).unwrap();
    x.restart();
    assert_eq!(seen(&x), before);
    assert_eq!(x.log().matches("starting from the whole journal").count(), 2, "{}", x.log());
    laws::check(&x);
}

/// A missing journal, for example with its disk, does not lead to a new exchange: the history and secrets of the old
/// one stay unchanged. Secrets alone are enough to notice it.
#[test]
fn a_journal_that_is_gone_is_missed() {
    let x = with_forty_orders();
    x.stop();
    let (journal, away) = (x.data().join("journal"), x.data().join("away"));
    fs::rename(&journal, &away).unwrap();
    let contents =
        || files_below(x.data()).into_iter().map(|path| (fs::read(&path).unwrap(), path)).collect::<Vec<_>>();
    let refused = |told_by: &str| {
        let contained = contents();
        let line = x.setup().refuses_in(x.data());
        assert!(line.contains("journal is gone") && line.contains(told_by), "{line}");
        assert!(!x.verify().status.success());
        assert!(contents() == contained, "a refused start wrote something");
    };
    refused("history/reached");
    fs::create_dir(&journal).unwrap();
    refused("history/reached");
    let (history, apart) = (x.data().join("history"), x.data().join("apart"));
    fs::rename(&history, &apart).unwrap();
    refused("'vault'");
    fs::remove_dir(&journal).unwrap();
    refused("'vault'");
    fs::rename(&apart, &history).unwrap();
    fs::rename(&away, &journal).unwrap();
    x.restart();
    assert_eq!(x.as_("trader").live_ids().len(), 40);
    laws::check(&x);
}

/// `verify` also notices damage in the journal before a snapshot.
#[test]
fn verify_reads_all_of_the_journal() {
    let x = with_a_journal();
    x.restart();
    x.stop();
    laws::verified(&x);
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    copy(x.data(), &data);
    let (segment, end) = journal(&data);
    let mut bytes = fs::read(&segment).unwrap();
    let place = (end / 3..end).find(|place| bytes[*place] != 0).unwrap();
    bytes[place] ^= 0x01;
    fs::write(&segment, &bytes).unwrap();
    assert!(!run_to_end(&["verify", "--data", data.to_str().unwrap()]).status.success());
}
