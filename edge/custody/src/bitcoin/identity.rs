//! The identity of the chain that a node serves: checked once, before anything is watched or paid.

use super::{BitcoinChain, BitcoinNetwork, CALL, malformed, read};
use crate::node::Rpc;
use crate::{Answer, NodeUrl, TxHash, Unanswered};
use buttonwood_address::Chain;
use serde_json::{Value, json};

/// The first blocks of the chains that are known, with their networks.
const FIRST: [(&str, BitcoinNetwork); 6] = [
    ("000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f", BitcoinNetwork::Bitcoin),
    ("000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943", BitcoinNetwork::Bitcoin),
    ("0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206", BitcoinNetwork::Bitcoin),
    ("12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2", BitcoinNetwork::Litecoin),
    ("4966625a4b2851d9fdee139e56211a0d88575f59ed816ff5e6a63deb4e3e29a0", BitcoinNetwork::Litecoin),
    ("530827f38f93b43ed12af0b3ad25a288dc02ed74d6d7857862df51fc56c416f9", BitcoinNetwork::Litecoin),
];

/// The chain that a node serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitcoinIdentity {
    /// The hash of its first block.
    pub genesis: TxHash,
    /// Which of its network's chains it is: this says how addresses are spelled.
    pub chain: Chain,
}

impl BitcoinIdentity {
    /// The network that the chain belongs to; `None` for a chain with an unknown first block.
    pub fn network(&self) -> Option<BitcoinNetwork> {
        FIRST.iter().find(|(hash, _)| *hash == self.genesis.as_str()).map(|(_, network)| *network)
    }
}

impl BitcoinChain {
    /// The chain that a node serves.
    ///
    /// # Errors
    /// [`Unanswered`]: there is no node, it is none of the Bitcoin family, or it names a chain that is unknown.
    pub fn identity(url: &NodeUrl) -> Answer<BitcoinIdentity> {
        let mut rpc = Rpc::new(url.clone(), CALL);
        let info = rpc.call("getblockchaininfo", &json!([]))?;
        let name = info.get("chain").and_then(Value::as_str).ok_or_else(|| malformed("the chain's name"))?;
        let chain =
            Chain::from_node(name).ok_or_else(|| Unanswered::new(format!("an unknown chain '{name}'")))?;
        let first = rpc.call("getblockhash", &json!([0]))?;
        let genesis = read::hash(&first).ok_or_else(|| malformed("the first block"))?;
        Ok(BitcoinIdentity { genesis, chain })
    }
}
