//! `buttonwood backup`: copies of running and stopped directories, and the restore drill.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Output;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use buttonwood_accept::{
    Actor, Admin, Exchange, NewOrder, Setup, Value, dec, json, laws, private_folder, run_to_end,
};

fn text(path: &Path) -> &str {
    path.to_str().expect("temporary paths are plain text")
}

fn back_up(from: &Path, to: &Path) -> Output {
    run_to_end(&["backup", "--data", text(from), "--to", text(to)])
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The JSON object that a backup prints, whose figures must be those of the copy.
#[track_caller]
fn backed_up(from: &Path, to: &Path) -> Value {
    let output = back_up(from, to);
    assert!(output.status.success(), "{output:?}");
    let told: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    let files = files_below(to);
    let bytes: u64 = files.values().sum();
    assert_eq!((&told["files"], &told["bytes"]), (&json!(files.len()), &json!(bytes)));
    told
}

/// The files below a folder by name, with their lengths.
fn files_below(folder: &Path) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder can be read") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files_below(&path));
        } else {
            found.insert(text(&path).to_owned(), path.metadata().expect("it is there").len());
        }
    }
    found
}

#[track_caller]
fn verified(data: &Path) {
    let output = run_to_end(&["verify", "--data", text(data)]);
    assert!(output.status.success(), "{output:?}");
}

/// Small segments and many snapshots, so that all of them move while they are copied.
fn busy() -> Setup {
    Exchange::builder().real_time().flag("--segment-bytes", "65536").flag("--snapshot-every", "100")
}

fn id(order: &Value) -> String {
    order["order_id"].as_str().expect("an id is a string").to_owned()
}

/// Places orders that rest until it is told to stop.
fn rest(actor: &Actor, acknowledged: &Mutex<BTreeMap<String, Value>>, stop: &AtomicBool) {
    for step in 0_u32.. {
        let price = format!("{}", 100 + step % 50);
        let placed = actor.place(&NewOrder::limit("btcusd", "buy", "0.001", &price));
        acknowledged.lock().unwrap().insert(id(&placed), placed);
        if stop.load(Ordering::SeqCst) {
            return;
        }
    }
}

/// Trades between two accounts until it is told to stop; counts the trades.
fn trade(seller: &Actor, buyer: &Actor, trades: &Mutex<usize>, stop: &AtomicBool) {
    while !stop.load(Ordering::SeqCst) {
        seller.place(&NewOrder::limit("ethusd", "sell", "0.01", "100"));
        let bought = buyer.place(&NewOrder::limit("ethusd", "buy", "0.01", "100"));
        assert_eq!(bought["executed_amount"], "0.01");
        *trades.lock().unwrap() += 1;
    }
}

/// The restore drill: under load a backup is made, the exchange is killed, and the copy is started elsewhere. Everything
/// acknowledged before the backup began is in it, and nothing is in half.
#[test]
fn a_backup_under_load_is_restored() {
    let x = busy().start();
    let home = private_folder();
    let copy = home.path().join("new").join("copy");
    let (orders, trades, stop) = (Mutex::default(), Mutex::new(0), AtomicBool::new(false));
    let writers = ["load-000", "load-001", "load-002"];
    let (before, traded) = std::thread::scope(|scope| {
        let (orders, trades, stop) = (&orders, &trades, &stop);
        for key in writers {
            let actor = x.fresh(key);
            scope.spawn(move || rest(&actor, orders, stop));
        }
        let (seller, buyer) = (x.fresh("load-010"), x.fresh("load-011"));
        scope.spawn(move || trade(&seller, &buyer, trades, stop));
        while orders.lock().unwrap().len() < 300 || *trades.lock().unwrap() < 50 {
            std::thread::yield_now();
        }
        let before = (orders.lock().unwrap().clone(), *trades.lock().unwrap());
        let told = backed_up(x.data(), &copy);
        assert!(told["seq"].as_u64().unwrap() > 400, "{told}");
        stop.store(true, Ordering::SeqCst);
        before
    });
    x.kill9();
    verified(&copy);
    let restored = busy().start_in(&copy);
    let mut found = BTreeMap::new();
    for key in writers {
        let live = restored.as_(key).call("/v1/orders", json!({})).ok();
        found.extend(live.as_array().unwrap().iter().map(|order| (id(order), order.clone())));
        laws::holds_equal_open_orders(&restored, key);
    }
    let all = orders.into_inner().unwrap();
    for (id, order) in &before {
        assert_eq!(found.get(id), Some(order), "acknowledged before the backup began");
    }
    for (id, order) in &found {
        // An order that was in flight at the end may be in the copy, and its answer not in the list.
        assert!(all.get(id).is_none_or(|known| known == order), "{order}");
    }
    let bought = restored.as_("load-011").call("/v1/mytrades", json!({ "limit_trades": 500 })).ok();
    let bought = bought.as_array().unwrap().len();
    assert!(bought == 500 || (traded..=*trades.lock().unwrap() + 1).contains(&bought), "{traded} {bought}");
    laws::check(&restored);
    verified(x.data());
}

/// A copy of an idle exchange, of a killed one and of a stopped one each has the same orders and balances as the
/// original, and each goes on.
#[test]
fn a_copy_goes_on_like_the_original() {
    let x = busy().start();
    let home = private_folder();
    let trader = x.as_("trader");
    for step in 0..120 {
        let placed = trader.place(&NewOrder::limit("btcusd", "buy", "0.001", &format!("{}", 100 + step)));
        if step % 3 == 0 {
            trader.call("/v1/order/cancel", json!({ "order_id": id(&placed) })).ok();
        }
    }
    x.as_("load-010").place(&NewOrder::limit("ethusd", "sell", "1", "100"));
    x.as_("load-011").place(&NewOrder::limit("ethusd", "buy", "1", "100"));
    let shown = |x: &Exchange| {
        let orders = x.as_("trader").call("/v1/orders", json!({})).ok();
        let history = x.as_("trader").call("/v1/orders/history", json!({})).ok();
        let balances = ["trader", "load-010", "load-011"].map(|key| x.as_(key).balances());
        let trades = x.as_("load-011").call("/v1/mytrades", json!({})).ok();
        let money: Vec<Value> = balances.into_iter().flatten().collect();
        let plain = |rows: Vec<Value>| {
            rows.into_iter()
                .map(|mut row| {
                    row.as_object_mut().unwrap().remove("_timestamp");
                    row
                })
                .collect::<Vec<_>>()
        };
        (orders, history, plain(money), trades)
    };
    let original = shown(&x);
    let [running, killed, stopped] = ["running", "killed", "stopped"].map(|name| home.path().join(name));
    backed_up(x.data(), &running);
    x.kill9();
    let told = backed_up(x.data(), &killed);
    assert_eq!(backed_up(x.data(), &home.path().join("again")), told, "of the same directory");
    x.restart();
    x.stop();
    // The target may be there, empty.
    fs::create_dir(&stopped).unwrap();
    fs::set_permissions(&stopped, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    backed_up(x.data(), &stopped);
    for copy in [&running, &killed, &stopped] {
        verified(copy);
        let restored = busy().start_in(copy);
        assert!(shown(&restored) == original, "{}", copy.display());
        restored.as_("trader").place(&NewOrder::limit("btcusd", "buy", "0.001", "100"));
        laws::check(&restored);
    }
    verified(x.data());
}

/// A sandbox's copy has its own key and says so; a socket, the lock's content and unfinished files are not in it.
#[test]
fn a_sandbox_s_copy_is_complete() {
    let x = Exchange::start();
    let home = private_folder();
    let copy = home.path().join("copy");
    let output = back_up(x.data(), &copy);
    assert!(output.status.success() && stderr(&output).contains("holds its vault.key"), "{output:?}");
    for name in ["vault", "vault.log", "vault.key", "credentials.json"] {
        let [own, copied] = [x.data(), &copy].map(|folder| folder.join(name));
        assert_eq!(fs::read(&own).unwrap(), fs::read(&copied).unwrap(), "{name}");
        let modes = [own, copied].map(|path| fs::metadata(path).unwrap().permissions());
        assert_eq!(modes[0], modes[1], "{name}");
    }
    let names: Vec<String> = files_below(&copy).into_keys().collect();
    let is_left_out = |name: &String| {
        name.ends_with("ballast") || Path::new(name).extension().is_some_and(|kind| kind == "tmp")
    };
    assert!(!names.iter().any(is_left_out), "{names:?}");
}

/// After a rotation the copy holds no other key than the one that its vault needs: in the directory it is copied, elsewhere the line
/// names it. Each copy starts and takes the calls of its keys.
#[test]
fn a_copy_needs_the_key_of_its_vault() {
    let first = Exchange::start();
    first.stop();
    let (data, home) = (first.data(), private_folder());
    let keys = data.join("keys");
    fs::create_dir(&keys).unwrap();
    let (inside, outside) = (keys.join("second"), home.path().join("third"));
    let rotated = |to: &Path, name: &str| {
        let x = Exchange::builder().flag("--vault-new-keys", text(to.parent().unwrap())).start_in(data);
        x.admin(&["vault", "rotate", "--to", text(to)]).done();
        let copy = home.path().join(name);
        let output = back_up(data, &copy);
        assert!(output.status.success() && stderr(&output).lines().count() == 1, "{output:?}");
        assert!(!copy.join("vault.key").exists(), "{name}: the key before");
        x.stop();
        let restored = Exchange::builder().start_in(&copy);
        restored.as_("trader").call("/v1/heartbeat", json!({})).ok();
        restored.stop();
        (copy, stderr(&output))
    };
    let (copy, line) = rotated(&inside, "one");
    assert!(line.contains("holds its keys/second and credentials.json"), "{line}");
    assert_eq!(fs::read(copy.join("keys").join("second")).unwrap(), fs::read(&inside).unwrap());
    let (copy, line) = rotated(&outside, "two");
    assert!(!copy.join("keys").exists(), "the key before that");
    assert!(line.contains("is not in the copy") && line.contains(text(&outside)), "{line}");
}

/// The vault's key is rotated again and again while copies are made: each copy has the key that its vault needs.
#[test]
fn a_rotation_during_a_backup_is_no_harm() {
    let first = Exchange::start();
    first.stop();
    let (data, home) = (first.data(), private_folder());
    let _x = Exchange::builder().flag("--vault-new-keys", text(data)).start_in(data);
    let stop = AtomicBool::new(false);
    let copies: Vec<_> = (0..4).map(|number| home.path().join(format!("copy-{number}"))).collect();
    std::thread::scope(|scope| {
        let rotations = scope.spawn(|| {
            let mut count = 0;
            while !stop.load(Ordering::SeqCst) {
                let to = data.join(format!("key-{count}"));
                Admin::run(data, &["vault", "rotate", "--to", text(&to)]).done();
                count += 1;
            }
            count
        });
        for copy in &copies {
            backed_up(data, copy);
        }
        stop.store(true, Ordering::SeqCst);
        assert!(rotations.join().unwrap() > 1);
    });
    for copy in &copies {
        let keys = files_below(copy)
            .into_keys()
            .filter(|name| name.contains("/key-") || name.ends_with("/vault.key"));
        assert_eq!(keys.count(), 1, "{}", copy.display());
        Exchange::builder().start_in(copy).as_("trader").call("/v1/heartbeat", json!({})).ok();
    }
}

/// Wrong folders are refused in one line that names them, and nothing is changed.
#[test]
fn wrong_folders_are_refused() {
    let x = Exchange::start();
    let home = private_folder();
    let full = home.path().join("full");
    fs::create_dir(&full).unwrap();
    fs::write(full.join("precious"), "x").unwrap();
    let empty = home.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let inside = x.data().join("copy");
    let new = home.path().join("new");
    let file = full.join("precious");
    for (from, to, words) in [
        (x.data(), full.as_path(), "is not empty"),
        (x.data(), file.as_path(), "is no folder"),
        (x.data(), inside.as_path(), "lies in the data directory"),
        (x.data(), x.data(), "lies in the data directory"),
        (empty.as_path(), new.as_path(), "no exchange's data directory"),
        (home.path().join("nowhere").as_path(), new.as_path(), "No such file"),
    ] {
        let output = back_up(from, to);
        let said = stderr(&output);
        assert!(!output.status.success() && said.contains(words) && said.lines().count() == 1, "{output:?}");
        assert!(output.stdout.is_empty(), "{output:?}");
    }
    assert_eq!(fs::read(full.join("precious")).unwrap(), b"x");
    assert!(!inside.exists() && !new.exists());
}

/// A backup that was killed is no data directory: servers and tools say so, and a second backup does not write into it.
#[test]
fn an_unfinished_backup_is_refused() {
    let x = Exchange::start();
    let home = private_folder();
    let copy = home.path().join("copy");
    backed_up(x.data(), &copy);
    fs::write(copy.join("backup-unfinished"), "").unwrap();
    let words = "a backup that did not come to its end";
    assert!(Exchange::builder().refuses_in(&copy).contains(words));
    for command in ["verify", "backup"] {
        let mut arguments = vec![command, "--data", text(&copy)];
        let elsewhere = home.path().join("elsewhere");
        if command == "backup" {
            arguments.extend(["--to", text(&elsewhere)]);
        }
        let output = run_to_end(&arguments);
        assert!(!output.status.success() && stderr(&output).contains(words), "{output:?}");
    }
    assert!(stderr(&back_up(x.data(), &copy)).contains("is not empty"));
}

/// A damaged segment is found, and leaves no copy.
#[test]
fn damage_is_not_copied() {
    let x = busy().start();
    let home = private_folder();
    let copy = home.path().join("copy");
    for _ in 0..60 {
        x.as_("trader").place(&NewOrder::limit("btcusd", "buy", "0.001", "100"));
    }
    x.stop();
    // The first one is too small for the founding batch.
    let segment = x.data().join("journal").join("0000000002.segment");
    let mut bytes = fs::read(&segment).unwrap();
    bytes[5_000] ^= 1;
    fs::write(&segment, bytes).unwrap();
    let output = back_up(x.data(), &copy);
    assert!(!output.status.success() && stderr(&output).contains("corrupt journal"), "{output:?}");
    assert_eq!(fs::read_dir(&copy).unwrap().count(), 0, "nothing is left");
}

/// The simulated chains are in a copy: payments that were under way when it was made arrive there, and wallets hold what they held.
#[test]
fn chains_go_with_the_copy() {
    let home = tempfile::tempdir().unwrap();
    let copy = home.path().join("copy");
    let simulated = || Exchange::builder().flag("--funds", "simulated");
    let x = simulated().start();
    let made = x.as_("fund-manager").call("/v1/deposit/bitcoin/newAddress", json!({})).ok();
    let payment = json!({ "address": made["address"], "currency": "BTC", "amount": "2" });
    x.control("/sandbox/chains/bitcoin/send", &payment).ok();
    x.control("/sandbox/chains/bitcoin/mine", &json!({ "blocks": 2 })).ok();
    let (chain, wallets) = (x.get("/sandbox/chains/bitcoin").ok(), x.get("/v1/reserves").ok());
    backed_up(x.data(), &copy);
    let restored = simulated().start_in(&copy);
    assert_eq!(
        (restored.get("/sandbox/chains/bitcoin").ok(), restored.get("/v1/reserves").ok()),
        (chain, wallets)
    );
    let before = restored.as_("fund-manager").balance("BTC").0;
    restored.control("/sandbox/chains/bitcoin/mine", &json!({ "blocks": 1 })).ok();
    assert_eq!(restored.as_("fund-manager").balance("BTC").0, before + dec("2"));
    laws::check(&restored);
}
