//! Real nodes in place of simulated chains (`--chain NETWORK=URL`, `--chain-token NETWORK/CODE=CONTRACT`): the settings are read, each
//! node is asked what it serves, and the data directory remembers it.
//!
//! No line that is printed has the user and password of a URL.

use crate::backend::{Family, Served, tokens};
use buttonwood_address::{Network as Format, Params};
use buttonwood_custody::{NETWORKS, Network, NodeUrl, Token, network};
use buttonwood_disk::replace;
use buttonwood_engine::State;
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// Why a real node cannot be used: a line that begins with the flag.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NodeFault(String);

fn fault(line: impl Into<String>) -> NodeFault {
    NodeFault(line.into())
}

/// A real node.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) network: &'static Network,
    pub(crate) url: NodeUrl,
    /// The tokens that were named for it.
    pub(crate) tokens: Vec<Token>,
    family: Family,
    served: Option<Served>,
}

impl Node {
    /// Whether it serves its network's main chain.
    pub(crate) fn is_main(&self) -> bool {
        self.served.as_ref().is_some_and(|served| served.main_of == Some(self.network.name))
    }

    fn asked(mut self) -> Result<Self, NodeFault> {
        let shown = format!("--chain {}={}", self.network.name, self.url);
        let served = self.family.ask(&self).map_err(|line| fault(format!("{shown}: {line}")))?;
        match served.main_of {
            Some(other) if other != self.network.name => {
                Err(fault(format!("{shown}: this is a node of {other}")))
            }
            Some(_) | None => {
                self.served = Some(served);
                Ok(self)
            }
        }
    }
}

/// The real nodes of an exchange, by the names of their networks.
#[derive(Clone, Debug, Default)]
pub struct Nodes {
    all: BTreeMap<&'static str, Node>,
}

impl Nodes {
    /// Reads the settings, and asks every node what it serves. `decimals` are those of a token on a network.
    ///
    /// # Errors
    /// [`NodeFault`]: a setting that cannot be read, a node that does not answer or serves another network, or a contract that is not
    /// the token's.
    pub fn reach(
        chains: &[String],
        tokens: &[String],
        decimals: impl Fn(&str, &str) -> Option<u8>,
    ) -> Result<Self, NodeFault> {
        let mut nodes = Self::default();
        for text in chains {
            let node = chain(text)?;
            let name = node.network.name;
            if nodes.all.insert(name, node).is_some() {
                return Err(fault(format!("--chain {name}: the network is named twice")));
            }
        }
        for text in tokens {
            nodes.add_token(text, &decimals)?;
        }
        for node in nodes.all.values_mut() {
            *node = node.clone().asked()?;
        }
        Ok(nodes)
    }

    fn add_token(
        &mut self,
        text: &str,
        decimals: impl Fn(&str, &str) -> Option<u8>,
    ) -> Result<(), NodeFault> {
        let parts = text.split_once('=').and_then(|(pair, contract)| Some((pair.split_once('/')?, contract)));
        let Some(((name, currency), contract)) = parts else {
            let line = "NETWORK/CODE=CONTRACT is wanted, such as ethereum/GUSD=0x056F…";
            return Err(fault(format!("--chain-token '{text}': {line}")));
        };
        let refused = |line: &str| fault(format!("--chain-token {name}/{currency}: {line}"));
        let node = self.all.get_mut(name).ok_or_else(|| refused("no --chain names this network"))?;
        let decimals =
            decimals(name, currency).ok_or_else(|| refused("the network has no token of this code"))?;
        let format = Format::serving(name).ok_or_else(|| refused("its addresses are unknown"))?;
        let read = Params::main().parse(format, contract);
        let contract = read.map_err(|error| refused(&format!("'{contract}': {error}")))?;
        if node.tokens.iter().any(|token| token.currency == currency) {
            return Err(refused("the token is named twice"));
        }
        let (currency, contract) = (currency.to_owned(), contract.canonical().into_owned());
        node.tokens.push(Token { currency, contract, decimals });
        Ok(())
    }

    /// Binds a data directory's chains to these nodes: a directory that has followed one chain of a network never follows another.
    ///
    /// # Errors
    /// [`NodeFault`]: the directory has followed another chain, or cannot remember this one.
    pub fn bind(&self, folder: &Path) -> Result<(), NodeFault> {
        for network in &NETWORKS {
            let bound = remembered(folder, network.name)?;
            let served = self.all.get(network.name).and_then(|node| node.served.as_ref());
            let name = network.name;
            match (bound, served) {
                (None, None) => {}
                (Some(_), None) => {
                    let line = "this directory has followed a real node; give its URL, or use another --data";
                    return Err(fault(format!("--chain {name}: {line}")));
                }
                (Some(bound), Some(served)) => {
                    if bound != served.identity {
                        let line =
                            "this directory has followed another chain; use its node, or another --data";
                        return Err(fault(format!("--chain {name}: {line}")));
                    }
                }
                (None, Some(_)) if folder.join(format!("{name}.chain")).exists() => {
                    let line = "this directory has followed a simulated chain; use another --data";
                    return Err(fault(format!("--chain {name}: {line}")));
                }
                (None, Some(served)) => remember(folder, name, &served.identity)?,
            }
        }
        Ok(())
    }

    /// The formats of addresses: those of the nodes' chains, and of the main chain elsewhere.
    pub fn formats(&self) -> Params {
        let formats =
            |node: &Node| Some((Format::serving(node.network.name)?, node.served.as_ref()?.formats));
        let own = self.all.values().filter_map(formats);
        own.fold(Params::main(), |params, (network, chain)| params.with(network, chain))
    }

    /// Whether a currency can move on a network: everywhere on simulated chains, and at a real node if its contract is known.
    pub fn moves(&self, state: &State, network: &str, code: &str) -> bool {
        let own = |node: &Node| node.network.currency == code;
        self.all
            .get(network)
            .is_none_or(|node| own(node) || tokens(node, state).iter().any(|token| token.currency == code))
    }

    /// The node of a network, and its kind.
    pub(crate) fn get(&self, name: &str) -> Option<(&Node, Family)> {
        self.all.get(name).map(|node| (node, node.family))
    }

    /// The names of the networks.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.all.keys().copied()
    }
}

/// Reads `NETWORK=URL`.
fn chain(text: &str) -> Result<Node, NodeFault> {
    // The text may hold a password, so that it is not shown.
    let wanted = || fault("--chain: NETWORK=URL is wanted, such as ethereum=http://127.0.0.1:8545");
    let (name, url) = text.split_once('=').ok_or_else(wanted)?;
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Err(wanted());
    }
    let network = network(name).ok_or_else(|| fault(format!("--chain {name}: no network has this name")))?;
    let usable = || NETWORKS.iter().filter(|known| Family::of(known).is_some()).map(|known| known.name);
    let family = Family::of(network).ok_or_else(|| {
        let usable: Vec<&str> = usable().collect();
        fault(format!("--chain {name}: real nodes are used for {} alone", usable.join(", ")))
    })?;
    let url = NodeUrl::parse(url).map_err(|error| fault(format!("--chain {name}: {error}")))?;
    Ok(Node { network, url, tokens: Vec::new(), family, served: None })
}

/// The file that remembers a node's chain.
fn file(name: &str) -> String {
    format!("{name}.node")
}

/// The identity of the chain that a directory has followed at a real node.
fn remembered(folder: &Path, name: &str) -> Result<Option<String>, NodeFault> {
    let path = folder.join(file(name));
    match fs::read_to_string(&path) {
        Ok(text) => Ok(Some(text.trim_end().to_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(fault(format!("--chain {name}: cannot read {}: {error}", path.display()))),
    }
}

fn remember(folder: &Path, name: &str, identity: &str) -> Result<(), NodeFault> {
    let failed = |error: &dyn std::fmt::Display| {
        fault(format!("--chain {name}: cannot write to {}: {error}", folder.display()))
    };
    fs::create_dir_all(folder).map_err(|error| failed(&error))?;
    replace(folder, &file(name), format!("{identity}\n").as_bytes()).map_err(|error| failed(&error.source))
}

#[cfg(test)]
mod tests;
