//! Feeds of index prices: files and servers that the exchange reads, in a sandbox and in a venue (D-38).

use buttonwood_accept::{Actor, Admin, Exchange, binary, json, laws, private_folder, wait_until};
use buttonwood_client::{Client, Credentials};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

const BNB: &str = "bnbgusdperp";
const BTC: &str = "btcgusdperp";

/// A sandbox that reads a feed each second.
fn reading(place: &str) -> Exchange {
    Exchange::builder().flag("--feeds", &format!("lab/1={place}")).start()
}

fn seq(x: &Exchange) -> u64 {
    x.get("/sandbox/ledger").ok()["seq"].as_u64().unwrap()
}

/// Does something after which the exchange journals prices, and lets the marks be taken.
#[track_caller]
fn fed(x: &Exchange, act: impl FnOnce()) {
    let before = seq(x);
    act();
    wait_until("prices", || seq(x) > before);
    x.advance(1);
}

/// Waits until the log has a line with these words `count` times.
#[track_caller]
fn logged(x: &Exchange, words: &str, count: usize) {
    let lines = || x.log().lines().filter(|line| line.contains(words)).count();
    wait_until(words, || lines() >= count);
    assert_eq!(lines(), count, "{}", x.log());
}

fn index(x: &Exchange, symbol: &str) -> Value {
    x.get(&format!("/v1/riskstats/{symbol}")).ok()["index_price"].clone()
}

fn order(actor: &Actor, symbol: &str, side: &str, amount: &str, price: &str) -> buttonwood_accept::Answer {
    actor.call(
        "/v1/order/new",
        json!({ "symbol": symbol, "side": side, "type": "exchange limit", "amount": amount, "price": price }),
    )
}

/// A sandbox's index needs one source: a file gives one to BNB, which has no dollar book. Without the file the price goes stale after a
/// minute; then only reducing orders are accepted, and the last mark stays. Proves PERP-012 (part).
#[test]
fn a_file_is_a_source() {
    let home = private_folder();
    let file = home.path().join("prices.json");
    let x = reading(file.to_str().unwrap());
    let [long, short] = ["perp-000", "perp-001"].map(|key| x.as_(key));
    logged(&x, "a feed gives no prices", 1);
    assert!(x.log().contains("No such file"), "{}", x.log());
    order(&long, BNB, "buy", "1", "600").refused(400, "MarketNotOpen");
    fed(&x, || fs::write(&file, r#"{"BNB":"600.5","BTC":"50000.1"}"#).unwrap());
    logged(&x, "the feed gives prices again", 1);
    assert_eq!((index(&x, BNB), index(&x, BTC)), (json!("600.5"), json!("50000.1")));
    order(&short, BNB, "sell", "1", "600.5").ok();
    assert_eq!(order(&long, BNB, "buy", "1", "600.5").ok()["executed_amount"], "1");
    // A price that changes counts from the next second on.
    fed(&x, || fs::write(&file, r#"{"BNB":"601","BTC":"50000.1"}"#).unwrap());
    assert_eq!((index(&x, BNB), index(&x, BTC)), (json!("601"), json!("50000.1")));

    fs::remove_file(&file).unwrap();
    logged(&x, "a feed gives no prices", 2);
    x.advance(58);
    order(&long, BNB, "buy", "0.1", "600").ok();
    x.advance(2);
    order(&long, BNB, "buy", "0.1", "600").refused(400, "MarketNotOpen");
    assert_eq!(x.get(&format!("/v1/riskstats/{BNB}")).ok()["mark_price"], "600.6995");
    order(&long, BNB, "sell", "0.4", "601").ok();
    fed(&x, || fs::write(&file, r#"{"BNB":"602"}"#).unwrap());
    assert_eq!((index(&x, BNB), index(&x, BTC)), (json!("602"), json!("50000.1")));
    order(&long, BNB, "buy", "0.1", "600").ok();
    order(&long, BTC, "buy", "0.1", "50000").refused(400, "MarketNotOpen");

    // A price that does not change stays fresh, and a move of the clock that lets it go stale is followed by the next read.
    let opens = || {
        wait_until("a fresh price", || {
            x.advance(1);
            order(&x.as_("perp-000"), BNB, "buy", "0.1", "600").status() == 200
        });
    };
    x.advance(3_600);
    opens();
    laws::check(&x);
    x.restart();
    x.advance(60);
    opens();
    x.stop();
    assert!(x.verify().status.success());
}

/// A server of one document, on a thread that ends with the test.
struct Server {
    url: String,
    answer: Arc<Mutex<String>>,
    /// The last request.
    asked: Arc<Mutex<String>>,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/prices", listener.local_addr().unwrap());
        let answer = Arc::new(Mutex::new(String::new()));
        let asked = Arc::new(Mutex::new(String::new()));
        let (shown, heard) = (Arc::clone(&answer), Arc::clone(&asked));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut request = [0; 4_096];
                // A client that went away is none.
                let length = stream.read(&mut request).unwrap_or_default();
                *heard.lock().unwrap() = String::from_utf8_lossy(&request[..length]).into_owned();
                let _ = stream.write_all(shown.lock().unwrap().as_bytes());
            }
        });
        let server = Self { url, answer, asked };
        server.say("404 Not Found", "");
        server
    }

    fn say(&self, status: &str, document: &str) {
        let length = document.len();
        *self.answer.lock().unwrap() =
            format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{document}");
    }
}

/// A server is read as a file is. A mistake in its answers is logged once, and changes nothing.
#[test]
fn a_server_is_a_source() {
    let server = Server::start();
    let x = reading(&server.url);
    logged(&x, "status 404", 1);
    fed(&x, || server.say("200 OK", r#"{"BNB":"600","USD":"1","NOSUCH":"5"}"#));
    assert_eq!(index(&x, BNB), "600");
    logged(&x, "currencies that are not listed", 1);
    assert!(x.log().contains("NOSUCH, USD"), "{}", x.log());
    let before = seq(&x);
    for (status, document, words) in [
        ("200 OK", r#"{"BNB":"601","BTC":50000}"#, "BTC: a price is a text"),
        ("200 OK", &" ".repeat(70_000), "larger than 65536 bytes"),
        ("503 Service Unavailable", r#"{"BNB":"601"}"#, "status 503"),
    ] {
        server.say(status, document);
        logged(&x, words, 1);
    }
    assert_eq!((seq(&x), index(&x, BNB)), (before, json!("600")));
    fed(&x, || server.say("200 OK", r#"{"BNB":"601"}"#));
    assert_eq!(index(&x, BNB), "601");
    logged(&x, "the feed gives prices again", 2);
}

/// Milliseconds by the machine's clock, which is not the exchange's here.
fn machine_ms(ahead: i64) -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis();
    u64::try_from(now).unwrap().checked_add_signed(ahead).unwrap()
}

/// A document that names its time is as old as that by the machine's clock: one of a minute ago gives no price, one that is ahead is wrong.
#[test]
fn a_price_is_as_old_as_its_document() {
    let server = Server::start();
    let x = reading(&server.url);
    logged(&x, "status 404", 1);
    let before = seq(&x);
    let say = |ahead, price| {
        server.say("200 OK", &format!(r#"{{"time":"{}","BNB":"{price}"}}"#, machine_ms(ahead)));
    };
    say(-60_000, "600");
    logged(&x, "'time' is a minute ago or longer", 1);
    say(3_600_000, "600");
    logged(&x, "more than 5 seconds ahead", 1);
    server.say("200 OK", r#"{"time":1764356400000,"BNB":"600"}"#);
    logged(&x, "a text of milliseconds", 1);
    assert_eq!(seq(&x), before);
    fed(&x, || say(0, "600"));
    assert_eq!(index(&x, BNB), "600");
    // It is forty seconds old, so twenty later nothing counts, and the machine's clock has hardly moved.
    fed(&x, || say(-40_000, "601"));
    assert_eq!(index(&x, BNB), "601");
    server.say("503 Service Unavailable", "");
    logged(&x, "status 503", 1);
    let opens = || order(&x.as_("perp-000"), BNB, "buy", "0.1", "600").status() == 200;
    x.advance(10);
    assert!(opens());
    x.advance(10);
    order(&x.as_("perp-000"), BNB, "buy", "0.1", "600").refused(400, "MarketNotOpen");
}

/// A file that names no time and was written in 1970 gives no price, until it is touched.
#[test]
fn a_file_of_1970_is_no_source() {
    let home = private_folder();
    let file = home.path().join("prices.json");
    fs::write(&file, r#"{"BNB":"600.5"}"#).unwrap();
    let touch = |time| fs::File::options().append(true).open(&file).unwrap().set_modified(time).unwrap();
    touch(SystemTime::UNIX_EPOCH);
    let x = reading(file.to_str().unwrap());
    logged(&x, "the document names no 'time', and neither it nor its modification time has changed", 1);
    order(&x.as_("perp-000"), BNB, "buy", "1", "600").refused(400, "MarketNotOpen");
    fed(&x, || touch(SystemTime::now()));
    assert_eq!(index(&x, BNB), "600.5");
}

/// The query of a URL may hold a key: the server gets it, and no line of the log has it.
#[test]
fn no_line_of_the_log_has_a_key() {
    let server = Server::start();
    let x = reading(&format!("{}?apikey=hush-hush", server.url));
    logged(&x, "status 404", 1);
    server.say("200 OK", r#"{"BNB":"600"}"#);
    logged(&x, "the feed gives prices again", 1);
    assert!(server.asked.lock().unwrap().contains("GET /prices?apikey=hush-hush HTTP/1.1"));
    x.stop();
    assert!(x.log().contains(&server.url) && !x.log().contains("hush"), "{}", x.log());
}

/// A venue, ended at the end.
struct Venue(Child);

impl Drop for Venue {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn serve(home: &Path, settings: &str) -> Command {
    fs::write(home.join("key"), "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n").unwrap();
    let settings = format!("listen = \"127.0.0.1:0\"\ndata = \"data\"\nvault_key_file = \"key\"\n{settings}");
    fs::write(home.join("venue.toml"), settings).unwrap();
    let mut command = Command::new(binary());
    command.args(["serve", "--config", "venue.toml"]).current_dir(home);
    command
}

/// A venue needs three sources: with two an order that adds risk is refused, with the third the index is their median.
/// Proves PERP-012 (part).
#[test]
fn a_venue_needs_three_feeds() {
    let home = private_folder();
    let home = home.path();
    let server = Server::start();
    server.say("200 OK", r#"{"BNB":"610"}"#);
    fs::write(home.join("one.json"), r#"{"BNB":"600"}"#).unwrap();
    let settings = format!(
        "[[feeds]]\nname = \"one\"\nfile = \"one.json\"\nevery = 1\n\n[[feeds]]\nname = \"two\"\nurl = \"{}\"\nevery = 1\n\n\
         [[feeds]]\nname = \"three\"\nfile = \"three.json\"\nevery = 1\n",
        server.url
    );
    let log = fs::File::create(home.join("log")).unwrap();
    let mut child = serve(home, &settings).stdout(Stdio::piped()).stderr(log).spawn().unwrap();
    let mut ready = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut ready).unwrap();
    let _venue = Venue(child);
    let url = ready.trim().strip_prefix("ready ").expect("a ready line").to_owned();
    let data = home.join("data");
    let admin = |arguments: &[&str]| Admin::run(&data, arguments).done();
    admin(&["group", "add", "North"]);
    admin(&["account", "add", "North", "Perps", "--kind", "derivatives"]);
    admin(&["credit", "North", "perps", "GUSD", "1000", "--reason", "wire"]);
    let key = admin(&["key", "add", "--group", "North", "--account", "perps", "--role", "Trader"]);
    let [api_key, secret] = ["api_key", "api_secret"].map(|field| key[field].as_str().unwrap());
    let client = Client::new(&url).unwrap().with_key(Credentials::new(api_key, secret));
    let actor = Actor::new("perps", client);
    // The journal shows that both feeds were read.
    wait_until("two prices", || {
        let log = fs::read_dir(data.join("journal"))
            .unwrap()
            .flatten()
            .find(|entry| entry.file_name().to_string_lossy().ends_with(".segment"));
        let bytes = fs::read(log.unwrap().path()).unwrap();
        bytes.windows(15).filter(|words| words == b"perp.feed_price").count() >= 2
    });
    order(&actor, BNB, "buy", "1", "600").refused(400, "MarketNotOpen");
    let third = format!(r#"{{"time":"{}","BNB":"601.5"}}"#, machine_ms(0));
    fs::write(home.join("three.json"), third).unwrap();
    let stats = || actor.get(&format!("/v1/riskstats/{BNB}")).ok();
    wait_until("an index", || stats()["index_price"] == "601.5");
    assert_eq!(order(&actor, BNB, "buy", "1", "600").ok()["is_live"], true);
    order(&actor, BTC, "buy", "1", "600").refused(400, "MarketNotOpen");
    // It says which feeds cannot tell their age.
    let log = fs::read_to_string(home.join("log")).unwrap();
    let timeless: Vec<&str> = log.lines().filter(|line| line.contains("cannot tell its age")).collect();
    assert_eq!(timeless.len(), 2, "{log}");
    assert!(["one.json", &server.url].iter().all(|place| timeless.iter().any(|line| line.contains(place))));
}

/// Settings that are wrong end the start in a line that names them and their source, and nothing is made.
#[test]
fn wrong_settings_are_refused() {
    let home = private_folder();
    let home = home.path();
    let refused = |output: Output, parts: &[&str]| {
        let line = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), line.lines().count()), (Some(2), 1), "{line}");
        assert!(parts.iter().all(|part| line.contains(part)) && !line.contains("hush"), "{line}");
        assert!(!home.join("data").exists(), "{line}");
    };
    for (settings, part) in [
        ("[[feeds]]\nname = \"a\"\n", "a: give either 'file' or 'url'"),
        ("[[feeds]]\nname = \"a b\"\nfile = \"p\"\n", "'a b' is no name"),
        ("[[feeds]]\nname = \"a\"\nfile = \"p\"\nevery = 0\n", "from 1 to 20 is wanted: '0'"),
        ("[[feeds]]\nname = \"a\"\nfile = \"p\"\nevery = 1.5\n", "'every' must be a whole number"),
        ("[[feeds]]\nname = \"a\"\nurl = \"https://example.com/\"\n", "a URL such as http://"),
        (
            "[[feeds]]\nname = \"a\"\nurl = \"https://hush:hush@example.com/p?key=hush\"\n",
            "is wanted: 'https://example.com/p'",
        ),
        (
            "[[feeds]]\nname = \"a\"\nurl = \"https://example.com/p?key=hush\"\n",
            "is wanted: 'https://example.com/p'",
        ),
        (
            "[[feeds]]\nname = \"a\"\nfile = \"http://hush:hush@example.com/p\"\n",
            "'http://example.com/p' is no file",
        ),
        ("[[feeds]]\nname = \"a\"\nurl = \"hush@example.com/p\"\n", "a: 'url' is no URL"),
        ("feeds = \"a=http://hush:hush@example.com/p?key=hush\n", "line 4: "),
        ("feeds = [\"a=p\", \"a=q\"]\n", "two feeds have the name 'a'"),
        ("feeds = [1.5]\n", "'feeds' must be"),
        ("[feeds]\nname = \"a\"\n", "is a table"),
    ] {
        refused(serve(home, settings).output().unwrap(), &["--config venue.toml", part]);
    }
    let sandbox = |arguments: &[&str], variable: &str| {
        let mut command = Command::new(binary());
        command
            .args(["sandbox", "--data", "data", "--listen", "127.0.0.1:0"])
            .args(arguments)
            .current_dir(home);
        if !variable.is_empty() {
            command.env("BUTTONWOOD_FEEDS", variable);
        }
        command.output().unwrap()
    };
    refused(sandbox(&[], "a/99=p"), &["BUTTONWOOD_FEEDS", "from 1 to 20"]);
    let output = sandbox(&["--feeds", "prices.json"], "");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && text.contains("NAME=FILE or NAME=URL"), "{text}");
    refused(sandbox(&["--feeds", "a=p,a=q"], ""), &["--feeds: two feeds"]);
    refused(sandbox(&[], "a=ftp://hush:hush@h/p?key=hush"), &["BUTTONWOOD_FEEDS", "'ftp://h/p'"]);
    let output = sandbox(&["--feeds", "a=ftp://hush:hush@h/p?key=hush"], "");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.code() == Some(2) && text.contains("ftp://h/p") && !text.contains("hush"),
        "{text}"
    );
    let mut help = Command::new(binary());
    let output =
        help.args(["sandbox", "--help"]).env("BUTTONWOOD_FEEDS", "a=http://h/p?key=hush").output().unwrap();
    assert!(output.status.success() && !String::from_utf8_lossy(&output.stdout).contains("hush"));
}
