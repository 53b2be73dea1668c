//! An address: what it pays to, and its two spellings.

use std::borrow::Cow;

use crate::params::Format;
use crate::{AddressError, Network, account, base58, cash, evm, filecoin, segwit};

/// The longest text that is looked at; the longest address (filecoin `f3…`) has 86 characters. Base58 takes time that
/// grows with the square of the length.
const TEXT_MAX: usize = 128;

/// The target of an address's payments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An account that the payload names in full: EVM, solana, polkadot, cosmos, xrpl.
    Account,
    /// The hash of a public key (P2PKH).
    PubkeyHash,
    /// The hash of a script (P2SH).
    ScriptHash,
    /// A witness program of this version, 0 to 16.
    Witness(u8),
    /// The network's own numbering: filecoin's protocol (1 to 4), the digit of tezos `tz1` to `tz3`.
    Class(u8),
}

/// The findings of a format's reader: the parts of an [`Address`] but for its network.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) kind: Kind,
    pub(crate) payload: Vec<u8>,
    /// The spelling for replies.
    pub(crate) text: String,
}

/// A valid address of one network. Two are equal if they name the same recipient, in whatever spelling they came.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    network: Network,
    kind: Kind,
    payload: Vec<u8>,
    text: String,
}

impl Address {
    pub(crate) fn new(network: Network, parts: Parts) -> Self {
        Self { network, kind: parts.kind, payload: parts.payload, text: parts.text }
    }

    pub(crate) fn read(network: Network, format: &Format, text: &str) -> Result<Self, AddressError> {
        if text.len() > TEXT_MAX {
            return Err(AddressError::TooLong);
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(AddressError::Character);
        }
        let parts = match *format {
            Format::Evm => evm::read(text),
            Format::Segwit { hrp, versions } => segwit::read(text, hrp, versions),
            Format::Cash(prefix) => cash::read(text, prefix),
            Format::Base58(versions) => base58::read(text, versions),
            Format::Filecoin(letter) => filecoin::read(text, letter),
            Format::Tezos => account::read_tezos(text),
            Format::Solana => account::read_solana(text),
            Format::Ss58(prefix) => account::read_ss58(text, prefix),
            Format::Cosmos(hrp) => account::read_cosmos(text, hrp),
            Format::Xrpl => account::read_xrpl(text),
        }?;
        Ok(Self::new(network, parts))
    }

    /// The network.
    pub fn network(&self) -> Network {
        self.network
    }

    /// The kind of the payload.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The bytes that the address pays to: a hash, a witness program, a public key or an account's number.
    pub fn payload(&self) -> &[u8] {
        &self.payload
    }

    /// The spelling that replies show: EIP-55 for EVM, lower case for bech32, with its prefix for CashAddr.
    pub fn display(&self) -> &str {
        &self.text
    }

    /// The spelling that comparison uses (D-71): as shown, but EVM in lower case. One recipient has one.
    pub fn canonical(&self) -> Cow<'_, str> {
        match self.network {
            Network::Ethereum | Network::Avalanche => Cow::Owned(self.text.to_ascii_lowercase()),
            Network::Bitcoin
            | Network::BitcoinCash
            | Network::Litecoin
            | Network::Zcash
            | Network::Filecoin
            | Network::Dogecoin
            | Network::Tezos
            | Network::Solana
            | Network::Polkadot
            | Network::Cosmos
            | Network::Xrpl => Cow::Borrowed(&self.text),
        }
    }

    /// The output script that pays to this address; `None` on networks without scripts.
    pub fn script(&self) -> Option<Vec<u8>> {
        let (before, after): (&[u8], &[u8]) = match self.kind {
            // OP_DUP OP_HASH160 … OP_EQUALVERIFY OP_CHECKSIG
            Kind::PubkeyHash => (&[0x76, 0xa9], &[0x88, 0xac]),
            // OP_HASH256 … OP_EQUAL: bitcoincash pays scripts by a longer hash as well.
            Kind::ScriptHash if self.payload.len() == 32 => (&[0xaa], &[0x87]),
            // OP_HASH160 … OP_EQUAL
            Kind::ScriptHash => (&[0xa9], &[0x87]),
            Kind::Witness(0) => (&[0x00], &[]),
            // OP_1 is 0x51.
            Kind::Witness(version) => {
                return Some([&[0x50 + version], push(&self.payload).as_slice()].concat());
            }
            Kind::Account | Kind::Class(_) => return None,
        };
        Some([before, &push(&self.payload), after].concat())
    }
}

impl core::fmt::Display for Address {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.text)
    }
}

/// The instruction that pushes `bytes`, at most 75.
pub(crate) fn push(bytes: &[u8]) -> Vec<u8> {
    let length = u8::try_from(bytes.len()).ok().filter(|length| *length <= 75);
    let mut script = vec![length.expect("an address has at most 75 bytes of payload")];
    script.extend_from_slice(bytes);
    script
}
