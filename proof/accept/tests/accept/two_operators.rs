//! A venue with `approvals = 2`: what needs a second operator, how a new key waits, and which processes cannot tell operators apart.
//! D-144, D-184.

mod pages;

use buttonwood_accept::{Actor, Client, Credentials, Value, binary, json, private_folder, skipped};
use rustix::process::{Pid, Signal, geteuid, kill_process};
use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Output, Stdio};

/// The user `nobody`, the second operator.
const NOBODY: u32 = 65_534;

/// A running venue with two operators: the user who runs the tests, who must be root to act as another user, and `nobody`.
struct Venue {
    home: tempfile::TempDir,
    child: Child,
    url: String,
}

impl Venue {
    /// Starts a venue; none where only one user can be an operator.
    fn start() -> Option<Self> {
        Self::with("")
    }

    /// The same with further lines of settings.
    fn with(further: &str) -> Option<Self> {
        if !geteuid().is_root() {
            skipped("a test of two operators", "only root can be another user");
            return None;
        }
        let home = private_folder();
        fs::write(home.path().join("key"), "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n").unwrap();
        fs::write(home.path().join("venue.toml"), format!("{SETTINGS}{further}")).unwrap();
        fs::create_dir(home.path().join("keys")).unwrap();
        let mut command = Command::new(binary());
        command.args(["serve", "--config", "venue.toml"]).current_dir(home.path());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut ready = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut ready).unwrap();
        let url = ready.trim().strip_prefix("ready ").unwrap().to_owned();
        for folder in [home.path().to_owned(), home.path().join("data")] {
            fs::set_permissions(folder, Permissions::from_mode(0o711)).unwrap();
        }
        Some(Self { home, child, url })
    }

    fn run(&self, user: Option<u32>, arguments: &[&str]) -> Output {
        let mut command = Command::new(binary());
        command.arg("admin").arg("--data").arg(self.home.path().join("data")).args(arguments);
        if let Some(user) = user {
            command.uid(user).gid(user);
        }
        command.stdin(Stdio::null()).output().unwrap()
    }

    /// The answer to a command of the first operator.
    #[track_caller]
    fn done(&self, arguments: &[&str]) -> Value {
        object(&self.run(None, arguments))
    }

    #[track_caller]
    fn refused(&self, arguments: &[&str]) -> String {
        refusal(&self.run(None, arguments))
    }

    /// The number of the proposal that the first operator makes with a command that is done at once where one is enough.
    #[track_caller]
    fn proposed(&self, arguments: &[&str]) -> String {
        let answer = self.done(arguments);
        let number = answer["proposal"].as_u64().unwrap_or_else(|| panic!("{arguments:?} is done: {answer}"));
        assert!(answer["expires_ms"].as_u64().is_some(), "{answer}");
        number.to_string()
    }

    /// The answer to an approval by the second operator.
    #[track_caller]
    fn approved(&self, proposal: &str) -> Value {
        object(&self.run(Some(NOBODY), &["approve", proposal]))
    }

    #[track_caller]
    fn not_approved(&self, proposal: &str) -> String {
        refusal(&self.run(Some(NOBODY), &["approve", proposal]))
    }

    fn waiting(&self) -> Vec<Value> {
        lines(&self.run(None, &["proposals"]))
    }

    fn actor(&self, key: &Value) -> Actor {
        let [api_key, secret] = ["api_key", "api_secret"].map(|field| key[field].as_str().unwrap());
        let client = Client::new(&self.url).unwrap();
        Actor::new(api_key, client.with_key(Credentials::new(api_key, secret)))
    }

    fn path(&self, name: &str) -> String {
        self.home.path().join(name).to_str().unwrap().to_owned()
    }

    /// A group with an account.
    fn customer(&self) {
        self.done(&["group", "add", "North"]);
        self.done(&["account", "add", "North", "Primary"]);
    }
}

const SETTINGS: &str = "listen = \"127.0.0.1:0\"\ndata = \"data\"\nvault_key_file = \"key\"\nvault_new_keys = \"keys\"\n\
    approvals = 2\nadmin_group = \"nogroup\"\n";

impl Drop for Venue {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[track_caller]
fn object(output: &Output) -> Value {
    let shown = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && output.stderr.is_empty(), "{:?}: {shown}", output.status);
    serde_json::from_slice(&output.stdout).unwrap()
}

#[track_caller]
fn refusal(output: &Output) -> String {
    let line = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && output.stdout.is_empty(), "{line}");
    line
}

fn lines(output: &Output) -> Vec<Value> {
    String::from_utf8_lossy(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The commands of D-144, D-184 and D-268, and no other, need two operators: so says the contract, which is made from the catalogue.
#[test]
fn the_contract_names_what_two_operators_guard() {
    let contract: Value = serde_json::from_str(include_str!("../../../../contract/openapi.json")).unwrap();
    let commands = contract["x-admin"]["commands"].as_array().unwrap();
    let guarded = commands.iter().filter(|command| command["needs_two"] == true);
    let mut names: Vec<&str> = guarded.map(|command| command["command"].as_str().unwrap()).collect();
    names.sort_unstable();
    let expected = [
        "account broker",
        "account fee-override",
        "account risk",
        "address approve",
        "app review",
        "asset add",
        "bank limit",
        "bank settle",
        "bank wire",
        "clearing fee",
        "collateral set",
        "combo add",
        "credit",
        "debit",
        "deposit assign",
        "event add",
        "event halt",
        "event resolve",
        "event strike",
        "event void",
        "fees promote",
        "fees schedule",
        "fees set",
        "funding set",
        "fx add",
        "group approve",
        "group from",
        "group multi-user",
        "group set",
        "house fund",
        "index pin",
        "index unpin",
        "instant set",
        "key add",
        "key enable",
        "key from",
        "key reset-nonces",
        "key roles",
        "limits set",
        "margin coin",
        "margin set",
        "network add",
        "predictions fees",
        "predictions rewards",
        "resume",
        "staking terms",
        "symbol add",
        "symbol status",
        "terms publish",
        "trade break",
        "user add",
        "user enable",
        "user operator",
        "user reset-factors",
        "vault rotate",
        "withdrawal rebuild",
        "withdrawal void",
    ];
    assert_eq!(names, expected);
    // Each command says what it does, and that says how many it takes.
    for command in commands {
        let takes_two = ["gives", "takes", "sets_terms", "opens"];
        let takes_one = ["reads", "halts", "names", "prepares", "approves"];
        let effect = command["effect"].as_str().unwrap();
        assert_eq!(command["needs_two"] == true, takes_two.contains(&effect), "{command}");
        assert!(takes_two.contains(&effect) || takes_one.contains(&effect), "{command}");
    }
}

/// The commands of events are only proposed and take effect with the approval, as the end of a halt does; a halt and a dispute take one operator (D-184,
/// D-268).
#[test]
fn events_take_two_operators() {
    let Some(venue) = Venue::start() else { return };
    let strike = venue.path("strike.json");
    fs::write(&strike, r#"{"type":"reference"}"#).unwrap();
    let add = |ticker: &'static str| {
        let words = ["event", "add", ticker, "--title", "Rain", "--category", "weather"];
        venue.proposed(&[&words[..], &["--expiry", "4102444800000", "--strike", &strike]].concat())
    };
    for ticker in ["RAIN", "WIND"] {
        let number = add(ticker);
        assert!(venue.refused(&["event", "halt", ticker]).contains("'event' must be the ticker of an event"));
        assert_eq!(venue.approved(&number)["answer"]["symbols"][0], format!("SVC-{ticker}"));
    }
    for halted in [&["event", "halt", "RAIN"][..], &["event", "halt", "RAIN", "--halted", "true"]] {
        assert_eq!(venue.done(halted)["halted"], true);
    }
    let number = venue.proposed(&["event", "halt", "RAIN", "--halted", "false"]);
    assert_eq!(venue.approved(&number)["answer"]["halted"], false);
    assert!(
        venue
            .refused(&["event", "halt", "RAIN", "--halted", "no"])
            .contains("'halted' must be true or false")
    );
    let commands: &[&[&str]] = &[
        &["event", "strike", "RAIN", "1"],
        &["combo", "add", "--yes", "SVC-RAIN", "--no", "SVC-WIND"],
        &["terms", "publish", "x"],
        &["predictions", "fees", "--maker-bps", "1", "--taker-bps", "2"],
        &["event", "resolve", "RAIN", "--yes", "RAIN", "--source", "x"],
    ];
    for command in commands {
        let number = venue.proposed(command);
        assert_eq!(venue.approved(&number)["answer"]["result"], "ok", "{command:?}");
    }
    assert_eq!(venue.done(&["event", "dispute", "RAIN", "a doubt"])["disputed"], true);
    let number = venue.proposed(&["event", "void", "RAIN", "a doubt"]);
    assert_eq!(venue.approved(&number)["answer"]["status"], "invalid");
    assert!(venue.refused(&["event", "dispute", "RAIN", "late"]).contains("it is invalid"));
}

/// Each guarded command is only proposed, and has no effect until another user approves it. A command that would be refused is not
/// proposed.
#[test]
fn guarded_commands_are_proposed() {
    let Some(venue) = Venue::start() else { return };
    venue.customer();
    venue.done(&["account", "add", "North", "Perps", "--kind", "derivatives"]);
    let tiers = venue.path("tiers.json");
    fs::write(&tiers, r#"[{"from":"0","maker_bps":1,"taker_bps":2}]"#).unwrap();
    let new_key = venue.path("keys/second");
    let commands: &[&[&str]] = &[
        &["credit", "North", "primary", "USD", "1", "--reason", "x"],
        &["house", "fund", "rounding", "USD", "1", "--reason", "x"],
        &["bank", "wire", "North", "primary", "USD", "5", "--reason", "x"],
        &["fees", "set", "--maker-bps", "1", "--taker-bps", "2"],
        &["fees", "schedule", "--file", &tiers],
        &["fees", "promote", "--maker-bps", "0", "--taker-bps", "1", "btcusd"],
        &["account", "fee-override", "North", "primary", "--reason", "x"],
        &["margin", "set", "--usd-rate", "0.2"],
        &["network", "add", "northnet", "--kind", "evm", "--confirmations", "3"],
        &["asset", "add", "ethereum", "DOGE", "--decimals", "8", "--fee", "1", "--minimum", "1", "--token"],
        &["vault", "rotate", "--to", &new_key],
        &["account", "risk", "North", "perps", "--max-leverage", "10"],
        &["index", "pin", "BTC", "50000", "--reason", "x"],
        &["group", "multi-user", "North"],
        &["account", "broker", "North", "primary"],
        &["clearing", "fee", "5"],
        &[
            "staking",
            "terms",
            "0b2c5a1e-6f4d-4c8e-9a57-3d1e8f60b7a1",
            "ETH",
            "--rate-bps",
            "228.0197",
            "--deposit-usd-limit",
            "500000",
            "--redemption-seconds",
            "0",
        ],
        &["index", "unpin", "BTC", "--reason", "x"],
        &["group", "from", "North", "192.0.2.0/24"],
        &["group", "set", "North", "--max-accounts", "9", "--from", "192.0.2.0/28"],
        &["limits", "set", "--approved-addresses", "20"],
        &[
            "symbol",
            "add",
            "solusdt",
            "--base",
            "SOL",
            "--quote",
            "USDT",
            "--tick",
            "0.001",
            "--quote-increment",
            "0.01",
            "--min",
            "0.1",
        ],
    ];
    let group = || venue_group(&venue);
    assert_eq!(group()["from"], json!([]));
    for (command, number) in commands.iter().zip(1..) {
        assert_eq!(venue.proposed(command), number.to_string(), "{command:?}");
        assert_eq!(venue.proposed(command), number.to_string(), "twice is once: {command:?}");
        let line = venue.refused(&["approve", &number.to_string()]);
        assert!(line.contains("'proposal' must be one that another user made"), "{line}");
    }
    assert_eq!(venue.waiting().len(), commands.len());
    assert_eq!(group()["from"], json!([]), "a proposal restricts nothing");
    assert!(!fs::exists(&new_key).unwrap());
    let debit = ["debit", "North", "primary", "USD", "1", "--reason", "x"];
    assert!(
        venue.refused(&debit).contains("'amount' must be at most"),
        "what would be refused is not proposed"
    );
    assert_eq!(
        venue.done(&["credit", "North", "primary", "USD", "9", "--reason", "x", "--dry-run"])["dry_run"],
        true
    );
    assert_eq!(venue.waiting().len(), commands.len());
    for number in 1..=commands.len() {
        let answer = venue.approved(&number.to_string());
        assert!(answer["result"] == "ok" && answer["answer"].is_object(), "{answer}");
    }
    assert_eq!((venue.waiting(), fs::exists(&new_key).unwrap()), (Vec::new(), true));
    assert_eq!((&group()["from"], &group()["accounts_max"]), (&json!(["192.0.2.0/28"]), &json!(9)));
    assert!(venue.not_approved("1").contains("the number of one that waits: 1"));
    for taken in [&commands[8], &commands[9], &commands[10]] {
        assert!(venue.refused(taken).contains("not"), "it is there now");
    }
    let number = venue.proposed(&debit);
    assert_eq!(venue.approved(&number)["answer"]["amount"], "1");
}

/// The customers' group, as `group list` shows it.
fn venue_group(venue: &Venue) -> Value {
    let groups = lines(&venue.run(None, &["group", "list"]));
    groups.into_iter().find(|group| group["group"] == "North").unwrap()
}

/// An advance is settled, or returned, by two operators: either decides who gets money (D-268).
#[test]
fn settling_takes_two_operators() {
    let Some(venue) = Venue::start() else { return };
    venue.customer();
    let limit = venue.proposed(&["bank", "limit", "100", "--reason", "x"]);
    venue.approved(&limit);
    let wire = ["bank", "wire", "North", "primary", "USD", "5", "--method", "ACH", "--reason", "x"];
    let balance = || lines(&venue.run(None, &["balance", "list"]));
    for returned in [false, true] {
        let wire = venue.proposed(&wire);
        let eid = venue.approved(&wire)["answer"]["eid"].to_string();
        let before = balance();
        let settle = ["bank", "settle", "--eid", &eid, "--reason", "the bank says so", "--returned"];
        let settle = settle.get(..settle.len() - usize::from(!returned)).unwrap();
        let number = venue.proposed(settle);
        assert_eq!(balance(), before, "nothing moved yet");
        assert_eq!(venue.approved(&number)["answer"]["result"], "ok");
        assert_eq!(balance() != before, returned);
        assert!(venue.refused(settle).contains("neither settled nor returned"), "{settle:?}");
    }
}

/// New terms of staking take two operators, what only pauses a pair takes one (D-184).
#[test]
fn pausing_takes_one_operator() {
    let Some(venue) = Venue::start() else { return };
    let terms = |rate: &'static str| {
        let provider = "0b2c5a1e-6f4d-4c8e-9a57-3d1e8f60b7a1";
        let limits = ["--deposit-usd-limit", "500000", "--redemption-seconds", "0"];
        [&["staking", "terms", provider, "ETH", "--rate-bps", rate][..], &limits].concat()
    };
    let paused = |rate| [terms(rate), vec!["--paused"]].concat();
    let proposal = venue.proposed(&paused("5"));
    assert_eq!(venue.approved(&proposal)["answer"]["paused"], true);
    let proposal = venue.proposed(&terms("5"));
    assert_eq!(venue.approved(&proposal)["answer"]["paused"], false);
    venue.proposed(&paused("6"));
    let done = venue.done(&paused("5"));
    assert_eq!((&done["paused"], &done["proposal"]), (&Value::Bool(true), &Value::Null));
    venue.proposed(&terms("5"));
}

/// What schedules auctions or ends something takes one operator. The leverage of an account stays as it
/// is until another operator approves it; who has proposed it cannot.
#[test]
fn terms_of_trading_take_one_operator_or_two() {
    let Some(venue) = Venue::start() else { return };
    venue.customer();
    venue.done(&["account", "add", "North", "Perps", "--kind", "derivatives"]);
    for (command, field) in [
        (&["auction", "schedule", "btcusd", "--auction-time-ms", "4102444800000"][..], "enabled"),
        (&["auction", "end", "btcusd"], "enabled"),
    ] {
        let done = venue.done(command);
        assert!(done["proposal"].is_null() && done[field].is_boolean(), "{command:?}: {done}");
    }
    let pin = venue.proposed(&["index", "pin", "BTC", "50000", "--reason", "x"]);
    venue.approved(&pin);
    let unpin = venue.proposed(&["index", "unpin", "BTC", "--reason", "x"]);
    assert_eq!(venue.approved(&unpin)["answer"]["pinned"], false);
    let pin = venue.proposed(&["index", "pin", "BTC", "50000", "--reason", "x"]);
    venue.approved(&pin);
    let credit = venue.proposed(&["credit", "North", "perps", "GUSD", "1000", "--reason", "x"]);
    venue.approved(&credit);
    let add = ["key", "add", "--group", "North", "--account", "perps", "--role", "Trader"];
    let key = venue.done(&add);
    venue.approved(&key["proposal"].to_string());
    let perps = venue.actor(&key);
    let power = || perps.call("/v1/margin", json!({ "symbol": "btcgusdperp" })).ok()["buying_power"].clone();
    let before = power();
    let risk = ["account", "risk", "North", "perps", "--max-leverage", "7", "--no-cross-collateral"];
    let number = venue.proposed(&risk);
    assert!(venue.refused(&["approve", &number]).contains("another user made"));
    assert_eq!(power(), before);
    assert_eq!(venue.approved(&number)["answer"]["max_leverage"], "7");
    assert_eq!(power(), "0.14");
    assert!(
        venue
            .refused(&["account", "risk", "North", "primary", "--max-leverage", "7"])
            .contains("exchange accounts")
    );
    assert_eq!(venue.waiting(), Vec::<Value>::new(), "what would be refused is not proposed");
}

/// A proposal is judged again when it is approved. The audit names proposer and approver.
#[test]
fn a_proposal_is_judged_again() {
    let Some(venue) = Venue::start() else { return };
    venue.customer();
    let wire = venue.proposed(&["credit", "North", "primary", "USD", "100", "--reason", "a wire"]);
    venue.approved(&wire);
    let act = venue.done(&["audit", "--limit", "1"]);
    let what = "approve proposal=1 proposer=root what=\"credit group=North account=primary currency=USD amount=100\"";
    assert_eq!((&act["who"], &act["what"]), (&json!("nobody"), &json!(what)));
    let acts = lines(&venue.run(None, &["audit", "--limit", "2"]));
    let proposed = "propose credit group=North account=primary currency=USD amount=100";
    assert_eq!(
        (&acts[1]["who"], &acts[1]["what"], &acts[1]["why"]),
        (&json!("root"), &json!(proposed), &json!("a wire"))
    );
    let [first, second] = ["60", "50"]
        .map(|amount| venue.proposed(&["debit", "North", "primary", "USD", amount, "--reason", "back"]));
    venue.approved(&first);
    let line = venue.not_approved(&second);
    assert!(
        line.contains("'amount' must be at most what account 'primary' has available, 40 USD: 50"),
        "{line}"
    );
    let rows = venue.waiting();
    assert_eq!((rows.len(), &rows[0]["proposal"]), (1, &json!(second.parse::<u64>().unwrap())));
    assert_eq!(rows[0]["what"], "debit group=North account=primary currency=USD amount=50");
    let act = venue.done(&["audit", "--limit", "1"]);
    assert!(act["what"].as_str().unwrap().starts_with(&format!("approve proposal={first} ")), "{act}");
}

/// The secret of a new key is printed at once; its calls get 403 until another operator approves it. Its roles, its addresses and its
/// return take two; disabling and ending it take one.
#[test]
fn a_new_key_waits() {
    let Some(venue) = Venue::start() else { return };
    venue.customer();
    let add = ["key", "add", "--group", "North", "--account", "primary", "--role", "Trader"];
    let key = venue.done(&add);
    let number = key["proposal"].as_u64().unwrap().to_string();
    let api_key = key["api_key"].as_str().unwrap();
    let actor = venue.actor(&key);
    let calls = |fine: bool| {
        let answer = actor.call("/v1/heartbeat", json!({}));
        if fine { drop(answer.ok()) } else { drop(answer.refused(403, "InvalidApiKey")) }
    };
    calls(false);
    assert!(venue.refused(&["approve", &number]).contains("another user made"));
    calls(false);
    let rows = venue.waiting();
    assert!(rows[0]["what"].as_str().unwrap().ends_with(&format!("api_key={api_key}")), "{rows:?}");
    let expected = rows[0]["time_ms"].as_u64().unwrap() + 24 * 3_600_000;
    assert_eq!((&rows[0]["expires_ms"], &key["expires_ms"]), (&json!(expected), &json!(expected)));
    venue.approved(&number);
    calls(true);
    let changes: [&[&str]; 3] = [
        &["key", "roles", api_key, "--role", "Fund Manager"],
        &["key", "from", api_key, "192.0.2.1"],
        &["key", "reset-nonces", api_key, "--reason", "x"],
    ];
    let proposals = changes.map(|change| venue.proposed(change));
    calls(true);
    assert_eq!(venue.done(&["key", "disable", api_key])["enabled"], false);
    calls(false);
    let enable = venue.proposed(&["key", "enable", api_key]);
    calls(false);
    assert_eq!(venue.approved(&enable)["answer"]["enabled"], true);
    calls(true);
    assert_eq!(venue.approved(&proposals[0])["answer"]["roles"], json!(["Fund Manager"]));
    assert_eq!(venue.approved(&proposals[2])["answer"], json!({ "result": "ok", "api_key": api_key }));
    assert_eq!(venue.approved(&proposals[1])["answer"]["from"], json!(["192.0.2.1/32"]));
    actor.call("/v1/heartbeat", json!({})).refused(403, "ApiKeyIpFilteringFailure");

    let other = venue.done(&add);
    let number = other["proposal"].as_u64().unwrap().to_string();
    assert_eq!(venue.done(&["key", "end", other["api_key"].as_str().unwrap()])["ended"], true);
    assert!(venue.not_approved(&number).contains("the number of one that waits"));
    venue.actor(&other).call("/v1/heartbeat", json!({})).refused(403, "InvalidApiKey");
}

/// A running venue of two operators does not rotate its key for one, nor does a stopped one.
#[test]
fn one_operator_rotates_no_key() {
    let Some(mut venue) = Venue::start() else { return };
    let to = venue.path("keys/second");
    let number = venue.proposed(&["vault", "rotate", "--to", &to]);
    assert!(!fs::exists(&to).unwrap());
    fs::write(&to, "taken").unwrap();
    assert!(venue.not_approved(&number).contains("not there yet"), "judged again");
    fs::remove_file(&to).unwrap();
    assert_eq!(venue.approved(&number)["answer"]["secrets"], 2);
    kill_process(Pid::from_child(&venue.child), Signal::TERM).unwrap();
    assert!(venue.child.wait().unwrap().success());
    let third = venue.path("keys/third");
    assert!(venue.refused(&["vault", "rotate", "--to", &third]).contains("approvals = 2"));
}

/// A process in a user namespace of its own cannot see who its operators are, and is refused with `approvals = 2`.
#[test]
fn two_operators_must_be_seen() {
    let home = private_folder();
    fs::write(home.path().join("key"), "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n").unwrap();
    fs::write(home.path().join("venue.toml"), SETTINGS).unwrap();
    fs::create_dir(home.path().join("keys")).unwrap();
    let unshare = |command: &[&str]| {
        let mut unshare = Command::new("unshare");
        unshare.args(["--user", "--map-root-user"]).args(command).current_dir(home.path()).output()
    };
    if !unshare(&["true"]).is_ok_and(|output| output.status.success()) {
        return skipped("a venue in a user namespace", "this machine makes none");
    }
    let program = binary();
    let output = unshare(&[program.to_str().unwrap(), "serve", "--config", "venue.toml"]).unwrap();
    let line = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), line.lines().count()), (Some(2), 1), "{line}");
    assert!(line.contains("--approvals 2") && line.contains("cannot see which users connect"), "{line}");
    assert!(!home.path().join("data").exists(), "nothing was made");
}
