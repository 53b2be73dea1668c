//! Random draws: ids from the seed, and secrets from the system unless the seed was given.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const MIXED: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// The two sources.
#[derive(Debug)]
pub struct Draw {
    seeded: ChaCha8Rng,
    secrets: ChaCha8Rng,
}

impl Draw {
    /// Draws ids from `seed`; secrets too when the seed was given, for tests, and from the system otherwise.
    ///
    /// # Errors
    /// When the system has no randomness.
    pub fn new(seed: u64, given: bool) -> Result<Self, getrandom::Error> {
        let mut key = [0; 32];
        if given {
            ChaCha8Rng::seed_from_u64(seed ^ 0x5EC2_E75E_C2E7_5EC2).fill(&mut key);
        } else {
            getrandom::fill(&mut key)?;
        }
        Ok(Self { seeded: ChaCha8Rng::seed_from_u64(seed), secrets: ChaCha8Rng::from_seed(key) })
    }

    /// The public text of a key, after its prefix.
    pub(crate) fn key_text(&mut self) -> String {
        text(&mut self.seeded, MIXED, 20)
    }

    /// A counterparty id: 8 upper-case letters and digits (D-31).
    pub(crate) fn counterparty_id(&mut self) -> String {
        text(&mut self.seeded, LETTERS, 8)
    }

    /// A secret of about 190 bits.
    pub(crate) fn secret(&mut self) -> String {
        text(&mut self.secrets, MIXED, 32)
    }

    /// The bits of an id, from the seed.
    pub(crate) fn id(&mut self) -> [u8; 16] {
        self.seeded.random()
    }

    /// The number of a record in the vault; never 0, which stands for none.
    pub(crate) fn number(&mut self) -> u64 {
        self.seeded.random::<u64>().max(1)
    }

    /// A secret of a second factor.
    pub(crate) fn totp_secret(&mut self) -> [u8; 20] {
        self.secrets.random()
    }

    /// A client secret: 256 random bits in base64url (D-128).
    pub(crate) fn token(&mut self) -> String {
        base64_simd::URL_SAFE_NO_PAD.encode_to_string(self.secrets.random::<[u8; 32]>())
    }

    /// A key of the ids of a product, 16 bytes.
    pub fn id_key(&mut self) -> [u8; 16] {
        self.secrets.random()
    }

    /// The hash key of the index of client ids.
    pub fn hash_key(&mut self) -> u64 {
        self.secrets.random()
    }
}

/// The seed of deposit addresses, 32 bytes: from the flag `--seed`, for tests, or from the system.
///
/// # Errors
/// When the system has no randomness.
pub fn draw_deposit_seed(repeats: Option<u64>) -> Result<Vec<u8>, getrandom::Error> {
    let mut bytes = vec![0; 32];
    match repeats {
        Some(seed) => ChaCha8Rng::seed_from_u64(seed ^ 0xDE90_517A_DD2E_55E5).fill(bytes.as_mut_slice()),
        None => getrandom::fill(&mut bytes)?,
    }
    Ok(bytes)
}

fn text(source: &mut ChaCha8Rng, letters: &[u8], len: usize) -> String {
    (0..len)
        .filter_map(|_| letters.get(source.random_range(0..letters.len())).copied())
        .map(char::from)
        .collect()
}
