//! A secret in memory: wiped when dropped, never printed.

use zeroize::{Zeroize, Zeroizing};

/// Bytes that sign requests.
#[derive(Clone)]
pub struct Secret(Zeroizing<Vec<u8>>);

impl Secret {
    /// Takes the bytes over; the caller keeps no copy.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// The bytes themselves, for the one place that signs or hands them to their owner.
    pub fn expose(&self) -> &[u8] {
        &self.0
    }

    /// The secret as text, for its owner; empty for bytes that are no text.
    pub fn text(&self) -> &str {
        core::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// Overwrites what earlier calls left on this thread's stack below the caller: ciphers and hashes keep copies of keys
/// there.
pub fn wipe_stack() {
    wipe_below(16);
}

#[inline(never)]
fn wipe_below(levels: u32) {
    let mut room = [0u8; 8 * 1024];
    room.zeroize();
    if levels > 0 {
        wipe_below(levels - 1);
    }
    // After the call, so that the calls cannot share one frame.
    core::hint::black_box(&mut room);
}

impl core::fmt::Debug for Secret {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Secret(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_hides_the_bytes() {
        assert_eq!(format!("{:?}", Secret::new(b"hush".to_vec())), "Secret(hidden)");
    }
}
