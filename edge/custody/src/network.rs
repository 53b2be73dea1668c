//! The networks of FX-011: what the chains need to know of each.

/// How a network prints the hash of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashStyle {
    /// 64 hex digits in lower case.
    Hex,
    /// 64 hex digits in upper case.
    UpperHex,
    /// `0x` and 64 hex digits in lower case.
    Prefixed,
    /// The base58 of 64 bytes: on Solana the first signature is the id.
    Signature,
    /// `o…`: base58check of 32 bytes.
    Operation,
    /// `bafy2bzace…`: a CID of version 1, BLAKE2b-256 over DAG-CBOR.
    Cid,
}

/// A network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    /// Its identifier in the interface.
    pub name: &'static str,
    /// Its own currency.
    pub currency: &'static str,
    /// Whether it is an EVM: accounts with nonces instead of outputs.
    pub evm: bool,
    /// Confirmations that a payment needs unless the exchange's own table says otherwise; the block that holds it is
    /// the first.
    pub confirmations: u32,
    /// How it prints hashes.
    pub style: HashStyle,
}

const fn inputs(name: &'static str, currency: &'static str, confirmations: u32, style: HashStyle) -> Network {
    Network { name, currency, evm: false, confirmations, style }
}

const fn evm(name: &'static str, currency: &'static str, confirmations: u32) -> Network {
    Network { name, currency, evm: true, confirmations, style: HashStyle::Prefixed }
}

/// All networks (FX-011), in the order of their names.
pub const NETWORKS: [Network; 18] = [
    evm("arbitrum", "ETH", 12),
    evm("avalanche", "AVAX", 12),
    evm("base", "ETH", 12),
    inputs("bitcoin", "BTC", 3, HashStyle::Hex),
    inputs("bitcoincash", "BCH", 6, HashStyle::Hex),
    inputs("cosmos", "ATOM", 2, HashStyle::UpperHex),
    inputs("dogecoin", "DOGE", 20, HashStyle::Hex),
    evm("ethereum", "ETH", 12),
    inputs("filecoin", "FIL", 10, HashStyle::Cid),
    evm("linea", "ETH", 12),
    inputs("litecoin", "LTC", 6, HashStyle::Hex),
    evm("monad", "MON", 6),
    evm("optimism", "ETH", 12),
    inputs("polkadot", "DOT", 4, HashStyle::Prefixed),
    inputs("solana", "SOL", 4, HashStyle::Signature),
    inputs("tezos", "XTZ", 2, HashStyle::Operation),
    inputs("xrpl", "XRP", 2, HashStyle::UpperHex),
    inputs("zcash", "ZEC", 10, HashStyle::Hex),
];

/// The network of a name.
pub fn network(name: &str) -> Option<&'static Network> {
    NETWORKS.iter().find(|network| network.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names are in order and unique; the networks that tests rely on need two confirmations or more.
    #[test]
    fn the_table_is_in_order() {
        assert!(NETWORKS.windows(2).all(|pair| pair[0].name < pair[1].name));
        assert!(NETWORKS.iter().all(|network| network.confirmations > 0));
        for name in ["bitcoin", "litecoin", "ethereum"] {
            assert!(network(name).unwrap().confirmations >= 2);
        }
        assert_eq!(network("Bitcoin"), None);
    }
}
