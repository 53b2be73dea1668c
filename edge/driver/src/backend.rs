//! Where a network's chain is: simulated in this process, or at a real node. A network's kind of node is chosen here alone.

use crate::desk::{Desk, code};
use crate::keys::Keyring;
use crate::link::Stop;
use crate::node::Node;
use crate::patient::Patient;
use buttonwood_address::{Chain as Formats, Network as Format};
use buttonwood_custody::simulated::Refusal;
use buttonwood_custody::{
    Answer, BitcoinChain, BitcoinConfig, BitcoinNetwork, Block, BlockRef, Broadcast, BuildError, Chain,
    Draft, EvmChain, EvmConfig, KeyError, Keys, Lookup, Mempool, Network, Signed, SimulatedChain, Spends,
    Token, TxHash, Unsigned,
};
use buttonwood_engine::State;
use buttonwood_engine::funds::Form;
use buttonwood_num::Money;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// The most that a transaction may offer for a unit of gas: 1,000 gwei, in wei. It bounds what raised fees can cost.
const GAS_PRICE_MAX: u128 = 1_000_000_000_000;

/// A kind of node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// JSON-RPC of Ethereum.
    Evm,
    /// JSON-RPC of Bitcoin.
    Bitcoin(BitcoinNetwork),
}

/// A node's description of its chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Served {
    /// The mark that differs on every other chain: the hash of its first block and, where chains have split, more.
    pub(crate) identity: String,
    /// The network whose main chain it serves; none for a test chain.
    pub(crate) main_of: Option<&'static str>,
    /// The formats of its addresses.
    pub(crate) formats: Formats,
}

impl Family {
    /// The kind of node that a network has; none if no node of it can be used.
    pub(crate) fn of(network: &Network) -> Option<Self> {
        let bitcoin = BitcoinNetwork::of(network.name).map(Self::Bitcoin);
        if network.evm { Some(Self::Evm) } else { bitcoin }
    }

    /// Asks a node what it serves, and whether the tokens that were named for it can be used; an error is a line for the operator.
    pub(crate) fn ask(self, node: &Node) -> Result<Served, String> {
        match self {
            Self::Evm => ask_evm(node),
            Self::Bitcoin(network) => ask_bitcoin(network, node),
        }
    }

    /// The chain at a node.
    fn connect(self, node: &Node, desk: &Desk, confirmations: u32) -> Box<dyn Chain> {
        match self {
            Self::Evm => {
                let tokens = desk.ask(|state| tokens(node, state));
                Box::new(evm(node, tokens, confirmations))
            }
            Self::Bitcoin(network) => Box::new(bitcoin(network, node, desk, confirmations)),
        }
    }
}

fn evm(node: &Node, tokens: Vec<Token>, confirmations: u32) -> EvmChain {
    let currency = node.network.currency.to_owned();
    EvmChain::new(EvmConfig {
        url: node.url.clone(),
        currency,
        tokens,
        confirmations,
        gas_price_max: GAS_PRICE_MAX,
    })
}

fn ask_evm(node: &Node) -> Result<Served, String> {
    let mut chain = evm(node, Vec::new(), 1);
    let identity = chain.identity().map_err(|unanswered| unanswered.to_string())?;
    for token in &node.tokens {
        let fault = chain.check_token(token).map_err(|unanswered| unanswered.to_string())?;
        fault.map_err(|fault| format!("{} at {}: {fault}", token.currency, token.contract))?;
    }
    let main_of = identity.main_of();
    let identity = format!("{} {}", identity.chain_id, identity.genesis);
    Ok(Served { identity, main_of, formats: Formats::Main })
}

fn ask_bitcoin(network: BitcoinNetwork, node: &Node) -> Result<Served, String> {
    if let Some(token) = node.tokens.first() {
        return Err(format!("{}: this network has no tokens", token.currency));
    }
    let identity = BitcoinChain::identity(&node.url).map_err(|unanswered| unanswered.to_string())?;
    if let Some(other) = identity.network().filter(|other| *other != network) {
        return Err(format!("this is a node of {}", other.name()));
    }
    let main_of = (identity.chain == Formats::Main).then_some(network.name());
    Ok(Served { identity: identity.genesis.to_string(), main_of, formats: identity.chain })
}

/// A node's chain with the house's wallets, which pay there.
fn bitcoin(network: BitcoinNetwork, node: &Node, desk: &Desk, confirmations: u32) -> BitcoinChain {
    let (params, seed) = (desk.wallets.formats.clone(), &desk.wallets.seed);
    let keys = Format::serving(network.name()).and_then(|format| Keyring::of(&params, seed, format));
    let wallets = keys.into_iter().flat_map(|keys| [keys.hot, keys.custody]).collect();
    BitcoinChain::new(BitcoinConfig { url: node.url.clone(), network, params, confirmations, wallets })
}

/// The tokens that count on a node's chain: those that were named for it and, on the main chain, those whose contracts the table of
/// assets has. On a test chain these addresses would belong to somebody else.
pub(crate) fn tokens(node: &Node, state: &State) -> Vec<Token> {
    let named = |currency: &str| node.tokens.iter().find(|token| token.currency == currency);
    let assets = state.funds().networks().assets_on(node.network.name);
    let token = |asset: &buttonwood_engine::funds::Asset| {
        let currency = code(state, asset.currency)?;
        let (Form::Token(listed), decimals) = (&asset.form, asset.decimals) else { return None };
        let contract = match named(currency) {
            Some(token) => token.contract.clone(),
            None if node.is_main() && !listed.is_empty() => listed.to_ascii_lowercase(),
            None => return None,
        };
        Some(Token { currency: currency.to_owned(), contract, decimals })
    };
    assets.filter_map(token).collect()
}

/// The chain of a network. A real node refuses the calls that only a simulated chain can serve.
#[derive(Debug)]
pub(crate) enum Backend {
    /// In this process.
    Simulated(Box<SimulatedChain>),
    /// At a real node.
    Real(Patient),
}

impl Backend {
    /// Opens the chain of a network.
    pub(crate) fn open(
        desk: &Desk,
        folder: &Path,
        network: &'static Network,
        confirmations: u32,
    ) -> Result<Self, Stop> {
        let Some((node, family)) = desk.wallets.nodes.get(network.name) else {
            let chain = SimulatedChain::open(desk.host.disk(), folder, network, confirmations);
            return chain
                .map(|chain| Self::Simulated(Box::new(chain)))
                .map_err(|error| Stop::Chain(error.to_string()));
        };
        let connect = || family.connect(node, desk, confirmations);
        let patient = Patient::new(connect(), connect(), Arc::clone(&desk.is_stopping));
        patient.map(Self::Real).map_err(|error| Stop::Chain(error.to_string()))
    }

    /// Whether it is a real node.
    pub(crate) fn is_real(&self) -> bool {
        matches!(self, Self::Real(_))
    }

    /// The amount that was minted of a currency, less what was burned; a real node mints nothing.
    pub(crate) fn minted(&self, currency: &str) -> Money {
        match self {
            Self::Simulated(chain) => chain.minted(currency),
            Self::Real(_) => Money::ZERO,
        }
    }

    /// The amount that could be burned of an address; on a real node nothing.
    pub(crate) fn burnable(&self, address: &str, currency: &str) -> Money {
        match self {
            Self::Simulated(chain) => chain.burnable(address, currency),
            Self::Real(_) => Money::ZERO,
        }
    }

    fn chain(&self) -> &dyn Chain {
        match self {
            Self::Simulated(chain) => chain.as_ref(),
            Self::Real(chain) => chain,
        }
    }

    fn chain_mut(&mut self) -> &mut dyn Chain {
        match self {
            Self::Simulated(chain) => chain.as_mut(),
            Self::Real(chain) => chain,
        }
    }

    /// The simulated chain.
    ///
    /// # Errors
    /// [`Refusal::RealNode`].
    pub(crate) fn simulated(&mut self) -> Result<&mut SimulatedChain, Refusal> {
        match self {
            Self::Simulated(chain) => Ok(chain),
            Self::Real(_) => Err(Refusal::RealNode),
        }
    }
}

impl Chain for Backend {
    fn tip(&mut self) -> Answer<BlockRef> {
        self.chain_mut().tip()
    }

    fn block_at(&mut self, height: u64) -> Answer<Option<BlockRef>> {
        self.chain_mut().block_at(height)
    }

    fn blocks(&mut self, from: u64, limit: usize) -> Answer<Vec<Block>> {
        self.chain_mut().blocks(from, limit)
    }

    fn mempool(&mut self, known: &BTreeSet<TxHash>) -> Answer<Mempool> {
        self.chain_mut().mempool(known)
    }

    fn lookup(&mut self, tx: &TxHash, spends: &Spends) -> Answer<Lookup> {
        self.chain_mut().lookup(tx, spends)
    }

    fn watch(&mut self, addresses: &[String]) -> Answer<()> {
        self.chain_mut().watch(addresses)
    }

    fn balance(&mut self, addresses: &[String], currency: &str) -> Answer<Money> {
        self.chain_mut().balance(addresses, currency)
    }

    fn build(&mut self, draft: &Draft<'_>) -> Result<Unsigned, BuildError> {
        self.chain_mut().build(draft)
    }

    fn sign(&self, unsigned: &Unsigned, keys: &dyn Keys) -> Result<Signed, KeyError> {
        self.chain().sign(unsigned, keys)
    }

    fn broadcast(&mut self, signed: &[u8]) -> Broadcast {
        self.chain_mut().broadcast(signed)
    }
}
