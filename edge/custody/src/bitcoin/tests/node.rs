//! A litecoind on a private chain, in a folder of its own, and its wallet: the world outside.

use super::*;
use buttonwood_testing::skipped;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

pub(super) struct Node {
    program: String,
    folder: TempDir,
    port: u16,
    child: Child,
    rpc: Rpc,
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Node {
    /// `None` if there is no litecoind on this machine.
    pub(super) fn start() -> Option<Self> {
        let Ok(program) = std::env::var("BUTTONWOOD_LITECOIND") else {
            skipped("a test against litecoind", "BUTTONWOOD_LITECOIND does not name litecoind");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = launch(&program, &folder, port);
        let rpc = Rpc::new(url(port), CALL);
        let mut node = Self { program, folder, port, child, rpc };
        node.wait_until_ready();
        node.rpc("createwallet", &json!(["outside"]));
        Some(node)
    }

    /// Answers come once the node has read its blocks.
    fn wait_until_ready(&mut self) {
        while self.rpc.call("getblockchaininfo", &json!([])).is_err() {
            assert_eq!(self.child.try_wait().unwrap(), None, "litecoind has ended");
            std::thread::yield_now();
        }
    }

    /// Ends the node without a word.
    pub(super) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Ends the node in order, and starts it again with what it has kept.
    pub(super) fn restart(&mut self) {
        self.rpc("stop", &json!([]));
        self.child.wait().unwrap();
        self.child = launch(&self.program, &self.folder, self.port);
        self.wait_until_ready();
        self.rpc("loadwallet", &json!(["outside"]));
    }

    pub(super) fn config(&self, wallets: Vec<String>) -> BitcoinConfig {
        let (url, params) = (url(self.port), self.params());
        BitcoinConfig { url, network: BitcoinNetwork::Litecoin, params, confirmations: REQUIRED, wallets }
    }

    pub(super) fn identity(&self) -> BitcoinIdentity {
        BitcoinChain::identity(&url(self.port)).unwrap()
    }

    /// The formats of the node's chain, as it names it.
    pub(super) fn params(&self) -> Params {
        Params::main().with(Network::Litecoin, self.identity().chain)
    }

    pub(super) fn rpc(&mut self, method: &str, params: &Value) -> Value {
        self.rpc.call(method, params).unwrap_or_else(|fault| panic!("{method}: {fault:?}"))
    }

    /// An address of its wallet.
    pub(super) fn address(&mut self) -> String {
        self.rpc("getnewaddress", &json!([])).as_str().unwrap().to_owned()
    }

    pub(super) fn mine(&mut self, blocks: u32) {
        let to = self.address();
        self.rpc("generatetoaddress", &json!([blocks, to]));
    }

    /// A payment from its wallet.
    pub(super) fn send(&mut self, address: &str, coins: &str) -> TxHash {
        TxHash::new(self.rpc("sendtoaddress", &json!([address, coins])).as_str().unwrap())
    }

    /// The sum that its wallet has received at an address, with this many confirmations or more.
    pub(super) fn received(&mut self, address: &str, confirmations: u32) -> Money {
        let value = self.rpc("getreceivedbyaddress", &json!([address, confirmations]));
        read::money(read::satoshis(&value).unwrap())
    }

    /// Replaces the newest blocks by as many empty ones and one more.
    pub(super) fn reorg(&mut self, depth: u64) {
        let tip = self.rpc("getblockcount", &json!([])).as_u64().unwrap();
        let first = self.rpc("getblockhash", &json!([tip + 1 - depth]));
        self.rpc("invalidateblock", &json!([first]));
        for _ in 0..=depth {
            let to = self.address();
            self.rpc("generateblock", &json!([to, []]));
        }
    }
}

fn url(port: u16) -> NodeUrl {
    NodeUrl::parse(&format!("http://user:word@127.0.0.1:{port}/")).unwrap()
}

fn launch(program: &str, folder: &TempDir, port: u16) -> Child {
    Command::new(program)
        .arg("-regtest")
        .arg(format!("-datadir={}", folder.path().display()))
        .arg(format!("-rpcport={port}"))
        .args(["-rpcuser=user", "-rpcpassword=word", "-listen=0", "-server", "-fallbackfee=0.0002"])
        // Litecoin's nodes take no replacements unless they are told to.
        .arg("-mempoolreplacement=1")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("litecoind starts")
}
