//! The key of the house's wallet on a network.

use buttonwood_address::{Branch, Key, Network, Params, Seed, derive};
use buttonwood_custody::{KeyError, Keys, Signature};
use k256::ecdsa::SigningKey;
use k256::ecdsa::signature::hazmat::PrehashSigner;

/// The house's hot wallet on a network. On a simulated chain every key signs with ECDSA, also one that is ed25519 elsewhere.
pub(crate) struct HouseKey {
    /// The address, in canonical spelling.
    pub(crate) address: String,
    key: Key,
}

impl HouseKey {
    /// The wallet of a network; none if its seed gives no key, as happens once in 2¹²⁷.
    pub(crate) fn of(params: &Params, seed: &Seed, network: Network) -> Option<Self> {
        let derived = derive(params, seed, network, Branch::Wallet, 0).ok()?;
        Some(Self { address: derived.address.canonical().into_owned(), key: derived.key })
    }
}

impl Keys for HouseKey {
    fn sign(&self, address: &str, digest: &[u8; 32]) -> Result<Signature, KeyError> {
        let fails = |reason: &str| KeyError { address: address.to_owned(), reason: reason.to_owned() };
        if address != self.address {
            return Err(fails("it is no wallet of the house"));
        }
        let key = SigningKey::from_slice(self.key.expose()).map_err(|_| fails("its key cannot sign"))?;
        let (signature, recovery): (k256::ecdsa::Signature, k256::ecdsa::RecoveryId) =
            key.sign_prehash(digest).map_err(|_| fails("its key cannot sign"))?;
        let point = key.verifying_key().to_sec1_point(true);
        let public_key =
            point.as_bytes().try_into().map_err(|_| fails("its public key has another length"))?;
        Ok(Signature { rs: signature.to_bytes().into(), recovery: recovery.to_byte(), public_key })
    }
}
