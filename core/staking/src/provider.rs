//! Providers, and the pairs of a provider and a currency.

use alloc::string::String;
use core::fmt;
use core::str::FromStr;
use serde::{Deserialize, Serialize};

/// A provider of staking: a uuid of version 4.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Provider(pub [u8; 16]);

/// A text is no uuid of version 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoProvider;

/// The groups of a uuid's digits.
const GROUPS: [usize; 5] = [8, 4, 4, 4, 12];

impl FromStr for Provider {
    type Err = NoProvider;

    /// Digits of either case.
    fn from_str(text: &str) -> Result<Self, NoProvider> {
        let groups = text.split('-').map(str::len);
        if !groups.eq(GROUPS) {
            return Err(NoProvider);
        }
        let digits: String = text.chars().filter(|letter| *letter != '-').collect();
        let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let number = u128::from_str_radix(&digits, 16).ok().filter(|_| is_hex).ok_or(NoProvider)?;
        let is_uuid4 = number >> 76 & 0xF == 4 && number >> 62 & 0b11 == 0b10;
        if is_uuid4 { Ok(Self(number.to_be_bytes())) } else { Err(NoProvider) }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, byte) in self.0.iter().enumerate() {
            if matches!(at, 4 | 6 | 8 | 10) {
                f.write_str("-")?;
            }
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A pair of a provider and a currency, by its place in the list of pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PairId(pub u16);

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn a_provider_is_a_uuid_of_version_four() {
        let text = "62b21e17-2534-4b9f-afcf-b7edb609dd8d";
        let provider: Provider = text.parse().unwrap();
        assert_eq!((provider.to_string().as_str(), text.to_uppercase().parse()), (text, Ok(provider)));
        for wrong in [
            "",
            "62b21e17-2534-1b9f-afcf-b7edb609dd8d",
            "62b21e17-2534-4b9f-cfcf-b7edb609dd8d",
            "62b21e1725344b9fafcfb7edb609dd8d",
            "62b21e172-534-4b9f-afcf-b7edb609dd8d",
            "+2b21e17-2534-4b9f-afcf-b7edb609dd8d",
            "62b21e17-2534-4b9f-afcf-b7edb609dd8d ",
            "{2b21e17-2534-4b9f-afcf-b7edb609dd8}",
            "é2b21e1-2534-4b9f-afcf-b7edb609dd8d",
        ] {
            assert_eq!(wrong.parse::<Provider>(), Err(NoProvider), "{wrong}");
        }
    }
}
