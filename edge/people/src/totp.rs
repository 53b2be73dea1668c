//! Codes of a second factor: TOTP (RFC 6238) with SHA-1, six digits, 30 seconds.

use crate::secret::fill;
use buttonwood_gate::Refusal;
use buttonwood_model::Time;
use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// Seconds of a step.
pub(crate) const STEP: u64 = 30;
/// Bytes of a secret (RFC 4226 recommends 20).
const SECRET: usize = 20;
const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Draws a secret.
pub(crate) fn draw() -> Result<Zeroizing<Vec<u8>>, Refusal> {
    let mut secret = Zeroizing::new(vec![0; SECRET]);
    fill(&mut secret)?;
    Ok(secret)
}

/// A secret as apps take it: base32 without padding (RFC 4648).
pub fn base32(bytes: &[u8]) -> Zeroizing<String> {
    let mut out = Zeroizing::new(String::with_capacity(bytes.len() * 2));
    let (mut bits, mut count) = (0_u32, 0_u32);
    for byte in bytes {
        bits = bits << 8 | u32::from(*byte);
        count += 8;
        while count >= 5 {
            count -= 5;
            push(&mut out, bits >> count);
        }
        bits &= (1 << count) - 1;
    }
    if count > 0 {
        push(&mut out, bits << (5 - count));
    }
    out
}

fn push(out: &mut String, bits: u32) {
    let place = usize::try_from(bits & 31).unwrap_or_default();
    out.extend(BASE32.get(place).map(|letter| char::from(*letter)));
}

/// The code of a step.
pub fn code_at(secret: &[u8], step: u64) -> String {
    let mut mac =
        Hmac::<Sha1>::new_from_slice(secret).unwrap_or_else(|_| unreachable!("every length is a key"));
    mac.update(&step.to_be_bytes());
    let hash = mac.finalize().into_bytes();
    let offset = usize::from(hash.last().copied().unwrap_or_default() & 0xF);
    let word = hash.get(offset..offset + 4).and_then(|bytes| bytes.try_into().ok()).unwrap_or_default();
    format!("{:06}", (u32::from_be_bytes(word) & 0x7FFF_FFFF) % 1_000_000)
}

/// The step whose code this is: that of `now`, the one before or the one after. Where several fit, the latest.
pub(crate) fn step_of(secret: &[u8], code: &str, now: Time) -> Option<u64> {
    let middle = now.seconds() / STEP;
    let near = [middle + 1, middle, middle.saturating_sub(1)];
    // Every step is compared, whichever fits.
    let fits = near.map(|step| (step, bool::from(code_at(secret, step).as_bytes().ct_eq(code.as_bytes()))));
    fits.into_iter().find(|(_, fits)| *fits).map(|(step, _)| step)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vectors of RFC 6238, appendix B, in six digits, and of RFC 4648.
    #[test]
    fn codes_are_those_of_the_standard() {
        let secret = b"12345678901234567890";
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(code_at(secret, seconds / STEP), code);
        }
        for (bytes, text) in [("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foobar", "MZXW6YTBOI")] {
            assert_eq!(*base32(bytes.as_bytes()), text);
        }
    }

    /// A code counts one step early and one step late, and no more.
    #[test]
    fn one_step_early_or_late_counts() {
        let (secret, now) = (b"12345678901234567890", Time(1_000_000 * Time::SECOND));
        let middle = now.seconds() / STEP;
        for (step, expected) in
            [(middle - 2, false), (middle - 1, true), (middle + 1, true), (middle + 2, false)]
        {
            assert_eq!(step_of(secret, &code_at(secret, step), now), expected.then_some(step));
        }
        assert_eq!(step_of(secret, "", now), None);
    }
}
