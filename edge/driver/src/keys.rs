//! The keys of the house's wallets on a network, and of the addresses of deposits.

use buttonwood_address::{Branch, Derived, Network, Params, Seed, derive};
use buttonwood_custody::{KeyError, Keys, Signature};
use k256::ecdsa::SigningKey;
use k256::ecdsa::signature::hazmat::PrehashSigner;
use std::collections::BTreeMap;

/// The number of the hot wallet on the branch of wallets.
const HOT: u32 = 0;

/// The number of the wallet of custody on the branch of wallets.
const CUSTODY: u32 = 1;

/// The addresses of a network that the house can sign for. Keys are derived when they are needed. On a simulated chain every key
/// signs with ECDSA, also one that is ed25519 elsewhere.
pub(crate) struct Keyring {
    /// The address that pays withdrawals, in canonical spelling.
    pub(crate) hot: String,
    /// The address that holds what is in custody, in canonical spelling.
    pub(crate) custody: String,
    /// Branch and number of each address.
    places: BTreeMap<String, (Branch, u32)>,
    formats: Params,
    seed: Seed,
    network: Network,
}

impl Keyring {
    /// The wallets of a network; none if its seed gives no key, as happens once in 2¹²⁷.
    pub(crate) fn of(formats: &Params, seed: &Seed, network: Network) -> Option<Self> {
        let mut keyring = Self {
            hot: String::new(),
            custody: String::new(),
            places: BTreeMap::new(),
            formats: formats.clone(),
            seed: seed.clone(),
            network,
        };
        keyring.hot = keyring.add(Branch::Wallet, HOT)?;
        keyring.custody = keyring.add(Branch::Wallet, CUSTODY)?;
        Some(keyring)
    }

    /// Adds an address, and returns its canonical spelling.
    pub(crate) fn add(&mut self, branch: Branch, number: u32) -> Option<String> {
        let address = self.derive(branch, number)?.address.canonical().into_owned();
        self.places.insert(address.clone(), (branch, number));
        Some(address)
    }

    /// Adds the address of deposits with this number, in either of its forms.
    pub(crate) fn add_deposits(&mut self, address: &str, number: u32) {
        if self.places.contains_key(address) {
            return;
        }
        for branch in [Branch::Deposit, Branch::Legacy] {
            let derived = self.derive(branch, number);
            if derived.is_some_and(|derived| derived.address.canonical() == address) {
                self.places.insert(address.to_owned(), (branch, number));
                return;
            }
        }
    }

    /// Whether the house can sign for an address.
    pub(crate) fn has(&self, address: &str) -> bool {
        self.places.contains_key(address)
    }

    fn derive(&self, branch: Branch, number: u32) -> Option<Derived> {
        derive(&self.formats, &self.seed, self.network, branch, number).ok()
    }
}

impl Keys for Keyring {
    fn sign(&self, address: &str, digest: &[u8; 32]) -> Result<Signature, KeyError> {
        let fails = |reason: &str| KeyError { address: address.to_owned(), reason: reason.to_owned() };
        let derived = self.places.get(address).and_then(|(branch, number)| self.derive(*branch, *number));
        let derived = derived.ok_or_else(|| fails("it is no address of the house"))?;
        let key = SigningKey::from_slice(derived.key.expose()).map_err(|_| fails("its key cannot sign"))?;
        let (signature, recovery): (k256::ecdsa::Signature, k256::ecdsa::RecoveryId) =
            key.sign_prehash(digest).map_err(|_| fails("its key cannot sign"))?;
        let point = key.verifying_key().to_sec1_point(true);
        let public_key =
            point.as_bytes().try_into().map_err(|_| fails("its public key has another length"))?;
        Ok(Signature { rs: signature.to_bytes().into(), recovery: recovery.to_byte(), public_key })
    }
}
