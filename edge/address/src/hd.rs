//! Hierarchical keys: BIP-32 on secp256k1, SLIP-10 on ed25519.

use hmac::{Hmac, KeyInit, Mac};
use k256::{NonZeroScalar, SecretKey};
use sha2::Sha512;
use zeroize::{Zeroize, Zeroizing};

use crate::seed::Seed;

/// Added to a child's number: the child cannot be derived from the parent's public key.
pub(crate) const HARDENED: u32 = 1 << 31;

/// 32 secret bytes.
type Half = Zeroizing<[u8; 32]>;

/// A private key and the code that its children are derived with.
pub(crate) struct Extended {
    pub(crate) key: Half,
    code: Half,
}

/// The private key at `path` below the seed, on secp256k1 (BIP-32). `None` for the one path in 2¹²⁷ without a key.
pub(crate) fn secp256k1(seed: &Seed, path: &[u32]) -> Option<Extended> {
    let master = mac(b"Bitcoin seed", &[seed.expose()]);
    SecretKey::from_slice(master.key.as_slice()).ok()?;
    path.iter().try_fold(master, |parent, number| {
        let key = SecretKey::from_slice(parent.key.as_slice()).ok()?;
        let child = if *number >= HARDENED {
            mac(parent.code.as_slice(), &[&[0], parent.key.as_slice(), &number.to_be_bytes()])
        } else {
            let public = key.public_key().to_sec1_bytes();
            mac(parent.code.as_slice(), &[&public, &number.to_be_bytes()])
        };
        let tweak = SecretKey::from_slice(child.key.as_slice()).ok()?;
        let sum = *key.to_nonzero_scalar().as_ref() + tweak.to_nonzero_scalar().as_ref();
        let mut bytes = SecretKey::from(NonZeroScalar::new(sum).into_option()?).to_bytes();
        let key = Zeroizing::new(bytes.into());
        bytes.as_mut_slice().zeroize();
        Some(Extended { key, code: child.code })
    })
}

/// The private key at `path` below the seed, on ed25519 (SLIP-10). All children are hardened.
pub(crate) fn ed25519(seed: &Seed, path: &[u32]) -> Extended {
    let master = mac(b"ed25519 seed", &[seed.expose()]);
    path.iter().fold(master, |parent, number| {
        let number = (number | HARDENED).to_be_bytes();
        mac(parent.code.as_slice(), &[&[0], parent.key.as_slice(), &number])
    })
}

fn mac(key: &[u8], parts: &[&[u8]]) -> Extended {
    let mut mac = Hmac::<Sha512>::new_from_slice(key).expect("HMAC takes a key of any length");
    for part in parts {
        mac.update(part);
    }
    let mut both: [u8; 64] = mac.finalize().into_bytes().into();
    let mut extended = Extended { key: Zeroizing::new([0; 32]), code: Zeroizing::new([0; 32]) };
    let (left, right) = both.split_at(32);
    extended.key.copy_from_slice(left);
    extended.code.copy_from_slice(right);
    both.zeroize();
    extended
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seed(hex: &str) -> Seed {
        // The standards' seeds are shorter and longer than ours.
        Seed::raw(&const_hex::decode(hex).unwrap())
    }

    fn hex(bytes: &[u8]) -> String {
        const_hex::encode(bytes)
    }

    const VECTOR_1: &str = "000102030405060708090a0b0c0d0e0f";
    const VECTOR_3: &str = "4b381541583be4423346c643850da4b320e46a87ae3d2a4e6da11eba819cd4acba45d239319ac14f863b8d5ab5a0d0c64d2e8a1e7d1457df2e5a3c51c73235be";

    /// Test vector 1 of BIP-32, and vector 3, whose keys have leading zeros.
    #[test]
    fn bip_32_vectors() {
        let key = |seed: &Seed, path: &[u32]| hex(secp256k1(seed, path).unwrap().key.as_slice());
        let one = seed(VECTOR_1);
        assert_eq!(key(&one, &[]), "e8f32e723decf4051aefac8e2c93c9c5b214313817cdb01a1494b917c8436b35");
        assert_eq!(
            key(&one, &[HARDENED]),
            "edb2e14f9ee77d26dd93b4ecede8d16ed408ce149b6cd80b0715a2d911a0afea"
        );
        assert_eq!(
            key(&one, &[HARDENED, 1]),
            "3c6cb8d0f6a264c91ea8b5030fadaa8e538b020f0a387421a12de9319dc93368"
        );
        assert_eq!(
            key(&one, &[HARDENED, 1, HARDENED + 2, 2, 1_000_000_000]),
            "471b76e389e528d6de6d816857e012c5455051cad6660850e58372a6c3e6e7c8"
        );
        let three = seed(VECTOR_3);
        assert_eq!(key(&three, &[]), "00ddb80b067e0d4993197fe10f2657a844a384589847602d56f0c629c81aae32");
        assert_eq!(
            key(&three, &[HARDENED]),
            "491f7a2eebc7b57028e0d3faa0acda02e75c33b03c48fb288c41e2ea44e1daef"
        );
    }

    /// Test vector 1 of SLIP-10 for ed25519.
    #[test]
    fn slip_10_vectors() {
        let key = |path: &[u32]| hex(ed25519(&seed(VECTOR_1), path).key.as_slice());
        assert_eq!(key(&[]), "2b4be7f19ee27bbf30c667b642d5f4aa69fd169872f8fc3059c08ebae2eb19e7");
        assert_eq!(key(&[0]), "68e0fe46dfb67e368c75379acec591dad19df3cde26e63b93a8e704f1dade7a3");
        assert_eq!(
            key(&[0, 1, 2, 2, 1_000_000_000]),
            "8f94d394a8e8fd6b1bc2f3f49f5c47e385281d5c17e65324b0f62483e37e8793"
        );
    }
}
