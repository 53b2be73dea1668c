//! Deposit and wallet addresses, with their private keys, from the one seed.
//!
//! Keys lie on the paths of BIP-44 and BIP-84, so that wallets of other makers can restore them:
//!
//! | branch | secp256k1 (BIP-32) | ed25519 (SLIP-10, all hardened) |
//! |---|---|---|
//! | [`Branch::Deposit`] | `m/44'/coin'/0'/0/index`; bitcoin and litecoin `m/84'/…` | `m/44'/coin'/index'/0'` |
//! | [`Branch::Legacy`] | litecoin `m/44'/2'/0'/0/index`; else as a deposit | as a deposit |
//! | [`Branch::Wallet`] | as a deposit, with `1` before the index | `m/44'/coin'/index'/1'` |

use ed25519_dalek::SigningKey;
use k256::SecretKey;
use k256::elliptic_curve::sec1::ToSec1Point;
use zeroize::Zeroizing;

use crate::address::{Parts, push};
use crate::hash::{blake2b_160, hash160, keccak};
use crate::hd::{self, HARDENED};
use crate::params::{Format, Versions};
use crate::seed::Seed;
use crate::{Address, Network, Params, account, base58, cash, evm, filecoin, segwit};

/// The purpose of an address. Branches never share a key, but for `Legacy` where the network has no older form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Branch {
    /// A customer's deposits.
    Deposit,
    /// A customer's deposits to the older form: on litecoin a P2SH-P2PKH address (ADDR-006). Other networks have one
    /// form and give that of `Deposit`, so one sequence of indices must serve both branches.
    Legacy,
    /// The house's own wallets.
    Wallet,
}

impl Branch {
    /// The branch of a deposit address by the field `legacy` of the request.
    pub const fn deposit(legacy: bool) -> Self {
        if legacy { Self::Legacy } else { Self::Deposit }
    }
}

/// The curve of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Curve {
    /// Signs with ECDSA.
    Secp256k1,
    /// Signs with EdDSA: solana, polkadot, tezos.
    Ed25519,
}

/// A private key: wiped when dropped, never printed.
#[derive(Clone)]
pub struct Key {
    curve: Curve,
    secret: Zeroizing<[u8; 32]>,
}

/// A derived address and what signs for it.
#[derive(Clone, Debug)]
pub struct Derived {
    /// The address.
    pub address: Address,
    /// Its private key.
    pub key: Key,
    /// The script behind a P2SH address, which an input that spends from it must show.
    pub redeem: Option<Vec<u8>>,
}

/// No address could be derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeriveError {
    /// A path has 31 bits for the index.
    #[error("the index {0} is 2^31 or more")]
    Index(u32),
    /// BIP-32 has no key at this index, as happens once in 2¹²⁷: use the next one.
    #[error("no key has the index {0}")]
    NoKey(u32),
}

/// The address of `network` at `index` of `branch`, on the chain that `params` names. The same arguments always give
/// the same address, and different indices different ones. On cosmos and xrpl all accounts share one address: deposits
/// there have index 0, whatever is given.
///
/// The key is wiped when dropped; copies that the arithmetic leaves on the stack are the caller's to wipe.
///
/// # Errors
///
/// An index of 2³¹ or more, or one without a key.
pub fn derive(
    params: &Params,
    seed: &Seed,
    network: Network,
    branch: Branch,
    index: u32,
) -> Result<Derived, DeriveError> {
    if index >= HARDENED {
        return Err(DeriveError::Index(index));
    }
    let shared = network.shares_address() && branch != Branch::Wallet;
    let index = if shared { 0 } else { index };
    let key = key(seed, network, branch, index).ok_or(DeriveError::NoKey(index))?;
    let format = params.format(network);
    if let (Network::Litecoin, Branch::Legacy, Format::Segwit { versions, .. }) = (network, branch, format) {
        let (parts, redeem) = legacy(versions, &key);
        return Ok(Derived { address: Address::new(network, parts), key, redeem: Some(redeem) });
    }
    let address = Address::new(network, current(format, &key));
    Ok(Derived { address, key, redeem: None })
}

impl Key {
    /// The curve that the key is of.
    pub fn curve(&self) -> Curve {
        self.curve
    }

    /// The key itself, for the one place that signs: a scalar, big-endian, or ed25519's 32 bytes of seed.
    pub fn expose(&self) -> &[u8; 32] {
        &self.secret
    }

    /// The public key: 33 bytes in compressed form, or 32 bytes on ed25519.
    pub fn public(&self) -> Vec<u8> {
        match self.curve {
            Curve::Secp256k1 => self.point(true),
            Curve::Ed25519 => self.ed25519().to_vec(),
        }
    }

    fn point(&self, compress: bool) -> Vec<u8> {
        let key =
            SecretKey::from_slice(self.secret.as_slice()).expect("a derived key is a scalar of the curve");
        key.public_key().to_sec1_point(compress).as_bytes().to_vec()
    }

    fn ed25519(&self) -> [u8; 32] {
        SigningKey::from_bytes(&self.secret).verifying_key().to_bytes()
    }
}

impl core::fmt::Debug for Key {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Key({:?}, hidden)", self.curve)
    }
}

/// The number of the network's coin in SLIP-44, and its curve. Avalanche has its own number, since with ethereum's two
/// accounts could share an address.
const fn coin(network: Network) -> (u32, Curve) {
    match network {
        Network::Bitcoin => (0, Curve::Secp256k1),
        Network::Litecoin => (2, Curve::Secp256k1),
        Network::Dogecoin => (3, Curve::Secp256k1),
        Network::Ethereum => (60, Curve::Secp256k1),
        Network::Cosmos => (118, Curve::Secp256k1),
        Network::Zcash => (133, Curve::Secp256k1),
        Network::Xrpl => (144, Curve::Secp256k1),
        Network::BitcoinCash => (145, Curve::Secp256k1),
        Network::Polkadot => (354, Curve::Ed25519),
        Network::Filecoin => (461, Curve::Secp256k1),
        Network::Solana => (501, Curve::Ed25519),
        Network::Tezos => (1729, Curve::Ed25519),
        Network::Avalanche => (9005, Curve::Secp256k1),
    }
}

fn key(seed: &Seed, network: Network, branch: Branch, index: u32) -> Option<Key> {
    let (coin, curve) = coin(network);
    let change = u32::from(branch == Branch::Wallet);
    let extended = match curve {
        Curve::Secp256k1 => {
            let segwit =
                network == Network::Bitcoin || (network == Network::Litecoin && branch != Branch::Legacy);
            let purpose = if segwit { 84 } else { 44 };
            hd::secp256k1(seed, &[HARDENED + purpose, HARDENED + coin, HARDENED, change, index])?
        }
        Curve::Ed25519 => hd::ed25519(seed, &[44, coin, index, change]),
    };
    Some(Key { curve, secret: extended.key })
}

/// The address that a network issues today for the key.
fn current(format: Format, key: &Key) -> Parts {
    match format {
        Format::Evm => {
            // The first byte says that the point is not compressed, and is not hashed.
            let hash = keccak(key.point(false).get(1..).expect("a point has 65 bytes"));
            evm::account(hash.last_chunk().expect("a hash of 32 bytes has a last 20"))
        }
        Format::Segwit { hrp, .. } => segwit::program(hrp, bech32::Fe32::Q, &hash160(&key.public())),
        Format::Cash(prefix) => cash::pubkey_hash(prefix, &hash160(&key.public())),
        Format::Base58(versions) => base58::pubkey_hash(versions, &hash160(&key.public())),
        Format::Filecoin(letter) => filecoin::key_hash(letter, &blake2b_160(&key.point(false))),
        Format::Tezos => account::tezos(&blake2b_160(&key.ed25519())),
        Format::Solana => account::solana(&key.ed25519()),
        Format::Ss58(prefix) => account::ss58(prefix, &key.ed25519()),
        Format::Cosmos(hrp) => account::cosmos(hrp, &hash160(&key.public())),
        Format::Xrpl => account::xrpl(&hash160(&key.public())),
    }
}

/// A P2SH-P2PKH address and its script: OP_DUP OP_HASH160 … OP_EQUALVERIFY OP_CHECKSIG.
fn legacy(versions: Versions, key: &Key) -> (Parts, Vec<u8>) {
    let redeem = [&[0x76, 0xa9], push(&hash160(&key.public())).as_slice(), &[0x88, 0xac]].concat();
    (base58::script_hash(versions, &hash160(&redeem)), redeem)
}
