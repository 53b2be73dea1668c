//! The kind of a currency's asset: how much its price moves, and with which others, and how its books look.

/// The kind of an asset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Asset {
    pub(crate) motion: Motion,
    /// The distance between the best bid and the best ask against the dollar, in millionths of the price. A book of two assets has the sum.
    pub(crate) spread: u64,
    /// Levels on each side of its books.
    pub(crate) levels: usize,
    /// Dollars on the best level of its books.
    pub(crate) depth: u64,
    /// Trades an hour against the dollar, on average.
    pub(crate) trades: u64,
}

/// How a price moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Motion {
    /// Not at all.
    Still,
    /// Within 4 ten-thousandths of where it starts: a coin that is worth a dollar.
    Pegged,
    /// It walks.
    Walks {
        /// The standard deviation over a year, in percent.
        volatility: i128,
        /// How much of the motion is the whole market's, in thousandths.
        common: i128,
    },
}

/// The kind of a currency.
pub(crate) fn asset(code: &str) -> Asset {
    let walks = |volatility, common| Motion::Walks { volatility, common };
    let (motion, spread, levels, depth, trades) = match code {
        "BTC" => (walks(30, 930), 200, 10, 40_000, 420),
        "ETH" => (walks(40, 920), 250, 10, 30_000, 330),
        "SOL" | "XRP" | "LTC" | "BCH" | "LINK" | "AVAX" | "DOT" | "BNB" => {
            (walks(50, 800), 1_200, 10, 10_000, 60)
        }
        "ZEC" | "BAT" | "OXT" | "DOGE" | "UNI" | "AAVE" => (walks(55, 700), 1_800, 10, 4_000, 30),
        "USD" => (Motion::Still, 0, 6, 10_000, 20),
        "GUSD" => (Motion::Still, 250, 6, 10_000, 20),
        "DAI" | "USDC" | "USDT" => (Motion::Pegged, 300, 6, 10_000, 20),
        "EUR" | "GBP" | "SGD" => (walks(6, 0), 500, 6, 10_000, 10),
        "PAXG" => (walks(12, 100), 800, 6, 5_000, 10),
        "BONK" | "PEPE" | "SHIB" | "FLOKI" | "WIF" | "BOME" | "MEW" | "POPCAT" | "PNUT" | "GOAT"
        | "MOODENG" | "CHILLGUY" | "ELON" | "SAMO" => (walks(80, 650), 4_000, 6, 2_000, 12),
        _ => (walks(60, 700), 3_000, 6, 2_000, 8),
    };
    Asset { motion, spread, levels, depth, trades }
}
