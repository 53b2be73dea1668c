//! Litecoind on a private chain, as a node of litecoin; its wallet is the world outside.

use buttonwood_accept::{Value, json, skipped};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A running litecoind, which makes blocks on demand.
#[derive(Debug)]
pub(crate) struct Node {
    child: Child,
    port: u16,
    /// Its files: removed after it has ended.
    _folder: TempDir,
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Node {
    /// `None` if there is no litecoind on this machine.
    pub(crate) fn start() -> Option<Self> {
        let Ok(program) = std::env::var("BUTTONWOOD_LITECOIND") else {
            skipped("a test against litecoind", "BUTTONWOOD_LITECOIND does not name litecoind");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = Command::new(program)
            .arg("-regtest")
            .arg(format!("-datadir={}", folder.path().display()))
            .arg(format!("-rpcport={port}"))
            .args(["-rpcuser=user", "-rpcpassword=word", "-listen=0", "-server", "-fallbackfee=0.0002"])
            .arg("-mempoolreplacement=1")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("litecoind starts");
        let mut node = Self { child, port, _folder: folder };
        while node.call("getblockchaininfo", &json!([])).is_none() {
            assert_eq!(node.child.try_wait().unwrap(), None, "litecoind has ended");
            std::thread::yield_now();
        }
        node.rpc("createwallet", &json!(["outside"]));
        node.mine(110);
        Some(node)
    }

    /// Its URL, with the password.
    pub(crate) fn url(&self) -> String {
        format!("http://user:word@127.0.0.1:{}", self.port)
    }

    /// Calls a method.
    pub(crate) fn rpc(&self, method: &str, params: &Value) -> Value {
        let mut answer = self.call(method, params).expect("the node answers");
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].take()
    }

    /// The answer; `None` while the node starts.
    fn call(&self, method: &str, params: &Value) -> Option<Value> {
        let body = json!({ "jsonrpc": "1.0", "id": 1, "method": method, "params": params }).to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        let head = format!(
            "POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic dXNlcjp3b3Jk\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let answer: Value = serde_json::from_str(answer.split_once("\r\n\r\n")?.1).ok()?;
        // It reads its files still.
        (answer["error"]["code"] != -28).then_some(answer)
    }

    /// An address of its wallet.
    pub(crate) fn address(&self) -> String {
        self.rpc("getnewaddress", &json!([])).as_str().unwrap().to_owned()
    }

    pub(crate) fn mine(&self, blocks: u64) {
        self.rpc("generatetoaddress", &json!([blocks, self.address()]));
    }

    /// Replaces the newest blocks by as many empty ones and one more; their transactions wait again.
    pub(crate) fn reorg(&self, depth: u64) {
        let first = self.rpc("getblockhash", &json!([self.height() + 1 - depth]));
        self.rpc("invalidateblock", &json!([first]));
        for _ in 0..=depth {
            self.rpc("generateblock", &json!([self.address(), []]));
        }
    }

    pub(crate) fn height(&self) -> u64 {
        self.rpc("getblockcount", &json!([])).as_u64().unwrap()
    }

    /// A payment from outside, which waits for a block; returns its hash.
    pub(crate) fn send(&self, to: &str, coins: &str) -> String {
        self.rpc("sendtoaddress", &json!([to, coins])).as_str().unwrap().to_owned()
    }

    /// The amount that its wallet has received at an address, in blocks.
    pub(crate) fn received(&self, address: &str) -> String {
        self.rpc("getreceivedbyaddress", &json!([address, 1])).to_string()
    }
}
