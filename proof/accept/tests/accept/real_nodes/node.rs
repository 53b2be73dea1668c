//! Anvil as a node of ethereum, and a proxy before it that answers wrongly on demand.

use buttonwood_accept::{Value, json, skipped};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

/// An address outside (EIP-55).
pub(crate) const OUTSIDE: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

/// Where the token's contract lies.
pub(crate) const TOKEN: &str = "0x00000000000000000000000000000000000070c3";

/// A contract that keeps each balance in the slot of its owner's address: `balanceOf` and `transfer`, which reverts without enough and
/// logs `Transfer`.
const TOKEN_CODE: &str = "0x60003560e01c806370a0823114601d5763a9059cbb14602a57600080fd5b6004355460005260206000f35b\
    6024353354818110607c57819003335580600435540160043555600052600435337fddf252ad1be2c89b69c2b068\
    fc378daa952ba7f163c4a11628f55a4df523b3ef60206000a3600160005260206000f35b600080fd";

/// An amount of ether, in wei.
pub(crate) fn ether(whole: u128) -> u128 {
    whole * 10_u128.pow(18)
}

fn hex(number: u128) -> String {
    format!("{number:#x}")
}

/// A running anvil, which makes blocks on demand.
#[derive(Debug)]
pub(crate) struct Node {
    anvil: Child,
    pub(crate) url: String,
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.anvil.kill();
        let _ = self.anvil.wait();
    }
}

impl Node {
    /// `None` if there is no anvil on this machine.
    pub(crate) fn start() -> Option<Self> {
        Self::start_as(&[])
    }

    /// The same with further arguments.
    pub(crate) fn start_as(arguments: &[&str]) -> Option<Self> {
        let Ok(program) = std::env::var("BUTTONWOOD_ANVIL") else {
            skipped("a test against anvil", "BUTTONWOOD_ANVIL does not name anvil");
            return None;
        };
        let mut anvil = Command::new(program)
            .args(["--no-mining", "--port", "0", "--host", "127.0.0.1"])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect("anvil starts");
        let mut lines = BufReader::new(anvil.stdout.take().unwrap()).lines();
        let listening = lines.find_map(|line| line.unwrap().strip_prefix("Listening on ").map(str::to_owned));
        // Its pipe must not fill up.
        thread::spawn(move || lines.for_each(drop));
        let node = Self { anvil, url: format!("http://{}", listening.expect("anvil says where it listens")) };
        node.rpc("anvil_setCode", &json!([TOKEN, TOKEN_CODE]));
        let rich = node.account();
        node.set_tokens(&rich, 1_000_000);
        node.mine(20);
        Some(node)
    }

    /// Calls a method.
    pub(crate) fn rpc(&self, method: &str, params: &Value) -> Value {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let answer = post(&self.url, &body);
        let start = answer.find("\r\n\r\n").expect("an answer of HTTP") + 4;
        let mut answer: Value = serde_json::from_str(&answer[start..]).expect("an answer in JSON");
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    fn account(&self) -> String {
        self.rpc("eth_accounts", &json!([]))[0].as_str().unwrap().to_owned()
    }

    pub(crate) fn mine(&self, blocks: u64) {
        self.rpc("anvil_mine", &json!([hex(blocks.into())]));
    }

    /// Replaces the newest blocks by empty ones.
    pub(crate) fn reorg(&self, depth: u64) {
        self.rpc("anvil_reorg", &json!([depth, []]));
    }

    pub(crate) fn height(&self) -> u64 {
        number(&self.rpc("eth_blockNumber", &json!([]))).try_into().unwrap()
    }

    pub(crate) fn set_base_fee(&self, wei: u128) {
        self.rpc("anvil_setNextBlockBaseFeePerGas", &json!([hex(wei)]));
    }

    pub(crate) fn set_chain_id(&self, id: u64) {
        self.rpc("anvil_setChainId", &json!([id]));
    }

    pub(crate) fn set_balance(&self, address: &str, wei: u128) {
        self.rpc("anvil_setBalance", &json!([address, hex(wei)]));
    }

    pub(crate) fn balance(&self, address: &str) -> u128 {
        number(&self.rpc("eth_getBalance", &json!([address, "latest"])))
    }

    /// Sets a balance of the token, in cents.
    pub(crate) fn set_tokens(&self, address: &str, cents: u64) {
        self.rpc("anvil_setStorageAt", &json!([TOKEN, slot(address), format!("0x{cents:064x}")]));
    }

    pub(crate) fn tokens(&self, address: &str) -> u128 {
        number(&self.rpc("eth_getStorageAt", &json!([TOKEN, slot(address), "latest"])))
    }

    /// A payment from outside, which waits for a block; returns its hash.
    pub(crate) fn send(&self, to: &str, wei: u128) -> String {
        let payment = json!([{ "from": self.account(), "to": to, "value": hex(wei) }]);
        self.rpc("eth_sendTransaction", &payment).as_str().unwrap().to_owned()
    }

    /// A payment of the token, in cents.
    pub(crate) fn send_tokens(&self, to: &str, cents: u64) -> String {
        let data = format!("0xa9059cbb{}{cents:064x}", &slot(to)[2..]);
        let payment = json!([{ "from": self.account(), "to": TOKEN, "data": data }]);
        self.rpc("eth_sendTransaction", &payment).as_str().unwrap().to_owned()
    }

    /// The bytes of a transaction.
    pub(crate) fn raw(&self, tx: &str) -> String {
        self.rpc("eth_getRawTransactionByHash", &json!([tx])).as_str().unwrap().to_owned()
    }

    pub(crate) fn send_raw(&self, bytes: &str) {
        self.rpc("eth_sendRawTransaction", &json!([bytes]));
    }
}

/// An address as a word of 32 bytes.
fn slot(address: &str) -> String {
    format!("0x{:0>64}", address.strip_prefix("0x").unwrap().to_lowercase())
}

fn number(value: &Value) -> u128 {
    u128::from_str_radix(value.as_str().unwrap().strip_prefix("0x").unwrap(), 16).unwrap()
}

/// Posts to a node that closes the connection after its answer, and returns all of the answer.
fn post(url: &str, body: &str) -> String {
    let host = url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(host).expect("the node listens");
    let head = format!(
        "POST / HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + body).as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// A wrong answer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wrong {
    /// The connection is closed without one.
    Nothing,
    /// These bytes.
    Bytes(&'static str),
    /// More bytes than any answer may have.
    Huge,
    /// The head of an answer, and half of what it announces.
    Half,
}

/// Every wrong answer.
pub(crate) const WRONG: [Wrong; 7] = [
    Wrong::Nothing,
    Wrong::Bytes("garbage"),
    Wrong::Bytes("HTTP/1.1 500 Oops\r\nContent-Length: 4\r\n\r\noops"),
    Wrong::Bytes("HTTP/1.1 200 OK\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":\"0x1\"}"),
    Wrong::Bytes("HTTP/1.1 200 OK\r\n\r\n[[[[[[[[[[{\"result\":null}"),
    Wrong::Half,
    Wrong::Huge,
];

/// A proxy before a node.
#[derive(Debug)]
pub(crate) struct Proxy {
    pub(crate) url: String,
    wrong: Arc<Mutex<Option<Wrong>>>,
}

impl Proxy {
    pub(crate) fn start(node: &Node) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let wrong = Arc::new(Mutex::new(None));
        let (told, target) = (Arc::clone(&wrong), node.url.clone());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let wrong = *told.lock().unwrap();
                // A client that has gone away breaks its own connection alone.
                let _ = relay(stream, wrong, &target);
            }
        });
        Self { url, wrong }
    }

    /// From now on every answer is wrong, or none.
    pub(crate) fn answer(&self, wrong: Option<Wrong>) {
        *self.wrong.lock().unwrap() = wrong;
    }
}

fn relay(mut stream: TcpStream, wrong: Option<Wrong>, target: &str) -> std::io::Result<()> {
    let body = request(&stream)?;
    match wrong {
        None => stream.write_all(post(target, &body).as_bytes()),
        Some(Wrong::Nothing) => Ok(()),
        Some(Wrong::Bytes(bytes)) => stream.write_all(bytes.as_bytes()),
        Some(Wrong::Half) => stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"jsonrpc\""),
        Some(Wrong::Huge) => {
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n")?;
            let zeros = vec![b' '; 1 << 20];
            (0..80).try_for_each(|_| stream.write_all(&zeros))
        }
    }
}

/// The body of a request.
fn request(stream: &TcpStream) -> std::io::Result<String> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if let Some(count) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = count.trim().parse().unwrap_or(0);
        }
        if line.trim_end().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(String::from_utf8_lossy(&body).into_owned())
}
