//! Transactions that spend P2WPKH outputs: their bytes, and the digests that are signed (BIP 143).
//!
//! The sequence of the first input says what the network is paid. Every sequence signals that the transaction
//! can be replaced (BIP 125), and has bit 31 set, so that it is no relative lock (BIP 68).

use crate::{Signature, TxHash};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The sequence of an input that says nothing: replaceable, no lock.
const PLAIN: u32 = 0xffff_fffd;

/// The bit of a sequence that says that it is no relative lock.
const NO_LOCK: u32 = 1 << 31;

/// The largest fee that a sequence can say, in satoshis.
pub(super) const FEE_MAX: u64 = 1_000_000_000;

/// SIGHASH_ALL.
const ALL: u8 = 1;

/// Bytes of an input without its witness, and of the witness with the longest signature.
const INPUT: usize = 41;
const WITNESS: usize = 108;

/// A coin that a transaction spends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Spent {
    pub(super) tx: [u8; 32],
    pub(super) index: u32,
    /// The hash of the public key that owns it.
    pub(super) owner: [u8; 20],
    pub(super) satoshis: u64,
}

/// A transaction to sign.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Plan {
    pub(super) inputs: Vec<Spent>,
    /// Satoshis and scripts.
    pub(super) outputs: Vec<(u64, Vec<u8>)>,
}

impl Plan {
    /// The fee of the network; `None` if the outputs pay more than the inputs have.
    pub(super) fn fee(&self) -> Option<u64> {
        let has: u64 = self.inputs.iter().map(|input| input.satoshis).sum();
        has.checked_sub(self.outputs.iter().map(|(satoshis, _)| satoshis).sum())
    }

    /// The size that fees are reckoned by, in virtual bytes, with the longest signatures.
    pub(super) fn size(&self) -> u64 {
        let outputs: usize = self.outputs.iter().map(|(_, script)| 9 + script.len()).sum();
        let stripped = 8 + 2 * 3 + self.inputs.len() * INPUT + outputs;
        let witness = 2 + self.inputs.len() * WITNESS;
        u64::try_from(stripped + witness.div_ceil(4)).unwrap_or(u64::MAX)
    }

    fn sequence(&self, index: usize) -> u32 {
        let fee =
            self.fee().filter(|fee| *fee <= FEE_MAX && index == 0).and_then(|fee| u32::try_from(fee).ok());
        fee.map_or(PLAIN, |fee| NO_LOCK | fee)
    }

    fn points(&self) -> Vec<u8> {
        self.inputs.iter().flat_map(Spent::point).collect()
    }

    fn outputs(&self) -> Vec<u8> {
        let output = |(satoshis, script): &(u64, Vec<u8>)| {
            [satoshis.to_le_bytes().as_slice(), &count(script.len()), script].concat()
        };
        self.outputs.iter().flat_map(output).collect()
    }

    /// The digest that the key of an input signs.
    pub(super) fn digest(&self, index: usize) -> Option<[u8; 32]> {
        let input = self.inputs.get(index)?;
        let sequences: Vec<u8> =
            (0..self.inputs.len()).flat_map(|index| self.sequence(index).to_le_bytes()).collect();
        // OP_DUP OP_HASH160 … OP_EQUALVERIFY OP_CHECKSIG
        let script = [&[0x19, 0x76, 0xa9, 0x14], input.owner.as_slice(), &[0x88, 0xac]].concat();
        let parts: [&[u8]; 10] = [
            &2_u32.to_le_bytes(),
            &twice(&self.points()),
            &twice(&sequences),
            &input.point(),
            &script,
            &input.satoshis.to_le_bytes(),
            &self.sequence(index).to_le_bytes(),
            &twice(&self.outputs()),
            &[0; 4],
            &u32::from(ALL).to_le_bytes(),
        ];
        Some(twice(&parts.concat()))
    }

    /// The whole transaction, and its hash. There is a signature for each input.
    pub(super) fn signed(&self, signatures: &[Signature]) -> (TxHash, Vec<u8>) {
        let mut inputs = count(self.inputs.len());
        for (index, input) in self.inputs.iter().enumerate() {
            inputs.extend([input.point().as_slice(), &[0], &self.sequence(index).to_le_bytes()].concat());
        }
        let outputs = [count(self.outputs.len()), self.outputs()].concat();
        let witness: Vec<u8> = signatures.iter().flat_map(witness).collect();
        let (version, locktime) = (2_u32.to_le_bytes(), [0; 4]);
        let stripped = [version.as_slice(), &inputs, &outputs, &locktime].concat();
        let whole = [version.as_slice(), &[0, 1], &inputs, &outputs, &witness, &locktime].concat();
        (text(&twice(&stripped)), whole)
    }
}

impl Spent {
    fn point(&self) -> Vec<u8> {
        [self.tx.as_slice(), &self.index.to_le_bytes()].concat()
    }
}

/// The fee that a transaction of [`Plan::signed`] pays the network, in satoshis.
pub(super) fn fee_of(bytes: &[u8]) -> Option<u64> {
    // After the version, the marker and the flag: how many inputs there are, the first one's outpoint, its empty script.
    let start = if bytes.get(6) == Some(&0xfd) { 9 } else { 7 } + 36 + 1;
    let sequence = bytes.get(start..)?.first_chunk::<4>()?;
    fee_in(u32::from_le_bytes(*sequence))
}

/// The fee that the sequence of a first input says.
pub(super) fn fee_in(sequence: u32) -> Option<u64> {
    let fee = u64::from(sequence & !NO_LOCK);
    (sequence & NO_LOCK != 0 && fee <= FEE_MAX).then_some(fee)
}

/// The bytes of a hash, which is printed in reverse.
pub(super) fn bytes(hash: &TxHash) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    const_hex::decode_to_slice(hash.as_str(), &mut bytes).ok()?;
    bytes.reverse();
    Some(bytes)
}

fn text(hash: &[u8; 32]) -> TxHash {
    let mut hash = *hash;
    hash.reverse();
    TxHash::new(&const_hex::encode(hash))
}

fn twice(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(Sha256::digest(bytes)).into()
}

/// A number of things; no transaction of ours has 2¹⁶.
fn count(count: usize) -> Vec<u8> {
    let count = u16::try_from(count).expect("a transaction has fewer than 2^16 parts");
    match u8::try_from(count) {
        Ok(small) if small < 0xfd => vec![small],
        _ => [&[0xfd], count.to_le_bytes().as_slice()].concat(),
    }
}

/// The signature in DER (BIP 66) with the kind of its digest, and the public key.
fn witness(signature: &Signature) -> Vec<u8> {
    let (r, s) = signature.rs.split_at(32);
    let numbers = [number(r), number(s)].concat();
    let der = [&[0x30, length(&numbers)], numbers.as_slice(), &[ALL]].concat();
    let key = &signature.public_key;
    [&[2, length(&der)], der.as_slice(), &[33], key].concat()
}

/// A positive number in DER.
fn number(digits: &[u8]) -> Vec<u8> {
    let start = digits.iter().position(|digit| *digit != 0).unwrap_or(digits.len());
    let mut digits = digits.get(start..).unwrap_or_default().to_vec();
    // A high bit would make it negative.
    if digits.first().is_none_or(|first| *first >= 0x80) {
        digits.insert(0, 0);
    }
    [&[2, length(&digits)], digits.as_slice()].concat()
}

fn length(bytes: &[u8]) -> u8 {
    u8::try_from(bytes.len()).expect("a signature is shorter than 2^8")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(inputs: u8, outputs: &[u64]) -> Plan {
        let input = |number: u8| Spent { tx: [number; 32], index: 0, owner: [7; 20], satoshis: 1_000 };
        let script = [&[0, 20], [9; 20].as_slice()].concat();
        let inputs = (0..inputs).map(input).collect();
        Plan { inputs, outputs: outputs.iter().map(|satoshis| (*satoshis, script.clone())).collect() }
    }

    fn signature(first: u8) -> Signature {
        let mut rs = [0x11; 64];
        rs[0] = first;
        Signature { rs, recovery: 0, public_key: [2; 33] }
    }

    /// The fee is read back from the bytes, for few inputs and for many, and nothing else locks a transaction.
    #[test]
    fn the_bytes_say_the_fee() {
        for (inputs, sum) in [(1, 900), (3, 2_500), (255, 250_000)] {
            let plan = plan(inputs, &[sum]);
            let fee = u64::from(inputs) * 1_000 - sum;
            assert_eq!(plan.fee(), Some(fee));
            let (tx, bytes) = plan.signed(&vec![signature(1); inputs.into()]);
            assert_eq!((fee_of(&bytes), tx.as_str().len()), (Some(fee), 64));
            let mut sequences = (0..inputs.into()).map(|index| plan.sequence(index));
            assert!(sequences.all(|sequence| (NO_LOCK..=PLAIN).contains(&sequence)));
            assert!(u64::try_from(bytes.len()).unwrap() < plan.size() * 4);
        }
        assert_eq!(plan(1, &[1_001]).fee(), None);
        assert_eq!((fee_in(PLAIN), fee_in(u32::MAX), fee_in(5)), (None, None, None));
        assert_eq!((fee_of(&[]), fee_of(&[0; 50])), (None, None));
    }

    /// Numbers of a signature have no needless zeros and no sign (BIP 66).
    #[test]
    fn signatures_are_strict_der() {
        assert_eq!(number(&[0, 0, 5]), [2, 1, 5]);
        assert_eq!(number(&[0, 0x80]), [2, 2, 0, 0x80]);
        assert_eq!(number(&[0, 0]), [2, 1, 0]);
        assert_eq!(number(&[0x7f; 32]).len(), 34);
        assert_eq!(number(&[0x80; 32]).len(), 35);
        for first in [1, 0x7f, 0x80, 0xff] {
            let witness = witness(&signature(first));
            assert_eq!(usize::from(witness[1]) + 2 + 34, witness.len());
            assert_eq!((witness[2], usize::from(witness[3]) + 3), (0x30, usize::from(witness[1])));
        }
    }

    /// Each input signs its own digest, and every output and amount is part of it.
    #[test]
    fn digests_cover_the_whole_transaction() {
        let whole = plan(2, &[700, 800]);
        let mut digests = vec![whole.digest(0), whole.digest(1)];
        for change in 0..4 {
            let mut other = whole.clone();
            match change {
                0 => other.outputs[1].0 -= 1,
                1 => other.outputs[0].1[5] ^= 1,
                2 => other.inputs[0].satoshis += 1,
                _ => other.inputs[1].index += 1,
            }
            digests.push(other.digest(0));
        }
        let count = digests.len();
        digests.sort();
        digests.dedup();
        assert_eq!((digests.len(), whole.digest(2)), (count, None));
    }
}
