//! The networks that have addresses of their own.

/// A network with an address format of its own (ADDR-003).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Network {
    /// BTC.
    Bitcoin,
    /// ETH and its tokens; optimism, arbitrum, base, linea and monad use its addresses (D-63).
    Ethereum,
    /// BCH.
    BitcoinCash,
    /// LTC.
    Litecoin,
    /// ZEC.
    Zcash,
    /// FIL.
    Filecoin,
    /// DOGE.
    Dogecoin,
    /// XTZ.
    Tezos,
    /// SOL and its tokens.
    Solana,
    /// DOT.
    Polkadot,
    /// AVAX on the C-chain, and its tokens.
    Avalanche,
    /// ATOM.
    Cosmos,
    /// XRP.
    Xrpl,
}

impl Network {
    /// All networks, in the order of ADDR-003.
    pub const ALL: [Self; 13] = [
        Self::Bitcoin,
        Self::Ethereum,
        Self::BitcoinCash,
        Self::Litecoin,
        Self::Zcash,
        Self::Filecoin,
        Self::Dogecoin,
        Self::Tezos,
        Self::Solana,
        Self::Polkadot,
        Self::Avalanche,
        Self::Cosmos,
        Self::Xrpl,
    ];

    /// The identifier in paths and replies (FX-011).
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bitcoin => "bitcoin",
            Self::Ethereum => "ethereum",
            Self::BitcoinCash => "bitcoincash",
            Self::Litecoin => "litecoin",
            Self::Zcash => "zcash",
            Self::Filecoin => "filecoin",
            Self::Dogecoin => "dogecoin",
            Self::Tezos => "tezos",
            Self::Solana => "solana",
            Self::Polkadot => "polkadot",
            Self::Avalanche => "avalanche",
            Self::Cosmos => "cosmos",
            Self::Xrpl => "xrpl",
        }
    }

    /// The network with exactly this identifier. `None` for all others, also for those that share ethereum's
    /// addresses: no address is issued or approved under their names.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|network| network.name() == name)
    }

    /// The network whose addresses the network `name` uses: itself, or ethereum for the five without addresses of
    /// their own (D-63). `None` if the name is unknown here.
    pub fn serving(name: &str) -> Option<Self> {
        match name {
            "optimism" | "arbitrum" | "base" | "linea" | "monad" => Some(Self::Ethereum),
            _ => Self::from_name(name),
        }
    }

    /// Whether its payments carry a memo, which is then part of where a payment goes (D-172).
    pub const fn carries_memos(self) -> bool {
        matches!(self, Self::Cosmos | Self::Solana | Self::Xrpl)
    }

    /// Whether all accounts share one deposit address and differ in the memo (D-72).
    pub const fn shares_address(self) -> bool {
        matches!(self, Self::Cosmos | Self::Xrpl)
    }
}

impl core::fmt::Display for Network {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_networks() {
        for network in Network::ALL {
            assert_eq!(Network::from_name(network.name()), Some(network));
            assert_eq!(Network::serving(network.name()), Some(network));
        }
        for name in ["", "Bitcoin", "btc", "arbitrum", "bitcoin "] {
            assert_eq!(Network::from_name(name), None, "{name}");
        }
    }

    #[test]
    fn five_networks_use_the_addresses_of_ethereum() {
        for name in ["optimism", "arbitrum", "base", "linea", "monad"] {
            assert_eq!(Network::serving(name), Some(Network::Ethereum), "{name}");
        }
        assert_eq!(Network::serving("Optimism"), None);
    }
}
