//! Blocks of network addresses.

use core::fmt;
use core::net::IpAddr;
use core::str::FromStr;
use serde::{Deserialize, Serialize};

/// The addresses that begin with the same bits, such as `10.0.0.0/8`; a single address is the block of all its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cidr {
    address: IpAddr,
    bits: u8,
}

/// Why a text is no block of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CidrError {
    /// It is not an address, or an address and a number of bits after a slash.
    Malformed,
    /// There are more bits than the address has.
    TooLong,
    /// The address has further bits that are set, which no address of the block needs to share.
    BeyondBits,
}

impl fmt::Display for CidrError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Malformed => {
                "an address or a block of addresses is wanted, such as 192.0.2.1 or 10.0.0.0/8"
            }
            Self::TooLong => "an IPv4 block has at most 32 bits, an IPv6 block at most 128",
            Self::BeyondBits => "the address has bits set after those of the block",
        })
    }
}

impl core::error::Error for CidrError {}

impl Cidr {
    /// Whether an address is in the block. An IPv4 address written as IPv6 counts as IPv4.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(_), IpAddr::V4(_)) | (IpAddr::V6(_), IpAddr::V6(_)) => {
                let differing = left_aligned(self.address) ^ left_aligned(address.to_canonical());
                differing.leading_zeros() >= u32::from(self.bits)
            }
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

impl FromStr for Cidr {
    type Err = CidrError;

    fn from_str(text: &str) -> Result<Self, CidrError> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| CidrError::Malformed)?;
        if address.to_canonical() != address {
            return Err(CidrError::Malformed);
        }
        let all = if address.is_ipv4() { 32 } else { 128 };
        let bits = match bits {
            None => all,
            Some(bits) if bits.is_empty() || !bits.bytes().all(|byte| byte.is_ascii_digit()) => {
                return Err(CidrError::Malformed);
            }
            Some(bits) => bits.parse().ok().filter(|bits| *bits <= all).ok_or(CidrError::TooLong)?,
        };
        if left_aligned(address).trailing_zeros() < 128 - u32::from(bits) {
            return Err(CidrError::BeyondBits);
        }
        Ok(Self { address, bits })
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

/// The bits of an address, from the highest on.
fn left_aligned(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(address.to_bits()) << 96,
        IpAddr::V6(address) => address.to_bits(),
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use std::string::ToString;

    fn block(text: &str) -> Cidr {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn contains_the_addresses_that_begin_alike() {
        for (text, inside, outside) in [
            (
                "10.0.0.0/8",
                &["10.0.0.0", "10.255.255.255", "::ffff:10.1.2.3"][..],
                &["11.0.0.0", "9.255.255.255"][..],
            ),
            ("192.0.2.1", &["192.0.2.1"], &["192.0.2.0", "192.0.2.2", "::192.0.2.1"]),
            ("192.0.2.128/25", &["192.0.2.128", "192.0.2.255"], &["192.0.2.127"]),
            ("0.0.0.0/0", &["0.0.0.0", "255.255.255.255"], &["::", "::1"]),
            ("::/0", &["::", "2001:db8::1"], &["10.0.0.1", "::ffff:10.0.0.1"]),
            ("2001:db8::/33", &["2001:db8:7fff::1"], &["2001:db8:8000::", "2001:db7::"]),
            ("::1", &["::1"], &["::", "::2", "127.0.0.1"]),
        ] {
            let block = block(text);
            let all_of = |addresses: &[&str], expected: bool| {
                for address in addresses {
                    assert_eq!(block.contains(address.parse().unwrap()), expected, "{text} {address}");
                }
            };
            all_of(inside, true);
            all_of(outside, false);
        }
    }

    #[test]
    fn reads_what_it_shows() {
        for (text, shown) in [
            ("10.0.0.0/8", "10.0.0.0/8"),
            ("192.0.2.1", "192.0.2.1/32"),
            ("::1", "::1/128"),
            ("2001:DB8::/32", "2001:db8::/32"),
        ] {
            assert_eq!(block(text).to_string(), shown);
            assert_eq!(block(shown), block(text));
        }
    }

    #[test]
    fn refuses_everything_else() {
        for text in [
            "",
            "localhost",
            "10.0.0.0/",
            "10.0.0.0/+8",
            "10.0.0/8",
            "10.0.0.1:80",
            "::ffff:10.0.0.0/104",
            "10.0.0.0/8/8",
        ] {
            assert_eq!(text.parse::<Cidr>(), Err(CidrError::Malformed), "{text}");
        }
        for text in ["10.0.0.0/33", "::/129", "10.0.0.0/256", "10.0.0.0/99999999999"] {
            assert_eq!(text.parse::<Cidr>(), Err(CidrError::TooLong), "{text}");
        }
        for text in ["10.0.0.1/8", "192.0.2.128/24", "2001:db8::1/64", "0.0.0.1/0"] {
            assert_eq!(text.parse::<Cidr>(), Err(CidrError::BeyondBits), "{text}");
        }
    }
}
