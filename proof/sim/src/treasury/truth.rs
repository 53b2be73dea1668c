//! The chains' real holdings, read from a copy of their files.

use super::found::Place;
use crate::check::Finding;
use crate::disk::Faulty;
use buttonwood_custody::simulated::Incoming;
use buttonwood_custody::{SimulatedChain, network};
use std::path::Path;

/// The folder of the chains' files on the simulated disk.
pub(super) const FOLDER: &str = "/data/chains";

/// One chain as it is.
pub(super) struct Truth {
    chain: SimulatedChain,
}

impl Truth {
    /// Reads the chain of a network.
    pub(super) fn read(disk: &Faulty, name: &str, required: u32) -> Result<Self, Finding> {
        let network = network(name).ok_or("no such network")?;
        let copy = disk.fork();
        copy.limit(None);
        let chain = SimulatedChain::open(&copy, Path::new(FOLDER), network, required);
        chain
            .map(|chain| Self { chain })
            .map_err(|error| format!("the chain of {name} cannot be read: {error}"))
    }

    pub(super) fn height(&self) -> u64 {
        self.chain.height()
    }

    /// The arrivals at an address, with the confirmations of each.
    pub(super) fn received(&mut self, address: &str) -> Result<Vec<(Incoming, u32)>, Finding> {
        let height = self.chain.height();
        let received = self.chain.received(address).map_err(|error| error.to_string())?;
        let confirmations = |incoming: &Incoming| {
            let counted = incoming.height.map_or(0, |at| height.saturating_sub(at) + 1);
            u32::try_from(counted).unwrap_or(u32::MAX)
        };
        Ok(received.into_iter().map(|incoming| (incoming.clone(), confirmations(&incoming))).collect())
    }
}

/// The chains of the places, one for each network.
pub(super) fn chains(disk: &Faulty, places: &[Place]) -> Result<Vec<(&'static str, Truth)>, Finding> {
    let mut chains: Vec<(&'static str, Truth)> = Vec::new();
    for place in places {
        if chains.iter().all(|(name, _)| *name != place.network) {
            chains.push((place.network, Truth::read(disk, place.network, place.required)?));
        }
    }
    Ok(chains)
}
