//! The pairs that have rates.

use serde::{Deserialize, Serialize};

/// A foreign currency and the dollar (FX-004). The order is part of the journal's format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FxPair {
    /// Australian dollar.
    AudUsd,
    /// Canadian dollar.
    CadUsd,
    /// Colombian peso.
    CopUsd,
    /// Euro.
    EurUsd,
    /// Swiss franc.
    ChfUsd,
    /// Hong Kong dollar.
    HkdUsd,
    /// New Zealand dollar.
    NzdUsd,
    /// Pound sterling.
    GbpUsd,
    /// Brazilian real.
    BrlUsd,
    /// Indian rupee.
    InrUsd,
    /// Singapore dollar.
    SgdUsd,
    /// South Korean won.
    KrwUsd,
    /// Yen.
    JpyUsd,
    /// Renminbi.
    CnyUsd,
}

impl FxPair {
    /// Every pair.
    pub const ALL: [Self; 14] = [
        Self::AudUsd,
        Self::CadUsd,
        Self::CopUsd,
        Self::EurUsd,
        Self::ChfUsd,
        Self::HkdUsd,
        Self::NzdUsd,
        Self::GbpUsd,
        Self::BrlUsd,
        Self::InrUsd,
        Self::SgdUsd,
        Self::KrwUsd,
        Self::JpyUsd,
        Self::CnyUsd,
    ];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AudUsd => "AUDUSD",
            Self::CadUsd => "CADUSD",
            Self::CopUsd => "COPUSD",
            Self::EurUsd => "EURUSD",
            Self::ChfUsd => "CHFUSD",
            Self::HkdUsd => "HKDUSD",
            Self::NzdUsd => "NZDUSD",
            Self::GbpUsd => "GBPUSD",
            Self::BrlUsd => "BRLUSD",
            Self::InrUsd => "INRUSD",
            Self::SgdUsd => "SGDUSD",
            Self::KrwUsd => "KRWUSD",
            Self::JpyUsd => "JPYUSD",
            Self::CnyUsd => "CNYUSD",
        }
    }

    /// The pair of this name, in any letter case (FX-005).
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pair| pair.name().eq_ignore_ascii_case(name))
    }

    /// The pair of a foreign currency, by its upper-case code.
    pub fn of_currency(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pair| pair.name().strip_suffix("USD") == Some(code))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_found_by_name_and_by_currency() {
        assert_eq!(FxPair::find("gbpusd"), Some(FxPair::GbpUsd));
        assert_eq!(FxPair::find("GbpUSD"), Some(FxPair::GbpUsd));
        assert_eq!(FxPair::find("gbp"), None);
        assert_eq!(FxPair::find("usdgbp"), None);
        assert_eq!(FxPair::of_currency("EUR"), Some(FxPair::EurUsd));
        assert_eq!(FxPair::of_currency("USD"), None);
        assert_eq!(FxPair::of_currency(""), None);
    }

    /// A pair is stored as its position.
    #[test]
    fn positions_never_change() {
        let names = FxPair::ALL.map(FxPair::name).join(" ");
        let order = "AUDUSD CADUSD COPUSD EURUSD CHFUSD HKDUSD NZDUSD GBPUSD BRLUSD INRUSD SGDUSD KRWUSD JPYUSD CNYUSD";
        assert_eq!(names, order);
        for (at, pair) in FxPair::ALL.into_iter().enumerate() {
            let mut stored = alloc::vec::Vec::new();
            buttonwood_model::put_fields(&pair, &mut stored);
            assert_eq!(stored, [u8::try_from(at).unwrap()]);
        }
    }
}
