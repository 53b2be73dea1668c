//! Which chain each network runs on, and the address format of each chain, as data.
//!
//! Sources: the chain parameters of Bitcoin Core, Bitcoin Cash Node, Litecoin Core, Dogecoin Core and zcashd; BIP-173;
//! the CashAddr, Filecoin and SS58 specifications.

use std::collections::BTreeMap;

use crate::{Address, AddressError, Network};

/// One of a network's chains. Networks whose addresses do not depend on the chain (EVM among them) ignore it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Chain {
    /// The main chain; simulated chains use its formats.
    #[default]
    Main,
    /// A public test chain.
    Test,
    /// A node's private chain (`-regtest`).
    Regtest,
}

impl Chain {
    /// The chain that a node of the Bitcoin family reports as `chain` in `getblockchaininfo`; `None` for an unknown
    /// name.
    pub fn from_node(name: &str) -> Option<Self> {
        match name {
            "main" => Some(Self::Main),
            // The last three are test chains of Bitcoin Cash Node.
            "test" | "testnet4" | "signet" | "test4" | "scale" | "chip" => Some(Self::Test),
            "regtest" => Some(Self::Regtest),
            _ => None,
        }
    }
}

/// The chains in use: the main one of each network, unless a real node replaced it (`--chain`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Params {
    replaced: BTreeMap<Network, Chain>,
}

impl Params {
    /// The main chains of all networks.
    pub const fn main() -> Self {
        Self { replaced: BTreeMap::new() }
    }

    /// The same, but with `network` on `chain`.
    #[must_use]
    pub fn with(mut self, network: Network, chain: Chain) -> Self {
        self.replaced.insert(network, chain);
        self
    }

    /// The chain of `network`.
    pub fn chain(&self, network: Network) -> Chain {
        self.replaced.get(&network).copied().unwrap_or_default()
    }

    /// Reads an address of `network`, in any form that can be paid. Accepts exactly the spellings of the network's
    /// own format, without white space around them.
    ///
    /// # Errors
    ///
    /// Why the text is no such address; an address of another network is refused as well, unless both networks share
    /// the format (ethereum and avalanche).
    pub fn parse(&self, network: Network, text: &str) -> Result<Address, AddressError> {
        Address::read(network, &self.format(network), text)
    }

    pub(crate) fn format(&self, network: Network) -> Format {
        format(network, self.chain(network))
    }
}

/// The version bytes of a base58check format with hashes of 20 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Versions {
    /// Before the hash of a public key (P2PKH).
    pub(crate) pubkey: &'static [u8],
    /// Before the hash of a script (P2SH).
    pub(crate) script: &'static [u8],
}

/// How the addresses of one chain are written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Format {
    /// `0x` and 20 bytes in hex, with the checksum of EIP-55.
    Evm,
    /// Bech32 and bech32m with this prefix (BIP-173, BIP-350), or base58check.
    Segwit {
        /// The prefix before the separator `1`.
        hrp: &'static str,
        /// Of the forms older than segwit.
        versions: Versions,
    },
    /// CashAddr with this prefix.
    Cash(&'static str),
    /// Base58check alone.
    Base58(Versions),
    /// Base32 after this letter and the protocol's digit.
    Filecoin(char),
    /// Base58check with three bytes of version.
    Tezos,
    /// Base58 of 32 bytes.
    Solana,
    /// SS58 with this prefix.
    Ss58(u8),
    /// Bech32 of 20 or 32 bytes with this prefix.
    Cosmos(&'static str),
    /// Base58check in xrpl's own alphabet.
    Xrpl,
}

fn format(network: Network, chain: Chain) -> Format {
    match network {
        Network::Bitcoin => bitcoin(chain),
        Network::Litecoin => litecoin(chain),
        Network::BitcoinCash => Format::Cash(match chain {
            Chain::Main => "bitcoincash",
            Chain::Test => "bchtest",
            Chain::Regtest => "bchreg",
        }),
        Network::Zcash => Format::Base58(match chain {
            Chain::Main => Versions { pubkey: &[0x1c, 0xb8], script: &[0x1c, 0xbd] },
            Chain::Test | Chain::Regtest => Versions { pubkey: &[0x1d, 0x25], script: &[0x1c, 0xba] },
        }),
        Network::Dogecoin => Format::Base58(match chain {
            Chain::Main => Versions { pubkey: &[0x1e], script: &[0x16] },
            Chain::Test => Versions { pubkey: &[0x71], script: &[0xc4] },
            Chain::Regtest => Versions { pubkey: &[0x6f], script: &[0xc4] },
        }),
        Network::Filecoin => Format::Filecoin(match chain {
            Chain::Main => 'f',
            Chain::Test | Chain::Regtest => 't',
        }),
        Network::Ethereum | Network::Avalanche => Format::Evm,
        Network::Tezos => Format::Tezos,
        Network::Solana => Format::Solana,
        Network::Polkadot => Format::Ss58(0),
        Network::Cosmos => Format::Cosmos("cosmos"),
        Network::Xrpl => Format::Xrpl,
    }
}

fn bitcoin(chain: Chain) -> Format {
    match chain {
        Chain::Main => Format::Segwit { hrp: "bc", versions: Versions { pubkey: &[0x00], script: &[0x05] } },
        Chain::Test => Format::Segwit { hrp: "tb", versions: Versions { pubkey: &[0x6f], script: &[0xc4] } },
        Chain::Regtest => {
            Format::Segwit { hrp: "bcrt", versions: Versions { pubkey: &[0x6f], script: &[0xc4] } }
        }
    }
}

/// The script version is litecoin's own (`M…`). The older one is also bitcoin's (`3…`), so it cannot show the network
/// and is refused.
fn litecoin(chain: Chain) -> Format {
    match chain {
        Chain::Main => Format::Segwit { hrp: "ltc", versions: Versions { pubkey: &[0x30], script: &[0x32] } },
        Chain::Test => {
            Format::Segwit { hrp: "tltc", versions: Versions { pubkey: &[0x6f], script: &[0x3a] } }
        }
        Chain::Regtest => {
            Format::Segwit { hrp: "rltc", versions: Versions { pubkey: &[0x6f], script: &[0x3a] } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_names_its_chain() {
        assert_eq!(Chain::from_node("main"), Some(Chain::Main));
        for name in ["test", "testnet4", "signet", "test4", "scale", "chip"] {
            assert_eq!(Chain::from_node(name), Some(Chain::Test), "{name}");
        }
        assert_eq!(Chain::from_node("regtest"), Some(Chain::Regtest));
        for name in ["", "Main", "mainnet"] {
            assert_eq!(Chain::from_node(name), None, "{name}");
        }
    }

    #[test]
    fn replacing_one_chain_leaves_the_others() {
        let params = Params::main().with(Network::Litecoin, Chain::Regtest);
        assert_eq!(params.chain(Network::Litecoin), Chain::Regtest);
        assert_eq!(params.chain(Network::Bitcoin), Chain::Main);
        assert_eq!(params.with(Network::Litecoin, Chain::Main).chain(Network::Litecoin), Chain::Main);
    }
}
